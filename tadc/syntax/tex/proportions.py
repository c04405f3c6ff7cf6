r"""Formulas up to a factor, `\phi_{ni} \propto \beta_{in} \theta_i`: they define nothing, for what divides them is not printed.

What another formula reads then is no input either, unless a line declares it: the author means what the first one gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set

from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["unnormalized", "without_proportion"]


def without_proportion(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    r"""The tokens in front of `\propto`: of `q = a \propto b` the equation, and no definition of `q \propto b`."""
    return tokens[: _place(tokens)]


def unnormalized(parts: Iterable[Sequence[Token]], known: Set[str]) -> Iterator[tuple[str, Token]]:
    r"""The names on the left sides of `\propto` that are not `known`, and where they stand."""
    for tokens in parts:
        place = _place(tokens)
        first = tokens[0]
        is_free = first.type == "NAME" and first.value not in known
        is_first = not any(t.type == "EQ" for t in tokens[:place])
        if place < len(tokens) and is_free and is_first:
            yield first.value, first


def _place(tokens: Sequence[Token]) -> int:
    r"""The place of the first `\propto` outside of brackets."""
    depth = 0
    for place, token in enumerate(tokens):
        depth += (token.type in OPENERS) - (token.type in CLOSERS)
        if token.type == "PROPTO" and depth == 0:
            return place
    return len(tokens)
