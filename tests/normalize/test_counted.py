"""A sum that repeats its body is a product: where that is proved to change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal, value

from tadc.printing.idx import program_text


def body(text):
    return program_text(normal(text)).splitlines()[-1].partition(" = ")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("size N\ninput x[N]\ny[i] = sum{k: 4} x[i]", "4*x[i]"),
        ("size N\ninput x[N]\ny[i] = sum{k: N} x[i]", "N*x[i]"),
        ("size N\ninput x[N]\ny[i: N] = sum{k=0..i} x[i]", "(i + 1)*x[i]"),
        ("size N\ninput x[N]\ny[i] = max{k: N} x[i]", "x[i]"),
        ("size N, M\ninput x[N]\ny = sum{k: N, l: M} x[k]", "sum{k=0..N - 1} M*x[k]"),
        ("size N\ny = sum{k: N, l: N} 1", "N*N"),
        ("size N\ninput x[N]\ny[i: N] = sum{k=1..i} x[i]", "sum{k=1..i} x[i]"),
        ("size N\ninput x[N]\ny[i: N] = sum{k=1..i} 2.5", "i*2.5"),
        ("size N\ninput x[N]\ny[i: N] = sum{k=2..i} 2.5", "sum{k=2..i} 2.5"),
        ("size N\ninput x[N]\ny[i] = prod{k: 3} x[i]", "prod{k=0..2} x[i]"),
        ("size N\ninput x[N]\ny[i: N] = sum{k: N | k % 2 = 0} x[i]", "sum{z=0..(N - 1) // 2} x[i]"),
    ],
)
def test_what_is_repeated_is_multiplied_where_there_is_something_to_repeat(text, expected):
    assert body(text) == expected


def test_nothing_times_infinity_stays_nothing():
    found = value("size N\ninput x[N]\ny[i: N] = sum{k=1..i} x[i]", x=[np.inf, 2])

    assert found == [0, 2]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_value_is_that_of_the_loop(n):
    x = np.linspace(1, 2, n)
    text = "size N\ninput x[N]\ny = sum{i: N, j: N, k | k <= j and i <= k + 1} x[k]*j"
    expected = sum(
        x[k] * j for i in range(n) for j in range(n) for k in range(n) if k <= j and i <= k + 1
    )

    assert value(text, x=x) == pytest.approx(expected)
