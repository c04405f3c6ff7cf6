"""Minima and maxima of index expressions, for comparisons: `max(a, b) <= c` is `a <= c and b <= c`, and no choice.

    Extreme = Affine | Least(parts) | Largest(parts)

Sums, multiples and floor divisions of extremes are extremes again, for each moves one way with every part.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

from tadc.ir.affine import Affine, constant
from tadc.ir.walk import descend
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.scope import Scope
from tadc.syntax import ast
from tadc.syntax.arithmetic import arithmetic

__all__ = ["Extreme", "Largest", "Least", "difference", "has_extremes"]

MOST_LEAVES = 64
EXTREMES = ("min", "max", "clamp", "abs")


@dataclass(frozen=True, slots=True)
class Least:
    parts: tuple[Extreme, ...]


@dataclass(frozen=True, slots=True)
class Largest:
    parts: tuple[Extreme, ...]


Extreme: TypeAlias = Affine | Least | Largest
Walk: TypeAlias = Generator[Any, Any, Extreme | None]


def has_extremes(e: ast.Expression) -> bool:
    """Whether a minimum, a maximum, a `clamp` or an absolute value is in an index expression."""
    return any(
        isinstance(node, ast.Application) and node.function.name in EXTREMES
        for node in arithmetic(e)
    )


def difference(
    left: ast.Expression, right: ast.Expression, scope: Scope, indexing: IndexExpressions
) -> Extreme | None:
    """`left - right` of two index expressions; None where that is no extreme, as a remainder of one is not, or too large."""
    a = descend(_extreme(left, scope, indexing))
    b = descend(_extreme(right, scope, indexing))
    return None if a is None or b is None else _sum(a, _negated(b))


def _extreme(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> Walk:
    if not has_extremes(e):
        return indexing.form(e, scope)
    match e:
        case ast.Unary(operand):
            a = yield _extreme(operand, scope, indexing)
            return None if a is None else _negated(a)
        case ast.Binary("+" | "-" | "*" | "//" as operator, left, right):
            a = yield _extreme(left, scope, indexing)
            b = yield _extreme(right, scope, indexing)
            return None if a is None or b is None else _combined(operator, a, b, scope, indexing)
        case ast.Application(ast.Name(name), args):
            parts: list[Extreme] = []
            for arg in args:
                if isinstance(arg, (ast.Comparison, ast.Logical, ast.Not, ast.IsInteger)):
                    return None
                part = yield _extreme(arg, scope, indexing)
                if part is None:
                    return None
                parts.append(part)
            return _applied(name, parts)
        case _:
            return None


def _applied(name: str, parts: list[Extreme]) -> Extreme | None:
    match name, parts:
        case "abs", [a]:
            return Largest((a, _negated(a)))
        case "clamp", [a, low, high]:
            return Least((Largest((a, low)), high))
        case "min", [_, _, *_]:
            return Least(tuple(parts))
        case "max", [_, _, *_]:
            return Largest(tuple(parts))
        case _:
            return None


def _combined(
    operator: str, a: Extreme, b: Extreme, scope: Scope, indexing: IndexExpressions
) -> Extreme | None:
    match operator:
        case "+":
            return _sum(a, b)
        case "-":
            return _sum(a, _negated(b))
        case "*" if isinstance(b, Affine) and b.is_constant:
            return _multiple(a, b.constant)
        case "*" if isinstance(a, Affine) and a.is_constant:
            return _multiple(b, a.constant)
        case "//" if isinstance(b, Affine) and b.is_constant and b.constant > 0:
            divisor = b.constant
            return _mapped(a, lambda form: indexing.divided(form, divisor, scope))
        case _:
            return None


def _mapped(e: Extreme, f: Callable[[Affine], Affine]) -> Extreme:
    """The extreme of the values of `f`, which does not decrease."""
    if isinstance(e, Affine):
        return f(e)
    return type(e)(tuple(_mapped(part, f) for part in e.parts))


def _negated(e: Extreme) -> Extreme:
    match e:
        case Affine():
            return -e
        case Least(parts):
            return Largest(tuple(map(_negated, parts)))
        case Largest(parts):
            return Least(tuple(map(_negated, parts)))


def _multiple(e: Extreme, factor: int) -> Extreme:
    if factor == 0:
        return constant(0)
    scaled = _mapped(e, lambda form: form * abs(factor))
    return scaled if factor > 0 else _negated(scaled)


def _sum(a: Extreme, b: Extreme) -> Extreme | None:
    if _leaves(a) * _leaves(b) > MOST_LEAVES:
        return None
    return _added(a, b)


def _added(a: Extreme, b: Extreme) -> Extreme:
    if not isinstance(a, Affine):
        return type(a)(tuple(_added(part, b) for part in a.parts))
    if not isinstance(b, Affine):
        return type(b)(tuple(_added(a, part) for part in b.parts))
    return a + b


def _leaves(e: Extreme) -> int:
    return sum(1 for _ in _forms(e))


def _forms(e: Extreme) -> Iterable[Affine]:
    if isinstance(e, Affine):
        return (e,)
    return chain.from_iterable(map(_forms, e.parts))
