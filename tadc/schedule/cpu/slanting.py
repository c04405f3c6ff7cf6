"""Loops of points side by side that begin or end elsewhere at each point: what all have is one loop, and each has its rest.

    for j = 0..i:     s += a[i, j]*b[j]                for j = 0..i: s += a[i, j]*b[j], t += a[i + 1, j]*b[j]
    for j = 0..i + 1: t += a[i + 1, j]*b[j]     is     for j = i + 1..i + 1: t += a[i + 1, j]*b[j]

Every point has its values in the order that it had before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tadc.ir.affine import Symbol
from tadc.ir.range import Bound, Range
from tadc.schedule.nest.loop_nest import Loop, Step, map_bodies, steps_of
from tadc.schedule.nest.unrolled import side_by_side

__all__ = ["joined_loops", "length_of_rests", "levelled"]


def levelled(steps: Sequence[Step], index: Symbol) -> Iterator[Step]:
    """The steps without those bounds of loops that depend on the index."""
    for step in steps:
        step = map_bodies(step, lambda inner: levelled(inner, index))
        if isinstance(step, Loop):
            step = Loop(step.range.only(lambda b: index not in b.form.symbols), step.body)
        yield step


def length_of_rests(steps: Sequence[Step], index: Symbol) -> float | None:
    """How many values of a loop a point has that its neighbour along the index has not; None where a loop has several bounds on
    one side that depend on the index.
    """
    longest = 0.0
    for loop in (s for s in steps_of(steps) if isinstance(s, Loop)):
        slanting = loop.range.only(lambda b: index in b.form.symbols)
        if len(slanting.lows) > 1 or len(slanting.highs) > 1:
            return None
        rests = (abs(form.coefficient(index)) / c for form, c in slanting.bounds)
        longest = max((longest, *rests))
    return longest


def joined_loops(
    loops: Sequence[Loop], points: Sequence[Mapping[Symbol, Symbol]]
) -> tuple[Step, ...] | None:
    """The loops of all points as one, with what is left of each before and behind it; None if they differ otherwise.

    A point has a name for its value of each index. Points ascend along each index, the last one fastest.
    """
    lows = _Ends.of([loop.range.lows for loop in loops], points)
    highs = _Ends.of([loop.range.highs for loop in loops], points)
    inner = side_by_side([s.body for s in loops], lambda several: joined_loops(several, points))
    if lows is None or highs is None or inner is None:
        return None
    index = loops[0].range.index
    begins = (*lows.common, *lows.greatest)
    ends = (*highs.common, *highs.least)
    before_all = tuple(Bound(form - 1, c) for form, c in lows.greatest)
    behind_all = tuple(Bound(form + 1, c) for form, c in highs.least)
    result: list[Step] = []
    for loop, low, high in zip(loops, lows.own, highs.own, strict=True):
        if low != lows.greatest:
            r = Range(index, (*lows.common, *low), (*highs.common, *high, *before_all))
            result.append(Loop(r, loop.body))
    result.append(Loop(Range(index, begins, ends), inner))
    for loop, high in zip(loops, highs.own, strict=True):
        if high != highs.least:
            r = Range(index, (*begins, *behind_all), (*highs.common, *high))
            result.append(Loop(r, loop.body))
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _Ends:
    """The bounds of one side that all points have, and each point's own, one at most, with the greatest and the least of these."""

    common: tuple[Bound, ...]
    own: tuple[tuple[Bound, ...], ...]
    greatest: tuple[Bound, ...]
    least: tuple[Bound, ...]

    @classmethod
    def of(
        cls, bounds: Sequence[tuple[Bound, ...]], points: Sequence[Mapping[Symbol, Symbol]]
    ) -> _Ends | None:
        common = tuple(b for b in bounds[0] if all(b in other for other in bounds))
        own = tuple(tuple(b for b in each if b not in common) for each in bounds)
        if any(len(each) != len(own[0]) for each in own) or len(own[0]) > 1:
            return None
        if not own[0]:
            return cls(common, own, (), ())
        if len({b.divisor for (b,) in own}) > 1:
            return None
        form = own[0][0].form
        first, last = points[0], points[-1]
        rises = {i: form.coefficient(name) > 0 for i, name in first.items()}
        greatest = {i: (last if rises[i] else first)[i] for i in first}
        least = {i: (first if rises[i] else last)[i] for i in first}
        return cls(common, own, own[points.index(greatest)], own[points.index(least)])
