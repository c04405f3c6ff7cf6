"""A kernel as a GPU runs it: how many threads share a point of its box, or a tile of points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from tadc.ir.affine import Symbol
from tadc.ir.expr import Read
from tadc.schedule.nest.loop_nest import (
    Assign,
    Buffer,
    Computed,
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
    has_loops,
    place_of,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.short_loops import UNROLLED, is_unrolled
from tadc.schedule.nest.sizes import Sizes

__all__ = ["MOST_REGISTERS", "GpuKernel", "words_of"]

REGISTERS = 24  # of a thread, for what all of its points need
ADDRESSES = 16  # and where these read from memory
SUMS_OF_ROW = 8  # and for sums along a row whose elements it keeps
MOST_REGISTERS = 255
OF_GROUP = 3  # values of a long sum that are rarely needed: that of a group, of all, and its rounding error
REGISTERS_BY_BLOCKS = {
    4: 64,
    3: 80,
    2: 128,
}  # that a thread may have, by the blocks on a multiprocessor


def words_of(real: str) -> int:
    """Registers of a number of this type of arithmetic."""
    return 2 if real == "float64" else 1


@dataclass(frozen=True)
class GpuKernel:
    """The kernel's body runs for each point of its box, or each tile of points, by a team of `team` threads: 1, a warp, or a block."""

    kernel: Kernel
    team: int

    @cached_property
    def tile(self) -> tuple[TileIndex, ...]:
        """The indices of which a thread has several values."""
        match self.kernel.body:
            case (Tile(indices),):
                return indices
            case _:
                return ()

    @cached_property
    def counts(self) -> dict[Symbol, int]:
        """The values that a thread has of each of these."""
        return {t.index: t.count for t in self.tile}

    @cached_property
    def buffers(self) -> tuple[Buffer, ...]:
        """Those that its blocks fill."""
        return buffers_of(self.kernel.body)

    @cached_property
    def points_of_thread(self) -> int:
        return prod(self.counts.values())

    @property
    def shares_loops(self) -> bool:
        """Whether the threads of a team share the loops of a point, or of all points of a tile; else each has points of its own."""
        return self.team > 1 and all(t.threads == 1 for t in self.tile)

    @property
    def tile_text(self) -> str:
        """Such as `8x4`."""
        return "x".join(str(t.values) for t in self.tile)

    @cached_property
    def combined(self) -> int:
        """The number of sums that the threads of a team combine."""
        steps = steps_of(self.kernel.body)
        return sum(
            len(s.sums) if isinstance(s, TeamSums) else isinstance(s, TeamScan) for s in steps
        )

    @cached_property
    def held(self) -> int:
        """Elements that a thread keeps in registers: of a row, or of what unrolled loops that are too long for the compiler not to read
        again at each value of a loop around, or `alike`, but for buffers.
        """
        body = self.kernel.body
        if row := self.row:
            return row.count * _most_at_once(row)
        buffers = {b.name for b in self.buffers}
        held: dict[tuple[str, object], int] = {}
        for loop, around in _unrolled(body, ()):
            trips = loop.range.trips or 0
            for e in reads_of(loop.body) if trips > UNROLLED else ():
                again = not e.symbols.issuperset(around)
                if again and loop.range.index in e.symbols and e.tensor not in buffers:
                    lanes = prod(t.count for t in self.tile if t.index in e.symbols)
                    held[e.tensor, e.subscripts] = trips * lanes
        return sum(held.values()) + self.alike

    @cached_property
    def alike(self) -> int:
        """Elements that a loop reads for each point of a tile at all of its values: compilers read them once, and keep them."""
        body = self.kernel.body
        counts = self.counts
        buffers = {b.name for b in self.buffers}
        found: dict[tuple[str, object], int] = {}
        for step in steps_of(body) if max(counts.values(), default=1) > 1 else ():
            if isinstance(step, (Loop, Staged)) and not has_loops(step.body):
                within = {step.range.index, place_of(step.range.index)}
                for e in reads_of(step.body):
                    lanes = prod(n for i, n in counts.items() if i in e.symbols)
                    if lanes > 1 and e.tensor not in buffers and within.isdisjoint(e.symbols):
                        found[e.tensor, e.subscripts] = lanes
        return sum(found.values())

    def registers(self, words: int) -> int:
        """Of a thread that has a tile, or elements of a row, for what its loops need, where a number takes so many."""
        if self.row:
            return REGISTERS + SUMS_OF_ROW + words * self.held
        sums, staged = self.values, self._staged
        tiles = (self.tile, *(c.tile.indices for c in self.computed))
        factors = max(sum(t.count for t in tile) for tile in tiles) if sums else 0
        if not staged and sums:  # addresses of what each point reads
            return REGISTERS + ADDRESSES + words * (sums + factors + self.held) + sums // 2
        together = sums // 2 if any(s.together for s in staged) else 0
        # Beside these compilers keep sums of groups too, rather than what they have read.
        kept = self.alike + sums if self.alike else 0
        return REGISTERS + words * (sums + factors + together + self.held + kept)

    def blocks(self, words: int) -> int:
        """How many blocks a multiprocessor is to hold at least: as many as leave threads their tiles, or rows."""
        used = self.registers(words)
        return next((n for n, most in REGISTERS_BY_BLOCKS.items() if used <= most), 1)

    def in_memory(self, words: int) -> float:
        """Groups of a long sum for which a thread has no registers, on average: they are needed where a block of terms ends."""
        match self.kernel.body:
            case (Tile(wide=wide, interior_wide=interior_wide, rare=[_, *_] as rare),):
                sums = max(len({*w}.intersection(rare)) for w in (wide, interior_wide)) / OF_GROUP
                groups = self.points_of_thread * sums
                most = REGISTERS_BY_BLOCKS.get(self.blocks(words), MOST_REGISTERS)
                left = (self.registers(words) - most) // words + groups
                return min(groups, max(0, left)) / max(1, sums)
            case _:
                return 0.0

    @property
    def row(self) -> HeldRow | None:
        """The row that a team holds in registers."""
        match self.kernel.body:
            case (HeldRow() as row,):
                return row
            case _:
                return None

    @cached_property
    def values(self) -> int:
        """Locals that a thread has for the points of its tile, but for those that it rarely needs."""
        match self.kernel.body:
            case (Tile() as tile,):
                return _values(tile) + max((_values(c.tile) for c in self.computed), default=0)
            case _:
                return 0

    @cached_property
    def computed(self) -> list[Computed]:
        """The tiles of values that a block computes for all threads."""
        return [s for s in steps_of(self.kernel.body) if isinstance(s, Computed)]

    @cached_property
    def _staged(self) -> list[Staged]:
        return [s for s in steps_of(self.kernel.body) if isinstance(s, Staged)]

    @cached_property
    def all_values(self) -> int:
        """Those with what it rarely needs."""
        match self.kernel.body:
            case (Tile(wide=wide, interior_wide=interior_wide) as tile,):
                return prod(t.count for t in tile.indices) * max(len(wide), len(interior_wide))
            case _:
                return 0

    def threads(self, sizes: Sizes) -> int:
        """The number of threads that run at once, at best; 0 where an extent leaves no element."""
        values = {t.index: t.values for t in self.tile}
        pairs = zip(self.kernel.indices, self.kernel.extents, strict=True)
        return self.team * prod(max(0, -(-n.at(sizes) // values.get(i, 1))) for i, n in pairs)


def _values(tile: Tile) -> int:
    lanes = prod(t.count for t in tile.indices)
    return lanes * max(len({*w}.difference(tile.rare)) for w in (tile.wide, tile.interior_wide))


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
