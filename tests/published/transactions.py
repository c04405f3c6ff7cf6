"""Formulas of articles, handbooks and notes of courses, from many fields."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{icml2013}
\usepackage{amsmath,amssymb}
\begin{document}
Given an input $x \in \mathbb{R}^d$ ($x$ may be $v$, or may be a hidden layer's state), a maxout hidden layer implements the function
\[ h_i(x) = \max_{j \in [1,k]} z_{ij} \]
where $z_{ij} = x^T W_{\cdots ij} + b_{ij}$, and $W \in \mathbb{R}^{d \times m \times k}$ and $b \in \mathbb{R}^{m \times k}$ are learned parameters.
\end{document}
""",
    source="Goodfellow et al., Maxout networks, 2013, section 3",
    shapes=("size d, m, k", "input x[d], W[d, m, k], b[m, k]"),
    output="h",
    x=lambda r: normal(r, 3),
    W=lambda r: normal(r, 3, 2, 4),
    b=lambda r: normal(r, 2, 4),
)
def maxout(x, W, b):
    d, m, k = W.shape
    return np.array(
        [
            max(sum(x[a] * W[a, i, j] for a in range(d)) + b[i, j] for j in range(k))
            for i in range(m)
        ]
    )


@formula(
    r"""
\documentclass[10pt,twocolumn,letterpaper]{article}
\usepackage{cvpr}
\usepackage{amsmath,amssymb,bm}
\begin{document}
To meet these criteria, we opt to employ a simple gating mechanism with a sigmoid activation:
\begin{equation}
\label{eq:gate}
\mathbf{s} = \mathbf{F}_{ex}(\mathbf{z}, \mathbf{W}) = \sigma(g(\mathbf{z}, \mathbf{W})) = \sigma(\mathbf{W}_{2}\delta(\mathbf{W}_{1}\mathbf{z})),
\end{equation}
where $\delta$ refers to the ReLU function, $\mathbf{W}_{1} \in \mathbb{R}^{\frac{C}{r} \times C}$ and $\mathbf{W}_{2} \in \mathbb{R}^{C \times \frac{C}{r}}$.
\end{document}
""",
    source="Hu, Shen, Sun, Squeeze-and-excitation networks, 2018, equation 3",
    shapes=("size C, R", "input z[C], W_1[R, C], W_2[C, R]"),
    output="s",
    z=lambda r: normal(r, 4),
    W_1=lambda r: normal(r, 2, 4),
    W_2=lambda r: normal(r, 4, 2),
)
def excitation(z, W_1, W_2):
    R, C = W_1.shape
    h = [max(0.0, sum(W_1[a, c] * z[c] for c in range(C))) for a in range(R)]
    return np.array([1 / (1 + np.exp(-sum(W_2[c, a] * h[a] for a in range(R)))) for c in range(C)])


@formula(
    r"""
\documentclass{llncs}
\usepackage{amsmath,amssymb}
\begin{document}
As above, let $\phi_j(x)$ be the activations at the $j$th layer of the network $\phi$ for the input $x$, which is a feature map of shape $C_j \times H_j \times W_j$.
Define the \emph{Gram matrix} $G^\phi_j(x)$ to be the $C_j \times C_j$ matrix whose elements are given by
\begin{equation}
  G^\phi_j(x)_{c, c'} = \frac{1}{C_jH_jW_j} \sum_{h=1}^{H_j} \sum_{w=1}^{W_j} \phi_j(x)_{h, w, c} \phi_j(x)_{h,w,c'}.
\end{equation}
\end{document}
""",
    source="Johnson, Alahi, Fei-Fei, Perceptual losses for real-time style transfer and super-resolution, 2016, equation 3",
    shapes=("base 1", "size H_j, W_j, C_j", "input phi_j[H_j, W_j, C_j]"),
    sizes={"H_j": 2, "W_j": 3, "C_j": 3},
    phi_j=lambda r: normal(r, 2, 3, 3),
)
def gram_of_layer(phi_j):
    H, W, C = phi_j.shape
    G = np.zeros((C, C))
    for c in range(C):
        for d in range(C):
            for h in range(H):
                for w in range(W):
                    G[c, d] += phi_j[h, w, c] * phi_j[h, w, d] / (C * H * W)
    return G


