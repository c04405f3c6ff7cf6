"""The arguments of a call: the array of each input, its element type, and the results with their places."""

from __future__ import annotations

from collections.abc import Collection, Container, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc.errors import ArgumentError, BackendError, ShapeError, counted
from tadc.ir.element_types import HALF_TYPES, INDEX
from tadc.ir.program import Program
from tadc.runtime.buffers import overlap, overlaps_itself
from tadc.runtime.cuda.arrays import as_gpu_array, is_on_gpu, on_one_device
from tadc.runtime.element_types import in_type, is_real, numpy_type
from tadc.runtime.index import Index
from tadc.runtime.opencl.arrays import as_cl_array, is_cl_array, on_one_context

__all__ = [
    "NUMBERS",
    "Arguments",
    "Order",
    "add_to",
    "argument_order",
    "as_declared",
    "bound_arguments",
    "check_targets",
    "copy_to",
    "element_type",
    "has_a_number",
    "in_order",
    "prepared",
    "promoted",
    "promoted_beside",
    "targets",
]

NUMBERS = frozenset({bool, int, float})  # Python's, which do not promote
_BY_VALUE = (bool, int, float, list, tuple)


@dataclass(frozen=True, slots=True)
class Arguments:
    """Arrays by input, which of them are Python's numbers, and sizes given as keywords."""

    arrays: Mapping[str, NDArray[Any]]
    scalars: Set[str]
    sizes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Order:
    """The position of each input among the positional and then the named arguments, and of each given size."""

    inputs: tuple[int, ...]
    sizes: tuple[tuple[str, int], ...]


def argument_order(
    inputs: Sequence[str],
    sizes: Sequence[str],
    count: int,
    names: Sequence[str],
    numbered: Container[str] = (),
) -> Order:
    """The order of `count` positional and these named arguments. Raises ArgumentError for missing, unexpected and double ones.

    `numbered` has the sizes that have a number already.
    """
    if count > len(inputs):
        raise ArgumentError(
            None,
            f"{counted(count, 'array')} are given, and the inputs are {_list(inputs)}",
            fix="give one array for each input",
        )
    places = {name: k for k, name in enumerate(inputs[:count])}
    for k, name in enumerate(names, count):
        if name in places:
            raise ArgumentError(
                None, f"the input `{name}` is given twice", fix="give it by position or by name"
            )
        if name not in inputs and name not in sizes:
            if name in numbered:
                raise has_a_number(name)
            raise ArgumentError(
                None,
                f"there is no input or size `{name}`",
                fix=f"the inputs are {_list(inputs)}"
                + (f", the sizes {_list(sizes)}" if sizes else ""),
            )
        places[name] = k
    missing = [n for n in inputs if n not in places]
    if missing:
        raise ArgumentError(
            None,
            f"the input `{missing[0]}` is missing",
            fix=f"the inputs are {_list(inputs)}, in this order",
        )
    given = tuple((s, places[s]) for s in sizes if s in places and s not in inputs)
    return Order(tuple(places[n] for n in inputs), given)


def has_a_number(size: str) -> ArgumentError:
    """The error for a number of a size that is none any more."""
    return ArgumentError(None, f"the size `{size}` has a number already", fix="leave it out")


def in_order(
    order: Order, positional: Sequence[Any], named: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, int]]:
    """The values of the inputs, and the sizes. Raises ArgumentError for values that are no sizes."""
    values = (*positional, *named.values())
    sizes = {s: _size(s, values[k]) for s, k in order.sizes}
    return tuple([values[k] for k in order.inputs]), sizes


def bound_arguments(
    program: Program, positional: Sequence[Any], named: Mapping[str, Any]
) -> Arguments:
    """Each input's array. Raises ArgumentError for missing, unexpected and double arguments."""
    inputs = [t.name for t in program.inputs]
    order = argument_order(inputs, program.sizes, len(positional), tuple(named))
    values, sizes = in_order(order, positional, named)
    arrays = dict(zip(inputs, values, strict=True))
    scalars = frozenset(n for n, value in arrays.items() if type(value) in NUMBERS)
    known = _on_one_side(arrays)
    for tensor in program.inputs:
        name = tensor.name
        known[name] = as_declared(known[name], arrays[name], tensor.dtype)
    return Arguments(known, scalars, sizes)


def as_declared(array: Any, value: Any, declared: str | None) -> Any:
    """The array of a value, in the type that the program declares, where that is a number or a list of Python, which has none."""
    if declared is None or not isinstance(value, _BY_VALUE) or declared == INDEX:
        return array
    return array.astype(numpy_type(declared), copy=False)


