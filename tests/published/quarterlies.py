"""Formulas of papers on networks, images, molecules, fluids and markets, with the words around them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\bx}{\mathbf{x}}
\begin{document}
We use the Tversky focal loss. Let $p_{ic}$ be the predicted probability and $g_{ic}$ the label of pixel $i$ for class $c$:
\begin{equation}
TI_c = \frac{\sum_{i=1}^N p_{ic} g_{ic} + \epsilon}{\sum_{i=1}^N p_{ic} g_{ic} + \alpha \sum_{i=1}^N p_{i\bar{c}} g_{ic} + \beta \sum_{i=1}^N p_{ic} g_{i\bar{c}} + \epsilon},
\end{equation}
where $p_{i\bar{c}} = 1 - p_{ic}$ and $g_{i\bar{c}} = 1 - g_{ic}$.
\end{document}
""",
    source="Abraham, Khan, A novel focal Tversky loss function, 2019, equation 4",
    leaves_open="an index with a bar",
    p="4 2",
)
def focal_tversky(p):
    return np.zeros(2)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{InfoNCE}} = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{\exp(s_{ii} / \tau)}{\sum_{j=1}^{N} \exp(s_{ij} / \tau)}, \qquad s_{ij} = \frac{\mathbf{z}_i^\top \mathbf{z}'_j}{\|\mathbf{z}_i\| \, \|\mathbf{z}'_j\|}
\end{equation}
with $\mathbf{z}_i, \mathbf{z}'_i \in \mathbb{R}^{d}$.
""",
    source="Radford et al., Learning transferable visual models from natural language supervision, 2021, one direction",
    output="L_InfoNCE",
    z=lambda r: normal(r, 4, 3),
    tau="",
    z_prime=lambda r: normal(r, 4, 3),
)
def clip_direction(z, tau, z_prime):
    a = z / np.linalg.norm(z, axis=1, keepdims=True)
    b = z_prime / np.linalg.norm(z_prime, axis=1, keepdims=True)
    s = np.exp(a @ b.T / tau)
    return -np.mean(np.log(np.diag(s) / s.sum(1)))


@formula(
    r"""
The Swish-gated linear unit computes
\[
h_j = \Big( \sum_{i} x_i V_{ij} \Big) \cdot g\Big( \sum_i x_i W_{ij} \Big), \qquad g(z) = \frac{z}{1 + e^{-\beta z}}.
\]
""",
    source="Shazeer, GLU variants improve transformer, 2020, by elements",
    x="3",
    V="3 4",
    W="3 4",
    beta="",
)
def swish_gate(x, V, W, beta):
    z = x @ W
    return (x @ V) * z / (1 + np.exp(-beta * z))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\usepackage{bm}
\begin{document}
The rotary embedding acts on pairs of coordinates: for position $m$,
\begin{align}
q'_{m,2i} &= q_{m,2i} \cos(m\theta_i) - q_{m,2i+1} \sin(m\theta_i), \\
q'_{m,2i+1} &= q_{m,2i} \sin(m\theta_i) + q_{m,2i+1} \cos(m\theta_i).
\end{align}
\end{document}
""",
    source="Su et al., RoFormer, 2021, equation 34 by elements",
    leaves_open="even and odd subscripts on left sides",
    q="3 4",
)
def rotary(q):
    return np.zeros(3)


@formula(
    r"""
Root mean square layer normalization regularizes the summed inputs by
\begin{equation}
\bar{a}_i = \frac{a_i}{\text{RMS}(\mathbf{a})} g_i, \quad \text{where}~~ \text{RMS}(\mathbf{a}) = \sqrt{\frac{1}{n} \sum_{i=1}^{n} a_i^2}.
\end{equation}
""",
    source="Zhang, Sennrich, Root mean square layer normalization, 2019, equation 4",
    output="a_bar",
    a=lambda r: normal(r, 5),
    g="5",
)
def rms_of_layer(a, g):
    return a / np.sqrt(np.mean(a**2)) * g


