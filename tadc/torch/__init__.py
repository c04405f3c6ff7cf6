"""tadc in PyTorch: `tadc.torch.wrap(f)` is a module whose results take part in torch's differentiation."""

from __future__ import annotations

import tadc.torch.operator  # noqa: F401 (torch is told of it)
from tadc.torch.arrays import called, jvp, value_and_gradients, vjp
from tadc.torch.inverse import solved
from tadc.torch.module import Module, wrap
from tadc.torch.sparse import sparse_parts

__all__ = [
    "Module",
    "called",
    "jvp",
    "solved",
    "sparse_parts",
    "value_and_gradients",
    "vjp",
    "wrap",
]
