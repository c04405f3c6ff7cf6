r"""Letters of functions that are numbers: the `G` of `G (M + m)` in a document that has `G M`, too."""

from __future__ import annotations

from collections.abc import Sequence, Set
from itertools import pairwise

from tadc.syntax.tex.calls import calls_in
from tadc.syntax.tex.commands import FUNCTION_LETTERS
from tadc.syntax.tex.script_tokens import equal_place
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token

__all__ = ["bracket_factors", "with_bracket_factors"]


def bracket_factors(displays: Sequence[Sequence[Token]]) -> set[str]:
    """The letters of functions that multiply a name on a right side, and that no left side defines."""
    factors: set[str] = set()
    defined: set[str] = set()
    for tokens in displays:
        right = tokens[equal_place(tokens) :]
        factors |= {
            a.value for a, b in pairwise(right) if a.type == b.type == "NAME" and not a.note
        }
        defined |= {call.name.value for call in calls_in(tokens) if call.start == 0}
    return (factors & FUNCTION_LETTERS) - defined


def with_bracket_factors(tokens: Sequence[Token], factors: Set[str]) -> list[Token]:
    """The tokens with a sign between these letters and brackets around a sum."""
    places = {
        call.start
        for call in calls_in(tokens)
        if call.name.value in factors and not call.below and not call.is_raised
        if any(t.type in ("PLUS", "MINUS") for t, depth in depths(call.inner) if depth == 0)
    }
    result: list[Token] = []
    for place, token in enumerate(tokens):
        result.append(token)
        if place in places:
            result.append(Token("CDOT", r"\cdot", token.end, token.end))
    return result
