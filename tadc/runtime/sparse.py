"""Sparse arguments of a call: the arrays that a program reads in their stead, and the way back.

A `Pattern` has the index arrays in the order of the program's layout. What is given in another layout keeps its own order for
what is returned: `order` has, for each element of the program, its place there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ArgumentError, DataError, ShapeError
from tadc.ir.affine import Symbol
from tadc.ir.sparse import COMPRESSED, Sparse
from tadc.runtime.index import Index, as_index, for_calls

__all__ = [
    "Pattern",
    "SparseIndex",
    "Stored",
    "checked",
    "indexed",
    "is_sparse",
    "joined",
    "listed",
    "same_pattern",
    "sizes_of",
]

Indices: TypeAlias = NDArray[Any]
OF_SCIPY = ("scipy.sparse", "cupyx.scipy.sparse")
DIRECT = ("csr", "csc")  # formats of scipy that are a layout


@dataclass(frozen=True, slots=True)
class Pattern:
    """Where elements are stored: an index array for each dimension, as the layout has them; `shape` is None if it is not said."""

    layout: str
    arrays: tuple[Any, ...]
    shape: tuple[int, ...] | None
    order: Indices | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """A sparse argument: values and pattern in the program's order, and `made`, which makes one like it of such values."""

    values: Any
    pattern: Pattern
    made: Callable[[Any], Any]


class SparseIndex:
    """A sparse array whose pattern is copied, checked and indexed once; made by `tadc.index`.

    It stands for the array in calls; `with_values` gives one with other values and the same pattern. It may be shared by threads.
    """

    def __init__(self, array: Any, given: Stored, kept: _Kept, index: Callable[[Any], Any]) -> None:
        self.array = array
        self._given = given
        self._kept = kept
        self._index = index  # which makes a copy of this again

    @property
    def shape(self) -> tuple[int, ...]:
        assert self._given.pattern.shape is not None, "a sparse array has a shape"
        return self._given.pattern.shape

    @property
    def values(self) -> Any:
        """One for each stored element, in the order of the array."""
        return self._given.values

    def with_values(self, values: Any) -> SparseIndex:
        """The same pattern with these values, in the order of the array's own. Raises ShapeError for another number of them."""
        if tuple(np.shape(values)) != tuple(self.values.shape):
            raise ShapeError(
                None,
                f"{len(self.values)} elements are stored, and the values have shape {tuple(np.shape(values))}",
                fix="give one value for each",
            )
        given = replace(self._given, values=values)
        return SparseIndex(self.array, given, self._kept, self._index)

    def stored(self, sparse: Sparse) -> Stored:
        """The array in the layout of a program's tensor."""
        return _ordered(self._kept.of(sparse, self._given.pattern), self._given)

    def __repr__(self) -> str:
        return f"<tadc.SparseIndex {list(self.shape)}, {len(self.values)} stored>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._index, self.array, self.values)


@dataclass(slots=True)
class _Kept:
    """The patterns of a sparse array, by layout."""

    made: dict[str, Pattern] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def of(self, sparse: Sparse, given: Pattern) -> Pattern:
        with self.lock:
            if sparse.layout not in self.made:
                found = converted(given, sparse)
                arrays = tuple(map(for_calls, map(as_index, sparse.pattern, found.arrays)))
                checked(sparse, replace(found, arrays=arrays))
                self.made[sparse.layout] = replace(found, arrays=arrays)
            return self.made[sparse.layout]


def indexed(array: Any, given: Stored, index: Callable[[Any], Any]) -> SparseIndex:
    """A sparse array with its pattern indexed: `given` is what it consists of, of which the index arrays are copied.

    `index` is the public function of this, by which a copy is made in another process.
    """
    arrays = tuple(np.array(a) for a in given.pattern.arrays)
    pattern = replace(given.pattern, arrays=arrays)
    return SparseIndex(array, replace(given, pattern=pattern), _Kept(), index)


def _again(index: Callable[[Any], SparseIndex], array: Any, values: Any) -> SparseIndex:
    return index(array).with_values(values)


