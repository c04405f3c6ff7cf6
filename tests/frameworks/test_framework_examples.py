"""Every file of `examples/` as an operator of torch and a function of JAX, compiled by both, with its gradients."""

from functools import cache, partial

import numpy as np
import pytest
from oracle import EXAMPLES, SIZES, example_name, random_arrays

import tadc
from tadc.runtime.cpu.c_compiler import compiler

BACKEND = "native" if compiler() else "numpy"
PATHS = pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
PLAIN = 2  # examples of a plain run


@cache
def loaded(path):
    return tadc.load(path, name=example_name(path), backend=BACKEND)


def call(path):
    """The function, arrays for its inputs, the sizes that they do not tell, and the gradients of the sum of squares."""
    f, numbers = loaded(path), SIZES[path.stem]
    arrays = random_arrays(f, numbers)
    told = {s for t in f.program.inputs for n in t.shape for s in n.symbols}
    given = {s: n for s, n in numbers.items() if s in f.sizes and s not in told}
    values, pullback = f.vjp(**arrays, **given)
    values = values if isinstance(values, tuple) else (values,)
    gradients = pullback(tuple(2 * y for y in values))
    return f, [arrays[n] for n in f.inputs], given, [gradients[n] for n in f.inputs]


def outputs(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.slow
@PATHS
def test_an_example_is_an_operator_of_torch(path):
    torch = pytest.importorskip("torch")
    from tadc.function.operator import Operator

    f, arrays, given, _ = call(path)
    operator = Operator.of(f)
    sizes = operator.sizes(tuple(a.shape for a in arrays), given)
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    found = torch.library.opcheck(torch.ops.tadc.call.default, (operator.key, tensors, list(sizes), torch.float64))  # fmt: skip
    assert set(found.values()) == {"SUCCESS"}


@pytest.mark.plain(path=PLAIN)
@PATHS
def test_an_example_has_its_gradients_by_torch(path):
    torch = pytest.importorskip("torch")
    import tadc.torch

    f, arrays, given, expected = call(path)
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    results = outputs(tadc.torch.wrap(f)(*tensors, **given))
    loss = sum((y**2).sum() for y in results)
    found = torch.autograd.grad(loss, tensors, allow_unused=True)
    for g, e in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.zeros_like(e) if g is None else g, e)


@pytest.mark.slow
@PATHS
def test_an_example_is_compiled_by_torch(path):
    torch = pytest.importorskip("torch")
    import tadc.torch

    f, arrays, given, expected = call(path)
    m = tadc.torch.wrap(f)
    torch._dynamo.reset()
    loss = torch.compile(lambda *xs: sum((y**2).sum() for y in outputs(m(*xs, **given))), fullgraph=True)  # fmt: skip
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    found = torch.autograd.grad(loss(*tensors), tensors, allow_unused=True)
    for g, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.zeros_like(e) if g is None else g, e, rtol=1e-12, atol=1e-12)


@pytest.mark.plain(path=PLAIN)
@PATHS
def test_an_example_is_compiled_by_jax(path):
    jax = pytest.importorskip("jax")
    import tadc.jax

    jax.config.update("jax_enable_x64", True)
    f, arrays, given, expected = call(path)
    m = partial(tadc.jax.wrap(f), **given)
    loss = lambda *xs: sum((y**2).sum() for y in outputs(m(*xs)))  # noqa: E731
    found = jax.jit(jax.grad(loss, tuple(range(len(arrays)))))(*arrays)
    for g, e in zip(found, expected, strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-10, atol=1e-10)
