"""Expensive values that not all indices of a sum change are computed once for those that do.

    l = sum{i,j} t[i,j]*(x[i,j] - log(s[i]))      is      v[i] = log(s[i]);  l = sum{i,j} t[i,j]*(x[i,j] - v[i])

They are stored where they are made of a tensor that is as large: nothing larger is. What indices of the result alone do not
change stays where it is: a kernel more would cost more than it saves.
"""

from __future__ import annotations

from collections.abc import Iterator

from tadc.ir.expr import Call, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import postorder, replaced
from tadc.normalize.reductions import extents_in_body
from tadc.schedule.rewrite.rows import is_expensive
from tadc.schedule.rewrite.separate import Around, Separation, separated

__all__ = ["invariant_values"]

FEW = 8  # terms: so many values are rather computed again


def invariant_values(program: Program, names: Names) -> Program:
    """The program with such values as statements."""
    return separated(program, names, _stored)


def _stored(separation: Separation, e: Expr, around: Around) -> Expr:
    if not isinstance(e, Reduce) or e.op != "sum" or e.derived:
        return e
    inside = extents_in_body(e, around.extents, separation.sizes)
    many = {
        i
        for i in e.indices
        if not (i in inside and inside[i].is_constant and inside[i].constant <= FEW)
    }
    reads: dict[Expr, Expr] = {}
    for value in _outermost(e.body, many):
        if (read := separation.stored(value, inside, "value")) is not None:
            reads[value] = read
    return Reduce(e.op, e.indices, (), e.domain, replaced(e.body, reads)) if reads else e


def _outermost(root: Expr, many: set[str]) -> Iterator[Expr]:
    """The largest expensive values that one of the indices does not change."""
    waiting, seen = [root], {root}
    while waiting:
        e = waiting.pop()
        if isinstance(e, (Call, Select)) and not many <= e.symbols and _is_worth(e):
            yield e
        elif not isinstance(e, Reduce):
            new = [o for o in e.operands if o not in seen]
            waiting += new
            seen.update(new)


def _is_worth(e: Expr) -> bool:
    """Whether it is expensive, and no larger than a tensor that it is made of."""
    nodes = list(postorder(e))
    return any(map(is_expensive, nodes)) and any(
        isinstance(n, Read) and n.subscripts and n.symbols >= e.symbols for n in nodes
    )
