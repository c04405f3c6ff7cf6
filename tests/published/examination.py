r"""Formulas of machine learning, statistics and physics, as their authors print them: an examination that was not prepared for."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
AdaIN receives a content input $x$ and a style input $y$, and simply aligns the channelwise mean and variance of $x$ to match those of $y$:
\begin{equation}
\label{eq:adain}
\mathrm{AdaIN}(x, y)= \sigma(y)\left(\frac{x-\mu(x)}{\sigma(x)}\right)+\mu(y)
\end{equation}
As in instance normalization, these statistics are computed across spatial locations:
\begin{equation}
\mu_{nc}(x)=\frac{1}{HW}\sum_{h=1}^{H}\sum_{w=1}^{W} x_{nchw}
\end{equation}
\begin{equation}
\sigma_{nc}(x)=\sqrt{\frac{1}{HW}\sum_{h=1}^{H}\sum_{w=1}^{W}(x_{nchw}-\mu_{nc}(x))^{2}+\epsilon}
\end{equation}
\end{document}
""",
    source="Huang, Belongie, Arbitrary style transfer in real-time with adaptive instance normalization, 2017, equations 5, 6 and 8",
    shapes=("base 1", "size N, C, H, W", "input x[N, C, H, W], y[N, C, H, W], epsilon[]"),
    sizes={"H": 2, "W": 3},
    x=lambda r: normal(r, 2, 2, 2, 3),
    y=lambda r: normal(r, 2, 2, 2, 3),
    epsilon=lambda r: 0.02,
)
def adain(x, y, epsilon):
    N, C, H, W = x.shape
    out = np.zeros(x.shape)

    def stat(t):
        m = 0.0
        v = 0.0
        for h in range(H):
            for w in range(W):
                m += t[h, w] / (H * W)
        for h in range(H):
            for w in range(W):
                v += (t[h, w] - m) ** 2 / (H * W)
        return m, np.sqrt(v + epsilon)

    for n in range(N):
        for c in range(C):
            m, s = stat(x[n, c])
            p, q = stat(y[n, c])
            for h in range(H):
                for w in range(W):
                    out[n, c, h, w] = q * (x[n, c, h, w] - m) / s + p
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{icml2020}
\usepackage{amsmath}
\newcommand{\fe}[1]{\phi\left(#1\right)}
\begin{document}
Following the reasoning of \S 3.2, we linearize the masked attention as described below,
\begin{equation}
V'_i = \frac{\fe{Q_i}^T \sum_{j=1}^i \fe{K_j} V_j^T}{\fe{Q_i}^T \sum_{j=1}^i \fe{K_j}}.
\label{eq:causal}
\end{equation}
For our experiments that deal with smaller sequences, we employ a feature map that results in a positive similarity function as defined below.
\begin{equation}
\fe{x} = \text{elu}(x) + 1,
\end{equation}
where $\text{elu}(\cdot)$ denotes the exponential linear unit activation function.
\end{document}
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equations 7 and 9",
    shapes=("base 1", "size N, D, M", "input Q[N, D], K[N, D], V[N, M]"),
    sizes={"N": 4},
    Q=lambda r: normal(r, 4, 2),
    K=lambda r: normal(r, 4, 2),
    V=lambda r: normal(r, 4, 3),
)
def causal_linear_attention(Q, K, V):
    f = lambda t: t + 1 if t > 0 else np.exp(t)
    N, D = Q.shape
    out = np.zeros(V.shape)
    for i in range(N):
        z = 0.0
        for j in range(i + 1):
            s = sum(f(Q[i, d]) * f(K[j, d]) for d in range(D))
            z += s
            out[i] += s * V[j]
        out[i] /= z
    return out


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
Let us assume there are $K$ within-class similarity scores and $L$ between-class similarity scores associated with $x$. We denote these similarity scores as $\{s_p^i\}$ $(i=1,2,\cdots,K)$ and $\{s_n^j\}$ $(j=1,2,\cdots,L)$, respectively. To minimize each $s_n^j$ as well as to maximize $s_p^i$, we propose a unified loss function by:
\begin{equation}\label{eq:unified}
\begin{aligned}
\mathcal{L}_{uni}&=\log\Big[1+\sum\limits_{i=1}^{K}\sum\limits_{j=1}^{L}\exp(\gamma(s_n^j-s_p^i+m))\Big]\\
&=\log\Big[1+\sum\limits_{j=1}^{L}\exp(\gamma(s_n^j+m))\sum\limits_{i=1}^{K}\exp(\gamma(-s_p^i))\Big],
\end{aligned}
\end{equation}
in which $\gamma$ is a scale factor and $m$ is a margin for better similarity separation.
\end{document}
""",
    source="Sun et al., Circle loss, 2020, equation 1",
    shapes=("upper", "base 1", "size K, L", "input s_n[L], s_p[K], gamma[], m[]"),
    sizes={"K": 3, "L": 4},
    s_n=lambda r: normal(r, 4),
    s_p=lambda r: normal(r, 3),
    gamma=lambda r: 1.5,
    m=lambda r: 0.25,
)
def circle_loss(s_n, s_p, gamma, m):
    t = 1.0
    for a in s_p:
        for b in s_n:
            t += np.exp(gamma * (b - a + m))
    return np.log(t)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\bv}{\mathbf{v}}
\newcommand{\bu}{\mathbf{u}}
\begin{document}
The first loss function is an image-to-text contrastive loss for the $i$-th pair:
\begin{align}
    \ell^{(v\rightarrow u)}_{i} = -\log \frac{\exp(\langle \bv_i, \bu_i \rangle/\tau)}{\sum_{k=1}^{N} \exp(\langle \bv_i, \bu_k \rangle/\tau)},
\end{align}
where $\langle \bv_i, \bu_i \rangle$ represents the cosine similarity, i.e., $\langle \bv, \bu \rangle = \bv^\top \bu / \|\bv\|\|\bu\|$; and $\tau \in \mathbb{R}^{+}$ represents a temperature parameter. We therefore define a similar text-to-image contrastive loss as:
\begin{align}
    \ell^{(u\rightarrow v)}_{i} = -\log \frac{\exp(\langle \bu_i, \bv_i \rangle/\tau)}{\sum_{k=1}^{N} \exp(\langle \bu_i, \bv_k \rangle/\tau)}.
\end{align}
Our final training loss is then computed as a weighted combination of the two losses averaged over all positive image-text pairs in each minibatch:
\begin{align}
    \mathcal{L} = \frac{1}{N} \sum_{i=1}^{N} \left( \lambda \ell^{(v\rightarrow u)}_{i} + (1-\lambda) \ell^{(u\rightarrow v)}_{i} \right),
\end{align}
where $\lambda \in [0, 1]$ is a scalar weight.
\end{document}
""",
    source="Zhang et al., Contrastive learning of medical visual representations from paired images and text, 2020, equations 2 to 4",
    shapes=("base 1", "size N, d", "input v[N, d], u[N, d], tau[], lambda[]"),
    sizes={"N": 4},
    v=lambda r: normal(r, 4, 3),
    u=lambda r: normal(r, 4, 3),
    tau=lambda r: 0.5,
    lambda_=lambda r: 0.75,
)
def convirt(v, u, tau, lambda_):
    N = len(v)
    c = lambda a, b: np.exp(sum(a * b) / np.sqrt(sum(a * a) * sum(b * b)) / tau)
    L = 0.0
    for i in range(N):
        L -= lambda_ * np.log(c(v[i], u[i]) / sum(c(v[i], u[k]) for k in range(N))) / N
        L -= (1 - lambda_) * np.log(c(u[i], v[i]) / sum(c(u[i], v[k]) for k in range(N))) / N
    return L


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\Prob}{\operatorname{Pr}}
\begin{document}
The explicit formula for the marginal distribution of the counts is
\begin{equation}
\Prob(\mathbf{x} \mid n, \boldsymbol{\alpha}) = \frac{\Gamma\left(\alpha_0\right) \Gamma\left(n+1\right)}{\Gamma\left(n+\alpha_0\right)} \prod_{k=1}^K \frac{\Gamma(x_k+\alpha_k)}{\Gamma(\alpha_k) \Gamma\left(x_k+1\right)}
\end{equation}
where $\alpha_0$ is defined as the sum $\alpha_0 = \sum_k \alpha_k$ and $n = \sum_k x_k$.
\end{document}
""",
    source="Dirichlet-multinomial distribution, as in an encyclopedia; Minka, Estimating a Dirichlet distribution, 2000",
    shapes=("base 1", "size K", "input alpha[K], x[K]"),
    sizes={"K": 3},
    alpha="3",
    x=lambda r: np.array([2.0, 1.0, 4.0]),
)
def dirichlet_multinomial(alpha, x):
    from math import gamma

    a, n = sum(alpha), sum(x)
    P = gamma(a) * gamma(n + 1) / gamma(n + a)
    for k in range(len(x)):
        P *= gamma(x[k] + alpha[k]) / gamma(alpha[k]) / gamma(x[k] + 1)
    return P


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\def\vx{{\boldsymbol{x}}}
\def\vgamma{{\boldsymbol{\gamma}}}
\def\vbeta{{\boldsymbol{\beta}}}
\begin{document}
Given an input tensor $\vx$, a DyT layer is defined as follows:
\begin{equation}
    \mathrm{DyT}(\vx) = \vgamma * \tanh(\alpha \vx) + \vbeta
\end{equation}
where $\alpha$ is a learnable scalar parameter that allows scaling the input differently based on its range. $\vgamma$ and $\vbeta$ are learnable, per-channel vector parameters.
\end{document}
""",
    source="Zhu, Chen, He, LeCun, Liu, Transformers without normalization, 2025, equation 2",
    shapes=("size C", "input gamma[C], alpha[], x[C], beta[C]"),
    gamma=lambda r: normal(r, 4),
    alpha=lambda r: 0.7,
    x=lambda r: normal(r, 4),
    beta=lambda r: normal(r, 4),
)
def dynamic_tanh(gamma, alpha, x, beta):
    return np.array([gamma[c] * np.tanh(alpha * x[c]) + beta[c] for c in range(len(x))])


