"""The spelling of every function: NVRTC compiles it, and the host computes what numpy and mpmath compute."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from fractions import Fraction
from functools import cache

import mpmath as mp
import numpy as np
import pytest
from host_run import HostProgram

from tadc.emit.clike.spelling import (
    Precedence,
    Text,
    atom,
    bracketed,
    comparison,
    conditional,
    device_functions,
    literal,
    name,
    opencl_names,
    reserved_names,
    spell,
)
from tadc.ir.functions import FUNCTIONS

REALS = ("float32", "float64")
C_TYPE = {"float32": "float", "float64": "double", "int32": "int", "int64": "long long"}

# ---- programs that compute a list of expressions at a list of points


def kernel_text(expressions, dtype, index_type="int32"):
    """`y[k, i]` is the k-th expression of `a`, `b`: the elements `A[k, i]`, `B[k, i]`."""
    real = C_TYPE[dtype]
    lines = "\n".join(
        f"  {{ const {real} a = A[{k} * n + i], b = B[{k} * n + i]; (void)a; (void)b;\n"
        f"    y[{k} * n + i] = {text}; }}"
        for k, text in enumerate(expressions)
    )
    return f"""{device_functions(lines, index_type)}

extern "C" __global__ void points_{dtype}(const {real}* A, const {real}* B, {real}* y, int n) {{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
{lines}
}}
#if !defined(__CUDACC_RTC__)
extern "C" int points_primal(const {real}* A, const {real}* B, {real}* y, void*, int n, int,
                             cudaStream_t stream) {{
  void* args[] = {{&A, &B, &y, &n}};
  return cudaLaunchKernel(points_{dtype}, dim3((n + 31) / 32), dim3(32), args, 0, stream);
}}
#endif
"""


def computed(expressions, a, b, dtype, index_type="int32"):
    """The values of the expressions: those of row k at `a[k]`, `b[k]`."""
    tensor = {"shape": ["K", "n"], "dtype": dtype}
    manifest = {
        "program": "points",
        "sizes": ["n", "K"],
        "index_type": "int32",
        "tensors": {"A": tensor, "B": tensor, "y": tensor},
        "modes": {
            "primal": {
                "launcher": "points_primal",
                "inputs": ["A", "B"],
                "outputs": ["y"],
                "workspace_bytes": "0",
            }
        },
    }
    program = HostProgram(kernel_text(expressions, dtype, index_type), manifest)
    return program.run("primal", {"A": a, "B": b}, {"K": len(a), "n": len(a[0])})["y"]


# ---- the functions of the table

REAL_LINE = (-80.5, -20.0, -2.7, -1.0, -0.3, -1e-9, 1e-9, 0.3, 1.0, 2.5, 20.0, 80.5)
EDGES = (0.0, -0.0, np.inf, -np.inf, np.nan)
POINTS = REAL_LINE + EDGES
OTHERS = (3.0, -0.7, -2.7, 4.5, 1e5, 2.0, -1e-9, 0.0, -1.0, 0.3, 20.0, -3.5, 0.0, 1.0, 0.0, 2, 1)
GAMMA = ("digamma", "polygamma")


def with_points(function):
    """The expression of `a` and `b` for a function of one or two arguments."""
    return lambda dtype: spell(function, [name("a"), name("b")][: FUNCTIONS[function].arity], dtype)


ORDINARY = {f: with_points(f) for f in FUNCTIONS if f not in GAMMA}


@pytest.fixture(scope="module", params=REALS)
def values_on_the_host(request):
    dtype = request.param
    rows = [rule(dtype).text for rule in ORDINARY.values()]
    a, b = ([points] * len(rows) for points in (POINTS, OTHERS))
    return dtype, dict(zip(ORDINARY, computed(rows, a, b, dtype), strict=True))


@pytest.mark.compiler
@pytest.mark.parametrize("function", ORDINARY)
def test_the_host_computes_what_numpy_computes(values_on_the_host, function):
    dtype, values = values_on_the_host
    a, b = np.array(POINTS, dtype), np.array(OTHERS, dtype)
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[function].value(*(a, b)[: FUNCTIONS[function].arity])

    assert expected.dtype == dtype
    units = {"gelu": 100, "lgamma": 16}.get(function, 4)  # erfc far out, and close to a root
    rtol, atol = units * np.finfo(dtype).eps, np.finfo(dtype).smallest_subnormal
    np.testing.assert_allclose(values[function], expected, rtol, atol)


GAMMA_POINTS = (2**-30, 2**-9, 0.3125, 1.0, 1.5, 3.1875, 9.96875, 15.0, 40.0, 1e3, 1e6)
LEFT_POINTS = (-(2**-20), -0.3125, -0.5, -0.75, -1.25, -2.0625, -3.875, -7.75, -20.5, -1000.375)
ORDERS = (0, 1, 2, 3, 4, 10)


@cache
def exact_polygamma(n, x):
    with mp.workdps(30):
        return mp.polygamma(n, mp.mpf(x))


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", REALS)
def test_digamma_and_polygamma_agree_with_mpmath(dtype):
    points = np.array([GAMMA_POINTS + LEFT_POINTS] * len(ORDERS), dtype)
    rows = [spell("polygamma", [literal(n, dtype), name("a")], dtype).text for n in ORDERS]
    values = computed(rows, points, points, dtype)

    unit, tiny, largest = (float(getattr(np.finfo(dtype), f)) for f in ("eps", "tiny", "max"))
    for n, row in zip(ORDERS, values, strict=True):
        for x, value in zip(map(float, points[0]), map(float, row), strict=True):
            exact = exact_polygamma(n, x)
            if abs(exact) > largest:
                assert abs(value) == np.inf, (n, x)
                continue
            # To the left every value is a difference; what a change of the last place of x does is unavoidable.
            moved = abs(x * exact_polygamma(n + 1, x)) if x < 0 else 0
            allowed = (8 + n) * unit * (abs(exact) + moved + (n == 0)) + tiny
            assert abs(value - exact) <= allowed, (n, x, value)


@pytest.mark.compiler
def test_digamma_and_polygamma_at_poles_and_infinities_are_as_in_scipy():
    rows = [spell("digamma", [name("a")], "float64")]
    rows += [spell("polygamma", [literal(n, "float64"), name("a")], "float64") for n in (1, 2)]
    points = (0.0, -0.0, -1.0, -30.0, np.inf, np.nan)
    values = computed([row.text for row in rows], [points] * 3, [points] * 3, "float64")

    inf, nan = np.inf, np.nan
    np.testing.assert_array_equal(values[0], [-inf, inf, nan, nan, inf, nan])
    np.testing.assert_array_equal(values[1], [inf, inf, inf, inf, 0, nan])
    np.testing.assert_array_equal(values[2], [-inf, -inf, -inf, -inf, 0, nan])


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", REALS)
def test_integer_powers_are_right_to_a_few_units_of_the_last_place(dtype):
    exponents = [*range(-18, 19), 0.5, -1.5]
    bases = name("a"), atom("(a + 0)")
    rows = [spell("pow", [base, literal(n, dtype)], dtype) for n in exponents for base in bases]
    points = np.array([[0.0, 0.7, 1.0, 1.3, 3.0, 20.5, np.inf]] * len(rows), dtype)
    values = computed([row.text for row in rows], points, points, dtype)

    with np.errstate(all="ignore"):
        for n, pair in zip(exponents, values.reshape(-1, 2, points.shape[1]), strict=True):
            expected = points[0].astype(np.float64) ** n
            for row in pair:
                np.testing.assert_allclose(row, expected, rtol=10 * np.finfo(dtype).eps, err_msg=n)


@pytest.mark.plain(arch=1)
@pytest.mark.parametrize("dtype", REALS)
@pytest.mark.parametrize("arch", ["sm_75", "sm_90"])
def test_nvrtc_compiles_every_function_without_a_warning(arch, dtype):
    from tadc.errors import BackendError
    from tadc.runtime.cuda.nvrtc import compile_cuda

    rows = [rule(dtype).text for rule in ORDINARY.values()]
    rows += [spell("pow", [atom("y[i]"), literal(n, dtype)], dtype).text for n in (2, 3, 5, -2, 0)]
    rows += [literal(v, dtype).text for v in (np.inf, -np.inf, np.nan, 1e-3, 0)]
    rows += [spell("polygamma", [literal(n, dtype), name("a")], dtype).text for n in (0, 1)]
    rows += ["floor_div(i, n) + floor_mod(i, n)"]
    try:
        compiled = compile_cuda(kernel_text(rows, dtype), arch)
    except BackendError as error:
        if "no NVRTC" not in str(error):
            raise
        pytest.skip(error.fix)

    assert compiled.warnings == ()
    assert compiled.usage[f"points_{dtype}"].spill_bytes == 0


@pytest.mark.compiler
def test_the_device_functions_are_also_c(tmp_path):
    compiler = shutil.which("gcc") or pytest.skip("no C compiler")
    names = [n for n in reserved_names() if f"{n}(" in device_functions(f"{n}()")]
    constants = ", ".join(literal(v, d, "c").text for v in (np.inf, np.nan, -np.inf) for d in REALS)
    source = tmp_path / "functions.c"
    functions = device_functions("".join(f"{n}();" for n in names), "int64", "c")
    source.write_text(
        f"#include <math.h>\n#define INLINED\n{functions}\nconst double constants[] = {{{constants}}};\n"
    )

    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"]
    subprocess.run([compiler, *flags, "-c", source, "-o", tmp_path / "functions.o"], check=True)


# ---- integers


@pytest.mark.compiler
@pytest.mark.parametrize("index_type", ["int32", "int64"])
def test_floor_div_and_floor_mod_round_down(index_type):
    offset = literal(-9, index_type)
    index = spell("add", [Text(f"({C_TYPE[index_type]})i", Precedence.UNARY), offset], index_type)
    texts = [
        spell(f, [index, literal(m, index_type)], index_type).text
        for m in (1, 2, 3, 7)
        for f in ("floor_div", "floor_mod")
    ]
    values = computed(texts, np.zeros((8, 20)), np.zeros((8, 20)), "float64", index_type)

    expected = [
        f(i - 9, m)
        for m in (1, 2, 3, 7)
        for f in (int.__floordiv__, int.__mod__)
        for i in range(20)
    ]
    np.testing.assert_array_equal(values.ravel(), expected)


def test_integers_are_spelled_without_a_suffix_and_long_ones_with_ll():
    n = name("n")

    assert spell("min", [n, literal(7, "int32")], "int32").text == "min(n, 7)"
    assert spell("max", [n, literal(-7, "int64")], "int64").text == "max(n, -7LL)"
    assert spell("mul", [literal(-2, "int32"), n], "int32").text == "-2 * n"


# ---- constants


@pytest.mark.parametrize(
    ("value", "float32", "float64"),
    [
        (1, "1.0f", "1.0"),
        (0.1, "0.1f", "0.1"),
        (-2.5, "-2.5f", "-2.5"),
        (-0.0, "-0.0f", "-0.0"),
        (1e-30, "1e-30f", "1e-30"),
        (1 / 3, "0.33333334f", "0.3333333333333333"),
        (2**53 + 1, "9007199000000000.0f", "9007199254740992.0"),
        (float("inf"), "__int_as_float(0x7f800000)", "__longlong_as_double(0x7ff0000000000000LL)"),
        (1e60, "__int_as_float(0x7f800000)", "1e+60"),
        (float("nan"), "__int_as_float(0x7fffffff)", "__longlong_as_double(0x7fffffffffffffffLL)"),
    ],
)
def test_literals(value, float32, float64):
    assert (literal(value, "float32").text, literal(value, "float64").text) == (float32, float64)


@pytest.mark.compiler
@pytest.mark.parametrize("dtype", REALS)
def test_literals_have_the_bits_of_their_value(dtype):
    draws = random.Random(1)
    values = [draws.uniform(-1, 1) * 10 ** draws.randint(-44, 38) for _ in range(200)]
    values += [0.0, -0.0, np.inf, -np.inf, np.nan, 5e-324, 1e-45, 2**24 + 1]
    texts = [literal(v, dtype).text for v in values]
    zeros = np.zeros((len(values), 1))

    with np.errstate(over="ignore"):
        expected = np.array(values)[:, None].astype(dtype)
    found = computed(texts, zeros, zeros, dtype)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(np.signbit(found[:-4]), np.signbit(expected[:-4]))


# ---- brackets

a, b, c = map(name, "abc")


def sum_of(x, y):
    return spell("add", [x, y], "float64")


@pytest.mark.parametrize(
    ("spelled", "text"),
    [
        (spell("sub", [a, sum_of(b, c)], "float64"), "a - (b + c)"),
        (sum_of(spell("sub", [a, b], "float64"), c), "a - b + c"),
        (spell("neg", [sum_of(a, b)], "float64"), "-(a + b)"),
        (spell("neg", [spell("neg", [a], "float64")], "float64"), "-(-a)"),
        (spell("neg", [literal(-1, "float64")], "float64"), "-(-1.0)"),
        (spell("mul", [spell("neg", [a], "float64"), b], "float64"), "-a * b"),
        (spell("div", [a, spell("mul", [b, c], "float64")], "float64"), "a / (b * c)"),
        (spell("pow", [a, literal(2, "float64")], "float64"), "a * a"),
        (spell("pow", [sum_of(a, b), literal(2.0, "float64")], "float64"), "square(a + b)"),
        (spell("pow", [sum_of(a, b), literal(-3, "float32")], "float32"), "1.0f / cubef(a + b)"),
        (spell("pow", [a, literal(7, "float64")], "float64"), "integer_power(a, 7)"),
        (spell("pow", [a, literal(0.5, "float32")], "float32"), "powf(a, 0.5f)"),
        (spell("pow", [a, literal(float("nan"), "float64")], "float64").text[:7], "pow(a, "),
        (spell("pow", [sum_of(a, b), literal(1, "float64")], "float64"), "a + b"),
        (spell("div", [a, spell("rsqrt", [b], "float32")], "float32"), "a / (1.0f / sqrtf(b))"),
        (spell("polygamma", [literal(2, "float32"), a], "float32"), "polygammaf(2, a)"),
        (spell("polygamma", [literal(0, "float32"), a], "float32"), "digammaf(a)"),
        (conditional(comparison("<", a, b), c, a), "a < b ? c : a"),
        (
            sum_of(a, conditional(comparison("==", a, sum_of(b, c)), c, a)),
            "a + (a == b + c ? c : a)",
        ),
        (comparison("!=", conditional(comparison("<", a, b), c, a), b), "(a < b ? c : a) != b"),
    ],
    ids=lambda case: case if isinstance(case, str) else "",
)
def test_texts_have_the_brackets_they_need_and_no_more(spelled, text):
    assert (spelled if isinstance(spelled, str) else spelled.text) == text


def test_random_expressions_mean_what_their_tree_means():
    draws = random.Random(2)
    values = {"a": Fraction(3), "b": Fraction(-5, 7), "c": Fraction(11, 2)}
    meaning = {
        "add": Fraction.__add__,
        "sub": Fraction.__sub__,
        "mul": Fraction.__mul__,
        "div": lambda x, y: x / y if y else Fraction(0),
    }

    def tree(depth):
        if depth == 0 or draws.random() < 0.2:
            letter = draws.choice("abc")
            return name(letter), values[letter]
        if draws.random() < 0.2:
            text, value = tree(depth - 1)
            return spell("neg", [text], "float64"), -value
        function = draws.choice(list(meaning))
        (left, x), (right, y) = tree(depth - 1), tree(depth - 1)
        if function == "div" and y == 0:
            function = "sub"
        return spell(function, [left, right], "float64"), meaning[function](x, y)

    for _ in range(500):
        text, value = tree(5)
        assert eval(text.text, {}, values) == value, text


def test_bracketed_compares_precedences():
    assert bracketed(sum_of(a, b), Precedence.SUM) == "a + b"
    assert bracketed(sum_of(a, b), Precedence.PRODUCT) == "(a + b)"


# ---- device functions


def test_a_text_gets_the_device_functions_it_calls_and_those_that_they_call():
    functions = device_functions("y = siluf(x) + max(i, j);")

    assert "sigmoidf(float x)" in functions and "siluf(float x)" in functions
    assert functions.index("sigmoidf(float x)") < functions.index("siluf(float x)")
    assert "double" not in functions and "gelu" not in functions
    assert device_functions("y = x + 1;") == ""


def test_every_name_that_is_spelled_is_reserved():
    assert {"exp", "expf", "maximumf", "hurwitz", "floor_mod", "min", "powf"} <= reserved_names()


def test_what_functions_of_float32_call_has_a_name_in_opencl():
    texts = {f: device_functions(f"{f}f(0)", target="opencl") for f in FUNCTIONS}
    for function, text in texts.items():
        defined = set(re.findall(r"\b(\w+)\([^)]*\) \{", text))
        called = {c for c in re.findall(r"\b([a-z]\w*f)\(", text) if c not in defined and c != "if"}
        named = set(re.findall(r"#define (\w+) ", opencl_names(text)))

        assert called <= named, function
