r"""Concentrations of chemistry, `[\mathrm{S}]`: square brackets around one upright name, in a document where they are no subscripts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.token_list import Token

__all__ = ["concentrations", "with_concentrations"]

_OPERANDS = frozenset(("NAME", "RBRACE", "RPAR", "RSQB", "NUM"))


def concentrations(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names that stand alone in such brackets, none of them behind a name only."""
    found: dict[str, list[bool]] = {}
    for tokens in streams:
        for place in _bracketed(tokens):
            is_behind = place > 0 and tokens[place - 1].type in _OPERANDS
            found.setdefault(tokens[place + 1].value, []).append(is_behind)
    return {name for name, behind in found.items() if not all(behind)}


def with_concentrations(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with the name alone for the brackets around it."""
    starts = {place for place in _bracketed(tokens) if tokens[place + 1].value in names}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        if place in starts:
            name = tokens[place + 1]
            result.append(replace(name, start=tokens[place].start, end=tokens[place + 2].end))
            place += 3
        else:
            result.append(tokens[place])
            place += 1
    return result


def _bracketed(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of brackets around one upright name."""
    for place in range(len(tokens) - 2):
        kinds = [t.type for t in tokens[place : place + 3]]
        if kinds == ["LSQB", "NAME", "RSQB"] and tokens[place + 1].note == "upright":
            yield place
