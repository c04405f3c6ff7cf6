"""The gathering statement of a gradient: design, section 3, and the paper's section 5.

dx[b] = sum over the uses of x of  sum over { u integer : W(u) and A u + c == b }  of  D(u)
"""

from __future__ import annotations

from collections.abc import Sequence

from tadc.derive.products import plus
from tadc.derive.uses import Use
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, equals_zero
from tadc.ir.expr import Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.walk import substitute

__all__ = ["element_indices", "gathered"]


def gathered(uses: Sequence[Use], indices: tuple[Symbol, ...]) -> Expr:
    """The contributions of the uses to the element at `indices`: one reduction per use, zero without uses."""
    total: Expr | None = None
    for use in uses:
        total = plus(total, _contribution(use, indices))
    return Const(0) if total is None else total


def _contribution(use: Use, indices: tuple[Symbol, ...]) -> Expr:
    renamed = _with_distinct_unknowns(use, indices)
    equations = Domain.of(
        equals_zero(form - symbol(b))
        for form, b in zip(renamed.read.subscripts, indices, strict=True)
    )
    domain = renamed.domain & equations
    if not renamed.unknowns and not renamed.derived:
        return Select(domain, renamed.derivative, Const(0))
    return Reduce("sum", renamed.unknowns, renamed.derived, domain, renamed.derivative)


def element_indices(uses: Sequence[Use], rank: int, taken: Sequence[Symbol]) -> tuple[Symbol, ...]:
    """Names for the indices of the element: those that the first use reads with, where they are free."""
    names = Names(taken)
    result: list[Symbol] = []
    letters = iter("ijklmnpqrstuvwxyzabcdefgh")
    for d in range(rank):
        read_with = uses[0].read.subscripts[d].symbols if uses else ()
        candidates = [s for s in (reversed(uses[0].unknowns) if uses else ()) if s in read_with]
        hint = next((s for s in candidates if s not in result), None)
        while hint is None or hint in result:
            hint = next(letters, f"i{d}")
        result.append(names.fresh(hint))
    return tuple(result)


def _with_distinct_unknowns(use: Use, indices: tuple[Symbol, ...]) -> Use:
    """The use with unknowns that are named like an index of the element renamed."""
    names = Names({*indices, *use.unknowns, *use.derivative.symbols, *use.domain.symbols})
    values: dict[Symbol, Affine] = {}
    for s in (*use.unknowns, *(d.name for d in use.derived)):
        if s in indices:
            values[s] = symbol(names.fresh(s))
    if not values:
        return use
    new = {s: str(f) for s, f in values.items()}
    return Use(
        Read(use.read.tensor, tuple(f.substitute(values) for f in use.read.subscripts)),
        tuple(new.get(s, s) for s in use.unknowns),
        tuple(d.substitute(values, new.get(d.name)) for d in use.derived),
        use.domain.substitute(values),
        substitute(use.derivative, values),
    )
