"""Borders of a kernel's box: inside, where they are far away, nothing is left of their tests.

    for k in max(0, i - N + 1) .. min(2, i): s += g[i - k]*w[k]

is inside, for `2 <= i < N`, a loop over 3 numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod

from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.nest.interior import interior
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Kernel,
    Let,
    Loop,
    Staged,
    Step,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.lower import without_unused
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["box_interior", "tests"]


FEW = 4096  # points: fewer are not worth a longer text


@lru_cache(maxsize=256)
def box_interior(kernel: Kernel, program: Program) -> tuple[Domain, tuple[Step, ...]]:
    """The part of the box where loops have fewer tests, and the steps there; the whole box if there is none."""
    everywhere = EVERYWHERE, kernel.body
    is_small = all(n.is_constant for n in kernel.extents) and prod(n.constant for n in kernel.extents) < FEW  # fmt: skip
    if is_small or not tests(kernel.body):
        return everywhere
    region, steps = interior(kernel.body, Surroundings.of(kernel, program))
    if tests(steps) == tests(kernel.body):
        return everywhere
    return region, without_unused(_read(steps))


def _read(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without locals that nothing reads, now that some branches are never taken."""
    read = {e.tensor for e in reads_of(steps)}

    def kept(steps: Sequence[Step]) -> Iterator[Step]:
        for step in steps:
            match step:
                case Let(local) | Accumulator(local) | Assign(local) | Accumulate(local):
                    if local in read:
                        yield step
                case Loop(body=body):
                    if inner := tuple(kept(body)):
                        yield replace(step, body=inner)
                case Branch(condition, then, otherwise):
                    then, otherwise = tuple(kept(then)), tuple(kept(otherwise))
                    if then or otherwise:
                        yield Branch(condition, then, otherwise)
                case _:
                    yield step

    result = tuple(kept(steps))
    return result if result == tuple(steps) else _read(result)


def tests(steps: Sequence[Step]) -> int:
    """The number of conditions tested in loops, and of their bounds beyond one on each side."""
    total = 0
    for loop in (s for s in steps_of(steps) if isinstance(s, (Loop, Staged))):
        total += sum(max(0, len(side) - 1) for side in (loop.range.lows, loop.range.highs))
        for step in steps_of(loop.body):
            if isinstance(step, Branch) and isinstance(step.condition, Domain):
                total += len(step.condition.conditions)
            for e in postorder(values_of(step)):
                if isinstance(e, Select) and isinstance(e.condition, Domain):
                    total += len(e.condition.conditions)
    return total
