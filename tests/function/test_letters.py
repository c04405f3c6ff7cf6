r"""The letters that are printed: the document's own, accents for derivatives, free letters for sums, and its first index."""

import pytest

import tadc

BATCH_NORM = r"""\begin{align}
\mu_{\mathcal{B}} &\gets \frac{1}{m} \sum_{i=1}^{m} x_i \\
\sigma_{\mathcal{B}}^2 &\gets \frac{1}{m} \sum_{i=1}^{m} (x_i - \mu_{\mathcal{B}})^2 \\
\hat{x}_i &\gets \frac{x_i - \mu_{\mathcal{B}}}{\sqrt{\sigma_{\mathcal{B}}^2 + \epsilon}}
\end{align}"""


def read(text):
    return tadc.compile(text, lang="tex")


OWN = [
    (BATCH_NORM, [r"\mu_{\mathcal{B}}", r"\sigma^{2}_{\mathcal{B}}", r"\hat{x}_{i}", r"\sum_{i=1}^{m}", "start at $1$"]),
    (r"\[ y_i = \mathbf{x}_i x_i \]", [r"\mathbf{x}_{i} x_{i}"]),
    (r"\[ y_i = \boldsymbol{\theta}_i + \dot{\theta}_i \]", [r"\boldsymbol{\theta}_{i} + \dot{\theta}_{i}"]),
    (r"\newcommand{\vx}{\bm{x}} \[ y_i = \vx_i + z_i \]", [r"\boldsymbol{x}_{i}"]),
    (r"\[ y_i = W^{\mathrm{in}} x_i + k_{\rm B} \]", [r"W^{\mathrm{in}} x_{i} + k_{\mathrm{B}}"]),
    (r"\[ y_i = u^{(1)}_i u^{(2)}_i + x'_i \]", [r"u^{(1)}_{i} u^{(2)}_{i} + x'_{i}"]),
    (r"\[ y_i = x_i \Delta t \]", [r"x_{i} \Delta t"]),
    (r"\[ \mbox{loss} = \sum_{i=0}^{N-1} x_i \] \[ y_i = \mbox{loss}\, x_i \]", [r"\mathrm{loss}", "start at $0$"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "printed"), OWN)
def test_a_document_s_own_letters_are_printed_and_read_back(text, printed):
    f = read(text)

    for each in printed:
        assert each in f.source("latex")
    assert str(read(f.source("latex"))) == str(f)


def test_derivatives_have_accents_and_sums_have_free_letters():
    text = r"\[ \dot{\theta}_i = \omega_i + \frac{K}{N} \sum_{j=1}^{N} \sin(\theta_j - \theta_i) \]"
    f = read(text)

    printed = f.adjoint().source("latex")
    for each in (
        r"\bar{\dot{\theta}}_{i}",
        r"\bar{\omega}_{i} &=",
        "s_{i} &= ",
        r"\bar{s}_{i}",
        "i'",
    ):
        assert each in printed
    assert "dtheta" not in printed.split("Let")[1]
    assert r"\acute{\theta}" in f.tangent().source("latex")  # dots are velocities there


@pytest.mark.parametrize("mode", ["adjoint", "tangent", "jacobian", "gradient", "hessian", "hvp"])
def test_every_mode_is_read_back(mode):
    f = read(r"\[ L = \sum_{i=1}^{N} \sqrt{1 + x_i^2} \exp(-x_i) \]")
    g = getattr(f, mode)(wrt="x") if mode in ("jacobian", "hessian") else getattr(f, mode)()

    assert str(read(g.source("latex"))) == str(g)


def test_a_second_derivative_has_both_accents():
    g = read(r"\[ L = \sum_{i=1}^{N} x_i^3 \]").adjoint().tangent()

    assert r"\dot{\bar{x}}_{i}" in g.source("latex")
    assert str(read(g.source("latex"))) == str(g)


def test_an_accent_that_the_document_has_is_another_one_in_derivatives():
    f = read(r"\[ \bar{x} = \frac{1}{N} \sum_{i=1}^{N} x_i \] \[ y_i = x_i - \bar{x} \]")
    g = f.adjoint()

    assert r"\check{x}_{i}" in g.source("latex")
    assert str(read(g.source("latex"))) == str(g)


def test_letters_that_would_be_an_element_of_another_tensor_are_not_printed():
    f = tadc.compile("input x[3], x_1[3]\ny[i] = x[i]*x_1[i]")

    assert str(read(f.source("latex"))) == str(f)


def test_results_that_are_indices_are_printed_from_zero():
    f = read("%!tadc base 1\n" r"\[ k = \operatorname*{argmax}_{i} x_i \]")

    assert str(read(f.source("latex"))) == str(f)


def test_programs_of_index_notation_have_accents_and_free_letters_too():
    g = tadc.compile("y[i] = exp(x[i] - (max{j} x[j]))").adjoint()

    assert r"\bar{x}_{i}" in g.source("latex")
    assert str(read(g.source("latex"))) == str(g)
