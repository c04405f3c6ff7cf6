"""What authors leave out or write by habit, read as a person would; and what looks alike, refused."""

from __future__ import annotations

import pytest
from refused import assert_is_refused

import tadc

READ = {
    r"s = \sum_{i=1}^N \mathbf{x_i} \hat{y_i}": "s = sum{i=0..N - 1} x[i]*y_hat[i]",
    r"P = \frac{TP}{TP + FP}": "P = TP/(TP + FP)",
    r"y_i = m g h_i": "y[i: I] = m*g*h[i]",
    r"I_h = \sum_{i=1}^n w_i f(x_i)": "I_h = sum{i=0..n - 1} w[i]*f[i]",
    r"s = \sum_{j=1}^n w_j (x - x_j)": "s = sum{j=0..n - 1} w[j]*(x - x_j[j])",
    r"s = \sum_{i=1}^n I(x_i < r)": "s = sum{i=0..n - 1} (if x[i] < r then 1 else 0)",
    r"-D = \sum_{i=1}^n x_i": "D = -sum{i=0..n - 1} x[i]",
    r"m = \frac{1}{|S|} \sum_{i \in S} x_i": "m = 1/S*(sum{i=0..S - 1} x[i])",
    r"\frac{dx_i}{dt} = -x_i(t)": "dx_dt[i: I] = -x[i]",
    r"d_{1,i} = x_i": "d_1[i: I] = x[i]",
    r"y_i = exp(x_i)": "y[i: I] = exp(x[i])",
    r"\nabla^2 u_i = a_i": "nabla2_u[i: I] = a[i]",
}


@pytest.mark.parametrize(("formula", "program"), READ.items())
def test_what_authors_write_by_habit_is_read(formula, program):
    f = tadc.compile(f"\\[ {formula} \\]", lang="tex")

    assert str(f).strip().splitlines()[-1] == program


REFUSED = {
    r"F_i = evB_i": "may be a word, or a product",
    r"y_i = f(x_i)": "no function that tadc knows",
    r"s = \sum_{i=1}^n \rho(x_i)": "no function that tadc knows",
    r"d = \frac{1}{|S|} \sum_{i \in S} x_i - \frac{1}{N} \sum_{i=1}^N x_i": "the set",
    r"y_i = \frac{1}{|S|} \sum_{j \in S} A_{ij} x_j + x_i": "the set",
    r"p_n = \mathcal{N}(x_n \mid \mu, \sigma)": "variance or its standard deviation",
    r"p_n = \mathcal{N}(\mathbf{x}_n \mid \mu, \sigma^2 I)": "the density of a vector",
    r"s = \sum_{i=1}^n \overline{x_i y_i}": "more than a name",
    r"y_i = \sum_i x_i": "index of the left side",
}


@pytest.mark.parametrize(("formula", "fact"), REFUSED.items())
def test_what_looks_alike_and_has_two_readings_is_refused(formula, fact):
    assert_is_refused(f"\\[ {formula} \\]", fact)


def test_the_identity_beside_a_matrix_that_is_not_square_is_refused():
    with pytest.raises(tadc.Error, match="not square"):
        tadc.compile("%!tadc input B[N, D]\n\\[ C = B + I \\]", lang="tex")


def test_an_index_above_others_stands_where_the_declared_extents_say():
    text = r"\[ y_i = \sum_{j=1}^{D} w_j x_j^{(i)}, \quad i = 1, \dots, N \]"
    f = tadc.compile(f"%!tadc input x[N, D], w[D]\n{text}", lang="tex")

    assert "x[i, j]" in str(f)
    with pytest.raises(tadc.Error, match="which dimension"):
        tadc.compile(text, lang="tex")
