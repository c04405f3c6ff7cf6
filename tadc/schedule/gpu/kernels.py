"""Execution of a kernel on a GPU: each point is computed by a thread, or by a team of threads that divide its loops.

A thread per point is best while there are many points, and neighbouring points read neighbouring elements. Where there
are few points with long sums, or where the terms of a sum are adjacent in memory, a warp or a block computes a point.
The choice follows from the sizes alone, and with it the order in which sums are added up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from heapq import nsmallest
from itertools import chain, combinations, product
from math import prod
from operator import itemgetter

from tadc.bounded_cache import BoundedCache
from tadc.ir.affine import Symbol
from tadc.ir.element_types import HALF_TYPES, arithmetic, item_bytes
from tadc.ir.program import Program, Statement
from tadc.schedule.gpu.borders import box_interior
from tadc.schedule.gpu.column_teams import in_columns
from tadc.schedule.gpu.computed import shares_values, with_computed_values
from tadc.schedule.gpu.few_rows import without_few_rows
from tadc.schedule.gpu.half import unrounded
from tadc.schedule.gpu.held_rows import row_lengths, with_held_row
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.matrices import matrix_shapes, with_matrices
from tadc.schedule.gpu.model import kernel_model, product_model
from tadc.schedule.gpu.prefix_scan import running_in_parts
from tadc.schedule.gpu.products_apart import with_products_apart
from tadc.schedule.gpu.row_kernels import row_kernels
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.several_factors import with_two_factors
from tadc.schedule.gpu.split import split
from tadc.schedule.gpu.stored_factors import Times, with_stored_factors
from tadc.schedule.gpu.team_tile import with_team_tile
from tadc.schedule.gpu.teams import TeamBody
from tadc.schedule.gpu.tile import Shape, tiled
from tadc.schedule.gpu.tile_choice import Choice
from tadc.schedule.gpu.together import with_values_together
from tadc.schedule.gpu.turned_operands import with_turned_operands
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import Kernel, Tile, has_loops
from tadc.schedule.nest.lower import kernel_of_points, kernels
from tadc.schedule.nest.matrix_product import large_products, left_to_blas
from tadc.schedule.nest.row_locals import rows_as_locals
from tadc.schedule.nest.short_loops import UNROLLED
from tadc.schedule.nest.sizes import Sizes, values_of_sizes
from tadc.schedule.nest.work import works
from tadc.schedule.rewrite.short import with_numbers, with_short_sums
from tadc.schedule.rewrite.single_terms import with_single_terms
from tadc.schedule.rewrite.windows import long_windows_from_zero

__all__ = ["gpu_kernel", "gpu_kernels", "gpu_program", "plain_kernel", "tile_choices"]

NUMBERS = 64  # sizes of at most this that bound sums are numbers in the text
MOST_LOCALS = 64  # elements of a row that a thread keeps in registers, if the model says so
NEAR = 1.15  # times the least time: no other schedule is looked for
LITTLE = 0.25  # launches: so much time does not matter
NOTICED = 0.05  # launches: what another schedule has to gain
BETTER = 1.03  # times as fast as one that is kept otherwise
SLIGHTLY = 1.01  # the same of one that copies ahead
MOST_AHEAD = 3  # of the fastest are tried so
WORTH_UNEVEN = 4.0  # times as fast as one in which every thread has its share
SHORT = 1  # warps: a loop that runs less often than they have threads is not shared
TERMS_OF_COLUMN = 2  # of each thread of a column at least
LONG = 4  # terms of each thread of a block that is chosen by estimates
MOST_MADE = 512  # schedules that are kept
IDLE = 8  # times as many threads as terms may be worth it: the model decides
SECTOR = 8  # elements that come from memory together


_made: BoundedCache[GpuKernel] = BoundedCache(MOST_MADE)


def gpu_program(
    program: Program,
    sizes: Sizes | None,
    dtype: str,
    machine: Machine,
    *,
    blas: bool = False,
    room: int | None = None,
) -> Program:
    """The statements as a GPU runs them: short sums, and rows that teams hold, over numbers, if there are `sizes`; long sums, and
    running ones, in parts.

    `dtype` is the type of tensors that declare none. `blas` says whether large matrix products are left to cuBLAS. Terms and
    values are stored in `room` bytes, if that is not None.
    """
    if sizes is not None:
        few = {
            s: sizes[s] for s in program.sizes if sizes[s] <= NUMBERS and s not in program.offsets
        }
        program = with_short_sums(program, few)
        program = without_few_rows(program, sizes, machine, room)
    times = None if sizes is None else partial(_times, sizes, machine, dtype, blas)
    program = _with_single_terms(program, times)
    if sizes is not None and times:
        program = _with_long_windows(program, times)
        program = with_stored_factors(program, sizes, room, times)
        if blas and dtype not in HALF_TYPES:
            program = with_two_factors(program, sizes, dtype, room, times)
            program = with_products_apart(program, sizes, dtype, room, times)
            program = with_turned_operands(program, sizes, dtype, room, times)
    program = split(program, sizes, machine, blas=blas, room=room, times=times)
    program = running_in_parts(program, sizes, machine)
    return unrounded(
        program if sizes is None else _with_row_lengths(program, sizes, machine), dtype
    )


def _with_single_terms(program: Program, times: Times | None) -> Program:
    """Sums of at most one term are choices, where that is no slower by the model."""
    return _where_no_slower(program, lambda s: with_single_terms(s, program), times)


def _with_long_windows(program: Program, times: Times) -> Program:
    """Windows begin at 0, where that is faster by the model: then all points of a tile have the same loop."""
    return _where_no_slower(program, long_windows_from_zero, times, BETTER)


def _where_no_slower(
    program: Program,
    rewriting: Callable[[Statement], Statement],
    times: Times | None,
    factor: float = 1.0,
) -> Program:
    """The program with the statements rewritten that take no longer then, times the factor."""
    statements = []
    for s in program.statements:
        made = rewriting(s)
        is_slower = (
            made is not s
            and times is not None
            and times(program, [s])[0] < times(program, [made])[0] * factor
        )
        statements.append(s if is_slower else made)
    return replace(program, statements=tuple(statements))


def _times(
    sizes: Sizes,
    machine: Machine,
    dtype: str,
    blas: bool,
    program: Program,
    statements: Sequence[Statement],
) -> tuple[float, float]:
    """The seconds of some statements among those of the program, by the model, and the least that they need. Kernels that are uneven count
    as if they took as much longer as would be worth it. With `blas` large products are a library's.
    """
    made = {s.target.name: s.target for s in statements}
    tensors = {**program.tensors, **made}
    read = dict.fromkeys(t for s in statements for t in s.reads if t not in made)
    alone = replace(
        program,
        inputs=tuple(tensors[t] for t in read),
        statements=tuple(statements),
        outputs=tuple(made),
        given=(),
    )
    values = alone.size_values({s: sizes[s] for s in alone.sizes})
    apart = large_products(alone, sizes) if blas else frozenset()
    each = (
        _alone_or_apart(k, alone, sizes, machine, dtype, {}) for k in kernels(alone, "parts", apart)
    )
    models = []
    for k, s in chain.from_iterable(each):
        is_product = blas and left_to_blas(k, alone, values)
        models.append(
            (product_model if is_product else kernel_model)(s, alone, values, machine, dtype)
        )
    seconds = sum(m.seconds * (WORTH_UNEVEN if m.is_uneven else 1) for m in models)
    return seconds, sum(m.ideal for m in models)


def _with_row_lengths(program: Program, sizes: Sizes, machine: Machine) -> Program:
    """The program with numbers for the lengths of rows that teams may hold in registers."""
    joint = [k for k, _ in row_kernels(kernels(program, "rows"), program, sizes, machine)]
    known = {s: sizes[s] for s in program.sizes}
    lengths = {s: n for s, n in row_lengths(joint, known).items() if s not in program.offsets}
    return with_numbers(program, lengths) if lengths else program


def _alone(kernel: Kernel, program: Program) -> Program:
    """What of a program the schedule of a kernel depends on: its statements, between what they read and what others need of them."""
    own = {s.target.name for s in kernel.statements}
    others = (s for s in program.statements if s.target.name not in own)
    needed = {*program.outputs}.union(*(s.reads for s in others))
    touched = dict.fromkeys((*kernel.reads, *kernel.writes))
    return replace(
        program,
        name="",
        facts=program.known,
        inputs=tuple(program.tensors[t] for t in touched if t not in own),
        statements=kernel.statements,
        outputs=tuple(s.target.name for s in kernel.statements if s.target.name in needed),
        given=(),
    )


def gpu_kernels(
    program: Program,
    mode: str,
    sizes: Sizes | None,
    machine: Machine,
    dtype: str,
    tiles: Mapping[str, Shape],
    apart: frozenset[str] = frozenset(),
) -> list[tuple[Kernel, GpuKernel]]:
    """The kernels of a program as a GPU runs it, each with its schedule. `tiles` are those of some. Tensors `apart` have one of their own."""

    def schedule(kernel: Kernel) -> GpuKernel:
        return _scheduled(kernel, program, sizes, machine, dtype, tiles.get(kernel.name))

    scheduled = []
    for joint, each in row_kernels(kernels(program, mode, apart), program, sizes, machine):
        if len(each) == 1:
            made = _alone_or_apart(joint, program, sizes, machine, dtype, tiles)
            scheduled += [(replace(k, writes=s.kernel.writes), s) for k, s in made]
            continue
        one = schedule(joint)
        if one.team > 1:
            scheduled.append((replace(joint, writes=one.kernel.writes), one))
        else:
            scheduled += [(k, schedule(k)) for k in each]
    return scheduled


def _alone_or_apart(
    kernel: Kernel,
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    dtype: str,
    tiles: Mapping[str, Shape],
) -> list[tuple[Kernel, GpuKernel]]:
    """The kernel with its schedule; or several, one for each of its statements whose values blocks compute once, if that is faster."""

    def scheduled(k: Kernel) -> tuple[Kernel, GpuKernel]:
        return k, _scheduled(k, program, sizes, machine, dtype, tiles.get(k.name))

    joint, statements = [scheduled(kernel)], kernel.statements
    targets = {s.target.name for s in statements}
    if sizes is None or len(statements) == 1 or kernel.name in tiles or {*kernel.writes} != targets:
        return joint
    if not all(targets.isdisjoint(s.reads) for s in statements):
        return joint
    sharing, others = list[tuple[Statement, ...]](), dict[tuple[Symbol, ...], list[Statement]]()
    for s in statements:
        if shares_values(kernel_of_points((s,), kernel.name, program)):
            sharing.append((s,))
        else:
            others.setdefault(s.indices, []).append(s)
    if not sharing:
        return joint
    groups = sorted((*sharing, *map(tuple, others.values())), key=lambda g: statements.index(g[0]))
    alone = [k for g in groups for k in _kernels_of(g, program)]
    alone = [replace(k, name=f"{kernel.name}_{n}") for n, k in enumerate(alone)]
    apart, values = list(map(scheduled, alone)), program.size_values(sizes)

    def seconds(made: Sequence[tuple[Kernel, GpuKernel]]) -> float:
        return sum(kernel_model(s, program, values, machine, dtype).seconds for _, s in made)

    return apart if seconds(apart) * BETTER < seconds(joint) else joint


def _kernels_of(statements: Sequence[Statement], program: Program) -> tuple[Kernel, ...]:
    """The kernels of some statements of the program: one that has a point for each element, or those of all of them together."""
    if len(statements) == 1:
        of_points = kernel_of_points(statements, "", program)
        return (replace(of_points, writes=(statements[0].target.name,)),)
    targets = {s.target.name for s in statements}
    read = dict.fromkeys(t for s in statements for t in s.reads if t not in targets)
    inputs = tuple(program.tensors[t] for t in read)
    return kernels(replace(program, inputs=inputs, statements=tuple(statements), outputs=tuple(s.target.name for s in statements), given=()), "")  # fmt: skip


def _scheduled(
    kernel: Kernel,
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    dtype: str,
    tile: Shape | None = None,
) -> GpuKernel:
    """The schedule of the same kernel in another program too: modes, and decisions about memory, share most of theirs."""
    alone, unnamed = _alone(kernel, program), replace(kernel, name="")
    numbers = None if sizes is None else tuple(sizes.items())
    shape = None if tile is None else repr(tile)
    key = (unnamed, alone, numbers, machine, dtype, shape)
    made = _made.of(key, lambda: gpu_kernel(unnamed, alone, sizes, machine, dtype, tile))
    return replace(made, kernel=replace(made.kernel, name=kernel.name))


def gpu_kernel(
    kernel: Kernel,
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    dtype: str,
    tile: Shape | None = None,
) -> GpuKernel:
    """The kernel's schedule for these values of all sizes; it is right for any others too.

    Among those that are fast by their estimates it is the one that the model of the machine says is fastest, with inputs of type
    `dtype`. Its tile may be given; that changes no bits. Without `sizes` no block stages loops, which is slow where they are short.
    """
    local = rows_as_locals(kernel, UNROLLED)
    itemsize = item_bytes(arithmetic(dtype))
    of_numbers = machine.with_numbers_of(itemsize)
    schedules = _Schedules.of(local, program, sizes, of_numbers)
    usual = _in_blocks(schedules.usual() if tile is None else schedules.tiled(tile), program)
    if (sizes is None and program.sizes) or tile is not None:
        return usual
    values = program.size_values(sizes or {})
    try:
        model = kernel_model(usual, program, values, machine, dtype)
    except OverflowError:  # of coefficients beyond 64 bits, which no target takes
        return usual
    little, noticed = (n * machine.rates.launch for n in (LITTLE, NOTICED))
    best, fastest = usual, model
    copying = [(model.seconds, schedules, usual)]  # those that wait for what they copy

    def consider(of: _Schedules, others: Iterable[GpuKernel], better: float = BETTER) -> None:
        """Take the fastest of those that are so many times as fast as the best so far."""
        nonlocal best, fastest
        before = fastest.seconds
        for other in others:
            schedule = _in_blocks(other, program)
            found = kernel_model(schedule, program, values, machine, dtype, model.ideal)
            copying.append((found.seconds, of, schedule))
            is_worse = found.is_uneven and not fastest.is_uneven
            worth = WORTH_UNEVEN if is_worse else 1
            most = min(before / better, fastest.seconds / worth, model.seconds - noticed)
            if found.seconds < most:
                best, fastest = schedule, found

    is_slow = model.seconds > max(NEAR * model.ideal, model.ideal + little)
    if is_slow:
        consider(schedules, schedules.others())
        if (long := rows_as_locals(kernel, MOST_LOCALS)) != local:
            others = _Schedules.of(long, program, sizes, of_numbers)
            consider(others, (others.usual(), *others.others()))
        before = None
        while best is not before:
            before = best
            consider(schedules, schedules.with_fewer(best))
    consider(schedules, schedules.holding_rows(dtype))
    if is_slow:
        staged = (each for each in copying if each[2].buffers)
        for _, of, other in nsmallest(MOST_AHEAD, list(staged), key=itemgetter(0)):
            consider(of, (*of.ahead(other), *of.smaller(other)), SLIGHTLY)
    if is_slow and len(kernel.statements) == 1:
        of_points = kernel_of_points(kernel.statements, kernel.name, program)
        for other in with_computed_values(of_points, program, values, machine, itemsize):
            sharing = _in_blocks(other, program)
            found = kernel_model(sharing, program, values, machine, dtype, model.ideal)
            if found.seconds < fastest.seconds / BETTER:
                best, fastest = sharing, found
    if machine.tensor_cores and arithmetic(dtype) == "float32":
        for other in schedules.by_matrices():
            if made := with_matrices(_in_blocks(other, program)):
                found = kernel_model(made, program, values, machine, dtype, model.ideal)
                if found.seconds < fastest.seconds:
                    best, fastest = made, found
    return best


def plain_kernel(kernel: Kernel, program: Program) -> GpuKernel:
    """A thread per point."""
    return _in_blocks(GpuKernel(kernel, 1), program)


def _in_blocks(scheduled: GpuKernel, program: Program) -> GpuKernel:
    blocked, body = long_sums_in_blocks(
        scheduled.kernel, scheduled.kernel.body, program, team=scheduled.team
    )
    return with_values_together(GpuKernel(replace(blocked, body=body), scheduled.team))


@dataclass(frozen=True, slots=True)
class _Schedules:
    """The ways in which a kernel may run: by teams, whose threads share loops, or by tiles, which `choice` has."""

    kernel: Kernel
    program: Program
    machine: Machine
    teams: Mapping[int, TeamBody]  # by their threads
    choice: Choice
    blocks: bool  # may stage loops

    @classmethod
    def of(
        cls, kernel: Kernel, program: Program, sizes: Sizes | None, machine: Machine
    ) -> _Schedules:
        values = values_of_sizes(program, kernel.extents, sizes)
        choice = Choice.of(kernel, program, box_interior(kernel, program)[1], values, machine)
        teams = {
            team: TeamBody.of(kernel.body, choice.middle, team, machine.costs)
            for team in (machine.warp, machine.block)
        }
        blocks = sizes is not None or not program.sizes
        return cls(kernel, program, machine, teams, choice, blocks)

    def usual(self) -> GpuKernel:
        """The fastest by the estimates of work."""
        shape = self.choice.chosen(blocks=self.blocks)
        team = self._team(self.choice.time(shape))
        return self.of_team(team) if team > 1 else self.tiled(shape)

    def others(self) -> Iterator[GpuKernel]:
        """Some that the estimates say are not much slower, and all teams for which there is something to do."""
        for team, usual in self.teams.items():
            bodies = [usual, *self._at_corners(team), *self._joint(team)]
            busy = (body.steps for body in bodies if body.longest * IDLE >= SHORT * team)
            for steps in dict.fromkeys(busy):
                yield GpuKernel(replace(self.kernel, body=steps), team)
        yield from self._of_several()
        chosen = self.choice.chosen(blocks=self.blocks)
        for shape in (*self.choice.shortlist(), *self.choice.without_loops(), *self.choice.of_rows()):  # fmt: skip
            if shape != chosen or self._team(self.choice.time(shape)) > 1:  # else it is the usual
                yield self.tiled(shape)
        least = TERMS_OF_COLUMN * SHORT * self.machine.column
        yield from in_columns(self.kernel, self.choice.middle, self.machine, least)

    def _of_several(self) -> Iterator[GpuKernel]:
        """Teams of all values of an index or two, or of some neighbours."""
        made: dict[GpuKernel, None] = {}
        of_all = product(self.choice.of_team(), self.teams, (0, 1))
        of_some = product(self.choice.of_neighbours(), self.teams, (0,))
        for counts, team, adjacent in chain(of_all, of_some):
            least = max(1, SHORT * team / IDLE)
            middle, costs = self.choice.middle, self.machine.costs
            if of_team := with_team_tile(self.kernel, counts, middle, team, costs, least, adjacent=adjacent):  # fmt: skip
                made[of_team] = None
        yield from made

    def holding_rows(self, dtype: str) -> Iterator[GpuKernel]:
        """Those of teams that hold rows in registers."""
        for team in self.teams:
            if held := with_held_row(self.of_team(team), self.program, dtype):
                yield held

    def ahead(self, scheduled: GpuKernel) -> Iterator[GpuKernel]:
        """The same tile of a block, whose buffers are filled ahead."""
        if any(b.halves == 1 for b in scheduled.buffers) and has_loops(self.kernel.body):  # fmt: skip
            counts = {t.index: t.count for t in scheduled.tile}
            threads = {t.index: t.threads for t in scheduled.tile}
            yield self.tiled(Shape(counts, threads, ahead=True))

    def smaller(self, scheduled: GpuKernel) -> Iterator[GpuKernel]:
        """Tiles of a block with half of the values of some indices, filled ahead, where so many leave room for no other block."""
        if not has_loops(self.kernel.body):
            return
        counts = {t.index: t.count for t in scheduled.tile}
        several = [i for i, n in counts.items() if n > 1 and scheduled.blocks(1) == 1]
        threads = {t.index: t.threads for t in scheduled.tile}
        for chosen in chain.from_iterable(combinations(several, n) for n in (1, 2)):
            fewer = {i: -(-n // 2) if i in chosen else n for i, n in counts.items()}
            yield self.tiled(Shape(fewer, threads, ahead=True))

    def with_fewer(self, scheduled: GpuKernel) -> Iterator[GpuKernel]:
        """Tiles of a thread with half of the values of one index: the estimates know nothing of registers."""
        counts = {t.index: t.count for t in scheduled.tile} if scheduled.team == 1 else {}
        for i, n in counts.items():
            fewer = {**counts, i: n // 2}
            yield self.tiled(Shape({i: n for i, n in fewer.items() if n > 1}))

    def by_matrices(self) -> Iterator[GpuKernel]:
        """Tiles of blocks that suit instructions for matrices."""
        for shape in matrix_shapes(self.choice.free(), self.choice.extents, self.machine):
            yield self.tiled(shape)

    def _at_corners(self, team: int) -> Iterator[TeamBody]:
        """The team's bodies by how often loops run at the first and at the last point: none may run in the middle."""
        extents = self.choice.extents
        for corner in (dict.fromkeys(extents, 0), {i: max(1, n) - 1 for i, n in extents.items()}):
            values = {**self.choice.middle, **corner}
            yield TeamBody.of(self.kernel.body, values, team, self.machine.costs)

    def _joint(self, team: int) -> Iterator[TeamBody]:
        """The team's bodies with nests of loops as one."""
        middle, costs = self.choice.middle, self.machine.costs
        for adjacent in (1, SECTOR):
            yield TeamBody.of(self.kernel.body, middle, team, costs, adjacent=adjacent)

    def of_team(self, team: int) -> GpuKernel:
        return GpuKernel(replace(self.kernel, body=self.teams[team].steps), team)

    def tiled(self, shape: Shape) -> GpuKernel:
        """Tiles of that shape: of a thread, or of a block."""
        alone = tiled(
            self.kernel,
            self.program,
            box_interior(self.kernel, self.program),
            shape,
            self.choice.middle,
            self.machine,
            windows=self.choice.windows(shape),
        )
        match alone.body:
            case (Tile() as made,):
                return GpuKernel(alone, made.team)
            case _:
                return GpuKernel(alone, 1)

    def _team(self, alone: float) -> int:
        """The number of threads with which the kernel ends first, if it takes `alone` with one."""
        machine = self.machine
        points = prod(self.choice.extents.values())
        times = {1: alone}
        for team, body in self.teams.items():
            if body.longest < team * (SHORT if team == machine.warp else LONG):
                continue
            each = works(self.kernel.body, body.values, body.loops.keys(), machine.costs)
            # A pass combines at each of its steps.
            often = 1 + body.longest // team if body.scans else 1
            of_all = sum(w.of({}) for w in each) + often * machine.combined(team)
            times[team] = machine.duration(of_all * points, points * team)
        return min(times, key=lambda team: times[team])


def tile_choices(
    kernel: Kernel, program: Program, sizes: Sizes, machine: Machine, most: int
) -> list[Shape]:
    """Tiles of the kernel that may be best for these values of all sizes, the model's choice first."""
    return Choice.of(kernel, program, box_interior(kernel, program)[1], sizes, machine).choices(
        most
    )
