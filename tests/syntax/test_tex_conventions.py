r"""What papers leave to conventions or to their prose: which functions letters are, what `\odot` takes, columns, orders, quotients."""

from __future__ import annotations

import numpy as np
import pytest
from refused import assert_is_refused

import tadc

READ = {
    r"\[ y_i = \max_{j \in [1,k]} z_{ij} \]": "y[i: z_0] = max{j=0..k - 1} z[i, j]",
    r"\[ s = \sum_{\{i \,:\, t_i < t\}} x_i \]": "s = sum{i=0..I - 1} (if t_i[i] < t then x[i] else 0)",
    r"\[ s = \sum_{\{i \mid t_i < t\}} x_i \]": "s = sum{i=0..I - 1} (if t_i[i] < t then x[i] else 0)",
    r"\[ M_{ij} = \begin{cases} z_i & \forall \; i = j \\ z_i z_j & \forall \; i \ne j \end{cases} \]": (
        "M[i: J, j: J] = if i = j then z[i] else z[i]*z[j]"
    ),
    r"\[ d_i = \frac{f_{i+1} - f_{i-1}}{2h} + \mathcal{O}(h), \quad i = 2, \dots, N-1 \]": "d[i: N - 2] = (f[i + 2] - f[i])/(2*h)",
    r"\[ d_i = \frac{f_i}{h} + O(h^2), \]": "d[i: I] = f[i]/h",
    r"\[ y_i = x_i + O(i) \]": "y[i: I] = x[i] + O[i]",
    r"\[ y_i = \delta(x_i) \] where $\delta$ refers to the ReLU function.": "y[i: I] = relu(x[i])",
    r"\[ y_i = \sigma(x_i) \] with a sigmoid gate; $\sigma(\cdot)$ denotes the ReLU.": "y[i: I] = relu(x[i])",
    r"\[ y_i = \phi(x_i)^2 \] where $\phi$ is the hyperbolic tangent.": "y[i: I] = tanh(x[i])**2",
    r"\[ y_i = \sigma(\sigma_i) \] where $\sigma$ is the sigmoid function.": "y[i: I] = sigmoid(sigma[i])",
    r"\[ y = x \otimes z \] with $\otimes$ the element-wise product of $x, z \in \mathbb{R}^n$": "y[d: n] = x[d]*z[d]",
    r"\[ y = x \odot W z \] $x \in \mathbb{R}^n, W \in \mathbb{R}^{n \times m}, z \in \mathbb{R}^m$": (
        "y[d: n] = x[d]*(sum{k=0..m - 1} W[d, k]*z[k])"
    ),
    r"\[ \frac{G^{\mathrm{E}}}{RT} = \sum_{k=0}^n A_k x_k \]": "G_E_over_RT = sum{k=0..n} A[k]*x[k]",
    r"\[ \frac{x_i}{c} = \sum_j a_{ij} \]": "x_over_c[i: I] = sum{j=0..J - 1} a[i, j]",
    r"\[ r^2(x, y) = \sum_{d=1}^D (x_d - y_d)^2, \quad k = \exp(-r^2(x, y)) \]": "k = exp(-sum{d=0..D - 1} (x[d] - y[d])**2)",
    r"\[ p = q a_1 a_2 \cdots a_n \]": "p = q*(prod{k=0..n - 1} a[k])",
    r"\[ p = a_1 \cdot a_2 \cdot \ldots \cdot a_n \]": "p = prod{k=0..n - 1} a[k]",
    r"\[ P_s(j) = \frac{s_j}{\sum_{k=1}^n s_k} \] \[ L = \sum_{j=1}^n P_y(j) \log P_z(j) \]": (
        "L = sum{j=0..n - 1} y[j]/L_sum*log(z[j]/L_sum_1)"
    ),
    r"\[ y_i = \text{Swish}_1(x_i) \] with $\text{Swish}_\beta(x) = x \tanh(\beta x)$": "y[i: I] = x[i]*tanh(x[i])",
}


@pytest.mark.parametrize(("text", "program"), READ.items())
def test_what_conventions_and_prose_tell_is_read(text, program):
    f = tadc.compile(text, lang="tex")

    assert str(f).strip().splitlines()[-1] == program


