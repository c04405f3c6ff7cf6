"""Types of elements: their bytes, and the type in which elements of 16 bits are computed with.

`float16` and `bfloat16` are storage: of inputs and outputs, and of nothing else. Arithmetic and all that is stored in
between are `float32`, so no value is rounded to 16 bits before it leaves.
"""

from __future__ import annotations

__all__ = ["HALF_TYPES", "arithmetic", "item_bytes"]

HALF_TYPES = ("float16", "bfloat16")

_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4}


def arithmetic(dtype: str) -> str:
    """The type in which values of elements of this type are computed."""
    return "float32" if dtype in HALF_TYPES else dtype


def item_bytes(dtype: str) -> int:
    """The bytes of an element."""
    return _BYTES.get(dtype, 8)
