"""Inverse modes called with arrays of a GPU: as programs, which run there, or, where systems are too large for one, on the host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tadc.runtime.cuda.arrays import as_gpu_array, cupy, is_on_gpu

if TYPE_CHECKING:
    from tadc.function.inverse_modes import InverseMode

__all__ = ["solved"]


def solved(
    mode: InverseMode, given: Mapping[str, Any], sizes: Mapping[str, int], *, check: bool
) -> Any:
    """The outputs of a mode as arrays of CuPy. Raises SingularError, for which the point is copied to the host."""
    program = mode.of_shapes({n: np.shape(x) for n, x in given.items()}, sizes)
    if program is None:
        results = mode(*(_host(n, x) for n, x in given.items()), check=check, **sizes)
        xp = cupy()
        return (
            tuple(map(xp.asarray, results)) if isinstance(results, tuple) else xp.asarray(results)
        )
    if check:
        mode.check({n: _host(n, given[n]) for n in mode.of_function.inputs} | dict(sizes))
    return program(*given.values())


def _host(name: str, x: Any) -> Any:
    return cupy().asnumpy(as_gpu_array(name, x)) if is_on_gpu(x) else x
