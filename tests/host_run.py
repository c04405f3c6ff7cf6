"""Runs emitted CUDA text on the host: g++ compiles it against `cuda_host.h`, and its launcher is called with arrays.

    program = HostProgram(cu_text, manifest)        # `arch=800`: as text for sm_80, with its instructions
    outputs = program.run("adjoint", {"x": x, "w": w, "dy": dy}, {"N": 8})

Outputs and workspace are poisoned before a run. All arrays stand between canaries: a kernel that writes beside an array
fails the run, and one that reads there reads NaN. `sanitize=True` instead runs in a subprocess under the address and
undefined-behaviour sanitizers, whose report names the line of the text. Without a C++ compiler the calling test is
skipped.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import numpy as np

Order = Literal["forward", "backward"]
Arrays = dict[str, np.ndarray]

HEADER = Path(__file__).with_name("cuda_host.h")
FLAGS = (
    *("-std=c++17", "-O0", "-fPIC", "-ffp-contract=off", "-fno-gnu-unique"),
    *("-Wall", "-Wno-unknown-pragmas"),
)
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")
BARRIERS = re.compile(r"__sync|__shfl|__shared__")  # what needs fibers
PAGE = 256  # bytes: the alignment of CUDA's allocations, and the width of the canaries


class HostError(AssertionError):
    """The text does not compile on the host, or its launcher failed, or it wrote where it must not."""


@dataclass(frozen=True)
class Job:
    """One call of a launcher: everything that the process which makes it must know."""

    library: Path
    manifest: Mapping[str, Any]
    fibers: bool
    mode: str
    arrays: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    order: Order


class HostProgram:
    """A `.cu` text with its manifest, as `tadc compile` writes them, made callable. Compiled by the first run."""

    def __init__(
        self,
        cu_text: str,
        manifest: Mapping[str, Any],
        *,
        sanitize: bool = False,
        arch: int | None = None,
    ):
        text = cu_text if arch is None else for_architecture(cu_text, arch)
        self._batch = HostBatch([(text, manifest)], sanitize=sanitize)

    def run(
        self,
        mode: str,
        arrays: Mapping[str, Any],
        sizes: Mapping[str, int],
        order: Order = "forward",
    ) -> Arrays:
        """The outputs of `mode`, by name. `arrays` holds its inputs: what it does not need may be there too."""
        return self._batch.run(0, mode, arrays, sizes, order)


class HostBatch:
    """Many programs of distinct names, compiled as one: a call of the compiler costs as much as ten small programs."""

    def __init__(
        self, programs: Sequence[tuple[str, Mapping[str, Any]]], *, sanitize: bool = False
    ):
        names = [manifest["program"] for _, manifest in programs]
        assert len(set(names)) == len(names), f"programs of one name in a batch: {sorted(names)}"
        self._programs = tuple(programs)
        self._sanitize = sanitize

    def run(
        self,
        program: int,
        mode: str,
        arrays: Mapping[str, Any],
        sizes: Mapping[str, int],
        order: Order = "forward",
    ) -> Arrays:
        """As `HostProgram.run`, of the program of this number in the batch."""
        text, manifest = self._programs[program]
        library = self._library
        fibers = BARRIERS.search(text) is not None
        job = Job(library, manifest, fibers, mode, arrays, sizes, order)
        return run_apart(job) if self._sanitize else run_here(job)

    @cached_property
    def _library(self) -> Path:
        return compiled(self._unit, SANITIZERS if self._sanitize else ())

    @property
    def _unit(self) -> str:
        """All texts, each in its own namespace: their device functions have the same names."""
        return "\n".join(
            f'namespace program_{i} {{\n#line 1 "{manifest["program"]}.cu"\n{text}\n}}'
            for i, (text, manifest) in enumerate(self._programs)
        )


def for_architecture(text: str, arch: int) -> str:
    """The text as it is for an architecture, where the instructions of PTX in it are calls of functions of the header."""
    written = re.sub(r"asm volatile\((.*)\);", lambda m: _called(m[1]), text)
    return f"#define __CUDA_ARCH__ {arch}\n{written}\n#undef __CUDA_ARCH__\n"


def _called(asm: str) -> str:
    """Such as `"cp.async.wait_all;" ::: "memory"`, as a call."""
    quoted, _, given = asm.partition(';"')
    name, _, operands = quoted.strip('"').partition(" ")
    values = _operands(given)
    numbered = re.sub(r"%(\d+)", lambda m: values[int(m[1])], re.sub(r"[][{}]", "", operands))
    return f"::cuda_host::{name.replace('.', '_').replace('::', '_')}({numbered});"


def _operands(given: str) -> list[str]:
    """The expressions of `: "=f"(x) : "r"((unsigned)y) : "memory"`, in their order."""
    found: list[str] = []
    depth = start = 0
    for n, c in enumerate(given):
        if c == "(":
            depth += 1
            start = n if depth == 1 else start
        elif c == ")":
            depth -= 1
            if not depth:
                found.append(given[start : n + 1])
    return found


def compiled(unit: str, flags: Sequence[str] = ()) -> Path:
    """The shared object made of a translation unit; the same one for the same text, once in a run of the tests."""
    name = sha256("\0".join([unit, *flags]).encode()).hexdigest()[:20]
    library = _folder() / f"{name}.so"
    if not library.exists():
        own = _folder() / f"{name}-{os.getpid()}"  # other processes may compile it too
        source, built = own.with_suffix(".cc"), own.with_suffix(".so")
        source.write_text(unit, "utf-8")
        include = ["-include", str(_header()), "-Werror", "-shared"]
        command = [_compiler(), *FLAGS, *include, *flags, "-o", str(built), str(source)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode:
            raise HostError(f"g++ does not accept the text:\n{made.stderr}")
        os.replace(built, library)
    return library


def run_here(job: Job) -> Arrays:
    """Runs a job in this process, between canaries."""
    return _run(job, PAGE)


def run_apart(job: Job) -> Arrays:
    """Runs a job in a process where the sanitizers are loaded. They guard the arrays, so canaries do not."""
    sanitizer = subprocess.run(
        [_compiler(), "-print-file-name=libasan.so"], capture_output=True, text=True, check=True
    )
    environment = {
        **os.environ,
        "LD_PRELOAD": sanitizer.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }
    with tempfile.TemporaryDirectory() as folder:
        question, answer = Path(folder, "question"), Path(folder, "answer")
        question.write_bytes(pickle.dumps(job))
        command = [sys.executable, __file__, str(question), str(answer)]
        made = subprocess.run(command, env=environment, capture_output=True, text=True)
        if made.returncode:
            raise HostError(f"{job.manifest['program']}, {job.mode}:\n{made.stderr}")
        outputs: Arrays = pickle.loads(answer.read_bytes())
        return outputs


def size_values(manifest: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, int]:
    """The values of all sizes of a manifest, derived ones included."""
    values = {name: int(sizes[name]) for name in manifest["sizes"]}
    for name, expression in manifest.get("derived_sizes", {}).items():
        values[name] = size_value(expression, values)
    return values


def size_value(expression: str | int, sizes: Mapping[str, int]) -> int:
    """The value of an `.idx` size expression, whose operators are Python's.

    >>> size_value("max(0, (N - 3) // 2 + 1)", {"N": 8})
    3
    """
    functions = {"__builtins__": {}, "min": min, "max": max}
    return int(eval(str(expression), functions, dict(sizes)))  # text that tadc printed


def _run(job: Job, margin: int) -> Arrays:
    manifest, mode = job.manifest, job.manifest["modes"][job.mode]
    sizes = mode.get("sizes", manifest["sizes"])  # with those of lists
    values = size_values({**manifest, "sizes": sizes}, job.sizes)
    inputs = [_input(manifest, name, job.arrays[name], values, margin) for name in mode["inputs"]]
    outputs = [_Guarded(*_layout(manifest, name, values), margin) for name in mode["outputs"]]
    workspace = _Guarded((size_value(mode["workspace_bytes"], values),), np.dtype("u1"), margin)
    integer = ctypes.c_longlong if "64" in manifest["index_type"] else ctypes.c_int
    arguments = [
        *[guarded.pointer for guarded in (*inputs, *outputs, workspace)],
        *[integer(values[name]) for name in sizes],
        ctypes.c_void_p(None),  # the stream
    ]
    library = ctypes.CDLL(str(job.library))
    library.cuda_host_error.restype = ctypes.c_char_p
    library.cuda_host_prepare(int(job.fibers), int(job.order == "backward"))
    status = getattr(library, mode["launcher"])(*arguments)

    where = f"{mode['launcher']} with {values}"
    if status:
        raise HostError(f"{where} gives {status}: {library.cuda_host_error().decode()}")
    for name, guarded in zip([*mode["inputs"], *mode["outputs"]], [*inputs, *outputs], strict=True):
        if not guarded.is_intact:
            raise HostError(f"{where} writes outside {name}, or into an input")
    if not workspace.is_intact:
        raise HostError(f"{where} writes outside its workspace")
    return {
        name: guarded.array.copy() for name, guarded in zip(mode["outputs"], outputs, strict=True)
    }


class _Guarded:
    """An array full of NaN (bytes 0xff), with `margin` bytes of the same on both sides."""

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, margin: int):
        count = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
        self._memory = np.full(count + 3 * margin, 0xFF, np.uint8)
        start = margin + (-self._memory.ctypes.data % margin if margin else 0)
        self._sides = self._memory[:start], self._memory[start + count :]
        self.array = self._memory[start : start + count].view(dtype).reshape(shape)
        self._expected: bytes | None = None

    @property
    def pointer(self) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.array.ctypes.data)

    @property
    def is_intact(self) -> bool:
        unchanged = self._expected is None or self.array.tobytes() == self._expected
        return unchanged and all((side == 0xFF).all() for side in self._sides)

    def fill(self, values: np.ndarray) -> None:
        """With the values of an input, which must not change from now on."""
        self.array[...] = values
        self._expected = self.array.tobytes()


def _input(
    manifest: Mapping[str, Any], name: str, given: Any, sizes: Mapping[str, int], margin: int
) -> _Guarded:
    shape, dtype = _layout(manifest, name, sizes)
    array = np.asarray(given)
    if array.shape != shape:
        raise HostError(f"{name} has the shape {array.shape}, the manifest says {shape}")
    guarded = _Guarded(shape, dtype, margin)
    guarded.fill(array)
    return guarded


def _layout(
    manifest: Mapping[str, Any], name: str, sizes: Mapping[str, int]
) -> tuple[tuple[int, ...], np.dtype]:
    tensor = manifest["tensors"][name]
    return tuple(size_value(e, sizes) for e in tensor["shape"]), np.dtype(tensor["dtype"])


@cache
def _compiler() -> str:
    found = shutil.which("g++") or shutil.which("c++")
    if found is None:
        import pytest

        pytest.skip("no C++ compiler")
    return found


@cache
def _header() -> Path:
    """The header, compiled beside itself where the compiler can: reading it takes longer than a small program does."""
    header = _folder() / HEADER.name
    compiled_header = header.with_suffix(".h.gch")
    if not compiled_header.exists():
        own = _folder() / f"{header.name}.{os.getpid()}"
        shutil.copy(HEADER, own)
        os.replace(own, header)
        command = [_compiler(), *FLAGS, "-w", "-x", "c++-header", str(header), "-o", str(own)]
        if subprocess.run(command, capture_output=True).returncode == 0:
            os.replace(own, compiled_header)
    return header


@cache
@cache
def _folder() -> Path:
    """The folder of the run of the tests (`conftest.py`), or one that is gone with this process."""
    run = os.environ.get("TADC_TEST_FOLDER")
    if run is None:
        temporary = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        atexit.register(temporary.cleanup)
        run = temporary.name
    folder = Path(run, "host")
    folder.mkdir(exist_ok=True)
    return folder


if __name__ == "__main__":
    question, answer = map(Path, sys.argv[1:])
    sys.modules["host_run"] = sys.modules["__main__"]  # where the job was pickled
    answer.write_bytes(pickle.dumps(_run(pickle.loads(question.read_bytes()), 0)))