@formula(
    r"""
\begin{equation}
\text{head}_i = \operatorname{softmax}\left( q_i K^\top + m \cdot [-(i-1), \ldots, -2, -1, 0] \right)
\end{equation}
""",
    source="Press, Smith, Lewis, Train short, test long, 2022, section 3",
    leaves_open="a list with dots as the bias",
    q="3",
)
def alibi_bias(q):
    return np.zeros(3)


@formula(
    r"""
\documentclass[conference]{IEEEtran}
\usepackage{amsmath,amsfonts}
\begin{document}
The bilateral filter is defined as
\begin{equation}
BF[I]_{\mathbf{p}} = \frac{1}{W_{\mathbf{p}}} \sum_{\mathbf{q} \in \mathcal{S}} G_{\sigma_s}(\|\mathbf{p}-\mathbf{q}\|)\, G_{\sigma_r}(|I_{\mathbf{p}} - I_{\mathbf{q}}|)\, I_{\mathbf{q}}
\end{equation}
\end{document}
""",
    source="Paris et al., A gentle introduction to bilateral filtering, 2009, equation 3",
    leaves_open="the kernel and the set",
    s="3",
)
def bilateral_of_sets(s):
    return np.zeros(3)


@formula(
    r"""
The anisotropic total variation of an image $u \in \mathbb{R}^{M \times N}$ is
\begin{equation}
TV(u) = \sum_{i=1}^{M-1} \sum_{j=1}^{N} |u_{i+1,j} - u_{i,j}| + \sum_{i=1}^{M} \sum_{j=1}^{N-1} |u_{i,j+1} - u_{i,j}|.
\end{equation}
""",
    source="Goldstein, Osher, The split Bregman method for L1-regularized problems, 2009, in discrete form",
    u=lambda r: normal(r, 4, 5),
)
def anisotropic_variation(u):
    return np.abs(np.diff(u, axis=0)).sum() + np.abs(np.diff(u, axis=1)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
We compute the gradient magnitude and orientation by pixel differences:
\begin{align}
m(x, y) &= \sqrt{(L(x+1, y) - L(x-1, y))^2 + (L(x, y+1) - L(x, y-1))^2} \\
\theta(x, y) &= \tan^{-1}\left( (L(x, y+1) - L(x, y-1)) / (L(x+1, y) - L(x-1, y)) \right)
\end{align}
for $x = 2, \ldots, W-1$ and $y = 2, \ldots, H-1$.
\end{document}
""",
    source="Lowe, Distinctive image features from scale-invariant keypoints, 2004, section 5",
    shapes=("size W, H", "input L[W, H]"),
    output="m",
    L=lambda r: normal(r, 5, 6),
)
def sift_gradient(L):
    dx = L[2:, 1:-1] - L[:-2, 1:-1]
    dy = L[1:-1, 2:] - L[1:-1, :-2]
    return np.sqrt(dx**2 + dy**2)


@formula(
    r"""
The normalised 8-neighbour Census similarity is replaced by the zero-mean normalised cross-correlation
\[
\mathrm{ZNCC} = \frac{\sum_{i,j} \big( f_{ij} - \bar f \big) \big( g_{ij} - \bar g \big)}{\sqrt{\sum_{i,j} \big( f_{ij} - \bar f \big)^2 \sum_{i,j} \big( g_{ij} - \bar g \big)^2}},
\]
where $\bar f$ and $\bar g$ are the mean intensities.
""",
    source="Lewis, Fast normalized cross-correlation, 1995, equation 2, of two windows",
    f="3 4",
    g="3 4",
)
def zero_mean_correlation(f, g):
    a, b = f - f.mean(), g - g.mean()
    return (a * b).sum() / np.sqrt((a**2).sum() * (b**2).sum())


@formula(
    r"""
\begin{align}
\hat{C}(\mathbf{r}) &= \sum_{i=1}^{N} T_i \left( 1 - \exp(-\sigma_i \delta_i) \right) \mathbf{c}_i, \quad \text{where } T_i = \exp\left( -\sum_{j=1}^{i-1} \sigma_j \delta_j \right)
\end{align}
and $\delta_i = t_{i+1} - t_i$ is the distance between adjacent samples.
""",
    source="Mildenhall et al., NeRF, 2020, equation 3 with its distances",
    shapes=("size N", "input t[N + 1], c[N, 3]"),
    output="C_hat",
    sigma="4",
    t=lambda r: np.cumsum(r.uniform(0.5, 1.5, 5)),
    c="4 3",
)
def radiance_quadrature(sigma, t, c):
    d = np.diff(t)
    out = np.zeros(3)
    for i in range(4):
        T = np.exp(-sum(sigma[j] * d[j] for j in range(i)))
        out += T * (1 - np.exp(-sigma[i] * d[i])) * c[i]
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The radial symmetry functions of Behler and Parrinello are
\begin{equation}
G_i^2 = \sum_{j \neq i} e^{-\eta (R_{ij} - R_s)^2} \cdot f_c(R_{ij}),
\qquad
f_c(R_{ij}) = \begin{cases} 0.5 \left[ \cos\left( \frac{\pi R_{ij}}{R_c} \right) + 1 \right] & \text{for } R_{ij} \leq R_c \\ 0 & \text{for } R_{ij} > R_c \end{cases}
\end{equation}
\end{document}
""",
    source="Behler, Atom-centered symmetry functions, 2011, equations 4 and 6",
    eta="",
    R="4 4",
    R_s="",
    R_c=lambda r: np.array(1.1),
)
def radial_symmetry(eta, R, R_s, R_c):
    fc = np.where(R_c >= R, 0.5 * (np.cos(np.pi * R / R_c) + 1), 0)
    g = np.exp(-eta * (R - R_s) ** 2) * fc
    np.fill_diagonal(g, 0)
    return g.sum(1)


