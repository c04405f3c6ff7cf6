r"""Sums of products such as `\sum_r \mathbf{a}_r \circ \mathbf{b}_r`: the sign may be the outer product of vectors, or the product of elements.

It is the latter where the prose says so. Else it is an error; or left out, where another formula gives the elements, `x_{ij} = \sum_r ..`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, left_indices, scripted
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_circles"]

_SAYS_ELEMENTS = re.compile(
    r"Hadamard|(?:element|component|entry|point)[\s-]?wise\s+(?:product|multipli\w+)", re.IGNORECASE
)


def with_unclear_circles(
    displays: Sequence[Sequence[Statement]], text: str
) -> list[list[Statement]]:
    """The displays with errors at these signs, or without definitions whose elements are given by another one."""
    if _SAYS_ELEMENTS.search(text) is not None:
        return [list(display) for display in displays]
    summed = {
        name
        for display in displays
        for s in display
        if s.kind == "definition" and len(left_indices(s.tokens)) > 1
        for name in bound_names(s.right)
    }
    result = []
    for display in displays:
        kept = []
        for s in display:
            letters = _summed_below_circles(s) if s.kind == "definition" else set()
            if letters & summed:
                kept.append(replace(s, kind="skipped"))
            else:
                kept.append(_with_errors(s) if letters else s)
        result.append(kept)
    return result


def _summed_below_circles(statement: Statement) -> set[str]:
    """The letters that a sum runs over, and that stand alone below what is on both sides of such a sign."""
    bound = bound_names(statement.right)
    tokens = statement.tokens
    closing = closing_braces(tokens)
    ends = {
        closing[place + 1]: inner[0].value
        for _, place, inner in scripted(tokens, "SUB")
        if len(inner) == 1 and inner[0].value in bound
    }
    starts = {
        id(name): inner[0].value for name, _, inner in scripted(tokens, "SUB") if len(inner) == 1
    }
    return {
        ends[place - 1]
        for place, token in enumerate(tokens[:-1])
        if _is_circle(token) and ends.get(place - 1, "") == starts.get(id(tokens[place + 1]))
    }


def _is_circle(token: Token) -> bool:
    return token.type == "ODOT" and token.value == r"\circ"


def _with_errors(statement: Statement) -> Statement:
    fact = r"`\circ` may be the outer product of vectors, or the product of their elements"
    fix = r"write the elements, `x_{ij} = \sum_r a_{ir} b_{jr}`, or `\odot` for the product of elements"
    return replace(
        statement,
        tokens=tuple(
            Token("ERROR", fact, t.start, t.end, fix) if _is_circle(t) else t
            for t in statement.tokens
        ),
    )
