"""Sparse arrays of JAX as arguments: `BCOO` and `BCSR`, whose values may be traced."""

from __future__ import annotations

from typing import Any

from jax.experimental.sparse import BCOO, BCSR

from tadc.errors import ArgumentError
from tadc.runtime.sparse import Pattern, Stored

__all__ = ["sparse_parts"]


def sparse_parts(value: Any) -> Stored | None:
    """The arrays that a sparse one consists of; None of anything else.

    Raises ArgumentError for one with dense or batch dimensions.
    """
    if not isinstance(value, (BCOO, BCSR)):
        return None
    if value.n_batch or value.n_dense:
        raise ArgumentError(
            None,
            "an array has dimensions that are not sparse",
            fix="make all of its dimensions sparse: `BCOO.fromdense(x)`",
        )
    shape = tuple(value.shape)
    if isinstance(value, BCOO):
        places = value.indices
        return Stored(
            value.data,
            Pattern("coo", tuple(places[:, d] for d in range(len(shape))), shape),
            lambda new: BCOO(
                (new, places),
                shape=shape,
                indices_sorted=value.indices_sorted,
                unique_indices=value.unique_indices,
            ),
        )
    columns, rows = value.indices, value.indptr
    return Stored(
        value.data,
        Pattern("csr", (rows, columns), shape),
        lambda new: BCSR((new, columns, rows), shape=shape),
    )
