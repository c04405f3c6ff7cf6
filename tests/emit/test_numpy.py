"""Every form of body as numpy: value and gradient are the interpreter's, whichever way the sums are planned."""

from __future__ import annotations

import keyword
from functools import cache

import numpy as np
import pytest
from oracle import bound, random_arrays

import tadc
from tadc.emit.numpy import contraction as numpy_contraction
from tadc.emit.numpy import extents as numpy_extents
from tadc.emit.numpy import spelling as numpy_spelling
from tadc.emit.numpy.einsum import contracted
from tadc.emit.numpy.names import reserved
from tadc.ir.functions import FUNCTIONS, OPERATORS
from tadc.runtime.run import Runners

nan, inf = np.nan, np.inf

# ---- the ways of a sum: each is forced on programs so small that they would not choose it


def as_planned(monkeypatch):
    pass


def in_small_blocks(monkeypatch):
    """Every array is divided, with no more than three elements where that is possible."""
    library = {**numpy_spelling.library(), "ELEMENTS": "ELEMENTS = 3"}
    monkeypatch.setattr(numpy_spelling, "library", lambda: library)
    monkeypatch.setattr(numpy_extents, "FEW", 0)


def by_hulls(monkeypatch):
    in_small_blocks(monkeypatch)
    monkeypatch.setattr(numpy_contraction, "HULL_POINT", 0)


def by_loops(monkeypatch):
    in_small_blocks(monkeypatch)
    monkeypatch.setattr(numpy_contraction, "HULL_POINT", 10**9)


def by_loops_rather_than_computed_factors(monkeypatch):
    by_loops(monkeypatch)
    monkeypatch.setattr(numpy_contraction, "TURN", 0)
    monkeypatch.setattr(numpy_contraction, "FACTOR_POINT", 10**6)


@pytest.fixture(
    params=[
        as_planned,
        by_hulls,
        by_loops,
        pytest.param(in_small_blocks, marks=pytest.mark.slow),
        pytest.param(by_loops_rather_than_computed_factors, marks=pytest.mark.slow),
    ],
    ids=lambda way: way.__name__,
)
def way(request, monkeypatch):
    request.param(monkeypatch)


# ---- the comparison

compiled = cache(tadc.compile)


def assert_like_the_interpreter(text, arrays, dtype="float64", sizes=None, tolerance=None):
    """The value, and the gradient for random cotangents."""
    f = compiled(text)
    numbers = bound(f, arrays, sizes)
    values = assert_agreement(f, arrays, dtype, numbers, tolerance)
    random = np.random.default_rng(1)
    cotangents = (random.uniform(-1, 1, np.shape(v)) for v in values)
    names = f.adjoint().inputs[len(f.inputs) :]
    given = {**arrays, **dict(zip(names, cotangents, strict=True))}
    assert_agreement(f.adjoint(), given, dtype, numbers, tolerance)


def assert_agreement(f, arrays, dtype, sizes, tolerance):
    """The results by the interpreter, after those by numpy were held against them."""
    types = {name: t.dtype or dtype for name, t in f.program.tensors.items()}
    arrays = {name: np.asarray(a, types[name]) for name, a in arrays.items()}
    expected = Runners(f.program).run("interpreter", dtype, arrays, sizes)
    found = Runners(f.program).run("numpy", dtype, arrays, sizes)
    for name, y in expected.items():
        x = found[name]
        assert x.dtype == y.dtype, name
        assert x.shape == y.shape, name
        tol = tolerance or (1e-12 if y.dtype == np.float64 else 1e-5)
        scale = np.max(np.abs(y), initial=1, where=np.isfinite(y))
        np.testing.assert_allclose(x, y, rtol=tol, atol=tol * scale, err_msg=f"{f}: {name}")
    return [expected[name] for name in f.outputs]


SIZES = {"N": 5, "M": 4, "K": 3}