REFUSED = {
    r"\[ s = \max_{x \in [0, 1]} x^2 \]": "the set",
    r"\[ y_i = \sigma(x_i) \] where $\sigma$ is a nonlinearity such as the ReLU or the sigmoid.": "may be the sigmoid",
    r"\[ y_i = \sigma(x)_i \] with a sigmoid; $\sigma$ denotes the softmax.": "does not say over which index",
    r"\[ y = x \otimes z \] with $x, z \in \mathbb{R}^n$": r"`\otimes` hides",
    r"\[ y = x \otimes z \] $x, z \in \mathbb{R}^n$; $\otimes$ is the Kronecker, not the element-wise, product": "hides",
    r"\[ y_i = \sigma(x_i) \] where $\sigma$ is the sigmoid or the ReLU function.": "may be the sigmoid",
    r"\[ y_i = f(x_i) \] where $f$ is a sigmoid or tanh.": "no function",
    r"\[ y = \Sigma x \] with $x \in \mathbb{R}^n$": "may be a matrix or a number",
    r"\[ Y = A \odot B C \] with $A, B, C \in \mathbb{R}^{n \times n}$": r"may be `(A \odot B) C`",
    r"\[ \frac{p}{g} = \sum_i h_i, \quad q = p^2 \]": "another formula reads `p`",
    r"\[ y = xW \tanh(xW) \] with $x \in \mathbb{R}^n, W \in \mathbb{R}^{n \times m}$": "no one meaning",
    r"\[ p = 2 a_2 a_4 \cdots a_n \]": "dots",
    r"\[ P = \mathbf{A}_1 \mathbf{A}_2 \cdots \mathbf{A}_n \]": "dots",
}


@pytest.mark.parametrize(("text", "fact"), REFUSED.items())
def test_what_has_two_readings_beside_them_is_refused(text, fact):
    assert_is_refused(text, fact)


def test_a_vector_of_a_matrix_is_the_column_that_its_index_runs_along():
    by_range = tadc.compile(
        r"\[ s_i = \sum_{j=1}^N x_i^\top x_j \] with $x \in \mathbb{R}^{C \times N}$", lang="tex"
    )
    by_factor = tadc.compile(
        r"\[ s_i = w^\top x_i \] with $x \in \mathbb{R}^{D \times N}, w \in \mathbb{R}^D$",
        lang="tex",
    )
    row = tadc.compile(
        r"\[ s_i = w^\top x_i \] with $x \in \mathbb{R}^{N \times D}, w \in \mathbb{R}^D$",
        lang="tex",
    )

    assert "s[i: N] = sum{j=0..N - 1, d=0..C - 1} x[d, i]*x[d, j]" in str(by_range)
    assert "s[i: N] = sum{d=0..D - 1} w[d]*x[d, i]" in str(by_factor)
    assert any("is a column" in note.text and note.is_guess for note in by_range.notes)
    assert "s[i: N] = sum{d=0..D - 1} w[d]*x[i, d]" in str(row)


def test_a_function_of_a_number_that_is_applied_to_a_vector_is_one_of_its_elements():
    text = r"\[ f(x) = x \tanh(x) \] \[ y = f(xW) \] $x \in \mathbb{R}^n, W \in \mathbb{R}^{n \times m}$"

    f = tadc.compile(text, lang="tex")

    assert "y[d: m] = (sum{k=0..n - 1} x[k]*W[k, d])*tanh(sum{p=0..n - 1} x[p]*W[p, d])" in str(f)


def test_shapes_count_for_what_functions_alone_read():
    text = r"""
\[ s_{ij} = f(x_i)^\top f(x_j) \]
where $f(x) = W_f x$, $W_f \in \mathbb{R}^{D \times C}$ and $x_i \in \mathbb{R}^{C}$.
"""

    assert "W_f[D, C]" in str(tadc.compile(text, lang="tex"))


def test_an_element_of_a_bold_row_is_printed_in_plain_letters():
    line = "%!tadc input w[K, D], x[N, D], c[K, D]\n"
    formula = r"\[ V_{jk} = \sum_{i=1}^N \exp(\mathbf{w}_k^\top \mathbf{x}_i) (x_{ij} - c_{kj}) \]"

    f = tadc.compile(line + formula, lang="tex")

    assert f.inputs == ("w", "x", "c")


@pytest.mark.parametrize("term", [r"\frac{q_i q_j}{r_{ij}}", r"\frac{1}{r_{ij}}"])
def test_a_distance_with_the_letter_of_bold_places_is_another_tensor(term):
    text = rf"\[ U = \sum_i \sum_j {term} + \sum_i \|\mathbf{{r}}_i\|^2 \]"

    f = tadc.compile(f"%!tadc input r[N, 3]\n{text}", lang="tex")

    assert {"r", "r_bf"} <= {*f.inputs}


