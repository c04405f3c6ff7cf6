"""Formulas with sentences around them that say what their letters are."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{IEEEtran}
\usepackage{amsmath}
\begin{document}
The second term in (16) is the \emph{mean shift}
\begin{equation}
\mathbf{m}_{h,G}(\mathbf{x}) = \frac{\sum_{i=1}^{n} \mathbf{x}_i \, g\left( \left\| \frac{\mathbf{x} - \mathbf{x}_i}{h} \right\|^2 \right)}{\sum_{i=1}^{n} g\left( \left\| \frac{\mathbf{x} - \mathbf{x}_i}{h} \right\|^2 \right)} - \mathbf{x} ,
\end{equation}
where we use $g(x) = \exp(-x/2)$, and $\mathbf{x}_i \in \mathbb{R}^d$, $i = 1, \ldots, n$.
\end{document}
""",
    source="Comaniciu and Meer, Mean shift: a robust approach toward feature space analysis, 2002, equation 17",
    sizes={"n": 5},
    x_i=lambda r: normal(r, 5, 2),
    x=lambda r: normal(r, 2),
    h=lambda r: 0.8,
)
def mean_shift(x_i, x, h):
    n, d = x_i.shape
    g = [np.exp(-sum(((x[c] - x_i[i, c]) / h) ** 2 for c in range(d)) / 2) for i in range(n)]
    return np.array([sum(g[i] * x_i[i, c] for i in range(n)) / sum(g) - x[c] for c in range(d)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The between-class scatter matrix is
\begin{equation}
\bm{S}_B = \sum_{c=1}^{C} N_c (\bm{\mu}_c - \bm{\mu}) (\bm{\mu}_c - \bm{\mu})^{T}, \qquad
\bm{\mu} = \frac{1}{N} \sum_{c=1}^{C} N_c \bm{\mu}_c ,
\end{equation}
where $N_c$ is the number of samples of class $c$, and $N$ that of all.
\end{document}
""",
    source="Belhumeur, Hespanha, Kriegman, Eigenfaces vs. Fisherfaces, 1997, section 2.4",
    shapes=("base 1", "size C, D", "input N_c[C], mu_c[C, D], N[]"),
    sizes={"C": 3},
    output="S_B",
    N_c=lambda r: uniform(r, 3),
    mu_c=lambda r: normal(r, 3, 2),
    N=lambda r: 3.2,
)
def between_scatter(N_c, mu_c, N):
    C, D = mu_c.shape
    m = [sum(N_c[c] * mu_c[c, d] for c in range(C)) / N for d in range(D)]
    return np.array(
        [
            [
                sum(N_c[c] * (mu_c[c, a] - m[a]) * (mu_c[c, b] - m[b]) for c in range(C))
                for b in range(D)
            ]
            for a in range(D)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{jmlr2e}
\usepackage{amsmath}
\begin{document}
Mathematically, the conditional probability $p_{j|i}$ is given by
\begin{equation}
p_{j|i} = \frac{\exp\left( -\|x_i - x_j\|^2 / 2\sigma_i^2 \right)}{\sum_{k \neq i} \exp\left( -\|x_i - x_k\|^2 / 2\sigma_i^2 \right)} ,
\end{equation}
where $\sigma_i$ is the variance of the Gaussian that is centered on datapoint $x_i$.
\end{document}
""",
    source="van der Maaten and Hinton, Visualizing data using t-SNE, 2008, equation 1",
    shapes=("size N, D", "input x[N, D], sigma[N]"),
    x=lambda r: normal(r, 4, 2),
    sigma=lambda r: uniform(r, 4),
)
def neighbour_probability(x, sigma):
    N = len(x)
    P = np.zeros((N, N))
    for i in range(N):
        e = [np.exp(-sum((x[i] - x[k]) ** 2) / (2 * sigma[i] ** 2)) for k in range(N)]
        for j in range(N):
            P[j, i] = e[j] / (sum(e) - e[i])
    return P


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The content-based system produces a normalised weighting $w^c_t$ based on the similarity and a positive key strength $\beta_t$:
\begin{align}
w_t^c(i) &\longleftarrow \frac{\exp\Big( \beta_t K\big[ \mathbf{k}_t, \mathbf{M}_t(i) \big] \Big)}{\sum_j \exp\Big( \beta_t K\big[ \mathbf{k}_t, \mathbf{M}_t(j) \big] \Big)} .
\end{align}
In our current implementation, the similarity measure is cosine similarity:
\begin{equation}
K\big[ \mathbf{u}, \mathbf{v} \big] = \frac{\mathbf{u} \cdot \mathbf{v}}{||\mathbf{u}|| \cdot ||\mathbf{v}||} .
\end{equation}
\end{document}
""",
    source="Graves, Wayne, Danihelka, Neural Turing machines, 2014, equations 5 and 6",
    shapes=("size T, N, W", "input beta[T], k[T, W], M[T, N, W]"),
    beta=lambda r: uniform(r, 2),
    k=lambda r: normal(r, 2, 3),
    M=lambda r: normal(r, 2, 4, 3),
)
def content_addressing(beta, k, M):
    T, N, _ = M.shape
    w = np.zeros((T, N))
    for t in range(T):
        s = [
            np.exp(beta[t] * sum(k[t] * M[t, i]) / np.sqrt(sum(k[t] ** 2) * sum(M[t, i] ** 2)))
            for i in range(N)
        ]
        w[t] = np.array(s) / sum(s)
    return w


@formula(
    r"""
The equations of motion of $N$ point vortices in the plane are
\begin{align}
\dot{x}_i &= -\frac{1}{2\pi} \sum_{j \neq i}^{N} \frac{\Gamma_j (y_i - y_j)}{r_{ij}^2}, \\
\dot{y}_i &= \frac{1}{2\pi} \sum_{j \neq i}^{N} \frac{\Gamma_j (x_i - x_j)}{r_{ij}^2},
\end{align}
where $r_{ij}^2 = (x_i - x_j)^2 + (y_i - y_j)^2$.
""",
    source="Saffman, Vortex Dynamics, 1992, section 7.1",
    shapes=("base 1", "size N", "input Gamma[N], x[N], y[N]"),
    sizes={"N": 4},
    output="x_dot",
    Gamma=lambda r: normal(r, 4),
    y=lambda r: normal(r, 4),
    x=lambda r: normal(r, 4),
)
def point_vortices(Gamma, y, x):
    N = len(x)
    out = np.zeros(N)
    for i in range(N):
        for j in range(N):
            if j != i:
                r2 = (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2
                out[i] -= Gamma[j] * (y[i] - y[j]) / r2 / (2 * np.pi)
    return out


@formula(
    r"""
\documentclass[prb]{revtex4-2}
\usepackage{amsmath}
\begin{document}
The total energy per cell, with the Buckingham form for the short-range part, is
\begin{equation}
U = \frac{1}{2} \sum_{i} \sum_{j \ne i} \left[ \frac{q_i q_j}{4\pi\varepsilon_0 r_{ij}} + A \exp\left( -\frac{r_{ij}}{\rho} \right) - \frac{C}{r_{ij}^6} \right] .
\end{equation}
\end{document}
""",
    source="Buckingham, The classical equation of state of gaseous helium, neon and argon, 1938; as in Gale, GULP, 1997",
    shapes=("size N", "input q[N], r[N, N], varepsilon_0[], A[], rho[], C[]"),
    q=lambda r: normal(r, 4),
    varepsilon_0=lambda r: 0.3,
    r=lambda r: uniform(r, 4, 4),
    A=lambda r: 2.0,
    rho=lambda r: 0.4,
    C=lambda r: 0.1,
)
def buckingham_energy(q, varepsilon_0, r, A, rho, C):
    U = 0.0
    for i in range(len(q)):
        for j in range(len(q)):
            if j != i:
                U += 0.5 * (
                    q[i] * q[j] / (4 * np.pi * varepsilon_0 * r[i, j])
                    + A * np.exp(-r[i, j] / rho)
                    - C / r[i, j] ** 6
                )
    return U


@formula(
    r"""
\documentclass[prb,twocolumn]{revtex4}
\usepackage{amsmath}
\begin{document}
The energy, as a function of the atomic coordinates, is taken to be
\begin{gather}
E = \sum_i E_i = \frac{1}{2} \sum_{i \ne j} V_{ij} , \\
V_{ij} = f_C(r_{ij}) \left[ f_R(r_{ij}) + b_{ij} f_A(r_{ij}) \right] ,
\end{gather}
where
\begin{equation}
f_R(r) = A \exp(-\lambda_1 r), \quad f_A(r) = -B \exp(-\lambda_2 r),
\end{equation}
\begin{equation}
f_C(r) = \begin{cases} 1, & r < R - D \\ \frac{1}{2} - \frac{1}{2} \sin\left[ \frac{\pi}{2} (r - R)/D \right], & R - D < r < R + D \\ 0, & r > R + D. \end{cases}
\end{equation}
\end{document}
""",
    source="Tersoff, New empirical approach for the structure and energy of covalent systems, 1988, equations 1 and 2 (the bond order is given)",
    shapes=("size N", "input r[N, N], b[N, N], A[], B[], lambda_1[], lambda_2[], R[], D[]"),
    output="E",
    r=lambda g: uniform(g, 4, 4),
    b=lambda g: uniform(g, 4, 4),
    A=lambda g: 2.0,
    lambda_1=lambda g: 1.1,
    B=lambda g: 1.5,
    lambda_2=lambda g: 0.7,
    R=lambda g: 1.0,
    D=lambda g: 0.2,
)
def bond_order_energy(r, b, A, lambda_1, B, lambda_2, R, D):
    E = 0.0
    for i in range(len(r)):
        for j in range(len(r)):
            if i != j:
                x = r[i, j]
                c = (
                    1.0
                    if x < R - D
                    else (0.0 if x > R + D else 0.5 - 0.5 * np.sin(np.pi / 2 * (x - R) / D))
                )
                E += 0.5 * c * (A * np.exp(-lambda_1 * x) - b[i, j] * B * np.exp(-lambda_2 * x))
    return E


@formula(
    r"""
Given two sets of $n$ points $\mathbf{v}$ and $\mathbf{w}$, the RMSD is defined as follows:
\begin{align}
\mathrm{RMSD}(\mathbf{v}, \mathbf{w}) & = \sqrt{\frac{1}{n} \sum_{i=1}^{n} \|v_i - w_i\|^2} \\
& = \sqrt{\frac{1}{n} \sum_{i=1}^{n} \left( (v_{ix} - w_{ix})^2 + (v_{iy} - w_{iy})^2 + (v_{iz} - w_{iz})^2 \right)}
\end{align}
""",
    source="Root mean square deviation of atomic positions, as in an encyclopedia; after Kabsch, 1976",
    shapes=("base 1", "size n", "input v[n, 3], w[n, 3]"),
    sizes={"n": 4},
    v=lambda r: normal(r, 4, 3),
    w=lambda r: normal(r, 4, 3),
)
def atomic_deviation(v, w):
    n = len(v)
    return np.sqrt(sum(sum((v[i, d] - w[i, d]) ** 2 for d in range(3)) for i in range(n)) / n)


@formula(
    r"""
The MCC can be calculated directly from the confusion matrix using the formula:
\begin{equation}
\text{MCC} = \frac{TP \times TN - FP \times FN}{\sqrt{(TP+FP)(TP+FN)(TN+FP)(TN+FN)}}
\end{equation}
""",
    source="Matthews, Comparison of the predicted and observed secondary structure of T4 phage lysozyme, 1975; as in an encyclopedia",
    TP=lambda r: 17.0,
    TN=lambda r: 21.0,
    FP=lambda r: 4.0,
    FN=lambda r: 6.0,
)
def matthews(TP, TN, FP, FN):
    return (TP * TN - FP * FN) / np.sqrt((TP + FP) * (TP + FN) * (TN + FP) * (TN + FN))


@formula(
    r"""
The number $s(i)$ is obtained by combining $a(i)$ and $b(i)$ as follows:
\begin{equation}
s(i) = \begin{cases} 1 - a(i)/b(i), & \text{if } a(i) < b(i) \\ 0, & \text{if } a(i) = b(i) \\ b(i)/a(i) - 1, & \text{if } a(i) > b(i) \end{cases}
\end{equation}
It is even possible to write this in one formula: $s(i) = \frac{b(i) - a(i)}{\max\{a(i), b(i)\}}$.
""",
    source="Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster analysis, 1987",
    shapes=("size n", "input a[n], b[n]"),
    a=lambda r: uniform(r, 5),
    b=lambda r: uniform(r, 5),
)
def silhouette(a, b):
    return np.array([(y - x) / max(x, y) for x, y in zip(a, b, strict=True)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The adjusted index is
\begin{equation}
\mathrm{ARI} = \frac{\sum_{ij} \binom{n_{ij}}{2} - \left[ \sum_i \binom{a_i}{2} \sum_j \binom{b_j}{2} \right] / \binom{n}{2}}{\frac{1}{2} \left[ \sum_i \binom{a_i}{2} + \sum_j \binom{b_j}{2} \right] - \left[ \sum_i \binom{a_i}{2} \sum_j \binom{b_j}{2} \right] / \binom{n}{2}}
\end{equation}
where $n_{ij}$, $a_i$, $b_j$ are values from the contingency table, and $n$ the number of elements.
\end{document}
""",
    source="Hubert and Arabie, Comparing partitions, 1985, equation 5",
    shapes=("size I, J", "input n_ij[I, J], a[I], b[J], n[]"),
    n_ij=lambda r: np.array([[4.0, 2.0], [3.0, 5.0], [2.0, 6.0]]),
    a=lambda r: np.array([6.0, 8.0, 8.0]),
    b=lambda r: np.array([9.0, 13.0]),
    n=lambda r: 22.0,
)
def adjusted_rand(n_ij, a, b, n):
    c = lambda x: x * (x - 1) / 2
    s = sum(c(x) for x in n_ij.ravel())
    A, B = sum(c(x) for x in a), sum(c(x) for x in b)
    return (s - A * B / c(n)) / (0.5 * (A + B) - A * B / c(n))


