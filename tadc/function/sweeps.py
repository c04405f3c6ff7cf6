"""Sweeps over the steps of a program: what runs with the primal, first step to last, and what runs against it.

A `Straight` program is its steps. In a `Looped` one a loop repeats those of its body: a sweep backwards keeps the values before
each round, or, to recompute, those before every √T-th of T rounds. In reverse it keeps none: each step is undone, from the values after
the program, which takes steps that are affine in what they replace.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

from tadc.errors import DerivativeError
from tadc.function.krylov import Solver
from tadc.function.rolled import Loop, Part, Rolled
from tadc.function.steps import Step, Values, steps_of
from tadc.inplace.rounds import Numbers
from tadc.runtime.binding import bind_sizes
from tadc.runtime.linear import Block

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Looped", "Memory", "Sides", "Straight", "Sweep", "sweep_of"]

T = TypeVar("T")
Memory: TypeAlias = Literal["materialize", "recompute", "reverse"]


class Change(Protocol):
    """What a step does to the vectors, at the values before it; `block` is the step's there, if it is known."""

    def __call__(
        self,
        step: Step,
        at: Values,
        vectors: Values,
        rounds: Mapping[str, int],
        iteration: tuple[int, ...],
        block: Block | None = None,
    ) -> None: ...


@dataclass(frozen=True, slots=True)
class Sides:
    """The inputs that are replaced, and the outputs that replace them."""

    wrt: tuple[str, ...]
    of: tuple[str, ...]


class Sweep(Protocol):
    """The steps of a program for the sizes of a call. Vectors are by the names of the sides."""

    @property
    def steps(self) -> tuple[Step, ...]: ...
    def primal(self, values: Values) -> Values: ...
    def forward(self, values: Values, vectors: Values, change: Change) -> Values: ...
    def backward(self, values: Values, vectors: Values, change: Change) -> Values: ...
    def undone(
        self, values: Values, vectors: Values, change: Change, *, check: bool
    ) -> tuple[Values, Values]:
        """The values of `wrt` and the vectors before the program, run backwards from the values after it."""


