"""Inverse modes of arrays of CuPy, on a double that behaves as it does: small systems run there, large ones on the host."""

from __future__ import annotations

import fake_cupy
import numpy as np
import pytest
from fake_cupy import STATE

import tadc
from tadc.runtime.cuda import arrays as gpu

pytestmark = pytest.mark.compiler
TEXT = "size N; state x[N]; input p; x[i] <- x[i]**3 + p*x[pad(i-1)]"


@pytest.fixture
def xp(monkeypatch):
    yield fake_cupy.install(monkeypatch)
    gpu.cupy.cache_clear()


@pytest.mark.parametrize("n", [40, 2])
@pytest.mark.plain(n=1)
def test_modes_take_arrays_of_cupy(xp, n):
    f = tadc.compile(TEXT)
    x, v = np.random.default_rng(0).uniform(0.5, 1, (2, n))

    found = f.inverse_tangent()(xp.asarray(x), 0.3, xp.asarray(v))

    assert isinstance(found, xp.ndarray) and bool(STATE.launches) == (n == 2)
    np.testing.assert_allclose(xp.asnumpy(found), f.inverse_tangent()(x, 0.3, v), rtol=1e-12)


def test_a_singular_step_on_a_gpu_is_an_error(xp):
    mode = tadc.compile(TEXT).inverse_tangent()
    x = xp.asarray(np.array([1.0, 0.0]))

    with pytest.raises(tadc.SingularError, match=r"x\[1\]"):
        mode(x, 0.3, xp.ones(2))
    assert not np.isfinite(xp.asnumpy(mode(x, 0.3, xp.ones(2), check=False))).all()
