"""Native code that tells how long its kernels take, and the limits of the machine that they are held against."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.bench import bench
from tadc.compiler import lowered_for_cpu
from tadc.emit.c.file import emit_c
from tadc.options import Options
from tadc.runtime.cpu import c_compiler
from tadc.runtime.cpu.limits import Limits, limits
from tadc.runtime.cpu.native import NativeRunner
from tadc.schedule.lowered import Decisions
from tadc.schedule.nest.special import special_calls

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

# A sum that threads share, a product that BLAS computes, and names that a launcher has for itself.
TEXT = """size N
input now[N,N], begin[N,N]
output y, s
seconds[i,j] = sum{k} now[i,k]*begin[k,j]
y[i,j] = exp(seconds[i,j])
s = sum{i, j} seconds[i,j]*now[i,j]
"""


def test_text_without_times_says_nothing_of_them():
    program = tadc.compile(TEXT).program
    lowered = lowered_for_cpu(program, "run", Decisions(), "float64", blas=True)
    plain, timed = (emit_c([lowered], "float64", "int64", timed=t) for t in (False, True))

    assert "time.h" not in plain and "double* seconds)" not in plain
    kernels = {line for line in plain.splitlines() if line.startswith("static void program_run")}
    assert kernels == {line for line in timed.splitlines() if line.startswith("static void program_run")}  # fmt: skip
    assert [f"seconds[{k}] = now() - begin;" in timed for k in range(len(kernels) + 1)] == [True] * len(kernels) + [False]  # fmt: skip


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("n", [3, 200])
def test_a_timed_launch_computes_the_same_and_has_a_time_for_each_kernel(n, threads):
    f = tadc.compile(TEXT, backend="native", threads=threads)
    random = np.random.default_rng(0)
    arrays = [random.normal(size=(n, n)) / n for _ in range(2)]
    launch = NativeRunner(f.program, "float64", Options(threads=threads)).timed({"N": n})

    outputs, seconds = launch(arrays)

    for found, expected in zip(outputs, f(*arrays), strict=True):
        np.testing.assert_array_equal(found, expected)
    assert len(seconds) == len(f.plan(N=n).kernels) == len(launch.lowered.kernels)
    assert all(0 <= s < 60 for s in seconds) and sum(seconds) > 0


def test_calls_of_functions_are_counted_where_they_are_made():
    f = tadc.compile(
        "size N, M\ninput x[N,M]\ny[i] = sum{j} (if j < 2 then exp(x[i,j])*tanh(x[i,j]) else x[i,j]**3/sqrt(2))"
    )
    module = lowered_for_cpu(f.program, "run", Decisions(), "float64", blas=False).module
    sizes = f.program.size_values({"N": 5, "M": 7})

    assert [special_calls(k, sizes) for k in module.kernels] == [5 * 2 * 2]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_limits_are_rates(dtype):
    found = limits(1, dtype, repetitions=1)

    rates = (found.bytes_per_second, found.operations_per_second, found.functions_per_second)
    assert all(1e6 < rate < 1e14 for rate in rates)


def test_the_time_of_the_model_is_that_of_the_scarcest():
    least = Limits(10.0, 100.0, 1.0).seconds(20, 300, 5)
    assert least == {"memory": 2.0, "arithmetic": 3.0, "special functions": 5.0}


@pytest.mark.slow
def test_bench_times_kernels_of_programs_with_sizes_that_follow_from_others():
    text = "size H, R\ninput x[H], w[R]\ny[p: (H-R)//2+1] = sum{r} x[2*p+r]*w[r]"
    assert bench(tadc.compile(text, backend="native"), {"H": 19, "R": 3}, 1).kernels


def test_bench_has_a_row_for_each_kernel_of_the_plan():
    text = "size N\ninput x[N], k[N]\ny[i] = k[i]*exp(x[i])"
    f = tadc.compile(text, backend="native", dtype="float32")

    found = bench(f, {"N": 1000}, 2)

    names = [p.name for mode in ("primal", "vjp") for p in f.plan(mode=mode, N=1000).kernels]
    assert [k.kernel for k in found.kernels] == list(dict.fromkeys(names))
    assert {k.limit for k in found.kernels} <= {"memory", "arithmetic", "special functions"}
    assert all(k.ratio == k.seconds / k.model for k in found.kernels)
    assert not bench(tadc.compile(text, backend="numpy"), {"N": 9}, 1).kernels
