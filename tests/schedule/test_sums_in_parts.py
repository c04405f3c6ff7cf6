"""Long sums in parts that a cache holds compute what they did, with the same bits for all threads."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.runtime.cpu import c_compiler, native
from tadc.schedule.cpu import sums_in_parts
from tadc.schedule.cpu.sums_in_parts import with_long_sums_in_parts
from tadc.schedule.rewrite.program import scheduled

WEIGHTS = "input dy[N,O,L], x[N,C,L+2]\ndw[o,c,r: 3] = sum{n, p: L} dy[n,o,p]*x[n,c,p+r]"
FORMULAS = {
    "weights of a convolution": (WEIGHTS, ["N"]),
    "blocks of an index": (
        "input x[N,I], w[N,J]\ny[i,j] = sum{n} abs(x[n,i] - w[n,j])", ["(N + k)//l"]),
    "a sum inside": (
        "input a[I,J], B[I,N,L], C[N,J]\ny[l,j] = sum{n} exp(sum{i} a[i,j]*B[i,n,l])*C[n,j]", ["(N + k)//l"]),
    "up to a diagonal": (
        "input x[N,P,I], w[N,P,J]\ny[i,j] = sum{n, p, q=0..p} x[n,p,i]*w[n,q,j]", ["N"]),
}  # fmt: skip
WHOLE = {
    "few reads of an element": "input x[N,I,J], w[N,I]\ny[i,j] = sum{n} x[n,i,j]*w[n,i]",
    "many elements": "input x[N,I], w[I,J]\ny[n,j] = sum{i} x[n,i]*w[i,j]",
    "short rows of many": "input x[O,P], w[C,P]\ny[o,c] = sum{p} abs(x[o,p] - w[c,p])",
    "a maximum": "input x[N,I], w[N,J]\ny[i,j] = max{n} x[n,i]*w[n,j]",
}


def parts(text: str, size: int = 96, **usual: int) -> list[str]:
    """How many parts sums have, where they have some."""
    program = scheduled(tadc.compile(text, backend="numpy")._program)
    found = with_long_sums_in_parts(program, dict.fromkeys(program.sizes, size) | usual)
    derived = {d.name for d in found.derived_sizes}
    counts = (str(t.shape[0]) for name, t in found.tensors.items() if name.endswith("_parts"))
    return ["(N + k)//l" if n in derived else n for n in counts]


@pytest.mark.parametrize("name", FORMULAS)
def test_sums_of_what_no_cache_holds_are_in_parts(name):
    text, counts = FORMULAS[name]

    assert parts(text, L=1536, N=24 if counts == ["N"] else 12288, P=2048) == counts
    assert not parts(text, 24)  # a cache holds all


@pytest.mark.parametrize("name", WHOLE)
def test_other_sums_are_whole(name):
    assert not parts(WHOLE[name], N=49152, O=6144, P=384)


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.plain(dtype=1, name=2)
@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_values_are_those_of_whole_sums_with_any_number_of_threads(name, dtype, monkeypatch):
    monkeypatch.setattr(native, "LITTLE", 0)
    monkeypatch.setattr(sums_in_parts, "HELD", 700)
    monkeypatch.setattr(sums_in_parts, "OFTEN", 2)
    monkeypatch.setattr(sums_in_parts, "FEWEST", 4)
    monkeypatch.setattr(sums_in_parts, "NEIGHBOURS", 4)
    text, _ = FORMULAS[name]
    random = np.random.default_rng(0)
    f = tadc.compile(text, backend="native", blas=False)
    program = f.program
    sizes = dict.fromkeys(program.sizes, 9) | {"N": 67}
    arrays = [random.uniform(-1, 1, t.shape_at(sizes)).astype(dtype) for t in program.inputs]
    assert any("_parts" in str(k) for k in f.plan(**sizes).kernels)

    values = [
        tadc.compile(text, backend="native", blas=False, threads=n)(*arrays) for n in (1, 2, 3, 7)
    ]

    expected = tadc.compile(text, backend="interpreter")(*arrays)
    tolerance = 1e-12 if dtype == "float64" else 1e-5
    assert np.abs(values[0] - expected).max() <= tolerance * np.abs(expected).max()
    assert all(v.tobytes() == values[0].tobytes() for v in values)
