"""A nest of loops as one, whose threads share all of its points.

    for i = 0..N - 1, for j = 0..i: s += x[i, j]    is    for n = 0..: i, j = digits of n; if j <= i: s += x[i, j]

where all indices but one have so many values at most whatever the sizes are. Ranges that depend on indices of the nest are taken where they
are widest, and points that are in none are left out by a test. Neighbours in the index that sizes bound may stay neighbours:

    n = r + 32*(j + J*m)    for    i = 32*m + r
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Derived, Domain
from tadc.ir.names import Names
from tadc.ir.range import Bound, Range
from tadc.schedule.nest.loop_nest import Branch, LetIndex, Loop, Step, names_in
from tadc.schedule.nest.lower import without_unused
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.unrolled import at_points

__all__ = ["is_box", "joint_loop"]

MOST_TESTED = 2**16  # values of all indices but that which sizes bound


@dataclass(frozen=True, slots=True)
class _Digit:
    """Values of an index from `low` on: `count` of them, or, where sizes say how many, `floor(last.form / last.divisor) + 1`.

    Those that meet all `tests` are the index's.
    """

    index: Symbol
    low: Affine
    count: int | None
    last: Bound
    tests: tuple[Condition, ...]


def is_box(loop: Loop) -> bool:
    """Whether the joint loop of a nest needs no tests."""
    digits = _digits(_nest(loop), {})
    return digits is not None and not any(d.tests for d in digits)


def joint_loop(loop: Loop, values: Sizes, adjacent: int = 1) -> Loop | None:
    """The nest of a loop as one: so many neighbours in the index that sizes bound, if one is, are neighbours of the loop. None where there is
    no nest, or where sizes bound several of its indices, or an index of it bounds another one from one side alone.

    `values` has about the numbers of sizes and of indices around the nest: of several bounds that which is closest there is taken.
    """
    nest = _nest(loop)
    digits = _digits(nest, values)
    if len(nest) == 1 or digits is None:
        return None
    long = [d for d in digits if d.count is None]
    others = [d for d in digits if d.count is not None]
    number = prod(d.count or 1 for d in others)
    if len(long) > 1 or number > MOST_TESTED or (adjacent > 1 and not long):
        return None
    names = Names({r.index for r in (each.range for each in nest)} | names_in(nest[-1].body))
    index = names.fresh("_".join(d.index for d in (*long, *others)))
    steps: list[Step] = []
    places: dict[Symbol, Affine] = {}
    rest, tests = symbol(index), [c for d in digits for c in d.tests]

    def next_digit(name: Symbol, count: int) -> Affine:
        """What the rest is modulo the count; the quotient is left."""
        nonlocal rest
        quotient = Derived(names.fresh(name), rest, count)
        steps.append(LetIndex(quotient))
        digit, rest = rest - count * symbol(quotient.name), symbol(quotient.name)
        return digit

    neighbour = next_digit(long[0].index, adjacent) if adjacent > 1 else constant(0)
    for d in reversed(others if long else others[1:]):
        places[d.index] = d.low + next_digit(d.index, d.count or 1)
    if long:
        (first,) = long
        places[first.index] = first.low + adjacent * rest + neighbour
        tests += _ends(first) if adjacent > 1 else ()
        form, divisor = first.last
        high = Bound(number * (form + adjacent * divisor) - divisor, divisor)
    else:
        places[others[0].index] = others[0].low + rest
        high = Bound(constant(number - 1))
    body = nest[-1].body
    if tests:
        body = (Branch(Domain.of(dict.fromkeys(tests)), body),)
    made = without_unused((*steps, *at_points(body, places, {})))
    return Loop(Range(index, (Bound(constant(0)),), (high,)), made)


def _nest(loop: Loop) -> list[Loop]:
    """The loop, and those inside it, with nothing beside them."""
    nest = [loop]
    while len(nest[-1].body) == 1 and isinstance(nest[-1].body[0], Loop):
        nest.append(nest[-1].body[0])
    return nest


def _digits(nest: Sequence[Loop], values: Sizes) -> list[_Digit] | None:
    """The indices of a nest, in its order; None where one of them has no range that does not depend on others."""
    ends: dict[Symbol, tuple[Affine, Affine]] = {}
    inner = {each.range.index for each in nest}
    digits = []
    for r in (each.range for each in nest):
        low = _widest(r.lows, ends, inner, values, -1)
        high = _widest(r.highs, ends, inner, values, 1)
        if low is None or high is None:
            return None
        first, last = low[0], high[0]
        if first.divisor > 1:
            return None
        form = last.form - last.divisor * first.form
        count = max(0, form.constant // last.divisor + 1) if form.is_constant else None
        if count == 0:
            return None
        met = {b for b, is_exact in (low, high) if is_exact}
        tests = tuple(c for c, b in zip(r.conditions, r.bounds, strict=True) if b not in met)
        digits.append(_Digit(r.index, first.form, count, Bound(form, last.divisor), tests))
        if first.form.is_constant and last.form.is_constant:
            ends[r.index] = first.form, constant(last.form.constant // last.divisor)
    return digits


def _ends(d: _Digit) -> tuple[Condition, ...]:
    """That the index is not beyond its last value."""
    form, divisor = d.last
    return Range(d.index, (), (Bound(form + divisor * d.low, divisor),)).conditions


def _widest(
    bounds: Sequence[Bound],
    ends: Mapping[Symbol, tuple[Affine, Affine]],
    inner: set[Symbol],
    values: Sizes,
    sign: int,
) -> tuple[Bound, bool] | None:
    """What bounds an index from below if `sign` is -1, else from above, wherever the indices between `ends` are; and whether it is a bound as it
    stands. A number, if there is one.
    """
    found = []
    for b in bounds:
        most = {s: ends[s][c * sign > 0] for s, c in b.form.terms if s in ends}
        form = b.form.substitute(most)
        if form.is_constant:
            number = sign * (sign * form.constant // b.divisor)
            found.append((Bound(constant(number)), not most and b.divisor == 1))
        elif inner.isdisjoint(form.symbols):
            found.append((Bound(form, b.divisor), not most and b.divisor == 1))
    numbers = [each for each in found if each[0].form.is_constant]

    def distance(each: tuple[Bound, bool]) -> float:
        form, divisor = each[0]
        return sign * form.at(values) / divisor if set(form.symbols) <= values.keys() else inf

    return min(numbers or found, key=distance, default=None)
