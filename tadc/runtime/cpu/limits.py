"""What a machine does at most in a second, measured: bytes of memory, arithmetic, and functions such as the exponential."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from tadc.emit.clike.spelling import DType
from tadc.emit.clike.text import REAL
from tadc.resources import resource
from tadc.runtime.buffers import empty
from tadc.runtime.cpu.c_compiler import loaded

__all__ = ["Limits", "limits"]

STEPS = 500_000  # of multiplications with additions
SUMS = 16  # of vectors of VECTOR bytes in a step
VECTOR = 64
TURNS = 2_000  # of exponentials of CACHED numbers a thread
CACHED = 1024
MEMORY = 2**27  # bytes that are read, and copied: more than caches hold


@dataclass(frozen=True, slots=True)
class Limits:
    """A machine's rates, of so many threads and one element type: the best of a few repetitions.

    An operation is a multiplication or an addition, which run in pairs. Of reading memory and of copying it past the caches,
    the faster counts. The function is an exponential of numbers in the innermost cache.
    """

    bytes_per_second: float
    operations_per_second: float
    functions_per_second: float

    def seconds(self, bytes_: int, operations: int, functions: int) -> dict[str, float]:
        """The least time that each kind of work takes, by its name; `operations` are without the functions."""
        return {
            "memory": bytes_ / self.bytes_per_second,
            "arithmetic": operations / self.operations_per_second,
            "special functions": functions / self.functions_per_second,
        }


def limits(threads: int, dtype: DType, repetitions: int = 30) -> Limits:
    """The limits of this machine, measured now. Raises BackendError where there is no C compiler."""
    text = resource("templates/c/limits.c").read_text("utf-8")
    library = loaded(f"#define REAL {REAL[dtype]}\n{text}")
    real = np.dtype(dtype)
    lanes = VECTOR // real.itemsize
    x, cached = (np.full(threads * n, 0.5, real) for n in (lanes, CACHED))
    sum_ = np.zeros(1, real)
    source, target = (empty((MEMORY // real.itemsize,), real) for _ in "xy")
    source.fill(1)
    target.fill(1)  # so that there are pages of memory

    def run(name: str, *arguments: Any) -> Callable[[], Any]:
        given = [
            ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else ctypes.c_int64(a)
            for a in arguments
        ]
        function = library[name]
        return lambda: function(*given, ctypes.c_int(threads))

    work = (
        (2 * threads * STEPS * SUMS * lanes, run("multiply_add", x, STEPS)),
        (MEMORY, run("read_all", source, source.size, sum_)),
        (2 * MEMORY, run("copy_all", source, source.size, target)),
        (threads * TURNS * CACHED, run("exponentials", cached, TURNS)),
    )
    best = [0.0] * len(work)
    for _ in range(repetitions):
        for k, (amount, call) in enumerate(work):
            start = perf_counter()
            call()
            best[k] = max(best[k], amount / (perf_counter() - start))
    operations, read, copied, functions = best
    return Limits(max(read, copied), operations, functions)
