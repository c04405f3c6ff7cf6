"""Programs as native code on the CPU: emitted C, compiled, called once a call."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc.emit.c import emit_c
from tadc.emit.c_spelling import DType
from tadc.emit.index_width import numbers
from tadc.emit.launcher import modes_of
from tadc.ir.affine import Symbol
from tadc.ir.program import Program
from tadc.runtime.c_compiler import loaded

__all__ = ["NativeRunner", "available_threads"]

MODE = "run"  # only part of the functions' names
_C_INTEGER = {"int32": ctypes.c_int, "int64": ctypes.c_longlong}
LITTLE = 20_000  # elements: less is not worth a second thread


class NativeRunner:
    """A program made callable; compiled at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. `threads` is the most that are used. Outputs are
    new arrays in C order; their bits are the same for any number of threads.
    """

    def __init__(self, program: Program, dtype: DType, threads: int | None) -> None:
        self._dtype = dtype
        self._threads = threads
        (self._mode,) = modes_of({MODE: program})
        self._outputs = program.outputs
        self._launchers: dict[DType, Any] = {}

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[Symbol, int]
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, from an array for each input and a number for each size."""
        program = self._mode.program
        inputs = [np.require(arrays[t.name], requirements=["C", "A"]) for t in program.inputs]
        outputs = []
        for name in program.outputs:
            tensor = program.tensors[name]
            shape = tuple(n.at(sizes) for n in tensor.shape)
            outputs.append(np.empty(shape, tensor.dtype or self._dtype))
        workspace = np.empty(self._mode.workspace_bytes_at(sizes, self._dtype), np.uint8)
        held = (*inputs, *outputs, workspace)
        few = sum(a.size for a in held) < LITTLE
        threads = 1 if few else self._threads or available_threads()
        launcher = self._launcher("int64")
        status = launcher(
            *(a.ctypes.data for a in held), *(sizes[s] for s in program.sizes), threads
        )
        assert status == 0, "sizes were checked before"
        return dict(zip(self._outputs, outputs, strict=True))

    def _launcher(self, index_type: DType) -> Any:
        if index_type not in self._launchers:
            program = self._mode.program
            numbers(program)  # that they fit into 64 bits is checked
            launcher = getattr(
                loaded(emit_c({MODE: program}, self._dtype, index_type)), self._mode.launcher
            )
            pointers = [ctypes.c_void_p] * (len(program.inputs) + len(program.outputs) + 1)
            sizes = [_C_INTEGER[index_type]] * len(program.sizes)
            launcher.argtypes = [*pointers, *sizes, ctypes.c_int]
            launcher.restype = ctypes.c_int
            self._launchers[index_type] = launcher
        return self._launchers[index_type]


@cache
def available_threads() -> int:
    """`OMP_NUM_THREADS`, else the processors that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