@formula(
    r"""
\documentclass{article}
\usepackage{icml2019}
\usepackage{amsmath,amssymb,bm}
\newcommand{\xx}{\bm{x}}
\begin{document}
The image features from the previous hidden layer $\xx \in \mathbb{R}^{C \times N}$ are first transformed into two feature spaces $\bm{f}, \bm{g}$ to calculate the attention, where $\bm{f}(\xx) = \bm{W_f} \xx$, $\bm{g}(\xx)=\bm{W_g} \xx$
\begin{equation}
\beta_{j,i} = \frac{\exp(s_{ij})}{\sum_{i=1}^{N}\exp(s_{ij})}, \text{ where } s_{ij} = \bm{f}(\xx_i)^T\bm{g}(\xx_j),
\end{equation}
and $\beta_{j,i}$ indicates the extent to which the model attends to the $i^{th}$ location when synthesizing the $j^{th}$ region.
\end{document}
""",
    source="Zhang et al., Self-attention generative adversarial networks, 2019, equation 1",
    shapes=("base 1", "size C, N, D", "input W_f[D, C], W_g[D, C], x[C, N]"),
    sizes={"N": 4},
    output="beta",
    W_f=lambda r: normal(r, 2, 3),
    W_g=lambda r: normal(r, 2, 3),
    x=lambda r: normal(r, 3, 4),
)
def self_attention_map(W_f, W_g, x):
    N = x.shape[1]
    s = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            for d in range(len(W_f)):
                f = sum(W_f[d, c] * x[c, i] for c in range(len(x)))
                g = sum(W_g[d, c] * x[c, j] for c in range(len(x)))
                s[i, j] += f * g
    beta = np.zeros((N, N))
    for j in range(N):
        z = sum(np.exp(s[i, j]) for i in range(N))
        for i in range(N):
            beta[j, i] = np.exp(s[i, j]) / z
    return beta


@formula(
    r"""
The score matrix $\mathcal{S}$ between the transformed features is first calculated by $\mathcal{S}\left(i,j\right) = \frac{1}{\tau} \cdot \langle \tilde{F}^A_{tr}(i), \tilde{F}^B_{tr}(j) \rangle$.
We can also apply softmax on both dimensions (referred to as dual-softmax) of $\mathcal{S}$ to obtain the probability of soft mutual nearest neighbor matching. The matching probability $\mathcal{P}_c$ is obtained by:
\begin{equation}
    \mathcal{P}_c(i, j) = \operatorname{softmax}\left(\mathcal{S}\left(i,\cdot\right)\right)_j \cdot \operatorname{softmax}\left(\mathcal{S}\left(\cdot, j\right)\right)_i.
\end{equation}
""",
    source="Sun et al., LoFTR: detector-free local feature matching with transformers, 2021, section 3.3 (the features in words)",
    shapes=("size N, M", "input S[N, M]"),
    output="P_c",
    S=lambda r: normal(r, 3, 4),
)
def dual_softmax(S):
    N, M = S.shape
    P = np.zeros((N, M))
    for i in range(N):
        for j in range(M):
            a = sum(np.exp(S[i, q]) for q in range(M))
            b = sum(np.exp(S[q, j]) for q in range(N))
            P[i, j] = np.exp(S[i, j]) / a * np.exp(S[i, j]) / b
    return P


@formula(
    r"""
\documentclass{article}
\usepackage{cvpr}
\usepackage{amsmath,amssymb}
\begin{document}
For each training example $x$, our model computes the probability of each label $k\in \{1\ldots K\}$:
\[
p(k|x)=\frac{\exp(z_k)}{\sum_{i=1}^K \exp(z_i)}.
\]
Here, $z_i$ are the \emph{logits} or unnormalized log-probabilities. Consider the ground-truth distribution over labels $q(k|x)$ for this training example, normalized so that $\sum_k q(k|x)=1$. For brevity, let us omit the dependence of $p$ and $q$ on example $x$. We define the loss for the example as the cross entropy:
\[
\ell = -\sum_{k=1}^K \log(p(k)) q(k).
\]
\end{document}
""",
    source="Szegedy et al., Rethinking the Inception architecture for computer vision, 2016, section 7",
    shapes=("base 1", "size K", "input z[K], q[K]"),
    sizes={"K": 4},
    output="ell",
    z=lambda r: normal(r, 4),
    q=lambda r: uniform(r, 4),
)
def label_cross_entropy(z, q):
    total = sum(np.exp(a) for a in z)
    return -sum(np.log(np.exp(z[k]) / total) * q[k] for k in range(len(z)))


@formula(
    r"""
The score function takes the pixels and computes the vector $f(x_i, W)$ of class scores, which we will abbreviate to $s$ (short for scores). The score for the $j$-th class is $s_j = f(x_i, W)_j$. The Multiclass SVM loss for the $i$-th example is then formalized as follows:
$$
L_i = \sum_{j\neq y_i} \max(0, s_j - s_{y_i} + \Delta)
$$
""",
    source="Karpathy, Convolutional neural networks for visual recognition, notes of the course CS231n, linear classification",
    shapes=("size C", "input s[C], y_i[]: int64, Delta[]"),
    s=lambda r: normal(r, 5),
    y_i=lambda r: np.int64(2),
    Delta=lambda r: 1.0,
)
def multiclass_svm(s, y_i, Delta):
    return sum(max(0, s[j] - s[int(y_i)] + Delta) for j in range(len(s)) if j != int(y_i))


