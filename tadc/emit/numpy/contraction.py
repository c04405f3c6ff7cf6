"""Sums of products as `np.einsum`, in Python loops over as few and short indices as make reads slices.

With `r` in a loop, `x[n, c, p + r]` is the slice `x[:, :, r:r + P]`, and the condition `r <= p` bounds `p`. So a
convolution is a matrix product for each `r`, and its adjoint adds to a window of the output for each `r`.
Factors that are no slices (`x[pad(p + r)]`, `exp(x[i, k])`) are computed as arrays of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, log2, prod

from tadc.emit.numpy.hull import slanting_widths
from tadc.emit.numpy.reads import MASKED, Risk, is_safe
from tadc.emit.numpy.scope import Axis, Frame, Quotient, Scope
from tadc.ir.affine import Affine, Symbol, constant
from tadc.ir.bounds import bounded
from tadc.ir.domain import Derived, quotients
from tadc.ir.expr import Call, Const, Expr, Read, Reduce
from tadc.ir.program import Statement
from tadc.ir.range import Range
from tadc.ir.walk import postorder

__all__ = ["Contraction", "Plan"]

# Times, in operations of whole arrays: of a turn of a Python loop, of a point of a hull, and of a computed factor.
TURN = 5000
HULL_POINT = 5
FACTOR_POINT = 4
ROW = 16  # overhead of each row of a hull, in points
BLAS = 50  # operations of a matrix product in the time of one of whole arrays
LOOPS = 3  # at most, so that sums over many indices are planned in time
LONG = 4  # how much longer an index is guessed that is as long as the dimension that it shares


@dataclass(frozen=True, slots=True)
class Contraction:
    """`sum` over `reduce.domain` of `number` times the product of `factors`, for `indices` of the statement."""

    reduce: Reduce
    number: float
    factors: tuple[Expr, ...]
    indices: tuple[Symbol, ...]

    @classmethod
    def of(cls, e: Reduce, statement: Statement) -> Contraction | None:
        """The reduction as a contraction, None if its body is not a product. The number moves out, so it is finite."""
        number, factors = _factors(e.body)
        if e.op != "sum" or len(factors) < 2 or _has_reduction(factors) or not isfinite(number):
            return None
        used = set(e.symbols)
        for d in reversed(statement.derived):
            used |= set(d.symbols) if d.name in used else set()
        return cls(e, number, factors, tuple(i for i in statement.indices if i in used))


@dataclass(frozen=True, slots=True)
class Plan:
    """The choice of the indices of a contraction that are loops. `scope` has all of them as axes, for their ranges.

    `arrays` are the factors that are computed, as they are no slices; `piece` is the index that they are divided along.
    """

    contraction: Contraction
    scope: Scope
    derived: tuple[Derived, ...]
    bounds: Mapping[Symbol, Range]
    extents: Mapping[Symbol, Affine]
    loops: tuple[Symbol, ...] = ()
    arrays: tuple[Expr, ...] = ()
    piece: Symbol | None = None

    @classmethod
    def of(cls, c: Contraction, statement: Statement, frame: Frame, risk: Risk) -> Plan | None:
        """The plan, None where the hull of the domain is the better way, or the only one."""
        derived = quotients((*statement.derived, *c.reduce.derived))
        scope = Scope(frame.outside, {}, {d.name: d for d in derived})
        extents = statement.extents
        extents = {i: extents[i] for i in c.indices}
        for i, n in extents.items():
            scope.axes[i] = Axis(i, 0, constant(0), n, constant(0), n - 1)
        bounds = {b.range.index: b.range for b in bounded(c.reduce).each}
        for i, r in bounds.items():
            scope.axes[i] = _axis(r, scope, frame)
        reads = (e for e in postorder(c.factors) if isinstance(e, Read))
        if MASKED in risk and not all(is_safe(r, scope, frame, risk) for r in reads):
            return None
        return cls(c, scope, derived, bounds, extents)._cheapest(frame)

    def _cheapest(self, frame: Frame) -> Plan | None:
        """The plan with the loops that cost least, None if the hull costs less."""
        lengths = self._lengths(frame)
        points = prod(lengths.values())
        hull = HULL_POINT * (points + ROW * points // list(lengths.values())[-1])
        for i, r in self.bounds.items():
            hull = hull * _width(r, frame, lengths[i]) // lengths[i]
        best: tuple[int, Plan] | None = None
        for plan in self._candidates(lengths):
            cost = points // BLAS + plan._turns(lengths) * TURN
            cost += sum(FACTOR_POINT * prod(lengths[i] for i in self.under(e)) for e in plan.arrays)
            if cost < hull and (best is None or cost < best[0]):
                best = cost, plan
        return best and best[1]

    def _turns(self, lengths: Mapping[Symbol, int]) -> int:
        """The number of iterations of the loops; an index that an equality fixes takes one."""
        known = {s for s in self.used if s not in self.scope.axes}
        turns = min(1, len(self.loops))
        for i in self.loops:
            fixed = any(
                c.relation == "==" and i in c.form.symbols and known | {i} >= {*c.form.symbols}
                for c in self.contraction.reduce.domain
            )
            turns *= 1 if fixed else lengths[i]
            known.add(i)
        return turns

    def _candidates(self, lengths: Mapping[Symbol, int]) -> Iterator[Plan]:
        """Plans by their loops, fewest first: every condition has at most one axis left, and every axis a factor."""
        every = tuple(self.scope.axes)
        factors = dict.fromkeys(self.contraction.factors)
        covered = {i for e in factors for i in self.under(e)}
        for count in range(min(len(every), LOOPS) + 1):
            for loops in combinations(every, count):
                left = {i for i in every if i not in loops}
                if not (left <= covered and self._bounds_axes(left)):
                    continue
                arrays = tuple(e for e in factors if not self._is_slice(e, left))
                whole = not loops and any(self.under(e) >= left for e in arrays)
                if not whole:
                    piece = self._piece(arrays, left, lengths)
                    yield replace(self, loops=loops, arrays=arrays, piece=piece)

    @property
    def used(self) -> frozenset[Symbol]:
        """The symbols of the contraction, and those that its derived indices are made of."""
        symbols = {s for e in self.contraction.factors for s in e.symbols}
        symbols |= {*self.contraction.reduce.domain.symbols}
        for d in reversed(self.derived):
            symbols |= {*d.form.symbols} if d.name in symbols else set()
        return frozenset(symbols)

    def under(self, e: Expr) -> set[Symbol]:
        """The indices that an expression depends on."""
        return self.scope.indices(e.symbols)

    def _bounds_axes(self, left: set[Symbol]) -> bool:
        """Whether all conditions bound single axes, or none."""
        for c in self.contraction.reduce.domain:
            axes = left & self.scope.indices(frozenset(c.form.symbols))
            if axes and not (c.relation == ">=" and self._has_one_axis(c.form, left)):
                return False
        return True

    def _is_slice(self, e: Expr, left: set[Symbol]) -> bool:
        """Whether each subscript of a read has an axis or none."""
        return isinstance(e, Read) and all(self._has_one_axis(form, left) for form in e.subscripts)

    def _has_one_axis(self, form: Affine, left: set[Symbol]) -> bool:
        """Whether the form has one axis at most, and not as a derived index."""
        derived = (s for s in form.symbols if s in self.scope.derived)
        if any(left & self.scope.indices(frozenset((s,))) for s in derived):
            return False
        return sum(s in left for s in form.symbols) <= 1

    def _piece(
        self, arrays: Sequence[Expr], left: set[Symbol], lengths: Mapping[Symbol, int]
    ) -> Symbol | None:
        """The index to divide the computed factors along: the first one of the largest."""
        sizes = {e: prod(lengths[i] for i in self.under(e) & left) for e in arrays}
        if not sizes:
            return None
        largest = max(sizes, key=sizes.__getitem__)
        return next((i for i in self.scope.axes if i in left and i in self.under(largest)), None)

    def _lengths(self, frame: Frame) -> dict[Symbol, int]:
        """Guesses of how many values each index has."""
        lengths = {i: max(1, frame.guess(a.most - a.least)) + 1 for i, a in self.scope.axes.items()}
        for e in postorder(self.contraction.factors):
            if isinstance(e, Read):
                for form, n in zip(e.subscripts, frame.tensors[e.tensor].shape, strict=True):
                    shared = self.scope.indices(frozenset(form.symbols))
                    for i in shared if len(shared) > 1 else ():
                        axis = self.scope.axes[i]
                        if axis.most - axis.least == n - 1 and not n.is_constant:
                            lengths[i] = LONG * (frame.guess(n) + 1)
        return lengths


def _factors(e: Expr) -> tuple[float, tuple[Expr, ...]]:
    """The expression as a number times factors."""
    number: float = 1
    factors: list[Expr] = []
    stack: list[Expr] = [e]
    while stack:
        match stack.pop():
            case Const(value):
                number *= value
            case Call("neg", (x,)):
                number = -number
                stack.append(x)
            case Call("mul", (a, b)):
                stack += [b, a]
            case Call("div", (a, Const(value))) if value and log2(abs(value)) % 1 == 0:
                number /= value
                stack.append(a)
            case Call("pow", (x, Const(2))):
                factors += [x, x]
            case other:
                factors.append(other)
    return number, tuple(factors)


def _has_reduction(factors: tuple[Expr, ...]) -> bool:
    return any(isinstance(e, Reduce) for e in postorder(factors))


def _axis(r: Range, scope: Scope, frame: Frame) -> Axis:
    """An axis that holds all values of the index: those between bounds that depend on sizes only, if there are any."""
    lows = [
        (frame.extreme(e, scope, highest=False) + (c - 1), c, frame.is_scalar(e)) for e, c in r.lows
    ]
    highs = [(frame.extreme(e, scope, highest=True), c, frame.is_scalar(e)) for e, c in r.highs]
    low = frame.bound("max", _known(lows), f"{r.index}_low")
    high = frame.bound("min", _known(highs), f"{r.index}_high")
    return Axis(r.index, 0, low, high + 1, low, high)


def _known(quotients: Sequence[tuple[Affine, int, bool]]) -> list[Quotient]:
    scalar = [(e, c) for e, c, known in quotients if known or e.is_constant]
    return scalar or [(e, c) for e, c, _ in quotients]


def _width(r: Range, frame: Frame, length: int) -> int:
    """A guess of the number of values at one point around: of a band, its width."""
    widths = [frame.guess(e) // c for e, c in slanting_widths(r, frame)]
    return max(1, min([length, *widths]))
