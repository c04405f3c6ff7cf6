"""Formulas of papers of many fields, the last that were collected: as they stand, with what their authors say around them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The gradient penalty aside, the hinge loss of the discriminator over a batch is
\begin{equation}
L_D = \frac{1}{N} \sum_{i=1}^{N} \left[ \max(0, 1 - D(x_i)) + \max(0, 1 + D(\tilde{x}_i)) \right]
\end{equation}
\end{document}
""",
    source="Miyato et al., Spectral normalization for generative adversarial networks, 2018, equation 16 over a batch",
    leaves_open="the discriminator is a function",
    x="3",
)
def hinge_discriminator(x):
    return 0.0


@formula(
    r"""
\begin{equation}
\text{MultiBoxLoss} = \frac{1}{N} \left( \sum_{i=1}^{N} \sum_{c=1}^{C} -x_{ic} \log \hat{c}_{ic} + \alpha \sum_{i=1}^{N} \sum_{m=1}^{4} w_i\, \mathrm{smooth}_{L1}(l_{im} - g_{im}) \right), \quad \mathrm{smooth}_{L1}(x) = \begin{cases} 0.5 x^2 & |x| < 1 \\ |x| - 0.5 & \text{otherwise} \end{cases}
\end{equation}
""",
    source="Liu et al., SSD: single shot multibox detector, 2016, equations 1 to 3, simplified",
    x="4 3",
    c_hat="4 3",
    alpha="",
    w="4",
    l=lambda r: normal(r, 4, 4),
    g=lambda r: normal(r, 4, 4),
)
def multibox(x, c_hat, alpha, w, l, g):
    d = l - g
    s = np.where(np.abs(d) < 1, 0.5 * d**2, np.abs(d) - 0.5)
    return ((-x * np.log(c_hat)).sum() + alpha * (w[:, None] * s).sum()) / 4


@formula(
    r"""
The update of Hopfield-type associative memories with patterns $\xi^\mu_i$ has the weights
\begin{equation}
w_{ij} = \frac{1}{N} \sum_{\mu=1}^{P} \xi_i^\mu \xi_j^\mu
\end{equation}
""",
    source="Hopfield, Neural networks and physical systems, 1982; as textbooks print it",
    shapes=("upper", "size N, P", "input xi[N, P]"),
    xi=lambda r: normal(r, 4, 3),
)
def pattern_weights(xi):
    return xi @ xi.T / 4


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Batch renormalization computes
\begin{align}
\mu_B &= \frac{1}{m} \sum_{i=1}^{m} x_i, & \sigma_B &= \sqrt{\epsilon + \frac{1}{m} \sum_{i=1}^{m} (x_i - \mu_B)^2}, \\
\hat{x}_i &= \frac{x_i - \mu_B}{\sigma_B} \cdot r + d, & y_i &= \gamma \hat{x}_i + \beta .
\end{align}
\end{document}
""",
    source="Ioffe, Batch renormalization, 2017, algorithm 1",
    output="y",
    x="5",
    epsilon="",
    r="",
    d="",
    gamma="",
    beta="",
)
def renormalised_batch(x, epsilon, r, d, gamma, beta):
    m = x.mean()
    s = np.sqrt(epsilon + ((x - m) ** 2).mean())
    return gamma * ((x - m) / s * r + d) + beta


@formula(
    r"""
\[
\mathrm{Attn}_{ij} = \frac{\exp\left( q_i^\top k_j / \sqrt{d} + b_{ij} \right)}{\sum_{l \le i} \exp\left( q_i^\top k_l / \sqrt{d} + b_{il} \right)}, \qquad o_i = \sum_{j \le i} \mathrm{Attn}_{ij} v_j
\]
where $q_i, k_i \in \mathbb{R}^{d}$ and $v_i \in \mathbb{R}^{m}$.
""",
    source="Vaswani et al., Attention is all you need, 2017, with a causal mask and a bias",
    output="o",
    q=lambda r: normal(r, 4, 2),
    k=lambda r: normal(r, 4, 2),
    b=lambda r: normal(r, 4, 4),
    v=lambda r: normal(r, 4, 3),
)
def biased_causal_attention(q, k, b, v):
    e = np.tril(np.exp(q @ k.T / np.sqrt(2) + b))
    return e / e.sum(1, keepdims=True) @ v


@formula(
    r"""
