"""Names of JAX that are not public, all in one place: with a new version of JAX look here first. Tested with 0.10."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
from jax._src import core, dispatch, xla_bridge
from jax.extend.core import Primitive

__all__ = ["apply_primitive", "has_gpu", "resharded", "shaped"]

apply_primitive = dispatch.apply_primitive


def has_gpu() -> bool:
    """Whether JAX computes on a GPU of CUDA too."""
    return "cuda" in xla_bridge.backends()


def resharded(primitive: Primitive, arrays: Sequence[Any], **parameters: Any) -> list[Any]:
    """A bind of the primitive, within `shard_map` too, where arrays that are the same everywhere meet others."""
    found: list[Any] = primitive.bind(*core.auto_insert_reshard(*arrays), **parameters)
    return found


def shaped(shape: tuple[int, ...], dtype: Any, inputs: Sequence[Any]) -> jax.core.ShapedArray:
    """An abstract array, which varies along the axes of a mesh that the inputs vary along."""
    varying = next((a.mat for a in inputs if getattr(a, "mat", None) and a.mat.varying), None)
    if varying is None:
        return jax.core.ShapedArray(shape, dtype)
    spec = jax.sharding.PartitionSpec(*[None] * len(shape))
    return jax.core.ShapedArray(
        shape,
        dtype,
        manual_axis_type=core.ManualAxisType(varying=varying.varying),
        sharding=core.get_cur_mesh_sharding(spec),
    )
