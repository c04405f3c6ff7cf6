r"""What may be read in two ways is an error that shows both; what a line decides is then right; macros; notes."""

from __future__ import annotations

import numpy as np
import pytest

import tadc
from tadc.errors import Source
from tadc.syntax.tex.macros import expanded

# A formula; what the error says; lines that decide, and the program that each gives.
TWO_READINGS = [
    (r"y_i = \sum_{k=0}^{2} a_k x_i^k", "may be a power or an index", {
        "%!tadc upper": "y[i] = sum{k=0..2} a[k]*x[i, k]"}),
    (r"y_i = x_i^p", "may be a power or a label", {"%!tadc input x[N], p[]": "input x[N], p[]; y[i] = x[i]**p"}),
    (r"y_i = \sigma(x_i)", "may be the sigmoid or a product", {
        "where $\\sigma$ is the logistic function": "y[i] = sigmoid(x[i])",
        "%!tadc input sigma[]": "input sigma[]; y[i] = sigma*x[i]"}),
    (r"y_{ij} = X^2_{ij}", "of the matrix, or of the element", {}),
    (r"y_{ij} = X^{-1}_{ij}", "of the matrix, or of the element", {}),
    (r"y_i = \sum_j x_{j|i}", "order of the dimensions", {
        "%!tadc input x[3, 2], z[2], w[3]": ""}),
    (r"s = \sum_{i=1}^{N} a_i + \sum_{k=0}^{M} b_k x^k", "may be a power or an index", {}),
    (r"s = \sum_{i=1}^{N} a_i + \sum_{k=0}^{M} b_{2k+1}", "is the first element `x_0` or `x_1`", {
        "%!tadc base 0": "size N, M; s = (sum{i=1..N} a[i]) + (sum{k=0..M} b[2*k + 1])",
        "%!tadc base 1": "base 1; size N, M; s = (sum{i=1..N} a[i]) + (sum{k=0..M} b[2*k + 1])"}),
    (r"y_i = a(i+1) + x_i", "may be an element of `a`, a function of it, or a product", {
        "%!tadc base 0\n%!tadc input a[]": "input a[]; y[i] = a*(i + 1) + x[i]"}),
    (r"y_i = \sum_j x_j e^{-i j}", "complex numbers are not there yet", {}),
    (r"y = \sum_i i x_i", "nothing tells whether it starts at 0 or at 1", {
        "%!tadc base 0": "y = sum{i} i*x[i]",
        "%!tadc base 1": "y = sum{i} (i + 1)*x[i]"}),
    (r"y_i = a_{+} x_i", "may be the positive part of `a`, or a name with a label", {
        "%!tadc input a_plus[]": "input a_plus[]; y[i] = a_plus*x[i]"}),
    (r"y_i = \mathbf{S}_i \cdot \mathbf{h}", "beside a vector may be a vector or a number", {
        "%!tadc input S[N, D], h[D]": "size N, D; input S[N, D], h[D]; y[i] = sum{d} S[i,d]*h[d]"}),
    (r"y = \mathbb{E}[x_i]", "an expectation is no formula of tensors", {}),
    (r"y_i^{t+1} = y_i + x_i", "loop over time", {}),
    (r"T_i^j = u_i v^j", "`^j` may be an index or a label", {"%!tadc upper": "T[i, j] = u[i]*v[j]"}),
    (r"y^j = \sum_a x_a^j w_a", "`^j` may be an index or a label", {"%!tadc upper": "y[j] = sum{a} x[a, j]*w[a]"}),
    (r"T_i^j = u_i v_j", "or an index", {"%!tadc upper": "T[i, j] = u[i]*v[j]"}),
]  # fmt: skip
# The index on the left is one, so that `i` is none of these.
COMPLEX = r"y_i = \sum_j x_j e^{-i j}"


