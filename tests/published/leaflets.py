"""Formulas of articles on images, prices, control, populations, orbitals, retrieval, flows and survival, with the words around them."""

from __future__ import annotations

from math import erfc

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The modulation transfer of a sampled line-spread function $\ell_n$ is
\begin{equation}
M(f_k) = \frac{\sqrt{\left(\sum_n \ell_n \cos 2\pi f_k x_n\right)^2 + \left(\sum_n \ell_n \sin 2\pi f_k x_n\right)^2}}{\sum_n \ell_n}.
\end{equation}
\end{document}
""",
    source="Boreman, Modulation Transfer Function in Optical and Electro-Optical Systems, 2001",
    output="M",
    ell="5",
    f="3",
    x="5",
)
def modulation_transfer(ell, f, x):
    a = 2 * np.pi * np.outer(f, x)
    return np.sqrt((np.cos(a) @ ell) ** 2 + (np.sin(a) @ ell) ** 2) / ell.sum()


@formula(
    r"""
The number of new infections expected on day $t$ follows the renewal equation
\[
\lambda_t = R_t \sum_{s=1}^{t-1} I_{t-s} \, w_s, \qquad t = 2, \dots, T,
\]
with the serial interval distribution $w_s$, and the log-likelihood of observed counts is $\sum_{t=2}^{T} \left( I_t \log \lambda_t - \lambda_t \right)$.
""",
    source="Cori et al., A new framework and software to estimate time-varying reproduction numbers, 2013",
    output="lambda",
    R="6",
    I="6",
    w="5",
    leaves_open="length of w and R",
)
def renewal(R, I, w):
    return np.zeros(5)


@formula(
    r"""
The Herfindahl--Hirschman index and the Lerner index weighted by shares are
\begin{align}
H &= \sum_{i=1}^{N} s_i^2, & s_i &= \frac{q_i}{\sum_{j=1}^{N} q_j}, \\
L &= \sum_{i=1}^{N} s_i \frac{p - c_i}{p}.
\end{align}
""",
    source="Tirole, The Theory of Industrial Organization, 1988, section 5.5",
    output="L",
    q="4",
    p="",
    c="4",
)
def lerner(q, p, c):
    return np.sum(q / q.sum() * (p - c) / p)


@formula(
    r"""
The impedance control law for an $n$-joint arm generates torques
\begin{equation}
\tau_i = \sum_{j=1}^{n} J_{ji} \left[ K_j (x^d_j - x_j) + D_j (\dot{x}^d_j - \dot{x}_j) \right] + g_i,
\end{equation}
where superscript $d$ denotes desired values.
""",
    source="Hogan, Impedance control, 1985",
    J="3 3",
    K="3",
    x_d="3",
    x="3",
    D="3",
    x_dot_d="3",
    x_dot="3",
    g="3",
)
def impedance_control(J, K, x_d, x, D, x_dot_d, x_dot, g):
    return J.T @ (K * (x_d - x) + D * (x_dot_d - x_dot)) + g


@formula(
    r"""
The order-$P$ linear predictor has residual energy
\begin{equation}
E = \sum_{n=P}^{N-1} \left( s[n] - \sum_{p=1}^{P} a_p \, s[n-p] \right)^2
\end{equation}
for the frame $s[0], \ldots, s[N-1]$.
""",
    source="Makhoul, Linear prediction, 1975",
    s="8",
    a="3",
)
def prediction_energy(s, a):
    return sum((s[n] - sum(a[p - 1] * s[n - p] for p in range(1, 4))) ** 2 for n in range(3, 8))


@formula(
    r"""
Screen-space ambient occlusion estimates the visibility with $N$ samples,
\begin{equation}
A_p = \max\left( 0, 1 - \frac{2\sigma}{N} \sum_{i=1}^{N} \frac{\max(0, \mathbf{v}_{p,i} \cdot \mathbf{n}_p - z_p \beta)}{\mathbf{v}_{p,i} \cdot \mathbf{v}_{p,i} + \epsilon} \right)^{k},
\end{equation}
where $\mathbf{v}_{p,i}, \mathbf{n}_p \in \mathbb{R}^3$.
""",
    source="McGuire et al., The Alchemy screen-space ambient obscurance algorithm, 2011, equation 10",
    sigma=lambda r: 0.2,
    v=lambda r: normal(r, 4, 5, 3),
    n=lambda r: normal(r, 4, 3),
    z="4",
    beta=lambda r: 0.1,
    epsilon="",
    k=lambda r: 1.5,
)
def alchemy_ao(sigma, v, n, z, beta, epsilon, k):
    d = np.einsum("pia,pa->pi", v, n) - (z * beta)[:, None]
    q = np.maximum(0, d) / (np.sum(v * v, 2) + epsilon)
    return np.maximum(0, 1 - 2 * sigma / 5 * q.sum(1)) ** k


@formula(
    r"""
