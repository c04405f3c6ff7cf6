"""Costs on a GPU: trips of loops, and the price of a read for threads side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Derived, Looked
from tadc.ir.expr import Call, Expr, Read, Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.gpu.machine import Costs
from tadc.schedule.nest.loop_nest import Accumulate, Lanes, LetIndex, Loop, Step, has_loops

__all__ = [
    "UNROLLED",
    "Sizes",
    "about_a_thousand",
    "cost",
    "is_unrolled",
    "subscripts",
    "typical",
    "values_of_sizes",
    "with_midpoints",
]

Sizes: TypeAlias = Mapping[Symbol, int]

UNROLLED = 16  # loops of at most this many trips are unrolled by the compiler
UNROLLED_TERMS = 64  # of at most this many, where all that they do is to add a short term: what they read may stay in registers
SHORT_TERM = 4  # operations


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


def subscripts(values: Expr | Iterable[Expr]) -> Iterator[tuple[Affine, ...]]:
    """The subscripts of all reads of elements."""
    for e in postorder(values):
        if isinstance(e, Read) and e.subscripts:
            yield e.subscripts


def cost(subscripts: Sequence[Affine], varying: Set[Symbol], costs: Costs) -> float:
    """The cost of a read by threads that differ in the indices `varying`."""
    if all(varying.isdisjoint(form.symbols) for form in subscripts):
        return costs.broadcast
    *outer, last = subscripts
    is_last_only = all(varying.isdisjoint(form.symbols) for form in outer)
    steps = [abs(last.coefficient(s)) for s in last.symbols if s in varying]
    adjacent = is_last_only and len(steps) == 1
    return float(min(costs.strided, steps[0])) if adjacent else costs.strided


def is_unrolled(loop: Loop) -> bool:
    """Whether the compiler is to write the loop out, and the loops around each other in it."""
    is_short = loop.range.trips is not None and loop.range.trips <= UNROLLED
    return (is_short and not has_loops(loop.body)) or _is_short_nest(loop, 1)


def _is_short_nest(loop: Loop, times: int) -> bool:
    """Whether loops around each other, which run so many times, only add a short term."""
    trips = loop.range.trips
    if trips is None or times * trips > UNROLLED_TERMS:
        return False
    match loop.body:
        case (Loop() as inner,):
            return _is_short_nest(inner, times * trips)
        case body:
            return _is_short_term(body)


def _is_short_term(steps: Sequence[Step]) -> bool:
    match steps:
        case (Lanes(body),):
            return _is_short_term(body)
        case (Accumulate(_, _, value),):
            return sum(isinstance(e, (Call, Select)) for e in postorder((value,))) <= SHORT_TERM
        case _:
            return False


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
