r"""What papers print beside the plain formula: words above names, lists between a name and its subscripts, sides of chains, limits of results."""

from __future__ import annotations

import numpy as np
import pytest
from declared_shapes import shapes_of
from refused import assert_is_refused

import tadc

READ = [
    # words above names
    (r"\[ v = \frac{w^{gt}}{h^{gt}} - \frac{w}{h} \]", "v = w_gt/h_gt - w/h"),
    (r"\[ E = E^{HF} + E^{MP} \]", "E = E_HF + E_MP"),
    (r"\[ f_i^{eq} = \mathbf{e}_i w_i \]", "f_eq[i] = e[i]*w[i]"),
    ("%!tadc input p[], q[]\n" r"\[ s = a^{pq} + b \]", "input p[], q[]; s = a**(p*q) + b"),
    ("%!tadc input e_c[N], e_varnothing[N]\n" r"\[ y_i = e_i^{c} - e_i^{\varnothing} \]",
     "input e_c[N], e_varnothing[N]; y[i] = e_c[i] - e_varnothing[i]"),
    # a chain has one side that can be read
    (r"\[ r_{ij} = \frac{\partial C(s_i)}{\partial s_i} = a_i b_j \]", "r[i, j] = a[i]*b[j]"),
    (r"\[ s = \sum_i (f(x_i) - f(y_i)) = \sum_i (F_i - G_i) \]", "s = sum{i} (F[i] - G[i])"),
    ("%!tadc input W[d, k], B[d, r], A[r, k], x[k]\n" r"\[ h = W x + \Delta W x = W x + B A x \]",
     "input W[d, k], B[d, r], A[r, k], x[k]; h[i] = (sum{j} W[i, j]*x[j]) + (sum{j, l} B[i, l]*A[l, j]*x[j])"),
    # lists between a name and its subscripts
    (r"\[ H(x)_i = \sum_j W_{ij} x_j, \quad y = \sum_i H(x)_i v_i \]",
     "H[i] = sum{j} W[i, j]*x[j]; y = sum{i} H[i]*v[i]"),
    # functions of the standard normal distribution
    (r"\[ C = S \Phi(d) \] where $\Phi(\cdot)$ is the standard normal distribution function", "C = S*0.5*erfc(-d/sqrt(2))"),
    (r"\[ C = S N(d) \] where $N(d)$ denotes the cumulative normal density function", "C = S*0.5*erfc(-d/sqrt(2))"),
    (r"\[ C_i = \phi(d_i) / \Phi(d_i) \] where $\Phi$ and $\phi$ are the CDF and PDF of the standard normal distribution",
     "C[i] = (exp(-d[i]**2/2)/sqrt(2*pi))/(0.5*erfc(-d[i]/sqrt(2)))"),
    # a range behind a function is that of the formulas in front of it
    ("%!tadc input u[N]\n" r"\[ F_j = f(u_j) + f(u_{j+1}), \qquad f(u) = u^2 \] for $j = 1, \dots, N-1$.",
     "size N; input u[N]; F[j: N - 1] = u[j]**2 + u[j+1]**2"),
    # lengths of sums are labels, and what is made of them
    ("%!tadc size p\n" r"\[ D_p = \sum_{i=1}^{p} x_i, \quad E_p = \frac{D_p}{c_p} \]",
     "size p; input x[p]; D_p = sum{i=0..p - 1} x[i]; E_p = D_p/c_p"),
    # matrices of the prose, and ones with their lengths
    (r"Let $K \in \mathbb{R}^{n \times n}$ and $H = I_n - \frac{1}{n} \mathbf{1}_n \mathbf{1}_n^\top$. \[ s = \operatorname{tr}(K H) \]",
     "size n; input K[n, n]; s = (sum{i} K[i, i]) - (sum{i, j} K[i, j])/n"),
    (r"$K \in \mathbb{R}^{n \times m}$ \[ s = 1_n^T K 1_m \]", "input K[n, m]; s = sum{i, j} K[i, j]"),
    (r"$K \in \mathbb{R}^{n \times n}$ \[ s = 1^T K 1 \]", "input K[n, n]; s = sum{i, j} K[i, j]"),
    (r"$K \in \mathbb{R}^{n \times n}$ \[ s = \mathbf{1}^\top_n K \mathbf{1}_n \]", "input K[n, n]; s = sum{i, j} K[i, j]"),
    # primes of rows are transposes in front of vectors
    (r"$x_i, \beta \in \mathbb{R}^k$ \[ y_i = x_i'\beta \]", "input x[N, k], beta[k]; y[i] = sum{d} x[i, d]*beta[d]"),
    (r"$x_{ni}, \beta \in \mathbb{R}^k$ \[ y_{ni} = \beta^{\prime} x_{ni} \]",
     "input x[N, M, k], beta[k]; y[n, i] = sum{d} x[n, i, d]*beta[d]"),
    # letters below a line are no sums of Einstein's
    (r"\[ \tau_m \frac{d V_i}{d t} = -V_i + R_m s_i \]", "dV_dt[i] = (-V[i] + R_m*s[i])/tau_m"),
    (r"\[ \frac{1}{N_i} \frac{d N_i}{d t} = r_i - \sum_j a_{ij} N_j \]", "dN_dt[i] = N[i]*(r[i] - (sum{j} a[i, j]*N[j]))"),
    # lists of moved indices are subscripts
    (r"\[ m(x, y) = L(x+1, y) - L(x, y) \] for $x = 1, \dots, W-1$ and $y = 1, \dots, H$.",
     "size W, H; input L[W, H]; m[x: W - 1, y: H] = L[x+1, y] - L[x, y]"),
    (r"\[ m(x, y) = g(x + 1, y), \quad g(x, y) = x^2 + y \]", "m = (x + 1)**2 + y"),
    # elements are read, where vectors of them are printed, too
    (r"\[ \mathcal{T} = \sum_{r=1}^{R} \mathbf{a}_r \circ \mathbf{b}_r \] \[ t_{ij} = \sum_{r=1}^{R} a_{ir} b_{jr} \]",
     "size R; input a[I, R], b[J, R]; t[i, j] = sum{r} a[i, r]*b[j, r]"),
    (r"\[ a_j = \sum_i w_{ji} x_i, \quad s = \sum_i \sum_j V_{ij} [\mathbf{W}_a \mathbf{a}]_j \] $\mathbf{W}_a \in \mathbb{R}^{n \times n}$, $\mathbf{a} \in \mathbb{R}^n$",
     "size n; input W_a[n, n], w[n, K], x[K], V[I, n]; a[j] = sum{i} w[j, i]*x[i]; s = sum{i, j} V[i, j]*(sum{k} W_a[j, k]*a[k])"),
    # a logarithm of a number in an exponent, and names that the prose defines by formulas of numbers
    (r"\[ y_i = \exp\left[ -4 \ln 2 \frac{(x_i - a)^2}{w^2} \right] \]", "y[i] = exp(-4*log(2)*(x[i] - a)**2/w**2)"),
    (r"\[ y_i = e^{-t_i \ln 2 / h} \]", "y[i] = exp(-t[i]*log(2)/h)"),
    (r"\[ y_i = h x_i \] where $h = (b - a)/n$", "h = (b - a)/n; y[i] = h*x[i]"),
    (r"\[ \ell = \sum_i x_i/(2 \tilde\sigma^2) \] with $\tilde\sigma^2 = \sigma^2 \frac{1 - a}{2}$",
     "v = sigma**2*(1 - a)/2; ell = sum{i} x[i]/(2*v)"),
    (r"\[ I(\mu) = 1 - \sum_k c_k \mu \] where $\mu = \cos\theta$", "I = 1 - (sum{k} c[k]*mu)"),
    (r"\[ \ell = \sum_i y_i \alpha_i \] with $\alpha = K_y^{-1} y$", "ell = sum{i} y[i]*alpha[i]"),
    # data are given, whatever the prose says of where they come from
    (r"\[ L = \sum_i (y_i - a x_i)^2 \] where $y_i = b x_i + \epsilon_i$", "L = sum{i} (y[i] - a*x[i])**2"),
    (r"\[ L = \sum_i (r_i - a)^2 \] where $r = u - v$ is the residual", "L = sum{i} (r[i] - a)**2"),
    (r"$y \in \mathbb{R}^n$, $X \in \mathbb{R}^{n \times p}$, $b \in \mathbb{R}^p$ \[ L = \|y - X b\|^2 \] where $y = X \beta + \varepsilon$",
     "input y[n], X[n, p], b[p]; L = sum{i} (y[i] - (sum{j} X[i, j]*b[j]))**2"),
    # functions of elements that nothing defines are no formulas for what is declared
    ("%!tadc input e[N, T], h[T, D]\n" r"\[ e_{ij} = a(s_{i-1}, h_j), \quad c_i = \sum_j e_{ij} h_j \]",
     "input e[N, T], h[T, D]; c[i, k] = sum{j} e[i, j]*h[j, k]"),
    ("%!tadc input x[P], y[P]\n" r"\[ f(x_p, y_p) = \sum_{i=1}^{H} F_i (y_p - x_p) \]",
     "size H; input x[P], y[P], F[H]; f[p] = sum{i} F[i]*(y[p] - x[p])"),
    ("%!tadc input M_r[k, d]\n" r"$\mathbf{h} \in \mathbb{R}^d$ \[ f_r(h) = \| \mathbf{M}_r \mathbf{h} \|^2 \]",
     "input M_r[k, d], h[d]; f = sum{i} (sum{j} M_r[i, j]*h[j])**2"),
    # names with labels, told by what reads them, and arguments that nothing reads
    (r"\[ H = \sum_k P_t^{(k)} \log P_s^{(k)}, \quad P_s^{(i)} = g_i / \tau_s, \quad P_t^{(i)} = h_i / \tau_t \]",
     "P_s[i] = g[i]/tau_s; P_t[i] = h[i]/tau_t; H = sum{k} P_t[k]*log(P_s[k])"),
    ("%!tadc input S[n, n]\n" r"\[ F(Q) = \sum_{a=1}^{n} \sum_{b=1}^{n} c_a c_b S_{ab}(Q) \]",
     "size n; input S[n, n]; F = sum{a, b} c[a]*c[b]*S[a, b]"),
    (r"$q, z' \in \mathbb{R}^d$ \[ s = \| p(z) - v \|^2 = 2 - q^\top z' \]", "input q[d], z_prime[d]; s = 2 - (sum{i} q[i]*z_prime[i])"),
    # cases that begin at 0, halves of ranges, and rates of concentrations
    (r"\[ w_i = \begin{cases} 1 - q_i & 0 \le q_i \le 1 \\ 0 & q_i > 1 \end{cases} \]", "w[i] = if q[i] <= 1 then 1 - q[i] else 0"),
    ("%!tadc size N\n%!tadc input x[N]\n" r"\[ a_k = x_{2k} + x_{2k+1}, \quad k = 0, \ldots, N/2 - 1 \]",
     "size N; input x[N]; a[k: N // 2] = x[2*k] + x[2*k + 1]"),
    (r"\[ \frac{d[X_i]}{dt} = \sum_r v_{ir} k_r [X_i]^2 \]", "dX_dt[i] = sum{r} v[i, r]*k[r]*X[i]**2"),
    (r"The deviance of the linear predictor $\eta_i = \sum_j x_{ij} \beta_j$ is \[ D = \sum_i y_i \eta_i \]",
     "eta[i] = sum{j} x[i, j]*beta[j]; D = sum{i} y[i]*eta[i]"),
    # letters above left sides, and words and numbers below functions
    (r"\[ E^x_k = a_k x_k, \quad E^y_k = b_k y_k, \quad s = \sum_k E^x_k E^y_k \]",
     "E_x[k] = a[k]*x[k]; E_y[k] = b[k]*y[k]; s = sum{k} E_x[k]*E_y[k]"),
    (r"\[ s = \sum_i \mathrm{smooth}_{L1}(l_i - g_i), \quad \mathrm{smooth}_{L1}(x) = x^2 \]", "s = sum{i} (l[i] - g[i])**2"),
    (r"\[ v = k [\mathrm{S}] [\mathrm{E}] / ([\mathrm{S}] + K) \]", "v = k*S*E/(S + K)"),
    # what is said of the result
    (r"\[ d = \sum_i x_i, \qquad 0 \le d \le 1, \]", "d = sum{i} x[i]"),
    (r"\[ L_{loc}(t, v) = \sum_i (t_i - v_i) \]", "L_loc = sum{i} (t[i] - v[i])"),
]  # fmt: skip

