"""Formulas of papers as older and newer styles print them: arrays for cases, split equations, limits below signs, own operators."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The smooth L1 loss is
\begin{equation}
L_{loc}(t, v) = \sum_{i=1}^{4} \text{smooth}_{L_1}(t_i - v_i),
\end{equation}
in which
\begin{equation}
\text{smooth}_{L_1}(x) = \left\{ \begin{array}{ll} 0.5 x^2 & \text{if } |x| < 1 \\ |x| - 0.5 & \text{otherwise,} \end{array} \right.
\end{equation}
\end{document}
""",
    source="Girshick, Fast R-CNN, 2015, equations 2 and 3",
    t=lambda r: normal(r, 4),
    v=lambda r: normal(r, 4),
)
def smooth_localisation(t, v):
    d = t - v
    return np.where(np.abs(d) < 1, 0.5 * d**2, np.abs(d) - 0.5).sum()


@formula(
    r"""
\begin{eqnarray}
\mathcal{L}_{cls} & = & - \sum_{i=1}^{N} \left[ \alpha\, y_i (1 - p_i)^{\gamma} \log p_i + (1 - \alpha) (1 - y_i)\, p_i^{\gamma} \log (1 - p_i) \right] \nonumber
\end{eqnarray}
""",
    source="Lin et al., Focal loss for dense object detection, 2017, with both classes",
    alpha=lambda r: np.array(0.25),
    y=lambda r: np.array([1.0, 0.0, 1.0]),
    p=lambda r: r.uniform(0.2, 0.8, 3),
    gamma="",
)
def focal_both(alpha, y, p, gamma):
    return -(
        alpha * y * (1 - p) ** gamma * np.log(p) + (1 - alpha) * (1 - y) * p**gamma * np.log(1 - p)
    ).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\DeclareMathOperator{\MSA}{MSA}
\DeclareMathOperator{\softmax}{softmax}
\begin{document}
The self-attention of a sequence $\mathbf{z} \in \mathbb{R}^{N \times D}$ is
\begin{align}
[\mathbf{q}, \mathbf{k}, \mathbf{v}] &= \mathbf{z} \mathbf{U}_{qkv} & \mathbf{U}_{qkv} &\in \mathbb{R}^{D \times 3 D_h}, \\
A &= \softmax\left( \mathbf{q} \mathbf{k}^\top / \sqrt{D_h} \right) & A &\in \mathbb{R}^{N \times N}.
\end{align}
\end{document}
""",
    source="Dosovitskiy et al., An image is worth 16x16 words, 2021, equations 5 and 6",
    leaves_open="three matrices side by side",
    z="4 3",
)
def vision_attention(z):
    return np.zeros((4, 4))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The cross-covariance image descriptor (style loss) at layer $l$ is
\begin{equation}
\begin{split}
E_l &= \frac{1}{4 N_l^2 M_l^2} \sum_{i,j} \left( G_{ij} - A_{ij} \right)^2, \\
G_{ij} &= \sum_{k=1}^{M_l} F_{ik} F_{jk}.
\end{split}
\end{equation}
\end{document}
""",
    source="Gatys, Ecker, Bethge, Image style transfer, 2016, equations 3 and 4, for one layer",
    output="E_l",
    shapes=("size N_l, M_l", "input F[N_l, M_l], A[N_l, N_l]"),
    F="3 5",
    A="3 3",
)
def style_of_layer(F, A):
    G = F @ F.T
    return ((G - A) ** 2).sum() / (4 * 3**2 * 5**2)


@formula(
    r"""
The total generalised dice loss over $L$ labels is
$$\mathrm{GDL} = 1 - 2\, \frac{\displaystyle\sum_{l=1}^{L} w_l \sum_{n} r_{ln} p_{ln}}{\displaystyle\sum_{l=1}^{L} w_l \sum_{n} (r_{ln} + p_{ln})}, \qquad w_l = \frac{1}{\left( \sum_{n} r_{ln} \right)^2} .$$
""",
    source="Sudre et al., Generalised dice overlap, 2017, equation 1",
    output="GDL",
    r="3 5",
    p="3 5",
)
def generalised_dice_labels(r, p):
    w = 1 / r.sum(1) ** 2
    return 1 - 2 * (w * (r * p).sum(1)).sum() / (w * (r + p).sum(1)).sum()


