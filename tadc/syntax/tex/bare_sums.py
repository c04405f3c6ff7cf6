r"""Sums that do not say over which index, `2 \sum (y_i - \mu_i)` and `\sum_1^N x_i`: over the one in them that nothing else binds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, bound_names, has_style, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["with_limits_of_bare_sums"]


def with_limits_of_bare_sums(
    definition: Statement, known: Set[str], guesses: list[Guess]
) -> Statement:
    """The definition with limits below such sums, where one letter below names is free in them and stands nowhere outside; none of
    those that are `known` as something else.
    """
    tokens = definition.tokens
    sums = [*_bare_sums(tokens)]
    if not sums:
        return definition
    taken = bound_names(tokens) | known
    outside = {
        t.value for n, t in enumerate(tokens) if not any(start < n < end for start, end in sums)
    }
    result: list[Token] = []
    before = 0
    for start, end in sums:
        letters = _below(tokens[start:end]) - taken
        if len(letters) == 1 and not letters & outside:
            (letter,) = letters
            result += [*tokens[before : start + 1], *_limits(tokens, start, letter)]
            before = start + 5 if tokens[start + 1].type == "SUB" else start + 1
            text = f"the sum is over `{letter}`: no other letter is an index in it"
            guesses.append(Guess(text, tokens[start].start, tokens[start].end))
    return replace(definition, tokens=(*result, *tokens[before:]))


def _bare_sums(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of sums and products without an index, and where the term ends that they are over."""
    for place, token in enumerate(tokens[:-1]):
        is_sum = token.type == "RED" and token.value in ("sum", "prod")
        kinds = [t.type for t in tokens[place + 1 : place + 6]]
        is_from = kinds == ["SUB", "LBRACE", "NUM", "RBRACE", "SUP"]
        if not is_sum or (kinds[0] in ("SUB", "SUP", "PRIME") and not is_from):
            continue
        yield place, _end_of_term(tokens, place + 1)


def _end_of_term(tokens: Sequence[Token], start: int) -> int:
    """The place of the sign, or of the closing bracket, that ends the term."""
    depth = 0
    for place in range(start, len(tokens)):
        kind = tokens[place].type
        depth += (kind in OPENERS) - (kind in CLOSERS)
        if depth < 0 or (depth == 0 and kind in ("PLUS", "MINUS") and place > start):
            return place
    return len(tokens)


def _below(tokens: Sequence[Token]) -> set[str]:
    """The letters below names."""
    return {
        t.value
        for _, _, inner in scripted(tokens, "SUB")
        for t in inner
        if t.type == "NAME" and not has_style(t)
    }


def _limits(tokens: Sequence[Token], place: int, letter: str) -> list[Token]:
    """The limits below the sum at `place`, where those that stand there begin with a number."""
    at = tokens[place]

    def token(kind: str, value: str, note: str = "") -> Token:
        return Token(kind, value, at.end, at.end, note)

    first = [token("EQ", "="), tokens[place + 3]] if tokens[place + 1].type == "SUB" else []
    opening, closing = token("LBRACE", "", "limits"), token("RBRACE", "", "RED")
    return [token("SUB", "_"), opening, token("NAME", letter), *first, closing]
