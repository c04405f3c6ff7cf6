"""Sums of columns in parts compute what they did, whatever the sizes, with the same bits for all threads."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler, native
from tadc.schedule.cpu.columns import with_column_sums_in_parts
from tadc.schedule.rewrite.program import scheduled

FORMULAS = {
    "columns": ("size N, M\ninput x[N,M]\ny[j] = sum{i} x[i,j]**2", [(None, None)]),
    "columns and a factor": ("size N, M\ninput x[N,M], w[N]\ny[j] = tanh(sum{i} w[i]*x[i,j])*w[0]", [(None, None), (None,)]),
    "a part of the columns": ("size N, M\ninput x[N+2,M+3]\ny[j: M] = sum{i: N} x[i+2,j+3]*x[i,j]", [(2, 3)]),
}  # fmt: skip


def parts(text, **usual):
    """The tensors that hold parts, for about these sizes."""
    program = scheduled(tadc.compile(text, backend="numpy")._program)
    found = with_column_sums_in_parts(program, usual)
    return [t for t in found.tensors if t.endswith("_parts")]


@pytest.mark.parametrize("name", FORMULAS)
def test_long_sums_of_columns_are_in_parts(name):
    text, _ = FORMULAS[name]

    assert parts(text, N=3072, M=192)
    assert not parts(text, N=96, M=192)  # few rows
    assert not parts(text, N=3072, M=12)  # few columns


@pytest.mark.parametrize("text", [
    "size N, M\ninput x[M,N]\ny[j] = sum{i} x[j,i]",  # rows
    "size N, M, K\ninput x[N,K], z[N,M]\ny[k, j] = sum{i} x[i,k]*z[i,j]",  # elements that several sums read
    "size N, M\ninput x[N,M]\ny[j] = sum{i=j..N - 1} x[i,j]",  # each its own rows
    "size N, M\ninput x[N,M]\ny[j] = max{i} x[i,j]",
])  # fmt: skip
def test_other_sums_are_whole(text):
    assert not parts(text, N=3072, M=192, K=6)


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.plain(dtype=1, name=2)
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_numpys_with_any_number_of_threads(name, dtype, monkeypatch):
    monkeypatch.setattr(native, "LITTLE", 0)
    text, borders = FORMULAS[name]
    random = np.random.default_rng(0)
    tolerance = 1e-12 if dtype == "float64" else 1e-4
    for n, m in ((4099, 67), (4352, 64), (5000, 130)):
        arrays = [
            random.uniform(-1, 1, [k + (b or 0) for k, b in zip((n, m), border, strict=False)])
            for border in borders
        ]
        arrays = [a.astype(dtype) for a in arrays]
        expected = tadc.compile(text, backend="numpy", dtype="float64")(*arrays)
        first = None
        for threads in (1, 3):
            f = tadc.compile(text, backend="native", dtype=dtype, threads=threads)
            found = f(*arrays)
            first = found if first is None else first
            np.testing.assert_array_equal(found, first)
        np.testing.assert_allclose(first, expected, rtol=tolerance, atol=tolerance)
