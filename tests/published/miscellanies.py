"""Formulas of miscellanies: recurrences as steps, kernels, meshes, spectra, auctions, tracers, sensors and rankings."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
The gated linear unit computes
\begin{equation}
h_l(\mathbf{X}) = (\mathbf{X} * \mathbf{W} + \mathbf{b}) \otimes \sigma(\mathbf{X} * \mathbf{V} + \mathbf{c})
\end{equation}
""",
    source="Dauphin et al., Language modeling with gated convolutional networks, 2017, equation 1",
    leaves_open="convolutions",
    X="3",
)
def gated_convolution(X):
    return X


@formula(
    r"""
\begin{equation}
\mathrm{GLU}(a, b)_i = a_i \cdot \frac{1}{1 + e^{-b_i}}, \qquad i=1,\dots,d
\end{equation}
""",
    source="Dauphin et al., 2017, by elements",
    a=lambda r: normal(r, 4),
    b=lambda r: normal(r, 4),
)
def gated_units(a, b):
    return a / (1 + np.exp(-b))


@formula(
    r"""
The rational quadratic kernel with ARD lengthscales is
\[
k(\mathbf{x}, \mathbf{x}') = \sigma^2 \left( 1 + \frac{1}{2\alpha} \sum_{d=1}^{D} \frac{(x_d - x'_d)^2}{\ell_d^2} \right)^{-\alpha}
\]
""",
    source="Rasmussen, Williams, 2006, equation 4.19; with relevance determination",
    sigma="",
    alpha="",
    x="3",
    x_prime="3",
    ell="3",
)
def relevance_quadratic(sigma, alpha, x, x_prime, ell):
    return sigma**2 * (1 + ((x - x_prime) ** 2 / ell**2).sum() / (2 * alpha)) ** -alpha


@formula(
    r"""
The Gram matrix of the arc-cosine kernel of order one uses $\theta_{ij} = \arccos\left( \frac{\mathbf{x}_i \cdot \mathbf{x}_j}{\|\mathbf{x}_i\| \|\mathbf{x}_j\|} \right)$:
\begin{equation}
K_{ij} = \frac{1}{\pi} \|\mathbf{x}_i\| \|\mathbf{x}_j\| \left( \sin\theta_{ij} + (\pi - \theta_{ij}) \cos\theta_{ij} \right).
\end{equation}
""",
    source="Cho, Saul, Kernel methods for deep learning, 2009",
    shapes=("input x[n, d]",),
    output="K",
    x=lambda r: normal(r, 4, 3),
)
def arc_cosine(x):
    r = np.sqrt((x**2).sum(1))
    t = np.arccos(np.clip(x @ x.T / np.outer(r, r), -1, 1))
    return np.outer(r, r) * (np.sin(t) + (np.pi - t) * np.cos(t)) / np.pi


@formula(
    r"""
With mean-free data matrix $X \in \mathbb{R}^{n \times p}$ and ridge parameter $\lambda$,
\begin{equation}
J(w) = \frac{1}{n} \| y - X w \|^2 + \lambda w^\top w, \qquad \nabla_w J = \frac{2}{n} X^\top (X w - y) + 2 \lambda w .
\end{equation}
""",
    source="Hastie, Tibshirani, Friedman, The elements of statistical learning, 2009, section 3.4",
    shapes=("input X[n, p], y[n], w[p], lambda[]",),
    output="dJ_dw",
    y=lambda r: normal(r, 5),
    X=lambda r: normal(r, 5, 3),
    w=lambda r: normal(r, 3),
    lambda_="",
)
def ridge_gradient(y, X, w, lambda_):
    return 2 / 5 * X.T @ (X @ w - y) + 2 * lambda_ * w


@formula(
    r"""
The optimal fractional cover has value
\begin{equation}
C^* = \sum_{e \in E} c_e x_e^*
\end{equation}
where $E = \{1, \dots, m\}$.
""",
    source="Vazirani, Approximation algorithms, 2001",
    c="4",
    x_star="4",
)
def cover_value(c, x_star):
    return c @ x_star


@formula(
    r"""
Let $H(\cdot)$ be the Heaviside step function. The recurrence matrix of a trajectory $x_1, \ldots, x_N$ is
\begin{equation}
R_{i,j} = H(\varepsilon - |x_i - x_j|), \quad i,j = 1,\ldots,N .
\end{equation}
""",
    source="Eckmann, Kamphorst, Ruelle, Recurrence plots of dynamical systems, 1987",
    leaves_open="the value of the step at 0",
    x="4",
    varepsilon="",
)
def recurrence_plot(x, varepsilon):
    return x


