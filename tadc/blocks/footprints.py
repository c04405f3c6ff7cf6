"""Footprints: the elements of other tensors that a block of a tensor is computed from.

A block is a box of the tensor's indices. A read `x[e]` at the points `W` around it, the box among their conditions,
reads of a dimension what lies between the smallest and the largest value of the subscript over W, and both are questions
to the integer solver. So a footprint is exact in each dimension, read by read; what reads of several places need together
is a list of boxes, since the smallest box around the seven points of a stencil has 26 neighbours.

What data decide, `x[k[i]]`, may be anywhere: the whole dimension is read. Of `k` the block reads what its own subscripts say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from itertools import product
from operator import and_
from typing import TypeAlias

from tadc.blocks.boxes import Box, Interval, joined, smallest_box, union_count
from tadc.integer import UNDECIDED, Undecided, is_empty, smallest_point
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import (
    EMPTY,
    EVERYWHERE,
    Condition,
    Derived,
    Determined,
    Domain,
    Looked,
    at_least_zero,
    between,
    divisions,
    equals_zero,
)
from tadc.ir.expr import Call, Comparison, Const, Expr, IndexValue, Read, Reduce, ReduceOp, Select
from tadc.ir.program import Program, Statement

__all__ = [
    "Cut",
    "Footprint",
    "PlacedRead",
    "footprints",
    "hoisted_reads",
    "index_range",
    "is_computed",
    "placed_reads",
    "where_needed",
]

MOST_CASES = 4  # values of a derived index that are looked at one by one
MOST_READS = (
    20_000  # of a statement, each branch of a choice by itself; beyond, conditions are left out
)

Cut: TypeAlias = Mapping[Symbol, Interval]  # of indices of the target's reduction
# The box over which a tensor is computed, from those that are read of it; None where it is not computed.
Over: TypeAlias = Callable[[str, Collection[Box]], Box | None]


@dataclass(frozen=True, slots=True)
class Footprint:
    """The elements of a tensor that a block reads: `box`, the smallest box around them, and `boxes`, one a read.

    `bytes` are those of `elements`. `is_exact` is false where the solver did not decide, and a whole dimension is taken:
    then there may be less.
    """

    boxes: tuple[Box, ...]
    item_bytes: int
    is_exact: bool = True

    @property
    def box(self) -> Box:
        return smallest_box(self.boxes)

    @property
    def elements(self) -> int:
        return union_count(self.boxes)

    @property
    def bytes(self) -> int:
        return self.elements * self.item_bytes


def footprints(
    program: Program,
    target: str,
    box: Box,
    sizes: Mapping[Symbol, int],
    dtype: str,
    *,
    through: Mapping[str, Over],
    cut: Cut | None = None,
    reads: Reads | None = None,
) -> dict[str, Footprint]:
    """The footprint of a block of `target` in each tensor that it reads.

    `sizes` are all of them; `through` are intermediates that the block computes itself, each with the box over which it does, so
    that their own footprints count too; `cut` are parts of the target's reduction; `reads` has the reads of a statement,
    by default `placed_reads`.
    """
    needed: dict[str, dict[Box, bool]] = {}
    for s in reversed(program.statements):
        name = s.target.name
        own = box if name == target else None
        if name in through:
            own = through[name](name, needed.get(name, {}).keys())
        if own is not None:
            reading = _reading(program, name, tuple(sorted(sizes.items())), reads or placed_reads)
            parts = (cut or {}) if name == target else {}
            for tensor, read, exact in reading.boxes(own, parts):
                of_tensor = needed.setdefault(tensor, {})
                of_tensor[read] = of_tensor.get(read, True) and exact
    return {
        t: Footprint(tuple(b), program.item_bytes(t, dtype), all(b.values()))
        for t, b in needed.items()
    }


def where_needed(tensor: str, reads: Collection[Box]) -> Box | None:
    """The smallest box around what is read."""
    return smallest_box(tuple(reads)) if reads else None


def index_range(
    program: Program, target: str, index: Symbol, sizes: Mapping[Symbol, int]
) -> Interval | None:
    """The values of an index of the target's reduction, over the whole target; None where there are none or they are not known."""
    s = program.definitions[target]
    assert isinstance(s.body, Reduce), "the index is one of a reduction"
    inner = Domain.of(c for d in s.body.derived for c in d.conditions)
    numbers = {name: constant(n) for name, n in sizes.items()}
    domain = (s.box & s.body.domain & inner).substitute(numbers)
    data = frozenset(d.name for d in (*s.derived, *s.body.derived) if isinstance(d, Looked))
    ends = _ends_beside(symbol(index), domain.near((index,)), data)
    return None if isinstance(ends, Undecided) else ends


