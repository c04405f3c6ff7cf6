"""Elements of 16 bits: float16 and bfloat16 in memory, float32 in arithmetic. On a double of CuPy; NVRTC compiles."""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from emitted import cuda_file
from host_run import HostProgram
from oracle import SIZES, random_arrays

import tadc
from tadc.ir.element_types import HALF_TYPES
from tadc.runtime.arguments import element_type
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.idx"))
LIMITS = {
    "float16": 2e-3,
    "bfloat16": 1.6e-2,
}  # of the largest value: two roundings of inputs, one of a result
GRADIENT_LIMITS = {"float16": 1e-2, "bfloat16": 8e-2}
NAN = {
    "float16": (0x7C00, 0x03FF),
    "bfloat16": (0x7F80, 0x007F),
}  # all of the first, some of the second


def numpy_type(dtype):
    return np.dtype(
        getattr(pytest.importorskip("ml_dtypes"), dtype) if dtype == "bfloat16" else dtype
    )


# ---------------------------------------------------------------------- conversions


def converted(text, dtype, given):
    """What a program in 16 bits makes of values; elements of 16 bits go in and come out as integers."""
    made = cuda_file({"primal": tadc.compile(text).program}, "", dtype)
    tensors = {
        name: t | {"dtype": "uint16"} if t["dtype"] == dtype else t
        for name, t in made.manifest["tensors"].items()
    }
    program = HostProgram(made.text, made.manifest | {"tensors": tensors})
    return program.run("primal", {"x": given}, {"N": len(given)})["f"]


def value_of(bits, dtype):
    """The value of a pattern, by the definition of the format."""
    digits, least = (10, -14) if dtype == "float16" else (7, -126)
    exponents = 2 ** (15 - digits)
    sign = -1.0 if bits >> 15 else 1.0
    exponent, rest = bits >> digits & (exponents - 1), bits & (2**digits - 1)
    if exponent == exponents - 1:
        return np.nan if rest else sign * np.inf
    if exponent == 0:
        return sign * rest * 2.0 ** (least - digits)
    return sign * (2**digits + rest) * 2.0 ** (least - digits + exponent - 1)


def is_nan(bits, dtype):
    exponent, rest = NAN[dtype]
    return (bits & exponent == exponent) & (bits & rest != 0)


@pytest.fixture(scope="module", params=HALF_TYPES)
def pattern_values(request):
    bits = np.arange(2**16, dtype=np.uint16)
    return request.param, bits, np.array([value_of(int(b), request.param) for b in bits])


@pytest.mark.compiler
def test_every_pattern_is_read_as_its_value(pattern_values):
    dtype, bits, values = pattern_values

    found = converted("size N\ninput x[N]\nf[i]: float32 = x[i]", dtype, bits)

    np.testing.assert_array_equal(found, values)
    np.testing.assert_array_equal(
        np.signbit(found)[~np.isnan(values)], np.signbit(values)[~np.isnan(values)]
    )
    if dtype == "float16":
        np.testing.assert_array_equal(found, bits.view(np.float16).astype(np.float32))


