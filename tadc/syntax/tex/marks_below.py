r"""Stars below names: `\mathbf{x}_*` is the name `x_star`, and `K_{**}` is `K_star_star`. Beside letters, `W_{*j}`, a star may be a whole row.
So are `V_\infty` and `t_{1/2}` the names `V_infty` and `t_1_2`, and `m_{\infty,k}` is the element `k` of `m_infty`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import scripted, with_rewritten_scripts
from tadc.syntax.tex.token_list import Token

__all__ = ["with_marks_below"]

_STARS = ("*", r"\ast", r"\star")


def with_marks_below(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one name for each that has nothing but stars below it, the sign of infinity, or a fraction of numbers."""
    found = {
        id(name): (place + len(inner) + 3, suffix)
        for name, place, inner in scripted(tokens, "SUB")
        if (suffix := _suffix(inner))
    }
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        end, suffix = found.get(id(token), (place + 1, ""))
        result.append(replace(token, value=f"{token.value}{suffix}") if suffix else token)
        place = end
    return with_rewritten_scripts(result, _infinite)


def _infinite(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
    r"""The element `k` of `m_infty` for `m_{\infty,k}`."""
    sign, opening, *inner, closing = script
    kinds = [t.type for t in inner]
    if sign.type != "SUB" or kinds[:2] != ["NAME", "COMMA"] or inner[0].value != "inf":
        return None
    return replace(name, value=f"{name.value}_infty"), [sign, opening, *inner[2:], closing]


def _suffix(inner: Sequence[Token]) -> str:
    """What such a subscript adds to its name; nothing for others."""
    values = [t.value for t in inner]
    if values and all(v in _STARS for v in values):
        return "_star" * len(values)
    if values == ["inf"]:
        return "_infty"
    is_fraction = [t.type for t in inner] == ["NUM", "SLASH", "NUM"]
    return f"_{values[0]}_{values[2]}" if is_fraction else ""