@formula(
    r"""
Graph Laplacian smoothing of features $x_i$ over the neighbourhood $\mathcal{N}(i)$ reads
\begin{equation}
x_i' = x_i + \lambda \frac{1}{|\mathcal{N}(i)|} \sum_{j \in \mathcal{N}(i)} (x_j - x_i).
\end{equation}
""",
    source="Taubin, A signal processing approach to fair surface design, 1995",
    leaves_open="the neighbours",
    x="4",
)
def laplacian_smoothing(x):
    return x


@formula(
    r"""
The momentum equation in conservative form gives
\begin{equation}
\rho \mathbf{u} = \sum_{i} f_i \mathbf{c}_i, \qquad \rho = \sum_i f_i
\end{equation}
""",
    source="Chen, Doolen, Lattice Boltzmann method for fluid flows, 1998, equation 6",
    leaves_open="the left side is a product",
    f="3",
)
def momentum_of_populations(f):
    return f


@formula(
    r"""
We evaluate the derivative of a periodic signal with the compact stencil
\begin{equation}
f'_i = \frac{-f_{i+2} + 8 f_{i+1} - 8 f_{i-1} + f_{i-2}}{12 h}, \qquad i = 3, \dots, N-2.
\end{equation}
""",
    source="Fornberg, Generation of finite difference formulas, 1988",
    f=lambda r: normal(r, 8),
    h="",
)
def fourth_derivative(f, h):
    return (-f[4:] + 8 * f[3:-1] - 8 * f[1:-3] + f[:-4]) / (12 * h)


@formula(
    r"""
\begin{equation}
P(\text{win}_{ij}) = \frac{\gamma_i}{\gamma_i + \gamma_j},\quad
\ell(\gamma) = \sum_{i=1}^{m} \sum_{j=1}^{m} w_{ij} \left[ \ln \gamma_i - \ln(\gamma_i + \gamma_j) \right]
\end{equation}
""",
    source="Hunter, MM algorithms for generalized Bradley-Terry models, 2004",
    output="ell",
    w="4 4",
    gamma="4",
)
def bradley_terry(w, gamma):
    return (w * (np.log(gamma)[:, None] - np.log(gamma[:, None] + gamma))).sum()


@formula(
    r"""
TrueSkill's additive correction with $v(t) = \phi(t)/\Phi(t)$, where $\phi$ and $\Phi$ are the density and the distribution function of the standard normal, updates
\begin{equation}
\mu_i' = \mu_i + \frac{\sigma_i^2}{c} v\left(\frac{\mu_i - \nu_i}{c}\right)
\end{equation}
""",
    source="Herbrich, Minka, Graepel, TrueSkill, 2006",
    mu="3",
    sigma="3",
    c="",
    nu="3",
)
def skill_update(mu, sigma, c, nu):
    from math import erf

    t = (mu - nu) / c
    cdf = np.array([(1 + erf(x / np.sqrt(2))) / 2 for x in t])
    return mu + sigma**2 / c * np.exp(-(t**2) / 2) / np.sqrt(2 * np.pi) / cdf


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{SupCon}} = \sum_{i=1}^{N} \frac{-1}{\sum_{j \neq i} \mathbb{1}[y_i = y_j]} \sum_{j \neq i} \mathbb{1}[y_i = y_j] \log \frac{\exp(s_{ij}/\tau)}{\sum_{k \neq i} \exp(s_{ik}/\tau)}
\end{equation}
""",
    source="Khosla et al., Supervised contrastive learning, 2020, with indicators",
    y=lambda r: np.array([0.0, 0, 1, 1]),
    s=lambda r: normal(r, 4, 4),
    tau="",
)
def supcon_with_indicators(y, s, tau):
    off = 1 - np.eye(4)
    e = np.exp(s / tau) * off
    logp = s / tau - np.log(e.sum(1, keepdims=True))
    m = (y[:, None] == y) * off
    return -((m * logp).sum(1) / m.sum(1)).sum()


@formula(
    r"""
