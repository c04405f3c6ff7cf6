"""Expensive values that a loop does not change, computed before it ("loop-invariant code motion").

    for d in 0..2: s += g[d]/sqrt(t)      is      v = sqrt(t);  for d in 0..2: s += g[d]/v

A compiler does so itself, but not with a loop over lanes inside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.ir.expr import Call, Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.walk import postorder, replaced
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Let,
    Loop,
    Step,
    Store,
    bound_indices,
    map_bodies,
    steps_of,
    values_of,
    with_values,
)
from tadc.schedule.nest.work import QUOTIENTS
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["with_values_before_loops"]


def with_values_before_loops(
    steps: Sequence[Step], names: Names, locals_: set[str]
) -> Iterator[Step]:
    """The steps with such values before loops; their names are added to the `locals_`."""
    for step in steps:
        step = map_bodies(step, lambda inner: with_values_before_loops(inner, names, locals_))
        if not isinstance(step, Loop):
            yield step
            continue
        named: dict[Expr, Expr] = {}
        for e in _invariant(step):
            local = names.fresh("t")
            locals_.add(local)
            named[e] = Read(local, ())
            yield Let(local, e)
        body = tuple(
            with_values(s, tuple(replaced(e, named) for e in values_of(s))) for s in step.body
        )
        yield replace(step, body=body) if named else step


def _invariant(loop: Loop) -> Iterator[Expr]:
    """The largest expensive values that each pass computes alike."""
    changed = {loop.range.index} | bound_indices(loop.body)
    inside = list(steps_of(loop.body))
    written = {s.local for s in inside if isinstance(s, (Let, Accumulator, Accumulate, Assign))}
    written |= {s.tensor for s in inside if isinstance(s, Store)}
    # What an empty loop would read may be no element.
    is_run = bool(loop.range.trips)
    waiting = [e for s in loop.body for e in values_of(s)]
    seen = set(waiting)
    while waiting:
        e = waiting.pop()
        nodes = list(postorder(e))
        reads = [n for n in nodes if isinstance(n, Read)]
        if (
            isinstance(e, Call)
            and reads
            and changed.isdisjoint(e.symbols)
            and written.isdisjoint(r.tensor for r in reads)
            and (is_run or not any(r.subscripts for r in reads))
            and any(
                is_expensive(n) or (isinstance(n, Call) and n.function in QUOTIENTS) for n in nodes
            )
        ):
            yield e
        elif not isinstance(e, Select):  # whose branches may not be taken
            new = [o for o in e.operands if o not in seen]
            seen.update(new)
            waiting += new