@formula(
    r"""
\documentclass[aps,prl,twocolumn]{revtex4-1}
\usepackage{amsmath,bm}
\begin{document}
Here, we introduce such a molecular representation, the ``Coulomb'' matrix,
\begin{eqnarray}
M_{IJ} &=& \left\{ \begin{array}{ll} 0.5 Z_I^{2.4} & \forall \; I = J, \\ \frac{Z_I Z_J}{|{\bf R}_I - {\bf R}_J|} & \forall \; I \ne J. \end{array} \right.
\label{eq:M}
\end{eqnarray}
Here, off-diagonal elements correspond to the Coulomb repulsion between atoms $I$ and $J$, while diagonal elements encode a polynomial fit of atomic energies to nuclear charge.
\end{document}
""",
    source="Rupp et al., Fast and accurate modeling of molecular atomization energies with machine learning, 2012, equation 1",
    shapes=("size N", "input Z[N], R[N, 3]"),
    Z=lambda r: uniform(r, 4),
    R=lambda r: normal(r, 4, 3),
)
def coulomb_matrix(Z, R):
    N = len(Z)
    M = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            if i == j:
                M[i, j] = 0.5 * Z[i] ** 2.4
            else:
                M[i, j] = Z[i] * Z[j] / np.sqrt(sum((R[i, d] - R[j, d]) ** 2 for d in range(3)))
    return M


