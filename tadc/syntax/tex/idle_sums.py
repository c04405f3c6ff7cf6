r"""Sums whose index stands nowhere behind them: `\sum_{n=1}^{N} y d^2` may be `N` times the same, or lack the index of `y_n d_n^2`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import Node, nodes, parts
from tadc.syntax.tex.as_printed import as_printed

__all__ = ["refuse_idle_sums"]


def refuse_idle_sums(definition: ast.Definition, known: Set[str]) -> None:
    """Raise for a sum over an index that nothing in it has, but for sums of numbers, sizes and what lines declare: `known`."""
    needed = {*_needed(definition.body)}
    for node in nodes((definition.body,)):
        if not isinstance(node, ast.Reduction) or node.op.name not in ("sum", "prod"):
            continue
        idle = [r.name.name for r in node.ranges if (id(node), r.name.name) not in needed]
        bounds = [b for r in node.ranges for b in (r.low, r.high) if b is not None]
        if idle and not {*_names((node.body,))} <= known | {*_names(bounds), "pi"}:
            index, text = as_printed(idle[0]), node.body.span.text
            raise SyntaxError(
                node.op.span.to(node.body.span),
                f"nothing behind the sum has its index `{index}`: each term is the same, or the index is left out",
                fix=f"write the index, `x_{{{index}}}`, or the product of the number of terms and `{text}`",
            )


def _needed(root: Node) -> Iterator[tuple[int, str]]:
    """The identities of reductions with those of their indices that stand in them: each name is the index of the innermost one around it."""
    around: defaultdict[str, list[int]] = defaultdict(list)
    todo: list[tuple[Node, bool]] = [(root, False)]
    while todo:
        node, is_left = todo.pop()
        if isinstance(node, ast.Name) and around[node.name]:
            yield around[node.name][-1], node.name
        indices = [r.name.name for r in node.ranges] if isinstance(node, ast.Reduction) else []
        for index in indices:
            if is_left:
                around[index].pop()
            else:
                around[index].append(id(node))
        if not is_left:
            todo.append((node, True))
            todo += [(part, False) for part in reversed(parts(node))]


def _names(roots: Iterable[Node]) -> Iterator[str]:
    return (n.name for n in nodes(roots) if isinstance(n, ast.Name))
