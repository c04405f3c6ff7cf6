"""docs/papers.md: each formula is read, and its derivative is what is shown; and a TeX engine prints what tadc writes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from oracle import ROOT

import tadc

TEXT = (ROOT / "docs/papers.md").read_text("utf-8")
SHOWN = re.findall(r"```tex\n(.*?)```\n\nThe (\w+):\n\n```latex \w+\n(.*?)```", TEXT, re.DOTALL)
FORMULAS = sorted((Path(__file__).parent / "formulas").glob("*.tex"))
DOCUMENT = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n%s\\end{document}\n"


def test_five_formulas_are_shown():
    assert len(SHOWN) == 5


@pytest.mark.parametrize(("formula", "mode", "printed"), SHOWN)
def test_a_derivative_is_what_is_shown(formula, mode, printed):
    f = tadc.compile(formula, lang="tex")

    assert getattr(f, mode)().source("latex") == printed


@pytest.mark.tex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
@pytest.mark.parametrize("path", FORMULAS, ids=lambda path: path.stem)
def test_latex_with_amsmath_alone_prints_a_formula_and_its_adjoint(path, tmp_path):
    try:
        f = tadc.load(path)
    except tadc.Error:
        pytest.skip("it is one of those that are refused")
    body = f.source("latex") + f.adjoint().source("latex")
    (tmp_path / "printed.tex").write_text(DOCUMENT % body)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "printed.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace")

    assert done.returncode == 0, done.stdout[-2000:]
