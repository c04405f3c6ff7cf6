"""Divisions in bounds that known conditions make superfluous: `3*q + b >= 0` is `q >= 0` where `0 <= b <= 2`."""

from __future__ import annotations

from collections.abc import Collection
from math import gcd

from tadc.integer.dictionary import Dictionary, Unbounded
from tadc.integer.lattice import remainder
from tadc.integer.redundancy import Facts
from tadc.ir.affine import Affine, Symbol, symbol

__all__ = ["rounded"]


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