@pytest.mark.parametrize(("formula", "fact", "lines"), [t for t in TWO_READINGS if t[0] != COMPLEX])
def test_what_has_two_readings_is_an_error_and_a_line_decides(formula, fact, lines):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(formula, lang="tex")
    assert fact in caught.value.fact
    assert caught.value.fix

    for line, program in lines.items():
        if program:
            decided = tadc.compile(f"{line}\n\\[ {formula} \\]", lang="tex")
            plain = tadc.compile(program)
            assert str(decided).splitlines()[-1] == str(plain).splitlines()[-1]


LABELS_ABOVE = {
    r"E^x_k = h_k a^x, \quad E^y_k = h_k a^y": ["x", "y"],
    r"h_i^t = \tanh(w x_i^t)": ["t"],
    r"K = \sum_a x_a^i x_a^j": ["i", "j"],
}


@pytest.mark.parametrize("formula", LABELS_ABOVE)
def test_letters_above_names_that_are_labels_are_said(formula):
    notes = tadc.compile(formula, lang="tex").notes

    said = [
        f"`^{x}` is a label, part of the name: nothing binds `{x}`" for x in LABELS_ABOVE[formula]
    ]
    assert [n.text for n in notes if n.is_guess and "label" in n.text] == said


@pytest.mark.parametrize(
    ("formula", "readings"),
    [
        (r"f_i = e^{-E_i / k_B T}", (r"\frac{-E_i}{k_B} T", r"\frac{-E_i}{k_B T}")),
        (r"f_i = a_i/b_i c_i (d_i + 1) + 2", (r"\frac{a_i}{b_i} c_i (d_i + 1)", r"\frac{a_i}{b_i c_i (d_i + 1)}")),
        (r"f_i = x_{i \bmod 3 i}", (r"(i \bmod 3)\, i", r"i \bmod (3 i)")),
        (r"f_i = x / \|b\| \|c\| d_i", (r"\frac{x}{\|b\|} \|c\| d_i", r"\frac{x}{\|b\| \|c\| d_i}")),
        (rf"f_i = a_i/b_i {' '.join('c_i' for _ in range(20))}", (r"\frac{a}{b} c", r"\frac{a}{b c}")),
    ],
)  # fmt: skip
def test_a_slash_in_front_of_several_factors_shows_both_fractions(formula, readings):
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(formula, lang="tex")

    assert caught.value.fix == "write `{}` or `{}`".format(*readings)


def test_an_imaginary_unit_is_refused_and_an_index_of_that_name_is_none():
    with pytest.raises(tadc.Error, match="complex numbers"):
        tadc.compile(r"X_k = \sum_n x_n e^{-2 \pi i k n}", lang="tex")
    assert tadc.compile("%!tadc base 0\n" r"y_i = x_i e^{-i}", lang="tex").inputs == ("x",)


def test_the_order_of_a_conditional_is_told_by_declared_extents():
    text = "%!tadc input c[I, J], u[I, J, D]\n\\[ s_j = \\sum_i c_{ij} u_{j|i} \\]"
    c, u = np.random.default_rng(0).random((3, 2)), np.random.default_rng(1).random((3, 2, 4))

    np.testing.assert_allclose(tadc.compile(text, lang="tex")(c, u), np.einsum("ij,ijd->jd", c, u))
    with pytest.raises(tadc.Error, match="order of the dimensions"):
        tadc.compile(text.replace("[I, J", "[I, I"), lang="tex")


MACROS = {
    r"\newcommand{\v}[1]{\mathbf{#1}} \[ y_i = \v{x}_i \]": "y[i] = x[i]",
    r"\newcommand{\p}[2][2]{#2^{#1}} \[ y_i = \p{x_i} + \p[3]{x_i} \]": "y[i] = x[i]**2 + x[i]**3",
    r"\def\half{\frac12} \[ y_i = \half x_i \]": "y[i] = 1/2*x[i]",
    r"\def\e#1#2{#1_{#2}} \[ y_i = \e xi \]": "y[i] = x[i]",
    r"\DeclareMathOperator{\relu}{ReLU} \[ y_i = \relu(x_i) \]": "y[i] = relu(x[i])",
    r"\DeclarePairedDelimiter{\abso}{\lvert}{\rvert} \[ y_i = \abso*{x_i} + \abso[\big]{z_i} \]": "y[i] = abs(x[i]) + abs(z[i])",
    r"\newcommand{\a}{x} \[ y_i = \a_i \] \renewcommand{\a}{z} \[ w_i = \a_i \]": "y[i] = x[i]; w[i] = z[i]",
    r"\[ y_i = \abs{x_i} \qty(1 + z_i) \]": "y[i] = abs(x[i])*(1 + z[i])",
    r"\[ \vb{y}_i \coloneqq \underbrace{x_i}_{\text{the input}} + \textcolor{red}{z_i} \]": "y[i] = x[i] + z[i]",
    r"\[ y_i = {\rm max}(x_i, 0) \]": "y[i] = max(x[i], 0)",
}  # fmt: skip