@formula(
    r"""
The Buckingham potential with Coulomb interactions reads
\begin{equation}
U = \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} \left[ A_{ij} \exp\left( -\frac{r_{ij}}{\rho_{ij}} \right) - \frac{C_{ij}}{r_{ij}^6} + \frac{q_i q_j}{4 \pi \varepsilon_0 r_{ij}} \right].
\end{equation}
""",
    source="Buckingham, 1938; as papers on oxides print it",
    A="4 4",
    r="4 4",
    rho="4 4",
    C="4 4",
    q="4",
    varepsilon_0="",
)
def buckingham_coulomb(A, r, rho, C, q, varepsilon_0):
    return sum(
        A[i, j] * np.exp(-r[i, j] / rho[i, j])
        - C[i, j] / r[i, j] ** 6
        + q[i] * q[j] / (4 * np.pi * varepsilon_0 * r[i, j])
        for i in range(4)
        for j in range(i + 1, 4)
    )


@formula(
    r"""
The density fluctuation is characterised by the radial distribution function
\begin{equation}
g(r) = \frac{V}{4\pi r^2 N^2} \left\langle \sum_i \sum_{j \neq i} \delta(r - r_{ij}) \right\rangle
\end{equation}
""",
    source="Allen, Tildesley, Computer simulation of liquids, 1987, equation 2.94",
    leaves_open="an ensemble average of Dirac's delta",
    r="3",
)
def pair_distribution(r):
    return np.zeros(3)


@formula(
    r"""
\documentclass{revtex4-2}
\usepackage{amsmath}
\begin{document}
The second-order correlation energy for closed shells is
\begin{equation}
E^{(2)} = \sum_{i,j}^{\text{occ}} \sum_{a,b}^{\text{virt}} \frac{(ia|jb) \left[ 2 (ia|jb) - (ib|ja) \right]}{\epsilon_i + \epsilon_j - \epsilon_a - \epsilon_b}
\end{equation}
\end{document}
""",
    source="Moller, Plesset, Note on an approximation treatment for many-electron systems, 1934; as papers print it",
    leaves_open="one energy for two sets of orbitals",
    e="3",
)
def closed_shell_mp2(e):
    return 0.0


