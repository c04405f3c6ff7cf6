"""Sums behind a choice by values are computed before it, where lanes share them, and values stay what they are."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal

import tadc
from tadc.runtime.cpu import c_compiler
from tadc.schedule.cpu.branched import with_sums_before_branches
from tadc.schedule.nest.loop_nest import Branch, has_loops, steps_of
from tadc.schedule.nest.lower import kernels

SIZES = "size N, M\ninput x[M,N], m[N]\n"
# Text, and how many choices keep a loop.
FORMULAS = {
    "logsumexp of columns": ("y[i] = logsumexp{k} x[k,i]", 0),
    "a chosen sum": ("y[i] = if m[i] > 0 then sum{k} x[k,i]**2 else m[i]", 0),
    "two sums": ("y[i] = if m[i] > 0 then sum{k} x[k,i] else max{k} x[k,i]", 0),
    "a choice in a sum": (
        "y[i] = sum{l} (if x[l,i] > m[i] then sum{k: l} x[k,i] else prod{k: 3} x[k,i])",
        0,
    ),
    "a choice that lanes share": ("y[i] = if m[0] > 0 then sum{k} x[k,i] else m[i]", 1),
}


def is_choice_with_loops(step):
    return isinstance(step, Branch) and has_loops((step,))


@pytest.mark.parametrize("name", FORMULAS)
def test_sums_that_stand_before_choices(name):
    text, inside = FORMULAS[name]
    (kernel,) = kernels(normal(SIZES + text), "run")
    assert any(map(is_choice_with_loops, steps_of(kernel.body)))

    moved = with_sums_before_branches(kernel.body, "i")

    assert sum(map(is_choice_with_loops, steps_of(moved))) == inside


def test_what_data_lead_to_stays_behind_the_choice():
    text = "size N, M, K\ninput x[K,N], m[N], e[N,M]: index\ny[i] = if m[i] > 0 then sum{k} x[e[i,k],i] else 0"
    (kernel,) = kernels(tadc.compile(text).program, "run")

    assert any(map(is_choice_with_loops, steps_of(with_sums_before_branches(kernel.body, "i"))))


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize(("m", "n"), [(4, 70), (131, 37), (3, 1)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_those_of_the_interpreter(name, m, n, dtype):
    text, _ = FORMULAS[name]
    random = np.random.default_rng(0)
    x, signs = random.normal(size=(m, n)), random.normal(size=n)
    x[:, 0], x[0, -1] = -np.inf, np.inf
    arrays = x.astype(dtype), signs.astype(dtype)

    with np.errstate(invalid="ignore"):
        found, expected = (tadc.compile(SIZES + text, backend=b)(*arrays) for b in ("native", "interpreter"))  # fmt: skip

    np.testing.assert_allclose(found, expected, rtol=1e-4 if dtype == "float32" else 1e-11)
