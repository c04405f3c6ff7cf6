"""Reduction normal form (design, section 5.1): a reduction inside a larger expression becomes a statement of its own.

Inside another reduction it does so if it has fewer free indices than its surroundings, and would be computed again and
again. At the top of a statement it is computed once an element and may stay for the value; for derivatives it becomes a
statement too, because every gradient reads it at other places than where it was computed.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace
from typing import TypeAlias

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EVERYWHERE, Determined, Domain, Looked, at_least_zero, between
from tadc.ir.element_types import INDEX
from tadc.ir.expr import NEUTRAL, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, rewrite_in
from tadc.normalize.in_bounds import reads_are_in_bounds

__all__ = [
    "extents_around_body",
    "extents_in_body",
    "plain_extent",
    "separate_inner_reductions",
    "separate_reductions",
]

_Guard: TypeAlias = tuple[Domain, bool]
_Guards: TypeAlias = tuple[_Guard, ...]


def separate_inner_reductions(program: Program, names: Names) -> Program:
    """Reductions that would be computed more than once an element become statements."""
    return _separated(program, names, top=False)


def separate_reductions(program: Program, names: Names) -> Program:
    """Besides, reductions inside a larger expression at the top of a statement become statements."""
    return _separated(program, names, top=True)


def _separated(program: Program, names: Names, *, top: bool) -> Program:
    sizes = set(program.parameters)
    statements: list[Statement] = []
    for statement in program.statements:
        separation = _Separation(statement, program, sizes, names, top, statements)
        around = _Surroundings((), (), True)
        body = rewrite_in(statement.body, around, separation.enter, separation.separated)
        statements.append(replace(statement, body=body))
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The context of an expression: indices bound by reductions around it, and the affine conditions on the way.

    An index has its extent, or None if its range is no plain 0..extent-1. A guard is a condition and whether it holds.
    `compared`: in a maximum or minimum, whose derivative compares the body with the value.
    """

    bound: tuple[tuple[Symbol, Affine | None], ...]
    guards: _Guards
    root: bool
    compared: bool = False


@dataclass(frozen=True, slots=True)
class _Separation:
    statement: Statement
    program: Program
    sizes: set[Symbol]
    names: Names
    top: bool
    statements: list[Statement]

    def enter(self, e: Expr, around: _Surroundings) -> Entered[_Surroundings]:
        inner = replace(around, root=False)
        match e:
            case Reduce(op, indices, derived, domain):
                plain = {i: plain_extent(i, domain, self.sizes) for i in indices}
                guards = (*around.guards, *_narrowing(domain, plain))
                bound = dict(around.bound) | plain | dict.fromkeys(d.name for d in derived)
                compared = around.compared or op in ("max", "min")
                return e, [_Surroundings(tuple(bound.items()), guards, False, compared)]
            case Select(Domain() as domain):
                each = ((*around.guards, (domain, holds)) for holds in (True, False))
                return e, [replace(inner, guards=guards) for guards in each]
            case _:
                return e, [inner] * len(e.operands)

    def separated(self, e: Expr, around: _Surroundings) -> Expr:
        if isinstance(e, Reduce) and not around.root and self._separates(e, around):
            return self._separate(e, around)
        return e

    def _separates(self, reduce: Reduce, around: _Surroundings) -> bool:
        free = self._free(reduce)
        if any(s in free and n is None for s, n in around.bound):
            return False
        known = self._known_guards(free, around)
        if len(known) < len(around.guards):
            # Its reads may be inside only because of an index that it does not know. And without data it may be a running
            # value, whose range has an end for each point around it.
            data = {
                d.name for d in (*self.statement.derived, *reduce.derived) if isinstance(d, Looked)
            }
            over_data = not data.isdisjoint(reduce.domain.symbols)
            if not over_data or not (
                self._has_points_of(reduce, set(around.guards) - set(known), free, around)
                or self._is_inside(reduce, free, known, around)
            ):
                return False
        fewer = len(free) < len(self.statement.indices) + len(around.bound)
        # Compared values must be the same to the bit, and are not computed twice.
        stored = reduce.op != "sum" or not around.bound or around.compared
        return fewer or (self.top and stored)

    def _known_guards(self, free: set[Symbol], around: _Surroundings) -> _Guards:
        """Those that speak of these indices alone."""
        return tuple(guard for guard in around.guards if free.issuperset(self._free(guard[0])))

    def _has_points_of(
        self, reduce: Reduce, guards: Set[_Guard], free: set[Symbol], around: _Surroundings
    ) -> bool:
        """Whether all its points are, by other names, points of reductions around it: it is computed only where it has any."""
        for domain, holds in guards:
            other = [i for i, _ in around.bound if i in domain.symbols and i not in free]
            if not holds or len(other) != len(reduce.indices):
                return False
            renamed = domain.substitute(dict(zip(other, map(symbol, reduce.indices), strict=True)))
            if not set(reduce.domain).issuperset(renamed):
                return False
        return True

    def _is_inside(
        self, reduce: Reduce, free: set[Symbol], guards: _Guards, around: _Surroundings
    ) -> bool:
        """Whether what the reduction reads is inside its tensors wherever these guards hold."""
        box = {i: n for i, n in self._extents(around).items() if i in free}
        definitions = (c for d in self.statement.derived for c in d.conditions)
        known = self.program.known & Domain.box(box) & Domain.of(definitions)
        for domain, holds in guards:
            known = known & domain if holds else known
        tensors = {**self.program.tensors, **{s.target.name: s.target for s in self.statements}}
        return reads_are_in_bounds(reduce, known, tensors)

    def _extents(self, around: _Surroundings) -> dict[Symbol, Affine]:
        """Those of the indices around an expression that have plain ranges."""
        return self.statement.extents | {s: n for s, n in around.bound if n is not None}

    def _free(self, e: Reduce | Domain | Read) -> set[Symbol]:
        """The indices that `e` depends on, through derived indices of the statement too."""
        free = set(e.symbols) - self.sizes
        for d in reversed(self.statement.derived):
            if d.name in free:
                free = free - {d.name} | set(d.symbols) - self.sizes
        return free

    def _separate(self, reduce: Reduce, around: _Surroundings) -> Expr:
        """A statement over the reduction's free indices, and the read that replaces it.

        Where the guards fail, reads of the body may be outside; there it is the neutral element.
        """
        extents = self._extents(around)
        free = self._free(reduce)
        indices = tuple(s for s in extents if s in free)
        guards = self._known_guards(free, around)
        held = Domain.of(c for domain, holds in guards if holds for c in domain)
        body: Expr = Reduce(
            reduce.op, reduce.indices, reduce.derived, reduce.domain & held, reduce.body
        )
        for domain, holds in reversed(guards):
            body = body if holds else Select(domain, Const(NEUTRAL[reduce.op]), body)
        known = set(indices)
        derived = tuple(d for d in self.statement.derived if known.issuperset(self._free_of(d)))
        name = self.names.fresh(f"{self.statement.target.name}_{reduce.op}")
        dtype = self.statement.target.dtype
        # What an index is computed from need not be whole.
        shape = tuple(extents[i] for i in indices)
        target = Tensor(name, shape, None if dtype == INDEX else dtype)
        self.statements.append(Statement(target, indices, derived, body))
        return Read(name, tuple(map(symbol, indices)))

    def _free_of(self, d: Determined) -> set[Symbol]:
        return self._free(Read(d.name, tuple(map(symbol, d.symbols))))


