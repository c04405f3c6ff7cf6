"""Costs of a thread's steps: of operations, and of reads by threads, or lanes, that are side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Expr, Read
from tadc.ir.walk import postorder

__all__ = ["Costs", "cost", "subscripts"]


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs for a thread, in units of one coalesced read of memory."""

    operation: float = 0.25  # of numbers
    special: float = 0.25  # one that is a function's
    quotient: float = 0.25  # a division or a root
    broadcast: float = 0.125  # a read of one element by all threads side by side
    strided: float = 8.0  # a strided read: each element comes with a sector of eight


def subscripts(values: Expr | Iterable[Expr]) -> Iterator[tuple[Affine, ...]]:
    """The subscripts of all reads of elements."""
    for e in postorder(values):
        if isinstance(e, Read) and e.subscripts:
            yield e.subscripts


def cost(subscripts: Sequence[Affine], varying: Set[Symbol], costs: Costs) -> float:
    """The cost of a read by threads that differ in the indices `varying`."""
    if all(varying.isdisjoint(form.symbols) for form in subscripts):
        return costs.broadcast
    *outer, last = subscripts
    is_last_only = all(varying.isdisjoint(form.symbols) for form in outer)
    steps = [abs(last.coefficient(s)) for s in last.symbols if s in varying]
    adjacent = is_last_only and len(steps) == 1
    return float(min(costs.strided, steps[0])) if adjacent else costs.strided
