"""Sums over the same range whose terms have a factor in common are one sum.

    dx[i,d] = sum{j} w[i,j]*x[j,d] + sum{j} w[j,i]*x[j,d]      is      dx[i,d] = sum{j} (w[i,j] + w[j,i])*x[j,d]

is the gradient of what compares all pairs of rows, by either of them. What is in brackets is the same for all `d`, so that half of the
multiplications are left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias

from tadc.ir.affine import Symbol
from tadc.ir.expr import Call, Const, Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.schedule.rewrite.common import in_indices_of
from tadc.schedule.rewrite.factor import Factor, factors_of, product_of, sum_of
from tadc.schedule.rewrite.joined import signed_terms

__all__ = ["with_common_factors"]


NEGATIVE = Factor("mul", Const(-1))
MOST_BEFORE = 8  # terms that one is compared with: there may be thousands

# The only sum in a product, and the other factors.
_Summed: TypeAlias = tuple[Reduce, tuple[Factor, ...]]


def with_common_factors(program: Program) -> Program:
    """The program with one sum for several in an addition."""
    return replace(program, statements=tuple(map(_with_fewer_sums, program.statements)))


def _with_fewer_sums(s: Statement) -> Statement:
    terms = [e if positive else Call("neg", (e,)) for positive, e in signed_terms(s.body)]
    left: list[tuple[Expr, _Summed | None]] = []
    for term in terms:
        summed = _summed(term)
        pairs = (
            (n, _together(before, summed, s.indices))
            for n, (_, before) in [*enumerate(left)][-MOST_BEFORE:]
            if before and summed
        )
        n, together = next((pair for pair in pairs if pair[1]), (0, None))
        if together:
            left[n] = together, _summed(together)
        else:
            left.append((term, summed))
    if len(left) == len(terms):
        return s
    return replace(s, body=reduce(lambda total, e: Call("add", (total, e)), [e for e, _ in left]))


def _together(one: _Summed, other: _Summed, indices: Sequence[Symbol]) -> Expr | None:
    """Both sums, with factors outside, as one; None where their terms have no factor that depends on more indices than what it multiplies."""
    (total, outside), (further, theirs) = one, other
    body = in_indices_of(total, further)
    if body is None or _unsigned(outside) != _unsigned(theirs):
        return None
    own, rest = Counter(factors_of(total.body)), Counter[Factor]()
    for f in (*factors_of(body), *_signs(outside), *_signs(theirs)):
        turned = _turned(f)
        rest.update([turned, NEGATIVE] if turned != f and turned in own else [f])
    common = _unsigned(own.elements()) & _unsigned(rest.elements())
    parts = own - common, rest - common
    if not common or any(f.function == "gate" for f in (*own, *rest)):
        return None
    added = Call("add", tuple(product_of(tuple(p.elements()), Const(1)) for p in parts))
    joined = sum_of(total.indices, total.domain, [Factor("mul", added), *common.elements()])
    if added.symbols.issuperset(joined.body.symbols.intersection(indices)):
        return None
    return product_of(outside, joined)


def _turned(f: Factor) -> Factor:
    """The negative of a factor that is a difference, itself if it is none."""
    match f:
        case Factor("mul", Call("sub", (a, b))):
            return Factor("mul", Call("sub", (b, a)))
        case _:
            return f


def _unsigned(factors: Iterable[Factor]) -> Counter[Factor]:
    return Counter(f for f in factors if f != NEGATIVE)


def _signs(factors: Iterable[Factor]) -> list[Factor]:
    return [f for f in factors if f == NEGATIVE]


def _summed(e: Expr) -> _Summed | None:
    factors = factors_of(e)
    sums = [f for f in factors if isinstance(f.value, Reduce)]
    match sums:
        case [Factor("mul", Reduce("sum", _, ()) as total)]:
            return total, tuple(f for f in factors if f is not sums[0])
        case _:
            return None
