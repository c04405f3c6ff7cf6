r"""Logarithms and exponentials without brackets in front of a factor and a sum.

\log \frac{1}{N} \sum_i x_i     the logarithm of the average: nobody writes a constant so
\log a \sum_i x_i               an error that shows both readings
\exp(-4 \ln 2 (x/w)^2)         the constant in an exponent: an exponential of a logarithm of x would be a power
\ln 2 (1 + x)                  an error that shows both readings
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import CLOSERS, OPENERS, Token, closing_brackets

__all__ = ["with_whole_logarithms"]

_FUNCTIONS = frozenset(("log", "log2", "log10", "exp"))
_FACTORS = frozenset(("NAME", "NUM", "SUB", "SUP", "FRAC", "THIN"))
_ONE_OVER = ["FRAC", "LBRACE", "NUM", "RBRACE"]
_ENDS = words("PLUS MINUS REL EQ DEF APPROX COMMA DOT QUAD AMP ROW BREAK TEXT IF FORALL AND OR")


def with_whole_logarithms(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with brackets around all that such a function is of."""
    tokens = _with_constants(tokens)
    closing = closing_braces(tokens)
    result: list[Token] = []
    ends: list[int] = []  # places behind which brackets close
    for place, token in enumerate(tokens):
        while ends and ends[-1] == place:
            ends.pop()
            result.append(Token("RPAR", ")", token.start, token.start))
        result.append(token)
        if token.type != "FUNC" or token.value not in _FUNCTIONS:
            continue
        reduction = _reduction_behind(tokens, place + 1, closing)
        if reduction is None:
            continue
        if [t.type for t in tokens[place + 1 : place + 5]] == _ONE_OVER:
            result.append(Token("LPAR", "(", token.end, token.end))
            ends.append(_end_of_term(tokens, reduction))
        else:
            result[-1] = _unclear(token, tokens[reduction - 1])
    last = tokens[-1].end if tokens else 0
    return result + [Token("RPAR", ")", last, last)] * len(ends)


def _with_constants(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with brackets around the number of each `\ln 2` in an exponent, and errors for those in front of brackets elsewhere."""
    exponents = _places_in_exponents(tokens)
    result: list[Token] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        is_of_number = before is not None and before.type == "FUNC" and before.value in _LOGARITHMS
        following = tokens[place + 1].type if place + 1 < len(tokens) else ""
        if token.type != "NUM" or not is_of_number or following not in _FACTORS_BEHIND:
            result.append(token)
        elif place in exponents:
            opening = Token("LPAR", "(", token.start, token.start)
            result += [opening, token, Token("RPAR", ")", token.end, token.end)]
        elif following in ("LPAR", "LSQB"):
            result[-1] = _unclear_constant(result[-1], token)
            result.append(token)
        else:
            result.append(token)
    return result


_LOGARITHMS = frozenset(("log", "log2", "log10"))
_FACTORS_BEHIND = words("LPAR LSQB FRAC NAME THIN CDOT SLASH")


def _places_in_exponents(tokens: Sequence[Token]) -> set[int]:
    r"""The places in the brackets behind `\exp`, and in the powers of `e`."""
    closing = closing_brackets(tokens)
    found: set[int] = set()
    for place, (token, after) in enumerate(pairwise(tokens)):
        is_exp = token.type == "FUNC" and token.value == "exp" and after.type in OPENERS
        is_power = token.type == "NAME" and token.value == "e" and after.type == "SUP"
        start = place + 1 if is_exp else place + 2
        if (is_exp or is_power) and start in closing:
            found |= {*range(start, closing[start])}
    return found


def _unclear_constant(function: Token, number: Token) -> Token:
    word, n = function.value, number.value
    fact = f"`\\{word} {n}` in front of brackets may be of the number, or of the product"
    fix = rf"write brackets: `\{word}({n}) (a + b)` or `\{word}\left({n} (a + b)\right)`"
    return Token("ERROR", fact, function.start, number.end, fix)


def _reduction_behind(tokens: Sequence[Token], place: int, closing: dict[int, int]) -> int | None:
    """The place of the reduction behind one factor or more; None where there is none."""
    start = place
    while place < len(tokens) and (tokens[place].type in _FACTORS or place in closing):
        place = closing.get(place, place) + 1
    is_reduction = start < place < len(tokens) and tokens[place].type == "RED"
    return place if is_reduction and tokens[start].type in ("NAME", "NUM", "FRAC") else None


def _end_of_term(tokens: Sequence[Token], place: int) -> int:
    depth = 0
    while place < len(tokens):
        kind = tokens[place].type
        if depth == 0 and (kind in _ENDS or kind in CLOSERS):
            break
        depth += (kind in OPENERS) - (kind in CLOSERS)
        place += 1
    return place


def _unclear(function: Token, last: Token) -> Token:
    word = function.value
    fact = f"`\\{word}` may be of the factors in front of the sum, or of the sum too"
    fix = rf"write brackets: `\{word}(a) \sum_i x_i` or `\{word}\left(a \sum_i x_i\right)`"
    return Token("ERROR", fact, function.start, last.end, fix)
