r"""How far a function, a product and a name reach: `\cos\theta x`, `\prod_j x_j c`, `[\mathrm{K}^+]_o`, `\mathbf{X}_{i,:}`, `1{,}000`."""

from __future__ import annotations

import pytest

import tadc


def lines_of(text: str) -> str:
    return str(tadc.compile(text, lang="tex"))


# A formula, what the error says, and another spelling with the program that it gives.
TWO_READINGS = [
    (
        r"y_i = \cos\theta_i (a_i + b_i)",
        "in front of the bracket, or of the product",
        r"y_i = \cos(\theta_i) \cdot (a_i + b_i)",
        "y[i] = cos(theta[i])*(a[i] + b[i])",
    ),
    (
        r"y_i = \log a_i (b_i + c)",
        "in front of the bracket, or of the product",
        r"y_i = \log(a_i (b_i + c))",
        "y[i] = log(a[i]*(b[i] + c))",
    ),
    (
        r"x_i = \cos\theta u_i - \sin\theta v_i",
        "in front of the letter, or of the product",
        r"x_i = u_i \cos\theta - v_i \sin\theta",
        "x[i] = u[i]*cos(theta) - v[i]*sin(theta)",
    ),
    (
        r"y = \prod_j x_j c",
        "a factor of each of its terms, or of the whole",
        r"y = \prod_j (x_j c)",
        "y = prod{j} (x[j]*c)",
    ),
    (
        r"y = \prod_j x_j \cdot 100",
        "a factor of each of its terms, or of the whole",
        r"y = 100 \prod_j x_j",
        "y = 100*prod{j} x[j]",
    ),
    (
        r"u = \sum_i \max_j a_{ij} b_i",
        "behind a maximum without its index",
        r"u = \sum_i b_i \max_j a_{ij}",
        "u = sum{i} b[i]*(max{j} a[i,j])",
    ),
    (
        r"y_i = \prod_j x_{ij} / n_i",
        "behind a product without its index",
        r"y_i = \frac{\prod_j x_{ij}}{n_i}",
        "y[i] = (prod{j} x[i,j])/n[i]",
    ),
    (
        r"y_i = K\left(\frac{x_i - z_i}{h}\right)",
        "may be an element of `K`, a function of it, or a product",
        r"y_i = K \cdot \left(\frac{x_i - z_i}{h}\right)",
        "y[i] = K*((x[i] - z[i])/h)",
    ),
    (
        r"y_i = 2{,}718 x_i",
        "may be 2718, or have a decimal comma",
        r"y_i = 2.718 x_i",
        "y[i] = 2.718*x[i]",
    ),
    (
        r"y_i = \sin(30^\circ) x_i",
        "degrees are no numbers of the formula",
        r"y_i = \sin(\frac{\pi}{180} \cdot 30) x_i",
        "y[i] = sin(pi/180*30)*x[i]",
    ),
]


@pytest.mark.parametrize(("formula", "fact", "clear", "program"), TWO_READINGS)
def test_what_reaches_in_two_ways_is_an_error_and_another_spelling_is_clear(
    formula, fact, clear, program
):
    with pytest.raises(tadc.SyntaxError) as caught:
        tadc.compile(rf"\[ {formula} \]", lang="tex")
    assert fact in caught.value.fact
    assert caught.value.fix

    read = lines_of(rf"\[ {clear} \]").splitlines()[-1]
    inputs = [line for line in lines_of(rf"\[ {clear} \]").splitlines() if "input" in line]
    assert read == str(tadc.compile("\n".join([*inputs, program]))).splitlines()[-1]


