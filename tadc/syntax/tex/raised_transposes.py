r"""Transposes behind a number in brackets above a name, `\theta^{(k)\top} x^{(i)}`: of the element with that number."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_transposes_apart"]


def with_transposes_apart(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `{\theta^{(k)}}^\top` for `\theta^{(k)\top}` and `\theta^{(k)T}`."""
    found: dict[int, tuple[int, Token, Token]] = {}
    ends: dict[int, list[Token]] = {}
    for name, place, inner in scripted(tokens, "SUP"):
        kinds = [t.type for t in inner]
        is_transposed = (
            kinds[:1] == ["LPAR"] and kinds[-2:-1] == ["RPAR"] and kinds.count("RPAR") == 1
        )
        if not is_transposed or inner[-1].value not in (r"\top", r"\intercal", "T"):
            continue
        start = next(n for n, t in enumerate(tokens) if t is name)
        sign, opening, closing = tokens[place], tokens[place + 1], tokens[place + 2 + len(inner)]
        at = inner[-1].start
        found[start] = (
            place + 1 + len(inner),
            Token("LGROUP", "", name.start, name.start),
            inner[-1],
        )
        ends[place + 1 + len(inner)] = [
            Token("RBRACE", "", at, at),
            Token("RGROUP", "", at, at),
            Token(sign.type, sign.value, at, at),
            Token("LBRACE", "", at, at),
            inner[-1],
            Token("RBRACE", "", closing.start, closing.end),
        ]
        ends[place + 2 + len(inner)] = []
        assert opening.type == "LBRACE", "a script has braces"
    result: list[Token] = []
    for place, token in enumerate(tokens):
        if place in found:
            result.append(found[place][1])
        result += ends.get(place, [token])
    return result
