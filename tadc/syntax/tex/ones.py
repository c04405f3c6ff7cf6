r"""Vectors of ones with their length below them, `\mathbf{1}_n^\top K \mathbf{1}_n`, and those that are printed as numbers, `1^\top x`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import ENDS_OPERAND, Token

__all__ = ["lengths_of_shapes", "with_plain_ones"]

_IN_LENGTHS = words("NAME NUM PLUS MINUS")
_TRANSPOSES = frozenset(("T", "top", r"\top", "intercal", r"\intercal"))


def lengths_of_shapes(formulas: Iterable[Sequence[Token]]) -> set[str]:
    r"""The names in the exponents of `\mathbb{R}^{L \times d}`."""
    found: set[str] = set()
    for tokens in formulas:
        closing = closing_braces(tokens)
        for place, token in enumerate(tokens):
            if token.type == "RR":
                exponent = tokens[place + 2 : closing.get(place + 2, 0)]
                found |= {t.value for t in exponent if t.type == "NAME"}
    return found


def with_plain_ones(tokens: Sequence[Token], lengths: Set[str]) -> list[Token]:
    r"""The tokens with the sign `\mathbf{1}` alone for each of these vectors, in a formula that has transposes, and for each with one of
    these lengths below it.
    """
    closing = closing_braces(tokens)
    if not any(_is_transpose(tokens, place) for place in range(len(tokens))):
        return _with_known_lengths(tokens, lengths, closing)
    has_plain = any(t.value == "1" and _is_transpose(tokens, n + 1) for n, t in enumerate(tokens))
    result: list[Token] = []
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        is_one = token.type == "NUM" and token.value == "1"
        below = place + 4 if _is_transpose(tokens, place + 1) else place
        length = range(below + 1, closing.get(below + 2, 0) + 1)
        is_sign = token.type == "INDICATOR" or is_one
        has_length = is_sign and _is_length(tokens, below, closing)
        is_behind = has_plain and place > 0 and tokens[place - 1].type in ENDS_OPERAND
        if token.type == "INDICATOR" or (is_one and (has_length or below > place or is_behind)):
            token = replace(token, type="INDICATOR")
            dropped |= {*length} if has_length else set()
        if place not in dropped:
            result.append(token)
    return result


def _with_known_lengths(
    tokens: Sequence[Token], lengths: Set[str], closing: dict[int, int]
) -> list[Token]:
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        end = closing.get(place + 2, 0)
        is_one = token.type == "INDICATOR" and end == place + 4
        if is_one and tokens[end - 1].value in lengths and _is_length(tokens, place, closing):
            dropped |= {*range(place + 1, end + 1)}
    return [t for n, t in enumerate(tokens) if n not in dropped]


def _is_length(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> bool:
    """Whether what stands below is a length, and no condition, and no argument follows."""
    end = closing.get(place + 2, 0)
    inner = tokens[place + 3 : end]
    is_below = [t.type for t in tokens[place + 1 : place + 2]] == ["SUB"] and bool(inner)
    follows = [t.type for t in tokens[end + 1 : end + 2]]
    is_called = follows in (["LPAR"], ["LSQB"])
    return is_below and {t.type for t in inner} <= _IN_LENGTHS and not is_called


def _is_transpose(tokens: Sequence[Token], place: int) -> bool:
    kinds = [t.type for t in tokens[place : place + 4]]
    is_raised = kinds[:2] == ["SUP", "LBRACE"] and kinds[3:] == ["RBRACE"]
    return is_raised and (kinds[2] == "TOP" or tokens[place + 2].value in _TRANSPOSES)
