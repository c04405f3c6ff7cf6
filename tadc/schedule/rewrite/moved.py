"""Expensive values that depend on a combination of indices alone are computed once for each value of that.

y[i] = sum{j} sin(x[i + j])*w[j]      is      t[n] = sin(x[n]);  y[i] = sum{j} t[i + j]*w[j]
y[i] = sum{j} a**abs(i - j)*w[j]      is      t[n: 2*N - 1] = a**abs(n - N + 1);  y[i] = sum{j} t[i - j + N - 1]*w[j]

So are elements that a combination chooses in a long sum, since neighbours would not read neighbours: `a[abs(i - j)]`, `a[(i - j) % N]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from tadc.integer import implies
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.bounds import bounded
from tadc.ir.canonical import free_indices
from tadc.ir.domain import Domain, between
from tadc.ir.expr import Call, Expr, IndexValue, Read, Reduce, Select
from tadc.ir.names import Names
from tadc.ir.program import Program
from tadc.ir.walk import postorder, substitute
from tadc.schedule.rewrite.rows import is_expensive
from tadc.schedule.rewrite.running import passes_of
from tadc.schedule.rewrite.separate import Around, Separation, separated

__all__ = ["at_combination", "moved_values"]

FEW_TERMS = 6
LONG = 32  # values of an index
WORTHWHILE = 2  # values of indices for each value of the form: fewer are computed as fast as they are stored and read


def moved_values(program: Program, names: Names) -> Program:
    """The program with such values as statements. A running sum, which has a few values of them for each step, keeps its own."""
    return separated(program, names, _moved, left=passes_of(program))


def _moved(separation: Separation, e: Expr, around: Around) -> Expr:
    match e:
        case Reduce("sum", [_, _, *_], ()):
            return _moved_part(separation, e, around)
        case _ if len(e.symbols - separation.sizes) < 2:
            return e
        case Reduce("sum", _, ()):
            pass
        case Reduce():
            return e
        case Call("div"):
            pass
        case Select() if _is_element_of_long_sum(e, separation, around):
            pass
        case _ if not is_expensive(e):
            return e
    return at_combination(separation, e, around) or e


def _is_element_of_long_sum(e: Select, separation: Separation, around: Around) -> bool:
    """Whether it is an element that indices of the result and of a sum choose, none of which has few values."""
    choosing: set[Symbol] = set()
    waiting: list[Expr] = [e]
    while waiting:
        match waiting.pop():
            case Select(Domain() as domain, then, otherwise):
                choosing |= {*domain.symbols} - separation.sizes
                waiting += [then, otherwise]
            case Read():
                pass
            case _:
                return False
    of_result = choosing.intersection(separation.statement.indices)
    numbers = _numbers(choosing, separation, around).values()
    return bool(of_result) and of_result < choosing and all(n >= LONG for n in numbers)


def _moved_part(separation: Separation, e: Reduce, around: Around) -> Expr:
    """The sum with the sum over one of its indices moved, whose range says nothing of the others."""
    for index in e.indices:
        own = Domain.of(c for c in e.domain if index in c.form.symbols)
        others = tuple(i for i in e.indices if i != index)
        if not set(others).isdisjoint(own.symbols) or _saves_little(e, index):
            continue
        inner = Reduce("sum", (index,), (), own, e.body)
        read = at_combination(separation, inner, replace(around, known=around.known & e.domain))
        if read is not None:
            rest = Domain.of(c for c in e.domain if index not in c.form.symbols)
            return Reduce("sum", others, (), rest, read)
    return e


def _saves_little(e: Reduce, index: Symbol) -> bool:
    """Whether few terms are fewer with the sum over the index moved, and none is expensive: its value is stored, and read again."""
    trips = {b.range.index: b.range.trips for b in bounded(e).each}
    of_index = trips.pop(index, None)
    numbers = [n for n in trips.values() if n is not None]
    if of_index is None or len(numbers) < len(trips) or any(map(is_expensive, postorder(e.body))):
        return False
    return (of_index - 1) * (prod(numbers) - 1) < FEW_TERMS


def at_combination(
    separation: Separation, e: Expr, around: Around, hint: str = "moved", *, once: bool = False
) -> Expr | None:
    """A read of the value, stored for each value of combinations of indices; None if there is no such one.

    Each is needed several times, or maybe `once`.
    """
    there, places = e, dict[Symbol, tuple[Affine, Affine]]()
    order = list(around.extents)
    for form, extent in _combinations(e, separation, around):
        combined = set(free_indices(there, separation.sizes)).intersection(form.symbols)
        ones = [i for i in sorted(combined) if abs(form.coefficient(i)) == 1]
        if len(combined) < 2 or not ones:
            continue
        if not once and _are_few(form, combined, separation, around):
            continue
        if not all(implies(around.known, c) for c in between(0, form, extent - 1)):
            continue
        index, name = ones[0], separation.names.fresh(ones[0])
        c = form.coefficient(index)
        # form = n  <=>  index = index + c*(n - form)
        moved = substitute(there, {index: symbol(index) + c * (symbol(name) - form)})
        if combined.isdisjoint(free_indices(moved, separation.sizes)):
            there, places[name] = moved, (form, extent)
    # The new indices are in the order of those around, so that neighbours stay neighbours.
    first = {
        n: min((order.index(s) for s in form.symbols if s in order), default=len(order))
        for n, (form, _) in places.items()
    }
    extents = {name: places[name][1] for name in sorted(places, key=lambda n: first[n])}
    read = separation.stored(there, {**around.extents, **extents}, hint) if places else None
    return read and substitute(read, {name: form for name, (form, _) in places.items()})


def _combinations(
    e: Expr, separation: Separation, around: Around
) -> Iterator[tuple[Affine, Affine]]:
    """The subscripts, and the index values from 0 on, each with the number of its values."""
    for node in postorder(e):
        match node:
            case Read(tensor, subscripts):
                yield from zip(subscripts, separation.tensors[tensor].shape, strict=True)
            case IndexValue(form) if form.content:
                yield from _values(form, separation, around)
            case Select(Domain() as domain):
                for form in (c.form for c in domain if c.form.content):
                    yield from _values(form, separation, around)


def _values(
    form: Affine, separation: Separation, around: Around
) -> Iterator[tuple[Affine, Affine]]:
    """The values of a form from 0 on, if their ends are known."""
    form = (form - form.constant) // form.content
    least = _least(form, around.known, separation.sizes)
    less = _least(-form, around.known, separation.sizes)
    if least is not None and less is not None:
        yield form - least, _at_least_one(1 - less - least)


def _are_few(form: Affine, combined: set[Symbol], separation: Separation, around: Around) -> bool:
    """Whether the form has about as many values as its indices together: those that take few values are beside steps as long."""
    few = _numbers(combined, separation, around)
    steps = [abs(form.coefficient(i)) for i in combined - few.keys()]
    return bool(few and steps) and prod(few.values()) <= WORTHWHILE * min(steps)


def _numbers(indices: set[Symbol], separation: Separation, around: Around) -> dict[Symbol, int]:
    """How many values each index has, where that is a number."""
    found: dict[Symbol, int] = {}
    for i in indices:
        ends = [_least(f, around.known, separation.sizes) for f in (symbol(i), -symbol(i))]
        numbers = [end.constant for end in ends if end is not None and end.is_constant]
        if len(numbers) == 2:
            found[i] = 1 - sum(numbers)
    return found


def _at_least_one(extent: Affine) -> Affine:
    """The extent, or one that is greater by a number and is 1 where all sizes are."""
    return extent + max(0, 1 - extent.constant - sum(c for _, c in extent.terms))


def _least(form: Affine, known: Domain, sizes: frozenset[Symbol]) -> Affine | None:
    """What conditions on the form, or on each of its indices, say that it is not less than."""
    whole = _bound(form, known, sizes)
    if whole is not None:
        return whole
    least = constant(form.constant)
    for s, c in form.terms:
        of_index = symbol(s) if c > 0 else -symbol(s)
        bound = of_index if s in sizes else _bound(of_index, known, sizes)
        if bound is None:
            return None
        least += bound * abs(c)
    return least


def _bound(form: Affine, known: Domain, sizes: frozenset[Symbol]) -> Affine | None:
    """What a condition says that the form is not less than."""
    for c in known:
        least = form - c.form
        if c.relation == ">=" and sizes.issuperset(least.symbols):
            return least
    return None