def nearest(values, dtype):
    """The patterns nearest to values of float32, ties to the even one: by exact comparison, not by arithmetic on bits."""
    top = NAN[dtype][0]  # infinity, which stands for the power of 2 that would come next
    table = np.array([value_of(b, dtype) for b in range(top)])
    table = np.append(table, table[-1] + (table[-1] - table[-2]))
    size = np.abs(values.astype(np.float64))
    above = np.clip(np.searchsorted(table, size), 1, top)
    low, high = size - table[above - 1], table[above] - size
    bits = np.where((low < high) | ((low == high) & (above % 2 == 1)), above - 1, above)
    return (bits | np.where(np.signbit(values), 0x8000, 0)).astype(np.uint16)


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", HALF_TYPES)
def test_values_are_stored_as_the_nearest_pattern(dtype):
    rng = np.random.default_rng(0)
    table = np.array([value_of(b, dtype) for b in range(NAN[dtype][0])])
    halfway = ((table[1:] + table[:-1]) / 2).astype(
        np.float32
    )  # exact: a float has digits to spare, or is subnormal
    beside = [np.nextafter(halfway, np.float32(s * np.inf)) for s in (-1, 1)]
    largest = np.float32(table[-1] + (table[-1] - table[-2]) / 2)  # where infinity begins
    edges = [
        0,
        largest,
        np.nextafter(largest, np.float32(0)),
        np.inf,
        np.finfo(np.float32).max,
        2**-149,
    ]
    random = rng.integers(0, 2**32, 50_000, dtype=np.uint32).view(np.float32)
    ordinary = (rng.standard_normal(50_000) * 2.0 ** rng.integers(-26, 17, 50_000)).astype(
        np.float32
    )
    values = np.concatenate(
        [table.astype(np.float32), halfway, *beside, np.float32(edges), ordinary]
    )
    values = np.concatenate([values, -values, random])

    found = converted("size N\ninput x[N]: float32\nf[i] = x[i]", dtype, values)

    missing = np.isnan(values)
    assert is_nan(found[missing], dtype).all() and missing.any()
    np.testing.assert_array_equal(found[~missing], nearest(values[~missing], dtype))
    if dtype == "float16" or find_spec("ml_dtypes"):
        with np.errstate(all="ignore"):
            own = values.astype(numpy_type(dtype)).view(np.uint16)
        np.testing.assert_array_equal(found[~missing], own[~missing])


# ---------------------------------------------------------------------- calls


def relative(found, expected):
    scale = np.max(np.abs(expected), initial=1e-30)
    return np.max(np.abs(found.astype(np.float64) - expected), initial=0) / scale


@pytest.mark.plain(path=2)
@pytest.mark.compiler
@pytest.mark.parametrize("dtype", ["float16", pytest.param("bfloat16", marks=pytest.mark.slow)])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_values_and_gradients_of_examples_are_those_of_the_rounded_inputs(xp, path, dtype):
    f, oracle = tadc.load(path), tadc.load(path, backend="numpy")
    sizes = {s: n for s, n in SIZES[path.stem].items() if s in f.program.sizes}
    halves = {n: a.astype(numpy_type(dtype)) for n, a in random_arrays(f, SIZES[path.stem]).items()}
    expected, pull = oracle.vjp(**{n: a.astype(np.float64) for n, a in halves.items()}, **sizes)

    found, pullback = f.vjp(**{n: xp.asarray(a) for n, a in halves.items()}, **sizes)

    several = isinstance(expected, tuple)
    values, wanted = (found, expected) if several else ((found,), (expected,))
    cotangents = [np.cos(v).astype(numpy_type(dtype)) for v in wanted]
    gradients = pullback(*map(xp.asarray, cotangents))
    slopes = pull(*(c.astype(np.float64) for c in cotangents))
    for mine, other in zip(values, wanted, strict=True):
        assert isinstance(mine, xp.ndarray) and mine.dtype == numpy_type(dtype)
        assert relative(xp.asnumpy(mine), other) <= LIMITS[dtype]
    for x, slope in slopes.items():
        assert gradients[x].dtype == numpy_type(dtype)
        assert relative(xp.asnumpy(gradients[x]), slope) <= GRADIENT_LIMITS[dtype]


F = "size N\ninput x[N], w[]\noutput f, g\nf = sum{i} w*x[i]**2\ng[i] = x[i] + f"
SCALED = "size N\ninput x[N], w[N]\ng[i] = w[i]*x[i]"


# fmt: off
PROMOTIONS = [
    (("float16", "float16"),  "float16"),
    (("bfloat16", "bfloat16"), "bfloat16"),
    (("float16", "bfloat16"), "float32"),
    (("float16", "float32"),  "float32"),
    (("bfloat16", "float32"), "float32"),
    (("bfloat16", "float64"), "float64"),
    (("float16", "bool"),     "float16"),
    (("bfloat16", "int8"),    "bfloat16"),
    (("bfloat16", "int16"),   "float32"),
    (("float16", "int32"),    "float64"),
    (("int8", "int8"),        "float64"),
]
# fmt: on


