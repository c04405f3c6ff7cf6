"""Batches of matrix products by cuBLAS, of factors that lie in memory either way round, and between whose rows others may lie: CuPy's `matmul` would
copy those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from math import prod
from typing import Any

import numpy as np

from tadc.runtime.cuda.tf32 import has_tf32
from tadc.schedule.nest.matrix_product import Axis, Operand

__all__ = ["Matrices", "batched_product", "is_batched"]

_TYPES = {"float32": "32F", "float64": "64F"}


@dataclass(frozen=True, slots=True)
class Matrices:
    """The matrices of an array in C order: its `shape`, indices that count as one being one, and which dimensions are the batch, if there is
    one, rows and columns.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]

    @classmethod
    def of(
        cls, operand: Operand, rows: Axis, columns: Axis, counts: Mapping[Axis, int]
    ) -> Matrices:
        """An operand of a product with `counts` values of each axis; `rows` and `columns` are those of its matrices."""
        named = [axis for axis in ("batch", rows, columns) if axis in operand.axes]
        shape = tuple(counts[axis] for axis in operand.axes)
        return cls(shape, tuple(map(operand.axes.index, named)))

    @property
    def is_turned(self) -> bool:
        """Whether it is columns whose elements lie side by side."""
        return self.axes[-1] != len(self.shape) - 1

    @property
    def step(self) -> int:
        """How many elements rows are apart, or columns if it is turned."""
        return self._apart(self.axes[-1 if self.is_turned else -2])

    @property
    def apart(self) -> int:
        """How many elements matrices are apart; 0 if there is one."""
        return self._apart(self.axes[0]) if len(self.axes) > 2 else 0

    def _apart(self, axis: int) -> int:
        return prod(self.shape[axis + 1 :])

    def view(self, array: Any) -> Any:
        """The array as matrices of rows."""
        return array.reshape(self.shape).transpose(self.axes)


def is_batched(result: Matrices, dtype: Any) -> bool:
    """Whether the result is a batch of matrices, of a type that `batched_product` takes."""
    return len(result.axes) > 2 and dtype.name in _TYPES


def batched_product(
    left: tuple[Any, Matrices],
    right: tuple[Any, Matrices],
    result: tuple[Any, Matrices],
    *,
    tensor_cores: bool,
    xp: Any,
) -> None:
    """`result[b] = left[b] @ right[b]` on the current stream, of arrays in C order, each with where its matrices are; the result's are not turned.

    To cuBLAS, which has columns one after the other, all three are the other way round: it computes `right' left'`.
    """
    cublas = import_module("cupy_backends.cuda.libs.cublas")
    array, matrices = result
    count, rows, columns = (matrices.shape[a] for a in matrices.axes)
    inner = left[1].shape[left[1].axes[-1]]
    name = array.dtype.name
    kind = getattr(xp.cuda.runtime, f"CUDA_R_{_TYPES[name]}")
    in_tf32 = tensor_cores and name == "float32" and has_tf32()
    computed = f"CUBLAS_COMPUTE_{_TYPES[name]}" + ("_FAST_TF32" if in_tf32 else "")
    one, zero = np.ones((), array.dtype), np.zeros((), array.dtype)

    def turned(operand: tuple[Any, Matrices]) -> int:
        return int(cublas.CUBLAS_OP_T if operand[1].is_turned else cublas.CUBLAS_OP_N)

    def told(operand: tuple[Any, Matrices]) -> tuple[int, int, int, int]:
        """The address of the first matrix, its type, and how far columns and matrices are apart."""
        return operand[0].data.ptr, kind, operand[1].step, operand[1].apart

    cublas.gemmStridedBatchedEx(
        xp.cuda.device.get_cublas_handle(),
        *(turned(right), turned(left), columns, rows, inner),
        one.ctypes.data,
        *told(right),
        *told(left),
        zero.ctypes.data,
        *told(result),
        *(count, getattr(cublas, computed), cublas.CUBLAS_GEMM_DEFAULT),
    )
