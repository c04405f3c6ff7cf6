"""What the threads of a kernel execute: its steps, each as often as it is done, for given values of all sizes.

How often is counted for all threads together (`sampled.py`), and for the thread that has the most to do by the steps at the
corners and in the middle of the box. What a compiler does is taken for granted: values that a loop does not change are computed before
it, those that lanes share once, and short loops are unrolled.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from math import ceil, gcd, prod
from typing import Any, NamedTuple

import numpy as np

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Domain
from tadc.ir.expr import Call, Const, Expr, IndexValue, Read, Select
from tadc.ir.program import Program
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.schedule.gpu.accesses import LINE, SECTOR, Accesses
from tadc.schedule.gpu.frames import (
    Frame,
    candidates,
    middle_of,
    often_met,
    trips_of,
    value_at,
)
from tadc.schedule.gpu.instructions import instructions
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.sampled import about
from tadc.schedule.gpu.scheduled import GpuKernel, words_of
from tadc.schedule.gpu.staging import elements
from tadc.schedule.nest.cost import Points
from tadc.schedule.nest.loop_nest import (
    MOST_GROUP,
    TERMS_AT_ONCE,
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Buffer,
    Computed,
    HeldRow,
    Lanes,
    Leader,
    Let,
    LetIndex,
    Loop,
    MatrixProducts,
    Staged,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    Together,
    beyond,
    buffers_of,
    first_of,
    has_loops,
    last_of,
    place_of,
    reads_of,
    steps_of,
    stores_groups,
    values_of,
)
from tadc.schedule.nest.short_loops import is_unrolled
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.work import Work

__all__ = ["Executed", "Tally", "executed"]

BANKS = 32  # words of shared memory that are read at once
# Instructions around those of a formula, as NVRTC's code for sm_90 has them.
GRID_LOOP, DIVISION, DIVISION_BY_NUMBER = 4, 20, 5
LOOP, LOOP_AROUND_LOOPS = 5, 8
UNROLLS = ((6, 16), (24, 4), (40, 2))  # a loop of at most so many instructions is unrolled so often
# Of what is copied to a buffer: before the copies of a part; of the address of an element, or of several neighbours; of each test of an element,
# and that all of a part are in the tensor.
FILL_BEGIN, FILL_ADDRESS, FILL_TEST, FILL_CONDITION = 20, 2, 2, 8
OWN_ADDRESS = 5  # of a read behind a test, in a loop that a team shares
WARP_SUM, BLOCK_SUM, BARRIER = 12, 40, 10
SPILLED_VALUE = 6  # that waits in memory until a block of terms ends: read, added to, and written, with nothing else to do
MATRIX_ELEMENT = 4  # of a factor: its address, and three that read and round it


class Tally(NamedTuple):
    """What threads do, as sums over them: instructions; of those the ones on numbers, and of special functions; reads of memory and
    of shared memory; lines of 128 bytes, a warp's, that these and the stores take; bytes that go through the L2 cache; and products by instructions for matrices.
    """

    instructions: float = 0.0
    arithmetic: float = 0.0
    special: float = 0.0
    reads: float = 0.0
    staged_reads: float = 0.0
    lines: float = 0.0
    l2_bytes: float = 0.0
    matrix: float = 0.0
    waits: float = 0.0  # of threads of a team, for what a few runs of a loop that they share read

    def plus(self, o: Tally, times: float = 1.0) -> Tally:
        """With another one, so many times."""
        return Tally(
            self.instructions + times * o.instructions,
            self.arithmetic + times * o.arithmetic,
            self.special + times * o.special,
            self.reads + times * o.reads,
            self.staged_reads + times * o.staged_reads,
            self.lines + times * o.lines,
            self.l2_bytes + times * o.l2_bytes,
            self.matrix + times * o.matrix,
            self.waits + times * o.waits,
        )


@dataclass(slots=True)
class Executed:
    """The tally of all threads, and instructions and reads of the thread that has the most to do.

    `moved` has for each tensor the bytes that go through the L2 cache, and `read_by_wave` those of it that as many threads as fit at
    once read. `inner_loops` has the instructions, and the reads, of one run of each loop without loops, by its index. Blocks copy so many
    `parts` to shared memory before they read them, or ahead.
    """

    total: Tally = field(default_factory=Tally)
    longest_instructions: float = 0.0
    longest_reads: float = 0.0
    moved: dict[str, float] = field(default_factory=dict)
    read_by_wave: dict[str, float] = field(default_factory=dict)
    inner_loops: dict[Symbol, tuple[float, float]] = field(default_factory=dict)
    parts: float = 0.0
    parts_ahead: float = 0.0


def executed(
    scheduled: GpuKernel, program: Program, sizes: Sizes, machine: Machine, dtype: str, resident: float
) -> Executed:  # fmt: skip
    """The tally of a kernel for these values of all sizes. `resident` threads are there at once; `dtype` is that of arithmetic."""
    counter = _Counter(scheduled, program, sizes, machine, dtype, resident)
    counter.run()
    return counter.result


@dataclass
class _Counter:
    scheduled: GpuKernel
    program: Program
    sizes: Sizes
    machine: Machine
    dtype: str
    resident: float
    result: Executed = field(default_factory=Executed)
    numbers: dict[int, tuple[Points, float]] = field(
        default_factory=dict
    )  # of points, by what they are
    buffers: dict[str, Buffer] = field(default_factory=dict)
    wide: set[str] = field(default_factory=set)
    rare: set[str] = field(default_factory=set)
    held: frozenset[str] = (
        frozenset()
    )  # locals with a value for each element that a thread has of a row
    differing: dict[str, frozenset[Symbol]] = field(
        default_factory=dict
    )  # of locals that lanes begin with
    lanes: bool = False
    masked: bool = False  # in a branch of lanes
    ends: dict[Symbol, Affine] = field(default_factory=dict)  # of the tile
    longest: Any = 0.0
    longest_reads: Any = 0.0
    addresses: set[object] = field(default_factory=set)
    rows: set[object] = field(default_factory=set)  # of tensors, of which something was read
    elements_read: dict[object, set[object]] = field(default_factory=dict)
    tensors: dict[Expr, frozenset[str]] = field(default_factory=dict)  # that a value reads

    # ------------------------------------------------------------------ facts

    @property
    def tile(self) -> dict[Symbol, int]:
        """Values that a thread has of each index of its tile: of that of the block's own, while that is counted."""
        return self.scheduled.counts

    @property
    def points_of_thread(self) -> int:
        return self.scheduled.points_of_thread

    @cached_property
    def accesses(self) -> Accesses:
        return Accesses(self.scheduled, self.program, self.sizes, self.machine, self.dtype, self.resident)  # fmt: skip

    @cached_property
    def extents(self) -> dict[Symbol, int]:
        return self.accesses.extents

    def number(self, points: Points) -> float:
        known = self.numbers.get(id(points))
        if known is None:
            known = self.numbers[id(points)] = points, about(points, self.sizes)
        return known[1]

    # ------------------------------------------------------------------ tallies

    def add(self, frame: Frame, each: Tally, times: float = 1.0) -> None:
        """A run of something at each point of the frame, `times` over."""
        often = self.number(frame.points) * frame.scale * times
        self.result.total = self.result.total.plus(each, often)
        self.longest = self.longest + each.instructions * times * frame.longest
        self.longest_reads = self.longest_reads + each.reads * times * frame.longest

    def run(self) -> None:
        k = self.scheduled.kernel
        extents = self.extents
        points = Points(k.indices, (), Domain.box(dict(zip(k.indices, k.extents, strict=True))))
        if not all(extents.values()):
            return
        values = {s: np.array([n]) for s, n in self.sizes.items()} | candidates(extents)
        count = max((v.size for v in values.values()), default=1)
        grid = self.machine.most_blocks * self.machine.block
        tiles = prod(-(-n // dict(self._tile_values).get(i, 1)) for i, n in extents.items())
        turns = max(1, ceil(tiles * self.scheduled.team / grid))
        frame = Frame(points, self.scheduled.team, turns * np.ones(count), values)
        frame = self._with_ends(frame)
        tiled = self._in_tile(frame) if self.scheduled.tile else frame
        self.add(tiled, Tally(instructions=self._decomposition()))
        self.steps(k.body, (frame,))
        self.result.longest_instructions = float(np.max(self.longest))
        self.result.longest_reads = float(np.max(self.longest_reads))

    def _with_ends(self, frame: Frame) -> Frame:
        """The frame with the number of the tile along each index that loops end with, from which its first and last value follow."""
        steps = steps_of(self.scheduled.kernel.body)
        used = {s for step in steps for s in _symbols_of_bounds(step)}
        for i, v in self._tile_values:
            if used.isdisjoint({first_of(i), last_of(i)}):
                continue
            number = Derived(f"'tile {i}", symbol(i), v)
            first = v * symbol(number.name)
            self.ends |= {first_of(i): first, last_of(i): first + (v - 1)}
            self.ends[place_of(i)] = symbol(i) - first
            values = {**frame.values, number.name: frame.values[i] // v}
            points = replace(frame.points, derived=(*frame.points.derived, number))
            frame = replace(frame, points=points, values=values)
        return frame

    @cached_property
    def _tile_values(self) -> list[tuple[Symbol, int]]:
        return [(t.index, t.values) for t in self.scheduled.tile]

    def _decomposition(self) -> float:
        """Instructions that find the indices of a point."""
        inner = [
            n for n in self.scheduled.kernel.extents[1:] if not n.is_constant or n.constant > 1
        ]
        return GRID_LOOP + sum(DIVISION_BY_NUMBER if n.is_constant else DIVISION for n in inner)

    def _in_tile(self, frame: Frame) -> Frame:
        """The frame of a thread that has a tile: those at the edge of the box compute whole ones."""
        whole = prod(-(-n // v) * v / n for i, v in self._tile_values for n in [self.extents[i]])
        team = self.scheduled.team if self.scheduled.shares_loops else 1
        return replace(frame, scale=team * whole / self.points_of_thread)

    # ------------------------------------------------------------------ steps

    def steps(self, steps: Sequence[Step], frames: tuple[Frame, ...]) -> None:
        for step in steps:
            frame = frames[-1]
            self._values(values_of(step), frames, self._fused(step))
            match step:
                case Let(local, value) if self.lanes:
                    self.differing[local] = self._differing(value)
                case Let() | Accumulator() | Assign() | Barrier():
                    self.add(frame, Tally(instructions=BARRIER if isinstance(step, Barrier) else 0))
                case LetIndex(Derived() as d):
                    values = {
                        **frame.values,
                        d.name: value_at(d.form, frame.values) // d.modulus,
                    }
                    points = Points(frame.points.indices, (*frame.points.derived, d), frame.points.domain)  # fmt: skip
                    bound = frame.bound | ({d.name} if frame.bound & set(d.form.symbols) else set())
                    self.add(frame, Tally(instructions=2))
                    frames = (*frames[:-1], replace(frame, points=points, values=values, bound=bound))  # fmt: skip
                case Accumulate(local, op):
                    costs = 1 if op in {"sum", "prod"} else 2
                    self.add(frame, Tally(costs, costs), self.points_of_thread if self._is_wide(local) else 1)  # fmt: skip
                    if local in self.rare:  # the sum of a group, where a block of terms ends
                        spilled = self.scheduled.in_memory(words_of(self.dtype))
                        self.add(frame, Tally(instructions=SPILLED_VALUE), spilled)
                case Store():
                    self._store(step, frames)
                case Loop(r, body):
                    self._loop(step, r, body, frames)
                case HeldRow(body, wide):
                    self.held = frozenset(wide)
                    self.steps(body, frames)
                case TeamLoop(r, body, held):
                    self._team_loop(r, body, frames, held=held)
                case TeamSums(body, sums):
                    self.steps(body, frames)
                    each = WARP_SUM if self.scheduled.team == self.machine.warp else BLOCK_SUM
                    of_lanes = sum(self.points_of_thread if s in self.wide else 1 for s, _ in sums)
                    self.add(frame, Tally(instructions=each), of_lanes)
                case TeamScan(r, before, after, carried=carried):
                    self._team_loop(r, (*before, *after, *carried), frames)
                case Leader(body):
                    team = self.scheduled.team
                    lanes = 1 if team == self.machine.column else self.machine.warp
                    alone = frame.scale * min(1.0, lanes / team)
                    self.steps(body, (*frames[:-1], replace(frame, scale=alone, conditional=True)))
                case Tile(wide=wide, interior_wide=inner_wide, rare=rare):
                    self.buffers |= {b.name: b for b in buffers_of((step,))}
                    self.wide |= {*wide, *inner_wide}
                    self.rare |= {*rare}
                    self._tile(step, (*frames[:-1], self._in_tile(frame)))
                case Lanes(body):
                    self.lanes = True
                    self.steps(body, frames)
                    self.lanes = False
                case Computed():
                    self._computed(step, frames)
                case MatrixProducts():
                    self._matrix_products(frame)
                case Staged():
                    self._staged(step, frames)
                    self._ends_of_blocks(step, frames)
                case Branch(Domain() as domain, then) if _at_edge(domain):
                    self.add(frame, Tally(instructions=2), self.points_of_thread)
                    self.steps(then, frames)
                case Branch():
                    self._branch(step, frames)
                case _:
                    raise AssertionError(f"a GPU has no {type(step).__name__}")

    def _tile(self, tile: Tile, frames: tuple[Frame, ...]) -> None:
        """Tiles inside the region, and those that are not."""
        frame = frames[-1]
        share = self.accesses.whole_share(tile) if tile.interior else 0.0
        for part, steps in ((share, tile.interior), (1 - share, tile.body)):
            if part > 0:
                is_longest = steps is tile.body or share == 1
                within = replace(
                    frame, scale=part * frame.scale, longest=frame.longest * is_longest
                )
                self.steps(steps, (*frames[:-1], within))

    def _loop(self, step: Loop, r: Range, body: Sequence[Step], frames: tuple[Frame, ...]) -> None:
        frame, r = frames[-1], r.substitute(self.ends)
        trips, values = trips_of(r, frame.values)
        unrolled = r.trips_at({}) if is_unrolled(step) else 0
        bound = {r.index, *_changed(body)}
        inner = Frame(frame.points.along(r), frame.scale, frame.longest * trips, values, bound, unrolled, trips=middle_of(trips), bounds=r.symbols)  # fmt: skip
        self._run(body, (*frames, inner), unrolled=bool(unrolled))

    def _run(
        self, body: Sequence[Step], frames: tuple[Frame, ...], *, unrolled: bool = False
    ) -> int:
        """The steps of a loop, whose frame is the innermost, and what the loop itself needs. So many runs are done at once."""
        inner = frames[-1]
        before = self.result.total
        self.steps(body, frames)
        runs = max(1.0, self.number(inner.points) * inner.scale)
        done = self.result.total.plus(before, -1)
        once = done.instructions / runs
        times = 1
        loops = (s for s in steps_of(body) if isinstance(s, Loop))
        if not all(map(is_unrolled, loops)):
            self.add(inner, Tally(instructions=LOOP_AROUND_LOOPS))
        elif not unrolled:
            times = next((n for most, n in UNROLLS if once <= most), 1)
            self.add(inner, Tally(instructions=LOOP / times))
            self.result.inner_loops[inner.points.indices[-1]] = (
                once + LOOP / times,
                (done.reads + done.staged_reads) / runs,
            )
        return times

    def _team_loop(
        self, r: Range, body: Sequence[Step], frames: tuple[Frame, ...], *, held: bool = False
    ) -> None:
        frame, team, r = frames[-1], self.scheduled.team, r.substitute(self.ends)
        trips, values = trips_of(r, frame.values)
        turns = np.ceil(trips / team)
        middle = middle_of(trips)
        idle = max(1.0, ceil(middle / team) * team / middle if middle else 1.0)
        bound = {r.index, *_changed(body), *(self.held if held else ())}
        idle *= frame.scale / team if self.scheduled.tile else 1.0
        inner = Frame(frame.points.along(r), idle, frame.longest * turns, values, bound, team=team, bounds=r.symbols)  # fmt: skip
        at_once = self._run(body, (*frames, inner), unrolled=held)
        if not held and any(e.subscripts for e in reads_of(body)):
            # The runs that are no whole group are done in two parts; a single one may go on with those of a loop around.
            few = np.where(turns > 1, np.minimum(turns, 2), 0)
            waits = np.where(turns < at_once, few, np.ceil(turns / at_once))
            self.add(frame, Tally(waits=float(np.mean(waits))))

    def _staged(self, step: Staged, frames: tuple[Frame, ...]) -> None:
        frame, r, count, body = frames[-1], step.range.substitute(self.ends), step.count, step.body
        trips, values = trips_of(r, frame.values)
        bound = {r.index, place_of(r.index), *_changed(body)}
        inner = Frame(frame.points.along(r), frame.scale, frame.longest * trips, values, bound, trips=middle_of(trips), bounds=r.symbols)  # fmt: skip
        if step.by_terms:
            at_once = replace(inner, scale=inner.scale / TERMS_AT_ONCE, longest=inner.longest / TERMS_AT_ONCE, conditional=True)  # fmt: skip
            self.steps(step.by_terms, (*frames, at_once))
        elif step.together:
            self._some_together(step, step.together, inner, frames)
        else:
            self._run(body, (*frames, inner))
        # A part that is filled: how many there are for each value of the loop.
        parts = float(np.max(np.ceil(trips / count) / np.maximum(1, trips)))
        barriers = 1 if step.is_ahead else 2
        self.add(inner, Tally(instructions=barriers * BARRIER + LOOP), parts)
        copied = self.number(inner.points) * inner.scale * parts / self.machine.block
        # Ahead of the first part of a run of the loop there is nothing to do meanwhile.
        waits = 1.0 / max(1.0, float(np.max(trips)) * parts) if step.is_ahead else 1.0
        self.result.parts += waits * copied
        self.result.parts_ahead += (1 - waits) * copied
        for b in step.buffers:
            self._fill(b, inner, parts, count, waits)

    def _some_together(
        self, step: Staged, some: Together, inner: Frame, frames: tuple[Frame, ...]
    ) -> None:
        """Values of a staged loop that are done together, and the others one by one."""
        every = self.number(inner.points)
        known = [c for c in some.region.substitute(self.ends) if c.relation == ">="]
        points = inner.points.within(known)
        share = self.number(points) / every if every else 1.0
        share *= step.count // some.count * some.count / step.count
        each = replace(inner, points=points, unrolled=some.count)
        at_once = replace(
            inner, points=points, scale=inner.scale / some.count, longest=inner.longest / some.count
        )
        before = self.result.total
        self.add(at_once, Tally(instructions=LOOP))
        self._run(some.body, (*frames, at_once, each), unrolled=True)
        done = self.result.total.plus(before, -1)
        runs = max(1.0, self.number(points) * inner.scale)
        self.steps(some.after, (*frames, replace(at_once, conditional=True)))
        if share < 1:
            alone = replace(
                inner, scale=inner.scale * (1 - share), longest=inner.longest * (1 - share)
            )
            self._run(step.body, (*frames, alone))
        if not has_loops(step.body):
            reads = (done.reads + done.staged_reads) / runs
            self.result.inner_loops[step.range.index] = (done.instructions / runs, reads)

    def _computed(self, step: Computed, frames: tuple[Frame, ...]) -> None:
        """A tile of the block's own, once for all that share its values."""
        frame, around = frames[-1], self.scheduled
        trips = next(t for t in step.tile.indices if t.index == step.index)
        indices = (*around.kernel.indices, step.index)
        kernel = replace(around.kernel, indices=indices, extents=(*around.kernel.extents, trips.extent), body=step.body)  # fmt: skip
        values = {**frame.values, step.index: frame.values[step.part] * trips.values}
        self.scheduled, self.wide = replace(around, kernel=kernel), self.wide | {*step.tile.wide}
        self.steps(step.tile.body, (*frames[:-1], replace(frame, values=values, conditional=True)))
        self.add(frame, Tally(instructions=BARRIER))
        self.scheduled = around

    def _matrix_products(self, frame: Frame) -> None:
        """Elements of both factors are read, each bank once, and rounded; an instruction has the products of 32 sums by eight terms."""
        rows, columns = self.scheduled.tile
        elements = 2 * rows.count + columns.count
        multiplied = rows.count * columns.count // 4
        lines = elements / 32
        products = TERMS_AT_ONCE * rows.count * columns.count
        self.add(
            frame,
            Tally(MATRIX_ELEMENT * elements + multiplied, 0, 0, 0, elements, lines, 0, products),
        )

    def _ends_of_blocks(self, step: Staged, frames: tuple[Frame, ...]) -> None:
        """What is done after every so many values of a staged loop."""
        frame, r = frames[-1], step.range.substitute(self.ends)
        trips, _ = trips_of(r, frame.values)
        often = replace(frame, points=frame.points.along(r), scale=frame.scale / step.every, longest=frame.longest * trips / step.every, conditional=True)  # fmt: skip
        self.steps(step.after, (*frames, often))

    def _fill(self, b: Buffer, inner: Frame, parts: float, count: int, waits: float) -> None:
        """The copy of a part. A share `waits` of them is waited for."""
        tensor = self.program.tensors[b.tensor]
        tested = [b.below[d] + (not b.is_within(d, n)) for d, n in enumerate(tensor.shape)]
        tests, ragged = sum(tested), sum(n for n, at_end in zip(tested, b.ragged, strict=True) if at_end)  # fmt: skip
        inside = self.accesses.inside(b, {i: int(n) for i, n in self._loops(inner).items()}, count)
        together = self._copied_at_once(b)
        straight = b.order[-1] == len(b.order) - 1 and b.shape[-1] % together == 0
        is_ahead = b.halves > 1 and (tensor.dtype or self.dtype) == self.dtype
        together = 1 if is_ahead and not straight else together
        groups, one_by_one = self._copies(b, together), self._copies(b, 1)
        # Of each copy: an address, the read, or what is begun, and where it is not begun ahead what is written.
        each = FILL_ADDRESS + 1 + (0 if is_ahead else 1 if straight else together)
        each_tested = FILL_ADDRESS + 1 + (not is_ahead) + FILL_TEST * tests
        filling = inside * groups * (each + FILL_TEST * ragged) + (1 - inside) * one_by_one * each_tested  # fmt: skip
        reads = (inside * groups + (1 - inside) * one_by_one) * (waits if is_ahead else 1.0)
        stores = inside * groups * (1 if straight else together) + (1 - inside) * one_by_one
        # Of each run of neighbours in memory whole sectors come.
        run, shape = 1, [n.at(self.sizes) for n in tensor.shape]
        for n, step, extent in zip(reversed(b.counts), reversed(b.steps), reversed(shape), strict=True):  # fmt: skip
            run *= n * step
            if n * step < extent:
                break
        itemsize = tensor.itemsize(self.dtype)
        moved = ceil(run * itemsize / SECTOR) * SECTOR / run  # bytes for each element
        lines = max(1.0, min(32, 32 / run)) * 2 / 32  # and those of the buffer
        copied = prod(b.counts) / self.machine.block  # by each thread
        self.add(inner, Tally(FILL_BEGIN + FILL_CONDITION * bool(tests) + filling, 0, 0, reads, stores), parts)  # fmt: skip
        self.add(inner, Tally(lines=lines, l2_bytes=moved), parts * copied)
        self._move(b.tensor, moved * self.number(inner.points) * inner.scale * parts * copied)
        counts = self.accesses.wave() | {r: int(np.max(n)) for r, n in self._loops(inner).items()}
        place = {i: n for i, n in counts.items() if any(i in low.symbols or f"'first {i}" in low.symbols for low in b.lows)}  # fmt: skip
        by_wave = min(prod(shape), prod(b.counts) * prod(
            -(-n // dict(self._tile_values).get(i, 1)) for i, n in place.items()
        ))  # fmt: skip
        self._read_by_wave(b.tensor, by_wave * itemsize)

    def _copies(self, b: Buffer, together: int) -> float:
        """How often a thread copies so many neighbours, where warps that have nothing to copy go on."""
        block, warp = self.machine.block, self.machine.warp
        grid = b.copies(block, together)
        return prod(grid.turns) * min(1.0, -(-prod(grid.threads) // warp) * warp / block)

    def _copied_at_once(self, b: Buffer) -> int:
        """The elements of a buffer that a thread copies at once, for these sizes."""
        tensor = self.program.tensors[b.tensor]
        width = tensor.shape[-1].at(self.sizes) if len(tensor.shape) > 1 else 0
        fits = (tensor.dtype or self.dtype) == self.dtype == "float32" and width % b.at_once == 0
        return b.at_once if fits and not any(b.ragged) else 1

    def _loops(self, frame: Frame) -> dict[Symbol, Any]:
        """The values that each loop's index has, about."""
        box = set(self.scheduled.kernel.indices)
        return {i: 1 + 2 * np.max(frame.values[i]) for i in frame.points.indices if i not in box}

    def _branch(self, step: Branch, frames: tuple[Frame, ...]) -> None:
        frame = frames[-1]
        if self.lanes and isinstance(step.condition, Domain):
            self._masked(step, step.condition, frames)
            return
        self.add(frame, Tally(instructions=2))
        if not isinstance(step.condition, Domain):
            # Neighbours may go either way: both.
            inside = replace(frame, conditional=True)
            for each in (step.then, step.otherwise):
                self.steps(each, (*frames[:-1], inside))
            return
        conditions = step.condition.substitute(self.ends).conditions
        looped = set(frame.points.indices) - set(self.scheduled.kernel.indices)
        met, unmet = often_met(conditions, frame.values, looped)
        within = frame.points.within(conditions)
        every, some = self.number(frame.points), self.number(within)
        self.steps(step.then, (*frames, replace(frame, points=within, longest=frame.longest * met, conditional=True)))  # fmt: skip
        if step.otherwise and every > some:
            rest = frame.scale * (every - some) / every
            self.steps(step.otherwise, (*frames, replace(frame, scale=rest, longest=frame.longest * unmet, conditional=True)))  # fmt: skip

    def _masked(self, step: Branch, domain: Domain, frames: tuple[Frame, ...]) -> None:
        """A branch of lanes: tested by each that may differ, and issued for all of them. What is read there none shares with another."""
        frame = frames[-1]
        # Compilers test with one comparison that a number is between two others.
        moving = (c.form - c.form.constant for c in domain)
        for form in dict.fromkeys(max(f, -f, key=repr) for f in moving):
            lanes = prod(n for i, n in self.tile.items() if i in form.symbols)
            self.add(self._frame_of_symbols({*form.symbols}, frames), Tally(1), lanes)
        before, self.masked = self.masked, True
        inside = replace(frame, conditional=True)
        for each in (step.then, step.otherwise):
            self.steps(each, (*frames, inside))
        self.masked = before

    # ------------------------------------------------------------------ values

    def _fused(self, step: Step) -> Expr | None:
        """The product, or square, that is part of an addition to a sum."""
        match step:
            case Accumulate(_, "sum", Call("mul", _) | Call("pow", (_, Const(2))) as value):
                return value
            case _:
                return None

    def _values(
        self, values: Iterable[Expr], frames: tuple[Frame, ...], fused: Expr | None
    ) -> None:
        for e in postorder(tuple(values)):
            match e:
                case Read(tensor, _) if tensor in self.scheduled.kernel.locals:
                    pass
                case Read(tensor, _) if tensor in self.buffers:
                    self._read_staged(e, frames)
                case Read():
                    self._read(e, frames)
                case Call() | Select() if e is not fused:
                    each = instructions(e, self.dtype)
                    whole = Tally(each.all, each.all, each.special)
                    self.add(self._frame_of(e, frames), whole, self._in_lanes(e))
                case IndexValue():
                    self.add(self._frame_of(e, frames), Tally(2), self._in_lanes(e))
                case _:
                    pass

    def _is_wide(self, local: str) -> bool:
        return self.lanes and local in self.wide

    def _in_lanes(self, e: Expr) -> int:
        """How many lanes have values of their own."""
        if not self.lanes:
            return 1
        differing = self._differing(e)
        return prod(n for i, n in self.tile.items() if i in differing)

    def _differing(self, e: Expr) -> frozenset[Symbol]:
        """The indices of the tile at whose values lanes have another value of the expression."""
        read = self._tensors(e)
        if not self.wide.isdisjoint(read):
            return frozenset(self.tile)
        used = e.symbols
        own = (i for i in self.tile if i in used or place_of(i) in used or beyond(i) in used)
        return frozenset(own).union(*(self.differing[t] for t in read if t in self.differing))

    def _tensors(self, e: Expr) -> frozenset[str]:
        """The tensors and locals that the value reads."""
        read = self.tensors
        if e in read:  # as it mostly is
            return read[e]
        for node in postorder((e,), lambda n: () if n in read else n.operands):
            if node not in read:
                own = {node.tensor} if isinstance(node, Read) else ()
                read[node] = frozenset(own).union(*(read[o] for o in node.operands))
        return read[e]

    def _frame_of(self, e: Expr, frames: tuple[Frame, ...], *, unrolled: bool = False) -> Frame:
        """The innermost frame whose indices or locals the value needs. An `unrolled` loop is none for reads of distinct elements."""
        return self._frame_of_symbols(e.symbols | self._tensors(e), frames, unrolled=unrolled)

    def _frame_of_symbols(
        self, used: Set[str], frames: tuple[Frame, ...], *, unrolled: bool = False
    ) -> Frame:
        for frame in reversed(frames[1:]):
            if unrolled and frame.unrolled:
                continue
            unrolled = False if not frame.unrolled else unrolled
            if frame.conditional or not used.isdisjoint(frame.bound):
                return frame
        return frames[0] if not self.scheduled.tile else self._in_tile(frames[0])

    def _distinct(self, e: Read, frames: tuple[Frame, ...]) -> int:
        """The different elements among those that lanes and runs of unrolled loops read."""
        trips: dict[Symbol, int] = {}
        for frame in reversed(frames):
            if not frame.unrolled:
                break
            trips |= dict.fromkeys(frame.bound & e.symbols, frame.unrolled)
        near: dict[Symbol, int] = {}
        far = 1
        every = self.points_of_thread * prod(trips.values())
        if self.lanes and self.masked:
            return every
        if self.lanes:
            for t in self.scheduled.tile:
                used = {t.index, place_of(t.index)} & set(e.symbols)
                grouped = t.threads > 1 or not t.strided
                for i in used:
                    near[i] = t.group if t.threads > 1 else t.count if grouped else 1
                    far *= t.count // near[i]
            derived = set().union(*(f.bound for f in frames)) & set(e.symbols) - set(near)
            if any(s in self.wide for s in derived):
                return every
        return far * Work(1, e.subscripts, trips, 1).values(near, set())

    def _read_staged(self, e: Read, frames: tuple[Frame, ...]) -> None:
        b = self.buffers[e.tensor]
        distinct = self._distinct(e, frames)
        along = e.subscripts[-1]
        moving = [t for t in self.scheduled.tile if place_of(t.index) in along.symbols]
        at_once = b.aligned if moving and distinct % b.aligned == 0 else 1
        if not moving and self._is_run(e, b, frames):
            at_once = MOST_GROUP
        # The threads of a warp are neighbours in the last index of the tile.
        left, per_read = self.machine.warp, 1.0
        for t in reversed(self.scheduled.tile):
            threads = min(left, t.threads)
            left //= threads
            c = abs(along.coefficient(place_of(t.index)))
            if c and at_once == 1:
                per_read *= max(1, gcd(c * t.group, BANKS) * threads // BANKS)
            elif c:
                per_read *= max(1, threads * at_once * 4 // LINE)
        reads = distinct / at_once
        # A word for each thread of a warp takes a cycle, whether or not it is the same one.
        lines = max(distinct, reads * per_read) / 32
        self.add(self._frame_of(e, frames, unrolled=True), Tally(reads, 0, 0, 0, reads, lines))

    def _is_run(self, e: Read, b: Buffer, frames: tuple[Frame, ...]) -> bool:
        """Whether the innermost loop is unrolled, and reads neighbours, from where four of them can be read at once."""
        inner = frames[-1]
        along = [e.subscripts[-1].coefficient(i) for i in inner.points.indices[-1:]]
        rows = (inner.unrolled, b.shape[-1], e.subscripts[-1].constant)
        return along == [1] and bool(inner.unrolled) and not any(n % MOST_GROUP for n in rows)

    def _not_yet_read(self, e: Read, frame: Frame) -> int:
        """The elements that lanes read, without those that an earlier read at the same place has: neighbours share them."""
        own = [t for t in self.scheduled.tile if t.index in e.symbols]
        places = product(*(range(t.count) for t in own))
        parts = tuple(form - form.constant for form in e.subscripts)
        seen = self.elements_read.setdefault((e.tensor, parts, frame.points), set())
        before = len(seen)
        for place in places:
            apart = {t.index: n for t, n in zip(own, place, strict=True) if not t.strided}
            far = tuple(n for t, n in zip(own, place, strict=True) if t.strided)
            near = tuple(form.constant + sum(form.coefficient(i) * n for i, n in apart.items()) for form in e.subscripts)  # fmt: skip
            seen.add((near, far))
        return len(seen) - before

    def _read(self, e: Read, frames: tuple[Frame, ...]) -> None:
        frame = self._frame_of(e, frames, unrolled=True)
        distinct = issued = self._distinct(e, frames)
        alone = False  # lanes that are tested one by one read what another one has read again, at an address of their own
        of_thread = self.scheduled.team == 1 or self.scheduled.shares_loops
        if self.lanes and of_thread and distinct > 1 and not any(f.unrolled for f in frames):
            distinct = min(distinct, self._not_yet_read(e, frame))
            alone = self.masked and self.scheduled.shares_loops
            issued = issued if alone else distinct
        if not distinct:
            return
        lines, moved = self.accesses.access(e.tensor, e.subscripts, frames)
        address = self._address(e, frame)
        if self._is_beside_another(e, frame):
            moved = 0.0
        address = issued * OWN_ADDRESS if alone else address
        self.add(frame, Tally(1 + address / issued, reads=1, lines=lines), issued)
        self.add(frame, Tally(l2_bytes=moved), distinct)
        self._move(e.tensor, moved * distinct * self.number(frame.points) * frame.scale)
        loops = {i: int(n) for i, n in self._loops(frames[-1]).items()}
        counts = {**self.accesses.wave(), **loops}
        itemsize = self.program.tensors[e.tensor].itemsize(self.dtype)
        shape = [n.at(self.sizes) for n in self.program.tensors[e.tensor].shape]
        by_wave = min(
            prod(shape), elements(e.subscripts, {i: n for i, n in counts.items() if n > 0})
        )
        self._read_by_wave(e.tensor, by_wave * itemsize)

    def _is_beside_another(self, e: Read, frame: Frame) -> bool:
        """Whether another read there was of the same row, a few elements away: what threads read of it is in the nearest cache."""
        if not e.subscripts:
            return False
        *outer, last = e.subscripts
        row = (e.tensor, *outer, last - last.constant, frame.points)
        known = row in self.rows
        self.rows.add(row)
        return known

    def _address(self, e: Read, frame: Frame) -> float:
        """Instructions for the address of an element; none if another read has found that of its row."""
        shape = self.program.tensors[e.tensor].shape if e.tensor in self.program.tensors else ()
        known = all(n.is_constant for n in shape[1:])
        *outer, last = e.subscripts or (None,)
        if last is None:
            return 0
        parts = [form if not known else form - form.constant for form in outer]
        key = (e.tensor, *parts, last - last.constant, frame.points)
        if key in self.addresses:
            return 0.0
        self.addresses.add(key)
        moving = [form for form in e.subscripts if not frame.bound.isdisjoint(form.symbols)]
        if frame.bound and not frame.conditional:
            # A pointer that moves by a number costs little; by a size, an addition.
            return 0.2 if known or moving == [last] else 1.0
        return 2.0 if known else 1.0 + len(e.subscripts)

    def _store(self, step: Store, frames: tuple[Frame, ...]) -> None:
        frame = frames[-1]
        places = self.points_of_thread if self.lanes else 1
        if step.tensor in self.buffers:
            self.add(frame, Tally(1, lines=1 / BANKS), places)
            return
        lines, moved = self.accesses.access(step.tensor, step.subscripts, frames)
        changes = 2 if step.op else 1
        key = (step.tensor, tuple(f - f.constant for f in step.subscripts))
        address = 0 if key in self.addresses or places > 1 else 2
        self.addresses.add(key)
        times = places / MOST_GROUP if self._stores_groups(step) else places
        each = Tally(changes + address, changes - 1, 0, changes - 1, 0, changes * lines, changes * moved)  # fmt: skip
        self.add(frame, each, times)
        self._move(step.tensor, changes * moved * times * self.number(frame.points) * frame.scale)
        self._read_by_wave(step.tensor, 0)

    def _stores_groups(self, step: Store) -> bool:
        """Whether lanes store groups of neighbours at once, for these sizes."""
        tensor = self.program.tensors[step.tensor]
        alike = (tensor.dtype or self.dtype) == self.dtype == "float32"
        plain = isinstance(step.value, Read) and not step.value.subscripts
        grouped = self.lanes and plain and stores_groups(step, self.scheduled.tile)
        return alike and grouped and tensor.shape[-1].at(self.sizes) % MOST_GROUP == 0

    def _move(self, tensor: str, amount: float) -> None:
        self.result.moved[tensor] = self.result.moved.get(tensor, 0.0) + amount

    def _read_by_wave(self, tensor: str, amount: float) -> None:
        self.result.read_by_wave[tensor] = max(self.result.read_by_wave.get(tensor, 0.0), amount)


def _at_edge(domain: Domain) -> bool:
    """Whether it says that a lane's point is in the box."""
    return any(s.startswith("'") and s[1:].isidentifier() for s in domain.symbols)


def _symbols_of_bounds(step: Step) -> Set[Symbol]:
    match step:
        case Staged(r, together=Together(region=region)):
            return r.symbols | set(region.symbols)
        case Loop(r) | Staged(r) | TeamLoop(r):
            return r.symbols
        case Branch(Domain() as domain):
            return set(domain.symbols)
        case _:
            return set()


def _changed(steps: Sequence[Step]) -> set[str]:
    """The locals that the steps set."""
    return {
        s.local for s in steps_of(steps) if isinstance(s, (Let, Accumulator, Accumulate, Assign))
    }
