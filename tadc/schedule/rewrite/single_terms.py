"""Sums of at most one term as choices: of a range that has at most one integer, whatever the sizes are, the condition that it has one

    dx[i] = sum{j | i - 1 <= 2*j <= i, j < P} g[j]    is    dx[i] = if i // 2 < P then g[i // 2] else 0

An index of a longer sum that has one value always is a quotient for every target, where its divisor is not so small that each remainder is
better computed on its own:

    dx[k] = sum{q, j | 0 <= k - 64*q <= 63, 0 <= j - 64*q <= 63} g[j]*w[q,k-64*q]
        is    dx[k] = sum{j=64*(k//64)..64*(k//64) + 63} g[j]*w[k//64,k%64]
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Derived, Domain, at_least_zero
from tadc.ir.expr import NEUTRAL, Const, Expr, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.range import Range
from tadc.ir.walk import descend, substitute, with_operands
from tadc.normalize.solved import without_implied
from tadc.schedule.rewrite.looked_up import has_data

__all__ = ["with_quotients_of_results", "with_single_terms"]

SMALLEST = 8  # divisor


def with_quotients_of_results(program: Program) -> Program:
    """The program, which reads no data, whose sums have no index that is always a quotient of what stands outside of them."""
    statements = (_without_single(s, program, always=True) for s in program.statements)
    return replace(program, statements=tuple(statements))


def with_single_terms(s: Statement, program: Program) -> Statement:
    """A statement of the program without sums that have one term or none, if it has such sums, and reads no data."""
    return s if has_data(replace(program, statements=(s,))) else _without_single(s, program)


def _without_single(s: Statement, program: Program, *, always: bool = False) -> Statement:
    """The statement without sums of one term or none, or with `always` without indices of sums that have exactly one value."""
    sums = _Sums(s, Names((*program.tensors, *program.symbols)), always)
    body = descend(sums.without_single(s.body, program.known & s.box))
    return s if body is s.body else replace(s, derived=(*s.derived, *sums.derived), body=body)


@dataclass(slots=True)
class _Sums:
    """Rewrites the sums of a statement that stand in no other sum; `derived` are the quotients that it needs for that.

    With `always` only indices that have exactly one value leave their sums.
    """

    statement: Statement
    names: Names
    always: bool = False
    derived: list[Derived] = field(default_factory=list)

    def without_single(self, e: Expr, known: Domain) -> Generator[Any, Any, Expr]:
        """The expression, where `known` holds."""
        match e:
            case Reduce():
                return self._reduced(e, known)
            case Select(Domain() as condition, then, otherwise):
                first = yield self.without_single(then, known & condition)
                second = yield self.without_single(otherwise, known)
                return e if (first, second) == (then, otherwise) else Select(condition, first, second)  # fmt: skip
            case _:
                operands = []
                for operand in e.operands:
                    operands.append((yield self.without_single(operand, known)))
                return e if tuple(operands) == e.operands else with_operands(e, tuple(operands))

    def _reduced(self, e: Reduce, known: Domain) -> Expr:
        left = e
        while (one := next(self._single(left, known), None)) is not None:
            index, value = one
            left = Reduce(
                left.op,
                tuple(i for i in left.indices if i != index),
                tuple(d.substitute({index: value}) for d in left.derived),
                left.domain.substitute({index: value}),
                substitute(left.body, {index: value}),
            )
        if left is e or (left.derived and not left.indices):
            return e
        bound = {*left.indices, *(d.name for d in left.derived)}
        known &= Domain.of(c for d in self.derived for c in d.conditions)
        guards = [c for c in left.domain if bound.isdisjoint(c.form.symbols)]
        guard = Domain.of(c for c in guards if not implies(known, c))
        inside = Domain.of(c for c in left.domain if c not in guards)
        term = left.body
        if left.indices:
            every = Reduce(left.op, left.indices, left.derived, inside, left.body)
            term, _ = without_implied(every, known)
        return term if guard == EVERYWHERE else Select(guard, term, Const(NEUTRAL[e.op]))

    def _single(self, e: Reduce, known: Domain) -> Iterator[tuple[Symbol, Affine]]:
        """Indices of the sum that have one value at most, and that value; it follows from symbols outside of the sum."""
        bound = {*e.indices, *(d.name for d in e.derived)}
        for i in e.indices:
            conditions = [c for c in e.domain if i in c.form.symbols]
            if any(c.relation != ">=" for c in conditions):
                continue
            r = Range.of(i, (c.form for c in conditions))
            for low, divisor in r.lows:
                for high, other in r.highs:
                    is_outside = bound.isdisjoint((*low.symbols, *high.symbols))
                    if divisor == other and is_outside and self._is_single(low, high, divisor, known):  # fmt: skip
                        yield i, self._quotient(high, divisor)

    def _is_single(self, low: Affine, high: Affine, divisor: int, known: Domain) -> bool:
        """Whether there is at most one integer between `low / divisor` and `high / divisor`, that below the latter; or always one."""
        if self.always:
            return divisor >= SMALLEST and low + divisor - 1 == high
        return implies(known, at_least_zero(low + divisor - 1 - high))

    def _quotient(self, form: Affine, divisor: int) -> Affine:
        if divisor == 1:
            return form
        for d in (*self.statement.derived, *self.derived):
            if isinstance(d, Derived) and (d.form, d.modulus) == (form, divisor):
                return symbol(d.name)
        self.derived.append(Derived(self.names.fresh("q"), form, divisor))
        return symbol(self.derived[-1].name)
