r"""Indicators of a condition: `I(d_{ij} < r)`, `1\{y_i = k\}`, `1_{x_i > y_j}` and `\chi_{\{x_i > 0\}}` are `\mathbf{1}[..]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_indicators"]

_SIGNS = frozenset(("1", "I", "chi"))


def with_indicators(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an indicator for each of these signs before a bracket, or above a subscript, that holds a condition."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        held = _held(tokens, place + 1, closing) if _is_sign(token) else None
        if held is None:
            result.append(token)
            place += 1
            continue
        opening, end = held
        result.append(replace(token, type="INDICATOR", note=""))
        result += [replace(tokens[opening], type="LPAR"), *tokens[opening + 1 : closing[opening]]]
        result.append(replace(tokens[closing[opening]], type="RPAR"))
        place = end
    return result


def _is_sign(token: Token) -> bool:
    is_sign = token.type in ("NAME", "NUM") and token.value in _SIGNS
    return is_sign or token.type == "INDICATOR"


def _held(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int]
) -> tuple[int, int] | None:
    """The place of the bracket, or of the braces of the subscript, around the condition at `place`, and the place behind all; None
    where no condition stands there.
    """
    kinds = [t.type for t in tokens[place : place + 3]]
    is_below = kinds[:1] == ["SUB"]
    opening = place + is_below
    if opening not in closing or not (is_below or kinds[:1] in (["LPAR"], ["LSQB"])):
        return None
    end = closing[opening] + 1
    if is_below and kinds[2:] in (["LPAR"], ["LSQB"]) and closing.get(place + 2) == end - 2:
        opening = place + 2  # `1_{\{x > 0\}}`
    inner = tokens[opening + 1 : closing[opening]]
    is_condition = any(t.type in ("REL", "EQ") and depth == 0 for t, depth in depths(inner))
    return (opening, end) if is_condition else None
