"""Formulas of articles and textbooks on learning, mechanics, chemistry and economics."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass[10pt,twocolumn,letterpaper]{article}
\usepackage{iccv}
\usepackage{amsmath,amssymb}
\begin{document}
Asymmetric probability shifting is defined as
\begin{equation}
  p_m = \max(p-m,0)
\end{equation}
Now we integrate the probability shifting into Asymmetric Focusing, and obtain the \textbf{Asymmetric Loss} (ASL):
\begin{equation}
ASL =
\begin{cases}
L_{+} = & (1-p)^{\gamma_+} \log(p) \\
L_{-} = & (p_m)^{\gamma_{-}} \log(1-p_m)
\end{cases}
\end{equation}
The total loss with the target $y$ is $L = -y L_+ - (1-y) L_-$.
\end{document}
""",
    source="Ridnik et al., Asymmetric loss for multi-label classification, 2021, equations 5 and 7, and equation 1",
    output="L",
    y=lambda r: 1.0,
    p=lambda r: 0.7,
    m=lambda r: 0.05,
    gamma_plus=lambda r: 1.0,
    gamma_minus=lambda r: 4.0,
)
def asymmetric_loss(y, p, m, gamma_plus, gamma_minus):
    q = max(p - m, 0)
    return -y * (1 - p) ** gamma_plus * np.log(p) - (1 - y) * q**gamma_minus * np.log(1 - q)


@formula(
    r"""
\documentclass{article}
\usepackage{cvpr}
\usepackage{amsmath,amssymb}
\newcommand{\x}{\mathbf{x}}
\newcommand{\w}{\mathbf{w}}
\begin{document}
The similarity between an example and a class with $K$ centers is relaxed to
\begin{equation}
\mathcal{S}'_{i,c} = \sum_k \frac{\exp(\frac{1}{\gamma} \x_i^\top \w_c^k)}{\sum_k \exp(\frac{1}{\gamma} \x_i^\top \w_c^k)} \x_i^\top \w_c^k .
\end{equation}
\end{document}
""",
    source="Qian et al., SoftTriple loss: deep metric learning without triplet sampling, 2019, equation 6",
    shapes=("upper", "size N, C, K, D", "input x[N, D], w[C, K, D], gamma[]"),
    gamma=lambda r: 0.4,
    x=lambda r: normal(r, 3, 4),
    w=lambda r: normal(r, 2, 3, 4),
)
def soft_triple(gamma, x, w):
    N, D = x.shape
    C, K, _ = w.shape
    S = np.zeros((N, C))
    for i in range(N):
        for c in range(C):
            a = [sum(x[i, d] * w[c, k, d] for d in range(D)) for k in range(K)]
            z = sum(np.exp(t / gamma) for t in a)
            S[i, c] = sum(np.exp(t / gamma) / z * t for t in a)
    return S


