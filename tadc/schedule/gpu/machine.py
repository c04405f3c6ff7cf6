"""A GPU as schedules see it: a value that is passed along, so that another GPU is another value."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tadc.schedule.nest.step_costs import Costs

__all__ = ["ADA", "AMPERE", "ANY_OF_OPENCL", "HOPPER", "MACHINES", "GpuCosts", "Machine", "Rates"]


@dataclass(frozen=True, slots=True)
class GpuCosts(Costs):
    """Costs of a step, and of what threads do together."""

    staged: float = 0.3  # a read of a buffer in shared memory
    filled: float = 2.0  # an element that is copied to one
    barrier: float = 8.0  # a part of a staged loop
    warp_sum: float = 20.0  # a sum that the threads of a warp combine
    block_sum: float = 40.0  # and those of a block


@dataclass(frozen=True, slots=True)
class Rates:
    """What a GPU can do at most, by its data sheet: `multiprocessors` at `clock` cycles a second, each of which starts four
    instructions of warps a cycle, and moves 128 bytes between its threads and its nearest memory.

    `bandwidth` and `l2_bandwidth` are bytes a second, of memory and of the cache that all share, which holds `l2_bytes`. `special` and
    `float64` are operations a cycle of a multiprocessor, of functions that have a pipe of their own, and of numbers of 64 bits.
    """

    name: str
    multiprocessors: int
    clock: float
    bandwidth: float
    l2_bandwidth: float
    l2_bytes: int
    float64: int
    special: int = 16
    float32: int = 128
    matrix: int = 640  # products in TF32 a cycle of a multiprocessor, by instructions of warps
    l1_bytes: int = 192 * 1024  # of the nearest memory, as a cache
    shared_bytes: int = 227 * 1024  # of a multiprocessor, for the buffers of all its blocks
    registers: int = 65536  # of a multiprocessor
    most_threads: int = 2048  # of one
    launch: float = 2e-6  # seconds between the beginnings of two kernels that do nothing
    # Cycles until an instruction's result, and until that of a read of memory where some are under way.
    latency: float = 4.0
    read_latency: float = 40.0
    far_latency: float = 600.0  # until that of one that nothing else is under way with
    part_latency: float = (
        700.0  # until what a block copies to shared memory is there, with the barriers
    )
    # Bytes of memory that a thread has to have under way for half of the bandwidth, if there are as many threads as fit.
    half_bandwidth: float = 1.5


# Of NVIDIA's data sheets; the bandwidths of L2 caches are those that others have measured.
_H200 = Rates("NVIDIA H200", 132, 1.785e9, 4.8e12, 5.5e12, 50 * 2**20, 64)
_H100 = replace(_H200, name="NVIDIA H100 80GB", bandwidth=3.35e12)
_A100 = Rates(
    "NVIDIA A100 80GB",
    108,
    1.41e9,
    2.04e12,
    4.5e12,
    40 * 2**20,
    32,
    float32=64,
    l1_bytes=128 * 1024,
    shared_bytes=163 * 1024,
    matrix=512,
)
_RTX_4090 = Rates("NVIDIA GeForce RTX 4090", 128, 2.52e9, 1.01e12, 4.5e12, 72 * 2**20, 2, l1_bytes=96 * 1024, shared_bytes=99 * 1024, matrix=128, most_threads=1536)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU, whose threads work alone or in teams: a warp, or a block.

    `warp`, `block` and `column` are threads; `templates/cuda/teams.cuh` and `templates/opencl/teams.cl` are written for 32, 256 and 8. A column
    has a thread of each warp of a block: those of the warps' lanes are neighbours.
    `resident_threads` keep it busy: more of them are no faster. A grid has at most `most_blocks`, and a block
    `shared_bytes` of shared memory, which a kernel gets without asking for more. With `tensor_cores` kernels may have instructions
    for matrices, which round factors.
    """

    resident_threads: int
    warp: int = 32
    block: int = 256
    column: int = 8
    most_blocks: int = 32768
    shared_bytes: int = 48 * 1024
    costs: GpuCosts = GpuCosts()
    rates: Rates = _H200
    tensor_cores: bool = False

    def duration(self, work: float, threads: float) -> float:
        """The time for work that so many threads share, in an arbitrary unit."""
        return work / min(threads, self.resident_threads)

    def combined(self, team: int) -> float:
        """The work of all threads of a team that combine a sum."""
        return team * (self.costs.warp_sum if team == self.warp else self.costs.block_sum)

    def with_numbers_of(self, itemsize: int) -> Machine:
        """The machine as what counts numbers of 64 bits sees it, where they have so many bytes: shared memory holds more of them."""
        return replace(self, shared_bytes=self.shared_bytes * 8 // itemsize)

    def beside(self, team: int) -> int:
        """The teams of a block whose threads are neighbours of those of the next one, or 1."""
        return self.block // team if team == self.column else 1

    def team_name(self, team: int) -> str:
        """The word for a team of so many threads."""
        names = {1: "thread", self.column: "column", self.warp: "warp", self.block: "block"}
        return names[team]


# Multiprocessors with the threads that each of them holds.
HOPPER = Machine(resident_threads=2**18)  # H200: 132 with 2048, about
AMPERE = Machine(resident_threads=108 * 2048, rates=_A100)
ADA = Machine(resident_threads=128 * 1536, rates=_RTX_4090)
# OpenCL promises 32 KiB for a work-group, which has values of its teams there too.
ANY_OF_OPENCL = replace(HOPPER, shared_bytes=28 * 1024)

MACHINES = {
    "h200": HOPPER,
    "h100": replace(HOPPER, rates=_H100),
    "a100": AMPERE,
    "rtx4090": ADA,
}  # by their names on the command line
