"""Lists by the elements of index tensors, sorted on a GPU by CuPy: the same ones that the host makes (`cpu/list_builder.py`).

Words of a key and a position are sorted: no two are equal, so that every sort gives one result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tadc.runtime.cuda.arrays import cupy, using
from tadc.runtime.cuda.resident import resident

__all__ = ["sorted_list"]

BITS = 32  # of a position


def sorted_list(
    arrays: Sequence[NDArray[np.int32]], lows: Sequence[int], counts: Sequence[int], device: int
) -> tuple[NDArray[np.int32], Any]:
    """Where each key begins, and the positions in the order of their keys, those of equal keys ascending.

    The beginnings are an array of the host, which decides by them how lists are run, with a dimension for each key, the last one
    longer by one; the positions are on the device. Both have at most 2**31 - 1 elements, so that they fit into a word.
    """
    xp = cupy()
    with using(device):
        words = xp.arange(arrays[0].size, dtype=np.int64)
        keys, inside = xp.zeros_like(words), words >= 0
        for array, low, count in zip(arrays, lows, counts, strict=True):
            values = resident(array, device).ravel().astype(np.int64) - low
            inside &= (values >= 0) & (values < count)
            keys = keys * count + values
        words = xp.sort((keys * 2**BITS + words)[inside])
        ends = xp.arange(prod(counts) + 1, dtype=np.int64) * 2**BITS
        begin = xp.asnumpy(xp.searchsorted(words, ends)).astype(np.int32)
        positions = (words & (2**BITS - 1)).astype(np.int32)
        xp.cuda.get_current_stream().synchronize()  # calls on other streams read them too
    rows = begin[:-1].reshape(-1, counts[-1])
    last = begin[counts[-1] :: counts[-1]][:, None]
    table = np.concatenate([rows, last], axis=1)
    return table.reshape(*counts[:-1], counts[-1] + 1), positions
