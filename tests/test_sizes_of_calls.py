"""Sizes that multiply or divide indices, and get their numbers from the shapes of a call."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import tadc

BLOCKS = "size M, N\ninput x[N], w[M]\ny[i, j: M] = x[M*i + j] * w[j]"
x = np.arange(12.0)


@pytest.mark.parametrize("m", [1, 2, 3, 4, 6, 12])
def test_one_function_serves_every_number(m):
    f = tadc.compile(BLOCKS)
    w = np.arange(1.0, m + 1)
    y, pullback = f.vjp(x, w)
    gradients = pullback(np.ones_like(y))

    np.testing.assert_array_equal(y, x.reshape(-1, m) * w)
    np.testing.assert_array_equal(gradients["x"], np.tile(w, 12 // m))
    np.testing.assert_array_equal(gradients["w"], x.reshape(-1, m).sum(0))


def test_derivatives_copies_and_tangents_are_open_too():
    f = tadc.compile(BLOCKS)
    w = np.ones(3)
    dx, _ = pickle.loads(pickle.dumps(f.adjoint()))(x, w, np.ones((4, 3)))
    second = f.adjoint().tangent("x")

    np.testing.assert_array_equal(dx, np.ones(12))
    np.testing.assert_array_equal(f.jvp({"x": x, "w": w}, {"x": x})[1], x.reshape(4, 3))
    np.testing.assert_array_equal(second(x, w, np.ones((4, 3)), x)[1], x.reshape(4, 3).sum(0))
    assert f.check()
    assert f.check(M=5)


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("size S\ny[i: 6] = x[i // S]", {"x": x, "S": 2}, x[[0, 0, 1, 1, 2, 2]]),
        ("size S\ny[i: 6] = x[i % S]", {"x": x, "S": 4}, x[[0, 1, 2, 3, 0, 1]]),
        (
            "size A, B\nsize C = A*B\ninput a[A, B]\ny[i: C] = a[i // B, i % B]",
            {"a": x.reshape(3, 4)},
            x,
        ),
        (
            "size N\ninput x[N]\ny[i: 12] = x[wrap(5*i - 7)] + x[reflect(i + 9)]",
            {"x": x[:4]},
            x[(5 * np.arange(12) - 7) % 4] + np.pad(x[:4], (0, 30), mode="reflect")[9:21],
        ),
        ("size S\ny = sum{k: 3} x[S*k]", {"x": x, "S": 5}, x[[0, 5, 10]].sum()),
    ],
    ids=["divisor", "modulus", "size of sizes", "far outside", "stride by name"],
)
def test_a_number_comes_from_an_extent_or_by_name(text, given, expected):
    np.testing.assert_array_equal(tadc.compile(text)(**given), expected)


def test_before_the_number_there_is_no_text():
    f = tadc.compile(BLOCKS)

    for attempt in (lambda: str(f), lambda: f.source("cuda"), lambda: f.adjoint().program):
        with pytest.raises(tadc.SyntaxError, match=r"`M\*i` is a product of two terms") as caught:
            attempt()
        assert (caught.value.span.line, caught.value.span.column) == (3, 16)
    assert "x[3*i + j]" in str(tadc.compile(BLOCKS, sizes={"M": 3}))


@pytest.mark.parametrize(
    ("arguments", "error", "fact"),
    [
        (((x,), {}), tadc.ArgumentError, "the input `w` is missing"),
        (((x, np.ones((2, 2))), {}), tadc.ShapeError, "w has 1 dimension"),
        (((x, np.ones(3)), {"M": 4}), tadc.ShapeError, "w"),
        (((x, np.ones(3)), {"M": -1}), tadc.ArgumentError, "the size `M` is -1"),
        (((x, np.ones(3)), {"Q": 3}), tadc.ArgumentError, "`Q`"),
        (((x, "w"), {}), tadc.ArgumentError, "`w`"),
    ],
)
def test_wrong_arguments_are_the_usual_errors(arguments, error, fact):
    positional, named = arguments
    with pytest.raises(error, match=fact):
        tadc.compile(BLOCKS)(*positional, **named)


def test_a_size_that_no_extent_shows_must_be_given():
    with pytest.raises(tadc.ArgumentError, match="the size `S` is missing"):
        tadc.compile("size S\ny[i: 6] = x[i // S]")(x)


@pytest.mark.parametrize(
    "text",
    ["size N\ny[i: 4] = x[i*i]", "size N\ny[i: 4] = x[N*i] + z[", "size N\ny[i: 4] = x[N*i, N*k]"],
)
def test_what_is_wrong_with_any_number_is_an_error_at_once(text):
    with pytest.raises(tadc.Error):
        tadc.compile(text)
