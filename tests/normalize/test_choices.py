"""Sums run over conditions, however these are spelled: random conditions against brute force, and equal loops."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import tadc

ROWS, COLUMNS = 6, 7
inf, nan = np.inf, np.nan


def clamp(e, low, high):
    return min(max(e, low), high)


def random_form(random, depth=2):
    """An index expression of `i` and `j`, as text that Python reads alike."""
    if depth == 0:
        return random.choice(["i", "j", str(random.randint(0, 4)), f"{random.randint(2, 3)}*j"])
    a, b = (random_form(random, depth - 1) for _ in range(2))
    return random.choice(
        [
            f"({a} + {b})",
            f"({a} - {b})",
            f"abs({a} - {b})",
            f"max({a}, {b})",
            f"min({a}, {b})",
            f"clamp({a}, {random.randint(0, 2)}, {b})",
            f"({a})*{random.randint(-2, 2)}".replace("*-", "*(0-1)*"),
            f"({a}) // {random.randint(2, 3)}",
        ]
    )


def random_condition(random, depth=2):
    if depth == 0 or random.random() < 0.4:
        relation = random.choice(["<", "<=", ">", ">=", "==", "!="])
        return f"{random_form(random)} {relation} {random_form(random, 1)}"
    a, b = (random_condition(random, depth - 1) for _ in range(2))
    return random.choice([f"({a} and {b})", f"({a} or {b})", f"(not ({a}))"])


FORMS = {
    "condition": "y[i: 6] = sum{j: 7 | COND} a[i, j]*w[j]",
    "if": "y[i: 6] = sum{j: 7} (if COND then a[i, j] else 0)*w[j]",
    "negative if": "y[i: 6] = sum{j: 7} w[j]*(if COND then 0 else a[i, j])",
    "where": "y[i: 6] = sum{j: 7} -where(COND, a[i, j]*w[j], 0)/2",
    "bracket": "y[i: 6] = sum{j: 7} a[i, j]*[COND]*w[j]",
    "max": "y[i: 6] = max{j: 7 | COND} a[i, j]*w[j]",
}
DECLARED = "input a[6, 7], w[7]\n"


@pytest.mark.plain(seed=12)
@pytest.mark.parametrize("seed", range(150))
@pytest.mark.parametrize("form", FORMS)
def test_random_conditions_are_those_of_brute_force(form, seed):
    condition = random_condition(Random(seed))
    f = tadc.compile(DECLARED + FORMS[form].replace("COND", condition), backend="interpreter")
    rng = np.random.default_rng(seed)
    a, w, dy = (
        rng.integers(1, 9, (ROWS, COLUMNS)) * 1.0,
        rng.integers(1, 9, COLUMNS) * 1.0,
        rng.normal(size=ROWS),
    )
    code = compile(condition, "condition", "eval")
    holds = np.array(
        [
            [eval(code, None, {"i": i, "j": j, "clamp": clamp}) for j in range(COLUMNS)]
            for i in range(ROWS)
        ]
    )
    if form == "negative if":
        holds = ~holds
    sign = -0.5 if form == "where" else 1.0

    if form == "max":
        np.testing.assert_array_equal(f(a, w), np.where(holds, a * w, -inf).max(axis=1))
        return
    np.testing.assert_allclose(f(a, w), sign * (holds * a) @ w, rtol=1e-14)
    da, dw = f.adjoint()(a, w, dy)
    np.testing.assert_allclose(da, sign * dy[:, None] * holds * w, rtol=1e-14)
    np.testing.assert_allclose(dw, sign * dy @ (holds * a), rtol=1e-12, atol=1e-13)
    printed = tadc.compile(str(f), backend="interpreter")
    np.testing.assert_array_equal(printed(a, w), f(a, w))


SAME = {
    "a band": (
        "size N\ninput a[N, N], x[N]\ny[i] = ",
        "sum{j=max(0, i - 8)..min(N - 1, i + 8)} a[i, j]*x[j]",
        "sum{j | abs(i - j) <= 8} a[i, j]*x[j]",
        "sum{j | -9 < i - j < 9} a[i, j]*x[j]",
        "sum{j | not (abs(j - i) > 8)} a[i, j]*x[j]",
        "sum{j} (if max(i - j, j - i) <= 8 then a[i, j]*x[j] else 0)",
        "sum{j} a[i, j]*where(abs(i - j) <= 8, x[j], 0)",
        "sum{j} [abs(i - j) < 9]*a[i, j]*x[j]",
        "sum{j} (if abs(i - j) > 8 then 0 else a[i, j])*x[j]",
        "sum{j} (if i <= j + 8 then (if j <= i + 8 then 1 else 0) else 0)*a[i, j]*x[j]",
    ),
    "a border": (
        "size N, R\ninput x[N], w[R]\ny[i: N] = ",
        "sum{r | 0 <= i + r - 1 < N} x[i + r - 1]*w[r]",
        "sum{r} x[pad(i + r - 1)]*w[r]",
        "sum{r} w[r]*x[pad(i + r - 1)]",
        "sum{r} (if 0 <= i + r - 1 and i + r <= N then x[i + r - 1] else 0)*w[r]",
        "sum{r} [0 <= i + r - 1 < N]*x[i + r - 1]*w[r]",
        "sum{r} (if i + r < 1 then 0 else (if i + r > N then 0 else w[r]*x[i + r - 1]))",
    ),
    "a window": (
        "size M, N\ninput x[M + 2, N + 2], w[3, 3]\ny[i: M, j: N] = ",
        "sum{r, s} w[r, s]*x[i + r, j + s]",
        "sum{r} (sum{s} w[r, s]*x[i + r, j + s])",
    ),
    "a padded window": (
        "size M, N\ninput x[M, N], w[3, 3]\ny[i: M, j: N] = ",
        "sum{r, s | 0 <= i + r - 1 < M and 0 <= j + s - 1 < N} w[r, s]*x[i + r - 1, j + s - 1]",
        "sum{r, s} w[r, s]*x[pad(i + r - 1), pad(j + s - 1)]",
        "sum{r} (sum{s} w[r, s]*x[pad(i + r - 1), pad(j + s - 1)])",
        "sum{r | 0 <= i + r - 1 < M} (sum{s} w[r, s]*x[i + r - 1, pad(j + s - 1)])",
    ),
    "a padded maximum": (
        "size N\ninput x[N]\ny[i: N] = ",
        "max{r: 3 | 0 <= i + r - 1 < N} x[i + r - 1]",
        "max{r: 3} x[pad(i + r - 1, -inf)]",
        "max{r: 3} (if 0 <= i + r - 1 < N then x[i + r - 1] else -inf)",
    ),
    "all but the first": (
        "size N, M\ninput a[N, M]\ny[i] = ",
        "sum{j=1..M-1} a[i, j]",
        "sum{j} (if j = 0 then 0 else a[i, j])",
        "sum{j} a[i, j]*[not (j = 0)]",
    ),
    "all but the last": (
        "size N, M\ninput a[N, M]\ny[i] = ",
        "sum{j=0..M-2} a[i, j]",
        "sum{j} (if j = M - 1 then 0 else a[i, j])",
    ),
    "two sides": (
        "size N\ninput a[N, N], x[N]\ny[i] = ",
        "sum{j | j <= i - 2} a[i, j]*x[j] + sum{j | i + 2 <= j} a[i, j]*x[j]",
        "sum{j | abs(i - j) >= 2} a[i, j]*x[j]",
        "sum{j | i - j >= 2 or j - i >= 2} a[i, j]*x[j]",
        "sum{j} (if abs(i - j) < 2 then 0 else a[i, j]*x[j])",
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_spelling_does_not_decide(name):
    declared, first, *others = SAME[name]
    f = tadc.compile(declared + first, backend="native")
    for text in others:
        g = tadc.compile(declared + text, backend="native")
        assert terms(f) == terms(g), text
        assert terms(f.adjoint()) == terms(g.adjoint()), text


def terms(f):
    """The program as the bag of its ranges and conditions."""
    from tadc.ir.expr import Reduce, Select
    from tadc.ir.walk import postorder

    found = []
    for s in f.program.statements:
        for e in postorder(s.body):
            if isinstance(e, Reduce):
                found.append(str(e.domain))
            if isinstance(e, Select):
                found.append(str(e.condition))
    return sorted(found)


def test_a_choice_of_zero_takes_no_part_where_another_factor_is_infinite():
    bracket, padded = (
        tadc.compile("size N, R\ninput x[N], w[R]\ny[i: N] = " + text, backend="interpreter")
        for text in SAME["a border"][1:3]
    )
    x, w = np.array([1.0, 2, 3]), np.array([inf, 1, nan])

    np.testing.assert_array_equal(padded(x, w), bracket(x, w))


def test_a_zero_is_a_number_where_another_factor_may_be_infinite_for_finite_inputs():
    f = tadc.compile(
        "size N\ninput x[N], w[N]\ny = sum{i} (if i < 2 then x[i] else 0)*exp(w[i])",
        backend="interpreter",
    )

    assert np.isnan(f(np.ones(3), np.array([0.0, 0.0, 1e6])))
