"""Formulas of mechanics, chemistry, statistics and networks."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{nips03}
\begin{document}
Let $x_1, \ldots, x_m$ be the output of the classifier on the positive examples and $y_1, \ldots, y_n$ its output on the negative examples. Then, the AUC, $A$, associated to it is given by:
\begin{equation}
A = \frac{\sum_{i=1}^m \sum_{j=1}^n 1_{x_i > y_j}}{m n}
\end{equation}
that is the value of the Wilcoxon-Mann-Whitney statistic.\footnote{The denominator counts all pairs, $mn = |P| \cdot |N|$.}
\end{document}
""",
    source="Cortes, Mohri, AUC optimization vs. error rate minimization, 2004, equation 1",
    shapes=("base 1", "size m, n", "input x[m], y[n]"),
    sizes={"m": 4, "n": 5},
    output="A",
    x=lambda r: normal(r, 4) + 0.3,
    y=lambda r: normal(r, 5),
)
def auc_wilcoxon(x, y):
    s = 0.0
    for i in range(len(x)):
        for j in range(len(y)):
            if x[i] > y[j]:
                s += 1
    return s / (len(x) * len(y))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\textsc{Barlow Twins} distinguishes itself from other methods by its innovative loss function $\mathcal{L_{BT}}$:
\begin{equation}
\mathcal{L_{BT}} \triangleq  \underbrace{\sum_i  (1-\mathcal{C}_{ii})^2}_\text{invariance term}  + ~~\lambda \underbrace{\sum_{i}\sum_{j \neq i} {\mathcal{C}_{ij}}^2}_\text{redundancy reduction term}
\label{eq:lossBarlow}
\end{equation}
where $\lambda$ is a positive constant trading off the importance of the first and second terms of the loss, and where $\mathcal{C}$ is the cross-correlation matrix computed between the outputs of the two identical networks along the batch dimension:
\begin{equation}
\mathcal{C}_{ij} \triangleq \frac{
\sum_b z^A_{b,i} z^B_{b,j}}
{\sqrt{\sum_b {(z^A_{b,i})}^2} \sqrt{\sum_b {(z^B_{b,j})}^2}}
\label{eq:crosscorr}
\end{equation}
where $b$ indexes batch samples and $i,j$ index the vector dimension of the networks' outputs.
\end{document}
""",
    source="Zbontar et al., Barlow twins, 2021, equations 1 and 2",
    shapes=("size N, D", "input z_A[N, D], z_B[N, D], lambda[]"),
    output="L_BT",
    z_A=lambda r: normal(r, 5, 3),
    z_B=lambda r: normal(r, 5, 3),
    lambda_=lambda r: 0.05,
)
def barlow_twins_again(z_A, z_B, lambda_):
    N, D = z_A.shape
    L = 0.0
    for i in range(D):
        for j in range(D):
            num = sum(z_A[b, i] * z_B[b, j] for b in range(N))
            den = np.sqrt(sum(z_A[b, i] ** 2 for b in range(N))) * np.sqrt(
                sum(z_B[b, j] ** 2 for b in range(N))
            )
            c = num / den
            if i == j:
                L += (1 - c) ** 2
            else:
                L += lambda_ * c**2
    return L


@formula(
    r"""
\documentclass[jcp]{revtex4-1}
\usepackage{amsmath}
\newcommand{\asym}[4]{\langle #1 #2 \| #3 #4 \rangle}
\begin{document}
The coupled-cluster doubles correlation energy is
\begin{equation}
E_{\text{corr}} = \frac{1}{4} \sum_{ij}^{\text{occ.}} \sum_{ab}^{\text{virt.}} \asym{i}{j}{a}{b}\, t_{ij}^{ab}
\end{equation}
\end{document}
""",
    source="Crawford, Schaefer, An introduction to coupled cluster theory, 2000",
    shapes=("upper", "size O, V", "input g[O, O, V, V], t[O, O, V, V]"),
    output="E_corr",
    g=lambda r: normal(r, 2, 2, 3, 3),
    t=lambda r: normal(r, 2, 2, 3, 3),
)
def ccd_energy(g, t):
    E = 0.0
    for i in range(2):
        for j in range(2):
            for a in range(3):
                for b in range(3):
                    E += 0.25 * g[i, j, a, b] * t[i, j, a, b]
    return E


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
% script r, after Griffiths
\newcommand{\rcurs}{\mathfrak{r}}
\begin{document}
You see the general rule: the work necessary to assemble a configuration of point charges is
\begin{equation}
W = \frac{1}{4\pi\epsilon_0}\sum_{i=1}^{n}\sum_{j>i}^{n}\frac{q_i q_j}{\rcurs_{ij}}.
\label{eq:work}
\end{equation}
The stipulation $j>i$ is merely to remind you not to count the same pair twice. [Here $\rcurs_{ij}$ is the distance from charge $i$ to charge $j$.]
\end{document}
""",
    source="Griffiths, Introduction to electrodynamics, 1999, equation 2.40",
    shapes=("base 1", "size n", "input q[n], r[n, n], epsilon_0[]"),
    sizes={"n": 4},
    output="W",
    q=lambda r: normal(r, 4),
    r=lambda r: uniform(r, 4, 4),
    epsilon_0=lambda r: 0.8,
)
def coulomb_work(q, r, epsilon_0):
    W = 0.0
    for i in range(len(q)):
        for j in range(i + 1, len(q)):
            W += q[i] * q[j] / r[i, j]
    return W / (4 * np.pi * epsilon_0)


