"""The index of a maximum is found whatever order its terms are added up in: they are computed once, and no element is missing."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from host_run import HostBatch

import tadc
from tadc import compiler
from tadc.emit.cuda.file import cuda_text
from tadc.ir.expr import Reduce
from tadc.ir.walk import postorder
from tadc.options import Options
from tadc.schedule.gpu.machine import HOPPER

PLAIN = {
    "of all": "y[i: N] = argmax{e: E} sum{k: K} a[i,k]*b[e,k]",
    "from a moving start": "y[i: N] = argmax{e=i..E-1} sum{k: K} a[i,k]*b[e,k]",
    "up to a moving end": "y[i: N] = argmin{e=0..i} sum{k: K} a[i,k]*b[e,k]",
    "of a moving window": "y[i: N] = argmin{e=i+1..i+20} sum{k: K} abs(a[i,k] - b[e,k])",
    "of a window that is empty for some": "y[i: N] = argmax{e=3*i..min(N-1, 2*i+9)} sum{k: K} a[i,k]*b[e,k]",
    "of the others": "y[i: N] = argmin{e: E | e != i} sum{k: K} (a[i,k] - b[e,k])**2",
    "of the others of two": "y[i: N] = argmax{e: E | e != i and e != i + 1} exp(sum{k: K} a[i,k]*b[e,k]/9)",
    "of one side or the other": "y[i: N] = argmax{e: E | e < i or e > i + 2} sum{k: K} a[i,k]*b[e,k]",
    "of every third": "y[i: N] = argmax{e: E | (e + i) % 3 = 0} sum{k: K} a[i,k]*b[e,k]",
    "of quotients": "y = argmax{e: E} sum{k: K} a[e//4,k]*b[e,k]",
    "of quotients on the other side": "y[i: N] = argmin{e: E} exp(sum{k: K} a[i,k]*b[e//2,k]/9)",
    "of neighbours at a border": "y[i: N] = argmin{e=i-2..i+2} sum{k: K} a[i,k]*b[pad(e),k]",
    "where an element is tested": "y[i: N] = argmax{e: E | b[e,0] > 0} sum{k: K} a[i,k]*b[e,k]",
    "with a condition in the term": "y[i: N] = argmax{e: E} (if e <= i then sum{k: K} a[i,k]*b[e,k] else 0)",
    "of products": "y[i: N] = argmax{e=i..E-1} prod{k: K} (1 + 0.1*a[i,k]*b[e,k])",
    "of two sums": "y[i: N] = argmax{e=i..E-1} ((sum{k: K} a[i,k]*b[e,k])/sqrt(sum{k: K} b[e,k]**2))",
    "of maxima of sums": "y[i: 6] = argmax{e=i..E-1} max{j=0..i} sum{k: K} a[j,k]*b[e,k]",
    "in a sum": "y[i: 5] = sum{j=0..i | j != 3} argmax{e=j..E-1} sum{k: K} a[j,k]*b[e,k]",
    "of what is shared": "y[i: N] = argmax{e=i..E-1} sum{k: K} a[i,k]*b[e,k]\nz[i: N] = max{e=0..i} sum{k: K} a[i,k]*b[e,k]",
    "written by hand": "m[i: N] = max{e: E | e != i} sum{k: K} a[i,k]*b[e,k]\n"
    "y[i: N] = min{f: E | f != i} (if sum{l: K} a[i,l]*b[f,l] = m[i] then f else 1000)",
}  # fmt: skip
SIZES = [(20, 40, 64), (12, 130, 40)]


def function(case, **options):
    return tadc.compile(f"size N, K, E\ninput a[N,K], b[E,K]\n{PLAIN[case]}", **options)


def sample(n, k, e):
    random = np.random.default_rng(n)
    return {"a": random.normal(size=(n, k)), "b": random.normal(size=(e, k))}


def results(f, arrays):
    found = f(**arrays)
    found = found if isinstance(found, tuple) else (found,)
    return dict(zip(f.program.outputs, found, strict=True))


@cache
def expected(case, sizes):
    return results(function(case, backend="interpreter"), sample(*sizes))


@pytest.mark.parametrize("case", PLAIN)
def test_what_is_equated_is_read(case):
    program = function(case).program

    for s in (s for s in program.statements if s.target.name[0] == "y"):
        extremes = [
            e for e in postorder(s.body) if isinstance(e, Reduce) and e.op in ("min", "max")
        ]
        assert not any(
            isinstance(e, Reduce) and e.op in ("sum", "prod")
            for m in extremes
            for e in postorder(m)
        )


@pytest.mark.parametrize("case", PLAIN)
def test_the_text_of_what_is_stored_is_that_of_the_same_program(case):
    text = str(function(case).source("idx"))

    assert str(tadc.compile(text).source("idx")) == text


@pytest.mark.parametrize("case", PLAIN)
@pytest.mark.parametrize(
    ("backend", "memory"),
    [
        ("native", "auto"),
        pytest.param("native", "recompute", marks=pytest.mark.slow),
        ("numpy", "auto"),
    ],
)
@pytest.mark.compiler
def test_an_index_of_a_maximum_is_found(case, backend, memory):
    f = function(case, backend=backend, memory=memory)

    for sizes in SIZES:
        found = results(f, sample(*sizes))
        for name, value in expected(case, sizes).items():
            np.testing.assert_allclose(found[name], value, rtol=1e-12)


@pytest.mark.parametrize("case", PLAIN)
@pytest.mark.compiler
def test_an_index_of_a_maximum_is_found_by_any_schedule_of_a_gpu(case):
    program, runs, texts = function(case).program, [], []
    for n, sizes in enumerate(SIZES):
        bound = dict(zip("NKE", sizes, strict=True))
        for threads in (2**9, 2**18):
            machine = replace(HOPPER, resident_threads=threads)
            named = replace(program, name=f"arg_{n}_{threads}")
            options = Options.of(backend="cuda", blas=False)
            decided = compiler.gpu_decisions(named, bound, "float64", options, machine)
            module = compiler.lowered_for_gpu(
                named, "run", decided, bound, "float64", machine, blas=False, tiles={}
            )
            emitted = cuda_text([module], "", "float64")
            texts.append((emitted.text, emitted.manifest))
            runs.append((sizes, bound))

    host = HostBatch(texts)

    for n, (sizes, bound) in enumerate(runs):
        found = host.run(n, "run", sample(*sizes), bound)
        for name, value in expected(case, sizes).items():
            np.testing.assert_allclose(found[name], value, rtol=1e-12)


OF_DATA = {
    "of a group": "y[i: N] = argmax{e: E | d[e] = i} sum{k: K} a[i,k]*b[e,k]",
    "of the other groups": "y[i: N] = argmin{e: E | d[e] != i} sum{k: K} a[i,k]*b[e,k]",
    "of other elements": "y[i: N] = argmax{e: E | e != i} sum{k: K} a[i,k]*b[d[e],k]",
    "of rows by length": "y[i: N] = argmax{e: E | e < d[i]} sum{k: K} a[i,k]*b[e,k]",
    "of rows that data move": "y[i: N] = argmin{r: 5} sum{k: K} a[i,k]*b[clamp(d[i] + r),k]",
    "of rows of one tensor": "y[i: N] = argmax{e=s[i]..s[i+1]-1} sum{k: K} a[i,k]*b[e,k]",
}


@pytest.mark.parametrize("case", OF_DATA)
@pytest.mark.parametrize("backend", ["native", "numpy"])
@pytest.mark.compiler
def test_an_index_of_a_maximum_is_found_where_data_say_what_it_is_of(case, backend):
    random = np.random.default_rng(0)
    n, e = 13, 67
    arrays = sample(n, 40, e)
    if "d[" in OF_DATA[case]:
        arrays["d"] = random.integers(0, n, e)
    else:
        arrays["s"] = np.sort(np.concatenate([[0, e], random.integers(0, e, n - 1)]))
    index = "d[E]: index" if "d" in arrays else "s[N + 1]: index"
    text = f"size N, K, E\ninput a[N,K], b[E,K], {index}\n{OF_DATA[case]}"

    found = tadc.compile(text, backend=backend)(**arrays)

    np.testing.assert_array_equal(found, tadc.compile(text, backend="interpreter")(**arrays))
