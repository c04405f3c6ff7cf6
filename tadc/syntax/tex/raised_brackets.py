r"""Square brackets above names, which say a layer or a number as round ones do: `W^{[1]}` is `W^{(1)}`, and no power.

`x^{[2]}` beside `x^{(2)}` is another tensor: layers have square ones then, and examples round ones.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["in_both_brackets", "with_round_brackets"]


def in_both_brackets(streams: Sequence[Sequence[Token]]) -> set[tuple[str, ...]]:
    """The names with what stands above them in square brackets and, somewhere else, in round ones."""
    found: dict[str, set[tuple[str, ...]]] = {"LSQB": set(), "LPAR": set()}
    for tokens in streams:
        for name, _, inner in scripted(tokens, "SUP"):
            if inner and inner[0].type in found:
                found[inner[0].type].add(_key(name, inner))
    return found["LSQB"] & found["LPAR"]


def _key(name: Token, inner: Sequence[Token]) -> tuple[str, ...]:
    return (name.value, *(t.value for t in inner[1:-1]))


def with_round_brackets(tokens: Sequence[Token], double: Set[tuple[str, ...]]) -> list[Token]:
    r"""The tokens with round brackets for the square ones that stand around all above a name, errors for the `double` ones that have both;
    `x^{[i = j]}` is a power, 1 or 0.
    """
    sides: dict[int, str] = {}
    errors: dict[int, Token] = {}
    for name, _, inner in scripted(tokens, "SUP"):
        kinds = [t.type for t in inner]
        is_whole = kinds[:1] == ["LSQB"] and "RSQB" not in kinds[:-1] and kinds[-1] == "RSQB"
        if is_whole and not {"EQ", "REL", "IN"} & {*kinds}:
            sides |= {id(inner[0]): "LPAR", id(inner[-1]): "RPAR"}
            if _key(name, inner) in double:
                errors[id(name)] = _unclear(name, inner)
    return [
        errors[id(t)]
        if id(t) in errors
        else replace(t, type=sides[id(t)], value="(" if sides[id(t)] == "LPAR" else ")")
        if id(t) in sides
        else t
        for t in tokens
    ]


def _unclear(name: Token, inner: Sequence[Token]) -> Token:
    shown, label = as_printed(name.value), "".join(t.value for t in inner[1:-1])
    fact = (
        f"`{shown}^{{[{label}]}}` stands beside `{shown}^{{({label})}}`, and both would be one name"
    )
    fix = rf"write a label for one of them, `{shown}^{{\mathrm{{L{label}}}}}`"
    return Token("ERROR", fact, name.start, inner[-1].end, fix)
