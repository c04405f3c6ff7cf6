"""The examples that invert programs run, and hold what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
RUNS = {
    "implicit_heat": {},
    "implicit_layer": {"n": 30, "steps": 60},
    "leapfrog": {"steps": 100},
    "four_modes": {},
    "coupling_flow": {"iterations": 25},
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.plain(name=2)
def test_an_example_holds_what_it_says(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](**RUNS[name])

    assert capsys.readouterr().out
