"""Formulas of papers of many fields: networks with states, statistics of tests, kinetics, rendering, prices and genomes."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The gated recurrent unit computes
\begin{align}
\mathbf{z}_t &= \sigma(\mathbf{W}_z \mathbf{x}_t + \mathbf{U}_z \mathbf{h}_{t-1} + \mathbf{b}_z) \\
\mathbf{r}_t &= \sigma(\mathbf{W}_r \mathbf{x}_t + \mathbf{U}_r \mathbf{h}_{t-1} + \mathbf{b}_r) \\
\tilde{\mathbf{h}}_t &= \tanh(\mathbf{W}_h \mathbf{x}_t + \mathbf{U}_h (\mathbf{r}_t \odot \mathbf{h}_{t-1}) + \mathbf{b}_h) \\
\mathbf{h}_t &= (1 - \mathbf{z}_t) \odot \mathbf{h}_{t-1} + \mathbf{z}_t \odot \tilde{\mathbf{h}}_t
\end{align}
where $\sigma$ is the logistic sigmoid function.
\end{document}
""",
    source="Chung et al., Empirical evaluation of gated recurrent neural networks, 2014, with biases",
    shapes=(
        "size D, H",
        "input W_z[H, D], W_r[H, D], W_h[H, D], U_z[H, H], U_r[H, H], U_h[H, H]",
        "input b_z[H], b_r[H], b_h[H]",
        r"$\mathbf{x}_t \in \mathbb{R}^{D}$, $\mathbf{h}_{t-1} \in \mathbb{R}^{H}$",
    ),
    output="h_t",
    W_z=lambda r: normal(r, 3, 4),
    x=lambda r: normal(r, 4),
    U_z=lambda r: normal(r, 3, 3),
    h=lambda r: normal(r, 3),
    b_z=lambda r: normal(r, 3),
    W_r=lambda r: normal(r, 3, 4),
    U_r=lambda r: normal(r, 3, 3),
    b_r=lambda r: normal(r, 3),
    W_h=lambda r: normal(r, 3, 4),
    U_h=lambda r: normal(r, 3, 3),
    b_h=lambda r: normal(r, 3),
)
def gated_recurrent_unit(W_z, x, U_z, h, b_z, W_r, U_r, b_r, W_h, U_h, b_h):
    z = _sigmoid(W_z @ x + U_z @ h + b_z)
    r = _sigmoid(W_r @ x + U_r @ h + b_r)
    c = np.tanh(W_h @ x + U_h @ (r * h) + b_h)
    return (1 - z) * h + z * c


@formula(
    r"""
\begin{align}
i_t &= \sigma(W_{xi} x_t + W_{hi} h_{t-1} + W_{ci} \odot c_{t-1} + b_i) \\
f_t &= \sigma(W_{xf} x_t + W_{hf} h_{t-1} + W_{cf} \odot c_{t-1} + b_f) \\
c_t &= f_t \odot c_{t-1} + i_t \odot \tanh(W_{xc} x_t + W_{hc} h_{t-1} + b_c) \\
o_t &= \sigma(W_{xo} x_t + W_{ho} h_{t-1} + W_{co} \odot c_t + b_o) \\
h_t &= o_t \odot \tanh(c_t)
\end{align}
where $\sigma$ is the logistic sigmoid function.
""",
    source="Shi et al., Convolutional LSTM network, 2015, equation 2",
    shapes=(
        "size D, H",
        "input W_xi[H, D], W_xf[H, D], W_xc[H, D], W_xo[H, D], W_hi[H, H], W_hf[H, H], W_hc[H, H], W_ho[H, H]",
        "input W_ci[H], W_cf[H], W_co[H], b_i[H], b_f[H], b_c[H], b_o[H]",
        r"$x_t \in \mathbb{R}^{D}$, $h_{t-1}, c_{t-1} \in \mathbb{R}^{H}$",
    ),
    output="h_t",
    W_xi=lambda r: normal(r, 3, 4),
    x=lambda r: normal(r, 4),
    W_hi=lambda r: normal(r, 3, 3),
    h=lambda r: normal(r, 3),
    W_ci=lambda r: normal(r, 3),
    c=lambda r: normal(r, 3),
    b_i=lambda r: normal(r, 3),
    W_xf=lambda r: normal(r, 3, 4),
    W_hf=lambda r: normal(r, 3, 3),
    W_cf=lambda r: normal(r, 3),
    b_f=lambda r: normal(r, 3),
    W_xc=lambda r: normal(r, 3, 4),
    W_hc=lambda r: normal(r, 3, 3),
    b_c=lambda r: normal(r, 3),
    W_xo=lambda r: normal(r, 3, 4),
    W_ho=lambda r: normal(r, 3, 3),
    W_co=lambda r: normal(r, 3),
    b_o=lambda r: normal(r, 3),
)
def peephole_cell(
    W_xi, x, W_hi, h, W_ci, c, b_i, W_xf, W_hf, W_cf, b_f, W_xc, W_hc, b_c, W_xo, W_ho, W_co, b_o
):
    i = _sigmoid(W_xi @ x + W_hi @ h + W_ci * c + b_i)
    f = _sigmoid(W_xf @ x + W_hf @ h + W_cf * c + b_f)
    new = f * c + i * np.tanh(W_xc @ x + W_hc @ h + b_c)
    o = _sigmoid(W_xo @ x + W_ho @ h + W_co * new + b_o)
    return o * np.tanh(new)


