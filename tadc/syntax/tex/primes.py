r"""Primes of vectors and matrices: `X'y` is the transpose in statistics, and another tensor elsewhere."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_unclear_primes"]

_PRIME = "_prime"


def with_unclear_primes(definitions: Sequence[Statement], tensors: Set[str]) -> list[Statement]:
    """The definitions, with errors for primes on `tensors`, declared with dimensions, where the name with the prime is nothing known.

    Known is what is declared, defined, or has subscripts.
    """
    known = tensors | {d.target for d in definitions}
    known |= {name for d in definitions for name in _with_subscripts(d.tokens)}
    return [
        replace(d, tokens=tuple(_checked(t, known, tensors) for t in d.tokens)) for d in definitions
    ]


def _with_subscripts(tokens: Sequence[Token]) -> set[str]:
    pairs = pairwise(tokens)
    return {t.value for t, after in pairs if t.type == "NAME" and after.type == "SUB"}


def _checked(token: Token, known: Set[str], tensors: Set[str]) -> Token:
    base = token.value.removesuffix(_PRIME)
    is_prime = token.type == "NAME" and base != token.value and base in tensors
    if not is_prime or token.value in known:
        return token
    fact = f"`{base}'` may be the transpose of `{base}`, or another tensor"
    fix = rf"write `{base}^\top` for the transpose, or declare the other one: `%!tadc input {token.value}[N]`"
    return Token("ERROR", fact, token.start, token.end, fix)