def sweep_of(
    f: Function | Rolled, values: Values, sides: Sides, solver: Solver, memory: Memory
) -> Sweep:
    """The sweep of a function whose sizes have numbers, or of a program that runs round by round. Raises DerivativeError."""
    sweep: Sweep
    if isinstance(f, Rolled):
        sweep = Looped(f, values, sides, solver, memory)
    else:
        sweep = Straight(f, sides, steps_of(f, sides.wrt, sides.of, solver), memory)
    for step in sweep.steps if memory == "reverse" else ():
        step.check_reversible()
    return sweep


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a sweep is: the values of the indices of the loops around, and the places of their rounds, outermost first."""

    at: Mapping[str, int]
    iteration: tuple[int, ...]


def _forward(
    steps: Sequence[Step],
    values: Values,
    w: Values,
    change: Change,
    rounds: Mapping[str, int],
    iteration: tuple[int, ...],
) -> tuple[Values, Values]:
    """The values and the vectors after these steps. `rounds` are the sizes that stand for indices of loops."""
    live, w = values, dict(w)
    for step in steps:
        change(step, live, w, rounds, iteration)
        live = _after(step, live, rounds)
    return live, w


def _after(step: Step, values: Values, rounds: Mapping[str, int]) -> Values:
    """The values after a step, without those that it replaces."""
    kept = {n: a for n, a in values.items() if n not in step.lump.before}
    return kept | step.forward(values, rounds)


def _backward(
    steps: Sequence[Step],
    values: Values,
    v: Values,
    change: Change,
    rounds: Mapping[str, int],
    iteration: tuple[int, ...],
    memory: Memory,
) -> Values:
    """The vectors before these steps, from the values before and the vectors after them."""
    groups = _groups(steps, memory)
    starts = [values]
    for group in groups[:-1]:
        for step in group:
            values = _after(step, values, rounds)
        starts.append(values)
    v = dict(v)
    for group, start in zip(reversed(groups), reversed(starts), strict=True):
        every = dict(start)
        for step in group[:-1]:
            every |= step.forward(every, rounds)
        for step in reversed(group):
            change(step, every, v, rounds, iteration)
    return v


def _groups(items: Sequence[T], memory: Memory) -> list[Sequence[T]]:
    """The items in groups: the values before each are kept, those within one are computed again."""
    length = max(1, isqrt(len(items)) if memory == "recompute" else len(items))
    return [items[k : k + length] for k in range(0, len(items), length)] or [()]


def _undone(
    steps: Sequence[Step],
    values: Values,
    v: Values,
    change: Change,
    rounds: Mapping[str, int],
    iteration: tuple[int, ...],
    *,
    check: bool,
) -> tuple[Values, Values]:
    """The values and the vectors before these steps, from those after them."""
    live, v = dict(values), dict(v)
    for step in reversed(steps):
        before, block = step.undone(live, rounds, iteration, check=check)
        live = {n: a for n, a in live.items() if n not in step.lump.after} | before
        change(step, live, v, rounds, iteration, block)
    return live, v


@dataclass(frozen=True, slots=True)
class Straight:
    function: Function
    sides: Sides
    steps: tuple[Step, ...]
    memory: Memory = "materialize"

    def primal(self, values: Values) -> Values:
        f = self.function
        results = f.calls([values[n] for n in f.inputs])
        every = {**values, **dict(zip(f.outputs, results, strict=True))}
        return {y: every[y] for y in self.sides.of}

    def forward(self, values: Values, vectors: Values, change: Change) -> Values:
        _, w = _forward(self.steps, values, vectors, change, {}, ())
        return self._as(w, self.sides.wrt, self.sides.of)

    def backward(self, values: Values, vectors: Values, change: Change) -> Values:
        v = _backward(self.steps, values, vectors, change, {}, (), self.memory)
        return self._as(v, self.sides.of, self.sides.wrt)

    def undone(
        self, values: Values, vectors: Values, change: Change, *, check: bool
    ) -> tuple[Values, Values]:
        after = values
        for step in self.steps:
            after = _after(step, after, {})
        before, v = _undone(self.steps, after, vectors, change, {}, (), check=check)
        start = {x: before[x] for x in self.sides.wrt}
        return start, self._as(v, self.sides.of, self.sides.wrt)

    def _as(self, vectors: Values, given: Sequence[str], wanted: Sequence[str]) -> Values:
        """The vectors by the names of the other side, also where there are no elements, and so no steps."""
        if self.steps or not vectors:
            return vectors
        return {**dict(zip(wanted, (vectors[n] for n in given), strict=False)), **vectors}


class Looped:
    """`rounds` are the places of rounds so far, outermost loop first; vectors are by state."""

    def __init__(
        self, f: Rolled, values: Values, sides: Sides, solver: Solver, memory: Memory
    ) -> None:
        if set(sides.wrt) != set(f.states) or {f.shown(y) for y in sides.of} != set(f.states):
            raise DerivativeError(
                None,
                "in loops that run round by round all states are replaced, and nothing else",
                fix="leave out `wrt` and `of`, or use fewer rounds",
            )
        self._f = f
        self._sides = sides
        self._memory = memory
        self._solver = solver
        self._sizes = _sizes(f, values)
        self._steps: dict[Part, tuple[Step, ...]] = {}
        active: set[str] = set(f.states)
        for part in f.parts:
            self._steps[part] = self._steps_of(part, values, active)

    @property
    def steps(self) -> tuple[Step, ...]:
        return tuple(s for those in self._steps.values() for s in those)

    def _steps_of(self, part: Part, values: Values, active: set[str]) -> tuple[Step, ...]:
        """The steps of a segment: it replaces the states that it reads or updates, those that it only reads by themselves."""
        f = part.function
        for name in part.segment.defined:
            readers = (p for p in self._f.parts if p is not part and name in p.function.inputs)
            if next(readers, None) is not None:
                raise DerivativeError(
                    None,
                    f"`{name}` is defined here and read in another loop, which takes a program that is written out",
                    fix="define it where it is read, or use fewer rounds",
                )
        sizes = {s: n for s, n in self._sizes.items() if s in f.sizes}
        closed = f.fix(**sizes) if sizes else f
        states = closed._resolved.states
        updated = [x for x in self._f.states if x in part.segment.updated]
        read = [x for x in self._f.states if x in closed.inputs and x not in updated]
        of = (*(states[x] for x in updated), *read)
        return steps_of(closed, (*updated, *read), of, self._solver, len(self.steps))

    # ------------------------------------------------------------------ sweeps

    def primal(self, values: Values) -> Values:
        f = self._f
        after = f.run(f.items, values, {}, f.numbers(), {})
        return {y: after[f.shown(y)] for y in self._sides.of}

    def forward(self, values: Values, vectors: Values, change: Change) -> Values:
        w = {x: vectors[x] for x in self._sides.wrt if x in vectors}
        run = _Run(self._f, self._steps, change, self._f.numbers(), self._memory)
        _, w = run.forward(self._f.items, dict(values), w, _Place({}, ()))
        return self._outside(w)

    def backward(self, values: Values, vectors: Values, change: Change) -> Values:
        v = {self._f.shown(y): vectors[y] for y in self._sides.of}
        run = _Run(self._f, self._steps, change, self._f.numbers(), self._memory)
        return run.backward(self._f.items, dict(values), v, _Place({}, ()))

    def undone(
        self, values: Values, vectors: Values, change: Change, *, check: bool
    ) -> tuple[Values, Values]:
        v = {self._f.shown(y): vectors[y] for y in self._sides.of}
        f = self._f
        after = f.run(f.items, values, {}, f.numbers(), {})
        run = _Run(f, self._steps, change, f.numbers(), self._memory)
        return run.undone(f.items, after, v, _Place({}, ()), check=check)

    def _outside(self, vectors: Values) -> Values:
        return {y: vectors[self._f.shown(y)] for y in self._sides.of if self._f.shown(y) in vectors}


@dataclass(frozen=True, slots=True)
class _Run:
    """One sweep over a program that runs round by round; vectors are by state."""

    f: Rolled
    steps: Mapping[Part, tuple[Step, ...]]
    change: Change
    numbers: Numbers
    memory: Memory

    def forward(
        self, items: Sequence[Part | Loop], values: Values, w: Values, place: _Place
    ) -> tuple[Values, Values]:
        """The values and the vectors after the items."""
        for item in items:
            if isinstance(item, Part):
                steps, rounds = self.steps[item], item.rounds(place.at)
                every, w = _forward(steps, values, w, self.change, rounds, place.iteration)
                values, w = self._renamed(item, every), self._renamed(item, w)
                continue
            for k, value in self._rounds(item):
                values, w = self.forward(
                    item.items, values, w, self._entered(item, k, value, place)
                )
        return values, w

    def backward(
        self, items: Sequence[Part | Loop], values: Values, v: Values, place: _Place
    ) -> Values:
        """The vectors before the items, from those after them. `values` are those before."""
        before = [values]
        for item in items[:-1]:
            before.append(self._after([item], before[-1], place))
        for item, start in zip(reversed(items), reversed(before), strict=True):
            if isinstance(item, Part):
                v = self._part_backward(item, start, v, place)
            else:
                v = self._loop_backward(item, start, v, place)
        return v

    def _part_backward(self, part: Part, values: Values, v: Values, place: _Place) -> Values:
        v = self._versions(part, v)
        rounds = part.rounds(place.at)
        return _backward(
            self.steps[part], values, v, self.change, rounds, place.iteration, "materialize"
        )

    def _loop_backward(self, loop: Loop, values: Values, v: Values, place: _Place) -> Values:
        groups = _groups(self._rounds(loop), self.memory)
        starts = [values]
        for group in groups[:-1]:
            for k, value in group:
                values = self._after(loop.items, values, self._entered(loop, k, value, place))
            starts.append(values)
        for group, start in zip(reversed(groups), reversed(starts), strict=True):
            kept = list(self._kept(loop, group, start, place))
            for k, value, values in reversed(kept):
                v = self.backward(loop.items, values, v, self._entered(loop, k, value, place))
        return v

    def _kept(
        self, loop: Loop, rounds: Sequence[tuple[int, int]], values: Values, place: _Place
    ) -> Iterator[tuple[int, int, Values]]:
        """These rounds, each with the values before it."""
        for k, value in rounds:
            yield k, value, values
            values = self._after(loop.items, values, self._entered(loop, k, value, place))

    def undone(
        self,
        items: Sequence[Part | Loop],
        values: Values,
        v: Values,
        place: _Place,
        *,
        check: bool,
    ) -> tuple[Values, Values]:
        """The values and the vectors before the items, from those after them."""
        for item in reversed(items):
            if isinstance(item, Part):
                steps, rounds = self.steps[item], item.rounds(place.at)
                after, w = (self._versions(item, those) for those in (values, v))
                every, v = _undone(
                    steps, after, w, self.change, rounds, place.iteration, check=check
                )
                values = {n: every[n] for n in values}
                continue
            for k, value in reversed(self._rounds(item)):
                inside = self._entered(item, k, value, place)
                values, v = self.undone(item.items, values, v, inside, check=check)
        return values, v

    def _versions(self, part: Part, values: Values) -> Values:
        """Values after a segment by the names of its program."""
        states = part.function._resolved.states
        return {states[x] if x in part.segment.updated else x: a for x, a in values.items()}

    def _rounds(self, loop: Loop) -> list[tuple[int, int]]:
        """The rounds by place and value of the index."""
        return list(enumerate(self.numbers.rounds(loop.loop)))

    def _entered(self, loop: Loop, k: int, value: int, place: _Place) -> _Place:
        inside = self.f.entered(loop, value, self.numbers, place.at)
        return _Place(inside, (*place.iteration, k))

    def _after(self, items: Sequence[Part | Loop], values: Values, place: _Place) -> Values:
        return self.f.run(items, values, {}, self.numbers, place.at)

    def _renamed(self, part: Part, values: Values) -> Values:
        """What is live after a segment, states by their names."""
        states = part.function._resolved.states
        after = {states[x]: x for x in part.segment.updated}
        kept = {n: a for n, a in values.items() if n in self.f.inputs and n not in after.values()}
        return {**kept, **{x: values[y] for y, x in after.items() if y in values}}


def _sizes(f: Rolled, values: Values) -> dict[str, int]:
    """The sizes that follow from the arrays of a call."""
    sizes: dict[str, int] = {}
    for part in f.parts:
        g = part.function
        first = dict.fromkeys(part.rounds(dict.fromkeys(part.segment.indices, 0)), 1)
        if all(n in values for n in g.inputs):
            shapes = {n: values[n].shape for n in g.inputs}
            every = bind_sizes(g._program, shapes, first, g._resolved.places)
            sizes |= {s: n for s, n in every.items() if s not in first}
    return sizes
