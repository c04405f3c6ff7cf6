"""About how long kernels take on a CPU, for the choice between programs that compute the same.

A kernel takes as long as its arithmetic or its tensors, whichever is more: these come from a cache where they are small, and what
is written is read before. The numbers are those of one thread with wide vectors, and the same everywhere: choices do not depend on the machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tadc.ir.affine import Symbol
from tadc.ir.program import Program
from tadc.schedule.nest.loop_nest import Kernel
from tadc.schedule.nest.runs import operations

__all__ = ["modelled_seconds"]

OPERATION = 2e-11  # seconds
SPECIAL = 10  # operations that an exponential takes
NESTED = 4  # times as long: a sum inside of another one has no tiles
# Seconds of a byte of tensors up to so many bytes, and of larger ones.
CACHED = ((2**20, 5e-12), (2**25, 4e-11))
FAR = 6e-11
WRITTEN = 2  # times as long as what is read
KERNEL = 1e-6  # seconds until it runs


def modelled_seconds(
    program: Program, kernels: Sequence[Kernel], sizes: Mapping[Symbol, int], dtype: str
) -> float:
    """The seconds of the program's kernels for these values of its sizes; `dtype` is the type of tensors without a declared one."""
    values = program.size_values(sizes)
    times = {t: n * _of_byte(n) for t, n in program.bytes_at(values, dtype).items()}
    total = 0.0
    for k in kernels:
        moved = sum(times[t] for t in k.reads) + WRITTEN * sum(times[t] for t in k.writes)
        computed = OPERATION * operations(k, values, SPECIAL, NESTED)
        total += KERNEL + max(moved, computed)
    return total


def _of_byte(size: int) -> float:
    """The seconds of a byte of a tensor of that size."""
    return next((seconds for most, seconds in CACHED if size <= most), FAR)
