r"""Norms that a document defines by elements: with `$\|W\|_{2,1} = \sum_i (\sum_j W_{ij}^2)^{1/2}$` a formula's `\|W\|_{2,1}` is that sum."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.script_tokens import bound_names, scripted
from tadc.syntax.tex.statement import depths
from tadc.syntax.tex.token_list import Token

__all__ = ["DefinedNorm", "defined_norms", "with_defined_norms"]

_SEPARATORS = frozenset(("COMMA", "DOT", "QUAD", "BREAK", "TEXT", "ERROR"))


@dataclass(frozen=True, slots=True)
class DefinedNorm:
    """The name in the bars, and what the norm is of it."""

    name: str
    right: tuple[Token, ...]

    def is_of(self, name: Token, kind: Sequence[str]) -> bool:
        r"""Whether it is told what the norm of this name is: others than the own one have norms such as `\|X\|_{2,1}`, by sums without limits."""
        has_limits = any(t.type in ("EQ", "REL", "IN") for t in self.right)
        return name.value == self.name or (len(kind) > 1 and not has_limits)

    def of(self, name: Token) -> list[Token]:
        """The right side, in brackets, at the place of this name, with it in place of the own one."""
        start, end = name.start, name.end
        inner = [
            replace(t, value=name.value, note=name.note, start=start, end=end)
            if t.type == "NAME" and t.value == self.name
            else replace(t, start=start, end=end)
            for t in self.right
        ]
        return [Token("LPAR", "(", start, end), *inner, Token("RPAR", ")", start, end)]


def defined_norms(formulas: Iterable[Sequence[Token]]) -> dict[tuple[str, ...], DefinedNorm]:
    """The norms that formulas define, by what stands below the bars; none that is defined twice."""
    found: dict[tuple[str, ...], list[DefinedNorm]] = {}
    for tokens in formulas:
        kind, end = _norm(tokens, 0)
        if not kind or [t.type for t in tokens[end : end + 1]] not in (["EQ"], ["DEF"]):
            continue
        name, right = tokens[1].value, _with_capital(tokens[end + 1 :], tokens[1])
        if _is_sum(right, name):
            found.setdefault(kind, []).append(DefinedNorm(name, tuple(right)))
    return {kind: norms[0] for kind, norms in found.items() if len(norms) == 1}


def with_defined_norms(
    tokens: Sequence[Token], norms: Mapping[tuple[str, ...], DefinedNorm]
) -> list[Token]:
    """The tokens with what these norms are."""
    result: list[Token] = []
    place = 0
    while place < len(tokens):
        kind, end = _norm(tokens, place)
        norm = norms.get(kind)
        is_definition = place == 0 and [t.type for t in tokens[end : end + 1]] in (["EQ"], ["DEF"])
        if norm is None or is_definition or not norm.is_of(tokens[place + 1], kind):
            result.append(tokens[place])
            place += 1
        else:
            result += norm.of(tokens[place + 1])
            place = end
    return result


def _norm(tokens: Sequence[Token], place: int) -> tuple[tuple[str, ...], int]:
    r"""What stands below the bars of the `\|W\|_{2,1}` at the place, and the place behind it."""
    kinds = [t.type for t in tokens[place : place + 5]]
    end = closing_braces(tokens[place : place + 12]).get(4, 0)
    if kinds != ["NORM_L", "NAME", "NORM_R", "SUB", "LBRACE"] or not end:
        return (), place
    below = tokens[place + 5 : place + end]
    return tuple(t.value for t in below if t.type != "COMMA"), place + end + 1


def _with_capital(right: Sequence[Token], name: Token) -> list[Token]:
    r"""The right side with `W_{ij}` for the elements `w_{ij}` of a `W` that it does not read."""
    read = {base.value for base, _, _ in scripted(right, "SUB")}
    small = name.value.lower()
    if name.value in read or small not in read or small == name.value:
        return list(right)
    return [
        replace(t, value=name.value, note=name.note) if t.type == "NAME" and t.value == small else t
        for t in right
    ]


def _is_sum(right: Sequence[Token], name: str) -> bool:
    """Whether it sums elements of the name, at indices that it binds, and of nothing else."""
    bases = {base.value for base, _, _ in scripted(right, "SUB") if base.type == "NAME"}
    letters = {
        t.value
        for base, _, inner in scripted(right, "SUB")
        if base.value == name
        for t in inner
        if t.type == "NAME"
    }
    is_whole = not any(t.type in _SEPARATORS for t, depth in depths(right) if depth == 0)
    has_sum = any(t.type == "RED" for t in right)
    return (
        is_whole and has_sum and bases == {name} and bool(letters) and letters <= bound_names(right)
    )
