r"""The density of the normal distribution, `\mathcal{N}(x \mid \mu, \sigma^2)`, written out where nothing else says what it is.

The last argument is the variance where it is printed as one: as a power, `\sigma_k^2` or `\beta^{-1}`, or as a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import pi

from tadc.syntax.tex.calls import Call, listed, with_rewritten
from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token

__all__ = ["with_densities"]


def with_densities(tokens: Sequence[Token], guesses: list[Guess]) -> list[Token]:
    """The tokens with densities of the normal distribution written out; those on left sides stay."""

    def rewritten(call: Call) -> tuple[list[Token], int] | None:
        if not _is_density(call, tokens):
            return None
        parts = _parts(call)
        if (fact := _unclear(parts)) is not None:
            return [_error(call, fact)], call.end + 1
        text = r"`\mathcal{N}(..)` is the density of the normal distribution, its last argument the variance"
        if all(guess.text != text for guess in guesses):
            guesses.append(Guess(text, call.name.start, tokens[call.end].end))
        return _density(*parts, at=call.name), call.end + 1

    return with_rewritten(tokens, rewritten)


def _is_density(call: Call, tokens: Sequence[Token]) -> bool:
    behind = tokens[call.end + 1 : call.end + 2]
    is_left = bool(behind) and behind[0].type in ("EQ", "DEF")
    is_named = call.name.value == "N" and call.name.note == "calligraphic" and not call.below
    return is_named and not is_left and len(_parts(call)) == 3


def _parts(call: Call) -> list[list[Token]]:
    """What is given, the mean and the variance."""
    return listed([replace(t, type="COMMA") if t.type == "GIVEN" else t for t in call.inner])


def _unclear(parts: Sequence[Sequence[Token]]) -> str | None:
    """What may be meant otherwise, if something is: vectors, or a standard deviation."""
    if any(t.note == "bold" or t.value in ("Sigma", "I") for part in parts for t in part):
        return "this is the density of a vector, which takes an inverse and a determinant"
    variance = parts[2]
    is_number = [t.type for t in variance] == ["NUM"]
    is_power = any(t.type == "SUP" and depth == 0 for t, depth in depths(variance))
    if is_number or is_power:
        return None
    return (
        "the last argument of a normal distribution may be its variance or its standard deviation"
    )


def _error(call: Call, fact: str) -> Token:
    fix = (
        r"write the variance as a power, `\mathcal{N}(x \mid \mu, \sigma^2)`, or the density itself,"
        r" `\frac{1}{\sqrt{2 \pi v}} \exp(-\frac{(x - \mu)^2}{2 v})`"
    )
    return Token("ERROR", fact, call.name.start, call.inner[-1].end, fix)


def _density(
    x: Sequence[Token], mean: Sequence[Token], variance: Sequence[Token], *, at: Token
) -> list[Token]:
    r"""`\frac{1}{\sqrt{2 \pi v}} \exp(-\frac{(x - \mu)^2}{2 v})`; the number of the circle, for `\pi` may be a tensor."""

    def sign(kind: str, value: str = "") -> Token:
        return Token(kind, value, at.start, at.end)

    def braced(*inner: Token) -> list[Token]:
        return [sign("LBRACE"), *inner, sign("RBRACE")]

    def bracket(*inner: Token) -> list[Token]:
        return [sign("LPAR", "("), *inner, sign("RPAR", ")")]

    twice = [sign("NUM", "2"), sign("CDOT", r"\times"), *bracket(*variance)]
    circle = [sign("NUM", repr(2 * pi)), sign("CDOT", r"\times"), *bracket(*variance)]
    distance = bracket(*bracket(*x), sign("MINUS", "-"), *bracket(*mean))
    square = [*distance, sign("SUP", "^"), *braced(sign("NUM", "2"))]
    root = [sign("SQRT", r"\sqrt"), *braced(*circle)]
    quotient = [sign("FRAC", r"\frac"), *braced(*square), *braced(*twice)]
    factor = [sign("FRAC", r"\frac"), *braced(sign("NUM", "1")), *braced(*root)]
    return bracket(*factor, sign("FUNC", "exp"), *bracket(sign("MINUS", "-"), *quotient))
