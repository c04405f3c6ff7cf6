"""Sparse operands, which are whole, beside Dask arrays in chunks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tadc

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
sp = pytest.importorskip("scipy.sparse")

import tadc.dask  # noqa: E402

PRODUCT = "input A[N,M]: {}, x[M,C]; y[i,c] = sum{{j}} A[i,j]*x[j,c]"
SAMPLED = "input A[N,M]: csr, U[N,K], V[M,K]; S[i,j]: like A = A[i,j]*sum{k} U[i,k]*V[j,k]"


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def matrix(layout="csr"):
    return sp.random_array((9, 7), density=0.3, format=layout, random_state=0)


def dense(*shape):
    return np.random.default_rng(1).normal(size=shape)


def close(found, wanted):
    if sp.issparse(wanted):
        assert type(found) is type(wanted)
        found, wanted = found.toarray(), wanted.toarray()
    assert found.dtype == wanted.dtype
    np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("again", [lambda d: d, lambda d: pickle.loads(pickle.dumps(d))])
@pytest.mark.parametrize("given", ["csr", "coo"])
@pytest.mark.parametrize("layout", ["csr", "csc", "coo"])
@pytest.mark.plain(given=1)
def test_products_and_their_gradients(layout, given, again):
    """The gradient by the matrix has its class and pattern; arrays in other layouts are sorted."""
    f = tadc.compile(PRODUCT.format(layout))
    a, x = matrix(given), dense(7, 5)
    value, pullback = f.vjp(a, x)
    data = again(tadc.dask.wrap(f, chunks={"y": (4, 2)}))

    y, lazy_pullback = data.vjp(a, da.from_array(x, chunks=(3, 2)))
    found, gradients = dask.compute(y, lazy_pullback(y))

    assert y.chunks == ((4, 4, 1), (2, 2, 1))
    close(found, value)
    for n, gradient in pullback(value).items():
        close(gradients[n], gradient)


def test_results_and_cotangents_with_the_pattern_of_an_operand():
    f = tadc.compile(SAMPLED)
    a, u, v = matrix(), dense(9, 3), dense(7, 3)
    value, pullback = f.vjp(a, u, v)

    s, lazy_pullback = f.vjp(a, da.from_array(u, chunks=(4, 2)), da.from_array(v, chunks=3))
    found, gradients = dask.compute(s, lazy_pullback(value))

    assert s.shape == a.shape and f(a, da.from_array(u, chunks=(4, 2)), v).dtype == u.dtype
    close(found, value)
    for n, gradient in pullback(value).items():
        close(gradients[n], gradient)


def test_tangents_derivatives_as_functions_and_kept_patterns():
    f = tadc.compile(PRODUCT.format("csr"))
    a, x = matrix(), dense(7, 5)
    lazy_x = da.from_array(x, chunks=(3, 2))
    data = tadc.dask.wrap(f)

    both = dask.compute(data.jvp({"A": a, "x": lazy_x}, {"A": a, "x": x}))[0]
    gradients = dask.compute(tadc.dask.wrap(f.adjoint())(tadc.index(a), lazy_x, f(a, x)))[0]

    for found, wanted in zip(both, f.jvp({"A": a, "x": x}, {"A": a, "x": x}), strict=True):
        close(found, wanted)
    for found, wanted in zip(gradients, f.adjoint()(a, x, f(a, x)), strict=True):
        close(found, wanted)


def test_values_of_a_tuple_may_be_in_chunks():
    f = tadc.compile(PRODUCT.format("csr"))
    a, x = matrix(), dense(7, 5)
    parts = da.from_array(a.data, chunks=8), a.indptr, da.from_array(a.indices, chunks=5)
    value, pullback = f.vjp(a, x)

    y, lazy_pullback = f.vjp(parts, da.from_array(x, chunks=3))
    values, *pattern = lazy_pullback(y)["A"]

    close(y.compute(), value)
    assert values.chunks == parts[0].chunks and pattern == [*parts[1:]]
    close(values.compute(), pullback(value)["A"].data)


def test_plans_and_advice_name_the_arrays_of_sparse_tensors():
    f = tadc.compile(PRODUCT.format("csr"))
    whole = tadc.dask.wrap(f, split={"dA_val": ()})
    a, x = matrix(), da.ones((7, 5), chunks=2)
    plan = whole.plan(a, x, gradients=True)

    assert plan.kept == ("y", "dA_val", "dx") and not plan.splits.get("dA_val")
    assert whole.plan(a, x, gradients=True, wrt="A").kept == ("y", "dA_val")
    assert tadc.dask.wrap(f).advice(a, x).best[1].tasks <= tadc.dask.wrap(f).plan(a, x).tasks


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda f, a, x: f(da.ones((9, 7)), x), "pass `A.compute()`"),
        (lambda f, a, x: f((a.data, da.from_array(a.indptr), a.indices), x), "`A_ptr.compute()`"),
        (lambda f, a, x: f(a, x[:5]), "extent of dimension 0 of x is 5"),
        (lambda f, a, x: f(a, x, out=1), "dask.array.store"),
        (lambda f, a, x: tadc.dask.wrap(f).vjp(a, x)[1](x, out=1), "`A` is sparse"),
        (lambda f, a, x: tadc.dask.wrap(f, keep="A")(a, x), "no tensor that is computed"),
    ],
)
def test_what_does_not_fit_is_an_error_before_anything_runs(call, says):
    with pytest.raises(tadc.Error) as error:
        call(tadc.compile(PRODUCT.format("csr")), matrix(), da.ones((7, 5), chunks=3))
    assert says in str(error.value)
