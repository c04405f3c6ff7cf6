"""Steps of a kernel as OpenCL C, where they are not CUDA's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from tadc.emit.clike.gpu_text import GpuText
from tadc.emit.clike.spelling import Target
from tadc.emit.clike.text import REAL
from tadc.ir.expr import ReduceOp
from tadc.schedule.nest.loop_nest import Buffer, Step, TeamScan, TeamSums, buffers_of, steps_of

__all__ = ["VALUES", "OpenClText"]

VALUES = "team_values"  # values that the work-items of a group exchange
_OWN = """
    kernel global local constant generic pipe read_only write_only read_write barrier get_local_id get_group_id
    get_global_id get_num_groups get_global_size uchar ushort uint ulong event_t sampler_t queue_t image1d_t image2d_t
    image3d_t complex imaginary isequal isnotequal as_int as_uint as_float as_double FLT_MAX FLT_MIN DBL_MAX DBL_MIN
    MAXFLOAT
"""
_VECTORS = "char uchar short ushort int uint long ulong float double half"


@dataclass(frozen=True, slots=True)
class OpenClText(GpuText):
    """Prints a kernel of OpenCL. Memory shared by a work-group is declared at the beginning of the kernel."""

    target: ClassVar[Target] = "opencl"
    restrict: ClassVar[str] = "restrict"
    space: ClassVar[str] = "__global "
    copied: ClassVar[str] = ""
    own_names: ClassVar[tuple[str, ...]] = (
        VALUES,
        *_OWN.split(),
        *(f"{t}{n}" for t in _VECTORS.split() for n in (2, 3, 4, 8, 16)),
    )

    def type_of(self, dtype: str) -> str:
        return "long" if dtype == "int64" else REAL[dtype]  # `long long` would have 128 bits

    def shared(self, body: tuple[Step, ...]) -> list[str]:
        real = REAL[self.dtype]
        arrays = [self.array(b) for b in buffers_of(body)]
        if any(isinstance(s, (TeamSums, TeamScan)) for s in steps_of(body)):
            arrays.append(f"{VALUES}[{self.team * self.machine.beside(self.team)}]")
        return [f"{real} {array}" for array in arrays]

    def of_team(self, function: str, *arguments: str) -> str:
        # `super()` does not find the class, since `slots` makes another one of it.
        return GpuText.of_team(self, function, *arguments, VALUES)

    def running(self, op: ReduceOp, local: str) -> str:
        return self.of_team(f"running_{op}", f"&{local}")

    def declared(self, b: Buffer) -> list[str]:
        return []

    def aligned(self, pointer: str) -> list[str]:
        return []  # `vload4` reads from wherever an element may be

    def read_four(self, element: str) -> str:
        return f"vload4(0, &{element})"

    def four(self, values: Iterable[str]) -> str:
        return f"(float4)({', '.join(values)})"

    def write_four(self, element: str, value: str) -> str:
        return f"vstore4({value}, 0, &{element})"

    @property
    def barrier(self) -> str:
        return "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)"
