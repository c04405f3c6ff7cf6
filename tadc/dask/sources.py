"""Where the pieces of a tensor come from: the chunks of a Dask array, or a store that tasks read themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from typing import Any, TypeAlias

import dask.array as da
from dask._task_spec import Task, TaskRef

from tadc.blocks.boxes import Box, Interval, count, extents, smallest_box
from tadc.blocks.footprints import Footprint
from tadc.dask.tasks import Layout, Slices, Stored, take
from tadc.runtime.cuda.arrays import is_gpu_array

__all__ = ["Fetched", "Key", "Source", "intervals"]

Key: TypeAlias = tuple[str | int, ...]
Graph: TypeAlias = dict[Any, Any]
SMALL = 2  # a piece of which a chunk is more than so many is cut off by a task of its own


def intervals(chunks: Sequence[int]) -> list[Interval]:
    """The chunks of a dimension as intervals."""
    return list(pairwise(accumulate(chunks, initial=0)))


@dataclass(frozen=True, slots=True)
class Fetched:
    """What a block gets of a tensor: its place in the buffer, and what a task refers to; and how much that is."""

    layout: Layout
    pieces: tuple[Any, ...]
    bytes: int
    moved: int  # bytes that are read of a store, or sent where the chunk is not

    @property
    def whole_chunk(self) -> Key | None:
        """The key of the piece that is the input as it is."""
        (piece,) = self.pieces if self.layout.places is None else (None,)
        return piece.key if isinstance(piece, TaskRef) else None


class Source:
    """The chunks of a tensor. `array` is a Dask array, or a store that has a shape, a type, chunks, and slices."""

    def __init__(self, array: Any, slices: bool) -> None:
        self.array = array
        self.slices = slices
        self.is_lazy = isinstance(array, da.Array)
        self.dtype = array.dtype
        self.shape = tuple(array.shape)
        self.chunks = array.chunks if self.is_lazy else _chunks_of_store(array)
        self.intervals = [intervals(c) for c in self.chunks]

    @property
    def is_on_gpu(self) -> bool:
        """Whether its chunks are CuPy's. A single number may be anywhere."""
        return self.is_lazy and is_gpu_array(self.array._meta)

    @property
    def blocks(self) -> int:
        number = 1
        for c in self.chunks:
            number *= len(c)
        return number

    def fetched(self, name: str, window: Box, footprint: Footprint | None, graph: Graph) -> Fetched:
        """The pieces of a block's window of the input of this name; tasks that cut them off are put into the graph."""
        shape = extents(window)
        itemsize = self.dtype.itemsize
        if footprint is None:
            layout = Layout(name, shape, self.dtype, (), ())
            return Fetched(layout, (), count(window) * itemsize, 0)
        if not self.is_lazy:
            return self._of_store(name, window, footprint)
        places: list[tuple[Slices, Slices]] = []
        pieces: list[Any] = []
        shapes: list[tuple[int, ...]] = []
        held = moved = 0
        for at, parts in self._touched(footprint.boxes).items():
            chunk = tuple(self.intervals[d][k] for d, k in enumerate(at))
            inner = smallest_box(parts)
            key: Key = (self.array.name, *at)
            origin = chunk
            if self.slices and SMALL * count(inner) <= count(chunk):
                key, origin = self._taken(name, at, chunk, inner, graph), inner
            held += count(origin) * itemsize
            moved += count(origin) * itemsize
            pieces.append(TaskRef(key))
            shapes.append(extents(origin))
            places.append((_slices(inner, origin), _slices(inner, window)))
            if inner == window == origin:
                layout = Layout(name, shape, self.dtype, None, (shape,))
                return Fetched(layout, (TaskRef(key),), held, moved)
        layout = Layout(name, shape, self.dtype, tuple(places), tuple(shapes))
        return Fetched(layout, tuple(pieces), held + count(window) * itemsize, moved)

    def _of_store(self, name: str, window: Box, footprint: Footprint) -> Fetched:
        """One slice a block, the smallest box around what it reads; a slice a box where these are far apart."""
        itemsize = self.dtype.itemsize
        box = footprint.box
        boxes = (
            footprint.boxes if SMALL * sum(map(count, footprint.boxes)) <= count(box) else (box,)
        )
        pieces = tuple(Stored(self.array, tuple(slice(*i) for i in b)) for b in boxes)
        read = sum(map(count, boxes)) * itemsize
        is_window = boxes == (window,)
        places = None if is_window else tuple((_slices(b, b), _slices(b, window)) for b in boxes)
        shapes = tuple(map(extents, boxes))
        layout = Layout(name, extents(window), self.dtype, places, shapes)
        held = read if is_window else read + count(window) * itemsize
        return Fetched(layout, pieces, held, read)

    def _touched(self, boxes: Iterable[Box]) -> dict[tuple[int, ...], list[Box]]:
        """The chunks that some of the boxes meet, by their numbers, with what is read of each. Corners that no read touches are none."""
        touched: dict[tuple[int, ...], list[Box]] = {}
        for box in boxes:
            each = [self._met(d, low, high) for d, (low, high) in enumerate(box)]
            for chosen in product(*each):
                at = tuple(k for k, _ in chosen)
                touched.setdefault(at, []).append(tuple(part for _, part in chosen))
        return touched

    def _met(self, dimension: int, low: int, high: int) -> list[tuple[int, Interval]]:
        """The chunks of a dimension that an interval meets, each with the part of the interval in it."""
        return [
            (k, (max(a, low), min(b, high)))
            for k, (a, b) in enumerate(self.intervals[dimension])
            if a < high and b > low
        ]

    def _taken(self, name: str, at: tuple[int, ...], chunk: Box, inner: Box, graph: Graph) -> Key:
        """The key of a piece, which all that need it share."""
        ends = (e for i in inner for e in i)
        key: Key = (f"take-{self.array.name}", *at, *ends)
        if key not in graph:
            whole = TaskRef((self.array.name, *at))
            graph[key] = Task(key, take, name, whole, extents(chunk), _slices(inner, chunk))
        return key


def _slices(box: Box, around: Box) -> Slices:
    """The place of a box in a buffer for the box around it."""
    pairs = zip(box, around, strict=True)
    return tuple(slice(low - start, high - start) for (low, high), (start, _) in pairs)


def _chunks_of_store(array: Any) -> tuple[tuple[int, ...], ...]:
    """Those that it says; where it has none, as a contiguous data set of HDF5, those that Dask chooses."""
    given = "auto" if array.chunks is None else array.chunks
    chunks: tuple[tuple[int, ...], ...] = da.core.normalize_chunks(
        given, tuple(array.shape), dtype=array.dtype
    )
    return chunks
