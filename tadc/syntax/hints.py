"""Why a statement does not parse, and what to write instead.

The parser says where it stopped. The words before that place and the one found there usually tell what was meant: the
first row of `_HINTS` whose test holds explains the error, and without one, what the grammar expects is listed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from lark import UnexpectedInput, UnexpectedToken
from lark.lexer import PatternStr

from tadc.errors import Source, Span, SyntaxError
from tadc.syntax.characters import shown
from tadc.syntax.load import idx_parser, is_spelled_as

__all__ = ["explained"]


def explained(error: UnexpectedInput, source: Source, start: int, end: int) -> SyntaxError:
    """The error of the statement from `start` to `end`, in the words of the language."""
    stop = _Stop.of(error, source, start, end)
    for hint in _HINTS:
        if hint.applies(stop):
            span = stop.span(hint.place)
            return SyntaxError(span, stop.filled(hint.fact), fix=stop.filled(hint.fix))
    expected = _expected(stop.accepts)
    return SyntaxError(stop.span("found"), f"{stop.shown} cannot stand here", fix=expected)


# ---- Where the parser stopped


class Word(NamedTuple):
    text: str
    start: int
    end: int


Place = Literal["found", "last", "opened"]

_WORD = re.compile(
    r"""[0-9]+ (?: \.[0-9]+ (?: [eE][+-]?[0-9]+ )? | [eE][+-]?[0-9]+ )?
      | [^\W\d_] (?: \w | [^\x00-\x7f] )*
      | \*\* | // | \.\. | <- | == | != | <= | >=
      | \#[^\n]* | [ \t\r\n]+ | .""",
    re.VERBOSE,
)
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_OPENING = {closing: opening for opening, closing in _CLOSING.items()}
_RELATIONS = frozenset({"=", "==", "!=", "<", "<=", ">", ">="})
_DECLARATIONS = frozenset({"size", "input", "state", "output", "base", "einstein"})


@dataclass(frozen=True, slots=True)
class _Stop:
    """The words of a statement up to the one the parser could not take, `found` (empty at the end of the statement).

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
    def of(cls, error: UnexpectedInput, source: Source, start: int, end: int) -> _Stop:
        at = error.pos_in_stream or 0
        ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
        if isinstance(error, UnexpectedToken):
            at = (error.token.end_pos if ended else error.token.start_pos) or 0
        words = tuple(_words(source.text, start, start + at))
        following = next(_words(source.text, start + at, end), None)
        found = following or Word("", start + at, start + at)
        parser = error.interactive_parser  # type: ignore[attr-defined]  # UnexpectedInput has it since lark 1.0
        accepts = frozenset(parser.accepts()) if parser is not None else frozenset[str]()
        rest = source.text[found.end : min(end, found.end + 8)]
        return cls(source, words, found, rest, _still_open(words), accepts)

    def word(self, place: Place) -> Word:
        match place:
            case "found":
                return self.found
            case "last":
                return self.words[-1] if self.words else self.found
            case "opened":
                return self.words[self.open[-1]] if self.open else self.found

    def span(self, place: Place) -> Span:
        word = self.word(place)
        return Span(self.source, word.start, word.end)

    def before(self, count: int) -> str:
        """The text of the word `count` words before the one found."""
        return self.words[-count].text if count <= len(self.words) else ""

    @property
    def first(self) -> str:
        return self.words[0].text if self.words else ""

    @property
    def last(self) -> str:
        return self.before(1)

    @property
    def opened(self) -> str:
        return self.words[self.open[-1]].text if self.open else ""

    @property
    def opener(self) -> str:
        """The word before the innermost open bracket."""
        return self.words[self.open[-1] - 1].text if self.open and self.open[-1] else ""

    @property
    def head(self) -> str:
        """The name of the operand before the place: `sum` of `sum`, of `sum(k)` and of `sum[k]`."""
        at = len(self.words) - 1
        depth = 0
        while at > 0 and (depth or self.words[at].text in _OPENING):
            depth += (self.words[at].text in _OPENING) - (self.words[at].text in _CLOSING)
            at -= 1
        return self.words[at].text if at >= 0 else ""

    @property
    def touching(self) -> bool:
        return bool(self.words) and self.words[-1].end == self.found.start

    @property
    def on_the_left(self) -> bool:
        """Whether this is a definition's left side, before its `=`."""
        equal = any(word.text == "=" for word in self.words)
        return bool(self.words) and not equal and not self.declares

    @property
    def declares(self) -> bool:
        return self.first in _DECLARATIONS and self.before(len(self.words) - 1) not in (
            "[",
            "=",
            ":",
        )

    @property
    def after_operand(self) -> bool:
        return _is_name(self.last) or self.last[:1].isdigit() or self.last in _OPENING

    @property
    def operand_found(self) -> bool:
        return (
            _is_name(self.found.text)
            or self.found.text[:1].isdigit()
            or self.found.text in _CLOSING
        )

    @property
    def shown(self) -> str:
        text = self.found.text
        if not text:
            return "the end of the statement"
        return shown(text) if len(text) == 1 else f"`{text}`"

    def filled(self, sentence: str) -> str:
        """The sentence with the words it names in angle brackets."""
        words = {
            "found": self.found.text,
            "last": self.last,
            "opened": self.opened,
            "opener": self.opener,
            "closing": _CLOSING.get(self.opened, ""),
            "first": self.first,
            "head": self.head,
        }
        return re.sub(r"<(\w+)>", lambda name: words[name[1]], sentence)


def _words(text: str, start: int, end: int) -> Iterator[Word]:
    for found in _WORD.finditer(text, start, end):
        if not found.group().startswith(("#", " ", "\t", "\n", "\r\n")):
            yield Word(found.group(), found.start(), found.end())


def _still_open(words: tuple[Word, ...]) -> tuple[int, ...]:
    still: list[int] = []
    for at, word in enumerate(words):
        if word.text in _CLOSING or word.text in ("if", "then"):
            if word.text == "then" and still and words[still[-1]].text == "if":
                still.pop()
            still.append(at)
        elif word.text == "else" and still and words[still[-1]].text == "then":
            still.pop()
        elif word.text in _OPENING:
            while still and words[still.pop()].text not in _CLOSING:
                pass
    return tuple(still)


def _is_name(text: str) -> bool:
    return text[:1].isalpha() and text not in ("if", "then", "else", "and", "or", "not", "is")


def _is_function(text: str) -> bool:
    return is_spelled_as("FUNCTION", text)


def _is_reduction(text: str) -> bool:
    return is_spelled_as("REDUCTION", text)


# ---- Hints


class _Hint(NamedTuple):
    applies: Callable[[_Stop], bool]
    fact: str
    fix: str
    place: Place = "found"
