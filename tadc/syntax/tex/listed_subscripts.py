r"""Lists in brackets below a name, `PE_{(pos, 2i)}`: the brackets are layout, as of `PE_{pos, 2i}`."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_listed_subscripts"]


def with_listed_subscripts(tokens: Sequence[Token]) -> list[Token]:
    """The tokens without round brackets around all that stands below a name, if that is a list."""
    dropped: set[int] = set()
    for _, place, inner in scripted(tokens, "SUB"):
        is_whole = bool(inner) and inner[0].type == "LPAR" and inner[0].value == "("
        is_whole = is_whole and closing_brackets(inner).get(0) == len(inner) - 1
        if is_whole and any(t.type == "COMMA" and d == 0 for t, d in depths(inner[1:-1])):
            dropped |= {place + 2, place + 1 + len(inner)}
    return [t for n, t in enumerate(tokens) if n not in dropped]
