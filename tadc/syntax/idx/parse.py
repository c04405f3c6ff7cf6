"""The `.idx` spelling: text to syntax tree.

`layout` cuts the text into statements, each is parsed alone by the grammar, and `build` makes its nodes. What is wrong in
one statement does not hide the others: the errors of a source are reported together.
"""

from __future__ import annotations

from tadc.errors import Source, SyntaxError, merged
from tadc.syntax import reading
from tadc.syntax.ast import Item, Program
from tadc.syntax.idx.blocks import Nesting, head, parsed
from tadc.syntax.idx.characters import odd_character
from tadc.syntax.idx.layout import Piece, pieces
from tadc.syntax.likes import with_likes
from tadc.syntax.paths import refuse_path

__all__ = ["MOST_ERRORS", "parse_idx", "parse_piece"]

MOST_ERRORS = 20  # more are not looked for: who sees twenty mends some and asks again


def parse_idx(source: Source) -> Program:
    """The program written in `source`.

    Raises `SyntaxError` for everything that the grammar refuses, several statements' errors in one.
    """
    refuse_path(source)
    with reading.reading(source):
        start = 1 if source.text.startswith("\ufeff") else 0  # a byte-order mark
        return with_likes(Program(tuple(parse_piece(source, start, len(source.text)))))


def parse_piece(source: Source, start: int, end: int) -> list[Item]:
    """The declarations and definitions in the characters `start` to `end` of `source`, such as those of a `%!tadc` line.

    Raises `SyntaxError`, as `parse_idx`.
    """
    errors: list[SyntaxError] = []
    nesting = Nesting()
    for piece in pieces(source, start, end, errors):
        try:
            _read(source, piece, nesting)
        except SyntaxError as error:
            errors.append(error)
        if len(errors) >= MOST_ERRORS:
            break
    if errors:
        raise merged(errors[:MOST_ERRORS])
    return nesting.finished()


def _read(source: Source, piece: Piece, nesting: Nesting) -> None:
    """Add the items of one piece: a declaration may give several."""
    match piece.kind:
        case "open":
            try:
                nesting.open(head(source, piece.start, piece.end))
            except SyntaxError:
                nesting.open_unread(piece.span(source))
                raise
        case "close":
            nesting.close(piece.span(source))
        case "statement":
            odd = odd_character(source, piece.start, piece.end)
            if odd is not None:
                raise odd
            nesting.add(parsed(source, piece.start, piece.end, "statement"))
