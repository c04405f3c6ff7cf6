"""How often the loops of a nest run for given sizes, and so how much the steps in them do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import prod

from tadc.ir.affine import Symbol
from tadc.ir.expr import Call
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Branch,
    Kernel,
    LetIndex,
    Loop,
    Step,
    Store,
    values_of,
)
from tadc.schedule.nest.sizes import Sizes, with_midpoints
from tadc.schedule.nest.special import is_special
from tadc.schedule.nest.surroundings import FEW

__all__ = ["Around", "operations", "runs", "trips"]


@dataclass(frozen=True, slots=True)
class Around:
    """A loop around a step, and how often it runs each time."""

    loop: Loop
    trips: int

    @property
    def index(self) -> Symbol:
        return self.loop.range.index


def operations(kernel: Kernel, sizes: Sizes, special: int = 1, nested: int = 1) -> int:
    """About how many operations the kernel does for these values of all sizes: loops are counted in the middle of the box. A
    `special` one, such as an exponential, counts for so many, and one of a sum inside of the term of another one for `nested`, as does
    one of the sums of a row in memory.
    """
    extents = {i: n.at(sizes) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    middle = {**sizes, **{i: n // 2 for i, n in extents.items()}}
    done = 0
    for step, around in runs(kernel.body, middle):
        calls = sum(
            special if is_special(e) else 1
            for e in postorder(values_of(step))
            if isinstance(e, Call)
        )
        weight = nested if _is_nested(around) or _is_of_row(step, around) else 1
        count = weight * (calls + isinstance(step, (Store, Accumulate)))
        done += prod(a.trips for a in around) * count
    return done * prod(extents.values())


def _is_nested(around: Sequence[Around]) -> bool:
    """Whether a loop of these that is not written out adds up a sum that the one around it begins for each of its terms."""
    return any(
        inner.trips > FEW and any(isinstance(s, Accumulator) for s in outer.loop.body)
        for outer, inner in pairwise(around)
    )


def _is_of_row(step: Step, around: Sequence[Around]) -> bool:
    """Whether the step adds to an element of a long row."""
    return (
        isinstance(step, Store) and step.op is not None and bool(around) and around[-1].trips > FEW
    )


def trips(steps: Sequence[Step], values: Sizes) -> dict[Symbol, int]:
    """How often each loop runs for these values, at least once."""
    return {a.index: a.trips for _, around in runs(steps, values) for a in around}


def runs(steps: Sequence[Step], values: Sizes) -> Iterator[tuple[Step, tuple[Around, ...]]]:
    """Every step, with the loops around it, the outermost first."""
    waiting: list[tuple[Sequence[Step], tuple[Around, ...], Sizes]] = [(steps, (), values)]
    while waiting:
        body, around, known = waiting.pop()
        known = with_midpoints([s for s in body if isinstance(s, LetIndex)], known)
        for step in body:
            yield step, around
            match step:
                case Loop(r, inner):
                    entered = Around(step, max(1, r.trips_at(known)))
                    waiting.append((inner, (*around, entered), with_midpoints((step,), known)))
                case Branch(_, then, otherwise):
                    waiting += [(then, around, known), (otherwise, around, known)]
                case _:
                    pass
