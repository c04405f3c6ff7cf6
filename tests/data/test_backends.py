"""Reads through data on the other backends: numpy, kernels of a GPU on the host, and OpenCL."""

import numpy as np
import pytest

import tadc
from tadc.runtime.index import lists_of
from tadc.runtime.opencl.arrays import devices
from tadc.schedule.rewrite.lists import listed
from tests.data.examples import EXAMPLES

# The double of CuPy compiles each kernel.
PLAIN = ("message passing",)


def chosen(names, plain):
    return [n if n in plain else pytest.param(n, marks=pytest.mark.slow) for n in names]


def assert_example(name, backend, placed=np.array):
    """The example's value and gradients by this backend, of arrays that `placed` makes of numpy's."""
    text, given, value, cotangent, gradients = EXAMPLES[name]
    f = tadc.compile(text, backend=backend)
    arrays = {n: placed(np.array(a)) for n, a in given.items()}
    kept = {n: tadc.index(a) if n in f.index_inputs else a for n, a in arrays.items()}
    for passed in (arrays, kept):
        y, pullback = f.vjp(**passed)
        assert type(y) is type(placed(np.zeros(1)))
        np.testing.assert_allclose(_numbers(y), value, rtol=1e-12)
        found = pullback(placed(np.array(cotangent)))
        for x, expected in gradients.items():
            np.testing.assert_allclose(_numbers(found[x]), expected, rtol=1e-12, atol=1e-15)


def _numbers(array):
    return array.get() if hasattr(array, "get") else array


@pytest.mark.parametrize("name", EXAMPLES)
def test_numpy_has_the_examples(name):
    assert_example(name, "numpy")


@pytest.mark.compiler
@pytest.mark.parametrize("name", chosen(EXAMPLES, PLAIN))
def test_kernels_of_a_gpu_have_the_examples(name, xp):
    assert_example(name, "cuda", xp.asarray)


@pytest.mark.skipif(not devices(), reason="there is no device of OpenCL")
@pytest.mark.parametrize("name", chosen(EXAMPLES, PLAIN))
def test_opencl_has_the_examples(name):
    assert_example(name, "opencl")


EDGES = [
    ("size N\ny[i: N] = sum{e | k[e] + 5 = i} w[e]", {"k": [-5, -4, 0, 9, -100], "w": [1.0, 2, 4, 8, 16], "N": 6}, [1, 2, 0, 0, 0, 4]),
    ("y[i: 3] = sum{e | k[e] = i} w[e]", {"k": [7, 8, 9], "w": [1.0, 2, 3]}, [0, 0, 0]),
    ("size N\ny[i: N] = sum{e | k[e] = i} w[e]", {"k": [], "w": [], "N": 1}, [0]),
    ("y[i] = sum{m} [m = k[i]]*x[m]", {"k": [2.5, 1.0, 7.0], "x": [10.0, 20, 30]}, [0, 20, 0]),
    ("y[i] = sum{m} [m = k[i]]*x[m]", {"k": [2, 1, 7], "x": [10.0, 20, 30]}, [30, 20, 0]),
    ("y[i] = x[wrap(k[i])]; input x[4]", {"k": [-1, 5, 2**31], "x": [1.0, 2, 3, 4]}, [4, 2, 1]),
    ("y[i: 3] = prod{e | k[e] = i} w[e]", {"k": [1, 1, 0], "w": [2.0, 3, 4]}, [4, 6, 1]),
    ("y[i: 3] = mean{e | k[e] = i} w[e]", {"k": [1, 1, 0], "w": [2.0, 3, 4]}, [4, 2.5, np.nan]),
    ("y[i,j: 3] = sum{e | t[e] <= s[i]} w[e]*j", {"t": [1, 2], "s": [0, 1, 5], "w": [1.0, 2]}, [[0, 0, 0], [0, 1, 2], [0, 3, 6]]),
    ("input d[E]: index; y[i: 2, j] = sum{e | d[e] = 0} u[j]", {"d": [0, 0, 1], "u": [1.0, 2]}, [[2, 4], [2, 4]]),
    ("input d[E]: index; y[i: 2, j] = sum{e | d[e] = 0} max{f | d[f] = d[e]} u[j]", {"d": [0, 0, 0, 1], "u": [1.0, 2, 4]}, [[3, 6, 12], [3, 6, 12]]),
    ("input d[E]: index, m[1]: index; y[i] = sum{e | d[e] = m[0]} w[i]", {"d": [0, 0, 0], "m": [0], "w": [1.0, 2, 4]}, [3, 6, 12]),
    (
        # Two sums whose ranges are empty for the same reason.
        "input m[3]: 0..2; y[i: 3] = sum{f | m[m[0]] = 0 and d[f] = i} w[f] + 2*sum{g | m[m[0]] = 0 and d[g] = i + 1} w[g]",
        {"d": [0, 1, 1], "m": [1, 0, 2], "w": [1.0, 2, 4]}, [13, 6, 0],
    ),
    ("y[i: 2, j] = sum{e | d[e] = i} w[j]", {"d": [0, 1], "w": []}, np.zeros((2, 0))),
    ("y[i: 2] = sum{e, a | ends[a, e] = i} w[e]; input ends[2, E]: index", {"ends": np.zeros((2, 0), int), "w": []}, [0, 0]),
    ("base 1\nsize N\ny[i: N] = sum{e | d[e] = i} w[e]", {"d": [1, 2, 0], "w": [1.0, 2, 4], "N": 2}, [1, 2]),
]  # fmt: skip


