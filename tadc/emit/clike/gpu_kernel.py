"""Kernels of a GPU as text: the loop over the points of a grid around what a thread, or a team of them, does for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tadc.emit.clike.gpu_text import IN_PARTS, LANE, RANK, GpuText, tile_count
from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.kernel import kernel_sizes, kernel_text
from tadc.emit.clike.launcher import LARGEST_INT32, factor
from tadc.emit.clike.spelling import DType, Precedence, bracketed
from tadc.emit.clike.text import CText, part
from tadc.ir.program import Program
from tadc.schedule.gpu.cost import BLOCK, WARP, Sizes
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import Module

__all__ = [
    "MOST_BLOCKS",
    "MOST_INT32",
    "Grid",
    "KernelPrinter",
    "fitting_index_type",
    "kernel_entry",
    "point_counts",
    "product",
    "safe_index_type",
]

MOST_BLOCKS = 32768
MOST_INT32 = (
    LARGEST_INT32 - BLOCK * MOST_BLOCKS
)  # a grid-stride loop steps past the end by one grid
POINT = "point"


@dataclass(frozen=True, slots=True)
class Grid:
    """How a kernel names its place in the grid: that of a thread in its team, and where its loop over points begins, how far
    it steps, and what must hold where there is one point only.
    """

    rank: str
    first: str
    step: str
    alone: str


@dataclass(frozen=True, slots=True)
class KernelPrinter:
    """Prints kernels by the steps of `text`, the class of the target."""

    text: type[GpuText]
    dtype: DType
    index_type: DType

    def of(self, scheduled: GpuKernel, program: Program) -> GpuText:
        """What prints the steps of the kernel."""
        team = scheduled.team
        taken: tuple[str, ...] = (RANK, POINT, *IN_PARTS) if team > 1 else ()
        taken += (LANE,) if scheduled.tile else ()
        text = kernel_text(scheduled.kernel, program, self.dtype, self.index_type, self.text, taken)
        return replace(text, team=team)

    def lines(self, scheduled: GpuKernel, text: GpuText, grid: Grid) -> list[str]:
        """The body of the kernel's function."""
        kernel, team = scheduled.kernel, scheduled.team
        lines = [f"  const int {RANK} = {grid.rank};"] if team > 1 else []
        if kernel.indices:
            total = product(point_counts(scheduled, text))
            p = "thread" if team == 1 else POINT
            head = f"{text.integer} {p} = {grid.first}; {p} < {total}; {p} += {grid.step}"
            lines.append(f"  for ({head}) {{")
            lines += self._decomposed(scheduled, text, p)
        else:
            lines.append(f"  if ({grid.alone}) {{")
        return [*lines, *text.lines(kernel.body, 2), "  }"]

    def _decomposed(self, scheduled: GpuKernel, text: GpuText, point: str) -> list[str]:
        """The indices from the point's number, innermost first; the outermost needs no remainder."""
        lines = []
        extents = point_counts(scheduled, text)
        own = {t.index: text.names[part(t.index)] for t in scheduled.tile}
        for d, index in reversed(list(enumerate(scheduled.kernel.indices))):
            inner = [n for n in extents[d + 1 :] if n != "1"]
            divisor = product(inner)
            grouped = divisor if len(inner) == 1 or divisor.isdigit() else f"({divisor})"
            quotient = f"{point} / {grouped}" if inner else point
            value = quotient if d == 0 else f"{quotient} % {extents[d]}"
            value = value if extents[d] != "1" else "0"
            lines.append(f"    const {text.integer} {own.get(index, text.names[index])} = {value};")
        return lines


def fitting_index_type(mode: Module, sizes: Sizes) -> DType:
    """32 bits, if every index and offset fits for these values of all sizes."""
    elements = (prod(n.at(sizes) for n in t.shape) for t in mode.program.tensors.values())
    found = numbers(mode.program)
    bounds = (form.at(sizes) // divisor for form, divisor in found.bounds)
    return "int32" if max(found.largest, *elements, *bounds) <= MOST_INT32 else "int64"


def safe_index_type(modes: Sequence[Module]) -> DType:
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


def point_counts(scheduled: GpuKernel, text: CText) -> list[str]:
    """How many points each index has, or tiles: factors."""
    counts = {t.index: tile_count(t, text) for t in scheduled.tile}
    pairs = zip(scheduled.kernel.indices, scheduled.kernel.extents, strict=True)
    return [bracketed(counts.get(i) or text.affine(n), Precedence.UNARY) for i, n in pairs]


def product(factors: Sequence[str]) -> str:
    """The product of integer factors in text, as a number where they are."""
    if all(f.isdigit() for f in factors):
        return str(prod(map(int, factors)))
    return " * ".join(factors)


def kernel_entry(scheduled: GpuKernel, program: Program, block: int = BLOCK) -> dict[str, Any]:
    """What the manifest says of the kernel, launched with `block` threads a block."""
    k, team = scheduled.kernel, scheduled.team
    tiles = {t.index: f"(({t.extent} + {t.values - 1}) // {t.values})" for t in scheduled.tile}
    pairs = zip(k.indices, k.extents, strict=True)
    factors = [tiles.get(i) or factor(str(n)) for i, n in pairs]
    threads = "*".join([*factors, *([str(team)] if team > 1 else [])]) or "1"
    return {
        "name": k.name,
        "writes": list(k.writes),
        "arguments": [*k.reads, *k.writes, *kernel_sizes(k, program)],
        "grid": [f"min(({threads} + {block - 1}) // {block}, {MOST_BLOCKS})"],
        "block": [block],
        "shared_bytes": 0,
        "schedule": "atomic additions" if k.is_atomic else _schedule(scheduled),
    }


_SCHEDULES = {1: "one thread an element", WARP: "a warp an element", BLOCK: "a block an element"}


def _schedule(scheduled: GpuKernel) -> str:
    if scheduled.tile:
        team = "one thread" if scheduled.team == 1 else "a block"
        return f"{team} a tile of {scheduled.tile_text} elements"
    return _SCHEDULES[scheduled.team]
