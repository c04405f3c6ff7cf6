"""Summands that do not depend on all indices of a sum's result are summed on their own, fewer times.

    f[i,j] = sum{k} (a[i,k]*b[j,k] + d[i,k])      is      t[i] = sum{k} d[i,k];  f[i,j] = t[i] + sum{k} a[i,k]*b[j,k]

Where every summand is a factor by terms that no index of the result changes, but the range does, each has a sum of its own: these are running sums,
of which each value takes one step.

    f[i] = sum{k | k <= i} (a[k]*b[i] + c[k]*d[i])      is      f[i] = b[i]*(sum{k | k <= i} a[k]) + d[i]*(sum{k | k <= i} c[k])

Only additions are split: the parts of a difference may be much larger than it, and so their rounding errors.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial

from tadc.ir.canonical import free_indices
from tadc.ir.expr import Call, Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.normalize.masks import Marks
from tadc.schedule.rewrite.factor import without_factors
from tadc.schedule.rewrite.separate import Around, Separation, separated

__all__ = ["summands"]


def summands(program: Program, names: Names) -> Program:
    """The program with sums of such summands as statements."""
    infinite = Marks.of(program).infinite
    return separated(program, names, partial(_split, infinite))


def _split(infinite: Set[str], separation: Separation, e: Expr, around: Around) -> Expr:
    if not isinstance(e, Reduce) or e.op != "sum" or e.derived:
        return e
    if running := _running(separation, e, around, infinite):
        return running
    every = set(free_indices(e, separation.sizes))
    rest: list[Expr] = []
    stored: list[Read] = []
    terms = list(_terms(e.body))
    for term in terms if len(terms) > 1 else ():
        part = Reduce("sum", e.indices, (), e.domain, term)
        fewer = set(free_indices(part, separation.sizes)) < every
        read = None
        if fewer and term.symbols.issuperset(e.indices):
            read = separation.stored(part, around.extents, "part")
        if read is None:
            rest.append(term)
        else:
            stored.append(read)
    if not stored or not rest:
        return e
    body = rest[0]
    for term in rest[1:]:
        body = Call("add", (body, term))
    result: Expr = Reduce("sum", e.indices, (), e.domain, body)
    for read in stored:
        result = Call("add", (result, read))
    return result


def _running(separation: Separation, e: Reduce, around: Around, infinite: Set[str]) -> Expr | None:
    """The summands' sums, if all but factors of each is the same for every element, whose ranges move; None if they are not."""
    terms = list(_terms(e.body))
    own = {*e.indices, *separation.sizes}
    moves = not own.issuperset(e.domain.symbols)
    if len(terms) < 2 or not moves or own.issuperset(e.body.symbols):
        return None
    parts = [Reduce("sum", e.indices, (), e.domain, term) for term in terms]
    tensors = separation.tensors
    left = (without_factors(part, around.known, tensors, infinite)[0] for part in parts)
    if not all(own.issuperset(part.body.symbols) for part in left):
        return None
    result: Expr = parts[0]
    for part in parts[1:]:
        result = Call("add", (result, part))
    return result


def _terms(e: Expr) -> Iterator[Expr]:
    """The summands of an addition, in order."""
    waiting = [e]
    while waiting:
        match waiting.pop():
            case Call("add", (a, b)):
                waiting += [b, a]
            case term:
                yield term
