"""Formulas of papers on language, graphs, control, geodesy, spectroscopy and epidemics, as they are printed there."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The label-smoothed cross entropy with $\epsilon = 0.1$ over a vocabulary of size $V$ is
\begin{equation}
\mathcal{L}_{LS} = -\sum_{t=1}^{T} \sum_{v=1}^{V} q_{tv} \log p_{tv}, \quad q_{tv} = (1 - \epsilon)\, y_{tv} + \frac{\epsilon}{V}.
\end{equation}
\end{document}
""",
    source="Szegedy et al., Rethinking the inception architecture, 2016, section 7, over time",
    epsilon="",
    y="3 4",
    p="3 4",
)
def smoothed_entropy(epsilon, y, p):
    q = (1 - epsilon) * y + epsilon / 4
    return -(q * np.log(p)).sum()


@formula(
    r"""
\begin{equation}
e_{ij} = a(s_{i-1}, h_j), \qquad \alpha_{ij} = \frac{\exp(e_{ij})}{\sum_{k=1}^{T_x} \exp(e_{ik})}, \qquad c_i = \sum_{j=1}^{T_x} \alpha_{ij} h_j .
\end{equation}
""",
    source="Bahdanau, Cho, Bengio, Neural machine translation, 2015, equations 5 and 6",
    output="c",
    shapes=("size T_x, n, N", "input e[N, T_x], h[T_x, n]"),
    e=lambda r: normal(r, 3, 4),
    h=lambda r: normal(r, 4, 2),
)
def context_vectors(e, h):
    a = np.exp(e)
    return a / a.sum(1, keepdims=True) @ h


@formula(
    r"""
The score of a triple in TransR projects entities by $\mathbf{M}_r$:
\begin{equation}
f_r(h, t) = \left\| \mathbf{M}_r \mathbf{h} + \mathbf{r} - \mathbf{M}_r \mathbf{t} \right\|_2^2
\end{equation}
where $\mathbf{M}_r \in \mathbb{R}^{k \times d}$, $\mathbf{h}, \mathbf{t} \in \mathbb{R}^d$ and $\mathbf{r} \in \mathbb{R}^k$.
""",
    source="Lin et al., Learning entity and relation embeddings, 2015, equation 8",
    shapes=("size k, d", "input M_r[k, d], r[k]"),
    M_r=lambda r: normal(r, 3, 4),
    h=lambda r: normal(r, 4),
    r=lambda r: normal(r, 3),
    t=lambda r: normal(r, 4),
)
def transr(M_r, h, r, t):
    return ((M_r @ h + r - M_r @ t) ** 2).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Layer-wise propagation in GCN: let $\tilde{A} = A + I_N$ and $\tilde{D}_{ii} = \sum_j \tilde{A}_{ij}$. In elements,
\begin{equation}
Z_{ic} = \sum_{j=1}^{N} \frac{\tilde{A}_{ij}}{\sqrt{\tilde{d}_i \tilde{d}_j}} \sum_{f=1}^{F} X_{jf} \Theta_{fc}, \qquad \tilde{d}_i = \sum_{j=1}^{N} \tilde{A}_{ij}
\end{equation}
\end{document}
""",
    source="Kipf, Welling, Semi-supervised classification with graph convolutional networks, 2017, equation 8 by elements",
    shapes=("input A_tilde[N, N]",),
    output="Z",
    A_tilde="4 4",
    X="4 3",
    Theta="3 2",
)
def gcn_elements(A_tilde, X, Theta):
    d = A_tilde.sum(1)
    return A_tilde / np.sqrt(np.outer(d, d)) @ X @ Theta


@formula(
    r"""
