"""The smallest integer point of a domain, and its consequences: emptiness, implication (design, section 4).

These are integer questions, which rational loops do not decide. Equations are solved over the integers first; then
branch and bound goes through the rational relaxation, the lexicographically smallest vertex first. It is given a
number of steps, because a thin wedge may hold no integer point for 100,000 of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heappop, heappush

from tadc.integer.dictionary import MOST_ENTRIES, Dictionary, TooComplex, Unbounded
from tadc.integer.lattice import integer_solutions
from tadc.integer.lll import short_basis
from tadc.integer.matrix import hermite_form, transposed
from tadc.integer.redundancy import hidden_equalities, merged, opposite_pairs
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import EMPTY, FALSE, TRUE, Condition, Domain, at_least_zero, between

__all__ = ["UNDECIDED", "Undecided", "implies", "is_empty", "smallest_point"]


@dataclass(frozen=True, slots=True)
class Undecided:
    """The steps were spent before a point was found or excluded. There is one value, `UNDECIDED`."""


UNDECIDED = Undecided()

MOST_STEPS = 400  # branchings of one search; a step is a few pivots
MOST_SHORT = 40  # symbols for which a short basis is looked for


def smallest_point(
    domain: Domain, order: Sequence[Symbol] = ()
) -> Mapping[Symbol, int] | Undecided | None:
    """The integer point of `domain` that is lexicographically smallest; None where there is none.

    It is smallest in the symbols of `order`, then in the others as the domain names them. A symbol that has no
    smallest value, those before it given, is taken closest to 0; one that does not occur is 0.

    >>> i, j = symbol("i"), symbol("j")
    >>> smallest_point(Domain.of([*between(1, 2*i - 3*j, 1), *between(5, j, 9)]))
    {'i': 8, 'j': 5}
    """
    smallest: dict[Symbol, int] = {}
    undecided = False
    for part in domain.parts():
        point = _smallest_of_part(part, order)
        if point is None:
            return None
        if isinstance(point, Undecided):
            undecided = True
        else:
            smallest.update(point)
    if undecided:
        return UNDECIDED
    assert domain.holds(smallest), "the smallest point is not in the domain"
    return {s: smallest.get(s, 0) for s in dict.fromkeys((*order, *domain.symbols))}


# Passes ask the same of each place of a condition, and again once a statement has changed.
@lru_cache(maxsize=10_000)
def is_empty(domain: Domain) -> bool | None:
    """Whether the domain has no integer point; None where the steps did not suffice to tell."""
    undecided = False
    for part in domain.parts():
        numbered = {s: symbol(f"'{n:02}") for n, s in enumerate(part.symbols)}
        empty = _is_part_empty(part.substitute(numbered))
        if empty:
            return True
        undecided |= empty is None
    return None if undecided else False


# A derivative asks the same of many copies of a reduction, each with names of its own: they are numbered.
@lru_cache(maxsize=10_000)
def _is_part_empty(part: Domain) -> bool | None:
    point = smallest_point(part)
    return None if isinstance(point, Undecided) else point is None


def _smallest_of_part(
    domain: Domain, order: Sequence[Symbol]
) -> Mapping[Symbol, int] | Undecided | None:
    """The smallest point of a domain whose conditions are connected by their symbols.

    Such parts are independent of each other, and a part that is one interval needs no search.
    """
    occurring = domain.symbols
    if len(occurring) == 1 and domain.conditions[0].relation == "==":
        (s,), form = occurring, domain.conditions[0].form
        only = {s: -form.constant}  # the coefficient of an equation in one symbol is 1
        return only if domain.holds(only) else None
    if len(occurring) == 1 and all(c.relation == ">=" for c in domain):
        (s,) = occurring
        lows = [-c.form.constant for c in domain if c.form.terms[0][1] > 0]
        highs = [c.form.constant for c in domain if c.form.terms[0][1] < 0]
        low = max(lows, default=min((0, *highs)))
        return {s: low} if all(low <= high for high in highs) else None
    ordered = dict.fromkeys(s for s in order if s in occurring)
    try:
        point = _smallest(domain, list(ordered | dict.fromkeys(occurring)))
        is_small = len(occurring) <= MOST_SHORT
        if isinstance(point, Undecided) and is_small and _is_excluded(domain):
            return None
    except TooComplex:
        return UNDECIDED
    return point


@lru_cache(maxsize=10_000)
def implies(known: Domain, condition: Condition) -> bool:
    """Whether it is proved that `condition` holds at every integer point of `known`. False means not proved."""
    if condition == TRUE or condition in known.conditions or known == EMPTY:
        return True
    if condition == FALSE:
        return is_empty(known) is True
    form = condition.form
    near = known.near(form.symbols).conditions
    match condition.relation:
        case ">=":
            return _excludes(near, (at_least_zero(-form - 1),))
        case "==":
            return _excludes(near, (at_least_zero(-form - 1),)) and _excludes(
                near, (at_least_zero(form - 1),)
            )
        case "|":
            m = condition.modulus
            if _always_divides(m, form, near):
                return True
            return _excludes(near, between(1, form - m * symbol("'quotient"), m - 1))


def _excludes(known: tuple[Condition, ...], conditions: tuple[Condition, ...]) -> bool:
    return is_empty(Domain.of((*known, *conditions))) is True


def _always_divides(m: int, form: Affine, known: Sequence[Condition]) -> bool:
    """Whether `m` divides `form` wherever the equations and divisibilities of `known` hold."""
    _, equations = _split(known)
    values = _solved(_symbols((form, *equations)), equations)
    if values is None:
        return True
    value = form.substitute(values)
    return value.content % m == 0 and value.constant % m == 0


def _split(conditions: Iterable[Condition]) -> tuple[list[Affine], list[Affine]]:
    """Inequalities and equations; `m | e` is the equation `e - m*t == 0`, where `t` is a new symbol."""
    inequalities: list[Affine] = []
    equations: list[Affine] = []
    for i, condition in enumerate(conditions):
        match condition.relation:
            case ">=":
                inequalities.append(condition.form)
            case "==":
                equations.append(condition.form)
            case "|":
                t = symbol(f"'quotient {i}")
                equations.append(condition.form - condition.modulus * t)
    return inequalities, equations


def _symbols(forms: Iterable[Affine]) -> tuple[Symbol, ...]:
    return tuple(dict.fromkeys(s for form in forms for s in form.symbols))


def _smallest(domain: Domain, order: list[Symbol]) -> Mapping[Symbol, int] | Undecided | None:
    """The search, with the distance from 0 before each symbol that has no minimum."""
    while isinstance(point := _search(order, *_split(domain)), Unbounded):
        s = order[point.place]
        distance = symbol(f"'distance of {s}")
        domain &= Domain.of(between(-distance, symbol(s), distance))
        order.insert(point.place, distance.symbols[0])
    return point


def _search(
    order: Sequence[Symbol], inequalities: Sequence[Affine], equations: Sequence[Affine]
) -> dict[Symbol, int] | Undecided | Unbounded | None:
    """The lexicographically smallest point; `Unbounded` names the first of `order` that has no minimum.

    The symbols of the inequalities are all in `order`; further ones, that the equations fix, may be in these.
    """
    if equations:
        return _search_on_the_solutions(order, inequalities, equations)
    forms = merged(inequalities)
    if forms is None:
        return None
    if pairs := opposite_pairs(forms):
        return _search(order, forms, [forms[i] for i in pairs])
    root = Dictionary.of(forms, (), order)
    if root is None or not root.restore():
        return None
    vertex = root.lexicographic_minimum()
    if isinstance(vertex, Unbounded):
        return vertex
    if _fractional(vertex) is not None and (hidden := hidden_equalities(root, forms)):
        return _search(order, forms, [forms[i] for i in hidden])
    point = _branch_and_bound(vertex, root)
    return dict(zip(order, point, strict=True)) if isinstance(point, tuple) else point


def _search_on_the_solutions(
    order: Sequence[Symbol], inequalities: Sequence[Affine], equations: Sequence[Affine]
) -> dict[Symbol, int] | Undecided | Unbounded | None:
    """The search in coordinates of the equations' solutions, which keep the lexicographic order."""
    symbols = tuple(dict.fromkeys((*order, *_symbols(equations))))
    values = _solved(symbols, equations)
    if values is None:
        return None
    tight = [at_least_zero(form.substitute(values)) for form in inequalities]
    if FALSE in tight:
        return None
    free = tuple(dict.fromkeys(t for s in symbols for t in values[s].symbols))
    point = _search(free, [condition.form for condition in tight], ())
    match point:
        case Unbounded(place):
            first = next(i for i, s in enumerate(order) if free[place] in values[s].symbols)
            return Unbounded(first)
        case dict():
            return {s: values[s].at(point) for s in order}
        case _:
            return point


