"""What the code for a GPU does at each point of a formula, counted without a GPU, in gather form and in scatter form.

Executed per point: the steps of the scheduled loop nests, those from which the text is printed, each times the exact
number of points at which it stands for the sizes given, and times the threads of a team where each of them does it.
An operation is a function, a comparison of values, or an addition to a sum; of a choice by values the more expensive branch
counts; arithmetic on indices is none. A load, store or atomic addition is of one element, whatever caches know of it;
an element that a step reads twice is loaded once. Of the tensors that kernels touch each byte counts once a kernel.

Once in the text, however often it is run: instructions in the PTX of NVRTC, index arithmetic included, and registers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

from gpu_formulas import Formula
from sizes import points_of, sizes_at

import tadc
from tadc.compiler import atomic_module
from tadc.emit.cuda.file import cuda_text
from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Select
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc, nvrtc_version
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.cost import FREE, INTEGER_POWERS, Points
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Computed,
    HeldRow,
    Lanes,
    Leader,
    Let,
    LetIndex,
    Loop,
    Staged,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    beyond,
    place_of,
    values_of,
)
from tadc.schedule.nest.work import Work

__all__ = ["COUNTED", "FORMS", "WRITTEN", "counted", "forms", "row", "table", "worse", "written"]

COUNTED = ("operations", "loads", "of buffers", "stores", "atomics", "bytes", "touched bytes")
WRITTEN = ("kernels", "registers", "spilled bytes", "instructions")
FORMS = ("gather", "scatter, a thread an element", "scatter, a thread a point")
ARCHITECTURE, DTYPE = "sm_90", "float32"
Counts = Counter[str]  # of points that share, not whole numbers


def row(formula: Formula, form: str, points: float) -> dict[str, Any]:
    """The numbers of a formula, its value and all gradients, in one of its forms."""
    f = tadc.compile(formula.text)
    sizes = sizes_at(f, formula, points)
    modes = forms(f, sizes)[form]
    number = points_of(f, sizes)
    found = counted(modes, sizes)
    each = {name: found[name] / number for name in COUNTED}
    text = written(modes) if find_nvrtc() else {}
    return {"formula": formula.name, "form": form, "points": number, **each, **text}


def forms(f: Any, sizes: dict[str, int]) -> dict[str, list[GpuModule]]:
    """The value and the gradients as tadc runs them, and with atomic additions by a thread an element, or a point."""
    primal, adjoint = modules_of({"primal": f.program, "adjoint": f.adjoint().program})
    value = GpuModule.of(primal, sizes)
    elements, points = (
        GpuModule.plain(atomic_module(f.program, f.inputs, points=p)) for p in (False, True)
    )
    each = ([value, GpuModule.of(adjoint, sizes)], [value, elements], [value, points])
    return dict(zip(FORMS, each, strict=True))


# ---- what is executed


def counted(modes: Sequence[GpuModule], sizes: Mapping[str, int]) -> Counts:
    """How often all kernels together do each of `COUNTED` for these sizes."""
    total: Counts = Counter()
    for part in modes:
        tensors = part.module.program.tensors
        numbers = part.module.program.size_values({s: sizes[s] for s in part.module.program.sizes})
        itemsize = {n: t.itemsize(DTYPE) for n, t in tensors.items()}
        for scheduled in part.kernels:
            total.update(_Executed(scheduled, numbers, itemsize).counts())
            touched = (*scheduled.kernel.reads, *scheduled.kernel.writes)
            total["touched bytes"] += sum(tensors[t].bytes_at(numbers, DTYPE) for t in touched)
    return total


@dataclass(slots=True)
class _Executed:
    """Counts the steps of one kernel."""

    scheduled: GpuKernel
    sizes: Mapping[str, int]
    itemsize: Mapping[str, int]
    numbers: dict[Points, int] = field(default_factory=dict)
    in_lanes: bool = False
    around: GpuKernel | None = None  # whose blocks compute values by a tile of their own

    def counts(self) -> Counts:
        k = self.scheduled.kernel
        box = Domain.box(dict(zip(k.indices, k.extents, strict=True)))
        return self.of(k.body, Points(k.indices, (), box), self.scheduled.team)

    @property
    def lanes(self) -> int:
        """The points of a tile."""
        return prod(t.count for t in self.scheduled.tile)

    @property
    def edges(self) -> set[str]:
        return {beyond(t.index) for t in self.scheduled.tile}

    def shared(self, e: Read) -> float:
        """The elements that a thread of a tile reads, for each of its points."""
        if not self.in_lanes:
            return 1
        tile = self.scheduled.tile
        groups = {t.index: t.group if t.threads > 1 else 1 if t.strided else t.count for t in tile}
        near = {own: n for i, n in groups.items() for own in (i, place_of(i))}
        work = Work(1, e.subscripts, {}, reads=1)
        apart = (
            t.count // groups[t.index]
            for t in tile
            if not work.symbols.isdisjoint((t.index, place_of(t.index)))
        )
        return prod(apart) * work.values(near, set()) / self.lanes

    def of(self, steps: Sequence[Step], points: Points, threads: float) -> Counts:
        """Of steps that so many threads do at each of the points."""
        total: Counts = Counter()
        for step in steps:
            times = threads * self.number(points)
            total.update(self.values(values_of(step), points, threads))
            match step:
                case Let() | Accumulator() | Assign():
                    pass
                case LetIndex(d):
                    points = Points(points.indices, (*points.derived, d), points.domain)
                case Accumulate():
                    total["operations"] += times
                case Store(tensor) if tensor not in self.itemsize:
                    pass  # of a buffer
                case Store(tensor, _, _, op, atomic):
                    total["atomics" if atomic else "stores"] += times
                    total["loads"] += times * (op is not None and not atomic)
                    total["operations"] += times * (op is not None and not atomic)
                    moved = 2 if op is not None and not atomic else 1
                    total["bytes"] += moved * times * self.itemsize[tensor]
                case Loop(r, body):
                    total.update(self.of(body, points.along(r), threads))
                case TeamLoop(r, body):
                    total.update(self.of(body, points.along(r), 1 / self.lanes))
                case HeldRow(body):
                    total.update(self.of(body, points, threads))
                case Tile(_, body):
                    team = self.scheduled.team if self.scheduled.shares_loops else 1
                    total.update(self.of(body, points, team / self.lanes))
                case Staged(r, count, buffers, body):
                    inside = points.along(r)
                    total.update(self.of(body, inside, threads))
                    tile = prod(t.values for t in (self.around or self.scheduled).tile)
                    for b in buffers:
                        copied = self.number(inside) * prod(b.counts) / (tile * count)
                        total["loads"] += copied
                        total["bytes"] += copied * self.itemsize[b.tensor]
                case Computed():
                    kernel = replace(self.scheduled.kernel, body=step.body)
                    own = replace(self.scheduled, kernel=kernel)
                    within = replace(self, scheduled=own, around=self.scheduled)
                    total.update(within.of(step.tile.body, points, threads))
                case Lanes(body):
                    laned = replace(self, in_lanes=True)
                    total.update(laned.of(body, points, threads * self.lanes))
                case Branch(Domain() as domain, then) if self.edges & {*domain.symbols}:
                    total.update(self.of(then, points, threads))  # all points are in the box
                case TeamScan(r, before, after):
                    inside = points.along(r)
                    total.update(self.of((*before, *after), inside, 1))
                    # The tree of threads, and what was before them.
                    total["operations"] += self.number(inside) * self.scheduled.team.bit_length()
                case Barrier():
                    pass
                case Leader(body):
                    total.update(self.of(body, points, 1 / self.lanes))
                case TeamSums(body, sums):
                    total.update(self.of(body, points, threads))
                    levels = self.scheduled.team.bit_length() - 1  # of the tree of threads
                    total["operations"] += times * levels * len(sums) * self.lanes
                case Branch(Domain() as domain, then, otherwise):
                    inside = points.within(domain.conditions)
                    total.update(self.of(then, inside, threads))
                    total.update(self.of(otherwise, points, threads))
                    total.subtract(self.of(otherwise, inside, threads))
                case Branch(_, then, otherwise):
                    total["operations"] += times
                    total.update(
                        _more_expensive(self.of(s, points, threads) for s in (then, otherwise))
                    )
                case _:
                    raise AssertionError(f"a {type(step).__name__} is not counted yet")
        return total

    def number(self, points: Points) -> int:
        if points not in self.numbers:
            self.numbers[points] = points.count(self.sizes)
        return self.numbers[points]

    def values(self, values: Iterable[Expr], points: Points, threads: float) -> Counts:
        """Of the expressions of one step."""
        loaded: set[tuple[Read, Points]] = set()
        total: Counts = Counter()
        for value in values:
            total.update(self.value(value, points, threads, loaded))
        return total

    def value(
        self, e: Expr, points: Points, threads: float, loaded: set[tuple[Read, Points]]
    ) -> Counts:
        def each(operands: Iterable[Expr], inside: Points = points) -> Counts:
            total: Counts = Counter()
            for operand in operands:
                total.update(self.value(operand, inside, threads, loaded))
            return total

        times = threads * self.number(points)
        match e:
            case Const() | IndexValue():
                return Counter()
            case Read(tensor, _) if tensor in self.scheduled.kernel.locals or (e, points) in loaded:
                return Counter()
            case Read(tensor, _):
                loaded.add((e, points))
                times *= self.shared(e)
                if tensor not in self.itemsize:
                    return Counter({"of buffers": times})
                return Counter(loads=times, bytes=times * self.itemsize[tensor])
            case Select(Domain() as domain, then, otherwise):
                inside = points.within(domain.conditions)
                total = each([then], inside)
                total.update(each([otherwise]))
                total.subtract(each([otherwise], inside))
                return total
            case Select(Comparison(_, left, right), then, otherwise):
                total = each([left, right])
                total["operations"] += times
                total.update(_more_expensive([each([then]), each([otherwise])]))
                return total
            case Call("pow", (base, Const(exponent))) if exponent in INTEGER_POWERS:
                total = each([base])
                total["operations"] += times * _multiplications(int(exponent))
                return total
            case Call(function, args):
                total = each(args)
                total["operations"] += times * (function not in FREE)
                return total
            case _:
                raise AssertionError(f"a {type(e).__name__} is not counted yet")


def _multiplications(exponent: int) -> int:
    """Of a power by squaring; a negative one is a division more."""
    n = abs(exponent)
    return max(0, n.bit_length() - 1) + max(0, n.bit_count() - 1) + (exponent < 0)


def _more_expensive(branches: Iterable[Counts]) -> Counts:
    return max(branches, key=Counter.total)


# ---- what is in the text


def written(modes: Sequence[GpuModule]) -> dict[str, int]:
    """Of the text, compiled by NVRTC: the number of kernels, the most registers, and all their instructions."""
    compiled = compile_cuda(cuda_text(modes, "", DTYPE).text, ARCHITECTURE)
    usage = compiled.usage.values()
    instructions = re.findall(r"^\t(?:@!?%p\d+ )?[a-z].*;$", compiled.ptx, re.MULTILINE)
    return {
        "kernels": len(usage),
        "registers": max(u.registers for u in usage),
        "spilled bytes": sum(u.spill_bytes for u in usage),
        "instructions": len(instructions),
    }


# ---- the report


def worse(rows: Sequence[Mapping[str, Any]], before: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What has grown by more than a hundredth since the rows of `before`, of the same formula, form and points."""

    def key(r: Mapping[str, Any]) -> tuple[Any, ...]:
        return r["formula"], r["form"], r["points"]

    old = {key(r): r for r in before}
    for r in rows:
        for name in (*COUNTED, *WRITTEN):
            was, now = old.get(key(r), {}).get(name), r.get(name)
            if was is not None and now is not None and now > 1.01 * was:
                yield f"{r['formula']}, {r['form']}: {name} {was:.6g} -> {now:.6g}"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """As Markdown."""
    head = ["formula", "form", "points", *COUNTED, *WRITTEN]
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for r in rows:
        cells = [r["formula"], r["form"], f"{r['points']:,}"]
        cells += [f"{r[name]:.4g}" for name in COUNTED]
        cells += [str(r.get(name, "")) for name in WRITTEN]
        lines.append(f"| {' | '.join(cells)} |")
    version = ".".join(map(str, nvrtc_version())) if find_nvrtc() else "not installed"
    return "\n".join(
        [
            "# In the code for a GPU",
            "",
            f"Made by `python benchmarks/gpu.py --code`, tadc {tadc.__version__}, NVRTC {version}, {ARCHITECTURE}, {DTYPE}: the value and all",
            "gradients. A point is one of the formula's largest loop nest. Operations to touched bytes are executed per point:",
            "the steps of the scheduled loop nests, each times the exact number of points at which it is done for these sizes,",
            "by as many threads as do it. Arithmetic on indices is no operation, loads and stores are counted as if there were no",
            "cache, and `touched bytes` as if a kernel had one without end; what blocks copy to buffers is loaded once, and then",
            "read `of buffers`. Kernels to instructions are of the compiled text, each instruction counted once, however often it",
            "is run, index arithmetic included.",
            "",
            *lines,
            "",
        ]
    )