@pytest.mark.parametrize(
    "types, common", PROMOTIONS, ids=lambda t: "-".join(t) if type(t) is tuple else t
)
def test_types_promote_as_in_numpy_and_bfloat16_as_float16(types, common):
    arrays = dict(zip("xw", (np.ones(3, numpy_type(t)) for t in types), strict=True))

    assert element_type(tadc.compile(SCALED).program, arrays, None) == common
    if "bfloat16" not in types and "float16" in types:
        assert np.result_type(*types) == common


@pytest.mark.compiler
@pytest.mark.parametrize(
    "types, common", PROMOTIONS[:5], ids=lambda t: "-".join(t) if type(t) is tuple else t
)
def test_results_have_the_common_type_and_gradients_that_of_their_inputs(xp, types, common):
    x, w = (xp.asarray(np.array([1, 2, 3], numpy_type(t))) for t in types)

    g, pullback = tadc.compile(SCALED).vjp(x, w)
    gradients = pullback(xp.asarray(np.ones(3, numpy_type(common))))

    assert g.dtype == numpy_type(common)
    assert [gradients[n].dtype for n in "xw"] == [numpy_type(t) for t in types]
    np.testing.assert_array_equal(xp.asnumpy(g).astype(float), [1, 4, 9])
    np.testing.assert_array_equal(xp.asnumpy(gradients["x"]).astype(float), [1, 2, 3])


@pytest.mark.compiler
def test_numbers_and_declared_types_go_along(xp):
    f = tadc.compile(
        "size N\ninput x[N], w[], c[N]: float64\noutput g, h\ng[i] = w*x[i] + c[i]\nh: float64 = sum{i} x[i]"
    )
    x = xp.asarray(np.array([1, 2, 3], np.float16))

    g, h = f(x, 0.5, xp.asarray(np.array([1e-3, 0, 0])))

    assert (g.dtype, h.dtype) == (np.float16, np.float64) and h == 6
    np.testing.assert_array_equal(xp.asnumpy(g), np.float16([0.501, 1, 1.5]))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", HALF_TYPES)
def test_a_chosen_type_is_that_of_results_whatever_comes_in(xp, dtype):
    f, kind = tadc.compile(SCALED, dtype=dtype), numpy_type(dtype)

    found = f(xp.asarray(np.ones(3)), xp.asarray(np.full(3, 1 / 3)))

    assert found.dtype == kind
    np.testing.assert_array_equal(xp.asnumpy(found), np.full(3, 1 / 3).astype(kind))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", HALF_TYPES)
def test_arrays_of_numpy_go_to_the_gpu_and_back(xp, dtype):
    f = tadc.compile(F, backend="cuda")

    total, g = f(np.arange(3).astype(numpy_type(dtype)), 2.0)

    assert type(g) is np.ndarray and total.dtype == g.dtype == numpy_type(dtype)
    np.testing.assert_array_equal(g.astype(float), [10, 11, 12])


@pytest.mark.compiler
def test_long_sums_lose_nothing_before_they_are_stored(xp):
    """In float16 a sum of ones would stay at 2048, and parts of 4097 would be 4096."""
    ones = xp.asarray(np.ones((4, 8195), np.float16))
    f = tadc.compile("size N, M\ninput x[N, M]\nf[i] = (sum{j} x[i, j]) - 8192")

    np.testing.assert_array_equal(xp.asnumpy(f(ones)), [3, 3, 3, 3])


