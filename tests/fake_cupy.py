"""What tadc uses of CuPy, on the host: arrays of numpy, and kernels that g++ compiles against `cuda_host.h`.

A test double, not a GPU. `install` puts it in CuPy's place; machine code is the text itself.
"""

from __future__ import annotations

import ctypes
import re
import sys
import time
from contextlib import contextmanager
from math import prod
from threading import Lock
from types import ModuleType, SimpleNamespace

import numpy as np
from host_run import BARRIERS, compiled

from tadc.bounded_cache import BoundedCache
from tadc.runtime.cuda import arrays as gpu
from tadc.runtime.cuda import launch as runtime
from tadc.runtime.cuda.nvrtc import Compiled
from tadc.schedule.gpu.machine import Machine

DEVICES = 2
STREAM = 7


class State:
    """What the double was asked for."""

    def __init__(self):
        self.device = 0
        self.stream = 0
        self.launches = []  # (device, stream, blocks)
        self.loads = 0
        self.flags = ()
        self.products = 0
        self.product_types = []
        self.copies = 0  # of factors of batched products
        self.captured = None  # what a graph does, while it is captured
        self.pool = None
        self.free_bytes = 2**40
        self.is_done = True  # what was launched so far
        self.is_strict = (
            False  # whether arrays of numpy among its own are an error, as they are to CuPy
        )
        self.solved = 0  # systems


class DLPackMemory:
    """Memory of another library, which has it back when this is gone."""

    def __init__(self, owner):
        self.owner = owner


class ndarray(np.ndarray):  # noqa: N801
    def __array_finalize__(self, other):
        known = isinstance(other, ndarray)
        self.own_device = other.own_device if known else Device(STATE.device)
        self.own_memory = other.own_memory if known else None

    def __array_ufunc__(self, ufunc, method, *inputs, out=(), **options):
        check_places((*inputs, *out))
        plain = [a.view(np.ndarray) if isinstance(a, ndarray) else a for a in inputs]
        if out:
            options["out"] = tuple(a.view(np.ndarray) for a in out)
        results = getattr(ufunc, method)(*plain, **options)
        return out[0] if out else viewed(results)

    def __array_function__(self, function, types, arguments, options):
        check_places((*arguments, *options.values()))
        return super().__array_function__(function, types, arguments, options)

    @property
    def device(self):
        return self.own_device

    @property
    def data(self):
        return Memory(self)

    def get(self):
        return asnumpy(self)

    def __dlpack_device__(self):
        return 2, self.device.id


def check_places(arrays):
    """What CuPy refuses: arrays of numpy among its own."""
    if STATE.is_strict and any(type(a) is np.ndarray and a.ndim for a in arrays):
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")


def viewed(results):
    """Arrays of numpy as those of the double."""
    if isinstance(results, tuple):
        return tuple(map(viewed, results))
    return np.asarray(results).view(ndarray)


def on_device(function):
    """A function of numpy as CuPy has it."""

    def called(*arguments, **options):
        check_places(arguments)
        return viewed(function(*arguments, **options))

    return called


class Memory:
    __slots__ = ("mem", "ptr")

    def __init__(self, array):
        self.mem = array.own_memory
        try:
            self.ptr = ctypes.addressof(ctypes.c_char.from_buffer(array))  # which takes least time
        except (TypeError, ValueError):  # it is read-only, has strides or no elements
            self.ptr = array.ctypes.data


class Device:
    compute_capability = "90"

    def __init__(self, number):
        self.id = number

    def __enter__(self):
        self._before, STATE.device = STATE.device, self.id

    def __exit__(self, *_):
        STATE.device = self._before


class Module:
    def load(self, code):
        STATE.loads += 1
        text = code.decode()
        names = re.findall(r'extern "C" __global__ .*\n(\w+)\(', text)
        heads = re.findall(r'extern "C" __global__ .*\n(\w+)\((.*)\)', text)
        self.arguments = {name: parameters.count(",") + 1 for name, parameters in heads}
        wrapped = [
            f'extern "C" int host_{n}(unsigned blocks, unsigned threads, void** arguments) {{'
            f" return cudaLaunchKernel({n}, dim3(blocks), dim3(threads), arguments); }}"
            for n in names
        ]
        self.library = ctypes.CDLL(str(compiled("\n".join([text, *wrapped]))))
        self.fibers = BARRIERS.search(text) is not None

    def get_function(self, name):
        own = getattr(self.library, f"host_{name}")
        own.arguments = self.arguments[name]
        FUNCTIONS.append((self, own))
        return SimpleNamespace(ptr=len(FUNCTIONS) - 1)


FUNCTIONS = []
ONE_AT_A_TIME = Lock()
STATE = State()


