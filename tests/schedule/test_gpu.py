"""What runs on a GPU, run on the host: teams of threads, sums in parts, at the edges of warps and blocks."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest
from host_run import HostBatch
from programs import normal
from test_random_programs import Sample, agree, compiled, modes

import tadc
from tadc.compiler import adjoint_program
from tadc.emit.cuda.file import cuda_text
from tadc.runtime.run import Runners
from tadc.schedule.gpu.borders import box_interior
from tadc.schedule.gpu.machine import ADA, AMPERE, ANY_OF_OPENCL, HOPPER, Machine
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import buffers_of
from tadc.schedule.nest.sizes import values_of_sizes

COLUMN, WARP, BLOCK = HOPPER.column, HOPPER.warp, HOPPER.block
EDGES = (1, 31, 32, 33, 255, 256, 257, 1030)
LARGE, MEDIUM = 10**7, 20_000  # sizes for which schedules are chosen, whatever the size of the call

# name: text, the schedules of the value's kernels for large sizes
PROGRAMS = {
    "a sum": ("input x[N]\nf = sum{i} x[i]**2", [BLOCK, BLOCK]),
    "a sum that begins late": ("input x[N + 3]\nf = sum{i=3..N + 2} x[i]", [BLOCK, BLOCK]),
    "a maximum": ("input x[N]\nf = max{i} x[i]", [BLOCK, BLOCK]),
    "a minimum": ("input x[N]\nf = min{i} x[i]", [BLOCK, BLOCK]),
    "a product": ("input x[N]\nf = prod{i} (1 + x[i]/N)", [BLOCK, BLOCK]),
    "several results": ("input x[N], y[N]\nf = sum{i} x[i]*y[i]\ng = sum{j} exp(-y[j])", [BLOCK, BLOCK, BLOCK]),
    "few sums": ("input x[N + 2], y[N]\nf[r: 3] = sum{i} x[i+r]*y[i]", [BLOCK, BLOCK]),
    "sums of rows": ("input x[4, N]\nf[r] = sum{i} x[r, i]**2", [BLOCK, BLOCK]),
    "sums of columns": ("input x[N, 40]\nf[j] = sum{i} x[i, j]", [COLUMN, COLUMN, BLOCK]),
    "a long and a short index": ("input x[N, 3, 40]\nf[c] = sum{n, k} x[n, c, k]*x[n, c, 39 - k]", [BLOCK, BLOCK]),
    "every third": ("input x[N]\nf = sum{i | i % 3 = 1} x[i]", [BLOCK, BLOCK]),
    "a condition": ("input x[N]\nf = sum{i | 2*i >= 7} x[i]", [BLOCK, BLOCK]),
    "backwards": ("input x[N]\nf[r: 2] = sum{i} x[N - 1 - i]*sin(i + r)", [BLOCK, WARP]),
    "in an expression": ("input x[N]\nf = exp(-sum{i} x[i]**2/N) + max{j} x[j]", [BLOCK, BLOCK]),
    "a triangle": ("input x[N]\nf = sum{i, j | j <= i and i <= j + 2} x[i]*x[j]", [BLOCK, BLOCK]),
    "quotients": ("input x[N]\nf = sum{i: N} x[i // 2] * (i % 2)", [BLOCK, BLOCK]),
    "a choice": ("input x[N], c[]\nf = if c > 0 then sum{i} x[i] else max{i} x[i]", [BLOCK, BLOCK]),
    "a sum of sums": ("input x[N], y[5]\nf = sum{i} exp(-sum{d} (x[i] - y[d])**2)", [BLOCK, BLOCK]),
    "a running sum": ("input x[N]\nf[i: N] = sum{j | j <= i} x[j]**2", [WARP, BLOCK, 1]),
    "a running maximum from behind": ("input x[N]\nf[i: N] = max{j | j >= i} x[j]", [WARP, BLOCK, 1]),
    "running products of rows": ("input x[3, N]\nf[r, i: N] = prod{j | j < i} (1 + x[r, j]/N)", [WARP, BLOCK, 1]),
    "a running sum that begins late": ("input x[N + 2]\nf[i: N] = sum{j | j <= i + 2} x[j]", [WARP, BLOCK, 1, 1]),
    "a running sum with a condition": ("input x[N]\nf[i: N] = sum{j | 2 <= j and j <= i} x[j]", [WARP, BLOCK, 1]),
    "softmax of rows": ("input x[50, N]\nm[i] = max{j} x[i,j]\nz[i] = sum{j} exp(x[i,j] - m[i])\noutput f\nf[i,j] = exp(x[i,j] - m[i])/z[i]", [WARP, BLOCK, WARP, BLOCK, 1]),
    "normal rows": ("input x[50, N], w[N]\nu[i] = (sum{j} x[i,j])/N\nv[i] = (sum{j} (x[i,j] - u[i])**2)/N\noutput f\nf[i,j] = w[j]*(x[i,j] - u[i])/sqrt(1 + v[i])", [WARP, BLOCK, WARP, BLOCK, 1]),
    "rows between which nothing is shared": ("input x[50, N]\nm[i] = max{j} x[i,j]\noutput f\nf[i: 49,j] = x[i,j] - m[i+1]", [WARP, BLOCK, 1]),
    "rows and what comes before them": ("input x[50, N], y[N]\noutput f, g\nf[i,j] = exp(x[i,j] - y[j])\ng[i] = sum{j} f[i,j]*y[N - 1 - j]", [1, WARP, BLOCK]),
    "two types": ("input x[N]\ns: float32 = sum{i} x[i]\nf = s + sum{i} x[i]", [BLOCK, BLOCK, BLOCK, BLOCK]),
}  # fmt: skip


SMALL_GPU = Machine(resident_threads=2**11)


@cache
def library(size):
    """All programs with their adjoints, scheduled for a size, as one library. A small GPU is soon busy."""
    texts = []
    machine = SMALL_GPU if size == LARGE else HOPPER
    for n, (text, _) in enumerate(PROGRAMS.values()):
        program = renamed(normal(f"size N\n{text}"), n)
        parts = modules_of({"primal": program, "adjoint": adjoint(program)})
        sizes = [dict.fromkeys(m.program.sizes, size) for m in parts]
        gpu = [GpuModule.of(m, s, machine=machine) for m, s in zip(parts, sizes, strict=True)]
        emitted = cuda_text(gpu, text, "float64")
        texts.append((emitted.text, emitted.manifest))
    return HostBatch(texts)


def renamed(program, number):
    return replace(program, name=f"p{number}")


def adjoint(program):
    return adjoint_program(program, tuple(t.name for t in program.inputs))


PLAIN = {MEDIUM: 5, LARGE: 0}  # programs of a plain run
# Sums, which take numpy or a host that counts as threads do seconds.
LONG = {
    (name, size)
    for name in ("running products of rows", "softmax of rows", "normal rows")
    for size in (MEDIUM, LARGE)
} - {("softmax of rows", LARGE)}


@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "size"),
    [
        pytest.param(
            name, size, marks=[pytest.mark.slow] if (name, size) in LONG or n >= PLAIN[size] else []
        )
        for size in (MEDIUM, LARGE)
        for n, name in enumerate(PROGRAMS)
    ],
)
def test_values_and_gradients_are_numpys(name, size):
    number = list(PROGRAMS).index(name)
    program = renamed(normal(f"size N\n{PROGRAMS[name][0]}"), number)
    for n, (mode, p) in product(EDGES, {"primal": program, "adjoint": adjoint(program)}.items()):
        random = np.random.default_rng(n)
        arrays = {t.name: random.uniform(0.5, 1.5, tuple(e.at({"N": n}) for e in t.shape)) for t in p.inputs}  # fmt: skip
        order = "backward" if n % 2 else "forward"
        found = library(size).run(number, mode, arrays, {"N": n}, order)
        expected = Runners(p).run("numpy", "float64", arrays, {"N": n})
        for (output, value), other in zip(expected.items(), found.values(), strict=True):
            rtol = 1e-5 if "float32" in PROGRAMS[name][0] else 1e-10
            np.testing.assert_allclose(
                other, value, rtol=rtol, atol=1e-12, err_msg=f"{output}, {n}"
            )


@pytest.mark.parametrize("name", PROGRAMS)
def test_teams_follow_from_sizes(name):
    text, teams = PROGRAMS[name]
    (mode,) = modules_of({"primal": normal(f"size N\n{text}")})

    large, small = (GpuModule.of(mode, {"N": n}) for n in (LARGE, 8))

    assert [k.team for k in large.kernels] == teams
    # Three elements of 320 terms, which a block shares as one loop, are few.
    few = {BLOCK} if name == "a long and a short index" else set()
    assert {k.team for k in small.kernels} <= {1, WARP} | few


@pytest.mark.parametrize(
    "name", ["softmax of rows", "normal rows", "rows and what comes before them"]
)
def test_many_rows_are_one_kernel(name):
    text = PROGRAMS[name][0].replace("50", "B")
    (mode,) = modules_of({"primal": normal(f"size B, N\n{text}")})

    (one,) = GpuModule.of(mode, {"B": 5000, "N": 2000}).kernels
    few = GpuModule.of(mode, {"B": 5, "N": 2000}).kernels

    assert one.team > 1 and len(few) > 1


@pytest.mark.parametrize("machine", [HOPPER, AMPERE, ADA, SMALL_GPU])
def test_a_sum_has_the_parts_that_keep_a_machine_busy(machine):
    (mode,) = modules_of({"primal": normal("size N\ninput x[N]\nf = sum{i} x[i]**2")})

    gpu = GpuModule.of(mode, {"N": LARGE}, machine=machine)

    (parts,) = gpu.module.temporaries
    count = parts.shape[0].constant
    assert machine.resident_threads / 2 <= count * gpu.kernels[0].team
    assert count * WARP <= machine.resident_threads


def test_a_sum_stays_whole_where_that_takes_less_time():
    text = "size J\ninput x[7, J, 31], y[J]\nf[j: J] = sum{l: 31, k: 7} x[k, j, 30 - l]*log(y[j]**2 + 1 + l)"
    (mode,) = modules_of({"primal": normal(text)})

    gpu = GpuModule.of(mode, {"J": 18851})

    assert not any("parts" in t.name for t in gpu.module.temporaries)


@pytest.mark.parametrize("machine", [HOPPER, replace(HOPPER, block=128, shared_bytes=8192)])
def test_a_tile_has_the_threads_and_the_memory_of_a_block(machine):
    text = "size N\ninput a[N,N], b[N,N]\nc[i,j] = sum{k} a[i,k]*b[k,j]"
    (mode,) = modules_of({"primal": normal(text)})

    gpu = GpuModule.of(mode, {"N": 1000}, machine=machine)

    (kernel,) = gpu.kernels
    buffers = buffers_of(kernel.kernel.body)
    (entry,) = cuda_text([gpu], "", "float64").manifest["modes"]["primal"]["kernels"]
    assert [kernel.team] == entry["block"] == [machine.block]
    assert machine.shared_bytes / 4 <= sum(8 * prod(b.shape) for b in buffers) <= machine.shared_bytes  # fmt: skip


# How everything that may be is cut into parts and shared by teams, or done in tiles, whether it pays or not.
EAGER = {
    "teams": {"gpu.row_kernels.LEAST": 1/32, "gpu.row_kernels.ENOUGH": 2**40, "gpu.prefix_scan.LONG": 1, "gpu.prefix_scan.LENGTH": 3, "gpu.prefix_scan.ENOUGH": 2**40, "gpu.kernels.SHORT": 1/32, "gpu.split.WORTH": 1, "gpu.split.LEAST": 1, "gpu.split.BETTER": 2},
    "tiles": {"gpu.kernels.SHORT": 2**40, "gpu.split.WORTH": 2**40, "gpu.tile_choice.WORTH": 1e-9, "gpu.staging.LEAST": 2**40, "gpu.borders.FEW": 0},
    "blocks": {"gpu.kernels.SHORT": 2**40, "gpu.split.WORTH": 2**40, "gpu.tile_choice.WORTH": 1e-9, "gpu.staging.LEAST": 1, "gpu.staging.WORTH": 0, "gpu.staging.PARTS": (3,), "gpu.borders.FEW": 0},
}  # fmt: skip


@cache
def random_library(eager, level, first):
    """Random programs with their adjoints as one library, and the number of each seed in it."""
    functions = {n: f for n in range(first, first + 10) if (f := compiled(level, n)) is not None}
    texts = []
    box_interior.cache_clear()
    with pytest.MonkeyPatch.context() as patched:
        for name, value in EAGER[eager].items():
            patched.setattr(f"tadc.schedule.{name}", value)
        for f in functions.values():
            parts = modules_of({m: g.program for m, g in modes(f).items()})
            large = eager == "blocks"  # which are for calls with sizes alone
            sizes = [values_of_sizes(m.program, (), None) if large else None for m in parts]
            machine = SMALL_GPU if eager == "teams" else HOPPER
            gpu = [
                GpuModule.of(m, s, "float64", machine=machine)
                for m, s in zip(parts, sizes, strict=True)
            ]
            emitted = cuda_text(gpu, "", "float64")
            texts.append((emitted.text, emitted.manifest))
    box_interior.cache_clear()
    return HostBatch(texts), list(functions)


@pytest.mark.plain(eager=1)
@pytest.mark.compiler
@pytest.mark.parametrize("eager", EAGER)
@pytest.mark.parametrize(
    ("level", "first"),
    [
        *(pytest.param("core", n, marks=[] if n < 10 else pytest.mark.slow) for n in range(0, 60, 10)),
        *(pytest.param("full", n, marks=pytest.mark.slow) for n in range(0, 30, 10)),
    ],
)  # fmt: skip
def test_schedules_of_random_programs_agree_with_brute_force(level, first, eager):
    batch, seeds = random_library(eager, level, first)
    assert len(seeds) > 5
    for number, seed in enumerate(seeds):
        for lattice in (False, True):
            sample = Sample(level, seed, lattice)
            for mode, expected in (("primal", sample.values), ("adjoint", sample.gradients)):
                found = batch.run(number, mode, sample.given(mode), sample.sizes)
                agree(found, expected)


def test_the_plan_says_who_computes_what():
    f = tadc.compile("size N\ninput x[N]\nf = sum{i} x[i]**2", backend="cuda")

    first, second = f.plan(N=LARGE).kernels
    (alone,) = f.plan(N=8).kernels

    assert (
        first.schedule
        == "a block computes each element; its threads share i_3; loops over i_2_block, i_2"
    )
    assert second.schedule == "a block computes each element; its threads share i_1"
    assert alone.schedule == "a thread computes each element; loops over i"
    assert list(f.plan(N=LARGE).stored) == ["f_parts"]


def test_the_plan_tells_of_tiles_and_borders():
    f = tadc.compile("size C, O, N\ninput x[C,N], w[O,C,3]\ny[o,i: N - 2] = sum{c,p} x[c,i+p]*w[o,c,p]", backend="cuda")  # fmt: skip

    _, dx, _, dw = f.plan(mode="vjp", C=64, O=64, N=20000).kernels
    (few,) = f.plan(C=2, O=2, N=20000).kernels

    assert dx.schedule == "a block computes 32x112 elements, neighbours in c, i; it stages o, a part ahead; loops over p; no tests inside, away from the borders"  # fmt: skip
    assert dw.schedule == "a column computes each element; its threads share i_1"
    assert few.schedule == "a thread computes each element; loops over c, p"


def test_the_guide_shows_the_text_of_today():
    guide = (Path(__file__).parents[2] / "docs" / "gpu.md").read_text("utf-8")
    (kernel,) = re.findall(r"```cuda\n(.*?)```", guide, re.DOTALL)

    assert kernel in tadc.compile("size N\ninput x[N]\nf = sum{i} x[i]**2").source("cuda")


def test_a_part_of_a_sum_for_tiles_is_one_run_of_neighbours():
    f = tadc.compile("size L, N\ninput h[L], x[N]\ny[i] = sum{j} h[i+j]*x[j]", backend="cuda", dtype="float32")  # fmt: skip

    first, _ = f.plan(L=16383, N=8192).kernels

    assert "j_3=0..min(127, N - 128*j_1 - 8192*j_2 - 1)" in first.statement
    assert "it stages j_3, a part ahead" in first.schedule


def test_a_sum_of_a_few_launches_has_no_parts_where_another_launch_takes_longer():
    text = "size J, K\ninput x[J], y[2*K + J - 2]\nf[j: J + 2*K - 2] = sum{k: K | 0 <= j - 2*k and j - 2*k < J} x[j - 2*k]"
    f = tadc.compile(text, backend="cuda", dtype="float32")

    assert len(f.plan(J=989, K=749).kernels) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_buffers_have_the_shared_memory_that_numbers_of_their_type_leave(dtype):
    (mode,) = modules_of({"primal": normal("size N\ninput a[N,N], b[N,N]\nc[i,j] = sum{k} a[i,k]*b[k,j]")})  # fmt: skip

    for machine in (HOPPER, ANY_OF_OPENCL):
        (kernel,) = GpuModule.of(mode, {"N": 4096}, dtype, machine=machine).kernels
        used = sum(b.halves * b.size for b in buffers_of(kernel.kernel.body))

        assert 0.4 * machine.shared_bytes < used * int(dtype[5:]) // 8 <= machine.shared_bytes