@pytest.mark.compiler
def test_what_is_read_again_is_not_rounded_before(xp):
    f = tadc.compile(
        "size N\ninput x[N], w[N]\noutput m, e\nm = max{i} x[i]*w[i]\ne[i] = if x[i]*w[i] == m then 1 else 0"
    )
    x, w = (np.float16([1.001, 1.1, 0.5]), np.float16([1.003, 1.2, 0.7]))

    m, e = f(xp.asarray(x), xp.asarray(w))
    _, pullback = tadc.compile("size N\ninput x[N], w[N]\nm = max{i} x[i]*w[i]").vjp(
        xp.asarray(x), xp.asarray(w)
    )
    gradients = pullback(xp.asarray(np.float16(1)))

    assert (
        m == np.float16(np.float32(x[1]) * np.float32(w[1])) != np.float32(x[1]) * np.float32(w[1])
    )
    np.testing.assert_array_equal(xp.asnumpy(e), [0, 1, 0])
    np.testing.assert_array_equal(xp.asnumpy(gradients["x"]), [0, w[1], 0])


@pytest.mark.compiler
def test_sums_in_rows_are_rounded_once(xp):
    """`dx` is added to where it is stored: its elements would stay at 2048."""
    f = tadc.compile(
        "size N, M, D\ninput x[N, D], y[M, D]\ndx[i, d] = sum{j} exp(sum{e} 0*x[i, e]*y[j, e])*y[j, d]"
    )
    x, y = np.zeros((2, 3), np.float16), np.ones((4096, 3), np.float16)

    np.testing.assert_array_equal(
        xp.asnumpy(f(xp.asarray(x), xp.asarray(y))), np.full((2, 3), 4096)
    )


@pytest.mark.compiler
def test_out_and_tangents(xp):
    f = tadc.compile("size N\ninput x[N]\ng[i] = x[i]**2")
    x, out = xp.asarray(np.float16([1, 2, 3])), xp.asarray(np.ones(3, np.float16))

    assert f(x, out=out) is out
    f(x, out=out, accumulate=True)
    value, slope = f.jvp({"x": x}, {"x": xp.asarray(np.ones(3, np.float16))})

    np.testing.assert_array_equal(xp.asnumpy(out), [2, 8, 18])
    assert value.dtype == slope.dtype == np.float16
    np.testing.assert_array_equal(xp.asnumpy(slope), [2, 4, 6])


@pytest.mark.parametrize("dtype", HALF_TYPES)
def test_extents_of_0(xp, dtype):
    total, g = tadc.compile(F)(xp.asarray(np.zeros(0, numpy_type(dtype))), 1.0)

    assert total == 0 and g.shape == (0,)
    assert total.dtype == g.dtype == numpy_type(dtype)


def test_bfloat16_needs_ml_dtypes_and_says_so(xp, monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)

    with pytest.raises(tadc.BackendError, match="bfloat16 need ml_dtypes\npip install ml_dtypes"):
        tadc.compile(F, dtype="bfloat16")(xp.asarray(np.ones(3)), 1.0)


# ---------------------------------------------------------------------- on the CPU


@pytest.mark.parametrize("dtype", HALF_TYPES)
@pytest.mark.parametrize(
    "backend", ["numpy", "interpreter", pytest.param("native", marks=pytest.mark.compiler)]
)
def test_on_the_cpu_16_bits_are_computed_in_float32_and_gradients_have_the_inputs_type(
    backend, dtype
):
    x = np.arange(3).astype(numpy_type(dtype))

    g, pullback = tadc.compile("size N\ninput x[N]\ng[i] = x[i]**2", backend=backend).vjp(x)
    slope = pullback(np.ones(3, np.float32))["x"]

    assert g.dtype == np.float32 and slope.dtype == numpy_type(dtype)
    np.testing.assert_array_equal(slope.astype(float), [0, 2, 4])


@pytest.mark.parametrize("backend", ["numpy", "interpreter", "native", "auto"])
def test_on_the_cpu_16_bits_cannot_be_chosen(backend, monkeypatch):
    monkeypatch.delenv("TADC_BACKEND", raising=False)
    f = tadc.compile(SCALED, dtype="float16", backend=backend)

    for call in (f, f.vjp):
        with pytest.raises(
            tadc.BackendError,
            match=r"`dtype='float16'` is for arrays on a GPU.*\nleave `dtype` out",
        ):
            call(np.ones(3), np.ones(3))


