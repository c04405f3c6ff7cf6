"""Columns of threads: the warps of a block have parts of the sums of 32 neighbours."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from host_run import HostProgram
from programs import normal

import tadc
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tadc.runtime.run import Runners
from tadc.schedule.gpu.column_teams import in_columns
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import Leader, TeamLoop, TeamSums, steps_of

PROGRAMS = {
    "columns": "input x[N, M]\nf[j: M] = sum{i} x[i, j]**2",
    "columns of a box": "input x[3, N, M]\nf[c: 3, j: M] = (sum{i} x[c, i, j]*x[0, i, j])/N",
    "maxima": "input x[N, M]\nf[j: M] = max{i} x[i, j]",
    "two sums": "input x[N, M]\nf[j: M] = (sum{i} x[i, j]*exp(x[i, j]))/(1 + sum{i} exp(x[i, j]))",
    "sums of sums": "input x[N, 5, M]\nf[j: M] = sum{i, k} x[i, k, j]",
    "up to a diagonal": "input x[N, M]\nf[j: M] = sum{i | i <= j} x[i, j]",
    "from the second term on": "input x[N + 2, M]\nf[j: M] = sum{i = 2..N} x[i, j]",
}  # fmt: skip
# A whole number of lanes, fewer, more, and none that fits; few terms and many.
SIZES = [(1, 1), (7, 5), (8, 32), (37, 31), (40, 33), (300, 67), (3000, 3)]


def column_kernels(text):
    """The only kernel of a program by columns, each way that there is."""
    (module,) = modules_of({"primal": normal(f"size N, M\n{text}")})
    (kernel,) = module.kernels
    middle = {"N": 1000, "M": 1000} | dict.fromkeys(kernel.indices, 500)
    for made in in_columns(kernel, middle, HOPPER, 16):
        blocked, body = long_sums_in_blocks(made.kernel, made.kernel.body, module.program, team=made.team)  # fmt: skip
        yield replace(GpuModule.plain(module), kernels=(GpuKernel(replace(blocked, body=body), made.team),))  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_column_has_parts_of_a_sum_and_one_thread_stores_it(name):
    (gpu, *_) = column_kernels(PROGRAMS[name])

    (kernel,) = gpu.kernels
    steps = list(steps_of(kernel.kernel.body))
    assert kernel.team == HOPPER.column
    assert any(isinstance(s, TeamSums) for s in steps)
    assert any(isinstance(s, TeamLoop) for s in steps)
    assert any(isinstance(s, Leader) for s in steps)


@pytest.mark.parametrize(
    "text",
    [
        "input x[N, M], w[M]\nf[j: M] = if w[j] > 1 then sum{i} x[i, j] else w[j]",  # some wait
        "input x[N, M]\nf[i: N, j: M] = sum{k | k <= i} x[k, j]",  # a running sum
        "input x[M]\nf[j: M] = x[j]",  # no sum
        "input x[M, 4]\nf[j: M] = sum{k} x[j, k]",  # too few terms
        "input x[N]\nf = sum{i} x[i]",  # no neighbour
    ],
)
def test_there_are_none_where_threads_would_wait_for_others_or_have_nothing_to_share(text):
    (module,) = modules_of({"primal": normal(f"size N, M\n{text}")})

    for kernel in module.kernels:
        middle = {"N": 1000, "M": 1000} | dict.fromkeys(kernel.indices, 500)
        assert not list(in_columns(kernel, middle, HOPPER, 16))


@pytest.mark.compiler
@pytest.mark.plain(name=3)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_values_are_numpys(name, dtype):
    program = normal(f"size N, M\n{PROGRAMS[name]}")
    for gpu in column_kernels(PROGRAMS[name]):
        emitted = cuda_text([gpu], "", dtype)
        host = HostProgram(emitted.text, emitted.manifest)
        for n, m in SIZES:
            arrays, expected = arrays_and_values(program, n, m, dtype)
            for order in ("forward", "backward"):
                found = host.run("primal", arrays, {"N": n, "M": m}, order=order)["f"]
                np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "float64" else 1e-5)  # fmt: skip


@pytest.mark.compiler
@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_values_are_numpys_on_opencl(name):
    from opencl_run import run_on_opencl

    program = normal(f"size N, M\n{PROGRAMS[name]}")
    (gpu, *_) = column_kernels(PROGRAMS[name])
    for n, m in ((1, 1), (37, 33)):
        arrays, expected = arrays_and_values(program, n, m, "float64")
        found = run_on_opencl(gpu, arrays, {"N": n, "M": m}, combined=9)["f"]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def arrays_and_values(program, n, m, dtype):
    """Inputs of a program, and what numpy computes of them."""
    random, sizes = np.random.default_rng(n), {"N": n, "M": m}
    shapes = {x.name: [e.at(sizes) for e in x.shape] for x in program.inputs}
    arrays = {x: random.uniform(0.5, 1.5, shape).astype(dtype) for x, shape in shapes.items()}
    return arrays, Runners(program).run("numpy", "float64", arrays, sizes)["f"]


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("index_type", ["int32", "int64"])
def test_the_compiler_of_a_gpu_has_nothing_to_say_about_it(index_type):
    for gpu in column_kernels(PROGRAMS["two sums"]):
        made = compile_cuda(cuda_text([gpu], "", "float32", index_type).text, "sm_90")

        assert not made.warnings
        assert all(usage.spill_bytes == 0 for usage in made.usage.values())


def test_sums_of_columns_have_them_where_that_takes_less_time():
    f = tadc.compile("input x[N, M]\ny[j] = sum{i} x[i, j]", backend="cuda", dtype="float32")

    (kernel,) = f.plan(N=1000, M=100_000).kernels

    assert kernel.schedule.startswith("a column computes each element; its threads share i")