def launch_kernel(f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra):
    module, function = FUNCTIONS[f]
    assert (gy, gz, by, bz, shared, extra) == (1, 1, 1, 1, 0, 0)
    if STATE.captured is not None:
        kept = copied(arguments, function.arguments)
        again = ctypes.addressof(kept)
        STATE.captured.append(lambda kept=kept: launch_kernel(f, gx, 1, 1, bx, 1, 1, 0, stream, again, 0))  # fmt: skip
        return
    STATE.launches.append((STATE.device, stream, gx))
    with ONE_AT_A_TIME:  # the host runs blocks one after the other
        module.library.cuda_host_prepare(int(module.fibers), 0)
        assert function(gx, bx, ctypes.c_void_p(arguments)) == 0


def copied(arguments, count):
    """The addresses of arguments, with the arguments as they are now."""
    addresses = (ctypes.c_void_p * count).from_address(arguments)
    values = (ctypes.c_longlong * count)()
    for n, address in enumerate(addresses):
        ctypes.memmove(ctypes.addressof(values) + 8 * n, address, 8)
    kept = (ctypes.c_void_p * count)(*(ctypes.addressof(values) + 8 * n for n in range(count)))
    kept.values = values
    return kept


def solve(matrices, right):
    """As CuPy's, which has no batch of vectors."""
    check_places((matrices, right))
    assert matrices.ndim == right.ndim
    STATE.solved += len(matrices)
    return viewed(np.linalg.solve(matrices.view(np.ndarray), right.view(np.ndarray)))


class Stream:
    ptr = 11

    def __init__(self, non_blocking=False):
        assert non_blocking

    def __enter__(self):
        self._before, STATE.stream = STATE.stream, self.ptr

    def __exit__(self, *_):
        STATE.stream = self._before

    def begin_capture(self):
        STATE.captured = []

    def end_capture(self):
        steps, STATE.captured = STATE.captured, None
        return SimpleNamespace(launch=lambda stream: [step() for step in steps])

    def record(self):
        return None

    def wait_event(self, event):
        pass

    def is_capturing(self):
        return STATE.captured is not None


class CurrentStream:
    def __init__(self):
        self.ptr = STATE.stream

    def synchronize(self):
        pass

    record = synchronize

    def wait_event(self, event):
        pass

    def is_capturing(self):
        return STATE.captured is not None


class MemoryPool:
    def __init__(self):
        self.kept = []

    def malloc(self, size):
        raise AssertionError("the double allocates by itself")


class Event:
    def __init__(self, disable_timing=False):
        pass

    def record(self):
        self.time = time.perf_counter()

    @property
    def done(self):
        return STATE.is_done

    def synchronize(self):
        pass


@contextmanager
def using_allocator(malloc):
    STATE.pool = malloc.__self__
    yield
    STATE.pool = None


def empty(shape, dtype=np.float64):
    size = prod(shape) * np.dtype(dtype).itemsize
    if size > STATE.free_bytes:
        raise type("OutOfMemoryError", (MemoryError,), {})("out of memory")
    memory = ndarray(shape, dtype)
    ctypes.memset(memory.data.ptr, 0xFF, size)
    if STATE.pool:
        STATE.pool.kept.append(memory)
    return memory


def asarray(a, dtype=None):
    return a if isinstance(a, ndarray) else np.array(a, dtype).view(ndarray)


def ascontiguousarray(a):
    return a if a.flags.c_contiguous else np.ascontiguousarray(a).view(ndarray)


def from_dlpack(value):
    array = np.asarray(value.array).view(ndarray)
    array.own_memory = DLPackMemory(value)
    return array


def asnumpy(a):
    return np.array(np.asarray(a).view(np.ndarray))


class ProductTypes(ModuleType):
    """CuPy's module with the setting of how cuBLAS computes products."""

    COMPUTE_TYPE_TF32 = 7
    now = 0

    def get_compute_type(self, dtype):
        assert dtype == "float32"
        return ProductTypes.now

    def set_compute_type(self, dtype, compute_type):
        assert dtype == "float32"
        ProductTypes.now = compute_type


def refuse_capture():
    if STATE.captured is not None:
        raise RuntimeError(
            "CUBLAS_STATUS_NOT_INITIALIZED"
        )  # it sets its stream, which no capture allows


def matmul(a, b, out):
    refuse_capture()
    STATE.copies += sum(m.ndim > 2 and not m.flags.c_contiguous for m in (a, b))
    STATE.products += 1
    STATE.product_types.append(ProductTypes.now)
    return np.matmul(a, b, out=out)


