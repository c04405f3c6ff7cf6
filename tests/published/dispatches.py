"""Formulas of papers on representation learning, vision, physics, chemistry and statistics, pasted with their sentences."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\Lcal}{\mathcal{L}}
\begin{document}
The BYOL loss is defined as
\begin{equation}
\Lcal_{\theta,\xi} \triangleq \left\| \overline{q_\theta}(z_\theta) - \overline{z}'_\xi \right\|_2^2 = 2 - 2 \cdot \frac{\langle q, z' \rangle}{\|q\|_2 \cdot \|z'\|_2}
\end{equation}
with $q, z' \in \mathbb{R}^d$.
\end{document}
""",
    source="Grill et al., Bootstrap your own latent, 2020, equation 2",
    q=lambda r: normal(r, 4),
    z_prime=lambda r: normal(r, 4),
)
def bootstrap_loss(q, z_prime):
    return 2 - 2 * (q @ z_prime) / (np.linalg.norm(q) * np.linalg.norm(z_prime))


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{SwAV}} = -\sum_{k=1}^{K} q^{(k)}_s \log p^{(k)}_t, \qquad p^{(k)}_t = \frac{\exp\left( \frac{1}{\tau} z_t^\top c_k \right)}{\sum_{k'} \exp\left( \frac{1}{\tau} z_t^\top c_{k'} \right)}
\end{equation}
""",
    source="Caron et al., SwAV, 2020, equation 2",
    leaves_open="s and t are views, and the index of prototypes stands above",
    z="3",
)
def swapped_views(z):
    return 0.0


@formula(
    r"""
In DINO the center is updated and the loss between the student and teacher distributions is
\begin{equation}
H = -\sum_{k=1}^{K} P_t^{(k)} \log P_s^{(k)}, \quad P_s^{(i)} = \frac{\exp(g_i / \tau_s)}{\sum_{k=1}^{K} \exp(g_k / \tau_s)}, \quad P_t^{(i)} = \frac{\exp((h_i - c_i) / \tau_t)}{\sum_{k=1}^{K} \exp((h_k - c_k) / \tau_t)}
\end{equation}
""",
    source="Caron et al., Emerging properties in self-supervised vision transformers, 2021, equations 1 and 2",
    output="H",
    g="4",
    tau_s="",
    h="4",
    c="4",
    tau_t="",
)
def distilled_views(g, tau_s, h, c, tau_t):
    s = np.exp(g / tau_s)
    t = np.exp((h - c) / tau_t)
    return -(t / t.sum() * np.log(s / s.sum())).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Given patches $x_i$, the MAE loss averages over masked patches,
\begin{equation}
\mathcal{L} = \frac{\sum_{i=1}^{N} M_i \frac{1}{P} \sum_{p=1}^{P} (\hat{x}_{ip} - x_{ip})^2}{\sum_{i=1}^{N} M_i}
\end{equation}
where $M_i = 1$ if patch $i$ is masked and 0 otherwise.
\end{document}
""",
    source="He et al., Masked autoencoders are scalable vision learners, 2022, in words there",
    M=lambda r: np.array([1.0, 0.0, 1.0, 1.0]),
    x_hat="4 3",
    x="4 3",
)
def masked_patches(M, x_hat, x):
    return (M * ((x_hat - x) ** 2).mean(1)).sum() / M.sum()


