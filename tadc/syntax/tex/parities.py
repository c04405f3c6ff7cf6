r"""Tensors that are defined at even and at odd places, `P_{2i} = a_i` and `P_{2i+1} = b_i`: one definition with two cases.

    P_j = \begin{cases} a_{\lfloor j/2 \rfloor} & j \bmod 2 = 0 \\ b_{\lfloor j/2 \rfloor} & \text{otherwise} \end{cases}

The first place is `2 i` with `i = 0`, in a document that counts from 0; or `2 i - 1` with `i = 1`, beside `2 i`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.script_tokens import Guess, bound_names
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_parities"]

_LETTERS = "jklmnpqrs"


@dataclass(frozen=True, slots=True)
class _Half:
    """A definition whose left side has `2 i + offset` at one `place`; the others are bare indices."""

    statement: Statement
    place: int
    letter: Token
    offset: int
    parts: tuple[tuple[Token, ...], ...]

    @property
    def key(self) -> tuple[object, ...]:
        others = [[t.value for t in p] for n, p in enumerate(self.parts) if n != self.place]
        return self.statement.target, self.place, self.letter.value, str(others)


def with_parities(
    displays: Sequence[Sequence[Statement]], base: int | None, guesses: list[Guess]
) -> tuple[list[list[Statement]], int | None]:
    """The displays with one definition for each pair of halves, and the first index, which such a pair tells."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    halves = [h for d in definitions if (h := _half(d)) is not None]
    pairs = [
        (a, b)
        for n, a in enumerate(halves)
        for b in halves[n + 1 :]
        if a.key == b.key and sorted((a.offset, b.offset)) in ([0, 1], [-1, 0])
    ]
    bases = {0 if 1 in (a.offset, b.offset) else 1 for a, b in pairs}
    says_one = any(_begins_at_one(d) for d in definitions)
    first = next(iter(bases)) if len(bases) == 1 else None
    if first is None or base not in (None, first) or (says_one and first == 0):
        return [list(display) for display in displays], base
    new: dict[int, Statement | None] = {}
    for a, b in pairs:
        new |= {id(a.statement): _whole(a, b, first), id(b.statement): None}
        text = f"`{a.statement.target}` is defined at even and at odd places"
        guesses.append(Guess(text, a.statement.start, b.statement.tokens[b.statement.equal].start))
    kept = [[new.get(id(s), s) for s in display] for display in displays]
    return [[s for s in display if s is not None] for display in kept], first


def _half(definition: Statement) -> _Half | None:
    tokens = definition.tokens
    end = closing_braces(tokens).get(2, 0)
    if tokens[0].type != "NAME" or tokens[1].type != "SUB" or end + 1 != definition.equal:
        return None
    parts = listed(tokens[3:end])
    doubled = [n for n, p in enumerate(parts) if [t.type for t in p[:2]] == ["NUM", "NAME"]]
    others = [p for n, p in enumerate(parts) if n not in doubled]
    if len(doubled) != 1 or any({t.type for t in p} != {"NAME"} for p in others):
        return None
    part = parts[doubled[0]]
    rest = [t.value for t in part[2:]]
    offset = {(): 0, ("+", "1"): 1, ("-", "1"): -1}.get(tuple(rest))
    letter = part[1]
    is_bound = letter.value in bound_names((_EQUAL, *definition.right))
    if part[0].value != "2" or offset is None or is_bound:
        return None
    return _Half(definition, doubled[0], letter, offset, tuple(tuple(p) for p in parts))


_EQUAL = Token("EQ", "=", 0, 0)


def _begins_at_one(definition: Statement) -> bool:
    r"""Whether it has a `\sum_{k=1}`."""
    values = [(t.type, t.value) for t in definition.tokens]
    return any(
        values[n][0] == "RED" and [v for _, v in values[n + 4 : n + 6]] == ["=", "1"]
        for n in range(len(values))
    )


def _whole(a: _Half, b: _Half, base: int) -> Statement:
    """The definition with a case for each of the two."""
    low, high = sorted((a, b), key=lambda half: half.offset)
    at = a.letter
    taken = {t.value for h in (a, b) for t in h.statement.tokens}
    index = replace(at, value=next((n for n in _LETTERS if n not in taken), f"{at.value}_place"))

    def sign(kind: str, value: str = "", note: str = "") -> Token:
        return Token(kind, value, at.start, at.end, note)

    over = [index] if base == 0 else [index, sign("PLUS", "+"), sign("NUM", "1")]
    brace, close = sign("LBRACE"), sign("RBRACE")
    half = [
        *(sign("FLOOR_L", r"\lfloor"), sign("FRAC", r"\frac"), brace, *over, close),
        *(brace, sign("NUM", "2"), close, sign("FLOOR_R", r"\rfloor")),
    ]
    rest = sign("NUM", str(base))
    condition = [index, sign("BMOD", r"\bmod"), sign("NUM", "2"), sign("EQ", "="), rest]
    rows = [
        sign("CASES_B", "cases"),
        *_put_in(low.statement.right, at.value, half),
        *(sign("AMP", "&"), *condition, sign("ROW", r"\\")),
        *_put_in(high.statement.right, at.value, half),
        *(sign("AMP", "&"), sign("OTHERWISE", "otherwise"), sign("CASES_E", "cases")),
    ]
    tokens = a.statement.tokens
    parts = [[index] if n == a.place else list(p) for n, p in enumerate(a.parts)]
    inner = [t for p in parts for t in (sign("COMMA"), *p)][1:]
    left = (*tokens[:3], *inner, tokens[a.statement.equal - 1], tokens[a.statement.equal])
    ranges = _ranges(a.statement, {at.value: index}, base)
    return replace(a.statement, tokens=(*left, *rows), ranges=ranges)


def _put_in(tokens: Sequence[Token], name: str, half: Sequence[Token]) -> list[Token]:
    return [new for t in tokens for new in (half if (t.type, t.value) == ("NAME", name) else [t])]


def _ranges(statement: Statement, index: Mapping[str, Token], base: int) -> tuple[Token, ...]:
    """The ranges that are said, that of the halves for all places: twice as long."""
    said = said_ranges(statement.ranges) if statement.ranges else []
    if not said or all(s.name.value not in index for s in said):
        return statement.ranges
    result: list[Token] = []
    for s in said:
        at = s.name.start
        comma, dots = Token("COMMA", ",", at, at), Token("DOTS", "..", at, at)
        name, high = s.name, list(s.high)
        if name.value in index:
            name = index[name.value]
            two, opening = Token("NUM", "2", at, at), Token("LPAR", "(", at, at)
            more = [Token("PLUS", "+", at, at), Token("NUM", "1", at, at)] if base == 0 else []
            high = [two, opening, *high, Token("RPAR", ")", at, at), *more]
        result += [comma] if result else []
        result += [name, Token("EQ", "=", at, at), *s.low, comma, dots, comma, *high]
    return tuple(result)
