"""Formulas that are read as they stand, from scraps of papers on sound, shape, search, soil, light and decisions."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The hierarchical softmax gate combines experts $e$ with top weights,
\begin{equation}
y_t = \sum_{e=1}^{E} g_{te}\, \mathrm{ReLU}\Bigl( \sum_{d=1}^{D} W_{ed} x_{td} \Bigr), \quad g_{te} = \frac{\exp(\sum_d G_{ed} x_{td})}{\sum_{e'} \exp(\sum_d G_{e'd} x_{td})}
\end{equation}
""",
    source="Shazeer et al., Outrageously large neural networks, 2017; small dense experts",
    output="y",
    shapes=("input W[E, D], x[T, D], G[E, D]",),
    W=lambda r: normal(r, 3, 2),
    x=lambda r: normal(r, 4, 2),
    G=lambda r: normal(r, 3, 2),
)
def dense_experts(W, x, G):
    e = np.exp(x @ G.T)
    return (e / e.sum(1, keepdims=True) * np.maximum(0, x @ W.T)).sum(1)


@formula(
    r"""
\begin{equation}
d_{\mathrm{SW}}(X, Y) = \left( \frac{1}{L} \sum_{l=1}^{L} \frac{1}{n} \sum_{i=1}^{n} \left| \langle \theta_l, x_i \rangle - \langle \theta_l, y_i \rangle \right|^2 \right)^{1/2}
\end{equation}
where $\theta_l, x_i, y_i \in \mathbb{R}^d$ and samples are sorted along each projection.
""",
    source="Bonneel et al., Sliced and Radon Wasserstein barycenters, 2015; samples in order",
    theta=lambda r: normal(r, 3, 2),
    x=lambda r: normal(r, 4, 2),
    y=lambda r: normal(r, 4, 2),
)
def sliced_distance(theta, x, y):
    return np.sqrt(((theta @ (x - y).T) ** 2).mean())


@formula(
    r"""
Let $s_{ij}$ be relevance of document $j$ for query $i$. ListMLE minimises
\[
\mathcal{L} = - \frac{1}{m} \sum_{i=1}^{m} \sum_{k=1}^{n} \left[ s_{ik} - \ln \sum_{j=k}^{n} e^{s_{ij}} \right] .
\]
""",
    source="Xia et al., Listwise approach to learning to rank, 2008; documents in order",
    s=lambda r: normal(r, 3, 4),
)
def list_mle(s):
    out = 0.0
    for row in s:
        for k in range(4):
            out -= row[k] - np.log(np.exp(row[k:]).sum())
    return out / 3


@formula(
    r"""
Richards' conductivity on layer interfaces is the geometric mean, giving the flux
\begin{equation}
q_{k+\frac12} = -\sqrt{K_k K_{k+1}} \left( \frac{\psi_{k+1} - \psi_k}{\Delta z} + 1 \right), \qquad k = 1, \dots, n-1,
\end{equation}
with $K_k = K_s e^{\alpha \psi_k}$.
""",
    source="Haverkamp et al., A comparison of numerical simulation models for one-dimensional infiltration, 1977",
    psi=lambda r: normal(r, 5),
    Delta_z="",
    K_s="",
    alpha="",
    shapes=("input psi[n], Delta_z[], K_s[], alpha[]",),
    output="q_half",
)
def unsaturated_flux(psi, Delta_z, K_s, alpha):
    K = K_s * np.exp(alpha * psi)
    return -np.sqrt(K[:-1] * K[1:]) * ((psi[1:] - psi[:-1]) / Delta_z + 1)


@formula(
    r"""
The spherical-harmonic-like radiance of $n$ directional lights $\omega_i \in \mathbb{R}^3$ on a surface with normal $\mathbf{n} \in \mathbb{R}^3$ is
\begin{equation}
L_o = \sum_{i} \frac{\rho}{\pi} E_i \max(0, \mathbf{n} \cdot \omega_i).
\end{equation}
""",
    source="Pharr, Jakob, Humphreys, Physically based rendering, 2016",
    rho="",
    E="4",
    n=lambda r: normal(r, 3),
    omega=lambda r: normal(r, 4, 3),
)
def lambertian(rho, E, n, omega):
    return (rho / np.pi * E * np.maximum(0, omega @ n)).sum()


@formula(
    r"""
TOPSIS ranks alternatives by closeness
\begin{equation}
C_i = \frac{d_i^-}{d_i^+ + d_i^-},\qquad d_i^{\pm} = \sqrt{ \sum_{j=1}^{n} w_j (v_{ij} - a_j^{\pm})^2 }.
\end{equation}
""",
    source="Hwang, Yoon, Multiple attribute decision making, 1981",
    leaves_open="two definitions in one",
    w="3",
)
def closeness(w):
    return w