@formula(
    r"""
The FID between two Gaussians with diagonal covariances is
\begin{equation}
d^2 = \sum_{i=1}^{D} \left[ (m_i - m_{w,i})^2 + c_i + c_{w,i} - 2 \sqrt{c_i\, c_{w,i}} \right]
\end{equation}
""",
    source="Heusel et al., GANs trained by a two time-scale update rule, 2017, equation 6, for diagonal covariances",
    shapes=("input m_w[D], c_w[D]",),
    m="4",
    m_w="4",
    c="4",
    c_w="4",
)
def diagonal_distance(m, m_w, c, c_w):
    return ((m - m_w) ** 2 + c + c_w - 2 * np.sqrt(c * c_w)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The velocity of the flow-matching path $\bm{x}_t = (1 - t) \bm{x}_0 + t \bm{x}_1$ is regressed by
\begin{equation}
\mathcal{L}_{FM} = \frac{1}{N} \sum_{n=1}^{N} \left\| \bm{v}_n - (\bm{x}_{1,n} - \bm{x}_{0,n}) \right\|^2
\end{equation}
\end{document}
""",
    source="Lipman et al., Flow matching for generative modeling, 2023, with a batch",
    shapes=("size N, d", "input v[N, d], x_1[N, d], x_0[N, d]"),
    v=lambda r: normal(r, 4, 2),
    x_1=lambda r: normal(r, 4, 2),
    x_0=lambda r: normal(r, 4, 2),
)
def flow_matching(v, x_1, x_0):
    return ((v - (x_1 - x_0)) ** 2).sum() / 4


@formula(
    r"""
The harmonic energy of a polymer chain with bending rigidity is
\begin{equation}
U = \frac{k_b}{2} \sum_{i=1}^{N-1} (b_i - b_0)^2 + \kappa \sum_{i=1}^{N-2} \left( 1 - \mathbf{t}_i \cdot \mathbf{t}_{i+1} \right)
\end{equation}
where $\mathbf{t}_i \in \mathbb{R}^3$ is the unit bond vector.
""",
    source="Kremer, Grest, Dynamics of entangled linear polymer melts, 1990; discrete worm-like chains as papers print them",
    shapes=("size N", "input b[N - 1], b_0[], t[N - 1, 3]"),
    k_b="",
    b="4",
    b_0="",
    kappa="",
    t=lambda r: normal(r, 4, 3),
)
def wormlike_chain(k_b, b, b_0, kappa, t):
    return k_b / 2 * ((b - b_0) ** 2).sum() + kappa * sum(1 - t[i] @ t[i + 1] for i in range(3))


@formula(
    r"""
\begin{align}
V_{\text{bonded}} &= \sum_{\text{bonds}} k_r (r - r_{eq})^2 + \sum_{\text{angles}} k_\theta (\theta - \theta_{eq})^2 + \sum_{\text{dihedrals}} \frac{V_n}{2} \left[ 1 + \cos(n\phi - \gamma) \right]
\end{align}
""",
    source="Cornell et al., A second generation force field, 1995, equation 1",
    leaves_open="sums over bonds without indices",
    k="3",
)
def bonded_terms(k):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Kirkwood--Buff integrals aside, the Steinhardt order parameter from complex averages has the real form
\begin{equation}
Q_l = \left[ \frac{4\pi}{2l+1} \sum_{m=-l}^{l} \left( \bar{a}_{lm}^2 + \bar{b}_{lm}^2 \right) \right]^{1/2}
\end{equation}
\end{document}
""",
    source="Steinhardt, Nelson, Ronchetti, Bond-orientational order in liquids and glasses, 1983, equation 1.3",
    leaves_open="an index that begins at -l",
    a="3",
)
def bond_orientation(a):
    return 0.0


@formula(
    r"""
The London dispersion coefficient and the Axilrod--Teller--Muto damping aside, the Becke--Johnson damped dispersion energy is
\begin{equation}
E_{\mathrm{disp}} = -\frac{1}{2} \sum_{A \neq B} \sum_{n=6,8} s_n \frac{C_n^{AB}}{R_{AB}^n + f(R_{AB}^0)^n}
\end{equation}
""",
    source="Grimme, Ehrlich, Goerigk, Effect of the damping function in dispersion corrected DFT, 2011, equation 3",
    leaves_open="a sum over 6 and 8, and a function f",
    R="3",
)
def becke_johnson(R):
    return 0.0


