r"""Inverses behind two indices, `C_{ij}^{-1} (d_j - m_j)`: an element of the inverse of the matrix, or one over the element.

It is the latter of small letters, `r_{ij}^{-1} q_j`, where the prose speaks of no inverse and of no matrix that has one, and where
nothing else has an index of it, `\sum_{i>j} R_{ij}^{-1}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import scripted, scripts_at
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_inverses"]

_SAYS_INVERSE = re.compile(
    r"\b(?:invers\w+|invert\w+|metric|(?:auto)?(?:co)?variances?|precision|Gram|stiffness|Hessian)\b",
    re.IGNORECASE,
)


def with_unclear_inverses(
    displays: Sequence[Sequence[Statement]], text: str
) -> list[list[Statement]]:
    """The displays with an error behind each definition that has such an inverse."""
    says_inverse = _SAYS_INVERSE.search(text) is not None
    return [
        [_checked(s, says_inverse) if s.kind == "definition" else s for s in display]
        for display in displays
    ]


def _checked(statement: Statement, says_inverse: bool) -> Statement:
    for element in _inverses(statement.right):
        name, *indices = element
        is_matrix = name.value[:1].isupper() or name.note == "bold" or says_inverse
        letters = {i.value for i in indices}
        others = [
            own
            for own, _, inner in scripted(statement.tokens, "SUB")
            if own is not name and letters & {t.value for t in inner}
        ]
        if is_matrix and (others or not statement.has_reduction):
            return replace(statement, tokens=(*statement.tokens, _error(name, indices)))
    return statement


def _inverses(tokens: Sequence[Token]) -> Iterator[tuple[Token, ...]]:
    """Each name with two different letters below it and a minus one above, and these letters."""
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        below, above, _ = scripts_at(tokens, place, closing)
        if below is None or above is None:
            continue
        indices = [t for t in below[1:-1] if t.type != "COMMA"]
        is_inverse = [t.value for t in above[1:-1]] == ["-", "1"]
        are_two = len({t.value for t in indices}) == len(indices) == 2
        if is_inverse and are_two and all(t.type == "NAME" for t in indices):
            yield token, *indices


def _error(name: Token, indices: Sequence[Token]) -> Token:
    printed, below = as_printed(name.value), "".join(as_printed(t.value) for t in indices)
    fact = (
        f"the power may be of the element, or this is an element of the inverse of `{name.value}`"
    )
    fix = rf"write `\frac{{1}}{{{printed}_{{{below}}}}}` for the power of the element; for the inverse give it a name of its own, an input"
    return Token("ERROR", fact, name.start, indices[-1].end, fix)
