r"""Sums over the rows of a declared tensor: in `\sum_{x \in S_1} \min_{y \in S_2} \|x - y\|^2` with lines that declare `S_1[N, 3]` and
`S_2[M, 3]`, `x` is a row of `S_1`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.token_list import Token

__all__ = ["with_rows_of_sets"]


def with_rows_of_sets(
    tokens: Sequence[Token], ranks: Mapping[str, int], guesses: list[Guess]
) -> list[Token]:
    """The tokens with an index of the tensor's rows in limits that name a tensor, and with the row where its letter stands."""
    closing = closing_braces(tokens)
    rows: dict[str, str] = {}  # of letters: the tensors that they are rows of
    ends: dict[int, int] = {}
    for place, token in enumerate(tokens[:-2]):
        if token.type != "RED" or tokens[place + 1].type != "SUB" or place + 2 not in closing:
            continue
        inner = tokens[place + 3 : min(closing[place + 2], place + _LONGEST)]
        if [t.type for t in inner[:2]] != ["NAME", "IN"]:
            continue
        name = _name(inner[2:])
        if ranks.get(name, 0) < 1 or rows.setdefault(inner[0].value, name) != name:
            return list(tokens)
        ends[place + 3] = closing[place + 2]
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if place in ends:
            text = f"`{token.value}` is each row of `{rows[token.value]}`"
            guesses.append(Guess(text, token.start, tokens[ends[place] - 1].end))
            result.append(_index(token))
            place = ends[place]
        elif token.type == "BAR_L" and _name(_in_bars(tokens, place)) in rows.values():
            inner = _in_bars(tokens, place)
            fact = "the bars around a set are the number of its elements, and it is a tensor here"
            fix = "write the size that the line of its shape has, `N` of `input S[N, D]`"
            result.append(Token("ERROR", fact, token.start, inner[-1].end, fix))
            place += len(inner) + 2
        elif token.type == "NAME" and token.value in rows:
            result += _row(token, rows[token.value], tokens[place + 1 : place + 3])
            place += 3 if _has_subscript(tokens, place) else 1
        else:
            result.append(token)
            place += 1
    return result


_LONGEST = 12  # tokens; longer limits name no set, and may be nested deeply


def _name(said: Sequence[Token]) -> str:
    r"""The name of `S` or `S_1`; nothing for anything else."""
    kinds = [t.type for t in said]
    if kinds == ["NAME"]:
        return said[0].value
    is_labelled = kinds in (
        ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"],
        ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"],
    )
    return f"{said[0].value}_{said[3].value}" if is_labelled else ""


def _in_bars(tokens: Sequence[Token], place: int) -> Sequence[Token]:
    """What stands between the bar at `place` and the next one, if that is near."""
    end = next(
        (n for n in range(place, min(place + 8, len(tokens))) if tokens[n].type == "BAR_R"), place
    )
    return tokens[place + 1 : end]


def _index(letter: Token) -> Token:
    return replace(letter, value=f"{letter.value}_row", note="")


def _has_subscript(tokens: Sequence[Token], place: int) -> bool:
    return [t.type for t in tokens[place + 1 : place + 3]] == ["SUB", "LBRACE"]


def _row(letter: Token, tensor: str, behind: Sequence[Token]) -> list[Token]:
    r"""The row that a letter stands for; the `d` of `x_d` comes behind its index."""
    start, end = letter.start, letter.end
    name = Token("NAME", tensor, start, end)
    opening = [Token("SUB", "_", start, start), Token("LBRACE", "", start, start, "indices")]
    if [t.type for t in behind] == ["SUB", "LBRACE"]:
        return [name, *opening, _index(letter), Token("COMMA", "", end, end)]
    return [name, *opening, _index(letter), Token("RBRACE", "", end, end, "NAME")]
