"""Running sums, products and maxima: reductions whose last term moves on with an index, in one pass over all of them.

    c[i] = sum{j=0..i} x[j]      is      c[i] = c[i-1] + x[i]

Terms of a sum that change with the index do so by a factor, which the sum so far is multiplied with (`telescoping.py`).

The exclusive products in the gradient of a `prod` are two of these, one from the front and one from the back, so that
it costs a small multiple of the product (design, section 5.4). Terms are taken in their order, from the back if the
first term moves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tadc.integer import implies, is_empty
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE, Condition, Domain, at_least_zero, between
from tadc.ir.expr import Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, rewrite, rewrite_in, substitute
from tadc.normalize.in_bounds import is_never_empty, reads_are_in_bounds
from tadc.normalize.reductions import extents_in_body, plain_extent
from tadc.schedule.rewrite.exponents import Step
from tadc.schedule.rewrite.own_exponents import with_own_outside
from tadc.schedule.rewrite.telescoping import SO_FAR, carried, plain_powers, telescoped

__all__ = ["Running", "moving_bound", "passes_of", "running", "separate_running"]


@dataclass(frozen=True, slots=True)
class Running:
    """A reduction as a pass over `index`, whose values are 0..extent-1, upwards or (`down`) downwards.

    `first` are the terms before the first value, None if there are none; each value adds the term `next` where
    `where` holds. Before that the sum so far becomes `carried` (in terms of SO_FAR), if there is one.
    """

    index: Symbol
    extent: Affine
    down: bool
    first: Reduce | None
    where: Domain
    next: Expr
    carried: Expr | None = None


def running(statement: Statement, program: Program) -> Running | None:
    """The pass, if the statement of the program is a reduction over one index that has one.

    Quotients of the statement's indices may be in a term, which is then another one for the next value.
    """
    e, box = statement.body, statement.extents
    if not isinstance(e, Reduce) or len(e.indices) != 1 or e.derived or statement.derived:
        return None
    known = program.known
    around = known & Domain.box(box)
    so_far: Expr | None = None
    moving_range = _moving(e, box)
    if moving_range is None:
        for step in _steps(e, box, known):
            if so_far := carried(step, program):
                moving_range = step.index, step.inner, step.moving
                break
        else:
            return None
    index, inner, moving = moving_range
    extent, sign = box[index], moving.form.coefficient(index)
    fixed = Domain.of(c for c in e.domain if c != moving)
    start = extent if sign < 0 else constant(-1)
    before = fixed & Domain.of((moving.substitute({index: start}),))
    others = Domain.box({i: n for i, n in box.items() if i != index})
    # s*k - s*j + rest >= 0: the term that is new at k is the one for which it is 0.
    newest = symbol(inner) + moving.form * sign
    tests = (c.substitute({inner: newest}) for c in fixed)
    next_ = substitute(e.body, {inner: newest})
    first = e.body
    if so_far is not None:
        at_first = extent - 1 if sign < 0 else constant(0)
        first = substitute(first, {index: at_first})
        later = symbol(index) - 1 if sign > 0 else extent - 2 - symbol(index)
        so_far = Select(Domain.of((at_least_zero(later),)), so_far, SO_FAR)
        next_ = plain_powers(next_)
    return Running(
        index,
        extent,
        sign < 0,
        None if is_empty(known & others & before) else Reduce(e.op, e.indices, (), before, first),
        Domain.of(c for c in tests if not implies(around, c)),
        next_,
        so_far,
    )


def passes_of(program: Program) -> frozenset[str]:
    """The tensors of statements that are such passes."""
    return frozenset(s.target.name for s in program.statements if running(s, program))


def _steps(e: Reduce, box: Mapping[Symbol, Affine], known: Domain) -> Iterator[Step]:
    """The sum as one that may run along an index although its terms change with it."""
    if e.op != "sum" or len(e.indices) != 1 or e.derived:
        return
    for index in reversed(tuple(box)):
        if index in e.body.symbols and (moving := moving_bound(e, index)):
            inner, condition = moving
            yield Step(e, index, inner, condition, known & Domain.box(box))


def _moving(e: Reduce, box: Mapping[Symbol, Affine]) -> tuple[Symbol, Symbol, Condition] | None:
    """The index around, the reduction's index whose bound moves with it, and that bound."""
    for index in reversed(tuple(box)):
        if index not in e.body.symbols and (moving := moving_bound(e, index)):
            return index, *moving
    return None


def moving_bound(e: Reduce, index: Symbol) -> tuple[Symbol, Condition] | None:
    """The reduction's index whose bound moves with `index`, by 1 with each value, and that bound."""
    mentions = [c for c in e.domain if index in c.form.symbols]
    if len(mentions) != 1 or mentions[0].relation != ">=":
        return None
    (moving,) = mentions
    sign = moving.form.coefficient(index)
    match [i for i in e.indices if i in moving.form.symbols]:
        case [inner] if abs(sign) == 1 and moving.form.coefficient(inner) == -sign:
            return inner, moving
        case _:
            return None


def separate_running(program: Program, names: Names) -> Program:
    """Every such reduction as a statement of its own, and as one over one index: of reductions over the others."""
    sizes = frozenset(program.parameters)
    tensors = dict(program.tensors)
    statements: list[Statement] = []
    for s in program.statements:
        separation = _Separation(s, program, sizes, names, tensors, statements)
        around = _Around(tuple(s.extents.items()), root=True)
        body = rewrite_in(s.body, around, separation.enter, separation.separated)
        statements.append(replace(s, body=body))
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Around:
    """The extents of the indices around an expression that have plain ranges, and whether it is the whole."""

    extents: tuple[tuple[Symbol, Affine], ...]
    root: bool = False