@formula(
    r"""
The extended Debye--H\"uckel equation for the activity coefficient of ion $i$ is
\begin{equation}
\log_{10} \gamma_i = - \frac{A z_i^2 \sqrt{I}}{1 + B \mathring{a}_i \sqrt{I}}, \qquad I = \frac{1}{2} \sum_{i=1}^{n} m_i z_i^2
\end{equation}
where $\mathring{a}_i$ is the ion size parameter and $I$ the ionic strength.
""",
    source="Debye and Hueckel, Zur Theorie der Elektrolyte, 1923; as in textbooks of aqueous geochemistry",
    shapes=("base 1", "size n", "input z[n], m[n], a_ring[n], A[], B[]"),
    sizes={"n": 4},
    A=lambda r: 0.5,
    z=lambda r: uniform(r, 4),
    B=lambda r: 0.3,
    a_ring=lambda r: uniform(r, 4),
    m=lambda r: uniform(r, 4),
)
def debye_hueckel(A, z, B, a_ring, m):
    a = a_ring
    I = 0.5 * sum(m[i] * z[i] ** 2 for i in range(len(z)))
    return np.array(
        [-A * z[i] ** 2 * np.sqrt(I) / (1 + B * a[i] * np.sqrt(I)) for i in range(len(z))]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The conditional intensity of the epidemic-type aftershock sequence (ETAS) model is
\begin{equation}
\lambda(t \mid \mathcal{H}_t) = \mu + \sum_{\{i:\, t_i < t\}} K e^{\alpha (M_i - M_c)} (t - t_i + c)^{-p}
\end{equation}
where $\mu$ is the background rate, $M_c$ the cut-off magnitude, and $t_i$, $M_i$, $i = 1, \dots, N$, the times and magnitudes of the past events.
\end{document}
""",
    source="Ogata, Statistical models for earthquake occurrences and residual analysis for point processes, 1988",
    shapes=("size N", "input mu[], K[], alpha[], M[N], M_c[], t[], t_i[N], c[], p[]"),
    sizes={"N": 5},
    mu=lambda r: 0.4,
    K=lambda r: 0.3,
    alpha=lambda r: 0.9,
    M=lambda r: 3 + uniform(r, 5),
    M_c=lambda r: 3.0,
    t=lambda r: 4.2,
    t_i=lambda r: np.array([0.5, 1.5, 2.5, 4.5, 6.0]),
    c=lambda r: 0.1,
    p=lambda r: 1.2,
)
def etas_intensity(mu, K, alpha, M, M_c, t, t_i, c, p):
    total = mu
    for i in range(len(M)):
        if t_i[i] < t:
            total += K * np.exp(alpha * (M[i] - M_c)) * (t - t_i[i] + c) ** -p
    return total


@formula(
    r"""
\documentclass[acmtog]{acmart}
\usepackage{amsmath}
\begin{document}
A typical neural point-based approach computes the color $C$ of a pixel by blending $\mathcal{N}$ ordered points overlapping the pixel:
\begin{equation}
	\label{eq:front-to-back}
	C = \sum_{i \in \mathcal{N}}
	c_{i}
	\alpha_{i}
	\prod_{j=1}^{i-1} (1-\alpha_{j})
\end{equation}
where $\mathbf{c}_i$ is the color of each point and $\alpha_i$ is given by evaluating a 2D Gaussian with covariance $\Sigma$.
\end{document}
""",
    source="Kerbl et al., 3D Gaussian splatting for real-time radiance field rendering, 2023, equation 3",
    shapes=("base 1", "size N", "input c[N, 3], alpha[N]"),
    sizes={"N": 5},
    c=lambda r: uniform(r, 5, 3),
    alpha=lambda r: r.uniform(0.1, 0.9, 5),
)
def splatted_colour(c, alpha):
    C = np.zeros(3)
    for i in range(len(alpha)):
        t = 1.0
        for j in range(i):
            t *= 1 - alpha[j]
        for d in range(3):
            C[d] += c[i, d] * alpha[i] * t
    return C


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\newcommand{\vx}{\mathbf{x}}
\begin{document}
A popular choice is the squared exponential kernel with automatic relevance determination,
\begin{equation}
k_{\mathrm{SE}}(\vx, \vx') = \theta_0 \exp\left( -\tfrac{1}{2} r^2(\vx, \vx') \right), \qquad
r^2(\vx, \vx') = \sum_{d=1}^{D} (x_d - x'_d)^2 / \theta_d^2 ,
\label{eq:ard}
\end{equation}
and for the $D$-dimensional problem there are $D+1$ hyperparameters.
\end{document}
""",
    source="Snoek, Larochelle, Adams, Practical Bayesian optimization of machine learning algorithms, 2012, equation 4",
    shapes=("base 1", "size D", "input x[D], x_prime[D], theta[D], theta_0[]"),
    sizes={"D": 3},
    output="k_SE",
    theta_0=lambda r: 1.3,
    x=lambda r: normal(r, 3),
    x_prime=lambda r: normal(r, 3),
    theta=lambda r: uniform(r, 3),
)
def relevance_kernel(theta_0, x, x_prime, theta):
    r2 = sum((x[d] - x_prime[d]) ** 2 / theta[d] ** 2 for d in range(len(x)))
    return theta_0 * np.exp(-r2 / 2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Then we can express $\tilde{K}$ in terms of $K$. Using the notation $1_{ij} := 1$ for all $i,j$ we get
\begin{align}
\tilde K_{ij} &= K_{ij} - \frac{1}{M} \sum_{m=1}^{M} K_{mj} - \frac{1}{M} \sum_{n=1}^{M} K_{in} + \frac{1}{M^2} \sum_{m,n=1}^{M} K_{mn} . \label{eq:centred}
\end{align}
\end{document}
""",
    source="Schoelkopf, Smola, Mueller, Nonlinear component analysis as a kernel eigenvalue problem, 1998, appendix A",
    shapes=("base 1", "size M", "input K[M, M]"),
    sizes={"M": 4},
    output="K_tilde",
    K=lambda r: normal(r, 4, 4),
)
def centred_kernel(K):
    M = len(K)
    T = np.zeros((M, M))
    for i in range(M):
        for j in range(M):
            T[i, j] = (
                K[i, j]
                - sum(K[m, j] for m in range(M)) / M
                - sum(K[i, n] for n in range(M)) / M
                + sum(K[m, n] for m in range(M) for n in range(M)) / M**2
            )
    return T


@formula(
    r"""
The Anderson-Darling test statistic is defined as $A^2 = -N - S$, where
\[ S = \sum_{i=1}^{N} \frac{(2i - 1)}{N} \left[ \ln F(Y_i) + \ln\left(1 - F(Y_{N+1-i})\right) \right] \]
$F$ is the cumulative distribution function of the specified distribution, here $F(y) = 1 - e^{-y}$. Note that the $Y_i$ are the \textit{ordered} data.
""",
    source="NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.5.14, for exponential data",
    shapes=("base 1", "size N", "input Y[N]"),
    sizes={"N": 5},
    output="S",
    Y=lambda r: np.sort(uniform(r, 5)),
)
def anderson_darling(Y):
    N = len(Y)
    S = 0.0
    for i in range(1, N + 1):
        S += (2 * i - 1) / N * (np.log(1 - np.exp(-Y[i - 1])) + np.log(1 - (1 - np.exp(-Y[N - i]))))
    return S


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
\textbf{Theorem 7.7 (Mallat)} At the decomposition
\begin{align}
a_{j+1}[p] &= \sum_{n=-\infty}^{+\infty} h[n-2p]\, a_j[n] = a_j \star \bar{h}[2p] , \\
d_{j+1}[p] &= \sum_{n=-\infty}^{+\infty} g[n-2p]\, a_j[n] = a_j \star \bar{g}[2p] .
\end{align}
\end{document}
""",
    source="Mallat, A Wavelet Tour of Signal Processing, 1999, theorem 7.7",
    shapes=("size P, L", "input h[L], g[L], a_j[2*P + L - 2]", "$d \\in \\mathbb{R}^{P}$"),
    h=lambda r: normal(r, 4),
    g=lambda r: normal(r, 4),
    a_j=lambda r: normal(r, 8),
)
def wavelet_details(h, g, a_j):
    return np.array([sum(g[n] * a_j[n + 2 * p] for n in range(4)) for p in range(3)])


