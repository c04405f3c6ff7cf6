r"""A point and its nodes with one letter: in `\sum_j w_j K(x - x_j)` the point `x` is no vector of the `x_j`.

The nodes are named as they are printed, `x_j`, unless a line declares a vector `x`: then the point is `x_point`. A vector minus one
of its elements is written nowhere, so that this is no guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from itertools import zip_longest

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names
from tadc.syntax.tex.token_list import Token

__all__ = ["nodes_of_points", "points_beside_nodes", "with_named_nodes", "with_named_points"]


def nodes_of_points(streams: Sequence[Sequence[Token]], declared: Set[str]) -> dict[str, str]:
    """The letters of points, and the names of their nodes; not where a line declares the letter alone."""
    found: dict[str, str] = {}
    bound = {name for tokens in streams for name in bound_names(tokens)}
    for tokens in streams:
        for name, below in (*_differences(tokens), *_pairs(tokens)):
            if {*below} <= bound:
                found.setdefault(name, f"{name}_{below}")
    return {n: new for n, new in found.items() if n not in declared or new in declared}


def points_beside_nodes(
    streams: Sequence[Sequence[Token]], ranks: Mapping[str, int]
) -> dict[str, str]:
    """The letters of points whose nodes are declared as numbers, `x[N]`, and the names of the points."""
    bound = {name for tokens in streams for name in bound_names(tokens)}
    found = {
        name
        for tokens in streams
        for name, below in _differences(tokens)
        if {*below} <= bound and ranks.get(name) == 1
    }
    return {name: f"{name}_point" for name in sorted(found)}


def with_named_points(tokens: Sequence[Token], names: Mapping[str, str]) -> list[Token]:
    """The tokens with these names for the letters without subscripts."""
    return [
        replace(t, value=names[t.value])
        if t.type == "NAME" and t.value in names and (after is None or after.type != "SUB")
        else t
        for t, after in zip_longest(tokens, tokens[1:])
    ]


def with_named_nodes(tokens: Sequence[Token], names: Mapping[str, str]) -> list[Token]:
    """The tokens with these names for the letters that have letters below them."""
    closing = closing_braces(tokens)
    result: list[Token] = []
    for place, token in enumerate(tokens):
        if token.type == "NAME" and token.value in names and _letters_below(tokens, place, closing):
            token = Token("NAME", names[token.value], token.start, token.end, token.note)
        result.append(token)
    return result


def _differences(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The letters of `x - x_j` and `x_j - x`, with what is below the second one."""
    closing = closing_braces(tokens)
    for place, sign in enumerate(tokens[:-1]):
        if sign.type != "MINUS" or place == 0:
            continue
        right = tokens[place + 1]
        below = _letters_below(tokens, place + 1, closing)
        if below and _is_alone(tokens, place - 1) and tokens[place - 1].value == right.value:
            yield right.value, below
        start = _start_of_element(tokens, place)
        if start is not None and _is_alone(tokens, place + 1):
            below = _letters_below(tokens, start, closing)
            if below and tokens[start].value == right.value:
                yield right.value, below


def _pairs(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """The letters of `K(x, x_j)` and `K(x_j, x)`."""
    for call in calls_in(tokens):
        parts = listed(call.inner)
        alone = {part[0].value for part in parts if len(part) == 1 and part[0].type == "NAME"}
        for part in parts:
            below = _letters_below(part, 0, closing_braces(part))
            if below and part[0].value in alone and part[-1].type == "RBRACE":
                yield part[0].value, below


def _letters_below(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> str:
    """The letters in the subscript of the name at `place`."""
    end = closing.get(place + 2, 0)
    has_subscript = bool(end) and tokens[place].type == "NAME" and tokens[place + 1].type == "SUB"
    return (
        "".join(t.value for t in tokens[place + 3 : end] if t.type == "NAME")
        if has_subscript
        else ""
    )


def _is_alone(tokens: Sequence[Token], place: int) -> bool:
    """Whether a name stands at `place` as a whole term or argument: no scripts, and no factor beside it."""
    before, after = tokens[max(place - 1, 0) : place], tokens[place + 1 : place + 2]
    starts = not before or before[0].type in _BEFORE
    ends = not after or after[0].type in _AFTER
    return tokens[place].type == "NAME" and starts and ends


_BEFORE = frozenset(("LPAR", "LSQB", "LBRACE", "BAR_L", "NORM_L", "COMMA", "MINUS", "PLUS", "EQ"))
_AFTER = frozenset(("RPAR", "RSQB", "RBRACE", "BAR_R", "NORM_R", "COMMA", "MINUS", "PLUS"))


def _start_of_element(tokens: Sequence[Token], sign: int) -> int | None:
    """The place of the name of an element `x_j` that ends before the sign, and begins a term."""
    if tokens[sign - 1].type != "RBRACE":
        return None
    opening = next((n for n in range(sign - 1, -1, -1) if tokens[n].type == "LBRACE"), 0)
    start = opening - 2
    if start < 0 or tokens[opening - 1].type != "SUB" or tokens[start].type != "NAME":
        return None
    is_first = start == 0 or tokens[start - 1].type in _BEFORE
    return start if is_first else None
