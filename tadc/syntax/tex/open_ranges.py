r"""Ranges without an end, `u_k = .., \quad k \ge 1`: the index goes as far as what it reads.

u_k = e_k - e_{k-1}, \quad k \ge 1            up to the last element of a declared `e`; else up to a size of its own, `k_last`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Note, Number, Range
from tadc.syntax.nodes import fresh_name, nodes

__all__ = ["with_ends"]


def with_ends(
    definitions: Sequence[Definition],
    shapes: Mapping[str, Sequence[Expression] | None],
    base: int,
    taken: set[str],
    notes: list[Note],
) -> list[Definition]:
    """The definitions with ends for the ranges of their left sides that have none; one size for each letter."""
    ends: dict[str, Expression] = {}

    def whole(d: Definition, r: Range) -> Range:
        if r.low is None or r.high is not None:
            return r
        extent = _extent(d, r.name.name, shapes)
        if extent is not None:
            one = Number("1", r.span)
            return replace(r, high=extent if base else Binary("-", extent, one, r.span))
        if r.name.name not in ends:
            ends[r.name.name] = Name(fresh_name(taken, (f"{r.name.name}_last",)), r.span)
            text = f"`{r.span.text}` goes as far as what it reads"
            notes.append(Note(r.span, text, is_guess=True))
        return replace(r, high=ends[r.name.name])

    return [replace(d, lefts=tuple(whole(d, r) for r in d.lefts)) for d in definitions]


def _extent(
    definition: Definition, index: str, shapes: Mapping[str, Sequence[Expression] | None]
) -> Expression | None:
    """The declared extent of a dimension that the index alone reads."""
    for node in nodes((definition.body,)):
        if isinstance(node, Element):
            extents = shapes.get(node.name.name) or ()
            for subscript, extent in zip(node.subscripts, extents, strict=False):
                if isinstance(subscript, Name) and subscript.name == index:
                    return extent
    return None
