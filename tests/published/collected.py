"""Formulas of lecture notes, theses and papers of many fields, that were read first when the mechanisms for the others stood."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from published.formula import formula


@formula(
    r"""
$$
\mathcal{L}(\mathbf{w}, b, \boldsymbol{\alpha}) = \frac{1}{2} \|\mathbf{w}\|^2 - \sum_{i=1}^N \alpha_i \left[ y_i (\mathbf{w}^\top \mathbf{x}_i + b) - 1 \right]
$$

This combines the objective $\frac{1}{2} \|\mathbf{w}\|^2$ and the penalties for constraint violation.
""",
    source="Boser, Guyon and Vapnik, A training algorithm for optimal margin classifiers, 1992, its Lagrangian",
    w="3",
    alpha="5",
    y="5",
    x="5 3",
    b="",
)
def svm_lagrangian(w, alpha, y, x, b):
    return w @ w / 2 - sum(alpha[i] * (y[i] * (w @ x[i] + b) - 1) for i in range(5))


@formula(
    r"""
$$
\mathcal{L}(\mathbf{w}) = -\frac{1}{N} \sum_{i=1}^{N} [y_i \log(\hat{y}_i) + (1-y_i) \log(1-\hat{y}_i)] + \lambda \|\mathbf{w}\|_2^2
$$

where $y_i \in \{0,1\}$ is the label and $\hat{y}_i = \sigma(\mathbf{w}^\top \mathbf{x}_i + b)$ with the sigmoid $\sigma$.
""",
    source="Logistic regression for click-through rates, lecture notes",
    output="L",
    w="3",
    x=lambda r: r.normal(size=(5, 3)),
    b="",
    y=lambda r: r.integers(0, 2, 5).astype(float),
    **{"lambda": ""},
)
def ctr_loss(w, x, b, y, **k):
    p = 1 / (1 + np.exp(-(x @ w + b)))
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + k["lambda"] * (w @ w)


@formula(
    r"""
The gradient is
$$
\nabla_{\mathbf{w}} \mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} (y_i - \hat{y}_i) \mathbf{x}_i + 2\lambda \mathbf{w}
$$
""",
    source="Logistic regression for click-through rates, lecture notes, the gradient",
    shapes=("input x[N, D], w[D]",),
    y="5",
    hat_y="5",
    x="5 3",
    w="3",
    **{"lambda": ""},
)
def ctr_gradient(y, hat_y, x, w, **k):
    return -((y - hat_y)[:, None] * x).mean(0) + 2 * k["lambda"] * w


@formula(
    r"""
$$\mathcal{L}_{\text{targeted}} = \frac{1}{N}\sum_{i=1}^{N} \left(Y_i - \hat{Y}_i - \epsilon \cdot h_i\right)^2$$

where
$$h_i = \frac{T_i}{\hat{e}(X_i)} - \frac{1-T_i}{1-\hat{e}(X_i)}$$
""",
    source="Shi, Blei and Veitch, Adapting neural networks for the estimation of treatment effects, 2019",
    output="L_targeted",
    Y="4",
    Y_hat="4",
    epsilon="",
    T="4",
    e_hat=lambda r: r.uniform(0.2, 0.8, 4),
)
def dragonnet(Y, Y_hat, epsilon, T, e_hat):
    h = T / e_hat - (1 - T) / (1 - e_hat)
    return ((Y - Y_hat - epsilon * h) ** 2).mean()


@formula(
    r"""
Let the local field be the distance to the threshold,
$$H(\{s_i\}) = -\sum_{i<j} J_{ij}\, s_i\, s_j \;-\; \sum_i h_i\, s_i$$
where $h_i = c_i - \theta_i$ is the **local field**: how far position $i$ is from its liquidation threshold.
""",
    source="A spin model of liquidations, lecture notes",
    output="H",
    J="4 4",
    s="4",
    c="4",
    theta="4",
)
def liquidation(J, s, c, theta):
    return (
        -sum(J[i, j] * s[i] * s[j] for i in range(4) for j in range(i + 1, 4))
        - ((c - theta) * s).sum()
    )


@formula(
    r"""
the estimator for $f'(x)$ is of the form

$$ \label{eq:estimator}
    D \approx \frac{1}{h}\sum_{i=1}^n c_i f(x_i)
$$

where $c=(c_1,\ldots, c_n)$ are weights given to the samples.
""",
    source="Finite difference estimators, notes on an implementation",
    h="",
    c="4",
    f="4",
)
def fdm_estimator(h, c, f):
    return (c * f).sum() / h


@formula(
    r"""
