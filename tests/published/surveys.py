"""Formulas of articles and surveys on learning, retrieval, matter, networks and economics."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\begin{document}
The raw Stress of a configuration $\mathbf{X}$ is
\begin{equation}
\sigma_r(\mathbf{X}) = \sum_{i<j} w_{ij} \bigl[\delta_{ij} - d_{ij}(\mathbf{X})\bigr]^2 ,
\end{equation}
where
\begin{equation}
d_{ij}(\mathbf{X}) = \left( \sum_{s=1}^{p} (x_{is} - x_{js})^2 \right)^{1/2}
\end{equation}
and $\delta_{ij}$ denotes the dissimilarity of the objects $i$ and $j$.
\end{document}
""",
    source="Borg and Groenen, Modern multidimensional scaling, 2005, equation 8.4",
    shapes=("size n, p", "input w[n, n], delta[n, n], x[n, p]"),
    w=lambda r: uniform(r, 4, 4),
    delta=lambda r: uniform(r, 4, 4),
    x=lambda r: normal(r, 4, 3),
)
def raw_stress(w, delta, x):
    n, p = x.shape
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            d = sum((x[i, s] - x[j, s]) ** 2 for s in range(p)) ** 0.5
            total += w[i, j] * (delta[i, j] - d) ** 2
    return total


@formula(
    r"""
\documentclass[11pt]{article}
\usepackage{amsmath,amssymb}
\begin{document}
The bilinear score function is
\begin{equation}
f_r(h,t) = \mathbf{h}^\top \mathrm{diag}(\mathbf{r}) \mathbf{t} = \sum_{i=0}^{d-1} [\mathbf{r}]_i \cdot [\mathbf{h}]_i \cdot [\mathbf{t}]_i .
\end{equation}
\end{document}
""",
    source="Wang et al., Knowledge graph embedding: a survey of approaches and applications, 2017, equation 14 (DistMult)",
    shapes=("$\\mathbf{h}, \\mathbf{r}, \\mathbf{t} \\in \\mathbb{R}^{d}$",),
    r=lambda r: normal(r, 4),
    h=lambda r: normal(r, 4),
    t=lambda r: normal(r, 4),
)
def distmult(r, h, t):
    return sum(r[i] * h[i] * t[i] for i in range(len(r)))


@formula(
    r"""
\documentclass{article}
\usepackage{iccv}
\usepackage{amsmath,amssymb}
\newcommand{\x}{\mathbf{x}}
\newcommand{\y}{\mathbf{y}}
\begin{document}
Instead of the softmax-based contrastive loss, we propose
\begin{equation}
    -\frac{1}{|\mathcal{B}|} \sum_{i=1}^{|\mathcal{B}|} \sum_{j=1}^{|\mathcal{B}|} \underbrace{\log \frac{1}{1 + e^{z_{ij} (-t \x_i \cdot \y_j + b)}}}_{\mathcal{L}_{ij}}
\end{equation}
where $z_{ij}$ is the label for a given image and text input, which equals $1$ if they are paired and $-1$ otherwise.
\end{document}
""",
    source="Zhai et al., Sigmoid loss for language image pre-training, 2023, section 3.2",
    shapes=("size B, d", "input x[B, d], y[B, d]"),
    z=lambda r: np.where(np.eye(3) > 0, 1.0, -1.0),
    t=lambda r: 1.3,
    x=lambda r: normal(r, 3, 4),
    y=lambda r: normal(r, 3, 4),
    b=lambda r: -0.5,
)
def sigmoid_contrast(z, t, x, y, b):
    n = len(x)
    total = 0.0
    for i in range(n):
        for j in range(n):
            dot = sum(x[i, d] * y[j, d] for d in range(x.shape[1]))
            total += np.log(1 / (1 + np.exp(z[i, j] * (-t * dot + b))))
    return -total / n


