"""Inverse modes as programs: held against the modes themselves, derived again, run on every target."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

FLOW = """size B, N
state a[B, N], b[B, N]
input w[2, N, N], h[2, N]
s[m, i: N] = h[0, i]*tanh(sum{j} w[0, i, j]*a[m, j])
b[m, i] <- b[m, i]*exp(s[m, i]) + a[m, i]
b[m, i] <- b[m, N-1-i]
t[m, i: N] = h[1, i]*tanh(sum{j} w[1, i, j]*b[m, j])
a[m, i] <- a[m, i]*exp(t[m, i]) - b[m, i]"""
COUPLING = FLOW.replace("b[m, i] <- b[m, N-1-i]\n", "")
B, N = 3, 2


def point(seed=0):
    rng = np.random.default_rng(seed)
    a, b, v, w = rng.standard_normal((4, B, N))
    weights = rng.standard_normal((2, N, N)), rng.standard_normal((2, N))
    return (a, b, *weights), (v, w)


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.plain(backend=2)
def test_programs_have_the_values_of_the_modes(backend):
    f = tadc.compile(FLOW, backend=backend)
    arrays, vectors = point()

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        program = mode.function(B=B, N=N)
        assert program.outputs == (("da", "db") if "tangent" in mode.mode else ("da_", "db_"))
        for a, b in zip(program(*arrays, *vectors), mode(*arrays, *vectors), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-13)
    np.testing.assert_allclose(f.logdet().function(B=B, N=N)(*arrays), f.logdet()(*arrays))


def test_inverse_modes_are_derived_again():
    f = tadc.compile(COUPLING, backend="numpy", sizes={"B": B, "N": N})
    arrays, vectors = point()
    mode = f.inverse_tangent()
    rng = np.random.default_rng(1)
    direction, cotangent = rng.standard_normal((2, B, N))
    eps = 1e-6

    _, change = mode.function().jvp(
        dict(zip(mode.function().inputs, (*arrays, *vectors), strict=True)), {"a": direction}
    )
    moved = (mode(arrays[0] + s * eps * direction, *arrays[1:], *vectors)[0] for s in (1, -1))
    up, down = moved

    np.testing.assert_allclose(change[0], (up - down) / (2 * eps), rtol=1e-6, atol=1e-8)
    gradients = mode.function().adjoint("a")(*arrays, *vectors, cotangent, np.zeros((B, N)))
    np.testing.assert_allclose((gradients * direction).sum(), (change[0] * cotangent).sum())


def test_a_flow_with_a_permutation_is_trained_by_the_gradient_of_its_determinant():
    f = tadc.compile(FLOW, backend="numpy", sizes={"B": B, "N": N})
    loss = f.logdet().function()
    (a, b, w, h), _ = point()
    gradient = loss.gradient("w")(a, b, w, h)

    def at(step):
        return f.logdet()(a, b, w + step * gradient, h)

    np.testing.assert_allclose((at(1e-6) - at(-1e-6)) / 2e-6, (gradient**2).sum(), rtol=1e-6)
    assert at(0.05) > at(0.0)


def test_the_rows_that_a_partial_update_keeps_have_the_determinant_one():
    f = tadc.compile("state u[6]; repeat 2 { u[i | i % 2 = 0] <- u[i]*(2 + u[i+1]) }")
    u = np.linspace(0.1, 0.6, 6)

    np.testing.assert_allclose(f.logdet().function()(u), f.logdet()(u))


PARTIAL = {
    "a rotation": "state x[5], y; x[i] <- (y + i)*x[wrap(i-1)]; y <- 3*y + x[2]",
    "a reversal": "state x[5]; input w[5]; x[i] <- w[i]*x[4-i] + w[0]; x[i] <- x[i]**2",
    "a shuffle": "state x[6]; x[i] <- (i+1)*x[i//2 + 3*(i%2)]",
    "a sheared square": "state x[4, 4]; x[i, j] <- 2*sin(x[wrap(i + j), j])",
    "red and black": "state u[7]; input r; repeat 2 { u[i | i % 2 = 0] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) - u[i]**3/9; u[i | i % 2 = 1] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) }",
    "a part and another state": "state u[5], r; u[i | i >= 1] <- u[i]*(2 + r*u[0]); r <- r*exp(u[2]); u[i | 1 <= i and i <= 2] <- 3*u[i] + u[i+2]*r",
}  # fmt: skip


@pytest.mark.parametrize("name", PARTIAL)
def test_programs_of_parts_and_maps_have_the_values_of_the_modes(name):
    f = tadc.compile(PARTIAL[name])
    rng = np.random.default_rng(2)

    def random(names):
        shapes = ([e.constant for e in f.program.tensors[n].shape] for n in names)
        return [rng.uniform(0.1, 0.4, shape) for shape in shapes]

    arrays, vectors = random(f.inputs), random(f.states)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        expected, found = mode(*arrays, *vectors), mode.function()(*arrays, *vectors)
        for a, b in zip(_all(found), _all(expected), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_allclose(f.logdet().function()(*arrays), f.logdet()(*arrays), rtol=1e-12)


def _all(result):
    return result if isinstance(result, tuple) else (result,)


REFUSED = {
    "state x[4]; x[i] <- x[i] + x[pad(i-1)]": "triangular block",
    "state x[4]; x[i | i // 2 = 1] <- 2*x[i]": "has a quotient",
}


@pytest.mark.parametrize("text", REFUSED)
def test_steps_that_are_not_diagonal_are_refused(text):
    with pytest.raises(tadc.DerivativeError, match=REFUSED[text]):
        tadc.compile(text).inverse_adjoint().function()


def test_the_program_of_an_inverse_has_text_for_gpus():
    text = tadc.compile(COUPLING).inverse_adjoint().function(B=B, N=N).source("cuda")

    assert "__global__" in text
