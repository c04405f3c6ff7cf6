"""OpenCL C: a `.cl` file with the kernels of all modes of a program, and its manifest.

The schedules are those of a GPU. A team of threads is a work-group of its own size, since that is what barriers are for;
everyone else works in groups of BLOCK.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tadc.emit.clike.gpu_kernel import Grid, KernelPrinter, kernel_entry, safe_index_type
from tadc.emit.clike.kernel import kernel_parameters
from tadc.emit.clike.launcher import manifest
from tadc.emit.clike.spelling import DType, device_functions, opencl_names
from tadc.emit.opencl.text import OpenClText
from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.printing.idx import statement_comment
from tadc.schedule.gpu.cost import BLOCK
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import GpuModule
from tadc.version import __version__

__all__ = ["OpenClSource", "group_size", "opencl_text"]


@dataclass(frozen=True, slots=True)
class OpenClSource:
    """The text of a `.cl` file and its manifest (`docs/api.md`): kernels without launchers."""

    text: str
    manifest: dict[str, Any]


def group_size(scheduled: GpuKernel) -> int:
    """How many work-items a work-group of the kernel has."""
    return scheduled.team if scheduled.team > 1 else BLOCK


def opencl_text(
    parts: Sequence[GpuModule], source: str, dtype: DType, index_type: DType | None = None
) -> OpenClSource:
    """The file for modes that are kernels already. Without `index_type` it is 32 bits, where extents do not say more.

    Raises BackendError for elements of 16 bits and for atomic additions, which OpenCL has not.
    """
    kernels = [k for part in parts for k in part.kernels]
    declared = (t.dtype for part in parts for t in part.mode.program.tensors.values())
    types = {dtype, *(t for t in declared if t)}
    if halves := sorted(types & {*HALF_TYPES}):
        raise BackendError(
            None,
            f"elements of {halves[0]} are not supported in OpenCL",
            fix="use `float32`, or the target `cuda`",
        )
    if any(k.kernel.is_atomic for k in kernels):
        raise BackendError(
            None,
            "OpenCL has no atomic additions of floating-point numbers",
            fix="leave them out, or use the target `cuda`",
        )
    index_type = index_type or safe_index_type([part.mode for part in parts])
    emitter = _Emitter(dtype, index_type)
    rendered = [emitter.mode(part) for part in parts]
    bodies = "\n".join(k["body"] for m in rendered for k in m["kernels"])
    functions = device_functions(bodies, index_type, "opencl")
    text = template("opencl/program.cl").render(
        program=parts[0].mode.program.name,
        version=__version__,
        doubles="float64" in types,
        names=opencl_names(f"{bodies}\n{functions}"),
        functions=functions,
        modes=rendered,
    )
    entries: Mapping[str, Sequence[Mapping[str, Any]]] = {
        p.mode.name: [kernel_entry(k, p.mode.program, group_size(k)) for k in p.kernels]
        for p in parts
    }
    made = manifest([p.mode for p in parts], source, dtype, index_type, entries)
    for mode in made["modes"].values():
        mode["launcher"] = None
    return OpenClSource(text, made)


@dataclass(frozen=True, slots=True)
class _Emitter:
    dtype: DType
    index_type: DType

    def mode(self, part: GpuModule) -> dict[str, Any]:
        return {
            "name": part.mode.name,
            "kernels": [self._kernel(k, part.mode.program) for k in part.kernels],
        }

    def _kernel(self, scheduled: GpuKernel, program: Program) -> dict[str, Any]:
        kernel = scheduled.kernel
        printer = KernelPrinter(OpenClText, self.dtype, self.index_type)
        text = printer.of(scheduled, program)
        assert isinstance(text, OpenClText)
        lines = printer.lines(scheduled, text, _grid(scheduled.team))
        parameters = kernel_parameters(kernel, program, text, "restrict", "__global ")
        return {
            "name": kernel.name,
            "comment": [statement_comment(s) for s in kernel.statements],
            "group": group_size(scheduled),
            "parameters": ", ".join(parameters),
            "body": "\n".join([*text.shared(kernel.body), *lines]),
        }


def _grid(team: int) -> Grid:
    if team > 1:
        group = "get_group_id(0)"
        return Grid("get_local_id(0)", group, "get_num_groups(0)", f"{group} == 0")
    thread = "get_global_id(0)"
    return Grid("", thread, "get_global_size(0)", f"{thread} == 0")
