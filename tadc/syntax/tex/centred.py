r"""Inputs that begin at a negative index: the mask `w` of `\sum_{s=-a}^{a} w(s) f(x + s)` holds `2a + 1` elements from `-a` on.

That is read where every subscript of a dimension is an index whose printed range begins at one and the same negative value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Element, Expression, Name, Note, Number, Unary
from tadc.syntax.nodes import Node, key, parts, rewritten

__all__ = ["with_centred"]


class _Subscript(NamedTuple):
    """A subscript of a tensor, and where its index begins, if it is one that begins at a negative value."""

    tensor: Name
    dimension: int
    low: Unary | None


def with_centred(
    definitions: Sequence[Definition], base: int, shaped: Set[str], notes: list[Note]
) -> list[Definition]:
    """The definitions with subscripts of such dimensions from `base` on; `notes` tell, of tensors without declared shapes as a guess."""
    targets = {d.target.name for d in definitions}
    lows: dict[tuple[str, int], Unary | None] = {}
    for tensor, n, low in (s for d in definitions for s in _subscripts(d)):
        place = tensor.name, n
        known = lows.setdefault(place, low)
        is_same = known is not None and low is not None and key(known) == key(low)
        if not is_same or tensor.name in targets:
            lows[place] = None
    centred = {place: low for place, low in lows.items() if low is not None}
    if not centred:
        return list(definitions)
    for name in dict.fromkeys(name for name, _ in centred):
        low = next(low for (n, _), low in centred.items() if n == name)
        notes.append(
            Note(low.span, f"`{name}` begins at `{low.span.text}`", is_guess=name not in shaped)
        )

    def rule(node: Node) -> Node:
        if not isinstance(node, Element):
            return node
        moved = tuple(
            s if low is None else _moved(s, low, base)
            for s, low in (
                (s, centred.get((node.name.name, n))) for n, s in enumerate(node.subscripts)
            )
        )
        return replace(node, subscripts=moved)

    return [replace(d, body=rewritten(d.body, rule)) for d in definitions]


def _moved(subscript: Expression, low: Unary, base: int) -> Expression:
    whole = Binary("+", subscript, low.operand, subscript.span)
    return Binary("+", whole, Number("1", low.span), subscript.span) if base else whole


def _subscripts(definition: Definition) -> Iterator[_Subscript]:
    outer = {r.name.name: low for r in definition.lefts if (low := _negative(r)) is not None}
    todo: list[tuple[Node, dict[str, Unary]]] = [(definition.body, outer)]
    while todo:
        node, lows = todo.pop()
        if isinstance(node, ast.Reduction):
            own: Set[str] = {r.name.name for r in node.ranges}
            told = {r.name.name: low for r in node.ranges if (low := _negative(r)) is not None}
            lows = {n: low for n, low in lows.items() if n not in own} | told
        if isinstance(node, Element):
            for n, s in enumerate(node.subscripts):
                yield _Subscript(node.name, n, lows.get(s.name) if isinstance(s, Name) else None)
        todo += [(part, lows) for part in parts(node)]


def _negative(r: ast.Range) -> Unary | None:
    r"""The `-a` or `-1` that the range begins at."""
    is_negative = isinstance(r.low, Unary) and isinstance(r.low.operand, (Name, Number))
    return r.low if is_negative and isinstance(r.low, Unary) else None
