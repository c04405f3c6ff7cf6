"""The reductions of the language by those of the intermediate representation, `sum prod max min`.

mean       the sum, divided by the number of points
logsumexp  m + log(sum exp(e - m)), m the maximum; derivatives may take m for a constant, since it cancels. One infinite
           term has the derivative 1 and the others 0, several have NaN
argmax     the smallest index at which the maximum stands; the first NaN if there is one

A reduction over nothing is its neutral element.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Determined, Domain
from tadc.ir.expr import (
    NEUTRAL,
    Call,
    Comparison,
    Const,
    Expr,
    IndexValue,
    ReduceOp,
    Select,
    call,
    reduction,
)

__all__ = ["REDUCTIONS", "Points"]

_INFINITY = Const(float("inf"))


@dataclass(frozen=True, slots=True)
class Points:
    """The points that a reduction runs over: a domain, and within it a test that gives a value or the neutral element.

    `base` is the first index in the text, 0 or 1.
    """

    indices: tuple[Symbol, ...]
    derived: tuple[Determined, ...]
    domain: Domain
    tested: Callable[[Expr, Expr], Expr]
    base: int

    def reduce(self, op: ReduceOp, body: Expr) -> Expr:
        tested = self.tested(body, Const(NEUTRAL[op]))
        return reduction(op, self.indices, self.derived, self.domain, tested)

    @property
    def index(self) -> Affine:
        """The first index as the text counts it."""
        return symbol(self.indices[0]) + self.base


def _mean(points: Points, body: Expr) -> Expr:
    return points.reduce("sum", body) / points.reduce("sum", Const(1))


def _logsumexp(points: Points, body: Expr) -> Expr:
    m = Call("detached", (points.reduce("max", body),))
    total = points.reduce("sum", call("exp", call("difference", body, m)))
    # Where m is infinite, `total` is the number of infinite terms. With several of them the derivative is undefined:
    # it is NaN, as that of an infinite `hypot` is. Of one term this `hypot` is 0, and so is its derivative.
    several = call("hypot", call("gate", _INFINITY, total - 1), Const(0))
    log = call("log", total) + Select(Comparison("==", m, _INFINITY), several, Const(0))
    return Select(Comparison("==", m, -_INFINITY), m, m + log)


def _argument(op: ReduceOp) -> Callable[[Points, Expr], Expr]:
    def argument(points: Points, body: Expr) -> Expr:
        here = IndexValue(points.index)
        nan = Select(Comparison("!=", body, body), here, _INFINITY)
        best = Select(Comparison("==", body, points.reduce(op, body)), here, nan)
        first = points.reduce("min", best)
        return Select(Comparison("==", first, _INFINITY), Const(-1), first)

    return argument


def _plain(op: ReduceOp) -> Callable[[Points, Expr], Expr]:
    return lambda points, body: points.reduce(op, body)


REDUCTIONS: dict[str, Callable[[Points, Expr], Expr]] = {
    "sum": _plain("sum"),
    "prod": _plain("prod"),
    "max": _plain("max"),
    "min": _plain("min"),
    "mean": _mean,
    "logsumexp": _logsumexp,
    "argmax": _argument("max"),
    "argmin": _argument("min"),
}
