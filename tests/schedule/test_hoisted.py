"""Expensive values that a loop does not change are computed before it, where it surely runs."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.ir.expr import Call
from tadc.ir.names import Names
from tadc.ir.walk import postorder
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.hoisted import with_values_before_loops
from tadc.schedule.nest.loop_nest import Loop, names_of, steps_of, values_of
from tadc.schedule.nest.lower import kernels

SIZES = "size N, D\ninput g[D,N], x[N]\nrequire D >= 5\n"
# Text, and how many of its logarithms are still in a loop.
FORMULAS = {
    "a loop of a number of values": ("y[i: N] = sum{d: 5} exp(g[d,i]*log(x[i] + 2))", 0),
    "a loop that may be empty": ("y[i: N] = sum{d: D - 5} exp(g[d,i]*log(x[i] + 2))", 1),
    "a value of the loop": ("y[i: N] = sum{d: 5} exp(g[d,i]*log(x[i] + d + 2))", 1),
    "a branch that may not be taken": ("y[i: N] = sum{d: 5} if g[d,i] > 0 then exp(g[d,i]*log(x[i])) else 0", 1),
    "two loops": ("y[i: N] = sum{d: 5} exp(g[d,i]*max{e: 7} (g[d,i] + e*log(x[i] + 2)))", 0),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMULAS)
def test_what_stands_before_loops(name):
    text, inside = FORMULAS[name]
    (kernel,) = kernels(tadc.compile(SIZES + text).program, "run")

    body = tuple(with_values_before_loops(kernel.body, Names(names_of(kernel)), set()))

    loops = [s for s in steps_of(body) if isinstance(s, Loop)]
    values = {e for s in steps_of(loops) for v in values_of(s) for e in postorder(v)}
    assert sum(isinstance(e, Call) and e.function == "log" for e in values) == inside


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("n", "d"), [(70, 9), (3, 5), (33, 5)])
def test_values_are_those_of_the_interpreter(name, n, d):
    text, _ = FORMULAS[name]
    random = np.random.default_rng(0)
    g, x = random.normal(size=(d, n)), random.uniform(0.5, 2, n)
    x[:2] = -1, 0  # whose logarithms stand in branches that are not taken
    g[:, :2] = -1

    found, expected = (tadc.compile(SIZES + text, backend=b)(g, x) for b in ("native", "interpreter"))  # fmt: skip

    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