@formula(
    r"""
The quadratic entropy of a community of $S$ species, with the relative abundances $p_i$ and the distances $d_{ij}$, is
$$
Q = \sum_{i=1}^{S-1} \sum_{j=i+1}^{S} d_{ij}\, p_i\, p_j
$$
""",
    source="Rao, Diversity and dissimilarity coefficients, 1982; as in Botta-Dukat, 2005",
    shapes=("base 1", "size S", "input d[S, S], p[S]"),
    sizes={"S": 4},
    d=lambda r: uniform(r, 4, 4),
    p=lambda r: uniform(r, 4),
)
def quadratic_entropy(d, p):
    return sum(d[i, j] * p[i] * p[j] for i in range(4) for j in range(i + 1, 4))


@formula(
    r"""
\documentclass{IEEEtran}
\usepackage{amsmath}
\begin{document}
The function that interpolates the values at the points $P_i = (x_i, y_i)$, $i = 1, \ldots, n$, is
\begin{equation}
f(x, y) = a_1 + a_x x + a_y y + \sum_{i=1}^{n} w_i U\left( |P_i - (x, y)| \right) ,
\end{equation}
where $U(r) = r^2 \log r^2$.
\end{document}
""",
    source="Bookstein, Principal warps: thin-plate splines and the decomposition of deformations, 1989, equation 2",
    shapes=("base 1", "size n", "input a_1[], a_x[], a_y[], x[], y[], w[n], P[n, 2]"),
    sizes={"n": 4},
    a_1=lambda r: 0.4,
    a_x=lambda r: 0.7,
    x=lambda r: 0.3,
    a_y=lambda r: -0.2,
    y=lambda r: 0.9,
    w=lambda r: normal(r, 4),
    P=lambda r: normal(r, 4, 2),
)
def thin_plate(a_1, a_x, x, a_y, y, w, P):
    f = a_1 + a_x * x + a_y * y
    for i in range(len(w)):
        r2 = (P[i, 0] - x) ** 2 + (P[i, 1] - y) ** 2
        f += w[i] * r2 * np.log(r2)
    return f


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath,bm}
\begin{document}
A $p$th-degree NURBS curve is defined by
\begin{equation}
\mathbf{C}(u) = \frac{\sum_{i=0}^{n} N_{i,p}(u) w_i \mathbf{P}_i}{\sum_{i=0}^{n} N_{i,p}(u) w_i} \qquad a \leq u \leq b
\end{equation}
where the $\{\mathbf{P}_i\}$ are the control points, the $\{w_i\}$ are the weights, and the $\{N_{i,p}(u)\}$ are the B-spline basis functions.
\end{document}
""",
    source="Piegl and Tiller, The NURBS Book, 1997, equation 4.1 (the basis is given at the parameter)",
    shapes=("size n", "input N_p[n + 1], w[n + 1], P[n + 1, 3]"),
    sizes={"n": 4},
    N_p=lambda r: uniform(r, 5),
    w=lambda r: uniform(r, 5),
    P=lambda r: normal(r, 5, 3),
)
def rational_curve(N_p, w, P):
    z = sum(N_p[i] * w[i] for i in range(5))
    return np.array([sum(N_p[i] * w[i] * P[i, d] for i in range(5)) / z for d in range(3)])


@formula(
    r"""
