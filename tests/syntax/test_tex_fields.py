"""Notations of single fields: chemistry, statistics, signals and numerics, as their papers print them."""

from __future__ import annotations

import numpy as np
import pytest

import tadc


def read(text: str, *arrays, **sizes):
    return tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")(*arrays, **sizes)


def shown(text: str) -> str:
    return str(tadc.compile(text, lang="tex", backend="interpreter"))


@pytest.mark.parametrize("reals", ["R", r"\mathcal{R}", r"\mathbf{R}", r"\Re", r"I\!R", r"\R"])
def test_the_real_numbers_have_other_letters_behind_a_sign_of_membership(reals):
    text = rf"Let $x \in {reals}^{{N \times 3}}$. \[ y_i = \sum_j x_{{ij}} \]"

    assert "input x[N, 3]" in shown(text)


def test_a_set_without_a_power_is_no_shape():
    assert "input x[I]" in shown(r"Let $x \in R$. \[ y_i = 2 x_i \]")


def test_a_plus_above_a_difference_is_the_positive_part():
    x = np.array([0.5, 2.0])

    np.testing.assert_array_equal(read(r"\[ y_i = (x_i - 1)^+ \]", x), [0.0, 1.0])


def test_a_plus_above_brackets_without_a_sum_is_unclear():
    with pytest.raises(
        tadc.SyntaxError, match="positive part of each element, or the pseudoinverse"
    ):
        tadc.compile(r"%!tadc input A[N, M], b[N]" "\n" r"\[ x = (A)^+ b \]", lang="tex")


def test_a_zero_above_a_name_is_a_label_unless_other_powers_stand_beside_it():
    assert "t_0[a]" in shown(r"\[ t_a(v_a) = t_a^0 (1 + v_a) \]")
    assert "1 + x[i]**3" in shown(r"\[ f_i = x_i^0 + x_i^3 \]")


def test_upright_names_in_square_brackets_are_concentrations():
    text = r"\[ v = \frac{V [\mathrm{S}]}{K + [\mathrm{S}]} \]"

    assert read(text, 2.0, 3.0, 1.0) == 1.5


def test_an_arrow_behind_what_it_replaces_defines_the_new_value():
    text = "%!tadc input v[N]\n" r"\[ v \to v / \sqrt{\|v\|_2^2 + a} \]"

    np.testing.assert_allclose(read(text, np.array([3.0, 4.0]), 0.0), [0.6, 0.8])


def test_labels_of_numbers_on_a_left_side_are_no_indices():
    assert "E_o = R_n - G" in shown(r"\[ E_o = R_n - G \]")
    assert "ET_o = R_n*T" in shown(r"\[ ET_o = R_n T \]")
    assert "L_lmc" in shown(r"\[ L_{lmc} = \sum_i (x_i - m) \]")


def test_a_logarithm_with_a_label_is_of_another_quantity_than_those_with_an_index():
    text = r"\[ \ln \eta_m = \sum_i x_i \ln \eta_i \]"

    assert read(text, np.ones(2), np.e * np.ones(2)) == 2.0


def test_a_quotient_of_one_function_at_two_places_is_one_name():
    assert "I_over_I = 1 - " in shown(r"\[ \frac{I(\mu)}{I(1)} = 1 - c (1 - \mu) \]")


def test_margins_are_means_or_sums_as_the_prose_calls_them():
    text = r"\[ S_{ij} = F_{ij} - F_{i \bullet} \] where $F_{i \bullet}$ denotes the %s over $j$."
    F = np.arange(6.0).reshape(2, 3)

    np.testing.assert_allclose(read(text % "average", F), F - F.mean(1, keepdims=True))
    np.testing.assert_allclose(read(text % "total", F), F - F.sum(1, keepdims=True))
    with pytest.raises(tadc.SyntaxError, match="may be the sum or the mean"):
        tadc.compile(text % "margin", lang="tex")


def test_cases_that_take_a_range_apart_say_the_range():
    text = r"\[ a_p = \begin{cases} 1, & p = 0 \\ 2, & 1 \le p \le M-1 \end{cases} \]"

    np.testing.assert_array_equal(read(text, M=4), [1, 2, 2, 2])
    with pytest.raises(tadc.SyntaxError, match="may leave something out"):
        tadc.compile(text.replace(r"1 \le p", r"2 \le p"), lang="tex")


def test_two_definitions_of_one_letter_are_two_tensors_by_their_indices():
    text = r"\[ a_p = p + \frac{1}{2}, \; p = 0, \dots, M-1 \] \[ a_q = 2 q, \; q = 0, \dots, N-1 \] \[ B_{pq} = a_p a_q \]"

    np.testing.assert_allclose(read(text, M=3, N=2), np.outer(np.arange(3) + 0.5, [0, 2]))


