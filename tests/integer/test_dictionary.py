from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from integer.systems import QUICK, affine, forms
from tadc.integer.dictionary import Dictionary, Unbounded
from tadc.ir.affine import Affine, symbol

SYMBOLS = "ijkl"
INEQUALITIES = st.lists(forms(SYMBOLS), min_size=1, max_size=8)
EQUALITIES = st.lists(forms(SYMBOLS), max_size=2)


def _minimum(objective: Affine, inequalities: list[Affine], equalities: list[Affine]):
    """By scipy's HiGHS: 0 for a minimum, 2 for infeasible, 3 for unbounded; and the minimum."""

    def rows(of: list[Affine], sign: int):
        if not of:
            return None, None
        A = np.array([[sign * form.coefficient(s) for s in SYMBOLS] for form in of])
        return A, np.array([-sign * form.constant for form in of])

    A_ub, b_ub = rows(inequalities, -1)
    A_eq, b_eq = rows(equalities, 1)
    cost = [objective.coefficient(s) for s in SYMBOLS]
    found = linprog(cost, A_ub, b_ub, A_eq, b_eq, bounds=(None, None))
    return found.status, found.fun


@QUICK
@given(INEQUALITIES, EQUALITIES)
def test_feasibility_is_that_of_scipy(inequalities: list[Affine], equalities: list[Affine]):
    dictionary = Dictionary.of(inequalities, equalities)

    feasible = dictionary is not None and dictionary.restore()

    assert feasible == (_minimum(affine("0*i"), inequalities, equalities)[0] != 2)


@QUICK
@given(INEQUALITIES, EQUALITIES)
def test_the_minimum_of_a_symbol_is_that_of_scipy(
    inequalities: list[Affine], equalities: list[Affine]
):
    dictionary = Dictionary.of(inequalities, equalities, ["j"])
    if dictionary is None or not dictionary.restore():
        return

    least = dictionary.lexicographic_minimum()

    status, value = _minimum(symbol("j"), inequalities, equalities)
    if isinstance(least, Unbounded):
        assert status != 0
    else:
        assert status == 0
        assert abs(float(least[0]) - value) < 1e-6


@QUICK
@given(INEQUALITIES)
def test_an_inequality_removed_no_longer_holds_back_the_others(inequalities: list[Affine]):
    whole = Dictionary.of(inequalities)
    assert whole is not None
    if not whole.restore():
        return

    whole.remove(0)

    rest = Dictionary.of(inequalities[1:])
    assert rest is not None
    assert rest.restore()
    for number in range(1, len(inequalities)):
        expected = rest.where(negative=[number - 1]) is not None
        assert (whole.where(negative=[number]) is not None) == expected


def test_the_vertex_is_exact():
    dictionary = Dictionary.of(
        [affine("3*i - 10**40"), affine("7*j - i - 1"), affine("10**50 - i - j")], (), ["i", "j"]
    )
    assert dictionary is not None
    assert dictionary.restore()

    assert dictionary.lexicographic_minimum() == (
        Fraction(10**40, 3),
        Fraction(10**40 + 3, 21),
    )


def test_a_symbol_without_inequalities_is_unbounded():
    dictionary = Dictionary.of([affine("i")], (), ["i", "j"])
    assert dictionary is not None
    assert dictionary.restore()

    assert dictionary.lexicographic_minimum() == Unbounded(1)


def test_contradictory_equations_have_no_dictionary():
    assert Dictionary.of([], [affine("i - j"), affine("j - i + 1")]) is None
