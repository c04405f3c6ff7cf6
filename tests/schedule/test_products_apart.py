"""Products of matrices inside of other values are a library's where the model says that this is faster."""

from __future__ import annotations

from dataclasses import replace

import pytest

import tadc
from tadc.runtime.cuda.launch import CudaRunner

LARGE = dict.fromkeys("IJK", 2048)
TEXT = "size I, J, K\ninput x[I, K], w[K, J], v[K, J], b[J]\ny[i, j] = {}"
PRODUCT = "sum{k} x[i, k]*w[k, j]"
APART = {
    "a layer": "tanh((sum{k} x[i, k]*w[k, j]) + b[j])",
    "a gate": "(sum{k} x[i, k]*w[k, j])*b[j]",
    "a choice by its value": "if (sum{k} x[i, k]*w[k, j]) > b[j] then (sum{k} x[i, k]*w[k, j]) else 0",
    "two": "(sum{k} x[i, k]*w[k, j])*(sum{k} x[i, k]*v[k, j])",
}  # fmt: skip
WHOLE = {
    "a product alone": PRODUCT,
    "a part of the elements": "if i <= j then (sum{k} x[i, k]*w[k, j]) + b[j] else 0",
    "another sum": "tanh(max{k} x[i, k]*w[k, j])",
}


def module(body, sizes, dtype="float32", **options):
    f = tadc.compile(TEXT.format(body), backend="cuda", dtype=dtype, **options)
    return CudaRunner(f.program, dtype, f._options).lowered(sizes)


@pytest.mark.parametrize("name", APART)
def test_a_large_product_in_another_value_is_a_librarys(name):
    made = module(APART[name], LARGE)

    assert len(made.products) == (2 if name == "two" else 1)
    assert len(made.kernels) == len(made.products) + 1
    assert not module(APART[name], LARGE, blas=False).products


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_no_product_in_another_value_stays_as_it_is(name):
    made = module(WHOLE[name], LARGE)

    assert {t.removesuffix("_parts") for k in made.kernels for t in k.kernel.writes} == {"y"}
    assert bool(made.products) == (name == "a product alone")


def test_a_small_product_stays_where_it_is():
    assert not module(APART["a layer"], dict.fromkeys("IJK", 64)).products


def test_a_product_of_16_bits_stays_where_it_is():
    assert not module(APART["a layer"], LARGE, "float16").products


def test_a_product_is_stored_in_what_there_is_for_it():
    bytes_ = 4 * 2048**2

    assert not module(APART["a layer"], LARGE, memory_limit=bytes_ - 1).products
    assert module(APART["a layer"], LARGE, memory_limit=bytes_).products
    assert len(module(APART["two"], LARGE, memory_limit=bytes_).products) == 1
    assert not module(APART["a layer"], LARGE, memory="recompute").products


def test_a_product_that_each_term_of_a_sum_needs_is_a_librarys():
    text = "size I, J, K, R\ninput x[I, J, K], b[J, R], c[K, R]\na[i, r] = sum{j, k} x[i, j, k]*b[j, r]*c[k, r]"
    f = tadc.compile(text, backend="cuda", dtype="float32")

    made = CudaRunner(f.program, "float32", f._options).lowered(
        {"I": 512, "J": 512, "K": 512, "R": 32}
    )

    (product,) = made.products.values()
    assert set(
        product.counts(
            made.module.program.size_values({"I": 512, "J": 512, "K": 512, "R": 32})
        ).values()
    ) <= {32, 512}
    assert product.result.tensor == "a_sum"


SEVERAL = {
    "a scale": ("x[i, k]*b[k]*w[k, j]", True),
    "two factors of both": ("x[i, k]*v[k, j]*w[k, j]*exp(b[k])", True),
    "a factor of everything": ("x[i, k]*b[i + j + k]*w[k, j]", False),
    "a sum inside": ("x[i, k]*(sum{l: K} v[l, k])*w[k, j]", True),
}  # fmt: skip


