r"""Greek parameters below names, `\mathrm{CVaR}_\alpha = \mathrm{VaR}_\alpha + \frac{1}{1 - \alpha} \sum_i ..`: the `\alpha` that also stands as a number
is a label of each name that it stands below alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from tadc.syntax.tex.commands import GREEK
from tadc.syntax.tex.script_tokens import (
    Guess,
    bound_names,
    left_indices,
    scripted,
    with_rewritten_scripts,
)
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["with_parameter_labels"]


def with_parameter_labels(
    displays: Sequence[Sequence[Statement]], declared: Set[str], guesses: list[Guess]
) -> list[list[Statement]]:
    """The displays with upright letters for these, of which nothing is an index and no range is printed."""
    definitions = [s for display in displays for s in display if s.kind == "definition"]
    bound = {n for d in definitions for n in bound_names(d.right)}
    bound |= {t.value for d in definitions for t in d.ranges}
    left = {
        t.value
        for d in definitions
        if len(left_indices(d.tokens)) == 1
        for t in left_indices(d.tokens)
    }
    among_others = {t.value for d in definitions for t in _among_others(d.tokens)}
    numbers = {n for d in definitions for n in _numbers(d)}
    read = {t.value for d in definitions for _, _, inner in scripted(d.right, "SUB") for t in inner}
    letters = (left & read & numbers & {*GREEK}) - bound - among_others - {"pi"}
    owners = {
        name.value
        for d in definitions
        for name, _, inner in scripted(d.tokens, "SUB")
        if [t.value for t in inner] in ([x] for x in letters)
    }
    if not letters or owners & declared:
        return [list(display) for display in displays]

    def new(name: Token, script: Sequence[Token]) -> tuple[Token, Sequence[Token]] | None:
        sign, opening, *inner, closing = script
        if sign.type != "SUB" or [t.value for t in inner] not in ([x] for x in letters):
            return None
        letter = inner[0].value
        text = f"`{name.value}_{letter}` is one name: `{letter}` is a number here"
        if all(g.text != text for g in guesses):
            guesses.append(Guess(text, name.start, inner[0].end))
        return name, [sign, opening, replace(inner[0], note="upright"), closing]

    return [
        [
            replace(s, tokens=tuple(with_rewritten_scripts(s.tokens, new)))
            if s.kind == "definition"
            else s
            for s in display
        ]
        for display in displays
    ]


def _among_others(tokens: Sequence[Token]) -> Iterator[Token]:
    """What stands below names with something else."""
    for _, _, inner in scripted(tokens, "SUB"):
        if len(inner) > 1:
            yield from inner


def _numbers(definition: Statement) -> set[str]:
    """The names that the right side has outside of scripts, without scripts of their own below them."""
    inside = {
        id(t)
        for kind in ("SUB", "SUP")
        for _, _, inner in scripted(definition.tokens, kind)
        for t in inner
    }
    inside |= {id(name) for name, _, _ in scripted(definition.tokens, "SUB")}
    return {t.value for t in definition.right if t.type == "NAME" and id(t) not in inside}
