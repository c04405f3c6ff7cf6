r"""Units, which are no factors: in brackets behind a formula or its left side, `\quad [\text{bit/s}]` and `\;[\mathrm{dB}]`, and behind
a number or at the end, `273.15\,\mathrm{K} + t` and `10 \log_{10} p\ \text{dB}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from tadc.syntax.tex.commands import words
from tadc.syntax.tex.script_tokens import Guess
from tadc.syntax.tex.token_list import ENDS_OPERAND, Token, closing_brackets

__all__ = ["bare_units", "without_units"]

_ENDS = frozenset(("BREAK", "COMMA", "DOT", "QUAD", "TEXT", "EQ", "DEF"))
_INSIDE = frozenset(("SLASH", "THIN", "CDOT", "SUP", "LBRACE", "RBRACE", "MINUS", "NUM"))
_BEFORE = {"LSQB": ("QUAD", "THIN"), "LPAR": ("QUAD",)}  # spaces


_UNITS = words(
    "K m s g A V W J N C F H T mol cd rad sr Hz Pa eV keV MeV GeV dB dBm kHz MHz GHz ms ns nm mm cm km kg mg mV kV mA kW MW kWh kJ kPa hPa"
    " MPa GPa min yr kcal ppm pc kpc Mpc"
)


def bare_units(streams: Sequence[Sequence[Token]], declared: Set[str]) -> set[str]:
    """The upright names that are units wherever they stand in these formulas."""
    units = {t.value for tokens in streams for t in _bare(tokens)} - declared
    inside = {id(t) for tokens in streams for t in _bare(tokens)}
    others = {t.value for tokens in streams for t in tokens if id(t) not in inside}
    return units - others


def _bare(tokens: Sequence[Token]) -> Iterator[Token]:
    """The upright names of units behind a number, and those of two letters and more that end a formula."""
    for place, token in enumerate(tokens):
        if token.type != "NAME" or token.note != "upright" or token.value not in _UNITS:
            continue
        before = tokens[place - 2 : place] if place > 1 else tokens[:place]
        is_apart = bool(before) and before[-1].type == "THIN"
        number = before[-2:-1] if is_apart else before[-1:]
        behind = tokens[place + 1].type if place + 1 < len(tokens) else "BREAK"
        is_last = behind in _ENDS and len(token.value) > 1 and bool(before)
        is_last = is_last and before[-1].type in ENDS_OPERAND | {"THIN"}
        of_number = [t.type for t in number] == ["NUM"] and (is_apart or len(token.value) > 1)
        if (of_number or is_last) and behind not in ("SUB", "SUP", "LPAR", "LSQB"):
            yield token


def without_units(
    tokens: Sequence[Token], declared: Set[str], units: Set[str], guesses: list[Guess]
) -> list[Token]:
    """The tokens without such brackets and `units`; `declared` names are no units."""
    closing = closing_brackets(tokens)
    dropped: set[int] = set()
    for place, token in enumerate(tokens):
        if token.type == "NAME" and token.value in units:
            is_apart = tokens[place - 1].type == "THIN"
            dropped |= {place, place - 1} if is_apart else {place}
            guesses.append(
                Guess(f"`{token.value}` is a unit, and no factor", token.start, token.end)
            )
    for place, token in enumerate(tokens):
        end = closing.get(place, 0)
        is_apart = place > 0 and tokens[place - 1].type in _BEFORE.get(token.type, ())
        is_last = end + 1 == len(tokens) or (end and tokens[end + 1].type in _ENDS)
        if is_apart and is_last and _is_unit(tokens[place + 1 : end], declared):
            dropped |= {*range(place, end + 1)}
            text = "what stands in brackets behind a formula, upright, is a unit or a remark"
            guesses.append(Guess(text, token.start, tokens[end].end))
    return [t for place, t in enumerate(tokens) if place not in dropped]


def _is_unit(inner: Sequence[Token], declared: Set[str]) -> bool:
    named = [t for t in inner if t.type == "TEXT" or (t.type == "NAME" and t.note == "upright")]
    named += [t for t in inner if t.type == "ERROR" and t.value.startswith(_UPRIGHT)]
    others = {t.type for t in inner if t not in named}
    return bool(named) and others <= _INSIDE and not {t.value for t in named} & declared


_UPRIGHT = r"`\mathrm` stands around more"  # `\mathrm{m\,s^{-1}}`