# fmt: off
FORMS = {
    # without reductions
    "a copy":                         "input x[N]\ny[i] = x[i]",
    "a constant":                     "input x[N]\ny[i: N] = 3",
    "an outer product":               "input x[N], z[M]\ny[i, j] = x[i]*z[j]",
    "a transpose":                    "input x[N, M, K]\ny[i, j, k] = x[j, k, i]",
    "an offset":                      "input x[N + 2]\ny[i: N] = x[i + 2]",
    "a stride":                       "input x[2*N + 1]\ny[i: N] = x[2*i + 1]",
    "a negative stride":              "input x[3*N]\ny[i: N] = x[3*N - 1 - 3*i]",
    "a diagonal":                     "input x[N, N]\ny[i] = x[i, i]",
    "an antidiagonal":                "input x[N, N]\ny[i: N] = x[i, N - 1 - i]",
    "two indices in a subscript":     "input x[N + M]\ny[i: N, j: M] = x[i + j]",
    "a number as subscript":          "input x[N, M]\ny[i: N] = x[i, 2] + x[N - 1, 0]",
    "indices as values":              "input x[N]\ny[i] = x[i]*(i + 2*N)/(N - i)",
    "a choice by indices":            "input x[N, N]\ny[i, j] = if i < j then x[i, j] else -x[j, i]",
    "a choice by congruence":         "input x[N]\ny[i] = if i % 3 = 1 then x[i] else x[i]**2",
    "a choice by values":             "input x[N]\ny[i] = if x[i] < 0.5 then x[i]**2 else exp(x[i])",
    "nested choices":                 "input x[N]\ny[i] = if i < 3 and x[i] > 0.4 then x[i + 1] else (if i = 4 or x[i] > 0.6 then x[i] else 0)",
    "a choice by sizes":              "input x[N]\ny[i] = if N > 7 then x[7] else x[i]",
    "derived indices":                "input x[N, 2]\ny[i: 2*N] = x[i // 2, i % 2]",
    "derived of derived":             "input x[N]\ny[i: 12*N] = x[(i // 3) // 4]",
    "padding":                        "input x[N]\ny[i: N] = x[pad(i - 2)] + x[pad(2*i + 1, -1)]",
    "padding backwards":              "input x[N]\ny[i: N + 3] = x[pad(N + 1 - 2*i, 7)]",
    "padding twice":                  "input x[N, M]\ny[i: N, j: M] = x[pad(i - 1), pad(j + 1, 2)]",
    "clamped":                        "input x[N]\ny[i: N] = x[clamp(3*i - 4)]",
    "periodic":                       "input x[5]\ny[i: 11] = x[wrap(i - 3)]",
    "mirrored":                       "input x[5]\ny[i: 11] = x[reflect(i - 3)] + x[symmetric(i - 3)]",
    "a scalar":                       "input x\ny = exp(x)*x",
    "a scalar beside arrays":         "input x[N], a\ny[i] = a*x[i]",
    "statements in a row":            "input x[N]\ns = sum{i} x[i]\nt[i: N] = x[i]/s\ny[i: N] = t[i]*t[N - 1 - i]\noutput y, s",
    # reductions
    "a sum":                          "input x[N]\ny = sum{i} x[i]",
    "sum, product, extremes":         "input x[N, M]\na[i] = sum{j} x[i, j]\nb[i] = prod{j} x[i, j]\nc[j] = max{i} x[i, j]\nd = min{i, j} x[i, j]",
    "mean and logsumexp":             "input x[N, M]\ny[i] = mean{j} x[i, j] + logsumexp{j} x[i, j]",
    "a matrix product":               "input x[N, K], z[K, M]\ny[i, j] = sum{k} x[i, k]*z[k, j]",
    "a product with a transpose":     "input x[N, K], z[M, K]\ny[j, i] = -2*(sum{k} x[i, k]*z[j, k])",
    "a matrix and a vector":          "input x[N, K], z[N]\ny[k] = sum{i} z[i]*x[i, k]",
    "an inner product":               "input x[N], z[N]\ny = sum{i} x[i]*z[i]",
    "a trace":                        "input x[N, N], z[N, N]\ny = sum{i} x[i, i]*z[i, i]",
    "a batch of products":            "input x[M, N, K], z[M, K, N]\ny[b, i, j] = sum{k} x[b, i, k]*z[b, k, j]",
    "three factors":                  "input x[N, K], z[M, K], w[K]\ny[i, j] = sum{k} x[i, k]*z[j, k]*w[k]",
    "a square":                       "input x[N, K]\ny[i] = sum{k} x[i, k]**2/4",
    "a sum beside others":            "input x[N, K], z[K, M], b[M]\ny[i, j] = tanh(b[j] + sum{k} x[i, k]*z[k, j])*b[j]",
    "a computed factor":              "input x[N, K], z[K, M]\ny[i, j] = sum{k} exp(x[i, k])*z[k, j]",
    "a factor without the index":     "input x[N], z[M]\ny[i] = sum{j, k=0..2} x[i]*z[j]",
    "what depends on no index":       "input x[N]\ny[i] = sum{j: 4} x[i]",
    "a distance":                     "input x[N, K], z[M, K]\ny[i, j] = exp(-sum{k} (x[i, k] - z[j, k])**2)",
    "max-plus":                       "input x[N, K], z[K, M]\ny[i, j] = max{k} (x[i, k] + z[k, j])",
    "a convolution":                  "input x[N, M, 9], w[K, M, 3]\ny[n, o, p] = sum{c, r} x[n, c, p + r]*w[o, c, r]",
    "a strided convolution":          "input x[2*N + K], w[K]\ny[i: N] = sum{k} x[2*i + k]*w[k]",
    "a flipped convolution":          "input x[N + K], w[K]\ny[i: N] = sum{k} x[i + k]*w[K - 1 - k]",
    "a padded convolution":           "input x[N], w[K]\ny[i: N] = sum{k} x[pad(i + k - 1)]*w[k]",
    "a pooling":                      "input x[2*N]\ny[i: N] = max{k: 2} x[2*i + k]",
    "a triangular sum":               "input x[N, N], z[N]\ny[i] = sum{j=0..i} x[i, j]*z[j]",
    "a triangular sum of differences":"input x[N]\ny[i] = sum{j | j < i} tanh(x[i] - x[j])",
    "a triangle inside a sum":        "input x[N, N]\ny = sum{i, j | i <= j} x[i, j]**2",
    "two triangles":                  "input x[N, N], z[N, N]\ny[i, j] = sum{k | k <= i and j <= k} x[i, k]*z[k, j]",
    "a band":                         "input x[9, 9]\ny[i] = sum{j=max(0, i - 1)..min(8, i + 1)} exp(x[i, j])",
    "a band of products":             "input x[40, 40], z[40]\ny[i] = sum{j=max(0, i - 1)..min(39, i + 1)} x[i, j]*z[j]",
    "a slanted band":                 "input x[20]\ny[i: 9] = sum{j=2*i..2*i + 2} exp(x[j])",
    "a sum by congruence":            "input x[N, N]\ny[i] = sum{j | (i + 2*j) % 3 = 1} x[i, j]",
    "a sum over an equality":         "input x[N, N], z[9]\ny[k: 9] = sum{i: N, j: N | i + j = k} x[i, j]*z[i + j]",
    "a sum under a condition on values": "input x[N, M]\ny[i] = sum{j | x[i, j] > 0.5} exp(x[i, j])",
    "a choice inside a sum":          "input x[N, M], z[M]\ny[i] = sum{j} (if j <= i then x[i, j] else z[j]**2)*z[j]",
    "a choice around a sum":          "input x[N, M], z[M]\ny[i] = if i % 2 = 0 then sum{j} x[i, j]*z[j] else 1",
    "sums of sums":                   "input x[N, M]\ny = sum{i} sum{j=0..min(i, M - 1)} x[i, j]",
    "a maximum inside a sum":         "input x[N, K], z[M, K]\ny[i] = sum{j} x[i, j % 3]*max{k} (z[j, k] + x[i, k])",
    "three levels":                   "input x[N, M], z[M, K]\ny[i] = sum{j} x[i, j]*max{k} (z[j, k] + prod{l: K | l <= k} z[j, l]*x[i, l])",
    "a shared reduction":             "input x[N, M]\ny[i] = (sum{j} x[i, j]**3) + exp(-(sum{j} x[i, j]**3))",
    "one index name, two sums":       "input x[N], z[M]\ny = (sum{k} x[k])*(sum{k} z[k])",
    "a derived index in a sum":       "input x[N, 2], z[2*N]\ny = sum{k} x[k // 2, k % 2]*z[k]",
    "a derived index of one value":   "input x[N]\ny = sum{k: 1, i} x[i]*((3*k + N - 1) // 4)",
    "an empty sum":                   "input x[N], z[N]\ny[i] = sum{j=2..1} x[i]*z[j]",
    "sums that are empty at some points": "input x[N], z[N]\ny[i] = (sum{j=i + 1..N - 1} x[j]*z[i]) + prod{j=i + 2..N - 1} x[j]",
    "an empty maximum":               "input x[N]\ny[i: N] = if i > 0 then max{j | j < i} x[j] else 0",
    "loops that no point reaches":    "input x[2, 6], z[2, 6]\ny[l: 11, i: 6] = sum{j=2*l - 2..2*l - 1 | 5*j <= i and i <= 4*j + 1} x[j, i]*z[j, 5 - i]",
}
# fmt: on