@formula(
    r"""
Let $Y_i$ denote the observed time (either censoring time or event time) for subject $i$, and let $C_i$ be the indicator that the time corresponds to an event. With $\theta_j = \exp(X_j \cdot \beta)$, the corresponding log partial likelihood is
\begin{equation}
\ell(\beta) = \sum_{i: C_i = 1} \left( X_i \cdot \beta - \log \sum_{j: Y_j \ge Y_i} \theta_j \right).
\end{equation}
""",
    source="Cox, Regression models and life-tables, 1972; as in Breslow, 1975",
    shapes=("size n, p", "input X[n, p], beta[p], C[n], Y[n]"),
    output="ell",
    X=lambda r: normal(r, 5, 2),
    beta=lambda r: normal(r, 2),
    C=lambda r: np.array([1.0, 0, 1, 1, 0]),
    Y=lambda r: uniform(r, 5),
)
def cox_partial_likelihood(X, beta, C, Y):
    l = 0.0
    for i in range(len(Y)):
        if C[i] == 1:
            s = 0.0
            for j in range(len(Y)):
                if Y[j] >= Y[i]:
                    s += np.exp(np.dot(X[j], beta))
            l += np.dot(X[i], beta) - np.log(s)
    return l


@formula(
    r"""
Separating the self terms, the scattered intensity of $N$ randomly oriented atoms is
\begin{equation}
I(q) = \sum_{i=1}^{N} f_i^2 + 2 \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} f_i f_j \frac{\sin (q r_{ij})}{q r_{ij}}
\end{equation}
with $q = 4\pi \sin\theta/\lambda$ and $r_{ij}$ the interatomic distances.
""",
    source="Debye, Zerstreuung von Roentgenstrahlen, 1915; the form of programs",
    shapes=("base 1", "size N", "input f[N], q[], r[N, N]"),
    sizes={"N": 4},
    output="I",
    f=lambda r: uniform(r, 4),
    q=lambda r: 1.3,
    r=lambda r: uniform(r, 4, 4),
)
def debye_scattering(f, q, r):
    I = 0.0
    N = len(f)
    for i in range(N):
        I += f[i] ** 2
        for j in range(i + 1, N):
            I += 2 * f[i] * f[j] * np.sin(q * r[i, j]) / (q * r[i, j])
    return I


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\Real}{\mathbb{R}}
\begin{document}
The elastic net minimizes over $\beta_0 \in \Real$, $\beta \in \Real^p$ the objective
\begin{equation}
R_\lambda(\beta_0, \beta) = \frac{1}{2N} \sum_{i=1}^N (y_i - \beta_0 - x_i^T\beta)^2 + \lambda P_\alpha(\beta),
\end{equation}
where
\begin{eqnarray}
P_\alpha(\beta) &=& (1-\alpha) \frac{1}{2} ||\beta||_{\ell_2}^2 + \alpha ||\beta||_{\ell_1} \\
&=& \sum_{j=1}^p \left[ \mbox{$\frac{1}{2}$} (1-\alpha) \beta_j^2 + \alpha |\beta_j| \right] .
\end{eqnarray}
\end{document}
""",
    source="Friedman, Hastie, Tibshirani, Regularization paths for generalized linear models via coordinate descent, 2010, equations 1 and 2",
    shapes=("base 1", "size N, p", "input y[N], beta_0[], x[N, p], beta[p], lambda[], alpha[]"),
    sizes={"N": 4, "p": 3},
    output="R_lambda",
    y=lambda r: normal(r, 4),
    beta_0=lambda r: 0.2,
    x=lambda r: normal(r, 4, 3),
    beta=lambda r: normal(r, 3),
    lambda_=lambda r: 0.4,
    alpha=lambda r: 0.6,
)
def elastic_net_again(y, beta_0, x, beta, lambda_, alpha):
    R = 0.0
    N, p = x.shape
    for i in range(N):
        R += (y[i] - beta_0 - sum(x[i, j] * beta[j] for j in range(p))) ** 2 / (2 * N)
    for j in range(p):
        R += lambda_ * (0.5 * (1 - alpha) * beta[j] ** 2 + alpha * abs(beta[j]))
    return R


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\bfw}{\mathbf{w}}
\newcommand{\bfm}{\mathbf{m}}
\newcommand{\trans}{{\rm T}}
\begin{document}
We can make the dependence on $\bfw$ explicit by rewriting the Fisher criterion in the form
\begin{equation}
J(\bfw) = \frac{\bfw^\trans \mathbf{S}_{\rm B} \bfw}{\bfw^\trans \mathbf{S}_{\rm W} \bfw}
\end{equation}
where $\mathbf{S}_{\rm B}$ is the \emph{between-class} covariance matrix and is given by
\begin{equation}
\mathbf{S}_{\rm B} = (\bfm_2 - \bfm_1)(\bfm_2 - \bfm_1)^\trans
\end{equation}
and $\mathbf{S}_{\rm W}$ is the total \emph{within-class} covariance matrix.
\end{document}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equations 4.26 and 4.27",
    shapes=("size D", "input w[D], m_2[D], m_1[D], S_W[D, D]"),
    output="J",
    w=lambda r: normal(r, 3),
    m_2=lambda r: normal(r, 3),
    m_1=lambda r: normal(r, 3),
    S_W=lambda r: 3 * np.eye(3) + 0.2 * uniform(r, 3, 3),
)
def fisher_discriminant(w, m_2, m_1, S_W):
    num = den = 0.0
    for a in range(3):
        for b in range(3):
            num += w[a] * (m_2[a] - m_1[a]) * (m_2[b] - m_1[b]) * w[b]
            den += w[a] * S_W[a, b] * w[b]
    return num / den


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
Substituting, we obtain
\begin{align}
F_{\mu\nu} &= H_{\mu\nu}^{\rm core} + \sum_{\lambda\sigma} P_{\lambda\sigma} \left[ (\mu\nu|\sigma\lambda) - \tfrac{1}{2} (\mu\lambda|\sigma\nu) \right] \nonumber \\
&= H_{\mu\nu}^{\rm core} + G_{\mu\nu} \tag{3.154}
\end{align}
where $G_{\mu\nu}$ is the two-electron part of the Fock matrix.
\end{document}
""",
    source="Szabo, Ostlund, Modern quantum chemistry, 1989, equation 3.154",
    shapes=("size K", "input H_core[K, K], P[K, K], g[K, K, K, K]"),
    output="F",
    H_core=lambda r: normal(r, 3, 3),
    P=lambda r: normal(r, 3, 3),
    g=lambda r: normal(r, 3, 3, 3, 3),
)
def fock_matrix_again(H_core, P, g):
    F = np.zeros((3, 3))
    for m in range(3):
        for n in range(3):
            F[m, n] = H_core[m, n]
            for l in range(3):
                for s in range(3):
                    F[m, n] += P[l, s] * (g[m, n, s, l] - 0.5 * g[m, l, s, n])
    return F


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The pair interactions are of the Born--Mayer--Huggins form with the parameters of Fumi and Tosi,
\begin{equation}
\phi_{ij}(r) = \frac{q_i q_j}{r} + A_{ij} b \exp\!\left( \frac{\sigma_i + \sigma_j - r}{\rho} \right) - \frac{C_{ij}}{r^6} - \frac{D_{ij}}{r^8}\:,
\end{equation}
where $\sigma_i$ is the ionic radius of species $i$ and $b = 0.338 \times 10^{-19}$\,J.
\end{document}
""",
    source="Fumi, Tosi, Ionic sizes and Born repulsive parameters in the NaCl-type alkali halides, 1964",
    shapes=("size M", "input q[M], r[], A[M, M], b[], sigma[M], rho[], C[M, M], D[M, M]"),
    output="phi",
    q=lambda r: normal(r, 2),
    r=lambda r: 1.4,
    A=lambda r: uniform(r, 2, 2),
    b=lambda r: 0.3,
    sigma=lambda r: uniform(r, 2),
    rho=lambda r: 0.9,
    C=lambda r: uniform(r, 2, 2),
    D=lambda r: uniform(r, 2, 2),
)
def fumi_tosi(q, r, A, b, sigma, rho, C, D):
    p = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            p[i, j] = (
                q[i] * q[j] / r
                + A[i, j] * b * np.exp((sigma[i] + sigma[j] - r) / rho)
                - C[i, j] / r**6
                - D[i, j] / r**8
            )
    return p


@formula(
    r"""
