"""Execution of a kernel on a CPU: the indices that are divided among threads, and the one that is cut into strips of lanes.

The choice is made here and nowhere else, from the subscripts and the extents that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import prod

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.ir.range import Bound
from tadc.ir.walk import postorder
from tadc.schedule.cpu.machine import AVX2, Processor
from tadc.schedule.cpu.phases import in_phases, stores_last
from tadc.schedule.cpu.sums import in_strips, part_of
from tadc.schedule.cpu.tile import Parts, Side, tiled
from tadc.schedule.nest.interior import interior, parted
from tadc.schedule.nest.lanes import (
    LaneLimits,
    Varying,
    accumulated,
    apart,
    lanes_of_loop,
    most_lanes,
    straight,
    strips,
)
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import (
    Branch,
    Chunks,
    Kernel,
    Lanes,
    LetIndex,
    Loop,
    Step,
    Store,
    Strips,
    has_loops,
    map_bodies,
    steps_of,
    values_of,
)
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.nest.unrolled import unrolled

__all__ = ["BLOCK", "CpuKernel", "cpu_kernel"]

BLOCK = 1024  # neighbours of a strip's index that one thread computes, where that is little work, or threads have enough
LOOPED_BLOCK = 64  # where it is loops
ENOUGH = 256  # other points of the box
FEW = 64  # elements: with fewer, threads share the sums of each
GATHERED = 8.0  # the cost of a strided read, when one of neighbours costs 1
NEIGHBOURS = {1: 1.0, -1: 1.5}
STRIDED = (
    1.25  # times the stride, where it is short: what lies between is read too, and shuffled away
)
_UNKNOWN: Mapping[Symbol, int] = {}
SHARED = 0.5  # one read for all lanes
LONGEST_WINDOW = 64  # values of a loop that is another one for each lane
REPEATED = 10.0  # assumed trips of a loop
LONG = 1024  # terms of a chunk that has no loop in it


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """`body` runs for each point of `outer`, by any thread; or, if `cooperative`, all threads run it and share
    its `Chunks`. With a `strip`, `body` is for the values of that index from `FIRST` to `LAST`; with `sides`, for a tile of
    points, of which each side has several values of an index of `outer`.
    """

    kernel: Kernel
    outer: tuple[tuple[Symbol, Affine], ...]
    strip: tuple[Symbol, Bound] | None
    body: tuple[Step, ...]
    cooperative: bool = False
    sides: tuple[Side, ...] = ()
    block: int = BLOCK  # values of the strip's index that one thread has


def cpu_kernel(
    kernel: Kernel,
    program: Program,
    usual: Mapping[Symbol, int] = _UNKNOWN,
    machine: Processor = AVX2,
) -> CpuKernel:
    """The kernel's schedule. `usual` has about how large the sizes are."""
    scheduled = _scheduled(kernel, program, usual, machine)
    blocked, body = long_sums_in_blocks(
        scheduled.kernel, scheduled.body, program, usual, grouped=True
    )
    return replace(scheduled, kernel=blocked, body=body)


def _scheduled(
    kernel: Kernel, program: Program, usual: Mapping[Symbol, int], machine: Processor
) -> CpuKernel:
    box = tuple(zip(kernel.indices, kernel.extents, strict=True))
    surroundings = Surroundings.of(kernel, program, usual)
    lane_limits = surroundings.lane_limits
    if kernel.is_atomic:
        return CpuKernel(kernel, box, None, kernel.body)
    if (
        all(n.is_constant for n in kernel.extents)
        and prod(n.constant for n in kernel.extents) < FEW
    ):
        at_once = unrolled(kernel) or kernel
        chunked = tuple(_chunked(at_once.body, Surroundings.of(at_once, program, usual)))
        if any(isinstance(s, Chunks) for s in chunked):
            outer = box if at_once is kernel else ()
            return CpuKernel(at_once, outer, None, chunked, cooperative=True)
    lanes = _best_lanes(kernel, box, surroundings)
    if lanes is None or _reduced_cost(kernel, lane_limits) < lanes.cost:
        return _in_reduced_lanes(kernel, box, surroundings, machine)
    most = lanes.most
    parts = lanes.parts
    tile = tiled(lanes.kernel, parts, {lanes.index}, most, lanes.surroundings.middle, machine)
    if tile:
        parts = tile.parts
    row = _row(lanes.index, parts, most)
    outer = tuple(pair for pair in box if pair[0] != lanes.of)
    others = prod(n.at(surroundings.typical) for _, n in outer) // (tile.points if tile else 1)
    looped = has_loops((row,)) and (not usual or others < ENOUGH)
    return CpuKernel(
        tile.kernel if tile else lanes.kernel,
        outer,
        (lanes.index, lanes.count),
        tuple(_apart((row,))) if tile else (row,),
        sides=tile.sides if tile else (),
        block=LOOPED_BLOCK if looped else BLOCK,
    )