@pytest.mark.parametrize("text", MACROS)
def test_macros_are_expanded(text):
    assert str(tadc.compile(text, lang="tex")) == str(tadc.compile(MACROS[text]))


@pytest.mark.parametrize(
    ("macros", "call", "fact"),
    [
        (r"\newcommand{\a}{\a + x_i}", r"\a", "expands without end"),
        (r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\a\a}", r"\a", "expands without end"),
        (r"\newcommand{\a}[2]{#1 + #2}", r"\a{x_i}", "has 2 arguments"),
        (r"\newcommand{\a}{\unknown}", r"\a", "not a command that tadc knows"),
    ],
)
def test_a_macro_that_cannot_be_expanded_is_an_error_at_its_call(macros, call, fact):
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(f"{macros}\n\\[ y_i = {call} \\]", lang="tex")

    assert fact in caught.value.fact
    assert caught.value.span.text.startswith(call[:2])


def test_a_macro_that_expands_without_end_is_not_expanded_and_those_beside_it_are():
    text = r"\def\a{{\a}\b + }\def\b{x_i} \[ y_i = \b + \a + \b \]"
    source = Source(text)

    expansion, _ = expanded(source, [(text.index(r"\["), len(text))])

    assert expansion.text.endswith(r"\[ y_i = x_i + \a + x_i \]")
    assert list(expansion.failed) == ["a"]


def test_an_error_in_an_argument_of_a_macro_is_shown_there():
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile("\\newcommand{\\a}[1]{2 #1}\n\\[ y_i = \\a{x_i + \\foo} \\]", lang="tex")

    assert caught.value.span.text == r"\foo"


def test_notes_tell_how_a_document_was_read():
    f = tadc.compile(r"\[ k_i = \sigma_f^2 \sum_{j=1}^{J} x_{ij} \] \[ a + b \ge 2 \]", lang="tex")

    texts = [note.text for note in f.notes]
    assert "indices start at 1, since every range starts at 1: `j=1`" in texts
    assert "`J` is a size: it is a bound" in texts
    (guess,) = (note for note in f.notes if note.is_guess)
    assert guess.text == "`sigma_f` is one name: nothing binds `f`"
    assert guess.span.text == r"\sigma_f"
    assert "k[i] = sigma_f**2*(sum{j=1..J} x[i, j])" in f.reading
    assert "skipped, line 1: a + b \\ge 2: it defines nothing" in f.reading
    assert tadc.compile("y[i] = x[i]").reading == ""


