"""What is known where steps of a kernel stand: the indices around them, and conditions that hold there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero
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
    """The indices around some steps with their first and last values, outermost first, and what holds of them and of the
    sizes; usual values of the sizes, which only decide which outcome of a test is the usual one; and the sizes that are too
    small for lanes.
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
