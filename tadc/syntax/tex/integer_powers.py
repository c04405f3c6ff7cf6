r"""Powers in index arithmetic as products: `\sum_{i=1}^{S^2}` goes up to `S*S`."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from functools import reduce
from itertools import islice
from typing import Any

from tadc.syntax import ast
from tadc.syntax.ast import Binary, Definition, Expression, Name, Number
from tadc.syntax.nodes import Node, nodes, rewritten

__all__ = ["with_products"]

MOST_NODES = 50  # of index arithmetic that are looked at


def with_products(definition: Definition) -> Definition:
    """The definition with products in place of small powers of sizes in bounds and subscripts."""
    indices = {r.name.name for r in definition.lefts}
    for node in nodes((definition.body,)):
        indices |= {r.name.name for r in node.ranges} if isinstance(node, ast.Reduction) else set()

    def bounds(node: Node) -> Node:
        match node:
            case ast.Element():
                return replace(
                    node, subscripts=tuple(_products(s, indices) for s in node.subscripts)
                )
            case ast.Reduction():
                return replace(node, ranges=tuple(_of_range(r, indices) for r in node.ranges))
            case _:
                return node

    lefts = tuple(_of_range(r, indices) for r in definition.lefts)
    return replace(definition, lefts=lefts, body=rewritten(definition.body, bounds))


def _of_range(r: ast.Range, indices: Set[str]) -> ast.Range:
    bounds = (r.low, r.high, r.extent)
    low, high, extent = (None if e is None else _products(e, indices) for e in bounds)
    return replace(r, low=low, high=high, extent=extent)


def _products(e: Expression, indices: Set[str]) -> Any:
    looked_at = islice(nodes((e,)), MOST_NODES)
    if not any(isinstance(n, Binary) and n.operator == "**" for n in looked_at):
        return e

    def rule(node: Node) -> Node:
        match node:
            case Binary("**", Name(name) as base, Number("2" | "3" | "4" as text)) if (
                name not in indices
            ):
                factors: list[Expression] = [base] * int(text)
                return reduce(lambda a, b: Binary("*", a, b, node.span), factors)
            case _:
                return node

    return rewritten(e, rule)
