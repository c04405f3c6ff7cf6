"""The first index of a program, where it says one."""

from __future__ import annotations

from collections.abc import Iterable

from tadc.errors import SyntaxError
from tadc.syntax.ast import BaseDeclaration, Item

__all__ = ["declared_base"]


def declared_base(items: Iterable[Item]) -> int | None:
    """What `base 0` or `base 1` says, None without such a line. Raises SyntaxError for two that differ."""
    first: BaseDeclaration | None = None
    for item in items:
        if not isinstance(item, BaseDeclaration):
            continue
        if first is not None and item.base != first.base:
            raise SyntaxError(
                item.span,
                f"the first index is {item.base} here, and {first.base} in line {first.span.line}",
                fix="remove one of the declarations",
            )
        first = first or item
    return None if first is None else first.base
