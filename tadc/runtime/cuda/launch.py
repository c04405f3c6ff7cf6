"""Programs on a GPU: emitted CUDA text, compiled by NVRTC, its kernels launched through CuPy on the current stream.

Nothing is synchronised. All that a launch needs besides addresses is made once for a set of sizes and a device.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from math import prod
from threading import Lock
from typing import Any

import numpy as np

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.cache import digest, disk_cached
from tadc.emit.clike.gpu_kernel import fitting_index_type
from tadc.emit.clike.launcher import workspace_places
from tadc.emit.clike.spelling import DType
from tadc.emit.cuda.file import cuda_text
from tadc.errors import ArgumentError, BackendError
from tadc.ir.affine import Symbol
from tadc.ir.fingerprint import fingerprint
from tadc.ir.program import Program
from tadc.options import Options
from tadc.runtime.buffers import are_fit
from tadc.runtime.cuda.arrays import architecture, cupy, current_device, device_name, on_one_device
from tadc.runtime.cuda.batched import Matrices, batched_product, is_batched
from tadc.runtime.cuda.held import hold_until_done
from tadc.runtime.cuda.nvrtc import compile_cuda, nvrtc_version, supported_architectures
from tadc.runtime.cuda.tf32 import products_in_tf32
from tadc.runtime.cuda.tune import Tiles, is_tuning, recalled, store, tuned
from tadc.runtime.element_types import array_form
from tadc.schedule.gpu.machine import HOPPER, Machine
from tadc.schedule.lowered import Decisions, GpuModule
from tadc.schedule.nest.matrix_product import Axis, MatrixProduct, Operand

__all__ = ["MODE", "CudaLaunch", "CudaRunner", "cuda_launch", "launches"]

MODE = "run"  # only part of the kernels' names
MOST_LAUNCHES = 256  # sets of sizes
MOST_MODULES = 256
MOST_CHOICES = 12  # tiles of a kernel that are timed
MACHINE = HOPPER  # on every GPU: the bits of a result depend on the extents only
FAST_MATH = ("--use_fast_math", "--fmad=true")  # of NVRTC
_BYTE = np.dtype(np.uint8)
_NO_ARRAYS: Mapping[str, Any] = {}

# By device, text and flags; functions that are still used keep theirs.
_modules: BoundedCache[Any] = BoundedCache(MOST_MODULES)
_modules_lock = Lock()


# Where launches are to be kept, if anywhere.
_kept: ContextVar[list[CudaLaunch] | None] = ContextVar("_kept", default=None)


@contextmanager
def launches(kept: list[CudaLaunch]) -> Iterator[None]:
    """Inside, everything that is launched is put into the list: what uses it later has to keep it."""
    token = _kept.set(kept)
    try:
        yield
    finally:
        _kept.reset(token)


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A kernel on a device: its function, handle, number of blocks, and the addresses of its arguments with theirs.

    The function keeps its module alive.
    """

    function: Any
    handle: int
    blocks: int
    names: Sequence[str]  # of its arguments
    arguments: Any
    address: int

    @classmethod
    def of(
        cls, function: Any, blocks: int, names: Sequence[str], slots: Mapping[str, int]
    ) -> _Kernel:
        arguments = (ctypes.c_void_p * len(names))(*(slots[a] for a in names))
        return cls(function, function.ptr, blocks, names, arguments, ctypes.addressof(arguments))


@dataclass(frozen=True, slots=True)
class _Product:
    """A matrix product that cuBLAS computes, by the numbers of its three tensors, each with where its matrices are."""

    left: tuple[int, Matrices]
    right: tuple[int, Matrices]
    result: tuple[int, Matrices]
    tensor_cores: bool

    @classmethod
    def of(
        cls,
        product: MatrixProduct,
        names: Sequence[str],
        sizes: Mapping[Symbol, int],
        *,
        tensor_cores: bool,
    ) -> _Product:
        counts = product.counts(sizes)

        def operand(o: Operand, rows: Axis, columns: Axis) -> tuple[int, Matrices]:
            return names.index(o.tensor), Matrices.of(o, rows, columns, counts)

        return cls(
            operand(product.left, "rows", "inner"),
            operand(product.right, "inner", "columns"),
            operand(product.result, "rows", "columns"),
            tensor_cores,
        )

    def run(self, xp: Any, arrays: Sequence[Any]) -> None:
        left, right, result = ((arrays[n], m) for n, m in (self.left, self.right, self.result))
        if is_batched(result[1], result[0].dtype):
            batched_product(left, right, result, tensor_cores=self.tensor_cores, xp=xp)
            return
        views = (m.views(array) for array, m in (left, right, result))
        with products_in_tf32() if self.tensor_cores else nullcontext():
            for a, b, c in zip(*views, strict=True):
                xp.matmul(a, b, out=c)


