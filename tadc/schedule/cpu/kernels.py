"""Execution of a kernel on a CPU: the indices that are divided among threads, and the one that is cut into strips of lanes.

The choice is made here and nowhere else, from the subscripts and the extents that are numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Expr
from tadc.ir.program import Program
from tadc.ir.range import Bound
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.both_branches import choices_computed
from tadc.schedule.cpu.branched import with_sums_before_branches
from tadc.schedule.cpu.columns import PARTS
from tadc.schedule.cpu.hoisted import with_values_before_loops
from tadc.schedule.cpu.index_sets import with_split_loops
from tadc.schedule.cpu.lane_cost import (
    REPEATED,
    at_borders,
    cost_in_lanes,
    cost_of_sums,
    filled,
)
from tadc.schedule.cpu.lists import (
    ends_of_lists,
    has_list_loops,
    lanes_along_lists,
    steps_beside_lists,
)
from tadc.schedule.cpu.machine import AVX2, LANE_BYTES, Processor
from tadc.schedule.cpu.masked import with_masks
from tadc.schedule.cpu.phases import in_phases, together
from tadc.schedule.cpu.short import Simplification
from tadc.schedule.cpu.strided import with_strided_reads_first
from tadc.schedule.cpu.sums import in_strips, in_strips_of_both, part_of
from tadc.schedule.cpu.tile import Parts, Side, tiled
from tadc.schedule.nest.interior import LONGEST_WINDOW, interior, parted
from tadc.schedule.nest.lanes import (
    NARROW,
    Varying,
    accumulated,
    apart,
    lanes_of_loop,
    most_lanes,
    strips,
)
from tadc.schedule.nest.layout import Layout
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import (
    Branch,
    Chunks,
    Kernel,
    Lanes,
    Loop,
    Step,
    has_loops,
    map_bodies,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.row_locals import rows_as_locals
from tadc.schedule.nest.runs import trips
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.nest.unrolled import unrolled

__all__ = ["BLOCK", "CpuKernel", "cpu_kernel", "has_few_elements", "lanes_of_box"]

BLOCK = 1024  # neighbours of a strip's index that one thread computes, where that is little work, or threads have enough
LOOPED_BLOCK = 64  # where it is loops
ENOUGH = 256  # other points of the box
STREAMED = 4  # times as many lanes as registers hold
FEWEST_STREAMED = 1024  # values of their index
FEWEST_ROWS = 32  # of that memory: fewer come by themselves
MOST_STREAMED = 64  # where threads have other rows: the sums of a row are in the innermost cache
FILLED = 32  # values of an index fill a strip of any type
FEW = 64  # elements: with fewer, threads share the sums of each
_UNKNOWN: Mapping[Symbol, int] = {}
LONG = 1024  # terms of a chunk that has no loop in it
CHUNKS = 64  # of a sum that threads share
HALVED = 96  # values of an index whose last strip may be a half one


@dataclass(frozen=True, slots=True)
class CpuKernel:
    """`body` runs for each point of `outer`, by any thread; or, if `cooperative`, all threads run it and share
    its `Chunks`. With a `strip`, `body` is for the values of that index from `FIRST` to `LAST`; with `sides`, for a tile of
    points, of which each side has several values of an index of `outer`. The first `rows` indices of `outer` are given by
    the kernel's group (`row_groups.py`), the last of them as a first value and an end;
    with `each`, a value of it is a block of so many rows of the group. Those `in_order`, the last of `outer`, take
    their values one after the other, in one thread, downwards where that is true. Elements of `streamed` tensors are
    stored a block at a time (`streamed.py`). The loop over blocks stands inside of so many of the loops over `outer` as `around_blocks` says,
    or of all. Lanes compute both branches of some choices (`both_branches.py`).
    """

    kernel: Kernel
    outer: tuple[tuple[Symbol, Affine], ...]
    strip: tuple[Symbol, Bound] | None
    body: tuple[Step, ...]
    cooperative: bool = False
    sides: tuple[Side, ...] = ()
    block: int = BLOCK  # values of the strip's index that one thread has
    around_blocks: int | None = None
    lane_bytes: int = LANE_BYTES  # of all lanes
    group_bytes: int = LANE_BYTES  # of those of one loop
    rows: int = 0
    each: int = 1
    in_order: tuple[tuple[Symbol, bool], ...] = ()
    streamed: frozenset[str] = frozenset()
    both_branches: frozenset[Expr] = frozenset()

    @property
    def mentioned(self) -> Kernel:
        """The kernel with the scheduled steps behind its own: what either mentions has a name."""
        return replace(self.kernel, body=(*self.kernel.body, *self.body))


def cpu_kernel(
    kernel: Kernel,
    program: Program,
    usual: Mapping[Symbol, int] = _UNKNOWN,
    machine: Processor = AVX2,
    choices: Choices = BY_MODEL,
    at_once: Mapping[Symbol, int] = _UNKNOWN,
) -> CpuKernel:
    """The kernel's schedule. `usual` has about how large the sizes are, `at_once` for how many values of an index it runs at
    a time, where that is known: those of a tile divide them.
    """
    scheduled = _scheduled(kernel, program, usual, machine, choices, at_once)
    blocked, body = scheduled.kernel, scheduled.body
    if not any(side.slanting for side in scheduled.sides):  # whose long sums are in blocks
        blocked, body = long_sums_in_blocks(blocked, body, program, usual)
    blocked, body = with_masks(blocked, tuple(with_split_loops(body)), program.tensors)
    blocked, body = with_strided_reads_first(blocked, body, program.tensors)
    return replace(
        scheduled,
        kernel=blocked,
        body=body,
        group_bytes=machine.group_bytes,
        both_branches=choices_computed(blocked, body, program.tensors),
    )


def _scheduled(
    kernel: Kernel,
    program: Program,
    usual: Mapping[Symbol, int],
    machine: Processor,
    choices: Choices,
    at_once: Mapping[Symbol, int],
) -> CpuKernel:
    box = tuple(zip(kernel.indices, kernel.extents, strict=True))
    surroundings = Surroundings.of(kernel, program, usual)
    lane_limits = surroundings.lane_limits
    if kernel.is_atomic:
        return CpuKernel(kernel, box, None, kernel.body)
    if has_list_loops(kernel):
        return _along_lists(kernel, box, surroundings, program, machine, choices)
    both = in_strips_of_both(kernel.body)
    if both:
        return CpuKernel(kernel, box, None, both)
    kernel = rows_as_locals(kernel)
    simplification = Simplification.of(kernel)
    body = simplification.written_out(kernel.body)
    locals_ = simplification.locals
    body = tuple(with_values_before_loops(body, simplification.names, locals_))
    kernel = replace(kernel, body=body, locals=frozenset(locals_))
    if has_few_elements(kernel.extents):
        flat = unrolled(kernel) or kernel
        around = Surroundings.of(flat, program, usual)
        count = 1 if program.is_section else CHUNKS
        chunked = tuple(_chunked(flat.body, around, count))
        if any(isinstance(s, Chunks) for s in chunked):
            outer = box if flat is kernel else ()
            return CpuKernel(flat, outer, None, chunked, cooperative=True)
    of_sums = cost_of_sums(kernel.body, lane_limits, trips(kernel.body, surroundings.middle))
    layout = Layout.of(program, surroundings.typical)
    among = tuple(lanes_of_box(kernel, surroundings, layout))
    fewest = min((lanes.near_borders for lanes in among), default=1.0)
    lanes = choices.best(
        f"lanes of {kernel.writes[0]}",
        (*among, None),  # None: of sums
        lambda lanes: of_sums if lanes is None else lanes.total / fewest,
    )
    if lanes is None:
        return _in_reduced_lanes(kernel, box, surroundings, machine, choices, layout, at_once)
    most = lanes.most
    simplification = Simplification.of(lanes.kernel, lanes.index)
    parts = lanes.parts.map(partial(with_sums_before_branches, lane=lanes.index))
    parts = parts.map(simplification.of_steps)
    kernel = replace(lanes.kernel, locals=frozenset(simplification.locals))
    # Lanes of a result do not see each other, and may be fewer, but where they share loops by their first and last one.
    slants = any(_slants(steps, lanes.index) for steps in parts.steps[:2])
    lane_bytes = LANE_BYTES if slants else min(machine.group_bytes, LANE_BYTES)
    middle = lanes.surroundings.middle
    tile = tiled(
        kernel,
        parts,
        {lanes.index},
        most,
        lane_bytes,
        middle,
        machine,
        choices,
        layout,
        None if slants else partial(_in_blocks, program=program, usual=usual),
        at_once,
    )
    if tile:
        parts = tile.parts
    outer = tuple(pair for pair in box if pair[0] != lanes.of)
    others = prod(n.at(surroundings.typical) for _, n in outer) // (tile.points if tile else 1)
    known = bool(usual or not program.sizes)
    times = 1 if tile or not known else _streams(parts, lanes, others)
    times = times if choices.whether(f"streams of {kernel.writes[0]}", times > 1) else 1
    # Of few lanes, those of a last strip that are computed again count.
    count = lanes.values
    halves = choices.whether(
        f"strips of {kernel.writes[0]} end in halves",
        tile is not None and most is None and count <= HALVED and 2 * machine.vector_bytes <= lane_bytes,
    )  # fmt: skip
    row = _row(lanes.index, parts, most, times, halves)
    looped = has_loops((row,)) and (not known or others < ENOUGH)
    block = LOOPED_BLOCK * max(1, times // 2) if looped else BLOCK
    return CpuKernel(
        tile.kernel if tile else kernel,
        outer,
        (lanes.index, lanes.count),
        tuple(_apart((row,))) if tile else (row,),
        sides=tile.sides if tile else (),
        block=block,
        lane_bytes=lane_bytes,
    )


def _along_lists(
    kernel: Kernel,
    box: tuple[tuple[Symbol, Affine], ...],
    surroundings: Surroundings,
    program: Program,
    machine: Processor,
    choices: Choices,
) -> CpuKernel:
    """The kernel with loops over lists: with lanes, and points of other indices, for which a thread goes along a list once; or with lanes
    of numbers, where a list is long; else with all elements of a short row.
    """
    limits, typical = surroundings.lane_limits, surroundings.typical
    beside = steps_beside_lists(kernel, limits)
    if beside is None:
        along = lanes_along_lists(kernel)
        few = unrolled(kernel, len(box) - 1) if box and along == kernel.body else None
        if few:
            return CpuKernel(few, box[:-1], None, few.body)
        return CpuKernel(kernel, box, None, along)
    last, extent = box[-1]
    most = most_lanes(extent, limits)
    lane_bytes = min(machine.group_bytes, LANE_BYTES)
    everywhere = EVERYWHERE, beside
    tile = tiled(
        kernel,
        Parts(everywhere, everywhere, beside),
        {last},
        most,
        lane_bytes,
        surroundings.middle | ends_of_lists(kernel, program, typical),
        machine,
        choices,
        Layout.of(program, typical),
    )
    strip = last, Bound(extent)
    if tile is None:
        row = strips(part_of(last), beside, most)
        return CpuKernel(kernel, box[:-1], strip, (row,), block=LOOPED_BLOCK)
    row = strips(part_of(last), tile.parts.interior[1], most)
    return CpuKernel(
        tile.kernel,
        box[:-1],
        strip,
        tuple(_apart((row,))),
        sides=tile.sides,
        block=LOOPED_BLOCK,
        lane_bytes=lane_bytes,
    )


def _in_blocks(
    kernel: Kernel, parts: Parts, program: Program, usual: Mapping[Symbol, int]
) -> tuple[Kernel, Parts]:
    """The steps of all parts with their long sums in blocks, and the kernel with the locals that they have besides."""
    bodies = []
    for steps in parts.steps:
        kernel, body = long_sums_in_blocks(kernel, steps, program, usual)
        bodies.append(body)
    inside, near, border = bodies
    return kernel, Parts((parts.interior[0], inside), (parts.near[0], near), border)


def has_few_elements(extents: Sequence[Affine]) -> bool:
    """Whether threads may share the sums of each element of such a box."""
    return all(n.is_constant for n in extents) and prod(n.constant for n in extents) < FEW


def _slants(steps: Sequence[Step], lane: Symbol) -> bool:
    """Whether a loop is another one for each lane."""
    varying = Varying.of({lane}, steps)
    return any(isinstance(s, Loop) and varying.has_bounds(s) for s in steps_of(steps))


def _streams(parts: Parts, lanes: _Lanes, others: int) -> int:
    """How many times as many lanes as registers hold are read one after the other, where sums of neighbours go through
    much memory row by row. `others` is how many such rows of sums there are, for threads to share.
    """
    region, steps = parts.interior
    if region != EVERYWHERE or lanes.phases > 1:
        return 1
    nest = [s for s in steps_of(steps) if isinstance(s, Loop)]
    if sum(isinstance(s, Loop) for s in steps) != 1 or any(
        has_loops(s.body) and len(s.body) > 1 for s in nest
    ):
        return 1
    indices = {s.range.index for s in nest}
    reads = [e for e in reads_of(nest) if e.subscripts and lanes.index in e.subscripts[-1].symbols]
    outer = {s for e in reads for form in e.subscripts[:-1] for s in form.symbols}
    rows = trips(steps, lanes.surroundings.middle)
    if prod(rows[i] for i in indices & outer) < FEWEST_ROWS:
        return 1
    count = lanes.values
    if others >= PARTS and lanes.most is None:
        return max(1, min(MOST_STREAMED, count // FILLED) // 2 * 2)
    return STREAMED if count >= FEWEST_STREAMED else 1


@dataclass(frozen=True, slots=True)
class _Lanes:
    """A kernel with lanes that are neighbours in `index`, which is `of` the box or stands for phases of it; the interior, and
    the cost per point.
    """

    kernel: Kernel
    of: Symbol
    index: Symbol
    count: Bound
    phases: int
    surroundings: Surroundings
    region: Domain
    steps: tuple[Step, ...]
    cost: float

    @property
    def total(self) -> float:
        """The cost per point with what lanes near borders and unused ones cost."""
        return self.cost * self.filled * self.near_borders

    @property
    def near_borders(self) -> float:
        """How many times as much as in the interior a value of the index costs on average."""
        return at_borders(self.region, self.index, self.surroundings, self.kernel.body)

    @property
    def filled(self) -> float:
        """How many times as many values as the index has are computed, since lanes are not all used."""
        return filled(self.values)

    @property
    def values(self) -> int:
        """How many values the index usually has."""
        _, last = self.surroundings.around[self.index]
        return max(1, last.at(self.surroundings.typical) + 1)

    @property
    def parts(self) -> Parts:
        """The steps in the interior, at borders that are not along the index, and at those."""
        body = self.kernel.body
        near = interior(body, self.surroundings, LONGEST_WINDOW, self.index)
        if self.phases > 1:
            near = near[0], together(near[1], self.phases)
        return Parts((self.region, self.steps), near, body)

    @property
    def most(self) -> int | None:
        """The lanes that the values fill; of few values some are at borders, and do not fill as many."""
        count = self.values
        if any(self.index in c.form.symbols for c in self.region):
            count = max(min(count, NARROW), count // 2)
        return most_lanes(constant(count), {})


def lanes_of_box(
    kernel: Kernel, surroundings: Surroundings, layout: Layout, most: float = REPEATED
) -> Iterator[_Lanes]:
    """The kernel with lanes that are neighbours in an index of the box, or in one of phases of it, the innermost first. No loop counts for more than `most`."""
    region, steps = interior(kernel.body, surroundings, LONGEST_WINDOW)
    for i, n in reversed(list(zip(kernel.indices, kernel.extents, strict=True))):
        if most_lanes(n, surroundings.lane_limits) == 0:
            continue
        cost = cost_in_lanes(steps, i, layout, trips(steps, surroundings.middle), most)
        yield _Lanes(kernel, i, i, Bound(n), 1, surroundings, region, steps, cost)
        phases = in_phases(kernel, i, surroundings)
        if phases:
            inside, within = interior(phases.kernel.body, phases.surroundings, LONGEST_WINDOW)
            within = together(within, phases.count.divisor)
            often = trips(within, phases.surroundings.middle)
            cost = cost_in_lanes(within, phases.index, layout, often, most) / phases.count.divisor
            phased = _Lanes(
                phases.kernel,
                i,
                phases.index,
                phases.count,
                phases.count.divisor,
                phases.surroundings,
                inside,
                within,
                cost,
            )
            if phased.most != 0:
                yield phased


def _in_reduced_lanes(
    kernel: Kernel,
    box: tuple[tuple[Symbol, Affine], ...],
    surroundings: Surroundings,
    machine: Processor,
    choices: Choices,
    layout: Layout,
    at_once: Mapping[Symbol, int],
) -> CpuKernel:
    """The kernel whose lanes are neighbours in its innermost sums."""
    loops = [s for s in steps_of(kernel.body) if isinstance(s, Loop) and not has_loops(s.body)]
    lanes = [lanes_of_loop(s, surroundings.lane_limits) for s in loops]
    tile = None
    steps: Iterable[Step]
    if loops and 0 not in lanes:
        least = min((n for n in lanes if n is not None), default=None)
        indices = {s.range.index for s in loops}
        everywhere = EVERYWHERE, kernel.body
        parts = Parts(everywhere, everywhere, kernel.body)
        middle = surroundings.middle
        tile = tiled(
            kernel,
            parts,
            indices,
            least,
            LANE_BYTES,
            middle,
            machine,
            choices,
            layout,
            at_once=at_once,
        )
    if tile is None:
        return CpuKernel(kernel, box, None, tuple(in_strips(kernel.body, surroundings)))
    steps = tuple(in_strips(tile.parts.interior[1], surroundings, points=tile.points))
    return CpuKernel(tile.kernel, box, None, tuple(_apart(steps)), sides=tile.sides)


def _row(strip: Symbol, parts: Parts, lanes: int | None, times: int, halves: bool) -> Step:
    """All values of the strip's index, with a separate interior where there is one."""
    part = part_of(strip)

    def row(region: Domain, steps: tuple[Step, ...]) -> Step:
        along = Domain.of(c for c in region if strip in c.form.symbols)
        in_lanes = strips(part, steps, lanes, times, halves)
        return parted(part, along, (in_lanes,), parts.border) if along.conditions else in_lanes

    region, steps = parts.interior
    around = Domain.of(c for c in region if strip not in c.form.symbols)
    if not around.conditions:
        return row(region, steps)
    return Branch(around, (row(region, steps),), (row(*parts.near),))


def _apart(steps: Sequence[Step]) -> Iterator[Step]:
    """The steps with a loop over lanes for each point of a tile."""
    for step in steps:
        if isinstance(step, Lanes):
            yield from apart(step)
        else:
            yield map_bodies(step, _apart)


def _chunked(steps: Sequence[Step], surroundings: Surroundings, count: int) -> Iterator[Step]:
    """The steps with the sums that are no part of another in at most so many chunks."""
    for step in steps:
        sums = accumulated(step) if isinstance(step, Loop) else {}
        if isinstance(step, Loop) and sums:
            body = tuple(in_strips((step,), surroundings, part=True))
            least = 1 if has_loops(step.body) else LONG
            yield Chunks(step.range, body, tuple(sums.items()), least, count)
        else:
            yield step
