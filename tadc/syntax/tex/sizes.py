r"""The sizes of a document: the names in bounds, such as the `J` of `\sum_{j=1}^{J}`."""

from __future__ import annotations

from collections.abc import Sequence

from tadc.syntax import ast
from tadc.syntax.ast import Definition, Element, Name
from tadc.syntax.nodes import Node, free_names, nodes, parts

__all__ = ["bound_sizes"]


def bound_sizes(definitions: Sequence[Definition], known: set[str]) -> list[Name]:
    """The names in bounds and extents that nothing else declares, defines, binds or reads with subscripts: sizes."""
    tensors = {d.target.name for d in definitions}
    tensors |= {
        n.name.name for d in definitions for n in nodes((d.body,)) if isinstance(n, Element)
    }
    found: dict[str, Name] = {}
    for d in definitions:
        bound = {r.name.name for r in d.lefts}
        todo: list[tuple[Node, frozenset[str]]] = [(d.body, frozenset(bound))]
        names = [
            n
            for r in d.lefts
            for b in (r.extent, r.low, r.high)
            if b
            for n in free_names(b).values()
        ]
        while todo:
            node, inner = todo.pop()
            if isinstance(node, ast.Reduction):
                inner |= {r.name.name for r in node.ranges}
                bounds = [
                    b for r in node.ranges for b in (r.extent, r.low, r.high) if b is not None
                ]
                names += [n for b in bounds for n in free_names(b).values() if n.name not in inner]
            todo += [(part, inner) for part in parts(node)]
        for name in names:
            if name.name not in known | tensors | bound and name.name not in ("inf", "pi", "nan"):
                found.setdefault(name.name, name)
    return list(found.values())
