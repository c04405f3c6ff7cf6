r"""The integrals of quantum chemistry, `(ij|kl)`, `\langle ij | kl \rangle` and `\langle ij \| kl \rangle`: elements of tensors of
four dimensions that the paper does not name, one for each kind of brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, bound_names, comma
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["integral", "with_integrals"]

NAME = "eri"  # electron repulsion integrals
_ROUND = ["LPAR", "NAME", "NAME", "GIVEN", "NAME", "NAME", "RPAR"]
_ANGLES = ["ANGLE_L", *_ROUND[1:-1], "ANGLE_R"]


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

    `candidates` are declared tensors of four dimensions; where one alone is named by no formula, and the document has integrals of
    one kind, it is meant.
    """
    used = {t.value for d in definitions for t in d.tokens if t.type == "NAME"}
    free = candidates - used
    kinds = {name for d in definitions for _, name in _integrals(d.tokens)}
    is_declared = len(free) == len(kinds) == 1 and not kinds & used
    names = {kind: next(iter(free)) if is_declared else kind for kind in kinds}
    return [_with_elements(d, names, guesses) for d in definitions]


def _integrals(tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
    """The places of integrals, and the name for their kind."""
    if not any(t.type == "GIVEN" for t in tokens):
        return
    bound = bound_names(tokens)
    for place in range(len(tokens)):
        part = tokens[place : place + len(_ROUND)]
        if _is_integral(part, tokens[place - 1] if place else None, bound):
            yield place, _name(part)


def _name(part: Sequence[Token]) -> str:
    if part[0].type == "LPAR":
        return NAME
    return f"{NAME}_antisymmetric" if part[3].note == "double" else f"{NAME}_angles"


def _with_elements(
    definition: Statement, names: Mapping[str, str], guesses: list[Guess]
) -> Statement:
    tokens = definition.tokens
    result: list[Token] = []
    before = 0
    for place, kind in _integrals(tokens):
        part = tokens[place : place + len(_ROUND)]
        name = names[kind]
        if not any(f"`{name}[" in guess.text for guess in guesses):
            text = f"a bracket of four indices is an element of a tensor, `{name}[i, j, k, l]`"
            guesses.append(Guess(text, part[0].start, part[-1].end))
        result += [*tokens[before:place], *integral(part, name)]
        before = place + len(_ROUND)
    return replace(definition, tokens=(*result, *tokens[before:]))


def _is_integral(part: Sequence[Token], before: Token | None, bound: Set[str]) -> bool:
    """Whether it is a bracket of four indices with a bar, and no argument of a function."""
    is_argument = before is not None and before.type in ("NAME", "CALLED", "FUNC")
    names = {t.value for t in part if t.type == "NAME"}
    is_bracket = [t.type for t in part] in (_ROUND, _ANGLES)
    return is_bracket and names <= bound and not is_argument
