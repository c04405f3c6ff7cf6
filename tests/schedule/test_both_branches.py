"""Lanes compute both branches of a choice where one calls a function: the value of the one not taken is nowhere seen."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal

import tadc
from tadc.ir.affine import symbol
from tadc.ir.expr import Call, Comparison, Const, Read, Select
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.both_branches import BothBranches, choices_computed
from tadc.schedule.cpu.kernels import cpu_kernel
from tadc.schedule.nest.loop_nest import Assign, Branch, expressions_of
from tadc.schedule.nest.lower import kernels

COMPUTED = {
    "a comparison": "input x[N], z[N]\ny[i] = if x[i] > z[i] then log(x[i]) else z[i]",
    "what both branches need": "input x[N], z[N]\ny[i] = if abs(x[i]) < 0.001 then 1 else sin(x[i])/x[i] + sin(x[i])**2",
    "a condition on lanes": "input x[N], z[N]\ny[i] = x[i]*z[i] + (if i % 2 = 0 then sin(i*0.1) else cos(i*0.1))",
    "a choice in a choice": "input x[N], z[N]\ny[i] = if x[i] > 0 then (if z[i] > 0 then exp(z[i]) else log(-z[i])) else sqrt(-x[i])",
    "terms": "input x[N], z[N]\ny[i] = sum{j: N} (if x[j] < z[i] then log(1 + exp(x[j])) else 0)",
    "elements that are there": "input x[N,N], z[N]\ny[i,j] = if (i+j) % 2 = 0 then exp(x[i,j] - z[j]) else 0",
    "a power of a pole": "input x[N], z[N]\ny[i] = if x[i] > 0 then x[i]**z[i] else z[i]",
}
NOT_COMPUTED = {
    "nothing called": "input x[N], z[N]\ny[i] = if x[i] > z[i] then x[i]/z[i] else z[i]",
    "elements that may not be there": "input x[N], z[N]\ny[i] = if i > 0 then exp(x[i-1]) else z[i]",
    "data that may be outside": "size M\ninput k[N]: index, x[M], z[N]\ny[i] = if z[i] > 0 then exp(x[k[i]]) else 0",
    "the same for all lanes": "input x[N,N], z[N]\ny[i,j] = if 2*i > N then exp(x[i,j]) else z[i]",
}


def computed_and_all(text):
    program = normal("size N\n" + text)
    scheduled = cpu_kernel(kernels(program, "primal")[-1], program)
    choices = {e for e in expressions_of(scheduled.body) if isinstance(e, Select)}
    return choices_computed(scheduled.kernel, scheduled.body, program.tensors), choices


@pytest.mark.parametrize("name", COMPUTED)
def test_choices_of_which_both_branches_are_computed(name):
    computed, choices = computed_and_all(COMPUTED[name])

    assert computed and computed <= choices


@pytest.mark.parametrize("name", NOT_COMPUTED)
def test_choices_of_which_one_branch_is_computed(name):
    assert not computed_and_all(NOT_COMPUTED[name])[0]


def test_a_branch_that_changes_its_own_condition_stays_one():
    program = normal("size N\ninput x[N]\ny[i] = x[i]")
    kernel = kernels(program, "primal")[-1]
    both = BothBranches.of(kernel, kernel.body, program.tensors)
    a, b, x = Read("a", ()), Read("b", ()), Read("x", (symbol("i"),))

    def assigned(condition):
        steps = Assign("a", Call("exp", (x,))), Assign("b", x)
        return list(both.flat((Branch(condition, steps),), frozenset({"i"})))

    assert any(isinstance(s, Branch) for s in assigned(Comparison("<", a, x)))
    flat = assigned(Comparison("<", x, Const(0)))
    assert [(s.local, s.value.otherwise) for s in flat] == [("a", a), ("b", b)]


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", COMPUTED | NOT_COMPUTED)
def test_values_and_gradients_are_those_of_the_interpreter(name, dtype):
    text = "size N\n" + (COMPUTED | NOT_COMPUTED)[name]
    r = np.random.default_rng(0)
    for count in (0, 1, 7, 33, 100):
        f, plain = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
        arrays = []
        for t in f.program.inputs:
            shape = tuple(n.at({"N": count, "M": 5}) for n in t.shape)
            values = r.normal(size=shape).astype(dtype)
            values.flat[::5] = 0  # poles of branches that are not taken
            arrays.append(r.integers(0, 5, shape) if t.name == "k" else values)
        cotangent = np.ones_like(plain(*arrays))

        value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)
        expected, expected_gradients = plain.value_and_gradients(*arrays, cotangent=cotangent)

        tolerance = 1e-4 if dtype == "float32" else 1e-10
        np.testing.assert_allclose(f(*arrays), expected, tolerance, tolerance)
        np.testing.assert_allclose(value, expected, tolerance, tolerance)
        for a, b in zip(gradients.values(), expected_gradients.values(), strict=True):
            np.testing.assert_allclose(a, b, tolerance, tolerance)
