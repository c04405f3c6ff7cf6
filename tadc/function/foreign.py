"""Arrays of frameworks: whose an argument is, and who answers for it. No framework is imported here."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["framework_of", "mapped", "other_kinds"]

# By the framework's name: the class of its arrays, and the room of tadc that knows them.
FRAMEWORKS = {
    "torch": ("Tensor", "tadc.torch"),
    "jax": ("Array", "tadc.jax"),
    "dask.array": ("Array", "tadc.dask"),
}


def framework_of(values: Iterable[Any]) -> Any:
    """The room for the framework that one of these values is an array of; None where there is none."""
    for name, (array, room) in FRAMEWORKS.items():
        if name in sys.modules:
            kind = getattr(sys.modules[name], array, None)  # None while it is being imported
            if kind is not None and any(isinstance(v, kind) for v in values):
                return import_module(room)
    return None


def other_kinds(value: Any) -> str | None:
    """The library that the value is an array of, if it is one."""
    name = type(value).__module__.split(".")[0].removesuffix("lib")
    return name if hasattr(value, "__array__") or hasattr(value, "__dlpack__") else None


def mapped(change: Callable[[Any], Any], value: Any) -> Any:
    """The value, or those of a tuple, list or dict, changed."""
    if isinstance(value, (tuple, list)):
        return tuple(map(change, value))
    if isinstance(value, Mapping):
        return {n: change(v) for n, v in value.items()}
    return change(value)
