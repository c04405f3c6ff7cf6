"""Clang makes the bits that GCC makes: sums have an order, contraction is off, and functions of lanes are tadc's own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

COMPILERS = ("gcc", "clang")
FORMULAS = {
    "a product": ("size N\ninput x[N,N], w[N,N]\ny[i,j] = sum{k} x[i,k]*w[k,j]", 70),
    "pairs": ("size N\ninput x[N,3], w[N]\ny[i] = sum{j} exp(-sum{d} (x[i,d] - x[j,d])**2)*w[j]", 150),
    "a convolution": ("size N\ninput x[3,N], w[4,3,5]\ny[o,i: N] = sum{c, r} x[c,pad(i+r-2)]*w[o,c,r]", 200),
    "normal rows": ("size N\ninput x[N,N]\nv[i] = mean{j} x[i,j]**2\noutput y\ny[i,j] = tanh(x[i,j])/sqrt(v[i] + 1e-5)", 90),
    "running maxima": ("size N\ninput x[N]\ny[i: N] = max{j | j <= i} exp(x[j])", 300),
    "data": ("size N, E\ninput x[N], k[E]: index\ny[i: N] = sum{e | k[e] = i} x[k[e]]**2", 60),
}  # fmt: skip
SCRIPT = """
import hashlib, sys
import numpy as np
import tadc

random = np.random.default_rng(0)
for dtype in ("float32", "float64"):
    f = tadc.compile(sys.argv[1], dtype=dtype, backend="native", threads=2)
    sizes = {"N": int(sys.argv[2]), "E": 500}
    arrays = {}
    for t in f.program.inputs:
        shape = tuple(n.at(sizes) for n in t.shape)
        arrays[t.name] = random.integers(0, sizes["N"], shape) if t.name == "k" else random.normal(size=shape).astype(dtype)
    value, gradients = f.value_and_gradients(**arrays, cotangent=np.ones_like(f(**arrays)))
    for result in (value, *gradients.values()):
        print(hashlib.sha256(np.ascontiguousarray(result).tobytes()).hexdigest())
"""


@pytest.mark.compiler
@pytest.mark.skipif(not all(map(shutil.which, COMPILERS)), reason="there are not both compilers")
@pytest.mark.parametrize("name", FORMULAS)
def test_both_compilers_make_the_same_bits(name, tmp_path):
    text, n = FORMULAS[name]
    printed = []
    for compiler in COMPILERS:
        surroundings = {**os.environ, "CC": compiler, "XDG_CACHE_HOME": str(tmp_path / compiler)}
        command = [sys.executable, "-c", SCRIPT, text, str(n)]
        printed.append(subprocess.run(command, env=surroundings, capture_output=True, text=True, check=True).stdout)  # fmt: skip

    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) >= 4
