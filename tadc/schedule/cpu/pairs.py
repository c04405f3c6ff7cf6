"""A sum over pairs that is one number, or a few, as a sum of rows: lanes are neighbours among these.

    e = sum{i, j} exp(-sum{d} (x[i,d] - y[j,d])**2)      is      r[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2);  e = sum{i} r[i]

Where a term has a sum of its own, lanes would have to be terms of that: few, and combined for each pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import replaced, substitute
from tadc.normalize.in_bounds import is_never_empty
from tadc.normalize.reductions import plain_extent
from tadc.schedule.cpu.columns import sum_of_parts
from tadc.schedule.rewrite.rows import always

__all__ = ["with_sums_over_pairs_by_rows"]

MOST = 16  # elements of the result
LONG = 64  # rows


def with_sums_over_pairs_by_rows(program: Program, usual: Mapping[Symbol, int]) -> Program:
    """The program with such sums in two statements. `usual` has about how large all sizes are."""
    values = program.size_values(usual)
    sizes = frozenset(program.parameters)
    names = Names((*program.tensors, *program.symbols))
    statements: list[Statement] = []
    for s in program.statements:
        summed: dict[Expr, Expr] = {}
        if prod(n.at(values) for n in s.target.shape) <= MOST and not s.derived:
            for e in always(s.body):
                i, extent = _row(e, sizes)
                if (
                    extent is not None
                    and extent.at(values) >= LONG
                    and is_never_empty([extent], program)
                ):
                    assert isinstance(e, Reduce)
                    first, summed[e] = _by_rows(e, i, extent, s, names)
                    statements.append(first)
        statements.append(replace(s, body=replaced(s.body, summed)) if summed else s)
    changed = len(statements) > len(program.statements)
    return replace(program, statements=tuple(statements)) if changed else program


def _row(e: Expr, sizes: frozenset[Symbol]) -> tuple[Symbol, Affine | None]:
    """The index of rows, and how many there are, if the expression is such a sum."""
    if not (isinstance(e, Reduce) and e.op == "sum" and len(e.indices) > 1 and not e.derived):
        return "", None
    terms = [n for n in always(e.body) if isinstance(n, Reduce) and n.symbols.issuperset(e.indices)]
    if not terms:
        return "", None
    for i in e.indices:
        own = Domain.of(c for c in e.domain if {*c.form.symbols} <= sizes | {i})
        if (extent := plain_extent(i, own, sizes)) is not None:
            return i, extent
    return "", None


def _by_rows(
    e: Reduce, i: Symbol, extent: Affine, s: Statement, names: Names
) -> tuple[Statement, Reduce]:
    """The statement of the rows' sums, and the sum of them."""
    row = names.fresh(i)
    own = Domain.box({i: extent}).conditions
    rest = Domain.of(c for c in e.domain if c not in own).substitute({i: symbol(row)})
    others = tuple(j for j in e.indices if j != i)
    summed = Reduce("sum", others, (), rest, substitute(e.body, {i: symbol(row)}))
    return sum_of_parts({row: extent, **s.extents}, summed, s, names)
