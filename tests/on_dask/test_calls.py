"""Functions on Dask arrays: values and gradients are those of a single call, whatever the chunks."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import warnings
from itertools import pairwise

import fake_cupy
import numpy as np
import pytest

import tadc

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

import tadc.dask  # noqa: E402
import tadc.dask.call as lazy_calls  # noqa: E402
from on_dask.random_calls import check  # noqa: E402
from tadc.blocks import footprints  # noqa: E402
from tadc.dask.sections import parts_of_sections  # noqa: E402
from tadc.dask.tasks import Code, Stored  # noqa: E402
from tadc.integer import UNDECIDED  # noqa: E402
from tadc.schedule.sections import Sections  # noqa: E402

WAVE = """size X, Y, Z
input u[X,Y,Z], before[X,Y,Z], v[X,Y,Z]
next[x: X, y: Y, z: Z] = 2*u[x,y,z] - before[x,y,z] + v[x,y,z]*(u[pad(x-1),y,z] + u[pad(x+1),y,z]
    + u[x,pad(y-1),z] + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z])"""
SOFTMAX = "m[i] = max{j} x[i,j]\ne[i,j] = exp(x[i,j]-m[i])\ny[i,j] = e[i,j]/sum{l} e[i,l]"
CUBE = (12, 10, 8)
# A text, the shapes of its inputs, and their chunks.
CASES = {
    "wave": (WAVE, dict.fromkeys(("u", "before", "v"), CUBE), dict.fromkeys(("u", "before", "v"), (5, 4, 8))),
    "convolution": ("y[n,o,p,q] = sum{c,r,s} x[n,c,p+r,q+s]*w[o,c,r,s]", {"x": (6, 3, 9, 9), "w": (4, 3, 3, 3)}, {"x": (2, 3, 6, 9), "w": (4, 3, 3, 3)}),
    "gaussians": ("y[i] = sum{j} w[j]*exp(-g*sum{k} (x[i,k]-z[j,k])**2)", {"w": (50,), "g": (), "x": (40, 3), "z": (50, 3)}, {"w": (20,), "g": (), "x": (15, 3), "z": (20, 3)}),
    "product": ("c[i,j] = sum{k} a[i,k]*b[k,j]", {"a": (30, 40), "b": (40, 20)}, {"a": (10, 16), "b": (16, 10)}),
    "hankel": ("y[i] = sum{j} h[i+j]*x[j]", {"h": (60,), "x": (25,)}, {"h": (16,), "x": (10,)}),
    "softmax": (SOFTMAX, {"x": (12, 20)}, {"x": (5, 20)}),
    "softmax in parts": (SOFTMAX, {"x": (12, 20)}, {"x": (5, 7)}),
    "causal": ("y[i] = sum{j | j <= i} a[i,j]*x[j]", {"a": (20, 20), "x": (20,)}, {"a": (5, 5), "x": (5,)}),
    "pooling": ("y[i: 10] = max{r: 2} x[2*i+r]", {"x": (20,)}, {"x": (7,)}),
    "repeated": ("y[i: 24] = x[i//3]*w[i%3]", {"x": (8,), "w": (3,)}, {"x": (3,), "w": (3,)}),
    "periodic": ("size N\ninput x[N], z[N]\ny[i] = x[wrap(i-1)]*z[i]", {"x": (12,), "z": (12,)}, {"x": (5,), "z": (5,)}),
    "reversed": ("size N\ninput x[N], z[N]\ny[i: N] = x[N-1-i]*z[i]", {"x": (12,), "z": (12,)}, {"x": (5,), "z": (5,)}),
    "deep halo": ("size N; input x[N]\ny[i: N] = sum{r: 9} x[pad(i+r-4)]", {"x": (10,)}, {"x": (1,)}),
    "uneven": ("size N; input x[N]\ny[i: N] = x[pad(i-1)]*i + N", {"x": (10,)}, {"x": ((1, 0, 6, 3),)}),
    "loss": ("l = sum{i,j} x[i,j]**2", {"x": (40, 30)}, {"x": (5, 5)}),
    "mean and argmax": ("a = argmax{i} x[i]; m = mean{i} x[i]; y[j] = x[j] - m + a; output y", {"x": (30,)}, {"x": (7,)}),
    "names that meet": ("size N; input o_0[N], n_0[N]\ny[i: N] = o_0[pad(i-1)]*n_0[i]", {"o_0": (9,), "n_0": (9,)}, {"o_0": (4,), "n_0": (4,)}),
}  # fmt: skip


@pytest.fixture(autouse=True)
def here():
    with dask.config.set(scheduler="synchronous"):
        yield


def some(shapes, dtype="float64", seed=0):
    rng = np.random.default_rng(seed)
    return {n: np.asarray(rng.normal(size=s), dtype) for n, s in shapes.items()}


def lazy(arrays, chunks):
    return {n: da.from_array(a, chunks=chunks[n]) for n, a in arrays.items()}


def close(found, wanted):
    np.testing.assert_allclose(
        found, wanted, rtol=1e-12, atol=1e-12 * np.abs(wanted).max(initial=0)
    )


@pytest.mark.parametrize("name", CASES)
def test_values_and_gradients_are_those_of_one_call(name):
    text, shapes, chunks = CASES[name]
    f = tadc.compile(text)
    x = some(shapes)
    value, pullback = f.vjp(**x)
    dy = some({"y": value.shape}, seed=1)["y"]

    y, lazy_pullback = f.vjp(**lazy(x, chunks))
    found, gradients = dask.compute(y, lazy_pullback(dy))

    close(found, value)
    for n, gradient in pullback(dy).items():
        close(gradients[n], gradient)


@pytest.mark.parametrize("name", ["wave", "repeated", "periodic", "reversed", "uneven"])
def test_what_is_not_in_parts_has_the_bits_of_one_call(name):
    text, shapes, chunks = CASES[name]
    f = tadc.compile(text)
    x = some(shapes, "float32")

    y = f(**lazy(x, chunks))

    assert y.dtype == np.float32
    assert np.array_equal(y.compute(), f(**x))


@pytest.mark.compiler
@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n == "hankel" else [pytest.mark.slow]) for n in ("hankel", "wave", "convolution", "softmax", "pooling")])  # fmt: skip
def test_compiled_blocks_have_the_bits_of_one_call(name):
    """Their last blocks are small: schedules are chosen by the extents of the whole."""
    text, shapes, chunks = CASES[name]
    f = tadc.compile(text, backend="native")
    x = some(shapes, "float32")
    value, pullback = f.vjp(**x)
    dy = some({"y": value.shape}, "float32", seed=1)["y"]
    data = tadc.dask.wrap(f, split=dict.fromkeys(["y"], ()) if name == "hankel" else {})

    y, lazy_pullback = data.vjp(**lazy(x, chunks))
    found, gradients = dask.compute(y, lazy_pullback(dy))

    assert np.array_equal(found, value)
    whole = {"hankel": "hx", "wave": ["u", "v"], "convolution": "x"}.get(name, "x")
    assert all(np.array_equal(gradients[n], pullback(dy)[n]) for n in whole)


# ---------------------------------------------------------------------- parts with the bits of one call

SUMS = {
    "loss": ("l = sum{i} x[i]*y[i]; input x[N], y[N]", {"x": (20003,), "y": (20003,)}, {"x": (3000,), "y": (2500,)}),
    "shifted": ("l = sum{i} x[pad(i-1)]*exp(x[i]); input x[N]", {"x": (20003,)}, {"x": (3000,)}),
    "squares": ("l = 0.5*sum{i,j} (x[i,j]-y[i,j])**2; input x[N,M], y[N,M]", {"x": (300, 70), "y": (300, 70)}, {"x": (30, 70), "y": (40, 70)}),
    "short rows": ("l = sum{i,p} x[i,p]; input x[N,4]", {"x": (3000, 4)}, {"x": (400, 4)}),
    "triangle": ("l = sum{i,j | j <= i} x[i,j]; input x[N,N]", {"x": (300, 300)}, {"x": (40, 300)}),
    "weights": ("w[a: 3] = sum{i: N-2} x[i+a]*y[i]; input x[N], y[N-2]", {"x": (20003,), "y": (20001,)}, {"x": (3000,), "y": (2500,)}),
    "short end": ("l = sum{i} x[i]*y[i]; input x[N], y[N]", {"x": (2050,), "y": (2050,)}, {"x": (1025,), "y": (410,)}),
    "product": ("l = prod{i} (1 + 0.001*x[i]); input x[N]", {"x": (20003,)}, {"x": (3000,)}),
    "mean": ("l = mean{i} (x[i]-y[i])**2; input x[N], y[N]", {"x": (20003,), "y": (20003,)}, {"x": (3000,), "y": (2500,)}),
    "factors": ("l[a: 3] = -sum{i: N-2} g[a]*x[i+a]*c; input x[N], g[3], c[]", {"x": (20003,), "g": (3,), "c": ()}, {"x": (3000,), "g": (3,), "c": ()}),
}  # fmt: skip


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.plain(threads=1, dtype=1, name=2)
def test_parts_of_sums_are_made_of_the_sections_of_one_call(name, threads, dtype):
    """Cuts are moved to the nearest end of a section, wherever chunks end, and threads of a call share sections too."""
    text, shapes, chunks = SUMS[name]
    f = tadc.compile(text, backend="native", threads=threads)
    x = some(shapes, dtype)
    data = tadc.dask.wrap(f)

    plan = data.plan(**lazy(x, chunks))
    found = data(**lazy(x, chunks)).compute()

    assert plan.splits and all(t.has_bits_of_one_call for t in plan.tensors)
    assert "(the bits of one call)" in str(plan)
    assert found.dtype == dtype
    assert np.array_equal(found, f(**x))


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("l = sum{i,j} x[i,j]; input x[N,M]", (20, 30)),  # cut across sections
        ("l = sum{i,j} x[i,j]; input x[N,M]", (1, 60)),  # chunks shorter than sections
    ],
)
def test_plans_say_which_parts_have_other_bits_than_one_call(text, chunks):
    f = tadc.compile(text, backend="native")
    x = da.ones((200, 60), chunks=chunks, dtype="float32")

    plan = tadc.dask.wrap(f, split={"l": ("i",) if chunks[1] == 60 else ("i", "j")}).plan(x)

    assert not plan.tensors[0].has_bits_of_one_call
    assert "(other bits than one call)" in str(plan)


@pytest.mark.compiler
def test_a_factor_is_multiplied_once_where_parts_are_chosen():
    f = tadc.compile("l = sum{i,j} 3*x[i,j]; input x[N,M]", backend="native")
    x = some({"x": (200, 60)}, "float32")["x"]
    lazy_x = da.from_array(x, chunks=(20, 30))
    data = tadc.dask.wrap(f, split={"l": "i"})

    assert data.plan(lazy_x).splits == {"l_sum": ("i",)}
    assert data(lazy_x).compute() == f(x)
    assert tadc.dask.wrap(f, split={"l": ()}).plan(lazy_x).kept == ("l",)
    with pytest.raises(tadc.ArgumentError, match="`k` is no index of the reduction"):
        tadc.dask.wrap(f, split={"l": "k"}).plan(lazy_x)


@pytest.mark.compiler
def test_plans_say_where_one_call_adds_up_several_sums_at_once():
    """Then each has fewer lanes."""
    sums = "\n".join(f"l{k} = sum{{i}} x[i]**{k}" for k in range(1, 7))
    f = tadc.compile(f"input x[N]\n{sums}\noutput l1, l2, l3, l4, l5, l6", backend="native")

    plan = tadc.dask.wrap(f, split=()).plan(da.ones(20_000, chunks=5000))

    assert not any(t.has_bits_of_one_call for t in plan.tensors)
    assert "added up in another order than in one call" in str(plan)


@pytest.mark.parametrize("extent", [2048, 2049, 2050, 3000, 3073, 70_000, 70_001])
@pytest.mark.parametrize("chunk", [410, 1100, 1500])
def test_parts_of_sections_are_all_of_the_sum(extent, chunk):
    """The last section may be short, and nearer to the end of the one before than to its own."""
    sections = Sections("i", 0, extent, max(1024, -(-extent // 64)), 64)
    ends = [*range(0, extent, chunk), extent]
    cut = parts_of_sections(sections, [*pairwise(ends)])

    assert not cut or (cut[0][0], cut[-1][1]) == (0, extent)
    assert all(a < b for a, b in cut) and all(b == c for (_, b), (c, _) in pairwise(cut))
    assert all(low % sections.length == 0 for low, _ in cut)


def test_sections_without_a_term_are_neutral_where_all_are_added_up():
    from tadc.dask.tasks import combine_sections

    parts = np.array([[1.0, 2.0]]), np.array([[3.0, 4.0], [5.0, 6.0]])

    assert combine_sections("sum", 8, [0, 3, 7], *parts).tolist() == [9, 12]
    assert combine_sections("prod", 8, [0, 3, 7], *parts).tolist() == [15, 48]


def test_a_product_of_matrices_in_parts():
    text, shapes, chunks = CASES["product"]
    f = tadc.compile(text)
    x = some(shapes)
    data = tadc.dask.wrap(f, split={"c": "k"})

    plan = data.plan(**lazy(x, chunks))

    assert plan.tensors[0].blocks == 18
    assert plan.splits == {"c": ("k",)}
    assert "c[i: n_0, j: n_1] = sum{k=0..rn_0 - 1} a[i, k]*b[k, j]" in plan.tensors[0].text
    close(data(**lazy(x, chunks)).compute(), f(**x))


def test_parts_without_a_term_have_no_task():
    text, shapes, chunks = CASES["causal"]
    data = tadc.dask.wrap(tadc.compile(text), split={"y": "j"})

    assert data.plan(**lazy(some(shapes), chunks)).tensors[0].blocks == 10


def test_parts_of_an_adjoint_without_a_term():
    f = tadc.compile(CASES["hankel"][0]).adjoint()
    x = some({"h": (60,), "x": (25,), "dy": (36,)})
    arrays = lazy(x, {"h": (16,), "x": (10,), "dy": (36,)})
    data = tadc.dask.wrap(f, split={"dh": "j"})

    plan = data.plan(**arrays)

    assert plan.chunks["dh"] == ((16, 16, 16, 12),)
    close(data(**arrays)[0].compute(), f(**x)[0])


@pytest.mark.parametrize(
    ("text", "shape", "chunks", "options", "splits"),
    [
        ("l = 0.5*sqrt(sum{i} x[i]**2)", 40, 4, {}, {"l_sum": ("i",)}),
        ("y[i] = exp(-sum{k} x[i,k]) + max{k} x[i,k]", (2, 40), (2, 4), {}, {"y_sum": ("k",), "y_max": ("k",)}),
        ("y[i] = exp(-sum{k} x[i,k])", (2, 40), (2, 20), {}, {}),
        ("y[i] = exp(-sum{k} x[i,k])", (2, 40), (2, 20), {"limit": 500}, {"y_sum": ("k",)}),
        ("t[i] = x[i]**2; l = sum{i} t[i]", 40, 4, {}, {"l": ("i",)}),
    ],
)  # fmt: skip
def test_long_sums_inside_of_expressions_are_in_parts(text, shape, chunks, options, splits):
    f = tadc.compile(text)
    x = some({"x": shape})["x"]
    lazy_x = da.from_array(x, chunks=chunks)
    data = tadc.dask.wrap(f, **options)

    assert data.plan(lazy_x).splits == splits
    close(data(lazy_x).compute(), f(x))


def test_many_parts_are_a_tree():
    f = tadc.compile("l = sum{i} x[i]")
    x = np.arange(1000.0)
    y = f(da.from_array(x, chunks=10))

    assert y.compute() == f(x)
    assert max(len(t.dependencies) for t in y.dask.values() if hasattr(t, "dependencies")) <= 9


@pytest.mark.parametrize("op", ["max", "min", "prod", "sum"])
def test_reductions_without_any_term(op):
    f = tadc.compile(f"size N\ninput x[N]\ny[i: N] = {op}{{j | j > i + 5}} x[j]")
    x = np.arange(1.0, 9)
    data = tadc.dask.wrap(f, split={"y": "j"})

    assert np.array_equal(data(da.from_array(x, chunks=2)).compute(), f(x))


def test_ties_and_nan_of_a_maximum_in_parts():
    f = tadc.compile("m[i] = max{j} x[i,j]")
    x = np.array([[1.0, 3, 3, 3], [np.nan, 1, 2, 0], [-0.0, 0.0, -1, -1]])
    data = tadc.dask.wrap(f)
    y, pullback = data.vjp(da.from_array(x, chunks=(1, 1)))
    value, whole = f.vjp(x)

    assert np.array_equal(y.compute(), value, equal_nan=True)
    close(pullback(np.ones(3))["x"].compute(), whole(np.ones(3))["x"])


def test_large_temporaries_never_exist():
    f = tadc.compile(CASES["gaussians"][0])
    shapes = {"w": (400,), "g": (), "x": (300, 1), "z": (400, 1)}
    arrays = lazy(some(shapes), {"w": 100, "g": (), "x": (100, 1), "z": (100, 1)})

    plan = tadc.dask.wrap(f).plan(gradients=True, **arrays)

    assert all(np.prod([sum(c) for c in t.chunks]) < 300 * 400 for t in plan.tensors)


def test_intermediates_inside_are_said_and_may_be_kept():
    f = tadc.compile(
        "size N; input x[N]; t[i: N] = x[pad(i-1)] + x[pad(i+1)]\ny[i: N] = t[pad(i-1)] + t[pad(i+1)]"
    )
    x = np.arange(12.0) ** 2
    lazy_x = da.from_array(x, chunks=3)

    inside, outside = tadc.dask.wrap(f), tadc.dask.wrap(f, keep="t")

    assert (inside.plan(lazy_x).kept, inside.plan(lazy_x).inside) == (("y",), ("t",))
    assert (outside.plan(lazy_x).kept, outside.plan(lazy_x).inside) == (("t", "y"), ())
    for data in (inside, outside):
        assert np.array_equal(data(lazy_x).compute(), f(x))
    assert "inside its blocks: t" in str(inside.plan(lazy_x))


def test_what_a_reduction_makes_is_kept_and_what_each_element_makes_is_inside():
    plan = tadc.dask.wrap(tadc.compile(SOFTMAX)).plan(da.ones((40, 30), chunks=(10, 30)))

    assert (plan.kept, plan.inside) == (("m", "y_sum", "y"), ("e",))


@pytest.mark.parametrize(("terms", "kept"), [(1, ("y",)), (50, ("t", "y"))])
def test_what_a_reduction_makes_is_kept_up_to_four_times_inputs_and_outputs(terms, kept):
    f = tadc.compile("t[i,j] = sum{k} a[i,k]*b[k,j]; y[i] = sum{j} t[i,j]**2; output y")
    a, b = da.ones((40, terms), chunks=(10, -1)), da.ones((terms, 400), chunks=(-1, 100))

    assert tadc.dask.wrap(f).plan(a, b).kept == kept


@pytest.mark.parametrize("op", ["max", "min"])
def test_greatest_and_least_values_in_parts_have_the_bits_of_one_call(op):
    f = tadc.compile(f"y[i] = {op}{{j}} x[i,j]/3")
    x = some({"x": (3, 200)}, "float32")["x"]
    data = tadc.dask.wrap(f, split={"y": "j"})
    plan = data.plan(da.from_array(x, chunks=(3, 9)))

    assert np.array_equal(data(da.from_array(x, chunks=(3, 9))).compute(), f(x))
    assert plan.splits and plan.tensors[0].has_bits_of_one_call


def test_blocks_refer_to_one_text():
    f = tadc.compile(WAVE)
    x = {n: da.zeros((8, 8, 8), chunks=2) for n in ("u", "before", "v")}
    tasks = dict(tadc.dask.wrap(f)(**x).dask).values()

    assert sum(isinstance(a, Code) for task in tasks for a in task.args) == 1


@pytest.mark.parametrize("slices", [False, True])
def test_halos_are_slices_or_whole_neighbours(slices):
    text, shapes, chunks = CASES["wave"]
    f = tadc.compile(text)
    x = some(shapes)
    data = tadc.dask.wrap(f, slices=slices)
    plan = data.plan(**lazy(x, chunks))

    assert np.array_equal(data(**lazy(x, chunks)).compute(), f(**x))
    assert (plan.tasks > 30) == slices


def test_tangents():
    f = tadc.compile(CASES["convolution"][0])
    _, shapes, chunks = CASES["convolution"]
    x, dx = some(shapes), some(shapes, seed=2)["x"]

    y, dy = f.jvp(lazy(x, chunks), {"x": dx})
    value, slope = f.jvp(x, {"x": dx})

    close(y.compute(), value)
    close(dy.compute(), slope)


def test_adjoints_are_functions_of_dask_arrays_and_have_the_chunks_of_inputs():
    f = tadc.compile(CASES["convolution"][0]).adjoint()
    shapes = CASES["convolution"][1] | {"dy": (6, 4, 7, 7)}
    x = some(shapes)
    arrays = lazy(x, CASES["convolution"][2] | {"dy": (3, 4, 7, 7)})

    for found, wanted, n in zip(f(**arrays), f(**x), "xw", strict=True):
        close(found.compute(), wanted)
        assert found.chunks == arrays[n].chunks


def test_value_and_gradients_of_a_loss():
    f = tadc.compile("l = sum{i} x[i]**2")
    x = da.from_array(np.arange(8.0), chunks=3)
    value, gradients = f.value_and_gradients(x)

    assert value.compute() == 140
    assert np.array_equal(gradients["x"].compute(), 2 * np.arange(8.0))


def test_values_are_computed_once_for_several_pullbacks():
    f = tadc.compile(SOFTMAX)
    y, pullback = f.vjp(da.from_array(np.ones((4, 4)), chunks=2))
    first, second = pullback(np.ones((4, 4)))["x"], pullback(np.ones((4, 4)))["x"]

    assert first.name == second.name
    assert set(dict(y.dask)) & set(dict(first.dask))


def test_names_of_arrays_tell_inputs_sizes_texts_chunks_and_choices_apart():
    f = tadc.compile("size N; input x[4]; y[i: 4] = x[i]*N")
    x, other = da.ones(4, chunks=2), da.zeros(4, chunks=2)
    g = tadc.compile("size N; input x[4]; y[i: 4] = x[i]+N")
    names = [
        f(x, N=2).name,
        f(other, N=2).name,
        f(x, N=3).name,
        g(x, N=2).name,
        f(x.rechunk(1), N=2).name,
        tadc.dask.wrap(f, chunks={"y": 4})(x, N=2).name,
        tadc.compile(str(f), dtype="float32")(x, N=2).name,
    ]

    assert f(x, N=2).name == names[0]
    assert len(set(names)) == len(names)


WITHOUT_COMPILER = """
import pickle, sys, warnings
warnings.simplefilter("ignore")
array = pickle.loads(sys.stdin.buffer.read())
from tadc.runtime.run import default_backend
assert default_backend() == "numpy"
sys.stdout.buffer.write(pickle.dumps(array.compute(scheduler="synchronous")))
"""


@pytest.mark.slow
def test_a_process_without_a_compiler_computes_blocks_with_numpy(monkeypatch):
    monkeypatch.delenv("TADC_BACKEND")
    f = tadc.compile(WAVE)
    x = some(dict.fromkeys(("u", "before", "v"), CUBE))
    y = f(**lazy(x, dict.fromkeys(x, (5, 4, 8))))
    paths = os.pathsep.join(sys.path)
    environment = {**os.environ, "PATH": "", "CC": "", "PYTHONPATH": paths}
    command = [sys.executable, "-c", WITHOUT_COMPILER]

    assert "blocks run by numpy" in str(
        tadc.dask.wrap(tadc.compile(WAVE, backend="numpy")).plan(**x)
    )
    done = subprocess.run(
        command,
        input=pickle.dumps(y),
        env=environment,
        capture_output=True,
        timeout=100,
        check=True,
    )

    close(pickle.loads(done.stdout), f(**x))


def test_sizes_that_multiply_indices_get_numbers_from_whole_shapes():
    f = tadc.compile("size M\ninput x[8*M]\ny[i: 4] = x[M*i]")
    x = np.arange(24.0)

    assert np.array_equal(f(da.from_array(x, chunks=5), M=3).compute(), f(x, M=3))


@pytest.mark.parametrize("n", [0, 1])
def test_extents_of_zero_and_one(n):
    f = tadc.compile("size N; input x[N]; s = sum{i} x[i]; y[i: N] = x[pad(i-1)] + s; output y, s")
    x = np.ones(n)

    found = dask.compute(*f(da.from_array(x, chunks=max(n, 1))))

    assert all(np.array_equal(a, b) for a, b in zip(found, f(x), strict=True))


def test_integers_and_numbers_promote_as_in_a_call():
    f = tadc.compile("y[i] = a*x[i] + k[i]")
    x, k = np.arange(4, dtype="float32"), np.arange(4)
    found = f(2.0, da.from_array(x, chunks=2), da.from_array(k, chunks=2))

    assert found.dtype == f(2.0, x, k).dtype
    assert np.array_equal(found.compute(), f(2.0, x, k))


class Store:
    """What a store is: a shape, a type, chunks, and slices."""

    def __init__(self, array, chunks):
        self.array, self.chunks = array, chunks
        self.shape, self.dtype = array.shape, array.dtype

    def __getitem__(self, where):
        return self.array[where]


@pytest.mark.parametrize(
    ("right", "cuts"),
    [
        ("x[i]", (5, 5, 2)),
        ("z[0] + x[i]", (5, 5, 2)),
        ("x[pad(2*i+1)]", (3, 2, 7)),  # where 2*i passes 5 and 10
        ("x[i//3]", (12,)),  # of the first 4 elements
        ("x[i//2] + z[0]", (10, 2)),
        ("x[0]", (12,)),
    ],
)
def test_chunks_of_a_result_follow_from_what_it_reads(right, cuts):
    f = tadc.compile(f"input x[12], z[12]; y[i: 12] = {right}")
    x, z = (da.from_array(np.arange(12.0), chunks=c) for c in (5, 12))

    assert f(x=x, z=z).chunks == (cuts,)
    assert np.array_equal(f(x=x, z=z).compute(), f(x=np.arange(12.0), z=np.arange(12.0)))


@pytest.mark.parametrize(("slices", "tasks"), [(True, 417), (False, 129)])
def test_a_stencil_has_a_task_a_block_and_one_for_each_piece_that_is_sent(slices, tasks):
    f = tadc.compile(
        "size X, Y, Z; input u[X,Y,Z]; y[x: X, y: Y, z: Z] = u[pad(x-1),y,z] + u[pad(x+1),y,z]"
        "+ u[x,pad(y-1),z] + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z]"
    )
    u = da.zeros((256,) * 3, chunks=64)
    y = tadc.dask.wrap(f, slices=slices)(u)

    assert len(dict(y.dask)) == tasks
    assert tadc.dask.wrap(f, slices=slices).plan(u).tasks == tasks - 64  # those of the input


def test_texts_do_not_grow_with_the_number_of_blocks():
    f = tadc.compile(CASES["hankel"][0])
    texts = {
        tadc.dask.wrap(f).plan(h=da.ones(60, chunks=c), x=da.ones(25, chunks=5)).tensors[0].text
        for c in (30, 20, 7)
    }

    assert len(texts) == 1


def test_parts_have_the_same_bits_whoever_computes_them():
    f = tadc.compile("s[i] = sum{j} x[i,j]")
    x = da.from_array(some({"x": (3, 200)}, "float32")["x"], chunks=(3, 9))
    y = tadc.dask.wrap(f, split={"s": "j"})(x)
    with dask.config.set(scheduler="threads", num_workers=4):
        threads = [y.compute() for _ in range(3)]

    assert all(np.array_equal(found, y.compute()) for found in threads)


def test_nothing_is_in_parts_with_an_empty_split():
    f = tadc.compile("l = 0.5*sum{i} x[i]**2 + max{i} x[i]")
    x = some({"x": (200,)})["x"]
    data = tadc.dask.wrap(f, split=())

    assert tadc.dask.wrap(f).plan(da.from_array(x, chunks=10)).splits
    assert data.plan(da.from_array(x, chunks=10)).splits == {}
    assert data(da.from_array(x, chunks=10)).compute() == f(x)
    with pytest.raises(tadc.ArgumentError, match="larger `limit`"):
        tadc.dask.wrap(f, split=(), limit=500)(da.from_array(x, chunks=10))


def test_the_bytes_of_a_task_count_what_its_schedule_stores():
    """`b*c`, 30 rows of 60."""
    f = tadc.compile("y[i,j] = sum{k,l} a[i,k]*b[k,l]*c[l,j]")
    a, b, c = da.ones((40, 30), chunks=(20, 30)), da.ones((30, 50)), da.ones((50, 60))
    plan = tadc.dask.wrap(f).plan(a, b, c)

    held = (20 * 30, 30 * 50, 50 * 60, 20 * 60)
    assert plan.task_bytes == 8 * (sum(held) + 30 * 60)


def test_many_tasks_are_a_warning(monkeypatch):
    monkeypatch.setattr(lazy_calls, "MOST_TASKS", 10)
    with pytest.warns(UserWarning, match=r"has 13 tasks: .*advice"):
        tadc.compile("y[i] = 2*x[i]")(da.ones(12, chunks=1))


def test_footprints_that_are_not_decided_are_told_in_the_plan(monkeypatch):
    f = tadc.compile("size N; input x[N]; y[i: N] = x[pad(i//2 + i%2)]")
    x = np.arange(23.0)
    with monkeypatch.context() as patch:
        patch.setattr(footprints, "smallest_point", lambda *_: UNDECIDED)
        footprints._ends.cache_clear()
        footprints._boxes.cache_clear()
        data = tadc.dask.wrap(f)
        plan, y = data.plan(da.from_array(x, chunks=5)), data(da.from_array(x, chunks=5))
    footprints._ends.cache_clear()
    footprints._boxes.cache_clear()

    assert "whole dimensions are read where data decide, or footprints were not decided" in str(
        plan
    )
    assert np.array_equal(y.compute(), f(x))


def test_names_of_arrays_that_are_names_of_sizes():
    """What tasks hold besides arrays is not taken for keys."""
    f = tadc.compile("size N; input x[N], z[N]; y[i: N] = x[pad(i-1)]*z[i]")
    x = np.arange(9.0)
    arrays = [da.from_array(x, chunks=4, name=name) for name in ("o_0", "n_0")]

    assert np.array_equal(f(*arrays).compute(), f(x, x))


def test_importing_tadc_imports_no_dask():
    check = "import sys, tadc; assert not {'dask', 'distributed', 'zarr'} & {*sys.modules}"
    paths = os.pathsep.join(sys.path)
    subprocess.run(
        [sys.executable, "-c", check],
        env={**os.environ, "PYTHONPATH": paths},
        timeout=60,
        check=True,
    )


def test_a_step_of_a_state_is_a_graph():
    f = tadc.compile("size N; state u[N]; u[i] <- u[i] + 0.1*(u[pad(i-1)] - u[i])")
    u = some({"u": (20,)})["u"]
    lazy_u, wanted = da.from_array(u, chunks=6), u
    for _ in range(3):
        lazy_u, wanted = f(lazy_u), f(wanted)

    assert np.array_equal(lazy_u.compute(), wanted)


def test_a_store_is_read_by_the_tasks_themselves():
    f = tadc.compile(WAVE)
    x = some(dict.fromkeys(("u", "before", "v"), CUBE))
    stores = {n: Store(a, (5, 4, 8)) for n, a in x.items()}

    y, plan = tadc.dask.wrap(f)(**stores), tadc.dask.wrap(f).plan(**stores)

    assert len(dict(y.dask)) == 9 + 1
    assert plan.moved_bytes >= sum(a.nbytes for a in x.values())
    assert np.array_equal(y.compute(), f(**x))


@pytest.mark.parametrize(
    ("given", "chunks"), [((3,), (3, 3, 2)), (((4, 4),), (4, 4)), (None, (8,))]
)
def test_a_store_says_its_chunks_in_any_form_or_has_none(given, chunks):
    y = tadc.dask.wrap(tadc.compile("y[i] = 2*x[i]"))(Store(np.arange(8.0), given))

    assert y.chunks == (chunks,)
    assert np.array_equal(y.compute(), 2 * np.arange(8.0))


def test_a_limit_cuts_what_nothing_else_cuts_and_then_is_an_error():
    f = tadc.compile("size N, M\ninput x[N]\ny[i: N, j: M] = x[i]*j")
    x = da.from_array(np.ones(100), chunks=50)
    whole = f(np.ones(100), M=200)

    cut = tadc.dask.wrap(f, limit=20_000)(x, M=200)
    assert len(cut.chunks[1]) > 1
    assert np.array_equal(cut.compute(), whole)
    with pytest.raises(tadc.Error, match=r"y\[0:50, 0:1\] holds .* limit is 100"):
        tadc.dask.wrap(f, limit=100)(x, M=200)


def test_a_limit_may_be_infinite():
    f = tadc.compile("y[i,j] = sum{k,l} a[i,k]*b[k,l]*a[l,j]")
    x = da.ones((4, 4), chunks=2)

    assert tadc.dask.wrap(f, limit=float("inf"))(x, x).compute().tolist() == [[16] * 4] * 4


def test_a_limit_splits_a_long_sum():
    f = tadc.compile("y[i] = sum{j} a[i,j]")
    a = da.from_array(np.ones((4, 1000)), chunks=(1, 500))

    assert tadc.dask.wrap(f).plan(a).splits == {}
    assert tadc.dask.wrap(f, limit=6000).plan(a).splits == {"y": ("j",)}


def test_advice_has_fewer_tasks():
    text, shapes, _ = CASES["wave"]
    arrays = lazy(some(shapes), dict.fromkeys(shapes, (2, 2, 2)))
    advice = tadc.dask.wrap(tadc.compile(text)).advice(**arrays)

    assert advice.best[1].tasks < advice.plans[0][1].tasks
    assert str(advice).startswith("now u (2, 2, 2)")


def test_wrapped_functions_are_pickled():
    data = tadc.dask.wrap(tadc.compile("y[i] = 2*x[i]"), limit=1e6)

    assert pickle.loads(pickle.dumps(data))(da.ones(3)).compute().tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda f, x: f(x, out=np.ones(4)), "dask.array.store"),
        (lambda f, x: f(x[x > 0]), "shape of `x` is not known"),
        (lambda f, x: f(da.ones((2, 2))), "1 dimension"),
        (lambda f, x: f(da.ones(3).astype("U3")), "elements of type <U3"),
        (lambda f, x: f(da.ones(3).astype(object)), "elements of type object"),
        (lambda f, x: f(da.ma.masked_greater(x, 0)), "masked array"),
        (lambda f, x: tadc.dask.wrap(f)(np.ma.masked_greater([1.0], 0)), "masked array"),
        (lambda f, x: tadc.dask.wrap(f)(dask.delayed(np.ones)(4)), "da.from_delayed"),
        (lambda f, x: f.vjp(x)[1](np.ones(4), out=np.ones(4)), "dask.array.store"),
        (lambda f, x: tadc.dask.wrap(f)(x, accumulate=True), "dask.array.store"),
        (lambda f, x: f.vjp(x)[1](np.ones(5)), "shape (5,)"),
        (lambda f, x: f.vjp(x)[1](np.ones(4), np.ones(4)), "2 cotangents"),
        (lambda f, x: f.value_and_gradients(x), "`cotangent` is missing"),
        (lambda f, x: f.jvp({"x": x}, {"z": x}), "`z` is no input"),
        (lambda f, x: f.jvp({"x": x}, {"x": np.ones(5)}), "shape (5,)"),
        (lambda f, x: tadc.dask.wrap(f, chunks={"z": 3})(x), "`z` in `chunks`"),
        (lambda f, x: tadc.dask.wrap(f, chunks={"y": (3, 3)})(x), "chunks of `y` do not fit"),
        (lambda f, x: tadc.dask.wrap(f, chunks={"y": 0})(x), "chunks of `y` do not fit"),
        (lambda f, x: tadc.dask.wrap(f, chunks={"y": -3})(x), "chunks of `y` do not fit"),
        (lambda f, x: tadc.dask.wrap(f, chunks={"y": ((np.nan,),)})(x), "chunks of `y` do not fit"),
        (lambda f, x: tadc.dask.wrap(f, split={"y": "k"})(x), "no reduction as a whole"),
        (lambda f, x: tadc.dask.wrap(f, split={"y": 3}), "`split['y']` is 3"),
        (lambda f, x: tadc.dask.wrap(f, keep=3), "`keep` is 3"),
        (lambda f, x: tadc.dask.wrap(f, slices="no"), "`slices` is 'no'"),
        (lambda f, x: tadc.dask.wrap(f, keep=["t"])(x), "`t` in `keep`"),
        (lambda f, x: tadc.dask.wrap(f, limit=-1), "`limit` is -1"),
        (lambda f, x: tadc.dask.wrap(f, chunks=3), "give a dict"),
        (lambda f, x: tadc.dask.wrap(3), "`f` is int"),
    ],
)
def test_what_does_not_fit_is_an_error_before_anything_runs(call, says):
    f = tadc.compile("y[i] = 2*x[i]")
    with pytest.raises(tadc.Error) as error:
        call(f, da.ones(4, chunks=2))
    assert any(s in str(error.value) for s in says.split("|"))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda b: b[:1], r"`x` has the shape \(1,\), and \(4,\)"),
        (lambda b: np.tile(b, 2), r"`x` has the shape \(8,\), and \(4,\)"),
        (lambda b: b + 1j, "`x` has elements of type complex128"),
        (lambda b: np.ma.masked_greater(b, 0), "`x` is a masked array"),
    ],
)
@pytest.mark.parametrize("subscript", ["i", "pad(i-1)"])
@pytest.mark.parametrize("slices", [False, True])
@pytest.mark.plain(slices=1)
def test_chunks_that_are_not_what_their_array_says_are_an_error_of_their_task(
    made, says, subscript, slices
):
    f = tadc.compile(f"size N; input x[N]; y[i: N] = 2*x[{subscript}]")
    x = da.ones(8, chunks=4).map_blocks(made, dtype=float, meta=np.empty(0))

    with pytest.raises(tadc.Error, match=says):
        tadc.dask.wrap(f, slices=slices)(x).compute()


def test_chunks_of_other_types_are_converted():
    f = tadc.compile("size N; input x[N]; y[i: N] = 2*x[pad(i-1)]")
    x = np.arange(8) + 2.0**-40
    mixed = da.concatenate([da.ones(1, chunks=1), da.from_array(x, chunks=4)])
    made = mixed.map_blocks(
        lambda b: b.astype("f4") if len(b) == 1 else b, dtype=float, meta=np.empty(0)
    )

    assert np.array_equal(tadc.dask.wrap(f, chunks={"y": 9})(made).compute(), f(np.r_[1, x]))


# A text, the shapes of its inputs, those of index tensors with the number of their values, and chunks.
DATA = {
    "gather": ("y[i] = x[k[i]]*w[i]; input x[N], k[M], w[M]", {"x": 30, "w": 47}, {"k": (47, 30)}, {"x": 11, "w": 13, "k": 13}),
    "rows": ("y[i,d] = x[k[i],d]**2; input x[N,D], k[M]", {"x": (30, 5)}, {"k": (47, 30)}, {"x": (11, 3), "k": 13}),
    "graph": ("size N\ninput x[N], v[E], src[E]: 0..N-1, dst[E]: 0..N-1\ny[i: N] = sum{e | dst[e] == i} v[e]*tanh(x[src[e]])",
              {"x": 30, "v": 47}, {"src": (47, 30), "dst": (47, 30)}, {"x": 11, "v": 13, "dst": 13, "src": 7}),
    "beside halos": ("size N\ninput x[N], k[N]: 0..N-1\ny[i: N] = x[pad(k[i]+1)] + x[pad(i-1)]*x[k[clamp(i+1)]]", {"x": 30}, {"k": (30, 30)}, {"x": 11, "k": 7}),
    "ragged": ("size N\ninput v[E], p[N+1]\ny[i: N] = sum{e: E | p[i] <= e and e < p[i+1]} v[e]**2", {"v": 47}, {"p": (31, 48)}, {"v": 13, "p": 8}),
    "declared values": ("size N, E\ninput v[E], p[N+1]: 0..E\ny[i: N] = sum{e = p[i]..p[i+1]-1} v[e]", {"v": 47}, {"p": (31, 48)}, {"v": 13, "p": 8}),
    "loss": ("l = sum{i} (x[k[i]] - y[i])**2; input x[N], k[M], y[M]", {"x": 30, "y": 47}, {"k": (47, 30)}, {"x": 11, "y": 13, "k": 13}),
}  # fmt: skip


@pytest.mark.parametrize("split", [None, ()])
@pytest.mark.parametrize("name", DATA)
def test_programs_that_read_through_data(name, split):
    """What is read through data is read whole; a gradient by it has whole lists, or parts of the index tensor."""
    text, shapes, indices, chunks = DATA[name]
    f = tadc.compile(text, backend="numpy")
    rng = np.random.default_rng(1)
    elements = {k: np.sort(rng.integers(0, n, size)) for k, (size, n) in indices.items()}
    x = {n: (some(shapes) | elements)[n] for n in f.inputs}
    value, pullback = f.vjp(**x)
    dy = some({"y": value.shape}, seed=1)["y"]

    y, lazy_pullback = tadc.dask.wrap(f, split=split).vjp(**lazy(x, chunks))
    found, gradients = dask.compute(y, lazy_pullback(dy))

    close(found, value)
    for n, gradient in pullback(dy).items():
        close(gradients[n], gradient)
        assert split is None or np.array_equal(gradients[n], gradient)


@pytest.mark.slow
@pytest.mark.compiler
def test_compiled_blocks_of_reads_through_data_have_the_bits_of_one_call():
    text, shapes, indices, chunks = DATA["graph"]
    f = tadc.compile(text, backend="native")
    rng = np.random.default_rng(1)
    elements = {k: rng.integers(0, n, size) for k, (size, n) in indices.items()}
    x = {n: (some(shapes, "float32") | elements)[n] for n in f.inputs}
    value, pullback = f.vjp(**x)

    y, lazy_pullback = tadc.dask.wrap(f, split=()).vjp(**lazy(x, chunks))
    found, gradients = dask.compute(y, lazy_pullback(value))

    assert np.array_equal(found, value)
    assert all(np.array_equal(gradients[n], g) for n, g in pullback(value).items())


@pytest.mark.compiler
@pytest.mark.parametrize("backend", ["numpy", "native"])
@pytest.mark.parametrize("element", [4, -1])
def test_an_element_that_leads_out_of_a_tensor_is_an_error_of_its_task(backend, element):
    f = tadc.compile("y[e] = 2*x[k[e]]; input k[E]: index, x[N]", backend=backend)
    k = da.from_array(np.array([0, 1, 2, element]), chunks=2)

    with pytest.raises(tadc.DataError, match=f"is {element}, and x has 4 elements"):
        f(k, da.ones(4, chunks=2)).compute()


def test_blocks_have_the_options_of_the_function():
    """`bounds="nan"`: the blocks that meet such an element are NaN."""
    text = "y[e] = 2*x[k[e]]; input k[E]: index, x[N]"
    f = tadc.compile(text, bounds="nan", memory="recompute", fast_math=True)
    y = f(da.from_array(np.array([0, 1, 2, 4]), chunks=2), da.ones(4, chunks=2)).compute()
    options = dict(lazy_calls._options(f.program, f._options, "float64"))

    np.testing.assert_array_equal(y, [2, 2, np.nan, np.nan])
    assert {"memory": "recompute", "fast_math": True, "bounds": "nan"}.items() <= options.items()


@pytest.mark.parametrize(
    ("text", "k", "says"),
    [
        ("y[e] = x[k[e]]; input k[E]: index, x[N]", np.ones(3), "used as an index here, and is float64"),
        ("m[e] = floor(k[e]); y[e] = x[m[e]]; input k[E], x[N]", np.ones(3), "the program computes it"),
    ],
)  # fmt: skip
def test_indices_that_are_refused_before_anything_runs(text, k, says):
    with pytest.raises(tadc.ArgumentError, match=says):
        tadc.compile(text)(da.from_array(k, chunks=2), da.ones(4, chunks=2))


def test_a_large_numpy_array_is_a_warning():
    f = tadc.compile("y[i] = x[i] + z[0]; input z[1]")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(x=np.zeros(2_000_000), z=da.ones(1))
    assert any("16 MB" in str(w.message) for w in found)


def test_dimensions_in_one_chunk_have_neither_offset_nor_extent():
    text, shapes, chunks = CASES["gaussians"]
    data = tadc.dask.wrap(tadc.compile(text), keep=())
    plan = data.plan(gradients=True, **lazy(some(shapes), chunks))

    assert "input w[rn_0], g[], x[n_0, K], z[rn_0, K], dy[n_0]" in plan.tensors[3].text


@pytest.mark.parametrize(
    ("text", "chunks", "fuses"),
    [
        ("y[i,j] = 2*x[i,j] + i", (3, 2), True),
        ("y[i,j] = x[j,i]", (3, 2), True),
        ("size N; input x[N,N]; y[i: N] = x[i,i]", (3, 3), True),
        ("y[i] = max{j} x[i,j]", (3, 8), True),
        ("y[i] = max{j} x[i,j]", (3, 2), False),
        ("size N, M; input x[N,M]; y[i: N, j: M] = x[N-1-i,j]", (4, 2), False),
        ("input x[8,8]; y[i: 4, j: 8] = x[i,j]", (2, 8), False),  # only the first of its chunks
    ],
)
def test_what_reads_whole_chunks_of_the_same_number_is_fused_with_its_surroundings(
    text, chunks, fuses
):
    f = tadc.compile(text)
    x = np.arange(64.0).reshape(8, 8)
    y = f(da.from_array(x, chunks=chunks) + 1)

    assert isinstance(y.dask.layers[y.name], dask.blockwise.Blockwise) == fuses
    assert np.array_equal((y + 1).compute(), f(x + 1) + 1)
    whole = da.ones((8, 8), chunks=chunks)
    tasks = dask.optimize(f(whole) + 1)[0].dask
    assert len(tasks) == f(whole).npartitions or not fuses


@pytest.mark.parametrize("op", ["sum", "prod", "max", "min"])
def test_zeros_of_reductions_in_parts_have_the_sign_of_one_call(op):
    f = tadc.compile(f"y[i] = {op}{{j}} x[i,j]")
    x = np.random.default_rng(0).choice([0.0, -0.0], size=(16, 7))
    x[0] = -0.0
    data = tadc.dask.wrap(f, split={"y": "j"})

    found = data(da.from_array(x, chunks=(16, 2))).compute()

    assert np.array_equal(np.signbit(found), np.signbit(f(x)))


def test_the_two_ends_of_a_periodic_read_are_read_without_what_is_between():
    f = tadc.compile("size N; input x[N]; y[i: N] = x[wrap(i-1)]")
    x = np.arange(100.0)
    y = tadc.dask.wrap(f, chunks={"y": 25})(Store(x, (25,)))

    assert np.array_equal(y.compute(), f(x))
    read = [a.where for task in dict(y.dask).values() for a in task.args if isinstance(a, Stored)]
    assert sum(w.stop - w.start for (w,) in read) == 100


@pytest.mark.compiler
@pytest.mark.parametrize(
    "right", ["sum{k | k < i - 2} d[k]*x[i]", "sum{k | 1 <= i and k < i - 2} d[k]*x[i-1]"]
)
def test_a_factor_of_an_empty_sum_is_read_though_the_sum_is_0(right):
    """It leaves the sum, and is multiplied by its 0 where the sum has no term."""
    f = tadc.compile(f"size N; input x[N], d[N]; y[i: N] = {right}", backend="native")
    x, d = some({"x": (7,), "d": (7,)}).values()
    y, pullback = f.vjp(da.from_array(x, chunks=2), da.from_array(d, chunks=3))
    value, whole = f.vjp(x, d)

    assert np.array_equal(y.compute(), value)
    close(pullback(x)["x"].compute(), whole(x)["x"])


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("extent", [33, 97, 700])
@pytest.mark.parametrize(
    "terms", ["k <= i", "k >= i", "abs(k-i) <= 20", "abs(k-i) <= 35", "abs(k-i) <= 300"]
)
def test_sums_whose_ends_move_have_the_bits_of_one_call(terms, extent, dtype):
    """Wherever strips of neighbours begin: blocks of a long sum are at multiples of their length, and cut by no strip."""
    text = f"size N; input x[N], d[N]; y[i: N] = d[i]*sum{{k: N | {terms}}} x[k]*exp(x[i]*x[k])"
    f = tadc.compile(text, backend="native", dtype=dtype)
    x, d = some({"x": (extent,), "d": (extent,)}, dtype).values()
    value, whole = f.vjp(x, d)
    data = tadc.dask.wrap(f, split=())
    y, pullback = data.vjp(da.from_array(x, chunks=13), da.from_array(d, chunks=29))

    assert np.array_equal(y.compute(), value)
    for name, gradient in pullback(d).items():
        assert np.array_equal(gradient.compute(), whole(d)[name]), name


def test_a_periodic_block_holds_its_ends_and_not_what_is_between():
    f = tadc.compile(
        "size X, Y; input u[X,Y]; y[i: X, j: Y] = u[wrap(i-1),j] + u[i,wrap(j+1)] - 2*u[i,j]"
    )
    u = some({"u": (64, 64)})["u"]
    x = da.from_array(u, chunks=(8, 8))
    data = tadc.dask.wrap(f, slices=True)
    value, pullback = f.vjp(u)
    y, lazy_pullback = data.vjp(x)

    assert data.plan(x).task_bytes < 4 * 8 * 8 * 8
    assert data.plan(x, gradients=True).task_bytes < 4 * 8 * 8 * 8
    assert np.array_equal(y.compute(), value)
    assert np.array_equal(lazy_pullback(x)["u"].compute(), pullback(u)["u"])


def test_choices_may_name_what_gradients_compute():
    f = tadc.compile(CASES["hankel"][0])
    x, chunks = some(CASES["hankel"][1]), CASES["hankel"][2]
    data = tadc.dask.wrap(f, split={"dh": "j"}, chunks={"dx": 5})
    _, pullback = data.vjp(**lazy(x, chunks))
    dy = np.arange(36.0)

    assert pullback(dy)["x"].chunks == ((5,) * 5,)
    close(pullback(dy)["h"].compute(), f.vjp(**x)[1](dy)["h"])


# ---------------------------------------------------------------------- random programs


@pytest.mark.parametrize(
    ("level", "seed", "mode"),
    [
        pytest.param(level, seed, mode, marks=[] if fast else [pytest.mark.slow])
        for level, seed, mode, fast in (
            ("core", 3, "vjp", True),
            ("full", 2, "small", True),
            ("full", 0, "second", False),
            ("full", 1, "jvp", False),
            ("full", 2, "tangent", False),
            ("core", 1, "adjoint", False),
        )
    ],
)
def test_random_programs_in_random_chunks(level, seed, mode):
    check(level, seed, mode)


# ---------------------------------------------------------------------- on a GPU


@pytest.mark.slow
@pytest.mark.compiler
def test_chunks_of_cupy_stay_on_the_gpu(xp):
    """Pieces, buffers, parts and their sums, blocks without a term."""
    f = tadc.compile(
        "size N; input x[N], g[]\ny[i: N] = g*sum{j | j < i} x[pad(i-j-1)]*x[j]", backend="auto"
    )
    x = np.arange(1.0, 12)
    on_gpu = da.from_array(xp.asarray(x), chunks=4, asarray=False)
    data = tadc.dask.wrap(f, split={"y_sum": "j"}, slices=True)
    value, pullback = f.vjp(x, 2.0)
    y, lazy_pullback = data.vjp(on_gpu, 2.0)
    gradients = lazy_pullback(on_gpu)

    wanted = pullback(x)
    for lazy_array, whole in (
        (y, value),
        (gradients["x"], wanted["x"]),
        (gradients["g"], wanted["g"]),
    ):
        blocks = dask.compute(*lazy_array.to_delayed().ravel().tolist())
        assert all(isinstance(b, xp.ndarray) for b in blocks)
        close(np.concatenate([np.atleast_1d(b.get()) for b in blocks]).reshape(whole.shape), whole)
    assert isinstance(y._meta, xp.ndarray)
    assert fake_cupy.STATE.launches or xp.__version__ != "0"


def test_chunks_of_cupy_and_of_numpy_are_an_error(xp):
    f = tadc.compile("y[i] = x[i]*z[i]")
    on_gpu = da.from_array(xp.asarray(np.ones(4)), chunks=2, asarray=False)

    with pytest.raises(tadc.BackendError, match="`z` has chunks of numpy"):
        f(on_gpu, da.ones(4, chunks=2))