It is based on minimization of the following objective function:
\[
J_m=\sum\limits_{i=1}^{N}\sum\limits_{j=1}^{C}u_{ij}^m\left\|x_i-c_j\right\|^2 \quad,\quad 1\leq m<\infty
\]
where $m$ is any real number greater than 1, $u_{ij}$ is the degree of membership of $x_i$ in the cluster $j$, $x_i$ is the $i$th of $d$-dimensional measured data, $c_j$ is the $d$-dimension center of the cluster, with the update of membership $u_{ij}$ by:
\[
u_{ij}=\frac{1}{\sum\limits_{k=1}^{C}\left(\frac{\left\|x_i-c_j\right\|}{\left\|x_i-c_k\right\|}\right)^{\frac{2}{m-1}}}
\]
""",
    source="Bezdek, Pattern recognition with fuzzy objective function algorithms, 1981",
    shapes=("base 1", "size N, C, d", "input x[N, d], c[C, d], m[]"),
    sizes={"N": 4, "C": 3},
    output="J_m",
    x=lambda r: normal(r, 4, 2),
    c=lambda r: normal(r, 3, 2),
    m=lambda r: 1.7,
)
def fuzzy_cmeans(x, c, m):
    J = 0.0
    for i in range(len(x)):
        dist = [
            np.sqrt(sum((x[i, a] - c[j, a]) ** 2 for a in range(x.shape[1]))) for j in range(len(c))
        ]
        for j in range(len(c)):
            t = 0.0
            for k in range(len(c)):
                t += (dist[j] / dist[k]) ** (2 / (m - 1))
            J += (1 / t) ** m * dist[j] ** 2
    return J


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\Gauss}{\mathcal{N}}
\begin{document}
For a single real-valued variable $x$, the Gaussian distribution is defined by
\begin{equation}
\Gauss(x|\mu,\sigma^2) = \frac{1}{(2\pi\sigma^2)^{1/2}} \exp\left\{ -\frac{1}{2\sigma^2}(x-\mu)^2 \right\}
\end{equation}
The responsibility that component $k$ takes for `explaining' the observation $x_n$ is
\begin{equation}
\gamma_{nk} = \frac{\pi_k \Gauss(x_n|\mu_k,\sigma_k^2)}{\displaystyle\sum_{j=1}^K \pi_j \Gauss(x_n|\mu_j,\sigma_j^2)}.
\end{equation}
\end{document}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equations 1.46 and 9.13 in one dimension",
    shapes=("base 1", "size N, K", "input x[N], pi[K], mu[K], sigma[K]"),
    sizes={"K": 3},
    output="gamma",
    x=lambda r: normal(r, 4),
    pi=lambda r: np.array([0.2, 0.5, 0.3]),
    mu=lambda r: normal(r, 3),
    sigma=lambda r: uniform(r, 3),
)
def gmm_responsibilities(x, pi, mu, sigma):
    g = np.zeros((len(x), len(mu)))
    for n in range(len(x)):
        for k in range(len(mu)):
            g[n, k] = (
                pi[k]
                / (2 * np.pi * sigma[k] ** 2) ** 0.5
                * np.exp(-((x[n] - mu[k]) ** 2) / (2 * sigma[k] ** 2))
            )
        t = 0.0
        for k in range(len(mu)):
            t += g[n, k]
        for k in range(len(mu)):
            g[n, k] /= t
    return g


@formula(
    r"""