@formula(
    r"""
\documentclass[10pt,journal,compsoc]{IEEEtran}
\usepackage{amsmath,amssymb}
\begin{document}
Here $F \in \mathbb{R}^{N \times d}$ is the feature map and $M_k \in \mathbb{R}^{S \times d}$ the key memory. We therefore use a double-normalization, which separately normalizes columns and rows. This double-normalization is formulated as:
\begin{align}
(\tilde{\alpha})_{i,j} &= F M_k^T \\
\hat{\alpha}_{i,j} &= \exp{(\tilde{\alpha}_{i,j})} / \sum_{k} \exp{(\tilde{\alpha}_{k,j})} \\
\alpha_{i,j} &= \hat{\alpha}_{i,j} / \sum_{k} \hat{\alpha}_{i,k}
\end{align}
\end{document}
""",
    source="Guo et al., Beyond self-attention: external attention using two linear layers for visual tasks, 2021, equations 7 to 9",
    shapes=("size N, d, S", "input F[N, d], M_k[S, d]"),
    F=lambda r: normal(r, 4, 2),
    M_k=lambda r: normal(r, 3, 2),
)
def external_attention(F, M_k):
    N, S = len(F), len(M_k)
    a = np.array(
        [
            [np.exp(sum(F[i, c] * M_k[j, c] for c in range(F.shape[1]))) for j in range(S)]
            for i in range(N)
        ]
    )
    b = np.zeros((N, S))
    out = np.zeros((N, S))
    for i in range(N):
        for j in range(S):
            b[i, j] = a[i, j] / sum(a[k, j] for k in range(N))
    for i in range(N):
        for j in range(S):
            out[i, j] = b[i, j] / sum(b[i, k] for k in range(S))
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2016_conference,times}
\usepackage{amsmath}
\newcommand{\mat}[1]{\boldsymbol{#1}}
\begin{document}
We define a parametric transformation of the data, $\mat y = g(\mat x; \mat\theta)$:
\begin{equation}
\mat y = g(\mat x; \mat\theta) \quad\text{s.t.}\quad y_i = \frac{z_i}{\bigl(\beta_i + \sum_j \gamma_{ij} |z_j|^{\alpha_{ij}}\bigr)^{\varepsilon_i}} \quad\text{and}\quad \mat z = \mat H \mat x.
\label{eq:gdn}
\end{equation}
The full parameter vector $\mat\theta$ consists of the vectors $\mat\beta$ and $\mat\varepsilon$, as well as the matrices $\mat H$, $\mat\alpha$, and $\mat\gamma$, for a total of $2N + 3N^2$ parameters (where $N$ is the dimensionality of the input space).
\end{document}
""",
    source="Balle, Laparra, Simoncelli, Density modeling of images using a generalized normalization transformation, 2016, equation 1",
    shapes=("size N", "input H[N, N], x[N]"),
    beta="3",
    gamma="3 3",
    alpha="3 3",
    varepsilon="3",
    H=lambda r: normal(r, 3, 3),
    x=lambda r: normal(r, 3),
)
def gdn(beta, gamma, alpha, varepsilon, H, x):
    N = len(x)
    z = [sum(H[i, j] * x[j] for j in range(N)) for i in range(N)]
    return np.array(
        [
            z[i]
            / (beta[i] + sum(gamma[i, j] * abs(z[j]) ** alpha[i, j] for j in range(N)))
            ** varepsilon[i]
            for i in range(N)
        ]
    )


@formula(
    r"""
\documentclass[journal=jacsat]{achemso}
\usepackage{amsmath}
\begin{document}
The electrostatic component of the solvation energy is given by the generalized Born equation
\begin{equation}
G_{\text{pol}} = -166.0 \left( 1 - \frac{1}{\epsilon} \right) \sum_{i=1}^{n} \sum_{j=1}^{n} \frac{q_i q_j}{\sqrt{r_{ij}^2 + \alpha_{ij}^2 e^{-D_{ij}}}}
\end{equation}
where $\alpha_{ij} = (\alpha_i \alpha_j)^{0.5}$ and $D_{ij} = r_{ij}^2 / (2\alpha_{ij})^2$, and $\alpha_i$ are the effective Born radii.
\end{document}
""",
    source="Still, Tempczyk, Hawley, Hendrickson, Semianalytical treatment of solvation for molecular mechanics and dynamics, 1990, equation 3",
    shapes=("base 1", "size n", "input q[n], r[n, n]"),
    sizes={"n": 4},
    epsilon=lambda r: 78.3,
    q=lambda r: normal(r, 4),
    r=lambda r: (lambda A: A + A.T)(uniform(r, 4, 4)),
    alpha="4",
)
def generalized_born(epsilon, q, r, alpha):
    s = 0.0
    for i in range(len(q)):
        for j in range(len(q)):
            a = np.sqrt(alpha[i] * alpha[j])
            s += (
                q[i] * q[j] / np.sqrt(r[i, j] ** 2 + a * a * np.exp(-(r[i, j] ** 2) / (2 * a) ** 2))
            )
    return -166.0 * (1 - 1 / epsilon) * s


@formula(
    r"""
The Getis-Ord local statistic is given as:
\begin{equation}
G_i^* = \frac{\sum\limits_{j=1}^{n} w_{i,j} x_j - \bar{X} \sum\limits_{j=1}^{n} w_{i,j}}{S \sqrt{\frac{\left[ n \sum\limits_{j=1}^{n} w_{i,j}^2 - \left( \sum\limits_{j=1}^{n} w_{i,j} \right)^2 \right]}{n-1}}}
\end{equation}
where $x_j$ is the attribute value for feature $j$, $w_{i,j}$ is the spatial weight between feature $i$ and $j$, $n$ is equal to the total number of features and:
\begin{equation}
\bar{X} = \frac{\sum\limits_{j=1}^{n} x_j}{n}
\end{equation}
\begin{equation}
S = \sqrt{\frac{\sum\limits_{j=1}^{n} x_j^2}{n} - \left( \bar{X} \right)^2}
\end{equation}
The $G_i^*$ statistic is a z-score so no further calculations are required.
""",
    source="Getis, Ord, The analysis of spatial association by use of distance statistics, 1992; as in the documentation of ArcGIS",
    shapes=("base 1", "size n", "input w[n, n], x[n]"),
    sizes={"n": 4},
    w="4 4",
    x=lambda r: normal(r, 4),
)
def getis_ord(w, x):
    n = len(x)
    m = sum(x) / n
    S = np.sqrt(sum(t * t for t in x) / n - m * m)
    G = np.zeros(n)
    for i in range(n):
        a = sum(w[i])
        b = sum(t * t for t in w[i])
        G[i] = (sum(w[i, j] * x[j] for j in range(n)) - m * a) / (
            S * np.sqrt((n * b - a * a) / (n - 1))
        )
    return G


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For the ARD exponentiated quadratic covariance function these statistics are computed in closed form; in particular the $n \times m$ matrix $\Psi_1$ is
\begin{equation}
(\Psi_1)_{nm} = \sigma_f^2 \prod_{q=1}^{Q} \frac{e^{-\frac{1}{2} \frac{\alpha_q (\mu_{nq} - z_{mq})^2}{\alpha_q S_{nq} + 1}}}{(\alpha_q S_{nq} + 1)^{\frac{1}{2}}} ,
\end{equation}
where $S_{nq}$ denotes the $q$-th diagonal element of the covariance of the variational distribution of $\mathbf{x}_n$.
\end{document}
""",
    source="Titsias, Lawrence, Bayesian Gaussian process latent variable model, 2010, section 3",
    shapes=("base 1", "size N, M, Q", "input sigma_f[], alpha[Q], mu[N, Q], z[M, Q], S[N, Q]"),
    sizes={"Q": 2},
    sigma_f=lambda r: 1.3,
    alpha="2",
    mu=lambda r: normal(r, 4, 2),
    z=lambda r: normal(r, 3, 2),
    S="4 2",
)
def gplvm_psi_one(sigma_f, alpha, mu, z, S):
    P = np.zeros((len(mu), len(z)))
    for n in range(len(mu)):
        for m in range(len(z)):
            t = sigma_f**2
            for q in range(len(alpha)):
                b = alpha[q] * S[n, q] + 1
                t *= np.exp(-0.5 * alpha[q] * (mu[n, q] - z[m, q]) ** 2 / b) / np.sqrt(b)
            P[n, m] = t
    return P


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The diversity of order $q$ (Hill number) of an assemblage of $S$ species with relative abundances $p_i$ is
\begin{equation}
{}^{q}\!D \equiv \left( \sum_{i=1}^{S} p_i^{\,q} \right)^{1/(1-q)}
\end{equation}
for $q \neq 1$.
\end{document}
""",
    source="Hill, Diversity and evenness, 1973; Jost, Entropy and diversity, 2006, equation 2",
    shapes=("base 1", "size S", "input p[S], q[]"),
    sizes={"S": 4},
    p=lambda r: uniform(r, 4) / 4,
    q=lambda r: 2.0,
)
def hill_number(p, q):
    s = 0.0
    for t in p:
        s += t**q
    return s ** (1 / (1 - q))


@formula(
    r"""
Suppose that object $i$ is given the rank $r_{i,j}$ by judge number $j$, where there are in total $n$ objects and $m$ judges. Then the total rank given to object $i$ is
\[
R_i = \sum_{j=1}^m r_{i,j},
\]
and the mean value of these total ranks is
\[
\bar{R} = \frac{1}{n} \sum_{i=1}^n R_i .
\]
The sum of squared deviations, $S$, is defined as
\[
S = \sum_{i=1}^n (R_i - \bar{R})^2,
\]
and then Kendall's $W$ is defined as
\[
W = \frac{12 S}{m^2(n^3-n)}.
\]
""",
    source="Kendall, Babington Smith, The problem of m rankings, 1939; as in an encyclopedia",
    shapes=("base 1", "size n, m", "input r[n, m]"),
    sizes={"n": 4, "m": 3},
    r=lambda r: 4 * uniform(r, 4, 3),
)
def kendall_w(r):
    n, m = r.shape
    R = [sum(r[i, j] for j in range(m)) for i in range(n)]
    a = sum(R) / n
    S = sum((t - a) ** 2 for t in R)
    return 12 * S / (m * m * (n**3 - n))


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb}
\begin{document}
Let $\left\{ \widetilde{x}_k \mid k < K \right\} \subset \mathcal{B}^3_r$ be the $K$ kernel points and $\left\{ W_k \mid k < K \right\} \subset \mathbb{R}^{D_{in} \times D_{out}}$ be the associated weight matrices that map features from dimension $D_{in}$ to $D_{out}$. We define the kernel function $g$ for any point $y_i \in \mathcal{B}^3_r$ as:
\begin{equation}
	g(y_i) = \sum_{k < K} h(y_i, \widetilde{x}_k) W_k
	\label{eq:g}
\end{equation}
where $h$ is the correlation between $\widetilde{x}_k$ and $y_i$, that should be higher when $\widetilde{x}_k$ is closer to $y_i$. Inspired by the bilinear interpolation in deformable convolutional networks, we use the linear correlation:
\begin{equation}
	h(y_i, \widetilde{x}_k) = \max \left( 0, 1 - \frac{\| y_i - \widetilde{x}_k \|}{\sigma} \right)
	\label{eq:h}
\end{equation}
where $\sigma$ is the influence distance of the kernel points, and will be chosen according to the input density.
\end{document}
""",
    source="Thomas et al., KPConv, 2019, equations 2 and 3",
    shapes=("base 0", "size N, K, A, B", "input y[N, 3], x_tilde[K, 3], W[K, A, B], sigma[]"),
    sizes={"K": 3},
    y=lambda r: 0.5 * normal(r, 4, 3),
    x_tilde=lambda r: 0.5 * normal(r, 3, 3),
    W=lambda r: normal(r, 3, 2, 2),
    sigma=lambda r: 1.8,
)
def kpconv_kernel(y, x_tilde, W, sigma):
    g = np.zeros((len(y), *W.shape[1:]))
    for i in range(len(y)):
        for k in range(len(W)):
            d = np.sqrt(sum((y[i, c] - x_tilde[k, c]) ** 2 for c in range(3)))
            g[i] += max(0.0, 1 - d / sigma) * W[k]
    return g


