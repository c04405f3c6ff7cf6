"""The lowest value of a subscript, where the first and last values of its indices tell it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tadc.syntax.ast import Binary, Expression, Name, Number, Range
from tadc.syntax.tex.linear import Linear, linear

__all__ = ["lasts_of", "lowest", "lows_of", "with_lasts"]


def lows_of(ranges: Iterable[Range]) -> dict[str, Linear]:
    """The printed first values of indices, by name."""
    lows = ((r.name.name, linear(r.low)) for r in ranges if r.low is not None)
    return {name: form for name, form in lows if form is not None}


def lasts_of(ranges: Iterable[Range]) -> dict[str, Linear]:
    """The printed last values of indices, by name."""
    highs = ((r.name.name, linear(r.high)) for r in ranges if r.high is not None)
    return {name: form for name, form in highs if form is not None}


def with_lasts(subscript: Expression, lasts: Mapping[str, Linear]) -> Expression:
    r"""The subscript with the last values of the indices that it falls with: `x_{i-j}` below `\sum_{j=0}^{i-1}` is 1 at the lowest."""
    form = linear(subscript)
    falling = [name for name, factor in form.terms if factor < 0] if form is not None else []
    for name in falling:
        if form is None or name not in lasts:
            return subscript
        form = form.with_value(name, lasts[name])
    return subscript if form is None or not falling else form.expression(subscript.span)


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
