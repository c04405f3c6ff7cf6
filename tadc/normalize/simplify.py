"""Rewriting of expressions that changes no value, NaN and infinities included, and conditions that are decided.

`0 * x` and `x - x` stay: `x` may be NaN. A condition that restricts all of a sum's body restricts the sum's domain.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from math import copysign, inf

from tadc.ir.affine import Symbol, constant
from tadc.ir.domain import EMPTY, EVERYWHERE, Determined, Domain
from tadc.ir.expr import NEUTRAL, Call, Const, Expr, IndexValue, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite
from tadc.normalize.choices import negated

__all__ = ["simplified", "simplified_statement", "simplify"]

MOST = 2**1000  # of an integer: still in the range of a float


def simplify(program: Program) -> Program:
    """Every statement's expression simplified."""
    return replace(program, statements=tuple(map(simplified_statement, program.statements)))


def simplified_statement(s: Statement) -> Statement:
    """The statement with its expression simplified."""
    body = rewrite(s.body, simplified)
    return Statement(s.target, s.indices, used(s.derived, body.symbols), body)


def used(derived: tuple[Determined, ...], symbols: Set[Symbol]) -> tuple[Determined, ...]:
    """The derived indices that `symbols` mention, or that others of them are made of."""
    needed = set(symbols)
    kept = []
    for d in reversed(derived):
        if d.name in needed:
            kept.append(d)
            needed |= set(d.symbols)
    return tuple(reversed(kept))


def simplified(e: Expr) -> Expr:
    """The rule: `e` with simplified operands, one step simpler."""
    match e:
        case IndexValue(form) if form.is_constant:
            return _constant(form.constant)
        case Call("neg", (Call("neg", (x,)),)):
            return x
        case Call("neg", (Const(value),)) if value:
            return Const(-value)
        case Call("mul", (Const(1), x) | (x, Const(1))) | Call("div" | "pow", (x, Const(1))):
            return x
        case Call("mul", (Const(-1), x) | (x, Const(-1))):
            return simplified(Call("neg", (x,)))
        case Call("mul", (Call("neg", (x,)), y) | (y, Call("neg", (x,)))):
            return simplified(
                Call("neg", (simplified(Call("mul", (x, y) if _first(e, x) else (y, x))),))
            )
        case Call("pow", (_, Const(0))):
            return Const(1)
        case Call("add", (x, Call("neg", (y,)))):
            return simplified(Call("sub", (x, y)))
        case Call("sub", (x, Call("neg", (y,)))):
            return simplified(Call("add", (x, y)))
        case Call("gate", (Const(0), _) | (_, Const(0))):
            return Const(0)
        case Call("gate", (Const(1), x) | (x, Const(1))):
            return x
        case Call("gate", (Const(-1), x) | (x, Const(-1))):
            return simplified(Call("neg", (x,)))
        case Call(
            "add" | "sub" | "mul" as function,
            (Const() | IndexValue() as a, Const() | IndexValue() as b),
        ):
            return _affine(function, a, b) or e
        case Select(condition, then, otherwise) if condition == EVERYWHERE or then is otherwise:
            return then
        case Select(condition, _, otherwise) if condition == EMPTY:
            return otherwise
        case Select(Domain() as outer, Select(Domain() as inner, then, otherwise), other) if (
            otherwise is other
        ):
            return simplified(Select(outer & inner, then, other))
        case Reduce(op, _, _, domain, _) if domain == EMPTY:
            return Const(NEUTRAL[op])
        case Reduce("sum", _, _, _, Const(0)):
            return Const(0)
        case Reduce(op, indices, derived, domain, Select(Domain() as condition, then, rest)) if (
            rest is Const(NEUTRAL[op])
        ):
            return simplified(Reduce(op, indices, derived, domain & condition, then))
        case Reduce(op, indices, derived, domain, Select(Domain() as condition, none, rest)) if (
            none is Const(NEUTRAL[op]) and (holds := negated(condition)) is not None
        ):
            return simplified(Reduce(op, indices, derived, domain & holds, rest))
        case Reduce("sum", indices, derived, domain, Reduce("sum", others, more, inner, term)):
            return simplified(
                Reduce("sum", (*indices, *others), (*derived, *more), domain & inner, term)
            )
        case Reduce(op, indices, derived, domain, body) if derived:
            kept = used(derived, body.symbols.union(domain.symbols))
            return e if len(kept) == len(derived) else Reduce(op, indices, kept, domain, body)
        case _:
            return e


def _constant(value: int) -> Const:
    """The integer, infinite where a float would be too."""
    return Const(value if abs(value) <= MOST else copysign(inf, value > 0 or -1))


def _first(e: Expr, x: Expr) -> bool:
    return isinstance(e, Call) and e.args[0] is Call("neg", (x,))


def _affine(function: str, a: Const | IndexValue, b: Const | IndexValue) -> Expr | None:
    """Integers and index values combined exactly, where the result is affine."""
    forms = []
    for operand in (a, b):
        match operand:
            case IndexValue(form):
                forms.append(form)
            case Const(int() as value):
                forms.append(constant(value))
            case _:
                return None
    f, g = forms
    match function:
        case "add":
            result = f + g
        case "sub":
            result = f - g
        case _ if f.is_constant:
            result = g * f.constant
        case _ if g.is_constant:
            result = f * g.constant
        case _:
            return None
    if max(map(abs, (result.constant, *(c for _, c in result.terms)))) > MOST:
        return None
    return Const(result.constant) if result.is_constant else IndexValue(result)
