"""The plan of a program, in words: the tensors that are stored, and how each kernel runs, on a CPU or on a GPU."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tadc.ir.affine import Symbol
from tadc.ir.element_types import NARROW_INDEX
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.program import Program
from tadc.ir.range import Range
from tadc.ir.sparse import Sparse
from tadc.ir.walk import postorder
from tadc.printing.idx import statement_comment
from tadc.schedule.cpu.contraction import Contraction
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.row_groups import RowGroup
from tadc.schedule.gpu.model import KernelModel
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import CpuModule, GpuModule, Lowered
from tadc.schedule.nest.cost import bytes_formula
from tadc.schedule.nest.loop_nest import (
    Chunks,
    Interior,
    Kernel,
    LaneSums,
    Loop,
    Staged,
    Store,
    Strips,
    TeamLoop,
    TeamScan,
    Tile,
    steps_of,
)
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.rewrite.list_tensors import Listed, Rows
from tadc.schedule.rewrite.looked_up import data_among, narrow_tensor
from tadc.tables import columns, html_table

__all__ = [
    "KernelPlan",
    "Modelled",
    "ModelledKernel",
    "ModelledMode",
    "Plan",
    "cpu_plan",
    "data_plan",
    "gpu_plan",
    "sparse_plan",
]


@dataclass(frozen=True, slots=True)
class KernelPlan:
    """One kernel: its name, the statement that it computes, and how it runs; on a GPU also how long, by the model of it."""

    name: str
    statement: str
    schedule: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The kernels in order; `stored` has the temporaries with their bytes for the sizes asked for. Prints as text.

    Without sizes the bytes are text in them. `data` says what is checked, listed and tested of index tensors, and `steps` how a
    program with states is inverted, for sizes that are numbers.
    """

    kernels: tuple[KernelPlan, ...]
    stored: Mapping[str, int | str]
    data: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    def __add__(self, other: Plan) -> Plan:
        stored = {**self.stored, **other.stored}
        return Plan(
            self.kernels + other.kernels, stored, tuple(dict.fromkeys(self.data + other.data))
        )

    def __str__(self) -> str:
        lines = list(self.data)
        for k in self.kernels:
            lines += [k.name, f"    {k.statement}", f"    {k.schedule}"]
            lines += [f"    {k.time}"] if k.time else []
        return "\n".join([*lines, *self._stored(), *self.steps])

    def _stored(self) -> list[str]:
        return [
            f"{name} is stored ({size if isinstance(size, str) else f'{size:,}'} bytes):"
            " it would be computed again for every reader"
            for name, size in self.stored.items()
        ]

    def _repr_html_(self) -> str:
        rows = [(k.name, k.statement, k.schedule, k.time) for k in self.kernels]
        head = (
            "kernel",
            "statement",
            "how it runs",
            "how long" if any(k.time for k in self.kernels) else "",
        )
        count = len(head) if head[-1] else len(head) - 1
        return html_table(
            [r[:count] for r in (head, *rows)],
            range(count),
            "; ".join((*self.data, *self._stored())),
        )


@dataclass(frozen=True, slots=True)
class ModelledKernel:
    """A kernel of a mode on a GPU by its model (`KernelModel`)."""

    mode: str
    name: str
    milliseconds: float
    ideal_milliseconds: float
    limit: str
    threads: int
    resident: int  # threads that fit at once
    longest_thread: float
    mean_thread: float
    is_uneven: bool

    @classmethod
    def of(cls, mode: str, name: str, model: KernelModel) -> ModelledKernel:
        """The row of a model."""
        seconds = 1e3 * model.seconds, 1e3 * model.ideal
        return cls(mode, name, *seconds, model.limit, model.threads, model.resident, model.longest_thread, model.mean_thread, model.is_uneven)  # fmt: skip

    @property
    def busiest(self) -> float:
        """How many times as much its busiest thread has to do as its threads on average, of which as many are at work as fit at once."""
        of_own = self.mean_thread * self.resident / max(1, min(self.threads, self.resident))
        return self.longest_thread / of_own if of_own else 1.0


@dataclass(frozen=True, slots=True)
class ModelledMode:
    """All kernels of a mode, and the least time of its programs if each were one kernel that moves inputs and outputs alone."""

    mode: str
    milliseconds: float
    ideal_milliseconds: float


