"""Copies of index tensors and of their lists in the memory of a GPU, each kept as long as the array that it was made from.

These arrays are tadc's own, and nobody can write them: those of a `tadc.Index` are copied once, those of a call with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from typing import Any
from weakref import ref

from numpy.typing import NDArray

from tadc.runtime.cuda.arrays import cupy, is_gpu_array, on_one_device

__all__ = ["beside", "device_of", "resident"]

# By the identity of an array and the number of a device.
_copies: dict[tuple[int, int], tuple[ref[NDArray[Any]], Any]] = {}
_lock = Lock()


def device_of(arrays: Mapping[str, Any]) -> int | None:
    """The number of the GPU that has the arrays of a call; None where they are the host's."""
    given = {n: a for n, a in arrays.items() if is_gpu_array(a)}
    return on_one_device(given.items()) if given else None


def beside(device: int | None, own: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays of tadc's own where those of a call are: as they are, or their copies on its GPU, unless they are there."""
    if device is None:
        return dict(own)
    return {n: a if is_gpu_array(a) else resident(a, device) for n, a in own.items()}


def resident(array: NDArray[Any], device: int) -> Any:
    """The copy of an array on a device. The array is one that nobody can write."""
    assert not array.flags.writeable, "a copy of what may change"
    key = id(array), device
    with _lock:
        known = _copies.get(key)
    if known is not None and known[0]() is array:
        return known[1]
    xp = cupy()
    with xp.cuda.Device(device):
        copy = xp.asarray(array)
        xp.cuda.get_current_stream().synchronize()  # calls on other streams read it too
    with _lock:
        _copies[key] = ref(array, lambda _: _copies.pop(key, None)), copy
    return copy