def _narrowing(
    domain: Domain, bound: Mapping[Symbol, Affine | None]
) -> tuple[tuple[Domain, bool], ...]:
    """The conditions of the domain other than plain ranges, as a guard: the body is evaluated only where it holds."""
    plain = {c for i, n in bound.items() if n is not None for c in between(0, symbol(i), n - 1)}
    rest = Domain.of(c for c in domain if c not in plain)
    return ((rest, True),) if rest != EVERYWHERE else ()


def extents_in_body(
    e: Reduce, extents: Mapping[Symbol, Affine], sizes: Set[Symbol]
) -> dict[Symbol, Affine]:
    """The extents of the indices around the reduction's body: those outside, and its own that have plain ranges."""
    inner = {i: plain_extent(i, e.domain, sizes) for i in e.indices}
    around = {i: n for i, n in extents.items() if i not in inner}
    return around | {i: n for i, n in inner.items() if n is not None}


def extents_around_body(
    e: Reduce, extents: Mapping[Symbol, Affine], sizes: Set[Symbol]
) -> dict[Symbol, Affine]:
    """The extents of the indices around the reduction's body, for its own with other ranges those that hold them."""
    result = extents_in_body(e, extents, sizes)
    known = Domain.box(extents) & e.domain
    for i in e.indices:
        highs = [c.form + symbol(i) for c in e.domain if c.form.coefficient(i) == -1]
        ends = [_greatest(high, extents) for high in highs]
        sizes_only = [end + 1 for end in ends if sizes >= set(end.symbols)]
        if i not in result and sizes_only and implies(known, at_least_zero(symbol(i))):
            result[i] = sizes_only[0]
    return result


def _greatest(form: Affine, extents: Mapping[Symbol, Affine]) -> Affine:
    """The value of the form at the corner of the box where it is greatest."""
    corner = {i: extents[i] - 1 if c > 0 else constant(0) for i, c in form.terms if i in extents}
    return form.substitute(corner)


def plain_extent(index: Symbol, domain: Domain, sizes: Set[Symbol]) -> Affine | None:
    """The extent if all the domain says of the index is `0 <= index <= extent - 1`, for an extent made of sizes."""
    bounds = [c for c in domain if c.form.coefficient(index)]
    extents = [c.form + symbol(index) + 1 for c in bounds if c.form.coefficient(index) == -1]
    if len(extents) != 1 or not sizes >= set(extents[0].symbols):
        return None
    return extents[0] if set(bounds) == set(between(0, symbol(index), extents[0] - 1)) else None
