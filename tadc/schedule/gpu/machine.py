"""A GPU as schedules see it: a value that is passed along, so that another GPU is another value."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["ADA", "AMPERE", "HOPPER", "Costs", "Machine"]


@dataclass(frozen=True, slots=True)
class Costs:
    """Costs for a thread, in units of one coalesced read of memory."""

    operation: float = 0.25  # of numbers
    special: float = 0.25  # one that is a function's
    broadcast: float = 0.125  # a read of one element by all threads side by side
    strided: float = 8.0  # a strided read: each element comes with a sector of eight
    staged: float = 0.3  # a read of a buffer in shared memory
    filled: float = 2.0  # an element that is copied to one
    barrier: float = 8.0  # a part of a staged loop
    warp_sum: float = 20.0  # a sum that the threads of a warp combine
    block_sum: float = 40.0  # and those of a block


@dataclass(frozen=True, slots=True)
class Machine:
    """A GPU, whose threads work alone or in teams: a warp, or a block.

    `warp` and `block` are threads; `templates/cuda/teams.cuh` and `templates/opencl/teams.cl` are written for 32 and 256.
    `resident_threads` keep it busy: more of them are no faster. A grid has at most `most_blocks`, and a block
    `shared_bytes` of shared memory, which a kernel gets without asking for more.
    """

    resident_threads: int
    warp: int = 32
    block: int = 256
    most_blocks: int = 32768
    shared_bytes: int = 48 * 1024
    costs: Costs = Costs()

    def duration(self, work: float, threads: float) -> float:
        """The time for work that so many threads share, in an arbitrary unit."""
        return work / min(threads, self.resident_threads)

    def combined(self, team: int) -> float:
        """The work of all threads of a team that combine a sum."""
        return team * (self.costs.warp_sum if team == self.warp else self.costs.block_sum)

    def team_name(self, team: int) -> str:
        """The word for a team of so many threads."""
        return {1: "thread", self.warp: "warp", self.block: "block"}[team]


# Multiprocessors with the threads that each of them holds.
HOPPER = Machine(resident_threads=2**18)  # H200: 132 with 2048, about
AMPERE = Machine(resident_threads=108 * 2048)  # A100
ADA = Machine(resident_threads=128 * 1536)  # RTX 4090
