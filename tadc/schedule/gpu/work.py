"""What a thread of a kernel does for a point: reads, stores and operations, as work of a GPU's pipes.

A read of neighbours by neighbours costs 1, of elements apart more. What no loop changes is read before it; a loop that
is written out is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from math import gcd, prod

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.expr import Call, Read
from tadc.ir.walk import postorder
from tadc.schedule.gpu.cost import Sizes, cost, is_unrolled, trips, with_midpoints
from tadc.schedule.gpu.staging import Stage, stage_of
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import Branch, LetIndex, Loop, Step, Store, steps_of, values_of

__all__ = ["StagedRead", "Work", "merged", "works"]

OPERATION = 0.25  # what an operation costs


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
        """Of the loop."""
        return self.loop, self.passes, self.runs, *self.stage.inner.items()


@dataclass(frozen=True, slots=True)
class Work:
    """Of expressions, in all their runs for a point: `weight` for each different value that points of a tile need of them.

    `forms` tell values apart, by the tile's indices, and by those of loops that are written out, with their `trips`. So
    many of the expressions are `reads`.
    """

    weight: float
    forms: tuple[Affine, ...]
    trips: Mapping[Symbol, int]
    reads: int
    staged: StagedRead | None = None

    @property
    def symbols(self) -> set[Symbol]:
        return {s for form in self.forms for s in form.symbols}

    def of(self, counts: Mapping[Symbol, int], apart: Set[Symbol] = frozenset()) -> float:
        """For a tile with so many values of each index; those of `apart` are no neighbours."""
        return self.weight * self.values(counts, apart)

    def values(self, counts: Mapping[Symbol, int], apart: Set[Symbol]) -> int:
        """How many different values a tile needs at once."""
        return prod(_different(form, self.trips, counts, apart) for form in self.forms)

    def is_window(self, counts: Mapping[Symbol, int], apart: Set[Symbol]) -> bool:
        """Whether neighbours in the tile need the same values at different trips of a loop."""
        near = counts.keys() - apart
        return any(
            not near.isdisjoint(form.symbols) and not self.trips.keys().isdisjoint(form.symbols)
            for form in self.forms
        )


def merged(works: Iterable[Work], indices: Set[Symbol]) -> tuple[Work, ...]:
    """Those that tell values of the indices apart alike as one, but for reads that may be shared."""
    found: dict[tuple[object, ...], Work] = {}
    for n, w in enumerate(works):
        if w.staged:
            found[n,] = w
            continue
        telling = (
            Affine.of({s: c for s, c in form.terms if s in indices or s in w.trips}, 0)
            for form in w.forms
        )
        forms = tuple(form for form in telling if form.terms)
        key = (forms, tuple(w.trips.items()))
        other = found.get(key)
        weight, reads = (other.weight, other.reads) if other else (0.0, 0)
        found[key] = Work(weight + w.weight, forms, w.trips, reads + w.reads)
    return tuple(found.values())


def _different(
    form: Affine, trips: Mapping[Symbol, int], counts: Mapping[Symbol, int], apart: Set[Symbol]
) -> int:
    """How many values the form has."""
    numbers = {**trips, **{i: n for i, n in counts.items() if i not in apart}}
    steps = [(abs(c), numbers[s]) for s, c in form.terms if s in numbers]
    spread = sum(c * (n - 1) for c, n in steps) // gcd(*(c for c, _ in steps)) + 1 if steps else 1
    far = prod(counts.get(i, 1) for i in apart & set(form.symbols))
    return far * min(spread, prod(n for _, n in steps))


def works(
    steps: Sequence[Step],
    values: Sizes,
    beside: Set[Symbol],
    varying: Mapping[Symbol, Varying] | None = None,
) -> Iterator[Work]:
    """What is done for a point. Threads side by side differ in the innermost of the indices `beside`.

    `varying` has what the kernel's indices change; without it no read is shared.
    """
    varying = varying or {}
    outside = beside - {s.index for s in steps_of(steps) if isinstance(s, Loop)}
    for step, around in _runs(steps, values):
        near = next(({a.index} for a in reversed(around) if a.index in beside), outside)
        if isinstance(step, Store):
            forms = tuple(symbol(i) for i in varying)
            yield Work(
                prod(a.trips for a in around) * cost(step.subscripts, near),
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
                weight = times * max(1.0, cost(e.subscripts, near))
                staged = _staged(e, around, times) if varying else None
                yield Work(weight, (*e.subscripts, *derived), written_out, 1, staged)
            elif isinstance(e, Call):
                forms = tuple(symbol(i) for i, v in varying.items() if v.has(step))
                yield Work(OPERATION * prod(a.trips for a in around), forms, {}, reads=0)


def _staged(e: Read, around: Sequence[_Around], times: int) -> StagedRead | None:
    passes = 1
    for loop in around:
        passes *= loop.trips
        if loop.stage:
            staged = StagedRead(e, loop.index, loop.stage, times, passes, loop.trips)
            return staged if loop.index in e.symbols else None
    return None


@dataclass(frozen=True, slots=True)
class _Around:
    """A loop around a step."""

    index: Symbol
    trips: int
    unrolled: bool
    stage: Stage | None


def _times(around: Sequence[_Around], e: Read) -> tuple[int, dict[Symbol, int]]:
    """How often elements are read again, and the loops that are written out around it, with their trips."""
    times = 1
    written_out: dict[Symbol, int] = {}
    for loop in reversed(around):
        reads = loop.index in e.symbols
        if loop.unrolled and times == 1:
            written_out |= {loop.index: loop.trips} if reads else {}
        elif reads or times > 1:
            times *= loop.trips
    return times, written_out


def _runs(steps: Sequence[Step], values: Sizes) -> Iterator[tuple[Step, tuple[_Around, ...]]]:
    """Every step, with the loops around it."""
    waiting: list[tuple[Sequence[Step], tuple[_Around, ...], Sizes]] = [(steps, (), values)]
    while waiting:
        body, around, known = waiting.pop()
        known = with_midpoints([s for s in body if isinstance(s, LetIndex)], known)
        for step in body:
            yield step, around
            match step:
                case Loop(index, lows, highs, inner):
                    often = max(1, trips(lows, highs, known))
                    own = _Around(index, often, is_unrolled(step), stage_of(step))
                    waiting.append((inner, (*around, own), with_midpoints((step,), known)))
                case Branch(_, then, otherwise):
                    waiting += [(then, around, known), (otherwise, around, known)]
                case _:
                    pass