def test_the_softmax_of_a_row_has_a_dot_for_the_index_that_stands_behind_it():
    dotted = r"\[ P_{ij} = \operatorname{softmax}(S_{i\cdot})_j \]"
    written = r"\[ P_{ij} = \operatorname{softmax}_j(S_{ij}) \]"
    f, g = (tadc.compile(text, lang="tex") for text in (dotted, written))
    s = np.random.default_rng(0).standard_normal((3, 4))

    np.testing.assert_allclose(f(s), g(s))
    np.testing.assert_allclose(f(s).sum(1), 1)


COMPONENTS = r"""
\begin{align}
\sigma_{xx} &= \lambda (\epsilon_{xx} + \epsilon_{yy}) + 2 \mu \epsilon_{xx}, \\
\sigma_{xy} &= 2 \mu \epsilon_{xy}
\end{align}
"""


def test_components_by_axes_are_names_and_no_diagonal():
    f = tadc.compile(COMPONENTS, lang="tex")

    assert f.outputs == ("sigma_xx", "sigma_xy")
    assert {"epsilon_xx", "epsilon_yy", "epsilon_xy"} <= {*f.inputs}


def test_sums_of_squares_below_tensors_are_names():
    text = r"""
\[ S_{xx} = \sum_{i=1}^n x_i^2, \qquad S_{xy} = \sum_{i=1}^n x_i y_i, \qquad b = S_{xy} / S_{xx} \]
"""

    assert str(tadc.compile(text, lang="tex")).strip().endswith("b = S_xy/S_xx")


def test_two_diagonals_are_no_cases_of_one_tensor():
    with pytest.raises(tadc.Error, match="twice"):
        tadc.compile(r"\[ k_{ii} = 1, \quad k_{ij} = d_{ij}, \quad k_{jj} = 2 \]", lang="tex")


def test_a_letter_below_a_left_side_is_an_index_where_another_formula_reads_it_as_one():
    text = r"""
\[ d_t(\tau) = \sum_{j=1}^{W} (x_j - x_{j+\tau})^2 \]
\[ c_t(\tau) = d_t(\tau) / \sum_{j=1}^{\tau} d_t(j) \]
"""
    with pytest.raises(tadc.Error, match="`t` has no range"):
        tadc.compile(text, lang="tex")


FURTHER = {
    r"\[ L_k = -\sum_{xy} \log Y_{xy} \]": "L_k = -sum{x=0..X - 1, y=0..Y_1 - 1} log(Y[x, y])",
    r"\[ L = L_c + L_o = -\log p + |q|^2 \]": "L = -log(p) + abs(q)**2",
    r"\[ B = A + \lambda I_n \] with $A \in \mathbb{R}^{n \times n}$": (
        "B[d: n, k: n] = A[d, k] + (if d = k then lambda else 0)"
    ),
    r"\[ B = A - \frac{\mathbf{I}_n}{\sqrt{n}} \] with $A \in \mathbb{R}^{n \times n}$": (
        "B[d: n, k: n] = A[d, k] - (if d = k then 1/sqrt(n) else 0)"
    ),
    r"\[ U(s, a) = c P(s, a) / N(s, a) \] %!tadc input P[S, A], N[S, A]": (
        "U[s: S, a: A] = c*P[s, a]/N[s, a]"
    ),
    r"\[ y_i = \left\{ \begin{array}{ll} 1 & \mbox{if $x_i \geq 0$} \\ 0 & \mbox{otherwise} \end{array} \right. \]": (
        "y[i: I] = if 0 <= x[i] then 1 else 0"
    ),
    r"\[ \mbox{\textsc{Bleu}} = \exp(\sum_{n=1}^N w_n) \]": "Bleu = exp(sum{n=0..N - 1} w[n])",
    r"\[ \ln \gamma_i^{C} = \ln \frac{r_i}{x_i} \]": "log_gamma_C[i: I] = log(r[i]/x[i])",
    r"\[ m = \frac{1}{N} \sum_{i=1}^a \sum_{j=1}^n y_{ij} \] where $N = an$.": (
        "m = 1/N*(sum{i=0..a - 1, j=0..n - 1} y[i, j])"
    ),
}


@pytest.mark.parametrize(("text", "program"), FURTHER.items())
def test_labels_words_and_sizes_are_read_as_authors_mean_them(text, program):
    f = tadc.compile(text, lang="tex")

    assert program in str(f)


