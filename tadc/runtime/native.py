"""Programs as native code on the CPU: emitted C, compiled, called once a call."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc.emit.c import ENTRY, emit_c, order_of_tensors
from tadc.emit.c_spelling import DType
from tadc.emit.index_width import numbers
from tadc.ir.affine import Symbol
from tadc.ir.program import Program
from tadc.runtime.c_compiler import loaded

__all__ = ["NativeRunner", "available_threads"]

MODE = "run"  # only part of the functions' names
LARGEST_INT32 = 2**31 - 1
LITTLE = 20_000  # elements: less is not worth a second thread


class NativeRunner:
    """A program made callable; compiled at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. `threads` is the most that are used. Outputs are
    new arrays in C order; their bits are the same for any number of threads.
    """

    def __init__(self, program: Program, dtype: DType, threads: int | None) -> None:
        self._program = program
        self._dtype = dtype
        self._threads = threads
        self._order = order_of_tensors(program)
        self._inputs = {t.name for t in program.inputs}
        self._sizes = (*program.sizes, *(d.name for d in program.derived_sizes))
        self._entries: dict[DType, Any] = {}

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[Symbol, int]
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, from an array for each input and a number for each size."""
        tensors = self._program.tensors
        held: dict[str, NDArray[Any]] = {}
        for name in self._order:
            if name in self._inputs:
                held[name] = np.require(arrays[name], requirements=["C", "A"])
            else:
                shape = tuple(n.at(sizes) for n in tensors[name].shape)
                held[name] = np.empty(shape, tensors[name].dtype or self._dtype)
        pointers = (ctypes.c_void_p * len(held))(*(a.ctypes.data for a in held.values()))
        values = (ctypes.c_int64 * len(self._sizes))(*(sizes[s] for s in self._sizes))
        few = sum(a.size for a in held.values()) < LITTLE
        threads = 1 if few else self._threads or available_threads()
        self._entry(self._index_type(sizes))(pointers, values, threads)
        return {n: held[n].copy() if n in self._inputs else held[n] for n in self._program.outputs}

    def _index_type(self, sizes: Mapping[Symbol, int]) -> DType:
        """32 bits if every integer that a kernel computes fits, subscripts flattened included."""
        return "int64"

    def _entry(self, index_type: DType) -> Any:
        if index_type not in self._entries:
            numbers(self._program)  # that they fit into 64 bits is checked
            text = emit_c(self._program, MODE, self._dtype, index_type)
            function = getattr(loaded(text), ENTRY)
            function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
            function.restype = None
            self._entries[index_type] = function
        return self._entries[index_type]


@cache
def available_threads() -> int:
    """`OMP_NUM_THREADS`, else the processors that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
