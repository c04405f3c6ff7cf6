"""Tensors of torch and arrays of JAX on a GPU: values and gradients against a CPU's, streams, memory. They need one."""

import numpy as np
import pytest

import tadc

pytestmark = pytest.mark.gpu

RBF = "y[i] = sum{j} exp(-sum{d} (x[i,d] - c[j,d])**2)*w[j]"
SHAPES = [(700, 3), (500, 3), (500,)]


def arrays():
    random = np.random.default_rng(0)
    return [random.normal(size=s) for s in SHAPES]


def expected():
    y, pullback = tadc.compile(RBF, backend="numpy").vjp(*arrays())
    gradients = pullback(np.ones_like(y))
    return [y, *(gradients[n] for n in "xcw")]


def test_tensors_on_a_gpu():
    torch = pytest.importorskip("torch")
    import tadc.torch

    if not torch.cuda.is_available():
        pytest.skip("torch has no GPU")
    m = tadc.torch.wrap(tadc.compile(RBF))
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        xs = [torch.tensor(a, device="cuda", requires_grad=True) for a in arrays()]
        before = torch.cuda.memory_allocated()
        y = m(*xs)
        assert torch.cuda.memory_allocated() > before  # torch's own memory
        found = [y, *torch.autograd.grad(y.sum(), xs)]
        again = torch.func.vmap(m, (0, None, None))(torch.stack([xs[0], 2 * xs[0]]), *xs[1:])
    stream.synchronize()
    assert y.device.type == "cuda"
    for one, other in zip(found, expected(), strict=True):
        np.testing.assert_allclose(one.detach().cpu(), other, rtol=1e-10, atol=1e-10)
    torch.testing.assert_close(again[0], y)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        captured = m(*xs)
    graph.replay()
    torch.testing.assert_close(captured, y)


def test_arrays_of_jax_on_a_gpu():
    jax = pytest.importorskip("jax")
    import tadc.jax
    from tadc.jax.private import has_gpu

    if not has_gpu():
        pytest.skip("JAX has no GPU")
    jax.config.update("jax_enable_x64", True)
    g = tadc.jax.wrap(tadc.compile(RBF))
    xs = [jax.device_put(a, jax.devices("cuda")[0]) for a in arrays()]
    loss = jax.jit(jax.value_and_grad(lambda *xs: g(*xs).sum(), (0, 1, 2)))
    value, gradients = loss(*xs)
    y, *others = expected()
    np.testing.assert_allclose(value, y.sum(), rtol=1e-10)
    for one, other in zip(gradients, others, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)
