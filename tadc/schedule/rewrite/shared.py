"""Expensive values that several statements compute in their sums are computed once, and stored (design, section 5.3).

    f[i] = sum{j} exp(-s[i,j])*w[j];  dw[j] = sum{i} df[i]*exp(-s[i,j])

is `e[i,j] = exp(-s[i,j])` and sums over `e`. Where `s` is computed its exponential is too, and `s` itself is not stored.
Long sums that several statements have are such values as well. Where all need a value under one condition, as sums over
`j <= i` do, it is computed there alone, and is 0 elsewhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias, cast

from tadc.integer import TooComplex, implies
from tadc.integer.projection import project
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.canonical import canonical_value, outlines
from tadc.ir.domain import EVERYWHERE, Domain
from tadc.ir.expr import Call, Const, Expr, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program, Statement, Tensor
from tadc.ir.walk import postorder, replaced
from tadc.normalize.in_bounds import is_never_empty, reads_are_in_bounds
from tadc.normalize.reductions import extents_around_body, is_long
from tadc.schedule.rewrite.looked_up import data_among
from tadc.schedule.rewrite.rows import is_expensive

__all__ = ["has_window", "shared"]

MOST_SHARED = 16  # values: each is one pass over all statements

_Key: TypeAlias = tuple[
    Expr, tuple[Affine, ...], str | None
]  # with numbers for indices; their extents; an element type


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an expression stands: the extents of the indices around it, the affine conditions, and whether it is in a sum,
    behind a condition on values, or in a sum over what data lead to. `data` are the indices that are elements of tensors.
    """

    extents: Mapping[Symbol, Affine]
    known: Domain
    data: frozenset[Symbol]
    in_sum: bool = False
    is_guarded: bool = False
    over_data: bool = False


@dataclass(slots=True)
class _Value:
    """A value with the extents of its free indices, and the uses of it, by the numbers of their statements."""

    extents: tuple[Affine, ...]
    uses: dict[int, list[_Use]] = field(default_factory=dict)

    @property
    def is_shared(self) -> bool:
        """Whether sums of several statements need it, or one does and it is a tensor anyway."""
        needing = [uses for uses in self.uses.values() if any(u.in_sum for u in uses)]
        return bool(self.whole and len(self.uses) > 1) or len(needing) > 1

    @property
    def whole(self) -> int | None:
        """The statement that computes nothing else."""
        return next((n for n, uses in self.uses.items() if uses[0].whole), None)


@dataclass(frozen=True, slots=True)
class _Use:
    """The value as it is written somewhere, in terms of these indices."""

    e: Expr
    indices: tuple[Symbol, ...]
    place: _Place
    whole: bool = False  # whether it is all that its statement computes

    @property
    def in_sum(self) -> bool:
        return self.place.in_sum or isinstance(self.e, Reduce)

    @property
    def box(self) -> dict[Symbol, Affine]:
        return {i: self.place.extents[i] for i in self.indices}


@dataclass(frozen=True, slots=True)
class _Stored:
    """A value, and the conditions under which it is computed, in the indices of its first use."""

    value: _Value
    where: Domain


def shared(program: Program) -> Program:
    """The program in which no two statements compute the same expensive value in their sums."""
    names = Names((*program.tensors, *program.symbols))
    for _ in range(MOST_SHARED):
        several = [v for v in _values(program) if v.is_shared]
        stored = (_stored(v, program) for v in sorted(several, key=_size, reverse=True))
        chosen = next((v for v in stored if v), None)
        if chosen is None:
            break
        program = _with(program, chosen, names)
    return program


def _first(value: _Value) -> _Use:
    return value.uses[min(value.uses)][0]


def _size(value: _Value) -> int:
    return sum(1 for _ in postorder(_first(value).e))


def _values(program: Program) -> list[_Value]:
    """The expensive values that depend on indices, of those that several statements may have."""
    sizes = frozenset(program.parameters)
    values: dict[_Key, _Value] = {}
    outline = [outlines(s.body) for s in program.statements]
    statements = Counter(key for of in outline for key in {*of.values()})
    for n, s in enumerate(program.statements):
        for e, place in _expensive(s, sizes):
            if statements[outline[n][e]] == 1:
                continue
            form, free = canonical_value(e, sizes)
            if free and _may_be_read(e, free, s, place):
                use = _Use(e, tuple(free), place, s.body is e)
                extents = tuple(use.box.values())
                value = values.setdefault((form, extents, s.target.dtype), _Value(extents))
                value.uses.setdefault(n, []).append(use)
    return list(values.values())


