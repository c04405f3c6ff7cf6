"""What goes wrong easily where data are read: each with its value and its gradients, computed by hand."""

import numpy as np
import pytest

import tadc
from tadc.runtime.opencl.arrays import devices

NAN, INF = np.nan, np.inf

# name: text, arrays, value, cotangent, gradients
TRAPS = {
    "all keys equal": ("y[i: 3] = sum{e | d[e] = i} w[e]", {"d": [1, 1, 1], "w": [1.0, 2, 4]}, [0, 7, 0], [1.0, 10, 100], {"w": [10, 10, 10]}),
    "no edges, one node": ("size N = 1\ny[i: N] = sum{e | d[e] = i} w[e]", {"d": np.zeros(0, int), "w": np.zeros(0)}, [0], [1.0], {"w": []}),
    "8 bits, an extent beyond 127": (
        "y[e] = x[pad(k[e] + 100)]", {"k": np.array([127, -128, 9], np.int8), "x": np.arange(228.0)},
        [227, 0, 109], [1.0, 2, 3], {"x": np.bincount([227, 109], [1, 3], 228)},
    ),
    "beyond 32 bits in a sum": ("y[i] = x[clamp(k[i] + 1)]", {"k": [2**31 - 1, 0], "x": [1.0, 2, 4]}, [4, 2], [1.0, 10], {"x": [0, 10, 1]}),
    "beyond 64 bits in a multiple": ("y[i] = x[pad(2*k[i])]", {"k": [2**31, 1, 2**62], "x": [1.0, 2, 4]}, [0, 4, 0], [1.0, 10, 100], {"x": [0, 0, 10]}),
    "the same tensor at both ends": ("y[e] = x[s[e]]*x[d[e]]", {"s": [0, 1], "d": [1, 1], "x": [3.0, 5]}, [15, 25], [1.0, 10], {"x": [5, 103]}),
    "through data and directly": ("y[i] = x[k[i]] + x[i]", {"k": [1, 1, 0], "x": [1.0, 2, 4]}, [3, 4, 5], [1.0, 10, 100], {"x": [101, 21, 100]}),
    "as an index and as a number": ("y[i] = x[k[i]]*k[i]", {"k": [2, 1], "x": [1.0, 2, 4]}, [8, 2], [1.0, 10], {"x": [0, 10, 2]}),
    "a key and a test": (
        "size A = 2\ninput q[E]: 0..3\ny[a: A] = sum{e | p[e] = a and q[e] = s[a]} w[e]",
        {"p": [0, 1, 0, 0], "q": [1, 0, 3, 1], "s": [1, 0], "w": [1.0, 2, 4, 8]}, [9, 2], [1.0, 10], {"w": [1, 10, 0, 1]},
    ),
    "a key and a test, without a declared range": (
        "size A = 2\ny[a: A] = sum{e | p[e] = a and q[e] = s[a]} w[e]",
        {"p": [0, 1, 0, 0], "q": [1, 0, 3, 1], "s": [1, 0], "w": [1.0, 2, 4, 8]}, [9, 2], [1.0, 10], {"w": [1, 10, 0, 1]},
    ),
    "a key and a test, all in one sum": (
        "size A = 2\ninput q[E]: 0..3\ny = sum{e, a: A | p[e] = a and q[e] = s[a]} w[e]",
        {"p": [0, 1, 0, 0], "q": [1, 0, 3, 1], "s": [1, 0], "w": [1.0, 2, 4, 8]}, 11, 2.0, {"w": [2, 2, 0, 2]},
    ),
    "a key and a test, the other way": (
        "y[e] = sum{a | p[e] = a and q[e] = s[a]} w[e]*v[a]",
        {"p": [0, 1, 0, 0], "q": [1, 0, 3, 1], "s": [1, 0], "w": [1.0, 2, 4, 8], "v": [1.0, 3]},
        [1, 6, 0, 8], [1.0, 1, 1, 1], {"w": [1, 3, 0, 1], "v": [9, 2]},
    ),
    "a multiple of data": ("y[b: 7] = sum{i | 3*k[i] = b} w[i]", {"k": [0, 2, 0, 1], "w": [1.0, 2, 4, 8]}, [5, 0, 0, 8, 0, 0, 2], np.arange(1.0, 8), {"w": [1, 7, 1, 4]}),
    "a sum over data that is compared": (
        "y[i] = if sum{e | d[e] = k[i]} w[e] > 2 then x[i] else 3*x[i]; input d[E]: index", {"d": [1, 0, 1], "k": [0, 1], "w": [1.0, 2, 4], "x": [5.0, 7]},
        [15, 7], [1.0, 10], {"x": [3, 10], "w": [0, 0, 0]},
    ),
    "two keys in tensors of different shapes": (
        "input p[E+1]: index, q[E]: index; y[a: 2, b: 2] = sum{e: E | p[e] = a and q[e] = b} w[e]",
        {"p": [0, 1, 0, 0], "q": [1, 0, 1], "w": [1.0, 2, 4]}, [[0, 5], [2, 0]], [[1.0, 2], [3, 4]], {"w": [2, 3, 2]},
    ),
    "windows where a padded tensor has no element": (
        "y[i] = sum{e = lo[i]..hi[i]} w[e]*u[pad(i + 2)]", {"lo": [0, 1], "hi": [1, 1], "w": [1.0, 2], "u": [3.0]},
        [0, 0], [1.0, 10], {"w": [0, 0], "u": [0]},
    ),
    "two keys, of one a multiple": (
        "y[a: 4, b: 2] = sum{e | 2*p[e] = a and q[e] = b} w[e]", {"p": [0, 1, 0, 2], "q": [1, 0, 1, 0], "w": [1.0, 2, 4, 8]},
        [[0, 5], [0, 0], [2, 0], [0, 0]], [[1.0, 2], [3, 4], [5, 6], [7, 8]], {"w": [2, 5, 2, 0]},
    ),
    "two keys, of the other one a multiple": (
        "y[a: 4, b: 2] = sum{e | p[e] = b and 2*q[e] = a} w[e]", {"p": [1, 0, 1, 0], "q": [0, 1, 0, 2], "w": [1.0, 2, 4, 8]},
        [[0, 5], [0, 0], [2, 0], [0, 0]], [[1.0, 2], [3, 4], [5, 6], [7, 8]], {"w": [2, 5, 2, 0]},
    ),
    "keys that are moved": (
        "y[a: 3, b: 2] = sum{e | p[e] + 1 = a and q[e] - 1 = b} w[e]", {"p": [0, 1, 0, -1, 2], "q": [1, 2, 2, 1, 1], "w": [1.0, 2, 4, 8, 16]},
        [[8, 0], [1, 4], [0, 2]], [[1.0, 2], [3, 4], [5, 6]], {"w": [3, 6, 4, 1, 0]},
    ),
    "three keys": (
        "y[a: 2, b: 2, c: 2] = sum{e | p[e] = a and 1 - q[e] = b and r[e] + 1 = c} w[e]",
        {"p": [0, 1, 0, 1], "q": [0, 1, 0, 1], "r": [0, -1, 0, 1], "w": [1.0, 2, 4, 8]},
        [[[0, 0], [0, 5]], [[2, 0], [0, 0]]], [[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], {"w": [4, 5, 4, 0]},
    ),
    "three keys, of one a multiple": (
        "y[a: 2, b: 4, c: 2] = sum{e | p[e] = a and 2*q[e] = b and r[e] = c} w[e]",
        {"p": [0, 1, 0, 1], "q": [0, 1, 0, 2], "r": [0, 1, 0, 1], "w": [1.0, 2, 4, 8]},
        [[[5, 0], [0, 0], [0, 0], [0, 0]], [[0, 0], [0, 0], [0, 2], [0, 0]]], np.arange(1.0, 17).reshape(2, 4, 2), {"w": [1, 14, 1, 0]},
    ),
    "two keys in columns of two tensors": (
        "h[a: 2, b: 2] = sum{e | p[e,0] = a and q[e,1] = b} w[e]",
        {"p": [[0, 7], [1, 7], [0, 7], [0, 7]], "q": [[7, 1], [7, 0], [7, 1], [7, 0]], "w": [1.0, 2, 4, 8]}, [[8, 5], [2, 0]], [[1.0, 2], [3, 4]], {"w": [2, 3, 2, 1]},
    ),
    "two keys in rows of one tensor, the last one first": (
        "y[a: 3, b: 2] = sum{e | c[2,e] = a and c[0,e] = b} w[e]", {"c": [[0, 1, 0, 5], [9, 9, 9, 9], [2, 0, 2, 0]], "w": [1.0, 2, 4, 8]},
        [[0, 2], [0, 0], [5, 0]], [[1.0, 2], [3, 4], [5, 6]], {"w": [5, 2, 5, 0]},
    ),
    "two keys in neighbouring columns": (
        "y[p: 2, a: 2, b: 2] = sum{e | c[e,p] = a and c[e,p+1] = b + 1} w[e]", {"c": [[0, 1, 2], [1, 2, 1], [0, 2, 9]], "w": [1.0, 2, 4]},
        [[[1, 4], [0, 2]], [[0, 0], [0, 1]]], [[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], {"w": [9, 4, 2]},
    ),
    "a column by data, of rows that are a multiple": (
        "input k[N]: index, m[E]: index; y[e, j: 3] = [j = k[m[e]]]*x[pad(2*f[e]), j]", {"k": [1, 2], "m": [0, 1, 1], "f": [1, 0, 2], "x": np.arange(9.0).reshape(3, 3)},
        [[0, 7, 0], [0, 0, 2], [0, 0, 0]], [[1.0, 2, 3], [4, 5, 6], [7, 8, 9]], {"x": [[0, 0, 6], [0, 0, 0], [0, 2, 0]]},
    ),
    "equations that no data meet": (
        "input x[4]\ny[i: 4] = sum{e | 3 - k[e] = i and k[e] = i} x[i]*w[e] + sum{e | k[e] = i} w[e]",
        {"k": [1, 2], "x": np.ones(4), "w": [1.0, 2]}, [0, 1, 2, 0], [1.0, 10, 100, 1000], {"x": np.zeros(4), "w": [10, 100]},
    ),
    "a condition that says nothing of a product's data": (
        "y[i: 1] = sum{g: 2 | g < len[i]} u[g]*prod{h | 2*k[h] - 1 = i} (1 + u[g]*x[k[h]]) + sum{h} x[k[h]]",
        {"len": [1], "u": [3.0, 5], "k": [0, 1], "x": [7.0, 2]}, [12], [2.0], {"u": [2, 0], "x": [2, 2]},
    ),
    "every second element": ("y[i: 2] = x[k[2*i+1]]", {"k": [9, 2, 9, 0], "x": [1.0, 2, 4]}, [4, 1], [1.0, 10], {"x": [10, 0, 1]}),
    "a remainder": ("y[i] = x[k[i] % 3]", {"k": [-1, 4, 3], "x": [1.0, 2, 4]}, [4, 2, 1], [1.0, 10, 100], {"x": [100, 10, 1]}),
    "corners of triangles in turn": (
        "y[v: 4] = sum{t,i: 3 | T[t,(i+1)%3] = v} g[t,i]*x[T[t,i]]", {"T": [[0, 1, 2], [1, 3, 2]], "g": [[1.0, 2, 3], [4, 5, 6]], "x": [1.0, 10, 100, 1000]},
        [300, 601, 5020, 40], [1.0, 2, 3, 4], {"g": [[2, 30, 100], [40, 3000, 200]], "x": [2, 22, 15, 15]},
    ),
    "every second place of few": ("y[b: 3] = sum{e,i: 2 | k[e,2*i+1] = b} w[e,i]", {"k": [[9, 2, 9, 0], [9, 2, 9, 1]], "w": [[1.0, 2], [4, 8]]}, [2, 8, 5], [1.0, 10, 100], {"w": [[100, 1], [100, 10]]}),
    "a quotient": ("y[b: 2] = sum{i | k[i] // 2 = b} w[i]", {"k": [0, 1, 2, 5, -1], "w": [1.0, 2, 4, 8, 16]}, [3, 4], [1.0, 10], {"w": [1, 1, 10, 0, 0]}),
    "two subscripts, one known": (
        "y[i, b: 2] = sum{j | k[i,j] = b} w[i,j]", {"k": [[0, 1], [1, 1]], "w": [[1.0, 2], [4, 8]]},
        [[1, 2], [0, 12]], [[1.0, 2], [3, 4]], {"w": [[1, 2], [4, 4]]},
    ),
    "two subscripts, none known": ("y[b: 2] = sum{i,j | k[i,j] = b} w[i,j]", {"k": [[0, 1], [1, 1]], "w": [[1.0, 2], [4, 8]]}, [1, 14], [1.0, 10], {"w": [[1, 10], [10, 10]]}),
    "three subscripts": ("y[i] = sum{j,l} x[k[i,j,l]]", {"k": [[[0, 1], [1, 2]]], "x": [1.0, 10, 100]}, [121], [2.0], {"x": [2, 4, 2]}),
    "no subscript": ("input k[]: index\ny = x[k]", {"k": 2, "x": [1.0, 2, 4]}, 4, 3.0, {"x": [0, 0, 3]}),
    "rows that overlap, as their ends do not ascend": (
        "y[i] = sum{e=p[i]..p[i+1]-1} v[e]", {"p": [2, 0, 3, 1, 3], "v": [1.0, 2, 4]}, [0, 7, 0, 6], [1.0, 10, 100, 1000], {"v": [10, 1010, 1010]},
    ),
    "edges that go nowhere": ("y[i: 2] = sum{e | d[e] = i} w[e]", {"d": [-1, 1, 2, 0], "w": [1.0, 2, 4, 8]}, [8, 2], [1.0, 10], {"w": [0, 10, 0, 1]}),
    "NaN in nobody's list": (
        "y[i: 2] = sum{e | d[e] = i} w[e]*x[s[e]]", {"d": [-1, 1, 0], "s": [0, 1, 1], "w": [NAN, 2, 3], "x": [NAN, 5, NAN]},
        [15, 10], [1.0, 10], {"w": [0, 50, 5], "x": [0, 23, 0]},
    ),
    "infinity before a sum without terms": (
        "size N\ninput u[N], v[N]\ny[i: N] = sum{e | d[e] = i} exp(u[i])*v[i]*w[e]", {"d": [0, 2, 0], "u": [0.0, 1000, 0], "v": [1.0, 2, 3], "w": [1.0, 2, 4]},
        [5, 0, 6], [1.0, 10, 100], {"u": [5, 0, 600], "v": [5, 0, 200], "w": [1, 300, 1]},
    ),
    "infinity that is stored before a sum without terms": (
        "size N\ninput v[N]\noutput y\nt[i] = exp(u[i])\ny[i: N] = sum{e | d[e] = i} t[i]*v[i]*w[e]", {"d": [0, 2, 0], "u": [0.0, 1000, 0], "v": [1.0, 2, 3], "w": [1.0, 2, 4]},
        [5, 0, 6], [1.0, 10, 100], {"u": [5, 0, 600], "v": [5, 0, 200], "w": [1, 300, 1]},
    ),
    "infinity that nothing reads": ("y[e] = exp(x[k[e]])", {"k": [1, 1], "x": [NAN, 0, INF]}, [1, 1], [1.0, 10], {"x": [0, 11, 0]}),
    "a test both ways": (
        "input t[J]: index, s[I]: index\ny[j] = sum{i} [t[j] <= s[i]]*x[i]*w[j]", {"t": [0, 2], "s": [0, 1, 5], "x": [1.0, 2, 4], "w": [1.0, 10]},
        [7, 40], [1.0, 1], {"x": [1, 1, 11], "w": [7, 4]},
    ),
}  # fmt: skip


def assert_trap(name, backend):
    text, given, value, cotangent, gradients = TRAPS[name]
    f = tadc.compile(text, backend=backend)
    y, pullback = f.vjp(**{n: np.array(a) for n, a in given.items()})
    np.testing.assert_array_equal(y, value)
    found = pullback(np.array(cotangent))
    for x, expected in gradients.items():
        np.testing.assert_array_equal(found[x], expected)


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
@pytest.mark.parametrize("name", TRAPS)
def test_a_trap_has_its_value_and_gradients(name, backend):
    assert_trap(name, backend)


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", TRAPS)
def test_native_code_falls_into_no_trap(name):
    assert_trap(name, "native")


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("name", TRAPS)
def test_kernels_of_a_gpu_fall_into_no_trap(name, xp):
    assert_trap(name, "cuda")


@pytest.mark.slow
@pytest.mark.skipif(not devices(), reason="there is no device of OpenCL")
@pytest.mark.parametrize("name", TRAPS)
def test_opencl_falls_into_no_trap(name):
    assert_trap(name, "opencl")


def test_an_edge_that_goes_nowhere_is_an_error_where_a_range_is_declared():
    f = tadc.compile("input d[E]: 0..1\ny[i: 2] = sum{e | d[e] = i} w[e]", backend="interpreter")
    with pytest.raises(tadc.DataError, match=r"d\[1\] is -1"):
        f(d=[0, -1], w=[1.0, 2.0])


@pytest.mark.compiler
def test_a_result_may_lie_where_an_index_tensor_does_and_one_array_may_be_both_ends():
    f = tadc.compile("y[e] = x[s[e]]*x[d[e]]", backend="native")
    k = np.array([1, 0, 2, 1])
    f(s=k, d=k, x=np.array([1.0, 2.0, 3.0]), out=k.view(np.float64))
    assert k.view(np.float64).tolist() == [4, 1, 9, 4]


@pytest.mark.compiler
def test_sums_of_a_derivative_that_read_the_same_data_first_are_compiled():
    text = """
    size N = 5
    input dst[E]: index, m[N]: index, src[E]: index
    z[i: E, c] = min{e | m[dst[e]] = 0 and dst[e] = m[m[0]]}
        x[0]*(max{f | src[f] - 1 = dst[i] and src[e] = dst[i]} X[dst[e], c]*w[i]*w[f])
    """
    rng = np.random.default_rng(0)
    given = {
        "dst": [0, 1, 0, 2, 0],
        "m": [1, 0, 0, 2, 4],
        "src": [0, 1, 0, 1, 3],
        "X": rng.standard_normal((5, 2)),
        "x": np.array([2.0]),
        "w": rng.standard_normal(5),
    }
    (y, one), (z, other) = (
        tadc.compile(text, backend=b, dtype="float64").vjp(**given)
        for b in ("native", "interpreter")
    )
    np.testing.assert_array_equal(y, z)
    cotangent = np.where(np.isfinite(z), rng.standard_normal(z.shape), 0)
    for found, expected in zip(one(cotangent).values(), other(cotangent).values(), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


# Maxima of sums over ranges that data bound: derivatives find the greatest term only if they compute it with the same bits.
BOUNDED = {
    "windows": "y[i] = max{e = lo[i]..hi[i]} w[e]*sum{f | src[f] = i} w[f]*x[i]*x[clamp(src[e] - 1)]/(2 + w[f]*x[src[f]]**2)",
    "rows": "y[i] = min{e = ptr[i]..ptr[i+1]-1} w[e]*sum{f} w[f]*x[i]*x[src[e]]/(2 + w[f]**2)",
    "rows of what a row leads to": "y[i] = max{e = lo[i]..hi[i]} sum{f = ptr[src[e]]..ptr[src[e]+1]-1} x[i]*w[f]*x[src[f]]",
    "windows with a condition on data": "y[i] = max{e = lo[i]..hi[i] | src[e] < 4} sum{f | src[f] = i} x[i]*w[f]*(if src[e] = 0 then x[0] else x[pad(src[e])])",
    "a product": "y[i] = max{e = lo[i]..hi[i]} prod{f | src[f] = i} (1 + x[i]*w[f]*x[src[e]])",
}


@pytest.mark.compiler
@pytest.mark.plain(name=1)
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
@pytest.mark.parametrize("name", BOUNDED)
def test_a_maximum_of_sums_that_data_bound_has_its_gradient(name, backend):
    declared = ("src[E]: index", "lo[N]: index", "hi[N]: index", "ptr[N+1]: index", "w[E]", "x[N]")
    read = (d for d in declared if d.split("[")[0] + "[" in BOUNDED[name])
    text = f"input {', '.join(read)}\n{BOUNDED[name]}"
    rng = np.random.default_rng(1)
    n, edges = 5, 40
    lo = rng.integers(0, edges - 9, n)
    given = {
        "src": rng.integers(0, n, edges), "lo": lo, "hi": lo + rng.integers(2, 9, n),
        "ptr": [0, 9, 12, 25, 33, edges], "w": rng.standard_normal(edges), "x": rng.standard_normal(n),
    }  # fmt: skip
    f = tadc.compile(text, backend=backend, dtype="float64")
    given = {name: given[name] for name in f.inputs}
    y, pullback = f.vjp(**given)
    dy = rng.standard_normal(y.shape)
    gradients = pullback(dy)
    for x in ("x", "w"):
        d = rng.standard_normal(given[x].shape)
        up, down = (f(**{**given, x: given[x] + e * d}) @ dy for e in (1e-6, -1e-6))
        np.testing.assert_allclose(gradients[x].ravel() @ d, (up - down) / 2e-6, rtol=1e-5)


class Changing:
    """An array that is another one each time that it is read, as if a thread wrote to it."""

    def __init__(self, *arrays):
        self.arrays = list(arrays)

    def __array__(self, dtype=None, copy=None):
        return np.array(self.arrays.pop(0) if len(self.arrays) > 1 else self.arrays[0], dtype)


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_what_is_checked_is_what_is_read(backend):
    f = tadc.compile("y[i] = x[k[i]]", backend=backend)
    y, pullback = f.vjp(k=Changing([1, 0], [9, 9]), x=np.array([1.0, 2.0]))
    assert y.tolist() == [2, 1]
    assert pullback(np.array([1.0, 10.0]))["x"].tolist() == [10, 1]


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_a_sum_that_is_compared_depends_on_what_its_data_are_looked_up_with(backend):
    text = "v[i: E] = sum{h: E} tanh(logsumexp{a: M | tab[dst[i], a] = k[ends[h]]} z[one])\nsize N = 3, M = 6, E\ninput one[]: index"
    rng = np.random.default_rng(0)
    dst, ends, k, tab = (rng.integers(0, 3, shape) for shape in (4, 4, 3, (3, 6)))
    given = {"dst": dst, "ends": ends, "k": k, "tab": tab, "one": np.array(1), "z": np.array([0.3, -0.6, 0.2])}  # fmt: skip
    given |= {"dv": np.ones(4), "ddz": np.ones(3)}
    second = tadc.compile(text, backend=backend, dtype="float64").adjoint("z").adjoint("z")

    found = second(*[given[n] for n in second.inputs])

    terms = (tab[dst][:, None, :] == k[ends][None, :, None]).sum(-1)
    value = np.tanh(-0.6 + np.log(terms[terms > 0]))
    np.testing.assert_allclose(found, [0, (-2 * value * (1 - value**2)).sum(), 0], rtol=1e-12)


@pytest.mark.parametrize("backend", ["interpreter", "numpy", "native"])
def test_what_a_condition_on_other_data_excludes_is_not_checked(backend):
    edges = "size N\ny[i: N] = sum{e | dst[e] = i} w[e]*x[src[e]]"
    f = tadc.compile(edges, backend=backend)
    given = {"dst": [0, -1, 9], "src": [2, 99, -7], "w": np.ones(3), "x": np.arange(3.0), "N": 3}
    y, pullback = f.vjp(**given)
    gradients = pullback(np.array([1.0, 2.0, 3.0]))
    assert y.tolist() == [2, 0, 0]
    assert [gradients[n].tolist() for n in ("w", "x")] == [[2, 0, 0], [0, 0, 1]]
    with pytest.raises(tadc.DataError, match=r"src\[1\] is 99"):
        f(**{**given, "dst": [0, 1, 9]})

    rows = "input p[P]: index, v[E], n[N]: index\ny[i: N] = sum{e=p[i]..p[i+1]-1 | n[i] = 1} v[e]"
    f = tadc.compile(rows, backend=backend)
    assert f(p=[0, 2, 99, 3], v=np.arange(3.0), n=[1, 0, 0]).tolist() == [1, 0, 0]
    with pytest.raises(tadc.DataError, match=r"p\[2\] is 99, so that row 1"):
        f(p=[0, 2, 99, 3], v=np.arange(3.0), n=[1, 1, 0])

    flag = "input flag[]: index, k[N]: index\ny[i: N] = [flag = 1]*x[k[i]]"
    f = tadc.compile(flag, backend=backend)
    assert f(k=[0, 9], flag=0, x=np.ones(3)).tolist() == [0, 0]

    bound = "input k[3]: index, m[M]: index, x[4]\ny[i: M] = sum{j=k[m[i]]..3 | 0 <= m[i] < 3} x[j]"
    f = tadc.compile(bound, backend=backend)
    assert f(k=[0, 3, 2], m=[-1, 7, 1, 2], x=[1.0, 2, 3, 4]).tolist() == [0, 0, 4, 7]


def test_a_condition_that_a_sum_shares_with_others_is_printed_in_it():
    """Before the sum its read would be checked where no other condition holds."""
    text = "y[g: 3] = sum{i | m[i] = g and v[g - 1] = 2 and 1 <= m[i]} x[i]"
    f = tadc.compile("input m[I]: index, v[V]: index\n" + text)
    arrays = {"m": np.array([1, 0, 2]), "v": np.array([2, 5]), "x": np.array([1.0, 10, 100])}
    again = tadc.compile(str(f))
    assert "if" not in str(f)
    np.testing.assert_array_equal(again(**arrays), f(**arrays))
    np.testing.assert_array_equal(f(**arrays), [0, 1, 0])


def test_a_sum_stays_under_the_condition_that_its_data_are_looked_up_under():
    text = "size N, M\ninput A[N, M], tab[N, M]: index\ny[i: M] = A[0, tab[clamp(2), tab[0, i]]]**2"
    gradient = tadc.compile(text, dtype="float64").adjoint("A")
    again = tadc.compile(str(gradient), dtype="float64")
    for rows in (1, 4):
        A, tab = np.arange(2.0 * rows).reshape(rows, 2), np.arange(2 * rows).reshape(rows, 2) % 2
        arrays = {"A": A, "tab": tab, "dy": np.array([1.0, 10])}
        np.testing.assert_array_equal(again(**arrays), gradient(**arrays))


@pytest.mark.parametrize("size", ["D", "k_1", "k_1_1", "k_1_2", "k_2"])
def test_what_is_known_of_a_size_holds_of_no_data(size):
    f = tadc.compile(
        f"input k[E, {size}]: index; h[a: 2, b: 2] = sum{{e | k[e,0] = a and k[e,1] = b}} w[e]",
        backend="numpy",
    )
    k = np.array([[-1, 1], [0, 5], [1, -1], [1, 1]])
    y, pullback = f.vjp(k=k, w=np.array([1.0, 2, 4, 8]))
    assert y.tolist() == [[0, 0], [0, 8]]
    assert pullback(np.array([[1.0, 2], [3, 4]]))["w"].tolist() == [0, 0, 0, 4]


@pytest.mark.parametrize("mode", ["value", "adjoint", "tangent"])
def test_a_sum_stays_under_the_part_of_a_condition_that_speaks_of_its_data(mode):
    text = "size N, E\ninput k[N]: index, m[N]: index, d[E]: index, y[E]\nz[i: E] = exp(sum{g | d[g] = k[pad(m[0] + 1)] and d[i] >= 0} y[g])"
    value = tadc.compile(text, dtype="float64")
    f = {"value": value, "adjoint": value.adjoint("y"), "tangent": value.tangent("y")}[mode]
    again = tadc.compile(str(f), dtype="float64")
    for rows in (1, 2):  # of one row, `m[0] + 1` is outside
        y = np.arange(3.0)
        arrays = {"k": [1] * rows, "m": [0] * rows, "d": [0, 1, 0], "y": y, "dz": y - 1, "dy": y}
        given = [arrays[n] for n in f.inputs]
        np.testing.assert_array_equal(again(*given), f(*given))
