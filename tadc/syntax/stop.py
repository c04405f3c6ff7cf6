"""The place where the parser could not go on, as the words around it: what the hints look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from lark import UnexpectedInput, UnexpectedToken

from tadc.errors import Source, Span
from tadc.syntax.characters import shown

__all__ = ["CLOSING", "DECLARATIONS", "Place", "Stop", "is_name"]

Place: TypeAlias = Literal["found", "last", "opened"]

CLOSING = {"(": ")", "[": "]", "{": "}"}
DECLARATIONS = ("size", "input", "state", "output", "base", "einstein")

_WORD = re.compile(
    r"""[0-9]+ (?: \.[0-9]+ (?: [eE][+-]?[0-9]+ )? | [eE][+-]?[0-9]+ )?
      | [^\W\d_] (?: [0-9A-Za-z_] | [^\x00-\x7f] )*
      | \*\* | // | \.\. | <- | == | != | <= | >=
      | \#[^\n]* | (?: [ \t\n] | \r\n )+ | .""",
    re.VERBOSE | re.DOTALL,
)


class Word(NamedTuple):
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Stop:
    """The words of a statement up to the one that the parser could not take, `found` (empty at the end).

    `open` are the positions in `words` of what is still open, innermost last: brackets, `if` before its `then`, and
    `then` before its `else`.
    """

    source: Source
    words: tuple[Word, ...]
    found: Word
    rest: str  # some characters after `found`
    open: tuple[int, ...]
    accepts: frozenset[str]  # terminals of the grammar that could stand here

    @classmethod
    def of(cls, error: UnexpectedInput, source: Source, start: int, end: int) -> Stop:
        """Where the statement from `start` to `end` failed."""
        at = start + _position(error)
        words = tuple(_words(source.text, start, at))
        found = next(_words(source.text, at, end), Word("", at, at))
        rest = source.text[found.end : min(end, found.end + 8)]
        parser = error.interactive_parser
        accepts = parser.accepts() if parser else ()  # type: ignore[no-untyped-call]
        return cls(source, words, found, rest, _still_open(words), frozenset(accepts))

    def span(self, place: Place) -> Span:
        word = self.found
        if place == "last" and self.words:
            word = self.words[-1]
        if place == "opened" and self.open:
            word = self.words[self.open[-1]]
        return Span(self.source, word.start, word.end)

    def before(self, count: int) -> str:
        """The word `count` words before the one found."""
        return self.words[-count].text if count <= len(self.words) else ""

    @property
    def first(self) -> str:
        return self.words[0].text if self.words else ""

    @property
    def last(self) -> str:
        return self.before(1)

    @property
    def opened(self) -> str:
        """The innermost that is open: a bracket, `if` or `then`."""
        return self.words[self.open[-1]].text if self.open else ""

    @property
    def opener(self) -> str:
        """The word before the innermost that is open."""
        return self.words[self.open[-1] - 1].text if self.open and self.open[-1] else ""

    @property
    def head(self) -> str:
        """The name of the operand before the place: `sum` of `sum`, of `sum(k)` and of `sum[k]`."""
        depth = 0
        for word in reversed(self.words):
            if word.text in CLOSING.values():
                depth += 1
            elif word.text in CLOSING:
                depth -= 1
            elif not depth:
                return word.text
        return ""

    @property
    def touching(self) -> bool:
        return bool(self.words) and self.words[-1].end == self.found.start

    @property
    def declares(self) -> bool:
        second = self.words[1].text if len(self.words) > 1 else ""
        return self.first in DECLARATIONS and second not in ("[", "=", ":")

    @property
    def on_the_left(self) -> bool:
        """Whether this is the left side of a definition, before its `=`."""
        defined = self.declares or any(word.text == "=" for word in self.words)
        return bool(self.words) and not defined

    @property
    def joins(self) -> bool:
        """Whether a condition was joined or negated since the innermost opening."""
        inside = self.words[self.open[-1] :] if self.open else self.words
        return any(word.text in ("and", "or", "not") for word in inside)

    @property
    def entry_ends(self) -> bool:
        """Whether a list or its next entry, or the statement, would have to end here."""
        return self.found.text in ("", ")", "]", "}", ",", ";")

    @property
    def after_operand(self) -> bool:
        return is_name(self.last) or self.last[:1].isdigit() or self.last in (")", "]")

    @property
    def operand_found(self) -> bool:
        text = self.found.text
        return is_name(text) or text[:1].isdigit() or text in CLOSING

    @property
    def shown(self) -> str:
        text = self.found.text
        if not text:
            return "the end of the statement"
        return shown(text) if len(text) == 1 else f"`{text}`"

    def filled(self, sentence: str) -> str:
        """The sentence with the words that it names in angle brackets: `<found>`, `<last>`."""
        words = {
            "found": self.found.text,
            "shown": self.shown,
            "last": self.last,
            "second": self.before(2),
            "opened": self.opened,
            "opener": self.opener,
            "closing": CLOSING.get(self.opened, ""),
            "first": self.first,
            "head": self.head,
        }
        return re.sub(r"<(\w+)>", lambda name: words.get(name[1], name[0]), sentence)


def is_name(text: str) -> bool:
    return text[:1].isalpha() and text not in ("if", "then", "else", "and", "or", "not", "is")


def _position(error: UnexpectedInput) -> int:
    """Where the parser stopped; the end of a statement is the end of its last token."""
    if not isinstance(error, UnexpectedToken):
        return error.pos_in_stream or 0
    token = error.token
    return (token.end_pos if token.type == "$END" else token.start_pos) or 0


def _words(text: str, start: int, end: int) -> Iterator[Word]:
    for found in _WORD.finditer(text, start, end):
        if not found.group().startswith(("#", " ", "\t", "\n", "\r\n")):
            yield Word(found.group(), found.start(), found.end())


def _still_open(words: tuple[Word, ...]) -> tuple[int, ...]:
    still: list[int] = []
    for at, word in enumerate(words):
        top = words[still[-1]].text if still else ""
        if word.text in CLOSING or word.text == "if":
            still.append(at)
        elif word.text == "then" and top == "if":
            still[-1] = at
        elif word.text == "else" and top == "then":
            still.pop()
        elif word.text in CLOSING.values():
            while still and words[still.pop()].text not in CLOSING:
                pass
    return tuple(still)
