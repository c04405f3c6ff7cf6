"""The block of a step at one point, assembled from as many products with it as its structure needs, and factored."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from tadc.derive.coloured import Colouring
from tadc.errors import DerivativeError
from tadc.inverse.structure import Structure
from tadc.runtime.cuda.arrays import module_of
from tadc.runtime.linear.bands import band, native_band
from tadc.runtime.linear.block import (
    Array,
    Bijection,
    Block,
    Diagonal,
    Nothing,
    Singular,
    check_pivots,
)
from tadc.runtime.linear.cyclic import folded, folded_diagonals, ring_colouring
from tadc.runtime.linear.dense import dense
from tadc.runtime.linear.native_bands import MOST_WIDTH
from tadc.runtime.linear.systems import Systems

__all__ = ["Entries", "assembled"]

MOST_BYTES = 4 << 30  # of assembled matrices


class Entries(Protocol):
    """Products with A. In a partial update seeds are 0 where it keeps values, whose rows are 0 then."""

    def ones(self) -> Array:
        """A 1, (tensors, *shape)."""

    def coloured(self, tensor: int, colourings: Sequence[Colouring] | None) -> Array:
        """A times the elements of each colour of a tensor before the step, or each element: (*colours, tensors, *shape)."""

    @property
    def sides(self) -> int:
        """The number of tensors before the step."""

    @property
    def is_stacked(self) -> bool:
        """Whether all tensors have one shape, that of the structure."""


def assembled(
    entries: Entries,
    s: Structure,
    dtype: Any,
    limit: int,
    image: Array | None,
    mask: Array | None,
    threads: int | None,
    *,
    check: bool = True,
) -> Block:
    """The block of a step at one point, factored.

    `image` is the map of a bijection: for each row, flattened, the element that it reads. `mask` is true where a partial
    update writes; elsewhere A is the identity. `limit` bounds the rows of dense systems. `threads` are those of native
    code, None without it. Raises Singular (without `check`, what a singular block solves is NaN), and DerivativeError for a
    dense system that is too large.
    """
    try:
        if s.kind in ("diagonal", "bijection"):
            ones = entries.ones()
            xp = module_of(ones)
            return _scaling(ones if mask is None else xp.where(mask, ones, 1), image, check=check)
        if s.kind == "cyclic":
            kept = None if mask is None else Systems.of(s).rows(~mask[None])
            products = Systems.of(s).rows(entries.coloured(0, (ring_colouring(s),)))
            return band(folded_diagonals(products, s, kept), folded(s))
        systems = Systems.of(s)
        kept = None if mask is None else systems.rows(~mask[None])
        if s.is_band:
            products = _products(entries, systems, dtype)
            is_narrow = s.below + 1 + s.above <= MOST_WIDTH
            if threads is not None and s.kind == "banded" and is_narrow:
                return native_band(products, kept, systems)
            return band(_diagonals(products, systems, kept), systems)
        _check_size(s, dtype, limit)
        return dense(_matrices(entries, systems, kept), systems, threads)
    except Singular:
        if check:
            raise
        return Nothing()


def _scaling(pivots: Array, image: Array | None, *, check: bool) -> Block:
    if check:
        check_pivots(pivots)
    else:
        xp = module_of(pivots)
        pivots = xp.where(xp.isfinite(pivots) & (pivots != 0), pivots, np.nan)
    return Diagonal(pivots) if image is None else Bijection(pivots, image)


def _check_size(s: Structure, dtype: Any, limit: int) -> None:
    needed = s.systems * s.m * s.m * np.dtype(dtype).itemsize
    if s.m > limit or needed > MOST_BYTES:
        raise DerivativeError(
            None,
            f"a step has a {s.kind} block of {s.m} rows, {needed} bytes as {s.systems} dense"
            f" matri{'x' if s.systems == 1 else 'ces'}, and at most {limit} rows are solved",
            fix='stage the update (red-black, leapfrog, one tensor after the other), raise `dense_limit`, or pass `solver="krylov"`',
        )


def _matrices(entries: Entries, systems: Systems, kept: Array | None) -> Array:
    """The matrices of all systems: a colour for each element of one, the same in all of them."""
    s = systems.structure
    if entries.is_stacked:
        rank = len(s.shape)
        each = tuple(
            Colouring(tuple(int(e == d) for e in range(rank)), 0, s.shape[d], cyclic=False)
            for d in systems.dimensions
        )
        matrices = systems.matrices([entries.coloured(k, each) for k in range(s.tensors)])
    else:  # tensors of several shapes are one system
        columns = [entries.coloured(k, None) for k in range(entries.sides)]
        flat = [c.reshape(-1, s.m) for c in columns]
        matrices = module_of(flat[0]).concatenate(flat).T[None]
    if kept is not None:
        every = module_of(matrices).arange(s.m)
        matrices[:, every, every] += kept  # rows of zeros become those of the identity
    return matrices


def _products(entries: Entries, systems: Systems, dtype: Any) -> Array:
    """Products with the colours of the columns of all systems by row. As many neighbours as a band is wide have different colours."""
    s = systems.structure
    width, m = s.below + 1 + s.above, s.m
    strides = [0] * len(s.shape)
    for n, d in enumerate(systems.dimensions):
        strides[d] = s.tensors * prod(systems.extents[n + 1 :])
    rows = None
    for k in range(s.tensors):
        colouring = Colouring(tuple(strides), k, width, cyclic=True)
        found = systems.rows(entries.coloured(k, (colouring,)))
        rows = found if rows is None else rows + found
    assert rows is not None, "a step without tensors"
    return rows.reshape(width, s.systems, m).astype(dtype, copy=False)


def _diagonals(rows: Array, systems: Systems, kept: Array | None) -> Array:
    """The diagonals of all systems by row, from products with their colours."""
    s = systems.structure
    width, m = s.below + 1 + s.above, s.m
    diagonals = np.zeros_like(rows)
    for n, offset in enumerate(range(-s.below, s.above + 1)):  # of the column from the row
        first, end = max(0, -offset), m - max(0, offset)
        for colour in range(width):
            begin = first + (colour - first - offset) % width
            diagonals[n, :, begin:end:width] = rows[colour, :, begin:end:width]
    if kept is not None:
        diagonals[s.below][kept] = 1
    return diagonals
