"""Sums of products by instructions for matrices: the threads of a warp hold 16 x 8 sums together, and add 8 terms to each at a time.

In a block whose tile has four threads along its columns, the sums that a thread has are those that the instructions give it: of two rows,
8 threads apart, and of two neighbouring columns. So only the loop that adds terms is another one; what begins, and stores, is not.
The factors are rounded to TF32, with 10 bits; sums are of float32. On GPUs without such instructions the usual loop adds the terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, product

from tadc.ir.affine import Symbol, symbol
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Call, Read
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.nest.loop_nest import (
    TERMS_AT_ONCE,
    Accumulate,
    Branch,
    Lanes,
    Loop,
    MatrixProducts,
    Staged,
    Step,
    Tile,
    TileIndex,
    map_bodies,
    place_of,
    reads_of,
    steps_of,
    tested_at,
)

__all__ = ["matrix_shapes", "with_matrices"]

ALONG_COLUMNS = 4  # threads
COUNTS_OF_ROWS, COUNTS_OF_COLUMNS = (2, 4), (2, 4, 8, 16)
MOST_SUMS = 64  # of a thread


def matrix_shapes(
    free: Sequence[Symbol], extents: Mapping[Symbol, int], machine: Machine
) -> Iterator[Shape]:
    """Tiles of a block whose threads hold sums as instructions for matrices have them."""
    along_rows = machine.block // ALONG_COLUMNS
    for rows, columns in combinations(free, 2):
        for m, n in product(COUNTS_OF_ROWS, COUNTS_OF_COLUMNS):
            needed = (m - 1) * along_rows < extents[rows] and (n - 1) * ALONG_COLUMNS < extents[columns]  # fmt: skip
            if needed and m * n <= MOST_SUMS:
                for ahead in (False, True):
                    yield Shape({rows: m, columns: n}, {rows: along_rows, columns: ALONG_COLUMNS}, ahead, {rows: 1, columns: 2})  # fmt: skip


def with_matrices(scheduled: GpuKernel) -> GpuKernel | None:
    """The kernel with instructions for matrices where its staged loops add products; None where none does."""
    match scheduled.kernel.body:
        case (Tile((rows, columns)) as tile,) if _has_their_layout(rows, columns):
            pass
        case _:
            return None

    def converted(steps: Sequence[Step]) -> tuple[Step, ...]:
        return tuple(
            replace(s, by_terms=_by_terms(s, rows, columns))
            if isinstance(s, Staged)
            else map_bodies(s, converted)
            for s in steps
        )

    made = replace(tile, body=converted(tile.body), interior=converted(tile.interior))
    if not any(isinstance(s, Staged) and s.by_terms for s in steps_of((made,))):
        return None
    return replace(scheduled, kernel=replace(scheduled.kernel, body=(made,)))


def _has_their_layout(rows: TileIndex, columns: TileIndex) -> bool:
    return (rows.near, columns.near) == (1, 2)


def _by_terms(step: Staged, rows: TileIndex, columns: TileIndex) -> tuple[Step, ...]:
    """The body of a loop for so many values at once as an instruction adds; nothing where it does something else."""
    if step.count % TERMS_AT_ONCE:
        return ()
    made = _converted(step.body, step, rows, columns)
    return made if any(isinstance(s, MatrixProducts) for s in steps_of(made)) else ()


def _converted(
    steps: Sequence[Step], staged: Staged, rows: TileIndex, columns: TileIndex
) -> tuple[Step, ...]:
    """The steps with products of matrices; nothing where one of them cannot be."""
    made: list[Step] = []
    for step in steps:
        match step:
            case Loop(r, body) if r.trips and (inner := _converted(body, staged, rows, columns)):
                made.append(replace(step, body=inner))
            case Lanes((Accumulate(local, "sum", Call("mul", (Read() as a, Read() as b)), where),)) if where == EVERYWHERE:  # fmt: skip
                factors = _factors(a, b, staged, rows, columns)
                if factors is None:
                    return ()
                made.append(MatrixProducts(local, *factors))
            case Branch(Domain() as ended, then, ()) if set(ended.symbols) <= {staged.range.index}:
                if any(e.subscripts for e in reads_of(then)):
                    return ()
                # The end of a block of terms, which may be shorter: behind the last of these.
                last = symbol(staged.range.index) + (TERMS_AT_ONCE - 1)
                made += tested_at(then, staged.range.index, last)
            case _:
                return ()
    return tuple(made)


def _factors(
    a: Read, b: Read, staged: Staged, rows: TileIndex, columns: TileIndex
) -> tuple[Read, Read] | None:
    """The factor of the rows, and that of the columns, if both are in buffers and neither depends on both."""
    buffers = {buffer.name for buffer in staged.buffers}
    i, j = place_of(rows.index), place_of(columns.index)
    for left, right in ((a, b), (b, a)):
        used = {i, j} & {*left.symbols}, {i, j} & {*right.symbols}
        if used == ({i}, {j}) and {left.tensor, right.tensor} <= buffers:
            return left, right
    return None
