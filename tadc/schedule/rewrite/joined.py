"""Sums over the same range that share expensive values are one sum.

    dx[j,d] = sum{i} u[i]*w(i,j)*(x[j,d] - x[i,d]) + sum{i} u[j]*w(j,i)*(x[j,d] - x[i,d]),    w(i,j) = exp(-sum{d} (x[i,d] - x[j,d])**2)

is the gradient of a sum over pairs of points, by either of them. As one sum it has the exponential of a pair once, for all `d`
(`rows.py`). Squares of differences are what they are from both ends, to the last bit, so `w(i,j)` and `w(j,i)` are one value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.ir.affine import Symbol
from tadc.ir.canonical import canonical
from tadc.ir.expr import Call, Const, Expr, Reduce
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, replaced, rewrite
from tadc.schedule.rewrite.common import in_indices_of
from tadc.schedule.rewrite.rows import always, is_expensive

__all__ = ["joined"]


def joined(program: Program) -> Program:
    """The program with one sum for several in an addition."""
    return replace(program, statements=tuple(map(_joined, program.statements)))


def _joined(s: Statement) -> Statement:
    if not _has_sums(s.body):
        return s
    terms = list(_terms(_with_even_powers_in_order(s.body, s.indices)))
    sums = {n: found for n, (_, e) in enumerate(terms) if (found := _summed(e)) is not None}
    for n, first in sums.items():
        body = replaced(terms[n][1], {first: first.body})
        body = body if terms[n][0] else Call("neg", (body,))
        taken = {n}
        for m, total in sums.items():
            other = in_indices_of(first, total) if m > n else None
            if other is not None and _share(body, other, first.indices):
                positive, e = terms[m]
                body = Call("add" if positive else "sub", (body, replaced(e, {total: other})))
                taken.add(m)
        if len(taken) > 1:
            joined: Expr = Reduce("sum", first.indices, (), first.domain, body)
            for m, (positive, e) in enumerate(terms):
                if m not in taken:
                    joined = Call("add" if positive else "sub", (joined, e))
            return replace(s, body=joined)
    return s


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


def _terms(e: Expr) -> Iterator[tuple[bool, Expr]]:
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


def _share(one: Expr, other: Expr, indices: Sequence[Symbol]) -> bool:
    """Whether both compute an expensive value, of each point of the sum."""

    def computed(e: Expr) -> set[Expr]:
        nodes = (x for x in always(e) if is_expensive(x))
        return {canonical(x, ()) for x in nodes if x.symbols.issuperset(indices)}

    return not computed(one).isdisjoint(computed(other))
