r"""Approximate values that displays compute, `r \approx \frac{\ln R}{T}`: definitions, unless the document defines the letter exactly."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["is_computed", "without_second_values"]

_COMPUTING = frozenset(("FRAC", "SQRT", "FUNC", "SLASH"))


def is_computed(right: Sequence[Token]) -> bool:
    r"""Whether it is a formula of letters, and no number or other letter, `\pi \approx 3.14`."""
    kinds = {t.type for t in right}
    return "NAME" in kinds and bool(kinds & _COMPUTING)


def without_second_values(displays: Sequence[Sequence[Statement]]) -> list[list[Statement]]:
    """The displays without approximate values of numbers that they define besides, or where they are all that is defined."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    exact = {s.target for s in definitions if not _is_approximate(s)}
    return [
        [s for s in display if not (_is_approximate(s) and (s.target in exact or not exact))]
        for display in displays
    ]


def _is_approximate(statement: Statement) -> bool:
    sign = statement.tokens[statement.equal : statement.equal + 1]
    is_sign = bool(sign) and sign[0].type == "APPROX"
    return (
        statement.kind == "definition"
        and is_sign
        and statement.is_scalar
        and not statement.has_reduction
    )
