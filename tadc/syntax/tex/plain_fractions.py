r"""Fractions of plain TeX: `{a \over b}` is `\frac{a}{b}`, within the innermost braces around it, or in the whole formula."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.commands import REFUSED
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_plain_fractions"]

_OVER = REFUSED["over"][0]
_BRACES = ("LGROUP", "LBRACE")


def with_plain_fractions(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with a fraction for each `\over` in braces; one that stands in none is left, and refused."""
    result = list(tokens)
    while (found := _next_fraction(result)) is not None:
        start, over, end = found
        braces = [Token(k, "", result[over].start, result[over].start) for k in _EMPTY]
        opening, closing = braces
        fraction = Token("FRAC", r"\frac", result[over].start, result[over].end)
        above, below = result[start + 1 : over], result[over + 1 : end]
        whole = [fraction, opening, *above, closing, opening, *below, closing]
        result[start + 1 : end] = whole
    return result


_EMPTY = ("LBRACE", "RBRACE")


def _next_fraction(tokens: Sequence[Token]) -> tuple[int, int, int] | None:
    r"""The places of the first braces with one `\over` directly in them, and of that."""
    closing = closing_brackets(tokens)
    for over, token in enumerate(tokens):
        if token.type != "ERROR" or token.value != _OVER:
            continue
        around = [p for p, end in closing.items() if p < over < end]
        start = max(around, default=None)
        if start is not None and tokens[start].type in _BRACES:
            return start, over, closing[start]
    return None
