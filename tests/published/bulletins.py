"""Formulas of papers of many fields, mostly one display each, with the prose that explains it."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The attention coefficients of head $h$ are
\begin{equation}
a_{ij}^{h} = \frac{\exp\left( \frac{1}{\sqrt{d_h}} \, q_i^h \cdot k_j^h + b_{ij}^h \right)}{\sum_{l} \exp\left( \frac{1}{\sqrt{d_h}} \, q_i^h \cdot k_l^h + b_{il}^h \right)}
\end{equation}
where $q_i^h, k_j^h \in \mathbb{R}^{d_h}$.
\end{document}
""",
    source="Jumper et al., AlphaFold, 2021, supplement, algorithm 7, without the gate",
    shapes=("upper", "size N, H, D", "input d_h[], q[N, H, D], k[N, H, D], b[N, N, H]"),
    d_h=lambda r: 3.0,
    q=lambda r: normal(r, 3, 2, 3),
    k=lambda r: normal(r, 3, 2, 3),
    b=lambda r: normal(r, 3, 3, 2),
)
def attention_of_heads(d_h, q, k, b):
    N, H = q.shape[:2]
    out = np.zeros((N, N, H))
    for h in range(H):
        for i in range(N):
            e = [np.exp(q[i, h] @ k[j, h] / np.sqrt(d_h) + b[i, j, h]) for j in range(N)]
            out[i, :, h] = np.array(e) / sum(e)
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\begin{equation}
g_k = \frac{\sum_{t=1}^{T} \gamma_t(k)\, \mathbf{x}_t}{\sum_{t=1}^{T} \gamma_t(k)}, \qquad
\gamma_t(k) = \frac{w_k\, p_k(\mathbf{x}_t)}{\sum_{j=1}^{K} w_j\, p_j(\mathbf{x}_t)}
\end{equation}
where $\mathbf{x}_t \in \mathbb{R}^D$ are the features.
\end{document}
""",
    source="Reynolds, Quatieri, Dunn, Speaker verification using adapted Gaussian mixture models, 2000",
    output="g",
    x=lambda r: normal(r, 5, 2),
    w="3",
    p="3 5",
)
def adapted_means(x, w, p):
    T, K = len(x), len(w)
    g = np.zeros((T, K))
    for t in range(T):
        for k in range(K):
            g[t, k] = w[k] * p[k, t] / sum(w[j] * p[j, t] for j in range(K))
    return np.array([sum(g[t, k] * x[t] for t in range(T)) / sum(g[:, k]) for k in range(K)])


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{smooth}} = \sum_{i=1}^{H} \sum_{j=1}^{W-1} \left| \partial_x d_{ij} \right| e^{-\left| I_{i,j+1} - I_{ij} \right|}, \qquad \partial_x d_{ij} = d_{i,j+1} - d_{ij}
\end{equation}
""",
    source="Godard, Mac Aodha, Brostow, Unsupervised monocular depth estimation with left-right consistency, 2017, in one direction",
    d=lambda r: normal(r, 3, 4),
    I=lambda r: normal(r, 3, 4),
)
def edge_aware_smoothness(d, I):
    H, W = d.shape
    return sum(
        abs(d[i, j + 1] - d[i, j]) * np.exp(-abs(I[i, j + 1] - I[i, j]))
        for i in range(H)
        for j in range(W - 1)
    )


@formula(
    r"""
\documentclass{article}
\begin{document}
The Kolmogorov--Zurbenko filter applies the moving average
$$ y_t = \frac{1}{2k+1} \sum_{s=-k}^{k} x_{t+s}, \qquad t = k+1, \ldots, n-k, $$
repeatedly.
\end{document}
""",
    source="Zurbenko, The spectral analysis of time series, 1986",
    sizes={"k": 1},
    x=lambda r: normal(r, 6),
)
def moving_average(x):
    return np.array([(x[t - 1] + x[t] + x[t + 1]) / 3 for t in range(1, len(x) - 1)])