@formula(
    r"""
The fourth-order accurate central difference for the first derivative on a uniform grid with spacing $h$ reads
\[
\left. f' \right|_i = \frac{f_{i-2} - 8 f_{i-1} + 8 f_{i+1} - f_{i+2}}{12 h} + \mathcal{O}(h^4)
\]
""",
    source="Moin, Fundamentals of Engineering Numerical Analysis, 2010, section 2.2",
    shapes=("size N", "input f[N], h[]"),
    f=lambda r: normal(r, 8),
    h=lambda r: 0.3,
)
def fourth_order_difference(f, h):
    return np.array(
        [(f[i - 2] - 8 * f[i - 1] + 8 * f[i + 1] - f[i + 2]) / (12 * h) for i in range(2, 6)]
    )


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
The discrete convolution equation allows the computation of direct runoff $Q_n$ given excess rainfall $P_m$ and the unit hydrograph $U_{n-m+1}$:
\begin{equation}
Q_n = \sum_{m=1}^{n \le M} P_m U_{n-m+1} \tag{7.4.1}
\end{equation}
for $n = 1, 2, \ldots, N$, where $U$ has $N - M + 1$ ordinates.
\end{document}
""",
    source="Chow, Maidment, Mays, Applied Hydrology, 1988, equation 7.4.1",
    shapes=("base 1", "size N, M", "input P[M], U[N - M + 1]"),
    sizes={"N": 6, "M": 3},
    P=lambda r: uniform(r, 3),
    U=lambda r: uniform(r, 4),
)
def unit_hydrograph(P, U):
    Q = np.zeros(6)
    for n in range(1, 7):
        for m in range(1, 4):
            if m <= n and 1 <= n - m + 1 <= 4:
                Q[n - 1] += P[m - 1] * U[n - m]
    return Q


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The tidal height at time $t$ is the sum of harmonic constituents
\begin{equation}
h(t) = H_0 + \sum_{n=1}^{N} f_n H_n \cos\left[ a_n t + (V_0 + u)_n - \kappa_n \right]
\end{equation}
where $H_0$ is the mean water level, $f_n$ the node factor and $\kappa_n$ the epoch of constituent $n$.
\end{document}
""",
    source="Schureman, Manual of Harmonic Analysis and Prediction of Tides, 1958, equation 305 ((V_0 + u) is one symbol)",
    shapes=("base 1", "size N, T", "input H_0[], f[N], H[N], a[N], t[T], Vu[N], kappa[N]"),
    sizes={"N": 3},
    H_0=lambda r: 0.7,
    f=lambda r: uniform(r, 3),
    H=lambda r: uniform(r, 3),
    a=lambda r: uniform(r, 3),
    t=lambda r: uniform(r, 4),
    Vu=lambda r: uniform(r, 3),
    kappa=lambda r: uniform(r, 3),
)
def tidal_height(H_0, f, H, a, t, Vu, kappa):
    return np.array(
        [
            H_0 + sum(f[n] * H[n] * np.cos(a[n] * x + Vu[n] - kappa[n]) for n in range(len(f)))
            for x in t
        ]
    )


@formula(
    r"""
\documentclass{elsarticle}
\usepackage{amsmath}
\begin{document}
\begin{equation}
\mathit{KGE} = 1 - \mathit{ED}
\end{equation}
with
\begin{equation}
\mathit{ED} = \sqrt{(r-1)^2 + (\alpha - 1)^2 + (\beta - 1)^2}
\end{equation}
where $\beta = \mu_s / \mu_o$ and $\alpha = \sigma_s / \sigma_o$ are the ratios of the means and of the standard deviations of simulated and observed flows.
\end{document}
""",
    source="Gupta et al., Decomposition of the mean squared error and NSE performance criteria, 2009, equations 9 and 10",
    output="KGE",
    r=lambda q: 0.8,
    mu_s=lambda q: 1.4,
    mu_o=lambda q: 1.2,
    sigma_s=lambda q: 0.5,
    sigma_o=lambda q: 0.6,
)
def kling_gupta(r, mu_s, mu_o, sigma_s, sigma_o):
    return 1 - np.sqrt((r - 1) ** 2 + (sigma_s / sigma_o - 1) ** 2 + (mu_s / mu_o - 1) ** 2)


