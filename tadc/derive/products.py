"""Products of a cotangent or tangent with a partial derivative (design, section 3; language, section 6).

A branch that is not taken never contributes, and a zero contributes zero whatever it multiplies. So a choice stays
outermost, and where the partial may be infinite or NaN the product is a `gate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tadc.ir.domain import Domain
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Select
from tadc.ir.functions import FUNCTIONS, partials
from tadc.normalize.masks import Judge

__all__ = ["Products", "plus"]

ZERO = Const(0)


def plus(a: Expr | None, b: Expr | None) -> Expr | None:
    """The sum of two contributions; None is zero. Choices by one condition are added branch by branch."""
    match a, b:
        case None, _:
            return b
        case _, None:
            return a
        case Select(condition, yes, no), Select(other, yes_, no_) if condition == other:
            return Select(condition, _sum(yes, yes_), _sum(no, no_))
        case _:
            assert a is not None and b is not None
            return Call("add", (a, b))


def _sum(a: Expr, b: Expr) -> Expr:
    return b if a is ZERO else a if b is ZERO else Call("add", (a, b))


@dataclass(frozen=True, slots=True)
class Products:
    """Multiplies within one statement, whose values `judge` judges."""

    judge: Judge

    def partials(self, node: Call, g: Expr) -> list[tuple[Expr, Expr]]:
        """Each operand of the call with `g` times the derivative by it; none where the derivative is zero."""
        return self.tangents(node, dict.fromkeys(node.args, g))

    def tangents(self, node: Call, g: Mapping[Expr, Expr | None]) -> list[tuple[Expr, Expr]]:
        """Each operand of the call with its `g` times the derivative by it; none where either is zero."""
        gated = FUNCTIONS[node.function].gated
        return [
            (operand, self.times(change, partial, gated=gated))
            for operand, partial in zip(node.args, partials(node), strict=True)
            if partial is not None and partial is not ZERO and (change := g[operand]) is not None
        ]

    def times(self, g: Expr, partial: Expr, *, gated: bool = False) -> Expr:
        around, g = _choices(g)
        if self.judge.may_be_infinite(g):
            further, partial = _choices(partial)
            around += further
        product = self._product(g, partial, gated=gated)
        for condition, holds in reversed(around):
            product = (
                Select(condition, product, ZERO) if holds else Select(condition, ZERO, product)
            )
        return product

    def _product(self, g: Expr, partial: Expr, *, gated: bool) -> Expr:
        match partial:
            case Const(1):
                return g
            case Const(-1):
                return Call("neg", (g,))
        if (gated and not isinstance(partial, (Const, IndexValue))) or self._clash(g, partial):
            return Call("gate", (g, partial))
        match partial:
            case Call("div", (Const(1), divisor)):
                return Call("div", (g, divisor))
            case _:
                return Call("mul", (g, partial))

    def _clash(self, g: Expr, partial: Expr) -> bool:
        """Whether one of the two may be a zero that masks where the other is not finite.

        Any `g` may be zero, for a caller may give a cotangent of zero; of that only the own statement is to know.
        """
        judge = self.judge
        return (
            judge.may_become_infinite(partial)
            or (judge.may_be_infinite(partial) and judge.may_be_masked(g))
            or (judge.may_be_infinite(g) and judge.may_be_masked(partial))
        )


def _choices(e: Expr) -> tuple[list[tuple[Domain | Comparison, bool]], Expr]:
    """The choices between a value and zero that stand around it, outermost first, and the value."""
    around: list[tuple[Domain | Comparison, bool]] = []
    while True:
        match e:
            case Select(condition, then, Const(0)):
                around.append((condition, True))
                e = then
            case Select(condition, Const(0), otherwise):
                around.append((condition, False))
                e = otherwise
            case _:
                return around, e
