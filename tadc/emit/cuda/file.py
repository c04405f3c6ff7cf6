"""CUDA text: a self-contained `.cu` file for all modes of a program, with host launchers, and its manifest.

A thread, a warp or a block computes a point of a kernel's box, in a grid-stride loop; the innermost dimension is on
neighbouring threads, or teams. No element is written twice, so there are no atomics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tadc.emit.clike.gpu_kernel import (
    GpuSource,
    KernelPrinter,
    kernel_entry,
    most_int32,
    point_counts,
    product,
    safe_index_type,
)
from tadc.emit.clike.gpu_text import GpuText
from tadc.emit.clike.kernel import kernel_sizes
from tadc.emit.clike.launcher import Launcher, manifest
from tadc.emit.clike.missing_lists import TAKEN
from tadc.emit.clike.spelling import (
    DType,
    device_functions,
    integer_type,
    number,
)
from tadc.emit.clike.text import CText
from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import GpuModule, Module
from tadc.schedule.nest.loop_nest import HeldRow, Tile
from tadc.version import __version__

__all__ = ["cuda_launcher", "cuda_text"]


def cuda_text(
    parts: Sequence[GpuModule],
    source: str,
    dtype: DType,
    index_type: DType | None = None,
    lists: Mapping[str, Sequence[str]] | None = None,
) -> GpuSource:
    """The file for modes that are kernels already. Without `index_type` it is 32 bits, where extents do not say more.

    `lists` are the tensors of a launcher, by its name, without which it calls the function that makes them.
    """
    if dtype in HALF_TYPES and any(k.kernel.is_atomic for part in parts for k in part.kernels):
        raise BackendError(
            None,
            f"there are no atomic additions to elements of {dtype}",
            fix="generate the form with atomic additions for `float32`",
        )
    machine = parts[0].machine
    index_type = index_type or safe_index_type(parts)
    printer = KernelPrinter(GpuText, dtype, index_type, machine)
    rendered: list[dict[str, Any]] = [
        {
            "name": part.module.name,
            "kernels": [_kernel(k, part.module.program, printer) for k in part.kernels],
            "launcher": _launcher(
                part, dtype, index_type, (lists or {}).get(part.module.launcher, ())
            ),
        }
        for part in parts
    ]
    bodies = [k["body"] for m in rendered for k in m["kernels"]]
    bodies += [m["launcher"]["head"] for m in rendered]
    text = template("cuda/program.cu").render(
        program=parts[0].module.program.name,
        version=__version__,
        types=template(f"cuda/{dtype}.cuh").render().rstrip() if dtype in HALF_TYPES else "",
        functions=device_functions("\n".join(bodies), index_type),
        integer=integer_type(index_type, "cuda"),
        wide="(long long)" if index_type == "int64" else "",
        block=machine.block,
        most_blocks=machine.most_blocks,
        modes=rendered,
    )
    entries = {
        p.module.name: [
            kernel_entry(k, p.module.program, machine, machine.block) for k in p.kernels
        ]
        for p in parts
    }
    return GpuSource(text, manifest([p.module for p in parts], source, dtype, index_type, entries))


def _kernel(scheduled: GpuKernel, program: Program, printer: KernelPrinter) -> dict[str, Any]:
    text = printer.of(scheduled, program)
    return {**printer.parts(scheduled, program, text), "blocks": _blocks(scheduled, text.dtype)}


def cuda_launcher(module: Module, dtype: DType, index_type: DType) -> Launcher:
    """The launcher of a mode in a file of CUDA."""
    return Launcher.of(module, dtype, index_type, GpuText, TAKEN)


def _launcher(
    part: GpuModule, dtype: DType, index_type: DType, lists: Sequence[str]
) -> dict[str, Any]:
    module, machine = part.module, part.machine
    launcher = cuda_launcher(module, dtype, index_type)
    launched = [k.kernel for k in part.kernels]
    most, step = most_int32(machine), machine.block
    return {
        "name": module.launcher,
        "parameters": launcher.parameters("cudaStream_t stream"),
        "arguments": launcher.arguments("stream"),
        "missing": [f"!{launcher.text.names[t]}" for t in lists],
        "head": launcher.head(launched, "cudaErrorInvalidValue", most, step),
        "launches": [_launch(k, module.program, launcher.text) for k in part.kernels],
    }


def _launch(scheduled: GpuKernel, program: Program, text: CText) -> dict[str, Any]:
    kernel, team = scheduled.kernel, scheduled.team
    given = (*kernel.reads, *kernel.writes, *kernel_sizes(kernel, program))
    threads = product([*point_counts(scheduled, text), *([number(team)] if team > 1 else [])])
    return {
        "kernel": kernel.name,
        "arguments": [text.names[a] for a in given],
        # The number may not fit into the type of the sizes.
        "threads": threads.text if threads.value is not None else f"(double){threads.text}",
    }


def _blocks(scheduled: GpuKernel, dtype: DType) -> int | None:
    """The number of blocks to fit on a multiprocessor, so that ptxas leaves a thread the registers it needs; None for no limit."""
    words = 3 if dtype == "float64" else 1  # two, and more in what functions compute
    match scheduled.kernel.body:
        case (Tile() | HeldRow(),):
            return scheduled.blocks(words)
        case _:
            return 4 if dtype == "float64" else None