def _on_one_side(values: Mapping[str, Any]) -> dict[str, Any]:
    """All values as arrays of numpy; or of CuPy or pyopencl, if one of them is on a device and no other is an array anywhere
    else. Index tensors are numpy's: they are checked on the host.
    """
    indices = {n: a.array for n, a in values.items() if isinstance(a, Index)}
    if indices:
        sides = _on_one_side({n: a for n, a in values.items() if n not in indices})
        return {n: indices[n] if n in indices else sides[n] for n in values}
    others = {n: a for n, a in values.items() if type(a) is not np.ndarray}
    in_context = {n: a for n, a in others.items() if is_cl_array(a)}
    if in_context:
        _refuse_others(
            values, in_context, "in the memory of OpenCL", "pyopencl.array.to_device(queue, {})"
        )
        queue = on_one_context(in_context)
        return {n: _of_numbers(n, as_cl_array(n, a, queue)) for n, a in values.items()}
    on_gpu = {n: a for n, a in others.items() if is_on_gpu(a)}
    if not on_gpu:
        return {n: as_array(n, a) for n, a in values.items()}
    _refuse_others(values, on_gpu, "on a GPU", "cupy.asarray({})")
    arrays = {n: _of_numbers(n, as_gpu_array(n, a)) for n, a in values.items()}
    on_one_device(arrays.items())
    return arrays


def _refuse_others(
    values: Mapping[str, Any], there: Mapping[str, Any], where: str, copied: str
) -> None:
    """Raises BackendError for an array that is not where those of `there` are."""
    for name, value in values.items():
        if name not in there and not isinstance(value, (bool, int, float, list, tuple, np.generic)):
            raise BackendError(
                None,
                f"`{next(iter(there))}` is {where}, and `{name}` is an array of the CPU",
                fix=f"pass `{copied.format(name)}`",
            )


def as_array(name: str, value: Any) -> Any:
    """The value as an array of numbers, that of a device where it is on one, else numpy's. Raises ArgumentError for any
    other.
    """
    if is_cl_array(value):
        return _of_numbers(name, value)
    if type(value) is not np.ndarray and is_on_gpu(value):
        return _of_numbers(name, as_gpu_array(name, value))
    if issubclass(type(value), np.ma.MaskedArray):
        raise ArgumentError(
            None,
            f"`{name}` is a masked array",
            fix="fill it, or multiply with the mask in the formula",
        )
    try:
        array = np.asarray(value)
    except MemoryError:
        raise
    except Exception as error:  # whatever a foreign `__array__` raises
        raise ArgumentError(
            None, f"`{name}` is no array: {error}", fix="pass a numpy array"
        ) from None
    if array.dtype == object and not array.ndim and not isinstance(value, int):
        raise ArgumentError(
            None,
            f"`{name}` is {'None' if value is None else f'no array, but of type `{type(value).__name__}`'}",
            fix="pass an array of numpy, a list, or a number",
        )
    return _of_numbers(name, array)


def _of_numbers(name: str, array: Any) -> Any:
    if not (array.dtype.kind in "iub" or is_real(array.dtype)) or array.dtype.itemsize > 8:
        raise ArgumentError(
            None,
            f"`{name}` has elements of type {array.dtype}",
            fix="pass real numbers of at most 64 bits: `.astype('float64')`",
        )
    return array


def element_type(
    program: Program,
    arrays: Mapping[str, NDArray[Any]],
    chosen: str | None,
    scalars: Set[str] = frozenset(),
) -> str:
    """The type that a call computes in: the chosen one, else the one that the arrays promote to (as in numpy).

    `scalars` are Python's numbers, which do not promote. Integers alone compute in float64. The two types of 16 bits
    promote to float32, and with integers bfloat16 does what float16 does: numpy has no word on them.
    """
    if chosen is not None:
        return chosen
    declared = {t.name: t.dtype for t in program.inputs if t.dtype}
    others = {n: a.dtype.name for n, a in arrays.items() if n not in scalars}
    return promoted_beside(declared, others) or "float64"


def promoted_beside(declared: Mapping[str, str], types: Mapping[str, str]) -> str | None:
    """The type of tensors that declare none: that of the inputs that declare none either, and where these have no reals,
    of all. `declared` and `types` are by input; None where there are no reals at all.
    """
    others = [t for n, t in types.items() if n not in declared]
    reals = [t for t in declared.values() if t != INDEX]
    return promoted(others) or promoted([*others, *reals])


