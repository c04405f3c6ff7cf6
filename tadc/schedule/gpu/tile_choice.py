"""The choice of the tile of points of a thread, or of a block of threads: the fastest by a model of a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from heapq import nsmallest
from itertools import combinations, product
from math import prod, sqrt

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.schedule.gpu.levelled import Levelling
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.staging import (
    TOGETHER,
    count_of,
    elements,
    is_shared,
    lies_apart,
    most_staged,
    step_of,
)
from tadc.schedule.gpu.tile import NO_TILE, Shape
from tadc.schedule.gpu.together import MOST_TOGETHER
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulator,
    Kernel,
    Loop,
    Step,
    Store,
    group,
    has_loops,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.short_loops import UNROLLED
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.work import StagedRead, Work, merged, works

__all__ = ["Choice"]

COUNTS = (1, 2, 3, 4, 8)  # values of an index
COUNTS_WITHOUT_LOOPS = (2, 4)  # the same of kernels without loops
MOST_COUNT = 9  # of an index with no more values
NEIGHBOURS = 4  # of one with more, that a team has
MOST = 24  # sums of a thread
MOST_WHOLE = 32  # the same of one that has all values of its indices
MOST_READ = 64  # values that a thread may hold
WORTH = 1.25  # times as fast

# So many tiles, among which the model of the machine chooses: of threads, of blocks, and of blocks whose threads have all values of an index.
KINDS = {"threads": 4, "blocks": 8, "whole": 6}

# Tiles of a block.
COUNTS_OF_BLOCK = (1, 2, 3, 4, 5, 6, 7, 8)
THREADS = (8, 16, 32)  # along one of two indices
THREADS_OF_THREE = (
    (2, 8),
    (2, 16),
    (4, 8),
    (4, 16),
)  # along two of three, of the first of which a thread has one value
MOST_OF_BLOCK = 72  # sums of a thread: 64, and a few between them
MOST_IDLE = 16  # times as many threads of a block as have points
TURNED, ROWS_TURNED = 32, (32, 64, 128)  # columns and rows of a tile without loops
MOST_HELD = 128  # values that it holds besides


@dataclass(frozen=True, slots=True)
class _InBlock:
    """The work of a thread of a block without what fills buffers; and the read that is staged, if one is."""

    weight: float
    staged: StagedRead | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """Estimates for the tiles of a kernel, for these values of all sizes."""

    kernel: Kernel
    bodies: tuple[
        tuple[Step, ...], ...
    ]  # the steps at borders, and those inside, where most is done
    extents: Mapping[Symbol, int]
    varying: Mapping[Symbol, Varying]
    middle: Sizes
    shapes: Mapping[str, Sequence[int]]  # of the tensors that are read
    machine: Machine
    works: dict[Symbol, tuple[Work, ...]] = field(default_factory=dict)
    in_blocks: dict[object, _InBlock] = field(default_factory=dict)
    timed: dict[str, list[tuple[Shape, float]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        kernel: Kernel,
        program: Program,
        interior: tuple[Step, ...],
        values: Sizes,
        machine: Machine,
    ) -> Choice:
        pairs = zip(kernel.indices, kernel.extents, strict=True)
        extents = {i: max(1, n.at(values)) for i, n in pairs}
        middle = {**values, **{i: n // 2 for i, n in extents.items()}}
        varying = {
            i: _varying(i, n, interior) for i, n in zip(kernel.indices, kernel.extents, strict=True)
        }
        shapes = {t: [n.at(values) for n in program.tensors[t].shape] for t in kernel.reads}
        bodies = (kernel.body, interior)
        return cls(kernel, bodies, extents, varying, middle, shapes, machine)

    @property
    def last(self) -> Symbol:
        """The index in which threads are neighbours."""
        return next(reversed(self.kernel.indices), "")

    def work(self, adjacent: Symbol) -> tuple[Work, ...]:
        """The work of a point, whose neighbours differ in the index `adjacent`."""
        if adjacent not in self.works:
            costs = self.machine.costs
            every = works(self.bodies[1], self.middle, {adjacent} - {""}, costs, self.varying)
            self.works[adjacent] = merged(every, self.extents.keys())
        return self.works[adjacent]

    def windows(self, shape: Shape) -> bool:
        """Whether neighbours of a thread need the same values at different trips of a loop."""
        work = self.work(self.last)
        return not shape.threads and any(w.is_window(shape.counts, {self.last}) for w in work)

    # ------------------------------------------------------------------ times

    def time(self, shape: Shape) -> float:
        """The estimated time, in the unit of `Machine.duration`."""
        tiles = prod(-(-n // shape.values(i)) for i, n in self.extents.items())
        if shape.threads:
            thread, team = self._in_block(shape), self.machine.block
        else:
            work = self.work(self.last)
            thread, team = sum(w.of(shape.counts, {self.last}) for w in work), 1
        # Points of one thread overlap, if not as those of as many threads do.
        return self.machine.duration(thread * team * tiles, team * tiles * sqrt(shape.points))

    def _in_block(self, shape: Shape) -> float:
        """The work of a thread of a block that stages loops, infinite where there are none: the outer ones, if buffers have room."""
        ways = (self._staging(shape, depth, n) for depth in (0, 1) for n in TOGETHER)
        return next((time for time in ways if time < float("inf")), float("inf"))

    def _staging(self, shape: Shape, depth: int, together: int) -> float:
        """The same where of each read's loops that may be staged it is the one of that depth, or the last, of which so many values share
        what is read.
        """
        total, loops = 0.0, dict[object, list[StagedRead]]()
        tile_indices = tuple(shape.counts)
        for n, w in enumerate(self.work(tile_indices[-1])):
            # Shapes that differ in other indices have the same of it.
            counts = tuple(
                (shape.counts[i], shape.threads[i]) for i in tile_indices if i in w.symbols
            )
            key = (tile_indices, n, depth, together, counts)
            if (each := self.in_blocks.get(key)) is None:
                each = self.in_blocks[key] = self._each_in_block(w, shape, depth, together)
            total += each.weight
            if each.staged:
                loops.setdefault(each.staged.key, []).append(each.staged)
        parts = [self._filled(reads, shape) for reads in loops.values()]
        return total + sum(parts) if parts else float("inf")

    def _each_in_block(self, w: Work, shape: Shape, depth: int, together: int) -> _InBlock:
        """That of some work."""
        tile_indices, symbols = shape.counts.keys(), w.symbols
        moving = (
            set[Symbol]().union(*(self.varying[i].symbols for i in tile_indices)) - tile_indices
        )
        groups = {i: group(n) if shape.threads[i] > 1 else n for i, n in shape.counts.items()}
        often = prod(shape.counts[i] // groups[i] for i in tile_indices & symbols)
        values = often * w.values(groups, frozenset())
        read = w.staged[min(depth, len(w.staged) - 1)] if w.staged else None
        if read and moving.isdisjoint(symbols) and self._is_shared(read, shape, together):
            # Of several values of the loop that are done together points may read the same elements.
            several = replace(w, trips={**w.trips, read.loop: MOST_TOGETHER})
            each = often * several.values(groups, frozenset()) / MOST_TOGETHER
            return _InBlock(self.machine.costs.staged * read.times * each, read)
        return _InBlock(w.weight * values)

    def _is_shared(self, read: StagedRead, shape: Shape, together: int) -> bool:
        inner = {i: n for i, (_, n) in read.stage.inner.items()}
        of_thread = {**shape.counts, **inner, read.loop: together}
        of_block = {**of_thread, **{i: shape.values(i) for i in shape.counts}}
        threads = self.machine.block
        return is_shared(read.element.subscripts, threads, of_thread, of_block)

    def _filled(self, reads: Sequence[StagedRead], shape: Shape) -> float:
        """The work of a thread to fill the buffers of a loop."""
        loop = reads[0]
        counts = {i: shape.values(i) for i in shape.counts}
        counts |= {i: n for i, (_, n) in loop.stage.inner.items()}
        subscripts = [r.element.subscripts for r in reads]
        most = most_staged(self.machine)
        count = count_of(subscripts, loop.loop, loop.stage, counts, loop.runs, most)
        if not count:
            return float("inf")
        counts[loop.loop] = count
        filled = sum(self._filling(r.element, counts) for r in reads)
        machine = self.machine
        return (filled / machine.block + machine.costs.barrier) * loop.passes / count

    def _filling(self, e: Read, counts: Mapping[Symbol, int]) -> float:
        """The cost of copying the elements to a buffer: strided ones come in sectors of eight."""
        costs = self.machine.costs
        run, step = 1, 1
        for form, extent in zip(
            reversed(e.subscripts), reversed(self.shapes[e.tensor]), strict=True
        ):
            step, count = step_of(form, counts)
            run *= count
            if step > 1 or count < extent:
                break
        sectors = min(costs.strided, step * max(1.0, costs.strided / run))
        return elements(e.subscripts, counts) * costs.filled * sectors

    # ------------------------------------------------------------------ shapes

    def chosen(self, *, blocks: bool = True) -> Shape:
        """The fastest tile, where one pays; with `blocks` of those of blocks too."""
        chosen = NO_TILE, self.time(NO_TILE)
        for times in (self._times("threads"), self._times("blocks") if blocks else ()):
            best = min(times, key=_second, default=chosen)
            if best[1] <= chosen[1] / WORTH:
                chosen = best
        return chosen[0]

    def choices(self, most: int) -> list[Shape]:
        """Tiles that may be best, the chosen one first."""
        chosen = self.chosen()
        times = [pair for kind in KINDS for pair in self._times(kind)]
        ordered = [s for s, time in sorted(times, key=_second) if time < float("inf")]
        return [chosen, *(s for s in (NO_TILE, *ordered) if s != chosen)][:most]

    def shortlist(self) -> Iterator[Shape]:
        """No tile, and those of a thread and of a block that take the least time."""
        yield NO_TILE
        if whole := self._of_short():
            yield whole
        for kind, most in KINDS.items():
            possible = (pair for pair in self._times(kind) if pair[1] < float("inf"))
            fastest = nsmallest(most, possible, key=_second)
            yield from (s for s, _ in fastest)

    def _times(self, kind: str) -> list[tuple[Shape, float]]:
        """The tiles of a kind, each with its time."""
        if kind not in self.timed:
            of_threads = kind == "threads"
            shapes = self._of_threads() if of_threads else self._of_blocks(whole=kind == "whole")
            self.timed[kind] = [(s, self.time(s)) for s in shapes]
        return self.timed[kind]

    def without_loops(self) -> Iterator[Shape]:
        """Tiles of kernels without loops: of a thread, whose points share reads, and of a block that copies what neighbouring threads
        read in different rows.
        """
        if not _is_pointwise(self.kernel):
            return
        free = self.free()
        for chosen in (*combinations(free, 1), *combinations(free, 2)):
            for numbers in product(COUNTS_WITHOUT_LOOPS, repeat=len(chosen)):
                if all(n <= self.extents[i] for i, n in zip(chosen, numbers, strict=True)):
                    yield Shape(dict(zip(chosen, numbers, strict=True)))
        block, reads = self.machine.block, dict.fromkeys(reads_of(self.kernel.body))
        for i in self.kernel.indices[:-1]:
            if any(lies_apart(e, self.last, {i}) for e in reads):
                for rows in ROWS_TURNED:
                    counts = {i: rows * TURNED // block, self.last: 1}
                    yield Shape(counts, {i: block // TURNED, self.last: TURNED})

    def of_rows(self) -> Iterator[Shape]:
        """Tiles of a block that copies what its threads, neighbours in the last index, would each read in a row of its own."""
        loops = {s.range.index for s in steps_of(self.kernel.body) if isinstance(s, Loop)}
        if not any(lies_apart(e, self.last, loops) for e in reads_of(self.kernel.body)):
            return
        free, block = self.free(blocks=True), self.machine.block
        if self.last in free:
            yield Shape({self.last: 1}, {self.last: block}, rows=True)
            for i in free:
                if i != self.last and self.extents[i] * TURNED >= block:
                    yield Shape({i: 1, self.last: 1}, {i: block // TURNED, self.last: TURNED}, rows=True)  # fmt: skip

    def of_team(self) -> Iterator[dict[Symbol, int]]:
        """Indices with all of their few values, for which a thread of a team has room for its parts of their sums."""
        for counts in self._short(self.free(blocks=True)):
            if self._sums * prod(counts.values()) <= MOST_WHOLE:
                yield counts

    def of_neighbours(self) -> Iterator[dict[Symbol, int]]:
        """Several neighbours of an index that has more, which a team has: each thread has more reads under way, or shares them."""
        for i in self.free(blocks=True):
            if self.extents[i] > MOST_COUNT and self._sums * NEIGHBOURS <= MOST_WHOLE:
                yield {i: NEIGHBOURS}

    def free(self, *, blocks: bool = False) -> list[Symbol]:
        """The indices of which a thread may have several values, alone or as one of a block."""
        if not (_is_plain(self.kernel) or _is_pointwise(self.kernel)):
            return []
        pairs = zip(self.kernel.indices, self.kernel.extents, strict=True)
        free = ((i, n) for i, n in pairs if self.extents[i] > 1)
        # Alone it has values of the last index that are far apart.
        return [
            i
            for i, n in free
            if all(
                _is_free(body, i, {i: n} if blocks or i != self.last else {})
                for body in self.bodies
            )
        ]

    @property
    def _sums(self) -> int:
        return sum(isinstance(s, Accumulator) for s in steps_of(self.kernel.body))

    def _of_threads(self) -> Iterator[Shape]:
        """Tiles of a thread that registers have room for."""
        free, sums = self.free(), self._sums
        for chosen in (*combinations(free, 1), *combinations(free, 2)):
            for numbers in product(*(_counts(self.extents[i]) for i in chosen)):
                counts = {i: n for i, n in zip(chosen, numbers, strict=True) if n > 1}
                if len(counts) == len(chosen) and sums * prod(numbers) <= MOST:
                    held = sum(w.held(counts, {self.last}) for w in self.work(self.last))
                    if held <= MOST_READ:
                        yield Shape(counts)

    def _of_short(self) -> Shape | None:
        """A tile of all values of the indices that have few, if a thread has room for their sums."""
        counts = {i: self.extents[i] for i in self.free() if i != self.last and self.extents[i] <= MOST_COUNT}  # fmt: skip
        few = self._sums * prod(counts.values()) <= MOST_WHOLE
        return Shape(counts) if counts and few else None

    def _of_blocks(self, *, whole: bool = False) -> Iterator[Shape]:
        """Tiles of a block that stages loops; with `whole` those whose threads have all values of an index or two."""
        free = self.free(blocks=True)
        if not any(w.staged for w in self.work(self.last)):
            return
        for of_thread in self._short(free) if whole else [dict[Symbol, int]()]:
            others = [i for i in free if i not in of_thread]
            for chosen in (*combinations(others, 1), *combinations(others, 2), *combinations(others, 3)):  # fmt: skip
                for numbers in self._threads(len(chosen)):
                    threads = dict(zip(chosen, numbers, strict=True))
                    busy = prod(min(n, self.extents[i]) for i, n in threads.items())
                    if busy * MOST_IDLE >= self.machine.block:
                        yield from self._of_block(threads, of_thread)

    def _short(self, free: Sequence[Symbol]) -> Iterator[dict[Symbol, int]]:
        """Indices that have few values, one or two of them, with how many."""
        short = [i for i in free if 1 < self.extents[i] <= MOST_COUNT]
        for chosen in (*combinations(short, 1), *combinations(short, 2)):
            yield {i: self.extents[i] for i in chosen}

    def _threads(self, indices: int) -> list[tuple[int, ...]]:
        """The numbers of threads that a block may have along so many indices."""
        block = self.machine.block
        match indices:
            case 1:
                return [(block,)]
            case 2:
                return [(n, block // n) for n in THREADS]
            case _:
                return [(m, n, block // m // n) for m, n in THREADS_OF_THREE]

    def _of_block(
        self, threads: Mapping[Symbol, int], of_thread: Mapping[Symbol, int]
    ) -> Iterator[Shape]:
        """Tiles of a block with so many threads along each index, each of which has so many values of others."""
        alone = next(iter(threads)) if len(threads) > 2 else ""
        choices = [
            [c for c in COUNTS_OF_BLOCK if c == 1 or (i != alone and (c - 1) * t < self.extents[i])]
            for i, t in threads.items()
        ]
        sums = self._sums
        long = [w for w in self.work(self.last) if max(w.trips.values(), default=0) > UNROLLED]
        for numbers in product(*choices):
            counts = {**dict(zip(threads, numbers, strict=True)), **of_thread}
            of_all = {**threads, **dict.fromkeys(of_thread, 1)}
            order = [i for i in self.kernel.indices if i in counts]
            shape = Shape({i: counts[i] for i in order}, {i: of_all[i] for i in order})
            if sums * shape.points <= MOST_OF_BLOCK and self._held(long, shape) <= MOST_HELD:
                yield shape

    def _held(self, long: Sequence[Work], shape: Shape) -> int:
        """The values of its own that a thread holds for loops that are written out although they are `long`."""
        own = (
            w
            for w in long
            if not (w.staged and any(self._is_shared(w.staged[0], shape, n) for n in TOGETHER))
        )
        return sum(w.values(shape.counts, set()) for w in own)


def _second(pair: tuple[Shape, float]) -> float:
    return pair[1]


def _counts(extent: int) -> list[int]:
    """The numbers of values that a tile may have of an index of that extent."""
    whole = [extent] if extent <= MOST_COUNT else []
    return sorted({n for n in COUNTS if n <= extent} | {*whole})


def _is_plain(kernel: Kernel) -> bool:
    """Whether every point stores its elements once, after loops."""
    steps = list(steps_of(kernel.body))
    in_loops = (s for step in steps if isinstance(step, Loop) for s in step.body)
    return (
        has_loops(kernel.body)
        and not any(isinstance(s, Store) and (s.op or s.atomic) for s in steps)
        and not any(isinstance(s, Store) for s in steps_of(tuple(in_loops)))
    )


def _is_pointwise(kernel: Kernel) -> bool:
    """Whether every point computes its elements without loops, of tensors that the kernel does not write."""
    steps = list(steps_of(kernel.body))
    return (
        not has_loops(kernel.body)
        and not any(isinstance(s, Store) and (s.op or s.atomic) for s in steps)
        and {e.tensor for e in reads_of(kernel.body)}.isdisjoint(kernel.writes)
    )


def _varying(index: Symbol, extent: Affine, steps: Sequence[Step]) -> Varying:
    """What differs between points along an index where they have the same loops, if they may."""
    levelling = Levelling(Varying.of({index}, steps), {index: extent})
    if levelling.is_level(steps):
        return Varying.of({index}, tuple(levelling.levelled(steps)))
    return levelling.varying


def _is_free(body: Sequence[Step], index: Symbol, extents: Mapping[Symbol, Affine]) -> bool:
    """Whether all points along an index may have the same loops."""
    return Levelling(Varying.of({index}, body), extents).is_level(body)