@formula(
    r"""
\begin{equation}
H = \sum_{i=1}^{N-1} \left( \frac{p_i^2}{2m} + \frac{\kappa}{2} (x_{i+1} - x_i)^2 \right) + \frac{p_N^2}{2m}
\end{equation}
""",
    source="Toda and others: a chain of oscillators with free ends, as textbooks print it",
    shapes=("size N", "input p[N], x[N], m[], kappa[]"),
    p=lambda r: normal(r, 5),
    m="",
    kappa="",
    x=lambda r: normal(r, 5),
)
def free_chain(p, m, kappa, x):
    N = len(p)
    return sum(p**2) / (2 * m) + kappa / 2 * sum((x[i + 1] - x[i]) ** 2 for i in range(N - 1))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\norm}[1]{\lVert#1\rVert}
\begin{document}
Given a query $\mathbf{q} \in \mathbb{R}^d$ and prototypes $\mathbf{c}_k \in \mathbb{R}^d$, we compute
\[
p_k = \frac{\exp(-\norm{\mathbf{q} - \mathbf{c}_k}_2^2 / T)}{\sum_{k'=1}^{K} \exp(-\norm{\mathbf{q} - \mathbf{c}_{k'}}_2^2 / T)} .
\]
\end{document}
""",
    source="Snell, Swersky, Zemel, Prototypical networks for few-shot learning, 2017, with a temperature",
    q=lambda r: normal(r, 3),
    c=lambda r: normal(r, 4, 3),
    T="",
)
def prototype_probabilities(q, c, T):
    e = np.array([np.exp(-sum((q - row) ** 2) / T) for row in c])
    return e / sum(e)


@formula(
    r"""
\begin{equation}
\mathrm{NDCG@}k = \frac{1}{Z_k} \sum_{i=1}^{k} \frac{2^{r_i} - 1}{\log_2(i+1)}
\end{equation}
""",
    source="as papers on recommendation print it",
    Z_k="",
    r="4",
)
def gain_at_k(Z_k, r):
    return sum((2 ** r[i] - 1) / np.log2(i + 2) for i in range(len(r))) / Z_k


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\begin{equation}
F_{ST} = 1 - \frac{\bar{H}_S}{H_T}, \quad \bar{H}_S = \frac{1}{n} \sum_{i=1}^{n} 2 p_i (1 - p_i), \quad H_T = 2 \bar{p} (1 - \bar{p})
\end{equation}
with the mean allele frequency $\bar{p} = \frac{1}{n} \sum_{i=1}^{n} p_i$.
\end{document}
""",
    source="Nei, Analysis of gene diversity in subdivided populations, 1973, for two alleles",
    output="F_ST",
    p=lambda r: uniform(r, 4) / 2,
)
def gene_diversity(p):
    n = len(p)
    mean = sum(p) / n
    return 1 - sum(2 * p * (1 - p)) / n / (2 * mean * (1 - mean))


@formula(
    r"""
\begin{align}
\mathbf{m}_{ij} &= \phi(\mathbf{W}_1 [\mathbf{h}_i \,\|\, \mathbf{h}_j]) \\
\mathbf{h}_i' &= \sum_{j \in \mathcal{N}(i)} \mathbf{m}_{ij}
\end{align}
""",
    source="Gilmer et al., Neural message passing for quantum chemistry, 2017, as later papers print it",
    W=lambda r: normal(r, 2, 4),
    h=lambda r: normal(r, 3, 2),
)
def messages_of_neighbours(W, h):
    return h


