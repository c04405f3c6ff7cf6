r"""What `\odot` multiplies: `x \odot W y` is the product of `x` and `W y`, since letters side by side bind more tightly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.token_list import STARTS_OPERAND, Token, behind_scripts, closing_brackets

__all__ = ["with_element_products"]

_FACTORS = words("NAME NUM LPAR LSQB LGROUP")


def with_element_products(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with braces around the factors behind each `\odot`, where these are several."""
    closing = closing_brackets(tokens)
    ends: dict[int, int] = {}
    for place, token in enumerate(tokens):
        if token.type == "ODOT" and (end := _end(tokens, place + 1, closing)):
            ends[place] = end
    result: list[Token] = []
    closed = set(ends.values())
    for place, token in enumerate(tokens):
        if place in closed:
            at = tokens[place - 1].end
            result.append(Token("RGROUP", "}", at, at))
        result.append(token)
        if place in ends:
            result.append(Token("LGROUP", "{", token.end, token.end))
    if len(tokens) in closed:
        at = tokens[-1].end
        result.append(Token("RGROUP", "}", at, at))
    return result


def _end(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    """The place behind the factors that begin at `place`, or 0 where they are fewer than two, or no names and brackets."""
    count = 0
    while place < len(tokens) and tokens[place].type in _FACTORS:
        is_bracket = tokens[place].type != "NAME" and tokens[place].type != "NUM"
        if is_bracket and place not in closing:
            return 0
        is_list = is_bracket and count and tokens[place - 1].type == "NAME"
        if is_list:
            return 0  # `W f(x)`: an element, or a function
        place = behind_scripts(tokens, closing[place] + 1 if is_bracket else place + 1, closing)
        count += 1
    is_open = place < len(tokens) and tokens[place].type in STARTS_OPERAND
    return place if count > 1 and not is_open else 0
