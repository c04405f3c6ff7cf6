r"""A `d` behind a thin space and in front of a name, `\sum_i f_i \, dx_i`: the sign of a differential, or a number, which would multiply."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.commands import REFUSED
from tadc.syntax.tex.script_tokens import LONGEST_SCRIPT
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["has_distance", "several_steps", "with_unclear_differentials"]

_SPACES = frozenset(("THIN", "QUAD"))


def has_distance(streams: Sequence[Sequence[Token]]) -> bool:
    """Whether a `d` stands somewhere in front of no name, and in no script: it is a number then."""
    return any(_alone(tokens) for tokens in streams)


def _alone(tokens: Sequence[Token]) -> bool:
    letters = {n for n, t in enumerate(tokens) if (t.type, t.value) == ("NAME", "d")}
    places = letters - {*_differentials(tokens)}
    if not places:
        return False
    closing = closing_brackets(tokens)
    scripts = [
        range(n + 2, closing.get(n + 1, n + 2))
        for n, t in enumerate(tokens)
        if t.type in ("SUB", "SUP")
    ]
    inside = {place for script in scripts if len(script) < LONGEST_SCRIPT for place in script}
    return bool(places - inside)


def several_steps(streams: Sequence[Sequence[Token]]) -> bool:
    r"""Whether a `d` touches different letters, as in `\sqrt{dx_i^2 + dy_i^2}`."""
    touched = {
        tokens[place + 1].value
        for tokens in streams
        for place in _differentials(tokens)
        if tokens[place].end == tokens[place + 1].start
    }
    return len(touched) > 1


def with_unclear_differentials(tokens: Sequence[Token], *, everywhere: bool) -> list[Token]:
    """The tokens with an error for each `d` that nothing sets apart from the name behind, and that space sets apart from what is in front, or
    `everywhere`; an integral has its own sign.
    """
    result = list(tokens)
    if any(t.type == "ERROR" and t.value == REFUSED["int"][0] for t in tokens):
        return result
    for place in _differentials(tokens):
        name = tokens[place + 1]
        is_apart = everywhere or (place > 0 and tokens[place - 1].type in _SPACES)
        if is_apart and tokens[place].end == name.start:
            shown = as_printed(name.value)
            fact = f"`d {shown}` may be the step of `{shown}`, or a product with a number `d`"
            fix = rf"write `\Delta {shown}` for the step, or the product with a sign, `d \cdot {shown}`"
            result[place] = replace(tokens[place], type="ERROR", value=fact, note=fix)
    return result


def _differentials(tokens: Sequence[Token]) -> Iterator[int]:
    """The places of a `d` with a name behind it."""
    for place, (token, after) in enumerate(pairwise(tokens)):
        if (token.type, token.value, token.note) == ("NAME", "d", "") and after.type == "NAME":
            yield place
