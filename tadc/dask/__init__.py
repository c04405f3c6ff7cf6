"""tadc on Dask arrays: `f(x)` of lazy arrays is lazy, a task a block; `tadc.dask.wrap(f)` has choices and plans."""

from __future__ import annotations

from tadc.dask.called import called, jvp, later, value_and_gradients, vjp
from tadc.dask.plan import Plan
from tadc.dask.wrap import DaskFunction, SparseDaskFunction, wrap

__all__ = [
    "DaskFunction",
    "Plan",
    "SparseDaskFunction",
    "called",
    "jvp",
    "later",
    "value_and_gradients",
    "vjp",
    "wrap",
]