def test_even_and_odd_places_are_one_definition():
    text = r"With $v \in \mathbb{R}^{2N}$ \[ v_{2j} = x_j, \quad v_{2j+1} = y_j \]"

    np.testing.assert_array_equal(
        read(text, np.arange(2.0), np.arange(2.0) + 9, N=2), [0, 9, 1, 10]
    )


def test_even_places_count_from_one_beside_those_before():
    text = r"\[ v_{2j-1} = x_j, \quad v_{2j} = y_j, \quad j = 1, \dots, N \]"

    np.testing.assert_array_equal(
        read(text, np.arange(2.0), np.arange(2.0) + 9, N=2), [0, 9, 1, 10]
    )


@pytest.mark.parametrize(
    "text", [r"\[ v_{2j} = x_j \]", r"\[ v_{2j} = x_j, \quad v_{2j+1} = \sum_{k=1}^{N} y_{jk} \]"]
)
def test_half_of_a_tensor_is_told_how_to_be_whole(text):
    with pytest.raises(tadc.SyntaxError, match="is not a bare index") as caught:
        tadc.compile(text, lang="tex")

    assert "the even and the odd places" in str(caught.value)


def test_a_sum_covers_the_terms_behind_it_in_a_denominator_too():
    text = r"\[ d = \frac{\sum_i x_i y_i}{\sum_i x_i + y_i} \]"

    assert read(text, np.array([1.0, 2.0]), np.array([3.0, 4.0])) == 11 / 10


def test_a_sum_up_to_an_index_in_brackets_is_one_for_each():
    text = r"\[ y(k) = \sum_{i=1}^{k} B(i) \]"

    np.testing.assert_array_equal(read(text, np.arange(4.0)), np.cumsum(np.arange(4.0)))


def test_capitals_above_a_name_that_stand_nowhere_else_are_a_label():
    assert "d_BC[j: J]" in shown(r"\[ d^{BC}_j = \sum_i x_{ij} \]")
    with pytest.raises(tadc.SyntaxError):
        tadc.compile(r"\[ d^{BC}_j = B \sum_i x_{ij} \]", lang="tex")


def test_an_index_behind_a_star_is_one_of_replicates():
    text = r"\[ m = \frac{1}{B} \sum_{b=1}^{B} \hat\theta^{*b} \]"

    assert read(text, np.arange(4.0)) == 1.5


def test_a_number_in_front_of_a_bracket_with_itself_is_a_factor():
    assert "F_1*(F_1 - 1)" in shown(r"\[ S = F_1 (F_1 - 1) \]")


def test_an_array_below_a_name_may_be_a_label_where_its_elements_are_numbers():
    text = r"\[ L = \sum_i w_{y_i} (y_i - p_i)^2 \]"

    with pytest.raises(tadc.SyntaxError, match="may be a label here, or an array of indices"):
        tadc.compile(text, lang="tex")
    assert "w_y[i]" in shown("%!tadc input w_y[N]\n" + text)


def test_pairs_of_a_set_are_of_all_where_the_left_side_is_about_the_set():
    d = np.arange(9.0).reshape(3, 3)
    text = r"\[ E(G) = \sum_{i \neq j \in G} d_{ij} \]"

    assert read(text, d) == d.sum() - np.trace(d)
    with pytest.raises(tadc.SyntaxError, match="sets have no place"):
        tadc.compile(text.replace("E(G)", "E"), lang="tex")


def test_a_power_is_a_size_of_its_own_in_a_shape():
    text = r"With $q \in \mathbb{R}^{M^2 \times d}$ \[ s_i = \sum_j q_{ij} \]"

    assert "input q[M_power_2, d]" in shown(text)


def test_a_function_of_an_element_with_two_indices_is_given_at_both():
    text = r"\[ N_k = \sum_{n=1}^{N} \gamma(z_{nk}), \quad m_k = \frac{1}{N_k} \sum_{n=1}^{N} \gamma(z_{nk}) x_n \]"

    assert "gamma[n, k]" in shown(text)


def test_components_in_the_prose_are_no_formula():
    text = r"With points $\mathbf{v}_i = (x_i, y_i)$, \[ E = \sum_{i=1}^{n} \|\mathbf{v}_i\|^2 \]"

    assert "input v[n" in shown("%!tadc input v[n, 2]\n" + text)


def test_a_magnitude_that_is_defined_is_read_where_its_bars_stand():
    text = r"\[ |\psi_i|^2 = a_i^2 + b_i^2, \quad n = \sum_i |\psi_i|^2 \]"

    assert read(text, np.array([1.0, 2.0]), np.array([0.0, 1.0])) == 6.0