The Kolmogorov--Arnold-like radial layer computes
\begin{equation}
y_o = \sum_{i=1}^{n} \left[ w^b_{oi}\, \mathrm{silu}(x_i) + \sum_{g=1}^{G} w^s_{oig} \exp\left( -\left( \frac{x_i - c_g}{h} \right)^2 \right) \right]
\end{equation}
""",
    source="Liu et al., KAN: Kolmogorov-Arnold networks, 2024, equation 2.10, with radial basis functions",
    w_b="3 4",
    x="4",
    w_s="3 4 2",
    c="2",
    h="",
)
def radial_layer(w_b, x, w_s, c, h):
    silu = x / (1 + np.exp(-x))
    basis = np.exp(-(((x[:, None] - c) / h) ** 2))
    return w_b @ silu + np.einsum("oig,ig->o", w_s, basis)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\abs}[1]{\left| #1 \right|}
\begin{document}
With the scalar potential of $n$ line charges, the electric field components at the points $k$ are
\begin{align}
E^x_k &= \sum_{i=1}^{n} \frac{\lambda_i}{2\pi\varepsilon_0} \frac{x_k - a_i}{(x_k - a_i)^2 + (y_k - b_i)^2}, \\
E^y_k &= \sum_{i=1}^{n} \frac{\lambda_i}{2\pi\varepsilon_0} \frac{y_k - b_i}{(x_k - a_i)^2 + (y_k - b_i)^2}.
\end{align}
\end{document}
""",
    source="Griffiths, Introduction to electrodynamics, 2013, section 2.1, for line charges",
    output="E_y",
    lam="3",
    varepsilon_0="",
    x=lambda r: normal(r, 4),
    a=lambda r: normal(r, 3),
    y=lambda r: normal(r, 4),
    b=lambda r: normal(r, 3),
)
def line_charges(lam, varepsilon_0, x, a, y, b):
    dx, dy = x[:, None] - a, y[:, None] - b
    return (lam / (2 * np.pi * varepsilon_0) * dy / (dx**2 + dy**2)).sum(1)


@formula(
    r"""
The Rayleigh quotient and the residual of an approximate eigenpair are
\begin{equation}
\rho = \frac{v^T A v}{v^T v}, \qquad r = A v - \rho v
\end{equation}
with $A \in \mathbb{R}^{n \times n}$ and $v \in \mathbb{R}^{n}$.
""",
    source="Golub, Van Loan, Matrix computations, 2013, section 8.2",
    output="r",
    A=lambda r: normal(r, 4, 4),
    v=lambda r: normal(r, 4),
)
def eigenpair_residual(A, v):
    return A @ v - (v @ A @ v) / (v @ v) * v


@formula(
    r"""
\begin{equation}
x_i^{(k+1)} = \frac{1}{a_{ii}} \left( b_i - \sum_{j \neq i} a_{ij} x_j^{(k)} \right), \quad i = 1, 2, \ldots, n.
\end{equation}
""",
    source="Saad, Iterative methods for sparse linear systems, 2003; the Jacobi method, as in an encyclopedia",
    leaves_open="a step in time",
    a="3",
)
def jacobi_step(a):
    return np.zeros(3)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Richardson number of layers $k$, from potential temperature and wind, is
\begin{equation}
\mathrm{Ri}_k = \frac{\frac{g}{\bar\theta_k} \frac{\theta_{k+1} - \theta_k}{z_{k+1} - z_k}}{\left( \frac{u_{k+1} - u_k}{z_{k+1} - z_k} \right)^2 + \left( \frac{v_{k+1} - v_k}{z_{k+1} - z_k} \right)^2}, \qquad \bar\theta_k = \frac{\theta_k + \theta_{k+1}}{2}, \quad k = 1, \dots, K-1.
\end{equation}
\end{document}
""",
    source="Stull, An introduction to boundary layer meteorology, 1988, equation 5.6.3",
    output="Ri",
    sizes={"K": 5},
    g="",
    theta="5",
    z=lambda r: np.cumsum(r.uniform(0.5, 1.5, 5)),
    u="5",
    v="5",
)
def bulk_richardson(g, theta, z, u, v):
    dz = np.diff(z)
    m = (theta[1:] + theta[:-1]) / 2
    return g / m * np.diff(theta) / dz / ((np.diff(u) / dz) ** 2 + (np.diff(v) / dz) ** 2)


@formula(
    r"""
