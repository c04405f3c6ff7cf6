"""Which elements the reads of a block name, one by one, where no sum stands around them: bijections, and what nothing reads.

Where reads lead through data, these are those of a call: index tensors by name.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc.inverse.reads import PathRead, Region
from tadc.ir.affine import Affine, Symbol
from tadc.ir.domain import Condition, Derived, Determined, Domain, Looked

__all__ = ["pattern", "region_mask"]

Grid = Mapping[Symbol, NDArray[Any]]
Data = Mapping[str, NDArray[Any]]  # index tensors by name


def region_mask(
    region: Region, shape: Sequence[int], sizes: Mapping[Symbol, int], data: Data
) -> NDArray[np.bool_]:
    """Where a partial update writes, for these values of sizes and index tensors in its condition."""
    grid = _grid(region.rows, region.derived, shape, sizes, data)
    written = np.zeros(shape, bool)
    for piece in region.pieces:
        written |= _holds(piece, grid, shape)
    return written


def pattern(
    reads: Sequence[PathRead], shape: Sequence[int], data: Data
) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """The rows and columns, flattened, of all reads; None where a read stands in a sum, or in another's place by a value."""
    rows, columns = [], []
    for read in reads:
        if read.unknowns:
            return None
        grid = _grid(read.rows, read.derived, shape, {}, data)
        there = np.flatnonzero(_holds(read.domain, grid, shape))
        subscripts = (np.broadcast_to(_value(f, grid), shape) for f in read.subscripts)
        flat = np.zeros(prod(shape), np.int64)
        for extent, subscript in zip(shape, subscripts, strict=True):
            flat = flat * extent + subscript.reshape(-1)
        rows.append(there)
        columns.append(flat[there])
    empty = [np.zeros(0, np.int64)]
    return np.concatenate(rows or empty), np.concatenate(columns or empty)


def _grid(
    rows: Sequence[Symbol],
    derived: Sequence[Determined],
    shape: Sequence[int],
    sizes: Mapping[Symbol, int],
    data: Data,
) -> Grid:
    grid: dict[Symbol, NDArray[Any]] = {s: np.asarray(n) for s, n in sizes.items()}
    grid |= zip(rows, np.indices(tuple(shape), sparse=True), strict=True)
    for d in derived:
        match d:
            case Derived(name, form, modulus):
                grid[name] = _value(form, grid) // modulus
            case Looked(name, tensor, subscripts):
                grid[name] = _element(data[tensor], [_value(form, grid) for form in subscripts])
    return grid


def _element(tensor: NDArray[Any], subscripts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The elements of an index tensor; any where the subscripts are outside of it, since nothing depends on them there."""
    if not tensor.size:
        return np.asarray(0)
    within = (np.clip(s, 0, n - 1) for s, n in zip(subscripts, tensor.shape, strict=True))
    return np.asarray(tensor[tuple(within)])


def _value(form: Affine, grid: Grid) -> NDArray[Any]:
    total: NDArray[Any] = np.asarray(form.constant)
    for s, c in form.terms:
        total = total + c * grid[s]
    return total


def _holds(domain: Domain, grid: Grid, shape: Sequence[int]) -> NDArray[np.bool_]:
    there = np.ones(tuple(shape), bool)
    for c in domain:
        there &= _is_true(c, grid)
    return there


def _is_true(condition: Condition, grid: Grid) -> NDArray[np.bool_]:
    value = _value(condition.form, grid)
    match condition.relation:
        case ">=":
            return np.asarray(value >= 0)
        case "==":
            return np.asarray(value == 0)
        case "|":
            return np.asarray(value % condition.modulus == 0)
