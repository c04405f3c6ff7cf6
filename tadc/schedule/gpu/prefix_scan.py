"""Long running sums of few rows in parts, as statements of the same kind, so that many threads run along each row.

    s[i] = sum{k=0..i} e(k)      is      r[t: T, l: L] = sum{m=0..l} e(L*t + m)
                                         q[t: T] = sum{u=0..t - 1} r[u, L - 1]
                                         s[i] = q[i // L] + r[i // L, i % L]

with `L` a number, and `T` as large as it must be. Running products, maxima and minima are parted alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import FALSE, Derived, Domain, at_least_zero, between
from tadc.ir.expr import Call, Expr, Read, Reduce, ReduceOp
from tadc.ir.names import Names
from tadc.ir.program import DerivedSize, Program, Statement, Tensor
from tadc.ir.walk import substitute, tensors_read
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.nest.sizes import Sizes, values_of_sizes
from tadc.schedule.rewrite.running import Running, running

__all__ = ["running_in_parts"]

LENGTH = 1024  # values of a part
LONG = 16 * LENGTH  # a shorter row is run along in one go
ENOUGH = 1  # times as many threads as there are: blocks with a row each have no need of parts
_COMBINED: dict[ReduceOp, str] = {"sum": "add", "prod": "mul", "max": "max", "min": "min"}


def running_in_parts(program: Program, sizes: Sizes | None, machine: Machine) -> Program:
    """The program whose running sums keep a GPU busy, for these values of all sizes or typical ones."""
    names = Names((*program.tensors, *program.symbols))
    statements: list[Statement] = []
    counts: dict[Affine, Affine] = {}
    derived_sizes = list(program.derived_sizes)
    needed = _needed_whole(program)
    for s in program.statements:
        run = None if s.target.name in needed else running(s, program)
        values = values_of_sizes(program, s.target.shape, sizes)
        if run is None or run.carried is not None or not _pays(s, run, values, machine):
            statements.append(s)
            continue
        if run.extent not in counts:
            name = names.fresh(f"{s.target.name}_T")
            counts[run.extent] = _parts(run.extent, name, derived_sizes)
        statements += _in_parts(s, run, counts[run.extent], names)
    return replace(program, derived_sizes=tuple(derived_sizes), statements=tuple(statements))


def _needed_whole(program: Program) -> set[str]:
    """The tensors that a running sum with a factor reads: it runs because one of them does."""
    needed: set[str] = set()
    for s in program.statements:
        run = running(s, program)
        if run is not None and run.carried is not None:
            needed |= tensors_read(run.carried)
    return needed


def _pays(s: Statement, run: Running, values: Sizes, machine: Machine) -> bool:
    long = run.extent.at(values)
    rows = prod(max(1, n.at(values)) for n in s.target.shape) // max(1, long)
    return long >= LONG and rows * machine.block < ENOUGH * machine.resident_threads


def _parts(extent: Affine, name: str, derived_sizes: list[DerivedSize]) -> Affine:
    """The number of parts of an extent; a derived size of this name if it is no number."""
    if extent.is_constant:
        return constant(-(-extent.constant // LENGTH))
    derived_sizes.append(DerivedSize(name, "floor", (extent + (LENGTH - 1),), LENGTH))
    return symbol(name)


def _in_parts(s: Statement, run: Running, count: Affine, names: Names) -> Sequence[Statement]:
    assert isinstance(s.body, Reduce), "only a reduction runs"
    op, name = s.body.op, s.target.name
    rows = {i: n for i, n in s.extents.items() if i != run.index}
    place = tuple(map(symbol, rows))
    t, k, m, u, part = (names.fresh(hint) for hint in ("t", run.index, run.index, "t", "t"))
    # The values are 0..extent-1 in the order in which the pass meets them.
    met = symbol(t) * LENGTH + symbol(m)
    values = {run.index: run.extent - 1 - met if run.down else met}

    def stored(hint: str, extents: dict[str, Affine], body: Expr) -> Statement:
        target = Tensor(names.fresh(f"{name}_{hint}"), tuple(extents.values()), s.target.dtype)
        return Statement(target, tuple(extents), (), body)

    domain = Domain.of(
        [
            *between(0, symbol(m), symbol(k)),
            at_least_zero(run.extent - 1 - met),
            *run.where.substitute(values),
        ]
    )
    if FALSE in domain.conditions:  # there is nothing to add anywhere
        return [s]
    terms = Reduce(op, (m,), (), domain, substitute(run.next, values))
    within_parts = stored("running", {**rows, t: count, k: constant(LENGTH)}, terms)
    last = Read(within_parts.target.name, (*place, symbol(u), constant(LENGTH - 1)))
    before = Domain.of(between(0, symbol(u), symbol(t) - 1))
    parts = stored("parts", {**rows, t: count}, Reduce(op, (u,), (), before, last))
    here = run.extent - 1 - symbol(run.index) if run.down else symbol(run.index)
    within = (*place, symbol(part), here - symbol(part) * LENGTH)
    body: Expr = Call(
        _COMBINED[op],
        (Read(parts.target.name, (*place, symbol(part))), Read(within_parts.target.name, within)),
    )
    statements = [within_parts, parts]
    if run.first is not None:
        first = stored("first", rows, run.first)
        statements.append(first)
        body = Call(_COMBINED[op], (Read(first.target.name, place), body))
    return [*statements, replace(s, derived=(Derived(part, here, LENGTH),), body=body)]
