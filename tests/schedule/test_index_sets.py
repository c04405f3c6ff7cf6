"""Loops split where a test that all lanes take alike changes: the values are the same, and no test is left."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.ir.domain import Domain
from tadc.ir.expr import Select
from tadc.ir.walk import postorder
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import Choices
from tadc.schedule.cpu.index_sets import with_split_loops
from tadc.schedule.nest.loop_nest import Branch, Loop, steps_of, values_of
from tadc.schedule.nest.lower import kernels

SIZES = "size N, M, K\ninput x[N,K], v[K,M], w[N,M]\n"
SPLIT = {
    "a maximum up to the diagonal": "y[d: M] = max{i: N, j: K} (if j <= i then x[i,j]*v[j,d] else w[i,d])",
    "a minimum, from below": "y[d: M] = min{i: N, j: K} (if 2*j >= i + 1 then x[i,j]*v[j,d] else 0)",
    "between two tests": "y[d: M] = max{i: N, j: K} (if i <= j and j <= 2*i + 3 then x[i,j]*v[j,d] else 0.5)",
    "a product": "y[d: M] = prod{i: N, j: K} (if i + j <= K then 1 + 0.01*x[i,j]*v[j,d] else 1.001)",
    "a sum of both": "y[d: M] = sum{i: N, j: K} (if j < i then x[i,j]*v[j,d] else sin(x[i,j])*w[i,d])",
    "choices of opposite tests": "y[d: M] = sum{i: N, j: K} (if j < i then v[j,d] else w[i,d])*(if j >= i then x[i,j] else 2)",
}


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("text", SPLIT.values(), ids=SPLIT)
@pytest.mark.parametrize(("n", "m", "k"), [(40, 33, 37), (1, 40, 70), (70, 16, 1), (3, 5, 2)])
def test_loops_split_at_tests_have_the_values_of_the_interpreter(text, n, m, k):
    random = np.random.default_rng(0)
    arrays = [random.uniform(-1, 1, shape) for shape in ((n, k), (k, m), (n, m))]

    found = tadc.compile(SIZES + text, backend="native")(*arrays)

    expected = tadc.compile(SIZES + text, backend="interpreter")(*arrays)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("text", SPLIT.values(), ids=SPLIT)
def test_no_test_of_a_loop_is_left(text):
    sizes = {"N": 200, "M": 3000, "K": 200}
    program = tadc.compile(SIZES + text).program
    whole = Choices((("long sums are in parts", 1),))
    (kernel,) = NativeRunner(program, "float64", Options.of(), whole).lowered(sizes).kernels

    steps = list(steps_of(kernel.body))
    values = (e for step in steps for value in values_of(step) for e in postorder(value))

    assert not any(isinstance(s, Branch) for s in steps)
    assert not any(isinstance(e, Select) and isinstance(e.condition, Domain) for e in values)


def test_a_loop_over_few_values_keeps_its_tests():
    text = "size M\ninput x[8,M]\ny[i: M] = max{j: 8} (if j <= 3 then x[j,i] else 0)"
    (kernel,) = kernels(tadc.compile(text).program, "run")
    loops = [s for s in steps_of(kernel.body) if isinstance(s, Loop)]

    assert list(with_split_loops(loops)) == loops
