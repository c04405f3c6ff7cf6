r"""Magnitudes that a document defines, `|\Gamma|^2 = ..`: the bars and what is in them are one name, wherever they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["magnitudes", "with_magnitudes"]


def magnitudes(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names in bars in front of an equality sign, of which the right side is more than a name or a number."""
    found: set[str] = set()
    for tokens in streams:
        closing = closing_brackets(tokens)
        for start, end in _bars(tokens):
            behind = behind_scripts(tokens, end + 1, closing)
            is_first = start == 0 or tokens[start - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
            is_left = is_first and [t.type for t in tokens[behind : behind + 1]] in (
                ["EQ"],
                ["DEF"],
            )
            if is_left and len(tokens) > behind + 2:
                found.add(tokens[start + 1].value)
    return found


def with_magnitudes(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with `Gamma_abs` for each of these in bars."""
    ends = {start: end for start, end in _bars(tokens) if tokens[start + 1].value in names}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        if place in ends:
            first, *scripts = tokens[place + 1 : ends[place]]
            name = replace(first, value=f"{first.value}_abs", start=tokens[place].start)
            result += [name, *scripts]
            place = ends[place] + 1
        else:
            result.append(tokens[place])
            place += 1
    return result


def _bars(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of bars around one name with its subscript, and a list behind it."""
    closing = closing_brackets(tokens)
    for place in range(len(tokens) - 2):
        if [t.type for t in tokens[place : place + 2]] != ["BAR_L", "NAME"]:
            continue
        end = place + 2
        if tokens[end].type == "SUB" and end + 1 in closing:
            end = closing[end + 1] + 1
        if tokens[end : end + 1] and tokens[end].type == "LPAR" and end in closing:
            end = closing[end] + 1  # `|S(k)|`
        if end < len(tokens) and tokens[end].type == "BAR_R":
            yield place, end
