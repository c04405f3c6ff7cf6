"""Arrays on a GPU: CuPy's, where it is installed and has a GPU, and other arrays in a GPU's memory."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, cast

import numpy as np

from tadc.errors import ArgumentError, BackendError
from tadc.runtime.cuda.held import hold

__all__ = [
    "architecture",
    "as_gpu_array",
    "by_host",
    "cupy",
    "current_device",
    "device_name",
    "devices",
    "is_gpu_array",
    "is_on_gpu",
    "milliseconds",
    "module_of",
    "on_host",
    "on_one_device",
    "using",
]

_CUDA = (
    2,
    13,
)  # DLPack's numbers for memory of CUDA: a GPU's own, and memory that CUDA moves where it is used


@cache
def cupy() -> Any:
    """CuPy. Raises BackendError where it is not installed, or finds no GPU that it can use."""
    try:
        import cupy as module
    except ImportError as error:
        raise BackendError(
            None,
            f"`backend='cuda'` needs CuPy, which cannot be imported: {error}",
            fix="pip install 'tadc[cuda13]', or 'tadc[cuda12]' for a driver of CUDA 12",
        ) from None
    try:
        count = module.cuda.runtime.getDeviceCount()
    except Exception as error:  # no driver, one that is too old, no GPU
        raise BackendError(
            None,
            f"CuPy {module.__version__} finds no GPU that it can use: {error}",
            fix="install or update NVIDIA's driver (`nvidia-smi` shows its version), or use `backend='native'`",
        ) from None
    if not count:
        raise BackendError(None, "there is no NVIDIA GPU", fix="use `backend='native'`")
    return module


def devices() -> list[str]:
    """The names of the GPUs that CuPy can use."""
    try:
        count = cupy().cuda.runtime.getDeviceCount()
    except BackendError:
        return []
    return [device_name(n) for n in range(count)]


def current_device() -> int | None:
    """The number of the GPU that is used where nothing says which; None where there is none."""
    try:
        device: int = cupy().cuda.runtime.getDevice()
    except BackendError:
        return None
    return device


def device_name(device: int) -> str:
    name: bytes = cupy().cuda.runtime.getDeviceProperties(device)["name"]
    return name.decode()


def using(device: int | None) -> AbstractContextManager[Any]:
    """The context in which arrays of a device are made, and used; of nothing but the host's where it is None."""
    return nullcontext() if device is None else cast("Any", cupy().cuda.Device(device))


def milliseconds(run: Callable[[], Any]) -> float:
    """The time of `run()` on the current stream in milliseconds, by events; waits for its end."""
    xp = cupy()
    start, end = xp.cuda.Event(), xp.cuda.Event()
    start.record()
    run()
    end.record()
    end.synchronize()
    taken: float = xp.cuda.get_elapsed_time(start, end)
    return taken


def is_gpu_array(value: Any) -> bool:
    """Whether the value is an array of CuPy. It does not import CuPy."""
    module = sys.modules.get("cupy")
    return module is not None and issubclass(type(value), module.ndarray)


def module_of(array: Any) -> Any:
    """CuPy for an array of CuPy, else numpy."""
    return cupy() if is_gpu_array(array) else np


def on_host(array: Any) -> Any:
    """The array in numpy's memory."""
    return cupy().asnumpy(array) if is_gpu_array(array) else array


def is_on_gpu(value: Any) -> bool:
    """Whether the value is an array in the memory of a GPU, whose ever it is."""
    try:
        device = getattr(value, "__dlpack_device__", None)
        if device is None:
            return hasattr(type(value), "__cuda_array_interface__")
        return device()[0] in _CUDA
    except (
        Exception
    ):  # it has no memory of its own: a tracer, an array of several devices; or no attributes
        return False


def as_gpu_array(name: str, value: Any) -> Any:
    """The value as an array of CuPy, without a copy if it is on a GPU already.

    The current stream waits for pending work of the owner's stream, and the owner's memory is held until the next launch is done. Raises ArgumentError for values that are no arrays.
    """
    xp = cupy()
    try:
        if is_gpu_array(value):
            return value
        if not is_on_gpu(value):
            return xp.asarray(value)
        array = xp.from_dlpack(value) if hasattr(value, "__dlpack__") else xp.asarray(value)
        hold(array)
        return array
    except MemoryError:
        raise
    except Exception as error:  # whatever a foreign object raises
        raise ArgumentError(
            None, f"`{name}` cannot be read on the GPU: {error}", fix="pass an array of CuPy"
        ) from None


def on_one_device(arrays: Iterable[tuple[str, Any]]) -> int:
    """The number of the device that has all these arrays. Raises BackendError, naming two of them, where none has."""
    (first, array), *others = arrays
    device: int = array.device.id
    for name, other in others:
        if other.device.id != device:
            raise BackendError(
                None,
                f"`{first}` is on GPU {device}, and `{name}` on GPU {other.device.id}",
                fix="copy one to the GPU of the other",
            )
    return device


def by_host(
    run: Callable[[Mapping[str, Any], Mapping[str, int]], Mapping[str, Any]],
    arrays: Mapping[str, Any],
) -> dict[str, Any]:
    """The results of a runner for the CPU, from arrays of either kind, and of the same kind."""
    xp = cupy()
    results = run({n: xp.asnumpy(a) for n, a in arrays.items()}, {})
    if any(map(is_gpu_array, arrays.values())):
        return {n: xp.asarray(a) for n, a in results.items()}
    return dict(results)


def architecture(device: int, supported: Iterable[int]) -> str:
    """The newest architecture that the device runs and NVRTC knows, such as `sm_90`. Raises BackendError if none is."""
    capability = int(cupy().cuda.Device(device).compute_capability)
    fitting = [a for a in supported if a <= capability and a // 10 == capability // 10]
    if not fitting:
        raise BackendError(
            None,
            f"NVRTC does not compile for this GPU, of the architecture sm_{capability}",
            fix="pip install --upgrade nvidia-cuda-nvrtc; for a GPU before sm_75 nvidia-cuda-nvrtc-cu12",
        )
    return f"sm_{max(fitting)}"
