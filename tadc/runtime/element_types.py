"""Element types of arrays: numpy's own, and bfloat16 where ml_dtypes is installed, which gives it to numpy and CuPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tadc.errors import BackendError
from tadc.ir.affine import Symbol
from tadc.ir.program import Tensor

__all__ = ["array_form", "in_type", "is_real", "numpy_type"]


def array_form(
    tensor: Tensor, sizes: Mapping[Symbol, int], dtype: str
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """The shape and the type of a tensor's array; `dtype` is that of tensors without a declared one."""
    return tensor.shape_at(sizes), numpy_type(tensor.dtype or dtype)


def numpy_type(name: str) -> np.dtype[Any]:
    """The type of this name as one of numpy. Raises BackendError for bfloat16 without ml_dtypes."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError:
        raise BackendError(
            None, "arrays of bfloat16 need ml_dtypes", fix="pip install ml_dtypes"
        ) from None
    bfloat16: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return bfloat16


def in_type(array: Any, dtype: np.dtype[Any]) -> Any:
    """The array with elements of the type: itself, or a copy."""
    return array if array.dtype == dtype else array.astype(dtype)


def is_real(dtype: np.dtype[Any]) -> bool:
    """Whether elements of the type are real numbers, and no integers: bfloat16 is of no kind of numpy's."""
    return str(dtype) == "bfloat16" or dtype.kind == "f"