@formula(
    r"""
\begin{equation}
\ell_{i,j} = -\log \frac{\exp(\mathrm{sim}(z_i, z_j) / \tau)}{\sum\limits_{k=1}^{2N} \mathbb{1}_{[k \neq i]} \exp(\mathrm{sim}(z_i, z_k) / \tau)}
\end{equation}
where $\mathrm{sim}(u, v) = u^\top v / \|u\| \|v\|$ denotes the cosine similarity.
""",
    source="Chen et al., SimCLR, 2020, equation 1",
    shapes=("size N, d", "input z[2*N, d]"),
    z=lambda r: normal(r, 4, 3),
    tau="",
)
def simclr_pair(z, tau):
    u = z / np.linalg.norm(z, axis=1, keepdims=True)
    s = np.exp(u @ u.T / tau)
    return -np.log(s / (s.sum(1) - np.diag(s))[:, None])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,mathtools}
\begin{document}
For a batch of embeddings $z \in \mathbb{R}^{n \times d}$ the variance term of VICReg is
\begin{equation}
v(Z) \coloneqq \frac{1}{d} \sum_{j=1}^{d} \max\left( 0, \gamma - S(z^j, \epsilon) \right), \qquad S(x, \epsilon) = \sqrt{\operatorname{Var}(x) + \epsilon}
\end{equation}
\end{document}
""",
    source="Bardes, Ponce, LeCun, VICReg, 2022, equation 1",
    leaves_open="columns above the letter, and the divisor of the variance",
    z="4 3",
)
def vicreg_variance(z):
    return 0.0


@formula(
    r"""
The squeeze operation and the excitation for channel $c$ are
\begin{align}
z_c &= \mathbf{F}_{sq}(\mathbf{u}_c) = \frac{1}{H \times W} \sum_{i=1}^{H} \sum_{j=1}^{W} u_c(i, j), \\
\tilde{u}_c(i,j) &= s_c\, u_c(i, j), \qquad s_c = \frac{1}{1 + e^{-\sum_k w_{ck} z_k}} .
\end{align}
""",
    source="Hu, Shen, Sun, Squeeze-and-excitation networks, 2018, equations 2 and 4, with one layer",
    output="u_tilde",
    u=lambda r: normal(r, 3, 2, 4),
    w=lambda r: normal(r, 3, 3),
)
def squeezed_channels(u, w):
    s = 1 / (1 + np.exp(-(w @ u.mean((1, 2)))))
    return s[:, None, None] * u


@formula(
    r"""
Depthwise separable convolutions split this into two parts:
\begin{equation}
\hat{\mathbf{G}}_{k,l,m} = \sum_{i,j} \hat{\mathbf{K}}_{i,j,m} \cdot \mathbf{F}_{k+i-1,l+j-1,m}
\end{equation}
where $\hat{\mathbf{K}}$ is the depthwise convolutional kernel of size $D_K \times D_K \times M$.
""",
    source="Howard et al., MobileNets, 2017, equation 3",
    shapes=("base 1", "size D, H, W, M", "input K_hat[D, D, M], F[H, W, M]"),
    K_hat="3 3 2",
    F="5 6 2",
)
def depthwise_filter(K_hat, F):
    out = np.zeros((3, 4, 2))
    for k in range(3):
        for l in range(4):
            out[k, l] = (K_hat * F[k : k + 3, l : l + 3]).sum((0, 1))
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\begin{equation}
y_{j} = \max_{0 \le m < 2} \, x_{2j + m}, \qquad j = 0, \ldots, J - 1.
\end{equation}
\end{document}
""",
    source="LeCun et al., Gradient-based learning applied to document recognition, 1998; maximum pooling as papers print it",
    sizes={"J": 3},
    x=lambda r: normal(r, 6),
)
def pooling_of_pairs(x):
    return x.reshape(3, 2).max(1)