@formula(
    r"""
\documentclass{article}
\usepackage{neurips_2021}
\usepackage{amsmath,amssymb}
\begin{document}
The simplest option is a linear projection:
\begin{equation}
    f_{W, b}(Z) = WZ + b
\end{equation}
where $W \in \mathbb{R}^{n \times n}$ is a matrix for which the size is the same as the sequence length, $Z \in \mathbb{R}^{n \times d}$, and $b \in \mathbb{R}^{n}$ refers token-specific biases. We formulate the layer $s(\cdot)$ as the output of linear gating:
\begin{equation}
    s(Z) = Z \odot f_{W, b}(Z)
\end{equation}
where $\odot$ denotes element-wise multiplication.
\end{document}
""",
    source="Liu et al., Pay attention to MLPs, 2021, equations 2 and 3",
    output="s",
    W=lambda r: normal(r, 3, 3),
    Z=lambda r: normal(r, 3, 2),
    b=lambda r: normal(r, 3),
)
def spatial_gating(W, Z, b):
    n, d = Z.shape
    return np.array(
        [
            [Z[i, j] * (sum(W[i, k] * Z[k, j] for k in range(n)) + b[i]) for j in range(d)]
            for i in range(n)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{nips_2017}
\usepackage{amsmath}
\begin{document}
Therefore, we propose ``scaled exponential linear units'' (SELUs)
\begin{align}
    {\rm selu}(x) &= \lambda \ \begin{cases} x & \text{if } x>0 \\ \alpha e^x - \alpha & \text{if } x \leqslant 0 \end{cases} \ .
\end{align}
For the activations of a layer with weights $w_{ij}$ we have
\begin{align}
    y_i = {\rm selu}\Big( \sum_{j=1}^{n} w_{ij} x_j \Big) .
\end{align}
\end{document}
""",
    source="Klambauer et al., Self-normalizing neural networks, 2017, equation 2, with the layer of section 1",
    shapes=("base 1", "size m, n", "input w[m, n], x[n], lambda[], alpha[]"),
    sizes={"n": 4},
    output="y",
    **{"lambda": lambda r: 1.05},
    alpha=lambda r: 1.67,
    w=lambda r: normal(r, 3, 4),
    x=lambda r: normal(r, 4),
)
def selu_layer(alpha, w, x, **rest):
    m, n = w.shape
    y = np.zeros(m)
    for i in range(m):
        a = sum(w[i, j] * x[j] for j in range(n))
        y[i] = rest["lambda"] * (a if a > 0 else alpha * np.exp(a) - alpha)
    return y


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The retention layer is defined as
\begin{equation}
D_{nm} = \left\{
\begin{aligned}
&\gamma^{n-m}, &n\ge m \\
&0, &n < m \\
\end{aligned}
\right. , \qquad
\mathrm{Retention}(X) = (Q K^\intercal \odot D)V
\end{equation}
where $Q, K, V \in \mathbb{R}^{N \times d}$ are the projections of $X$, and $D \in \mathbb{R}^{|x| \times |x|}$ combines causal masking and exponential decay along relative distance as one matrix.
\end{document}
""",
    source="Sun et al., Retentive network: a successor to transformer for large language models, 2023, equation 5 (without the rotations)",
    shapes=(
        "size N, d",
        "input Q[N, d], K[N, d], V[N, d], gamma[]",
        "$D \\in \\mathbb{R}^{N \\times N}$",
    ),
    output="Retention",
    gamma=lambda r: 0.9,
    Q=lambda r: normal(r, 4, 2),
    K=lambda r: normal(r, 4, 2),
    V=lambda r: normal(r, 4, 2),
)
def retention(gamma, Q, K, V):
    N, d = Q.shape
    Y = np.zeros((N, d))
    for n in range(N):
        for m in range(n + 1):
            s = sum(Q[n, a] * K[m, a] for a in range(d)) * gamma ** (n - m)
            for c in range(d):
                Y[n, c] += s * V[m, c]
    return Y


@formula(
    r"""
\documentclass{acmsiggraph}
\usepackage{amsmath}
\begin{document}
Our combining rules are as follows:
\begin{equation}
D(\mathbf{x}) = \frac{\Sigma w_i(\mathbf{x}) d_i(\mathbf{x})}{\Sigma w_i(\mathbf{x})}
\end{equation}
\begin{equation}
W(\mathbf{x}) = \Sigma w_i(\mathbf{x})
\end{equation}
where $d_i(\mathbf{x})$ and $w_i(\mathbf{x})$ are the signed distance and weight functions from the $i$th range image.
\end{document}
""",
    source="Curless and Levoy, A volumetric method for building complex models from range images, 1996, equations 1 and 2",
    shapes=("size n, X", "input w[n, X], d[n, X]"),
    output="D",
    w=lambda r: uniform(r, 3, 4),
    d=lambda r: normal(r, 3, 4),
)
def fused_distances(w, d):
    n, X = w.shape
    return np.array(
        [
            sum(w[i, x] * d[i, x] for i in range(n)) / sum(w[i, x] for i in range(n))
            for x in range(X)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The following model is a simplification of the full model, with $\alpha = \max(\theta_r, \theta_i)$ and $\beta = \min(\theta_r, \theta_i)$:
\begin{equation}
L_r(\theta_r, \theta_i, \phi_r - \phi_i; \sigma) = \frac{\rho}{\pi} E_0 \cos\theta_i \left( A + B \max\left[ 0, \cos(\phi_r - \phi_i) \right] \sin\alpha \tan\beta \right)
\end{equation}
\begin{equation}
A = 1.0 - 0.5 \frac{\sigma^2}{\sigma^2 + 0.33}, \qquad B = 0.45 \frac{\sigma^2}{\sigma^2 + 0.09}
\end{equation}
\end{document}
""",
    source="Oren and Nayar, Generalization of Lambert's reflectance model, 1994, equation 30",
    output="L_r",
    rho=lambda r: 0.8,
    E_0=lambda r: 1.5,
    theta_i=lambda r: 0.5,
    phi_r=lambda r: 0.3,
    phi_i=lambda r: 0.9,
    theta_r=lambda r: 0.7,
    sigma=lambda r: 0.4,
)
def rough_reflectance(rho, E_0, theta_i, phi_r, phi_i, theta_r, sigma):
    A = 1 - 0.5 * sigma**2 / (sigma**2 + 0.33)
    B = 0.45 * sigma**2 / (sigma**2 + 0.09)
    a, b = max(theta_r, theta_i), min(theta_r, theta_i)
    return (
        rho / np.pi * E_0 * np.cos(theta_i)
        * (A + B * max(0, np.cos(phi_r - phi_i)) * np.sin(a) * np.tan(b))
    )  # fmt: skip


@formula(
    r"""
The Fermi--Pasta--Ulam Hamiltonian of $N$ unit masses with fixed ends is
\begin{equation}
H_\alpha = \sum_{k=1}^{N} \frac{p_k^2}{2} + \sum_{k=0}^{N} \frac{(q_{k+1} - q_k)^2}{2} + \frac{\alpha}{3} \sum_{k=0}^{N} (q_{k+1} - q_k)^3
\end{equation}
where the ends are held, $q_0 = q_{N+1} = 0$.
""",
    source="Fermi, Pasta, Ulam, Studies of nonlinear problems, 1955; as in Ford, 1992 (q is given with its ends)",
    shapes=("size N", "input p[N], q[N + 2], alpha[]"),
    sizes={"N": 4},
    p=lambda r: normal(r, 4),
    q=lambda r: normal(r, 6),
    alpha=lambda r: 0.25,
)
def fermi_pasta_ulam(p, q, alpha):
    H = sum(a * a / 2 for a in p)
    for k in range(len(q) - 1):
        H += (q[k + 1] - q[k]) ** 2 / 2 + alpha / 3 * (q[k + 1] - q[k]) ** 3
    return H


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
The Hamiltonian of the one-dimensional Ising model with periodic boundary conditions, $s_{N+1} = s_1$, is
\begin{equation}
\mathcal{H} = -J \sum_{i=1}^{N} s_i s_{i+1} - \frac{1}{2} h \sum_{i=1}^{N} (s_i + s_{i+1})
\end{equation}
\end{document}
""",
    source="Pathria, Statistical Mechanics, 1996, section 12.3",
    shapes=("base 1", "size N", "input s[N], J[], h[]"),
    sizes={"N": 5},
    J=lambda r: 0.7,
    s=lambda r: np.sign(normal(r, 5)),
    h=lambda r: 0.3,
)
def ising_ring(J, s, h):
    N = len(s)
    return -J * sum(s[i] * s[(i + 1) % N] for i in range(N)) - 0.5 * h * sum(
        s[i] + s[(i + 1) % N] for i in range(N)
    )


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath,bm}
\begin{document}
The magnetic induction of a localized distribution with moment $\mathbf{m}$ at the point $\mathbf{x} \in \mathbb{R}^3$, with $\mathbf{n}$ a unit vector in the direction $\mathbf{x}$, is
\begin{equation}
\mathbf{B}(\mathbf{x}) = \frac{\mu_0}{4\pi} \left[ \frac{3\mathbf{n}(\mathbf{n} \cdot \mathbf{m}) - \mathbf{m}}{|\mathbf{x}|^3} \right]
\end{equation}
\end{document}
""",
    source="Jackson, Classical Electrodynamics, 1999, equation 5.56",
    shapes=("input n[3], m[3], x[3], mu_0[]",),
    mu_0=lambda r: 1.2,
    n=lambda r: normal(r, 3),
    m=lambda r: normal(r, 3),
    x=lambda r: normal(r, 3),
)
def dipole_field(mu_0, n, m, x):
    s = sum(n[a] * m[a] for a in range(3))
    r = np.sqrt(sum(x[a] ** 2 for a in range(3)))
    return np.array([mu_0 / (4 * np.pi) * (3 * n[a] * s - m[a]) / r**3 for a in range(3)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let a sample of size $n$ of the simultaneously distributed variables $A$ and $B$ for $i=1,\ldots,r; j=1,\ldots,k$ be given by the frequencies $n_{ij}$, with $n_{i.} = \sum_j n_{ij}$ and $n_{.j} = \sum_i n_{ij}$. The chi-squared statistic then is:
\[
\chi^{2}=\sum_{i,j}\frac{\left(n_{ij}-\frac{n_{i.}n_{.j}}{n}\right)^{2}}{\frac{n_{i.}n_{.j}}{n}}
\]
and Cram\'er's V is computed from it.
\end{document}
""",
    source="Cramer, Mathematical Methods of Statistics, 1946, chapter 21; as in an encyclopedia",
    shapes=("base 1", "size r, k", "input n_ij[r, k]"),
    sizes={"r": 3, "k": 2},
    output="chi_squared",
    n_ij=lambda r: uniform(r, 3, 2),
    n=lambda r: 6.0,
)
def cramer_chi_squared(n_ij, n):
    r, k = n_ij.shape
    x = 0.0
    for i in range(r):
        for j in range(k):
            e = sum(n_ij[i, b] for b in range(k)) * sum(n_ij[a, j] for a in range(r)) / n
            x += (n_ij[i, j] - e) ** 2 / e
    return x


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
Let $y_{i.}$ represent the total of the observations under the $i$th treatment and $\bar{y}_{i.}$ their average; similarly $y_{..}$ and $\bar{y}_{..}$ for all the observations. Expressed symbolically,
\begin{align}
\bar{y}_{i.} &= \frac{1}{n} \sum_{j=1}^{n} y_{ij} \qquad i = 1, 2, \ldots, a \\
\bar{y}_{..} &= \frac{1}{N} \sum_{i=1}^{a} \sum_{j=1}^{n} y_{ij}
\end{align}
where $N = an$. The sum of squares due to treatments is
\begin{equation}
SS_{\text{Treatments}} = n \sum_{i=1}^{a} (\bar{y}_{i.} - \bar{y}_{..})^2
\end{equation}
\end{document}
""",
    source="Montgomery, Design and Analysis of Experiments, 2012, section 3.3",
    shapes=("base 1", "size a, n", "input y[a, n]"),
    sizes={"a": 3, "n": 4},
    output="SS_Treatments",
    y=lambda r: normal(r, 3, 4),
)
def treatment_squares(y):
    a, n = y.shape
    mean = sum(y[i, j] for i in range(a) for j in range(n)) / (a * n)
    return n * sum((sum(y[i, j] for j in range(n)) / n - mean) ** 2 for i in range(a))


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
These conditions can be rewritten in a convenient form if we define the following sums:
\begin{equation}
\begin{gathered}
S \equiv \sum_{i=1}^{N} \frac{1}{\sigma_i^2} \quad S_x \equiv \sum_{i=1}^{N} \frac{x_i}{\sigma_i^2} \quad S_y \equiv \sum_{i=1}^{N} \frac{y_i}{\sigma_i^2} \\
S_{xx} \equiv \sum_{i=1}^{N} \frac{x_i^2}{\sigma_i^2} \quad S_{xy} \equiv \sum_{i=1}^{N} \frac{x_i y_i}{\sigma_i^2}
\end{gathered}
\end{equation}
The solution of these two equations in two unknowns is calculated as
\begin{equation}
\Delta \equiv S S_{xx} - (S_x)^2, \qquad
a = \frac{S_{xx} S_y - S_x S_{xy}}{\Delta}, \qquad
b = \frac{S S_{xy} - S_x S_y}{\Delta}
\end{equation}
\end{document}
""",
    source="Press et al., Numerical Recipes, 1992, equations 15.2.4 and 15.2.6",
    shapes=("base 1", "size N", "input sigma[N], x[N], y[N]"),
    sizes={"N": 5},
    output="b",
    sigma=lambda r: uniform(r, 5),
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def fitted_line(sigma, x, y):
    w = [1 / s**2 for s in sigma]
    N = len(w)
    S = sum(w)
    X, Y = sum(w[i] * x[i] for i in range(N)), sum(w[i] * y[i] for i in range(N))
    XX, XY = sum(w[i] * x[i] ** 2 for i in range(N)), sum(w[i] * x[i] * y[i] for i in range(N))
    return (S * XY - X * Y) / (S * XX - X**2)