@formula(
    r"""
The reduced density gradient of points on a grid follows from
\[
s_i = \frac{1}{2 (3 \pi^2)^{1/3}} \frac{|\nabla \rho|_i}{\rho_i^{4/3}}
\]
""",
    source="Johnson et al., Revealing noncovalent interactions, 2010, equation 1",
    leaves_open="the gradient is a symbol of its own",
    rho="3",
)
def reduced_gradient(rho):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
T_{ij} = \frac{1}{4\pi\epsilon_0 R_{ij}^3} \left( \mathbf{p}_i \cdot \mathbf{p}_j - 3\, (\mathbf{p}_i \cdot \hat{\mathbf{R}}_{ij}) (\mathbf{p}_j \cdot \hat{\mathbf{R}}_{ij}) \right)
\end{equation}
where $\hat{\mathbf{R}}_{ij} \in \mathbb{R}^3$ is the unit vector between the dipoles $\mathbf{p}_i \in \mathbb{R}^3$ and $\mathbf{p}_j$.
""",
    source="Jackson, Classical electrodynamics, 1999, equation 4.26",
    shapes=("size N", "input p[N, 3], R_hat[N, N, 3], R[N, N]"),
    epsilon_0="",
    R="3 3",
    p=lambda r: normal(r, 3, 3),
    R_hat=lambda r: normal(r, 3, 3, 3),
)
def dipole_pairs(epsilon_0, R, p, R_hat):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            n = R_hat[i, j]
            out[i, j] = (p[i] @ p[j] - 3 * (p[i] @ n) * (p[j] @ n)) / (
                4 * np.pi * epsilon_0 * R[i, j] ** 3
            )
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The scattering-length-weighted partial structure factors combine to
\begin{equation}
F(Q) = \sum_{\alpha=1}^{n} \sum_{\beta=1}^{n} c_\alpha c_\beta\, b_\alpha b_\beta \left[ S_{\alpha\beta}(Q) - 1 \right]
\end{equation}
\end{document}
""",
    source="Keen, A comparison of various commonly used correlation functions, 2001, equation 1",
    shapes=("size n", "input S[n, n]"),
    c="3",
    b="3",
    S="3 3",
)
def total_scattering(c, b, S):
    w = c * b
    return (np.outer(w, w) * (S - 1)).sum()


@formula(
    r"""
The elastic constants give the Reuss shear modulus
\begin{equation}
G_R = \frac{15}{4 (S_{11} + S_{22} + S_{33}) - 4 (S_{12} + S_{23} + S_{31}) + 3 (S_{44} + S_{55} + S_{66})}
\end{equation}
from the compliance matrix $S \in \mathbb{R}^{6 \times 6}$.
""",
    source="Hill, The elastic behaviour of a crystalline aggregate, 1952",
    shapes=("base 1",),
    S="6 6",
)
def reuss_modulus(S):
    a = S[0, 0] + S[1, 1] + S[2, 2]
    b = S[0, 1] + S[1, 2] + S[2, 0]
    return 15 / (4 * a - 4 * b + 3 * (S[3, 3] + S[4, 4] + S[5, 5]))


@formula(
    r"""
\begin{equation}
\sigma_{ij} = \lambda\, \delta_{ij} \sum_{k=1}^{3} \varepsilon_{kk} + 2 \mu\, \varepsilon_{ij}, \qquad \varepsilon_{ij} = \frac{1}{2} \left( G_{ij} + G_{ji} + \sum_{k=1}^{3} G_{ki} G_{kj} \right)
\end{equation}
where $G_{ij}$ is the displacement gradient.
""",
    source="Holzapfel, Nonlinear solid mechanics, 2000, equations 2.69 and 6.151",
    output="sigma",
    lam="",
    G=lambda r: normal(r, 3, 3),
    mu="",
)
def saint_venant(lam, G, mu):
    e = 0.5 * (G + G.T + G.T @ G)
    return lam * np.eye(3) * np.trace(e) + 2 * mu * e


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The total variation diminishing scheme with the van Leer limiter uses
\begin{equation}
\phi(r_i) = \frac{r_i + |r_i|}{1 + |r_i|}, \qquad r_i = \frac{u_i - u_{i-1}}{u_{i+1} - u_i}, \quad i = 2, \ldots, N-1.
\end{equation}
\end{document}
""",
    source="van Leer, Towards the ultimate conservative difference scheme II, 1974",
    output="phi",
    u=lambda r: normal(r, 6),
)
def van_leer(u):
    r = (u[1:-1] - u[:-2]) / (u[2:] - u[1:-1])
    return (r + np.abs(r)) / (1 + np.abs(r))


@formula(
    r"""
