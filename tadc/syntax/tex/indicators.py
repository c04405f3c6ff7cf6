r"""Indicators of a condition in brackets: `I(d_{ij} < r)` and `1\{y_i = k\}` are `\mathbf{1}[..]`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.statements import depths
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["with_indicators"]

_SIGNS = frozenset("1I")


def with_indicators(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an indicator for `1` and `I` in front of a bracket that holds a condition."""
    result = list(tokens)
    for place, token in enumerate(tokens[:-1]):
        is_sign = token.type in ("NAME", "NUM") and token.value in _SIGNS
        if is_sign and tokens[place + 1].type in ("LPAR", "LSQB") and _is_condition(tokens, place):
            result[place] = replace(token, type="INDICATOR", note="")
    return result


def _is_condition(tokens: Sequence[Token], place: int) -> bool:
    """Whether a relation stands in the bracket behind `place`, outside of others."""
    depth = 0
    for n in range(place + 1, len(tokens)):
        depth += (tokens[n].type in OPENERS) - (tokens[n].type in CLOSERS)
        if depth == 0:
            inner = tokens[place + 2 : n]
            signs = [t for t, d in depths(inner) if d == 0 and t.type in ("REL", "EQ")]
            return bool(signs)
    return False
