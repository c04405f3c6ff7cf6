"""docs/papers.md: each formula is read, and its derivative is what is shown; and a TeX engine prints what tadc writes."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from oracle import ROOT
from published import FORMULAS as FORMULAS_OF_PAPERS

import tadc

TEXT = (ROOT / "docs/papers.md").read_text("utf-8")
SHOWN = re.findall(r"```tex\n(.*?)```\n\nThe (\w+):\n\n```latex \w+\n(.*?)```", TEXT, re.DOTALL)
FORMULAS = sorted((Path(__file__).parent / "formulas").glob("*.tex"))
# The space between words may grow as far as their lists of letters and shapes need it.
DOCUMENT = "\\documentclass{article}\n\\usepackage{amsmath}\n\\sloppy\n\\begin{document}\n%s\\end{document}\n"

# Cases in cases in cases, each with its conditions beside it: the place of a maximum, and products of cutoffs by cases. Iverson
# brackets would be narrower, but are read as those of a whole product.
TOO_WIDE = {"angular", "discriminant"}


def test_five_formulas_are_shown():
    assert len(SHOWN) == 5


@pytest.mark.parametrize(("formula", "mode", "printed"), SHOWN)
def test_a_derivative_is_what_is_shown(formula, mode, printed):
    f = tadc.compile(formula, lang="tex")

    assert getattr(f, mode)().source("latex") == printed


def printed(sources):
    """The value and the first derivatives of each text that is read, as LaTeX."""
    for source in sources:
        try:
            f = tadc.compile(source, lang="tex")
            texts = [g.source("latex") for g in (f, f.adjoint(), f.tangent())]
            yield from (
                t for t in texts if "detached" not in t
            )  # maxima with infinities: cases in cases
        except tadc.Error:
            continue  # it is one of those that are refused


def set_by_tex(texts, folder):
    """The log of a document of these texts."""
    pages = "\n\\clearpage\n".join(f"\\noindent\n{text}" for text in texts)
    (folder / "printed.tex").write_text(DOCUMENT % pages)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "printed.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    return done.stdout


@pytest.mark.tex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
@pytest.mark.parametrize("part", range(6))
def test_latex_with_amsmath_alone_prints_formulas_and_derivatives_within_a_page(part, tmp_path):
    sources = [path.read_text("utf-8") for path in FORMULAS[part::6]]
    names = [n for n in list(FORMULAS_OF_PAPERS)[part::40] if n not in TOO_WIDE]
    sources += [FORMULAS_OF_PAPERS[n].text for n in names]
    log = set_by_tex(list(printed(sources)), tmp_path)

    too_wide = [float(n) for n in re.findall(r"Overfull .hbox \(([0-9.]+)pt", log)]
    assert not [n for n in too_wide if n > 2], too_wide
