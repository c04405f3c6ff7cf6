"""Sums of columns in parts: a thread goes through some rows as they lie in memory, and adds all columns of each at once.

    dg[j] = sum{i} x[i,j]    is    p[t: 32, j] = sum{m, r: 8} x[8*(32*m + t) + r, j];  dg[j] = sum{t: 32} p[t,j]

Otherwise a thread would have some columns, and read a piece of every row. Where the program itself computes the rows, parts
are of the rows that lie side by side, so that a thread can add them up as soon as it has them (`row_groups.py`):

    dg[j] = sum{i} h[i,j]    is    p[t: (N + 7)//8, j] = sum{r: 8} h[8*t + r, j];  dg[j] = sum{t} p[t,j]

The parts follow from the extents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import postorder, replaced, substitute
from tadc.schedule.cpu.parts import Blocks, in_parts, sum_of_parts
from tadc.schedule.rewrite.rows import always
from tadc.schedule.rewrite.running import running

__all__ = ["PARTS", "with_column_sums_in_parts"]

PARTS = 32
ROWS = 8  # that lie side by side
LONG = 2 * PARTS * ROWS  # terms of a sum
WIDE = 64  # columns
MOST = 2**14  # elements: more are work enough for threads
WORTH = 2**18  # terms in all


def with_column_sums_in_parts(program: Program, usual: Mapping[Symbol, int]) -> Program:
    """The program with such sums in two statements. `usual` has about how large all sizes are."""
    names = Names((*program.tensors, *program.symbols))
    blocks = Blocks(names, dict(program.size_values(usual)))
    values = blocks.values
    statements: list[Statement] = []
    for s in program.statements:
        parted: dict[Expr, Expr] = {}
        if _is_row(s, values) and not running(s, program):
            columns = (e for e in always(s.body) if isinstance(e, Reduce))
            for e in columns:
                if (rows := _rows(e, s)) is not None and _is_long(rows, s, values):
                    whole = e
                    if _is_of_own_rows(e, rows, statements):
                        first, whole = in_parts(e, e.indices[0], rows, ROWS, blocks, s, s.extents)
                        statements.append(first)
                        rows = blocks.of(rows, ROWS)
                    parted[e] = whole
                    if _is_long(rows, s, values):
                        first, parted[e] = _in_parts(whole, rows, s, names)
                        statements.append(first)
        statements.append(replace(s, body=replaced(s.body, parted)))
    if len(statements) == len(program.statements):
        return program
    derived = (*program.derived_sizes, *blocks.made.values())
    return replace(program, statements=tuple(statements), derived_sizes=derived)


def _is_row(s: Statement, values: Mapping[Symbol, int]) -> bool:
    """Whether its elements are few rows of many columns."""
    counts = [n.at(values) for n in s.target.shape]
    return bool(counts) and not s.derived and counts[-1] >= WIDE and prod(counts) <= MOST


def _rows(e: Reduce, s: Statement) -> Affine | None:
    """How many rows the sum goes through, if its index is that of rows in all reads, and no read is used for several elements."""
    if e.op != "sum" or len(e.indices) != 1 or e.derived:
        return None
    (k,), column = e.indices, s.indices[-1]
    bounds = [c for c in e.domain if c != at_least_zero(symbol(k))]
    if len(bounds) != 1 or bounds[0].relation != ">=" or bounds[0].form.coefficient(k) != -1:
        return None
    rows = bounds[0].form + symbol(k) + 1
    if not {*s.indices}.isdisjoint(rows.symbols):
        return None
    reads = [node for node in postorder(e.body) if isinstance(node, Read) and node.subscripts]
    of_rows = [read for read in reads if k in read.symbols]
    streamed = [read for read in of_rows if not read.symbols.isdisjoint(s.indices)]
    inside = any(isinstance(node, Reduce) for node in postorder(e.body))
    in_order = all(_is_element(read, k, s.indices) for read in streamed)
    apart = any(column in form.symbols for read in reads for form in read.subscripts[:-1])
    return rows if streamed and in_order and not inside and not apart else None


def _is_element(read: Read, k: Symbol, indices: tuple[Symbol, ...]) -> bool:
    """Whether each element of the sum reads another one, in the order in which they lie in memory."""
    last = read.subscripts[-1]
    return (
        read.symbols >= {*indices} and k not in last.symbols and last.coefficient(indices[-1]) == 1
    )


def _is_of_own_rows(e: Reduce, rows: Affine, before: Sequence[Statement]) -> bool:
    """Whether statements before it compute some of the rows."""
    made = {s.target.name for s in before if len(s.target.shape) > 1 and s.target.shape[0] == rows}
    reads = (node for node in postorder(e.body) if isinstance(node, Read))
    return any(read.tensor in made and e.indices[0] in read.subscripts[0].symbols for read in reads)


def _is_long(rows: Affine, s: Statement, values: Mapping[Symbol, int]) -> bool:
    count = rows.at(values)
    return count >= LONG and count * prod(n.at(values) for n in s.target.shape) >= WORTH


def _in_parts(e: Reduce, rows: Affine, s: Statement, names: Names) -> tuple[Statement, Reduce]:
    """The statement of the parts, and the sum of them that takes the place of the whole."""
    (k,) = e.indices
    part, m, r = (names.fresh(k) for _ in range(3))
    first = (symbol(m) * PARTS + symbol(part)) * ROWS
    conditions = (
        at_least_zero(f) for f in (symbol(m), rows - 1 - first, rows - 1 - first - symbol(r))
    )
    domain = Domain.of(conditions) & Domain.box({r: constant(ROWS)})
    body = substitute(e.body, {k: first + symbol(r)})
    summed = Reduce("sum", (m, r), (), domain, body)
    return sum_of_parts({part: constant(PARTS), **s.extents}, summed, s, names)
