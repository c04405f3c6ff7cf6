"""The numbers that index arithmetic meets, for the choice of its type and for the checks of launchers.

An integer that is computed is bounded by a linear form of the sizes: an index of a statement by its extent, an index of
a loop by one low and one high, and so on inwards. A subscript needs no bound, for it is inside its tensor; where its
parts are larger than an index, they come back within it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import TypeAlias

from tadc.errors import BackendError
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.bounds import Bounds, bounded
from tadc.ir.domain import Condition, Derived, Determined, Domain, Looked
from tadc.ir.expr import Expr, IndexValue, Read, Reduce, Select
from tadc.ir.program import Program, Statement
from tadc.ir.range import Bound
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import (
    Kernel,
    LetIndex,
    Loop,
    Staged,
    TeamLoop,
    first_of,
    last_of,
    steps_of,
)

__all__ = ["Numbers", "numbers"]

MOST_DATA = 2**40  # of a data index
MOST = 2**62  # sums of two still fit into 64 bits
STEEPEST = 1024  # of a bound in 32 bits: more, and sizes of a few million would be too large

Linear: TypeAlias = Mapping[Symbol, Fraction]  # of the sizes; the constant is that of ""
Interval: TypeAlias = tuple[Linear, Linear]


@dataclass(frozen=True, slots=True)
class Numbers:
    """`largest` is at least the absolute value of every coefficient and of every integer that depends on no size.

    `bounds` are the others: highs of an integer for the sizes of a call.
    """

    largest: int
    bounds: tuple[Bound, ...]

    @property
    def are_steep(self) -> bool:
        """Whether a bound grows so fast with the sizes that it needs 64 bits."""
        return any(
            sum(abs(c) for _, c in form.terms) > STEEPEST * divisor for form, divisor in self.bounds
        )


def numbers(program: Program, kernels: Iterable[Kernel] = ()) -> Numbers:
    """The numbers of a program, and of the loops that the threads of a team share in these kernels, whose indices it may not have. Raises
    BackendError if no index type holds them.
    """
    largest = _largest_number(program)
    bounds: dict[Bound, None] = {}
    of_kernels = (_bounds_of_teams(k, {*program.parameters}) for k in kernels)
    for bound in chain(_bounds(program), *of_kernels):
        divisor = lcm(*(c.denominator for c in bound.values()))
        form = Affine.of(
            {s: int(c * divisor) for s, c in bound.items() if s}, int(bound.get("", 0) * divisor)
        )
        if form.is_constant:
            largest = max(largest, form.constant // divisor)
        else:
            bounds[Bound(form, divisor)] = None
    _refuse_beyond_64_bits(largest)
    return Numbers(largest, tuple(bounds))


def _largest_number(program: Program) -> int:
    """The largest absolute value of a coefficient, constant or divisor in an index expression."""
    derived = [d for s in program.statements for d in s.derived]
    forms = [form for d in derived for form in d.forms]
    for e in (e for s in program.statements for e in postorder(s.body)):
        forms += _forms(e)
        derived += e.derived if isinstance(e, Reduce) else ()
    constants = (abs(n) for f in forms for n in (f.constant, *(c for _, c in f.terms)))
    return max((*constants, *(d.modulus for d in derived if isinstance(d, Derived))), default=0)


def _refuse_beyond_64_bits(number: int) -> None:
    if number > MOST:
        raise BackendError(None, "an index does not fit into 64 bits", fix="use smaller numbers")


def _forms(e: Expr) -> Iterator[Affine]:
    match e:
        case Read(_, subscripts):
            yield from subscripts
        case IndexValue(form):
            yield form
        case Reduce(_, _, derived, domain, _):
            yield from (c.form for c in domain)
            yield from (form for d in derived for form in d.forms)
        case Select(Domain() as domain):
            yield from (c.form for c in domain)
        case _:
            pass


# ---- Bounds of computed values


def _bounds(program: Program) -> Iterator[Linear]:
    """Upper bounds of the absolute values, of each twice: of the value, and of its negative."""
    for d in program.derived_sizes:
        for form in d.forms:
            yield from _both(_interval(form, {}))
    for condition in program.facts:
        yield from _sides(condition, {})
    for statement in program.statements:
        yield from _bounds_of(statement)


def _bounds_of_teams(kernel: Kernel, sizes: set[Symbol]) -> Iterator[Linear]:
    """The bounds of the indices of loops that a team shares, which may have several of a statement's as digits."""
    ranges: dict[Symbol, Interval] = {}
    for i, extent in zip(kernel.indices, kernel.extents, strict=True):
        ranges[i] = _linear(constant(0)), _linear(extent - 1)
        ranges |= {first_of(i): ranges[i], last_of(i): (_linear(constant(0)), _linear(extent))}
    for step in steps_of(kernel.body):
        match step:
            case LetIndex(d):
                for _ in _derived(d, ranges):
                    pass  # an index of a statement, or a digit
            case Loop(r) | TeamLoop(r) | Staged(r):
                (first, up), (last, down) = r.lows[0], r.highs[0]
                low, high = _interval(first, ranges)[0], _interval(last, ranges)[1]
                ranges[r.index] = _divided(low, up, 1 - up), _divided(high, down)
                if isinstance(step, TeamLoop) and {*high} <= {*sizes, ""}:
                    yield high
            case _:
                pass


