"""Kernels that pass over the same rows, one after the other, as one: a team of threads owns a row, and keeps it close.

    m[i] = max{j} x[i, j];  e[i, j] = exp(x[i, j] - m[i]);  z[i] = sum{j} e[i, j];  y[i, j] = e[i, j]/z[i]

is one kernel over `i`, which reads each row from memory once, and then from the caches.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from tadc.ir.affine import Affine, symbol
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.schedule.gpu.machine import Machine
from tadc.schedule.nest.loop_nest import (
    Kernel,
    LetIndex,
    Step,
    Store,
    has_loops,
    names_of,
    reads_of,
    steps_of,
)
from tadc.schedule.nest.lower import row_of
from tadc.schedule.nest.sizes import Sizes, values_of_sizes
from tadc.schedule.nest.unrolled import at_points

__all__ = ["row_kernels"]

LEAST = 1 / 2  # warps that a row fills
ENOUGH = 4  # times as many threads as there are: a row that is read once is worth some idle ones


def row_kernels(
    kernels: Sequence[Kernel], program: Program, sizes: Sizes | None, machine: Machine
) -> list[tuple[Kernel, tuple[Kernel, ...]]]:
    """Neighbours that share rows as one kernel where there are many rows, for these values of all sizes or typical ones.

    Each with the kernels that it stands for; one that shares nothing stands for itself.
    """
    groups: list[list[Kernel]] = []
    for kernel in kernels:
        if groups and _share_rows([*groups[-1], kernel], program, sizes, machine):
            groups[-1].append(kernel)
        else:
            groups.append([kernel])
    order = list(program.tensors)
    return [(_together(g, order) if len(g) > 1 else g[0], tuple(g)) for g in groups]


def _rank(group: Sequence[Kernel]) -> int:
    """The number of indices outside a row."""
    return min(len(k.indices) for k in group)


def _share_rows(
    group: Sequence[Kernel], program: Program, sizes: Sizes | None, machine: Machine
) -> bool:
    """Whether some compute elements of rows and others sums over them, and all reads of each other's values are in the same row."""
    rank = _rank(group)
    rows = group[0].extents[:rank]
    within = [k for k in group if len(k.indices) > rank]
    if not rank or not within or any(k.extents[:rank] != rows for k in group):
        return False
    if any(has_loops(k.body) for k in within):
        return False
    if not _are_many(rank, rows, within, values_of_sizes(program, rows, sizes), machine):
        return False
    written: set[str] = set()
    for kernel in group:
        row = tuple(map(symbol, kernel.indices[:rank]))
        others = (e for e in reads_of(kernel.body) if e.tensor in written)
        if any(e.subscripts[:rank] != row for e in others):
            return False
        stores = [s for s in steps_of(kernel.body) if isinstance(s, Store)]
        if any(s.subscripts[:rank] != row or s.op or s.atomic for s in stores):
            return False
        written |= set(kernel.writes)
    return True


def _are_many(
    rank: int,
    rows: Sequence[Affine],
    within: Sequence[Kernel],
    values: Sizes,
    machine: Machine,
) -> bool:
    """Whether teams that own rows keep a GPU busy."""
    longest = max(prod(n.at(values) for n in k.extents[rank:]) for k in within)
    team = machine.block if longest >= 4 * machine.block else machine.warp
    threads = team * prod(n.at(values) for n in rows)
    return longest >= LEAST * machine.warp and ENOUGH * threads >= machine.resident_threads


def _together(group: Sequence[Kernel], order: Sequence[str]) -> Kernel:
    rank = _rank(group)
    names = Names((*order, *(s for k in group for s in names_of(k))))
    rows = tuple(names.fresh(i) for i in group[0].indices[:rank])
    locals_: list[str] = []
    body: list[Step] = []
    for kernel in group:
        renamed = {local: names.fresh(local) for local in sorted(kernel.locals)}
        locals_ += renamed.values()
        inner = tuple(names.fresh(i) for i in kernel.indices[rank:])
        values = dict(zip(kernel.indices, map(symbol, (*rows, *inner)), strict=True))
        derived = [s.derived.name for s in steps_of(kernel.body) if isinstance(s, LetIndex)]
        values |= {d: symbol(names.fresh(d)) for d in dict.fromkeys(derived)}
        steps = at_points(kernel.body, values, renamed)
        body += row_of(list(zip(inner, kernel.extents[rank:], strict=True)), steps)
    writes = {t for k in group for t in k.writes}
    reads = {t for k in group for t in k.reads} - writes
    return Kernel(
        group[0].name,
        tuple(s for k in group for s in k.statements),
        rows,
        group[0].extents[:rank],
        tuple(body),
        frozenset(locals_),
        tuple(t for t in order if t in reads),
        tuple(t for t in order if t in writes),
    )
