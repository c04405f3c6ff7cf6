"""Loops of points side by side that begin or end elsewhere at each point: what all have is one loop, and each has its rest.

    for j = 0..i:     s += a[i, j]*b[j]                for j = 0..i: s += a[i, j]*b[j], t += a[i + 1, j]*b[j]
    for j = 0..i + 1: t += a[i + 1, j]*b[j]     is     for j = i + 1..i + 1: t += a[i + 1, j]*b[j]

Every point has its values in the order that it had before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tadc.ir.affine import Symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.range import Bound, Range
from tadc.schedule.nest.loop_nest import Branch, Loop, Step, map_bodies, steps_of
from tadc.schedule.nest.unrolled import side_by_side

__all__ = ["joined_loops", "levelled", "part_of_rests"]

FEW = 4  # bounds, of which each has a loop of all points that it leaves values: there are more of them than points


def levelled(steps: Sequence[Step], index: Symbol) -> Iterator[Step]:
    """The steps without those bounds of loops that depend on the index."""
    for step in steps:
        step = map_bodies(step, lambda inner: levelled(inner, index))
        if isinstance(step, Loop):
            step = Loop(step.range.only(lambda b: index not in b.form.symbols), step.body)
        yield step


def part_of_rests(
    steps: Sequence[Step], index: Symbol, often: Mapping[Symbol, int]
) -> float | None:
    """The part of a loop's values that a point has and its neighbour along the index has not; None where a loop has several bounds
    on one side that depend on the index. `often` says how often loops run.
    """
    longest = 0.0
    for loop in (s for s in steps_of(steps) if isinstance(s, Loop)):
        slanting = loop.range.only(lambda b: index in b.form.symbols)
        if len(slanting.lows) > 1 or len(slanting.highs) > 1:
            return None
        count = max(1, often.get(loop.range.index, 1))
        rests = (abs(form.coefficient(index)) / (c * count) for form, c in slanting.bounds)
        longest = max((longest, *rests))
    return longest


def joined_loops(
    loops: Sequence[Loop], points: Sequence[Mapping[Symbol, Symbol]]
) -> tuple[Step, ...] | None:
    """The loops of all points as one, with what is left before and behind it; None if they differ otherwise.

    What is left is a loop for each of the bounds that points have, of those points that it leaves values. A point has a name
    for its value of each index. Points ascend along each index, the last one fastest.
    """
    lows = _Ends.of([loop.range.lows for loop in loops], points)
    highs = _Ends.of([loop.range.highs for loop in loops], points)
    if lows is None or highs is None:
        return None
    index = loops[0].range.index

    def joint(members: Sequence[int], low: Iterable[Bound], high: Iterable[Bound]) -> Loop | None:
        """The loop of these points between the bounds, and those that all have."""
        bodies = [loops[n].body for n in members]
        several = [points[n] for n in members]
        inner = side_by_side(bodies, lambda others: joined_loops(others, several))
        r = Range(index, (*lows.common, *low), (*highs.common, *high))
        return None if inner is None else Loop(r, inner)

    result: list[Loop | None] = []
    for members, low, (form, c) in lows.steps(lows.groups):
        result.append(joint(members, [low], [Bound(form - 1, c)]))
    begin, end = lows.groups[-1:], highs.groups[:1]
    result.append(joint(range(len(loops)), [b for _, b in begin], [b for _, b in end]))
    for members, high, (form, c) in reversed(list(highs.steps(highs.groups[::-1]))):
        result.append(joint(members, [Bound(form + 1, c)], [high]))
    made = tuple(step for step in result if step is not None)
    if len(made) < len(result):
        return None
    if not (begin and end):
        return made
    # Where some point ends before another one begins, each has its own loop; ceil(e/c) - 1 is floor((e - 1)/c).
    ((_, (first, c)),), ((_, (last, d)),) = begin, end
    meet = Domain.of([at_least_zero(last - first + 1)])
    return (Branch(meet, made, tuple(loops)),) if c == d else None


@dataclass(frozen=True, slots=True)
class _Ends:
    """The bounds of one side that all points have, and the others: groups of points that have the same one, the first of the least
    value, the last of the greatest, and those between in the order of their values, if that is known and they are few.
    """

    common: tuple[Bound, ...]
    groups: tuple[tuple[tuple[int, ...], Bound], ...]
    in_order: bool = True

    @classmethod
    def of(
        cls, bounds: Sequence[tuple[Bound, ...]], points: Sequence[Mapping[Symbol, Symbol]]
    ) -> _Ends | None:
        """None where a point has several bounds of its own, or they have several divisors."""
        common = tuple(b for b in bounds[0] if all(b in other for other in bounds))
        own = [[b for b in each if b not in common] for each in bounds]
        if any(len(each) != len(own[0]) for each in own) or len(own[0]) > 1:
            return None
        if not own[0]:
            return cls(common, ())
        members: dict[Bound, list[int]] = {}
        for n, (bound,) in enumerate(own):
            members.setdefault(bound, []).append(n)
        if len({divisor for _, divisor in members}) > 1:
            return None
        first, last = points[0], points[-1]
        form, _ = own[0][0]
        rises = {i: form.coefficient(name) > 0 for i, name in first.items()}
        of_points = [i for i, name in first.items() if name in form.symbols]
        least, greatest = (
            own[points.index({i: (last if rises[i] == up else first)[i] for i in first})][0]
            for up in (False, True)
        )
        between = [b for b in members if b not in (least, greatest)]
        if not rises[of_points[0]]:
            between.reverse()
        groups = tuple((tuple(members[b]), b) for b in (least, *between, greatest))
        return cls(common, groups, len(of_points) == 1 and len(groups) <= FEW)

    def steps(
        self, groups: Sequence[tuple[tuple[int, ...], Bound]]
    ) -> Iterator[tuple[tuple[int, ...], Bound, Bound]]:
        """From the outermost group inwards: the points that have values behind its bound, that bound, and the next one."""
        so_far: tuple[int, ...] = ()
        for (members, bound), (_, following) in pairwise(groups):
            so_far = (*so_far, *members) if self.in_order else members
            yield tuple(sorted(so_far)), bound, following if self.in_order else groups[-1][1]
