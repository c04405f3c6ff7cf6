"""Sums of rows and sums of columns of the same expensive values come from one pass over the pairs."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices

POINTS = "size N, M\ninput x[N,{d}], y[M,{d}], w[M]\n"
TEXTS = {
    "Gaussians": POINTS.format(d=3) + "f[i: N] = sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j]",
    "on a line": "size N, M\ninput x[N], y[M], w[M]\nf[i: N] = sum{j} w[j]*exp(-abs(x[i] - y[j]))",
    "distances in six dimensions": POINTS.format(d=6)
    + "f[i: N] = sum{j} sqrt(1 + sum{d} (x[i,d] - y[j,d])**2)*w[j]",
    "a mean of pairs": POINTS.format(d=2)
    + "f[i: N] = log(2 + tanh(sum{j} w[j]/(sqrt(1 + sum{d} (x[i,d] - y[j,d])**2)*M)))",
    "a scalar": POINTS.format(d=2)
    + "f = sum{i: N} (sum{j} exp(-sum{d} (x[i,d] - y[j,d])**2)*w[j])**2",
}  # fmt: skip
TWO_PASSES = Choices((("rows and columns share a pass", 1),))
compiled = pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")


def arrays_of(f, n, m, dtype="float64"):
    random = np.random.default_rng(0)
    sizes = {"N": n, "M": m}
    shapes = [tuple(e.at(sizes) for e in t.shape) for t in f.program.inputs]
    arrays = [random.uniform(-1, 1, shape).astype(dtype) for shape in shapes]
    value = f(*arrays)
    return arrays, random.uniform(-1, 1, np.shape(value)).astype(dtype)


def part_of(f, arrays, dtype="float64"):
    """The program of the value and the gradients."""
    f, _ = f.of_call(dict(zip(f.inputs, arrays, strict=True)))
    sizes = f.calls.sizes({n: a.shape for n, a in zip(f.inputs, arrays, strict=True)}, {})
    *_, last = f._value_and_gradients.parts(f.inputs, sizes, dtype)
    return last._program, last._program.size_values({s: sizes[s] for s in last._program.sizes})


def shared(program, sizes, choices=BY_MODEL):
    """What the kernels store that have rows and parts of columns."""
    options = Options.of(backend="native", memory="recompute")  # few values would be stored
    runner = NativeRunner(program, "float64", options, choices)
    written = [{*k.kernel.writes} for k in runner.lowered(sizes).kernels]
    return [
        w for w in written if any(t.endswith("_parts") for t in w) and w & {"f", "dx", "df_sum"}
    ]


@pytest.mark.compiler
@compiled
@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("n", "m"), [(256, 128), (259, 131), (1030, 200)], ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 4e-6), ("float64", 2e-13)])
def test_values_and_gradients_are_those_of_two_passes(name, n, m, dtype, tolerance):
    f = tadc.compile(TEXTS[name], backend="native", dtype=dtype, threads=2, memory="recompute")
    exact = tadc.compile(TEXTS[name], backend="numpy", dtype="float64")
    arrays, cotangent = arrays_of(exact, n, m)
    arrays = [a.astype(dtype) for a in arrays]
    cotangent = cotangent.astype(dtype)

    value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)
    right, expected = exact.value_and_gradients(
        *(a.astype("float64") for a in arrays), cotangent=cotangent.astype("float64")
    )

    assert np.max(np.abs(value - right)) <= tolerance * np.max(np.abs(right))
    for wrt, gradient in gradients.items():
        assert np.max(np.abs(gradient - expected[wrt])) <= tolerance * np.max(np.abs(expected[wrt]))


@pytest.mark.compiler
@compiled
@pytest.mark.parametrize("name", ["Gaussians", "on a line", "distances in six dimensions"])
def test_one_kernel_has_the_rows_and_the_parts_of_columns(name):
    f = tadc.compile(TEXTS[name], backend="native", memory="recompute")
    arrays, _ = arrays_of(f, 300, 200)
    program, sizes = part_of(f, arrays)

    assert len(shared(program, sizes)) == 1
    assert not shared(program, sizes, TWO_PASSES)
    assert "come from one pass" in str(f.plan(mode="value_and_gradients", **sizes))


@pytest.mark.compiler
@compiled
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_bits_do_not_depend_on_threads(dtype):
    found = []
    for threads in (1, 2, 3, 7):
        options = {"dtype": dtype, "threads": threads, "memory": "recompute"}
        f = tadc.compile(TEXTS["Gaussians"], backend="native", **options)
        arrays, cotangent = arrays_of(f, 517, 333, dtype)
        value, gradients = f.value_and_gradients(*arrays, cotangent=cotangent)
        found.append([value, *gradients.values()])
    for other in found[1:]:
        assert all(map(np.array_equal, found[0], other))


@pytest.mark.parametrize(("n", "m"), [(100, 4000), (4000, 60), (300, 200_000)], ids=str)
def test_few_rows_and_columns_and_many_that_no_cache_holds_have_two_passes(n, m):
    text = TEXTS["Gaussians"]
    f = tadc.compile(text, backend="native")
    arrays = [np.zeros((n, 3)), np.zeros((m, 3)), np.zeros(m)]
    program, sizes = part_of(f, arrays)

    assert not shared(program, sizes)