def form(name):
    text = FORMS[name]
    used = [s for s in SIZES if s in text.replace("input", "")]
    return "".join(f"size {s}\n" for s in used) + text


@pytest.mark.plain(name=60)
@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_what_the_interpreter_says_whichever_way_it_goes(name, way):
    text = form(name)
    arrays = random_arrays(compiled(text), SIZES)

    assert_like_the_interpreter(text, arrays, sizes=SIZES)


@pytest.mark.parametrize("name", FORMS)
def test_a_form_is_what_the_interpreter_says_in_float32(name):
    text = form(name)
    arrays = random_arrays(compiled(text), SIZES)

    assert_like_the_interpreter(text, arrays, "float32", SIZES)


@pytest.mark.plain(name=60)
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize(
    "sizes",
    [
        (1, 1, 1),
        (0, 1, 2),
        (2, 1, 0),
        pytest.param((2, 0, 1), marks=pytest.mark.slow),
        pytest.param((1, 4, 1), marks=pytest.mark.slow),
        pytest.param((4, 1, 2), marks=pytest.mark.slow),
    ],
)
def test_extents_of_0_and_1_are_extents_like_others(name, sizes):
    text = form(name)
    numbers = dict(zip(SIZES, sizes, strict=True))
    arrays = random_arrays(compiled(text), numbers)

    try:
        compiled(text)(**arrays, **{n: numbers[n] for n in compiled(text).program.sizes})
    except (tadc.RangeError, tadc.ShapeError):
        pytest.skip("the form needs larger extents")
    assert_like_the_interpreter(text, arrays, sizes=numbers)