\documentclass{article}
\usepackage{nips11}
\usepackage{amsmath}
\begin{document}
Each iteration performs a message passing step from all $X_j$ to all $X_i$,
\begin{equation}
\tilde{Q}_i^{(m)}(l) \leftarrow \sum_{j \neq i} k^{(m)}(\mathbf{f}_i, \mathbf{f}_j) Q_j(l) \quad \text{for all } m ,
\end{equation}
with the Gaussian kernels $k^{(m)}(\mathbf{f}_i, \mathbf{f}_j) = \exp\left( -\frac{1}{2} (\mathbf{f}_i - \mathbf{f}_j)^\mathrm{T} \Lambda^{(m)} (\mathbf{f}_i - \mathbf{f}_j) \right)$.
\end{document}
""",
    source="Kraehenbuehl and Koltun, Efficient inference in fully connected CRFs, 2011, algorithm 1, for one kernel",
    shapes=("size N, D, L", "input f[N, D], Lambda_m[D, D], Q[N, L]"),
    f=lambda r: normal(r, 4, 2),
    Lambda_m=lambda r: np.array([[1.2, 0.3], [0.3, 0.9]]),
    Q=lambda r: uniform(r, 4, 3),
)
def message_passing_step(f, Lambda_m, Q):
    N, L = Q.shape
    out = np.zeros((N, L))
    for i in range(N):
        for j in range(N):
            if j != i:
                d = f[i] - f[j]
                q = sum(d[a] * Lambda_m[a, b] * d[b] for a in range(2) for b in range(2))
                out[i] += np.exp(-q / 2) * Q[j]
    return out


@formula(
    r"""
