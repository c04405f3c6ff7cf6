"""The types of elements: a row each, with its bytes and its spellings. Numpy and the language know them by the same names.

`float16` and `bfloat16` are storage: of inputs and outputs, and of nothing else. Arithmetic and all that is stored in
between are `float32`, so no value is rounded to 16 bits before it leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = [
    "ARITHMETIC_TYPES",
    "ELEMENT_TYPES",
    "HALF_TYPES",
    "INDEX",
    "INDEX_TYPES",
    "NARROW_INDEX",
    "REAL_TYPES",
    "arithmetic",
    "item_bytes",
]


@dataclass(frozen=True, slots=True)
class ElementType:
    """A type of elements, whose values are computed in the type `arithmetic`.

    `c` is its name in C, OpenCL and CUDA, those of 16 bits as `templates/cuda/` defines them. What C calls `sqrt` has
    the `suffix` for this type, and so have constants.
    """

    name: str
    bytes: int
    arithmetic: str
    c: str
    suffix: str


# fmt: off
_ROWS = (
    #           name        bytes  arithmetic  c           suffix
    ElementType("float32",  4,     "float32",  "float",    "f"),
    ElementType("float64",  8,     "float64",  "double",   ""),
    ElementType("float16",  2,     "float32",  "float16",  ""),
    ElementType("bfloat16", 2,     "float32",  "bfloat16", ""),
    ElementType("int64",    8,     "float64",  "long long", ""),  # indices
    ElementType("int32",    4,     "float64",  "int",      ""),  # those that fit
)
# fmt: on
ELEMENT_TYPES: Mapping[str, ElementType] = {row.name: row for row in _ROWS}
ARITHMETIC_TYPES = tuple(row.name for row in _ROWS if row.arithmetic == row.name)
REAL_TYPES = tuple(row.name for row in _ROWS if row.name.startswith(("float", "bfloat")))
HALF_TYPES = tuple(row.name for row in _ROWS if row.bytes == 2)
# What the language calls the elements of index tensors; all are stored as INDEX, or as NARROW_INDEX where they fit.
INDEX = "int64"
NARROW_INDEX = "int32"
INDEX_TYPES = ("index", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)))


def arithmetic(dtype: str) -> str:
    """The type in which values of elements of this type are computed."""
    return ELEMENT_TYPES[dtype].arithmetic


def item_bytes(dtype: str) -> int:
    """The bytes of an element."""
    return ELEMENT_TYPES[dtype].bytes
