"""Work of a thread of a kernel for a point: reads, stores and operations.

A coalesced read costs 1, a strided one more. Reads that a loop does not change happen before it; an unrolled loop is
none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from math import gcd, prod

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.expr import Call, Read
from tadc.ir.walk import postorder
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Loop,
    Step,
    Store,
    has_loops,
    steps_of,
    values_of,
)
from tadc.schedule.nest.runs import Around, runs
from tadc.schedule.nest.short_loops import is_unrolled
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.stage import Stage, stage_of
from tadc.schedule.nest.step_costs import Costs, cost
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["QUOTIENTS", "StagedRead", "Work", "merged", "works"]

QUOTIENTS = ("div", "sqrt", "rsqrt")


@dataclass(frozen=True, slots=True)
class StagedRead:
    """A read that threads of a block may share: `times` for a point, in a loop that runs `passes` times."""

    element: Read
    loop: Symbol
    stage: Stage
    times: int
    passes: int
    runs: int  # of the loop, at a time

    @property
    def key(self) -> tuple[object, ...]:
        """The key of the loop."""
        return self.loop, self.passes, self.runs, *self.stage.inner.items()


@dataclass(frozen=True)
class Work:
    """The work of expressions, in all their runs for a point: `weight` for each different value that points of a tile need.

    `forms` distinguish values, by the tile's indices, and by those of unrolled loops, with their `trips`. So
    many of the expressions are `reads`.
    """

    weight: float
    forms: tuple[Affine, ...]
    trips: Mapping[Symbol, int]
    reads: int
    staged: tuple[StagedRead, ...] = ()  # in the loops that may be staged, the outermost first

    @cached_property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(s for form in self.forms for s in form.symbols)

    def of(self, counts: Mapping[Symbol, int], strided: Set[Symbol] = frozenset()) -> float:
        """The work for a tile with so many values of each index; the values of those in `strided` are no neighbours."""
        return self.weight * self.values(counts, strided)

    def values(self, counts: Mapping[Symbol, int], strided: Set[Symbol]) -> int:
        """The number of different values that a tile needs at once."""
        every = prod(_different(form, self.trips, counts, strided) for form in self.forms)
        # An index in two of the forms has no more values than it has.
        return min(every, prod(counts.get(i, self.trips.get(i, 1)) for i in self.symbols))

    def held(self, counts: Mapping[Symbol, int], strided: Set[Symbol]) -> int:
        """The values read that a tile holds: of unrolled loops those of one run, if no other run needs them."""
        one = self if self.is_window(counts, strided) else replace(self, trips={})
        return self.reads * one.values(counts, strided)

    def is_window(self, counts: Mapping[Symbol, int], strided: Set[Symbol]) -> bool:
        """Whether neighbours in the tile need the same values at different trips of a loop."""
        near = counts.keys() - strided
        moves = any(
            not near.isdisjoint(form.symbols) and not self.trips.keys().isdisjoint(form.symbols)
            for form in self.forms
        )
        every = prod(counts.get(i, self.trips.get(i, 1)) for i in self.symbols)
        return moves and self.values(counts, strided) < every


def merged(works: Iterable[Work], indices: Set[Symbol]) -> tuple[Work, ...]:
    """The works with equal forms merged into one, except for reads that may be shared."""
    by_key: dict[tuple[object, ...], Work] = {}
    for n, w in enumerate(works):
        if w.staged:
            by_key[n,] = w
            continue
        telling = (
            Affine.of({s: c for s, c in form.terms if s in indices or s in w.trips}, 0)
            for form in w.forms
        )
        forms = tuple(form for form in telling if form.terms)
        key = (forms, tuple(w.trips.items()))
        other = by_key.get(key)
        weight, reads = (other.weight, other.reads) if other else (0.0, 0)
        by_key[key] = Work(weight + w.weight, forms, w.trips, reads + w.reads)
    return tuple(by_key.values())


def _different(
    form: Affine, trips: Mapping[Symbol, int], counts: Mapping[Symbol, int], strided: Set[Symbol]
) -> int:
    """The number of values of the form."""
    far, spread, most, content = 1, 0, 1, 0
    for i, c in form.terms:
        if i in counts and i in strided:
            far *= counts[i]
        n = trips.get(i) if i in strided else counts.get(i, trips.get(i))
        if n is not None:
            spread += abs(c) * (n - 1)
            most *= n
            content = gcd(content, c)
    return far * min(spread // content + 1, most) if content else far


def works(
    steps: Sequence[Step],
    values: Sizes,
    adjacent: Set[Symbol],
    costs: Costs,
    varying: Mapping[Symbol, Varying] | None = None,
) -> Iterator[Work]:
    """The work for a point. Threads side by side differ in the innermost of the indices `adjacent`.

    `varying` has the indices and locals that depend on each of the kernel's indices; without it no read is shared.
    """
    varying = varying or {}
    adjacent_outside = adjacent - {s.range.index for s in steps_of(steps) if isinstance(s, Loop)}
    stages: dict[int, Stage | None] = {}
    for step, around in runs(steps, values):
        near = next(({a.index} for a in reversed(around) if a.index in adjacent), adjacent_outside)
        if isinstance(step, Store):
            forms = tuple(symbol(i) for i in varying)
            yield Work(
                prod(a.trips for a in around) * cost(step.subscripts, near, costs),
                forms,
                {},
                reads=0,
            )
        for e in postorder(values_of(step)):
            if isinstance(e, Read) and e.subscripts:
                times, written_out = _times(around, e)
                derived = (
                    symbol(i)
                    for i, v in varying.items()
                    if not (v.symbols - {i}).isdisjoint(e.symbols)
                )
                weight = times * max(1.0, cost(e.subscripts, near, costs))
                staged = tuple(_staged(e, around, times, stages)) if varying else ()
                yield Work(weight, (*e.subscripts, *derived), written_out, 1, staged)
            elif isinstance(e, Call):
                forms = tuple(symbol(i) for i, v in varying.items() if v.has(step))
                operation = _of_call(e, costs)
                yield Work(operation * prod(a.trips for a in around), forms, {}, reads=0)


def _of_call(e: Call, costs: Costs) -> float:
    if is_expensive(e):
        return costs.special
    return costs.quotient if e.function in QUOTIENTS else costs.operation


def _staged(
    e: Read, around: Sequence[Around], times: int, stages: dict[int, Stage | None]
) -> Iterator[StagedRead]:
    """The read in each loop around it that may be staged; `stages` has the contents of loops that were asked about before."""
    passes = 1
    for a in around:
        passes *= a.trips
        if a.index in e.symbols:
            if id(a.loop) not in stages:
                stages[id(a.loop)] = stage_of(a.loop)
            stage = stages[id(a.loop)]
            if stage:
                yield StagedRead(e, a.index, stage, times, passes, a.trips)


def _times(around: Sequence[Around], e: Read) -> tuple[int, dict[Symbol, int]]:
    """The number of times that elements are read, and the unrolled loops around the read, with their trips."""
    times = 1
    written_out: dict[Symbol, int] = {}
    for a in reversed(around):
        reads = a.index in e.symbols
        if times == 1 and is_unrolled(a.loop) and not has_loops(a.loop.body):
            written_out |= {a.index: a.trips} if reads else {}
        elif reads or times > 1:
            times *= a.trips
    return times, written_out