@formula(
    r"""
\documentclass{IEEEtran}
\usepackage{amsmath}
\begin{document}
\subsubsection{Spectral Centroid} The spectral centroid is defined as the center of gravity of the magnitude spectrum of the STFT
\begin{equation}
C_t = \frac{\sum_{n=1}^{N} M_t[n] * n}{\sum_{n=1}^{N} M_t[n]}
\end{equation}
where $M_t[n]$ is the magnitude of the Fourier transform at frame $t$ and frequency bin $n$.
\end{document}
""",
    source="Tzanetakis and Cook, Musical genre classification of audio signals, 2002, equation 1",
    shapes=("base 1", "size T, N", "input M[T, N]"),
    sizes={"N": 5},
    M=lambda r: uniform(r, 3, 5),
)
def spectral_centroid(M):
    T, N = M.shape
    return np.array(
        [
            sum(M[t, n] * (n + 1) for n in range(N)) / sum(M[t, n] for n in range(N))
            for t in range(T)
        ]
    )


@formula(
    r"""
\documentclass[jasa]{article}
\usepackage{amsmath}
\begin{document}
The difference function is
\begin{equation}
d_t(\tau) = \sum_{j=1}^{W} (x_j - x_{j+\tau})^2 ,
\end{equation}
and the ``cumulative mean normalized difference function'' is
\begin{equation}
d'_t(\tau) = \begin{cases} 1, & \text{if } \tau = 0 \\ d_t(\tau) \Big/ \left[ (1/\tau) \sum_{j=1}^{\tau} d_t(j) \right] & \text{otherwise.} \end{cases}
\end{equation}
\end{document}
""",
    source="de Cheveigne and Kawahara, YIN, a fundamental frequency estimator for speech and music, 2002, equations 6 and 8",
    shapes=("base 1", "size W, L", "input x[W + L]"),
    x=lambda r: normal(r, 9),
    sizes={"W": 5, "L": 4},
)
def yin_difference(x):
    d = [sum((x[j] - x[j + t]) ** 2 for j in range(1, 6)) for t in range(4)]
    return np.array([1.0] + [d[t] / (sum(d[1 : t + 1]) / t) for t in range(1, 4)])