@formula(
    r"""
\begin{equation}
\mathcal{T} \approx \sum_{r=1}^{R} \lambda_r \, \mathbf{a}_r \circ \mathbf{b}_r \circ \mathbf{c}_r, \qquad \text{that is,} \qquad t_{ijk} \approx \sum_{r=1}^{R} \lambda_r a_{ir} b_{jr} c_{kr}
\end{equation}
""",
    source="Kolda, Bader, Tensor decompositions and applications, 2009, equation 3.3",
    output="t",
    lambda_="2",
    a="3 2",
    b="4 2",
    c="5 2",
)
def weighted_canonical(lambda_, a, b, c):
    return np.einsum("r,ir,jr,kr->ijk", lambda_, a, b, c)


@formula(
    r"""
The discrete Fourier transform in real arithmetic has the power spectrum
\begin{equation}
P_k = \left( \sum_{n=0}^{N-1} x_n \cos\frac{2\pi k n}{N} \right)^2 + \left( \sum_{n=0}^{N-1} x_n \sin\frac{2\pi k n}{N} \right)^2, \quad k = 0, 1, \ldots, N-1.
\end{equation}
""",
    source="Oppenheim, Schafer, Discrete-time signal processing, 1999, chapter 8",
    x=lambda r: normal(r, 6),
)
def power_spectrum(x):
    return np.abs(np.fft.fft(x)) ** 2