The modularity matrix is $B_{ij} = A_{ij} - \frac{k_i k_j}{2m}$, where $k_i = \sum_j A_{ij}$ and $2m = \sum_i k_i$, so that
\begin{equation}
Q = \frac{1}{4m} \sum_{ij} B_{ij} s_i s_j .
\end{equation}
""",
    source="Newman, Modularity and community structure in networks, 2006, equation 2",
    output="Q",
    A="4 4",
    s="4",
)
def spectral_modularity(A, s):
    k = A.sum(1)
    B = A - np.outer(k, k) / k.sum()
    return s @ B @ s / (2 * k.sum())


@formula(
    r"""
\begin{equation}
C_B(v) = \sum_{s \neq v \neq t} \frac{\sigma_{st}(v)}{\sigma_{st}}
\end{equation}
where $\sigma_{st}$ is the number of shortest paths.
""",
    source="Freeman, A set of measures of centrality based on betweenness, 1977",
    leaves_open="one letter for two arrays",
    s="3",
)
def betweenness(s):
    return np.zeros(3)


@formula(
    r"""
The discrete algebraic Riccati cost over a horizon is
\begin{equation}
J = x_N^T Q_f x_N + \sum_{k=0}^{N-1} \left( x_k^T Q x_k + u_k^T R u_k \right)
\end{equation}
with $x_k \in \mathbb{R}^n$ and $u_k \in \mathbb{R}^m$.
""",
    source="Anderson, Moore, Optimal control: linear quadratic methods, 1990, section 2.1",
    shapes=("size N, n, m", "input x[N + 1, n], u[N, m], Q[n, n], Q_f[n, n], R[m, m]"),
    x=lambda r: normal(r, 4, 2),
    Q_f="2 2",
    Q="2 2",
    u=lambda r: normal(r, 3, 1),
    R="1 1",
)
def regulator_cost(x, Q_f, Q, u, R):
    return x[3] @ Q_f @ x[3] + sum(x[k] @ Q @ x[k] + u[k] @ R @ u[k] for k in range(3))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The normal gravity-like spherical harmonic synthesis along one parallel is
\begin{equation}
T(\lambda_j) = \frac{GM}{r} \sum_{n=2}^{N} \left( \frac{a}{r} \right)^n \sum_{m=0}^{n} \left( C_{nm} \cos m\lambda_j + S_{nm} \sin m\lambda_j \right) P_{nm}
\end{equation}
\end{document}
""",
    source="Hofmann-Wellenhof, Moritz, Physical geodesy, 2006, equation 2-79, on one parallel",
    shapes=("size N", "base 0", "input C[N + 1, N + 1], S[N + 1, N + 1], P[N + 1, N + 1]"),
    G="",
    M="",
    r="",
    a="",
    C="4 4",
    lam=lambda r: normal(r, 5),
    S="4 4",
    P="4 4",
)
def harmonic_synthesis(G, M, r, a, C, lam, S, P):
    out = np.zeros(5)
    for n in range(2, 4):
        for m in range(n + 1):
            out += (
                G
                * M
                / r
                * (a / r) ** n
                * (C[n, m] * np.cos(m * lam) + S[n, m] * np.sin(m * lam))
                * P[n, m]
            )
    return out


@formula(
    r"""
The Voigt-like pseudo-Voigt profile is a linear combination of a Gaussian and a Lorentzian,
\begin{equation}
V(x_i) = \eta\, \frac{1}{1 + \left( \frac{x_i - x_0}{w} \right)^2} + (1 - \eta)\, \exp\left[ -\ln 2 \left( \frac{x_i - x_0}{w} \right)^2 \right]
\end{equation}
where $x_0$ is the centre of the line.
""",
    source="Wertheim et al., Determination of the Gaussian and Lorentzian content, 1974; as in an encyclopedia",
    shapes=("input x_0[]",),
    eta="",
    x="5",
    x_0="",
    w="",
)
def pseudo_voigt(eta, x, x_0, w):
    u = ((x - x_0) / w) ** 2
    return eta / (1 + u) + (1 - eta) * np.exp(-np.log(2) * u)


