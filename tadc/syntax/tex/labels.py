r"""Marks that are part of a name, where that takes more than one formula to know: `g^x_{ij}`, and the `w_0` of a shape."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["left_labels", "with_compounds"]


def left_labels(tokens: Sequence[Token], *, is_prose: bool = False) -> set[str]:
    r"""Letters that cannot be powers in this document: `x` of `g^x_{ij} =`, and `r` of `r_j =`, which has subscripts."""
    closing = closing_braces(tokens)
    labels = _declared(tokens, closing)
    if is_prose:
        return labels
    count = [t.value for t in tokens if t.type == "NAME"]
    above_only = _above(tokens, closing)
    for place, token in enumerate(tokens):
        before = tokens[place - 1].type if place else "BREAK"
        if token.type != "NAME" or before not in ("BREAK", "COMMA", "DOT", "QUAD", "TEXT"):
            continue
        above, has_subscript = "", False
        end = place + 1
        while end < len(tokens) and tokens[end].type in ("SUB", "SUP"):
            inner = tokens[end + 2 : closing.get(end + 1, end + 1)]
            has_subscript = has_subscript or tokens[end].type == "SUB"
            if tokens[end].type == "SUP" and [t.type for t in inner] == ["NAME"]:
                above = inner[0].value
            end = closing.get(end + 1, len(tokens)) + 1
        if end < len(tokens) and tokens[end].type in ("EQ", "DEF"):
            if above and count.count(above) == above_only.count(above):
                labels.add(above)
            elif not above and has_subscript:
                labels.add(token.value)
    return labels


def _declared(tokens: Sequence[Token], closing: dict[int, int]) -> set[str]:
    r"""`x` and `y` of `g^x, g^y \in \mathbb{R}^{N}`."""
    kinds = [t.type for t in tokens]
    if "RR" not in kinds:
        return set()
    before = tokens[: kinds.index("RR")]
    return {*_above(before, {n: c for n, c in closing.items() if c < len(before)})}


def _above(tokens: Sequence[Token], closing: dict[int, int]) -> list[str]:
    """The letters that stand alone in superscripts."""
    return [
        tokens[place + 2].value
        for place, token in enumerate(tokens)
        if token.type == "SUP" and closing.get(place + 1) == place + 3
    ]


def with_compounds(tokens: Sequence[Token]) -> list[Token]:
    r"""The `w_0` of `w_0 \in \mathbb{R}` as one name, with the note `compound`."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, five = tokens[place], tokens[place : place + 5]
        kinds = [t.type for t in five]
        if kinds[:3] == ["NAME", "SUB", "LBRACE"] and kinds[3:] in (
            ["NAME", "RBRACE"],
            ["NUM", "RBRACE"],
        ):
            name = f"{token.value}_{five[3].value}"
            result.append(Token("NAME", name, token.start, five[4].end, "compound"))
            place += 5
        else:
            result.append(token)
            place += 1
    return result