@dataclass(frozen=True, slots=True)
class Modelled:
    """The kernels of some modes on a machine, by its model. Prints as a table."""

    machine: str
    kernels: tuple[ModelledKernel, ...]
    modes: tuple[ModelledMode, ...]

    def __str__(self) -> str:
        rows = [("mode", "kernel", "limited by", "ms", "at least", "times", "threads", "longest", "mean")]  # fmt: skip
        for k in self.kernels:
            rows.append((k.mode, k.name, k.limit, *_times(k), f"{k.threads:,}", f"{k.longest_thread:,.0f}", f"{k.mean_thread:,.0f}"))  # fmt: skip
        rows += [(m.mode, "all", "", *_times(m), "", "", "") for m in self.modes]
        lines = [f"by the model of an {self.machine}; threads in instructions of one", ""]
        return "\n".join([*lines, *columns(rows, left=3)])


def _times(row: ModelledKernel | ModelledMode) -> tuple[str, str, str]:
    ratio = row.milliseconds / row.ideal_milliseconds
    return f"{row.milliseconds:.4f}", f"{row.ideal_milliseconds:.4f}", f"{ratio:.1f}"


def cpu_plan(lowered: CpuModule, mode: str, sizes: Sizes | None, dtype: str) -> Plan:
    """The plan of a mode on a CPU, under the mode's name. `sizes` has all sizes, if any."""
    plans = []
    groups = {k.kernel.name: group for group in lowered.groups.values() for k in group.kernels}
    for k in lowered.kernels:
        schedule = _cpu_schedule(k)
        if group := groups.get(k.kernel.name):
            schedule += f"; {_in_group(group)}"
        if product := lowered.products.get(k.kernel.name):
            schedule = f"{_by_blas(product)}, if it is not small; else {schedule}"
        if other := lowered.otherwise.get(k.kernel.name):
            schedule += f"; where {other.check} is not 0, plain loops without zeros around"
        plans.append(_kernel(k.kernel, lowered, mode, schedule))
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def _by_blas(product: Contraction) -> str:
    if not product.outer and not product.added:
        return "a matrix product: BLAS computes it"
    each = f" for each {', '.join(product.outer)}" if product.outer else ""
    added = f", which are added up over {', '.join(product.added)}" if product.added else ""
    return f"matrix products{each}{added}: BLAS computes them"


def data_plan(made: Listed, bounds: str, sizes: Sizes | None) -> Plan:
    """What a plan says of index tensors: lists with their keys, positions and bytes, what is loaded, and what no list shortens."""
    lines = ["index tensors are not checked: elements that lead outside read whatever is there"]
    lines = lines if bounds == "trust" else []
    for each in made.lists:
        name = each.begin.name.removesuffix("_ptr")
        beside = [c for c in made.companions if c.begin == each.begin.name]
        tensors = (*each.tensors, *(c.tensor for c in beside))
        of = ", ".join(each.of)
        if isinstance(each, Rows):
            what = f"list {name}: the rows of {of} that hold each of 0..{each.elements - 1}"
        else:
            keys = " and ".join(map(str, each.keys))
            what = f"list {name}: the positions where {keys}"
        if beside:
            what += f", with {', '.join(c.of for c in beside)} in their order"
        if sizes is not None:
            bytes_ = sum(t.bytes_at(sizes, NARROW_INDEX) for t in map(narrow_tensor, tensors))
            what += f", at most {bytes_:,} bytes"
        lines.append(f"{what}; made in each call, or kept by a `tadc.Index`")
    lines += [f"{name} is loaded in {', '.join(where)}" for name, where in _loads(made).items()]
    lines += [
        f"{name} is tested: O({points}) points are tried for each element"
        for name, points in made.tested.items()
    ]
    return Plan((), {}, tuple(lines))


def _loads(made: Listed) -> dict[str, list[str]]:
    """The index tensors whose elements are loaded, not led to by a list, with the statements that do so."""
    of_lists = {t.name for each in made.lists for t in each.tensors}
    of_lists |= {c.tensor.name for c in made.companions}
    found: dict[str, dict[str, None]] = {}
    for s in made.program.statements:
        reductions = (e for e in postorder(s.body) if isinstance(e, Reduce))
        for d in data_among((*s.derived, *(d for e in reductions for d in e.derived))):
            if d.tensor not in of_lists:
                found.setdefault(d.tensor, {})[s.target.name] = None
    return {name: list(where) for name, where in sorted(found.items())}


def sparse_plan(programs: Iterable[Program], tensors: Iterable[Sparse]) -> tuple[str, ...]:
    """What a plan says of sparse tensors: where a format is converted, and where elements are read as those of a dense tensor."""
    lines = []
    for tensor in tensors:
        where = {
            s.target.name: None
            for program in programs
            for s in program.statements
            if any(_is_dense_read(e, tensor) for e in postorder(s.body))
        }
        if not tensor.is_like:
            lines.append(
                f"{tensor.name} is {tensor.layout}: an array of another format is converted in each call, which copies it"
            )
        if where:
            lines.append(
                f"{tensor.name} is read as a dense tensor in {', '.join(where)}: each element is a sum over what is stored there"
            )
    return tuple(lines)


