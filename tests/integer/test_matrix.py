from __future__ import annotations

from hypothesis import given
from sympy import Matrix

from integer.systems import QUICK
from integer.test_smith import Rows, matrices
from tadc.integer.matrix import hermite_form, product, transposed
from tadc.integer.smith import smith_form


@QUICK
@given(matrices())
def test_the_hermite_form_spans_the_same_lattice(M: Rows):
    H = hermite_form(M)

    assert len(H) == Matrix(M).rank()
    assert hermite_form([*M, *H]) == H  # M adds nothing to H, and H nothing to M
    if H:
        assert smith_form(H).divisors == smith_form(M).divisors


@QUICK
@given(matrices())
def test_pivots_are_positive_and_what_is_above_them_is_smaller(M: Rows):
    last = -1
    H = hermite_form(M)
    for i, row in enumerate(H):
        j = next(j for j, a in enumerate(row) if a)
        assert j > last
        assert row[j] > 0
        assert all(0 <= above[j] < row[j] for above in H[:i])
        last = j


def test_a_product_with_its_transpose():
    assert product([[1, 2]], transposed([[3, 4], [5, 6]])) == [[11, 17]]
