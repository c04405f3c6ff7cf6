r"""Stars below names: `\mathbf{x}_*` is the name `x_star`, and `K_{**}` is `K_star_star`. Beside letters, `W_{*j}`, a star may be a whole row.
So is `V_\infty` the name `V_infty`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_marks_below"]

_STARS = ("*", r"\ast", r"\star")


def with_marks_below(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one name for each that has nothing but stars below it, or the sign of infinity."""
    found = {
        id(name): (place, len(inner), "_infty" if inner[0].value == "inf" else "_star")
        for name, place, inner in scripted(tokens, "SUB")
        if inner and (all(t.value in _STARS for t in inner) or [t.value for t in inner] == ["inf"])
    }
    dropped = {n for place, count, _ in found.values() for n in range(place, place + count + 3)}
    return [
        replace(t, value=t.value + found[id(t)][2] * found[id(t)][1]) if id(t) in found else t
        for n, t in enumerate(tokens)
        if n not in dropped
    ]
