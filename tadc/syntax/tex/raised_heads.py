r"""Functions with a letter above them, `B_i^n(t) = \binom{n}{i} ..`: wherever such a name stands, that letter stands above it and a
list behind it, so that both are its name. So it is with a number, `r^2(x, x') = ..`, where others apply it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["raised_heads", "with_raised_heads"]


class _Head(NamedTuple):
    """What stands above a name, where its script begins and ends, and whether the name is defined there."""

    letter: str
    start: int
    end: int
    is_defined: bool


def raised_heads(streams: Sequence[Sequence[Token]]) -> dict[str, str]:
    """The names of such functions, and the letter above each."""
    letters: dict[str, set[str]] = {}
    defined: set[str] = set()
    counts: Counter[str] = Counter()
    for tokens in streams:
        closing = closing_brackets(tokens)
        for place, token in enumerate(tokens):
            if token.type == "NAME":
                head = _head(tokens, place, closing)
                letters.setdefault(token.value, set()).add(head.letter if head else "")
                counts[token.value] += 1
                defined |= {token.value} if head and head.is_defined else set()
    found = {name: letters[name].pop() for name in defined if len(letters[name]) == 1}
    return {n: above for n, above in found.items() if counts[n] > 1 or not above.isdigit()}


def with_raised_heads(tokens: Sequence[Token], heads: Mapping[str, str]) -> list[Token]:
    """The tokens with the letter in each of these names."""
    closing = closing_brackets(tokens)
    dropped: set[int] = set()
    result: list[Token] = []
    for place, token in enumerate(tokens):
        head = _head(tokens, place, closing) if token.value in heads else None
        if head is not None:
            dropped |= {*range(head.start, head.end)}
            token = replace(token, value=f"{token.value}_{head.letter}")
        if place not in dropped:
            result.append(token)
    return result


def _head(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> _Head | None:
    """What stands above the name at `place`, if that is a letter and a list follows."""
    end = behind_scripts(tokens, place + 1, closing)
    if tokens[end : end + 1] == [] or tokens[end].type != "LPAR" or end not in closing:
        return None
    behind = closing[end] + 1
    is_defined = behind < len(tokens) and tokens[behind].type in ("EQ", "DEF")
    return next(
        (
            _Head(letter, a, b, is_defined)
            for letter, a, b in _above(tokens, place + 1, end, closing)
        ),
        None,
    )


def _above(
    tokens: Sequence[Token], start: int, end: int, closing: Mapping[int, int]
) -> Iterator[tuple[str, int, int]]:
    for n in range(start, end):
        inner = tokens[n + 2 : closing.get(n + 1, n)]
        if tokens[n].type == "SUP" and [t.type for t in inner] in (["NAME"], ["NUM"]):
            yield inner[0].value, n, n + 4
