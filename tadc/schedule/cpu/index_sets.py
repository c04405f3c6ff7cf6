"""Loops split where the outcome of a test changes that all lanes take alike ("index-set splitting").

    for j in 0..n - 1: m = min(m, j <= i ? x[j] : 0)
    is
    for j in 0..min(n - 1, i): m = min(m, x[j])
    for j in max(0, i + 1)..n - 1: m = min(m, 0)

The values keep their order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Condition, Domain
from tadc.ir.expr import Select
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.interior import selected
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    FIRST_LANE,
    LAST_LANE,
    Branch,
    Loop,
    Step,
    Strips,
    bound_indices,
    map_bodies,
    steps_of,
    values_of,
)

__all__ = ["with_split_loops"]

MOST_TESTS = 2  # of a loop
FEW = 16  # values: of so few each is tested


def with_split_loops(
    steps: Sequence[Step],
    varying: frozenset[Symbol] = frozenset(),
    lane: Symbol | None = None,
) -> Iterator[Step]:
    """The steps with long loops split. What is `varying` differs between the lanes around, which are neighbours along `lane`."""
    for step in steps:
        if isinstance(step, Strips):
            inside = frozenset(Varying.of({*varying, step.range.index}, step.body).symbols)
            of_results = not (varying or step.sums or step.divided)
            along = step.range.index if of_results else None
            laned = with_split_loops(step.body, inside, along)
            rest = map_bodies(replace(step, body=()), partial(with_split_loops, varying=inside))
            assert isinstance(rest, Strips)
            yield replace(rest, body=tuple(laned))
            continue
        step = map_bodies(step, partial(with_split_loops, varying=varying, lane=lane))
        yield from _split(step, varying, lane) if isinstance(step, Loop) else (step,)


def _split(loop: Loop, varying: frozenset[Symbol], lane: Symbol | None) -> Iterator[Step]:
    """The loop, or one for each part of its range."""
    tests = _tests(loop, varying)
    trips = loop.range.trips
    if len(tests) > MOST_TESTS or (trips is not None and trips <= FEW):
        yield loop
    elif tests:
        for part in _parts(loop, tests[0], (tests[0], tests[0])):
            yield from _split(part, varying, lane)
    elif (
        lane is not None
        and loop.whole is None  # a part of a loop that slants is short, or has no tests
        and len(of_lanes := _tests(loop, varying - {lane})) == 1
    ):
        (test,) = of_lanes
        yield from _parts(loop, test, _ends(test, lane))
    else:
        yield loop


def _ends(test: Condition, lane: Symbol) -> tuple[Condition, Condition]:
    """The test of the lane for which it says most, and of that for which it says least."""
    first, last = (test.substitute({lane: symbol(end)}) for end in (FIRST_LANE, LAST_LANE))
    return (first, last) if test.form.coefficient(lane) > 0 else (last, first)


def _parts(loop: Loop, test: Condition, ends: tuple[Condition, Condition]) -> Iterator[Loop]:
    """A loop for the values where the test holds nowhere, one where it holds somewhere, and one where it holds everywhere, in order:
    there the first one of `ends` holds, somewhere the second one.
    """
    everywhere, somewhere = ends
    nowhere, negation, elsewhere = somewhere.negation, test.negation, everywhere.negation
    assert nowhere and negation and elsewhere, "only inequalities are tests"
    parts = [
        ((nowhere,), _decided(loop.body, negation)),
        ((somewhere, elsewhere), loop.body),
        ((everywhere,), _decided(loop.body, test)),
    ]
    if everywhere == somewhere:
        del parts[1]
    rising = test.form.coefficient(loop.range.index) > 0
    for conditions, body in parts if rising else reversed(parts):
        part = Range.of(loop.range.index, tuple(c.form for c in conditions))
        lows, highs = (*loop.range.lows, *part.lows), (*loop.range.highs, *part.highs)
        within = Range(loop.range.index, lows, highs).ordered
        yield replace(loop, range=within, body=tuple(body), never_empty=False)


def _tests(loop: Loop, varying: frozenset[Symbol]) -> list[Condition]:
    """The conditions in the loop that its index and what stands around it decide, of two opposite ones one."""
    others = varying | bound_indices(loop.body)
    tests: dict[Condition, None] = {}
    for domain in _domains(loop.body):
        for c in domain:
            of_loop = loop.range.index in c.form.symbols and others.isdisjoint(c.form.symbols)
            if of_loop and c.negation and c.negation not in tests:
                tests[c] = None
    return list(tests)


def _domains(steps: Sequence[Step]) -> Iterator[Domain]:
    for step in steps_of(steps):
        if isinstance(step, Branch) and isinstance(step.condition, Domain):
            yield step.condition
        for e in postorder(values_of(step)):
            if isinstance(e, Select) and isinstance(e.condition, Domain):
                yield e.condition


def _decided(steps: Sequence[Step], known: Condition) -> Iterator[Step]:
    """The steps where the condition holds."""
    for step in steps:
        if isinstance(step, Branch) and isinstance(step.condition, Domain):
            rest = _rest(step.condition, known)
            if rest is None or rest == EVERYWHERE:
                yield from _decided(step.otherwise if rest is None else step.then, known)
                continue
            step = replace(step, condition=rest)
        step = map_bodies(step, lambda inner: _decided(inner, known))
        yield selected(step, lambda domain: _rest(domain, known))


def _rest(domain: Domain, known: Condition) -> Domain | None:
    """The conditions that are not known to hold; None if one is known to fail."""
    if known.negation in domain.conditions:
        return None
    return Domain.of(c for c in domain if c != known)
