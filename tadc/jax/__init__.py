"""tadc in JAX: `tadc.jax.wrap(f)` is a function that JAX transforms like its own."""

from __future__ import annotations

from tadc.jax.arrays import called, jvp, value_and_gradients, vjp
from tadc.jax.inverse import solved
from tadc.jax.sparse import sparse_parts
from tadc.jax.wrap import Wrapped, wrap

__all__ = [
    "Wrapped",
    "called",
    "jvp",
    "solved",
    "sparse_parts",
    "value_and_gradients",
    "vjp",
    "wrap",
]
