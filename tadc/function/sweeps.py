"""Sweeps over the steps of a program: what runs with the primal, first step to last, and what runs against it.

A `Straight` program is its steps. In a `Looped` one a loop repeats those of its body, and a `Walk` says which values a sweep
backwards keeps. In reverse it keeps none: each step is undone, from the values after the program, which takes steps that are
affine in what they replace.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tadc.errors import DerivativeError
from tadc.function.krylov import Solver
from tadc.function.rolled import Part, Rolled
from tadc.function.steps import Step, Values, steps_of
from tadc.function.walk import Memory, Place, Walk, groups_of, nbytes
from tadc.runtime.binding import bind_sizes
from tadc.runtime.linear import Block

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["Looped", "Sides", "Straight", "Sweep", "part_sides", "sizes_of_shapes", "sweep_of"]


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
    def check_reversible(self) -> None:
        """Check that all steps can be run backwards. Raises DerivativeError."""

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
    if memory == "reverse":
        sweep.check_reversible()
    return sweep


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
    groups = groups_of(steps, memory, nbytes(v))
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


def _nothing(
    step: Step,
    at: Values,
    vectors: Values,
    rounds: Mapping[str, int],
    iteration: tuple[int, ...],
    block: Block | None = None,
) -> None:
    """The change of no vectors."""


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
        return self._with_empty(w, self.sides.of)

    def backward(self, values: Values, vectors: Values, change: Change) -> Values:
        v = _backward(self.steps, values, vectors, change, {}, (), self.memory)
        return self._with_empty(v, self.sides.wrt)

    def undone(
        self, values: Values, vectors: Values, change: Change, *, check: bool
    ) -> tuple[Values, Values]:
        after = values
        for step in self.steps:
            after = _after(step, after, {})
        before, v = _undone(self.steps, after, vectors, change, {}, (), check=check)
        start = {x: before[x] for x in self.sides.wrt}
        return start, self._with_empty(v, self.sides.wrt)

    def check_reversible(self) -> None:
        for step in self.steps:
            step.check_reversible()

    def _with_empty(self, vectors: Values, names: Sequence[str]) -> Values:
        """The vectors with those of values without elements, which are in no step."""
        shapes = {n: self.function.program.tensors[n].shape for n in names}
        extents = {n: tuple(e.constant for e in shape) for n, shape in shapes.items()}
        dtype = np.result_type(*vectors.values()) if vectors else float
        return {**{n: np.zeros(e, dtype) for n, e in extents.items() if 0 in e}, **vectors}


class Looped:
    """A program that runs round by round; vectors are by state."""

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
        self._sizes = sizes_of_shapes(f, {n: a.shape for n, a in values.items()})
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
        sizes = {s: n for s, n in self._sizes.items() if s in f.sizes}
        closed = f.fix(**sizes) if sizes else f
        sides = part_sides(self._f, part, closed)
        return steps_of(closed, sides.wrt, sides.of, self._solver, len(self.steps))

    # ------------------------------------------------------------------ sweeps

    def primal(self, values: Values) -> Values:
        after = self._walk.after(values)
        return {y: after[self._f.shown(y)] for y in self._sides.of}

    def forward(self, values: Values, vectors: Values, change: Change) -> Values:
        def visit(part: Part, values: Values, w: Values, place: Place) -> tuple[Values, Values]:
            rounds = part.rounds(place.at)
            every, w = _forward(self._steps[part], values, w, change, rounds, place.iteration)
            return self._renamed(part, every), self._renamed(part, w)

        w = {x: vectors[x] for x in self._sides.wrt if x in vectors}
        _, after = self._walk.forward(values, w, visit)
        return self._outside({**w, **after})  # what has no elements is in no step

    def backward(self, values: Values, vectors: Values, change: Change) -> Values:
        def visit(part: Part, values: Values, v: Values, place: Place) -> Values:
            steps, rounds = self._steps[part], part.rounds(place.at)
            v = self._versions(part, v)
            return _backward(steps, values, v, change, rounds, place.iteration, "materialize")

        v = {self._f.shown(y): vectors[y] for y in self._sides.of}
        return {**v, **self._walk.backward(values, v, visit)}

    def undone(
        self, values: Values, vectors: Values, change: Change, *, check: bool
    ) -> tuple[Values, Values]:
        def visit(part: Part, values: Values, v: Values, place: Place) -> tuple[Values, Values]:
            steps, rounds = self._steps[part], part.rounds(place.at)
            after, w = (self._versions(part, those) for those in (values, v))
            every, v = _undone(steps, after, w, change, rounds, place.iteration, check=check)
            return {n: every[n] for n in values}, v

        v = {self._f.shown(y): vectors[y] for y in self._sides.of}
        return self._walk.undone(self._walk.after(values), v, visit)

    def before(self, part: Part, after: Values, place: Place) -> Values:
        """The values before a segment, from those after it."""
        steps, rounds = self._steps[part], part.rounds(place.at)
        live, _ = _undone(
            steps, self._versions(part, after), {}, _nothing, rounds, place.iteration, check=True
        )
        return {n: live.get(n, a) for n, a in after.items()}  # what has no elements is in no step

    def check_reversible(self) -> None:
        for step in self.steps:
            step.check_reversible()

    @property
    def _walk(self) -> Walk:
        return Walk(self._f, self._f.numbers(), self._memory)

    def _outside(self, vectors: Values) -> Values:
        return {y: vectors[self._f.shown(y)] for y in self._sides.of if self._f.shown(y) in vectors}

    def _versions(self, part: Part, values: Values) -> Values:
        """Values after a segment by the names of its program."""
        states = part.function._resolved.states
        return {states[x] if x in part.segment.updated else x: a for x, a in values.items()}

    def _renamed(self, part: Part, values: Values) -> Values:
        """What is live after a segment, states by their names."""
        states = part.function._resolved.states
        after = {states[x]: x for x in part.segment.updated}
        kept = {n: a for n, a in values.items() if n in self._f.inputs and n not in after.values()}
        return {**kept, **{x: values[y] for y, x in after.items() if y in values}}


def part_sides(f: Rolled, part: Part, closed: Function) -> Sides:
    """The sides of a segment, whose function for the sizes of a call is `closed`: it replaces the states that it updates, and those
    that it only reads by themselves. Raises DerivativeError for a definition that another segment reads.
    """
    for name in part.segment.defined:
        readers = (p for p in f.parts if p is not part and name in p.function.inputs)
        if next(readers, None) is not None:
            raise DerivativeError(
                None,
                f"`{name}` is defined here and read in another loop, which takes a program that is written out",
                fix="define it where it is read, or use fewer rounds",
            )
    states = closed._resolved.states
    updated = [x for x in f.states if x in part.segment.updated]
    read = [x for x in f.states if x in closed.inputs and x not in updated]
    return Sides((*updated, *read), (*(states[x] for x in updated), *read))


def sizes_of_shapes(f: Rolled, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """The sizes that follow from the shapes of the inputs."""
    sizes: dict[str, int] = {}
    for part in f.parts:
        g = part.function
        first = dict.fromkeys(part.rounds(dict.fromkeys(part.segment.indices, 0)), 1)
        if all(n in shapes for n in g.inputs):
            given = {n: shapes[n] for n in g.inputs}
            every = bind_sizes(g._program, given, first, g._resolved.places)
            sizes |= {s: n for s, n in every.items() if s not in first}
    return sizes
