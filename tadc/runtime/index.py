"""Index tensors of a call: private copies of their arrays, and the lists that programs with data reads run over.

An `Index` keeps its copy and every list that was made of it; without one both are made anew for each call, since nothing
tells that the elements of an array have not changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from threading import Lock
from typing import Any, TypeAlias, TypeVar
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ArgumentError, Error
from tadc.ir.affine import Affine, Symbol
from tadc.runtime.buffers import copied
from tadc.runtime.cpu import list_builder
from tadc.runtime.cuda import list_builder as gpu_list_builder
from tadc.runtime.cuda.arrays import is_gpu_array, module_of, using
from tadc.runtime.cuda.resident import resident
from tadc.runtime.opencl.arrays import is_cl_array
from tadc.schedule.rewrite.list_tensors import Facts, Key, Listed, Rows, SortedList
from tadc.schedule.rewrite.matches import ELEMENT, Match
from tadc.schedule.rewrite.pieces import PIECE
from tadc.schedule.rewrite.slices import Slice

__all__ = [
    "Index",
    "ListArrays",
    "as_index",
    "companion_tensors",
    "facts_of",
    "for_calls",
    "index",
    "list_tensors",
    "lists_of",
    "nearer",
    "sliced",
]

Made = TypeVar("Made")

Indices: TypeAlias = NDArray[Any]
INT32 = np.iinfo(np.int32)


class Index:
    """An immutable index tensor: a copy of an array of integers, with what is known of it.

    Made by `tadc.index`. It may be passed wherever the array may, and keeps the lists that calls make of it; it may be
    shared by threads. A pickle holds the elements alone.
    """

    def __init__(self, array: Indices, unsigned: Indices | None = None) -> None:
        """`unsigned` are the elements where some are beyond 2**63, as which they are in the array."""
        self._array = array
        self._unsigned = unsigned
        self.is_given_again = False  # it was made for several calls: these are remembered with it
        self._lists: dict[tuple[object, ...], Any] = {}
        self._lock = Lock()

    @property
    def array(self) -> Indices:
        """The elements; they cannot be written."""
        return self._array

    @property
    def shape(self) -> tuple[int, ...]:
        return self._array.shape

    @property
    def dtype(self) -> np.dtype[Any]:
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

    def at(self, dimension: int, place: int) -> Index:
        """The elements at a place of a dimension, or at the last one, which keep their own lists. They are kept with this one."""

        def make() -> Index:
            along = np.moveaxis(self._array, dimension, 0)
            return Index(_frozen(along[min(place, len(along) - 1)]))

        return self.kept(("at", dimension, place), make)

    def element(self, position: tuple[int, ...]) -> int:
        """The element that was given."""
        return int(self.given[position])

    def is_within(self, most: int) -> bool:
        """Whether no element is beyond this number, of either sign."""
        low, high = self.min, self.max
        return low is None or high is None or (low >= -most and high <= most)

    @property
    def given(self) -> Indices:
        """The elements that were given, of whatever size."""
        return self._array if self._unsigned is None else self._unsigned

    @cached_property
    def in_32_bits(self) -> Indices | None:
        """The elements as numbers of 32 bits; None where one does not fit."""
        low, high = self.min or 0, self.max or 0
        if low < INT32.min or high > INT32.max or self._array.size > INT32.max:
            return None
        return _frozen(copied(self._array, np.dtype(np.int32)))

    def kept(self, key: object, make: Callable[[], Made], others: Sequence[Index] = ()) -> Made:
        """What `make` gives, made once for a key and other index tensors. It is forgotten with any of these."""
        whole = self._whole(key, others)
        with self._lock:
            if whole not in self._lists:
                self._lists[whole] = make()
            made: Made = self._lists[whole]
            return made

    def remembered(
        self, key: object, make: Callable[[], Made], others: Sequence[Index] = ()
    ) -> Made:
        """The same of what is made of kept things: two threads may make it at a time, so that neither waits for the other."""
        whole = self._whole(key, others)
        if whole not in self._lists:
            self._lists.setdefault(whole, make())
        made: Made = self._lists[whole]
        return made

    def _whole(self, key: object, others: Sequence[Index]) -> tuple[object, ...]:
        """The key together with other index tensors, with any of which what is kept for it is forgotten."""
        mine = ref(self)  # else the index would be part of a cycle, and not be freed at once

        def forget(gone: ref[Index]) -> None:
            found = mine()
            lists = {} if found is None else found._lists
            for known in [k for k in list(lists) if any(part is gone for part in k)]:
                lists.pop(known, None)

        return (key, *(ref(o, forget) for o in others))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self._array.astype(dtype or np.int64)  # the index itself cannot be changed

    def __len__(self) -> int:
        return len(self._array)

    def __repr__(self) -> str:
        size = f", {self.min}..{self.max}" if self._array.size else ""
        return f"<tadc.Index {list(self.shape)}{size}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return index, (np.array(self.given),)


def index(k: Any) -> Any:
    """A copy of an array of integers that is checked and kept with its lists; of a sparse array, its pattern.

    >>> import tadc
    >>> f = tadc.compile("y[i: 3] = sum{e | k[e] = i} w[e]")
    >>> k = tadc.index([1, 0, 1, 1])
    >>> f(k, [1.0, 2.0, 4.0, 8.0]).tolist()
    [2.0, 13.0, 0.0]

    Raises ArgumentError for anything but integers.
    """
    return for_calls(as_index("the index tensor", k))


def for_calls(k: Index) -> Index:
    """The index tensor, which several calls will have."""
    k.is_given_again = True
    return k


def as_index(name: str, value: Any) -> Index:
    """The value as an `Index`: itself, or a private copy. Raises ArgumentError for anything but integers."""
    if isinstance(value, Index):
        return value
    called = name if name.startswith("the ") else f"`{name}`"
    try:
        array = np.asarray(value.get() if is_gpu_array(value) or is_cl_array(value) else value)
    except MemoryError:
        raise
    except Exception as error:  # whatever a foreign `__array__` raises
        raise ArgumentError(None, f"{called} is no array: {error}", fix="pass integers") from None
    if array.dtype.kind == "f" and not array.size and isinstance(value, (list, tuple)):
        array = array.astype(np.int64)  # `[]`
    if array.dtype.kind == "b":
        name = name if name.isidentifier() else "k"
        raise ArgumentError(
            None,
            f"{called} is used as an index, and is bool",
            fix=f"write a condition, `[{name}[i] = 1]`, with `{name}` as floats, or pass positions",
        )
    if array.dtype.kind == "O":
        raise ArgumentError(
            None,
            f"{called} is used as an index here, and holds objects of {type(array.item(0)).__name__ if array.size else 'Python'}",
            fix="pass an array of integers of at most 64 bits",
        )
    if array.dtype.kind not in "iu":
        raise ArgumentError(
            None,
            f"{called} is used as an index here, and is {array.dtype}",
            fix="pass integers: `.astype('int64')`",
        )
    unsigned = None
    if array.dtype == np.uint64 and array.size and array.max() >= 2**63:
        unsigned = _frozen(copied(array, array.dtype))
        array = np.minimum(unsigned, np.uint64(2**63 - 1))
    return Index(_frozen(copied(array, np.dtype(np.int64))), unsigned)


def nearer(indices: Mapping[str, Index], most: int, period: int) -> dict[str, Index]:
    """The index tensors with others in place of elements beyond `most`, which are beyond it too, in the same order, and leave
    the same remainders by the period.

    Raises OverflowError where there are too many for so large a period.
    """
    far = {n: k for n, k in indices.items() if not k.is_within(most)}

    def make() -> dict[str, Index]:
        """All of them, since elements of one may be compared with those of another."""
        stands_for = _Nearer.of([k.given for k in far.values()], most, period)
        return {n: Index(_frozen(stands_for(k.given))) for n, k in far.items()}

    if not far:
        return dict(indices)
    first, *others = far.values()
    return {**indices, **first.kept(("nearer", most, period, tuple(far)), make, others)}


def sliced(indices: Mapping[str, Index], slices: Sequence[Slice]) -> dict[str, Index]:
    """The index tensors with slices in place of those that have some."""
    whole = {one.of for one in slices}
    own = {one.name: indices[one.of].at(one.dimension, one.place) for one in slices}
    return {n: k for n, k in indices.items() if n not in whole} | own


@dataclass(frozen=True, slots=True)
class _Nearer:
    """The numbers beyond `most`, of either sign, each with one that is nearer."""

    most: int
    period: int
    above: Indices
    below: Indices

    @classmethod
    def of(cls, arrays: Sequence[Indices], most: int, period: int) -> _Nearer:
        above = np.unique(np.concatenate([a[a > most].astype(np.uint64) for a in arrays]))
        below = np.unique(np.concatenate([_below(a, most) for a in arrays]))
        if (max(len(above), len(below)) + 2) * period > most // 2:
            raise OverflowError
        return cls(most, period, above, below)

    def __call__(self, given: Indices) -> Indices:
        least = (self.most // self.period + 1) * self.period
        is_above, is_below = given > self.most, _is_below(given, self.most)
        result = np.where(is_above, 0, given).astype(np.int64)
        far = given[is_above].astype(np.uint64)
        steps = np.searchsorted(self.above, far) * self.period
        result[is_above] = least + steps + (far % np.uint64(self.period)).astype(np.int64)
        far = given[is_below].astype(np.int64)
        steps = (len(self.below) - np.searchsorted(self.below, far)) * self.period
        result[is_below] = far % self.period - least - steps
        return result


def _is_below(given: Indices, most: int) -> NDArray[np.bool_]:
    below: NDArray[np.bool_] = (
        np.zeros(given.shape, bool) if given.dtype.kind == "u" else given < -most
    )
    return below


def _below(given: Indices, most: int) -> Indices:
    return given[_is_below(given, most)].astype(np.int64)


# ---------------------------------------------------------------------- lists


class ListArrays:
    """The arrays of a list: where each key begins, and for each dimension the places of the positions. They cannot be written.

    `begin` has a dimension for each key, the last one longer by one. Positions, and what stands in their order, are on the
    `device`, if it is one.
    """

    def __init__(
        self,
        begin: Indices,
        positions: Any,
        shape: tuple[int, ...],
        device: int | None = None,
        distinct: Indices | None = None,
    ) -> None:
        """`positions` are in row-major order of the `shape`. `distinct` are the elements that keys stand for, if not these themselves."""
        self.begin = _frozen(begin)
        self.distinct = np.zeros(0, np.int64) if distinct is None else distinct
        self._matching: WeakKeyDictionary[Index, dict[tuple[int, int, int], Indices]] = (
            WeakKeyDictionary()
        )
        self._device = device
        # Nothing is read beyond the positions: there is one at least, for arrays have elements.
        xp = module_of(positions)
        with using(device):
            flat = positions if len(positions) else xp.zeros(1, begin.dtype)
            # Of a tensor without elements no number is a position.
            places = _places(flat, shape) if len(positions) else (flat,) * len(shape)
            self.positions = tuple(_frozen(p.astype(begin.dtype, copy=False)) for p in places)
        self._flat: Indices = flat
        self._sorted: WeakKeyDictionary[object, Indices] = WeakKeyDictionary()

    @cached_property
    def longest(self) -> int:
        """The number of positions of the longest list."""
        return int(np.diff(self.begin, axis=-1).max(initial=0))

    @cached_property
    def pieces(self) -> tuple[Indices, ...]:
        """How many pieces of long lists there are before each key, where each piece begins, and its keys (`pieces.py`)."""
        rows, dtype = self.begin[..., :-1], self.begin.dtype
        lengths = np.diff(self.begin, axis=-1)
        counts = np.where(lengths > PIECE, -(-lengths // PIECE), 0)
        last = np.cumsum(counts).reshape(counts.shape)
        before = np.concatenate([last[..., :1] - counts[..., :1], last], axis=-1)
        keys = np.repeat(np.arange(counts.size), counts.ravel())
        first = (last - counts).ravel()[keys]
        begins = rows.ravel()[keys] + PIECE * (np.arange(len(keys)) - first)
        if not len(keys):
            keys, begins = np.zeros(
                (2, 1), np.int64
            )  # one that is in no list, for arrays have elements
        made = (before, begins, *np.unravel_index(keys, counts.shape))
        return tuple(_frozen(a.astype(dtype)) for a in made)

    def matching(self, other: Index, coefficient: int, added: int, divisor: int) -> Indices:
        """For each element of another index tensor the key of those that are `(coefficient*element + added) / divisor`, or the last
        one; of a list by distinct elements.
        """

        def make() -> Indices:
            last = self.begin.shape[-1] - 2
            if not len(self.distinct):
                return _frozen(np.full(other.array.shape, last, self.begin.dtype))
            values = other.array * coefficient + added
            keys = np.searchsorted(self.distinct, values // divisor)
            near = self.distinct[np.minimum(keys, len(self.distinct) - 1)]
            is_there = near * divisor == values
            return _frozen(np.where(is_there, keys, last).astype(self.begin.dtype))

        form = coefficient, added, divisor
        found = self._matching.setdefault(other, {})
        if form not in found:
            found[form] = make()
        return found[form]

    def in_order(self, source: Index | ListArrays, threads: int) -> Indices:
        """The elements of an index tensor, or the only row that has each position, in the order of the list."""
        if source not in self._sorted:
            if isinstance(source, ListArrays):
                of = source.row
            else:
                narrow = source.in_32_bits
                of = source.array if narrow is None else narrow
            self._sorted[source] = _frozen(self._ordered(of, threads))
        return self._sorted[source]

    def _ordered(self, of: Indices, threads: int) -> Indices:
        if not of.size:
            return np.zeros(1, of.dtype)  # of a list without positions
        if self._device is not None:
            there = resident(of, self._device)
            with using(self._device):
                ordered: Indices = there.ravel()[self._flat]
            return ordered
        of = of.ravel()
        if of.dtype == self._flat.dtype and list_builder.is_worth_native_code(len(self._flat)):
            return list_builder.in_order(of, self._flat, threads)
        return of[self._flat]

    @cached_property
    def row(self) -> Indices:
        """The only position of each key, or -1."""
        (positions,) = self.positions
        first = positions[np.minimum(self.begin[:-1], len(positions) - 1)]
        return _frozen(np.where(np.diff(self.begin) > 0, first, -1).astype(self.begin.dtype))

    @property
    def bytes(self) -> int:
        """The memory that they take, with what stands beside them in their order."""
        matching = (a for found in self._matching.values() for a in found.values())
        own = (self.begin, *self.positions, *self._sorted.values(), *matching)
        return self.distinct.nbytes + sum(a.nbytes for a in own)


def lists_of(
    lists: Sequence[SortedList | Rows],
    indices: Mapping[str, Index],
    sizes: Mapping[Symbol, int],
    limit: int,
    threads: int = 1,
    device: int | None = None,
) -> list[ListArrays]:
    """The arrays of each list, of 32 bits where all index tensors and positions fit; sorted on the GPU of that number, if it is one.

    Raises Error where one would have more than `limit` keys or positions.
    """
    return [
        _sorted_list(each, indices, sizes, limit, threads, device)
        if isinstance(each, SortedList)
        else _rows(each, indices, sizes, limit)
        for each in lists
    ]


def facts_of(lists: Sequence[SortedList | Rows], arrays: Sequence[ListArrays]) -> Facts:
    """What is known of the lists."""
    pairs = list(zip(lists, arrays, strict=True))
    return Facts(
        short=all(a.longest <= PIECE for each, a in pairs if isinstance(each, SortedList)),
        single=all(a.longest <= 1 for each, a in pairs if isinstance(each, Rows)),
    )


def companion_tensors(
    made: Listed,
    arrays: Sequence[ListArrays],
    indices: Mapping[str, Index],
    dtype: type[Any],
    threads: int,
) -> dict[str, Indices]:
    """The companions of lists by name, in elements of this type. `arrays` are those of the lists."""
    lists = {each.begin.name: a for each, a in zip(made.lists, arrays, strict=True)}
    rows = {r.row.name: r.begin.name for r in made.lists if isinstance(r, Rows) and r.row}
    tensors = {}
    for c in made.companions:
        of = lists[rows[c.of]] if c.of in rows else indices[c.of]
        ordered = lists[c.begin].in_order(of, threads)
        tensors[c.tensor.name] = ordered.astype(dtype, copy=False)
    return tensors


def list_tensors(
    lists: Sequence[SortedList | Rows],
    arrays: Sequence[ListArrays],
    indices: Mapping[str, Index],
    values: Mapping[Symbol, int],
    dtype: type[Any],
) -> tuple[dict[str, Indices], dict[Symbol, int]]:
    """The tensors of lists by name, in elements of this type, and the sizes that they have. `values` are those of all others."""
    tensors: dict[str, Indices] = {}
    sizes: dict[Symbol, int] = {}
    for each, a in zip(lists, arrays, strict=True):
        if isinstance(each, Rows) and each.row is not None:
            tensors[each.row.name] = a.row
            continue
        pieces = a.pieces if isinstance(each, SortedList) and each.pieces else ()
        matches = each.matches if isinstance(each, SortedList) else ()
        own = (a.begin, *a.positions, *pieces, *(_matching(m, a, indices, values) for m in matches))
        counts = (*a.begin.shape[:-1], a.begin.shape[-1] - 1, len(a.positions[0]))
        counts += (len(pieces[1]),) if pieces else ()
        tensors |= dict(zip((t.name for t in each.tensors), own, strict=True))
        sizes |= dict(zip(each.sizes, counts, strict=True))
    return {n: a.astype(dtype, copy=False) for n, a in tensors.items()}, sizes


def _matching(
    m: Match, a: ListArrays, indices: Mapping[str, Index], sizes: Mapping[Symbol, int]
) -> Indices:
    coefficient = m.form.coefficient(ELEMENT)
    added = m.form.at({**sizes, ELEMENT: 0})
    return a.matching(indices[m.of], coefficient, added, m.divisor)


def _places(numbers: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The place in each dimension of the elements with these numbers in row-major order, of the same type."""
    inner: list[Any] = []
    for extent in reversed(shape[1:]):
        rows = numbers // extent
        inner.insert(0, numbers - rows * extent)
        numbers = rows
    return (numbers, *inner) if shape else ()


