"""Sums in strips: every innermost loop that only adds to accumulators gets some for each lane, and no tests inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tadc.ir.affine import Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.program import Program
from tadc.schedule.interior import Bounds, Span, interior, parted
from tadc.schedule.lanes import LaneLimits, accumulated, lanes_of_loop
from tadc.schedule.loop_nest import (
    FIRST,
    LAST,
    Branch,
    Kernel,
    Lanes,
    Loop,
    Step,
    Strips,
    has_loops,
)

__all__ = ["PART", "Surroundings", "in_strips"]

PART = (
    ((symbol(FIRST), 1),),
    ((symbol(LAST) - 1, 1),),
)  # a thread's part of an index, as bounds of a loop

TYPICAL = 64  # a size that has no number
_NONE: LaneLimits = {}
MANY, FEWER_LANES = 4, 8  # accumulators side by side that registers do not hold with all lanes


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The indices around some steps with their first and last values, what is known, usual values of the sizes, and
    the sizes that are too small for lanes.
    """

    around: Mapping[Symbol, Span]
    known: Domain
    typical: Mapping[Symbol, int]
    few: LaneLimits

    @classmethod
    def of(cls, kernel: Kernel, program: Program, few: LaneLimits = _NONE) -> Surroundings:
        """Those of the steps of a kernel."""
        box = dict(zip(kernel.indices, kernel.extents, strict=True))
        typical = program.size_values(dict.fromkeys(program.sizes, TYPICAL))
        around = {i: (constant(0), n - 1) for i, n in box.items()}
        return cls(around, program.known & Domain.box(box), typical, few)

    def inside(self, loop: Loop) -> Surroundings:
        """Those of the steps in the loop."""
        lows = [e for e, c in loop.lows if c == 1]
        highs = [e for e, c in loop.highs if c == 1]
        around = dict(self.around)
        if lows and highs:
            around[loop.index] = lows[0], highs[0]
        i = symbol(loop.index)
        bounds = (
            *(at_least_zero(c * i - e) for e, c in loop.lows),
            *(at_least_zero(e - c * i) for e, c in loop.highs),
        )
        return Surroundings(around, self.known & Domain.of(bounds), self.typical, self.few)

    def interior(self, steps: Sequence[Step]) -> tuple[Domain, tuple[Step, ...]]:
        return interior(steps, self.around, self.known, self.typical)


def in_strips(
    steps: Sequence[Step], surroundings: Surroundings, part: bool = False
) -> Iterator[Step]:
    """The steps, with every innermost loop that only accumulates in strips; with `part` they are one loop, of which
    a thread has a part.
    """
    for step in steps:
        match step:
            case Loop(body=body) if has_loops(body):
                bounds = PART if part else (step.lows, step.highs)
                inner = tuple(in_strips(body, surroundings.inside(step)))
                yield Loop(step.index, *bounds, inner)
            case Loop(index, lows, highs, body) if (
                lanes := lanes_of_loop(step, surroundings.few)
            ) != 0 and accumulated(step):
                bounds = PART if part else (lows, highs)
                region, inner = surroundings.inside(step).interior(body)
                if region.conditions:
                    inside = _strips(step, PART, inner, lanes)
                    yield parted(index, bounds, region, (inside,), body)
                else:
                    yield _strips(step, bounds, body, lanes)
            case Loop(index, _, _, body) if part:
                yield Loop(index, *PART, body)
            case Branch(condition, then, otherwise):
                both = (tuple(in_strips(branch, surroundings)) for branch in (then, otherwise))
                yield Branch(condition, *both)
            case _:
                yield step


def _strips(loop: Loop, bounds: Bounds, body: tuple[Step, ...], lanes: int | None) -> Strips:
    sums = tuple(accumulated(loop).items())
    if len(sums) > MANY:
        lanes = min(FEWER_LANES, lanes or FEWER_LANES)
    return Strips(loop.index, *bounds, (Lanes(body),), body, (), lanes, sums)
