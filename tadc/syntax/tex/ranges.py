r"""Ranges after a formula, `\quad i = 2, \dots, N-1`: refused, since no rule reads them and a wrong range is a wrong number.

A phrase that names no range, `\forall i` or `\text{for all } i, j`, is a remark and dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["indices_of", "refusal", "says_range", "word_says_range"]

_SETS = words("IN EQ DEF REL DOTS")
_LISTED = words("NAME COMMA LPAR RPAR")
_RESTRICTS = re.compile(
    r"[=<>≤≥…]|\.\.|\b(?:even|odd|from|between|interior|inner|boundary|except|only|first|last|unless)\b"
)


def indices_of(definition: Sequence[Token]) -> list[str]:
    """The names in the subscripts of a definition and in the limits of its sums, those of the left side first."""
    names: list[str] = []
    depth = 0
    for before, token in zip((None, *definition), definition, strict=False):
        if depth:
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
        elif before is not None and before.type == "SUB" and token.type in OPENERS:
            depth = 1
        if depth and token.type == "NAME":
            names.append(token.value)
    return list(dict.fromkeys(names))


def says_range(tokens: Sequence[Token], indices: Sequence[str], word: Token | None) -> bool:
    """Whether a part of a remark says where one of `indices` runs; `word` is the last one before it."""
    if word is not None and word.value.lower().startswith(("for", "all", r"\forall")):
        spoken = [token.value in indices for token in tokens if token.type != "COMMA"]
        return any(token.type in _SETS for token in tokens) or (any(spoken) and not all(spoken))
    kinds = [token.type for token in tokens]
    place = next((n for n, kind in enumerate(kinds) if kind in ("EQ", "DEF", "IN")), None)
    if place is not None:
        tokens = tokens[:place] if {*kinds[:place]} <= _LISTED else ()
    elif "REL" not in kinds:
        return False
    return any(token.value in indices for token in _bare(tokens))


def word_says_range(word: Token) -> bool:
    r"""Whether it is the `\text{for i = 1, ..., N}` or `\text{even}` of a remark."""
    return word.type == "TEXT" and _RESTRICTS.search(word.value.lower()) is not None


def _bare(tokens: Sequence[Token]) -> list[Token]:
    """The names that neither have subscripts nor are some."""
    bare: list[Token] = []
    depth = 0
    for before, token, after in zip((None, *tokens), tokens, (*tokens[1:], None), strict=False):
        if depth:
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
        elif before is not None and before.type in ("SUB", "SUP") and token.type in OPENERS:
            depth = 1
        elif token.type == "NAME" and (after is None or after.type != "SUB"):
            bare.append(token)
    return bare


def refusal(definition: Sequence[Token], said: Sequence[Token]) -> Token:
    """The error of a definition that is followed by `said`."""
    fact = "a range behind a formula is not read, and without it the numbers may be others"
    return Token("ERROR", fact, said[0].start, said[-1].end, _remedy(definition, said))


# ---------------------------------------------------------------------- what to write instead


@dataclass(frozen=True, slots=True)
class _Run:
    """The first and the last value of an index, as text."""

    first: str
    last: str

    @property
    def counts(self) -> str:
        r"""The length of the run, where the first is 0 or 1."""
        return self.last if self.first == "1" else _plus_one(self.last)


def _remedy(definition: Sequence[Token], said: Sequence[Token]) -> str:
    equal = next(n for n, token in enumerate(definition) if token.type in ("EQ", "DEF"))
    target, left = definition[0].value, indices_of(definition[:equal])
    runs = _runs(said)
    whole = len(target) == 1 and bool(left) and runs.keys() >= {*left}
    firsts = {runs[i].first for i in left} if whole else set()
    if firsts in ({"0"}, {"1"}):
        extents = r" \times ".join(runs[i].counts for i in left)
        base = ", in a file with `%!tadc base 1`" if firsts == {"1"} else ""
        return rf"write the shape of the result instead, `{target} \in \mathbb{{R}}^{{{extents}}}`{base}"
    name = target if len(target) == 1 else "y"
    extents = r" \times ".join("NMKLPQ"[: len(left)]) or "N"
    return (
        rf"declare the shape of the result instead, `{name} \in \mathbb{{R}}^{{{extents}}}`, and what holds in a part of"
        rf" it by cases, `\begin{{cases}} a & {_condition(said, runs)} \\ 0 & \text{{otherwise}} \end{{cases}}`"
    )


def _condition(said: Sequence[Token], runs: Mapping[str, _Run]) -> str:
    """A plain condition to suggest for a case."""
    for i, run in runs.items():
        return rf"{run.first} \le {i} \le {run.last}"
    signs = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne"}
    parts = [signs.get(part, part) for part in map(_plain, said)]
    is_plain = "=" in parts or any(token.type == "REL" for token in said)
    return " ".join(parts) if is_plain and not {*parts} & set("?,∈()[].") else r"1 \le i \le N"


def _runs(said: Sequence[Token]) -> Mapping[str, _Run]:
    r"""The ranges that can be told: `i, j = 1, \dots, N`, `i \in \{1, \dots, N\}`, `1 \le i, j < N`."""
    text = re.sub(r"(?:\. ){2,}", ".. ", " ".join(map(_plain, said)))
    bound = r"[\w+ -]+?"
    runs: dict[str, _Run] = {}
    listed = rf"({bound}) (?:, {bound} )?, \.\. , ({bound})"
    for pattern in (
        rf"((?:\w , )*\w) = {listed}(?= [,)]|$)",
        rf"((?:\w , )*\w) ∈ [(\[] {listed} [)\]]",
        rf"((?:\w , )*\w) ∈ [(\[] ({bound}) \.\. ({bound}) [)\]]",
        rf"((?:\w , )*\w) ∈ \[ ({bound}) , ({bound}) \]",
    ):
        for match in re.finditer(pattern, text):
            for i in match[1].split(" , "):
                runs.setdefault(i, _Run(_joined(match[2]), _joined(match[3])))
    for match in re.finditer(rf"(\w+) (<=?) ((?:\w , )*\w) (<=?) ({bound})(?= [,)]|$)", text):
        first = match[1] if match[2] == "<=" else _plus_one(match[1])
        last = _joined(match[5])
        for i in match[3].split(" , "):
            runs.setdefault(i, _Run(first, last if match[4] == "<=" else _less_one(last)))
    return runs


def _plain(token: Token) -> str:
    signs = {"DOTS": "..", "DOT": ".", "COMMA": ",", "EQ": "=", "DEF": "=", "IN": "∈", "LPAR": "(", "RPAR": ")", "LSQB": "[", "RSQB": "]"}  # fmt: skip
    if token.type in ("NAME", "NUM", "PLUS", "MINUS", "REL"):
        return token.value
    return signs.get(token.type, "?")


def _joined(text: str) -> str:
    return text.replace(" ", "")


def _plus_one(text: str) -> str:
    if text.isdecimal():
        return str(int(text) + 1)
    return text.removesuffix("-1") if text.endswith("-1") else f"{text}+1"


def _less_one(text: str) -> str:
    if text.isdecimal():
        return str(int(text) - 1)
    return text.removesuffix("+1") if text.endswith("+1") else f"{text}-1"
