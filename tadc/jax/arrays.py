"""Functions called with arrays of JAX: `f(array)` by `wrap`; `vjp` and `jvp` on their memory, outside of JAX."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tadc.errors import ArgumentError
from tadc.function.foreign import mapped
from tadc.function.function import Function
from tadc.function.operator import result_types
from tadc.jax.wrap import Wrapped

__all__ = ["called", "jvp", "value_and_gradients", "vjp"]


def called(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], out: Any, accumulate: bool
) -> Any:
    """The outputs as arrays of JAX, which take part in its differentiation."""
    if out is not None or accumulate:
        raise _no_target()
    return Wrapped(f)(*arrays, **named)


def vjp(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Any, out: Any
) -> tuple[Any, Callable[..., Any]]:
    """As of arrays of numpy, with arrays of JAX in and out."""
    if out is not None:
        raise _no_target()
    inputs = dict(zip(f.inputs, arrays, strict=False)) | dict(named)
    outputs = result_types(f, _names(inputs))
    values, pullback = f.vjp(*map(_given, arrays), wrt=wrt, **mapped(_given, named))

    def pulled(*cotangents: Any, **options: Any) -> Any:
        return mapped(_array, pullback(*(mapped(_given, c) for c in cotangents), **options))

    return _results(values, outputs), pulled


def value_and_gradients(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], cotangent: Any, wrt: Any
) -> tuple[Any, dict[str, Any]]:
    """As of arrays of numpy, with arrays of JAX in and out."""
    inputs = dict(zip(f.inputs, arrays, strict=False)) | dict(named)
    seeds = tuple(map(_given, cotangent)) if isinstance(cotangent, tuple) else _given(cotangent)
    values, gradients = f.value_and_gradients(
        *map(_given, arrays), cotangent=seeds, wrt=wrt, **mapped(_given, named)
    )
    outputs = result_types(f, _names(inputs))
    return _results(values, outputs), {n: _array(g) for n, g in gradients.items()}


def jvp(
    f: Function,
    primals: Mapping[str, Any],
    tangents: Mapping[str, Any],
    out: Any,
    accumulate: bool,
) -> tuple[Any, Any]:
    """As of arrays of numpy, with arrays of JAX in and out."""
    values, slopes = f.jvp(
        mapped(_given, primals), mapped(_given, tangents), out=out, accumulate=accumulate
    )
    outputs = result_types(f, _names(primals))
    return _results(values, outputs), _results(slopes, outputs)


def _no_target() -> ArgumentError:
    return ArgumentError(
        None, "arrays of JAX cannot be written to", fix="leave `out` and `accumulate` out"
    )


def _names(values: Mapping[str, Any]) -> dict[str, str]:
    """The types of arrays of floating-point numbers."""
    arrays = {n: v for n, v in values.items() if isinstance(v, jax.Array)}
    return {n: v.dtype.name for n, v in arrays.items() if jnp.issubdtype(v.dtype, jnp.floating)}


def _results(results: Any, types: Sequence[str | None]) -> Any:
    """The outputs, or their tangents, as arrays of these types."""
    arrays = results if isinstance(results, tuple) else (results,)
    found = tuple(jnp.asarray(a, t) for a, t in zip(arrays, types, strict=True))
    return found if isinstance(results, tuple) else found[0]


def _given(value: Any) -> Any:
    """The memory of an array on a CPU as one of numpy, without a copy."""
    if not isinstance(value, jax.Array):
        return value
    try:
        return np.asarray(value)
    except Exception as error:  # that of a tracer
        raise ArgumentError(
            None,
            f"this array has no memory that can be read: {str(error).splitlines()[0]}",
            fix="within a transformation of JAX call `tadc.jax.wrap(f)` and differentiate that",
        ) from None


def _array(value: Any) -> Any:
    return jnp.asarray(value) if isinstance(value, np.ndarray) else value