\documentclass[twocolumn]{article}
\begin{document}
Consider the special case $T_{ij} = T_{ji}$, and define
\begin{equation}
E = -\frac{1}{2} \mathop{\sum\sum}_{i \neq j} T_{ij} V_i V_j .
\end{equation}
$\Delta E$ due to $\Delta V_i$ is given by $\Delta E = -\Delta V_i \sum_{j \neq i} T_{ij} V_j$. Thus, the algorithm for altering $V_i$ causes $E$ to be a monotonically decreasing function.
\end{document}
""",
    source="Hopfield, Neural networks and physical systems with emergent collective computational abilities, 1982, equation 7",
    shapes=("size N", "input T[N, N], V[N]"),
    output="E",
    T=lambda r: normal(r, 4, 4),
    V=lambda r: normal(r, 4),
)
def hopfield_energy(T, V):
    E = 0.0
    for i in range(len(V)):
        for j in range(len(V)):
            if i != j:
                E -= 0.5 * T[i, j] * V[i] * V[j]
    return E


@formula(
    r"""
For $N$ particles of mass $m_\alpha$ at $\vec r_\alpha = (x_{\alpha,1}, x_{\alpha,2}, x_{\alpha,3})$ the elements of the inertia tensor $\{\mathbf{I}\}$ are
\begin{equation}
\boxed{I_{ij} \equiv \sum_\alpha m_\alpha \left( \delta_{ij} \sum_k x_{\alpha,k}^2 - x_{\alpha,i}\, x_{\alpha,j} \right)}
\end{equation}
""",
    source="Marion, Thornton, Classical dynamics of particles and systems, 1988, equation 11.13",
    shapes=("size N", "input m[N], x[N, 3]"),
    output="I",
    m=lambda r: uniform(r, 4),
    x=lambda r: normal(r, 4, 3),
)
def inertia_tensor(m, x):
    I = np.zeros((3, 3))
    for a in range(len(m)):
        for i in range(3):
            for j in range(3):
                if i == j:
                    for k in range(3):
                        I[i, j] += m[a] * x[a, k] ** 2
                I[i, j] -= m[a] * x[a, i] * x[a, j]
    return I


@formula(
    r"""
\begin{equation}\label{e:inst-norm}
    y_{tijk} =  \frac{x_{tijk} - \mu_{ti}}{\sqrt{\sigma_{ti}^2 + \epsilon}},
\quad
    \mu_{ti} = \frac{1}{HW}\sum_{l=1}^W \sum_{m=1}^H x_{tilm},
\quad
    \sigma_{ti}^2 = \frac{1}{HW}\sum_{l=1}^W \sum_{m=1}^H (x_{tilm} - \mu_{ti})^2.