@formula(
    r"""
\begin{equation}
I(\nu) = \sum_{k} S_k \, \frac{\gamma_k / \pi}{(\nu - \nu_k)^2 + \gamma_k^2}
\end{equation}
""",
    source="Rothman et al., The HITRAN molecular spectroscopic database, 1998, for Lorentzian lines",
    S="4",
    gamma="4",
    nu="",
    nu_k="4",
)
def lorentzian_lines(S, gamma, nu, nu_k):
    return (S * gamma / np.pi / ((nu - nu_k) ** 2 + gamma**2)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\expect}[1]{\left\langle #1 \right\rangle}
\begin{document}
The SEIR model on a metapopulation with mobility $w_{ij}$ reads
\begin{align}
\dot{S}_i &= -\beta S_i \frac{I_i}{N_i}, &
\dot{E}_i &= \beta S_i \frac{I_i}{N_i} - \sigma E_i + \sum_{j} \left( w_{ji} E_j - w_{ij} E_i \right), \\
\dot{I}_i &= \sigma E_i - \gamma I_i, &
\dot{R}_i &= \gamma I_i.
\end{align}
\end{document}
""",
    source="Balcan et al., Multiscale mobility networks, 2009, simplified",
    output="E_dot",
    beta="",
    S="3",
    I="3",
    N="3",
    sigma="",
    E="3",
    w="3 3",
    gamma="",
)
def metapopulation(beta, S, I, N, sigma, E, w, gamma):
    return beta * S * I / N - sigma * E + w.T @ E - w.sum(1) * E


@formula(
    r"""
The Hill--Robertson linkage statistic between loci $k$ and $l$ in $n$ haplotypes coded $0/1$ is
\[
r^2_{kl} = \frac{\left( p_{kl} - p_k p_l \right)^2}{p_k (1 - p_k)\, p_l (1 - p_l)}, \qquad p_{kl} = \frac{1}{n} \sum_{i=1}^{n} x_{ik} x_{il}, \qquad p_k = \frac{1}{n} \sum_{i=1}^{n} x_{ik} .
\]
""",
    source="Hill, Robertson, Linkage disequilibrium in finite populations, 1968",
    leaves_open="a superscript stands before two subscripts",
    x="6 3",
)
def linkage_statistic(x):
    return np.zeros((3, 3))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Smith--Waterman-like affine score aside, the BLOSUM log-odds score is
\begin{equation}
S_{ij} = \frac{1}{\lambda} \log \left( \frac{p_{ij}}{q_i \, q_j} \right)
\end{equation}
where $p_{ij}$ is the probability of two amino acids replacing each other.
\end{document}
""",
    source="Henikoff, Henikoff, Amino acid substitution matrices from protein blocks, 1992; as in an encyclopedia",
    lam="",
    p="4 4",
    q="4",
)
def blosum(lam, p, q):
    return np.log(p / np.outer(q, q)) / lam


@formula(
    r"""
The Shannon capacity of parallel channels with powers $P_i$ is
\begin{equation}
C = \sum_{i=1}^{K} B_i \log_2\left( 1 + \frac{P_i |h_i|^2}{N_0 B_i} \right) \quad \text{[bit/s]}
\end{equation}
""",
    source="Goldsmith, Wireless communications, 2005, section 4.3",
    B="4",
    P="4",
    h=lambda r: normal(r, 4),
    N_0="",
)
def parallel_capacity(B, P, h, N_0):
    return (B * np.log2(1 + P * h**2 / (N_0 * B))).sum()