@formula(
    r"""
Cohen's weighted kappa with $k$ codes is
\begin{equation*}
\kappa = 1 - \frac{\sum_{i=1}^{k} \sum_{j=1}^{k} w_{ij} x_{ij}}{\sum_{i=1}^{k} \sum_{j=1}^{k} w_{ij} m_{ij}}
\end{equation*}
where $w_{ij}$, $x_{ij}$, and $m_{ij}$ are elements in the weight, observed, and expected matrices, respectively.
""",
    source="Cohen, Weighted kappa, 1968; as in an encyclopedia",
    shapes=("base 1", "size k", "input w[k, k], x[k, k], m[k, k]"),
    sizes={"k": 3},
    w=lambda r: uniform(r, 3, 3),
    x=lambda r: uniform(r, 3, 3),
    m=lambda r: uniform(r, 3, 3),
)
def weighted_kappa(w, x, m):
    a = b = 0.0
    for i in range(3):
        for j in range(3):
            a += w[i, j] * x[i, j]
            b += w[i, j] * m[i, j]
    return 1 - a / b


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $r_{ij}$ be the rank of treatment $j$ in block $i$, for $n$ blocks and $k$ treatments. Friedman's statistic is
\begin{equation}
\chi_r^2 = \frac{12}{nk(k+1)} \sum_{j=1}^{k} R_j^2 - 3n(k+1), \qquad \text{with } R_j = \sum_{i=1}^{n} r_{ij} .
\end{equation}
\end{document}
""",
    source="Friedman, The use of ranks to avoid the assumption of normality, 1937",
    shapes=("base 1", "size n, k", "input r[n, k]"),
    sizes={"n": 4, "k": 3},
    output="chi_r_squared",
    r=lambda q: uniform(q, 4, 3),
)
def friedman_statistic(r):
    n, k = r.shape
    return 12 / (n * k * (k + 1)) * sum(
        sum(r[i, j] for i in range(n)) ** 2 for j in range(k)
    ) - 3 * n * (k + 1)


@formula(
    r"""
\documentclass[prb,twocolumn]{revtex4}
\begin{document}
The band energy of atom $i$, and the repulsion of the ion cores, are
\begin{equation}
E_B^i = - \left\{ \sum_{j} \xi_{\alpha\beta}^2 e^{-2 q_{\alpha\beta} \left( r_{ij} / r_0^{\alpha\beta} - 1 \right)} \right\}^{1/2} ,
\end{equation}
\begin{equation}
E_R^i = \sum_{j} A_{\alpha\beta} e^{-p_{\alpha\beta} \left( r_{ij} / r_0^{\alpha\beta} - 1 \right)} ,
\end{equation}
and the cohesive energy of the system is then
\begin{equation}
E_c = \sum_i \left( E_R^i + E_B^i \right) .
\end{equation}
\end{document}
""",
    source="Cleri and Rosato, Tight-binding potentials for transition metals and alloys, 1993, equations 1, 3 and 5",
    shapes=(
        "upper",
        "size N",
        "input r[N, N], xi_alphabeta[], q_alphabeta[], A_alphabeta[], p_alphabeta[]",
    ),
    output="E_c",
    xi=lambda r: 0.9,
    q=lambda r: 1.1,
    r=lambda r: uniform(r, 4, 4),
    r_0=lambda r: 0.8,
    A=lambda r: 0.3,
    p=lambda r: 1.7,
)
def tight_binding_cohesion(xi, q, r, r_0, A, p):
    E = 0.0
    for i in range(len(r)):
        b = sum(xi**2 * np.exp(-2 * q * (r[i, j] / r_0 - 1)) for j in range(len(r)))
        E += sum(A * np.exp(-p * (r[i, j] / r_0 - 1)) for j in range(len(r))) - np.sqrt(b)
    return E


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The extended Heisenberg model has the form
\begin{equation}
\mathcal{H} = -\sum_{i \neq j} J_{ij}\, \mathbf{S}_i \cdot \mathbf{S}_j - k_\mathrm{u} \sum_i \left( \mathbf{S}_i \cdot \mathbf{e} \right)^2 - \mu_\mathrm{s} \sum_i \mathbf{S}_i \cdot \mathbf{H}_\mathrm{app}
\end{equation}
where $J_{ij}$ is the exchange between sites $i$ and $j$, $\mathbf{S}_i$ is a unit vector denoting the local spin moment direction, and $\mathbf{H}_\mathrm{app}$ is the applied field.
\end{document}
""",
    source="Evans et al., Atomistic spin model simulations of magnetic nanomaterials, 2014, equations 1 to 5",
    shapes=("size N", "input J[N, N], S[N, 3], k_u[], e[3], mu_s[], H_app[3]"),
    J=lambda r: normal(r, 4, 4),
    S=lambda r: normal(r, 4, 3),
    k_u=lambda r: 0.4,
    e=lambda r: normal(r, 3),
    mu_s=lambda r: 1.2,
    H_app=lambda r: normal(r, 3),
)
def atomistic_spins(J, S, k_u, e, mu_s, H_app):
    N = len(S)
    E = 0.0
    for i in range(N):
        for j in range(N):
            if i != j:
                E -= J[i, j] * sum(S[i, d] * S[j, d] for d in range(3))
        E -= k_u * sum(S[i, d] * e[d] for d in range(3)) ** 2
        E -= mu_s * sum(S[i, d] * H_app[d] for d in range(3))
    return E


