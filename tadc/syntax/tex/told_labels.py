r"""Letters above names that the prose calls labels: "the superscript $d$ denotes desired values", "superscripts $a$ and $p$ stand for ..".

An index is no label, whatever the prose says that it denotes, and an operation such as the transpose is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import bound_names, with_rewritten_scripts
from tadc.syntax.tex.token_list import Token

__all__ = ["told_labels", "with_told_labels"]

_LETTER = r"(?:\$|\\\()\s*(?:\\[a-z]+\{)?[A-Za-z]\}?\s*(?:\$|\\\))"
_SAYS = re.compile(
    rf"\bsuperscripts?\s+({_LETTER}(?:(?:\s*,)?\s*(?:and|or|,)?\s*{_LETTER})*)", re.IGNORECASE
)
REACH = 80  # characters behind the letters that are looked at
_OPERATION = re.compile(
    r"\b(?:transpos|adjoint|conjugat|Hermitian|invers|powers?\b|exponent)", re.IGNORECASE
)
_ONE = re.compile(r"[A-Za-z](?=\}?\s*(?:\$|\\\)))")


def told_labels(displays: Sequence[Sequence[Token]], declared: Set[str], text: str) -> set[str]:
    """The letters of superscripts that the prose speaks of, which are bound nowhere."""
    said = (
        s for s in _SAYS.finditer(text) if not _OPERATION.search(text, s.end(), s.end() + REACH)
    )
    told = {letter for s in said for letter in _ONE.findall(s[1])}
    bound = {name for tokens in displays for name in bound_names(tokens)}
    return told - bound - declared


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