The discrete Laplace--Beltrami operator applied to the function $f$ reads
\begin{equation}
(\Delta f)_i = \frac{1}{2 A_i} \sum_{j=1}^{n} W_{ij} (\cot \alpha_{ij} + \cot \beta_{ij}) (f_j - f_i)
\end{equation}
""",
    source="Meyer et al., Discrete differential-geometry operators for triangulated 2-manifolds, 2003, equation 8, with a mask",
    A="4",
    W="4 4",
    alpha="4 4",
    beta="4 4",
    f="4",
)
def cotangent_operator(A, W, alpha, beta, f):
    c = W * (1 / np.tan(alpha) + 1 / np.tan(beta))
    return (c * (f[None, :] - f[:, None])).sum(1) / (2 * A)


@formula(
    r"""
\begin{align}
E(\mathbf{x}) &= \sum_{i} \psi_u(x_i) + \sum_{i<j} \psi_p(x_i, x_j), \\
\psi_p(x_i, x_j) &= \mu(x_i, x_j) \sum_{m=1}^{K} w^{(m)} k^{(m)}(\mathbf{f}_i, \mathbf{f}_j)
\end{align}
""",
    source="Kraehenbuehl, Koltun, Efficient inference in fully connected CRFs, 2011, equations 1 and 2",
    leaves_open="potentials are functions",
    x="3",
)
def dense_crf(x):
    return 0.0


@formula(
    r"""
\documentclass[10pt]{article}
\usepackage{amsmath}
\begin{document}
With weights $w_{ij} = \exp\left( -\frac{\|I_i - I_j\|^2}{2\sigma^2} \right)$, non-local means estimates
\begin{equation}
\hat{u}_i = \frac{\sum_{j=1}^{N} w_{ij} u_j}{\sum_{j=1}^{N} w_{ij}} .
\end{equation}
\end{document}
""",
    source="Buades, Coll, Morel, A non-local algorithm for image denoising, 2005, section 3",
    shapes=("size N, P", "input I[N, P]"),
    I=lambda r: normal(r, 4, 3),
    sigma="",
    u="4",
)
def nonlocal_means(I, sigma, u):
    w = np.exp(-((I[:, None] - I) ** 2).sum(2) / (2 * sigma**2))
    return w @ u / w.sum(1)


@formula(
    r"""
For the pinhole camera, $\lambda \tilde{\mathbf{x}} = K [R \,|\, t] \tilde{\mathbf{X}}$; in coordinates
\begin{equation}
u_n = f_x \frac{X_n}{Z_n} + c_x, \qquad v_n = f_y \frac{Y_n}{Z_n} + c_y
\end{equation}
""",
    source="Hartley, Zisserman, Multiple view geometry, 2004, equation 6.2",
    output="u",
    f_x="",
    X="4",
    Z="4",
    c_x="",
    f_y="",
    Y="4",
    c_y="",
)
def pinhole_coordinates(f_x, X, Z, c_x, f_y, Y, c_y):
    return f_x * X / Z + c_x


@formula(
    r"""
