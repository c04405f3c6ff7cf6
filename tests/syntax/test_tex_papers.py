r"""Classes of notation that papers have: what each is read as, and what is refused, since it may be read in two ways."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of
from refused import assert_is_refused

import tadc

# A document; the program, its lines after `;`.
READ = [
    (r"\[ s = \sum_{i=1}^{K} \sum_{j=1}^{M} (Y_{ij} - \bar{Y}_{i\cdot} - \bar{Y}_{\cdot j} + \bar{Y}_{\cdot\cdot})^2 \]",
     "size K, M; input Y[K, M]; r[i] = mean{j} Y[i, j]; c[j] = mean{i} Y[i, j]; a = mean{i, j} Y[i, j];"
     " s = sum{i, j} (Y[i, j] - r[i] - c[j] + a)**2"),
    (r"\[ s = \sum_{i,j} \frac{n_{ij}^2}{n_{i+} n_{+j}} \]",
     "r[i] = sum{j} n[i, j]; c[j] = sum{i} n[i, j]; s = sum{i, j} n[i, j]**2/(r[i]*c[j])"),
    ("%!tadc einstein\n%!tadc input s[3, 3]\n" r"\[ v = \sqrt{s_{ij} s_{ij}} + (s_{kk})^2 \]",
     "input s[3, 3]; v = sqrt(sum{i, j} s[i, j]*s[i, j]) + (sum{k} s[k, k])**2"),
    ("%!tadc einstein\n%!tadc input a[N], b[N], c[]\n" r"\[ f = c (a_i b_i + 2) \]",
     "input a[N], b[N], c[]; f = c*((sum{i} a[i]*b[i]) + 2)"),
    ("%!tadc input a[N], b[N]\nSummation over repeated indices is implied. " r"\[ f = a_i b_i \]",
     "input a[N], b[N]; f = sum{i} a[i]*b[i]"),
    (r"\[ A = \sum_{i=1}^{m} \sum_{j=1}^{n} 1_{x_i > y_j} \]",
     "size m, n; input x[m], y[n]; A = sum{i, j} [x[i] > y[j]]"),
    (r"\[ A = \sum_{i=1}^{m} 1_{\{x_i > 0\}} \]", "A = sum{i} [x[i] > 0]"),
    (r"\[ E = \mathop{\sum\sum}_{i \neq j} T_{ij} V_i \]", "E = sum{i, j | i != j} T[i, j]*V[i]"),
    (r"\[ D = 2 \sum \{ y_i \log y_i - y_i \} \]", "D = 2*(sum{i} (y[i]*log(y[i]) - y[i]))"),
    (r"\[ m = \frac{1}{N} \sum_1^N h_i \]", "size N; input h[N]; m = 1/N*(sum{i} h[i])"),
    (r"\[ T = a_1 b_1 + a_2 b_2 + \cdots + a_n b_n - c \]", "T = (sum{k} a[k]*b[k]) - c"),
    (r"\[ T = (x_1^2 + \cdots + x_n^2)^{1/2} \]", "T = (sum{k} x[k]**2)**(1/2)"),
    (r"\[ \boxed{I_{ij} = \sum_k x_{ik} x_{jk}} \]", "I[i, j] = sum{k} x[i, k]*x[j, k]"),
    (r"\[ P = \log \sum_i x_i + b = \sum_j y_j + c \]", "P = log(sum{i} x[i]) + b"),
    (r"\[ p_{ij} = \exp(-d_{ij}), \quad p_{ii} = 0 \]",
     "size N; input d[N, N]; p[i: N, j: N] = if i = j then 0 else exp(-d[i, j])"),
    ("%!tadc input X[N, P], y[N]\n" r"\[ b = X'y \]", "input X[N, P], y[N]; b[p] = sum{i} X[i, p]*y[i]"),
    ("%!tadc input n[4], M[4, 4]\n" r"\[ E = n^t M n \]",
     "input n[4], M[4, 4]; E = sum{i, j} n[i]*M[i, j]*n[j]"),
    ("%!tadc input E[3]\n" r"\[ T_{ij} = E_i E_j - \delta_{ij} E^2 \]",
     "input E[3]; T[i, j] = E[i]*E[j] - (if i = j then sum{k} E[k]**2 else 0)"),
    ("%!tadc input K[3, 3]\n" r"\[ R = K + K^2 \]", "input K[3, 3]; R[i, j] = K[i, j] + sum{k} K[i, k]*K[k, j]"),
    ("%!tadc input sigma_Y[K]\n" r"\[ a = \sum_{i=1}^{K} \sigma_{Y_i}^2 \]", "input sigma_Y[K]; a = sum{i} sigma_Y[i]**2"),
    (r"\[ G = \qty[ a b ] c \]", "G = a*b*c"),
    (r"\[ y_n = \Gamma(a_n) \]", "y[n] = exp(lgamma(a[n]))"),
    (r"\[ Q = \frac{1}{2} \sum_i x_i > 0 \]", "Q = 1/2*(sum{i} x[i])"),
    (r"\[ wing(x) = \exp(x) + 1 \]", "wing = exp(x) + 1"),
    ("where $u = x \\cos t + y \\sin t$ " r"\[ g = u^2 + x \]", "u = x*cos(t) + y*sin(t); g = u**2 + x"),
    ("%!tadc input d[n]\n" r"\[ U = \sum_{i=1}^{n} \frac{1}{d_i(q)} \]", "input d[n]; U = sum{i} 1/d[i]"),
    ("%!tadc input W[m, n], v[n]\n" r"\[ F = \sum_i \exp(W_i v) \]",
     "input W[m, n], v[n]; F = sum{i} exp(sum{j} W[i, j]*v[j])"),
]  # fmt: skip

REFUSED = [
    (r"\[ F = \sum_{i=1}^{K} \sum_{j=1}^{n_i} (Y_{ij} - \bar{Y}_{i\cdot})^2 \]", "rows of different lengths"),
    (r"\[ s = \sum_{i,j} p_{ij} \log \frac{p_{ij}}{p_{i.} p_{.j}} \]", "may be the sum or the mean"),
    (r"\[ P_{\mu\nu} = 2 \sum_{a}^{\text{occ}} C_{\mu a} C_{\nu a} \]", "or a part of it"),
    ("%!tadc einstein\n%!tadc input a[N], b[N]\n" r"\[ f = a_i \exp(b_i b_i) \]", "which of them is summed"),
    (r"\[ T = f_0 + 4 f_1 + 2 f_2 + 4 f_3 + 2 f_4 + \cdots + 4 f_{n-1} + f_n \]", "dots stand for"),
    (r"\[ T = x_1 + x_3 + \cdots + x_n \]", "dots stand for"),
    (r"\[ d = x_i x_i = 0 \]", "a chain of equations"),
    (r"\[ y_i = a_i = b_i \]", "a chain of equations"),
    (r"\[ a = \sum_{i=1}^{K} \sigma_{Y_i} / \sigma_X \]", "may be a label here, or an array of indices"),
    ("where $\\delta_{ij}$ is an interaction coefficient. " r"\[ a_{ij} = (1 - \delta_{ij}) b_i b_j \]",
     "may be Kronecker's delta, or data"),
    (r"\[ q_{ii} = a_i \]", "stands twice on the left"),
    (r"\[ W = \sum_i a_i x_{(i)} \]", "says that the elements are sorted"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_a_notation_is_read_as_the_program_that_it_means(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    plain = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    random = np.random.default_rng(5)
    arrays = {name: random.uniform(0.5, 1.5, shape) for name, shape in shapes_of(plain).items()}

    assert {*f.inputs} == {*plain.inputs}
    computed = f(*[arrays[name] for name in f.inputs])
    np.testing.assert_allclose(computed, plain(*[arrays[name] for name in plain.inputs]))


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_a_notation_with_two_meanings_is_refused(text, fact):
    assert_is_refused(text, fact)