def _bounds_of(statement: Statement) -> Iterator[Linear]:
    ranges: dict[Symbol, Interval] = {}
    for i, extent in zip(statement.indices, statement.target.shape, strict=True):
        ranges[i] = _linear(constant(0)), _linear(extent - 1)
    for d in statement.derived:
        yield from _derived(d, ranges)
    waiting = [(statement.body, ranges)]
    seen: set[tuple[Expr, int]] = set()
    kept = [ranges]  # so that an id stays that of one of them
    while waiting:
        e, around = waiting.pop()
        if (e, id(around)) in seen:
            continue
        seen.add((e, id(around)))
        match e:
            case IndexValue(form):
                yield from _both(_interval(form, around))
            case Select(Domain() as domain):
                for condition in domain:
                    yield from _sides(condition, around)
            case Reduce():
                around = dict(around)
                kept.append(around)
                yield from _loops(bounded(e), around)
            case _:
                pass
        waiting += [(operand, around) for operand in e.operands]


def _loops(bounds: Bounds, ranges: dict[Symbol, Interval]) -> Iterator[Linear]:
    """The bounds of numbers computed in loops; `ranges` gets their indices."""
    for d in bounds.derived:
        yield from _derived(d, ranges)
    for condition in bounds.tests:
        yield from _sides(condition, ranges)
    for b in bounds.each:
        r = b.range
        lows = [_interval(form + (divisor - 1), ranges) for form, divisor in r.lows]
        highs = [_interval(form, ranges) for form, _ in r.highs]
        for interval in (*lows, *highs):
            yield from _both(interval)
        low, high = lows[0][0], highs[0][1]
        up, down = r.lows[0].divisor, r.highs[0].divisor
        ranges[r.index] = _divided(low, up, 1 - up), _divided(high, down)
        for d in b.derived:
            yield from _derived(d, ranges)
        for condition in b.tests:
            yield from _sides(condition, ranges)


def _derived(d: Determined, ranges: dict[Symbol, Interval]) -> Iterator[Linear]:
    if isinstance(d, Looked):
        # Data that lead out of a tensor are refused before; what they may be here needs 64 bits at any rate.
        ranges[d.name] = {"": Fraction(-MOST_DATA)}, {"": Fraction(MOST_DATA)}
        return
    low, high = _interval(d.form, ranges)
    ranges[d.name] = _divided(low, d.modulus, 1 - d.modulus), _divided(high, d.modulus)
    yield from _both((low, high))


def _sides(condition: Condition, ranges: Mapping[Symbol, Interval]) -> Iterator[Linear]:
    """A comparison with its negative terms moved to the other side."""
    form = condition.form
    for sign in (1, -1):
        same_sign = {s: c for s, c in form.terms if c * sign > 0}
        yield from _both(
            _interval(Affine.of(same_sign, max(0, sign * form.constant) * sign), ranges)
        )


def _both(interval: Interval) -> Iterator[Linear]:
    low, high = interval
    yield {s: -c for s, c in low.items()}
    yield high


def _interval(form: Affine, ranges: Mapping[Symbol, Interval]) -> Interval:
    """A low and a high of the form, linear in the sizes."""
    ends: list[dict[Symbol, Fraction]] = []
    for sign in (1, -1):
        total = {"": Fraction(form.constant)}
        for s, c in form.terms:
            factors = ranges[s][0 if c * sign > 0 else 1] if s in ranges else {s: Fraction(1)}
            for t, factor in factors.items():
                total[t] = total.get(t, Fraction(0)) + c * factor
        ends.append({t: c for t, c in total.items() if c})
    low, high = ends
    return low, high


def _linear(form: Affine) -> Linear:
    return _interval(form, {})[0]


def _divided(form: Linear, divisor: int, offset: int = 0) -> Linear:
    """`(form + offset) / divisor`."""
    shifted = {**form, "": form.get("", Fraction(0)) + offset}
    return {s: c / divisor for s, c in shifted.items() if c}
