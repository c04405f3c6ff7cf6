"""Programs on the CPU through numpy: the emitted module, executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from numpy.typing import NDArray

from tadc.emit.numpy import emit_numpy
from tadc.emit.numpy_names import identifier, program_names
from tadc.ir.affine import Symbol
from tadc.ir.program import Program

__all__ = ["NumpyRunner"]

MODE = "run"  # only part of the function's name
MOST_EMPTIED = 64

Compiled: TypeAlias = Callable[..., tuple[NDArray[Any], ...]]


class NumpyRunner:
    """A program made callable. Its text is made at the first call; where a size is 0, once for these sizes.

    `dtype` is the element type of tensors without a declared one. Outputs are new arrays in C order.
    """

    def __init__(self, program: Program, dtype: str) -> None:
        self.program = program
        self.dtype = dtype
        self._emptied: dict[tuple[int, ...], Compiled] = {}

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[Symbol, int]
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, from an array for each input and a number for each size."""
        inputs = [arrays[t.name] for t in self.program.inputs]
        if min(self.program.size_values(sizes).values(), default=1) < 1:
            outputs = self._specialised(sizes)(*inputs)
        else:
            names = program_names(self.program)
            outputs = self._general(*inputs, **{names[s]: sizes[s] for s in self.program.sizes})
        return dict(zip(self.program.outputs, outputs, strict=True))

    @cached_property
    def _general(self) -> Compiled:
        return _compiled(self.program, self.dtype)

    def _specialised(self, sizes: Mapping[Symbol, int]) -> Compiled:
        """For sizes of which one is 0: the text supposes that they are not."""
        key = tuple(sizes[s] for s in self.program.sizes)
        if key not in self._emptied:
            if len(self._emptied) >= MOST_EMPTIED:
                self._emptied.clear()
            self._emptied[key] = _compiled(self.program.specialised(sizes), self.dtype)
        return self._emptied[key]


def _compiled(program: Program, dtype: str) -> Compiled:
    text = emit_numpy(program, MODE, dtype)
    name = f"{identifier(program.name)}_{MODE}"
    module: dict[str, Any] = {}
    exec(compile(text, f"<{name}>", "exec"), module)
    function: Compiled = module[name]
    return function