@formula(
    r"""
Given two colors in CIELAB color space, $({L^*_1},{a^*_1},{b^*_1})$ and $({L^*_2},{a^*_2},{b^*_2})$, the CIE76 color difference formula is defined as:
\begin{equation}
\Delta E_{ab}^* = \sqrt{ (L^*_2-L^*_1)^2+(a^*_2-a^*_1)^2 + (b^*_2-b^*_1)^2 }.
\end{equation}
""",
    source="CIE, Colorimetry, 1976; as in an encyclopedia",
    L_2=lambda r: 1.3,
    L_1=lambda r: 0.4,
    a_2=lambda r: -0.7,
    a_1=lambda r: 0.2,
    b_2=lambda r: 0.9,
    b_1=lambda r: -1.1,
)
def lab_colour_difference(L_2, L_1, a_2, a_1, b_2, b_1):
    return np.sqrt((L_2 - L_1) ** 2 + (a_2 - a_1) ** 2 + (b_2 - b_1) ** 2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\bh}{\mathbf{h}}
\newcommand{\bw}{\mathbf{w}}
\newcommand{\bV}{\mathbf{V}}
\newcommand{\bU}{\mathbf{U}}
\begin{document}
Let $H = \{\bh_1, \ldots, \bh_K\}$ be a bag of $K$ embeddings, then we propose the following MIL pooling:
\begin{equation}
\mathbf{z} = \sum_{k=1}^{K} a_k \bh_k,
\end{equation}
where:
\begin{equation}
a_k = \frac{\exp\{ \bw^\top \big( \tanh\big( \bV \bh_k^\top \big) \odot \mathrm{sigm}\big( \bU \bh_k^\top \big) \big) \}}{\displaystyle\sum_{j=1}^{K} \exp\{ \bw^\top \big( \tanh\big( \bV \bh_j^\top \big) \odot \mathrm{sigm}\big( \bU \bh_j^\top \big) \big) \}} ,
\label{eq:gated}
\end{equation}
where $\bw \in \mathbb{R}^{L \times 1}$, $\bV \in \mathbb{R}^{L \times M}$ and $\bU \in \mathbb{R}^{L \times M}$ are parameters, $\odot$ is an element-wise multiplication and $\mathrm{sigm}(\cdot)$ is the sigmoid non-linearity.
\end{document}
""",
    source="Ilse, Tomczak, Welling, Attention-based deep multiple instance learning, 2018, equations 7 and 9",
    shapes=("base 1", "size K, L, M", "input h[K, M]"),
    sizes={"K": 4},
    h=lambda r: normal(r, 4, 2),
    w=lambda r: normal(r, 3, 1),
    V=lambda r: normal(r, 3, 2),
    U=lambda r: normal(r, 3, 2),
)
def mil_gated_attention(h, w, V, U):
    K, M = h.shape
    e = []
    for k in range(K):
        s = 0.0
        for l in range(len(w)):
            s += (
                w[l, 0]
                * np.tanh(sum(V[l, m] * h[k, m] for m in range(M)))
                / (1 + np.exp(-sum(U[l, m] * h[k, m] for m in range(M))))
            )
        e.append(np.exp(s))
    return sum(e[k] / sum(e) * h[k] for k in range(K))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The fraction of sites actually bound by the ligand, the saturation function, is
\begin{equation}
\overline{Y}_F = \frac{L c \alpha (1 + c\alpha)^{n-1} + \alpha (1 + \alpha)^{n-1}}{L (1 + c\alpha)^n + (1 + \alpha)^n} .
\end{equation}
\end{document}
""",
    source="Monod, Wyman, Changeux, On the nature of allosteric transitions: a plausible model, 1965, equation 2",
    L=lambda r: 9.0,
    c=lambda r: 0.1,
    alpha=lambda r: 1.7,
    n=lambda r: 4.0,
)
def monod_wyman_changeux(L, c, alpha, n):
    a = L * c * alpha * (1 + c * alpha) ** (n - 1) + alpha * (1 + alpha) ** (n - 1)
    return a / (L * (1 + c * alpha) ** n + (1 + alpha) ** n)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The posterior parameter of the precision is
