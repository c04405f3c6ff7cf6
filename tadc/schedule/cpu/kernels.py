"""Execution of a kernel on a CPU: the indices that are divided among threads, and the one that is cut into strips of lanes.

The choice is made here and nowhere else, from the subscripts and the extents that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.cpu.machine import AVX2, Processor
from tadc.schedule.cpu.sums import in_strips, part_of
from tadc.schedule.cpu.tile import Side, tiled
from tadc.schedule.nest.interior import interior, parted
from tadc.schedule.nest.lanes import (
    LaneLimits,
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
    Interior,
    Kernel,
    Lanes,
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

__all__ = ["CpuKernel", "cpu_kernel"]
FEW = 64  # elements: with fewer, threads share the sums of each
GATHERED = 8.0  # the cost of a strided read, when one of neighbours costs 1
NEIGHBOURS = {1: 1.0, -1: 1.5}
STRIDED = 1.25  # times the stride, where it is short: what lies between is read too, and shuffled away
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
    strip: tuple[Symbol, Affine] | None
    body: tuple[Step, ...]
    cooperative: bool = False
    sides: tuple[Side, ...] = ()


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
    in_interior = interior(kernel.body, surroundings, LONGEST_WINDOW)
    costs = {i: _cost(in_interior[1], i) for i, n in box if most_lanes(n, lane_limits) != 0}
    best = min(reversed(costs), key=lambda i: costs[i], default=None)
    if best is None or _reduced_cost(kernel, lane_limits) < costs[best]:
        return _in_reduced_lanes(kernel, box, surroundings, machine)
    region, steps = in_interior
    lanes = most_lanes(dict(box)[best], lane_limits)
    tile = tiled(kernel, in_interior, {best}, lanes, surroundings.middle, machine)
    if tile:
        kernel, steps = tile.kernel, tile.interior
    row = _row(kernel, best, region, steps, lanes)
    return CpuKernel(
        kernel,
        tuple(pair for pair in box if pair[0] != best),
        (best, dict(box)[best]),
        tuple(_apart((row,))) if tile else (row,),
        sides=tile.sides if tile else (),
    )


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
    if loops and 0 not in lanes:
        least = min((n for n in lanes if n is not None), default=None)
        indices = {s.range.index for s in loops}
        interior = EVERYWHERE, kernel.body
        tile = tiled(kernel, interior, indices, least, surroundings.middle, machine)
    if tile is None:
        return CpuKernel(kernel, box, None, tuple(in_strips(kernel.body, surroundings)))
    points = prod(len(side.names) for side in tile.sides)
    steps = tuple(in_strips(tile.kernel.body, surroundings, points=points))
    return CpuKernel(tile.kernel, box, None, tuple(_apart(steps)), sides=tile.sides)


def _row(
    kernel: Kernel, strip: Symbol, region: Domain, steps: tuple[Step, ...], lanes: int | None
) -> Interior | Strips:
    """All values of the strip's index, with a separate interior where there is one."""
    part = part_of(strip)
    if not region.conditions:
        return strips(part, kernel.body, lanes)
    return parted(part, region, (strips(part, steps, lanes),), kernel.body)


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
    while waiting:
        step, times, varying = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read):
                total += times * _of_read(e.subscripts, varying)
        match step:
            case Store(_, subscripts):
                total += times * _of_read(subscripts, varying)
            case Loop(r, body):
                slanting = not varying.isdisjoint(r.symbols)
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


def _of_read(subscripts: Sequence[Affine], varying: frozenset[Symbol]) -> float:
    if not any(varying.intersection(form.symbols) for form in subscripts):
        return SHARED
    *outer, last = subscripts
    if any(varying.intersection(form.symbols) for form in outer):
        return GATHERED
    steps = [last.coefficient(s) for s in varying.intersection(last.symbols)]
    if len(steps) != 1:
        return GATHERED
    return min(GATHERED, NEIGHBOURS.get(steps[0], abs(steps[0]) * STRIDED))
