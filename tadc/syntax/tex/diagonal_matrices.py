r"""Matrices of which a document defines the diagonal alone, `D_{ii} = \sum_j A_{ij}`, and that formulas read whole: `D^{-1/2} A D^{-1/2}`.

The diagonal is a vector then, and the matrix `\operatorname{diag}(D)`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import TypeAlias

from tadc.syntax.tex.calls import listed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, left_indices, scripts_at
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["with_diagonal_matrices", "with_vectors_in_diagonals"]

Scripts: TypeAlias = Sequence[Token]
_EXPONENT = frozenset(("NUM", "MINUS", "FRAC", "SLASH", "LBRACE", "RBRACE", "TOP"))


def with_diagonal_matrices(
    displays: Sequence[Sequence[Statement]],
    spoken: Sequence[Statement],
    declared: Set[str],
    guesses: list[Guess],
) -> tuple[list[list[Statement]], list[Statement]]:
    """The displays, and the definitions in the prose, with vectors for such diagonals, and with matrices of them where they are read whole."""
    every = [s for statements in (*displays, spoken) for s in statements]
    definitions = [s for s in every if s.kind == "definition"]
    counts = Counter(s.target for s in definitions)
    found: set[str] = set()
    for s in definitions:
        if not _is_diagonal(s) or counts[s.target] > 1 or s.target in declared:
            continue
        reads = [read for d in definitions for read in _reads(d.right, s.target)]
        if any(not below for below, _ in reads) and all(map(_is_readable, reads)):
            found.add(s.target)
            said = f"`{s.target}` is a diagonal matrix: nothing else of it is defined"
            guesses.append(Guess(said, s.start, s.end))

    def rewritten(s: Statement) -> Statement:
        return replace(s, tokens=tuple(_with_diagonals(s.tokens, found)))

    if not found:
        return [list(display) for display in displays], list(spoken)
    return [[rewritten(s) for s in display] for display in displays], [rewritten(s) for s in spoken]


def _is_diagonal(definition: Statement) -> bool:
    letters = [t.value for t in left_indices(definition.tokens)]
    is_plain = definition.tokens[0].type == "NAME" and definition.tokens[0].value[0].isupper()
    return is_plain and len(letters) == 2 and letters[0] == letters[1]


def _reads(tokens: Sequence[Token], name: str) -> Iterator[tuple[Scripts, Scripts]]:
    """What stands below and above the name wherever it is read."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type == "NAME" and token.value == name:
            below, above, _ = scripts_at(tokens, place, closing)
            yield (below or ())[:-1][1:], (above or ())[:-1][1:]


def _is_readable(scripts: tuple[Scripts, Scripts]) -> bool:
    """Whether it is the whole matrix, a power of it by a number, its transpose, or an element of its diagonal."""
    below, above = scripts
    letters = [t.value for t in below if t.type != "COMMA"]
    is_element = len(letters) == 2 and letters[0] == letters[1]
    return is_element or (not below and {t.type for t in above} <= _EXPONENT)


def _with_diagonals(tokens: Sequence[Token], names: Set[str]) -> Iterator[Token]:
    r"""The tokens with `D_i` for each `D_{ii}`, and with `\operatorname{diag}(D)` for the whole matrix."""
    closing = closing_braces(tokens)
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        if place in dropped:
            continue
        if token.type != "NAME" or token.value not in names:
            yield token
        elif [t.type for t in tokens[place + 1 : place + 2]] == ["SUB"]:
            yield token
            dropped.update(range(place + 4, closing[place + 2]))
        else:
            yield Token("FUNC", r"\diag", token.start, token.start, "diag")
            yield Token("LPAR", "(", token.start, token.start)
            yield token
            yield Token("RPAR", ")", token.end, token.end)


def with_vectors_in_diagonals(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\operatorname{diag}(w)` for `\operatorname{diag}(w_1, \dots, w_n)`."""
    closing = closing_brackets(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        token, end = tokens[place], closing.get(place + 1, 0)
        parts = listed(tokens[place + 2 : end]) if token.value == r"\diag" else []
        result.append(token)
        place += 1
        if len(parts) > 2 and any([t.type for t in p] == ["DOTS"] for p in parts):
            elements = [p for p in parts if [t.type for t in p] != ["DOTS"]]
            names = {p[0].value for p in elements if p and len(p) > 1 and p[1].type == "SUB"}
            if len(names) == 1 and all(len(p) > 1 for p in elements):
                result += [tokens[place], elements[0][0], tokens[end]]
                place = end + 1
    return result
