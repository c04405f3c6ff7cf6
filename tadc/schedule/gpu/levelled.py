"""Loops that all points of a tile have, though bounds and conditions differ between them.

    if j <= i:                                 if first j of the tile <= last i of it:
      for k = 0..i: s += a[i, k]*b[k, j]   is    for k = 0..last i of the tile: if k <= i: s += a[i, k]*b[k, j]

with a test of each point inside instead. What loops compute for a point that no condition holds for is dropped, if all that they read is in
buffers, which may be read anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import starmap

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain, at_least_zero
from tadc.ir.expr import Comparison, Const, Expr
from tadc.ir.range import Bound, Range
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    first_of,
    has_loops,
    last_of,
    map_bodies,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.short_loops import UNROLLED

__all__ = ["Levelling"]

MOST_BETWEEN = 128  # values of a loop between numbers, though not all points have all of them
WORTH = 2  # times as many values as a window that moves with the points has


@dataclass(frozen=True, slots=True)
class Levelling:
    """What differs between points of a tile, and the extents of those indices whose first and last value in a tile are known.

    With `short` all loops that may be between numbers are. With `dropping` loops whose sums are read under a condition are not tested.
    """

    varying: Varying
    extents: Mapping[Symbol, Affine]
    short: bool = False
    dropping: bool = False

    def is_level(self, steps: Sequence[Step], *, tested: bool = False) -> bool:
        """Whether all loops may be the same for all points; `tested` ones are run for points that they are not for."""
        if tested and has_loops(steps) and _stay_together(steps):
            return False
        for step in steps:
            match step:
                case Loop(r, body):
                    level = self._range(step)
                    if level is None and self.varying.has_bounds(step):
                        return False
                    if not self._inside(r).is_level(body, tested=tested or level is not None):
                        return False
                case Branch(condition, then, otherwise) if has_loops((step,)):
                    differs = self.varying.has_condition(step)
                    if differs and (not isinstance(condition, Domain) or has_loops(otherwise)):
                        return False
                    if not self.is_level(then, tested=tested or differs):
                        return False
                    if not self.is_level(otherwise, tested=tested):
                        return False
                case _:
                    pass
        return True

    def levelled(self, steps: Sequence[Step], tests: tuple[Condition, ...] = ()) -> Iterator[Step]:
        """The steps, with loops that all points have, for points where the `tests` hold."""
        if tests and _stay_together(steps):
            yield Branch(Domain.of(tests), tuple(self.levelled(steps)))
            return
        run: list[Step] = []
        begun = {s.local for s in steps if isinstance(s, Accumulator)}
        numbers: dict[str, Expr] = {}  # of sums to which nothing is added yet
        for step in steps:
            changed = _changed(step)
            if has_loops((step,)) or _is_harmless(step):
                yield from _tested(run, tests)
                run = []
                further = () if self.dropping and changed <= begun else tests
                if (
                    self.dropping
                    and isinstance(step, Branch)
                    and self._may_be_dropped(step)
                    and changed <= numbers.keys()
                ):
                    before = {s: e for s, e in numbers.items() if s in changed}
                    yield from self._dropping(step, further, before)
                else:
                    yield from self._levelled(step, further)
            else:
                run.append(step)
            numbers = {s: e for s, e in numbers.items() if s not in changed}
            if isinstance(step, Accumulator) and isinstance(step.initial, Const):
                numbers[step.local] = step.initial
        yield from _tested(run, tests)

    def _may_be_dropped(self, step: Branch) -> bool:
        """Whether the branch has loops alone, under a condition that points differ in."""
        loops = all(isinstance(s, (Loop, LetIndex)) for s in step.then) and not step.otherwise
        return loops and isinstance(step.condition, Domain) and self.varying.has_condition(step)

    def _dropping(
        self, step: Branch, tests: tuple[Condition, ...], numbers: Mapping[str, Expr]
    ) -> Iterator[Step]:
        """Loops under a condition, done for all points: sums of those that do not meet it are the numbers that they were before."""
        assert isinstance(step.condition, Domain)
        around = Domain.of(self._somewhere(step.condition))
        body = tuple(self.levelled(step.then, tests))
        yield from (Branch(around, body),) if around.conditions else body
        yield Branch(step.condition, (), tuple(starmap(Assign, numbers.items())))

    def _levelled(self, step: Step, tests: tuple[Condition, ...]) -> Iterator[Step]:
        match step:
            case Loop(r, body):
                level = self._range(step)
                left = _without(r, level).conditions if level else ()
                inner = self._inside(r).levelled(body, (*tests, *left))
                yield Loop(level or r, tuple(inner))
            case Branch(Domain() as domain, then, otherwise) if self.varying.has_condition(step):
                body = tuple(self.levelled(then, (*tests, *domain.conditions)))
                around = Domain.of(self._somewhere(domain))
                yield from (Branch(around, body),) if around.conditions else body
                if otherwise:
                    yield from _tested([Branch(domain, (), otherwise)], tests)
            case Branch():
                yield map_bodies(step, lambda inner: self.levelled(inner, tests))
            case _:
                yield step

    def _inside(self, r: Range) -> Levelling:
        """Inside the loop: its index is the same for all points."""
        symbols = self.varying.symbols - {r.index}
        return replace(self, varying=replace(self.varying, symbols=symbols))

    def _range(self, loop: Loop) -> Range | None:
        """The range in place of the loop's: between numbers, or that of all points; None if it is not to change, or cannot."""
        r = loop.range
        if self.varying.has_bounds(loop):
            slanting = r.only(lambda b: self.varying.has_form(b.form))
            windows = [width.constant + 1 for width, _ in slanting.widths if width.is_constant]
            most = max(UNROLLED, WORTH * min(windows)) if windows else MOST_BETWEEN
            return _between_numbers(r, most) or self._of_all(r)
        return _between_numbers(r, UNROLLED) if self.short and not r.trips else None

    def _of_all(self, r: Range) -> Range | None:
        """The values of all points of a tile; None where its ends say nothing of them, or where a window moves with the points."""
        slanting = r.only(lambda b: self.varying.has_form(b.form))
        known = self.extents.keys()
        if any(width.is_constant for width, _ in r.widths):
            return None
        if not all(
            self.varying.symbols & set(form.symbols) <= known for form, _ in slanting.bounds
        ):
            return None
        lows, highs = [], []
        for b in r.lows:
            lows += self._ends(b, least=True) if b in slanting.lows else [b]
        for b in r.highs:
            highs += self._ends(b, least=False) if b in slanting.highs else [b]
        return Range(r.index, tuple(dict.fromkeys(lows)), tuple(dict.fromkeys(highs)))

    def _ends(self, b: Bound, *, least: bool) -> list[Bound]:
        """The least, or the greatest value of a bound in a tile, and that in the box, as a tile may reach beyond it."""
        form = b.form
        used = self.extents.keys() & set(form.symbols)
        first = {i: (form.coefficient(i) > 0) == least for i in used}
        of_tile = {i: symbol((first_of if first[i] else last_of)(i)) for i in used}
        of_box = {i: constant(0) if first[i] else self.extents[i] - 1 for i in used}
        return [b.substitute(of_tile), b.substitute(of_box)]

    def _somewhere(self, domain: Domain) -> Iterator[Condition]:
        """The conditions for some point of the tile, as far as they say something of it."""
        for c in domain:
            differing = self.varying.symbols & set(c.form.symbols)
            if not differing:
                yield c
            elif c.relation == ">=" and differing <= self.extents.keys():
                most = {i: symbol((last_of if c.form.coefficient(i) > 0 else first_of)(i)) for i in differing}  # fmt: skip
                yield at_least_zero(c.form.substitute(most))