\begin{equation}
\gamma_t(i) = \frac{\alpha_t(i)\,\beta_t(i)}{\displaystyle\sum_{i=1}^{N} \alpha_t(i)\,\beta_t(i)}
\end{equation}
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equation (27)",
    alpha="4 3",
    beta="4 3",
)
def rabiner_gamma(alpha, beta):
    p = alpha * beta
    return p / p.sum(1, keepdims=True)


@formula(
    r"""
\begin{equation}
  q_i = \frac{exp(z_i/T)}{\sum_j exp(z_j/T)}
\end{equation}
where $T$ is a temperature that is normally set to $1$.
""",
    source="Hinton, Vinyals and Dean, Distilling the knowledge in a neural network, 2015, equation (1)",
    z="4",
    T="",
)
def distillation_as_printed(z, T):
    e = np.exp(z / T)
    return e / e.sum()


@formula(
    r"""
\begin{equation}
\mathrm{NCC} = \frac{\sum_{i}(f_i-\bar f)(m_i-\bar m)}{\sqrt{\sum_i (f_i-\bar f)^2 \sum_i (m_i - \bar m)^2}}
\end{equation}
where $\bar f$ and $\bar m$ are the mean intensities.
""",
    source="Normalized cross-correlation, as in image registration",
    f="5",
    m="5",
)
def ncc(f, m):
    a = f - f.mean()
    b = m - m.mean()
    return (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())


@formula(
    r"""
\begin{equation}
Q = \frac{1}{2m} \sum_{ij} \left[ A_{ij} - \frac{k_i k_j}{2m} \right] \delta(c_i, c_j),
\end{equation}
where $k_i = \sum_j A_{ij}$ is the degree of vertex $i$ and $m = \frac12 \sum_{ij} A_{ij}$ is the number of edges in the graph.
""",
    source="Newman, Analysis of weighted networks, 2004",
    A="4 4",
    c=lambda r: r.integers(0, 2, 4).astype(float),
)
def modularity_as_printed(A, c):
    k = A.sum(1)
    m = A.sum() / 2
    return (
        sum((A[i, j] - k[i] * k[j] / 2 / m) * (c[i] == c[j]) for i in range(4) for j in range(4))
        / 2
        / m
    )


@formula(
    r"""
The density is estimated at the particles,
\begin{equation}
\rho_i = \sum_{j=1}^{N} m_j W(|\mathbf{r}_i - \mathbf{r}_j|, h), \qquad W(r, h) = \frac{1}{\pi^{3/2} h^3} \exp\left(-\frac{r^2}{h^2}\right).
\end{equation}
""",
    source="Gingold and Monaghan, Smoothed particle hydrodynamics, 1977",
    output="rho",
    shapes=("input r[N, 3]",),
    m="4",
    r="4 3",
    h="",
)
def sph_density(m, r, h):
    d2 = ((r[:, None] - r[None]) ** 2).sum(-1)
    return (m * np.exp(-d2 / h**2)).sum(1) / np.pi**1.5 / h**3


@formula(
    r"""
\begin{equation}
  p(x) = \frac{\displaystyle\sum_{j=0}^{n} \frac{w_j}{x - x_j} f_j}{\displaystyle\sum_{j=0}^{n} \frac{w_j}{x - x_j}}
\end{equation}
""",
    source="Berrut and Trefethen, Barycentric Lagrange interpolation, 2004",
    w="4",
    x=lambda r: 3.0,
    x_j="4",
    f="4",
)
def barycentric_as_printed(w, x, x_j, f):
    return (w / (x - x_j) * f).sum() / (w / (x - x_j)).sum()


@formula(
    r"""
\begin{equation}
\hat{f}_h(x) = \frac{1}{nh} \sum_{i=1}^{n} K\left(\frac{x - x_i}{h}\right), \qquad K(u) = \frac{1}{\sqrt{2\pi}} e^{-u^2/2}
\end{equation}
""",
    source="Silverman, Density Estimation, 1986",
    output="f_hat_h",
    x=lambda r: 1.0,
    x_i="5",
    h="",
)
def kernel_density_as_printed(x, x_i, h):
    u = (x - x_i) / h
    return (np.exp(-(u**2) / 2) / np.sqrt(2 * np.pi)).sum() / 5 / h


