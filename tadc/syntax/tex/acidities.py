r"""Negative logarithms of chemistry, `\mathrm{p}K_a`: a roman p in front of a capital is one name with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token

__all__ = ["with_acidities"]


def with_acidities(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with `pK` for the two letters, where nothing but a brace stands between them."""
    result: list[Token] = []
    for token in tokens:
        before = result[-1] if result else None
        is_capital = token.type == "NAME" and len(token.value) == 1 and token.value.isupper()
        is_one = before is not None and (before.value, before.note) == ("p", "upright")
        if before is not None and is_one and is_capital and token.start - before.end <= 1:
            result[-1] = replace(before, value=f"p{token.value}", end=token.end)
        else:
            result.append(token)
    return result
