"""What was decided about a program, in words: what is stored, and how each kernel runs, on a CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.gpu.cost import BLOCK, WARP, Sizes
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import CpuModule, GpuModule, Lowered
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
from tadc.tables import html_table

__all__ = ["KernelPlan", "Plan", "cpu_plan", "gpu_plan"]


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


def cpu_plan(lowered: CpuModule, mode: str, sizes: Sizes | None, dtype: str) -> Plan:
    """The plan of what a CPU runs, under the name of a mode. `sizes` has all sizes, if any."""
    plans = []
    for k in lowered.kernels:
        schedule = _cpu_schedule(k)
        if k.kernel.name in lowered.products:
            schedule = f"a matrix product: BLAS computes it, if it is not small; else {schedule}"
        plans.append(_kernel(k.kernel, lowered, mode, schedule))
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def gpu_plan(lowered: GpuModule, mode: str, sizes: Sizes | None, dtype: str) -> Plan:
    """The plan of what a GPU runs, under the name of a mode. `sizes` has all sizes, or the plan is for typical ones."""
    plans = []
    for kernel, k in zip(lowered.mode.kernels, lowered.kernels, strict=True):
        schedule = _gpu_schedule(kernel, k)
        if kernel.name in lowered.products:
            schedule = "a matrix product: cuBLAS computes it"
        plans.append(_kernel(kernel, lowered, mode, schedule))
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def _kernel(kernel: Kernel, lowered: Lowered[Any], mode: str, schedule: str) -> KernelPlan:
    """The plan of a kernel, which has the name that it has in a file of several modes."""
    name = f"{lowered.mode.program.name}_{mode}{kernel.name.removeprefix(lowered.mode.launcher)}"
    return KernelPlan(name, "; ".join(map(statement_comment, kernel.statements)), schedule)


def _stored(lowered: Lowered[Any], sizes: Sizes | None, dtype: str) -> dict[str, int | str]:
    """The temporaries that kernels write, with their bytes."""
    program = lowered.mode.program
    temporary = [t.name for t in lowered.mode.temporaries]
    if sizes is None:
        return {n: bytes_formula(program, [n], dtype) for n in temporary}
    bytes_ = program.bytes_at(program.size_values(sizes), dtype)
    return {n: bytes_[n] for n in temporary}


def _gpu_schedule(kernel: Kernel, k: GpuKernel) -> str:
    steps = list(steps_of(k.kernel.body))
    shared = dict.fromkeys(s.index for s in steps if isinstance(s, (TeamLoop, TeamScan)))
    staged = dict.fromkeys(s.index for s in steps if isinstance(s, Staged))
    loops = dict.fromkeys(s.index for s in steps if isinstance(s, Loop) and s.index not in staged)
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
    return schedule


_TEAMS = {1: "a thread", WARP: "a warp", BLOCK: "a block"}


def _cpu_schedule(k: CpuKernel) -> str:
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
