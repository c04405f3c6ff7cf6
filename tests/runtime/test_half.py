"""Elements of 16 bits: float16 and bfloat16 in memory, float32 in arithmetic. On a double of CuPy; NVRTC compiles."""

from __future__ import annotations

import re
from pathlib import Path

import fake_cupy
import numpy as np
import pytest
from host_run import HostProgram
from oracle import SIZES, random_arrays

import tadc
from tadc.emit.cuda import emit_cuda
from tadc.ir.element_types import HALF_TYPES
from tadc.runtime import gpu
from tadc.runtime.arguments import element_type
from tadc.runtime.nvrtc import compile_cuda, find_nvrtc

EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.idx"))
LIMITS = {"float16": 2e-3, "bfloat16": 1.6e-2}  # of the largest value: two roundings of inputs, one of a result
GRADIENT_LIMITS = {"float16": 1e-2, "bfloat16": 8e-2}
NAN = {"float16": (0x7C00, 0x03FF), "bfloat16": (0x7F80, 0x007F)}  # all of the first, some of the second


@pytest.fixture
def double(monkeypatch):
    yield fake_cupy.install(monkeypatch)
    gpu.cupy.cache_clear()


def numpy_type(dtype):
    return np.dtype(getattr(pytest.importorskip("ml_dtypes"), dtype) if dtype == "bfloat16" else dtype)


# ---------------------------------------------------------------------- conversions


def converted(text, dtype, given):
    """What a program in 16 bits makes of values; elements of 16 bits go in and come out as integers."""
    made = emit_cuda({"primal": tadc.compile(text).program}, "", dtype)
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
    np.testing.assert_array_equal(np.signbit(found)[~np.isnan(values)], np.signbit(values)[~np.isnan(values)])
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
    halfway = ((table[1:] + table[:-1]) / 2).astype(np.float32)  # exact: a float has digits to spare, or is subnormal
    beside = [np.nextafter(halfway, np.float32(s * np.inf)) for s in (-1, 1)]
    largest = np.float32(table[-1] + (table[-1] - table[-2]) / 2)  # where infinity begins
    edges = [0, largest, np.nextafter(largest, np.float32(0)), np.inf, np.finfo(np.float32).max, 2**-149]
    random = rng.integers(0, 2**32, 50_000, dtype=np.uint32).view(np.float32)
    ordinary = (rng.standard_normal(50_000) * 2.0 ** rng.integers(-26, 17, 50_000)).astype(np.float32)
    values = np.concatenate([table.astype(np.float32), halfway, *beside, np.float32(edges), ordinary])
    values = np.concatenate([values, -values, random])

    found = converted("size N\ninput x[N]: float32\nf[i] = x[i]", dtype, values)

    missing = np.isnan(values)
    assert is_nan(found[missing], dtype).all() and missing.any()
    np.testing.assert_array_equal(found[~missing], nearest(values[~missing], dtype))
    with np.errstate(all="ignore"):
        if dtype == "float16":
            own = values.astype(np.float16).view(np.uint16)
        else:
            own = values.astype(numpy_type(dtype)).view(np.uint16)
    np.testing.assert_array_equal(found[~missing], own[~missing])


# ---------------------------------------------------------------------- calls


def relative(found, expected):
    scale = np.max(np.abs(expected), initial=1e-30)
    return np.max(np.abs(found.astype(np.float64) - expected), initial=0) / scale


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", HALF_TYPES)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_values_and_gradients_of_examples_are_those_of_the_rounded_inputs(double, path, dtype):
    f, oracle = tadc.load(path), tadc.load(path, backend="numpy")
    sizes = {s: n for s, n in SIZES[path.stem].items() if s in f.program.sizes}
    halves = {n: a.astype(numpy_type(dtype)) for n, a in random_arrays(f, SIZES[path.stem]).items()}
    expected, pull = oracle.vjp(**{n: a.astype(np.float64) for n, a in halves.items()}, **sizes)

    found, pullback = f.vjp(**{n: double.asarray(a) for n, a in halves.items()}, **sizes)

    several = isinstance(expected, tuple)
    values, wanted = (found, expected) if several else ((found,), (expected,))
    cotangents = [np.cos(v).astype(numpy_type(dtype)) for v in wanted]
    gradients = pullback(*map(double.asarray, cotangents))
    slopes = pull(*(c.astype(np.float64) for c in cotangents))
    for mine, other in zip(values, wanted, strict=True):
        assert isinstance(mine, double.ndarray) and mine.dtype == numpy_type(dtype)
        assert relative(double.asnumpy(mine), other) <= LIMITS[dtype]
    for x, slope in slopes.items():
        assert gradients[x].dtype == numpy_type(dtype)
        assert relative(double.asnumpy(gradients[x]), slope) <= GRADIENT_LIMITS[dtype]