The probability of detection by $n$ independent sensors located at $s_k \in \mathbb{R}^2$ of a target at $x \in \mathbb{R}^2$ is
\begin{equation}
P_d(x) = 1 - \prod_{k=1}^{n} \left( 1 - e^{-\beta \|x - s_k\|} \right).
\end{equation}
""",
    source="Zou, Chakrabarty, Sensor deployment and target localization, 2003",
    beta="",
    x=lambda r: normal(r, 2),
    s=lambda r: normal(r, 4, 2),
)
def detection(beta, x, s):
    return 1 - np.prod(1 - np.exp(-beta * np.sqrt(((x - s) ** 2).sum(1))))


@formula(
    r"""
For tetrahedral meshes with edge matrices $D_s \in \mathbb{R}^{3\times 3}$ and rest-shape inverse $B \in \mathbb{R}^{3 \times 3}$, the deformation gradient and Green strain are
\begin{align}
F &= D_s B, \\
E &= \tfrac12 \left( F^\top F - I \right), \\
\Psi &= \mu \|E\|_F^2 + \tfrac{\lambda}{2} \operatorname{tr}(E)^2 .
\end{align}
""",
    source="Sifakis, Barbic, FEM simulation of 3D deformable solids, 2012",
    output="Psi",
    D_s=lambda r: normal(r, 3, 3),
    B=lambda r: normal(r, 3, 3),
    mu="",
    lambda_="",
)
def stvk_energy(D_s, B, mu, lambda_):
    F = D_s @ B
    E = (F.T @ F - np.eye(3)) / 2
    return mu * (E**2).sum() + lambda_ / 2 * np.trace(E) ** 2


@formula(
    r"""
Graph smoothness is measured by $x^\top L x$ with $L = D - W$, $D = \operatorname{diag}(d)$ and $d_i = \sum_{j} W_{ij}$:
\begin{equation}
S = x^\top L x
\end{equation}
""",
    source="Shuman et al., The emerging field of signal processing on graphs, 2013",
    shapes=("input x[N], W[N, N]",),
    x=lambda r: normal(r, 4),
    W="4 4",
)
def graph_smoothness(x, W):
    return x @ (np.diag(W.sum(1)) - W) @ x


@formula(
    r"""
A moving-least-squares weight matrix $\mathbf{W} = \mathrm{diag}(w_1, \dots, w_n)$ yields the moment matrix
\begin{equation}
\mathbf{M} = \mathbf{P}^{\mathsf T} \mathbf{W} \mathbf{P}.
\end{equation}
""",
    source="Lancaster, Salkauskas, Surfaces generated by moving least squares methods, 1981",
    shapes=("input P[n, m], w[n]",),
    P=lambda r: normal(r, 4, 2),
    w="4",
)
def moment_matrix(P, w):
    return P.T @ np.diag(w) @ P


@formula(
    r"""
The normalised cut objective of an assignment matrix $Y \in \mathbb{R}^{n\times k}$, with $D$ the degree matrix, $D_{ii} = \sum_{j=1}^{n} A_{ij}$, is
\begin{equation}
\mathrm{Ncut}(Y) = \sum_{c=1}^{k} \frac{y_c^\top (D - A) y_c}{y_c^\top D y_c}
\end{equation}
""",
    source="Shi, Malik, Normalized cuts and image segmentation, 2000",
    shapes=("input A[n, n], y[k, n]",),
    y=lambda r: uniform(r, 2, 4),
    A="4 4",
)
def normalised_cut(y, A):
    D = np.diag(A.sum(1))
    return sum(v @ (D - A) @ v / (v @ D @ v) for v in y)


@formula(
    r"""
The personalised PageRank iteration is
\begin{equation}
r^{(k+1)} = (1-\alpha) A^\top D^{-1} r^{(k)} + \alpha p, \qquad D_{ii} = \sum_j A_{ij}.
\end{equation}
""",
    source="Page et al., 1999; as papers on graph embeddings print it",
    leaves_open="step of an iteration",
    r="3",
)
def personalised_rank(r):
    return r


@formula(
    r"""
APPNP propagates predictions $H \in \mathbb{R}^{n \times c}$ by
\begin{equation}
Z^{(k+1)} = (1-\alpha) \hat{A} Z^{(k)} + \alpha H, \quad \hat{A} = \tilde{D}^{-1/2} \tilde{A} \tilde{D}^{-1/2}, \quad \tilde{A} = A + I
\end{equation}
with $\tilde D_{ii} = \sum_j \tilde A_{ij}$.
""",
    source="Klicpera, Bojchevski, Guennemann, Predict then propagate, 2019",
    leaves_open="step of an iteration",
    H="3 2",
)
def appnp(H):
    return H


@formula(
    r"""
