"""Calls of functions with Dask arrays among their arguments: answers for `f(x)`, `f.vjp`, `f.jvp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tadc.dask.wrap import wrap
from tadc.errors import ArgumentError
from tadc.function.derivatives import Wrt
from tadc.function.function import Function

__all__ = ["called", "jvp", "value_and_gradients", "vjp"]


def called(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], out: Any, accumulate: bool
) -> Any:
    _refuse_out(out, accumulate)
    return wrap(f)(*arrays, **named)


def vjp(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt, out: Any
) -> tuple[Any, Callable[..., dict[str, Any]]]:
    _refuse_out(out, False)
    return wrap(f).vjp(*arrays, wrt=wrt, **named)


def value_and_gradients(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], cotangent: Any, wrt: Wrt
) -> tuple[Any, dict[str, Any]]:
    return wrap(f).value_and_gradients(*arrays, cotangent=cotangent, wrt=wrt, **named)


def jvp(
    f: Function,
    primals: Mapping[str, Any],
    tangents: Mapping[str, Any],
    out: Any,
    accumulate: bool,
) -> tuple[Any, Any]:
    _refuse_out(out, accumulate)
    return wrap(f).jvp(primals, tangents)


def _refuse_out(out: Any, accumulate: bool) -> None:
    if out is not None or accumulate:
        raise ArgumentError(
            None,
            "`out` and `accumulate` are not for Dask arrays, which are not computed yet",
            fix="use `dask.array.store(result, target)`",
        )
