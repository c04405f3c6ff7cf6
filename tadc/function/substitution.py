"""Triangular blocks, solved by substitution: a recurrence in native code, for as many operations as a product."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc.inverse.structure import Structure
from tadc.runtime.cpu.recurrences import RecurrenceRunner
from tadc.runtime.linear import Block
from tadc.runtime.linear.block import Array, check_pivots
from tadc.schedule.rewrite.recurrence import Order

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Substitution"]


class Substitution:
    """The solutions of a step of one tensor `x`, whose program is `part`."""

    def __init__(self, part: Function, x: str, s: Structure) -> None:
        self._part = part
        self._x = x
        self._order = Order(s.sequential)
        self._entries = s.entries  # of the matrices that would do without
        self._runners: dict[tuple[bool, str], RecurrenceRunner | None] = {}

    def block(
        self,
        primals: Sequence[Array],
        sizes: Mapping[str, int],
        mask: Array | None,
        dtype: np.dtype[Any],
        *,
        check: bool,
    ) -> Block | None:
        """The block at a point; None where a solution cannot run point by point. Raises Singular."""
        forward = self._runner(False, dtype, sizes)
        backward = self._runner(True, dtype, sizes)
        diagonal = self._part._derivative("diagonal", (self._x,))
        (pivots,) = diagonal.calls(primals, {s: n for s, n in sizes.items() if s in diagonal.sizes})
        pivots = pivots if mask is None else np.where(mask, pivots, 1)
        bad = ~np.isfinite(pivots) | (pivots == 0)
        if check:
            check_pivots(pivots[None])
        if forward is None or backward is None:
            return None
        return _Block(forward, backward, primals, sizes, np.where(bad, np.nan, pivots), mask)

    def _runner(
        self, transposed: bool, dtype: np.dtype[Any], sizes: Mapping[str, int]
    ) -> RecurrenceRunner | None:
        key = transposed, dtype.name
        if key not in self._runners:
            mode = "substitution-transposed" if transposed else "substitution"
            f = self._part._derivative(mode, (self._x,))
            order = self._order.reversed if transposed else self._order
            solution = f.inputs[-3]
            numbers = {s: sizes[s] for s in f.sizes}
            self._runners[key] = RecurrenceRunner.of(
                f.program, solution, order, dtype.name, f._options, numbers, self._entries
            )
        return self._runners[key]


@dataclass(frozen=True, slots=True)
class _Block:
    forward: RecurrenceRunner
    backward: RecurrenceRunner
    primals: Sequence[Array]
    sizes: Mapping[str, int]
    pivots: Array
    mask: Array | None

    def solve(self, b: Array, *, transposed: bool) -> Array:
        (right,) = b
        known = right if self.mask is None else np.where(self.mask, right, 0)
        runner = self.backward if transposed else self.forward
        solution = runner.solution((*self.primals, known, self.pivots), self.sizes)
        return (solution if self.mask is None else np.where(self.mask, solution, right))[None]

    @property
    def log_pivots(self) -> Array:
        return np.log(np.abs(self.pivots))[None]
