r"""What a declaration, a definition or a sentence makes clear: `s_n^j`, `f(0)`, `S_0(t)`, `F_0` of an `F`, and where sums begin; and bars around matrices."""

from __future__ import annotations

import numpy as np
import pytest
from refused import assert_is_refused

import tadc


def value(text: str, *arrays):
    return tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")(*arrays)


def test_an_index_above_a_declared_name_with_a_label_is_its_subscript():
    text = "%!tadc input s_n[L]\n" r"\[ y = \sum_{j=1}^{L} s_n^j \]"

    assert value(text, np.array([1.0, 2.0, 4.0])) == 7


@pytest.mark.parametrize("line", ["", "%!tadc input s_n[N]\n", "%!tadc input s[L]\n"])
def test_an_index_above_what_may_be_raised_is_refused(line):
    assert_is_refused(
        line + r"\[ y = \sum_{j=0}^{L} s_n^j w_j \]", "`^j` may be a power or an index"
    )


def test_a_function_is_applied_at_a_number_that_its_range_leaves_out():
    text = r"\[ a_t = \frac{f(t)}{f(0)}, \quad f(t) = \cos(t), \quad t = 1, \dots, T \]"
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")

    np.testing.assert_allclose(f(T=3), np.cos([1.0, 2.0, 3.0]))


def test_a_number_below_the_name_that_a_formula_defines_is_part_of_another_name():
    text = r"where $v, h \in \mathbb{R}^3$ \[ F = F_0 + (1 - F_0) (1 - v \cdot h)^5 \]"

    assert set(tadc.compile(text, lang="tex").inputs) == {"F_0", "v", "h"}


def test_a_declared_number_is_given_at_the_point_in_brackets_behind_it():
    line = "%!tadc input S_0[], b[p], x[p]\n"
    text = line + r"\[ h(t) = 1 - S_0(t)^{\exp(\sum_{i=1}^{p} b_i x_i)} \]"
    f = tadc.compile(text, lang="tex")

    assert f.inputs == ("S_0", "b", "x")
    assert any("`t` is one point" in note.text for note in f.notes)


@pytest.mark.parametrize(
    "text",
    [
        "%!tadc input S_0[], b[]\n" r"\[ h(t) = S_0(t) e^{-b t} \]",
        "%!tadc input h[]\n" r"\[ y_i = h(x_i) \]",
        "%!tadc input k[], t[]\n" r"\[ y = k(t) \]",
    ],
)
def test_one_name_in_brackets_behind_a_declared_number_is_no_factor(text):
    with pytest.raises(tadc.SyntaxError, match="is it given at this place, or a factor"):
        tadc.compile(text, lang="tex")


def test_a_sum_in_brackets_behind_a_declared_number_is_a_factor():
    assert value("%!tadc input k[]\n" r"\[ y = k (a - b) \]", 2.0, 5.0, 1.0) == 8


def test_a_declared_number_in_the_list_of_a_left_side_has_no_index():
    text = "%!tadc input q[N], R_c[]\n" r"\[ E(R_c) = \sum_{i=1}^{N} q_i R_c \]"
    f = tadc.compile(text, lang="tex")

    assert f.outputs == ("E",)
    assert "E = " in str(f)


@pytest.mark.parametrize("word", [r"\mathbf{tr}", r"\mathsf{tr}", r"\mathrm{Tr}\,"])
def test_a_word_in_bold_is_the_function_of_that_name(word):
    text = rf"$K, L \in \mathbb{{R}}^{{m \times m}}$ \[ y = {word} K L \]"
    k, m = np.arange(4.0).reshape(2, 2), np.array([[1.0, 2.0], [3.0, 5.0]])

    assert value(text, k, m) == np.trace(k @ m)


def test_a_plus_below_the_bracket_around_an_element_is_its_positive_part():
    np.testing.assert_array_equal(value(r"\[ y_i = (x_i)_+ \]", [-1.0, 2.0]), [0.0, 2.0])


def test_bars_around_a_square_matrix_are_refused():
    with pytest.raises(tadc.SyntaxError, match="determinant, or for the absolute value"):
        tadc.compile("%!tadc input A[N, N]\n" r"\[ y = |A| \]", lang="tex")


