"""Graphs of CUDA: launches that were captured once, and are put on a stream as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from tadc.errors import ArgumentError
from tadc.runtime.cuda.arrays import as_gpu_array, cupy, is_on_gpu
from tadc.runtime.cuda.launch import CudaLaunch, launches

__all__ = ["Graph", "of_gpu"]


class Graph:
    """The captured work of a call on a GPU, replayed by one launch on the current stream.

    It reads the arrays that it was made with as they are at each launch, and writes its results where it wrote them
    before: those that a launch returns are the same arrays every time.
    """

    def __init__(self, call: Callable[[], Any], device: int) -> None:
        """`call` launches kernels on the current stream, and nothing else; it is run once before it is captured."""
        xp = cupy()
        self._call = call  # with the arrays that it reads
        self._device = device
        self._launches: list[CudaLaunch] = []  # of the capture: it keeps their machine code loaded
        self._memory = xp.cuda.MemoryPool()  # memory of the launches, whether they free it or not
        with xp.cuda.Device(device), xp.cuda.using_allocator(self._memory.malloc):
            outside = xp.cuda.get_current_stream()
            stream = xp.cuda.Stream(non_blocking=True)
            stream.wait_event(outside.record())
            with stream:
                call()  # compiles, and leaves its memory to the pool: a capture must not ask for any
                stream.begin_capture()
                try:
                    with launches(self._launches):
                        self._results = call()
                except BaseException:
                    with suppress(Exception):
                        stream.end_capture()
                    raise
                self._graph = stream.end_capture()
            outside.wait_event(stream.record())

    def __call__(self) -> Any:
        xp = cupy()
        with xp.cuda.Device(self._device):
            self._graph.launch(xp.cuda.get_current_stream())
        return self._results


def of_gpu(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as arrays of CuPy.

    Raises ArgumentError for arrays that are not on a GPU: their values would be copied once, and never again.
    """
    arrays = {}
    for name, value in arguments.items():
        if not is_on_gpu(value):
            raise ArgumentError(
                None,
                f"`{name}` is not on a GPU, and a graph reads its arrays there at every launch",
                fix="pass an array of CuPy, such as `cupy.asarray(..)`",
            )
        arrays[name] = as_gpu_array(name, value)
    return arrays
