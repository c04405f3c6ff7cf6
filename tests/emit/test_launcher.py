"""Launchers define the derived sizes that anything below them mentions, in C and in CUDA, for every mode of a file."""

from __future__ import annotations

import ctypes
import random
import subprocess

import numpy as np
import pytest
from emitted import c_file, cuda_file
from host_run import HostBatch
from oracle import random_arrays

import tadc
from tadc.runtime.cpu import c_compiler
from tadc.runtime.interpreter import interpret

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

NUMBERS = {"N": 9, "K": 3, "M": 5}
PROGRAMS = {
    "a range": "size N\ninput x[N]\ny = sum{i: N//2} x[2*i]",
    "a shift": "size N, K\ninput x[N], w[K]\ny[i: N] = sum{k: K} x[pad(i + k - (K-1)//2)]*w[k]",
    "a bound that is found": "size N\ninput x[N]\ny = sum{i} x[2*i+1]",
    "one of another": "size N, K\ninput x[N]\nsize P = (N + K)//2, Q = (P + 1)//3\ny[k: K] = sum{i: Q} x[i]*P",
    "in a temporary": "size N\ninput x[N]\nt[i: N//2] = exp(x[2*i])\ny = sum{i, j} t[i]*t[j]*t[i]",
    "in a choice": "size N\ninput x[N]\ny[i] = where(i < (N+1)//2, x[i]**2, 1)",
}


def printed(seed):
    """A program with derived sizes in ranges, subscripts, values and temporaries."""
    r = random.Random(seed)

    def size():
        a, b = r.sample(["N", "K", "M"], 2)
        return r.choice([f"({a} + {r.randint(0, 3)})//{r.randint(2, 3)}", f"({a} + {b})//{r.randint(2, 5)}", a])  # fmt: skip

    terms = [
        f"sum{{k: {size()}}} x[pad(i + k - {size()})]*w[pad(k)]",
        f"t[pad(i - {size()})]*({size()})",
        f"sum{{k: {size()}, j: {size()}}} w[pad(j - k)]*t[pad(k + i)]",
        f"where(i < {size()}, x[pad({r.randint(1, 2)}*i)], 0)",
    ]
    body = " + ".join(r.sample(terms, r.randint(1, 2)))
    return f"size N, K, M\ninput x[N], w[K], z[M]\nt[i: {size()}] = x[pad(i*{r.randint(1, 2)})]**2\ny[i: {size()}] = {body} + z[0]"


CASES = [
    pytest.param([*PROGRAMS.values()], id="written"),
    pytest.param([printed(seed) for seed in range(40)], id="random", marks=pytest.mark.slow),
]


def modes(n, text):
    """The function and its derivative by mode, under a name of its own."""
    f = tadc.compile(text, name=f"p{n}")
    return {"primal": f, "adjoint": f.adjoint()}


def arrays_of(g):
    """Inputs by name, and the numbers of sizes."""
    sizes = {s: n for s, n in NUMBERS.items() if s in g.program.sizes}
    return random_arrays(g, sizes), sizes


@pytest.mark.parametrize("texts", CASES)
def test_c_of_all_modes_compiles_with_derived_sizes_anywhere(texts, tmp_path):
    for n, text in enumerate(texts):
        programs = {m: g.program for m, g in modes(n, text).items()}
        file = tmp_path / f"p{n}.c"
        file.write_text(c_file(programs, "float64"), "utf-8")

    command = [*c_compiler.compiler(), "-std=c11", "-fsyntax-only", "-fopenmp"]
    done = subprocess.run([*command, *sorted(tmp_path.glob("*.c"))], capture_output=True, text=True)  # fmt: skip

    assert done.returncode == 0, done.stderr[:3000]


@pytest.mark.parametrize("name", PROGRAMS)
def test_native_values_with_derived_sizes_are_the_interpreters(name):
    f = tadc.compile(PROGRAMS[name], backend="native")
    for g in (f, tadc.compile(str(f), backend="native")):
        arrays, given = arrays_of(g)
        expected = tadc.compile(PROGRAMS[name], backend="interpreter")(**arrays, **given)
        np.testing.assert_allclose(g(**arrays, **given), expected, rtol=1e-12)


@pytest.mark.parametrize("texts", CASES)
def test_cuda_values_with_derived_sizes_are_the_interpreters(texts):
    functions = [modes(n, text) for n, text in enumerate(texts)]
    texts = [
        cuda_file({m: g.program for m, g in found.items()}, "", "float64") for found in functions
    ]
    batch = HostBatch([(t.text, t.manifest) for t in texts])

    for n, found in enumerate(functions):
        for mode, g in found.items():
            arrays, sizes = arrays_of(g)
            expected = interpret(g.program, arrays, g.program.size_values(sizes))
            results = batch.run(n, mode, arrays, sizes)
            for a, b in zip(results.values(), expected.values(), strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


OUTER = """size N
input x[N], y[N]
f[i] = sum{j} exp(x[i]*y[j])
g[i] = sum{j} exp(x[i]*y[j])*f[j]"""


@pytest.mark.parametrize("target", ["c", "cuda"])
def test_a_temporary_whose_bytes_64_bits_cannot_count_is_an_error(target):
    f = tadc.compile(OUTER, memory="materialize", sizes={"N": 3 * 10**9})

    with pytest.raises(tadc.BackendError, match="9,000,000,000,000,000,000 elements") as caught:
        f.source(target)
    assert "recompute" in caught.value.fix
    assert tadc.compile(OUTER, memory="materialize", sizes={"N": 10**9}).source(target)


def test_a_launcher_refuses_sizes_for_which_a_workspace_cannot_be_counted(tmp_path):
    text = tadc.compile(OUTER, memory="materialize").source("c")
    (tmp_path / "f.c").write_text(text)
    command = [*c_compiler.compiler(), "-shared", "-fPIC", "-O0", "-fopenmp", "f.c", "-o", "f.so"]
    subprocess.run([*command, "-lm"], cwd=tmp_path, check=True)
    launcher = ctypes.CDLL(tmp_path / "f.so").program_primal
    x, y = np.ones(4, "float32"), np.arange(4, dtype="float32")
    g, workspace = np.zeros(4, "float32"), np.zeros(10**4, "uint8")
    arrays = [ctypes.c_void_p(a.ctypes.data) for a in (x, y, g, workspace)]

    assert "long long N" in text
    assert launcher(*arrays, ctypes.c_longlong(3 * 10**9), 1) == 1 and not g.any()
    assert launcher(*arrays, ctypes.c_longlong(4), 1) == 0
    assert np.allclose(g, np.exp(y).sum() ** 2, rtol=1e-5)
