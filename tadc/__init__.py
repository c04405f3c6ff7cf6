"""tadc: a compiler for tensor formulas in index notation, and for their derivatives."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tadc.errors import (
    ArgumentError,
    BackendError,
    ConditionWarning,
    ConvergenceError,
    DataError,
    DerivativeError,
    Error,
    FileError,
    RangeError,
    ShapeError,
    SingularError,
    Source,
    Span,
    SyntaxError,
)
from tadc.function import Function, compile, load
from tadc.version import __version__

if TYPE_CHECKING:
    from tadc.check import Report
    from tadc.function.index import index
    from tadc.runtime.index import Index
    from tadc.runtime.sparse import SparseIndex
    from tadc.schedule.nest.cost import Cost, KernelCost
    from tadc.schedule.plan import KernelPlan, Plan

__all__ = [
    "ArgumentError",
    "BackendError",
    "ConditionWarning",
    "ConvergenceError",
    "Cost",
    "DataError",
    "DerivativeError",
    "Error",
    "FileError",
    "Function",
    "Index",
    "KernelCost",
    "KernelPlan",
    "Plan",
    "RangeError",
    "Report",
    "ShapeError",
    "SingularError",
    "Source",
    "Span",
    "SparseIndex",
    "SyntaxError",
    "__version__",
    "compile",
    "index",
    "load",
]

# Imported when they are asked for: text is compiled without numpy.
_LATER = {
    "Cost": "tadc.schedule.nest.cost",
    "Index": "tadc.runtime.index",
    "KernelCost": "tadc.schedule.nest.cost",
    "KernelPlan": "tadc.schedule.plan",
    "Plan": "tadc.schedule.plan",
    "Report": "tadc.check",
    "SparseIndex": "tadc.runtime.sparse",
    "index": "tadc.function.index",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module `tadc` has no attribute `{name}`")
