"""The determinant of a program that runs round by round, as programs: log |det J| is the sum of those of its segments.

Frameworks differentiate it: each round is a call of the segment and of the program of its determinant.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tadc.errors import BackendError
from tadc.function.function import Function
from tadc.function.inverse_modes import InverseMode
from tadc.function.origin import Origin
from tadc.function.rolled import Part, Rolled
from tadc.function.rolled_mode import RolledMode
from tadc.function.steps import steps_of
from tadc.function.sweeps import part_sides, sizes_of_shapes

__all__ = ["RolledVolume", "volume_of"]


class RolledVolume(RolledMode):
    """The inputs of a program with long loops; one output, `logdet`. `programs` are the determinants of its segments."""

    def __init__(self, f: Rolled, programs: Mapping[Part, Function]) -> None:
        super().__init__(f)
        self.programs = programs
        self.inputs = f.inputs
        self.outputs = ("logdet",)

    @property
    def name(self) -> str:
        return f"{self.of_function.name}_logdet"

    @property
    def _origin(self) -> Origin:
        return replace(self.of_function._origin, derivations=(("logdet", ()),))


def volume_of(
    mode: InverseMode, shapes: Mapping[str, tuple[int, ...]], sizes: Mapping[str, int]
) -> RolledVolume | None:
    """The determinant `mode` of long loops, for inputs of these shapes.

    None of other functions, and where a segment has no program: it reads the index of a loop, or has large systems.
    """
    f = mode.closed(shapes, sizes)
    if not isinstance(f, Rolled) or mode.batch_dims:
        return None
    programs: dict[Part, Function] = {}
    numbers = sizes_of_shapes(f, shapes)
    for part in f.parts:
        if part.segment.indices:
            return None
        g = part.function.fix(**{s: n for s, n in numbers.items() if s in part.function.sizes})
        sides = part_sides(f, part, g)
        if not sides.of:
            continue
        try:
            for step in steps_of(g, sides.wrt, sides.of, mode.solver):
                step.check_written_out(solves=False)
        except BackendError:
            return None
        programs[part] = g._derivative("logdet", (*sides.wrt, "|", *sides.of))
    return RolledVolume(f, programs)
