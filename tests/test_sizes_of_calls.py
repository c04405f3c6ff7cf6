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


@pytest.mark.parametrize(
    "attempt",
    [
        lambda f: f.source("cuda"),
        lambda f: f.source("c"),
        lambda f: f.source("numpy"),
        lambda f: str(f.adjoint()),
        lambda f: f.adjoint().source("latex"),
        lambda f: f.cost(),
        lambda f: f.plan(N=8),
        lambda f: f.program,
        lambda f: f.ranges,
    ],
)
def test_what_needs_a_number_says_how_to_give_it(attempt):
    with pytest.raises(tadc.SyntaxError, match=r"`M\*i` is a product of two") as caught:
        attempt(tadc.compile(BLOCKS))
    assert (caught.value.span.line, caught.value.span.column) == (3, 16)
    assert "f.fix(M=8)" in caught.value.fix and "--size M=8" in caught.value.fix


def test_a_function_with_its_numbers_has_everything():
    f = tadc.compile(BLOCKS)
    g = f.fix(M=3)

    assert (f.sizes, g.sizes, g.fix(N=12).sizes) == (("M", "N"), ("N",), ())
    assert "x[3*i + j]" in str(g)
    assert "dx" in str(g.adjoint()) and g.source("cuda")
    assert f.cost(M=3, N=12) == g.cost(N=12) and f.plan(M=3, N=12) == g.plan(N=12)
    np.testing.assert_array_equal(g(x, np.ones(3)), x.reshape(4, 3))
    with pytest.raises(tadc.ShapeError):
        g(x, np.ones(4))
    with pytest.raises(tadc.ArgumentError, match="there is no size `Q`"):
        f.fix(Q=3)


def test_a_check_says_which_numbers_it_took():
    report = tadc.compile(BLOCKS, backend="numpy").check(N=6)

    assert report and list(report.sizes) == ["M", "N"] and report.sizes["N"] == 6
    assert str(report).startswith("sizes: M = 2, N = 6")


@pytest.mark.parametrize(
    ("text", "shapes", "expected"),
    [
        ("size M\ninput x[2*M + 1]\ny[i: 3] = x[M*i]", [9], {"M": 4}),
        ("size A, B\ninput x[A*B], w[A]\ny[i] = w[i]*sum{j: B} x[B*i + j]", [12, 3], {"B": 4}),
        ("size A, B\ninput x[A + B], w[A - B]\ny = x[A*B - B] + w[0]", [5, 1], {"A": 3, "B": 2}),
        ("size A\nsize P = 3*A - 1\ninput x[P]\ny[i: 2] = x[A*i]", [8], {"A": 3}),
    ],
)
def test_numbers_are_solved_from_extents_that_are_forms_of_them(text, shapes, expected):
    f = tadc.compile(text)
    arrays = [np.arange(float(n)) for n in shapes]

    np.testing.assert_array_equal(f(*arrays), f.fix(**expected)(*arrays))


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


def test_a_wrong_rank_is_shown_where_a_size_needs_a_number_before_there_is_a_program():
    f = tadc.compile("size M\nsize N = 5//M\ninput x[N], z[M]\ny = (sum{i} x[i]) + sum{i} z[i]")

    with pytest.raises(tadc.ShapeError, match="x has 1 dimension") as error:
        f(np.ones((2, 2)), np.ones(2))
    assert (error.value.span.line, error.value.span.text) == (3, "x[N]")
