r"""Extents of shapes that are sizes of their own: the `|V|` of `\mathbb{R}^{|V| \times d}`, the `M^2` of `\mathbb{R}^{M^2 \times d}`, and the `C/r` of `\mathbb{R}^{\frac{C}{r} \times C}`."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import zip_longest

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["names_of_functions", "names_outside_bars", "with_named_extents"]

_FRACTION = ["FRAC", "LBRACE", "RBRACE", "LBRACE", "RBRACE"]


def names_outside_bars(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names that stand somewhere else than alone in bars."""
    return {
        t.value
        for tokens in streams
        for n, t in enumerate(tokens)
        if t.type == "NAME" and not _in_bars(tokens, n)
    }


def names_of_functions(
    streams: Sequence[Sequence[Token]], displays: Sequence[Sequence[Token]]
) -> set[str]:
    r"""The names that displays define with a list, `d(u, v) = ..`, and that stand nowhere else but before lists, and in shapes."""
    defined = {tokens[0].value for tokens in displays if _begins_with_list(tokens)}
    others = {
        t.value
        for tokens in streams
        if "RR" not in {t.type for t in tokens}
        for t, after in zip_longest(tokens, tokens[1:])
        if t.type == "NAME" and (after is None or after.type != "LPAR")
    }
    return defined - others


def _begins_with_list(tokens: Sequence[Token]) -> bool:
    if [t.type for t in tokens[:2]] != ["NAME", "LPAR"]:
        return False
    end = closing_brackets(tokens).get(1, len(tokens))
    return [t.type for t in tokens[end + 1 : end + 2]] in (["EQ"], ["DEF"])


def with_named_extents(
    tokens: Sequence[Token], taken: Set[str], functions: Set[str]
) -> list[Token]:
    r"""The tokens with a name for each such extent; `|x|` is `x_size` where `x` is the name of something else, and so is the `d` of
    `\mathbb{R}^d` beside a function `d`.
    """
    closing = closing_braces(tokens)
    places = [n for n, t in enumerate(tokens[:-2]) if t.type == "RR" and n + 2 in closing]
    if not places:
        return list(tokens)
    inside = {n for p in places for n in range(p + 3, closing[p + 2])}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        named, end = _named(tokens, place, taken, functions) if place in inside else (None, place)
        result.append(tokens[place] if named is None else named)
        place = place + 1 if named is None else end
    return result


def _in_bars(tokens: Sequence[Token], place: int) -> bool:
    around = [t.type for t in (*tokens[max(place - 1, 0) : place], *tokens[place + 1 : place + 2])]
    return around == ["BAR_L", "BAR_R"]


def _named(
    tokens: Sequence[Token], place: int, taken: Set[str], functions: Set[str]
) -> tuple[Token | None, int]:
    """The name of the extent that begins at `place`, and the place behind it."""
    three, seven = tokens[place : place + 3], tokens[place : place + 7]
    if [t.type for t in three] == ["BAR_L", "NAME", "BAR_R"]:
        name = three[1].value
        name = f"{name}_size" if name in taken else name
        return Token("NAME", name, three[0].start, three[2].end), place + 3
    kinds = [t.type for t in seven]
    if kinds[:1] == ["NAME"] and three[0].value in functions:
        return replace(three[0], value=f"{three[0].value}_size"), place + 1
    if kinds[:5] == ["NAME", "SUP", "LBRACE", "NUM", "RBRACE"]:  # `M^2`
        name = f"{three[0].value}_power_{seven[3].value}"
        return Token("NAME", name, three[0].start, seven[4].end), place + 5
    if len(seven) == 7 and [kinds[n] for n in (0, 1, 3, 4, 6)] == _FRACTION:
        over, under, end = seven[2], seven[5], place + 7
    elif [t.type for t in three[1:2]] == ["SLASH"] and len(three) == 3:
        over, under, end = three[0], three[2], place + 3
    else:
        return None, place
    if over.type != "NAME" or under.type not in ("NAME", "NUM"):
        return None, place
    name = f"{over.value}_over_{under.value}"
    return Token("NAME", name, tokens[place].start, tokens[end - 1].end), end
