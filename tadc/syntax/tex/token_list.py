r"""The tokens of TeX mathematics, and the list that the tokenizer fills.

The list knows which brackets are open and which arguments a command still expects. So it braces arguments of one token
(`x_1`, `\frac12`), pairs `|`, and tells braces that are arguments, LBRACE, from those that only group, LGROUP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from tadc.syntax.tex.commands import words

__all__ = [
    "CLOSERS",
    "ENDS_OPERAND",
    "OPENERS",
    "STARTS_OPERAND",
    "Token",
    "TokenList",
    "bars",
    "behind_scripts",
    "closing_brackets",
]


@dataclass(frozen=True, slots=True)
class Token:
    """Characters `start` to `end` of the source.

    `note`: of a NAME its style, of an ERROR what to write instead, of a FUNC written as a word that word, of the braces of
    a script their contents and their owner (`names`).
    """

    type: str
    value: str
    start: int
    end: int
    note: str = ""


OPENERS = words("LPAR LSQB LBRACE LGROUP BAR_L NORM_L ANGLE_L FLOOR_L CEIL_L CASES_B")
CLOSERS = words("RPAR RSQB RBRACE RGROUP BAR_R NORM_R ANGLE_R FLOOR_R CEIL_R CASES_E")
ENDS_OPERAND = words("NAME NUM PRIME FACTORIAL INDICATOR") | CLOSERS
STARTS_OPERAND = words("NAME NUM FUNC CALLED RED FRAC BINOM SQRT INDICATOR") | OPENERS - {"LBRACE"}

_ARGUMENTS_OF_ONE_TOKEN = words("NAME NUM PRIME TOP CDOT PLUS MINUS STAR")
_CLOSED_BY = {
    "LPAR": ("RPAR",),
    "LSQB": ("RSQB",),
    "FLOOR_L": ("FLOOR_R", "CEIL_R"),  # `\lfloor x \rceil` is the nearest integer
    "CEIL_L": ("CEIL_R",),
    "ANGLE_L": ("ANGLE_R",),
}
_BRACES = words("LGROUP LBRACE limits substack wrapper")


def closing_brackets(tokens: Sequence[Token]) -> dict[int, int]:
    """The place of the closing bracket for that of each opening one, of every kind."""
    closing: dict[int, int] = {}
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.type in OPENERS:
            opened.append(place)
        elif token.type in CLOSERS and opened:
            closing[opened.pop()] = place
    return closing


def bars(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of the single bars around something, of the inner ones first."""
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token.type == "BAR_L":
            opened.append(place)
        elif token.type == "BAR_R" and opened:
            yield opened.pop(), place


