"""Parameters of a kernel, in C and in CUDA: its tensors, the sizes it mentions, and the names of both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from tadc.emit.clike.gpu_text import subscript_of
from tadc.emit.clike.names import c_names
from tadc.emit.clike.spelling import DType
from tadc.emit.clike.text import GATED, SQUARED, CText, part
from tadc.ir.domain import Looked
from tadc.ir.element_types import arithmetic
from tadc.ir.program import Program, Tensor
from tadc.schedule.nest.loop_nest import (
    Kernel,
    LetIndex,
    bound_indices,
    buffers_of,
    steps_of,
    symbols_of,
)

__all__ = ["element_type", "kernel_parameters", "kernel_sizes", "kernel_text"]

Printer = TypeVar("Printer", bound=CText)


def element_type(tensor: Tensor, dtype: DType) -> DType:
    """The type of the tensor's elements, `dtype` if it declares none."""
    return tensor.dtype or dtype  # type: ignore[return-value]


def kernel_sizes(kernel: Kernel, program: Program) -> tuple[str, ...]:
    """The sizes that the kernel mentions, in the program's order."""
    used = {s for n in kernel.extents for s in n.symbols}
    for t in (*kernel.reads, *kernel.writes):
        used |= {s for n in program.tensors[t].shape[1:] for s in n.symbols}
    for step in steps_of(kernel.body):
        used |= symbols_of(step)
        if isinstance(step, LetIndex) and isinstance(step.derived, Looked):
            used |= {s for n in program.tensors[step.derived.tensor].shape for s in n.symbols}
    for b in buffers_of(kernel.body):
        used |= (
            {s for n in program.tensors[b.tensor].shape for s in n.symbols} if b.tensor else set()
        )
    return tuple(s for s in program.parameters if s in used)


def kernel_text(
    kernel: Kernel,
    program: Program,
    dtype: DType,
    index_type: DType,
    text: type[Printer],
    taken: Iterable[str] = (),
    values: Iterable[str] = (),
) -> Printer:
    """The printer of the kernel's steps, of class `text`. `taken` are names used by the surrounding text.

    `values` are symbols of values that indices have besides their own.
    """
    buffers = buffers_of(kernel.body)
    names = c_names(
        (*kernel.reads, *kernel.writes),
        kernel_sizes(kernel, program),
        kernel.indices,
        sorted(bound_indices(kernel.body)),
        values,
        sorted(kernel.locals),
        map(part, sorted(kernel.locals)),
        map(part, kernel.indices),
        (b.name for b in buffers),
        (subscript_of(b, d) for b in buffers for d in range(len(b.counts))),
        taken=(*taken, *text.own_names, SQUARED, *GATED),
    )
    return text(
        names,
        program.tensors,
        kernel.locals,
        arithmetic(element_type(program.tensors[kernel.writes[0]], dtype)),  # type: ignore[arg-type]
        {t: element_type(program.tensors[t], dtype) for t in (*kernel.reads, *kernel.writes)},
        index_type,
    )


def kernel_parameters(kernel: Kernel, program: Program, text: CText) -> list[str]:
    """The parameters of the kernel's function: tensors that it reads, tensors that it writes, sizes."""
    sizes = kernel_sizes(kernel, program)
    real = {t: text.type_of(text.dtypes[t]) for t in (*kernel.reads, *kernel.writes)}
    return [
        *(f"{text.space}const {real[t]}* {text.restrict} {text.names[t]}" for t in kernel.reads),
        *(f"{text.space}{real[t]}* {text.restrict} {text.names[t]}" for t in kernel.writes),
        *(f"{text.integer} {text.names[s]}" for s in sizes),
    ]
