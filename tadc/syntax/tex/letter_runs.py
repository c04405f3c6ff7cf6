"""Letters side by side in what is printed, which may be a word."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["is_letter", "letter_runs"]


def letter_runs(tokens: Sequence[Token]) -> Iterator[tuple[int, int, str]]:
    """The places of plain letters without blanks between them, outside of subscripts, and their text."""
    closing = closing_braces(tokens)
    place = 0
    while place < len(tokens):
        if tokens[place].type == "SUB":
            place = closing.get(place + 1, place) + 1
            continue
        end = place
        while end < len(tokens) and is_letter(tokens[end]):
            if end > place and tokens[end - 1].end != tokens[end].start:
                break
            end += 1
        if end > place + 1:
            yield place, end, "".join(t.value for t in tokens[place:end])
        place = max(end, place + 1)


def is_letter(token: Token) -> bool:
    """Whether it is one letter, of no style."""
    return token.type == "NAME" and len(token.value) == 1 and not token.note
