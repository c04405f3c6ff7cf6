r"""The dimension of an index in brackets above others, `x_j^{(i)}`: told by printed lengths and declared extents.

Where `\sum_{i=1}^{N}` is printed and `x` is declared with the extents `N, D`, the `i` is the first dimension.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tadc.syntax.tex.names import closing_braces
from tadc.syntax.tex.ranges import said_ranges
from tadc.syntax.tex.statement import Statement
from tadc.syntax.tex.token_list import Token

__all__ = ["UpperPlaces", "printed_lengths"]


@dataclass(frozen=True, slots=True)
class UpperPlaces:
    """The extents of declared tensors, a name or a number each, and the printed lengths of indices."""

    extents: Mapping[str, Sequence[str]]
    lengths: Mapping[str, str]

    def place(self, name: str, above: str, below: Sequence[str]) -> int | None:
        """The one dimension of `name` that the index `above` can be, with those `below` in the others; None if none is told."""
        extents = self.extents.get(name, ())
        length = self.lengths.get(above)
        if len(extents) != len(below) + 1 or length is None:
            return None
        places = [
            p
            for p, extent in enumerate(extents)
            if extent == length and self._are_at(below, [*extents[:p], *extents[p + 1 :]])
        ]
        return places[0] if len(places) == 1 else None

    def _are_at(self, below: Sequence[str], extents: Sequence[str]) -> bool:
        pairs = zip(below, extents, strict=True)
        return all(self.lengths.get(index, extent) == extent for index, extent in pairs)


def printed_lengths(definitions: Iterable[Statement]) -> dict[str, str]:
    r"""The `N` of each index `i` with `\sum_{i=1}^{N}` or `i = 1, \dots, N`; none where two are printed."""
    found: dict[str, set[str]] = {}
    for d in definitions:
        for index, length in (*_of_sums(d.tokens), *_of_ranges(d.ranges)):
            found.setdefault(index, set()).add(length)
    return {index: lengths.pop() for index, lengths in found.items() if len(lengths) == 1}


def _of_sums(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    closing = closing_braces(tokens)
    for place, token in enumerate(tokens):
        end = closing.get(place + 2, 0)
        if token.type != "RED" or end != place + 6 or tokens[place + 1].type != "SUB":
            continue
        below = tokens[place + 3 : end]
        above = tokens[end + 1 : end + 5] if closing.get(end + 2) == end + 4 else ()
        is_whole = [t.type for t in below] == ["NAME", "EQ", "NUM"] and below[2].value == "1"
        if is_whole and len(above) == 4 and above[0].type == "SUP":
            yield below[0].value, above[2].value


def _of_ranges(ranges: Sequence[Token]) -> Iterator[tuple[str, str]]:
    for said in said_ranges(ranges) or ():
        if [t.value for t in said.low] == ["1"] and len(said.high) == 1:
            yield said.name.value, said.high[0].value