@formula(
    r"""
The sum-rate of $K$ users under linear precoding is
\begin{equation}
R = \sum_{k=1}^{K} \log_2\left( 1 + \frac{|\mathbf{h}_k^T \mathbf{w}_k|^2}{\sum_{j \neq k} |\mathbf{h}_k^T \mathbf{w}_j|^2 + \sigma_k^2} \right)
\end{equation}
with real channels $\mathbf{h}_k, \mathbf{w}_k \in \mathbb{R}^M$.
""",
    source="Christensen et al., Weighted sum-rate maximization, 2008, equation 3, for real channels",
    h=lambda r: normal(r, 3, 4),
    w=lambda r: normal(r, 3, 4),
    sigma="3",
)
def sum_rate(h, w, sigma):
    g = (h @ w.T) ** 2
    return np.log2(1 + np.diag(g) / (g.sum(1) - np.diag(g) + sigma**2)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The NLMS update of the filter taps reads
\begin{equation}
w_k(n+1) = w_k(n) + \mu \frac{e(n)\, x(n-k)}{\epsilon + \sum_{j=0}^{M-1} x^2(n-j)}
\end{equation}
\end{document}
""",
    source="Haykin, Adaptive filter theory, 2002, equation 6.12",
    leaves_open="a step in time",
    w="3",
)
def normalised_lms(w):
    return np.zeros(3)


@formula(
    r"""
Mel-frequency cepstral coefficients follow from the log filterbank amplitudes $m_j$ by
\begin{equation}
c_i = \sqrt{\frac{2}{N}} \sum_{j=1}^{N} m_j \cos\left( \frac{\pi i}{N} (j - 0.5) \right), \quad i = 1, \ldots, 12.
\end{equation}
""",
    source="Young et al., The HTK book, 2002, equation 5.14",
    m=lambda r: normal(r, 20),
)
def htk_cepstrum(m):
    j = np.arange(1, 21)
    return np.array(
        [np.sqrt(2 / 20) * (m * np.cos(np.pi * i / 20 * (j - 0.5))).sum() for i in range(1, 13)]
    )


@formula(
    r"""
\begin{align}
\mathrm{SI\text{-}SNR} &= 10 \log_{10} \frac{\| s_{\text{target}} \|^2}{\| e_{\text{noise}} \|^2}, \\
s_{\text{target}} &= \frac{\langle \hat{s}, s \rangle s}{\| s \|^2}, \qquad e_{\text{noise}} = \hat{s} - s_{\text{target}},
\end{align}
where $\hat{s}, s \in \mathbb{R}^{T}$ are the estimated and target clean sources.
""",
    source="Luo, Mesgarani, Conv-TasNet, 2019, equation 14",
    s_hat=lambda r: normal(r, 6),
    s=lambda r: normal(r, 6),
)
def scale_invariant_ratio(s_hat, s):
    target = s_hat @ s * s / (s @ s)
    noise = s_hat - target
    return 10 * np.log10(target @ target / (noise @ noise))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\begin{document}
The stress of metric multidimensional scaling is
\begin{equation}
\mathrm{Stress} = \left( \frac{\sum_{i < j} \left( d_{ij} - \| \bm{x}_i - \bm{x}_j \| \right)^2}{\sum_{i<j} d_{ij}^2} \right)^{1/2}
\end{equation}
where $\bm{x}_i \in \mathbb{R}^p$.
\end{document}
""",
    source="Kruskal, Multidimensional scaling by optimizing goodness of fit, 1964",
    shapes=("size n, p", "input d[n, n], x[n, p]"),
    d="4 4",
    x=lambda r: normal(r, 4, 2),
)
def scaling_stress(d, x):
    e = np.sqrt(((x[:, None] - x) ** 2).sum(2))
    upper = np.triu_indices(4, 1)
    return np.sqrt(((d - e)[upper] ** 2).sum() / (d[upper] ** 2).sum())


