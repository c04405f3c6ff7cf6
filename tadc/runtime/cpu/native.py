"""Programs as native code on the CPU: emitted C, compiled, called once a call."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from ctypes import addressof, c_char
from dataclasses import dataclass, field
from functools import cache, cached_property
from math import inf, prod
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc import compiler
from tadc.bounded_cache import BoundedCache
from tadc.cache import disk_cached
from tadc.emit.c.file import emit_c
from tadc.emit.clike.index_width import numbers
from tadc.emit.clike.launcher import workspace_places
from tadc.emit.clike.spelling import DType
from tadc.ir.affine import Symbol
from tadc.ir.fingerprint import fingerprint
from tadc.ir.program import DerivedSize, Program, Tensor, values_of_sizes
from tadc.options import Options
from tadc.runtime.buffers import are_fit, empty
from tadc.runtime.cpu.blas import blas
from tadc.runtime.cpu.c_compiler import loaded, processor
from tadc.runtime.cpu.interrupts import NEVER, interruptible
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.lowered import CpuModule, Decisions

__all__ = ["Launch", "NativeRunner", "TimedLaunch", "available_threads"]

MODE = "run"  # only part of the functions' names
_BYTE = np.dtype(np.uint8)
_NO_ARRAYS: Mapping[str, Any] = {}
INDEX_TYPE: DType = "int64"  # of the sizes that launchers take, a `long long`
MOST_LAUNCHES = 256  # sets of sizes
LONG = 0.1  # seconds: calls that take less are not worth being watched
LITTLE = 20_000  # operations: less is not worth a second thread


_forked = False  # a process that was forked has no threads of OpenMP's pool, which waits for them for ever


def _note_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


@dataclass(slots=True)
class _Pace:
    """The time of the last watched call; infinite before the first, which is watched therefore."""

    seconds: float = inf


@dataclass(frozen=True, slots=True)
class Launch:
    """One program for one set of sizes: the launcher, its outputs, and its arguments besides tensors."""

    launcher: Any
    packed: Any  # the same launcher, of arrays of arguments
    outputs: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    workspace_bytes: int
    sizes: tuple[int, ...]
    threads: int
    last: tuple[int | None, ...]
    pace: _Pace = field(default_factory=_Pace)

    def __call__(
        self, inputs: Sequence[NDArray[Any]], into: Sequence[NDArray[Any] | None] = ()
    ) -> list[NDArray[Any]]:
        """The outputs. The inputs are in C order, aligned, and of the types and shapes that the sizes stand for.

        So is `into`: an array for each output, None for a new one; or nothing.
        """
        if into:
            pairs = zip(into, self.outputs, strict=True)
            outputs = [empty(*form) if a is None else a for a, form in pairs]
        else:
            outputs = [empty(shape, dtype) for shape, dtype in self.outputs]
        self.at([*map(_address, inputs), *map(_address, outputs)], self.threads, inputs, outputs)
        return outputs

    def at(self, tensors: Sequence[int], threads: int, *held: object) -> None:
        """Run on the inputs and outputs at these addresses, which those of `held` keep."""
        workspace = empty((self.workspace_bytes,), _BYTE) if self.workspace_bytes else None
        place = None if workspace is None else _address(workspace)
        threads = 1 if _forked else threads
        if self.pace.seconds < LONG:
            status = self.launcher(*tensors, place, *self.sizes, threads, NEVER, *self.last)
        else:
            status = self._watched((*tensors, place, *self.sizes, threads), held, workspace)
        assert status == 0, "sizes were checked before"

    def _watched(self, arguments: Sequence[int | None], *held: object) -> int:
        """The status of a call that Ctrl-C ends. Its time decides how the next one runs."""
        start = perf_counter()
        status = interruptible(lambda flag: self.launcher(*arguments, flag, *self.last), *held)
        self.pace.seconds = perf_counter() - start
        return status


@dataclass(frozen=True, slots=True)
class TimedLaunch:
    """One program for one set of sizes, whose launcher tells how long each kernel takes. `last` are its other arguments."""

    lowered: CpuModule
    launcher: Any
    types: tuple[np.dtype[Any], ...]  # of the inputs
    outputs: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]
    workspace_bytes: int
    last: tuple[int | None, ...]

    def __call__(self, inputs: Sequence[Any]) -> tuple[list[NDArray[Any]], list[float]]:
        """The outputs, and the seconds of each kernel in the order in which they run."""
        pairs = zip(inputs, self.types, strict=True)
        arrays = [np.require(a, t, ["C", "A"]) for a, t in pairs]
        outputs = [empty(*form) for form in self.outputs]
        workspace = empty((max(1, self.workspace_bytes),), _BYTE)
        seconds = np.zeros(len(self.lowered.kernels))
        tensors = map(_address, (*arrays, *outputs, workspace))
        status = self.launcher(*tensors, *self.last, _address(seconds))
        assert status == 0, "sizes were checked before"
        return outputs, seconds.tolist()


class NativeRunner:
    """A program made callable; compiled at the first call. No size may be 0.

    `dtype` is the element type of tensors without a declared one. Outputs are new arrays in C order; their bits are
    the same for any number of threads, where BLAS computes no part of them. `choices` are those of schedules.
    """

    def __init__(
        self, program: Program, dtype: DType, options: Options, choices: Choices = BY_MODEL
    ) -> None:
        self._program = program
        self._dtype = dtype
        self._options = options
        self._choices = choices
        self._launchers: dict[Decisions, tuple[_Built, Any, Any, tuple[int | None, ...]]] = {}
        self._launches: BoundedCache[Launch] = BoundedCache(MOST_LAUNCHES)

    def run(
        self,
        arrays: Mapping[str, NDArray[Any]],
        sizes: Mapping[Symbol, int],
        out: Mapping[str, Any] = _NO_ARRAYS,
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name, from an array for each input and a number for each size; in those of `out`, where all
        of them are fit for it.
        """
        launch = self.launch(sizes)
        inputs = [np.require(arrays[t.name], requirements=["C", "A"]) for t in self._program.inputs]
        into = [out.get(name) for name in self._program.outputs] if out else []
        outputs = launch(inputs, into if are_fit(into, launch.outputs, inputs) else ())
        return dict(zip(self._program.outputs, outputs, strict=True))

    def launch(self, sizes: Mapping[Symbol, int]) -> Launch:
        """The launcher for these sizes, to be called repeatedly."""
        given = tuple(sizes[s] for s in self._program.sizes)
        return self._launches.of(given, lambda: self._made(sizes))

    def _made(self, sizes: Mapping[Symbol, int]) -> Launch:
        built, launcher, packed, last = self._launcher(self._decisions(sizes))
        outputs = self._forms(built.outputs, sizes)
        _, workspace = workspace_places(built.temporaries, built.size_values(sizes), self._dtype)
        given = tuple(sizes[s] for s in built.sizes)
        return Launch(launcher, packed, outputs, workspace, given, self._threads(sizes), last)

    def _forms(
        self, tensors: Sequence[Tensor], sizes: Mapping[Symbol, int]
    ) -> tuple[tuple[tuple[int, ...], np.dtype[Any]], ...]:
        """Shapes and types for these sizes."""
        return tuple(
            (tuple(n.at(sizes) for n in t.shape), np.dtype(t.dtype or self._dtype)) for t in tensors
        )

    def _threads(self, sizes: Mapping[Symbol, int]) -> int:
        if compiler.reads_data(self._program):  # the lengths of lists are not known
            done = sum(prod(n.at(sizes) for n in t.shape) for t in self._program.inputs)
            return 1 if done < LITTLE else self._options.threads or available_threads()
        done = compiler.operations_of(self._program, sizes, self._dtype, self._options)
        return 1 if done < LITTLE else self._options.threads or available_threads()

    def timed(self, sizes: Mapping[Symbol, int]) -> TimedLaunch:
        """The program for these sizes, which tells how long each of its kernels takes."""
        numbers(self._program)
        lowered = self.lowered(sizes)
        module = lowered.module
        launcher = loaded(emit_c([lowered], self._dtype, INDEX_TYPE, timed=True))[module.launcher]
        outputs = [module.program.tensors[n] for n in module.program.outputs]
        pointers = [ctypes.c_void_p] * (len(module.program.inputs) + len(outputs) + 1)
        sizes_left = module.program.sizes  # small ones are numbers in the text
        given = [ctypes.c_longlong] * len(sizes_left)
        library = (blas(),) if lowered.products else ()
        last = [ctypes.c_void_p] * (len(library) + 1)
        launcher.argtypes = [*pointers, *given, ctypes.c_int, *last]
        launcher.restype = ctypes.c_int
        return TimedLaunch(
            lowered,
            launcher,
            tuple(np.dtype(t.dtype or self._dtype) for t in module.program.inputs),
            self._forms(outputs, sizes),
            workspace_places(module.temporaries, module.program.size_values(sizes), self._dtype)[1],
            (*(sizes[s] for s in sizes_left), self._threads(sizes), *library),
        )

    @cached_property
    def _key(self) -> str:
        return fingerprint(self._program)

    def lowered(self, sizes: Mapping[Symbol, int] | None) -> CpuModule:
        """The module that is run for these sizes; without any, for sizes of which nothing is known."""
        decisions = Decisions() if sizes is None else self._decisions(sizes)
        module = self._lowered(decisions, blas=self._options.blas)
        if module.products and blas() is None:
            return self._lowered(decisions, blas=False)
        return module

    def _lowered(self, decisions: Decisions, *, blas: bool) -> CpuModule:
        return compiler.lowered_for_cpu(
            self._program,
            MODE,
            decisions,
            self._dtype,
            processor(),
            blas=blas,
            choices=self._choices,
        )

    def _decisions(self, sizes: Mapping[Symbol, int]) -> Decisions:
        return compiler.decisions(self._program, sizes, self._dtype, self._options)

    def _launcher(self, decisions: Decisions) -> tuple[_Built, Any, Any, tuple[int | None, ...]]:
        if decisions not in self._launchers:
            built = self._built(decisions, blas=self._options.blas)
            address = blas() if built.blas else None
            if built.blas and address is None:
                built = self._built(decisions, blas=False)
            library = loaded(built.text)
            launcher, packed = library[built.launcher], library[f"{built.launcher}_packed"]
            tensors = (*self._program.inputs, *built.outputs)
            pointers = [ctypes.c_void_p] * (len(tensors) + 1)
            sizes = [ctypes.c_longlong] * len(built.sizes)
            last = [ctypes.c_int, ctypes.c_void_p, *([ctypes.c_void_p] if built.blas else [])]
            launcher.argtypes = [*pointers, *sizes, *last]
            launcher.restype = ctypes.c_int
            self._launchers[decisions] = built, launcher, packed, (address,) if built.blas else ()
        return self._launchers[decisions]

    def _built(self, decisions: Decisions, *, blas: bool) -> _Built:
        def written() -> _Built:
            numbers(self._program)  # that they fit into 64 bits is checked
            return _written(self._lowered(decisions, blas=blas), self._dtype)

        key = ("native", self._key, decisions, self._dtype, processor(), blas, self._choices)
        return disk_cached(key, written)


