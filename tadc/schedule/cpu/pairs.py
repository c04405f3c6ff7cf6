"""A sum over pairs that is one number, or a few, as a sum of rows: lanes are neighbours among these.

    e = sum{i, j} exp(-sum{d} (x[i,d] - y[j,d])**2)      is      r[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2);  e = sum{i} r[i]

Where a term has a sum of its own, lanes would have to be terms of that: few, and combined for each pair. So it is with a long sum in
another one, whose terms may lie apart:

    e = sum{j} d[j]*sum{i} x[i,j]      is      r[j] = d[j]*sum{i} x[i,j];  e = sum{j} r[j]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import replaced
from tadc.normalize.in_bounds import is_never_empty
from tadc.normalize.reductions import plain_extent
from tadc.schedule.cpu.parts import Blocks, in_parts
from tadc.schedule.rewrite.rows import always

__all__ = ["with_sums_over_pairs_by_rows"]

MOST = 16  # elements of the result
LONG = 64  # rows


def with_sums_over_pairs_by_rows(program: Program, usual: Mapping[Symbol, int]) -> Program:
    """The program with such sums in two statements. `usual` has about how large all sizes are."""
    values = dict(program.size_values(usual))
    sizes = frozenset(program.parameters)
    blocks = Blocks(Names((*program.tensors, *program.symbols)), values)
    statements: list[Statement] = []
    for s in program.statements:
        summed: dict[Expr, Expr] = {}
        if prod(n.at(values) for n in s.target.shape) <= MOST and not s.derived:
            for e in always(s.body):
                i, extent = _row(e, sizes, values)
                if (
                    extent is not None
                    and extent.at(values) >= LONG
                    and is_never_empty([extent], program)
                ):
                    assert isinstance(e, Reduce)
                    first, summed[e] = in_parts(e, i, extent, 1, blocks, s, s.extents)
                    statements.append(first)
        statements.append(replace(s, body=replaced(s.body, summed)) if summed else s)
    changed = len(statements) > len(program.statements)
    return replace(program, statements=tuple(statements)) if changed else program


def _row(
    e: Expr, sizes: frozenset[Symbol], values: Mapping[Symbol, int]
) -> tuple[Symbol, Affine | None]:
    """The index of rows, and how many there are, if the expression is such a sum."""
    if not (isinstance(e, Reduce) and e.op == "sum" and not e.derived):
        return "", None
    terms = [n for n in always(e.body) if isinstance(n, Reduce) and n.symbols.issuperset(e.indices)]
    if len(e.indices) == 1:
        terms = [n for n in terms if _count(n, sizes, values) >= LONG]
    if not terms:
        return "", None
    for i in e.indices:
        own = Domain.of(c for c in e.domain if {*c.form.symbols} <= sizes | {i})
        if (extent := plain_extent(i, own, sizes)) is not None:
            return i, extent
    return "", None


def _count(e: Reduce, sizes: frozenset[Symbol], values: Mapping[Symbol, int]) -> int:
    """About how many terms a sum over a box has; 1 if it is over none."""
    extents = [plain_extent(i, e.domain, sizes) for i in e.indices]
    return prod(1 if n is None else n.at(values) for n in extents)
