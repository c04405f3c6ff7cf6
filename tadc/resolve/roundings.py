"""Values that are rounded where an index stands, as in `x[floor(u[p]) + a]`: index tensors with statements of their own."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tadc.ir.names import Names
from tadc.ir.walk import descend
from tadc.syntax import ast
from tadc.syntax.nodes import Node, key, nodes, parts, rewritten, with_parts

__all__ = ["ROUNDINGS", "with_roundings"]

ROUNDINGS = ("floor", "ceil", "round")


def with_roundings(items: Sequence[ast.Item]) -> tuple[ast.Item, ...]:
    """The items, with a statement before each one that rounds a value in a subscript or in a bound: `q[p]: index = floor(u[p])`."""
    if not any(isinstance(i, ast.Definition) and _has_any(i.body) for i in items):
        return tuple(items)
    names = Names(_words(items))
    result: list[ast.Item] = []
    for item in items:
        if isinstance(item, ast.Definition):
            made = _Roundings(names)
            around = {r.name.name: r for r in item.lefts}
            body: Any = descend(made.walk(item.body, around))
            item = replace(item, body=body)
            result += made.statements
        result.append(item)
    return tuple(result)


class _Roundings:
    """The statements that one statement needs before it."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._made: dict[object, ast.Name] = {}
        self.statements: list[ast.Definition] = []

    def walk(self, e: Node, around: Mapping[str, ast.Range]) -> Generator[Any, Any, Node]:
        """The node with elements of index tensors for what is rounded; `around` are the ranges of the indices there."""
        within = around
        if isinstance(e, ast.Reduction):
            within = {**around, **{r.name.name: r for r in e.ranges}}
        new = []
        for part in parts(e):
            new.append((yield self.walk(part, within)))
        e = with_parts(e, tuple(new))
        match e:
            case ast.Element(ast.Name(name), subscripts) if name not in ("min", "max"):
                return replace(e, subscripts=tuple(self._indices(s, within) for s in subscripts))
            case ast.Reduction(_, ranges):
                return replace(e, ranges=tuple(self._bounds(r, around) for r in ranges))
            case _:
                return e

    def _bounds(self, r: ast.Range, around: Mapping[str, ast.Range]) -> ast.Range:
        ends: dict[str, Any] = {
            field: self._indices(end, around)
            for field in ("extent", "low", "high")
            if (end := getattr(r, field)) is not None
        }
        return replace(r, **ends)

    def _indices(self, e: ast.Expression, around: Mapping[str, ast.Range]) -> ast.Expression:
        """An index expression, in which elements stand for what is rounded."""

        def element(node: Node) -> Node:
            return self._element(node, around) if _is_rounded(node) else node

        changed: ast.Expression = rewritten(e, element)
        return changed

    def _element(self, e: Node, around: Mapping[str, ast.Range]) -> ast.Element:
        assert isinstance(e, ast.Application)
        used = {n.name for n in nodes((e,)) if isinstance(n, ast.Name)}
        indices = [r for name, r in around.items() if name in used]
        form = (key(e), *(id(r) for r in indices))
        if form not in self._made:
            read = next(n for n in nodes((e,)) if isinstance(n, ast.Element))
            name = ast.Name(self._names.fresh(f"{read.name.name}_{e.function.name}"), e.span)
            lefts = tuple(ast.Range(r.name, r.span, extent=_extent(r, around)) for r in indices)
            index = ast.Name("index", e.span)
            self.statements.append(ast.Definition(name, lefts, index, None, e, e.span))
            self._made[form] = name
        return ast.Element(self._made[form], tuple(r.name for r in indices), e.span)


def _extent(r: ast.Range, around: Mapping[str, ast.Range]) -> ast.Expression | None:
    """The extent that a range states, if that is the same for all other indices."""
    if r.extent is None:
        return None
    named = {n.name for n in nodes((r.extent,)) if isinstance(n, ast.Name)}
    return r.extent if named.isdisjoint(around) else None


def _is_rounded(e: Node) -> bool:
    """Whether the node rounds a value that is read; what is made of indices alone is written with `//`."""
    match e:
        case ast.Application(ast.Name(name), (_,)) if name in ROUNDINGS:
            return any(isinstance(n, ast.Element) for n in nodes((e,)))
        case _:
            return False


def _has_any(e: ast.Expression) -> bool:
    return any(map(_is_rounded, nodes((e,))))


def _words(items: Iterable[ast.Item]) -> set[str]:
    """The names of the items that a new tensor must not have."""
    words: set[str] = set()
    for item in items:
        match item:
            case ast.Definition():
                words.add(item.target.name)
                words |= {r.name.name for r in item.lefts}
                for node in nodes((item.body,)):
                    match node:
                        case ast.Name(name) | ast.Element(ast.Name(name)):
                            words.add(name)
                        case ast.Reduction(_, ranges):
                            words |= {r.name.name for r in ranges}
                        case _:
                            pass
            case ast.TensorDeclaration() | ast.SizeDeclaration():
                words.add(item.name.name)
            case _:
                pass
    return words
