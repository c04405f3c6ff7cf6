r"""The integrals of quantum chemistry, `(ij|kl)`: elements of a tensor of four dimensions that the paper does not name."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, bound_names, comma
from tadc.syntax.tex.statements import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["integral", "with_integrals"]

NAME = "eri"  # electron repulsion integrals
_KINDS = ["LPAR", "NAME", "NAME", "GIVEN", "NAME", "NAME", "RPAR"]


def integral(part: Sequence[Token], name: str = NAME) -> list[Token]:
    """The element that a bracket of four indices with a bar stands for."""
    opening, closing = part[0], part[-1]
    indices = [t for t in part if t.type == "NAME"]
    listed = [t for index in indices for t in (comma(index), index)][1:]
    return [
        Token("NAME", name, opening.start, opening.start),
        Token("SUB", "_", opening.start, opening.start),
        Token("LBRACE", "", opening.start, opening.end, "indices"),
        *listed,
        Token("RBRACE", "", closing.start, closing.end, "NAME"),
    ]


def with_integrals(
    definitions: Sequence[Statement], candidates: Set[str], guesses: list[Guess]
) -> list[Statement]:
    """The definitions with `eri[i, j, k, l]` for `(ij|kl)`, of four indices.

    `candidates` are declared tensors of four dimensions; where one alone is named by no formula, it is meant.
    """
    used = {t.value for d in definitions for t in d.tokens if t.type == "NAME"}
    free = candidates - used
    is_declared = len(free) == 1 and NAME not in used
    name = next(iter(free)) if is_declared else NAME
    return [_with_elements(d, name, guesses) for d in definitions]


def _with_elements(definition: Statement, name: str, guesses: list[Guess]) -> Statement:
    tokens = definition.tokens
    if not any(t.type == "GIVEN" for t in tokens):
        return definition
    bound = bound_names(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        part = tokens[place : place + len(_KINDS)]
        if not _is_integral(part, tokens[place - 1] if place else None, bound):
            result.append(tokens[place])
            place += 1
            continue
        opening, closing = part[0], part[-1]
        if not any(name in guess.text for guess in guesses):
            text = f"`(ij|kl)` is an element of a tensor, `{name}[i, j, k, l]`"
            guesses.append(Guess(text, opening.start, closing.end))
        result += integral(part, name)
        place += len(_KINDS)
    return replace(definition, tokens=tuple(result))


def _is_integral(part: Sequence[Token], before: Token | None, bound: Set[str]) -> bool:
    """Whether it is a bracket of four indices with a bar, and no argument of a function."""
    is_argument = before is not None and before.type in ("NAME", "CALLED", "FUNC")
    names = {t.value for t in part if t.type == "NAME"}
    return [t.type for t in part] == _KINDS and names <= bound and not is_argument