The expected $F$-statistic with allele frequencies $p_{kl}$ in population $k$ is Nei's
\begin{equation}
G_{ST} = \frac{H_T - H_S}{H_T}, \quad H_T = 1 - \frac{1}{L}\sum_{l=1}^L \sum_{a=1}^{A} \bar{p}_{la}^2, \quad H_S = 1 - \frac{1}{K L} \sum_{k=1}^{K} \sum_{l=1}^{L} \sum_{a=1}^{A} p_{kla}^2,
\end{equation}
with $\bar{p}_{la} = \frac{1}{K} \sum_{k=1}^{K} p_{kla}$.
""",
    source="Nei, Analysis of gene diversity in subdivided populations, 1973",
    output="G_ST",
    p="3 4 2",
)
def nei_gst(p):
    pb = p.mean(0)
    HT = 1 - np.sum(pb**2) / 4
    HS = 1 - np.sum(p**2) / 12
    return (HT - HS) / HT


@formula(
    r"""
\begin{equation}
E_{xc} \approx \sum_{g=1}^{G} w_g \, \rho_g \, \varepsilon_g, \qquad \rho_g = 2 \sum_{i=1}^{N/2} \Big( \sum_{\mu=1}^{M} C_{\mu i} \, \chi_{\mu g} \Big)^2, \qquad \varepsilon_g = -\frac{3}{4} \left( \frac{3}{\pi} \right)^{1/3} \rho_g^{1/3}
\end{equation}
""",
    source="Parr and Yang, Density-Functional Theory of Atoms and Molecules, 1989, on a grid",
    output="E_xc",
    w="5",
    C=lambda r: normal(r, 3, 2),
    chi=lambda r: normal(r, 3, 5),
    sizes={"N": 4},
)
def lda_exchange(w, C, chi):
    rho = 2 * np.sum((C.T @ chi) ** 2, 0)
    return np.sum(w * rho * (-0.75 * (3 / np.pi) ** (1 / 3) * rho ** (1 / 3)))


@formula(
    r"""
Given arrival times $t_{ik}$ of event $i$ at station $k$, the double difference residual between events $i$ and $j$ reads
\[
dr_k^{ij} = \left( t_k^i - t_k^j \right)^{obs} - \left( t_k^i - t_k^j \right)^{cal}.
\]
""",
    source="Waldhauser and Ellsworth, A double-difference earthquake location algorithm, 2000, equation 4",
    leaves_open="upper indices and labels",
    t="3 4",
)
def double_difference(t):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\mathrm{ERR} = \sum_{r=1}^{n} \frac{1}{r} R_r \prod_{i=1}^{r-1} (1 - R_i), \qquad R_i = \frac{2^{g_i} - 1}{2^{g_{\max}}}
\end{equation}
""",
    source="Chapelle et al., Expected reciprocal rank for graded relevance, 2009",
    output="ERR",
    g="5",
    g_max=lambda r: 4.0,
)
def expected_reciprocal(g, g_max):
    R = (2**g - 1) / 2**g_max
    return sum(R[r] * np.prod(1 - R[:r]) / (r + 1) for r in range(5))


@formula(
    r"""
LightGCN propagates embeddings on the user--item graph, in matrix form $\mathbf{E}^{(k+1)} = \tilde{\mathbf{A}} \mathbf{E}^{(k)}$; for one layer and with users $u$ and items $i$,
\begin{equation}
\mathbf{e}_u' = \sum_{i=1}^{I} \frac{r_{ui}}{\sqrt{d_u} \sqrt{c_i}} \mathbf{e}_i, \qquad d_u = \sum_{i=1}^{I} r_{ui}, \quad c_i = \sum_{u=1}^{U} r_{ui},
\end{equation}
where $\mathbf{e}_i \in \mathbb{R}^D$.
""",
    source="He et al., LightGCN, 2020, equation 3",
    output="e_prime",
    r="3 4",
    e=lambda r: normal(r, 4, 2),
)
def lightgcn(r, e):
    d = r.sum(1)
    c = r.sum(0)
    return (r / np.sqrt(np.outer(d, c))) @ e