@formula(
    r"""
Another useful approximation is the 9-point Laplacian
\begin{equation}
\begin{split}
\nabla_9^2 u_{ij} = \frac{1}{6h^2} [ & 4u_{i-1,j} + 4u_{i+1,j} + 4u_{i,j-1} + 4u_{i,j+1} \\
& + u_{i-1,j-1} + u_{i-1,j+1} + u_{i+1,j-1} + u_{i+1,j+1} - 20 u_{ij} ].
\end{split}
\label{eq:nine}
\end{equation}
""",
    source="LeVeque, Finite Difference Methods for Ordinary and Partial Differential Equations, 2007, equation 3.17",
    shapes=("size N, M", "input u[N, M], h[]"),
    h=lambda r: 0.2,
    u=lambda r: normal(r, 5, 4),
)
def nine_point_laplacian(h, u):
    N, M = u.shape
    L = np.zeros((N - 2, M - 2))
    for i in range(1, N - 1):
        for j in range(1, M - 1):
            s = -20 * u[i, j]
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    if abs(a) + abs(b) == 1:
                        s += 4 * u[i + a, j + b]
                    elif abs(a) + abs(b) == 2:
                        s += u[i + a, j + b]
            L[i - 1, j - 1] = s / (6 * h**2)
    return L


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
For the mixed derivative on a uniform mesh we have
\begin{equation}
\left( \frac{\partial^2 u}{\partial x \partial y} \right)_{i,j} = \frac{u_{i+1,j+1} - u_{i+1,j-1} - u_{i-1,j+1} + u_{i-1,j-1}}{4 \Delta x \Delta y} + O\left[ (\Delta x)^2, (\Delta y)^2 \right]
\end{equation}
\end{document}
""",
    source="Anderson, Computational Fluid Dynamics, 1995, equation 4.20",
    shapes=("size N, M", "input u[N, M]"),
    u=lambda r: normal(r, 5, 4),
    Deltax=lambda r: 0.3,
    Deltay=lambda r: 0.2,
)
def mixed_difference(u, Deltax, Deltay):
    N, M = u.shape
    return np.array(
        [
            [
                (u[i + 1, j + 1] - u[i + 1, j - 1] - u[i - 1, j + 1] + u[i - 1, j - 1])
                / (4 * Deltax * Deltay)
                for j in range(1, M - 1)
            ]
            for i in range(1, N - 1)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The combinatorial part of the UNIQUAC activity coefficient of component $i$ is
\begin{equation}
\ln \gamma_i^{C} = \ln \frac{\Phi_i}{x_i} + \frac{z}{2} q_i \ln \frac{\theta_i}{\Phi_i} + l_i - \frac{\Phi_i}{x_i} \sum_j x_j l_j
\end{equation}
where
\begin{equation}
l_j = \frac{z}{2} (r_j - q_j) - (r_j - 1) , \qquad
\theta_i = \frac{q_i x_i}{\sum_j q_j x_j} , \qquad
\Phi_i = \frac{r_i x_i}{\sum_j r_j x_j} .
\end{equation}
\end{document}
""",
    source="Abrams and Prausnitz, Statistical thermodynamics of liquid mixtures, 1975, equation 33",
    shapes=("size n", "input r[n], q[n], x[n], z[]"),
    r=lambda g: 1 + uniform(g, 3),
    x=lambda g: uniform(g, 3),
    z=lambda g: 10.0,
    q=lambda g: uniform(g, 3),
)
def uniquac_combinatorial(r, x, z, q):
    n = len(x)
    l = [z / 2 * (r[j] - q[j]) - (r[j] - 1) for j in range(n)]
    A, B = sum(r[j] * x[j] for j in range(n)), sum(q[j] * x[j] for j in range(n))
    out = np.zeros(n)
    for i in range(n):
        f, t = r[i] * x[i] / A, q[i] * x[i] / B
        out[i] = (
            np.log(f / x[i]) + z / 2 * q[i] * np.log(t / f) + l[i]
            - f / x[i] * sum(x[j] * l[j] for j in range(n))
        )  # fmt: skip
    return out


