"""What tasks do: blocks put together from pieces of chunks and computed, pieces cut off, parts of reductions combined.

Everything here is pure: a task that is run again gives the same bits. A process compiles each text once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from tadc.errors import ShapeError, Source
from tadc.function.function import Function
from tadc.function.origin import Origin
from tadc.ir.expr import NEUTRAL, ReduceOp
from tadc.options import Options
from tadc.runtime.arguments import as_array
from tadc.runtime.calls import Calls
from tadc.runtime.cuda.arrays import cupy, is_gpu_array

__all__ = [
    "COMBINED",
    "Code",
    "Layout",
    "Section",
    "Sizes",
    "Slices",
    "Stored",
    "combine",
    "combine_sections",
    "filled",
    "run_block",
    "run_chunks",
    "run_sections",
    "take",
    "warm",
]

MOST_COMPILED = 512  # texts of a process
Slices: TypeAlias = tuple[slice, ...]

COMBINED: Mapping[ReduceOp, Any] = {
    "sum": np.add,
    "prod": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


@dataclass(frozen=True, slots=True)
class Code:
    """The text of a block, and how it is run: `options` of `tadc.compile`, and the sizes by which schedules are chosen."""

    text: str
    options: tuple[tuple[str, Any], ...]
    usual: tuple[tuple[str, int], ...]
    is_section: bool = False


@dataclass(frozen=True, slots=True)
class Stored:
    """A part of an array in a store, which the task reads itself."""

    array: Any
    where: Slices


@dataclass(frozen=True, slots=True)
class Layout:
    """An input of a block: its name, shape and type, and for each of its pieces its shape, and where it stands in the piece and in the
    input.

    Without `places` the only piece is the input as it is; without a piece nothing of it is read.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    places: tuple[tuple[Slices, Slices], ...] | None
    pieces: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The numbers of the sizes of a block: nothing in it is a key of Dask's."""

    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a part of a sum: its sizes, and the place of each input in that of the part."""

    sizes: Mapping[str, int]
    places: tuple[Slices, ...]


def run_block(
    code: Code,
    layouts: Sequence[Layout],
    sizes: Mapping[str, int],
    *pieces: Any,
) -> Any:
    """The block of a value. `pieces` are those of all inputs, one after the other."""
    (result,) = _calls(code)(_inputs(layouts, pieces), sizes)
    return result


def run_sections(
    code: Code, layouts: Sequence[Layout], sections: Sequence[Section], *pieces: Any
) -> Any:
    """The sections of a part of a sum, each by itself, along a new first axis."""
    arrays = _inputs(layouts, pieces)
    calls = _calls(code)
    results = []
    for section in sections:
        own = [_contiguous(a[place]) for a, place in zip(arrays, section.places, strict=True)]
        results += calls(own, section.sizes)
    return np.stack(results)


def _inputs(layouts: Sequence[Layout], pieces: Sequence[Any]) -> list[Any]:
    """The inputs of a block, put together."""
    fetched = [p.array[p.where] if isinstance(p, Stored) else p for p in pieces]
    module = _module(fetched)
    arrays, at = [], 0
    for layout in layouts:
        own = fetched[at : at + len(layout.pieces)]
        at += len(layout.pieces)
        for piece, shape in zip(own, layout.pieces, strict=True):
            _check(layout.name, piece, shape)
        arrays.append(_assembled(layout, own, module))
    return arrays


def _check(name: str, piece: Any, shape: tuple[int, ...]) -> None:
    """Raises ShapeError or ArgumentError for a piece of a chunk that is not what its Dask array says."""
    if tuple(np.shape(piece)) != shape:
        raise ShapeError(
            None,
            f"a part of `{name}` has the shape {tuple(np.shape(piece))}, and {shape} is what its Dask array says",
            fix="give the array the chunks that it has: the function that makes them may change shapes",
        )
    as_array(name, piece)


def run_chunks(code: Code, sizes: Sizes, *chunks: Any) -> Any:
    """The block of a value that reads these chunks as they are."""
    program = _calls(code).program
    values = program.size_values(sizes.numbers)
    shapes = [t.shape_at(values) for t in program.inputs]
    layouts = [
        Layout(t.name, shape, chunk.dtype, None, (shape,))
        for t, shape, chunk in zip(program.inputs, shapes, chunks, strict=True)
    ]
    return run_block(code, layouts, sizes.numbers, *chunks)


def _assembled(layout: Layout, pieces: Sequence[Any], module: Any) -> Any:
    """The input in one buffer; no copy where a piece is the whole."""
    if layout.places is None and pieces:
        return _contiguous(pieces[0]) if layout.shape else module.asarray(pieces[0])
    # What no read touches is NaN, which shows in the result if it is read after all.
    buffer = module.empty(layout.shape, layout.dtype)
    if buffer.dtype.kind == "f":
        buffer.fill(np.nan)
    else:
        buffer.fill(0)
    for (source, place), piece in zip(layout.places or (), pieces, strict=True):
        buffer[place] = piece[source]
    return buffer


def _module(arrays: Sequence[Any]) -> Any:
    """numpy, or cupy for arrays on a GPU."""
    return cupy() if any(map(is_gpu_array, arrays)) else np


def _contiguous(array: Any) -> Any:
    return array if array.flags.c_contiguous else array.copy()


def take(name: str, chunk: Any, shape: tuple[int, ...], where: Slices) -> Any:
    """A piece of a chunk, small enough that others are not sent the whole."""
    _check(name, chunk, shape)
    return chunk[where].copy()  # of its own: a view would keep the chunk


def combine(op: ReduceOp, *parts: Any) -> Any:
    """Parts of a reduction together, first to last."""
    total = parts[0]
    with np.errstate(all="ignore"):  # as the call as a whole
        for part in parts[1:]:
            total = COMBINED[op](total, part)
    return total


def combine_sections(op: ReduceOp, slots: int, at: Sequence[int], *parts: Any) -> Any:
    """All sections of a sum together, as the threads of one call do it: in pairs. `at` are their slots, in order."""
    each = np.concatenate(parts)
    tree = np.full((slots, *each.shape[1:]), NEUTRAL[op], each.dtype)
    tree[list(at)] = each
    with np.errstate(all="ignore"):
        while len(tree) > 1:
            half = len(tree) // 2
            tree = COMBINED[op](tree[:half], tree[half:])
        return COMBINED[op](each.dtype.type(NEUTRAL[op]), tree[0])


def filled(op: ReduceOp | None, shape: tuple[int, ...], dtype: str, on_gpu: bool) -> Any:
    """A block without terms, or without elements."""
    block = (cupy() if on_gpu else np).empty(shape, dtype)
    block.fill(0 if op is None else NEUTRAL[op])
    return block


@lru_cache(MOST_COMPILED)
def _calls(code: Code) -> Calls:
    options = Options.of(**dict(code.options))
    origin = Origin.of(Source(code.text, "<block>"), "idx", options)
    # Reads are not proved again, the footprints are the proof; but what data decide is checked.
    f = Function._of(replace(origin, proved=True))
    program = replace(f.program, usual=code.usual, is_section=code.is_section)
    resolved = replace(f._resolved, program=program, facts=())
    return Calls(program, resolved, f._options, f._for_numbers)


def warm(code: Code, sizes: Mapping[str, int], dtype: str) -> None:
    """Compile the text, in a process that will run it."""
    calls = _calls(code)
    calls.launch(calls.program.size_values(sizes), dtype)
