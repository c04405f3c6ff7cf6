"""Which loops the threads of a team share: one of a nest, all of it as one, or those inside of one that is short."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from host_run import HostError, HostProgram
from programs import normal

from tadc.emit.clike.gpu_kernel import fitting_index_type, safe_index_type
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.cuda.nvrtc import compile_cuda, find_nvrtc
from tadc.runtime.run import Runners
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.gpu.scheduled import GpuKernel
from tadc.schedule.gpu.teams import TeamBody
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import LetIndex, Loop, TeamLoop, reads_of, steps_of

# name: text, how many neighbours nests have that are shared as one, the trips of the loops that are shared, and of those that are not
NESTS = {
    "a nest of numbers as one": ("input x[N, 3, 5]\nf[i: N] = sum{j, k} x[i, j, k]*(j + 2*k)", 1, [15], []),
    "a size and numbers as one": ("input x[4, N, 3]\nf[i: 4] = sum{j, k} exp(x[i, j, k]*j/9)", 1, [None], []),
    "a maximum": ("input x[2, 3, N]\nf = max{i, j, k} x[i, j, k]", 1, [None], []),
    "one that begins late": ("input x[N, 9]\nf = sum{i, j=2..7} exp(x[i, j]*j/9)", 1, [None], []),
    "where that looks best, not one that depends on the other": ("input x[7, 7]\nf = sum{i, j | j <= i} x[i, j]", 0, [None], [7]),
    "one loop depends on the other": ("input x[7, 9]\nf = sum{i, j | j <= i + 1} x[i, j]", 1, [7*8], []),
    "on a size too": ("input x[7, N]\nf = sum{i, j | i <= j and j <= 2*i} x[i, j]", 1, [7*13], []),
    "quotients and remainders": ("input x[N, 3], w[N]\nf = sum{i} x[i//4, i % 3]*w[i]", 1, [None], []),
    "a size has a low, another index": ("input x[5, N]\nf[l: 4] = max{i, j | i + l <= j} x[i, j]*(i + l)", 1, [None], []),
    "neighbours of a size": ("input x[3, N]\nf[l: 2] = sum{i, j} exp(x[i, j]*(i + l)/9)", 8, [None], []),
    "neighbours of a size, in a triangle": ("input x[5, N]\nf[l: 2] = sum{i, j | i + l <= j} exp(x[i, j]/9)", 8, [None], []),
    "neighbours of a quotient of a size": ("input x[N], y[3, N]\nf = sum{i, j | 3*j + i < N} x[3*j + i]*y[i, j]", 8, [None], []),
    "two sizes, which are no digits": ("input x[N, N]\nf = sum{i, j} exp(x[i, j]*i/9)", 1, [None], [None]),
    "few terms that are long": ("input x[2, N]\nf = sum{i} exp(-sum{j} x[i, j]**2/N)", 0, [None], [2]),
    "few terms of few terms": ("input x[2, 2, N]\nf = sum{i, k} exp(-sum{j} x[i, k, j]**2/N)", 0, [None], [2, 2]),
}  # fmt: skip
LENGTH = 1000


def team_kernel(text, adjacent, team):
    """The only kernel of a program, as a team does it."""
    (module,) = modules_of({"primal": normal(f"size N\n{text}")})
    (kernel,) = module.kernels
    values = dict.fromkeys(("N", *kernel.indices), LENGTH)
    made = TeamBody.of(kernel.body, values, team, HOPPER.costs, adjacent=adjacent)
    scheduled = GpuKernel(replace(kernel, body=made.steps), team)
    return replace(GpuModule.plain(module), kernels=(scheduled,))


@pytest.mark.parametrize("name", NESTS)
def test_the_loops_that_a_team_shares(name):
    text, adjacent, shared, alone = NESTS[name]

    (kernel,) = team_kernel(text, adjacent, HOPPER.warp).kernels

    steps = list(steps_of(kernel.kernel.body))
    assert [s.range.trips for s in steps if isinstance(s, TeamLoop)] == shared
    assert [s.range.trips for s in steps if isinstance(s, Loop)] == alone


@pytest.mark.compiler
@pytest.mark.plain(name=3, team=1)
@pytest.mark.parametrize("team", [HOPPER.warp, HOPPER.block])
@pytest.mark.parametrize("name", NESTS)
def test_teams_that_share_them_compute_what_numpy_computes(name, team):
    text, adjacent, *_ = NESTS[name]
    program = normal(f"size N\n{text}")
    emitted = cuda_text([team_kernel(text, adjacent, team)], "", "float64")
    host = HostProgram(emitted.text, emitted.manifest)

    for n in (1, 5, 33, 300):
        random = np.random.default_rng(n)
        arrays = {x.name: random.uniform(0.5, 1.5, [e.at({"N": n}) for e in x.shape]) for x in program.inputs}  # fmt: skip
        found = host.run("primal", arrays, {"N": n})
        expected = Runners(program).run("numpy", "float64", arrays, {"N": n})
        np.testing.assert_allclose(found["f"], expected["f"], rtol=1e-12)


UNUSED = "input x[2, N]\nf[l: N] = sum{m: 36, k: 12, i: 35} abs(x[(i + k) % 2, l])"


def test_a_nest_as_one_declares_no_index_that_nothing_reads():
    (kernel,) = team_kernel(UNUSED, 1, HOPPER.warp).kernels

    (loop,) = (s for s in steps_of(kernel.kernel.body) if isinstance(s, TeamLoop))
    assert loop.range.trips == 36 * 12 * 35
    declared = [s.derived for s in steps_of(loop.body) if isinstance(s, LetIndex)]
    read = {i for e in reads_of(loop.body) for i in e.symbols}
    read |= {i for d in declared for i in d.form.symbols}
    assert declared and {d.name for d in declared} <= read


@pytest.mark.skipif(find_nvrtc() is None, reason="pip install nvidia-cuda-nvrtc")
def test_the_compiler_of_a_gpu_has_nothing_to_say_about_it():
    emitted = cuda_text([team_kernel(UNUSED, 1, HOPPER.warp)], "", "float32")

    assert not compile_cuda(emitted.text, "sm_90").warnings


MANY = (
    "input x[N]\nf = sum{i: N, j: 64, k: 64} exp(x[i]*j*k)"  # 4,096 times as many terms as elements
)


def test_the_index_of_a_nest_as_one_has_as_many_bits_as_it_needs():
    alone, joint = (team_kernel(MANY, adjacent, HOPPER.warp) for adjacent in (0, 1))

    found = [[fitting_index_type(gpu, {"N": n}) for n in (1000, 10**6)] for gpu in (alone, joint)]

    assert found == [["int32", "int32"], ["int32", "int64"]]
    assert safe_index_type([joint]) == "int64"


@pytest.mark.compiler
def test_a_launcher_with_fewer_refuses_such_sizes():
    emitted = cuda_text([team_kernel(MANY, 1, HOPPER.warp)], "", "float32", "int32")
    host = HostProgram(emitted.text, emitted.manifest)

    with pytest.raises(HostError, match="primal"):
        host.run("primal", {"x": np.zeros(10**6, "float32")}, {"N": 10**6})
