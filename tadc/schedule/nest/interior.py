"""The interior of a strip: where borders are far away, their tests are known, and nothing is left of them in the loops.

A row of a kernel (all points that differ in the strip's index alone) is cut in three. In the middle part every affine
condition that can be told beforehand has the outcome that it has almost everywhere; what is left and right of it keeps
all tests. A condition inside a loop is told beforehand if it holds for the loop's whole range.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from tadc.integer import implies, is_empty
from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE, FALSE, Condition, Domain, at_least_zero
from tadc.ir.expr import Expr, Select
from tadc.ir.range import Bound, Range
from tadc.ir.walk import rewrite
from tadc.schedule.nest.loop_nest import (
    Branch,
    Interior,
    LetIndex,
    Loop,
    Step,
    has_loops,
    values_of,
    with_values,
)
from tadc.schedule.nest.surroundings import Span, Surroundings

__all__ = ["LONGEST_WINDOW", "interior", "parted", "selected"]

MOST_CONDITIONS = 48
ABOUT = 0.4  # of the values of an index: as good as half
FEW = 1 / 16  # of them are enough where loops run, and none elsewhere: these take most of the time
LONGEST_WINDOW = 64  # values of a loop that is another one for each lane
UNBOUNDED = 2**62

Ranges: TypeAlias = Mapping[Symbol, Range]


def interior(
    steps: Sequence[Step],
    surroundings: Surroundings,
    longest: int = UNBOUNDED,
    along: Symbol | None = None,
) -> tuple[Domain, tuple[Step, ...]]:
    """The interior, as a domain of the indices around the steps, and the steps there.

    Loops that have usually more than `longest` values there keep their bounds: most of such a loop is the same for
    neighbours (`lanes.straight`), and an interior would be a small part of the points. `along` is the one index that is to be
    away from borders, if any.
    """
    around = surroundings.around
    search = _InteriorSearch(
        frozenset(around), surroundings.known, surroundings.typical, around, longest
    )
    search.steps(steps, {})
    search.choose(along)
    search.deciding = True
    return Domain.of(search.needed), search.steps(steps, {})


def parted(
    r: Range, region: Domain, interior_steps: tuple[Step, ...], outside: tuple[Step, ...]
) -> Interior:
    """The loop over the range with `interior_steps` in the region and `outside` elsewhere."""
    tests = Domain.of(c for c in region if not c.form.coefficient(r.index))
    inner = Range.of(r.index, (c.form for c in region if c.form.coefficient(r.index)))
    return Interior(r, tests, inner, interior_steps, outside)


def selected(step: Step, rest: Callable[[Domain], Domain | None]) -> Step:
    """The step with the selections of its values decided, as far as `rest` says: what is left of a condition, or None where it fails."""

    def rule(e: Expr) -> Expr:
        match e:
            case Select(Domain() as domain, then, otherwise):
                left = rest(domain)
                if left is None:
                    return otherwise
                return then if left == EVERYWHERE else Select(left, then, otherwise)
            case _:
                return e

    return with_values(step, tuple(rewrite(e, rule) for e in values_of(step)))


@dataclass(slots=True)
class _InteriorSearch:
    """Collects conditions of the kernel's indices on a first way through the steps, and leaves them out on a second."""

    indices: frozenset[Symbol]
    known: Domain
    typical: Mapping[Symbol, int]
    around: Mapping[Symbol, Span]
    longest: int
    candidates: dict[Condition, None] = field(default_factory=dict)
    behind: set[Condition] = field(default_factory=set)  # where there are loops, and none elsewhere
    assumed: dict[Condition, None] = field(default_factory=dict)
    needed: dict[Condition, None] = field(
        default_factory=dict
    )  # all that is assumed follows from them
    deciding: bool = False

    def choose(self, along: Symbol | None) -> None:
        """Assume the usual outcome of each condition, as long as all that is assumed can hold together. Of two outcomes it is the
        one that has loops to run, if that is not rare.

        An index of which most values are near a border has no interior, but where loops run behind that border alone.
        """
        usual = [
            self._outcome(c)
            for c in list(self.candidates)[:MOST_CONDITIONS]
            if along is None or along in c.form.symbols
        ]
        others = [c for c in usual if c not in self.behind]
        inside = {
            i
            for i in self.around
            if self._holds_mostly(i, usual, FEW) and self._holds_mostly(i, others, ABOUT)
        }
        region = self.known
        for condition in usual:
            if implies(region, condition):
                self.assumed.setdefault(condition)
            elif (
                inside >= self.indices.intersection(condition.form.symbols)
                and is_empty(region & Domain.of((condition,))) is False
            ):
                region &= Domain.of((condition,))
                self.assumed.setdefault(condition)
                self.needed.setdefault(condition)

    def _outcome(self, condition: Condition) -> Condition:
        """The condition or its negation."""
        negation = condition.negation or condition
        for c in (condition, negation):
            if c in self.behind and self._is_usual(c, FEW):
                return c
        return condition if self._is_usual(condition) else negation

    def _is_usual(self, condition: Condition, part: float = 0.5) -> bool:
        """Whether it holds for that part of the values of one of its indices, the others in the middle."""
        index = next(i for i in condition.form.symbols if i in self.indices)
        return self._holds_mostly(index, [condition], part)

    def _holds_mostly(
        self, index: Symbol, conditions: Sequence[Condition], part: float = 0.5
    ) -> bool:
        """Whether those of the conditions that have the index hold together for that part of its values, the others in the middle."""
        values = dict(self.typical)
        for i, (low, high) in self.around.items():
            if values.keys() >= {*low.symbols, *high.symbols}:
                values[i] = (low.at(values) + high.at(values)) // 2
        if any(s not in values for form in self.around[index] for s in form.symbols):
            return True
        first, last = (end.at(values) for end in self.around[index])
        count = last - first + 1
        for condition in conditions:
            # form >= 0  <=>  c*index >= -rest
            c = condition.form.coefficient(index)
            if not c or not values.keys() >= {*condition.form.symbols} - {index}:
                continue  # a quotient of indices: no typical value is known
            rest = condition.form.at({**values, index: 0})
            if c > 0:
                first = max(first, -(rest // c))
            else:
                last = min(last, rest // -c)
        return last - first + 1 >= part * count

    # ------------------------------------------------------------------ through the steps

    def steps(self, steps: Sequence[Step], ranges: Ranges) -> tuple[Step, ...]:
        """The steps without the decided conditions. `ranges` are those of the loops around."""
        result: list[Step] = []
        for step in steps:
            match step:
                case Branch(Domain() as domain, then, otherwise):
                    loops = has_loops(then) and not has_loops(otherwise)
                    rest = self._rest(domain, ranges, behind=loops)
                    if rest == EVERYWHERE:
                        result += self.steps(then, ranges)
                    elif rest is None:
                        result += self.steps(otherwise, ranges)
                    else:
                        both = self.steps(then, ranges), self.steps(otherwise, ranges)
                        result.append(Branch(rest, *both))
                case Branch(condition, then, otherwise):
                    both = self.steps(then, ranges), self.steps(otherwise, ranges)
                    result.append(self._decided(Branch(condition, *both), ranges))
                case Loop(r, body):
                    if not self._is_long(r):
                        lows = self._bounds(r.lows, 1, ranges)
                        r = Range(r.index, lows, self._bounds(r.highs, -1, ranges))
                    result.append(Loop(r, self.steps(body, {**ranges, r.index: r})))
                case LetIndex():
                    result.append(step)
                case _:
                    result.append(self._decided(step, ranges))
        return tuple(result)

    def _decided(self, step: Step, ranges: Ranges) -> Step:
        return selected(step, lambda domain: self._rest(domain, ranges))

    def _rest(self, domain: Domain, ranges: Ranges, *, behind: bool = False) -> Domain | None:
        """The conditions that are not decided; None if one is known to fail. There may be loops `behind` them."""
        rest: list[Condition] = []
        for condition in domain:
            always = self._everywhere(condition, ranges)
            never = self._everywhere(condition.negation, ranges)
            if not self.deciding:
                self.candidates |= {c: None for c in (always, never) if c}
                if behind and always:
                    self.behind.add(always)
                rest.append(condition)
            elif always in self.assumed:
                continue
            elif never in self.assumed:
                return None
            else:
                rest.append(condition)
        return Domain.of(rest)

    def _is_long(self, r: Range) -> bool:
        """Whether the loop has usually many values in the interior."""
        plain = r.only(lambda b: self.indices.isdisjoint(b.form.symbols))
        known = plain.lows and plain.highs and plain.symbols <= self.typical.keys()
        return bool(known) and plain.trips_at(self.typical) > self.longest

    def _bounds(self, bounds: tuple[Bound, ...], sign: int, ranges: Ranges) -> tuple[Bound, ...]:
        """The lows (`sign` 1) or highs (-1) without those that one free of the kernel's indices makes superfluous."""
        plain = [b for b in bounds if self.indices.isdisjoint(b.form.symbols) and b.divisor == 1]
        if not plain or len(bounds) == 1:
            return bounds
        chosen = plain[0]
        kept = [chosen]
        for bound in bounds:
            if bound is chosen:
                continue
            # ceil(e / c) <= low  <=>  e <= c*low;  floor(e / c) >= high  <=>  e >= c*high
            within = at_least_zero((bound.divisor * chosen.form - bound.form) * sign)
            always = self._everywhere(within, ranges)
            if not self.deciding and always:
                self.candidates.setdefault(always)
            if not self.deciding or always not in self.assumed:
                kept.append(bound)
        return tuple(b for b in bounds if b in kept)

    def _everywhere(self, condition: Condition | None, ranges: Ranges) -> Condition | None:
        """A condition on the kernel's indices that makes `condition` hold for all values of the loops around."""
        if condition is None or condition.relation != ">=":
            return None
        form = condition.form
        for index in reversed(tuple(ranges)):
            c = form.coefficient(index)
            if c:
                r = ranges[index]
                bounds = [b for b, d in (r.lows if c > 0 else r.highs) if d == 1]
                if not bounds:
                    return None
                end = min(
                    bounds, key=lambda b: (not self.indices.isdisjoint(b.symbols), len(b.terms))
                )
                form = form.substitute({index: end})
        result = at_least_zero(form)
        plain = self.indices.union(self.typical)
        if (
            result == FALSE
            or not plain.issuperset(form.symbols)
            or self.indices.isdisjoint(form.symbols)
        ):
            return None
        return result
