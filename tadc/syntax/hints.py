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
      | \#[^\n]* | (?: [ \t\n] | \r\n )+ | .""",
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
        return _is_name(self.last) or self.last[:1].isdigit() or self.last in (")", "]")

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


# fmt: off
_HINTS: tuple[_Hint, ...] = (
    # brackets and what `if` needs
    _Hint(lambda s: s.found.text == "" and s.opened in _CLOSING and s.last not in (",", ";"),
          "`<opened>` is never closed", "write the missing `<closing>`", "opened"),
    _Hint(lambda s: s.found.text in _OPENING and not any(s.words[at].text in _CLOSING for at in s.open),
          "`<found>` closes nothing", "remove it, or write what it should close"),
    _Hint(lambda s: s.found.text in _OPENING and s.opened in _CLOSING and _CLOSING[s.opened] != s.found.text,
          "`<opened>` cannot be closed by `<found>`", "write `<closing>`"),
    _Hint(lambda s: s.opened == "then" and (s.found.text == "" or s.found.text in _OPENING or s.found.text in (",", ";")),
          "this `if` has no `else`", "write `if condition then a else b`", "opened"),
    _Hint(lambda s: s.opened == "if" and s.found.text == "then",
          "`if` needs a condition, but nothing is compared here", "write a comparison, such as `i < j`"),
    _Hint(lambda s: "THEN" in s.accepts and "PLUS" not in s.accepts,
          "`then` is missing after the condition", "write `if condition then a else b`"),

    # lists
    _Hint(lambda s: s.last in (",", ";") and (s.found.text == "" or s.found.text in _OPENING or s.found.text in (",", ";")),
          "nothing follows this `<last>`", "remove it", "last"),
    _Hint(lambda s: s.last in ("(", "[", "{") and s.found.text in (",", ";"),
          "a list begins with an entry, not with `<found>`", "remove the `<found>`"),

    # the beginning of a statement
    _Hint(lambda s: not s.words and s.found.text in ("%", "//"),
          "`<found>` begins no statement", "begin a comment with `#`"),
    _Hint(lambda s: s.on_the_left and s.found.text == "=" and s.last == ":" and s.touching,
          "a definition is written with `=`, not with `:=`", "write `=`"),
    _Hint(lambda s: s.on_the_left and s.found.text == "==",
          "`==` compares, and a definition is written with `=`", "write `=`"),
    _Hint(lambda s: s.on_the_left and s.found.text in ("+", "-", "*", "/", "**", "//") and s.rest.startswith("="),
          "a tensor is defined once and never changed, so there is no `<found>=`", "define another tensor with `=`"),
    _Hint(lambda s: s.on_the_left and not s.open and s.found.text == "(",
          "the indices of a tensor stand in brackets", "write `<last>[...]`"),
    _Hint(lambda s: s.on_the_left and len(s.words) == 1 and _is_name(s.first) and _is_name(s.found.text),
          "no statement begins with `<first> <found>`",
          "write `name[indices] = expression`, or a declaration: size, input, output, base, einstein"),
    _Hint(lambda s: s.on_the_left and s.found.text == "" and not s.open,
          "a statement defines something, but there is no `=`", "write `name[indices] = expression`"),
    _Hint(lambda s: s.first == "output" and s.declares and s.found.text in ("[", "("),
          "outputs are named without their indices", "write `output <last>`"),
    _Hint(lambda s: s.declares and not s.open and s.after_operand and _is_name(s.found.text),
          "there is no comma between `<last>` and `<found>`", "write `<last>, <found>`"),

    # signs of other languages
    _Hint(lambda s: s.found.text == "^",
          "`^` is not a power", "write `**`"),
    _Hint(lambda s: s.found.text == "&",
          "`&` is not the language's word for `and`", "write `and`"),
    _Hint(lambda s: s.found.text == "|" and s.rest.startswith("|"),
          "`||` is not the language's word for `or`", "write `or`"),
    _Hint(lambda s: s.found.text == "|" and not s.after_operand,
          "`|` does not begin an absolute value", "write `abs(...)`"),
    _Hint(lambda s: s.found.text == "|",
          "a condition after `|` belongs in the braces of a reduction", "write `sum{k | condition} ...`"),
    _Hint(lambda s: s.found.text == "!" and s.after_operand,
          "there is no factorial `!`", "write `exp(lgamma(n + 1))`"),
    _Hint(lambda s: s.found.text in ("!", "~"),
          "`<found>` is not the language's word for `not`", "write `not`"),
    _Hint(lambda s: s.found.text == "@",
          "there is no matrix product `@`", "write the sum, `sum{k} a[i, k]*b[k, j]`"),
    _Hint(lambda s: s.found.text == "\\\\",
          "a backslash belongs to LaTeX", "write the formula in a .tex file, or without commands"),
    _Hint(lambda s: s.found.text == "'" and s.touching and s.after_operand,
          "a name has no prime, and `'` does not transpose", "write another name, or exchange the subscripts"),
    _Hint(lambda s: s.found.text in ("'", '"', "`"),
          "there are no strings in the language", "remove the quotes"),
    _Hint(lambda s: s.found.text in ("?", "$"),
          "`<found>` has no meaning in the language", "write `if condition then a else b` for a choice"),
    _Hint(lambda s: s.found.text == "*" and s.last == "*",
          "two factors have one `*` between them, and `**` is written without a blank", "write `**` for a power"),

    # numbers and names
    _Hint(lambda s: s.found.text == "." and s.rest[:1].isdigit() and not s.after_operand,
          "a number has a digit before its point", "write `0.` and its digits"),
    _Hint(lambda s: s.found.text == "." and s.last.isdigit() and s.touching,
          "a number has a digit after its point", "write `<last>.0`"),
    _Hint(lambda s: s.found.text == "." and not s.last[:1].isdigit() and s.after_operand,
          "a name has no point in it", "write `_`, as in `<last>_1`"),
    _Hint(lambda s: s.found.text == "_" and s.last == "}",
          "bounds follow the brace without a blank", "write `sum{k}_0^4`"),
    _Hint(lambda s: s.found.text == "_" and s.last.isdigit() and s.touching,
          "digits are not grouped by `_`", "write the number without it"),
    _Hint(lambda s: s.found.text == "_",
          "a name begins with a letter, not with `_`", "write a letter first"),

    # unary signs
    _Hint(lambda s: s.found.text == "+" and not s.after_operand and "PLUS" not in s.accepts,
          "there is no unary `+`", "remove it"),

    # reductions
    _Hint(lambda s: s.found.text == "{" and _is_reduction(s.last) and (_is_function(s.before(2)) or s.before(2) == "**"),
          "the reduction after `<opener>` needs parentheses".replace("<opener>", "a function or `**`"),
          "write `(<last>{...} ...)`", "last"),
    _Hint(lambda s: s.found.text == "{" and s.last.endswith("_") and _is_reduction(s.last[:-1]),
          "the indices of a reduction follow it directly, without `_`", "write `sum{k} ...`"),
    _Hint(lambda s: s.found.text == "{" and s.after_operand,
          "braces follow a reduction, and `<last>` is none", "write one of sum, prod, max, min, mean, logsumexp, argmax, argmin"),
    _Hint(lambda s: s.found.text == "{",
          "braces hold the ranges of a reduction, or a condition", "write parentheses to group"),
    _Hint(lambda s: s.opened == "{" and s.found.text == "in",
          "a range is not written with `in`", "write `<last>=low..high`, inclusive, or `<last>: extent`"),
    _Hint(lambda s: s.opened == "{" and _is_reduction(s.opener) and s.found.text in _RELATIONS,
          "a condition on the range stands after `|`", "write `<opener>{k | condition}`"),
    _Hint(lambda s: s.opened == "{" and _is_reduction(s.opener) and "DOTS" in s.accepts,
          "a range between bounds is `low..high`, inclusive", "write `..` and the last index"),
    _Hint(lambda s: s.opened == "{" and _is_reduction(s.opener) and s.found.text == "}" and s.last == "{",
          "the braces name no index", "write `<opener>{k} ...`"),
    _Hint(lambda s: s.after_operand and s.operand_found and _is_reduction(s.head),
          "`<head>` runs over indices in braces", "write `<head>{k} ...`"),
    _Hint(lambda s: s.after_operand and s.operand_found and _is_reduction(s.last.partition("_")[0]) and "_" in s.last,
          "the indices of a reduction stand in braces, so `<last>` is only a name", "write `sum{k} ...`"),

    # functions without parentheses
    _Hint(lambda s: s.found.text == "**" and s.after_operand,
          "`f x[i]**2` could be `f(x[i])**2` or `f(x[i]**2)`", "write one of them"),
    _Hint(lambda s: s.opened == "[" and s.found.text in _RELATIONS and _is_function(s.opener),
          "`<opener> [` begins an element of a tensor `<opener>`, where nothing is compared", "write `<opener>([...])`"),
    _Hint(lambda s: s.opened == "[" and s.found.text in _RELATIONS and _is_name(s.opener),
          "`<opener>[` begins an element of a tensor, where nothing is compared", "write `<opener> * [...]` for a bracket"),

    # subscripts and brackets
    _Hint(lambda s: s.found.text == "[" and s.last == "]",
          "an element has one pair of brackets", "write `x[i, j]`, or `*` between two factors"),
    _Hint(lambda s: s.found.text == "[" and s.last == ")",
          "only the name of a tensor takes subscripts", "write `*` before a bracket, or define a tensor first"),
    _Hint(lambda s: s.opened == "[" and s.found.text == ":" and not s.on_the_left,
          "there are no slices", "write an index, `x[i]`, and give it a range on the left, `f[i: N]`"),
    _Hint(lambda s: s.opened == "[" and s.found.text in ("]", ",", ";") and not _is_name(s.opener) and s.after_operand,
          "brackets that follow no name hold a condition", "write `(...)` to group, `[a = b]` for 1 or 0"),

    # conditions and values
    _Hint(lambda s: not s.open and s.found.text in ("=", "==") and not s.on_the_left,
          "a statement has one `=`", "write `[a = b]` for 1 or 0, or two statements"),
    _Hint(lambda s: s.found.text in _RELATIONS and s.after_operand,
          "a comparison is no value", "write `[a < b]` for 1 or 0, or `if a < b then c else d`"),
    _Hint(lambda s: "AND" in s.accepts and "PLUS" not in s.accepts,
          "a condition is no value", "write `[condition]` for 1 or 0, or `if condition then a else b`"),
    _Hint(lambda s: s.found.text in ("and", "or") and s.after_operand,
          "`<found>` joins conditions, but `<last>` ends a value", "compare it, such as `x != 0`"),

    # two operands side by side
    _Hint(lambda s: s.last[:1].isdigit() and _is_name(s.found.text),
          "a product is written with `*`", "write `<last>*<found>`"),
    _Hint(lambda s: s.after_operand and s.operand_found and not s.on_the_left,
          "there is no operator between `<last>` and `<found>`", "write `*` for a product"),

    # an operand is missing
    _Hint(lambda s: "MINUS" in s.accepts and "PLUS" not in s.accepts and s.last == "=",
          "a value is missing after `=`", "write an expression"),
    _Hint(lambda s: "NAME" in s.accepts and "MINUS" in s.accepts and "PLUS" not in s.accepts and bool(s.last),
          "a value is missing after `<last>`", "write a name, a number, or an expression in parentheses"),
)
# fmt: on


