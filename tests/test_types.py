"""The types of the interface, as a program that uses it sees them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tadc

PACKAGE = Path(tadc.__file__).parent

PROGRAM = """
from pathlib import Path

import numpy as np

import tadc


def used(path: Path) -> list[str]:
    f: tadc.Function = tadc.compile("y[i] = 2*x[i]", dtype=np.float32, sizes={"N": 3}, backend="numpy")
    g = tadc.load(path, lang="tex", dtype="f4")
    y = f(np.ones(3), out=None, accumulate=False)
    value, pullback = f.vjp(np.ones(3), wrt="x")
    gradients = pullback(y)
    _, both = f.value_and_gradients(np.ones(3), cotangent=y, wrt=["x"])
    gradients |= both
    total: int = sum(array.size for array in gradients.values()) + f.cost(N=3).operations
    cost: tadc.Cost = f.cost(mode="vjp")
    plan: tadc.Plan = f.plan()
    report: tadc.Report = f.check(N=3)
    fixed = f.fix(N=3).adjoint("x")
    texts: list[str] = [f.source(), g.source("latex"), str(plan), cost.formula, fixed.inputs[0]]
    try:
        f.hessian().hvp(["x"])
    except tadc.SyntaxError as error:
        if error.span is not None:
            total += error.span.line
    return texts if report else [str(total), repr(value)]
"""

WRONG = """
import tadc

f = tadc.compile("y[i] = 2*x[i]", foo=1)
n: str = f.cost(N=3).operations
"""


def test_the_package_says_that_it_has_types():
    assert (PACKAGE / "py.typed").exists()


def test_every_public_name_is_there():
    assert all(getattr(tadc, name) is not None for name in tadc.__all__)
    with pytest.raises(AttributeError, match="no attribute `Costs`"):
        _ = tadc.Costs


@pytest.mark.slow
def test_programs_that_use_the_interface_are_checked(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(PROGRAM)
    (tmp_path / "wrong.py").write_text(WRONG)
    found = {}
    for name in ("right", "wrong"):
        found[name] = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", f"{name}.py"],
            cwd=tmp_path,
            env={**os.environ, "MYPYPATH": str(PACKAGE.parent)},
            capture_output=True,
            text=True,
        ).stdout

    assert "Success" in found["right"], found["right"]
    assert "wrong.py:4" in found["wrong"] and "wrong.py:5" in found["wrong"]
