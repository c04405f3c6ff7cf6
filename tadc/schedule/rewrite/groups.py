"""What equal elements of an index tensor, or of one of the same shape, have in common, computed once for each group of them.

    y[e] = u[e]/sum{f | k[f] = k[e]} u[f]     becomes     s[g] = sum{t = 0 .. ptr[g+1]-ptr[g]-1} u[perm[ptr[g] + t]];  y[e] = u[e]/s[group[e]]

A sum for each element would take the square of a group's length.
"""

from __future__ import annotations

from collections.abc import Set

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Looked
from tadc.ir.element_types import arithmetic
from tadc.ir.expr import Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Statement, Tensor
from tadc.ir.walk import substitute

__all__ = ["is_of_group", "of_groups"]


def is_of_group(e: Reduce, group: Looked, s: Statement, sizes: Set[Symbol]) -> bool:
    """Whether elements of one group have the same value: it depends on nothing else of them."""
    others = {*(d.name for d in e.derived), *e.indices, *sizes}
    inner = (d for d in e.derived if d != group)
    needed = {*e.body.symbols, *e.domain.symbols, *(x for d in inner for x in d.symbols)}
    return set(group.symbols) <= set(s.indices) and needed <= others


def of_groups(
    s: Statement, e: Reduce, group: Looked, names: Names
) -> tuple[Statement, Reduce, Read]:
    """A statement with the value of each group, its right side, and the read of it for an element of one."""
    assert group.values is not None
    g = names.fresh("group")
    values = {group.name: symbol(g)}
    derived = tuple(d.substitute(values) for d in e.derived if d != group)
    body = Reduce(e.op, e.indices, derived, e.domain.substitute(values), substitute(e.body, values))
    name = names.fresh(f"{s.target.name}_{e.op}")
    dtype = arithmetic(s.target.dtype) if s.target.dtype else None
    table = Tensor(name, (group.values[1] + 1,), dtype)
    return Statement(table, (g,), (), body), body, Read(name, (symbol(group.name),))
