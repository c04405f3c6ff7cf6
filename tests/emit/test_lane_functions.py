"""Functions that lanes compute at once: their errors, which `docs/accuracy.md` promises, and that there is no call in their loops."""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from platform import machine

import mpmath as mp
import numpy as np
import pytest

import tadc
from tadc.emit.clike.spelling import lane_functions
from tadc.emit.templates import template
from tadc.runtime.cpu.c_compiler import FLAGS, OPTIONAL, compiler

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.xdist_group("lane functions"),  # they share what is compiled
    pytest.mark.skipif(compiler() is None, reason="there is no C compiler"),
    pytest.mark.skipif(sys.platform != "linux", reason="the flags are those of Linux"),
]

DOCUMENT = Path(__file__).parents[2] / "docs" / "accuracy.md"
ROWS = re.findall(
    r"^\| `(\w+)` \| ([\d.]+) \| ([\d.]+|C's) \|", DOCUMENT.read_text("utf-8"), re.MULTILINE
)
BOUNDS = {(n, dtype): float(b) for n, *both in ROWS for dtype, b in zip(("float32", "float64"), both, strict=True) if b != "C's"}  # fmt: skip
CASES = pytest.mark.parametrize("name,dtype", BOUNDS, ids=map("-".join, BOUNDS))
OF_TEXT = [f for f in FLAGS if f not in OPTIONAL and f != "-shared"]
OF_THIS_MACHINE = ["-march=native"]
OF_GCC = ["-fvect-cost-model=dynamic"]
NOT_OF_C = [("digamma", "float32"), ("digamma", "float64")]
TWO = ("pow", "atan2", "hypot")
HEAD = (
    template("c/head.c").render()
    + """
#define INLINED __attribute__((always_inline))
#ifdef FP_FAST_FMA
int has_fma = 1;
#else
int has_fma = 0;
#endif
"""
)
WITHOUT_FMA = 2.5


def text():
    """C with three functions for each: of lanes, of one number, and C's own for a wider type. The last ones come first, before names are replaced."""
    wider, kernels = [], []
    for name, dtype in (*BOUNDS, *NOT_OF_C):
        real, f, wide, w = (
            ("float", "f", "double", "")
            if dtype == "float32"
            else ("double", "", "long double", "l")
        )
        given = f"const {real}* restrict a, const {real}* restrict b"
        a, b = ("a[i]", ", b[i]") if name in TWO else ("a[i]", "")
        if (name, dtype) in BOUNDS:
            wider.append(
                f"void wide_{name}{f}({given}, {wide}* restrict y, long n) {{\n  (void)b;\n"
                f"  for (long i = 0; i < n; i++) y[i] = {name}{w}(({wide}){a}{b});\n}}"
            )
        kernels.append(
            f"void lanes_{name}{f}({given}, {real}* restrict y, long n) {{\n  (void)b;\n"
            f"  for (long first = 0; first < n; first += 32)\n    for (int lane = 0; lane < 32; lane++) {{\n"
            f"      const long i = first + lane;\n      y[i] = {name}{f}({a}{b});\n    }}\n}}\n"
            f"{real} one_by_one_{name}{f}({real} a, {real} b) {{ (void)b; return {name}{f}(a{', b' if b else ''}); }}"
        )
    return "\n".join([HEAD, *wider, lane_functions("\n".join(kernels)), *kernels])


def is_gcc():
    return (
        "gcc version" in subprocess.run([*compiler(), "-v"], capture_output=True, text=True).stderr
    )


@pytest.fixture(scope="module")
def assembly(tmp_path_factory):
    """What the compiler makes of `text()` with further flags: the path of its assembly language."""

    @cache
    def made(*flags):
        folder = tmp_path_factory.mktemp("lanes")
        (folder / "lanes.c").write_text(text(), "utf-8")
        given = [*OF_TEXT, *(OF_GCC if is_gcc() else ()), *(flags or OF_THIS_MACHINE)]
        command = [*compiler(), *given, "-S", "lanes.c", "-o", "lanes.s"]
        subprocess.run(command, cwd=folder, check=True)
        return folder / "lanes.s"

    return made


@pytest.fixture(scope="module")
def library(assembly):
    """The functions of `text()`, compiled with further flags."""

    @cache
    def made(*flags):
        source = assembly(*flags)
        command = [*compiler(), "-shared", str(source), "-o", str(source.with_suffix(".so")), "-lm"]
        subprocess.run(command, check=True)
        return ctypes.CDLL(str(source.with_suffix(".so")))

    return made


def pointers(*arrays):
    return [a.ctypes.data_as(ctypes.c_void_p) for a in arrays]


def computed(library, kind, name, dtype, a, b):
    y = np.empty(len(a), dtype)
    f = getattr(library, f"{kind}_{name}{'f' if a.dtype == np.float32 else ''}")
    f(*pointers(a, b, y), ctypes.c_long(len(a)))
    return y


