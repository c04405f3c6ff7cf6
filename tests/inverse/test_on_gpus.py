"""The invariants of the four products, by kernels of a GPU: CUDA text on the host, and a device of OpenCL."""

from __future__ import annotations

import numpy as np
import pytest
from emitted import cuda_file
from host_run import HostProgram
from test_explicit import ELIMINATED, PARTIAL

import tadc
from tadc.schedule.lowered import GpuModule, modules_of

PROGRAMS = {
    **{n: ELIMINATED[n] for n in ("two tensors", "reactions", "a dense part", "two orders")},
    **{n: PARTIAL[n] for n in ("a rotation", "red and black")},
}  # fmt: skip


def products(name):
    """The four products as programs by mode, a point, v before and w after the steps, by the names of inputs."""
    f = tadc.compile(PROGRAMS[name])
    states = list(f.states)
    modes = {
        "tangent": f.tangent(states),
        "adjoint": f.adjoint(states),
        "inverse_tangent": f.inverse_tangent().function(),
        "inverse_adjoint": f.inverse_adjoint().function(),
    }
    rng = np.random.default_rng(0)

    def random(names):
        shapes = ([e.constant for e in f.program.tensors[n].shape] for n in names)
        return [rng.uniform(0.1, 0.4, shape) for shape in shapes]

    return modes, random(f.inputs), random(states), random(states)


def inner(a, b):
    return sum(float((x * y).sum()) for x, y in zip(a, b, strict=True))


def check_invariants(modes, point, v, w, run):
    """`run(mode, arrays by name)` gives the outputs of a mode in order."""

    def product(mode, vectors):
        names = modes[mode].inputs
        return run(mode, dict(zip(names, [*point, *vectors], strict=True)))

    after, before = product("tangent", v), product("adjoint", w)
    back, forth = product("inverse_tangent", w), product("inverse_adjoint", v)

    for a, b in zip(product("inverse_tangent", after), v, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    for a, b in zip(product("inverse_adjoint", before), w, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(inner(forth, after), inner(v, v), rtol=1e-9)
    np.testing.assert_allclose(inner(v, back), inner(forth, w), rtol=1e-9)
    np.testing.assert_allclose(inner(before, back), inner(w, w), rtol=1e-9)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.slow
@pytest.mark.compiler
def test_cuda_text_on_the_host_keeps_the_invariants(name):
    modes, point, v, w = products(name)
    file = cuda_file({m: f.program for m, f in modes.items()}, "", "float64")
    program = HostProgram(file.text, file.manifest)

    def run(mode, arrays):
        results = program.run(mode, arrays, {})
        return [results[y] for y in modes[mode].outputs]

    check_invariants(modes, point, v, w, run)


@pytest.mark.parametrize("name", ["two tensors"])
@pytest.mark.slow
def test_kernels_of_opencl_keep_the_invariants(name):
    opencl_run = pytest.importorskip("opencl_run")
    modes, point, v, w = products(name)
    lowered = {m.name: GpuModule.of(m, {}, dtype="float64") for m in modules_of({m: f.program for m, f in modes.items()})}  # fmt: skip

    def run(mode, arrays):
        results = opencl_run.run_on_opencl(lowered[mode], arrays, {})
        return [results[y] for y in modes[mode].outputs]

    check_invariants(modes, point, v, w, run)
