"""Syntax trees with other names: of tensors, and of indices that have become values."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from tadc.ir.walk import descend
from tadc.syntax import ast

__all__ = ["Node", "Renaming", "number"]

Node: TypeAlias = ast.Expression | ast.Condition
Walk: TypeAlias = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Renaming:
    """The tensor that a name stands for, and the values of names that are no indices of the statement.

    `tensor` is asked for every name that is read and bound by no index around it, sizes and constants too.
    """

    tensor: Callable[[ast.Name], str]
    values: Mapping[str, ast.Expression]

    def of(self, root: Any, bound: Set[str]) -> Any:
        """The tree, an expression or a condition, with other names. `bound` are the indices around it."""
        return descend(self._walk(root, frozenset(bound)))

    def _walk(self, node: Any, bound: frozenset[str]) -> Walk:
        match node:
            case ast.Number():
                return node
            case ast.Name(name, span):
                if name in bound:
                    return node
                if name in self.values:
                    return self.values[name]
                return ast.Name(self.tensor(node), span)
            case ast.Element(name, subscripts, span):
                named = ast.Name(self.tensor(name), name.span)
                return ast.Element(named, (yield self._each(subscripts, bound)), span)
            case ast.Application(function, args, span):
                return ast.Application(function, (yield self._each(args, bound)), span)
            case ast.Reduction(op, ranges, condition, body, span):
                inside = bound | {r.name.name for r in ranges}
                bounded = []
                for r in ranges:
                    extent, low, high = yield self._each((r.extent, r.low, r.high), bound)
                    bounded.append(replace(r, extent=extent, low=low, high=high))
                inner = yield self._each((condition, body), inside)
                return ast.Reduction(op, tuple(bounded), inner[0], inner[1], span)
            case ast.Comparison(operands, relations, span):
                return ast.Comparison((yield self._each(operands, bound)), relations, span)
            case ast.Unary() | ast.Not() | ast.IsInteger():
                return replace(node, operand=(yield self._walk(node.operand, bound)))
            case ast.Binary() | ast.Logical():
                left, right = yield self._each((node.left, node.right), bound)
                return replace(node, left=left, right=right)
            case ast.Choice(condition, then, otherwise, span):
                test, yes, no = yield self._each((condition, then, otherwise), bound)
                return ast.Choice(test, yes, no, span)
            case ast.Bracket(condition, span):
                return ast.Bracket((yield self._walk(condition, bound)), span)
            case _:
                raise AssertionError(f"no expression: {node}")

    def _each(self, nodes: tuple[Any, ...], bound: frozenset[str]) -> Walk:
        results = []
        for node in nodes:
            results.append(None if node is None else (yield self._walk(node, bound)))
        return tuple(results)


def number(value: int, place: ast.Expression | ast.Item) -> ast.Expression:
    """An integer as a literal at the place of a node."""
    literal = ast.Number(str(abs(value)), place.span)
    return literal if value >= 0 else ast.Unary(literal, place.span)
