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

from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE, Condition, Domain
from tadc.ir.expr import Select
from tadc.ir.range import Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.interior import selected
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
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
    steps: Sequence[Step], varying: frozenset[Symbol] = frozenset()
) -> Iterator[Step]:
    """The steps with long loops split. What is `varying` differs between the lanes around."""
    for step in steps:
        inside = varying
        if isinstance(step, Strips):
            inside = frozenset(Varying.of({*varying, step.range.index}, step.body).symbols)
        step = map_bodies(step, partial(with_split_loops, varying=inside))
        yield from _split(step, varying) if isinstance(step, Loop) else (step,)


def _split(loop: Loop, varying: frozenset[Symbol]) -> Iterator[Step]:
    """The loop, or one for each part of its range."""
    tests = _tests(loop, varying)
    trips = loop.range.trips
    if not 0 < len(tests) <= MOST_TESTS or (trips is not None and trips <= FEW):
        yield loop
        return
    test = tests[0]
    rising = test.form.coefficient(loop.range.index) > 0
    negation = test.negation
    assert negation, "only inequalities are tests"
    for condition in (negation, test) if rising else (test, negation):
        part = Range.of(loop.range.index, (condition.form,))
        lows, highs = (*loop.range.lows, *part.lows), (*loop.range.highs, *part.highs)
        within = Range(loop.range.index, lows, highs).ordered
        body = tuple(_decided(loop.body, condition))
        yield from _split(replace(loop, range=within, body=body, never_empty=False), varying)


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