def is_computed(
    program: Program, target: str, box: Box, sizes: Mapping[Symbol, int], cut: Cut
) -> bool:
    """Whether the part `cut` of the target's reduction has a term somewhere in the box. True where that is not decided."""
    reading = _reading(program, target, tuple(sorted(sizes.items())), placed_reads)
    return reading.has_terms(box, cut)


# ---------------------------------------------------------------------- reads and where they are evaluated


@dataclass(frozen=True, slots=True)
class PlacedRead:
    """A read, and conditions that hold where it is evaluated, on the way to it from the statement's body.

    `derived` are the derived indices among the symbols, `data` those that are elements of tensors.
    """

    read: Read
    domain: Domain
    derived: tuple[Derived, ...]
    data: frozenset[Symbol] = frozenset()


# The reads of a body under conditions, and of its derived indices.
Reads: TypeAlias = Callable[[Expr, Domain, tuple[Determined, ...]], Iterator[PlacedRead]]


def placed_reads(
    body: Expr, domain: Domain, derived: tuple[Determined, ...]
) -> Iterator[PlacedRead]:
    """Every read of the body, once for each way to it, and of data indices. Of comparisons of values both branches are looked at."""
    for read, place in _reads(body, _Place(domain, derived)):
        yield PlacedRead(read, place.domain, divisions(place.derived), place.data)


def hoisted_reads(
    body: Expr, domain: Domain, derived: tuple[Determined, ...]
) -> Iterator[PlacedRead]:
    """Every read of the body where it may be evaluated when the program runs: factors leave the sums that they do not depend on.

    In `sum{k | k < i} d[k]*x[i]` there is no term for i = 0, and its 0 may be multiplied by `x[0]`.
    """
    for read, place in _reads(body, _Place(domain, derived)):
        yield PlacedRead(read, place.hoisted(read), divisions(place.derived), place.data)


@dataclass(frozen=True, slots=True)
class _Inside:
    """A reduction: its operation and indices, and the conditions that hold inside of it and not around it."""

    op: ReduceOp
    indices: frozenset[Symbol]
    conditions: Domain

    def left_for(self, symbols: Collection[Symbol]) -> Domain:
        """The conditions at a factor with these symbols, which leaves a sum of indices that it does not have.

        They are those of the indices that it has or that are connected with these; all, if these are all indices.
        """
        own = self.indices.intersection(symbols)
        connected = self.conditions.near(own).symbols if own else ()
        reached = own.union(self.indices.intersection(connected))
        if self.op != "sum" or reached == self.indices:
            return self.conditions
        return Domain.of(c for c in self.conditions if not reached.isdisjoint(c.form.symbols))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expression stands: under conditions, and in reductions, outermost first."""

    around: Domain
    derived: tuple[Determined, ...]
    reductions: tuple[_Inside, ...] = ()

    @property
    def data(self) -> frozenset[Symbol]:
        return frozenset(d.name for d in self.derived if isinstance(d, Looked))

    def lookups(self, made: Iterable[Determined]) -> Iterator[tuple[Read, _Place]]:
        """The reads of data indices."""
        for d in made:
            if isinstance(d, Looked):
                yield Read(d.tensor, d.subscripts), self

    @property
    def domain(self) -> Domain:
        return reduce(and_, (r.conditions for r in self.reductions), self.around)

    def under(self, condition: Domain) -> _Place:
        """The place in a branch of a choice."""
        if not self.reductions:
            return replace(self, around=self.around & condition)
        *outer, last = self.reductions
        last = replace(last, conditions=last.conditions & condition)
        return replace(self, reductions=(*outer, last))

    def inside(self, e: Reduce) -> _Place:
        """The place of the reduction's terms."""
        conditions = e.domain & Domain.of(c for d in e.derived for c in d.conditions)
        indices = frozenset((*e.indices, *(d.name for d in e.derived)))
        derived = (*self.derived, *e.derived)
        return _Place(self.around, derived, (*self.reductions, _Inside(e.op, indices, conditions)))

    def hoisted(self, read: Read) -> Domain:
        """The conditions that are left of a read when it has left the sums that it does not depend on."""
        domain, symbols = EVERYWHERE, {*read.symbols}
        for inside in reversed(self.reductions):
            left = inside.left_for(symbols)
            domain &= left
            symbols |= {*left.symbols}
        return self.around & domain


