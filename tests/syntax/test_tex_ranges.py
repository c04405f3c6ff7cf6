r"""Ranges behind a formula bind its indices; what else restricts them is refused with its place."""

from __future__ import annotations

import numpy as np
import pytest

import tadc

# What stands behind `y_i = x_i`, and the program that it is with `x` of N elements.
RANGES = r"""
, i=1,\ldots,N                           | y[i: N] = x[i]
, i=1,...,N                              | y[i: N] = x[i]
, \quad i = 1, 2, \dots, N.              | y[i: N] = x[i]
, \quad \text{for } i = 0, \dots, N-1    | y[i: N] = x[i]
, \quad i = 0, \dots, 4                  | y[i: 5] = x[i]
, \quad i = 1, \dots, 4                  | y[i: 4] = x[i]
\quad (i = 1, \ldots, N)                 | y[i: N] = x[i]
\quad \forall i \in \{1..N\}             | y[i: N] = x[i]
\quad \forall i \in \{1, \dots, N\}      | y[i: N] = x[i]
\quad \forall i \in [1, N]               | y[i: N] = x[i]
\quad \forall i \in [N]                  | y[i: N] = x[i]
, \quad 1 \le i \le N                    | y[i: N] = x[i]
, \quad 0 \le i < N                      | y[i: N] = x[i]
& i &= 1, \dots, N                       | y[i: N] = x[i]
%!tadc base 1@\quad i = 2, \dots, N-1    | y[i: N-2] = x[i+1]
%!tadc base 0@\quad i = 2, \dots, N-1    | y[i: N-2] = x[i+2]
"""
CASES = [[part.strip() for part in line.split("|")] for line in RANGES.strip().splitlines()]
SHAPE = "%!tadc size N\n%!tadc input x[N]\n"


@pytest.mark.parametrize(("behind", "program"), CASES, ids=[c[0] for c in CASES])
def test_a_range_behind_a_formula_binds_its_index(behind, program):
    line, _, behind = behind.rpartition("@")
    text = rf"{SHAPE}{line}@\begin{{align}} y_i &= x_i {behind} \end{{align}}".replace("@", "\n")

    assert str(tadc.compile(text, lang="tex")) == str(
        tadc.compile(f"size N\ninput x[N]\n{program}")
    )


@pytest.mark.parametrize(
    ("text", "program"),
    [
        (r"\[ y_{ij} = x_i z_j, \quad i = 1, \dots, N, \quad j = 1, \dots, M \]", "y[i: N, j: M] = x[i]*z[j]"),
        (r"\[ y_{ij} = x_i z_j, \quad i, j = 1, \dots, N \]", "y[i: N, j: N] = x[i]*z[j]"),
        (r"\[ y_{ij} = x_i z_j, \quad 1 \le i, j \le N \]", "y[i: N, j: N] = x[i]*z[j]"),
        (r"\[ y_{i} = x_{i} \] for $i = 1, \dots, N$.", "y[i: N] = x[i]"),
        (r"\[ y_{ij} = x_i z_j \] for all $1 \le i \le N$ and $1 \le j \le M$.", "y[i: N, j: M] = x[i]*z[j]"),
        (r"\[ y_i = \sum_k a_{ik} x_k, \quad k = 1, \dots, N \]", "y[i] = sum{k=0..N-1} a[i, k]*x[k]"),
    ],
)  # fmt: skip
def test_ranges_of_several_indices_and_in_the_prose_behind_a_display(text, program):
    f = tadc.compile(SHAPE + text, lang="tex")
    plain = tadc.compile(
        f"size N, M\ninput x[N]\n{program}" if "M" in text else f"size N\ninput x[N]\n{program}"
    )
    random = np.random.default_rng(0)
    arrays = {"x": random.random(4), "z": random.random(4), "a": random.random((3, 4))}
    given = {name: arrays[name] for name in plain.inputs}

    np.testing.assert_array_equal(
        f(**given), plain(**given, **({"M": 4} if "M" in plain.sizes else {}))
    )


def test_a_range_that_begins_later_keeps_its_labels_where_it_is_read():
    text = r"""%!tadc base 1
        \[ d_i = x_{i+1} - x_{i-1}, \quad i = 2, \dots, N-1 \]
        \[ e_i = d_{i+1} - d_i, \quad i = 2, \dots, N-2 \]
        \[ s = d_2 \]"""
    x = np.arange(7.0) ** 2
    e, s = tadc.compile(text, lang="tex")(x, N=7)
    d = x[2:] - x[:-2]

    np.testing.assert_array_equal(e, d[1:] - d[:-1])
    assert s == d[0]


@pytest.mark.parametrize(
    ("behind", "marked"),
    [
        (r"\qquad i \in I", r"i \in I"),
        (r", \quad i \ne 3", r"i \ne 3"),
        (r"\quad \text{for all } i < 3", "i < 3"),
        (r"\quad \text{for } x_i > 0", "x_i > 0"),
        (r"\quad \text{for } i \text{ even}", r"i \text{ even}"),
        (r"\quad \text{for i = 1, ..., N}", r"\text{for i = 1, ..., N}"),
        (r"\quad \text{(interior points only)}", r"\text{(interior points only)}"),
    ],
)
def test_another_restriction_of_an_index_is_refused(behind, marked):
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(rf"\begin{{align}} y_i &= x_i {behind} \end{{align}}", lang="tex")
    (error,) = caught.value.errors

    assert error.span.text == marked
    assert "this restriction of an index is not read" in error.fact


def test_a_range_without_an_end_goes_as_far_as_what_is_read():
    f = tadc.compile(r"\[ u_k = e_k - e_{k-1} + e_0, \qquad k \ge 1 \]", lang="tex")
    e = np.arange(5.0) ** 2

    np.testing.assert_array_equal(f(e), np.diff(e) + e[0])


def test_a_range_without_an_end_ends_where_a_declared_tensor_does():
    text = "%!tadc base 0\n%!tadc input e[N]\n" + r"\[ u_k = 2 e_k, \qquad k > 0 \]"
    e = np.arange(5.0)

    np.testing.assert_array_equal(tadc.compile(text, lang="tex")(e), 2 * e[1:])


def test_a_range_that_begins_later_does_not_tell_the_base():
    with pytest.raises(tadc.SyntaxError, match="whether the first one is") as caught:
        tadc.compile(r"\[ y_i = x_i, \quad i = 2, \dots, N \]", lang="tex")

    assert "%!tadc base 1" in caught.value.fix


@pytest.mark.parametrize(
    "behind",
    [r"\quad \forall i", r"\quad\text{for all } i", r"\quad\text{for every } i.", r", \quad \forall\, i", "", r"\quad \text{where } p > 0"],
)  # fmt: skip
def test_a_remark_without_a_range_is_dropped(behind):
    assert str(tadc.compile(rf"\[ y_i = x_i {behind} \]", lang="tex")) == str(
        tadc.compile("y[i] = x[i]")
    )


def test_prose_elsewhere_may_speak_of_ranges():
    text = r"\[ y_i = x_i \] This holds when $i = 2, \dots, N-1$ are kept."

    assert tadc.compile(text, lang="tex").outputs == ("y",)
