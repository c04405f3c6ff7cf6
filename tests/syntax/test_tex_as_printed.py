r"""More classes of notation that papers print: what each is read as, and what looks like it and is not read so."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of
from refused import assert_is_refused

import tadc

# A document; the program, its lines after `;`.
READ = [
    # words in scripts
    (r"\[ L_{uni} = \sum_{i=1}^{K} n x_i \]", "size K; input n[], x[K]; L = sum{i} n*x[i]"),
    ("%!tadc input y[N]\n" r"\[ l^{margin}_i = y_i + 1 \]", "input y[N]; l[i] = y[i] + 1"),
    ("%!tadc input x[N]\n" r"\[ L_{N\text{-pair}} = \sum_i x_i \]", "input x[N]; L = sum{i} x[i]"),
    # functions that are made of others
    (r"\[ y_i = \mathrm{elu}(x_i) + \coth(x_i) + \operatorname{logit}(p_i) \]",
     "y[i] = (if x[i] > 0 then x[i] else exp(x[i]) - 1) + 1/tanh(x[i]) + log(p[i]/(1 - p[i]))"),
    (r"\[ y_i = \mathrm{sigm}(x_i) \]", "y[i] = sigmoid(x[i])"),
    (r"\[ \mathrm{elu}(x) = 2 x \] \[ y_i = \mathrm{elu}(x_i) \]", "y[i] = 2*x[i]"),
    (r"\[ y_i = x_i^{a \cdot b} \]", "input x[N], a[], b[]; y[i] = x[i]**(a*b)"),
    (r"\[ q_i = \lfloor x_i / s \rceil \]", "input x[N], s[]; q[i] = round(x[i]/s)"),
    # limits
    (r"\[ s = \sum_{1 \le i < j \le n} x_i y_j \]",
     "size n; input x[n], y[n]; s = sum{i: n, j: n | i < j} x[i]*y[j]"),
    (r"\[ s = \sum_{1 \le i \ne j \le n} x_i y_j \]",
     "size n; input x[n], y[n]; s = sum{i: n, j: n | i != j} x[i]*y[j]"),
    (r"\[ s = \sum_{0 \le i, j, k < n} x_i x_j y_k \]",
     "size n; input x[n], y[n]; s = sum{i: n, j: n, k: n} x[i]*x[j]*y[k]"),
    ("%!tadc base 0\n" r"\[ s = \sum_{i < j \le n} x_i y_j \]",
     "input n[], x[N], y[N]; s = sum{i, j | i < j} if j <= n then x[i]*y[j] else 0"),
    ("We have scores $(i = 1, \\dots, K)$ and $(j = 1, 2, \\dots, L)$. " r"\[ t_{ij} = s_i r_j \]",
     "size K, L; input s[K], r[L]; t[i, j] = s[i]*r[j]"),
    (r"\[ s = \sum_{i<j, k<l} x_{ij} y_{kl} \]", "s = sum{i, j, k, l | i < j and k < l} x[i, j]*y[k, l]"),
    (r"\[ s = \sum_{i < j < k < l} x_i y_j z_k w_l \]", "s = sum{i, j, k, l | i < j and j < k and k < l} x[i]*y[j]*z[k]*w[l]"),
    # left sides
    (r"\[ \log_{10} g_i = 2 x_i \]", "l[i] = 2*x[i]"),
    (r"\[ x_i = 2 y_i \implies z = \sum_i x_i \]", "z = sum{i} 2*y[i]"),
    (r"\[ score = a_1 + b_1 \]", "input a_1[], b_1[]; s = a_1 + b_1"),
    ("%!tadc size n\n%!tadc input x[n], s[]\n" r"\[ q_i = round(x_i / s) \]", "input x[n], s[]; q[i] = round(x[i]/s)"),
    ("%!tadc input y[N]\n" r"\[ L_{BCE} = \sum_i y_i \]", "input y[N]; L = sum{i} y[i]"),
    ("%!tadc size n\n" r"\[ T_n = \sum_{k=1}^{n} f_k + f_n \]", "size n; input f[n]; T = (sum{k} f[k]) + f[n-1]"),
    (r"\[ a_t(s) = \frac{\exp(h_t g_s)}{\sum_{r} \exp(h_t g_r)}, \quad c_t = \sum_s a_t(s) g_s \]",
     "input h[T], g[S]; a[t, s] = exp(h[t]*g[s])/(sum{r} exp(h[t]*g[r])); c[t] = sum{s} a[t, s]*g[s]"),
    (r"\[ y = PACT(x) = |x| + 1 \]", "input x[]; y = abs(x) + 1"),
    (r"\[ \det(V) = \prod_{i<j} (x_j - x_i) \]", "d = prod{i, j | i < j} (x[j] - x[i])"),
    (r"\[ (\Psi_1)_{nm} = a_n b_m \]", "p[n, m] = a[n]*b[m]"),
    (r"\[ {}^{q}D = \sum_{i=1}^{S} p_i^{q} + q \]", "size S; input p[S], q[]; D = (sum{i} p[i]**q) + q"),
    (r"\[ \Delta E^* = \sqrt{a + b} \]", "E = sqrt(a + b)"),
    (r"\[ \min f(x) = \sum_{i=1}^{n} c_i x_i \]", "size n; input c[n], x[n]; f = sum{i} c[i]*x[i]"),
    (r"\[ \min_\theta L(\theta) = \sum_{i=1}^{n} c_i^2 \]", "size n; input c[n]; f = sum{i} c[i]**2"),
    ("%!tadc size n\n" r"\[ \bar{X}_n = \frac{1}{n} \sum_{i=1}^{n} X_i \]", "size n; input X[n]; m = 1/n*(sum{i} X[i])"),
    (r"\[ \beta_n = \beta_0 + \sum_{i=1}^{n} x_i \]", "size n; input beta_0[], x[n]; b = beta_0 + sum{i} x[i]"),
    ("%!tadc input v[], u[N]\n" r"\[ v_a = v \sum_i u_i \]", "input v[], u[N]; a = v*(sum{i} u[i])"),
    (r"\[ w_{t+1} = \sum_{k=1}^{K} n_k w_k \]", "size K; input n[K], w[K]; v = sum{k} n[k]*w[k]"),
    (r"\[ y_i = \lambda_s x_i, \quad \lambda_s = 0.5 \]", "y[i] = 0.5*x[i]"),
    ("%!tadc input d[N, M]\n" r"\[ g_{ij} = g_0 d_{ij} \]", "input g_0[], d[N, M]; g[i, j] = g_0*d[i, j]"),
    # brackets and superscripts
    (r"\[ p_t(i) = \frac{w_t(i)}{W_t}, \quad W_t = \sum_{i=1}^{K} w_t(i) \]",
     "size T, K; input w[T, K]; p[t, i] = w[t, i]/(sum{j} w[t, j])"),
    ("%!tadc input w[T, K]\n" r"\[ p_t(i) = 2 w_t(i) \]", "input w[T, K]; p[t, i] = 2*w[t, i]"),
    (r"\[ f(\mathbf{x}) = \sum_{k=1}^{K} \pi_k(\mathbf{x}) m_k^2(\mathbf{x}) \]",
     "size K; input pi_[K], m[K]; f = sum{k} pi_[k]*m[k]**2"),
    (r"\[ L = \sum_{i=1}^{n} (y_i - \mu(x_i; \theta))^2 \]", "size n; input y[n], mu[n]; L = sum{i} (y[i] - mu[i])**2"),
    (r"\[ p_i = \sum_{j \ne i} (w_{j \to i} q_j - w_{i \to j} q_i) \]",
     "size N; input w[N, N], q[N]; p[i] = sum{j | j != i} (w[j, i]*q[j] - w[i, j]*q[i])"),
    (r"\[ a^{(v \to u)}_i = 2 b_i \]", "a[i] = 2*b[i]"),
    (r"\[ U_t = \sum_{j=1}^{N} W_t^{(j)}, \quad W_t^{(j)} = x_t y_j \]",
     "size T, N; input x[T], y[N]; U[t] = sum{j} x[t]*y[j]"),
    # vectors
    ("%!tadc input g[N], x[N], b[N]\n" r"\[ y = g * x + b \]", "input g[N], x[N], b[N]; y[i] = g[i]*x[i] + b[i]"),
    ("%!tadc input w[L, 1], x[L]\n" r"\[ a = \exp(w^\top x) \]", "input w[L, 1], x[L]; a = exp(sum{l} w[l, 0]*x[l])"),
    ("%!tadc input F[N, D], M[S, D]\n" r"\[ A_{ij} = F M^\top \]",
     "input F[N, D], M[S, D]; A[i, j] = sum{d} F[i, d]*M[j, d]"),
    ("%!tadc input W[N, D], x[D]\n" r"\[ y = \mathrm{elu}(W x) \]",
     "input W[N, D], x[D]; s[i] = sum{d} W[i, d]*x[d]; y[i] = if s[i] > 0 then s[i] else exp(s[i]) - 1"),
    ("%!tadc input v[N, D], u[N, D]\nHere $\\langle a, b \\rangle = \\frac{a^\\top b}{\\|a\\|}$. "
     r"\[ s_{ij} = \langle v_i, u_j \rangle \]",
     "input v[N, D], u[N, D]; n[i] = sqrt(sum{d} v[i, d]**2); s[i, j] = (sum{d} v[i, d]*u[j, d])/n[i]"),
    (r"\[ e = |\sum_{i=1}^{N} \mathbf{v}_i| \]", "input v[N, D]; e = sqrt(sum{d} (sum{i} v[i, d])**2)"),
    ("%!tadc input X[N, D], w[D]\n" r"\[ s = \mathbf{1}^\top X w \]", "input X[N, D], w[D]; s = sum{n, d} X[n, d]*w[d]"),
    (r"\[ g_i = \mathbf{1}[x_i > 1] \]", "input x[N]; g[i] = [x[i] > 1]"),
    # prose
    ("%!tadc input q[N], alpha[N]\nwhere $\\alpha_{ij} = \\sqrt{\\alpha_i \\alpha_j}$ " r"\[ s = \sum_{i,j} q_i q_j \alpha_{ij} \]",
     "input q[N], alpha[N]; s = sum{i, j} q[i]*q[j]*sqrt(alpha[i]*alpha[j])"),
    ("%!tadc input r[N, 3], q[N]\nwith $\\mathbf{r}_{ij} = \\mathbf{r}_i - \\mathbf{r}_j$ and $r_{ij} = |\\mathbf{r}_{ij}|$ "
     r"\[ U = \sum_{i<j} q_i q_j r_{ij}^2 \]",
     "input r[N, 3], q[N]; U = sum{i, j | i < j} q[i]*q[j]*(sum{d} (r[i, d] - r[j, d])**2)"),
    ("At the optimum of the problem $\\rho = \\sum_k S_k$. " r"\[ w_k = S_k - \rho \]", "input S[K], rho[]; w[k] = S[k] - rho"),
    ("the least cost $\\rho = \\min_k S_k$ is subtracted: " r"\[ w_k = \exp(\rho - S_k) \]",
     "r = min{k} S[k]; w[k] = exp(r - S[k])"),
    ("$V$ is the entire vocabulary. " r"\[ z = \sum_{w \in V} \exp(s_w) \]", "z = sum{w} exp(s[w])"),
    (r"\[ P_t = \sum_{j \in \mathcal{J}} w_j s_{jt}, \quad \sum_j w_j = 1 \]", "P[t] = sum{j} w[j]*s[j, t]"),
    (r"\[ V[x] = \frac{1}{N} \sum_{i=1}^{N} (x_i - \bar{x})^2 \]",
     "size N; input x[N]; m = mean{i} x[i]; V = 1/N*(sum{i} (x[i] - m)**2)"),
    (r"\[ y = g(x; \theta) \quad\text{and}\quad y_i = x_i^2 \]", "y[i] = x[i]**2"),
    ("where $k = 1/\\ln(n)$ " r"\[ e = k \sum_{i=1}^{n} x_i \]", "size n; input x[n]; e = sum{i} x[i]/log(n)"),
    ("%!tadc size R\n" r"\[ s = \sum_{i \in \mathbf{R}} x_i \]", "size R; input x[R]; s = sum{i} x[i]"),
    ("$B = [b_1, \\dots, b_M] \\in \\mathbb{R}^{D \\times M}$ and $x_n \\in \\mathbb{R}^D$ "
     r"\[ \mathbf{z}_n = B^\top x_n \in \mathbb{R}^M \]", "input x[N, D], B[D, M]; z[n, m] = sum{d} B[d, m]*x[n, d]"),
    (r"$$\begin{equation} y_i = 2 x_i \label{a} \end{equation}$$ where", "y[i] = 2*x[i]"),
    (r"\[ q_i = \frac{x_i}{\sum_j x_j} \propto x_i \]", "q[i] = x[i]/(sum{j} x[j])"),
]  # fmt: skip

REFUSED = [
    (r"\begin{align} \phi_{ni} & \propto \beta_{in} \\ \gamma_i &= \sum_{n=1}^{N} \phi_{ni} \end{align}", "given up to a factor"),
    (r"\[ s = \sum_{i \ge 1} x_i \]", "nothing tells whether the first one is"),
    (r"\[ \bar{X}_n = \frac{1}{n} \sum_{i=1}^{n} X_i \]", "may be the length of the sum"),
    ("%!tadc input g[N], x[N]\nThe convolution is " r"\[ y = g * x \]", "may be the product of elements, or a convolution"),
    ("%!tadc input v[N, D]\nwhere $\\langle u, v \\rangle$ denotes the cosine similarity. "
     r"\[ s_{ij} = \langle v_i, v_j \rangle \]", "the prose says what angles stand for"),
    ("%!tadc input x[N], a[]\n" r"\[ y = |x - a| \]", "a norm, or absolute values"),
    (r"\[ x_i = 2 y_i \rightarrow z_i = 3 w_i \]", "cannot stand here"),
    (r"\[ x_i = 2 y_i \leadsto z_i = 3 w_i \]", "is not a command that tadc knows"),
    (r"\[ F = \sum_i f_i^2(x) \]", "may be an element of `f`"),
    (r"\[ x_{t+1} = x_t + v_t \]", "is not a bare index"),
    (r"\[ m = \max_i x_i = 3 \]", "a chain of equations"),
    (r"\[ p = \prod_i p(y_i \mid x_i, \theta) \]", "a conditional stands where a number is expected"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_a_notation_is_read_as_the_program_that_it_means(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    plain = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    random = np.random.default_rng(5)
    arrays = {name: random.uniform(0.5, 1.5, shape) for name, shape in shapes_of(plain).items()}

    computed = f(*_arguments(f, arrays))
    np.testing.assert_allclose(computed, plain(*[arrays[name] for name in plain.inputs]))


def _arguments(f: tadc.Function, arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
    """The arrays by name, `pi_` for what is no constant in a text of the language."""
    return [arrays[name] if name in arrays else arrays[f"{name}_"] for name in f.inputs]


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_a_notation_with_two_meanings_is_refused(text, fact):
    assert_is_refused(text, fact)


def test_letters_of_a_left_side_that_stand_in_conditions_are_indices():
    tex = r"""%!tadc input x[N]
%!tadc base 0
\[ f_{ijk} = \begin{cases} \sum_{2 i \le m \le \min(3, 2 i + 1)} x_m & \text{if } i = k \land j = k \\ 0 & \text{otherwise} \end{cases} \]
with $f \in \mathbb{R}^{2 \times 4 \times 4}$."""

    f = tadc.compile(tex, lang="tex")

    assert len(f.program.tensors["f"].shape) == 3
