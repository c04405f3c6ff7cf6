"""The one primitive that JAX knows of tadc: any program, any derivative of one. Its rules bind it again.

So forward and reverse derivatives of any order close, under every transformation. Sizes are numbers; where some are None, the last
operand, an array of integers, has their values, which no shape depends on. So does the index of a loop that JAX runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

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

__all__ = ["Sizes", "bound"]

Sizes: TypeAlias = tuple[int | None, ...]

call = Primitive("tadc_call")
call.multiple_results = True


def bound(operator: Operator, arrays: Sequence[Any], sizes: Sizes, dtype: str) -> Any:
    """The outputs. The arrays are of the types that the operator reads; `dtype` is that of tensors without a declared one.

    Raises BackendError for extents without numbers, as of `jax.export.symbolic_shape`: programs are made for numbers.
    """
    symbolic = [n for n in sizes if not (n is None or isinstance(n, (int, np.integer)))]
    if symbolic:
        raise BackendError(
            None,
            f"`{symbolic[0]}` is an extent without a number, and native code is made for numbers",
            fix="export or trace the function for arrays of given shapes",
        )
    return resharded(call, arrays, key=operator.key, sizes=sizes, dtype=dtype)


def _forms(operator: Operator, sizes: Sizes, dtype: str) -> list[tuple[tuple[int, ...], Any]]:
    pairs = zip(operator.shapes(_with(sizes)), operator.outputs, strict=True)
    return [(shape, canonicalize_dtype(t.dtype or dtype)) for shape, t in pairs]


@call.def_abstract_eval
def _abstract(*inputs: Any, key: str, sizes: Sizes, dtype: str) -> list[Any]:
    return [shaped(shape, t, inputs) for shape, t in _forms(Operator.of_key(key), sizes, dtype)]


def _impl(*inputs: Any, key: str, sizes: Sizes, dtype: str) -> Any:
    operator = Operator.of_key(key)
    arrays, values = _parted(inputs, sizes)
    numbers = _with(sizes, *map(np.asarray, values))
    if not operator.reads_data:
        return apply_primitive(call, *arrays, key=key, sizes=numbers, dtype=dtype)
    # Outside of XLA errors are those of tadc, and an index has its lists.
    given = [memory_of(x) for x in arrays]
    return [jnp.asarray(y) for y in _run(operator, given, numbers, dtype)]


def _run(
    operator: Operator, arrays: Sequence[Any], sizes: tuple[int, ...], dtype: str
) -> list[Any]:
    results = operator.function.calls(arrays, operator.named(sizes))
    pairs = zip(results, _forms(operator, sizes, dtype), strict=True)
    return [np.broadcast_to(np.asarray(y, t), shape) for y, (shape, t) in pairs]


call.def_impl(_impl)


def _with(sizes: Sizes, values: Iterable[Any] | None = None) -> tuple[int, ...]:
    """The sizes with these values for those that are None, or with any."""
    given = iter(map(int, values) if values is not None else (1 for s in sizes if s is None))
    return tuple(next(given) if s is None else s for s in sizes)


def _known(operator: Operator, sizes: Sizes) -> tuple[int, ...] | None:
    """The sizes, where all have numbers now and no extent is 0."""
    numbers = _with(sizes)
    return None if None in sizes or operator.is_empty(numbers) else numbers


def _parted(inputs: Sequence[Any], sizes: Sizes) -> tuple[Sequence[Any], Sequence[Any]]:
    """The inputs of the operator, and the operand with values of sizes, if there is one."""
    return (inputs[:-1], inputs[-1:]) if None in sizes else (inputs, ())


def _jvp(
    primals: Sequence[Any],
    tangents: Sequence[Any],
    *,
    key: str,
    sizes: Sizes,
    dtype: str,
) -> tuple[Any, Any]:
    operator = Operator.of_key(key)
    inputs, values = _parted(primals, sizes)
    outputs = bound(operator, primals, sizes, dtype)
    wrt = tuple(k for k, t in enumerate(tangents) if type(t) is not ad.Zero and t.dtype != float0)
    tangent, left = operator.tangent(wrt).pruned()
    given = (*inputs, *(tangents[k] for k in wrt))
    slopes = bound(tangent, [*(given[k] for k in left), *values], sizes, dtype)
    pairs = zip(outputs, operator.outputs, slopes, strict=True)
    return outputs, [np.zeros(y.shape, float0) if t.dtype == INDEX else d for y, t, d in pairs]


def _transpose(
    cotangents: Sequence[Any], *operands: Any, key: str, sizes: Sizes, dtype: str
) -> list[Any]:
    """Those of the inputs that it is linear in, which are not given: the adjoint reads none of them."""
    operator = Operator.of_key(key)
    inputs, values = _parted(operands, sizes)
    linear = tuple(k for k, x in enumerate(inputs) if ad.is_undefined_primal(x))
    adjoint, left = operator.adjoint(linear).pruned()
    pairs = zip(cotangents, _forms(operator, sizes, dtype), strict=True)
    seeds = [
        jnp.zeros(shape, dtype if t == np.int64 else t) if type(c) is ad.Zero else c
        for c, (shape, t) in pairs
    ]
    given = (*inputs, *seeds)
    found = iter(bound(adjoint, [*(given[k] for k in left), *values], sizes, dtype))
    return [next(found) if k in linear else None for k in range(len(operands))]


def _batch(
    inputs: Sequence[Any],
    dims: Sequence[int | None],
    *,
    key: str,
    sizes: Sizes,
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


def _lowered(ctx: Any, *operands: Any, key: str, sizes: Sizes, dtype: str) -> Any:
    operator = Operator.of_key(key)
    _refuse_checks(operator)
    numbers = _known(operator, sizes)
    named = None if numbers is None else attributes(operator, numbers, dtype)
    if named is not None:
        return jax.ffi.ffi_lowering(TARGET)(ctx, *operands, **named)
    called_back = mlir.lower_fun(_by_callback, multiple_results=True)
    return called_back(ctx, *operands, key=key, sizes=sizes, dtype=dtype)


def _lowered_on_gpu(ctx: Any, *operands: Any, key: str, sizes: Sizes, dtype: str) -> Any:
    operator = Operator.of_key(key)
    _refuse_checks(operator)
    numbers = _known(operator, sizes)
    if numbers is None or operator.reads_data:
        called_back = mlir.lower_fun(_by_callback, multiple_results=True)
        return called_back(ctx, *operands, key=key, sizes=sizes, dtype=dtype)
    named = gpu_attributes(operator, numbers, dtype)
    return jax.ffi.ffi_lowering(TARGET)(ctx, *operands, **named)


def _by_callback(*inputs: Any, key: str, sizes: Sizes, dtype: str) -> Any:
    """Where there is no native code: without a compiler, where an extent is 0, and for sizes that an operand gives."""
    operator = Operator.of_key(key)
    forms = _forms(operator, sizes, dtype)

    def run(*operands: Any) -> list[Any]:
        arrays, values = _parted([np.asarray(a) for a in operands], sizes)
        return _run(operator, arrays, _with(sizes, *values), dtype)

    return jax.pure_callback(run, [jax.ShapeDtypeStruct(*form) for form in forms], *inputs)


def _refuse_checks(operator: Operator) -> None:
    """Raises BackendError where elements of index tensors would be checked within a program of XLA, which has no errors."""
    if not operator.reads_data or operator.function._options.bounds != "check":
        return
    instead = 'compile with `bounds="nan"`: outputs are NaN then if an element leads outside'
    for s in operator.program.statements:
        if s.target.dtype == INDEX:
            raise BackendError(
                None,
                f"`{s.target.name}` is computed here and read as an index, and no program of XLA checks its elements",
                fix=instead,
            )
    names = " and ".join(f"`{t.name}`" for t in operator.inputs if t.dtype == INDEX)
    raise BackendError(
        None,
        f"elements of {names} are traced here, and no program of XLA checks them",
        fix=f"{instead}; or close over the index arrays instead of passing them to `jit`",
    )


ad.primitive_jvps[call] = _jvp
ad.primitive_transposes[call] = _transpose
batching.primitive_batchers[call] = _batch
mlir.register_lowering(call, _lowered, platform="cpu")
mlir.register_lowering(call, _lowered_on_gpu, platform="cuda")
