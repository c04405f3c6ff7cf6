"""Positions that wrap around are two, or three, by conditions.

    y[i] = sum{s} w[s]*x[(i + s) % 200]      is      y[i] = sum{s} w[s]*(if i + s <= 199 then x[i + s] else x[i + s - 200])

for `i` and `s` below 200: then neighbours read neighbours on both sides. Quotients of an index alone stay, and have loops, as do
those of components, `x[n, (i + 1) % 3]`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Derived, Determined, Domain, at_least_zero
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite, rewrite_in, substitute
from tadc.normalize.reductions import extents_in_body

__all__ = ["with_wraps_as_conditions"]

FEW = 8  # values of an index that is rather a component than a place: no neighbours are computed side by side along it
MOST = 3  # values of a quotient: those of positions that wrap around at both ends

_Ranges: TypeAlias = tuple[tuple[Symbol, range], ...]  # of the indices that have numbers for ends


def with_wraps_as_conditions(program: Program) -> Program:
    """The program without derived indices that have few values, where only elements and numbers are made of them."""
    sizes = frozenset(program.parameters)

    def enter(e: Expr, around: _Ranges) -> Entered[_Ranges]:
        if isinstance(e, Reduce):
            own = extents_in_body(e, {}, sizes)
            around = _ranges(own, e.derived, dict(around))
            derived, body = _unwrapped(e.derived, e.domain.symbols, e.body, dict(around))
            e = Reduce(e.op, e.indices, derived, e.domain, body)
        return e, [around] * len(e.operands)

    statements: list[Statement] = []
    for s in program.statements:
        if not s.derived and not any(
            isinstance(e, Reduce) and e.derived for e in postorder(s.body)
        ):
            statements.append(s)
            continue
        around = _ranges(s.extents, s.derived, {})
        derived, body = _unwrapped(s.derived, (), s.body, dict(around))
        statements.append(replace(s, derived=derived, body=rewrite_in(body, around, enter)))
    return replace(program, statements=tuple(statements))


def _ranges(
    extents: Mapping[Symbol, Affine], derived: Iterable[Determined], around: dict[Symbol, range]
) -> _Ranges:
    """The values of indices with these extents, of quotients, and of those around."""
    around |= {i: range(n.constant) for i, n in extents.items() if n.is_constant}
    for d in derived:
        if isinstance(d, Derived) and (values := _values(d, around)):
            around[d.name] = values
    return tuple(around.items())


def _values(d: Derived, ranges: Mapping[Symbol, range]) -> range:
    """The values that the quotient may have; none if it has no numbers for ends."""
    least = greatest = d.form.constant
    for s, c in d.form.terms:
        values = ranges.get(s)
        if not values:
            return range(0)
        ends = c * values[0], c * values[-1]
        least, greatest = least + min(ends), greatest + max(ends)
    return range(least // d.modulus, greatest // d.modulus + 1)


def _unwrapped(
    derived: tuple[Determined, ...],
    in_conditions: Iterable[Symbol],
    body: Expr,
    ranges: Mapping[Symbol, range],
) -> tuple[tuple[Determined, ...], Expr]:
    """The derived indices that stay, and the body with choices in place of what is made of the others."""
    decided = {*in_conditions, *(s for e in postorder(body) for s in _decided_by(e))}
    kept = list(derived)
    for d in derived:
        if not isinstance(d, Derived) or d.form.as_symbol() is not None or d.name in decided:
            continue
        values = _values(d, ranges)
        is_long = any(len(ranges.get(s, ())) > FEW for s in d.form.symbols)
        if is_long and 2 <= len(values) <= MOST and not any(d.name in o.symbols for o in kept):
            kept.remove(d)
            body = _chosen(body, d, values)
            decided.update(d.symbols)
    return tuple(kept), body


def _chosen(body: Expr, d: Derived, values: Sequence[int]) -> Expr:
    """The body with a choice for each element and number that the quotient is in."""

    def choice(e: Expr) -> Expr:
        if not isinstance(e, Read | IndexValue) or d.name not in e.symbols:
            return e
        result = substitute(e, {d.name: constant(values[0])})
        for v in values[1:]:
            is_reached = Domain.of((at_least_zero(d.form - d.modulus * v),))
            result = Select(is_reached, substitute(e, {d.name: constant(v)}), result)
        return result

    return rewrite(body, choice)


def _decided_by(e: Expr) -> frozenset[Symbol]:
    """The symbols of conditions, ranges and derived indices."""
    match e:
        case Select(Domain() as domain):
            return frozenset(domain.symbols)
        case Reduce():
            return frozenset(e.domain.symbols).union(*(d.symbols for d in e.derived))
        case _:
            return frozenset()
