"""The number of integer points of a set, without going through those of indices that take many values.

Quotients and conditions on remainders are affine in `u` for each remainder `r` of the indices, `i = L*u + r`. Equations give an index by
others. What is left are inequalities: independent parts are multiplied, indices of few values gone through, and of two indices
each line that bounds the second one counts over the range of the first in which it does, by a sum of quotients in as many steps as
Euclid's algorithm has.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import gcd, inf, lcm, prod
from typing import TypeAlias

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import FALSE, Condition, Derived

__all__ = ["needed", "number_of_points"]

MOST_SETS = 4096  # remainders and values that are gone through

_Line: TypeAlias = tuple[int, int, int]  # (a*i + b)/m


def number_of_points(
    indices: Sequence[Symbol],
    derived: Sequence[Derived],
    conditions: Iterable[Condition],
    sizes: Mapping[Symbol, int],
) -> int | None:
    """The points for the sizes; None where more than two indices that depend on one another take many values, or equations hide one."""
    numbers = {s: constant(n) for s, n in sizes.items()}
    known = [c.substitute(numbers) for c in conditions]
    quotients = [d.substitute(numbers) for d in derived]
    periods = _periods(indices, quotients, known)
    if prod(periods.values()) > MOST_SETS:
        return None
    total = 0
    for remainders in product(*map(range, periods.values())):
        values = {
            i: n * symbol(i) + r for (i, n), r in zip(periods.items(), remainders, strict=True)
        }
        for d in quotients:
            values[d.name] = _divided(d.form.substitute(values), d.modulus)
        count = _count(tuple(indices), [c.substitute(values) for c in known], MOST_SETS)
        if count is None:
            return None
        total += count
    return total


def needed(derived: Sequence[Derived], conditions: Iterable[Condition]) -> list[Derived]:
    """The quotients that conditions, or others of these, mention."""
    mentioned = {s for c in conditions for s in c.form.symbols}
    found: list[Derived] = []
    for d in reversed(derived):
        if d.name in mentioned:
            found.insert(0, d)
            mentioned.update(d.symbols)
    return found


def _periods(
    indices: Sequence[Symbol], derived: Sequence[Derived], conditions: Sequence[Condition]
) -> dict[Symbol, int]:
    """For each index the least step by which all quotients grow by whole numbers, and no remainder changes."""
    periods = dict.fromkeys(indices, 1)
    quotients = {d.name: d for d in derived}

    def need(form: Affine, modulus: int) -> None:
        for s, c in form.terms:
            step = modulus // gcd(c, modulus)
            if s in quotients:
                need(quotients[s].form, quotients[s].modulus * step)
            else:
                periods[s] = lcm(periods[s], step)

    for d in derived:
        need(d.form, d.modulus)
    for c in conditions:
        if c.relation == "|":
            need(c.form, c.modulus)
    return periods


def _divided(form: Affine, modulus: int) -> Affine:
    """The quotient of a form whose coefficients the modulus divides."""
    rest = form.constant % modulus
    return (form - rest) // modulus


def _count(indices: tuple[Symbol, ...], conditions: Sequence[Condition], most: int) -> int | None:
    """The points of inequalities and equations, for at most so many values of indices that are gone through."""
    conditions = [c for c in dict.fromkeys(conditions) if c.form.symbols or c == FALSE]
    if FALSE in conditions:
        return 0
    for c in conditions:
        if c.relation == "==":
            index = next((s for s, k in c.form.terms if abs(k) == 1), None)
            if index is None:
                return None
            value = {index: symbol(index) - c.form.coefficient(index) * c.form}
            left = [o.substitute(value) for o in conditions if o != c]
            return _count(tuple(i for i in indices if i != index), left, most)
    total = 1
    for part in _parts(indices, conditions):
        own = [c for c in conditions if not part.isdisjoint(c.form.symbols)]
        count = _of_part(tuple(i for i in indices if i in part), own, most)
        if count is None:
            return None
        total *= count
    return total


def _parts(indices: Sequence[Symbol], conditions: Sequence[Condition]) -> list[set[Symbol]]:
    """The indices in groups that no condition links."""
    groups: list[set[Symbol]] = [{i} for i in indices]
    for c in conditions:
        touched = [g for g in groups if not g.isdisjoint(c.form.symbols)]
        groups = [g for g in groups if g not in touched] + [set[Symbol]().union(*touched)]
    return groups


def _of_part(indices: tuple[Symbol, ...], conditions: Sequence[Condition], most: int) -> int | None:
    ranges = {i: _range(i, conditions) for i in indices}
    match indices:
        case [i]:
            low, high = ranges[i]
            return None if inf in (-low, high) else max(0, int(high) - int(low) + 1)
        case [i, j]:
            return _of_two(i, j, conditions)
    index = min(indices, key=lambda i: ranges[i][1] - ranges[i][0])
    low, high = ranges[index]
    if high - low >= most:
        return None
    total = 0
    others = tuple(i for i in indices if i != index)
    values = range(int(low), int(high) + 1)
    for n in values:
        left = [c.substitute({index: constant(n)}) for c in conditions]
        count = _count(others, left, most // len(values))
        if count is None:
            return None
        total += count
    return total


def _range(index: Symbol, conditions: Iterable[Condition]) -> tuple[float | int, float | int]:
    """The least and the greatest value that conditions on the index alone leave."""
    low, high = -inf, inf
    for c in conditions:
        if c.form.symbols == (index,):  # its coefficient is 1 or -1: conditions are tightened
            if c.form.coefficient(index) > 0:
                low = max(low, -c.form.constant)
            else:
                high = min(high, c.form.constant)
    return low, high


def _of_two(i: Symbol, j: Symbol, conditions: Sequence[Condition]) -> int | None:
    """The points (i, j): for ranges of `i` in which the same lines bound `j`."""
    highs: list[_Line] = []
    lows: list[_Line] = []
    of_i: list[_Line] = []  # a*i + b >= 0
    for c in conditions:
        a, k, b = c.form.coefficient(i), c.form.coefficient(j), c.form.constant
        if k < 0:
            highs.append((a, b, -k))
        elif k > 0:
            lows.append((-a, -b, k))
        else:
            of_i.append((a, b, 1))
    if not highs or not lows:
        return None
    for (a, b, m), (c_, d, n) in product(highs, lows):
        of_i.append((a * n - c_ * m, b * n - d * m, 1))
    if any(a == 0 and b < 0 for a, b, _ in of_i):
        return 0
    starts = [-(b // a) for a, b, _ in of_i if a > 0]
    ends = [b // -a for a, b, _ in of_i if a < 0]
    if not starts or not ends:
        return None
    first, last = max(starts), min(ends)
    cuts = {first}
    for (a, b, m), (c_, d, n) in combinations([*highs, *lows], 2):
        if a * n != c_ * m:
            cut = (d * m - b * n) // (a * n - c_ * m) + 1  # behind the point where they meet
            cuts |= {cut} if first < cut <= last else set()
    bounds = [*sorted(cuts), last + 1]
    return sum(_between(lows, highs, s, e - 1) for s, e in pairwise(bounds) if s < e)


def _between(lows: Sequence[_Line], highs: Sequence[_Line], first: int, last: int) -> int:
    """The points between the lines for `first <= i <= last`, where no two of them cross."""

    def place(line: _Line) -> tuple[Fraction, Fraction]:
        a, b, m = line
        return Fraction(a * first + b, m), Fraction(a * last + b, m)

    low, high = max(lows, key=place), min(highs, key=place)
    (a, b, m), (c, d, n) = low, high
    if all(below <= above for below, above in zip(place(low), place(high), strict=True)):
        length = last - first + 1
        ends = _sum_of_quotients(length, n, c, c * first + d)
        return ends + _sum_of_quotients(length, m, -a, -a * first - b) + length
    # Below one another, they may meet at an end.
    return sum(max(0, (c * i + d) // n + (-a * i - b) // m + 1) for i in {first, last})


def _sum_of_quotients(count: int, modulus: int, step: int, start: int) -> int:
    """The sum of `(step*t + start) // modulus` for `0 <= t < count`."""
    total = 0
    while True:
        whole, step = divmod(step, modulus)
        total += count * (count - 1) // 2 * whole
        whole, start = divmod(start, modulus)
        total += count * whole
        if step * count + start < modulus:
            return total
        count, start = divmod(step * count + start, modulus)
        modulus, step = step, modulus