\documentclass{pnas}
\usepackage{amsmath}
\begin{document}
Given this approximation, the function $\mathcal{L}$ that we minimize in EWC is:
\begin{equation}
\mathcal{L}(\theta) = \mathcal{L}_B(\theta) + \sum_i \frac{\lambda}{2} F_i (\theta_i - \theta^*_{A,i})^2
\end{equation}
where $\mathcal{L}_B(\theta)$ is the loss for task B only, $\lambda$ sets how important the old task is compared with the new one, and $i$ labels each parameter.
\end{document}
""",
    source="Kirkpatrick et al., Overcoming catastrophic forgetting in neural networks, 2017, equation 3",
    shapes=("size n", "input L_B[], lambda[], F[n], theta[n], theta_star_A[n]"),
    L_B=lambda r: 0.6,
    **{"lambda": lambda r: 1.4},
    F=lambda r: uniform(r, 5),
    theta=lambda r: normal(r, 5),
    theta_star_A=lambda r: normal(r, 5),
)
def elastic_weights(L_B, F, theta, theta_star_A, **rest):
    return L_B + sum(
        rest["lambda"] / 2 * F[i] * (theta[i] - theta_star_A[i]) ** 2 for i in range(len(F))
    )


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
Define $n+1$ as the number of observations and $S_i$ as the stock price at the end of the $i$th interval, with $i = 0, 1, \ldots, n$, and let
\[ u_i = \ln\left( \frac{S_i}{S_{i-1}} \right) \quad \text{for } i = 1, 2, \ldots, n \]
The usual estimate, $s$, of the standard deviation of the $u_i$ is given by
\[ s = \sqrt{\frac{1}{n-1} \sum_{i=1}^{n} (u_i - \bar{u})^2} \]
where $\bar{u}$ is the mean of the $u_i$.
\end{document}
""",
    source="Hull, Options, Futures, and Other Derivatives, 2014, section 15.4",
    shapes=("size n", "input S[n + 1]"),
    sizes={"n": 5},
    output="s",
    S=lambda r: uniform(r, 6),
)
def historical_volatility(S):
    u = [np.log(S[i] / S[i - 1]) for i in range(1, len(S))]
    m = sum(u) / len(u)
    return np.sqrt(sum((x - m) ** 2 for x in u) / (len(u) - 1))


