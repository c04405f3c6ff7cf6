"""Blocks at points in the memory of a GPU: what is solved there, as matrices by CuPy's batched solvers, and what by the host."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tadc.inverse.structure import Structure
from tadc.runtime.cuda.arrays import cupy, on_host
from tadc.runtime.linear.block import Array, Block

__all__ = ["ByHost", "as_on_gpu"]

# Of a band or a triangle that is solved as a matrix. Its LU has 2/3 m³ operations, a column after the other: for 256 rows 1e7, which a GPU
# does in a few tenths of a millisecond. The host takes about as long for the band, two copies and the waits for them, and less for more
# rows, since the operations of a band grow with m alone. A choice by these counts: it has not been measured.
MOST_ROWS = 256


def as_on_gpu(s: Structure) -> Structure | None:
    """The structure that is solved on a GPU; None for one that is better solved by the host, row after row."""
    match s.kind:
        case "diagonal" | "bijection" | "blocks" | "dense":
            return s
        case "triangular" if s.m <= MOST_ROWS:
            return replace(s, below=s.m, above=s.m)  # no band
        case "banded" | "cyclic" if s.m <= MOST_ROWS:
            return replace(s, kind="dense")
        case _:
            return None


@dataclass(frozen=True, slots=True)
class ByHost:
    """A block of the host, for right sides on a GPU."""

    block: Block

    def solve(self, b: Array, *, transposed: bool) -> Array:
        solved: Array = cupy().asarray(self.block.solve(on_host(b), transposed=transposed))
        return solved

    @property
    def log_pivots(self) -> Array:
        logs: Array = cupy().asarray(self.block.log_pivots)
        return logs
