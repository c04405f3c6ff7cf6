"""The rows of a step's systems: one for each element of its tensors, without those of the dimensions of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from tadc.inverse.structure import Structure
from tadc.ir.affine import Affine, constant, symbol
from tadc.ir.domain import Derived, Domain, at_least_zero
from tadc.ir.expr import Expr, Read, Select
from tadc.ir.names import Names
from tadc.ir.program import Tensor

__all__ = ["Rows"]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one tensor after the other. `dimensions`, the outermost first, are those of a system in each tensor, and
    `descending` those that are counted from the end; the others are `batch`.
    """

    tensors: tuple[Tensor, ...]
    batch: tuple[int, ...]
    dimensions: tuple[tuple[int, ...], ...]
    descending: frozenset[int] = frozenset()

    @classmethod
    def of(cls, tensors: Sequence[Tensor], s: Structure, *, stacked: bool, backward: bool) -> Rows:
        """The rows of a step's values; those of a triangle in the order of substitution, or (`backward`) of that of the transposed one."""
        if not stacked:
            return cls(tuple(tensors), (), tuple(tuple(range(len(t.shape))) for t in tensors))
        if s.kind != "triangular":
            return cls(tuple(tensors), s.batch, (s.rest,) * len(tensors))
        order = tuple(d for d, _ in s.sequential)
        down = frozenset(d for d, descends in s.sequential if descends != backward)
        return cls(tuple(tensors), s.batch, (order,) * len(tensors), down)

    @property
    def count(self) -> int:
        return sum(map(self._elements, range(len(self.tensors))))

    @property
    def systems(self) -> tuple[Affine, ...]:
        """The extents of the batch."""
        return tuple(self.tensors[0].shape[d] for d in self.batch)

    def row(self, k: int, subscripts: Sequence[Affine]) -> Affine:
        """The row of an element of tensor number `k`."""
        row: Affine = constant(0)
        for d, extent in zip(self.dimensions[k], self._extents(k), strict=True):
            place = extent - 1 - subscripts[d] if d in self.descending else subscripts[d]
            row = row * extent + place
        return row + self._first(k)

    def read(
        self,
        names: Sequence[str],
        row: Affine,
        system: Sequence[Affine],
        fresh: Names,
        front: Sequence[Affine] = (),
    ) -> tuple[Expr, tuple[Derived, ...]]:
        """The element of a row in tensors of these names, which have `front` dimensions more, and the quotients that it takes."""
        derived: list[Derived] = []
        found: Expr | None = None
        for k in reversed(range(len(self.tensors))):
            subscripts = self._subscripts(k, row, system, fresh, derived)
            element = Read(names[k], (*front, *subscripts))
            before_next = Domain.of((at_least_zero(self._first(k + 1) - 1 - row),))
            found = element if found is None else Select(before_next, element, found)
        assert found is not None, "a step without values"
        return found, tuple(derived)

    def _subscripts(
        self, k: int, row: Affine, system: Sequence[Affine], fresh: Names, derived: list[Derived]
    ) -> tuple[Affine, ...]:
        place = row - self._first(k)
        extents = self._extents(k)
        subscripts: dict[int, Affine] = dict(zip(self.batch, system, strict=True))
        outer: Affine = constant(0)
        for n, d in enumerate(self.dimensions[k]):
            stride = prod(extents[n + 1 :])
            quotient = place
            if stride > 1:
                derived.append(Derived(fresh.fresh("q"), place, stride))
                quotient = symbol(derived[-1].name)
            at = quotient - outer * extents[n]
            subscripts[d] = extents[n] - 1 - at if d in self.descending else at
            outer = quotient
        return tuple(subscripts[d] for d in range(len(subscripts)))

    def _extents(self, k: int) -> tuple[int, ...]:
        return tuple(self.tensors[k].shape[d].constant for d in self.dimensions[k])

    def _elements(self, k: int) -> int:
        return prod(self._extents(k))

    def _first(self, k: int) -> int:
        return sum(map(self._elements, range(k)))
