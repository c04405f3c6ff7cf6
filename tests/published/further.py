"""Formulas of further fields: they were read first when the mechanisms for the others stood."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
For $k = 0, 1, \ldots, N-1$ the discrete Hartley transform is
\begin{equation}
H_k = \sum_{n=0}^{N-1} x_n \left[ \cos\left(\frac{2\pi}{N} n k\right) + \sin\left(\frac{2\pi}{N} n k\right) \right].
\end{equation}
""",
    source="Bracewell, Discrete Hartley transform, 1983",
    x="5",
)
def hartley(x):
    t = 2 * np.pi / 5 * np.outer(np.arange(5), np.arange(5))
    return (x * (np.cos(t) + np.sin(t))).sum(1)


@formula(
    r"""
\begin{equation}
  \mathrm{TFP}_i = \frac{1}{2}\sum_{j=1}^{J} \left( s_{ij} + \bar{s}_j \right) \left( \ln x_{ij} - \overline{\ln x}_j \right), \quad
  \overline{\ln x}_j = \frac{1}{I}\sum_{i=1}^{I} \ln x_{ij}, \quad \bar s_j = \frac1I \sum_{i=1}^I s_{ij}
\end{equation}
""",
    source="Caves, Christensen and Diewert, Multilateral comparisons, 1982",
    output="TFP",
    s="3 2",
    x="3 2",
)
def productivity(s, x):
    lx = np.log(x)
    return ((s + s.mean(0)) * (lx - lx.mean(0))).sum(1) / 2


@formula(
    r"""
\begin{equation}
   \dot{x}_i = -x_i + \sum_{j=1}^{N} J_{ij} \tanh(g x_j) + \sqrt{2 D}\, \xi_i , \qquad i = 1,\dots,N.
\end{equation}
""",
    source="Sompolinsky, Crisanti and Sommers, Chaos in random neural networks, 1988, with noise",
    x="4",
    J="4 4",
    g="",
    D="",
    xi="4",
)
def random_network(x, J, g, D, xi):
    return -x + J @ np.tanh(g * x) + np.sqrt(2 * D) * xi


@formula(
    r"""
\begin{equation}
\mathcal{L}(\theta) = \mathbb{E}_{t, x_0, \epsilon}\left[ \| \epsilon - \epsilon_\theta(x_t, t) \|^2 \right]
\end{equation}
""",
    source="Ho, Jain and Abbeel, Denoising diffusion probabilistic models, 2020, equation (14)",
    output="",
    x="2",
)
def expectation_of_noise(x):
    return None


@formula(
    r"""
\begin{equation}
  \log p(y_{1:T}) = \sum_{t=1}^{T} \log \sum_{k=1}^{K} \omega_{t,k}\; \mathcal{N}(y_t; \mu_k, \sigma_k^2)
\end{equation}
""",
    source="Doucet and Johansen, A tutorial on particle filtering, 2009",
    output="log_p",
    omega="3 2",
    y="3",
    mu="2",
    sigma="2",
)
def particle_likelihood(omega, y, mu, sigma):
    density = np.exp(-((y[:, None] - mu) ** 2) / (2 * sigma**2)) / np.sqrt(2 * np.pi * sigma**2)
    return np.log((omega * density).sum(1)).sum()


@formula(
    r"""
\begin{equation}
C_{p} = \sum_{k=1}^{K} n_k \left( a_k + b_k \theta + c_k \theta^2 + d_k \theta^{-2} \right), \qquad \theta = T / 1000
\end{equation}
""",
    source="Chase, NIST-JANAF thermochemical tables, 1998, Shomate form",
    output="C_p",
    n="3",
    a="3",
    b="3",
    c="3",
    d="3",
    T=lambda r: 700.0,
)
def heat_capacity(n, a, b, c, d, T):
    t = T / 1000
    return (n * (a + b * t + c * t**2 + d / t**2)).sum()


@formula(
    r"""
\begin{equation}
  \lambda(t_n) = \mu + \sum_{m=1}^{n-1} \alpha\, e^{-\beta (t_n - t_m)}
\end{equation}
""",
    source="Hawkes, Spectra of some self-exciting point processes, 1971",
    shapes=("base 1", "input mu[], alpha[], beta[], t[N]"),
    output="",
    mu="",
    alpha="",
    beta="",
    t="4",
)
def self_exciting(mu, alpha, beta, t):
    return mu + np.array([(alpha * np.exp(-beta * (t[n] - t[:n]))).sum() for n in range(len(t))])


@formula(
    r"""
\begin{align*}
\mathrm{nll} &= \sum_{i=1}^{N} \Bigl[ \tfrac{1}{2}\log(2\pi\hat\sigma_i^2) + \frac{(y_i - \hat\mu_i)^2}{2\hat\sigma_i^2} \Bigr]
\end{align*}
""",
    source="Nix and Weigend, Estimating the mean and variance of the target probability distribution, 1994",
    sigma_hat="4",
    y="4",
    mu_hat="4",
)
def heteroscedastic(sigma_hat, y, mu_hat):
    return (np.log(2 * np.pi * sigma_hat**2) / 2 + (y - mu_hat) ** 2 / (2 * sigma_hat**2)).sum()


