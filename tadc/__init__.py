"""tadc: a compiler for tensor formulas in index notation, and for their derivatives."""

from __future__ import annotations

from tadc.errors import (
    ArgumentError,
    BackendError,
    DerivativeError,
    Error,
    FileError,
    RangeError,
    ShapeError,
    SyntaxError,
)
from tadc.function import Function, compile, load
from tadc.version import __version__

__all__ = [
    "ArgumentError",
    "BackendError",
    "DerivativeError",
    "Error",
    "FileError",
    "Function",
    "RangeError",
    "ShapeError",
    "SyntaxError",
    "__version__",
    "compile",
    "load",
]
