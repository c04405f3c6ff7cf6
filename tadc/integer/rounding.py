"""Divisions in bounds that known conditions make superfluous: `3*q + b >= 0` is `q >= 0` where `0 <= b <= 2`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import gcd

from tadc.integer.dictionary import Dictionary, Unbounded
from tadc.integer.lattice import remainder
from tadc.integer.redundancy import Facts
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.range import Bound

__all__ = ["rounded", "without_remainders"]


def rounded(form: Affine, indices: Collection[Symbol], facts: Facts) -> Affine:
    """A form without a common divisor of its indices that is `>= 0` at the same integer points, if one is found.

    With `c` the common divisor of the coefficients of `indices`, `form = c*whole + rest`. Where
    `c*k <= rest <= c*k + c - 1` is known for one `k`, it is `whole + k`; otherwise the form as it is.
    """
    c = gcd(*(a for s, a in form.terms if s in indices))
    if c < 2:
        return form
    rest = remainder(form, c)
    k = _quotient(rest, c, facts.near([rest]))
    return form if k is None else (form - rest) // c + k


def _quotient(form: Affine, c: int, facts: Facts) -> int | None:
    """`floor(form / c)` if it has but one value, for all that the rational relaxation tells."""
    value = "'value"
    equations = (*facts.equations, symbol(value) - form)
    dictionary = Dictionary.of(facts.inequalities, equations, [value])
    if dictionary is None or not dictionary.restore():
        return None
    least = dictionary.lexicographic_minimum()
    if isinstance(least, Unbounded):
        return None
    k = -(-least[0] // 1) // c
    return None if dictionary.bounded(0, c * k + c, below=True).restore() else k


def without_remainders(bound: Bound, last: Mapping[Symbol, int], *, low: bool) -> Bound:
    """The same bound, a `low` or a high one, without indices whose values, from 0 to the `last` ones, do not change it, if some are found.

    Of `c*whole + rest` over `c*d` the quotient is that of `whole + rest/c` over `d`, each rounded.
    """
    divisors = {bound.divisor, *(gcd(bound.divisor, a) for _, a in bound.form.terms)}
    for c in sorted(divisors - {1}, reverse=True):
        whole = Affine.of({s: a // c for s, a in bound.form.terms if a % c == 0}, 0)
        rest = bound.form - c * whole
        if not last.keys() >= {*rest.symbols}:
            continue
        ends = [rest.constant + sum(side(a * last[s], 0) for s, a in rest.terms) for side in (min, max)]  # fmt: skip
        rounded = {-(-e // c) if low else e // c for e in ends}
        if len(rounded) == 1:
            return Bound(whole + rounded.pop(), bound.divisor // c)
    return bound
