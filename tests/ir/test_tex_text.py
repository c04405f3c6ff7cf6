"""What is printed as LaTeX reads well, and is read back as the same program."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from programs import normal, run
from random_programs import random_program

import tadc
from tadc import compiler
from tadc.cli import commands
from tadc.errors import Source
from tadc.printing.idx import program_text
from tadc.printing.tex import _COMMANDS, _ENCLOSING, tex_text

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.idx"))


def read_back(tex):
    return compiler.front(Source(tex), "tex", "p", {}).program


def formula(text):
    """The right side of the last statement."""
    display = tex_text(normal(text)).split(r"\end{align*}")[0]
    return display.split("&= ")[-1].strip()


def test_a_program_is_a_fragment_with_declarations_a_display_and_shapes():
    text = "size N\ninput a[N, 5], b[5]\nc[i]: float64 = sum{k} a[i,k]*b[k]"

    assert tex_text(normal(text)) == (
        "%!tadc size N\n"
        "%!tadc input a[N, 5], b[5]\n"
        "%!tadc output c\n"
        "%!tadc base 0\n"
        "\\providecommand{\\mathbb}[1]{\\mathbf{#1}}\n"
        "Let $a \\in \\mathbb{R}^{N \\times 5}$, $b \\in \\mathbb{R}^{5}$; all indices start at $0$. Then\n"
        "\\begin{align*}\n"
        "  c_{i} &= \\sum_{k=0}^{4} a_{ik} b_{k}\n"
        "\\end{align*}\n"
        "with $c \\in \\mathtt{float64}^{N}$.\n"
    )


ABC = "input a[], b[], c[]\n"
FORMULAS = [
    ("y = a - (b - c)", "a - (b - c)"),
    ("y = a*b*c", "a b c"),
    ("y = a*(b*c)", "a {b c}"),
    ("y = 2*a*3", r"2 a \cdot 3"),
    ("y = (a - b)/c", r"\frac{a - b}{c}"),
    ("y = a*(b/c)**2", r"a \left(\frac{b}{c}\right)^{2}"),
    ("y = -(a*b) + c", "-a b + c"),
    ("y = a**-b", "a^{-b}"),
    ("y = a*-1.5", r"a (-1.5)"),
    ("y = a + 2.5e-7*b*1e30", r"a + 2.5 \cdot 10^{-7} b \cdot {1.0 \cdot 10^{30}}"),
    ("y = a*pi - inf", r"a \pi - \infty"),
    ("y = exp(-a)**2 + abs(b)**2", r"(\exp(-a))^{2} + \left|b\right|^{2}"),
    ("y = sqrt(a)*cbrt(b)*sigmoid(c)", r"\sqrt{a} \sqrt[3]{b} \sigma(c)"),
    ("y = max(a, b) + atan2(a, c)", r"\max(a, b) + \operatorname{atan2}(a, c)"),
    ("y = floor(a/2) + floor(a)", r"\operatorname{floor}\left(\frac{a}{2}\right) + \left\lfloor a \right\rfloor"),
    ("y = log2(a) + log1p(b) + asin(c)", r"\log_{2}(a) + \operatorname{log1p}(b) + \arcsin(c)"),
    ("y[i: 9] = x[i//2, (2*i + 1)//3]", r"x_{\lfloor i/2 \rfloor, \lfloor (2 i + 1)/3 \rfloor}"),
    ("y[i: 9] = i*a + (i + 1)*b", "i a + (i + 1) b"),
    ("y = a*(sum{k: 3} x[k]) + b", r"a \sum_{k=0}^{2} x_{k} + b"),
    ("y = (sum{k: 3} x[k])*a", r"\left(\sum_{k=0}^{2} x_{k}\right) a"),
    ("y = max{k: 3} (x[k] + a)", r"\max_{k=0}^{2} (x_{k} + a)"),
    ("y[i: 3] = if i = 1 then a else if a > 0 then b else c",
     r"\begin{cases} a & \text{if } i = 1 \\ b & \text{if } a > 0 \\ c & \text{otherwise} \end{cases}"),
    ("size N\ny[i: N] = [1 <= i and i < N - 1]*x[i] + b", r"\left[1 \le i \le N - 2\right] x_{i} + b"),
    ("y[i: 9] = (if i % 2 = 0 then a*b else 0) + b", r"\left[i \bmod 2 = 0\right] a b + b"),
    ("y[i: 9] = prod{j: 3} sum{k=max(2, (i + 1) // 2)..min(4, i)} x[j, k]",
     r"\prod_{j=0}^{2} \sum_{k=\max(2, \lceil i/2 \rceil)}^{\min(4, i)} x_{jk}"),
    ("y[i: 3] = sum{k: 5 | (i + k) % 3 = 1} x[k]", r"\sum_{z=\lceil (i - 1)/3 \rceil}^{1} x_{3 z - i + 1}"),
    ("y = sum{k: 3, l: 5 | k != l} x[k, l]",
     r"\sum_{\substack{0 \le k \le 2 \\ 0 \le l \le 4 \\ k \ne l}} x_{kl}"),
    ("y = sum{k: 3 | k != 1} x[k]", r"\sum_{\substack{k=0 \\ k \ne 1}}^{2} x_{k}"),
    ("y = a/(b/c/2)", r"\frac{a}{\frac{b}{c} / 2}"),
    ("y = gate(a, b)*c", r"a \gated b c"),
    ("y = -gate(a, b)", r"-{a \gated b}"),
    ("y = -(a/b/c)", r"-{\frac{a}{b} / c}"),
    ("size d_in\ninput x[d_in]\ny = sum{k} x[k]", r"\sum_{k=0}^{d_{\mathrm{in}} - 1} x_{k}"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FORMULAS)
def test_formulas_are_written_as_people_write_them(text, expected):
    assert formula(ABC + text) == expected


@pytest.mark.parametrize(
    ("name", "tex"),
    [
        ("x_hat", r"\hat{x}_{i}"),
        ("x_prime", "x'_{i}"),
        ("alpha", r"\alpha_{i}"),
        ("alpha_1", r"\alpha^{(1)}_{i}"),
        ("u_prev", r"u^{\mathrm{prev}}_{i}"),
        ("dx_sum", r"\mathit{dx}^{\mathrm{sum}}_{i}"),
        ("center", r"\mathit{center}_{i}"),
        ("d2f_dx_", r"\mathit{d2f\_dx\_}_{i}"),
        ("exp", r"\mathit{exp}_{i}"),
        ("max", r"\mathit{max}_{i}"),
        ("for", r"\mathit{for}_{i}"),
        ("u_if", r"\mathit{u\_if}_{i}"),
        ("e", "e_{i}"),
        ("T", "T_{i}"),
        ("ψ", "ψ_{i}"),
    ],
)
def test_every_name_is_read_back(name, tex):
    program = normal(f"input {name}[3]\ny[i] = {name}[i] + i**{name}[0]")

    assert tex in tex_text(program)
    assert program_text(read_back(tex_text(program))) == program_text(program)


def test_a_long_sum_goes_on_in_the_next_row():
    program = normal("y[i: 9] = " + " + ".join(f"sin(a[i])*b[i]*c[i]/{n}" for n in range(2, 20)))
    tex = tex_text(program)

    assert tex.count("\\\\\n    &\\hspace{2em} + ") >= 2
    assert program_text(read_back(tex)) == program_text(program)


TRAPS = {
    "an index like an element": "input i[3], x[3]\ny[j: 3] = sum{i: 3} x[i]*i[1] + sum{i: 2, i_1: 3} i_1*x[i]",
    "a size like an element": "size N_1\ninput N[2], x[N_1]\ny[i] = x[i]*N_1*N[1]",
    "a sum over two that depend": "y = sum{k: 4, l=k..4} x[k, l]",
    "sizes beside indices": "size N, M\ninput x[N + 1, M]\ny[i: M] = x[N, i]",
    "sizes that are made": "size N, M\nsize P = min(N, M), Q = (N + 1) // 2\ninput x[N, M]\ny[i: P] = x[i,i]*Q",
    "sigma is a tensor": "y[i] = sigmoid(x[i])*sigma",
    "pi is a tensor": "y[i] = 3.141592653589793*pi[i]",
    "delta is a tensor": "y[i, j] = delta[i, j]",
    "a power of a reduction": "y = (sum{k: 3} x[k])**2",
    "a quotient of choices": "y[i: 3] = (if i = 1 then a else 0)/(if a < b then a else -b)",
    "signs": "y = --a*-b - (-a)*b/-c",
    "only sizes": "size N\ny = N*2",
    "nothing above": "y[i: 3] = 1",
    "not a number": "y = nan*a",
    "declared only": "input u[2], x[3]\ny = x[0]",
    "an output is an input": "input x[3]\noutput x, y\ny = x[0]",
    "an empty condition": "y[i: 3] = sum{k: 3 | 1 = 0} x[k] + a",
    "element types": "input x[3]: float64\ny[i]: float32 = x[i]",
    "a constant derivative": "y[i: 3] = sign(x[i])",
    "no order": "y = a*(2/3)*(1/b)*1e-3**2",
}


@pytest.mark.parametrize("text", TRAPS.values(), ids=TRAPS)
def test_traps_are_read_back(text):
    program = normal(text)

    assert program_text(read_back(tex_text(program))) == program_text(program)


def modes(f):
    """The function, its derivatives, and one of second order."""
    adjoint = f.adjoint()
    return f, adjoint, f.tangent(), adjoint.tangent()


def assert_same(program, arrays):
    """Same text; or same values, where even `.idx` text is read back as an equal program with another text."""
    again = read_back(tex_text(program))
    if program_text(again) == program_text(program):
        return
    given = {s: n for s, n in arrays.pop("sizes").items() if s in program.sizes}
    inputs = {**arrays, **_others(program, arrays, given)}
    for value, expected in zip(
        run(again, inputs, given).values(), run(program, inputs, given).values(), strict=True
    ):
        np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)


def _others(program, arrays, given):
    """Cotangents and tangents."""
    sizes = program.size_values(
        tadc.runtime.binding.bind_sizes(program, {n: np.shape(a) for n, a in arrays.items()}, given)
    )
    return {
        t.name: np.ones([n.at(sizes) for n in t.shape])
        for t in program.inputs
        if t.name not in arrays
    }


@pytest.mark.plain(path=4)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_and_their_derivatives_are_read_back(path):
    for g in modes(tadc.load(path)):
        program = g.program
        assert program_text(read_back(tex_text(program))) == program_text(program)


@pytest.mark.plain(seed=2)
@pytest.mark.parametrize("level", ["core", "full"])
@pytest.mark.parametrize(
    "seed", [*range(8), *(pytest.param(s, marks=pytest.mark.slow) for s in range(8, 50))]
)
def test_random_programs_and_their_derivatives_are_read_back(seed, level):
    source = random_program(seed, level)
    f = tadc.compile(source.text)
    try:
        f.program  # noqa: B018
    except tadc.SyntaxError as error:  # there is a program only for numbers
        f = f.fix(**{s: source.numbers[s] for s in error.sizes})
    for g in modes(f):
        if len(str(g)) < 30_000:
            assert_same(g.program, {**source.sample(seed), "sizes": source.sizes})


@pytest.mark.slow
def test_a_sum_of_ten_thousand_terms_is_printed():
    program = normal("y = " + " + ".join(["x*2"] * 10_000))

    assert tex_text(program).count("+") == 9_999


def test_the_tables_name_functions_of_the_language():
    from tadc.ir.functions import FUNCTIONS

    assert _COMMANDS.keys() | _ENCLOSING.keys() <= FUNCTIONS.keys()


def test_a_function_shows_its_display_in_a_notebook():
    f = tadc.compile("y[i] = x[i]**2")

    assert f._repr_latex_() == "\\begin{align*}\n  y_{i} &= x_{i}^{2}\n\\end{align*}"
    assert f._repr_latex_() in f.source("latex")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX")
def test_latex_compiles_what_is_printed(tmp_path):
    functions = [g for path in EXAMPLES for g in modes(tadc.load(path))]
    functions += [tadc.compile(ABC + text) for text, _ in FORMULAS]
    pages = "\n\n".join(g.source("latex") for g in functions)
    (tmp_path / "all.tex").write_text(
        "\\documentclass{article}\\usepackage{amsmath,amssymb}\\begin{document}\n"
        f"{pages}\n\\end{{document}}\n"
    )

    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)

    assert result.returncode == 0, result.stdout[-2000:]


def test_the_command_line_prints_latex(capsys):
    commands.main(["show", str(EXAMPLES[0]), "--format", "latex"], standalone_mode=False)

    assert capsys.readouterr().out == tadc.load(EXAMPLES[0]).source("latex")


def test_an_index_behind_an_element_is_neither_a_superscript_nor_a_subscript():
    text = "size N\ninput x[N]\noutput y\ny[i: N] = sum{k=0..2} x[i]**k + x[i]*(i + 1)\n"

    printed = tadc.compile(text).source("latex")

    assert tadc.compile(printed, lang="tex").source("idx") == text