def _may_be_read(e: Expr, free: Collection[Symbol], s: Statement, place: _Place) -> bool:
    """Whether the indices that it depends on have extents; all of a statement is read where it has an element for each of their values."""
    if s.body is e:
        return isinstance(e, Reduce) and not s.derived and {*free} == {*s.indices}
    return all(i in place.extents for i in free)


def _expensive(s: Statement, sizes: frozenset[Symbol]) -> list[tuple[Expr, _Place]]:
    """The long sums of the statement, and its expensive calls.

    Of what stands at several places the conditions are those that all of them have, and an index has the extent that holds all ranges.
    """
    places: dict[Expr, _Place] = {}
    data = frozenset(d.name for d in data_among(s.derived))
    waiting: list[tuple[Expr, _Place]] = [(s.body, _Place(s.extents, EVERYWHERE, data))]
    while waiting:
        e, place = waiting.pop()
        before = places.get(e)
        if before is not None:
            place = _common(before, place)
            if place == before:
                continue
        places[e] = place
        match e:
            case Reduce(_, _, derived, domain):
                definitions = Domain.of(c for d in derived for c in d.conditions)
                extents = extents_around_body(e, place.extents, sizes)
                data = place.data.union(d.name for d in data_among(derived))
                inner = _Place(
                    extents,
                    place.known & domain & definitions,
                    data,
                    in_sum=True,
                    is_guarded=place.is_guarded,
                    over_data=place.over_data or not data.isdisjoint(domain.symbols),
                )
                waiting += [(o, inner) for o in e.operands]
            case Select(Domain() as condition, then, otherwise):
                waiting.append((then, replace(place, known=place.known & condition)))
                waiting.append((otherwise, place))
            case Select():
                waiting += [(o, replace(place, is_guarded=True)) for o in e.operands]
            case _:
                waiting += [(o, place) for o in e.operands]
    return [
        (e, place)
        for e, place in places.items()
        if (is_long(e, sizes) if isinstance(e, Reduce) else is_expensive(e))
    ]


def _common(one: _Place, other: _Place) -> _Place:
    """What holds at both places. An index of which neither range is known to hold the other has no extent."""
    differences = {i: n - other.extents[i] for i, n in one.extents.items() if i in other.extents}
    return _Place(
        {i: other.extents[i] + max(0, d.constant) for i, d in differences.items() if d.is_constant},
        Domain.of(c for c in one.known if c in other.known),
        one.data & other.data,
        one.in_sum or other.in_sum,
        one.is_guarded or other.is_guarded,
        one.over_data or other.over_data,
    )


def _stored(value: _Value, program: Program) -> _Stored | None:
    """The value as it may be stored; None where it would be larger than what it saves, or read outside of a tensor.

    A long sum is computed for no points but those where all uses need it: those that need it elsewhere do not count.
    """
    if value.whole is not None:
        return _Stored(value, EVERYWHERE)
    by_need: dict[Domain, _Value] = {}
    for n, uses in value.uses.items():
        for use in uses:
            need = _needed(use, program)
            if need is not None:
                there = by_need.setdefault(need, _Value(value.extents))
                there.uses.setdefault(n, []).append(use)
    candidates = list(by_need.items())
    if len(candidates) > 1 and not isinstance(_first(value).e, Reduce):
        candidates = [(EVERYWHERE, value)]
    for need, chosen in candidates:
        if not chosen.is_shared:
            continue
        use = _first(chosen)
        where = need.substitute({f"'{n}": symbol(i) for n, i in enumerate(use.indices)})
        known = program.known & Domain.box(use.box) & where
        if is_never_empty(value.extents, program) and reads_are_in_bounds(
            use.e, known, program.tensors
        ):
            return _Stored(chosen, where)
    return None


def _needed(use: _Use, program: Program) -> Domain | None:
    """Where in the box of the value's indices, which are called by their numbers, a use needs it; None where that is not worth a tensor.

    Along a diagonal a tensor would be far larger than what is needed of it.
    """
    if use.place.is_guarded and isinstance(use.e, Reduce):
        return None
    if use.place.over_data and not _is_as_large(use):  # data choose few of all the points
        return None
    sizes = frozenset(program.parameters)
    around = use.place.known
    try:
        needed = project(around, [i for i in around.symbols if i not in use.box and i not in sizes])
    except TooComplex:
        return None
    box = Domain.box(use.box)
    known = program.known & box
    where = Domain.of(
        c for c in needed if not sizes.issuperset(c.form.symbols) and not implies(known, c)
    )
    if where != EVERYWHERE and (has_window(where, box, use.box) or not _is_as_large(use)):
        return None
    return where.substitute({i: symbol(f"'{n}") for n, i in enumerate(use.indices)})