@formula(
    r"""
The Sinkhorn divergence uses the transport cost $\langle P, C \rangle = \sum_{ij} P_{ij} C_{ij}$ and the entropy
\begin{equation}
W_\varepsilon = \sum_{i,j} P_{ij} C_{ij} + \varepsilon \sum_{i,j} P_{ij} (\log P_{ij} - 1), \qquad P_{ij} = u_i K_{ij} v_j, \qquad K_{ij} = e^{-C_{ij} / \varepsilon}.
\end{equation}
""",
    source="Peyre, Cuturi, Computational optimal transport, 2019, equations 4.2 and 4.12",
    output="W_varepsilon",
    u="3",
    C="3 4",
    v="4",
    varepsilon="",
)
def entropic_cost(u, C, v, varepsilon):
    P = u[:, None] * np.exp(-C / varepsilon) * v
    return (P * C).sum() + varepsilon * (P * (np.log(P) - 1)).sum()


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{con}} = \frac{1}{2N} \sum_{n=1}^{N} \left[ y_n d_n^2 + (1 - y_n) \max(\text{margin} - d_n, 0)^2 \right]
\end{equation}
""",
    source="Hadsell, Chopra, LeCun, Dimensionality reduction by learning an invariant mapping, 2006, equation 4",
    y=lambda r: np.array([1.0, 0.0, 1.0, 0.0]),
    d="4",
    margin="",
)
def contrastive_with_margin(y, d, margin):
    return (y * d**2 + (1 - y) * np.maximum(margin - d, 0) ** 2).sum() / 8


@formula(
    r"""
The additive angular margin is $m$; the logit of class $j$ for example $i$ is
\begin{equation}
z_{ij} = s \cos\left( \arccos\left( \frac{W_j^\top x_i}{\|W_j\| \|x_i\|} \right) + m\, \delta_{j, y_i} \right)
\end{equation}
""",
    source="Deng et al., ArcFace, 2019, equation 3, as a logit",
    shapes=("size n, d, C", "input W[C, d], x[n, d], y[n]: int64"),
    leaves_open="an index of classes that counts from nowhere",
    s="",
)
def arcface_logit(s):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
In Mask R-CNN's RoIAlign, the bilinear interpolation at the sampling point $(x, y)$ uses
\begin{equation}
f(x_p, y_p) = \sum_{i=1}^{H} \sum_{j=1}^{W} F_{ij} \max(0, 1 - |y_p - i|) \max(0, 1 - |x_p - j|).
\end{equation}
\end{document}
""",
    source="He et al., Mask R-CNN, 2017; Jaderberg et al., 2015, equation 5",
    shapes=("size P", "input x[P], y[P]"),
    output="f",
    F="4 5",
    y=lambda r: r.uniform(1, 4, 3),
    x=lambda r: r.uniform(1, 5, 3),
)
def bilinear_sampling(F, y, x):
    out = np.zeros(3)
    for p in range(3):
        for i in range(1, 5):
            for j in range(1, 6):
                out[p] += F[i - 1, j - 1] * max(0, 1 - abs(y[p] - i)) * max(0, 1 - abs(x[p] - j))
    return out


@formula(
    r"""
The perceptual (LPIPS) distance of two patches is
\begin{equation}
d(x, x_0) = \sum_l \frac{1}{H_l W_l} \sum_{h,w} \left\| w_l \odot \left( \hat{y}^l_{hw} - \hat{y}^l_{0hw} \right) \right\|_2^2
\end{equation}
""",
    source="Zhang et al., The unreasonable effectiveness of deep features, 2018, equation 1",
    leaves_open="layers of different sizes",
    x="3",
)
def perceptual_distance(x):
    return 0.0


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{Huber}}(\delta) = \sum_{i=1}^{n} \rho_\delta(y_i - \mathbf{x}_i^\top \boldsymbol\beta), \quad \rho_\delta(u) = \begin{cases} \frac{1}{2} u^2, & |u| \le \delta, \\ \delta \left( |u| - \frac{1}{2} \delta \right), & |u| > \delta, \end{cases}
\end{equation}
where $\boldsymbol\beta \in \mathbb{R}^p$ and $\mathbf{x}_i \in \mathbb{R}^p$.
""",
    source="Huber, Robust estimation of a location parameter, 1964, for regression",
    output="L_Huber",
    y=lambda r: normal(r, 4),
    x=lambda r: normal(r, 4, 2),
    beta="2",
    delta=lambda r: np.array(0.7),
)
def huber_regression(y, x, beta, delta):
    u = y - x @ beta
    return np.where(np.abs(u) <= delta, 0.5 * u**2, delta * (np.abs(u) - 0.5 * delta)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\DeclareMathOperator*{\argmin}{arg\,min}
\begin{document}
The elastic-net estimator solves
\begin{equation}
\hat{\beta} = \argmin_{\beta} \frac{1}{2n} \| y - X\beta \|_2^2 + \lambda \left( \alpha \|\beta\|_1 + \frac{1-\alpha}{2} \|\beta\|_2^2 \right).
\end{equation}
\end{document}
""",
    source="Zou, Hastie, Regularization and variable selection via the elastic net, 2005",
    leaves_open="a minimiser is not a formula",
    y="3",
)
def elastic_minimiser(y):
    return np.zeros(2)


