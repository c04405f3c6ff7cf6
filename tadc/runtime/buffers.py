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

__all__ = ["are_apart", "are_fit", "are_separate", "copied", "empty", "overlap", "overlaps_itself"]

LARGE = 2**21  # bytes: smaller arrays are numpy's
MOST_KEPT = 2**29  # bytes of unused memory

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


def copied(array: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """A copy in C order, of that type."""
    copy = empty(array.shape, dtype)
    np.copyto(copy, array, casting="unsafe")
    return copy


def are_fit(
    into: Sequence[Any],
    expected: Sequence[tuple[tuple[int, ...], np.dtype[Any]]],
    inputs: Sequence[Any],
    kind: Any = np.ndarray,
) -> bool:
    """Whether a launcher may write its outputs to these arrays (None is a new one): they overlap nothing.

    `expected` has the shape and type of each, `kind` is numpy's or CuPy's array.
    """
    if len(into) != len(expected):
        return False
    for array, (shape, dtype) in zip(into, expected, strict=True):
        if array is None:
            continue
        if type(array) is not kind or (array.shape, array.dtype) != (shape, dtype):
            return False
        if not array.flags.c_contiguous or not getattr(array.flags, "carray", True):
            return False
    return are_separate(into) and are_apart(into, inputs)


def are_separate(arrays: Sequence[Any]) -> bool:
    """Whether none of these arrays overlaps another one; or might, where they have strides. None is no array."""
    given = [a for a in arrays if a is not None]
    return not any(may_overlap(a, b) for n, a in enumerate(given) for b in given[:n])


def are_apart(arrays: Sequence[Any], others: Sequence[Any]) -> bool:
    """Whether none of the arrays overlaps any of the others; or might, where they have strides. None is no array."""
    return not any(may_overlap(a, b) for a in arrays if a is not None for b in others)


def may_overlap(a: Any, b: Any) -> bool:
    """Whether two arrays may share an element. Arrays of pyopencl do if they are in one buffer."""
    if type(a) is type(b) is np.ndarray:  # for most calls
        return np.may_share_memory(a, b)
    if hasattr(a, "base_data") or hasattr(b, "base_data"):
        return bool(getattr(a, "base_data", a) == getattr(b, "base_data", b))
    return np.may_share_memory(a, b)


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share an element; it may take long. Those of pyopencl do if they are in one buffer."""
    return may_overlap(a, b) and (hasattr(a, "base_data") or np.shares_memory(a, b))


def overlaps_itself(shape: tuple[int, ...], strides: tuple[int, ...], itemsize: int) -> bool:
    """Whether two elements of an array share a byte; the strides are in bytes."""
    if 0 in shape:
        return False
    long = sorted((abs(step), n) for n, step in zip(shape, strides, strict=True) if n > 1)
    size = itemsize
    for step, n in long:
        if step < size:
            break
        size += step * (n - 1)
    else:
        return False  # every dimension steps over all that the shorter steps reach
    if any(step == 0 for step, _ in long):
        return True
    places = np.zeros(1, np.int64)
    for step, n in long:
        places = np.add.outer(places, step * np.arange(n)).ravel()
    return bool((np.diff(np.sort(places)) < itemsize).any())


def _taken(size: int) -> NDArray[np.uint8]:
    with _lock:
        for key, memory in reversed(_free.items()):  # caches hold most of what was used last
            if memory.size == size:
                return _free.pop(key)
    return np.empty(size, np.uint8)


def _give(memory: NDArray[np.uint8]) -> None:
    # The collector may call this in the middle of anything, of `_taken` too: memory that cannot be kept at once is released.
    if _lock.acquire(blocking=False):
        try:
            _free[id(memory)] = memory
            while sum(m.size for m in _free.values()) > MOST_KEPT:
                _free.popitem(last=False)
        finally:
            _lock.release()
