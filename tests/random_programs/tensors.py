"""Tensors, and where a statement reads them."""

from __future__ import annotations

from dataclasses import dataclass

from random_programs.indices import Index, Subscript


@dataclass(eq=False)
class Dimension:
    """`fixed`: a bare use, or the statement that defines the tensor, has settled the extent; else it may grow."""

    extent: int
    text: str = ""
    fixed: bool = False


@dataclass(eq=False)
class Tensor:
    name: str
    dimensions: list[Dimension]
    bound: float
    declared: bool = True  # as an input; undeclared ones are known from their reads
    masked: bool = False  # some elements are NaN: read only where a condition allows

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(d.extent for d in self.dimensions)


@dataclass(eq=False)
class Use:
    """A subscript in a statement, with the indices that affine conditions around it speak of.

    `within`: it stands in a condition itself.
    """

    dimension: Dimension
    subscript: Subscript
    guards: tuple[Index, ...]
    within: bool = False
