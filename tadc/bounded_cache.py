"""A cache in memory for a bounded number of keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

__all__ = ["BoundedCache"]

Made = TypeVar("Made")


class BoundedCache(Generic[Made]):
    """Values by key, at most `most` of them: one more, and all are forgotten, to be made again where they are needed.

    Threads may share it; two of them may make the same.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, Made] = {}

    def get(self, key: Hashable) -> Made | None:
        return self._made.get(key)

    def keep(self, key: Hashable, made: Made) -> Made:
        if len(self._made) >= self._most:
            self._made.clear()
        self._made[key] = made
        return made

    def of(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value kept for the key, or made now."""
        value = self._made.get(key)
        return self.keep(key, make()) if value is None else value