@dataclass(frozen=True, slots=True)
class _Built:
    """The text of a program, and the manifest of its launcher, which is given the `sizes` that are no numbers in the text.

    `blas`: it is given BLAS's product too.
    """

    text: str
    launcher: str
    sizes: tuple[Symbol, ...]
    derived_sizes: tuple[DerivedSize, ...]
    outputs: tuple[Tensor, ...]
    temporaries: tuple[Tensor, ...]
    blas: bool

    def size_values(self, sizes: Mapping[Symbol, int]) -> dict[Symbol, int]:
        """With those that follow from them, of the schedules too."""
        return values_of_sizes(sizes, self.derived_sizes)


def _written(lowered: CpuModule, dtype: DType) -> _Built:
    module = lowered.module
    text = emit_c([lowered], dtype, INDEX_TYPE, interruptible=True)
    program = module.program
    outputs = tuple(program.tensors[n] for n in program.outputs)
    blas = bool(lowered.products)
    sizes = program.sizes, program.derived_sizes
    return _Built(text, module.launcher, *sizes, outputs, module.temporaries, blas)


@cache
def available_threads() -> int:
    """`OMP_NUM_THREADS`, else the processors that this process may use."""
    given = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if given.isdigit() and int(given) > 0:
        return int(given)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _address(array: NDArray[Any]) -> int:
    """The address of the elements. The buffer protocol is several times faster than `array.ctypes`."""
    try:
        return addressof(c_char.from_buffer(array))  # type: ignore[arg-type]
    except (TypeError, ValueError):  # a read-only array, or an empty one
        return array.ctypes.data
