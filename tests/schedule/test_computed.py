"""Values that a block computes once: the bits of a thread a point, whatever the extents, on the host and on OpenCL."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from host_run import HostBatch
from programs import normal

from tadc.compiler import adjoint_program, gpu_decisions
from tadc.emit.cuda.file import cuda_text
from tadc.options import Options
from tadc.runtime.run import Runners
from tadc.schedule.gpu.kernels import plain_kernel
from tadc.schedule.gpu.machine import HOPPER
from tadc.schedule.lowered import GpuModule, modules_of
from tadc.schedule.nest.loop_nest import buffers_of
from tadc.schedule.nest.lower import kernel_of_points

SIZE = "size I, J, D, E\n"
# name: text, sizes for which the schedule is chosen, how many values of a pair blocks compute
PROGRAMS = {
    "Gaussians": (SIZE + "input x[I,E], y[J,E], z[J,D]\nf[i,d] = sum{j} exp(-sum{e} (x[i,e] - y[j,e])**2)*(1 - z[j,d])", {"I": 20000, "J": 20000, "D": 24, "E": 20}, 1),
    "one coordinate less than values": (SIZE + "input x[I,E], y[J,E], z[J,D]\nf[i,d] = sum{j} exp(-sum{e} (x[i,e] - y[j,e])**2)*z[j,d]", {"I": 20000, "J": 20000, "D": 20, "E": 100}, 1),
    "many coordinates": (SIZE + "input x[I,E], y[J,E], z[J,D]\nf[d,i] = sum{j} exp(-sum{e} abs(x[i,e] - y[j,e]))*z[j,d]", {"I": 20000, "J": 20000, "D": 100, "E": 1000}, 1),
    "two values": (SIZE + "input x[I,E], y[J,E], z[J,D]\nf[i,d] = sum{j} ((sum{e} x[i,e]*y[j,e])*z[j,d] + (sum{e} abs(x[i,e] - y[j,e]))*z[j,d]**3)", {"I": 20000, "J": 20000, "D": 24, "E": 20}, 2),
    "many of them": ("size H, I, J, D, E\ninput x[H,I,E], y[H,J,E], z[H,J,D], s[H,I]\nf[h,i,d] = sum{j} exp(s[h,i] - sum{e} x[h,i,e]*y[h,j,e])*z[h,j,d]", {"H": 100, "I": 4000, "J": 4000, "D": 24, "E": 20}, 1),
}  # fmt: skip
CALLS = (
    {"I": 1, "J": 33},
    {"I": 65, "J": 130, "D": 70, "E": 130},
    {"I": 130, "J": 31, "D": 3, "E": 65},
    {"I": 33, "J": 1, "D": 1, "E": 1},
)


@cache
def module(name, mode):
    """The schedule of the value, or of the gradients, where sums have no parts."""
    text, sizes, _ = PROGRAMS[name]
    program = normal(text)
    if mode == "adjoint":
        program = adjoint_program(program, tuple(t.name for t in program.inputs))
    (alone,) = recomputing({mode: program}, sizes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
        return GpuModule.of(alone, alone.program.size_values(sizes), "float64")


def by_points(gpu):
    """The same with a thread a point in kernels whose blocks compute values once."""
    program = gpu.module.program
    kernels = [plain_kernel(kernel_of_points(k.kernel.statements, k.kernel.name, program), program) if k.computed else k for k in gpu.kernels]  # fmt: skip
    return replace(gpu, kernels=tuple(kernels))


def recomputing(programs, sizes):
    """The modules of programs that store nothing in between."""
    options = Options.of(backend="cuda", memory="recompute")
    return modules_of(programs, {name: gpu_decisions(p, sizes, "float64", options) for name, p in programs.items()})  # fmt: skip


@cache
def library(name, mode):
    each = module(name, mode), by_points(module(name, mode))
    texts = [cuda_text([named(g, kind)], "", "float64") for g, kind in zip(each, ("made", "points"), strict=True)]  # fmt: skip
    return HostBatch([(e.text, e.manifest) for e in texts])


def named(gpu, name):
    """With names that no other text of the library has."""
    module = replace(gpu.module, program=replace(gpu.module.program, name=name))
    own = (replace(k, kernel=replace(k.kernel, name=f"{name}_{k.kernel.name}")) for k in gpu.kernels)  # fmt: skip
    return replace(gpu, module=module, kernels=tuple(own))


def calls(name):
    """Some sizes at the edges of tiles; those up to 64 are numbers in the text."""
    of_schedule = PROGRAMS[name][1]
    for chosen in CALLS:
        yield {s: chosen.get(s, 2) if n > 64 else n for s, n in of_schedule.items()}


def arrays_of(program, sizes, seed):
    random = np.random.default_rng(seed)
    return {t.name: random.normal(size=[e.at(sizes) for e in t.shape]) / 3 for t in program.inputs}


@pytest.mark.parametrize("name", PROGRAMS)
def test_blocks_compute_values_once_where_many_elements_have_the_same(name):
    text, sizes, values = PROGRAMS[name]
    (kernel,) = module(name, "primal").kernels

    (one,) = kernel.computed
    assert len(one.buffers) == values
    assert sum(b.size for b in buffers_of(kernel.kernel.body)) * 8 <= HOPPER.shared_bytes
    sizes = sizes | {"J": 20}  # a part of a loop has as many values
    (few,) = recomputing({"primal": normal(text)}, sizes)
    assert not any(k.computed for k in GpuModule.of(few, few.program.size_values(sizes)).kernels)


@pytest.mark.plain(mode=2, name=2)
@pytest.mark.compiler
@pytest.mark.parametrize("mode", ["primal", "adjoint"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_of_blocks_have_the_bits_of_a_thread_a_point(name, mode):
    program = module(name, mode).module.program
    for n, sizes in enumerate(calls(name)):
        arrays = arrays_of(program, sizes, n)
        order = "backward" if n % 2 else "forward"
        made, points = (library(name, mode).run(k, mode, arrays, sizes, order) for k in (0, 1))
        expected = Runners(program).run("numpy", "float64", arrays, sizes)
        for output in points:
            np.testing.assert_array_equal(made[output], points[output], f"{output}, {sizes}")
            np.testing.assert_allclose(made[output], expected[output], rtol=1e-9, atol=1e-10)


@pytest.mark.plain(terms=5)
@pytest.mark.compiler
@pytest.mark.parametrize("terms", [1, 31, 33, 63, 64, 65, 97, 511, 513, 1100])
def test_parts_of_two_blocks_of_terms_are_added_up_as_the_blocks_are(terms, monkeypatch):
    monkeypatch.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
    text, sizes, _ = PROGRAMS["Gaussians"]
    sizes = sizes | {"D": 64, "E": 40}
    (alone,) = recomputing({"primal": normal(text)}, sizes)
    gpu = GpuModule.of(alone, alone.program.size_values(sizes), "float32")
    (kernel,) = gpu.kernels
    assert [b.counts[0] for b in kernel.computed[0].buffers] == [64]
    texts = [cuda_text([named(g, kind)], "", "float32") for g, kind in ((gpu, "made"), (by_points(gpu), "points"))]  # fmt: skip
    batch = HostBatch([(e.text, e.manifest) for e in texts])
    call = {"I": 67, "J": terms, "D": 64, "E": 40}
    arrays = arrays_of(alone.program, call, terms)
    arrays = {name: x.astype(np.float32) for name, x in arrays.items()}

    made, points = (batch.run(k, "primal", arrays, call)["f"] for k in (0, 1))

    expected = Runners(alone.program).run("numpy", "float64", arrays, call)["f"]
    np.testing.assert_array_equal(made, points)
    np.testing.assert_allclose(made, expected, rtol=2e-5, atol=1e-6)


def test_gradients_of_sums_over_pairs_are_kernels_of_their_own():
    text = "size N, M, D\ninput x[N,D], c[M,D], w[M]\nf[i] = sum{j} w[j]*exp(-sum{d} (x[i,d] - c[j,d])**2)"
    adjoint = adjoint_program(normal(text), ("x", "c", "w"))

    def scheduled(dimensions):
        sizes = {"N": 20000, "M": 20000, "D": dimensions}
        (mode,) = recomputing({"adjoint": adjoint}, sizes)
        return GpuModule.of(mode, mode.program.size_values(sizes)).kernels

    assert {k.kernel.writes for k in scheduled(64) if k.computed} == {("dx",), ("dc",)}
    assert not any(k.computed for k in scheduled(3))


@pytest.mark.opencl
@pytest.mark.plain(name=2)
@pytest.mark.parametrize("name", PROGRAMS)
def test_values_of_blocks_are_numpys_on_a_device_of_opencl(name):
    run_on_opencl = pytest.importorskip("opencl_run").run_on_opencl
    gpu = module(name, "primal")
    sizes = {s: min(n, 64) for s, n in PROGRAMS[name][1].items()} | {"J": 100}
    arrays = arrays_of(gpu.module.program, sizes, 0)

    found = run_on_opencl(gpu, arrays, sizes)

    expected = Runners(normal(PROGRAMS[name][0])).run("numpy", "float64", arrays, sizes)
    np.testing.assert_allclose(found["f"], expected["f"], rtol=1e-10)


def test_the_model_counts_the_points_that_a_thread_has_of_the_blocks_own_tile():
    text, sizes, _ = PROGRAMS["Gaussians"]
    sizes = sizes | {"D": 24, "E": 100}
    (primal,) = recomputing({"primal": normal(text)}, sizes)
    gpu = GpuModule.of(primal, primal.program.size_values(sizes), "float32")
    (kernel,), (model,) = gpu.kernels, gpu.models(primal.program.size_values(sizes), "float32")
    (computed,) = kernel.computed
    terms, rows = (t.count for t in computed.tile.indices)

    # Of each point a difference and an addition of its square; two reads of several values each, and a share of the loop.
    assert rows * terms != kernel.points_of_thread
    assert 2 * rows * terms < model.inner_loops["e"][0] < 2 * rows * terms + 5


def test_sums_beside_those_whose_values_blocks_compute_share_a_kernel():
    text = "size N, M\ninput x[N,64], c[M,64], w[M], v[M]\nf[i] = sum{j} (w[j] + v[j]*sum{d} (x[i,d] - c[j,d])**2)*exp(-sum{d} (x[i,d] - c[j,d])**2)"
    sizes = {"N": 20000, "M": 20000}
    (mode,) = recomputing({"adjoint": adjoint_program(normal(text), ("c", "w", "v"))}, sizes)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tadc.schedule.gpu.split.WORTH", 2**60)
        gpu = GpuModule.of(mode, mode.program.size_values(sizes))

    assert {k.kernel.writes for k in gpu.kernels} == {("dc",), ("dw", "dv")}