@formula(
    r"""
With similarity measured by dot product, a form of a contrastive loss function, called InfoNCE, is considered in this paper:
\begin{equation}
\label{eq:infonce}
\mathcal{L}_q = - \log \frac{\exp(q{\cdot}k_+ / \tau)}{\sum_{i=0}^{K} \exp(q{\cdot}k_i / \tau)}
\end{equation}
where $\tau$ is a temperature hyper-parameter. The sum is over one positive and $K$ negative samples.
""",
    source="He et al., Momentum contrast for unsupervised visual representation learning, 2020, equation 1",
    shapes=("size K, C", "input q[C], k_plus[C], k[K + 1, C], tau[]"),
    q=lambda r: normal(r, 4),
    k_plus=lambda r: normal(r, 4),
    tau="",
    k=lambda r: normal(r, 6, 4),
)
def momentum_contrast(q, k_plus, tau, k):
    return -np.log(np.exp(q @ k_plus / tau) / sum(np.exp(q @ k[i] / tau) for i in range(6)))


@formula(
    r"""
\documentclass{article}
\usepackage{neurips_2018}
\usepackage{amsmath,amssymb}
\begin{document}
The loss of a sample is
\begin{equation}
\mathcal{L}_i(\Theta) = \sum_{j=1}^{K} (y_{ij} - \hat{p}_{ij})^2 + \frac{\hat{p}_{ij}(1 - \hat{p}_{ij})}{(S_i + 1)}, \qquad S_i = \sum_{j=1}^{K} \alpha_{ij}, \quad \hat{p}_{ij} = \frac{\alpha_{ij}}{S_i}.
\end{equation}
\end{document}
""",
    source="Sensoy, Kaplan, Kandemir, Evidential deep learning to quantify classification uncertainty, 2018, equation 5",
    output="L",
    y="3 4",
    alpha="3 4",
)
def evidential_loss(y, alpha):
    S = alpha.sum(1, keepdims=True)
    p = alpha / S
    return ((y - p) ** 2 + p * (1 - p) / (S + 1)).sum(1)


@formula(
    r"""
\begin{equation}
\mathbf{J}_k = \sum_{p_z=1}^{D} \sum_{p_y=1}^{H} \sum_{p_x=1}^{W} \mathbf{p} \cdot \tilde{\mathbf{H}}_k(\mathbf{p}), \qquad
\tilde{\mathbf{H}}_k(\mathbf{p}) = \frac{e^{\mathbf{H}_k(\mathbf{p})}}{\int_{\mathbf{q} \in \Omega} e^{\mathbf{H}_k(\mathbf{q})}}
\end{equation}
""",
    source="Sun et al., Integral human pose regression, 2018, equations 2 to 4",
    leaves_open="the place is a vector of three indices, and an integral stands for a sum",
    H="2 3 3 3",
)
def integral_pose(H):
    return np.zeros((2, 3))


@formula(
    r"""
\begin{equation}
\mathbb{H}[y \mid \mathbf{x}, \mathcal{D}] \approx - \sum_{c=1}^{C} \Big( \frac{1}{T} \sum_{t=1}^{T} p_{tc} \Big) \log \Big( \frac{1}{T} \sum_{t=1}^{T} p_{tc} \Big)
\end{equation}
""",
    source="Gal, Uncertainty in deep learning, 2016, equation 3.9, with the samples as a table",
    p="5 3",
)
def predictive_entropy(p):
    m = p.mean(0)
    return -(m * np.log(m)).sum()


