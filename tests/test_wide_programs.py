"""Random programs at the sizes of real schedules, against `grids.py`: natively, rewritten, with other choices, on a GPU's schedules.

`test_random_programs.py` has all of the language with a handful of elements. Here are the forms that schedules look for, with
extents on both sides of the numbers at which these change. A plain run takes a few seeds, `-m slow` the others.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pytest
from grids import TooManyPoints, Unbounded, evaluated
from host_run import HostProgram
from random_programs import random_program
from random_programs.wide import resized, wide_program
from test_random_programs import agree

import tadc
from tadc import compiler
from tadc.emit.cuda.file import cuda_text
from tadc.options import Options
from tadc.runtime.binding import bind_sizes
from tadc.runtime.cpu import native
from tadc.runtime.cpu.native import NativeRunner
from tadc.runtime.run import Runners
from tadc.schedule.choices import BY_MODEL, Choices
from tadc.schedule.cpu import machine
from tadc.schedule.gpu.machine import HOPPER

BUDGET = 30_000  # points of a statement


@dataclass(frozen=True, slots=True)
class Shuffled(Choices):
    """Decisions by chance, the same ones for a seed."""

    seed: int = 0

    def _rank(self, decision: str) -> int:
        return random.Random(f"{self.seed} {decision}").choice((0, 0, 1, 1, 2, 3))


@lru_cache(maxsize=2)
def compiled(seed, budget=BUDGET):
    """The program of a seed, as a function with numbers for those of its sizes that it needs to have a text."""
    program = wide_program(seed, budget)
    known = {f"{x}_{d}": n for x, s in program.inputs.items() for d, n in enumerate(s)}
    known |= program.sizes
    numbers: dict[str, int] = {}
    while True:
        try:
            f = tadc.compile(program.text, name=f"wide_{seed}", sizes=numbers)
            assert f.program
        except (tadc.SyntaxError, tadc.ShapeError) as error:
            assert not numbers.keys() >= set(error.sizes)
            numbers |= {s: known[s] for s in error.sizes}
        else:
            return program, f, numbers


class Sample:
    """Inputs and cotangents for a program, and what the witness says of them."""

    def __init__(self, program, f, seed, lattice=False):
        self.arrays = program.sample(seed, lattice)
        shapes = {n: np.shape(a) for n, a in self.arrays.items()}
        given = {s: n for s, n in program.sizes.items() if s in f.program.sizes}
        self.sizes = bind_sizes(f.program, shapes, given)
        values = f.program.size_values(self.sizes)
        generator = np.random.default_rng(seed)
        self.cotangents = {
            y: generator.uniform(-1, 1, f.program.tensors[y].shape_at(values))
            for y in f.program.outputs
        }
        self.names = [n for n in f.inputs if program.kinds[n] != "index"]
        try:
            self.values, gradients = evaluated(f.program, self.arrays, self.sizes, self.cotangents)
        except (TooManyPoints, Unbounded) as error:
            pytest.skip(f"the witness cannot tell: {type(error).__name__}")
        self.gradients = {n: gradients[n] for n in self.names}
        self.given = {s: n for s, n in program.sizes.items() if s in f.program.sizes}

    def of_both(self, f):
        """The value and all gradients as one program, its inputs, and its outputs."""
        both = compiler.vjp_program(f.program, tuple(self.names))
        added = [t.name for t in both.inputs][len(f.inputs) :]
        inputs = self.arrays | dict(zip(added, self.cotangents.values(), strict=True))
        expected = [*self.values.values(), *self.gradients.values()]
        return both, inputs, dict(zip(both.outputs, expected, strict=True))


@pytest.mark.parametrize("level", ["core", "full"])
@pytest.mark.parametrize("seed", range(12))
def test_the_witness_agrees_with_a_tape_of_scalars(level, seed):
    program = random_program(seed, level)
    numbers: dict[str, int] = {}
    while True:
        try:
            f = tadc.compile(program.text, sizes=numbers)
            assert f.program
            break
        except (tadc.SyntaxError, tadc.ShapeError) as error:
            numbers |= {s: program.numbers[s] for s in error.sizes}
    for lattice in (False, True):
        arrays, cotangents = program.sample(seed, lattice), program.cotangents(seed, lattice)
        shapes = {n: np.shape(a) for n, a in arrays.items()}
        sizes = {s: n for s, n in program.sizes.items() if s in f.program.sizes}
        bound = bind_sizes(f.program, shapes, sizes)
        try:
            values, gradients = evaluated(f.program, arrays, bound, cotangents)
        except (Unbounded, KeyError):
            return  # a range, or a derivative, that it does not have

        agree(values, program.evaluate(arrays))
        agree(gradients, program.gradients(arrays, cotangents))


@pytest.mark.plain(seed=6)
@pytest.mark.parametrize("seed", range(160))
@pytest.mark.compiler
def test_values_and_gradients_are_those_of_the_witness(seed):
    program, f, numbers = compiled(seed)
    sample = Sample(program, f, seed, lattice=seed % 8 == 7)
    memory = ("auto", "materialize", "auto", "recompute")[seed % 4]
    dy = tuple(sample.cotangents.values())
    arrays = {n: sample.arrays[n] for n in f.inputs}

    for backend in ("native", "numpy"):
        g = tadc.compile(program.text, backend=backend, memory=memory, sizes=numbers)
        given = {s: n for s, n in sample.given.items() if s not in numbers}
        values, gradients = g.value_and_gradients(
            **arrays, cotangent=dy if len(dy) > 1 else dy[0], **given
        )

        values = values if isinstance(values, tuple) else (values,)
        agree(dict(enumerate(values)), sample.values)
        agree({n: gradients[n] for n in sample.names}, sample.gradients)


@pytest.mark.plain(seed=2)
@pytest.mark.parametrize("seed", range(1000, 1080))
@pytest.mark.compiler
def test_any_choice_of_a_schedule_computes_the_same_and_any_processor_the_same_bits(
    seed, monkeypatch
):
    program, f, _ = compiled(seed)
    if "index" in program.kinds.values():
        pytest.skip("choices are those of programs without data")
    sample = Sample(program, f, seed)
    both, inputs, expected = sample.of_both(f)
    inputs = {t.name: np.asarray(inputs[t.name], np.float64) for t in both.inputs}

    def run(choices=BY_MODEL, threads=1):
        options = Options.of(backend="native", blas=False, threads=threads)
        return NativeRunner(both, "float64", options, choices).run(inputs, sample.sizes)

    found = run()
    agree(found, expected)
    agree(run(Shuffled((), seed)), expected)
    for processor in (machine.SSE, machine.AVX2):
        monkeypatch.setattr(native, "processor", lambda processor=processor: processor)
        for name, value in run(threads=3).items():
            np.testing.assert_array_equal(value, found[name])


@pytest.mark.plain(seed=4)
@pytest.mark.parametrize("seed", range(2000, 2160))
def test_programs_as_they_are_rewritten_are_those_that_were_written(seed):
    program, f, _ = compiled(seed)
    if "index" in program.kinds.values():
        pytest.skip("lists are made when a program is called")
    sample = Sample(program, f, seed)
    both, inputs, expected = sample.of_both(f)
    memory = ("auto", "recompute")[seed % 2]
    options = Options.of(backend="native", memory=memory)
    decided = compiler.gpu_decisions(both, sample.sizes, "float32", options)
    gpu = compiler.lowered_for_gpu(
        both, "run", decided, sample.sizes, "float32", HOPPER, blas=False, tiles={}
    )
    lowered = [
        NativeRunner(both, "float64", options, choices).lowered(sample.sizes)
        for choices in (BY_MODEL, Shuffled((), seed))
    ]

    for module in (*(made.module for made in lowered), gpu.module):
        sizes = {s: sample.sizes[s] for s in module.program.sizes}
        given = {t.name: inputs[t.name] for t in module.program.inputs}
        try:
            found, _ = evaluated(module.program, given, sizes)
        except (TooManyPoints, Unbounded):
            continue
        agree(found, expected)


@pytest.mark.plain(seed=3)
@pytest.mark.parametrize("seed", range(3000, 3060))
@pytest.mark.compiler
def test_one_function_has_the_values_of_every_call_in_turn(seed):
    program, f, numbers = compiled(seed)
    if numbers or not program.sizes:
        pytest.skip("there is nothing to change")
    f = tadc.compile(program.text, backend="native")
    for n, sized in enumerate([program, *resized(program, random.Random(seed)), program]):
        try:
            sample = Sample(sized, f, seed + n)
        except tadc.ShapeError:
            continue  # these numbers do not go together
        if any(np.size(a) == 0 for a in sample.arrays.values()):
            continue
        dy = tuple(sample.cotangents.values())
        try:
            values, gradients = f.value_and_gradients(
                **{n: sample.arrays[n] for n in f.inputs},
                cotangent=dy if len(dy) > 1 else dy[0],
                **sample.given,
            )
        except tadc.RangeError:
            continue

        values = values if isinstance(values, tuple) else (values,)
        agree(dict(enumerate(values)), sample.values)
        agree({n: gradients[n] for n in sample.names}, sample.gradients)


@pytest.mark.plain(seed=2)
@pytest.mark.parametrize("seed", range(4000, 4060))
@pytest.mark.compiler
def test_schedules_of_a_gpu_compute_what_is_written(seed):
    program, f, _ = compiled(seed, 4_000)
    if "index" in program.kinds.values():
        pytest.skip("lists are made when a program is called")
    if seed % 2:  # with numbers for all
        known = {f"{x}_{d}": n for x, s in program.inputs.items() for d, n in enumerate(s)}
        f = f.fix(**{s: (known | program.sizes)[s] for s in f.program.sizes})
    sample = Sample(program, f, seed)
    both, inputs, expected = sample.of_both(f)
    both = replace(both, name=f"wide_{seed}")
    gpu = replace(HOPPER, resident_threads=(2**6, 2**9, 2**12, 2**18)[seed % 4])
    options = Options.of(backend="cuda", blas=False)
    decided = compiler.gpu_decisions(both, sample.sizes, "float64", options, gpu)
    lowered = compiler.lowered_for_gpu(
        both, "run", decided, sample.sizes, "float64", gpu, blas=False, tiles={}
    )
    emitted = cuda_text([lowered], "", "float64")

    for order in ("forward", "backward"):
        found = HostProgram(emitted.text, emitted.manifest).run("run", inputs, sample.sizes, order)

        agree({y: found[y] for y in expected}, expected)


@pytest.mark.plain(seed=2)
@pytest.mark.parametrize("seed", range(5000, 5040))
def test_second_derivatives_are_those_of_the_scattered_gradient(seed):
    program, f, _ = compiled(seed)
    if "index" in program.kinds.values():
        pytest.skip("lists are made when a program is called")
    sample = Sample(program, f, seed)
    adjoint = compiler.adjoint_program(f.program, sample.names)
    names = [t.name for t in adjoint.inputs]
    given = sample.arrays | dict(
        zip(names[len(f.inputs) :], sample.cotangents.values(), strict=True)
    )
    generator = np.random.default_rng(seed)
    weights = {y: generator.uniform(-1, 1, np.shape(given[x])) for y, x in zip(adjoint.outputs, sample.names, strict=True)}  # fmt: skip
    second = compiler.adjoint_program(adjoint, names)
    added = [t.name for t in second.inputs][len(names) :]
    arrays = {n: np.asarray(a, np.float64) for n, a in given.items()}
    arrays |= dict(zip(added, weights.values(), strict=True))
    try:
        _, expected = evaluated(adjoint, given, sample.sizes, weights)
    except (TooManyPoints, Unbounded) as error:
        pytest.skip(f"the witness cannot tell: {type(error).__name__}")

    try:
        found = Runners(second).run("numpy", "float64", arrays, sample.sizes)
    except MemoryError:
        pytest.skip(
            "numpy computes one element of a result at a time, whose points are too many here"
        )

    agree(found, expected)
