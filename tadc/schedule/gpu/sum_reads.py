"""What the terms of long sums read, by which parts of such sums are chosen: products, windows, and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Determined
from tadc.ir.expr import Reduce
from tadc.ir.program import Statement
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.step_costs import subscripts

__all__ = ["along_rows", "are_rows", "has_windows", "is_product"]

LONG = 16  # an index of which a tile has several values


def along_rows(e: Reduce, near: Sequence[Symbol], counts: Mapping[Symbol, int]) -> Symbol:
    """The index in which terms lie side by side that neighbours in another one read in rows of their own, if there is one: others these read side by
    side.
    """
    reads = subscripts(e.body)
    for i in near:
        beside = any(read and abs(read[-1].coefficient(i)) == 1 for read in reads)
        for *outer, last in (read for read in reads if beside and read):
            if any(i in form.symbols for form in outer) and i not in last.symbols:
                for a in counts:
                    if a != i and abs(last.coefficient(a)) == 1:
                        return a
    return ""


def are_rows(e: Reduce, index: Symbol) -> bool:
    """Whether neighbours in the index are neighbours in rows of some tensor: parts have several."""
    return any(len(read) > 1 and abs(read[-1].coefficient(index)) == 1 for read in subscripts(e.body))  # fmt: skip


def is_product(
    e: Reduce,
    extents: Mapping[Symbol, Affine],
    derived: Sequence[Determined],
    values: Sizes,
    one: Symbol = "",
) -> bool:
    """Whether there are two long indices, on which no range depends, and each read in the loops is without one of them. One of them may be
    given.
    """
    depended_on = {i for c in e.domain if not c.form.coefficients.keys().isdisjoint(e.indices) for i in c.form.symbols}  # fmt: skip
    depended_on |= {i for d in (*e.derived, *derived) for i in d.symbols}
    long = [i for i, n in extents.items() if n.at(values) >= LONG and i not in depended_on]
    reads = ({i for form in indices for i in form.symbols} for indices in subscripts(e.body))
    used = [indices for indices in reads if not indices.isdisjoint(e.indices)]
    return any(
        all(not {i, j} <= indices for indices in used) and {i, j} <= set().union(*used)
        for i, j in combinations(long, 2)
        if one in {i, j, ""}
    )


def has_windows(e: Reduce, s: Statement) -> bool:
    """Whether elements read the same for other values of an index of the sum: sums along diagonals, and of windows."""
    own, summed = set(s.indices), set(e.indices)
    forms = (set(form.symbols) for read in subscripts(e.body) for form in read)
    return any(own & used and summed & used for used in forms)
