r"""Quotients that a formula defines, `\frac{p}{\rho g} = ..`, beside another that reads the dividend, which is no input then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.tex.left_quotients import OVER, QUOTIENT
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_quotients"]


def with_unclear_quotients(displays: Sequence[Sequence[Statement]]) -> list[list[Statement]]:
    """The displays with an error for each quotient whose dividend another formula reads, as if it were an input."""
    read: dict[str, set[int]] = {}
    for s in (s for d in displays for s in d if s.kind == "definition"):
        for t in s.right:
            read.setdefault(t.value, set()).add(id(s))
    return [[_checked(s, read) for s in d] for d in displays]


def _checked(s: Statement, read: Mapping[str, set[int]]) -> Statement:
    if s.kind != "definition" or s.tokens[0].note != QUOTIENT:
        return s
    dividend = s.tokens[0].value.split(OVER)[0]
    if not read.get(dividend, set()) - {id(s)}:
        return s
    fact = f"the left side is a quotient, and another formula reads `{dividend}`"
    fix = f"solve the equation for it, `{dividend} = ..`"
    error = Token("ERROR", fact, s.start, s.tokens[s.equal].end, fix)
    return replace(s, tokens=(*s.tokens, error))
