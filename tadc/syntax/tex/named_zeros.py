r"""A `\rho_0` that the prose speaks of by itself, "where $\rho_0$ is the distance of influence".

Beside elements `\rho_i` for `i` from 1 on it is a number of its own, and no element in front of the first; in front of a bracket,
`\rho_0 (1 + \alpha T_i)`, it is a factor. Sequences have an element 0: `x_0`, where `x_{t-1}` is read, or ranges or lists begin at 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, equal_place, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["named_zeros", "with_named_zeros"]

_ELEMENT = ["NAME", "SUB", "LBRACE", "NUM", "RBRACE"]


def named_zeros(
    streams: Sequence[Sequence[Token]], in_prose: Sequence[bool], declared: Set[str]
) -> set[str]:
    """The names of which the prose names one with a 0 below alone, that displays read beside elements, or scale a bracket by."""
    spoken: set[str] = set()
    read: set[str] = set()
    sequences: set[str] = set()
    indexed: set[str] = set()
    for tokens, is_prose in zip(streams, in_prose, strict=True):
        if is_prose and [t.type for t in tokens] == _ELEMENT:
            spoken |= set(_with_zero(tokens))
            continue
        equal = equal_place(tokens)
        read |= {*_with_zero(tokens[equal:])} if not is_prose else set()
        sequences |= {*_with_zero(tokens[:equal])}
        indexed |= {*_scaling(tokens[equal:])}
        for name, _, inner in scripted(tokens, "SUB"):
            if any(t.type in ("PLUS", "MINUS") for t in inner):
                sequences.add(name.value)
            elif any(t.type == "NAME" for t in inner):
                indexed.add(name.value)
        if any(t.type == "DOTS" for t in tokens):
            sequences |= {*_with_zero(tokens)}
    if any(_begins_at_zero(tokens) for tokens in streams):
        return set()
    return (spoken & read & indexed) - sequences - declared


def with_named_zeros(tokens: Sequence[Token], names: Set[str], guesses: list[Guess]) -> list[Token]:
    """The tokens with one name for each of these with a 0 below."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        whole = tokens[place : place + len(_ELEMENT)]
        if whole[0].value in names and [*_with_zero(whole)]:
            name = replace(whole[0], value=f"{whole[0].value}_0", end=whole[-1].end)
            text = f"`{name.value}` is one name: the prose speaks of it, and nothing begins at 0"
            if all(g.text != text for g in guesses):
                guesses.append(Guess(text, name.start, name.end))
            result.append(name)
            place += len(whole)
            if [*_scaling(tokens[place - len(whole) :][:8])]:
                result.append(Token("THIN", "", name.end, name.end))
        else:
            result.append(whole[0])
            place += 1
    return result


def _with_zero(tokens: Sequence[Token]) -> Iterator[str]:
    """The names with nothing but a 0 below them."""
    for name, _, inner in scripted(tokens, "SUB"):
        if [(t.type, t.value) for t in inner] == [("NUM", "0")]:
            yield name.value


def _scaling(tokens: Sequence[Token]) -> Iterator[str]:
    """The names with a 0 below them in front of a sum with a number, `(1 + ..)`."""
    for place, name in enumerate(tokens):
        kinds = [t.type for t in tokens[place : place + 8]]
        is_sum = kinds[5:7] in (["LPAR", "NUM"], ["LSQB", "NUM"]) and kinds[7:] in _SIGNS
        if kinds[:5] == _ELEMENT and tokens[place + 3].value == "0" and is_sum:
            yield name.value


_SIGNS = (["PLUS"], ["MINUS"])


def _begins_at_zero(tokens: Sequence[Token]) -> bool:
    """Whether a range begins at 0, `i = 0`."""
    kinds = [t.type for t in tokens]
    return any(
        kinds[n : n + 3] == ["NAME", "EQ", "NUM"] and tokens[n + 2].value == "0"
        for n in range(len(tokens))
    )