def test_authors_abbreviate_the_marks_of_displays():
    text = (
        r"\newcommand{\be}{\begin{equation}} \def\ee{\end{equation}}"
        "\n"
        r"Then \be y_i = 2 x_i , \ee and more."
    )

    assert "y[i: I] = 2*x[i]" in shown(text)
    with pytest.raises(tadc.SyntaxError, match=r"`\\be` is not closed") as caught:
        tadc.compile(text.replace(r"\ee and", "and"), lang="tex")
    assert caught.value.errors[0].fix == r"add `\end{equation}`"


def test_what_stands_under_a_word_is_its_subscript():
    text = "%!tadc input e[N, M]\n" r"\[ a_{ij} = \underset{j}{\operatorname{softmax}}(e_{ij}) \]"

    np.testing.assert_allclose(read(text, np.zeros((2, 4))), 0.25)


@pytest.mark.parametrize("label", ["Na", "Ca", "2SLS", "BCE"])
def test_symbols_and_acronyms_below_names_are_labels(label):
    text = rf"\[ y = \sum_{{j=1}}^{{N}} x_j + g_{{{label}}} \]"

    assert f"g_{label}[]" in shown(text)


def test_a_letter_that_is_an_index_makes_no_symbol():
    text = "%!tadc size N = 2\n%!tadc input x[9]\n" r"\[ y_i = x_{Ni}, \quad i = 0, \dots, 3 \]"

    np.testing.assert_array_equal(read(text, np.arange(9.0)), [0, 2, 4, 6])


def test_rows_are_told_by_numbers_in_front_of_an_index():
    y = np.array([[1.0, 2.0], [4.0, 6.0]])

    assert read(r"\[ d = \sum_{j=1}^{p} (y_{1j} - y_{2j})^2 \]", y) == 25


def test_margins_with_numbers_are_read():
    y = np.array([[1.0, 2.0], [4.0, 6.0]])

    assert read(r"\[ r = y_{1+} / y_{2+} + 0 \sum_{i=1}^{2} \sum_{j=1}^{2} y_{ij} \]", y) == 0.3


def test_a_letter_in_brackets_is_an_index_of_a_declared_tensor():
    text = (
        "%!tadc input alpha[M, L], d[M]\n"
        r"\[ T(\lambda) = \prod_{m=1}^{M} \exp(-\alpha_m(\lambda) d_m) \]"
    )

    assert read(text, np.ones((2, 3)), np.zeros(2)).shape == (3,)


def test_powers_stand_between_a_name_with_an_index_and_its_brackets():
    x = np.arange(6.0).reshape(2, 3)
    text = r"\[ s_c = \sum_{n=1}^{N} x_c^2[n] + \sum_{n=1}^{N} x_c[n] \]"

    np.testing.assert_allclose(read(text, x), (x**2 + x).sum(1))


def test_magnitudes_with_a_list_are_defined():
    assert "S_hat_abs[k: K]" in shown(
        r"\[ |\hat{S}(k)| = \max(|Y(k)| - N(k), 0), \quad k = 0, \dots, K-1 \]"
    )


def test_an_index_in_brackets_above_is_one_on_the_left_too():
    text = (
        r"\begin{align} s_k &= \sum_{i=1}^{N} w_i^{(k)} x_i, & w_i^{(k)} &= t_i \tau_k \end{align}"
    )

    f = tadc.compile(text, lang="tex", backend="interpreter")
    np.testing.assert_allclose(f(x=np.ones(2), t=np.ones(2), tau=np.arange(3.0)), [0, 2, 4])


def test_a_named_set_of_integers_is_a_range():
    text = r"\[ s = \frac{1}{|E|} \sum_{i \in E} x_i \] where $E = \{1, \dots, m\}$."

    assert "sum{i=0..m - 1} x[i]" in shown(text)
    assert read(text, np.array([1.0, 3.0])) == 2


def test_a_constraint_behind_a_formula_changes_no_value():
    text = r"\[ s = \sum_{i=1}^{n} v_i x_i, \quad \text{s.t. } \sum_{i=1}^{n} x_i \le 1 \]"

    assert "sum{i=0..n - 1} v[i]*x[i]" in shown(text)


def test_signals_with_labels_have_indices_in_brackets():
    text = (
        "%!tadc input C_in[N]\n"
        r"\[ C_{\mathrm{out}}[n] = \sum_{m=0}^{n} C_{\mathrm{in}}[n-m], \quad n = 0, \dots, N-1 \]"
    )

    np.testing.assert_allclose(read(text, np.array([1.0, 2.0, 4.0])), [1, 3, 7])


def test_the_step_before_may_be_declared_by_its_name():
    text = "%!tadc input h_prev[d], x_t[d]\n" r"\[ h_t = a h_{t-1} + x_t \]"

    assert "h_prev[d]" in shown(text)


def test_empty_braces_below_a_left_side_are_an_error():
    with pytest.raises(tadc.SyntaxError):
        tadc.compile(r"%!tadc input k[N, N]" "\n" r"\[ k_{}(i, j) = 2 k(i, j) \]", lang="tex")
