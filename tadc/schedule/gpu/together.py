"""Values of a staged loop that are done together, where all points of the tile have all of them.

    for k of the part: for each lane: if k <= i: s[lane] += a[i - k]*b[k]

has no test for 8 values at a time that end before the first `i` of the tile; and of the 32 elements of `a` that four neighbours in `i` read
for these, 11 are different ones. Where a team shares the loops of all points of a tile, one test at each value says that all points have it:

    for k, by the threads: if k <= first i of the tile: for each lane: s[lane] += a[i - k]*b[k]
                           else: for each lane: if k <= i: s[lane] += a[i - k]*b[k]

The terms of a sum keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeGuard

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, divides
from tadc.ir.expr import Expr, Select
from tadc.ir.range import Range
from tadc.ir.walk import rewrite
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.nest.loop_nest import (
    Branch,
    Computed,
    LetIndex,
    Loop,
    Staged,
    Step,
    TeamLoop,
    Tile,
    TileIndex,
    Together,
    first_of,
    last_of,
    map_bodies,
    place_of,
    reads_of,
    steps_of,
    tested_at,
    values_of,
    with_values,
)
from tadc.schedule.nest.short_loops import is_unrolled

__all__ = ["MOST_TOGETHER", "with_values_together"]

MOST_TOGETHER = 8  # values of a loop
TOGETHER = (MOST_TOGETHER, 4)
MOST_WRITTEN_OUT = 512  # terms of a thread


def with_values_together(scheduled: GpuKernel) -> GpuKernel:
    """The kernel with values of its staged loops, or points of a team's tile, together, where that spares tests or reads."""
    match scheduled.kernel.body:
        case (Tile(indices) as tile,) if scheduled.team > 1:
            pass
        case _:
            return scheduled

    derived = {s.derived.name for s in steps_of((tile,)) if isinstance(s, LetIndex)}

    def made(steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(
            replace(s, together=_together(s, indices, derived)) if isinstance(s, Staged)
            else replace(s, body=_tested_once(s, indices, derived)) if scheduled.shares_loops and _is_inner(s)
            else s if isinstance(s, Computed)  # a tile of its own
            else map_bodies(s, made)
            for s in steps
        )  # fmt: skip

    body = replace(tile, body=made(tile.body), interior=made(tile.interior))
    return replace(scheduled, kernel=replace(scheduled.kernel, body=(body,)))


def _is_inner(step: Step) -> TypeGuard[Loop | TeamLoop]:
    """Whether it is a loop, all loops in which are written out."""
    within = (s for s in steps_of(step.body) if isinstance(s, (Loop, TeamLoop))) if isinstance(step, (Loop, TeamLoop)) else None  # fmt: skip
    return within is not None and all(isinstance(s, Loop) and is_unrolled(s) for s in within)


def _tested_once(
    loop: Loop | TeamLoop, tile: Sequence[TileIndex], derived: Set[Symbol]
) -> tuple[Step, ...]:
    """The body of the loop, which has no tests where all points of the tile meet them."""
    inner = {s.range.index: s.range for s in steps_of(loop.body) if isinstance(s, Loop)}
    runs = prod(r.trips or 1 for r in inner.values())
    if prod(t.count for t in tile) * runs > MOST_WRITTEN_OUT:
        return loop.body
    untested = _Untested("", 1, tile, inner, derived)
    body = tuple(untested.steps(loop.body))
    return (Branch(Domain.of(untested.known), body, loop.body),) if untested.known else loop.body


def _together(step: Staged, tile: Sequence[TileIndex], derived: Set[Symbol]) -> Together | None:
    """So many values of the loop as a thread's code has room for; None where they share nothing."""
    points = prod(t.count for t in tile)
    runs = prod(s.range.trips or 1 for s in steps_of(step.body) if isinstance(s, Loop))
    fitting = (n for n in TOGETHER if n <= step.count and n * points * runs <= MOST_WRITTEN_OUT)
    count = next(fitting, None)
    if count is None:
        return None
    loops = [s.range for s in steps_of(step.body) if isinstance(s, Loop)]
    inner = {r.index: r for r in loops if r.trips is not None}
    unknown = {*derived, *(r.index for r in loops if r.trips is None)}
    untested = _Untested(step.range.index, count, tile, inner, unknown)
    before, after = _ended(step, count)
    body = tuple(untested.steps(before))
    if not (untested.known or _has_windows(step, tile)):
        return None
    begins = (divides(count, symbol(step.range.index)),) if after else ()
    return Together(count, Domain.of((*begins, *untested.known)), body, after)


def _ended(step: Staged, count: int) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The body, and what it does at its end after the last of every so many values, or multiples of that, for the value behind."""
    index = step.range.index
    match step.body:
        case (*before, Branch(Domain((Condition("|", form, modulus),)), _, ())) if (
            modulus % count == 0
        ):
            if form == divides(modulus, symbol(index) + 1).form:
                (ended,) = tested_at(step.body[-1:], index, symbol(index) - 1)
                return tuple(before), (ended,)
        case _:
            pass
    return step.body, ()


def _has_windows(step: Staged, tile: Sequence[TileIndex]) -> bool:
    """Whether points read the same elements of a buffer for different values of the loop."""
    place, buffers = place_of(step.range.index), {b.name for b in step.buffers}
    near = {place_of(t.index) for t in tile if t.count > 1}
    near |= {s.range.index for s in steps_of(step.body) if isinstance(s, Loop)}
    forms = (form for e in reads_of(step.body) if e.tensor in buffers for form in e.subscripts)
    return any(place in form.symbols and not near.isdisjoint(form.symbols) for form in forms)


@dataclass(frozen=True, slots=True)
class _Untested:
    """Steps for so many values of a loop from `index` on, without the tests that hold for all of them and for all points of a tile; what these
    say of it is `known`.
    """

    index: Symbol
    count: int
    tile: Sequence[TileIndex]
    inner: Mapping[Symbol, Range]  # of the loops inside
    unknown: Set[Symbol]  # indices without ends that are numbers
    known: dict[Condition, None] = field(default_factory=dict)

    def steps(self, steps: Sequence[Step]) -> Iterator[Step]:
        for step in steps:
            match step:
                case Branch(Domain() as domain, then, otherwise):
                    left = self._left(domain)
                    if left == domain:
                        yield map_bodies(step, self.steps)
                    elif left.conditions:
                        yield Branch(left, tuple(self.steps(then)), tuple(self.steps(otherwise)))
                    else:
                        yield from self.steps(then)
                case _:
                    values = tuple(rewrite(e, self._chosen) for e in values_of(step))
                    yield map_bodies(with_values(step, values), self.steps)

    def _chosen(self, e: Expr) -> Expr:
        match e:
            case Select(Domain() as domain, then, otherwise):
                left = self._left(domain)
                return Select(left, then, otherwise) if left.conditions else then
            case _:
                return e

    def _left(self, domain: Domain) -> Domain:
        """The conditions that are tested."""
        return Domain.of(c for c in domain if not self._holds(c))

    def _holds(self, c: Condition) -> bool:
        """Whether a condition that differs between points is to hold for all of them, which is `known` then."""
        own = {t.index: t for t in self.tile}
        places = {place_of(t.index): t.values - 1 for t in self.tile}
        used = set(c.form.symbols)
        differs = not used.isdisjoint((*own, *places))
        if c.relation != ">=" or not differs or not self.unknown.isdisjoint(used):
            return False
        worst: dict[Symbol, Affine] = {}
        for s, k in c.form.terms:
            if s in own:
                worst[s] = symbol((first_of if k > 0 else last_of)(s))
            elif s in places:
                worst[s] = constant(0 if k > 0 else places[s])
            elif s == self.index and k < 0:
                worst[s] = symbol(s) + (self.count - 1)
            elif s in self.inner:
                ends = self.inner[s].ends_at({})
                worst[s] = constant(ends[0 if k > 0 else 1])
        self.known[c.substitute(worst)] = None
        return True