# ---- what is not read


def masked(shape, *places, value):
    array = np.ones(shape)
    for place in places:
        array[place] = value
    return array


# fmt: off
UNREAD = {
    "the branch not taken":     ("input x[4], z[4]\ny[i] = if i < 2 then x[i] else 1/z[i]", {"x": (4,), "z": (4,)}, {"x": [2, 3], "z": [0, 1]}),
    "a triangle":               ("input x[4, 4], z[4]\ny[i] = sum{j | j <= i} x[i, j]*z[j]", {"x": (4, 4), "z": (4,)}, {"x": [(0, 1), (0, 3), (2, 3)], "z": []}),
    "a triangle of a maximum":  ("input x[4, 4]\ny[i] = max{j | j <= i} x[i, j]", {"x": (4, 4)}, {"x": [(0, 1), (0, 3), (2, 3)]}),
    "a triangle of a product":  ("input x[4, 4]\ny[i] = prod{j | j <= i} x[i, j]", {"x": (4, 4)}, {"x": [(0, 1), (0, 3), (2, 3)]}),
    "a triangle of functions":  ("input x[4, 4]\ny[i] = sum{j | j <= i} exp(x[i, j])", {"x": (4, 4)}, {"x": [(0, 1), (0, 3), (2, 3)]}),
    "a band":                   ("input x[9, 9]\ny[i] = sum{j=max(0, i - 1)..min(8, i + 1)} exp(x[i, j])", {"x": (9, 9)}, {"x": [(0, 2), (8, 0), (4, 6)]}),
    "a congruence":             ("input x[6], z[6]\ny = sum{i | i % 2 = 0} x[i]*z[i]", {"x": (6,), "z": (6,)}, {"x": [1, 5], "z": [3]}),
    "an Iverson bracket":       ("input x[5]\ny[i: 5] = [1 <= i and i < 4] * x[i]", {"x": (5,)}, {"x": [0, 4]}),
    "beyond a padded end":      ("input x[5]\ny[i: 3] = x[pad(2*i - 1)]", {"x": (5,)}, {"x": [0, 2, 4]}),
    "a condition on values":    ("input x[4], z[4]\ny = sum{i | x[i] < 2} x[i]*z[i]", {"x": (4,), "z": (4,)}, {"x": [], "z": []}),
}
# fmt: on