class CudaLaunch:
    """One program for one set of sizes on one device."""

    def __init__(
        self,
        gpu: GpuModule,
        kernels: Sequence[tuple[Any, int, Sequence[str]] | MatrixProduct],
        sizes: Mapping[Symbol, int],
        dtype: str,
        integer: type[Any],
        device: int,
        *,
        tensor_cores: bool = False,
    ) -> None:
        """`kernels` has a function, its number of blocks, and the names of its arguments, for each kernel; or a product."""
        module, program = gpu.module, gpu.module.program
        self.device = device
        self.block = gpu.machine.block
        self.inputs = tuple(t.name for t in program.inputs)
        self.input_forms = [array_form(t, sizes, dtype) for t in program.inputs]
        self._aligned = [form[1].itemsize for form in self.input_forms]
        self.outputs = [array_form(program.tensors[n], sizes, dtype) for n in program.outputs]
        places, self.workspace_bytes = workspace_places(module.temporaries, sizes, dtype)
        self._temporaries = [
            (at, *array_form(program.tensors[n], sizes, dtype)) for n, at in places.items()
        ]
        self._places = tuple(places)
        names = (*self.inputs, *program.outputs, *places)
        # One slot a tensor, in which each call puts its address, and one a size.
        self._pointers = (ctypes.c_void_p * len(names))()
        self.numbers = {s: integer(n) for s, n in sizes.items()}
        slot = {n: ctypes.addressof(self._pointers) + 8 * k for k, n in enumerate(names)}
        slot |= {s: ctypes.addressof(n) for s, n in self.numbers.items()}
        self._steps: list[_Kernel | _Product] = []
        for kernel in kernels:
            if isinstance(kernel, MatrixProduct):
                step = _Product.of(kernel, names, sizes, tensor_cores=tensor_cores)
                self._steps.append(step)
            else:
                function, blocks, given = kernel
                self._steps.append(_Kernel.of(function, blocks, given, slot))
        self._has_products = any(isinstance(step, _Product) for step in self._steps)
        self._lock = Lock()

    def __call__(self, inputs: Sequence[Any], into: Sequence[Any] = ()) -> list[Any]:
        """The outputs, arrays of CuPy. The inputs are in C order, of the types and shapes expected.

        So is `into`: an array for each output, None for a new one; or nothing.
        """
        xp = cupy()
        if xp.cuda.runtime.getDevice() != self.device:
            with xp.cuda.Device(self.device):
                return self(inputs, into)
        addresses = [a.data.ptr for a in inputs]
        if any(map(operator.mod, addresses, self._aligned)):
            raise self._unaligned(addresses)
        if not xp.cuda.driver.ctxGetCurrent():  # a thread that has not used the GPU before
            xp.cuda.runtime.free(0)
        if into:
            pairs = zip(into, self.outputs, strict=True)
            outputs = [xp.empty(*form) if a is None else a for a, form in pairs]
        else:
            outputs = [xp.empty(shape, dtype) for shape, dtype in self.outputs]
        workspace = xp.empty((self.workspace_bytes,), _BYTE) if self.workspace_bytes else None
        self.at(
            [*addresses, *(a.data.ptr for a in outputs)],
            workspace.data.ptr if workspace is not None else 0,
            xp.cuda.get_current_stream().ptr,
        )
        hold_until_done(inputs, xp)
        return outputs

    def _unaligned(self, addresses: Sequence[int]) -> ArgumentError:
        """A kernel that reads there would make all further calls fail."""
        each = zip(self.inputs, addresses, self._aligned, strict=True)
        name, bytes_ = next((name, n) for name, at, n in each if at % n)
        return ArgumentError(
            None,
            f"`{name}` begins at an address that is no multiple of {bytes_}, as a GPU needs it for elements of {bytes_} bytes",
            fix=f"copy its bytes to an array of their own, and view that: `bytes_.copy().view({name}.dtype)`",
        )

    @property
    def kernels(self) -> list[tuple[int, int, Sequence[str]]]:
        """The handle of each kernel, its number of blocks, and the names of its arguments. There are no products."""
        kernels = [k for k in self._steps if isinstance(k, _Kernel)]
        assert len(kernels) == len(self._steps), "a product is left to cuBLAS"
        return [(k.handle, k.blocks, k.names) for k in kernels]

    @property
    def temporaries(self) -> dict[str, int]:
        """Where each temporary begins in the workspace, in bytes."""
        return dict(zip(self._places, (at for at, _, _ in self._temporaries), strict=True))

    def at(self, tensors: Sequence[int], workspace: int, stream: int) -> None:
        """Launch on the inputs and outputs at these addresses of the current device, and the workspace at that one."""
        xp = cupy()
        addresses: list[Any] = [
            *tensors,
            *(workspace + offset for offset, _, _ in self._temporaries),
        ]
        arrays: list[Any] = []  # of all tensors, for products
        if self._has_products:
            temporaries = ((shape, dtype) for _, shape, dtype in self._temporaries)
            forms = (*self.input_forms, *self.outputs, *temporaries)
            arrays = [
                _array(xp, address, shape, dtype, self.device)
                for address, (shape, dtype) in zip(addresses, forms, strict=True)
            ]
        launch, block = xp.cuda.driver.launchKernel, self.block
        kept = _kept.get()
        if kept is not None:
            kept.append(self)
        try:
            with self._lock:  # a launch copies the arguments
                self._pointers[:] = addresses
                for k in self._steps:
                    if isinstance(k, _Kernel):
                        launch(k.handle, k.blocks, 1, 1, block, 1, 1, 0, stream, k.address, 0)
                    else:
                        with _stream(xp, stream):
                            k.run(xp, arrays)
        except MemoryError:
            raise
        except Exception as error:
            raise BackendError(
                None,
                f"the GPU does not launch this call: {error}",
                fix="start a new process if this is of an earlier call; `compute-sanitizer` says of which",
            ) from error


