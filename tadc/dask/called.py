"""Calls of functions with Dask arrays among their arguments: answers for `f(x)`, `f.vjp`, `f.jvp`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import dask.array as da
from dask._task_spec import Task, TaskRef
from dask.base import tokenize
from dask.highlevelgraph import HighLevelGraph

from tadc.dask.wrap import wrap
from tadc.function.derivatives import Wrt
from tadc.function.function import Function

__all__ = ["called", "jvp", "later", "value_and_gradients", "vjp"]


def called(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], out: Any, accumulate: bool
) -> Any:
    return wrap(f)(*arrays, out=out, accumulate=accumulate, **named)


def vjp(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Wrt, out: Any
) -> tuple[Any, Callable[..., dict[str, Any]]]:
    return wrap(f).vjp(*arrays, wrt=wrt, out=out, **named)


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
    return wrap(f).jvp(primals, tangents, out=out, accumulate=accumulate)


def later(made: Callable[[Any], Any], values: Any, shape: tuple[int, ...]) -> Any:
    """The sparse array of this shape that `made` makes of its values: a Dask array of one chunk, which is sparse.

    (A `dask.delayed` beside Dask arrays in a dict would be exchanged with one of these by `dask.compute`.)
    """
    values = values.rechunk(-1)
    name = f"sparse-{tokenize(made, values.name)}"
    key = (name, *(0 for _ in shape))
    task = Task(key, made, TaskRef((values.name, 0)))
    graph = HighLevelGraph.from_collections(name, {key: task}, dependencies=[values])
    return da.Array(graph, name, chunks=tuple((n,) for n in shape), dtype=values.dtype)
