"""Sums over the same range that share expensive values are one sum.

    dx[j,d] = sum{i} u[i]*w(i,j)*(x[j,d] - x[i,d]) + sum{i} u[j]*w(j,i)*(x[j,d] - x[i,d]),    w(i,j) = exp(-sum{d} (x[i,d] - x[j,d])**2)

is the gradient of a sum over pairs of points, by either of them. As one sum it has the exponential of a pair once, for all `d`
(`rows.py`). Squares of differences are what they are from both ends, to the last bit, so `w(i,j)` and `w(j,i)` are one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from tadc.ir.affine import Symbol
from tadc.ir.canonical import canonical
from tadc.ir.expr import Call, Const, Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, replaced, rewrite
from tadc.schedule.rewrite.common import in_indices_of
from tadc.schedule.rewrite.rows import always, is_expensive

__all__ = ["added", "joined", "signed_terms"]


def joined(program: Program) -> Program:
    """The program with one sum for several in an addition."""
    return replace(program, statements=tuple(map(_joined, program.statements)))


@lru_cache(maxsize=4096)
def _joined(s: Statement) -> Statement:
    if not _has_sums(s.body):
        return s
    terms = list(signed_terms(_with_even_powers_in_order(s.body, s.indices)))
    sums = {n: found for n, (_, e) in enumerate(terms) if (found := _summed(e)) is not None}
    if len(sums) == 1:
        return s
    values = {n: _expensive_values(total) for n, total in sums.items()}
    for n, first in sums.items():
        shared = values[n]
        taken = {n: first.body}
        for m, total in sums.items():
            if m > n and not shared.isdisjoint(values[m]):
                other = in_indices_of(first, total)
                if other is not None:
                    taken[m] = other
                    shared |= values[m]
        if len(taken) > 1:
            within = [
                (terms[m][0], replaced(terms[m][1], {sums[m]: body})) for m, body in taken.items()
            ]
            joined: Expr = Reduce("sum", first.indices, (), first.domain, added(within))
            left = [term for m, term in enumerate(terms) if m not in taken]
            return replace(s, body=added([(True, joined), *left]))
    return s


def added(terms: Sequence[tuple[bool, Expr]]) -> Expr:
    """The sum of terms in order, those that are not true subtracted."""
    (positive, total), *others = terms
    total = total if positive else Call("neg", (total,))
    for positive, e in others:
        total = Call("add" if positive else "sub", (total, e))
    return total


def _summed(e: Expr) -> Reduce | None:
    """The sum in a term, which is the sum with factors: each of its terms may have them instead."""
    while True:
        match e:
            case Reduce("sum", _, ()):
                return e
            case Call("mul" | "gate", (a, b)) if not _has_sums(b):
                e = a
            case Call("mul" | "gate", (a, b)) if not _has_sums(a):
                e = b
            case Call("neg", (a,)):
                e = a
            case _:
                return None


def _has_sums(e: Expr) -> bool:
    return any(isinstance(node, Reduce) for node in postorder(e))


def signed_terms(e: Expr) -> Iterator[tuple[bool, Expr]]:
    """The terms that are added, or, where that is not true, subtracted, in order."""
    waiting = [(True, e)]
    while waiting:
        positive, e = waiting.pop()
        match e:
            case Call("add", (a, b)):
                waiting += [(positive, b), (positive, a)]
            case Call("sub", (a, b)):
                waiting += [(not positive, b), (positive, a)]
            case Call("neg", (a,)):
                waiting.append((not positive, a))
            case _:
                yield positive, e


def _with_even_powers_in_order(e: Expr, indices: Sequence[Symbol]) -> Expr:
    """The expression whose even powers of differences begin with what depends on fewer of the statement's indices."""

    def count(x: Expr) -> int:
        return len(x.symbols.intersection(indices))

    def ordered(x: Expr) -> Expr:
        match x:
            case Call("pow", (Call("sub", (a, b)), Const(n))) if n % 2 == 0 and count(a) > count(b):
                return Call("pow", (Call("sub", (b, a)), Const(n)))
            case _:
                return x

    return rewrite(e, ordered)


def _expensive_values(total: Reduce) -> frozenset[Expr]:
    """The expensive values that a sum computes of each of its points, with its indices called by their numbers."""
    nodes = (x for x in always(total.body) if is_expensive(x))
    indices = total.indices
    return frozenset(canonical(x, indices) for x in nodes if x.symbols.issuperset(indices))
