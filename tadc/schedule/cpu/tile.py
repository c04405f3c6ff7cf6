"""Tiles on a CPU: a thread computes several points of an index side by side, each with its lanes, and reads what they share once.

    for k: s[lane] += a[i, k]*b[k, j]      is      for k: s[lane] += a[i, k]*b[k, j], t[lane] += a[i + 1, k]*b[k, j], ...

Reads of `b` fall, and additions to different sums do not wait for each other. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations, product
from math import prod

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.names import Names
from tadc.schedule.cpu.machine import LANE_BYTES, Processor
from tadc.schedule.gpu.work import Work, merged, works
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Branch,
    Kernel,
    Loop,
    Step,
    Store,
    has_loops,
    names_of,
    steps_of,
)
from tadc.schedule.nest.unrolled import at_point, side_by_side

__all__ = ["Side", "Tiled", "tiled"]

COUNTS = (1, 2, 3, 4, 6, 8, 12)  # points of an index
SPARE = 3  # registers for operands
WORTH = 1.15  # times as fast


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a tile: the names of the values of an index, of which the first is the index itself.

    Those beyond the index's extent are its last value: a point is then computed several times, by one thread.
    """

    index: Symbol
    names: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class Tiled:
    """The kernel for a tile of points: its steps, those in the interior, and the sides."""

    kernel: Kernel
    interior: tuple[Step, ...]
    sides: tuple[Side, ...]


def tiled(
    kernel: Kernel,
    interior: tuple[Domain, tuple[Step, ...]],
    lanes: Set[Symbol],
    most_lanes: int | None,
    sizes: Mapping[Symbol, int],
    machine: Processor,
) -> Tiled | None:
    """The kernel in tiles whose lanes are neighbours in one of the indices `lanes`, at most so many; None where none pays.

    `sizes` has about how large all sizes are, and an index in its middle.
    """
    region, steps = interior
    vectors = max(1, min(4 * (most_lanes or LANE_BYTES), LANE_BYTES) // machine.vector_bytes)
    free = [i for i in kernel.indices if i not in lanes and i not in region.symbols]
    free = [i for i in free if all(_is_level(body, i) for body in (kernel.body, steps))]
    if not free or not _is_plain(kernel):
        return None
    extents = {i: n.at(sizes) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    varying = {i: Varying.of({i}, steps) for i in kernel.indices}
    work = merged(works(steps, sizes, lanes, machine.costs, varying), set(kernel.indices))
    sums = sum(isinstance(s, Accumulator) for s in steps_of(steps))
    added = _added(steps, work)

    def time(counts: Mapping[Symbol, int]) -> tuple[float, float]:
        points = prod(counts.values())
        done = sum(w.weight for w in work if not w.reads)
        read = sum(
            w.weight * w.values(counts, frozenset()) * (1 / vectors if lanes.isdisjoint(w.symbols) else 1.0)
            for w in work
            if w.reads
        )
        filled = prod(-(-extents[i] // c) * c / extents[i] for i, c in counts.items())
        waited = added * machine.latency / (points * vectors)
        return max(done, read / points, waited) * filled, read / points * filled

    def shapes() -> Iterator[dict[Symbol, int]]:
        for chosen in (*combinations(free, 1), *combinations(free, 2)):
            for counts in product(COUNTS[1:], repeat=len(chosen)):
                shape = dict(zip(chosen, counts, strict=True))
                used = prod(counts) * sums * vectors + SPARE
                if used <= machine.registers and all(c <= extents[i] for i, c in shape.items()):
                    yield shape

    best = min(shapes(), key=time, default=None)
    if best is None or time(best)[0] * WORTH > time({})[0]:
        return None
    return _with_points(kernel, steps, best)


def _added(steps: Sequence[Step], work: Sequence[Work]) -> float:
    """The additions of a point that wait for one another."""
    sums = {s.local for s in steps_of(steps) if isinstance(s, Accumulate)}
    done = sum(w.weight for w in work if not w.reads)
    return done / max(1, len(sums))


def _with_points(
    kernel: Kernel, interior: tuple[Step, ...], counts: Mapping[Symbol, int]
) -> Tiled | None:
    """The steps for all points of a tile, with one loop for all where one point has one."""
    names = Names(names_of(kernel) | {*kernel.reads, *kernel.writes})
    sides = [Side(i, (i, *(names.fresh(i) for _ in range(n - 1)))) for i, n in counts.items()]
    bodies: list[list[tuple[Step, ...]]] = [[], []]
    every: set[str] = set()
    for point in product(*(side.names for side in sides)):
        values = {side.index: symbol(i) for side, i in zip(sides, point, strict=True)}
        first = all(side.index == i for side, i in zip(sides, point, strict=True))
        locals_ = {t: t if first else names.fresh(t) for t in sorted(kernel.locals)}
        every |= set(locals_.values())
        for body, made in zip((kernel.body, interior), bodies, strict=True):
            made.append(tuple(at_point(step, values, locals_) for step in body))
    joint = [side_by_side(made) for made in bodies]
    body, inner = joint
    if body is None or inner is None:
        return None
    reads, writes = kernel.reads, kernel.writes
    made_kernel = Kernel(
        kernel.name,
        kernel.statements,
        kernel.indices,
        kernel.extents,
        body,
        frozenset(every),
        reads,
        writes,
    )
    return Tiled(made_kernel, inner, tuple(sides))


def _is_plain(kernel: Kernel) -> bool:
    """Whether every point stores its elements once, after loops."""
    steps = list(steps_of(kernel.body))
    in_loops = (s for step in steps if isinstance(step, Loop) for s in step.body)
    return (
        has_loops(kernel.body)
        and not any(isinstance(s, Store) and (s.op or s.atomic) for s in steps)
        and not any(isinstance(s, Store) for s in steps_of(tuple(in_loops)))
        and not set(kernel.reads) & set(kernel.writes)
    )


def _is_level(body: Sequence[Step], index: Symbol) -> bool:
    """Whether all points along an index have the same loops."""
    varying = Varying.of({index}, body)
    return not any(
        (isinstance(s, Loop) and varying.has_bounds(s))
        or (isinstance(s, Branch) and varying.has_condition(s) and has_loops((s,)))
        for s in steps_of(body)
    )