def behind_scripts(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> int:
    """The place behind the scripts and primes that begin at `place`; `closing` are the closing brackets."""
    while place < len(tokens) and tokens[place].type in ("SUB", "SUP", "PRIME"):
        is_prime = tokens[place].type == "PRIME"
        place = place + 1 if is_prime else closing.get(place + 1, len(tokens)) + 1
    return place


@dataclass(slots=True)
class _Open:
    """An open bracket: its token's type; or `limits`, of a reduction; `substack` and `wrapper`, without tokens; `degree`, of a root."""

    kind: str
    expected: int = 0  # how many arguments the command around still expects when it closes
    base: str = ""  # type of the token whose script it is


@dataclass(slots=True)
class TokenList:
    """Tokens so far. `expected`: how many arguments the last command still expects."""

    tokens: list[Token] = field(default_factory=list)
    expected: int = 0
    _opened: list[_Open] = field(default_factory=list)
    _base: str = ""  # type of the token that a script would belong to

    @property
    def innermost(self) -> str:
        """The kind of the innermost open bracket."""
        return self._opened[-1].kind if self._opened else ""

    @property
    def is_open_at_dot(self) -> bool:
        r"""Whether the innermost open bracket is a `\left.`."""
        opened = [t for t in self.tokens if t.type in ("LPAR", "RPAR")]
        return self.innermost == "LPAR" and bool(opened) and opened[-1].value == "."

    @property
    def begins_condition(self) -> bool:
        r"""Whether the last token is the `&` of a row of cases."""
        return self.innermost == "CASES_B" and self.tokens[-1].type == "AMP"

    @property
    def begins_row(self) -> bool:
        """Whether a row of cases begins here."""
        return self.tokens[-1].type in ("CASES_B", "ROW")

    @property
    def in_limits(self) -> bool:
        r"""Whether this place is directly in limits, or in the `\{` and `\}` of a set in them."""
        kinds = [o.kind for o in self._opened[-2:]]
        in_set = kinds[-1:] == ["LPAR"] and kinds[0] in ("limits", "substack")
        return self.innermost in ("limits", "substack") or in_set

    @property
    def expects_script(self) -> bool:
        """Whether a script without braces stands here."""
        return self.expected > 0 and self.tokens[-1].type in ("SUB", "SUP")

    @property
    def in_braces(self) -> bool:
        """Whether this place is directly in an argument."""
        return self.expected > 0 or self.innermost in ("LBRACE", "limits")

    def add(self, kind: str, value: str, start: int, end: int, note: str = "") -> None:
        """Append a token; if an argument is expected it is one, in braces."""
        token = Token(kind, value, start, end, note)
        if not self.expected or (kind == "PRIME" and self.tokens[-1].type != "SUP"):
            self._base = kind
            self.tokens.append(token)
        elif kind in _ARGUMENTS_OF_ONE_TOKEN:
            self.expected -= 1
            self.tokens += [Token("LBRACE", "", start, start), token, Token("RBRACE", "", end, end)]
        else:
            self.refuse(start, end, "the argument is more than one sign", "put it in braces")

    def refuse(self, start: int, end: int, fact: str, fix: str) -> None:
        """Append an ERROR token."""
        self.expected = 0
        self.tokens.append(Token("ERROR", fact, start, end, fix))

    def script(self, kind: str, sign: str, start: int) -> None:
        if self.expected:
            self.refuse(start, start + 1, "two scripts, one after the other", "put one in braces")
            return
        self.tokens.append(Token(kind, sign, start, start + 1))
        self.expected = 1

    # ------------------------------------------------------------------ braces

    def open_brace(self, start: int, end: int) -> None:
        if not self.expected:
            self.tokens.append(Token("LGROUP", "{", start, end))
            self._opened.append(_Open("LGROUP"))
            return
        before = self.tokens[-1].type
        kind = "limits" if before == "SUB" and self._base == "RED" else "LBRACE"
        base = self._base if before in ("SUB", "SUP") else ""
        self._opened.append(_Open(kind, self.expected - 1, base))
        self.tokens.append(Token("LBRACE", "{", start, end))
        self.expected, self._base = 0, ""

    def open_substack(self) -> None:
        """Braces inside limits that leave no tokens."""
        self._opened.append(_Open("substack"))

    def open_wrappers(self, count: int) -> None:
        r"""Braces around a name and its scripts, `\hat{y_i}`, that leave no tokens."""
        self._opened += [_Open("wrapper")] * count

    def close_brace(self, start: int, end: int) -> str:
        """Close the innermost brace, and the kind that it was."""
        while self._opened and self.innermost not in _BRACES:
            self._opened.pop()
        if not self._opened:
            self.tokens.append(Token("RGROUP", "}", start, end))
            return ""
        closed = self._opened.pop()
        if closed.kind not in ("substack", "wrapper"):
            kind = "RGROUP" if closed.kind == "LGROUP" else "RBRACE"
            self.tokens.append(Token(kind, "}", start, end))
            self.expected, self._base = closed.expected, closed.base or kind
        return closed.kind

    # ------------------------------------------------------------------ other brackets

    def bracket(self, kind: str, value: str, start: int, end: int) -> None:
        """An opening or closing bracket; a bar that is still open before a closing one says "given": `p(y | x)`."""
        if kind in CLOSERS:
            while self.innermost in ("BAR_L", "NORM_L"):
                bar = self._opened.pop().kind
                place = max((n for n, t in enumerate(self.tokens) if t.type == bar), default=None)
                if place is not None:
                    note = "double" if bar == "NORM_L" else ""
                    self.tokens[place] = replace(self.tokens[place], type="GIVEN", note=note)
        self.add(kind, value, start, end)
        if kind in OPENERS:
            self._opened.append(_Open(kind))
        elif self.innermost == "degree" and kind == "RSQB":
            self._opened.pop()
            self.expected = 1
        elif kind in _CLOSED_BY.get(self.innermost, ()):
            self._opened.pop()

    def open_degree(self, start: int, end: int) -> None:
        r"""The `[` of `\sqrt[3]{x}`."""
        self.expected = 0
        self.add("LSQB", "[", start, end)
        self._opened.append(_Open("degree"))

    @property
    def in_subscript(self) -> bool:
        """Whether this place is behind an operand, directly in a subscript."""
        after_operand = bool(self.tokens) and self.tokens[-1].type in ENDS_OPERAND
        return after_operand and self.innermost == "LBRACE" and bool(self._opened[-1].base)

    def bar(self, side: str, start: int, end: int, kind: Literal["BAR", "NORM"]) -> None:
        """`|` closes if `side` says so, or if the innermost open bracket is one and an operand precedes."""
        after_operand = bool(self.tokens) and self.tokens[-1].type in ENDS_OPERAND
        opening = f"{kind}_L"
        if side == "close" or (side != "open" and self.innermost == opening and after_operand):
            if self.innermost == opening:
                self._opened.pop()
            self.add(f"{kind}_R", "|", start, end)
        elif side != "open" and after_operand and self.in_limits:
            self.add("COMMA", "|", start, end)  # such that
        else:
            self.add(opening, "|", start, end)
            self._opened.append(_Open(opening))

    def open_cases(self, start: int, end: int) -> None:
        r"""Cases; the `\{` of `\left\{ \begin{array}` is part of them."""
        last = self.tokens[-1] if self.tokens else None
        if last is not None and last.type == "LPAR" and "{" in last.value:
            start = self.tokens.pop().start
            if self.innermost == "LPAR":
                self._opened.pop()
        self.add("CASES_B", "cases", start, end)
        self._opened.append(_Open("CASES_B"))

    def close_cases(self, start: int, end: int) -> None:
        while self._opened and self._opened.pop().kind != "CASES_B":
            pass
        self.expected = 0
        while self.tokens and self.tokens[-1].type in ("AMP", "COMMA", "DOT"):
            self.tokens.pop()  # the last row has no condition: it is about all that is left
        self.add("CASES_E", "cases", start, end)
