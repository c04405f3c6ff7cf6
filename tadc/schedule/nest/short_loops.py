"""Loops that a compiler is to write out."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.ir.expr import Call, Select
from tadc.ir.walk import postorder
from tadc.schedule.nest.loop_nest import Accumulate, Lanes, Loop, Step, has_loops

__all__ = ["UNROLLED", "is_short_in_lanes", "is_unrolled"]

UNROLLED = 16  # loops of at most this many trips are unrolled by the compiler
UNROLLED_TERMS = 64  # of at most this many, where all that they do is to add a short term: what they read may stay in registers
SHORT_TERM = 4  # operations
WRITTEN_OUT = 8  # trips of a loop around vectors that a compiler of C is asked to write out


def is_unrolled(loop: Loop) -> bool:
    """Whether the compiler is to write the loop out, and the loops around each other in it."""
    is_short = loop.range.trips is not None and loop.range.trips <= UNROLLED
    return (is_short and not has_loops(loop.body)) or _is_short_nest(loop, 1)


def is_short_in_lanes(loop: Loop) -> bool:
    """Whether the loop has few trips, with vectors in each: a processor waits for tests of its end."""
    is_short = loop.range.trips is not None and 1 < loop.range.trips <= WRITTEN_OUT
    return is_short and not has_loops(loop.body) and any(isinstance(s, Lanes) for s in loop.body)


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
