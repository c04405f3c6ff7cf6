"""Econometrics, survival analysis, kriging, tensor decompositions and spectral methods."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
  \hat\beta_{\mathrm{FE}} = \frac{\sum_{i=1}^{N}\sum_{t=1}^{T} (x_{it} - \bar{x}_i)(y_{it} - \bar{y}_i)}{\sum_{i=1}^{N}\sum_{t=1}^{T} (x_{it} - \bar{x}_i)^2},
\end{equation}
where $\bar{x}_i = \frac1T \sum_{t=1}^T x_{it}$ and $\bar{y}_i = \frac1T \sum_{t=1}^T y_{it}$.
""",
    source="Wooldridge, Econometric Analysis of Cross Section and Panel Data, 2010, section 10.5",
    output="beta_hat_FE",
    x="3 4",
    y="3 4",
)
def fixed_effects(x, y):
    dx, dy = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
    return (dx * dy).sum() / (dx**2).sum()


@formula(
    r"""
\begin{equation}
  \hat{\gamma}_h = \frac{1}{T} \sum_{t=h+1}^{T} (y_t - \bar y)(y_{t-h} - \bar y), \quad h = 0, 1, \ldots, H
\end{equation}
with $\bar{y} = T^{-1}\sum_{t=1}^T y_t$.
""",
    source="Hamilton, Time Series Analysis, 1994, section 4.8",
    shapes=("size H = 2", "base 1"),
    output="gamma_hat",
    y="6",
)
def sample_autocovariances(y):
    d = y - y.mean()
    return np.array([(d[h:] * d[: len(d) - h]).sum() / len(d) for h in range(3)])


@formula(
    r"""
\begin{equation}
  G = \frac{\sum_{i=1}^{n}\sum_{j=1}^{n} |x_i - x_j|}{2 n \sum_{i=1}^{n} x_i}
\end{equation}
""",
    source="Gini, 1912; Sen, On Economic Inequality, 1973",
    x="5",
)
def gini(x):
    return abs(x[:, None] - x).sum() / (2 * len(x) * x.sum())


@formula(
    r"""
\begin{equation}
U_c = \left[ \sum_{i=1}^{n} a_i^{\frac{1}{\sigma}}\, c_i^{\frac{\sigma - 1}{\sigma}} \right]^{\frac{\sigma}{\sigma-1}}, \qquad P_c = \left( \sum_{i=1}^{n} a_i\, p_i^{1-\sigma} \right)^{\frac{1}{1-\sigma}}
\end{equation}
""",
    source="Dixit and Stiglitz, Monopolistic competition and optimum product diversity, 1977",
    output="",
    a="4",
    sigma=lambda r: 2.5,
    c="4",
    p="4",
)
def elasticity_of_substitution(a, sigma, c, p):
    return (a ** (1 / sigma) * c ** ((sigma - 1) / sigma)).sum() ** (sigma / (sigma - 1))


@formula(
    r"""
\begin{equation}
P_{nj} = \frac{e^{V_{nj}}}{\sum_{k=1}^{J} e^{V_{nk}}}, \qquad V_{nj} = \sum_{m=1}^{M} \beta_m x_{njm}, \qquad \mathrm{LL}(\beta) = \sum_{n=1}^{N} \sum_{j=1}^{J} y_{nj} \ln P_{nj}
\end{equation}
""",
    source="Train, Discrete Choice Methods with Simulation, 2009, chapter 3",
    output="LL",
    beta="2",
    x="3 4 2",
    y="3 4",
)
def multinomial_logit(beta, x, y):
    V = x @ beta
    return (y * (V - np.log(np.exp(V).sum(1, keepdims=True)))).sum()


@formula(
    r"""
The Kaplan--Meier estimator is
\begin{equation}
  \hat{S}_k = \prod_{i=1}^{k} \left( 1 - \frac{d_i}{n_i} \right), \qquad k = 1, \dots, K.
\end{equation}
""",
    source="Kaplan and Meier, Nonparametric estimation from incomplete observations, 1958",
    d=lambda r: r.uniform(0, 1, 4),
    n=lambda r: r.uniform(2, 3, 4),
)
def kaplan_meier(d, n):
    return np.cumprod(1 - d / n)


@formula(
    r"""
\begin{equation}
\hat{C} = \frac{\sum_{i=1}^{n}\sum_{j=1}^{n} \Delta_i\, \mathbf{1}\{T_i < T_j\}\, \mathbf{1}\{\eta_i > \eta_j\}}{\sum_{i=1}^{n}\sum_{j=1}^{n} \Delta_i\, \mathbf{1}\{T_i < T_j\}}
\end{equation}
""",
    source="Harrell et al., Evaluating the yield of medical tests, 1982",
    Delta="5",
    T="5",
    eta="5",
)
def concordance(Delta, T, eta):
    pairs = Delta[:, None] * (T[:, None] < T)
    return (pairs * (eta[:, None] > eta)).sum() / pairs.sum()


