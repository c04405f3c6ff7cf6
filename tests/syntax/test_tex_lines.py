r"""Lines that decide: `%!tadc LETTER is NAME` gives a name, and `%!tadc agree GUESS` agrees with a guess."""

import re

import numpy as np
import pytest

import tadc
from tadc.cli import commands
from tadc.syntax.tex.agreed import agreement


def read(text):
    return tadc.compile(text, lang="tex")


LETTERS = [
    (r"\bar{x} is dx", r"y_i = \bar{x}_i", "dx"),
    (r"\sigma_{\mathcal{B}}^2 is variance", r"y_i = x_i \sigma_{\mathcal{B}}^2", "variance"),
    (r"\sigma_{\mathcal{B}}^2 is variance", r"y_i = x_i / \sqrt{\sigma^2_{\mathcal{B}} + 1}", "variance"),
    (r"\bar{\mu}_{\mathcal{B}} is dmu", r"y_i = \bar{\mu}_{\mathcal{B}, i}", "dmu"),
    (r"u^{(1)} is first", r"y_i = (u_i^{(1)})^2", "first"),
    (r"u^{*} is best", r"y_i = u^{*}_i + u_i", "best"),
    (r"\mathbf{x}' is moved", r"y_i = \mathbf{x}'_i", "moved"),
    (r"E_k is energy", r"y_i = E_k x_i", "energy"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "formula", "name"), LETTERS)
def test_a_letter_with_its_labels_is_the_name_that_a_line_gives_it(line, formula, name):
    f = read(f"%!tadc {line}\n\\[ {formula} \\]")

    assert name in f.inputs
    assert not [note.text for note in f.notes if note.is_guess]


def test_a_letter_without_the_labels_is_another_one():
    f = read("%!tadc \\sigma^2 is v\n" r"\[ y_i = \sigma^2 x_i + \sigma z_i \]")

    assert f.inputs == ("v", "x", "sigma", "z")


def test_an_index_may_have_a_letter():
    f = read("%!tadc i' is j\n" r"\[ y = \sum_{i'} x_{i'} z_{i'} \]")

    assert "sum{j=0.." in str(f)


@pytest.mark.parametrize(
    ("line", "fact"),
    [(r"\bar{x} is 2x", "is no name"), (r"\frac{a}{b} is x", "is no letter with labels"), ("x_i_j is y", "is no letter with labels")],
)  # fmt: skip
def test_a_line_that_gives_no_letter_a_name_is_an_error(line, fact):
    with pytest.raises(tadc.SyntaxError, match=fact):
        read(f"%!tadc {line}\n\\[ y_i = x_i \\]")


GUESSED = r"""\[ y_i = T_c x_i + w^* \] where $x_i = 2 z_i$."""


def test_lines_agree_with_guesses():
    f = read(GUESSED)
    guesses = [note for note in f.notes if note.is_guess]
    assert len(guesses) >= 2

    lines = "\n".join(map(agreement, guesses))
    g = read(f"{lines}\n{GUESSED}")

    assert str(g) == str(f)
    assert not [note for note in g.notes if note.is_guess]
    assert [note.text for note in g.notes] == [note.text for note in f.notes]


def test_the_lines_of_strict_errors_can_be_pasted(tmp_path, capsys):
    path = tmp_path / "paper.tex"
    path.write_text(GUESSED)
    assert commands.main(["show", str(path), "--strict"], standalone_mode=False)
    lines = re.findall(r"write `(%!tadc agree [^`]+)`", capsys.readouterr().err)
    assert len(lines) >= 2

    path.write_text("\n".join([*lines, GUESSED]))
    assert not commands.main(["show", str(path), "--strict"], standalone_mode=False)


def test_a_line_that_agrees_with_nothing_is_an_error():
    with pytest.raises(tadc.SyntaxError, match="nothing is guessed"):
        read("%!tadc agree `x` is a vector: it is bold\n\\[ y_i = x_i \\]")


def test_the_value_of_argmax_is_a_guess_where_nothing_tells_the_first_index():
    text = r"\[ y = \operatorname*{argmax}_k x_k \]"

    assert any("count from 0" in n.text and n.is_guess for n in read(text).notes)
    assert not any(n.is_guess for n in read(f"%!tadc base 1\n{text}").notes)


def test_a_product_of_derivatives_is_read_as_it_is_printed():
    f = read("\\providecommand{\\gated}{\\,}\n" r"\[ y_i = a_i \gated \frac{1}{b_i} \]")

    assert "gate(a[i], 1/b[i])" in str(f)
    np.testing.assert_array_equal(f(np.zeros(2), np.zeros(2)), 0)


def test_an_own_macro_of_that_name_is_the_document_s():
    f = read("\\newcommand{\\gated}{+}\n" r"\[ y_i = a_i \gated b_i \]")

    assert "a[i] + b[i]" in str(f)


PRINTED = [
    ("W^Q[D, K]", "W_Q[D, K]", r"y_k = \sum_d W^Q_{dk}"),
    (r"W_{\mathrm{in}}[D, K]", "W_in[D, K]", r"y_k = \sum_d W_{\mathrm{in}, dk}"),
    (r"\hat y[D]", "y_hat[D]", r"y = \sum_d \hat{y}_d"),
    (r"\mathbf{W}^{(1)}[D, K]", "W_1[D, K]", r"y_k = \sum_d W^{(1)}_{dk}"),
    ("x'[D]", "x_prime[D]", r"y = \sum_d x'_d"),
    (r"\beta_0[], x^*[D]", "beta_0[], x_star[D]", r"y = \beta_0 \sum_d x_d^*"),
    ("d^-[D]", "d_minus[D]", r"y = \sum_d d_d^-"),
    (r"x[D_{\text{in}}, D_{\max}]", "x[D_in, D_max]", r"y = \sum_{ij} x_{ij}"),
]


@pytest.mark.parametrize(("printed", "plain", "formula"), PRINTED)
def test_a_line_has_names_as_the_paper_prints_them(printed, plain, formula):
    text = f"\\[ {formula} \\]"

    assert str(read(f"%!tadc input {printed}\n{text}")) == str(
        read(f"%!tadc input {plain}\n{text}")
    )


def test_a_power_in_a_line_is_no_name():
    with pytest.raises(tadc.SyntaxError, match="is not a power"):
        read("%!tadc input W^2[D]\n" r"\[ y = \sum_d W_d \]")


def test_what_stands_behind_a_printed_name_keeps_its_column():
    with pytest.raises(tadc.SyntaxError) as caught:
        read("%!tadc input \\hat{y}[N]]\n" r"\[ y_i = \hat{y}_i \]")

    assert caught.value.errors[0].span.column == len(r"%!tadc input \hat{y}[N]") + 1
