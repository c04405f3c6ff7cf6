"""Second derivatives of random programs: adjoint and tangent commute, and agree with differences of the gradient."""

from __future__ import annotations

import numpy as np
import pytest
from programs import normal, run
from random_programs import random_program

from tadc.compiler import adjoint_program, tangent_program

SEEDS = [s for s in range(24) if random_program(s).smooth and random_program(s).inputs]
STEP = 1e-5


def difference(found, expected):
    scale = 1 + max(float(np.max(np.abs(e), initial=0)) for e in expected)
    pairs = zip(found, expected, strict=True)
    return max(float(np.max(np.abs(a - b), initial=0)) for a, b in pairs) / scale


@pytest.mark.parametrize("seed", SEEDS)
def test_the_tangent_of_the_adjoint_is_the_adjoint_of_the_tangent(seed):
    random = np.random.default_rng(seed)
    made = random_program(seed)
    program = normal(made.text)
    sizes = {s: n for s, n in made.sizes.items() if s in program.sizes}
    arrays = made.sample(seed)
    names = [t.name for t in program.inputs]
    adjoint, tangent = adjoint_program(program, names), tangent_program(program, names)

    directions = [random.uniform(-1, 1, arrays[x].shape) for x in names]
    values = run(program, arrays, sizes)
    weights = [random.uniform(0.5, 1, values[f].shape) for f in program.outputs]

    def evaluated(derived, *further):
        """The outputs in order; `further` are the arrays of the inputs behind those of the program."""
        others = [t.name for t in derived.inputs[len(names) :]]
        given = dict(zip(others, [a for group in further for a in group], strict=True))
        return list(run(derived, {**arrays, **given}, sizes).values())

    forward = evaluated(tangent_program(adjoint, names), weights, directions)
    backward = evaluated(adjoint_program(tangent, names), directions, weights)
    ends = []
    for sign in (1, -1):
        moved = {x: arrays[x] + sign * STEP * d for x, d in zip(names, directions, strict=True)}
        cotangents = dict(zip([t.name for t in adjoint.inputs[len(names) :]], weights, strict=True))
        ends.append(list(run(adjoint, {**moved, **cotangents}, sizes).values()))
    numeric = [(a - b) / (2 * STEP) for a, b in zip(*ends, strict=True)]

    assert difference(forward, backward) < 1e-12
    assert difference(forward, numeric) < 1e-6
