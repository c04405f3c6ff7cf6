"""Calls of a program: arguments bound and checked, sizes found, results written where they are wanted.

A program is made for sizes and extents of at least 1, and simplified by that. A call in which one is 0 is made for its
numbers from the beginning, since what was simplified away may hold there (`if N < 1 then ..`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from math import prod
from threading import Thread
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
from numpy import generic, ndarray
from numpy.typing import NDArray

from tadc.bounded_cache import BoundedCache
from tadc.errors import ArgumentError, BackendError, Error
from tadc.ir.element_types import HALF_TYPES, INDEX, arithmetic
from tadc.ir.program import Program
from tadc.options import ON_DEVICES, Options, one_of
from tadc.resolve.resolve import Resolved
from tadc.runtime.arguments import (
    NUMBERS,
    Order,
    add_to,
    argument_order,
    bound_arguments,
    check_targets,
    copy_to,
    element_type,
    in_order,
    prepared,
)
from tadc.runtime.binding import bind_sizes
from tadc.runtime.buffers import are_apart, are_separate
from tadc.runtime.cpu.native import Launch
from tadc.runtime.cuda.arrays import cupy, is_gpu_array, is_on_gpu
from tadc.runtime.cuda.launch import CudaLaunch
from tadc.runtime.data_run import DataRun, LaunchAgain
from tadc.runtime.element_types import numpy_type
from tadc.runtime.index import Index, as_index
from tadc.runtime.opencl.arrays import empty as cl_empty
from tadc.runtime.opencl.arrays import is_cl_array, on_one_context
from tadc.runtime.run import Runners, resolved_backend

__all__ = ["MOST_SIGNATURES", "Call", "Calls", "Place", "place_of", "signature"]

MOST_SIGNATURES = 256  # sets of shapes whose sizes are kept
MOST_ELEMENTS = 2**59  # of a tensor: numpy counts bytes in 64 bits
NO_SIZES: Mapping[str, int] = {}
MOST_STATIC = 64  # programs kept for calls in which a size or an extent is 0


# Where an array is: "host", "cuda", or the queue of OpenCL that has it.
Place: TypeAlias = Any
# Those of a call's results, or a function that finds them from its arrays and sizes.
Types: TypeAlias = tuple[Any, ...] | Callable[[Sequence[Any], Mapping[str, int]], tuple[Any, ...]]
# What runs a call that was checked: from the arrays of inputs, and of `out` or none, the outputs; None is for `_first`.
Repeated: TypeAlias = Callable[[Sequence[Any], Sequence[Any]], list[Any] | None]


@dataclass(frozen=True, slots=True)
class Call:
    """Arrays by input, which of them are Python's numbers, the sizes that the caller gave, and all sizes."""

    arrays: Mapping[str, NDArray[Any]]
    scalars: Set[str]
    given: Mapping[str, int]
    sizes: Mapping[str, int]
    indices: Mapping[str, Index] = field(default_factory=dict)  # the index tensors among the arrays