READ = [
    (r"y_i = \cos 2\pi (u x_i + v)", "y[i: I] = cos(2*3.141592653589793*(u*x[i] + v))"),
    (r"y_i = \cos\omega(t_i - s)", "y[i: I] = cos(omega*(t[i] - s))"),
    (r"y_i = \sin\theta_i \, (1 + \cos\theta_i)", "y[i: I] = sin(theta[i])*(1 + cos(theta[i]))"),
    (r"y_i = \log \Gamma(x_i + a)", "y[i: I] = lgamma(x[i] + a)"),
    (r"y = \prod_j a \, e^{-x_j}", "y = prod{j=0..J - 1} a*exp(-x[j])"),
    (r"y_i = \epsilon \left(\frac{a}{x_i}\right)^2", "y[i: I] = epsilon*(a/x[i])**2"),
    (r"y_i = 1{,}000 x_i", "y[i: I] = 1000*x[i]"),
    (r"y_i = 1{,}234{,}567.5 x_i", "y[i: I] = 1234567.5*x[i]"),
    (r"y_i = 0{,}5 x_i", "y[i: I] = 0.5*x[i]"),
    (r"v = \frac{V_{\max}[S]}{K_m + [S]}", "v = V_max*S/(K_m + S)"),
    (r"v = \sqrt[N]{x} [N]", "v = x**(1/N)*N"),
    (r"E = \frac{a [\mathrm{K}^+]_{\mathrm{o}}}{b [\mathrm{K}^+]_{\mathrm{i}}}", "E = a*K_o/(b*K_i)"),
    (r"V_m = R \ln\frac{a}{b}", "V_m = R*log(a/b)"),
    (r"y_i = I_i - g_L (V_i - E_L)", "y[i: I_1] = I[i] - g_L*(V[i] - E_L)"),
    (r"y_i = \sum_{k=0}^2 a_k (x_i)^k", "y[i: I] = sum{k=0..2} a[k]*x[i]**k"),
    (
        r"\sigma_x^2 = \frac1n \sum_{i=1}^n (x_i - \mu_x)^2",
        "sigma_x_squared = 1/n*(sum{i=0..n - 1} (x[i] - mu_x)**2)",
    ),
    (r"r = \frac{\sum_i w_i (d_i / n_i)}{\sum_i w_i}", "w[i]*(d[i]/n[i])"),
    (r"Q^{(i)} = U_i (T_i - a)", "Q[i: I] = U[i]*(T[i] - a)"),
    (r"x_i^\perp = a_i b_i", "x_perp[i: I] = a[i]*b[i]"),
    (
        r"c = \sqrt{\sum_{i<j} a_{ij} \sum_{i<j} b_{ij}}",
        "c = sqrt(sum{i=0..I - 1, j=i + 1..J - 1} a[i, j]*(sum{i_1=0..I_1 - 1, j_1=i_1 + 1..J_1 - 1} b[i_1, j_1]))",
    ),
    (
        r"c = \sum_{i<j} (d_{ij} - \bar{d})^2",
        "c = sum{i=0..I - 1, j=i + 1..J - 1} (d[i, j] - d_bar)**2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "line"), READ)
def test_what_reaches_in_one_way_is_read(formula, line):
    assert line in lines_of(rf"\[ {formula} \]")


def test_a_letter_behind_c_and_d_is_a_number_and_elsewhere_the_base_of_logarithms():
    with pytest.raises(tadc.SyntaxError, match="may be Euler's number"):
        lines_of(r"\[ y_i = a x_i + b + \frac{1}{c x_i + d + e} \]")
    told = "%!tadc input e[]\n"
    assert "d + e)" in lines_of(told + r"\[ y_i = a x_i + b + \frac{1}{c x_i + d + e} \]")
    assert "exp(1)" in lines_of(r"\[ y_i = x_i + e \]")


ROWS = [
    (r"s_j = \|X_{:,j}\|_2", "sum{d=0..N - 1} X[d, j]**2"),
    (r"s_i = \|X_{i:}\|_2", "sum{d=0..D - 1} X[i, d]**2"),
    (r"z_{t,:} = 2 X_{t,:}, \quad y_t = \|z_{t,:}\|_2", "z[t, d]**2"),
]


@pytest.mark.parametrize(("formula", "part"), ROWS)
def test_colons_are_rows_and_columns_of_declared_matrices(formula, part):
    read = lines_of(f"%!tadc input X[N, D]\n\\[ {formula} \\]").replace("k]", "d]")

    assert part in read.replace("{k=", "{d=").replace("{m=", "{d=").replace("m]", "d]")


@pytest.mark.parametrize(
    ("formula", "fact"),
    [
        (r"s_i = \|X_{i,:}\|_2", "is declared with no such dimension"),
        (r"y_t = x_{1:t}", "`:` stands for several elements"),
    ],
)
def test_other_colons_are_errors(formula, fact):
    with pytest.raises(tadc.SyntaxError, match=fact):
        lines_of(rf"\[ {formula} \]")


def test_a_row_beside_a_transpose_is_a_row_or_a_vector():
    with pytest.raises(tadc.SyntaxError, match="may be a row"):
        lines_of("%!tadc input X[N, D]\n\\[ g_{ij} = X_{i,:} X_{j,:}^\\top \\]")


def test_a_length_below_a_square_and_a_mean_is_no_index():
    text = r"\[ S_n^2 = \frac{1}{n} \sum_{i=1}^n (x_i - \bar{x}_n)^2 \]"
    with pytest.raises(tadc.SyntaxError, match="may be the length of the sum"):
        lines_of(text)

    assert "input x[n], x_bar_n[]" in lines_of(f"%!tadc size n\n{text}")


def test_a_capital_in_front_of_a_bold_vector_may_be_a_matrix():
    text = r"\[ \mathbf{y} = \tanh(W \mathbf{x} + \mathbf{b}) \]"
    with pytest.raises(tadc.SyntaxError, match="may be a matrix or a number"):
        lines_of(text)

    assert "W[d, k]*x[k]" in lines_of(f"%!tadc input W[N, D]\n{text}")


@pytest.mark.parametrize(("extent", "last"), [("T-1", "T - p"), ("T", "T - p")])
def test_an_input_that_is_read_up_to_the_last_but_one_has_a_line(extent, last):
    text = r"\[ z_t = c + \sum_{i=1}^p \phi_i y_{t-i}, \quad t = p+1, \dots, T \]"
    with pytest.raises(tadc.SyntaxError) as caught:
        lines_of(text)
    line = f"%!tadc input y[{extent}]"
    assert f"`{line}`" in caught.value.fix

    assert f"z[t: {last}]" in lines_of(f"{line}\n{text}")


def test_an_input_that_is_read_beyond_its_length_is_longer_or_a_ring():
    text = r"\[ E = \sum_{i=1}^{N} \theta_i \theta_{i+1}"
    with pytest.raises(tadc.SyntaxError) as caught:
        lines_of(rf"{text} \]")
    assert "`%!tadc input theta[N+1]`" in caught.value.fix
    assert r"`\theta_{N+1} = \theta_1`" in caught.value.fix

    assert "input theta[N + 1]" in lines_of(f"%!tadc input theta[N+1]\n{text} \\]")
    assert "input theta[N]" in lines_of(rf"{text}, \quad \theta_{{N+1}} = \theta_1 \]")


def test_a_sum_whose_index_stands_nowhere_is_an_error_but_for_what_a_line_declares():
    text = r"\[ L = \frac{1}{2N} \sum_{n=1}^{N} y d^2 \]"
    with pytest.raises(tadc.SyntaxError, match="nothing behind the sum has its index `n`"):
        lines_of(text)

    assert "L = 1/(2*N)*(N*(y*d**2))" in lines_of(f"%!tadc input y[], d[]\n{text}")
    assert "y = n" in lines_of(r"\[ y = \sum_{i=1}^{n} 1 \]")


def test_two_lines_for_one_tensor_are_an_error_that_shows_both():
    with pytest.raises(tadc.SyntaxError) as caught:
        lines_of("%!tadc input g[]\n%!tadc input g[N]\n\\[ y = \\|g(x_i)\\| \\]")

    assert "`g[]` and `g[N]`" in caught.value.fact


def test_dimensions_begin_where_the_indices_of_their_own_sizes_do():
    text = r"\[ J = \sum_{s=1}^{S} \sum_{t=0}^{T} w_t r_{st} \]"
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")

    assert "input w[T + 1], r[S, T + 1]" in str(f)
    assert f([1.0, 10.0], [[1.0, 2.0], [3.0, 4.0]]) == 64.0


def test_a_bar_over_capitals_is_the_mean_of_what_a_line_declares():
    text = r"\[ s = \sum_{i=1}^{N} (RR_i - \overline{RR})^2 \]"

    assert "RR_bar = (sum{i=0..N - 1} RR[i])/N" in lines_of(f"%!tadc input RR[N]\n{text}")


def test_a_word_above_a_letter_with_an_index_is_a_label_and_no_exponent():
    assert "y[i: I] = e_new[i] + exp(x[i])" in lines_of(r"\[ y_i = e_i^{\text{new}} + e^{x_i} \]")


def test_a_total_in_the_prose_is_a_number_beside_its_terms():
    text = r"\[ n_k = b - \beta + \sum_{i=1}^{6} \beta_i c_{ik} \] with $\beta = \sum_{i=1}^6 \beta_i$."

    assert "n[k: K] = b - beta + sum{i=0..5} beta_i[i]*c[i, k]" in lines_of(text)


def test_capitals_above_elements_are_a_label_or_a_power():
    text = r"\[ y_k = \sum_{j=0}^{L} s_j h_{k,j}^{LM} \]"
    with pytest.raises(tadc.SyntaxError, match="may be a label, or a product as a power"):
        lines_of(text)

    assert "s[j]*h_LM[k, j]" in lines_of(f"%!tadc input h_LM[N, L+1]\n{text}")


def test_a_bold_vector_that_is_defined_has_the_elements_of_the_plain_letter():
    text = "%!tadc input S[T, J], U[J, D]\n\\[ \\mathbf{a}_t = 2 S_t, \\quad u_t = \\sum_j a_{tj} U_j \\]"

    assert "a[t, j]*U[j, d]" in lines_of(text).replace("k]", "d]")
    assert "a_bf" not in lines_of(text)


def test_a_prime_behind_a_bracket_of_vectors_is_the_transpose():
    text = r"\[ S = \sum_t (x_t - m)(x_t - m)' \] with $x_t, m \in \mathbb{R}^N$."

    assert "(x[t, d] - m[d])*(x[t, k] - m[k])" in lines_of(text)
