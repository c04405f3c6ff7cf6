r"""Functions that a document defines, `\phi(x) = \log(1 + e^x)`: put in where they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tadc.errors import Span, SyntaxError
from tadc.syntax import ast
from tadc.syntax.nodes import (
    Node,
    fresh_name,
    nodes,
    parts,
    rewritten,
    substituted,
    with_parts,
)

__all__ = ["Inlined", "inlined"]

MOST_NODES = 20_000  # of a definition with its functions put in
MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class Inlined:
    """A function: its parameters and its body, in which they stand alone or have subscripts."""

    parameters: tuple[str, ...]
    body: ast.Expression
    is_known: bool = False  # to any reader: it stands nowhere in the document


def inlined(
    definition: ast.Definition, functions: Mapping[str, Inlined], taken: set[str]
) -> ast.Definition:
    """The definition without applications of these functions. Raises SyntaxError for wrong arguments, and functions that call themselves."""
    body: ast.Expression = definition.body
    for _ in range(MOST_ROUNDS):
        if not any(_is_call(node, functions) for node in nodes((body,))):
            return replace(definition, body=body)
        body = _once(body, functions, taken, {r.name.name for r in definition.lefts})
        if sum(1 for _ in nodes((body,))) > MOST_NODES:
            break
    raise SyntaxError(
        definition.span,
        "the functions of the document apply each other without end",
        fix="write out what they stand for",
    )


def _is_call(node: Node, functions: Mapping[str, Inlined]) -> bool:
    return isinstance(node, ast.Application) and node.function.name in functions


def _with_other_indices(node: Node, indices: set[str], taken: set[str]) -> Any:
    """A reduction with other names for those of its indices that are among `indices`."""
    if not isinstance(node, ast.Reduction):
        return node
    names = {
        r.name.name: ast.Name(fresh_name(taken, "klmnpqrst"), r.name.span)
        for r in node.ranges
        if r.name.name in indices
    }
    if not names:
        return node
    inner = replace(
        node, ranges=tuple(replace(r, name=names.get(r.name.name, r.name)) for r in node.ranges)
    )
    return with_parts(inner, tuple(substituted(part, names, taken) for part in parts(inner)))


def _applied_here(node: Node, function: Inlined, place: Span) -> Any:
    r"""An `|z|` of a parameter with the name `abs` at the place of the call: of a vector it has no one meaning there."""
    if not isinstance(node, ast.Application) or node.function.name != "abs":
        return node
    names = {n.name for n in nodes((node,)) if isinstance(n, ast.Name)}
    if not names & {*function.parameters}:
        return node
    return replace(node, function=replace(node.function, span=place))


def _of_elements(function: Inlined) -> ast.Expression:
    r"""The body of `f(x) = x \tanh(\beta x)`, a formula of its parameters alone, with signs that say that its products are of numbers:
    applied to a vector, they are those of its elements.
    """
    parameters = {*function.parameters}
    for node in nodes((function.body,)):
        is_own = isinstance(node, ast.Name) and node.name not in parameters and node.name != "pi"
        is_sum = isinstance(node, (ast.Element, ast.Reduction))
        is_operation = isinstance(node, ast.Application) and node.function.name.startswith("\\")
        if is_own or is_sum or is_operation:
            return function.body

    def rule(node: Node) -> Any:
        match node:
            case ast.Binary("*", left, right):
                sign = ast.Name("\\each", node.span)
                return ast.Application(sign, (left, right), node.span)
            case _:
                return node

    body: ast.Expression = rewritten(function.body, rule)
    return body


def _once(
    body: ast.Expression, functions: Mapping[str, Inlined], taken: set[str], lefts: set[str]
) -> Any:
    indices = lefts | {
        r.name.name for n in nodes((body,)) if isinstance(n, ast.Reduction) for r in n.ranges
    }

    def rule(node: Node) -> Any:
        if not isinstance(node, ast.Application) or node.function.name not in functions:
            return node
        function = functions[node.function.name]
        if len(node.args) != len(function.parameters):
            count = len(function.parameters)
            raise SyntaxError(
                node.span,
                f"`{node.function.span.text}` has {count} argument{'s' * (count != 1)}, and {len(node.args)} here",
                fix="apply it as the document defines it",
            )
        values: dict[str, Any] = dict(zip(function.parameters, node.args, strict=True))
        # The body may be put in at several places, and nodes are places.
        own = rewritten(
            _of_elements(function), lambda part: _with_other_indices(part, indices, taken)
        )
        here = node.function.span
        own = rewritten(own, lambda part: _applied_here(part, function, here))
        if function.is_known:
            own = rewritten(own, lambda part: replace(part, span=here))
        whole = substituted(own, values, taken)
        return rewritten(whole, lambda part: replace(part) if parts(part) else part)

    return rewritten(body, rule)