# What may be misread easily: formulas, and the program that each is.
SEVERAL_AT_ONCE = [
    (r"s = \sum_{i,j=1}^{m,n} a_{ij}", "size m, n; input a[m, n]; s = sum{i=0..m-1} sum{j=0..n-1} a[i, j]"),
    (r"s = \sum_{i=1,j=1}^{m,n} a_{ij}", "size m, n; input a[m, n]; s = sum{i=0..m-1} sum{j=0..n-1} a[i, j]"),
    (r"y_i = \sum_{j,k \ne i} a_{ijk}", "y[i] = sum{j, k | j != i and k != i} a[i, j, k]"),
    (r"s = \sum_{i, j \ne i} a_{ij}", "s = sum{i, j | j != i} a[i, j]"),
    (r"s = \sum_{k, i < j} a_{ijk}", "s = sum{i, j, k | i < j} a[i, j, k]"),
    (r"s = \sum_{k, i \ne j} a_{ijk}", "s = sum{i, j, k | i != j} a[i, j, k]"),
    (r"\Delta_h u_i = w_i^2", "Delta_h_u[i] = w[i]**2"),
    (r"G_i^4 = a_i^4", "G_4[i] = a[i]**4"),
    (r"h_i^{(l)} = \sum_j w_{ij}^{(l)} h_j^{(l-1)}", "h_l[i] = sum{j} w_l[i, j]*h_l_minus_1[j]"),
    (r"y_i = a_i (x_i^* - x_i)", "y[i] = a[i]*(x_star[i] - x[i])"),
    (r"z_i = \gamma_i p_i + \sum_j \gamma_{ij} p_j",
     "input gamma_i[N], p[N], gamma[N, N]; z[i] = gamma_i[i]*p[i] + sum{j} gamma[i, j]*p[j]"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "program"), SEVERAL_AT_ONCE)
def test_limits_and_marks_of_several_are_those_of_each(formula, program):
    found, plain = tadc.compile(formula, lang="tex"), tadc.compile(program.replace("; ", "\n"))
    random = np.random.default_rng(0)
    given = {name: random.random((3,) * plain.rank(name)) for name in plain.inputs}

    assert {*found.inputs} == {*plain.inputs}
    np.testing.assert_allclose(
        found(*(given[n] for n in found.inputs)), plain(*(given[n] for n in plain.inputs))
    )


WITHOUT_BASE = [
    r"\sum_{ij} (-1)^{i+j} x_{ij}",
    r"\sum_{i<j} x_i x_j",
    r"\sum_{ij} (i - j)^2 x_{ij}",
    r"\sum_{ij} x_{ij} \delta_{ij}",
]


@pytest.mark.parametrize("formula", WITHOUT_BASE)
def test_differences_of_indices_need_no_first_index(formula):
    x = np.random.default_rng(0).random((3, 3))
    text = rf"\[ s = {formula} \]"
    values = [tadc.compile(f"%!tadc base {n}\n{text}", lang="tex") for n in (0, 1)]
    f = tadc.compile(text, lang="tex")
    given = x if len(f.program.inputs[0].shape) == 2 else x[0]

    np.testing.assert_allclose([g(given) for g in values], f(given))


def test_signs_below_a_letter_are_labels_where_both_signs_are():
    f = tadc.compile(r"\[ y_i = a_+ x_i + a_- z_i \]", lang="tex")

    assert f.inputs == ("a_plus", "x", "a_minus", "z")


def test_a_bold_e_is_no_number():
    f = tadc.compile(r"\[ y_i = \mathbf{e}_i + e^{x_i} \]", lang="tex")

    assert f.inputs == ("e", "x")
    assert tadc.compile(r"\[ y_i = x_i \cdot \mathbf{e}^\top \mathbf{z} \]", lang="tex").inputs == (
        "x",
        "e",
        "z",
    )


EASILY_MISREAD = [
    (r"\[ I = \sum_{i,j} p_{ij} \log \frac{p_{ij}}{p_i p_j} \]", "may be elements of one vector, or of several"),
    (r"\[ f_j = \frac{1}{n} \sum_{i=1}^n K_h(x_j - x_i) \]", "a function of it, or a product"),
    (r"\[ s = \sum_{i=1}^n x_i^{(n-1)} \]", "may be a power or a label"),
    (r"\[ H = \sum_{\langle ij \rangle} s_i s_j \]", "which pairs are neighbours"),
    (r"\[ y_u = c(u) x_u \] with $c(u) = 2$ for $u = 0$; $c(u) = 1$ otherwise.", "condition in the words"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "fact"), EASILY_MISREAD)
def test_what_is_misread_easily_is_refused(text, fact):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")

    assert fact in str(caught.value)
    assert caught.value.errors[0].fix