def _of_distinct(name: str, k: Index, limit: int, threads: int) -> ListArrays:
    """The list by the distinct elements of an index tensor: keys are their numbers, and one more, which has no positions."""
    count = k.array.size + 1
    _refuse_beyond(count, limit, [name])

    def make() -> ListArrays:
        distinct, numbers = _numbered(k.array.ravel())
        dtype = np.int32 if count <= INT32.max else np.int64
        sort = _sorted_natively if list_builder.is_worth_native_code(count) else _sorted
        begin, positions = sort([_frozen(numbers.astype(dtype))], [0], [count], threads)
        return ListArrays(begin, positions, k.shape, distinct=_frozen(distinct))

    return k.kept("by distinct elements", make)


def _numbered(elements: Indices) -> tuple[Indices, Indices]:
    """The distinct elements, ascending, and the number of each element among them."""
    if not elements.size:
        return elements, elements
    low, high = int(elements.min()), int(elements.max())
    if high - low > 4 * elements.size:
        return np.unique(elements, return_inverse=True)
    there = np.zeros(high - low + 1, bool)
    there[elements - low] = True
    return np.flatnonzero(there) + low, (np.cumsum(there) - 1)[elements - low]


def _sorted_list(
    each: SortedList,
    indices: Mapping[str, Index],
    sizes: Mapping[Symbol, int],
    limit: int,
    threads: int,
    device: int | None,
) -> ListArrays:
    of = [indices[name] for name in each.of]
    if each.is_distinct:
        return _of_distinct(each.of[0], of[0], limit, threads)
    lows = tuple(key.low.at(sizes) for key in each.keys)
    counts = tuple(key.count_at(sizes, of[0].array.size) for key in each.keys)
    _refuse_beyond(prod(counts), limit, each.of)

    def make() -> ListArrays:
        narrow = [k.in_32_bits for k in of]
        elements = [k for k in narrow if k is not None]
        is_wide = len(elements) < len(of) or max(of[0].array.size, prod(counts)) > INT32.max
        arrays = _of_keys(each.keys, [k.array for k in of] if is_wide else elements)
        if device is not None and not is_wide:
            begin, positions = gpu_list_builder.sorted_list(arrays, lows, counts, device)
            return ListArrays(begin, positions, of[0].shape, device)
        sort = _sorted_natively if list_builder.is_worth_native_code(arrays[0].size) else _sorted
        return ListArrays(*sort(arrays, lows, counts, threads), of[0].shape)

    places = tuple((key.dimension, key.apart) for key in each.keys)
    return of[0].kept(("sorted", lows, counts, places, device), make, of[1:])


