"""Functions called with tensors: `f(tensor)` by `wrap`; `vjp`, `jvp` and `out` on their memory, outside of autograd."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.autograd.graph import increment_version

from tadc.errors import ArgumentError
from tadc.function.foreign import mapped
from tadc.function.function import Function
from tadc.function.operator import result_types
from tadc.torch.library import NAMES, TYPES
from tadc.torch.module import Module

__all__ = ["called", "jvp", "value_and_gradients", "vjp"]


def called(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], out: Any, accumulate: bool
) -> Any:
    """The outputs as tensors, which take part in torch's differentiation; in those of `out` they do not."""
    if out is None and not accumulate:
        if "torch" not in f._wrapped:
            f._wrapped["torch"] = Module(f)
        return f._wrapped["torch"](*arrays, **named)
    with _Written(out, (*arrays, *named.values())) as into:
        f(*map(_given, arrays), out=into, accumulate=accumulate, **mapped(_given, named))
    by_name = out if isinstance(out, dict) else dict(zip(f.outputs, _tensors(out), strict=True))
    found = tuple(by_name[n] for n in f.outputs if n in by_name)
    return found[0] if len(found) == 1 else found


def vjp(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], wrt: Any, out: Any
) -> tuple[Any, Callable[..., Any]]:
    """As of arrays of numpy, with tensors in and out."""
    inputs = dict(zip(f.inputs, arrays, strict=False)) | dict(named)
    types = {n: x.dtype for n, x in inputs.items() if isinstance(x, Tensor)}
    outputs = result_types(f, _names(types))
    with _Written(out, inputs.values()) as into:
        given = map(_given, arrays)
        values, pullback = f.vjp(*given, wrt=wrt, out=into, **mapped(_given, named))

    def pulled(*cotangents: Any, out: Any = None, accumulate: bool = False) -> Any:
        seeds = [mapped(_given, c) for c in cotangents]
        with _Written(out, ()) as into:
            gradients = pullback(*seeds, out=into, accumulate=accumulate)
        return _gradients(gradients, types)

    return _results(values, outputs), pulled


def value_and_gradients(
    f: Function, arrays: Sequence[Any], named: Mapping[str, Any], cotangent: Any, wrt: Any
) -> tuple[Any, dict[str, Any]]:
    """As of arrays of numpy, with tensors in and out."""
    inputs = dict(zip(f.inputs, arrays, strict=False)) | dict(named)
    types = {n: x.dtype for n, x in inputs.items() if isinstance(x, Tensor)}
    seeds = tuple(map(_given, cotangent)) if isinstance(cotangent, tuple) else _given(cotangent)
    values, gradients = f.value_and_gradients(
        *map(_given, arrays), cotangent=seeds, wrt=wrt, **mapped(_given, named)
    )
    return _results(values, result_types(f, _names(types))), _gradients(gradients, types)


def jvp(
    f: Function,
    primals: Mapping[str, Any],
    tangents: Mapping[str, Any],
    out: Any,
    accumulate: bool,
) -> tuple[Any, Any]:
    """As of arrays of numpy, with tensors in and out."""
    types = {n: x.dtype for n, x in primals.items() if isinstance(x, Tensor)}
    outputs = result_types(f, _names(types))
    with _Written(out, (*primals.values(), *tangents.values())) as into:
        values, slopes = f.jvp(
            mapped(_given, primals), mapped(_given, tangents), out=into, accumulate=accumulate
        )
    return _results(values, outputs), _results(slopes, outputs)


class _Written:
    """Tensors of `out` as arrays that are written to. torch is told afterwards, so that it notices in a backward pass.

    Raises ArgumentError where one of them or of the inputs requires a gradient, and for memory that is not to be written.
    """

    def __init__(self, out: Any, inputs: Any) -> None:
        self._out = out
        self._inputs = tuple(inputs)

    def __enter__(self) -> Any:
        written = _tensors(self._out)
        everything = (*self._inputs, *written) if written else ()
        if torch.is_grad_enabled() and any(map(_requires_grad, everything)):
            raise ArgumentError(
                None,
                "`out` is written to, and one of the tensors requires a gradient",
                fix="leave `out` out, or call within `torch.no_grad()`",
            )
        return mapped(_target, self._out)

    def __exit__(self, *_: object) -> None:
        for x in _tensors(self._out):
            if isinstance(x, Tensor) and not x.is_inference():
                increment_version(x)


def _given(value: Any) -> Any:
    """The tensor's memory as an array of numpy, or of CuPy, to be read."""
    if not isinstance(value, Tensor):
        return value
    try:
        x = value.detach().resolve_neg()
        if x.is_cuda:
            return x  # it comes in by DLPack
        return (x.float() if x.dtype is torch.bfloat16 else x).numpy()
    except Exception as error:  # whatever a wrapped or symbolic tensor raises
        raise ArgumentError(
            None,
            f"this tensor has no memory that can be read: {error}",
            fix="within a transformation of torch call `tadc.torch.wrap(f)` and differentiate that",
        ) from None


def _target(value: Any) -> Any:
    """The tensor's own memory as an array, to be written to."""
    if not isinstance(value, Tensor):
        return value
    if value.dtype is torch.bfloat16 or value.is_neg() or value._is_zerotensor():
        what = (
            "has elements of bfloat16"
            if value.dtype is torch.bfloat16
            else "is a view with another sign"
        )
        raise ArgumentError(
            None, f"a tensor of `out` {what}", fix="pass a new one of float32 or float64"
        )
    return _given(value)


def _names(types: Mapping[str, torch.dtype]) -> dict[str, str]:
    return {n: NAMES[t] for n, t in types.items() if t in NAMES}


def _results(results: Any, types: Sequence[str | None]) -> Any:
    """The outputs, or their tangents, as tensors of these types."""
    arrays = results if isinstance(results, tuple) else (results,)
    pairs = zip(arrays, types, strict=True)
    tensors = tuple(_tensor(a, TYPES[t] if t else None) for a, t in pairs)
    return tensors if isinstance(results, tuple) else tensors[0]


def _gradients(gradients: Mapping[str, Any], types: Mapping[str, torch.dtype]) -> dict[str, Tensor]:
    """The gradients as tensors of their inputs' types; by integers, of the type that they are computed in."""
    real = {n: t for n, t in types.items() if t.is_floating_point}
    return {n: _tensor(g, real.get(n)) for n, g in gradients.items()}


def _tensor(value: Any, dtype: torch.dtype | None) -> Any:
    """An array as a tensor, of this type if one is given."""
    if not isinstance(value, Tensor):
        on_cpu = getattr(value, "device", "cpu") == "cpu"
        value = torch.from_numpy(value) if on_cpu else torch.from_dlpack(value)
    return value if dtype is None or not value.is_floating_point() else value.to(dtype)


def _tensors(out: Any) -> tuple[Any, ...]:
    if out is None:
        return ()
    if isinstance(out, Mapping):
        return tuple(out.values())
    return tuple(out) if isinstance(out, (tuple, list)) else (out,)


def _requires_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad
