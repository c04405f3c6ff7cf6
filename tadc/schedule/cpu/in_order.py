"""Recurrences on a CPU: statements that run point by point, in loops around all of them; threads share the other dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tadc.ir.affine import Symbol
from tadc.schedule.cpu.kernels import CpuKernel
from tadc.schedule.cpu.machine import Processor
from tadc.schedule.cpu.short import Simplification
from tadc.schedule.cpu.sums import in_strips
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import Kernel
from tadc.schedule.nest.surroundings import Surroundings
from tadc.schedule.rewrite.recurrence import Recurrence

__all__ = ["in_order"]


def in_order(
    kernel: Kernel, recurrence: Recurrence, usual: Mapping[Symbol, int], machine: Processor
) -> CpuKernel:
    """The schedule of a recurrence's kernel. Lanes are those of sums."""
    program = recurrence.program
    simplification = Simplification.of(kernel)
    body = simplification.written_out(kernel.body)
    kernel = replace(kernel, body=body, locals=frozenset(simplification.locals))
    surroundings = Surroundings.of(kernel, program, usual)
    body = tuple(in_strips(body, surroundings))
    kernel, body = long_sums_in_blocks(kernel, body, program, usual)
    extents = dict(zip(kernel.indices, kernel.extents, strict=True))
    sequence = recurrence.descending
    shared = tuple((i, n) for i, n in extents.items() if i not in sequence)
    outer = (*shared, *((i, extents[i]) for i in sequence))
    return CpuKernel(
        kernel,
        outer,
        None,
        body,
        group_bytes=machine.group_bytes,
        in_order=tuple(sequence.items()),
    )