@formula(
    r"""
The score-matching objective with noise levels $\sigma_1, \ldots, \sigma_L$ is
\begin{equation}
\mathcal{L} = \frac{1}{L} \sum_{i=1}^{L} \lambda_i \, \frac{1}{2 N} \sum_{n=1}^N \left\| \mathbf{s}_{in} + \frac{\tilde{\mathbf{x}}_{in} - \mathbf{x}_n}{\sigma_i^2} \right\|_2^2, \qquad \lambda_i = \sigma_i^2,
\end{equation}
with $\mathbf{s}_{in}, \tilde{\mathbf{x}}_{in}, \mathbf{x}_n \in \mathbb{R}^D$.
""",
    source="Song and Ermon, Generative modeling by estimating gradients of the data distribution, 2019, equation 6",
    output="L_cal",
    s=lambda r: normal(r, 2, 3, 4),
    x_tilde=lambda r: normal(r, 2, 3, 4),
    x=lambda r: normal(r, 3, 4),
    sigma="2",
)
def score_matching(s, x_tilde, x, sigma):
    q = s + (x_tilde - x[None]) / sigma[:, None, None] ** 2
    return np.mean(sigma**2 * np.sum(q**2, axis=(1, 2)) / 6)


@formula(
    r"""
With importance ratios $\rho_t = \pi_t / \mu_t$ clipped at $c$, the off-policy objective is
\begin{equation}
J = \frac{1}{T} \sum_{t=1}^{T} \min(\rho_t, c) A_t + \beta \, \mathcal{H}_t, \quad \mathcal{H}_t = - \sum_{a=1}^{K} p_{ta} \log p_{ta}.
\end{equation}
""",
    source="Espeholt et al., IMPALA, 2018, with the entropy beside the sum",
    pi="4",
    mu="4",
    p="4 3",
    c="",
    A=lambda r: normal(r, 4),
    beta="",
    output="J",
)
def offpolicy(pi, mu, p, c, A, beta):
    H = -np.sum(p * np.log(p), 1)
    return np.mean(np.minimum(pi / mu, c) * A + beta * H)


@formula(
    r"""
The edge convolution aggregates by a channel-wise maximum,
\begin{equation}
x'_{im} = \max_{j=1,\ldots,k} \; \mathrm{ReLU}\left( \boldsymbol{\theta}_m \cdot (\mathbf{x}_j - \mathbf{x}_i) + \boldsymbol{\phi}_m \cdot \mathbf{x}_i \right)
\end{equation}
for points $\mathbf{x}_i \in \mathbb{R}^F$ and parameters $\boldsymbol{\theta}_m, \boldsymbol{\phi}_m \in \mathbb{R}^F$.
""",
    source="Wang et al., Dynamic graph CNN for learning on point clouds, 2019, equation 8",
    theta=lambda r: normal(r, 3, 2),
    x=lambda r: normal(r, 4, 2),
    phi=lambda r: normal(r, 3, 2),
)
def edge_convolution(theta, x, phi):
    d = np.einsum("mf,ijf->ijm", theta, x[None] - x[:, None]) + (x @ phi.T)[:, None]
    return np.maximum(d, 0).max(1)


@formula(
    r"""
A radial flow around the reference point $\mathbf{c}$ is $\mathbf{z}' = \mathbf{z} + \beta h(\alpha, r)(\mathbf{z} - \mathbf{c})$. For a batch,
\begin{align}
r_n &= \| \mathbf{z}_n - \mathbf{c} \|_2, \\
h_n &= \frac{1}{\alpha + r_n}, \\
\mathbf{z}'_n &= \mathbf{z}_n + \beta h_n (\mathbf{z}_n - \mathbf{c}), \\
\log \det{}_n &= (D - 1) \log(1 + \beta h_n) + \log\left( 1 + \beta h_n - \beta \frac{r_n}{(\alpha + r_n)^2} \right).
\end{align}
Here $\mathbf{z}_n, \mathbf{c} \in \mathbb{R}^D$.
""",
    source="Rezende and Mohamed, Variational inference with normalizing flows, 2015",
    output="z_prime",
    z=lambda r: normal(r, 4, 3),
    c=lambda r: normal(r, 3),
    alpha="",
    beta="",
)
def radial_flow(z, c, alpha, beta):
    r = np.linalg.norm(z - c, axis=1)
    return z + beta * (1 / (alpha + r))[:, None] * (z - c)


