"""What a GPU takes: how often a loop runs, and what threads side by side pay for a read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Expr, Read
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import LetIndex, Loop, Step, constant_trips, has_loops

__all__ = [
    "APART",
    "BLOCK",
    "SHARED",
    "UNROLLED",
    "WARP",
    "Sizes",
    "cost",
    "is_unrolled",
    "subscripts",
    "trips",
    "typical",
    "values_of_sizes",
    "with_midpoints",
]

Sizes: TypeAlias = Mapping[Symbol, int]

WARP = 32
BLOCK = 256  # threads
UNROLLED = 16  # a loop that runs no oftener is written out by the compiler
# What a read costs a thread, when one of neighbours side by side costs 1.
SHARED, APART = 0.125, 8.0


def values_of_sizes(program: Program, extents: Sequence[Affine], sizes: Sizes | None) -> Sizes:
    """Those that are given, with all derived ones, or typical ones for what has these extents."""
    return typical(program, extents) if sizes is None else program.size_values(sizes)


def typical(program: Program, extents: Sequence[Affine]) -> Sizes:
    """Values for sizes that have none: where all results are counted by numbers, their sums are supposed to be long.

    Of a difference, as `L - N + 1`, something is left.
    """
    size = 2**20 if all(n.is_constant for n in extents) else 2**10
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
    """The subscripts of all elements that are read."""
    for e in postorder(values):
        if isinstance(e, Read) and e.subscripts:
            yield e.subscripts


def cost(subscripts: Sequence[Affine], varying: Set[Symbol]) -> float:
    """Of a read by threads that differ in the index `varying`."""
    if all(varying.isdisjoint(form.symbols) for form in subscripts):
        return SHARED
    *outer, last = subscripts
    beside = all(varying.isdisjoint(form.symbols) for form in outer)
    steps = [abs(last.coefficient(s)) for s in last.symbols if s in varying]
    return float(min(APART, steps[0])) if beside and len(steps) == 1 else APART


def is_unrolled(loop: Loop) -> bool:
    """Whether the compiler is to write the loop out."""
    count = constant_trips(loop)
    return count is not None and count <= UNROLLED and not has_loops(loop.body)


def trips(
    lows: Sequence[tuple[Affine, int]],
    highs: Sequence[tuple[Affine, int]],
    values: Sizes,
) -> int:
    """How often a loop runs, for values of what its bounds mention."""
    low, high = _ends(lows, highs, values)
    return max(0, high - low + 1)


def with_midpoints(steps: Sequence[Step], values: Sizes) -> dict[Symbol, int]:
    """`values` with one from the middle of each loop's range, and the quotients."""
    found = dict(values)
    for step in steps:
        match step:
            case Loop(index, lows, highs, body):
                low, high = _ends(lows, highs, found)
                found[index] = (low + max(low, high)) // 2
                found = with_midpoints([s for s in body if isinstance(s, LetIndex)], found)
            case LetIndex(d):
                found[d.name] = d.form.at(found) // d.modulus
            case _:
                pass
    return found


def _ends(
    lows: Sequence[tuple[Affine, int]],
    highs: Sequence[tuple[Affine, int]],
    values: Sizes,
) -> tuple[int, int]:
    return (
        max((-(-e.at(values) // c) for e, c in lows), default=0),
        min((e.at(values) // c for e, c in highs), default=0),
    )
