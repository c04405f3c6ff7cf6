"""Tiles: a thread computes several points that share reads and loops, alone, or as one of a block that shares more of them.

    s = 0                                    s[lane] = 0
    for k: s += a[i, k]*b[k, j]      is      for k: s[lane] += a[i of the lane, k]*b[k, j of the lane]
    c[i, j] = s                              c[i of the lane, j of the lane] = s[lane]

which for 4x4 points reads 8 elements for 16 products instead of 32. Every point keeps the order of its sums.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TypeAlias

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain, at_least_zero
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.schedule.gpu.borders import tests
from tadc.schedule.gpu.levelled import Levelling
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.staging import staged
from tadc.schedule.nest.lanes import Varying, in_lanes
from tadc.schedule.nest.loop_nest import (
    Branch,
    Kernel,
    Lanes,
    Loop,
    Staged,
    Step,
    Store,
    Tile,
    TileIndex,
    beyond,
    buffers_of,
    first_of,
    last_of,
    map_bodies,
    names_of,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.sizes import Sizes

__all__ = ["NO_TILE", "Shape", "laned", "tiled", "within_box"]


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of a tile: for each of its indices the number of values of a thread, and of threads of a block along it.

    Without `threads` each thread has a tile of its own. A block may fill its buffers `ahead`, `near` has the neighbours of a thread
    along some indices, and with `rows` a block copies what neighbouring threads would read in different rows, although each element is read once.
    """

    counts: Mapping[Symbol, int]
    threads: Mapping[Symbol, int] = field(default_factory=dict)
    ahead: bool = False
    near: Mapping[Symbol, int] = field(default_factory=dict)
    rows: bool = False

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
    taken: Collection[str] = (),
) -> Kernel:
    """The kernel with tiles of that shape. `interior` is where in the box there are no borders, and the steps there.

    With `windows` interior tiles are separate from those at the edge: the reads of neighbours of a thread overlap.
    Of loops that blocks stage as many values at a time as suit the `values` of all sizes and of indices around. Where a block
    finds none to stage, there is no tile. Buffers are called otherwise than what is `taken`.
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
            i == kernel.indices[-1] and shape.threads.get(i) != 1,
            shape.threads.get(i, 1),
            shape.near.get(i, 0),
        )
        for i, n in zip(kernel.indices, kernel.extents, strict=True)
        if shape.values(i) > 1
    )
    within = within_box(indices)
    region, steps = interior
    has_interior = region != EVERYWHERE or (windows and within != EVERYWHERE)
    bodies = (kernel.body, steps) if has_interior else (kernel.body, ())
    if has_interior:
        box = (at_least_zero(t.extent - 1 - symbol(t.index)) for t in indices if not t.fits)
        region &= Domain.of(box)
    if not shape.threads:
        body, wide = laned(kernel.body, indices, within)
        inner, inner_wide = laned(bodies[1], indices, EVERYWHERE)
        return replace(kernel, body=(Tile(indices, body, inner, region, wide, inner_wide),))
    for dropping in (True, False):
        made = _of_block(
            kernel, program, bodies, indices, within, shape, values, machine, dropping, taken
        )
        if made is not None:
            break
    else:
        return tiled(kernel, program, interior, NO_TILE, values, machine)
    (body, wide), (inner, inner_wide), locals_ = made
    if tests(body) == tests(inner):
        inner, inner_wide, region = (), (), EVERYWHERE
    tile = Tile(indices, body, inner, region, wide, inner_wide)
    return replace(kernel, body=(tile,), locals=kernel.locals | locals_)


def within_box(indices: Sequence[TileIndex]) -> Domain:
    """The condition that a point of the tile is in the box."""
    return Domain.of(
        at_least_zero(t.extent - 1 - symbol(beyond(t.index))) for t in indices if not t.fits
    )


# Steps in lanes, with the locals that have a value per lane.
_Laned: TypeAlias = tuple[tuple[Step, ...], tuple[str, ...]]


def laned(
    steps: Sequence[Step], indices: Sequence[TileIndex], within: Domain, *, dropping: bool = False
) -> _Laned:
    """The steps for all lanes of a tile; those of a body at the edge store for points `within` the box alone."""
    level = _level(steps, indices, dropping=dropping)
    body, wide = in_lanes(level, {t.index for t in indices})
    return (tuple(_guarded(body, within)) if within != EVERYWHERE else body), wide


def _level(
    steps: Sequence[Step], indices: Sequence[TileIndex], *, dropping: bool = False
) -> tuple[Step, ...]:
    """The steps with loops that all points of the tile have."""
    varying = Varying.of({t.index for t in indices}, steps)
    extents = {t.index: t.extent for t in indices if t.threads > 1 or not t.strided}
    # In a block threads wait for one another: their loops are staged if those inside are as long for all of them.
    short = any(t.threads > 1 for t in indices)
    return tuple(Levelling(varying, extents, short, dropping).levelled(steps))


def _of_block(
    kernel: Kernel,
    program: Program,
    bodies: Sequence[tuple[Step, ...]],
    indices: Sequence[TileIndex],
    within: Domain,
    shape: Shape,
    values: Sizes,
    machine: Machine,
    dropping: bool,
    taken: Collection[str],
) -> tuple[_Laned, _Laned, frozenset[str]] | None:
    """The bodies at the edge and inside with loops staged, and their new locals; None where none is, or where not all that loops read is
    in buffers, though conditions are not tested in them (`dropping`).
    """
    tile_indices = {t.index for t in indices}
    level = [_level(each, indices, dropping=dropping) for each in bodies]
    if dropping and level == [_level(each, indices) for each in bodies]:
        return None
    edges = (within, EVERYWHERE)
    lanes = [laned(each, indices, e, dropping=dropping) for each, e in zip(bodies, edges, strict=True)]  # fmt: skip
    moving = [Varying.of(tile_indices, each).symbols - tile_indices for each in level]
    names = Names((*program.names, *program.symbols, *names_of(kernel), *taken))
    made, locals_ = staged(
        [body for body, _ in lanes],
        indices,
        kernel.indices,
        moving,
        program.tensors,
        names,
        {**values, **_ends(indices, values)},
        machine,
        ahead=shape.ahead,
        rows=shape.rows,
    )
    loops = [s for body in made for s in steps_of(body) if isinstance(s, (Loop, Staged))]
    if not any(isinstance(s, Staged) for s in loops):
        return None
    if dropping:
        own = {b.name for body in made for b in buffers_of(body)} | kernel.locals | locals_
        if any(e.tensor not in own for s in loops for e in reads_of(s.body)):
            return None
    body, inner = zip(made, (wide for _, wide in lanes), strict=True)
    return body, inner, locals_


def _ends(indices: Sequence[TileIndex], values: Sizes) -> dict[Symbol, int]:
    """The first and the last value of each index in the tile around its given one."""
    ends: dict[Symbol, int] = {}
    for t in indices:
        first = values[t.index] // t.values * t.values
        ends |= {first_of(t.index): first, last_of(t.index): first + t.values - 1}
    return ends


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