@formula(
    r"""
Talking-heads attention mixes logits across heads before the softmax:
\begin{align}
J_{hij} &= \sum_{d} Q_{hid} K_{hjd}, \\
L_{gij} &= \sum_{h} P_{hg} J_{hij}, \\
W_{gij} &= \frac{\exp L_{gij}}{\sum_{j'} \exp L_{gij'}}, \\
O_{gid} &= \sum_{j} W_{gij} V_{gjd}.
\end{align}
""",
    source="Shazeer et al., Talking-heads attention, 2020",
    output="O",
    Q=lambda r: normal(r, 2, 3, 4),
    K=lambda r: normal(r, 2, 5, 4),
    P=lambda r: normal(r, 2, 2),
    V=lambda r: normal(r, 2, 5, 3),
)
def talking_heads(Q, K, P, V):
    J = np.einsum("hid,hjd->hij", Q, K)
    L = np.einsum("hg,hij->gij", P, J)
    W = np.exp(L)
    W /= W.sum(2, keepdims=True)
    return np.einsum("gij,gjd->gid", W, V)


@formula(
    r"""
The angular loss constrains the angle at the negative of each triplet:
\begin{equation}
l_{ang} = \frac{1}{N} \sum_{i=1}^{N} \left[ \|\mathbf{x}_i^a - \mathbf{x}_i^p\|^2 - 4 \tan^2 \alpha \, \|\mathbf{x}_i^n - \mathbf{c}_i\|^2 \right]_+ , \quad \mathbf{c}_i = \frac{\mathbf{x}_i^a + \mathbf{x}_i^p}{2}
\end{equation}
where $\mathbf{x}_i^a, \mathbf{x}_i^p, \mathbf{x}_i^n \in \mathbb{R}^D$ are anchor, positive and negative.
""",
    source="Wang et al., Deep metric learning with angular loss, 2017, equation 6",
    output="l_ang",
    x_a=lambda r: normal(r, 4, 3),
    x_p=lambda r: normal(r, 4, 3),
    alpha=lambda r: 0.4,
    x_n=lambda r: normal(r, 4, 3),
)
def angular_loss(x_a, x_p, alpha, x_n):
    c = (x_a + x_p) / 2
    return np.mean(
        np.maximum(
            np.sum((x_a - x_p) ** 2, 1) - 4 * np.tan(alpha) ** 2 * np.sum((x_n - c) ** 2, 1), 0
        )
    )


@formula(
    r"""
The accelerated failure-time log-likelihood for log-normal errors and right censoring is
\begin{equation}
\ell = \sum_{i=1}^{n} \left\{ \delta_i \left[ -\log \sigma - \log y_i - \tfrac12 \log(2\pi) - \tfrac12 z_i^2 \right] + (1 - \delta_i) \log\left[ \tfrac12 \operatorname{erfc}\left( z_i / \sqrt{2} \right) \right] \right\}
\end{equation}
where $z_i = (\log y_i - \mathbf{x}_i^\top \boldsymbol{\beta}) / \sigma$, $\mathbf{x}_i, \boldsymbol{\beta} \in \mathbb{R}^p$.
""",
    source="Kalbfleisch and Prentice, The Statistical Analysis of Failure Time Data, 1980",
    delta="5",
    sigma="",
    y="5",
    x=lambda r: normal(r, 5, 2),
    beta=lambda r: normal(r, 2),
)
def lognormal_aft(delta, sigma, y, x, beta):

    z = (np.log(y) - x @ beta) / sigma
    return np.sum(
        delta * (-np.log(sigma) - np.log(y) - 0.5 * np.log(2 * np.pi) - 0.5 * z**2)
        + (1 - delta) * np.log([0.5 * erfc(a / 2**0.5) for a in z])
    )


@formula(
    r"""
The intrinsic energy of the Gaussian Markov random field with neighbourhood weights is
\begin{equation}
U(\mathbf{x}) = \frac{\kappa}{2} \sum_{i<j} w_{ij} (x_i - x_j)^2 + \frac{\tau}{2} \sum_{i=1}^{n} (y_i - x_i)^2 .
\end{equation}
""",
    source="Rue and Held, Gaussian Markov Random Fields, 2005",
    kappa="",
    w="4 4",
    x="4",
    tau="",
    y="4",
)
def gmrf(kappa, w, x, tau, y):
    return kappa / 2 * sum(
        w[i, j] * (x[i] - x[j]) ** 2 for i in range(4) for j in range(i + 1, 4)
    ) + tau / 2 * np.sum((y - x) ** 2)


@formula(
    r"""
The conditional value-at-risk at level $\alpha$ over $S$ scenarios is minimised through
\begin{equation}
F_\alpha(\mathbf{w}, \zeta) = \zeta + \frac{1}{(1-\alpha) S} \sum_{s=1}^{S} \left[ -\mathbf{w}^{\mathsf T} \mathbf{r}_s - \zeta \right]^+
\end{equation}
with $\mathbf{w}, \mathbf{r}_s \in \mathbb{R}^n$.
""",
    source="Rockafellar and Uryasev, Optimization of conditional value-at-risk, 2000, equation 9",
    zeta=lambda r: -0.1,
    alpha=lambda r: 0.9,
    w=lambda r: normal(r, 3),
    r=lambda r: normal(r, 6, 3),
)
def cvar(zeta, alpha, w, r):
    return zeta + np.mean(np.maximum(-r @ w - zeta, 0)) / (1 - alpha)


