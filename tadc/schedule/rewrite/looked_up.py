"""Which tensors of a program are looked up, and what indices that they hold are stored as."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TypeVar

from tadc.ir.affine import Symbol
from tadc.ir.domain import Determined, Looked
from tadc.ir.element_types import INDEX, NARROW_INDEX
from tadc.ir.expr import Reduce
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder

__all__ = [
    "data_among",
    "ends_of_rows",
    "has_data",
    "in_32_bits",
    "looked_up",
    "narrow_tensor",
    "needed",
    "reads_data",
]

_Made = TypeVar("_Made", Looked, Determined)


def has_data(program: Program) -> bool:
    """Whether an index of the program is an element of a tensor."""
    return any(map(reads_data, program.statements))


def reads_data(s: Statement) -> bool:
    """Whether an index of the statement is an element of a tensor."""
    return any(isinstance(d, Looked) for d in _determined_in(s))


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
        yield from _determined_in(s)


def _determined_in(s: Statement) -> Iterator[Determined]:
    yield from s.derived
    for e in postorder(s.body):
        if isinstance(e, Reduce):
            yield from e.derived


def data_among(derived: Iterable[Determined]) -> tuple[Looked, ...]:
    """The data indices among derived ones."""
    return tuple(d for d in derived if isinstance(d, Looked))


def needed(symbols: Iterable[Symbol], derived: Iterable[_Made]) -> tuple[_Made, ...]:
    """Those of the derived indices that values of these symbols follow from."""
    found: list[_Made] = []
    open_ = set(symbols)
    for d in reversed(tuple(derived)):
        if d.name in open_:
            found.insert(0, d)
            open_ |= set(d.symbols)
    return tuple(found)


def in_32_bits(program: Program) -> Program:
    """The program with index tensors of 32 bits: half the memory to read."""
    return replace(program, inputs=tuple(map(narrow_tensor, program.inputs)))


def narrow_tensor(t: Tensor) -> Tensor:
    """The tensor with elements of 32 bits, if it is one of indices."""
    return replace(t, dtype=NARROW_INDEX) if t.dtype == INDEX else t
