"""Sums in the terms of a maximum as statements, so that every comparison with the maximum is of the same bits.

    y[i] = max{j | j <= i} sum{k} a[i,k]*b[j,k]      is      t[i,j] = if j <= i then sum{k} a[i,k]*b[j,k] else 0
                                                            y[i] = max{j | j <= i} t[i,j]

A derivative asks which terms equal the maximum. A term that is computed again, in another kernel, may be added up in another
order, and then no term does: the gradient would be 0. Where ranges are plain `separate_reductions` has made statements of such sums
already; here they move with other indices, stand under conditions, or depend on quotients of indices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Derived, Determined, Domain, at_least_zero
from tadc.ir.element_types import INDEX
from tadc.ir.expr import NEUTRAL, Call, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, rewrite_in, substitute

__all__ = ["separate_compared"]


def separate_compared(program: Program, names: Names) -> Program:
    """The program with such sums as statements, where the ranges of the indices that they depend on have ends."""
    statements: list[Statement] = []
    derived = {*program.outputs}.union(*map(_derived_by, program.statements))
    for s in program.statements:
        separation = _Separation(s, program, names, statements)
        boxes = tuple((i, _Box(constant(0), n)) for i, n in s.extents.items())
        around = _Around(boxes, s.derived, (), detached=s.target.name not in derived)
        statements.append(replace(s, body=rewrite_in(s.body, around, separation.enter)))
    return replace(program, statements=tuple(statements))


def _derived_by(s: Statement) -> frozenset[str]:
    """The tensors that the statement reads where derivatives do not take their elements for constants."""

    def into(e: Expr) -> tuple[Expr, ...]:
        return () if isinstance(e, Call) and e.function == "detached" else e.operands

    return frozenset(e.tensor for e in postorder(s.body, into) if isinstance(e, Read))


@dataclass(frozen=True, slots=True)
class _Box:
    """The values `low .. low + extent - 1`, of which an index has some."""

    low: Affine
    extent: Affine

    @property
    def high(self) -> Affine:
        return self.low + self.extent - 1


@dataclass(frozen=True, slots=True)
class _Around:
    """The indices around an expression, those with known ends with a box, the derived ones, and the affine conditions on the way,
    each with whether it holds. `compared`: in the term of a maximum or minimum, and in no sum of it. `detached`: derivatives take
    the value for a constant, and compare nothing with it.
    """

    boxes: tuple[tuple[Symbol, _Box], ...]
    derived: tuple[Determined, ...]
    guards: tuple[tuple[Domain, bool], ...]
    compared: bool = False
    detached: bool = False


@dataclass(frozen=True, slots=True)
class _Separation:
    statement: Statement
    program: Program
    names: Names
    statements: list[Statement]

    def enter(self, e: Expr, around: _Around) -> Entered[_Around]:
        match e:
            case Reduce("sum" | "prod") if around.compared and (read := self._stored(e, around)):
                return read, ()
            case Reduce(op, indices, derived, domain):
                boxes = dict(around.boxes)
                for i in indices:
                    boxes.pop(i, None)
                    if box := self._box(i, domain, boxes):
                        boxes[i] = box
                inner = _Around(
                    tuple(boxes.items()),
                    (*around.derived, *derived),
                    (*around.guards, (domain, True)),
                    op in ("max", "min") and not around.detached,
                    around.detached,
                )
                return e, [inner]
            case Select(Domain() as domain):
                each = ((*around.guards, (domain, holds)) for holds in (True, False))
                return e, [replace(around, guards=guards) for guards in each]
            case Call("detached"):
                return e, [replace(around, compared=False, detached=True)]
            case _:
                return e, [around] * len(e.operands)

    def _box(self, i: Symbol, domain: Domain, boxes: Mapping[Symbol, _Box]) -> _Box | None:
        """The values that the index has anywhere, as far as its bounds tell."""
        lows = [-end for end in self._ends(i, domain, boxes, 1)]
        highs = list(self._ends(i, domain, boxes, -1))
        if not lows or not highs:
            return None
        low, high = _number_or_first(lows, max), _number_or_first(highs, min)
        if low.is_constant and low.constant > 0:
            low = constant(0)
        extent = high - low + 1
        if not implies(self.program.known, at_least_zero(extent)):
            extent -= min(0, extent.constant)
        return _Box(low, extent) if implies(self.program.known, at_least_zero(extent)) else None

    def _ends(
        self, i: Symbol, domain: Domain, boxes: Mapping[Symbol, _Box], sign: int
    ) -> Iterator[Affine]:
        """For the conditions `sign*i + rest >= 0`, the greatest value of `rest`."""
        for c in domain:
            signs = (1, -1) if c.relation == "==" else (1,) if c.relation == ">=" else ()
            for form in (c.form * s for s in signs):
                if form.coefficient(i) != sign:
                    continue
                rest = form - sign * symbol(i)
                others = [s for s in rest.symbols if s not in self.program.parameters]
                if all(s in boxes for s in others):
                    ends = {s: boxes[s].high if rest.coefficient(s) > 0 else boxes[s].low for s in others}  # fmt: skip
                    yield rest.substitute(ends)

    def _stored(self, e: Reduce, around: _Around) -> Expr | None:
        """A read of a statement with the sum, over all indices that it depends on, or that conditions around it speak of."""
        if self.statement.target.dtype == INDEX:
            return None
        boxes = dict(around.boxes)
        free = _underlying(e.symbols, around.derived)
        for domain, _ in around.guards:
            free |= _underlying(domain.symbols, around.derived)
        free = {s: None for s in free if s not in self.program.parameters}
        if not free or not all(s in boxes for s in free):
            return None
        indices = [s for s in boxes if s in free]
        derived = [d for d in around.derived if free.keys() >= _underlying(d.symbols, around.derived).keys() - {*self.program.parameters}]  # fmt: skip
        if not all(isinstance(d, Derived) for d in derived):
            return None
        held = Domain.of(c for domain, holds in around.guards if holds for c in domain)
        body: Expr = Reduce(e.op, e.indices, e.derived, e.domain & held, e.body)
        for domain, holds in reversed(around.guards):
            body = body if holds else Select(domain, Const(NEUTRAL[e.op]), body)
        # From here on indices count from 0.
        there = {i: symbol(i) + boxes[i].low for i in indices}
        body = substitute(body, there)
        at = tuple(d.substitute(there) for d in derived)
        name = self.names.fresh(f"{self.statement.target.name}_{e.op}")
        shape = tuple(boxes[i].extent for i in indices)
        target = Tensor(name, shape, self.statement.target.dtype)
        self.statements.append(Statement(target, tuple(indices), at, body))
        return Read(name, tuple(symbol(i) - boxes[i].low for i in indices))


def _underlying(
    symbols: Sequence[Symbol] | frozenset[Symbol], derived: Sequence[Determined]
) -> dict[Symbol, None]:
    """The symbols, with those that derived indices are made of in their place."""
    found = dict.fromkeys(sorted(symbols))
    for d in reversed(derived):
        if d.name in found:
            del found[d.name]
            found |= dict.fromkeys(d.symbols)
    return found


def _number_or_first(ends: Sequence[Affine], best: Callable[..., int]) -> Affine:
    """The best of the ends that are numbers, or else the first."""
    numbers = [end.constant for end in ends if end.is_constant]
    return constant(best(numbers)) if numbers else ends[0]
