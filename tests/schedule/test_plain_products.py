"""Gates in sums are products where all factors are finite, and what they were where one is not."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal

import tadc
from tadc.ir.expr import Call
from tadc.ir.walk import postorder
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu.plain_products import with_products_for_gates

ATTENTION = (
    "size N, D\ninput q[N,D], k[N,D], v[N,D]\n"
    "s[i,j] = sum{d} q[i,d]*k[j,d]\no[i,d] = sum{j} exp(s[i,j])/(sum{l} exp(s[i,l]))*v[j,d]"
)
GRADIENTS = {
    "softmax": ATTENTION,
    "up to the diagonal": ATTENTION.replace("sum{j}", "sum{j=0..i}"),
    "kernel regression": "size N, M, D\ninput x[N], y[M], w[M,D]\n"
    "f[i,d] = sum{j} exp(-(x[i] - y[j])**2)*w[j,d]/(sum{j} exp(-(x[i] - y[j])**2))",
    "with itself": "size N, D\ninput v[N,D], a[N]\ne[i,j] = exp(a[i]*a[j])\nf[i,d] = sum{j} e[i,j]*exp(e[j,i])*v[j,d]",
}


def is_gate(e):
    return isinstance(e, Call) and e.function == "gate"


def test_which_sums_are_products():
    text = "size N, M, D\ninput x[N,M], y[M,D], z[M]\na[i,d] = sum{j} gate(x[i,j], y[j,d])\nb[i] = sum{j} gate(x[i,j], z[j])"
    program = normal(text)

    changed, checks = with_products_for_gates(program, {"N": 100, "M": 100, "D": 100})

    assert checks.keys() == {"a"}  # the other has a term for each element of a matrix
    bodies = {s.target.name: s.body for s in changed.statements}
    assert not any(map(is_gate, postorder(bodies["a"])))
    assert any(map(is_gate, postorder(bodies["b"])))
    assert with_products_for_gates(program, {"N": 100, "M": 100, "D": 100}, {"a"}) == (program, {})


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("value", [1.0, np.inf, -np.inf, np.nan, 0.0])
@pytest.mark.parametrize("threads", [1, 3])
def test_gradients_beside_infinities(name, value, threads):
    random = np.random.default_rng(0)
    program = tadc.compile(GRADIENTS[name]).adjoint().program
    sizes = {"N": 41 if name == "kernel regression" else 37, "M": 37, "D": 19}
    arrays = {}
    for t in program.inputs:
        array = random.uniform(-1, 1, tuple(n.at(sizes) for n in t.shape))
        array.reshape(-1)[:3] = 0.0
        array.reshape(-1)[random.integers(3, array.size)] = value
        arrays[t.name] = array

    found, expected = (
        NativeRunner(program, "float64", Options(threads=threads), choices).run(arrays, sizes)
        for choices in (BY_MODEL, Choices((("gates in sums are products", 1),)))
    )

    for n, right in expected.items():
        np.testing.assert_allclose(found[n], right, rtol=1e-13, atol=1e-14, err_msg=n)
