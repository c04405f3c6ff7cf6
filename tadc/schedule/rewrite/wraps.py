"""Positions that wrap around are two, or three, by conditions.

    y[i] = sum{s} w[s]*x[(i + s) % 200]      is      y[i] = sum{s} w[s]*(if i + s <= 199 then x[i + s] else x[i + s - 200])

for `i` and `s` below 200: then neighbours read neighbours on both sides. Quotients of an index alone stay, and have loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Derived, Determined, Domain, at_least_zero
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.walk import Entered, postorder, rewrite, rewrite_in, substitute
from tadc.normalize.reductions import extents_in_body

__all__ = ["with_wraps_as_conditions"]

MOST = 3  # values of a quotient: those of positions that wrap around at both ends

_Extents: TypeAlias = tuple[tuple[Symbol, Affine], ...]


def with_wraps_as_conditions(program: Program) -> Program:
    """The program without derived indices that have few values, where only elements and numbers are made of them."""
    sizes = frozenset(program.parameters)

    def enter(e: Expr, around: _Extents) -> Entered[_Extents]:
        if isinstance(e, Reduce):
            around = tuple(extents_in_body(e, dict(around), sizes).items())
            for d in e.derived:
                others = tuple(o for o in e.derived if o is not d)
                body = None if d.name in e.domain.symbols else _unwrapped(e.body, d, others, around)
                if body is not None:
                    e = Reduce(
                        e.op, e.indices, tuple(o for o in e.derived if o is not d), e.domain, body
                    )
        return e, [around] * len(e.operands)

    statements: list[Statement] = []
    for s in program.statements:
        for d in s.derived:
            others = tuple(o for o in s.derived if o is not d)
            body = _unwrapped(s.body, d, others, tuple(s.extents.items()))
            if body is not None:
                s = replace(s, derived=others, body=body)
        statements.append(replace(s, body=rewrite_in(s.body, tuple(s.extents.items()), enter)))
    return replace(program, statements=tuple(statements))


def _unwrapped(
    body: Expr, d: Determined, others: Iterable[Determined], extents: _Extents
) -> Expr | None:
    """The body with choices in place of what is made of the quotient; None if that stays."""
    if not isinstance(d, Derived) or d.form.as_symbol() is not None:
        return None
    values = _values(d, dict(extents))
    if not 2 <= len(values) <= MOST or any(d.name in o.symbols for o in others):
        return None
    if any(d.name in _decided_by(e) for e in postorder(body)):
        return None

    def chosen(e: Expr) -> Expr:
        if not isinstance(e, Read | IndexValue) or d.name not in e.symbols:
            return e
        result = substitute(e, {d.name: constant(values[0])})
        for v in values[1:]:
            is_reached = Domain.of((at_least_zero(d.form - d.modulus * v),))
            result = Select(is_reached, substitute(e, {d.name: constant(v)}), result)
        return result

    return rewrite(body, chosen)


def _values(d: Derived, extents: Mapping[Symbol, Affine]) -> range:
    """The values of the quotient in the box; none if it has no numbers for ends."""
    least = greatest = d.form.constant
    for s, c in d.form.terms:
        extent = extents.get(s)
        if extent is None or not extent.is_constant:
            return range(0)
        least += min(c * (extent.constant - 1), 0)
        greatest += max(c * (extent.constant - 1), 0)
    return range(least // d.modulus, greatest // d.modulus + 1)


def _decided_by(e: Expr) -> frozenset[Symbol]:
    """The symbols of conditions, ranges and derived indices."""
    match e:
        case Select(Domain() as domain):
            return frozenset(domain.symbols)
        case Reduce():
            return frozenset(e.domain.symbols).union(*(d.symbols for d in e.derived))
        case _:
            return frozenset()
