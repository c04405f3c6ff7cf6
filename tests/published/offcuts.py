"""Formulas that are read as they stand, from offcuts of papers on vision, speech, matter, trade and control."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The probability that a random walker at node $i$ moves to node $j$ is biased by degrees,
\begin{equation}
T_{ij} = \frac{A_{ij} k_j^{\alpha}}{\sum_{l} A_{il} k_l^{\alpha}}, \quad\text{where } k_i = \sum_{j} A_{ij}.
\end{equation}
""",
    source="Gomez-Gardenes, Latora, Entropy rate of diffusion processes on complex networks, 2008",
    output="T",
    shapes=("input A[N, N], alpha[]",),
    A="4 4",
    alpha=lambda r: 0.7,
)
def biased_walk(A, alpha):
    k = A.sum(1)
    W = A * k**alpha
    return W / W.sum(1, keepdims=True)


@formula(
    r"""
For an $M$-ary constellation, $\{s_m\}_{m=1}^{M}$, the log-likelihood ratio of bit $b$ under the max-log approximation is
\begin{equation}
\Lambda_b = \min_{m} \frac{(y - s_m)^2 + \kappa\, B_{mb}}{\sigma^2} - \min_m \frac{(y - s_m)^2 + \kappa (1 - B_{mb})}{\sigma^2}.
\end{equation}
""",
    source="Tuechler, Singer, Koetter, Minimum mean squared error equalization using a priori information, 2002; with penalties",
    y=lambda r: 0.3,
    s=lambda r: normal(r, 4),
    kappa=lambda r: 100.0,
    B=lambda r: np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]),
    sigma="",
)
def max_log_ratio(y, s, kappa, B, sigma):
    d = ((y - s) ** 2)[:, None]
    return ((d + kappa * B) / sigma**2).min(0) - ((d + kappa * (1 - B)) / sigma**2).min(0)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{perc}} = \sum_{l=1}^{L} \frac{w_l}{H W} \sum_{h,w} \left\| \phi^l_{hw} - \hat\phi^l_{hw} \right\|_2^2
\end{equation}
""",
    source="Zhang et al., The unreasonable effectiveness of deep features as a perceptual metric, 2018",
    leaves_open="w is a number and an index",
    w="3",
)
def perceptual_layers(w):
    return w


@formula(
    r"""
We also regularise the Jacobian by the average of squared singular values,
\[
R = \frac{1}{D} \sum_{i=1}^{D} \sum_{j=1}^{D} \left( \sum_{h=1}^{H} V_{ih} \left( 1 - \tanh^2 a_h \right) U_{hj} \right)^2, \qquad a_h = \sum_{j=1}^{D} U_{hj} x_j + b_h .
\]
""",
    source="Rifai et al., Contractive auto-encoders, 2011, for a network with one layer",
    output="R",
    shapes=("input V[D, H], U[H, D], x[D], b[H]",),
    V=lambda r: normal(r, 3, 4),
    U=lambda r: normal(r, 4, 3),
    x=lambda r: normal(r, 3),
    b=lambda r: normal(r, 4),
)
def contractive(V, U, x, b):
    a = U @ x + b
    J = V @ ((1 - np.tanh(a) ** 2)[:, None] * U)
    return (J**2).sum() / 3


@formula(
    r"""
Gaussian overlap volume of two molecules with $N_A$ and $N_B$ atoms at $\mathbf{R}_i, \mathbf{Q}_j \in \mathbb{R}^3$:
\begin{equation}
O_{AB} = \sum_{i=1}^{N_A} \sum_{j=1}^{N_B} p_i p_j' \left( \frac{\pi}{\alpha_i + \beta_j} \right)^{3/2} \exp\left( - \frac{\alpha_i \beta_j}{\alpha_i + \beta_j} \| \mathbf{R}_i - \mathbf{Q}_j \|^2 \right)
\end{equation}
""",
    source="Grant, Gallardo, Pickup, A fast method of molecular shape comparison, 1996",
    p="3",
    p_prime="4",
    alpha="3",
    beta="4",
    R=lambda r: normal(r, 3, 3),
    Q=lambda r: normal(r, 4, 3),
)
def shape_overlap(p, p_prime, alpha, beta, R, Q):
    s = alpha[:, None] + beta
    d = ((R[:, None] - Q) ** 2).sum(2)
    v = (np.pi / s) ** 1.5 * np.exp(-np.outer(alpha, beta) / s * d)
    return p @ v @ p_prime


@formula(
    r"""
The gravity model with multilateral resistance reads
\begin{equation}
X_{ij} = \frac{Y_i Y_j}{Y} \left( \frac{t_{ij}}{\Pi_i P_j} \right)^{1-\sigma}
\end{equation}
where $Y = \sum_{i=1}^{n} Y_i$ is world output.
""",
    source="Anderson, van Wincoop, Gravity with gravitas, 2003, equation 9",
    Y="3",
    t="3 3",
    Pi="3",
    P="3",
    sigma="",
)
def gravity_with_resistance(Y, t, Pi, P, sigma):
    return np.outer(Y, Y) / Y.sum() * (t / np.outer(Pi, P)) ** (1 - sigma)


@formula(
    r"""
