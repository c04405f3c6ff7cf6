"""Teams whose threads have parts of several elements' sums: the few taps of a filter, or the columns of a narrow matrix."""

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
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.team_tile import with_team_tile
from tadc.schedule.gpu.together import with_values_together
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.long_sums import long_sums_in_blocks
from tadc.schedule.nest.loop_nest import Branch, Lanes, Store, TeamSums, steps_of

# name: text, the indices of which a team has all values, or so many
PROGRAMS = {
    "taps": ("input x[N+2], y[N]\nf[t: 3] = sum{i} y[i]*x[i+t]", ["t"]),
    "taps at borders": ("input x[3, N], y[3, N]\nf[c: 3, t: 3] = sum{i | 1 <= i + t and i + t <= N} y[c, i]*x[c, i+t-1]", ["t"]),
    "taps of two dimensions": ("input x[2, N, N], y[2, N, N]\nf[c: 2, r: 3, t: 2] = sum{i, j | i + r <= N and 1 <= i + r and j + t <= N and 1 <= j + t} y[c, i, j]*x[c, i+r-1, j+t-1]", ["r", "t"]),
    "columns": ("input x[N, 5]\nf[j: 5] = sum{i} x[i, j]**2", ["j"]),
    "maxima": ("input x[N], y[N]\nf[j: 4] = max{i} (x[i] - j*y[i])", ["j"]),
    "two sums": ("input x[N], y[N]\nf[j: 4] = (sum{i} x[i]*exp(y[i]*j))/(1 + sum{i} exp(y[i]*j))", ["j"]),
    "means and variances": ("input x[3, N]\nm[c] = mean{i} x[c, i]\nf[c] = mean{i} (x[c, i] - m[c])**2", ["c"]),
    "sums up to a diagonal": ("input x[N, 6]\nf[j: 6] = sum{i | i >= 2*j} x[i, j]", ["j"]),
    "neighbours": ("input x[N+2, N]\nf[i: N] = sum{j} x[i, j]*x[i+2, j]", {"i": 4}),
    "rows of parts": ("input x[N, 2], y[11, 2]\nf[t: 11] = sum{m: N, r: 2 | t + 11*m < N} x[t + 11*m, r]*y[t, r]", {"t": 4}),
}  # fmt: skip
TEAMS = [HOPPER.warp, HOPPER.block]


def team_kernel(text, indices, team):
    """The only kernel of a program, as a team does it for all values of some indices."""
    (module,) = modules_of({"primal": normal(f"size N\n{text}")})
    (kernel,) = module.kernels
    extents = dict(zip(kernel.indices, kernel.extents, strict=True))
    some = indices if isinstance(indices, dict) else {i: extents[i].constant for i in indices}
    counts = {i: some[i] for i in kernel.indices if i in some}
    values = {"N": 1000} | dict.fromkeys(kernel.indices, 1)
    made = with_team_tile(kernel, counts, values, team, HOPPER.costs)
    blocked, body = long_sums_in_blocks(made.kernel, made.kernel.body, module.program, team=team)
    made = with_values_together(GpuKernel(replace(blocked, body=body), team))
    return replace(GpuModule.plain(module), kernels=(made,))


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_team_has_all_values_of_the_indices(name):
    text, indices = PROGRAMS[name]

    (kernel,) = team_kernel(text, indices, HOPPER.warp).kernels

    assert kernel.shares_loops
    assert [t.index for t in kernel.tile] == list(indices)
    assert any(isinstance(s, TeamSums) for s in steps_of(kernel.kernel.body))
    assert not any(isinstance(s, Store) and s.atomic for s in steps_of(kernel.kernel.body))


def test_one_test_says_that_all_points_have_a_value():
    text, indices = PROGRAMS["rows of parts"]

    (kernel,) = team_kernel(text, indices, HOPPER.warp).kernels

    branches = [s for s in steps_of(kernel.kernel.body) if isinstance(s, Branch)]
    (once,) = (s for s in branches if s.otherwise)
    assert not any(isinstance(s, Branch) for s in steps_of(once.then))
    assert any(isinstance(s, Lanes) for s in steps_of(once.then))