def _solved(
    symbols: Sequence[Symbol], equations: Sequence[Affine]
) -> Mapping[Symbol, Affine] | None:
    """The integer solutions of the equations over new symbols; None where there are none.

    Each symbol is a form of the new symbols of those before it, and of at most one more, with a positive
    coefficient: in lexicographic order the smallest point in the new symbols is the smallest one.
    """
    sides = [constant(-e.constant) for e in equations]
    M = [[e.coefficient(s) for s in symbols] for e in equations]
    lattice = integer_solutions(M, sides, len(symbols), lambda i: f"'unused {i}")
    if lattice is None:
        return None
    heads = [head.constant for head in lattice.heads]
    basis = hermite_form(transposed(lattice.V2)) if lattice.V2[0] else []
    return {
        s: Affine.of(
            {f"'free {i}": row[j] for i, row in enumerate(basis)},
            sum(v * head for v, head in zip(lattice.V1[j], heads, strict=True)),
        )
        for j, s in enumerate(symbols)
    }


def _branch_and_bound(
    vertex: tuple[Fraction, ...], root: Dictionary
) -> tuple[int, ...] | Undecided | None:
    """The smallest integer point. Its node's vertex is it, and every node still open has a greater vertex."""
    open_nodes = [(vertex, 0, root)]
    for step in range(min(MOST_STEPS, MOST_ENTRIES // (8 * root.entries))):  # of 8 pivots, say
        if not open_nodes:
            return None
        vertex, _, node = heappop(open_nodes)
        place = _fractional(vertex)
        if place is None:
            return tuple(int(v) for v in vertex)
        low = vertex[place].__floor__()
        for bound, below in ((low, False), (low + 1, True)):
            child = node.bounded(place, bound, below=below)
            if child.restore():
                smallest = child.lexicographic_minimum()
                assert not isinstance(smallest, Unbounded), "a smaller domain is unbounded"
                heappush(open_nodes, (smallest, 2 * step + below + 1, child))
    return UNDECIDED


def _is_excluded(domain: Domain) -> bool:
    """Whether the search finds that there is no point when it uses the coordinates of a short basis.

    The inequalities without their constants take the values of a lattice, spanned by the columns of their
    coefficients. Any other basis of it does for coordinates, and directions in which no form changes are gone.
    """
    inequalities, equations = _split(domain)
    values = _solved(tuple(dict.fromkeys((*domain.symbols, *_symbols(equations)))), equations)
    if values is None:
        return True
    forms = [form.substitute(values) for form in inequalities]
    lattice = hermite_form([[form.coefficient(s) for form in forms] for s in _symbols(forms)])
    basis = short_basis(lattice)[::-1]  # the long vectors first: there are few multiples to try
    names = [f"'short {i}" for i in range(len(basis))]
    tight = [
        at_least_zero(Affine.of({z: v[i] for z, v in zip(names, basis, strict=True)}, f.constant))
        for i, f in enumerate(forms)
    ]
    return _search(names, [condition.form for condition in tight], ()) is None


def _fractional(vertex: tuple[Fraction, ...]) -> int | None:
    """The first place that is not an integer."""
    return next((i for i, v in enumerate(vertex) if v.denominator != 1), None)
