from __future__ import annotations

from hypothesis import given

from integer.systems import QUICK
from integer.test_smith import Rows, matrices
from tadc.integer.lll import short_basis
from tadc.integer.matrix import hermite_form


@QUICK
@given(matrices(largest=1000))
def test_a_short_basis_spans_the_same_lattice(M: Rows):
    H = hermite_form(M)

    assert hermite_form(short_basis(H)) == H


def test_long_parallel_vectors_become_short_ones():
    assert short_basis([[1, 1000003], [0, 1000004]]) == [[-1, 1], [500002, 500002]]
