"""Loops that run round by round, with tensors of torch and arrays of JAX: values, and derivatives against differences and each other."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

# Several segments, a loop within a loop, and steps that are no rotation: all four products differ.
TEXT = """
size T
state x, p
input h
repeat T {
  p <- p - h*(x + x**2)
  repeat 2 {
    x <- x*(1 - h/9) + h*p/2
  }
  p <- p*(1 - h/5)
}
x <- 2*x
"""
# The index of a loop, its value and its bounds.
INDEXED = """
size T, N
state x[N]
input w[T, N]
repeat t: T {
  x[i] <- x[i] + w[t, i]*sin(x[pad(i-1)])/(t + 9)
  repeat s = t..min(t+1, 3) {
    x[s] <- x[s]*(1 + s/99)
  }
}
"""
POINT, V, ROUNDS = (0.4, 0.3, 0.05), (1.0, -0.5), 100


def slopes(function, point, e=1e-6):
    """Central differences of a scalar function by each of these numbers."""
    steps = e * np.eye(len(point))
    return [(function(*(point + d)) - function(*(point - d))) / (2 * e) for d in steps]


@pytest.fixture(params=["torch", "jax"])
def framework(request):
    room = pytest.importorskip(request.param)
    if request.param == "jax":
        room.config.update("jax_enable_x64", True)
    return Framework(room)


class Framework:
    def __init__(self, room):
        self.room = room
        self.is_torch = room.__name__ == "torch"

    def array(self, a):
        return self.room.tensor(a, dtype=self.room.float64) if self.is_torch else self.room.numpy.asarray(a)  # fmt: skip

    def gradient(self, function):
        """That of a scalar function by all of its arguments."""
        if self.is_torch:
            return lambda *a: self.room.func.grad(function, tuple(range(len(a))))(*a)
        return lambda *a: self.room.grad(function, tuple(range(len(a))))(*a)

    def recorded(self, function, point):
        """The gradient of a scalar function by backward, twice: with that of the sum of squares of the gradient."""
        if not self.is_torch:
            first = self.gradient(function)
            return first(*point), self.gradient(lambda *a: sum(g**2 for g in first(*a)))(*point)
        point = [p.requires_grad_() for p in point]
        first = self.room.autograd.grad(function(*point), point, create_graph=True)
        return first, self.room.autograd.grad(sum(g**2 for g in first), point)


def test_long_loops_take_arrays_of_frameworks_and_are_derived_twice(framework):
    f = tadc.compile(TEXT, backend="numpy")
    point = [framework.array(a) for a in POINT]

    def loss(*a):
        x, p = f(*a, T=ROUNDS)
        return x + x * p

    np.testing.assert_allclose([float(y) for y in f(*point, T=ROUNDS)], f(*POINT, T=ROUNDS))
    first, second = framework.recorded(loss, point)
    np.testing.assert_allclose(
        [float(g.detach() if framework.is_torch else g) for g in first],
        slopes(loss, np.array(POINT)),
        rtol=1e-6,
    )

    def norm(*a):
        value, pullback = f.vjp(*a, T=ROUNDS)
        gradients = pullback(1 + value[1], value[0])
        return sum(gradients[n] ** 2 for n in ("x", "p", "h"))

    expected = slopes(norm, np.array(POINT))
    np.testing.assert_allclose([float(g) for g in second], expected, rtol=1e-5)


def test_tangents_and_adjoints_of_long_loops_are_those_of_numpy(framework):
    f = tadc.compile(TEXT, backend="numpy")
    point, vectors = ([framework.array(a) for a in those] for those in (POINT, (*V, 0.3)))

    for mode, given in ((f.tangent(), (*V, 0.3)), (f.adjoint(), V)):
        found = mode(*point, *vectors[: len(given)], T=ROUNDS)
        np.testing.assert_allclose([float(y) for y in found], mode(*POINT, *given, T=ROUNDS))


def test_the_index_of_a_loop_is_known_in_its_rounds(framework):
    f = tadc.compile(INDEXED, backend="numpy")
    x, w = np.random.default_rng(0).uniform(0.2, 0.6, (4,)), np.ones((300, 4))
    arrays = framework.array(x), framework.array(w)

    np.testing.assert_allclose(f(*arrays), f(x, w), rtol=1e-12)
    gradient = framework.gradient(lambda x: f(x, arrays[1]).sum())(arrays[0])[0]
    np.testing.assert_allclose(gradient, f.adjoint("x")(x, w, np.ones(4)), rtol=1e-10)


@pytest.mark.parametrize("name", ["inverse_tangent", "inverse_adjoint", "logdet"])
def test_inverse_modes_of_long_loops_are_derived(framework, name):
    mode = getattr(tadc.compile(TEXT, backend="numpy"), name)()
    vectors = () if name == "logdet" else V
    given = [framework.array(a) for a in (*POINT, *vectors)]

    def loss(*a):
        found = mode(*a, *(given[3:] if not isinstance(a[0], float) else vectors), T=ROUNDS)
        return found if name == "logdet" else found[0] + 2 * found[1]

    expected = loss(*POINT)
    np.testing.assert_allclose(float(loss(*given[:3])), expected, rtol=1e-9)
    if framework.is_torch:
        point = [p.requires_grad_() for p in given[:3]]
        wrt = point[2:] if name == "logdet" else point
        gradients = framework.room.autograd.grad(loss(*point), wrt)
    else:
        gradients = framework.gradient(loss)(*given[:3])
    differences = slopes(loss, np.array(POINT))[-len(gradients) :]
    np.testing.assert_allclose([float(g) for g in gradients], differences, rtol=1e-5, atol=1e-7)


def test_what_frameworks_cannot_do_with_long_loops_is_an_error(framework):
    f = tadc.compile(TEXT, backend="numpy")
    point = [framework.array(a) for a in POINT]

    with pytest.raises(tadc.ArgumentError, match="`h` is missing"):
        f(*point[:2], T=ROUNDS)
    with pytest.raises(tadc.ShapeError, match="1 dimension"):
        tadc.compile(INDEXED, backend="numpy")(point[0], framework.array(np.ones((300, 4))))
    with pytest.raises(tadc.Error):
        f(*point, T=ROUNDS, out=point[0])


def test_a_loop_of_torch_is_a_module_that_is_pickled_and_mapped():
    torch = pytest.importorskip("torch")
    import pickle

    import tadc.torch

    f = tadc.compile(TEXT.replace("size T", f"size T = {ROUNDS}"))
    module = pickle.loads(pickle.dumps(tadc.torch.wrap(f)))
    x, p, h = (torch.tensor(a, dtype=torch.float64) for a in POINT)
    several = torch.func.vmap(lambda x: module(x, p, h)[0])(torch.stack([x, 2 * x]))

    assert several[1] == module(2 * x, p, h)[0]
    assert module(x.half(), p.half(), h.half())[0].dtype is torch.float16


def test_a_loop_of_jax_is_traced_once():
    jax = pytest.importorskip("jax")
    jax.config.update("jax_enable_x64", True)
    f = tadc.compile(TEXT, backend="numpy")

    text = str(jax.make_jaxpr(lambda *a: f(*a, T=100_000))(*map(jax.numpy.asarray, POINT)))

    assert text.count("tadc_call") == 4 and text.count("scan") >= 2
