"""Staged loops: elements that a tile of points reads again and again are copied to shared memory once, cooperatively.

    for k: s[lane] += a[i, k]*b[k, j]

is, for a tile of 64x64 points and 16 values of `k` at a time, 1024 elements of each in a buffer of fast memory that all
threads of the block fill, and from which each thread reads what its points need. Every point keeps the order of its sums.

A tile without loops is behind copies of what neighbouring threads would read in different rows: `y[i, j] = x[j, i]` is read in rows of
`x`, and written in rows of `y`.

Reads of elements that overlap (`x[i + k]`) have one buffer without gaps; elements that strides skip are not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import gcd, prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Determined, Domain, at_least_zero
from tadc.ir.element_types import item_bytes
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Tensor
from tadc.ir.range import Range
from tadc.ir.walk import rewrite
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.nest.loop_nest import (
    MOST_GROUP,
    Branch,
    Buffer,
    Lanes,
    Let,
    LetIndex,
    Loop,
    Staged,
    Step,
    TileIndex,
    beyond,
    bound_indices,
    first_of,
    has_loops,
    map_bodies,
    place_of,
    reads_of,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.sizes import Sizes, with_midpoints
from tadc.schedule.nest.stage import Inner, Stage, stage_of

__all__ = [
    "TOGETHER",
    "count_of",
    "elements",
    "is_shared",
    "lies_apart",
    "most_staged",
    "staged",
    "step_of",
]

MOST_STAGED = Fraction(2, 3)  # of the elements that shared memory holds, in the buffers of a loop
PARTS = (32, 16, 8, 4, 2, 1)  # values of a staged loop at a time
LEAST = 8  # values of a loop that is worth it
# So many values of a loop share what threads read again: windows that move with it share what each value alone does not, if there is room.
TOGETHER = (8, 1)
WORTH = 4  # reads of an element


def elements(subscripts: Sequence[Affine], counts: Mapping[Symbol, int]) -> int:
    """The number of different elements read, for so many values of each index."""
    return prod(step_of(form, counts)[1] for form in subscripts)


def step_of(form: Affine, counts: Mapping[Symbol, int]) -> tuple[int, int]:
    """The step from one value of the form to the next, and how many there are, gaps included."""
    step, spread = 0, 0
    for s, c in form.terms:
        n = counts.get(s)
        if n is not None:
            step = gcd(step, c)
            spread += abs(c) * (n - 1)
    return step or 1, spread // (step or 1) + 1


def is_shared(
    subscripts: Sequence[Affine],
    threads: int,
    of_thread: Mapping[Symbol, int],
    of_block: Mapping[Symbol, int],
) -> bool:
    """Whether so many threads, with so many values of each index one by one and together, read the same elements often."""
    symbols = {s for form in subscripts for s in form.symbols}
    reads = threads * prod(of_thread[s] for s in of_thread.keys() & symbols)
    return reads >= WORTH * elements(subscripts, of_block)


def most_staged(machine: Machine) -> int:
    """The elements in the buffers of a loop at most."""
    return int(MOST_STAGED * (machine.shared_bytes // item_bytes("float64")))


def count_of(
    reads: Sequence[Sequence[Affine]],
    loop: Symbol,
    stage: Stage,
    counts: Mapping[Symbol, int],
    runs: int,
    most: int,
    of_row: int = 0,
) -> int:
    """The number of values of the loop that are staged at a time, with at most `most` elements; 0 for none.

    `counts` are those of all other indices. Copies of rows are worth it if these have enough elements.
    """
    if max(runs, of_row) >= LEAST:
        for count in PARTS:
            count = min(count, runs)
            numbers = {**counts, loop: count}
            some = sum(elements(subscripts, numbers) for subscripts in reads) <= most
            if some and count * stage.runs > 1:
                return count
    return 0


@dataclass(frozen=True, slots=True)
class _Box:
    """The values that indices have at a time: the first one, and how many."""

    tile: Sequence[TileIndex]
    loop: Symbol
    count: int
    inner: Inner
    naturals: frozenset[Symbol]  # that are at least 0
    begins: int  # the first value of each part of the loop is a multiple of this

    @property
    def counts(self) -> dict[Symbol, int]:
        of_tile = {t.index: t.values for t in self.tile}
        return {**of_tile, self.loop: self.count, **{i: n for i, (_, n) in self.inner.items()}}

    def low(self, index: Symbol) -> Affine:
        return constant(self.inner[index][0]) if index in self.inner else symbol(first_of(index))

    def place(self, index: Symbol) -> Affine:
        return symbol(index) - self.low(index) if index in self.inner else symbol(place_of(index))

    def is_shared(self, e: Read) -> bool:
        of_thread = {**self.counts, **{t.index: t.count for t in self.tile}}
        threads = prod(t.threads for t in self.tile)
        return is_shared(e.subscripts, threads, of_thread, self.counts)

    def _is_natural(self, low: Affine) -> bool:
        """Whether the form is at least 0, as far as one can see."""
        return low.constant >= 0 and all(c > 0 and s in self.naturals for s, c in low.terms)

    def buffer(self, e: Read, shape: Sequence[int]) -> Buffer:
        """It has no name yet. `shape` is that of the tensor."""
        counts = self.counts
        lows = []
        for form in e.subscripts:
            ends = {}
            for s, c in form.terms:
                if s in counts:
                    ends[s] = self.low(s) + (counts[s] - 1 if c < 0 else 0)
            lows.append(form.substitute(ends))
        spreads = [step_of(form, counts) for form in e.subscripts]
        ranks = {t.index: n for n, t in enumerate(self.tile, 1)}
        outwards = sorted(
            range(len(spreads)),
            key=lambda d: max((ranks.get(s, 0) for s in e.subscripts[d].symbols), default=0),
        )
        return self._buffer(e.tensor, lows, spreads, outwards, e.subscripts[outwards[-1]], shape)

    def _buffer(
        self,
        tensor: str,
        lows: Sequence[Affine],
        spreads: Sequence[tuple[int, int]],
        outwards: Sequence[int],
        along: Affine,
        shape: Sequence[int],
    ) -> Buffer:
        return Buffer(
            "",
            tensor,
            tuple(lows),
            tuple(step for step, _ in spreads),
            tuple(count for _, count in spreads),
            tuple(not self._is_natural(low) for low in lows),
            tuple(outwards),
            self._aligned(along),
            self._at_once(lows[-1], *spreads[-1]) if lows else 1,
            tuple(step * (n - 1) >= most for (step, n), most in zip(spreads, shape, strict=True)),
            in_banks=any(t.near for t in self.tile),
        )

    def together(self, a: Buffer, b: Buffer, shape: Sequence[int]) -> Buffer | None:
        """A buffer of the elements of both, if it has no more than these; None if their distance depends on sizes, or one has gaps for the other."""
        if (a.tensor, a.order, a.aligned) != (b.tensor, b.order, b.aligned):
            return None
        lows, spreads = [], []
        for d in range(len(shape)):
            apart = b.lows[d] - a.lows[d]
            steps = {s for s, n in ((a.steps[d], a.counts[d]), (b.steps[d], b.counts[d])) if n > 1}
            step = max(steps, default=1)
            if not apart.is_constant or len(steps) > 1 or apart.constant % step:
                return None
            first = min(0, apart.constant)
            last = max(step * (a.counts[d] - 1), apart.constant + step * (b.counts[d] - 1))
            lows.append(a.lows[d] + first)
            spreads.append((step, (last - first) // step + 1))
        if prod(n for _, n in spreads) > prod(a.counts) + prod(b.counts):
            return None
        whole = self._buffer(a.tensor, lows, spreads, a.order, constant(0), shape)
        return replace(whole, aligned=a.aligned)

    def _at_once(self, low: Affine, step: int, count: int) -> int:
        """The number of elements in the tensor's last dimension that may be copied at once, if rows begin at such groups."""
        multiples = {first_of(t.index): t.values for t in self.tile} | {first_of(self.loop): self.begins}  # fmt: skip
        begins = gcd(low.constant, *(c * multiples.get(s, 1) for s, c in low.terms))
        return MOST_GROUP if step == 1 and begins % MOST_GROUP == count % MOST_GROUP == 0 else 1

    def _aligned(self, last: Affine) -> int:
        """The number of neighbours in the last dimension that a thread reads at once."""
        groups = (t.group for t in self.tile if abs(last.coefficient(t.index)) == 1)
        return next((n for n in groups if n in {2, MOST_GROUP}), 1)

    def read(self, e: Read, buffer: Buffer) -> Read:
        """The element in the buffer."""
        counts = self.counts
        places = []
        lows = self.buffer(e, [0] * len(e.subscripts)).lows
        for form, step, low, first in zip(e.subscripts, buffer.steps, lows, buffer.lows, strict=True):  # fmt: skip
            place = constant((low - first).constant // step)
            for s, c in form.terms:
                if s in counts:
                    place += c // step * self.place(s) - min(0, c // step) * (counts[s] - 1)
            places.append(place)
        return Read(buffer.name, tuple(places[d] for d in buffer.order))


@dataclass(frozen=True, slots=True)
class _Staging:
    """Stages loops of a tile's steps."""

    tile: Sequence[TileIndex]
    moving: Set[Symbol]  # symbols, besides the tile's indices, that differ between its points
    naturals: frozenset[Symbol]
    tensors: Mapping[str, Tensor]
    names: Names
    buffers: dict[Buffer, Buffer]  # of all bodies, by their contents without names
    most: int  # elements in the buffers of a loop, or of a tile without loops
    halves: int  # of each buffer
    locals: set[str]  # that are new
    rows: bool  # what neighbouring threads would read in different rows is copied too

    def steps(self, steps: Sequence[Step], values: Sizes) -> Iterator[Step]:
        values = with_midpoints([s for s in steps if isinstance(s, LetIndex)], values)
        for step in steps:
            match step:
                case Loop() if (stage := stage_of(step)) and (made := self._staged(step, stage, values)):  # fmt: skip
                    yield made
                case Loop(body=body):
                    inner = with_midpoints((step,), values)
                    yield replace(step, body=tuple(self.steps(body, inner)))
                case Branch() if has_loops((step,)):
                    yield map_bodies(step, lambda branch: self.steps(branch, values))
                case _:
                    yield step

    def _staged(self, loop: Loop, stage: Stage, values: Sizes) -> Staged | None:
        """The loop staged; None where there is nothing to share, or no room for it."""
        index, runs = loop.range.index, loop.range.trips_at(values)
        naturals = self.naturals
        if any(e.is_constant and e.constant >= 0 for e, _ in loop.range.lows):
            naturals |= {first_of(index)}
        box = _Box(self.tile, index, 1, stage.inner, naturals, 1)
        bound = stage.derived | self.moving
        reads = dict.fromkeys(
            e
            for e in reads_of(loop.body)
            if index in e.symbols and bound.isdisjoint(e.symbols) and e.tensor in self.tensors
        )
        counts = {s: n for s, n in box.counts.items() if s != index}
        near, along = self.tile[-1].index, {index, *stage.inner}
        apart = {e for e in reads if self.rows and lies_apart(e, near, along)}
        runs_of_row = runs * stage.runs if apart else runs
        for together in TOGETHER:
            several = replace(box, count=together)
            shared = [e for e in reads if e in apart or several.is_shared(e)]
            count = count_of(
                [e.subscripts for e in shared], index, stage, counts, runs, self.most, runs_of_row
            )
            if shared and count:
                break
        else:
            return None
        low = loop.range.lows[0].form if len(loop.range.lows) == 1 else None
        begins = gcd(count, low.constant) if low is not None and low.is_constant else 1
        box = replace(box, count=count, begins=begins)
        return self._reading(loop.range, count, shared, box, values, loop.body)

    def _reading(
        self,
        r: Range,
        count: int,
        shared: Sequence[Read],
        box: _Box,
        values: Sizes,
        steps: Sequence[Step],
    ) -> Staged:
        """The steps, for so many values of the range at a time, with the shared reads from buffers."""
        buffer_of = {}
        for e, alike in self._of_boxes(shared, box, values).items():
            if alike not in self.buffers:
                name = self.names.fresh(f"{e.tensor}_tile")
                named = replace(alike, name=name, halves=self.halves)
                self.buffers[alike] = named
            buffer_of[e] = self.buffers[alike]
        elements = {box.read(e, buffer): e for e, buffer in buffer_of.items()}

        def rule(e: Expr) -> Expr:
            match e:
                case Read() if e in buffer_of:
                    return box.read(e, buffer_of[e])
                case Select(Domain() as domain, Read() as then, Const(0)) if then in elements:
                    # Elements outside of the tensor are 0 in the buffer.
                    within = self._within(elements[then])
                    return then if within.issuperset(domain.conditions) else e
                case _:
                    return e

        buffers = tuple(dict.fromkeys(buffer_of.values()))
        body = tuple(self._read_first(_rewritten(steps, rule), {b.name for b in buffers}))
        return Staged(r, count, buffers, body)

    def _read_first(self, steps: Iterable[Step], buffers: Set[str]) -> Iterator[Step]:
        """The steps of lanes with what is read from buffers before tests of the lanes: a value that lanes share is read once."""
        for step in steps:
            match step:
                case Lanes((Branch(Domain() as c, then, ()),)) if self._is_of_thread(c, then, buffers):  # fmt: skip
                    indices = (t.index for t in self.tile)
                    points = {i: symbol(first_of(i)) + symbol(place_of(i)) for i in indices}
                    yield Branch(c.substitute(points), (Lanes(then),))
                case Lanes(body):
                    yield Lanes(tuple(self._before_tests(body, buffers)))
                case _:
                    yield map_bodies(step, lambda inner: self._read_first(inner, buffers))

    def _is_of_thread(self, condition: Domain, steps: Sequence[Step], buffers: Set[str]) -> bool:
        """Whether a condition is the same for all points of a thread, and what is read there may be read beyond the box too."""
        several = {t.index for t in self.tile if t.count > 1} | self.moving
        several |= {beyond(t.index) for t in self.tile}  # of stores, which are tested one by one
        alike = several.isdisjoint(condition.symbols)
        return alike and all(e.tensor in buffers or not e.subscripts for e in reads_of(steps))

    def _before_tests(self, steps: Sequence[Step], buffers: Set[str]) -> Iterator[Step]:
        for step in steps:
            if not (isinstance(step, Branch) and isinstance(step.condition, Domain)):
                yield step
                continue
            own = {s.name for s in _made(step)}
            read = [e for e in dict.fromkeys(reads_of((step,))) if e.tensor in buffers and own.isdisjoint(e.symbols)]  # fmt: skip
            first: dict[Expr, Read] = {
                e: Read(self.names.fresh(f"{e.tensor}_element"), ()) for e in read
            }
            self.locals.update(e.tensor for e in first.values())
            yield from (Let(local.tensor, e) for e, local in first.items())
            yield from _rewritten((step,), partial(_in_place, first))

    def turned(self, steps: Sequence[Step], values: Sizes) -> Iterator[Step]:
        """The steps of a tile without loops, behind copies of what neighbouring threads would read in different rows."""
        *others, near = (t.index for t in self.tile)
        box = _Box(self.tile, "", 1, {}, self.naturals, 1)
        bound = bound_indices(steps) | self.moving
        reads = [
            e
            for e in dict.fromkeys(reads_of(steps))
            if lies_apart(e, near, set(others)) and bound.isdisjoint(e.symbols)
        ]
        while sum(b.size for b in {*self._of_boxes(reads, box, values).values()}) > self.most:
            reads = reads[: len(reads) // 2]  # the others are read where they are
        if reads:
            once = Range.between(self.names.fresh("once"), constant(0), constant(0))
            yield self._reading(once, 1, reads, box, values, steps)
        else:
            yield from steps

    def _of_boxes(self, reads: Sequence[Read], box: _Box, values: Sizes) -> dict[Read, Buffer]:
        """The buffer of each read, without a name: reads of neighbours, or of the same elements, share one."""
        shapes = {e.tensor: [n.at(values) for n in self.tensors[e.tensor].shape] for e in reads}
        own = {e: box.buffer(e, shapes[e.tensor]) for e in reads}
        shared: list[Buffer] = []
        for b in sorted(dict.fromkeys(own.values()), key=_from_large_and_low):
            for other in tuple(shared):
                both = other if other.has(b) else box.together(other, b, shapes[b.tensor])
                if both:
                    shared.remove(other)
                    b = both
            shared.append(b)
        return {e: next(b for b in shared if b.has(mine)) for e, mine in own.items()}

    def _within(self, e: Read) -> frozenset[Condition]:
        """The conditions that the subscripts are within the tensor."""
        pairs = zip(e.subscripts, self.tensors[e.tensor].shape, strict=True)
        return frozenset(at_least_zero(form) for f, extent in pairs for form in (f, extent - 1 - f))


def _from_large_and_low(b: Buffer) -> tuple[int, list[int]]:
    return -prod(b.counts), [low.constant for low in b.lows]


def _in_place(others: Mapping[Expr, Expr], e: Expr) -> Expr:
    return others.get(e, e)


def _made(step: Step) -> list[Determined]:
    """The indices that are derived in the step."""
    return [s.derived for s in steps_of((step,)) if isinstance(s, LetIndex)]


def _rewritten(steps: Sequence[Step], rule: Callable[[Expr], Expr]) -> Iterator[Step]:
    for step in steps:
        rewritten = with_values(step, tuple(rewrite(e, rule) for e in values_of(step)))
        yield map_bodies(rewritten, lambda inner: _rewritten(inner, rule))


def lies_apart(e: Read, near: Symbol, others: Set[Symbol]) -> bool:
    """Whether neighbours in `near` read in different rows of a tensor, and those in one of the other indices side by side."""
    *outer, last = e.subscripts or (constant(0),)
    apart = any(near in form.symbols for form in outer) and near not in last.symbols
    return apart and any(abs(last.coefficient(i)) == 1 for i in others)


def staged(
    bodies: Sequence[Sequence[Step]],
    tile: Sequence[TileIndex],
    box: Collection[Symbol],
    moving: Sequence[Set[Symbol]],
    tensors: Mapping[str, Tensor],
    names: Names,
    values: Sizes,
    machine: Machine,
    *,
    ahead: bool = False,
    rows: bool = False,
) -> tuple[tuple[tuple[Step, ...], ...], frozenset[str]]:
    """The bodies of a tile, of which one is run, with loops staged, their buffers filled `ahead` or not; and locals that are new. With `rows` what
    neighbouring threads would read in different rows is copied, although each element is read once.

    `box` has the kernel's indices, `moving` the other symbols that differ in each body between points of the tile.
    """
    naturals = frozenset(box) | {first_of(t.index) for t in tile}
    in_all = machine.shared_bytes // item_bytes("float64")
    most = most_staged(machine) if any(map(has_loops, bodies)) else in_all
    while True:  # with room for 0 elements no buffer is left
        buffers: dict[Buffer, Buffer] = {}
        results = []
        taken, new = names.copy(), set[str]()
        for body, differing in zip(bodies, moving, strict=True):
            halves = 2 if ahead else 1
            staging = _Staging(
                tile, differing, naturals, tensors, taken, buffers, most, halves, new, rows
            )
            each = staging.steps if has_loops(body) else staging.turned
            results.append(tuple(each(body, values)))
        if sum(b.halves * b.size for b in buffers.values()) <= in_all:
            return tuple(results), frozenset(new)
        most //= 2
