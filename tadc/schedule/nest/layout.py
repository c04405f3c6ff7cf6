"""Where elements of tensors lie in memory, for schedules: how far apart neighbours of an index read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.program import Program

__all__ = ["NOWHERE", "Layout"]


@dataclass(frozen=True, slots=True)
class Layout:
    """How many elements lie between neighbours along each dimension of a tensor, by its name, for numbers for all sizes."""

    steps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, program: Program, sizes: Mapping[Symbol, int]) -> Layout:
        steps: dict[str, tuple[int, ...]] = {}
        for name, t in program.tensors.items():
            extents = [max(1, n.at(sizes)) for n in t.shape]
            steps[name] = tuple(prod(extents[d + 1 :]) for d in range(len(extents)))
        return cls(steps)

    def apart(self, tensor: str, subscripts: Sequence[Affine], index: Symbol) -> int | None:
        """How many elements lie between those of neighbours in the index; None where that is not known."""
        if tensor not in self.steps:
            return None
        pairs = zip(self.steps[tensor], subscripts, strict=True)
        return abs(sum(step * form.coefficient(index) for step, form in pairs))


NOWHERE = Layout()