@formula(
    r"""
\begin{equation}
    \ell(\lambda, \kappa) = \sum_{i=1}^{n} \left\{ \delta_i \left[ \log\kappa - \kappa \log\lambda + (\kappa - 1) \log t_i \right] - \left( \frac{t_i}{\lambda} \right)^{\!\kappa} \right\}
\end{equation}
""",
    source="Kalbfleisch and Prentice, Statistical Analysis of Failure Time Data, 2002, Weibull",
    delta="4",
    kappa="",
    lambda_="",
    t="4",
)
def weibull_likelihood(delta, kappa, lambda_, t):
    hazard = delta * (np.log(kappa) - kappa * np.log(lambda_) + (kappa - 1) * np.log(t))
    return (hazard - (t / lambda_) ** kappa).sum()


@formula(
    r"""
\begin{equation}
    \hat{Z}(\mathbf{s}_0) = \sum_{i=1}^{n} \lambda_i Z(\mathbf{s}_i), \qquad
    \sigma_K^2 = 2 \sum_{i=1}^{n} \lambda_i \gamma_{i} - \sum_{i=1}^{n}\sum_{j=1}^{n} \lambda_i \lambda_j \gamma_{ij}
\end{equation}
""",
    source="Cressie, Statistics for Spatial Data, 1993, section 3.2",
    output="sigma_K_squared",
    Z="3",
    gamma_i="3",
    gamma="3 3",
    **{"lambda": "3"},
)
def ordinary_kriging(Z, gamma_i, gamma, **rest):
    weights = rest["lambda"]
    return 2 * weights @ gamma_i - weights @ gamma @ weights


@formula(
    r"""
\begin{equation}
  k_{ij} = \sigma_f^2 \left( 1 + \frac{\sqrt{5}\, r_{ij}}{\ell} + \frac{5 r_{ij}^2}{3 \ell^2} \right) \exp\left( -\frac{\sqrt{5}\, r_{ij}}{\ell} \right)
\end{equation}
where $r_{ij} = \lVert \mathbf{x}_i - \mathbf{x}_j \rVert_2$ with $\mathbf{x}_i \in \mathbb{R}^D$.
""",
    source="Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equation (4.17)",
    output="k",
    sigma_f="",
    ell="",
    x="4 3",
)
def matern(sigma_f, ell, x):
    r = np.linalg.norm(x[:, None] - x, axis=2)
    s = np.sqrt(5) * r / ell
    return sigma_f**2 * (1 + s + s**2 / 3) * np.exp(-s)


@formula(
    r"""
\begin{equation}
  I = \frac{N}{\sum_i \sum_j w_{ij}} \, \frac{\sum_i \sum_j w_{ij} (x_i - \bar{x})(x_j - \bar{x})}{\sum_i (x_i - \bar{x})^2}
\end{equation}
where $\bar{x} = \frac1N\sum_{i=1}^N x_i$ is the mean.
""",
    source="Moran, Notes on continuous stochastic phenomena, 1950",
    output="I",
    w="4 4",
    x="4",
)
def moran(w, x):
    d = x - x.mean()
    return len(x) / w.sum() * (d @ w @ d) / (d @ d)


@formula(
    r"""
The $n$-mode product of $\mathcal{X} \in \mathbb{R}^{I_1 \times I_2 \times I_3}$ with $U \in \mathbb{R}^{J \times I_2}$ is
\begin{equation}
  (\mathcal{X} \times_2 U)_{i_1 j i_3} = \sum_{i_2=1}^{I_2} x_{i_1 i_2 i_3}\, u_{j i_2}.
\end{equation}
""",
    source="Kolda and Bader, Tensor decompositions and applications, 2009, section 2.5",
    output="",
    x="2 3 4",
    u="2 3",
)
def mode_product(x, u):
    return None


@formula(
    r"""
\begin{equation}
  y_{i_1 j i_3} = \sum_{i_2=1}^{I_2} x_{i_1 i_2 i_3}\, u_{j i_2}.
\end{equation}
""",
    source="Kolda and Bader, Tensor decompositions and applications, 2009, section 2.5",
    x="2 3 4",
    u="2 3",
)
def mode_two_product(x, u):
    return np.einsum("abc,jb->ajc", x, u)