def in_units(y, exact):
    """Errors in units of the last place of the exact value; infinite where one is NaN, infinite or of another sign and the other is not."""
    info = np.finfo(y.dtype)
    with np.errstate(all="ignore"):
        rounded = exact.astype(y.dtype)
        _, exponent = np.frexp(exact)
        exponent = np.where(exact == 0, info.minexp, np.maximum(exponent - 1, info.minexp))
        units = np.ldexp(exact.dtype.type(1), exponent - info.nmant)
        error = abs(y - exact) / units
    are_nan, signs = np.isnan(y) & np.isnan(rounded), np.signbit(y) == np.signbit(rounded)
    error = np.where(are_nan | np.isinf(y) & (y == rounded), 0, error)  # those that overflow alike
    return np.where(np.isnan(error) | ~signs & ~are_nan, np.inf, error).astype(float)


def errors(library, name, a, b):
    """Errors of lanes, in units of the last place."""
    wide = np.float64 if a.dtype == np.float32 else np.longdouble
    y, exact = (
        computed(library, *kind, a, b) for kind in (("lanes", name, a.dtype), ("wide", name, wide))
    )
    return in_units(y, exact)


EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 0.5, -0.5, 1.0, -1.0, 1.5, 2.0, -2.0, 3.0, -3.0, 5.5, -7.0, 1e-40, -1e-40, 5e-324, 1e-300, 1e300, -1e300, 3e38]  # fmt: skip
GRIDS = ((-1.1, 1.1), (-3, 3), (-12, 12), (-110, 110), (-750, 750), (1e4, 2e5), (5e8, 2e9))


def points(dtype, count):
    """Arguments on grids, of random size and of random bits, `count` of each."""
    random = np.random.default_rng(3)
    bits = random.integers(0, 2 ** (32 if dtype == "float32" else 64), count, dtype=np.uint64)
    sizes = np.exp2(random.uniform(-40, 10, count)) * random.choice([-1, 1], count)
    near_one = 1 + np.exp2(random.uniform(-22, -2, count)) * random.choice([-1, 1], count)
    grids = [np.linspace(*ends, count) for ends in GRIDS]
    with np.errstate(all="ignore"):
        of_bits = (
            bits.astype(np.uint32).view(np.float32) if dtype == "float32" else bits.view(np.float64)
        )
        return [x.astype(dtype) for x in (*grids, sizes, near_one, of_bits)]


def largest_error(library, name, dtype, count):
    random = np.random.default_rng(4)
    return max(
        float(errors(library, name, a, random.permutation(a) if name in TWO else a).max())
        for a in points(dtype, count)
    )


def bound(library, name, dtype):
    has_fma = ctypes.c_int.in_dll(library, "has_fma").value
    return BOUNDS[name, dtype] if has_fma else WITHOUT_FMA


def is_narrow(dtype):
    return dtype == "float64" and np.finfo(np.longdouble).nmant < 60


@CASES
def test_errors_are_at_most_those_of_the_document(library, name, dtype):
    if is_narrow(dtype):
        pytest.skip("`long double` has no more digits than `double`")

    assert largest_error(library(), name, dtype, 2048) <= bound(library(), name, dtype)
    assert BOUNDS[name, dtype] <= 2


@pytest.mark.slow
@CASES
def test_errors_at_many_points_are_at_most_those_of_the_document(library, name, dtype):
    if is_narrow(dtype):
        pytest.skip("`long double` has no more digits than `double`")

    assert largest_error(library(), name, dtype, 1 << 20) <= bound(library(), name, dtype)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n, dtype in BOUNDS if dtype == "float32" and n not in TWO])
