"""Recursion without Python's stack."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeVar

__all__ = ["descend"]

Result = TypeVar("Result")


def descend(walk: Generator[Any, Any, Result]) -> Result:
    """The result of a recursive generator that yields the walks of its parts: recursion without Python's stack.

    >>> def depth(tree):
    ...     deepest = 0
    ...     for branch in tree:
    ...         deepest = max(deepest, (yield depth(branch)))
    ...     return deepest + 1
    >>> descend(depth([[], [[]]]))
    3
    """
    stack = [walk]
    value: Any = None
    while True:
        try:
            step = stack[-1].send(value)
        except StopIteration as stop:
            stack.pop()
            if not stack:
                result: Result = stop.value
                return result
            value = stop.value
        else:
            stack.append(step)
            value = None
