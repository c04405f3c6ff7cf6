"""Conditions as formulas: affine atoms and comparisons of values, joined by and, or, not.

    Formula = Atom(condition) | Values(relation, left, right) | And(parts) | Or(parts) | Not(part) | Pieces(parts) | Flag(part)

A formula is read in two ways: as what is *known* where it holds, and as the nested `Select`s that test it. `Pieces` are formulas
under conditions that exclude each other and cover everything, as the pieces of a minimum are.

What is chosen stands at every leaf of these `Select`s, and conditions in each other multiply them: where cases would have more than
a few they are a `Flag`, a value of 1 or 0 that is computed first and compared. Nothing is known where it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tadc.errors import SyntaxError
from tadc.ir.affine import Affine, symbol
from tadc.ir.domain import (
    EMPTY,
    EVERYWHERE,
    FALSE,
    TRUE,
    Condition,
    Domain,
    at_least_zero,
    between,
    divides,
    equals_zero,
)
from tadc.ir.expr import Comparison, Const, Expr, Relation, Select
from tadc.ir.walk import descend
from tadc.resolve.extremes import Extreme, Largest, Least, difference, has_extremes
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.known import NOTHING, Known
from tadc.resolve.rational import rational
from tadc.resolve.scope import Cases, Scope
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic

__all__ = ["Formula", "all_of", "by_cases", "conjunction", "formula", "known_where", "selected"]

MOST_LEAVES = 32  # of a formula at which either of what is chosen stands


@dataclass(frozen=True, slots=True)
class Atom:
    condition: Condition


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    relation: Relation
    left: ast.Expression
    right: ast.Expression


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Not:
    part: Formula


@dataclass(frozen=True, slots=True)
class Pieces:
    parts: tuple[tuple[Domain, Formula], ...]


@dataclass(frozen=True, slots=True)
class Flag:
    part: Formula


Formula: TypeAlias = Atom | Values | And | Or | Not | Pieces | Flag


def formula(condition: ast.Condition, scope: Scope, indexing: IndexExpressions) -> Formula:
    """The formula of a condition. Comparisons of index expressions are affine, all others are of values."""
    return _bounded(descend(_formula(condition, scope, indexing)))


def all_of(formulas: Sequence[Formula]) -> Formula:
    """The formula that holds where all of them do."""
    return formulas[0] if len(formulas) == 1 else _bounded(And(tuple(formulas)))


def _formula(
    condition: ast.Condition, scope: Scope, indexing: IndexExpressions
) -> Generator[Any, Any, Formula]:
    match condition:
        case ast.Logical(operator, left, right):
            parts = (
                (yield _formula(left, scope, indexing)),
                (yield _formula(right, scope, indexing)),
            )
            return And(parts) if operator == "and" else Or(parts)
        case ast.Not(operand):
            return Not((yield _formula(operand, scope, indexing)))
        case ast.IsInteger(operand):
            return _cases(
                (given, Atom(divides(divisor, numerator)))
                for given, numerator, divisor in rational(operand, scope, indexing)
            )
        case ast.Comparison(operands, relations):
            compared = tuple(
                _compared(relation, left, right, scope, indexing)
                for left, relation, right in zip(operands, relations, operands[1:], strict=False)
            )
            return compared[0] if len(compared) == 1 else And(compared)


def _compared(
    relation: str,
    left: ast.Expression,
    right: ast.Expression,
    scope: Scope,
    indexing: IndexExpressions,
) -> Formula:
    if relation in (">", ">="):
        left, right, relation = right, left, {">": "<", ">=": "<="}[relation]
    if not (
        is_index_expression(left, scope, indexing) and is_index_expression(right, scope, indexing)
    ):
        return Values(relation, left, right)  # type: ignore[arg-type]
    congruence = _congruence(relation, left, right, scope, indexing)
    if congruence is not None:
        return congruence
    try:
        if relation in ("<", "<=") and (has_extremes(left) or has_extremes(right)):
            exceeding = difference(left, right, scope, indexing)
            if exceeding is not None:
                return _at_most(exceeding, -1 if relation == "<" else 0)
        pieces = [
            ((*first, *second), a, b)
            for first, a in indexing.pieces(left, scope)
            for second, b in indexing.pieces(right, scope)
        ]
    except (
        SyntaxError
    ):  # a product of indices: a comparison of values, from which nothing is proved
        return Values(relation, left, right)  # type: ignore[arg-type]
    return _cases((conditions, _affine(relation, a, b)) for conditions, a, b in pieces)


def _at_most(e: Extreme, most: int) -> Formula:
    match e:
        case Affine():
            return Atom(at_least_zero(most - e))
        case Largest(parts):
            return And(tuple(_at_most(part, most) for part in parts))
        case Least(parts):
            return Or(tuple(_at_most(part, most) for part in parts))


def by_cases(alternatives: Cases) -> Formula:
    """One of several conjunctions."""
    return Or(tuple(And(tuple(map(Atom, conditions))) for conditions in alternatives))


def _cases(cases: Iterable[tuple[tuple[Condition, ...], Formula]]) -> Formula:
    """One of the formulas, each under its conditions, which exclude those of the others and cover everything with them."""
    parts = tuple((Domain.of(given), f) for given, f in cases)
    if len(parts) > 1:
        return Pieces(parts)
    ((given, f),) = parts
    return And((*map(Atom, given), f)) if given.conditions else f


def _affine(relation: str, a: Affine, b: Affine) -> Formula:
    match relation:
        case "<=":
            return Atom(at_least_zero(b - a))
        case "<":
            return Atom(at_least_zero(b - a - 1))
        case "==":
            return Atom(equals_zero(a - b))
        case _:
            return Not(Atom(equals_zero(a - b)))


def _congruence(
    relation: str,
    left: ast.Expression,
    right: ast.Expression,
    scope: Scope,
    indexing: IndexExpressions,
) -> Formula | None:
    """`e % m = r`, the commonest condition with a modulo, as a divisibility: no derived index is needed."""
    match left:
        case ast.Binary("%", e, by) if relation in ("==", "!="):
            modulus, rest = (_number(x, scope, indexing) for x in (by, right))
            if modulus is not None and rest is not None and modulus > 0:
                if not 0 <= rest < modulus:
                    return Atom(FALSE if relation == "==" else TRUE)
                f = _cases(
                    (given, Atom(divides(modulus, form - rest)))
                    for given, form in indexing.pieces(e, scope)
                )
                return f if relation == "==" else Not(f)
    return None


def _number(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> int | None:
    """The integer that an index expression is, None if it is none."""
    match indexing.pieces(e, scope):
        case [(_, form)] if form.is_constant:
            return form.constant
        case _:
            return None


def is_index_expression(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> bool:
    """Whether `e` is made of integers, indices and sizes by `+ - * // % min max clamp abs` alone."""

    def is_part(node: ast.Expression | ast.Condition) -> bool:
        match node:
            case ast.Number(text):
                return text.isdecimal()
            case ast.Name(name):
                known = scope.lookup(name) or indexing.sizes.lookup(name)
                return known is not None or name in indexing.data
            case ast.Element(ast.Name(name)):
                return name in indexing.data
            case ast.Unary() | ast.Binary("+" | "-" | "*" | "//" | "%"):
                return True
            case ast.Application(ast.Name("min" | "max" | "clamp")) | ast.Application(
                ast.Name("abs"), (_,)
            ):
                return True
            case _:
                return False

    return all(map(is_part, arithmetic(e)))


@dataclass(frozen=True, slots=True)
class _Counted:
    """A formula with flags, and at how many leaves of its `Select`s stands what is chosen where it holds, and where it fails."""

    formula: Formula
    holds: int = 1
    fails: int = 1


def _bounded(f: Formula) -> Formula:
    """The formula with flags in the place of cases, where these would have too many leaves together.

    Other conditions stay: what they guard is proved by them.
    """
    counted: _Counted = descend(_counted(f, MOST_LEAVES))
    return counted.formula


def _counted(f: Formula, most: int) -> Generator[Any, Any, _Counted]:
    """The formula where cases have so many leaves at most."""
    if conjunction(f) is not None:
        return _Counted(f)
    match f:
        case Not(part):
            inner = yield _counted(part, most)
            new = f if inner.formula is part else Not(inner.formula)
            return _Counted(new, inner.fails, inner.holds)
        case And() | Or():
            flat = _flat(f)
            counted = []
            for part in flat:
                counted.append((yield _counted(part, most)))
            holds, fails = _leaves(counted, isinstance(f, And))
            if max(holds, fails) > most > 1:
                for n, c in enumerate(counted):
                    counted[n] = yield _counted(c.formula, 1)
                holds, fails = _leaves(counted, isinstance(f, And))
            parts = tuple(c.formula for c in counted)
            same = all(new is old for new, old in zip(parts, flat, strict=True))
            return _Counted(f if same else type(f)(parts), holds, fails)
        case Pieces(cases) if most == 1 or len(cases) > most:
            return _Counted(Flag(f))
        case Pieces(cases):
            return _Counted(f, len(cases), len(cases))
        case _:
            return _Counted(f)


def _leaves(parts: Sequence[_Counted], all_hold: bool) -> tuple[int, int]:
    """The leaves where all of the parts hold, or one does, and those of the opposite. Each is tested after those before it.

    Affine conditions of which all hold are tested at once.
    """
    decided, open_, together = 0, 1, 0
    for p in parts:
        if all_hold and conjunction(p.formula) is not None:
            together = 1
            continue
        on, off = (p.holds, p.fails) if all_hold else (p.fails, p.holds)
        decided += open_ * off
        open_ *= on
    return (open_, decided + together) if all_hold else (decided, open_)


def conjunction(f: Formula) -> Domain | None:
    """The formula as one domain, if it is a conjunction of affine conditions."""
    conditions: list[Condition] = []
    stack = [(f, True)]
    while stack:
        part, wanted = stack.pop()
        match part:
            case Atom(condition) if wanted:
                conditions.append(condition)
            case Atom(condition):
                negation = condition.negation
                if negation is None:
                    return None
                conditions.append(negation)
            case Not(inner):
                stack.append((inner, not wanted))
            case And(parts) | Or(parts) if isinstance(part, And) is wanted or len(parts) == 1:
                stack += [(inner, wanted) for inner in parts]
            case _:
                return None
    return Domain.of(conditions)


def known_where(f: Formula, fresh: Callable[[str], str]) -> Known:
    """Facts that hold wherever the formula does. Comparisons of values yield none."""
    known: Known = descend(_known(f, True, fresh))
    return known


def _known(f: Formula, wanted: bool, fresh: Callable[[str], str]) -> Generator[Any, Any, Known]:
    match f:
        case Values() | Flag():
            return NOTHING
        case Pieces(cases):
            each = []
            for given, part in cases:
                each.append((yield _known(part, wanted, fresh)) & given)
            return Known.one_of(each)
        case Not(part):
            return (yield _known(part, not wanted, fresh))
        case Atom(condition) if wanted:
            return Known(Domain.of((condition,)))
        case Atom(Condition(">=", form)):
            return Known(Domain.of((at_least_zero(-form - 1),)))
        case Atom(Condition("==", form)):
            below, above = (Domain.of((at_least_zero(sign * form - 1),)) for sign in (-1, 1))
            return Known.one_of((Known(below), Known(above)))
        case Atom(Condition(_, form, modulus)):
            rest = form - modulus * symbol(fresh("t"))
            return Known(Domain.of(between(1, rest, modulus - 1)))
        case And() | Or():
            parts = []
            for p in _flat(f):
                parts.append((yield _known(p, wanted, fresh)))
            return Known.all_of(parts) if isinstance(f, And) is wanted else Known.one_of(parts)


def _flat(f: And | Or) -> list[Formula]:
    """The parts of a chain of `and`s, or of `or`s, in its order."""
    parts: list[Formula] = []
    stack: list[Formula] = [f]
    while stack:
        part = stack.pop()
        if isinstance(part, (And, Or)) and type(part) is type(f):
            stack += reversed(part.parts)
        else:
            parts.append(part)
    return parts


def selected(
    f: Formula,
    then: Expr,
    otherwise: Expr,
    value: Callable[[ast.Expression, Known], Generator[Any, Any, Expr]],
    fresh: Callable[[str], str],
    known: Known = NOTHING,
) -> Generator[Any, Any, Expr]:
    """`then` where the formula holds, else `otherwise`, as nested `Select`s.

    `value` makes operands of comparisons, which are evaluated where `known` holds: affine conditions are tested first, and
    then the parts in their order.
    """
    domain = conjunction(f)
    if domain is not None:
        if domain == EVERYWHERE:
            return then
        return otherwise if domain == EMPTY else Select(domain, then, otherwise)
    match f:
        case Not(part):
            return (yield selected(part, otherwise, then, value, fresh, known))
        case Values(relation, left, right):
            a, b = (yield value(left, known)), (yield value(right, known))
            return Select(Comparison(relation, a, b), then, otherwise)
        case And(parts):
            affine = EVERYWHERE
            rest: list[Formula] = []
            for p in parts:
                condition = conjunction(p)
                affine, rest = (
                    (affine & condition, rest) if condition is not None else (affine, [*rest, p])
                )
            around = [known & affine]
            for p in rest[:-1]:
                around.append(around[-1] & known_where(p, fresh))
            result = then
            for p, here in reversed([*zip(rest, around, strict=True)]):
                result = yield selected(p, result, otherwise, value, fresh, here)
            return result if affine == EVERYWHERE else Select(affine, result, otherwise)
        case Or(parts):
            result = otherwise
            for p in reversed(parts):
                result = yield selected(p, then, result, value, fresh, known)
            return result
        case Pieces(cases):
            result = otherwise  # where none of the conditions holds: nowhere
            for given, p in reversed(cases):
                here = yield selected(p, then, otherwise, value, fresh, known & given)
                result = here if given == EVERYWHERE else Select(given, here, result)
            return result
        case Flag(part):
            flag = yield selected(part, Const(1), Const(0), value, fresh, known)
            return Select(Comparison("==", flag, Const(1)), then, otherwise)
        case Atom():
            raise AssertionError("an atom is a conjunction")
