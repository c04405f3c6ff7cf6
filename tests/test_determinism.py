"""The same input gives the same bytes, whatever order hashes take."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tadc

BLOCKS = 5
EMIT = """
import sys

from oracle import EXAMPLES
import tadc

for path in EXAMPLES[int(sys.argv[1])::int(sys.argv[2])]:
    f = tadc.load(path)
    for g in (f, f.adjoint()):
        for target in ("idx", "cuda", "numpy"):
            print(g.source(target))
"""


def emitted(hash_seed: str, block: int) -> str:
    folders = (Path(tadc.__file__).parent.parent, Path(__file__).parent)
    environment = {
        **os.environ,
        "PYTHONHASHSEED": hash_seed,
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
    }
    command = [sys.executable, "-c", EMIT, str(block), str(BLOCKS)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_emitted_text_does_not_depend_on_the_order_of_hashes(block):
    first, second = (emitted(seed, block) for seed in ("0", "4242"))

    assert "sum{" in first
    assert "__global__" in first
    assert first == second