def _reads(body: Expr, place: _Place) -> Iterator[tuple[Read, _Place]]:
    """Every read of the body, once for each way to it, and those of data indices."""
    yield from place.lookups(place.derived)
    seen: set[tuple[Expr, _Place]] = set()
    waiting = [(body, place)]
    while waiting:
        node, place = waiting.pop()
        if (node, place) in seen or place.domain == EMPTY:
            continue
        seen.add((node, place))
        many = (
            len(seen) > MOST_READS
        )  # what is read is then more than what is needed, which is allowed
        match node:
            case Read():
                yield node, place
            case Reduce(body=inner):
                waiting.append((inner, place.inside(node)))
                yield from place.inside(node).lookups(node.derived)
            case Select(Domain() as condition, then, otherwise) if not many:
                waiting.append((then, place.under(condition)))
                waiting += [(otherwise, place.under(c)) for c in _complement(condition)]
            case Select(Comparison(_, left, right), then, otherwise):
                waiting += [(e, place) for e in (left, right, then, otherwise)]
            case Call() | Select():
                waiting += [(e, place) for e in node.operands]
            case Const() | IndexValue():
                pass


def _complement(domain: Domain) -> Iterator[Domain]:
    """Disjoint domains that together are the complement: not the first condition; the first and not the second; .."""
    before: list[Condition] = []
    for c in domain:
        match c.relation:
            case ">=":
                yield Domain.of((*before, at_least_zero(-c.form - 1)))
            case "==":
                yield Domain.of((*before, at_least_zero(c.form - 1)))
                yield Domain.of((*before, at_least_zero(-c.form - 1)))
            case "|":  # a remainder is left, of a quotient that is a symbol of its own
                quotient = symbol(f"'{c.modulus} into {c.form}")
                rest = between(1, c.form - c.modulus * quotient, c.modulus - 1)
                yield Domain.of((*before, *rest))
        before.append(c)


# ---------------------------------------------------------------------- over a box


@dataclass(frozen=True, slots=True)
class _Part:
    """Some dimensions of a read, whose subscripts have no index in common with the others, nor conditions that connect them.

    `indices` are those of the block among the symbols: a grid of blocks has few different intervals of a single one.
    """

    dimensions: tuple[int, ...]
    placed: PlacedRead
    extents: tuple[int, ...]
    indices: tuple[Symbol, ...]


@dataclass(frozen=True, slots=True)
class _Reading:
    """The reads of a statement for given sizes, each in its parts, and the questions about them for a box.

    `terms` are the conditions of the terms of its reduction, if it is one, in parts that have no index in common.
    """

    statement: Statement
    terms: tuple[Domain, ...]
    reads: tuple[tuple[str, tuple[_Part, ...]], ...]

    def has_terms(self, box: Box, cut: Cut) -> bool:
        """Whether the reduction has a term in the box, in these parts of it. True where that is not decided."""
        ends = self._intervals(box, cut)
        return all(
            _is_possible(d, tuple((i, ends[i]) for i in d.symbols if i in ends)) for d in self.terms
        )

    def _intervals(self, box: Box, cut: Cut) -> dict[Symbol, Interval]:
        return {**dict(zip(self.statement.indices, box, strict=True)), **cut}

    def boxes(self, box: Box, cut: Cut) -> Iterator[tuple[str, Box, bool]]:
        """The boxes of tensors that are read, each with whether it is exact."""
        intervals = self._intervals(box, cut)
        if any(low >= high for low, high in intervals.values()):
            return
        for tensor, parts in self.reads:
            each = [_boxes(p, tuple((i, intervals.get(i)) for i in p.indices)) for p in parts]
            for chosen in product(*each):
                at: dict[int, Interval] = {}
                for part, (inner, _) in zip(parts, chosen, strict=True):
                    at |= zip(part.dimensions, inner, strict=True)
                exact = all(is_exact for _, is_exact in chosen)
                yield tensor, tuple(at[d] for d in range(len(at))), exact


