r"""Norms with single bars, `|\beta|_1`: what stands below the bar tells that it is no absolute value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, bars

__all__ = ["with_norms"]

_KINDS = frozenset(("1", "2", "F", "inf"))


def with_norms(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with double bars for single ones that have the kind of a norm below them."""
    tokens = _without_ell(_subscripts_first(tokens))
    result = list(tokens)
    for opening, place in bars(tokens):
        below = tokens[place + 1 : place + 5]
        kinds = [t.type for t in below]
        is_kind = kinds[:2] == ["SUB", "LBRACE"] and kinds[3:] == ["RBRACE"]
        if is_kind and below[2].value in _KINDS:
            result[opening] = replace(result[opening], type="NORM_L")
            result[place] = replace(result[place], type="NORM_R")
    return result


def _without_ell(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `2` for the `\ell_2` below a norm."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        part = tokens[place : place + 9]
        kinds = [t.type for t in part]
        is_below = kinds[:1] in (["NORM_R"], ["BAR_R"]) and kinds[1:] == _ELL
        if is_below and part[3].value in ("ell", "l", "L"):
            result += [*part[:3], part[6], part[8]]
            place += 9
        else:
            result.append(tokens[place])
            place += 1
    return result


_ELL = ["SUB", "LBRACE", "NAME", "SUB", "LBRACE", "NUM", "RBRACE", "RBRACE"]


def _subscripts_first(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\|A\|_F^2` for `\|A\|^2_F`."""
    result = list(tokens)
    for place, token in enumerate(tokens):
        behind = [t.type for t in tokens[place + 1 : place + 9]]
        is_norm = token.type in ("NORM_R", "BAR_R") and behind == _RAISED_FIRST
        if is_norm:
            above, below = tokens[place + 1 : place + 5], tokens[place + 5 : place + 9]
            result[place + 1 : place + 9] = [*below, *above]
    return result


_RAISED_FIRST = ["SUP", "LBRACE", "NUM", "RBRACE", "SUB", "LBRACE", "NAME", "RBRACE"]
