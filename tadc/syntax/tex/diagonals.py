r"""Diagonals that are defined apart: `p_{ii} = 0` beside `p_{ij} = ..` is a case of that, where both indices are equal.

`S_{xx}` and `S_{xy}` are two names, where `x` and `y` are tensors, and so are the components `\sigma_{xx}` and `\sigma_{xy}`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, left_indices, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["AXES", "with_diagonals"]


def with_diagonals(
    displays: Sequence[Sequence[Statement]], guesses: list[Guess]
) -> list[list[Statement]]:
    """The displays with one definition, by cases, for a tensor of two indices and its diagonal."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    tensors = {name.value for s in definitions for name, _, _ in scripted(s.right, "SUB")}
    found = [
        s
        for s in definitions
        if _is_diagonal(_letters(s)) and s.tokens[0].value == s.target
        if not {*_letters(s)} & (tensors | AXES)
    ]
    counts = Counter(s.target for s in found)
    diagonals = {s.target: s for s in found if counts[s.target] == 1}
    whole = {
        s.target
        for display in displays
        for s in display
        if s.kind == "definition" and s.target in diagonals and _is_pair(_letters(s))
    }
    result: list[list[Statement]] = []
    for display in displays:
        kept: list[Statement] = []
        for s in display:
            if s.kind != "definition" or s.target not in whole:
                kept.append(s)
            elif _is_pair(_letters(s)):
                kept.append(_by_cases(s, diagonals[s.target]))
                text = f"`{s.target}` has its diagonal as a case"
                guesses.append(Guess(text, s.start, s.end))
        result.append(kept)
    return result


AXES = frozenset("xyz")  # letters of components


def _letters(definition: Statement) -> list[str]:
    return [t.value for t in left_indices(definition.tokens)]


def _is_diagonal(letters: Sequence[str]) -> bool:
    return len(letters) == 2 and letters[0] == letters[1]


def _is_pair(letters: Sequence[str]) -> bool:
    return len(letters) == 2 and letters[0] != letters[1]


def _by_cases(definition: Statement, diagonal: Statement) -> Statement:
    """The definition with the value of the diagonal where its indices are equal."""
    first, second = left_indices(definition.tokens)
    old = _letters(diagonal)[0]
    start, end = definition.right[0].start, definition.end

    def token(kind: str, value: str) -> Token:
        return Token(kind, value, start, end)

    value = [replace(t, value=first.value) if t.value == old else t for t in diagonal.right]
    condition = [token("NAME", first.value), token("EQ", "="), token("NAME", second.value)]
    cases = [
        token("CASES_B", "cases"),
        *(*value, token("AMP", "&"), token("IF", "if"), *condition, token("ROW", "")),
        *(*definition.right, token("AMP", "&"), token("OTHERWISE", "otherwise")),
        token("CASES_E", "cases"),
    ]
    return replace(definition, tokens=(*definition.tokens[: definition.equal + 1], *cases))
