"""What was decided about a program, in words: what is stored, and how each kernel runs, on a CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tadc.ir.program import Program
from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.kernels import CpuKernel, cpu_kernel
from tadc.schedule.gpu.cost import BLOCK, WARP
from tadc.schedule.gpu.half import wide_temporaries
from tadc.schedule.gpu.kernels import gpu_kernels, gpu_program
from tadc.schedule.nest.cost import bytes_formula
from tadc.schedule.nest.loop_nest import (
    Chunks,
    Interior,
    Kernel,
    Loop,
    Staged,
    Strips,
    TeamLoop,
    TeamScan,
    Tile,
    steps_of,
)
from tadc.schedule.nest.matrix_product import left_to_blas, matrix_product
from tadc.tables import html_table

__all__ = ["KernelPlan", "Plan", "gpu_plan", "program_plan"]


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """One kernel: its name, the statement that it computes, and how it runs."""

    name: str
    statement: str
    schedule: str


@dataclass(frozen=True, slots=True)
class Plan:
    """The kernels in order; `stored` has the temporaries with their bytes for the sizes asked for. Prints as text.

    Without sizes the bytes are text in them.
    """

    kernels: tuple[KernelPlan, ...]
    stored: Mapping[str, int | str]

    def __add__(self, other: Plan) -> Plan:
        return Plan(self.kernels + other.kernels, {**self.stored, **other.stored})

    def __str__(self) -> str:
        lines = []
        for k in self.kernels:
            lines += [k.name, f"    {k.statement}", f"    {k.schedule}"]
        return "\n".join([*lines, *self._stored()])

    def _stored(self) -> list[str]:
        return [
            f"{name} is stored ({size if isinstance(size, str) else f'{size:,}'} bytes):"
            " it would be computed again for every reader"
            for name, size in self.stored.items()
        ]

    def _repr_html_(self) -> str:
        rows = [(k.name, k.statement, k.schedule) for k in self.kernels]
        head = ("kernel", "statement", "how it runs")
        return html_table([head, *rows], range(3), "; ".join(self._stored()))


def program_plan(
    program: Program,
    kernels: Sequence[Kernel],
    sizes: Mapping[str, int] | None,
    dtype: str,
    blas: bool,
) -> Plan:
    """The plan of a program's kernels. `sizes` has all sizes, if any; `blas` says whether matrix products are left to it."""
    plans = tuple(_kernel(k, program, blas) for k in kernels)
    return Plan(plans, _stored(kernels, program, sizes, dtype))


def _stored(
    kernels: Sequence[Kernel], program: Program, sizes: Mapping[str, int] | None, dtype: str
) -> dict[str, int | str]:
    """The temporaries that kernels write, with their bytes."""
    temporary = [t for k in kernels for t in k.writes if t not in program.outputs]
    if sizes is None:
        return {n: bytes_formula(program, [n], dtype) for n in temporary}
    bytes_ = program.bytes_at(program.size_values(sizes), dtype)
    return {n: bytes_[n] for n in temporary}


def gpu_plan(
    program: Program, mode: str, sizes: Mapping[str, int] | None, dtype: str, blas: bool
) -> Plan:
    """The plan of a program on a GPU. `sizes` has all sizes, or the plan is for typical ones.

    `blas` says whether matrix products are left to cuBLAS, which depends on the sizes.
    """
    sizes = None if sizes is None else program.size_values(sizes)
    program = gpu_program(program, sizes, dtype, blas=blas)
    sizes = None if sizes is None else program.size_values(sizes)
    found = gpu_kernels(program, mode, sizes, {})
    typed = wide_temporaries(program, dtype)
    plans = []
    for kernel, k in found:
        steps = list(steps_of(k.kernel.body))
        shared = dict.fromkeys(s.index for s in steps if isinstance(s, (TeamLoop, TeamScan)))
        staged = dict.fromkeys(s.index for s in steps if isinstance(s, Staged))
        loops = dict.fromkeys(
            s.index for s in steps if isinstance(s, Loop) and s.index not in staged
        )
        rows = any(len(s.indices) > len(kernel.indices) for s in kernel.statements)
        point = "row" if rows else "element"
        schedule = f"{_TEAMS[k.team]} computes each {point}"
        if k.tile:
            indices = ", ".join(t.index for t in k.tile)
            schedule = f"{_TEAMS[k.team]} computes {k.tile_text} elements, neighbours in {indices}"
        if shared:
            schedule += f"; its threads share {', '.join(shared)}"
        if staged:
            schedule += f"; it stages {', '.join(staged)}"
        if loops:
            schedule += f"; loops over {', '.join(loops)}"
        apart = k.team == 1 and not k.tile and k.kernel.body != kernel.body
        if apart or any(isinstance(s, Tile) and s.inside for s in steps):
            schedule += "; no tests inside, away from the borders"
        if blas and sizes is not None and left_to_blas(kernel, typed, sizes):
            schedule = "a matrix product: cuBLAS computes it"
        statements = "; ".join(map(statement_comment, kernel.statements))
        plans.append(KernelPlan(kernel.name, statements, schedule))
    return Plan(tuple(plans), _stored([kernel for kernel, _ in found], program, sizes, dtype))


_TEAMS = {1: "a thread", WARP: "a warp", BLOCK: "a block"}


def _kernel(kernel: Kernel, program: Program, blas: bool) -> KernelPlan:
    statements = "; ".join(map(statement_comment, kernel.statements))
    schedule = _schedule(cpu_kernel(kernel, program))
    if blas and any(matrix_product(s, program) for s in kernel.statements):
        schedule = f"a matrix product: BLAS computes it, if it is not small; else {schedule}"
    return KernelPlan(kernel.name, statements, schedule)


def _schedule(k: CpuKernel) -> str:
    steps = list(steps_of(k.body))
    parts = []
    outer = [i for i, _ in k.outer]
    if k.together:
        chunked = ", ".join(dict.fromkeys(s.index for s in steps if isinstance(s, Chunks)))
        parts.append(
            f"all threads share the sum over {chunked}, in parts that its length alone decides"
        )
    elif k.strip:
        shared = ", ".join((*outer, f"blocks of {k.strip[0]}"))
        parts.append(f"threads share {shared}; lanes are neighbours in {k.strip[0]}")
    elif outer:
        parts.append(f"threads share {', '.join(outer)}")
    else:
        parts.append("one thread")
    summed = dict.fromkeys(s.index for s in steps if isinstance(s, Strips) and s.sums)
    if summed:
        parts.append(f"the sum over {', '.join(summed)} has an accumulator a lane")
    interiors = [s for s in steps if isinstance(s, Interior)]
    if interiors:
        parts.append(
            f"no tests inside, away from the borders of {', '.join(dict.fromkeys(s.index for s in interiors))}"
        )
    rows = [i for i in k.kernel.statements[0].indices if i not in k.kernel.indices]
    if rows and k.together:
        parts.append(f"all of {', '.join(rows)} at once")
    elif rows:
        parts.append(f"a thread owns the row of {', '.join(rows)}")
    loops = dict.fromkeys(s.index for s in steps if isinstance(s, Loop) and s.index not in rows)
    if loops:
        parts.append(f"loops over {', '.join(loops)}")
    return "; ".join(parts)
