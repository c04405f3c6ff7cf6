r"""Means that a document does not write out: `\bar{x}` in `\sum_i (x_i - \bar{x})^2`, or where the prose calls it so."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from itertools import zip_longest

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, bound_names
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["implied_means"]

_BAR = "_bar"
_OTHER = re.compile(
    r"\b(?:weighted|geometric|harmonic|moving|trimmed|population|ensemble|target|reference)\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"\b(?:mean|means|average|averages|averaged)\b", re.IGNORECASE)


def implied_means(
    displays: Sequence[Sequence[Statement]], declared: Set[str], prose: str, guesses: list[Guess]
) -> list[Statement]:
    """Definitions of the means that the displays read: of a tensor with one index, which nothing defines or declares."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    known = declared | {s.target for s in definitions}
    is_other = _OTHER.search(prose) is not None
    found: dict[str, Statement] = {}
    for d in definitions:
        for mean in _bars(d, known):
            base = mean.value.removesuffix(_BAR)
            index = _index_of(base, definitions)
            is_mean = _is_subtracted(base, mean.value, d.tokens) or _SAYS.search(prose) is not None
            if index is None or not is_mean or is_other or mean.value in found:
                continue
            found[mean.value] = _mean(mean, base, index)
            text = f"`{mean.value}` is the mean of `{base}`"
            guesses.append(Guess(text, mean.start, mean.end))
    return list(found.values())


def _bars(definition: Statement, known: Set[str]) -> Iterator[Token]:
    """The names with a bar on the right side that have no subscripts."""
    pairs = zip_longest(definition.right, definition.right[1:])
    for token, after in pairs:
        is_bar = token.type == "NAME" and token.value.endswith(_BAR) and token.value not in known
        if is_bar and (after is None or after.type != "SUB"):
            yield token


def _index_of(base: str, definitions: Sequence[Statement]) -> Token | None:
    """The index of `base`, which has one index wherever it stands, bound by a sum somewhere; None if it has others."""
    found: Token | None = None
    for d in definitions:
        closing = closing_braces(d.tokens)
        summed = bound_names(d.right)
        for place, token in enumerate(d.tokens):
            if token.type != "NAME" or token.value != base:
                continue
            end = closing.get(place + 2, 0)
            inner = d.tokens[place + 3 : end]
            if (
                d.tokens[place + 1 : place + 2] == ()
                or d.tokens[place + 1].type != "SUB"
                or not end
            ):
                return None
            if [t.type for t in inner] != ["NAME"]:
                return None
            if inner[0].value in summed:
                found = inner[0]
    return found


def _is_subtracted(base: str, mean: str, tokens: Sequence[Token]) -> bool:
    r"""Whether `x_i - \bar{x}` stands there."""
    return any(
        tokens[n].value == mean
        and tokens[n - 1].type == "MINUS"
        and [t.type for t in tokens[n - 6 : n - 1]] == ["NAME", "SUB", "LBRACE", "NAME", "RBRACE"]
        and tokens[n - 6].value == base
        for n in range(6, len(tokens))
    )


def _mean(mean: Token, base: str, index: Token) -> Statement:
    r"""`\bar{x} = \operatorname{mean}_{i} x_i`, at the place of the mean."""

    def token(kind: str, value: str, note: str = "") -> Token:
        return Token(kind, value, mean.start, mean.end, note)

    def below(note: str, owner: str) -> list[Token]:
        opening, closing = token("LBRACE", "", note), token("RBRACE", "", owner)
        return [token("SUB", "_"), opening, token("NAME", index.value), closing]

    body = [token("RED", "mean"), *below("limits", "RED"), token("NAME", base)]
    right = [*body, *below("indices", "NAME")]
    return Statement("definition", (mean, token("EQ", "="), *right))
