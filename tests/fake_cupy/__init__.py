"""What tadc uses of CuPy, on the host. A test double, not a GPU: `install` puts it in CuPy's place.

Like CuPy's, its arrays are not numpy's; kernels, copies and products are done in the order of their stream, when somebody waits for them
(`streams.py`); memory that is free is used again at once (`memory.py`); a thread has no context until it asks something of the run time;
and functions of a module that is gone cannot be launched (`kernels.py`).
"""

from __future__ import annotations

import sys
from collections import deque
from types import ModuleType, SimpleNamespace

import numpy as np

from fake_cupy import arrays
from fake_cupy.arrays import Capsule, ndarray
from fake_cupy.kernels import Module, launch_kernel
from fake_cupy.memory import MemoryPointer, MemoryPool, UnownedMemory, using_allocator
from fake_cupy.products import HANDLE, Cublas, ProductTypes, matmul
from fake_cupy.state import DEVICES, STATE, Device, ensure_context
from fake_cupy.streams import (
    Event,
    Stream,
    external_stream,
    finish,
    get_current_stream,
    get_elapsed_time,
)
from tadc.bounded_cache import BoundedCache
from tadc.runtime.cuda import arrays as gpu
from tadc.runtime.cuda import held
from tadc.runtime.cuda import launch as runtime
from tadc.runtime.cuda.nvrtc import Compiled
from tadc.schedule.gpu.machine import Machine

__all__ = ["STATE", "Capsule", "Device", "Module", "Stream", "finish", "install", "ndarray", "stream"]  # fmt: skip

MACHINE = Machine(resident_threads=2**11)  # soon busy


def stream(pointer):
    """Another library's stream on the current device."""
    return Stream.at(pointer)


def compile_text(text, arch, flags):
    STATE.flags = flags
    return Compiled(text.encode(), "")


def install(patched):
    """Put the double in CuPy's place, and a compiler that leaves the text as it is in NVRTC's."""
    STATE.__init__()
    STATE.pool = MemoryPool()
    module = ModuleType("cupy")
    module.__version__ = "0"
    for name in ("ndarray", "empty", "asarray", "asnumpy", "from_dlpack", "ascontiguousarray"):
        setattr(module, name, getattr(arrays, name))
    module.matmul = matmul
    for name in arrays.OF_NUMPY:
        setattr(module, name, arrays.of_numpy(getattr(np, name)))
    module.lib = SimpleNamespace(stride_tricks=SimpleNamespace(as_strided=arrays.as_strided))
    module.linalg = SimpleNamespace(
        solve=arrays.solve,
        inv=arrays.of_numpy(np.linalg.inv),
        slogdet=arrays.of_numpy(np.linalg.slogdet),
    )
    module.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            getDeviceCount=lambda: DEVICES,
            getDevice=lambda: STATE.own.device,
            getDeviceProperties=lambda n: {"name": b"a double"},
            free=lambda pointer: ensure_context(),
            CUDA_R_32F=0,
            CUDA_R_64F=1,
        ),
        device=SimpleNamespace(get_cublas_handle=lambda: HANDLE),
        Device=Device,
        driver=SimpleNamespace(
            launchKernel=launch_kernel,
            ctxGetCurrent=lambda: int(STATE.own.device in STATE.own.contexts),
        ),
        function=SimpleNamespace(Module=Module),
        get_current_stream=get_current_stream,
        Stream=Stream,
        ExternalStream=external_stream,
        UnownedMemory=UnownedMemory,
        MemoryPointer=MemoryPointer,
        Event=Event,
        get_elapsed_time=get_elapsed_time,
        MemoryPool=MemoryPool,
        using_allocator=using_allocator,
    )
    module.get_default_memory_pool = lambda: SimpleNamespace(free_all_blocks=lambda: None)
    patched.setitem(sys.modules, "cupy", module)
    patched.setitem(sys.modules, "cupy._core", ModuleType("cupy._core"))
    patched.setitem(sys.modules, "cupy._core._routines_linalg", ProductTypes("_routines_linalg"))
    for name in ("cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.libs"):
        patched.setitem(sys.modules, name, ModuleType(name))
    patched.setitem(sys.modules, "cupy_backends.cuda.libs.cublas", Cublas("cublas"))
    gpu.cupy.cache_clear()
    patched.setattr(held, "_running", deque())
    patched.setattr(runtime, "compile_cuda", compile_text)
    patched.setattr(runtime, "nvrtc_version", lambda: (13, 0))
    patched.setattr(runtime, "supported_architectures", lambda: (75, 80, 90, 100))
    patched.setattr(runtime, "_modules", BoundedCache(256))
    patched.setattr(runtime, "MACHINE", MACHINE)
    return module
