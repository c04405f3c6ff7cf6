"""Values and derivative rules of the function table, against 50 digits of mpmath."""

from __future__ import annotations

import subprocess
import sys

import mpmath as mp
import numpy as np
import pytest
from programs import normal

import tadc
from tadc.ir.affine import symbol
from tadc.ir.expr import Call, Comparison, Const, IndexValue, Read, Select, call
from tadc.ir.functions import ALIASES, FUNCTIONS, OPERATORS, partials
from tadc.ir.walk import postorder
from tadc.printing.idx import program_text

inf, nan = float("inf"), float("nan")


def exact_fmod(a, b):
    return a - b * (mp.floor(a / b) if a / b > 0 else mp.ceil(a / b))


EXACT = {  # what mathematics says, for mpmath numbers
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "difference": lambda a, b: a - b,
    "log1mexp": lambda x: mp.log(1 - mp.exp(-x)),
    "xlogy": lambda a, b: a * mp.log(b),
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "neg": lambda x: -x,
    "pow": lambda a, b: a**b,
    "gate": lambda a, b: a * b,
    "max": max,
    "min": min,
    "atan2": mp.atan2,
    "hypot": mp.hypot,
    "fmod": exact_fmod,
    "polygamma": lambda n, x: mp.polygamma(int(n), x),
    **{f: getattr(mp, f) for f in ("exp", "expm1", "log", "log1p", "log10", "sqrt", "sin", "cos")},
    **{f: getattr(mp, f) for f in ("tan", "asin", "acos", "atan", "sinh", "cosh", "tanh")},
    **{f: getattr(mp, f) for f in ("asinh", "acosh", "atanh", "erf", "erfc", "digamma")},
    **{f: getattr(mp, f) for f in ("sign", "floor", "ceil")},
    "exp2": lambda x: mp.mpf(2) ** x,
    "log2": lambda x: mp.log(x, 2),
    "rsqrt": lambda x: 1 / mp.sqrt(x),
    "cbrt": lambda x: mp.sign(x) * mp.cbrt(abs(x)),
    "lgamma": lambda x: mp.log(abs(mp.gamma(x))),
    "abs": abs,
    "detached": lambda x: +x,
    "round": mp.nint,
    "relu": lambda x: max(x, mp.mpf(0)),
    "sigmoid": lambda x: 1 / (1 + mp.exp(-x)),
    "softplus": lambda x: mp.log1p(mp.exp(x)),
    "silu": lambda x: x / (1 + mp.exp(-x)),
    "gelu": lambda x: x * mp.erfc(-x / mp.sqrt(2)) / 2,
}

MODERATE = (-30.25, -2.7, -1.3, -0.3, -1e-10, 1e-10, 0.3, 0.75, 1.4, 2.5, 30.25)
POSITIVE = tuple(x for x in MODERATE if x > 0)
UNIT = tuple(x for x in MODERATE if abs(x) < 1)
WIDE = (*MODERATE, -1e30, -1e-30, 1e-30, 1e30)
PAIRS = tuple((a, b) for a in (-2.7, -0.3, 1e-10, 1.4, 30.25) for b in (-1.3, 0.75, 2.5, 1e10))
POWERS = ((2.5, 3), (2.5, -2), (0.3, 0.5), (1e-10, 1.7), (30.25, -3.3), (1.4, 40.0))
ORDERS = tuple((n, x) for n in (1, 2, 3, 7) for x in (1e-3, 0.3, 1.4, 9.5, 30.25, 1e3))

