"""The lowest value of a subscript, where the first values of its indices tell it."""

from __future__ import annotations

from collections.abc import Mapping

from tadc.syntax.ast import Binary, Expression, Name, Number

__all__ = ["lowest"]


def lowest(subscript: Expression, firsts: Mapping[str, int]) -> int | None:
    """The value of a subscript made of integers and indices at their first values, where it grows with them; else None."""
    match subscript:
        case Number(text) if text.isdigit():
            return int(text)
        case Name(name):
            return firsts.get(name)
        case Binary("+" | "-" | "*" as sign, left, right):
            a, b = lowest(left, firsts), lowest(right, {} if sign == "-" else firsts)
            if a is None or b is None:
                return None
            return {"+": a + b, "-": a - b, "*": a * b}[sign]
        case _:
            return None
