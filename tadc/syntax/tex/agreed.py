r"""Guesses that a document agrees with: after `%!tadc agree d is defined in the prose` that reading is no guess any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from tadc.errors import Error, Source, Span, SyntaxError
from tadc.syntax.ast import Note
from tadc.syntax.tex.document import Region

__all__ = ["Agreed", "agreed", "agreement", "with_agreed"]

_WORD = "agree "


class Agreed(NamedTuple):
    """The text of a guess, and the line that agrees with it."""

    text: str
    span: Span


def agreed(source: Source, region: Region) -> Agreed | None:
    """The guess that a line agrees with, if it does."""
    said = source.text[region.start : region.end]
    if not said.startswith(_WORD):
        return None
    return Agreed(_plain(said.removeprefix(_WORD)), Span(source, region.start, region.end))


def agreement(note: Note) -> str:
    """The line that agrees with a guess."""
    return f"%!tadc {_WORD}{_plain(note.text)}"


def with_agreed(notes: Sequence[Note], lines: Sequence[Agreed]) -> tuple[Note, ...]:
    """The notes without the guesses that lines agree with. Raises SyntaxError for a line that is about none."""
    texts = {line.text for line in lines}
    guesses = {_plain(note.text) for note in notes if note.is_guess}
    errors: list[Error] = [
        SyntaxError(
            line.span,
            "nothing is guessed that this line agrees with",
            fix="remove it; `tadc show` prints the guesses",
        )
        for line in lines
        if line.text not in guesses
    ]
    if errors:
        raise errors[0]
    return tuple(
        replace(note, is_guess=False) if _plain(note.text) in texts else note for note in notes
    )


def _plain(text: str) -> str:
    """The text without marks around names, as it stands in a line and in a message."""
    return " ".join(text.replace("`", "").split())
