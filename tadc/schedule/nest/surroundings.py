"""The context of steps in a kernel: the indices around them, and conditions that hold there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Domain
from tadc.ir.program import Program
from tadc.schedule.nest.lanes import LaneLimits
from tadc.schedule.nest.loop_nest import Kernel, Loop

__all__ = ["Span", "Surroundings"]

TYPICAL = 64  # a size that has no number
_NONE: LaneLimits = {}

# The first and the last value of an index.
Span: TypeAlias = tuple[Affine, Affine]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The indices around some steps with their first and last values, outermost first, and conditions on them and on the
    sizes; usual values of the sizes, which only decide which outcome of a test is the usual one; and the sizes that are too
    small for lanes.
    """

    around: Mapping[Symbol, Span]
    known: Domain
    typical: Mapping[Symbol, int]
    lane_limits: LaneLimits

    @classmethod
    def of(cls, kernel: Kernel, program: Program, lane_limits: LaneLimits = _NONE) -> Surroundings:
        """The surroundings of the steps of a kernel."""
        box = dict(zip(kernel.indices, kernel.extents, strict=True))
        typical = program.size_values(dict.fromkeys(program.sizes, TYPICAL))
        around = {i: (constant(0), n - 1) for i, n in box.items()}
        return cls(around, program.known & Domain.box(box), typical, lane_limits)

    def within(self, loop: Loop) -> Surroundings:
        """The surroundings of the steps in the loop."""
        r = loop.range
        plain = r.only(lambda b: b.divisor == 1)
        around = dict(self.around)
        if plain.lows and plain.highs:
            around[r.index] = plain.lows[0].form, plain.highs[0].form
        known = self.known & Domain.of(r.conditions)
        return Surroundings(around, known, self.typical, self.lane_limits)
