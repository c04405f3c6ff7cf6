"""Tiles along an index that loops begin or end with: what all points have is one loop, and no bit differs."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.choices import BY_MODEL, Choices

PAIR = "size N, M\ninput a[N,N], v[N,M]\n"
SLANTING = {
    "to the diagonal": "y[i: N,d] = sum{j=0..i} a[i,j]*v[j,d]",
    "from the diagonal": "y[i: N,d] = sum{j=i..N-1} a[i,j]*v[j,d]",
    "downwards": "y[i: N,d] = sum{j=0..N-1-i} a[i,j]*v[j,d]",
    "a wide band": "y[i: N,d] = sum{j | j <= i+20 and i <= j+30} a[i,j]*v[j,d]",
    "a narrow band": "y[i: N,d] = sum{j | j <= i+1 and i <= j+1 and j < N-1} a[j,i]*v[j,d]",
    "every second": "y[i: N,d] = sum{j | 2*j <= i} a[i,j]*v[j,d]",
    "twice as steep": "y[i: N,d] = sum{j | j <= 2*i} a[i,j]*v[j,d]",
    "two sums": "y[i: N,d] = (sum{j=0..i} a[i,j]*v[j,d])*(sum{j=i..N-1} a[j,i]*v[j,d])",
    "the largest": "y[i: N,d] = max{j=0..i} (a[i,j] + v[j,d])",
    "inside of a sum": "y[i: N,d] = sum{k=0..2, j=0..i} a[i,j]*v[j,d]*(k + a[k,i])",
}


def run(text: str, sizes: dict[str, int], dtype: str, choices: Choices) -> tuple[np.ndarray, str]:
    program = tadc.compile(text).program
    random = np.random.default_rng(0)
    arrays = {t.name: random.normal(size=tuple(n.at(sizes) for n in t.shape)).astype(dtype) for t in program.inputs}  # fmt: skip
    runner = NativeRunner(program, dtype, Options.of(backend="native"), choices)
    return runner.run(arrays, sizes)["y"], repr(runner.lowered(sizes))


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("text", SLANTING.values(), ids=SLANTING)
@pytest.mark.parametrize(
    ("dtype", "n", "m"), [("float32", 70, 33), ("float64", 131, 40), ("float32", 700, 16)]
)
def test_points_whose_loops_end_elsewhere_have_the_same_bits_side_by_side(text, dtype, n, m):
    sizes = {"N": n, "M": m}

    values, schedule = run(PAIR + text, sizes, dtype, BY_MODEL)
    one_by_one, _ = run(PAIR + text, sizes, dtype, Choices((("whether y is tiled", 1),)))

    assert np.array_equal(values, one_by_one)
    assert "slanting=True" in schedule or text == SLANTING["a narrow band"]


CONVOLUTION = "size N, C, O, H, W\ninput x[N,C,H,W], w[O,C,3,3]\ny[n,o,p: H,q: W] = sum{c,r: 3,s: 3} x[n,c,pad(p+r-1),pad(q+s-1)]*w[o,c,r,s]"


@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.plain(width=1, dtype=1)
@pytest.mark.parametrize("width", [5, 1, 2, 3, 7, 14])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows_at_borders_have_the_same_bits_side_by_side(width, dtype):
    sizes = {"N": 3, "C": 40, "O": 40, "H": 4, "W": width}
    copied = ("whether y has copies", 0)

    untiled, schedule = run(CONVOLUTION, sizes, dtype, Choices((("whether y is tiled", 1),)))
    assert "w_t" in schedule or width < 7
    for ways in (("tile of y", 0), ("tile of y", 2), ("tile of y", 5)):
        values, _ = run(CONVOLUTION, sizes, dtype, Choices((copied, ways)))
        assert np.array_equal(values, untiled)
