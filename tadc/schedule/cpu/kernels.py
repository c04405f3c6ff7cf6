"""How a kernel runs on a CPU: which indices are shared among threads, and which one is cut into strips of lanes.

The choice is made here and nowhere else, from the subscripts and the extents that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.cpu.sums import PART, in_strips
from tadc.schedule.nest.interior import interior, parted
from tadc.schedule.nest.lanes import (
    LaneLimits,
    accumulated,
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
    Loop,
    Step,
    Store,
    Strips,
    has_loops,
    values_of,
)
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.nest.unrolled import unrolled

__all__ = ["CpuKernel", "cpu_kernel"]

FEW = 64  # elements: with fewer, threads share the sums of each
GATHERED = 8.0  # what a read of elements that are apart costs, when one of neighbours costs 1
_NONE: LaneLimits = {}
SHARED = 0.5  # one read for all lanes
REPEATED = 10.0  # how often a loop's body is supposed to run
LONG = 1024  # terms of a chunk that has no loop in it


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """`body` runs for each point of `outer`, by any thread; or, if `outer` is shared by none, all threads run it
    together and share its `Chunks`. With a `strip`, `body` is for the values of that index from `FIRST` to `LAST`.
    """

    kernel: Kernel
    outer: tuple[tuple[Symbol, Affine], ...]
    strip: tuple[Symbol, Affine] | None
    body: tuple[Step, ...]
    together: bool = False


def cpu_kernel(kernel: Kernel, program: Program, few: LaneLimits = _NONE) -> CpuKernel:
    """The kernel's schedule. `few` has the sizes that do not fill all lanes."""
    found = _scheduled(kernel, program, few)
    own, body = long_sums_in_blocks(found.kernel, found.body, program, few, grouped=True)
    return replace(found, kernel=own, body=body)


def _scheduled(kernel: Kernel, program: Program, few: LaneLimits) -> CpuKernel:
    box = tuple(zip(kernel.indices, kernel.extents, strict=True))
    surroundings = Surroundings.of(kernel, program, few)
    if kernel.is_atomic:
        return CpuKernel(kernel, box, None, kernel.body)
    if (
        all(n.is_constant for n in kernel.extents)
        and prod(n.constant for n in kernel.extents) < FEW
    ):
        at_once = unrolled(kernel) or kernel
        chunked = tuple(_chunked(at_once.body, Surroundings.of(at_once, program, few)))
        if any(isinstance(s, Chunks) for s in chunked):
            outer = box if at_once is kernel else ()
            return CpuKernel(at_once, outer, None, chunked, together=True)
    inside = interior(kernel.body, surroundings)
    costs = {i: _cost(inside[1], i) for i, n in box if most_lanes(n, few) != 0}
    best = min(reversed(costs), key=lambda i: costs[i], default=None)
    if best is None or _reduced_cost(kernel, few) < costs[best]:
        return CpuKernel(kernel, box, None, tuple(in_strips(kernel.body, surroundings)))
    outer = tuple(pair for pair in box if pair[0] != best)
    return CpuKernel(
        kernel,
        outer,
        (best, dict(box)[best]),
        (_row(kernel, best, *inside, most_lanes(dict(box)[best], few)),),
    )


def _row(
    kernel: Kernel, strip: Symbol, region: Domain, inside: tuple[Step, ...], lanes: int | None
) -> Interior | Strips:
    """All values of the strip's index, with the interior apart where there is one."""
    if not region.conditions:
        return strips(strip, *PART, kernel.body, lanes)
    return parted(strip, PART, region, (strips(strip, *PART, inside, lanes),), kernel.body)


def _chunked(steps: Sequence[Step], surroundings: Surroundings) -> Iterator[Step]:
    """The steps with the sums that are no part of another in chunks."""
    for step in steps:
        sums = accumulated(step) if isinstance(step, Loop) else {}
        if isinstance(step, Loop) and sums:
            body = tuple(in_strips((step,), surroundings, part=True))
            least = 1 if has_loops(step.body) else LONG
            yield Chunks(step.index, step.lows, step.highs, body, tuple(sums.items()), least)
        else:
            yield step


def _cost(body: Sequence[Step], lane: Symbol) -> float:
    """What a strip of an output index costs an element: neighbours are read at once, what is apart one by one."""
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
            case Loop(index, lows, highs, body):
                slanting = any(varying.intersection(f.symbols) for f, _ in (*lows, *highs))
                if slanting and varying == {lane} and straight(step, lane):
                    slanting = False
                inner = varying | {index} if slanting else varying
                apart = GATHERED if slanting else 1.0
                waiting += [(s, times * REPEATED * apart, inner) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, varying) for s in (*then, *otherwise)]
            case _:
                pass
    return total


def _reduced_cost(kernel: Kernel, few: LaneLimits) -> float:
    """What strips of the innermost sums cost an element."""
    total = 0.0
    waiting: list[tuple[Step, float, Symbol]] = [(s, 1.0, "") for s in kernel.body]
    while waiting:
        step, times, lane = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read) and e.subscripts:
                total += times * (_of_read(e.subscripts, frozenset((lane,))) if lane else GATHERED)
        match step:
            case Loop(index, _, _, body):
                summed = accumulated(step) and not has_loops(body)
                own = index if summed and lanes_of_loop(step, few) != 0 else ""
                waiting += [(s, times * REPEATED, own) for s in body]
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
    own = [last.coefficient(s) for s in varying.intersection(last.symbols)]
    return {1: 1.0, -1: 1.5}.get(own[0], GATHERED) if len(own) == 1 else GATHERED
