"""Programs on the CPU through numpy: the emitted module, executed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from numpy.typing import NDArray

from tadc.emit.numpy.module import emit_numpy
from tadc.emit.numpy.names import identifier, program_names
from tadc.ir.affine import Symbol
from tadc.ir.program import Program

__all__ = ["NumpyRunner"]

MODE = "run"  # only part of the function's name

Compiled: TypeAlias = Callable[..., tuple[NDArray[Any], ...]]


class NumpyRunner:
    """A program made callable; its text is made at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. Outputs are new arrays in C order.
    """

    def __init__(self, program: Program, dtype: str) -> None:
        self.program = program
        self.dtype = dtype

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[Symbol, int]
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, from an array for each input and a number for each size."""
        inputs = [arrays[t.name] for t in self.program.inputs]
        names = program_names(self.program)
        outputs = self._compiled(*inputs, **{names[s]: sizes[s] for s in self.program.sizes})
        return dict(zip(self.program.outputs, outputs, strict=True))

    @cached_property
    def _compiled(self) -> Compiled:
        return _compiled(self.program, self.dtype)


def _compiled(program: Program, dtype: str) -> Compiled:
    text = emit_numpy(program, MODE, dtype)
    name = f"{identifier(program.name)}_{MODE}"
    module: dict[str, Any] = {}
    exec(compile(text, f"<{name}>", "exec"), module)
    function: Compiled = module[name]
    return function
