"""Declarations in any order: which names a text binds as indices, and the sizes each after those it is made of."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Any

from tadc.errors import SyntaxError
from tadc.ir.walk import descend
from tadc.syntax import ast

__all__ = ["in_order", "index_names", "names_in"]


def index_names(definitions: Iterable[ast.Definition]) -> dict[str, ast.Range]:
    """The names of all indices, each with the range that binds it first."""
    names: dict[str, ast.Range] = {}
    for node in _nodes(definitions):
        if isinstance(node, ast.Range):
            names.setdefault(node.name.name, node)
    return names


def names_in(expressions: Iterable[ast.Expression]) -> list[ast.Name]:
    """The names that stand alone in expressions, functions aside, in the order of the text."""
    return [node for node in _nodes(expressions) if isinstance(node, ast.Name)]


def in_order(sizes: Sequence[ast.SizeDeclaration]) -> list[ast.SizeDeclaration]:
    """The declarations in order, except that each follows those of the sizes that its value mentions.

    Raises SyntaxError for a size that is made of itself.
    """
    by_name: dict[str, ast.SizeDeclaration] = {}
    for size in sizes:
        by_name.setdefault(size.name.name, size)
    ordered: dict[ast.SizeDeclaration, None] = {}
    begun: set[ast.SizeDeclaration] = set()

    def place(size: ast.SizeDeclaration) -> Generator[Any, Any, None]:
        begun.add(size)
        for name in names_in(() if size.value is None else (size.value,)):
            other = by_name.get(name.name)
            if other is None or other in ordered:
                continue
            if other in begun:
                raise SyntaxError(
                    name.span,
                    f"the size `{size.name.name}` is made of `{name.name}`, which is made of it",
                    fix="give one of them a number, or none: `size N`",
                )
            yield place(other)
        ordered[size] = None

    for size in sizes:
        if size not in begun:
            descend(place(size))
    return list(ordered)


def _nodes(roots: Iterable[Any]) -> Iterator[Any]:
    """Every node of syntax trees, outer ones first. What names a function, a tensor or an index is no node."""
    stack = list(roots)[::-1]
    while stack:
        node = stack.pop()
        yield node
        parts: list[Any] = []
        for field in getattr(node, "__slots__", ()):
            value = getattr(node, field)
            match node, field:
                case _, "span" | "arguments" | "dtype":
                    continue
                case (ast.Application(), "function") | (ast.Reduction(), "op"):
                    continue
                case (ast.Range() | ast.Element(), "name") | (ast.Definition(), "target"):
                    continue
            parts += value if isinstance(value, tuple) else (value,)
        stack += [p for p in reversed(parts) if hasattr(p, "span")]