@pytest.mark.compiler
@pytest.mark.plain(backend=1)
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize(("text", "given", "expected"), EDGES)
def test_what_is_at_the_edge_is_right(text, given, expected, backend):
    np.testing.assert_array_equal(tadc.compile(text, backend=backend)(**given), expected)


def test_numpy_sums_long_lists_accurately_and_in_pieces():
    rng = np.random.default_rng(0)
    lengths = [0, 1, 511, 512, 513, 512**2 + 1, 3]
    k = rng.permutation(np.repeat(np.arange(len(lengths)), lengths))
    w = rng.random(len(k), dtype=np.float32)
    f = tadc.compile("y[i: 7] = sum{e | k[e] = i} w[e]", backend="numpy")

    expected = np.bincount(k, w.astype(float), 7)
    np.testing.assert_allclose(f(k=k, w=w), expected, rtol=3e-6)
    np.testing.assert_array_equal(f(k=k, w=w), f(k=tadc.index(k), w=w))


@pytest.mark.parametrize("backend", ["numpy", "cuda"])
def test_an_element_that_leads_outside_is_named_on_every_backend(backend, xp):
    f = tadc.compile("y[e] = x[src[e]]", backend=backend)
    src, x = np.array([0, 7, -1]), np.zeros(5)
    if backend == "cuda":
        src, x = xp.asarray(src), xp.asarray(x)
    with pytest.raises(tadc.DataError) as caught:
        f(src=src, x=x)
    assert (caught.value.tensor, caught.value.index, caught.value.value) == ("src", (1,), 7)
    nan = tadc.compile("y[e] = x[src[e]]", backend=backend, bounds="nan")(src=src, x=x)
    assert type(nan) is type(x)
    assert np.isnan(_numbers(nan)).all()


def test_lists_of_an_index_are_built_and_copied_to_a_gpu_once(xp, monkeypatch):
    copied, made = [], []
    asarray, kept = xp.asarray, tadc.Index.kept
    monkeypatch.setattr(xp, "asarray", lambda a, *t: (copied.append(a), asarray(a, *t))[1])

    def counted(self, key, make, others=()):
        return kept(self, key, lambda: (made.append((self, key[0])), make())[1], others)

    monkeypatch.setattr(tadc.Index, "kept", counted)
    text, given, value, cotangent, gradients = EXAMPLES["message passing"]
    f = tadc.compile(text, backend="cuda")
    k = {n: tadc.index(given[n]) for n in ("dst", "src")}
    w, x, dy = (asarray(np.array(a)) for a in (given["w"], given["x"], cotangent))
    for _ in range(3):
        y, pullback = f.vjp(**k, w=w, x=x)
        np.testing.assert_array_equal(_numbers(y), value)
        for name, found in pullback(dy).items():
            np.testing.assert_array_equal(_numbers(found), gradients[name])
    for _ in range(2):
        f.adjoint("x").tangent("w")(**k, w=w, x=x, dy=dy, dw=w)
    hosts = [a for a in copied if not isinstance(a, xp.ndarray)]
    assert len({id(a) for a in hosts}) == len(hosts) > 0
    lists = [of for of, what in made if what == "sorted"]
    assert len(set(lists)) == len(lists) == 2


