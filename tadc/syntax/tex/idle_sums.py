r"""Sums whose index stands nowhere behind them: `\sum_{n=1}^{N} y d^2` may be `N` times the same, or lack the index of `y_n d_n^2`."""

from __future__ import annotations

from collections.abc import Set

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import free_names, nodes
from tadc.syntax.tex.as_printed import as_printed

__all__ = ["refuse_idle_sums"]


def refuse_idle_sums(definition: ast.Definition, known: Set[str]) -> None:
    """Raise for a sum over an index that nothing in it has, but for sums of numbers, sizes and what lines declare: `known`."""
    for node in nodes((definition.body,)):
        if not isinstance(node, ast.Reduction) or node.op.name not in ("sum", "prod"):
            continue
        bounds = [b for r in node.ranges for b in (r.low, r.high) if b is not None]
        parts = [node.body, *([] if node.condition is None else [node.condition]), *bounds]
        inside = {name for part in parts for name in free_names(part)}
        idle = [r.name for r in node.ranges if r.name.name not in inside]
        values = {n.name for n in nodes((node.body,)) if isinstance(n, ast.Name)}
        highs = {n.name for n in nodes(bounds) if isinstance(n, ast.Name)}
        if idle and not values <= known | highs | {"pi"}:
            index, text = as_printed(idle[0].name), node.body.span.text
            raise SyntaxError(
                node.op.span.to(node.body.span),
                f"nothing behind the sum has its index `{index}`: each term is the same, or the index is left out",
                fix=f"write the index, `x_{{{index}}}`, or the product of the number of terms and `{text}`",
            )
