r"""Ranges that readers tell: with `\sum_{i=1}^{N} \delta_i c_i` the `\delta_i = t_{i+1} - t_i` has the elements 1 to N.

That is read where the definition reads moved elements, whose extents would tell nothing, and where one printed range reads it: that of
a sum, or of what another definition defines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tadc.syntax.ast import (
    Binary,
    Definition,
    Element,
    Expression,
    Name,
    Note,
    Range,
    Reduction,
)
from tadc.syntax.nodes import free_names, nodes

__all__ = ["with_ranges_of_reads"]


def with_ranges_of_reads(definitions: Sequence[Definition], notes: list[Note]) -> list[Definition]:
    """The definitions, those of one index that have no range with that of the sums and definitions that read them."""
    result = []
    for d in definitions:
        is_open = len(d.lefts) == 1 and d.lefts[0].low is None and d.lefts[0].extent is None
        if is_open and _reads_moved(d):
            found = {(_text(r.low), _text(r.high)): r for r in _printed_ranges(definitions, d)}
            if len(found) == 1:
                (said,) = found.values()
                left = replace(d.lefts[0], low=said.low, high=said.high)
                text = f"`{d.target.name}` has the range of what reads it"
                notes.append(Note(d.span, text, is_guess=True))
                d = replace(d, lefts=(left,))
        result.append(d)
    return result


def _text(bound: object) -> str:
    return str(getattr(getattr(bound, "span", None), "text", ""))


def _reads_moved(definition: Definition) -> bool:
    """Whether it reads `t_{i+1}`, with its own index."""
    index = definition.lefts[0].name.name
    elements = (n for n in nodes((definition.body,)) if isinstance(n, Element))
    return any(
        isinstance(s, Binary) and index in free_names(s) for e in elements for s in e.subscripts
    )


def _printed_ranges(definitions: Sequence[Definition], read: Definition) -> Iterator[Range]:
    """The ranges of sums and of left sides whose bodies have an element of `read` at their index, those that depend on another one aside."""
    for d in definitions:
        reductions = [n for n in nodes((d.body,)) if isinstance(n, Reduction)]
        scopes = [(d.lefts, d.body), *((n.ranges, n.body) for n in reductions)]
        indices = {r.name.name for ranges, _ in scopes for r in ranges}
        for ranges, body in scopes:
            at = _read_at(read.target.name, body)
            for r in ranges:
                if r.name.name not in at or r.low is None or r.high is None:
                    continue
                if not indices & {*free_names(r.low), *free_names(r.high)}:
                    yield r


def _read_at(name: str, body: Expression) -> set[str]:
    """The indices at which the body reads the elements of that name."""
    return {
        n.subscripts[0].name
        for n in nodes((body,))
        if isinstance(n, Element) and n.name.name == name and len(n.subscripts) == 1
        if isinstance(n.subscripts[0], Name)
    }
