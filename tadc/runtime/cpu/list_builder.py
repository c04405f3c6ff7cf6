"""Lists of positions made by native code: `templates/c/lists.c`, a stable counting sort by several threads."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from math import prod
from typing import Any, TypeAlias

from numpy.typing import NDArray

from tadc.emit.templates import template
from tadc.runtime.buffers import empty
from tadc.runtime.cpu.c_compiler import CannotCompile, Library, compiler, loaded
from tadc.schedule.rewrite.pieces import PIECE

__all__ = ["in_order", "is_worth_native_code", "rows_of", "sorted_list"]

Indices: TypeAlias = NDArray[Any]

FEW = 10_000  # positions: numpy sorts fewer as fast as the library is loaded
PER_THREAD = 50_000  # positions that are worth a thread
TYPES = {"int32": "int", "int64": "long long"}


def is_worth_native_code(positions: int) -> bool:
    """Whether so many positions are sorted by native code, where there is a compiler."""
    if positions < FEW:
        return False
    try:
        return compiler() is not None and bool(_library("int32"))
    except CannotCompile:
        return False


def sorted_list(
    arrays: Sequence[Indices], lows: Sequence[int], counts: Sequence[int], threads: int
) -> tuple[Indices, Indices]:
    """Where each key begins, in rows of one number more than the last of `counts`, and the positions in the order of their keys.

    The arrays are of one type and size, and in C order. Raises CannotCompile.
    """
    size, dtype, keys = arrays[0].size, arrays[0].dtype, prod(counts)
    # Each thread counts all keys on its own.
    chunks = max(1, min(threads, size // PER_THREAD, 2 * size // max(1, keys)))
    begin = empty((*counts[:-1], counts[-1] + 1), dtype)
    positions, places = empty((size,), dtype), empty((keys * chunks,), dtype)
    numbers = ctypes.c_longlong * len(counts)
    found = _library(dtype.name)["sorted_list"](
        ctypes.c_int(len(arrays)),
        (ctypes.c_void_p * len(arrays))(*(a.ctypes.data for a in arrays)),
        numbers(*lows),
        numbers(*counts),
        ctypes.c_longlong(size),
        *map(_pointer, (begin, positions, places)),
        ctypes.c_int(chunks),
    )
    return begin, positions[:found]


def in_order(of: Indices, positions: Indices, threads: int) -> Indices:
    """The elements at these positions; the arrays are of one type, and in C order. Raises CannotCompile."""
    ordered = empty(positions.shape, positions.dtype)
    _library(of.dtype.name)["in_order"](
        *map(_pointer, (of, positions)),
        ctypes.c_longlong(len(positions)),
        _pointer(ordered),
        ctypes.c_int(max(1, min(threads, len(positions) // PER_THREAD))),
    )
    return ordered


def rows_of(first: Indices, last: Indices, elements: int) -> tuple[Indices, Indices]:
    """Where each element begins, and one more; and the rows `first..last` that hold it, ascending. Raises CannotCompile."""
    dtype, f = first.dtype, _library(first.dtype.name)["rows_of"]
    begin, places = empty((elements + 1,), dtype), empty((elements,), dtype)

    def run(rows: Indices | None) -> int:
        pointers = map(_pointer, (first, last))
        sizes = map(ctypes.c_longlong, (len(first), elements))
        given = None if rows is None else _pointer(rows)
        count: int = f(*pointers, *sizes, _pointer(begin), given, _pointer(places))
        return count

    rows = empty((run(None),), dtype)
    run(rows)
    return begin, rows


@cache
def _library(dtype: str) -> Library:
    text = template("c/lists.c").render(
        integer=TYPES[dtype],
        linkage="",
        sorts=True,
        distinct=False,
        rows=True,
        pieces=False,
        orders=True,
        piece=PIECE,
    )
    library = loaded(f"#include <stddef.h>\n#include <string.h>\n\n{text}")
    library["in_order"].restype = None
    for name in ("sorted_list", "rows_of"):
        library[name].restype = ctypes.c_longlong
    return library


def _pointer(array: Indices) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