The received power at sensor $k$ from $M$ antennas with phases $\varphi_m$ and gains $g_{km}$ is
\begin{equation}
P_k = \Bigl( \sum_{m=1}^{M} g_{km} \cos \varphi_m \Bigr)^2 + \Bigl( \sum_{m=1}^{M} g_{km} \sin \varphi_m \Bigr)^2 .
\end{equation}
""",
    source="Balanis, Antenna theory, 2005; power of phased elements",
    g="3 4",
    varphi=lambda r: normal(r, 4),
)
def phased_power(g, varphi):
    return (g @ np.cos(varphi)) ** 2 + (g @ np.sin(varphi)) ** 2


@formula(
    r"""
The isotope pattern is approximated through convolution,
\begin{equation}
p_n = \sum_{k=0}^{n} a_k\, b_{n-k}, \qquad n = 0, 1, \ldots, N-1 .
\end{equation}
""",
    source="Rockwood, Van Orden, Smith, Rapid calculation of isotope distributions, 1995",
    a="4",
    b="4",
)
def isotope_pattern(a, b):
    return np.convolve(a, b)[:4]


@formula(
    r"""
The first-price auction with quasi-linear utilities yields the social welfare
\begin{equation}
W = \sum_{i=1}^{n}\sum_{j=1}^{m} v_{ij} x_{ij} - \sum_{j=1}^{m} r_j \Bigl(\sum_{i=1}^{n} x_{ij}\Bigr), \qquad \text{s.t. } \sum_{i=1}^n x_{ij} \le 1 .
\end{equation}
""",
    source="Nisan et al., Algorithmic game theory, 2007",
    v="3 2",
    x="3 2",
    r="2",
)
def welfare(v, x, r):
    return (v * x).sum() - (r * x.sum(0)).sum()


@formula(
    r"""
Transit-time tracer concentrations are modelled by the exponential model,
\begin{equation}
C_{\mathrm{out}}[n] = \sum_{m=0}^{n} C_{\mathrm{in}}[n-m] \frac{\Delta t}{T} \exp\left( - \frac{m \Delta t}{T} \right), \quad n = 0, \dots, N-1
\end{equation}
""",
    source="Maloszewski, Zuber, Determining the turnover time of groundwater systems, 1982, discretised",
    shapes=("input C_in[N], Delta_t[], T[]",),
    C_in="5",
    Delta_t=lambda r: 0.5,
    T=lambda r: 2.0,
)
def tracer_output(C_in, Delta_t, T):
    return np.array(
        [
            sum(C_in[n - m] * Delta_t / T * np.exp(-m * Delta_t / T) for m in range(n + 1))
            for n in range(5)
        ]
    )


@formula(
    r"""
The discrete Hartley transform $H_k$ of a real sequence is given by
\begin{equation}
H_k = \sum_{n=0}^{N-1} x_n \left[ \cos\frac{2\pi nk}{N} + \sin\frac{2\pi nk}{N} \right] \qquad (k = 0, \ldots, N-1)
\end{equation}
""",
    source="Bracewell, Discrete Hartley transform, 1983",
    x=lambda r: normal(r, 5),
)
def hartley_printed_again(x):
    n = np.arange(5)
    a = 2 * np.pi * np.outer(n, n) / 5
    return (np.cos(a) + np.sin(a)) @ x


@formula(
    r"""
Let $a \odot b$ denote the elementwise product. The minGRU step is
\begin{align}
\mathbf{z}_t &= \sigma(W_z \mathbf{x}_t), \\
\tilde{\mathbf{h}}_t &= W_h \mathbf{x}_t, \\
\mathbf{h}_t &= (1 - \mathbf{z}_t) \odot \mathbf{h}_{t-1} + \mathbf{z}_t \odot \tilde{\mathbf{h}}_t,
\end{align}
where $\sigma$ is the logistic sigmoid.
""",
    source="Feng et al., Were RNNs all we needed?, 2024",
    shapes=("input W_z[d, p], x_t[p], W_h[d, p], h_prev[d]",),
    output="h_t",
    W_z=lambda r: normal(r, 3, 2),
    x_t=lambda r: normal(r, 2),
    W_h=lambda r: normal(r, 3, 2),
    h_prev=lambda r: normal(r, 3),
)
def minimal_gru(W_z, x_t, W_h, h_prev):
    z = 1 / (1 + np.exp(-W_z @ x_t))
    return (1 - z) * h_prev + z * (W_h @ x_t)


@formula(
    r"""