@formula(
    r"""
The log marginal likelihood of a Gaussian process, with $\alpha = K_y^{-1} y$ and the Cholesky factor $L$, is
\begin{equation}
\log p(y \mid X) = -\frac{1}{2} \sum_{i=1}^{n} y_i \alpha_i - \sum_{i=1}^{n} \log L_{ii} - \frac{n}{2} \log 2\pi .
\end{equation}
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, algorithm 2.1",
    y="4",
    alpha="4",
    L="4 4",
)
def marginal_of_factors(y, alpha, L):
    return -0.5 * y @ alpha - np.log(np.diag(L)).sum() - 2 * np.log(2 * np.pi)


@formula(
    r"""
The periodic kernel is
\begin{equation}
k_{\mathrm{per}}(x_i, x_j) = \sigma^2 \exp\left( -\frac{2 \sin^2\left( \pi |x_i - x_j| / p \right)}{\ell^2} \right)
\end{equation}
""",
    source="MacKay, Introduction to Gaussian processes, 1998; as in a cookbook of kernels",
    sigma="",
    x=lambda r: normal(r, 4),
    p="",
    ell="",
)
def periodic_kernel(sigma, x, p, ell):
    d = np.abs(x[:, None] - x)
    return sigma**2 * np.exp(-2 * np.sin(np.pi * d / p) ** 2 / ell**2)


@formula(
    r"""
\begin{equation}
\hat{f}_h(x_j) = \frac{1}{n h \sqrt{2\pi}} \sum_{i=1}^{n} \exp\!\left( -\frac{(x_j - X_i)^2}{2 h^2} \right), \qquad h = 1.06\, \hat{\sigma}\, n^{-1/5}
\end{equation}
""",
    source="Silverman, Density estimation for statistics and data analysis, 1986, equations 2.2a and 3.28",
    output="f_hat_h",
    x="3",
    X="6",
    sigma_hat="",
)
def normal_reference(x, X, sigma_hat):
    h = 1.06 * sigma_hat * 6 ** (-1 / 5)
    return np.exp(-((x[:, None] - X) ** 2) / (2 * h**2)).sum(1) / (6 * h * np.sqrt(2 * np.pi))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Ornstein--Uhlenbeck likelihood of equally spaced observations is
\begin{equation}
\ell = -\frac{n}{2} \ln(2\pi) - \frac{n}{2} \ln \tilde\sigma^2 - \frac{1}{2\tilde\sigma^2} \sum_{i=1}^{n} \left( S_i - S_{i-1} e^{-\lambda \delta} - \mu \left( 1 - e^{-\lambda\delta} \right) \right)^2
\end{equation}
with $\tilde\sigma^2 = \sigma^2 \frac{1 - e^{-2\lambda\delta}}{2\lambda}$.
\end{document}
""",
    source="Smith, On the simulation and estimation of the mean-reverting Ornstein-Uhlenbeck process, 2010",
    shapes=("size n", "base 0", "input S[n + 1], delta[]"),
    S="6",
    delta="",
    sigma="",
    lam="",
    mu="",
)
def mean_reverting_likelihood(S, delta, sigma, lam, mu):
    v = sigma**2 * (1 - np.exp(-2 * lam * delta)) / (2 * lam)
    e = np.exp(-lam * delta)
    r = S[1:] - S[:-1] * e - mu * (1 - e)
    return -5 / 2 * np.log(2 * np.pi) - 5 / 2 * np.log(v) - (r**2).sum() / (2 * v)