def is_sparse(value: Any) -> bool:
    """Whether it is a sparse array of scipy, or one of CuPy, which has the same form."""
    return type(value).__module__.startswith(OF_SCIPY) and hasattr(value, "tocoo")


def of_scipy(array: Any) -> Stored:
    """What a sparse array of scipy or CuPy consists of, in its own layout or as coordinates."""
    kind, shape = type(array), tuple(map(int, array.shape))
    if array.format in DIRECT and len(shape) == 2:
        count = int(array.indptr[-1])
        inner, pointers = array.indices[:count], array.indptr
        arrays = (pointers, inner) if array.format == "csr" else (inner, pointers)
        return Stored(
            array.data[:count],
            Pattern(array.format, arrays, shape),
            lambda new: kind((new, inner, pointers), shape=shape, copy=True),
        )
    points = array.tocoo()
    places = tuple(getattr(points, "coords", None) or (points.row, points.col))
    return Stored(
        points.data,
        Pattern("coo", places, shape),
        lambda new: type(points)((new, places), shape=shape, copy=True).asformat(array.format),
    )


def of_tuple(name: str, sparse: Sparse, value: Sequence[Any]) -> Stored:
    """A tuple of values and index arrays. Raises ArgumentError for another number of arrays."""
    if len(value) != 1 + sparse.rank:
        raise ArgumentError(
            None,
            f"`{name}` is {sparse.layout}, and the tuple has {len(value)} arrays",
            fix=f"pass ({listed(sparse)})",
        )
    values, *arrays = value
    if not hasattr(values, "dtype"):
        values = np.asarray(values)
    return Stored(values, Pattern(sparse.layout, tuple(arrays), None), lambda new: (new, *arrays))


def not_sparse(name: str, sparse: Sparse, what: str, instead: str) -> ArgumentError:
    """The error of an argument that is dense, or of a layout that is not known."""
    return ArgumentError(
        None,
        f"`{name}` is {sparse.layout}, and the argument is {what}",
        fix=f"pass `{instead}`, or the tuple ({listed(sparse)})",
    )


def in_layout(name: str, sparse: Sparse, given: Stored) -> Stored:
    """The argument in the layout of the program. Raises ShapeError for another rank, DataError for a pattern that cannot be."""
    rank = len(given.pattern.shape or given.pattern.arrays)
    if rank != sparse.rank:
        raise ShapeError(
            None,
            f"`{name}` has {sparse.rank} dimensions, and the array {rank}",
            fix="pass an array of that rank",
        )
    return _ordered(converted(given.pattern, sparse), given)


def _ordered(pattern: Pattern, given: Stored) -> Stored:
    """What was given, with values in the order of the pattern."""
    order, made = pattern.order, given.made
    if order is None:
        return Stored(given.values, pattern, made)
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return Stored(given.values[order], pattern, lambda new: made(new[back]))


# ---------------------------------------------------------------------- layouts


def converted(given: Pattern, sparse: Sparse) -> Pattern:
    """The pattern in the layout of the program. Raises DataError for pointers and coordinates that cannot be."""
    if given.layout == sparse.layout:
        return given
    shape = given.shape
    assert shape is not None, "a tuple has the layout of the program"
    arrays = tuple(map(as_index, sparse.pattern, given.arrays))
    held = Pattern(given.layout, arrays, shape)
    checked(Sparse(sparse.name, given.layout, sparse.rank, sparse.of), held)
    coordinates = [k.array for k in arrays]
    compressed = COMPRESSED[given.layout]
    if compressed is not None:
        lengths = np.diff(coordinates[compressed])
        coordinates[compressed] = np.repeat(np.arange(len(lengths)), lengths)
    wanted = sparse.compressed
    if wanted is None:
        return replace(held, layout=sparse.layout, arrays=_as_indices(sparse, coordinates))
    rows = coordinates[wanted]
    outside = (rows < 0) | (rows >= shape[wanted])
    if outside.any():
        at = int(np.flatnonzero(outside)[0])
        raise _outside(f"{sparse.of}_{wanted}", at, int(rows[at]), shape[wanted] - 1)
    order = np.argsort(rows, kind="stable")
    coordinates = [c[order] for c in coordinates]
    counts = np.bincount(rows, minlength=shape[wanted])
    coordinates[wanted] = np.concatenate([[0], np.cumsum(counts)])
    return Pattern(sparse.layout, _as_indices(sparse, coordinates), shape, order)