# ---- Without a hint: what could stand here

_OPERANDS = frozenset(
    {"NAME", "FUNCTION", "REDUCTION", "INTEGER", "DECIMAL", "LPAR", "LSQB", "MINUS", "IF"}
)
_OPERATORS = frozenset({"PLUS", "MINUS", "TIMES", "POWER"})
_COMPARISONS = frozenset({"EQUAL", "RELATION"})
_READABLE = {
    "NAME": "a name", "FUNCTION": "a function", "REDUCTION": "a reduction", "INTEGER": "an integer", "DECIMAL": "a number",
    "RELATION": "a comparison", "TIMES": "`*`", "BOUND_BELOW": "`_`", "$END": "the end of the statement",
    "THEN": "`then`", "ELSE": "`else`", "AND": "`and`", "OR": "`or`", "IS": "`is int`",
}  # fmt: skip


def _expected(accepts: frozenset[str]) -> str:
    """What could stand there, in the order of the grammar's terminals."""
    names: list[str] = []
    rest = set(accepts)
    for together, name in (
        (_OPERANDS, "a value"),
        (_OPERATORS, "an operator"),
        (_COMPARISONS, "a comparison"),
    ):
        if together <= rest:
            names.append(name)
            rest -= together
    if {"NAME", "FUNCTION", "REDUCTION"} <= rest:
        names.append("a name")
        rest -= {"NAME", "FUNCTION", "REDUCTION"}
    names += [_readable(name) for name in sorted(rest)]
    if not names:
        return "look for a missing operator or bracket before it"
    *others, final = names
    return "write " + (f"{', '.join(others)} or {final}" if others else final)


def _readable(terminal: str) -> str:
    if terminal in _READABLE:
        return _READABLE[terminal]
    pattern = idx_parser().get_terminal(terminal).pattern
    assert isinstance(pattern, PatternStr), f"no readable name for the terminal {terminal}"
    return f"`{pattern.value}`"