@formula(
    r"""
\begin{equation}
 x_{k+1} = A x_k + B u_k
\end{equation}
""",
    source="Kailath, Linear Systems, 1980",
    output="",
    A="2 2",
)
def state_recurrence(A):
    return None


@formula(
    r"""
\begin{equation}
  y_k = C x_k + D u_k, \qquad k = 0, \dots, N-1
\end{equation}
where $x_k \in \mathbb{R}^n$, $u_k \in \mathbb{R}^m$, $C \in \mathbb{R}^{p \times n}$ and $D \in \mathbb{R}^{p\times m}$.
""",
    source="Kailath, Linear Systems, 1980",
    C="2 3",
    x="4 3",
    D="2 2",
    u="4 2",
)
def output_equation(C, x, D, u):
    return x @ C.T + u @ D.T


@formula(
    r"""
The energy of the rod discretised at $N$ nodes is
\begin{equation}
  E = \sum_{i=1}^{N-1} \frac{EA}{2 \ell_i} \left( |\mathbf{r}_{i+1} - \mathbf{r}_i| - \ell_i \right)^2 + \sum_{i=2}^{N-1} \frac{B}{2}\, \| \mathbf{r}_{i+1} - 2\mathbf{r}_i + \mathbf{r}_{i-1} \|^2
\end{equation}
with $\mathbf{r}_i \in \mathbb{R}^3$.
""",
    source="Bergou et al., Discrete elastic rods, 2008, simplified",
    output="",
    shapes=("input EA[], ell[N-1], r[N, 3], B[]",),
    EA="",
    ell="3",
    r="4 3",
    B="",
)
def elastic_rod(EA, ell, r, B):
    stretch = EA / (2 * ell) * (np.linalg.norm(np.diff(r, axis=0), axis=1) - ell) ** 2
    return stretch.sum() + B / 2 * (np.diff(r, 2, axis=0) ** 2).sum()


@formula(
    r"""
\begin{equation}
 \text{AIC} = 2k - 2\ln \hat{L}, \qquad \ln\hat{L} = -\frac{n}{2}\ln(2\pi\hat\sigma^2) - \frac{1}{2\hat\sigma^2}\sum_{i=1}^{n} (y_i - \hat{y}_i)^2
\end{equation}
""",
    source="Akaike, A new look at the statistical model identification, 1974",
    output="AIC",
    k="",
    n="",
    sigma_hat="",
    y="4",
    y_hat="4",
)
def information_criterion(k, n, sigma_hat, y, y_hat):
    n = len(y)
    log_L = -n / 2 * np.log(2 * np.pi * sigma_hat**2) - ((y - y_hat) ** 2).sum() / (
        2 * sigma_hat**2
    )
    return 2 * k - 2 * log_L


@formula(
    r"""
\begin{equation}
 S = -k_B \sum_{i} p_i \ln p_i, \qquad p_i = \frac{1}{Z} e^{-\beta E_i}, \qquad Z = \sum_{j} e^{-\beta E_j}
\end{equation}
""",
    source="Gibbs, Elementary Principles in Statistical Mechanics, 1902",
    output="S",
    k_B="",
    beta="",
    E="4",
)
def gibbs_entropy(k_B, beta, E):
    p = np.exp(-beta * E)
    p /= p.sum()
    return -k_B * (p * np.log(p)).sum()


@formula(
    r"""
\begin{equation}
  n(\mathbf{r}) \approx \bar n_l = \sum_{i=1}^{N_{\mathrm{occ}}} f_i \left| \sum_{\mu=1}^{M} c_{\mu i}\, \chi_{\mu l} \right|^2
\end{equation}
""",
    source="Jensen, Introduction to Computational Chemistry, 2007, on a grid",
    output="",
    f="2",
    c="3 2",
    chi="3 4",
)
def density_on_grid(f, c, chi):
    return f @ (c.T @ chi) ** 2


@formula(
    r"""
\begin{equation}
\bar{n}_l = \sum_{i=1}^{N_{\mathrm{occ}}} f_i \left| \sum_{\mu=1}^{M} c_{\mu i}\, \chi_{\mu l} \right|^2
\end{equation}
""",
    source="Jensen, Introduction to Computational Chemistry, 2007, on a grid",
    f="2",
    c="3 2",
    chi="3 4",
)
def grid_density(f, c, chi):
    return f @ (c.T @ chi) ** 2


@formula(
    r"""
\begin{equation}
\Delta G^{\mathrm{ex}} = RT \sum_{i=1}^{n} x_i \ln \gamma_i, \qquad
\ln \gamma_i = \sum_{j=1}^{n} A_{ij} x_j^2
\end{equation}
""",
    source="Prausnitz, Lichtenthaler and de Azevedo, Molecular Thermodynamics, 1999, Margules type",
    output="Delta_G_ex",
    R="",
    T="",
    x="3",
    A="3 3",
)
def excess_energy(R, T, x, A):
    return R * T * (x * (A @ x**2)).sum()


