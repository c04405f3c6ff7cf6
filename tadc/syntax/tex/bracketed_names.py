r"""Brackets around a name in front of its subscripts: `(D)_j` is `D_j`, `(x_i)_j` is `x_{i,j}` with an index `i`, and `(D_x)_j` an element
of `D_x`, whose `x` nothing binds.

Brackets around what a line declares are left to the rules of vectors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import comma, with_label
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_bracketed_names"]

_BARE = ["LPAR", "NAME", "RPAR", "SUB"]
_LABELLED = ["LPAR", "NAME", "SUB", "LBRACE", "NAME", "RBRACE", "RPAR", "SUB"]


def with_bracketed_names(
    tokens: Sequence[Token], bound: Set[str], declared: Set[str]
) -> list[Token]:
    """The tokens without these brackets; `bound` are the indices of the document."""
    closing = closing_brackets(tokens)
    opening = {end: start for start, end in closing.items()}
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        part = tokens[place : place + 8]
        kinds = [t.type for t in part]
        name, end = None, place + 1
        rows: list[Token] = []
        if kinds[:4] == _BARE and part[1].value not in declared:
            name, end = part[1], place + 3
        elif kinds == _LABELLED and part[1].value not in declared:
            is_row = part[4].value in bound
            name = part[1] if is_row else with_label(part[1], [part[4]], part[6].end)
            rows = [part[4], comma(part[4])] if is_row else []
            end = place + 7
        is_element = name is not None and not _is_positive_part(tokens, end)
        if not is_element or end + 1 not in closing or _is_called(tokens, place, opening):
            result.append(tokens[place])
            place += 1
            continue
        assert name is not None, "it is an element of this"
        behind = closing[end + 1]
        result += [name, *tokens[end : end + 2], *rows]
        result += [*tokens[end + 2 : behind], replace(tokens[behind], note="NAME")]
        place = behind + 1
    return result


def _is_positive_part(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether nothing but a sign stands below, `(x_i)_+`: the positive part, and no element."""
    return [t.type for t in tokens[place : place + 4]] in (
        ["SUB", "LBRACE", "PLUS", "RBRACE"],
        ["SUB", "LBRACE", "MINUS", "RBRACE"],
    )


def _is_called(tokens: Sequence[Token], place: int, opening: Mapping[int, int]) -> bool:
    """Whether a name or a function stands in front of the bracket at `place`, with scripts or without."""
    before = place - 1
    while before in opening and tokens[opening[before] - 1].type in ("SUB", "SUP"):
        before = opening[before] - 2
    return before >= 0 and tokens[before].type in ("NAME", "FUNC", "CALLED", "SOFTMAX")