def _inside(intervals: Iterable[tuple[Symbol, Interval | None]]) -> Domain:
    """The conditions of being in these intervals; None is no condition."""
    bounds = ((symbol(i), ends) for i, ends in intervals if ends is not None)
    return Domain.of(c for i, (low, high) in bounds for c in between(low, i, high - 1))


@lru_cache(256)
def _reading(
    program: Program, target: str, sizes: tuple[tuple[Symbol, int], ...], reads: Reads
) -> _Reading:
    """The reads of the target's statement: the same for every block."""
    statement = program.definitions[target]
    extents = {n: t.shape_at(dict(sizes)) for n, t in program.tensors.items()}
    numbers = {s: constant(n) for s, n in sizes}
    found: dict[tuple[str, tuple[_Part, ...]], None] = {}
    own = Domain.of(c for d in statement.derived for c in d.conditions)
    for placed in reads(statement.body, own, statement.derived):
        subscripts = tuple(f.substitute(numbers) for f in placed.read.subscripts)
        tensor = placed.read.tensor
        derived = tuple(d.substitute(numbers) for d in placed.derived)
        domain = placed.domain.substitute(numbers)
        known = PlacedRead(Read(tensor, subscripts), domain, derived, placed.data)
        parts = tuple(_parts(known, extents[tensor], statement.indices))
        found[tensor, parts] = None
    terms = own
    if isinstance(statement.body, Reduce):
        inner = Domain.of(c for d in statement.body.derived for c in d.conditions)
        terms = own & statement.body.domain & inner
    return _Reading(statement, terms.substitute(numbers).parts(), tuple(found))


def _parts(
    placed: PlacedRead, extents: tuple[int, ...], indices: tuple[Symbol, ...]
) -> Iterator[_Part]:
    """The parts of a read: connected by conditions and by subscripts."""
    if placed.domain == EMPTY:
        yield _Part((), PlacedRead(Read(placed.read.tensor, ()), EMPTY, ()), (), ())
    groups: list[set[Symbol]] = []
    subscripts = placed.read.subscripts
    for form in (*(c.form for c in placed.domain), *subscripts):
        joined_group = set(form.symbols)
        apart = [g for g in groups if not g & joined_group]
        groups = [*apart, joined_group.union(*(g for g in groups if g & joined_group))]
    for group in groups:
        dimensions = tuple(
            d for d, f in enumerate(subscripts) if f.symbols and f.symbols[0] in group
        )
        if not group:
            dimensions = tuple(d for d, f in enumerate(subscripts) if f.is_constant)
        conditions = [c for c in placed.domain if c.form.symbols and c.form.symbols[0] in group]
        read = Read(placed.read.tensor, tuple(subscripts[d] for d in dimensions))
        derived = tuple(d for d in placed.derived if d.name in group)
        # Other indices are those of reductions, which a block may have a part of.
        inner = (s for s in sorted(group) if s not in indices)
        yield _Part(
            dimensions,
            PlacedRead(read, Domain.of(conditions), derived, placed.data & group),
            tuple(extents[d] for d in dimensions),
            (*(i for i in indices if i in group), *inner),
        )


@lru_cache(100_000)
def _is_possible(domain: Domain, intervals: tuple[tuple[Symbol, Interval], ...]) -> bool:
    """Whether some integers in the intervals satisfy the conditions. True where that is not decided."""
    return is_empty(domain & _inside(intervals)) is not True


@lru_cache(100_000)
def _boxes(
    part: _Part, intervals: tuple[tuple[Symbol, Interval | None], ...]
) -> tuple[tuple[Box, bool], ...]:
    """The boxes of these dimensions that are read over the intervals, each with whether it is exact."""
    domain = part.placed.domain & _inside(intervals)
    read, data = part.placed.read, part.placed.data
    cases = [_box(read, d, part.extents, data) for d in _cases(part.placed, domain)]
    found = [c for c in cases if c is not None]
    exact = all(is_exact for _, is_exact in found)
    return tuple((box, exact) for box in joined(b for b, _ in found))


