"""Formulas that were read in one of two ways, and ask now."""

from __future__ import annotations

import pytest

import tadc


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (r"s_{jt} = \sum_{k=1}^{J} \exp(\delta_{kt} + \delta_{jt} + \mu_{jt})", "in the argument of `exp`"),
        (r"s = (\sigma_{11} - \sigma_{22})^2 + \sigma_{12}^2", "may be one subscript or two"),
        (r"s = \log a \sum_{i=1}^{N} x_i", "of the factors in front of the sum, or of the sum too"),
        ("%!tadc input x[N]\n" r"s = x_1 x_2 x_3", "nothing tells whether the first element is `x_0` or `x_1`"),
        (
            r"$x \in \mathbb{R}^N$, $n \in \mathbb{R}$ \[ y = S_n(x), \quad S_a(z) = \operatorname{sign}(z) \max(|z| - a, 0) \]",
            "is put in here",
        ),
        (r"$x_i \in \mathbb{R}^p$ \[ \ell = \sum_{i=1}^{n} y_i x_i^\top \beta_i \]", "is what the right side comes to"),
        (
            r"$\mathbf{x} \in \mathbb{R}^p$ \[ \ell = \| \mathbf{x} - \mathbf{W} \mathbf{x} \| \]",
            "may be a vector or a matrix",
        ),
        (r"$w, x \in \mathbb{R}^d$ \[ f = w_0 + w^\top x \]", "may be the first element of the vector, or a number of its own"),
        (
            r"$x_i, \beta \in \mathbb{R}^{p+1}$ \[ s = \sum_{i=1}^n (y_i - x_i^\top \beta)^2 + \beta_0 \]",
            "may be the first element of the vector, or a number of its own",
        ),
        (r"A^{(h)}_{ij} = \sum_{k=1}^{d} Q^{(h)}_{ik} K^{(h)}_{jk}, \quad h = 1, \dots, H", "which dimension is it?"),
        (r"f_i = \begin{cases} r_i^2 & r_i < a \\ a^2 & r_i > a \end{cases}", "leave out `r_i = a`"),
        (r"M_{i,j} = x_i", "the index `j` has no range"),
    ],
)  # fmt: skip
def test_what_fits_two_readings_is_refused(text, fact):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fact in str(caught.value)
    assert caught.value.errors[0].fix


@pytest.mark.parametrize(
    ("line", "program"),
    [("%!tadc base 0", "w[0] + "), ("%!tadc input w_0[]", "w_0 + ")],
)
def test_a_line_decides_what_a_zero_below_a_vector_is(line, program):
    f = tadc.compile(f"{line}\n$w, x \\in \\mathbb{{R}}^d$ \\[ f = w_0 + w^\\top x \\]", lang="tex")

    assert f"f = {program}" in str(f)


@pytest.mark.parametrize(
    ("sentence", "is_definition"),
    [
        ("The mean is $m = \\frac1n \\sum_{i=1}^n x_i$.", True),
        ("$m = \\frac1n \\sum_{i=1}^n x_i$ denotes the mean.", True),
        ("An alternative choice is $m = \\frac1n \\sum_{i=1}^n x_i$.", False),
        ("The minimiser is $m = \\frac1n \\sum_{i=1}^n x_i$.", False),
        ("If the data are centred, the mean is $m = \\frac1n \\sum_{i=1}^n x_i$.", False),
    ],
)
def test_prose_that_names_a_choice_defines_nothing(sentence, is_definition):
    f = tadc.compile(f"\\[ s = \\sum_{{i=1}}^n (x_i - m)^2 \\]\n{sentence}", lang="tex")

    assert ("m" not in f.inputs) == is_definition