@pytest.mark.parametrize("name", SEVERAL)
def test_a_product_of_several_factors_is_one_of_two(name):
    term, is_product = SEVERAL[name]
    text = f"size I, J, K\ninput x[I, K], w[K, J], v[K, J], b[{'I + J + K - 2' if '+' in term else 'K'}]\ny[i: I, j: J] = sum{{k: K}} {term}"
    f = tadc.compile(text, backend="cuda", dtype="float32")

    made, without = (
        CudaRunner(f.program, "float32", replace(f._options, blas=blas)).lowered(LARGE)
        for blas in (True, False)
    )

    assert bool(made.products) == is_product
    assert not without.products


def test_factors_are_stored_in_what_there_is_for_them():
    text = TEXT.format("sum{k} x[i, k]*b[k]*w[k, j]").replace("b[J]", "b[K]")
    made = [
        CudaRunner(f.program, "float32", f._options).lowered(LARGE)
        for n in (4 * 2048**2 - 1, 4 * 2048**2)
        for f in [tadc.compile(text, backend="cuda", dtype="float32", memory_limit=n)]
    ]

    assert [bool(m.products) for m in made] == [False, True]


CONTRACTIONS = {
    # How many of the three tensors are copied.
    "all between one another": ("t[I, K, A, C], w[K, J, C, B]", "r[i: I, j: J, a: A, b: B]", "sum{k, c} t[i, k, a, c]*w[k, j, c, b]", 3),
    "a result as it is": ("t[I, K, A, C], w[K, J, C, B]", "r[i: I, a: A, j: J, b: B]", "sum{k, c} t[i, k, a, c]*w[k, j, c, b]", 2),
    "terms in two orders": ("t[I, A, K, C], w[C, K, J, B]", "r[i: I, a: A, j: J, b: B]", "sum{k, c} t[i, a, k, c]*w[c, k, j, b]", 1),
    "a product as it is": ("t[I, A, K, C], w[K, C, J, B]", "r[i: I, a: A, j: J, b: B]", "sum{k, c} t[i, a, k, c]*w[k, c, j, b]", 0),
    "in another value": ("t[I, K, A, C], w[K, J, C, B]", "r[i: I, j: J, a: A, b: B]", "2 - sum{k, c} t[i, k, a, c]*w[k, j, c, b]", 2),
    "a part of the terms": ("t[I, K, A, C], w[K, J, C, B]", "r[i: I, j: J, a: A, b: B]", "sum{k, c | k < c} t[i, k, a, c]*w[k, j, c, b]", None),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTRACTIONS)
def test_a_contraction_is_a_librarys_product_of_copies(name):
    inputs, target, body, copied = CONTRACTIONS[name]
    f = tadc.compile(
        f"size I, J, A, B, K, C\ninput {inputs}\n{target} = {body}", backend="cuda", dtype="float32"
    )
    sizes = {**dict.fromkeys("IJK", 16), **dict.fromkeys("ABC", 100)}

    made, without = (
        CudaRunner(f.program, "float32", replace(f._options, blas=blas)).lowered(sizes)
        for blas in (True, False)
    )

    assert len(made.products) == (copied is not None)
    other = name == "in another value"
    assert len(made.kernels) == len(made.products) + (copied or 0) + (other or copied is None)
    assert len(without.kernels) == 1 and not without.products


def test_copies_of_a_contraction_are_stored_in_what_there_is_for_them():
    inputs, target, body, _ = CONTRACTIONS["terms in two orders"]
    text = f"size I, J, A, B, K, C\ninput {inputs}\n{target} = {body}"
    sizes = {**dict.fromkeys("IJK", 16), **dict.fromkeys("ABC", 100)}

    def products(limit):
        f = tadc.compile(text, backend="cuda", dtype="float32", memory_limit=limit)
        return CudaRunner(f.program, "float32", f._options).lowered(sizes).products

    assert products(4 * 1600**2)
    assert not products(4 * 1600**2 - 1)