REFUSED = [
    (r"\[ s = a^{pq} + b \]", "may be a label, or a product as a power"),
    (r"\[ s = t^{gt} - t \]", "may be a label, or a product as a power"),
    (r"\[ H(x)_i = \sum_j W_{ij} x_j, \quad y = \sum_i H(v)_i \]", "is defined for another argument"),
    (r"$x \in \mathbb{R}^n$ \[ y = x W_q \]", "behind a vector may be a matrix or a number"),
    (r"$x \in \mathbb{R}^n$ \[ y = \Delta W x \]", "in front of a vector may be a matrix or a number"),
    (r"\[ \mathcal{T} = \sum_{r=1}^{R} \mathbf{a}_r \circ \mathbf{b}_r \]", "may be the outer product of vectors"),
    (r"\[ y = \sum_k a_k^2 \delta_{k,i}^2 \]", "may be Kronecker's delta, or data"),
    (r"\[ V = \sum_n h_n P_n(\cos\psi) \]", "may be an element of `P`, a function of it, or a product"),
    ("%!tadc input P[N]\n" r"\[ V = \sum_n P_n(\cos\psi) \]", "is no factor and no index"),
    (r"\[ y_i = \ln 2 (1 + x_i) \]", "may be of the number, or of the product"),
    (r"\[ C_i = \phi(d_i) \] where $\phi$ is the Gaussian density with width $a$", "no function that tadc knows"),
    (r"where $\sigma$ controls the shape of the sigmoid \[ y_i = \sigma(x_i - 1) \]", "may be the sigmoid or a product"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "program"), READ)
def test_what_papers_print_is_the_program_that_it_means(text, program):
    f = tadc.compile(text, lang="tex", backend="interpreter", dtype="float64")
    plain = tadc.compile(program.replace("; ", "\n"), backend="interpreter", dtype="float64")
    random = np.random.default_rng(5)
    arrays = {name: random.uniform(0.5, 1.5, shape) for name, shape in shapes_of(plain).items()}
    sizes = dict.fromkeys(f.sizes, 3)

    assert {*f.inputs} == {*plain.inputs}
    given = [arrays[name] for name in f.inputs]
    computed = f(*given, **({} if given else sizes))
    np.testing.assert_allclose(computed, plain(*[arrays[name] for name in plain.inputs]))


@pytest.mark.parametrize(("text", "fact"), REFUSED)
def test_what_fits_two_readings_is_refused(text, fact):
    assert_is_refused(text, fact)
