"""Copies whose rows are what lanes read: lanes of results, and lanes of sums."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices

# Text, shapes, and the copies.
PROGRAMS = {
    "lanes of results": (
        "size N, M, K\ninput a[N,K], b[M,K]\ns[i,j] = sum{k} (a[i,k] + b[j,k])**2",
        [(90, 40), (80, 40)],
        {"b_t"},
    ),
    "lanes that few values would not fill": (
        "size N, O, C, R, L\ninput d[N,O,L-R+1], x[N,C,L]\ns[o,c,r: R] = sum{n, p} d[n,o,p]*x[n,c,p+r]",
        [(2, 40, 300), (2, 64, 308)],
        {"x_t"},
    ),
    "results that do not fill their lanes": (
        "size N, M, K\ninput x[N,K], w[M,K]\ns[n,j] = max(0, sum{k} x[n,k]*w[j,k])",
        [(300, 128), (40, 128)],
        {"w_t"},
    ),
    "lanes of a sum": (
        "size N, M\ninput e[N,M], x[N,3], y[M,3]\ns[i,d] = sum{j} e[i,j]*(x[i,d] - y[j,d])",
        [(90, 200), (90, 3), (200, 3)],
        {"y_t"},
    ),
    "lanes of two sums": (
        "size N\ninput x[N,3]\ns[i: N, d: 3] = sum{j | j < i} (x[j,d] - x[i,d])/(1 + sum{e} (x[j,e] - x[i,e])**2)**4 "
        "+ sum{j: N | j > i} (x[j,d] - x[i,d])/(2 + sum{e} (x[j,e] - x[i,e])**2)**5",
        [(200, 3)],
        {"x_t"},
    ),
    "rows that are read as they are": (
        "size N, M\ninput e[N,M], y[M]\ns[i] = sum{j} e[i,j]*y[j]",
        [(90, 200), (200,)],
        set(),
    ),
}  # fmt: skip


def run(text: str, shapes: list[tuple[int, ...]], choices: Choices) -> tuple[np.ndarray, set[str]]:
    f = tadc.compile(text)
    sizes = {
        n.as_symbol(): extent
        for t, shape in zip(f.program.inputs, shapes, strict=True)
        for n, extent in zip(t.shape, shape, strict=True)
        if n.as_symbol()
    }
    sizes |= {s: 9 for s in f.program.sizes if s not in sizes}  # a window
    random = np.random.default_rng(0)
    arrays = {t.name: random.normal(size=s) for t, s in zip(f.program.inputs, shapes, strict=True)}
    runner = NativeRunner(f.program, "float64", Options.of(backend="native", blas=False), choices)
    stored = {s.target.name for s in runner.lowered(sizes).module.program.statements}
    return runner.run(arrays, sizes)["s"], {t for t in stored if t.endswith("_t")}


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("name", PROGRAMS)
def test_copies_change_no_value(name):
    text, shapes, copies = PROGRAMS[name]
    decisions = ("whether s has copies", "whether the sums of s have copies")

    found, made = run(text, shapes, BY_MODEL)
    otherwise, _ = run(text, shapes, Choices(tuple((d, 1) for d in decisions)))

    assert made == copies
    np.testing.assert_allclose(found, otherwise, rtol=1e-10)
