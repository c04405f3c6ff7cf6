"""CUDA text: a self-contained `.cu` file for all modes of a program, with host launchers, and its manifest.

A thread, a warp or a block computes a point of a kernel's box, in a grid-stride loop; the innermost dimension is on
neighbouring threads, or teams. No element is written twice, so there are no atomics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tadc.emit.clike.gpu_kernel import (
    MOST_BLOCKS,
    MOST_INT32,
    Grid,
    KernelPrinter,
    kernel_entry,
    point_counts,
    product,
    safe_index_type,
)
from tadc.emit.clike.gpu_text import GpuText
from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes
from tadc.emit.clike.launcher import Launcher, manifest
from tadc.emit.clike.spelling import DType, device_functions
from tadc.emit.clike.text import CText
from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.printing.idx import statement_comment
from tadc.schedule.gpu.cost import BLOCK
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import GpuModule
from tadc.schedule.nest.loop_nest import Tile
from tadc.version import __version__

__all__ = ["CudaText", "cuda_text"]

# Of a multiprocessor, by the values that a thread holds: with more it has no registers for them.
BLOCKS_BY_VALUES = {1: {12: 3, 32: 2}, BLOCK: {8: 3, 32: 2}}


@dataclass(frozen=True, slots=True)
class CudaText:
    """The text of a `.cu` file and its manifest (`docs/api.md`)."""

    text: str
    manifest: dict[str, Any]


def cuda_text(
    parts: Sequence[GpuModule], source: str, dtype: DType, index_type: DType | None = None
) -> CudaText:
    """The file for modes that are kernels already. Without `index_type` it is 32 bits, where extents do not say more."""
    if dtype in HALF_TYPES and any(k.kernel.is_atomic for part in parts for k in part.kernels):
        raise BackendError(
            None,
            f"there are no atomic additions to elements of {dtype}",
            fix="generate the form with atomic additions for `float32`",
        )
    modes = [part.mode for part in parts]
    index_type = index_type or safe_index_type(modes)
    emitter = _Emitter(dtype, index_type)
    rendered = [emitter.mode(part) for part in parts]
    bodies = "\n".join(
        [k["body"] for m in rendered for k in m["kernels"]]
        + [m["launcher"]["body"] for m in rendered]
    )
    text = template("cuda/program.cu").render(
        program=modes[0].program.name,
        version=__version__,
        types=template(f"cuda/{dtype}.cuh").render().rstrip() if dtype in HALF_TYPES else "",
        functions=device_functions(bodies, index_type),
        block=BLOCK,
        most_blocks=MOST_BLOCKS,
        modes=rendered,
    )
    entries = {p.mode.name: [kernel_entry(k, p.mode.program) for k in p.kernels] for p in parts}
    return CudaText(text, manifest(modes, source, dtype, index_type, entries))


@dataclass(frozen=True, slots=True)
class _Emitter:
    dtype: DType
    index_type: DType

    def mode(self, part: GpuModule) -> dict[str, Any]:
        return {
            "name": part.mode.name,
            "kernels": [self._kernel(k, part.mode.program) for k in part.kernels],
            "launcher": self._launcher(part),
        }

    # ------------------------------------------------------------------ kernels

    def _kernel(self, scheduled: GpuKernel, program: Program) -> dict[str, Any]:
        kernel = scheduled.kernel
        printer = KernelPrinter(GpuText, self.dtype, self.index_type)
        text = printer.of(scheduled, program)
        return {
            "name": kernel.name,
            "blocks": _blocks(scheduled, text.dtype),
            "comment": [statement_comment(s) for s in kernel.statements],
            "parameters": ", ".join(kernel_parameters(kernel, program, text, "__restrict__")),
            "body": "\n".join(printer.lines(scheduled, text, self._grid(scheduled.team))),
        }

    def _grid(self, team: int) -> Grid:
        wide = "(long long)" if self.index_type == "int64" else ""
        first = f"{wide}blockIdx.x * blockDim.x + threadIdx.x"
        step = f"{wide}gridDim.x * blockDim.x"
        if team == BLOCK:
            return Grid("threadIdx.x", f"{wide}blockIdx.x", "gridDim.x", "blockIdx.x == 0")
        alone = f"blockIdx.x == 0 && threadIdx.x < {team}"
        if team == 1:
            return Grid("", first, step, alone)
        return Grid(f"threadIdx.x % {team}", f"({first}) / {team}", f"{step} / {team}", alone)

    # ------------------------------------------------------------------ launchers

    def _launcher(self, part: GpuModule) -> dict[str, str]:
        mode = part.mode
        launcher = Launcher.of(mode, self.dtype, self.index_type, GpuText)
        launches = [
            line for k in part.kernels for line in self._launch(k, mode.program, launcher.text)
        ]
        head = launcher.head(launches, "cudaErrorInvalidValue", MOST_INT32)
        return {
            "name": mode.launcher,
            "parameters": launcher.parameters("cudaStream_t stream"),
            "body": "\n".join([head, *launches, "  return cudaSuccess;"]),
        }

    def _launch(self, scheduled: GpuKernel, program: Program, text: CText) -> list[str]:
        kernel, team = scheduled.kernel, scheduled.team
        given = [text.names[t] for t in (*kernel.reads, *kernel.writes)]
        given += [text.names[s] for s in kernel_sizes(kernel, program)]
        threads = product(point_counts(scheduled, text))
        if team > 1:
            threads = str(int(threads) * team) if threads.isdigit() else f"{threads} * {team}"
        arguments = ", ".join(f"(void*)&{a}" for a in given)
        return [
            "  {",
            f"    void* arguments[] = {{{arguments}}};",
            f"    const cudaError_t status = cudaLaunchKernel({kernel.name}, dim3(blocks({threads if threads.isdigit() else '(double)' + threads})), dim3({BLOCK}),"
            " arguments, 0, stream);",
            "    if (status != cudaSuccess) return status;",
            "  }",
        ]


def _blocks(scheduled: GpuKernel, dtype: DType) -> int | None:
    """How many blocks are to fit on a multiprocessor, so that ptxas leaves a thread the registers that it needs."""
    words = 3 if dtype == "float64" else 1  # two, and more in what functions compute
    match scheduled.kernel.body:
        case (Tile(wide=wide, inside_wide=inside_wide) as tile,):
            lanes = prod(t.count for t in tile.indices)
            values = lanes * max(len(wide), len(inside_wide)) * words
            by_values = BLOCKS_BY_VALUES[scheduled.team].items()
            return next((blocks for most, blocks in by_values if values <= most), 1)
        case _:
            return 4 if dtype == "float64" else None
