r"""Results with printed ranges: where a dimension begins, and how long it is.

y_i = .., \quad i = 2, \dots, N-1      y holds N-2 elements; its subscripts keep their labels, y_2 is the first
s = \sum_i y_i w_i                      runs along them: from 2 to N-1
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Number, Range
from tadc.syntax.nodes import Node, nodes, rewritten, substituted

__all__ = ["length", "with_extents", "with_ranges_of_results"]


def with_extents(definitions: Sequence[Definition], base: int) -> list[tuple[Definition, str]]:
    """The definitions with extents in place of printed ranges on their left sides, and what is to be said of each.

    A dimension that begins elsewhere than at the base is moved there, in its statement and wherever it is read.
    """
    moved: dict[str, list[Expression | None]] = {}
    result: list[tuple[Definition, str]] = []
    for d in definitions:
        offsets = [_offset(r, base) for r in d.lefts]
        said = ""
        if any(o is not None for o in offsets):
            moved[d.target.name] = offsets
            said = ", ".join(
                f"`{d.target.span.text}` holds its elements from `{r.name.name} = {r.low.span.text}` on"
                for r, o in zip(d.lefts, offsets, strict=True)
                if o is not None and r.low is not None
            )
        values = {
            r.name.name: Binary("+", r.name, o, r.span)
            for r, o in zip(d.lefts, offsets, strict=True)
            if o is not None
        }
        body = substituted(d.body, values, set()) if values else d.body
        lefts = tuple(Range(r.name, r.span, extent=_extent(r, base)) for r in d.lefts)
        result.append((replace(d, lefts=lefts, body=body), said))
    if not moved:
        return result

    def labelled(node: Node) -> Node:
        if not isinstance(node, Element) or len(node.subscripts) != len(
            moved.get(node.name.name, ())
        ):
            return node
        subscripts = tuple(
            s if o is None else Binary("-", s, o, s.span)
            for s, o in zip(node.subscripts, moved[node.name.name], strict=True)
        )
        return replace(node, subscripts=subscripts)

    return [(replace(d, body=rewritten(d.body, labelled)), said) for d, said in result]


def with_ranges_of_results(definitions: Sequence[Definition], base: int) -> list[Definition]:
    """The definitions with the printed range of a result for each index without one that runs along it, where that begins elsewhere than
    at the base.
    """
    printed: dict[tuple[str, int], Range] = {}
    result = list(definitions)
    while True:
        count = len(printed)
        for d in result:
            for n, r in enumerate(d.lefts):
                if r.high is not None and _offset(r, base) is not None:
                    printed.setdefault((d.target.name, n), r)
        if count == len(printed):
            return result
        result = [_with_ranges_of(d, printed) for d in result]


def _with_ranges_of(definition: Definition, printed: Mapping[tuple[str, int], Range]) -> Definition:
    def ranged(r: Range, body: Node) -> Range:
        if not (r.low is r.high is r.extent is None):
            return r
        reads = (n for n in nodes((body,)) if isinstance(n, Element))
        along = (
            printed[read.name.name, n]
            for read in reads
            for n, s in enumerate(read.subscripts)
            if isinstance(s, Name) and s.name == r.name.name and (read.name.name, n) in printed
        )
        said = next(along, None)
        return r if said is None else replace(r, low=said.low, high=said.high)

    def rule(node: Node) -> Node:
        if not isinstance(node, ast.Reduction):
            return node
        return replace(node, ranges=tuple(ranged(r, node.body) for r in node.ranges))

    body = rewritten(definition.body, rule)
    lefts = tuple(ranged(r, body) for r in definition.lefts)
    return replace(definition, lefts=lefts, body=body)


def _offset(r: Range, base: int) -> Expression | None:
    """How much further than the base the range begins; None where it begins there."""
    if r.low is None:
        return None
    if isinstance(r.low, Number) and r.low.text.isdigit():
        distance = int(r.low.text) - base
        if distance == 0:
            return None
        return (
            Number(str(distance), r.low.span)
            if distance > 0
            else ast.Unary(Number(str(-distance), r.low.span), r.low.span)
        )
    return r.low if base == 0 else Binary("-", r.low, Number("1", r.low.span), r.low.span)


def _extent(r: Range, base: int) -> Expression | None:
    if r.low is None or r.high is None:
        return r.extent
    return length(r.low, r.high)


def length(low: Expression, high: Expression) -> Expression:
    """`high - low + 1`, where it can be told simpler; an end such as `N/2 - 1` is rounded down, as bounds of sums are."""
    high = _floored(high)
    if isinstance(low, Number) and low.text == "1":
        return high
    if isinstance(low, Number) and low.text == "0":
        match high:
            case Binary("-", whole, Number("1")):
                return whole
            case _:
                return Binary("+", high, Number("1", high.span), high.span)
    whole = Binary("-", high, low, high.span)
    return Binary("+", whole, Number("1", high.span), high.span)


def _floored(end: Expression) -> Expression:
    match end:
        case Binary("/", left, Number(text) as divisor) if text.isdigit():
            return Binary("//", left, divisor, end.span)
        case Binary("+" | "-", left, Number()):
            return replace(end, left=_floored(left))
        case _:
            return end
