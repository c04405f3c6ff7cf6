"""Blocks of statements: `step { .. }` and `repeat t: T { .. }`, of which the grammar sees the rounds alone.

`repeat`, `down` and the name of the index are words only here, and only where the form needs them: `repeat down {` repeats
`down` times, `repeat down = 0..2 {` has an index of that name.
"""

from __future__ import annotations

import re
from typing import Any

from lark import UnexpectedInput

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax import reading
from tadc.syntax.ast import (
    Block,
    Definition,
    Expression,
    Item,
    Loop,
    Name,
    Range,
    Update,
)
from tadc.syntax.idx.hints import explained
from tadc.syntax.idx.load import idx_parser

__all__ = ["Nesting", "head", "parsed"]

# `repeat`, perhaps `down`, and a colon that stands alone before an extent.
_REPEAT = re.compile(r"repeat[ \t]*(down[ \t]+(?=[\w(-]))?(:)?")


class Nesting:
    """The items read so far, with the blocks that are open."""

    def __init__(self) -> None:
        self._heads: list[Block | Loop] = []
        self._items: list[list[Item]] = [[]]

    def open(self, head: Block | Loop) -> None:
        if self._heads and isinstance(self._heads[-1], Block):
            raise SyntaxError(
                head.span,
                "a `step` holds updates and definitions alone",
                fix="close the step before it",
            )
        self._heads.append(head)
        self._items.append([])

    def open_unread(self, span: Span) -> None:
        """Note a block whose head is wrong: its `}` is looked for all the same."""
        self._heads.append(Loop(None, None, None, None, False, (), span))
        self._items.append([])

    def add(self, items: tuple[Item, ...]) -> None:
        for item in items:
            if self._heads and not isinstance(item, (Definition, Update)):
                raise SyntaxError(
                    item.span,
                    "a declaration does not stand in braces",
                    fix="move it before the block",
                )
        self._items[-1].extend(items)

    def close(self, brace: Span) -> None:
        head, items = self._heads.pop(), tuple(self._items.pop())
        closed: Block | Loop
        if isinstance(head, Block):
            closed = Block(items, head.span)
        else:
            closed = Loop(head.index, head.extent, head.low, head.high, head.down, items, head.span)
        self._items[-1].append(closed)

    def finished(self) -> list[Item]:
        """All items. Raises SyntaxError for a block that is open still."""
        if self._heads:
            span = self._heads[-1].span
            line = "%!tadc }" if span.source.lang == "tex" else "}"
            fix = f"write `{line}` after its last statement"
            raise SyntaxError(span, "the `{` of this block is never closed", fix=fix)
        return self._items[0]


def head(source: Source, start: int, end: int) -> Block | Loop:
    """The block that begins with the characters `start` to `end`, its `{` included, without its items."""
    span = Span(source, start, end)
    repeat = _REPEAT.match(source.text, start, end)
    if repeat is None:
        return Block((), span)
    begin, last = repeat.end(), end - 1
    while last > begin and source.text[last - 1].isspace():
        last -= 1
    rounds = parsed(source, begin, last, "rounds")
    down = repeat.group(1) is not None
    return _loop(rounds, down, span)


def _loop(rounds: Expression | Range, down: bool, span: Span) -> Loop:
    index: Name | None = None
    extent = low = high = None
    if isinstance(rounds, Range):
        index, extent, low, high = rounds.name, rounds.extent, rounds.low, rounds.high
    else:
        extent = rounds
    return Loop(index, extent, low, high, down, (), span)


def parsed(source: Source, start: int, end: int, rule: str) -> Any:
    """The value of the characters `start` to `end`, read by a rule of the grammar: `statement` or `rounds`."""
    with reading.part(source, start):
        try:
            placed = idx_parser().parse(source.text[start:end], start=rule)
        except UnexpectedInput as error:
            raise explained(error, source, start, end) from None
    return placed.value  # type: ignore[attr-defined]  # lark says it is a Tree