@formula(
    r"""
Cohen's $d$ is the difference between two means divided by a standard deviation for the data, i.e.
\[ d = \frac{\bar{x}_1 - \bar{x}_2}{s} . \]
The pooled standard deviation for two independent samples is
\[ s = \sqrt{\frac{(n_1-1)s_1^2 + (n_2-1)s_2^2}{n_1 + n_2 - 2}} , \]
where the variance for one of the groups is defined as
\[ s_1^2 = \frac{1}{n_1-1} \sum_{i=1}^{n_1} (x_{1,i} - \bar{x}_1)^2 , \]
and similarly for the other group.
""",
    source="Cohen, Statistical power analysis for the behavioral sciences, 1988; as in an encyclopedia",
    leaves_open="the second variance and the means are told by words",
    x="5",
    y="6",
)
def cohen_d(x, y):
    return 0.0


@formula(
    r"""
If $x_1, x_2, \ldots, x_n$ are the observed values, in increasing order, then the statistic is
\begin{equation}
T = n\omega^2 = \frac{1}{12n} + \sum_{i=1}^{n} \left[ \frac{2i-1}{2n} - F(x_i) \right]^2 .
\end{equation}
Here we test for the exponential distribution, $F(x) = 1 - e^{-\lambda x}$.
""",
    source="Anderson, On the distribution of the two-sample Cramer-von Mises criterion, 1962; as in an encyclopedia",
    x="6",
    _lambda="",
)
def cramer_von_mises(x, _lambda):
    n = 6
    return 1 / (12 * n) + sum(
        ((2 * i - 1) / (2 * n) - (1 - np.exp(-_lambda * x[i - 1]))) ** 2 for i in range(1, n + 1)
    )


@formula(
    r"""
\[
r_s = 1 - \frac{6 \sum_{i=1}^{n} d_i^2}{n(n^2-1)},
\]
where $d_i = \operatorname{R}(X_i) - \operatorname{R}(Y_i)$ is the difference between the two ranks of each observation and $n$ is the number of observations.
""",
    source="Spearman, The proof and measurement of association between two things, 1904; as in an encyclopedia",
    shapes=("input d[n]",),
    d="5",
)
def rank_correlation(d):
    return 1 - 6 * (d**2).sum() / (5 * 24)


@formula(
    r"""
\begin{align*}
\rho_c &= \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar{x} - \bar{y})^2}, \\
\bar{x} &= \frac{1}{N} \sum_{n=1}^{N} x_n, \quad s_x^2 = \frac{1}{N} \sum_{n=1}^{N} (x_n - \bar{x})^2, \\
s_{xy} &= \frac{1}{N} \sum_{n=1}^{N} (x_n - \bar{x}) (y_n - \bar{y})
\end{align*}
and similarly for the $y$: $\bar{y} = \frac{1}{N} \sum_{n=1}^{N} y_n$, $s_y^2 = \frac{1}{N} \sum_{n=1}^{N} (y_n - \bar{y})^2$.
""",
    source="Lin, A concordance correlation coefficient to evaluate reproducibility, 1989; as in an encyclopedia",
    output="rho_c",
    x="6",
    y="6",
)
def concordance_correlation(x, y):
    s = ((x - x.mean()) * (y - y.mean())).mean()
    return 2 * s / (x.var() + y.var() + (x.mean() - y.mean()) ** 2)


@formula(
    r"""
The index is
\begin{equation}
DB = \frac{1}{k} \sum_{i=1}^{k} \max_{j \neq i} \left( \frac{\sigma_i + \sigma_j}{d(c_i, c_j)} \right)
\end{equation}
where $k$ is the number of clusters, $c_i$ is the centroid of cluster $i$, $\sigma_i$ is the average distance of all elements in cluster $i$ to centroid $c_i$, and $d(c_i, c_j) = \| c_i - c_j \|$ is the distance between centroids.
""",
    source="Davies, Bouldin, A cluster separation measure, 1979; as in an encyclopedia",
    shapes=("size k, D", "input c[k, D], sigma[k]"),
    sigma="4",
    c=lambda r: normal(r, 4, 3),
)
def davies_bouldin(sigma, c):
    return (
        sum(
            max((sigma[i] + sigma[j]) / np.linalg.norm(c[i] - c[j]) for j in range(4) if j != i)
            for i in range(4)
        )
        / 4
    )


