"""Rational index expressions: `1/2*i`, `(i + 1)/2`. Only bounds and `e is int` may have them."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from tadc.ir.affine import Affine
from tadc.ir.walk import descend
from tadc.resolve.index_expression import IndexExpressions
from tadc.resolve.scope import Scope
from tadc.syntax import ast

__all__ = ["rational"]


def rational(e: ast.Expression, scope: Scope, indexing: IndexExpressions) -> tuple[Affine, int]:
    """`e` as an affine form over a positive divisor. Raises SyntaxError where it is not affine."""
    return descend(_rational(e, scope, indexing))


def _rational(
    e: ast.Expression, scope: Scope, indexing: IndexExpressions
) -> Generator[Any, Any, tuple[Affine, int]]:
    match e:
        case ast.Unary(operand):
            form, divisor = yield _rational(operand, scope, indexing)
            return -form, divisor
        case ast.Binary("/", left, right):
            form, divisor = yield _rational(left, scope, indexing)
            by = indexing.form(right, scope)
            if by.is_constant and by.constant:
                sign = 1 if by.constant > 0 else -1
                return form * sign, divisor * abs(by.constant)
        case ast.Binary("+" | "-" | "*" as operator, left, right):
            a, d = yield _rational(left, scope, indexing)
            b, f = yield _rational(right, scope, indexing)
            if operator == "+":
                return a * f + b * d, d * f
            if operator == "-":
                return a * f - b * d, d * f
            if a.is_constant or b.is_constant:
                product = b * a.constant if a.is_constant else a * b.constant
                return product, d * f
    return indexing.form(e, scope), 1
