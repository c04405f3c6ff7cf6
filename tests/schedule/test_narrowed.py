"""Temporaries lose the dimensions along which all their elements are equal; results and gradients stay."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.schedule.rewrite.narrowed import narrowed

HEAD = "size N, M\ninput x[N], w[M]\n"
# Text, and how many dimensions the temporaries have.
NARROWED = {
    "one dimension": (HEAD + "f[i: N, k: M] = exp(x[i])\ng[i] = sum{k} f[i,k]*w[k]", [1]),
    "the first": (HEAD + "f[k: M, i: N] = exp(x[i])\ng[k] = sum{i} f[k,N-1-i]*w[k]", [1]),
    "all": (HEAD + "f[k: M, i: N] = 3\ng[k] = sum{i} f[k,i]*w[k]*x[i]", [0]),
    "what another leaves": (
        HEAD + "f[i: N, k: M] = x[i]**2\ng[k: M, i: N] = sin(f[i,k])*f[i,0]\nh[k] = sum{i} g[k,i]*w[k]",
        [1, 1],
    ),
    "an index in bounds": (
        HEAD + "f[i: N, k: M] = sum{j=0..k} x[i]\ng[i] = sum{k} f[i,k]*w[k]",
        [2],
    ),
    "a value of an index": (HEAD + "f[i: N, k: M] = x[i]*k\ng[i] = sum{k} f[i,k]*w[k]", [2]),
    "an output": (HEAD + "f[i: N, k: M] = exp(x[i])\ng[i] = sum{k} f[i,k]*w[k]\noutput f, g", [2]),
}  # fmt: skip


@pytest.mark.parametrize("name", NARROWED)
def test_temporaries_have_the_dimensions_along_which_they_differ(name):
    text, dimensions = NARROWED[name]

    *temporaries, _ = narrowed(tadc.compile(text).program).statements

    assert [len(s.indices) for s in temporaries] == dimensions


@pytest.mark.compiler
@pytest.mark.parametrize("name", NARROWED)
@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_results_and_gradients_are_those_of_the_program_as_it_is_written(name, backend):
    text, _ = NARROWED[name]
    f, g = tadc.compile(text, backend=backend), tadc.compile(text, backend="interpreter")
    random = np.random.default_rng(0)
    for n, m in ((3, 5), (1, 1), (4, 4), (0, 2)):
        x, w = random.uniform(0.5, 1, n), random.uniform(0.5, 1, m)
        found, expected = (
            np.atleast_1d(h(x, w)) if "output" not in text else h(x, w) for h in (f, g)
        )
        cotangents = tuple(np.ones_like(y) for y in (expected if "output" in text else [expected]))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
        for one, other in zip(f.adjoint()(x, w, *cotangents), g.adjoint()(x, w, *cotangents), strict=True):  # fmt: skip
            np.testing.assert_allclose(one, other, rtol=1e-12)
