"""Results that are stored past the caches: which they are, and that every element arrives."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import pytest

import tadc
from tadc.emit.c.file import emit_c
from tadc.runtime.cpu.c_compiler import compiler
from tadc.schedule.cpu.machine import AVX512
from tadc.schedule.lowered import CpuModule, modules_of

PROGRAMS = {
    "an outer product": "size N, M\ninput a[N], x[M]\ny[i,j] = a[i]*x[j]",
    "with borders": "size N, M\ninput a[N], x[M]\ny[i, j: M] = a[i]*(if j >= 3 then x[j-3] else 0) + (if j + 2 <= M - 1 then x[j+2] else 1)",
    "what is read too": "size N, M\ninput a[N, M], x[M]\ny[i,j] = 2*a[i,j] + x[j]",
    "a batch": "size N, M\ninput a[N], x[M]\ny[b: 3, i, j] = a[i]*x[j] + b",
}  # fmt: skip


def module(text, dtype="float32", N=9000, M=9000, machine=AVX512):
    f = tadc.compile(text, backend="numpy", dtype=dtype)
    (made,) = modules_of({"primal": f._program})
    return CpuModule.of(made, dtype, {"N": N, "M": M}, machine=machine)


def streamed(text, **options):
    return set().union(*(k.streamed for k in module(text, **options).kernels))


@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_streamed_that_no_cache_holds(name):
    assert streamed(PROGRAMS[name]) == {"y"}
    assert streamed(PROGRAMS[name], N=1000, M=1000) == set()
    assert streamed(PROGRAMS[name], N=2_000_000, M=50) == set()


def test_behind_a_large_second_cache_smaller_results_are_streamed():
    text = "size N, M\ninput x[N,M]\ny[i,j] = 2*x[i,j]"
    far = AVX512.with_second_cache(2**21)

    assert streamed(text, N=2500, M=1000, machine=far) == {"y"}
    assert streamed(text, N=500, M=1000, machine=far) == set()
    assert AVX512.with_second_cache(2**20) == AVX512


@pytest.mark.parametrize("text", [
    "size N, M\ninput x[N,M]\ny[i,j] = exp(x[i,j])",  # computing takes as long
    "size N, M\ninput x[5,N,M]\ny[i,j] = x[0,i,j] + x[1,i,j] + x[2,i,j] + x[3,i,j] + x[4,i,j]",  # and so does reading
    "size N, M\ninput a[N], b[M]\noutput t, z\nt[i,j] = exp(a[i] + b[j])\nz[i] = sum{j} t[i,j]*t[i,M-1-j]",  # t is read
])  # fmt: skip
def test_what_would_gain_nothing_is_not_streamed(text):
    assert streamed(text) == set()


@pytest.mark.compiler
@pytest.mark.skipif(compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_element_arrives(name, dtype, tmp_path):
    text = PROGRAMS[name]
    source, library = tmp_path / "streamed.c", tmp_path / "streamed.so"
    source.write_text(emit_c([module(text, dtype)], dtype, "int64"), "utf-8")
    assert "streamed(&" in source.read_text("utf-8")
    options = ["-O2", "-w", "-fopenmp", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]
    subprocess.run([*compiler(), *options, str(source), "-o", str(library), "-lm"], check=True)
    run = ctypes.CDLL(str(library)).program_primal
    interpreter = tadc.compile(text, backend="interpreter", dtype=dtype)
    random = np.random.default_rng(0)
    for n, m in [(1, 1), (5, 33), (3, 1), (2, 1055), (2, 1056), (1, 2113)]:
        shapes = (
            tuple(e.at({"N": n, "M": m}) for e in t.shape) for t in interpreter.program.inputs
        )
        a, x = (random.uniform(-1, 1, shape).astype(dtype) for shape in shapes)
        expected = interpreter(a, x)
        # At every distance from a line of memory, and with something behind it that stays.
        room = np.full(expected.size + 40, 7, dtype)
        for at in range(0, 17, 4):
            room[:] = 7
            found = room[at : at + expected.size]
            pointers = [ctypes.c_void_p(k.ctypes.data) for k in (a, x, found)]
            sizes = [ctypes.c_longlong(k) for k in (n, m)]
            assert run(*pointers, None, *sizes, 3) == 0
            np.testing.assert_allclose(
                found.reshape(expected.shape), expected, rtol=1e-6, atol=1e-6
            )
            assert (np.delete(room, slice(at, at + expected.size)) == 7).all()
