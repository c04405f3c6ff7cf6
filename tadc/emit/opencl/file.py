"""OpenCL C: a `.cl` file with the kernels of all modes of a program, and its manifest.

The schedules are those of a GPU. A team of threads is a work-group of its own size, since that is what barriers are for;
everyone else works in groups of a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tadc.emit.clike.gpu_kernel import GpuSource, KernelPrinter, kernel_entry, safe_index_type
from tadc.emit.clike.launcher import manifest
from tadc.emit.clike.spelling import DType, device_functions, integer_type, opencl_names
from tadc.emit.opencl.text import OpenClText
from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import GpuModule
from tadc.version import __version__

__all__ = ["element_types", "group_size", "opencl_text"]


def group_size(scheduled: GpuKernel, machine: Machine) -> int:
    """The number of work-items in a work-group of the kernel."""
    team = scheduled.team
    return team * machine.beside(team) if team > 1 else machine.block


def element_types(parts: Sequence[GpuModule], dtype: DType) -> set[str]:
    """The element types of all tensors; `dtype` is that of tensors without a declared one."""
    tensors = (t for part in parts for t in part.module.program.tensors.values())
    return {dtype, *(t.dtype for t in tensors if t.dtype)}


def opencl_text(
    parts: Sequence[GpuModule], source: str, dtype: DType, index_type: DType | None = None
) -> GpuSource:
    """The file for modes that are kernels already. Without `index_type` it is 32 bits, where extents do not say more.

    Raises BackendError for elements of 16 bits and for atomic additions, which OpenCL has not.
    """
    types = element_types(parts, dtype)
    _refuse(parts, types)
    machine = parts[0].machine
    index_type = index_type or safe_index_type(parts)
    printer = KernelPrinter(OpenClText, dtype, index_type, machine)
    rendered: list[dict[str, Any]] = [
        {
            "name": p.module.name,
            "kernels": [_kernel(k, p.module.program, printer) for k in p.kernels],
        }
        for p in parts
    ]
    bodies = "\n".join(k["body"] for m in rendered for k in m["kernels"])
    functions = device_functions(bodies, index_type, "opencl")
    text = template("opencl/program.cl").render(
        program=parts[0].module.program.name,
        version=__version__,
        doubles="float64" in types,
        names=opencl_names(f"{bodies}\n{functions}"),
        functions=functions,
        integer=integer_type(index_type, "opencl"),
        modes=rendered,
    )
    entries: Mapping[str, Sequence[Mapping[str, Any]]] = {
        p.module.name: [
            kernel_entry(k, p.module.program, machine, group_size(k, machine)) for k in p.kernels
        ]
        for p in parts
    }
    made = manifest([p.module for p in parts], source, dtype, index_type, entries)
    for mode in made["modes"].values():
        mode["launcher"] = None
    return GpuSource(text, made)


def _refuse(parts: Sequence[GpuModule], types: set[str]) -> None:
    if halves := sorted(types & {*HALF_TYPES}):
        raise BackendError(
            None,
            f"elements of {halves[0]} are not supported in OpenCL",
            fix="use `float32`, or the target `cuda`",
        )
    if any(k.kernel.is_atomic for part in parts for k in part.kernels):
        raise BackendError(
            None,
            "OpenCL has no atomic additions of floating-point numbers",
            fix="leave them out, or use the target `cuda`",
        )


def _kernel(scheduled: GpuKernel, program: Program, printer: KernelPrinter) -> dict[str, Any]:
    parts = printer.parts(scheduled, program, printer.of(scheduled, program))
    return {**parts, "group": group_size(scheduled, printer.machine)}
