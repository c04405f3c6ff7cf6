"""Recurrences: a program whose output reads its own elements, those that come before in an order of its points.

Such statements are no single assignments of whole tensors: they run point by point, all for one point before the next
(`schedule/cpu/in_order.py`). Running sums over the elements so far become such statements too, so that the recurrence costs
what its sums would.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.integer import is_empty
from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain, at_least_zero, equals_zero
from tadc.ir.expr import Const, Expr, Read, Select, call
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement
from tadc.ir.walk import rewrite, substitute, tensors_read
from tadc.schedule.rewrite.inline import in_readers
from tadc.schedule.rewrite.running import running
from tadc.schedule.rewrite.telescoping import SO_FAR

__all__ = ["Order", "Recurrence", "recurrence"]


@dataclass(frozen=True, slots=True)
class Order:
    """The order of the points of a box: its other dimensions in any order, then these, each ascending or (true) descending."""

    dimensions: tuple[tuple[int, bool], ...]

    @property
    def reversed(self) -> Order:
        return Order(tuple((d, not down) for d, down in self.dimensions))


@dataclass(frozen=True, slots=True)
class Recurrence:
    """`before` runs first, as any program; then `statements`, point by point in `order`, the last of which is the output's.

    The statements have the same indices. They read the output and each other's targets at points that come before, or earlier
    statements at the own point; elements of the output that are not known yet are read as 0.
    """

    program: Program  # all statements
    before: Program
    statements: tuple[Statement, ...]
    order: Order

    @property
    def descending(self) -> Mapping[Symbol, bool]:
        """The indices in order, the outermost first, with whether they descend."""
        indices = self.statements[-1].indices
        return {indices[d]: down for d, down in self.order.dimensions}


def recurrence(program: Program, seed: str, order: Order) -> Recurrence | None:
    """The recurrence of a scheduled program whose one output replaces the input `seed`; None where what depends on the
    seed cannot run point by point.
    """
    (output,) = program.outputs
    *others, last = _dependent(program, seed)
    readers = (*others, last)
    at_own = [s for s in others if s.target.shape == last.target.shape]
    kept = {
        s.target.name
        for s in at_own
        if _is_read_at_own(s.target.name, readers)
        and (running(s, program) is None or _running(s, program, order, seed) is not None)
    }
    inner = [s for s in others if s.target.name not in kept]
    if any(s.derived for s in inner):
        return None
    inlined = in_readers(program, frozenset(s.target.name for s in inner))
    dependent = _dependent(inlined, seed)
    *others, last = dependent
    if not all(_is_read_at_own(s.target.name, dependent) for s in others):
        return None
    names = Names((*inlined.tensors, *inlined.symbols))
    statements = []
    for s in others:
        step = _running(s, inlined, order, seed)
        stepwise = s if step is None else replace(s, body=step)
        statements.append(_in_indices(stepwise, last.indices, names))
    statements.append(last)

    def own(e: Expr) -> Expr:
        match e:
            case Read(name, subscripts) if name == seed:
                return Read(output, subscripts)
            case _:
                return e

    running_ = tuple(replace(s, body=rewrite(s.body, own)) for s in statements)
    rest = tuple(s for s in inlined.statements if s not in dependent)
    needed = tuple(dict.fromkeys(n for s in running_ for n in s.reads))
    targets = {s.target.name for s in rest}
    before = replace(inlined, statements=rest, outputs=tuple(n for n in needed if n in targets))
    return Recurrence(replace(inlined, statements=(*rest, *running_)), before, running_, order)


def _dependent(program: Program, seed: str) -> list[Statement]:
    """The statements whose value depends on the input."""
    names = {seed}
    found = []
    for s in program.statements:
        if not names.isdisjoint(s.reads):
            names.add(s.target.name)
            found.append(s)
    return found


def _in_indices(s: Statement, indices: Sequence[Symbol], names: Names) -> Statement:
    """The statement with these indices, and derived ones of its own."""
    called = dict(zip(s.indices, indices, strict=True)) | {
        d.name: names.fresh(d.name) for d in s.derived
    }
    values = {old: symbol(new) for old, new in called.items()}
    derived = tuple(replace(d.substitute(values), name=called[d.name]) for d in s.derived)
    return Statement(s.target, tuple(indices), derived, substitute(s.body, values))


def _is_read_at_own(name: str, statements: Sequence[Statement]) -> bool:
    """Whether the statements read the tensor at their own point alone."""
    for s in statements:
        own = Read(name, tuple(map(symbol, s.indices)))
        found: list[Expr] = []
        rewrite(s.body, lambda e, found=found: _noted(e, name, found))  # type: ignore[misc]
        if any(e is not own for e in found):
            return False
    return True


def _noted(e: Expr, name: str, found: list[Expr]) -> Expr:
    if isinstance(e, Read) and e.tensor == name:
        found.append(e)
    return e


def _running(s: Statement, program: Program, order: Order, seed: str) -> Expr | None:
    """The value of a running sum by its value at the point before; None for another statement, where another order is
    needed, and where the sum has an element that is not known yet: the point's own.
    """
    run = running(s, program)
    if run is None or s.body.op != "sum":  # type: ignore[union-attr]  # it is a reduction then
        return None
    d = s.indices.index(run.index)
    dependent = {t.target.name for t in _dependent(program, seed)}
    reads_own = _reads_own(run.next, s.indices, program.known & s.box & run.where, seed)
    reads = tensors_read(run.first) if run.first else frozenset[str]()
    if (
        (d, run.down) not in order.dimensions
        or reads_own
        or not dependent.isdisjoint({*reads, *tensors_read(run.next)})
        or seed in reads
    ):
        return None
    step = 1 if run.down else -1
    at = tuple(symbol(i) + (step if i == run.index else 0) for i in s.indices)
    here = symbol(run.index)
    later = run.extent - 2 - here if run.down else here - 1
    first = run.first or Const(0)
    so_far: Expr = Select(Domain.of((at_least_zero(later),)), Read(s.target.name, at), first)
    if run.carried is not None:
        before = so_far
        so_far = rewrite(run.carried, lambda e: before if e is SO_FAR else e)
    further = Select(run.where, run.next, Const(0)) if run.where.conditions else run.next
    return call("add", so_far, further)


def _reads_own(e: Expr, indices: Sequence[Symbol], domain: Domain, tensor: str) -> bool:
    """Whether the expression may read the tensor's element of its own point."""
    found: list[Expr] = []
    rewrite(e, lambda node: _noted(node, tensor, found))
    for node in found:
        assert isinstance(node, Read), "only reads are noted"
        pairs = zip(node.subscripts, indices, strict=True)
        here = Domain.of(equals_zero(form - symbol(i)) for form, i in pairs)
        if not is_empty(domain & here):
            return True
    return False