@dataclass(frozen=True, slots=True)
class _External:
    """A stream of another library, by CUDA's protocol."""

    pointer: int

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.pointer


def _stream(xp: Any, pointer: int) -> Any:
    """The stream as one of CuPy, which before version 14 has no protocol for others."""
    if hasattr(xp.cuda.Stream, "from_external"):
        return xp.cuda.Stream.from_external(_External(pointer))
    return xp.cuda.ExternalStream(pointer)


def _array(xp: Any, address: int, shape: tuple[int, ...], dtype: Any, device: int) -> Any:
    """The array of CuPy in memory that somebody else keeps."""
    count = prod(shape) * dtype.itemsize
    memory = xp.cuda.UnownedMemory(address, count, None, device)
    return xp.ndarray(shape, dtype, xp.cuda.MemoryPointer(memory, 0))


class CudaRunner:
    """A program made callable; compiled at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. Outputs are new arrays in C order, their bits the same
    every time.
    """

    def __init__(self, program: Program, dtype: DType, options: Options) -> None:
        self._program = program
        self._dtype = dtype
        self._options = options
        self._launches: BoundedCache[CudaLaunch] = BoundedCache(MOST_LAUNCHES)
        self._key = fingerprint(program)

    def run(
        self,
        arrays: Mapping[str, Any],
        sizes: Mapping[Symbol, int],
        out: Mapping[str, Any] = _NO_ARRAYS,
    ) -> dict[str, Any]:
        """The outputs by name, from an array of CuPy for each input and a number for each size.

        Arrays of numpy are copied to the GPU, and the results back. Raises BackendError where there is no GPU.
        """
        xp = cupy()
        host = not any(isinstance(a, xp.ndarray) for a in arrays.values())
        given = {n: xp.asarray(a) for n, a in arrays.items()}
        device = on_one_device(given.items()) if given else xp.cuda.runtime.getDevice()
        launch = self.launch(sizes, device)
        inputs = [xp.ascontiguousarray(given[n]) for n in launch.inputs]
        into = [out.get(n) for n in self._program.outputs] if out and not host else []
        outputs = launch(inputs, into if are_fit(into, launch.outputs, inputs, xp.ndarray) else ())
        if host:
            outputs = [xp.asnumpy(a) for a in outputs]
        return dict(zip(self._program.outputs, outputs, strict=True))

    def launch(self, sizes: Mapping[Symbol, int], device: int) -> CudaLaunch:
        """The launcher for these sizes on this device, to be called repeatedly."""
        key = (device, *(sizes[s] for s in self._program.sizes))
        return self._launches.of(key, lambda: self._made(sizes, device))

    def lowered(self, sizes: Mapping[Symbol, int] | None) -> GpuModule:
        """The module that is run for these sizes, on the current GPU if there is one; without sizes, for typical ones."""
        if sizes is None:
            return self._lowered(Decisions(), None, {})
        decided, device = self._decisions(sizes), current_device()
        tiles = {} if device is None else recalled(self._place(decided, sizes, device))
        return self._lowered(decided, sizes, tiles)

    def _made(self, sizes: Mapping[Symbol, int], device: int) -> CudaLaunch:
        decided = self._decisions(sizes)
        flags = self._flags

        def launch(tiles: Tiles) -> CudaLaunch:
            gpu = self._lowered(decided, sizes, tiles)
            return cuda_launch(
                gpu,
                sizes,
                self._dtype,
                device,
                flags=flags,
                tensor_cores=self._options.tensor_cores,
            )

        place = self._place(decided, sizes, device)
        if not is_tuning():
            return launch(recalled(place))
        best = tuned(self._lowered(decided, sizes, {}).tile_choices(sizes, MOST_CHOICES), launch)
        store(place, best)
        return launch(best)

    def _decisions(self, sizes: Mapping[Symbol, int]) -> Decisions:
        return compiler.gpu_decisions(
            self._program, sizes, self._dtype, self._options, self._machine
        )

    def _lowered(
        self, decided: Decisions, sizes: Mapping[Symbol, int] | None, tiles: Tiles
    ) -> GpuModule:
        program, dtype, blas = self._program, self._dtype, self._options.blas
        return compiler.lowered_for_gpu(
            program, MODE, decided, sizes, dtype, self._machine, blas=blas, tiles=tiles
        )

    def _place(self, decided: Decisions, sizes: Mapping[Symbol, int], device: int) -> object:
        """The key of the tiles that were tuned for these sizes on such a device."""
        numbers = [(s, sizes[s]) for s in self._program.sizes]
        tensor_cores = self._options.tensor_cores
        key = (
            self._key,
            decided.recomputed,
            numbers,
            self._dtype,
            self._options.blas,
            tensor_cores,
        )
        return key, self._flags, device_name(device)

    @property
    def _machine(self) -> Machine:
        return replace(MACHINE, tensor_cores=self._options.tensor_cores)

    @property
    def _flags(self) -> tuple[str, ...]:
        """Further options of NVRTC."""
        return FAST_MATH if self._options.fast_math else ()


