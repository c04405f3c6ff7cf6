"""A point by a team of threads, a warp or a block: which of its loops the threads share, and what one of them does alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.expr import Read
from tadc.ir.range import Bound
from tadc.schedule.gpu.cost import Sizes, cost, subscripts, with_midpoints
from tadc.schedule.gpu.machine import Costs, Machine
from tadc.schedule.nest.lanes import accumulated
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Leader,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    reads_of,
    steps_of,
    values_of,
)

__all__ = ["TeamSteps", "is_stale"]


def is_stale(body: Sequence[Step]) -> bool:
    """Whether threads of a team may add to elements that another one has stored."""
    once = (s for step in steps_of(body) if isinstance(step, Leader) for s in step.body)
    stored = {s.tensor for s in once if isinstance(s, Store)}
    return any(isinstance(s, Store) and s.op and s.tensor in stored for s in steps_of(body))


@dataclass(slots=True)
class TeamSteps:
    """Makes the steps of a team from those of a thread. `values` has those of sizes, and one in the middle of each index.

    Every thread of the team does the steps outside of shared loops, with the same values; one of them stores.
    """

    values: Sizes
    read: Set[str]  # tensors that the kernel reads
    machine: Machine
    loops: dict[Symbol, int] = field(
        default_factory=dict
    )  # those that are shared, and how often they run
    scans: bool = False

    def steps(self, steps: Sequence[Step]) -> Iterator[Step]:
        for step in steps:
            match step:
                case Loop() if scan := _scan(step):
                    self.loops[step.range.index] = step.range.trips_at(self.values)
                    self.scans = True
                    yield scan
                case Loop() if sums := accumulated(step):
                    yield TeamSums((self._divided(step),), tuple(sums.items()))
                case Loop() if any(isinstance(s, Store) for s in steps_of(step.body)):
                    yield self._storing(step)
                case Branch(condition, then, otherwise):
                    yield Branch(condition, tuple(self.steps(then)), tuple(self.steps(otherwise)))
                case Store(tensor):
                    yield Leader((step,))
                    if tensor in self.read:
                        yield Barrier()
                case LetIndex():
                    self.values = with_midpoints((step,), self.values)
                    yield step
                case _:
                    yield step

    def _storing(self, loop: Loop) -> Step:
        """A loop over elements of a row, each of which one thread owns; or one around such loops."""
        if all(map(_owns, _nest(loop))):
            return self._divided(loop)
        outside = self.values
        self.values = with_midpoints((loop,), outside)
        inner = tuple(self.steps(loop.body))
        self.values = outside
        return replace(loop, body=inner)

    def _divided(self, loop: Loop) -> Step:
        """The loop with that loop of its nest shared which has neighbours, if it is long enough."""
        nest = list(_nest(loop))
        values, candidates, warp = self.values, [], self.machine.warp
        for inner in nest:
            count = inner.range.trips_at(values)
            neighbours = _neighbours(inner, self.machine.costs)
            candidates.append((count >= warp, neighbours, min(count, warp), inner, count))
            values = with_midpoints((inner,), values)
        best = max(candidates, key=lambda each: each[:3])
        self.loops[best[3].range.index] = best[4]
        return _with_team_loop(loop, best[3])


def _scan(loop: Loop) -> TeamScan | None:
    """The loop as a pass of a team, if it adds to one sum and stores it at each value; None if it does anything else."""
    *before, last = loop.body
    match last:
        case Store(_, _, Read(local, ()), None):
            pass
        case _:
            return None
    inner = list(steps_of(before))
    inner_locals = {s.local for s in inner if isinstance(s, (Let, Accumulator))}
    changed = {s.local for s in inner if isinstance(s, (Accumulate, Assign))} - inner_locals
    ops = {s.op for s in inner if isinstance(s, Accumulate) and s.local == local}
    if changed != {local} or len(ops) != 1 or Read(local, ()) in reads_of(before):
        return None
    if any(isinstance(s, Store) or (isinstance(s, Assign) and s.local == local) for s in inner):
        return None
    derived = tuple(s for s in before if isinstance(s, LetIndex))
    after: tuple[Step, ...] = (*derived, last)
    return TeamScan(loop.range, tuple(before), after, local, ops.pop())


def _nest(loop: Loop) -> Iterator[Loop]:
    """The loop, and those inside it that do all of its work."""
    yield loop
    match [s for s in loop.body if not isinstance(s, LetIndex)]:
        case [Loop() as inner]:
            yield from _nest(inner)
        case _:
            pass


def _with_team_loop(step: Step, chosen: Loop) -> Step:
    if step is chosen:
        return TeamLoop(chosen.range, chosen.body)
    if not isinstance(step, Loop):
        return step
    return replace(step, body=tuple(_with_team_loop(s, chosen) for s in step.body))


def _owns(loop: Loop) -> bool:
    """Whether each value of the index stores elements of its own, in rows that begin with the index 0, and does no more."""
    steps = list(steps_of(loop.body))
    local = {s.local for s in steps if isinstance(s, (Let, Accumulator))}
    changed = {s.local for s in steps if isinstance(s, (Accumulate, Assign))}
    stores = [s for s in steps if isinstance(s, Store)]
    return (
        changed <= local
        and loop.range.lows == (Bound(constant(0)),)
        and all(any(f.as_symbol() == loop.range.index for f in s.subscripts) for s in stores)
    )


def _neighbours(loop: Loop, costs: Costs) -> int:
    """The number of coalesced reads over the values of the index, less that of strided ones."""
    reads = (subscripts for step in steps_of(loop.body) for subscripts in _own_subscripts(step))
    each = [cost(subscripts, {loop.range.index}, costs) for subscripts in reads]
    return each.count(1) - each.count(costs.strided)


def _own_subscripts(step: Step) -> Iterator[tuple[Affine, ...]]:
    yield from subscripts(values_of(step))
    if isinstance(step, Store):
        yield step.subscripts