@formula(
    r"""
\begin{equation}
u_i^{(k+1)} = \frac{\nu + p}{\nu + \delta(\mathbf{x}_i, \boldsymbol{\mu}; \boldsymbol{\Sigma})}
\end{equation}
where $\delta(\mathbf{x}, \boldsymbol{\mu}; \boldsymbol{\Sigma}) = (\mathbf{x} - \boldsymbol{\mu})^{T} \boldsymbol{\Sigma}^{-1} (\mathbf{x} - \boldsymbol{\mu})$ is the Mahalanobis squared distance.
""",
    source="Peel, McLachlan, Robust mixture modelling using the t distribution, 2000",
    leaves_open="an inverse matrix",
    x="5 3",
)
def t_weights(x):
    return np.zeros(5)


@formula(
    r"""
\begin{equation}
E_B = a_{\mathrm{V}} A - a_{\mathrm{S}} A^{2/3} - a_{\mathrm{C}} \frac{Z(Z-1)}{A^{1/3}} - a_{\mathrm{A}} \frac{(A-2Z)^2}{A} + \delta(A,Z)
\end{equation}
""",
    source="von Weizsaecker, Zur Theorie der Kernmassen, 1935; as in an encyclopedia",
    leaves_open="the pairing term is a function that the paper tells in words",
    A="",
    Z="",
)
def binding_energy(A, Z):
    return 0.0


@formula(
    r"""
\documentclass[aps,prb]{revtex4-2}
\begin{document}
The bond order is
\begin{eqnarray}
b_{ij} &=& \left( 1 + \beta^n \zeta_{ij}^n \right)^{-1/2n}, \\
\zeta_{ij} &=& \sum_{k \neq i,j} f_C(r_{ik}) \, g(\theta_{ijk}) \exp\left[ \lambda_3^3 (r_{ij} - r_{ik})^3 \right], \\
g(\theta) &=& 1 + c^2/d^2 - c^2/\left[ d^2 + (h - \cos\theta)^2 \right].
\end{eqnarray}
\end{document}
""",
    source="Tersoff, Empirical interatomic potential for silicon with improved elastic properties, 1988, equation 2",
    leaves_open="1/2n, and the cutoff that stands elsewhere",
    r="3 3",
)
def tersoff_bond_order(r):
    return np.zeros((3, 3))


@formula(
    r"""
The differential cross section for an incident photon of energy $E_\gamma$ is
\begin{equation}
\frac{d\sigma}{d\Omega} = \frac{1}{2} r_e^2 \left( \frac{\lambda}{\lambda'} \right)^2 \left[ \frac{\lambda}{\lambda'} + \frac{\lambda'}{\lambda} - \sin^2(\theta) \right]
\end{equation}
where $r_e$ is the classical electron radius, and $\lambda/\lambda'$ is the ratio of the wavelengths.
""",
    source="Klein, Nishina, Ueber die Streuung von Strahlung durch freie Elektronen, 1929; as in an encyclopedia",
    r_e="",
    _lambda="",
    _lambda_prime="",
    theta="",
)
def klein_nishina(r_e, _lambda, _lambda_prime, theta):
    q = _lambda / _lambda_prime
    return r_e**2 / 2 * q**2 * (q + 1 / q - np.sin(theta) ** 2)


@formula(
    r"""
The GGX distribution is
\begin{equation}
D(\mathbf{h}) = \frac{\alpha^2}{\pi \left( (\mathbf{n} \cdot \mathbf{h})^2 (\alpha^2 - 1) + 1 \right)^2}
\end{equation}
where $\mathbf{n}, \mathbf{h} \in \mathbb{R}^3$ are the normal and the half vector.
""",
    source="Walter et al., Microfacet models for refraction through rough surfaces, 2007; as in Karis, 2013",
    alpha="",
    n=lambda r: normal(r, 3),
    h=lambda r: normal(r, 3),
)
def ggx_distribution(alpha, n, h):
    return alpha**2 / (np.pi * ((n @ h) ** 2 * (alpha**2 - 1) + 1) ** 2)


@formula(
    r"""
The discrete Laplace--Beltrami operator at a vertex is
\begin{equation}
(\Delta f)_i = \frac{1}{2 A_i} \sum_{j} w_{ij} (\cot \alpha_{ij} + \cot \beta_{ij}) (f_j - f_i)
\end{equation}
where $w_{ij}$ is 1 for edges, and 0 elsewhere.
""",
    source="Meyer et al., Discrete differential-geometry operators for triangulated 2-manifolds, 2003, with a matrix of edges",
    A="4",
    w="4 4",
    alpha="4 4",
    beta="4 4",
    f="4",
)
def cotangent_laplacian(A, w, alpha, beta, f):
    c = w * (1 / np.tan(alpha) + 1 / np.tan(beta))
    return np.array([sum(c[i, j] * (f[j] - f[i]) for j in range(4)) / (2 * A[i]) for i in range(4)])