@formula(
    r"""
One level of the discrete wavelet transform convolves and downsamples:
\begin{equation}
y_{\mathrm{low}}[n] = \sum_{k=0}^{K-1} x[2n + k]\, g[k], \qquad y_{\mathrm{high}}[n] = \sum_{k=0}^{K-1} x[2n + k]\, h[k]
\end{equation}
""",
    source="Mallat, A theory for multiresolution signal decomposition, 1989; as in an encyclopedia, by correlation",
    output="y_low",
    x="8",
    g="4",
    h="4",
)
def wavelet_level(x, g, h):
    return np.array([x[2 * n : 2 * n + 4] @ g for n in range(3)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Locally linear embedding minimizes
\begin{equation}
\Phi(Y) = \sum_{i=1}^{N} \left| \vec{Y}_i - \sum_{j=1}^{N} W_{ij} \vec{Y}_j \right|^2
\end{equation}
where $\vec{Y}_i \in \mathbb{R}^d$.
\end{document}
""",
    source="Roweis, Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000, equation 2",
    Y=lambda r: normal(r, 4, 2),
    W="4 4",
)
def embedding_cost(Y, W):
    return ((Y - W @ Y) ** 2).sum()


@formula(
    r"""
The regularized squared error on the set of known ratings is
\begin{equation}
\min_{q^*, p^*} \sum_{u=1}^{U} \sum_{i=1}^{I} w_{ui} \left( r_{ui} - q_i^T p_u \right)^2 + \lambda \left( \sum_i \|q_i\|^2 + \sum_u \|p_u\|^2 \right)
\end{equation}
with $q_i, p_u \in \mathbb{R}^f$ and $w_{ui} = 1$ where $r_{ui}$ is known.
""",
    source="Koren, Bell, Volinsky, Matrix factorization techniques, 2009, equation 2 with weights",
    leaves_open="the objective has no name",
    r="3",
)
def factorization_objective(r):
    return 0.0


@formula(
    r"""
\begin{equation}
J = \sum_{i,j=1}^{V} f(X_{ij}) \left( w_i^T \tilde{w}_j + b_i + \tilde{b}_j - \log X_{ij} \right)^2, \qquad
f(x) = \begin{cases} (x / x_{\max})^{\alpha} & \text{if } x < x_{\max} \\ 1 & \text{otherwise} \end{cases}
\end{equation}
""",
    source="Pennington, Socher, Manning, GloVe, 2014, equations 8 and 9",
    shapes=("size V, d", "input w[V, d], w_tilde[V, d]"),
    X="4 4",
    w="4 3",
    w_tilde="4 3",
    b="4",
    b_tilde="4",
    x_max="",
    alpha="",
)
def glove_with_weights(X, w, w_tilde, b, b_tilde, x_max, alpha):
    f = np.where(x_max > X, (X / x_max) ** alpha, 1)
    return (f * (w @ w_tilde.T + b[:, None] + b_tilde - np.log(X)) ** 2).sum()


@formula(
    r"""
Given two point sets with $X \in \mathbb{R}^{n \times 3}$ and $Y \in \mathbb{R}^{m \times 3}$,
\begin{equation}
d_{CD}(X, Y) = \frac{1}{n} \sum_{i=1}^{n} \min_{j} \|X_i - Y_j\|_2^2 + \frac{1}{m} \sum_{j=1}^{m} \min_{i} \|X_i - Y_j\|_2^2 .
\end{equation}
""",
    source="Fan, Su, Guibas, A point set generation network, 2017, section 4.2, with means",
    X=lambda r: normal(r, 4, 3),
    Y=lambda r: normal(r, 5, 3),
)
def chamfer_means(X, Y):
    d = ((X[:, None] - Y) ** 2).sum(2)
    return d.min(1).mean() + d.min(0).mean()


@formula(
    r"""
The orthogonal Procrustes residual is
\begin{equation}
E(s, R, t) = \sum_{i=1}^{n} w_i \left\| y_i - (s R x_i + t) \right\|^2
\end{equation}
with $x_i, y_i, t \in \mathbb{R}^3$ and $R \in \mathbb{R}^{3 \times 3}$.
""",
    source="Umeyama, Least-squares estimation of transformation parameters, 1991, equation 1 with weights",
    w="4",
    y=lambda r: normal(r, 4, 3),
    s="",
    R=lambda r: normal(r, 3, 3),
    x=lambda r: normal(r, 4, 3),
    t="3",
)
def similarity_residual(w, y, s, R, x, t):
    return sum(w[i] * ((y[i] - (s * R @ x[i] + t)) ** 2).sum() for i in range(4))


@formula(
    r"""
The element stiffness matrix of a linear bar, assembled by numerical quadrature, is
\begin{equation}
K_{ab} = \sum_{q=1}^{n_q} w_q\, E(x_q)\, \frac{d N_a}{d x}(x_q)\, \frac{d N_b}{d x}(x_q)\, J_q
\end{equation}
""",
    source="Hughes, The finite element method, 2000, section 1.15",
    leaves_open="derivatives of shape functions as factors",
    w="3",
)
def stiffness_by_quadrature(w):
    return np.zeros(3)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Expected shortfall is estimated from losses $L_1, \ldots, L_n$. The portfolio variance is
\begin{equation}
\sigma_p^2 = \sum_{i=1}^{n} w_i^2 \sigma_i^2 + \sum_{i=1}^{n} \sum_{j \neq i} w_i w_j \sigma_i \sigma_j \rho_{ij}
\end{equation}
\end{document}
""",
    source="Markowitz, Portfolio selection, 1952; as in an encyclopedia",
    w="4",
    sigma="4",
    rho="4 4",
)
def portfolio_of_correlations(w, sigma, rho):
    return sum(w[i] ** 2 * sigma[i] ** 2 for i in range(4)) + sum(
        w[i] * w[j] * sigma[i] * sigma[j] * rho[i, j] for i in range(4) for j in range(4) if i != j
    )


@formula(
    r"""
The probit log-likelihood is
\[
\ln \mathcal{L}(\beta) = \sum_{i=1}^{n} \Big( y_i \ln \Phi(x_i'\beta) + (1 - y_i) \ln\big( 1 - \Phi(x_i'\beta) \big) \Big)
\]
where $\Phi$ is the cumulative distribution function of the standard normal distribution and $x_i, \beta \in \mathbb{R}^k$.
""",
    source="Greene, Econometric analysis, 2012, section 17.3; as in an encyclopedia",
    y=lambda r: np.array([1.0, 0.0, 1.0, 0.0]),
    x=lambda r: normal(r, 4, 2),
    beta="2",
)
def probit_likelihood(y, x, beta):
    from math import erf

    p = np.array([0.5 * (1 + erf(v / np.sqrt(2))) for v in x @ beta])
    return (y * np.log(p) + (1 - y) * np.log(1 - p)).sum()


@formula(
    r"""
The free energy of the restricted Boltzmann machine with visible units $v_i$ is
\begin{equation}
F(\mathbf{v}) = -\sum_i v_i a_i - \sum_j \log\left( 1 + e^{x_j} \right), \qquad x_j = b_j + \sum_i v_i w_{ij}.
\end{equation}
""",
    source="Hinton, A practical guide to training restricted Boltzmann machines, 2010, equation 23",
    v="4",
    a="4",
    b="3",
    w="4 3",
)
def free_energy(v, a, b, w):
    return -(v * a).sum() - np.log(1 + np.exp(b + v @ w)).sum()


@formula(
    r"""
The membrane potential of neuron $i$ obeys
\begin{equation}
\tau_m \frac{d V_i}{d t} = -(V_i - E_L) + R_m \sum_{j=1}^{N} w_{ij} s_j - g_K \, n_i^4 (V_i - E_K)
\end{equation}
""",
    source="Dayan, Abbott, Theoretical neuroscience, 2001, equations 5.8 and 5.24, shortened",
    tau_m="",
    V="4",
    E_L="",
    R_m="",
    w="4 4",
    s="4",
    g_K="",
    n="4",
    E_K="",
)
def membrane_equation(tau_m, V, E_L, R_m, w, s, g_K, n, E_K):
    return (-(V - E_L) + R_m * (w @ s) - g_K * n**4 * (V - E_K)) / tau_m


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\begin{document}
The KL term has the closed form
\begin{equation}
D_{\mathrm{KL}}\left( q_\phi(\mathbf{z}|\mathbf{x}) \,\|\, p(\mathbf{z}) \right) = -\frac{1}{2} \sum_{j=1}^{J} \left( 1 + \log\left( (\sigma_j)^2 \right) - (\mu_j)^2 - (\sigma_j)^2 \right)
\end{equation}
\end{document}
""",
    source="Kingma, Welling, Auto-encoding variational Bayes, 2014, appendix B",
    sigma="5",
    mu="5",
)
def closed_divergence(sigma, mu):
    return -0.5 * (1 + np.log(sigma**2) - mu**2 - sigma**2).sum()


@formula(
    r"""
The conditional score with classifier-free guidance is
\begin{equation}
\tilde{\epsilon}_i = (1 + w)\, \epsilon_i^{c} - w\, \epsilon_i^{\varnothing}, \qquad x^{\text{prev}}_i = \sqrt{\bar\alpha_{\text{prev}}} \left( \frac{x_i - \sqrt{1 - \bar\alpha}\, \tilde\epsilon_i}{\sqrt{\bar\alpha}} \right) + \sqrt{1 - \bar\alpha_{\text{prev}}}\, \tilde\epsilon_i .
\end{equation}
""",
    source="Ho, Salimans, Classifier-free diffusion guidance, 2022; Song et al., DDIM, 2021, equation 12 without noise",
    shapes=("input epsilon_c[N], epsilon_varnothing[N]",),
    output="x_prev",
    w="",
    epsilon_c="4",
    epsilon_varnothing="4",
    alpha_bar_prev=lambda r: np.array(0.8),
    x="4",
    alpha_bar=lambda r: np.array(0.6),
)
def guided_step(w, epsilon_c, epsilon_varnothing, alpha_bar_prev, x, alpha_bar):
    e = (1 + w) * epsilon_c - w * epsilon_varnothing
    x0 = (x - np.sqrt(1 - alpha_bar) * e) / np.sqrt(alpha_bar)
    return np.sqrt(alpha_bar_prev) * x0 + np.sqrt(1 - alpha_bar_prev) * e


@formula(
    r"""
Let $\alpha_t(j)$ be the forward probability. The forward recursion computes
\begin{equation}
\alpha_{t}(j) = \left[ \sum_{i=1}^{N} \alpha_{t-1}(i)\, a_{ij} \right] b_j(O_t)
\end{equation}
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equation 20",
    leaves_open="a recursion over time",
    a="3",
)
def forward_recursion(a):
    return np.zeros(3)