\end{equation}
""",
    source="Ulyanov, Vedaldi, Lempitsky, Instance normalization, 2016, equation 3",
    shapes=("base 1", "size T, C, W, H", "input x[T, C, W, H], epsilon[]"),
    sizes={"W": 3, "H": 4},
    output="y",
    x=lambda r: normal(r, 2, 2, 3, 4),
    epsilon=lambda r: 0.02,
)
def instance_norm(x, epsilon):
    T, C, W, H = x.shape
    y = np.zeros_like(x)
    for t in range(T):
        for i in range(C):
            mu = 0.0
            v = 0.0
            for l in range(W):
                for m in range(H):
                    mu += x[t, i, l, m] / (H * W)
            for l in range(W):
                for m in range(H):
                    v += (x[t, i, l, m] - mu) ** 2 / (H * W)
            for j in range(W):
                for k in range(H):
                    y[t, i, j, k] = (x[t, i, j, k] - mu) / np.sqrt(v + epsilon)
    return y


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\DeclareMathOperator{\sgn}{sgn}
\begin{document}
An explicit expression for Kendall's rank coefficient is
\begin{equation*}
\tau = \frac{2}{n(n-1)} \sum_{i<j} \sgn(x_i - x_j) \sgn(y_i - y_j) .
\end{equation*}
\end{document}
""",
    source="Kendall, A new measure of rank correlation, 1938",
    shapes=("size n", "input x[n], y[n]"),
    sizes={"n": 6},
    output="tau",
    x=lambda r: normal(r, 6),
    y=lambda r: normal(r, 6),
)
def kendall_tau(x, y):
    s = 0.0
    n = len(x)
    for i in range(n):
        for j in range(i + 1, n):
            s += np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
    return 2 * s / (n * (n - 1))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\simil}[1]{\text{sim}\left(#1\right)}
\begin{document}
Note that if we subscript a matrix with $i$ it returns the $i$-th row as a vector. We can write a generalized attention equation for any similarity function as follows,
\begin{equation}
    V'_i = \frac{\sum_{j=1}^N \simil{Q_i, K_j} V_j}{\sum_{j=1}^N \simil{Q_i, K_j}}.
    \label{eq:attention-sim}
\end{equation}
Equation \eqref{eq:attention-sim} is equivalent to softmax attention if we substitute the similarity function with
\begin{equation}
\simil{q, k} = \exp\left(\frac{q^T k}{\sqrt{D}}\right).
\end{equation}
\end{document}
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equation 3",
    shapes=("base 1", "size N, D, M", "input Q[N, D], K[N, D], V[N, M]"),
    sizes={"N": 4, "D": 2},
    output="V_prime",
    Q=lambda r: normal(r, 4, 2),
    K=lambda r: normal(r, 4, 2),
    V=lambda r: normal(r, 4, 3),
)
def linear_attention_similarity(Q, K, V):
    out = np.zeros((4, 3))
    for i in range(4):
        w = [np.exp((Q[i, 0] * K[j, 0] + Q[i, 1] * K[j, 1]) / np.sqrt(2)) for j in range(4)]
        for m in range(3):
            out[i, m] = sum(w[j] * V[j, m] for j in range(4)) / sum(w)
    return out


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
The expression can be simplified by introducing the \textbf{Maxwell stress tensor},
\begin{equation}
T_{ij} \equiv \epsilon_0 \left( E_i E_j - \frac{1}{2} \delta_{ij} E^2 \right) + \frac{1}{\mu_0} \left( B_i B_j - \frac{1}{2} \delta_{ij} B^2 \right).
\end{equation}
The indices $i$ and $j$ refer to the coordinates $x$, $y$, and $z$, so the stress tensor has a total of nine components ($T_{xx}$, $T_{yy}$, $T_{xz}$, $T_{yx}$, and so on).
\end{document}
""",
    source="Griffiths, Introduction to electrodynamics, 1999, equation 8.19",
    shapes=("input E[3], B[3], epsilon_0[], mu_0[]",),
    output="T",
    E=lambda r: normal(r, 3),
    B=lambda r: normal(r, 3),
    epsilon_0=lambda r: 0.7,
    mu_0=lambda r: 1.3,
)
def maxwell_stress(E, B, epsilon_0, mu_0):
    s = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            s[i, j] = epsilon_0 * E[i] * E[j] + B[i] * B[j] / mu_0
            if i == j:
                for k in range(3):
                    s[i, j] -= 0.5 * (epsilon_0 * E[k] ** 2 + B[k] ** 2 / mu_0)
    return s


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Nadaraya--Watson estimate at a point $x$ is
\begin{equation}
\widehat{m}_h(x) = \frac{\sum_{i=1}^n K_h(x - X_i) Y_i}{\sum_{j=1}^n K_h(x - X_j)}
\end{equation}
where $K_h(u) = h^{-1} K(u/h)$ and $K(u) = \frac{1}{\sqrt{2\pi}} e^{-u^2/2}$ is the Gaussian kernel.
\end{document}
""",
    source="Nadaraya, On estimating regression, 1964; Watson, 1964; as in Haerdle, Applied nonparametric regression",
    shapes=("base 1", "size n", "input x[], X[n], Y[n], h[]"),
    sizes={"n": 5},
    output="m_hat_h",
    x=lambda r: 0.1,
    X=lambda r: normal(r, 5),
    Y=lambda r: normal(r, 5),
    h=lambda r: 0.7,
)
def nadaraya_watson(x, X, Y, h):
    a = b = 0.0
    for i in range(len(X)):
        u = (x - X[i]) / h
        k = np.exp(-u * u / 2) / np.sqrt(2 * np.pi) / h
        a += k * Y[i]
        b += k
    return a / b


@formula(
    r"""
The neuron model is $y = \sum_{i=1}^{m} w_i x_i$, and Oja's rule changes the synaptic weights in proportion to the learning-rate parameter $\eta$ by
\begin{equation}
\Delta w_i = \eta\, y\, (x_i - y\, w_i), \qquad i = 1, 2, \ldots, m.
\end{equation}
""",
    source="Oja, A simplified neuron model as a principal component analyzer, 1982; as in Haykin, Neural networks, 1999",
    shapes=("base 1", "size m", "input w[m], x[m], eta[]"),
    sizes={"m": 4},
    output="Delta_w",
    w=lambda r: normal(r, 4),
    x=lambda r: normal(r, 4),
    eta=lambda r: 0.3,
)
def oja_rule(w, x, eta):
    y = 0.0
    out = np.zeros(len(w))
    for i in range(len(w)):
        y += w[i] * x[i]
    for i in range(len(w)):
        out[i] = eta * y * (x[i] - y * w[i])
    return out