@formula(
    r"""
\begin{equation}
G = \frac{\sum_{i=1}^n \sum_{j=1}^n |x_i - x_j|}{2 n^2 \bar{x}}
\end{equation}
where $\bar{x}$ is the mean income.
""",
    source="Gini coefficient, as in textbooks of inequality",
    x="5",
)
def gini_as_printed(x):
    return abs(x[:, None] - x[None]).sum() / (2 * 25 * x.mean())


@formula(
    r"""
\begin{equation}
y_t(\tau) = \beta_{1t} + \beta_{2t}\left(\frac{1-e^{-\lambda_t\tau}}{\lambda_t\tau}\right) + \beta_{3t}\left(\frac{1-e^{-\lambda_t\tau}}{\lambda_t\tau} - e^{-\lambda_t\tau}\right)
\end{equation}
""",
    source="Diebold and Li, Forecasting the term structure, 2006, equation (6)",
    shapes=("input beta_1[T], beta_2[T], beta_3[T], lambda[T]",),
    beta_1="4",
    beta_2="4",
    beta_3="4",
    tau="",
    **{"lambda": "4"},
)
def diebold_li(beta_1, beta_2, beta_3, tau, **k):
    rate = k["lambda"]
    a = (1 - np.exp(-rate * tau)) / (rate * tau)
    return beta_1 + beta_2 * a + beta_3 * (a - np.exp(-rate * tau))


@formula(
    r"""
\begin{equation}
RV_t = \sum_{i=1}^{M} r_{t,i}^2, \qquad BV_t = \frac{\pi}{2} \sum_{i=2}^{M} |r_{t,i}| |r_{t,i-1}|
\end{equation}
""",
    source="Barndorff-Nielsen and Shephard, Power and bipower variation, 2004",
    output="BV",
    r="3 5",
)
def bipower(r):
    return np.pi / 2 * (abs(r[:, 1:]) * abs(r[:, :-1])).sum(1)


@formula(
    r"""
\begin{equation}
E_A = \frac{1}{1+10^{(R_B - R_A)/400}}
\end{equation}
""",
    source="Elo, The Rating of Chessplayers, 1978",
    R_B="",
    R_A="",
)
def elo(R_B, R_A):
    return 1 / (1 + 10 ** ((R_B - R_A) / 400))


@formula(
    r"""
\begin{equation}
\hat{K}(r) = \frac{A}{n^2} \sum_{i=1}^{n}\sum_{j \neq i} I(d_{ij} < r)
\end{equation}
""",
    source="Ripley, Modelling spatial patterns, 1977, without correction of the border",
    A="",
    d="4 4",
    r=lambda r: 1.0,
)
def ripley(A, d, r):
    return A / 16 * sum(d[i, j] < r for i in range(4) for j in range(4) if i != j)


@formula(
    r"""
\begin{equation}
I = \frac{N}{W} \frac{\sum_{i=1}^N \sum_{j=1}^N w_{ij}(x_i-\bar{x})(x_j-\bar{x})}{\sum_{i=1}^N (x_i-\bar{x})^2}
\end{equation}
where $N$ is the number of spatial units, $\bar{x}$ is the mean of $x$, and $W = \sum_{i=1}^N\sum_{j=1}^N w_{ij}$.
""",
    source="Moran, Notes on continuous stochastic phenomena, 1950",
    w="4 4",
    x="4",
)
def moran_as_printed(w, x):
    a = x - x.mean()
    return 4 / w.sum() * (a @ w @ a) / (a @ a)


