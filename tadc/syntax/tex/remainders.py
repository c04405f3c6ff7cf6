r"""Orders of magnitude behind a formula, `\frac{f_{i+1} - f_i}{h} + \mathcal{O}(h)`: they say how far off it is, and are no part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["orders", "without_remainders"]

_ENDS = frozenset(("BREAK", "COMMA", "DOT", "QUAD", "TEXT"))


def orders(streams: Sequence[Sequence[Token]], declared: Set[str]) -> bool:
    """Whether each `O` of the displays stands for an order: at the end of a sum, with a power in its brackets or in ornate type."""
    found = [
        (tokens, place)
        for tokens in streams
        for place, token in enumerate(tokens)
        if token.type == "NAME" and token.value == "O"
    ]
    if "O" in declared:
        return False
    brackets = {id(tokens): closing_brackets(tokens) for tokens, _ in found}
    return all(_end(tokens, place, brackets[id(tokens)]) for tokens, place in found)


def without_remainders(tokens: Sequence[Token], guesses: list[Guess]) -> list[Token]:
    """The tokens without the orders and the signs before them."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        end = 0
        if tokens[place].type in ("PLUS", "MINUS"):
            end = _end(tokens, place + 1, closing)
        if end:
            start, stop = tokens[place].start, tokens[end - 1].end
            guesses.append(Guess("what the formula is off by, `O(..)`, is left out", start, stop))
            place = end
        else:
            result.append(tokens[place])
            place += 1
    return result


def _end(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    """The place behind the order that begins at `place`, or 0."""
    if place >= len(tokens) or tokens[place].type != "NAME" or tokens[place].value != "O":
        return 0
    end = closing.get(place + 1, 0)
    is_last = end > 0 and (end + 1 == len(tokens) or tokens[end + 1].type in _ENDS)
    is_added = place > 0 and tokens[place - 1].type in ("PLUS", "MINUS")
    is_call = tokens[place + 1 : place + 2] != [] and tokens[place + 1].type in ("LPAR", "LSQB")
    has_power = any(t.type == "SUP" for t in tokens[place + 1 : end])
    is_order = tokens[place].note in ("calligraphic", "script") or has_power
    return end + 1 if is_last and is_added and is_call and is_order else 0