The net primary productivity is allocated by $A_l = \sum_m p_{lm}$, where the light absorbed by layer $l$ is
\begin{equation}
p_{lm} = I_0 \left( 1 - e^{-k\, L_l} \right) \exp\left( -k \sum_{j=1}^{l-1} L_j \right) f_m
\end{equation}
""",
    source="Monsi, Saeki, On the factor light in plant communities, 1953; in layers",
    output="p",
    I_0="",
    k="",
    L="4",
    f="2",
)
def light_of_layers(I_0, k, L, f):
    above = np.concatenate([[0], np.cumsum(L)[:-1]])
    return np.outer(I_0 * (1 - np.exp(-k * L)) * np.exp(-k * above), f)


@formula(
    r"""
\begin{equation}
\mathrm{FST} = \frac{\sum_{l=1}^{L} \left[ \hat{H}_{T,l} - \hat{H}_{S,l} \right]}{\sum_{l=1}^{L} \hat{H}_{T,l}}
\end{equation}
""",
    source="Nei, Molecular evolutionary genetics, 1987; ratio of averages over loci",
    shapes=("input H_hat_T[L], H_hat_S[L]",),
    H_hat_T="5",
    H_hat_S="5",
)
def ratio_of_averages(H_hat_T, H_hat_S):
    return (H_hat_T - H_hat_S).sum() / H_hat_T.sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The transmission probability in the household model with a final size of $j$ out of $n$ is
\begin{equation}
P_{jn} = \binom{n}{j} m_{j} B^{j} Q^{(n - j)}
\end{equation}
\end{document}
""",
    source="Longini, Koopman, Household and community transmission parameters, 1982, equation 3, simplified",
    leaves_open="an index in brackets above a number may be a label",
    m="3",
)
def household_size(m):
    return np.zeros(3)


@formula(
    r"""
The matched filter output and its signal-to-noise ratio are
\begin{equation}
\rho(k) = \frac{\sum_{n=0}^{N-1} s(n+k)\, h(n)}{\sqrt{\sum_{n=0}^{N-1} h^2(n)}}, \qquad k = 0, \ldots, K-1.
\end{equation}
""",
    source="Kay, Fundamentals of statistical signal processing: detection theory, 1998, section 4.3",
    sizes={"K": 4},
    s=lambda r: normal(r, 6),
    h=lambda r: normal(r, 3),
)
def matched_filter(s, h):
    return np.array([s[k : k + 3] @ h for k in range(4)]) / np.sqrt(h @ h)


@formula(
    r"""
\begin{align}
\hat{\mathbf{w}} &= \frac{1}{n} \sum_{i=1}^{n} y_i \mathbf{x}_i, \qquad \mathcal{R}(\mathbf{w}) = \frac{1}{n} \sum_{i=1}^{n} \log\left( 1 + \exp(-y_i \langle \mathbf{w}, \mathbf{x}_i \rangle) \right) + \frac{\lambda}{2} \| \mathbf{w} \|_2^2
\end{align}
with $\mathbf{x}_i, \mathbf{w} \in \mathbb{R}^d$.
""",
    source="Shalev-Shwartz, Ben-David, Understanding machine learning, 2014, section 13.1",
    output="R",
    y=lambda r: np.array([1.0, -1.0, 1.0, 1.0]),
    x=lambda r: normal(r, 4, 3),
    w="3",
    lam="",
)
def regularised_risk(y, x, w, lam):
    return np.log(1 + np.exp(-y * (x @ w))).mean() + lam / 2 * w @ w


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Cobb--Douglas production with human capital has the growth accounting
\begin{equation}
Y_i = A_i K_i^{\alpha} H_i^{\beta} L_i^{1 - \alpha - \beta}, \qquad \ln y_i = \ln A_i + \alpha \ln k_i + \beta \ln h_i
\end{equation}
\end{document}
""",
    source="Mankiw, Romer, Weil, A contribution to the empirics of economic growth, 1992, equation 8",
    output="Y",
    A="4",
    K="4",
    alpha=lambda r: np.array(0.3),
    H="4",
    beta=lambda r: np.array(0.3),
    L="4",
    k="4",
    h="4",
)
def human_capital(A, K, alpha, H, beta, L, k, h):
    return A * K**alpha * H**beta * L ** (1 - alpha - beta)


@formula(
    r"""
