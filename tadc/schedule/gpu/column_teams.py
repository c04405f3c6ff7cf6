"""Sums of neighbours by the warps of a block: each warp has a part of the sums of 32 neighbours, a thread that of one.

    y[i] = sum{t} p[t, i]    is    for t, every eighth by each warp: s += p[t, i];  y[i] = what the eight have, added up

Of few elements, whose terms lie in rows of their own, a thread each would wait for memory, and the threads of a warp would read far apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.teams import TeamBody
from tadc.schedule.nest.loop_nest import (
    Barrier,
    Kernel,
    Store,
    TeamLoop,
    TeamScan,
    TeamSums,
    steps_of,
)
from tadc.schedule.nest.sizes import Sizes

__all__ = ["in_columns"]


def in_columns(
    kernel: Kernel, values: Sizes, machine: Machine, least: float
) -> Iterator[GpuKernel]:
    """The kernel with columns whose threads share a loop of so many terms at `least`; nothing where some points would have to wait for others.

    `values` has those of sizes, and one in the middle of each index.
    """
    team = machine.column
    made: dict[GpuKernel, None] = {}
    for adjacent in (0, 1):
        body = TeamBody.of(kernel.body, values, team, machine.costs, adjacent=adjacent)
        own = replace(kernel, body=body.steps)
        if kernel.indices and body.longest >= least and _waits_for_all(own):
            made[GpuKernel(own, team)] = None
    yield from made


def _waits_for_all(kernel: Kernel) -> bool:
    """Whether all threads of a block come to the same barriers, those that add up sums."""
    steps = list(steps_of(kernel.body))
    around = [s for s in kernel.body if isinstance(s, TeamSums)]
    loops = (s for s in steps if isinstance(s, TeamLoop))
    storing = any(isinstance(s, Store) for loop in loops for s in steps_of(loop.body))
    waiting = sum(isinstance(s, (TeamSums, TeamScan, Barrier)) for s in steps)
    return waiting == len(around) > 0 and not storing
