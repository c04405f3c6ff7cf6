r"""Sets in limits that a condition tells, `\sum_{\{i \,:\, t_i < t\}}`: their braces are layout, as of `\sum_{i \,:\, t_i < t}`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_conditions_for_sets"]


def with_conditions_for_sets(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without the braces of sets that are all of a reduction's limits and have a condition."""
    closing = closing_brackets(tokens)
    dropped: set[int] = set()
    commas: set[int] = set()
    for place, token in enumerate(tokens[:-3]):
        kinds = [t.type for t in tokens[place : place + 4]]
        if token.type != "RED" or kinds[1:] != ["SUB", "LBRACE", "LPAR"]:
            continue
        opening, end = place + 3, closing.get(place + 3, 0)
        is_whole = end > 0 and closing.get(place + 2) == end + 1
        signs = [n for n in range(opening, end) if _is_such_that(tokens[n])]
        if is_whole and "{" in tokens[opening].value and len(signs) == 1:
            dropped |= {opening, end}
            commas |= {*signs}
    return [
        replace(t, type="COMMA") if place in commas else t
        for place, t in enumerate(tokens)
        if place not in dropped
    ]


def _is_such_that(token: Token) -> bool:
    return token.type == "GIVEN" or (token.type == "COMMA" and token.value in (":", "|"))
