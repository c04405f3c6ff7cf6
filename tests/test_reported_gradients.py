"""Gradients that users of other tools have reported as wrong, NaN, or missing: each with what it must be.

The places are those where automatic differentiation goes wrong in practice: kinks, ties, branches around a singularity,
strides, names that are used again, inputs that are not used.
"""

from __future__ import annotations

import numpy as np
import pytest

import tadc

inf = np.inf
BACKENDS = pytest.mark.parametrize("backend", ["interpreter", "numpy"])

# A scalar program in x, the point, its gradient and its second derivatives (the diagonal).
SAFE = {
    "log under a branch": ("y[i] = if x[i] > 0 then log(x[i]) else 0", [0.0, -1, 2], [0, 0, 0.5], [0, 0, -0.25]),
    "log under where": ("y[i] = where(x[i] > 0, log(x[i]), 0)", [0.0, -1, 2], [0, 0, 0.5], [0, 0, -0.25]),
    "sqrt under where": ("y[i] = where(x[i] > 0, sqrt(x[i]), 0)", [0.0, 4], [0, 0.25], [0, -1/32]),
    "sqrt under a bracket": ("y[i] = [x[i] > 0] * sqrt(x[i])", [0.0, 4], [0, 0.25], [0, -1/32]),
    "a power under where": ("y[i] = where(x[i] > 0, x[i]**1.5, 0)", [0.0, -1, 4], [0, 0, 3], [0, 0, 0.375]),
    "a power at 0": ("y[i] = x[i]**1.5", [0.0, 4], [0, 3], [inf, 0.375]),
    "a square by an exponent": ("y[i] = x[i]**2", [0.0, -3], [0, -6], [2, 2]),
    "a cube at 0": ("y[i] = x[i]**3", [0.0, -2], [0, 12], [0, -12]),
    "a division under where": ("y[i] = where(x[i] != 0, 1/x[i], 0)", [0.0, 2], [0, -0.25], [0, 0.25]),
    "sin(x)/x": ("y[i] = if x[i] != 0 then sin(x[i])/x[i] else 1", [0.0], [0], [0]),
    "0 * inf of a branch": ("y[i] = 0*x[i] + where(x[i] < 1, 0, exp(1000*x[i]*x[i]))", [0.5], [0], [0]),
    "hypot at the origin": ("y[i] = hypot(x[i], 0)", [0.0, -2], [0, -1], [0, 0]),
    "a norm under a branch": ("n = sum{k} x[k]**2; y = if n > 0 then sqrt(n) else 0", [0.0, 0], [0, 0], [0, 0]),
    "abs at 0": ("y[i] = abs(x[i])", [0.0, -2, 3], [0, -1, 1], [0, 0, 0]),
    "relu at 0": ("y[i] = relu(x[i])", [0.0, -2, 3], [0, 0, 1], [0, 0, 0]),
    "a clipped value": ("y[i] = min(max(x[i], -1), 1)", [-2.0, 0.5, 2], [0, 1, 0], [0, 0, 0]),
    "softplus far out": ("y[i] = softplus(x[i])", [-1000.0, 1000], [0, 1], [0, 0]),
    "sigmoid far out": ("y[i] = sigmoid(x[i])", [-1000.0, 1000], [0, 0], [0, 0]),
    "logsumexp far out": ("y = logsumexp{k} x[k]", [1000.0, -1000], [1, 0], [0, 0]),
    "logsumexp with an excluded term": ("y = logsumexp{k} x[k]", [0.0, -inf], [1, 0], [0, 0]),
    "a softmax of equal terms": ("e[k] = exp(x[k]); y = e[0] / sum{k} e[k]", [1.0, 1], [0.25, -0.25], [0, 0]),
    "a product with one zero": ("y = prod{k} x[k]", [0.0, 2, 3], [6, 0, 0], [0, 0, 0]),
    "a product with two zeros": ("y = prod{k} x[k]", [0.0, 0, 3], [0, 0, 0], [0, 0, 0]),
    "ties of a maximum": ("y = max{k} x[k]", [2.0, 2, 1], [0.5, 0.5, 0], [0, 0, 0]),
    "ties of the binary maximum": ("y[i] = max(x[i], 2*x[i])", [0.0, 1], [1.5, 2], [0, 0]),
    "a variance of equal values": ("m = mean{k} x[k]; y = mean{k} (x[k] - m)**2", [3.0, 3], [0, 0], [0.5, 0.5]),
}  # fmt: skip


@BACKENDS
@pytest.mark.parametrize(("text", "x", "first", "second"), SAFE.values(), ids=SAFE)
def test_a_kink_a_tie_or_a_branch_not_taken_spoils_nothing(text, x, first, second, backend):
    f = tadc.compile(text.replace("; ", "\n"), backend=backend)
    x = np.array(x)
    cotangent = np.ones_like(f(x))
    gradient = f.adjoint()

    np.testing.assert_allclose(gradient(x, cotangent), first, rtol=1e-12, atol=1e-300)
    curvature = gradient.tangent("x")
    diagonal = [curvature(x, cotangent, row)[k] for k, row in enumerate(np.eye(len(x)))]
    np.testing.assert_allclose(diagonal, second, rtol=1e-12, atol=1e-12)


