r"""Words of functions without their backslash, `cos x_i`: the product of `c`, `o` and `s`, as TeX prints it, or the function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.token_list import STARTS_OPERAND, Token

__all__ = ["with_forgotten_backslashes"]

_FUNCTIONS = words(
    "sin cos tan sinh cosh tanh arcsin arccos arctan ln log exp sqrt max min det sgn"
)
_LONGEST = max(map(len, _FUNCTIONS))


def with_forgotten_backslashes(tokens: Sequence[Token], declared: Set[str]) -> list[Token]:
    """The tokens with an error for each such word in front of an operand; letters that a line declares are letters."""
    result = list(tokens)
    for start, end in _runs(tokens):
        word = "".join(t.value for t in tokens[start:end])
        behind = tokens[end : end + 1]
        is_applied = bool(behind) and behind[0].type in STARTS_OPERAND - {"LPAR"}
        if word in _FUNCTIONS and is_applied and not {*word} & declared:
            fact = f"`{word}` is a product of its letters as it is printed, and may be the function"
            fix = (
                rf"write `\{word}`; for the product declare its letters, `%!tadc input {word[0]}[]`"
            )
            last = tokens[end - 1].end
            result[start] = replace(tokens[start], type="ERROR", value=fact, note=fix, end=last)
    return result


def _runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of letters without a style that are typed without a space between them, and where they end."""
    place = 0
    while place < len(tokens):
        end = place
        while end < len(tokens) and _is_letter(tokens[end]) and _follows(tokens, place, end):
            end += 1
        if 1 < end - place <= _LONGEST:
            yield place, end
        place = max(end, place + 1)


def _is_letter(token: Token) -> bool:
    return token.type == "NAME" and not token.note and len(token.value) == 1


def _follows(tokens: Sequence[Token], first: int, place: int) -> bool:
    return place == first or tokens[place - 1].end == tokens[place].start