@formula(
    r"""
taking the negative logarithm gives the cross-entropy error
$$
E\left(\boldsymbol{w}_{1}, \ldots, \boldsymbol{w}_{K}\right)=-\ln p\left(\boldsymbol{T} \mid \boldsymbol{w}_{1}, \ldots, \boldsymbol{w}_{K}\right)=-\sum_{n=1}^{N} \sum_{k=1}^{K} t_{n k} \ln y_{n k}
$$
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equation (4.108)",
    t="4 3",
    y="4 3",
)
def prml_cross_entropy(t, y):
    return -(t * np.log(y)).sum()


@formula(
    r"""
Where the Focal Loss is:
$$\mathcal{L}_{\text{focal}}(M, \hat{M}) = -\frac{1}{|\Omega|} \sum_{i \in \Omega} \left[ M_i (1 - \hat{M}_i)^\gamma \log(\hat{M}_i) + (1 - M_i) \hat{M}_i^\gamma \log(1 - \hat{M}_i) \right]$$
""",
    source="Lin et al., Focal loss, 2017, over the pixels of a mask",
    M="4",
    M_hat=lambda r: r.uniform(0.1, 0.9, 4),
    gamma="",
)
def focal_omega(M, M_hat, gamma):
    return -(
        M * (1 - M_hat) ** gamma * np.log(M_hat) + (1 - M) * M_hat**gamma * np.log(1 - M_hat)
    ).mean()


@formula(
    r"""
$$\mathcal{L}_{\text{dice}}(M, \hat{M}) = 1 - \frac{2 \sum_{i \in \Omega} M_i \hat{M}_i + \epsilon}{\sum_{i \in \Omega} M_i + \sum_{i \in \Omega} \hat{M}_i + \epsilon}$$
where $\Omega$ is the set of all pixels.
""",
    source="Milletari et al., V-Net, 2016, over the pixels of a mask",
    M="4",
    M_hat="4",
    epsilon="",
)
def dice_omega(M, M_hat, epsilon):
    return 1 - (2 * (M * M_hat).sum() + epsilon) / (M.sum() + M_hat.sum() + epsilon)


@formula(
    r"""
We construct a simplified 3-body potential:

  $$V_{\text{total}} = \sum_{i<j} V_{\text{LJ}}(r_{ij}) + \sum_{ijk} V_{\text{angle}}(\theta_{ijk})$$

where the 2-body term is the standard Lennard-Jones potential
  $$V_{\text{LJ}}(r) = 4\epsilon \left[ \left(\frac{\sigma}{r}\right)^{12} - \left(\frac{\sigma}{r}\right)^{6} \right]$$

and the 3-body term is the angular (bond-bending) potential
  $$V_{\text{angle}}(\theta) = K (\cos\theta - \cos\theta_0)^2$$
""",
    source="Interatomic potentials of three bodies, lecture notes",
    output="V_total",
    r="3 3",
    epsilon="",
    sigma="",
    theta="3 3 3",
    K="",
    theta_0="",
)
def three_body(r, epsilon, sigma, theta, K, theta_0):

    def lj(r):
        return 4 * epsilon * ((sigma / r) ** 12 - (sigma / r) ** 6)

    return (
        sum(lj(r[i, j]) for i in range(3) for j in range(i + 1, 3))
        + (K * (np.cos(theta) - np.cos(theta_0)) ** 2).sum()
    )


@formula(
    r"""
\begin{equation}
\nabla_{\mathbf{w}_j} E(\mathbf{w}_1,\ldots,\mathbf{w}_K) = \sum_{n=1}^{N} (y_{nj} - t_{nj}) \boldsymbol{\phi}_n
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equation (4.109)",
    shapes=("input phi[N, M]",),
    y="4 3",
    t="4 3",
    phi="4 2",
)
def softmax_gradient(y, t, phi):
    return (y - t).T @ phi


@formula(
    r"""
\begin{equation}
\hat{m}_h(x) = \frac{\sum_{i=1}^{n} K_h(x - x_i)\, y_i}{\sum_{i=1}^{n} K_h(x - x_i)}, \qquad K_h(u) = \frac{1}{h} K\left(\frac{u}{h}\right),
\end{equation}
with the Epanechnikov kernel $K(u) = \frac{3}{4}(1-u^2)\,\mathbf{1}(|u| \le 1)$.
""",
    source="Nadaraya, On estimating regression, 1964, with the kernel of Epanechnikov",
    output="m_hat_h",
    x=lambda r: 1.0,
    x_i="5",
    h=lambda r: 1.5,
    y="5",
)
def nadaraya(x, x_i, h, y):
    u = (x - x_i) / h
    k = 0.75 * (1 - u * u) * (abs(u) <= 1) / h
    return (k * y).sum() / k.sum()


@formula(
    r"""
\begin{equation}
R_g^2 = \frac{1}{N}\sum_{i=1}^N \|\mathbf{r}_i - \mathbf{r}_{cm}\|^2, \quad \mathbf{r}_{cm} = \frac{1}{N}\sum_{i=1}^N \mathbf{r}_i
\end{equation}
""",
    source="Radius of gyration, as in textbooks of polymers",
    output="R_g_squared",
    shapes=("input r[N, 3]",),
    r="4 3",
)
def gyration(r):
    return ((r - r.mean(0)) ** 2).sum() / 4


@formula(
    r"""
\begin{equation}
\pi = \frac{n}{n-1} \sum_{i=1}^{k} \sum_{j=1}^{k} x_i x_j \pi_{ij}
\end{equation}
where $x_i$ is the frequency of the $i$th sequence.
""",
    source="Nei and Li, Mathematical model for studying genetic variation, 1979",
    n=lambda r: 7.0,
    x="3",
    pi_ij="3 3",
)
def nucleotide_diversity_as_printed(n, x, pi_ij):
    return n / (n - 1) * (x @ pi_ij @ x)


