"""Which tensors of a program are looked up, and what indices that they hold are stored as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from tadc.ir.domain import Determined, Looked
from tadc.ir.element_types import INDEX, NARROW_INDEX
from tadc.ir.expr import Reduce
from tadc.ir.program import Program, Tensor
from tadc.ir.walk import postorder

__all__ = ["data_among", "ends_of_rows", "has_data", "in_32_bits", "looked_up", "narrow_tensor"]


def has_data(program: Program) -> bool:
    """Whether an index of the program is an element of a tensor."""
    return any(isinstance(d, Looked) for d in _determined(program))


def looked_up(program: Program) -> frozenset[str]:
    """The tensors whose elements are indices of the program."""
    return frozenset(d.tensor for d in _determined(program) if isinstance(d, Looked))


def ends_of_rows(program: Program) -> frozenset[str]:
    """The tensors that are looked up at neighbours, as the ends of rows are: `ptr[i]` and `ptr[i + 1]`."""
    found: dict[tuple[str, object], set[object]] = {}
    for d in _determined(program):
        if isinstance(d, Looked) and len(d.subscripts) == 1:
            (form,) = d.subscripts
            found.setdefault((d.tensor, form.terms), set()).add(form.constant)
    return frozenset(tensor for (tensor, _), places in found.items() if len(places) > 1)


def _determined(program: Program) -> Iterator[Determined]:
    for s in program.statements:
        yield from s.derived
        for e in postorder(s.body):
            if isinstance(e, Reduce):
                yield from e.derived


def data_among(derived: Iterable[Determined]) -> tuple[Looked, ...]:
    """The data indices among derived ones."""
    return tuple(d for d in derived if isinstance(d, Looked))


def in_32_bits(program: Program) -> Program:
    """The program with index tensors of 32 bits: half the memory to read."""
    return replace(program, inputs=tuple(map(narrow_tensor, program.inputs)))


def narrow_tensor(t: Tensor) -> Tensor:
    """The tensor with elements of 32 bits, if it is one of indices."""
    return replace(t, dtype=NARROW_INDEX) if t.dtype == INDEX else t