\begin{equation}
\chi^2_{\text{red}} = \frac{1}{N - p} \sum_{i=1}^{N} \left( \frac{y_i - f(x_i)}{\sigma_i} \right)^2, \qquad f(x) = a e^{-b x} + c
\end{equation}
where $p = 3$ is the number of parameters.
""",
    source="Bevington, Robinson, Data reduction and error analysis, 2003, section 4.4",
    p=lambda r: np.array(3.0),
    y="6",
    x="6",
    sigma="6",
    a="",
    b="",
    c="",
)
def reduced_misfit(p, y, x, sigma, a, b, c):
    f = a * np.exp(-b * x) + c
    return (((y - f) / sigma) ** 2).sum() / (6 - p)


@formula(
    r"""
The sea-level equation aside, the disk load potential uses Legendre polynomials
\begin{equation}
V(\psi) = \sum_{n=0}^{N} h_n P_n(\cos\psi)
\end{equation}
""",
    source="Farrell, Deformation of the Earth by surface loads, 1972, equation 37",
    leaves_open="polynomials",
    h="3",
)
def load_potential(h):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The squared exponential covariance between a function value and a derivative observation is
\begin{equation}
k'_{ij} = \frac{x_i - x_j}{\ell^2} k_{ij}, \qquad k_{ij} = \sigma_f^2 \exp\left( -\frac{(x_i - x_j)^2}{2 \ell^2} \right)
\end{equation}
\end{document}
""",
    source="Solak et al., Derivative observations in Gaussian process models, 2003, equation 3",
    output="k_prime",
    x=lambda r: normal(r, 4),
    ell="",
    sigma_f="",
)
def derivative_covariance(x, ell, sigma_f):
    d = x[:, None] - x
    return d / ell**2 * sigma_f**2 * np.exp(-(d**2) / (2 * ell**2))


@formula(
    r"""
In PCA, with the centered data $\tilde{x}_{ni} = x_{ni} - \bar{x}_i$ and $\bar{x}_i = \frac{1}{N} \sum_{n=1}^{N} x_{ni}$, the covariance is
\begin{equation}
C_{ij} = \frac{1}{N-1} \sum_{n=1}^{N} \tilde{x}_{ni} \tilde{x}_{nj} .
\end{equation}
""",
    source="Jolliffe, Principal component analysis, 2002, section 3.1",
    x=lambda r: normal(r, 5, 3),
)
def centred_covariance(x):
    return np.cov(x.T)


@formula(
    r"""
\begin{equation}
\mathcal{S}_{\text{topic}} = \frac{2}{K(K-1)} \sum_{i=2}^{K} \sum_{j=1}^{i-1} \log \frac{D(w_i, w_j) + 1}{D(w_j)}
\end{equation}
""",
    source="Mimno et al., Optimizing semantic coherence in topic models, 2011, equation 1",
    leaves_open="one letter for pairs and single words",
    D="3",
)
def topic_coherence(D):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Zernike-free Shack--Hartmann centroids of sub-aperture $s$ are
\begin{equation}
c^x_s = \frac{\sum_{i,j} x_{ij} I_{sij}}{\sum_{i,j} I_{sij}}, \qquad c^y_s = \frac{\sum_{i,j} y_{ij} I_{sij}}{\sum_{i,j} I_{sij}} .
\end{equation}
\end{document}
""",
    source="Hardy, Adaptive optics for astronomical telescopes, 1998, section 5.3",
    output="c_y",
    x="3 4",
    I="2 3 4",
    y="3 4",
)
def centroids(x, I, y):
    return (y * I).sum((1, 2)) / I.sum((1, 2))
