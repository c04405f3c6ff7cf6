r"""Formulas of everyday practice, as reports, lecture notes and documentation print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
    r_{i,t} = \alpha_i + \sum_{k=1}^{K} \beta_{i,k}\, f_{k,t} + \varepsilon_{i,t}
\end{equation}
""",
    source="Ross, The arbitrage theory of capital asset pricing, 1976: a model of factors",
    alpha="3",
    beta="3 2",
    f="2 4",
    varepsilon="3 4",
)
def factor_model(alpha, beta, f, varepsilon):
    return alpha[:, None] + beta @ f + varepsilon


@formula(
    r"""
The server averages what the clients send,
$$\mathbf{w}_{t+1} = \sum_{k=1}^{K} \frac{n_k}{N}\,\mathbf{w}_k, \qquad N = \sum_{k=1}^{K} n_k.$$
""",
    source="McMahan et al., Communication-efficient learning of deep networks from decentralized data, 2017",
    shapes=("input n[K], w[K, D]",),
    n="3",
    w="3 4",
)
def federated_average(n, w):
    return (n[:, None] / n.sum() * w).sum(0)


@formula(
    r"""
\begin{align}
s^{2}(\mathbf{x}) & =\mathbb{E}\left[\|\mathbf{t}-\mathbb{E}[\mathbf{t} \mid \mathbf{x}]\|^{2} \mid \mathbf{x}\right] \\
& =\sum_{k=1}^{K} \pi_{k}(\mathbf{x})\left\{\sigma_{k}^{2}(\mathbf{x})+\left\|\boldsymbol{\mu}_{k}(\mathbf{x})-\sum_{l=1}^{K} \pi_{l}(\mathbf{x}) \boldsymbol{\mu}_{l}(\mathbf{x})\right\|^{2}\right\}
\end{align}
""",
    source="Bishop, Mixture density networks, 1994: the variance around the conditional average",
    shapes=("input pi[K], sigma[K], mu[K, D]",),
    pi="3",
    sigma="3",
    mu="3 2",
)
def mixture_variance(pi, sigma, mu):
    return sum(pi[k] * (sigma[k] ** 2 + ((mu[k] - pi @ mu) ** 2).sum()) for k in range(len(pi)))


@formula(
    r"""
The loss of the student is
$$
\mathcal{L}_{\text{KD}} = -\sum_{j=1}^{K} q_j^T \log q_j^S
$$
where $q_j^S = \frac{\exp(z_j^S / T)}{\sum_k \exp(z_k^S / T)}$.
""",
    source="Hinton, Vinyals and Dean, Distilling the knowledge in a neural network, 2015",
    shapes=("input q_T[K], z_S[K], T[]",),
    q_T="3",
    z_S="3",
    T="",
)
def distillation_loss(q_T, z_S, T):
    e = np.exp(z_S / T)
    return -(q_T * np.log(e / e.sum())).sum()


@formula(
    r"""
\[ d_{ij} = \frac{\|c_i - c_j\|}{\max_{k,\ell}\|c_k - c_\ell\|} . \]
""",
    source="distances of centroids as part of the largest one",
    shapes=("input c[N, 2]",),
    output="d",
    c="3 2",
)
def relative_distance(c):
    d = np.sqrt(((c[:, None] - c[None]) ** 2).sum(-1))
    return d / d.max()


@formula(
    r"""
The probabilities of the states change by
$$
\frac{dp_i}{dt} = \sum_{j\neq i}\bigl[w_{j\to i}p_j - w_{i\to j}p_i\bigr].
$$
""",
    source="van Kampen, Stochastic Processes in Physics and Chemistry, 1981: the master equation",
    w="3 3",
    p="3",
)
def master_equation(w, p):
    states = range(len(p))
    return [sum(w[j, i] * p[j] - w[i, j] * p[i] for j in states if j != i) for i in states]