def promoted(types: Collection[str]) -> str | None:
    """The type in which elements of these types are computed, by their names; None for integers alone."""
    halves = {t for t in types if t in HALF_TYPES}
    plain = [np.dtype("float16" if t in halves else t) for t in types]
    common = np.result_type(*plain) if plain else np.dtype(np.int64)
    if common == np.float16 and len(halves) == 1:
        return halves.pop()
    if common.kind != "f":
        return None
    return "float32" if common in (np.float16, np.float32) else "float64"


def prepared(
    program: Program, arrays: Mapping[str, NDArray[Any]], dtype: str
) -> dict[str, NDArray[Any]]:
    """The arrays in the types that the program reads. Raises ArgumentError where one would lose digits."""
    result = {}
    for tensor in program.inputs:
        array = arrays[tensor.name]
        wanted = numpy_type(tensor.dtype or dtype)
        if tensor.dtype and array.dtype.kind == "f" and array.dtype.itemsize > wanted.itemsize:
            raise ArgumentError(
                None,
                f"`{tensor.name}` is declared {tensor.dtype}, and the array is {array.dtype}",
                fix=f"convert it: `{tensor.name}.astype('{tensor.dtype}')`",
            )
        result[tensor.name] = in_type(array, wanted)
    return result


def targets(names: Sequence[str], out: Any, what: str) -> tuple[Any, ...]:
    """The array of `out` for each of the results, None where it has none; nothing at all without `out`."""
    if out is None:
        return ()
    if isinstance(out, dict):
        unknown = [n for n in out if n not in names]
        if unknown:
            raise ArgumentError(
                None,
                f"`out` has `{unknown[0]!s:.40}`, which is no result",
                fix=f"the results are {_list(names)}",
            )
        return tuple(map(out.get, names))
    given = out if isinstance(out, (tuple, list)) else (out,)
    if len(given) != len(names):
        raise ArgumentError(
            None,
            f"`out` has {counted(len(given), 'array')} for {counted(len(names), what)}",
            fix="give one for each",
        )
    return tuple(given)


def check_targets(
    given: Mapping[str, Any], expected: Mapping[str, tuple[tuple[int, ...], Any]], kind: type[Any]
) -> None:
    """Check that results can be written to these arrays: `expected` has their shapes and types, `kind` is numpy's array or CuPy's.

    Raises ShapeError and ArgumentError for wrong ones.
    """
    for name, target in given.items():
        shape, dtype = expected[name]
        masked = isinstance(target, np.ma.MaskedArray)  # it would show results behind its mask
        if masked or not isinstance(target, kind) or not getattr(target.flags, "writeable", True):
            raise ArgumentError(
                None,
                f"`out` for `{name}` is not a writeable array",
                fix=f"pass an array of {kind.__module__.split('.')[0]}",
            )
        if target.shape != shape:
            raise ShapeError(
                None,
                f"`out` for `{name}` has the shape {target.shape}, the result {shape}",
                fix="make them agree",
            )
        if target.dtype != dtype:
            raise ArgumentError(
                None,
                f"`out` for `{name}` has elements of type {target.dtype}, the result {dtype}",
                fix="make them agree",
            )
        if overlaps_itself(target.shape, target.strides, dtype.itemsize):
            raise ArgumentError(
                None,
                f"`out` for `{name}` has elements in one place: its strides are {target.strides}",
                fix="pass an array with memory for each element, such as a copy",
            )
    pairs = list(given.items())
    for k, (name, target) in enumerate(pairs):
        for other, array in pairs[:k]:
            if overlap(target, array):
                raise ArgumentError(
                    None, f"`out` for `{name}` and `{other}` overlap", fix="pass separate arrays"
                )


def add_to(results: Sequence[Any], out: Sequence[Any]) -> list[Any]:
    """The results, added to the elements of the arrays of `out`, if given."""
    for value, target in zip(results, out, strict=True):
        if target is not None:
            target += value
    return _replaced(results, out)


def copy_to(results: Sequence[Any], out: Sequence[Any]) -> list[Any]:
    """The results, in the arrays of `out` where there is one."""
    for value, target in zip(results, out, strict=True):
        if target is not None and target is not value:
            target[...] = value
    return _replaced(results, out)


def _replaced(results: Sequence[Any], out: Sequence[Any]) -> list[Any]:
    return [v if t is None else t for v, t in zip(results, out, strict=True)]


def _size(name: str, value: Any) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and 0 <= value < 2**63:
        return int(value)
    raise ArgumentError(
        None, f"the size `{name}` is {value!r:.40}", fix="give an integer from 0 to 2**63 - 1"
    )


def _list(names: Sequence[str]) -> str:
    return ", ".join(f"`{n}`" for n in names) or "none"
