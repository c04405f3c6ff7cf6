"""Rational index expressions: `1/2*i`, `(i + 1)/2`. Only bounds and `e is int` may have them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, TypeAlias

from tadc.ir.affine import Affine
from tadc.ir.domain import Condition
from tadc.ir.walk import descend
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.scope import Scope
from tadc.syntax import ast

__all__ = ["rational"]


Piece: TypeAlias = tuple[tuple[Condition, ...], Affine, int]


def rational(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> list[Piece]:
    """`e` as affine forms over positive divisors, under conditions that exclude each other and cover everything."""
    pieces: list[Piece] = descend(_rational(e, scope, indexing))
    return pieces


def _rational(
    e: ast.Expression, scope: Scope, indexing: IndexExpressions
) -> Generator[Any, Any, list[Piece]]:
    if not _has_quotient(e):
        return [(conditions, form, 1) for conditions, form in indexing.pieces(e, scope)]
    match e:
        case ast.Unary(operand):
            return [
                (given, -form, d) for given, form, d in (yield _rational(operand, scope, indexing))
            ]
        case ast.Binary("/", left, right):
            by = indexing.form(right, scope)
            if by.is_constant and by.constant:
                sign = 1 if by.constant > 0 else -1
                pieces = yield _rational(left, scope, indexing)
                return [(given, form * sign, d * abs(by.constant)) for given, form, d in pieces]
        case ast.Binary("+" | "-" | "*" as operator, left, right):
            lefts = yield _rational(left, scope, indexing)
            rights = yield _rational(right, scope, indexing)
            combined = [
                ((*first, *second), _combined(operator, a, d, b, f), d * f)
                for first, a, d in lefts
                for second, b, f in rights
            ]
            affine = [(given, form, d) for given, form, d in combined if form is not None]
            if len(affine) == len(combined):
                return affine
    return [(conditions, form, 1) for conditions, form in indexing.pieces(e, scope)]


def _combined(operator: str, a: Affine, d: int, b: Affine, f: int) -> Affine | None:
    """The numerator of `a/d operator b/f` over `d*f`; None for a product that is not affine."""
    match operator:
        case "+":
            return a * f + b * d
        case "-":
            return a * f - b * d
        case _ if a.is_constant:
            return b * a.constant
        case _:
            return a * b.constant if b.is_constant else None


def _has_quotient(e: ast.Expression) -> bool:
    """Whether `/` stands in it where a rational may: under signs, `+`, `-` and `*`."""
    stack = [e]
    while stack:
        match stack.pop():
            case ast.Binary("/"):
                return True
            case ast.Binary("+" | "-" | "*", left, right):
                stack += [left, right]
            case ast.Unary(operand):
                stack.append(operand)
            case _:
                pass
    return False
