from __future__ import annotations

import pytest

from tadc.bounded_cache import BoundedCache


@pytest.fixture(autouse=True)
def schedules_of_its_own(monkeypatch):
    """No schedule of a GPU that another test made, who may have patched what it is chosen by."""
    monkeypatch.setattr("tadc.schedule.gpu.kernels._made", BoundedCache(512))
