r"""Functions without brackets in front of factors that may or may not belong to what they are of.

\cos 2\pi (u x + v y)       of the product: what stands in front of the bracket is a number, or a letter of frequencies
\cos\theta_i (a + b)        an error that shows both readings
\log a (b + c)              an error
\log \frac{a}{b} c          an error
\cos \mathbf{q} \cdot \mathbf{r} an error: an inner product, or the cosine times something
\cos\theta x - \sin\theta y an error: an angle in front of a letter, as in a rotation
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from typing import NamedTuple

from tadc.syntax.tex.commands import FUNCTION_LETTERS, words
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["with_unclear_arguments"]

_OF_ANGLES = words("sin cos tan")
_OF_PRODUCTS = _OF_ANGLES | words("sinh cosh tanh exp")
_LOGARITHMS = words("log log2 log10")
_ANGLES = words("theta phi varphi vartheta psi alpha beta gamma")
# What multiplies a difference or a sum inside of a function: frequencies, wave numbers, orders, inverse temperatures.
_FREQUENCIES = words("pi omega Omega nu kappa k q n m f beta lambda")


_SIZES = re.compile(r"\\(?:left|right|[bB]igg?[lr]?)(?![A-Za-z])\s*")  # of brackets


_WORD_END = re.compile(
    r"(?:[\s{]|\\[,;:! ])+$"
)  # of the `\cos{` and `\cos\,` in front of an argument


class _Factor(NamedTuple):
    """The places of a factor's first token and behind its last one."""

    start: int
    end: int


def with_unclear_arguments(
    tokens: Sequence[Token], text: str, vectors: Container[str] = ()
) -> list[Token]:
    """The tokens, places of `text`, with errors for functions of which nothing tells how far their argument reaches; `vectors` are declared."""
    closing = closing_brackets(tokens)
    errors: dict[int, Token] = {}
    for place, function in enumerate(tokens):
        if function.type != "FUNC" or function.value not in _OF_PRODUCTS | _LOGARITHMS:
            continue
        if (behind := _factor_behind_quotient(tokens, place, closing)) is not None:
            quotient = _Factor(place + 1, behind.start)
            errors[place] = _unclear(function, tokens, [quotient], behind, text)
            continue
        factors = list(_factors(tokens, behind_scripts(tokens, place + 1, closing), closing))
        if not factors or tokens[factors[0].start].type not in ("NAME", "NUM"):
            continue
        behind = _behind_space(tokens, function, factors, closing)
        if behind is None:
            behind = _behind_dot(tokens, function, factors, closing, vectors)
        if behind is not None:
            reach = _Factor(factors[0].start, factors[-1].end)
            errors[place] = _unclear(function, tokens, [reach], behind, text)
        elif _is_rotation(tokens, function, factors):
            errors[place] = _unclear(function, tokens, factors[:1], factors[1], text)
        elif (count := _unclear_bracket(tokens, function, factors, closing)) is not None:
            errors[place] = _unclear(function, tokens, factors[:count], factors[count], text)
    return [errors.get(place, token) for place, token in enumerate(tokens)]


def _factor_behind_quotient(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int]
) -> _Factor | None:
    r"""The `r_i` of `\log \frac{p_i}{q_i} r_i`: of the logarithm, or a factor?"""
    kinds = [t.type for t in tokens[place + 1 : place + 3]]
    if tokens[place].value not in _LOGARITHMS or kinds != ["FRAC", "LBRACE"]:
        return None
    end = closing.get(closing.get(place + 2, len(tokens)) + 1, len(tokens)) + 1
    return next(_factors(tokens, end, closing), None)


def _factors(tokens: Sequence[Token], place: int, closing: Mapping[int, int]) -> Iterator[_Factor]:
    """The factors that stand side by side from here on: names and numbers with their scripts, up to the first bracket."""
    while place < len(tokens):
        token = tokens[place]
        if token.type in ("LPAR", "LSQB") and place in closing:
            yield _Factor(place, closing[place] + 1)
            return
        if token.type not in ("NAME", "NUM"):
            return
        end = behind_scripts(tokens, place + 1, closing)
        yield _Factor(place, end)
        place = end


def _is_rotation(tokens: Sequence[Token], function: Token, factors: Sequence[_Factor]) -> bool:
    r"""Whether it is the `\cos\theta x` of a rotation: an angle alone, in front of a Latin letter that is no time."""
    if len(factors) < 2 or function.value not in _OF_ANGLES:
        return False
    angle, other = tokens[factors[0].start], tokens[factors[1].start]
    is_letter = (
        other.type == "NAME" and other.value[:1].isascii() and other.value not in ("t", "e", "pi")
    )
    return _base(angle) in _ANGLES and is_letter and len(other.value.split("_")[0]) == 1


