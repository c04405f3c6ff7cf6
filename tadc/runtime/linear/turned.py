"""Blocks whose rows stand at other places: A = P T, where T has a structure that A has not, and row k of A is row `places[k]` of T."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tadc.derive.coloured import Colouring
from tadc.runtime.cuda.arrays import module_of
from tadc.runtime.linear.assembled import Entries
from tadc.runtime.linear.block import Array, Block

__all__ = ["Turned", "TurnedEntries"]


@dataclass(frozen=True, slots=True)
class TurnedEntries:
    """Products with T, from those with A of one tensor."""

    entries: Entries
    places: Array

    def ones(self) -> Array:
        return _to_places(self.entries.ones(), self.places, 0)

    def coloured(self, tensor: int, colourings: Sequence[Colouring] | None) -> Array:
        front = 0 if colourings is None else len(colourings)
        return _to_places(self.entries.coloured(tensor, colourings), self.places, front)

    @property
    def sides(self) -> int:
        return self.entries.sides

    @property
    def is_stacked(self) -> bool:
        return self.entries.is_stacked


@dataclass(frozen=True, slots=True)
class Turned:
    """A block by that of T: `A⁻¹b = T⁻¹ Pᵀ b` and `A⁻ᵀb = P T⁻ᵀ b`."""

    block: Block
    places: Array

    def solve(self, b: Array, *, transposed: bool) -> Array:
        if not transposed:
            return self.block.solve(_to_places(b, self.places, 0), transposed=False)
        solved = self.block.solve(b, transposed=True)
        return solved.reshape(-1)[self.places].reshape(b.shape)

    @property
    def log_pivots(self) -> Array:
        return self.block.log_pivots


def _to_places(rows: Array, places: Array, front: int) -> Array:
    """The arrays along `front` dimensions with each element at its place."""
    shape = rows.shape
    flat = rows.reshape(*shape[:front], -1)
    moved: Array = module_of(rows).empty(flat.shape, rows.dtype)
    moved[..., places] = flat
    return moved.reshape(shape)
