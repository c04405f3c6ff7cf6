"""Loops whose reads the threads of a block share: what a tile of points reads again and again is copied together, once.

    for k: s[lane] += a[i, k]*b[k, j]

is, for a tile of 64x64 points and 16 values of `k` at a time, 1024 elements of each in a buffer of fast memory that all
threads of the block fill, and from which each thread reads what its points need. Every point keeps the order of its sums.

Reads of elements that overlap (`x[i + k]`) have one buffer without gaps; what strides leave out is not copied.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from math import gcd, prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero
from tadc.ir.expr import Const, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Tensor
from tadc.ir.walk import rewrite
from tadc.schedule.gpu.cost import BLOCK, Sizes, trips, with_midpoints
from tadc.schedule.nest.loop_nest import (
    MOST_GROUP,
    Branch,
    Buffer,
    LetIndex,
    Loop,
    Staged,
    Step,
    TileIndex,
    bound_indices,
    constant_trips,
    first_of,
    has_loops,
    map_bodies,
    place_of,
    reads_of,
    steps_of,
    values_of,
    with_values,
)

__all__ = [
    "Inner",
    "Stage",
    "count_of",
    "elements",
    "is_shared",
    "stage_of",
    "staged",
    "step_of",
]

MOST_STAGED = 4096  # elements in the buffers of a loop: 16 KiB of float32
MOST_SHARED = 48 * 1024 // 8  # in all buffers of a kernel, of float64
MOST_INNER = 64  # runs of the loops inside a staged one
PARTS = (32, 16, 8, 4, 2, 1)  # values of a staged loop at a time
LEAST = 8  # values of a loop that is worth it
WORTH = 4  # reads of an element

Inner: TypeAlias = Mapping[
    Symbol, tuple[int, int]
]  # loops of a constant length: first value, count


@dataclass(frozen=True, slots=True)
class Stage:
    """What is inside a loop that may be staged: loops, and the derived indices that are bound there."""

    inner: Inner
    derived: frozenset[Symbol]

    @property
    def runs(self) -> int:
        """Of the loops inside, for each value of the loop."""
        return prod(n for _, n in self.inner.values())


def stage_of(loop: Loop) -> Stage | None:
    """What is inside the loop, if it may be staged: the loops there are short, whatever the sizes."""
    inner: dict[Symbol, tuple[int, int]] = {}
    for own in (s for s in steps_of(loop.body) if isinstance(s, Loop)):
        count = constant_trips(own)
        if not count:
            return None
        values = max(-(-e.constant // c) for e, c in own.lows), count
        if inner.setdefault(own.index, values) != values:
            return None
    stage = Stage(inner, frozenset(bound_indices(loop.body) - inner.keys()))
    return stage if stage.runs <= MOST_INNER else None


def elements(subscripts: Sequence[Affine], counts: Mapping[Symbol, int]) -> int:
    """How many different elements the reads have, for so many values of each index."""
    return prod(step_of(form, counts)[1] for form in subscripts)


def step_of(form: Affine, counts: Mapping[Symbol, int]) -> tuple[int, int]:
    """The step from one value of the form to the next, and how many there are, gaps included."""
    own = [(abs(c), counts[s]) for s, c in form.terms if s in counts]
    step = gcd(*(c for c, _ in own)) or 1
    return step, sum(c * (n - 1) for c, n in own) // step + 1


def is_shared(
    subscripts: Sequence[Affine], of_thread: Mapping[Symbol, int], of_block: Mapping[Symbol, int]
) -> bool:
    """Whether the threads of a block, with so many values of each index, read the same elements often."""
    symbols = {s for form in subscripts for s in form.symbols}
    reads = BLOCK * prod(of_thread[s] for s in of_thread.keys() & symbols)
    return reads >= WORTH * elements(subscripts, of_block)


def count_of(
    reads: Sequence[Sequence[Affine]],
    loop: Symbol,
    stage: Stage,
    counts: Mapping[Symbol, int],
    runs: int,
    most: int = MOST_STAGED,
) -> int:
    """How many values of the loop are staged at a time, `most` elements of them, 0 for none.

    `counts` are those of all other indices.
    """
    if runs >= LEAST:
        for count in PARTS:
            count = min(count, runs)
            own = {**counts, loop: count}
            some = sum(elements(subscripts, own) for subscripts in reads) <= most
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

    @property
    def counts(self) -> dict[Symbol, int]:
        own = {t.index: t.values for t in self.tile}
        return {**own, self.loop: self.count, **{i: n for i, (_, n) in self.inner.items()}}

    def low(self, index: Symbol) -> Affine:
        return constant(self.inner[index][0]) if index in self.inner else symbol(first_of(index))

    def place(self, index: Symbol) -> Affine:
        return symbol(index) - self.low(index) if index in self.inner else symbol(place_of(index))

    def is_shared(self, e: Read) -> bool:
        of_thread = {**self.counts, **{t.index: t.count for t in self.tile}}
        return is_shared(e.subscripts, of_thread, self.counts)

    def _is_natural(self, low: Affine) -> bool:
        """Whether the form is at least 0, as far as one can see."""
        return low.constant >= 0 and all(c > 0 and s in self.naturals for s, c in low.terms)

    def buffer(self, e: Read) -> Buffer:
        """It has no name yet."""
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
        return Buffer(
            "",
            e.tensor,
            tuple(lows),
            tuple(step for step, _ in spreads),
            tuple(count for _, count in spreads),
            tuple(not self._is_natural(low) for low in lows),
            tuple(outwards),
            self._aligned(e.subscripts[outwards[-1]]),
        )

    def _aligned(self, last: Affine) -> int:
        """How many neighbours of the last dimension a thread reads at once."""
        groups = (t.group for t in self.tile if abs(last.coefficient(t.index)) == 1)
        return next((n for n in groups if n in {2, MOST_GROUP}), 1)

    def read(self, e: Read, buffer: Buffer) -> Read:
        """The element in the buffer."""
        counts = self.counts
        places = []
        for form, step in zip(e.subscripts, buffer.steps, strict=True):
            place = constant(0)
            for s, c in form.terms:
                if s in counts:
                    place += c // step * self.place(s) - min(0, c // step) * (counts[s] - 1)
            places.append(place)
        return Read(buffer.name, tuple(places[d] for d in buffer.order))


@dataclass(frozen=True, slots=True)
class _Staging:
    """Stages loops of a tile's steps."""

    tile: Sequence[TileIndex]
    moving: Set[Symbol]  # besides the tile's indices, what differs between its points
    naturals: frozenset[Symbol]
    tensors: Mapping[str, Tensor]
    names: Names
    buffers: dict[Buffer, Buffer]  # of all bodies, by what they are without their names
    most: int  # elements in the buffers of a loop

    def steps(self, steps: Sequence[Step], values: Sizes) -> Iterator[Step]:
        values = with_midpoints([s for s in steps if isinstance(s, LetIndex)], values)
        for step in steps:
            match step:
                case Loop() if stage := stage_of(step):
                    yield self._staged(step, stage, values)
                case Loop(body=body):
                    inner = with_midpoints((step,), values)
                    yield replace(step, body=tuple(self.steps(body, inner)))
                case Branch() if has_loops((step,)):
                    yield map_bodies(step, lambda branch: self.steps(branch, values))
                case _:
                    yield step

    def _staged(self, loop: Loop, stage: Stage, values: Sizes) -> Step:
        runs = trips(loop.lows, loop.highs, values)
        naturals = self.naturals
        if any(e.is_constant and e.constant >= 0 for e, _ in loop.lows):
            naturals |= {first_of(loop.index)}
        box = _Box(self.tile, loop.index, 1, stage.inner, naturals)
        bound = stage.derived | self.moving
        reads = dict.fromkeys(
            e
            for e in reads_of(loop.body)
            if loop.index in e.symbols and bound.isdisjoint(e.symbols)
        )
        # What is shared for one value is for several.
        shared = [e for e in reads if box.is_shared(e)]
        counts = {s: n for s, n in box.counts.items() if s != loop.index}
        count = count_of([e.subscripts for e in shared], loop.index, stage, counts, runs, self.most)
        if not shared or not count:
            return loop
        box = replace(box, count=count)
        found = {}
        for e in shared:
            alike = box.buffer(e)
            if alike not in self.buffers:
                named = replace(alike, name=self.names.fresh(f"{e.tensor}_tile"))
                self.buffers[alike] = named
            found[e] = self.buffers[alike]
        elements = {box.read(e, buffer): e for e, buffer in found.items()}

        def rule(e: Expr) -> Expr:
            match e:
                case Read() if e in found:
                    return box.read(e, found[e])
                case Select(Domain() as domain, Read() as then, Const(0)) if then in elements:
                    # What is outside of the tensor is 0 in the buffer.
                    within = self._within(elements[then])
                    return then if within.issuperset(domain.conditions) else e
                case _:
                    return e

        body = tuple(_rewritten(loop.body, rule))
        buffers = tuple(dict.fromkeys(found.values()))
        return Staged(loop.index, loop.lows, loop.highs, count, buffers, body)

    def _within(self, e: Read) -> frozenset[Condition]:
        """What holds of subscripts inside of the tensor."""
        pairs = zip(e.subscripts, self.tensors[e.tensor].shape, strict=True)
        return frozenset(at_least_zero(form) for f, extent in pairs for form in (f, extent - 1 - f))