@formula(
    r"""
\begin{equation}
E_{\mathrm{el}} = \frac{1}{2} \sum_{i,j,k,l} C_{ijkl}\, \epsilon_{ij}\, \epsilon_{kl}, \qquad \epsilon_{ij} = \frac{1}{2} (F_{ij} + F_{ji}) - \delta_{ij}
\end{equation}
""",
    source="Born and Huang, Dynamical theory of crystal lattices, 1954",
    output="E_el",
    C="2 2 2 2",
    F="2 2",
)
def elastic_energy(C, F):
    e = (F + F.T) / 2 - np.eye(2)
    return np.einsum("ijkl,ij,kl", C, e, e) / 2


@formula(
    r"""
\begin{equation}
\hat{\beta}_1 = \frac{\sum_{i=1}^n (x_i - \bar{x})(y_i - \bar{y})}{\sum_{i=1}^n (x_i - \bar{x})^2}, \qquad \hat{\beta}_0 = \bar{y} - \hat{\beta}_1 \bar{x}
\end{equation}
""",
    source="as textbooks of statistics print it",
    output="beta_hat_0",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def intercept_of_line(x, y):
    b = sum((x - x.mean()) * (y - y.mean())) / sum((x - x.mean()) ** 2)
    return y.mean() - b * x.mean()


@formula(
    r"""
\begin{equation}
D_{ij} = \sqrt{\sum_{k=1}^{p} \left( \frac{x_{ik} - x_{jk}}{s_k} \right)^2}, \qquad s_k^2 = \frac{1}{n-1} \sum_{i=1}^{n} (x_{ik} - \bar{x}_k)^2
\end{equation}
""",
    source="standardised Euclidean distance, as handbooks of multivariate statistics print it",
    output="D",
    x=lambda r: normal(r, 4, 3),
)
def standardised_distance(x):
    s = x.std(0, ddof=1)
    n = len(x)
    return np.array(
        [[np.sqrt(sum(((x[i] - x[j]) / s) ** 2) + 0) for j in range(n)] for i in range(n)]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For $k$ feature maps the covariance pooling reads
\begin{equation}
\Sigma_{kl} = \frac{1}{HW} \sum_{x=1}^{W} \sum_{y=1}^{H} \bigl( f_k(x,y) - \mu_k \bigr) \bigl( f_l(x,y) - \mu_l \bigr), \quad \mu_k = \frac{1}{HW} \sum_{x=1}^{W} \sum_{y=1}^{H} f_k(x,y)
\end{equation}
\end{document}
""",
    source="Li et al., Is second-order information helpful for large-scale visual recognition?, 2017",
    output="Sigma",
    f=lambda r: normal(r, 2, 3, 4),
)
def covariance_pooling(f):
    d = f - f.mean((1, 2), keepdims=True)
    return np.einsum("kxy,lxy->kl", d, d) / (f.shape[1] * f.shape[2])


@formula(
    r"""
\begin{equation}
\tilde{A}_{ij} = \frac{A_{ij} + \delta_{ij}}{\sqrt{(1 + \sum_k A_{ik})(1 + \sum_k A_{jk})}}
\end{equation}
""",
    source="Kipf and Welling, Semi-supervised classification with graph convolutional networks, 2017, by elements",
    A="4 4",
)
def renormalised_adjacency(A):
    d = 1 + A.sum(1)
    return (A + np.eye(len(A))) / np.sqrt(np.outer(d, d))


@formula(
    r"""
\begin{equation}
\frac{\mathrm{d} c_k}{\mathrm{d} t} = \frac{1}{2} \sum_{i+j=k} K_{ij} c_i c_j - c_k \sum_{j=1}^{N} K_{kj} c_j
\end{equation}
""",
    source="Smoluchowski, Versuch einer mathematischen Theorie der Koagulationskinetik, 1916",
    shapes=("base 1", "size N", "input K[N, N], c[N]"),
    K="4 4",
    c="4",
)
def coagulation(K, c):
    N = len(c)
    out = np.zeros(N)
    for k in range(1, N + 1):
        for i in range(1, k):
            out[k - 1] += K[i - 1, k - i - 1] * c[i - 1] * c[k - i - 1] / 2
        out[k - 1] -= c[k - 1] * sum(K[k - 1] * c)
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\begin{equation}
\mathcal{L}(\theta) = -\frac{1}{N}\sum_{n=1}^{N}\sum_{c=1}^{C} \left[ (1-\varepsilon)\, y_{nc} + \frac{\varepsilon}{C} \right] \log p_\theta(c \mid x_n)
\end{equation}
\end{document}
""",
    source="Szegedy et al., Rethinking the Inception architecture, 2016: label smoothing, as later papers print it",
    varepsilon=lambda r: 0.1,
    y="4 3",
    p_theta="4 3",
)
def smoothed_labels(varepsilon, y, p_theta):
    N, C = y.shape
    return -np.sum(((1 - varepsilon) * y + varepsilon / C) * np.log(p_theta)) / N


@formula(
    r"""
\begin{equation}
I(q) = \sum_{i=1}^{N} f_i^2(q) + 2 \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} f_i(q) f_j(q) \frac{\sin(q r_{ij})}{q r_{ij}}
\end{equation}
""",
    source="Debye, Zerstreuung von Roentgenstrahlen, 1915, with form factors",
    shapes=("size N", "input f[N], q[], r[N, N]"),
    f="4",
    q="",
    r="4 4",
)
def scattering_with_form_factors(f, q, r):
    N = len(f)
    total = sum(f**2)
    for i in range(N):
        for j in range(i + 1, N):
            total += 2 * f[i] * f[j] * np.sin(q * r[i, j]) / (q * r[i, j])
    return total


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The forward kinematics of a planar arm with $n$ links of lengths $l_i$ are
\begin{equation}
x = \sum_{i=1}^{n} l_i \cos \Bigl( \sum_{j=1}^{i} \theta_j \Bigr), \qquad y = \sum_{i=1}^{n} l_i \sin \Bigl( \sum_{j=1}^{i} \theta_j \Bigr).
\end{equation}
\end{document}
""",
    source="as textbooks of robotics print it",
    output="y",
    l="4",
    theta=lambda r: normal(r, 4),
)
def planar_arm(l, theta):
    return sum(l[i] * np.sin(sum(theta[: i + 1])) for i in range(len(l)))


@formula(
    r"""
\begin{equation}
\mathrm{score}(h, r, t) = -\left\| \mathbf{h} \circ \mathbf{r} - \mathbf{t} \right\|_1
\end{equation}
where $\mathbf{h}, \mathbf{r}, \mathbf{t} \in \mathbb{R}^{d}$.
""",
    source="Sun et al., RotatE, 2019, with real factors (pRotatE's cousin)",
    h=lambda r: normal(r, 4),
    r=lambda r: normal(r, 4),
    t=lambda r: normal(r, 4),
)
def rotated_distance(h, r, t):
    return -sum(abs(h * r - t))


@formula(
    r"""
\begin{equation}
S(\mathbf{k}) = \frac{1}{N} \left[ \left( \sum_{j=1}^{N} \cos(\mathbf{k} \cdot \mathbf{r}_j) \right)^2 + \left( \sum_{j=1}^{N} \sin(\mathbf{k} \cdot \mathbf{r}_j) \right)^2 \right]
\end{equation}
with $\mathbf{k}, \mathbf{r}_j \in \mathbb{R}^3$.
""",
    source="Hansen and McDonald, Theory of simple liquids, 2006",
    k=lambda r: normal(r, 3),
    r=lambda r: normal(r, 5, 3),
)
def static_structure(k, r):
    a = r @ k
    return (sum(np.cos(a)) ** 2 + sum(np.sin(a)) ** 2) / len(r)


@formula(
    r"""
\begin{equation}
u^{\mathrm{new}}_{i,j} = (1-\omega)\, u_{i,j} + \frac{\omega}{4} \left( u_{i-1,j} + u_{i+1,j} + u_{i,j-1} + u_{i,j+1} + h^2 f_{i,j} \right), \quad 1 \le i, j \le n
\end{equation}
""",
    source="Young, Iterative solution of large linear systems, 1971, the damped Jacobi iteration",
    shapes=("size n", "input u[n + 2, n + 2], f[n, n]"),
    omega="",
    u=lambda r: normal(r, 5, 5),
    h="",
    f=lambda r: normal(r, 3, 3),
)
def damped_relaxation(omega, u, h, f):
    n = len(f)
    out = np.zeros((n, n))
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            s = u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + h**2 * f[i - 1, j - 1]
            out[i - 1, j - 1] = (1 - omega) * u[i, j] + omega / 4 * s
    return out


@formula(
    r"""
\begin{equation}
\ell_{\mathrm{CTR}} = \frac{1}{2N} \sum_{n=1}^{N} y_n d_n^2 + (1 - y_n) \max(\mathrm{margin} - d_n, 0)^2, \qquad d_n = \| a_n - b_n \|_2
\end{equation}
where $a_n, b_n \in \mathbb{R}^D$.
""",
    source="Hadsell, Chopra, LeCun, Dimensionality reduction by learning an invariant mapping, 2006, as a popular framework prints it",
    output="ell_CTR",
    y=lambda r: np.array([1.0, 0.0, 1.0]),
    a=lambda r: normal(r, 3, 2),
    b=lambda r: normal(r, 3, 2),
    margin=lambda r: 1.5,
)
def contrastive_pairs(y, a, b, margin):
    d = np.linalg.norm(a - b, axis=1)
    return sum(y * d**2 + (1 - y) * np.maximum(margin - d, 0) ** 2) / (2 * len(y))


@formula(
    r"""
\begin{equation}
\mathrm{Cov}(X, Y) = \frac{1}{n^2} \sum_{i=1}^{n} \sum_{j>i}^{n} (x_i - x_j)(y_i - y_j)
\end{equation}
""",
    source="covariance by pairs, as an encyclopedia prints it",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def covariance_by_pairs(x, y):
    n = len(x)
    return sum((x[i] - x[j]) * (y[i] - y[j]) for i in range(n) for j in range(i + 1, n)) / n**2


@formula(
    r"""
\begin{equation}
\mu(x, y) = \sum_{k=1}^{K} w_k \exp\left( -\frac{(x - x_k)^2 + (y - y_k)^2}{2 \sigma_k^2} \right)
\end{equation}
""",
    source="intensities of Gaussian blobs, as papers on point processes print them",
    w="4",
    x="",
    x_k="4",
    y="",
    y_k="4",
    sigma="4",
)
def gaussian_blobs(w, x, x_k, y, y_k, sigma):
    return sum(w * np.exp(-((x - x_k) ** 2 + (y - y_k) ** 2) / (2 * sigma**2)))


@formula(
    r"""
\begin{equation}
\pi_i^{\mathrm{TD}} = \frac{\lambda_i\, p_i}{\sum_{j=1}^{m} \lambda_j\, p_j}, \qquad \ell = \sum_{i=1}^{m} n_i \log \pi_i^{\mathrm{TD}}
\end{equation}
""",
    source="multinomial selection, as papers on resource choice print it",
    output="ell",
    **{"lambda": "4"},
    p="4",
    n="4",
)
def selection_likelihood(p, n, **rest):
    q = rest["lambda"] * p
    return sum(n * np.log(q / sum(q)))


@formula(
    r"""
\begin{equation}
\hat{x}_{ij} = \mu + b_i + c_j + \sum_{f=1}^{F} p_{if}\, q_{jf}, \qquad
\mathcal{J} = \sum_{(i,j) \in \Omega} (x_{ij} - \hat{x}_{ij})^2
\end{equation}
""",
    source="Koren, Bell, Volinsky, Matrix factorization techniques for recommender systems, 2009, equation 5",
    output="x_hat",
    mu="",
    b="3",
    c="4",
    p="3 2",
    q="4 2",
)
def biased_factors(mu, b, c, p, q):
    return mu + b[:, None] + c[None] + p @ q.T


@formula(
    r"""
\begin{equation}
R_0 = \rho(K), \qquad K_{ij} = \frac{\beta_i\, S_i\, C_{ij}}{\gamma_j N_j}
\end{equation}
where $\rho$ denotes the spectral radius.
""",
    source="Diekmann, Heesterbeek, Roberts, The construction of next-generation matrices, 2010",
    output="K",
    beta="3",
    S="3",
    C="3 3",
    gamma="3",
    N="3",
)
def next_generation(beta, S, C, gamma, N):
    return beta[:, None] * S[:, None] * C / (gamma * N)[None]


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Indices are understood modulo $N$. The discrete curvature flow is
\begin{equation}
\dot{\mathbf{x}}_i = \frac{\mathbf{x}_{i+1} - 2 \mathbf{x}_i + \mathbf{x}_{i-1}}{\| \mathbf{x}_{i+1} - \mathbf{x}_i \|\, \| \mathbf{x}_i - \mathbf{x}_{i-1} \|}, \qquad \mathbf{x}_i \in \mathbb{R}^2 .
\end{equation}
\end{document}
""",
    source="as papers on discrete curves print it",
    x=lambda r: normal(r, 5, 2),
)
def curvature_flow(x):
    N = len(x)
    out = np.zeros((N, 2))
    for i in range(N):
        p, m = x[(i + 1) % N], x[i - 1]
        out[i] = (p - 2 * x[i] + m) / np.linalg.norm(p - x[i]) / np.linalg.norm(x[i] - m)
    return out


