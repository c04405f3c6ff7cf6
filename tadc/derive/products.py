"""Products of a cotangent or tangent with a partial derivative (design, section 3; language, section 6).

A branch that is not taken never contributes, and a zero contributes zero whatever it multiplies. So a choice stays
outermost, and where the partial may be infinite or NaN the product is a `gate`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, field
from math import isfinite

from tadc.integer import implies
from tadc.ir.domain import Domain, at_least_zero
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.functions import FUNCTIONS, partials
from tadc.ir.walk import postorder

__all__ = ["Products", "has_choice", "may_be_infinite", "plus"]

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
    `known` holds of the sizes.

    `masked`: the statement's cotangent may hold zeros that stand for branches not taken; then intermediate tensors
    may be NaN where it is zero.
    """

    finite: Set[str]
    masked: bool
    known: Domain
    _found: dict[str, dict[Expr, bool]] = field(default_factory=dict, compare=False)

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
        around: list[tuple[Domain | Comparison, bool]] = []  # choices between a change and zero
        while True:
            match g:
                case Select(condition, then, Const(0)):
                    around.append((condition, True))
                    g = then
                case Select(condition, Const(0), otherwise):
                    around.append((condition, False))
                    g = otherwise
                case _:
                    break
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
        if self.masked or somewhere(g, is_choice, self._found.setdefault("choice", {})):
            done = self._found.setdefault("masked", {})
            return not somewhere(partial, self._may_be_infinite_where_masked, done)
        return not somewhere(partial, self._may_be_infinite, self._found.setdefault("plain", {}))

    def _may_be_infinite_where_masked(self, e: Expr) -> bool:
        return self._may_be_infinite(e) or (isinstance(e, Read) and e.tensor not in self.finite)

    def _may_be_infinite(self, e: Expr) -> bool:
        match e:
            case Call("div", (_, divisor)) if self._is_positive(divisor):
                return False
            case _:
                return may_be_infinite(e)

    def _is_positive(self, e: Expr) -> bool:
        """Whether it is a product of numbers of elements, as in a mean."""
        match e:
            case IndexValue(form):
                return implies(self.known, at_least_zero(form - 1))
            case Call("mul", operands):
                return all(map(self._is_positive, operands))
            case _:
                return False


def may_be_infinite(e: Expr) -> bool:
    """Whether the node may be infinite or NaN although its operands, and the tensors that are read, are finite."""
    match e:
        case Const(value):
            return not isfinite(value)
        case Call("pow", (_, Const(n))):
            return n < 0 or n != int(n)
        case Call("div", (_, Const(divisor))) if divisor:
            return False
        case Call(function):
            return not FUNCTIONS[function].finite
        case Reduce(op):
            return op not in ("sum", "prod")
        case Read() | IndexValue() | Select():
            return False


def is_choice(e: Expr) -> bool:
    """Whether a comparison of values decides."""
    return isinstance(e, Select) and isinstance(e.condition, Comparison)


def has_choice(g: Expr) -> bool:
    """Whether a comparison of values decides anywhere in `g`."""
    return any(map(is_choice, postorder(g)))


def somewhere(root: Expr, holds: Callable[[Expr], bool], done: dict[Expr, bool]) -> bool:
    """Whether `holds` of a node anywhere in `root`; `done` remembers it, so that a long chain is walked once."""
    for node in postorder(root, lambda e: () if e in done else e.operands):
        if node not in done:
            done[node] = holds(node) or any(done[o] for o in node.operands)
    return done[root]
