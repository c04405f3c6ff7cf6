"""Arrays for results, in memory that earlier results have left: the first touch of fresh memory costs more than a kernel."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from ctypes import c_char
from math import prod
from threading import Lock
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

__all__ = ["are_fit", "empty"]

LARGE = 2**21  # bytes: smaller arrays are numpy's
MOST_KEPT = 2**29  # bytes of memory that nobody uses

_lock = Lock()
_free: OrderedDict[int, NDArray[np.uint8]] = OrderedDict()  # by id, the longest unused first


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """An array of undefined elements in C order. Its memory is kept for another one when the last view of it is gone."""
    size = prod(shape) * dtype.itemsize
    if size < LARGE:
        return np.empty(shape, dtype)
    memory = _taken(size)
    # Views hold on to `block`, not to the array that is returned.
    block: Any = (c_char * memory.size).from_buffer(memory)  # type: ignore[arg-type]
    finalize(block, _give, memory).atexit = False
    return np.ndarray(shape, dtype, buffer=block)


def are_fit(
    into: Sequence[Any],
    expected: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    inputs: Sequence[Any],
    kind: Any = np.ndarray,
) -> bool:
    """Whether a launcher may write its outputs to these arrays: they are all there is to write, and overlap nothing.

    `expected` has the shape and type of each, `kind` is numpy's or CuPy's array.
    """
    if len(into) != len(expected):
        return False
    for n, (array, (shape, dtype)) in enumerate(zip(into, expected, strict=True)):
        if type(array) is not kind or (array.shape, array.dtype) != (shape, dtype):
            return False
        if not array.flags.c_contiguous or not getattr(array.flags, "carray", True):
            return False
        if any(np.may_share_memory(array, other) for other in (*inputs, *into[:n])):
            return False
    return True


def _taken(size: int) -> NDArray[np.uint8]:
    with _lock:
        for key, memory in _free.items():
            if memory.size == size:
                return _free.pop(key)
    return np.empty(size, np.uint8)


def _give(memory: NDArray[np.uint8]) -> None:
    # The collector may call this in the middle of anything, of `_taken` too: what cannot be kept at once is let go.
    if _lock.acquire(blocking=False):
        try:
            _free[id(memory)] = memory
            while sum(m.size for m in _free.values()) > MOST_KEPT:
                _free.popitem(last=False)
        finally:
            _lock.release()
