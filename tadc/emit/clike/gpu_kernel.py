"""Kernels of a GPU as text: the code of a thread, or of a team, for a point, and the kernel's entry in the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from tadc.emit.clike.gpu_text import IN_COLUMNS, IN_PARTS, LANE, RANK, GpuText, tile_count
from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.kernel import kernel_parameters, kernel_sizes, kernel_text
from tadc.emit.clike.launcher import LARGEST_INT32, factor
from tadc.emit.clike.spelling import DType, Precedence, Text, bracketed, number
from tadc.emit.clike.text import CText, part
from tadc.ir.program import Program
from tadc.printing.idx import statement_comment
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import GpuModule
from tadc.schedule.nest.sizes import Sizes

__all__ = [
    "GpuSource",
    "KernelPrinter",
    "fitting_index_type",
    "kernel_entry",
    "most_int32",
    "point_counts",
    "product",
    "safe_index_type",
]

POINT, THREAD = "point", "thread"  # the loops over a grid in templates


@dataclass(frozen=True, slots=True)
class GpuSource:
    """The text of a `.cu` or `.cl` file and its manifest (`docs/api.md`)."""

    text: str
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class KernelPrinter:
    """Prints kernels by the steps of `text`, the class of the target."""

    text: type[GpuText]
    dtype: DType
    index_type: DType
    machine: Machine

    def of(self, scheduled: GpuKernel, program: Program) -> GpuText:
        """The printer of the kernel's steps."""
        team = scheduled.team
        taken: tuple[str, ...] = (RANK, POINT, *IN_PARTS) if team > 1 else ()
        taken += (LANE,) if scheduled.tile else ()
        taken += IN_COLUMNS if self.machine.beside(team) > 1 else ()
        text = kernel_text(scheduled.kernel, program, self.dtype, self.index_type, self.text, taken)
        return replace(
            text, team=team, machine=self.machine, box=frozenset(scheduled.kernel.indices)
        )

    def parts(self, scheduled: GpuKernel, program: Program, text: GpuText) -> dict[str, Any]:
        """The template's variables for the kernel."""
        kernel = scheduled.kernel
        parameters = kernel_parameters(kernel, program, text)
        return {
            "name": kernel.name,
            "comment": [statement_comment(s) for s in kernel.statements],
            "parameters": ", ".join(parameters),
            "shared": text.shared(kernel.body),
            "team": scheduled.team,
            "beside": self.machine.beside(scheduled.team),
            "points": product(point_counts(scheduled, text)).text if kernel.indices else "",
            "indices": self._decomposed(scheduled, text),
            "body": "\n".join(text.lines(kernel.body, 2)),
        }

    def _decomposed(self, scheduled: GpuKernel, text: GpuText) -> list[tuple[str, str]]:
        """The indices from the point's number, innermost first; the outermost needs no remainder."""
        point = THREAD if scheduled.team == 1 else POINT
        lines = []
        extents = point_counts(scheduled, text)
        part_names = {t.index: text.names[part(t.index)] for t in scheduled.tile}
        for d, index in reversed(list(enumerate(scheduled.kernel.indices))):
            # One extent at a time: quotient and remainder of a division are one for the compiler.
            inner = [_factor(n) for n in reversed(extents[d + 1 :]) if n.value != 1]
            quotient = " / ".join([point, *inner])
            value = quotient if d == 0 else f"{quotient} % {_factor(extents[d])}"
            value = value if extents[d].value != 1 else "0"
            lines.append((part_names.get(index, text.names[index]), value))
        return lines


def most_int32(machine: Machine) -> int:
    """The largest offset that 32 bits are to hold: a grid-stride loop steps past the end by one grid."""
    return LARGEST_INT32 - machine.block * machine.most_blocks


def fitting_index_type(gpu: GpuModule, sizes: Sizes) -> DType:
    """32 bits, if every index and offset fits for these values of all sizes."""
    program = gpu.module.program
    elements = (prod(n.at(sizes) for n in t.shape) for t in program.tensors.values())
    occurring = numbers(program, (k.kernel for k in gpu.kernels))
    bounds = (form.at(sizes) // divisor for form, divisor in occurring.bounds)
    largest = max(occurring.largest, *elements, *bounds)
    return "int32" if largest <= most_int32(gpu.machine) else "int64"


def safe_index_type(parts: Sequence[GpuModule]) -> DType:
    """32 bits, unless a tensor of known extents has more elements, or an index expression a value that does not fit."""
    programs = [part.module.program for part in parts]
    largest = max(
        (
            prod(n.constant for n in t.shape)
            for p in programs
            for t in p.tensors.values()
            if all(n.is_constant for n in t.shape)
        ),
        default=0,
    )
    occurring = [numbers(p.module.program, (k.kernel for k in p.kernels)) for p in parts]
    largest = max(largest, *(n.largest for n in occurring))
    fits = all(largest <= most_int32(part.machine) for part in parts)
    return "int32" if fits and not any(n.are_steep for n in occurring) else "int64"


def point_counts(scheduled: GpuKernel, text: CText) -> list[Text]:
    """The number of points of each index, or of tiles where it is tiled."""
    counts = {t.index: tile_count(t, text) for t in scheduled.tile}
    pairs = zip(scheduled.kernel.indices, scheduled.kernel.extents, strict=True)
    return [counts.get(i) or text.affine(n) for i, n in pairs]


def product(factors: Sequence[Text]) -> Text:
    """The product of integers, as a number where they are."""
    numbers = [f.value for f in factors if isinstance(f.value, int)]
    if len(numbers) == len(factors):
        return number(prod(numbers))
    precedence = Precedence.PRIMARY if len(factors) == 1 else Precedence.PRODUCT
    return Text(" * ".join(map(_factor, factors)), precedence)


def _factor(text: Text) -> str:
    return bracketed(text, Precedence.MINUS)


def kernel_entry(
    scheduled: GpuKernel, program: Program, machine: Machine, block: int
) -> dict[str, Any]:
    """The manifest's entry for the kernel, launched with `block` threads per block."""
    k, team = scheduled.kernel, scheduled.team
    tiles = {t.index: f"(({t.extent} + {t.values - 1}) // {t.values})" for t in scheduled.tile}
    pairs = zip(k.indices, k.extents, strict=True)
    factors = [tiles.get(i) or factor(n) for i, n in pairs]
    threads = "*".join([*factors, *([str(team)] if team > 1 else [])]) or "1"
    return {
        "name": k.name,
        "writes": list(k.writes),
        "arguments": [*k.reads, *k.writes, *kernel_sizes(k, program)],
        "grid": [f"min(({threads} + {block - 1}) // {block}, {machine.most_blocks})"],
        "block": [block],
        "shared_bytes": 0,
        "schedule": "atomic additions" if k.is_atomic else _schedule(scheduled, machine),
    }


def _schedule(scheduled: GpuKernel, machine: Machine) -> str:
    """The words of the manifest (docs/api.md)."""
    team = machine.team_name(scheduled.team)
    who = f"{'one' if scheduled.team == 1 else 'a'} {team}"
    if scheduled.tile:
        return f"{who} a tile of {scheduled.tile_text} elements"
    return f"{who} an element" if team == "block" else who