def test_errors_at_every_257th_float_are_at_most_those_of_the_document(library, name):
    for first in range(0, 2**32, 2**28):
        a = np.arange(first, first + 2**28, 257, dtype=np.uint32).view(np.float32)
        a = np.resize(a, len(a) // 32 * 32)

        assert errors(library(), name, a, a).max() <= bound(library(), name, "float32")


@pytest.mark.slow
@CASES
def test_without_fma_errors_are_little_larger(library, name, dtype):
    if machine() != "x86_64" or is_narrow(dtype):
        pytest.skip("only x86-64 has processors without")

    assert largest_error(library("-march=x86-64"), name, dtype, 1 << 18) <= WITHOUT_FMA


@CASES
def test_zeros_infinities_and_nan_give_what_c_gives(library, name, dtype):
    with np.errstate(all="ignore"):
        edges = np.array([*EDGES, *[0.25] * (32 - len(EDGES))], dtype)
    a, b = (x.ravel() for x in np.meshgrid(edges, edges))

    found = errors(library(), name, a, b)

    assert found.max() <= WITHOUT_FMA, (a[found.argmax()], b[found.argmax()])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digamma_agrees_with_mpmath(library, dtype):
    r = np.random.default_rng(0)
    near_root = 1.4616321449683623 + r.uniform(-1e-3, 1e-3, 50)
    left = [-(10 ** r.uniform(-10, 3, 50)), r.uniform(-12, 0, 150), -np.arange(1, 30) / 2 - 0.25]
    right = [10 ** r.uniform(-10, 20, 100), r.uniform(0, 12, 150), np.arange(1, 50) / 2]
    points = np.resize(np.concatenate([near_root, *left, *right]).astype(dtype), 640)

    values = computed(library(), "lanes", "digamma", dtype, points, points)

    for x, value in zip(map(float, points), map(float, values), strict=True):
        with mp.workdps(30):
            exact = mp.digamma(x)
            # To the left every value is a difference; what a change of the last place of x does is unavoidable.
            moved = abs(x * mp.polygamma(1, x)) if x < 0 else 0
            allowed = 8 * np.finfo(dtype).eps * (1 + abs(exact) + moved)
            assert abs(value - exact) <= allowed, (x, value)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_digamma_at_poles_and_infinities_is_as_in_scipy(library, dtype):
    points = np.array([0.0, -0.0, -1.0, -30.0, np.inf, -np.inf, np.nan, 1e30, -1e30], dtype)
    filled = np.resize(points, 32)

    values = computed(library(), "lanes", "digamma", dtype, filled, filled)

    np.testing.assert_allclose(values[:9], [-np.inf, np.inf, *[np.nan] * 2, np.inf, *[np.nan] * 2, np.log(1e30), np.nan], 1e-6)  # fmt: skip


@CASES
def test_a_lane_has_the_bits_of_a_number_alone(library, name, dtype):
    with np.errstate(all="ignore"):
        a = np.array([*EDGES, 1e4, 2e5, 3e9, 1e22, 0.1, 0.7, 20.3, 88.1, 0.33], dtype)
    b = np.roll(a, 5)
    real = ctypes.c_float if dtype == "float32" else ctypes.c_double
    f = getattr(library(), f"one_by_one_{name}{'f' if dtype == 'float32' else ''}")
    f.argtypes, f.restype = [real, real], real

    alone = np.array([f(x, y) for x, y in zip(a, b, strict=True)], dtype)

    np.testing.assert_array_equal(computed(library(), "lanes", name, dtype, a, b), alone)


def test_a_wrong_last_place_is_noticed():
    exact = np.array([1.1, -3.7e-310, 2.0, 0.0, np.inf, np.nan], np.longdouble)
    y = exact.astype(float)

    assert in_units(y, exact).max() <= 0.5
    assert in_units(np.nextafter(np.nextafter(y, np.inf), np.inf), exact)[:4].min() >= 1
    assert np.isinf(
        in_units(np.array([-0.0, np.nan, 1.0]), np.array([0.0, 1.0, np.nan], np.longdouble))
    ).all()


def calls(listing, name, dtype):
    """The functions that the loop of a function calls."""
    symbol = f"lanes_{name}{'f' if dtype == 'float32' else ''}"
    body = re.search(rf"^{symbol}:\n(.*?)\.size\s+{symbol},", listing, re.MULTILINE | re.DOTALL)[1]
    return set(re.findall(r"\b(?:call|jmp|bl?)\s+([A-Za-z_]\w*)", body)), body


@pytest.mark.parametrize("flags", [(), pytest.param(("-march=x86-64-v3",), marks=pytest.mark.slow)], ids=["here", "AVX2"])  # fmt: skip
def test_loops_over_lanes_are_vectors_without_calls(assembly, flags):
    if machine() != "x86_64" or not is_gcc():
        pytest.skip("the listing is that of GCC for x86-64")
    listing = assembly(*flags).read_text("utf-8")
    if not re.search(r"vfm\w+p[sd]", listing):
        pytest.skip("a processor without `fma`")

    for name, dtype in (*BOUNDS, *NOT_OF_C):
        called, body = calls(listing, name, dtype)
        assert all(c.startswith("_ZGV") for c in called), (name, dtype, called)
        assert "ymm" in body or "zmm" in body, (name, dtype)


def test_a_call_that_lanes_share_is_one_of_a_function_that_can_be_moved_out_of_their_loop():
    f = tadc.compile("size N, M\ninput x[N], w[M]\nq[j, i] = x[i]*log(w[j])*exp(x[i])")
    x, w = np.linspace(-1, 1, 70), np.linspace(0.1, 5, 9)

    text = f.source("c")

    assert "once_logf(w[j]) * expf(x[i])" in text or "once_log(w[j]) * exp(x[i])" in text
    np.testing.assert_allclose(f(x, w), np.log(w)[:, None] * x * np.exp(x), rtol=1e-14)
