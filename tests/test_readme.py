"""Every code block of README.md is what the program prints, or runs."""

from __future__ import annotations

import re
import shutil

import documents
import pytest
from oracle import ROOT

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = list(documents.blocks("README.md"))
INSTALL = "pip install . && ", "pip install '.[test]' && pytest"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the examples, where the commands are run in their order."""
    folder = tmp_path_factory.mktemp("readme")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def of(language):
    return pytest.mark.parametrize(
        "text", [pytest.param(b.text, id=str(b)) for b in BLOCKS if b.language == language]
    )


def test_there_is_a_test_for_every_language():
    assert {b.language for b in BLOCKS} == {"latex", "console", "cuda", "sh", "python"}


@of("latex")
def test_the_formula_stands_in_the_example(text):
    assert text in (ROOT / "examples/paper.tex").read_text("utf-8")


@of("console")
def test_a_command_prints_what_is_shown(text, folder):
    command, _, printed = text.removeprefix("$ ").partition("\n")

    assert documents.run(command, folder) == printed


@of("sh")
def test_commands_run(text, folder):
    for line in text.splitlines():
        command = line.removeprefix(INSTALL[0])
        if command != INSTALL[1]:
            documents.run(command, folder)


def test_the_set_up_is_what_continuous_integration_runs():
    script = (ROOT / ".ci/run").read_text("utf-8")

    assert INSTALL[1] in README
    assert "pip install '.[test]'" in script
    assert re.search(r"^pytest$", script, re.MULTILINE)


@of("cuda")
def test_the_kernel_is_what_is_compiled(text, folder):
    documents.run("tadc compile examples/paper.tex -o build/", folder)

    assert text in (folder / "build/paper.cu").read_text("utf-8")


@of("python")
def test_the_lines_of_python_run(text, folder):
    if "import torch" in text:
        pytest.importorskip("torch")
    documents.python(text, folder)