\begin{equation}
\beta_n = \beta_0 + \frac{1}{2} \sum_{i=1}^n (x_i - \overline{x})^2 + \frac{\kappa_0 n (\overline{x} - \mu_0)^2}{2(\kappa_0 + n)}
\end{equation}
where $\overline{x} = \frac{1}{n} \sum_{i=1}^n x_i$.
\end{document}
""",
    source="Murphy, Conjugate Bayesian analysis of the Gaussian distribution, 2007, equation 89",
    shapes=("base 1", "size n", "input beta_0[], x[n], kappa_0[], mu_0[]"),
    sizes={"n": 5},
    beta_0=lambda r: 0.7,
    x=lambda r: normal(r, 5),
    kappa_0=lambda r: 1.2,
    mu_0=lambda r: -0.3,
)
def normal_inverse_gamma(beta_0, x, kappa_0, mu_0):
    n = len(x)
    m = sum(x) / n
    b = beta_0 + kappa_0 * n * (m - mu_0) ** 2 / (2 * (kappa_0 + n))
    for t in x:
        b += 0.5 * (t - m) ** 2
    return b


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2018_conference,times}
\usepackage{amsmath}
\begin{document}
In PACT, the conventional ReLU activation function in CNNs is replaced with the following:
\begin{equation}
y = PACT(x) = 0.5(|x|-|x-\alpha|+\alpha) =
\begin{cases}
0, & x \in (-\infty, 0) \\
x, & x \in [0, \alpha) \\
\alpha, & x \in [\alpha, +\infty)
\end{cases}
\label{eq:pact}
\end{equation}
where $\alpha$ limits the range of activation to $[0, \alpha]$. The truncated activation output is then linearly quantized to $k$ bits for the dot-product computations, where
\begin{equation}
y_q = round(y \cdot \frac{2^k-1}{\alpha}) \cdot \frac{\alpha}{2^k-1}
\end{equation}
\end{document}
""",
    source="Choi et al., PACT: parameterized clipping activation for quantized neural networks, 2018, equations 1 and 2",
    shapes=("size n", "input x[n], alpha[], k[]"),
    x=lambda r: normal(r, 7),
    alpha=lambda r: 1.1,
    k=lambda r: 3.0,
)
def pact(x, alpha, k):
    out = []
    for t in x:
        y = 0.0 if t < 0 else (t if t < alpha else alpha)
        out.append(float(np.round(y * (2**k - 1) / alpha)) * alpha / (2**k - 1))
    return np.array(out)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\tx}{\tilde{\mathbf{x}}}
