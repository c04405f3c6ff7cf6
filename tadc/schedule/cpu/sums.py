"""Sums in strips: every innermost loop that only adds to accumulators gets some for each lane, and no tests inside.

Where loops around it only add to the same accumulators, those of the lanes are combined after all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.ir.affine import Symbol, symbol
from tadc.ir.expr import ReduceOp
from tadc.ir.range import Range
from tadc.schedule.cpu.lane_cost import is_better_outside
from tadc.schedule.nest.interior import interior, parted
from tadc.schedule.nest.lanes import LaneLimits, accumulated, in_lanes, lanes_of_loop
from tadc.schedule.nest.loop_nest import (
    FIRST,
    LAST,
    Accumulate,
    Branch,
    Lanes,
    LaneSums,
    Loop,
    Step,
    Store,
    Strips,
    has_loops,
    map_bodies,
    steps_of,
)
from tadc.schedule.nest.surroundings import Surroundings

__all__ = ["in_strips", "in_strips_of_both", "part_of"]

LANES_OF_BOTH = 16
MANY, FEWER_LANES = 4, 8  # accumulators side by side that registers do not hold with all lanes


def in_strips(
    steps: Sequence[Step], surroundings: Surroundings, part: bool = False, points: int = 1
) -> Iterator[Step]:
    """The steps, with every innermost loop that only accumulates in strips; with `part` they are one loop, of which
    a thread has a part. They are those of so many `points` of a tile.
    """
    for step in steps:
        match step:
            case Loop(r, body) if has_loops(body):
                sums = accumulated(step)
                if not part and is_better_outside(step, surroundings.lane_limits):
                    yield _laned(step, sums, surroundings.lane_limits)
                    continue
                lanes = _lanes_of_nest(step, sums, surroundings.lane_limits)
                if lanes != 0:
                    lanes = _fewer(lanes, len(sums) // points)
                    divided = _divided(step, surroundings, part)
                    yield LaneSums((divided,), tuple(sums.items()), lanes)
                    continue
                inner = tuple(in_strips(body, surroundings.within(step), points=points))
                yield Loop(part_of(r.index) if part else r, inner)
            case Loop(r, body) if (
                lanes := lanes_of_loop(step, surroundings.lane_limits)
            ) != 0 and (sums := accumulated(step)):
                lanes = _fewer(lanes, len(sums) // points)
                yield _strips(step, surroundings, part, lanes, sums)
            case Loop(r, body) if part:
                yield Loop(part_of(r.index), body)
            case Branch():
                yield map_bodies(
                    step, lambda branch: in_strips(branch, surroundings, points=points)
                )
            case _:
                yield step


def in_strips_of_both(steps: Sequence[Step]) -> tuple[Step, ...] | None:
    """The steps with every loop in strips that adds to sums and to elements of its own; None where there is none (`both_ways.py`)."""
    found = False

    def laned(steps: Sequence[Step]) -> Iterator[Step]:
        nonlocal found
        for step in steps:
            match step:
                case Loop(r, body) if any(isinstance(s, Store) for s in body) and (
                    sums := accumulated(step)
                ):
                    found = True
                    yield Strips(r, (Lanes(body),), body, (), LANES_OF_BOTH, tuple(sums.items()))
                case _:
                    yield map_bodies(step, laned)

    laned_steps = tuple(laned(steps))
    return laned_steps if found else None


def part_of(index: Symbol) -> Range:
    """A thread's part of the values of an index."""
    return Range.between(index, symbol(FIRST), symbol(LAST) - 1)


def _fewer(lanes: int | None, sums: int) -> int | None:
    return min(FEWER_LANES, lanes or FEWER_LANES) if sums > MANY else lanes


def _strips(
    loop: Loop,
    surroundings: Surroundings,
    part: bool,
    lanes: int | None,
    sums: dict[str, ReduceOp] | None,
) -> Step:
    """The loop in strips: of sums of its own, or divided among the lanes of others."""

    def strips(r: Range, body: tuple[Step, ...]) -> Strips:
        own = tuple(sums.items()) if sums else ()
        return Strips(r, (Lanes(body),), body, (), lanes, own, divided=not own)

    r, body = loop.range, loop.body
    range_ = part_of(r.index) if part else r
    region, inner = interior(body, surroundings.within(loop))
    if region.conditions:
        return parted(range_, region, (strips(part_of(r.index), inner),), body)
    return strips(range_, body)


def _laned(loop: Loop, sums: dict[str, ReduceOp], limits: LaneLimits) -> Strips:
    """The loop in strips, whose lanes share the loops inside."""
    body, wide = in_lanes(loop.body, {loop.range.index}, sums)
    lanes = lanes_of_loop(loop, limits)
    return Strips(loop.range, body, loop.body, wide, lanes, tuple(sums.items()))


def _divided(step: Step, surroundings: Surroundings, part: bool = False) -> Step:
    """The step with its innermost loops divided among lanes."""
    match step:
        case Loop(r, body) if has_loops(body):
            inner = tuple(_divided(s, surroundings.within(step)) for s in body)
            return Loop(part_of(r.index) if part else r, inner)
        case Loop():
            lanes = lanes_of_loop(step, surroundings.lane_limits)
            return _strips(step, surroundings, part, lanes, None)
        case Branch():
            return map_bodies(step, lambda inner: (_divided(s, surroundings) for s in inner))
        case _:
            return step


def _lanes_of_nest(loop: Loop, sums: dict[str, ReduceOp], limits: LaneLimits) -> int | None:
    """The lanes that all its innermost loops fill, None for all; 0 where one fills none, or sums are added to outside."""
    inner = [s for s in steps_of((loop,)) if isinstance(s, Loop) and not has_loops(s.body)]
    each = [lanes_of_loop(s, limits) for s in inner]
    within = sum(isinstance(s, Accumulate) for loop in inner for s in steps_of(loop.body))
    every = sum(isinstance(s, Accumulate) for s in steps_of((loop,)))
    if not sums or within != every or any(not accumulated(s) for s in inner):
        return 0
    return min((n for n in each if n is not None), default=None)
