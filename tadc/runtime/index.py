"""Index tensors of a call: private copies of their arrays, and the lists that programs with data reads run over.

An `Index` keeps its copy and every list that was made of it; without one both are made anew for each call, since nothing
tells that the elements of an array have not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from math import prod
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ArgumentError, Error
from tadc.ir.affine import Affine, Symbol
from tadc.schedule.rewrite.lists import Rows, SortedList

__all__ = ["Index", "as_index", "index", "lists_of"]

Indices: TypeAlias = NDArray[np.int64]
MOST = 2**53  # of an element with which indices are computed


class Index:
    """An immutable index tensor: a copy of an array of integers, with what is known of it.

    Made by `tadc.index`. It may be passed wherever the array may, and keeps the lists that calls make of it; it may be
    shared by threads. A pickle holds the elements alone.
    """

    def __init__(self, array: Indices) -> None:
        self._array = array
        self._lists: dict[object, tuple[Indices, ...]] = {}
        self._lock = Lock()

    @property
    def array(self) -> Indices:
        """The elements; they cannot be written."""
        return self._array

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def dtype(self) -> np.dtype[np.int64]:
        return self._array.dtype

    @property
    def ndim(self) -> int:
        return self._array.ndim

    @cached_property
    def min(self) -> int | None:
        """The least element; None without elements."""
        return int(self._array.min()) if self._array.size else None

    @cached_property
    def max(self) -> int | None:
        """The greatest element; None without elements."""
        return int(self._array.max()) if self._array.size else None

    @cached_property
    def sorted(self) -> bool:
        """Whether no element is less than the one before it, in row-major order."""
        flat = self._array.ravel()
        return bool((flat[1:] >= flat[:-1]).all())

    @cached_property
    def unique(self) -> bool:
        """Whether no two elements are equal."""
        return bool(len(np.unique(self._array)) == self._array.size)

    @property
    def narrow(self) -> Index:
        """The index with elements in whose multiples nothing overflows: those beyond MOST are MOST, outside of everything."""
        low, high = self.min, self.max
        if low is None or high is None or (low >= -MOST and high <= MOST):
            return self
        (array,) = self.kept("narrow", lambda: _frozen((self._array.clip(-MOST, MOST),)))
        return Index(array)

    def kept(self, key: object, make: Callable[[], tuple[Indices, ...]]) -> tuple[Indices, ...]:
        """What `make` gives, made once for a key."""
        with self._lock:
            if key not in self._lists:
                self._lists[key] = make()
            return self._lists[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._array.astype(dtype or np.int64)  # the index itself cannot be changed

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        size = f", {self.min}..{self.max}" if self._array.size else ""
        return f"<tadc.Index {list(self.shape)}{size}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return index, (np.array(self._array),)


def index(k: Any) -> Any:
    """A copy of an array of integers that is checked and kept with its lists; of a sparse array, its pattern.

    >>> import tadc
    >>> f = tadc.compile("y[i: 3] = sum{e | k[e] = i} w[e]")
    >>> k = tadc.index([1, 0, 1, 1])
    >>> f(k, [1.0, 2.0, 4.0, 8.0]).tolist()
    [2.0, 13.0, 0.0]

    Raises ArgumentError for anything but integers.
    """
    return as_index("the index tensor", k)


def as_index(name: str, value: Any) -> Index:
    """The value as an `Index`: itself, or a private copy. Raises ArgumentError for anything but integers."""
    if isinstance(value, Index):
        return value
    called = name if name.startswith("the ") else f"`{name}`"
    try:
        array = np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:  # whatever a foreign `__array__` raises
        raise ArgumentError(None, f"{called} is no array: {error}", fix="pass integers") from None
    if array.dtype.kind == "f" and not array.size and isinstance(value, (list, tuple)):
        array = array.astype(np.int64)  # `[]`
    if array.dtype.kind == "b":
        raise ArgumentError(
            None,
            f"{called} is used as an index, and is bool",
            fix=f"write a condition, `[{name}[i] = 1]`, with `{name}` as floats, or pass positions",
        )
    if array.dtype.kind not in "iu":
        raise ArgumentError(
            None,
            f"{called} is used as an index here, and is {array.dtype}",
            fix="pass integers: `.astype('int64')`",
        )
    if array.dtype == np.uint64:
        array = np.minimum(array, np.uint64(2**63 - 1))  # far outside of everything
    copy = np.array(array, np.int64, order="C")
    copy.flags.writeable = False
    return Index(copy)


# ---------------------------------------------------------------------- lists


def lists_of(
    lists: Sequence[SortedList | Rows],
    indices: Mapping[str, Index],
    sizes: Mapping[Symbol, int],
    limit: int,
) -> tuple[dict[str, Indices], dict[Symbol, int]]:
    """The tensors of lists by name, and the sizes that they have.

    Raises Error where one would have more than `limit` keys or positions.
    """
    arrays: dict[str, Indices] = {}
    found: dict[Symbol, int] = {}
    for each in lists:
        match each:
            case SortedList():
                made = _sorted_list(each, indices, sizes, limit)
            case Rows():
                made = _rows(each, indices, sizes, limit)
        arrays |= dict(zip((t.name for t in each.tensors), made, strict=True))
        begin, positions = made[0], made[1]
        found |= dict(zip(each.counts, (*begin.shape[:-1], begin.shape[-1] - 1), strict=True))
        found[each.count] = len(positions)
    return arrays, found


def _sorted_list(
    each: SortedList, indices: Mapping[str, Index], sizes: Mapping[Symbol, int], limit: int
) -> tuple[Indices, ...]:
    ends = tuple((key.low.at(sizes), key.high.at(sizes)) for key in each.keys)
    counts = tuple(max(1, high - low + 1) for low, high in ends)
    _refuse_beyond(prod(counts), limit, each.of)
    of = [indices[name] for name in each.of]

    def make() -> tuple[Indices, ...]:
        return _sorted([k.array for k in of], ends, counts)

    if len(of) == 1:
        return of[0].kept(("sorted", ends), make)
    others = tuple(of[1:])
    return of[0].kept(("sorted", ends, others), make)


def _sorted(
    arrays: Sequence[Indices], ends: Sequence[tuple[int, int]], counts: Sequence[int]
) -> tuple[Indices, ...]:
    """Where each key begins, and the positions in the order of their keys, those of equal keys ascending."""
    shape = arrays[0].shape
    flat = np.zeros(arrays[0].size, np.int64)
    inside = np.ones(arrays[0].size, bool)
    for array, (low, high), count in zip(arrays, ends, counts, strict=True):
        values = array.ravel()
        within = (values >= low) & (values <= high)
        inside &= within
        flat = flat * count + np.where(within, values - low, 0)
    places = np.flatnonzero(inside)
    keys = flat if len(places) == len(flat) else flat[places]
    total = prod(counts)
    order = _stable_order(keys, total)
    places = places[order]
    begin = np.zeros(total + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=total), out=begin[1:])
    rows = begin[:-1].reshape(-1, counts[-1])
    last = begin[counts[-1] :: counts[-1]][:, None]
    table = np.concatenate([rows, last], axis=1).reshape(*counts[:-1], counts[-1] + 1)
    # Nothing is read beyond the positions: there is one at least, for arrays have elements.
    positions = np.unravel_index(places, shape) if len(places) else ([0],) * len(shape)
    return _frozen((table, *positions))


def _stable_order(keys: Indices, total: int) -> NDArray[np.intp]:
    """The order of the keys, equal ones as they stand; numpy's sort by digits is for 16 bits alone."""
    if total <= 2**16:
        return np.argsort(keys.astype(np.uint16), kind="stable")
    if total <= 2**32:
        low = np.argsort((keys & 0xFFFF).astype(np.uint16), kind="stable")
        high = np.argsort((keys[low] >> 16).astype(np.uint16), kind="stable")
        return low[high]
    return np.argsort(keys, kind="stable")