The anisotropic displacement parameters enter the Debye--Waller factor of reflection $\mathbf{h} \in \mathbb{R}^3$ and atom $a$,
\begin{equation}
T_a = \exp\left( -2\pi^2 \sum_{i=1}^{3}\sum_{j=1}^{3} h_i U^a_{ij} h_j \right)
\end{equation}
""",
    source="Trueblood et al., Atomic displacement parameter nomenclature, 1996",
    shapes=("input h[3], U[A, 3, 3]",),
    leaves_open="an index above",
    h="3",
)
def displacement_factor(h):
    return h


@formula(
    r"""
We compute histograms by soft binning with triangular kernels,
\begin{equation}
h_b = \frac{1}{N} \sum_{n=1}^{N} \max\left\{0,\, 1 - \frac{|x_n - \mu_b|}{w}\right\}, \qquad b \in \{1, \dots, B\}.
\end{equation}
""",
    source="Ustinova, Lempitsky, Learning deep embeddings with histogram loss, 2016, equation 2",
    x="6",
    mu="4",
    w=lambda r: 0.6,
)
def soft_histogram(x, mu, w):
    return np.maximum(0, 1 - abs(x - mu[:, None]) / w).mean(1)


@formula(
    r"""
The control barrier condition uses the soft minimum of $m$ barriers $h_j$ at $n$ agents,
\begin{align}
H_i &= -\frac{1}{\kappa} \ln \sum_{j=1}^{m} \exp(-\kappa h_{ij}), \qquad i = 1, \ldots, n, \nonumber \\
\lambda_{ij} &= \frac{\exp(-\kappa h_{ij})}{\sum_{l=1}^{m} \exp(-\kappa h_{il})}.
\end{align}
""",
    source="Lindemann, Dimarogonas, Control barrier functions for signal temporal logic tasks, 2019",
    output="H",
    kappa="",
    h="3 4",
)
def soft_barrier(kappa, h):
    return -np.log(np.exp(-kappa * h).sum(1)) / kappa


@formula(
    r"""
The Wasserstein distance between Gaussians with diagonal covariances reads
\begin{equation}
W_2^2 = \sum_{d=1}^{D} (m_{1,d} - m_{2,d})^2 + \sum_{d=1}^{D} (s_{1,d} - s_{2,d})^2 .
\end{equation}
""",
    source="Peyre, Cuturi, Computational optimal transport, 2019, remark 2.31",
    m=lambda r: normal(r, 2, 3),
    s="2 3",
)
def diagonal_transport(m, s):
    return ((m[0] - m[1]) ** 2).sum() + ((s[0] - s[1]) ** 2).sum()


@formula(
    r"""
\begin{equation}
\Delta w_{ij} = \eta \left( \langle v_i h_j \rangle_{\text{data}} - \langle v_i h_j \rangle_{\text{model}} \right)
\end{equation}
""",
    source="Hinton, Training products of experts by minimizing contrastive divergence, 2002",
    leaves_open="averages over distributions",
    v="3",
)
def contrastive_divergence(v):
    return v


@formula(
    r"""
The fractional anisotropy of the diffusion tensor with eigenvalues $\lambda_1, \lambda_2, \lambda_3$ is
\begin{equation}
\mathrm{FA} = \sqrt{\frac{3}{2}} \, \frac{\sqrt{\sum_{k=1}^{3} (\lambda_k - \bar{\lambda})^2}}{\sqrt{\sum_{k=1}^{3} \lambda_k^2}}, \qquad \bar{\lambda} = \frac{\lambda_1 + \lambda_2 + \lambda_3}{3}.
\end{equation}
""",
    source="Basser, Pierpaoli, Microstructural and physiological features of tissues, 1996",
    output="FA",
    lambda_="3",
)
def fractional_anisotropy(lambda_):
    m = lambda_.mean()
    return np.sqrt(1.5 * ((lambda_ - m) ** 2).sum() / (lambda_**2).sum())


@formula(
    r"""
In TPE-like acquisition, the kernel densities over $n$ good points with bandwidth $b$ give
\[
\ell(x) = \frac{1}{n b \sqrt{2\pi}} \sum_{i=1}^{n} e^{-\frac{(x - x_i)^2}{2 b^2}} .
\]
""",
    source="Bergstra et al., Algorithms for hyper-parameter optimization, 2011",
    x=lambda r: 0.4,
    b="",
    x_i=lambda r: normal(r, 4),
)
def good_density(x, b, x_i):
    return np.exp(-((x - x_i) ** 2) / (2 * b**2)).sum() / (4 * b * np.sqrt(2 * np.pi))


@formula(
    r"""
