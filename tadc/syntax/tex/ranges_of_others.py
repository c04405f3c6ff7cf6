r"""The range of an index that says which one it differs from: the `j` of `\sum_{i=1}^{n} \sum_{j \ne i} d_{ij}` goes from 1 to `n`, too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from tadc.syntax.ast import (
    Comparison,
    Condition,
    Definition,
    Element,
    Expression,
    Logical,
    Name,
    Note,
    Range,
    Reduction,
)
from tadc.syntax.nodes import Node, all_ranges, free_names, nodes, rewritten

__all__ = ["with_ranges_of_others"]


def with_ranges_of_others(
    definitions: Sequence[Definition], declared: Set[str], notes: list[Note]
) -> list[Definition]:
    """The definitions, those indices of sums that have no range, differ from one that has, and are subscripts of nothing that is
    `declared`, with the range of that one.
    """
    result = []
    for d in definitions:
        sums = [n for n in nodes((d.body,)) if isinstance(n, Reduction)]
        pairs = [p for n in sums if n.condition is not None for p in _different(n.condition)]
        known = _printed(all_ranges(d))
        shaped = _below(d, declared)
        told = {a: known[b] for a, b in reversed(pairs) if b in known and a not in shaped}
        result.append(_with_ranges(d, told, notes) if told else d)
    return result


def _with_ranges(
    definition: Definition, told: Mapping[str, Range], notes: list[Note]
) -> Definition:
    """The definition with these ranges for indices that have none."""

    def ranged(r: Range) -> Range:
        other = told.get(r.name.name)
        if other is None or r.low is not None or r.high is not None or r.extent is not None:
            return r
        said = f"`{r.name.name}` has the range of `{other.name.name}`, from which it differs"
        notes.append(Note(r.span, said))
        return replace(r, low=other.low, high=other.high)

    def rule(node: Node) -> Node:
        if not isinstance(node, Reduction):
            return node
        return replace(node, ranges=tuple(map(ranged, node.ranges)))

    lefts = tuple(map(ranged, definition.lefts))
    return replace(definition, lefts=lefts, body=rewritten(definition.body, rule))


def _below(definition: Definition, declared: Set[str]) -> set[str]:
    """The indices that are subscripts of what is declared."""
    return {
        s.name
        for n in nodes((definition.body,))
        if isinstance(n, Element) and n.name.name in declared
        for s in n.subscripts
        if isinstance(s, Name)
    }


def _printed(ranges: Sequence[Range]) -> dict[str, Range]:
    """The ranges that are printed and depend on no index, of indices that have one alone."""
    indices = {r.name.name for r in ranges}
    names = [r.name.name for r in ranges]
    return {
        r.name.name: r
        for r in ranges
        if r.low is not None and r.high is not None and names.count(r.name.name) == 1
        if not indices & {*free_names(r.low), *free_names(r.high)}
    }


def _different(condition: Condition) -> Iterator[tuple[str, str]]:
    r"""The pairs of indices of which one differs from the other, both ways, where all conditions hold together."""
    if isinstance(condition, Logical) and condition.operator == "and":
        yield from _different(condition.left)
        yield from _different(condition.right)
    if isinstance(condition, Comparison) and condition.relations == ("!=",):
        left, right = (_index(e) for e in condition.operands)
        if left and right:
            yield from ((left, right), (right, left))


def _index(e: Expression) -> str:
    return e.name if isinstance(e, Name) else ""
