r"""Functions that are defined with a dot for their argument, `\sigma(\cdot) = \max(0, \cdot)`: the dots are one letter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["with_letters_for_dots"]

_HEAD = (["NAME", "LPAR", "CDOT", "RPAR", "EQ"], ["NAME", "LPAR", "CDOT", "RPAR", "DEF"])
_LETTER = "z"
_SIGNS = frozenset(("PLUS", "MINUS", "COMMA", "SLASH", "EQ", "DEF"))


def with_letters_for_dots(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with a letter for each dot without operands, behind such a head."""
    heads = [n for n in range(len(tokens)) if [t.type for t in tokens[n : n + 5]] in _HEAD]
    if not heads or any(t.value == _LETTER for t in tokens):
        return list(tokens)
    return [
        replace(t, type="NAME", value=_LETTER) if n > heads[0] and _is_alone(tokens, n) else t
        for n, t in enumerate(tokens)
    ]


def _is_alone(tokens: Sequence[Token], place: int) -> bool:
    """Whether nothing that a dot multiplies stands on either side."""
    if tokens[place].type != "CDOT":
        return False
    before, behind = tokens[place - 1].type, tokens[place + 1 : place + 2]
    begins = before in OPENERS | _SIGNS
    return begins and (not behind or behind[0].type in CLOSERS | _SIGNS | {"SUP"})
