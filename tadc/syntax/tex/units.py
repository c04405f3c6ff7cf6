r"""Units and words in brackets behind a formula or its left side, `\quad [\text{bit/s}]` and `\;[\mathrm{dB}]`, which are no factors."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["without_units"]

_ENDS = frozenset(("BREAK", "COMMA", "DOT", "QUAD", "TEXT", "EQ", "DEF"))
_INSIDE = frozenset(("SLASH", "THIN", "CDOT", "SUP", "LBRACE", "RBRACE", "MINUS", "NUM"))
_BEFORE = {"LSQB": ("QUAD", "THIN"), "LPAR": ("QUAD",)}  # spaces


def without_units(tokens: Sequence[Token], declared: Set[str], guesses: list[Guess]) -> list[Token]:
    """The tokens without such brackets; `declared` names are no units."""
    closing = closing_brackets(tokens)
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        end = closing.get(place, 0)
        is_apart = place > 0 and tokens[place - 1].type in _BEFORE.get(token.type, ())
        is_last = end + 1 == len(tokens) or (end and tokens[end + 1].type in _ENDS)
        if is_apart and is_last and _is_unit(tokens[place + 1 : end], declared):
            dropped |= {*range(place, end + 1)}
            text = "what stands in brackets behind a formula, upright, is a unit or a remark"
            guesses.append(Guess(text, token.start, tokens[end].end))
    return [t for place, t in enumerate(tokens) if place not in dropped]


def _is_unit(inner: Sequence[Token], declared: Set[str]) -> bool:
    words = [t for t in inner if t.type == "TEXT" or (t.type == "NAME" and t.note == "upright")]
    others = {t.type for t in inner if t not in words}
    return bool(words) and others <= _INSIDE and not {t.value for t in words} & declared
