"""Batches of matrix products by cuBLAS, of factors that lie in memory either way round: CuPy's `matmul` would copy those that are turned."""

from __future__ import annotations

from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from tadc.runtime.cuda.tf32 import has_tf32

__all__ = ["batched_product", "is_batched"]

_TYPES = {"float32": "32F", "float64": "64F"}


def is_batched(result: Any) -> bool:
    """Whether the result is a batch of matrices, of a type that `batched_product` takes."""
    return result.ndim > 2 and result.dtype.name in _TYPES


def batched_product(
    left: tuple[Any, bool], right: tuple[Any, bool], result: Any, *, tensor_cores: bool, xp: Any
) -> None:
    """`result[b] = left[b] @ right[b]` on the current stream, of arrays in C order; each factor with whether its matrices are turned.

    To cuBLAS, which has columns one after the other, all three are the other way round: it computes `right' left'`.
    """
    cublas = import_module("cupy_backends.cuda.libs.cublas")
    (a, a_turned), (b, b_turned) = left, right
    rows, columns = result.shape[-2:]
    inner = a.shape[-2] if a_turned else a.shape[-1]
    name = result.dtype.name
    kind = getattr(xp.cuda.runtime, f"CUDA_R_{_TYPES[name]}")
    in_tf32 = tensor_cores and name == "float32" and has_tf32()
    computed = f"CUBLAS_COMPUTE_{_TYPES[name]}" + ("_FAST_TF32" if in_tf32 else "")
    one, zero = np.ones((), result.dtype), np.zeros((), result.dtype)

    def turned(flag: bool) -> int:
        return int(cublas.CUBLAS_OP_T if flag else cublas.CUBLAS_OP_N)

    def matrices(array: Any) -> tuple[int, int, int, int]:
        """The address of the first matrix, its type, and how far columns and matrices are apart."""
        return array.data.ptr, kind, array.shape[-1], array.shape[-2] * array.shape[-1]

    cublas.gemmStridedBatchedEx(
        xp.cuda.device.get_cublas_handle(),
        *(turned(b_turned), turned(a_turned), columns, rows, inner),
        one.ctypes.data,
        *matrices(b),
        *matrices(a),
        zero.ctypes.data,
        *matrices(result),
        *(prod(result.shape[:-2]), getattr(cublas, computed), cublas.CUBLAS_GEMM_DEFAULT),
    )
