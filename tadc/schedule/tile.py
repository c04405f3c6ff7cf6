"""Register tiles: a thread computes several points that share reads and loops.

    s = 0                                    s[lane] = 0
    for k: s += a[i, k]*b[k, j]      is      for k: s[lane] += a[i of the lane, k]*b[k, j of the lane]
    c[i, j] = s                              c[i of the lane, j of the lane] = s[lane]

which for 4x4 points reads 8 elements for 16 products instead of 32. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product
from math import prod, sqrt

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.schedule.gpu_cost import Sizes, duration
from tadc.schedule.gpu_work import works
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

__all__ = ["tiled"]

COUNTS = (1, 2, 3, 4, 8)  # values of an index
MOST_COUNT = 9  # of an index with no more values
MOST = 24  # sums of a thread
MOST_READ = 64  # values that a thread may hold
WORTH = 1.25  # times as fast


def tiled(kernel: Kernel, values: Sizes) -> tuple[Kernel, float]:
    """The kernel with a tile of points a thread, where that pays for these values of all sizes, and how long it takes."""
    extents = {i: max(1, n.at(values)) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    middle = {**values, **{i: n // 2 for i, n in extents.items()}}
    varying = {i: Varying.of({i}, kernel.body) for i in kernel.indices}
    last = kernel.indices[-1] if kernel.indices else ""
    work = list(works(kernel.body, middle, {last}, varying))

    def time(counts: Mapping[Symbol, int]) -> float:
        lanes = prod(counts.values())
        tiles = prod(-(-n // counts.get(i, 1)) for i, n in extents.items())
        # Points of one thread overlap, if not as those of as many threads do.
        return duration(sum(w.of(counts, last) for w in work) * tiles, tiles * sqrt(lanes))

    def read(counts: Mapping[Symbol, int]) -> int:
        return sum(w.values(counts, last) for w in work if w.is_read)

    alone = time({})
    if not _is_plain(kernel):
        return kernel, alone
    free = [i for i in kernel.indices if extents[i] > 1 and _is_free(kernel.body, varying[i])]
    sums = sum(isinstance(s, Accumulator) for s in steps_of(kernel.body))
    best: dict[Symbol, int] = {}
    least = alone / WORTH
    for chosen in (*combinations(free, 1), *combinations(free, 2)):
        for numbers in product(*(_counts(extents[i]) for i in chosen)):
            counts = dict(zip(chosen, numbers, strict=True))
            if sums * prod(numbers) <= MOST and read(counts) <= MOST_READ and time(counts) < least:
                best, least = counts, time(counts)
    if not best:
        return kernel, alone
    return _with_tile(kernel, best, any(w.is_window(best, last) for w in work)), least


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
