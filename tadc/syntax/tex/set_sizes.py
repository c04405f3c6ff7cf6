r"""Bars around a letter and around its elements, `\frac{|S_i|}{|S|}`: the numbers of elements of sets, or a length and absolute values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from itertools import pairwise

from tadc.syntax.tex.as_printed import as_printed
from tadc.syntax.tex.calls import calls_in
from tadc.syntax.tex.script_tokens import scripted
from tadc.syntax.tex.token_list import Token

__all__ = ["unclear_sizes", "with_unclear_sizes"]


def unclear_sizes(
    streams: Sequence[Sequence[Token]], displays: Sequence[Sequence[Token]], declared: Set[str]
) -> set[str]:
    r"""The letters in bars that have subscripts elsewhere, whose shapes neither lines nor the prose tell, and that are not printed as vectors;
    none is the `x` of `h(x) = |x|`, nor the `S` of `i \in S_k`.
    """
    arguments = {
        t.value
        for tokens in streams
        for call in calls_in(tokens)
        if [t.type for t in tokens[call.end + 1 : call.end + 2]] in (["EQ"], ["DEF"])
        for t in call.inner
    }
    shaped = {t.value for s in streams if any(t.type == "RR" for t in s) for t in s}
    bound = {
        name.value
        for tokens in displays
        for name, _, inner in scripted(tokens, "SUB")
        if any(t.type == "NAME" for t in inner)
    }
    sets = {b.value for t in streams for a, b in pairwise(t) if a.type == "IN"}
    whole = {tokens[n + 1].value for tokens in displays for n in _whole(tokens)}
    return (whole & bound) - declared - shaped - arguments - sets


def with_unclear_sizes(tokens: Sequence[Token], names: Set[str]) -> list[Token]:
    """The tokens with an error for each of these names alone in bars."""
    result = list(tokens)
    for place in _whole(tokens):
        name = tokens[place + 1]
        if name.value in names:
            letter = as_printed(name.value)
            fact = f"`|{letter}|` may be the number of elements of a set, or the length of the vector of all `{letter}` with an index"
            fix = f"write numbers of elements as letters, `n_i` for `|{letter}_i|` and `N` for `|{letter}|`; for the vector declare its shape, `%!tadc input {name.value}[N]`"
            result[place + 1] = Token("ERROR", fact, name.start, name.end, fix)
    return result


def _whole(tokens: Sequence[Token]) -> Iterator[int]:
    r"""The places of bars around one name that is not printed bold."""
    for place, three in enumerate(zip(tokens, tokens[1:], tokens[2:], strict=False)):
        kinds = [t.type for t in three]
        if kinds == ["BAR_L", "NAME", "BAR_R"] and three[1].note != "bold":
            yield place
