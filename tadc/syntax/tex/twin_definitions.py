r"""Tensors of one letter that differ in their index, `\alpha_p` and `\alpha_q` of an image of `M` times `N`: each is a tensor of its own.

So are `H_{T,l}` and `H_{S,l}`, or `k_A` and `k_B`, which differ in a capital that no sum runs over and that is no number.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    comma,
    left_indices,
    scripted,
    with_label,
    with_rewritten_scripts,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_capital_twins", "with_twins"]


def with_twins(
    displays: Sequence[Sequence[Statement]], declared: Set[str], guesses: list[Guess]
) -> list[list[Statement]]:
    """The displays with a name for each of several definitions of one letter, where all reads have one of their indices alone."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    tensors = {name.value for d in definitions for name, _, _ in scripted(d.tokens, "SUB")}
    twins = {
        name: own for name, own in _twins(definitions, tensors).items() if name not in declared
    }
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            if name.value in twins and [t.value for t in inner] not in twins[name.value]:
                twins.pop(name.value)
    if not twins:
        return [list(display) for display in displays]
    for target, letters in twins.items():
        first = next(d for d in definitions if d.target == target)
        said = " and ".join(f"`{target}_{n}`" for (n,) in letters)
        text = f"{said} are tensors of their own: each is defined"
        guesses.append(Guess(text, first.start, first.tokens[first.equal].start))
    return [[_renamed(s, twins) for s in display] for display in displays]


def with_capital_twins(
    displays: Sequence[Sequence[Statement]], declared: Set[str], guesses: list[Guess]
) -> list[list[Statement]]:
    """The displays with a name for each of several definitions of one letter, where all that stands below it has one of their capitals."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    bound = {n for d in definitions for n in bound_names(d.right)}
    values = {n for d in definitions for n in _values(d)}  # lengths, `S_N`
    capitals: dict[str, list[str]] = defaultdict(list)
    for d in definitions:
        own = [t.value for t in left_indices(d.tokens) if t.value.isupper()]
        is_lone = [t.value for t in left_indices(d.tokens)] == own
        if len(own) == 1 and not d.ranges and not (is_lone and own[0] in values):
            capitals[d.target] += own
    below: dict[str, list[set[str]]] = defaultdict(list)
    for d in definitions:
        for name, _, inner in scripted(d.tokens, "SUB"):
            below[name.value].append({t.value for t in inner if t.type == "NAME"})
    twins = {
        name: own
        for name, own in capitals.items()
        if 1 < len({*own}) == len(own) and name not in declared and not {*own} & bound
        if all(len(letters & {*own}) == 1 for letters in below[name])
    }
    for target, letters in twins.items():
        first = next(d for d in definitions if d.target == target)
        said = " and ".join(f"`{target}_{n}`" for n in letters)
        text = f"{said} are tensors of their own: each is defined"
        guesses.append(Guess(text, first.start, first.tokens[first.equal].start))

    labels = {n for own in twins.values() for n in own}

    def is_label(name: Token, script: Sequence[Token]) -> bool:
        values = [t.value for t in script[2:-1]]
        return (
            name.value not in declared | twins.keys()
            and script[0].type == "SUB"
            and values in ([n] for n in labels)
        )

    def named(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        letters = twins.get(name.value, ())
        inner = script[2:-1]
        if is_label(name, script):  # the `v_A` beside a `k_A` and a `k_B`
            text = f"`{name.value}_{inner[0].value}` is one name, as those with this label that are defined"
            if all(g.text != text for g in guesses):
                guesses.append(Guess(text, name.start, inner[0].end))
            return name, [*script[:2], replace(inner[0], note="upright"), script[-1]]
        label = [t for t in inner if t.value in letters]
        rest = [t for t in inner if t.type == "NAME" and t.value not in letters]
        if not label or len(rest) + 1 != sum(t.type != "COMMA" for t in inner):
            return None
        if not rest:
            return with_label(name, label, script[-1].end), ()
        listed = [t for i in rest for t in (comma(i), i)][1:]
        return with_label(name, label, name.end), [*script[:2], *listed, script[-1]]

    return [
        [
            replace(s, tokens=tuple(with_rewritten_scripts(s.tokens, named)))
            if s.kind == "definition"
            else s
            for s in display
        ]
        for display in displays
    ]


def _twins(definitions: Sequence[Statement], tensors: Set[str]) -> dict[str, list[list[str]]]:
    r"""The names that are defined several times, each time with another letter below them that the right side has: an index, and no
    label such as the `x` of `\mu_x = \sum_i x_i`.
    """
    found: dict[str, list[list[str]]] = defaultdict(list)
    others: set[str] = set()
    for d in definitions:
        left = d.tokens[: d.equal]
        letters = [t.value for t in left_indices(d.tokens)]
        is_plain = len(letters) == 1 and len(left) == 5 and letters[0].islower()
        is_plain = is_plain and letters[0] in _values(d) - tensors
        if is_plain and letters not in found[d.target]:
            found[d.target].append(letters)
        else:
            others.add(d.target)
    return {n: own for n, own in found.items() if len(own) > 1 and n not in others}


def _values(definition: Statement) -> set[str]:
    """The names on the right side that stand below no other name."""
    inside = {id(t) for _, _, inner in scripted(definition.tokens, "SUB") for t in inner}
    return {t.value for t in definition.right if t.type == "NAME" and id(t) not in inside}


def _renamed(statement: Statement, twins: Mapping[str, Sequence[Sequence[str]]]) -> Statement:
    names: dict[int, Token] = {}
    for name, _, inner in scripted(statement.tokens, "SUB"):
        if name.value in twins:
            names[id(name)] = replace(name, value=f"{name.value}_{inner[0].value}")
    return replace(statement, tokens=tuple(names.get(id(t), t) for t in statement.tokens))