def test_bars_around_a_matrix_that_is_not_square_are_of_elements():
    text = "%!tadc input A[2, 3]\n" r"\[ Y = |A| \]"

    np.testing.assert_array_equal(value(text, -np.ones((2, 3))), np.ones((2, 3)))


SHAPES = r"$Q, K \in \mathbb{R}^{L \times d}$ "


@pytest.mark.parametrize("sentence", ["", "The product is taken elementwise; exp is a function."])
def test_the_exponential_of_a_matrix_is_refused(sentence):
    text = SHAPES + r"\[ A = \exp(Q K^\top) \]" + sentence

    assert_is_refused(text, "`exp` of")


def test_the_exponential_of_a_matrix_is_that_of_its_elements_where_the_prose_says_so():
    text = SHAPES + r"\[ A = \exp(Q K^\top) \] Here $\exp(\cdot)$ is applied elementwise."
    q, k = np.array([[1.0, 2.0], [0.0, 1.0]]), np.array([[0.5, 0.0], [1.0, 1.0]])

    np.testing.assert_allclose(value(text, q, k), np.exp(q @ k.T))


def test_ones_with_the_length_of_a_shape_below_them_are_a_vector():
    text = (
        SHAPES
        + r"\[ A = Q K^\top, \quad D = \operatorname{diag}(A \mathbf{1}_L), \quad Y = D^{-1} A Q \]"
    )
    q, k = np.array([[1.0, 2.0], [1.0, 1.0]]), np.array([[0.5, 1.0], [1.0, 1.0]])
    a = q @ k.T

    np.testing.assert_allclose(value(text, q, k), a / a.sum(1, keepdims=True) @ q)


@pytest.mark.parametrize(
    ("sentence", "is_definition"),
    [
        ("where $c = 2 \\pi f$ is the frequency.", True),
        ("where $c = a f$.", True),
        ("The rate of $N$ rows of $L$ is $c = N/L$. Then all is done.", True),
        ("where $c = NLG$.", False),
        ("where $c = f$.", False),
        ("For the choice $c = 2 f$ it is the best.", False),
    ],
)
def test_a_product_in_the_prose_defines_a_number(sentence, is_definition):
    f = tadc.compile(f"\\[ y_i = e^{{-c x_i}} \\]\n{sentence}", lang="tex")

    assert ("c" not in f.inputs) == is_definition


def test_a_set_without_one_of_its_members():
    text = r"\[ h_i = \sum_{j \in \mathcal{N}_i \setminus \{i\}} x_j \] $\mathcal{N}_i = \{j \mid A_{ij} = 1\}$"
    a = np.array([[1.0, 1.0], [0.0, 1.0]])

    np.testing.assert_array_equal(value(text, a, [3.0, 5.0]), [5.0, 0.0])


def test_a_printed_zero_is_the_first_subscript_beside_a_declared_base():
    text = "%!tadc base 1\n" r"\[ y = b_0 + \sum_{k=1}^{K} b_k x_k + \sum_{i=0}^{N} c_i \]"
    b, x, c = [1.0, 2.0, 3.0], [10.0, 100.0], [0.5, 0.25]

    assert value(text, b, x, c) == 1 + 20 + 300 + 0.75


@pytest.mark.parametrize(
    "formula",
    [
        r"y_t = x_t - x_{t-1}, \quad t = 1, \dots, N",
        r"y = \sum_{i=0}^{N-1} x_i + \sum_j x_j^2",
    ],
)
def test_what_may_begin_at_zero_by_chance_begins_at_the_declared_base(formula):
    with pytest.raises(tadc.Error, match="but x begins at 1"):
        tadc.compile(f"%!tadc base 1\n%!tadc input x[N]\n\\[ {formula} \\]", lang="tex")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r"C = \sum_i \sum_j p_{j|i} \log \frac{p_{j|i}}{q_{j|i}}", lambda p, q: np.sum(p * np.log(p / q))),
        (r"C_{ij} = \frac{p_{i|j} + p_{j|i}}{2} q_{i|j} q_{j|i}", lambda p, q: (p + p.T) / 2 * q * q.T),
    ],
)  # fmt: skip
def test_the_order_of_conditionals_that_makes_no_difference_is_not_asked_for(formula, expected):
    text = f"%!tadc input p[N, N], q[N, N]\n\\[ {formula} \\]"
    p, q = np.array([[1.0, 2.0], [3.0, 5.0]]), np.array([[7.0, 11.0], [13.0, 17.0]])

    np.testing.assert_allclose(value(text, p, q), expected(p, q))


