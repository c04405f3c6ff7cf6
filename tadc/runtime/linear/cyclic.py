"""Bands that wrap around, as bands: rows in the order 0, n-1, 1, n-2, .. have their neighbours on the ring at most twice as far away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tadc.derive.coloured import Colouring
from tadc.inverse.structure import Structure
from tadc.runtime.linear.block import Array
from tadc.runtime.linear.systems import Systems

__all__ = ["folded", "folded_diagonals", "ring_colouring"]


def ring_colouring(s: Structure) -> Colouring:
    """Colours of the elements of a ring, of which no row reads two of one: none are nearer than the band is wide, around the end too."""
    width = s.below + 1 + s.above
    count = next(c for c in range(width, s.m + 1) if s.m % c == 0 or s.m % c >= width)
    strides = tuple(int(d in s.rest) for d in range(len(s.shape)))
    return Colouring(strides, 0, count, cyclic=True)


def folded(s: Structure) -> Systems:
    """The systems as bands, their rows in the other order."""
    width = 2 * max(s.below, s.above)
    return Systems(replace(s, kind="banded", below=width, above=width), s.rest, order=_order(s.m))


def _order(m: int) -> Array:
    """0, m-1, 1, m-2, .."""
    order = np.empty(m, np.intp)
    order[0::2] = np.arange((m + 1) // 2)
    order[1::2] = np.arange(m - 1, (m - 1) // 2, -1)
    return order


def folded_diagonals(products: Array, s: Structure, kept: Array | None) -> Array:
    """The diagonals of the folded bands by row, from products with the colours of a ring: (colours, systems, m), rows in the ring's order.

    In rows that are `kept` (systems, m) the matrix is the identity.
    """
    colours, systems, m = products.shape
    order = _order(m)
    place = np.argsort(order)
    width = 2 * max(s.below, s.above)
    diagonals = np.zeros((2 * width + 1, systems, m), products.dtype)
    rows = np.arange(m)
    for offset in range(-s.below, s.above + 1):
        columns = (rows + offset) % m
        entries = products[columns % colours, :, rows].T
        if kept is not None:
            entries = np.where(kept, float(offset == 0), entries)
        diagonals[place[columns] - place + width, :, place] = entries.T
    return diagonals
