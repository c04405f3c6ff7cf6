r"""Labels below the names of sizes: the `N_p` of `\sum_{p=1}^{N_p} x_p`, since no index is part of its own range."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from tadc.syntax.tex.names import closing_braces, limit_names
from tadc.syntax.tex.script_tokens import LONGEST_SCRIPT
from tadc.syntax.tex.token_list import Token

__all__ = ["Labelled", "labelled_bounds", "labels_below", "with_labelled_bounds"]

Labelled: TypeAlias = "tuple[str, str]"  # a name and the letter below it


def labelled_bounds(tokens: Sequence[Token]) -> set[Labelled]:
    """The names above reductions whose one letter below is an index of the same reduction."""
    closing = closing_braces(tokens)
    found: set[Labelled] = set()
    for place, token in enumerate(tokens):
        if token.type != "RED":
            continue
        scripts: dict[str, tuple[int, int]] = {}
        at = place + 1
        while at + 1 in closing and tokens[at].type in ("SUB", "SUP"):
            scripts[tokens[at].type] = at + 1, closing[at + 1]
            at = closing[at + 1] + 1
        if scripts.keys() != {"SUB", "SUP"}:
            continue
        own = {*limit_names(tokens, scripts["SUB"][0], closing)}
        opening, end = scripts["SUP"]
        above = tokens[opening + 1 : min(end, opening + LONGEST_SCRIPT)]
        found |= {pair for pair, _ in _compounds(above) if pair[1] in own}
    return found


def labels_below(bound: Sequence[Token], indices: Set[str]) -> set[Labelled]:
    """The names in a bound with one letter below them that is none of these indices."""
    return {pair for pair, _ in _compounds(bound) if pair[1] not in indices}


def with_labelled_bounds(tokens: Sequence[Token], labelled: Set[Labelled]) -> list[Token]:
    """The tokens with one name for each of these."""
    places = {place: pair for pair, place in _compounds(tokens) if pair in labelled}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if place in places:
            value = "_".join(places[place])
            token, place = replace(token, value=value, end=tokens[place + 4].end), place + 4
        result.append(token)
        place += 1
    return result


def _compounds(tokens: Sequence[Token]) -> Iterator[tuple[Labelled, int]]:
    """The names with one letter below them, and their places."""
    for place in range(len(tokens) - 4):
        name, sign, opening, letter, closing = tokens[place : place + 5]
        kinds = (name.type, sign.type, opening.type, letter.type, closing.type)
        if kinds == ("NAME", "SUB", "LBRACE", "NAME", "RBRACE"):
            yield (name.value, letter.value), place
