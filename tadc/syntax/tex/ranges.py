r"""Ranges after a formula, `\quad i = 2, \dots, N-1`: they bind the index, where they begin included.

A phrase that names no range, `\forall i` or `\text{for all } i, j`, is a remark and dropped. One that restricts an index in
another way, `i > 0` or "even", is refused: without it the numbers may be others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token

__all__ = ["Said", "indices_of", "refusal", "said_ranges", "says_range", "word_says_range"]

_SETS = words("IN EQ DEF REL DOTS")
_LISTED = words("NAME COMMA LPAR RPAR")
_RESTRICTS = re.compile(
    r"[=<>≤≥…]|\.\.|\b(?:even|odd|from|between|interior|inner|boundary|except|only|first|last|unless)\b"
)


def indices_of(definition: Sequence[Token]) -> list[str]:
    """The names in the subscripts of a definition and in the limits of its sums, those of the left side first.

    A list on the left side, `w(n) =`, holds such names too, and brackets above a name, `x^{(h)}`.
    """
    names = [*_listed_on_the_left(definition), *_in_brackets_above(definition)]
    depth = 0
    for before, token in zip((None, *definition), definition, strict=False):
        if depth:
            depth += (token.type in OPENERS) - (token.type in CLOSERS)
        elif before is not None and before.type == "SUB" and token.type in OPENERS:
            depth = 1
        if depth and token.type == "NAME":
            names.append(token.value)
    return list(dict.fromkeys(names))


def _in_brackets_above(definition: Sequence[Token]) -> list[str]:
    """The `h` of each `x^{(h)}`."""
    kinds = [t.type for t in definition]
    wanted = ["SUP", "LBRACE", "LPAR", "NAME", "RPAR", "RBRACE"]
    return [
        definition[n + 3].value for n in range(len(kinds)) if kinds[n : n + len(wanted)] == wanted
    ]


def _listed_on_the_left(definition: Sequence[Token]) -> list[str]:
    equal = next((n for n, t in enumerate(definition) if t.type in ("EQ", "DEF")), 0)
    left = definition[:equal]
    opening = next((n for n, t in enumerate(left) if t.type in ("LPAR", "LSQB")), equal)
    inner = left[opening + 1 : -1]
    is_list = bool(inner) and left[-1].type in ("RPAR", "RSQB")
    if [t.type for t in inner] == ["NAME", "LPAR", "NAME", "RPAR"]:  # `\Psi[x(n)] =`
        return [inner[2].value]
    is_list = is_list and {t.type for t in inner} <= {"NAME", "COMMA"}
    right = {t.value for t in definition[equal:]}
    names = [t for t in inner if t.type == "NAME" and t.value in right] if is_list else []
    return [t.value for t in names if t.note != "bold" and not t.value.isupper()]


def says_range(tokens: Sequence[Token], indices: Sequence[str], word: Token | None) -> bool:
    """Whether a part of a remark says where one of `indices` runs; `word` is the last one before it."""
    if _is_value([t.type for t in tokens]):
        return False
    if word is not None and word.value.lower().startswith(("for", "all", r"\forall")):
        spoken = [token.value in indices for token in tokens if token.type != "COMMA"]
        return any(token.type in _SETS for token in tokens) or (any(spoken) and not all(spoken))
    kinds = [token.type for token in tokens]
    if kinds[:2] == ["NAME", "LPAR"]:  # `f(u, v) = ..`
        return False
    place = next((n for n, kind in enumerate(kinds) if kind in ("EQ", "DEF", "IN")), None)
    if place is not None:
        tokens = tokens[:place] if {*kinds[:place]} <= _LISTED else ()
    elif "REL" not in kinds:
        return False
    return any(token.value in indices for token in _bare(tokens))


def _is_value(kinds: Sequence[str]) -> bool:
    r"""Whether it is `q = 4 \pi \sin\theta / \lambda`, an equation for a number: no index has a function or a quotient."""
    return kinds[:2] == ["NAME", "EQ"] and "DOTS" not in kinds and bool({*kinds} & _OF_NUMBERS)


_OF_NUMBERS = words("FUNC FRAC SLASH SQRT CDOT SUP RED")


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


@dataclass(frozen=True, slots=True)
class Said:
    r"""A printed range of an index: the tokens of its first and last value; `k \ge 1` has no last one, which the reads tell then."""

    name: Token
    low: tuple[Token, ...]
    high: tuple[Token, ...]


def said_ranges(tokens: Sequence[Token]) -> list[Said] | None:
    r"""The ranges `i, j = 1, \dots, N`, `k \in \{1, \dots, K\}`, `l \in [L]`, `0 \le m < M`; None where something else is said."""
    dropped = ("TEXT", "FORALL", "DOT", "QUAD", "AND")
    chunks = _chunks([t for t in _dotted(tokens) if t.type not in dropped])
    chunks = _unwrapped(chunks)
    result: list[Said] = []
    names: list[Token] = []
    place = 0
    while place < len(chunks):
        kinds = [t.type for t in chunks[place]]
        if kinds == ["NAME"]:
            names += chunks[place]
            place += 1
        elif kinds[:2] in (["NAME", "EQ"], ["NAME", "DEF"]):
            names += chunks[place][:1]
            ends, place = _listed([chunks[place][2:], *chunks[place + 1 :]], place)
            if ends is None:
                return None
            result += [Said(n, *ends) for n in names]
            names = []
        elif kinds[:2] == ["NAME", "IN"]:
            names += chunks[place][:1]
            ends = _set(chunks[place][2:])
            if ends is None:
                return None
            result += [Said(n, *ends) for n in names]
            names, place = [], place + 1
        elif (low := _first(chunks[place])) is not None and place + 1 == len(chunks):
            result += [Said(n, low, ()) for n in (*names, chunks[place][0])]
            names, place = [], place + 1
        else:
            ends_of, place = _interval(chunks, place, names)
            if ends_of is None:
                return None
            result += ends_of
            names = []
    return result if result and not names else None


def _chunks(tokens: Sequence[Token]) -> list[list[Token]]:
    """What stands between commas outside of brackets; dots are chunks of their own."""
    chunks: list[list[Token]] = [[]]
    depth = 0
    for token in tokens:
        depth -= token.type in CLOSERS
        if depth == 0 and token.type == "COMMA":
            chunks.append([])
        elif depth == 0 and token.type == "DOTS":
            chunks += [[token], []]
        else:
            chunks[-1].append(token)
        depth += token.type in OPENERS
    return [c for c in chunks if c]


def _unwrapped(chunks: list[list[Token]]) -> list[list[Token]]:
    r"""The chunks without brackets around ranges: `(i = 1, \dots, N)`."""
    result: list[list[Token]] = []
    for chunk in chunks:
        kinds = [t.type for t in chunk]
        in_brackets = len(chunk) > 2 and (kinds[0], kinds[-1]) == ("LPAR", "RPAR")
        result += _chunks(chunk[1:-1]) if in_brackets else [chunk]
    return result


_Ends: TypeAlias = tuple[tuple[Token, ...], tuple[Token, ...]]


def _listed(chunks: list[list[Token]], place: int) -> tuple[_Ends | None, int]:
    """The ends of `1, 2, .., N` or `1, 2, 3`, and the place of the chunk behind it."""
    first = tuple(chunks[0])
    if len(counted := _counted(chunks)) > 1:
        return (first, (counted[-1],)), place + len(counted)
    n = 1
    while n < len(chunks) and n <= 3 and chunks[n][0].type != "DOTS":
        n += 1
    if not first or n + 1 >= len(chunks) or chunks[n][0].type != "DOTS":
        return None, place
    return (first, tuple(chunks[n + 1])), place + n + 2


def _counted(chunks: Sequence[Sequence[Token]]) -> list[Token]:
    """The numbers that these chunks begin with, if each is one more than the one before and no dots follow."""
    counted: list[Token] = []
    for chunk in chunks:
        is_next = [t.type for t in chunk] == ["NUM"] and chunk[0].value.isdigit()
        if not is_next or (counted and int(chunk[0].value) != int(counted[-1].value) + 1):
            return [] if chunk and chunk[0].type == "DOTS" else counted
        counted.append(chunk[0])
    return counted


def _set(tokens: Sequence[Token]) -> _Ends | None:
    r"""The ends of `\{1, \dots, N\}`, `[1 \dots N]` or `[N]`; `[1, N]` too, of integers."""
    if len(tokens) < 3 or tokens[0].type not in OPENERS or tokens[-1].type not in CLOSERS:
        return None
    chunks = _chunks(tokens[1:-1])
    if any(c[0].type == "DOTS" for c in chunks):
        ends, behind = _listed(chunks, 0)
        return ends if ends and behind == len(chunks) else None
    if tokens[0].type == "LSQB" and len(chunks) == 1:
        return (Token("NUM", "1", tokens[0].start, tokens[0].end),), tuple(chunks[0])
    is_interval = tokens[0].type == "LSQB" and tokens[-1].type == "RSQB" and len(chunks) == 2
    return (tuple(chunks[0]), tuple(chunks[1])) if is_interval else None


def _dotted(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with `..` and `...` as dots."""
    result: list[Token] = []
    for token in tokens:
        if token.type == "DOT" and result and result[-1].type in ("DOT", "DOTS"):
            result[-1] = Token("DOTS", "..", result[-1].start, token.end)
        else:
            result.append(token)
    return result


