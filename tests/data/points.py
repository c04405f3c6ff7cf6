"""What an expression that reads through data means: its elements at all points of the indices around it, by trying every point.

An expression is its text and a function of a `Scope`; an index is an array there, along an axis of its own. Nothing here knows of lists, of
equations that are solved, or of tadc.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.data.duals import Dual

__all__ = ["NOWHERE", "Expression", "Scope", "element", "look_up", "mirrored", "reduction"]

NOWHERE = -(2**50)  # a subscript that is padded, and outside


@dataclass(frozen=True)
class Scope:
    """Indices, arrays of integers and tensors of numbers, by their names."""

    indices: dict[str, np.ndarray]
    data: dict[str, np.ndarray]
    tensors: dict[str, Dual]
    depth: int = 0

    def inside(self, index, extent):
        """The scope of a loop: one more axis, the last."""
        around = {n: a[..., None] for n, a in self.indices.items()}
        own = np.arange(extent).reshape((1,) * self.depth + (extent,))
        return Scope({**around, index: own}, self.data, self.tensors, self.depth + 1)

    def constant(self, value):
        return np.full((1,) * self.depth, value)


@dataclass(frozen=True)
class Expression:
    """`at` gives integers, truth values or `Dual` numbers, of an array that broadcasts to the scope's points."""

    text: str
    at: Callable[[Scope], Any]


def look_up(name, subscripts, otherwise=0):
    """An element of an index tensor; `otherwise` where a padded subscript is outside."""

    def at(scope):
        found, inside = _taken(scope.data[name], subscripts, scope)
        return np.where(inside, found, otherwise)

    return Expression(_read(name, subscripts), at)


def element(name, subscripts, otherwise=0.0):
    """An element of a tensor."""

    def at(scope):
        parts = scope.tensors[name].parts()
        taken = [_taken(a, subscripts, scope) for a in parts]
        return Dual(*(found for found, _ in taken)).where(taken[0][1], otherwise)

    return Expression(_read(name, subscripts), at)


def _read(name, subscripts):
    return f"{name}[{', '.join(s.text for s in subscripts)}]"


def _taken(array, subscripts, scope):
    places = [s.at(scope) for s in subscripts]
    inside = scope.constant(True)
    for p in places:
        inside = inside & (p > NOWHERE // 2)
    if array.size == 0:
        shape = np.broadcast_shapes(inside.shape, *(p.shape for p in places))
        assert not (np.broadcast_to(inside, shape)).any(), "an element of nothing"
        return np.zeros(shape, array.dtype), inside
    kept = [np.where(p > NOWHERE // 2, p, 0) for p in places]
    assert all((p >= 0).all() and (p < n).all() for p, n in zip(kept, array.shape, strict=True)), (
        "outside"
    )
    return array[tuple(kept)] if kept else array.reshape((1,) * scope.depth), inside


def mirrored(place, extent, repeated):
    """A subscript by mirrors at both ends; the edge may be repeated."""
    if extent == 1 and not repeated:
        return np.zeros_like(place)
    period = 2 * extent if repeated else 2 * extent - 2
    place = place % period
    return np.minimum(place, period - place - (1 if repeated else 0))


def reduction(op, loops, conditions, body):
    """A reduction over indices with their extents, of the points that meet all conditions."""

    def at(scope):
        shape_around = scope.depth
        for name, extent in loops:
            scope = scope.inside(name, extent)
        extents = tuple(extent for _, extent in loops)
        holds = scope.constant(True)
        for c in conditions:
            holds = holds & c.at(scope)
        value = body.at(scope)
        shape = np.broadcast_shapes(holds.shape, value.value.shape, (1,) * shape_around + extents)
        flat = (*shape[:shape_around], -1) if np.prod(shape) else (*shape[:shape_around], 0)
        holds = np.broadcast_to(holds, shape).reshape(flat)
        value = value.each(lambda a: np.broadcast_to(a, shape).reshape(flat))
        return getattr(value, op)(holds)

    return at
