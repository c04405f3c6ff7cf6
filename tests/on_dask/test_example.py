"""`examples/dask_wave.py`: its gradient against finite differences."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import tadc

da = pytest.importorskip("dask.array")
pytest.importorskip("zarr")

import tadc.dask  # noqa: E402

EXAMPLES = Path(__file__).parent.parent.parent / "examples"


@pytest.mark.slow
def test_the_gradient_of_the_example_is_that_of_its_loss(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import dask_wave

    assert sys.modules["dask_wave"].__file__ == str(EXAMPLES / "dask_wave.py")
    stores = dask_wave.Stores(tmp_path, 8, 5)
    f = tadc.compile(dask_wave.STEP, dtype="float64")
    step = tadc.dask.wrap(tadc.compile(dask_wave.STEP))
    v = stores.write("medium", dask_wave.medium(stores))
    start = dask_wave.pulse(stores).compute().astype("f8")

    def loss(v):
        before, u = start, start
        for _ in range(3):
            before, u = u, f(u=u, before=before, v=v)
        return 0.5 * (u**2).sum()

    states = dask_wave.forward(step, stores, v, 3)
    gradient = dask_wave.backward(step, stores, v, states).compute()

    for place in ((4, 4, 4), (3, 4, 5), (7, 0, 4)):
        change = np.zeros(stores.shape)
        change[place] = 1e-5
        slope = (loss(v[:] + change) - loss(v[:] - change)) / 2e-5
        assert gradient[place] == pytest.approx(slope, rel=1e-3, abs=1e-6)
