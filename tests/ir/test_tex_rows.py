r"""Rows of printed LaTeX fit a page: by estimated widths, and as TeX measures them."""

import re
import shutil
import subprocess

import pytest

import tadc
from tadc.printing.tex_rows import rows
from tadc.printing.tex_width import PAGE, width

LONG = r"\sum_{i=0}^{N - 1} \biggl(\bar{x}_{i} \gated \frac{1}{\sqrt{s + \epsilon}} + \sum_{j=0}^{N - 1} a_{ij} b_{j} c_{j} - x y z (u + v_{i})\biggr) p q r s"


@pytest.mark.parametrize("most", [60, 100, 150, 200])
def test_rows_hold_all_of_a_formula_and_begin_with_signs_or_factors(most):
    found = rows(LONG, most)

    assert len(found) > 1
    joined = " ".join(found).replace(r"\gatedby", r"\gated")
    assert joined.replace(r"\times ", "") == LONG
    assert all(re.match(r"[-+/]|\\times|\\gatedby", row) for row in found[1:])
    assert not any(re.search(r"[-+(]$|\\gated$|\\sum_\{[^}]*\}\^\{[^}]*\}$", row) for row in found)


def test_a_row_ends_before_a_sign_of_the_outermost_sum_if_it_can():
    found = rows(r"a_{i} b_{i} (c_{i} + d_{i}) + e_{i} f_{i} (g_{i} + h_{i})", 110)

    assert found == [r"a_{i} b_{i} (c_{i} + d_{i})", r"+ e_{i} f_{i} (g_{i} + h_{i})"]


def test_a_row_may_end_behind_brackets_with_a_sum_in_a_fraction():
    factor = r"\exp\left(\frac{\sum_{k=0}^{d - 1} q_{ik} k_{jk}}{\sqrt{d}}\right)"

    found = rows(f"\\biggl({factor} \\gated {factor} + {factor}\\biggr) + x", 210)

    assert found == [rf"\biggl({factor} \gated {factor}", rf"+ {factor}\biggr) + x"]


def test_a_formula_without_a_place_for_a_cut_is_one_row():
    assert rows(r"\frac{a + b + c + d + e}{2}", 20) == [r"\frac{a + b + c + d + e}{2}"]


PARTS = [
    "a + b - c", r"\frac{a_{i} + b_{j}}{2}", r"\sum_{i=0}^{N - 1} x_{i}", r"\mathit{center}_{ij} = 2", r"\sqrt{x_{i}^{2} + 1}", "ABC xyz mw",
    r"\begin{cases} 0 & \text{if } i = j \\ \sum_{d=0}^{2} (R_{id} - R_{jd})^{2} & \text{otherwise} \end{cases}", r"\exp(-\alpha \beta_{i})",
    r"\sum_{\substack{0 \le i \le N - 1 \\ i \ne j}} x_{i}", r"\operatorname{relu}(x_{i}) \times \biggl(\frac{1}{x_{i}}\biggr)", r"\bar{x}_{i} \cdot 2.5",
    r"\left[1 \le i \le N - 2\right] x_{i}", r"\lfloor (i + 1)/2 \rfloor \bmod 3", r"\hat{\mathbf{x}}^{\mathrm{in}}_{ijk}",
    r"\tanh(x_{i}) \sinh(\Psi_{i}) \arctan(\phi)", r"\mathit{SIGMA} + \mathbf{W} \mathbf{M}", r"\mathrm{mw} \log(\eta)",
]  # fmt: skip


@pytest.mark.tex
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex")
def test_widths_are_about_those_of_tex(tmp_path):
    boxes = "\n".join(rf"\sbox0{{$\displaystyle {p}$}}\typeout{{width \the\wd0}}" for p in PARTS)
    text = f"\\documentclass{{article}}\\usepackage{{amsmath}}\\begin{{document}}\n{boxes}\nx\\end{{document}}\n"
    (tmp_path / "boxes.tex").write_text(text)
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "boxes.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace",
    )  # fmt: skip
    measured = [float(n) for n in re.findall(r"width ([0-9.]+)pt", done.stdout)]

    assert len(measured) == len(PARTS), done.stdout[-2000:]
    for part, points in zip(PARTS, measured, strict=True):
        assert 0.95 * points <= width(part) <= 1.4 * points + 12, (part, points)


def test_a_sum_of_many_terms_is_cut_without_measuring_all_of_it_again():
    f = tadc.compile("y[i: 9] = " + " + ".join(f"x[i]*a{n}" for n in range(900)))

    printed = f.source("latex").splitlines()
    assert max(width(line.split("&")[-1]) for line in printed if "&" in line) <= PAGE