@formula(
    r"""
The Nelson--Siegel yield at maturity $\tau_i$ is
\[
y(\tau_i) = \beta_0 + \beta_1 \frac{1 - e^{-\lambda \tau_i}}{\lambda \tau_i} + \beta_2 \left( \frac{1 - e^{-\lambda \tau_i}}{\lambda \tau_i} - e^{-\lambda \tau_i} \right)
\]
""",
    source="Diebold, Li, Forecasting the term structure of government bond yields, 2006, equation 1, at several maturities",
    output="y",
    beta_0="",
    beta_1="",
    lam="",
    tau="4",
    beta_2="",
)
def yields_at_maturities(beta_0, beta_1, lam, tau, beta_2):
    a = (1 - np.exp(-lam * tau)) / (lam * tau)
    return beta_0 + beta_1 * a + beta_2 * (a - np.exp(-lam * tau))


@formula(
    r"""
\begin{equation}
\text{CVaR}_\alpha = \frac{1}{1 - \alpha} \sum_{s=1}^{S} p_s \max(0, \ell_s - \zeta) + \zeta, \qquad \ell_s = -\sum_{j=1}^{N} r_{sj} x_j
\end{equation}
""",
    source="Rockafellar, Uryasev, Optimization of conditional value-at-risk, 2000, with scenarios",
    output="CVaR_alpha",
    alpha=lambda r: np.array(0.9),
    p="5",
    zeta="",
    r=lambda r: normal(r, 5, 3),
    x="3",
)
def conditional_risk(alpha, p, zeta, r, x):
    loss = -(r @ x)
    return (p * np.maximum(0, loss - zeta)).sum() / (1 - alpha) + zeta


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The constant-elasticity aggregate of goods and its price index are
\begin{align}
Q &= \left[ \sum_{i=1}^{n} \alpha_i^{\frac{1}{\sigma}} q_i^{\frac{\sigma-1}{\sigma}} \right]^{\frac{\sigma}{\sigma-1}}, &
P &= \left[ \sum_{i=1}^{n} \alpha_i\, p_i^{1-\sigma} \right]^{\frac{1}{1-\sigma}}.
\end{align}
\end{document}
""",
    source="Armington, A theory of demand for products, 1969; as textbooks print it",
    output="P",
    alpha="4",
    sigma=lambda r: np.array(3.0),
    q="4",
    p="4",
)
def price_index(alpha, sigma, q, p):
    return (alpha * p ** (1 - sigma)).sum() ** (1 / (1 - sigma))


@formula(
    r"""
The Gini coefficient from sorted incomes $x_1 \le x_2 \le \dots \le x_n$ is
\begin{equation}
G = \frac{2 \sum_{i=1}^{n} i\, x_i}{n \sum_{i=1}^{n} x_i} - \frac{n+1}{n}
\end{equation}
""",
    source="Damgaard, Weiner, Describing inequality in plant size or fecundity, 2000",
    x="5",
)
def sorted_gini(x):
    i = np.arange(1, 6)
    return 2 * (i * x).sum() / (5 * x.sum()) - 6 / 5


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The eikonal-type photometric error of direct odometry, with affine brightness parameters, is
\begin{equation}
E_{\mathbf{p}j} = \sum_{k=1}^{8} w_k \left\| (I_{jk} - b_j) - \frac{t_j e^{a_j}}{t_i e^{a_i}} (I_{ik} - b_i) \right\|_\gamma
\end{equation}
\end{document}
""",
    source="Engel, Koltun, Cremers, Direct sparse odometry, 2018, equation 4",
    leaves_open="Huber's norm and a point as a label",
    w="3",
)
def photometric_error(w):
    return 0.0


