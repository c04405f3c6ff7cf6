"""Sums that a program compares for equality with a maximum of them, as the index of a maximum is found: each is a statement.

    y[i] = min{e | e >= i} (if sum{k} a[i,k]*b[e,k] = max{f | f >= i} sum{k} a[i,k]*b[f,k] then e else inf)      is

    t[i,e] = if e >= i then sum{k} a[i,k]*b[e,k] else 0
    y[i]   = min{e | e >= i} (if t[i,e] = max{f | f >= i} t[i,f] then e else inf)

Computed twice, in loops of their own, the two might be added up in another order, and no term would be the maximum. There is one
tensor for all places of a sum, whatever its indices are called there, with all elements that one of the places needs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.canonical import canonical, free_indices
from tadc.ir.domain import EVERYWHERE, Determined, Domain
from tadc.ir.element_types import INDEX
from tadc.ir.expr import NEUTRAL, Comparison, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import Entered, postorder, reducing, rewrite_in, substitute
from tadc.normalize.choices import negated
from tadc.normalize.compared import Around, Box, Separation
from tadc.normalize.in_bounds import reads_are_in_bounds

__all__ = ["separate_equated"]


def separate_equated(program: Program, names: Names) -> Program:
    """The program with such sums as statements, where the ranges of the indices that they depend on have ends."""
    if not any(_equates_reductions(s.body) for s in program.statements):
        return program
    places = _Places()
    _walked(program, names, places)
    chosen = places.several
    while chosen:
        separated = _Separated(frozenset(chosen), program, names)
        result = _walked(program, names, separated)
        outside = separated.outside
        if not outside:
            return separated.defined(result)
        chosen -= outside
    return program


def _equates_reductions(root: Expr) -> bool:
    """Whether one of two values that are compared for equality has a reduction in it."""
    return any(
        isinstance(node, Reduce)
        for e in postorder(root)
        if _equates(e)
        for node in postorder(e.operands[:2])
    )


def _equates(e: Expr) -> bool:
    """Whether it compares two values for equality; with a number there are no two that might differ."""
    match e:
        case Select(Comparison("==" | "!=", left, right)):
            return not isinstance(left, Const) and not isinstance(right, Const)
        case _:
            return False


def _walked(program: Program, names: Names, sums: _Places | _Separated) -> Program:
    """The program with what becomes of its sums that are compared. New statements stand before the first that reads them."""
    statements: list[Statement] = []
    for s in program.statements:
        boxes = tuple((i, Box(constant(0), n)) for i, n in s.extents.items())
        walk = _Walk(s, program, names, statements, reducing(s.body), sums)
        statements.append(
            replace(s, body=rewrite_in(s.body, Around(boxes, s.derived, ()), walk.enter))
        )
    return replace(program, statements=tuple(statements))


@dataclass(frozen=True, slots=True)
class _Region:
    """Where a sum is needed: conditions that hold there, and some that fail. `exact`: nowhere else."""

    held: Domain
    failing: tuple[Domain, ...]
    exact: bool

    def within(self, other: _Region, known: Domain) -> bool:
        return set(other.failing) <= set(self.failing) and all(
            implies(known & self.held, c) for c in other.held
        )

    def substitute(self, values: dict[Symbol, Affine]) -> _Region:
        failing = tuple(d.substitute(values) for d in self.failing)
        return _Region(self.held.substitute(values), failing, self.exact)


@dataclass(frozen=True, slots=True)
class _Sum:
    """A sum at one of its places: its indices with their boxes, in an order that does not depend on names, and derived ones."""

    value: Reduce
    boxes: tuple[tuple[Symbol, Box], ...]
    derived: tuple[Determined, ...]
    order: tuple[int, ...]  # of the indices, as they are bound
    dtype: str | None
    region: _Region

    @property
    def numbers(self) -> dict[Symbol, Affine]:
        """The indices by their numbers."""
        bound = [*(i for i, _ in self.boxes), *(d.name for d in self.derived)]
        return {name: symbol(f"'{n}") for n, name in enumerate(bound)}

    @property
    def key(self) -> object:
        """What is the same at all places."""
        derived = (d.substitute(self.numbers, self.numbers[d.name].symbols[0]) for d in self.derived)  # fmt: skip
        boxes = tuple(box for _, box in self.boxes)
        return canonical(self.value, tuple(self.numbers)), tuple(derived), boxes, self.dtype

    @property
    def known(self) -> Domain:
        """What holds of the indices anywhere."""
        inside = Domain.of(c for i, box in self.boxes for c in box.has(symbol(i)))
        return inside & Domain.of(c for d in self.derived for c in d.conditions)


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of sums that are compared, and which are compared for equality."""

    places: dict[object, set[tuple[str, Expr]]] = field(default_factory=dict)
    equated: set[object] = field(default_factory=set)

    def met(
        self, found: _Sum, e: Expr, s: Statement, around: Around, at: list[Statement]
    ) -> Expr | None:
        self.places.setdefault(found.key, set()).add((s.target.name, e))
        if around.equated:
            self.equated.add(found.key)
        return None

    @property
    def several(self) -> set[object]:
        """The sums that are compared for equality and computed at another place too."""
        return {key for key in self.equated if len(self.places[key]) > 1}