def test_elements_at_half_places_are_a_tensor_with_one_more_of_them():
    text = r"\[ v_i = u_i - c (F_{i+\frac12} - F_{i-\frac12}), \quad i = 1, \dots, N \]"
    u, edges = np.random.default_rng(0).random(4), np.random.default_rng(1).random(5)

    f = tadc.compile(text, lang="tex")

    assert f.inputs == ("u", "c", "F_half")
    np.testing.assert_allclose(f(u, 2.0, edges), u - 2 * np.diff(edges))
    assert any("half places" in note.text for note in f.notes)


def test_half_places_of_different_dimensions_are_different_tensors():
    text = r"\[ c_{ij} = E_{i+1/2,j} - E_{i-1/2,j} + E_{i,j+1/2} - E_{i,j-1/2}, \quad i = 1, \dots, N, \; j = 1, \dots, M \]"

    f = tadc.compile(text, lang="tex")

    assert f.inputs == ("E_half_i", "E_half_j")
    assert f(np.ones((4, 2)), np.ones((3, 3))).shape == (3, 2)


def test_signs_above_names_are_labels_where_both_stand():
    f = tadc.compile(r"\[ c_i = \frac{d_i^-}{d_i^+ + d_i^-} \]", lang="tex")

    assert f.inputs == ("d_minus", "d_plus")


@pytest.mark.parametrize("said", [r"$\gamma \in [0, 1)$", r"$0 < \gamma < 1$"])
def test_a_name_in_an_interval_is_a_number_and_may_have_powers(said):
    formula = r"\[ g = \sum_{k=0}^{K} \gamma^k r_k \]"

    assert "gamma**k" in str(tadc.compile(f"With {said}: {formula}", lang="tex"))
    with pytest.raises(tadc.SyntaxError, match="a power or an index"):
        tadc.compile(formula, lang="tex")
    with pytest.raises(tadc.SyntaxError, match="a power or an index"):
        tadc.compile(rf"With {said}: {formula} \[ b_i = \gamma_i r_i \]", lang="tex")


def test_square_brackets_above_a_name_are_a_label_and_no_power():
    square = r"\[ z_i = \sum_j W^{[1]}_{ij} x_j + \sum_j W^{[2]}_{ij} x_j + b^{[2]}_i \]"

    f = tadc.compile(square, lang="tex")
    assert f.inputs == ("W_1", "x", "W_2", "b_2")
    assert str(f) == str(
        tadc.compile(square.replace("[1]", "(1)").replace("[2]", "(2)"), lang="tex")
    )


def test_a_condition_in_square_brackets_above_a_name_is_a_power():
    assert "b[i]**" in str(tadc.compile(r"\[ z_i = b_i^{[x_i > 0]} \]", lang="tex"))


def test_a_function_that_is_defined_twice_is_an_error():
    twice = r"\[ w_{ij} = \frac{a_{ij}}{k(i) k(j)}, \quad k(i) = \sum_l a_{il}, \quad k(j) = \sum_l a_{lj} \]"

    with pytest.raises(tadc.SyntaxError, match="defined twice"):
        tadc.compile(twice, lang="tex")


@pytest.mark.parametrize("rest", ["otherwise", "t > 0"])
def test_a_case_at_zero_beside_a_sum_from_one_on_asks_for_the_base(rest):
    rest = rf"\text{{{rest}}}" if rest == "otherwise" else rest
    text = rf"\[ y_t = \begin{{cases}} 1, & t = 0, \\ x_t / \sum_{{j=1}}^t x_j, & {rest} \end{{cases}} \]"

    with pytest.raises(tadc.SyntaxError, match="`x_0` or `x_1`"):
        tadc.compile(text, lang="tex")
    f = tadc.compile(f"%!tadc base 0\n{text}", lang="tex", backend="interpreter")
    assert f([4.0, 3.0, 1.0]).tolist() == [1.0, 1.0, 0.25]


def test_the_double_of_a_number_defines_it():
    text = r"\[ Q = \frac{1}{2m} \sum_i k_i^2 \] where $2m = \sum_i k_i$"

    assert tadc.compile(text, lang="tex", backend="interpreter")([1.0, 3.0]) == 2.5


