"""OpenCL through pyopencl: the device that is used where none is given, and arrays in its memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import numpy as np

from tadc.errors import ArgumentError, BackendError

__all__ = [
    "as_cl_array",
    "by_host",
    "default_queue",
    "dense",
    "devices",
    "empty",
    "is_cl_array",
    "on_one_context",
    "pyopencl",
]

MOST_QUEUES = 16  # whose memory is kept for later arrays


@cache
def pyopencl() -> Any:
    """Pyopencl with its arrays. Raises BackendError where it is not installed."""
    try:
        import pyopencl.array
        import pyopencl.tools
    except ImportError as error:
        raise BackendError(
            None,
            f"`backend='opencl'` needs pyopencl, which cannot be imported: {error}",
            fix="pip install 'tadc[opencl]'",
        ) from None
    return pyopencl


@cache
def default_queue() -> Any:
    """A queue on the first GPU of the machine, or on its first device of any kind. Raises BackendError where it has none."""
    all_devices = _devices()
    if not all_devices:
        raise BackendError(
            None,
            "there is no device of OpenCL",
            fix="install the driver of your GPU, or PoCL for the CPU: pip install pocl-binary-distribution",
        )
    cl = pyopencl()
    gpus = [d for d in all_devices if d.type & cl.device_type.GPU]
    return cl.CommandQueue(cl.Context([(gpus or all_devices)[0]]))


def devices() -> list[str]:
    """The names of the devices that OpenCL finds."""
    try:
        return [f"{d.name.strip()} ({d.platform.name.strip()})" for d in _devices()]
    except BackendError:
        return []


def _devices() -> list[Any]:
    cl = pyopencl()
    try:
        platforms = cl.get_platforms()
    except cl.Error:  # the loader knows of none
        return []
    result = []
    for platform in platforms:
        try:
            result += platform.get_devices()
        except cl.Error:  # a platform without devices
            continue
    return result


def is_cl_array(value: Any) -> bool:
    """Whether the value is an array of pyopencl. It does not import pyopencl."""
    module = sys.modules.get("pyopencl.array")
    return module is not None and issubclass(type(value), module.Array)


def as_cl_array(name: str, value: Any, queue: Any) -> Any:
    """The value as an array of pyopencl, copied to the queue's device unless it is one. Raises ArgumentError for no array."""
    if is_cl_array(value):
        return value
    cl = pyopencl()
    try:
        return cl.array.to_device(
            queue, np.asarray(value, order="C"), allocator=_memory_pool(queue)
        )
    except (MemoryError, cl.MemoryError):
        raise MemoryError from None
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(
            None, f"`{name}` cannot be copied to the device: {error}", fix="pass an array"
        ) from None


def empty(shape: tuple[int, ...], dtype: Any, queue: Any) -> Any:
    """A new array of undefined elements on the queue's device. Raises MemoryError."""
    cl = pyopencl()
    try:
        return cl.array.empty(queue, shape, dtype, allocator=_memory_pool(queue))
    except cl.MemoryError:
        raise MemoryError from None


def dense(array: Any, queue: Any) -> Any:
    """The array in C order, at the beginning of its buffer: itself, or a copy.

    One with strides is copied by way of the host: pyopencl has no such copy on a device.
    """
    cl = pyopencl()
    if not array.flags.c_contiguous:
        memory = np.empty(array.base_data.size, np.uint8)
        cl.enqueue_copy(queue, memory, array.base_data)
        view = np.ndarray(array.shape, array.dtype, memory, array.offset, array.strides)
        return as_cl_array("", np.ascontiguousarray(view), queue)
    if not array.offset:
        return array
    copy = empty(array.shape, array.dtype, queue)
    cl.enqueue_copy(
        queue, copy.data, array.base_data, src_offset=array.offset, byte_count=array.nbytes
    )
    return copy


@lru_cache(maxsize=MOST_QUEUES)
def _memory_pool(queue: Any) -> Any:
    """Memory of the queue's device that earlier results have left."""
    tools = pyopencl().tools
    return tools.MemoryPool(tools.ImmediateAllocator(queue))


def on_one_context(arrays: Mapping[str, Any]) -> Any:
    """The queue of these arrays. Raises BackendError, naming two of them, where they are of several contexts."""
    (first, array), *others = arrays.items()
    for name, other in others:
        if other.context != array.context:
            raise BackendError(
                None,
                f"`{first}` and `{name}` are of two contexts of OpenCL",
                fix="copy one to the context of the other",
            )
    return array.queue if array.queue is not None else _queue_of(array.context)


@lru_cache(maxsize=MOST_QUEUES)
def _queue_of(context: Any) -> Any:
    return pyopencl().CommandQueue(context)


def by_host(
    run: Callable[[Mapping[str, Any], Mapping[str, int]], Mapping[str, Any]],
    arrays: Mapping[str, Any],
) -> dict[str, Any]:
    """The results of a runner for the host, from arrays of either kind, and of the same kind."""
    given = {n: a for n, a in arrays.items() if is_cl_array(a)}
    results = run({n: a.get() if n in given else a for n, a in arrays.items()}, {})
    if not given:
        return dict(results)
    queue = on_one_context(given)
    return {n: as_cl_array(n, a, queue) for n, a in results.items()}
