"""Inverse modes as programs inside torch and JAX: their values, and gradients through them."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

TEXT = """
size N
state u[N]
input r
u[i | i % 2 = 0] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)]) - u[i]**3/9
u[i | i % 2 = 1] <- u[i] + r*(u[pad(i-1)] - 2*u[i] + u[pad(i+1)])
"""
U, V = np.random.default_rng(0).uniform(-1, 1, (2, 6))


def modes():
    f = tadc.compile(TEXT)
    return f, (f.inverse_tangent(), f.inverse_adjoint())


def test_a_torch_tensor_goes_through_an_inverse_and_its_gradient_comes_back():
    torch = pytest.importorskip("torch")
    f, both = modes()
    u, r, v = (torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (U, 0.2, V))

    for mode in both:
        program = mode.function(N=6)
        np.testing.assert_allclose(program(u, r, v).detach(), mode(U, 0.2, V), rtol=1e-12)
        assert torch.autograd.gradcheck(program, (u, r, v))
    assert torch.autograd.gradcheck(f.logdet().function(N=6), (u, r))


def test_jax_compiles_an_inverse_and_derives_it():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f, both = modes()

    for mode in both:
        program = mode.function(N=6)
        found = jax.jit(program)(jax.numpy.asarray(U), 0.2, jax.numpy.asarray(V))
        np.testing.assert_allclose(found, mode(U, 0.2, V), rtol=1e-12)
    volume = f.logdet().function(N=6)
    slope = jax.grad(lambda r: volume(jax.numpy.asarray(U), r))(0.2)
    up, down = (f.logdet()(U, r) for r in (0.2 + 1e-6, 0.2 - 1e-6))
    np.testing.assert_allclose(slope, (up - down) / 2e-6, rtol=1e-6)


def test_a_mode_that_is_no_program_says_what_to_write_for_a_tensor():
    torch = pytest.importorskip("torch")
    f = tadc.compile(TEXT)
    u = torch.tensor(U)

    with pytest.raises(tadc.BackendError, match=r"\.function\("):
        f.inverse_tangent()(u, torch.tensor(0.2), u)
