"""Tiles on a CPU: a thread computes several points of an index side by side, each with its lanes, and reads what they share once.

    for k: s[lane] += a[i, k]*b[k, j]      is      for k: s[lane] += a[i, k]*b[k, j], t[lane] += a[i + 1, k]*b[k, j], ...

Reads of `b` fall, and additions to different sums do not wait for each other. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import combinations, product
from math import prod

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import Domain
from tadc.ir.names import Names
from tadc.ir.range import Range
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.fetched import NEAR_BYTES, moves_of, time_of_lines
from tadc.schedule.cpu.machine import ITEM_BYTES, Processor
from tadc.schedule.cpu.slanting import joined_loops, levelled, part_of_rests
from tadc.schedule.nest.lanes import Varying
from tadc.schedule.nest.layout import NOWHERE, Layout
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Branch,
    Kernel,
    Loop,
    Step,
    Store,
    has_loops,
    names_of,
    steps_of,
)
from tadc.schedule.nest.runs import trips
from tadc.schedule.nest.unrolled import at_points, side_by_side
from tadc.schedule.nest.work import Work, merged, works

__all__ = ["Parts", "Side", "Tiled", "is_plain", "tiled"]

COUNTS = (1, 2, 3, 4, 5, 6, 7, 8, 12)  # points of an index
SPARE = 3  # registers for operands
WORTH = 1.15  # times as fast
ONE_BY_ONE = 4  # times as slow, at a border
JOINED = 1  # where points share there what they have in common of long sums
LONG = 256  # terms
SHORT = 64  # additions
BESIDE = 0.3  # of the time of reads and loops is not hidden behind that of operations
SHARED = 1.1  # times as slow
DISTANT = 1.05  # times as slow, where points are no neighbours, and what they read is elsewhere
CROWDED = 1.02  # times as slow, where less than a quarter of the registers is left for operands
STORED = 12.0  # a store, whose line comes from memory and goes back to it: no tile makes it faster
BEGUN = 0.25  # a trip of an innermost loop, whatever is done in it
FAR = 4.0  # a read of what it does not hold
FARTHER = 8.0  # of what the second one does not hold
_ANY: Mapping[Symbol, int] = {}


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a tile: the names of the values of an index, of which the first is the index itself.

    Those beyond the index's extent are its last value: a point is then computed several times, by one thread.
    Where loops are `slanting`, they begin or end elsewhere for each value.
    """

    index: Symbol
    names: tuple[Symbol, ...]
    slanting: bool = False


@dataclass(frozen=True, slots=True)
class Parts:
    """The steps of a kernel in the interior, near borders, and at them, the first two with the region where they hold.

    Near a border are points of which only the lane's index is away from borders.
    """

    interior: tuple[Domain, tuple[Step, ...]]
    near: tuple[Domain, tuple[Step, ...]]
    border: tuple[Step, ...]

    @property
    def steps(self) -> tuple[tuple[Step, ...], ...]:
        """The steps of all parts."""
        return self.interior[1], self.near[1], self.border

    def map(self, each: Callable[[tuple[Step, ...]], tuple[Step, ...]]) -> Parts:
        """The parts with other steps."""
        (region, steps), (near, at_near) = self.interior, self.near
        return Parts((region, each(steps)), (near, each(at_near)), each(self.border))


@dataclass(frozen=True, slots=True)
class Tiled:
    """A kernel in tiles of points, and the sides of a tile."""

    kernel: Kernel
    parts: Parts
    sides: tuple[Side, ...]

    @property
    def points(self) -> int:
        return prod(len(side.names) for side in self.sides)


