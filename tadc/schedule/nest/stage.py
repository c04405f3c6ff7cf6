"""Loops around short ones: what they read in several of their turns may be copied, or held, at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from tadc.ir.affine import Symbol
from tadc.schedule.nest.loop_nest import Loop, bound_indices, steps_of

__all__ = ["Inner", "Stage", "stage_of"]

MOST_INNER = 64  # runs of the loops inside

Inner: TypeAlias = Mapping[
    Symbol, tuple[int, int]
]  # loops of a constant length: first value, count


@dataclass(frozen=True, slots=True)
class Stage:
    """The contents of a loop that may be staged: loops, and the derived indices that are bound there."""

    inner: Inner
    derived: frozenset[Symbol]

    @property
    def runs(self) -> int:
        """The number of runs of the loops inside, for each value of the loop."""
        return prod(n for _, n in self.inner.values())


def stage_of(loop: Loop) -> Stage | None:
    """The contents of the loop, if it may be staged: loops inside it are short, whatever the sizes."""
    inner: dict[Symbol, tuple[int, int]] = {}
    for inner_loop in (s for s in steps_of(loop.body) if isinstance(s, Loop)):
        count = inner_loop.range.trips
        if not count:
            return None
        values = inner_loop.range.ends_at({})[0], count
        if inner.setdefault(inner_loop.range.index, values) != values:
            return None
    stage = Stage(inner, frozenset(bound_indices(loop.body) - inner.keys()))
    return stage if stage.runs <= MOST_INNER else None