The drift-diffusion current by Scharfetter and Gummel between nodes $j$ and $j+1$, with $B(x) = \frac{x}{e^x - 1}$, is
\begin{equation}
J_j = \frac{D}{h} \left[ n_{j+1} B(\psi_{j+1} - \psi_j) - n_j B(\psi_j - \psi_{j+1}) \right], \quad j = 1, \dots, N-1.
\end{equation}
""",
    source="Scharfetter, Gummel, Large-signal analysis of a silicon Read diode oscillator, 1969",
    D="",
    h="",
    n="5",
    psi=lambda r: normal(r, 5),
)
def scharfetter_gummel(D, h, n, psi):
    B = lambda x: x / (np.exp(x) - 1)
    d = psi[1:] - psi[:-1]
    return D / h * (n[1:] * B(d) - n[:-1] * B(-d))


@formula(
    r"""
The linear trend filter's penalty of second differences is
$$ P(\beta) = \lambda \sum_{t=2}^{n-1} \left| \beta_{t-1} - 2 \beta_t + \beta_{t+1} \right|. $$
""",
    source="Kim et al., l1 trend filtering, 2009",
    lambda_="",
    beta=lambda r: normal(r, 6),
)
def trend_penalty(lambda_, beta):
    return lambda_ * abs(beta[:-2] - 2 * beta[1:-1] + beta[2:]).sum()


@formula(
    r"""
The information bottleneck's conditional entropy in nats over a joint table $p_{xt}$ is
\begin{equation}
H(T \mid X) = - \sum_{x=1}^{n}\sum_{t=1}^{m} p_{xt} \ln \frac{p_{xt}}{p_x}, \qquad p_x = \sum_{t=1}^{m} p_{xt}.
\end{equation}
""",
    source="Tishby, Pereira, Bialek, The information bottleneck method, 1999",
    output="H",
    p="3 4",
)
def conditional_table_entropy(p):
    return -(p * np.log(p / p.sum(1, keepdims=True))).sum()


@formula(
    r"""
Let $w_{ij} \ge 0$ be similarities. Label propagation minimises the energy
\begin{equation}
E(F) = \frac{1}{2} \sum_{i,j=1}^{n} w_{ij} \left\| \frac{f_i}{\sqrt{d_i}} - \frac{f_j}{\sqrt{d_j}} \right\|^2 + \mu \sum_{i=1}^{n} \| f_i - y_i \|^2,
\end{equation}
where $d_i = \sum_{j=1}^n w_{ij}$ and $f_i, y_i \in \mathbb{R}^c$.
""",
    source="Zhou et al., Learning with local and global consistency, 2004, equation 4",
    output="E",
    w="4 4",
    f=lambda r: normal(r, 4, 2),
    mu="",
    y=lambda r: normal(r, 4, 2),
)
def consistency_energy(w, f, mu, y):
    g = f / np.sqrt(w.sum(1))[:, None]
    d = ((g[:, None] - g) ** 2).sum(2)
    return (w * d).sum() / 2 + mu * ((f - y) ** 2).sum()


@formula(
    r"""
\begin{equation}
\mathrm{CIDEr}(c) = \frac{1}{m} \sum_{j=1}^{m} \frac{\mathbf{g}(c) \cdot \mathbf{g}(s_j)}{\|\mathbf{g}(c)\| \|\mathbf{g}(s_j)\|}
\end{equation}
""",
    source="Vedantam, Zitnick, Parikh, CIDEr, 2015, equation 2",
    leaves_open="the vectors of counts",
    g="3",
)
def consensus_score(g):
    return g


@formula(
    r"""
Rayleigh damping of the modal equations reads
\begin{equation}
\zeta_r = \frac{\alpha}{2 \omega_r} + \frac{\beta \omega_r}{2}, \quad u_d = \sum_{r=1}^{R} \phi_{dr} \frac{F_r}{\sqrt{(\omega_r^2 - \Omega^2)^2 + (2 \zeta_r \omega_r \Omega)^2}} .
\end{equation}
""",
    source="Clough, Penzien, Dynamics of structures, 1993",
    output="u",
    alpha="",
    omega="3",
    beta="",
    phi="4 3",
    F="3",
    Omega="",
)
def modal_response(alpha, omega, beta, phi, F, Omega):
    z = alpha / (2 * omega) + beta * omega / 2
    return phi @ (F / np.sqrt((omega**2 - Omega**2) ** 2 + (2 * z * omega * Omega) ** 2))


@formula(
    r"""
The prequential plug-in score with add-$\kappa$ smoothing after counts $n_{k}$ over $K$ symbols is
\begin{equation}
\hat\theta_k = \frac{n_k + \kappa}{\sum_{k'=1}^{K} n_{k'} + K\kappa} .
\end{equation}
""",
    source="Chen, Goodman, An empirical study of smoothing techniques for language modeling, 1996",
    n="4",
    kappa="",
)
def additive_smoothing(n, kappa):
    return (n + kappa) / (n.sum() + 4 * kappa)
