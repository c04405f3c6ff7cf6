"""Batches of matrix products by cuBLAS, of factors that lie in memory either way round, and between whose rows others may lie: CuPy's `matmul` would
copy those.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
    """The matrices of an array in C order: its `shape`, indices that count as one being one, which dimensions are the batch, if there is
    one, rows and columns, and in which there are several products, if there are.
    """

    shape: tuple[int, ...]
    axes: tuple[int, ...]
    outer: int | None = None

    @classmethod
    def of(
        cls, operand: Operand, rows: Axis, columns: Axis, counts: Mapping[Axis, int]
    ) -> Matrices:
        """An operand of a product with `counts` values of each axis; `rows` and `columns` are those of its matrices."""
        named = [axis for axis in ("batch", rows, columns) if axis in operand.axes]
        shape = tuple(counts[axis] for axis in operand.axes)
        outer = operand.axes.index("outer") if "outer" in operand.axes else None
        return cls(shape, tuple(map(operand.axes.index, named)), outer)

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

    @property
    def products(self) -> int:
        """How many products there are."""
        return 1 if self.outer is None else self.shape[self.outer]

    @property
    def products_apart(self) -> int:
        """How many elements the matrices of a product are from those of the next one."""
        return 0 if self.outer is None else self._apart(self.outer)

    def _apart(self, axis: int) -> int:
        return prod(self.shape[axis + 1 :])

    def views(self, array: Any) -> Iterator[Any]:
        """The array as matrices of rows, for each product."""
        front = () if self.outer is None else (self.outer,)
        matrices = array.reshape(self.shape).transpose((*front, *self.axes))
        return iter([matrices] if self.outer is None else matrices)


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
    Of several products each is a call.

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

    def told(operand: tuple[Any, Matrices], n: int) -> tuple[int, int, int, int]:
        """The address of the first matrix of a product, its type, and how far columns and matrices are apart."""
        array, matrices = operand
        first = array.data.ptr + n * matrices.products_apart * array.dtype.itemsize
        return first, kind, matrices.step, matrices.apart

    for n in range(matrices.products):
        cublas.gemmStridedBatchedEx(
            xp.cuda.device.get_cublas_handle(),
            *(turned(right), turned(left), columns, rows, inner),
            one.ctypes.data,
            *told(right, n),
            *told(left, n),
            zero.ctypes.data,
            *told(result, n),
            *(count, getattr(cublas, computed), cublas.CUBLAS_GEMM_DEFAULT),
        )
