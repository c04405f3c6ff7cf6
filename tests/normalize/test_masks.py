"""Branches that are not taken, where derivatives of first to third order are infinite: nothing comes from there."""

from __future__ import annotations

import itertools
from random import Random

import numpy as np
import pytest

import tadc

# What stands behind the mask `x > 0`, with its first three derivatives by the closed form.
FUNCTIONS = {
    "log": ("log(x[i])", lambda x: (1 / x, -1 / x**2, 2 / x**3)),
    "sqrt": ("sqrt(x[i])", lambda x: (x**-0.5 / 2, -(x**-1.5) / 4, 3 * x**-2.5 / 8)),
    "cbrt": ("cbrt(x[i])", lambda x: (x ** (-2 / 3) / 3, -2 * x ** (-5 / 3) / 9, 10 * x ** (-8 / 3) / 27)),
    "reciprocal": ("1/x[i]", lambda x: (-1 / x**2, 2 / x**3, -6 / x**4)),
    "power": ("x[i]**-0.5", lambda x: (-(x**-1.5) / 2, 3 * x**-2.5 / 4, -15 * x**-3.5 / 8)),
}  # fmt: skip
VALUES = {
    "log": np.log, "sqrt": np.sqrt, "cbrt": np.cbrt, "reciprocal": np.reciprocal, "power": lambda x: x**-0.5,
}  # fmt: skip

# How the masked sum of `u[i] = t[i]*x[i]` is written; all mean the same.
MASKS = {
    "where": "y = sum{i} where(x[i] <= 0, 0, u[i])",
    "if": "y = sum{i} (if x[i] > 0 then u[i] else 0)",
    "a condition on the sum": "y = sum{i | x[i] > 0} u[i]",
    "a bracket": "y = sum{i} u[i]*[x[i] > 0]",
    "one minus a bracket": "y = sum{i} (1 - [x[i] <= 0])*u[i]",
    "a masked statement": "v[i] = where(x[i] > 0, u[i], 0)\ny = sum{i} v[i]",
}

X = np.array([4.0, 0.0, -1.0, 0.25])
TAKEN = X > 0


def masked(function, mask, backend="interpreter"):
    """`sum x*f(x)` over the positive elements."""
    text = f"input x[4]\nt[i] = {FUNCTIONS[function][0]}\nu[i] = t[i]*x[i]\n{MASKS[mask]}"
    return tadc.compile(text, backend=backend)


def exact(function):
    """The first three derivatives of `x*f(x)`, 0 where the branch is not taken."""
    x = X[TAKEN]
    f, (d1, d2, d3) = VALUES[function](x), FUNCTIONS[function][1](x)
    found = []
    for derivative in (f + x * d1, 2 * d1 + x * d2, 3 * d2 + x * d3):
        whole = np.zeros(4)
        whole[TAKEN] = derivative
        found.append(whole)
    return found


