r"""Square brackets above names, which say a layer or a number as round ones do: `W^{[1]}` is `W^{(1)}`, and no power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["with_round_brackets"]


def with_round_brackets(tokens: Sequence[Token]) -> list[Token]:
    r"""The tokens with round brackets for the square ones that stand around all above a name; `x^{[i = j]}` is a power, 1 or 0."""
    sides: dict[int, str] = {}
    for _, _, inner in scripted(tokens, "SUP"):
        kinds = [t.type for t in inner]
        is_whole = kinds[:1] == ["LSQB"] and "RSQB" not in kinds[:-1] and kinds[-1] == "RSQB"
        if is_whole and not {"EQ", "REL", "IN"} & {*kinds}:
            sides |= {id(inner[0]): "LPAR", id(inner[-1]): "RPAR"}
    return [
        replace(t, type=sides[id(t)], value="(" if sides[id(t)] == "LPAR" else ")")
        if id(t) in sides
        else t
        for t in tokens
    ]
