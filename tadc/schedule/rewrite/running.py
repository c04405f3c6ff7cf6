"""Running sums, products and maxima: reductions whose last term moves on with an index, in one pass over all of them.

    c[i] = sum{j=0..i} x[j]      is      c[i] = c[i-1] + x[i]

The exclusive products in the gradient of a `prod` are two of these, one from the front and one from the back, so that
it costs a small multiple of the product (design, section 5.4). Terms are taken in their order, from the back if the
first term moves.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tadc.integer import implies, is_empty
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Domain
from tadc.ir.expr import Expr, Read, Reduce
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import descend, substitute, with_operands
from tadc.normalize.reductions import extents_inside, plain_extent
from tadc.schedule.rewrite.in_bounds import is_never_empty, reads_are_inside

__all__ = ["Running", "running", "separate_running"]


@dataclass(frozen=True, slots=True)
class Running:
    """A reduction as a pass over `index`, whose values are 0..extent-1, upwards or (`down`) downwards.

    `first` are the terms before the first value, None if there are none; each value adds the term `next` where
    `where` holds.
    """

    index: Symbol
    extent: Affine
    down: bool
    first: Reduce | None
    where: Domain
    next: Expr


def running(statement: Statement, known: Domain) -> Running | None:
    """The pass, if the statement is a reduction over one index that has one. `known` is what holds of the sizes.

    Quotients of the statement's indices may be in a term, which is then another one for the next value.
    """
    e, box = statement.body, statement.extents
    if not isinstance(e, Reduce) or len(e.indices) != 1 or e.derived or statement.derived:
        return None
    found = _moving(e, box)
    if found is None:
        return None
    index, own, moving = found
    extent, sign = box[index], moving.form.coefficient(index)
    fixed = Domain.of(c for c in e.domain if c != moving)
    start = extent if sign < 0 else constant(-1)
    before = fixed & Domain.of((moving.substitute({index: start}),))
    others = Domain.box({i: n for i, n in box.items() if i != index})
    inside = known & Domain.box(box)
    # s*k - s*j + rest >= 0: the term that is new at k is the one for which it is 0.
    newest = symbol(own) + moving.form * sign
    tests = (c.substitute({own: newest}) for c in fixed)
    return Running(
        index,
        extent,
        sign < 0,
        None if is_empty(known & others & before) else Reduce(e.op, e.indices, (), before, e.body),
        Domain.of(c for c in tests if not implies(inside, c)),
        substitute(e.body, {own: newest}),
    )


def _moving(e: Reduce, box: Mapping[Symbol, Affine]) -> tuple[Symbol, Symbol, Condition] | None:
    """The index around, the reduction's index whose bound moves with it, and that bound."""
    for index in reversed(tuple(box)):
        mentions = [c for c in e.domain if index in c.form.symbols]
        if len(mentions) != 1 or mentions[0].relation != ">=" or index in e.body.symbols:
            continue
        (moving,) = mentions
        sign = moving.form.coefficient(index)
        match [i for i in e.indices if i in moving.form.symbols]:
            case [own] if abs(sign) == 1 and moving.form.coefficient(own) == -sign:
                return index, own, moving
            case _:
                pass
    return None


def separate_running(program: Program, names: Names) -> Program:
    """Every such reduction as a statement of its own, and as one over one index: of reductions over the others."""
    sizes = frozenset(program.parameters)
    tensors = dict(program.tensors)
    statements: list[Statement] = []
    for s in program.statements:
        box = s.extents
        separation = _Separation(s, program, sizes, names, tensors, statements, {})
        body = descend(separation.walk(s.body, box, root=True))
        statements.append(replace(s, body=body))
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Separation:
    statement: Statement
    program: Program
    sizes: frozenset[Symbol]
    names: Names
    tensors: dict[str, Tensor]
    statements: list[Statement]
    done: dict[tuple[object, ...], Expr]

    def walk(
        self, e: Expr, extents: Mapping[Symbol, Affine], *, root: bool = False
    ) -> Generator[Any, Any, Expr]:
        """The expression with reads of what was separated. `extents` has the indices around that have plain ranges."""
        key = (e, tuple(extents.items()), root)
        if key not in self.done:
            inner = extents_inside(e, extents, self.sizes) if isinstance(e, Reduce) else extents
            operands = []
            for operand in e.operands:
                operands.append((yield self.walk(operand, inner)))
            result = with_operands(e, tuple(operands))
            if isinstance(result, Reduce) and not result.derived:
                result = self._separated(result, extents, root=root)
            self.done[key] = result
        return self.done[key]

    def _separated(self, e: Reduce, extents: Mapping[Symbol, Affine], *, root: bool) -> Expr:
        box = self._box(e, extents)
        found = _moving(e, box or {})
        if box is None or found is None:
            return e
        index, own, moving = found
        nested: Expr = e
        if len(e.indices) > 1:
            outer = Domain.of(c for c in e.domain if set(e.indices) & {*c.form.symbols} <= {own})
            slopes = (c.form.coefficient(own) for c in outer if c.relation == ">=")
            signs = {slope > 0 for slope in slopes if slope}
            if signs != {True, False}:
                return e  # a bound of its own depends on another index of the sum
            within = Domain.of(c for c in e.domain if c not in outer.conditions)
            rest = tuple(i for i in e.indices if i != own)
            terms: Expr = Reduce(e.op, rest, (), within, e.body)
            extent = plain_extent(own, self._over_all(index, box[index], moving, outer), self.sizes)
            if isinstance(terms, Reduce) and extent is not None:
                around = {**extents, own: extent}
                terms = self._separated(terms, around, root=False)
                if isinstance(terms, Reduce):
                    terms = self._stored(terms, self._box(terms, around))
            nested = Reduce(e.op, (own,), (), outer, terms)
        return nested if root or not isinstance(nested, Reduce) else self._stored(nested, box)

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
        if not reads_are_inside(e, known, self.tensors):
            return e
        name = self.names.fresh(f"{self.statement.target.name}_{e.op}")
        target = Tensor(name, tuple(box.values()), self.statement.target.dtype)
        self.tensors[name] = target
        self.statements.append(Statement(target, tuple(box), (), e))
        return Read(name, tuple(map(symbol, box)))
