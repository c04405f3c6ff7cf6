"""Triangular blocks solved point by point in native code, against dense linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from dense import check_against_dense

import tadc
from tadc.runtime.cpu.native import available_threads

CAUSAL = "size N; state x[N]; x[i] <- x[i] + sum{j | j < i} sin(x[j])/(i-j+1)**2/4"
FLOW = """size B, N
state x[B, N]
input w[N, N]
s[b, i] = sum{j | j < i} w[i, j]*x[b, j]
x[b, i | i % 2 = 0] <- x[b, i]*exp(s[b, i]/9) + s[b, i]**2
"""
# Each is run for tensors of these shapes.
PROGRAMS = {
    "a batch of flows": (FLOW, {"x": (3, 12), "w": (12, 12)}),
    "causal": (CAUSAL, {"x": 40}),
    "a running sum": ("size N; state x[N]; x[i] <- x[i] + sum{j | j < i} x[j]**2", {"x": 40}),
    "down": ("size N; state x[N]; x[i] <- 2*x[i] + sum{j | j > i} x[j]**2*x[i]", {"x": 40}),
    "a recurrence": ("size N; state x[N]; x[i] <- 2*x[i] + x[pad(i-1)]", {"x": 40}),
    "two orders": ("size N, M; state x[N, M]; x[i, j] <- 4*x[i, j] + x[pad(i-1), j] + x[i, pad(j+1)]**2", {"x": (9, 8)}),
    "rows of sums": ("size N, M; state x[N, M]; x[i, j] <- 4*x[i, j] + sum{k} x[pad(i-1), k]**2", {"x": (9, 8)}),
    "a quotient": ("size N; state x[N]; x[i] <- x[i] + x[pad(2*i)]", {"x": 40}),
    "a clamp": ("size N; state x[N]; x[i] <- x[i] + x[clamp(i-1)]*x[i]", {"x": 40}),
    "a part": ("size N; state x[N]; x[i | 1 <= i] <- 2*x[i] + x[i-1]**2", {"x": 40}),
    "a long memory": ("size N; state x[N]; x[i] <- x[i] + sum{j | j < i} x[j]*0.5**(i-j)", {"x": 40}),
    "again and again": ("size N, M; state x[N, M]; s[i: N] = sum{k, d | k < i} x[k, d]**2; x[i, c] <- 2*x[i, c] + s[i]", {"x": (5, 16)}),
    "a mean": ("size N; state x[N]; m[i: N] = sum{j | j <= i} x[j]/(i+1); x[i] <- 3*x[i] + m[i]**2", {"x": 40}),
}  # fmt: skip


def _point(shapes):
    rng = np.random.default_rng(0)
    return {n: rng.uniform(0.1, 0.3, shape) for n, shape in shapes.items()}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.plain(name=2)
@pytest.mark.compiler
def test_triangular_steps_are_solved_without_a_matrix(name):
    text, shapes = PROGRAMS[name]
    f = tadc.compile(text, backend="native")

    (s,) = check_against_dense(f, _point(shapes))
    (block,) = f.inverse(**_point(shapes))._blocks

    assert s.kind == "triangular"
    assert hasattr(block, "forward"), "it is a matrix"


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.skipif(available_threads() < 2, reason="one processor")
def test_threads_share_the_systems_and_change_no_bit():
    point = _point({"x": (300, 40), "w": (40, 40)})
    results = [
        tadc.compile(FLOW, backend="native", threads=n).inverse_tangent()(**point, dx=point["x"])
        for n in (1, 2)
    ]

    assert results[0].tobytes() == results[1].tobytes()


@pytest.mark.compiler
def test_a_triangle_has_no_limit_of_rows_and_keeps_its_type():
    f = tadc.compile(CAUSAL, backend="native")
    x, v = np.random.default_rng(1).uniform(-1, 1, (2, 500)).astype("float32")

    solved = f.inverse_tangent(dense_limit=10)(x, v)

    assert solved.dtype == "float32"
    np.testing.assert_allclose(f.tangent("x")(x, solved), v, rtol=1e-3, atol=1e-4)


@pytest.mark.compiler
def test_the_element_of_a_singular_triangle_is_named():
    f = tadc.compile("size N; state x[N]; x[i] <- x[i]**2 + x[pad(i-1)]", backend="native")
    x = np.array([1.0, 2.0, 0.0, 3.0, 0.0])

    with pytest.raises(tadc.SingularError, match=r"x\[2\]"):
        f.inverse_adjoint()(x, x)
    solved = f.inverse_tangent()(x, np.ones(5), check=False)

    assert np.isfinite(solved[:2]).all() and not np.isfinite(solved[2:]).any()
