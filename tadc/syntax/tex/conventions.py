r"""Conventions that the prose states of a sign: "where $*$ denotes convolution", "angles are in degrees".

What a sign means otherwise is no reading then, and each of them is an error that says what to write. Norms and logarithms that the
prose gives a kind are in `told_kinds`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tadc.syntax.tex.token_list import Token

__all__ = ["Convention", "conventions", "with_conventions"]

_SHOWN = r"\s*(?:\$|\\\))[\s~]*(?:sign\s+|symbol\s+|operator\s+)?(?:is|are|denotes?|represents?|stands?\s+for|means?|indicates?|being|as)\b[^.;$]{0,60}?"
_ARGUMENT = r"\s*(?:\\cdot|\.|\\?[A-Za-z]+(?:_\{?\w\}?)?)\s*"
_OPEN = r"(?:\$|\\\()\s*"


@dataclass(frozen=True, slots=True)
class Convention:
    """What the prose says, which tokens are meant, given all and a place, and the error that they become."""

    says: re.Pattern[str]
    is_sign: Callable[[Sequence[Token], int], bool]
    fact: str
    fix: str


def _is_star(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].type == "CDOT" and tokens[place].value in ("*", r"\ast", r"\star")


def _is_circle(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].value == r"\circ"


def _is_square(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].type if place else ""
    return tokens[place].type == "LSQB" and before not in ("NAME", "RBRACE", "CALLED", "SQRT")


def _is_brace(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].type if place else ""
    return (tokens[place].type, tokens[place].value) == ("LPAR", r"\{") and before != "RED"


def _is_bar(tokens: Sequence[Token], place: int) -> bool:
    return tokens[place].type == "BAR_L"


def _is_function_of_angle(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether it is the `\sin` of a formula that has no `180`, which makes an angle of degrees one of radians."""
    has_half_turn = any(t.type == "NUM" and t.value in ("180", "360") for t in tokens)
    is_function = tokens[place].type == "FUNC" and tokens[place].value in ("sin", "cos", "tan")
    return is_function and not has_half_turn


CONVENTIONS = (
    Convention(
        re.compile(
            rf"{_OPEN}(?:\*|\\ast|\\star){_SHOWN}\b(?:convolution|correlation)"
            rf"|\b(?:convolution|correlation)(?:\s+(?:operator|operation|product))?[\s,(~]*{_OPEN}(?:\*|\\ast|\\star)\s*(?:\$|\\\))",
            re.IGNORECASE,
        ),
        _is_star,
        "the prose says that this sign is a convolution, and it would be read as a product",
        r"write the sum, `y_i = \sum_k x_{i-k} h_k`, or `\cdot` for a product",
    ),
    Convention(
        re.compile(rf"{_OPEN}\\circ{_SHOWN}\bcomposition", re.IGNORECASE),
        _is_circle,
        "the prose says that this sign is a composition, and it would be read as a product",
        r"write one function of the other, `f(g(x))`, or `\odot` for a product of elements",
    ),
    Convention(
        re.compile(
            rf"{_OPEN}\[{_ARGUMENT}\]{_SHOWN}\b(?:integer|integral\s+part|nearest|floor|whole\s+(?:part|number)|rounding|rounded)",
            re.IGNORECASE,
        ),
        _is_square,
        "the prose says that these brackets are an integer part, and they would only group",
        r"write `\lfloor x \rfloor`, `\lceil x \rceil` or `\operatorname{round}(x)`, or round brackets",
    ),
    Convention(
        re.compile(rf"{_OPEN}\\\{{{_ARGUMENT}\\\}}{_SHOWN}\bfraction", re.IGNORECASE),
        _is_brace,
        "the prose says that these braces are a fractional part, and they would only group",
        r"write `x - \lfloor x \rfloor`, or round brackets",
    ),
    Convention(
        re.compile(
            rf"{_OPEN}(?:\||\\lvert|\\vert|\\left\s*\|){_ARGUMENT}(?:\||\\rvert|\\vert|\\right\s*\|){_SHOWN}\b(?:determinant|permanent)",
            re.IGNORECASE,
        ),
        _is_bar,
        "the prose says that bars are a determinant, and they would be read as an absolute value",
        r"give the determinant as an input of its own, such as `d`; an absolute value is `\operatorname{abs}(x)`",
    ),
    Convention(
        re.compile(
            r"\b(?:in|as|of)\s+(?:units\s+of\s+)?(?:decimal\s+)?degrees\b(?!\s*(?:Celsius|Fahrenheit|Kelvin|centigrade|of\b|\$?\\?\^?\{?\\circ))",
            re.IGNORECASE,
        ),
        _is_function_of_angle,
        "the prose says that angles are in degrees, and this function would be of radians",
        r"write `\sin\left(\frac{\pi x}{180}\right)`",
    ),
)


def conventions(text: str) -> list[Convention]:
    """Those that the prose states."""
    return [c for c in CONVENTIONS if c.says.search(text) is not None]


def with_conventions(tokens: Sequence[Token], said: Sequence[Convention]) -> list[Token]:
    """The tokens with an error for each sign that the prose gives another meaning."""
    result = list(tokens)
    for place, token in enumerate(tokens):
        for convention in said:
            if convention.is_sign(tokens, place):
                result[place] = Token(
                    "ERROR", convention.fact, token.start, token.end, convention.fix
                )
    return result
