"""A point by a team of threads, a warp or a block: which of its loops the threads share, and what one of them does alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.expr import Call, Read
from tadc.ir.range import Bound
from tadc.schedule.gpu.joint_loops import is_box, joint_loop
from tadc.schedule.nest.lanes import accumulated
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Lanes,
    Leader,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    expressions_of,
    map_bodies,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.sizes import Sizes, with_midpoints
from tadc.schedule.nest.step_costs import Costs, cost, subscripts
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["TeamBody"]

FEW_TERMS = 8  # times as many threads as terms: those share loops inside of each


@dataclass(frozen=True, slots=True)
class TeamBody:
    """The steps of a team for a point. `loops` are those that its threads share, with how often they run; `scans` says whether some
    pass a running sum on; `values` has numbers for sizes and derived indices.
    """

    steps: tuple[Step, ...]
    loops: Mapping[Symbol, int]
    scans: bool
    values: Sizes

    @classmethod
    def of(
        cls, body: Sequence[Step], values: Sizes, team: int, costs: Costs, *, adjacent: int = 0
    ) -> TeamBody:
        """From the steps of a thread, for so many. `values` has those of sizes, and one in the middle of each index.

        Nests of loops are shared as one, with so many `adjacent` values of a long one, if that is not 0; else where they are independent and
        that looks best.
        """
        made = _TeamSteps(values, {e.tensor for e in reads_of(body)}, team, costs, adjacent)
        steps = tuple(made.steps(body))
        return cls(steps, made.loops, made.scans, made.values)

    @property
    def longest(self) -> int:
        """The runs of the longest loop that is shared; 0 where none may be."""
        return 0 if _is_stale(self.steps) else max(self.loops.values(), default=0)


def _stored(step: Step) -> set[str]:
    """The tensors that the step stores elements of."""
    return {s.tensor for s in steps_of((step,)) if isinstance(s, Store)}


def _by_leader(step: Step) -> Step:
    """The step, whose stores are the leader's alone; what else it does has the same value for every thread."""
    match step:
        case Store():
            return Leader((step,))
        case Lanes(body) if all(isinstance(s, (LetIndex, Store)) for s in body):
            return Leader((step,))
        case _:
            return map_bodies(step, lambda body: map(_by_leader, body))


def _is_stale(body: Sequence[Step]) -> bool:
    """Whether threads of a team may add to elements that another one has stored."""
    once = (s for step in steps_of(body) if isinstance(step, Leader) for s in step.body)
    stored = {s.tensor for s in once if isinstance(s, Store)}
    return any(isinstance(s, Store) and s.op and s.tensor in stored for s in steps_of(body))


@dataclass(slots=True)
class _TeamSteps:
    """Makes the steps of a team from those of a thread.

    Every thread of the team does the steps outside of shared loops, with the same values; one of them stores.
    """

    values: Sizes
    read: Set[str]  # tensors that the kernel reads
    team: int
    costs: Costs
    adjacent: int
    loops: dict[Symbol, int] = field(default_factory=dict)
    scans: bool = False

    def steps(self, steps: Sequence[Step]) -> Iterator[Step]:
        for step in steps:
            match step:
                case Loop() if scan := _scan(step):
                    self.loops[step.range.index] = step.range.trips_at(self.values)
                    self.scans = True
                    yield scan
                case Loop() if self._is_around_longer(step):
                    yield self._around(step)
                case Loop() if sums := accumulated(step):
                    yield TeamSums((self._divided(step),), tuple(sums.items()))
                case Loop() if any(isinstance(s, Store) for s in steps_of(step.body)):
                    yield self._storing(step)
                case Branch(condition, then, otherwise):
                    yield Branch(condition, tuple(self.steps(then)), tuple(self.steps(otherwise)))
                case Store() | Lanes() if stored := _stored(step):
                    yield _by_leader(step)
                    if not stored.isdisjoint(self.read):
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
        return self._around(loop)

    def _is_around_longer(self, loop: Loop) -> bool:
        """Whether a nest adds up few terms, which are longer loops themselves."""
        values, count = self.values, 1
        for inner in _nest(loop):
            count *= max(1, inner.range.trips_at(values))
            values = with_midpoints((inner,), values)
        loops = (s for s in inner.body if isinstance(s, Loop))
        most = max((s.range.trips_at(values) for s in loops), default=0)
        return FEW_TERMS * count <= self.team and count < most

    def _around(self, loop: Loop) -> Step:
        """The loop, which every thread does, around those that they share."""
        outside = self.values
        self.values = with_midpoints((loop,), outside)
        inner = tuple(self.steps(loop.body))
        self.values = outside
        return replace(loop, body=inner)

    def _divided(self, loop: Loop) -> Step:
        """The loop with that loop of its nest shared which leaves a thread the least to do; or with all of it as one loop."""
        choices: list[tuple[float, int, Loop, Step]] = []
        values = self.values
        for inner in _nest(loop):
            choices.append(self._choice(inner, values, _with_team_loop(loop, inner)))
            values = with_midpoints((inner,), values)
        may_be_joint = self.adjacent or is_box(loop)
        if may_be_joint and (joint := joint_loop(loop, self.values, self.adjacent or 1)):
            choices.append(self._choice(joint, self.values, TeamLoop(joint.range, joint.body)))
            choices = choices[-1:] if self.adjacent else choices
        _, count, shared, step = min(choices, key=lambda choice: choice[0])
        self.loops[shared.range.index] = count
        return step

    def _choice(self, loop: Loop, values: Sizes, step: Step) -> tuple[float, int, Loop, Step]:
        """The time of a term, if the team shares the loop; how often it runs; the loop and the step."""
        count = max(1, loop.range.trips_at(values))
        derived = sum(isinstance(s, LetIndex) for s in loop.body)
        term = 1 + derived + _accessed(loop, self.costs) + _computed(loop, self.costs)
        return -(-count // self.team) / count * term, count, loop, step


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


def _accessed(loop: Loop, costs: Costs) -> float:
    """The cost of the reads and stores inside a loop, for threads that differ in its index."""
    each = (subscripts for step in steps_of(loop.body) for subscripts in _own_subscripts(step))
    return sum(cost(subscripts, {loop.range.index}, costs) for subscripts in each)


def _computed(loop: Loop, costs: Costs) -> float:
    """The cost of the operations inside a loop."""
    calls = [e for e in expressions_of(loop.body) if isinstance(e, Call)]
    return sum(costs.special if is_expensive(e) else costs.operation for e in calls)


def _own_subscripts(step: Step) -> Iterator[tuple[Affine, ...]]:
    yield from subscripts(values_of(step))
    if isinstance(step, Store):
        yield step.subscripts
