"""Machine code of the double, which is the text itself: g++ compiles it against `cuda_host.h`, and the host runs it."""

from __future__ import annotations

import ctypes
import re
from itertools import count

from host_run import BARRIERS, compiled

from fake_cupy.state import LOCK, STATE, CUDADriverError, ensure_context
from fake_cupy.streams import put

HANDLES = count(1)
LOADED = {}  # what handles of functions mean, while their modules are loaded


class Module:
    def __init__(self):
        self.handles = []

    def load(self, code):
        ensure_context()
        STATE.loads += 1
        text = code.decode()
        heads = re.findall(r'extern "C" __global__ .*\n(\w+)\((.*)\)', text)
        self.arguments = {name: parameters.count(",") + 1 for name, parameters in heads}
        wrapped = [
            f'extern "C" int host_{n}(unsigned blocks, unsigned threads, void** arguments) {{'
            f" return cudaLaunchKernel({n}, dim3(blocks), dim3(threads), arguments); }}"
            for n in self.arguments
        ]
        self.library = ctypes.CDLL(str(compiled("\n".join([text, *wrapped]))))
        self.library.cuda_host_error.restype = ctypes.c_char_p
        self.has_barriers = BARRIERS.search(text) is not None
        self.device = STATE.own.device

    def get_function(self, name):
        return Function(self, name)

    def __del__(self):
        # What is running goes on: the driver waits for it.
        for handle in self.handles:
            LOADED.pop(handle, None)


class Function:
    """It keeps its module loaded; its handle does not."""

    def __init__(self, module, name):
        self.module, self.ptr = module, next(HANDLES)
        module.handles.append(self.ptr)
        run = getattr(module.library, f"host_{name}")
        LOADED[self.ptr] = module.library, run, module.arguments[name], module.has_barriers, module.device  # fmt: skip


def launch_kernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra):
    if STATE.own.device not in STATE.own.contexts:
        raise CUDADriverError("CUDA_ERROR_INVALID_CONTEXT: invalid device context")
    check_handle(f)
    if LOADED[f][-1] != STATE.own.device:
        raise CUDADriverError("CUDA_ERROR_INVALID_HANDLE: invalid resource handle")
    if not gx:
        raise CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
    assert (gy, gz, by, bz, shared, extra) == (1, 1, 1, 1, 0, 0)
    loaded = LOADED[f]
    kept = _copied(arguments, loaded[2])
    put(stream or 0, lambda: _run(loaded, gx, bx, kept), blocks=gx, check=lambda: check_handle(f))


def check_handle(f):
    if f not in LOADED:
        raise CUDADriverError("CUDA_ERROR_INVALID_HANDLE: invalid resource handle")


def _run(loaded, blocks, threads, arguments):
    library, run, _, has_barriers, _ = loaded
    with LOCK:
        library.cuda_host_prepare(int(has_barriers), 0)
        if run(blocks, threads, arguments):
            raise CUDADriverError(f"CUDA_ERROR_LAUNCH_FAILED: {library.cuda_host_error().decode()}")


def _copied(arguments, count):
    """The addresses of arguments, with the arguments as they are now."""
    addresses = (ctypes.c_void_p * count).from_address(arguments)
    values = (ctypes.c_longlong * count)()
    for n, address in enumerate(addresses):
        ctypes.memmove(ctypes.addressof(values) + 8 * n, address, 8)
    kept = (ctypes.c_void_p * count)(*(ctypes.addressof(values) + 8 * n for n in range(count)))
    kept.values = values
    return kept