def _is_dense_read(e: Expr, tensor: Sparse) -> bool:
    """Whether an expression is a sum over what is stored at one place of a sparse tensor, which is looked for among all that is."""
    if not isinstance(e, Reduce) or e.op != "sum" or len(e.indices) != 1:
        return False
    (index,) = e.indices
    if not any(
        isinstance(r, Read) and r.tensor == tensor.values and index in r.symbols
        for r in postorder(e.body)
    ):
        return False
    places = {d.tensor: d.name for d in data_among(e.derived) if index in d.symbols}
    equations = [c.form for c in e.domain if c.relation == "=="]
    compared = (places.get(tensor.coordinates(d)) for d in tensor.stored)
    return all(any(name in form.symbols for form in equations) for name in compared)


def gpu_plan(
    lowered: GpuModule, mode: str, sizes: Sizes | None, dtype: str, *, modelled: bool = False
) -> Plan:
    """The plan of a mode on a GPU, under the mode's name. `sizes` has all sizes, or the plan is for typical ones.

    With `modelled`, and sizes, each kernel has the time that the model of the machine says.
    """
    models = lowered.models(sizes, dtype) if modelled and sizes is not None else []
    plans = []
    for kernel, k in zip(lowered.module.kernels, lowered.kernels, strict=True):
        schedule = _gpu_schedule(kernel, k, f"a {lowered.machine.team_name(k.team)}")
        if kernel.name in lowered.products:
            schedule = "a matrix product: cuBLAS computes it"
        plans.append(_kernel(kernel, lowered, mode, schedule))
    name = lowered.machine.rates.name
    if models:
        plans = [replace(p, time=_time(m, name)) for p, m in zip(plans, models, strict=True)]
    return Plan(tuple(plans), _stored(lowered, sizes, dtype))


def _time(model: KernelModel, machine: str) -> str:
    return (
        f"{1e3 * model.seconds:.3g} ms by the model of an {machine}, limited by {model.limit};"
        f" at least {1e3 * model.ideal:.3g} ms"
    )


def _kernel(kernel: Kernel, lowered: Lowered[Any, Any], mode: str, schedule: str) -> KernelPlan:
    """The plan of a kernel, which has the name that it has in a file of several modes."""
    name = (
        f"{lowered.module.program.name}_{mode}{kernel.name.removeprefix(lowered.module.launcher)}"
    )
    return KernelPlan(name, "; ".join(map(statement_comment, kernel.statements)), schedule)


def _stored(lowered: Lowered[Any, Any], sizes: Sizes | None, dtype: str) -> dict[str, int | str]:
    """The temporaries that kernels write, with their bytes, but for those of which threads have a few rows."""
    program = lowered.module.program
    own = lowered.own if isinstance(lowered, CpuModule) else frozenset()
    temporary = [t.name for t in lowered.module.temporaries if t.name not in own]
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
    if k.row:
        schedule += ", and hold the row in registers"
    if staged:
        ahead = any(isinstance(s, Staged) and s.is_ahead for s in steps)
        schedule += f"; it stages {', '.join(staged)}{', a part ahead' if ahead else ''}"
    if k.computed:
        schedule += ", and computes once what the elements of a block share"
    if any(isinstance(s, Staged) and s.by_terms for s in steps):
        schedule += ", and multiplies matrices in TF32"
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
        of_strip = f"blocks of {index}"
        around = len(outer) if k.around_blocks is None else k.around_blocks
        shared = ", ".join((*outer[:around], of_strip, *outer[around:]))
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
    summing = [s.body for s in steps if isinstance(s, Strips) and s.sums]
    if any(isinstance(s, Store) for body in summing for s in steps_of(body)):
        parts.append("sums of rows and parts of sums of columns come from one pass")
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
    copied = dict.fromkeys(c.tensor for s in steps if isinstance(s, Loop) for c in s.copies)
    if copied:
        parts.append(f"lanes have copies of {', '.join(copied)}, a line of memory at a time")
    if k.streamed:
        parts.append(f"{', '.join(sorted(k.streamed))} is stored past the caches")
    return "; ".join(parts)


def _indices(ranges: Iterable[Range]) -> list[Symbol]:
    """Each once, in order."""
    return list(dict.fromkeys(r.index for r in ranges))
