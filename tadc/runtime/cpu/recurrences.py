"""Recurrences as native code: an output that is computed point by point from its own elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.emit.clike.spelling import DType
from tadc.ir.affine import Symbol
from tadc.ir.program import Program
from tadc.options import Options
from tadc.runtime.cpu.c_compiler import processor
from tadc.runtime.cpu.native import MODE, NativeRunner
from tadc.schedule.lowered import CpuModule, Decisions
from tadc.schedule.rewrite.recurrence import Order, Recurrence

__all__ = ["RecurrenceRunner"]


class RecurrenceRunner(NativeRunner):
    """A program whose one output takes the place of the input `seed`, made callable."""

    def __init__(
        self,
        program: Program,
        seed: str,
        order: Order,
        found: Recurrence,
        dtype: DType,
        options: Options,
    ) -> None:
        super().__init__(program, dtype, options)
        self._seed = seed
        self._order = order
        self._found = found

    @classmethod
    def of(
        cls,
        program: Program,
        seed: str,
        order: Order,
        dtype: str,
        options: Options,
        sizes: Mapping[Symbol, int],
        most: int,
    ) -> RecurrenceRunner | None:
        """The runner; None where the program should not run point by point (`compiler.recurrence_of`)."""
        found = compiler.recurrence_of(program, seed, order, sizes, most)
        return None if found is None else cls(program, seed, order, found, dtype, options)  # type: ignore[arg-type]

    def solution(self, inputs: Sequence[NDArray[Any]], sizes: Mapping[Symbol, int]) -> NDArray[Any]:
        """The output, from arrays for the inputs but the seed, in their order."""
        launch = self.launch(sizes)
        ((shape, dtype),) = launch.outputs
        solution = np.zeros(shape, dtype)
        arrays = [
            np.require(a, self._type(n), ["C", "A"])
            for n, a in zip(self._names, inputs, strict=True)
        ]
        arrays.insert(self._place, solution)  # its elements that are not known yet are 0
        launch(arrays, [solution])
        return solution

    def _type(self, name: str) -> np.dtype[Any]:
        return np.dtype(self._program.tensors[name].dtype or self._dtype)

    @cached_property
    def _place(self) -> int:
        return [t.name for t in self._program.inputs].index(self._seed)

    @cached_property
    def _names(self) -> list[str]:
        return [t.name for t in self._program.inputs if t.name != self._seed]

    @cached_property
    def _key(self) -> str:
        return f"{super()._key} {self._seed} {self._order}"

    def _lowered(
        self, decisions: Decisions, *, blas: bool
    ) -> CpuModule:  # it has no matrix products
        return compiler.lowered_recurrence(self._found, MODE, decisions, processor())
