r"""Concentrations of chemistry, `[\mathrm{S}]`: square brackets around one name, in a document where they are no subscripts; those around
what a rate is of, `[X_i]` beside `\frac{d[X_i]}{dt}`; and those of ions, `[\mathrm{K}^+]_o`, whose charge is no power.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from itertools import pairwise

from tadc.syntax.tex.token_list import Token, behind_scripts, closing_brackets

__all__ = ["concentrations", "with_concentrations"]

_OPERANDS = frozenset(("NAME", "RBRACE", "RGROUP", "RPAR", "RSQB", "NUM"))
_CHARGE = frozenset(("PLUS", "MINUS", "NUM"))


def concentrations(streams: Sequence[Sequence[Token]], bound: Set[str]) -> set[str]:
    """The names that stand alone in such brackets, none of them behind a name only, `k` and roman capitals aside; or behind the `d` of a rate. They are upright, or
    capitals that are not `bound`; an upright name with a charge is one anywhere.
    """
    found: dict[str, list[bool]] = {}
    certain: set[str] = set()
    for tokens in streams:
        brackets = dict(_bracketed(tokens))
        for place, end in brackets.items():
            name = tokens[place + 1]
            is_behind = place > 0 and tokens[place - 1].type in _OPERANDS
            is_behind = is_behind and _before_scripts(tokens, place) not in brackets.values()
            is_upright = name.note == "upright"
            is_roman = is_upright and name.value[:1].isupper() and name.value not in bound
            is_behind = is_behind and not is_roman and not _is_rate(tokens, place)
            is_species = name.value.isupper() and name.note in ("", "upright", "italic")
            is_species = is_species and name.value not in bound
            if end == place + 2 and (is_upright or is_species):
                found.setdefault(name.value, []).append(is_behind)
            if is_upright and _charge(tokens, place, end):
                certain.add(name.value)
            if [t.value for t in tokens[max(place - 2, 0) : place]] == ["{", "d"]:
                certain.add(name.value)
    return certain | {name for name, behind in found.items() if not all(behind)}


def _before_scripts(tokens: Sequence[Token], place: int) -> int:
    r"""The place of what ends in front of `place`, scripts aside: that of the first `]` for the second bracket of `[A]^2 [B]`."""
    opening = {end: start for start, end in closing_brackets(tokens).items()}
    before = place - 1
    while before > 0 and tokens[before].type == "RBRACE":
        low = opening.get(before, 0)
        if not low or tokens[low - 1].type not in ("SUB", "SUP"):
            break
        before = low - 2
    return before


def _is_rate(tokens: Sequence[Token], place: int) -> bool:
    r"""Whether the letter of rate constants stands in front, `k [A]` or `k_1 [A]`."""
    before = place - 1
    if tokens[before].type == "RBRACE":
        opening = {end: start for start, end in closing_brackets(tokens).items()}
        low = opening.get(before, 1)
        before = low - 2 if tokens[low - 1].type == "SUB" else before
    return before >= 0 and (tokens[before].type, tokens[before].value) == ("NAME", "k")


def with_concentrations(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with the name alone for the brackets around it; round ones where a letter stands above, which is a power."""
    ends = {p: end for p, end in _bracketed(tokens) if tokens[p + 1].value in names}
    raised = {p: end for p, end in ends.items() if _is_raised(tokens[end + 1 : end + 4])}
    sides = dict.fromkeys(raised, "(") | dict.fromkeys(raised.values(), ")")
    ends = {p: end for p, end in ends.items() if p not in raised}
    dropped = {*ends, *ends.values()}
    for place, end in (*ends.items(), *raised.items()):
        if tokens[place + 1].note == "upright":
            dropped |= {*_charge(tokens, place, end)}
    return [
        replace(t, type="LPAR" if sides[n] == "(" else "RPAR", value=sides[n])
        if n in sides
        else replace(t, start=tokens[n - 1].start)
        if n - 1 in ends
        else t
        for n, t in enumerate(tokens)
        if n not in dropped
    ]


def _is_raised(behind: Sequence[Token]) -> bool:
    """Whether something else than a number stands above what ends in front."""
    kinds = [t.type for t in behind]
    return kinds[:2] == ["SUP", "LBRACE"] and kinds[2:] != ["NUM"]


def _charge(tokens: Sequence[Token], place: int, end: int) -> range:
    """The places of the `^{2+}` between the brackets at `place` and `end`, where that is all that stands behind the name."""
    inner = tokens[place + 4 : end - 1]
    is_charge = tokens[place + 2].type == "SUP" and {t.type for t in inner} <= _CHARGE
    has_sign = any(t.type in ("PLUS", "MINUS") for t in inner)
    is_last = bool(inner) and inner[-1].type != "NUM"
    return range(place + 2, end) if is_charge and has_sign and is_last else range(0)


def _bracketed(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The places of brackets around one name with its scripts."""
    if not any(t.type == "LSQB" for t in tokens):
        return
    closing = closing_brackets(tokens)
    for place, (token, after) in enumerate(pairwise(tokens)):
        if tokens[place - 1].type == "SQRT" and place:
            continue  # the degree of a root
        if token.type == "LSQB" and after.type == "NAME" and place in closing:
            end = closing[place]
            if tokens[end].type == "RSQB" and behind_scripts(tokens, place + 2, closing) == end:
                yield place, end