@formula(
    r"""
The strain energy density of a linearly elastic solid, with summation over repeated indices, is
\begin{equation}
W = \frac{1}{2} C_{ijkl}\, \varepsilon_{ij}\, \varepsilon_{kl}
\end{equation}
""",
    source="Malvern, Introduction to the Mechanics of a Continuous Medium, 1969, section 6.1",
    shapes=("einstein", "input C[3, 3, 3, 3], varepsilon[3, 3]"),
    C=lambda r: normal(r, 3, 3, 3, 3),
    varepsilon=lambda r: normal(r, 3, 3),
)
def strain_energy(C, varepsilon):
    W = 0.0
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for m in range(3):
                    W += 0.5 * C[i, j, k, m] * varepsilon[i, j] * varepsilon[k, m]
    return W


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\newcommand{\nn}{\mathbf{n}}
\newcommand{\hh}{\mathbf{h}}
\newcommand{\vv}{\mathbf{v}}
\begin{document}
For the specular D we use the GGX/Trowbridge-Reitz model, and for F Schlick's approximation:
\begin{align}
D(\hh) &= \frac{\alpha^2}{\pi \left( (\nn\cdot\hh)^2 (\alpha^2 - 1) + 1 \right)^2} \\
F(\vv, \hh) &= F_0 + (1 - F_0)\, (1 - \vv\cdot\hh)^5
\end{align}
where $\nn, \hh, \vv \in \mathbb{R}^3$ are unit vectors.
\end{document}
""",
    source="Karis, Real shading in Unreal Engine 4, 2013, equations 3 and 5 (without the fit of the power)",
    shapes=("input n[3], h[3], v[3], alpha[], F_0[]",),
    output="D",
    alpha=lambda r: 0.4,
    n=lambda r: uniform(r, 3),
    h=lambda r: uniform(r, 3),
    F_0=lambda r: 0.04,
    v=lambda r: uniform(r, 3),
)
def microfacets(alpha, n, h, F_0, v):
    d = sum(n[i] * h[i] for i in range(3))
    return alpha**2 / (np.pi * (d**2 * (alpha**2 - 1) + 1) ** 2)


@formula(
    r"""
