"""The order of work on a GPU: streams, events, memory that is used again, code that is unloaded, threads without a context.

The double of CuPy does work as late as it may, so that what does not wait reads what was there before.
"""

from __future__ import annotations

import gc
import warnings
from threading import Thread

import fake_cupy
import numpy as np
import pytest
from fake_cupy import STATE, Capsule

import tadc
from tadc.bounded_cache import BoundedCache
from tadc.runtime.cuda import launch
from tadc.schedule.nest import matrix_product

pytestmark = pytest.mark.compiler

TWICE = "size N\ninput x[N]\ny[i] = 2*x[i]"
PARTS = "size N\ninput x[N]\nf = sum{i} x[i]**2"  # with a workspace


# ------------------------------------------------------------------ what the double observes


def test_work_on_another_stream_is_not_done_unless_somebody_waits_for_it(double):
    f, x = tadc.compile(TWICE), double.asarray(np.ones(3))
    one, other = (double.cuda.Stream(non_blocking=True) for _ in range(2))
    double.cuda.get_current_stream().synchronize()

    with one:
        y = f(x)
    with other:
        assert np.isnan(y.get()).all()
        other.wait_event(one.record())
        np.testing.assert_array_equal(y.get(), [2, 2, 2])


@pytest.mark.parametrize("blocking", [False, True])
def test_the_null_stream_waits_for_those_that_block(double, blocking):
    f, x = tadc.compile(TWICE), double.asarray(np.ones(3))
    with double.cuda.Stream(non_blocking=not blocking) as stream:
        stream.wait_event(double.cuda.Stream(null=True).record())
        y = f(x)

    assert np.isnan(y.get()).all() != blocking


def test_the_double_has_nothing_that_cupy_has_not(monkeypatch):
    cupy = pytest.importorskip("cupy")
    double = fake_cupy.install(monkeypatch)
    pairs = [(double, cupy), (double.linalg, cupy.linalg), (double.cuda, cupy.cuda), (double.ndarray, cupy.ndarray)]  # fmt: skip
    pairs += [(getattr(double.cuda, n), getattr(cupy.cuda, n)) for n in ("Stream", "Event", "Device", "MemoryPool", "driver", "runtime")]  # fmt: skip

    unknown = [
        n for mine, theirs in pairs for n in vars(mine) if n[0] != "_" and not hasattr(theirs, n)
    ]

    assert set(unknown) <= {"at"}


def test_arrays_of_the_double_are_none_of_numpy(double):
    x = double.asarray(np.ones(3))

    with pytest.raises(TypeError, match="Implicit conversion"):
        np.asarray(x)
    with pytest.raises(TypeError, match="Unsupported type"):
        x + np.ones(3)
    with pytest.raises(ValueError, match="cannot be used for fill"):
        x[...] = np.ones(3)
    with pytest.raises(TypeError, match="no implementation"):
        np.kron(x, x)
    assert not isinstance(x, np.ndarray) and float(x[0]) == 1
    assert isinstance(np.exp(x), double.ndarray) and (x + 1).get().tolist() == [2, 2, 2]


def test_memory_is_used_again_in_the_order_of_its_stream(double):
    first = double.asarray(np.ones(3))
    address, f = first.data.ptr, tadc.compile(TWICE)
    y = f(first)
    del first
    again = double.empty((3,))

    assert again.data.ptr == address and STATE.reused
    np.testing.assert_array_equal(y.get(), [2, 2, 2])  # read before it was used again
    assert np.isnan(again.get()).all()
    with double.cuda.Stream(non_blocking=True):
        assert double.empty((3,)).data.ptr != address


def test_a_function_of_a_module_that_is_gone_is_not_launched(double):
    f, x = tadc.compile(TWICE), double.asarray(np.ones(3))
    y = f(x)
    handle = max(fake_cupy.kernels.LOADED)
    del f
    launch._modules._made.clear()
    gc.collect()

    np.testing.assert_array_equal(y.get(), [2, 2, 2])
    with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_HANDLE"):
        double.cuda.driver.launchKernel(handle, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0)


# ------------------------------------------------------------------ calls


class Foreign:
    """An array of another library, with a stream and memory of its own, which is used for something else once it is given back."""

    def __init__(self, xp, values):
        self.xp, self.memory = xp, np.full_like(values, np.nan)
        self.stream = xp.cuda.Stream(non_blocking=True)
        fake_cupy.streams.put(self.stream.ptr, lambda: self.memory.__setitem__(..., values))
        KEPT.append(self.memory)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None, **_):
        waiting = self.xp.cuda.Stream.from_external(fake_cupy.stream(stream))
        waiting.wait_event(self.stream.record())
        return Capsule(self.memory, self)

    def __del__(self):
        self.memory[...] = -7


KEPT = []  # memory of libraries, whose addresses kernels know


@pytest.mark.parametrize("of_residuals", [False, True])
def test_memory_of_another_library_is_read_when_it_is_written_and_held_until_then(double, of_residuals):  # fmt: skip
    f = tadc.compile("size N\ninput x[N]\ny[i] = x[i]**3")
    f.vjp(double.asarray(np.ones(3)))[1](double.asarray(np.ones(3)))
    x = Foreign(double, np.array([1.0, 2, 3]))
    with double.cuda.Stream(non_blocking=True):
        y, pullback = f.vjp(x)
        del x
        gc.collect()
        if not of_residuals:
            del pullback
            gc.collect()
            np.testing.assert_array_equal(y.get(), [1, 8, 27])
            return
        gradients = pullback(double.asarray(np.ones(3)))
        del pullback
        gc.collect()
        np.testing.assert_array_equal(gradients["x"].get(), [3, 12, 27])
        np.testing.assert_array_equal(y.get(), [1, 8, 27])