@pytest.mark.parametrize(
    "formula",
    [
        r"C_{ij} = p_{j|i} - p_{i|j}",
        r"C = \sum_i \sum_j w_i p_{j|i}",
        r"C = \sum_{i<j} p_{j|i}",
        r"C_i = \sum_j p_{j|i}",
        r"C = \sum_{i,j} p_{j|i} q_{ij}",
    ],
)
def test_the_order_of_conditionals_is_asked_for(formula):
    text = f"%!tadc input p[N, N], q[N, N], w[N]\n\\[ {formula} \\]"

    assert_is_refused(text, "the order of the dimensions of a conditional is not told")


def test_conditionals_beside_a_joint_probability_are_of_another_tensor():
    f = tadc.compile(r"\[ p_{ij} = \frac{p_{j|i} + p_{i|j}}{2 n} \]", lang="tex")

    assert (f.inputs, f.outputs) == (("p_given", "n"), ("p",))


def test_a_power_of_an_element_that_has_all_its_subscripts():
    text = "%!tadc input x[N]\n" r"\[ m_k = \sum_{i=1}^{N} x_i^k, \quad k = 1, \dots, K \]"
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")

    np.testing.assert_array_equal(f([2.0, 3.0], K=3), [5.0, 13.0, 35.0])


@pytest.mark.parametrize("line", ["%!tadc input x[N, K]\n", ""])
def test_an_index_above_an_element_that_may_have_one_more_is_refused(line):
    text = line + r"\[ m_k = \sum_{i=1}^{N} x_i^k, \quad k = 1, \dots, K \]"

    assert_is_refused(text, "`^k` may be a power or an index")


@pytest.mark.parametrize("line", ["", "%!tadc input q[]\n"])
def test_a_letter_below_a_function_that_is_a_number_is_a_label(line):
    text = line + r"\[ S_q(p) = \frac{1}{q - 1} \left( 1 - \sum_{i=1}^{W} p_i^q \right) \]"

    assert tadc.compile(text, lang="tex").outputs == ("S_q",)


def test_a_result_that_is_printed_from_zero_on_begins_there_beside_sums_from_one():
    text = r"\[ y = x_0 + 2 x_1, \quad x_l = \sum_{i=1}^{m} r_i \cdot (i + l), \quad l = 0, \dots, L \]"
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")

    assert f([1.0, 10.0], L=1) == (1 + 20) + 2 * (2 + 30)


def test_a_sum_runs_along_all_of_a_result_that_begins_elsewhere():
    text = r"\[ x_l = \sum_{i=1}^{m} r_i c_{il}, \quad l = 0, \dots, L \] \[ y = \sum_l x_l w_l \]"
    r, c, w = np.array([1.0, 2.0]), np.arange(6.0).reshape(2, 3), np.array([3.0, 5.0, 7.0])

    assert value(text, r, c, w) == r @ c @ w


def test_a_sum_behind_a_range_is_a_formula_of_its_own():
    text = r"\[ x_i = a_{i+1} - a_{i-1}, \quad i = 2, \dots, N - 1, \qquad y = \sum_i x_i^2 \]"

    assert value(text, [1.0, 2.0, 4.0, 8.0]) == 9 + 36


def test_a_quotient_of_products_on_a_left_side():
    text = r"\[ \frac{P V}{N k} = \sum_i T_i \]"

    assert tadc.compile(text, lang="tex").outputs == ("P_V_over_Nk",)


def test_an_equation_that_alone_reads_what_is_defined_is_not_left_out():
    text = r"\[ (a + b)^2 - c = \sum_i x_i w_i, \qquad x_i = \exp(z_i) \]"

    assert_is_refused(text, "is no name, and its equation reads what others define")


