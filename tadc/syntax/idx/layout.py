"""The extents of statements: lines, indentation, brackets and `;`.

A statement ends at a newline or `;` outside brackets, unless the next line is indented deeper than the line the statement
begins on. Blank lines and comments count for nothing. A bracket left open ends before a line that is no deeper and looks
like another statement, so that one missing `)` does not swallow the file. The braces of `step {` and `repeat T {` are no
brackets: they hold statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tadc.errors import Source, Span, SyntaxError

__all__ = ["Piece", "looks_like_statement", "pieces"]


@dataclass(frozen=True, slots=True)
class Piece:
    """The characters `start` to `end` of a source: a statement, the head of a block with its `{`, or the `}` of one."""

    kind: Literal["statement", "open", "close"]
    start: int
    end: int

    def span(self, source: Source) -> Span:
        return Span(source, self.start, self.end)


_BLANK = re.compile(r"(?:[ \t\n]+|\r\n|#[^\n]*)*")  # with newlines and comments
_INDENT = re.compile(r"[ \t]*")
_MARK = re.compile(r"[\[({]|[\])}]|;|\r?\n|#[^\n]*")

_OPENING = re.compile(
    r"""step [ \t]* \{
      | repeat (?: [ \t]+ [^ \t\n\[=<{:;#] [^\n;#{]* | [ \t]* : [^\n;#{=]* ) \{""",
    re.VERBOSE,
)
_STATEMENT = re.compile(
    r"""[^\W\d_] (?: [0-9A-Za-z_] | [^\x00-\x7f] )* [ \t]* (?: \[ [^\]\n]* \] [ \t]* )? (?: : [ \t]* \w+ [ \t]* )?
        (?: <- | = (?! = | [^\n{]* \.\. ) )       # f[i] = ..., but not the range k = 0..4
      | (?: size | input | state | output ) [ \t]+ (?! (?: then | else | and | or | is ) \b ) [^\W\d]
      | require [ \t]+ (?! [=<] ) .
      | base [ \t]+ [0-9]""",
    re.VERBOSE,
)


def looks_like_statement(text: str, start: int, end: int) -> bool:
    """Whether a definition or a declaration seems to begin at `start`."""
    return _STATEMENT.match(text, start, end) is not None


class _Scanner:
    """A position in a text, with the start of its line."""

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.text = source.text
        self.at = start
        self.end = end
        self.line = self.text.rfind("\n", 0, start) + 1
        self.brace = -1  # where the last `{` of a block ended

    def skip_to(self, position: int) -> None:
        """Go on from `position`, past blanks, newlines and comments."""
        blank = _BLANK.match(self.text, position, self.end)
        assert blank is not None
        self.at = blank.end()
        newline = self.text.rfind("\n", position, self.at)
        if newline >= 0:
            self.line = newline + 1

    def indent(self) -> str:
        """The blanks that begin the line."""
        blank = _INDENT.match(self.text, self.line, self.end)
        assert blank is not None
        return blank.group()


def pieces(source: Source, start: int, end: int, errors: list[SyntaxError]) -> Iterator[Piece]:
    """The pieces of `source` from `start` to `end`, in order; errors of indentation go to `errors`."""
    scanner = _Scanner(source, start, end)
    depth = 0
    scanner.skip_to(start)
    while scanner.at < end:
        begin = scanner.at
        opening = _OPENING.match(scanner.text, begin, end)
        if scanner.text[begin] == ";":
            scanner.skip_to(begin + 1)
        elif opening:
            depth += 1
            yield Piece("open", begin, opening.end())
            scanner.brace = opening.end()
            scanner.skip_to(opening.end())
        elif depth and scanner.text[begin] == "}":
            depth -= 1
            yield Piece("close", begin, begin + 1)
            scanner.skip_to(begin + 1)
        else:
            yield Piece("statement", begin, _end_of_statement(scanner, depth > 0, errors))


def _end_of_statement(scanner: _Scanner, in_block: bool, errors: list[SyntaxError]) -> int:
    """The end of the statement at the scanner; the scanner moves to the beginning of the next."""
    begin = scanner.at
    base: _Base | None = None
    brackets = 0
    while mark := _MARK.search(scanner.text, scanner.at, scanner.end):
        sign = mark.group()
        scanner.at = mark.end()
        if sign in "[({":
            brackets += 1
        elif sign in "])}" and brackets:
            brackets -= 1
        elif sign == "}" and in_block:
            scanner.at = mark.start()
            return mark.start()
        elif sign == ";" and not brackets:
            scanner.skip_to(mark.end())
            return mark.start()
        elif sign.endswith("\n"):
            base = base or _Base.of(scanner, begin)
            scanner.line = mark.end()
            scanner.skip_to(mark.end())
            if _ends_before(scanner, base, brackets, errors):
                return mark.start()
    scanner.at = scanner.end
    return scanner.end


@dataclass(frozen=True, slots=True)
class _Base:
    """The reference for "deeper": the width and the kinds of blanks of a statement's first line.

    After the `{` of a block on the same line the width is the column of the statement itself.
    """

    width: int
    blanks: frozenset[str]

    @classmethod
    def of(cls, scanner: _Scanner, begin: int) -> _Base:
        """The base of the statement that begins at `begin`, in the line of the scanner."""
        indent = scanner.indent()
        in_line = scanner.brace > scanner.line
        return cls(begin - scanner.line if in_line else len(indent), frozenset(indent))


def _ends_before(scanner: _Scanner, base: _Base, brackets: int, errors: list[SyntaxError]) -> bool:
    """Whether the line at the scanner, the next that is not blank, begins another statement."""
    if scanner.at == scanner.end:
        return True
    indent = scanner.indent()
    deeper = len(indent) > base.width
    if brackets:
        return not deeper and _STATEMENT.match(scanner.text, scanner.at, scanner.end) is not None
    if indent and {" ", "\t"} <= base.blanks | set(indent):
        errors.append(
            SyntaxError(
                Span(scanner.source, scanner.line, scanner.at),
                "this indentation mixes tabs and blanks with those above, so its depth is not clear",
                fix="indent with blanks only",
            )
        )
    return not deeper
