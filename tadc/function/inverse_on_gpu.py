"""Inverse modes called with arrays of a GPU: as programs, or, where systems are too large for one, step by step, by solvers of CuPy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc.function.rolled import Rolled
from tadc.runtime.cuda.arrays import as_gpu_array, cupy, is_gpu_array, on_host

if TYPE_CHECKING:
    from tadc.function.inverse_modes import InverseMode

__all__ = ["solved"]


def solved(
    mode: InverseMode, given: Mapping[str, Any], sizes: Mapping[str, int], *, check: bool
) -> Any:
    """The outputs of a mode as arrays of CuPy. Raises SingularError; for one of a program the point is copied to the host."""
    shapes = {n: np.shape(x) for n, x in given.items()}
    f = mode.closed(shapes, sizes)
    if isinstance(f, Rolled):
        results = mode(*map(on_host, given.values()), check=check, **sizes)
        asarray = cupy().asarray
        return tuple(map(asarray, results)) if isinstance(results, tuple) else asarray(results)
    program = mode.of_shapes(shapes, sizes)
    if program is not None:
        if check:
            mode.check({n: on_host(given[n]) for n in f.inputs} | dict(sizes))
        return program(*given.values())
    dtypes = [a.dtype for a in given.values() if is_gpu_array(a) and a.dtype.kind == "f"]
    dtype = np.result_type(*dtypes, np.float32) if dtypes else np.dtype(float)
    types = {t.name: np.dtype(t.dtype or dtype) for t in f.program.inputs}
    values = {n: as_gpu_array(n, given[n]).astype(types[n], copy=False) for n in f.inputs}
    vectors = {v: given[name] for v, name in mode.given.items()}
    return mode.at(f, values, mode.vectors(f, values, vectors), check=check)
