"""Memory of results is used again, and never while somebody can see it."""

from __future__ import annotations

import gc
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tadc.runtime import buffers
from tadc.runtime.buffers import empty

DOUBLE = np.dtype(np.float64)


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(buffers, "LARGE", 64)
    buffers._free.clear()
    yield
    buffers._free.clear()


def place(a):
    return a.ctypes.data


def test_memory_that_nobody_sees_is_used_again():
    a = empty((5, 3), DOUBLE)
    first = place(a)
    del a
    gc.collect()

    assert place(empty((15,), DOUBLE)) == first


def test_memory_that_was_used_last_is_used_first():
    one, other = empty((40,), DOUBLE), empty((40,), DOUBLE)
    last = place(other)
    del one
    gc.collect()
    del other
    gc.collect()

    for _ in range(3):
        assert place(empty((40,), DOUBLE)) == last


def test_a_view_keeps_its_memory():
    a = empty((40,), DOUBLE)
    a[:] = 7
    view = a[3::2].reshape(-1, 1)
    del a
    gc.collect()
    others = [empty((40,), DOUBLE) for _ in range(3)]
    for other in others:
        other[:] = 0

    assert (view == 7).all()


def test_no_more_is_kept_than_the_bound(monkeypatch):
    monkeypatch.setattr(buffers, "MOST_KEPT", 1000)
    arrays = [empty((100,), DOUBLE) for _ in range(4)]
    assert all(a.flags.carray and a.flags.writeable for a in arrays)
    arrays.clear()
    gc.collect()

    assert sum(m.size for m in buffers._free.values()) <= 1000


def test_threads_do_not_get_the_same_memory():
    def fill(n):
        for _ in range(200):
            a = empty((64,), DOUBLE)
            a[:] = n
            if not (a == n).all():
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(fill, range(4)))
