"""Running sums, products and maxima: right for every bound that moves, and one step for each value of the index."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from host_run import HostBatch
from oracle import by_name, cuda, random_arrays, relative, sizes_of

import tadc

ROWS = "size I, N\ninput x[I, N]\n"
LINE = "size N\ninput x[N]\n"
# Each with its operations for a size of 30, to show that none is quadratic.
RUNNING = {
    "a sum up to the index": (LINE + "y[t: N] = sum{s | s <= t} x[s]", 30),
    "a sum before the index": (LINE + "y[t: N] = sum{s | s < t} x[s]", 29),
    "a sum to the end": (LINE + "y[t: N] = sum{s | s >= t} x[s]", 30),
    "a sum that begins with several terms": (LINE + "y[t: N] = sum{s | s <= t + 3} x[s]", 30),
    "a sum of what is further on": (LINE + "y[t: N] = sum{s | s >= t + 3} x[s]", 27),
    "a sum from a fixed place": (LINE + "y[t: N] = sum{s | s <= t - 2 and s >= 3} x[s]", 25),
    "a maximum": (LINE + "y[t: N] = max{s=0..t} x[s]", 30),
    "a minimum to the end": (LINE + "y[t: N] = min{s=t..N - 1} x[s]", 30),
    "a bound with two indices": (LINE + "y[t: N, u: N] = sum{s | s <= t + u - 1} x[s]", 899),
    "rows": (ROWS + "y[i, t: N] = prod{s | s <= t} x[i, s]", 900),
    "a sum inside a sum": (LINE + "y = sum{t} x[t]*sum{s | s <= t} x[s]", 90),
    "an integral image": (ROWS + "y[t: I, u: N] = sum{s, r | s <= t and r <= u} x[s, r]", 1800),
    "terms that are sums": (ROWS + "y[t: I] = sum{s, i | s < t} exp(x[s, i])", 1740),
    "a factor": (LINE + "input w[N]\ny[t: N] = w[t]*sum{s | s <= t} exp(x[s])", 90),
    "summands with factors of their own": (LINE + "input w[N]\ny[t: N] = sum{s | s <= t} (x[s]*w[t] + w[s]**2*x[t])", 180),
    # Where the guard fails, the sum would read what is not there.
    "a guard": (LINE + "input w[N - 3]\ny[t: N] = if t < N - 3 then sum{s=0..t} w[s]*x[t] else 0", 405),
}  # fmt: skip
PRODUCTS = {
    "a product": ROWS + "y[i] = prod{t} (x[i, t] + 2)",
    "one product": ROWS + "y = prod{i, t} (x[i, t] + 2)",
    "a triangle": LINE.replace("[N]", "[N, N]") + "y = prod{i, t | t <= i} (x[i, t] + 2)",
    "a product of two factors": ROWS + "input w[N]\ny[i] = prod{t} (x[i, t]*w[t])",
}
TEXTS = {name: text for name, (text, _) in RUNNING.items()} | PRODUCTS


@pytest.mark.parametrize("name", RUNNING)
def test_every_value_of_the_index_is_one_step(name):
    text, operations = RUNNING[name]
    f = tadc.compile(text)

    assert f.cost(**dict.fromkeys(f.program.sizes, 30)).operations == operations


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("size", [20, 200])
def test_the_gradient_of_a_product_costs_a_small_multiple_of_it(name, size):
    f = tadc.compile(PRODUCTS[name])
    sizes = dict.fromkeys(f.program.sizes, size)

    value, both = f.cost(**sizes), f.cost(mode="vjp", **sizes)

    assert both.operations <= (2 + 2 * len(f.inputs)) * value.operations + 2 * both.bytes_written


def test_a_term_with_a_quotient_of_the_index_is_another_one_for_each_value():
    f = tadc.compile("input a[9]\ny[l: 9] = sum{i=l..8} tanh(a[l//4] - a[i])", backend="native")
    a = np.arange(9.0)

    expected = [sum(np.tanh(a[k // 4] - a[i]) for i in range(k, 9)) for k in range(9)]

    np.testing.assert_allclose(f(a), expected, rtol=1e-14)


@cache
def batch():
    texts = [
        cuda(tadc.compile(text, name=f"p{n}"), "float64") for n, text in enumerate(TEXTS.values())
    ]
    return HostBatch(texts)


@pytest.mark.plain(number=4, size=1)
@pytest.mark.compiler
@pytest.mark.parametrize("number", range(len(TEXTS)), ids=list(TEXTS))
@pytest.mark.parametrize("size", [4, 5, 17])
def test_values_and_gradients_are_those_of_the_interpreter(number, size):
    text = list(TEXTS.values())[number]
    native, oracle = (tadc.compile(text, backend=b) for b in ("native", "interpreter"))
    sizes = {s: size + (s == "I") for s in native.program.sizes}
    for mode, f, g in (("primal", native, oracle), ("adjoint", native.adjoint(), oracle.adjoint())):
        inputs = random_arrays(g, sizes)
        expected = by_name(g, g(**inputs))
        found = by_name(f, f(**inputs))
        on_the_host = batch().run(number, mode, inputs, sizes_of(g, sizes))
        for name, value in expected.items():
            assert relative(found[name], value) <= 1e-13, (mode, name)
            assert relative(on_the_host[name], value) <= 1e-13, (mode, name)
