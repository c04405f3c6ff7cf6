"""The time of a kernel on a GPU, by what its threads execute, and by what limits them.

Each of a machine's resources takes the time of what is asked of it; the slowest decides. Nothing here was fitted to measurements: it is to
compare schedules with one another, and with the least that a machine needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from tadc.ir.element_types import arithmetic, item_bytes
from tadc.ir.program import Program
from tadc.schedule.gpu.executed import Executed, executed
from tadc.schedule.gpu.ideal import Ideal
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import MOST_REGISTERS, GpuKernel, words_of
from tadc.schedule.nest.loop_nest import (
    Accumulator,
    Kernel,
    Loop,
    Tile,
    has_loops,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.matrix_product import left_to_blas
from tadc.schedule.nest.short_loops import is_unrolled
from tadc.schedule.nest.sizes import Sizes

__all__ = ["KernelModel", "ideal_seconds", "kernel_model", "product_model"]

REGISTERS = 32  # of a thread that has no tile
OVERLAPPING = 4  # points, or sums, of a thread whose instructions do not wait for one another
UNEVEN, SHORT = (
    4.0,
    2e-6,
)  # times the mean; seconds of a thread that no one waits for: a launch takes as long
SPILLED = 8.0  # instructions more for each, where all values are in memory
OF_PEAK = 0.8  # what a library's matrix product reaches
# What is needed at the same time: two that are nearly used up get in each other's way.
SHARED = ("memory", "L2", "loads and stores", "instructions", "special functions")
CROWDING = 3
# Of a kernel's time more, where each scheduler of a multiprocessor has one warp: none goes on while that waits, in loops that read memory
# for longer.
ALONE, ALONE_IN_MEMORY = 1.2, 6.0


@dataclass(frozen=True, slots=True)
class KernelModel:
    """Seconds of a kernel, and of the least that its statements need; what limits it; its threads, and as many as the machine can
    hold at once; the instructions of the thread that has the most to do, and all instructions for each that the machine can hold. `seconds_by` has the time of each resource,
    `inner_loops` the instructions and the reads of a run of each loop without loops.
    """

    seconds: float
    ideal: float
    limit: str
    threads: int
    resident: int
    longest_thread: float
    mean_thread: float
    seconds_by: Mapping[str, float]
    inner_loops: Mapping[str, tuple[float, float]]

    @property
    def is_uneven(self) -> bool:
        """Whether one thread has much more to do than its share, for longer than a launch takes."""
        waiting = self.seconds_by.get("the longest thread", 0.0)
        return self.longest_thread > UNEVEN * self.mean_thread and waiting > SHORT


def kernel_model(
    scheduled: GpuKernel,
    program: Program,
    sizes: Sizes,
    machine: Machine,
    dtype: str,
    ideal: float | None = None,
) -> KernelModel:
    """The model of a kernel for these values of all sizes; `dtype` is that of inputs and outputs without a declared one.

    `ideal` has the least seconds, which are the same for all schedules of a kernel, if they are known.
    """
    real = arithmetic(dtype)
    threads, resident = scheduled.threads(sizes), _resident(scheduled, machine, real)
    if not threads:
        launch = machine.rates.launch
        return KernelModel(launch, launch, "the launch", 0, resident, 0.0, 0.0, {}, {})
    done = executed(scheduled, program, sizes, machine, real, min(threads, resident))
    by = _seconds(scheduled, done, program, sizes, machine, dtype, threads, resident)
    busy = sum(by[name] ** CROWDING for name in SHARED) ** (1 / CROWDING)
    alone = ALONE_IN_MEMORY if scheduled.team == 1 and _loops_over_memory(scheduled) else ALONE
    busy *= 1 + alone * 4 * machine.warp * machine.rates.multiprocessors / resident
    by["copies to shared memory"] = _copying(scheduled, done, machine, threads, resident, busy)
    limit = max(by, key=by.__getitem__)
    if ideal is None:
        ideal = _least(scheduled.kernel, program, sizes, machine, dtype) + machine.rates.launch
    return KernelModel(
        max(by[limit], busy) + machine.rates.launch,
        ideal,
        limit,
        threads,
        resident,
        done.longest_instructions,
        done.total.instructions / resident,
        by,
        done.inner_loops,
    )


def _least(kernel: Kernel, program: Program, sizes: Sizes, machine: Machine, dtype: str) -> float:
    """The least seconds of a kernel's statements."""
    real = arithmetic(dtype)
    touched = {*kernel.reads, *kernel.writes}
    return Ideal.of(kernel.statements, program, touched, sizes, dtype, real).seconds(machine, real)


