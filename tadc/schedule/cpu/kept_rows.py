"""Values that a thread's rows share, as rows of their own, which stay in a cache.

    dx[i,d] = sum{j} exp(-s[i,j])*(x[i,d] - y[j,d])      is      e[i,j] = exp(-s[i,j]);  dx[i,d] = sum{j} e[i,j]*(x[i,d] - y[j,d])

As loops over `j` around loops over `d`, the sums of a row would be read and written for each term, and the exponentials have lanes
in `d` at best. Of `e` a thread has a few rows at a time (`row_groups.py`), and nothing is stored of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.expr import Expr, Read
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.normalize.in_bounds import is_never_empty, reads_are_in_bounds
from tadc.normalize.reductions import plain_extent
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.row_locals import FEW
from tadc.schedule.rewrite.rows import Rows, is_expensive, rows, with_terms_read

__all__ = ["with_kept_rows"]

LONG = 64  # values of a row


def with_kept_rows(
    program: Program, mode: str, usual: Mapping[Symbol, int]
) -> tuple[Program, frozenset[str]]:
    """The program with such values as tensors, and the names of these: it is right to store them if threads have rows of them alone.

    `usual` has about how large all sizes are.
    """
    names = Names((*program.tensors, *program.symbols))
    place = {s.target.name: n for n, s in enumerate(program.statements)}
    statements = {n: [s] for n, s in enumerate(program.statements)}
    made: set[str] = set()
    for kernel in kernels(program, mode):
        start = min(place[s.target.name] for s in kernel.statements)
        first, *others = kernel.statements
        owned = rows(first)
        kept = _kept(owned, first, others, program, usual, names) if owned else []
        if not owned or not kept or any(place.get(t, -1) >= start for s in kept for t in s.reads):
            continue
        made.update(s.target.name for s in kept)
        reads = {s.body: Read(s.target.name, tuple(map(symbol, s.indices))) for s in kept}
        for s in kernel.statements:
            body = with_terms_read(s.body, owned.total, reads)
            statements[place[s.target.name]] = [replace(s, body=body)]
        statements[start] = [*kept, *statements[start]]
    if not made:
        return program, frozenset()
    return replace(program, statements=tuple(chain(*statements.values()))), frozenset(made)


def _kept(
    owned: Rows,
    s: Statement,
    others: Sequence[Statement],
    program: Program,
    usual: Mapping[Symbol, int],
    names: Names,
) -> list[Statement]:
    """The statements of the values that the rows of a statement share, if it has rows of many elements, with those that `others`
    of its kernel share too.
    """
    if not owned.hoisted:
        return []
    extents = s.extents
    if all(extents[i].is_constant and extents[i].constant <= FEW for i in owned.indices):
        return []
    sizes = frozenset(program.parameters)
    box = {i: n for i, n in extents.items() if i not in owned.indices}
    for i in owned.total.indices:
        extent = plain_extent(i, owned.total.domain, sizes)
        if extent is None or extent.at(program.size_values(usual)) < LONG:
            return []
        box[i] = extent
    known = program.known & Domain.box(box)
    if not is_never_empty(box.values(), program):
        return []

    def is_safe(e: Expr) -> bool:
        return e.symbols <= sizes.union(box) and reads_are_in_bounds(e, known, program.tensors)

    values = list(owned.hoisted)
    # All of a value, with what is cheap: else each element of a row would do that again. Others may share less of it.
    if others or not all(map(is_safe, values)):
        values = _expensive(values)
    if not all(map(is_safe, values)):
        return []
    statements = []
    for e in values:
        target = Tensor(names.fresh(f"{s.target.name}_row"), tuple(box.values()), s.target.dtype)
        statements.append(Statement(target, tuple(box), (), e))
    return statements


def _expensive(roots: Sequence[Expr]) -> list[Expr]:
    """The outermost expensive values."""
    found: dict[Expr, None] = {}
    waiting = list(roots)
    while waiting:
        e = waiting.pop()
        if is_expensive(e):
            found[e] = None
        else:
            waiting += e.operands
    return list(found)
