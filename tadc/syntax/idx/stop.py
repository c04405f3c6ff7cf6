"""The place where the parser stopped, as the words around it, which the hints examine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from lark import UnexpectedInput, UnexpectedToken

from tadc.errors import Source, Span
from tadc.syntax.idx.characters import shown
from tadc.syntax.idx.layout import looks_like_statement

__all__ = ["CLOSING", "DECLARATIONS", "REDUCED", "RENAMED", "Place", "Stop", "is_name"]

Place: TypeAlias = Literal["found", "last", "opened", "condition", "statement"]

MOST_QUOTED = 60  # characters of an operand in a remedy

CLOSING = {"(": ")", "[": "]", "{": "}"}
DECLARATIONS = ("size", "input", "state", "output", "base", "einstein", "require")

RENAMED = {
    "ln": "log", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh",
    "arctanh": "atanh", "sigma": "sigmoid", "logistic": "sigmoid", "swish": "silu", "fabs": "abs", "psi": "digamma",
}  # fmt: skip

REDUCED = {
    "softmax": "exp(x[i])/(sum{k} exp(x[k]))", "cumsum": "sum{k | k <= i} x[k]", "cumprod": "prod{k | k <= i} x[k]",
    "average": "mean{k} x[k]", "avg": "mean{k} x[k]", "product": "prod{k} x[k]", "total": "sum{k} x[k]",
    "norm": "sqrt(sum{k} x[k]**2)", "any": "max{k} [x[k] > 0]", "all": "min{k} [x[k] > 0]", "count": "sum{k} [x[k] > 0]",
}  # fmt: skip

_EINSUM = re.compile(r"([a-zA-Z]+(?:\s*,\s*[a-zA-Z]+)*)\s*->\s*([a-zA-Z]*)")
_SUBSCRIPTED = re.compile(r"([A-Za-z]+)_([a-z]{1,4})")

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

    `open` are the positions in `words` of words that are still open, innermost last: brackets, `if` before its `then`, and
    `then` before its `else`.
    """

    source: Source
    words: tuple[Word, ...]
    found: Word
    rest: str  # some characters after `found`
    open: tuple[int, ...]
    accepts: frozenset[str]  # terminals of the grammar that could stand here
    end: int  # of the statement

    @classmethod
    def of(cls, error: UnexpectedInput, source: Source, start: int, end: int) -> Stop:
        """The place where the statement from `start` to `end` failed."""
        at = start + _position(error)
        words = tuple(_words(source.text, start, at))
        found = next(_words(source.text, at, end), Word("", at, at))
        rest = source.text[found.end : min(end, found.end + 8)]
        parser = error.interactive_parser
        accepts = parser.accepts() if parser else ()  # type: ignore[no-untyped-call]
        return cls(source, words, found, rest, _still_open(words), frozenset(accepts), end)

    def span(self, place: Place) -> Span:
        word = self.found
        if place == "last" and self.words:
            word = self.words[-1]
        if place == "opened" and self.open:
            word = self.words[self.open[-1]]
        if place == "statement" and self.words:
            begin = self.words[0].start
            return Span(
                self.source, begin, begin + len(self.source.text[begin : self.end].rstrip())
            )
        if place == "condition" and self.open and self.words[self.open[-1] + 1 :]:
            return Span(self.source, self.words[self.open[-1] + 1].start, self.words[-1].end)
        return Span(self.source, word.start, word.end)

    @property
    def condition(self) -> str:
        """The text between the innermost open bracket or word and the place."""
        words = self.words[self.open[-1] + 1 :] if self.open else ()
        return self.source.text[words[0].start : words[-1].end] if words else ""

    @property
    def left(self) -> str:
        """The operand that ends before the place: `x[i]`, `(a + b)`, `2`."""
        at, depth = len(self.words) - 1, 0
        while at >= 0:
            text = self.words[at].text
            depth += (text in CLOSING.values()) - (text in CLOSING)
            if depth <= 0:
                break
            at -= 1
        if at > 0 and self.words[at].text in ("(", "[") and is_name(self.words[at - 1].text):
            at -= self.words[at - 1].end == self.words[at].start
        return self.source.text[self.words[at].start : self.words[-1].end] if at >= 0 else ""

    @property
    def right(self) -> str:
        """The operand that begins at the place; nothing where it is not closed."""
        if self.found.text in CLOSING:
            return self.found.text + self._closed(self.found.end)
        opening = self.rest[:1]
        more = self._closed(self.found.end + 1) if opening in ("[", "(") else ""
        return self.found.text + (opening + more if more else "")

    @property
    def product(self) -> str:
        """The operands before and after the place, with the sign between them, if both are short."""
        left, right = " ".join(self.left.split()), " ".join(self.right.split())
        is_whole = left and right and right not in CLOSING and len(left + right) < MOST_QUOTED
        return f"`{left}*{right}`" if is_whole else "`*` between them"

    @property
    def inside(self) -> str:
        """The contents of the bracket found, as subscripts: `i, j` of `{ij}`."""
        text = self._closed(self.found.end)[:-1].strip()
        text = re.sub(r"(?<=[0-9])(?=[^\W\d])", "*", text)
        return ", ".join(text) if text.isalpha() and len(text) < 5 else text

    @property
    def applies_braces(self) -> bool:
        """Whether something follows the braces found that a reduction would be over."""
        behind = self.found.end + len(self._closed(self.found.end))
        following = next(_words(self.source.text, behind, self.end), self.found).text
        return is_name(following) or following[:1].isdigit() or following in ("(", "[")

    @property
    def is_closed(self) -> bool:
        """Whether the rest of the statement closes the innermost open bracket."""
        return CLOSING.get(self.opened, "") in self.source.text[self.found.start : self.end]

    @property
    def elements(self) -> str:
        """The product of `a_ik` before the place and `b_kj` at it as elements; empty where these are other names."""
        names = [_SUBSCRIPTED.fullmatch(w) for w in (self.last, self.found.text)]
        return "*".join(f"{n[1]}[{', '.join(n[2])}]" for n in names if n) if all(names) else ""

    @property
    def einsum(self) -> str:
        """The formula that is meant by a statement such as `ij,jk->ik`; empty for others."""
        start = self.words[0].start if self.words else self.found.start
        written = _EINSUM.fullmatch(self.source.text[start : self.end].strip("'\" \t\r\n"))
        if written is None:
            return ""
        operands = [operand.strip() for operand in written[1].split(",")]
        summed = ", ".join(dict.fromkeys(i for i in "".join(operands) if i not in written[2]))
        product = "*".join(
            f"{x}[{', '.join(i)}]" for x, i in zip("abcdefgh", operands, strict=False)
        )
        left = f"y[{', '.join(written[2])}]" if written[2] else "y"
        return f"{left} = {f'sum{{{summed}}} ' if summed else ''}{product}"

    @property
    def compares_inside(self) -> bool:
        """Whether the bracket found holds a condition."""
        return re.search(r"[<>=]", self._closed(self.found.end)) is not None

    @property
    def following(self) -> str:
        """The word after the one found."""
        return next(_words(self.source.text, self.found.end, self.end), self.found).text

    @property
    def begins_statement(self) -> bool:
        """Whether the place is the first of its line and looks like a statement, in no bracket."""
        if not self.words or self.opened in CLOSING:
            return False
        between = self.source.text[self.words[-1].end : self.found.start]
        return "\n" in between and looks_like_statement(
            self.source.text, self.found.start, self.end
        )

    def _closed(self, start: int) -> str:
        """The text from `start` to the end of the bracket before it, whose closing character is the last; empty without one."""
        depth = 1
        for word in _words(self.source.text, start, min(self.end, start + 4 * MOST_QUOTED)):
            depth += (word.text in CLOSING) - (word.text in CLOSING.values())
            if not depth:
                return self.source.text[start : word.end]
        return ""

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
        words = self.words[self.open[-1] :] if self.open else self.words
        return any(word.text in ("and", "or", "not") for word in words)

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
            "condition": self.condition,
            "left": self.left,
            "product": self.product,
            "inside": self.inside,
            "einsum": self.einsum,
            "elements": self.elements,
            "following": self.following,
            "name": self.last.rstrip("_"),
            "reduced": REDUCED.get(self.last, ""),
            "renamed": RENAMED.get(self.last, ""),
        }
        return re.sub(r"<(\w+)>", lambda name: words.get(name[1], name[0]), sentence)


def is_name(text: str) -> bool:
    return text[:1].isalpha() and text not in ("if", "then", "else", "and", "or", "not", "is")


def _position(error: UnexpectedInput) -> int:
    """The position where the parser stopped; the end of a statement is the end of its last token."""
    if not isinstance(error, UnexpectedToken):
        return error.pos_in_stream or 0
    token = error.token
    return (token.end_pos if token.type == "$END" else token.start_pos) or 0


def _words(text: str, start: int, end: int) -> Iterator[Word]:
    for match in _WORD.finditer(text, start, end):
        if not match.group().startswith(("#", " ", "\t", "\n", "\r\n")):
            yield Word(match.group(), match.start(), match.end())


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
