"""Products of a cotangent or tangent with a partial derivative (design, section 3; language, section 6).

A branch that is not taken never contributes, and a zero contributes zero whatever it multiplies. So a choice stays
outermost, and where the partial may be infinite or NaN the product is a `gate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from math import isfinite

from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.functions import FUNCTIONS, partials
from tadc.ir.walk import postorder

__all__ = ["Products", "has_choice", "plus"]

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
    """Multiplies within one statement. `finite` are tensors whose elements count as finite: the inputs.

    `masked`: the statement's cotangent may hold zeros that stand for branches not taken; then intermediate tensors
    may be NaN where it is zero.
    """

    finite: Set[str]
    masked: bool

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
        match g:
            case Select(condition, then, Const(0)):
                return Select(condition, self.times(then, partial, gated=gated), ZERO)
            case Select(condition, Const(0), otherwise):
                return Select(condition, ZERO, self.times(otherwise, partial, gated=gated))
        match partial:
            case Const(1):
                return g
            case Const(-1):
                return Call("neg", (g,))
        if (gated and not isinstance(partial, (Const, IndexValue))) or not self._is_finite(
            partial, g
        ):
            return Call("gate", (g, partial))
        match partial:
            case Call("div", (Const(1), divisor)):
                return Call("div", (g, divisor))
            case _:
                return Call("mul", (g, partial))

    def _is_finite(self, partial: Expr, g: Expr) -> bool:
        """Whether the partial is finite wherever `g` may be a zero that masks."""
        intermediate = not self.masked and not has_choice(g)
        for node in postorder(partial):
            match node:
                case Const(value):
                    if not isfinite(value):
                        return False
                case Read(tensor):
                    if not intermediate and tensor not in self.finite:
                        return False
                case Call("pow", (_, Const(n))):
                    if n < 0 or n != int(n):
                        return False
                case Call("div", (_, Const(divisor))) if divisor:
                    pass
                case Call(function):
                    if not FUNCTIONS[function].finite:
                        return False
                case Reduce(op):
                    if op not in ("sum", "prod"):
                        return False
                case IndexValue() | Select():
                    pass
        return True


def has_choice(g: Expr) -> bool:
    """Whether a comparison of values decides anywhere in `g`."""
    return any(isinstance(e, Select) and isinstance(e.condition, Comparison) for e in postorder(g))
