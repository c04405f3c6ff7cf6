r"""Stars between signals: in `y[n] = x[n] * h[n]` they are convolved, as books on signals print it, or multiplied."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.calls import calls_in
from tadc.syntax.tex.script_tokens import bound_names
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_stars"]

_STARS = ("*", r"\ast", r"\star")


def with_unclear_stars(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each star between two names with the same index in brackets, over which no sum runs."""
    calls = calls_in(tokens)
    ends = {call.end: call for call in calls}
    starts = {call.start: call for call in calls}
    summed = bound_names(tokens)
    result = list(tokens)
    for place, token in enumerate(tokens):
        left, right = ends.get(place - 1), starts.get(place + 1)
        if token.value not in _STARS or left is None or right is None:
            continue
        index = [t.value for t in left.inner]
        if index == [t.value for t in right.inner] and not summed & {*index}:
            fact = f"`*` between `{left.name.value}` and `{right.name.value}` may be a product, or their convolution"
            fix = r"write `\cdot` for the product, and the convolution as a sum, `\sum_{k=0}^{M-1} h[k]\, x[n-k]`"
            result[place] = Token("ERROR", fact, token.start, token.end, fix)
    return result