@formula(
    r"""
The update of the exponential moving averages is $\bar{N}_i = \gamma N_i + (1 - \gamma) n_i$, and the codes move to
\begin{equation}
e_i = \frac{\gamma\, m_i + (1 - \gamma) \sum_{j=1}^{n} a_{ij} z_j}{\gamma N_i + (1 - \gamma) \sum_{j=1}^{n} a_{ij}}
\end{equation}
with $m_i, z_j \in \mathbb{R}^D$.
""",
    source="van den Oord, Vinyals, Kavukcuoglu, Neural discrete representation learning, 2017, appendix A.1",
    gamma="",
    m=lambda r: normal(r, 3, 2),
    a="3 5",
    z=lambda r: normal(r, 5, 2),
    N="3",
)
def moving_codes(gamma, m, a, z, N):
    return (gamma * m + (1 - gamma) * a @ z) / (gamma * N + (1 - gamma) * a.sum(1))[:, None]


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{DML}} = D_{KL}(p_2 \| p_1) + L_{C_1}, \quad D_{KL}(p_2 \| p_1) = \sum_{i=1}^{N} \sum_{m=1}^{M} p_2^m(x_i) \log \frac{p_2^m(x_i)}{p_1^m(x_i)}
\end{equation}
""",
    source="Zhang et al., Deep mutual learning, 2018, equations 3 and 4",
    leaves_open="functions with superscripts of classes",
    p="3",
)
def mutual_learning(p):
    return 0.0


@formula(
    r"""
\documentclass{aastex63}
\usepackage{amsmath}
\begin{document}
The total gravitational potential energy of the $N$-body system with softening $\epsilon$ is
\begin{equation}
W = -\frac{1}{2} \sum_{i=1}^{N} \sum_{\substack{j=1\\ j\ne i}}^{N} \frac{G m_i m_j}{\sqrt{|\mathbf{r}_i - \mathbf{r}_j|^2 + \epsilon^2}} .
\end{equation}
\end{document}
""",
    source="Aarseth, Gravitational N-body simulations, 2003, section 1.2",
    shapes=("input r[N, 3]",),
    G="",
    m="4",
    r=lambda r: normal(r, 4, 3),
    epsilon="",
)
def softened_energy(G, m, r, epsilon):
    return -0.5 * sum(
        G * m[i] * m[j] / np.sqrt(((r[i] - r[j]) ** 2).sum() + epsilon**2)
        for i in range(4)
        for j in range(4)
        if i != j
    )


@formula(
    r"""
The chi-squared of a template fit is
\[
\chi^2 = \sum_{i=1}^{N} \frac{\left( d_i - \sum_{k=1}^{K} a_k T_{k,i} \right)^2}{\sigma_i^2 + \sum_{k=1}^{K} a_k^2 \delta_{k,i}^2}
\]
""",
    source="Barlow, Beeston, Fitting using finite Monte Carlo samples, 1993; as papers on template fits print it",
    leaves_open="delta with two indices",
    d="5",
)
def template_fit(d):
    return 0.0


@formula(
    r"""
The mean anomaly aside, the radial velocity of a star with $n_p$ planets on circular orbits is
\begin{equation}
v(t_i) = \gamma + \sum_{k=1}^{n_p} K_k \cos\left( \frac{2 \pi t_i}{P_k} + \phi_k \right)
\end{equation}
""",
    source="Perryman, The exoplanet handbook, 2018, chapter 2, for circular orbits",
    gamma="",
    K="2",
    t="5",
    P="2",
    phi="2",
)
def radial_velocity(gamma, K, t, P, phi):
    return np.array(
        [gamma + sum(K[k] * np.cos(2 * np.pi * s / P[k] + phi[k]) for k in range(2)) for s in t]
    )


@formula(
    r"""
\documentclass{revtex4-1}
\usepackage{amsmath,bm}
\begin{document}
The classical Heisenberg Hamiltonian with uniaxial anisotropy and a field,
\begin{equation}
\mathcal{H} = -\sum_{i<j} J_{ij}\, \mathbf{S}_i \cdot \mathbf{S}_j - D \sum_i \left( S_i^z \right)^2 - \mu \sum_i \mathbf{B} \cdot \mathbf{S}_i
\end{equation}
\end{document}
""",
    source="Nowak, Classical spin models, 2007, equation 3",
    leaves_open="a component with its own letter",
    J="3",
)
def heisenberg(J):
    return 0.0


@formula(
    r"""