@formula(
    r"""
The CIE 1976 lightness and colour difference are
\begin{equation}
\Delta E^*_{ab} = \sqrt{(L^*_2 - L^*_1)^2 + (a^*_2 - a^*_1)^2 + (b^*_2 - b^*_1)^2}
\end{equation}
""",
    source="Robertson, The CIE 1976 color-difference formulae, 1977; as in an encyclopedia",
    L_star_2="",
    L_star_1="",
    a_star_2="",
    a_star_1="",
    b_star_2="",
    b_star_1="",
)
def colour_difference(L_star_2, L_star_1, a_star_2, a_star_1, b_star_2, b_star_1):
    return np.sqrt(
        (L_star_2 - L_star_1) ** 2 + (a_star_2 - a_star_1) ** 2 + (b_star_2 - b_star_1) ** 2
    )


@formula(
    r"""
\begin{equation}
\mathbf{F}_i = \sum_{j \neq i} 24 \epsilon \left[ 2 \left( \frac{\sigma}{r_{ij}} \right)^{12} - \left( \frac{\sigma}{r_{ij}} \right)^{6} \right] \frac{\mathbf{r}_{ij}}{r_{ij}^2}, \qquad \mathbf{r}_{ij} = \mathbf{r}_i - \mathbf{r}_j, \quad r_{ij} = |\mathbf{r}_{ij}|
\end{equation}
""",
    source="Rapaport, The art of molecular dynamics simulation, 2004, equation 2.2.2",
    shapes=("size N", "input r[N, 3]"),
    output="F",
    epsilon="",
    sigma="",
    r=lambda r: normal(r, 4, 3),
)
def lennard_jones_force(epsilon, sigma, r):
    F = np.zeros((4, 3))
    for i in range(4):
        for j in range(4):
            if i != j:
                v = r[i] - r[j]
                d = np.sqrt(v @ v)
                F[i] += 24 * epsilon * (2 * (sigma / d) ** 12 - (sigma / d) ** 6) * v / d**2
    return F


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The dipole moment and the point-charge Coulomb energy in a dielectric are
\begin{equation}
\boldsymbol\mu = \sum_{i=1}^{N} q_i (\mathbf{r}_i - \mathbf{r}_0), \qquad U = \frac{1}{2} \sum_{i=1}^{N} \sum_{j \ne i} \frac{q_i q_j}{\varepsilon r_{ij}}\, e^{-\kappa r_{ij}}
\end{equation}
\end{document}
""",
    source="Debye, Hueckel, Zur Theorie der Elektrolyte, 1923; as papers on coarse models print it",
    shapes=("size N", "input q[N], r[N, N]"),
    output="U",
    leaves_open="bold r is a position, r_{ij} a distance, and one line declares one of them",
    q="4",
)
def screened_energy(q):
    return 0.0


@formula(
    r"""
\begin{equation}
\hat{H}_{pq} = h_{pq} + \sum_{rs} D_{rs} \left[ (pq|rs) - \tfrac{1}{2} (ps|rq) \right], \qquad E = \tfrac{1}{2} \sum_{pq} D_{pq} (h_{pq} + \hat{H}_{pq})
\end{equation}
""",
    source="Helgaker, Jorgensen and Olsen, Molecular electronic-structure theory, 2000, section 10.6",
    output="E",
    h="3 3",
    D="3 3",
    eri="3 3 3 3",
)
def fock_energy(h, D, eri):
    F = h + np.einsum("rs,pqrs->pq", D, eri) - 0.5 * np.einsum("rs,psrq->pq", D, eri)
    return 0.5 * (D * (h + F)).sum()