@pytest.mark.parametrize("mark", [r"\overline{x^2}", r"\bar{x_i^2}", r"\hat{x^{3}}"])
def test_a_mark_above_a_power_is_refused(mark):
    assert_is_refused(rf"\[ y_i = {mark} - a \]", "is a mark above a power")


def test_a_mark_above_an_element_is_part_of_its_name():
    assert tadc.compile(r"\[ y_i = \hat{x_i} + \bar{z}^2 \]", lang="tex").inputs == (
        "x_hat",
        "z_bar",
    )


def test_axes_below_a_left_side_and_below_one_name_are_labels():
    f = tadc.compile(r"\[ y_x = u_x^2 + u_y^2 \]", lang="tex")

    assert (f.inputs, f.outputs) == (("u_x", "u_y"), ("y_x",))


@pytest.mark.parametrize("factor", ["c", "(1 - c)", "c_i"])
def test_a_factor_behind_the_logarithm_of_a_quotient_is_refused(factor):
    assert_is_refused(
        rf"\[ y_i = \log \frac{{a_i}}{{b_i}} {factor} \]", "or of the product with it"
    )


def test_a_sum_behind_the_logarithm_of_a_quotient_is_none_of_it():
    f = tadc.compile(r"\[ y = \sum_i p_i \log \frac{p_i}{q_i} - \sin \frac{a}{b} x \]", lang="tex")

    assert "p[i]*log(p[i]/q[i]) - sin(a/b*x)" in str(f)


@pytest.mark.parametrize(
    "formula",
    [
        r"p_{nk} = \mathrm{softmax}(z_n)_k",
        r"p_{nk} = \mathrm{softmax}(z_{nk})_k",
        r"p_{nk} = \exp \log \mathrm{softmax}(z_n)_k",
    ],
)
def test_an_index_behind_a_softmax_is_of_its_element(formula):
    z = np.array([[1.0, 2.0, 4.0], [0.0, 3.0, -1.0]])
    expected = np.exp(z) / np.exp(z).sum(1, keepdims=True)

    np.testing.assert_allclose(value(f"%!tadc input z[N, K]\n\\[ {formula} \\]", z), expected)


def test_a_function_below_a_left_side_is_a_label():
    text = r"\[ L_D = \sum_{i=1}^{m} (D(x_i) - b)^2 \] \[ D(x) = \tanh(w x) \]"
    f = tadc.compile(text, lang="tex")

    assert ({*f.inputs}, f.outputs) == ({"x", "b", "w"}, ("L_D",))


def test_an_index_above_a_left_side_is_that_above_what_is_read():
    line = "%!tadc input e[f, k]\n"
    text = line + r"\[ v_i^{(t)} = z_i e_i^{(t)}, \quad z_i = \sum_{t=1}^{k} e_i^{(t)} \]"
    e = np.arange(6.0).reshape(2, 3)

    np.testing.assert_array_equal(value(text, e), e.sum(1, keepdims=True) * e)


MATRIX = r"$X, W \in \mathbb{R}^{d \times m}$ "


@pytest.mark.parametrize(
    "definition",
    [
        r"\|W\|_{2,1} = \sum_{i=1}^d \sqrt{\sum_{j=1}^m w_{ij}^2}",
        r"\|W\|_{2,1} = \sum_i \sqrt{\sum_j W_{ij}^2}",
        r"\|A\|_{2,1} = \sum_i \sqrt{\sum_j A_{ij}^2}",
    ],
)
def test_a_norm_is_what_the_document_defines(definition):
    text = MATRIX + rf"\[ J = 2 \|W\|_{{2,1}}^2 \] where ${definition}$."
    w = np.array([[3.0, 4.0], [0.0, 1.0]])

    assert value(text, w) == 72


def test_a_norm_that_is_defined_up_to_other_sizes_is_not_told():
    text = (
        MATRIX
        + r"\[ J = \|W\|_{2,1} \] where $\|A\|_{2,1} = \sum_{i=1}^k \sqrt{\sum_{j=1}^m A_{ij}^2}$."
    )

    with pytest.raises(tadc.Error):
        tadc.compile(text, lang="tex")
