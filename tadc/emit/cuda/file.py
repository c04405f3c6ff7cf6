"""CUDA text: a self-contained `.cu` file for all modes of a program, with host launchers, and its manifest.

A thread, a warp or a block computes a point of a kernel's box, in a grid-stride loop; the innermost dimension is on
neighbouring threads, or teams. No element is written twice, so there are no atomics.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tadc.emit.clike.gpu_text import IN_PARTS, LANE, RANK, GpuText, tile_count
from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.clike.launcher import LARGEST_INT32, Launcher, factor, manifest
from tadc.emit.clike.spelling import DType, Precedence, bracketed, device_functions
from tadc.emit.clike.text import INTEGER, CText, part
from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.ir.element_types import HALF_TYPES
from tadc.ir.program import Program
from tadc.printing.idx import statement_comment
from tadc.schedule.gpu.cost import BLOCK, WARP, Sizes
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import GpuModule, Module
from tadc.schedule.nest.loop_nest import Tile
from tadc.version import __version__

__all__ = ["MOST_BLOCKS", "CudaText", "cuda_text", "fitting_index_type"]

POINT = "point"
MOST_BLOCKS = 32768
# Of a multiprocessor, by the values that a thread holds: with more it has no registers for them.
BLOCKS_BY_VALUES = {1: {12: 3, 32: 2}, BLOCK: {8: 3, 32: 2}}
MOST_INT32 = (
    LARGEST_INT32 - BLOCK * MOST_BLOCKS
)  # a grid-stride loop steps past the end by one grid


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
    index_type = index_type or _index_type(modes)
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
    entries = {p.mode.name: [_kernel_entry(k, p.mode.program) for k in p.kernels] for p in parts}
    return CudaText(text, manifest(modes, source, dtype, index_type, entries))


def fitting_index_type(mode: Module, sizes: Sizes) -> DType:
    """32 bits, if every index and offset fits for these values of all sizes."""
    elements = (prod(n.at(sizes) for n in t.shape) for t in mode.program.tensors.values())
    found = numbers(mode.program)
    bounds = (form.at(sizes) // divisor for form, divisor in found.bounds)
    return "int32" if max(found.largest, *elements, *bounds) <= MOST_INT32 else "int64"


def _index_type(modes: Sequence[Module]) -> DType:
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

    def mode(self, part: GpuModule) -> dict[str, Any]:
        return {
            "name": part.mode.name,
            "kernels": [self._kernel(k, part.mode.program) for k in part.kernels],
            "launcher": self._launcher(part),
        }

    # ------------------------------------------------------------------ kernels

    def _kernel(self, scheduled: GpuKernel, program: Program) -> dict[str, Any]:
        kernel, team = scheduled.kernel, scheduled.team
        taken: tuple[str, ...] = (RANK, POINT, *IN_PARTS) if team > 1 else ()
        taken += (LANE,) if scheduled.tile else ()
        text = kernel_text(kernel, program, self.dtype, self.index_type, "cuda", taken)
        assert isinstance(text, GpuText)
        text = replace(text, team=team)
        integer = INTEGER[self.index_type]
        own = "threadIdx.x" if team == BLOCK else f"threadIdx.x % {team}"
        lines = [f"  const int {RANK} = {own};"] if team > 1 else []
        if kernel.indices:
            wide = f"({integer})" if self.index_type == "int64" else ""
            first = f"{wide}blockIdx.x * blockDim.x + threadIdx.x"
            step = f"{wide}gridDim.x * blockDim.x"
            if team == BLOCK:
                first, step = f"{wide}blockIdx.x", "gridDim.x"
            elif team > 1:
                first, step = f"({first}) / {team}", f"{step} / {team}"
            total = _product(self._extents(scheduled, text))
            p = "thread" if team == 1 else POINT
            head = f"{integer} {p} = {first}; {p} < {total}; {p} += {step}"
            lines.append(f"  for ({head}) {{")
            lines += self._decomposed(scheduled, text, p)
        else:
            tests = ["blockIdx.x == 0", *([f"threadIdx.x < {team}"] if team < BLOCK else [])]
            lines.append(f"  if ({' && '.join(tests)}) {{")
        lines += text.lines(kernel.body, 2)
        lines.append("  }")
        return {
            "name": kernel.name,
            "blocks": _blocks(scheduled, text.dtype),
            "comment": [statement_comment(s) for s in kernel.statements],
            "parameters": ", ".join(kernel_parameters(kernel, program, text, "__restrict__")),
            "body": "\n".join(lines),
        }

    def _extents(self, scheduled: GpuKernel, text: CText) -> list[str]:
        """How many points each index has, or tiles: factors."""
        counts = {t.index: tile_count(t, text) for t in scheduled.tile}
        pairs = zip(scheduled.kernel.indices, scheduled.kernel.extents, strict=True)
        return [bracketed(counts.get(i) or text.affine(n), Precedence.UNARY) for i, n in pairs]

    def _decomposed(self, scheduled: GpuKernel, text: CText, point: str) -> list[str]:
        """The indices from the point's number, innermost first; the outermost needs no remainder."""
        lines = []
        integer = INTEGER[self.index_type]
        extents = self._extents(scheduled, text)
        own = {t.index: text.names[part(t.index)] for t in scheduled.tile}
        for d, index in reversed(list(enumerate(scheduled.kernel.indices))):
            inner = [n for n in extents[d + 1 :] if n != "1"]
            divisor = _product(inner)
            grouped = divisor if len(inner) == 1 or divisor.isdigit() else f"({divisor})"
            quotient = f"{point} / {grouped}" if inner else point
            value = quotient if d == 0 else f"{quotient} % {extents[d]}"
            value = value if extents[d] != "1" else "0"
            lines.append(f"    const {integer} {own.get(index, text.names[index])} = {value};")
        return lines

    # ------------------------------------------------------------------ launchers

    def _launcher(self, part: GpuModule) -> dict[str, str]:
        mode = part.mode
        launcher = Launcher.of(mode, self.dtype, self.index_type, "cuda")
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
        threads = _product(self._extents(scheduled, text))
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


def _kernel_entry(scheduled: GpuKernel, program: Program) -> dict[str, Any]:
    k, team = scheduled.kernel, scheduled.team
    tiles = {t.index: f"(({t.extent} + {t.values - 1}) // {t.values})" for t in scheduled.tile}
    pairs = zip(k.indices, k.extents, strict=True)
    factors = [tiles.get(i) or factor(str(n)) for i, n in pairs]
    threads = "*".join([*factors, *([str(team)] if team > 1 else [])]) or "1"
    return {
        "name": k.name,
        "writes": list(k.writes),
        "arguments": [*k.reads, *k.writes, *kernel_sizes(k, program)],
        "grid": [f"min(({threads} + {BLOCK - 1}) // {BLOCK}, {MOST_BLOCKS})"],
        "block": [BLOCK],
        "shared_bytes": 0,
        "schedule": "atomic additions" if k.is_atomic else _schedule(scheduled),
    }


_SCHEDULES = {1: "one thread an element", WARP: "a warp an element", BLOCK: "a block an element"}


def _schedule(scheduled: GpuKernel) -> str:
    if scheduled.tile:
        team = "one thread" if scheduled.team == 1 else "a block"
        return f"{team} a tile of {scheduled.tile_text} elements"
    return _SCHEDULES[scheduled.team]


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


def _product(factors: Sequence[str]) -> str:
    """The product of integer factors in text, as a number where they are."""
    if all(f.isdigit() for f in factors):
        return str(prod(map(int, factors)))
    return " * ".join(factors)
