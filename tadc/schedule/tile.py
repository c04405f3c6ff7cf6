"""Register tiles: a thread computes several points that share reads and loops.

    s = 0                                    s[lane] = 0
    for k: s += a[i, k]*b[k, j]      is      for k: s[lane] += a[i of the lane, k]*b[k, j of the lane]
    c[i, j] = s                              c[i of the lane, j of the lane] = s[lane]

which for 4x4 points reads 8 elements for 16 products instead of 32. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod, sqrt
from typing import TypeAlias

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.schedule.gpu_cost import Sizes, duration
from tadc.schedule.gpu_work import Work, merged, works
from tadc.schedule.lanes import Varying, in_lanes
from tadc.schedule.loop_nest import (
    Accumulator,
    Branch,
    Kernel,
    Lanes,
    Loop,
    Step,
    Store,
    Tile,
    TileIndex,
    beyond,
    has_loops,
    steps_of,
)

__all__ = ["Counts", "tile_choices", "tiled"]

Counts: TypeAlias = Mapping[Symbol, int]  # of the indices that have several values in a tile

COUNTS = (1, 2, 3, 4, 8)  # values of an index
MOST_COUNT = 9  # of an index with no more values
MOST = 24  # sums of a thread
MOST_READ = 64  # values that a thread may hold
WORTH = 1.25  # times as fast


def tiled(kernel: Kernel, values: Sizes, counts: Counts | None = None) -> tuple[Kernel, float]:
    """The kernel with a tile of points a thread, and how long it takes for these values of all sizes.

    Without `counts` the tile is chosen, where one pays.
    """
    model = _Model.of(kernel, values)
    if counts is None:
        counts = model.chosen()
    if not counts:
        return kernel, model.time(counts)
    windows = any(w.is_window(counts, model.last) for w in model.work)
    return _with_tile(kernel, counts, windows), model.time(counts)


def tile_choices(kernel: Kernel, values: Sizes, most: int) -> list[Counts]:
    """Tiles that may be best, the model's choice first; `{}` is none."""
    model = _Model.of(kernel, values)
    chosen = model.chosen()
    others = (counts for counts, _ in model.choices() if counts != chosen)
    found = [chosen, *([{}] if chosen else []), *others]
    return found[:most]


@dataclass(frozen=True, slots=True)
class _Model:
    """What tiles of a kernel would take."""

    kernel: Kernel
    extents: Mapping[Symbol, int]
    varying: Mapping[Symbol, Varying]
    work: tuple[Work, ...]

    @classmethod
    def of(cls, kernel: Kernel, values: Sizes) -> _Model:
        pairs = zip(kernel.indices, kernel.extents, strict=True)
        extents = {i: max(1, n.at(values)) for i, n in pairs}
        middle = {**values, **{i: n // 2 for i, n in extents.items()}}
        varying = {i: Varying.of({i}, kernel.body) for i in kernel.indices}
        beside = {*kernel.indices[-1:]}
        work = merged(works(kernel.body, middle, beside, varying), extents.keys())
        return cls(kernel, extents, varying, work)

    @property
    def last(self) -> Symbol:
        """The index in which threads are neighbours."""
        return next(reversed(self.kernel.indices), "")

    def time(self, counts: Counts) -> float:
        """How long it takes, in the unit of `duration`."""
        tiles = prod(-(-n // counts.get(i, 1)) for i, n in self.extents.items())
        work = sum(w.of(counts, self.last) for w in self.work) * tiles
        # Points of one thread overlap, if not as those of as many threads do.
        return duration(work, tiles * sqrt(prod(counts.values())))

    def chosen(self) -> Counts:
        """The fastest tile, where one pays; `{}` is none."""
        alone = self.time({})
        counts, time = next(iter(self.choices()), ({}, alone))
        return counts if time <= alone / WORTH else {}

    def choices(self) -> list[tuple[Counts, float]]:
        """All tiles that registers have room for, with their times, the fastest first."""
        kernel, extents = self.kernel, self.extents
        if not _is_plain(kernel):
            return []
        free = [
            i for i in kernel.indices if extents[i] > 1 and _is_free(kernel.body, self.varying[i])
        ]
        sums = sum(isinstance(s, Accumulator) for s in steps_of(kernel.body))
        found: dict[tuple[tuple[Symbol, int], ...], float] = {}
        for chosen in (*combinations(free, 1), *combinations(free, 2)):
            for numbers in product(*(_counts(extents[i]) for i in chosen)):
                counts = {i: n for i, n in zip(chosen, numbers, strict=True) if n > 1}
                read = sum(w.reads * w.values(counts, self.last) for w in self.work)
                if counts and sums * prod(numbers) <= MOST and read <= MOST_READ:
                    found[tuple(counts.items())] = self.time(counts)
        return [(dict(counts), found[counts]) for counts in sorted(found, key=found.__getitem__)]


def _counts(extent: int) -> list[int]:
    """How many values of an index of that extent a tile may have."""
    whole = [extent] if extent <= MOST_COUNT else []
    return sorted({n for n in COUNTS if n <= extent} | {*whole})


def _with_tile(kernel: Kernel, counts: Mapping[Symbol, int], windows: bool) -> Kernel:
    """With the tile. Where neighbours share `windows`, those inside the box can tell."""
    indices = tuple(
        TileIndex(i, n, counts[i], apart=i == kernel.indices[-1])
        for i, n in zip(kernel.indices, kernel.extents, strict=True)
        if counts.get(i, 1) > 1
    )
    inside, wide = in_lanes(kernel.body, {t.index for t in indices})
    body = inside
    within = Domain.of(
        at_least_zero(t.extent - 1 - symbol(beyond(t.index))) for t in indices if not t.fits
    )
    if within != EVERYWHERE:
        body = tuple(_guarded(inside, within))
    if within == EVERYWHERE or not windows:
        inside = ()
    return replace(kernel, body=(Tile(indices, body, inside, wide),))


def _guarded(steps: Sequence[Step], within: Domain) -> Iterator[Step]:
    """The steps, whose stores are in lanes, for points of the box alone."""
    for step in steps:
        match step:
            case Store():
                yield Branch(within, (step,))
            case Lanes(body):
                yield Lanes(tuple(_guarded(body, within)))
            case Branch(condition, then, otherwise):
                both = (tuple(_guarded(own, within)) for own in (then, otherwise))
                yield Branch(condition, *both)
            case _:
                yield step


def _is_plain(kernel: Kernel) -> bool:
    """Whether every point stores its elements once, after loops."""
    steps = list(steps_of(kernel.body))
    in_loops = (s for step in steps if isinstance(step, Loop) for s in step.body)
    return (
        has_loops(kernel.body)
        and not any(isinstance(s, Store) and (s.op or s.atomic) for s in steps)
        and not any(isinstance(s, Store) for s in steps_of(tuple(in_loops)))
    )


def _is_free(body: Sequence[Step], varying: Varying) -> bool:
    """Whether all points along an index have the same loops."""
    return not any(
        (isinstance(s, Loop) and varying.has_bounds(s))
        or (isinstance(s, Branch) and varying.has_condition(s) and has_loops((s,)))
        for s in steps_of(body)
    )
