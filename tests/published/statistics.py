"""Statistics and finance."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
\hat{f}_h(x_k) = \frac{1}{nh}\sum_{i=1}^{n} K\left(\frac{x_k - X_i}{h}\right), \qquad K(u) = \frac{1}{\sqrt{2\pi}} e^{-u^2/2}.
\end{equation}
""",
    source="Parzen, On estimation of a probability density function and mode, 1962",
    h="",
    x="3",
    X="5",
)
def kernel_density(h, x, X):
    u = (x[:, None] - X) / h
    return (np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)).sum(1) / (5 * h)


@formula(
    r"""
\begin{equation}
r_{xy} = \frac{\sum_{i=1}^{n}(x_i-\bar{x})(y_i-\bar{y})}{\sqrt{\sum_{i=1}^{n}(x_i-\bar{x})^2}\sqrt{\sum_{i=1}^{n}(y_i-\bar{y})^2}}
\end{equation}
where $\bar{x} = \frac{1}{n}\sum_{i=1}^n x_i$ and $\bar{y} = \frac{1}{n}\sum_{i=1}^n y_i$.
""",
    source="Pearson, 1895",
    x="5",
    y="5",
)
def pearson_prose(x, y):
    return np.corrcoef(x, y)[0, 1]


@formula(
    r"""
\[
\ell(\theta) = \sum_{i=1}^{n} \left[ y_i \left(\mathbf{x}_i^{\mathsf T}\beta\right) - \exp\left(\mathbf{x}_i^{\mathsf T}\beta\right) - \log\Gamma(y_i + 1)\right]
\]
""",
    source="McCullagh and Nelder, Generalized Linear Models, 1989: Poisson regression",
    shapes=("input y[n], x[n, p], beta[p]",),
    y="4",
    x="4 2",
    beta="2",
)
def poisson_regression(y, x, beta):
    from math import lgamma

    eta = x @ beta
    return sum(y[i] * eta[i] - np.exp(eta[i]) - lgamma(y[i] + 1) for i in range(4))


@formula(
    r"""
The partial log-likelihood is
\begin{equation}
\ell(\boldsymbol\beta) = \sum_{i=1}^{n} \delta_i \left[ \boldsymbol\beta^\top \mathbf{x}_i - \log \sum_{j : t_j \ge t_i} \exp(\boldsymbol\beta^\top \mathbf{x}_j)\right]
\end{equation}
""",
    source="Cox, Regression models and life-tables, 1972",
    shapes=("input delta[n], beta[p], x[n, p], t[n]",),
    delta="4",
    beta="2",
    x="4 2",
    t="4",
)
def cox_likelihood(delta, beta, x, t):
    eta = x @ beta
    return sum(delta[i] * (eta[i] - np.log(np.exp(eta[t >= t[i]]).sum())) for i in range(4))


