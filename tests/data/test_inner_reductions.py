"""Reductions inside of sums over data are computed as often as if each were a statement of its own: by group, or by position."""

import numpy as np
import pytest

import tadc

HEAD = (
    "size N\ninput dst[E]: index, src[E]: index, k[N,C], q[N,C], v[N,D], u[E], w[C,D]\noutput o\n"
)

# The same formula with reductions where they are needed, and with statements of them.
FORMULAS = {
    "a share of a group": (
        "o[i: N] = sum{e | dst[e] = i} u[e]/sum{f | src[f] = src[e]} u[f]",
        "s[i: N] = sum{f | src[f] = i} u[f]\no[i: N] = sum{e | dst[e] = i} u[e]/s[src[e]]",
    ),
    "a share of a group, in all": (
        "o = sum{e} u[e]**2/sum{f | src[f] = src[e]} u[f]",
        "s[i: N] = sum{f | src[f] = i} u[f]\no = sum{e} u[e]**2/s[src[e]]",
    ),
    "degrees at the other end": (
        "o[i: N, d] = sum{e | dst[e] = i} v[src[e],d]*u[e]/sqrt(1 + sum{f | dst[f] = src[e]} u[f]**2)",
        "s[i: N] = sqrt(1 + sum{f | dst[f] = i} u[f]**2)\no[i: N, d] = sum{e | dst[e] = i} v[src[e],d]*u[e]/s[src[e]]",
    ),
    "softmax of a neighbourhood": (
        "o[i: N, d] = sum{e | dst[e] = i} exp(u[e] - logsumexp{f | dst[f] = dst[e]} u[f])*v[src[e],d]",
        "l[i: N] = logsumexp{f | dst[f] = i} u[f]\no[i: N, d] = sum{e | dst[e] = i} exp(u[e] - l[i])*v[src[e],d]",
    ),
    "attention": (
        "o[i: N, d] = sum{e | dst[e] = i} exp(sum{c} q[i,c]*k[src[e],c])/(sum{f | dst[f] = i} exp(sum{c} q[i,c]*k[src[f],c]))*v[src[e],d]",
        "s[e] = if 0 <= dst[e] < N then sum{c} q[dst[e],c]*k[src[e],c] else 0\nz[i: N] = sum{f | dst[f] = i} exp(s[f])\no[i: N, d] = sum{e | dst[e] = i} exp(s[e])/z[i]*v[src[e],d]",
    ),
    "messages through a layer": (
        "o[i: N, d] = sum{e | dst[e] = i} tanh(sum{c} (q[i,c] - q[src[e],c])*w[c,d])",
        "m[e, d] = if 0 <= dst[e] < N then sum{c} (q[dst[e],c] - q[src[e],c])*w[c,d] else 0\no[i: N, d] = sum{e | dst[e] = i} tanh(m[e,d])",
    ),
}  # fmt: skip


def arrays(edges=50):
    """Edges with ends of nodes, some of which begin or end nowhere where no other end says that they are read."""
    rng = np.random.default_rng(0)
    shapes = {"k": (7, 11), "q": (7, 11), "v": (7, 12), "w": (11, 12)}
    given = {n: rng.normal(size=s) for n, s in shapes.items()}
    ends = {n: rng.integers(0, 6, edges) for n in ("dst", "src")}  # node 6 has no edges
    return {**ends, "u": rng.uniform(0.5, 2, edges), **given}


@pytest.mark.compiler
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
def test_inner_reductions_have_the_values_and_gradients_of_statements(name, backend):
    given = arrays(12 if backend == "interpreter" else 50)
    if name in (
        "attention",
        "messages through a layer",
    ):  # `src` may be anything on edges that end nowhere
        given["dst"][:3], given["src"][:3] = [-1, 7, -1], [99, -5, 7]
    results = []
    for text in FORMULAS[name]:
        f = tadc.compile(HEAD + text, backend=backend, dtype="float64")
        y, pullback = f.vjp(**given)
        gradients = pullback(np.cos(np.arange(np.size(y))).reshape(np.shape(y)))
        results.append((y, *(gradients[n] for n in ("k", "q", "v", "u", "w"))))
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("name", FORMULAS)
def test_inner_reductions_cost_what_statements_cost(name):
    sizes = {"N": 100, "E": 10_000, "C": 32, "D": 32}
    functions = [tadc.compile(HEAD + text) for text in FORMULAS[name]]
    inner, named = (
        f.cost(mode="vjp", **{n: s for n, s in sizes.items() if n in f.sizes}).operations
        for f in functions
    )
    assert inner < 1.5 * named, (inner, named)
