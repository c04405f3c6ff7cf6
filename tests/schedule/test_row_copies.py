"""Loops along rows read and store copies of a line of memory, where rows lie a large power of two apart."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.lowered import CpuModule, modules_of
from tadc.schedule.nest.loop_nest import Loop, steps_of

# A formula of y, and the tensors that are copied for it.
COPIED = {
    "y[n,i: M] = sum{k=0..i} x[n,k]": {"x", "y"},
    "y[n,i: M] = sum{k=i..M-1} x[n,k]": {"x", "y"},
    "y[n,i: M] = max{k=0..i} (x[n,k] + w[n,k])": {"x", "w", "y"},
    "y[n,i: M] = prod{k=0..i} (1 + 0.1*x[n,k])": {"x", "y"},
    "y[n,i: M] = logsumexp{k=0..i} x[n,k]": {"x", "y_max", "y_sum"},
    "y[n,i: M] = sum{k=0..i} (if x[n,k] > 0 then x[n,k] else w[n,k])": {"x", "w", "y"},
    "y[n,i: M] = sum{k=0..i} x[n,k]*v[k]": {"x", "y"},
    "y[n,i: M] = sum{k=0..i} 0.9**(i-k)*x[n,k]": {"x", "y"},
    "y[n,i: M-3] = sum{k=0..i} x[n,k+3]": {"x"},
    "y[n,i: M] = sum{k=0..i} x[n,M-1-k]": {"x", "y"},
}
NOT_COPIED = {
    "rows that are neighbours": "y[i: M,n] = sum{k=0..i} z[k,n]",
    "short rows": "y[n,i: 4] = sum{k=0..i} u[n,k]",
    "one row for all": "y[n,i: M] = sum{k=0..i} v[k]*t[n]",
}
DECLARED = "input x[N,M], w[N,M], v[M], z[M,N], u[N,4], t[N]\n"


def program_of(text):
    declared = [d for d in DECLARED[6:].strip().split(", ") if f"{d[0]}[" in text[1:]]
    sizes = "N, M" if any("M" in d for d in declared) else "N"
    return tadc.compile(f"size {sizes}\ninput {', '.join(declared)}\n{text}").program


def copied(text, m):
    program = program_of(text)
    usual = {s: {"N": 64, "M": m}[s] for s in program.sizes}
    module = CpuModule.of(*modules_of({"primal": program}), "float32", usual)
    loops = [s for k in module.kernels for s in steps_of(k.body) if isinstance(s, Loop)]
    return {c.tensor for loop in loops for c in loop.copies}


@pytest.mark.parametrize("text", COPIED)
def test_what_is_copied(text):
    assert copied(text, 1024) == COPIED[text]


@pytest.mark.parametrize("text", NOT_COPIED.values(), ids=NOT_COPIED.keys())
def test_what_is_not_copied(text):
    assert copied(text, 1024) == set()


def test_rows_of_other_lengths_are_not_copied():
    assert copied("y[n,i: M] = sum{k=0..i} x[n,k]", 896 + 7) == set()


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("text", [*COPIED, *NOT_COPIED.values()])
def test_the_bits_are_those_without(text, dtype):
    program = program_of(text)
    without = Choices((("whether y copies rows", 1),))
    random = np.random.default_rng(0)
    for n, m in ((32, 256), (37, 259), (65, 1024 + 17), (3, 512)):
        sizes = {s: {"N": n, "M": m}[s] for s in program.sizes}
        arrays = {t.name: random.normal(size=[e.at(sizes) for e in t.shape]).astype(dtype) for t in program.inputs}  # fmt: skip

        found, whole, one_by_one = (
            NativeRunner(program, dtype, Options.of(backend="native", threads=threads), choices).run(arrays, sizes)["y"]
            for choices, threads in ((BY_MODEL, 1), (BY_MODEL, 3), (without, 1))
        )  # fmt: skip

        assert np.array_equal(found, whole)
        assert np.array_equal(found, one_by_one)


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
def test_gradients_of_running_maxima_are_those_of_numpy():
    text = "size N, M\ninput x[N,M]\ny[n,i: M] = max{k=0..i} x[n,k]*x[n,M-1-i]"
    x, dy = np.random.default_rng(0).normal(size=(2, 40, 256))
    native, numpy = (tadc.compile(text, backend=b).adjoint()(x=x, dy=dy) for b in ("native", "numpy"))  # fmt: skip

    np.testing.assert_allclose(native, numpy, rtol=1e-12, atol=1e-12)
