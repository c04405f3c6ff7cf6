"""Runs a program on arrays: chooses the backend, and compiles for numbers where a size is 0."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol
from warnings import warn

import numpy as np
from numpy.typing import NDArray

from tadc.bounded_cache import BoundedCache
from tadc.compiler import for_numpy
from tadc.errors import BackendError
from tadc.ir.element_types import arithmetic
from tadc.ir.program import Program
from tadc.options import BACKENDS, ON_DEVICES, Options
from tadc.runtime.cpu.c_compiler import CannotCompile, compiler
from tadc.runtime.cpu.native import Launch, NativeRunner, available_threads
from tadc.runtime.cuda import arrays as cuda
from tadc.runtime.cuda.launch import CudaLaunch, CudaRunner
from tadc.runtime.element_types import in_type, numpy_type
from tadc.runtime.interpreter import interpret
from tadc.runtime.numpy.backend import NumpyRunner
from tadc.runtime.opencl import arrays as opencl
from tadc.runtime.opencl.launch import OpenClRunner

__all__ = ["Runners", "default_backend", "native_threads", "resolved_backend"]

MOST_SPECIALISED = 64  # programs kept for calls with an extent of 0


class Runner(Protocol):
    """A program made callable."""

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
    ) -> dict[str, NDArray[Any]]: ...


@dataclass(frozen=True, slots=True)
class _Interpreter:
    program: Program
    dtype: str

    def run(
        self, arrays: Mapping[str, NDArray[Any]], sizes: Mapping[str, int]
    ) -> dict[str, NDArray[Any]]:
        tensors = self.program.tensors
        results = interpret(self.program, arrays, sizes)
        return {
            name: np.asarray(value, dtype=tensors[name].dtype or self.dtype)
            for name, value in results.items()
        }


@dataclass(slots=True)
class Runners:
    """The compiled forms of one program, made when they are needed."""

    program: Program
    options: Options = field(default_factory=Options)
    _made: BoundedCache[Runner] = field(default_factory=lambda: BoundedCache(MOST_SPECIALISED))
    _automatic: str = (
        ""  # the backend of `auto`, where it is not the default: its C did not compile
    )

    def run(
        self,
        backend: str,
        dtype: str,
        arrays: Mapping[str, NDArray[Any]],
        sizes: Mapping[str, int],
        out: Mapping[str, Any] | None = None,
    ) -> dict[str, NDArray[Any]]:
        """The outputs by name. Raises BackendError for a backend that is not there.

        Where the backend can, they are those of `out`. A program whose C does not compile is left to numpy if the
        backend was not chosen, and a warning says so.
        """
        try:
            return self._run(self._resolved(backend), dtype, arrays, sizes, out)
        except CannotCompile as error:
            self._leave_to_numpy(backend, error)
            return self._run("numpy", dtype, arrays, sizes, out)

    def _leave_to_numpy(self, backend: str, error: CannotCompile) -> None:
        """Make `auto` numpy for this program from now on. Raises the error if the backend was chosen explicitly."""
        if backend != "auto" or os.environ.get("TADC_BACKEND"):
            raise error
        self._automatic = "numpy"
        _warn_once(f"tadc computes with numpy, which is slower: {error.fact}")

    def _run(
        self,
        backend: str,
        dtype: str,
        arrays: Mapping[str, NDArray[Any]],
        sizes: Mapping[str, int],
        out: Mapping[str, Any] | None,
    ) -> dict[str, NDArray[Any]]:
        if self.program.is_empty(sizes):
            numbers = tuple(sorted(sizes.items()))
            if backend in ON_DEVICES:  # hardly anything to compute: that is done on the CPU
                static = self._runner("numpy", arithmetic(dtype), numbers)
                types = {n: t.dtype or dtype for n, t in self.program.tensors.items()}
                by_host = cuda.by_host if backend == "cuda" else opencl.by_host
                results = by_host(static.run, arrays)
                return {n: in_type(a, numpy_type(types[n])) for n, a in results.items()}
            static = self._runner(backend, dtype, numbers)
            return static.run(arrays, {})
        runner = self._runner(backend, dtype, ())
        if out and isinstance(runner, (NativeRunner, CudaRunner)):
            return runner.run(arrays, sizes, out)
        return runner.run(arrays, sizes)

    def prepare(self, backend: str, dtype: str, sizes: Mapping[str, int]) -> None:
        """Compile all that a call with these sizes needs."""
        runner = self._runner(self._resolved(backend), dtype, ())
        if isinstance(runner, NativeRunner):
            runner.launch(sizes)

    def launch(
        self, backend: str, dtype: str, sizes: Mapping[str, int], device: int | None
    ) -> Launch | CudaLaunch | None:
        """The launcher of the program on arrays as they are, for these sizes; None where a backend needs more than that.

        `device` is the number of the GPU that has the arrays.
        """
        match self._runner(self._resolved(backend), dtype, ()):
            case NativeRunner() as runner:
                try:
                    return runner.launch(sizes)
                except CannotCompile as error:
                    self._leave_to_numpy(backend, error)
                    return None
            case CudaRunner() as runner if device is not None:
                return runner.launch(sizes, device)
            case _:
                return None

    def _resolved(self, backend: str) -> str:
        return (backend == "auto" and self._automatic) or resolved_backend(backend)

    def _runner(self, backend: str, dtype: str, numbers: tuple[tuple[str, int], ...]) -> Runner:
        def made() -> Runner:
            program = self.program.specialised(dict(numbers)) if numbers else self.program
            return _made(backend, program, dtype, self.options)

        return self._made.of((backend, dtype, numbers), made)


def _made(backend: str, program: Program, dtype: str, options: Options) -> Runner:
    match backend:
        case "numpy":
            return NumpyRunner(for_numpy(program), dtype)
        case "native":
            return NativeRunner(program, dtype, options)  # type: ignore[arg-type]
        case "cuda":
            return CudaRunner(program, dtype, options)  # type: ignore[arg-type]
        case "opencl":
            return OpenClRunner(program, dtype, options)  # type: ignore[arg-type]
        case _:
            return _Interpreter(program, dtype)


def resolved_backend(backend: str) -> str:
    """The backend itself where the name is "auto"."""
    return default_backend() if backend == "auto" else backend


def native_threads(options: Options) -> int | None:
    """The threads of native code for these options, None where it is not used."""
    if resolved_backend(options.backend) != "native":
        return None
    return options.threads or available_threads()


@cache
def default_backend() -> str:
    """The backend that `auto` stands for: `TADC_BACKEND`, else native code where there is a compiler; says so once if not."""
    given = os.environ.get("TADC_BACKEND")
    if given:
        if given not in BACKENDS[1:]:
            raise BackendError(
                None,
                f"the environment says `TADC_BACKEND={given}`, and there is no such backend",
                fix=f"set it to one of {', '.join(BACKENDS[1:])}",
            )
        return given
    try:
        if compiler() is not None:
            return "native"
        _warn_once("tadc found no C compiler and computes with numpy, which is slower")
    except CannotCompile as error:
        _warn_once(f"tadc computes with numpy, which is slower: {error.fact}")
    return "numpy"


@cache
def _warn_once(text: str) -> None:
    warn(text, stacklevel=3)
