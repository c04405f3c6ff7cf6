"""The benchmark for CPUs: its C by hand against tadc, and its whole path on small arrays."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from tadc.runtime.cpu import c_compiler

pytestmark = [
    pytest.mark.compiler,
    pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler"),
]

FOLDER = Path(__file__).parents[2] / "benchmarks"
# With rows and columns that are left over where the tiles allow it.
SMALL = {
    "paper": ((16, 32), (64, 32), (16, 16), (47,)),
    "rbf": ((37, 3), (48, 3), (48,)),
    "conv1d": ((3, 8, 68), (16, 8, 5)),
    "hankel": ((299,), (150,)),
    "lnsm": ((7, 48), (48,), (48,)),
    "mttkrp": ((3, 4, 128), (4, 64), (128, 64)),
    "upsample": ((2, 3, 5),),
    "maxpool": ((2, 3, 9, 12),),
    "wave": ((8, 8, 8),) * 3,
}


@pytest.fixture
def cpu(monkeypatch):
    """`benchmarks/cpu.py`, with rows of small arrays and no library besides tadc."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)
    found = import_module("cpu")
    rows = {key: replace(found.ROWS[key], shapes=shapes) for key, shapes in SMALL.items()}
    monkeypatch.setattr(found, "ROWS", rows)
    monkeypatch.setattr(found, "installed", lambda library: False)
    yield found
    for path in FOLDER.glob("*.py"):
        if path.stem not in before:
            sys.modules.pop(path.stem, None)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("key", SMALL)
def test_c_by_hand_computes_what_tadc_does(cpu, key, dtype):
    problem = cpu.Problem.of(key, dtype, 2)
    runs = cpu.by_hand(problem)  # checks itself

    problem.check(runs[cpu.BOTH]())
    with pytest.raises(ValueError, match="the value differs"):
        problem.check([2 * a for a in runs[cpu.BOTH]()])


def test_every_row_has_its_rivals(cpu):
    rivals = (FOLDER / "cpu_rivals.py").read_text()
    rows = import_module("cpu_rows").ROWS
    assert len(rows) == 17
    assert all(rivals.count(f'"{key}": (') == 2 for key in rows)


@pytest.mark.slow
def test_results_are_written_with_floors_and_limits(cpu, tmp_path, monkeypatch, capsys):
    arguments = ["--repetitions", "1", "--only", "wave", "--only", "upsample", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", ["cpu.py", *arguments, "--output", str(tmp_path)])

    cpu.main()

    data = json.loads((tmp_path / "cpu.json").read_text())
    assert [(r["row"], r["task"]) for r in data["rows"]] == [
        (key, task) for key in ("wave", "upsample") for task in (cpu.VALUE, cpu.BOTH)
    ]
    assert all(r["floor"] > 0 and r["minima"]["tadc"] > 0 and r["minima"]["C"] > 0 for r in data["rows"])  # fmt: skip
    assert data["about"]["limits"]["bytes_per_second"] > 0 and not data["about"]["left_out"]
    assert "The adjoint of the wave step alone" in capsys.readouterr().out
