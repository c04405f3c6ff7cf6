r"""Statistics of random variables as names: the `\mathbb{H}` of `\mathbb{H}[y \mid x] = -\sum_c p_c \log p_c` and the `\mathbb{E}` of
`\mathbb{E}[X] = \sum_i x_i p_i` are what the formula defines, if they stand on its left side and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["defined_statistics", "with_defined_statistics"]


def defined_statistics(streams: Sequence[Sequence[Token]]) -> set[str]:
    """The blackboard letters, as they are printed, that stand nowhere but in front of a list on left sides, once each."""
    printed = [sign for tokens in streams for t in tokens if (sign := _sign(t))]
    heads = [sign for tokens in streams if (sign := _sign_of_left(tokens))]
    return {sign for sign in heads if printed.count(sign) == 1}


def with_defined_statistics(
    tokens: Sequence[Token], statistics: set[str], names: set[str]
) -> list[Token]:
    """The tokens with a name for such a sign on the left side, and without its list; `names` are taken."""
    sign = _sign_of_left(tokens)
    if sign not in statistics:
        return list(tokens)
    letter = sign if sign not in names else f"{sign}_bb"
    end = closing_brackets(tokens)[1]
    name = Token("NAME", letter, tokens[0].start, tokens[end].end)
    return [name, *tokens[end + 1 :]]


_PRINTED = re.compile(r"`\\mathbb\{([A-Z])\}` is not used in formulas")
_EXPECTATION = "an expectation is no formula of tensors"


def _sign(token: Token) -> str:
    """The letter of a blackboard letter that is no set and no indicator; nothing for other tokens."""
    if token.type != "ERROR":
        return ""
    match = _PRINTED.match(token.value)
    return match[1] if match is not None else ("E" if token.value == _EXPECTATION else "")


def _sign_of_left(tokens: Sequence[Token]) -> str:
    r"""The letter of `\mathbb{H}[..] =`, which begins the formula."""
    if not tokens or not (sign := _sign(tokens[0])) or len(tokens) < 4:
        return ""
    if tokens[1].type not in ("LSQB", "LPAR"):
        return ""
    end = closing_brackets(tokens).get(1, len(tokens))
    return (
        sign if [t.type for t in tokens[end + 1 : end + 2]] in (["EQ"], ["DEF"], ["APPROX"]) else ""
    )
