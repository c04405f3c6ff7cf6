"""What cannot read through index tensors yet says so."""

from __future__ import annotations

from typing import Any, Protocol

from tadc.errors import BackendError

__all__ = ["holds_floats", "refuse_data"]


class HasIndices(Protocol):
    @property
    def index_inputs(self) -> tuple[str, ...]: ...


def holds_floats(value: Any) -> bool:
    """Whether an argument is of floats: an array, a number, or a list that is no array of integers."""
    import numpy as np  # text is compiled without it

    is_floating = getattr(value, "is_floating_point", None)  # of torch
    if is_floating is not None:
        return bool(is_floating())
    dtype = getattr(value, "dtype", None)
    if dtype is None and isinstance(value, (float, list, tuple)):
        dtype = np.asarray(value).dtype
    return getattr(dtype, "kind", "") == "f"


def refuse_data(f: HasIndices, what: str, instead: str) -> None:
    """Raises BackendError for a function with index tensors, where `what` does not know them."""
    if f.index_inputs:
        raise BackendError(
            None,
            f"{what} does not know index tensors yet, and `{f.index_inputs[0]}` is one",
            fix=instead,
        )
