"""Accesses to memory: what warps and blocks touch of a tensor, what the nearest cache spares, and which tiles and buffers are inside."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, prod
from typing import Any

import numpy as np

from tadc.ir.affine import Affine, Symbol
from tadc.ir.program import Program
from tadc.schedule.gpu.frames import Frame, places_below
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.nest.loop_nest import Buffer, Tile, first_of
from tadc.schedule.nest.sizes import Sizes

__all__ = ["LINE", "SECTOR", "Accesses"]

LINE, SECTOR = 128, 32  # bytes that move at once, and bytes of memory that do


@dataclass(frozen=True, slots=True)
class Accesses:
    """Those of a kernel for these values of all sizes, of which `resident` threads are there at once."""

    scheduled: GpuKernel
    program: Program
    sizes: Sizes
    machine: Machine
    dtype: str
    resident: float

    @property
    def extents(self) -> dict[Symbol, int]:
        """Those of the box, by its indices."""
        k = self.scheduled.kernel
        return {i: n.at(self.sizes) for i, n in zip(k.indices, k.extents, strict=True)}

    def access(
        self, tensor: str, subscripts: Sequence[Affine], frames: tuple[Frame, ...]
    ) -> tuple[float, float]:
        """Lines that a warp's access takes, for each of its threads; and bytes that a block's takes of memory, for each."""
        t = self.program.tensors[tensor]
        itemsize = t.itemsize(self.dtype)
        strides, inner = [], 1
        for n in reversed(t.shape):
            strides.append(inner * itemsize)
            inner *= max(1, n.at(self.sizes))
        pairs = list(zip(subscripts, reversed(strides), strict=True))

        def step(index: Symbol) -> int:
            return abs(sum(f.coefficient(index) * s for f, s in pairs))

        lanes = [(n, step(i) * apart) for i, n, apart in self._lanes(frames)]
        warp, block = self.machine.warp, self.machine.block
        lines, _ = _touched(lanes, warp, LINE)
        sectors, run = _touched(lanes, block, SECTOR)
        footprint = sectors * SECTOR
        return lines / warp, footprint * self._new(step, frames, run, footprint) / block

    def _new(
        self,
        step: Callable[[Symbol], int],
        frames: tuple[Frame, ...],
        run: float,
        footprint: float,
    ) -> float:
        """The part of what a block reads that is not in the nearest cache, where it has that footprint, in runs of so many bytes.

        Neighbours in a loop read on in the same sectors; and what a loop reads that an outer one does not change stays, if there is room.
        """
        part, read = 1.0, 0.0
        needed: set[str] = set()
        rates = self.machine.rates
        blocks = max(1.0, self.resident / rates.multiprocessors / self.machine.block)
        for t in self.scheduled.tile if all(t.threads == 1 for t in self.scheduled.tile) else ():
            moved = step(t.index)
            part *= 1.0 if t.strided else _of_neighbours(moved, t.count, run)
        # A branch in a loop has a frame too.
        loops = {f.points.indices[-1]: f for f in frames[1:] if f.points.indices}
        for index, frame in reversed(loops.items()):
            if frame.team > 1 or index not in frame.bound:
                needed |= frame.bounds
                continue
            if index in needed:
                break  # a loop inside begins elsewhere
            needed |= frame.bounds
            moved, trips = step(index), max(1.0, frame.trips)
            if frame.unrolled:
                part *= _of_neighbours(moved, frame.unrolled, run)
                read = footprint * frame.unrolled if moved else read
            elif moved and not read:
                part *= (1 + (trips - 1) * min(1.0, moved / run)) / trips
                read = footprint * trips * part
            elif moved:
                break
            elif read and read * blocks <= rates.l1_bytes:
                part /= trips
        return part

    def _lanes(self, frames: tuple[Frame, ...]) -> list[tuple[Symbol, int, int]]:
        """The indices in which threads side by side differ, innermost first, with the number of their values and how far they are apart."""
        team, tile = self.scheduled.team, {t.index: t for t in self.scheduled.tile}
        if tile and team > 1 and not self.scheduled.shares_loops:
            return [(t.index, t.threads, t.group) for t in reversed(tile.values())]
        box = []
        for i, n in reversed(self.extents.items()):
            t = tile.get(i)
            box.append((i, -(-n // t.count), 1 if t.strided else t.count) if t else (i, n, 1))
        if team == 1:
            return box
        shared = [f.points.indices[-1] for f in frames if f.team > 1]
        own = (shared[-1] if shared else "", team, 1)
        near = []
        left = self.machine.beside(team)
        for i, n, apart in box:
            if left > 1:
                near.append((i, min(n, left), apart))
                left = -(-left // max(1, n))
        return [*near, own, *box[len(near) :]]

    def wave(self) -> dict[Symbol, int]:
        """The values of each index of the box among as many threads as fit at once."""
        points = max(1.0, self.resident * prod(t.count for t in self.scheduled.tile) / (self.scheduled.team if self.scheduled.shares_loops else 1))  # fmt: skip
        covered = {}
        for i, n in reversed(self.extents.items()):
            covered[i] = max(1, min(n, ceil(points)))
            points = max(1.0, points / max(1, n))
        return covered

    def whole_share(self, tile: Tile) -> float:
        """The part of the tiles that are in the region whole."""
        values = {t.index: t.values for t in tile.indices}
        share = 1.0
        for c in tile.region:
            worst: Any = np.array(c.form.constant)
            for s, k in c.form.terms:
                count = values.get(s, 1)
                places = places_below(self.extents[s], count) if s in self.extents else np.array([self.sizes.get(s, 0)])  # fmt: skip
                worst = np.add.outer(worst, k * (places + (count - 1 if k < 0 else 0)))
            share *= float(np.mean(worst >= 0)) if c.relation == ">=" else 1.0
        return share

    def inside(self, b: Buffer, loops: Mapping[Symbol, int], count: int) -> float:
        """The part of a buffer's copies, for `count` values of the loop at a time, in which all elements are in the tensor."""
        places = {s: np.array([n]) for s, n in self.sizes.items()}
        places |= {i: places_below(n) for i, n in {**self.extents, **loops}.items()}
        places |= {first_of(i): places_below(n, count) for i, n in loops.items()}
        places |= {first_of(t.index): places_below(self.extents[t.index], t.values) for t in self.scheduled.tile}  # fmt: skip
        share = 1.0
        shape = self.program.tensors[b.tensor].shape
        for low, step, n, extent, at_end in zip(b.lows, b.steps, b.counts, shape, b.ragged, strict=True):  # fmt: skip
            if at_end:
                continue
            first: Any = np.array(low.constant)
            for s, c in low.terms:
                first = np.add.outer(first, c * places.get(s, np.array([0])))
            inside = (first >= 0) & (first + step * (n - 1) < extent.at(self.sizes))
            share *= float(np.mean(inside))
        return share


def _touched(lanes: Sequence[tuple[int, int]], threads: int, unit: int) -> tuple[float, float]:
    """The units of memory that so many threads side by side touch, and the bytes of a run of them without gaps.

    `lanes` have the number of values of each index, and the step in bytes from one to the next, innermost first.
    """
    left, runs, run = threads, 1.0, 0.0
    for n, step in lanes:
        count = min(n, left)
        left = -(-left // max(1, n))
        if step and count > 1:
            if step <= max(run, unit):
                run = max(run, float(step * count))
            else:
                runs *= count
        if left <= 1:
            break
    units = runs * max(1.0, run / unit)
    return min(float(threads), units), max(run, float(unit))


def _of_neighbours(moved: int, count: int, run: float) -> float:
    """The part of what reads so many bytes apart take that is new: they are in the same sectors, or what a block reads in a run overlaps."""
    if not moved:
        return 1.0
    overlapping = (1 + (count - 1) * min(1.0, moved / run)) / count
    return min(overlapping, 1 / count) if moved * count <= SECTOR else overlapping