@formula(
    r"""
\documentclass{llncs}
\usepackage{amsmath}
\begin{document}
We define the vesselness function
\begin{equation}
\mathcal{V}_o(s) = \begin{cases} 0 & \text{if } \lambda_2 > 0 \text{ or } \lambda_3 > 0, \\
\left(1 - \exp\left(-\frac{\mathcal{R}_A^2}{2\alpha^2}\right)\right) \exp\left(-\frac{\mathcal{R}_B^2}{2\beta^2}\right) \left(1 - \exp\left(-\frac{\mathcal{S}^2}{2c^2}\right)\right) & \end{cases}
\end{equation}
with
\begin{equation}
\mathcal{R}_B = \frac{|\lambda_1|}{\sqrt{|\lambda_2 \lambda_3|}}, \quad \mathcal{R}_A = \frac{|\lambda_2|}{|\lambda_3|}, \quad \mathcal{S} = \sqrt{\sum_{j \leq 3} \lambda_j^2} .
\end{equation}
\end{document}
""",
    source="Frangi et al., Multiscale vessel enhancement filtering, 1998, equations 10 to 13",
    shapes=("base 1", "input lambda[3], alpha[], beta[], c[]"),
    output="V_o",
    _lambda=lambda r: np.array([0.1, -0.8, -1.4]),
    alpha="",
    beta="",
    c="",
)
def vesselness(_lambda, alpha, beta, c):
    a, b, g = _lambda
    if b > 0 or g > 0:
        return 0.0
    A, B, S = abs(b) / abs(g), abs(a) / np.sqrt(abs(b * g)), np.sqrt(a * a + b * b + g * g)
    return (
        (1 - np.exp(-(A**2) / (2 * alpha**2)))
        * np.exp(-(B**2) / (2 * beta**2))
        * (1 - np.exp(-(S**2) / (2 * c**2)))
    )


@formula(
    r"""
Given $J$ products and an outside good whose mean utility is normalized to zero, market shares are
\begin{equation}
s_j(\delta) = \frac{e^{\delta_j}}{1 + \sum_{k=1}^{J} e^{\delta_k}} .
\end{equation}
""",
    source="Berry, Estimating discrete-choice models of product differentiation, 1994, equation 13",
    delta=lambda r: normal(r, 4),
)
def market_shares(delta):
    return np.exp(delta) / (1 + np.exp(delta).sum())


@formula(
    r"""
\begin{equation}
P_\alpha(y; z) = \frac{1}{n} \sum_{i=1}^{q} \left( \frac{g_i}{z} \right)^{\alpha}, \qquad g_i = z - y_i
\end{equation}
where $q$ is the number of poor households.
""",
    source="Foster, Greer and Thorbecke, A class of decomposable poverty measures, 1984, equation 1",
    shapes=("size q, n", "input y[q], z[], alpha[]"),
    sizes={"n": 9},
    output="P_alpha",
    z=lambda r: 2.0,
    alpha="",
    y="4",
)
def poverty(z, alpha, y):
    return sum(((z - v) / z) ** alpha for v in y) / 9


@formula(
    r"""
The Taylor rule, as originally proposed, is
\[
i_t = \pi_t + r_t^* + a_\pi (\pi_t - \pi_t^*) + a_y (y_t - \bar{y}_t) .
\]
In this equation, $i_t$ is the target short-term nominal interest rate and $\bar{y}_t$ is the logarithm of potential output.
""",
    source="Taylor, Discretion versus policy rules in practice, 1993; as in an encyclopedia",
    pi="5",
    r="5",
    a_pi="",
    pi_star="5",
    a_y="",
    y="5",
    y_bar="5",
)
def taylor_rule(pi, r, a_pi, pi_star, a_y, y, y_bar):
    return pi + r + a_pi * (pi - pi_star) + a_y * (y - y_bar)