\begin{equation}
\mathrm{mAP} = \frac{1}{|Q|} \sum_{q \in Q} \mathrm{AP}(q)
\end{equation}
""",
    source="Manning, Raghavan, Schuetze, Introduction to information retrieval, 2008, section 8.4",
    AP="3",
)
def mean_precision(AP):
    return AP.mean()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The fairness gap of demographic parity is
\begin{equation}
\Delta_{DP} = \left| \frac{\sum_{i=1}^{n} \hat{y}_i s_i}{\sum_{i=1}^{n} s_i} - \frac{\sum_{i=1}^{n} \hat{y}_i (1 - s_i)}{\sum_{i=1}^{n} (1 - s_i)} \right|
\end{equation}
where $s_i \in \{0, 1\}$ is the sensitive attribute.
\end{document}
""",
    source="Feldman et al., Certifying and removing disparate impact, 2015; as papers on fairness print it",
    y_hat="4",
    s=lambda r: np.array([1.0, 0.0, 1.0, 0.0]),
)
def parity_gap(y_hat, s):
    return abs((y_hat * s).sum() / s.sum() - (y_hat * (1 - s)).sum() / (1 - s).sum())


@formula(
    r"""
The expected calibration error with soft bin memberships $m_{ib}$ is
\[
\mathrm{ECE} = \sum_{b=1}^{B} \frac{n_b}{N} \left| \mathrm{acc}_b - \mathrm{conf}_b \right|, \quad n_b = \sum_{i=1}^{N} m_{ib}, \quad \mathrm{acc}_b = \frac{1}{n_b} \sum_{i=1}^{N} m_{ib} a_i, \quad \mathrm{conf}_b = \frac{1}{n_b} \sum_{i=1}^{N} m_{ib} p_i .
\]
""",
    source="Guo et al., On calibration of modern neural networks, 2017, equation 3, with memberships",
    output="ECE",
    m="5 3",
    a="5",
    p="5",
)
def soft_calibration(m, a, p):
    n = m.sum(0)
    return (n / 5 * np.abs(m.T @ a / n - m.T @ p / n)).sum()


@formula(
    r"""
\begin{equation}
\hat{\tau}_{\mathrm{IPW}} = \frac{1}{n} \sum_{i=1}^{n} \left( \frac{W_i Y_i}{\hat{e}(X_i)} - \frac{(1 - W_i) Y_i}{1 - \hat{e}(X_i)} \right), \qquad \hat{e}(x) = \frac{1}{1 + e^{-x^\top \hat\beta}}
\end{equation}
with $X_i, \hat\beta \in \mathbb{R}^p$.
""",
    source="Horvitz, Thompson, 1952; as papers on causal inference print it",
    output="tau_hat_IPW",
    W=lambda r: np.array([1.0, 0.0, 1.0, 0.0]),
    Y="4",
    X=lambda r: normal(r, 4, 2),
    beta_hat="2",
)
def inverse_propensity(W, Y, X, beta_hat):
    e = 1 / (1 + np.exp(-X @ beta_hat))
    return (W * Y / e - (1 - W) * Y / (1 - e)).mean()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The jackknife variance is
\begin{equation}
v_{\mathrm{jack}} = \frac{n-1}{n} \sum_{i=1}^{n} \left( \hat\theta_{(i)} - \hat\theta_{(\cdot)} \right)^2, \qquad \hat\theta_{(\cdot)} = \frac{1}{n} \sum_{i=1}^{n} \hat\theta_{(i)} .
\end{equation}
\end{document}
""",
    source="Efron, Stein, The jackknife estimate of variance, 1981, equation 1.4",
    leaves_open="brackets below a letter stand for what is left out, or for order",
    theta="4",
)
def jackknife(theta):
    return 0.0


@formula(
    r"""
The Epps--Pulley form of the energy test between samples $x_1, \ldots, x_n$ and $y_1, \ldots, y_m$ is
\begin{equation}
\mathcal{E} = \frac{2}{nm} \sum_{i=1}^{n} \sum_{j=1}^{m} |x_i - y_j| - \frac{1}{n^2} \sum_{i=1}^{n} \sum_{j=1}^{n} |x_i - x_j| - \frac{1}{m^2} \sum_{i=1}^{m} \sum_{j=1}^{m} |y_i - y_j|
\end{equation}
""",
    source="Szekely, Rizzo, Testing for equal distributions in high dimension, 2004, equation 5, on a line",
    x="4",
    y="5",
)
def energy_test(x, y):
    def mean(a, b):
        return np.abs(a[:, None] - b).mean()

    return 2 * mean(x, y) - mean(x, x) - mean(y, y)


@formula(
    r"""