@formula(
    r"""
\begin{equation}
 \mathcal{X}(i_1,i_2,i_3) \approx \sum_{r_1=1}^{R_1}\sum_{r_2=1}^{R_2} G_1(i_1, r_1)\, G_2(r_1, i_2, r_2)\, G_3(r_2, i_3)
\end{equation}
""",
    source="Oseledets, Tensor-train decomposition, 2011",
    G_1="2 2",
    G_2="2 3 2",
    G_3="2 4",
)
def tensor_train(G_1, G_2, G_3):
    return np.einsum("ar,rbs,sc->abc", G_1, G_2, G_3)


@formula(
    r"""
\begin{equation}
  \min_{A,B,C}\; \frac12 \sum_{i=1}^{I}\sum_{j=1}^{J}\sum_{k=1}^{K} w_{ijk} \Bigl( x_{ijk} - \sum_{r=1}^{R} a_{ir} b_{jr} c_{kr} \Bigr)^2
\end{equation}
""",
    source="Acar et al., Scalable tensor factorizations for incomplete data, 2011",
    w="2 3 2",
    x="2 3 2",
    a="2 2",
    b="3 2",
    c="2 2",
)
def incomplete_tensor(w, x, a, b, c):
    return 0.5 * np.sum(w * (x - np.einsum("ir,jr,kr->ijk", a, b, c)) ** 2)


@formula(
    r"""
\begin{equation}
 f(\mathbf{A},\mathbf{B},\mathbf{C}) := \frac12 \sum_{i=1}^{I}\sum_{j=1}^{J}\sum_{k=1}^{K} w_{ijk} \Bigl( x_{ijk} - \sum_{r=1}^{R} a_{ir} b_{jr} c_{kr} \Bigr)^2
\end{equation}
""",
    source="Acar et al., Scalable tensor factorizations for incomplete data, 2011, its objective",
    w="2 3 2",
    x="2 3 2",
    a="2 2",
    b="3 2",
    c="2 2",
)
def weighted_objective(w, x, a, b, c):
    return (w * (x - np.einsum("ir,jr,kr->ijk", a, b, c)) ** 2).sum() / 2


@formula(
    r"""
\begin{equation}
(D_N)_{ij} = \begin{cases}
 \dfrac{c_i}{c_j} \dfrac{(-1)^{i+j}}{x_i - x_j}, & i \neq j, \\[1ex]
 -\dfrac{x_j}{2(1-x_j^2)}, & \text{otherwise}.
\end{cases}
\end{equation}
""",
    source="Trefethen, Spectral Methods in MATLAB, 2000, theorem 7, inner elements",
    c="4",
    x=lambda r: np.array([0.7, 0.3, -0.2, -0.6]),
)
def chebyshev_differentiation(c, x):
    i, j = np.mgrid[:4, :4]
    with np.errstate(divide="ignore"):
        off = c[:, None] / c * (-1.0) ** (i + j) / (x[:, None] - x)
    return np.where(i == j, -x / (2 * (1 - x**2)), off)


@formula(
    r"""
\begin{equation}
u_N(x_m) = \sum_{k=0}^{N} \hat{u}_k \cos(k \arccos x_m)
\end{equation}
""",
    source="Canuto et al., Spectral Methods, 2006, section 2.4",
    output="",
    u_hat="4",
    x=lambda r: r.uniform(-1, 1, 3),
)
def chebyshev_series(u_hat, x):
    return (u_hat * np.cos(np.arange(4) * np.arccos(x)[:, None])).sum(1)


@formula(
    r"""
\begin{equation}
p_m = \sum_{j=0}^{n} f_j\, \frac{w_j}{z_m - x_j} \bigg/ \sum_{j=0}^{n} \frac{w_j}{z_m - x_j}
\end{equation}
""",
    source="Berrut and Trefethen, Barycentric Lagrange interpolation, 2004, equation (4.2)",
    f="4",
    w="4",
    z=lambda r: r.uniform(2, 3, 3),
    x="4",
)
def barycentric(f, w, z, x):
    terms = w / (z[:, None] - x)
    return (terms * f).sum(1) / terms.sum(1)


@formula(
    r"""
\begin{equation}
  x_i^{(k+1)} = \frac{1}{a_{ii}} \left( b_i - \sum_{j=1}^{i-1} a_{ij} x_j^{(k+1)} - \sum_{j=i+1}^{n} a_{ij} x_j^{(k)} \right)
\end{equation}
""",
    source="Saad, Iterative Methods for Sparse Linear Systems, 2003, section 4.1",
    output="",
    a="3 3",
)
def gauss_seidel(a):
    return None


