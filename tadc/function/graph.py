"""`f.graph`: a call on a GPU, and its gradients, as a graph of CUDA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tadc.errors import ArgumentError
from tadc.function.derivatives import Wrt
from tadc.function.vjp import seeds
from tadc.runtime.cuda.arrays import on_one_device
from tadc.runtime.cuda.graph import Graph, of_gpu

if TYPE_CHECKING:
    from tadc.function.function import Function

__all__ = ["graph"]


def graph(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], cotangents: Any, wrt: Wrt
) -> Graph:
    """The graph of a call; with `cotangents` of the call and its pullback. It has kernels of tadc's own alone.

    CuPy's cuBLAS raises under a capture: it has a stream and a workspace of its own to set.
    """
    f = f._of(replace(f._origin, options=replace(f._options, blas=False)))
    bound = f.calls.bound(arrays, named)
    given = {**dict(zip(f.inputs, arrays, strict=False)), **named}
    inputs = of_gpu({n: given[n] for n in f.inputs})
    if not inputs or f._program.is_empty(bound.sizes):
        raise ArgumentError(None, "this call has nothing to launch", fix="call the function")
    arguments: dict[str, Any] = {**inputs, **bound.given}
    if cotangents is None:
        return Graph(lambda: f(**arguments), on_one_device(inputs.items()))
    pairs = zip(f.outputs, seeds(f.outputs, cotangents), strict=True)
    on_gpu = of_gpu({f"d{o}": v for o, v in pairs if v is not None})
    on_device = tuple(on_gpu.get(f"d{o}") for o in f.outputs)

    def call() -> tuple[Any, dict[str, Any]]:
        values, pullback = f.vjp(wrt=wrt, **arguments)
        return values, pullback(*on_device)

    return Graph(call, on_one_device([*inputs.items(), *on_gpu.items()]))