@formula(
    r"""
\begin{equation}
\text{MSD}(\tau_k) = \frac{1}{N}\sum_{i=1}^{N} \frac{1}{T-k} \sum_{t=1}^{T-k} \left\| \mathbf{r}_i(t+k) - \mathbf{r}_i(t) \right\|^2, \quad k = 0, \dots, T-1
\end{equation}
""",
    source="Frenkel, Smit, Understanding molecular simulation, 2002, section 4.4",
    shapes=("input r[N, T, 3]",),
    output="MSD",
    r=lambda r: normal(r, 2, 4, 3),
)
def mean_squared_displacement(r):
    return np.array([((r[:, k:] - r[:, : 4 - k]) ** 2).sum(2).mean() for k in range(4)])


@formula(
    r"""
The adaptive instance weights of a soft $k$-medoids algorithm are
\begin{equation}
u_{ic} = \left[ \sum_{c'=1}^{C} \left( \frac{D_{ic}}{D_{ic'}} \right)^{\frac{1}{m-1}} \right]^{-1} .
\end{equation}
""",
    source="Krishnapuram, Joshi, Yi, A fuzzy relative of the k-medoids algorithm, 1999",
    D="4 3",
    m=lambda r: 2.5,
)
def fuzzy_medoids(D, m):
    return 1 / ((D[:, :, None] / D[:, None]) ** (1 / (m - 1))).sum(2)


@formula(
    r"""
The effective number of parties and the Gallagher disproportionality of vote shares $v_i$ and seat shares $s_i$ are
\begin{align}
N_{\mathrm{eff}} &= \frac{1}{\sum_{i=1}^{n} v_i^2}, &
\mathrm{LSq} &= \sqrt{\frac{1}{2} \sum_{i=1}^{n} (v_i - s_i)^2}.
\end{align}
""",
    source="Gallagher, Proportionality, disproportionality and electoral systems, 1991",
    output="LSq",
    v="4",
    s="4",
)
def disproportionality(v, s):
    return np.sqrt(((v - s) ** 2).sum() / 2)


@formula(
    r"""
\begin{equation}
\tau_{\text{eff},i} = \sum_{m=1}^{i} \kappa_m \rho_m \,\delta z_m , \qquad F_i = \pi B_i e^{-\tau_{\text{eff},i}}
\end{equation}
""",
    source="Liou, An introduction to atmospheric radiation, 2002",
    shapes=("input kappa[n], rho[n], delta_z[n], B[n]",),
    output="F",
    kappa="4",
    rho="4",
    delta_z="4",
    B="4",
)
def emission_of_layers(kappa, rho, delta_z, B):
    return np.pi * B * np.exp(-np.cumsum(kappa * rho * delta_z))


@formula(
    r"""
We summarise the tree with the Colless index normalised by its maximum over $n$ leaves, for internal nodes with $l_i$ and $r_i$ descendants,
\begin{equation}
I_c = \frac{2 \sum_{i=1}^{n-1} |l_i - r_i|}{(n-1)(n-2)} .
\end{equation}
""",
    source="Colless, Review of phylogenetics, 1982",
    l="4",
    r="4",
    shapes=("input l[n-1], r[n-1]",),
)
def colless(l, r):
    n = 5
    return 2 * abs(l - r).sum() / ((n - 1) * (n - 2))


@formula(
    r"""
Mel-spectral convergence between $S, \hat{S} \in \mathbb{R}^{F \times T}$:
\begin{equation}
\mathcal{L}_{sc} = \frac{\| S - \hat S \|_F}{\| S \|_F}, \qquad \mathcal{L}_{mag} = \frac{1}{FT} \| \log S - \log \hat S \|_1 .
\end{equation}
""",
    source="Yamamoto, Song, Kim, Parallel WaveGAN, 2020, equations 5 and 6",
    leaves_open="the norm of one of a matrix",
    S="3 4",
)
def spectral_convergence(S):
    return S


@formula(
    r"""
The Nystr\"om interpolation at new points with $W = \operatorname{diag}(w)$ is
\begin{equation}
u_i = f_i + \lambda \sum_{j=1}^{n} w_j K(t_i, s_j)\, v_j, \qquad K(t, s) = e^{-|t - s|} .
\end{equation}
""",
    source="Atkinson, The numerical solution of integral equations of the second kind, 1997",
    output="u",
    f="3",
    lambda_="",
    w="4",
    t="3",
    s="4",
    v="4",
)
def nystroem_points(f, lambda_, w, t, s, v):
    return f + lambda_ * np.exp(-abs(t[:, None] - s)) @ (w * v)


@formula(
    r"""
Discounted dwell times of state $s$ under policy $\pi$ satisfy $d = (1-\gamma)\mu + \gamma P^\top d$; its residual is
\begin{equation}
r_{s'} = d_{s'} - (1 - \gamma) \mu_{s'} - \gamma \sum_{s=1}^{S} P_{ss'} d_s .
\end{equation}
""",
    source="Puterman, Markov decision processes, 1994, section 6.9",
    d="3",
    gamma=lambda r: 0.9,
    mu="3",
    P="3 3",
)
def occupancy_residual(d, gamma, mu, P):
    return d - (1 - gamma) * mu - gamma * P.T @ d
