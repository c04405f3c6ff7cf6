from __future__ import annotations

import dataclasses

import pytest
import sympy
from hypothesis import example, given
from hypothesis import strategies as st
from sympy.matrices.normalforms import smith_normal_form

from integer.systems import QUICK, THOROUGH
from tadc.integer.smith import smith_form

Rows = list[list[int]]


@st.composite
def matrices(draw: st.DrawFn, largest: int = 9) -> Rows:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    entries = st.integers(-largest, largest)
    return [[draw(entries) for _ in range(columns)] for _ in range(rows)]


def _is_sympys(M: Rows) -> None:
    smith = smith_form(M)  # asserts U M V == S itself

    expected = smith_normal_form(sympy.Matrix(M), domain=sympy.ZZ)
    diagonal = [abs(expected[i, i]) for i in range(min(expected.shape))]
    assert list(smith.divisors) == sorted(d for d in diagonal if d)
    for A in (smith.U, smith.V):
        assert abs(sympy.Matrix(A).det()) == 1


@QUICK
@given(matrices())
@example([[0, 0], [0, 0]])
@example([[2, 0], [0, 3]])
@example([[6, 4], [4, 10], [2, 8]])
def test_the_divisors_are_sympys_and_the_transforms_unimodular(M: Rows):
    _is_sympys(M)


@pytest.mark.slow
@THOROUGH
@given(matrices(largest=10**25))
def test_the_divisors_of_many_large_matrices_are_sympys(M: Rows):
    _is_sympys(M)


def test_a_unit_coefficient_needs_no_euclidean_step():
    smith = smith_form([[3, 1, -5]])

    assert smith.divisors == (1,)
    assert max(abs(a) for row in smith.V for a in row) == 5


def test_a_wrong_triple_is_noticed():
    smith = smith_form([[1, -2, -2]])

    with pytest.raises(AssertionError, match="U M V"):
        dataclasses.replace(smith, V=((1, 2, 2), (0, 1, 1), (0, 0, 1)))