def cuda_launch(
    gpu: GpuModule,
    sizes: Mapping[Symbol, int],
    dtype: DType,
    device: int,
    *,
    flags: Sequence[str] = (),
    tensor_cores: bool = False,
) -> CudaLaunch:
    """A module for these values of all sizes, compiled, and loaded on the device. `flags` are further options of NVRTC.

    `tensor_cores`: products of float32 that are left to cuBLAS are computed in TF32.
    """
    program, machine = gpu.module.program, gpu.machine
    sizes = program.size_values({s: sizes[s] for s in program.sizes})
    width = fitting_index_type(gpu, sizes)
    made = cuda_text([gpu], "", dtype, width)
    module = _module(device, made.text, tuple(flags))
    kernels: list[tuple[Any, int, Sequence[str]] | MatrixProduct] = []
    entries = made.manifest["modes"][gpu.module.name]["kernels"]
    for k, entry in zip(gpu.kernels, entries, strict=True):
        if k.kernel.name in gpu.products:
            kernels.append(gpu.products[k.kernel.name])
            continue
        blocks = min(-(-k.threads(sizes) // machine.block), machine.most_blocks)
        kernels.append((module.get_function(k.kernel.name), blocks, entry["arguments"]))
    integer = ctypes.c_longlong if width == "int64" else ctypes.c_int
    return CudaLaunch(gpu, kernels, sizes, dtype, integer, device, tensor_cores=tensor_cores)


def _module(device: int, text: str, flags: tuple[str, ...]) -> Any:
    """The text as code on the device."""
    key = (device, digest(text), flags)
    with _modules_lock:
        return _modules.of(key, lambda: _loaded(device, text, flags))


def _loaded(device: int, text: str, flags: tuple[str, ...]) -> Any:
    xp = cupy()
    arch = architecture(device, supported_architectures())
    key = ("cubin", text, arch, flags, nvrtc_version())
    compiled = disk_cached(key, lambda: compile_cuda(text, arch, flags))
    with xp.cuda.Device(device):
        module = xp.cuda.function.Module()
        try:
            module.load(compiled.cubin)
        except Exception as error:
            raise BackendError(
                None,
                f"the driver does not load what NVRTC {'.'.join(map(str, nvrtc_version()))} made for {arch}: {error}",
                fix="update the driver, or install an older nvidia-cuda-nvrtc",
            ) from None
    return module
