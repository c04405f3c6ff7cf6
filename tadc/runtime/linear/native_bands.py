"""Narrow bands, assembled, factored and solved by native code whose widths are constants: `templates/c/bands.c`."""

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

__all__ = ["MOST_WIDTH", "NativeBand", "assembled_band"]

MOST_WIDTH = 16  # diagonals: LAPACK takes wider bands block by block


@cache
def _library(below: int, above: int, dtype: str) -> Any:
    text = resource("templates/c/bands.c").read_text("utf-8")
    library = loaded(f"#define REAL {REAL[dtype]}\n#define P {below}\n#define Q {above}\n{text}")
    library["factor"].restype = ctypes.c_ssize_t
    return library


def assembled_band(
    products: Array, kept: Array | None, below: int, above: int
) -> tuple[Array, Array, Array]:
    """The band by row, (systems * rows, below + 1 + above), from products with its colours, (colours, systems, rows); and by
    system the largest sum of magnitudes in a row, and the least excess of the diagonal over the rest of its row.

    Raises CannotCompile.
    """
    width, systems, rows = products.shape
    products = np.ascontiguousarray(products)
    mask = None if kept is None else np.ascontiguousarray(kept, np.uint8)
    band = np.empty((systems * rows, width), products.dtype)
    norms, excesses = np.empty((2, systems), products.dtype)
    _library(below, above, products.dtype.name)["assemble"](
        _pointer(products),
        None if mask is None else _pointer(mask),
        *map(_pointer, (band, norms, excesses)),
        *map(ctypes.c_ssize_t, (systems, rows)),
    )
    return band, norms, excesses


@dataclass(frozen=True, slots=True)
class NativeBand:
    """LU factors of a band that was assembled, times the scales of its systems."""

    below: int
    above: int
    upper: Array
    lower: Array
    order: Array
    singular: int | None  # a row without a pivot

    @classmethod
    def of(cls, band: Array, scales: Array, below: int, above: int) -> NativeBand:
        """The factors take the place of the band."""
        n = len(band)
        lower, order = np.empty((n, below), band.dtype), np.empty(n, np.uint8)
        first = _library(below, above, band.dtype.name)["factor"](
            *map(_pointer, (band, scales, lower, order)),
            *map(ctypes.c_ssize_t, (len(scales), n // len(scales))),
        )
        return cls(below, above, band, lower, order, None if first == n else first)

    def solved(self, b: Array, *, transposed: bool = False) -> Array:
        n = len(self.upper)
        x = np.zeros(n + self.below + self.above, self.upper.dtype)
        x[:n] = b.reshape(-1)
        _library(self.below, self.above, x.dtype.name)["solve"](
            *map(_pointer, (self.upper, self.lower, self.order, x)),
            ctypes.c_int(transposed),
            ctypes.c_ssize_t(n),
        )
        return x[:n]

    @property
    def pivots(self) -> Array:
        return self.upper[:, 0]


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