@formula(
    r"""
\documentclass{article}
\usepackage{cvpr}
\usepackage{amsmath,amssymb}
\begin{document}
The student network outputs probability distributions over $K$ dimensions,
\begin{equation}
P_s(x)^{(i)} = \frac{\exp(g_{\theta_s}(x)^{(i)} / \tau_s)}{\sum_{k=1}^K \exp(g_{\theta_s}(x)^{(k)} / \tau_s)},
\end{equation}
with $\tau_s > 0$ a temperature parameter that controls the sharpness of the output distribution.
\end{document}
""",
    source="Caron et al., Emerging properties in self-supervised vision transformers, 2021, equation 1",
    shapes=("size K", "input g_theta_s[K], tau_s[]"),
    g_theta_s=lambda r: normal(r, 5),
    tau_s=lambda r: 0.3,
)
def student_probabilities(g_theta_s, tau_s):
    e = np.exp(g_theta_s / tau_s)
    return e / sum(e)


@formula(
    r"""
\documentclass{article}
\usepackage{acl}
\usepackage{amsmath,amsfonts}
\begin{document}
\begin{equation}
wkv_t = \frac{\sum_{i=1}^{t-1} e^{-(t-1-i)w + k_i} \odot v_i + e^{u + k_t} \odot v_t}{\sum_{i=1}^{t-1} e^{-(t-1-i)w + k_i} + e^{u + k_t}}
\end{equation}
\end{document}
""",
    source="Peng et al., RWKV: reinventing RNNs for the transformer era, 2023, equation 16",
    shapes=("size T, d", "input w[d], u[d], k[T, d], v[T, d]"),
    w=lambda r: uniform(r, 3),
    k=lambda r: normal(r, 4, 3),
    v=lambda r: normal(r, 4, 3),
    u=lambda r: normal(r, 3),
)
def weighted_key_value(w, k, v, u):
    T, d = k.shape
    out = np.zeros((T, d))
    for t in range(T):
        for c in range(d):
            a = np.exp(u[c] + k[t, c]) * v[t, c]
            z = np.exp(u[c] + k[t, c])
            for i in range(t):
                e = np.exp(-(t - 1 - i) * w[c] + k[i, c])
                a += e * v[i, c]
                z += e
            out[t, c] = a / z
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{nips}
\usepackage{amsmath}
\begin{document}
We model $p(\mathcal{C}_i|\mathcal{C}_1,\ldots,\mathcal{C}_{i-1},\mathcal{P})$ using the attention mechanism as follows:
\begin{eqnarray*}
u^i_j &=& v^T \tanh(W_1 e_j + W_2 d_i) \quad j \in (1, \ldots, n) \\
p(\mathcal{C}_i|\mathcal{C}_1,\ldots,\mathcal{C}_{i-1},\mathcal{P}) &=& \mathrm{softmax}(u^i)
\end{eqnarray*}
\end{document}
""",
    source="Vinyals, Fortunato, Jaitly, Pointer networks, 2015, equation 3",
    shapes=("upper", "size n, m, h", "input v[h], W_1[h, h], W_2[h, h], e[n, h], d[m, h]"),
    output="u",
    v=lambda r: normal(r, 3),
    W_1=lambda r: normal(r, 3, 3),
    e=lambda r: normal(r, 4, 3),
    W_2=lambda r: normal(r, 3, 3),
    d=lambda r: normal(r, 2, 3),
)
def pointer_scores(v, W_1, e, W_2, d):
    out = np.zeros((len(e), len(d)))
    for j in range(len(e)):
        for i in range(len(d)):
            for a in range(len(v)):
                s = sum(W_1[a, b] * e[j, b] + W_2[a, b] * d[i, b] for b in range(len(v)))
                out[j, i] += v[a] * np.tanh(s)
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{icml2016}
\usepackage{amsmath,amssymb}
\begin{document}
The last module uses the mapping
\begin{equation}
Q(s,a;\theta,\alpha,\beta) = V(s;\theta,\beta) + \Bigl( A(s,a;\theta,\alpha) - \frac{1}{|\mathcal{A}|} \sum_{a'} A(s,a';\theta,\alpha) \Bigr).
\end{equation}
\end{document}
""",
    source="Wang et al., Dueling network architectures for deep reinforcement learning, 2016, equation 9",
    shapes=("size S, N", "input V[S], A[S, N]"),
    V=lambda r: normal(r, 3),
    A=lambda r: normal(r, 3, 4),
)
def duelling(V, A):
    S, n = A.shape
    return np.array([[V[s] + A[s, a] - sum(A[s]) / n for a in range(n)] for s in range(S)])


