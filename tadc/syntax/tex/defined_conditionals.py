r"""Conditionals that the document defines and reads, `\hat{u}_{j|i} = W_{ij} u_i`, then `\sum_i c_{ij} \hat{u}_{j|i}`.

Which dimension comes first is then no matter of what is computed: that is as printed. Where nothing reads it, its order is asked for.
The conditionals of `p_{ij} = (p_{j|i} + p_{i|j}) / 2n`, which defines another `p`, have a name of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.token_list import Token

__all__ = [
    "defined_conditionals",
    "given_conditionals",
    "with_defined_conditionals",
    "with_given_conditionals",
]


def defined_conditionals(displays: Sequence[Sequence[Token]], declared: Set[str]) -> dict[str, str]:
    """The names whose elements stand on a left side and, with a condition, on a right side; and what they are called."""
    found: dict[tuple[bool, bool], set[str]] = {}
    for tokens in displays:
        for name, place, inner in scripted(tokens, "SUB"):
            behind = tokens[place + len(inner) + 3 : place + len(inner) + 4]
            is_left = [t.type for t in behind] in (["EQ"], ["DEF"])
            has_condition = any(t.type == "GIVEN" for t in inner)
            found.setdefault((is_left, has_condition), set()).add(name.value)
    defined, read = found.get((True, True), set()), found.get((False, True), set())
    others, plain = found.get((False, False), set()), found.get((True, False), set())
    names = (defined & read) - declared
    return {n: f"{n}_given" if n in plain else n for n in names - (others - plain)}


def given_conditionals(displays: Sequence[Sequence[Token]], declared: Set[str]) -> dict[str, str]:
    """The names of which a display defines elements without a condition, and reads those with one alone; and what the latter are called."""
    found: dict[str, set[tuple[bool, bool]]] = {}
    for tokens in displays:
        for name, place, inner in scripted(tokens, "SUB"):
            behind = tokens[place + len(inner) + 3 : place + len(inner) + 4]
            is_left = [t.type for t in behind] in (["EQ"], ["DEF"])
            has_condition = any(t.type == "GIVEN" for t in inner)
            found.setdefault(name.value, set()).add((is_left, has_condition))
    names = {n for n, kinds in found.items() if kinds == {(True, False), (False, True)}}
    return {n: f"{n}_given" for n in names - declared}


def with_given_conditionals(tokens: Sequence[Token], names: Mapping[str, str]) -> list[Token]:
    """The tokens with these names in front of bars."""
    new = {
        id(name): replace(name, value=names[name.value])
        for name, _, inner in scripted(tokens, "SUB")
        if name.value in names and any(t.type == "GIVEN" for t in inner)
    }
    return [new.get(id(t), t) for t in tokens]


def with_defined_conditionals(
    tokens: Sequence[Token], names: Mapping[str, str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with commas for the bars below these names, which are called otherwise where the document has both, `p_{ij}` and `p_{j|i}`."""
    new: dict[int, Token] = {}
    for name, _, inner in scripted(tokens, "SUB"):
        bars = [t for t in inner if t.type == "GIVEN"]
        if not bars or name.value not in names:
            continue
        new |= {id(t): replace(t, type="COMMA", value=",") for t in bars}
        new[id(name)] = replace(name, value=names[name.value])
        text = f"the indices of `{names[name.value]}` are in the order in which they are printed"
        if all(g.text != text for g in guesses):
            guesses.append(Guess(text, name.start, inner[-1].end))
    return [new.get(id(t), t) for t in tokens]
