"""Integer sets as loops: Smith normal form, then Fourier-Motzkin elimination (design, section 4).

Urban & van der Smagt 2017, sections 4 and 5.1. Given `M u = g(p)` and `R u >= h(p)` over unknown integers `u` with
parameters `p`, the equations leave `u = V1 q + V2 z` with quotients `q` and free integers `z`; in them the inequalities
are bounds of nested loops over `z`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import lcm

from tadc.integer.basis import chosen_basis
from tadc.integer.dictionary import Dictionary
from tadc.integer.fourier_motzkin import nest
from tadc.integer.lattice import integer_solutions
from tadc.integer.points import implies
from tadc.integer.redundancy import Facts, hidden_equalities, irredundant, merged, opposite_pairs
from tadc.integer.rounding import rounded
from tadc.integer.solution import Bound, Loop, Solution
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import FALSE, Condition, Derived, Domain, at_least_zero

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
        What is to be found, in the order in which loops are wanted, outermost first.
    domain
        What the unknowns have to satisfy; it bounds each on both sides. Its other symbols are parameters.
    known
        What holds for the parameters wherever the solution is used; it is not tested again.
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
    system = _System.of(tuple(unknowns), domain)
    ranking = tuple(dict.fromkeys((*keep, *system.columns)))
    while True:
        solutions = _solved_equations(system, ranking)
        if solutions is None:
            return None
        reduced = _reduced(system, solutions, known)
        match reduced:
            case None:
                return None
            case _Reduced():
                break
            case equations:
                system = system.with_equations(equations)
    loops = nest(solutions.indices, reduced.bounds, reduced.facts)
    if loops is None:
        return None
    return _renamed(
        Solution(
            unknowns=system.unknowns,
            guards=reduced.guards,
            quotients=solutions.quotients,
            loops=loops,
            values=tuple(solutions.values[u] for u in system.unknowns),
        ),
        fresh,
    )


@dataclass(frozen=True, slots=True)
class _System:
    """The conditions of a domain by their kind. `m | e` with unknowns in `e` is the equation `e - m*t == 0`.

    Each `t` is an unknown that the others fix, so no point is counted twice.
    """

    unknowns: tuple[Symbol, ...]
    columns: tuple[Symbol, ...]  # the unknowns, then the `t`
    equations: tuple[Affine, ...]  # each has an unknown
    inequalities: tuple[Affine, ...]
    guards: tuple[Condition, ...]  # equalities and divisibilities of parameters alone

    @classmethod
    def of(cls, unknowns: tuple[Symbol, ...], domain: Domain) -> _System:
        sought = set(unknowns)
        assert len(sought) == len(unknowns), f"an unknown is listed twice in {unknowns}"
        columns = list(unknowns)
        equations: list[Affine] = []
        inequalities: list[Affine] = []
        guards: list[Condition] = []
        for condition in domain:
            if condition.relation == ">=":
                inequalities.append(condition.form)
            elif sought.isdisjoint(condition.form.symbols):
                guards.append(condition)
            elif condition.relation == "==":
                equations.append(condition.form)
            else:
                columns.append(f"'t{len(columns)}")
                equations.append(condition.form - condition.modulus * symbol(columns[-1]))
        return cls(unknowns, tuple(columns), tuple(equations), tuple(inequalities), tuple(guards))

    def with_equations(self, equations: Iterable[Affine]) -> _System:
        more = (*self.equations, *equations)
        return _System(self.unknowns, self.columns, more, self.inequalities, self.guards)


@dataclass(frozen=True, slots=True)
class _Solutions:
    """The integer solutions of the equations: all columns as forms of parameters, quotients and `indices`."""

    guards: tuple[Condition, ...]
    quotients: tuple[Derived, ...]
    indices: tuple[Symbol, ...]  # in the order of the loops
    values: Mapping[Symbol, Affine]


def _solved_equations(system: _System, ranking: Sequence[Symbol]) -> _Solutions | None:
    values: dict[Symbol, Affine] = {s: symbol(s) for s in system.columns}
    if not system.equations:
        return _Solutions((), (), system.columns, values)
    fixed = {s for e in system.equations for s in e.symbols}
    sought = [s for s in system.columns if s in fixed]
    M = [[e.coefficient(s) for s in sought] for e in system.equations]
    known_sides = [-_without(e, set(sought)) for e in system.equations]
    lattice = integer_solutions(M, known_sides, len(sought), lambda i: f"'q{i}")
    if lattice is None:
        return None
    basis = chosen_basis(lattice, [sought.index(s) for s in ranking if s in fixed])
    names = [sought[row] if basis.keeps(c) else f"'z{c}" for c, row in enumerate(basis.pivots)]
    for row, s in enumerate(sought):
        terms = [(v, head) for v, head in zip(basis.V1[row], lattice.heads, strict=True) if v]
        free = Affine.of(dict(zip(names, basis.V2[row], strict=True)))
        values[s] = sum((v * head for v, head in terms), free)
    places = {s: i for i, s in enumerate(system.columns)}
    positions = {s: (places[s], -1) for s in system.columns if s not in fixed}
    for c, z in enumerate(names):
        if z in system.unknowns:
            positions[z] = (places[z], c)
            continue
        # A loop over no unknown stands where the first unknown stands that is computed from it.
        first = next(s for i, s in enumerate(sought) if basis.V2[i][c] and s not in names)
        positions[z] = (places[first], c)
        values = _tidied(values, z, first)
    indices = tuple(sorted(positions, key=lambda z: positions[z]))
    return _Solutions(lattice.guards, lattice.quotients, indices, values)


def _tidied(values: Mapping[Symbol, Affine], z: Symbol, unknown: Symbol) -> dict[Symbol, Affine]:
    """With `z` shifted and reflected so that `unknown` is `.. + a*z + d`, where `0 <= d < a`."""
    a, d = values[unknown].coefficient(z), values[unknown].constant
    sign = 1 if a > 0 else -1
    new = {z: sign * (symbol(z) - d // abs(a))}
    return {s: value.substitute(new) for s, value in values.items()}


def _without(form: Affine, symbols: set[Symbol]) -> Affine:
    return Affine(tuple(term for term in form.terms if term[0] not in symbols), form.constant)


@dataclass(frozen=True, slots=True)
class _Reduced:
    """What has to be tested and what bounds the indices, without what is redundant."""

    guards: tuple[Condition, ...]
    bounds: tuple[Affine, ...]
    facts: Facts


def _reduced(
    system: _System, solutions: _Solutions, known: Domain
) -> _Reduced | tuple[Affine, ...] | None:
    """The inequalities in the indices; None where they contradict, equations where some hide in them."""
    values, indices = solutions.values, set(solutions.indices)
    sources: dict[Affine, Affine] = {}
    for original in system.inequalities:
        form = original.substitute(values)
        if indices.isdisjoint(form.symbols):
            form = _without_quotients(form, solutions.quotients)
        condition = at_least_zero(form)
        if condition == FALSE:
            return None
        # If the tightened form is 0, the original one is what tightening has cut off.
        cut = form.constant % form.content if form.terms else 0
        sources.setdefault(condition.form, original - cut)
    forms = merged(sources)
    if forms is None:
        return None
    bounds = [form for form in forms if not indices.isdisjoint(form.symbols)]
    tests = [form for form in forms if indices.isdisjoint(form.symbols)]
    if pairs := opposite_pairs(bounds):
        return tuple(sources[bounds[i]] for i in pairs)

    guards = _needed((*system.guards, *solutions.guards), known)
    facts = Facts(
        tuple(c.form for c in known if c.relation == ">="),
        (
            *(c.form for c in (*known, *guards) if c.relation == "=="),
            *(q.modulus * symbol(q.name) - q.form for q in solutions.quotients),
        ),
    )
    near = facts.near(forms)
    dictionary = Dictionary.of((*bounds, *tests, *near.inequalities), near.equations)
    if dictionary is None or not dictionary.restore():
        return None
    if hidden := hidden_equalities(dictionary, bounds):
        return tuple(sources[bounds[i]] for i in hidden)
    simple = [rounded(form, indices, near) for form in bounds]
    if simple != bounds:
        bounds = list(merged(simple) or ())
        dictionary = Dictionary.of((*bounds, *tests, *near.inequalities), near.equations)
        if not bounds or dictionary is None or not dictionary.restore():
            return None
    kept = irredundant((*bounds, *tests), dictionary, near)
    tests = [form for form in kept if indices.isdisjoint(form.symbols)]
    needed = _needed(map(at_least_zero, tests), known & Domain.of(guards))
    return _Reduced(
        Domain.of((*guards, *needed)).conditions,
        tuple(form for form in kept if not indices.isdisjoint(form.symbols)),
        Facts((*facts.inequalities, *(c.form for c in needed)), facts.equations),
    )


def _without_quotients(form: Affine, quotients: Sequence[Derived]) -> Affine:
    """A positive multiple of `form` in which each quotient is replaced by what it divides."""
    used = [q for q in quotients if form.coefficient(q.name)]
    factor = lcm(*(q.modulus for q in used))
    rest = factor * _without(form, {q.name for q in used})
    return sum((form.coefficient(q.name) * (factor // q.modulus) * q.form for q in used), rest)


def _needed(guards: Iterable[Condition], known: Domain) -> tuple[Condition, ...]:
    """The guards that do not follow from what is known and from those before them, over the integers."""
    needed: list[Condition] = []
    for guard in Domain.of(guards):
        if not implies(known & Domain.of(needed), guard):
            needed.append(guard)
    return tuple(needed)


def _renamed(solution: Solution, fresh: Callable[[str], str]) -> Solution:
    """With fresh names for the quotients that are used, and for the indices that are no unknowns."""
    forms = [
        *solution.values,
        *(b.form for loop in solution.loops for b in (*loop.lows, *loop.highs)),
    ]
    used = {s for form in forms for s in form.symbols}
    quotients = [q for q in solution.quotients if q.name in used]
    names = {q.name: fresh("q") for q in quotients}
    names |= {z: fresh("z") for z in solution.indices if z.startswith("'")}
    if not names:
        return solution if not solution.quotients else _with(solution, (), {})
    return _with(solution, quotients, names)


def _with(
    solution: Solution, quotients: Sequence[Derived], names: Mapping[Symbol, Symbol]
) -> Solution:
    values = {old: symbol(new) for old, new in names.items()}

    def renamed(bounds: tuple[Bound, ...]) -> tuple[Bound, ...]:
        return tuple(Bound(b.form.substitute(values), b.divisor) for b in bounds)

    return Solution(
        unknowns=solution.unknowns,
        guards=solution.guards,
        quotients=tuple(Derived(names[q.name], q.form, q.modulus) for q in quotients),
        loops=tuple(
            Loop(names.get(loop.index, loop.index), renamed(loop.lows), renamed(loop.highs))
            for loop in solution.loops
        ),
        values=tuple(value.substitute(values) for value in solution.values),
    )
