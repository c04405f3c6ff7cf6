"""Walks over a program that runs round by round: with the values, first segment to last, or against them.

What runs backwards reads the values before each round. They are kept (`materialize`), or those before every √T-th of T rounds, from
which the others are computed again (`recompute`); `auto` keeps them all while they take little memory. In `reverse` none are kept:
the values themselves are run backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Literal, TypeAlias, TypeVar

from tadc.function.rolled import Loop, Part, Rolled, Values
from tadc.inplace.rounds import Numbers

__all__ = ["MEMORIES", "Memory", "Place", "Walk", "groups_of", "nbytes"]

T = TypeVar("T")
Memory: TypeAlias = Literal["auto", "materialize", "recompute", "reverse"]
MEMORIES: tuple[Memory, ...] = ("auto", "materialize", "recompute", "reverse")

LITTLE = 1 << 30  # bytes of the values before all rounds of a loop


@dataclass(frozen=True, slots=True)
class Place:
    """Where a walk is: the values of the indices of the loops around, and the places of their rounds, outermost first."""

    at: Mapping[str, int]
    iteration: tuple[int, ...]


# The values and the vectors after a segment, from those before it; in reverse the other way round.
Visit: TypeAlias = Callable[[Part, Values, Values, Place], tuple[Values, Values]]
# The vectors before a segment, from the values before it and the vectors after it.
VisitBackward: TypeAlias = Callable[[Part, Values, Values, Place], Values]

Items: TypeAlias = Sequence[Part | Loop]
START = Place({}, ())


@dataclass(frozen=True, slots=True)
class Walk:
    f: Rolled
    numbers: Numbers
    memory: Memory

    def after(self, values: Values) -> Values:
        """The values after the program."""
        return self._after(self.f.items, values, START)

    def forward(self, values: Values, vectors: Values, visit: Visit) -> tuple[Values, Values]:
        """The values and the vectors after the program."""
        return self._forward(self.f.items, values, vectors, START, visit)

    def backward(self, values: Values, vectors: Values, visit: VisitBackward) -> Values:
        """The vectors before the program, from the values before and the vectors after it."""
        return self._backward(self.f.items, values, vectors, START, visit)

    def undone(self, values: Values, vectors: Values, visit: Visit) -> tuple[Values, Values]:
        """The values and the vectors before the program, from those after it."""
        return self._undone(self.f.items, values, vectors, START, visit)

    def _forward(
        self, items: Items, values: Values, vectors: Values, place: Place, visit: Visit
    ) -> tuple[Values, Values]:
        for item in items:
            if isinstance(item, Part):
                values, vectors = visit(item, values, vectors, place)
                continue
            for k, value in self._rounds(item):
                inside = self._entered(item, k, value, place)
                values, vectors = self._forward(item.items, values, vectors, inside, visit)
        return values, vectors

    def _backward(
        self, items: Items, values: Values, vectors: Values, place: Place, visit: VisitBackward
    ) -> Values:
        before = [values]
        for item in items[:-1]:
            before.append(self._after([item], before[-1], place))
        for item, start in zip(reversed(items), reversed(before), strict=True):
            if isinstance(item, Part):
                vectors = visit(item, start, vectors, place)
            else:
                vectors = self._loop_backward(item, start, vectors, place, visit)
        return vectors

    def _loop_backward(
        self, loop: Loop, values: Values, vectors: Values, place: Place, visit: VisitBackward
    ) -> Values:
        groups = groups_of(
            self._rounds(loop), self.memory, nbytes({x: values[x] for x in self.f.states})
        )
        starts = [values]
        for group in groups[:-1]:
            for k, value in group:
                values = self._after(loop.items, values, self._entered(loop, k, value, place))
            starts.append(values)
        for group, start in zip(reversed(groups), reversed(starts), strict=True):
            kept = list(self._kept(loop, group, start, place))
            while kept:  # the last of them, and then no more
                k, value, values = kept.pop()
                inside = self._entered(loop, k, value, place)
                vectors = self._backward(loop.items, values, vectors, inside, visit)
        return vectors

    def _kept(
        self, loop: Loop, rounds: Sequence[tuple[int, int]], values: Values, place: Place
    ) -> Iterator[tuple[int, int, Values]]:
        """These rounds, each with the values before it."""
        for n, (k, value) in enumerate(rounds):
            yield k, value, values
            if n < len(rounds) - 1:
                values = self._after(loop.items, values, self._entered(loop, k, value, place))

    def _undone(
        self, items: Items, values: Values, vectors: Values, place: Place, visit: Visit
    ) -> tuple[Values, Values]:
        for item in reversed(items):
            if isinstance(item, Part):
                values, vectors = visit(item, values, vectors, place)
                continue
            for k, value in reversed(self._rounds(item)):
                inside = self._entered(item, k, value, place)
                values, vectors = self._undone(item.items, values, vectors, inside, visit)
        return values, vectors

    def _rounds(self, loop: Loop) -> list[tuple[int, int]]:
        """The rounds by place and value of the index."""
        return list(enumerate(self.numbers.rounds(loop.loop)))

    def _entered(self, loop: Loop, k: int, value: int, place: Place) -> Place:
        inside = self.f.entered(loop, value, self.numbers, place.at)
        return Place(inside, (*place.iteration, k))

    def _after(self, items: Items, values: Values, place: Place) -> Values:
        return self.f.run(items, values, {}, self.numbers, place.at)


def groups_of(items: Sequence[T], memory: Memory, size: int) -> list[Sequence[T]]:
    """The items in groups: the values before each, of `size` bytes, are kept, those within one are computed again."""
    recomputes = memory == "recompute" or (memory == "auto" and len(items) * size > LITTLE)
    length = max(1, isqrt(len(items)) if recomputes else len(items))
    return [items[k : k + length] for k in range(0, len(items), length)] or [()]


def nbytes(values: Values) -> int:
    return sum(a.nbytes for a in values.values())
