"""The `.idx` spelling: text to syntax tree.

`layout` cuts the text into statements, each is parsed alone by the grammar, and `build` makes its nodes. What is wrong in
one statement does not hide the others: the errors of a source are reported together.
"""

from __future__ import annotations

from lark import UnexpectedInput

from tadc.errors import Source, SyntaxError, merged
from tadc.syntax import reading
from tadc.syntax.ast import Item, Program
from tadc.syntax.idx.build import not_supported_yet
from tadc.syntax.idx.characters import odd_character
from tadc.syntax.idx.hints import explained
from tadc.syntax.idx.layout import Piece, pieces
from tadc.syntax.idx.load import idx_parser
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
        return Program(tuple(parse_piece(source, start, len(source.text))))


def parse_piece(source: Source, start: int, end: int) -> list[Item]:
    """The declarations and definitions in the characters `start` to `end` of `source`, such as those of a `%!tadc` line.

    Raises `SyntaxError`, as `parse_idx`.
    """
    items: list[Item] = []
    errors: list[SyntaxError] = []
    for piece in pieces(source, start, end, errors):
        try:
            items.extend(_parsed(source, piece))
        except SyntaxError as error:
            errors.append(error)
        if len(errors) >= MOST_ERRORS:
            break
    if errors:
        raise merged(errors[:MOST_ERRORS])
    return items


def _parsed(source: Source, piece: Piece) -> tuple[Item, ...]:
    """The items of one piece: a declaration may give several, the `}` of a block none."""
    match piece.kind:
        case "open":
            span = piece.span(source)
            raise not_supported_yet(span, f"`{span.text.split()[0]}`")
        case "close":
            return ()
        case "statement":
            text = source.text[piece.start : piece.end]
            odd = odd_character(source, piece.start, piece.end)
            if odd is not None:
                raise odd
            with reading.part(source, piece.start):
                try:
                    placed = idx_parser().parse(text)
                except UnexpectedInput as error:
                    raise explained(error, source, piece.start, piece.end) from None
            return placed.value  # type: ignore[attr-defined,no-any-return]  # lark says it is a Tree