@formula(
    r"""
\begin{equation}
  \hat{\theta} = \operatorname*{arg\,max}_{k} \left\{ \log \pi_k - \frac12 \sum_{d=1}^{D} \frac{(x_d - \mu_{kd})^2}{\sigma_{kd}^2} \right\}
\end{equation}
""",
    source="Duda, Hart and Stork, Pattern Classification, 2001, diagonal covariances",
    output="",
    pi="3",
    x="2",
    mu="3 2",
    sigma="3 2",
)
def discriminant(pi, x, mu, sigma):
    return 1 + np.argmax(np.log(pi) - (((x - mu) / sigma) ** 2).sum(1) / 2)


@formula(
    r"""
\begin{equation}
  z_n = \operatorname*{argmin}_{k \in \{1,\dots,K\}} \sum_{d=1}^{D} (x_{nd} - \mu_{kd})^2
\end{equation}
""",
    source="Lloyd, Least squares quantization in PCM, 1982",
    x="4 2",
    mu="3 2",
)
def assignment(x, mu):
    return ((x[:, None] - mu) ** 2).sum(2).argmin(1) + 1


@formula(
    r"""
\begin{equation}
  \log p(\mathbf{x} \mid \boldsymbol\mu) = \sum_{n=1}^{N} \log \left\{ \sum_{k=1}^{K} \pi_k \prod_{i=1}^{D} \mu_{ki}^{x_{ni}} (1 - \mu_{ki})^{1 - x_{ni}} \right\}
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equation (9.51)",
    output="",
    pi="2",
    mu=lambda r: r.uniform(0.2, 0.8, (2, 3)),
    x=lambda r: np.array([[0.0, 1, 1], [1, 0, 1]]),
)
def bernoulli_mixture(pi, mu, x):
    p = (mu ** x[:, None] * (1 - mu) ** (1 - x[:, None])).prod(2)
    return np.log(p @ pi).sum()


@formula(
    r"""
\begin{equation}
  \mathcal{W}_\varepsilon(\mu,\nu) = \sum_{i=1}^{n}\sum_{j=1}^{m} \pi_{ij} C_{ij} + \varepsilon \sum_{i=1}^{n}\sum_{j=1}^{m} \pi_{ij} \left( \log \pi_{ij} - 1 \right)
\end{equation}
""",
    source="Cuturi, Sinkhorn distances, 2013",
    shapes=("input pi[n, m], C[n, m], varepsilon[]",),
    pi="3 2",
    C="3 2",
    varepsilon="",
)
def regularised_transport(pi, C, varepsilon):
    return (pi * C).sum() + varepsilon * (pi * (np.log(pi) - 1)).sum()


@formula(
    r"""
\begin{equation}
  \mathrm{HSIC} = \frac{1}{(n-1)^2} \operatorname{tr}(K H L H), \qquad H_{ij} = \delta_{ij} - \frac{1}{n}
\end{equation}
with $K, L \in \mathbb{R}^{n \times n}$.
""",
    source="Gretton et al., Measuring statistical dependence with Hilbert-Schmidt norms, 2005",
    output="HSIC",
    K="4 4",
    L="4 4",
)
def independence_criterion(K, L):
    H = np.eye(4) - 1 / 4
    return np.trace(K @ H @ L @ H) / 9


@formula(
    r"""
\begin{equation}
   \mathrm{Cov}_{ij} = \frac{1}{n-1} \sum_{k=1}^{n} \left( X_{ki} - \bar X_i \right) \left( X_{kj} - \bar X_j \right), \qquad \bar X_i = \frac1n \sum_{k=1}^n X_{ki}
\end{equation}
""",
    source="Anderson, An Introduction to Multivariate Statistical Analysis, 2003",
    output="Cov",
    X="5 3",
)
def covariance_matrix(X):
    return np.cov(X.T)


@formula(
    r"""
\begin{equation}
Q = \frac{1}{2m}\sum_{ij}\left[ A_{ij} - \frac{k_i k_j}{2m} \right]\delta(c_i, c_j), \quad k_i = \sum_j A_{ij}, \quad m = \tfrac12 \sum_{ij} A_{ij}
\end{equation}
""",
    source="Newman and Girvan, Finding and evaluating community structure, 2004",
    output="Q",
    A="4 4",
    c=lambda r: np.array([0.0, 0, 1, 1]),
)
def modularity(A, c):
    k, m = A.sum(1), A.sum() / 2
    return ((A - np.outer(k, k) / (2 * m)) * (c[:, None] == c)).sum() / (2 * m)
