"""Products of float32 in TF32, by CuPy's setting of how cuBLAS computes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from threading import Lock

from tadc.runtime.cuda.arrays import cupy

__all__ = ["has_tf32", "products_in_tf32"]

LEAST_CAPABILITY = 80  # of a GPU that has TF32
_setting = Lock()  # CuPy's is the process's


def has_tf32() -> bool:
    """Whether the current GPU has it."""
    cuda = cupy().cuda
    return int(cuda.Device(cuda.runtime.getDevice()).compute_capability) >= LEAST_CAPABILITY


@contextmanager
def products_in_tf32() -> Iterator[None]:
    """Inside, cuBLAS takes 10 bits of each factor, and adds up in float32. Without effect on GPUs that cannot."""
    if not has_tf32():
        yield
        return
    products = import_module("cupy._core._routines_linalg")
    with _setting:
        before = products.get_compute_type("float32")
        products.set_compute_type("float32", products.COMPUTE_TYPE_TF32)
        try:
            yield
        finally:
            products.set_compute_type("float32", before)