def _cases(placed: PlacedRead, domain: Domain) -> Iterator[Domain]:
    """The domain in cases: one for each value of the derived indices in the subscripts, where these have few values.

    So the two ends that a periodic read needs of a tensor are two boxes.
    """
    used = {s for form in placed.read.subscripts for s in form.symbols} if not placed.data else ()
    cases = [domain]
    for d in placed.derived:
        if d.name in used:
            cases = [c for case in cases for c in _values(symbol(d.name), case)]
    yield from cases


def _values(form: Affine, domain: Domain) -> Iterator[Domain]:
    """The domain for each value of the form, if these are few."""
    ends = _ends(form, domain.near(form.symbols))
    if isinstance(ends, Undecided) or ends is None or ends[1] - ends[0] > MOST_CASES:
        yield domain
        return
    for value in range(*ends):
        yield domain & Domain.of((equals_zero(form - value),))


def _box(
    read: Read, domain: Domain, extents: Sequence[int], data: frozenset[Symbol]
) -> tuple[Box, bool] | None:
    """The smallest box of the elements that are read, and whether it is exact; None where nothing is."""
    each: list[Interval] = []
    exact = True
    for form, extent in zip(read.subscripts, extents, strict=True):
        ends = _ends_beside(form, domain.near(form.symbols), data)
        if ends is None:
            return None
        if isinstance(ends, Undecided):
            exact, ends = False, (0, extent)
        # A hoisted read is not evaluated outside of its tensor.
        low, high = max(0, ends[0]), min(extent, ends[1])
        if low >= high:
            return None
        each.append((low, high))
    nothing = is_empty(domain)
    if nothing:
        return None
    return tuple(each), exact and nothing is False


def _ends_beside(
    form: Affine, near: Domain, data: frozenset[Symbol]
) -> Interval | Undecided | None:
    """As `_ends`, where some symbols are data, of which nothing is known: what they decide is left out, which makes an interval larger."""
    if near == EMPTY or data.isdisjoint((*form.symbols, *near.symbols)):
        return _ends(form, near)
    own = {*form.symbols} - data
    bounds = (c for c in near if len(c.form.terms) == 1 and not own.isdisjoint(c.form.symbols))
    ends = _of_bounds(form, Domain.of(bounds))
    return UNDECIDED if ends is None else ends


@lru_cache(100_000)
def _ends(form: Affine, near: Domain) -> Interval | Undecided | None:
    """The smallest value of the form, and one more than the largest; None where the domain is empty.

    `near` are the conditions that are connected with the form.
    """
    if near == EMPTY:
        return None
    if form.is_constant:
        return form.constant, form.constant + 1
    of_bounds = _of_bounds(form, near)
    if of_bounds is not None:
        return of_bounds
    value = symbol("'value")
    ends: list[int] = []
    for sign in (1, -1):
        equation = equals_zero(value - sign * form)
        point = smallest_point(near & Domain.of((equation,)), value.symbols)
        if point is None:
            return None
        if isinstance(point, Undecided):
            return point
        ends.append(sign * point["'value"])
    return ends[0], ends[1] + 1


def _of_bounds(form: Affine, near: Domain) -> Interval | None:
    """The ends where every condition is a bound of a single symbol, by interval arithmetic, which is exact then."""
    lows: dict[Symbol, int] = {}
    highs: dict[Symbol, int] = {}
    for c in near:
        if c.relation != ">=" or len(c.form.terms) != 1:
            return None
        ((s, sign),) = c.form.terms
        (lows if sign > 0 else highs)[s] = -sign * c.form.constant
    if any(s not in lows or s not in highs or lows[s] > highs[s] for s in form.symbols):
        return None
    low = sum(c * (lows if c > 0 else highs)[s] for s, c in form.terms)
    high = sum(c * (highs if c > 0 else lows)[s] for s, c in form.terms)
    return form.constant + low, form.constant + high + 1