def _rewritten(steps: Sequence[Step], rule: Callable[[Expr], Expr]) -> Iterator[Step]:
    for step in steps:
        own = with_values(step, tuple(rewrite(e, rule) for e in values_of(step)))
        yield map_bodies(own, lambda inner: _rewritten(inner, rule))


def staged(
    bodies: Sequence[Sequence[Step]],
    tile: Sequence[TileIndex],
    box: Collection[Symbol],
    moving: Sequence[Set[Symbol]],
    tensors: Mapping[str, Tensor],
    names: Names,
    values: Sizes,
) -> tuple[tuple[Step, ...], ...]:
    """The bodies of a tile, of which one is run, with loops staged.

    `box` has the kernel's indices, `moving` what else differs in each body between points of the tile.
    """
    naturals = frozenset(box) | {first_of(t.index) for t in tile}
    most = MOST_STAGED
    while True:
        buffers: dict[Buffer, Buffer] = {}
        found = []
        own = names.copy()
        for body, differing in zip(bodies, moving, strict=True):
            staging = _Staging(tile, differing, naturals, tensors, own, buffers, most)
            found.append(tuple(staging.steps(body, values)))
        if sum(prod(b.shape) for b in buffers.values()) <= MOST_SHARED:
            return tuple(found)
        most //= 2
