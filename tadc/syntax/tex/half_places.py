r"""Elements at half places, the `f_{i+1/2}` between cells: elements of a tensor of their own, `f_half`.

f_{i+1/2} - f_{i-1/2}      `f_half[i + 1] - f_half[i]`: the lowest place that is read is `i`
f_{i+1/2} = ..             `f_half[i] = ..`: where one is defined, its place is `i`
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import Guess, scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["Half", "at_half_places_alone", "half_places", "with_half_places"]

Half: TypeAlias = "tuple[str, str]"  # a name, and the indices that halves stand behind


@dataclass(frozen=True, slots=True)
class _Half:
    """An odd number of halves in a subscript: its tokens from `start` to `end`, the sign first."""

    halves: int
    start: int
    end: int


def half_places(streams: Sequence[Sequence[Token]]) -> dict[Half, int]:
    """The elements at half places, and how many halves stand below the place `i` of each."""
    lowest: dict[Half, int] = {}
    defined: dict[Half, int] = {}
    for tokens in streams:
        closing = closing_braces(tokens)
        for name, place, inner in scripted(tokens, "SUB"):
            halves = [*_halves(inner)]
            if not halves:
                continue
            key = name.value, _letters(inner, halves)
            least = min(h.halves for h in halves)
            lowest[key] = min(lowest.get(key, least), least)
            if _is_defined(tokens, name, closing[place + 1]):
                defined[key] = least
    return lowest | defined


def with_half_places(
    tokens: Sequence[Token], firsts: Mapping[Half, int], alone: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens with elements of tensors of their own in place of those at half places, and with these in the shapes of names that
    are `alone` there.
    """
    result = list(tokens)
    closing = closing_braces(tokens)
    places = {id(t): n for n, t in enumerate(tokens)}
    for name, place, inner in reversed([*scripted(tokens, "SUB")]):
        halves = [*_halves(inner)]
        if not halves:
            continue
        letters = _letters(inner, halves)
        is_one = sum(base == name.value for base, _ in firsts) == 1
        new = f"{name.value}_half" if is_one else f"{name.value}_half_{letters}"
        below = list(inner)
        for half in reversed(halves):
            count = (half.halves - firsts[name.value, letters]) // 2
            below[half.start : half.end] = _moved(count, inner[half.start])
        text = f"`{name.value}` at half places is a tensor of its own, `{new}`"
        if all(guess.text != text for guess in guesses):
            guesses.append(Guess(text, name.start, inner[-1].end))
        result[place + 2 : closing[place + 1]] = below
        result[places[id(name)]] = replace(name, value=new)
    end = next((n for n, t in enumerate(result) if t.type == "IN"), 0)
    shaped = (
        replace(t, value=f"{t.value}_half") if t.type == "NAME" and t.value in alone else t
        for t in result[:end]
    )
    return [*shaped, *result[end:]]


def at_half_places_alone(
    streams: Sequence[Sequence[Token]], firsts: Mapping[Half, int]
) -> set[str]:
    r"""The names that stand at half places wherever they have subscripts, of one tensor: its shape is said of the name, `f \in \mathbb{R}^{N-1}`."""
    names = Counter(base for base, _ in firsts)
    elsewhere = {
        name.value
        for tokens in streams
        for name, _, inner in scripted(tokens, "SUB")
        if not [*_halves(inner)]
    }
    return {name for name, count in names.items() if count == 1} - elsewhere


def _letters(inner: Sequence[Token], halves: Sequence[_Half]) -> str:
    """The indices that the halves stand behind."""
    return "".join(inner[h.start - 1].value for h in halves)


def _halves(inner: Sequence[Token]) -> Iterator[_Half]:
    r"""The `+1/2`, `-3/2` and `+\frac{1}{2}` behind a letter."""
    for place in range(1, len(inner) - 3):
        sign, behind = inner[place], inner[place + 1 :]
        if sign.type not in ("PLUS", "MINUS") or inner[place - 1].type != "NAME":
            continue
        kinds = [t.type for t in behind[:7]]
        number, length = "", 0
        if kinds[:3] == ["NUM", "SLASH", "NUM"] and behind[2].value == "2":
            number, length = behind[0].value, 4
        elif (
            kinds == ["FRAC", "LBRACE", "NUM", "RBRACE", "LBRACE", "NUM", "RBRACE"]
            and behind[5].value == "2"
        ):
            number, length = behind[2].value, 8
        if number.isdigit() and int(number) % 2:
            value = int(number) if sign.type == "PLUS" else -int(number)
            yield _Half(value, place, place + length)


def _moved(count: int, sign: Token) -> list[Token]:
    """The tokens of `+ count`; none for 0."""
    if not count:
        return []
    kind, value = ("PLUS", "+") if count > 0 else ("MINUS", "-")
    return [replace(sign, type=kind, value=value), replace(sign, type="NUM", value=str(abs(count)))]


def _is_defined(tokens: Sequence[Token], name: Token, end: int) -> bool:
    """Whether the element, whose subscript ends at `end`, is the left side of a definition."""
    place = next(n for n, t in enumerate(tokens) if t is name)
    begins = place == 0 or tokens[place - 1].type in ("BREAK", "COMMA", "QUAD", "TEXT", "DOT")
    return begins and end + 1 < len(tokens) and tokens[end + 1].type in ("EQ", "DEF")
