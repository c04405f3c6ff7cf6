r"""Left sides that are derivatives with another sign, `\frac{\delta C}{\delta y_i} = ..`, as variations and old prints have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["with_derivatives_for_variations"]


def with_derivatives_for_variations(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\partial` for the `\delta` of both sides of a fraction at the beginning of a formula or a row."""
    places = {place for start in _starts(tokens) for place in _variations(tokens, start)}
    return [
        replace(t, type="PARTIAL", value=r"\partial", note="") if n in places else t
        for n, t in enumerate(tokens)
    ]


def _starts(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of fractions at the beginning of a formula or a row."""
    for place, token in enumerate(tokens):
        if token.type == "FRAC" and (
            not place or tokens[place - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
        ):
            yield place


def _variations(tokens: Sequence[Token], start: int) -> tuple[int, ...]:
    """The places of the two signs of the fraction, which an equality sign follows; nothing where it is no such quotient."""
    closing = closing_braces(tokens[start : start + LONGEST])
    middle = closing.get(1, -1)
    end = closing.get(middle + 1, -1)
    if min(middle, end) < 0 or [t.type for t in tokens[start + end + 1 : start + end + 2]] not in (
        ["EQ"],
        ["DEF"],
    ):
        return ()
    signs = (start + 2, start + middle + 2)
    is_step = all(
        tokens[n].value == "delta" and tokens[n].type == "NAME" and tokens[n + 1].type == "NAME"
        for n in signs
    )
    return signs if is_step else ()


LONGEST = 60  # tokens; longer fractions are no derivatives
