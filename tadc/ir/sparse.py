"""Sparse tensors: the arrays that a program has in their stead.

`A[N, M]: csr` stands for its values `A_val[e]`, where its rows begin, `A_ptr[i]`, and the columns `A_1[e]`. Of `coo` there are the
coordinates `A_0[e]`, `A_1[e]`, .., one a dimension; of `csc` there are `A_ptr[j]` and `A_0[e]`. A tensor that is `like` another
has values of its own, and the other's pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tadc.ir.affine import Affine, Symbol, constant

__all__ = ["LAYOUTS", "Sparse"]

# By layout, the dimension that is compressed: its coordinates are not stored.
COMPRESSED: dict[str, int | None] = {"coo": None, "csr": 0, "csc": 1}
LAYOUTS = tuple(COMPRESSED)


@dataclass(frozen=True, slots=True)
class Sparse:
    """A sparse tensor by its name; `of` is the tensor whose pattern it has, itself unless it is like another.

    `shape` is empty until sizes are known.
    """

    name: str
    layout: str
    rank: int
    of: str
    shape: tuple[Affine, ...] = ()

    @property
    def values(self) -> str:
        return f"{self.name}_val"

    @property
    def count(self) -> str:
        """The size that is the number of stored elements."""
        return f"{self.of}_nnz"

    @property
    def compressed(self) -> int | None:
        """The dimension that has pointers instead of coordinates."""
        return COMPRESSED[self.layout]

    @property
    def pointers(self) -> str:
        assert self.compressed is not None, "coordinates of all dimensions are stored"
        return f"{self.of}_ptr"

    def coordinates(self, dimension: int) -> str:
        assert dimension != self.compressed, "this dimension has pointers"
        return f"{self.of}_{dimension}"

    @property
    def stored(self) -> tuple[int, ...]:
        """The dimensions whose coordinates are stored."""
        return tuple(d for d in range(self.rank) if d != self.compressed)

    @property
    def pattern(self) -> tuple[str, ...]:
        """The index tensors, in the order of dimensions."""
        return tuple(
            self.pointers if d == self.compressed else self.coordinates(d) for d in range(self.rank)
        )

    def like(self, name: str) -> Sparse:
        """A tensor that is like this one."""
        return replace(self, name=name)

    def at(self, sizes: Mapping[Symbol, int]) -> Sparse:
        """The tensor for these numbers of sizes."""
        values = {s: constant(n) for s, n in sizes.items()}
        return replace(self, shape=tuple(form.substitute(values) for form in self.shape))

    @property
    def is_like(self) -> bool:
        """Whether its pattern is another tensor's."""
        return self.of != self.name

    @property
    def parts(self) -> tuple[str, ...]:
        """The inputs in its stead: the values, and the pattern if that is its own."""
        return (self.values,) if self.is_like else (self.values, *self.pattern)