@formula(
    r"""
The Kalman gain and the updated covariance are
\begin{align}
K &= P H^\top S, \\
P^{+} &= (I - K H) P,
\end{align}
with $P \in \mathbb{R}^{n \times n}$, $H \in \mathbb{R}^{m \times n}$ and $S \in \mathbb{R}^{m \times m}$ the inverse of the innovation covariance.
""",
    source="Kalman, A new approach to linear filtering and prediction problems, 1960; as textbooks print it",
    output="P_plus",
    P="3 3",
    H="2 3",
    S="2 2",
)
def kalman_update(P, H, S):
    return (np.eye(3) - P @ H.T @ S @ H) @ P


@formula(
    r"""
The Gaussian process predictive variance at $x_*$ with $\alpha = K^{-1}$ given is
\begin{equation}
\sigma_*^2 = k(x_*, x_*) - \sum_{i=1}^{n} \sum_{j=1}^{n} k_i \alpha_{ij} k_j
\end{equation}
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, equation 2.26, by elements",
    leaves_open="the kernel at one point",
    k="3",
)
def predictive_variance(k):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Matern kernel with $\nu = 5/2$ and automatic relevance determination is
\begin{equation}
k_{ij} = \sigma_f^2 \left( 1 + \sqrt{5}\, r_{ij} + \frac{5}{3} r_{ij}^2 \right) \exp\left( -\sqrt{5}\, r_{ij} \right), \qquad r_{ij}^2 = \sum_{d=1}^{D} \frac{(x_{id} - x_{jd})^2}{\ell_d^2}
\end{equation}
\end{document}
""",
    source="Snoek, Larochelle, Adams, Practical Bayesian optimization, 2012, equation 5",
    output="k",
    sigma_f="",
    x=lambda r: normal(r, 4, 2),
    ell="2",
)
def matern_relevance(sigma_f, x, ell):
    d = ((x[:, None] - x) / ell) ** 2
    r = np.sqrt(d.sum(2))
    return sigma_f**2 * (1 + np.sqrt(5) * r + 5 / 3 * r**2) * np.exp(-np.sqrt(5) * r)