@formula(
    r"""
\begin{equation}
C = \frac{1}{r^n} \sum_{j=0}^{n} \frac{n!}{j!\,(n-j)!}\, p^j (1-p)^{n-j} \max\left[ 0, u^j d^{n-j} S - K \right]
\end{equation}
""",
    source="Cox, Ross, Rubinstein, Option pricing: a simplified approach, 1979, section 3",
    shapes=("size n", "input p[], u[], d[]"),
    sizes={"n": 5},
    r=lambda r: 1.02,
    p=lambda r: 0.55,
    u=lambda r: 1.1,
    d=lambda r: 0.92,
    S=lambda r: 10.0,
    K=lambda r: 9.5,
)
def binomial_option(r, p, u, d, S, K):
    return (
        sum(
            math.comb(5, j) * p**j * (1 - p) ** (5 - j) * max(0, u**j * d ** (5 - j) * S - K)
            for j in range(6)
        )
        / r**5
    )


@formula(
    r"""
\begin{equation}
S = \frac{R - T}{DR}, \qquad DR = \sqrt{\frac{1}{n} \sum_{i=1}^{n} \min(0, R_i - T)^2}, \qquad R = \frac{1}{n} \sum_{i=1}^{n} R_i
\end{equation}
where $T$ is the target return.
""",
    source="Sortino, Price, Performance measurement in a downside risk framework, 1994, for a sample",
    output="S",
    T="",
    R=lambda r: normal(r, 6),
)
def sortino_ratio(T, R):
    return (R.mean() - T) / np.sqrt((np.minimum(0, R - T) ** 2).mean())


@formula(
    r"""
\begin{equation}
\mathrm{ILLIQ}_{iy} = \frac{1}{D} \sum_{d=1}^{D} \frac{|R_{iyd}|}{\mathrm{VOLD}_{iyd}}
\end{equation}
""",
    source="Amihud, Illiquidity and stock returns, 2002, equation 1, with as many days each year",
    R=lambda r: normal(r, 2, 3, 5),
    VOLD="2 3 5",
)
def illiquidity(R, VOLD):
    return (abs(R) / VOLD).mean(2)


@formula(
    r"""
\begin{equation}
\ln \Gamma_k = Q_k \left[ 1 - \ln\left( \sum_m \Theta_m \Psi_{mk} \right) - \sum_m \frac{\Theta_m \Psi_{km}}{\sum_n \Theta_n \Psi_{nm}} \right]
\end{equation}
where $\Theta_m$ is the area fraction of group $m$, and the group interaction parameter is
\begin{equation}
\Psi_{mn} = \exp\left( - \frac{a_{mn}}{T} \right).
\end{equation}
""",
    source="Fredenslund, Jones, Prausnitz, Group-contribution estimation of activity coefficients, 1975, equations 8 to 10",
    shapes=("size K", "input Theta[K], Q[K], a[K, K], T[]"),
    Q="3",
    Theta="3",
    a="3 3",
    T="",
)
def group_contributions(Q, Theta, a, T):
    P = np.exp(-a / T)
    out = np.zeros(3)
    for k in range(3):
        s = sum(Theta[m] * P[k, m] / sum(Theta[n] * P[n, m] for n in range(3)) for m in range(3))
        out[k] = Q[k] * (1 - np.log(sum(Theta[m] * P[m, k] for m in range(3))) - s)
    return out


@formula(
    r"""
For competitive adsorption the loading of component $i$ is
\begin{equation}
q_i = q_{\max,i} \frac{b_i p_i}{1 + \sum_{j=1}^{N_c} b_j p_j}
\end{equation}
""",
    source="Ruthven, Principles of adsorption and adsorption processes, 1984",
    output="q",
    q_max="3",
    b="3",
    p="3",
)
def competitive_adsorption(q_max, b, p):
    return q_max * b * p / (1 + (b * p).sum())


@formula(
    r"""
The net atomic charge by the Mulliken population analysis is
\begin{equation}
q_A = Z_A - \sum_{\mu \in A} (\mathbf{P}\mathbf{S})_{\mu\mu}
\end{equation}
""",
    source="Szabo and Ostlund, Modern quantum chemistry, 1989, equation 3.196",
    leaves_open="the orbitals of an atom",
    P="3 3",
)
def mulliken_charges(P):
    return np.zeros(2)


@formula(
    r"""
Transcripts per million are
\begin{equation}
\mathrm{TPM}_i = \frac{q_i / l_i}{\sum_j (q_j / l_j)} \cdot 10^6
\end{equation}
where $q_i$ are the reads mapped to transcript $i$ and $l_i$ is its length.
""",
    source="Wagner, Kin, Lynch, Measurement of mRNA abundance using RNA-seq data, 2012",
    q="5",
    l="5",
)
def transcripts_per_million(q, l):
    return q / l / (q / l).sum() * 1e6