def _as_indices(sparse: Sparse, arrays: Sequence[Indices]) -> tuple[Index, ...]:
    return tuple(map(as_index, sparse.pattern, arrays))


def checked(sparse: Sparse, pattern: Pattern) -> None:
    """Raises DataError for pointers that do not ascend from 0 to the number of elements, which a call does not look at."""
    if sparse.compressed is None:
        return
    pointers = as_index(sparse.pointers, pattern.arrays[sparse.compressed])
    other = np.shape(pattern.arrays[1 - sparse.compressed])
    ptr, name = pointers.array, sparse.pointers
    if ptr.ndim != 1 or len(other) != 1 or not len(ptr):
        return  # of another shape: the call says so
    count = other[0]
    falls = np.flatnonzero(np.diff(ptr) < 0)
    if ptr[0] != 0:
        raise _outside(name, 0, int(ptr[0]), 0)
    if len(falls):
        at = int(falls[0]) + 1
        raise DataError(
            None,
            f"{name}[{at}] is {ptr[at]}, and {name}[{at - 1}] is {ptr[at - 1]}",
            fix="the places where rows begin ascend",
        ).of(name, (at,), int(ptr[at]), int(ptr[at - 1]), count)
    if ptr[-1] != count:
        at = len(ptr) - 1
        raise DataError(
            None,
            f"{name}[{at}] is {ptr[at]}, and {count} elements are stored",
            fix="the last row ends with the last element",
        ).of(name, (at,), int(ptr[at]), count, count)


def _outside(name: str, at: int, value: int, last: int) -> DataError:
    return DataError(
        None, f"{name}[{at}] is {value}, and 0..{last} are inside", fix="change the array"
    ).of(name, (at,), value, 0, last)


def same_pattern(one: Pattern, other: Pattern) -> bool:
    """Whether elements are stored at the same places in the same order."""
    if (one.order is None) != (other.order is None):
        return False
    pairs = [*zip(one.arrays, other.arrays, strict=True)]
    if one.order is not None:
        pairs.append((one.order, other.order))
    return all(a is b or np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def sizes_of(name: str, sparse: Sparse, shape: Sequence[int]) -> dict[Symbol, int]:
    """The sizes that the shape of an argument shows. Raises ShapeError where it cannot be."""
    sizes: dict[Symbol, int] = {}
    for d, (form, n) in enumerate(zip(sparse.shape, shape, strict=True)):
        if len(form.terms) > 1:
            continue
        if form.is_constant:
            fits, declared = form.constant == n, str(form)
        else:
            ((size, factor),) = form.terms
            number, rest = divmod(n - form.constant, factor)
            fits = not rest and sizes.setdefault(size, number) == number
            declared = f"{form}" + (f", where {size} is {sizes[size]}" if not rest else "")
        if not fits:
            raise ShapeError(
                None,
                f"the extent of dimension {d} of {name} is {n}, and is declared {declared}",
                fix="pass an array of the declared shape, or change the declaration",
            )
    return sizes


def listed(sparse: Sparse) -> str:
    """The arrays of a tuple that stands for a sparse tensor."""
    return ", ".join(("values", *sparse.pattern))


def joined(sizes: Mapping[str, Any], more: Mapping[str, int], name: str) -> dict[str, Any]:
    """The sizes of a call and those that a sparse argument shows. Raises ShapeError where they differ."""
    for size, n in more.items():
        if size in sizes and sizes[size] != n:
            raise ShapeError(
                None,
                f"the size {size} is {n} by the shape of {name}, and {sizes[size]} otherwise",
                fix="make the extents agree",
            )
    return {**sizes, **more}
