r"""Orders of magnitude behind a formula, `\frac{f_{i+1} - f_i}{h} + \mathcal{O}(h)`: they say how far off it is, and are no part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["orders", "without_remainders"]

_ENDS = frozenset(("BREAK", "COMMA", "DOT", "QUAD", "TEXT"))


def orders(streams: Sequence[Sequence[Token]], declared: Set[str]) -> bool:
    """Whether each `O` and `o` of the displays stands for an order: at the end of a sum, with a power in its brackets or in ornate type."""
    found = [
        (tokens, place)
        for tokens in streams
        for place, token in enumerate(tokens)
        if token.type == "NAME" and token.value in _SIGNS
    ]
    if {*_SIGNS} & declared:
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
            guesses.append(
                Guess(
                    f"what the formula is off by, `{tokens[place + 1].value}(..)`, is left out",
                    start,
                    stop,
                )
            )
            place = end
        else:
            result.append(tokens[place])
            place += 1
    return result


def _end(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    """The place behind the order that begins at `place`, or 0; `o(1)` is one in any type, and so is what has a `p` below, in probability."""
    if place >= len(tokens) or tokens[place].type != "NAME" or tokens[place].value not in _SIGNS:
        return 0
    below = tokens[place + 1 : place + 5]
    in_probability = [t.type for t in below] == ["SUB", "LBRACE", "NAME", "RBRACE"]
    in_probability = in_probability and below[2].value in ("p", "P")
    opening = place + 5 if in_probability else place + 1
    end = closing.get(opening, 0)
    is_last = end > 0 and (end + 1 == len(tokens) or tokens[end + 1].type in _ENDS)
    is_added = place > 0 and tokens[place - 1].type in ("PLUS", "MINUS")
    is_call = tokens[opening : opening + 1] != [] and tokens[opening].type in ("LPAR", "LSQB")
    has_power = any(t.type == "SUP" for t in tokens[opening:end])
    is_order = tokens[place].note in ("calligraphic", "script") or has_power or in_probability
    is_order = is_order or tokens[place].value == "o"
    return end + 1 if is_last and is_added and is_call and is_order else 0


_SIGNS = ("O", "o")
