r"""Angles that a document gives a meaning of their own: "where $\langle u, v \rangle = u^\top v / (\|u\| \|v\|)$ is the cosine".

What it defines is read as a function of two; where words alone say what they stand for, an inner product is no reading of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = [
    "defines_angles",
    "says_other_angles",
    "with_own_angles",
    "with_unclear_angles",
    "without_labels_of_angles",
]

_SAYS = re.compile(
    r"\\rangle\s*(?:\$|\\\))?\s*(?:is|are|denotes?|represents?|stands?\s+for|being|means)\s+([^.;$]{0,60})"
)
_INNER = re.compile(r"inner|dot|scalar|Euclid|canonical|duality|usual|bracket", re.IGNORECASE)
_OTHER = re.compile(r"cosine|similarity|kernel|average|expectation|mean|correlation", re.IGNORECASE)


def defines_angles(tokens: Sequence[Token]) -> bool:
    r"""Whether a part of it is `\langle u, v \rangle = ..`."""
    closing = closing_brackets(tokens)
    for place, token in enumerate(tokens):
        begins = place == 0 or tokens[place - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
        if token.type != "ANGLE_L" or place not in closing or not begins:
            continue
        parts = listed(tokens[place + 1 : closing[place]])
        are_names = len(parts) == 2 and all([t.type for t in p] == ["NAME"] for p in parts)
        behind = tokens[closing[place] + 1 : closing[place] + 2]
        if are_names and [t.type for t in behind] in (["EQ"], ["DEF"]):
            return True
    return False


def without_labels_of_angles(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\langle A, B \rangle` for `\langle A, B \rangle_F`, which is the sum of the products of elements."""
    dropped = {
        place + n
        for place, token in enumerate(tokens, 1)
        if token.type == "ANGLE_R" and _is_of_matrices(tokens, place)
        for n in range(4)
    }
    return [t for place, t in enumerate(tokens) if place not in dropped]


def _is_of_matrices(tokens: Sequence[Token], place: int) -> bool:
    four = tokens[place : place + 4]
    return [t.type for t in four] == ["SUB", "LBRACE", "NAME", "RBRACE"] and four[2].value == "F"


def says_other_angles(text: str) -> bool:
    """Whether the prose says that angles are something else than an inner product."""
    said = [match[1] for match in _SAYS.finditer(text)]
    return any(_OTHER.search(words) and not _INNER.search(words) for words in said)


def with_own_angles(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with applications of one function for what stands in angles."""
    closing = closing_brackets(tokens)
    result = list(tokens)
    for place, token in enumerate(tokens):
        end = closing.get(place)
        if token.type == "ANGLE_L" and end is not None:
            result[place] = replace(token, type="LPAR", value="(")
            result[end] = replace(tokens[end], type="RPAR", value=")")
    with_names: list[Token] = []
    for before, token in zip(tokens, result, strict=True):
        if before.type == "ANGLE_L" and token.type == "LPAR":
            with_names.append(Token("NAME", "angles", token.start, token.start, "upright"))
        with_names.append(token)
    return with_names


def with_unclear_angles(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with an error for each pair of angles."""
    fact = "the prose says what angles stand for here, and it is no inner product"
    fix = r"define them, `$\langle u, v \rangle = ..$`, or write the formula that they stand for"
    return [Token("ERROR", fact, t.start, t.end, fix) if t.type == "ANGLE_L" else t for t in tokens]
