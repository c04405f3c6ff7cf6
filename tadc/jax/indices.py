"""`tadc.Index` among arrays of JAX: each has one array of its elements, by which a call that is not traced finds it again with its
lists.
"""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary, WeakValueDictionary

import jax
import jax.numpy as jnp
import numpy as np

from tadc.errors import DataError
from tadc.runtime.index import Index

__all__ = ["array_of", "memory_of"]

_arrays: WeakKeyDictionary[Index, Any] = WeakKeyDictionary()
# As long as an index lives, so does its array, and no other object has that number.
_indices: WeakValueDictionary[int, Index] = WeakValueDictionary()


def array_of(name: str, index: Index) -> Any:
    """The elements as an array of JAX. Raises DataError where that has 32 bits and an element has more."""
    if index not in _arrays:
        with (
            jax.ensure_compile_time_eval()
        ):  # no tracer, in whatever program the index is met first
            made = jnp.asarray(_narrowed(name, index))
        _arrays[index] = made
        _indices[id(made)] = index
    return _arrays[index]


def memory_of(x: Any) -> Any:
    """The memory of an array, or the index whose array it is."""
    index = _index_of(x)
    return np.asarray(x) if index is None else index


def _index_of(x: Any) -> Index | None:
    """The index whose array this is, if it is one."""
    return _indices.get(id(x))


def _narrowed(name: str, index: Index) -> Any:
    """The elements in the integers that JAX has."""
    array = index.array
    low, high = index.min, index.max
    if jax.config.jax_enable_x64 or low is None or high is None:
        return array
    if low < -(2**31) or high >= 2**31:
        value = high if high >= 2**31 else low
        at = tuple(map(int, np.argwhere(array == value)[0]))
        raise DataError(
            None,
            f"`{name}` has elements from {low} to {high}, and JAX has integers of 32 bits here",
            fix="call `jax.config.update('jax_enable_x64', True)` first",
        ).of(name, at, value, -(2**31), 2**31 - 1)
    return array.astype("int32")
