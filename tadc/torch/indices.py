"""`tadc.Index` among tensors: each has one tensor of its elements, by whose address a call finds it again with its lists."""

from __future__ import annotations

from weakref import WeakKeyDictionary, WeakValueDictionary

import torch
from torch import Tensor

from tadc.runtime.index import Index

__all__ = ["index_of", "tensor_of"]

_tensors: WeakKeyDictionary[Index, Tensor] = WeakKeyDictionary()
# As long as an index lives, so does its tensor, and nothing else is at that address.
_indices: WeakValueDictionary[int, Index] = WeakValueDictionary()


def tensor_of(index: Index) -> Tensor:
    """The elements as a tensor that nobody else has."""
    if index not in _tensors:
        made = torch.tensor(index.array)
        _tensors[index] = made
        if made.numel():
            _indices[made.data_ptr()] = index
    return _tensors[index]


def index_of(x: Tensor) -> Index | None:
    """The index whose tensor this is, if it is one."""
    index = _indices.get(x.data_ptr()) if x.dtype is torch.int64 and x.is_cpu else None
    if index is None or tuple(x.shape) != index.shape or not x.is_contiguous():
        return None
    return index