# The arguments of functions that do not take all of WIDE.
ARGUMENTS = {
    **dict.fromkeys(("add", "sub", "difference", "mul", "div", "gate", "max", "min"), PAIRS),
    **dict.fromkeys(("atan2", "hypot", "fmod"), PAIRS),
    "pow": POWERS,
    "polygamma": ORDERS,
    "log1mexp": (*POSITIVE, 1e-30, 0.69, 0.7, 80.0),
    "xlogy": tuple((a, b) for a, b in PAIRS if b > 0),
    **dict.fromkeys(("exp", "expm1", "exp2", "sinh", "cosh", "lgamma", "digamma"), MODERATE),
    **dict.fromkeys(("log", "log2", "log10", "sqrt", "rsqrt"), (*POSITIVE, 1e-30, 1e30)),
    "log1p": (*POSITIVE, *UNIT, 1e-30, 1e30),
    **dict.fromkeys(("asin", "acos", "atanh"), (*UNIT, 1e-30, 0.999)),
    "acosh": (1.001, 1.4, 2.5, 30.25, 1e30),
    "tan": MODERATE,
}

SMOOTH = [f for f in FUNCTIONS if f not in ("floor", "ceil", "round", "sign", "detached")]


@pytest.fixture(autouse=True)
def fifty_digits():
    with mp.workdps(50), np.errstate(all="ignore"):
        yield


def arguments(function):
    return [a if isinstance(a, tuple) else (a,) for a in ARGUMENTS.get(function, WIDE)]


def read(k):
    return Read(f"x{k}", ())


def evaluated(expr, values, number, functions):
    """The value of an expression whose reads are `x0`, `x1`, ... and whose index is `n`."""
    done = {}
    for node in postorder(expr):
        match node:
            case Const(value):
                done[node] = number(value)
            case Read(name):
                done[node] = values[int(name[1:])]
            case IndexValue(form):
                done[node] = number(form.at({"n": values[-1]}))
            case Call(function, args):
                done[node] = functions[function](*(done[a] for a in args))
            case Select(Comparison(relation, left, right), then, otherwise):
                a, b = done[left], done[right]
                holds = {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b}[relation]
                done[node] = done[then if holds else otherwise]
    return done[expr]


IN_FLOAT64 = np.float64, {f: row.value for f, row in FUNCTIONS.items()}
IN_50_DIGITS = mp.mpf, EXACT


def node_of(function, args):
    """The call at reads; polygamma's order is a number."""
    nodes = [read(k) for k in range(len(args))]
    return call(function, *([args[0], nodes[1]] if function == "polygamma" else nodes))


def slopes(function, args, number, functions):
    """The partial derivatives of a function at numbers, None for those that are 0 everywhere."""
    values = [number(a) for a in args]
    rules = partials(node_of(function, args))
    return [None if r is None else evaluated(r, values, number, functions) for r in rules]


def exact_slopes(function, args):
    """By mpmath's numeric differentiation, one argument at a time."""
    for k, row in enumerate(FUNCTIONS[function].derivatives):
        before, after = args[:k], args[k + 1 :]
        yield row and mp.diff(lambda x, b=before, a=after: EXACT[function](*b, x, *a), args[k])


def test_every_function_has_an_exact_witness():
    assert EXACT.keys() == FUNCTIONS.keys()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_are_right_to_a_few_units_of_the_last_place_of_result_or_arguments(function, dtype):
    unit, tiny = float(np.finfo(dtype).eps), float(np.finfo(dtype).tiny)
    for args in arguments(function):
        numbers = [x if isinstance(x, int) else dtype(x) for x in args]
        value = FUNCTIONS[function].value(*numbers)
        exact_args = tuple(mp.mpf(float(x)) for x in numbers)
        exact = EXACT[function](*exact_args)

        conditioned = abs(exact)
        if function in SMOOTH:
            found = exact_slopes(function, exact_args)
            conditioned += sum(abs(x * (s or 0)) for x, s in zip(exact_args, found, strict=True))
        assert value.dtype == dtype
        assert abs(float(value) - exact) <= 6 * unit * conditioned + tiny, args


@pytest.mark.parametrize("function", SMOOTH)
def test_a_derivative_rule_is_the_formula_for_the_derivative(function):
    for args in arguments(function):
        found = slopes(function, args, *IN_50_DIGITS)
        expected = exact_slopes(function, tuple(map(mp.mpf, args)))
        for slope, exact in zip(found, expected, strict=True):
            # Constants such as 2/sqrt(pi) have 16 digits, numeric derivatives of steep functions 20.
            assert slope == exact or mp.almosteq(slope, exact, 1e-14, 1e-20), args


