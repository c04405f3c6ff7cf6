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


TRIANGLE = (
    "size N; state x[N]; input p; x[i] <- x[i]**3 + x[i] + p*sum{j | j < i} x[j]**2/(i-j+1)**2"
)


DENSE = "size N; state x[N]; input p; x[i] <- 3*x[i] + p*sum{j} sin(x[j])/9"


@pytest.mark.parametrize("size", [3, 40])  # as a program, and too large for one
def test_modes_take_tensors_and_are_derived_twice(size):
    torch = pytest.importorskip("torch")
    f = tadc.compile(TRIANGLE, backend="numpy")
    x, v, d = np.random.default_rng(1).uniform(0.2, 0.6, (3, size))

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        tensors = [torch.tensor(a, requires_grad=True) for a in (x, np.float64(0.3), v)]
        z = mode(*tensors)
        np.testing.assert_allclose(z.detach(), mode(x, 0.3, v), rtol=1e-11)
        gradients = torch.autograd.grad((z**2).sum(), tensors, create_graph=True)
        further = torch.autograd.grad((gradients[0] ** 2).sum(), tensors)

        def loss(x, mode=mode, rest=tensors[1:]):
            return (mode(x, *rest) ** 2).sum()

        def slope(x, loss=loss):
            at = x.detach().requires_grad_()
            return (torch.autograd.grad(loss(at), at, create_graph=True)[0] ** 2).sum()

        direction = torch.tensor(d)
        for value, gradient in ((loss, gradients[0]), (slope, further[0])):
            up, down = (value(tensors[0] + e * direction) for e in (1e-6, -1e-6))
            expected = ((up - down) / 2e-6).item()
            np.testing.assert_allclose((gradient * direction).sum().item(), expected, rtol=1e-5)


def test_arrays_of_jax_go_through_modes_within_its_transformations():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = tadc.compile(TRIANGLE)
    x, v = np.random.default_rng(1).uniform(0.2, 0.6, (2, 3))
    given = jax.numpy.asarray(x), 0.3, jax.numpy.asarray(v)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        expected = mode(x, 0.3, v)
        np.testing.assert_allclose(mode(*given), expected, rtol=1e-11)
        np.testing.assert_allclose(jax.jit(mode)(*given), expected, rtol=1e-11)


def test_large_systems_are_linear_solves_to_jax():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = tadc.compile(TRIANGLE, backend="numpy")
    x, v, d = np.random.default_rng(1).uniform(0.2, 0.6, (3, 40))
    given = jax.numpy.asarray(x), 0.3, jax.numpy.asarray(v)

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):
        expected = mode(x, 0.3, v)
        np.testing.assert_allclose(mode(*given), expected, rtol=1e-12)
        np.testing.assert_allclose(jax.jit(mode)(*given), expected, rtol=1e-12)
        twice = jax.vmap(lambda b, mode=mode: mode(given[0], 0.3, b))(jax.numpy.stack([v, 2 * v]))
        np.testing.assert_allclose(twice[1], 2 * expected, rtol=1e-12)

        def loss(x, mode=mode):
            return (mode(x, *given[1:]) ** 2).sum()

        def slope(x, loss=loss):
            return jax.grad(loss)(x) @ d

        for value in (loss, slope):
            up, down = (value(given[0] + e * d) for e in (1e-6, -1e-6))
            np.testing.assert_allclose(jax.grad(value)(given[0]) @ d, (up - down) / 2e-6, rtol=1e-5)
    np.testing.assert_allclose(f.logdet()(*given[:2]), f.logdet()(x, 0.3))
    with pytest.raises(tadc.ShapeError, match="`dx` has the shape"):
        jax.jit(f.inverse_tangent())(given[0], 0.3, given[2][1:])
    with pytest.raises(tadc.BackendError, match="systems this large"):
        jax.grad(tadc.compile(DENSE).logdet())(*given[:2])


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_singular_step_is_an_error_for_tensors_too(framework):
    torch = pytest.importorskip(framework)
    ones = torch.ones(2) if framework == "torch" else torch.numpy.ones(2)
    mode = tadc.compile("size N; state x[N]; x[i] <- x[i]**2").inverse_tangent()

    with pytest.raises(tadc.SingularError, match=r"x\[0\]"):
        mode(0 * ones, ones)
    assert not np.isfinite(np.asarray(mode(0 * ones, ones, check=False))).any()