@formula(
    r"""
\documentclass{article}
\usepackage{naaclhlt2016}
\usepackage{amsmath}
\begin{document}
For a sequence of predictions $\mathbf{y} = (y_1, y_2, \ldots, y_n)$, we define its score to be
\begin{align*}
s(\mathbf{X}, \mathbf{y}) = \sum_{i=0}^{n} A_{y_i, y_{i+1}} + \sum_{i=1}^{n} P_{i, y_i}
\end{align*}
where $\mathbf{A}$ is a matrix of transition scores such that $A_{i,j}$ represents the score of a transition from the tag $i$ to tag $j$. $y_0$ and $y_{n+1}$ are the \textit{start} and \textit{end} tags of a sentence.
\end{document}
""",
    source="Lample et al., Neural architectures for named entity recognition, 2016, section 2.2",
    shapes=("size n, k", "input A[k, k], P[n, k], y[n + 2]: index"),
    A=lambda r: normal(r, 4, 4),
    P=lambda r: normal(r, 3, 4),
    y=lambda r: np.array([0, 2, 1, 2, 3]),
)
def chain_score(A, P, y):
    n = len(P)
    return sum(A[y[i], y[i + 1]] for i in range(n + 1)) + sum(
        P[i - 1, y[i]] for i in range(1, n + 1)
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The factors are computed by minimizing the following cost function:
\begin{equation}
\min_{x_\star, y_\star} \sum_{u,i} c_{ui} (p_{ui} - x_u^T y_i)^2 + \lambda \left( \sum_u \| x_u \|^2 + \sum_i \| y_i \|^2 \right)
\end{equation}
\end{document}
""",
    source="Hu, Koren, Volinsky, Collaborative filtering for implicit feedback datasets, 2008, equation 3",
    shapes=("size m, n, f", "input c[m, n], p[m, n], x[m, f], y[n, f], lambda[]"),
    c=lambda r: uniform(r, 3, 4),
    p=lambda r: uniform(r, 3, 4),
    x=lambda r: normal(r, 3, 2),
    y=lambda r: normal(r, 4, 2),
    **{"lambda": lambda r: 0.3},
)
def implicit_feedback(c, p, x, y, **rest):
    m, n = c.shape
    f = x.shape[1]
    total = 0.0
    for u in range(m):
        for i in range(n):
            total += c[u, i] * (p[u, i] - sum(x[u, k] * y[i, k] for k in range(f))) ** 2
    return total + rest["lambda"] * (np.sum(x**2) + np.sum(y**2))


@formula(
    r"""
\documentclass{article}
\usepackage{nips00e,amsmath}
\begin{document}
Another useful measure is
\begin{equation}
D(A||B) = \sum_{ij} \left( A_{ij} \log \frac{A_{ij}}{B_{ij}} - A_{ij} + B_{ij} \right)
\end{equation}
Like the Euclidean distance this is also lower bounded by zero, and vanishes if and only if $A = B$.
\end{document}
""",
    source="Lee and Seung, Algorithms for non-negative matrix factorization, 2001, equation 3",
    A="3 4",
    B="3 4",
)
def generalised_divergence(A, B):
    total = 0.0
    for i in range(A.shape[0]):
        for j in range(A.shape[1]):
            total += A[i, j] * np.log(A[i, j] / B[i, j]) - A[i, j] + B[i, j]
    return total


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
\begin{equation}
\frac{d\bm{x}_i}{dt} = \bm{v}_i, \qquad \frac{d\bm{v}_i}{dt} = \frac{\lambda}{N} \sum_{j=1}^{N} \psi(|\bm{x}_j - \bm{x}_i|)(\bm{v}_j - \bm{v}_i),
\end{equation}
where the communication rate is $\psi(r) = \frac{1}{(1+r^2)^{\beta}}$ and $\bm{x}_i, \bm{v}_i \in \mathbb{R}^d$.
\end{document}
""",
    source="Cucker and Smale, Emergent behavior in flocks, 2007; as in Ha and Liu, 2009",
    output="dv_dt",
    **{"lambda": lambda r: 0.7},
    x=lambda r: normal(r, 4, 2),
    beta=lambda r: 0.4,
    v=lambda r: normal(r, 4, 2),
)
def flocking(x, beta, v, **rest):
    N, d = x.shape
    out = np.zeros((N, d))
    for i in range(N):
        for j in range(N):
            r = sum((x[j, a] - x[i, a]) ** 2 for a in range(d)) ** 0.5
            for a in range(d):
                out[i, a] += rest["lambda"] / N * (v[j, a] - v[i, a]) / (1 + r**2) ** beta
    return out


