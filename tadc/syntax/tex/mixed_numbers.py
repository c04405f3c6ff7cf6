r"""Mixed numbers: `1\frac{1}{2} x` may be one and a half, or the product of 1 and a half."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_mixed_numbers"]

_FRACTION = ["FRAC", "LBRACE", "NUM", "RBRACE", "LBRACE", "NUM", "RBRACE"]


def with_unclear_mixed_numbers(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each integer right in front of a fraction of integers that is less than 1."""
    result: list[Token] = []
    for place, token in enumerate(tokens):
        part = tokens[place + 1 : place + 8]
        if token.type == "NUM" and [t.type for t in part] == _FRACTION:
            texts = (token.value, part[2].value, part[5].value)
            if all(t.isdecimal() for t in texts) and int(texts[1]) < int(texts[2]):
                fact = (
                    f"`{texts[0]}` in front of a fraction may be a factor, or make a mixed number"
                )
                fix = rf"write `({texts[0]} + \frac{{{texts[1]}}}{{{texts[2]}}})`, or the product as `{texts[0]} \cdot \frac{{{texts[1]}}}{{{texts[2]}}}`"
                token = Token("ERROR", fact, token.start, part[-1].end, fix)
        result.append(token)
    return result