def product_model(
    scheduled: GpuKernel, program: Program, sizes: Sizes, machine: Machine, dtype: str
) -> KernelModel:
    """The model of a matrix product that a library computes, by instructions for matrices if it may: nothing is known of its threads."""
    launch = machine.rates.launch
    product = left_to_blas(scheduled.kernel, program, sizes)
    calls = product.calls(sizes) if product else 1
    seconds = least = _least(scheduled.kernel, program, sizes, machine, dtype)
    if machine.tensor_cores and arithmetic(dtype) == "float32":
        r = machine.rates
        rates = replace(r, float32=max(r.float32, r.matrix))
        seconds = _least(scheduled.kernel, program, sizes, replace(machine, rates=rates), dtype)
    limit = "a library's product"
    by = {limit: seconds / OF_PEAK}
    return KernelModel(by[limit] + calls * launch, least + launch, limit, 0, 0, 0.0, 0.0, by, {})


def ideal_seconds(program: Program, sizes: Sizes, machine: Machine, dtype: str) -> float:
    """The least seconds of a program for these values of all sizes, if all of it were one kernel: inputs and outputs move once."""
    real = arithmetic(dtype)
    fixed = {*(t.name for t in program.inputs), *program.outputs}
    least = Ideal.of(program.statements, program, fixed, sizes, dtype, real)
    return least.seconds(machine, real) + machine.rates.launch