@formula(
    r"""
\documentclass[prl,twocolumn]{revtex4}
\begin{document}
For the practical purpose of evaluating $r$ on an observed network, we can rewrite it as
\begin{equation}
r = {M^{-1} \sum_i j_i k_i - \left[ M^{-1} \sum_i \frac12 (j_i + k_i) \right]^2 \over M^{-1} \sum_i \frac12 (j_i^2 + k_i^2) - \left[ M^{-1} \sum_i \frac12 (j_i+k_i) \right]^2},
\end{equation}
where $j_i$, $k_i$ are the degrees of the vertices at the ends of the $i$th edge, with $i = 1 \ldots M$.
\end{document}
""",
    source="Newman, Assortative mixing in networks, 2002, equation 4",
    j="6",
    k="6",
)
def assortativity(j, k):
    M = len(j)
    square = (sum((a + b) / 2 for a, b in zip(j, k, strict=True)) / M) ** 2
    top = sum(a * b for a, b in zip(j, k, strict=True)) / M - square
    return top / (sum((a * a + b * b) / 2 for a, b in zip(j, k, strict=True)) / M - square)


@formula(
    r"""
\documentclass[12pt]{article}
\usepackage{amsmath}
\begin{document}
The full weighting operator is defined by
\begin{equation*}
\begin{split}
v^{2h}_{ij} = \frac{1}{16} \bigl[ & v^h_{2i-1,2j-1} + v^h_{2i-1,2j+1} + v^h_{2i+1,2j-1} + v^h_{2i+1,2j+1} \\
 & + 2 ( v^h_{2i,2j-1} + v^h_{2i,2j+1} + v^h_{2i-1,2j} + v^h_{2i+1,2j} ) \\
 & + 4 v^h_{2i,2j} \bigr], \qquad 1 \le i, j \le \frac{n}{2} - 1 .
\end{split}
\end{equation*}
\end{document}
""",
    source="Briggs, Henson, McCormick, A multigrid tutorial, 2000, chapter 3",
    shapes=("size m", "input v_h[2*m + 1, 2*m + 1]"),
    v_h=lambda r: normal(r, 7, 7),
)
def full_weighting(v_h):
    m = (len(v_h) - 1) // 2 - 1
    out = np.zeros((m, m))
    weights = {-1: 1, 0: 2, 1: 1}
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            for a, s in weights.items():
                for b, t in weights.items():
                    out[i - 1, j - 1] += s * t * v_h[2 * i + a, 2 * j + b] / 16
    return out


@formula(
    r"""
\documentclass{IEEEtran}
\usepackage{amsmath}
\begin{document}
2) \emph{Contrast:}
\begin{equation}
f_2 = \sum_{n=0}^{N_g - 1} n^2 \left\{ \sum_{\substack{i=1 \\ |i-j|=n}}^{N_g} \sum_{j=1}^{N_g} p(i,j) \right\} .
\end{equation}
where $p(i,j)$ is the $(i,j)$th entry in a normalized gray-tone spatial-dependence matrix, and $N_g$ the number of distinct gray levels.
\end{document}
""",
    source="Haralick, Shanmugam, Dinstein, Textural features for image classification, 1973, appendix I",
    shapes=("size N_g", "input p[N_g, N_g]", "base 1"),
    p=lambda r: uniform(r, 4, 4),
)
def texture_contrast(p):
    N = len(p)
    return sum((i - j) ** 2 * p[i, j] for i in range(N) for j in range(N))


