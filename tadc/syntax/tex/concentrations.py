r"""Concentrations of chemistry, `[\mathrm{S}]`: square brackets around one upright name, in a document where they are no subscripts; and
those around what a rate is of, `[X_i]` beside `\frac{d[X_i]}{dt}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["concentrations", "with_concentrations"]

_OPERANDS = frozenset(("NAME", "RBRACE", "RPAR", "RSQB", "NUM"))


def concentrations(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names that stand alone in such brackets, none of them behind a name only; or behind the `d` of a rate."""
    found: dict[str, list[bool]] = {}
    rates: set[str] = set()
    for tokens in streams:
        brackets = dict(_bracketed(tokens))
        for place, end in brackets.items():
            name = tokens[place + 1]
            is_behind = place > 0 and tokens[place - 1].type in _OPERANDS
            is_behind = (
                is_behind and place - 1 not in brackets.values()
            )  # `[\mathrm{S}][\mathrm{E}]`
            if name.note == "upright" and end == place + 2:
                found.setdefault(name.value, []).append(is_behind)
            if [t.value for t in tokens[max(place - 2, 0) : place]] == ["{", "d"]:
                rates.add(name.value)
    return rates | {name for name, behind in found.items() if not all(behind)}


def with_concentrations(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with the name alone for the brackets around it."""
    ends = {p: end for p, end in _bracketed(tokens) if tokens[p + 1].value in names}
    dropped = {*ends, *ends.values()}
    return [
        replace(t, start=tokens[n - 1].start) if n - 1 in ends else t
        for n, t in enumerate(tokens)
        if n not in dropped
    ]


def _bracketed(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of brackets around one name with its scripts."""
    if not any(t.type == "LSQB" for t in tokens):
        return
    closing = closing_brackets(tokens)
    for place, (token, after) in enumerate(pairwise(tokens)):
        if token.type == "LSQB" and after.type == "NAME" and place in closing:
            end = closing[place]
            if tokens[end].type == "RSQB" and behind_scripts(tokens, place + 2, closing) == end:
                yield place, end
