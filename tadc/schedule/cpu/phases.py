"""Phases of an index: where bounds or quotients divide it by a number, its values with one remainder are computed together.

    for j: y[j] = sum{q = (j - 1)/2 rounded up .. j/2 rounded down} x[q]*w[j - 2*q]

is, for j = 2*t and for j = 2*t + 1, a loop over numbers that all t share, and reads neighbours for neighbours t:

    y[2*t] = x[t - 1]*w[2] + x[t]*w[0];  y[2*t + 1] = x[t]*w[1]

Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import gcd, lcm

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Derived, Domain, at_least_zero
from tadc.ir.expr import Select
from tadc.ir.names import Names
from tadc.ir.range import Bound, Range
from tadc.ir.walk import postorder
from tadc.schedule.nest.lanes import locals_of
from tadc.schedule.nest.loop_nest import (
    Branch,
    Kernel,
    LetIndex,
    Loop,
    Step,
    Store,
    has_loops,
    map_bodies,
    names_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.nest.unrolled import at_points, side_by_side

__all__ = ["MOST", "Phases", "in_phases", "together"]

MOST = 4  # phases
WINDOW = 16  # values of a loop that moves with an index


@dataclass(frozen=True, slots=True)
class Phases:
    """A kernel whose box has `index` in place of one of so many phases, and the surroundings of its steps.

    The index has `count.form // count.divisor` values; the steps ask whether the last ones have all phases.
    """

    kernel: Kernel
    index: Symbol
    count: Bound
    surroundings: Surroundings


def in_phases(kernel: Kernel, lane: Symbol, surroundings: Surroundings) -> Phases | None:
    """The kernel with phases of the index; None where nothing divides it, or there would be many."""
    phases = lcm(*_divisors(kernel.body, lane))
    if not 1 < phases <= MOST or any(isinstance(s, Store) and s.op for s in steps_of(kernel.body)):
        return None
    names = Names(names_of(kernel))
    index = names.fresh(lane)
    extent = dict(zip(kernel.indices, kernel.extents, strict=True))[lane]
    steps: list[Step] = []
    locals_: set[str] = set()
    derived = {s.derived.name for s in steps_of(kernel.body) if isinstance(s, LetIndex)}
    for phase in range(phases):
        renamed = {t: names.fresh(t) if phase else t for t in sorted(kernel.locals)}
        locals_ |= set(renamed.values())
        value = phases * symbol(index) + phase
        own = {d: symbol(names.fresh(d)) for d in sorted(derived)} if phase else {}
        values = {lane: value, **own}
        body = tuple(_windows(at_points(kernel.body, values, renamed), names))
        guard = Domain.of((at_least_zero(extent - 1 - value),))
        steps.append(Branch(guard, body))
    indices = tuple(index if i == lane else i for i in kernel.indices)
    phased = replace(kernel, indices=indices, body=tuple(steps), locals=frozenset(locals_))
    return Phases(
        phased,
        index,
        Bound(extent + (phases - 1), phases),
        _around(surroundings, lane, index, phases),
    )


def together(steps: Sequence[Step], phases: int) -> tuple[Step, ...]:
    """The steps of so many phases with one loop for all of them where their loops are alike, which reads once what they share; the
    elements of neighbours are stored together in the end.
    """
    each = len(steps) // phases
    bodies = [tuple(steps[n : n + each]) for n in range(0, len(steps), each or 1)]
    if _are_apart(bodies):
        steps = side_by_side(bodies) or steps
    stores = [s for s in steps if isinstance(s, Store)]
    return (*(s for s in steps if not isinstance(s, Store)), *stores)


def _are_apart(bodies: Sequence[Sequence[Step]]) -> bool:
    """Whether no body mentions a local of another: where phases differ in their steps, these do not begin at equal distances."""
    each = [locals_of(body) for body in bodies]
    return sum(map(len, each)) == len(set[str]().union(*each))


def _around(surroundings: Surroundings, lane: Symbol, index: Symbol, phases: int) -> Surroundings:
    """The surroundings with the index in place of the lane's."""
    low, high = surroundings.around[lane]
    count = f"'{index}"  # how many values it usually has: no program has it
    middle = surroundings.middle

    def counted(sizes: Mapping[Symbol, int]) -> dict[Symbol, int]:
        return {**sizes, count: max(1, (high.at({**middle, **sizes}) + 1) // phases)}

    around = {
        (index if i == lane else i): (low, symbol(count) - 1) if i == lane else span
        for i, span in surroundings.around.items()
    }
    value = phases * symbol(index)
    conditions = (at_least_zero(symbol(index)), at_least_zero(high - value))
    known = Domain.of(c for c in surroundings.known if lane not in c.form.symbols)
    return replace(
        surroundings,
        around=around,
        known=known & Domain.of(conditions),
        typical=counted(surroundings.typical),
    )


def _divisors(steps: Sequence[Step], lane: Symbol) -> Iterator[int]:
    """Into how many phases each bound, quotient and divisibility divides the index."""
    for step in steps_of(steps):
        match step:
            case LetIndex(Derived() as d):
                yield d.modulus // gcd(d.modulus, d.form.coefficient(lane))
            case Loop(r):
                for form, divisor in r.bounds:
                    yield divisor // gcd(divisor, form.coefficient(lane))
            case _:
                pass
        domains = [step.condition] if isinstance(step, Branch) else []
        domains += [e.condition for e in postorder(values_of(step)) if isinstance(e, Select)]
        for condition in (c for d in domains if isinstance(d, Domain) for c in d):
            if condition.relation == "|":
                modulus = condition.modulus
                yield modulus // gcd(modulus, condition.form.coefficient(lane))


def _windows(steps: Sequence[Step], names: Names) -> Iterator[Step]:
    """The steps with loops of a constant length that begin at 0, and without loops over one value, or over none."""
    for step in steps:
        if not isinstance(step, Loop):
            yield map_bodies(step, lambda inner: _windows(inner, names))
            continue
        if step.range.is_empty:
            continue
        first, length = _window(step.range)
        if first is None or has_loops(step.body):
            inner = tuple(_windows(step.body, names))
            if inner:
                yield replace(step, body=inner)
            continue
        index = step.range.index
        others = [b for b in step.range.bounds if index in b.form.symbols]
        assert not others, "bounds are in terms of symbols further out"
        if length == 1 and len(step.range.bounds) == 2:
            yield from at_points(step.body, {index: first}, {})
            continue
        bounds = [Bound(b.form - b.divisor * first, b.divisor) for b in step.range.bounds]
        lows, highs = bounds[: len(step.range.lows)], bounds[len(step.range.lows) :]
        body = at_points(step.body, {index: symbol(index) + first}, {})
        yield Loop(Range(index, tuple(lows), tuple(highs)), body)


def _window(r: Range) -> tuple[Affine | None, int]:
    """The first of a constant number of values that the range has at most, if it is no number."""
    pairs = [(low, high - low) for low, c in r.lows for high, d in r.highs if c == d == 1]
    lengths = [(n.constant, not low.is_constant, low) for low, n in pairs if n.is_constant]
    length, moves, first = min(lengths, key=lambda each: each[:2], default=(0, False, None))
    return (first, length + 1) if moves and 0 <= length < WINDOW else (None, 0)