LABELS = [r"R, G, B", r"\mathrm{red}, \mathrm{green}, \text{blue}"]


@pytest.mark.parametrize("labels", LABELS)
def test_an_index_counts_the_labels_of_a_set(labels):
    f = tadc.compile(
        rf"\[ y = \sum_{{c \in \{{{labels}\}}}} w_c \sum_{{k=0}}^{{K-1}} x_{{ck}} \]", lang="tex"
    )

    assert "sum{c=0..2}" in str(f)


@pytest.mark.parametrize(
    "text",
    [
        r"y = \sum_{x \in \{A, B\}} x^2 w_x",
        r"y_A = \sum_{c \in \{A, B\}} w_c",
        r"y_{ij} = \sum_{k \in \{i, j\}} x_k",
    ],
)
def test_a_set_whose_elements_stand_elsewhere_lists_no_labels(text):
    with pytest.raises(tadc.SyntaxError, match="is not told"):
        tadc.compile(text, lang="tex")


CAPITAL_TWINS = {
    r"Q_H^{(i)} = C_H U_i, \quad Q_E^{(i)} = C_E U_i": ["Q_H[i: I] = C_H*U[i]", "Q_E[i: I] = C_E*U[i]"],
    r"Q_H = \sum_i C_H U_i, \quad Q_E = \sum_i C_E U_i": ["Q_H = sum{i=0..I - 1} C_H*U[i]", "Q_E = sum{i=0..I - 1} C_E*U[i]"],
    r"k_A = v_A / d_A^2, \quad k_B = v_B / d_B^2, \quad k = k_A k_B": ["k_A = v_A/d_A**2", "k_B = v_B/d_B**2", "k = k_A*k_B"],
}  # fmt: skip


@pytest.mark.parametrize("formula", CAPITAL_TWINS)
def test_definitions_that_differ_in_one_capital_have_it_in_their_names(formula):
    program = str(tadc.compile(formula, lang="tex"))

    assert [line for line in program.splitlines() if " = " in line] == CAPITAL_TWINS[formula]


def test_capitals_that_are_lengths_or_indices_tell_no_definitions_apart():
    for text in (
        r"X_N = \sum_{i=1}^N x_i, \quad X_M = \sum_{i=1}^M y_i",
        r"Q_H = C_H U_H, \quad Q_E = C_E U_E, \quad s = \sum_H U_H",
    ):
        with pytest.raises(tadc.Error):
            tadc.compile(text, lang="tex")


def test_definitions_that_differ_in_a_capital_are_of_two_tensors():
    text = r"\[ F_l = H_{T,l} - H_{S,l}, \quad H_{T,l} = p_l^2, \quad H_{S,l} = \sum_{s=1}^{S} q_{ls} \]"

    assert tadc.compile(text, lang="tex").inputs == ("p", "q")


def test_a_capital_above_a_left_side_may_stand_below_a_size():
    text = r"\[ \rho^A_{ij} = \sum_{k=1}^{d_B} x_{ik} x_{jk}, \quad \gamma = \sum_{i,j=1}^{d_A} (\rho^A_{ij})^2 \]"

    assert tadc.compile(text, lang="tex").inputs == ("x",)


def test_a_step_after_in_brackets_above_a_name_is_a_label():
    f = tadc.compile(r"\[ h_i = x_i^{[k]} + b_i^{(k+1)} \]", lang="tex")

    assert f.inputs == ("x_k", "b_k_plus_1")


def test_a_one_above_a_name_is_no_power():
    with pytest.raises(tadc.SyntaxError, match="hardly a power"):
        tadc.compile(r"\[ h_i = b_i^1 + b_i^2 \]", lang="tex")


def test_capitals_that_tell_one_name_apart_are_labels_beside_a_sum():
    text = r"\[ r_P = \sum_f m_f x_f - \sum_f d_f (x_N - x_P) \]"

    assert tadc.compile(text, lang="tex").inputs == ("m", "x", "d", "x_N", "x_P")
