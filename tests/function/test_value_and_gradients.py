"""`value_and_gradients`: what `vjp` and its pullback give, from one call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from oracle import EXAMPLES, SIZES, random_arrays

import tadc
from tadc.function.value_and_gradients import _AtOnce, _InHalves
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cuda.arrays import on_host

GAUSSIANS = (
    "size N, M, D\ninput x[N,D], y[M,D], w[M]\nf[i] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]"
)
SQUARES = "size N\ninput x[N], w[]\ns = sum{i} w*x[i]**2"
SEVERAL = "size N, M\ninput x[N], a[]\noutput y, s\ny[i] = a*M*exp(x[i])\ns = sum{i} y[i]"
BACKENDS = ["numpy", "interpreter", pytest.param("native", marks=pytest.mark.compiler)]
LIMITS = {"float64": 1e-13, "float32": 2e-6}


@pytest.fixture(autouse=True)
def _compiler(request):
    if request.node.get_closest_marker("compiler") and c_compiler.compiler() is None:
        pytest.skip("there is no C compiler")


def some(*shape, dtype="float64"):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def check(f, *arrays, cotangent=None, wrt=None, **sizes):
    """That value and gradients are those of `vjp`, with their types."""
    seed = 1.0 if cotangent is None else cotangent
    value, pullback = f.vjp(*arrays, wrt=wrt, **sizes)
    expected = pullback(seed)

    for _ in range(2):
        found, gradients = f.value_and_gradients(*arrays, cotangent=cotangent, wrt=wrt, **sizes)
        assert list(gradients) == list(expected)
        several = isinstance(value, tuple)
        pairs = [*zip(found, value, strict=True)] if several else [(found, value)]
        pairs += zip(gradients.values(), expected.values(), strict=True)
        for mine, other in pairs:
            assert type(mine) is type(other) and mine.dtype == other.dtype
            mine, other = on_host(mine), on_host(other)
            limit = LIMITS.get(str(mine.dtype), 2e-3) * max(1, np.max(np.abs(other), initial=0))
            np.testing.assert_allclose(mine, other, rtol=0, atol=limit)


@pytest.mark.plain(dtype=1)
@pytest.mark.parametrize("dtype", LIMITS)
@pytest.mark.parametrize("backend", BACKENDS)
def test_they_are_those_of_vjp(backend, dtype):
    f = tadc.compile(GAUSSIANS, backend=backend)
    arrays = [some(*s, dtype=dtype) for s in ((7, 3), (5, 3), (5,))]
    check(f, *arrays, cotangent=some(7, dtype=dtype))
    check(f, *arrays, cotangent=some(7, dtype=dtype), wrt=["w", "x"])
    check(f, *arrays, cotangent=some(7, dtype=dtype), wrt="y")


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
def test_those_of_examples_are_those_of_vjp(path):
    f = tadc.load(path, backend="native")
    arrays = random_arrays(f, SIZES[path.stem])
    sizes = {s: n for s, n in SIZES[path.stem].items() if s in f.sizes}
    values = f(**arrays, **sizes)
    cotangent = tuple(map(np.cos, values)) if isinstance(values, tuple) else np.cos(values)
    check(f, *(arrays[x] for x in f.inputs), cotangent=cotangent, **sizes)


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_cotangent_of_a_scalar_is_1_unless_it_is_given(backend):
    f = tadc.compile(SQUARES, backend=backend)
    check(f, some(4), 0.5)
    check(f, some(4, dtype="float32"), 2)
    check(f, some(4), 0.5, cotangent=-2.0)
    check(f, some(4), some(), wrt="x", cotangent=np.array(3.0))


@pytest.mark.parametrize("backend", BACKENDS)
def test_several_outputs_take_a_cotangent_each(backend):
    f = tadc.compile(SEVERAL, backend=backend)
    check(f, some(4), 2.0, M=3, cotangent=(some(4), 1.0))
    check(f, some(4), 2.0, M=3, cotangent=(None, 1.0))
    check(f, some(4), 2.0, M=3, cotangent=(some(4), None), wrt="a")


@pytest.mark.parametrize("backend", BACKENDS)
def test_integers_are_differentiated_by_when_they_are_named(backend):
    f = tadc.compile("size N\ninput k[N], x[N]\ny[i] = k[i]*x[i]**2", backend=backend)
    k = np.arange(4, dtype=np.int16)
    check(f, k, some(4), cotangent=some(4))
    check(f, k, some(4, dtype="float32"), cotangent=some(4, dtype="float32"), wrt=["k"])
    check(
        f, k, k, cotangent=some(4, dtype="float32"), wrt=["x", "k"]
    )  # integers compute in float64
    check(f, k, k, cotangent=k)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_cotangent_of_more_digits_leaves_the_value_as_it_is(backend):
    f = tadc.compile(GAUSSIANS, backend=backend)
    arrays = [some(*s, dtype="float32") for s in ((7, 3), (5, 3), (5,))]
    check(f, *arrays, cotangent=some(7))
    assert runs(f) == [_InHalves]


@pytest.mark.parametrize("backend", BACKENDS)
def test_an_extent_of_0_is_no_error(backend):
    f = tadc.compile(SQUARES, backend=backend)
    check(f, some(0), 0.5)
    check(
        tadc.compile(GAUSSIANS, backend=backend), some(7, 3), some(0, 3), some(0), cotangent=some(7)
    )


def test_sizes_that_multiply_indices_follow_from_the_call():
    f = tadc.compile(
        "size N, M\ninput x[N], w[2]\ny[i: 3] = sum{r} x[M*i + r]*w[r]", backend="numpy"
    )
    check(f, some(8), some(2), M=2, cotangent=some(3))
    check(f, some(8), some(2), M=3, cotangent=some(3))


def test_inputs_that_are_named_like_keywords_are_given_by_position():
    f = tadc.compile("size N\ninput wrt[N], out[N]\ny = sum{i} wrt[i]*out[i]**2", backend="numpy")
    x = some(3)
    value, gradients = f.value_and_gradients(x, 2 * x)
    np.testing.assert_allclose(value, 4 * np.sum(x**3))
    np.testing.assert_allclose(gradients["out"], 4 * x**2)


def test_derivatives_have_values_and_gradients_too():
    check(tadc.compile(SQUARES, backend="numpy").gradient(), some(4), 0.5, cotangent=(some(4), 2.0))


@pytest.mark.parametrize(("text", "arguments", "said", "way_out"), [
    (GAUSSIANS, {}, "f has 1 dimension, and there is no `cotangent`", "`cotangent=df`"),
    (SEVERAL, {"M": 3}, "there are 2 outputs, y, s, and no `cotangent`", r"`cotangent=\(dy, ds\)`; None is zero"),
    (SEVERAL, {"M": 3, "cotangent": some(4)}, "1 cotangent for 2 outputs", "None is zero"),
    (SQUARES, {"cotangent": some(2)}, "ds has no dimension", ""),
    (SQUARES, {"wrt": "z"}, "`z` is no input", "the inputs are x, w"),
    (SQUARES, {"wrt": ["x", "x"]}, "stands twice", "name it once"),
    (SQUARES, {"z": 1.0}, "no input or size `z`", "the inputs are"),
])  # fmt: skip
def test_what_is_wrong_is_said(text, arguments, said, way_out):
    f = tadc.compile(text, backend="numpy")
    arrays = [some(4) if name == "x" and f.rank(name) == 1 else 2.0 for name in f.inputs]
    if text is GAUSSIANS:
        arrays = [some(7, 3), some(5, 3), some(5)]
    for _ in range(2):
        with pytest.raises(tadc.Error, match=f"{said}(.|\n)*{way_out}"):
            f.value_and_gradients(*arrays, **arguments)


# ---------------------------------------------------------------------- how they are run


def runs(f):
    return [type(run) for run in f._value_and_gradients._runs._made.values()]


def kernels(f, mode, **sizes):
    return [k.name for k in f.cost(mode=mode, **sizes).kernels]


def test_one_program_computes_what_the_value_and_a_gradient_share():
    f = tadc.compile(GAUSSIANS, backend="numpy")
    sizes = {"N": 700, "M": 500, "D": 3}
    assert kernels(f, "value_and_gradients", **sizes) == ["program_vjp_0", "program_vjp_1"]
    assert len(kernels(f, "vjp", **sizes)) == 3
    assert all(k.startswith("program_vjp") for k in kernels(f, "value_and_gradients"))
    assert {k.name[:11] for k in f.plan(mode="value_and_gradients", **sizes).kernels} == {
        "program_vjp"
    }
    f.value_and_gradients(some(7, 3), some(5, 3), some(5), cotangent=some(7))
    assert runs(f) == [_AtOnce]


def test_halves_run_where_the_model_says_that_residuals_are_cheaper():
    f = tadc.load(Path(__file__).parents[1] / "formulas" / "gravity.tex", backend="numpy")
    assert kernels(f, "value_and_gradients", N=100)[0] == "gravity_vjp_0"
    assert kernels(f, "value_and_gradients", N=400) == kernels(f, "vjp", N=400)
    cost = {mode: f.cost(mode=mode, N=400) for mode in ("value_and_gradients", "vjp")}
    assert cost["vjp"].operations < f.adjoint().cost(N=400).operations + f.cost(N=400).operations
    assert cost["vjp"] == cost["value_and_gradients"]


# ---------------------------------------------------------------------- arrays on a GPU


@pytest.mark.compiler
def test_arrays_of_cupy_stay_where_they_are(xp):
    f = tadc.compile(GAUSSIANS)
    arrays = [xp.asarray(some(*s, dtype="float32")) for s in ((7, 3), (5, 3), (5,))]
    check(f, *arrays, cotangent=xp.asarray(some(7, dtype="float32")))
    check(tadc.compile(SQUARES), xp.asarray(some(4)), 0.5)
    with pytest.raises(tadc.BackendError, match="is an array of the CPU"):
        f.value_and_gradients(*arrays, cotangent=some(7))


@pytest.mark.compiler
def test_16_bits_are_computed_in_halves_since_outputs_are_rounded(xp):
    f = tadc.compile("size N\ninput x[N]\ny[i] = exp(x[i])")
    x = xp.asarray(some(4, dtype="float16"))
    check(f, x, cotangent=xp.asarray(some(4, dtype="float16")))
    assert runs(f) == [_InHalves]
