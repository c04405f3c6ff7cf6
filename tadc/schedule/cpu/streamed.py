"""Large results past the caches: a store to memory that no cache has reads a line first, and pushes out another one.

A kernel that stores more than the caches hold, and for which memory takes longer than what it computes, stores the elements
of a block in the innermost cache, and copies them when it has all of them, by instructions that write whole lines of memory
and leave the caches alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from tadc.ir.affine import Symbol, symbol
from tadc.ir.program import Program
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.kernels import BLOCK, CpuKernel
from tadc.schedule.cpu.machine import Processor
from tadc.schedule.nest.loop_nest import Kernel, Store, expressions_of, steps_of
from tadc.schedule.nest.runs import operations
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["streamed_tensors"]

MOST = 4  # tensors: a block of each is in the innermost cache
ITEM_BYTES = (4, 8)
MOSTLY_STORED = (
    2  # times as many bytes as are read: nothing that is computed takes longer than storing them
)
MOSTLY_READ = (
    4  # times as many bytes as are stored: reading takes the time, and does not become faster
)
ROW_BYTES = 512  # of shorter rows too many lines are written in parts
BYTES = 12  # of memory in a cycle, in which two operations begin


def streamed_tensors(
    k: CpuKernel,
    nest: Kernel,
    program: Program,
    dtype: str,
    usual: Mapping[Symbol, int],
    machine: Processor,
    soon: Set[str],
    choices: Choices = BY_MODEL,
) -> frozenset[str]:
    """The tensors that the kernel, made of this loop nest, is to store so. `usual` has about how large all sizes are.

    Those that are read `soon`, by kernels after it, are not among them.
    """
    if k.strip is None or k.sides or k.block != BLOCK or nest.is_atomic:
        return frozenset()
    index, _ = k.strip
    sizes = program.size_values(usual)
    byte_counts = program.bytes_at(sizes, dtype)
    rows = {s.tensor for s in nest.body if isinstance(s, Store) and _is_row(s, index)}
    every = [s.tensor for s in steps_of(nest.body) if isinstance(s, Store)]
    streamed = [
        t
        for t in nest.writes
        if t in rows
        and every.count(t) == 1
        and t not in soon
        and t not in nest.reads
        and (item_bytes := program.item_bytes(t, dtype)) in ITEM_BYTES
        and program.tensors[t].shape[-1].at(sizes) * item_bytes >= ROW_BYTES
    ][:MOST]
    stored = sum(byte_counts[t] for t in streamed)
    read = sum(byte_counts[t] for t in nest.reads)
    moved = read + 2 * stored  # without streams
    worth = stored > machine.shared_bytes and (
        stored >= MOSTLY_STORED * read
        or (MOSTLY_READ * stored >= read and _is_light(nest, program, moved, usual, machine))
    )
    chosen = choices.whether(f"whether {nest.writes[0]} streams", worth)
    return frozenset(streamed if chosen else ())


def _is_light(
    nest: Kernel, program: Program, moved: int, usual: Mapping[Symbol, int], machine: Processor
) -> bool:
    """Whether what the kernel computes takes less time than it takes to move these bytes."""
    if any(map(is_expensive, expressions_of(nest.body))):
        return False
    sizes = program.size_values(usual)
    lanes = machine.vector_bytes // ITEM_BYTES[0]
    return lanes * moved / BYTES >= operations(nest, sizes) / 2


def _is_row(s: Store, index: Symbol) -> bool:
    """Whether neighbouring values of the index store neighbouring elements."""
    *first, last = s.subscripts
    alone = last == symbol(index) and not any(index in form.symbols for form in first)
    return alone and s.op is None and not s.atomic
