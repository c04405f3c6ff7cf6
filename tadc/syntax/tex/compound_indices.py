r"""Indices with numbers, in brackets: the `i_1` and `r_1` of `G(i_1, r_1)`, where a sum runs over `r_1`."""

from __future__ import annotations

from collections.abc import Sequence, Set

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.labels import with_compounds
from tadc.syntax.tex.names import reduced_names
from tadc.syntax.tex.token_list import Token

__all__ = ["compound_indices", "with_compound_indices"]

_COMPOUND = ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"]


def compound_indices(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names with a number that are indices: sums run over them, or they stand in one bracket with such."""
    known = {name for tokens in streams for name in reduced_names(tokens) if "_" in name}
    brackets = [names for tokens in streams for names in _in_brackets(tokens)]
    more = bool(known)
    while more:
        found = {n for names in brackets if names & known for n in names} | known
        more, known = found != known, found
    return known


def with_compound_indices(tokens: Sequence[Token], known: Set[str]) -> list[Token]:
    """The tokens with these indices as one name each, in brackets behind names."""
    places = {
        n
        for call in calls_in(tokens)
        if _names(call.inner) & known
        for n in range(call.end - len(call.inner), call.end)
    }
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        five = tokens[place : place + 5]
        is_index = place in places and [t.type for t in five] == _COMPOUND
        if is_index and _compound(five) in known:
            result.append(Token("NAME", _compound(five), five[0].start, five[4].end))
            place += 5
        else:
            result.append(tokens[place])
            place += 1
    return result


def _in_brackets(tokens: Sequence[Token]) -> list[set[str]]:
    return [names for call in calls_in(tokens) if (names := _names(call.inner))]


def _names(inner: Sequence[Token]) -> set[str]:
    """The names of a list of names with and without numbers; nothing for another list."""
    parts = listed(inner)
    kinds = [[t.type for t in part] for part in parts]
    if not all(kind in (["NAME"], _COMPOUND) for kind in kinds):
        return set()
    return {t.value for part in parts for t in with_compounds(part)}


def _compound(five: Sequence[Token]) -> str:
    return f"{five[0].value}_{five[3].value}"