@formula(
    r"""
\documentclass{article}
\usepackage{icml2017,amsmath}
\begin{document}
The $i$-th component of the projected update $\Phi \hat{\mathcal{T}} Z_\theta(x,a)$ is
\begin{equation}
(\Phi \hat{\mathcal{T}} Z_\theta(x,a))_i = \sum_{j=0}^{N-1} \left[ 1 - \frac{|[\hat{\mathcal{T}} z_j]_{V_{\textsc{min}}}^{V_{\textsc{max}}} - z_i|}{\Delta z} \right]_0^1 p_j(x', \pi(x')),
\end{equation}
where $[\cdot]_a^b$ bounds its argument in the range $[a,b]$.
\end{document}
""",
    source="Bellemare, Dabney, Munos, A distributional perspective on reinforcement learning, 2017, equation 7",
    Tz=lambda r: normal(r, 5),
    z=lambda r: np.linspace(-1, 1, 5),
    p=lambda r: uniform(r, 5),
)
def categorical_projection(Tz, z, p):
    d = z[1] - z[0]
    return np.array(
        [sum(np.clip(1 - abs(np.clip(Tz, -1, 1) - z[i]) / d, 0, 1) * p) for i in range(5)]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{neurips_2020,amsmath}
\begin{document}
We denote the output of the sigmoid function as $\sigma$. QFL is then
\begin{equation}
\textbf{QFL}(\sigma) = - \big| y - \sigma \big|^{\beta} \big( (1 - y) \log(1 - \sigma) + y \log(\sigma) \big).
\end{equation}
\end{document}
""",
    source="Li et al., Generalized focal loss, 2020, equation 3",
    y=lambda r: 0.8,
    sigma=lambda r: 0.6,
    beta=lambda r: 2.0,
)
def quality_focal(y, sigma, beta):
    return -(abs(y - sigma) ** beta) * ((1 - y) * np.log(1 - sigma) + y * np.log(sigma))


@formula(
    r"""
\documentclass{article}
\usepackage{neurips_2021,amsmath,amssymb,bm}
\newcommand{\bx}{\mathbf{x}}
\begin{document}
The discrete opacity values are
\begin{equation}
\alpha_i = \max \left( \frac{\Phi_s(f(\mathbf{p}(t_i))) - \Phi_s(f(\mathbf{p}(t_{i+1})))}{\Phi_s(f(\mathbf{p}(t_i)))}, 0 \right),
\end{equation}
and the approximated pixel color is
\begin{equation}
\hat{C} = \sum_{i=1}^{n} T_i \alpha_i c_i, \qquad T_i = \prod_{j=1}^{i-1} (1 - \alpha_j).
\end{equation}
Here $\Phi_s(x) = (1 + e^{-sx})^{-1}$, and $c_i \in \mathbb{R}^3$ is the color.
\end{document}
""",
    source="Wang et al., NeuS: learning neural implicit surfaces by volume rendering, 2021, equations 12 and 13",
    shapes=("size n", "input f[n + 1]"),
    output="C_hat",
    s=lambda r: 5.0,
    f=lambda r: normal(r, 5),
    c=lambda r: uniform(r, 4, 3),
)
def neural_surface_colour(s, f, c):
    n = len(c)
    phi = 1 / (1 + np.exp(-s * f))
    colour = np.zeros(3)
    T = 1.0
    for i in range(n):
        alpha = max((phi[i] - phi[i + 1]) / phi[i], 0)
        colour += T * alpha * c[i]
        T *= 1 - alpha
    return colour


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For a closed-shell molecule described by a single determinant wavefunction with each occupied molecular orbital $\psi_a$ containing two electrons,
\begin{equation}
P_{\mu\nu} = 2 \sum_a^{N/2} C_{\mu a} C_{\nu a}^*
\end{equation}
\end{document}
""",
    source="Szabo and Ostlund, Modern quantum chemistry, 1989, equation 3.145",
    shapes=("size K, N_2", "input C[K, N_2]"),
    C=lambda r: normal(r, 4, 2),
)
def density_of_orbitals(C):
    K, n = C.shape
    return np.array(
        [[2 * sum(C[m, a] * C[v, a] for a in range(n)) for v in range(K)] for m in range(K)]
    )