@formula(
    r"""
\documentclass{article}
\begin{document}
For the Poisson distribution the deviance takes the form
$$ D(y;\hat\mu) = 2 \sum \{ y_i \log(y_i/\hat\mu_i) - (y_i - \hat\mu_i) \}, $$
whereas the scaled Pearson statistic is
$$ X^2 = \sum (y_i - \hat\mu_i)^2 / V(\hat\mu_i) , $$
where $V(\mu) = \mu$ is the variance function.
\end{document}
""",
    source="McCullagh, Nelder, Generalized linear models, 1989, section 2.3",
    shapes=("size n", "input y[n], mu_hat[n]", "output D"),
    output="D",
    y=lambda r: uniform(r, 5),
    mu_hat=lambda r: uniform(r, 5),
)
def poisson_deviance(y, mu_hat):
    D = 0.0
    for i in range(len(y)):
        D += 2 * (y[i] * np.log(y[i] / mu_hat[i]) - (y[i] - mu_hat[i]))
    return D


@formula(
    r"""
\documentclass{revtex4}
\begin{document}
The traceless quadrupole tensor of a set of point charges is
\begin{eqnarray}
Q_{ij} & = & \sum_{n} q_{n} \left( 3\, x_{ni}\, x_{nj} - r_{n}^{2}\, \delta_{ij} \right) , \\
r_{n}^{2} & = & \sum_{k=1}^{3} x_{nk}^{2} . \nonumber
\end{eqnarray}
\end{document}
""",
    source="Jackson, Classical electrodynamics, 1975, equation 4.9 for point charges",
    shapes=("base 1", "size N", "input q[N], x[N, 3]"),
    output="Q",
    q=lambda r: normal(r, 4),
    x=lambda r: normal(r, 4, 3),
)
def quadrupole_moment(q, x):
    Q = np.zeros((3, 3))
    for n in range(len(q)):
        r2 = x[n, 0] ** 2 + x[n, 1] ** 2 + x[n, 2] ** 2
        for i in range(3):
            for j in range(3):
                Q[i, j] += q[n] * (3 * x[n, i] * x[n, j] - (r2 if i == j else 0))
    return Q


@formula(
    r"""
Let $\rho_\tau(u) = u(\tau - I(u<0))$ denote the check function. The $\tau$th regression quantile minimizes over $\beta \in \mathbb{R}^p$
\begin{equation}
V_n(\beta) = \sum_{i=1}^n \rho_\tau (y_i - x_i'\beta), \tag{2.3}
\end{equation}
where $x_i \in \mathbb{R}^p$ is the $i$th row of the design matrix.
""",
    source="Koenker, Bassett, Regression quantiles, 1978; as in Koenker, Quantile regression, 2005",
    shapes=("base 1", "size n, p", "input y[n], x[n, p], beta[p], tau[]"),
    sizes={"n": 5},
    output="V_n",
    y=lambda r: normal(r, 5),
    x=lambda r: normal(r, 5, 2),
    beta=lambda r: normal(r, 2),
    tau=lambda r: 0.3,
)
def quantile_regression(y, x, beta, tau):
    V = 0.0
    for i in range(len(y)):
        u = y[i] - (x[i, 0] * beta[0] + x[i, 1] * beta[1])
        V += u * (tau - (1 if u < 0 else 0))
    return V


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
\section{Background}
Consider an attention head which operates on an input sequence, $x = (x_1, \ldots, x_n)$ of $n$ elements where $x_i \in \mathbb{R}^{d_x}$, and computes a new sequence $z = (z_1, \ldots, z_n)$ of the same length where $z_i \in \mathbb{R}^{d_z}$.
The output elements become
\begin{equation}
z_i = \sum_{j=1}^{n} \alpha_{ij} (x_j W^V + a_{ij}^V)
\label{eq:rel_value}
\end{equation}
Each weight coefficient, $\alpha_{ij}$, is computed using a softmax function:
\begin{equation*}
\alpha_{ij} = \frac{ \exp{e_{ij}} }{ \sum_{k=1}^{n} \exp{e_{ik}} }
\end{equation*}
and $e_{ij}$ is computed using a compatibility function that compares two input elements:
\begin{equation}
e_{ij} = \frac{x_i W^Q (x_j W^K + a_{ij}^K)^T}{\sqrt{d_z}}
\label{eq:rel_attn}
\end{equation}
$W^Q$, $W^K$, $W^V \in \mathbb{R}^{d_x \times d_z}$ are parameter matrices.
\end{document}
""",
    source="Shaw, Uszkoreit, Vaswani, Self-attention with relative position representations, 2018, equations 3 and 4",
    shapes=(
        "base 1",
        "size n, d_x, d_z",
        "input x[n, d_x], W_Q[d_x, d_z], W_K[d_x, d_z], W_V[d_x, d_z], a_K[n, n, d_z], a_V[n, n, d_z]",
    ),
    sizes={"n": 3},
    output="z",
    x=lambda r: normal(r, 3, 4),
    W_Q=lambda r: normal(r, 4, 2),
    W_K=lambda r: normal(r, 4, 2),
    W_V=lambda r: normal(r, 4, 2),
    a_K=lambda r: normal(r, 3, 3, 2),
    a_V=lambda r: normal(r, 3, 3, 2),
)
def relative_attention(x, W_Q, W_K, W_V, a_K, a_V):
    n, dx = x.shape
    dz = W_Q.shape[1]
    z = np.zeros((n, dz))
    e = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            for d in range(dz):
                q = sum(x[i, c] * W_Q[c, d] for c in range(dx))
                k = sum(x[j, c] * W_K[c, d] for c in range(dx)) + a_K[i, j, d]
                e[i, j] += q * k / np.sqrt(dz)
    for i in range(n):
        t = sum(np.exp(e[i, k]) for k in range(n))
        for j in range(n):
            for d in range(dz):
                z[i, d] += (
                    np.exp(e[i, j])
                    / t
                    * (sum(x[j, c] * W_V[c, d] for c in range(dx)) + a_V[i, j, d])
                )
    return z


@formula(
    r"""
