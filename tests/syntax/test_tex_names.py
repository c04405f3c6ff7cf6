r"""Names of several signs, labels, and letters with two meanings, in whole documents."""

from __future__ import annotations

import pytest

import tadc

# A document, and the program that it is.
MEANS = {
    r"\[ \frac{dx_i}{dt} = r x_i \]": "input r[], x; dx_dt[i] = r*x[i]",
    r"\[ \frac{\partial u_{ij}}{\partial t} = a u_{ij} \]": "input a[], u; du_dt[i, j] = a*u[i, j]",
    r"\[ \partial_t u_i = a u_i \]": "input a[], u; du_dt[i] = a*u[i]",
    r"\[ \dv{x_i}{t} = x_i \]": "dx_dt[i] = x[i]",
    r"\[ \frac{d^2 x_i}{dt^2} = -k x_i \]": "input k[], x; d2x_dt2[i] = -(k*x[i])",
    r"\[ \Delta w_{ij} = \eta x_i y_j \]": "input eta[], x, y; Delta_w[i, j] = eta*x[i]*y[j]",
    r"\[ y_i = x_i \Delta t \]": "input x, Delta_t[]; y[i] = x[i]*Delta_t",
    "%!tadc input x[N], Delta[], t[]\n\\[ y_i = x_i \\Delta t \\]": "input x[N], Delta[], t[]; y[i] = x[i]*Delta*t",
    r"\[ TV(u) = \sum_i |u_i| \]": "TV = sum{i} abs(u[i])",
    r"\[ PSNR = 20 / MSE \] \[ MSE = \sum_i (x_i - y_i)^2 \]": "MSE = sum{i} (x[i] - y[i])**2; PSNR = 20/MSE",
    r"\[ w^*_i = w_i - g_i \] \[ s = \sum_i w_i^* \]": "w_star[i] = w[i] - g[i]; s = sum{i} w_star[i]",
    r"\[ x_k^- = a_k \]": "x_minus[k] = a[k]",
    r"\[ V = \sum_{n=1}^N V_n \]": "size N; input V_n[N]; V = sum{n} V_n[n]",
    r"\[ \mu_p = \sum_i w_i \mu_i \]": "mu_p = sum{i} w[i]*mu[i]",
    r"\[ E_{tot} = T + V \]": "input T[], V[]; E_tot = T + V",
    r"\[ q_i = h T_i - h T_s \]": "input h[], T, T_s[]; q[i] = h*T[i] - h*T_s",
    r"\[ y_i = e^{-(x_i - x_s)} \]": "input x, x_s[]; y[i] = exp(-(x[i] - x_s))",
    r"\[ y_i = \varepsilon_0 x_i \]": "input varepsilon_0[], x; y[i] = varepsilon_0*x[i]",
    "%!tadc input R[N, M], R_c[]\n\\[ y_{ij} = R_{ij}/R_c \\]": "input R[N, M], R_c[]; y[i, j] = R[i, j]/R_c",
    "%!tadc input l[B], l_0[B]\n\\[ s = \\sum_b (l_b - l_{b,0}) \\]": "input l[B], l_0[B]; s = sum{b} (l[b] - l_0[b])",
    "%!tadc input f_a[N]\n\\[ s = \\sum_i f_i^a \\]": "input f_a[N]; s = sum{i} f_a[i]",
    r"\[ I_{\mathrm{K}} = g_{\mathrm{K}} V \]": "input g_K[], V[]; I_K = g_K*V",
    # functions
    r"\[ f_c(R_{ij}) = R_{ij}^2 \] \[ s_i = \sum_j f_c(R_{ij}) \]": "s[i] = sum{j} R[i, j]**2",
    r"\[ \phi_k(x) = x c_k \] \[ f_i = \sum_{k=0}^{2} \phi_k(x_i) \]": "input x, c[3]; f[i] = sum{k=0..2} x[i]*c[k]",
    r"\[ \epsilon_{\mathrm{x}}(r) = r^2 \] \[ s = \sum_i \epsilon_{\mathrm{x}}(r_i) \]": "s = sum{i} r[i]**2",
    r"\[ w(n) = n, \quad 0 \le n \le N-1 \] \[ y(n) = w(n) x(n) \]": "size N; input x[N]; w[n: N] = n; y[n] = w[n]*x[n]",
    r"\[ \alpha_t(j) = b_j(t) \]": "alpha[t, j] = b[j, t]",
    # prose
    r"\[ s_i = x_i - \bar{x} \] where $\bar{x} = \sum_i x_i$ is the sum.": "x_bar = sum{i} x[i]; s[i] = x[i] - x_bar",
    r"\[ s_i = x_i - a_i \] Since $a_i = x_i b_i$ is small, this holds.": "s[i] = x[i] - a[i]",
    r"\[ s_i = \sum_j x_{ij} \] where $x_{ij} = x_{ji}$.": "s[i] = sum{j} x[i, j]",
    # ranges
    r"\begin{align} m_j &= \sum_i x_{ij}, & c_{jk} &= m_j m_k \end{align} for $j, k = 1, \dots, p$.":
        "size p, x_0; input x[x_0, p]; m[j: p] = sum{i} x[i, j]; c[j: p, k: p] = m[j]*m[k]",
    r"For $i = 1, \dots, N$ let \[ y_i = i x_i \]": "size N; input x[N]; y[i: N] = (i + 1)*x[i]",
    r"Nodes $i = 1, \dots, N$ have values. Then \[ s = \sum_i i x_i \]": "size N; input x[N]; s = sum{i} (i + 1)*x[i]",
    r"\[ s = \sum_{i=1}^{N} i x_i + \sum_{i=2}^{N} x_{i-1} \]": "size N; input x[N]; s = sum{i} (i + 1)*x[i] + sum{i=1..N-1} x[i-1]",
    r"\[ y_i = \beta_0 + \sum_{j=1}^p \beta_j x_{ij} \]":
        "size p, x_0; input beta, x[x_0, p]; y[i] = beta[0] + (sum{j=0..p-1} beta[j+1]*x[i, j])",
    r"\[ s = \sum_{t=1}^T w_t (x_t - x_{t-1}) \]": "size T; input w[T], x; s = sum{t=0..T-1} w[t]*(x[t+1] - x[t])",
    r"\[ s = \sum_{t=1}^T a (1 + r)^T x_t \]": "size T; input a[], r[], x[T]; s = sum{t} a*(1 + r)**T*x[t]",
    "%!tadc size S = 2\n\\[ s = \\sum_{i=0}^{S^2-1} x_i \\]": "input x[4]; s = sum{i} x[i]",
    # vectors
    r"\[ h = (1 - z) \odot x \] $x, z \in \mathbb{R}^N$": "input z[N], x[N]; h[d] = (1 - z[d])*x[d]",
    r"\[ d = |x - z| \] $x, z \in \mathbb{R}^N$": "input x[N], z[N]; d = sqrt(sum{k} (x[k] - z[k])**2)",
    r"\[ y_i = \operatorname{clip}(x_i, 0, 1) \]": "y[i] = min(max(x[i], 0), 1)",
    r"\[ y_i = \log\Gamma(x_i) \]": "y[i] = lgamma(x[i])",
    r"\[ s = \sum_{ijkl} (ij|kl) \]": "s = sum{i, j, k, l} eri[i, j, k, l]",
    r"\[ E = \sum_i^{\text{occ}} \sum_a^{\text{virt}} (e_i - e_a) \]": "E = sum{i, a} (e_occ[i] - e_virt[a])",
}  # fmt: skip

