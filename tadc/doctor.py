"""A report of the software and devices that tadc finds on this machine, and remedies for what is missing."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from tadc.cache import place, unused
from tadc.errors import BackendError
from tadc.runtime.cpu.blas import blas
from tadc.runtime.cpu.c_compiler import compiler, loaded
from tadc.runtime.cpu.native import available_threads
from tadc.runtime.cuda.arrays import devices
from tadc.runtime.cuda.nvrtc import find_nvrtc
from tadc.runtime.opencl.arrays import devices as opencl_devices
from tadc.version import __version__

__all__ = ["Finding", "findings"]

OPENMP = """
#ifdef _OPENMP
int tadc_openmp(void) { return _OPENMP; }
#else
int tadc_openmp(void) { return 0; }
#endif
"""


@dataclass(frozen=True, slots=True)
class Finding:
    """`found` is empty where there is none of it; then `advice` says how to get it, and what works without."""

    what: str
    found: str
    advice: str = ""


def findings() -> Iterator[Finding]:
    """One finding after the other; some take a moment."""
    yield Finding("tadc", f"{__version__}, Python {platform.python_version()}, {sys.platform}")
    for package in ("numpy", "scipy"):
        yield Finding(package, _version(package), f"pip install {package}")
    command, advice = _compiler()
    yield Finding("C compiler", command, advice)
    yield Finding(
        "OpenMP",
        _openmp() if command else "",
        "use a compiler with OpenMP; without it there is one thread",
    )
    yield Finding("threads", f"{available_threads()} (OMP_NUM_THREADS, or the processors allowed)")
    yield Finding(
        "BLAS",
        "scipy's" if blas() else "",
        "update scipy; without it matrix products run in tadc's own kernels",
    )
    cache_folder = place()
    wrong = unused(cache_folder) or (
        "" if os.access(cache_folder, os.W_OK) else "it cannot be written"
    )
    yield Finding(
        "cache",
        "" if wrong else str(cache_folder),
        f"{cache_folder} is not used: {wrong}; set TADC_CACHE_DIR to a folder that is yours alone",
    )
    yield Finding(
        "NVRTC",
        find_nvrtc() or "",
        "pip install nvidia-cuda-nvrtc; without it CUDA text is written, and not compiled here",
    )
    yield Finding("NVIDIA driver", _driver(), "none is needed to write CUDA text")
    yield Finding(
        "CuPy", _version("cupy-cuda13x") or _version("cupy-cuda12x") or _version("cupy"),
        "pip install 'tadc[cuda13]', or 'tadc[cuda12]' for an older driver; without it nothing runs on a GPU from Python",
    )  # fmt: skip
    yield Finding(
        "GPU",
        ", ".join(devices()),
        "install NVIDIA's driver where there is a GPU; without one CUDA text is written, and not run",
    )
    yield Finding(
        "OpenCL",
        ", ".join(opencl_devices()),
        "pip install 'tadc[opencl]', and the driver of your GPU (or pocl-binary-distribution, for the CPU); nothing else"
        " needs it",
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _compiler() -> tuple[str, str]:
    """Its command, and what to do without one."""
    advice = "install one (`apt install gcc`), or set `CC`; without it the CPU computes with numpy"
    try:
        return " ".join(compiler() or ()), advice
    except BackendError as error:
        return "", f"{error.fact}; {error.fix}"


def _openmp() -> str:
    try:
        number: int = loaded(OPENMP).tadc_openmp()
    except (BackendError, OSError):
        return ""
    return f"version of {number // 100}-{number % 100:02}" if number else ""


def _driver() -> str:
    """The version of CUDA that the driver supports."""
    name = "nvcuda.dll" if os.name == "nt" else "libcuda.so.1"
    number = ctypes.c_int()
    try:
        ctypes.CDLL(name).cuDriverGetVersion(ctypes.byref(number))
    except (OSError, AttributeError):
        return ""
    return f"CUDA {number.value // 1000}.{number.value % 1000 // 10}"
