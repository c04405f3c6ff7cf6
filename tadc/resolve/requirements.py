"""Conditions on sizes that a program requires: `require o + n <= N`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from tadc.errors import ShapeError, Span, SyntaxError
from tadc.ir.affine import Affine
from tadc.ir.domain import FALSE, Condition, at_least_zero, equals_zero
from tadc.resolve.shapes import Fact, escaped
from tadc.resolve.sizes import Sizes
from tadc.syntax import ast
from tadc.syntax.nodes import conjuncts

__all__ = ["required"]


def required(item: ast.Requirement, sizes: Sizes) -> Iterator[Fact]:
    """The facts that it states. Raises SyntaxError for what is no affine condition on sizes, ShapeError for what never holds."""
    for comparison in _comparisons(item.condition):
        forms = [sizes.form(operand) for operand in comparison.operands]
        for (a, b), relation in zip(pairwise(forms), comparison.relations, strict=True):
            condition = _condition(a, relation, b, comparison.span)
            if condition == FALSE:
                raise _never(comparison, a, b)
            shown = escaped(comparison.span.text)
            yield Fact(
                condition,
                ShapeError,
                comparison.span,
                f"the program requires `{shown}`, and this is {{}} {relation} {{}}",
                (a, b),
                "call it with other sizes, or change what is required",
            )


def _never(comparison: ast.Comparison, a: Affine, b: Affine) -> ShapeError:
    """The error for sides of which one is always too large."""
    text = f"`{comparison.span.text}`"
    if a.is_constant and b.is_constant:
        return ShapeError(
            comparison.span,
            f"{text} does not hold: {a} and {b}",
            fix="change the numbers of the sizes, or what is required",
        )
    apart = a - b
    if not apart.is_constant:
        why = "no integers do it"
    elif apart.constant:
        why = f"the sides differ by {abs(apart.constant)}"
    else:
        why = "both sides are the same"
    fact = f"{text} holds for no sizes: {why}"
    return ShapeError(comparison.span, fact, fix="change what is required")


def _comparisons(condition: ast.Condition) -> Iterator[ast.Comparison]:
    for part in conjuncts(condition):
        if not isinstance(part, ast.Comparison):
            raise SyntaxError(
                part.span,
                f"`{part.span.text}` is no condition that can be required",
                fix="write comparisons of sizes, joined by `and`: `require o + n <= N`",
            )
        yield part


def _condition(a: Affine, relation: str, b: Affine, span: Span) -> Condition:
    match relation:
        case "==":
            return equals_zero(a - b)
        case "<=" | "<":
            return at_least_zero(b - a - (relation == "<"))
        case ">=" | ">":
            return at_least_zero(a - b - (relation == ">"))
        case _:
            raise SyntaxError(
                span,
                "`!=` cannot be required: it is two conditions, of which one holds",
                fix="require the one that holds, `<` or `>`",
            )