def _behind_space(
    tokens: Sequence[Token],
    function: Token,
    factors: Sequence[_Factor],
    closing: Mapping[int, int],
) -> _Factor | None:
    r"""The `t_i` of `\cos\omega\,t_i` and `\sin k\,x_i`, behind what multiplies an argument: a space ends the argument, or parts its factors."""
    end = factors[-1].end
    if function.value not in _OF_PRODUCTS or not _is_frequency(tokens, factors):
        return None
    is_spaced = [t.type for t in tokens[end : end + 2]] == ["THIN", "NAME"]
    return next(_factors(tokens, end + 1, closing), None) if is_spaced else None


def _behind_dot(
    tokens: Sequence[Token],
    function: Token,
    factors: Sequence[_Factor],
    closing: Mapping[int, int],
    vectors: Container[str],
) -> _Factor | None:
    r"""What follows the dot of `\cos \mathbf{q} \cdot \mathbf{r}_j` or `\cos\omega \cdot t_i`: of an inner product, or of what multiplies
    an argument; a dot ends others.
    """
    end = factors[-1].end
    if [t.type for t in tokens[end : end + 2]] != ["CDOT", "NAME"]:
        return None
    last, following = tokens[factors[-1].start], tokens[end + 1]
    are_vectors = all(t.note == "bold" or t.value in vectors for t in (last, following))
    is_whole = factors[-1].end == factors[-1].start + 1 or last.note == "bold"
    is_inner = last.type == "NAME" and are_vectors and is_whole
    is_part = function.value in _OF_PRODUCTS and _is_frequency(tokens, factors)
    return next(_factors(tokens, end + 1, closing), None) if is_inner or is_part else None


def _is_frequency(tokens: Sequence[Token], factors: Sequence[_Factor]) -> bool:
    r"""Whether it is the `2 \pi f` or `\omega` that multiplies an argument."""
    names = [tokens[f.start] for f in factors]
    is_part = all(t.type == "NUM" or _base(t) in _FREQUENCIES for t in names)
    has_scripts = any(f.end > f.start + 1 for f in factors)
    return is_part and any(t.type == "NAME" for t in names) and not has_scripts


def _unclear_bracket(
    tokens: Sequence[Token],
    function: Token,
    factors: Sequence[_Factor],
    closing: Mapping[int, int],
) -> int | None:
    """The number of factors in front of a bracket around a sum that may be one more; None where there is no such bracket."""
    *before, last = factors
    if not before or tokens[last.start].type not in ("LPAR", "LSQB"):
        return None
    inner = tokens[last.start + 1 : closing[last.start]]
    if not any(t.type in ("PLUS", "MINUS") for t, depth in depths(inner) if depth == 0):
        return None
    nearest = tokens[before[-1].start]
    if nearest.value in FUNCTION_LETTERS | {"sigma"} and before[-1].end == before[-1].start + 1:
        return None  # `\log \Gamma(x + 1)`
    is_product = nearest.type == "NUM" or _base(nearest) in _FREQUENCIES
    if function.value in _OF_PRODUCTS and is_product:
        return None
    return len(before)


def _base(token: Token) -> str:
    return token.value.split("_")[0] if token.type == "NAME" else ""


def _unclear(
    function: Token,
    tokens: Sequence[Token],
    before: Sequence[_Factor],
    behind: _Factor,
    text: str,
) -> Token:
    """The error of a function, with both readings as they would be printed."""
    start, end = tokens[before[0].start].start, tokens[before[-1].end - 1].end
    word, inside = _WORD_END.sub("", text[function.start : start]), text[start:end]
    last = tokens[behind.end - 1].end
    following = _SIZES.sub("", text[tokens[behind.start].start : last])
    what = "letter" if tokens[behind.start].type == "NAME" else "bracket"
    is_dot = tokens[behind.start - 1].type == "CDOT"
    product = rf"{inside} \cdot {following}" if is_dot else f"{inside} {following}"
    fact = f"`{text[function.start : function.end]}` may be of what stands in front of the {what}, or of the product with it"
    fix = f"write `{word}({inside}) \\cdot {following}` or `{word}({product})`"
    return Token("ERROR", fact, function.start, last, fix)
