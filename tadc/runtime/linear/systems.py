"""The systems of a block: arrays of shape (tensors, *shape) as rows (systems, m), the tensors innermost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tadc.inverse.structure import Structure
from tadc.runtime.cuda.arrays import module_of
from tadc.runtime.linear.block import Array

__all__ = ["Systems"]


@dataclass(frozen=True, slots=True)
class Systems:
    """`dimensions` are those of a system. Of a triangular block that is no band they are in the order of substitution.

    `order` has the elements of a system in the order of its rows, where that is another one.
    """

    structure: Structure
    dimensions: tuple[int, ...]
    descending: tuple[int, ...] = ()
    order: Array | None = None

    @classmethod
    def of(cls, s: Structure) -> Systems:
        if s.kind != "triangular" or s.is_band:
            return cls(s, s.rest)
        return cls(
            s, tuple(d for d, _ in s.sequential), tuple(d for d, down in s.sequential if down)
        )

    @property
    def extents(self) -> tuple[int, ...]:
        """Those of a system."""
        return tuple(self.structure.shape[d] for d in self.dimensions)

    @property
    def axes(self) -> tuple[int, ...]:
        """Those of an array, in the order of the rows."""
        return (*(d + 1 for d in (*self.structure.batch, *self.dimensions)), 0)

    def rows(self, x: Array) -> Array:
        """The systems' rows of an array, or of each array along further axes in front: (.., systems, m)."""
        s = self.structure
        front = x.ndim - 1 - len(s.shape)
        turned = _flipped(x, [front + 1 + d for d in self.descending])
        axes = (*range(front), *(front + a for a in self.axes))
        xp = module_of(x)
        rows = xp.ascontiguousarray(turned.transpose(axes)).reshape(
            *x.shape[:front], s.systems, s.m
        )
        ordered: Array = rows if self.order is None else rows[..., self.order]
        return ordered

    def array(self, rows: Array) -> Array:
        """The array whose rows these are."""
        if self.order is not None:
            rows = rows[..., np.argsort(self.order)]
        sizes = (self.structure.tensors, *self.structure.shape)
        places = sorted(range(len(sizes)), key=self.axes.__getitem__)
        back = rows.reshape([sizes[a] for a in self.axes]).transpose(places)
        return _flipped(back, [d + 1 for d in self.descending])

    def index(self, system: int, row: int = 0) -> tuple[int, ...]:
        """The index of an element in an array."""
        place = np.zeros((self.structure.systems, self.structure.m), bool)
        place[system, row] = True
        return tuple(int(k) for k in np.argwhere(self.array(place))[0])

    def matrices(self, columns: Sequence[Array]) -> Array:
        """(systems, m, m), from the columns by each tensor: (*extents, tensors, *shape)."""
        s = self.structure
        shape = s.systems, s.m, len(columns), s.m // len(columns)
        matrices = module_of(columns[0]).empty(shape, columns[0].dtype)
        for k, those in enumerate(columns):
            ordered = self.rows(_flipped(those, list(map(self.dimensions.index, self.descending))))
            matrices[:, :, k] = ordered.reshape(-1, s.systems, s.m).transpose(1, 2, 0)
        square: Array = matrices.swapaxes(2, 3).reshape(s.systems, s.m, s.m)
        return square


def _flipped(x: Array, axes: Sequence[int]) -> Array:
    return x[tuple(slice(None, None, -1 if d in axes else 1) for d in range(x.ndim))]
