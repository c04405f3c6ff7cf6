"""A domain's conditions by their kind, and coordinates for the integer solutions of its equations.

This is the first half of the solver: from unknowns that are bound to each other by equations to indices that are not,
with the unknowns as affine forms of these.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tadc.integer.basis import chosen_basis
from tadc.integer.lattice import integer_solutions
from tadc.ir.affine import Affine, Symbol, symbol
from tadc.ir.domain import Condition, Derived, Domain

__all__ = ["Coordinates", "System", "coordinates", "is_made_up", "without"]


@dataclass(frozen=True, slots=True)
class System:
    """The conditions of a domain by their kind. `m | e` with unknowns in `e` is the equation `e - m*t == 0`.

    Each `t` is an unknown that the others fix, so no point is counted twice.
    """

    unknowns: tuple[Symbol, ...]
    columns: tuple[Symbol, ...]  # the unknowns, then the `t`
    equations: tuple[Affine, ...]  # each has an unknown
    inequalities: tuple[Affine, ...]
    guards: tuple[Condition, ...]  # equalities and divisibilities of parameters alone

    @classmethod
    def of(cls, unknowns: tuple[Symbol, ...], domain: Domain) -> System:
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
                columns.append(_made_up("t", len(columns)))
                equations.append(condition.form - condition.modulus * symbol(columns[-1]))
        return cls(unknowns, tuple(columns), tuple(equations), tuple(inequalities), tuple(guards))

    def with_equations(self, equations: Iterable[Affine]) -> System:
        more = (*self.equations, *equations)
        return System(self.unknowns, self.columns, more, self.inequalities, self.guards)


@dataclass(frozen=True, slots=True)
class Coordinates:
    """The integer solutions of a system's equations, under the guards, for any integers as `indices`.

    `values` has a form for each column, of parameters, quotients and indices. Indices that are columns themselves
    keep their names; other indices, and quotients, have made-up ones.
    """

    guards: tuple[Condition, ...]
    quotients: tuple[Derived, ...]
    indices: tuple[Symbol, ...]  # in the order of the loops
    values: Mapping[Symbol, Affine]


def coordinates(system: System, ranking: Sequence[Symbol]) -> Coordinates | None:
    """Coordinates that are columns if possible, those first in `ranking`; None where the equations have no solution."""
    free = {s: symbol(s) for s in system.columns}
    if not system.equations:
        return Coordinates((), (), system.columns, free)
    bound = {s for e in system.equations for s in e.symbols}
    sought = [s for s in system.columns if s in bound]
    lattice = integer_solutions(
        [[e.coefficient(s) for s in sought] for e in system.equations],
        [-without(e, sought) for e in system.equations],
        len(sought),
        lambda i: _made_up("q", i),
    )
    if lattice is None:
        return None
    basis = chosen_basis(lattice, [sought.index(s) for s in ranking if s in bound])
    names = [
        sought[row] if basis.keeps(c) else _made_up("z", c) for c, row in enumerate(basis.pivots)
    ]
    values: dict[Symbol, Affine] = dict(free)
    for s, head_factors, factors in zip(sought, basis.V1, basis.V2, strict=True):
        heads = zip(head_factors, lattice.heads, strict=True)
        z = Affine.of(dict(zip(names, factors, strict=True)))
        values[s] = sum((factor * head for factor, head in heads if factor), z)
    places = {s: i for i, s in enumerate(system.columns)}
    positions = {s: (places[s], -1) for s in system.columns if s not in bound}
    for c, z_name in enumerate(names):
        first = z_name
        if is_made_up(z_name):
            # A loop over no unknown stands where the first unknown stands that is computed from it.
            first = next(s for s in sought if s not in names and values[s].coefficient(z_name))
            values = _tidied(values, z_name, first)
        positions[z_name] = (places[first], c)
    indices = tuple(sorted(positions, key=lambda s: positions[s]))
    return Coordinates(lattice.guards, lattice.quotients, indices, values)


def without(form: Affine, symbols: Collection[Symbol]) -> Affine:
    """`form` less the terms of `symbols`."""
    return Affine(tuple(term for term in form.terms if term[0] not in symbols), form.constant)


def is_made_up(name: Symbol) -> bool:
    """Whether the name is one of this room's own, for quotients and indices that are yet to be named."""
    return name.startswith("'")


def _made_up(hint: str, number: int) -> Symbol:
    return f"'{hint}{number}"


def _tidied(values: Mapping[Symbol, Affine], z: Symbol, unknown: Symbol) -> dict[Symbol, Affine]:
    """The values with `z` shifted and reflected so that `unknown` is `.. + a*z + d`, where `0 <= d < a`."""
    a, d = values[unknown].coefficient(z), values[unknown].constant
    sign = 1 if a > 0 else -1
    new = {z: sign * (symbol(z) - d // abs(a))}
    return {s: value.substitute(new) for s, value in values.items()}