The total potential energy of the metal is written as
$$
E_{\rm tot} = \varepsilon \sum_i \left[ \frac{1}{2} \sum_{j \ne i} \left( \frac{a}{r_{ij}} \right)^n - c \sqrt{\rho_i} \right]
$$
with
$$
\rho_i = \sum_{j \ne i} \left( \frac{a}{r_{ij}} \right)^m ,
$$
$r_{ij}$ being the separation between atoms $i$ and $j$, $c$ a positive dimensionless parameter, $\varepsilon$ a parameter with the dimensions of energy, $a$ a parameter with the dimensions of length, and $m$ and $n$ positive integers.
""",
    source="Sutton, Chen, Long-range Finnis-Sinclair potentials, 1990",
    shapes=("size N", "input varepsilon[], a[], r[N, N], n[], c[], m[]"),
    output="E_tot",
    varepsilon=lambda r: 0.4,
    a=lambda r: 1.1,
    r=lambda r: uniform(r, 4, 4) * (1 - np.eye(4)) + np.eye(4),
    n=lambda r: 9.0,
    c=lambda r: 3.2,
    m=lambda r: 6.0,
)
def sutton_chen(varepsilon, a, r, n, c, m):
    E = 0.0
    for i in range(len(r)):
        rho = 0.0
        for j in range(len(r)):
            if j != i:
                E += varepsilon * 0.5 * (a / r[i, j]) ** n
                rho += (a / r[i, j]) ** m
        E -= varepsilon * c * np.sqrt(rho)
    return E


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath,amssymb}
\begin{document}
We then obtain the \textit{dual representation} of the maximum margin problem in which we maximize
\begin{equation}
\widetilde{L}(\mathbf{a}) = \sum_{n=1}^N a_n - \frac{1}{2} \sum_{n=1}^N \sum_{m=1}^N a_n a_m t_n t_m k(\mathbf{x}_n, \mathbf{x}_m)
\tag{7.10}
\end{equation}
with respect to $\mathbf{a}$ subject to the constraints
\begin{align}
a_n &\geqslant 0, \qquad n = 1, \ldots, N, \tag{7.11}\\
\sum_{n=1}^N a_n t_n &= 0. \tag{7.12}
\end{align}
Here the kernel function is the quadratic one, $k(\mathbf{x}, \mathbf{z}) = \left(\mathbf{x}^{\rm T} \mathbf{z}\right)^2$.
\end{document}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equation 7.10 with the kernel of 6.40",
    shapes=("base 1", "size N, D", "input a[N], t[N], x[N, D]"),
    sizes={"N": 4},
    output="L_tilde",
    a=lambda r: uniform(r, 4),
    t=lambda r: np.sign(normal(r, 4)),
    x=lambda r: normal(r, 4, 2),
)
def svm_dual(a, t, x):
    L = 0.0
    for n in range(len(a)):
        L += a[n]
        for m in range(len(a)):
            k = sum(x[n, d] * x[m, d] for d in range(x.shape[1])) ** 2
            L -= 0.5 * a[n] * a[m] * t[n] * t[m] * k
    return L


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Given $N$ experts indexed by $i=1$ to $N$ and a batch $\mathcal{B}$ with $T$ tokens, the auxiliary loss is computed as the scaled dot-product between vectors $f$ and $P$,
\begin{equation}
    \text{loss} = \alpha \cdot N \cdot \sum_{i=1}^{N} f_i \cdot P_i
\end{equation}
where $f_i$ is the fraction of tokens dispatched to expert $i$, and $P_i$ is the fraction of the router probability allocated for expert $i$,
\begin{equation}
    P_i = \frac{1}{T} \sum_{x \in \mathcal{B}} p_i(x).
\end{equation}
\end{document}
""",
    source="Fedus, Zoph, Shazeer, Switch transformers, 2022, equations 4 and 6",
    shapes=("base 1", "size N, T", "input f[N], p[N, T], alpha[]"),
    sizes={"N": 3},
    output="loss",
    f=lambda r: uniform(r, 3),
    p=lambda r: uniform(r, 3, 5),
    alpha=lambda r: 0.01,
)
def switch_balancing(f, p, alpha):
    loss = 0.0
    N, T = p.shape
    for i in range(N):
        P = 0.0
        for x in range(T):
            P += p[i, x] / T
        loss += alpha * N * f[i] * P
    return loss


