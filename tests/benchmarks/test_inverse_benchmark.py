"""The benchmark of inverses: its programs are what it says in arrays, and its whole path runs."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
NAMES = (
    "coupling",
    "implicit heat, a band",
    "N-body, leapfrog",
    "red-black diffusion, 4 rounds",
    "causal triangle",
    "reactions, 3 x 3 at each point",
    "recurrence",
    "dense, close to the identity",
)


@pytest.fixture
def inverse(monkeypatch):
    """`benchmarks/inverse.py`, without JAX."""
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.setitem(sys.modules, "jax", None)
    yield import_module("inverse")
    for name, module in list(sys.modules.items()):
        if Path(getattr(module, "__file__", None) or "").parent == FOLDER:
            del sys.modules[name]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_a_row_is_measured_and_holds_against_dense_linear_algebra(inverse, name):
    rows = {row.name: row for row in inverse.ROWS}
    assert tuple(sorted(rows)) == tuple(sorted(NAMES))

    cells = inverse.measured(rows[name], 24, 1)

    assert cells[0] == name and cells[1] == "24" and len(cells) == 12
    assert cells[-2] == "–"