def _of_keys(keys: Sequence[Key], elements: Sequence[Indices]) -> list[Indices]:
    """An array for each key, of one shape: the elements of an index tensor, or the places of these in a dimension."""
    following, (first, *_) = iter(elements), elements

    def places(dimension: int) -> Indices:
        along = np.arange(first.shape[dimension], dtype=first.dtype)
        others = tuple(n for n in range(first.ndim) if n != dimension)
        return _frozen(np.broadcast_to(np.expand_dims(along, others), first.shape))

    def elements_of(key: Key) -> Indices:
        array = next(following)
        moved = tuple(-n for n in key.apart)
        return _frozen(np.roll(array, moved, tuple(range(array.ndim)))) if moved else array

    return [elements_of(k) if k.dimension is None else places(k.dimension) for k in keys]


def _sorted_natively(
    arrays: Sequence[Indices], lows: Sequence[int], counts: Sequence[int], threads: int
) -> tuple[Indices, Indices]:
    return list_builder.sorted_list(arrays, lows, counts, threads)


def _sorted(
    arrays: Sequence[Indices], lows: Sequence[int], counts: Sequence[int], threads: int
) -> tuple[Indices, Indices]:
    """Where each key begins, and the positions in the order of their keys, those of equal keys ascending; by numpy."""
    flat = np.zeros(arrays[0].size, np.int64)
    inside = np.ones(arrays[0].size, bool)
    for array, low, count in zip(arrays, lows, counts, strict=True):
        values = array.ravel().astype(np.int64)
        within = (values >= low) & (values < low + count)
        inside &= within
        flat = flat * count + np.where(within, values - low, 0)
    places = np.flatnonzero(inside)
    keys, total = flat[places], prod(counts)
    places = places[_stable_order(keys, total)]
    begin = np.zeros(total + 1, np.int64)
    np.cumsum(np.bincount(keys, minlength=total), out=begin[1:])
    rows = begin[:-1].reshape(-1, counts[-1])
    last = begin[counts[-1] :: counts[-1]][:, None]
    table = np.concatenate([rows, last], axis=1).reshape(*counts[:-1], counts[-1] + 1)
    dtype = arrays[0].dtype
    return table.astype(dtype), places.astype(dtype)


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
) -> ListArrays:
    elements, count = max(0, each.elements.at(sizes)), max(0, each.extent.at(sizes))
    _refuse_beyond(elements, limit, each.of)

    def make() -> ListArrays:
        first, last = (
            _ends(end, each.index, count, indices, sizes) for end in (each.low, each.high)
        )
        lengths = np.maximum(0, np.minimum(last, elements - 1) - np.maximum(first, 0) + 1)
        total = int(lengths.sum())
        _refuse_beyond(total, limit, each.of)
        dtype = np.int32 if max(total, elements, count) <= INT32.max else np.int64
        # Ends are beyond all elements as well where they are beyond 32 bits.
        if list_builder.is_worth_native_code(total):
            ends = (np.ascontiguousarray(e.clip(-1, elements), dtype) for e in (first, last))
            return ListArrays(*list_builder.rows_of(next(ends), next(ends), elements), (count,))
        rows = np.repeat(np.arange(count), lengths)
        begins = np.cumsum(lengths) - lengths
        low = np.repeat(np.maximum(first, 0), lengths)
        at = np.arange(total) - np.repeat(begins, lengths) + low
        begin = np.zeros(elements + 1, dtype)
        np.cumsum(np.bincount(at, minlength=elements), out=begin[1:])
        order = np.argsort(at, kind="stable")
        return ListArrays(begin, rows[order].astype(dtype), (count,))

    form = tuple(map(_form_key, (each.low, each.high)))
    low, high = (indices[end[0].tensor] for end in (each.low, each.high))
    others = () if high is low else (high,)
    return low.kept(("rows", elements, count, form, limit), make, others)


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


def _frozen(array: Indices) -> Indices:
    """The array, which nobody can write; one of a GPU is tadc's own."""
    if is_gpu_array(array):
        return array
    result = np.asarray(array, order="C")  # a number stays one
    result.flags.writeable = False
    return result