The tight-binding dispersion summed over the bonds $\boldsymbol{\delta}_j$ is
\begin{equation}
\varepsilon_k = -2 t \sum_{j=1}^{3} \cos\left( \mathbf{k}_k \cdot \mathbf{a}_j \right) - \mu
\end{equation}
""",
    source="Ashcroft, Mermin, Solid state physics, 1976, equation 10.22, at sampled wave vectors",
    leaves_open="the index has the letter of the vector",
    t="",
)
def band_energy(t):
    return np.zeros(3)


@formula(
    r"""
The structure factor of a crystal with atoms at fractional coordinates $(x_j, y_j, z_j)$ has the squared modulus
\begin{equation}
|F_{hkl}|^2 = \left[ \sum_{j=1}^{N} f_j \cos 2\pi (h x_j + k y_j + l z_j) \right]^2 + \left[ \sum_{j=1}^{N} f_j \sin 2\pi (h x_j + k y_j + l z_j) \right]^2
\end{equation}
""",
    source="Cullity, Stock, Elements of X-ray diffraction, 2001, equation 4-11",
    leaves_open="Miller indices as values and labels",
    f="4",
)
def crystal_factor(f):
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Using the Manning formula, the diffusive flux between cells, the source term of the shallow water equations is
\begin{equation}
S_{f,i} = \frac{n_i^2\, u_i \sqrt{u_i^2 + v_i^2}}{h_i^{4/3}} .
\end{equation}
\end{document}
""",
    source="Toro, Shock-capturing methods for free-surface shallow flows, 2001, equation 2.4",
    n="5",
    u=lambda r: normal(r, 5),
    v=lambda r: normal(r, 5),
    h="5",
)
def friction_slope(n, u, v, h):
    return n**2 * u * np.sqrt(u**2 + v**2) / h ** (4 / 3)


@formula(
    r"""
The explicit scheme for the two-dimensional heat equation gives
\begin{equation}
u_{i,j}^{n+1} = u_{i,j}^{n} + \frac{\alpha \Delta t}{(\Delta x)^2} \left( u_{i+1,j}^{n} + u_{i-1,j}^{n} + u_{i,j+1}^{n} + u_{i,j-1}^{n} - 4 u_{i,j}^{n} \right)
\end{equation}
""",
    source="LeVeque, Finite difference methods, 2007, section 9.7",
    leaves_open="a step in time",
    u="4 4",
)
def explicit_heat(u):
    return u


@formula(
    r"""
Let $f_{i}$ be sampled at $x_i = i h$. The compact sum of Boole's rule over one panel, with weights $(7, 32, 12, 32, 7)$, is
\begin{equation}
I = \frac{2h}{45} \left( 7 f_0 + 32 f_1 + 12 f_2 + 32 f_3 + 7 f_4 \right).
\end{equation}
""",
    source="Abramowitz, Stegun, Handbook of mathematical functions, 1964, equation 25.4.14",
    shapes=("input f[5]",),
    h="",
    f="5",
)
def boole_rule(h, f):
    return 2 * h / 45 * (7 * f[0] + 32 * f[1] + 12 * f[2] + 32 * f[3] + 7 * f[4])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Gauss--Legendre quadrature on the interval $[a, b]$ reads
\begin{equation}
\int_a^b f(x)\,dx \approx \frac{b-a}{2} \sum_{i=1}^{n} w_i\, f\left( \frac{b-a}{2} \xi_i + \frac{a+b}{2} \right), \qquad f(x) = \frac{1}{1 + x^2}.
\end{equation}
\end{document}
""",
    source="Stoer, Bulirsch, Introduction to numerical analysis, 2002, section 3.6, with Runge's function",
    b="",
    a="",
    w="4",
    xi="4",
)
def gauss_legendre(b, a, w, xi):
    x = (b - a) / 2 * xi + (a + b) / 2
    return (b - a) / 2 * (w / (1 + x**2)).sum()


@formula(
    r"""
The Lotka--Volterra competition of $S$ species is
\[
\frac{1}{N_i} \frac{d N_i}{d t} = r_i - \sum_{j=1}^{S} a_{ij} N_j
\]
""",
    source="Chesson, Mechanisms of maintenance of species diversity, 2000, equation 1",
    output="dN_dt",
    r="3",
    a="3 3",
    N="3",
)
def per_capita_growth(r, a, N):
    return N * (r - a @ N)


@formula(
    r"""
