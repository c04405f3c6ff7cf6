"""Products that are left to BLAS: blocks of them, which threads of ours multiply, each on its own."""

from __future__ import annotations

import ctypes
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import blas, c_compiler

library = blas._described()
pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
    pytest.mark.skipif(not (library and library.set_threads), reason="BLAS is not OpenBLAS"),
]

PRODUCTS = {
    "plain": ("input a[N,K], b[K,M]\ny[i,j] = sum{k} a[i,k]*b[k,j]", {"N": 300, "K": 130, "M": 530}),
    "the right one flipped": ("input a[N,K], b[M,K]\ny[i,j] = sum{k} a[i,k]*b[j,k]", {"N": 300, "K": 90, "M": 530}),
    "both flipped": ("input a[K,N], b[M,K]\ny[i,j] = sum{k} a[k,i]*b[j,k]", {"N": 70, "K": 900, "M": 65}),
    "one row of blocks": ("input a[N,K], b[M,K]\ny[i,j] = sum{k} a[i,k]*b[j,k]", {"N": 20, "K": 64, "M": 5000}),
    "a batch": ("input q[B,N,H,D], k[B,M,H,D]\ns[b,h,i,j] = sum{d} q[b,i,h,d]*k[b,j,h,d]", {"B": 3, "N": 67, "M": 130, "H": 2, "D": 16}),
    "products that are added up": ("input g[N,O,P], x[N,C,P]\nw[o,c] = sum{n,p} g[n,o,p]*x[n,c,p]", {"N": 5, "O": 90, "C": 300, "P": 64}),
}  # fmt: skip


def products(name: str, dtype: str):
    """Functions with several numbers of threads, and arrays."""
    text, sizes = PRODUCTS[name]
    functions = [tadc.compile(text, backend="native", threads=n, dtype=dtype) for n in (1, 2, 3, 7)]
    assert "BLAS" in str(functions[0].plan(**sizes))
    random = np.random.default_rng(0)
    shapes = [t.shape_at(sizes) for t in functions[0].program.inputs]
    return functions, [random.uniform(-1, 1, shape).astype(dtype) for shape in shapes], text


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_threads_multiply_blocks(name, dtype, monkeypatch):
    monkeypatch.setattr("tadc.runtime.cpu.native.LITTLE", 0)
    functions, arrays, text = products(name, dtype)

    expected = tadc.compile(text, backend="numpy", dtype="float64")(*arrays)
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    for f in functions:
        y = f(*arrays)
        np.testing.assert_allclose(y, expected, rtol=tolerance, atol=tolerance)
        assert y.tobytes() == f(*arrays).tobytes()


def test_blas_has_its_own_threads_back_after_calls_of_several_threads():
    count = ctypes.CFUNCTYPE(ctypes.c_int)(library.threads)
    set_count = ctypes.CFUNCTYPE(None, ctypes.c_int)(library.set_threads)
    functions, arrays, _ = products("a batch", "float32")
    before = count()
    set_count(2)

    with ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(functions[1], *arrays) for n in range(64)]
        results = {c.result().tobytes() for c in calls}

    assert len(results) == 1
    assert count() == 2
    set_count(before)


def test_a_blas_whose_threads_cannot_be_set_multiplies_whole_matrices(monkeypatch):
    alone = blas._Blas(library.sgemm, library.dgemm)
    monkeypatch.setattr("tadc.runtime.cpu.native.blas", lambda: ctypes.addressof(alone))
    functions, arrays, text = products("products that are added up", "float64")

    expected = tadc.compile(text, backend="numpy")(*arrays)

    np.testing.assert_allclose(functions[1](*arrays), expected, rtol=1e-12, atol=1e-12)


def test_threads_that_ask_first_get_one_description(monkeypatch):
    own = blas._pointer

    def slowly(capsule):
        time.sleep(0.05)
        return own(capsule)

    monkeypatch.setattr(blas, "_pointer", slowly)
    blas._described.cache_clear()  # `library` keeps what programs have the address of

    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: blas.blas(), range(8)))

    assert found == {ctypes.addressof(blas._described())}