def test_the_determinant_of_a_large_triangle_has_a_gradient():
    torch = pytest.importorskip("torch")
    f = tadc.compile(TRIANGLE, backend="numpy")
    x, p = torch.full((40,), 0.5, dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64)

    assert torch.autograd.gradcheck(f.logdet(), (x.requires_grad_(), p))


def test_the_determinant_of_a_large_dense_system_has_a_value_and_no_gradient():
    torch = pytest.importorskip("torch")
    f = tadc.compile(DENSE, backend="numpy")
    x, p = torch.full((40,), 0.5, dtype=torch.float64), torch.tensor(0.3, dtype=torch.float64)

    np.testing.assert_allclose(f.logdet()(x, p), f.logdet()(x.numpy(), 0.3))
    with pytest.raises(tadc.BackendError, match="systems this large"):
        f.logdet()(x.requires_grad_(), p)


@pytest.mark.parametrize("framework", ["torch", "jax"])
def test_a_determinant_for_each_sample_has_values_alone(framework):
    room = pytest.importorskip(framework)
    f = tadc.compile("size B, N; state x[B, N]; x[b, i] <- x[b, i]**3 + x[b, i]", backend="numpy")
    x, each = np.full((2, 3), 0.5), f.logdet(batch_dims=1)

    def total(x):
        return each(x).sum()

    if framework == "torch":
        np.testing.assert_allclose(each(room.tensor(x)), each(x))
        with pytest.raises(tadc.BackendError, match="for each sample"):
            total(room.tensor(x, requires_grad=True))
    else:
        room.config.update("jax_enable_x64", True)
        np.testing.assert_allclose(each(room.numpy.asarray(x)), each(x))
        with pytest.raises(tadc.BackendError, match="for each sample"):
            room.grad(total)(room.numpy.asarray(x))


@pytest.mark.parametrize("framework", ["torch", "jax"])
@pytest.mark.parametrize("n", [4, 40])  # a program, and a system that the host solves
def test_gradients_go_through_inverses_of_programs_that_read_through_data(framework, n):
    xp = pytest.importorskip("torch" if framework == "torch" else "jax.numpy")
    f = tadc.compile(
        "size N; state x[N]; input w[E]; x[i] <- x[i] + sum{e | dst[e] = i} w[e]*sin(x[src[e]])",
        backend="numpy",
    )
    rng = np.random.default_rng(0)
    (src, dst), w = rng.integers(0, n, (2, 2 * n)), rng.random(2 * n) / 9
    x, v, d = rng.standard_normal((3, n))
    named = {"x": x, "w": w, "dst": dst, "src": src}
    given = {n: named[n] for n in f.inputs}

    for mode in (f.inverse_tangent(), f.inverse_adjoint()):

        def loss(x, mode=mode):
            arrays = [xp.asarray(a) for a in ({**given, "x": x}).values()]
            return (mode(*arrays, xp.asarray(v)) ** 2).sum()

        if framework == "torch":
            at = xp.asarray(x).requires_grad_()
            loss(at).backward()
            slope = at.grad.numpy() @ d
        else:
            import jax

            jax.config.update("jax_enable_x64", True)
            slope = jax.grad(loss)(xp.asarray(x)) @ d
        up, down = (
            (mode(*{**given, "x": x + e * d}.values(), v) ** 2).sum() for e in (1e-6, -1e-6)
        )
        np.testing.assert_allclose(slope, (up - down) / 2e-6, rtol=1e-5)
