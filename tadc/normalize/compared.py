"""Sums in the terms of a maximum as statements, so that every comparison with the maximum is of the same bits.

    y[i] = max{j | j <= i} sum{k} a[i,k]*b[j,k]      is      t[i,j] = if j <= i then sum{k} a[i,k]*b[j,k] else 0
                                                            y[i] = max{j | j <= i} t[i,j]

A derivative asks which terms equal the maximum. A term that is computed again, in another kernel, may be added up in another
order, and then no term does: the gradient would be 0. Where ranges are plain `separate_reductions` has made statements of such sums
already; here they move with other indices, stand under conditions, or depend on quotients of indices or on data:

    y[i] = max{e | k[e] = i} sum{l} a[i,l]*b[e,l]    is      t[e] = sum{l} a[k[e],l]*b[e,l];  y[i] = max{e | k[e] = i} t[e]

Where data are the bounds of an index, the tensors that are read at it say which values it has:

    y[i] = max{e=p[i]..q[i]} sum{l} a[i,l]*b[e,l]    is      t[i,e] = if p[i] <= e <= q[i] then sum{l} a[i,l]*b[e,l] else 0
                                                            y[i] = max{e=p[i]..q[i]} (if 0 <= e < E then t[i,e] else 0)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from tadc.integer import TooComplex, implies
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import (
    EVERYWHERE,
    Condition,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    between,
)
from tadc.ir.element_types import INDEX
from tadc.ir.expr import NEUTRAL, Call, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, reducing, rewrite_in, substitute

__all__ = ["Around", "Box", "Separation", "separate_compared"]


def separate_compared(program: Program, names: Names) -> Program:
    """The program with such sums as statements, where the ranges of the indices that they depend on have ends."""
    statements: list[Statement] = []
    derived = {*program.outputs}.union(*map(_derived_by, program.statements))
    for s in program.statements:
        separation = Separation(s, program, names, statements, reducing(s.body))
        boxes = tuple((i, Box(constant(0), n)) for i, n in s.extents.items())
        around = Around(boxes, s.derived, (), detached=s.target.name not in derived)
        statements.append(replace(s, body=rewrite_in(s.body, around, separation.enter)))
    return replace(program, statements=tuple(statements))


def _derived_by(s: Statement) -> frozenset[str]:
    """The tensors that the statement reads where derivatives do not take their elements for constants."""

    def into(e: Expr) -> tuple[Expr, ...]:
        return () if isinstance(e, Call) and e.function == "detached" else e.operands

    return frozenset(e.tensor for e in postorder(s.body, into) if isinstance(e, Read))


@dataclass(frozen=True, slots=True)
class Box:
    """The values `low .. low + extent - 1`, of which an index has some."""

    low: Affine
    extent: Affine

    @property
    def high(self) -> Affine:
        return self.low + self.extent - 1

    def has(self, value: Affine) -> tuple[Condition, Condition]:
        """That a value is one of these."""
        return between(self.low, value, self.high)


@dataclass(frozen=True, slots=True)
class Around:
    """The indices around an expression, those with known ends with a box, the derived ones, and the affine conditions on the way,
    each with whether it holds. `compared`: in the term of a maximum or minimum, and in no sum of it. `detached`: derivatives take
    the value for a constant, and compare nothing with it. `equated`: a side of `=` or `!=`, or in the term of a maximum or minimum there.
    """

    boxes: tuple[tuple[Symbol, Box], ...]
    derived: tuple[Determined, ...]
    guards: tuple[tuple[Domain, bool], ...]
    compared: bool = False
    detached: bool = False
    equated: bool = False
    within: frozenset[Symbol] = frozenset()


@dataclass(frozen=True, slots=True)
class Separation:
    statement: Statement
    program: Program
    names: Names
    statements: list[Statement]
    reducing: frozenset[
        Expr
    ]  # what has reductions in it: nothing else is entered, in how many places ever it stands

    def enter(self, e: Expr, around: Around) -> Entered[Around]:
        if e not in self.reducing:
            return e, ()
        match e:
            case Reduce("sum" | "prod") if around.compared and (read := self.stored(e, around)):
                return read, ()
            case Reduce(op, indices, derived, domain):
                boxes = dict(around.boxes)
                within = set(around.within).difference(indices)
                for i in indices:
                    boxes.pop(i, None)
                    if box := self.box(i, domain, boxes):
                        boxes[i] = box
                    elif box := self.where_read(i, e, derived):
                        boxes[i] = box
                        within.add(i)
                inner = Around(
                    tuple(boxes.items()),
                    (*around.derived, *derived),
                    (*around.guards, (domain, True)),
                    op in ("max", "min") and not around.detached,
                    around.detached,
                    around.equated and op in ("max", "min"),
                    frozenset(within),
                )
                return e, [inner]
            case Select(Domain() as domain):
                each = ((*around.guards, (domain, holds)) for holds in (True, False))
                return e, [replace(around, guards=guards) for guards in each]
            case Call("detached"):
                return e, [replace(around, compared=False, detached=True)]
            case _:
                return e, [around] * len(e.operands)

    def box(self, i: Symbol, domain: Domain, boxes: Mapping[Symbol, Box]) -> Box | None:
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
        return Box(low, extent) if implies(self.program.known, at_least_zero(extent)) else None

    def _ends(
        self, i: Symbol, domain: Domain, boxes: Mapping[Symbol, Box], sign: int
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

    def stored(self, e: Reduce, around: Around) -> Expr | None:
        """A read of a statement with the sum, over the indices that it depends on; None where one of these has no ends."""
        needed = None if self.statement.target.dtype == INDEX else self.needed(e, around)
        if needed is None:
            return None
        known, held, failing = needed
        free = self.underlying([*known.symbols, *(s for d in failing for s in d.symbols)], around)
        around = self.with_boxes(free, e, around)
        held = self.where_needed(held, free, around)
        boxes = dict(around.boxes)
        if not free or not all(s in boxes for s in free):
            return None
        body: Expr = Reduce(known.op, known.indices, known.derived, known.domain & held, known.body)
        for domain in reversed(failing):
            body = Select(domain, Const(NEUTRAL[e.op]), body)
        # In the statement its indices count from 0.
        indices = tuple(s for s in boxes if s in free)
        there = {i: symbol(i) + boxes[i].low for i in indices}
        derived = self.derived_of(body, around)
        name = self.names.fresh(f"{self.statement.target.name}_{e.op}")
        shape = tuple(boxes[i].extent for i in indices)
        target = Tensor(name, shape, self.statement.target.dtype)
        at = tuple(d.substitute(there) for d in derived)
        self.statements.append(Statement(target, indices, at, substitute(body, there)))
        read = Read(name, tuple(symbol(i) - boxes[i].low for i in indices))
        there_ = Domain.of(
            c for i in indices if i in around.within for c in boxes[i].has(symbol(i))
        )
        return Select(there_, read, Const(NEUTRAL[e.op])) if there_ != EVERYWHERE else read

    def with_boxes(self, free: Iterable[Symbol], e: Reduce, around: Around) -> Around:
        """With boxes for those of these indices that have none, where all terms of the sum read at them."""
        boxes, within = dict(around.boxes), set(around.within)
        for i in free:
            derived = (*around.derived, *e.derived)
            if i not in boxes and (box := self.where_read(i, e, derived)):
                boxes[i] = box
                within.add(i)
        return replace(around, boxes=tuple(boxes.items()), within=frozenset(within))

    def where_read(self, i: Symbol, e: Reduce, derived: Sequence[Determined]) -> Box | None:
        """The values of the index for which what all terms of the reduction read is inside of its tensors, if it is read at the index
        itself: for others it is an error.
        """
        looked = {d.name: d for d in derived if isinstance(d, Looked)}
        symbols = [*e.domain.symbols]
        waiting = [e.body]
        while waiting:
            match waiting.pop():
                case Read(tensor, subscripts):
                    if box := self._box_of(i, tensor, subscripts, looked):
                        return box
                case Select(Domain() as condition):
                    symbols += condition.symbols
                case Select(Comparison(_, left, right)):
                    waiting += (left, right)
                case Call(function, operands) if function != "detached":
                    waiting += operands
        places = ((looked[s].tensor, looked[s].subscripts) for s in symbols if s in looked)
        return next(filter(None, (self._box_of(i, *place, looked) for place in places)), None)

    def _box_of(
        self, i: Symbol, tensor: str, subscripts: Sequence[Affine], looked: Mapping[Symbol, Looked]
    ) -> Box | None:
        """The values of the index inside of a tensor where it is a subscript, or one of the data in a subscript."""
        for form, extent in zip(subscripts, self.program.tensors[tensor].shape, strict=True):
            if form == symbol(i) and all(s in self.program.parameters for s in extent.symbols):
                return Box(constant(0), extent)
            for s in form.symbols:
                d = looked.get(s)
                if d and (box := self._box_of(i, d.tensor, d.subscripts, looked)):
                    return box
        return None

    def needed(self, e: Reduce, around: Around) -> tuple[Reduce, Domain, list[Domain]] | None:
        """The sum by the indices that are needed to name it, and the conditions on the way that hold, and that fail."""
        boxes = dict(around.boxes)
        held = Domain.of(c for domain, holds in around.guards if holds for c in domain)
        failing = [domain for domain, holds in around.guards if not holds]
        # Where data say which element a term belongs to, there is one sum for each term.
        found = self.found_in_data(e, held, around)
        held = held.substitute(found) & Domain.of(
            c for i, v in found.items() for c in boxes[i].has(v)
        )
        known = substitute(e, found)
        if not isinstance(known, Reduce):
            return None  # it has no terms
        return known, held, [domain.substitute(found) for domain in failing]

    def found_in_data(self, e: Expr, held: Domain, around: Around) -> dict[Symbol, Affine]:
        """The indices of the sum that an equation gives as a form of data: `i` in `sum{e | k[e] = i}`."""
        looked = {d.name for d in around.derived if isinstance(d, Looked)}
        found: dict[Symbol, Affine] = {}
        for c in held:
            if c.relation != "==" or looked.isdisjoint(c.form.symbols):
                continue
            for i, _ in around.boxes:
                coefficient = c.form.coefficient(i)
                rest = c.form - coefficient * symbol(i)
                if (
                    i in e.symbols
                    and i not in found
                    and abs(coefficient) == 1
                    and not {i, *found} & self.underlying(rest.symbols, around).keys()
                ):
                    found[i] = rest * -coefficient
                    break
        return found

    def where_needed(self, held: Domain, free: dict[Symbol, None], around: Around) -> Domain:
        """Where in the box of the indices in `free` the sum is needed for some values of the others, which join them if that is no
        conjunction of conditions.
        """
        boxes = dict(around.boxes)
        direct = set(held.symbols) - {d.name for d in around.derived}
        for s in self.underlying(held.symbols, around):
            if s in free:
                continue
            own = [c for c in held if c.form.coefficient(s)]
            is_exact = all(c.relation != "|" and abs(c.form.coefficient(s)) == 1 for c in own)
            if s not in direct or s not in boxes or not is_exact:
                continue
            rest = Domain.of(c for c in held if not c.form.coefficient(s))
            with suppress(TooComplex):
                held = rest & project(Domain.of([*own, *boxes[s].has(symbol(s))]), [s])
        for s in self.underlying(held.symbols, around):
            free[s] = None
        return held

    def derived_of(self, body: Expr, around: Around) -> list[Determined]:
        """The derived indices that an expression needs, in order."""
        needed = set(body.symbols)
        found = []
        for d in reversed(around.derived):
            if d.name in needed:
                needed |= set(d.symbols)
                found.append(d)
        return found[::-1]

    def underlying(self, symbols: Iterable[Symbol], around: Around) -> dict[Symbol, None]:
        """The indices among the symbols, with those that derived ones are made of in their place."""
        found = dict.fromkeys(sorted(symbols))
        for d in reversed(around.derived):
            if d.name in found:
                del found[d.name]
                found |= dict.fromkeys(d.symbols)
        return {s: None for s in found if s not in self.program.parameters}


def _number_or_first(ends: Sequence[Affine], best: Callable[..., int]) -> Affine:
    """The best of the ends that are numbers, or else the first."""
    numbers = [end.constant for end in ends if end.is_constant]
    return constant(best(numbers)) if numbers else ends[0]
