"""The one primitive that JAX knows of tadc: any program, any derivative of one. Its rules bind it again.

So forward and reverse derivatives of any order close, under every transformation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.dtypes import canonicalize_dtype, float0
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from tadc.errors import BackendError
from tadc.function.operator import Operator
from tadc.ir.element_types import INDEX
from tadc.jax.handler import TARGET, attributes, gpu_attributes
from tadc.jax.indices import memory_of
from tadc.jax.private import apply_primitive, resharded, shaped

__all__ = ["bound"]

call = Primitive("tadc_call")
call.multiple_results = True


def bound(operator: Operator, arrays: Sequence[Any], sizes: tuple[int, ...], dtype: str) -> Any:
    """The outputs. The arrays are of the types that the operator reads; `dtype` is that of tensors without a declared one."""
    return resharded(call, arrays, key=operator.key, sizes=sizes, dtype=dtype)


def _forms(
    operator: Operator, sizes: tuple[int, ...], dtype: str
) -> list[tuple[tuple[int, ...], Any]]:
    pairs = zip(operator.shapes(sizes), operator.outputs, strict=True)
    return [(shape, canonicalize_dtype(t.dtype or dtype)) for shape, t in pairs]


@call.def_abstract_eval
def _abstract(*inputs: Any, key: str, sizes: tuple[int, ...], dtype: str) -> list[Any]:
    return [shaped(shape, t, inputs) for shape, t in _forms(Operator.of_key(key), sizes, dtype)]


def _impl(*inputs: Any, key: str, sizes: tuple[int, ...], dtype: str) -> Any:
    operator = Operator.of_key(key)
    if not operator.reads_data:
        return apply_primitive(call, *inputs, key=key, sizes=sizes, dtype=dtype)
    # Outside of XLA errors are those of tadc, and an index has its lists.
    given = [memory_of(x) for x in inputs]
    return [jnp.asarray(y) for y in _run(operator, given, sizes, dtype)]


def _run(
    operator: Operator, arrays: Sequence[Any], sizes: tuple[int, ...], dtype: str
) -> list[Any]:
    results = operator.function.calls(arrays, operator.named(sizes))
    pairs = zip(results, _forms(operator, sizes, dtype), strict=True)
    return [np.broadcast_to(np.asarray(y, t), shape) for y, (shape, t) in pairs]


call.def_impl(_impl)


def _jvp(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    key: str,
    sizes: tuple[int, ...],
    dtype: str,
) -> tuple[Any, Any]:
    operator = Operator.of_key(key)
    outputs = bound(operator, primals, sizes, dtype)
    wrt = tuple(k for k, t in enumerate(tangents) if type(t) is not ad.Zero and t.dtype != float0)
    tangent, left = operator.tangent(wrt).pruned()
    given = (*primals, *(tangents[k] for k in wrt))
    slopes = bound(tangent, [given[k] for k in left], sizes, dtype)
    pairs = zip(outputs, operator.outputs, slopes, strict=True)
    return outputs, [np.zeros(y.shape, float0) if t.dtype == INDEX else d for y, t, d in pairs]


def _transpose(
    cotangents: Sequence[Any], *inputs: Any, key: str, sizes: tuple[int, ...], dtype: str
) -> list[Any]:
    """Those of the inputs that it is linear in, which are not given: the adjoint reads none of them."""
    operator = Operator.of_key(key)
    linear = tuple(k for k, x in enumerate(inputs) if ad.is_undefined_primal(x))
    adjoint, left = operator.adjoint(linear).pruned()
    pairs = zip(cotangents, _forms(operator, sizes, dtype), strict=True)
    seeds = [
        jnp.zeros(shape, dtype if t == np.int64 else t) if type(c) is ad.Zero else c
        for c, (shape, t) in pairs
    ]
    given = (*inputs, *seeds)
    found = iter(bound(adjoint, [given[k] for k in left], sizes, dtype))
    return [next(found) if k in linear else None for k in range(len(inputs))]


def _batch(
    inputs: Sequence[Any],
    dims: Sequence[int | None],
    *,
    key: str,
    sizes: tuple[int, ...],
    dtype: str,
) -> tuple[Any, list[int | None]]:
    operator = Operator.of_key(key)
    mapped = [k for k, d in enumerate(dims) if d is not None]
    count = inputs[mapped[0]].shape[dims[mapped[0]]]
    many = operator.batched(mapped)
    leading = [x if d is None else jnp.moveaxis(x, d, 0) for x, d in zip(inputs, dims, strict=True)]
    outputs = bound(many, leading, (*sizes, count), dtype)
    pairs = zip(many.outputs, operator.outputs, strict=True)
    return outputs, [0 if len(m.shape) > len(o.shape) else None for m, o in pairs]


def _lowered(ctx: Any, *operands: Any, key: str, sizes: tuple[int, ...], dtype: str) -> Any:
    operator = Operator.of_key(key)
    _refuse_checks(operator)
    named = None if operator.is_empty(sizes) else attributes(operator, sizes, dtype)
    if named is not None:
        return jax.ffi.ffi_lowering(TARGET)(ctx, *operands, **named)
    called_back = mlir.lower_fun(_by_callback, multiple_results=True)
    return called_back(ctx, *operands, key=key, sizes=sizes, dtype=dtype)


def _lowered_on_gpu(ctx: Any, *operands: Any, key: str, sizes: tuple[int, ...], dtype: str) -> Any:
    operator = Operator.of_key(key)
    _refuse_checks(operator)
    if operator.is_empty(sizes) or operator.reads_data:
        called_back = mlir.lower_fun(_by_callback, multiple_results=True)
        return called_back(ctx, *operands, key=key, sizes=sizes, dtype=dtype)
    named = gpu_attributes(operator, sizes, dtype)
    return jax.ffi.ffi_lowering(TARGET)(ctx, *operands, **named)


def _by_callback(*inputs: Any, key: str, sizes: tuple[int, ...], dtype: str) -> Any:
    """Where there is no native code: without a compiler, and where an extent is 0."""
    operator = Operator.of_key(key)
    forms = _forms(operator, sizes, dtype)

    def run(*arrays: Any) -> list[Any]:
        return _run(operator, [np.asarray(a) for a in arrays], sizes, dtype)

    return jax.pure_callback(run, [jax.ShapeDtypeStruct(*form) for form in forms], *inputs)


def _refuse_checks(operator: Operator) -> None:
    """Raises BackendError where elements of index tensors would be checked within a program of XLA, which has no errors."""
    if operator.reads_data and operator.function._options.bounds == "check":
        raise BackendError(
            None,
            "the elements of an index tensor are traced here, and are checked in no program of XLA",
            fix='compile with `bounds="nan"`, or close over the index arrays instead of passing them to `jit`',
        )


ad.primitive_jvps[call] = _jvp
ad.primitive_transposes[call] = _transpose
batching.primitive_batchers[call] = _batch
mlir.register_lowering(call, _lowered, platform="cpu")
mlir.register_lowering(call, _lowered_on_gpu, platform="cuda")