@formula(
    r"""
\begin{equation}
  \phi^{n+1}_i = \phi^n_i - \frac{\Delta t}{\Delta x} \left( F^n_{i+1/2} - F^n_{i-1/2} \right)
\end{equation}
""",
    source="LeVeque, Finite Volume Methods for Hyperbolic Problems, 2002",
    output="",
    phi="3",
)
def finite_volume(phi):
    return None


@formula(
    r"""
\begin{equation}
 \mathbf{Q}_{jk} = \tfrac{1}{n-1} \sum_{i=1}^{n} (x_{ij} - \bar{x}_j)(x_{ik} - \bar{x}_k), \quad \bar{x}_j = \tfrac1n \textstyle\sum_{i=1}^{n} x_{ij}
\end{equation}
""",
    source="Johnson and Wichern, Applied Multivariate Statistical Analysis, 2007",
    output="Q",
    x="5 3",
)
def bold_covariance(x):
    return np.cov(x.T)


@formula(
    r"""
\begin{equation}
  f(x) = \operatorname{sign}\Bigl( \sum_{i=1}^{n} \alpha_i y_i K(x_i, x) + b \Bigr), \qquad K(u, v) = (1 + u^\top v)^d
\end{equation}
with $x, x_i \in \mathbb{R}^p$.
""",
    source="Cortes and Vapnik, Support-vector networks, 1995",
    x="2",
    alpha="3",
    y="3",
    x_i="3 2",
    d=lambda r: 2.0,
    b="",
)
def support_vectors(x, alpha, y, x_i, d, b):
    return np.sign((alpha * y * (1 + x_i @ x) ** d).sum() + b)


@formula(
    r"""
\begin{equation}
 e_t = \max_{1 \le i \le N} \left| u_{t,i} - \hat{u}_{t,i} \right|
\end{equation}
""",
    source="Quarteroni, Sacco and Saleri, Numerical Mathematics, 2007",
    u="3 4",
    u_hat="3 4",
)
def maximal_error(u, u_hat):
    return abs(u - u_hat).max(1)


@formula(
    r"""
\begin{equation}
 a_{l} = \frac{2l+1}{2} \sum_{q=1}^{Q} w_q f_q P_{l}(x_q)
\end{equation}
""",
    source="Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, by quadrature",
    output="",
    w="3",
)
def legendre_coefficients(w):
    return None


@formula(
    r"""
\begin{equation}
 a_{l} = \frac{2l+1}{2} \sum_{q=1}^{Q} w_q f_q P_{lq}, \qquad l = 0, \dots, L
\end{equation}
""",
    source="Abramowitz and Stegun, Handbook of Mathematical Functions, 1964, by quadrature",
    w="4",
    f="4",
    P="3 4",
)
def projected_coefficients(w, f, P):
    return np.array([(2 * l + 1) / 2 * np.sum(w * f * P[l]) for l in range(3)])


@formula(
    r"""
\begin{equation}
  \pi(\theta \mid y) \propto \exp\left\{ -\tfrac12 \sum_{i=1}^n (y_i - \theta)^2 \right\}
\end{equation}
""",
    source="Gelman et al., Bayesian Data Analysis, 2013",
    output="",
    y="3",
)
def posterior_kernel(y):
    return None


@formula(
    r"""
\begin{equation}
 \hat p_{ij} = \frac{n_{ij} + \kappa\, q_j}{\sum_{k \neq i} n_{ik} + \kappa}
\end{equation}
""",
    source="Chen and Goodman, An empirical study of smoothing techniques, 1999, without self transitions",
    n="3 3",
    kappa="",
    q="3",
)
def smoothed_transitions(n, kappa, q):
    others = n.sum(1) - np.diag(n)
    return (n + kappa * q) / (others[:, None] + kappa)


@formula(
    r"""
\begin{equation}
  U = \sum_{\text{bonds}} k_b (r_b - r_{0,b})^2 + \sum_{i<j} \left[ \frac{A_{ij}}{r_{ij}^{12}} - \frac{B_{ij}}{r_{ij}^6} + \frac{q_i q_j}{4\pi\epsilon_0 r_{ij}} \right]
\end{equation}
""",
    source="Cornell et al., A second generation force field, 1995, equation (1)",
    output="",
    k="2",
)
def force_field(k):
    return None


@formula(
    r"""
\begin{equation}
  U_{\mathrm{nb}} = \sum_{i<j} \left[ \frac{A_{ij}}{r_{ij}^{12}} - \frac{B_{ij}}{r_{ij}^6} + \frac{q_i q_j}{4\pi\epsilon_0 r_{ij}} \right]
\end{equation}
""",
    source="Cornell et al., A second generation force field, 1995, nonbonded part",
    A="4 4",
    r="4 4",
    B="4 4",
    q="4",
    epsilon_0="",
)
def nonbonded(A, r, B, q, epsilon_0):
    terms = A / r**12 - B / r**6 + np.outer(q, q) / (4 * np.pi * epsilon_0 * r)
    return np.triu(terms, 1).sum()
