"""Which divisors leave sums of products, and that values are what they were."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal

import tadc
from tadc.ir.expr import Call, Reduce
from tadc.ir.names import Names
from tadc.ir.walk import postorder
from tadc.schedule.rewrite.divisors import with_divisors_before

SIZES = "size N, M, D\ninput x[N,D], e[N,M], z[N], u[M]\n"
# Text, and how many divisors stay in sums.
FORMULAS = {
    "a matrix and its rows": ("g[j,d] = sum{i} x[i,d]*e[i,j]/z[i]", 0),
    "a gate": ("g[j,d] = sum{i} gate(x[i,d], e[i,j]/z[i])", 0),
    "several": ("g[j,d] = sum{i} x[i,d]/z[i]*e[i,j]/(z[i]**2 + 1)", 0),
    "one index": ("g = sum{i} z[i]/(z[i]**2 + 1)", 1),
    "no factor without an index": ("g[d] = sum{i} x[i,d]/(z[i]**2 + 1)", 1),
    "few values": ("g[j,d: 3] = sum{i} e[i,j]*z[i+d*0]/(e[i,j]**2 + 1)", 1),
    "a divisor of all indices": ("g[j,d] = sum{i} x[i,d]*e[i,j]/(x[i,d]*e[i,j] + 5)", 1),
    "the smaller tensor": ("g[j] = sum{i} e[i,j]*z[i]/(z[i]**2 + 1)", 0),
    "under a condition": ("g[j,d] = sum{i | i <= j} x[i,d]*e[i,j]/z[i]", 0),
}


def divided_in_sums(program):
    sums = (e for s in program.statements for e in postorder(s.body) if isinstance(e, Reduce))
    inside = {node for e in sums for node in postorder(e.body)}
    return sum(isinstance(e, Call) and e.function == "div" for e in inside)


def rewritten(text):
    program = normal(SIZES + text)
    return program, with_divisors_before(program, Names((*program.tensors, *program.symbols)))


@pytest.mark.parametrize("name", FORMULAS)
def test_which_divisors_leave_sums(name):
    text, inside = FORMULAS[name]
    before, after = rewritten(text)

    assert divided_in_sums(before) > 0
    assert divided_in_sums(after) == inside
    assert (after == before) == (inside > 0)


def test_the_quotient_is_of_an_input_and_has_its_order():
    _, program = rewritten("w[i,j] = e[i,j]**2\ng[j,d] = sum{i} w[i,j]*x[i,d]/z[i]")

    (quotient,) = (s for s in program.statements if s.target.name == "g_quotient")
    assert quotient.indices == ("i", "d")


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("shape", [(5, 4, 3), (1, 1, 1), (17, 2, 9)])
def test_values_and_gradients_are_those_of_the_interpreter(name, shape):
    text, _ = FORMULAS[name]
    n, m, d = shape
    random = np.random.default_rng(0)
    f, oracle = (tadc.compile(SIZES + text, backend=b) for b in ("numpy", "interpreter"))
    arrays = {"x": random.normal(size=(n, d)), "e": random.normal(size=(n, m)), "z": random.uniform(1, 2, n), "u": random.normal(size=m)}  # fmt: skip
    given = {name: arrays[name] for name in f.inputs}
    sizes = {s: v for s, v in zip("NMD", shape, strict=True) if s in f.program.sizes}
    cotangent = np.ones_like(oracle(**given, **sizes))

    for one, other in zip(
        f.value_and_gradients(**given, **sizes, cotangent=cotangent),
        oracle.value_and_gradients(**given, **sizes, cotangent=cotangent),
        strict=True,
    ):
        pairs = (
            ((one, other),) if not isinstance(one, dict) else ((one[k], other[k]) for k in other)
        )
        for a, b in pairs:
            np.testing.assert_allclose(a, b, rtol=1e-11, atol=1e-12)