@formula(
    r"""
For an incompressible SPH fluid, the pressure acceleration of particle $i$ is
\begin{equation}
\mathbf{a}_i = - \sum_{j} m_j \left( \frac{p_i}{\rho_i^2} + \frac{p_j}{\rho_j^2} \right) \nabla W_{ij}.
\end{equation}
""",
    source="Monaghan, Smoothed particle hydrodynamics, 1992, equation 3.3",
    leaves_open="gradient of a kernel",
    m="3",
)
def sph_acceleration(m):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{smooth}} = \sum_{x,y} \left( |\partial_x D_{x,y}| e^{-\|\partial_x I_{x,y}\|} + |\partial_y D_{x,y}| e^{-\|\partial_y I_{x,y}\|} \right)
\end{equation}
""",
    source="Godard, Mac Aodha and Brostow, Unsupervised monocular depth estimation, 2017, equation 3",
    leaves_open="discrete derivatives",
    D="3 3",
)
def depth_smoothness(D):
    return 0.0


@formula(
    r"""
Let $\mathbf{X} \in \mathbb{R}^{I \times J}$ be approximated in the CUR manner by columns and rows with
\begin{equation}
\hat{\mathbf{X}} = \mathbf{C} \mathbf{U} \mathbf{R}, \qquad e = \frac{\|\mathbf{X} - \hat{\mathbf{X}}\|_F}{\|\mathbf{X}\|_F}
\end{equation}
where $\mathbf{C} \in \mathbb{R}^{I \times c}$, $\mathbf{U} \in \mathbb{R}^{c \times r}$, and $\mathbf{R} \in \mathbb{R}^{r \times J}$.
""",
    source="Mahoney and Drineas, CUR matrix decompositions for improved data analysis, 2009",
    output="e",
    X=lambda r: normal(r, 3, 4),
    C=lambda r: normal(r, 3, 2),
    U=lambda r: normal(r, 2, 2),
    R=lambda r: normal(r, 2, 4),
)
def cur(X, C, U, R):
    return np.linalg.norm(X - C @ U @ R) / np.linalg.norm(X)


@formula(
    r"""
Given responsibilities $\gamma_{nk}$, the M-step for a mixture of von Mises--Fisher distributions computes
\begin{align}
\mathbf{r}_k &= \sum_{n=1}^{N} \gamma_{nk} \mathbf{x}_n, \\
\boldsymbol{\mu}_k &= \frac{\mathbf{r}_k}{\|\mathbf{r}_k\|}, \\
\bar{R}_k &= \frac{\|\mathbf{r}_k\|}{\sum_{n=1}^{N} \gamma_{nk}}, \\
\kappa_k &= \frac{\bar{R}_k d - \bar{R}_k^3}{1 - \bar{R}_k^2}
\end{align}
for unit vectors $\mathbf{x}_n \in \mathbb{R}^d$.
""",
    source="Banerjee et al., Clustering on the unit hypersphere, 2005",
    output="kappa",
    gamma="4 2",
    x=lambda r: normal(r, 4, 3) * 0.3,
)
def vmf_mstep(gamma, x):
    R = np.linalg.norm(gamma.T @ x, axis=1) / gamma.sum(0)
    return (R * 3 - R**3) / (1 - R**2)


@formula(
    r"""
The discrete-time Fourier-domain coherence aside, the normalised cross-correlation at lag $k$ is
\begin{equation}
r_{xy}(k) = \frac{\sum_{t=1}^{n-k} (x_t - \bar{x})(y_{t+k} - \bar{y})}{\sqrt{\sum_{t=1}^{n} (x_t - \bar{x})^2} \sqrt{\sum_{t=1}^{n} (y_t - \bar{y})^2}}, \qquad k = 0, 1, \ldots, K,
\end{equation}
where $\bar{x}$ and $\bar{y}$ are the sample means.
""",
    source="Chatfield, The Analysis of Time Series, 1975, section 8.1",
    x="7",
    y="7",
    sizes={"K": 3},
)
def cross_correlation(x, y):
    a = x - x.mean()
    b = y - y.mean()
    return np.array([sum(a[t] * b[t + k] for t in range(7 - k)) for k in range(4)]) / np.sqrt(
        np.sum(a**2) * np.sum(b**2)
    )
