"""CUDA text to machine code by NVIDIA's run-time compiler, called directly: it needs no driver, no toolkit, no CuPy.

Contraction to fused multiply-adds is off, so that the GPU computes what the host computes. Options that CuPy's own
compile would add (flushing subnormals) are not wanted.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

from tadc.errors import BackendError

__all__ = [
    "Compiled",
    "Usage",
    "compile_cuda",
    "find_nvrtc",
    "nvrtc_version",
    "supported_architectures",
]

_OPTIONS = ("--std=c++17", "--fmad=false", "--ptxas-options=-v")
# Of CUDA 13 and of CUDA 12, in NVIDIA's wheels and in the system.
_NEW = ("cu13/lib/libnvrtc.so.*", "cu13/bin/*/nvrtc64_*.dll"), ("libnvrtc.so.13",)
_OLD = ("cuda_nvrtc/lib/libnvrtc.so.*",), ("libnvrtc.so.12",)
_DRIVERS = ("libcuda.so.1", "nvcuda.dll")


@dataclass(frozen=True, slots=True)
class Usage:
    """Resources of a kernel, all per thread: registers; bytes of stack, and of spilled registers."""

    registers: int
    stack_bytes: int
    spill_bytes: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """Machine code for one architecture. `log` is the compiler's: warnings, and the usage of every kernel.

    `ptx` is the source of the machine code.
    """

    cubin: bytes
    log: str
    ptx: str = ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """The lines of the log that are warnings, of the compiler or the assembler."""
        return tuple(line for line in self.log.splitlines() if re.search(r"\bwarning *[#:]", line))

    @property
    def usage(self) -> dict[str, Usage]:
        """The resources of each kernel, by name."""
        entries = re.findall(
            r"Compiling entry function '(\w+)'.*?(\d+) bytes stack frame, (\d+) bytes spill stores"
            r".*?Used (\d+) registers",
            self.log,
            re.DOTALL,
        )
        return {k: Usage(int(regs), int(stack), int(spill)) for k, stack, spill, regs in entries}


def compile_cuda(text: str, arch: str, options: Sequence[str] = ()) -> Compiled:
    """`text` for `arch`, such as `sm_90`, with further `options`. It may include only files that the options lead to.

    Raises `BackendError` where there is no NVRTC, where it does not know `arch`, and where it does not accept `text`.
    """
    nvrtc = _nvrtc()
    number = re.fullmatch(r"sm_(\d+)[af]?", arch)
    if number is None or int(number[1]) not in supported_architectures():
        known = " ".join(f"sm_{a}" for a in supported_architectures())
        raise BackendError(None, f"NVRTC {_dotted()} does not compile for {arch}, but for {known}")
    program = ctypes.c_void_p()
    source = text.encode()
    _check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"tadc.cu", 0, None, None))
    try:
        flags = [f.encode() for f in (f"--gpu-architecture={arch}", *_OPTIONS, *options)]
        status = nvrtc.nvrtcCompileProgram(
            program, len(flags), (ctypes.c_char_p * len(flags))(*flags)
        )
        log = _bytes(program, "ProgramLog").rstrip(b"\0").decode(errors="replace").strip()
        if status:
            raise BackendError(None, f"NVRTC does not accept this text:\n{log or _reason(status)}")
        ptx = _bytes(program, "PTX").rstrip(b"\0").decode(errors="replace")
        return Compiled(_bytes(program, "CUBIN"), log, ptx)
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


@cache
def supported_architectures() -> tuple[int, ...]:
    """The architectures that the installed NVRTC compiles for, ascending: 90 is `sm_90`."""
    count = ctypes.c_int()
    _check(_nvrtc().nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    numbers = (ctypes.c_int * count.value)()
    _check(_nvrtc().nvrtcGetSupportedArchs(numbers))
    return tuple(sorted(numbers))


@cache
def nvrtc_version() -> tuple[int, int]:
    """Part of the key under which machine code is kept."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _check(_nvrtc().nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
    return major.value, minor.value


def find_nvrtc() -> str | None:
    """The path or name of the library: NVIDIA's wheels are preferred to the system's. None where there is neither.

    A driver of CUDA 12 does not load what NVRTC 13 makes: it has that of 12, where that is installed.
    """
    kinds = (_OLD, _NEW) if _driver_major() == 12 else (_NEW, _OLD)
    wheels = [pattern for patterns, _ in kinds for pattern in patterns]
    system = ["libnvrtc.so", *(name for _, names in kinds for name in names)]
    spec = find_spec("nvidia")
    folders = [Path(f) for f in spec.submodule_search_locations or ()] if spec else []
    paths = chain.from_iterable(sorted(f.glob(p)) for p in wheels for f in folders)
    libraries = [str(p) for p in paths if "builtins" not in p.name and ".alt." not in p.name]
    return next((c for c in (*libraries, *system) if _loads(c)), None)


def _driver_major() -> int | None:
    """The version of CUDA that the driver is of, 12 or 13; None where there is no driver."""
    version = ctypes.c_int()
    for name in _DRIVERS:
        with suppress(OSError, AttributeError):
            if not ctypes.CDLL(name).cuDriverGetVersion(ctypes.byref(version)):
                return version.value // 1000
    return None


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


@cache
def _nvrtc() -> ctypes.CDLL:
    library = find_nvrtc()
    if library is None:
        raise BackendError(
            None,
            "CUDA text cannot be compiled: there is no NVRTC library",
            fix="pip install nvidia-cuda-nvrtc",
        )
    for builtins in _builtins(library):
        ctypes.CDLL(str(builtins))
    nvrtc = ctypes.CDLL(library)
    nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
    return nvrtc


def _builtins(library: str) -> list[Path]:
    """What the library opens by name when it compiles: some of NVIDIA's wheels do not tell it where that lies beside it."""
    if not Path(library).is_absolute():
        return []  # the system finds both
    beside = sorted(Path(library).parent.glob("*nvrtc-builtins*"))
    return [p for p in beside if ".alt." not in p.name]


def _bytes(program: ctypes.c_void_p, what: str) -> bytes:
    size = ctypes.c_size_t()
    _check(getattr(_nvrtc(), f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    buffer = ctypes.create_string_buffer(size.value)
    _check(getattr(_nvrtc(), f"nvrtcGet{what}")(program, buffer))
    return buffer.raw


def _check(status: Any) -> None:
    if status:
        raise BackendError(None, f"NVRTC failed: {_reason(status)}")


def _reason(status: int) -> str:
    text: bytes = _nvrtc().nvrtcGetErrorString(status)
    return text.decode()


def _dotted() -> str:
    return ".".join(map(str, nvrtc_version()))
