"""The baseline with atomic additions computes the same gradients, and is written as a good programmer would."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from host_run import HostBatch
from oracle import EXAMPLES, SIZES, by_name, example_name, random_arrays, relative, sizes_of
from random_programs import random_program

import tadc
from tadc.compiler import atomic_module
from tadc.emit.cuda.file import cuda_text
from tadc.schedule.lowered import GpuModule
from tadc.schedule.nest.loop_nest import Accumulate, Loop, Store, steps_of

SEEDS = range(40)


def atomic(f, points):
    made = cuda_text(
        [GpuModule.plain(atomic_module(f.program, f.inputs, points=points))], "", "float64"
    )
    return made.text, made.manifest


@cache
def batch():
    functions = [
        tadc.load(p, name=f"{example_name(p)}_{points}") for p in EXAMPLES for points in (0, 1)
    ]
    return HostBatch([atomic(f, bool(n % 2)) for n, f in enumerate(functions)])


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.name)
@pytest.mark.parametrize("points", [0, 1], ids=["an element a thread", "a point a thread"])
def test_gradients_of_examples_are_those_of_the_interpreter(path, points):
    g = tadc.load(path, backend="interpreter").adjoint()
    arrays = random_arrays(g, SIZES[path.stem])
    expected = by_name(g, g(**arrays))

    found = batch().run(
        2 * EXAMPLES.index(path) + points, "adjoint_atomic", arrays, sizes_of(g, SIZES[path.stem])
    )

    for name, value in expected.items():
        assert relative(found[name], value) <= 1e-12, name


@cache
def random_batch():
    """Random programs with their arrays; those that are refused are left out."""
    found = []
    for seed in SEEDS:
        program = random_program(seed, level="full")
        try:
            f = tadc.compile(
                program.text, sizes=program.sizes, name=f"r{seed}", backend="interpreter"
            )
            g = f.adjoint()
        except tadc.Error:
            continue
        if not f.open_sizes and not f.program.sizes:
            found.append((f, g))
    return found, HostBatch([atomic(f, points=bool(n % 2)) for n, (f, _) in enumerate(found)])


@pytest.mark.slow
@pytest.mark.compiler
def test_gradients_of_random_programs_are_those_of_the_interpreter():
    functions, programs = random_batch()
    assert len(functions) > len(SEEDS) / 4
    for n, (_, g) in enumerate(functions):
        arrays = random_arrays(g, {})
        expected = by_name(g, g(**arrays))
        found = programs.run(n, "adjoint_atomic", arrays, {})
        for name, value in expected.items():
            if np.isfinite(value).all():
                most = np.max(np.abs(value), initial=1)  # what cancels leaves noise
                np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-12 * most)


def test_what_innermost_loops_add_to_one_element_is_added_up_before():
    f = tadc.compile("y[i] = sum{j} a[i, j]*x[i]")
    *_, kernel = atomic_module(f.program, f.inputs, points=False).kernels

    (loop,) = (s for s in kernel.body if isinstance(s, Loop))
    assert [s.tensor for s in steps_of(loop.body) if isinstance(s, Store)] == ["da"]
    assert any(isinstance(s, Accumulate) for s in steps_of(loop.body))
    assert [s.tensor for s in kernel.body if isinstance(s, Store)] == ["dx"]


def test_only_an_adjoint_has_a_scatter_form():
    f = tadc.compile("y[i] = 2*x[i]")

    assert "atomicAdd" in f.adjoint().source("cuda-atomic")
    with pytest.raises(tadc.DerivativeError, match="only an adjoint"):
        f.source("cuda-atomic")
