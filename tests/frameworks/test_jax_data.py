"""Programs that read through data, in JAX: every transformation, errors outside of XLA, and what is refused within it."""

import numpy as np
import pytest

jax = pytest.importorskip("jax")
import jax.numpy as jnp

import tadc
import tadc.jax

jax.config.update("jax_enable_x64", True)

TEXT = "size N\ny[i: N, c] = sum{e | dst[e] = i} w[e]*x[src[e], c]"
N, E, C = 5, 12, 2
RNG = np.random.default_rng(0)
SRC, DST = (jnp.asarray(RNG.integers(0, N, E)) for _ in range(2))
W, X = jnp.asarray(RNG.random(E)), jnp.asarray(RNG.random((N, C)))


@pytest.fixture(autouse=True)
def with_float64():
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def passed(bounds="check"):
    f = tadc.jax.wrap(tadc.compile(TEXT, bounds=bounds))
    return lambda src, dst, w, x: f(dst=dst, src=src, w=w, x=x, N=N)


def summed(src, dst, w, x):
    return jax.ops.segment_sum(w[:, None] * x[src], dst, N)


def loss(f):
    return lambda w, x: (f(SRC, DST, w, x) ** 3).sum()


def close(one, other):
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12), one, other)


def test_values_and_derivatives_are_those_of_segment_sums():
    f = passed()
    close(f(SRC, DST, W, X), summed(SRC, DST, W, X))
    for derivative, wrt in ((jax.grad, (0, 1)), (jax.hessian, 0)):
        one, other = (derivative(loss(g), wrt)(W, X) for g in (f, summed))
        close(one, other)
    close(jax.jit(jax.grad(loss(f), (0, 1)))(W, X), jax.grad(loss(summed), (0, 1))(W, X))


def test_batches_are_of_values_and_of_indices():
    f = passed()
    many, both = jnp.stack([W, 2 * W]), jnp.stack([SRC, SRC[::-1]])
    close(*(jax.vmap(lambda w, g=g: g(SRC, DST, w, X))(many) for g in (f, summed)))
    close(*(jax.vmap(lambda s, g=g: g(s, DST, W, X))(both) for g in (f, summed)))


def test_index_arrays_may_be_traced_where_nothing_is_checked():
    with pytest.raises(tadc.BackendError, match="`dst` and `src` are traced here"):
        jax.jit(passed())(SRC, DST, W, X)
    f = jax.jit(passed(bounds="nan"))
    close(f(SRC, DST, W, X), summed(SRC, DST, W, X))
    assert jnp.isnan(f(SRC + 9, DST, W, X)).all()
    gradient = jax.grad(lambda s, w: f(s, DST, w, X).sum(), 0, allow_int=True)(SRC, W)
    assert gradient.dtype == jax.dtypes.float0


@pytest.mark.parametrize("call", [lambda f: f, jax.vmap], ids=["plain", "vmap"])
def test_an_element_that_leads_outside_is_named(call):
    f = passed()
    src = SRC + 9 if call is not jax.vmap else SRC[None] + 9
    with pytest.raises(tadc.DataError, match=r"src\[0\] is 13"):
        call(lambda s: f(s, DST, W, X))(src)
    with pytest.raises(tadc.ArgumentError, match="used as an index"):
        f(SRC * 1.0, DST, W, X)


def test_indices_that_are_computed_in_a_program_of_xla_are_not_checked_there():
    text = "m[i] = argmax{j} s[i,j]; y[i] = x[m[i]]; output y"
    s, x = jnp.array([[1.0, 3, 2], [4, 0, 1]]), jnp.array([10.0, 20, 30])
    f, g = (tadc.jax.wrap(tadc.compile(text, bounds=b)) for b in ("check", "nan"))
    with pytest.raises(tadc.BackendError, match=r"`m` is computed here[^`]*`bounds=.nan.`"):
        jax.jit(f)(s, x)
    close(jax.jit(g)(s, x), f(s, x))
    assert jnp.isnan(jax.jit(g)(s, x[:1])).all()


def test_an_index_that_a_program_of_xla_is_the_first_to_meet_is_a_constant_of_it():
    f, k, x = tadc.jax.wrap(tadc.compile("y[e] = x[k[e]]")), tadc.index([2, 0]), jnp.arange(3.0)
    for run in (jax.jit(lambda x: f(x, k)), lambda x: f(x, k), jax.jit(lambda x: f(x, [2, 0]))):
        assert run(x).tolist() == [2, 0]


def test_an_index_is_an_argument_and_a_constant_of_jit():
    f, src = passed(), tadc.index(np.asarray(SRC))
    close(f(src, DST, W, X), summed(SRC, DST, W, X))
    close(jax.jit(lambda w: f(src, DST, w, X))(W), summed(SRC, DST, W, X))


def test_computed_indices_are_checked_where_there_are_numbers():
    f = tadc.jax.wrap(tadc.compile("output c, y; c[p] = floor(u[p]); y[p] = v[c[p]]*u[p]"))
    u, v = jnp.array([0.5, 1.5]), jnp.array([5.0, 7.0])
    c, y = f(u=u, v=v)
    assert c.tolist() == [0, 1] and y.tolist() == [2.5, 10.5]
    gradient = jax.grad(lambda u, v: f(u=u, v=v)[1].sum(), (0, 1))(u, v)
    close(gradient, (jnp.array([5.0, 7]), u))
    with pytest.raises(tadc.DataError):
        f(u=u + 1, v=v)
    with pytest.raises(tadc.BackendError, match="`c` is computed here"):
        jax.jit(lambda u: f(u=u, v=v))(u)


def test_sparse_operands_are_tuples():
    f = tadc.compile("input A[N, M]: csr\ny[i] = sum{j} A[i,j]*x[j]")
    pattern = jnp.array([0, 2, 2, 5]), jnp.array([0, 3, 1, 2, 3])
    x = jnp.arange(1.0, 5)
    values = jnp.arange(1.0, 6)
    g = tadc.jax.wrap(f)
    for call in (f, g, lambda a, x: jax.jit(lambda v: g((v, *pattern), x))(a[0])):
        assert call((values, *pattern), x).tolist() == [9, 0, 38]
    gradient = jax.grad(lambda v: g((v, *pattern), x).sum())(values)
    assert gradient.tolist() == [1, 4, 2, 3, 4]
    with pytest.raises(tadc.DataError, match=r"A_ptr\[0\]"):
        f((values, pattern[0][::-1], pattern[1]), x)


@pytest.mark.parametrize("layout", ["coo", "csr", "csc"])
def test_sparse_arrays_of_jax_have_gradients_of_their_class(layout):
    from jax.experimental.sparse import BCOO, BCSR

    dense = jnp.array([[1.0, 0, 2], [0, 3, 0]])
    x, dy = jnp.arange(1.0, 4), jnp.array([1.0, 10.0])
    f = tadc.compile(f"input A[N, M]: {layout}\ny[i] = sum{{j}} A[i,j]*x[j]")
    g = tadc.jax.wrap(f)
    for kind in (BCOO, BCSR):
        a = kind.fromdense(dense)
        y, pullback = f.vjp(a, x)
        gradient = pullback(dy)["A"]
        close((y, g(a, x)), (dense @ x, dense @ x))
        assert isinstance(gradient, kind)
        close(gradient.todense(), jnp.outer(dy, x) * (dense != 0))
        slope = jax.grad(lambda x, a=a: (g(a, x) * dy).sum())(x)
        close(slope, dense.T @ dy)
    with pytest.raises(tadc.ArgumentError, match="not sparse"):
        f(BCOO.fromdense(dense, n_dense=1), x)