The force of infection on age group $a$ with contact matrix $C$ is
\begin{equation}
\lambda_a(t) = q\, \sigma_a \sum_{b=1}^{A} C_{ab}\, \frac{I_b(t) + \kappa\, P_b(t)}{N_b}
\end{equation}
where $q$ is the transmissibility.
""",
    source="Davies et al., Age-dependent effects in the transmission and control of COVID-19, 2020, shortened",
    q="",
    sigma="3",
    C="3 3",
    I="3",
    kappa="",
    P="3",
    N="3",
)
def infection_by_age(q, sigma, C, I, kappa, P, N):
    return q * sigma * (C @ ((I + kappa * P) / N))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The log-odds score of a sequence $x$ under a position weight matrix is
\begin{equation}
S(x) = \sum_{l=1}^{L} \log_2 \frac{p_{l, x_l}}{q_{x_l}}
\end{equation}
where $x_l \in \{1, \ldots, 4\}$ and $q$ is the background.
\end{document}
""",
    source="Stormo, DNA binding sites, 2000, equation 2",
    shapes=("size L", "input x[L]: int64, p[L, 4], q[4]"),
    leaves_open="letters of the sequence count from one, which arrays do not",
    p="3 4",
)
def log_odds(p):
    return 0.0


@formula(
    r"""
The F-statistic of one-way analysis of variance with $K$ groups of $n$ observations is
\begin{equation}
F = \frac{\sum_{i=1}^{K} n \left( \bar{Y}_{i\cdot} - \bar{Y} \right)^2 / (K - 1)}{\sum_{i=1}^{K} \sum_{j=1}^{n} \left( Y_{ij} - \bar{Y}_{i\cdot} \right)^2 / (K (n - 1))}
\end{equation}
where $\bar{Y}_{i\cdot}$ denotes the sample mean in the $i$-th group, and $\bar{Y}$ the overall mean of the data.
""",
    source="Montgomery, Design and analysis of experiments, 2012; as in an encyclopedia",
    Y=lambda r: normal(r, 3, 4),
)
def f_statistic(Y):
    g = Y.mean(1)
    between = (4 * (g - Y.mean()) ** 2).sum() / 2
    within = ((Y - g[:, None]) ** 2).sum() / (3 * 3)
    return between / within


@formula(
    r"""
Spearman's coefficient without ties is
\begin{equation}
r_s = 1 - \frac{6 \sum_{i=1}^{n} d_i^2}{n (n^2 - 1)} .
\end{equation}
""",
    source="Spearman, The proof and measurement of association between two things, 1904; as in an encyclopedia",
    d=lambda r: normal(r, 5),
)
def spearman(d):
    return 1 - 6 * (d**2).sum() / (5 * 24)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\E}{\mathbb{E}}