def _rows(
    each: Rows, indices: Mapping[str, Index], sizes: Mapping[Symbol, int], limit: int
) -> tuple[Indices, ...]:
    elements, count = each.elements.at(sizes), each.extent.at(sizes)
    _refuse_beyond(elements, limit, each.of)
    first, last = (_ends(end, each.index, count, indices, sizes) for end in (each.low, each.high))
    owner = indices[each.low[0].tensor]
    key = (
        "rows",
        elements,
        *map(_form_key, (each.low, each.high)),
        indices[each.high[0].tensor],
        count,
    )

    def make() -> tuple[Indices, ...]:
        low, high = np.maximum(first, 0), np.minimum(last, elements - 1)
        lengths = np.maximum(0, high - low + 1)
        total = int(lengths.sum())
        _refuse_beyond(total, limit, each.of)
        rows = np.repeat(np.arange(count), lengths)
        begins = np.cumsum(lengths) - lengths
        at = np.arange(total) - np.repeat(begins, lengths) + np.repeat(low, lengths)
        order = np.argsort(at, kind="stable")
        begin = np.zeros(elements + 1, np.int64)
        np.cumsum(np.bincount(at, minlength=elements), out=begin[1:])
        return _frozen((begin, rows[order] if total else [0]))

    return owner.kept(key, make)


def _form_key(end: tuple[Any, int]) -> object:
    d, more = end
    return d.subscripts, more


def _ends(
    end: tuple[Any, int],
    row: Symbol,
    count: int,
    indices: Mapping[str, Index],
    sizes: Mapping[Symbol, int],
) -> Indices:
    """One end of all rows."""
    d, more = end
    array = indices[d.tensor].array
    at = []
    for form, extent in zip(d.subscripts, array.shape, strict=True):
        at.append((_column(form, row, count, sizes)).clip(0, extent - 1))
    result: Indices = np.broadcast_to(array[tuple(at)], (count,)) + more
    return result


def _column(form: Affine, row: Symbol, count: int, sizes: Mapping[Symbol, int]) -> Indices:
    c = form.coefficient(row)
    rest = Affine.of({s: k for s, k in form.terms if s != row}, form.constant).at(sizes)
    return np.arange(count) * c + rest


def _refuse_beyond(number: int, limit: int, of: Sequence[str]) -> None:
    if number > limit:
        raise Error(
            None,
            f"the list of {', '.join(of)} has {number} entries, and the limit is {limit}",
            fix="declare the range of its values, or raise it: `list_limit=..`",
        )


def _frozen(arrays: Sequence[Any]) -> tuple[Indices, ...]:
    result = tuple(np.ascontiguousarray(a, np.int64) for a in arrays)
    for a in result:
        a.flags.writeable = False
    return result