@formula(
    r"""
\begin{equation}
\mathcal{L}(\eta, \sigma) =
\prod_{i=1}^{N} \frac{1}{\sqrt{2\pi\sigma^2}} \exp\left(-\frac{(r_i -
13\eta\cos D_i)^2}{2\sigma^2}\right) \end{equation}
where $r_i$ is the residual, $D_i$ the elongation, and $\sigma$ the standard deviation of the noise.
""",
    source="Nordtvedt, Testing relativity with laser ranging to the Moon, 1968: a likelihood of residuals",
    r="3",
    eta=lambda random: 0.1,
    D="3",
    sigma="",
)
def residual_likelihood(r, eta, D, sigma):
    e = (r - 13 * eta * np.cos(D)) ** 2 / (2 * sigma**2)
    return np.prod(np.exp(-e) / np.sqrt(2 * np.pi * sigma**2))


@formula(
    r"""
\begin{align}
     p(\mathbf{y}|\mathbf{X},\boldsymbol{\theta},\sigma^2) &= \prod_{i=1}^n p(y_i|\mathbf{x}_i,\boldsymbol{\theta},\sigma^2), \\
    \log p(\mathbf{y}|\mathbf{X},\boldsymbol{\theta},\sigma^2) &= -\frac{n}{2}\log 2\pi\sigma^2 - \frac{1}{2\sigma^2}\sum_{i=1}^n\big(y_i - \mu(\mathbf{x}_i;\boldsymbol{\theta})\big)^2
\end{align}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, section 3.1: a log likelihood",
    sigma="",
    y="4",
    mu="4",
)
def gaussian_log_likelihood(sigma, y, mu):
    return -len(y) / 2 * np.log(2 * np.pi * sigma**2) - ((y - mu) ** 2).sum() / (2 * sigma**2)


@formula(
    r"""
For the word $c$ in the middle and a word $o$ around it,
$$
P(o|c)=\frac{\exp (u_o^Tv_c)}{\sum_{w \in V}\exp(u_w^Tv_c)}
$$
where $V$ is the entire vocabulary.
""",
    source="Mikolov et al., Distributed representations of words and phrases, 2013",
    shapes=("input u[V, D], v[V, D]",),
    output="P",
    u="3 2",
    v="3 2",
)
def skip_gram_softmax(u, v):
    e = np.exp(u @ v.T)
    return e / e.sum(0)


@formula(
    r"""
$$v_{s, t}(D, B_s) = \frac{\sum_i\sigma(\frac{D(i) - d_t}{\beta})B_s(i)}{\sum_iB_s(i)}.$$

Here, $\sigma$ denotes the sigmoid function, $\sigma(x) = \frac{1}{1 + e^{-x}}$.
""",
    source="Nguyen et al., A comparison of Monte Carlo dropout, and others: histograms of dose and volume",
    output="v",
    D="4",
    d="3",
    beta="",
    B="2 4",
)
def dose_volume(D, d, beta, B):
    s = 1 / (1 + np.exp(-(D[None] - d[:, None]) / beta))
    return (s[None] * B[:, None]).sum(-1) / B.sum(-1)[:, None]


@formula(
    r"""
For each round
\begin{align}
W_t &= \sum_{i=1}^{K} w_t(i) \\
p_t(i) &= \frac{w_t(i)}{W_t}
\end{align}
""",
    source="Freund and Schapire, A decision-theoretic generalization of on-line learning, 1997",
    output="p",
    w="2 3",
)
def hedge(w):
    return w / w.sum(1, keepdims=True)


@formula(
    r"""
The sample variance measures the spread of a dataset $x$ with respect to the mean.
$$
V[x]  = \frac{1}{N} \sum\limits_i^N  (x_i - \overline{x})^2
$$
""",
    source="a course of statistics",
    x="4",
)
def sample_variance(x):
    return x.var()


@formula(
    r"""
The least cost $\rho = \min_k S_k$ is subtracted:
\begin{equation}
    w_k = \frac{1}{\eta}\exp\left(-\frac{1}{\beta}(S_k - \rho)\right), \ \ \ \sum_{k=1}^K w_k=1
\end{equation}
\begin{equation}
    U^* = \sum_{k=1}^K w_k {V}_k
\end{equation}
""",
    source="Williams et al., Information theoretic model predictive control, 2017",
    shapes=("input S[K], eta[], beta[], V[K, T]",),
    eta="",
    beta="",
    S="3",
    V="3 2",
)
def path_integral_control(eta, beta, S, V):
    return (np.exp(-(S - S.min()) / beta) / eta) @ V


@formula(
    r"""
\begin{equation}
g_{ij} = g_0 d_{ij}^{-\alpha}
\end{equation}
where $g_0$ denotes the gain at the reference distance.
""",
    source="Goldsmith, Wireless Communications, 2005: loss along a path",
    g_0="",
    d="2 3",
    alpha="",
)
def path_loss(g_0, d, alpha):
    return g_0 * d**-alpha


@formula(
    r"""
the force between the disks $i$ and $j$ is
\begin{equation}
\mathbf{F}_{ij} =
\begin{cases}
    k\left(2a - r_{ij}\right)\mathbf{r}_{ij} & \text{if } r_{ij} \le 2a \\
    0 & \text{otherwise}
\end{cases},
\end{equation}
where $\mathbf{r}_{ij} = \mathbf{r}_i - \mathbf{r}_j$ and $r_{ij} = \left|\mathbf{r}_{ij}\right|$ is the distance.
""",
    source="Henkes, Fily and Marchetti, Active jamming, 2011: repulsion of soft disks",
    shapes=("input k[], a[], r[N, 2]",),
    k="",
    a="",
    r="3 2",
)
def soft_disks(k, a, r):
    d = r[:, None] - r[None]
    n = np.sqrt((d**2).sum(-1))[..., None]
    return np.where(n <= 2 * a, k * (2 * a - n) * d, 0)


@formula(
    r"""
there is a code of fewer dimensions
$$
\pmb{z}_{n}=\pmb{B}^{\top}\pmb{x}_{n}\in\mathbb{R}^{M}
$$
where $\pmb{B}:=[\pmb{b}_{1},\dots,\pmb{b}_{M}]\in\mathbb{R}^{D\times M}$ and $\pmb{x}_{n}\in\mathbb{R}^{D}$.
""",
    source="Deisenroth, Faisal and Ong, Mathematics for Machine Learning, 2020, section 10.1",
    x="3 2",
    B="2 4",
)
def principal_code(x, B):
    return x @ B


@formula(
    r"""
Let $M$ be the number of classes, and $N$ the number of samples.
$$
mlogloss = -\frac{1}{M}\sum_{m=1}^{M}\frac{1}{N}\sum_{n=1}^{N}(y_{n,m}log(\hat y_{n,m})+(1-y_{n,m})log(1-\hat y_{n,m}))
$$
""",
    source="a report on classification",
    y=lambda random: random.uniform(0.2, 0.8, (3, 2)),
    y_hat=lambda random: random.uniform(0.2, 0.8, (3, 2)),
)
def mean_log_loss(y, y_hat):
    return -(y * np.log(y_hat) + (1 - y) * np.log(1 - y_hat)).mean()


@formula(
    r"""
First the proportions
\begin{equation}
p_{ij} = \frac{x_{ij}'}{\sum_{i=1}^{n} x_{ij}'}
\end{equation}
then the entropy of the criterion $j$:
\begin{equation}
e_j = -k \sum_{i=1}^{n} p_{ij} \ln(p_{ij})
\end{equation}
where $k = 1/\ln(n)$, and $n$ is the number of samples.
""",
    source="Hwang and Yoon, Multiple Attribute Decision Making, 1981: weights by entropy",
    sizes={"n": 3},
    x="3 2",
)
def entropy_of_criteria(x):
    p = x / x.sum(0)
    return -(p * np.log(p)).sum(0) / np.log(len(p))
