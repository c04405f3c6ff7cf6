r"""Primes in products of letters that nothing declares: `X'X`, `x_i x_i'`, `u'Wu`, `x_i'\beta`.

In statistics they are transposes, and nobody declares what a text calls vectors and matrices; `k'x` may be a product with another number.
So they are asked about where the letter stands beside itself, and in front of a factor where it stands nowhere without the prime, or has
subscripts that the factor lacks; and behind a factor with the same subscripts, as in the matrix `\sum_i x_i z_i'`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.token_list import (
    CLOSERS,
    STARTS_OPERAND,
    Token,
    behind_scripts,
    closing_brackets,
)

__all__ = ["with_undeclared_primes"]

_PRIME = "_prime"


def with_undeclared_primes(
    tokens: Sequence[Token], known: Set[str], plain: Set[str]
) -> tuple[Token, ...]:
    r"""The tokens with errors for these primes; `known` are names that are declared, defined or bound, with or without a prime,
    `plain` those that stand in the document. Where a letter with a prime stands for itself, `\tan\phi'`, primes name numbers: then those
    in front of a factor may.
    """
    closing = closing_brackets(tokens)
    factors = _factors(tokens, closing)
    products = {place: run for run in factors for place in run}
    names_numbers = any(
        len(run) == 1 and _stands_for_itself(tokens, run[0], closing, known | plain)
        for run in factors
    )
    result = list(tokens)
    for place, token in enumerate(tokens):
        base = token.value.removesuffix(_PRIME)
        if token.type != "NAME" or base == token.value or _is_known(token, known):
            continue
        run = products.get(place, [place])
        others = [n for n in run if tokens[n].value == base]
        end = behind_scripts(tokens, place + 1, closing)
        following = next((n for n in run if n == end), None)
        is_beside_itself = any(_are_alike(tokens, place, n, closing) for n in others)
        is_in_front = following is not None and (
            (base not in plain and not names_numbers)
            or (_has_subscript(tokens, place) > _has_subscript(tokens, following))
        )
        before = next((n for n in run if behind_scripts(tokens, n + 1, closing) == place), None)
        is_outer = before is not None and _has_same_indices(tokens, before, place, closing)
        if is_beside_itself or is_in_front or is_outer:
            below = len(_indices(tokens[place + 1 : end]))
            result[place] = _unclear(token, base, below)
    return tuple(result)


def _is_known(token: Token, known: Set[str]) -> bool:
    return token.value.removesuffix(_PRIME) in known or token.value in known


def _stands_for_itself(
    tokens: Sequence[Token], place: int, closing: Mapping[int, int], others: Set[str]
) -> bool:
    """Whether it is a letter with a prime, which none of the `others` has without, and no bracket is in front of it or behind it."""
    name = tokens[place]
    end = behind_scripts(tokens, place + 1, closing)
    behind = tokens[end].type if end < len(tokens) else ""
    before = tokens[place - 1].type if place else ""
    is_primed = name.value.endswith(_PRIME) and name.value.removesuffix(_PRIME) not in others
    return is_primed and behind not in STARTS_OPERAND and before not in CLOSERS


def _factors(tokens: Sequence[Token], closing: Mapping[int, int]) -> list[list[int]]:
    """The places of letters that stand side by side, with nothing but their scripts between them, of each product."""
    runs: list[list[int]] = []
    end = -1
    for place, token in enumerate(tokens):
        if token.type != "NAME":
            continue
        if place == end:
            runs[-1].append(place)
        elif place > end or not runs:
            runs.append([place])
        else:
            runs.insert(-1, [place])  # it stands in the scripts of the one before
            continue
        end = behind_scripts(tokens, place + 1, closing)
    return runs


def _are_alike(tokens: Sequence[Token], one: int, two: int, closing: Mapping[int, int]) -> bool:
    """Whether both have the same subscripts, or the first one at most one, `x_i' x_j`: `x'_{ni} F_{ij} x_{nj}` is written by elements, and
    `p_i p_j'` is no inner product.
    """
    below = [_indices(tokens[n + 1 : behind_scripts(tokens, n + 1, closing)]) for n in (one, two)]
    return below[0] == below[1] or (one < two and max(map(len, below)) < 2)


def _has_same_indices(
    tokens: Sequence[Token], one: int, two: int, closing: Mapping[int, int]
) -> bool:
    """Whether both have the same letters below them, and some."""
    below = [_indices(tokens[n + 1 : behind_scripts(tokens, n + 1, closing)]) for n in (one, two)]
    return below[0] == below[1] != []


def _indices(scripts: Sequence[Token]) -> list[str]:
    """The letters below a name, without what is added to them: `t` of `h_{t-j}`."""
    signs = ("PLUS", "MINUS")
    pairs = pairwise(scripts)
    return [t.value for before, t in pairs if t.type == "NAME" and before.type not in signs]


def _has_subscript(tokens: Sequence[Token], place: int) -> bool:
    return any(t.type == "SUB" for t in tokens[place + 1 : place + 2])


def _unclear(token: Token, base: str, below: int) -> Token:
    """The error of a prime on a letter with so many subscripts."""
    letters = ("N", "M", "K", "L", "P")
    vector = ", ".join(letters[: below + (2 if base.isupper() and not below else 1)])
    element = ", ".join(letters[:below])
    fact = f"`{base}'` may be the transpose of `{base}`, or another number, and nothing declares either"
    fix = (
        rf"write `{as_printed(base)}^\top`, with the shape, `%!tadc input {base}[{vector}]`, for the transpose; "
        f"or declare the other one: `%!tadc input {token.value}[{element}]`"
    )
    return Token("ERROR", fact, token.start, token.end, fix)
