"""The examples that read through data: each asserts what it says, at small sizes."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.compiler
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("finite_elements", {"n": 6}),
        ("particle_in_cell", {"steps": 4}),
        ("conjugate_gradients", {}),
    ],
)
def test_an_example_holds_what_it_says(name, sizes, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"](**sizes)

    assert capsys.readouterr().out
