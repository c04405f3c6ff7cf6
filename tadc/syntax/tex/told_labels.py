r"""Letters above names that the prose calls labels: "the superscript $d$ denotes desired values", "superscripts $a$ and $p$ stand for ..".

An index is no label, whatever the prose says that it denotes, nor is a letter that stands as a number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import bound_names, scripted, with_rewritten_scripts
from tadc.syntax.tex.token_list import Token

__all__ = ["told_labels", "with_told_labels"]

_LETTER = r"(?:\$|\\\()\s*(?:\\[a-z]+\{)?[A-Za-z]\}?\s*(?:\$|\\\))"
_SAYS = re.compile(
    rf"\bsuperscripts?\s+({_LETTER}(?:(?:\s*,)?\s*(?:and|or|,)?\s*{_LETTER})*)", re.IGNORECASE
)
_ONE = re.compile(r"[A-Za-z](?=\}?\s*(?:\$|\\\)))")


def told_labels(displays: Sequence[Sequence[Token]], declared: Set[str], text: str) -> set[str]:
    """The letters of superscripts that the prose speaks of, which stand in scripts alone and are bound nowhere."""
    told = {letter for said in _SAYS.finditer(text) for letter in _ONE.findall(said[1])}
    scripts = {
        id(t)
        for tokens in displays
        for kind in ("SUP", "SUB")
        for _, _, inner in scripted(tokens, kind)
        for t in inner
    }
    elsewhere = {
        t.value for tokens in displays for t in tokens if t.type == "NAME" and id(t) not in scripts
    }
    bound = {name for tokens in displays for name in bound_names(tokens)}
    return told - elsewhere - bound - declared


def with_told_labels(tokens: Sequence[Token], letters: Set[str]) -> list[Token]:
    """The tokens with upright letters for these, where one is all that stands above a name."""

    def new(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        sign, opening, *inner, closing = script
        is_label = sign.type == "SUP" and len(inner) == 1 and inner[0].value in letters
        return (
            (name, [sign, opening, replace(inner[0], note="upright"), closing])
            if is_label
            else None
        )

    return with_rewritten_scripts(tokens, new) if letters else list(tokens)
