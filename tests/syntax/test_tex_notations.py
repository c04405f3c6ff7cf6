r"""Notations of papers, and what they must not become: layers, periodic boundaries, formulas without a left side, labels, wide sums."""

from __future__ import annotations

import numpy as np
import pytest
from refused import assert_is_refused

import tadc

READ = {
    # lists on the left side
    r"\[ A(q_i, K, V) = \sum_{j \le i} e^{q_i k_j} v_j \]": "A[i: I] = sum{j=0..min(J - 1, i)} exp(q[i]*k[j])*v[j]",
    # fractions of plain TeX
    r"\[ r = {\sum_i a_i b_i \over \sum_i a_i^2} + x^{1 \over 3} \]": (
        "r = (sum{i=0..I - 1} a[i]*b[i])/(sum{i=0..I - 1} a[i]**2) + x**(1/3)"
    ),
    # layers
    r"\[ h_v^{(l+1)} = \tanh(w^{(l)} h_v^{(l)}) \]": "h_l_plus_1[v: V] = tanh(w_l*h_l[v])",
    r"\[ a_j^{l} = \tanh(\sum_k w_{jk}^{l} a_k^{l-1}) \]": "a_l[j: J] = tanh(sum{k=0..K - 1} w_l[j, k]*a_l_minus_1[k])",
    "%!tadc input h[N], w[]\n" r"\[ h_v^{(l+1)} = w^{(l)} h_v^{(l)} \]": "h_l_plus_1[v: N] = w*h[v]",
    # labels
    r"\[ y_i = \sum_{k=1}^K (T_{v,i,k}^p - T_{v,i,k}^e) \]": "y[i: T_p_v_0] = sum{k=0..K - 1} (T_p_v[i, k] - T_e_v[i, k])",
    r"\[ r_t = R_{ft} + \sum_i b_i R_{it} \]": "r[t: T] = R_f[t] + sum{i=0..I - 1} b[i]*R[i, t]",
    r"\[ F_{ST} = 1 - \frac{H_S}{H_T}, \quad H_S = \sum_{i=1}^n p_i, \quad H_T = \sum_{i=1}^n q_i \]": "F_ST = 1 - H_S/H_T",
    r"\[ f = \sum_{i=1}^n a_i x_* + K_{**} \]": "f = sum{i=0..n - 1} a[i]*x_star + K_star_star",
    r"\[ \mathrm{SI\text{-}SDR} = \sum_{i=1}^n x_i \]": "SI_SDR = sum{i=0..n - 1} x[i]",
    # shapes
    r"\[ y_i = \sum_{j=1}^n a_{ij} W x_{ij} \] $x_{ij} \in \mathbb{R}^d, W \in \mathbb{R}^{m \times d}$": (
        "y[i: a_0, k: m] = sum{j=0..n - 1, p=0..d - 1} a[i, j]*W[k, p]*x[i, j, p]"
    ),
    r"\[ y = \sum_{i=1}^n a_i W x^{(i)} \] $x^{(i)} \in \mathbb{R}^d, W \in \mathbb{R}^{m \times d}$": (
        "y[k: m] = sum{i=0..n - 1, p=0..d - 1} a[i]*W[k, p]*x[i, p]"
    ),
    r"\[ z_i = \sum_{j=1}^n a_{ij} W h_j \] $h_j \in \mathbb{R}^d, W \in \mathbb{R}^{m \times d}$": (
        "z[i: a_0, k: m] = sum{j=0..n - 1, p=0..d - 1} a[i, j]*W[k, p]*h[j, p]"
    ),
    r"\[ L = \sum_{i=1}^N \| f_i^a - f_i^p \|^2 \] $f_i^a, f_i^p \in \mathbb{R}^d$": (
        "L = sum{i=0..N - 1, k=0..d - 1} (f_a[i, k] - f_p[i, k])**2"
    ),
    # formulas without a left side
    r"\[ \min_{x, y} \sum_{i,j} (p_{ij} - x_i y_j)^2 \]": "objective = sum{i=0..I - 1, j=0..J - 1} (p[i, j] - x[i]*y[j])**2",
    r"\[ -\frac{1}{|\mathcal{B}|} \sum_{i=1}^{|\mathcal{B}|} \log p_i \]": "value = -(1/B*(sum{i=0..B - 1} log(p[i])))",
    "%!tadc size B\n" r"\[ s = \sum_{i=1}^{|\mathcal{B}|} p_i \]": "s = sum{i=0..B - 1} p[i]",
    # sums that cover more than a product
    r"\[ L = -\sum_{i=1}^N y_i \log p_i + (1-y_i) \log(1-p_i) + c \]": (
        "L = -sum{i=0..N - 1} (y[i]*log(p[i]) + (1 - y[i])*log(1 - p[i])) + c"
    ),
    # logarithms
    r"\[ \ln P = \sum_{i=1}^n s_i, \quad w_j = a_j / P^2 \]": "w[j: J] = a[j]/exp(log_P)**2",
    r"\[ \log_2 K_i = \sum_{j=1}^n a_{ij}, \quad q_i = \frac{K_i}{1 + K_i} \]": "q[i: a_0] = 2**log2_K[i]/(1 + 2**log2_K[i])",
    # functions at points, and symmetric tensors
    r"\[ \rho(r_g) = \sum_{\mu} c_\mu \chi_\mu(r_g)^2, \quad E = \sum_g w_g \rho(r_g) \]": "E = sum{g=0..G - 1} w[g]*rho[g]",
    r"\[ c_{ij} = c_{ji} = \sum_{t=1}^T e_{it} e_{jt} \]": "c[i: e_0, j: e_0] = sum{t=0..T - 1} e[i, t]*e[j, t]",
    r"\[ y_{ij} = \delta_{ij} + A_{ij} A_{ji} \]": "y[i: J, j: J] = (if i = j then 1 else 0) + A[i, j]*A[j, i]",
    "%!tadc input x[n, D], z[D], a[n]\n"
    r"\[ f = \sum_{i=1}^n a_i k(x_i, z), \quad k(x, x') = x^\top x' \]": "f = sum{i=0..n - 1} a[i]*(sum{d=0..D - 1} x[i, d]*z[d])",
}  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ.items())
def test_a_notation_of_papers_is_read(text, program):
    f = tadc.compile(text, lang="tex")

    assert str(f).strip().splitlines()[-1] == program