@pytest.mark.parametrize(
    "text",
    [
        r"\[ B_t = A_t - I_t \] with $A \in \mathbb{R}^{T \times n \times n}$",
        r"\[ y_i = \left\{ \begin{array}{ll} 1 & \mbox{if $x_i > 0$ and more} \\ 0 & \mbox{else} \end{array} \right. \]",
        r"\[ L_k = \sum_i x_i, \qquad y_k = L_k z_k \]",
    ],
)
def test_what_only_looks_like_them_is_refused(text):
    with pytest.raises(tadc.Error):
        tadc.compile(text, lang="tex")


ROWS = {
    r"\[ s = \sum_{x \in S} (x - c)^2 \] %!tadc input S[N], c[]": "s = sum{x_row=0..N - 1} (S[x_row] - c)**2",
    r"\[ d_k = \sum_{x \in S_1} x_k^2 \] %!tadc input S_1[N, D]": "d[k: D] = sum{x_row=0..N - 1} S_1[x_row, k]**2",
    r"\[ y_i = \left\{ \begin{aligned} & x_i, & x_i > 0 \\ & 0, & \text{otherwise} \end{aligned} \right. \]": (
        "y[i: I] = if 0 < x[i] then x[i] else 0"
    ),
    r"\[ y = E x \] with $E \in \mathbb{R}^{|V| \times d}, x \in \mathbb{R}^d$": "input E[V, d], x[d]",
    r"\[ y = W x \] with $W \in \mathbb{R}^{C/r \times C}, x \in \mathbb{R}^C$": "input W[C_over_r, C], x[C]",
    r"\[ s_i = ||x_i||^2 + |c| \] with $x \in \mathbb{R}^{n \times d}$": "s[i: n] = sum{k=0..d - 1} x[i, k]**2 + abs(c)",
    r"\[ s = |a||b| + ||a| - |b|| \]": "s = abs(a)*abs(b) + abs(abs(a) - abs(b))",
    r"\[ L(\theta) = L_B(\theta) + \sum_i F_i \theta_i^2 \]": "L = L_B + sum{i=0..I - 1} F[i]*theta[i]**2",
}


@pytest.mark.parametrize(("text", "program"), ROWS.items())
def test_rows_of_sets_norms_and_sizes_are_read(text, program):
    assert program in str(tadc.compile(text, lang="tex"))


UNCLEAR = {
    r"\[ s = \sum_i ||x_i - y||^2 \]": "a norm is of a vector",
    r"\[ y = W x \] with $W \in \mathbb{R}^{m \times n}$": "may be a vector or a number",
    r"\[ s = \frac{1}{|S|} \sum_{x \in S} x^2 \] %!tadc input S[N]": "number of its elements",
    r"\[ s = \sum_{x \in S} x^2 + \sum_{x \in T} x^2 \] %!tadc input S[N], T[M]": "the set",
}


@pytest.mark.parametrize(("text", "fact"), UNCLEAR.items())
def test_norms_and_letters_behind_matrices_need_shapes(text, fact):
    assert_is_refused(text, fact)


def test_a_capital_in_front_of_a_vector_needs_a_shape_and_a_constant_in_front_of_a_sum_none():
    with pytest.raises(tadc.Error, match="may be a matrix or a number"):
        tadc.compile(r"\[ y = W x \] with $x \in \mathbb{R}^n$", lang="tex")

    f = tadc.compile(
        r"\[ a = G \sum_{j=1}^N m_j x_j \] with $x \in \mathbb{R}^{N \times 3}$", lang="tex"
    )
    assert "G" in f.inputs


@pytest.mark.parametrize(
    "text",
    [
        r"\[ z_i = x_i \] where $ = T^{-1} \sum_{t=1}^T y_t$.",
        r"\[ \hat^{\Sigma}_{jk} = = \frac{1}{n} \sum_{i=1}^n x_i, \qquad \bar x_j \sum_{i=1}n x_{ij}, \]",
        r"\[ y_i = x_i + O \] \[ z_i = \frac{}{} = \odot \]",
        r"\[ P = \cdots a_n \] \[ \frac{x_i}{} = 1 \] \[ y_i = \operatorname{softmax}()_j \]",
    ],
)
def test_fragments_are_read_or_refused(text):
    try:
        tadc.compile(text, lang="tex")
    except tadc.Error as error:
        assert error.errors[0].fix
