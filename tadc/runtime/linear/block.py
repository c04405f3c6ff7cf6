"""The block of a step at one point: A, by what is done with it. Here those that need no elimination.

Arrays are of shape (tensors, *shape), as the step's structure says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.runtime.cuda.arrays import module_of

__all__ = [
    "Array",
    "Bijection",
    "Block",
    "Diagonal",
    "Nothing",
    "Singular",
    "check_pivots",
    "log_magnitudes",
]

Array: TypeAlias = NDArray[Any]


class Singular(Exception):  # it becomes a SingularError, which knows the step
    """A pivot that is no pivot, and the index of its element: the number of its tensor, then its subscripts."""

    def __init__(self, pivot: float, index: tuple[int, ...]) -> None:
        super().__init__(pivot, index)
        self.pivot = pivot
        self.index = index


class Block(Protocol):
    """`solve` gives A⁻¹b, or A⁻ᵀb; `log_pivots` are numbers whose sum is log |det A|."""

    def solve(self, b: Array, *, transposed: bool) -> Array: ...
    @property
    def log_pivots(self) -> Array: ...


def check_pivots(pivots: Array) -> None:
    """Check that these are finite and not 0. Raises Singular with the first that is not."""
    bad = ~module_of(pivots).isfinite(pivots) | (pivots == 0)
    if bad.any():
        index = tuple(int(k) for k in module_of(bad).argwhere(bad)[0])
        raise Singular(float(pivots[index]), index)


def log_magnitudes(pivots: Array) -> Array:
    xp = module_of(pivots)
    logs: Array = xp.log(xp.abs(pivots))
    return logs


class Nothing:
    """A singular block."""

    def solve(self, b: Array, *, transposed: bool) -> Array:  # neither has a solution
        nothing: Array = module_of(b).full_like(b, np.nan)
        return nothing

    @property
    def log_pivots(self) -> Array:
        return np.asarray(np.nan)


@dataclass(frozen=True, slots=True)
class Diagonal:
    pivots: Array

    def solve(self, b: Array, *, transposed: bool) -> Array:  # A is symmetric
        return b / self.pivots

    @property
    def log_pivots(self) -> Array:
        return log_magnitudes(self.pivots)


@dataclass(frozen=True, slots=True)
class Bijection:
    """`image` is the element that each row reads, flattened."""

    pivots: Array
    image: Array

    def solve(self, b: Array, *, transposed: bool) -> Array:
        if transposed:
            read: Array = b.reshape(-1)[self.image].reshape(b.shape)
            return read / self.pivots
        z: Array = module_of(b).empty((b.size,), b.dtype)
        z[self.image] = (b / self.pivots).reshape(-1)
        return z.reshape(b.shape)

    @property
    def log_pivots(self) -> Array:
        return log_magnitudes(self.pivots)
