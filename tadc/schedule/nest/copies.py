"""How the threads of a block copy a box of elements: they are a grid that stands somewhere else in the box in every turn.

    element (rank / 58 + 4*turn, rank % 58)    of 8 rows of 58, in two turns of 4 x 58 threads

So a thread divides by numbers once, and from turn to turn its element moves by a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import prod

__all__ = ["Copies", "copies"]

BESIDE = 32  # threads that are to be neighbours in the last dimension, if it has so many elements


@dataclass(frozen=True, slots=True)
class Copies:
    """A grid of so many threads in each dimension of the box, which has so many turns along it."""

    threads: tuple[int, ...]
    turns: tuple[int, ...]


@lru_cache(maxsize=4096)
def copies(counts: tuple[int, ...], threads: int) -> Copies:
    """The grid of at most so many threads that takes the fewest turns for a box with these counts, with the most neighbours among equals."""
    grid = min(
        _grids(counts, threads),
        key=lambda grid: (prod(_turns(counts, grid)), [-t for t in reversed(grid)]),
    )
    return Copies(grid, _turns(counts, grid))


def _turns(counts: Sequence[int], grid: Sequence[int]) -> tuple[int, ...]:
    return tuple(-(-n // t) for n, t in zip(counts, grid, strict=True))


def _grids(counts: Sequence[int], threads: int, *, last: bool = True) -> Iterator[tuple[int, ...]]:
    """The grids that may take the fewest turns."""
    if not counts:
        yield ()
        return
    *outer, count = counts
    most = min(count, threads)
    for beside in {-(-count // turns) for turns in range(-(-count // most), count + 1)}:
        if not last or beside >= min(BESIDE, most):
            for grid in _grids(outer, threads // beside, last=last and count == 1):
                yield (*grid, beside)
