"""Sums that are one number, of terms with sums of their own, are sums of rows with lanes among these."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.ir.expr import Reduce
from tadc.schedule.cpu.pairs import with_sums_over_pairs_by_rows

ROWS = {
    "pairs": "size N, M\ninput x[N,3], y[M,3]\ne = sum{i, j} exp(-sum{d} (x[i,d] - y[j,d])**2)",
    "a long sum in another": "size N, M\ninput x[N,M], y[M]\ne = sum{j} tanh(sum{i} x[i,j])*y[j]",
}
AS_THEY_ARE = {
    "a short sum in another": "size M\ninput x[3,M], y[M]\ne = sum{j} tanh(sum{i} x[i,j])*y[j]",
    "many elements": "size N, M\ninput x[N,M], y[M]\ne[i] = sum{j} x[i,j]*y[j]",
    "no sum inside": "size N, M\ninput x[N,M]\ne = sum{i, j} exp(x[i,j])",
}


def rewritten(text):
    program = tadc.compile(text).program
    return program, with_sums_over_pairs_by_rows(program, dict.fromkeys(program.sizes, 300))


@pytest.mark.parametrize("name", ROWS)
def test_the_terms_are_rows(name):
    _, program = rewritten(ROWS[name])

    rows, total = program.statements

    assert len(rows.indices) == 1
    assert isinstance(total.body, Reduce) and len(total.body.indices) == 1


@pytest.mark.parametrize("name", AS_THEY_ARE)
def test_other_sums_are_as_they_are(name):
    before, after = rewritten(AS_THEY_ARE[name])

    assert after is before


@pytest.mark.compiler
@pytest.mark.parametrize("name", ROWS)
def test_values_and_gradients_stay(name):
    f, g = (tadc.compile(ROWS[name], backend=b) for b in ("native", "numpy"))
    random = np.random.default_rng(0)
    sizes = {"N": 130, "M": 90}
    shapes = [tuple(n.at(sizes) for n in t.shape) for t in f.program.inputs]
    arrays = [random.uniform(-1, 1, shape) for shape in shapes]

    (value, gradients), (right, expected) = (h.value_and_gradients(*arrays) for h in (f, g))

    np.testing.assert_allclose(value, right, rtol=1e-12)
    for wrt, gradient in gradients.items():
        np.testing.assert_allclose(gradient, expected[wrt], rtol=1e-10, atol=1e-12)