@formula(
    r"""
The Atkinson index is defined as:
\[
A_\varepsilon(y_1, \ldots, y_N) = 1 - \frac{1}{\mu} \left( \frac{1}{N} \sum_{i=1}^{N} y_i^{1-\varepsilon} \right)^{1/(1-\varepsilon)} \quad \text{for } 0 \le \varepsilon \neq 1
\]
where $y_i$ is individual income ($i = 1, 2, \ldots, N$) and $\mu$ is the mean income.
""",
    source="Atkinson, On the measurement of inequality, 1970; as in an encyclopedia",
    shapes=("base 1", "size N", "input y[N], varepsilon[], mu[]"),
    sizes={"N": 5},
    mu=lambda r: 1.1,
    y=lambda r: uniform(r, 5),
    varepsilon=lambda r: 0.4,
)
def atkinson(mu, y, varepsilon):
    N = len(y)
    return 1 - (sum(v ** (1 - varepsilon) for v in y) / N) ** (1 / (1 - varepsilon)) / mu


@formula(
    r"""
Welch's $t$-test defines the statistic $t$ by the following formula:
\[
t = \frac{\overline{X}_1 - \overline{X}_2}{\sqrt{s_{\bar{X}_1}^2 + s_{\bar{X}_2}^2}}, \qquad s_{\bar{X}_i} = \frac{s_i}{\sqrt{N_i}}
\]
where $\overline{X}_i$ and $s_{\bar{X}_i}$ are the $i$th sample mean and its standard error.
""",
    source="Welch, The generalization of Student's problem when several different population variances are involved, 1947; as in an encyclopedia",
    shapes=("base 1", "input X_bar[2], s[2], N[2]"),
    X_bar=lambda r: normal(r, 2),
    s=lambda r: uniform(r, 2),
    N=lambda r: np.array([7.0, 9.0]),
)
def welch_statistic(X_bar, s, N):
    return (X_bar[0] - X_bar[1]) / np.sqrt(s[0] ** 2 / N[0] + s[1] ** 2 / N[1])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For one-dimensional empirical measures with $n$ samples each, the $p$-Wasserstein distance is a simple function of the order statistics:
\begin{equation}
W_p(P, Q) = \left( \frac{1}{n} \sum_{i=1}^{n} \left| X_{(i)} - Y_{(i)} \right|^p \right)^{1/p} .
\end{equation}
\end{document}
""",
    source="Ramdas, Garcia Trillos, Cuturi, On Wasserstein two-sample testing, 2017, section 2.3",
    shapes=("base 1", "size n", "input X[n], Y[n], p[]"),
    sizes={"n": 5},
    X=lambda r: np.sort(normal(r, 5)),
    Y=lambda r: np.sort(normal(r, 5)),
    p=lambda r: 3.0,
)
def sorted_transport(X, Y, p):
    n = len(X)
    return (sum(abs(X[i] - Y[i]) ** p for i in range(n)) / n) ** (1 / p)
