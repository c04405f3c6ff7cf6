"""What CuPy has of cuBLAS. None of it may be captured: CuPy sets the library's stream first, which no capture allows."""

from __future__ import annotations

import ctypes
from types import ModuleType

import numpy as np

from fake_cupy.arrays import hosts
from fake_cupy.state import STATE
from fake_cupy.streams import is_capturing, put

HANDLE = 5


class ProductTypes(ModuleType):
    """CuPy's module with the setting of how cuBLAS computes products."""

    COMPUTE_TYPE_TF32 = 7
    now = 0

    def get_compute_type(self, dtype):
        assert dtype == "float32"
        return ProductTypes.now

    def set_compute_type(self, dtype, compute_type):
        assert dtype == "float32"
        ProductTypes.now = compute_type


def refuse_capture():
    if is_capturing():
        raise RuntimeError("CUBLAS_STATUS_NOT_INITIALIZED")


def matmul(a, b, out):
    refuse_capture()
    STATE.copies += sum(m.ndim > 2 and not m.flags.c_contiguous for m in (a, b))
    STATE.products += 1
    STATE.product_types.append(ProductTypes.now)
    left, right, result = hosts((a, b, out))
    put(STATE.own.stream, lambda: np.matmul(left, right, out=result))
    return out


class Cublas(ModuleType):
    """Batches of matrices by their addresses, with columns one after the other."""

    CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_GEMM_DEFAULT = 0, 1, -1
    CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_64F, CUBLAS_COMPUTE_32F_FAST_TF32 = 68, 70, 77

    def gemmStridedBatchedEx(  # noqa: N802
        self, handle, a_turned, b_turned, m, n, k, alpha, a, a_type, lda, a_apart, b, b_type, ldb, b_apart, beta, c, c_type, ldc, c_apart, count, computed, algorithm
    ):  # fmt: skip
        refuse_capture()
        assert (handle, algorithm, a_type, b_type) == (HANDLE, -1, c_type, c_type)
        assert computed in {0: (68, 77), 1: (70,)}[c_type]
        dtype = (np.float32, np.float64)[c_type]

        def number(address):
            return np.frombuffer((ctypes.c_char * np.dtype(dtype).itemsize).from_address(address), dtype)[0]  # fmt: skip

        def matrices(address, turned, rows, columns, leading, apart):
            """As arrays of rows: each matrix has columns, `leading` elements apart."""
            rows, columns = (columns, rows) if turned else (rows, columns)
            assert leading >= rows
            length = (count - 1) * apart + (columns - 1) * leading + rows
            step = np.dtype(dtype).itemsize
            memory = (ctypes.c_char * (length * step)).from_address(address)
            strides = (apart * step, leading * step, step)
            found = np.ndarray((count, columns, rows), dtype, memory, strides=strides)
            return found if turned else found.swapaxes(1, 2)

        assert (number(alpha), number(beta)) == (1, 0)
        left = matrices(a, a_turned, m, k, lda, a_apart)
        right = matrices(b, b_turned, k, n, ldb, b_apart)
        result = matrices(c, 0, m, n, ldc, c_apart)
        put(STATE.own.stream, lambda: result.__setitem__(..., left @ right))
        STATE.products += 1
        STATE.product_types.append(ProductTypes.COMPUTE_TYPE_TF32 if computed == 77 else 0)