@formula(
    r"""
\begin{equation}
K = -\frac{1}{2} \ln\left\{ (1 - 2P - Q) \sqrt{1 - 2Q} \right\}
\end{equation}
""",
    source="Kimura, A simple method for estimating evolutionary rates of base substitutions, 1980, equation 10",
    P=lambda r: 0.1,
    Q=lambda r: 0.07,
)
def kimura_distance(P, Q):
    return -0.5 * np.log((1 - 2 * P - Q) * np.sqrt(1 - 2 * Q))


@formula(
    r"""
\[
r^2 = \frac{D^2}{p_A (1 - p_A) p_B (1 - p_B)}, \qquad D = p_{AB} - p_A p_B
\]
""",
    source="Hill, Robertson, Linkage disequilibrium in finite populations, 1968",
    p_A=lambda r: 0.4,
    p_B=lambda r: 0.6,
    p_AB=lambda r: 0.3,
)
def linkage_disequilibrium(p_A, p_B, p_AB):
    D = p_AB - p_A * p_B
    return D**2 / (p_A * (1 - p_A) * p_B * (1 - p_B))


@formula(
    r"""
\begin{equation}
\hat{\theta}_w = \frac{K}{a_n}, \qquad a_n = \sum_{i=1}^{n-1} \frac{1}{i}
\end{equation}
is Watterson's estimator, where $K$ is the number of segregating sites.
""",
    source="Watterson, On the number of segregating sites in genetical models, 1975; as in an encyclopedia",
    sizes={"n": 8},
    K="",
)
def watterson_estimator(K):
    return K / sum(1 / i for i in range(1, 8))


@formula(
    r"""
For the filter bank the weights are
\begin{equation}
H_m(k) = \begin{cases}
0 & k < f(m-1) \\
\frac{k - f(m-1)}{f(m) - f(m-1)} & f(m-1) \le k \le f(m) \\
\frac{f(m+1) - k}{f(m+1) - f(m)} & f(m) \le k \le f(m+1) \\
0 & k > f(m+1)
\end{cases}
\end{equation}
where $f(\cdot)$ is the list of $M + 2$ frequencies, $m = 1, \ldots, M$ and $k = 0, \ldots, N-1$.
""",
    source="Huang, Acero, Hon, Spoken language processing, 2001, equation 6.141 without the factor",
    shapes=("size M, N", "input f[M + 2]"),
    sizes={"N": 8},
    f=lambda r: np.array([0.0, 1.3, 2.6, 4.1, 6.7]),
)
def mel_filters(f):
    H = np.zeros((3, 8))
    for m in range(1, 4):
        for k in range(8):
            if f[m - 1] <= k <= f[m]:
                H[m - 1, k] = (k - f[m - 1]) / (f[m] - f[m - 1])
            elif f[m] <= k <= f[m + 1]:
                H[m - 1, k] = (f[m + 1] - k) / (f[m + 1] - f[m])
    return H


@formula(
    r"""
Time domain zero crossings are
\begin{equation}
Z_t = \frac{1}{2} \sum_{n=1}^{N} | \mathrm{sign}(x[n]) - \mathrm{sign}(x[n-1]) |
\end{equation}
where the $sign$ function is 1 for positive arguments and 0 for negative arguments and $x[n]$ is the time domain signal for frame $t$.
""",
    source="Tzanetakis and Cook, Musical genre classification of audio signals, 2002, equation 4",
    leaves_open="the sign function is another one, and the signal has no frame",
    x="5",
)
def zero_crossings(x):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
F_t = \sum_{n=1}^{N} (N_t[n] - N_{t-1}[n])^2
\end{equation}
where $N_t[n]$ and $N_{t-1}[n]$ are the normalized magnitudes at the current frame $t$, and the previous frame $t-1$, respectively.
""",
    source="Tzanetakis and Cook, Musical genre classification of audio signals, 2002, equation 3",
    leaves_open="one letter for the magnitudes and their number",
    N="4 5",
)
def spectral_flux(N):
    return np.zeros(3)


@formula(
    r"""
