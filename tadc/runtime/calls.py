"""Calls of a program: arguments bound and checked, sizes found, results written where they are wanted.

A program is made for sizes and extents of at least 1, and simplified by that. A call in which one is 0 is made for its
numbers from the beginning, since what was simplified away may hold there (`if N < 1 then ..`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from math import prod
from threading import Thread
from typing import Any

from numpy import ndarray
from numpy.typing import NDArray

from tadc.errors import BackendError, Error
from tadc.ir.element_types import HALF_TYPES, arithmetic
from tadc.ir.program import Program
from tadc.kept import Kept
from tadc.options import Options
from tadc.resolve.resolve import Resolved
from tadc.runtime.arguments import bound_arguments, element_type, prepared
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cuda import CudaLaunch
from tadc.runtime.gpu import is_gpu_array
from tadc.runtime.native import Launch
from tadc.runtime.run import Runners, resolved_backend

__all__ = ["Call", "Calls"]

MOST_SIGNATURES = 256  # sets of shapes whose sizes are kept
MOST_ELEMENTS = 2**59  # of a tensor: numpy counts bytes in 64 bits
MOST_STATIC = 64  # programs kept for calls in which a size or an extent is 0


@dataclass(frozen=True, slots=True)
class Call:
    """Arrays by input, which of them are Python's numbers, the sizes that the caller gave, and all sizes."""

    arrays: Mapping[str, NDArray[Any]]
    scalars: Set[str]
    given: Mapping[str, int]
    sizes: Mapping[str, int]


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
        self._options = options
        self._for_numbers = for_numbers
        self._runners = Runners(program, options)
        self._sizes: Kept[dict[str, int]] = Kept(MOST_SIGNATURES)
        self._static: Kept[Calls] = Kept(MOST_STATIC)
        self._launches: Kept[Launch | CudaLaunch] = Kept(MOST_SIGNATURES)
        self._prepared: Kept[Thread] = Kept(MOST_SIGNATURES)

    def again(self, arrays: Sequence[Any]) -> list[NDArray[Any]] | None:
        """The outputs, if arrays of these shapes and types were seen before and nothing is left to check or convert."""
        key = _signature(arrays)
        launch = self._launches.get(key) if key else None
        return launch(arrays) if launch else None

    def bound(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> Call:
        """The call with these arguments. Raises ArgumentError, ShapeError and RangeError for those that do not fit."""
        bound = bound_arguments(self._program, arrays, named)
        shapes = {n: a.shape for n, a in bound.arrays.items()}
        return Call(bound.arrays, bound.scalars, bound.sizes, self.sizes(shapes, bound.sizes))

    def sizes(
        self, shapes: Mapping[str, tuple[int, ...]], given: Mapping[str, int]
    ) -> dict[str, int]:
        """The sizes of a call, after all that depends on them has been checked; remembered by signature."""
        key = (tuple(shapes.items()), tuple(sorted(given.items())))

        def bound() -> dict[str, int]:
            sizes = bind_sizes(self._program, shapes, given)
            for fact in self._resolved.facts:
                fact.verify(sizes)
            for unproved in self._resolved.checks:
                unproved.verify(sizes)
            return sizes

        return self._sizes.of(key, bound)

    def run(self, call: Call, out: Mapping[str, Any] | None = None) -> dict[str, NDArray[Any]]:
        """The outputs by name, where it can be in the arrays of `out`; anywhere else `written` has to put them there."""
        if self._program.sizes and self._program.is_empty(call.sizes):
            static = self._of_numbers(call.sizes)
            return static.run(replace(call, sizes=static._program.size_values({})), out)
        backend = self.backend(call)
        dtype = self.element_type(call)
        arrays = prepared(self._program, call.arrays, dtype)
        try:
            if any(n > MOST_ELEMENTS for n in self._elements(call.sizes)):
                raise MemoryError
            results = self._runners.run(backend, dtype, arrays, call.sizes, out)
            self._remember(call, arrays, dtype, backend)
            return results
        except MemoryError:
            kind = BackendError if backend == "cuda" else Error
            where = " on the GPU" if backend == "cuda" else ""
            raise kind(
                None, f"there is not enough memory{where} for this call", fix="use smaller arrays"
            ) from None

    def backend(self, call: Call) -> str:
        """The chosen one, and CUDA for arrays on a GPU. Raises BackendError where these do not agree."""
        chosen = self._options.backend
        name = next((n for n, a in call.arrays.items() if is_gpu_array(a)), None)
        if name is None:
            return chosen
        if chosen not in ("auto", "cuda"):
            raise BackendError(
                None,
                f"`{name}` is on a GPU, and `backend='{chosen}'` computes on the CPU",
                fix=f"leave `backend` out, or pass `{name}.get()`",
            )
        return "cuda"

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

    def prepare(self, sizes: Mapping[str, int], dtype: str, backend: str) -> Thread:
        """Compile what a later call needs in a thread, which has to be joined before the call."""
        key = (backend, dtype, *(sizes[s] for s in self._program.sizes))

        def started() -> Thread:
            thread = Thread(target=self._prepare, args=(sizes, dtype, backend))
            thread.start()
            return thread

        return self._prepared.of(key, started)

    def _prepare(self, sizes: Mapping[str, int], dtype: str, backend: str) -> None:
        with suppress(Exception):  # the call meets it again
            self._runners.prepare(backend, dtype, sizes)

    def _remember(
        self, call: Call, prepared: Mapping[str, NDArray[Any]], dtype: str, backend: str
    ) -> None:
        """That the next call with such arrays can go straight to the launcher."""
        if call.given or any(prepared[n] is not a for n, a in call.arrays.items()):
            return
        key = _signature([call.arrays[t.name] for t in self._program.inputs])
        on_gpu = next((a for a in call.arrays.values() if is_gpu_array(a)), None)
        device = None if on_gpu is None else on_gpu.device.id  # type: ignore[attr-defined]
        launch = self._runners.launch(backend, dtype, call.sizes, device) if key else None
        if launch is not None:
            self._launches.keep(key, launch)

    def _elements(self, sizes: Mapping[str, int]) -> Iterator[int]:
        """How many elements each tensor would have if no extent were 0."""
        for tensor in self._program.tensors.values():
            yield prod(max(1, n.at(sizes)) for n in tensor.shape)

    def _of_numbers(self, sizes: Mapping[str, int]) -> Calls:
        numbers = {s: sizes[s] for s in self._program.sizes}
        static = self._static.of(tuple(numbers.items()), lambda: self._for_numbers(numbers))
        assert not static._program.sizes, "a size without a number"
        return static


def _signature(arrays: Sequence[Any]) -> tuple[object, ...] | None:
    """Shapes, types and devices of arrays that are in C order and aligned; None if one is anything else."""
    key: list[object] = []
    for a in arrays:
        if type(a) is ndarray and a.flags.carray:
            key += (a.shape, a.dtype)
        elif is_gpu_array(a) and a.flags.c_contiguous:
            key += (a.shape, a.dtype, a.device.id)
        else:
            return None
    return tuple(key)