REFUSED = {
    r"\[ E(r_i) = \sum_{i<j} u_{ij} \]": "stands in the list on the left side and in a condition below a sum",
    r"\[ y_i = W x_i \] with $W \in \mathbb{R}^{m \times d}$": "behind a matrix may be a vector or a number",
    r"\[ q_i = x_i W \] with $W \in \mathbb{R}^{m \times d}$": "in front of a matrix may be a vector or a number",
    r"\[ q_i = \sum_j a_{ij} x_j W \] with $W \in \mathbb{R}^{m \times d}$": "in front of a matrix may be a vector or a number",
    r"\[ y = w_0 + \sum_i w_i x_i \]": "may be the first element of the vector, or a number of its own",
    r"\[ y_i = \frac{x_i - x_0}{h} \]": "may be the first element of the vector, or a number of its own",
    r"\[ Y = V \operatorname{softmax}(K^\top Q) \] $V, K, Q \in \mathbb{R}^{d \times n}$": "do its rows add up to 1, or its columns?",
    r"\[ Y = V A, \quad A = \operatorname{softmax}(K^\top Q) \] $V, K, Q \in \mathbb{R}^{d \times n}$": "do its rows add up to 1, or its columns?",
    r"\[ y = \sum_i (F x_i)_1^2 \] with $F \in \mathbb{R}^{3 \times 3}, x_i \in \mathbb{R}^3$": "nothing tells whether the first element",
    "%!tadc input f[N], q[]\n" r"\[ I = \sum_{i=1}^N f_i^2(q) \]": "is no factor and no index",
    r"\[ \sum_j a_{pj} x_j \]": "no display defines an element",
    r"\[ \arg\min_w \sum_i w_i x_i \]": "",
    r"\[ s = \sum_{i,j} a_{ij} + b_i \]": "",
    r"\[ x_{i+1} - x_i \]": "no display defines an element",
}  # fmt: skip


@pytest.mark.parametrize(("text", "fact"), REFUSED.items())
def test_what_it_might_mean_otherwise_is_refused(text, fact):
    assert_is_refused(text, fact)


PERIODIC = {
    r"\[ y_i = x_{i+1} - 2 x_i + x_{i-1}, \quad i = 1, \dots, N \] where $x_0 = x_N$ and $x_{N+1} = x_1$.": False,
    r"\[ y_i = x_{i+1} - 2 x_i + x_{i-1}, \quad x_{N} = x_0, \quad x_{-1} = x_{N-1} \]": False,
    r"With periodic boundary conditions, \[ y_i = u_{i+1} - 2 u_i + u_{i-1} \]": True,
    r"\[ y_i = x_{i+1} - 2 x_i + x_{i-1} \] where indices are taken modulo $N$.": True,
    r"\[ y_i = x_{\operatorname{wrap}(i+1)} - 2 x_i + x_{\operatorname{wrap}(i-1)}, \quad i = 1, \dots, N \]": False,
}  # fmt: skip


@pytest.mark.parametrize(("text", "is_guess"), PERIODIC.items())
def test_elements_beyond_a_periodic_end_are_those_from_the_other_one(text, is_guess):
    f = tadc.compile(text, lang="tex", backend="interpreter")
    x = np.arange(5.0) ** 2

    np.testing.assert_array_equal(f(x), np.roll(x, -1) - 2 * x + np.roll(x, 1))
    assert is_guess == any(n.is_guess and "periodic" in n.text for n in f.notes)


NOT_PERIODIC = {
    r"With periodic boundary conditions, \[ h_i = x_{i+1} - x_i \]": "or a point further on",
    r"\[ y_i = x_{i+1} - x_i, \quad i = 0, \dots, N, \quad x_{N+1} = x_1 \]": "another number of values",
    r"With periodic boundary conditions \[ y_i = \sum_{k=0}^{K-1} w_k x_{i+k} \]": "may lead beyond an end",
}


@pytest.mark.parametrize(("text", "fact"), NOT_PERIODIC.items())
def test_a_period_that_fits_no_range_is_refused(text, fact):
    assert_is_refused(text, fact)


def test_boundaries_that_are_not_periodic_stay_open():
    text = r"With non-periodic boundary conditions, \[ y_i = x_{i+1} - x_i \]"

    assert_is_refused(text, "x ends at 0")