def test_managed_memory_of_another_library_is_that_of_a_gpu(double):
    class Managed(Foreign):
        def __dlpack_device__(self):
            return 13, 0

    y = tadc.compile(TWICE)(Managed(double, np.array([1.0, 2, 3])))

    assert isinstance(y, double.ndarray)
    np.testing.assert_array_equal(y.get(), [2, 4, 6])


def test_memory_of_another_library_is_given_back(double):
    x = Foreign(double, np.ones(3))
    f, memory = tadc.compile(TWICE), x.memory
    f(x).get()
    del x
    f(double.asarray(np.ones(3)))
    gc.collect()

    assert (memory == -7).all()


def test_workspaces_of_two_streams_are_two(double):
    f = tadc.compile(PARTS)
    arrays = [double.asarray(np.full(40_000, float(n))) for n in (1, 2)]
    streams = [double.cuda.Stream(non_blocking=True) for _ in range(2)]
    fake_cupy.finish()
    found = []
    for x, stream in zip(arrays, streams, strict=True):
        with stream:
            found.append(f(x))
    for value, stream, n in reversed([*zip(found, streams, (1, 2), strict=True)]):
        with stream:
            assert value.get() == 40_000 * n**2


def test_one_call_behind_the_other_uses_the_workspace_again(double):
    f = tadc.compile(PARTS)
    arrays = [double.asarray(np.full(40_000, float(n))) for n in (1, 2, 3)]
    before = STATE.reused

    found = [f(x) for x in arrays]

    assert STATE.reused >= before + 2
    assert [v.get() for v in found] == [40_000, 160_000, 360_000]


def test_copies_of_index_tensors_and_lists_are_there_for_calls_on_any_stream(double):
    f = tadc.compile("y[i: 4] = sum{e | k[e] = i} w[e]", backend="cuda")
    k, w = tadc.index(np.array([3, 0, 3, 1])), double.asarray(np.arange(1.0, 5))
    streams = [double.cuda.Stream(non_blocking=True) for _ in range(2)]
    fake_cupy.finish()

    found = []
    for stream in streams:
        with stream:
            found.append(f(k=k, w=w))
    for stream, y in reversed([*zip(streams, found, strict=True)]):
        with stream:
            np.testing.assert_array_equal(y.get(), [2, 4, 0, 4])


def test_a_product_of_cublas_is_on_the_stream_of_the_call_and_warns_of_nothing(xp, monkeypatch):
    monkeypatch.setattr(matrix_product, "WORTH", 1)
    a = np.random.default_rng(0).normal(size=(20, 20))
    f = tadc.compile("size N\ninput a[N,N]\nc[i,j] = sum{k} exp(a[i,k])*a[k,j]")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with xp.cuda.Stream(non_blocking=True):
            found = f(xp.asarray(a))
            np.testing.assert_allclose(found.get(), np.exp(a) @ a, rtol=1e-12)
    assert "cuBLAS" in str(tadc.compile(str(f), backend="cuda").plan(N=20))


def test_a_thread_that_has_used_no_gpu_may_call(xp):
    f = tadc.compile(TWICE)
    x = xp.asarray(np.ones(3))
    for _ in range(2):  # memory that the first call leaves needs no call of the run time
        f(x)
        f(x)
    xp.cuda.get_current_stream().synchronize()
    found = []

    def run():
        try:
            found.append(f(x).get())
        except BaseException as error:
            found.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join()

    np.testing.assert_array_equal(found[0], [2, 2, 2])


# ------------------------------------------------------------------ graphs


def test_a_graph_is_captured_behind_what_its_inputs_wait_for(xp):
    f = tadc.compile(PARTS)
    with xp.cuda.Stream(non_blocking=True):
        x = xp.asarray(np.full(40_000, 2.0))
        value, gradients = f.graph(x, cotangents=xp.asarray(1.0))()
        assert value.get() == 160_000 and (gradients["x"].get() == 4).all()


def test_a_graph_outlives_the_function_and_all_that_is_kept_of_it(double):
    f, x = tadc.compile(PARTS), double.asarray(np.full(40_000, 2.0))
    replay = f.graph(x, cotangents=double.asarray(1.0))
    del f
    for cache in [o for o in gc.get_objects() if isinstance(o, BoundedCache)]:
        cache._made.clear()  # as they are when they are full
    gc.collect()
    with double.cuda.Stream(non_blocking=True):  # memory that is free
        others = [double.asarray(np.full(n, -7.0)) for n in (64, 1024, 40_000) for _ in range(4)]
        fake_cupy.finish()

    value, gradients = replay()

    assert value.get() == 160_000 and (gradients["x"].get() == 4).all()
    assert all((a.get() == -7).all() for a in others)


def test_a_capture_of_ones_own_holds_a_call(xp):
    f, x = tadc.compile(PARTS), xp.asarray(np.full(40_000, 2.0))
    pool = xp.cuda.MemoryPool()
    f(x)
    stream = xp.cuda.Stream(non_blocking=True)
    stream.wait_event(xp.cuda.get_current_stream().record())
    with xp.cuda.using_allocator(pool.malloc), stream:
        f(x)
        stream.begin_capture()
        value = f(x)
        graph = stream.end_capture()
        x *= 0.5
        graph.launch(stream)
        assert value.get() == 40_000