@pytest.mark.parametrize("function", SMOOTH)
def test_derivatives_in_float64_are_right_to_a_few_units_of_the_last_place(function):
    for args in arguments(function):
        found = slopes(function, args, *IN_FLOAT64)
        scale = max(1, *(min(abs(x), 40) for x in args))
        for slope, exact in zip(found, exact_slopes(function, args), strict=True):
            assert slope == exact or abs(slope - exact) <= 1e-15 * max(abs(exact), 1) * scale, args


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        ("abs", (0.0,), [0]),
        ("abs", (-0.0,), [0]),
        ("relu", (0.0,), [0]),
        ("relu", (nan,), [0]),
        ("hypot", (0.0, 0.0), [0, 0]),
        ("hypot", (3e-200, 4e-200), [0.6, 0.8]),
        ("hypot", (3e200, -4e200), [0.6, -0.8]),
        ("atan2", (0.0, 0.0), [0, 0]),
        ("atan2", (0.0, -1.0), [-1, 0]),
        ("atan2", (1e-200, 1e-200), [5e199, -5e199]),
        ("max", (1.0, 1.0), [0.5, 0.5]),
        ("max", (0.0, -0.0), [0.5, 0.5]),
        ("max", (1.0, 2.0), [0, 1]),
        ("max", (nan, 2.0), [0, 0]),
        ("max", (inf, inf), [0.5, 0.5]),
        ("min", (1.0, 1.0), [0.5, 0.5]),
        ("min", (1.0, 2.0), [1, 0]),
        ("min", (1.0, nan), [0, 0]),
        ("sign", (0.0,), [None]),
        ("floor", (0.0,), [None]),
        ("detached", (0.5,), [None]),
        ("ceil", (0.0,), [None]),
        ("round", (0.5,), [None]),
        ("fmod", (-7.5, 2.0), [1, 3]),
        ("fmod", (0.6, 0.1), [1, -5]),
        ("gate", (0.0, inf), [inf, 0]),
        ("pow", (0.0, 2.5), [0, 0]),
        ("pow", (0.0, 0.0), [0, -inf]),
        ("pow", (-2.0, 3.0), [12, nan]),
        ("sigmoid", (-1e3,), [0]),
        ("sigmoid", (1e3,), [0]),
        ("softplus", (1e3,), [1]),
        ("silu", (-1e3,), [0]),
        ("gelu", (-1e3,), [0]),
        ("gelu", (1e200,), [1]),
        ("cbrt", (0.0,), [inf]),
        ("sqrt", (0.0,), [inf]),
        ("erf", (1e200,), [0]),
        ("expm1", (-50.0,), [np.exp(-50.0)]),
    ],
)
def test_derivatives_at_special_points(function, args, expected):
    found = slopes(function, args, *IN_FLOAT64)

    assert [s is None for s in found] == [s is None for s in expected]
    for slope, value in zip(found, expected, strict=True):
        assert value is None or float(slope) == pytest.approx(value, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("n", [0, 1, 2, 3, -1, 0.0, 2.0, 0.5])
@pytest.mark.parametrize("x", [0.0, -2.0, 3.0])
def test_a_power_with_a_constant_exponent_has_the_derivative_without_a_logarithm(x, n):
    slope, _ = by_base(x, Const(n))

    expected = 0 if n == 0 else n * np.float64(x) ** (n - 1)
    assert slope == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
@pytest.mark.parametrize("x", [0.0, -2.0])
def test_a_power_with_an_index_as_exponent_is_a_polynomial_also_at_zero(x, n):
    slope, rule = by_base(x, IndexValue(symbol("n")), n)

    assert slope == (0 if n == 0 else n * x ** (n - 1))
    assert all(getattr(node, "function", None) != "log" for node in postorder(rule))


def by_base(x, exponent, n=None):
    rule = partials(call("pow", read(0), exponent))[0]
    return evaluated(rule, [np.float64(x), n], *IN_FLOAT64), rule


@pytest.mark.parametrize(
    ("function", "args", "expected"),
    [
        ("gate", (0.0, inf), 0),
        ("gate", (nan, -0.0), 0),
        ("gate", (2.0, inf), inf),
        ("gate", (2.0, nan), nan),
        ("max", (nan, 1.0), nan),
        ("min", (1.0, nan), nan),
        ("relu", (nan,), nan),
        ("round", (0.5,), 0),
        ("round", (1.5,), 2),
        ("round", (-2.5,), -2),
        ("fmod", (-7.5, 2.0), -1.5),
        ("sign", (-0.0,), 0),
        ("sign", (nan,), nan),
        ("sigmoid", (-800.0,), 0),
        ("sigmoid", (inf,), 1),
        ("softplus", (800.0,), 800),
        ("softplus", (-inf,), 0),
        ("pow", (0.0, 0.0), 1),
        ("rsqrt", (0.0,), inf),
        ("lgamma", (-2.0,), inf),
        ("digamma", (0.0,), -inf),
        ("atan2", (0.0, -1.0), np.pi),
        ("log1mexp", (0.0,), -inf),
        ("log1mexp", (inf,), 0),
        ("xlogy", (0.0, 0.0), 0),
        ("xlogy", (0.0, nan), nan),
        ("difference", (inf, inf), 0),
        ("difference", (-inf, inf), -inf),
        ("hypot", (1e200, 1e200), 2**0.5 * 1e200),
    ],
)
def test_values_at_special_points(function, args, expected):
    value = FUNCTIONS[function].value(*map(np.float64, args))

    assert float(value) == pytest.approx(expected, rel=1e-15, nan_ok=True)


@pytest.mark.parametrize("function", [f for f, row in FUNCTIONS.items() if row.finite])
def test_functions_marked_finite_are_finite_at_finite_arguments(function):
    points = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 1e-300, -1e-300, 1e150, -1e150, 5e-324])
    grid = np.meshgrid(*[points] * FUNCTIONS[function].arity)

    assert np.isfinite(FUNCTIONS[function].value(*grid)).all()


