r"""Sums whose index stands nowhere behind them: `\sum_{n=1}^{N} y d^2` may be `N` times the same, or lack the index of `y_n d_n^2`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from tadc.errors import SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import Node, nodes, parts
from tadc.syntax.tex.as_printed import as_printed

__all__ = ["refuse_idle_sums"]


def refuse_idle_sums(definition: ast.Definition, known: Set[str]) -> None:
    """Raise for a sum over an index that nothing in it has, but for sums of numbers, sizes and what lines declare: `known`."""
    order = [*nodes((definition.body,))]
    ends = _ends(order)
    places: dict[str, list[int]] = {}
    for place, node in enumerate(order):
        if isinstance(node, ast.Name):
            places.setdefault(node.name, []).append(place)
    for place, node in enumerate(order):
        if not isinstance(node, ast.Reduction) or node.op.name not in ("sum", "prod"):
            continue
        idle = [r.name.name for r in node.ranges if not _stands_in(places, r, place, ends[place])]
        bounds = [b for r in node.ranges for b in (r.low, r.high) if b is not None]
        if idle and not {*_names((node.body,))} <= known | {*_names(bounds), "pi"}:
            index, text = as_printed(idle[0]), node.body.span.text
            raise SyntaxError(
                node.op.span.to(node.body.span),
                f"nothing behind the sum has its index `{index}`: each term is the same, or the index is left out",
                fix=f"write the index, `x_{{{index}}}`, or the product of the number of terms and `{text}`",
            )


def _ends(order: Sequence[Node]) -> list[int]:
    """Where in the order of the text the parts of each node end."""
    sizes: dict[int, int] = {}
    for node in reversed(order):
        sizes[id(node)] = 1 + sum(sizes[id(part)] for part in parts(node))
    return [place + sizes[id(node)] for place, node in enumerate(order)]


def _stands_in(places: Mapping[str, Sequence[int]], r: ast.Range, start: int, end: int) -> bool:
    """Whether the name of the range is at one of the places from `start` to before `end`."""
    own = places.get(r.name.name, ())
    return bisect_left(own, start) < bisect_left(own, end)


def _names(roots: Iterable[Node]) -> Iterator[str]:
    return (n.name for n in nodes(roots) if isinstance(n, ast.Name))
