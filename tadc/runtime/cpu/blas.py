"""The matrix products of the BLAS that scipy brings along, as pointers to functions."""

from __future__ import annotations

import ctypes
from functools import cache
from threading import Lock
from typing import Any

__all__ = ["blas"]


class _Blas(ctypes.Structure):
    """What `c/blas.c` declares."""

    _fields_ = (
        ("sgemm", ctypes.c_void_p),
        ("dgemm", ctypes.c_void_p),
        ("threads", ctypes.c_void_p),
        ("set_threads", ctypes.c_void_p),
        ("busy", ctypes.c_int),
        ("callers", ctypes.c_int),
        ("threads_before", ctypes.c_int),
    )


_lock = Lock()


def blas() -> int | None:
    """The address of scipy's `sgemm` and `dgemm` in Fortran's convention, with 32-bit integers, and of what sets the number of their
    threads, where it is OpenBLAS; None where scipy has no BLAS. There is one for the process.
    """
    # Of two descriptions made at once one would be gone, and its address given to programs.
    with _lock:
        described = _described()
    return ctypes.addressof(described) if described else None


@cache
def _described() -> _Blas | None:
    try:
        from scipy.linalg import cython_blas

        products = [_pointer(cython_blas.__pyx_capi__[name]) for name in ("sgemm", "dgemm")]
        library = ctypes.CDLL(cython_blas.__file__)
    except (ImportError, AttributeError, KeyError, OSError):
        return None
    threads, set_threads = _threads_of(library)
    return _Blas(*products, threads, set_threads)


def _threads_of(library: ctypes.CDLL) -> tuple[int | None, int | None]:
    """What tells and what sets the number of OpenBLAS's threads, which has a prefix in scipy's wheels."""
    for prefix in ("scipy_openblas", "openblas"):
        for suffix in ("", "64_"):
            names = (f"{prefix}_{verb}_num_threads{suffix}" for verb in ("get", "set"))
            try:
                told, setter = (ctypes.cast(library[name], ctypes.c_void_p).value for name in names)
            except AttributeError:
                continue
            return told, setter
    return None, None


def _pointer(capsule: Any) -> int | None:
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer: int | None = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return pointer