\newcommand{\norm}[1]{\left\lVert#1\right\rVert}
\begin{document}
The smoothed objective of elastic weight consolidation is
\begin{equation}
\mathcal{L}(\theta) = \mathcal{L}_B(\theta) + \sum_{i} \frac{\lambda}{2} F_i \left( \theta_i - \theta_{A,i}^{*} \right)^2
\end{equation}
where $\mathcal{L}_B(\theta)$ is the loss for task B only.
\end{document}
""",
    source="Kirkpatrick et al., Overcoming catastrophic forgetting, 2017, equation 3",
    leaves_open="a loss that is not written",
    F="3",
)
def consolidation(F):
    return 0.0


@formula(
    r"""
The Sobolev-type smoothness penalty of a B-spline with coefficients $\beta_k$ is
\begin{equation}
P = \lambda \sum_{k=3}^{K} \left( \Delta^2 \beta_k \right)^2, \qquad \Delta^2 \beta_k = \beta_k - 2 \beta_{k-1} + \beta_{k-2}
\end{equation}
""",
    source="Eilers, Marx, Flexible smoothing with B-splines and penalties, 1996, equation 7",
    leaves_open="a power of the difference operator is a name",
    b="3",
)
def spline_penalty(b):
    return 0.0


@formula(
    r"""
\begin{equation}
\hat{m}(x_k) = \frac{\sum_{i=1}^{n} K\left( \frac{x_k - X_i}{h} \right) Y_i}{\sum_{i=1}^{n} K\left( \frac{x_k - X_i}{h} \right)}, \qquad K(u) = \tfrac{3}{4} (1 - u^2)\, \mathbf{1}\{ |u| \le 1 \}
\end{equation}
""",
    source="Nadaraya, On estimating regression, 1964, with Epanechnikov's kernel",
    x="3",
    X="6",
    h=lambda r: np.array(1.5),
    Y="6",
)
def epanechnikov_regression(x, X, h, Y):
    def kernel(u):
        return 0.75 * (1 - u**2) * (np.abs(u) <= 1)

    return np.array([(kernel((a - X) / h) * Y).sum() / kernel((a - X) / h).sum() for a in x])


@formula(
    r"""
For each pair of neurons the covariance-based plasticity rule reads
\begin{equation}
\Delta w_{ij} = \eta\, (x_i - \langle x_i \rangle)(y_j - \langle y_j \rangle)
\end{equation}
""",
    source="Sejnowski, Storing covariance with nonlinearly interacting neurons, 1977; as textbooks print it",
    leaves_open="averages in angles",
    x="3",
)
def covariance_rule(x):
    return np.zeros(3)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The max-margin structured hinge of multi-class classification with one-hot labels $y_{ik}$ is
\begin{equation}
\ell = \frac{1}{n} \sum_{i=1}^{n} \max_{1 \le k \le K} \left( s_{ik} + 1 - y_{ik} \right) - \frac{1}{n} \sum_{i=1}^{n} \sum_{k=1}^{K} y_{ik} s_{ik} .
\end{equation}
\end{document}
""",
    source="Crammer, Singer, On the algorithmic implementation of multiclass kernel-based vector machines, 2001",
    s=lambda r: normal(r, 4, 3),
    y=lambda r: np.eye(3)[[0, 2, 1, 1]],
)
def structured_hinge(s, y):
    return (s + 1 - y).max(1).mean() - (y * s).sum(1).mean()


@formula(
    r"""
The gated recurrent unit computes, for each component $j$,
\begin{align}
r_j &= \sigma\left( [\mathbf{W}_r \mathbf{x}]_j + [\mathbf{U}_r \mathbf{h}]_j \right), \\
\tilde{h}_j &= \phi\left( [\mathbf{W} \mathbf{x}]_j + [\mathbf{U} (\mathbf{r} \odot \mathbf{h})]_j \right),
\end{align}
where $\sigma$ is the logistic sigmoid function, $\phi$ is the hyperbolic tangent, $\mathbf{x} \in \mathbb{R}^d$, $\mathbf{h} \in \mathbb{R}^n$, $\mathbf{W}_r, \mathbf{W} \in \mathbb{R}^{n \times d}$ and $\mathbf{U}_r, \mathbf{U} \in \mathbb{R}^{n \times n}$.
""",
    source="Cho et al., Learning phrase representations using RNN encoder-decoder, 2014, equations 5 and 8",
    output="h_tilde",
    W_r=lambda r: normal(r, 3, 2),
    x="2",
    U_r=lambda r: normal(r, 3, 3),
    h="3",
    W=lambda r: normal(r, 3, 2),
    U=lambda r: normal(r, 3, 3),
)
def reset_gate(W_r, x, U_r, h, W, U):
    r = 1 / (1 + np.exp(-(W_r @ x + U_r @ h)))
    return np.tanh(W @ x + U @ (r * h))


@formula(
    r"""
The generalised mean-variance utility of an allocation is
\begin{equation}
U = \mathbf{w}^{\mathsf{T}} \boldsymbol{\mu} - \frac{\gamma}{2} \mathbf{w}^{\mathsf{T}} \boldsymbol{\Sigma} \mathbf{w} - \kappa \sum_{i=1}^{N} |w_i - w_i^0|
\end{equation}
""",
    source="Fabozzi et al., Robust portfolio optimization and management, 2007; with transaction costs",
    shapes=("input w[N], mu[N], Sigma[N, N]",),
    w="3",
    mu="3",
    gamma="",
    Sigma="3 3",
    kappa="",
    w_0="3",
)
def utility_with_costs(w, mu, gamma, Sigma, kappa, w_0):
    return w @ mu - gamma / 2 * w @ Sigma @ w - kappa * np.abs(w - w_0).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Ewens' sampling formula gives the expected number of alleles in a sample of size $n$,