@BACKENDS
def test_atan2_has_the_gradient_of_the_angle_and_none_at_the_origin(backend):
    f = tadc.compile("y[i] = atan2(a[i], b[i])", backend=backend)
    a, b = np.array([0.0, 1, 0, -1e-200]), np.array([0.0, 0, -2, 1e-200])
    da, db = f.adjoint()(a, b, np.ones(4))

    np.testing.assert_allclose(da, [0, 0, -0.5, 5e199], rtol=1e-12)
    np.testing.assert_allclose(db, [0, -1, 0, 5e199], rtol=1e-12)


@BACKENDS
def test_a_maximum_that_is_subtracted_again_keeps_its_ties(backend):
    """Attention with the maximum taken out: with `keepdims`, others have summed the share of ties twice."""
    f = tadc.compile("m[i] = max{j} x[i, j]\ny[i, j] = (x[i, j] - m[i])**2", backend=backend)
    x = np.array([[1.0, 1, 0], [2, 3, 3]])
    y, pullback = f.vjp(x)
    d = 2 * (x - x.max(1, keepdims=True))
    ties = x == x.max(1, keepdims=True)
    expected = d - ties * d.sum(1, keepdims=True) / ties.sum(1, keepdims=True)

    np.testing.assert_allclose(pullback(np.ones_like(y))["x"], expected)


@BACKENDS
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("kernel", [1, 3])
def test_a_correlation_layer_with_any_stride_and_kernel_is_right(stride, kernel, backend):
    """FlowNet's layer: reported with gradients that are wrong for strides and kernels above 1."""
    text = f"""
input a[2, 9, 9], b[2, 9, 9]
y[u: 3, v: 3, p: 3, q: 2] = mean{{c, r: {kernel}, s: {kernel}}}
    a[c, pad({stride}*p + r - 1), pad({stride}*q + s - 1)]
    * b[c, pad({stride}*p + r + 2*u - 3), pad({stride}*q + s + 2*v - 3)]
"""
    f = tadc.compile(text, backend=backend)
    random = np.random.default_rng(0)
    a, b = random.normal(size=(2, 2, 9, 9))
    weights = random.normal(size=(3, 3, 3, 2))

    da, db = np.zeros_like(a), np.zeros_like(b)
    for (u, v, p, q), w in np.ndenumerate(weights):
        for c, r, s in np.ndindex(2, kernel, kernel):
            at = c, stride * p + r - 1, stride * q + s - 1
            other = c, at[1] + 2 * u - 2, at[2] + 2 * v - 2
            if min(*at, *other) >= 0 and max(*at, *other) <= 8:
                da[at] += w * b[other] / (2 * kernel**2)
                db[other] += w * a[at] / (2 * kernel**2)
    gradients = f.vjp(a, b)[1](weights)

    np.testing.assert_allclose(gradients["a"], da, atol=1e-13)
    np.testing.assert_allclose(gradients["b"], db, atol=1e-13)


@BACKENDS
def test_the_gradient_of_nested_loops_has_the_right_bounds(backend):
    """Triangles and bands: reported elsewhere as off by one or two at their ends."""
    f = tadc.compile(
        "input x[7]\ny[i: 7] = sum{j | i - 2 <= j and j < i + 2} j*x[j]", backend=backend
    )
    band = np.array([[j * (i - 2 <= j < i + 2) for j in range(7)] for i in range(7)])

    np.testing.assert_array_equal(f.vjp(np.ones(7))[1](np.arange(7.0))["x"], np.arange(7) @ band)


def test_a_name_is_defined_once():
    with pytest.raises(tadc.SyntaxError, match="`t` is defined twice, first in line 1"):
        tadc.compile("t[i] = x[i]**2\nt[i] = t[i] + 1\ny[i] = t[i]")


@BACKENDS
def test_an_input_that_is_not_used_has_a_gradient_of_zeros(backend):
    f = tadc.compile(
        "input x[3], unused[2], w[3]\noutput y\nz[i] = w[i]\ny[i] = x[i]", backend=backend
    )
    gradients = f.vjp(np.ones(3), np.ones(2), np.ones(3))[1](np.ones(3))

    assert {n: g.tolist() for n, g in gradients.items()} == {
        "x": [1, 1, 1],
        "unused": [0, 0],
        "w": [0, 0, 0],
    }


@BACKENDS
def test_an_output_that_is_read_again_has_both_cotangents(backend):
    f = tadc.compile("output t, y\nt[i] = x[i]**2\ny[i] = 3*t[i]", backend=backend)

    assert f.vjp([2.0])[1]([1.0], [10.0])["x"] == 4 * (1 + 30)
