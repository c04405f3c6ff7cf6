"""The lines of a cache that a tile touches by reads that its lanes share, and the time to fetch them.

Points that are neighbours in memory share lines; points of other images, rows or channels have lines of their own, and where the
innermost cache does not hold those of a tile, the next tile fetches them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from tadc.ir.affine import Symbol
from tadc.schedule.cpu.lane_cost import LINE
from tadc.schedule.cpu.machine import ITEM_BYTES
from tadc.schedule.nest.layout import Layout
from tadc.schedule.nest.loop_nest import Step, reads_of

__all__ = ["NEAR_BYTES", "moves_of", "time_of_lines"]

NEAR_BYTES = 2**15  # of the innermost cache
FETCHED = 1.5  # operations: a line from the second cache, where many are fetched

# How a read moves through its tensor: for each index how many elements lie between neighbours, and the extent of its loop,
# 1 where it has none; the shortest way first.
Moves: TypeAlias = tuple[tuple[int, Symbol, int], ...]


def moves_of(
    steps: Sequence[Step], lanes: Set[Symbol], often: Mapping[Symbol, int], layout: Layout
) -> Iterator[Moves]:
    """Those of the different reads that no lane has for itself. `often` says how often loops run."""
    reads = (e for e in reads_of(steps) if e.subscripts and e.symbols.isdisjoint(lanes))
    for e in dict.fromkeys(reads):
        each = ((layout.apart(e.tensor, e.subscripts, i), i) for i in e.symbols)
        yield tuple(sorted((step, i, often.get(i, 1)) for step, i in each if step))


def time_of_lines(reads: Sequence[Moves], counts: Mapping[Symbol, int]) -> float:
    """The operations that fetching takes for a tile with so many values of each index."""
    lines = sum(_lines(moves, counts) for moves in reads)
    return FETCHED * lines if LINE * ITEM_BYTES * lines > NEAR_BYTES else 0.0


def _lines(moves: Moves, counts: Mapping[Symbol, int]) -> float:
    """The lines that a read touches: what lies side by side is one run."""
    runs, run = 1, 1
    for step, index, n in moves:
        n *= counts.get(index, 1)
        if step <= run:
            run += step * (n - 1)
        else:
            runs *= n
    return runs * (1 + run / LINE)
