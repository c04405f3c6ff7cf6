"""Rows that are too few to keep a GPU busy: the expensive values that the elements of a row share are stored instead.

    f[i, k] = sum{l} x[i, l]*exp(c[k, l])    is    e[k, l] = exp(c[k, l]);  f[i, k] = sum{l} x[i, l]*e[k, l]

where there are few `k`, or none: a thread, or a team, that owned the row of all `i` would have the work of all of them.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod

from tadc.integer import implies
from tadc.ir.domain import EVERYWHERE, at_least_zero
from tadc.ir.expr import Expr
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.terms import depends_on, terms_of
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.rewrite.rows import Rows, sharing, with_terms_read

__all__ = ["without_few_rows"]

FEW = 4  # times as many threads as rows would keep a GPU busy
LONG = 4  # elements of a row
MOST_VALUES = 2**26  # that are stored
ITEM = 8  # bytes of each, at most


def without_few_rows(program: Program, sizes: Sizes, machine: Machine, room: int | None) -> Program:
    """The program for these values of all sizes. Values are stored in `room` bytes, if that is not None."""
    names = Names((*program.tensors, *program.symbols))
    most = MOST_VALUES if room is None else min(MOST_VALUES, room // ITEM)
    statements: list[Statement] = []
    for s in program.statements:
        owned = sharing(s)
        if owned and _are_few(owned, s, sizes, machine):
            before, s = _with_stored_values(owned, s, program, sizes, most, names)
            statements += before
        statements.append(s)
    return replace(program, statements=tuple(statements))


def _are_few(owned: Rows, s: Statement, sizes: Sizes, machine: Machine) -> bool:
    extents = {i: max(1, n.at(sizes)) for i, n in s.extents.items()}
    long = prod(extents[i] for i in owned.indices)
    return long >= LONG and FEW * prod(extents.values()) <= machine.resident_threads * long


def _with_stored_values(
    owned: Rows, s: Statement, program: Program, sizes: Sizes, most: int, names: Names
) -> tuple[list[Statement], Statement]:
    """The statements of the values that are stored, if they fit, and the one that reads them."""
    terms = terms_of(owned.total, set(program.parameters), s.extents)
    if terms is None:
        return [], s
    statements: list[Statement] = []
    stored: dict[Expr, Expr] = {}
    for e in owned.hoisted:
        of_rows, derived = depends_on(e, terms.domain, s)
        used = {*e.symbols, *terms.domain.symbols, *(i for d in terms.derived for i in d.symbols)}
        box = {**of_rows, **{i: n for i, n in terms.box.items() if i in used}}
        if not box:
            continue  # one value, which a thread computes once
        counts = [n.at(sizes) for n in box.values()]
        known = all(implies(program.known, at_least_zero(n - 1)) for n in box.values())
        if not (known and 0 < prod(counts) <= most):
            return [], s
        most -= prod(counts)
        target = Tensor(names.fresh(f"{s.target.name}_values"), tuple(box.values()), s.target.dtype)
        statement, stored[e] = terms.stored(e, target, box, derived, EVERYWHERE, 0.0)
        statements.append(statement)
    return statements, replace(s, body=with_terms_read(s.body, owned.total, stored))