def _resident(scheduled: GpuKernel, machine: Machine, real: str) -> int:
    """The threads that fit at once, by their registers and the buffers of their blocks."""
    r = machine.rates
    if scheduled.tile or scheduled.row:
        used = scheduled.registers(words_of(real))
        blocks = max(scheduled.blocks(words_of(real)), r.registers // (used * machine.block))
    else:
        sums = sum(isinstance(s, Accumulator) for s in steps_of(scheduled.kernel.body))
        used = REGISTERS + words_of(real) * (2 * sums + scheduled.held)
        blocks = max(1, int(r.registers // (min(MOST_REGISTERS, used) * machine.block)))
    elements = sum(b.halves * b.size for b in scheduled.buffers)
    if elements:
        blocks = max(1, min(blocks, r.shared_bytes // (elements * item_bytes(real))))
    return r.multiprocessors * min(r.most_threads, blocks * machine.block)


def _loops_over_memory(scheduled: GpuKernel) -> bool:
    """Whether most of its threads run loops, such as are not written out, that read memory."""
    body = scheduled.kernel.body
    match body:
        case (Tile(interior=(_, *_) as interior),):
            body = interior
        case _:
            pass
    loops = (s for s in steps_of(body) if isinstance(s, Loop) and not is_unrolled(s))
    return any(e.subscripts for loop in loops for e in reads_of((loop,)))


def _spilled(scheduled: GpuKernel, real: str) -> float:
    """The part of the values needed all the time for which there are no registers. Beside elements that are held compilers do not know which
    these are.
    """
    values = scheduled.all_values if scheduled.held else scheduled.values
    needed = words_of(real) * (values + scheduled.held)
    return max(0.0, 1 - (MOST_REGISTERS - REGISTERS) / needed) if needed else 0.0


def _seconds(
    scheduled: GpuKernel,
    done: Executed,
    program: Program,
    sizes: Sizes,
    machine: Machine,
    dtype: str,
    threads: int,
    resident: int,
) -> dict[str, float]:
    """The seconds that each resource takes."""
    r, total = machine.rates, done.total
    real = arithmetic(dtype)
    blocks = max(1, -(-threads // machine.block))
    rounds = -(-blocks // r.multiprocessors)
    busy = blocks / (rounds * r.multiprocessors)  # of multiprocessors, until the last is done
    cycle = 1 / (r.multiprocessors * r.clock * busy)
    lanes = r.float64 if real == "float64" else r.float32
    memory = sum(_from_memory(done, program, sizes, dtype, machine, threads, resident).values())
    occupied = min(threads, resident) / (r.multiprocessors * r.most_threads)
    points = prod(t.count for t in scheduled.tile)
    # Bytes that each thread has under way: reads at one point do not wait for one another.
    at_once = max(1.0, min(16.0, 4 * points * _reads_at_once(scheduled)))
    reached = at_once * occupied / (at_once * occupied + r.half_bandwidth)
    most = 16 / (16 + r.half_bandwidth)
    spilled = 1 + SPILLED * _spilled(scheduled, real)
    in_row = scheduled.row.count if scheduled.row else 1
    independent = min(max(points, scheduled.values, in_row), OVERLAPPING)
    wait = r.latency / independent
    waiting = wait * done.longest_instructions + r.read_latency * done.longest_reads / independent  # fmt: skip
    each = wait * total.instructions + r.read_latency * total.reads / independent
    each = max(each, r.far_latency * total.waits)
    return {
        "memory": memory / (r.bandwidth * min(1.0, reached / most)),
        "L2": total.l2_bytes / r.l2_bandwidth / busy,
        "loads and stores": total.lines * cycle,
        "instructions": total.instructions * spilled / (4 * machine.warp) * cycle,
        "arithmetic": total.arithmetic / lanes * cycle,
        "products of matrices": total.matrix / r.matrix * cycle,
        "special functions": total.special / r.special * cycle,
        "the longest thread": waiting / r.clock,
        "latency": each / max(1, min(threads, resident)) / r.clock,
    }


def _copying(
    scheduled: GpuKernel,
    done: Executed,
    machine: Machine,
    threads: int,
    resident: int,
    busy: float,
) -> float:
    """The seconds of a kernel that is otherwise busy for so long, if its blocks wait for each part that they copy to shared memory.

    Others of a multiprocessor wait at other times, and a block does not where it copies ahead.
    """
    r = machine.rates
    blocks = max(1, threads // machine.block)
    used = min(r.multiprocessors, blocks)
    at_once = max(1, min(resident // (r.multiprocessors * machine.block), blocks // used))
    waiting = r.part_latency / r.clock / used
    own = busy + waiting * done.parts / at_once if done.parts else 0.0
    return max(own, waiting * done.parts_ahead / at_once)


def _reads_at_once(scheduled: GpuKernel) -> int:
    """The reads of a point, or of four runs of a loop, or of a pass over a row in registers, which compilers put in front of what needs them."""
    reads = {e for e in reads_of(scheduled.kernel.body) if e.subscripts}
    of_loop = 4 if has_loops(scheduled.kernel.body) else 1
    return max(1, len(reads)) * (scheduled.row.count if scheduled.row else of_loop)


def _from_memory(
    done: Executed,
    program: Program,
    sizes: Sizes,
    dtype: str,
    machine: Machine,
    threads: int,
    resident: int,
) -> dict[str, float]:
    """The bytes of each tensor that come from memory, or go there: once where it stays in the cache, else once a wave of threads."""
    waves = max(1.0, threads / resident)
    moved = {}
    for t, through in done.moved.items():
        once = program.tensors[t].bytes_at(sizes, dtype)
        again = waves * done.read_by_wave[t] if once > machine.rates.l2_bytes else 0
        moved[t] = min(through, max(once, again))
    return moved
