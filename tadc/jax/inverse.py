"""Inverse modes called with arrays of JAX: as programs, or, where their systems are too large for one, solved on the host.

What is solved on the host is a linear solve to JAX (`lax.custom_linear_solve`): `J(p) z = v`, whose product is the tangent program's,
and whose solution and transposed solution are calls back to the two modes. So all orders of derivatives follow, in every transformation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from tadc.errors import BackendError, ShapeError
from tadc.function.function import Function
from tadc.function.inverse_modes import InverseMode
from tadc.function.rolled import Rolled
from tadc.function.rolled_volume import volume_of
from tadc.jax.wrap import wrap

__all__ = ["solved"]


def solved(
    mode: InverseMode, given: Mapping[str, Any], sizes: Mapping[str, int], *, check: bool
) -> Any:
    """The outputs of a mode as arrays of JAX. Raises SingularError, unless the point is traced, and BackendError for a determinant
    of large systems that is traced.
    """
    shapes = {n: np.shape(x) for n, x in given.items()}
    program = mode.of_shapes(shapes, sizes)
    point = {n: given[n] for n in mode.of_function.inputs}
    is_known = not _is_traced(point.values())
    if program is None and is_known and not _is_traced(given.values()):
        results = mode(*map(_host, given.values()), check=check, **sizes)
        return jax.tree.map(jnp.asarray, results)
    if check and is_known:
        mode.check({n: _host(x) for n, x in point.items()} | dict(sizes))
    if program is not None:
        return program(*given.values())
    if mode.mode == "logdet" and (volume := volume_of(mode, shapes, sizes)) is not None:
        return wrap(volume)(*given.values())
    return _by_host(mode, given, shapes, sizes)


def _is_traced(values: Any) -> bool:
    return any(isinstance(x, jax.core.Tracer) for x in values)


def _host(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, jax.Array) else x


def _by_host(
    mode: InverseMode,
    given: Mapping[str, Any],
    shapes: Mapping[str, tuple[int, ...]],
    sizes: Mapping[str, int],
) -> Any:
    f = mode.of_function
    closed = mode.closed(shapes, sizes)
    if mode.mode == "logdet":
        raise BackendError(
            None,
            f"{mode.obstacle(closed)} has no program, which is what JAX traces",
            fix="call the mode outside of `jit` and `grad`, or let JAX call it back: `jax.pure_callback`",
        )
    reals = (x for n, x in given.items() if n not in f.index_inputs)
    dtype = jnp.promote_types(jnp.result_type(*reals, 1.0), jnp.float32)
    arrays = {n: jnp.asarray(x, None if n in f.index_inputs else dtype) for n, x in given.items()}
    point = [arrays[n] for n in f.inputs]
    vectors = [arrays[n] for n in mode.inputs[len(f.inputs) :]]
    extents = _extents(closed, arrays)
    for value, name in mode.given.items():
        if shapes[name] != extents[value]:
            raise ShapeError(
                None,
                f"`{name}` has the shape {shapes[name]}, and `{f.shown(value)}` {extents[value]}",
                fix="pass an array of that shape",
            )
    before, after = ([extents[n] for n in names] for names in (mode.sides.wrt, mode.sides.of))
    if mode.mode == "inverse-tangent":
        product, results = _tangent(mode, closed), before
    else:
        product, results = _adjoint(mode, closed, [extents[y] for y in closed.outputs]), after

    def solution(m: InverseMode, rows: Sequence[tuple[int, ...]]) -> Callable[[Any, Any], Any]:
        def by_host(b: Any, *at: Any) -> Any:
            parts = _unpacked(np.asarray(b), rows)
            found = m(*map(np.asarray, at), *parts, check=False, **sizes)
            return np.asarray(_packed(np, _listed(found)), dtype)

        def solve(_: Any, b: Any) -> Any:
            form = jax.ShapeDtypeStruct(b.shape, dtype)
            return jax.pure_callback(by_host, form, b, *point, vmap_method="sequential")

        return solve

    rows = [v.shape for v in vectors]
    z = jax.lax.custom_linear_solve(
        lambda z: _packed(jnp, product(point, _unpacked(z, results))).astype(dtype),
        _packed(jnp, vectors),
        solution(mode, rows),
        solution(mode.transposed(), results),
    )
    outputs = _unpacked(z, results)
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _extents(f: Function | Rolled, arrays: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The shapes of inputs and outputs."""
    if isinstance(f, Rolled):
        return {
            n: arrays[f.shown(n)].shape for n in (*f.inputs, *f.outputs) if f.shown(n) in arrays
        }
    return {n: tuple(e.constant for e in t.shape) for n, t in f.program.tensors.items()}


def _tangent(mode: InverseMode, f: Function | Rolled) -> Callable[[Any, Any], list[Any]]:
    tangent = wrap(f.tangent(mode.sides.wrt))

    def product(point: Sequence[Any], z: Sequence[Any]) -> list[Any]:
        by_name = dict(zip(f.outputs, _listed(tangent(*point, *z)), strict=True))
        return [by_name[y] for y in mode.sides.of]

    return product


def _adjoint(
    mode: InverseMode, f: Function | Rolled, shapes: Sequence[tuple[int, ...]]
) -> Callable[[Any, Any], list[Any]]:
    adjoint = wrap(f.adjoint(mode.sides.wrt))

    def product(point: Sequence[Any], z: Sequence[Any]) -> list[Any]:
        by_name = dict(zip(mode.sides.of, z, strict=True))
        zeros = (jnp.zeros(shape, z[0].dtype) for shape in shapes)
        seeds = [by_name.get(y, zero) for y, zero in zip(f.outputs, zeros, strict=True)]
        return list(_listed(adjoint(*point, *seeds)))

    return product


def _listed(results: Any) -> tuple[Any, ...]:
    return results if isinstance(results, tuple) else (results,)


def _packed(xp: Any, arrays: Sequence[Any]) -> Any:
    return xp.concatenate([xp.ravel(a) for a in arrays])


def _unpacked(packed: Any, shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    ends = np.cumsum([prod(s) for s in shapes])[:-1]
    parts = np.split(packed, ends) if isinstance(packed, np.ndarray) else jnp.split(packed, ends)
    return [p.reshape(s) for p, s in zip(parts, shapes, strict=True)]
