"""The bounds that a reduction's domain gives its indices, in order, as loops and printed ranges need them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Determined
from tadc.ir.expr import Reduce
from tadc.ir.range import Range

__all__ = ["Bounded", "Bounds", "bounded"]


@dataclass(frozen=True, slots=True)
class Bounded:
    """The range of an index, in terms of symbols further out.

    `tests` are conditions that bound nothing and have this index as their innermost. `derived` are the derived indices
    that it completes.
    """

    range: Range
    derived: tuple[Determined, ...]
    tests: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Bounds:
    """`tests` and `derived` need no index of the reduction; `each` has its indices, outermost first."""

    tests: tuple[Condition, ...]
    derived: tuple[Determined, ...]
    each: tuple[Bounded, ...]


def bounded(reduce: Reduce) -> Bounds:
    """The domain of a reduction as bounds of its indices, each in terms of symbols further out."""
    depth = {s: k for k, s in enumerate(reduce.indices)}
    for d in reduce.derived:
        depth[d.name] = _innermost(d.symbols, depth)
    outside: list[Condition] = []
    by_index: list[list[Condition]] = [[] for _ in reduce.indices]
    for condition in reduce.domain:
        k = _innermost(condition.form.symbols, depth)
        (outside if k < 0 else by_index[k]).append(condition)
    completed = [
        tuple(d for d in reduce.derived if depth[d.name] == k) for k in range(-1, len(by_index))
    ]
    each = zip(reduce.indices, by_index, completed[1:], strict=True)
    return Bounds(tuple(outside), completed[0], tuple(_bounded(*e) for e in each))


def _innermost(symbols: Iterable[Symbol], depth: dict[Symbol, int]) -> int:
    return max((depth.get(s, -1) for s in symbols), default=-1)


def _bounded(
    index: Symbol, conditions: list[Condition], derived: tuple[Determined, ...]
) -> Bounded:
    derived_names = {d.name for d in derived}
    forms: list[Affine] = []
    tests: list[Condition] = []
    for condition in conditions:
        form = condition.form
        if (
            condition.relation == ">="
            and form.coefficient(index)
            and derived_names.isdisjoint(form.symbols)
        ):
            forms.append(form)
        else:
            tests.append(condition)
    return Bounded(Range.of(index, forms).ordered, derived, tuple(tests))
