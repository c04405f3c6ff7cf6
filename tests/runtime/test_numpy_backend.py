"""Calls of the numpy backend: which arrays go in, what comes out, and what they cost."""

from __future__ import annotations

import threading
import tracemalloc
import warnings

import numpy as np
import pytest

import tadc

MIB = 2**20


def compiled(text, **options):
    return tadc.compile(text, backend="numpy", **options)


def adjoint_call(f, arrays):
    """The adjoint and its arguments, cotangents of ones."""
    values = f(**arrays)
    values = values if len(f.outputs) > 1 else (values,)
    adjoint = f.adjoint()
    names = adjoint.inputs[len(f.inputs) :]
    return adjoint, {**arrays, **{n: np.ones_like(v) for n, v in zip(names, values, strict=True)}}


def uniform(*shape):
    return np.random.default_rng(len(shape)).uniform(0.2, 0.9, shape)


# ---- what goes in

PRODUCT = "y[i,j] = sum{k} x[i,k] * z[k,j]"
LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "every second column": lambda a: np.repeat(a, 2, axis=1)[:, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "broadcast": lambda a: np.broadcast_to(a[:1], a.shape),
    "big-endian": lambda a: a.astype(">f8"),
    "lists": lambda a: a.tolist(),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("text", [PRODUCT, "y[i,j] = sum{k} exp(x[i,k] - z[k,j])"])
def test_the_layout_of_an_array_does_not_matter(text, layout):
    f = compiled(text)
    x, z = (LAYOUTS[layout](a) for a in (uniform(4, 5), uniform(5, 3)))

    np.testing.assert_allclose(f(x, z), f(*(np.array(a, np.float64) for a in (x, z))), 1e-14)


@pytest.mark.parametrize("text", [PRODUCT, "t[i] = x[i,i]\nz2[k,j] = z[k,j]\noutput t, z2, x"])
def test_read_only_arrays_are_read_and_no_array_is_changed(text):
    f = compiled(text)
    x, z = uniform(4, 4), uniform(4, 4)
    before = x.copy(), z.copy()
    for a in (x, z):
        a.flags.writeable = False

    for g, arrays in ((f, {"x": x, "z": z}), adjoint_call(f, {"x": x, "z": z})):
        g(**arrays)

    assert np.array_equal(x, before[0])
    assert np.array_equal(z, before[1])


# ---- what comes out


@pytest.mark.parametrize(
    "text",
    [
        "y[i] = x[i]",
        "input x[3]\ny[i] = x[i]\noutput x, y",
        "input x[3]\ny[i] = x[2 - i]\nz[i] = y[i]\noutput z, y, x",
        "input x[3], w\ny = w\noutput x, w",
        "y = sum{i} x[i]",
    ],
)
def test_results_are_new_dense_arrays_that_share_nothing(text):
    f = compiled(text)
    arrays = {"x": np.array([1.0, 2.0, 3.0]), "w": np.array(2.0)}
    arrays = {n: arrays[n] for n in f.inputs}

    results = f(**arrays)
    results = results if isinstance(results, tuple) else (results,)

    for k, y in enumerate(results):
        assert y.flags.c_contiguous
        assert y.flags.writeable
        assert y.flags.owndata
        assert not any(np.shares_memory(y, a) for a in (*arrays.values(), *results[:k]))


def test_a_scalar_comes_out_as_an_array_without_dimensions():
    y = compiled("y = sum{i} x[i]")(np.ones(3, np.float32))

    assert isinstance(y, np.ndarray)
    assert y.shape == ()
    assert y.dtype == np.float32


REPEATED = {
    "a product": (PRODUCT, {"x": (60, 70), "z": (70, 50)}),
    "a distance": ("y[i,j] = sum{k} (x[i,k] - z[j,k])**2", {"x": (60, 70), "z": (50, 70)}),
    "a convolution": ("y[p] = sum{r} x[p + r]*z[r]", {"x": (5000,), "z": (7,)}),
}


@pytest.mark.parametrize("name", REPEATED)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_same_call_gives_the_same_bits(name, dtype):
    text, shapes = REPEATED[name]
    f = compiled(text)
    arrays = {n: uniform(*shape).astype(dtype) for n, shape in shapes.items()}

    for g, given in ((f, arrays), adjoint_call(f, arrays)):
        first, second = g(**given), g(**{n: a.copy() for n, a in given.items()})
        first, second = (r if isinstance(r, tuple) else (r,) for r in (first, second))
        assert all(a.tobytes() == b.tobytes() for a, b in zip(first, second, strict=True))


def test_threads_may_call_one_function():
    f = compiled("y[i] = log(x[i] - 1) + sum{k=0..i} x[k]/0")
    x = uniform(1000)
    expected, found = f(x).tobytes(), []

    threads = [
        threading.Thread(target=lambda: found.extend(f(x).tobytes() for _ in range(10)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [expected] * 40


# ---- warnings

# fmt: off
WARNERS = {
    "a pole":                    "input x[3]\ny[i] = 1/x[i] + log(x[i])",
    "an overflow":               "input x[3]\ny[i] = exp(1000*(x[i] + 2))",
    "no number":                 "input x[3]\ny[i] = sqrt(x[i] - 3) + (x[i] - x[i])/0",
    "an overflow by conversion": "input x[3]: float64\ny[i]: float32 = 1e300*(x[i] + 1)",
    "a maximum of NaN":          "input x[3]\ny = max{i} sqrt(x[i] - 3)",
    "a masked pole":             "input x[3]\ny[i: 3] = sum{k | k > i} 1/x[k]",
    "scalars":                   "input x[3]\ny = 1/x[0]*0 + 2**1000*1e300*x[1]",
}
# fmt: on


@pytest.mark.parametrize("name", WARNERS)
def test_numpy_does_not_warn_whatever_the_caller_set(name):
    f = compiled(WARNERS[name])
    arrays = {"x": np.array([0.0, -1.0, 2.0])}

    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for g, given in ((f, arrays), adjoint_call(f, arrays)):
            g(**given)


# ---- memory

N = 200  # N**3 elements are 61 MiB
# fmt: off
LARGE = {
    "a distance":           ("y[i,j] = sum{k} exp(-(x[i,k] - z[j,k])**2)", {"x": (N, N), "z": (N, N)}),
    "max-plus":             ("y[i,j] = max{k} (x[i,k] + z[k,j])", {"x": (N, N), "z": (N, N)}),
    "a triangle":           ("y[i,j] = sum{k | k <= i and k <= j} x[i,k]*z[j,k]*w[k,i]", {"x": (N, N), "z": (N, N), "w": (N, N)}),
    "three sums":           ("y = sum{i,j,k} tanh(x[i] - z[j] + w[k])", {"x": (N,), "z": (N,), "w": (N,)}),
    "a short first index":  ("input x[2000], z[2000], w[2]\ny = sum{c,i,j} tanh(x[i] - z[j] + w[c])", {"x": (2000,), "z": (2000,), "w": (2,)}),
    "a short first extent": ("input x[1000], z[4000], w[2]\ny[c,i] = sum{j} tanh(x[i] - z[j] + w[c])", {"x": (1000,), "z": (4000,), "w": (2,)}),
    "a short first axis":   ("input x[2000], z[2000], w[1]\ny[c,i,j] = tanh(x[i] - z[j] + w[c])", {"x": (2000,), "z": (2000,), "w": (1,)}),
    "sums in a maximum":    ("y[i] = max{j} sum{k} tanh(x[i,k]*z[j,k])", {"x": (N, N), "z": (N, N)}),
    "a chain of factors":   ("y = sum{a,b,c} x[a,c]*u[b,c]*v[a,b]*t[c]", {"x": (N, N), "u": (N, N), "v": (N, N), "t": (N,)}),
    "a computed factor":    ("y[a,b] = sum{c} x[a,c]*u[b,c]*exp(v[a,c])", {"x": (N, N), "u": (N, N), "v": (N, N)}),
    "one long sum":         ("y = sum{i} exp(x[i])*sin(x[i])", {"x": (2**22,)}),
}
# fmt: on


@pytest.mark.parametrize("name", LARGE)
def test_no_temporary_has_the_size_of_the_iteration_space(name):
    text, shapes = LARGE[name]
    f = compiled(text)
    arrays = {n: uniform(*shape) for n, shape in shapes.items()}

    assert peak(f, arrays) < 30 * MIB + f(**arrays).nbytes


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_no_temporary_of_a_gradient_has_the_size_of_the_iteration_space(name):
    text, shapes = LARGE[name]
    adjoint, arrays = adjoint_call(
        compiled(text), {n: uniform(*shape) for n, shape in shapes.items()}
    )

    results = sum(8 * int(np.prod(shapes[n])) for n in shapes)
    assert peak(adjoint, arrays) < 64 * MIB + results


def peak(f, arrays):
    """The bytes that a call takes at most, results included; the text is there before."""
    f(**arrays)
    tracemalloc.start()
    f(**arrays)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most
