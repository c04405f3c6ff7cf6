"""Overhead of a call of each form, in microseconds: what it takes on arrays of four elements, natively and on the
double of CuPy that the tests have. Minima over rounds in which the forms take turns.

    python benchmarks/overhead.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

import tadc

ROUNDS = 60
CALLS = 20
TEXT = "size N\ninput x[N]\ny[i] = exp(x[i])"
SCALED = "size N\ninput x[N], a[]\ny[i] = a*exp(x[i])"
SIZED = "size N, M\ninput x[N]\ny[i] = M*x[i]"


def forms(asarray: Callable[[Any], Any]) -> dict[str, Callable[[], Any]]:
    """The forms of a call by how they are written, with arrays of this kind."""
    f, scaled, sized = (tadc.compile(text) for text in (TEXT, SCALED, SIZED))
    x, dy, o, g = (asarray(np.ones(4)) for _ in range(4))
    _, pullback = f.vjp(x)
    return {
        "f(x)": lambda: f(x),
        "f(x=x)": lambda: f(x=x),
        "f(x, out=o)": lambda: f(x, out=o),
        "f(x, out={'y': o})": lambda: f(x, out={"y": o}),
        "f(x, out=o, accumulate=True)": lambda: f(x, out=o, accumulate=True),
        "f(x, 2.0)": lambda: scaled(x, 2.0),
        "f(x, M=3)": lambda: sized(x, M=3),
        "f.vjp(x)": lambda: f.vjp(x),
        "f.vjp(x, wrt='x')": lambda: f.vjp(x, wrt="x"),
        "pullback(dy)": lambda: pullback(dy),
        "pullback(dy, out={'x': g})": lambda: pullback(dy, out={"x": g}),
        "f.vjp(x)[1](dy)": lambda: f.vjp(x)[1](dy),
        "f.jvp({'x': x}, {'x': dy})": lambda: f.jvp({"x": x}, {"x": dy}),
    }


def minima(calls: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Microseconds of a call."""
    least = dict.fromkeys(calls, float("inf"))
    for call in calls.values():
        call(), call()
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = perf_counter()
            for _ in range(CALLS):
                call()
            least[name] = min(least[name], (perf_counter() - start) / CALLS * 1e6)
    return least


def on_the_double() -> dict[str, float]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
    from fake_cupy import install
    from pytest import MonkeyPatch

    with MonkeyPatch.context() as patched:
        return minima(forms(install(patched).asarray))


if __name__ == "__main__":
    native, double = minima(forms(np.asarray)), on_the_double()
    print(f"{'microseconds':32}{'native':>10}{'double':>10}")
    for name in native:
        print(f"{name:32}{native[name]:10.1f}{double[name]:10.1f}")