@pytest.mark.parametrize("value", [nan, inf])
@pytest.mark.parametrize("name", UNREAD)
def test_what_is_not_read_does_not_leak(name, value, way):
    text, shapes, places = UNREAD[name]
    arrays = {n: masked(shape, *places[n], value=value) for n, shape in shapes.items()}

    assert np.all(np.isfinite(tadc.compile(text, backend="numpy")(**arrays)))
    assert_like_the_interpreter(text, arrays)


def test_a_value_that_fails_its_condition_does_not_leak(way):
    x, z = np.array([1.0, 5.0, nan, 0.5]), np.array([2.0, inf, nan, 4.0])

    y = tadc.compile("y = sum{i | x[i] < 2} x[i]*z[i]", backend="numpy")(x, z)

    assert y == 4


def test_an_infinite_factor_stays_in_its_sum(way):
    f = tadc.compile("y = sum{i} inf*x[i]*z[i]", backend="numpy")

    np.testing.assert_equal(f(np.array([1.0, 2.0]), np.array([1.0, -1.0])), nan)
    np.testing.assert_equal(f(np.zeros(0), np.zeros(0)), 0)


# ---- element types


# fmt: off
MIXED = {
    "double results of single inputs": "input x[N, K]: float32, z[K, M]: float32\ny[i, j]: float64 = sum{k} x[i, k]*z[k, j]",
    "single results of double inputs": "input x[N, K]: float64, z[K, M]: float64\ny[i, j]: float32 = sum{k} exp(x[i, k])*z[k, j]",
    "a product of both":               "input x[N, K]: float32, z[K, M]: float64\ny[i, j] = sum{k} x[i, k]*z[k, j]",
    "both in a convolution":           "input x[N + K]: float32, z[K]: float64\ny[i: N] = sum{k} x[i + k]*z[K - 1 - k]",
    "a fill that float32 rounds":      "input x[N]: float32\ny[i: N]: float64 = x[pad(i - 1, 0.1)]",
    "a single statement in between":   "input x[N]: float64\ns[i: N]: float32 = x[i]/3\ny[i: N]: float64 = s[i]*3",
    "both in a comparison":            "input x[N]: float32, z[N]: float64\ny[i] = if x[i] < z[i] then x[i] else z[i]",
}
# fmt: on


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", MIXED)
def test_declared_types_mix_as_in_the_interpreter(name, dtype, way):
    text = "".join(f"size {s}\n" for s in SIZES if s in MIXED[name].replace("input", ""))
    text += MIXED[name]
    f = compiled(text)
    singles = any("float32" in (t.dtype or dtype) for t in f.program.tensors.values())

    arrays = random_arrays(f, SIZES)
    assert_like_the_interpreter(text, arrays, dtype, SIZES, 1e-5 if singles else 1e-12)


def test_a_fill_keeps_the_digits_that_its_tensor_has_not():
    text = "input x[3]: float32\ny[i: 3]: float64 = x[pad(i - 1, 0.1)]"

    y = tadc.compile(text, backend="numpy")(np.zeros(3, np.float32))

    assert y.tolist() == [0.1, 0, 0]


# ---- scalar functions


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_function_is_spelled_so_that_numpy_computes_the_tables_value(name, dtype):
    if name in OPERATORS | {"detached"}:
        pytest.skip("the language writes it otherwise")
    row = FUNCTIONS[name]
    points = [-2.5, -1.0, -0.5, -0.0, 0.0, 0.3, 1.0, 1.5, 2.0, 40.0, inf, -inf, nan]
    a, b = (v.ravel().astype(dtype) for v in np.meshgrid(points, points))
    if name == "polygamma":
        text, arrays = "y[i] = polygamma(2, a[i])", [a]
    elif row.arity == 2:
        text, arrays = f"y[i] = {name}(a[i], b[i])", [a, b]
    else:
        text, arrays = f"y[i] = {name}(a[i])", [a]

    y = tadc.compile(text, backend="numpy")(*arrays)

    with np.errstate(all="ignore"):
        expected = row.value(*([2, a] if name == "polygamma" else arrays))
    assert y.dtype == dtype
    np.testing.assert_allclose(y, expected, rtol=1e-6 if dtype == "float32" else 1e-14)


