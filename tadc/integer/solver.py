"""Integer sets as loops: Smith normal form, then Fourier-Motzkin elimination (design, section 4).

Urban & van der Smagt 2017, sections 4 and 5.1. Given `M u = g(p)` and `R u >= h(p)` over unknown integers `u` with
parameters `p`, the equations leave `u = V1 q + V2 z` with quotients `q` and free integers `z`; in them the inequalities
are bounds of nested loops over `z`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm

from tadc.integer.coordinates import Coordinates, System, coordinates, is_made_up, without
from tadc.integer.dictionary import Dictionary
from tadc.integer.fourier_motzkin import nest
from tadc.integer.points import implies
from tadc.integer.redundancy import Facts, hidden_equalities, irredundant, merged, opposite_pairs
from tadc.integer.rounding import rounded
from tadc.integer.solution import Solution
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Derived, Domain, at_least_zero

__all__ = ["solve"]


def solve(
    unknowns: Sequence[Symbol],
    domain: Domain,
    known: Domain,
    fresh: Callable[[str], str],
    keep: Sequence[Symbol] = (),
) -> Solution | None:
    """The integer points of `domain` as loops over `unknowns`; None where it is proved that there are none.

    Parameters
    ----------
    unknowns
        The unknowns, in the order in which loops are wanted, outermost first.
    domain
        The conditions on the unknowns, which bound each on both sides. The other symbols are parameters.
    known
        Conditions on the parameters that hold wherever the solution is used; they are not tested again.
    fresh
        Gives a new symbol for a hint: for quotients, and for loops over no unknown.
    keep
        The unknowns that should rather be loop indices than computed from these, the best first; those not named
        follow in their order.

    Raises
    ------
    TooComplex
        The system has too many bounds.
    """
    system = System.of(tuple(unknowns), domain)
    ranking = tuple(dict.fromkeys((*keep, *system.columns)))
    while True:
        solved = coordinates(system, ranking)
        if solved is None:
            return None
        reduced = _reduced(system, solved, known)
        match reduced:
            case None:
                return None
            case _Reduced():
                break
            case equations:
                system = system.with_equations(equations)
    loops = nest(solved.indices, reduced.bounds, reduced.facts)
    if loops is None:
        return None
    return _named(
        Solution(
            unknowns=system.unknowns,
            guards=reduced.guards,
            quotients=solved.quotients,
            loops=loops,
            values=tuple(solved.values[u] for u in system.unknowns),
        ),
        fresh,
    )


@dataclass(frozen=True, slots=True)
class _Reduced:
    """The guards to be tested and the bounds of the indices, without redundant ones."""

    guards: tuple[Condition, ...]
    bounds: tuple[Affine, ...]
    facts: Facts


def _reduced(
    system: System, solved: Coordinates, known: Domain
) -> _Reduced | tuple[Affine, ...] | None:
    """The inequalities in the indices; None where they contradict, equations where some hide in them."""
    sources = _in_coordinates(system.inequalities, solved)
    forms = merged(sources)
    if forms is None:
        return None
    indices = set(solved.indices)
    bounds = [form for form in forms if not indices.isdisjoint(form.symbols)]
    tests = [form for form in forms if indices.isdisjoint(form.symbols)]
    if pairs := opposite_pairs(bounds):
        return tuple(sources[bounds[i]] for i in pairs)

    guards = _needed((*system.guards, *solved.guards), known)
    facts = _facts(known, guards, solved.quotients)
    near = facts.near(forms)
    dictionary = _feasible((*bounds, *tests), near)
    if dictionary is None:
        return None
    if hidden := hidden_equalities(dictionary, bounds):
        return tuple(sources[bounds[i]] for i in hidden)

    simple = [rounded(form, indices, near) for form in bounds]
    if simple != bounds:
        tight = merged(simple)
        if tight is None:
            return None
        equal = [tight[i] for i in opposite_pairs(tight)]
        if equations := tuple(form for form in equal if not any(map(is_made_up, form.symbols))):
            return equations
        bounds = list(tight)
        dictionary = _feasible((*bounds, *tests), near)
        if dictionary is None:
            return None
    kept = irredundant((*bounds, *tests), dictionary, near)
    tests = [form for form in kept if indices.isdisjoint(form.symbols)]
    needed = _needed(map(at_least_zero, tests), known & Domain.of(guards))
    return _Reduced(
        Domain.of((*guards, *needed)).conditions,
        tuple(form for form in kept if not indices.isdisjoint(form.symbols)),
        Facts((*facts.inequalities, *(c.form for c in needed)), facts.equations),
    )


def _in_coordinates(inequalities: Iterable[Affine], solved: Coordinates) -> dict[Affine, Affine]:
    """Each inequality in the indices, tightened; with it the form of unknowns that is 0 where it is 0."""
    sources: dict[Affine, Affine] = {}
    for inequality in inequalities:
        form = inequality.substitute(solved.values)
        if not any(form.coefficient(z) for z in solved.indices):
            form = _without_quotients(form, solved.quotients)
        cut = form.constant % form.content if form.terms else 0
        sources.setdefault(at_least_zero(form).form, inequality - cut)
    return sources


def _without_quotients(form: Affine, quotients: Sequence[Derived]) -> Affine:
    """A positive multiple of `form` in which each quotient is replaced by its dividend."""
    used = [q for q in quotients if form.coefficient(q.name)]
    factor = lcm(*(q.modulus for q in used))
    rest = factor * without(form, [q.name for q in used])
    return sum((form.coefficient(q.name) * (factor // q.modulus) * q.form for q in used), rest)


def _needed(guards: Iterable[Condition], known: Domain) -> tuple[Condition, ...]:
    """The guards that do not follow, over the integers, from known conditions and from guards before them."""
    needed: list[Condition] = []
    for guard in Domain.of(guards):
        if not implies(known & Domain.of(needed), guard):
            needed.append(guard)
    return tuple(needed)


def _facts(known: Domain, guards: Iterable[Condition], quotients: Iterable[Derived]) -> Facts:
    """The facts that hold inside the guards. Divisibilities are not among them, but the quotients they make exact are."""
    return Facts(
        tuple(c.form for c in known if c.relation == ">="),
        (
            *(c.form for c in (*known, *guards) if c.relation == "=="),
            *(q.modulus * symbol(q.name) - q.form for q in quotients),
        ),
    )


def _feasible(forms: Sequence[Affine], facts: Facts) -> Dictionary | None:
    dictionary = Dictionary.of((*forms, *facts.inequalities), facts.equations)
    return dictionary if dictionary is not None and dictionary.restore() else None


def _named(solution: Solution, fresh: Callable[[str], str]) -> Solution:
    """The solution with fresh names for the quotients that are used, and for the indices that are no unknowns."""
    used = {s for form in solution.values for s in form.symbols}
    used = used.union(*(loop.symbols for loop in solution.loops))
    names: Mapping[Symbol, Symbol] = {
        **{q.name: fresh("q") for q in solution.quotients if q.name in used},
        **{z: fresh("z") for z in solution.indices if is_made_up(z)},
    }
    new = {old: symbol(name) for old, name in names.items()}

    return Solution(
        unknowns=solution.unknowns,
        guards=solution.guards,
        quotients=tuple(
            Derived(names[q.name], q.form, q.modulus) for q in solution.quotients if q.name in names
        ),
        loops=tuple(
            replace(loop.substitute(new), index=names.get(loop.index, loop.index))
            for loop in solution.loops
        ),
        values=tuple(value.substitute(new) for value in solution.values),
    )