@dataclass(slots=True)
class _Stored:
    """A sum that becomes a statement, as it is at its first place, and all regions where it is needed, in its indices."""

    name: str
    first: _Sum
    regions: list[_Region] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Separated:
    """The sums that become statements, with all of their places so far."""

    chosen: frozenset[object]
    program: Program
    names: Names
    stored: dict[object, _Stored] = field(default_factory=dict)

    def met(
        self, found: _Sum, e: Expr, s: Statement, around: Around, at: list[Statement]
    ) -> Expr | None:
        key = found.key
        if key not in self.chosen:
            return None
        if key not in self.stored:
            name = self.names.fresh(f"{s.target.name}_{found.value.op}")
            self.stored[key] = _Stored(name, found)
            at.append(self._statement(name, found, Const(0)))
        entry = self.stored[key]
        first = {n: symbol(i) for i, form in entry.first.numbers.items() for n in form.symbols}
        entry.regions.append(found.region.substitute(found.numbers).substitute(first))
        subscripts = [symbol(i) - box.low for i, box in found.boxes]
        return Read(entry.name, tuple(subscripts[n] for n in entry.first.order))

    def _statement(self, name: str, found: _Sum, body: Expr) -> Statement:
        """The statement of a sum: its indices count from 0."""
        boxes = [found.boxes[n] for n in found.order]
        there = {i: symbol(i) + box.low for i, box in boxes}
        target = Tensor(name, tuple(box.extent for _, box in boxes), found.dtype)
        derived = tuple(d.substitute(there) for d in found.derived)
        return Statement(target, tuple(i for i, _ in boxes), derived, substitute(body, there))

    @property
    def outside(self) -> set[object]:
        """The sums that would be computed where their reads may be outside."""
        return {
            key
            for key, entry in self.stored.items()
            if not all(r.exact or self._is_inside(entry.first, r) for r in self._regions(entry))
        }

    def _is_inside(self, found: _Sum, region: _Region) -> bool:
        known = self.program.known & found.known & region.held
        for domain in region.failing:
            known &= negated(domain) or EVERYWHERE
        return reads_are_in_bounds(found.value, known, self.program.tensors)

    def _regions(self, entry: _Stored) -> list[_Region]:
        """The regions of the sum without those that are parts of others."""
        known = self.program.known & entry.first.known
        kept: list[_Region] = []
        for region in sorted(entry.regions, key=lambda r: not r.exact):
            if not any(region.within(other, known) for other in kept):
                kept = [r for r in kept if not (region.exact and r.within(region, known))]
                kept.append(region)
        return kept

    def defined(self, program: Program) -> Program:
        """The program with the values of the statements."""
        made = {
            entry.name: self._statement(
                entry.name, entry.first, _value(entry.first.value, self._regions(entry))
            )
            for entry in self.stored.values()
        }
        statements = tuple(made.get(s.target.name, s) for s in program.statements)
        return replace(program, statements=statements)


def _value(e: Reduce, regions: Sequence[_Region]) -> Expr:
    """The sum in the regions, and elsewhere its neutral element."""
    value: Expr = Const(NEUTRAL[e.op])
    for n, region in enumerate(reversed(regions)):
        otherwise, value = value, Reduce(e.op, e.indices, e.derived, e.domain & region.held, e.body)
        for domain in reversed(region.failing):
            value = Select(domain, otherwise, value)
        if n:
            value = Select(region.held, value, otherwise)
    return value


@dataclass(frozen=True, slots=True)
class _Walk(Separation):
    """A statement as it is walked through: its sums that are compared are met with where they are needed."""

    sums: _Places | _Separated

    def enter(self, e: Expr, around: Around) -> Entered[Around]:
        match e:
            case Select() if _equates(e) and e in self.reducing:
                sides = replace(around, compared=True, equated=True)
                return e, [sides, sides, around, around]
            case _:
                return Separation.enter(self, e, around)

    def stored(self, e: Reduce, around: Around) -> Expr | None:
        found = self._found(e, around)
        if found is None:
            return None
        return self.sums.met(found, e, self.statement, around, self.statements)

    def _found(self, e: Reduce, around: Around) -> _Sum | None:
        """The sum with where it is needed; None where an index has no ends."""
        needed = self.needed(e, around)
        if needed is None:
            return None
        value, held, failing = needed
        met = free_indices(value, set(self.program.parameters))
        free = dict.fromkeys(i for s in met for i in self.underlying([s], around))
        boxes = dict(around.boxes)
        if not free or not all(s in boxes for s in free):
            return None
        derived = tuple(self.derived_of(value, around))
        own = {*free, *self.program.parameters, *(d.name for d in derived)}
        bound = [s for s in boxes if s in free]
        dtype = self.statement.target.dtype
        return _Sum(
            value,
            tuple((i, boxes[i]) for i in free),
            derived,
            tuple(list(free).index(i) for i in bound),
            None if dtype == INDEX else dtype,  # what an index is computed from need not be whole
            self._region(self.where_needed(held, dict(free), around), failing, own),
        )

    def _region(self, held: Domain, failing: Sequence[Domain], own: set[Symbol]) -> _Region:
        """The conditions that are on the indices of the sum alone."""
        its = [c for c in held if own.issuperset(c.form.symbols)]
        left = tuple(d for d in failing if own.issuperset(d.symbols))
        return _Region(Domain.of(its), left, len(its) == len(held) and len(left) == len(failing))
