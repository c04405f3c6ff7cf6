"""`tadc.index`: index tensors and patterns that are copied and checked once, and keep their lists."""

from __future__ import annotations

from typing import Any

import numpy as np

from tadc.function.foreign import framework_of
from tadc.ir.sparse import Sparse
from tadc.runtime.index import Index
from tadc.runtime.index import index as indexed_array
from tadc.runtime.sparse import (
    SparseIndex,
    Stored,
    in_layout,
    indexed,
    is_sparse,
    not_sparse,
    of_scipy,
    of_tuple,
)

__all__ = ["index", "stored"]


def index(k: Any) -> Any:
    """A copy of an array of integers that is checked and kept with its lists; of a sparse array, its pattern, as `SparseIndex`.

    >>> import tadc
    >>> f = tadc.compile("y[i: 3] = sum{e | k[e] = i} w[e]")
    >>> k = tadc.index([1, 0, 1, 1])
    >>> f(k, [1.0, 2.0, 4.0, 8.0]).tolist()
    [2.0, 13.0, 0.0]

    Raises ArgumentError for anything but integers and sparse arrays of scipy, CuPy, torch and JAX.
    """
    if isinstance(k, (Index, SparseIndex)):
        return k
    given = _parts(k)
    return indexed_array(k) if given is None else indexed(k, given, index)


def stored(name: str, sparse: Sparse, value: Any) -> Stored:
    """A sparse argument of a call, in the layout of the program. Raises ArgumentError for what is not sparse."""
    if isinstance(value, SparseIndex):
        if len(value.shape) == sparse.rank:
            return value.stored(sparse)
        value = value.array
    if isinstance(value, (tuple, list)):
        return in_layout(name, sparse, of_tuple(name, sparse, value))
    given = _parts(value)
    if given is None:
        computed_later = hasattr(value, "compute")  # what Dask has
        instead = (
            f"{name}.compute()" if computed_later else f"scipy.sparse.{sparse.layout}_array({name})"
        )
        raise not_sparse(name, sparse, type(value).__name__, instead)
    return in_layout(name, sparse, given)


def _parts(value: Any) -> Stored | None:
    """What a sparse array consists of; None for anything else."""
    if is_sparse(value):
        return of_scipy(value)
    if isinstance(value, np.ndarray):
        return None  # its `data` may be an error, as of dates
    # Sparse arrays of JAX are no arrays of it, and hold them.
    framework = framework_of((value, getattr(value, "data", None)))
    of_framework = getattr(framework, "sparse_parts", None)
    found: Stored | None = None if of_framework is None else of_framework(value)
    return found
