"""What a user may choose when compiling. Decided once, at the edge; nothing further in reads an environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["BACKENDS", "DTYPES", "Options"]

BACKENDS = ("auto", "numpy", "native", "cuda", "interpreter")
DTYPES = ("float32", "float64", "float16", "bfloat16")
MEMORY = ("auto", "recompute", "materialize")


@dataclass(frozen=True, slots=True)
class Options:
    """`dtype` None: that of the arrays of a call, float32 in generated text. `sizes` are numbers for sizes."""

    dtype: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    backend: str = "auto"
    memory: str = "auto"
    blas: bool = True
    index_base: int = 0
    name: str | None = None
    threads: int | None = None
    memory_limit: int | None = None
    fast_math: bool = False
