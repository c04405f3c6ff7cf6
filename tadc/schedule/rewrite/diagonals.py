"""Sums that are needed on a diagonal alone are computed along it.

    c[i,j] = if i = j then sum{k} a[i,k]*b[j,k] else 0      is      t[i] = sum{k} a[i,k]*b[i,k]
                                                                    c[i,j] = if i = j then t[i] else 0

Then no loop over all elements asks at each of them whether it has the sum to compute.
"""

from __future__ import annotations

from tadc.integer import implies
from tadc.ir.affine import symbol
from tadc.ir.canonical import free_indices
from tadc.ir.domain import Condition, Domain, between
from tadc.ir.expr import Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import postorder, substitute
from tadc.schedule.rewrite.separate import Around, Extents, Separation, separated

__all__ = ["diagonals"]


def diagonals(program: Program, names: Names) -> Program:
    """The program whose sums on diagonals are statements."""
    return separated(program, names, _diagonal)


def _diagonal(separation: Separation, e: Expr, around: Around) -> Expr:
    """The choice with a read of what is computed on its diagonal."""
    match e:
        case Select(Domain() as domain, then, otherwise) if any(
            isinstance(node, Reduce) for node in postorder(then)
        ):
            for equality in (c for c in domain if c.relation == "=="):
                read = _on(separation, equality, domain, then, around.extents)
                if read is not None:
                    return Select(domain, read, otherwise)
    return e


def _on(
    separation: Separation, equality: Condition, domain: Domain, then: Expr, extents: Extents
) -> Read | None:
    """A read of the value where the equality holds, of which an index follows from the others there."""
    for index in (i for i in extents if abs(equality.form.coefficient(i)) == 1):
        c = equality.form.coefficient(index)
        value = (c * symbol(index) - equality.form) * c
        there = substitute(then, {index: value})
        free = free_indices(there, separation.sizes)
        tests = [t.substitute({index: value}) for t in domain if t != equality]
        tests += between(0, value, extents[index] - 1)
        box = Domain.box({i: n for i, n in extents.items() if i in free})
        known = separation.program.known & box
        usable = separation.sizes.union(free)
        where = (t for t in tests if usable.issuperset(t.form.symbols) and not implies(known, t))
        read = separation.stored(there, extents, "diagonal", Domain.of(where))
        if read is not None:
            return read
    return None