\begin{document}
In summary, our proposed PairNorm (with input $\tilde{\mathbf{X}}$ and output $\dot{\mathbf{X}}$) can be written as a two-step, center-and-scale, normalization procedure:
\begin{align}
\tx_i^c &= \tx_i - \frac{1}{n} \sum_{i=1}^n \tx_i && \text{(Center)} \label{eq:center} \\
\dot{\mathbf{x}}_i &= s \cdot \frac{\tx_i^c}{\sqrt{\frac{1}{n} \sum_{i=1}^n \|\tx_i^c\|_2^2}} = s \sqrt{n} \cdot \frac{\tx_i^c}{\sqrt{\|\tilde{\mathbf{X}}^c\|_F^2}} && \text{(Scale)} \label{eq:scale}
\end{align}
where $s$ is a hyperparameter.
\end{document}
""",
    source="Zhao, Akoglu, PairNorm: tackling oversmoothing in GNNs, 2020, equations 10 and 11",
    shapes=("base 1", "size n, d", "input x_tilde[n, d], s[]"),
    sizes={"n": 4},
    x_tilde=lambda r: normal(r, 4, 3),
    s=lambda r: 1.4,
)
def pairnorm(x_tilde, s):
    n, d = x_tilde.shape
    m = [sum(x_tilde[i, a] for i in range(n)) / n for a in range(d)]
    q = 0.0
    for i in range(n):
        for a in range(d):
            q += (x_tilde[i, a] - m[a]) ** 2 / n
    return np.array([[s * (x_tilde[i, a] - m[a]) / np.sqrt(q) for a in range(d)] for i in range(n)])


@formula(
    r"""
