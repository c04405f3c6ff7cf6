"""The context of steps in a kernel: the indices around them, and conditions that hold there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Domain
from tadc.ir.program import Program
from tadc.schedule.nest.lanes import LaneLimits, lane_limits_of
from tadc.schedule.nest.loop_nest import Kernel, Loop

__all__ = ["EXACT", "FEW", "TYPICAL", "Span", "Surroundings", "most_of", "order_of", "usual_size"]

TYPICAL = 64  # a size that has no number
FEW = 8  # of a size with no more values, each value is a case of its own
EXACT = 16  # sizes up to this are known
_UNKNOWN: Mapping[Symbol, int] = {}

# The first and the last value of an index.
Span: TypeAlias = tuple[Affine, Affine]


def usual_size(size: int) -> int:
    """About how large a size is: its first three binary digits, and all of a small one.

    Schedules are chosen by it, so that not each size has its own. Most sizes that people choose are such numbers: powers of two, 12,
    56, 224.
    """
    return size if size <= EXACT else size & -_step(size)


def order_of(size: int) -> int:
    """The power of two that is no larger than the size, or the size if it is small."""
    return size if size <= EXACT else 1 << (size.bit_length() - 1)


def most_of(usual: int) -> int:
    """The largest size of which that is said."""
    return usual if usual <= EXACT else usual + _step(usual) - 1


def _step(size: int) -> int:
    """How far apart usual sizes are there."""
    return 1 << (size.bit_length() - 3)


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
    def of(
        cls, kernel: Kernel, program: Program, usual: Mapping[Symbol, int] = _UNKNOWN
    ) -> Surroundings:
        """The surroundings of the steps of a kernel. `usual` has about how large the sizes are."""
        box = dict(zip(kernel.indices, kernel.extents, strict=True))
        typical = program.size_values({s: usual.get(s, TYPICAL) for s in program.sizes})
        around = {i: (constant(0), n - 1) for i, n in box.items()}
        known = program.known & Domain.box(box)
        return cls(around, known, typical, lane_limits_of(usual))

    @property
    def middle(self) -> dict[Symbol, int]:
        """Usual values of the sizes, and of the indices one in the middle."""
        middle = dict(self.typical)
        for i, (low, high) in self.around.items():
            middle[i] = (low.at(middle) + high.at(middle)) // 2
        return middle

    def within(self, loop: Loop) -> Surroundings:
        """The surroundings of the steps in the loop."""
        r = loop.range
        plain = r.only(lambda b: b.divisor == 1)
        around = dict(self.around)
        if plain.lows and plain.highs:
            around[r.index] = plain.lows[0].form, plain.highs[0].form
        known = self.known & Domain.of(r.conditions)
        return replace(self, around=around, known=known)
