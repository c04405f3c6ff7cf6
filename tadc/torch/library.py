"""The one operator that torch knows of tadc: any program, any derivative of one, by its key."""

from __future__ import annotations

from typing import Any

import torch

from tadc.ir.element_types import INDEX

__all__ = ["NAMES", "TYPES", "call", "library"]

# torch's types by tadc's names, and back.
TYPES = {
    "float64": torch.float64,
    "float32": torch.float32,
    "float16": torch.float16,
    "bfloat16": torch.bfloat16,
    INDEX: torch.int64,
}
NAMES = {t: name for name, t in TYPES.items() if name != INDEX}  # of real numbers

library = torch.library.Library("tadc", "DEF")
# `sizes` are those of the program, all of them. `dtype` is the type of tensors without a declared one.
library.define(
    "call(str key, Tensor[] inputs, SymInt[] sizes, ScalarType dtype) -> Tensor[]",
    tags=(torch.Tag.pt2_compliant_tag, torch.Tag.needs_contiguous_strides),
)
call: Any = torch.ops.tadc.call.default
