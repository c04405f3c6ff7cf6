"""Several elements by a team: each of its threads has a part of the sum of every one of them.

    for j, by the threads: s += x[j]*y[j + t]      is      for j, by the threads: for each t: s[t] += x[j]*y[j + t]

for all of the few values of `t`, such as the taps of a filter, which share what they read. Every element keeps the order of its sum.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tadc.ir.affine import Symbol
from tadc.ir.domain import EVERYWHERE
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.teams import TeamBody
from tadc.schedule.gpu.tile import laned, within_box
from tadc.schedule.nest.loop_nest import (
    Kernel,
    TeamSums,
    Tile,
    TileIndex,
    first_of,
    last_of,
    steps_of,
)
from tadc.schedule.nest.sizes import Sizes
from tadc.schedule.nest.step_costs import Costs

__all__ = ["with_team_tile"]


def with_team_tile(
    kernel: Kernel,
    counts: Mapping[Symbol, int],
    values: Sizes,
    team: int,
    costs: Costs,
    least: float = 1,
    *,
    adjacent: int = 0,
) -> GpuKernel | None:
    """A team for all of the values of some indices, `counts` of them, whose points may share loops; None where its threads would share no sum of
    so many terms at `least`.

    `values` has those of sizes, and one in the middle of each other index; with `adjacent` nests are shared as one loop, as in `TeamBody`.
    """
    pairs = zip(kernel.indices, kernel.extents, strict=True)
    indices = tuple(TileIndex(i, n, counts[i], strided=False) for i, n in pairs if i in counts)
    body, wide = laned(kernel.body, indices, within_box(indices))
    ends = {first_of(i): 0 for i in counts} | {last_of(i): n - 1 for i, n in counts.items()}
    steps = TeamBody.of(body, {**values, **ends}, team, costs, adjacent=adjacent)
    if steps.longest < least or not any(isinstance(s, TeamSums) for s in steps_of(steps.steps)):
        return None
    tile = Tile(indices, steps.steps, (), EVERYWHERE, wide, ())
    return GpuKernel(replace(kernel, body=(tile,)), team)