@dataclass(frozen=True, slots=True)
class _Separation:
    statement: Statement
    program: Program
    sizes: frozenset[Symbol]
    names: Names
    tensors: dict[str, Tensor]
    statements: list[Statement]

    def enter(self, e: Expr, around: _Around) -> Entered[_Around]:
        extents = around.extents
        if isinstance(e, Reduce):
            extents = tuple(extents_in_body(e, dict(extents), self.sizes).items())
        return e, [_Around(extents)] * len(e.operands)

    def separated(self, e: Expr, around: _Around) -> Expr:
        """The expression with reads of the separated statements."""
        if isinstance(e, Reduce) and not e.derived:
            return self._separated(e, dict(around.extents), root=around.root)
        return e

    def _separated(self, e: Reduce, extents: Mapping[Symbol, Affine], *, root: bool) -> Expr:
        box = self._box(e, extents)
        moving_range = _moving(e, box or {})
        if box is None:
            return e
        if moving_range is None:
            return self._telescoped(e, box, root=root)
        index, inner, moving = moving_range
        nested: Expr = e
        if len(e.indices) > 1:
            outer = Domain.of(c for c in e.domain if set(e.indices) & {*c.form.symbols} <= {inner})
            slopes = (c.form.coefficient(inner) for c in outer if c.relation == ">=")
            signs = {slope > 0 for slope in slopes if slope}
            if signs != {True, False}:
                return e  # a bound of its own depends on another index of the sum
            within = Domain.of(c for c in e.domain if c not in outer.conditions)
            rest = tuple(i for i in e.indices if i != inner)
            terms: Expr = Reduce(e.op, rest, (), within, e.body)
            extent = plain_extent(
                inner, self._over_all(index, box[index], moving, outer), self.sizes
            )
            if isinstance(terms, Reduce) and extent is not None:
                around = {**extents, inner: extent}
                terms = self._separated(terms, around, root=False)
                if isinstance(terms, Reduce):
                    terms = self._stored(terms, self._box(terms, around))
            nested = Reduce(e.op, (inner,), (), outer, terms)
        return nested if root or not isinstance(nested, Reduce) else self._stored(nested, box)

    def _telescoped(self, e: Reduce, box: Mapping[Symbol, Affine], *, root: bool) -> Expr:
        """A sum whose terms change with an index of the box, if it can run along that."""
        if len(e.indices) > 1:
            return self._nested(e, box)
        program: Program | None = None
        for step in _steps(e, box, self.program.known):
            program = program or replace(self.program, statements=tuple(self.statements))
            if carried(step, program) is not None:
                return e if root else self._stored(e, box)
            split = telescoped(step, program)
            split = split or with_own_outside(step, box[step.index], program)
            if split is None:
                continue
            total = self._stored(split.total, {**box, step.index: split.extent})
            if total is split.total:
                continue
            total = substitute(total, {step.index: split.here})
            new = rewrite(split.factor, lambda n, total=total: total if n is SO_FAR else n)  # type: ignore[misc]
            inside = Domain.of(between(0, split.here, split.extent - 1))
            inside = Domain.of(c for c in inside if not implies(step.known, c))
            # The others are no terms, or a few at the ends.
            return new if inside == EVERYWHERE else Select(inside, new, e)
        return e

    def _nested(self, e: Reduce, box: Mapping[Symbol, Affine]) -> Expr:
        """A sum over several indices, as one of sums over the last of them that can run."""
        for inner in e.indices:
            rest = tuple(i for i in e.indices if i != inner)
            extents = {i: plain_extent(i, e.domain, self.sizes) for i in rest}
            plain = {i: n for i, n in extents.items() if n is not None}
            if e.op != "sum" or len(plain) < len(rest):
                continue
            own = Domain.of(c for c in e.domain if inner in c.form.symbols)
            outer = Domain.of(c for c in e.domain if inner not in c.form.symbols)
            terms = Reduce("sum", (inner,), (), own, e.body)
            around = self._box(terms, {**box, **plain})
            new = terms if around is None else self._telescoped(terms, around, root=False)
            if new is not terms:
                return Reduce("sum", rest, (), outer, new)
        return e

    def _over_all(self, index: Symbol, extent: Affine, moving: Condition, domain: Domain) -> Domain:
        """The domain with the weakest that the moving bound is for a value of the index."""
        end = extent - 1 if moving.form.coefficient(index) > 0 else constant(0)
        conditions = [c for c in domain if c != moving]
        weakest = moving.substitute({index: end})
        if not implies(self.program.known & Domain.of(conditions), weakest):
            conditions.append(weakest)
        return Domain.of(conditions)

    def _box(self, e: Reduce, extents: Mapping[Symbol, Affine]) -> Mapping[Symbol, Affine] | None:
        """The extents of the indices on which the reduction depends; None if one of them has none."""
        free = e.symbols - self.sizes
        box = {i: n for i, n in extents.items() if i in free}
        return box if len(box) == len(free) else None

    def _stored(self, e: Reduce, box: Mapping[Symbol, Affine] | None) -> Expr:
        """A read of a statement of its own, if all that it reads is inside without the guards around."""
        known = self.program.known & Domain.box(box or {})
        if box is None or not is_never_empty(box.values(), self.program):
            return e
        if not reads_are_in_bounds(e, known, self.tensors):
            return e
        name = self.names.fresh(f"{self.statement.target.name}_{e.op}")
        target = Tensor(name, tuple(box.values()), self.statement.target.dtype)
        self.tensors[name] = target
        self.statements.append(Statement(target, tuple(box), (), e))
        return Read(name, tuple(map(symbol, box)))
