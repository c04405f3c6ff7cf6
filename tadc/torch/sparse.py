"""Sparse tensors of torch as arguments: differentiable by their values."""

from __future__ import annotations

import torch
from torch import Tensor

from tadc.errors import ArgumentError
from tadc.runtime.sparse import Pattern, Stored

__all__ = ["sparse_parts"]


def sparse_parts(value: Tensor) -> Stored | None:
    """The tensors that a sparse one consists of; None of a dense one, and of a layout that is not known.

    Raises ArgumentError for one with dense or batch dimensions.
    """
    if value.layout not in (torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        return None
    if value.dense_dim() or value.sparse_dim() != value.dim():
        raise ArgumentError(
            None,
            "a tensor has dimensions that are not sparse",
            fix="make all of its dimensions sparse: `x.to_dense().to_sparse()`",
        )
    shape = tuple(value.shape)
    if value.layout is torch.sparse_coo:
        held = value.coalesce()
        places = held.indices()
        return Stored(
            held.values(),
            Pattern("coo", tuple(places.unbind(0)), shape),
            lambda new: torch.sparse_coo_tensor(
                places, new, shape, is_coalesced=True, check_invariants=False
            ),
        )
    if value.layout is torch.sparse_csr:
        rows, columns = value.crow_indices(), value.col_indices()
        return Stored(
            value.values(),
            Pattern("csr", (rows, columns), shape),
            lambda new: torch.sparse_csr_tensor(rows, columns, new, shape, check_invariants=False),
        )
    columns, rows = value.ccol_indices(), value.row_indices()
    return Stored(
        value.values(),
        Pattern("csc", (rows, columns), shape),
        lambda new: torch.sparse_csc_tensor(columns, rows, new, shape, check_invariants=False),
    )