def test_the_rules_use_functions_of_the_table_with_the_right_number_of_arguments():
    for name, row in FUNCTIONS.items():
        node = node_of(name, (2,) * row.arity)
        rules = [rule for rule in partials(node) if rule is not None]
        calls = [node for node in postorder(rules) if isinstance(node, Call)]
        assert all(len(node.args) == FUNCTIONS[node.function].arity for node in calls), name


def test_float32_arrays_and_scalars_stay_float32():
    for name, row in FUNCTIONS.items():
        for x in (np.float32(0.5), np.full(3, 0.5, np.float32)):
            args = [1, x] if name == "polygamma" else [x] * row.arity
            assert row.value(*args).dtype == np.float32, name


def test_aliases_and_operators_name_functions_of_the_table():
    assert set(ALIASES.values()) | OPERATORS <= FUNCTIONS.keys()


def test_scipy_is_not_imported_before_it_is_needed():
    code = "import sys, tadc, tadc.ir.functions; sys.exit(any(m.startswith('scipy') for m in sys.modules))"

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_planted_error_in_a_rule_is_noticed():
    wrong = evaluated(1 - read(0) * read(0), [mp.mpf(0.3)], *IN_50_DIGITS)

    assert not mp.almosteq(wrong, mp.diff(mp.tanh, 0.3), rel_eps=1e-14)


ONE_ARGUMENT = [f for f, row in FUNCTIONS.items() if row.arity == 1 and f not in OPERATORS]


@pytest.mark.parametrize("name", [f for f in ONE_ARGUMENT if f != "detached"])
def test_a_function_of_one_argument_is_spelled_in_both_languages(name):
    called = program_text(normal(f"y = {name}(x)"))

    assert program_text(normal(f"y = {name} x")) == called
    tex = tadc.compile(rf"y = \operatorname{{{name}}}(x)", lang="tex")
    assert program_text(tex.program) == called
