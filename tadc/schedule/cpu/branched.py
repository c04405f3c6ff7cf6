"""Sums behind a choice by values that lanes make differently, computed for all lanes before it.

    if (m == inf) y = m;  else { s = 0;  for k: s += e(k);  y = m + log(s); }

    is      s = 0;  for k: s += e(k);      if (m == inf) y = m;  else y = m + log(s);

In the first form each lane has a loop of its own; in the second one, lanes share it, and a lane that does not need the sum drops it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.ir.affine import Symbol
from tadc.ir.expr import Comparison
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Branch,
    Let,
    Step,
    Store,
    data_of,
    has_loops,
    map_bodies,
    steps_of,
)

__all__ = ["with_sums_before_branches"]


def with_sums_before_branches(steps: Sequence[Step], lane: Symbol) -> tuple[Step, ...]:
    """The steps, where no choice by values that differ between lanes has a loop inside, if it need not."""
    return tuple(_before(steps, Varying.of({lane}, steps)))


def _before(steps: Sequence[Step], varying: Varying) -> Iterator[Step]:
    for step in steps:
        match step:
            case Branch(Comparison() as condition, then, otherwise) if has_loops(
                (step,)
            ) and varying.has_condition(step):
                both = [_divided(branch) for branch in (then, otherwise)]
                for before, _ in both:
                    yield from _before(before, varying)
                yield Branch(condition, *(tuple(_before(rest, varying)) for _, rest in both))
            case _:
                yield map_bodies(step, lambda inner: _before(inner, varying))


def _divided(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """The steps up to the last loop, if they change nothing but their own locals, and the others. What they read through data may be
    no element where the choice is another one: that stays.
    """
    end = max((n for n, s in enumerate(steps, 1) if has_loops((s,))), default=0)
    before = list(steps_of(steps[:end]))
    own = {s.local for s in before if isinstance(s, (Let, Accumulator))}
    changed = {s.local for s in before if isinstance(s, (Accumulate, Assign))}
    stores = any(isinstance(s, Store) for s in before)
    return (
        (steps[:end], steps[end:])
        if changed <= own and not stores and not data_of(before)
        else ((), steps)
    )