@formula(
    r"""
\documentclass{article}
\begin{document}
The Morisita--Horn index of similarity is
\[
C_H = \frac{2 \sum_{i=1}^{S} x_i y_i}{\left( \frac{\sum_{i=1}^{S} x_i^2}{X^2} + \frac{\sum_{i=1}^{S} y_i^2}{Y^2} \right) X Y}
\]
where $x_i$ is the number of times species $i$ is represented in the total $X$ from one sample, and $y_i$ the number of times species $i$ is represented in the total $Y$ from another sample.
\end{document}
""",
    source="Horn, Measurement of overlap in comparative ecological studies, 1966; as in an encyclopedia",
    x="5",
    y="5",
    X=lambda r: 5.5,
    Y=lambda r: 6.5,
)
def morisita_horn(x, y, X, Y):
    return 2 * sum(x * y) / ((sum(x**2) / X**2 + sum(y**2) / Y**2) * X * Y)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Parkinson (1980) estimator of the variance is
\begin{equation}\label{eq:park}
\sigma^2_P = \frac{1}{4 N \ln 2} \sum_{t=1}^{N} \left( \ln \frac{H_t}{L_t} \right)^2
\end{equation}
\end{document}
""",
    source="Parkinson, The extreme value method for estimating the variance of the rate of return, 1980",
    H="5",
    L="5",
)
def high_low_variance(H, L):
    return sum(np.log(H / L) ** 2) / (4 * len(H) * np.log(2))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\begin{equation}
\xi_t(i,j) = \frac{\alpha_t(i)\, a_{ij}\, b_j(O_{t+1})\, \beta_{t+1}(j)}{\displaystyle \sum_{i=1}^{N} \sum_{j=1}^{N} \alpha_t(i)\, a_{ij}\, b_j(O_{t+1})\, \beta_{t+1}(j)}
\end{equation}
\end{document}
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equation 37",
    shapes=("size T, N, M", "input alpha[T, N], a[N, N], b[N, M], O[T]: index, beta[T, N]"),
    alpha="4 2",
    a="2 2",
    b="2 3",
    O=lambda r: np.array([0, 2, 1, 1]),
    beta="4 2",
)
def transition_posterior(alpha, a, b, O, beta):
    T, N = alpha.shape
    out = np.zeros((T - 1, N, N))
    for t in range(T - 1):
        for i in range(N):
            for j in range(N):
                out[t, i, j] = alpha[t, i] * a[i, j] * b[j, O[t + 1]] * beta[t + 1, j]
        out[t] /= out[t].sum()
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Under the null of cross-sectional independence, the LM statistic
\begin{equation}
CD_{lm} = T \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} \hat{\rho}_{ij}^2,
\end{equation}
where $\hat{\rho}_{ij}$ is the sample estimate of the pair-wise correlation of the residuals,
\begin{equation}
\hat{\rho}_{ij} = \hat{\rho}_{ji} = \frac{\sum_{t=1}^{T} e_{it} e_{jt}}{\left( \sum_{t=1}^{T} e_{it}^2 \right)^{1/2} \left( \sum_{t=1}^{T} e_{jt}^2 \right)^{1/2}},
\end{equation}
is asymptotically chi-squared.
\end{document}
""",
    source="Breusch and Pagan, 1980, as in Pesaran, General diagnostic tests for cross section dependence in panels, 2004",
    output="CD_lm",
    e=lambda r: normal(r, 3, 5),
)
def cross_section_dependence(e):
    N, T = e.shape
    total = 0.0
    for i in range(N - 1):
        for j in range(i + 1, N):
            total += (sum(e[i] * e[j]) / np.sqrt(sum(e[i] ** 2) * sum(e[j] ** 2))) ** 2
    return T * total


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The discrete sine transform of type I is
\begin{align}
X_k = \sum_{n=0}^{N-1} x_n \sin \left[ \frac{\pi}{N+1} (n+1)(k+1) \right] \quad \quad k = 0, \dots, N-1
\end{align}
\end{document}
""",
    source="Britanak, Yip, Rao, Discrete cosine and sine transforms, 2007, type I",
    x=lambda r: normal(r, 5),
)
def sine_transform(x):
    N = len(x)
    return np.array(
        [
            sum(x[n] * np.sin(np.pi / (N + 1) * (n + 1) * (k + 1)) for n in range(N))
            for k in range(N)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\newcommand{\bfx}{\mathbf{x}}
\begin{document}
The squared exponential covariance with automatic relevance determination is
\begin{equation}
k(\bfx_p, \bfx_q) = \sigma_f^2 \exp\Bigl( -\tfrac{1}{2} \sum_{d=1}^{D} \frac{(x_{p,d} - x_{q,d})^2}{\ell_d^2} \Bigr) + \sigma_n^2 \delta_{pq}
\end{equation}
\end{document}
""",
    source="Rasmussen and Williams, Gaussian processes for machine learning, 2006, section 5.1",
    shapes=("size N, D", "input x[N, D], ell[D]"),
    sigma_f=lambda r: 1.2,
    x=lambda r: normal(r, 4, 3),
    ell="3",
    sigma_n=lambda r: 0.3,
)
def relevance_determination(sigma_f, x, ell, sigma_n):
    N, D = x.shape
    out = np.zeros((N, N))
    for p in range(N):
        for q in range(N):
            s = sum((x[p, d] - x[q, d]) ** 2 / ell[d] ** 2 for d in range(D))
            out[p, q] = sigma_f**2 * np.exp(-s / 2) + (sigma_n**2 if p == q else 0)
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{neurips_2021,amsmath}
\newcommand{\attn}{\mathrm{XC\text{-}Attention}}
\begin{document}
\begin{equation}
\attn(Q, K, V) = V \mathcal{A}_{\mathrm{XC}}(K, Q), \quad \mathcal{A}_{\mathrm{XC}}(K, Q) = \mathrm{Softmax}\left( \hat{K}^\top \hat{Q} / \tau \right),
\end{equation}
where each output token embedding is a convex combination of the $d_v$ features of its corresponding token embedding in $V$.
\end{document}
""",
    source="El-Nouby et al., XCiT: cross-covariance image transformers, 2021, equation 3",
    shapes=("size N, d", "input V[N, d], K_hat[N, d], Q_hat[N, d]"),
    V=lambda r: normal(r, 4, 3),
    K_hat=lambda r: normal(r, 4, 3),
    Q_hat=lambda r: normal(r, 4, 3),
    tau=lambda r: 0.5,
)
def cross_covariance_attention(V, K_hat, Q_hat, tau):
    e = np.exp(K_hat.T @ Q_hat / tau)
    return V @ (e / e.sum(0))  # which of the two dimensions adds up to 1 is not printed


@formula(
    r"""