def _without(r: Range, level: Range) -> Range:
    """The bounds that a range has not any more."""
    return r.only(lambda b: b not in level.bounds)


def _between_numbers(r: Range, most: int) -> Range | None:
    """The range between those bounds that are numbers; None if there are none, or more values between them."""
    level = r.only(lambda b: b.form.is_constant)
    return level if level.trips is not None and level.trips <= most else None


def _is_harmless(step: Step) -> bool:
    """Whether the step needs no test: it is another name for an index, or a number."""
    return isinstance(step, LetIndex) or (isinstance(step, Accumulator) and isinstance(step.initial, Const))  # fmt: skip


def _stay_together(steps: Sequence[Step]) -> bool:
    """Whether steps cannot be tested one by one: those that decide about loops by values, which may be nowhere where the tests fail, too."""
    by_values = (s for s in steps if isinstance(s, Branch) and isinstance(s.condition, Comparison))
    return _are_read_later(steps) or any(has_loops((s,)) for s in by_values)


def _are_read_later(steps: Sequence[Step]) -> bool:
    """Whether locals are read behind a loop, or in it, that would be in a branch of their own before it."""
    own, before = set[str](), set[str]()
    for step in steps:
        if has_loops((step,)) or _is_harmless(step):
            before |= own
            own = set()
        if not before.isdisjoint(e.tensor for e in reads_of((step,))):
            return True
        if isinstance(step, (Let, Accumulator)) and not _is_harmless(step):
            own.add(step.local)
    return False


def _tested(steps: Sequence[Step], tests: tuple[Condition, ...]) -> Iterator[Step]:
    """The steps where the tests hold."""
    yield from (Branch(Domain.of(tests), tuple(steps)),) if tests and steps else steps


def _changed(step: Step) -> set[str]:
    """What a step adds to, and stores."""
    inner = list(steps_of((step,)))
    begun = {s.local for s in inner if isinstance(s, Accumulator)}
    locals_ = {s.local for s in inner if isinstance(s, (Accumulate, Assign))}
    return (locals_ - begun) | {s.tensor for s in inner if isinstance(s, Store)}
