"""Sums in strips: every innermost loop that only adds to accumulators gets some for each lane, and no tests inside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.ir.affine import symbol
from tadc.schedule.nest.interior import Bounds, interior, parted
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

__all__ = ["PART", "in_strips"]

PART = (
    ((symbol(FIRST), 1),),
    ((symbol(LAST) - 1, 1),),
)  # a thread's part of an index, as bounds of a loop

MANY, FEWER_LANES = 4, 8  # accumulators side by side that registers do not hold with all lanes


def in_strips(
    steps: Sequence[Step], surroundings: Surroundings, part: bool = False
) -> Iterator[Step]:
    """The steps, with every innermost loop that only accumulates in strips; with `part` they are one loop, of which
    a thread has a part.
    """
    for step in steps:
        match step:
            case Loop(body=body) if has_loops(body):
                bounds = PART if part else (step.lows, step.highs)
                inner = tuple(in_strips(body, surroundings.inside(step)))
                yield Loop(step.index, *bounds, inner)
            case Loop(index, lows, highs, body) if (
                lanes := lanes_of_loop(step, surroundings.few)
            ) != 0 and accumulated(step):
                bounds = PART if part else (lows, highs)
                region, inner = interior(body, surroundings.inside(step))
                if region.conditions:
                    inside = _strips(step, PART, inner, lanes)
                    yield parted(index, bounds, region, (inside,), body)
                else:
                    yield _strips(step, bounds, body, lanes)
            case Loop(index, _, _, body) if part:
                yield Loop(index, *PART, body)
            case Branch():
                yield map_bodies(step, lambda branch: in_strips(branch, surroundings))
            case _:
                yield step


def _strips(loop: Loop, bounds: Bounds, body: tuple[Step, ...], lanes: int | None) -> Strips:
    sums = tuple(accumulated(loop).items())
    if len(sums) > MANY:
        lanes = min(FEWER_LANES, lanes or FEWER_LANES)
    return Strips(loop.index, *bounds, (Lanes(body),), body, (), lanes, sums)
