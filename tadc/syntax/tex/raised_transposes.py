r"""Transposes behind a number in brackets above a name, `\theta^{(k)\top} x^{(i)}`: of the element with that number; and those with a `T`
in sans serif or upright, `\mathbf{s}^{\mathsf T}`, where a plain `T` is something else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_styled_transposes", "with_transposes_apart"]


def with_styled_transposes(tokens: Sequence[Token], ranks: Mapping[str, int]) -> list[Token]:
    r"""The tokens with `\top` for a `T` in sans serif above anything, and for an upright one above what is bold or declared with dimensions;
    above a number that would be a label.
    """
    tops: dict[int, Token] = {}
    for place in range(len(tokens) - 3):
        sign, opening, letter, closing = tokens[place : place + 4]
        kinds = (sign.type, opening.type, letter.value, closing.type)
        if kinds != ("SUP", "LBRACE", "T", "RBRACE"):
            continue
        if letter.note == "sans":
            tops[id(letter)] = replace(letter, type="TOP", value=r"\top", note="")
    for name, _, inner in scripted(tokens, "SUP"):
        is_letter = len(inner) == 1 and (inner[0].value, inner[0].note) == ("T", "upright")
        if is_letter and (name.note == "bold" or ranks.get(name.value)):
            tops[id(inner[0])] = replace(inner[0], type="TOP", value=r"\top", note="")
    return [tops.get(id(t), t) for t in tokens]


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
