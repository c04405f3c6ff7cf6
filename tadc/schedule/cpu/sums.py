"""Sums in strips: every innermost loop that only adds to accumulators gets some for each lane, and no tests inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.ir.affine import Symbol, symbol
from tadc.ir.range import Range
from tadc.schedule.nest.interior import interior, parted
from tadc.schedule.nest.lanes import accumulated, lanes_of_loop
from tadc.schedule.nest.loop_nest import (
    FIRST,
    LAST,
    Branch,
    Lanes,
    Loop,
    Step,
    Strips,
    has_loops,
    map_bodies,
)
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["in_strips", "part_of"]

MANY, FEWER_LANES = 4, 8  # accumulators side by side that registers do not hold with all lanes


def in_strips(
    steps: Sequence[Step], surroundings: Surroundings, part: bool = False
) -> Iterator[Step]:
    """The steps, with every innermost loop that only accumulates in strips; with `part` they are one loop, of which
    a thread has a part.
    """
    for step in steps:
        match step:
            case Loop(r, body) if has_loops(body):
                inner = tuple(in_strips(body, surroundings.within(step)))
                yield Loop(part_of(r.index) if part else r, inner)
            case Loop(r, body) if (
                lanes := lanes_of_loop(step, surroundings.lane_limits)
            ) != 0 and accumulated(step):
                range_ = part_of(r.index) if part else r
                region, inner = interior(body, surroundings.within(step))
                if region.conditions:
                    in_interior = _strips(step, part_of(r.index), inner, lanes)
                    yield parted(range_, region, (in_interior,), body)
                else:
                    yield _strips(step, range_, body, lanes)
            case Loop(r, body) if part:
                yield Loop(part_of(r.index), body)
            case Branch():
                yield map_bodies(step, lambda branch: in_strips(branch, surroundings))
            case _:
                yield step


def part_of(index: Symbol) -> Range:
    """A thread's part of the values of an index."""
    return Range.between(index, symbol(FIRST), symbol(LAST) - 1)


def _strips(loop: Loop, r: Range, body: tuple[Step, ...], lanes: int | None) -> Strips:
    sums = tuple(accumulated(loop).items())
    if len(sums) > MANY:
        lanes = min(FEWER_LANES, lanes or FEWER_LANES)
    return Strips(r, (Lanes(body),), body, (), lanes, sums)