@formula(
    r"""
The expected improvement over the incumbent $f^*$ is
\begin{equation}
\mathrm{EI}_i = (f^* - \mu_i)\, \Phi(z_i) + \sigma_i\, \phi(z_i), \qquad z_i = \frac{f^* - \mu_i}{\sigma_i},
\end{equation}
where $\Phi(\cdot)$ and $\phi(\cdot)$ are the CDF and PDF of the standard normal distribution.
""",
    source="Jones, Schonlau, Welch, Efficient global optimization, 1998, equation 15",
    output="EI",
    f_star="",
    mu="5",
    sigma="5",
)
def expected_improvement(f_star, mu, sigma):
    from math import erf

    z = (f_star - mu) / sigma
    cdf = np.array([0.5 * (1 + erf(v / np.sqrt(2))) for v in z])
    return (f_star - mu) * cdf + sigma * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)


@formula(
    r"""
The unbiased estimator of the squared MMD is
\begin{equation}
\widehat{\mathrm{MMD}}^2_u = \frac{1}{m(m-1)} \sum_{i \neq j}^{m} k(x_i, x_j) + \frac{1}{n(n-1)} \sum_{i \neq j}^{n} k(y_i, y_j) - \frac{2}{mn} \sum_{i,j=1}^{m,n} k(x_i, y_j)
\end{equation}
with $k(x, y) = \exp(-\|x - y\|^2 / (2 \sigma^2))$ and $x_i, y_j \in \mathbb{R}^d$.
""",
    source="Gretton et al., A kernel two-sample test, 2012, equation 3",
    x=lambda r: normal(r, 4, 2),
    y=lambda r: normal(r, 5, 2),
    sigma="",
)
def unbiased_mmd(x, y, sigma):
    def k(a, b):
        return np.exp(-((a[:, None] - b) ** 2).sum(2) / (2 * sigma**2))

    xx, yy, xy = k(x, x), k(y, y), k(x, y)
    return (
        (xx.sum() - np.trace(xx)) / (4 * 3)
        + (yy.sum() - np.trace(yy)) / (5 * 4)
        - 2 / 20 * xy.sum()
    )


