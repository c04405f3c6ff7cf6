"""Running sums whose terms change with the index by a factor: one pass, right for every value that floats have."""

from __future__ import annotations

from functools import cache
from itertools import product
from random import Random

import numpy as np
import pytest
from host_run import HostBatch
from oracle import by_name, cuda, random_arrays, relative, sizes_of

import tadc

inf, nan = np.inf, np.nan
ROWS = "size I, N\ninput x[I, N]\n"
WEIGHTED = ROWS + "input w[N]\n"
PROGRAMS = {
    "logsumexp": ROWS + "y[i, t: N] = logsumexp{s=0..t} x[i, s]",
    "logsumexp to the end": ROWS + "y[i, t: N] = logsumexp{s=t..N - 1} x[i, s]",
    "logsumexp before": ROWS + "y[i, t: N] = logsumexp{s=0..t - 1} x[i, s]",
    "logsumexp of several at first": ROWS + "y[i, t: N] = logsumexp{s | s <= t + 2} x[i, s]",
    "logsumexp of what is further on": ROWS + "y[i, t: N] = logsumexp{s | s >= t + 2} x[i, s]",
    "max": ROWS + "y[i, t: N] = max{s=0..t} x[i, s]",
    "min": ROWS + "y[i, t: N] = min{s=0..t} x[i, s]",
    "max to the end": ROWS + "y[i, t: N] = max{s=t..N - 1} x[i, s]",
    "min to the end": ROWS + "y[i, t: N] = min{s=t + 1..N - 1} x[i, s]",
    "max of a product": WEIGHTED + "y[i, t: N] = max{s=0..t} x[i, s]*w[s]",
    "product": ROWS + "y[i, t: N] = prod{s=0..t} x[i, s]",
    "product to the end": ROWS + "y[i, t: N] = prod{s=t..N - 1} x[i, s]",
    "softmax of a prefix": WEIGHTED + "m[i, t: N] = max{s=0..t} x[i, s]\n"
    "z[i, t: N] = sum{s=0..t} exp(x[i, s] - m[i, t])\n"
    "y[i, t: N] = (sum{s=0..t} exp(x[i, s] - m[i, t])*w[s])/z[i, t]",
    "softmin of a suffix": ROWS + "m[i, t: N] = min{s=t..N - 1} x[i, s]\n"
    "y[i, t: N] = sum{s=t..N - 1} exp(m[i, t] - x[i, s])",
    "moving average": WEIGHTED + "y[i, t: N] = sum{s=0..t} x[i, s]*prod{l=s + 1..t} w[l]",
    "powers of a number": ROWS + "y[i, t: N] = sum{s=0..t} x[i, s]*0.9**(t - s)",
    "powers to the end": ROWS
    + "input a[I]\ny[i, t: N] = sum{s=t + 1..N - 1} x[i, s]*(0.5 + 0.4*a[i])**(s - t)",
    "powers of the other sign": ROWS + "y[i, t: N] = sum{s=0..t} x[i, s]*1.1**(2*(s - t))",
    "exponentials of distances": ROWS
    + "input a[I]\ny[i, t: N] = sum{s=0..t} x[i, s]*exp(-(t - s + 2)/(1 + a[i]**2))",
    "powers by a number": ROWS
    + "input a[]\ny[i, t: N] = sum{s=0..t} x[i, s]*(0.5 + 0.4*a)**(t - s)",
    "powers of what was before": ROWS
    + "input a[I]\ny[i, t: N] = sum{s | s < t - 1} x[i, s]*(0.5 + 0.4*a[i])**(2*(t - s) - 3)",
    "exponentials by rows": WEIGHTED
    + "input a[I]\ny[i, t: N] = sum{s=t..N - 1} x[i, s]*w[s]*exp(-(s - t)*a[i])",
    "exponentials of sums": ROWS
    + "y[i, t: N] = sum{s=t..N - 1} (-x[i, s])*exp(0.1*(t - 3) - 0.1*s)",
    "keys that decay": ROWS + "y[i, t: N] = sum{s=0..t} exp(x[i, s] - 0.1*(t - s))",
    "keys that decay by rows": WEIGHTED
    + "input a[I]\ny[i, t: N] = sum{s=0..t} w[s]*exp(x[i, s] - (t - s)*a[i]**2)",
    "keys before": WEIGHTED
    + "input a[I]\ny[i, t: N] = (sum{s | s < t} w[s]*exp(x[i, s] - (t - 1 - s)*a[i]**2)) + exp(x[i, t])",
    "return": WEIGHTED + "y[i, t: N] = sum{s=t..N - 1} x[i, s]*prod{l=t..s - 1} w[l]",
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("mode", ["primal", "vjp"])
def test_work_grows_with_the_number_of_elements(name, mode):
    f = tadc.compile(PROGRAMS[name])
    if mode == "vjp" and name in QUADRATIC:
        pytest.skip("the gradient by a factor of products of factors is not one pass")
    small, large = (f.cost(mode=mode, I=3, N=n).operations for n in (40, 80))

    assert large <= 2.2 * small


QUADRATIC = ("moving average", "return")


@cache
def batch():
    texts = [
        cuda(tadc.compile(text, name=f"p{n}"), "float64")
        for n, text in enumerate(PROGRAMS.values())
    ]
    return HostBatch(texts)


def close(found, expected, tolerance=1e-12):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.plain(number=1, size=2)
@pytest.mark.compiler
@pytest.mark.parametrize("number", range(len(PROGRAMS)), ids=list(PROGRAMS))
@pytest.mark.parametrize("size", [1, 2, 3, 17])
def test_values_and_gradients_are_those_of_the_interpreter(number, size):
    text = list(PROGRAMS.values())[number]
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    sizes = {"I": 3, "N": size}
    for mode, f, g in (("primal", native, oracle), ("adjoint", native.adjoint(), oracle.adjoint())):
        inputs = random_arrays(g, sizes)
        expected = by_name(g, g(**inputs))
        found = by_name(f, f(**inputs))
        on_the_host = batch().run(number, mode, inputs, sizes_of(g, sizes))
        for name, value in expected.items():
            close(found[name], value)
            close(on_the_host[name], value)


def special_rows(length):
    """All rows of so many of these values, ties among them."""
    return np.array(list(product([0.0, -0.0, 1.0, -2.0, inf, -inf, nan], repeat=length)))


@pytest.mark.plain(name=1)
@pytest.mark.filterwarnings("ignore:")
@pytest.mark.parametrize("name", [n for n, text in PROGRAMS.items() if text.count("input") == 1])
def test_infinities_nan_and_ties_are_what_they_are_for_the_interpreter(name):
    native, oracle = (tadc.compile(PROGRAMS[name], backend=b) for b in ("native", "interpreter"))
    x = special_rows(4)[::41]
    rng = np.random.default_rng(0)
    for dy in (rng.normal(size=x.shape), rng.integers(0, 2, x.shape) * 1.0):
        np.testing.assert_allclose(native(x), oracle(x), rtol=1e-13)
        found, expected = native.adjoint()(x, dy), oracle.adjoint()(x, dy)
        if "product" in name:  # factors of sums: an infinite one may be NaN (design, section 5)
            found = np.where(np.isfinite(expected), found, expected)
            rows = np.isfinite(x).all(axis=1)
            found, expected = found[rows], expected[rows]
        if (
            "keys" in name
        ):  # infinite terms of both signs are an infinity where their weight is outside
            found = np.where(np.isinf(found) & np.isnan(expected), nan, found)
        # A NaN further on does not reach what has the weight 0 before it.
        unreached = np.isnan(expected) & np.isnan(x[: len(found)]).any(axis=1)[:, None]
        found, expected = np.where(unreached, 0, found), np.where(unreached, 0, expected)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.plain(name=1)
@pytest.mark.parametrize("x", [
    np.linspace(0, 3e4, 24), np.linspace(3e4, 0, 24), 1e4 * np.sin(np.arange(24.0)),
    np.where(np.arange(24) % 7, -1e30, 1e3), np.zeros(24),
], ids=["rising", "falling", "waves", "far apart", "ties"])  # fmt: skip
@pytest.mark.parametrize("name", ["logsumexp", "logsumexp to the end"])
def test_nothing_overflows_in_float32(name, x):
    native, oracle = (tadc.compile(PROGRAMS[name], backend=b) for b in ("native", "interpreter"))
    x32 = x.astype(np.float32)[None]
    dy = np.random.default_rng(1).normal(size=x32.shape).astype(np.float32)

    np.testing.assert_allclose(native(x32), oracle(x32.astype(float)), rtol=1e-6, atol=1e-6)
    expected = oracle.adjoint()(x32.astype(float), dy.astype(float))
    np.testing.assert_allclose(native.adjoint()(x32, dy), expected, rtol=2e-5, atol=2e-5)


def test_a_count_of_ties_is_exact_and_a_maximum_that_is_left_leaves_nothing_behind():
    f = tadc.compile(PROGRAMS["max"], backend="native")
    n = 5000
    x = np.repeat(np.arange(5.0), n // 5)[None].astype(np.float32)
    dy = np.zeros_like(x)
    dy[0, :1000], dy[0, 1000:] = 1e6, 1e-6

    dx = f.adjoint()(x, dy)

    ties = np.arange(n) % 1000 + 1.0
    shares = (dy[0] / ties).reshape(5, 1000)
    np.testing.assert_allclose(dx[0], shares[:, ::-1].cumsum(axis=1)[:, ::-1].ravel(), rtol=1e-6)


def random_program(random):
    """A running sum with a factor of a random form, over a random range."""
    up = random.random() < 0.5
    shift = random.randint(-2, 2)
    at = random.choice(["t", f"t + {shift}" if shift >= 0 else f"t - {-shift}"])
    domain = f"s: N | s <= {at}" if up else f"s: N | s >= {at}"
    if random.random() < 0.3:
        domain += random.choice([" and s >= 2", " and s <= N - 2", " and s != 1", " and s % 2 = 0"])
    a = random.choice(["x[i, s]", "2*x[i, s]", "x[i, s]*w[s]", "-x[i, s]", "v[s]"])
    largest = random.random() < 0.6
    weight = random.choice(["1", "w[s]", "x[i, s]", "x[i, s]*w[s]"])
    m = f"m[i: I, t: N] = {'max' if largest else 'min'}{{{domain}}} {a}\n"
    power = f"{a} - m[i, t]" if largest else f"m[i, t] - {a}"
    match random.randint(0, 4):
        case 4:  # and the gradient by the base of powers
            domain = f"s: N | s <= t - {abs(shift)}" if up else f"s: N | s >= t + {abs(shift)}"
            domain += random.choice(["", " and s >= 2", " and s <= N - 2", " and s % 2 = 0"])
            distance = "t - s" if up else "s - t"
            weight += random.choice(["", "", f"/(1 + {distance})", f"*(1 + {distance})"])
            power = random.choice([f"w[0]**({distance})", f"exp(0.1*v[0]*({distance} + 1))"])
            return f"y[i: I, t: N] = sum{{{domain}}} {weight}*{power}"
        case 0:
            term = f"{weight}*exp({power})"
        case 1:
            term = f"(if {a} = m[i, t] then {weight} else 0)"
        case 2:
            gap = random.choice(["l=s + 1..t", "l=s..t"] if up else ["l=t + 1..s", "l=t..s - 1"])
            return f"y[i: I, t: N] = sum{{{domain}}} {weight}*(prod{{{gap}}} w[pad(l)])"
        case _:  # the other side runs
            ranges = (
                ("s=0..t", f"t=s + {abs(shift)}..N - 1")
                if up
                else ("s=t..N - 1", f"t=0..s - {abs(shift)}")
            )
            m = f"m[i: I, t: N] = {'max' if largest else 'min'}{{{ranges[0]}}} {a}\n"
            term = random.choice([f"exp({power})", f"(if {a} = m[i, t] then {weight} else 0)"])
            return m + f"y[i: I, s: N] = sum{{{ranges[1]}}} u[i, t]*{term}"
    return m + f"y[i: I, t: N] = sum{{{domain}}} {term}"


@pytest.mark.plain(seed=1)
@pytest.mark.parametrize("seed", range(60))
def test_random_running_sums_are_those_of_the_interpreter(seed):
    random = Random(seed)
    text = "size I, N\ninput x[I, N], w[N], v[N], u[I, N]\n" + random_program(random)
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    rng = np.random.default_rng(seed)
    for n in (1, 4, 7):
        x, u, dy = (rng.integers(-4, 5, (2, n)) / 2 for _ in range(3))
        w, v = (rng.integers(-4, 5, n) / 2 for _ in range(2))
        np.testing.assert_allclose(native(x, w, v, u), oracle(x, w, v, u), rtol=1e-12, atol=1e-12)
        found = native.adjoint()(x, w, v, u, dy)
        for d, e in zip(found, oracle.adjoint()(x, w, v, u, dy), strict=True):
            np.testing.assert_allclose(d, e, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("backend", ["numpy", "native"])
def test_running_sums_of_rows_share_no_kernel_with_sums_of_these_rows(backend):
    text = (
        "size I, N\ninput x[I, N], w[N], v[N]\nm[t: N] = max{s: N | s >= t} v[s]\n"
        "y[i: I, t: N] = sum{s: N | s >= t} x[i, s]*w[s]*exp(v[s] - m[t])"
    )
    f, oracle = (tadc.compile(text, backend=b).adjoint() for b in (backend, "interpreter"))
    rng = np.random.default_rng(0)
    for n in (1, 4, 7):
        given = rng.normal(size=(2, n)), rng.normal(size=n), rng.normal(size=n), rng.normal(size=(2, n))  # fmt: skip
        for found, right in zip(f(*given), oracle(*given), strict=True):
            np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-12)


def test_what_is_no_running_maximum_is_no_reference():
    text = ROWS + "input m[N]\ny[i, t: N] = sum{s=0..t} exp(x[i, s] - m[t])"
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    inputs = {"x": np.array([[700.0, 0, 1]]), "m": np.array([0.0, 700, -3])}

    assert relative(native(**inputs), oracle(**inputs)) <= 1e-14


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["native", "numpy"])
def test_products_that_are_others_for_each_term_are_no_factors_of_a_sum_so_far(backend):
    text = "size N\ninput x[N], c[N]\ny[i: N] = prod{j: N} (1 + 0.1*(if j >= i - 5 then c[abs(i - j)] else x[j]))"
    f, oracle = (tadc.compile(text, backend=b) for b in (backend, "interpreter"))
    rng = np.random.default_rng(0)
    x, c, dy = rng.normal(size=(3, 19))

    _, found = f.value_and_gradients(x, c, cotangent=dy)
    _, expected = oracle.value_and_gradients(x, c, cotangent=dy)

    for name, gradient in expected.items():
        close(found[name], gradient)


@pytest.mark.parametrize("a", [0.0, 0.5, 300.0, -300.0])
@pytest.mark.parametrize("term", [
    "exp(x[s] - a*(t - s))", "exp(x[s]/2 - a*t)", "x[s]*exp(a*(3 - t))", "x[s]*exp(a*(t - s) - 2*a)", "x[s]*a**(t + s - 2)", "x[s]*a**(2*s - t)",
])  # fmt: skip
def test_terms_that_are_infinite_or_0_when_they_are_new_may_be_others_later(term, a):
    text = f"size N\ninput x[N], a[]\ny[t: N] = sum{{s=0..t}} {term}"
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    large = 300 if "exp(x" in term else 800  # its exponential is a number
    for x in ([large, 0, 1, -large, 3], [-large, large, -2, 0, 1]):
        np.testing.assert_allclose(native(x, a), oracle(x, a), rtol=1e-12)
