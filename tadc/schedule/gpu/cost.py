"""Costs on a GPU: which loops its compiler writes out, and the price of a read for threads side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from tadc.ir.affine import Affine, Symbol
from tadc.ir.expr import Call, Expr, Read, Select
from tadc.ir.walk import postorder
from tadc.schedule.gpu.machine import Costs
from tadc.schedule.nest.loop_nest import Accumulate, Lanes, Loop, Step, has_loops

__all__ = ["UNROLLED", "cost", "is_unrolled", "subscripts"]

UNROLLED = 16  # loops of at most this many trips are unrolled by the compiler
UNROLLED_TERMS = 64  # of at most this many, where all that they do is to add a short term: what they read may stay in registers
SHORT_TERM = 4  # operations


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


def is_unrolled(loop: Loop) -> bool:
    """Whether the compiler is to write the loop out, and the loops around each other in it."""
    is_short = loop.range.trips is not None and loop.range.trips <= UNROLLED
    return (is_short and not has_loops(loop.body)) or _is_short_nest(loop, 1)


def _is_short_nest(loop: Loop, times: int) -> bool:
    """Whether loops around each other, which run so many times, only add a short term."""
    trips = loop.range.trips
    if trips is None or times * trips > UNROLLED_TERMS:
        return False
    match loop.body:
        case (Loop() as inner,):
            return _is_short_nest(inner, times * trips)
        case body:
            return _is_short_term(body)


def _is_short_term(steps: Sequence[Step]) -> bool:
    match steps:
        case (Lanes(body),):
            return _is_short_term(body)
        case (Accumulate(_, _, value),):
            return sum(isinstance(e, (Call, Select)) for e in postorder((value,))) <= SHORT_TERM
        case _:
            return False
