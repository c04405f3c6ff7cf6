"""`tadc.jax.wrap`: a function as one of JAX. Arguments are checked, promoted and put in order here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from tadc.errors import ArgumentError, BackendError
from tadc.function.foreign import other_kinds
from tadc.function.function import Function
from tadc.function.operator import Operator, Typed, arguments
from tadc.function.sparse import SparseFunction
from tadc.ir.element_types import ELEMENT_TYPES, HALF_TYPES, INDEX
from tadc.jax.indices import array_of, memory_of
from tadc.jax.primitive import bound
from tadc.jax.rounds import Long, by_rounds
from tadc.runtime.arguments import NUMBERS, promoted_beside
from tadc.runtime.index import Index, as_index

__all__ = ["Wrapped", "wrap"]

INTEGERS = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64"
KNOWN = {*ELEMENT_TYPES, *INTEGERS.split()}


def wrap(f: Function | Long) -> Wrapped | SparseWrapped:
    """The function for arrays of JAX: `g(*arrays, **sizes)` is an array, or a tuple of them in the order of `f.outputs`.

    It takes tracers, so `jit`, `grad`, `vmap` and all other transformations, in any order. Sizes are Python's integers.
    Raises ArgumentError for what is no function of tadc.
    """
    if isinstance(f, SparseFunction):
        return SparseWrapped(f)
    if not isinstance(f, (Function, Long)):
        raise ArgumentError(
            None, f"`f` is {type(f).__name__}", fix="give what `tadc.compile` or `load` returned"
        )
    return Wrapped(f)


class Wrapped:
    """A function of tadc on arrays of JAX. The results are of the type that the arrays promote to.

    Raises ArgumentError, ShapeError, RangeError and BackendError for arguments that do not fit, while tracing too.
    """

    def __init__(self, function: Function | Long) -> None:
        self.function = function
        self.__name__ = function.name
        self.__signature__ = function.__signature__

    def __repr__(self) -> str:
        return f"tadc.jax.wrap({self.function!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Wrapped, (self.function,)

    def __call__(self, /, *arrays: Any, **named: Any) -> Any:
        f = self.function.with_values(arrays, named)
        values, given = arguments(f, arrays, named)
        inputs = _arrays(f, values)
        shapes = tuple(x.shape for x in inputs)
        if isinstance(f, Function) and f.open_sizes:
            f, given = f.of_shapes(dict(zip(f.inputs, shapes, strict=True)), given)
        numbers = {n for n, v in zip(f.inputs, values, strict=True) if type(v) in NUMBERS}
        dtype = _element_type(f, inputs, numbers)
        computed = "float32" if dtype in HALF_TYPES else dtype
        _check_types(f, computed)
        if not isinstance(f, Function):
            outputs = by_rounds(f, _typed(f, inputs, computed), given, computed)
        else:
            operator = Operator.of(f)
            sizes = operator.sizes(shapes, given)
            operator = _checked(operator, inputs, sizes)
            outputs = bound(operator, _typed(f, inputs, computed), sizes, computed)
        if dtype != computed:
            pairs = zip(f.outputs, outputs, strict=True)
            outputs = [y if f.declared(n) else y.astype(dtype) for n, y in pairs]
        return outputs[0] if len(outputs) == 1 else tuple(outputs)


class SparseWrapped:
    """A function with sparse tensors on arrays of JAX, which are tuples of values and index arrays."""

    def __init__(self, function: SparseFunction) -> None:
        self.function = function
        self._wrapped = Wrapped(function.plain)
        self.__name__ = function.name
        self.__signature__ = function.__signature__

    def __repr__(self) -> str:
        return f"tadc.jax.wrap({self.function!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return SparseWrapped, (self.function,)

    def __call__(self, /, *arrays: Any, **named: Any) -> Any:
        return self.function.called_by(self._wrapped, arrays, named)


def _arrays(f: Typed, values: Sequence[Any]) -> list[Any]:
    """The arguments as arrays of JAX. Raises BackendError for arrays of other frameworks, ArgumentError for what is none."""
    named: Mapping[str, Any] = dict(zip(f.inputs, values, strict=True))
    here = next((n for n, v in named.items() if isinstance(v, jax.Array)), "")
    result = []
    indices = f.index_inputs
    for name, value in named.items():
        if name in indices and not isinstance(value, jax.Array):
            result.append(array_of(name, as_index(name, value)))
            continue
        kind = None if isinstance(value, jax.Array) else other_kinds(value)
        if here and kind not in (None, "numpy", "ml_dtypes"):
            raise BackendError(
                None,
                f"`{here}` is an array of JAX, and `{name}` one of {kind}",
                fix=f"pass `jnp.asarray({name})`",
            )
        try:
            x = jnp.asarray(value)
        except Exception as error:  # whatever a foreign object raises
            raise ArgumentError(
                None, f"`{name}` is no array: {error}", fix="pass an array of JAX"
            ) from None
        if x.dtype.name not in KNOWN:
            raise ArgumentError(
                None, f"`{name}` has elements of type {x.dtype}", fix="pass real numbers"
            )
        result.append(x)
    return result


def _element_type(f: Typed, arrays: Sequence[Any], numbers: set[str]) -> str:
    """The type of tensors without a declared one. Python's numbers and weak types do not promote."""
    chosen = f._options.dtype
    if chosen in HALF_TYPES:
        raise BackendError(
            None,
            f"`dtype='{chosen}'` is for arrays on a GPU, and this call computes on the CPU",
            fix=f"leave `dtype` out: then arrays of {chosen} are computed in float32",
        )
    if chosen is not None:
        return chosen
    pairs = zip(f.inputs, arrays, strict=True)
    strong = {n: x.dtype.name for n, x in pairs if not (n in numbers or x.weak_type)}
    found = promoted_beside({n: t for n in f.inputs if (t := f.declared(n))}, strong)
    default = "float64" if jax.config.jax_enable_x64 else "float32"
    return default if found in (None, "float64") else found


