"""A kernel as a GPU runs it: how many threads share a point of its box, or a tile of points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from tadc.ir.affine import Symbol
from tadc.ir.expr import Read
from tadc.schedule.gpu.cost import UNROLLED, Sizes, is_unrolled
from tadc.schedule.nest.loop_nest import (
    Assign,
    HeldRow,
    Kernel,
    Loop,
    Staged,
    Step,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    TileIndex,
    bodies,
    buffers_of,
    reads_of,
    steps_of,
)

__all__ = ["GpuKernel"]


@dataclass(frozen=True, slots=True)
class GpuKernel:
    """The kernel's body runs for each point of its box, or each tile of points, by a team of `team` threads: 1, a warp, or a block."""

    kernel: Kernel
    team: int

    @property
    def tile(self) -> tuple[TileIndex, ...]:
        """The indices of which a thread has several values."""
        match self.kernel.body:
            case (Tile(indices),):
                return indices
            case _:
                return ()

    @property
    def tile_text(self) -> str:
        """Such as `8x4`."""
        return "x".join(str(t.values) for t in self.tile)

    @property
    def combined(self) -> int:
        """The number of sums that the threads of a team combine."""
        steps = steps_of(self.kernel.body)
        return sum(
            len(s.sums) if isinstance(s, TeamSums) else isinstance(s, TeamScan) for s in steps
        )

    @property
    def held(self) -> int:
        """Elements that a thread keeps in registers: of a row, or of what unrolled loops that are too long for the compiler not to read
        again at each value of a loop around, but for buffers.
        """
        body = self.kernel.body
        if row := self.row:
            return row.count * _most_at_once(row)
        buffers = {b.name for b in buffers_of(body)}
        held: dict[tuple[str, object], int] = {}
        for loop, around in _unrolled(body, ()):
            trips = loop.range.trips or 0
            for e in reads_of(loop.body) if trips > UNROLLED else ():
                again = not e.symbols.issuperset(around)
                if again and loop.range.index in e.symbols and e.tensor not in buffers:
                    lanes = prod(t.count for t in self.tile if t.index in e.symbols)
                    held[e.tensor, e.subscripts] = trips * lanes
        return sum(held.values())

    @property
    def row(self) -> HeldRow | None:
        """The row that a team holds in registers."""
        match self.kernel.body:
            case (HeldRow() as row,):
                return row
            case _:
                return None

    @property
    def values(self) -> int:
        """Locals that a thread has for the points of its tile."""
        match self.kernel.body:
            case (Tile(wide=wide, interior_wide=interior_wide) as tile,):
                lanes = prod(t.count for t in tile.indices)
                return lanes * max(len(wide), len(interior_wide))
            case _:
                return 0

    def threads(self, sizes: Sizes) -> int:
        """The number of threads that run at once, at best; 0 where an extent leaves no element."""
        values = {t.index: t.values for t in self.tile}
        pairs = zip(self.kernel.indices, self.kernel.extents, strict=True)
        return self.team * prod(max(0, -(-n.at(sizes) // values.get(i, 1))) for i, n in pairs)


def _unrolled(
    steps: Sequence[Step], around: tuple[Symbol, ...]
) -> Iterator[tuple[Loop, tuple[Symbol, ...]]]:
    """Loops that are written out, with the indices of those around them."""
    for step in steps:
        if isinstance(step, Loop) and is_unrolled(step):
            yield step, around
        own = (step.range.index,) if isinstance(step, (Loop, TeamLoop, Staged)) else ()
        for inner in bodies(step):
            yield from _unrolled(inner, (*around, *own))


def _most_at_once(row: HeldRow) -> int:
    """The arrays that a thread needs at once: each from the pass that fills it to the last one that reads it."""
    passes = [s for s in steps_of(row.body) if isinstance(s, TeamLoop) and s.held]
    live: list[set[str]] = [set() for _ in passes]
    for local in row.wide:
        reading = [n for n, p in enumerate(passes) if Read(local, ()) in reads_of(p.body)]
        filled = next(n for n, p in enumerate(passes) if _fills(p, local))
        for n in range(filled, max((filled + 1, *reading))):
            live[n].add(local)
    return max(map(len, live), default=0)


def _fills(loop: TeamLoop, local: str) -> bool:
    return any(isinstance(s, Assign) and s.local == local for s in loop.body)
