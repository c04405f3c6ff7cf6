"""The matrix products of the BLAS that scipy brings along, as pointers to functions."""

from __future__ import annotations

import ctypes
from functools import cache

__all__ = ["gemm"]


@cache
def gemm(dtype: str) -> int | None:
    """The address of `sgemm` or `dgemm` in Fortran's convention, with 32-bit integers; None where scipy has none."""
    try:
        from scipy.linalg import cython_blas

        capsule = cython_blas.__pyx_capi__["sgemm" if dtype == "float32" else "dgemm"]
    except (ImportError, AttributeError, KeyError):
        return None
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    pointer: int | None = api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule))
    return pointer