@formula(
    r"""
In flash calculations the vapour fraction $V$ is a root of the Rachford--Rice function
\begin{equation}
f(V) = \sum_{i=1}^{N_c} \frac{z_i (K_i - 1)}{1 + V (K_i - 1)} .
\end{equation}
""",
    source="Rachford and Rice, Procedure for use of electronic digital computers, 1952",
    shapes=("base 1", "size N_c", "input z[N_c], K[N_c], V[]"),
    sizes={"N_c": 4},
    z=lambda r: uniform(r, 4),
    K=lambda r: 1 + uniform(r, 4),
    V=lambda r: 0.3,
)
def rachford_rice(z, K, V):
    return sum(z[i] * (K[i] - 1) / (1 + V * (K[i] - 1)) for i in range(len(z)))


@formula(
    r"""
\documentclass{article}
\usepackage{nips_2017}
\usepackage{amsmath,bm}
\newcommand{\vect}[1]{\mathbf{#1}}
\begin{document}
To this end, we expand the interatomic distance $d_{ij} = \|\vect{r}_i - \vect{r}_j\|$ in Gaussian basis functions
\begin{equation*}
	e_k(\vect{r}_i - \vect{r}_j) = \exp(-\gamma \| d_{ij} - \mu_k \|^2)
\end{equation*}
located at centers $0\,\text{\AA} \leq \mu_k \leq 30\,\text{\AA}$.
\end{document}
""",
    source="Schuett et al., SchNet: a continuous-filter convolutional neural network, 2017, section 4.1",
    shapes=("size N, K", "input r[N, 3], mu[K], gamma[]"),
    output="e",
    gamma=lambda g: 1.5,
    r=lambda g: normal(g, 3, 3),
    mu=lambda g: uniform(g, 4),
)
def distance_expansion(gamma, r, mu):
    N, K = len(r), len(mu)
    e = np.zeros((N, N, K))
    for i in range(N):
        for j in range(N):
            d = np.sqrt(sum((r[i, a] - r[j, a]) ** 2 for a in range(3)))
            for k in range(K):
                e[i, j, k] = np.exp(-gamma * (d - mu[k]) ** 2)
    return e


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The interval velocity $v_n$ of the $n$th layer follows from the rms velocities $V_n$ and two-way times $t_n$ at its top and bottom,
\begin{equation}
v_n = \sqrt{\frac{V_n^2 t_n - V_{n-1}^2 t_{n-1}}{t_n - t_{n-1}}}, \qquad n = 2, \dots, N .
\label{eq:dix}
\end{equation}
\end{document}
""",
    source="Dix, Seismic velocities from surface measurements, 1955; as in Yilmaz, Seismic Data Analysis, 2001, equation 4-6",
    shapes=("base 1", "size N", "input V[N], t[N]"),
    sizes={"N": 4},
    V=lambda r: np.sort(uniform(r, 4)),
    t=lambda r: np.sort(uniform(r, 4)),
)
def interval_velocity(V, t):
    return np.array(
        [
            np.sqrt((V[n] ** 2 * t[n] - V[n - 1] ** 2 * t[n - 1]) / (t[n] - t[n - 1]))
            for n in range(1, 4)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The AIDS demand functions in budget share form are
\begin{equation}
w_i = \alpha_i + \sum_j \gamma_{ij} \log p_j + \beta_i \log\{x/P\}
\end{equation}
where $P$ is a price index defined by
\begin{equation}
\log P = \alpha_0 + \sum_k \alpha_k \log p_k + \frac{1}{2} \sum_j \sum_k \gamma_{kj} \log p_k \log p_j .
\end{equation}
\end{document}
""",
    source="Deaton and Muellbauer, An almost ideal demand system, 1980, equations 8 and 9",
    shapes=("size n", "input alpha[n], gamma[n, n], p[n], beta[n], x[], alpha_0[]"),
    output="w",
    alpha=lambda r: uniform(r, 3),
    gamma=lambda r: 0.2 * normal(r, 3, 3),
    p=lambda r: uniform(r, 3),
    beta=lambda r: normal(r, 3),
    x=lambda r: 2.0,
    alpha_0=lambda r: 0.4,
)
def almost_ideal_demand(alpha, gamma, p, beta, x, alpha_0):
    n = len(p)
    q = alpha_0 + sum(alpha[k] * np.log(p[k]) for k in range(n))
    for j in range(n):
        for k in range(n):
            q += 0.5 * gamma[k, j] * np.log(p[k]) * np.log(p[j])
    return np.array(
        [
            alpha[i]
            + sum(gamma[i, j] * np.log(p[j]) for j in range(n))
            + beta[i] * np.log(x / np.exp(q))
            for i in range(n)
        ]
    )


