"""Calls with arrays of CuPy: on a test double that runs the kernels on the host, and where there is a GPU, on it."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from threading import Thread

import fake_cupy
import numpy as np
import pytest
from fake_cupy import STATE
from oracle import SIZES, random_arrays

import tadc
from tadc import cache
from tadc.bench import bench
from tadc.compiler import atomic_module
from tadc.emit.clike.gpu_kernel import fitting_index_type
from tadc.runtime.cuda import arrays as gpu
from tadc.runtime.cuda import launch
from tadc.runtime.cuda.launch import cuda_launch
from tadc.runtime.cuda.tune import tuning
from tadc.schedule.gpu.machine import GpuCosts
from tadc.schedule.gpu.tile import Shape
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest import matrix_product

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.idx"))
LIMITS = {"float64": 1e-11, "float32": 3e-4}


@pytest.fixture
def cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("TADC_CACHE_DIR", str(tmp_path))
    cache.folder.cache_clear()
    yield tmp_path
    cache.folder.cache_clear()


def relative(found, expected):
    scale = np.max(np.abs(expected), initial=1e-30)
    return np.max(np.abs(found - expected), initial=0) / scale


@pytest.mark.plain(path=1, dtype=1)
@pytest.mark.compiler
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_values_and_gradients_of_examples_are_numpys(xp, path, dtype):
    check_example(xp, path, dtype)


# Teams, rows and parts wherever they may be, however small the example.
EAGER = {"gpu.kernels.SHORT": 1/32, "gpu.row_kernels.LEAST": 1/32, "gpu.row_kernels.ENOUGH": 2**40, "gpu.prefix_scan.LONG": 1, "gpu.prefix_scan.LENGTH": 3, "gpu.prefix_scan.ENOUGH": 2**40}  # fmt: skip


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_by_teams_are_numpys(xp, monkeypatch, path):
    for name, value in EAGER.items():
        monkeypatch.setattr(f"tadc.schedule.{name}", value)
    eager = replace(launch.MACHINE, costs=GpuCosts(warp_sum=0, block_sum=0))
    monkeypatch.setattr(launch, "MACHINE", eager)
    check_example(xp, path, "float64")


REAL = 10**6  # elements of the largest tensor
LONG_SUMS = {"hankel": 2**15}  # a product of as many elements as a matrix


LARGE = {"float64": 1e-8, "float32": 3e-4}


@pytest.mark.gpu
@pytest.mark.parametrize("dtype", LARGE)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_at_real_sizes_are_those_of_native_code(path, dtype, benchmark_module):
    cupy = pytest.importorskip("cupy")
    given = benchmark_module("gpu_sweep").example(path, LONG_SUMS.get(path.stem, REAL)).sizes
    sizes = {s: n for s, n in given.items() if s in tadc.load(path).program.sizes}
    arrays = random_arrays(tadc.load(path), given)

    def results(backend, dtype, put, get):
        f = tadc.load(path, backend=backend)
        values, pullback = f.vjp(**{n: put(a.astype(dtype)) for n, a in arrays.items()}, **sizes)
        values = values if isinstance(values, tuple) else (values,)
        seeds = (put(np.cos(np.arange(v.size).reshape(v.shape)).astype(dtype)) for v in values)
        return [get(v) for v in (*values, *pullback(*seeds).values())]

    found = results("cuda", dtype, cupy.asarray, cupy.asnumpy)
    expected = results("native", "float64", np.asarray, np.asarray)
    # Where points nearly meet, or terms cancel, the same rounding errors are in native code.
    rounded = results("native", dtype, np.asarray, np.asarray)
    for mine, other, own in zip(found, expected, rounded, strict=True):
        assert relative(mine, other) <= max(LARGE[dtype], 10 * relative(own, other))


def check_example(xp, path, dtype):
    f, oracle = tadc.load(path), tadc.load(path, backend="numpy")
    given = SIZES[path.stem]
    arrays = random_arrays(f, given)
    sizes = {s: n for s, n in given.items() if s in f.program.sizes}
    expected, pull = oracle.vjp(**arrays, **sizes)

    found, pullback = f.vjp(**{n: xp.asarray(a.astype(dtype)) for n, a in arrays.items()}, **sizes)

    several = isinstance(expected, tuple)
    values, wanted = (found, expected) if several else ((found,), (expected,))
    gradients = pullback(*(xp.asarray(np.cos(xp.asnumpy(v))) for v in values))
    slopes = pull(*(np.cos(v) for v in wanted))
    for mine, other in zip(
        (*values, *gradients.values()), (*wanted, *slopes.values()), strict=True
    ):
        assert isinstance(mine, xp.ndarray) and mine.dtype == dtype
        assert relative(xp.asnumpy(mine), other) <= LIMITS[dtype]


F = "size N\ninput x[N], w[]\noutput f, g\nf = sum{i} w*x[i]**2\ng[i] = x[i] + f"


@pytest.mark.compiler
def test_arrays_of_numpy_go_there_and_back(xp):
    x = np.arange(5.0)

    f, g = tadc.compile(F, backend="cuda")(x, 2.0)

    assert type(f) is type(g) is np.ndarray
    np.testing.assert_array_equal(g, x + 60)


@pytest.mark.compiler
def test_numbers_and_lists_follow_the_arrays(xp):
    f = tadc.compile("size N\ninput x[N], y[N], w[]\ng[i] = w*x[i] + y[i]")

    found = f(xp.asarray(np.arange(3.0, dtype=np.float32)), [1, 2, 3], 0.5)

    assert isinstance(found, xp.ndarray) and found.dtype == np.float64  # a list is of integers
    np.testing.assert_array_equal(xp.asnumpy(found), [1, 2.5, 4])


@pytest.mark.compiler
def test_strided_arrays_are_accepted_and_results_are_dense(xp):
    x = xp.asarray(np.arange(24.0).reshape(4, 6))[::-1, ::2]

    found = tadc.compile("size N, M\ninput x[N, M]\nf[i, j] = 2*x[i, j]")(x)

    np.testing.assert_array_equal(xp.asnumpy(found), 2 * xp.asnumpy(x))


@pytest.mark.compiler
def test_out_is_written_where_it_is_and_accumulated(xp):
    f = tadc.compile("size N\ninput x[N]\ng[i] = 2*x[i]")
    x, out = xp.asarray(np.arange(3.0)), xp.asarray(np.ones(3))

    assert f(x, out=out) is out
    f(x, out=out, accumulate=True)

    np.testing.assert_array_equal(xp.asnumpy(out), [0, 4, 8])
    assert f(x, out=x) is x  # computed aside, and copied
    np.testing.assert_array_equal(xp.asnumpy(x), [0, 2, 4])
    with pytest.raises(tadc.Error, match="not a writeable array\npass an array of"):
        f(x, out=np.ones(3))


@pytest.mark.compiler
def test_extents_of_0(xp):
    f = tadc.compile(F)

    total, g = f(xp.asarray(np.zeros(0)), 1.0)

    assert xp.asnumpy(total) == 0 and g.shape == (0,)
    assert isinstance(total, xp.ndarray) and isinstance(g, xp.ndarray)


def test_arrays_of_both_kinds_are_an_error_that_names_them(double):
    f = tadc.compile("size N\ninput x[N], y[N]\ng[i] = x[i]*y[i]")

    with pytest.raises(tadc.BackendError, match="`y` is on a GPU, and `x` is an array of the CPU"):
        f(np.ones(3), double.asarray(np.ones(3)))


def test_a_backend_of_the_cpu_refuses_arrays_on_a_gpu(double):
    with pytest.raises(tadc.BackendError, match="`x` is on a GPU, and `backend='native'`"):
        tadc.compile(F, backend="native")(double.asarray(np.ones(3)), 1.0)


@pytest.mark.compiler
def test_kernels_run_on_the_device_and_the_stream_of_the_call(double):
    f = tadc.compile(F)
    with double.cuda.Device(1):
        x, w = double.asarray(np.ones(3)), double.asarray(2.0)
    y = double.asarray(np.ones(3))

    with double.cuda.Device(1), fake_cupy.stream(9):
        f(x, w)

    assert {(device, stream) for device, stream, _ in STATE.launches} == {(1, 9)}
    with pytest.raises(tadc.BackendError, match="`x` is on GPU 1, and `w` on GPU 0"):
        f(x, double.asarray(2.0))
    f(y, double.asarray(2.0))
    assert STATE.launches[-1][:2] == (0, 0)


@pytest.mark.compiler
def test_a_second_call_launches_kernels_and_does_nothing_else(double, monkeypatch):
    f = tadc.compile(F)
    x, w = double.asarray(np.ones(3)), double.asarray(2.0)
    f(x, w)
    count, loads = len(STATE.launches), STATE.loads
    monkeypatch.setattr("tadc.runtime.cuda.launch.cuda_text", None)
    monkeypatch.setattr("tadc.runtime.calls.bound_arguments", None)

    f(x, w)

    assert len(STATE.launches) == 2 * count and STATE.loads == loads


@pytest.mark.compiler
def test_calls_in_several_threads(xp):
    f = tadc.compile("size N\ninput x[N]\noutput g, h\ng[i] = exp(x[i])\nh = sum{i} g[i]")
    found = {}

    def run(n):
        x = np.linspace(0, 1, n)
        found[n] = [(f(xp.asarray(x)), x) for _ in range(10)]

    threads = [Thread(target=run, args=(n,)) for n in (3, 40, 400)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()

    for each in found.values():
        for (g, h), x in each:
            np.testing.assert_allclose(xp.asnumpy(g), np.exp(x), rtol=1e-14)
            np.testing.assert_allclose(xp.asnumpy(h), np.exp(x).sum(), rtol=1e-13)
    assert len(found) == 3


NORM = "size N, M\ninput x[N, M], w[M]\noutput y\nm[i] = (sum{j} x[i,j])/M\ny[i,j] = w[j]*(x[i,j] - m[i])/sqrt(1 + sum{k} (x[i,k] - m[i])**2)"


@pytest.mark.compiler
def test_a_graph_reads_its_arrays_anew_at_every_launch(xp):
    f, (x, w, dy) = tadc.compile(NORM), np.random.default_rng(0).normal(size=(3, 7, 7))
    w = w[0]
    arrays = [xp.asarray(a) for a in (x, w, dy)]
    replay = f.graph(*arrays[:2], cotangents=arrays[2])

    for factor in (1, 2, 3):
        for array, a in zip(arrays, (x, w, dy), strict=True):
            array[...] = xp.asarray(factor * a)
        y, gradients = replay()
        expected, pullback = tadc.compile(NORM, backend="numpy").vjp(factor * x, factor * w)
        others = pullback(factor * dy)
        assert relative(xp.asnumpy(y), expected) < 1e-12
        assert list(gradients) == ["x", "w"]
        for name, g in gradients.items():
            assert relative(xp.asnumpy(g), others[name]) < 1e-12
    assert replay()[0] is y


@pytest.mark.compiler
def test_a_graph_of_values_alone(xp):
    x = xp.asarray(np.arange(5.0))
    replay = tadc.compile("size N\ninput x[N], c[]\nf = sum{i} c*x[i]").graph(x, c=xp.asarray(2.0))

    assert xp.asnumpy(replay()) == 20
    x[...] = 1
    assert xp.asnumpy(replay()) == 10


@pytest.mark.compiler
def test_a_graph_has_no_product_of_cublas(double, monkeypatch):
    xp = double
    monkeypatch.setattr(matrix_product, "WORTH", 1)
    a, b = (xp.asarray(np.random.default_rng(n).normal(size=(20, 20))) for n in range(2))
    f = tadc.compile("size N\ninput a[N, N], b[N, N]\nc[i, j] = sum{k} a[i, k]*b[k, j]")
    before = STATE.products
    f(a, b)
    assert STATE.products == before + 1

    replay = f.graph(a, b)

    np.testing.assert_allclose(xp.asnumpy(replay()), xp.asnumpy(a) @ xp.asnumpy(b), rtol=1e-12)
    assert STATE.products == before + 1


@pytest.mark.compiler
def test_the_double_captures_no_product_of_cublas_either(double, monkeypatch):
    monkeypatch.setattr(matrix_product, "WORTH", 1)
    a = double.asarray(np.ones((20, 20)))
    f = tadc.compile("size N\ninput a[N, N]\nc[i, j] = sum{k} a[i, k]*a[k, j]")
    f(a)
    stream = double.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        with pytest.raises(tadc.BackendError, match="does not launch this call: CUBLAS_STATUS"):
            f(a)
        stream.end_capture()


@pytest.mark.compiler
@pytest.mark.parametrize("repeated", [False, True])
def test_a_launch_that_fails_is_an_error(double, monkeypatch, repeated):
    f, x = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]"), double.asarray(np.ones(3))
    if repeated:
        f(x)

    def launch(*_):
        raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    monkeypatch.setattr(double.cuda.driver, "launchKernel", launch)

    with pytest.raises(tadc.BackendError, match="does not launch this call: CUDA_ERROR_ILLEGAL"):
        f(x)


@pytest.mark.compiler
def test_an_array_at_an_odd_address_is_an_error(double):
    f = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]")
    x = double.asarray(np.zeros(41, np.uint8))[1:25].view(np.float64)
    for _ in range(2):  # the second call is a repeated one
        with pytest.raises(
            tadc.ArgumentError, match="`x` begins at an address that is no multiple of 8"
        ):
            f(x)
        f(double.asarray(np.ones(3)))


def test_what_a_graph_cannot_read_anew_is_an_error(double):
    f = tadc.compile("size N\ninput x[N], c[]\nf = sum{i} c*x[i]")
    x, c = double.asarray(np.ones(3)), double.asarray(2.0)
    with pytest.raises(tadc.Error, match=r"`c` is not on a GPU.*\npass an array of CuPy"):
        f.graph(x, 2.0)
    with pytest.raises(tadc.Error, match="`df` is not on a GPU"):
        f.graph(x, c, cotangents=1.0)
    with pytest.raises(tadc.Error, match="`x` is given twice"):
        f.graph(x, c, x=x)
    with pytest.raises(tadc.Error, match="3 arrays are given"):
        f.graph(x, c, x)
    with pytest.raises(tadc.Error, match="no cotangent for 1 output"):
        f.graph(x, c, cotangents=())
    with pytest.raises(tadc.Error, match="nothing to launch"):
        f.graph(double.asarray(np.ones(0)), c)


@pytest.mark.compiler
def test_a_graph_runs_on_its_own_device(double):
    with double.cuda.Device(1):
        x = double.asarray(np.ones(3))
    replay = tadc.compile("size N\ninput x[N]\ny[i] = 2*x[i]").graph(x, cotangents=x)
    STATE.launches.clear()

    replay()

    assert {device for device, _, _ in STATE.launches} == {1}


@pytest.mark.compiler
@pytest.mark.parametrize("count", [4, 11, 17])
def test_of_a_choice_by_sizes_one_branch_is_left(xp, count):
    text = "size N\ninput x[N]\ny[i: N] = if N > 10 then sum{k} x[k]*i else x[i] + max{k} x[k]"
    x = np.random.default_rng(0).normal(size=count)

    value, pullback = tadc.compile(text).vjp(xp.asarray(x))
    expected, pull = tadc.compile(text, backend="numpy").vjp(x)

    assert relative(xp.asnumpy(value), expected) < 1e-12
    assert relative(xp.asnumpy(pullback(value)["x"]), pull(expected)["x"]) < 1e-12


@pytest.mark.compiler
@pytest.mark.parametrize("flipped", [False, True])
def test_large_matrix_products_are_left_to_cublas(xp, monkeypatch, flipped):
    monkeypatch.setattr("tadc.schedule.nest.matrix_product.WORTH", 100)
    read = "b[n,j,k]" if flipped else "b[n,k,j]"
    text = f"size B, I, J, K\ninput a[B,I,K], b[B,{'J,K' if flipped else 'K,J'}]\nc[n,i,j] = sum{{k}} a[n,i,k]*{read}"
    random = np.random.default_rng(1)
    a, b = random.normal(size=(2, 5, 7)), random.normal(size=(2, 6, 7) if flipped else (2, 7, 6))
    f, oracle = tadc.compile(text), tadc.compile(text, backend="numpy")
    before = STATE.products

    value, pullback = f.vjp(xp.asarray(a), xp.asarray(b))
    gradients = pullback(value)

    expected, pull = oracle.vjp(a, b)
    assert relative(xp.asnumpy(value), expected) < 1e-12
    for name, g in pull(expected).items():
        assert relative(xp.asnumpy(gradients[name]), g) < 1e-12
    if xp.__version__ == "0":
        assert STATE.products == before + 3
    plan = tadc.compile(text, backend="cuda").plan(B=2, I=5, J=6, K=7)
    assert "cuBLAS computes it" in str(plan)
    assert "cuBLAS" not in str(tadc.compile(text, backend="cuda", blas=False).plan(B=2, I=5, J=6, K=7))  # fmt: skip


WITH_PRODUCTS = {
    "a layer": ("input x[I, K], w[K, J], b[J]\ny[i, j] = tanh((sum{k} x[i, k]*w[k, j]) + b[j])", [(5, 7), (7, 6), (6,)]),
    "two": ("input x[I, K], w[K, J], v[J, K]\ny[i, j] = (sum{k} x[i, k]*w[k, j])*(sum{k} x[i, k]*v[j, k])", [(5, 7), (7, 6), (6, 7)]),
}  # fmt: skip


@pytest.mark.compiler
@pytest.mark.parametrize("name", WITH_PRODUCTS)
def test_products_inside_of_other_values_are_left_to_cublas(xp, monkeypatch, name):
    monkeypatch.setattr("tadc.schedule.nest.matrix_product.WORTH", 100)
    monkeypatch.setattr("tadc.schedule.gpu.products_apart.WORTH", 0)
    text, shapes = WITH_PRODUCTS[name]
    random = np.random.default_rng(3)
    arrays = [random.normal(size=shape) for shape in shapes]
    before = STATE.products

    value = tadc.compile(f"size I, J, K\n{text}")(*map(xp.asarray, arrays))

    expected = tadc.compile(f"size I, J, K\n{text}", backend="numpy")(*arrays)
    assert relative(xp.asnumpy(value), expected) < 1e-12
    if xp.__version__ == "0":
        assert STATE.products == before + (1 if name == "a layer" else 2)


TURNED = {
    "neither": ("a[n,m,i,k]*b[n,m,k,j]", (2, 3, 5, 7), (2, 3, 7, 6)),
    "the left one": ("a[n,m,k,i]*b[n,m,k,j]", (2, 3, 7, 5), (2, 3, 7, 6)),
    "both": ("a[n,m,k,i]*b[n,m,j,k]", (2, 3, 7, 5), (2, 3, 6, 7)),
}


@pytest.mark.compiler
@pytest.mark.parametrize("turned", TURNED)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_factors_of_batches_are_not_copied_whichever_way_round_they_are(xp, monkeypatch, turned, dtype):  # fmt: skip
    monkeypatch.setattr("tadc.schedule.nest.matrix_product.WORTH", 100)
    term, *shapes = TURNED[turned]
    random = np.random.default_rng(2)
    a, b = (random.normal(size=shape).astype(dtype) for shape in shapes)
    text = f"size N, M, I, J, K\ninput a{extents(term, 'a')}, b{extents(term, 'b')}\nc[n,m,i,j] = sum{{k}} {term}"

    value, pullback = tadc.compile(text).vjp(xp.asarray(a), xp.asarray(b))
    gradients = pullback(value)

    expected, pull = tadc.compile(text, backend="numpy").vjp(a, b)
    limit = 1e-5 if dtype == "float32" else 1e-12
    assert relative(xp.asnumpy(value), expected) < limit
    for name, g in pull(expected).items():
        assert relative(xp.asnumpy(gradients[name]), g) < limit
    if xp.__version__ == "0":
        assert (STATE.products, STATE.copies) == (3, 0)


# Text, its arrays, and how many products value and gradients are.
JOINT = {
    "rows of two indices": ("input x[B,T,D], w[D,O]\ny[b,t,o] = sum{d} x[b,t,d]*w[d,o]", [(3, 17, 18), (18, 19)], 3),
    "a factor for all of a batch": ("input x[B,D,P,Q], w[O,D]\ny[b,o,p,q] = sum{d} x[b,d,p,q]*w[o,d]", [(3, 18, 5, 7), (19, 18)], 3),
    "terms of two indices": ("input x[B,T,P,D], w[P,D,O]\ny[b,t,o] = sum{p,d} x[b,t,p,d]*w[p,d,o]", [(2, 17, 3, 18), (3, 18, 19)], 3),
    "matrices whose rows lie apart": ("input x[O,B,D], w[D,P]\ny[b,o,p] = sum{d} x[o,b,d]*w[d,p]", [(17, 2, 18), (18, 19)], 3),
    "a result whose rows lie apart": ("input x[B,T,D], w[B,D,O]\ny[t,b,o] = sum{d} x[b,t,d]*w[b,d,o]", [(3, 17, 18), (3, 18, 19)], 3),
    "heads between rows and terms": ("input x[B,T,P,D], w[B,O,P,D]\ny[b,p,t,o] = sum{d} x[b,t,p,d]*w[b,o,p,d]", [(3, 17, 2, 18), (3, 19, 2, 18)], 6),
    "heads between rows and columns": ("input x[B,P,T,D], w[B,D,P,O]\ny[b,t,p,o] = sum{d} x[b,p,t,d]*w[b,d,p,o]", [(2, 3, 17, 18), (2, 18, 3, 19)], 6),
    "three factors": ("input x[B,D], w[O,D], v[P,D]\ny[b,o,p] = sum{d} x[b,d]*w[o,d]*v[p,d]", [(17, 18), (16, 18), (19, 18)], None),
    "a contraction": ("input x[B,D,T,P], w[D,O,P,Q]\ny[b,o,t,q] = sum{d,p} x[b,d,t,p]*w[d,o,p,q]", [(4, 5, 6, 7), (5, 3, 7, 8)], 3),
    "a contraction in another value": ("input x[B,D,T,P], w[D,O,P,Q]\ny[b,o,t,q] = tanh(sum{d,p} x[b,d,t,p]*w[d,o,p,q])", [(4, 5, 6, 7), (5, 3, 7, 8)], None),
    "terms of a sum": ("input x[O,T,D], w[T,P], v[D,P]\ny[o,p] = sum{t,d} x[o,t,d]*w[t,p]*v[d,p]", [(20, 17, 18), (17, 19), (18, 19)], None),
}  # fmt: skip


@pytest.mark.compiler
@pytest.mark.parametrize("name", JOINT)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_products_of_several_indices_are_left_to_cublas(xp, monkeypatch, name, dtype):
    monkeypatch.setattr("tadc.schedule.nest.matrix_product.WORTH", 100)
    monkeypatch.setattr("tadc.schedule.nest.matrix_product.WORTH_OF_CALL", 100)
    for module in ("products_apart", "several_factors", "turned_operands"):
        monkeypatch.setattr(f"tadc.schedule.gpu.{module}.WORTH", 0.01)
    monkeypatch.setattr("tadc.schedule.gpu.turned_operands.LARGE", 100)
    text, shapes, count = JOINT[name]
    text = f"size B, T, D, O, P, Q\n{text}"
    text = text.replace("size B, T, D, O, P, Q", f"size {', '.join(s for s in 'BTDOPQ' if re.search(rf'[[,]{s}[],]', text))}")  # fmt: skip
    random = np.random.default_rng(5)
    arrays = [random.normal(size=shape).astype(dtype) for shape in shapes]
    before = STATE.products, STATE.copies

    value, pullback = tadc.compile(text).vjp(*map(xp.asarray, arrays))
    gradients = pullback(value)

    exact = [a.astype("float64") for a in arrays]
    expected, pull = tadc.compile(text, backend="numpy").vjp(*exact)
    limit = {"float16": 4e-3, "float32": 1e-5, "float64": 1e-12}[dtype]
    assert relative(xp.asnumpy(value).astype("float64"), expected) < limit
    for tensor, g in pull(expected).items():
        assert relative(xp.asnumpy(gradients[tensor]).astype("float64"), g) < limit
    if xp.__version__ == "0" and dtype != "float16":
        assert STATE.products - before[0] == count or (count is None and STATE.products > before[0])
        assert STATE.copies == before[1]


def extents(term, tensor):
    """The extents of a factor, by the names of its indices."""
    return re.search(rf"{tensor}(\[.*?\])", term)[1].upper()


@pytest.mark.compiler
@pytest.mark.parametrize("count", [1023, 16384, 20001])
def test_running_sums_are_numpys(xp, count):
    f = tadc.compile("size N\ninput x[N]\ns[i: N] = sum{j | j <= i} x[j]")
    x = np.random.default_rng(0).normal(size=count)

    value, pullback = f.vjp(xp.asarray(x))
    gradient = pullback(xp.asarray(x))["x"]

    assert relative(xp.asnumpy(value), np.cumsum(x)) < 1e-12
    assert relative(xp.asnumpy(gradient), np.cumsum(x[::-1])[::-1]) < 1e-12


GEOMETRY = {
    "parts of a sum": "size N\ninput x[N]\nf = sum{i} x[i]**2",
    "running sums": "size N\ninput x[N]\nf[i: N] = sum{j | j <= i} x[j]",
    "rows": "size N\ninput x[N]\nf[i: 40] = sum{j: N} x[j]*(i + 1)",
}


@pytest.mark.compiler
@pytest.mark.plain(text=1)
@pytest.mark.parametrize("text", GEOMETRY.values(), ids=GEOMETRY)
def test_the_bits_do_not_depend_on_the_number_of_blocks(xp, monkeypatch, text):
    x = xp.asarray(np.random.default_rng(0).normal(size=30_000).astype(np.float32))
    usual = launch.cuda_launch
    found = []
    for blocks in (1, 7, 32768):

        def launched(gpu, *args, blocks=blocks, **named):  # the schedule is that of a whole GPU
            machine = replace(gpu.machine, most_blocks=blocks)
            return usual(replace(gpu, machine=machine), *args, **named)

        monkeypatch.setattr(launch, "cuda_launch", launched)
        value, pullback = tadc.compile(text).vjp(x)
        found.append((xp.asnumpy(value), xp.asnumpy(pullback(value)["x"])))

    for value, gradient in found[1:]:
        np.testing.assert_array_equal(value, found[0][0])
        np.testing.assert_array_equal(gradient, found[0][1])


@pytest.mark.compiler
def test_tiles_are_tuned_and_found_again_and_change_no_bit(double, monkeypatch, cache_folder):
    monkeypatch.setattr("tadc.runtime.cuda.launch.MOST_CHOICES", 4)
    text = "size I, J, K\ninput a[I,K], b[K,J]\nc[i,j] = max{k} (a[i,k] + b[k,j])"
    a, b = (double.asarray(np.random.default_rng(n).normal(size=(640, 640))) for n in (0, 1))
    plain = tadc.compile(text)(a, b)
    monkeypatch.setattr("tadc.runtime.cuda.tune._times", lambda launches: [1.0, 0.99, 0.5, 2.0])

    with tuning():
        tuned = tadc.compile(text)(a, b)
    (kept,) = cache_folder.glob("tuned-*.json")
    ((name, chosen),) = json.loads(cache.read(kept.name)).items()
    seen = []
    of = GpuModule.of
    monkeypatch.setenv("TADC_REMEMBER", "0")
    monkeypatch.setattr(GpuModule, "of", lambda *a, **k: seen.append(k["tiles"]) or of(*a, **k))
    again = tadc.compile(text)(a, b)

    assert seen[0] == {name: Shape(**chosen)} and chosen["counts"]
    plan = tadc.compile(text, backend="cuda").plan(I=640, J=640, K=640)
    monkeypatch.setattr("tadc.runtime.cuda.launch.recalled", lambda key: {})
    untuned = tadc.compile(text, backend="cuda").plan(I=640, J=640, K=640)
    assert seen[1:] == [seen[0], {}] and plan != untuned
    np.testing.assert_array_equal(xp_bits(tuned), xp_bits(plain))
    np.testing.assert_array_equal(xp_bits(again), xp_bits(plain))


def xp_bits(a):
    return a.get().view(np.uint64)


@pytest.mark.slow
@pytest.mark.compiler
def test_tuning_times_kernels(double, cache_folder):
    f = tadc.compile("size N, M\ninput a[N], b[M]\nc[i] = sum{j} exp(a[i] - b[j])", backend="cuda")

    found = bench(f, {"N": 40, "M": 30}, repetitions=1, on_gpu=True, tune=True)

    assert len(found.rows) == 3
    assert len([*cache_folder.glob("tuned-*.json")]) == 3  # the value, with residuals, the pullback


@pytest.mark.compiler
def test_fast_mathematics_are_asked_for(double, cache_folder):
    text = "size N\ninput x[N]\ny[i] = exp(x[i])/3"
    x = double.asarray(np.ones(3))

    tadc.compile(text, fast_math=True)(x)
    assert "--use_fast_math" in STATE.flags
    tadc.compile(text)(x)
    assert not STATE.flags
    with pytest.raises(tadc.Error, match="`fast_math` is 2"):
        tadc.compile(text, fast_math=2)


@pytest.mark.compiler
def test_products_are_in_tf32_on_request_alone(double, cache_folder, monkeypatch):
    text = "size N\ninput a[N,N], b[N,N]\nc[i,j] = sum{k} a[i,k]*b[k,j]"
    monkeypatch.setattr(matrix_product, "WORTH", 1)
    a = double.asarray(np.ones((20, 20), np.float32))

    tadc.compile(text, tensor_cores=True)(a, a)
    tadc.compile(text)(a, a)
    batch = double.asarray(np.ones((2, 20, 20), np.float32))
    batches = "size B, N\ninput a[B,N,N], b[B,N,N]\nc[n,i,j] = sum{k} a[n,i,k]*b[n,k,j]"
    tadc.compile(batches, tensor_cores=True)(batch, batch)
    tadc.compile(batches)(batch, batch)
    monkeypatch.setattr(double.cuda.Device, "compute_capability", "75")
    tadc.compile(text, tensor_cores=True)(a, a)
    tadc.compile(batches, tensor_cores=True)(batch, batch)
    assert STATE.product_types == [7, 0, 7, 0, 0, 0]
    with pytest.raises(tadc.BackendError, match="tensor_cores"):
        tadc.compile(text, backend="native", tensor_cores=True)


@pytest.mark.compiler
def test_the_guide_runs(xp):
    guide = (EXAMPLES[0].parents[1] / "docs" / "gpu.md").read_text("utf-8")
    scope = {}
    for block in re.findall(r"```python\n(.*?)```", guide, re.DOTALL):
        exec(block, scope)

    assert scope["y"].dtype == "float16" and list(scope["gradients"]) == ["h", "x"]


def test_without_cupy_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    gpu.cupy.cache_clear()

    with pytest.raises(tadc.BackendError, match=r"needs CuPy.*\n.*tadc\[cuda13\]"):
        tadc.compile(F, backend="cuda")(np.ones(3), 1.0)


def test_without_a_driver_the_error_says_so(double):
    def fails():
        raise RuntimeError("cudaErrorInsufficientDriver")

    double.cuda.runtime.getDeviceCount = fails
    gpu.cupy.cache_clear()

    with pytest.raises(tadc.BackendError, match="no GPU that it can use: cudaErrorInsufficient"):
        tadc.compile(F, backend="cuda")(np.ones(3), 1.0)


def test_a_gpu_that_nvrtc_does_not_know(double, monkeypatch):
    monkeypatch.setattr(double.cuda.Device, "compute_capability", "70")

    with pytest.raises(tadc.BackendError, match=r"does not compile for this GPU.*sm_70"):
        tadc.compile(F)(double.asarray(np.ones(3)), 1.0)


def test_code_that_the_driver_does_not_load(double, monkeypatch):
    def fails(self, code):
        raise RuntimeError("CUDA_ERROR_NO_BINARY_FOR_GPU")

    monkeypatch.setattr(fake_cupy.Module, "load", fails)

    with pytest.raises(tadc.BackendError, match=r"the driver does not load.*NO_BINARY"):
        tadc.compile(F)(double.asarray(np.ones(3)), 1.0)


@pytest.mark.compiler
def test_too_little_memory_on_the_gpu(double):
    f = tadc.compile("size N\ninput x[N]\ng[i, j: N] = x[i]*x[j]")
    x = double.asarray(np.ones(100))
    STATE.free_bytes = 5000

    with pytest.raises(tadc.BackendError, match="not enough memory on the GPU"):
        f(x)


def test_indices_have_64_bits_where_sizes_need_them():
    f = tadc.compile("size N, M\ninput x[N, M]\ng[i] = sum{j} x[i, j]")
    (mode,) = modules_of({"primal": f.program})

    def width(**sizes):
        return fitting_index_type(GpuModule.of(mode, sizes), sizes)

    assert width(N=10_000, M=10_000) == "int32"
    assert width(N=100_000, M=100_000) == "int64"


def test_arrays_in_the_memory_of_a_gpu_are_found_by_their_protocols():
    class OnGpu:
        def __dlpack_device__(self):
            return 2, 0

    class Managed(OnGpu):
        def __dlpack_device__(self):
            return 13, 0

    class OnCpu(OnGpu):
        __cuda_array_interface__ = property(lambda self: {})

        def __dlpack_device__(self):
            return 1, 0

    class Interface:
        __cuda_array_interface__ = property(lambda self: {})

    class Tracer:
        def __dlpack_device__(self):
            raise ValueError

    assert gpu.is_on_gpu(Managed())
    assert [gpu.is_on_gpu(each()) for each in (OnGpu, OnCpu, Interface, Tracer)] == [True, False, True, False]  # fmt: skip
    assert not gpu.is_on_gpu(np.ones(3)) and not gpu.is_on_gpu(3.0)


@pytest.mark.compiler
def test_a_check_compares_the_gpu_with_the_interpreter(xp):
    report = tadc.compile(F).check()

    assert report and "cuda float32" in str(report)


@pytest.mark.compiler
def test_bench_times_arrays_on_the_gpu(xp):
    f = tadc.compile(F)

    table = str(bench(f, {"N": 100}, 2, on_gpu=True))

    assert "value and gradients" in table


@pytest.mark.compiler
@pytest.mark.parametrize("points", [False, True])
def test_the_scatter_form_runs_too(xp, points):
    f = tadc.compile("size N\ninput x[N], w[3]\ny[i: N - 2] = sum{k} x[i + k]*w[k]")
    x, w, dy = np.arange(9.0), np.array([1.0, -2, 3]), np.ones(7)
    mode = GpuModule.plain(atomic_module(f.program, f.inputs, points=points))

    found = cuda_launch(mode, {"N": 9}, "float64", 0)([xp.asarray(a) for a in (x, w, dy)])

    expected = tadc.compile(str(f.adjoint()), backend="numpy")(x, w, dy)
    for mine, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(xp.asnumpy(mine), other)
