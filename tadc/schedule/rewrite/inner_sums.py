"""Long sums that would be computed again and again for indices that they do not depend on, as statements.

    y[i,j] = sum{k} x[i,k]                           is      t[i] = sum{k} x[i,k];  y[i,j] = t[i]
    y[i] = sum{j | j <= i} exp(sum{k} x[j,k])        is      t[j] = sum{k} x[j,k];  y[i] = sum{j | j <= i} exp(t[j])
    y[i] = sum{k} exp(sum{j} x[j, i, k // 10])       is      t[i,p] = sum{j} x[j,i,p];  y[i] = sum{k} exp(t[i, k // 10])

They are so where their values are needed: nothing is computed in vain. Sums in sums, under no conditions with other indices and of no
derived ones, are statements already (`normalize/reductions.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from math import prod

from tadc.integer import TooComplex, implies
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.canonical import free_indices
from tadc.ir.domain import Derived, Domain, at_least_zero, between
from tadc.ir.element_types import INDEX
from tadc.ir.expr import Call, Comparison, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, substitute
from tadc.schedule.rewrite.separate import Around, Separation, separated
from tadc.schedule.rewrite.shared import has_window

__all__ = ["inner_sums"]

MOST_TERMS = 8  # of a sum that is rather computed again than read


def inner_sums(program: Program, names: Names, in_part: bool = False) -> Program:
    """The program with such sums as statements; if `in_part`, those too of which a part of all values is needed, as where `j <= i`."""
    return separated(program, names, partial(_stored, in_part))


def _stored(in_part: bool, separation: Separation, e: Expr, around: Around) -> Expr:
    s = separation.statement
    if not (isinstance(e, Reduce) and e.op == "sum" and _is_long(e)):
        return e
    if s.target.dtype == INDEX or _compares(s):
        return e  # what is compared must be the same to the bit wherever it is computed
    free = free_indices(e, separation.sizes)
    derived = dict(_derived_extents(e, s, around.known, separation))
    extents = {**around.extents, **derived}
    for i in (i for i in free if i not in extents):
        if (extent := _extent(i, around.known, separation.sizes)) is not None:
            extents[i] = extent
    box = {i: n for i, n in extents.items() if i in free}
    where = _needed(box, around.known, separation, in_part)
    if where is None:
        return e
    # Statements of one kernel share the names of their indices: no index has that of a derived one.
    called = {i: separation.names.fresh(i) for i in derived}
    there = {i: symbol(new) for i, new in called.items()}
    shape = {called.get(i, i): n for i, n in extents.items()}
    read = separation.stored(substitute(e, there), shape, "inner", where.substitute(there))
    return e if read is None else substitute(read, {new: symbol(i) for i, new in called.items()})


def _is_long(e: Reduce) -> bool:
    trips = [b.range.trips for b in bounded(e).each]
    numbers = [n for n in trips if n is not None]
    return len(numbers) < len(trips) or prod(numbers) > MOST_TERMS


def _compares(s: Statement) -> bool:
    return any(
        (isinstance(e, Select) and isinstance(e.condition, Comparison))
        or (isinstance(e, Reduce) and e.op in ("max", "min"))
        or (isinstance(e, Call) and e.function in ("max", "min"))
        for e in postorder(s.body)
    )  # fmt: skip


def _derived_extents(
    e: Expr, s: Statement, known: Domain, separation: Separation
) -> Iterator[tuple[Symbol, Affine]]:
    """The extents of derived indices around the sum: those of dimensions that it reads at them, wherever it is computed.

    A read under a condition says nothing of where that does not hold.
    """
    around = (n for n in postorder(s.body) if isinstance(n, Reduce))
    derived = {d.name for ds in (s.derived, *(n.derived for n in around)) for d in ds if isinstance(d, Derived)}  # fmt: skip
    for read in (n for n in postorder(e) if isinstance(n, Read)):
        shape = separation.tensors[read.tensor].shape
        for form, extent in zip(read.subscripts, shape, strict=True):
            i = form.as_symbol()
            if i in derived and all(implies(known, c) for c in between(0, form, extent - 1)):
                yield i, extent


def _extent(i: Symbol, where: Domain, sizes: frozenset[Symbol]) -> Affine | None:
    """What the index is always below, if it is never negative: a number, or else a form in sizes. None where there is none."""
    try:
        known = project(where, [j for j in where.symbols if j != i and j not in sizes])
    except TooComplex:
        return None
    ends = [c.form + symbol(i) + 1 for c in known if c.form.coefficient(i) == -1]
    numbers = [n.constant for n in ends if n.is_constant]
    if not ends or not implies(known, at_least_zero(symbol(i))):
        return None
    return constant(min(numbers)) if numbers else ends[0]


def _needed(
    extents: Mapping[Symbol, Affine], around: Domain, separation: Separation, in_part: bool
) -> Domain | None:
    """Where in the box of these extents values are needed, if each is for several values of other indices; else None.

    Conditions on indices whose extents are numbers leave a part of all values, and others may leave none: values would be computed in
    vain. Conditions `in_part` leave no band.
    """
    others = [i for i in around.symbols if i not in extents and i not in separation.sizes]
    if not others:
        return None
    try:
        needed = project(around, others)
    except TooComplex:
        return None
    box = Domain.box(extents)
    known = separation.program.known & box
    rest = [c for c in needed if not separation.sizes.issuperset(c.form.symbols)]
    where = Domain.of(c for c in rest if not implies(known, c))
    short = separation.sizes.union(i for i, n in extents.items() if n.is_constant)
    if all(short.issuperset(c.form.symbols) for c in where):
        return where
    in_part = in_part and all(c.relation == ">=" for c in where)
    return where if in_part and not has_window(where, box, extents) else None
