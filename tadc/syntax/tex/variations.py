r"""Left sides that are derivatives with another sign, `\frac{\delta C}{\delta y_i} = ..`, as variations and old prints have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token

__all__ = ["with_derivatives_for_variations"]


def with_derivatives_for_variations(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with `\partial` for the `\delta` of both sides of a fraction at the beginning of a formula or a row."""
    places = {place for start in _starts(tokens) for place in _variations(tokens, start, "delta")}
    tokens = with_unclear_derivatives(tokens, places)
    return [
        replace(t, type="PARTIAL", value=r"\partial", note="") if n in places else t
        for n, t in enumerate(tokens)
    ]


def with_unclear_derivatives(tokens: Sequence[Token], known: Set[int]) -> list[Token]:
    r"""The tokens with an error for each other fraction whose two parts begin with the same sign, `\frac{\delta F}{\delta y_i}` or
    `\frac{D x_i}{D t}`: nobody writes what cancels.
    """
    result = list(tokens)
    for place, token in enumerate(tokens):
        if token.type != "FRAC" or place + 2 in known:
            continue
        for sign in ("delta", "D"):
            if _variations(tokens, place, sign, is_left=False):
                fact = "a derivative would be read as a quotient of two products"
                fix = "tadc derives the program itself; give what is meant a name: `v_i`"
                result[place] = replace(token, type="ERROR", value=fact, note=fix)
    return result


def _starts(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of fractions at the beginning of a formula or a row."""
    for place, token in enumerate(tokens):
        if token.type == "FRAC" and (
            not place or tokens[place - 1].type in ("BREAK", "QUAD", "COMMA", "TEXT")
        ):
            yield place


def _variations(
    tokens: Sequence[Token], start: int, sign: str, *, is_left: bool = True
) -> tuple[int, ...]:
    """The places of the two signs of the fraction, which an equality sign follows where it is one on the left; nothing where it is no
    such quotient.
    """
    closing = closing_braces(tokens[start : start + LONGEST])
    middle = closing.get(1, -1)
    end = closing.get(middle + 1, -1)
    behind = [t.type for t in tokens[start + end + 1 : start + end + 2]]
    if min(middle, end) < 0 or (is_left and behind not in (["EQ"], ["DEF"])):
        return ()
    signs = (start + 2, start + middle + 2)
    is_step = all(
        tokens[n].value == sign and tokens[n].type == "NAME" and tokens[n + 1].type == "NAME"
        for n in signs
    )
    return signs if is_step else ()


LONGEST = 60  # tokens; longer fractions are no derivatives