class Cublas(ModuleType):
    """What CuPy has of cuBLAS: batches of matrices by their addresses, with columns one after the other."""

    CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_GEMM_DEFAULT = 0, 1, -1
    CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_32F_FAST_TF32 = 68, 70, 77

    def gemmStridedBatchedEx(  # noqa: N802
        self, handle, a_turned, b_turned, m, n, k, alpha, a, a_type, lda, a_apart, b, b_type, ldb, b_apart, beta, c, c_type, ldc, c_apart, count, computed, algorithm
    ):  # fmt: skip
        refuse_capture()
        assert (handle, algorithm, a_type, b_type) == (HANDLE, -1, c_type, c_type)
        assert computed in {0: (68, 77), 1: (70,)}[c_type]
        dtype = (np.float32, np.float64)[c_type]

        def numbers(address, *shape):
            size = prod(shape) * np.dtype(dtype).itemsize
            return np.frombuffer((ctypes.c_char * size).from_address(address), dtype).reshape(shape)

        def matrices(address, turned, rows, columns, leading, apart):
            """As arrays of rows: each matrix has columns, `leading` elements apart."""
            rows, columns = (columns, rows) if turned else (rows, columns)
            assert (leading, apart) == (rows, rows * columns)
            found = numbers(address, count, columns, rows)
            return found if turned else found.swapaxes(1, 2)

        assert (numbers(alpha), numbers(beta)) == (1, 0)
        left = matrices(a, a_turned, m, k, lda, a_apart)
        right = matrices(b, b_turned, k, n, ldb, b_apart)
        matrices(c, 0, m, n, ldc, c_apart)[:] = left @ right
        STATE.products += 1
        STATE.product_types.append(ProductTypes.COMPUTE_TYPE_TF32 if computed == 77 else 0)


HANDLE = 5


@contextmanager
def stream(number):
    before, STATE.stream = STATE.stream, number
    yield
    STATE.stream = before


def unowned_memory(address, size, owner, device):
    assert device == STATE.device
    return (ctypes.c_char * size).from_address(address)


def memory_pointer(memory, offset):
    """Memory in a form that numpy makes arrays of."""
    assert offset == 0
    return memory


def compile_text(text, arch, flags):
    STATE.flags = flags
    return Compiled(text.encode(), "")


# Functions that it has of numpy.
ON_DEVICE = (
    *("abs", "arange", "argwhere", "concatenate", "empty_like", "flatnonzero"),
    *(
        "full_like",
        "isfinite",
        "log",
        "searchsorted",
        "sort",
        "stack",
        "unravel_index",
        "where",
        "zeros",
        "zeros_like",
    ),
)

MACHINE = Machine(resident_threads=2**11)  # soon busy


def install(patched):
    """Put the double in CuPy's place, and a compiler that leaves the text as it is in NVRTC's."""
    STATE.__init__()
    module = ModuleType("cupy")
    module.__version__ = "0"
    module.ndarray, module.empty, module.asarray, module.asnumpy = ndarray, empty, asarray, asnumpy
    module.from_dlpack = from_dlpack
    module.ones = lambda shape, dtype=np.float64: asarray(np.ones(shape, dtype))
    module.matmul = matmul
    for name in ON_DEVICE:
        setattr(module, name, on_device(getattr(np, name)))
    module.linalg = SimpleNamespace(
        solve=solve,
        inv=on_device(np.linalg.inv),
        slogdet=on_device(np.linalg.slogdet),
    )
    module.ascontiguousarray = ascontiguousarray
    module.cuda = SimpleNamespace(
        runtime=SimpleNamespace(
            getDeviceCount=lambda: DEVICES,
            getDevice=lambda: STATE.device,
            getDeviceProperties=lambda n: {"name": b"a double"},
            CUDA_R_32F=0,
            CUDA_R_64F=1,
        ),
        device=SimpleNamespace(get_cublas_handle=lambda: HANDLE),
        Device=Device,
        driver=SimpleNamespace(launchKernel=launch_kernel, ctxGetCurrent=lambda: 1),
        function=SimpleNamespace(Module=Module),
        get_current_stream=CurrentStream,
        Stream=Stream,
        ExternalStream=stream,
        UnownedMemory=unowned_memory,
        MemoryPointer=memory_pointer,
        Event=Event,
        get_elapsed_time=lambda start, end: 1e3 * (end.time - start.time),
        MemoryPool=MemoryPool,
        using_allocator=using_allocator,
    )
    patched.setitem(sys.modules, "cupy", module)
    patched.setitem(sys.modules, "cupy._core", ModuleType("cupy._core"))
    patched.setitem(sys.modules, "cupy._core._routines_linalg", ProductTypes("_routines_linalg"))
    for name in ("cupy_backends", "cupy_backends.cuda", "cupy_backends.cuda.libs"):
        patched.setitem(sys.modules, name, ModuleType(name))
    patched.setitem(sys.modules, "cupy_backends.cuda.libs.cublas", Cublas("cublas"))
    gpu.cupy.cache_clear()
    patched.setattr(runtime, "compile_cuda", compile_text)
    patched.setattr(runtime, "nvrtc_version", lambda: (13, 0))
    patched.setattr(runtime, "supported_architectures", lambda: (75, 80, 90, 100))
    patched.setattr(runtime, "_modules", BoundedCache(256))
    patched.setattr(runtime, "MACHINE", MACHINE)
    return module