def _checked(operator: Operator, inputs: Sequence[Any], sizes: tuple[int, ...]) -> Operator:
    """The operator without checks of index tensors, if these are all known now and have passed.

    What a program computes is checked when it is run.
    """
    if not operator.reads_data or operator.function._options.bounds != "check":
        return operator
    held: dict[str, Index] = {}
    for t, x in zip(operator.inputs, inputs, strict=True):
        if t.dtype == INDEX:
            _check_integers(t.name, x)
            if isinstance(x, jax.core.Tracer):
                return operator
            held[t.name] = as_index(t.name, memory_of(x))
    operator.function.calls.check_indices(held, operator.named(sizes))
    computed = any(s.target.dtype == INDEX for s in operator.program.statements)
    return operator if computed else operator.trusting


def _check_integers(name: str, x: Any) -> None:
    if not jnp.issubdtype(x.dtype, jnp.integer):
        raise ArgumentError(
            None,
            f"`{name}` is used as an index here, and is {x.dtype}",
            fix=f"pass integers: `{name}.astype(int)`",
        )


def _check_types(f: Typed, dtype: str) -> None:
    names = (*f.inputs, *f.outputs)
    wide = next((n for n in names if (f.declared(n) or dtype) == "float64"), None)
    if wide is not None and not jax.config.jax_enable_x64:
        raise BackendError(
            None,
            f"`{wide}` is float64, which JAX does not have here",
            fix="call `jax.config.update('jax_enable_x64', True)` first",
        )


def _typed(f: Typed, arrays: Sequence[Any], dtype: str) -> list[Any]:
    """The arrays in the types that the function reads. Raises ArgumentError where one would lose digits."""
    typed = []
    for name, x in zip(f.inputs, arrays, strict=True):
        declared = f.declared(name)
        if declared == INDEX:
            _check_integers(name, x)
            typed.append(x)
            continue
        wanted = jnp.dtype(declared or dtype)
        is_float = jnp.issubdtype(x.dtype, jnp.floating) and not x.weak_type
        if declared and is_float and x.dtype.itemsize > wanted.itemsize:
            raise ArgumentError(
                None,
                f"`{name}` is declared {declared}, and the array is {x.dtype}",
                fix=f"convert it: `{name}.astype('{declared}')`",
            )
        typed.append(x if x.dtype == wanted else x.astype(wanted))
    return typed