class Calls:
    """Runs one program. `resolved` has what a call must show before it runs; `for_numbers` compiles it for sizes."""

    def __init__(
        self,
        program: Program,
        resolved: Resolved,
        options: Options,
        for_numbers: Callable[[Mapping[str, int]], Calls],
    ) -> None:
        self._program = program
        self._resolved = resolved
        self._count = len(program.inputs)
        self._options = options
        self._for_numbers = for_numbers
        self._runners = Runners(program, options)
        self._sizes: BoundedCache[dict[str, int]] = BoundedCache(MOST_SIGNATURES)
        self._static: BoundedCache[Calls] = BoundedCache(MOST_STATIC)
        self._orders: BoundedCache[Order] = BoundedCache(MOST_SIGNATURES)
        self._repeated: BoundedCache[Repeated] = BoundedCache(MOST_SIGNATURES)
        self._prepared: BoundedCache[Thread] = BoundedCache(MOST_SIGNATURES)
        indexed = any(t.dtype == INDEX for t in program.tensors.values())
        self._data = DataRun(program, resolved, options) if indexed else None

    @property
    def program(self) -> Program:
        return self._program

    @property
    def outputs(self) -> tuple[str, ...]:
        return self._program.outputs

    def ordered(
        self, arrays: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, int]]:
        """The arguments in the order of the inputs, as they were given, and the sizes among them."""
        if not named and len(arrays) == self._count:
            return arrays, NO_SIZES
        program = self._program
        order = self._orders.of(
            (len(arrays), *named),
            lambda: argument_order(
                [t.name for t in program.inputs],
                program.sizes,
                len(arrays),
                (*named,),
                self._resolved.places,
            ),
        )
        return in_order(order, arrays, named)

    def __call__(
        self,
        arrays: Sequence[Any],
        named: Mapping[str, Any] = NO_SIZES,
        out: Sequence[Any] = (),
        accumulate: bool = False,
        types: Types = (),
    ) -> list[Any]:
        """The outputs in their order; in the arrays of `out` in that order (None is a new one), or added to them.

        `types` are those of the results, None for what they are computed in; or a function of the arrays and sizes.

        A call is checked in full unless one of the same signature was. Raises ArgumentError, ShapeError and RangeError
        for arguments that do not fit.
        """
        try:
            sizes = NO_SIZES
            if named or len(arrays) != self._count:
                arrays, sizes = self.ordered(arrays, named)
            if accumulate is not False:
                one_of(False, True)("`accumulate`", accumulate)
            key = signature(arrays, sizes, out, accumulate, types)
            repeated = self._repeated.get(key)
            if repeated is not None and (results := repeated(arrays, out)) is not None:
                return results
            return self._first(arrays, sizes, out, accumulate, types, key)
        except MemoryError:
            raise self._too_little_memory(any(map(is_on_gpu, arrays))) from None

    def _first(
        self,
        arrays: Sequence[Any],
        sizes: Mapping[str, int],
        out: Sequence[Any],
        accumulate: bool,
        types: Types,
        key: Hashable | None,
    ) -> list[Any]:
        """The outputs of a call of which nothing is known yet."""
        if callable(types):
            types = types(arrays, sizes)
        if accumulate and not out:
            raise ArgumentError(
                None, "`accumulate` needs `out`", fix="pass the arrays to add to: `out=..`"
            )
        call = self.bound(arrays, sizes)
        names = self._program.outputs
        types = types or (None,) * len(names)
        given = {n: a for n, a in zip(names, out, strict=False) if a is not None}
        if given:
            on_device = _of_device(call)
            kind = ndarray if on_device is None else type(on_device)
            forms = dict(zip(names, self._forms(call, types), strict=True))
            check_targets(given, forms, kind)
        found = self.run(call, {} if accumulate else given)
        results = [as_type(found[n], t) for n, t in zip(names, types, strict=True)]
        put = add_to if accumulate else copy_to
        if key is not None:
            self._remember(key, call, arrays, out, types, put)
        return put(results, out) if out else results

    def types(self, call: Call) -> tuple[np.dtype[Any], ...]:
        """Those of the outputs."""
        return tuple(own for _, own in self._forms(call, [None] * len(self.outputs)))

    def _forms(
        self, call: Call, types: Sequence[Any]
    ) -> list[tuple[tuple[int, ...], np.dtype[Any]]]:
        """The shape and type of each result; None is the type that it is computed in."""
        computed = self.element_type(call)
        tensors = [self._program.tensors[n] for n in self._program.outputs]
        shapes = [t.shape_at(call.sizes) for t in tensors]
        own = [numpy_type(t.dtype or computed) for t in tensors]
        return [(s, o if t is None else t) for s, o, t in zip(shapes, own, types, strict=True)]

    def zeros(self, shape: tuple[int, ...], dtype: np.dtype[Any], place: Place) -> Any:
        """A new array for an input of which nothing is given."""
        try:
            match place:
                case "host":
                    zeros = np.empty(shape, dtype)
                case "cuda":
                    zeros = cupy().empty(shape, dtype)
                case queue:
                    zeros = cl_empty(shape, dtype, queue)
        except MemoryError:
            raise self._too_little_memory(place != "host") from None
        zeros.fill(0)
        return zeros

    def unwritten(self, arrays: Sequence[Any], out: Sequence[Any]) -> tuple[Any, ...]:
        """The arrays, with copies of those that a call with this `out` would write to."""
        written = [a for a in out if _is_array(a)]
        try:
            return tuple(
                [a if not _is_array(a) or are_apart(written, [a]) else a.copy() for a in arrays]
            )
        except MemoryError:
            raise self._too_little_memory(any(map(is_on_gpu, arrays))) from None

    def _too_little_memory(self, on_gpu: bool) -> Error:
        on_gpu = on_gpu or self._options.backend in ON_DEVICES
        return (BackendError if on_gpu else Error)(
            None,
            f"there is not enough memory{' on the GPU' if on_gpu else ''} for this call",
            fix="use smaller arrays",
        )

    def bound(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> Call:
        """The call with these arguments. Raises ArgumentError, ShapeError and RangeError for those that do not fit."""
        indices: Mapping[str, Index] = {}
        if self._data is not None:
            arrays, named = self.ordered(arrays, named)
            arrays = self.held(arrays)
            tensors = zip(self._program.inputs, arrays, strict=True)
            indices = {t.name: a for t, a in tensors if isinstance(a, Index)}
        bound = bound_arguments(self._program, arrays, named)
        shapes = {n: a.shape for n, a in bound.arrays.items()}
        sizes = self.sizes(shapes, bound.sizes)
        return Call(bound.arrays, bound.scalars, bound.sizes, sizes, indices)

    def held(self, arrays: Sequence[Any]) -> Sequence[Any]:
        """The arguments in the order of the inputs, with private copies of index tensors, which no one changes."""
        if self._data is None:
            return arrays
        pairs = zip(self._program.inputs, arrays, strict=True)
        return [as_index(t.name, a) if t.dtype == INDEX else a for t, a in pairs]

    def sizes(
        self, shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, int]
    ) -> dict[str, int]:
        """The sizes of a call, after all that depends on them has been checked; remembered by signature."""
        key = (tuple(shapes.items()), tuple(sorted(given.items())))

        def bound() -> dict[str, int]:
            sizes = bind_sizes(self._program, shapes, given, self._resolved.places)
            for fact in self._resolved.facts:
                fact.verify(sizes)
            for unproved in self._resolved.checks:
                unproved.verify(sizes)
            return sizes

        return self._sizes.of(key, bound)

    def run(self, call: Call, out: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """The outputs by name, where it can be in the arrays of `out`."""
        if self._program.sizes and self._program.is_empty(call.sizes):
            return self._run_for_numbers(call, out)
        if any(n > MOST_ELEMENTS for n in self._elements(call.sizes)):
            raise MemoryError
        backend, dtype = self.backend(call), self.element_type(call)
        if self._data is not None:
            arrays = prepared(self._program, call.arrays, dtype)
            return self._data.run(backend, dtype, arrays, call.indices, call.sizes, out)
        preparing = self._prepared.get(self._key(call.sizes, dtype, backend))
        if preparing is not None:
            preparing.join()
        arrays = prepared(self._program, call.arrays, dtype)
        return self._runners.run(backend, dtype, arrays, call.sizes, out)

    def computed(
        self, backend: str, dtype: str, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name as this backend computes them in this type, of arrays of the types that the program reads."""
        if self._data is None:
            return self._runners.run(backend, dtype, arrays, sizes)
        return self._data.run(backend, dtype, arrays, self._indices(arrays), sizes, {})

    def native_program(
        self, arrays: Mapping[str, Index | NDArray[Any]], sizes: Mapping[str, int]
    ) -> tuple[Program, Mapping[str, Any], Mapping[str, int]]:
        """The program that native code is made of, its inputs and its sizes: of one that reads through data, with lists."""
        if self._data is None:
            return self._program, arrays, sizes
        indices = self._indices(arrays)
        others = {n: a for n, a in arrays.items() if not isinstance(a, Index)}
        given = {**others, **{n: k.array for n, k in indices.items()}}
        runners, inputs, numbers = self._data.with_lists("native", given, indices, sizes)
        return runners.program, inputs, numbers

    def check_indices(
        self, arrays: Mapping[str, Index | NDArray[Any]], sizes: Mapping[str, int]
    ) -> None:
        """Raises DataError for an element of these index tensors that leads out of a tensor, as a call does."""
        if self._data is not None:
            self._data.check_all(self._indices(arrays), self._program.size_values(sizes))

    def _indices(self, arrays: Mapping[str, Index | NDArray[Any]]) -> dict[str, Index]:
        tensors = (t for t in self._program.inputs if t.dtype == INDEX)
        return {t.name: as_index(t.name, arrays[t.name]) for t in tensors}

    def _run_for_numbers(self, call: Call, out: Mapping[str, Any]) -> dict[str, NDArray[Any]]:
        """The outputs of a call with an extent of 0, by the program for its numbers, in which names may differ."""
        static = self._of_numbers(call.sizes)
        program = static._program
        inputs = dict(zip((t.name for t in self._program.inputs), program.inputs, strict=True))
        outputs = dict(zip(self._program.outputs, program.outputs, strict=True))
        renamed = Call(
            {inputs[n].name: a for n, a in call.arrays.items()},
            {inputs[n].name for n in call.scalars},
            call.given,
            program.size_values({}),
            {inputs[n].name: k for n, k in call.indices.items()},
        )
        found = static.run(renamed, {outputs[n]: a for n, a in out.items()})
        return {n: found[outputs[n]] for n in self._program.outputs}

    def backend(self, call: Call) -> str:
        """The chosen one, and that of their device for arrays on one. Raises BackendError where these do not agree."""
        chosen = self._options.backend
        device = _of_device(call)
        if device is None:
            return chosen
        own, where = (
            ("opencl", "in the memory of OpenCL") if is_cl_array(device) else ("cuda", "on a GPU")
        )
        if chosen not in ("auto", own):
            name = next(n for n, a in call.arrays.items() if a is device)
            elsewhere = "elsewhere" if chosen in ON_DEVICES else "on the CPU"
            raise BackendError(
                None,
                f"`{name}` is {where}, and `backend='{chosen}'` computes {elsewhere}",
                fix=f"leave `backend` out, or pass `{name}.get()`",
            )
        return own

    def element_type(self, call: Call) -> str:
        """The type of tensors that declare none. Raises BackendError for 16 bits chosen on the CPU.

        There arrays of 16 bits are computed in float32, and so are the results.
        """
        chosen = self._options.dtype
        found = element_type(self._program, call.arrays, chosen, call.scalars)
        if found not in HALF_TYPES or resolved_backend(self.backend(call)) == "cuda":
            return found
        if chosen is None:
            return arithmetic(found)
        raise BackendError(
            None,
            f"`dtype='{chosen}'` is for arrays on a GPU, and this call computes on the CPU",
            fix=f"leave `dtype` out: then arrays of {chosen} are computed in float32",
        )

    def launch(
        self, sizes: Mapping[str, int], dtype: str, device: int | None = None
    ) -> Launch | CudaLaunch | None:
        """The launcher of a call of these sizes on dense arrays of the types that it reads, on a GPU or else the CPU.

        None where more than that is needed: by numpy, and where an extent is 0. Raises BackendError where the chosen
        backend computes elsewhere.
        """
        backend = self._options.backend
        if device is not None:
            if backend not in ("auto", "cuda"):
                raise BackendError(
                    None,
                    f"the arrays are on a GPU, and `backend='{backend}'` computes elsewhere",
                    fix="leave `backend` out",
                )
            backend = "cuda"
        if self._data is not None or self._program.is_empty(sizes):
            return None
        return self._runners.launch(backend, dtype, sizes, device)

    def prepare(self, sizes: Mapping[str, int], dtype: str, backend: str) -> None:
        """Compile what a later call needs in a thread, for which that call waits."""

        def started() -> Thread:
            thread = Thread(target=self._prepare, args=(sizes, dtype, backend))
            thread.start()
            return thread

        self._prepared.of(self._key(sizes, dtype, backend), started)

    def _key(self, sizes: Mapping[str, int], dtype: str, backend: str) -> Hashable:
        return (backend, dtype, *(sizes[s] for s in self._program.sizes))

    def _prepare(self, sizes: Mapping[str, int], dtype: str, backend: str) -> None:
        if self._data is not None:
            return  # its lists are not known yet
        with suppress(Exception):  # the call meets it again
            self._runners.prepare(backend, dtype, sizes)

    def _remember(
        self,
        key: Hashable,
        call: Call,
        arrays: Sequence[Any],
        out: Sequence[Any],
        types: Sequence[Any],
        put: Callable[[Sequence[Any], Sequence[Any]], list[Any]],
    ) -> None:
        """That calls of this signature go straight to the launcher."""
        if self._program.is_empty(call.sizes):
            return
        pairs = zip(self._program.inputs, arrays, strict=True)
        if any(call.indices.get(t.name, a) is not a for t, a in pairs):
            return  # an array of indices, which may hold others next time
        backend, computed = self.backend(call), self.element_type(call)
        on_gpu = _of_device(call)
        device = None if on_gpu is None else on_gpu.device.id
        launch: Launch | CudaLaunch | LaunchAgain | None
        if self._data is None:
            launch = self._runners.launch(backend, computed, call.sizes, device)
        elif resolved_backend(backend) == "native":
            launch = self._data.again(computed, call.indices, call.sizes)
        else:
            return
        if launch is None:
            return
        wanted = [numpy_type(t.dtype or computed) for t in self._program.inputs]
        as_they_must_be = _on_host if device is None else _on_gpu
        conversions = tuple(
            (k, partial(as_they_must_be, own))
            for k, (a, own) in enumerate(zip(arrays, wanted, strict=True))
            if type(a) is not Index and not (_is_ready(a) and a.dtype == own)
        )
        computes = [own for _, own in self._forms(call, [None] * len(types))]
        casts = any(t is not None and t != o for t, o in zip(types, computes, strict=True))
        direct = put is copy_to and not casts and all(map(_is_direct, out))
        if out or conversions or casts:
            own_types = tuple(types) if casts else ()
            self._repeated.keep(key, _Repeated(launch, conversions, own_types, put, direct))
        else:
            self._repeated.keep(key, launch)

    def _elements(self, sizes: Mapping[str, int]) -> Iterator[int]:
        """The number of elements that each tensor would have if no extent were 0."""
        for tensor in self._program.tensors.values():
            yield prod(max(1, n.at(sizes)) for n in tensor.shape)

    def _of_numbers(self, sizes: Mapping[str, int]) -> Calls:
        numbers = {s: sizes[s] for s in self._program.sizes}
        static = self._static.of(tuple(numbers.items()), lambda: self._for_numbers(numbers))
        assert not static._program.sizes, "a size without a number"
        return static


@dataclass(frozen=True, slots=True)
class _Repeated:
    """The fast path for calls of one signature, once one of them has been checked.

    `conversions` are of the inputs that are not what the launcher reads; `put` says what becomes of results where there
    is an `out`, and `direct` whether the launcher may write there itself.
    """

    launch: Launch | CudaLaunch | LaunchAgain
    conversions: tuple[tuple[int, Callable[[Any], Any]], ...]
    types: tuple[Any, ...]
    put: Callable[[Sequence[Any], Sequence[Any]], list[Any]]
    direct: bool

    def __call__(self, arrays: Sequence[Any], out: Sequence[Any]) -> list[Any] | None:
        """The outputs; None where arrays of `out` may overlap, which is for the whole check to say."""
        if self.conversions:
            arrays = list(arrays)
            for k, converted in self.conversions:
                arrays[k] = converted(arrays[k])
        if not out:
            results = self.launch(arrays)
        elif not are_separate(out):
            return None
        else:
            others = [a for a in arrays if type(a) is not Index]
            results = self.launch(arrays, out if self.direct and are_apart(out, others) else ())
        if self.types:
            results = [as_type(a, t) for a, t in zip(results, self.types, strict=True)]
        return self.put(results, out) if out else results


def signature(
    arrays: Sequence[Any],
    sizes: Mapping[str, int] = NO_SIZES,
    out: Sequence[Any] = (),
    accumulate: bool = False,
    types: Types = (),
) -> Hashable | None:
    """All of a call that its checks depend on, overlaps aside; None for other arguments.

    Of an array: its shape, type and place, and whether it is dense; of an `Index`: which one; of one in `out` its strides and whether it may be
    written too; of a Python integer whether it has 64 bits.
    """
    key: list[Any] = []
    for a in arrays:
        kind = type(a)
        if kind is ndarray:
            key += (a.shape, a.dtype, a.flags.carray or _is_ready(a))
        elif kind in NUMBERS:
            if kind is int and not -(2**63) <= a < 2**63:
                return None
            key.append(kind)
        elif is_gpu_array(a):
            key += (a.shape, a.dtype, (a.device.id, a.flags.c_contiguous))
        elif issubclass(kind, generic):
            key += (generic, a.dtype)
        elif kind is Index and a.is_given_again:
            key.append(ref(a))  # its elements never change
        else:
            return None
    if sizes:
        key.append(tuple(sizes.items()))
    if out or accumulate or types:
        key += (accumulate, types)
        for a in out:
            if a is None:
                key.append(None)
            elif type(a) is ndarray:
                key += (a.shape, a.dtype, a.strides, a.flags.writeable, a.flags.aligned)
            elif is_gpu_array(a):
                key += (a.shape, a.dtype, a.strides, a.device.id)
            else:
                return None
    return tuple(key)


def as_type(array: Any, dtype: Any) -> Any:
    """The array in another type, or as it is where that is None."""
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _is_ready(a: Any) -> bool:
    """Whether a launcher reads the array as it is, but for its type."""
    if type(a) is ndarray:
        return a.flags.c_contiguous and a.flags.aligned
    return is_gpu_array(a) and a.flags.c_contiguous


def _is_array(a: Any) -> bool:
    return isinstance(a, ndarray) or is_gpu_array(a) or is_cl_array(a)


def _is_direct(a: Any) -> bool:
    """Whether a launcher can write to the array, which has the form of the result; None is a new one."""
    return a is None or (a.flags.carray if type(a) is ndarray else _is_ready(a))


def place_of(a: Any) -> Place:
    """Where the array is."""
    if is_cl_array(a):
        return on_one_context({"": a})
    return "cuda" if is_gpu_array(a) else "host"


def _of_device(call: Call) -> Any:
    """One of the arrays, if they are on a device."""
    return next((a for a in call.arrays.values() if is_gpu_array(a) or is_cl_array(a)), None)


def _on_host(dtype: np.dtype[Any], value: Any) -> NDArray[Any]:
    """The value as an array that a launcher reads."""
    if type(value) is float:
        return np.array(value, dtype)
    return np.require(np.asarray(value).astype(dtype, copy=False), requirements=["C", "A"])


def _on_gpu(dtype: np.dtype[Any], value: Any) -> Any:
    xp = cupy()
    return xp.ascontiguousarray(xp.asarray(value).astype(dtype, copy=False))