\begin{equation}
\mathrm{DIC} = \bar{D} + p_D, \qquad p_D = \bar{D} - D(\bar\theta), \qquad \bar{D} = \frac{1}{S} \sum_{s=1}^{S} D_s
\end{equation}
""",
    source="Spiegelhalter et al., Bayesian measures of model complexity and fit, 2002",
    leaves_open="the deviance at the mean is a function",
    D="3",
)
def deviance_criterion(D):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
For a Gaussian mixture the E-step responsibilities and the M-step means are
\begin{align}
\gamma_{nk} &= \frac{\pi_k \exp\left( -\frac{1}{2} \sum_{d} (x_{nd} - \mu_{kd})^2 / \sigma_{kd}^2 \right) / \prod_{d} \sigma_{kd}}{\sum_{l=1}^{K} \pi_l \exp\left( -\frac{1}{2} \sum_{d} (x_{nd} - \mu_{ld})^2 / \sigma_{ld}^2 \right) / \prod_{d} \sigma_{ld}}, \\
\bm{\mu}_k^{\mathrm{new}} &= \frac{1}{N_k} \sum_{n=1}^{N} \gamma_{nk} \bm{x}_n, \qquad N_k = \sum_{n=1}^{N} \gamma_{nk}.
\end{align}
\end{document}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equations 9.23 to 9.27, for diagonal covariances",
    shapes=("size N, K, D", "input x[N, D], mu[K, D], sigma[K, D], pi[K]"),
    output="mu_new",
    pi="2",
    x=lambda r: normal(r, 5, 3),
    mu=lambda r: normal(r, 2, 3),
    sigma="2 3",
)
def mixture_means_again(pi, x, mu, sigma):
    e = pi * np.exp(-0.5 * ((x[:, None] - mu) ** 2 / sigma**2).sum(2)) / sigma.prod(1)
    g = e / e.sum(1, keepdims=True)
    return g.T @ x / g.sum(0)[:, None]


@formula(
    r"""
The Viterbi score of the best path ending in tag $j$ is
\begin{equation}
\delta_t(j) = \max_{1 \le i \le N} \left[ \delta_{t-1}(i)\, a_{ij} \right] b_j(o_t)
\end{equation}
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equation 33",
    leaves_open="a recursion over time",
    d="3",
)
def viterbi(d):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
P(\mathbf{y} | \mathbf{x}) = \frac{1}{Z(\mathbf{x})} \exp\left( \sum_{t=1}^{T} \sum_{k=1}^{K} \theta_k f_k(y_{t-1}, y_t, \mathbf{x}_t) \right)
\end{equation}
""",
    source="Lafferty, McCallum, Pereira, Conditional random fields, 2001; as tutorials print it",
    leaves_open="feature functions",
    y="3",
)
def linear_chain(y):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The term frequency saturates as
\begin{equation}
w_{td} = \frac{(k_1 + 1)\, f_{td}}{f_{td} + k_1 \left( 1 - b + b \frac{l_d}{\bar{l}} \right)} \log \frac{N - n_t + 0.5}{n_t + 0.5}
\end{equation}
where $\bar{l}$ is the average document length.
\end{document}
""",
    source="Robertson, Zaragoza, The probabilistic relevance framework, 2009, equations 3.3 and 3.15",
    k_1="",
    f="3 4",
    b="",
    l="4",
    N=lambda r: np.array(10.0),
    n="3",
)
def saturated_weights(k_1, f, b, l, N, n):
    tf = (k_1 + 1) * f / (f + k_1 * (1 - b + b * l / l.mean()))
    return tf * np.log((N - n + 0.5) / (n + 0.5))[:, None]


