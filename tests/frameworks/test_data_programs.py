"""Usual programs over data have the values and gradients that PyTorch has for them (`benchmarks/data_programs.py`)."""

import sys
from pathlib import Path

import pytest

from tadc.runtime.cpu import c_compiler

pytest.importorskip("torch")

FOLDER = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(FOLDER))
from data_kinds import compared
from data_programs import KINDS

sys.path.remove(str(FOLDER))


@pytest.mark.plain(kind=3)
@pytest.mark.compiler
@pytest.mark.skipif(c_compiler.compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_a_usual_program_over_data_has_the_values_and_gradients_of_torch(kind):
    compared(kind)
