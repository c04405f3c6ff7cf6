"""Random programs: every backend's value and gradient against a brute-force scatter that knows nothing of the compiler.

Fifty seeds in a plain run, five hundred with `-m slow`. Each program is run at random points and on a lattice of halves,
where ties, kinks and cotangents of 0 are met. `python tests/random_programs.py core SEED` prints one.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pytest
from host_run import HostBatch
from oracle import bound, cuda
from random_programs import random_program

import tadc

BLOCK = 25  # programs compiled for the host at once
PLAIN, ALL = 50, 500
SEEDS = pytest.mark.parametrize(
    "seed", [*range(PLAIN), *(pytest.param(s, marks=pytest.mark.slow) for s in range(PLAIN, ALL))]
)


@lru_cache(maxsize=BLOCK)
def compiled(seed, backend):
    return tadc.compile(random_program(seed).text, name=f"random_{seed}", backend=backend)


@lru_cache(maxsize=1)
def host(block):
    """The programs of a block of seeds as one library."""
    seeds = range(block * BLOCK, (block + 1) * BLOCK)
    return HostBatch([cuda(compiled(seed, "numpy"), "float64") for seed in seeds])


def samples(seed):
    """Inputs and cotangents by name of the tensor."""
    program = random_program(seed)
    for lattice in (False, True):
        yield program.sample(seed, lattice), program.cotangents(seed, lattice)


def agree(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        scale = max(1.0, float(np.max(np.abs(value), initial=0.0)))
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-11 * scale, err_msg=name)


@SEEDS
@pytest.mark.parametrize("backend", ["interpreter", "numpy"])
def test_a_backend_agrees_with_brute_force(seed, backend):
    program, f = random_program(seed), compiled(seed, backend)
    for arrays, cotangents in samples(seed):
        values, pullback = f.vjp(**arrays, **sizes(f, program))
        gradients = pullback(*(cotangents[o] for o in f.outputs))

        values = values if len(f.outputs) > 1 else (values,)
        agree(dict(zip(f.outputs, values, strict=True)), program.evaluate(arrays))
        agree(gradients, program.gradients(arrays, cotangents))


@SEEDS
@pytest.mark.compiler
def test_the_kernels_agree_with_brute_force(seed):
    program, f = random_program(seed), compiled(seed, "numpy")
    adjoint = f.adjoint()
    batch, number = host(seed // BLOCK), seed % BLOCK
    for arrays, cotangents in samples(seed):
        given = dict(zip(adjoint.inputs[len(f.inputs) :], cotangents.values(), strict=True))
        values = batch.run(number, "primal", arrays, bound(f, arrays, program.sizes))
        gradients = batch.run(
            number, "adjoint", {**arrays, **given}, bound(f, arrays, program.sizes)
        )

        agree(values, program.evaluate(arrays))
        agree(
            dict(zip(f.inputs, (gradients[o] for o in adjoint.outputs), strict=True)),
            program.gradients(arrays, cotangents),
        )


def sizes(f, program):
    return {s: n for s, n in program.sizes.items() if s in f.program.sizes}