\begin{align}
\bar{\mathbf{x}} &= \sum_{i=0}^{2L} W_i^{(m)} \boldsymbol{\chi}_i, &
\mathbf{P} &= \sum_{i=0}^{2L} W_i^{(c)} (\boldsymbol{\chi}_i - \bar{\mathbf{x}}) (\boldsymbol{\chi}_i - \bar{\mathbf{x}})^T
\end{align}
where the sigma points are $\boldsymbol{\chi}_i \in \mathbb{R}^L$.
""",
    source="Wan, van der Merwe, The unscented Kalman filter for nonlinear estimation, 2000, equation 15",
    shapes=("size L", "input W_m[2*L + 1], W_c[2*L + 1], chi[2*L + 1, L]"),
    output="P",
    W_m="5",
    W_c="5",
    chi=lambda r: normal(r, 5, 2),
)
def sigma_points(W_m, W_c, chi):
    m = W_m @ chi
    return sum(W_c[i] * np.outer(chi[i] - m, chi[i] - m) for i in range(5))


@formula(
    r"""
\begin{equation}
\hat{N}_{eff} = \frac{1}{\sum_{i=1}^{N_s} \left( w_k^i \right)^2}
\end{equation}
where $w_k^i$ is the normalized weight.
""",
    source="Arulampalam et al., A tutorial on particle filters, 2002, equation 51",
    shapes=("upper", "input w[T, N_s]"),
    leaves_open="the left side has no time",
    w="4 5",
)
def effective_sample(w):
    return np.zeros(4)


@formula(
    r"""
The Chebyshev nodes in the interval $(a, b)$ are
\begin{equation}
x_k = \frac{1}{2} (a + b) + \frac{1}{2} (b - a) \cos\left( \frac{2k-1}{2n} \pi \right), \quad k = 1, \ldots, n.
\end{equation}
""",
    source="Stewart, Afternotes on numerical analysis, 1996; as in an encyclopedia",
    sizes={"n": 5},
    a="",
    b="",
)
def chebyshev_nodes(a, b):
    return np.array(
        [(a + b) / 2 + (b - a) / 2 * np.cos((2 * k - 1) / 10 * np.pi) for k in range(1, 6)]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2018_conference}
\newcommand{\vx}{\mathbf{x}}
\begin{document}
In mixup, virtual training examples are constructed as
\begin{equation*}
\tilde{x} = \lambda x_i + (1 - \lambda) x_j, \qquad \tilde{y} = \lambda y_i + (1 - \lambda) y_j,
\end{equation*}
where $x_i, x_j$ are raw input vectors, $y_i, y_j$ are one-hot label encodings.
\end{document}
""",
    source="Zhang et al., mixup: beyond empirical risk minimization, 2018",
    leaves_open="two examples drawn at random",
    x="3",
)
def mixup(x):
    return np.zeros(3)


@formula(
    r"""
The weights of inverse distances between points are computed as
\begin{equation}
F_i = \sum_{p=1}^{2} \frac{\phi_p\, e^{-|t_p - i| / \kappa}}{\sum_{q=1}^{2} e^{-|t_q - i| / \kappa}}, \quad i = 1, \dots, T
\end{equation}
""",
    source="Exponential blending of two states, as papers on time-lapse microscopy print it",
    sizes={"T": 6},
    shapes=("size T",),
    phi="2",
    t=lambda r: np.array([1.5, 4.0]),
    kappa="",
)
def exponential_blending(phi, t, kappa):
    out = np.zeros(6)
    for i in range(1, 7):
        e = np.exp(-abs(t - i) / kappa)
        out[i - 1] = sum(phi[p] * e[p] / e.sum() for p in range(2))
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\dd}[2]{\frac{\mathrm{d} #1}{\mathrm{d} #2}}
\begin{document}
The stages of infection obey
\begin{align}
\dd{S_i}{t} &= -\beta S_i \sum_{j=1}^{n} C_{ij} \frac{I_j}{N_j}, \\
\dd{E_i}{t} &= \beta S_i \sum_{j=1}^{n} C_{ij} \frac{I_j}{N_j} - \sigma E_i, \\
\dd{I_i}{t} &= \sigma E_i - \gamma I_i, \qquad \dd{R_i}{t} = \gamma I_i .
\end{align}
\end{document}
""",
    source="Prem, Cook, Jit, Projecting social contact matrices, 2017; models with exposed people, as papers print them",
    output="dE_dt",
    S="3",
    beta="",
    C="3 3",
    I="3",
    N="3",
    sigma="",
    E="3",
    gamma="",
)
def exposed_people(S, beta, C, I, N, sigma, E, gamma):
    return np.array(
        [
            beta * S[i] * sum(C[i, j] * I[j] / N[j] for j in range(3)) - sigma * E[i]
            for i in range(3)
        ]
    )
