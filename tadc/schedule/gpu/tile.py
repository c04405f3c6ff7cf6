"""Tiles: a thread computes several points that share reads and loops, alone, or as one of a block that shares more of them.

    s = 0                                    s[lane] = 0
    for k: s += a[i, k]*b[k, j]      is      for k: s[lane] += a[i of the lane, k]*b[k, j of the lane]
    c[i, j] = s                              c[i of the lane, j of the lane] = s[lane]

which for 4x4 points reads 8 elements for 16 products instead of 32. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.schedule.gpu.borders import levelled, tests
from tadc.schedule.gpu.cost import Sizes
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.staging import staged
from tadc.schedule.nest.lanes import Varying, in_lanes
from tadc.schedule.nest.loop_nest import (
    Branch,
    Kernel,
    Lanes,
    Staged,
    Step,
    Store,
    Tile,
    TileIndex,
    beyond,
    map_bodies,
    names_of,
    steps_of,
)

__all__ = ["NO_TILE", "Shape", "tiled"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a tile: for each of its indices the number of values of a thread, and of threads of a block along it.

    Without `threads` each thread has a tile of its own. A block may fill its buffers `ahead`, and `near` has the neighbours of a thread
    along some indices.
    """

    counts: Mapping[Symbol, int]
    threads: Mapping[Symbol, int] = field(default_factory=dict)
    ahead: bool = False
    near: Mapping[Symbol, int] = field(default_factory=dict)

    @property
    def points(self) -> int:
        """The number of points of a thread."""
        return prod(self.counts.values())

    def values(self, index: Symbol) -> int:
        """The number of values of the index in a tile."""
        return self.counts.get(index, 1) * self.threads.get(index, 1)


NO_TILE = Shape({})


def tiled(
    kernel: Kernel,
    program: Program,
    interior: tuple[Domain, tuple[Step, ...]],
    shape: Shape,
    values: Sizes,
    machine: Machine,
    *,
    windows: bool = False,
) -> Kernel:
    """The kernel with tiles of that shape. `interior` is where in the box there are no borders, and the steps there.

    With `windows` interior tiles are separate from those at the edge: the reads of neighbours of a thread overlap.
    Of loops that blocks stage as many values at a time as suit the `values` of all sizes and of indices around. Where a block
    finds none to stage, there is no tile.
    """
    if shape == NO_TILE:
        region, steps = interior
        has_interior = region != EVERYWHERE
        return (
            replace(kernel, body=(Branch(region, steps, kernel.body),)) if has_interior else kernel
        )
    indices = tuple(
        TileIndex(
            i,
            n,
            shape.counts.get(i, 1),
            i == kernel.indices[-1],
            shape.threads.get(i, 1),
            shape.near.get(i, 0),
        )
        for i, n in zip(kernel.indices, kernel.extents, strict=True)
        if shape.values(i) > 1
    )
    tile_indices = {t.index for t in indices}
    region, steps = interior
    # In a block threads wait for one another: their loops are staged if those inside are as long for all of them.
    short = bool(shape.threads)
    level = tuple(levelled(kernel.body, Varying.of(tile_indices, kernel.body), short=short))
    body, wide = in_lanes(level, tile_indices)
    within = Domain.of(
        at_least_zero(t.extent - 1 - symbol(beyond(t.index))) for t in indices if not t.fits
    )
    inner_level: tuple[Step, ...] = ()
    inner: tuple[Step, ...] = ()
    inner_wide: tuple[str, ...] = ()
    if region != EVERYWHERE or (windows and within != EVERYWHERE):
        inner_level = tuple(levelled(steps, Varying.of(tile_indices, steps), short=short))
        inner, inner_wide = in_lanes(inner_level, tile_indices)
        box = (at_least_zero(t.extent - 1 - symbol(t.index)) for t in indices if not t.fits)
        region &= Domain.of(box)
    if within != EVERYWHERE:
        body = tuple(_guarded(body, within))
    if shape.threads:
        moving = [
            Varying.of(tile_indices, each).symbols - tile_indices for each in (level, inner_level)
        ]
        names = Names((*program.names, *program.symbols, *names_of(kernel)))
        tensors = program.tensors
        both = (body, inner)
        body, inner = staged(
            both,
            indices,
            kernel.indices,
            moving,
            tensors,
            names,
            values,
            machine,
            ahead=shape.ahead,
        )
        if not any(isinstance(s, Staged) for s in steps_of((*body, *inner))):
            return tiled(kernel, program, interior, NO_TILE, values, machine)
        if tests(body) == tests(inner):
            inner, inner_wide, region = (), (), EVERYWHERE
    return replace(kernel, body=(Tile(indices, body, inner, region, wide, inner_wide),))


def _guarded(steps: Sequence[Step], within: Domain) -> Iterator[Step]:
    """The steps, whose stores are in lanes, for points of the box alone."""
    for step in steps:
        match step:
            case Store():
                yield Branch(within, (step,))
            case Lanes() | Branch():
                yield map_bodies(step, lambda inner: _guarded(inner, within))
            case _:
                yield step