@formula(
    r"""
In GloVe-like PPMI embeddings, the positive pointwise mutual information of counts $n_{wc}$ is
\begin{equation}
\mathrm{PPMI}_{wc} = \max\left( 0, \log \frac{n_{wc} \sum_{w'} \sum_{c'} n_{w'c'}}{\sum_{c'} n_{wc'} \sum_{w'} n_{w'c}} \right)
\end{equation}
""",
    source="Levy, Goldberg, Neural word embedding as implicit matrix factorization, 2014, equation 15",
    n="3 4",
)
def positive_information_of_counts(n):
    return np.maximum(0, np.log(n * n.sum() / np.outer(n.sum(1), n.sum(0))))


@formula(
    r"""
The mixed-membership likelihood of PLSA is
\begin{equation}
\mathcal{L} = \sum_{d=1}^{D} \sum_{w=1}^{W} n(d, w) \log \sum_{z=1}^{K} P(w|z) P(z|d)
\end{equation}
""",
    source="Hofmann, Probabilistic latent semantic analysis, 1999, equation 3",
    leaves_open="the order of the dimensions of conditionals",
    n="3 4",
)
def latent_semantic(n):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The cost-to-go of pick-up and the Wardrop--BPR travel time,
\begin{equation}
t_a(v_a) = t_a^0 \left[ 1 + 0.15 \left( \frac{v_a}{c_a} \right)^4 \right], \qquad Z = \sum_{a=1}^{A} t_a^0 \left( v_a + \frac{0.15}{5} \frac{v_a^5}{c_a^4} \right)
\end{equation}
\end{document}
""",
    source="Bureau of Public Roads, Traffic assignment manual, 1964; Beckmann's objective as textbooks print it",
    output="Z",
    t_0="4",
    v="4",
    c="4",
)
def beckmann_objective(t_0, v, c):
    return (t_0 * (v + 0.15 / 5 * v**5 / c**4)).sum()


@formula(
    r"""
The surface energy balance of the Penman equation for days $i$ gives
\begin{equation}
E_i = \frac{\Delta_i (R_{n,i} - G_i) + \rho_a c_p \frac{e_{s,i} - e_{a,i}}{r_a}}{\Delta_i + \gamma \left( 1 + \frac{r_s}{r_a} \right)}
\end{equation}
""",
    source="Monteith, Evaporation and environment, 1965; as FAO paper 56 prints it",
    shapes=("input R_n[N], e_s[N], e_a[N], rho_a[], r_a[]",),
    Delta="4",
    R_n="4",
    G="4",
    rho_a="",
    c_p="",
    e_s="4",
    e_a="4",
    r_a="",
    gamma="",
    r_s="",
)
def penman_monteith(Delta, R_n, G, rho_a, c_p, e_s, e_a, r_a, gamma, r_s):
    top = Delta * (R_n - G) + rho_a * c_p * (e_s - e_a) / r_a
    return top / (Delta + gamma * (1 + r_s / r_a))


@formula(
    r"""