@dataclass(frozen=True, slots=True)
class _Lanes:
    """A kernel with lanes that are neighbours in `index`, which is `of` the box or stands for phases of it; the interior, and
    the cost per point.
    """

    kernel: Kernel
    of: Symbol
    index: Symbol
    count: Bound
    phases: int
    surroundings: Surroundings
    region: Domain
    steps: tuple[Step, ...]
    cost: float

    @property
    def parts(self) -> Parts:
        """The steps in the interior, at borders that are not along the index, and at those."""
        body = self.kernel.body
        near = interior(body, self.surroundings, LONGEST_WINDOW, self.index)
        if self.phases > 1:
            near = near[0], stores_last(near[1])
        return Parts((self.region, self.steps), near, body)

    @property
    def most(self) -> int | None:
        """The lanes that the usual number of values fills; of few values some are at borders, and do not fill as many."""
        _, last = self.surroundings.around[self.index]
        count = last.at(self.surroundings.typical) + 1
        at_borders = any(self.index in c.form.symbols for c in self.region)
        return most_lanes(constant(count // 2 if at_borders else count), {})


def _best_lanes(
    kernel: Kernel, box: tuple[tuple[Symbol, Affine], ...], surroundings: Surroundings
) -> _Lanes | None:
    """The index of the box whose neighbours are read and stored with the least effort, the innermost of several."""
    region, steps = interior(kernel.body, surroundings, LONGEST_WINDOW)
    best: _Lanes | None = None
    for i, n in reversed(box):
        if most_lanes(n, surroundings.lane_limits) == 0:
            continue
        cost = _cost(steps, i)
        plain = _Lanes(kernel, i, i, Bound(n), 1, surroundings, region, steps, cost)
        best = plain if best is None or plain.cost < best.cost else best
        phases = in_phases(kernel, i, surroundings)
        if phases:
            inside, within = interior(phases.kernel.body, phases.surroundings, LONGEST_WINDOW)
            within = stores_last(within)
            cost = _cost(within, phases.index) / phases.count.divisor
            phased = _Lanes(
                phases.kernel,
                i,
                phases.index,
                phases.count,
                phases.count.divisor,
                phases.surroundings,
                inside,
                within,
                cost,
            )
            best = phased if phased.most != 0 and phased.cost < best.cost else best
    return best


def _in_reduced_lanes(
    kernel: Kernel,
    box: tuple[tuple[Symbol, Affine], ...],
    surroundings: Surroundings,
    machine: Processor,
) -> CpuKernel:
    """The kernel whose lanes are neighbours in its innermost sums."""
    loops = [s for s in steps_of(kernel.body) if isinstance(s, Loop) and not has_loops(s.body)]
    lanes = [lanes_of_loop(s, surroundings.lane_limits) for s in loops]
    tile = None
    steps: Iterable[Step]
    if loops and 0 not in lanes:
        least = min((n for n in lanes if n is not None), default=None)
        indices = {s.range.index for s in loops}
        everywhere = EVERYWHERE, kernel.body
        parts = Parts(everywhere, everywhere, kernel.body)
        tile = tiled(kernel, parts, indices, least, surroundings.middle, machine)
    if tile is None:
        return CpuKernel(kernel, box, None, tuple(in_strips(kernel.body, surroundings)))
    steps = in_strips(tile.parts.interior[1], surroundings, points=tile.points)
    return CpuKernel(tile.kernel, box, None, tuple(_apart(steps)), sides=tile.sides)


def _row(strip: Symbol, parts: Parts, lanes: int | None) -> Step:
    """All values of the strip's index, with a separate interior where there is one."""
    part = part_of(strip)

    def row(region: Domain, steps: tuple[Step, ...]) -> Step:
        along = Domain.of(c for c in region if strip in c.form.symbols)
        in_lanes = strips(part, steps, lanes)
        return parted(part, along, (in_lanes,), parts.border) if along.conditions else in_lanes

    region, steps = parts.interior
    around = Domain.of(c for c in region if strip not in c.form.symbols)
    if not around.conditions:
        return row(region, steps)
    return Branch(around, (row(region, steps),), (row(*parts.near),))


def _apart(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps with a loop over lanes for each point of a tile."""
    for step in steps:
        if isinstance(step, Lanes):
            yield from apart(step)
        else:
            yield map_bodies(step, _apart)


def _chunked(steps: Sequence[Step], surroundings: Surroundings) -> Iterator[Step]:
    """The steps with the sums that are no part of another in chunks."""
    for step in steps:
        sums = accumulated(step) if isinstance(step, Loop) else {}
        if isinstance(step, Loop) and sums:
            body = tuple(in_strips((step,), surroundings, part=True))
            least = 1 if has_loops(step.body) else LONG
            yield Chunks(step.range, body, tuple(sums.items()), least)
        else:
            yield step


def _cost(body: Sequence[Step], lane: Symbol) -> float:
    """Cost per element of a strip of an output index: neighbours are read at once, strided elements one by one."""
    total = 0.0
    waiting: list[tuple[Step, float, frozenset[Symbol]]] = [
        (s, 1.0, frozenset((lane,))) for s in body
    ]
    derived = {s.derived.name for s in steps_of(body) if isinstance(s, LetIndex)}
    quotients = Varying.of({lane}, body).symbols & derived
    while waiting:
        step, times, varying = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read):
                total += times * _of_read(e.subscripts, varying, quotients)
        match step:
            case Store(_, subscripts):
                total += times * _of_read(subscripts, varying)
            case Loop(r, body):
                slanting = not (varying | quotients).isdisjoint(r.symbols)
                if slanting and varying == {lane} and straight(step, lane):
                    slanting = False
                inner = varying | {r.index} if slanting else varying
                slowdown = GATHERED if slanting else 1.0
                waiting += [(s, times * REPEATED * slowdown, inner) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, varying) for s in (*then, *otherwise)]
            case _:
                pass
    return total


def _reduced_cost(kernel: Kernel, lane_limits: LaneLimits) -> float:
    """Cost per element of strips of the innermost sums."""
    total = 0.0
    waiting: list[tuple[Step, float, Symbol]] = [(s, 1.0, "") for s in kernel.body]
    while waiting:
        step, times, lane = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read) and e.subscripts:
                total += times * (_of_read(e.subscripts, frozenset((lane,))) if lane else GATHERED)
        match step:
            case Loop(r, body):
                summed = accumulated(step) and not has_loops(body)
                inner_lane = r.index if summed and lanes_of_loop(step, lane_limits) != 0 else ""
                waiting += [(s, times * REPEATED, inner_lane) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, lane) for s in (*then, *otherwise)]
            case Store():
                total += times
            case _:
                pass
    return total


def _of_read(
    subscripts: Sequence[Affine], varying: frozenset[Symbol], quotients: Set[Symbol] = frozenset()
) -> float:
    if any(quotients.intersection(form.symbols) for form in subscripts):
        return GATHERED
    if not any(varying.intersection(form.symbols) for form in subscripts):
        return SHARED
    *outer, last = subscripts
    if any(varying.intersection(form.symbols) for form in outer):
        return GATHERED
    steps = [last.coefficient(s) for s in varying.intersection(last.symbols)]
    if len(steps) != 1:
        return GATHERED
    return min(GATHERED, NEIGHBOURS.get(steps[0], abs(steps[0]) * STRIDED))