def tiled(
    kernel: Kernel,
    parts: Parts,
    lanes: Set[Symbol],
    most_lanes: int | None,
    lane_bytes: int,
    sizes: Mapping[Symbol, int],
    machine: Processor,
    choices: Choices = BY_MODEL,
    layout: Layout = NOWHERE,
    blocked: Callable[[Kernel, Parts], tuple[Kernel, Parts]] | None = None,
    at_once: Mapping[Symbol, int] = _ANY,
) -> Tiled | None:
    """The kernel in tiles whose lanes are neighbours in one of the indices `lanes`, at most so many, of so many bytes; None where none pays.

    `sizes` has about how large all sizes are, and an index in its middle, `layout` where neighbours lie. Tiles along an index that bounds of loops depend on are
    made of the steps with their long sums `blocked`: the blocks of a point are not those of loops that it shares. Values of an
    index that run `at_once` are divided among whole tiles.
    """
    region, steps = parts.interior
    often = trips(steps, sizes)
    vectors = max(1, min(4 * (most_lanes or lane_bytes), lane_bytes) // machine.vector_bytes)
    rests = {
        i: 0.0 if _is_level(steps, i) else _rests(steps, i, often)
        for i in kernel.indices
        if i not in lanes
    }
    free = [i for i, rest in rests.items() if rest == 0 or (rest is not None and blocked)]
    if not free or not is_plain(kernel):
        return None
    extents = {i: n.at(sizes) for i, n in zip(kernel.indices, kernel.extents, strict=True)}
    runs = sum(_innermost_trips(steps, often))
    at_border = {
        i: _at_border(region, i, extents)
        * (JOINED if runs >= LONG and _rests(parts.border, i, often) is not None else ONE_BY_ONE)
        for i in free
    }
    varying = {
        i: Varying.of({i}, tuple(levelled(steps, i)) if rests.get(i) else steps)
        for i in kernel.indices
    }
    work = merged(works(steps, sizes, lanes, machine.costs, varying), set(kernel.indices))
    sums = sum(isinstance(s, Accumulator) for s in steps_of(steps))
    stored = STORED * sum(isinstance(s, Store) for s in steps_of(steps))
    begun = BEGUN * runs
    added = _added(steps, work)
    distances = [_distance(w, kernel.indices, lanes, extents, machine) for w in work]
    moves = list(moves_of(steps, lanes, often, layout))

    def registers(points: int) -> int:
        return points * sums * vectors + SPARE

    def time(counts: Mapping[Symbol, int]) -> float:
        points = prod(counts.values())
        done = sum(w.weight * w.values(counts, frozenset()) for w in work if not w.reads) / points
        read = sum(
            w.weight
            * w.values(counts, frozenset())
            * (1 / vectors if lanes.isdisjoint(w.symbols) else max(machine.unaligned, distance))
            for w, distance in zip(work, distances, strict=True)
            if w.reads
        )
        read += time_of_lines(moves, counts)
        filled = prod(_filled(extents[i], c) for i, c in counts.items())
        # A tile with a point at a border is no faster than its points.
        filled *= prod(1 + at_border[i] * c for i, c in counts.items())
        # A processor begins with the next points before short sums have ended.
        waited = added * machine.latency / (points * vectors) if added > SHORT else 0.0
        read /= points
        # What several sides share compilers keep in too many registers, or read again.
        shared = SHARED if len(counts) > 1 else 1.0
        shared *= DISTANT if counts and free[-1] not in counts else 1.0
        shared *= CROWDED if 4 * registers(points) > 3 * machine.registers else 1.0
        beside = BESIDE * (read + begun / points)
        together = (max(done, read, waited, stored) + beside) * filled * shared
        # What a point has for itself takes the time that it takes without others.
        alone = min(1.0, sum((rests[i] or 0.0) * (c - 1) / 2 for i, c in counts.items()))
        return together if not alone else (1 - alone) * together + alone * time({})

    def shapes() -> Iterator[dict[Symbol, int]]:
        for chosen in (*combinations(free, 1), *combinations(free, 2)):
            for counts in product(COUNTS[1:], repeat=len(chosen)):
                shape = dict(zip(chosen, counts, strict=True))
                if registers(prod(counts)) <= machine.registers and all(
                    c <= extents[i] and at_once.get(i, c) % c == 0 for i, c in shape.items()
                ):
                    yield shape

    best = choices.best(f"tile of {kernel.writes[0]}", shapes(), time)
    if best is None or not choices.whether(
        f"whether {kernel.writes[0]} is tiled", time(best) * WORTH <= time({})
    ):
        return None
    slanting = frozenset(
        i for i in best if blocked and not all(_is_level(part, i) for part in parts.steps)
    )
    if slanting and blocked:
        kernel, parts = blocked(kernel, parts)
    return _with_points(kernel, parts, best, slanting)


def _rests(steps: Sequence[Step], index: Symbol, often: Mapping[Symbol, int]) -> float | None:
    """The part of loops that neighbours along the index have not in common; None where they cannot be joined."""
    level = tuple(levelled(steps, index))
    return part_of_rests(steps, index, often) if _is_level(level, index) else None


def _at_border(region: Domain, index: Symbol, extents: Mapping[Symbol, int]) -> float:
    """The part of all points that one more value of the index in a tile leaves at borders.

    Where a condition is on a sum of indices, the others of it have few values at which it fails.
    """
    return sum(
        abs(c.form.coefficient(index))
        / sum(abs(a) * extents.get(i, 1) for i, a in c.form.terms if i in extents)
        for c in region
        if index in c.form.symbols
    )


def _distance(
    work: Work,
    indices: Sequence[Symbol],
    lanes: Set[Symbol],
    extents: Mapping[Symbol, int],
    machine: Processor,
) -> float:
    """How many times as long a read of lanes takes as one from the innermost cache, where other points read the same.

    Between them stands what is read for all values of the indices further in.
    """
    repeated = [n for n, i in enumerate(indices) if i not in lanes and i not in work.symbols]
    if not repeated or extents[indices[repeated[-1]]] == 1:
        return 1.0
    between = {*indices[repeated[-1] + 1 :], *lanes} & work.symbols
    held = ITEM_BYTES * work.weight * prod(extents.get(i, 1) for i in between)
    if held <= NEAR_BYTES:
        return 1.0
    return FAR if held <= machine.cache_bytes else FARTHER


def _innermost_trips(steps: Sequence[Step], often: Mapping[Symbol, int]) -> Iterator[int]:
    """How often each innermost loop runs for a point, where each loop runs so often."""
    waiting = [(s, 1) for s in steps]
    while waiting:
        step, times = waiting.pop()
        match step:
            case Loop(r, body):
                times *= often[r.index]
                if not has_loops(body):
                    yield times
                waiting += [(s, times) for s in body]
            case Branch(_, then, otherwise):
                waiting += [(s, times) for s in (*then, *otherwise)]
            case _:
                pass


def _filled(extent: int, count: int) -> float:
    """How many times as many values of an index are computed as there are."""
    return -(-extent // count) * count / max(1, extent)


def _added(steps: Sequence[Step], work: Sequence[Work]) -> float:
    """The additions of a point that wait for one another."""
    sums = {s.local for s in steps_of(steps) if isinstance(s, Accumulate)}
    done = sum(w.weight for w in work if not w.reads)
    return done / max(1, len(sums))


def _with_points(
    kernel: Kernel, parts: Parts, counts: Mapping[Symbol, int], slanting: Set[Symbol]
) -> Tiled | None:
    """The steps for all points of a tile, with one loop for all where one point has one."""
    names = Names(names_of(kernel))
    sides = [
        Side(i, (i, *(names.fresh(i) for _ in range(n - 1))), i in slanting)
        for i, n in counts.items()
    ]
    points = list(product(*(side.names for side in sides)))
    named = [dict(zip(counts, point, strict=True)) for point in points]
    indices = {side.index for side in sides}
    # Locals that are the same for all points are computed once.
    differing = set[str]().union(*(Varying.of(indices, steps).locals for steps in parts.steps))
    renamed = [
        {t: names.fresh(t) if n else t for t in sorted(differing)} for n in range(len(points))
    ]

    def joint(steps: tuple[Step, ...]) -> tuple[Step, ...] | None:
        bodies = []
        for point, locals_ in zip(points, renamed, strict=True):
            values = {side.index: symbol(i) for side, i in zip(sides, point, strict=True)}
            bodies.append(at_points(steps, values, locals_))
        return side_by_side(bodies, lambda loops: joined_loops(loops, named))

    def everywhere(region: Domain) -> Domain:
        """Where all points are in the region. Conditions are affine: they hold between the first and the last of a side."""
        for side in sides:
            region &= region.substitute({side.index: symbol(side.names[-1])})
        return region

    def borders(steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return joint(steps) or _one_by_one(steps, sides, names)

    (region, steps), (near, at_near) = parts.interior, parts.near
    inside = joint(steps)
    if inside is None:
        return None
    made = Parts(
        (everywhere(region), inside), (everywhere(near), borders(at_near)), borders(parts.border)
    )
    locals_ = kernel.locals.union(*(each.values() for each in renamed))
    return Tiled(replace(kernel, locals=locals_), made, tuple(sides))


def _one_by_one(steps: tuple[Step, ...], sides: Sequence[Side], names: Names) -> tuple[Step, ...]:
    """The points of a tile one after the other."""
    for side in reversed(sides):
        one = names.fresh(side.index)
        each = at_points(steps, {side.index: symbol(one)}, {})
        steps = (Loop(Range.between(one, symbol(side.index), symbol(side.names[-1])), each),)
    return steps


def is_plain(kernel: Kernel) -> bool:
    """Whether every point has loops, and stores elements of its own, each once."""
    stores = [s for s in steps_of(kernel.body) if isinstance(s, Store)]
    return (
        has_loops(kernel.body)
        and not any(s.op or s.atomic for s in stores)
        and not set(kernel.reads) & set(kernel.writes)
    )


def _is_level(body: Sequence[Step], index: Symbol) -> bool:
    """Whether all points along an index have the same loops."""
    varying = Varying.of({index}, body)
    return not any(
        (isinstance(s, Loop) and varying.has_bounds(s))
        or (isinstance(s, Branch) and varying.has_condition(s) and has_loops((s,)))
        for s in steps_of(body)
    )
