r"""Ranges behind a formula: refused with their place, and what to write instead is valid."""

from __future__ import annotations

import re

import pytest

import tadc

# What stands behind `y_i = x_i`, the text that the carets mark, and the shape that is offered.
RANGES = r"""
\quad i = 2, \dots, N-1                  | i = 2, \dots, N-1         |
, i=1,\ldots,N                           | i=1,\ldots,N              | N, base 1
, i=1,...,N                              | i=1,...,N                 | N, base 1
, \quad i = 1, 2, \dots, N.              | i = 1, 2, \dots, N        | N, base 1
, \quad \text{for } i = 0, \dots, N-1    | i = 0, \dots, N-1         | N
, \quad i = 0, \dots, 4                  | i = 0, \dots, 4           | 5
\quad (i = 1, \ldots, N)                 | (i = 1, \ldots, N)        | N, base 1
\quad \forall i \in \{1..N\}             | i \in \{1..N\}            | N, base 1
\quad \forall i \in \{1, \dots, N\}      | i \in \{1, \dots, N\}     | N, base 1
\quad \forall i \in [1, N]               | i \in [1, N]              | N, base 1
\qquad i \in I                           | i \in I                   |
, \quad 1 \le i \le N                    | 1 \le i \le N             | N, base 1
, \quad 0 \le i < N                      | 0 \le i < N               | N
, \quad \text{where } 0 < i < N          | 0 < i < N                 | N-1, base 1
, \quad i > 0                            | i > 0                     |
, \quad i \ne 3                          | i \ne 3                   |
\quad \text{for all } i < 3              | i < 3                     |
\quad \text{for } x_i > 0                | x_i > 0                   |
\quad \text{for } i \text{ even}         | i \text{ even}            |
\quad \text{for i = 1, ..., N}           | \text{for i = 1, ..., N}  |
\quad \text{(interior points only)}      | \text{(interior points only)} |
& i &= 1, \dots, N                       | i &= 1, \dots, N          | N, base 1
"""
CASES = [[part.strip() for part in line.split("|")] for line in RANGES.strip().splitlines()]


def error_of(text: str) -> tadc.Error:
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(text, lang="tex")
    (error,) = caught.value.errors
    return error


@pytest.mark.parametrize(("behind", "marked", "shape"), CASES, ids=[c[0] for c in CASES])
def test_a_range_behind_a_formula_is_refused_and_what_is_offered_is_valid(behind, marked, shape):
    error = error_of(rf"\begin{{align}} y_i &= x_i {behind} \end{{align}}")

    assert error.span.text == marked
    assert "range behind a formula" in error.fact
    extent, _, base = shape.partition(", ")
    if shape:
        assert rf"`y \in \mathbb{{R}}^{{{extent}}}`" in error.fix
        assert ("%!tadc base 1" in error.fix) == bool(base)
    offered = re.findall("`([^`]*)`", error.fix)
    directives = "\n".join(part for part in offered if part.startswith("%"))
    cases = next((part for part in offered if part.startswith(r"\begin")), "a")
    right = (
        cases.replace("cases} a", "cases} x_i").replace("a", "x_i", 1)
        if cases == "a"
        else cases.replace("} a &", "} x_i &")
    )
    (declared,) = (part for part in offered if part.startswith("y "))
    tadc.compile(f"{directives}\n$$ y_i = {right}, \\quad {declared} $$", lang="tex")


@pytest.mark.parametrize(
    ("text", "offered"),
    [
        (r"\[ y_{ij} = x_{ij}, \quad i = 1, \dots, N, \quad j = 1, \dots, M \]", r"y \in \mathbb{R}^{N \times M}"),
        (r"\[ y_{ij} = x_{ij}, \quad i, j = 0, \dots, N \]", r"y \in \mathbb{R}^{N+1 \times N+1}"),
        (r"\[ y_{ij} = x_{ij}, \quad 1 \le i, j \le N \]", r"y \in \mathbb{R}^{N \times N}"),
        (r"\[ y_{i} = x_{i} \] for $i = 1, \dots, N$.", r"y \in \mathbb{R}^{N}"),
        (r"\[ y_{ij} = x_{ij} \] for all $1 \le i \le N$ and $1 \le j \le M$.", r"y \in \mathbb{R}^{N \times M}"),
        (r"\[ y_i = \sum_k a_{ik}, \quad k = 2, \dots, K \]", r"y \in \mathbb{R}^{N}"),
    ],
)  # fmt: skip
def test_ranges_of_several_indices_and_in_the_prose_behind_a_display_are_refused(text, offered):
    error = error_of(text)

    assert offered in error.fix
    formula = text.partition(", \\quad")[0].partition(r" \]")[0]
    base = "%!tadc base 1" if "base 1" in error.fix else ""
    tadc.compile(f"{base}\n{formula}, \\quad {offered} \\]", lang="tex")


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
