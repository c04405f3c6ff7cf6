"""Kernels that run one after the other for a few rows at a time, so that what they hand on stays in a cache.

    h[i,j] = f(x[i,j]);  t[i] = max{j} h[i,j];  y[i,j] = exp(h[i,j] - t[i])

are three passes over tensors as large as `x`. Here a thread computes all three for a few values of `i`, then for the next.
Of `h`, which nothing else reads, it has these few rows alone, in memory of its own. Every element is computed as before.
A kernel that adds up the rows of a block (`columns.py`) is in the group, too, which then has whole blocks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import lcm, prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.expr import Expr, Read
from tadc.ir.program import DerivedSize, Program
from tadc.ir.range import Bound, Range
from tadc.ir.walk import rewrite
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.machine import Processor
from tadc.schedule.nest.loop_nest import (
    Kernel,
    Loop,
    Step,
    Store,
    map_bodies,
    moved_by,
    reads_of,
    steps_of,
    values_of,
    with_values,
)

__all__ = ["RowGroup", "row_groups"]

MUCH = 4  # the rows are at most so many times what is handed on: passes over other tensors are faster one by one
FEWEST = 32  # groups of rows: threads share them
MOST_BETWEEN = 8  # kernels that are moved out of a group's way

Scheduled = Callable[[Kernel, Mapping[Symbol, int]], CpuKernel]


@dataclass(frozen=True, slots=True)
class RowGroup:
    """`kernels` run for `rows` values of the last of the `outer` indices at a time, and for one of each of the others.

    Tensors of `own` are read by no other kernel: their subscripts are less by `moved_by` each index of `outer`, which is how
    far the rows are from the first that the thread has.
    """

    kernels: tuple[CpuKernel, ...]
    outer: tuple[tuple[Symbol, Affine], ...]
    rows: int
    own: frozenset[str]


def row_groups(
    kernels: Iterable[tuple[CpuKernel, Kernel]],
    program: Program,
    dtype: str,
    usual: Mapping[Symbol, int],
    machine: Processor,
    alone: Set[str] = frozenset(),
    choices: Choices = BY_MODEL,
    *,
    scheduled: Scheduled,
) -> tuple[list[RowGroup], list[str]]:
    """The groups among the kernels, which come with the loop nests that they were made of, and an order of all kernels, by name, in which
    those of a group follow each other. Most are in none.

    `usual` has about how large all sizes are, `alone` the names of kernels that are in none for other reasons. `scheduled` makes
    a kernel of a loop nest that runs for so many values of an index at a time.
    """
    blocks = {symbol(d.name): d for d in program.derived_sizes if d.op == "floor"}
    left = [_Member.of(k, nest, nest.name in alone, blocks) for k, nest in kernels]
    values = program.size_values(usual)
    groups: list[RowGroup] = []
    done: list[_Member] = []
    while left:
        depths = range(len(left[0].kernel.outer), 0, -1)
        runs = ((depth, list(_run(left, depth))) for depth in depths)
        depth, run = max(runs, key=lambda pair: len(pair[1]), default=(0, []))
        first, count = left[0].nest.writes[0], 1
        for end in range(len(run), 1, -1):
            together = _in_a_row(left, {m.nest.name for m in run[:end]})
            others = [*done, *together[0], *together[2]]
            group = _group(run[:end], depth, others, program, dtype, values, machine, scheduled)
            if group:
                left = [m for part in together for m in part]
                count = len(together[0]) + end
                if choices.whether(f"group of {first}", True):
                    groups.append(group)
                break
        done, left = done + left[:count], left[count:]
    return groups, [m.nest.name for m in done]


def _in_a_row(members: Sequence[_Member], names: Set[str]) -> tuple[list[_Member], ...]:
    """The members of these names, those that must run before them, and those that may run behind them, each in order."""
    needed: set[str] = set()
    before: list[_Member] = []
    for m in reversed(members):
        is_before = m.nest.name not in names and not needed.isdisjoint(m.nest.writes)
        if is_before or m.nest.name in names:
            needed.update(m.nest.reads)
        if is_before:
            before.insert(0, m)
    first = names | {m.nest.name for m in before}
    chosen = [m for m in members if m.nest.name in names]
    return before, chosen, [m for m in members if m.nest.name not in first]


@dataclass(frozen=True, slots=True)
class _Member:
    """A kernel, and the loop nest that it was made of."""

    kernel: CpuKernel
    nest: Kernel
    alone: bool
    accesses: Mapping[str, Set[tuple[Affine, ...]]]  # each tensor's subscripts
    rows: Affine  # of which each value of its first index is so many
    each: int
    whole: frozenset[Symbol]  # indices of loops over all rows of a block

    @classmethod
    def of(
        cls, k: CpuKernel, nest: Kernel, alone: bool, blocks: Mapping[Affine, DerivedSize]
    ) -> _Member:
        rows, each = nest.extents[0] if nest.extents else constant(0), 1
        if rows in blocks:  # (N + 7)//8 of 8 rows
            (form,), each = blocks[rows].forms, blocks[rows].modulus
            rows = form - (each - 1)
        loops = (s.range for s in steps_of(nest.body) if isinstance(s, Loop))
        whole = frozenset(r.index for r in loops if _is_over(r, each))
        return cls(k, nest, alone, _accesses(nest.body), rows, each, whole)

    def has_rows(self, depth: int) -> bool:
        """Whether its first `depth` indices may be those of rows: threads share them, and a tile has values of the last at most."""
        k = self.kernel
        shared = [i for i, _ in k.outer[:depth]]
        tiled = {side.index for side in k.sides}
        return (
            not (self.alone or k.cooperative)
            and not self.nest.is_atomic
            and len(shared) == depth
            and shared == list(self.nest.indices[:depth])
            and tiled.isdisjoint(shared[:-1])
        )

    def keeps_to_its_rows(self, tensor: str, depth: int) -> bool:
        """Whether it reads and writes only the part of the tensor that its row, or its block of rows, has."""
        first, *others = map(symbol, self.nest.indices[:depth])
        of_block = [self.each * first + symbol(r) for r in self.whole]
        own = [first] if self.each == 1 or tensor in self.nest.writes else of_block
        return all(
            form[:1] and form[0] in own and list(form[1:depth]) == others
            for form in self.accesses[tensor]
        )

    def at_once(self, count: int, depth: int, scheduled: Scheduled) -> _Member:
        """The member with a kernel whose tiles are parts of `count` rows."""
        of_index = {self.nest.indices[depth - 1]: count // self.each}
        return replace(self, kernel=scheduled(self.nest, of_index))

    def values_of(self, index: Symbol) -> int:
        """How many values of the index it computes side by side."""
        return prod(len(side.names) for side in self.kernel.sides if side.index == index)


def _is_over(r: Range, count: int) -> bool:
    """Whether the range has no other values than `count` from 0 on."""
    return Bound(constant(0)) in r.lows and Bound(constant(count - 1)) in r.highs


def _accesses(steps: Sequence[Step]) -> dict[str, set[tuple[Affine, ...]]]:
    """The subscripts of every read and store of each tensor."""
    accesses: dict[str, set[tuple[Affine, ...]]] = defaultdict(set)
    for e in reads_of(steps):
        accesses[e.tensor].add(e.subscripts)
    for s in steps_of(steps):
        if isinstance(s, Store):
            accesses[s.tensor].add(s.subscripts)
    return accesses


def _run(members: Sequence[_Member], depth: int) -> Iterator[_Member]:
    """The first of the members, and those that have the same rows, or blocks of them, and read of each other only what their row has.

    A few between them may have others: they can run before them, or behind.
    """
    extents = members[0].nest.extents[:depth]
    written: dict[str, int] = {}
    behind: set[str] = set()  # what cannot be computed before all of the run
    between = 0
    for m in members:
        k = replace(m, each=1) if m.nest.extents[:depth] == extents else m
        shared = {*m.nest.writes, *(t for t in m.nest.reads if t in written)}
        if (
            extents in (m.nest.extents[:depth], (m.rows,))
            and behind.isdisjoint(m.nest.reads)
            and k.has_rows(depth)
            and all(k.keeps_to_its_rows(t, depth) and written.get(t, 1) == 1 for t in shared)
        ):
            written.update(dict.fromkeys(m.nest.writes, k.each))
            yield k
            continue
        between += 1
        if not written or between > MOST_BETWEEN:
            return
        if m.alone or not (written.keys() | behind).isdisjoint(m.nest.reads):
            behind.update(m.nest.writes)


def _group(
    run: Sequence[_Member],
    depth: int,
    others: Sequence[_Member],
    program: Program,
    dtype: str,
    values: Mapping[Symbol, int],
    machine: Processor,
    scheduled: Scheduled,
) -> RowGroup | None:
    """The members as a group, if much of their rows is handed on or read again, and threads have enough of them."""
    written = {t for m in run for t in m.nest.writes}
    handed_on = {t for m in run for t in m.nest.reads if t in written}
    if len(run) < 2 or not handed_on:
        return None
    elsewhere = {t for m in others for t in m.nest.reads}
    own = frozenset(written - elsewhere - {*program.outputs})
    outer = run[0].kernel.outer[:depth]
    steps = [m.each * m.values_of(m.nest.indices[depth - 1]) for m in run]
    in_rows = {
        t for m in run for t in (*m.nest.reads, *m.nest.writes) if m.keeps_to_its_rows(t, depth)
    }
    count = prod(n.at(values) for _, n in outer)
    of_row = {t: program.tensors[t].bytes_at(values, dtype) // max(1, count) for t in in_rows}
    row = sum(of_row.values())
    again = {t for t in in_rows if sum(t in m.nest.reads for m in run) > 1}
    whole = count * sum(of_row[t] for t in again)
    if len((written - own) & in_rows) > 1 or (
        row > machine.first_cache_bytes and whole <= machine.cache_bytes
    ):
        again = set()  # rows of several results side by side cost what is saved, as do long rows of what a cache holds
    if MUCH * sum(of_row[t] for t in handed_on | again) < row:
        return None
    most = min(machine.cache_bytes // max(1, row), count // FEWEST)
    blocks = lcm(*(m.each for m in run))
    if most < blocks:
        return None
    unit = lcm(blocks, *steps)
    if most < unit:  # a tile that reaches beyond the rows would compute some of them several times
        unit = blocks << (most // blocks).bit_length() - 1
        if max(steps) > 2 * unit:
            return None  # what a large tile reads once costs more than what is handed on
        run = [m if unit % n == 0 else m.at_once(unit, depth, scheduled) for m, n in zip(run, steps, strict=True)]  # fmt: skip
    rows = max(1, min(machine.first_cache_bytes // max(1, row), most) // unit) * unit
    return RowGroup(tuple(_of_rows(m, depth, own) for m in run), outer, rows, own)


def _of_rows(member: _Member, depth: int, own: frozenset[str]) -> CpuKernel:
    """The kernel that is given its rows, with moved subscripts of the tensors that a thread has for itself."""
    k = member.kernel

    def moved(subscripts: tuple[Affine, ...]) -> tuple[Affine, ...]:
        pairs = zip(subscripts, k.outer[:depth], strict=False)
        return (*(form - symbol(moved_by(i)) for form, (i, _) in pairs), *subscripts[depth:])

    def read(e: Expr) -> Expr:
        if isinstance(e, Read) and e.tensor in own:
            return Read(e.tensor, moved(e.subscripts))
        return e

    def steps(body: Sequence[Step]) -> Iterator[Step]:
        for step in body:
            step = map_bodies(step, steps)
            step = with_values(step, tuple(rewrite(e, read) for e in values_of(step)))
            if isinstance(step, Store) and step.tensor in own:
                step = replace(step, subscripts=moved(step.subscripts))
            yield step

    return replace(k, body=tuple(steps(k.body)), rows=depth, each=member.each)
