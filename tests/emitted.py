"""Files of C and CUDA for programs by mode, for sizes of which nothing is known."""

from __future__ import annotations

from tadc.emit.c.file import emit_c
from tadc.emit.cuda.file import cuda_text
from tadc.schedule.lowered import CpuModule, GpuModule, modules_of

__all__ = ["c_file", "cuda_file"]


def c_file(programs, dtype):
    return emit_c([CpuModule.of(m, dtype) for m in modules_of(programs)], dtype, "int64")


def cuda_file(programs, source, dtype):
    return cuda_text([GpuModule.of(m, dtype=dtype) for m in modules_of(programs)], source, dtype)