\begin{equation}
\text{KGE} = 1 - \sqrt{(r - 1)^2 + (\alpha - 1)^2 + (\beta - 1)^2}, \quad \alpha = \frac{\sigma_s}{\sigma_o}, \quad \beta = \frac{\mu_s}{\mu_o}
\end{equation}
where $\sigma_s$ and $\sigma_o$ are the standard deviations and $\mu_s$, $\mu_o$ the means.
""",
    source="Gupta et al., Decomposition of the mean squared error, 2009, equation 9",
    output="KGE",
    r="",
    sigma_s="",
    sigma_o="",
    mu_s="",
    mu_o="",
)
def kling_gupta_of_moments(r, sigma_s, sigma_o, mu_s, mu_o):
    return 1 - np.sqrt((r - 1) ** 2 + (sigma_s / sigma_o - 1) ** 2 + (mu_s / mu_o - 1) ** 2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The ISI-distance-like van Rossum distance between spike trains with times $t_i$ and $u_j$ is
\begin{equation}
D^2 = \frac{1}{2} \sum_{i=1}^{N} \sum_{k=1}^{N} e^{-|t_i - t_k| / \tau} + \frac{1}{2} \sum_{j=1}^{M} \sum_{k=1}^{M} e^{-|u_j - u_k| / \tau} - \sum_{i=1}^{N} \sum_{j=1}^{M} e^{-|t_i - u_j| / \tau}
\end{equation}
\end{document}
""",
    source="van Rossum, A novel spike distance, 2001; in the form of Houghton and Kreuz, 2012",
    t="4",
    tau="",
    u="5",
)
def spike_distance(t, tau, u):
    def s(a, b):
        return np.exp(-np.abs(a[:, None] - b) / tau).sum()

    return 0.5 * s(t, t) + 0.5 * s(u, u) - s(t, u)


@formula(
    r"""
The Wilson--Cowan equations of $N$ coupled columns are
\begin{align}
\tau_E \dot{E}_i &= -E_i + S\left( w_{EE} E_i - w_{EI} I_i + c \sum_{j=1}^{N} A_{ij} E_j + P_i \right), \\
\tau_I \dot{I}_i &= -I_i + S\left( w_{IE} E_i - w_{II} I_i \right), \qquad S(x) = \frac{1}{1 + e^{-a (x - \theta)}} .
\end{align}
""",
    source="Wilson, Cowan, Excitatory and inhibitory interactions, 1972, with coupling",
    output="E_dot",
    E="3",
    w_EE="",
    w_EI="",
    I="3",
    c="",
    A="3 3",
    P="3",
    tau_E="",
    w_IE="",
    w_II="",
    tau_I="",
    a="",
    theta="",
)
def wilson_cowan(E, w_EE, w_EI, I, c, A, P, tau_E, w_IE, w_II, tau_I, a, theta):
    x = w_EE * E - w_EI * I + c * (A @ E) + P
    return (-E + 1 / (1 + np.exp(-a * (x - theta)))) / tau_E


@formula(
    r"""
\begin{equation}
C_i = \frac{1}{s_i (k_i - 1)} \sum_{j,h} \frac{w_{ij} + w_{ih}}{2} a_{ij} a_{ih} a_{jh}
\end{equation}
where $s_i = \sum_j w_{ij}$ is the strength and $k_i = \sum_j a_{ij}$ the degree of vertex $i$.
""",
    source="Barrat et al., The architecture of complex weighted networks, 2004, equation 5",
    w="4 4",
    a="4 4",
)
def weighted_clustering(w, a):
    s, k = w.sum(1), a.sum(1)
    out = np.zeros(4)
    for i in range(4):
        for j in range(4):
            for h in range(4):
                out[i] += (w[i, j] + w[i, h]) / 2 * a[i, j] * a[i, h] * a[j, h]
    return out / (s * (k - 1))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Bass diffusion model with prices, in discrete periods, has sales
\begin{equation}
S_t = \left( p + q \frac{Y_{t-1}}{m} \right) (m - Y_{t-1}) \left( 1 + \beta \ln \frac{P_t}{P_{t-1}} \right), \qquad t = 2, \ldots, T,
\end{equation}
where $Y_t$ is the cumulative number of adopters.
\end{document}
""",
    source="Bass, A new product growth for model consumer durables, 1969; generalised in 1994",
    sizes={"T": 5},
    shapes=("size T", "input Y[T], P[T]"),
    p="",
    q="",
    Y="5",
    m=lambda r: np.array(3.0),
    beta="",
    P="5",
)
def bass_sales(p, q, Y, m, beta, P):
    return (p + q * Y[:-1] / m) * (m - Y[:-1]) * (1 + beta * np.log(P[1:] / P[:-1]))
