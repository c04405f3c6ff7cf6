"""Many small systems, factored and solved by native code whose number of rows is a constant: `templates/c/small_blocks.c`."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tadc.emit.clike.text import REAL
from tadc.resources import resource
from tadc.runtime.cpu.c_compiler import loaded
from tadc.runtime.linear.block import Array

__all__ = ["SmallBlocks"]

LITTLE = 20_000  # multiplications: fewer are not worth a second thread


@cache
def _library(m: int, dtype: str) -> Any:
    text = resource("templates/c/small_blocks.c").read_text("utf-8")
    return loaded(f"#define REAL {REAL[dtype]}\n#define M {m}\n{text}")


@dataclass(frozen=True, slots=True)
class SmallBlocks:
    """LU factors of matrices (count, m, m), with their reciprocal condition numbers in the 1-norm (NaN where there is none)."""

    factors: Array
    orders: Array
    rcond: Array
    threads: int

    @classmethod
    def of(cls, matrices: Array, threads: int) -> SmallBlocks:
        """The factors take the place of the matrices, where these are contiguous. Raises CannotCompile."""
        factors = np.ascontiguousarray(matrices)
        count, m, _ = factors.shape
        orders, rcond = np.empty((count, m), np.intc), np.empty(count, factors.dtype)
        threads = threads if factors.size * m > LITTLE else 1
        factor = _library(m, factors.dtype.name)["factor"]
        factor(
            *map(_pointer, (factors, orders, rcond)),
            ctypes.c_ssize_t(count),
            ctypes.c_int(threads),
        )
        return cls(factors, orders, rcond, threads)

    def solved(self, rows: Array, *, transposed: bool) -> Array:
        """The right sides (count, m), which become the solutions."""
        count, m = rows.shape
        solve = _library(m, rows.dtype.name)["solve"]
        solve(
            *map(_pointer, (self.factors, self.orders, rows)),
            ctypes.c_int(transposed),
            ctypes.c_ssize_t(count),
            ctypes.c_int(self.threads),
        )
        return rows

    @property
    def pivots(self) -> Array:
        pivots: Array = np.einsum("kii->ki", self.factors)
        return pivots


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