@pytest.mark.parametrize(
    ("text", "names", "shape"),
    [
        ("y[i: N] = sum{e | p[e] = i} w[e]", "p", 40),
        ("y[i: N] = sum{e | p[e] + 2 = i} w[e]", "p", 0),
        ("y[i: N] = sum{a, b | p[a, b] = i} w[a, b]", "p", (8, 5)),
        ("y[i: N, j: N] = sum{e | p[e] = i and q[e] = j} w[e]", "pq", 40),
    ],
)
def test_a_gpu_sorts_lists_as_the_host_does(double, text, names, shape):
    rng = np.random.default_rng(0)
    indices = {n: tadc.index(rng.integers(-2, 8, shape)) for n in names}
    f = tadc.compile(f"size N = 6\n{text}")
    made = listed(f.program).lists
    sizes = {"N": 6, **dict.fromkeys(f.sizes, 6)}
    (host,), (gpu_,) = (lists_of(made, indices, sizes, 10**6, 1, d) for d in (None, 1))
    assert all(isinstance(a, double.ndarray) and a.device.id == 1 for a in gpu_.positions)
    np.testing.assert_array_equal(gpu_.begin, host.begin)
    for one, other in zip(gpu_.positions, host.positions, strict=True):
        np.testing.assert_array_equal(_numbers(one), other)
        assert one.dtype == other.dtype
    for k in indices.values():
        np.testing.assert_array_equal(_numbers(gpu_.in_order(k, 1)), host.in_order(k, 1))


class CsrMatrix:
    """A double of CuPy's class."""

    def __init__(self, arrays, shape, copy=False):
        self.data, self.indices, self.indptr = arrays
        self.shape, self.format = shape, "csr"

    def tocoo(self):
        raise AssertionError("it has the layout of the program")


CsrMatrix.__module__ = "cupyx.scipy.sparse._csr"


def test_sparse_arrays_of_cupy_have_gradients_of_their_class(xp):
    arrays = (np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1]), np.array([0, 2, 3]))
    a = CsrMatrix([xp.asarray(v) for v in arrays], (2, 3))
    x, dy = xp.asarray(np.array([1.0, 2.0, 3.0])), xp.asarray(np.array([1.0, 10.0]))
    f = tadc.compile("input A[N, M]: csr\ny[i] = sum{j} A[i,j]*x[j]", backend="cuda")
    y, pullback = f.vjp(a, x)
    gradients = pullback(dy)

    assert _numbers(y).tolist() == [7, 6]
    assert type(gradients["A"]) is CsrMatrix
    assert _numbers(gradients["A"].data).tolist() == [1, 3, 20]
    assert _numbers(gradients["x"]).tolist() == [1, 30, 2]


def test_numpy_checks_what_is_trusted_elsewhere():
    f = tadc.compile("y[e] = x[src[e]]", backend="numpy", bounds="trust")
    with pytest.raises(tadc.DataError):
        f(src=[5], x=[1.0])


@pytest.mark.slow
@pytest.mark.compiler
def test_native_code_and_kernels_have_the_same_bits_whatever_the_lists(xp):
    rng = np.random.default_rng(0)
    k = rng.permutation(np.repeat(np.arange(6), [0, 1, 511, 512, 513, 3000]))
    w, x = rng.standard_normal(len(k)), rng.standard_normal((len(k), 5))
    text = "y[i: 40, c] = sum{e | k[e] = i} w[e]*x[e, c]"
    backends = ["cuda", *(["opencl"] if devices() else [])]
    native = tadc.compile(text, backend="native")(k=k, w=w, x=x)
    for backend in backends:
        found = tadc.compile(text, backend=backend)(k=k, w=w, x=x)
        np.testing.assert_array_equal(found, native)
