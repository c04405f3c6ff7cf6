"""Execution of a kernel on a GPU: each point is computed by a thread, or by a team of threads that divide its loops.

A thread per point is best while there are many points, and neighbouring points read neighbouring elements. Where there
are few points with long sums, or where the terms of a sum are adjacent in memory, a warp or a block computes a point.
The choice follows from the sizes alone, and with it the order in which sums are added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from math import prod

from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.expr import Read
from tadc.ir.program import Program
from tadc.ir.range import Bound
from tadc.schedule.gpu.borders import box_interior
from tadc.schedule.gpu.cost import (
    UNROLLED,
    Sizes,
    cost,
    subscripts,
    values_of_sizes,
    with_midpoints,
)
from tadc.schedule.gpu.half import unrounded
from tadc.schedule.gpu.machine import Costs, Machine
from tadc.schedule.gpu.prefix_scan import running_in_parts
from tadc.schedule.gpu.row_kernels import row_kernels
from tadc.schedule.gpu.split import split
from tadc.schedule.gpu.tile import Shape, tiled
from tadc.schedule.gpu.tile_choice import Choice
from tadc.schedule.gpu.turned import with_turned_rows
from tadc.schedule.gpu.work import works
from tadc.schedule.nest.lanes import accumulated
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import (
    Accumulate,
    Accumulator,
    Assign,
    Barrier,
    Branch,
    Kernel,
    Leader,
    Let,
    LetIndex,
    Loop,
    Step,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    Tile,
    TileIndex,
    reads_of,
    steps_of,
    values_of,
)
from tadc.schedule.nest.lower import kernels
from tadc.schedule.nest.row_locals import rows_as_locals
from tadc.schedule.rewrite.short import with_short_sums

__all__ = ["GpuKernel", "gpu_kernel", "gpu_kernels", "gpu_program", "plain_kernel", "tile_choices"]

SHORT = 1  # warps: a loop that runs less often than they have threads is not shared


@dataclass(frozen=True, slots=True)
class GpuKernel:
    """The kernel's body runs for each point of its box, or each tile of points, by a team of `team` threads: 1, a warp, or a block."""

    kernel: Kernel
    team: int

    @property
    def tile(self) -> tuple[TileIndex, ...]:
        """The indices of which a thread has several values."""
        match self.kernel.body:
            case (Tile(indices),):
                return indices
            case _:
                return ()

    @property
    def tile_text(self) -> str:
        """Such as `8x4`."""
        return "x".join(str(t.values) for t in self.tile)

    @property
    def combined(self) -> int:
        """The number of sums that the threads of a team combine."""
        steps = steps_of(self.kernel.body)
        return sum(
            len(s.sums) if isinstance(s, TeamSums) else isinstance(s, TeamScan) for s in steps
        )

    def threads(self, sizes: Sizes) -> int:
        """The number of threads that run at once, at best."""
        values = {t.index: t.values for t in self.tile}
        pairs = zip(self.kernel.indices, self.kernel.extents, strict=True)
        return self.team * prod(-(-n.at(sizes) // values.get(i, 1)) for i, n in pairs)


def gpu_program(
    program: Program,
    sizes: Sizes | None,
    dtype: str,
    machine: Machine,
    *,
    blas: bool = False,
    room: int | None = None,
) -> Program:
    """The statements as a GPU runs them: short sums over numbers, if there are `sizes`; long ones, and running ones, in parts.

    `dtype` is the type of tensors that declare none. `blas` says whether large matrix products are left to cuBLAS. Terms and
    turned tensors are stored in `room` bytes, if that is not None.
    """
    if sizes is not None:
        few = {
            s: sizes[s] for s in program.sizes if sizes[s] <= UNROLLED and s not in program.offsets
        }
        program = with_short_sums(program, few)
        program = with_turned_rows(program, sizes, machine, room)
    program = running_in_parts(split(program, sizes, machine, blas=blas, room=room), sizes, machine)
    return unrounded(program, dtype)


def gpu_kernels(
    program: Program,
    mode: str,
    sizes: Sizes | None,
    machine: Machine,
    tiles: Mapping[str, Shape],
) -> list[tuple[Kernel, GpuKernel]]:
    """The kernels of a program as a GPU runs it, each with its schedule. `tiles` are those of some."""
    scheduled = []
    for joint, each in row_kernels(kernels(program, mode), program, sizes, machine):
        one = gpu_kernel(joint, program, sizes, machine, tiles.get(joint.name))
        if len(each) == 1 or one.team > 1:
            scheduled.append((joint, one))
        else:
            scheduled += [
                (k, gpu_kernel(k, program, sizes, machine, tiles.get(k.name))) for k in each
            ]
    return scheduled


def gpu_kernel(
    kernel: Kernel,
    program: Program,
    sizes: Sizes | None,
    machine: Machine,
    tile: Shape | None = None,
) -> GpuKernel:
    """The kernel's schedule for these values of all sizes; it is right for any others too.

    Its tile may be given; that changes no bits. Without `sizes` no block stages loops, which is slow where they are short.
    """
    local = rows_as_locals(kernel, UNROLLED)
    return _in_blocks(_scheduled(local, program, sizes, machine, tile), program)


def plain_kernel(kernel: Kernel, program: Program) -> GpuKernel:
    """A thread per point."""
    return _in_blocks(GpuKernel(kernel, 1), program)


def _in_blocks(scheduled: GpuKernel, program: Program) -> GpuKernel:
    blocked, body = long_sums_in_blocks(
        scheduled.kernel, scheduled.kernel.body, program, team=scheduled.team
    )
    return GpuKernel(replace(blocked, body=body), scheduled.team)


def _scheduled(
    kernel: Kernel, program: Program, sizes: Sizes | None, machine: Machine, tile: Shape | None
) -> GpuKernel:
    values = values_of_sizes(program, kernel.extents, sizes)
    extents = [max(1, n.at(values)) for n in kernel.extents]
    middle = {i: n // 2 for i, n in zip(kernel.indices, extents, strict=True)}
    team_steps = _TeamSteps(
        {**values, **middle}, {e.tensor for e in reads_of(kernel.body)}, machine
    )
    body = tuple(team_steps.steps(kernel.body))
    region = box_interior(kernel, program)
    choice = Choice.of(kernel, program, region[1], values, machine)
    shape = choice.chosen(blocks=sizes is not None or not program.sizes)
    if not _is_stale(body):
        team = _team(kernel, choice.time(shape), prod(extents), team_steps, machine)
        if team > 1:
            return GpuKernel(replace(kernel, body=body), team)
    shape = tile or shape
    windows = choice.windows(shape)
    alone = tiled(kernel, program, region, shape, choice.middle, machine, windows=windows)
    match alone.body:
        case (Tile() as made,):
            return GpuKernel(alone, made.team)
        case _:
            return GpuKernel(alone, 1)


def tile_choices(
    kernel: Kernel, program: Program, sizes: Sizes, machine: Machine, most: int
) -> list[Shape]:
    """Tiles of the kernel that may be best for these values of all sizes, the model's choice first."""
    return Choice.of(kernel, program, box_interior(kernel, program)[1], sizes, machine).choices(
        most
    )


def _team(
    kernel: Kernel, alone: float, points: int, team_steps: _TeamSteps, machine: Machine
) -> int:
    """The number of threads with which the kernel ends first, if it takes `alone` with one."""
    longest = max(team_steps.loops.values(), default=0)
    warp, block = machine.warp, machine.block
    if longest < SHORT * warp:
        return 1
    each = works(kernel.body, team_steps.values, team_steps.loops.keys(), machine.costs)
    work = sum(w.of({}) for w in each)
    times = {1: alone}
    for team in (warp, block) if longest >= 4 * block else (warp,):
        often = (
            1 + longest // team if team_steps.scans else 1
        )  # a pass combines at each of its steps
        of_all = (work + often * machine.combined(team)) * points
        times[team] = machine.duration(of_all, points * team)
    return min(times, key=lambda team: times[team])


def _is_stale(body: Sequence[Step]) -> bool:
    """Whether threads of a team may add to elements that another one has stored."""
    once = (s for step in steps_of(body) if isinstance(step, Leader) for s in step.body)
    stored = {s.tensor for s in once if isinstance(s, Store)}
    return any(isinstance(s, Store) and s.op and s.tensor in stored for s in steps_of(body))


@dataclass(slots=True)
class _TeamSteps:
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