def _first(chunk: Sequence[Token]) -> tuple[Token, ...] | None:
    r"""The first value of `k \ge 1` or `k > 0`, where that is a number."""
    is_number = [t.type for t in chunk] == ["NAME", "REL", "NUM"] and chunk[2].value.isdigit()
    if not is_number or chunk[1].value not in (">", ">="):
        return None
    number = (
        chunk[2]
        if chunk[1].value == ">="
        else replace(chunk[2], value=str(int(chunk[2].value) + 1))
    )
    return (number,)


def _interval(
    chunks: list[list[Token]], place: int, names: list[Token]
) -> tuple[list[Said] | None, int]:
    r"""`0 \le i < N`, `1 \le i, j \le N`."""
    first = chunks[place]
    signs = [n for n, t in enumerate(first) if t.type == "REL"]
    listed: list[Token] = []
    if len(signs) == 1 and not names:  # `1 \le i`, then `j \le N`
        low, relation, middle = first[: signs[0]], first[signs[0]], first[signs[0] + 1 :]
        listed = [*middle]
        place += 1
        while place < len(chunks) and [t.type for t in chunks[place]] == ["NAME"]:
            listed += chunks[place]
            place += 1
        if place == len(chunks) or [t.type for t in chunks[place]][:2] != ["NAME", "REL"]:
            return None, place
        listed.append(chunks[place][0])
        above, high = chunks[place][1], chunks[place][2:]
    elif len(signs) == 2 and not names:
        low, relation, above = first[: signs[0]], first[signs[0]], first[signs[1]]
        listed, high = first[signs[0] + 1 : signs[1]], first[signs[1] + 1 :]
    else:
        return None, place
    is_plain = all(t.type == "NAME" for t in listed) and bool(low) and bool(high)
    if not is_plain or relation.value not in ("<", "<=") or above.value not in ("<", "<="):
        return None, place
    low = low if relation.value == "<=" else _plus(low, "PLUS")
    high = high if above.value == "<=" else _plus(high, "MINUS")
    return [Said(n, tuple(low), tuple(high)) for n in listed], place + 1


def _plus(tokens: list[Token], sign: str) -> list[Token]:
    end = tokens[-1].end
    return [
        *tokens,
        Token(sign, "+" if sign == "PLUS" else "-", end, end),
        Token("NUM", "1", end, end),
    ]


def refusal(definition: Sequence[Token], said: Sequence[Token]) -> Token:
    """The error of a definition that is followed by `said`."""
    fact = "this restriction of an index is not read, and without it the numbers may be others"
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
