r"""Functions and reductions that are words below a name beside indices: the `\max` of `q_{\max,i}` and of `v_{i,\max}` is a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.names import PREFIXES
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_words_below"]


def with_words_below(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an upright name for each function or reduction that is an entry of its own below a name."""
    words = {
        place + 2 + n
        for _, place, inner in scripted(tokens, "SUB")
        for n, token in enumerate(inner)
        if token.type in PREFIXES and len(inner) > 1
        if {t.type for t in (*inner[max(n - 1, 0) : n], *inner[n + 1 : n + 2])} == {"COMMA"}
    }
    return [
        replace(t, type="NAME", value=t.note or t.value, note="upright") if n in words else t
        for n, t in enumerate(tokens)
    ]