@formula(
    r"""
To define the Tversky loss function we use the following formulation:
\begin{equation}
T(\alpha, \beta) = \frac{\sum\limits_{i=1}^N p_{0i}g_{0i}}{\sum\limits_{i=1}^N p_{0i}g_{0i} + \alpha\sum\limits_{i=1}^N p_{0i}g_{1i} + \beta\sum\limits_{i=1}^N p_{1i}g_{0i}}
\end{equation}
where in the output of the softmax layer, the $p_{0i}$ is the probability of voxel $i$ be a lesion and $p_{1i}$ is the probability of voxel $i$ be a non-lesion. Also, $g_{0i}$ is 1 for a lesion voxel and 0 for a non-lesion voxel and vice versa for the $g_{1i}$.
""",
    source="Salehi, Erdogmus, Gholipour, Tversky loss function for image segmentation, 2017, equation 2",
    shapes=("size N", "input p[2, N], g[2, N], alpha[], beta[]"),
    sizes={"N": 5},
    output="T",
    p=lambda r: uniform(r, 2, 5),
    g=lambda r: uniform(r, 2, 5),
    alpha=lambda r: 0.3,
    beta=lambda r: 0.7,
)
def tversky_index(p, g, alpha, beta):
    a = b = c = 0.0
    for i in range(p.shape[1]):
        a += p[0, i] * g[0, i]
        b += p[0, i] * g[1, i]
        c += p[1, i] * g[0, i]
    return a / (a + alpha * b + beta * c)


@formula(
    r"""
We denote $Z = [z_1, \dots, z_n]$ and $Z' = [z'_1, \dots, z'_n]$ the two batches composed of $n$ vectors of dimension $d$.
We define the covariance matrix of $Z$ as:
\begin{equation}
    C(Z) = \frac{1}{n - 1} \sum_{i=1}^{n} (z_{i} - \bar{z}) (z_{i} - \bar{z})^{T}, \;\;\;\;  \textrm{where}\;\;\;\; \bar{z} = \frac{1}{n} \sum_{i=1}^{n} z_{i}.
\end{equation}
Inspired by Barlow Twins, we can then define the covariance regularization term $c$ as the sum of the squared off-diagonal coefficients of $C(Z)$, with a factor $1/d$ that scales the criterion as a function of the dimension:
\begin{equation}
    c(Z) = \frac{1}{d} \sum_{i \ne j} [C(Z)]_{i,j}^{2}.
\label{eq:covariance}
\end{equation}
""",
    source="Bardes, Ponce, LeCun, VICReg, 2022, equations 3 and 4",
    shapes=("base 1", "size n, d", "input z[n, d]"),
    sizes={"n": 5},
    output="c",
    z=lambda r: normal(r, 5, 3),
)
def vicreg_covariance(z):
    n, d = z.shape
    m = np.zeros(d)
    c = 0.0
    for i in range(n):
        for a in range(d):
            m[a] += z[i, a] / n
    for a in range(d):
        for b in range(d):
            if a != b:
                c += (sum((z[i, a] - m[a]) * (z[i, b] - m[b]) for i in range(n)) / (n - 1)) ** 2 / d
    return c


@formula(
    r"""
\documentclass[10pt,conference]{IEEEtran}
\usepackage{amsmath}
\begin{document}
In this work we propose a novel objective function based on dice coefficient, which is a quantity ranging between 0 and 1 which we aim to maximise. The dice coefficient $D$ between two binary volumes can be written as
\[
D=\frac{2\sum_{i}^{N}p_{i}g_{i}}{\sum_{i}^{N}p_{i}^{2}+\sum_{i}^{N}g_{i}^{2}}
\]
where the sums run over the $N$ voxels, of the predicted binary segmentation volume $p_i \in P$ and the ground truth binary volume $g_i \in G$.
\end{document}
""",
    source="Milletari, Navab, Ahmadi, V-Net, 2016, section 3",
    shapes=("base 1", "size N", "input p[N], g[N]"),
    sizes={"N": 6},
    output="D",
    p=lambda r: uniform(r, 6),
    g=lambda r: (r.random(6) < 0.5) + 0.0,
)
def vnet_dice(p, g):
    a = b = c = 0.0
    for i in range(len(p)):
        a += p[i] * g[i]
        b += p[i] ** 2
        c += g[i] ** 2
    return 2 * a / (b + c)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The von Mises equivalent stress is
\begin{equation}
\sigma_{\mathrm{v}} = \sqrt{\tfrac{3}{2}\, s_{ij} s_{ij}}\,,
\end{equation}
in which
\begin{equation}
s_{ij} = \sigma_{ij} - \tfrac{1}{3} \sigma_{kk} \delta_{ij}
\end{equation}
are the components of the stress deviator; summation over repeated indices is understood.
\end{document}
""",
    source="von Mises, Mechanik der festen Koerper im plastisch-deformablen Zustand, 1913; as in Simo, Hughes, Computational inelasticity",
    shapes=("einstein", "input sigma[3, 3]"),
    output="sigma_v",
    sigma=lambda r: normal(r, 3, 3),
)
def von_mises_stress(sigma):
    tr = sigma[0, 0] + sigma[1, 1] + sigma[2, 2]
    t = 0.0
    for i in range(3):
        for j in range(3):
            s = sigma[i, j] - (tr / 3 if i == j else 0)
            t += s * s
    return np.sqrt(1.5 * t)
