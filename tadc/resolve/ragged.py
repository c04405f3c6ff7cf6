"""Rows of ragged sums: the points `e` from an element of an index tensor to another one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain, Looked

__all__ = ["Row"]


@dataclass(frozen=True, slots=True)
class Row:
    """A row over an index: from `first`, the element `low` and a number more, to `last`, the same of `high`."""

    index: Symbol
    low: Looked
    first: Affine
    high: Looked
    last: Affine

    @classmethod
    def of(cls, form: Affine, domain: Domain, looked: Sequence[Looked]) -> Row | None:
        """The row over the index that the form is; None for other forms."""
        index = form.as_symbol()
        by_name = {d.name: d for d in looked}
        if index is None or index in by_name:
            return None
        ends: dict[int, tuple[Looked, Affine]] = {}
        for c in domain:
            sign, others = c.form.coefficient(index), [s for s in c.form.symbols if s != index]
            if c.relation == ">=" and abs(sign) == len(others) == 1 and others[0] in by_name:
                ends[sign] = by_name[others[0]], symbol(index) - c.form * sign
        return cls(index, *ends[1], *ends[-1]) if len(ends) == 2 else None
