"""The arguments of a call on Dask arrays, checked as those of a call on whole arrays."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Any

import dask.array as da
import numpy as np
from dask import is_dask_collection

from tadc import compiler
from tadc.dask.call import LazyCall
from tadc.dask.choices import Choices
from tadc.dask.sources import Source
from tadc.errors import ArgumentError, BackendError, ShapeError
from tadc.function.foreign import other_kinds
from tadc.function.function import Function
from tadc.function.operator import arguments
from tadc.ir.element_types import INDEX
from tadc.ir.program import Program
from tadc.runtime.arguments import NUMBERS, as_array, as_declared, prepared
from tadc.runtime.calls import Call
from tadc.runtime.index import Index

__all__ = ["Bound", "bound_call", "check_shape", "refuse_out", "source_of"]

LARGE = 10_000_000  # bytes of a numpy array that becomes one chunk


@dataclass(frozen=True, slots=True)
class Bound:
    """A call whose arguments were checked."""

    f: Function
    sources: dict[str, Source]
    sizes: Mapping[str, int]
    dtype: str
    choices: Choices

    def call(
        self,
        program: Program,
        sources: Mapping[str, Source],
        follow: Mapping[str, str],
        residuals: Sequence[str] = (),
        one_call: Program | None = None,
    ) -> LazyCall:
        options, sizes, choices = self.f._options, self.sizes, self.choices
        _check_places(sources)
        return LazyCall(
            program, options, sources, sizes, self.dtype, choices, follow, residuals, one_call
        )


def bound_call(
    f: Function,
    arrays: Sequence[Any],
    named: Mapping[str, Any],
    choices: Choices,
    modes: Sequence[str] = ("primal",),
) -> Bound:
    """The call, checked; its choices may name what the programs of these modes compute."""
    if choices.slices is None:
        choices = replace(choices, slices=_has_processes())
    values, given = arguments(f, arrays, named)
    by_name = dict(zip(f.inputs, values, strict=True))
    scalars = {n for n, v in by_name.items() if type(v) in NUMBERS}
    for name in f.real_inputs:
        if isinstance(value := by_name[name], (*NUMBERS, list, tuple)):
            by_name[name] = as_declared(as_array(name, value), value, f.declared(name))
    sources = {n: source_of(n, v, choices) for n, v in by_name.items()}
    shapes = {n: s.shape for n, s in sources.items()}
    if f.open_sizes:
        f, given = f.of_shapes(shapes, given)
    _check_indices(f, sources)
    if choices.chunks or choices.keep or choices.split:
        choices.check([_in_mode(f, mode) for mode in modes])
    sizes = f.calls.sizes(shapes, given)
    types = {n: np.empty((0,) * len(s.shape), s.dtype) for n, s in sources.items()}
    dtype = f.calls.element_type(Call(types, scalars, given, sizes))
    prepared(f.program, types, dtype)
    if f.program.sizes and f.program.is_empty(sizes):
        f = f._of_numbers({s: sizes[s] for s in f.program.sizes})
        sources = dict(zip(f.inputs, sources.values(), strict=True))
        sizes = f.program.size_values({})
        choices = replace(choices, split=choices.split and {})  # what was a reduction may be none
    return Bound(f, sources, sizes, dtype, choices)


def _check_indices(f: Function, sources: Mapping[str, Source]) -> None:
    """Raises ArgumentError for index tensors that the program computes, and for arrays of others that are no integers."""
    if computed := compiler.computed_indices(f.program):
        raise ArgumentError(
            None,
            f"elements of `{computed[0]}` are subscripts, and the program computes it",
            fix=f"compute `{computed[0]}` by a function of its own, and give it to this one as an input",
        )
    for t in f.program.inputs:
        if t.dtype == INDEX and sources[t.name].dtype.kind not in "iu":
            raise ArgumentError(
                None,
                f"`{t.name}` is used as an index here, and is {sources[t.name].dtype}",
                fix="give integers: `.astype('int64')`",
            )


def _in_mode(f: Function, mode: str) -> Program:
    return f.program if mode == "primal" else f._derivative(mode, f.real_inputs).program


def _has_processes() -> bool:
    """Whether a cluster's workers will run the tasks, as far as is known now."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return False
    try:
        distributed.default_client()
    except ValueError:
        return False
    return True


def source_of(name: str, value: Any, choices: Choices) -> Source:
    """The source of an argument. Raises ArgumentError for what has no numbers, BackendError for arrays of frameworks, ShapeError for
    unknown chunks.
    """
    array = value if _is_lazy(value) else _one_chunk(name, value)
    as_array(name, np.empty(0, array.dtype))
    if isinstance(getattr(array, "_meta", None), np.ma.MaskedArray):
        raise ArgumentError(
            None,
            f"`{name}` is a masked array",
            fix="fill it, `da.ma.filled(..)`, or multiply with the mask in the formula",
        )
    if any(isnan(n) for n in array.shape):
        raise ShapeError(
            None, f"the shape of `{name}` is not known", fix="call `compute_chunk_sizes()` on it"
        )
    return Source(array, bool(choices.slices))


def _is_lazy(value: Any) -> bool:
    """Whether it is a Dask array, or an array in a store: it has a shape, a type, chunks, and slices."""
    parts = ("dtype", "chunks", "__getitem__")
    has_shape = isinstance(getattr(value, "shape", None), tuple)  # a `Delayed` has any attribute
    return isinstance(value, da.Array) or (
        has_shape and all(hasattr(value, part) for part in parts)
    )


def _one_chunk(name: str, value: Any) -> Any:
    """A numpy array, or what can be one, as a Dask array of one chunk."""
    value = value.array if isinstance(value, Index) else value
    if is_dask_collection(value):
        raise ArgumentError(
            None,
            f"`{name}` is a {type(value).__name__} of Dask, whose shape is not known",
            fix="make it an array: `da.from_delayed(.., shape=.., dtype=..)`",
        )
    kind = other_kinds(value)
    if kind not in (None, "numpy"):
        raise BackendError(
            None,
            f"`{name}` is an array of {kind}, and another argument one of Dask",
            fix="make all of them Dask arrays",
        )
    array = as_array(name, value)
    if array.nbytes > LARGE:
        warnings.warn(
            f"`{name}` is one chunk of {array.nbytes / 1e6:.0f} MB: `da.from_array(.., chunks=..)` has smaller ones",
            stacklevel=6,
        )
    return da.from_array(array, chunks=array.shape)


def _check_places(sources: Mapping[str, Source]) -> None:
    """Raises BackendError for chunks on a GPU and in the host's memory; single numbers may be anywhere."""
    on_gpu = [n for n, s in sources.items() if s.is_on_gpu]
    for name, source in sources.items() if on_gpu else ():
        if source.shape and not source.is_on_gpu:
            raise BackendError(
                None,
                f"`{name}` has chunks of numpy, and `{on_gpu[0]}` has chunks of CuPy",
                fix="`array.map_blocks(cupy.asarray)` moves chunks to the GPU",
            )


def check_shape(what: str, shape: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if shape != wanted:
        raise ShapeError(None, f"{what} has the shape {shape}", fix=f"its shape is {wanted}")


def refuse_out(out: Any, accumulate: bool) -> None:
    """Raises ArgumentError where a result is to be written to an array."""
    if out is not None or accumulate:
        raise ArgumentError(
            None,
            "`out` and `accumulate` are not for Dask arrays, which are not computed yet",
            fix="use `dask.array.store(result, target)`",
        )