@formula(
    r"""
\begin{align*}
\gamma_{nk} &= \frac{\pi_k\, \mathcal{N}_{nk}}{\sum_{j=1}^{K}\pi_j\,\mathcal{N}_{nj}}, &
N_k &= \sum_{n=1}^{N}\gamma_{nk}, \\
\boldsymbol\mu_k &= \frac{1}{N_k}\sum_{n=1}^{N}\gamma_{nk}\mathbf{x}_n.
\end{align*}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, section 9.2",
    output="mu",
    shapes=("input pi[K], N_cal[N, K], x[N, D]",),
    pi="3",
    N_cal="4 3",
    x="4 2",
)
def mixture_means(pi, N_cal, x):
    g = pi * N_cal
    g = g / g.sum(1, keepdims=True)
    return (g.T @ x) / g.sum(0)[:, None]


@formula(
    r"""
\begin{equation}
\mathrm{ELBO} = -\frac12\sum_{j=1}^{J}\left(1 + \log\left((\sigma_j)^2\right) - (\mu_j)^2 - (\sigma_j)^2\right)
\end{equation}
""",
    source="Kingma and Welling, Auto-encoding variational Bayes, 2014, appendix B (sign turned)",
    sigma="4",
    mu="4",
)
def gaussian_divergence(sigma, mu):
    return -0.5 * (1 + np.log(sigma**2) - mu**2 - sigma**2).sum()


@formula(
    r"""
\begin{equation}
\mathrm{dCov}_n^2(X, Y) = \frac{1}{n^2}\sum_{j=1}^{n}\sum_{k=1}^{n} A_{jk}B_{jk}
\end{equation}
where
\begin{equation}
A_{jk} = a_{jk} - \bar{a}_{j\cdot} - \bar{a}_{\cdot k} + \bar{a}_{\cdot\cdot}
\end{equation}
""",
    source="Szekely, Rizzo and Bakirov, 2007",
    output="dCov_n_squared",
    a="3 3",
    B="3 3",
)
def distance_covariance(a, B):
    A = a - a.mean(1)[:, None] - a.mean(0) + a.mean()
    return (A * B).sum() / 9


@formula(
    r"""
\begin{equation}
\mathrm{CRPS} = \frac{1}{M}\sum_{m=1}^{M}|x_m - y| - \frac{1}{2M^2}\sum_{m=1}^{M}\sum_{m'=1}^{M}|x_m - x_{m'}|
\end{equation}
""",
    source="Gneiting and Raftery, Strictly proper scoring rules, 2007",
    x="4",
    y="",
)
def crps(x, y):
    return np.abs(x - y).mean() - np.abs(x[:, None] - x).sum() / 32


@formula(
    r"""
The unbiased sample covariance is
\[
    \widehat{\Sigma}_{jk} = \frac{1}{n-1} \sum_{i=1}^n (x_{ij} - \bar x_j)(x_{ik} - \bar x_k), \qquad \bar x_j = \frac1n \sum_{i=1}^n x_{ij},
\]
for $j,k = 1,\ldots,p$.
""",
    source="Anderson, An Introduction to Multivariate Statistical Analysis, 1958",
    x="5 3",
    output="Sigma_hat",
)
def sample_covariance(x):
    return np.cov(x.T)


@formula(
    r"""
\begin{equation}
    W = \sum_{i=1}^{R}\sum_{j=1}^{C}\frac{(O_{ij} - E_{ij})^2}{E_{ij}}, \quad \text{with} \quad E_{ij} = \frac{\left(\sum_{k=1}^{C} O_{ik}\right)\left(\sum_{k=1}^{R} O_{kj}\right)}{N}
\end{equation}
""",
    source="Pearson, 1900: chi squared of a table",
    output="W",
    O="3 4",
    N="",
)
def chi_squared(O, N):
    E = np.outer(O.sum(1), O.sum(0)) / N
    return ((O - E) ** 2 / E).sum()


@formula(
    r"""
\begin{equation}
\min_{\beta\in\mathbb{R}^p}\ \left\{\frac{1}{2n}\|\mathbf{y}-\mathbf{X}\beta\|_2^2 + \lambda\left(\alpha\|\beta\|_1 + \frac{1-\alpha}{2}\|\beta\|_2^2\right)\right\}
\end{equation}
\begin{equation}
L = \frac{1}{2n}\|\mathbf{y}-\mathbf{X}\beta\|_2^2 + \lambda\left(\alpha\|\beta\|_1 + \frac{1-\alpha}{2}\|\beta\|_2^2\right)
\end{equation}
with $\mathbf{y}\in\mathbb{R}^n$, $\mathbf{X}\in\mathbb{R}^{n\times p}$.
""",
    source="Zou and Hastie, Regularization and variable selection via the elastic net, 2005",
    shapes=(r"$\beta \in \mathbb{R}^p$",),
    y="4",
    X="4 3",
    beta="3",
    **{"lambda": "", "alpha": ""},
)
def elastic_net(y, X, beta, alpha, **rest):
    n = 4
    return ((y - X @ beta) ** 2).sum() / (2 * n) + rest["lambda"] * (
        alpha * np.abs(beta).sum() + (1 - alpha) / 2 * beta @ beta
    )


@formula(
    r"""
\begin{equation}
\mathrm{ICC} = \frac{\operatorname{Var}_i(\bar{x}_i)}{\operatorname{Var}_{i}(\bar{x}_i) + \sigma^2}
\end{equation}
""",
    source="Shrout and Fleiss, 1979, with an explicit variance",
    output="",
    x_bar="4",
    sigma="",
)
def intraclass(x_bar, sigma):
    v = x_bar.var()
    return v / (v + sigma**2)


@formula(
    r"""
\begin{equation}
C_t = \sum_{i=1}^{N} w_i \max\left(S_{i,t} - K_i, 0\right) e^{-r(T-t)}, \qquad t = 1,\dots,T
\end{equation}
""",
    source="Hull, Options, Futures, and Other Derivatives: a book of calls",
    shapes=("input w[N], S[N, T], K[N], r[]",),
    w="3",
    S="3 4",
    K="3",
    r="",
)
def call_book(w, S, K, r):
    t = np.arange(1, 5)
    return np.array([sum(w * np.maximum(S[:, n - 1] - K, 0)) * np.exp(-r * (4 - n)) for n in t])


@formula(
    r"""
\begin{equation}
\sigma_p^2 = \sum_{i=1}^{N}\sum_{j=1}^{N} w_i w_j \sigma_i \sigma_j \rho_{ij}, \qquad \mu_p = \sum_{i=1}^{N} w_i \mu_i,
\qquad S = \frac{\mu_p - r_f}{\sigma_p}.
\end{equation}
""",
    source="Markowitz, Portfolio selection, 1952; Sharpe, 1966",
    output="S",
    w="3",
    sigma="3",
    rho="3 3",
    mu="3",
    r_f="",
)
def sharpe_ratio(w, sigma, rho, mu, r_f):
    v = np.einsum("i,j,i,j,ij", w, w, sigma, sigma, rho)
    return (w @ mu - r_f) / np.sqrt(v)


@formula(
    r"""
\begin{equation}
P = \sum_{t=1}^{T} \frac{C}{(1+y)^t} + \frac{F}{(1+y)^T}
\end{equation}
""",
    source="Fabozzi, Bond Markets, Analysis and Strategies: price of a bond",
    sizes={"T": 4},
    C="",
    y="",
    F="",
)
def bond_price(C, y, F):
    return sum(C / (1 + y) ** t for t in range(1, 5)) + F / (1 + y) ** 4


@formula(
    r"""
The Nelson--Siegel yield curve is
\begin{equation}
y(\tau_i) = \beta_0 + \beta_1\left(\frac{1-e^{-\lambda\tau_i}}{\lambda\tau_i}\right) + \beta_2\left(\frac{1-e^{-\lambda\tau_i}}{\lambda\tau_i} - e^{-\lambda\tau_i}\right)
\end{equation}
""",
    source="Nelson and Siegel, Parsimonious modeling of yield curves, 1987; Diebold and Li, 2006",
    beta_0="",
    beta_1="",
    tau="5",
    beta_2="",
    **{"lambda": ""},
)
def nelson_siegel(beta_0, beta_1, tau, beta_2, **rest):
    z = rest["lambda"] * tau
    f = (1 - np.exp(-z)) / z
    return beta_0 + beta_1 * f + beta_2 * (f - np.exp(-z))


@formula(
    r"""
\begin{equation}
\sigma_t^2 = \omega + \sum_{i=1}^{q}\alpha_i\epsilon_{t-i}^2 + \sum_{i=1}^{p}\beta_i s_{t-i}, \qquad t = 3, \dots, T
\end{equation}
""",
    source="Bollerslev, Generalized autoregressive conditional heteroskedasticity, 1986 (past variances s given)",
    shapes=("base 1", "input omega[], alpha[2], epsilon[T], beta[2], s[T]", "size q = 2, p = 2"),
    sizes={},
    omega="",
    alpha="2",
    epsilon="6",
    beta="2",
    s="6",
)
def garch(omega, alpha, epsilon, beta, s):
    # t from 3 on, in counting from 1, is what stays inside
    return np.array(
        [
            omega
            + sum(alpha[i] * epsilon[t - 1 - i] ** 2 for i in range(2))
            + sum(beta[i] * s[t - 1 - i] for i in range(2))
            for t in range(2, 6)
        ]
    )