Bond-valence sums of cation $i$ with anions $j=1,\dots,n$ at distances $R_{ij}$ are
\begin{equation}
V_i = \sum_{j=1}^{n} \exp \left( \frac{R_{0} - R_{ij}}{B} \right), \qquad \mathrm{GII} = \sqrt{ \frac{1}{N} \sum_{i=1}^{N} (V_i - v_i)^2 },
\end{equation}
where $B = 0.37$ \AA\ and $v_i$ is the formal valence.
""",
    source="Brown, Altermatt, Bond-valence parameters, 1985",
    shapes=("input R_0[], R[N, n], B[], v[N]",),
    output="GII",
    R_0="",
    R="3 4",
    B="",
    v="3",
)
def instability_index(R_0, R, B, v):
    V = np.exp((R_0 - R) / B).sum(1)
    return np.sqrt(np.mean((V - v) ** 2))


@formula(
    r"""
\begin{equation}
\label{eq:mrr}
\mathrm{MRR} = \frac{1}{\lvert Q \rvert}\sum_{i=1}^{\lvert Q \rvert} \frac{1}{\mathrm{rank}_i}
\end{equation}
""",
    source="Voorhees, The TREC-8 question answering track report, 1999",
    rank="4",
)
def reciprocal_rank(rank):
    return np.mean(1 / rank)


@formula(
    r"""
The pinball loss at level $q \in (0,1)$ averaged over horizon $H$ and series $N$ reads
\[
\mathrm{QL}(q) = \frac{1}{N H} \sum_{i=1}^{N} \sum_{h=1}^{H} \max\left\{ q (y_{i,h} - \hat{y}_{i,h}),\; (q - 1)(y_{i,h} - \hat{y}_{i,h}) \right\}.
\]
""",
    source="Koenker, Bassett, Regression quantiles, 1978; as in the M5 competition",
    output="QL",
    q=lambda r: 0.3,
    y="3 4",
    y_hat="3 4",
)
def pinball(q, y, y_hat):
    d = y - y_hat
    return np.mean(np.maximum(q * d, (q - 1) * d))


@formula(
    r"""
The Yukawa one-component plasma of charges $Z_i e$ in Gaussian units has
$$ U = \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} \frac{Z_i Z_j e^2}{r_{ij}} e^{-\kappa r_{ij}} , $$
with $e$ the elementary charge.
""",
    source="Hamaguchi, Farouki, Dubin, Triple point of Yukawa systems, 1997",
    leaves_open="two letters e",
    Z="3",
)
def yukawa_plasma(Z):
    return Z


@formula(
    r"""
The Frobenius-norm alignment of kernels $K, L \in \mathbb{R}^{n\times n}$ is
\begin{equation}
A(K, L) = \frac{\langle K, L \rangle_F}{\sqrt{\langle K, K\rangle_F \langle L, L \rangle_F}}, \qquad \langle K, L \rangle_F = \sum_{i,j=1}^n K_{ij} L_{ij}.
\end{equation}
""",
    source="Cristianini et al., On kernel-target alignment, 2001, definition 1",
    K="3 3",
    L="3 3",
)
def kernel_alignment(K, L):
    return (K * L).sum() / np.sqrt((K * K).sum() * (L * L).sum())


@formula(
    r"""
Nonlinear spectral unmixing with the bilinear Fan model, pixels $y_p$ and endmembers $m_k \in \mathbb{R}^B$:
\begin{equation}
\hat{y}_p = \sum_{k=1}^{R} a_{pk} m_k + \sum_{k=1}^{R-1} \sum_{l=k+1}^{R} a_{pk} a_{pl}\, m_k \odot m_l .
\end{equation}
""",
    source="Fan et al., Comparative study between a new nonlinear model and common linear model, 2009",
    output="y_hat",
    a="4 3",
    m=lambda r: normal(r, 3, 5),
)
def fan_model(a, m):
    y = a @ m
    for k in range(3):
        for l in range(k + 1, 3):
            y = y + np.outer(a[:, k] * a[:, l], m[k] * m[l])
    return y