@formula(
    r"""
\begin{equation}
 F(\beta) = \frac{1}{2n} \left\| \mathbf{y} - \sum_{g=1}^{G} \mathbf{X}_g \beta_g \right\|_2^2 + \lambda \sum_{g=1}^{G} \sqrt{p_g}\, \|\beta_g\|_2
\end{equation}
""",
    source="Yuan and Lin, Model selection and estimation with grouped variables, 2006",
    shapes=(
        "size n",
        "input X[G, n, q], beta[G, q], y[n]",
    ),
    output="F",
    y="3",
    X="2 3 2",
    beta="2 2",
    p="2",
    **{"lambda": ""},
)
def group_lasso(y, X, beta, p, **k):
    r = y - np.einsum("gnq,gq->n", X, beta)
    return (r @ r) / 6 + k["lambda"] * (np.sqrt(p) * np.linalg.norm(beta, axis=1)).sum()


@formula(
    r"""
\begin{align}
  \mathcal{L}_\text{policy}(\theta) = \frac{1}{T}\sum_{t=1}^{T} \min\left( r_t(\theta) \hat{A}_t,\; \operatorname{clip}(r_t(\theta), 1-\epsilon, 1+\epsilon) \hat{A}_t \right)
\end{align}
""",
    source="Schulman et al., Proximal policy optimization, 2017, equation (7)",
    r="5",
    A_hat="5",
    epsilon="",
)
def ppo(r, A_hat, epsilon):
    return np.minimum(r * A_hat, np.minimum(np.maximum(r, 1 - epsilon), 1 + epsilon) * A_hat).mean()


@formula(
    r"""
\begin{equation}
\widehat{\mathrm{ATE}} = \frac{1}{n}\sum_{i=1}^n \left\{ \hat\mu_1(X_i) - \hat\mu_0(X_i) + \frac{T_i (Y_i - \hat\mu_1(X_i))}{\hat\pi(X_i)} - \frac{(1-T_i)(Y_i-\hat\mu_0(X_i))}{1-\hat\pi(X_i)} \right\}
\end{equation}
""",
    source="Robins, Rotnitzky and Zhao, Estimation of regression coefficients, 1994, augmented weights",
    mu_hat_1="4",
    mu_hat_0="4",
    T="4",
    Y="4",
    pi_hat=lambda r: r.uniform(0.2, 0.8, 4),
)
def aipw(mu_hat_1, mu_hat_0, T, Y, pi_hat):
    return (
        mu_hat_1 - mu_hat_0 + T * (Y - mu_hat_1) / pi_hat - (1 - T) * (Y - mu_hat_0) / (1 - pi_hat)
    ).mean()


@formula(
    r"""
\begin{equation}
\frac{d x_i}{d t} = x_i \left[ (A\mathbf{x})_i - \mathbf{x}^{\top} A \mathbf{x} \right]
\end{equation}
""",
    source="Taylor and Jonker, Evolutionarily stable strategies, 1978",
    shapes=("input A[n, n], x[n]",),
    x="3",
    A="3 3",
)
def replicator(x, A):
    return x * (A @ x - x @ A @ x)


@formula(
    r"""
\begin{equation}
D_{\mathrm{KL}}(P \,\|\, Q) = \sum_{x \in \mathcal{X}} P(x) \log\left(\frac{P(x)}{Q(x)}\right)
\end{equation}
""",
    source="Kullback and Leibler, On information and sufficiency, 1951",
    P="4",
    Q="4",
)
def kl_divergence(P, Q):
    return (P * np.log(P / Q)).sum()


@formula(
    r"""
\begin{equation}
\mathrm{MAP} = \frac{1}{|Q|} \sum_{q=1}^{|Q|} \mathrm{AP}(q)
\end{equation}
""",
    source="Manning, Raghavan and Schuetze, Introduction to Information Retrieval, 2008",
    AP="5",
)
def mean_average_precision(AP):
    return AP.mean()


@formula(
    r"""
\begin{equation}
C_{ij} = \frac{\sum_{t=1}^{T} (x_{it}-\bar{x}_i)(x_{jt}-\bar{x}_j)}{\sqrt{\sum_{t=1}^{T}(x_{it}-\bar{x}_i)^2}\sqrt{\sum_{t=1}^{T}(x_{jt}-\bar{x}_j)^2}}
\end{equation}
where $\bar{x}_i$ denotes the temporal mean of series $i$.
""",
    source="Correlations of time series, as in papers on functional networks",
    x="3 5",
)
def correlation_matrix(x):
    return np.corrcoef(x)