@formula(
    r"""
\begin{equation}
\mathbf{z}_i^{(l)} = \sum_{j=1}^{n} \alpha_{ij}^{(l)} \mathbf{W}^{(l)} \mathbf{h}_j^{(l-1)}, \qquad \mathbf{h}_i^{(l)} = \tanh\bigl( \mathbf{z}_i^{(l)} \bigr)
\end{equation}
where $\mathbf{W}^{(l)} \in \mathbb{R}^{m \times k}$ and $\mathbf{h}_j^{(l-1)} \in \mathbb{R}^{k}$.
""",
    source="graph attention in layers, as papers print it",
    output="h_l",
    alpha_l="3 3",
    W_l=lambda r: normal(r, 2, 4),
    h_l_minus_1=lambda r: normal(r, 3, 4),
)
def attention_layer(alpha_l, W_l, h_l_minus_1):
    return np.tanh(alpha_l @ h_l_minus_1 @ W_l.T)


@formula(
    r"""
\begin{equation}
w_t(i) = \frac{\exp(\beta_t K[\mathbf{k}_t, \mathbf{M}_t(i)])}{\sum_j \exp(\beta_t K[\mathbf{k}_t, \mathbf{M}_t(j)])}, \quad K[\mathbf{u}, \mathbf{v}] = \frac{\mathbf{u} \cdot \mathbf{v}}{\|\mathbf{u}\| \cdot \|\mathbf{v}\|}
\end{equation}
""",
    source="Graves, Wayne, Danihelka, Neural Turing machines, 2014, equations 5 and 6",
    shapes=("size T, N, D", "input beta[T], k[T, D], M[T, N, D]"),
    output="w",
    beta="2",
    k=lambda r: normal(r, 2, 3),
    M=lambda r: normal(r, 2, 4, 3),
)
def addressing_of_memory(beta, k, M):
    T, N, _ = M.shape
    out = np.zeros((T, N))
    for t in range(T):
        for i in range(N):
            c = k[t] @ M[t, i] / np.linalg.norm(k[t]) / np.linalg.norm(M[t, i])
            out[t, i] = np.exp(beta[t] * c)
        out[t] /= out[t].sum()
    return out
