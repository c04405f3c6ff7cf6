r"""Averages as names: `\langle A \rangle = \sum_i p_i A_i` defines `A_mean`, and `\langle E^2 \rangle` is `E_squared_mean` wherever it stands."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.token_list import Token, closing_brackets

__all__ = ["defined_averages", "with_defined_averages"]

_SEPARATORS = frozenset(("BREAK", "QUAD", "COMMA", "DOT", "TEXT", "AND"))


def defined_averages(displays: Sequence[Sequence[Token]]) -> set[str]:
    """The names of averages that are left sides."""
    return {
        name
        for tokens in displays
        for place, (name, end) in _averages(tokens).items()
        if place == 0 or tokens[place - 1].type in _SEPARATORS
        if [t.type for t in tokens[end + 1 : end + 2]] in (["EQ"], ["DEF"], ["APPROX"])
    }


def with_defined_averages(tokens: Sequence[Token], names: set[str]) -> list[Token]:
    """The tokens with one name for each of these averages."""
    averages = _averages(tokens)
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        name, end = averages.get(place, ("", place))
        if name in names:
            result.append(Token("NAME", name, tokens[place].start, tokens[end].end))
        else:
            result.append(tokens[place])
            end = place
        place = end + 1
    return result


def _averages(tokens: Sequence[Token]) -> dict[int, tuple[str, int]]:
    """The places of angles around a name, or a power of it, with the name of the average and the place of its end."""
    closing = closing_brackets(tokens)
    return {
        place: (name, closing[place])
        for place, token in enumerate(tokens)
        if token.type == "ANGLE_L" and closing.get(place, place) - place < _LONGEST
        if (name := _name(tokens[place + 1 : closing.get(place, place)]))
    }


_LONGEST = 12  # tokens


def _name(inner: Sequence[Token]) -> str:
    r"""The name of the average of `A`, `A_r` or `E^2`; nothing where something else stands in the angles."""
    if not inner or inner[0].type != "NAME":
        return ""
    closing = closing_braces(inner)
    parts = [inner[0].value]
    place = 1
    while place < len(inner):
        end = closing.get(place + 1)
        script = inner[place + 2 : end]
        if inner[place].type not in ("SUB", "SUP") or end is None or len(script) != 1:
            return ""
        if inner[place].type == "SUP" and script[0].type != "NUM":
            return ""
        is_square = inner[place].type == "SUP" and script[0].value == "2"
        parts.append("squared" if is_square else script[0].value)
        place = end + 1
    return "_".join([*parts, "mean"])
