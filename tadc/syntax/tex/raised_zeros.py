r"""A zero above a name, `t_a = t_a^0 (1 + v_a)`: a label, as nobody raises an element to the power 0 unless other powers stand beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["raised_zeros", "with_raised_zeros"]


def raised_zeros(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The names with a 0 above them and no other number, in the whole document; none of them has a 0 below it."""
    numbers: dict[str, set[str]] = {}
    for tokens in streams:
        for name, number in _raised(tokens):
            numbers.setdefault(name.value, set()).add(number)
    below = {
        name.value
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUB")
        if [t.value for t in inner] == ["0"]
    }
    return {name for name, found in numbers.items() if found == {"0"}} - below


def with_raised_zeros(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with brackets around the 0 above these names, which make a label of it."""
    places = {
        place + 2
        for name, place, inner in scripted(tokens, "SUP")
        if name.value in names and [t.value for t in inner] == ["0"]
    }
    result: list[Token] = []
    for place, token in enumerate(tokens):
        at = token.start
        is_zero = place in places
        result += [Token("LPAR", "(", at, at), token] if is_zero else [token]
        result += [Token("RPAR", ")", token.end, token.end)] if is_zero else []
    return result


def _raised(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """The names with a number above, and which."""
    for name, _, inner in scripted(tokens, "SUP"):
        if [t.type for t in inner] == ["NUM"]:
            yield name, inner[0].value
