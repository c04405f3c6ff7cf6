"""Inverse modes called with arrays of JAX: as programs, which JAX compiles and derives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import jax
import numpy as np

from tadc.errors import BackendError
from tadc.function.inverse_modes import InverseMode

__all__ = ["solved"]


def solved(
    mode: InverseMode, given: Mapping[str, Any], sizes: Mapping[str, int], *, check: bool
) -> Any:
    """The outputs of a mode as arrays of JAX. Raises SingularError, unless the call is traced, and BackendError for systems that are too large."""
    program = mode.of_shapes({n: np.shape(x) for n, x in given.items()}, sizes)
    if program is None:
        raise BackendError(
            None,
            "JAX takes inverse modes as programs, and the systems of this one are too large for that",
            fix="pass arrays of numpy: `np.asarray(x)`, within JAX by `jax.pure_callback`",
        )
    point = {n: given[n] for n in mode.of_function.inputs}
    if check and not any(isinstance(x, jax.core.Tracer) for x in point.values()):
        mode.check({n: _host(x) for n, x in point.items()} | dict(sizes))
    return program(*given.values())


def _host(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, jax.Array) else x