# A document, and what the error says.
REFUSED = {
    r"\[ y_i = \sum_{t=1}^T a_t x_i^T \]": "may be a transpose, or a power",
    r"\[ s = \operatorname{Var}(x_i) \]": "divides by the number of samples, `N`, or by `N - 1`",
    r"\[ s_j = \operatorname{Cov}_i(x_{ij}, z_i) \]": "`Cov` divides by",
    r"\[ E = \sum_i^{\text{on } a} \sum_j^{\text{on } b} q_i q_j \]": "are of different sets",
    r"\[ F = \sum_i f_i^2(x) \]": "an element of `f`, a function of it, or a product",
    r"\[ y_k = x_0 + \sum_{n=1}^N x_n \cos(n k) \]": "is the first element `x_0` or `x_1`",
    r"\[ y_i = A_{ik} x_k \]": "neither an index in scope nor a size",
    r"\[ y_i = t_i \Delta t^2 \]": "may be raised as a whole or not",
}


@pytest.mark.parametrize("text", MEANS)
def test_a_document_is_the_program_that_a_reader_takes_it_for(text):
    assert _body(tadc.compile(text, lang="tex")) == _body(tadc.compile(MEANS[text]))


def _body(f: tadc.Function) -> list[str]:
    """The statements, without declarations: these differ by the names of sizes that nobody wrote."""
    kept = [line for line in str(f).splitlines() if " = " in line and not line.startswith("size")]
    sizes = {name: f"size_{n}" for n, name in enumerate(sorted(f.sizes))}
    return kept if not sizes else [_renamed(line, sizes) for line in kept]


def _renamed(line: str, sizes: dict[str, str]) -> str:
    left, _, right = line.partition(" = ")
    return f"{left.split('[')[0]} = {right}" if any(s in left for s in sizes) else line


@pytest.mark.parametrize("text", REFUSED)
def test_what_may_be_read_in_two_ways_is_refused(text):
    with pytest.raises(tadc.Error) as caught:
        tadc.compile(text, lang="tex")(*())

    assert REFUSED[text] in caught.value.errors[0].fact
    assert caught.value.errors[0].fix


def test_a_declared_tensor_of_four_dimensions_is_meant_by_integrals():
    text = "%!tadc input g[N, N, N, N]\n\\[ s = \\sum_{ijkl} (ij|kl) \\]"

    assert tadc.compile(text, lang="tex").inputs == ("g",)


def test_a_shape_makes_the_start_of_an_input_no_guess():
    formula = r"\[ y_i = \beta_0 + \sum_{j=1}^p \beta_j x_{ij} \]"
    (guess,) = (n for n in tadc.compile(formula, lang="tex").notes if n.is_guess)

    assert guess.text.startswith("`beta` begins at 0")
    declared = tadc.compile(f"%!tadc input beta[p+1]\n{formula}", lang="tex")
    assert not any(note.is_guess for note in declared.notes)