\documentclass{siamltex}
\usepackage{amsmath}
\newcommand{\M}[1]{{\bf #1}}
\newcommand{\Tra}{{\sf T}}
\begin{document}
Let $\M{X}_k$ for $k = 1, \dots, K$ be $I \times J$ matrices. The PARAFAC2 model with a common loading is
\begin{equation}
\M{X}_k \approx \M{U}_k \M{S}_k \M{V}^{\Tra}, \quad k = 1, \ldots, K,
\end{equation}
where $\M{U}_k$ is an $I \times R$ matrix and $\M{S}_k$ is an $R \times R$ matrix for $k = 1, \dots, K$, and $\M{V}$ is a $J \times R$ factor matrix that does not vary with $k$.
\end{document}
""",
    source="Kolda, Bader, Tensor decompositions and applications, 2009, equation 5.2",
    shapes=("base 1", "size I, J, K, R", "input U[K, I, R], S[K, R, R], V[J, R]"),
    sizes={"K": 2},
    U=lambda r: normal(r, 2, 3, 2),
    S=lambda r: normal(r, 2, 2, 2),
    V=lambda r: normal(r, 4, 2),
)
def parafac_two(U, S, V):
    X = np.zeros((len(U), U.shape[1], len(V)))
    for k, i, j in np.ndindex(*X.shape):
        for a, b in np.ndindex(2, 2):
            X[k, i, j] += U[k, i, a] * S[k, a, b] * V[j, b]
    return X


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The most general form of the Sellmeier equation for the refractive index is
\begin{equation}
n^2(\lambda) = 1 + \sum_{i=1}^{m} \frac{B_i \lambda^2}{\lambda^2 - C_i} ,
\end{equation}
with each term of the sum representing an absorption resonance of strength $B_i$ at a wavelength $\sqrt{C_i}$.
\end{document}
""",
    source="Sellmeier, 1871; as in an encyclopedia and catalogues of optical glass",
    shapes=("base 1", "size m", "input B[m], lambda[], C[m]"),
    sizes={"m": 3},
    B="3",
    lambda_=lambda r: 2.3,
    C="3",
)
def sellmeier(B, lambda_, C):
    s = 1.0
    for i in range(len(B)):
        s += B[i] * lambda_**2 / (lambda_**2 - C[i])
    return s


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\newcommand{\lnorm}[1]{\left\lVert#1\right\rVert_2}
\begin{document}
Denoting the two output vectors as $p_1{\triangleq}h(f(x_1))$ and $z_2{\triangleq}f(x_2)$, we minimize their negative cosine similarity:
\begin{equation}
\mathcal{D}(p_1, z_2) = - \frac{p_1}{\lnorm{p_1}}{\cdot}\frac{z_2}{\lnorm{z_2}},
\label{eq:dist_cosine}
\end{equation}
where $\lnorm{\cdot}$ is $\ell_2$-norm. This is equivalent to the mean squared error of $\ell_2$-normalized vectors, up to a scale of 2. Following \cite{Grill2020}, we define a symmetrized loss as:
\begin{equation}
\mathcal{L} = \frac{1}{2}\mathcal{D}(p_1, z_2) + \frac{1}{2}\mathcal{D}(p_2, z_1).
\label{eq:loss_cosine}
\end{equation}
\end{document}
""",
    source="Chen, He, Exploring simple Siamese representation learning, 2021, equations 1 and 2",
    shapes=("size d", "input p_1[d], z_2[d], p_2[d], z_1[d]"),
    p_1=lambda r: normal(r, 4),
    z_2=lambda r: normal(r, 4),
    p_2=lambda r: normal(r, 4),
    z_1=lambda r: normal(r, 4),
)
def simsiam(p_1, z_2, p_2, z_1):
    def distance(p, z):
        a = b = c = 0.0
        for i in range(len(p)):
            a += p[i] * z[i]
            b += p[i] ** 2
            c += z[i] ** 2
        return -a / np.sqrt(b) / np.sqrt(c)

    return distance(p_1, z_2) / 2 + distance(p_2, z_1) / 2


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
Each activation $\mathbf{a}_i$ with index $i$ is applied a weight $\mathbf{w}_i$ that is calculated as the ratio of the natural exponent of that activation with respect to the sum of the natural exponents of all activations within neighborhood $\mathbf{R}$:
\begin{equation}
    \mathbf{w}_i = \frac{e^{\mathbf{a}_{i}}}{\sum\limits_{j \in \mathbf{R}} e^{\mathbf{a}_{j}}}
    \label{eq:weights}
\end{equation}
The output value of the SoftPool operation is produced through a standard summation of all weighted activations within the kernel neighborhood $\mathbf{R}$:
\begin{equation}
    \tilde{\mathbf{a}} = \sum\limits_{i \in \mathbf{R}} \mathbf{w}_i * \mathbf{a}_{i}
    \label{eq:softpool}
\end{equation}
\end{document}
""",
    source="Stergiou, Poppe, Kalliatakis, Refining activation downsampling with SoftPool, 2021, equations 1 and 2",
    shapes=("size n", "input a[n]"),
    a=lambda r: normal(r, 5),
)
def softpool(a):
    z = sum(np.exp(t) for t in a)
    return sum(np.exp(t) / z * t for t in a)


@formula(
    r"""
A max pooling layer with window $k \times k$ and stride $s$ keeps the strongest response of each window,
\begin{equation}
y_{c,i,j} = \max_{\substack{0 \le p < k \\ 0 \le q < k}} x_{c,\, s \cdot i + p,\, s \cdot j + q} ,
\end{equation}
where $c$ runs over the channels.
""",
    source="Max pooling as in Dumoulin, Visin, A guide to convolution arithmetic for deep learning, 2016, and in lecture notes",
    shapes=("size s = 2", "size k = 3", "size C, H, W", "input x[C, H, W]"),
    sizes={"s": 2, "k": 3},
    x=lambda r: normal(r, 2, 5, 7),
)
def strided_max_pooling(x):
    C, H, W = x.shape
    y = np.zeros((C, (H - 3) // 2 + 1, (W - 3) // 2 + 1))
    for c, i, j in np.ndindex(*y.shape):
        y[c, i, j] = max(x[c, 2 * i + p, 2 * j + q] for p in range(3) for q in range(3))
    return y


@formula(
    r"""
For a population of $N$ agents each with characteristic $x$, the Theil $T$ index is defined as
\[
T_T = \frac{1}{N} \sum_{i=1}^N \frac{x_i}{\mu} \ln \left( \frac{x_i}{\mu} \right)
\]
where $\mu$ is the mean income:
\[
\mu = \frac{1}{N} \sum_{i=1}^N x_i .
\]
""",
    source="Theil, Economics and information theory, 1967; as in an encyclopedia",
    shapes=("base 1", "size N", "input x[N]"),
    sizes={"N": 5},
    x="5",
)
def theil_index(x):
    N = len(x)
    m = sum(x) / N
    return sum(t / m * np.log(t / m) for t in x) / N


@formula(
    r"""
\documentclass[aip,jcp]{revtex4-1}
\usepackage{amsmath}
\begin{document}
The interaction energy between two monomers $a$ and $b$ is represented by Coulombic interactions between all intermolecular pairs of charges along with a single Lennard--Jones term between the oxygens,
\begin{equation}
\varepsilon_{ab} = \sum_{i}^{\text{on } a} \sum_{j}^{\text{on } b} \frac{k_C\, q_i q_j}{r_{ij}} + \frac{A}{r_{\mathrm{OO}}^{12}} - \frac{C}{r_{\mathrm{OO}}^{6}} .
\end{equation}
\end{document}
""",
    source="Jorgensen et al., Comparison of simple potential functions for simulating liquid water, 1983, equation 1",
    shapes=("size n", "input k_C[], q[n], r[n, n], A[], r_OO[], C[]"),
    k_C=lambda r: 0.9,
    q=lambda r: normal(r, 3),
    r="3 3",
    A=lambda r: 1.2,
    r_OO=lambda r: 1.1,
    C=lambda r: 0.6,
)
def tip_water(k_C, q, r, A, r_OO, C):
    e = A / r_OO**12 - C / r_OO**6
    for i in range(len(q)):
        for j in range(len(q)):
            e += k_C * q[i] * q[j] / r[i, j]
    return e


@formula(
    r"""
\documentclass[letterpaper]{IEEEtran}
\usepackage{amsmath}
\begin{document}
Let $\mathbf{x} = \{x_i | i = 1, 2, \cdots, N\}$ and $\mathbf{y} = \{y_i | i = 1, 2, \cdots, N\}$ be the original and the test image signals, respectively. The proposed quality index is defined as
\begin{equation}
Q = \frac{4\, \sigma_{xy}\, \bar{x}\, \bar{y}}{(\sigma_x^2 + \sigma_y^2)\left[ (\bar{x})^2 + (\bar{y})^2 \right]} ,
\end{equation}
where
\begin{equation*}
\bar{x} = \frac{1}{N} \sum_{i=1}^{N} x_i , \quad \bar{y} = \frac{1}{N} \sum_{i=1}^{N} y_i ,
\end{equation*}
\begin{equation*}
\sigma_x^2 = \frac{1}{N-1} \sum_{i=1}^{N} (x_i - \bar{x})^2 , \quad \sigma_y^2 = \frac{1}{N-1} \sum_{i=1}^{N} (y_i - \bar{y})^2 ,
\end{equation*}
\begin{equation*}
\sigma_{xy} = \frac{1}{N-1} \sum_{i=1}^{N} (x_i - \bar{x})(y_i - \bar{y}) .
\end{equation*}
\end{document}
""",
    source="Wang, Bovik, A universal image quality index, 2002, equation 1",
    shapes=("base 1", "size N", "input x[N], y[N]"),
    sizes={"N": 5},
    x="5",
    y="5",
)
def universal_quality_index(x, y):
    N = len(x)
    a, b = sum(x) / N, sum(y) / N
    u = v = w = 0.0
    for i in range(N):
        u += (x[i] - a) ** 2 / (N - 1)
        v += (y[i] - b) ** 2 / (N - 1)
        w += (x[i] - a) * (y[i] - b) / (N - 1)
    return 4 * w * a * b / ((u + v) * (a * a + b * b))


@formula(
    r"""
The determinant of a square Vandermonde matrix is called a Vandermonde polynomial or Vandermonde determinant. Its value is the polynomial
\[
\det(V) = \prod_{1 \le i < j \le n} (x_j - x_i),
\]
which is non-zero if and only if all $x_i$ are distinct.
""",
    source="Vandermonde determinant, as in an encyclopedia and in Golub, Van Loan, Matrix computations",
    shapes=("base 1", "size n", "input x[n]"),
    sizes={"n": 4},
    x=lambda r: normal(r, 4),
)
def vandermonde_determinant(x):
    p = 1.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            p *= x[j] - x[i]
    return p


@formula(
    r"""
\documentclass[aps,prl,twocolumn]{revtex4-2}
\usepackage{amsmath}
\begin{document}
We determine the absolute value of the average normalized velocity
\begin{equation}
v_a = \frac{1}{N v} \left| \sum_{i=1}^{N} \mathbf{v}_i \right|
\end{equation}
of the entire system of particles; $v$ is the absolute value of the velocities. This is approximately zero if the direction of the individual particles is distributed randomly.
\end{document}
""",
    source="Vicsek, Czirok, Ben-Jacob, Cohen, Shochet, Novel type of phase transition in a system of self-driven particles, 1995, equation 3",
    shapes=("base 1", "size N, D", "input v[], v_bf[N, D]"),
    sizes={"N": 5},
    v=lambda r: 0.8,
    v_bf=lambda r: normal(r, 5, 2),
)
def vicsek_order(v, v_bf):
    s = [sum(v_bf[i, d] for i in range(len(v_bf))) for d in range(v_bf.shape[1])]
    return np.sqrt(sum(t * t for t in s)) / (len(v_bf) * v)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\newcommand{\kT}{k_\mathrm{B} T}
\begin{document}
For pairwise additive interactions the instantaneous pressure is
\begin{equation}
P = \frac{N \kT}{V} + \frac{1}{3V} \sum_{i<j} \bm{r}_{ij} \cdot \bm{f}_{ij} ,
\end{equation}
where $\bm{f}_{ij}$ is the force on particle $i$ due to particle $j$, and $\bm{r}_{ij}$ their separation.
\end{document}
""",
    source="Frenkel, Smit, Understanding molecular simulation, 2002, equation 4.3.2; Allen, Tildesley, 1987",
    shapes=("size N", "input k_B[], T[], V[], r[N, N, 3], f[N, N, 3]"),
    k_B=lambda r: 0.9,
    T=lambda r: 1.2,
    V=lambda r: 7.0,
    r=lambda r: normal(r, 4, 4, 3),
    f=lambda r: normal(r, 4, 4, 3),
)
def virial_pressure(k_B, T, V, r, f):
    N = len(r)
    P = N * k_B * T / V
    for i in range(N):
        for j in range(i + 1, N):
            for d in range(3):
                P += r[i, j, d] * f[i, j, d] / (3 * V)
    return P