@pytest.mark.parametrize("target", ["c", "numpy"])
def test_targets_of_the_cpu_have_no_elements_of_16_bits(target):
    with pytest.raises(
        tadc.BackendError, match=f'`{target}` has no elements of bfloat16\nuse "cuda"'
    ):
        tadc.compile(SCALED, dtype="bfloat16").source(target)


# ---------------------------------------------------------------------- text


def test_atomic_additions_are_refused():
    f = tadc.compile(
        "size N\ninput x[N], w[5]\ny[i: N - 4] = sum{k: 5} x[i + k]*w[k]", dtype="float16"
    )

    with pytest.raises(tadc.BackendError, match="no atomic additions to elements of float16"):
        f.adjoint().source("cuda-atomic")


def test_a_text_holds_the_type_that_it_uses_and_temporaries_are_floats():
    f = tadc.compile("size N\ninput x[N]\nf = sum{i} x[i]**2", dtype="float16")
    made = cuda_file({"primal": f.program}, "", "float16")

    assert (
        "struct float16 {" in made.text
        and "bfloat16" not in made.text
        and "#include" not in made.text
    )
    assert "(const float16* __restrict__ x, float* __restrict__ f_parts, int N)" in made.text
    assert made.text == f.source("cuda")
    assert "float16" not in tadc.compile("f[i] = x[i]").source("cuda")
    types = {name: t["dtype"] for name, t in made.manifest["tensors"].items()}
    assert types == {"x": "float16", "f": "float16", "f_parts": "float32"}
    assert made.manifest["dtype"] == "float16"
    assert made.manifest["modes"]["primal"]["workspace_bytes"] == "(4096*4 + 255) // 256 * 256"


def test_a_tensor_may_be_called_like_a_type():
    f = tadc.compile("size N\ninput float16[N]\nbfloat16[i] = 2*float16[i]", dtype="float16")

    assert not re.search(r"\* __restrict__ b?float16\b", f.source("cuda"))


def test_costs_and_plans_count_2_bytes_for_inputs_and_outputs_and_4_for_the_rest():
    f = tadc.compile(
        "size N\ninput x[N]\ns[i] = sum{j: N} x[i]*x[j]\ng[i] = s[i]*sum{j} s[j]",
        dtype="bfloat16",
        backend="cuda",
    )

    cost, plan = f.cost(N=8), f.plan(N=8)

    assert f.program.bytes_at({"N": 8}, "bfloat16")["x"] == 16
    assert cost.temporary_bytes >= 32 and sum(plan.stored.values()) >= 32


@pytest.mark.plain(arch=1, dtype=1)
@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("dtype", HALF_TYPES)
@pytest.mark.parametrize("arch", ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"])
def test_kernels_compile_for_every_architecture_and_spill_little(arch, dtype):
    for name in ("relative_attention", "conv2d", "hankel"):
        f = tadc.load(EXAMPLES[0].with_name(f"{name}.idx"))
        modes = {"primal": f.program, "adjoint": f.adjoint().program}

        compiled = compile_cuda(cuda_file(modes, "", dtype).text, arch)

        assert not compiled.warnings
        for kernel, usage in compiled.usage.items():
            assert usage.spill_bytes <= 1024, kernel  # sums of groups may stand in memory
            assert usage.registers <= 192, kernel  # of a tile, with what its sums have lost


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
def test_conversions_of_float16_are_instructions():
    f = tadc.compile("size N\ninput x[N]\ng[i] = 2*x[i]", dtype="float16")

    ptx = compile_cuda(f.source("cuda"), "sm_90").ptx

    assert "cvt.f32.f16" in ptx and "cvt.rn.f16.f32" in ptx