@formula(
    r"""
Let $x_{lu}$ and $y_{lu}$ be the frequencies of the $u$th allele at the $l$th locus in populations $X$ and $Y$. Nei's standard genetic distance is
\[
D = -\ln \frac{\sum_{l} \sum_{u} x_{lu} y_{lu}}{\sqrt{\left( \sum_l \sum_u x_{lu}^2 \right) \left( \sum_l \sum_u y_{lu}^2 \right)}}
\]
""",
    source="Nei, Genetic distance between populations, 1972; as in an encyclopedia",
    shapes=("size L, U", "input x[L, U], y[L, U]"),
    x=lambda r: uniform(r, 3, 2),
    y=lambda r: uniform(r, 3, 2),
)
def genetic_distance(x, y):
    a = b = c = 0.0
    for i in range(len(x)):
        for u in range(x.shape[1]):
            a += x[i, u] * y[i, u]
            b += x[i, u] ** 2
            c += y[i, u] ** 2
    return -np.log(a / np.sqrt(b * c))


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath,amssymb}
\newcommand{\bx}{\mathbf{x}}
\newcommand{\F}{\mathtt{F}}
\newcommand{\T}{\mathsf{T}}
\begin{document}
The total cost function is
\begin{equation}
\sum_i \frac{(\bx_i'^\T \F \bx_i)^2}{(\F\bx_i)_1^2 + (\F\bx_i)_2^2 + (\F^\T \bx_i')_1^2 + (\F^\T \bx_i')_2^2} . \label{eq:sampson}
\end{equation}
Here $(\F\bx_i)_j^2$ represents the square of the $j$-th entry of the vector $\F\bx_i$, with $\F \in \mathbb{R}^{3 \times 3}$ and $\bx_i, \bx_i' \in \mathbb{R}^3$.
\end{document}
""",
    source="Hartley and Zisserman, Multiple View Geometry in Computer Vision, 2003, equation 11.9",
    shapes=("size n", "input F[3, 3], x[n, 3], x_prime[n, 3]"),
    F=lambda r: normal(r, 3, 3),
    x=lambda r: normal(r, 4, 3),
    x_prime=lambda r: normal(r, 4, 3),
)
def sampson_cost(F, x, x_prime):
    s = 0.0
    for i in range(len(x)):
        a = [sum(F[p, q] * x[i, q] for q in range(3)) for p in range(3)]
        b = [sum(F[q, p] * x_prime[i, q] for q in range(3)) for p in range(3)]
        num = sum(x_prime[i, p] * a[p] for p in range(3)) ** 2
        s += num / (a[0] ** 2 + a[1] ** 2 + b[0] ** 2 + b[1] ** 2)
    return s


@formula(
    r"""
\documentclass[11pt]{article}
\usepackage{acl}
\usepackage{amsmath}
\begin{document}
Next, let $c$ be the length of the candidate translation and $r$ be the effective reference corpus length. We compute the brevity penalty BP,
\[
\mbox{BP} = \left\{ \begin{array}{ll} 1 & \mbox{if $c > r$} \\ e^{(1-r/c)} & \mbox{if $c \leq r$} \end{array} \right. .
\]
Then,
\[
\mbox{\textsc{Bleu}} = \mbox{BP} \cdot \exp\left( \sum_{n=1}^{N} w_n \log p_n \right) .
\]
\end{document}
""",
    source="Papineni et al., BLEU: a method for automatic evaluation of machine translation, 2002, section 2.3",
    shapes=("base 1", "size N", "input w[N], p[N], c[], r[]"),
    sizes={"N": 4},
    output="Bleu",
    c=lambda g: 17.0,
    r=lambda g: 19.0,
    w=lambda g: uniform(g, 4),
    p=lambda g: uniform(g, 4),
)
def bleu(c, r, w, p):
    penalty = 1 if c > r else np.exp(1 - r / c)
    return penalty * np.exp(sum(w[n] * np.log(p[n]) for n in range(len(w))))


@formula(
    r"""
At each of these time-steps an action is selected according to the statistics in the search tree, $a_t = \operatorname*{argmax}_a \left( Q(s_t, a) + U(s_t, a) \right)$, using a variant of the PUCT algorithm,
\[
U(s, a) = c_\mathrm{puct} P(s, a) \frac{\sqrt{\sum_b N(s, b)}}{1 + N(s, a)} ,
\]
where $c_\mathrm{puct}$ is a constant determining the level of exploration.
""",
    source="Silver et al., Mastering the game of Go without human knowledge, 2017, methods",
    shapes=("size S, A", "input P[S, A], N[S, A], c_puct[]"),
    output="U",
    c_puct=lambda r: 1.4,
    P=lambda r: uniform(r, 2, 4),
    N=lambda r: uniform(r, 2, 4),
)
def puct(c_puct, P, N):
    S, A = P.shape
    return np.array(
        [
            [
                c_puct * P[s, a] * np.sqrt(sum(N[s, b] for b in range(A))) / (1 + N[s, a])
                for a in range(A)
            ]
            for s in range(S)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{icml2020}
\usepackage{amsmath,amssymb,bm}
\newcommand{\mS}{\mathbf{S}}
\newcommand{\mA}{\mathbf{\tilde{A}}}
\newcommand{\mD}{\mathbf{\tilde{D}}}
\DeclareMathOperator{\Tr}{Tr}
\begin{document}
The parameters are optimized by minimizing an unsupervised loss function $\mathcal{L}_u$ composed of two terms
\begin{equation}
\mathcal{L}_u = \mathcal{L}_c + \mathcal{L}_o =
\underbrace{-\frac{\Tr(\mS^T \mA \mS)}{\Tr(\mS^T \mD \mS)}}_{\mathcal{L}_c} +
\underbrace{\bigg\lVert \frac{\mS^T\mS}{\lVert \mS^T\mS \rVert_F} - \frac{\mathbf{I}_K}{\sqrt{K}}\bigg\rVert_F}_{\mathcal{L}_o} ,
\end{equation}
where $\lVert \cdot \rVert_F$ indicates the Frobenius norm, $\mS \in \mathbb{R}^{N \times K}$ and $\mA, \mD \in \mathbb{R}^{N \times N}$.
\end{document}
""",
    source="Bianchi, Grattarola, Alippi, Spectral clustering with graph neural networks for graph pooling, 2020, equation 9",
    shapes=("size N, K", "input S[N, K], A_tilde[N, N], D_tilde[N, N]"),
    output="L_u",
    S=lambda r: uniform(r, 4, 3),
    A_tilde=lambda r: uniform(r, 4, 4),
    D_tilde=lambda r: uniform(r, 4, 4),
)
def mincut_loss(S, A_tilde, D_tilde):
    N, K = S.shape
    a = b = 0.0
    for i in range(N):
        for j in range(N):
            for k in range(K):
                a += S[i, k] * A_tilde[i, j] * S[j, k]
                b += S[i, k] * D_tilde[i, j] * S[j, k]
    G = [[sum(S[i, p] * S[i, q] for i in range(N)) for q in range(K)] for p in range(K)]
    f = np.sqrt(sum(G[p][q] ** 2 for p in range(K) for q in range(K)))
    o = 0.0
    for p in range(K):
        for q in range(K):
            o += (G[p][q] / f - (p == q) / np.sqrt(K)) ** 2
    return -a / b + np.sqrt(o)


@formula(
    r"""
\documentclass{article}
\usepackage{icml2019}
\usepackage{amsmath,amssymb}
\begin{document}
For linear kernels and centered $X \in \mathbb{R}^{n \times p_1}$ and $Y \in \mathbb{R}^{n \times p_2}$, linear CKA is
\begin{align}
\mathrm{CKA}(X X^\mathrm{T}, Y Y^\mathrm{T}) = \frac{\|Y^\mathrm{T} X\|_\mathrm{F}^2}{\|X^\mathrm{T} X\|_\mathrm{F} \|Y^\mathrm{T} Y\|_\mathrm{F}} .
\end{align}
\end{document}
""",
    source="Kornblith et al., Similarity of neural network representations revisited, 2019, section 3 and table 1",
    shapes=("size n, p_1, p_2", "input X[n, p_1], Y[n, p_2]"),
    Y=lambda r: normal(r, 4, 2),
    X=lambda r: normal(r, 4, 3),
)
def linear_cka(Y, X):
    def squares(A, B):
        n = len(A)
        return sum(
            sum(A[i, p] * B[i, q] for i in range(n)) ** 2
            for p in range(A.shape[1])
            for q in range(B.shape[1])
        )

    return squares(Y, X) / np.sqrt(squares(X, X)) / np.sqrt(squares(Y, Y))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The training objective is a penalty-reduced pixel-wise logistic regression with focal loss:
\begin{equation}
    L_k = \frac{-1}{N} \sum_{xyc}
        \begin{cases}
            (1 - \hat{Y}_{xyc})^{\alpha}
            \log(\hat{Y}_{xyc}) & \!\text{if}\ Y_{xyc}=1\vspace{2mm}\\
            \begin{array}{c}
            (1-Y_{xyc})^{\beta}
            (\hat{Y}_{xyc})^{\alpha}\\
            \log(1-\hat{Y}_{xyc})
            \end{array}
            & \!\text{otherwise}
        \end{cases}
\end{equation}
where $\alpha$ and $\beta$ are hyper-parameters of the focal loss, and $N$ is the number of keypoints in image $I$.
\end{document}
""",
    source="Zhou, Wang, Kraehenbuehl, Objects as points, 2019, equation 1",
    shapes=("size W, H, C", "input Y_hat[W, H, C], Y[W, H, C], N[], alpha[], beta[]"),
    N=lambda r: 3.0,
    Y_hat=lambda r: r.uniform(0.1, 0.9, (2, 3, 2)),
    alpha=lambda r: 2.0,
    Y=lambda r: np.where(r.random((2, 3, 2)) < 0.4, 1.0, 0.3),
    beta=lambda r: 4.0,
)
def keypoint_focal(N, Y_hat, alpha, Y, beta):
    s = 0.0
    for p, t in zip(Y_hat.ravel(), Y.ravel(), strict=True):
        if t == 1:
            s += (1 - p) ** alpha * np.log(p)
        else:
            s += (1 - t) ** beta * p**alpha * np.log(1 - p)
    return -s / N


@formula(
    r"""
Elementwise, the Tucker decomposition in (4.1) is
\begin{displaymath}
x_{ijk} \approx \sum_{p=1}^P \sum_{q=1}^Q \sum_{r=1}^R g_{pqr} \, a_{ip} \, b_{jq} \, c_{kr} \quad\text{for}\quad i=1,\dots,I, j=1,\dots,J, k=1,\dots,K.
\end{displaymath}
Here $P$, $Q$, and $R$ are the number of components (i.e., columns) in the factor matrices $\mathbf{A}$, $\mathbf{B}$, and $\mathbf{C}$, respectively.
""",
    source="Kolda and Bader, Tensor decompositions and applications, 2009, section 4",
    shapes=("base 1", "size P, Q, R, I, J, K", "input g[P, Q, R], a[I, P], b[J, Q], c[K, R]"),
    sizes={"P": 2, "Q": 2, "R": 3, "I": 3, "J": 2, "K": 4},
    g=lambda r: normal(r, 2, 2, 3),
    a=lambda r: normal(r, 3, 2),
    b=lambda r: normal(r, 2, 2),
    c=lambda r: normal(r, 4, 3),
)
def tucker(g, a, b, c):
    x = np.zeros((3, 2, 4))
    for i in range(3):
        for j in range(2):
            for k in range(4):
                for p in range(2):
                    for q in range(2):
                        for s in range(3):
                            x[i, j, k] += g[p, q, s] * a[i, p] * b[j, q] * c[k, s]
    return x


@formula(
    r"""
\documentclass{article}
\usepackage{cvpr}
\usepackage{amsmath,amssymb}
\begin{document}
We define the Chamfer distance between $S_1, S_2 \subseteq \mathbb{R}^3$ as:
\[
d_{CD}(S_1, S_2) = \sum_{x \in S_1} \min_{y \in S_2} \|x-y\|_2^2 + \sum_{y \in S_2} \min_{x \in S_1} \|x-y\|_2^2
\]
\end{document}
""",
    source="Fan, Su, Guibas, A point set generation network for 3D object reconstruction from a single image, 2017, section 3",
    shapes=("size N, M", "input S_1[N, 3], S_2[M, 3]"),
    S_1=lambda r: normal(r, 4, 3),
    S_2=lambda r: normal(r, 5, 3),
)
def chamfer(S_1, S_2):
    def nearest(A, B):
        return sum(min(sum((a[d] - b[d]) ** 2 for d in range(3)) for b in B) for a in A)

    return nearest(S_1, S_2) + nearest(S_2, S_1)
