"""The plan of a program, in words: the tensors that are stored, and how each kernel runs, on a CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tadc.ir.affine import Symbol
from tadc.ir.range import Range
from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.row_groups import RowGroup
from tadc.schedule.gpu.cost import Sizes
from tadc.schedule.gpu.kernels import GpuKernel
from tadc.schedule.lowered import CpuModule, GpuModule, Lowered
from tadc.schedule.nest.cost import bytes_formula
from tadc.schedule.nest.loop_nest import (
    Chunks,
    Interior,
    Kernel,
    LaneSums,
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
    """The plan of a mode on a CPU, under the mode's name. `sizes` has all sizes, if any."""
    plans = []
    groups = {k.kernel.name: group for group in lowered.groups.values() for k in group.kernels}
    for k in lowered.kernels:
        schedule = _cpu_schedule(k)
        if group := groups.get(k.kernel.name):
            schedule += f"; {_in_group(group)}"
        if k.kernel.name in lowered.products:
            schedule = f"a matrix product: BLAS computes it, if it is not small; else {schedule}"
        plans.append(_kernel(k.kernel, lowered, mode, schedule))
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def gpu_plan(lowered: GpuModule, mode: str, sizes: Sizes | None, dtype: str) -> Plan:
    """The plan of a mode on a GPU, under the mode's name. `sizes` has all sizes, or the plan is for typical ones."""
    plans = []
    for kernel, k in zip(lowered.module.kernels, lowered.kernels, strict=True):
        schedule = _gpu_schedule(kernel, k, f"a {lowered.machine.team_name(k.team)}")
        if kernel.name in lowered.products:
            schedule = "a matrix product: cuBLAS computes it"
        plans.append(_kernel(kernel, lowered, mode, schedule))
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def _kernel(kernel: Kernel, lowered: Lowered[Any], mode: str, schedule: str) -> KernelPlan:
    """The plan of a kernel, which has the name that it has in a file of several modes."""
    name = (
        f"{lowered.module.program.name}_{mode}{kernel.name.removeprefix(lowered.module.launcher)}"
    )
    return KernelPlan(name, "; ".join(map(statement_comment, kernel.statements)), schedule)


def _stored(lowered: Lowered[Any], sizes: Sizes | None, dtype: str) -> dict[str, int | str]:
    """The temporaries that kernels write, with their bytes."""
    program = lowered.module.program
    temporary = [t.name for t in lowered.module.temporaries]
    if sizes is None:
        return {n: bytes_formula(program, [n], dtype) for n in temporary}
    bytes_ = program.bytes_at(program.size_values(sizes), dtype)
    return {n: bytes_[n] for n in temporary}


def _gpu_schedule(kernel: Kernel, k: GpuKernel, team: str) -> str:
    steps = list(steps_of(k.kernel.body))
    shared = _indices(s.range for s in steps if isinstance(s, (TeamLoop, TeamScan)))
    staged = _indices(s.range for s in steps if isinstance(s, Staged))
    loops = _indices(s.range for s in steps if isinstance(s, Loop) and s.range.index not in staged)
    rows = any(len(s.indices) > len(kernel.indices) for s in kernel.statements)
    point = "row" if rows else "element"
    schedule = f"{team} computes each {point}"
    if k.tile:
        indices = ", ".join(t.index for t in k.tile)
        schedule = f"{team} computes {k.tile_text} elements, neighbours in {indices}"
    if shared:
        schedule += f"; its threads share {', '.join(shared)}"
    if staged:
        schedule += f"; it stages {', '.join(staged)}"
    if loops:
        schedule += f"; loops over {', '.join(loops)}"
    has_interior = k.team == 1 and not k.tile and k.kernel.body != kernel.body
    if has_interior or any(isinstance(s, Tile) and s.interior for s in steps):
        schedule += "; no tests inside, away from the borders"
    return schedule


def _in_group(group: RowGroup) -> str:
    index, _ = group.outer[-1]
    text = f"{len(group.kernels)} kernels run for {group.rows} values of {index} at a time"
    own = sorted(group.own)
    return f"{text}, with these rows of {', '.join(own)} in a cache" if own else text


def _cpu_schedule(k: CpuKernel) -> str:
    steps = list(steps_of(k.body))
    parts = []
    outer = [i for i, _ in k.outer]
    in_phases: set[Symbol] = set()
    if k.cooperative:
        chunked = ", ".join(_indices(s.range for s in steps if isinstance(s, Chunks)))
        parts.append(
            f"all threads share the sum over {chunked}, in parts that its length alone decides"
        )
    elif k.strip:
        index, (_, phases) = k.strip
        in_phases = (
            {*k.kernel.statements[0].indices} - {*outer, *k.kernel.indices} if phases > 1 else set()
        )
        shared = ", ".join((*outer, f"blocks of {index}"))
        parts.append(f"threads share {shared}; lanes are neighbours in {index}")
        if phases > 1:
            (of,) = in_phases
            parts.append(f"for which {of} has {phases} values, each computed with loops of its own")
    elif outer:
        parts.append(f"threads share {', '.join(outer)}")
    else:
        parts.append("one thread")
    if k.sides:
        values = " and ".join(f"{len(side.names)} values of {side.index}" for side in k.sides)
        parts.append(f"{values} are computed side by side")
    summed = _indices(s.range for s in steps if isinstance(s, Strips) and (s.sums or s.divided))
    if summed:
        parts.append(f"the sum over {', '.join(summed)} has an accumulator a lane")
    if any(isinstance(s, LaneSums) for s in steps):
        parts.append("which are added up after all loops")
    interiors = _indices(s.range for s in steps if isinstance(s, Interior))
    if interiors:
        parts.append(f"no tests inside, away from the borders of {', '.join(interiors)}")
    rows = [
        i
        for i in k.kernel.statements[0].indices
        if i not in k.kernel.indices and i not in in_phases
    ]
    if rows and k.cooperative:
        parts.append(f"all of {', '.join(rows)} at once")
    elif rows:
        parts.append(f"a thread owns the row of {', '.join(rows)}")
    loops = _indices(s.range for s in steps if isinstance(s, Loop) and s.range.index not in rows)
    if loops:
        parts.append(f"loops over {', '.join(loops)}")
    return "; ".join(parts)


def _indices(ranges: Iterable[Range]) -> list[Symbol]:
    """Each once, in order."""
    return list(dict.fromkeys(r.index for r in ranges))
