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
from tadc.schedule.nest.loop_nest import (
    Branch,
    Loop,
    Strips,
    has_loops,
    steps_of,
    values_of,
)
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


# The test changes along the lanes.
SLANTED = {
    "a periodic sum": "y[b: 5, i: N] = sum{k: N} (if k <= i then c[i - k] else -c[N + i - k])*x[b,k]; input c[N], x[5,N]",
    "distances": "y[b: 5, i: N] = sum{k: N} (if k <= i then c[i - k] else 2*c[k - i])*x[b,k]; input c[N], x[5,N]",
    "every second one": "y[i: N] = max{k: N} (if 2*k <= i + 3 then c[k]*c[i] else c[i] - c[k]); input c[N]",
    "from the end": "y[i: N] = min{k: N} (if i + k < N then c[i + k] else 2*c[k]); input c[N]",
    "in a sum of sums": "y[i: N] = sum{j: 3, k: N} (if k <= i + j then c[k]*x[j,i] else x[j,k]); input c[N], x[3,N]",
}


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("text", SLANTED.values(), ids=SLANTED)
def test_loops_split_along_lanes_have_the_values_of_the_interpreter(text):
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    random = np.random.default_rng(0)
    for n in (1, 2, 31, 40, 70, 129):
        shapes = ([e.at({"N": n}) for e in t.shape] for t in native.program.inputs)
        arrays = [random.uniform(-1, 1, shape) for shape in shapes]
        np.testing.assert_allclose(native(*arrays), oracle(*arrays), rtol=1e-12, atol=1e-14)


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
def test_lanes_of_sums_have_no_ends_to_split_at():
    text = "size B, N\ninput x[B,N], c[N]\ny[b: B,i: N] = prod{j: N} (1 + 0.01*c[abs(i-j)]*x[b,j])"
    random = np.random.default_rng(0)
    arrays = random.uniform(-1, 1, (14, 1)), random.uniform(-1, 1, 1)

    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))

    dy = random.uniform(-1, 1, (14, 1))
    found, expected = (f.value_and_gradients(*arrays, cotangent=dy)[1] for f in (native, oracle))
    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-12)


@pytest.mark.parametrize("text", SLANTED.values(), ids=SLANTED)
def test_a_test_that_changes_along_the_lanes_is_left_in_one_of_three_loops(text):
    program = tadc.compile(text).program
    whole = Choices((("long sums are in parts", 1),))
    lowered = NativeRunner(program, "float64", Options.of(), whole).lowered({"N": 3000})
    (strips,) = (s for s in steps_of(lowered.kernels[-1].body) if isinstance(s, Strips))

    loops = [
        s for s in steps_of(strips.body) if isinstance(s, Loop) and s.range.index.startswith("k")
    ]
    last = [s for s in loops if not has_loops(s.body)]

    assert [has_tests(s) for s in last] == [False, True, False]


def has_tests(loop):
    values = (e for s in steps_of(loop.body) for value in values_of(s) for e in postorder(value))
    return any(isinstance(e, Select) and isinstance(e.condition, Domain) for e in values)
