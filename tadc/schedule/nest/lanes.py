"""Loops in strips of neighbours, so that a compiler uses vector registers without changing a single rounding.

Steps that depend on the strip's index are done lane by lane, in short loops of a constant count; others are done once
per strip; a loop whose bounds all lanes share stands around the loops over the lanes. No lane sees another, so every sum
keeps its order.

A reduction's innermost loop may be cut into strips too. Then every lane has accumulators of its own, which are combined
pairwise in the end: another order, which depends on the number of terms alone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Determined, Domain
from tadc.ir.expr import Comparison, Expr, Read, ReduceOp, Select
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder, rewrite
from tadc.schedule.nest.loop_nest import (
    FIRST_LANE,
    LAST_LANE,
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Lanes,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    Strips,
    data_of,
    has_loops,
    map_bodies,
    steps_of,
    symbols_of,
    values_of,
)
from tadc.schedule.rewrite.looked_up import needed

__all__ = [
    "NARROW",
    "LaneLimits",
    "Varying",
    "accumulated",
    "apart",
    "in_lanes",
    "lane_limits_of",
    "lanes_of_loop",
    "locals_of",
    "most_lanes",
    "straight",
    "strips",
]

# The most lanes of the sizes that have not many values.
LaneLimits: TypeAlias = Mapping[Symbol, int]

NARROW = 8  # an index with fewer values has no lanes


def strips(
    r: Range, body: tuple[Step, ...], lanes: int | None, times: int = 1, halves: bool = False
) -> Strips:
    """A loop whose iterations write different elements, in strips of at most `lanes`, or of `times` as many, that end in `halves`."""
    laned, wide = in_lanes(tuple(_straightened(body, r.index)), {r.index})
    return Strips(r, laned, body, wide, lanes, times=times, halves=halves)


def in_lanes(
    body: Sequence[Step], indices: Set[Symbol], sums: Collection[str] = ()
) -> tuple[tuple[Step, ...], tuple[str, ...]]:
    """The steps, those that differ between lanes in `Lanes`, and the locals with a value per lane. Lanes differ in the indices, and
    each adds to `sums` of its own, the same value as others if need be: they are not among those locals.
    """
    varying = Varying.of(indices, body, sums)
    laned = _laned(body, varying, ())
    wide = (varying.locals & _in_several(laned)).difference(sums)
    return tuple(_widened(laned, wide)), tuple(sorted(wide))


def most_lanes(extent: Affine, lane_limits: LaneLimits) -> int | None:
    """The number of lanes that an index of that extent can fill, if known to be small; 0 for less than NARROW values."""
    if extent.is_constant:
        return _lanes(extent.constant)
    known = [lane_limits[s] for s in extent.symbols if s in lane_limits]
    plain = len(known) == len(extent.terms) and all(c == 1 for _, c in extent.terms)
    return min(known) if plain else None


def lane_limits_of(sizes: Mapping[Symbol, int]) -> LaneLimits:
    """The sizes that fill few lanes as extents, with how many."""
    limits = ((s, _lanes(n)) for s, n in sizes.items())
    return {s: lanes for s, lanes in limits if lanes is not None}


def _lanes(count: int) -> int | None:
    if count < NARROW:
        return 0
    return next((lanes for lanes in (8, 16) if count < 2 * lanes), None)


def lanes_of_loop(loop: Loop, lane_limits: LaneLimits) -> int | None:
    """The number of lanes that the loop fills, if known to be small."""
    counts = []
    for width, c in loop.range.widths:
        if c == 1:
            counts.append(most_lanes(width + 1, lane_limits))
        elif width.is_constant:
            counts.append(_lanes(width.constant // c + 1))
    return min((n for n in counts if n is not None), default=None)


def straight(loop: Loop, lane: Symbol) -> tuple[Loop, ...] | None:
    """A loop whose range moves from lane to lane as loops that all lanes share, in order; None if it is no such loop.

    The middle part is in the range of every lane. Before and after it, each lane tests whether it takes part.
    """
    slanting = loop.range.only(lambda b: lane in b.form.symbols)
    several = len(slanting.lows) > 1 or len(slanting.highs) > 1
    if several or has_loops(loop.body) or any(c != 1 for _, c in slanting.bounds):
        return None
    plain = loop.range.only(lambda b: lane not in b.form.symbols)
    i, lows, highs = plain.index, plain.lows, plain.highs
    # The least and the greatest value over the lanes, of the low and of the high.
    least_lows, inner_lows = ([_over_lanes(b, lane)[k] for b in slanting.lows] for k in (0, 1))
    inner_highs, most_highs = ([_over_lanes(b, lane)[k] for b in slanting.highs] for k in (0, 1))
    parts: list[tuple[Range, tuple[Condition, ...]]] = []
    if inner_lows:
        before = (*highs, *most_highs, Bound(inner_lows[0].form - 1))
        parts.append((Range(i, (*lows, *least_lows), before), slanting.conditions))
    parts.append((Range(i, (*lows, *inner_lows), (*highs, *inner_highs)), ()))
    if inner_highs:
        behind = (*lows, *inner_lows, Bound(inner_highs[0].form + 1))
        tests = replace(slanting, lows=()).conditions
        parts.append((Range(i, behind, (*highs, *most_highs)), tests))
    return tuple(
        Loop(r, (Branch(Domain.of(tests), loop.body),) if tests else loop.body, whole=loop.range)
        for r, tests in parts
    )


def _over_lanes(bound: Bound, lane: Symbol) -> tuple[Bound, Bound]:
    """The least and the greatest value over all lanes of a strip."""
    first, last = (bound.substitute({lane: symbol(end)}) for end in (FIRST_LANE, LAST_LANE))
    return (first, last) if bound.form.coefficient(lane) > 0 else (last, first)


def _straightened(steps: Sequence[Step], lane: Symbol) -> Iterator[Step]:
    """The steps with loops that slant replaced."""
    for step in steps:
        match step:
            case Loop(r):
                loops = straight(step, lane) if lane in r.symbols else None
                if loops:
                    yield from loops
                else:
                    yield map_bodies(step, lambda inner: _straightened(inner, lane))
            case _:
                yield map_bodies(step, lambda inner: _straightened(inner, lane))


def accumulated(loop: Loop) -> dict[str, ReduceOp]:
    """The sums around the loop that it adds to, if that is all it does, but for adding to elements that each iteration has for itself:
    iterations may then go in any order.
    """
    inner = list(steps_of(loop.body))
    inner_locals = {s.local for s in inner if isinstance(s, (Let, Accumulator))}
    sums = {
        s.local: s.op for s in inner if isinstance(s, Accumulate) and s.local not in inner_locals
    }
    read = {t for s in inner for e in values_of(s) for t in _locals_read(e)}
    assigned = {s.local for s in inner if isinstance(s, Assign)}
    alone = not any(
        isinstance(s, Strips) or (isinstance(s, Store) and not _has_own(s, loop.range.index))
        for s in inner
    )
    return sums if alone and assigned <= inner_locals and read.isdisjoint(sums) else {}


def _has_own(s: Store, index: Symbol) -> bool:
    """Whether each value of the index has elements of its own, to which it adds."""
    return s.op is not None and not s.atomic and any(f.as_symbol() == index for f in s.subscripts)


def _locals_read(e: Expr) -> Iterator[str]:
    return (node.tensor for node in postorder(e) if isinstance(node, Read) and not node.subscripts)


@dataclass(frozen=True, slots=True)
class Varying:
    """The indices and locals that differ between the lanes; `data` are indices that are looked up."""

    symbols: set[Symbol]
    locals: set[str]
    data: frozenset[Symbol] = frozenset()

    @classmethod
    def of(
        cls, indices: Set[Symbol], body: Sequence[Step], locals_: Collection[str] = ()
    ) -> Varying:
        varying = cls(set(indices), set(locals_), data_of(body))
        before = -1
        while before != (before := len(varying.symbols) + len(varying.locals)):
            varying.extend(body, divergent=False)
        return varying

    def extend(self, steps: Sequence[Step], *, divergent: bool) -> None:
        """Add the indices and locals that vary in `steps`; with `divergent`, in a branch or loop that not all lanes take alike."""
        for step in steps:
            match step:
                case LetIndex(d):
                    if divergent or any(map(self.has_form, d.forms)):
                        self.symbols.add(d.name)
                case Let(local) | Accumulator(local) | Assign(local) | Accumulate(local):
                    if divergent or self.has_value(step):
                        self.locals.add(local)
                case Loop(r, body):
                    varies = divergent or self.has_bounds(step)
                    if varies:
                        self.symbols.add(r.index)
                    self.extend(body, divergent=varies)
                case Branch(_, then, otherwise):
                    varies = divergent or self.has_condition(step)
                    self.extend(then, divergent=varies)
                    self.extend(otherwise, divergent=varies)
                case _:
                    pass

    def has_form(self, form: Affine) -> bool:
        return not self.symbols.isdisjoint(form.symbols)

    def has_value(self, step: Step) -> bool:
        return any(
            not self.symbols.isdisjoint(e.symbols) or not self.locals.isdisjoint(_locals_read(e))
            for e in values_of(step)
        )

    def has_bounds(self, loop: Loop) -> bool:
        return not self.symbols.isdisjoint(loop.range.symbols)

    def has_condition(self, branch: Branch) -> bool:
        if isinstance(branch.condition, Domain):
            return not self.symbols.isdisjoint(branch.condition.symbols)
        return self.has_value(branch)

    def tests_data(self, condition: Domain | Comparison) -> bool:
        """Whether the condition is one on data, which no compiler turns into a mask of lanes."""
        return isinstance(condition, Domain) and not self.data.isdisjoint(condition.symbols)

    def has(self, step: Step) -> bool:
        """Whether the step, or one inside it, differs between lanes."""
        for s in steps_of((step,)):
            match s:
                case LetIndex(d):
                    varies = d.name in self.symbols
                case Let(local) | Accumulator(local) | Accumulate(local) | Assign(local):
                    varies = local in self.locals
                case Loop():
                    varies = self.has_bounds(s)
                case Branch():
                    varies = self.has_condition(s)
                case _:
                    varies = True
            if varies:
                return True
        return False


def _laned(
    steps: Sequence[Step], varying: Varying, derived: tuple[Determined, ...]
) -> tuple[Step, ...]:
    """Runs of varying steps as `Lanes`. `derived` vary and are in scope: each run computes those that it uses."""
    result: list[Step] = []
    run: list[Step] = []

    def close() -> None:
        if run:
            result.append(Lanes((*map(LetIndex, _used_derived(run, derived)), *run)))
            run.clear()

    for step in steps:
        step = _chosen_before(step, varying)
        if not varying.has(step):
            close()
            result.append(step)
            continue
        match step:
            case LetIndex(d):
                derived = (*derived, d)
            case Loop(_, body) if not varying.has_bounds(step):
                close()
                result.append(replace(step, body=_laned(body, varying, derived)))
            case Branch(condition, then, otherwise) if not varying.has_condition(step) and (
                has_loops((step,)) or varying.tests_data(condition)
            ):
                close()
                both = _laned(then, varying, derived), _laned(otherwise, varying, derived)
                result.append(Branch(condition, *both))
            case Branch(condition) if varying.tests_data(condition):
                close()  # no vectors are made of it: of what stands around it there may be
                run.append(step)
                close()
            case _:
                run.append(step)
    close()
    return tuple(result)


def _chosen_before(step: Step, varying: Varying) -> Step:
    """The step, behind a branch if it stores what data choose for all lanes alike: no compiler takes that out of a loop over lanes."""
    if not isinstance(step, Store) or step.op is not None:
        return step
    conditions = (
        e.condition
        for e in postorder(step.value)
        if isinstance(e, Select) and isinstance(e.condition, Domain)
    )
    shared = (
        c for c in conditions if varying.tests_data(c) and varying.symbols.isdisjoint(c.symbols)
    )
    condition = next(shared, None)
    if condition is None:
        return step

    def where(holds: bool) -> Step:
        def chosen(e: Expr) -> Expr:
            if isinstance(e, Select) and e.condition == condition:
                return e.then if holds else e.otherwise
            return e

        return replace(step, value=rewrite(step.value, chosen))

    return Branch(condition, (where(True),), (where(False),))


def apart(lanes: Lanes) -> tuple[Lanes, ...]:
    """The lanes' steps in groups that share no locals: compilers keep the sums of a loop with a single one in registers."""
    groups: list[tuple[set[str], list[Step]]] = []
    indices = [s for s in lanes.body if isinstance(s, LetIndex)]
    for step in (s for s in lanes.body if not isinstance(s, LetIndex)):
        used = locals_of((step,))
        joined = [g for g in groups if g[0] & used]
        groups = [g for g in groups if not g[0] & used]
        locals_ = used.union(*(g[0] for g in joined))
        groups.append((locals_, [*(s for g in joined for s in g[1]), step]))
    return tuple(
        Lanes((*map(LetIndex, _used_derived(steps, [s.derived for s in indices])), *steps))
        for _, steps in groups
    )


def _in_several(steps: Sequence[Step]) -> set[str]:
    """The locals that more than one `Lanes` mentions: each lane's value must be kept between them."""
    seen: set[str] = set()
    several: set[str] = set()
    for lanes in (s for s in steps_of(steps) if isinstance(s, Lanes)):
        used = locals_of(lanes.body)
        several |= seen & used
        seen |= used
    return several


def locals_of(steps: Sequence[Step]) -> set[str]:
    """The locals that the steps write or read."""
    every = list(steps_of(steps))
    written = {s.local for s in every if isinstance(s, (Let, Accumulator, Accumulate, Assign))}
    return written.union(t for s in every for e in values_of(s) for t in _locals_read(e))


def _widened(steps: Sequence[Step], wide: Collection[str]) -> Iterator[Step]:
    """The steps with assignments for declarations of `wide` locals, which are declared around the strip."""
    for step in steps:
        match step:
            case Let(local, value) | Accumulator(local, value) if local in wide:
                yield Assign(local, value)
            case _:
                yield map_bodies(step, lambda inner: _widened(inner, wide))


def _used_derived(run: Sequence[Step], derived: Collection[Determined]) -> tuple[Determined, ...]:
    return needed({s for step in steps_of(run) for s in symbols_of(step)}, derived)