@pytest.mark.parametrize(
    "constant",
    [
        "2**3 + 0**0 + 2**(-1)",
        "(-8)**(1/3)",
        "1/0 - 2",
        "exp(1) + atan2(1, 2) + hypot(3, 4)",
        "max(1, 2) - min(1, 2) + fmod(5, 3)",
        "relu(-1) + sigmoid(0) + gelu(1) + gate(0, inf)",
        "(if 1 < 2 then 3 else nan)",
        "3 - (2 - 1) - -2/(4/2)",
        "-2**2 + (-2)**2",
    ],
)
def test_constants_alone_are_computed_in_the_element_type(constant):
    assert_like_the_interpreter(f"input x[3]\ny[i] = x[i] + {constant}", {"x": np.ones(3)})


# ---- the text


def numpy_text(text, **options):
    return tadc.compile(text, **options).source("numpy")


def adjoint_text(text, **options):
    return tadc.compile(text, **options).adjoint().source("numpy")


def test_a_matrix_product_and_its_gradients_are_products_of_matrices():
    text = "y[i,j] = sum{k} x[i,k] * z[k,j]"

    assert "y = np.empty((N, M), np.float32)\n    y[...] = np.dot(x, z)" in numpy_text(
        "size N, K, M\ninput x[N,K], z[K,M]\n" + text
    )
    assert adjoint_text(text).count("np.dot(") == 2


def test_a_convolution_is_a_contraction_for_each_of_its_taps():
    text = "y[n,o,p] = sum{c, r} x[n,c,p+r] * w[o,c,r]"

    for emitted in (numpy_text(text), adjoint_text(text)):
        assert "for r in range(R):" in emitted
        assert "np.einsum(" in emitted or "np.tensordot(" in emitted
        assert "arange" not in emitted


@pytest.mark.parametrize(
    ("subscripts", "result", "expected"),
    [
        (("ik", "kj"), "ij", "np.dot(a, b)"),
        (("ki", "kj"), "ij", "np.dot(a.T, b)"),
        (("ik", "jk"), "ji", "np.dot(b, a.T)"),
        (("k", "k"), "", "np.dot(a, b)"),
        (("bik", "kj"), "bij", "np.tensordot(a, b, ((2,), (0,)))"),
        (("bik", "bkj"), "bij", 'contraction("bik,bkj->bij", a, b)'),
        (("kk", "k"), "", 'contraction("kk,k->", a, b)'),
        (("i", "j"), "ij", 'np.einsum("i,j->ij", a, b, optimize=True)'),
    ],
)
def test_a_contraction_is_written_as_the_plainest_call_that_it_is(subscripts, result, expected):
    assert contracted(["a", "b"], subscripts, result) == expected


def test_a_contraction_of_any_two_arrays_is_einsums():
    random = np.random.default_rng(0)
    extents = {"i": 2, "j": 3, "k": 4, "l": 5}
    for s in ("ik", "kl", "kil", "i", "lk"):
        for t in ("kj", "lk", "kjl", "j", "l"):
            a, b = (random.uniform(size=[extents[c] for c in u]) for u in (s, t))
            for result in {"".join(sorted({*s} ^ {*t})), "".join(sorted({*s} ^ {*t}))[::-1]}:
                text = contracted(["a", "b"], [s, t], result)
                value = eval(text, {"np": np, "a": a, "b": b})
                np.testing.assert_allclose(value, np.einsum(f"{s},{t}->{result}", a, b), 1e-12)


def test_a_sum_over_many_indices_is_planned():
    letters = "abcdefghijkl"
    pairs = [a + b for a, b in zip(letters, letters[1:] + letters[:1], strict=True)]
    body = " * ".join(f"x_{p}[{', '.join(p)}]" for p in pairs)
    f = tadc.compile(f"y = sum{{{', '.join(letters)}}} {body}", backend="numpy")
    arrays = [np.random.default_rng(k).uniform(size=(2, 2)) for k in range(len(pairs))]

    expected = np.einsum(f"{','.join(pairs)}->", *arrays, optimize=True)
    np.testing.assert_allclose(f(*arrays), expected, 1e-12)
    assert f.adjoint().source("numpy")


