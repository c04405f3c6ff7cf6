"""Trees that are the same formula but for the order of terms, factors and sums, and with two indices exchanged."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any, TypeAlias

from tadc.syntax import ast
from tadc.syntax.nodes import Node, parts
from tadc.trampoline import descend

__all__ = ["Form", "form"]

Form: TypeAlias = "tuple[Any, ...]"

_SYMMETRIC = frozenset(("sum", "prod", "max", "min", "mean"))


def form(root: Node, names: Mapping[str, str]) -> Form:
    """Equal for trees whose values are, since only the order of terms, factors and reductions differs; `names` are indices with other names
    for them.
    """

    def walk(node: Node) -> Generator[Any, Any, Form]:
        inner: list[Form] = []
        for part in parts(node):
            inner.append((yield walk(part)))
        match node:
            case ast.Name(name):
                return ("name", names.get(name, name))
            case ast.Binary("+", _, _):
                return _ordered("+", [*_terms(inner[0]), *_terms(inner[1])])
            case ast.Binary("-", _, _):
                return _ordered("+", [*_terms(inner[0]), *map(_negated, _terms(inner[1]))])
            case ast.Unary():
                return _negated(inner[0])
            case ast.Binary("*", _, _):
                return _ordered("*", [*_factors(inner[0]), *_factors(inner[1])])
            case ast.Comparison(_, relations) if set(relations) <= {"==", "!="} and len(inner) == 2:
                return ("comparison", *relations, *_sorted(inner))
            case ast.Logical(operator, _, _):
                return ("logical", operator, *_sorted(inner))
            case ast.Reduction():
                return _reduction(node, inner, names)
            case _:
                return (type(node).__name__, *_own(node), *inner)

    return descend(walk(root))


def _own(node: Node) -> tuple[object, ...]:
    """What a node says beside its parts."""
    named = getattr(node, "name", getattr(node, "function", None))
    name = named.name if isinstance(named, ast.Name) else named
    return (name, *(getattr(node, field, None) for field in ("text", "operator", "relations")))


def _reduction(node: ast.Reduction, inner: list[Form], names: Mapping[str, str]) -> Form:
    """A reduction with the ranges and conditions of those of its kind that are all of its body."""
    *around, body = inner
    bounds = iter(around)
    ranges = [
        (
            names.get(r.name.name, r.name.name),
            *(None if b is None else next(bounds) for b in (r.extent, r.low, r.high)),
        )
        for r in node.ranges
    ]
    conditions = [*bounds]
    op = node.op.name
    if op in _SYMMETRIC - {"mean"} and body[:2] == ("reduction", op):
        ranges += body[2]
        conditions += body[3]
        body = body[4]
    if op not in _SYMMETRIC:
        return ("reduction", op, tuple(ranges), tuple(conditions), body)
    return ("reduction", op, tuple(_sorted(ranges)), tuple(_sorted(conditions)), body)


def _terms(one: Form) -> tuple[Form, ...]:
    return one[1:] if one[0] == "+" else (one,)


def _factors(one: Form) -> tuple[Form, ...]:
    return one[1:] if one[0] == "*" else (one,)


def _negated(one: Form) -> Form:
    return one[1] if one[0] == "-" else ("-", one)


def _ordered(kind: str, some: list[Form]) -> Form:
    return (kind, *_sorted(some))


def _sorted(some: list[Any]) -> list[Any]:
    return sorted(some, key=repr)