def agree(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def derived(f, modes, directions):
    """`f` derived by `x` in each of the modes in turn, at `X`, and the elementwise weight of what is expected.

    `f` is a sum over elements, so a derivative is the elements' own derivative times what was multiplied to it.
    """
    values, weight, scalar = [X], np.ones(4), True
    for mode, direction in zip(modes, directions, strict=True):
        f = f.adjoint(wrt="x") if mode == "a" else f.tangent(wrt="x")
        if mode == "a" and scalar:
            values.append(1.0)
            scalar = False
        else:
            values.append(direction)
            weight = weight * direction
    return f(*values), weight, scalar


def check(f, function, modes):
    directions = [np.array([1, 1, 1, 1]), np.array([2, 1, -1, 3]), np.array([-1, 2, 0.5, 1])]
    found, weight, scalar = derived(f, modes, directions[: len(modes)])
    expected = exact(function)[len(modes) - 1] * weight

    agree(found, expected.sum() if scalar else expected)


ORDERS = ["".join(m) for n in (1, 2, 3) for m in itertools.product("at", repeat=n)]


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_hessian_is_finite_where_a_branch_is_not_taken(function, mask):
    agree(masked(function, mask).hessian()(X), np.diag(exact(function)[1]))


@pytest.mark.parametrize("modes", ORDERS)
@pytest.mark.parametrize("function", ["log", "cbrt"])
def test_adjoints_and_tangents_in_any_order_are_those_of_the_branch_taken(function, modes):
    check(masked(function, "where"), function, modes)


@pytest.mark.parametrize("modes", ["aa", "ta", "at"])
@pytest.mark.parametrize("mask", MASKS)
def test_numpy_gives_second_derivatives_of_the_branch_taken(mask, modes):
    check(masked("sqrt", mask, "numpy"), "sqrt", modes)


@pytest.mark.slow
@pytest.mark.parametrize("modes", ORDERS)
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("backend", ["interpreter", "numpy", "auto"])
def test_every_function_behind_every_mask_in_every_order(function, mask, modes, backend):
    check(masked(function, mask, backend), function, modes)


@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_both_halves_of_a_pullback_leave_out_the_branch_not_taken(backend):
    first, second, third = exact("log")
    f = masked("log", "where", backend)
    v = np.array([2.0, 1, -1, 3])

    value, pullback = f.vjp(X)
    agree(pullback(1.0)["x"], first)
    value, pullback = f.gradient().vjp(X)
    agree(value, first)
    agree(pullback(v)["x"], second * v)
    value, pullback = f.hvp().vjp(X, v)
    agree(value, second * v)
    agree(pullback(v)["x"], third * v * v)
    agree(f.gradient().jacobian()(X), np.diag(second))


# A sum over pairs with an infinite term on the diagonal, and what may mask it.
PAIRS = {
    "a bracket": "[i != j]",
    "one minus a delta": "(1 - delta(i, j))",
    "one minus a bracket": "(1 - [i = j])",
    "one minus one minus a bracket": "(1 - (1 - [i != j]))",
    "one minus a delta, with a sign": "-(1.0 - delta(i, j))*-1",
}


@pytest.mark.parametrize("term", ["{}*log((x[i] - x[j])**2)", "log((x[i] - x[j])**2)*{}"])
@pytest.mark.parametrize("pair", PAIRS)
def test_what_is_one_or_zero_masks_the_diagonal_as_a_bracket_does(pair, term):
    f = tadc.compile(
        f"size N\ninput x[N]\ny = sum{{i, j}} {term.format(PAIRS[pair])}", backend="interpreter"
    )
    x = np.array([1.0, 3, 4, -2])
    apart = ~np.eye(4, dtype=bool)
    d = np.where(apart, x[:, None] - x, 1)

    agree(f(x), np.log(d**2)[apart].sum())
    agree(f.gradient()(x), 4 * (apart / d).sum(1))
    agree(f.hessian()(x), 4 * apart / d**2 - np.diag(4 * (apart / d**2).sum(1)))


def test_one_minus_a_delta_guards_what_it_divides():
    f = tadc.compile("size N\ninput x[N]\ny[i] = sum{j} (1 - delta(i, j)) / (x[i] - x[j])")

    agree(f(np.array([1.0, 3, 4])), [-1 / 2 - 1 / 3, 1 / 2 - 1, 1 / 3 + 1])


def test_what_only_looks_like_a_bracket_masks_nothing():
    f = tadc.compile("input x[2]\ny[i] = (2 - [i = 0])*x[i] + (1 - x[i])*2 + 1 - [i = 0]")

    agree(f(np.array([5.0, 7.0])), [5 - 8, 14 - 12 + 1])


# ---------------------------------------------------------------------- random programs

# What is infinite, or has an infinite derivative, at some of the elements that are not taken.
SINGULAR = ["log({})", "sqrt({})", "cbrt({})", "1/{}", "{}**-0.5", "{}**1.5", "rsqrt({})", "log2({})", "{}*log({})", "exp(1/{})"]  # fmt: skip
SMOOTH = ["tanh({})", "{}*{}", "sin({}) + {}", "{}/(2 + {}*{})", "relu({}) - {}", "exp(-{}*{})"]
# Zero at zero: what they make of a masked zero has no influence on other elements.
AFTER = ["tanh({})", "{}*{}", "sin({})*3", "{}*exp(-{}*{})", "{}"]
CHOICES = [
    "where(x[i] <= 0, 0, {})",
    "if x[i] > 0 then {} else 0",
    "{}*[x[i] > 0]",
    "[x[i] > 0]*{}",
    "(1 - [x[i] <= 0])*{}",
    "if x[i] > 0 and x[i] < 99 then {} else 0",
    "sum{{k: 2 | x[i] > 0}} {}/2",
    "sum{{j | i = j}} [x[j] > 0]*{}",
]
TOTALS = ["sum{i} w[i]", "sum{i, j} w[i]*w[j]", "sum{i} w[i]*w[i]*x[i]", "(sum{i} w[i])*(sum{i} w[i]*a[i])"]  # fmt: skip


def random_masked_program(random):
    """Statements that are singular where `x` is not positive, a mask, what is made of it, and a sum."""
    lines, names = ["size N", "input x[N], a[N]"], ["x[i]"]
    for n in range(random.randint(1, 4)):
        function = random.choice(SINGULAR if n == 0 or random.random() < 0.4 else SMOOTH)
        e = function.replace("{}", random.choice(names))
        if random.random() < 0.5:
            e = f"({e}){random.choice('+-*')}{random.choice([*names, 'a[i]'])}"
        lines.append(f"t{n}[i] = {e}")
        names.append(f"t{n}[i]")
    u = f"({names[-1]}{random.choice('+*')}{random.choice(names)})"
    lines.append(f"v[i: N] = {random.choice(CHOICES).format(u)}")
    lines.append(f"w[i: N] = {random.choice(AFTER).replace('{}', 'v[i]')}")
    return "\n".join([*lines, f"y = {random.choice(TOTALS)}", "output y"])


def derivative(text, modes, x, a, directions, backend):
    """The derivative by `x` in each of the modes in turn, the inner ones along the directions."""
    f = tadc.compile(text, backend=backend)
    values, scalar = [x, a], True
    for mode, direction in zip(modes, directions, strict=True):
        f = f.adjoint(wrt="x") if mode == "a" else f.tangent(wrt="x")
        values.append(1.0 if mode == "a" and scalar else direction)
        scalar = scalar and mode == "t"
    return f(*values)


def check_masked_program(seed, backends):
    random = Random(seed)
    text = random_masked_program(random)
    modes = "".join(random.choice("at") for _ in range(random.randint(1, 3)))
    numbers = np.random.default_rng(seed)
    x = numbers.choice([0.0, -1.0, 0.5, 1.25, 2.0], 6)
    x[0] = 1.5
    a, *directions = numbers.uniform(0.5, 1.5, (1 + len(modes), 6))
    taken = x > 0
    expected = derivative(text, modes, x[taken], a[taken], [d[taken] for d in directions], "interpreter")  # fmt: skip
    if np.shape(expected):
        whole = np.zeros(6)
        whole[taken] = expected
        expected = whole
    for backend in backends:
        found = derivative(text, modes, x, a, directions, backend)
        np.testing.assert_allclose(found, expected, 1e-9, 1e-9, err_msg=f"{modes}, {backend}\n{text}")  # fmt: skip


@pytest.mark.plain(seed=8)
@pytest.mark.parametrize("seed", range(60))
def test_random_programs_have_the_derivatives_of_the_branches_taken(seed):
    check_masked_program(seed, ["interpreter", "numpy"])


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_many_random_programs_have_the_derivatives_of_the_branches_taken(block):
    for seed in range(100 + 40 * block, 140 + 40 * block):
        check_masked_program(seed, ["interpreter", "numpy", "auto"])