def test_the_module_holds_the_functions_that_it_calls_and_no_others():
    plain = numpy_text("y[i] = x[i]*2")
    special = numpy_text("y[i] = lgamma(x[i]) + relu(x[i])")

    assert "import numpy as np\n" in plain
    assert "special" not in plain
    assert "def relu" not in plain
    assert "from scipy import special" in special
    assert "def relu" in special
    assert "def gelu" not in special


def test_the_text_alone_is_a_module_that_computes():
    module = {}
    exec(
        numpy_text("input x[3]\ny[i] = sum{k=0..i} x[k]*x[i]", dtype="float64", name="scan"), module
    )

    (y,) = module["scan_primal"]([1.0, 2.0, 3.0])

    assert y.tolist() == [1, 6, 18]


def test_the_same_program_has_the_same_text():
    for name in ("a padded convolution", "three levels", "a band of products"):
        text = form(name)
        assert adjoint_text(text) == adjoint_text(text)


def test_names_that_mean_something_in_python_are_ordinary_names():
    of_the_language = {"if", "not", "inf", "nan", "pi", "size", "input", "output", "base"}
    names = sorted({*keyword.kwlist, *reserved(), "é", "run", "self"} - of_the_language)
    names = [n for n in names if not n.startswith("_")]
    statements = [f"{n}[i: N] = {k}*x[i]" for k, n in enumerate(names)]
    total = " + ".join(f"{n}[k]*x[i]" for n in names)
    text = "\n".join(["size N", "input x[N]", *statements, f"y[i: N] = sum{{k=0..i}} ({total})"])
    f = tadc.compile(text, backend="numpy")
    x = np.array([0.5, -1.0, 2.0])

    factor = sum(range(len(names)))
    np.testing.assert_allclose(f(x), factor * x * np.cumsum(x), 1e-12)
    gradient = factor * (np.cumsum(x) + np.cumsum(x[::-1])[::-1])
    np.testing.assert_allclose(f.adjoint()(x, np.ones(3)), gradient, 1e-12)


def test_names_of_inputs_sizes_and_indices_may_be_numpys():
    text = "size range\ninput np[range]\nzeros[print: range] = sum{dot=0..print} np[dot]*range"

    assert_like_the_interpreter(text, {"np": np.array([0.5, -1.0, 2.0])})


def test_an_output_may_be_an_input_of_that_name_too():
    text = "size N\ninput x[N]\ny[i] = 2*x[i]\noutput x, y"

    assert_like_the_interpreter(text, {"x": np.array([0.5, -1.0, 2.0])})


def test_a_sum_of_hundreds_of_terms_and_a_nest_of_a_hundred_are_ordinary_programs():
    x = np.array([0.5, -1.0, 2.0])
    terms = " + ".join(f"x[i]*{k}" for k in range(500))
    nest = "sin(1 + " * 100 + "x[i]" + ")" * 100

    y = tadc.compile(f"y[i] = {terms}", backend="numpy")(x)

    np.testing.assert_allclose(y, x * sum(range(500)), 1e-12)
    assert_like_the_interpreter(f"y[i] = {nest}", {"x": x})


def test_an_argmin_of_sums_compares_the_sums_that_were_stored():
    f = tadc.compile(
        "input x[N,D], c[K,D]\nz[n] = argmin{k} (sum{d} (x[n,d] - c[k,d])**2)", backend="numpy"
    )
    rng = np.random.default_rng(0)
    x, c = rng.normal(size=(200, 5)), rng.normal(size=(7, 5))

    expected = ((x[:, None] - c) ** 2).sum(-1).argmin(1)

    np.testing.assert_array_equal(f(x, c), expected)


@pytest.mark.parametrize("n", [32, 33, 100])
def test_a_number_is_summed_over_any_number_of_turns(n):
    f = tadc.compile("y = sum{i, j | j <= i} x[i]*w[j]*v[i,j]*u[i+j]", backend="numpy", dtype="float64")  # fmt: skip
    x, w = np.random.default_rng(0).random((2, n))
    v, u = np.random.default_rng(1).random((n, n)), np.random.default_rng(2).random(2 * n - 1)
    y, pullback = f.vjp(x=x, w=w, v=v, u=u)

    terms = np.tril(x[:, None] * w * v * u[np.add.outer(np.arange(n), np.arange(n))])
    np.testing.assert_allclose(y, terms.sum(), rtol=1e-14)
    np.testing.assert_allclose(pullback(2.0)["x"], 2 * terms.sum(1) / x, rtol=1e-13)