def has_window(where: Domain, box: Domain, indices: Mapping[Symbol, Affine]) -> bool:
    """Whether an index has a range of a length that no other one changes, and that is not its whole extent."""
    forms = [(c.form, c in where) for c in where & box]
    for i in indices:
        lows = [pair for pair in forms if pair[0].coefficient(i) > 0]
        highs = [pair for pair in forms if pair[0].coefficient(i) < 0]
        for low, is_new in lows:
            for high, is_new_too in highs:
                length = low * -high.coefficient(i) + high * low.coefficient(i)
                if (is_new or is_new_too) and indices.keys().isdisjoint(length.symbols):
                    return True
    return False


def _is_as_large(use: _Use) -> bool:
    """Whether the value is a long sum, or no larger than a tensor that it is made of."""
    return isinstance(use.e, Reduce) or any(
        isinstance(n, Read) and n.subscripts and n.symbols >= set(use.indices)
        for n in postorder(use.e)
    )


def _order(value: _Value, statements: Sequence[Statement]) -> list[int]:
    """The numbers of the value's indices as it is stored: as they stand around the first use, but that last which is so in what the value is
    made of, and else in which most of the statements have neighbours that have several of its indices.
    """
    use = _first(value)
    around = list(dict.fromkeys((*statements[min(value.uses)].indices, *use.place.extents)))
    order = sorted(range(len(use.indices)), key=lambda n: around.index(use.indices[n]))
    near = Counter(use.indices.index(i) for i in _last_of_reads(use))
    if not near:
        for n, uses in value.uses.items():
            for u in uses:
                own = [i for i in statements[n].indices if i in u.indices]
                near.update([u.indices.index(own[-1])] if len(own) > 1 else [])
    last = max(order, key=lambda n: (near[n], order.index(n)))
    return [*(n for n in order if n != last), last]


def _last_of_reads(use: _Use) -> Iterator[Symbol]:
    """The last subscripts, as far as they are indices, of the reads in a value that are as large as it is."""
    for e in postorder(use.e):
        if isinstance(e, Read) and e.subscripts and e.symbols >= set(use.indices):
            last = set(e.subscripts[-1].symbols) & set(use.indices)
            yield from last if len(last) == 1 else ()


def _with(program: Program, stored: _Stored, names: Names) -> Program:
    """The program with a statement for the value, before the first that needs it."""
    statements = list(program.statements)
    if stored.value.whole is not None:
        return _with_read(program, stored.value)
    first, use = min(stored.value.uses), _first(stored.value)
    order = _order(stored.value, statements)
    dtype = statements[first].target.dtype
    e = use.e
    kind = e.function if isinstance(e, Call) else cast(Reduce, e).op
    name = names.fresh(f"{statements[first].target.name}_{kind}")
    target = Tensor(name, tuple(stored.value.extents[n] for n in order), dtype)
    for n, uses in stored.value.uses.items():
        reads = {u.e: Read(name, tuple(symbol(u.indices[k]) for k in order)) for u in uses}
        statements[n] = replace(statements[n], body=replaced(statements[n].body, reads))
    body = e if stored.where == EVERYWHERE else Select(stored.where, e, Const(0))
    free = tuple(use.indices[n] for n in order)
    statements.insert(first, Statement(target, free, (), body))
    return replace(program, statements=tuple(statements))


def _with_read(program: Program, value: _Value) -> Program:
    """The program whose sums read the value from the statement that computes nothing else, which stands before them."""
    statements = list(program.statements)
    assert value.whole is not None
    whole, (own,) = statements[value.whole], value.uses[value.whole]
    places = [own.indices.index(i) for i in whole.indices]
    for n, uses in value.uses.items():
        if n != value.whole:
            reads = {
                u.e: Read(whole.target.name, tuple(symbol(u.indices[p]) for p in places))
                for u in uses
            }
            statements[n] = replace(statements[n], body=replaced(statements[n].body, reads))
    first = min(value.uses)
    del statements[value.whole]
    statements.insert(first, whole)
    return replace(program, statements=tuple(statements))
