"""What cannot read through index tensors yet says so."""

from __future__ import annotations

from typing import Protocol

from tadc.errors import BackendError

__all__ = ["refuse_data"]


class HasIndices(Protocol):
    @property
    def index_inputs(self) -> tuple[str, ...]: ...


def refuse_data(f: HasIndices, what: str, instead: str) -> None:
    """Raises BackendError for a function with index tensors, where `what` does not know them."""
    if f.index_inputs:
        raise BackendError(
            None,
            f"{what} does not know index tensors yet, and `{f.index_inputs[0]}` is one",
            fix=instead,
        )
