"""Values of sizes, and of indices in the middle of their ranges, by which schedules are judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Domain, Looked
from tadc.ir.program import Program
from tadc.ir.range import Range
from tadc.schedule.nest.loop_nest import LetIndex, Loop, Step

__all__ = [
    "Sizes",
    "about_a_thousand",
    "about_values",
    "typical",
    "values_of_sizes",
    "with_midpoints",
]

Sizes: TypeAlias = Mapping[Symbol, int]


def values_of_sizes(program: Program, extents: Sequence[Affine], sizes: Sizes | None) -> Sizes:
    """The given sizes with all derived ones, or typical ones for a kernel with these extents."""
    return typical(program, extents) if sizes is None else program.size_values(sizes)


def typical(program: Program, extents: Sequence[Affine]) -> Sizes:
    """Values for sizes that have none: where all extents of results are numbers, their sums are assumed to be long.

    A difference, such as `L - N + 1`, stays positive.
    """
    return _all_about(program, 2**20 if all(n.is_constant for n in extents) else 2**10)


def about_a_thousand(program: Program) -> Sizes:
    """Values for sizes that have none, for what depends on all of a program; as `typical`."""
    return _all_about(program, 2**10)


def _all_about(program: Program, size: int) -> Sizes:
    values = dict.fromkeys(program.sizes, size)
    shapes = (n for t in program.tensors.values() for n in t.shape)
    for form in (*shapes, *(f for d in program.derived_sizes for f in d.forms)):
        less = -sum(c for _, c in form.terms if c < 0)
        values |= {
            s: max(values[s], (1 + less) * size)
            for s, c in form.terms
            if c > 0 and less and s in values
        }
    return program.size_values(values)


def with_midpoints(steps: Sequence[Step], values: Sizes) -> dict[Symbol, int]:
    """`values` with one from the middle of each loop's range, and the quotients."""
    midpoints = dict(values)
    for step in steps:
        match step:
            case Loop(r, body):
                low, high = r.ends_at(midpoints)
                midpoints[r.index] = (low + max(low, high)) // 2
                midpoints = with_midpoints([s for s in body if isinstance(s, LetIndex)], midpoints)
            case LetIndex(Derived(name, form, modulus)):
                midpoints[name] = form.at(midpoints) // modulus
            case LetIndex(Looked(name, _, subscripts)):
                # Nothing else is known of data: as if each list had a position, and each position its own element.
                midpoints.setdefault(name, subscripts[-1].at(midpoints) if subscripts else 0)
            case _:
                pass
    return midpoints


def about_values(index: Symbol, domain: Domain, middle: Sizes) -> int:
    """About how many values the index of a sum has for a result in the middle; 1 where other indices of the sum bound it."""
    r = Range.of(index, (c.form for c in domain if c.relation == ">=" and index in c.form.symbols))
    bounds = {s for b in r.bounds for s in b.form.symbols}
    return max(1, r.trips_at(middle)) if bounds <= middle.keys() else 1
