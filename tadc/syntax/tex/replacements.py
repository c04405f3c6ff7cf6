r"""Arrows that replace, `v \to v / \sqrt{\|v\|_2^2 + \epsilon^2}`: what stands on the left is read on the right, so that it is a new value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["with_replacements"]


def with_replacements(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\gets` for the arrow behind one name, if the right side is more than a name and reads it."""
    if not tokens or tokens[0].type != "NAME" or all(t.type != "ARROW" for t in tokens):
        return list(tokens)
    place = behind_scripts(tokens, 1, closing_brackets(tokens))
    right = tokens[place + 1 :]
    reads = any(t.type == "NAME" and t.value == tokens[0].value for t in right)
    if place >= len(tokens) or tokens[place].type != "ARROW" or not reads or len(right) < 3:
        return list(tokens)
    sign = replace(tokens[place], type="DEF", value=r"\gets")
    return [*tokens[:place], sign, *right]
