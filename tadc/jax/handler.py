"""XLA's foreign function interface: handlers in C run the launchers of all programs, one on a CPU, one on a GPU of CUDA."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from hashlib import sha256
from json import dumps, loads
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import jax
import numpy as np

from tadc.emit.templates import template
from tadc.errors import BackendError
from tadc.function.operator import Operator
from tadc.jax.private import has_gpu
from tadc.progress import stage
from tadc.runtime.cpu.c_compiler import CannotCompile, loaded
from tadc.runtime.cpu.native import Launch
from tadc.runtime.cuda.launch import CudaLaunch
from tadc.version import __version__

__all__ = ["TARGET", "attributes", "gpu_attributes", "ready"]

TARGET = "tadc_call"
PROCESSOR = -1  # in place of a device of CUDA


class _Kernel(ctypes.Structure):
    """As `templates/c/xla.c` has it."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("blocks", ctypes.c_uint),
        ("threads", ctypes.c_uint),
        ("count", ctypes.c_int),
        ("arguments", ctypes.c_void_p),
    )


class _Program(ctypes.Structure):
    """As `templates/c/xla.c` has it."""

    _fields_ = (
        ("number", ctypes.c_int64),
        ("device", ctypes.c_int),
        ("inputs", ctypes.c_int),
        ("outputs", ctypes.c_int),
        ("workspace", ctypes.c_size_t),
        ("launcher", ctypes.c_void_p),
        ("blas", ctypes.c_void_p),
        ("threads", ctypes.c_int),
        ("sizes", ctypes.c_void_p),
        ("kernel_count", ctypes.c_int),
        ("temporary_count", ctypes.c_int),
        ("kernels", ctypes.c_void_p),
        ("temporaries", ctypes.c_void_p),
        ("numbers", ctypes.c_void_p),
        ("next", ctypes.c_void_p),
    )


class _Task(NamedTuple):
    """The task of a call: an operator's key, the values of its sizes, and the type of tensors without a declared one."""

    key: str
    sizes: tuple[int, ...]
    dtype: str

    @property
    def text(self) -> str:
        return dumps([__version__, *self])

    @property
    def number(self) -> int:
        """The same in every process: compiled programs of XLA are kept on disk."""
        return int.from_bytes(sha256(self.text.encode()).digest()[:8], "little", signed=True)

    @property
    def attributes(self) -> dict[str, Any]:
        return {"program": np.int64(self.number), "text": self.text}


_added: dict[tuple[int, int], Any] = {}  # what the handlers refer to, by number and device
_lock = Lock()


def attributes(operator: Operator, sizes: tuple[int, ...], dtype: str) -> dict[str, Any] | None:
    """The attributes of a call on a CPU, which can be run now; None where native code does not."""
    task = _Task(operator.key, sizes, dtype)
    try:
        return task.attributes if _add(task, PROCESSOR) else None
    except CannotCompile:
        if operator.function._options.backend == "native":
            raise
        return None


def gpu_attributes(operator: Operator, sizes: tuple[int, ...], dtype: str) -> dict[str, Any]:
    """The attributes of a call on a GPU: each device adds the program when it first runs it. Products are not cuBLAS's."""
    _library()
    return _Task(operator.reproducible.key, sizes, dtype).attributes


def _add(task: _Task, device: int) -> bool:
    """Add the program to those of the handlers, unless it is there. Whether it could be."""
    key = (task.number, device)
    with _lock:
        if key in _added:
            return True
    operator = Operator.of_key(task.key)
    sizes = operator.program.size_values(operator.named(task.sizes))
    launch = operator.function.calls.launch(
        sizes, task.dtype, None if device == PROCESSOR else device
    )
    if launch is None:
        return False
    program = _Program(
        number=task.number,
        device=device,
        inputs=len(operator.inputs),
        outputs=len(operator.outputs),
        workspace=launch.workspace_bytes,
    )
    describe = _on_processor if isinstance(launch, Launch) else _on_gpu
    held = describe(program, launch, task)  # type: ignore[arg-type]
    with _lock:
        if key not in _added:
            _library().tadc_add(ctypes.byref(program))
            _added[key] = program, launch, held
    return True


def _on_processor(program: _Program, launch: Launch, task: _Task) -> Any:
    """Say how it is run on a CPU. What is returned must stay."""
    sizes = (ctypes.c_longlong * max(1, len(launch.sizes)))(*launch.sizes)
    program.launcher = ctypes.cast(launch.packed, ctypes.c_void_p)
    program.blas = launch.last[0] if launch.last else None
    program.threads = launch.threads
    program.sizes = ctypes.addressof(sizes)
    return sizes


def _on_gpu(program: _Program, launch: CudaLaunch, task: _Task) -> Any:
    """Say how it is run on a GPU. What is returned must stay."""
    places = launch.temporaries
    outputs = Operator.of_key(task.key).function.outputs
    names = (*launch.inputs, *outputs, *places, *launch.numbers)
    arguments = [
        (ctypes.c_int * max(1, len(given)))(*map(names.index, given))
        for _, _, given in launch.kernels
    ]
    kernels = (_Kernel * max(1, len(launch.kernels)))(
        *(
            _Kernel(handle, blocks, launch.block, len(given), ctypes.addressof(a))
            for (handle, blocks, given), a in zip(launch.kernels, arguments, strict=True)
        )
    )
    temporaries = (ctypes.c_longlong * max(1, len(places)))(*places.values())
    addresses = map(ctypes.addressof, launch.numbers.values())
    numbers = (ctypes.c_void_p * max(1, len(launch.numbers)))(*addresses)
    program.kernel_count, program.temporary_count = len(launch.kernels), len(places)
    program.kernels = ctypes.addressof(kernels)
    program.temporaries = ctypes.addressof(temporaries)
    program.numbers = ctypes.addressof(numbers)
    return kernels, arguments, temporaries, numbers


def ready() -> None:
    """Tell XLA of the handlers, for a program that another process has exported. Raises BackendError without a compiler."""
    _library()


@cache
def _library() -> Any:
    """The handlers, compiled, and known to XLA. Raises BackendError where there is no compiler."""
    include = Path(jax.ffi.include_dir()) / "xla" / "ffi" / "api" / "c_api.h"
    text = template("c/xla.c").render(header=include.as_posix(), version=jax.lib.__version__)
    with stage("compiling the handlers for XLA"):
        library = loaded(text)
    library.tadc_when_missing(_missing)
    if has_gpu():
        library.tadc_use_driver(_driver().cuLaunchKernel)
        handler = jax.ffi.pycapsule(library.tadc_gpu_handler)
        jax.ffi.register_ffi_target(TARGET, handler, platform="CUDA")
    jax.ffi.register_ffi_target(TARGET, jax.ffi.pycapsule(library.tadc_handler), platform="cpu")
    return library


def _driver() -> Any:
    name = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise BackendError(
            None, f"the driver of CUDA is not found: {error}", fix="run `tadc doctor`"
        ) from None


@ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_int64, ctypes.c_int, ctypes.POINTER(ctypes.c_char), ctypes.c_size_t
)
def _missing(number: int, device: int, text: Any, length: int) -> int:
    """Adds a program: on a GPU that did not run it yet, or one that another process has compiled into what XLA runs here.

    0 where that could be done.
    """
    try:
        version, key, sizes, dtype = loads(ctypes.string_at(text, length))
        task = _Task(key, tuple(sizes), dtype)
        good = version == __version__ and task.number == number and _add(task, device)
        return 0 if good else 1
    except Exception:  # there is nobody to raise it to: XLA raises its own
        return 1
