"""The same input gives the same bytes, whatever order hashes take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tadc

EMIT = """
from oracle import EXAMPLES
import tadc

for path in EXAMPLES:
    f = tadc.load(path)
    for g in (f, f.adjoint()):
        for target in ("idx", "cuda", "numpy"):
            print(g.source(target))
"""


def emitted(hash_seed: str) -> str:
    folders = (Path(tadc.__file__).parent.parent, Path(__file__).parent)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
    }
    command = [sys.executable, "-c", EMIT]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_emitted_text_does_not_depend_on_the_order_of_hashes():
    first, second, third = map(emitted, ("0", "1", "4242"))

    assert "sum{" in first
    assert "__global__" in first
    assert first == second == third