@formula(
    r"""
\begin{equation}
\frac{d x_k}{d t} = (x_{k+1} - x_{k-2})\, x_{k-1} - x_k + F
\end{equation}
for $k = 1, \ldots, K$ with cyclic indices, $x_{k+K} = x_k$.
""",
    source="Lorenz, Predictability: a problem partly solved, 1996, equation 1",
    x=lambda r: normal(r, 6),
    F="",
)
def lorenz_ring(x, F):
    return (np.roll(x, -1) - np.roll(x, 2)) * np.roll(x, 1) - x + F


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Soft DTW aside, the dynamic Hawkes intensity with exponential kernels is
\begin{equation}
\lambda_u(t) = \mu_u + \sum_{v=1}^{U} \sum_{t_i^v < t} \alpha_{uv} e^{-\beta (t - t_i^v)}
\end{equation}
\end{document}
""",
    source="Hawkes, Spectra of some self-exciting point processes, 1971; as papers on networks print it",
    leaves_open="events of several kinds with superscripts",
    mu="3",
)
def hawkes_network(mu):
    return np.zeros(3)


@formula(
    r"""
The loss of the Deep Q network is averaged over a batch,
\[
L(\theta) = \frac{1}{B} \sum_{b=1}^{B} \left( r_b + \gamma \max_{a'} Q'_{b a'} - Q_b \right)^2 .
\]
""",
    source="Mnih et al., Playing Atari with deep reinforcement learning, 2013, equation 2 over a batch",
    r="4",
    gamma="",
    Q_prime="4 3",
    Q="4",
)
def batch_q_loss(r, gamma, Q_prime, Q):
    return np.mean((r + gamma * Q_prime.max(1) - Q) ** 2)


@formula(
    r"""
Assortment by the multinomial logit model: the choice probability and the log-likelihood are
\begin{align*}
P_{ni} &= \frac{e^{V_{ni}}}{\sum_{j=1}^{J} e^{V_{nj}}}, & V_{ni} &= \beta^{\prime} x_{ni}, & LL(\beta) &= \sum_{n=1}^{N} \sum_{i=1}^{J} y_{ni} \ln P_{ni}
\end{align*}
with $x_{ni}, \beta \in \mathbb{R}^K$.
""",
    source="Train, Discrete choice methods with simulation, 2009, equations 3.6 and 3.10",
    output="LL",
    beta="2",
    x=lambda r: normal(r, 4, 3, 2),
    y="4 3",
)
def logit_likelihood(beta, x, y):
    v = x @ beta
    p = np.exp(v) / np.exp(v).sum(1, keepdims=True)
    return (y * np.log(p)).sum()
