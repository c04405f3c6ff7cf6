r"""Arrows that replace, `v \to v / \sqrt{\|v\|_2^2 + \epsilon^2}`: what stands on the left is read on the right, so that it is a new value.

That is read where no other formula has the name: whether that would be the old value or the new one, nothing tells.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["replaced", "with_replacements"]


def replaced(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names that arrows give a new value, and that one formula reads."""
    found = {tokens[0].value for tokens in streams if _arrow(tokens)}
    return {
        name
        for name in found
        if sum(any(t.value == name for t in tokens) for tokens in streams) == 1
    }


def with_replacements(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    r"""The tokens with `\gets` for the arrow behind one of these names."""
    place = _arrow(tokens)
    if not place or tokens[0].value not in names:
        return list(tokens)
    sign = replace(tokens[place], type="DEF", value=r"\gets")
    return [*tokens[:place], sign, *tokens[place + 1 :]]


def _arrow(tokens: Sequence[Token]) -> int:
    """The place of the arrow of a lone formula that reads what stands in front of it, and more than that; 0 where there is none."""
    if len(tokens) < 2 or tokens[0].type != "NAME" or all(t.type != "ARROW" for t in tokens):
        return 0
    place = behind_scripts(tokens, 1, closing_brackets(tokens))
    right = tokens[place + 1 :]
    reads = any(t.type == "NAME" and t.value == tokens[0].value for t in right)
    is_lone = not any(t.type in ("EQ", "DEF") and d == 0 for t, d in depths(tokens))
    is_arrow = place < len(tokens) and tokens[place].type == "ARROW"
    return place if is_arrow and is_lone and reads and len(right) > 2 else 0