@formula(
    r"""
\begin{equation}
-D_{KL}(q\,\|\,p) = \frac{1}{2}\sum_{j=1}^{J} \left(1 + \log(\sigma_j^2) - \mu_j^2 - \sigma_j^2\right)
\end{equation}
""",
    source="Kingma and Welling, Auto-encoding variational Bayes, 2014, appendix B",
    sigma="3",
    mu="3",
)
def kl_left(sigma, mu):
    return -(0.5 * (1 + np.log(sigma**2) - mu**2 - sigma**2).sum())


@formula(
    r"""
\begin{equation}
\log L = \sum_{n=1}^{N} \log \left\{ \sum_{k=1}^{K} \pi_k \mathcal{N}(x_n | \mu_k, \sigma_k^2) \right\}
\end{equation}
where $\mathcal{N}(x | \mu, \sigma^2) = \frac{1}{\sqrt{2\pi\sigma^2}} \exp\left(-\frac{(x-\mu)^2}{2\sigma^2}\right)$ is the normal density.
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equation (9.14), of numbers",
    x="5",
    pi="2",
    mu="2",
    sigma="2",
)
def gmm_prose(x, pi, mu, sigma):
    z = (x[:, None] - mu) / sigma
    return np.log((pi * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi * sigma**2)).sum(1)).sum()


@formula(
    r"""
\begin{equation}
Q(\beta) = \sum_{i=1}^n (y_i - x_i^\top \beta)^2 + \lambda |\beta|_1
\end{equation}
""",
    source="Tibshirani, Regression shrinkage and selection via the lasso, 1996, with a single bar",
    shapes=("input y[n], x[n, p], beta[p]",),
    y="4",
    x="4 3",
    beta="3",
    **{"lambda": ""},
)
def lasso_bar(y, x, beta, **k):
    return ((y - x @ beta) ** 2).sum() + k["lambda"] * abs(beta).sum()


@formula(
    r"""
\begin{align}
C_i &= S_i \Phi(d_{1,i}) - K_i e^{-r T_i} \Phi(d_{2,i}), \\
d_{1,i} &= \frac{\ln(S_i/K_i) + (r + \sigma^2/2) T_i}{\sigma \sqrt{T_i}}, \quad d_{2,i} = d_{1,i} - \sigma \sqrt{T_i},
\end{align}
where $\Phi(x) = \frac{1}{2} (1 + \operatorname{erf}(x/\sqrt{2}))$.
""",
    source="Black and Scholes, The pricing of options, 1973, for several assets",
    output="C",
    S="3",
    K="3",
    r="",
    T="3",
    sigma="",
)
def black_scholes(S, K, r, T, sigma):
    P = np.vectorize(lambda x: (1 + erf(x / sqrt(2))) / 2)
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    return S * P(d1) - K * np.exp(-r * T) * P(d2)


@formula(
    r"""
\begin{equation}
    a_{k} = \frac{ \exp\{ \mathbf{w}^{\top} \tanh \big{(} \mathbf{V} \mathbf{h}_{k}^{\top} \big{)} \} }{ \sum_{j=1}^{K} \exp\{ \mathbf{w}^{\top} \tanh \big{(} \mathbf{V} \mathbf{h}_{j}^{\top} \big{)} \} },
\end{equation}
where $\mathbf{w} \in \mathbb{R}^{L \times 1}$ and $\mathbf{V} \in \mathbb{R}^{L \times M}$ are parameters.
""",
    source="Ilse, Tomczak and Welling, Attention-based deep multiple instance learning, 2018, equation (8)",
    h="4 3",
    w="2",
    V="2 3",
    shapes=("input h[K, M], w[L]",),
)
def ilse(h, w, V):
    e = np.exp(np.tanh(h @ V.T) @ w)
    return e / e.sum()


@formula(
    r"""
\begin{equation}
\mathrm{DCG}_p = \sum_{i=1}^p \frac{2^{rel_i} - 1}{\log_2(i+1)}
\end{equation}
""",
    source="Jaervelin and Kekaelaeinen, Cumulated gain-based evaluation, 2002, as letters",
    rel="5",
)
def dcg_rel(rel):
    return ((2**rel - 1) / np.log2(np.arange(2, 7))).sum()