\documentclass{IEEEtran}
\usepackage{amsmath}
\begin{document}
The mel-frequency cepstrum coefficients are
\begin{equation}
\tilde{c}_n = \sum_{k=1}^{K} \left( \log \tilde{S}_k \right) \cos\left[ n \left( k - \frac{1}{2} \right) \frac{\pi}{K} \right], \qquad n = 1, 2, \ldots, L,
\end{equation}
where $\tilde{S}_k$, $k = 1, 2, \ldots, K$, are the output power coefficients of the triangular filters.
\end{document}
""",
    source="Davis and Mermelstein, Comparison of parametric representations, 1980; as in Rabiner and Juang, 1993, equation 4.54",
    shapes=("base 1", "size K, L", "input S_tilde[K]"),
    sizes={"K": 5, "L": 3},
    S_tilde=lambda r: uniform(r, 5),
)
def cepstrum_of_bands(S_tilde):
    return np.array(
        [
            sum(np.log(S_tilde[k - 1]) * np.cos(n * (k - 0.5) * np.pi / 5) for k in range(1, 6))
            for n in range(1, 4)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\begin{equation}
\hat{S}_T = \hat{\Omega}_0 + \sum_{j=1}^{m} w(j, m) \left[ \hat{\Omega}_j + \hat{\Omega}_j' \right], \qquad w(j, m) = 1 - \left[ j / (m+1) \right],
\end{equation}
where
\begin{equation}
\hat{\Omega}_j = \frac{1}{T} \sum_{t=j+1}^{T} \hat{h}_t \hat{h}_{t-j}' .
\end{equation}
\end{document}
""",
    source="Newey and West, A simple, positive semi-definite, heteroskedasticity and autocorrelation consistent covariance matrix, 1987, equation 5",
    shapes=("base 1", "size T, K", "size m = 2", "input h_hat[T, K]"),
    sizes={"T": 6, "m": 2},
    output="S_hat_T",
    h_hat=lambda r: normal(r, 6, 2),
)
def newey_west(h_hat):
    T, K = h_hat.shape
    m = 2

    def omega(j):
        W = np.zeros((K, K))
        for t in range(j, T):
            for a in range(K):
                for b in range(K):
                    W[a, b] += h_hat[t, a] * h_hat[t - j, b] / T
        return W

    S = omega(0)
    for j in range(1, m + 1):
        S = S + (1 - j / (m + 1)) * (omega(j) + omega(j).T)
    return S


@formula(
    r"""
The Redlich--Kister expansion of the excess Gibbs energy of a binary mixture reads
\begin{equation}
\frac{G^{\mathrm{E}}}{RT} = x_1 x_2 \sum_{k=0}^{n} A_k \left( x_1 - x_2 \right)^k .
\end{equation}
""",
    source="Redlich and Kister, Algebraic representation of thermodynamic properties, 1948",
    shapes=("size n", "input x_1[], x_2[], A[n + 1]"),
    sizes={"n": 3},
    x_1=lambda r: 0.3,
    x_2=lambda r: 0.7,
    A=lambda r: normal(r, 4),
)
def redlich_kister(x_1, x_2, A):
    return x_1 * x_2 * sum(A[k] * (x_1 - x_2) ** k for k in range(4))


@formula(
    r"""
\documentclass{report}
\usepackage{amsmath}
\begin{document}
CHEMKIN presumes that the standard-state thermodynamic properties are given in terms of polynomial fits to the specific heats at constant pressure:
\begin{equation}
\frac{C^{o}_{pk}}{R} = \sum_{m=1}^{M} a_{mk} T_k^{(m-1)}
\end{equation}
\end{document}
""",
    source="Kee, Rupley, Miller, Chemkin-II, 1989, equation 19",
    shapes=("base 1", "size M, K", "input a[M, K], T[K]"),
    sizes={"M": 5},
    a=lambda r: normal(r, 5, 3),
    T=lambda r: uniform(r, 3),
)
def heat_capacity_fit(a, T):
    M, K = a.shape
    return np.array([sum(a[m, k] * T[k] ** m for m in range(M)) for k in range(K)])


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2021_conference}
\usepackage{amsmath,amssymb}
\newcommand{\BX}{\boldsymbol{X}}
\newcommand{\Bx}{\boldsymbol{x}}
\newcommand{\Bxi}{\boldsymbol{\xi}}
\begin{document}
We have $N$ stored (key) patterns $\BX = (\Bx_1,\ldots,\Bx_N)$, $\BX \in \mathbb{R}^{d \times N}$, and the state (query) pattern $\Bxi \in \mathbb{R}^d$. With the log-sum-exp function (lse) for $0 < \beta$,
\begin{align}
\mathrm{lse}(\beta, \Bx) = \beta^{-1} \log \left( \sum_{i=1}^{N} \exp(\beta x_i) \right) ,
\end{align}
the energy is defined as
\begin{align}
\mathrm{E} = - \mathrm{lse}(\beta, \BX^T \Bxi) + \frac{1}{2} \Bxi^T \Bxi + \beta^{-1} \log N + \frac{1}{2} M^2 .
\end{align}
\end{document}
""",
    source="Ramsauer et al., Hopfield networks is all you need, 2021, equations 1 and 2",
    shapes=("base 1", "size N, d", "input X[d, N], xi[d], beta[], M[]"),
    sizes={"N": 4},
    output="E",
    beta=lambda r: 0.8,
    X=lambda r: normal(r, 3, 4),
    xi=lambda r: normal(r, 3),
    M=lambda r: 1.5,
)
def modern_hopfield(beta, X, xi, M):
    d, N = X.shape
    z = sum(np.exp(beta * sum(X[a, i] * xi[a] for a in range(d))) for i in range(N))
    return -np.log(z) / beta + sum(x * x for x in xi) / 2 + np.log(N) / beta + M**2 / 2
