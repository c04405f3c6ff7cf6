"""Inverse modes of arrays of CuPy, on its double, and on a GPU: as programs, and by its batched solvers."""

from __future__ import annotations

import numpy as np
import pytest
from fake_cupy import STATE

import tadc

pytestmark = pytest.mark.compiler
TEXT = "size N; state x[N]; input p; x[i] <- x[i]**3 + p*x[pad(i-1)]"


def test_small_systems_are_programs(xp):
    f = tadc.compile(TEXT)
    x, v = np.random.default_rng(0).uniform(0.5, 1, (2, 2))

    found = f.inverse_tangent()(xp.asarray(x), 0.3, xp.asarray(v))

    assert isinstance(found, xp.ndarray) and (STATE.launches or xp.__version__ != "0")
    np.testing.assert_allclose(xp.asnumpy(found), f.inverse_tangent()(x, 0.3, v), rtol=1e-12)


# Steps of large systems, and how many of these the solvers of CuPy solve in a mode.
LARGE = {
    "a triangle, a band and a part": (
        f"{TEXT}; x[i] <- 3*x[i] + x[pad(i-1)] + sin(x[pad(i+1)]); x[i | i % 2 = 0] <- x[i]*(2 + x[pad(i+1)])",
        {"N": 40},
        2,
    ),
    "a dense block of two tensors": (
        "size N; state x[N], y; input p; step { x[i] <- 3*x[i] + y*p; y <- 2*y + sum{i} sin(x[i])/N }",
        {"N": 33},
        1,
    ),
    "blocks and a ring": (
        "size N; state x[2, N]; input p; x[b, i] <- 3*x[b, i] + p*sin(x[b, wrap(i-1)]) + x[b, wrap(i+1)]; x[b, i] <- x[b, i] + x[b, wrap(i-2)]/9; x[b, i] <- 3*x[1-b, i]",
        {"N": 34},
        4,
    ),
    "rows that are turned": (
        "size N; state x[N]; input p; x[i] <- 2*x[N-1-i] + p*x[pad(N-2-i)]",
        {"N": 40},
        1,
    ),
    "long bands, which the host solves": (
        "size N; state x[N]; input p; x[i] <- 3*x[i] + x[pad(i-1)] + sin(x[pad(i+1)]); x[i] <- 3*x[i] + p*x[pad(i-1)]",
        {"N": 300},
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LARGE)
@pytest.mark.plain(name=2)
def test_large_systems_are_solved_by_cupy(xp, name):
    text, sizes, solved = LARGE[name]
    f = tadc.compile(text, backend="auto")
    rng = np.random.default_rng(0)
    tensors = f.program.specialised(sizes).tensors
    shapes = {n: [e.constant for e in tensors[n].shape] for n in f.inputs}
    point = {n: rng.uniform(0.5, 1, shape) for n, shape in shapes.items()}
    vectors = [rng.standard_normal(shapes[x]) for x in f.states]

    for mode in (f.inverse_tangent(), f.inverse_adjoint(), f.logdet()):
        given = [*point.values(), *vectors][: len(mode.inputs)]
        STATE.solved = 0
        found = mode(*(xp.asarray(a) for a in given))
        if xp.__version__ == "0":
            assert STATE.solved == (0 if mode.mode == "logdet" else solved)
        for a, b in zip(listed(found), listed(mode(*given)), strict=True):
            assert isinstance(a, xp.ndarray)
            np.testing.assert_allclose(xp.asnumpy(a), b, rtol=1e-11)


def listed(results):
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.parametrize("n", [2, 40])
@pytest.mark.plain(n=1)
def test_a_singular_step_on_a_gpu_is_an_error(xp, n):
    mode = tadc.compile(TEXT).inverse_tangent()
    x = xp.asarray(np.arange(n)[::-1] / n)

    with pytest.raises(tadc.SingularError, match=rf"x\[{n - 1}\]"):
        mode(x, 0.3, xp.ones(n))
    assert not np.isfinite(xp.asnumpy(mode(x, 0.3, xp.ones(n), check=False))).all()