\documentclass{article}
\usepackage{emnlp,amsmath}
\begin{document}
The pointer-generator obtains the following probability distribution over the extended vocabulary:
\begin{equation}
P(w) = p_{\text{gen}} P_{\text{vocab}}(w) + (1 - p_{\text{gen}}) \sum\nolimits_{i: w_i = w} a^t_i
\end{equation}
\end{document}
""",
    source="See, Liu, Manning, Get to the point: summarization with pointer-generator networks, 2017, equation 9",
    p_gen=lambda r: 0.7,
    P_vocab="4",
    w=lambda r: np.array([0, 2, 2]),
    a="3",
)
def pointer_generator(p_gen, P_vocab, w, a):
    out = p_gen * P_vocab
    for i, word in enumerate(w):
        out[word] += (1 - p_gen) * a[i]
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Helfand moment aside, the instantaneous stress tensor is
\begin{equation}
\sigma_{\alpha\beta} = -\frac{1}{V} \left( \sum_{i} m_i v_i^{\alpha} v_i^{\beta} + \sum_{i} \sum_{j>i} r_{ij}^{\alpha} f_{ij}^{\beta} \right)
\end{equation}
\end{document}
""",
    source="Allen and Tildesley, Computer simulation of liquids, 2017; Irving and Kirkwood, 1950",
    shapes=("upper", "size N", "input V[], m[N], v[N, 3], r[N, N, 3], f[N, N, 3]"),
    V=lambda r: 2.0,
    m="3",
    v=lambda r: normal(r, 3, 3),
    r=lambda r: normal(r, 3, 3, 3),
    f=lambda r: normal(r, 3, 3, 3),
)
def instantaneous_stress(V, m, v, r, f):
    out = np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            for i in range(len(m)):
                out[a, b] += m[i] * v[i, a] * v[i, b]
                for j in range(i + 1, len(m)):
                    out[a, b] += r[i, j, a] * f[i, j, b]
    return -out / V


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For a binary system the two-constant Margules equations read
\begin{align}
\ln \gamma_1 &= x_2^2 \left[ A_{12} + 2 (A_{21} - A_{12}) x_1 \right] \\
\ln \gamma_2 &= x_1^2 \left[ A_{21} + 2 (A_{12} - A_{21}) x_2 \right]
\end{align}
\end{document}
""",
    source="Poling, Prausnitz, O'Connell, The properties of gases and liquids, 2001, table 8-3",
    shapes=("base 1", "input x[2], A[2, 2]"),
    output="log_gamma_2",
    x=lambda r: np.array([0.3, 0.7]),
    A="2 2",
)
def margules(x, A):
    return x[0] ** 2 * (A[1, 0] + 2 * (A[0, 1] - A[1, 0]) * x[1])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\def\E{\mathbb{E}}
\begin{document}
The Dixit--Stiglitz price index and the demand for variety $i$ are
\begin{gather}
P = \left( \sum_{i=1}^{n} p_i^{1-\sigma} \right)^{\frac{1}{1-\sigma}}, \\
c_i = \left( \frac{p_i}{P} \right)^{-\sigma} \frac{I}{P},
\end{gather}
where $\sigma > 1$ is the elasticity of substitution and $I$ denotes income.
\end{document}
""",
    source="Dixit and Stiglitz, Monopolistic competition and optimum product diversity, 1977; as in textbooks of trade",
    output="c",
    p="4",
    sigma=lambda r: 3.0,
    I=lambda r: 2.0,
)
def variety_demand(p, sigma, I):
    P = sum(p ** (1 - sigma)) ** (1 / (1 - sigma))
    return (p / P) ** -sigma * I / P


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
With periodic boundary conditions $u_{0} = u_N$, $u_{N+1} = u_1$, the semi-discrete Burgers equation is
\begin{equation}
\dot{u}_j = - \frac{u_{j+1}^2 - u_{j-1}^2}{4 \Delta x} + \nu \frac{u_{j+1} - 2 u_j + u_{j-1}}{\Delta x^2}, \qquad j = 1, \ldots, N.
\end{equation}
\end{document}
""",
    source="as papers on reduced models print it, for example Chatterjee, 2000",
    u=lambda r: normal(r, 6),
    Deltax=lambda r: 0.2,
    nu=lambda r: 0.1,
)
def periodic_burgers(u, Deltax, nu):
    N = len(u)
    out = np.zeros(N)
    for j in range(N):
        p, m = u[(j + 1) % N], u[(j - 1) % N]
        out[j] = -(p**2 - m**2) / (4 * Deltax) + nu * (p - 2 * u[j] + m) / Deltax**2
    return out
