"""The cost of lanes: how neighbours of an index, or the values of innermost sums, are read and stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from math import prod

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import Condition, Domain
from tadc.ir.expr import Call, Read
from tadc.ir.walk import postorder
from tadc.schedule.nest.lanes import (
    NARROW,
    LaneLimits,
    Varying,
    accumulated,
    lanes_of_loop,
    most_lanes,
    straight,
)
from tadc.schedule.nest.layout import NOWHERE, Layout
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Branch,
    LetIndex,
    Loop,
    Step,
    Store,
    has_loops,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.rewrite.rows import is_expensive

__all__ = [
    "LINE",
    "REPEATED",
    "VECTOR",
    "at_borders",
    "cost_in_lanes",
    "cost_of_sums",
    "elements_of",
    "filled",
    "is_better_outside",
]

GATHERED = 8.0  # the cost of a strided read, when one of neighbours costs 1
SCATTERED = 24.0  # of a strided store: each lane is taken out of its vector
NEIGHBOURS = {1: 1.0, -1: 1.5}
STRIDED = 1.25  # times the stride, where it is short: what lies between is read too, and shuffled
SHARED = 0.5  # one read for all lanes
CHAINED = 40.0  # a term of a running sum, which waits for the one before, with its rounding error; or of a maximum, with its test for NaN
FOLDED = 20.0  # the lanes of a sum that are combined, where it has many terms
SOONER = 4.0  # times as much where it has few, for each of which that is more
MANY = 100
REPEATED = 10.0  # assumed trips of a loop
VECTOR = 16  # lanes
ALONE = 4.0  # an operation or a store that is done for each element by itself
ALONE_EXPENSIVE = 64.0
ONCE = (
    5.0  # times as much in a sum that is the same for all lanes: each term waits for the one before
)
_UNKNOWN: Mapping[Symbol, int] = {}
LINE = 16  # elements of a line of a cache
FAR = 1.5  # times as much for elements that lie in a line each


def cost_in_lanes(
    body: Sequence[Step],
    lane: Symbol,
    layout: Layout = NOWHERE,
    trips: Mapping[Symbol, int] = _UNKNOWN,
    most: float = REPEATED,
) -> float:
    """Cost per element of a strip of an output index: neighbours are read at once, strided elements one by one.

    `trips` says how often loops usually run; no loop counts for more than `most`.
    """
    total = 0.0
    waiting: list[tuple[Step, float, frozenset[Symbol]]] = [
        (s, 1.0, frozenset((lane,))) for s in body
    ]
    derived = {s.derived.name for s in steps_of(body) if isinstance(s, LetIndex)}
    quotients = Varying.of({lane}, body).symbols & derived
    while waiting:
        step, times, varying = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read):
                total += times * _of_read(e.subscripts, varying, quotients)
        match step:
            case Store(tensor, subscripts):
                stored = _of_read(subscripts, varying)
                if stored == GATHERED:
                    stored = _scattered(layout.apart(tensor, subscripts, lane) or LINE)
                total += times * stored
            case Loop(r, body):
                slanting = not (varying | quotients).isdisjoint(r.symbols)
                if slanting and varying == {lane} and straight(step, lane):
                    slanting = False
                inner = varying | {r.index} if slanting else varying
                slowdown = GATHERED if slanting else 1.0
                if _is_the_same(step, varying, quotients):
                    slowdown = (
                        GATHERED  # once for all lanes, but each term waits for the one before
                    )
                often = min(most, trips.get(r.index, REPEATED))
                waiting += [(s, times * often * slowdown, inner) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, varying) for s in (*then, *otherwise)]
            case _:
                pass
    return total


def _scattered(apart: int) -> float:
    """The cost of a store of lanes that lie so many elements apart."""
    return SCATTERED * FAR if apart >= LINE else min(SCATTERED, 2 * STRIDED * apart)


def _is_the_same(loop: Loop, varying: Set[Symbol], quotients: Set[Symbol]) -> bool:
    """Whether the loop computes the same for all lanes."""
    symbols = {s for e in reads_of((loop,)) for form in e.subscripts for s in form.symbols}
    return symbols.isdisjoint({*varying, *quotients})


def elements_of(shape: Iterable[Affine], sizes: Mapping[Symbol, int]) -> int:
    """How many elements a tensor has for about these sizes, with 1 for an extent that would have none."""
    return prod(max(1, n.at(sizes)) for n in shape)


def filled(count: int) -> float:
    """How many times as much a value of an index with so many costs on average as one in lanes that are all used, and fill a vector."""
    lanes = most_lanes(constant(count), {}) or 2 * VECTOR
    return -(-count // lanes) * max(lanes, VECTOR) / max(1, count)


def at_borders(
    region: Domain,
    lane: Symbol,
    surroundings: Surroundings,
    steps: Sequence[Step],
    lanes: int = NARROW,
) -> float:
    """How many times as much a value of the index costs on average as one in the interior: near a border each is computed
    alone, at the cost of so many lanes. Where none of the loops of the `steps` runs there, it costs nothing beside them.
    """
    sizes = surroundings.middle
    low, high = (end.at(sizes) for end in surroundings.around[lane])
    count, first, last = high - low + 1, low, high
    for condition in region:
        c = condition.form.coefficient(lane)
        if _loops_only_where(condition, steps):
            continue
        if c and condition.relation == ">=" and sizes.keys() >= set(condition.form.symbols):
            rest = condition.form.at({**sizes, lane: 0})
            first, last = (
                (max(first, -(rest // c)), last) if c > 0 else (first, min(last, rest // -c))
            )
    outside = min(count, max(0, count - (last - first + 1)))
    return 1 + outside / max(1, count) * (lanes - 1)


def _loops_only_where(condition: Condition, steps: Sequence[Step]) -> bool:
    """Whether there are loops, and none of them runs where the condition fails."""

    def is_behind(s: Step) -> bool:
        return (
            isinstance(s, Branch)
            and isinstance(s.condition, Domain)
            and condition in s.condition
            and not has_loops(s.otherwise)
        )

    loops = [s for s in steps if has_loops((s,))]
    return bool(loops) and all(map(is_behind, loops))


def cost_of_sums(
    steps: Sequence[Step], lane_limits: LaneLimits, trips: Mapping[Symbol, int] = _UNKNOWN
) -> float:
    """Cost per element of strips of the innermost sums. `trips` says how often loops usually run."""
    total = 0.0
    waiting: list[tuple[Step, float, Symbol]] = [(s, 1.0, "") for s in steps]
    loops = [s for s in steps_of(steps) if isinstance(s, Loop)]
    running = {e.tensor for e in reads_of(loops) if not e.subscripts}  # sums among them
    longest = max((trips.get(s.range.index, MANY) for s in loops), default=1)
    # What stands beside the sums takes this part of the time that is assumed.
    alone = min(1.0, REPEATED / longest)
    while waiting:
        step, times, lane = waiting.pop()
        for e in (node for value in values_of(step) for node in postorder(value)):
            if isinstance(e, Read) and e.subscripts:
                total += times * (_of_read(e.subscripts, frozenset((lane,))) if lane else GATHERED)
            elif isinstance(e, Call) and not lane:
                total += times * alone * (ALONE_EXPENSIVE if is_expensive(e) else ALONE)
        match step:
            case Loop(r, body) if not lane and is_better_outside(step, lane_limits):
                often = min(REPEATED, trips.get(r.index, REPEATED))
                total += times * (FOLDED + often * cost_in_lanes(body, r.index, trips=trips))
            case Loop(r, body):
                summed = accumulated(step) and not has_loops(body)
                if summed and not lane:
                    share = MANY / max(1, trips.get(r.index, MANY))
                    total += times * FOLDED * min(max(1.0, share), SOONER)
                inner_lane = r.index if summed and lanes_of_loop(step, lane_limits) != 0 else ""
                often = min(REPEATED, trips.get(r.index, REPEATED))
                waiting += [(s, times * often, inner_lane) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times, lane) for s in (*then, *otherwise)]
            case Store():
                total += times * (1.0 + alone * ALONE)
            case Accumulate(local) if local in running and not lane:
                total += times * CHAINED
            case _:
                pass
    return total


def is_better_outside(loop: Loop, lane_limits: LaneLimits) -> bool:
    """Whether neighbours of the index of a loop around others are read with less effort than those of the loops inside, which run alike
    for all of them.
    """
    if not has_loops(loop.body) or not accumulated(loop) or lanes_of_loop(loop, lane_limits) == 0:
        return False
    inside = (s for s in steps_of(loop.body) if isinstance(s, Loop))
    if any(loop.range.index in s.range.symbols for s in inside):
        return False
    return cost_in_lanes(loop.body, loop.range.index) < cost_of_sums(loop.body, lane_limits)


def _of_read(
    subscripts: Sequence[Affine], varying: Set[Symbol], quotients: Set[Symbol] = frozenset()
) -> float:
    if any(not quotients.isdisjoint(form.symbols) for form in subscripts):
        return GATHERED
    if all(varying.isdisjoint(form.symbols) for form in subscripts):
        return SHARED
    *outer, last = subscripts
    if any(not varying.isdisjoint(form.symbols) for form in outer):
        return GATHERED
    steps = [c for s, c in last.terms if s in varying]
    if len(steps) != 1:
        return GATHERED
    return min(GATHERED, NEIGHBOURS.get(steps[0], abs(steps[0]) * STRIDED))
