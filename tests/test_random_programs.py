"""Random programs: every backend's value and derivatives against a brute-force scatter that knows nothing of the compiler.

Programs of two levels: the `core` of the language, and the `full` language with boundary forms, divisions, all
reductions, conditions and choices. A plain run takes the first seeds, `-m slow` the others. Each program is run at random
points, and on a lattice of halves, where ties, kinks and cotangents of 0 are met.
`PYTHONPATH=tests python -m random_programs full SEED` prints one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from emitted import cuda_file
from host_run import HostBatch
from oracle import bound
from random_programs import random_program

import tadc
from tadc.runtime.run import Runners

BLOCK = 5  # programs compiled for the host at once
PLAIN = {"core": 5, "full": 0}
ALL = {"core": 260, "full": 90}


def programs(**counts):
    return pytest.mark.parametrize(
        ("level", "seed"),
        [
            pytest.param(
                level,
                seed,
                marks=[
                    pytest.mark.xdist_group(f"{level} {seed // BLOCK}"),  # that share a library
                    *([] if seed < PLAIN[level] else [pytest.mark.slow]),
                ],
            )
            for level, count in counts.items()
            for seed in range(count)
        ],
    )


@lru_cache(maxsize=2 * BLOCK)
def compiled(level, seed):
    """The program as a function; with numbers for those of its sizes and extents that it needs to have a text."""
    program = random_program(seed, level=level)
    numbers: dict[str, int] = {}
    while True:
        try:
            f = tadc.compile(program.text, name=f"{level}_{seed}", sizes=numbers)
            assert f.program
        except (tadc.SyntaxError, tadc.ShapeError) as error:
            assert not numbers.keys() >= set(error.sizes)
            numbers |= {s: program.numbers[s] for s in error.sizes}
        else:
            return f


def modes(f):
    """The function and its derivatives by mode: those of the full language to the second order."""
    found = {"primal": f, "adjoint": f.adjoint()}
    if f.name.startswith("full"):
        found |= {"tangent": f.tangent(), "second": found["adjoint"].adjoint()}
    return found


@lru_cache(maxsize=1)
def host(level, block):
    """The programs of a block of seeds as one library, and the number of each seed in it."""
    functions = {s: compiled(level, s) for s in range(block * BLOCK, (block + 1) * BLOCK)}
    texts = []
    for f in functions.values():
        emitted = cuda_file({m: g.program for m, g in modes(f).items()}, "", "float64")
        texts.append((emitted.text, emitted.manifest))
    return HostBatch(texts), list(functions)


class Sample:
    """A program with inputs for each of its modes, and what brute force says."""

    def __init__(self, level, seed, lattice):
        self.f = compiled(level, seed)
        program = random_program(seed, level=level)
        self.arrays = program.sample(seed, lattice)
        self.cotangents = program.cotangents(seed, lattice)
        self.values = program.evaluate(self.arrays)
        self.gradients = program.gradients(self.arrays, self.cotangents)
        self.sizes = bound(self.f, self.arrays, program.sizes)
        random = np.random.default_rng(seed)
        self.directions = {
            x: random.integers(-2, 3, np.shape(a)) / 2
            if lattice
            else random.normal(size=np.shape(a))
            for x, a in self.arrays.items()
        }
        self.modes = modes(self.f)

    def given(self, mode):
        """The inputs of a mode by name."""
        f, g = self.f, self.modes[mode]
        added = g.inputs[len(f.inputs) :]
        match mode:
            case "primal":
                return self.arrays
            case "adjoint":
                return self.arrays | dict(zip(added, self.cotangents.values(), strict=True))
            case "tangent":
                changes = (self.directions[x] for x in f.inputs)
                return self.arrays | dict(zip(added, changes, strict=True))
            case _:
                values = (*self.cotangents.values(), *(self.directions[x] for x in f.inputs))
                return self.arrays | dict(zip(added, values, strict=True))

    def run(self, mode, backend):
        program = self.modes[mode].program
        arrays = {n: np.asarray(a, np.float64) for n, a in self.given(mode).items()}
        return Runners(program).run(backend, "float64", arrays, self.sizes)


def agree(found, expected):
    """Equal to rounding, outputs by position."""
    for (name, value), other in zip(expected.items(), found.values(), strict=True):
        finite = np.abs(value[np.isfinite(value)])
        scale = max(1.0, float(np.max(finite, initial=0.0)))
        np.testing.assert_allclose(other, value, rtol=1e-9, atol=1e-11 * scale, err_msg=name)


@programs(**ALL)
@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_value_and_gradient_agree_with_brute_force(level, seed, backend):
    for lattice in (False, True):
        sample = Sample(level, seed, lattice)

        agree(sample.run("primal", backend), sample.values)
        agree(sample.run("adjoint", backend), sample.gradients)


@programs(**ALL)
@pytest.mark.compiler
def test_the_kernels_agree_with_brute_force_and_with_the_interpreter(level, seed):
    for lattice in (False, True):
        sample = Sample(level, seed, lattice)
        batch, seeds = host(level, seed // BLOCK)
        found = {
            mode: batch.run(seeds.index(seed), mode, sample.given(mode), sample.sizes)
            for mode in sample.modes
        }

        agree(found["primal"], sample.values)
        agree(found["adjoint"], sample.gradients)
        for mode in sample.modes.keys() - {"primal", "adjoint"}:
            agree(found[mode], sample.run(mode, "interpreter"))


@programs(core=50, full=ALL["full"])
def test_tangents_and_second_derivatives_are_those_of_the_gradient(level, seed):
    """Numpy's are the interpreter's, and `<dy, J dx> = <Jᵀ dy, dx>`, for the program and for its adjoint."""
    sample = Sample(level, seed, lattice=False)
    sample.modes |= {"tangent": sample.f.tangent(), "second": sample.f.adjoint().adjoint()}
    slopes, second = sample.run("tangent", "interpreter"), sample.run("second", "interpreter")
    agree(sample.run("tangent", "numpy"), slopes)
    agree(sample.run("second", "numpy"), second)

    f, adjoint = sample.f, sample.modes["adjoint"]
    equal_products(
        zip(slopes.values(), sample.cotangents.values(), strict=True),
        ((sample.gradients[x], sample.directions[x]) for x in f.inputs),
    )
    tangent = adjoint.tangent()
    random = np.random.default_rng(seed)
    given = sample.given("adjoint")
    changes = [random.normal(size=np.shape(given[n])) for n in adjoint.inputs]
    added = tangent.inputs[len(adjoint.inputs) :]
    arrays = {n: np.asarray(a, np.float64) for n, a in given.items()}
    arrays |= dict(zip(added, changes, strict=True))
    program = tangent.program
    curved = Runners(program).run("interpreter", "float64", arrays, sample.sizes)
    equal_products(
        zip(curved.values(), (sample.directions[x] for x in f.inputs), strict=True),
        zip(second.values(), changes, strict=True),
    )


def equal_products(left, right):
    """The sums of the products of pairs are equal to rounding, relative to the sum of their magnitudes."""
    left, right = ([np.asarray(a * b) for a, b in pairs] for pairs in (left, right))
    if not all(np.isfinite(p).all() for p in (*left, *right)):
        return
    scale = max(sum(np.sum(np.abs(p)) for p in each) for each in (left, right))
    difference = sum(np.sum(p) for p in left) - sum(np.sum(p) for p in right)
    assert abs(difference) <= 1e-9 * scale
