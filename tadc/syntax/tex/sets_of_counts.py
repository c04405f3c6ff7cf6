r"""The set of the first numbers, `i \in [N]`: as computer science writes `i \in \{1, \dots, N\}`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.token_list import Token

__all__ = ["with_listed_counts"]


def with_listed_counts(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with a list for each `[N]` behind `\in`; one with a power, `[N]^d`, has vectors."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        kinds = [t.type for t in tokens[place : place + 5]]
        is_count = kinds[:2] == ["IN", "LSQB"] and kinds[2:4] in _COUNTS and kinds[4:] != ["SUP"]
        if is_count:
            sign, opening, last, closing = tokens[place : place + 4]
            at = opening.end
            listed = [Token(*t, at, at) for t in (("NUM", "1"), ("COMMA", ","), ("DOTS", r"\dots"))]
            brackets = (
                replace(opening, type="LPAR", value=r"\{"),
                replace(closing, type="RPAR", value=r"\}"),
            )
            result += [sign, brackets[0], *listed, Token("COMMA", ",", at, at), last, brackets[1]]
            place += 4
        else:
            result.append(tokens[place])
            place += 1
    return result


_COUNTS = (["NAME", "RSQB"], ["NUM", "RSQB"])
