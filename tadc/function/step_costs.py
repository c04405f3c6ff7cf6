"""The operations of inverse modes, step by step: what their programs count, and what elimination takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tadc.inverse.structure import Structure

if TYPE_CHECKING:
    from tadc.function.steps import Step

__all__ = ["ModeCost", "StepCost", "eliminations", "substitutions"]


@dataclass(frozen=True, slots=True)
class StepCost:
    """Operations of a step: of its own values, the entries of its block, the elimination of the block, a solution, and the
    product with the values that it keeps.
    """

    number: int
    kind: str
    values: int
    entries: int
    elimination: int
    solution: int
    product: int

    @property
    def operations(self) -> int:
        return self.values + self.entries + self.elimination + self.solution + self.product

    @classmethod
    def of(cls, step: Step, mode: str, *, is_last: bool) -> StepCost:
        """The cost in a mode. The values after the last step are not needed; `logdet` solves nothing."""
        s = step.structure
        solves = mode != "logdet"
        entries, by_substitution = step.entry_operations()
        return cls(
            step.number,
            str(s),
            0 if is_last else step.value_operations(),
            entries,
            0 if by_substitution else eliminations(s),
            (by_substitution or substitutions(s)) if solves else s.systems * s.m,
            step.product_operations(transposed=mode == "inverse-adjoint") if solves else 0,
        )


@dataclass(frozen=True, slots=True)
class ModeCost:
    """The cost of an inverse mode, in the order of the program. Prints as a table."""

    steps: tuple[StepCost, ...]

    @property
    def operations(self) -> int:
        return sum(s.operations for s in self.steps)

    def __str__(self) -> str:
        head = ("step", "values", "entries", "elimination", "solution", "product", "all", "kind")
        rows = [head, *(_row(s) for s in self.steps)]
        widths = [max(len(r[k]) for r in rows) for k in range(len(head) - 1)]
        lines = [
            "  ".join([*(c.rjust(w) for c, w in zip(r, widths, strict=False)), r[-1]]) for r in rows
        ]
        return "\n".join([*lines, f"operations: {self.operations}"])


def _row(s: StepCost) -> Sequence[str]:
    numbers = s.number, s.values, s.entries, s.elimination, s.solution, s.product, s.operations
    return (*map(str, numbers), s.kind)


def eliminations(s: Structure) -> int:
    """The operations of the LU factors of all systems."""
    if s.kind in ("diagonal", "bijection", "triangular"):
        return 0
    if band := _band(s):  # with room for exchanged rows
        below, above = band
        return s.systems * s.m * below * (1 + 2 * (below + above))
    return s.systems * sum(k * (1 + 2 * k) for k in range(s.m))


def substitutions(s: Structure) -> int:
    """The operations of one solution of all systems, by factors; of a diagonal its divisions."""
    if s.kind in ("diagonal", "bijection"):
        return s.systems * s.m
    if band := _band(s):
        below, above = band
        return s.systems * s.m * (1 + 2 * below + 2 * (below + above))
    return s.systems * (s.m * s.m if s.kind == "triangular" else s.m * (2 * s.m - 1))


def _band(s: Structure) -> tuple[int, int] | None:
    """The diagonals below and above that of the band that is solved, if it is one; a ring is folded."""
    if s.kind == "cyclic":
        return (2 * max(s.below, s.above),) * 2
    return (s.below, s.above) if s.is_band else None