def test_a_team_has_neighbours_of_an_index_where_that_takes_less_time():
    rows = tadc.compile("size N\ninput x[N, 128]\ny[i] = sum{j} x[i, j]", backend="cuda", dtype="float32")  # fmt: skip

    (kernel,) = rows.plan(N=100_000).kernels

    assert "a warp computes 4 elements" in kernel.schedule


@pytest.mark.compiler
@pytest.mark.plain(name=4, team=1)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("team", TEAMS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_values_are_numpys(name, team, dtype):
    text, indices = PROGRAMS[name]
    program = normal(f"size N\n{text}")
    gpu = team_kernel(text, indices, team)
    emitted = cuda_text([gpu], "", dtype)
    host = HostProgram(emitted.text, emitted.manifest)

    for n in (1, 37, 300, 3000 if team == HOPPER.warp and len(indices) == 1 else 40):
        arrays, expected = arrays_and_values(program, n, dtype)
        found = host.run("primal", arrays, {"N": n})["f"]
        np.testing.assert_allclose(found, expected, rtol=1e-12 if dtype == "float64" else 1e-5)


@pytest.mark.compiler
@pytest.mark.parametrize("team", TEAMS)
def test_it_is_right_for_any_number_of_columns(team):
    program = normal("size N, M\ninput x[N, M]\nf[j: M] = sum{i} x[i, j]*exp(x[i, j])")
    (module,) = modules_of({"primal": program})
    (kernel,) = module.kernels
    scheduled = with_team_tile(kernel, {"j": 5}, {"N": 100, "M": 5}, team, HOPPER.costs)
    emitted = cuda_text([replace(GpuModule.plain(module), kernels=(scheduled,))], "", "float64")
    host = HostProgram(emitted.text, emitted.manifest)

    for m in (1, 4, 5, 6, 12):
        x = np.random.default_rng(m).normal(size=(50, m))
        found = host.run("primal", {"x": x}, {"N": 50, "M": m})["f"]
        np.testing.assert_allclose(found, (x * np.exp(x)).sum(0), rtol=1e-12)


@pytest.mark.compiler
@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_its_values_are_numpys_on_opencl(name):
    from opencl_run import run_on_opencl

    text, indices = PROGRAMS[name]
    program = normal(f"size N\n{text}")

    for n in (1, 100):
        arrays, expected = arrays_and_values(program, n, "float64")
        found = run_on_opencl(team_kernel(text, indices, HOPPER.warp), arrays, {"N": n})["f"]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


def arrays_and_values(program, n, dtype):
    """Inputs of a program, and what numpy computes of them."""
    random = np.random.default_rng(n)
    shapes = {x.name: [e.at({"N": n}) for e in x.shape] for x in program.inputs}
    arrays = {x: random.uniform(0.5, 1.5, shape).astype(dtype) for x, shape in shapes.items()}
    return arrays, Runners(program).run("numpy", "float64", arrays, {"N": n})["f"]


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("team", TEAMS)
def test_the_compiler_of_a_gpu_has_nothing_to_say_about_it(team):
    text, indices = PROGRAMS["taps of two dimensions"]
    made = compile_cuda(cuda_text([team_kernel(text, indices, team)], "", "float32").text, "sm_90")

    assert not made.warnings
    assert all(usage.spill_bytes == 0 for usage in made.usage.values())


def test_the_gradient_by_small_filters_has_them():
    text = "size B, C, H, W\ninput x[B, C, H, W], w[C, 3, 3]\ny[n, c, p: H, q: W] = sum{r, t} x[n, c, pad(p + r - 1), pad(q + t - 1)]*w[c, r, t]"
    f = tadc.compile(text, backend="cuda", dtype="float32")

    plan = f.plan(mode="adjoint", B=32, C=256, H=56, W=56)

    assert any("computes 3x3 elements" in k.schedule and "threads share" in k.schedule for k in plan.kernels)  # fmt: skip
