"""Borders of a kernel's box: inside, where they are far away, nothing is left of their tests; at them, all points loop alike.

    for k in max(0, i - N + 1) .. min(2, i): s += g[i - k]*w[k]

is inside, for `2 <= i < N`, a loop over 3 numbers. For points at a border that share loops with points that are not, it is
the same loop with a test: `if 0 <= i - k < N`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod

from tadc.ir.affine import symbol
from tadc.ir.domain import EVERYWHERE, Condition, Domain, at_least_zero
from tadc.ir.expr import Select
from tadc.ir.program import Program
from tadc.ir.walk import postorder
from tadc.schedule.gpu.cost import UNROLLED
from tadc.schedule.nest.interior import interior
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Kernel,
    Let,
    LetIndex,
    Loop,
    Staged,
    Step,
    constant_trips,
    has_loops,
    map_bodies,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.lower import without_unused
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["inside", "is_level", "levelled", "tests"]


FEW = 4096  # points: fewer are not worth a longer text


@lru_cache(maxsize=256)
def inside(kernel: Kernel, program: Program) -> tuple[Domain, tuple[Step, ...]]:
    """Where in the box loops have fewer tests, and the steps there; everywhere, where that is nowhere."""
    everywhere = EVERYWHERE, kernel.body
    few = all(n.is_constant for n in kernel.extents) and prod(n.constant for n in kernel.extents) < FEW  # fmt: skip
    if few or not tests(kernel.body):
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

    found = tuple(kept(steps))
    return found if found == tuple(steps) else _read(found)


def tests(steps: Sequence[Step]) -> int:
    """How many conditions are tested in loops, or are bounds of them besides one of each side."""
    total = 0
    for loop in (s for s in steps_of(steps) if isinstance(s, (Loop, Staged))):
        total += max(0, len(loop.lows) - 1) + max(0, len(loop.highs) - 1)
        for step in steps_of(loop.body):
            if isinstance(step, Branch) and isinstance(step.condition, Domain):
                total += len(step.condition.conditions)
            for e in postorder(values_of(step)):
                if isinstance(e, Select) and isinstance(e.condition, Domain):
                    total += len(e.condition.conditions)
    return total


def is_level(loop: Loop, varying: Varying) -> bool:
    """Whether all points have the same loop, or a short one with tests instead of bounds."""
    return not varying.has_bounds(loop) or _levelled(loop) is not None


def levelled(
    steps: Sequence[Step], varying: Varying, tests: tuple[Condition, ...] = ()
) -> Iterator[Step]:
    """The steps, with loops that all points have, where the `tests` hold. `varying` is what differs between points."""
    if tests and not isinstance(_only(steps), Loop):
        yield Branch(Domain.of(tests), tuple(levelled(steps, varying)))
        return
    for step in steps:
        match step:
            case Loop(index, lows, highs, body):
                level = _levelled(step) if varying.has_bounds(step) else None
                own = tests
                if level:
                    own = (*tests, *_bounds(step))
                    lows, highs = level.lows, level.highs
                yield Loop(index, lows, highs, tuple(levelled(body, varying, own)))
            case Branch() if has_loops((step,)):
                yield map_bodies(step, lambda inner: levelled(inner, varying))
            case _:
                yield step


def _only(steps: Sequence[Step]) -> Step | None:
    """The one step, besides derived indices."""
    match [s for s in steps if not isinstance(s, LetIndex)]:
        case [step]:
            return step
        case _:
            return None


def _levelled(loop: Loop) -> Loop | None:
    """The loop with those bounds that are numbers alone; None if there are none, or too many values between them."""
    lows, highs = (
        tuple(b for b in bounds if b[0].is_constant) for bounds in (loop.lows, loop.highs)
    )
    level = Loop(loop.index, lows, highs, loop.body)
    count = constant_trips(level)
    return level if count is not None and count <= UNROLLED else None


def _bounds(loop: Loop) -> Iterator[Condition]:
    """The bounds that are no numbers, as conditions."""
    i = symbol(loop.index)
    yield from (at_least_zero(c * i - e) for e, c in loop.lows if not e.is_constant)
    yield from (at_least_zero(e - c * i) for e, c in loop.highs if not e.is_constant)
