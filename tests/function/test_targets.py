"""The table of targets: each gives text, and the command line writes files of each that has some."""

from __future__ import annotations

import inspect
import re

import pytest
from click.testing import CliRunner

import tadc
from tadc.cli import commands
from tadc.emit.clike.launcher import workspace_places
from tadc.function.targets import FILES, TARGETS, Unit
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


RBF = """size N, M
input x[N, 3], c[M, 3], w[M]
f[i] = sum{j} w[j]*exp(-sum{d} (x[i, d] - c[j, d])**2)"""


@pytest.mark.parametrize("target", ["cuda", "c"])
def test_text_of_given_sizes_stores_what_a_call_of_them_would(target):
    sizes = {"N": 10**5, "M": 10**5}
    f = tadc.compile(RBF, sizes=sizes).adjoint()
    everything = tadc.compile(RBF, sizes=sizes, memory="materialize").adjoint()

    few, all_ = (workspace(g, target) for g in (f, everything))

    assert few < 10**9  # parts of sums
    assert all_ >= 4 * 10**10


@pytest.mark.parametrize("target", ["cuda", "c"])
def test_text_of_any_sizes_stores_what_calls_of_a_thousand_would(target):
    text = "size N, M\ninput x[N], y[M]\nf[i] = sum{j} exp(-x[i]*y[j])"
    f = tadc.compile(text, memory="recompute").adjoint()

    assert workspace(tadc.compile(text).adjoint(), target, N=1000, M=1000) < 10**8
    assert workspace(f, target, N=1000, M=1000) < 10**6


def workspace(f, *targets, **sizes):
    """The bytes that the manifest says a mode's launcher needs."""
    manifest = Unit({"adjoint": f}, targets).manifest
    return eval(manifest["modes"]["adjoint"]["workspace_bytes"], {}, sizes)


COLUMNS = """size N, M
input x[N, M]
m[j] = sum{i} x[i, j]
y[i, j] = (x[i, j] - m[j]/N)**2
z[j] = sum{i} y[i, j]"""
SOFTMAX = "size N, M\ninput x[N, M]\ny[i, j] = exp(x[i, j]) / sum{k} exp(x[i, k])"


@pytest.mark.parametrize("targets", [("c",), ("cuda", "c"), ("c", "opencl")], ids=" ".join)
@pytest.mark.parametrize("text", [RBF, COLUMNS, SOFTMAX], ids=["rbf", "columns", "softmax"])
def test_a_workspace_has_all_that_a_file_of_c_stores(text, targets):
    f = tadc.compile(text, sizes={"N": 5000, "M": 60}).adjoint()
    unit = Unit({"adjoint": f}, targets)

    of_c = dict(zip(targets, unit.texts(), strict=True))["c"]
    placed = re.findall(r"(\w+)\* (\w+) = \(\1\*\)free;", of_c)
    (module,) = (m.module for m in unit.cpu)
    places, bytes_ = workspace_places(module.temporaries, {}, "float32")
    assert placed == [("float", name) for name in places] != []
    assert workspace(f, *targets) >= bytes_
