"""The table of targets: each gives text, and the command line writes files of each that has some."""

from __future__ import annotations

import inspect
import re

import pytest
from click.testing import CliRunner

import tadc
from tadc.cli import commands
from tadc.function.targets import FILES, TARGETS
from tadc.ir.element_types import HALF_TYPES

F = "size N\ninput x[N]\ny[i] = exp(x[i])"


@pytest.mark.parametrize("target", TARGETS)
def test_a_function_has_text_for_every_target(target):
    f = tadc.compile(F)

    assert f.adjoint().source(target).strip()
    assert f'"{target}"' in inspect.getdoc(tadc.Function.source)


@pytest.mark.parametrize("target", FILES)
def test_the_command_line_writes_the_same_text(tmp_path, target):
    path = tmp_path / "f.idx"
    path.write_text(F)
    arguments = ["compile", str(path), "-o", str(tmp_path / "out"), "--mode", "adjoint"]
    result = CliRunner().invoke(commands, [*arguments, "--target", target])

    (written,) = (p for p in (tmp_path / "out").iterdir() if p.suffix != ".json")
    text = tadc.load(path).adjoint().source(target)
    assert result.exit_code == 0
    assert written.suffix == TARGETS[target].suffix
    assert target == "c" or written.read_text() == text  # of indices of 32 bits


@pytest.mark.parametrize("dtype", HALF_TYPES)
@pytest.mark.parametrize("target", FILES)
def test_a_target_without_elements_of_16_bits_says_so(target, dtype):
    f = tadc.compile(F, dtype=dtype).adjoint()

    if TARGETS[target].halves:
        assert f.source(target)
    else:
        with pytest.raises(tadc.BackendError, match=f"`{target}` has no elements of {dtype}"):
            f.source(target)


def test_an_unknown_target_is_answered_with_those_that_there_are():
    for target in ("fortran", None, ["c"]):
        with pytest.raises(tadc.ArgumentError) as caught:
            tadc.compile(F).source(target)

    assert re.findall("`(.*?)`", caught.value.fix) == [*TARGETS]
    assert caught.value.fix.endswith("`idx` or `latex`")
