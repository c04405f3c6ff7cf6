"""Threads and a local cluster of processes, stores larger than the memory of workers, and a worker that is killed."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np
import pytest

import tadc

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
zarr = pytest.importorskip("zarr")
sp = pytest.importorskip("scipy.sparse")

import tadc.dask  # noqa: E402

STENCIL = """size X, Y, Z
input u[X,Y,Z], v[X,Y,Z]
y[x: X, y: Y, z: Z] = u[x,y,z] + v[x,y,z]*(u[pad(x-1),y,z] + u[pad(x+1),y,z] + u[x,pad(y-1),z]
    + u[x,pad(y+1),z] + u[x,y,pad(z-1)] + u[x,y,pad(z+1)] - 6*u[x,y,z])"""


def cluster(**options):
    """Two workers, a process each, that import this checkout."""
    root = str(Path(tadc.__file__).parent.parent)
    environment = {"PYTHONPATH": root, "OMP_NUM_THREADS": "1"}
    with dask.config.set({"distributed.nanny.environ": environment}):
        return distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            local_directory=os.environ["TADC_TEST_FOLDER"],
            **options,
        )


def some(*shape):
    return np.random.default_rng(0).normal(size=shape).astype("float32")


def test_threads_compute_what_one_does():
    f = tadc.compile(STENCIL)
    u, v = some(16, 12, 8), some(16, 12, 8)
    chunked = [da.from_array(a, chunks=(5, 4, 8)) for a in (u, v)]
    with dask.config.set(scheduler="threads", num_workers=2):
        found = f(*chunked).compute()

    assert np.array_equal(found, f(u, v))


@pytest.mark.slow
def test_processes_compute_what_one_does(tmp_path):
    """Values and gradients, from arrays and from a store; pieces of chunks are sent."""
    f = tadc.compile(STENCIL)
    u, v = some(16, 12, 8), some(16, 12, 8)
    value, pullback = f.vjp(u, v)
    gradients = pullback(value)
    stored = zarr.create_array(
        str(tmp_path / "u.zarr"), shape=u.shape, chunks=(8, 6, 8), dtype="f4"
    )
    stored[:] = u
    with cluster() as workers, distributed.Client(workers) as client:
        data = tadc.dask.wrap(f)
        lazy_v = da.from_array(v, chunks=(8, 6, 8))
        data.warm(client, stored, lazy_v)
        y, lazy_pullback = data.vjp(stored, lazy_v)
        found, of_inputs = client.gather(client.compute([y, lazy_pullback(y)]))
        plan = data.plan(da.from_array(u, chunks=(8, 6, 8)), lazy_v)
        gather = tadc.compile("y[e] = x[k[e]]; input k[E]: index, x[N]")
        with pytest.raises(tadc.DataError, match="is 9, and x has 4 elements"):
            gather(da.from_array(np.array([0, 9]), chunks=1), da.ones(4)).compute()
        sparse = sp.csr_array(u[0] > 0)
        product = tadc.compile("input A[N,M]: csr, x[M]; y[i] = sum{j} A[i,j]*x[j]")
        of_sparse = product.vjp(sparse, da.ones(8, chunks=3))[1](np.ones(12))["A"].compute()

    assert isinstance(of_sparse, sp.csr_array)
    assert np.array_equal(found, value)
    assert all(np.array_equal(of_inputs[n], gradients[n]) for n in "uv")
    assert plan.tasks > 8 + 1  # pieces are cut off


def peak():
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peaks are read from /proc")
def test_stores_of_four_times_the_memory_of_the_workers(tmp_path):
    """From store to store, with a worker that is killed on the way: the bits of one call, and no more memory than promised."""
    shape, chunks, limit = (512, 512, 512), (16, 128, 256), 260 * 10**6
    f = tadc.compile(STENCIL, backend="native")
    stores = {}
    for k, name in enumerate("uvy"):
        store = zarr.create_array(
            str(tmp_path / name), shape=shape, chunks=chunks, dtype="f8", compressors=None
        )
        stores[name] = store
        for low in range(0, shape[0], chunks[0]) if name != "y" else ():
            rng = np.random.default_rng((k, low))
            store[low : low + chunks[0]] = rng.random((chunks[0], *shape[1:]))
    assert 8 * (stores["u"].size + stores["v"].size) > 4 * 2 * limit
    data = tadc.dask.wrap(f)
    with (
        dask.config.set({"distributed.worker.memory.terminate": 0.99}),
        cluster(memory_limit=limit) as workers,
        distributed.Client(workers) as client,
    ):
        y = data(stores["u"], stores["v"])
        data.warm(client, stores["u"], stores["v"])
        future = client.compute(da.store(y, stores["y"], lock=False, compute=False))
        os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        future.result(timeout=200)
        peaks = client.run(peak)
        task_bytes = data.plan(stores["u"], stores["v"]).task_bytes

    assert max(peaks.values()) < min(limit, task_bytes + 200e6), (peaks, task_bytes)
    for low, high in ((0, 4), (254, 258), (508, 512)):  # planes, by one call on their surroundings
        first, last = max(0, low - 1), min(shape[0], high + 1)
        part = f(stores["u"][first:last], stores["v"][first:last])
        assert np.array_equal(stores["y"][low:high], part[low - first : high - first])
