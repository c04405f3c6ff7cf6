"""Spans, the error types of tadc, and the printing of a diagnostic.

Known to every room; knows none. A diagnostic says what (one sentence with its numbers), where (the line with a
caret), and what to write instead.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

__all__ = [
    "ArgumentError",
    "BackendError",
    "ConditionWarning",
    "ConvergenceError",
    "DerivativeError",
    "Error",
    "FileError",
    "RangeError",
    "ShapeError",
    "SingularError",
    "Source",
    "Span",
    "SyntaxError",
    "counted",
    "merged",
]


MOST_SHOWN = 140  # characters of a line
MOST_BEFORE = 60  # of them before the place, where the line is longer
MOST_QUOTED = 80  # characters of a quotation in a sentence
MOST_SAID = 2000  # characters of a sentence


@dataclass(frozen=True, slots=True)
class Source:
    """A program's text and the name it is shown under in diagnostics (`conv.idx`, `<string>`)."""

    text: str
    name: str = "<string>"
    lang: Literal["idx", "tex"] = "idx"


@dataclass(frozen=True, slots=True)
class Span:
    """The characters `start` to `end` (exclusive, zero-based) of a source; `line` and `column` are one-based."""

    source: Source
    start: int
    end: int

    @property
    def line(self) -> int:
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        return self.start - self._line_start + 1

    @property
    def text(self) -> str:
        return self.source.text[self.start : self.end]

    @property
    def _line_start(self) -> int:
        return self.source.text.rfind("\n", 0, self.start) + 1

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`."""
        return Span(self.source, self.start, other.end)

    def excerpt(self) -> str:
        """The line of the span and a line of carets under it; a tab stays a tab in the line of carets.

        A long line is cut, with `..` where something is missing, to the surroundings of the start of the span.
        """
        line_end = self.source.text.find("\n", self.start)
        line_end = len(self.source.text) if line_end < 0 else line_end
        start = self._line_start
        before, after = "", ""
        if line_end - start > MOST_SHOWN:
            start = max(start, min(self.start - MOST_BEFORE, line_end - MOST_SHOWN))
            before = ".." if start > self._line_start else ""
            after = ".." if start + MOST_SHOWN < line_end else ""
            line_end = min(line_end, start + MOST_SHOWN)
        line = self.source.text[start:line_end].rstrip("\r")
        at = self.start - start
        margin = "".join(_blank(c) for c in before + line[:at])
        carets = "".join(_blank(c, "^") for c in line[at : max(self.end - start, at)]) or "^"
        return f"    {before}{_visible(line)}{after}\n    {margin}{carets}"


def _blank(character: str, sign: str = " ") -> str:
    """The sign as often as the character has columns on a terminal; a tab is a tab."""
    if character == "\t":
        return "\t"
    if unicodedata.category(character) in ("Mn", "Me"):
        return ""  # an accent on the character before
    return sign * (2 if unicodedata.east_asian_width(character) in "WF" else 1)


def _visible(line: str) -> str:
    """The line without characters that would move the cursor or change colours."""
    kept = (c.isprintable() or c == "\t" or unicodedata.category(c) == "Zs" for c in line)
    return "".join(c if keep else "\ufffd" for c, keep in zip(line, kept, strict=True))


def _short(sentence: str) -> str:
    """The sentence with long quotations and names cut in the middle, and nothing quoted over several lines."""

    def cut(text: str, most: int) -> str:
        half = most // 2 - 2
        return text if len(text) <= most else f"{text[:half]} .. {text[-half:]}"

    if len(sentence) <= MOST_QUOTED and "\n" not in sentence:
        return sentence
    sentence = re.sub(
        r"`([^`]*)`", lambda match: f"`{cut(' '.join(match[1].split()), MOST_QUOTED)}`", sentence
    )
    return cut(re.sub(r"[^\s`]{301,}", lambda match: cut(match[0], 300), sentence), MOST_SAID)


class Error(Exception):
    """A failure that is the user's to mend. `.span` is None where no place in a source is to blame.

    `fact` is one sentence saying what is wrong, `fix` one saying what to write instead; neither repeats long parts of
    the text.
    `.errors` lists the single diagnostics; one error may carry those of several statements. `.sizes` are those that
    need numbers for the text to be a program, if that is the error.
    """

    def __init__(self, span: Span | None, fact: str, *, fix: str = "") -> None:
        self.span = span
        self.fact = fact = _short(fact)
        self.fix = fix = _short(fix)
        self.errors: tuple[Error, ...] = (self,)
        self.sizes: tuple[str, ...] = ()
        super().__init__(span, fact, fix)

    def __str__(self) -> str:
        return "\n\n".join(error._diagnostic() for error in self.errors)

    def __reduce__(self) -> tuple[object, ...]:
        further = self.errors[1:]
        return _rebuilt, (type(self), self.span, self.fact, self.fix, self.sizes, further)

    def _diagnostic(self) -> str:
        lines = [self.fact]
        if self.span is not None:
            place = f"{self.span.source.name}:{self.span.line}:{self.span.column}"
            lines = [f"{place}: {self.fact}", self.span.excerpt()]
        return "\n".join([*lines, self.fix] if self.fix else lines)


class SyntaxError(Error):
    """The text is not a program: grammar, unknown functions, free or non-affine subscripts, redefinitions."""


class ShapeError(Error, ValueError):
    """Ranks or extents do not agree, or an index has no range."""


class RangeError(Error, IndexError):
    """A read can leave its tensor."""


class DataError(RangeError):
    """An element of an index tensor leads a read out of its tensor, or is outside of its declared range.

    `.tensor` is the index tensor, `.index` the smallest such position in row-major order, from 0, `.value` the element;
    `.low` and `.high` are the least and the greatest value of the element that are inside.
    """

    tensor: str = ""
    index: tuple[int, ...] = ()
    value: int | float = 0
    low: int = 0
    high: int = 0

    def of(
        self, tensor: str, index: tuple[int, ...], value: int | float, low: int, high: int
    ) -> DataError:
        """The error with its element."""
        self.tensor, self.index, self.value, self.low, self.high = tensor, index, value, low, high
        return self

    def __reduce__(self) -> tuple[object, ...]:
        element = {n: getattr(self, n) for n in ("tensor", "index", "value", "low", "high")}
        return (*super().__reduce__(), element)


class DerivativeError(Error):
    """A derivative was asked for that does not exist."""


class SingularError(DerivativeError):
    """A step of an inverse has a block that is singular at this point, exactly or up to rounding.

    `.step` is its place in `plan()`, from 0; `.iteration` the rounds of the loops around it, outermost first, from 0; `.index`
    the element, the smallest one of a block; `.pivot` the number that is no pivot.
    """

    step: int = 0
    iteration: tuple[int, ...] = ()
    index: tuple[int, ...] = ()
    pivot: float = 0.0

    def at(
        self, step: int, iteration: tuple[int, ...], index: tuple[int, ...], pivot: float
    ) -> SingularError:
        """The error with its place."""
        self.step, self.iteration, self.index, self.pivot = step, iteration, index, pivot
        return self

    def __reduce__(self) -> tuple[object, ...]:
        place = {n: getattr(self, n) for n in ("step", "iteration", "index", "pivot")}
        return (*super().__reduce__(), place)


class ConvergenceError(Error):
    """Newton's method, or an iterative solver, did not converge. `.result` is what Newton's method had reached."""

    result: object = None


class ConditionWarning(UserWarning):
    """A Jacobian is so ill conditioned that its inverse has lost half of the digits."""


class BackendError(Error):
    """A target is not available, or cannot run these arrays."""


class FileError(Error, OSError):
    """A file cannot be read or written."""


class ArgumentError(Error, TypeError):
    """Arguments of a call are missing, unexpected, or of the wrong kind."""


def counted(number: int, noun: str) -> str:
    """`1 dimension`, `2 dimensions`, `no dimension`."""
    return f"{number or 'no'} {noun}{'s' if number > 1 else ''}"


def merged(errors: Iterable[Error]) -> Error:
    """One error that shows all of `errors`, in the order of their places; its type and span are the first one's."""
    ordered = sorted(errors, key=lambda e: -1 if e.span is None else e.span.start)
    assert ordered, "no error to raise"
    first = ordered[0]
    result = type(first)(first.span, first.fact, fix=first.fix)
    result.errors = (result, *ordered[1:])
    result.sizes = first.sizes
    return result


def _rebuilt(
    kind: type[Error],
    span: Span | None,
    fact: str,
    fix: str,
    sizes: tuple[str, ...],
    further: tuple[Error, ...],
) -> Error:
    error = kind(span, fact, fix=fix)
    error.sizes = sizes
    error.errors = (error, *further)
    return error
