"""Programs on a device of OpenCL: emitted text, built by the device's driver, its kernels put on a queue by pyopencl.

Nothing is waited for where arrays are pyopencl's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy as np

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.cache import digest
from tadc.emit.clike.gpu_kernel import fitting_index_type
from tadc.emit.clike.spelling import DType
from tadc.emit.opencl.file import element_types, group_size, opencl_text
from tadc.errors import BackendError
from tadc.ir.affine import Symbol
from tadc.ir.program import Program
from tadc.options import Options
from tadc.runtime.element_types import array_form
from tadc.runtime.opencl.arrays import (
    as_cl_array,
    default_queue,
    dense,
    devices,
    empty,
    is_cl_array,
    on_one_context,
    pyopencl,
)
from tadc.schedule.gpu.machine import ANY_OF_OPENCL
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import Decisions, GpuModule

__all__ = ["OpenClLaunch", "OpenClRunner", "for_device"]

MODE = "run"  # only part of the kernels' names
MOST_LAUNCHES = 256  # sets of sizes
MOST_PROGRAMS = 256
# Sums that a team of a processor combines: PoCL 3.0 dies of many barriers, and compiles those in branches wrongly.
MOST_COMBINED = 0
_NO_TILES: Mapping[str, Shape] = {}

# By device, text and options; kernels that are still used keep theirs.
_programs: BoundedCache[Any] = BoundedCache(MOST_PROGRAMS)
_programs_lock = Lock()


@dataclass(frozen=True, slots=True)
class _Kernel:
    """A kernel with the names of its arguments, and its work-items: those of the grid and of a group."""

    function: Any
    arguments: Sequence[str]
    items: int
    group: int


class OpenClLaunch:
    """One program for one set of sizes on one device."""

    def __init__(
        self,
        gpu: GpuModule,
        sizes: Mapping[Symbol, int],
        dtype: DType,
        options: Options,
        queue: Any,
    ) -> None:
        program = gpu.module.program
        width = fitting_index_type(gpu, sizes)
        made = opencl_text([gpu], "", dtype, width)
        if "float64" in element_types([gpu], dtype):
            _require_float64(queue.device)
        module = _built(queue, made.text, fast_math=options.fast_math)
        entries = made.manifest["modes"][gpu.module.name]["kernels"]
        self._kernels = []
        for k, entry in zip(gpu.kernels, entries, strict=True):
            group = group_size(k, gpu.machine)
            groups = min(-(-k.threads(sizes) // group), gpu.machine.most_blocks)
            function = pyopencl().Kernel(module, k.kernel.name)
            self._kernels.append(_Kernel(function, entry["arguments"], groups * group, group))
        integer = np.int64 if width == "int64" else np.int32
        self._numbers = {s: integer(n) for s, n in sizes.items()}
        self.inputs = tuple(t.name for t in program.inputs)
        self.outputs = {n: array_form(program.tensors[n], sizes, dtype) for n in program.outputs}
        self._temporaries = {t.name: array_form(t, sizes, dtype) for t in gpu.module.temporaries}
        self._lock = Lock()

    def __call__(self, inputs: Mapping[str, Any], queue: Any) -> dict[str, Any]:
        """The outputs by name, new arrays of pyopencl. The inputs are in C order, of the types and shapes expected."""
        cl = pyopencl()
        forms = self.outputs | self._temporaries
        arrays = {n: empty(*form, queue) for n, form in forms.items()}
        given = {n: a.data for n, a in (arrays | dict(inputs)).items()} | self._numbers
        try:
            with self._lock:  # a kernel has its arguments until it is enqueued
                for k in self._kernels:
                    k.function.set_args(*(given[a] for a in k.arguments))
                    cl.enqueue_nd_range_kernel(queue, k.function, (k.items,), (k.group,))
        except cl.MemoryError:
            raise MemoryError from None
        except cl.Error as error:
            raise BackendError(
                None,
                f"{queue.device.name.strip()} does not run these kernels: {error}",
                fix="use `backend='native'`",
            ) from None
        return {n: arrays[n] for n in self.outputs}


def for_device(gpu: GpuModule, device: Any) -> GpuModule:
    """The schedules as the device runs them."""
    on_processor = device.type & pyopencl().device_type.CPU
    return gpu.combining_at_most(MOST_COMBINED) if on_processor else gpu


class OpenClRunner:
    """A program made callable; built at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. Outputs are new arrays in C order, their bits the same
    every time.
    """

    def __init__(self, program: Program, dtype: DType, options: Options) -> None:
        self._program = program
        self._dtype = dtype
        self._options = options
        self._launches: BoundedCache[OpenClLaunch] = BoundedCache(MOST_LAUNCHES)

    def run(self, arrays: Mapping[str, Any], sizes: Mapping[Symbol, int]) -> dict[str, Any]:
        """The outputs by name, from an array of pyopencl for each input and a number for each size.

        Arrays of numpy are copied to the default device, and the results back. Raises BackendError where there is none.
        """
        given = {n: a for n, a in arrays.items() if is_cl_array(a)}
        queue = on_one_context(given) if given else default_queue()
        inputs = {n: dense(as_cl_array(n, a, queue), queue) for n, a in arrays.items()}
        made = self._launch(sizes, queue)(inputs, queue)
        # An output that is an input has another name there.
        outputs = dict(zip(self._program.outputs, made.values(), strict=True))
        return outputs if given else {n: a.get() for n, a in outputs.items()}

    def _launch(self, sizes: Mapping[Symbol, int], queue: Any) -> OpenClLaunch:
        key = (queue.context, queue.device, *(sizes[s] for s in self._program.sizes))
        return self._launches.of(key, lambda: self._made(sizes, queue))

    def lowered(self, sizes: Mapping[Symbol, int] | None) -> GpuModule:
        """The module that is run for these sizes, on the default device if there is one; without sizes, for typical ones."""
        module = self._lowered(sizes)
        return for_device(module, default_queue().device) if devices() else module

    def _lowered(self, sizes: Mapping[Symbol, int] | None) -> GpuModule:
        program, dtype, options = self._program, self._dtype, self._options
        decided = Decisions()
        if sizes is not None:
            decided = compiler.gpu_decisions(program, sizes, dtype, replace(options, blas=False))
        return compiler.lowered_for_gpu(
            program, MODE, decided, sizes, dtype, ANY_OF_OPENCL, blas=False, tiles=_NO_TILES
        )

    def _made(self, sizes: Mapping[Symbol, int], queue: Any) -> OpenClLaunch:
        gpu = for_device(self._lowered(sizes), queue.device)
        program = gpu.module.program
        values = program.size_values({s: sizes[s] for s in program.sizes})
        return OpenClLaunch(gpu, values, self._dtype, self._options, queue)


def _require_float64(device: Any) -> None:
    """Raises BackendError where the device has no such numbers."""
    if "cl_khr_fp64" not in device.extensions:
        raise BackendError(
            None,
            f"{device.name.strip()} has no elements of 64 bits",
            fix="compute in float32: `dtype='float32'`",
        )


def _built(queue: Any, text: str, *, fast_math: bool) -> Any:
    """The program, built for the queue's device."""
    key = (queue.context, queue.device, digest(text), fast_math)
    with _programs_lock:
        return _programs.of(key, lambda: _made(queue, text, fast_math))


def _optimises_wrongly(platform: Any) -> bool:
    """PoCL 3 (LLVM 14) with AVX-512: threads behind a condition that is false store what they read before others stored."""
    return platform.name == "Portable Computing Language" and "PoCL 3." in platform.version


def _made(queue: Any, text: str, fast_math: bool) -> Any:
    """Raises BackendError for kernels that the device does not accept."""
    cl, device = pyopencl(), queue.device
    exact = cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT
    flags = ["-cl-std=CL1.2"]
    if _optimises_wrongly(device.platform):
        flags.append("-cl-opt-disable")
    if fast_math:
        flags.append("-cl-fast-relaxed-math")
    elif device.single_fp_config & exact:
        flags.append("-cl-fp32-correctly-rounded-divide-sqrt")
    with catch_warnings():
        simplefilter("ignore", cl.CompilerWarning)
        try:
            return cl.Program(queue.context, text).build(flags, devices=[device])
        except cl.Error as error:
            raise BackendError(
                None, f"the driver of {device.name.strip()} does not build this text: {error}"
            ) from None
