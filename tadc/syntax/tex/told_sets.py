r"""Sets that a condition tells, `\mathcal{N}(i) = \{j \mid A_{ij} = 1\}`, also of pairs, `\Omega = \{(i,j) \mid W_{ij} = 1\}`.

\sum_{j \in \mathcal{N}(i)}     a sum over the `j` that the condition holds for, as of `\sum_{j, A_{ij} = 1}`; `\cup \{i\}` adds one
|\mathcal{N}(i)|                how many these are
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tadc.syntax.nodes import fresh_name
from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.known_tensors import FRESH
from tadc.syntax.tex.script_tokens import comma
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["ToldSets", "set_name"]

_SEPARATORS = frozenset(("BREAK", "QUAD", "COMMA", "DOT", "TEXT", "AND"))


@dataclass(frozen=True, slots=True)
class _Set:
    """The letters of a member, the letter that the set is of, and the condition."""

    members: tuple[str, ...]
    of: str
    condition: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class SetName:
    """A set's name in the tokens: the letter that it is of, and the place behind."""

    name: str
    of: str
    end: int


class ToldSets:
    """The sets that a document's formulas tell, each in one way."""

    def __init__(self, streams: Sequence[Sequence[Token]]) -> None:
        found: dict[str, list[_Set]] = {}
        for tokens in streams:
            for name, said, _, _ in _definitions(tokens):
                found.setdefault(name, []).append(said)
        self.sets = {name: said[0] for name, said in found.items() if len({*map(_text, said)}) == 1}
        self.taken = {t.value for tokens in streams for t in tokens if t.type == "NAME"}

    def applied(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens with conditions in limits, and sums for the numbers of members; without the definitions."""
        if not self.sets:
            return list(tokens)
        ends = {start: end for name, _, start, end in _definitions(tokens) if name in self.sets}
        closing = closing_brackets(tokens)
        result: list[Token] = []
        in_limits = 0  # the place where these end
        place = 0
        while place < len(tokens):
            token = tokens[place]
            if token.type == "LBRACE" and token.note == "limits":
                in_limits = closing.get(place, 0)
            read = set_name(tokens, place + 1)
            said = self.sets.get(read.name) if read is not None else None
            end = 0
            if read is not None and said is not None and bool(read.of) == bool(said.of):
                if token.type == "IN" and place < in_limits:
                    end = self._replace_membership(result, said, read, tokens)
                elif token.type == "BAR_L" and _kinds(tokens, read.end, 1) == ["BAR_R"]:
                    end = read.end + 1
                    result += self._count(said, read.of, token)
            if not end and place not in ends:
                result.append(token)
            place = end or ends.get(place, place + 1)
        return result

    @staticmethod
    def _replace_membership(
        result: list[Token], said: _Set, read: SetName, tokens: Sequence[Token]
    ) -> int:
        r"""Append the condition that stands for `\in \mathcal{N}_i`, with a `\cup \{i\}` or a `\setminus \{i\}` behind it or without; the place
        behind, 0 where that is none.
        """
        at = tokens[read.end - 1]
        names = _members(result)
        if len(names) != len(said.members):
            return 0
        condition = _condition(
            said, {said.of: read.of, **dict(zip(said.members, names, strict=True))}, at
        )
        end, more, less = read.end, None, None
        is_other = _kinds(tokens, end, 4) == ["ERROR", "LPAR", "NAME", "RPAR"] and len(names) == 1
        if is_other and r"\cup" in tokens[end].value:
            more, end = tokens[end + 2], end + 4
        elif is_other and r"\setminus" in tokens[end].value:
            less, end = tokens[end + 2], end + 4
        if _kinds(tokens, end, 1) not in (["COMMA"], ["RBRACE"]):
            return 0
        if more is not None:
            equal = Token("EQ", "=", at.start, at.end)
            member = replace(more, value=names[0])
            either = Token("OR", "or", at.start, at.end)
            opening, closing = (
                Token("LPAR", "(", at.start, at.end),
                Token("RPAR", ")", at.start, at.end),
            )
            both = [
                replace(t, type="AND") if t.type == "COMMA" and not depth else t
                for t, depth in depths(condition)
            ]
            condition = [opening, *both, either, member, equal, more, closing]
        if less is not None:
            differs = Token("REL", "!=", at.start, at.end)
            condition = [*condition, comma(at), replace(less, value=names[0]), differs, less]
        result += [comma(at), *condition]
        return end

    def _count(self, said: _Set, of: str, at: Token) -> list[Token]:
        r"""`(\sum_{k, A_{ik} = 1} 1)`."""
        names = [fresh_name(self.taken, FRESH) for _ in said.members]
        letters = {said.of: of, **dict(zip(said.members, names, strict=True))}

        def new(kind: str, value: str, note: str = "") -> Token:
            return Token(kind, value, at.start, at.end, note)

        listed_names = [t for n in names for t in (comma(at), new("NAME", n))][1:]
        return [
            new("LPAR", "("),
            new("RED", "sum"),
            new("SUB", "_"),
            new("LBRACE", "{", "limits"),
            *listed_names,
            comma(at),
            *_condition(said, letters, at),
            new("RBRACE", "}", "RED"),
            new("NUM", "1"),
            new("RPAR", ")"),
        ]


def _definitions(tokens: Sequence[Token]) -> list[tuple[str, _Set, int, int]]:
    """The sets that conditions define here: the name, the set, and where its definition begins and ends."""
    closing = closing_brackets(tokens)
    found = []
    for place, token in enumerate(tokens):
        read = set_name(tokens, place)
        if read is None or (place and tokens[place - 1].type not in _SEPARATORS):
            continue
        sign, opening = read.end, read.end + 1
        end = closing.get(opening, 0)
        if not end or tokens[sign].type not in ("EQ", "DEF") or "{" not in tokens[opening].value:
            continue
        inner = tokens[opening + 1 : end]
        bar = next((n for n, t in enumerate(inner) if _is_such_that(t)), len(inner))
        members, condition = _names(inner[:bar]), inner[bar + 1 :]
        is_told = (
            members and condition and all(t.type not in ("IN", "ERROR", "DOTS") for t in condition)
        )
        if is_told and read.of not in members:
            found.append((token.value, _Set(members, read.of, tuple(condition)), place, end + 1))
    return found


def _is_such_that(token: Token) -> bool:
    is_colon = token.type == "ERROR" and token.value.startswith("`:`")
    return (
        is_colon or token.type == "GIVEN" or (token.type == "COMMA" and token.value in (":", "|"))
    )


def set_name(tokens: Sequence[Token], place: int) -> SetName | None:
    r"""The `\mathcal{N}`, `\mathcal{N}_i` or `\mathcal{N}(i)` at the place."""
    if place >= len(tokens) or tokens[place].type != "NAME":
        return None
    name = tokens[place].value
    kinds = _kinds(tokens, place + 1, 4)
    if kinds == ["SUB", "LBRACE", "NAME", "RBRACE"]:
        return SetName(name, tokens[place + 3].value, place + 5)
    if kinds[:3] == ["LPAR", "NAME", "RPAR"]:
        return SetName(name, tokens[place + 2].value, place + 4)
    return SetName(name, "", place + 1)


def _kinds(tokens: Sequence[Token], place: int, count: int) -> list[str]:
    return [t.type for t in tokens[place : place + count]]


def _names(tokens: Sequence[Token]) -> tuple[str, ...]:
    """The letters of a member, `j` or `(i, j)`; none for others."""
    inner = (
        tokens[1:-1]
        if [t.type for t in (*tokens[:1], *tokens[-1:])] == ["LPAR", "RPAR"]
        else tokens
    )
    parts = listed(inner) if inner else []
    is_plain = all(len(p) == 1 and p[0].type == "NAME" for p in parts)
    return tuple(p[0].value for p in parts) if is_plain else ()


def _members(result: list[Token]) -> list[str]:
    """The letters in front of a sign of membership that is to be replaced; brackets around them are taken from the result."""
    if not result or result[-1].type != "RPAR":
        return [result[-1].value] if result and result[-1].type == "NAME" else []
    opening = next((n for n in reversed(range(len(result))) if result[n].type == "LPAR"), 0)
    names = _names(result[opening:])
    if names:
        del result[-1], result[opening]
    return [*names]


def _condition(said: _Set, letters: dict[str, str], at: Token) -> list[Token]:
    """The condition with other letters, at the place of what it stands for."""
    return [
        replace(
            t,
            value=letters.get(t.value, t.value) if t.type == "NAME" else t.value,
            start=at.start,
            end=at.end,
        )
        for t in said.condition
    ]


def _text(said: _Set) -> tuple[object, ...]:
    return said.members, said.of, tuple(t.value for t in said.condition)
