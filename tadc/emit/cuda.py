"""CUDA text: a self-contained `.cu` file for all modes of a program, with host launchers, and its manifest.

One thread computes one element of a kernel's box, in a grid-stride loop; the innermost dimension is on neighbouring
threads. No element is written twice, so there are no atomics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from tadc.emit.c_kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.c_spelling import DType, device_functions
from tadc.emit.c_text import INTEGER, CText
from tadc.emit.index_width import numbers
from tadc.emit.launcher import LARGEST_INT32, Launcher, Mode, factor, manifest, modes_of
from tadc.emit.templates import template
from tadc.ir.idx_text import statement_comment
from tadc.ir.program import Program
from tadc.schedule.loop_nest import Kernel, Store, steps_of
from tadc.version import __version__

__all__ = ["CudaText", "cuda_text", "emit_cuda"]

BLOCK = 256
MOST_BLOCKS = 32768
MOST_INT32 = (
    LARGEST_INT32 - BLOCK * MOST_BLOCKS
)  # a grid-stride loop steps past the end by one grid


@dataclass(frozen=True, slots=True)
class CudaText:
    """The text of a `.cu` file and its manifest (`api.md`)."""

    text: str
    manifest: dict[str, Any]


def emit_cuda(modes: Mapping[str, Program], source: str, dtype: DType) -> CudaText:
    """The file for programs by mode, all derived from one. `dtype` is that of tensors without a declared one.

    Raises BackendError where an extent does not fit any index type.
    """
    return cuda_text(modes_of(modes), source, dtype)


def cuda_text(parts: Sequence[Mode], source: str, dtype: DType) -> CudaText:
    """The file for modes that are kernels already."""
    index_type = _index_type(parts)
    emitter = _Emitter(dtype, index_type)
    rendered = [emitter.mode(m) for m in parts]
    bodies = "\n".join(
        [k["body"] for m in rendered for k in m["kernels"]]
        + [m["launcher"]["body"] for m in rendered]
    )
    text = template("cuda/program.cu").render(
        program=parts[0].program.name,
        version=__version__,
        functions=device_functions(bodies, index_type),
        block=BLOCK,
        most_blocks=MOST_BLOCKS,
        modes=rendered,
    )
    entries = {m.name: [_kernel_entry(k, m.program) for k in m.kernels] for m in parts}
    return CudaText(text, manifest(parts, source, dtype, index_type, entries))


def _index_type(modes: Sequence[Mode]) -> DType:
    """32 bits, unless a tensor of known extents has more elements, or an index expression a value that does not fit."""
    largest = max(
        (
            prod(n.constant for n in t.shape)
            for m in modes
            for t in m.program.tensors.values()
            if all(n.is_constant for n in t.shape)
        ),
        default=0,
    )
    found = [numbers(m.program) for m in modes]
    largest = max(largest, *(n.largest for n in found))
    return "int64" if largest > MOST_INT32 or any(n.are_steep for n in found) else "int32"


@dataclass(frozen=True, slots=True)
class _Emitter:
    dtype: DType
    index_type: DType

    def mode(self, mode: Mode) -> dict[str, Any]:
        return {
            "name": mode.name,
            "kernels": [self._kernel(k, mode.program) for k in mode.kernels],
            "launcher": self._launcher(mode),
        }

    # ------------------------------------------------------------------ kernels

    def _kernel(self, kernel: Kernel, program: Program) -> dict[str, Any]:
        text = kernel_text(kernel, program, self.dtype, self.index_type, "cuda")
        pad = "  "
        integer = INTEGER[self.index_type]
        lines: list[str] = []
        if kernel.indices:
            total = self._total(kernel, text)
            wide = f"({integer})" if self.index_type == "int64" else ""
            first, step = (
                f"{wide}blockIdx.x * blockDim.x + threadIdx.x",
                f"{wide}gridDim.x * blockDim.x",
            )
            lines.append(
                f"{pad}for ({integer} thread = {first}; thread < {total}; thread += {step}) {{"
            )
            lines += self._decomposed(kernel, text)
        else:
            lines.append(f"{pad}if (blockIdx.x == 0 && threadIdx.x == 0) {{")
        lines += text.lines(kernel.body, 2)
        lines.append(f"{pad}}}")
        return {
            "name": kernel.name,
            "comment": [statement_comment(s) for s in kernel.statements],
            "parameters": ", ".join(kernel_parameters(kernel, program, text, "__restrict__")),
            "body": "\n".join(lines),
        }

    def _total(self, kernel: Kernel, text: CText) -> str:
        if all(n.is_constant for n in kernel.extents):
            return str(prod(n.constant for n in kernel.extents))
        return " * ".join(factor(text.affine(n).text) for n in kernel.extents)

    def _decomposed(self, kernel: Kernel, text: CText) -> list[str]:
        """The indices from the thread's number, innermost first; the outermost needs no remainder."""
        lines = []
        integer = INTEGER[self.index_type]
        for d in reversed(range(len(kernel.indices))):
            extents = kernel.extents[d + 1 :]
            divisor = " * ".join(factor(text.affine(n).text) for n in extents)
            if extents and all(n.is_constant for n in extents):
                divisor = str(prod(n.constant for n in extents))
            grouped = divisor if len(extents) == 1 or divisor.isdigit() else f"({divisor})"
            quotient = f"thread / {grouped}" if extents else "thread"
            value = (
                quotient
                if d == 0
                else f"{quotient} % {factor(text.affine(kernel.extents[d]).text)}"
            )
            lines.append(f"    const {integer} {text.names[kernel.indices[d]]} = {value};")
        return lines

    # ------------------------------------------------------------------ launchers

    def _launcher(self, mode: Mode) -> dict[str, str]:
        launcher = Launcher.of(mode, self.dtype, self.index_type, "cuda")
        launches = [
            line for k in mode.kernels for line in self._launch(k, mode.program, launcher.text)
        ]
        launches.append("  return cudaSuccess;")
        return {
            "name": mode.launcher,
            "parameters": launcher.parameters("cudaStream_t stream"),
            "body": launcher.body(launches, "cudaErrorInvalidValue", MOST_INT32),
        }

    def _launch(self, kernel: Kernel, program: Program, text: CText) -> list[str]:
        given = [text.names[t] for t in (*kernel.reads, *kernel.writes)]
        given += [text.names[s] for s in kernel_sizes(kernel, program)]
        threads = self._total(kernel, text) if kernel.indices else "1"
        arguments = ", ".join(f"(void*)&{a}" for a in given)
        return [
            "  {",
            f"    void* arguments[] = {{{arguments}}};",
            f"    const cudaError_t status = cudaLaunchKernel({kernel.name}, dim3(blocks({threads if threads.isdigit() else '(double)' + threads})), dim3({BLOCK}),"
            " arguments, 0, stream);",
            "    if (status != cudaSuccess) return status;",
            "  }",
        ]


def _kernel_entry(k: Kernel, program: Program) -> dict[str, Any]:
    threads = "*".join(factor(str(n)) for n in k.extents) or "1"
    return {
        "name": k.name,
        "writes": list(k.writes),
        "arguments": [*k.reads, *k.writes, *kernel_sizes(k, program)],
        "grid": [f"min(({threads} + {BLOCK - 1}) // {BLOCK}, {MOST_BLOCKS})"],
        "block": [BLOCK],
        "shared_bytes": 0,
        "schedule": "atomic additions" if _is_atomic(k) else "one thread an element",
    }


def _is_atomic(kernel: Kernel) -> bool:
    return any(isinstance(s, Store) and s.atomic for s in steps_of(kernel.body))
