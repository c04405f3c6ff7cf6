"""The integer solutions of linear equations (Urban & van der Smagt 2017, section 4.1).

With `U M V = S` the equations `M u = g` are `s_i x_i = (U g)_i` for `u = V x`. The right-hand sides are affine forms
of parameters, so whether there are solutions is a matter of *guards*: `(U g)_i == 0` in the rows without a divisor,
and `s_i | (U g)_i` in the others. The paper drops the latter, which is a mistake: `2*i == b` has no solution for odd
`b`, although the ranges alone may well be satisfied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tadc.integer.lll import short_basis
from tadc.integer.matrix import Matrix, hermite_form, identity, product
from tadc.integer.smith import smith_form
from tadc.ir.affine import Affine, Symbol, constant, symbol
from tadc.ir.domain import Condition, Derived, divides, equals_zero

__all__ = ["Lattice", "integer_solutions", "remainder"]


@dataclass(frozen=True, slots=True)
class Lattice:
    """`u = V1 heads + V2 z` with `z` any integers, under the guards; elsewhere there is no integer solution.

    `heads` are forms of parameters and quotients, one for each independent equation.
    """

    guards: tuple[Condition, ...]
    quotients: tuple[Derived, ...]
    heads: tuple[Affine, ...]
    V1: tuple[tuple[int, ...], ...]
    V2: tuple[tuple[int, ...], ...]


def integer_solutions(
    M: Matrix, g: Sequence[Affine], n: int, name: Callable[[int], Symbol]
) -> Lattice | None:
    """The solutions of `M u = g`, with `n` unknowns; None where `g` contradicts itself.

    `name(i)` is the name of the `i`-th quotient, counted from 0.
    """
    if not M:
        free = tuple(map(tuple, identity(n)))
        return Lattice((), (), (), ((),) * n, free)
    smith = smith_form(M)
    r = smith.rank
    assert not any(map(any, product(M, [row[r:] for row in smith.V]))), "M V2 is not 0"
    sides = [_combination(row, g) for row in smith.U]
    guards = [equals_zero(form) for form in _independent(sides[r:])]
    quotients: dict[tuple[Affine, int], Derived] = {}
    heads: list[Affine] = []
    for s, side in zip(smith.divisors, sides, strict=False):
        guards.append(divides(s, side))
        head = _quotient(side, s)
        if head is None:
            return None
        whole, rest, sign = head
        if not rest.is_constant:
            if (rest, s) not in quotients:
                quotients[rest, s] = Derived(name(len(quotients)), rest, s)
            whole += sign * symbol(quotients[rest, s].name)
        heads.append(whole)
    if any(guard.form.is_constant and not guard.holds({}) for guard in guards):
        return None
    guards = [guard for guard in dict.fromkeys(guards) if not guard.form.is_constant]
    V1, V2 = tuple(row[:r] for row in smith.V), tuple(row[r:] for row in smith.V)
    return Lattice(tuple(guards), tuple(quotients.values()), tuple(heads), V1, V2)


def remainder(form: Affine, s: int) -> Affine:
    """`form` less a multiple of `s`, with coefficients `-s < c < s` of the same signs.

    The constant is left as it is: `(b - 5) / 2` reads better than `(b + 1) / 2 - 3`.
    """
    return Affine.of({t: c % s if c > 0 else -(-c % s) for t, c in form.terms}, form.constant)


def _combination(row: Sequence[int], forms: Sequence[Affine]) -> Affine:
    total: dict[Symbol, int] = {}
    rest = 0
    for factor, form in zip(row, forms, strict=True):
        if factor:
            rest += factor * form.constant
            for s, c in form.terms:
                total[s] = total.get(s, 0) + factor * c
    return Affine.of(total, rest)


def _quotient(side: Affine, s: int) -> tuple[Affine, Affine, int] | None:
    """`side / s` as `whole + sign * (rest / s)`, the first coefficient of `rest` positive. None if `s` never divides."""
    rest = remainder(side, s)
    if rest.is_constant:
        return (side // s, constant(0), 1) if rest.constant % s == 0 else None
    sign = 1 if rest.terms[0][1] > 0 else -1
    return (side - rest) // s, sign * rest, sign


def _independent(forms: Sequence[Affine]) -> list[Affine]:
    """Forms that vanish together exactly where all `forms` do: as few as possible, with small coefficients."""
    if len(forms) < 2:
        return list(forms)
    symbols = sorted({s for form in forms for s in form.symbols})
    rows = [[*(form.coefficient(s) for s in symbols), form.constant] for form in forms]
    return [
        Affine.of(dict(zip(symbols, row, strict=False)), row[-1])
        for row in short_basis(hermite_form(rows))
    ]
