"""How a kernel runs on a CPU: which indices are shared among threads, and which one is cut into strips of lanes.

The choice is made here and nowhere else, from the subscripts and the extents that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.expr import Read
from tadc.ir.walk import postorder
from tadc.schedule.lanes import accumulated, reduced_in_strips, strips
from tadc.schedule.loop_nest import (
    Branch,
    Chunks,
    Kernel,
    Loop,
    Step,
    Store,
    steps_of,
    values_of,
)

__all__ = ["FIRST", "LAST", "CpuKernel", "cpu_kernel"]

FEW = 64  # elements: with fewer, threads share the sums of each
NARROW = 8  # an index with fewer values is no lane
GATHERED = 8.0  # what a read of elements that are apart costs, when one of neighbours costs 1
SHARED = 0.25  # one read for all lanes
REPEATED = 10.0  # how often a loop's body is supposed to run
LONG = 1024  # terms of a chunk that has no loop in it
FIRST, LAST = "block", "block_end"  # the part of an index that is one thread's
PART = ((symbol(FIRST), 1),), ((symbol(LAST) - 1, 1),)  # as bounds of a loop


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


def cpu_kernel(kernel: Kernel) -> CpuKernel:
    box = tuple(zip(kernel.indices, kernel.extents, strict=True))
    if (
        all(n.is_constant for n in kernel.extents)
        and prod(n.constant for n in kernel.extents) < FEW
    ):
        chunked = tuple(_chunked(kernel.body))
        if any(isinstance(s, Chunks) for s in chunked):
            return CpuKernel(kernel, box, None, chunked, together=True)
    costs = {i: _cost(kernel, i) for i, n in box if not _is_narrow(n)}
    best = min(reversed(costs), key=lambda i: costs[i], default=None)
    if best is None or _reduced_cost(kernel) < costs[best]:
        return CpuKernel(kernel, box, None, reduced_in_strips(kernel.body))
    outer = tuple(pair for pair in box if pair[0] != best)
    body = (strips(best, *PART, kernel.body),)
    return CpuKernel(kernel, outer, (best, dict(box)[best]), body)


def _chunked(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps with the sums that are no part of another in chunks."""
    for step in steps:
        sums = accumulated(step) if isinstance(step, Loop) else {}
        if isinstance(step, Loop) and sums:
            body = reduced_in_strips((Loop(step.index, *PART, step.body),))
            inner = any(isinstance(s, Loop) for s in steps_of(step.body))
            yield Chunks(
                step.index, step.lows, step.highs, body, tuple(sums.items()), 1 if inner else LONG
            )
        else:
            yield step


def _is_narrow(extent: Affine) -> bool:
    return extent.is_constant and extent.constant < NARROW


def _cost(kernel: Kernel, lane: Symbol) -> float:
    """What a strip of an output index costs an element: neighbours are read at once, what is apart one by one."""
    total = 0.0
    waiting: list[tuple[Step, float, frozenset[Symbol]]] = [
        (s, 1.0, frozenset((lane,))) for s in kernel.body
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
                inner = varying | {index} if slanting else varying
                apart = GATHERED if slanting else 1.0
                waiting += [(s, times * REPEATED * apart, inner) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, varying) for s in (*then, *otherwise)]
            case _:
                pass
    return total


def _reduced_cost(kernel: Kernel) -> float:
    """What strips of the innermost sums cost an element."""
    total = 0.0
    waiting: list[tuple[Step, float, Symbol]] = [(s, 1.0, "") for s in kernel.body]
    while waiting:
        step, times, lane = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read) and e.subscripts:
                total += times * (_of_read(e.subscripts, frozenset((lane,))) if lane else GATHERED)
        match step:
            case Loop(index, lows, highs, body):
                summed = accumulated(step) and not any(isinstance(s, Loop) for s in steps_of(body))
                own = index if summed and not _is_short(lows, highs) else ""
                waiting += [(s, times * REPEATED, own) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, lane) for s in (*then, *otherwise)]
            case Store():
                total += times
            case _:
                pass
    return total


def _is_short(lows: Sequence[tuple[Affine, int]], highs: Sequence[tuple[Affine, int]]) -> bool:
    """Whether the loop is seen to have too few values for lanes."""
    return any(
        c == d == 1 and (high - low).is_constant and (high - low).constant + 1 < NARROW
        for low, c in lows
        for high, d in highs
    )


def _of_read(subscripts: Sequence[Affine], varying: frozenset[Symbol]) -> float:
    if not any(varying.intersection(form.symbols) for form in subscripts):
        return SHARED
    *outer, last = subscripts
    if any(varying.intersection(form.symbols) for form in outer):
        return GATHERED
    own = [last.coefficient(s) for s in varying.intersection(last.symbols)]
    return {1: 1.0, -1: 1.5}.get(own[0], GATHERED) if len(own) == 1 else GATHERED
