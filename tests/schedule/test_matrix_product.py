"""Which statements are products of matrices, and how their indices lie in memory."""

from __future__ import annotations

import pytest
from programs import normal

from tadc.schedule.nest.matrix_product import large_product, large_products, matrix_product

E, B, R, C, K = "outer", "batch", "rows", "columns", "inner"
# name: text, the axes of both factors and of the result
PRODUCTS = {
    "two matrices": ("x[I,K], w[K,J]\ny[i,j] = sum{k} x[i,k]*w[k,j]", (R, K), (K, C), (R, C)),
    "the second first": ("x[I,K], w[K,J]\ny[j,i] = sum{k} x[i,k]*w[k,j]", (K, R), (C, K), (R, C)),
    "a batch": ("x[L,K,I], w[L,J,K]\ny[l,i,j] = sum{k} x[l,k,i]*w[l,j,k]", (B, K, R), (B, C, K), (B, R, C)),
    "two batches": ("x[L,M,I,K], w[L,M,K,J]\ny[l,m,i,j] = sum{k} x[l,m,i,k]*w[l,m,k,j]", (B, R, K), (B, K, C), (B, R, C)),
    "rows of two indices": ("x[L,I,K], w[K,J]\ny[l,i,j] = sum{k} x[l,i,k]*w[k,j]", (R, K), (K, C), (R, C)),
    "columns of two, a factor for all of a batch": ("x[L,K,I,M], w[J,K]\ny[l,j,i,m] = sum{k} x[l,k,i,m]*w[j,k]", (R, K), (B, K, C), (B, R, C)),
    "terms of two indices": ("x[L,I,K], w[I,K,J]\ny[l,j] = sum{i,k} x[l,i,k]*w[i,k,j]", (R, K), (K, C), (R, C)),
    "all of them": ("x[I,M,K,L], w[K,L,J]\ny[i,m,j] = sum{k,l} x[i,m,k,l]*w[k,l,j]", (R, K), (K, C), (R, C)),
    "a batch between rows and terms": ("x[I,L,K], w[K,J]\ny[l,i,j] = sum{k} w[k,j]*x[i,l,k]", (R, B, K), (K, C), (B, R, C)),
    "a batch between rows and columns of the result": ("x[L,I,K], w[L,K,J]\ny[i,l,j] = sum{k} x[l,i,k]*w[l,k,j]", (B, R, K), (B, K, C), (R, B, C)),
    "two batches apart": ("x[L,I,M,K], w[L,J,M,K]\ny[l,m,i,j] = sum{k} x[l,i,m,k]*w[l,j,m,k]", (E, R, B, K), (E, C, B, K), (E, B, R, C)),
}  # fmt: skip
OTHERS = {
    "terms apart": "x[L,I,K], w[L,J,K]\ny[i,j] = sum{l,k} x[l,i,k]*w[l,j,k]",
    "terms in another order": "x[I,K,L], w[L,K,J]\ny[i,j] = sum{k,l} x[i,k,l]*w[l,k,j]",
    "rows in another order": "x[I,L,K,M], w[K,J]\ny[l,m,i,j] = sum{k} x[i,l,k,m]*w[k,j]",
    "matrices whose neighbours lie apart": "x[I,K,L], w[K,J,L]\ny[l,i,j] = sum{k} x[i,k,l]*w[k,j,l]",
    "three batches apart": "x[L,I,M,3,K], w[L,J,3,M,K]\ny[l,m,n,i,j] = sum{k} x[l,i,m,n,k]*w[l,j,n,m,k]",
    "a part of the terms": "x[I,K], w[K,J]\ny[i,j] = sum{k: K - 1} x[i,k]*w[k,j]",
    "a part of the columns": "x[I,K], w[K,J]\ny[i, j: J - 1] = sum{k} x[i,k]*w[k,j]",
    "a condition": "x[I,K], w[K,J]\ny[i,j] = sum{k | k <= i} x[i,k]*w[k,j]",
    "a diagonal": "x[K,K,I], w[K,J]\ny[i,j] = sum{k} x[k,k,i]*w[k,j]",
    "neighbours that move": "x[I + K - 1], w[K,J]\ny[i: I,j] = sum{k} x[i+k]*w[k,j]",
    "no columns": "x[L,I,K], w[K]\ny[l,i] = sum{k} x[l,i,k]*w[k]",
    "two types": "x[I,K]: float32, w[K,J]: float64\ny[i,j] = sum{k} x[i,k]*w[k,j]",
}  # fmt: skip


def program(text):
    return normal(f"size I, J, K, L, M\ninput {text}")


@pytest.mark.parametrize("name", PRODUCTS)
def test_the_axes_of_a_product(name):
    text, *axes = PRODUCTS[name]
    made = program(text)
    (statement,) = made.statements

    found = matrix_product(statement, made)

    assert [o.axes for o in (found.left, found.right, found.result)] == axes
    assert found.result.axes[-1] == C
    plain = name in {"two matrices", "the second first", "a batch", "two batches"}
    assert found.is_plain == plain


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_product(name):
    made = program(OTHERS[name])
    (statement,) = made.statements

    assert matrix_product(statement, made) is None


def test_large_products_of_joint_indices_have_some_of_each():
    made = program(PRODUCTS["rows of two indices"][0])
    (statement,) = made.statements
    sizes = {"I": 64, "J": 256, "K": 256, "L": 64, "M": 1}

    assert large_product(statement, made, sizes)
    assert large_products(made, sizes) == {"y"}
    assert not large_product(statement, made, sizes | {"L": 1})  # too little to multiply
    assert not large_product(statement, made, sizes | {"J": 8, "L": 10**4})
    assert not large_product(statement, made, sizes | {"I": 2**20, "L": 2**10})


def test_another_index_is_the_batch_where_there_would_be_few_rows():
    made = program("x[L,I,K], w[K,J]\ny[i,l,j] = sum{k} x[l,i,k]*w[k,j]")
    (statement,) = made.statements
    few = {"I": 2, "J": 512, "K": 512, "L": 512, "M": 1}

    for sizes, rows in ((few, "L"), (few | {"I": 512, "L": 2}, "I")):
        found = large_product(statement, made, sizes)
        assert found.counts(sizes)["rows"] == sizes[rows] == 512


def test_what_is_several_products_is_as_few_calls_as_may_be_and_each_is_large():
    made = program(PRODUCTS["two batches apart"][0])
    (statement,) = made.statements
    sizes = {"I": 512, "J": 512, "K": 64, "L": 4, "M": 16}

    assert large_product(statement, made, sizes).calls(sizes) == 4
    turned = sizes | {"L": 16, "M": 4}
    assert large_product(statement, made, turned).calls(turned) == 4
    assert not large_product(statement, made, sizes | {"I": 64})
