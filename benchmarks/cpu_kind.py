"""A formula that tadc and PyTorch compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

__all__ = ["Kind"]


@dataclass(frozen=True)
class Kind:
    """`text` of tadc, the shapes of its inputs, and the same in PyTorch. Inputs are random from `-scale` to `scale`."""

    name: str
    text: str
    shapes: tuple[tuple[int, ...], ...]
    in_torch: Callable[..., torch.Tensor]
    scale: float = 1.0
    tolerance: float = 1e-4  # of the largest value
