r"""What probabilities depend on and no formula reads: the `x` of `p(k \mid x) = \frac{e^{z_k}}{\sum_j e^{z_j}}` is left out, and `p(k)`
is an element.

So it is where the name stands behind no other bar, and nowhere else in the displays; and where all that is given is written behind
each `p`, or the prose says that it is left out, for `p(k \mid x)` beside `p(k)` may be two things.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tadc.syntax.tex.calls import calls_in, listed
from tadc.syntax.tex.script_tokens import Guess, bound_names, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["given_parameters", "without_given_parameters"]

_LEAVES_OUT = re.compile(
    r"\b(?:omit|drop|suppress|leave\s+out|skip)\w*\b[^.]{0,60}\b(?:depend|condition|argument)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Conditional:
    r"""`p(k \mid x)`: the name, what stands in front of the bar and behind it, and the places of the bar and of the closing bracket."""

    name: str
    before: tuple[Token, ...]
    behind: tuple[Token, ...]
    bar: int
    end: int


def given_parameters(displays: Sequence[Sequence[Token]], text: str) -> dict[str, str]:
    """The names of such conditionals, and what stands behind their bars."""
    found: dict[str, set[str]] = {}
    alone: set[str] = set()
    indices = {name for tokens in displays for name in _indices(tokens)}
    counts = Counter(t.value for tokens in displays for t in tokens if t.type == "NAME")
    given: Counter[str] = Counter()
    unclear: set[str] = set()
    for tokens in displays:
        conditionals = {c.end: c for c in _conditionals(tokens)}
        for call in calls_in(tokens):
            c = conditionals.get(call.end)
            if c is None:
                alone.add(call.name.value)
                continue
            found.setdefault(c.name, set()).add(_printed(c.behind))
            given.update(t.value for t in c.behind if t.type == "NAME")
            if not {t.value for t in c.before} <= indices:
                unclear.add(c.name)
    if not _LEAVES_OUT.search(text):
        unclear |= alone
    return {
        name: printed
        for name, behind in found.items()
        if name not in unclear and len(behind) == 1
        for printed in behind
        if all(given[n] == counts[n] for n in printed.split(" "))
    }


def without_given_parameters(
    tokens: Sequence[Token], names: dict[str, str], guesses: list[Guess]
) -> list[Token]:
    """The tokens without the bars of these conditionals, and what stands behind them."""
    dropped: set[int] = set()
    for c in _conditionals(tokens):
        if names.get(c.name) != _printed(c.behind):
            continue
        dropped |= {*range(c.bar, c.end)}
        text = f"`{c.name}` is given for one `{_printed(c.behind)}`, which no formula reads"
        if all(guess.text != text for guess in guesses):
            guesses.append(Guess(text, tokens[c.bar].start, tokens[c.end].end))
    return [t for place, t in enumerate(tokens) if place not in dropped]


def _conditionals(tokens: Sequence[Token]) -> Iterator[_Conditional]:
    """The conditionals of single names on both sides of the bar."""
    for call in calls_in(tokens):
        bars = [n for n, t in enumerate(call.inner) if t.type == "GIVEN"]
        if len(bars) != 1:
            continue
        before, behind = call.inner[: bars[0]], call.inner[bars[0] + 1 :]
        if all([t.type for t in p] == ["NAME"] for side in (before, behind) for p in listed(side)):
            bar = call.end - len(call.inner) + bars[0]
            names = tuple(t for t in before if t.type == "NAME")
            yield _Conditional(call.name.value, names, behind, bar, call.end)


def _printed(behind: Sequence[Token]) -> str:
    return " ".join(t.value for t in behind if t.type == "NAME")


def _indices(tokens: Sequence[Token]) -> Iterator[str]:
    """The names that sums bind, and those below names."""
    yield from bound_names(tokens)
    for _, _, inner in scripted(tokens, "SUB"):
        yield from (t.value for t in inner if t.type == "NAME")
