"""What cannot read through index tensors yet says so."""

from __future__ import annotations

from typing import Any, Protocol

from tadc.errors import BackendError, Span
from tadc.syntax import ast
from tadc.syntax.nodes import nodes

__all__ = ["holds_floats", "place_of_read", "refuse_data"]


class HasText(Protocol):
    def tree(self) -> ast.Program: ...


class HasIndices(Protocol):
    @property
    def index_inputs(self) -> tuple[str, ...]: ...
    @property
    def _origin(self) -> HasText: ...


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
            place_of_read(f, f.index_inputs[0]),
            f"{what} does not know index tensors yet, and `{f.index_inputs[0]}` is one",
            fix=instead,
        )


def place_of_read(f: HasIndices, tensor: str) -> Span | None:
    """Where the text reads this tensor first; None where it does so under another name, as in LaTeX or inside of blocks."""
    for item in f._origin.tree().items:
        if not isinstance(item, (ast.Definition, ast.Update)):
            continue
        for node in nodes((item.body,)):
            if isinstance(node, ast.Element) and node.name.name == tensor:
                return node.span
    return None
