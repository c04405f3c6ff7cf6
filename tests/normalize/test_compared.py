"""Sums that derivatives compare with a maximum are computed once: a term is never a bit away from the maximum that it is."""

from __future__ import annotations

import numpy as np
import pytest
from grids import evaluated

import tadc
from tadc.compiler import adjoint_program

N, K = 40, 8
TERMS = {
    "in a triangle": "y[i] = max{j=0..i} sum{k} a[i,k]*b[j,k]",
    "in the other triangle": "y[i] = min{j=i..N-1} sum{k} abs(a[i,k] - b[j,k])",
    "of pairs": "y[i] = max{j=0..N-1 | j != i} -(sum{k} (a[i,k] - b[j,k])**2)",
    "of quotients": "y[i: N] = max{j: N} -(sum{k: K} (a[i,k] - b[j//2,k])**2)",
    "of windows": "y[i] = max{j=i-3..i+3} sum{k} a[i,k]*b[pad(j),k]",
    "of windows that start further on": "y[i: N-9] = max{j=i+2..i+9} exp(sum{k} a[i,k]*b[j,k])",
    "under a condition": "y[i: N] = max{j: N} (if j <= i then prod{k: K} a[i,k]*b[j,k] else 0)",
    "on the other side of one": "y[i: N] = max{j: N} (if j <= i then 0 else sum{k: K} a[i,k]*b[j,k])",
}  # fmt: skip


def sample():
    random = np.random.default_rng(0)
    return random.normal(size=(2, N, K))


@pytest.mark.parametrize("case", TERMS)
@pytest.mark.parametrize(
    ("backend", "memory"),
    [("native", "auto"), ("native", "recompute"), ("numpy", "auto"), ("interpreter", "auto")],
)
@pytest.mark.compiler
def test_a_gradient_finds_the_greatest_term(case, backend, memory):
    text = f"size N, K\ninput a[N,K], b[N,K]\n{TERMS[case]}"
    n = 12 if backend == "interpreter" else N
    a, b = sample()[:, :n]
    f = tadc.compile(text, backend=backend, memory=memory)
    dy = np.random.default_rng(1).normal(size=np.shape(f(a, b)))

    found = f.vjp(a, b)[1](dy)

    _, expected = evaluated(
        tadc.compile(text).program, {"a": a, "b": b}, {"N": n, "K": K}, {"y": dy}
    )
    for name, gradient in expected.items():
        np.testing.assert_allclose(found[name], gradient, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", TERMS)
def test_what_is_compared_is_read(case):
    program = tadc.compile(f"size N, K\ninput a[N,K], b[N,K]\n{TERMS[case]}").program

    adjoint = adjoint_program(program, ["a", "b"])

    ties = next(s for s in adjoint.statements if s.target.name == "y_ties")
    assert {"a", "b"}.isdisjoint(ties.reads)


OF_DATA = {
    "the greatest of a group": "y[i: N] = max{e: E | d[e] = i} sum{k: K} a[i,k]*b[e,k]",
    "of another element": "y[i: N] = max{e: E | d[e] = i} sum{k: K} a[s[e],k]*b[e,k]",
    "of all groups so far": "y[i: N] = min{e: E | d[e] <= i} sum{k: K} a[s[e],k]*b[e,k]",
    "of rows by length": "y[i: N] = max{e: E | e < d[i]} sum{k: K} a[i,k]*b[e,k]",
    "of rows that data move": "y[i: N] = max{r: 5} sum{k: K} a[i,k]*b[clamp(d[i] + r),k]",
    "of rows of one tensor": "y[i: N] = max{e=s[i]..s[i+1]-1} sum{k: K} a[i,k]*b[d[e],k]",
}


@pytest.mark.parametrize("case", OF_DATA)
@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.compiler
def test_a_gradient_finds_the_greatest_term_where_data_say_what_it_is(case, backend):
    random = np.random.default_rng(0)
    n, e = 13, 67
    a, b = random.normal(size=(n, K)), random.normal(size=(e, K))
    d = random.integers(0, n, e)
    s = np.sort(np.concatenate([[0, e], random.integers(0, e, n - 1)])) if "s[i]" in OF_DATA[case] else random.integers(0, n, e)  # fmt: skip
    length = "N + 1" if "s[i]" in OF_DATA[case] else "E"
    text = f"size N, K, E\ninput a[N,K], b[E,K], d[E]: index, s[{length}]: index\n{OF_DATA[case]}"
    dy = random.normal(size=n)

    found = tadc.compile(text, backend=backend).vjp(a, b, d, s)[1](dy)

    _, expected = evaluated(
        tadc.compile(text).program,
        {"a": a, "b": b, "d": d, "s": s},
        {"N": n, "K": K, "E": e},
        {"y": dy},
    )
    for name in ("a", "b"):
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-10, atol=1e-12)


def test_a_group_has_one_sum_for_each_of_its_terms():
    text = "size N, K, E\ninput a[N,K], b[E,K], d[E]: index\n" + OF_DATA["the greatest of a group"]

    adjoint = adjoint_program(tadc.compile(text).program, ["a", "b"])

    assert all(
        len(s.target.shape) == 1 or s.target.name in adjoint.outputs for s in adjoint.statements
    )


def test_the_maximum_of_a_logsumexp_is_compared_with_nothing():
    text = "size N, K\ninput a[N,K], b[N,K]\ny[i] = logsumexp{j=0..i} sum{k} a[i,k]*b[j,k]"
    program = tadc.compile(text).program

    adjoint = adjoint_program(program, ["a", "b"])

    assert all(len(s.indices) < 2 or s.target.name in adjoint.outputs for s in adjoint.statements)