\begin{equation}
\mathbb{E}[K_n] = \sum_{i=0}^{n-1} \frac{\theta}{\theta + i}.
\end{equation}
\end{document}
""",
    source="Ewens, The sampling theory of selectively neutral alleles, 1972, equation 12",
    sizes={"n": 5},
    theta="",
)
def expected_alleles(theta):
    return sum(theta / (theta + i) for i in range(5))


@formula(
    r"""
We define the soft assignment and the cluster loss
\begin{equation}
q_{ij} = \frac{(1 + \| z_i - \mu_j \|^2 / \alpha)^{-\frac{\alpha+1}{2}}}{\sum_{j'} (1 + \| z_i - \mu_{j'} \|^2 / \alpha)^{-\frac{\alpha+1}{2}}}, \qquad
L = \mathrm{KL}(P \| Q) = \sum_i \sum_j p_{ij} \log \frac{p_{ij}}{q_{ij}}
\end{equation}
""",
    source="Xie, Girshick, Farhadi, Unsupervised deep embedding for clustering analysis, 2016, equations 1 and 2",
    shapes=("size n, k, d", "input z[n, d], mu[k, d]"),
    output="L",
    z=lambda r: normal(r, 5, 2),
    mu=lambda r: normal(r, 3, 2),
    alpha="",
    p="5 3",
)
def clustering_loss(z, mu, alpha, p):
    d = ((z[:, None] - mu) ** 2).sum(2)
    q = (1 + d / alpha) ** (-(alpha + 1) / 2)
    q = q / q.sum(1, keepdims=True)
    return (p * np.log(p / q)).sum()


@formula(
    r"""
\begin{align}
\text{NLL} &= \frac{1}{N} \sum_{n=1}^N \left[ \frac{1}{2} \log \hat\sigma_n^2 + \frac{(y_n - \hat\mu_n)^2}{2 \hat\sigma_n^2} \right] + \frac{1}{2} \log 2\pi
\end{align}
""",
    source="Lakshminarayanan, Pritzel, Blundell, Simple and scalable predictive uncertainty estimation, 2017, equation 1",
    sigma_hat="4",
    y="4",
    mu_hat="4",
)
def predictive_likelihood(sigma_hat, y, mu_hat):
    v = sigma_hat**2
    return np.mean(0.5 * np.log(v) + (y - mu_hat) ** 2 / (2 * v)) + 0.5 * np.log(2 * np.pi)


@formula(
    r"""
The Nash--Sutcliffe-type index of agreement by Willmott is
\begin{equation}
d = 1 - \frac{\sum_{i=1}^{n} (O_i - P_i)^2}{\sum_{i=1}^{n} \left( |P_i - \bar{O}| + |O_i - \bar{O}| \right)^2}, \qquad 0 \le d \le 1,
\end{equation}
where $\bar{O}$ is the mean of the observations.
""",
    source="Willmott, On the validation of models, 1981, equation 5",
    O="5",
    P="5",
)
def index_of_agreement(O, P):
    m = O.mean()
    return 1 - ((O - P) ** 2).sum() / ((np.abs(P - m) + np.abs(O - m)) ** 2).sum()


@formula(
    r"""
The pairwise ranking loss over observed items is
\[
\text{BPR-OPT} = \sum_{u} \sum_{i,j} D_{uij} \ln \sigma(\hat{x}_{ui} - \hat{x}_{uj}) - \lambda_\Theta \left( \sum_{u,f} w_{uf}^2 + \sum_{i,f} h_{if}^2 \right), \qquad \hat{x}_{ui} = \sum_{f=1}^{k} w_{uf} h_{if}
\]
where $\sigma$ is the logistic sigmoid.
""",
    source="Rendle et al., BPR: Bayesian personalized ranking from implicit feedback, 2009, section 4.1, with a mask",
    output="BPR_OPT",
    D="3 4 4",
    lambda_Theta="",
    w="3 2",
    h="4 2",
)
def ranking_criterion(D, lambda_Theta, w, h):
    x = w @ h.T
    s = 1 / (1 + np.exp(-(x[:, :, None] - x[:, None, :])))
    return (D * np.log(s)).sum() - lambda_Theta * ((w**2).sum() + (h**2).sum())
