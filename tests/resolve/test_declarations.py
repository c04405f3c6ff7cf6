"""Declarations in any order, and sizes that only the shape of an input names."""

import numpy as np
import pytest

import tadc

x = np.arange(1.0, 10.0)
a = x[:6].reshape(2, 3)

PROGRAMS = {
    "an input before its size": ("input x[N]\nsize N\ny[i: N] = x[i]", {"x": x}, x),
    "all below the statement": (
        "y[i: P] = x[i + 1]\ninput x[N]\nsize P = N - 1\nsize N",
        {"x": x},
        x[1:],
    ),
    "a size of a size below": (
        "size P = Q + 1\nsize Q = N // 2\nsize N\ninput x[N]\ny[i: P] = x[i]",
        {"x": x},
        x[:5],
    ),
    "a size that nothing declares": ("input a[N, K]\ny[i] = sum{k: K} a[i, k]", {"a": a}, a.sum(1)),
    "one in a product and a sum": (
        "input x[2*N + 1]\ny[i: N] = x[2*i]",
        {"x": x},
        x[:8:2],
    ),
    "one of several inputs": (
        "input a[N, K], w[K]\ny[i] = sum{k} a[i, k]*w[k]",
        {"a": a, "w": x[:3]},
        a @ x[:3],
    ),
    "one that a size is made of": (
        "size P = N - 1\ninput x[N]\ny[i: P] = x[i]",
        {"x": x},
        x[:8],
    ),
    "base and einstein below": ("y[i] = a[i, k]*w[k]\neinstein", {"a": a, "w": x[:3]}, a @ x[:3]),
    "base below": ("y[i: 3] = x[i]\nbase 1", {"x": x}, x[:3]),
}


@pytest.mark.parametrize(("text", "arrays", "expected"), PROGRAMS.values(), ids=PROGRAMS)
def test_declarations_stand_in_any_order(text, arrays, expected):
    f = tadc.compile(text, backend="interpreter")
    again = tadc.compile(str(f), backend="interpreter")

    np.testing.assert_array_equal(f(**arrays), expected)
    np.testing.assert_array_equal(again(**arrays), expected)
    assert again.program.sizes == f.program.sizes


def test_a_size_that_nothing_declares_takes_a_number():
    f = tadc.compile("input a[N, K]\ny[i] = sum{k} a[i, k]", sizes={"K": 3})

    assert f.program.sizes == ("N",)


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        ("input x[n]\ny[n] = x[n]", 9, "an index in line 2"),
        ("input x[n]\ny = sum{n} w[n]", 9, "an index in line 2"),
        ("input x[k]\ny = if sum{k} w[k] > 0 then 1 else 0", 9, "an index in line 2"),
        ("size N\ninput x[n]\ny = x[0]", 9, "`N` is one"),
        ("input x[N], w[n]\ny = x[0]*w[0]", 15, "`N` is one"),
        ("input N[3], x[N]\ny = x[0]*N[0]", 15, "a tensor, not a size"),
        ("input x[y]\ny = x[0]", 9, "a tensor, not a size"),
        ("size P = Q\nsize Q = P + 1\ny[i: P] = 1", 10, "made of"),
        ("size P = P\ny[i: P] = 1", 10, "made of"),
        ("size P = Q\ny[i: P] = 1", 10, "not a size"),
    ],
)
def test_a_name_that_is_something_else_is_no_size(text, column, words):
    with pytest.raises(tadc.SyntaxError, match=words) as caught:
        tadc.compile(text)

    assert caught.value.span.column == column


def test_a_declared_size_may_be_called_like_an_index_or_another_size():
    f = tadc.compile("size N, n\ninput x[N], w[n]\ny[n: 2] = x[n]*w[n]", backend="interpreter")

    np.testing.assert_array_equal(f(x, x[:3]), x[:2] ** 2)
