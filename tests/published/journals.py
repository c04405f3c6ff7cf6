"""Formulas of genetics, geophysics, robotics and statistics."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
For age classes $i = 1, \ldots, n$ with contact matrix $C$ the number of infectious individuals obeys
\begin{equation}
\frac{\mathrm{d} I_i}{\mathrm{d} t} = \beta S_i \sum_{j=1}^{n} C_{ij} \frac{I_j}{N_j} - \gamma I_i, \qquad N_j = S_j + I_j + R_j .
\end{equation}
""",
    source="Anderson, May, Infectious diseases of humans, 1991; as in Keeling, Rohani",
    shapes=("base 1", "size n", "input beta[], S[n], C[n, n], I[n], gamma[], R[n]"),
    sizes={"n": 3},
    output="dI_dt",
    beta=lambda r: 0.4,
    S=lambda r: uniform(r, 3),
    C=lambda r: uniform(r, 3, 3),
    I=lambda r: uniform(r, 3),
    gamma=lambda r: 0.2,
    R=lambda r: uniform(r, 3),
)
def age_structured_sir(beta, S, C, I, gamma, R):
    out = np.zeros(3)
    for i in range(3):
        for j in range(3):
            out[i] += beta * S[i] * C[i, j] * I[j] / (S[j] + I[j] + R[j])
        out[i] -= gamma * I[i]
    return out


@formula(
    r"""
To measure how well the model agrees with the data, we use the chi-square merit function, which in this case is
\begin{equation}
\chi^2(a, b) = \sum_{i=0}^{N-1} \left( \frac{y_i - a - b x_i}{\sigma_i} \right)^2
\end{equation}
""",
    source="Press et al., Numerical recipes, 2007, equation 15.2.2",
    shapes=("size N", "input y[N], a[], b[], x[N], sigma[N]"),
    sizes={"N": 5},
    output="chi_squared",
    y=lambda r: normal(r, 5),
    a=lambda r: 0.3,
    b=lambda r: -0.7,
    x=lambda r: normal(r, 5),
    sigma=lambda r: uniform(r, 5),
)
def chi_square_line(y, a, b, x, sigma):
    s = 0.0
    for i in range(len(y)):
        s += ((y[i] - a - b * x[i]) / sigma[i]) ** 2
    return s


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\newcommand{\bx}{\mathbf{x}}
\newcommand{\bepsilon}{{\boldsymbol{\epsilon}}}
\begin{document}
A notable property of the forward process is that it admits sampling $\bx_t$ at an arbitrary timestep $t$ in closed form: using the notation $\alpha_t \coloneqq 1-\beta_t$ and $\bar\alpha_t \coloneqq \prod_{s=1}^t \alpha_s$, we have
\begin{align}
  \bx_t(\bx_0, \bepsilon) = \sqrt{\bar\alpha_t}\bx_0 + \sqrt{1-\bar\alpha_t}\bepsilon, \qquad t = 1, \dotsc, T.
\end{align}
\end{document}
""",
    source="Ho, Jain, Abbeel, Denoising diffusion probabilistic models, 2020, equations 4 and 9",
    shapes=("base 1", "size T, D", "input beta[T], x_0[D], epsilon[D]"),
    sizes={"T": 4},
    output="x",
    beta=lambda r: 0.3 * uniform(r, 4),
    x_0=lambda r: normal(r, 3),
    epsilon=lambda r: normal(r, 3),
)
def ddpm_forward(beta, x_0, epsilon):
    out = np.zeros((len(beta), 3))
    a = 1.0
    for t in range(len(beta)):
        a *= 1 - beta[t]
        for d in range(3):
            out[t, d] = np.sqrt(a) * x_0[d] + np.sqrt(1 - a) * epsilon[d]
    return out


@formula(
    r"""
\documentclass{asr}
\begin{document}
\noindent The index of dissimilarity is
$$D = \frac{1}{2} \sum_{i=1}^{N} \left| \frac{a_i}{A} - \frac{b_i}{B} \right|$$
where $a_i$ and $b_i$ are the populations of the two groups in the $i$th area, and $A = \sum_{i=1}^{N} a_i$ and $B = \sum_{i=1}^{N} b_i$ their totals in the city.
\end{document}
""",
    source="Duncan, Duncan, A methodological analysis of segregation indexes, 1955",
    shapes=("base 1", "size N", "input a[N], b[N]"),
    sizes={"N": 5},
    output="D",
    a=lambda r: uniform(r, 5),
    b=lambda r: uniform(r, 5),
)
def dissimilarity_index(a, b):
    A = sum(a)
    B = sum(b)
    D = 0.0
    for i in range(len(a)):
        D += 0.5 * abs(a[i] / A - b[i] / B)
    return D


@formula(
    r"""
\documentclass{now}
\usepackage{amsmath,amssymb}
\newcommand{\eqdef}{\stackrel{\textup{\tiny def.}}{=}}
\renewcommand{\P}{\mathbf{P}}
\newcommand{\HP}{\mathbf{H}}
\newcommand{\C}{\mathbf{C}}
\newcommand{\dotp}[2]{\langle #1,\,#2\rangle}
\begin{document}
The discrete entropy of a coupling matrix is defined as
\begin{equation}
\HP(\P) \eqdef -\sum_{i,j} \P_{i,j} (\log(\P_{i,j}) - 1),
\end{equation}
and the regularized objective reads
\begin{equation}
\mathcal{E}(\P) \eqdef \dotp{\P}{\C} - \varepsilon \HP(\P).
\end{equation}
\end{document}
""",
    source="Peyre, Cuturi, Computational optimal transport, 2019, equations 4.1 and 4.2",
    shapes=("size n, m", "input P[n, m], C[n, m], varepsilon[]"),
    output="E",
    P=lambda r: uniform(r, 3, 4),
    C=lambda r: normal(r, 3, 4),
    varepsilon=lambda r: 0.2,
)
def entropic_transport(P, C, varepsilon):
    E = 0.0
    for i in range(3):
        for j in range(4):
            E += P[i, j] * C[i, j] + varepsilon * P[i, j] * (np.log(P[i, j]) - 1)
    return E


@formula(
    r"""
The blocking probability of $m$ identical parallel resources under the normalised ingress load $E$ in erlang is
\begin{equation}
P_b = B(E,m) = \frac{\frac{E^m}{m!}}{\sum_{i=0}^m \frac{E^i}{i!}}
\end{equation}
""",
    source="Erlang, Solution of some problems in the theory of probabilities of significance in automatic telephone exchanges, 1917; as an encyclopedia prints it",
    shapes=("size m", "input E[]"),
    sizes={"m": 4},
    output="P_b",
    E=lambda r: 2.3,
)
def erlang_b(E):
    from math import factorial

    s = 0.0
    for i in range(5):
        s += E**i / factorial(i)
    return E**4 / factorial(4) / s


@formula(
    r"""
Let $N$ be the total number of subjects, let $n$ be the number of ratings per subject, and let $k$ be the number of categories into which assignments are made. Let $n_{ij}$ represent the number of raters who assigned the $i$-th subject to the $j$-th category. First calculate $p_j$, the proportion of all assignments which were to the $j$-th category:
\begin{equation}
p_{j} = \frac{1}{N n} \sum_{i=1}^N n_{ij}
\end{equation}
and the mean of the extents to which raters agree,
\begin{equation}
\bar{P} = \frac{1}{N n (n-1)} \left( \sum_{i=1}^N \sum_{j=1}^k n_{ij}^2 - N n \right).
\end{equation}
Then
\begin{equation}
\kappa = \frac{\bar{P} - \bar{P}_e}{1 - \bar{P}_e}, \qquad \bar{P}_e = \sum_{j=1}^k p_{j}^2 .
\end{equation}
""",
    source="Fleiss, Measuring nominal scale agreement among many raters, 1971; as an encyclopedia prints it",
    shapes=("base 1", "size N, k", "input n_ij[N, k], n[]"),
    sizes={"N": 4, "k": 3},
    output="kappa",
    n_ij=lambda r: np.array([[3.0, 1, 0], [0, 4, 0], [2, 1, 1], [1, 1, 2]]),
    n=lambda r: 4.0,
)
def fleiss_kappa(n_ij, n):
    N, k = n_ij.shape
    P = 0.0
    Pe = 0.0
    for j in range(k):
        p = sum(n_ij[i, j] for i in range(N)) / (N * n)
        Pe += p * p
        for i in range(N):
            P += n_ij[i, j] ** 2
    P = (P - N * n) / (N * n * (n - 1))
    return (P - Pe) / (1 - Pe)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\mat}[1]{\mathbf{#1}}
\begin{document}
Subtraction of $\mat{P}$ from $\mat{M}$ gives $\mat{Z}$, which is the incidence matrix for markers with mean allele effects set to 0. The genomic relationship matrix $\mat{G}$ can be obtained as
\begin{equation}
\mat{G} = \frac{\mat{Z}\mat{Z}'}{2 \sum p_i (1 - p_i)} , \quad\text{where}\quad \mat{Z} = \mat{M} - \mat{P}.
\end{equation}
Column $i$ of $\mat{P}$ is $2(p_i - 0.5)$.
\end{document}
""",
    source="VanRaden, Efficient methods to compute genomic predictions, 2008",
    shapes=("size n, m", "input M[n, m], P[n, m], p[m]"),
    output="G",
    M=lambda r: normal(r, 3, 4),
    P=lambda r: normal(r, 3, 4),
    p=lambda r: 0.6 * uniform(r, 4),
)
def genomic_relationship(M, P, p):
    n, m = M.shape
    G = np.zeros((n, n))
    s = 0.0
    for i in range(m):
        s += 2 * p[i] * (1 - p[i])
    for a in range(n):
        for b in range(n):
            for i in range(m):
                G[a, b] += (M[a, i] - P[a, i]) * (M[b, i] - P[b, i]) / s
    return G


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\half}{\tfrac{1}{2}}
\begin{document}
The Lagrangian strain tensor has the components
\begin{equation}
E_{IJ} = \half \left( F_{iI} F_{iJ} - \delta_{IJ} \right)
\end{equation}
in terms of the deformation gradient $F_{iI}$, with a sum over the repeated lower-case index.
\end{document}
""",
    source="Belytschko, Liu, Moran, Nonlinear finite elements for continua and structures, 2000, equation 3.3.1",
    shapes=("einstein", "input F[3, 3]"),
    output="E",
    F=lambda r: normal(r, 3, 3),
)
def green_lagrange_strain(F):
    E = np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            for i in range(3):
                E[a, b] += 0.5 * F[i, a] * F[i, b]
            if a == b:
                E[a, b] -= 0.5
    return E


@formula(
    r"""
Let $p(i,j)$ be the $(i,j)$th entry in a normalized gray-tone spatial-dependence matrix and $N_g$ the number of distinct gray levels. With the marginals $p_x(i) = \sum_{j=1}^{N_g} p(i,j)$ and $p_y(j) = \sum_{i=1}^{N_g} p(i,j)$, and
\begin{align}
\mu_x &= \sum_{i=1}^{N_g} i\, p_x(i), & \sigma_x^2 &= \sum_{i=1}^{N_g} (i - \mu_x)^2 p_x(i), \\
\mu_y &= \sum_{j=1}^{N_g} j\, p_y(j), & \sigma_y^2 &= \sum_{j=1}^{N_g} (j - \mu_y)^2 p_y(j),
\end{align}
the correlation feature is
\begin{equation}
f_3 = \frac{\sum_{i} \sum_{j} (ij)\, p(i,j) - \mu_x \mu_y}{\sigma_x \sigma_y} .
\end{equation}
""",
    source="Haralick, Shanmugam, Dinstein, Textural features for image classification, 1973",
    shapes=("base 1", "size N_g", "input p[N_g, N_g]"),
    sizes={"N_g": 4},
    output="f_3",
    p=lambda r: (lambda a: a / a.sum())(uniform(r, 4, 4)),
)
def haralick_correlation(p):
    G = len(p)
    mx = my = s = vx = vy = 0.0
    for i in range(G):
        for j in range(G):
            mx += (i + 1) * p[i, j]
            my += (j + 1) * p[i, j]
            s += (i + 1) * (j + 1) * p[i, j]
    for i in range(G):
        for j in range(G):
            vx += (i + 1 - mx) ** 2 * p[i, j]
            vy += (j + 1 - my) ** 2 * p[i, j]
    return (s - mx * my) / np.sqrt(vx * vy)


@formula(
    r"""
For any two points on a sphere of radius $r$ with latitudes $\varphi_1, \varphi_2$ and longitudes $\lambda_1, \lambda_2$ the great-circle distance is
\[
d = 2r \arcsin\left(\sqrt{\sin^2\left(\frac{\varphi_2 - \varphi_1}{2}\right) + \cos\varphi_1 \cdot \cos\varphi_2 \cdot \sin^2\left(\frac{\lambda_2 - \lambda_1}{2}\right)}\right).
\]
""",
    source="Sinnott, Virtues of the haversine, 1984",
    shapes=("input r[], varphi_1[], varphi_2[], lambda_1[], lambda_2[]",),
    output="d",
    r=lambda r: 2.0,
    varphi_1=lambda r: 0.3,
    varphi_2=lambda r: 0.9,
    lambda_1=lambda r: -0.4,
    lambda_2=lambda r: 0.8,
)
def haversine(r, varphi_1, varphi_2, lambda_1, lambda_2):
    from math import asin, cos, sin, sqrt

    return (
        2
        * r
        * asin(
            sqrt(
                sin((varphi_2 - varphi_1) / 2) ** 2
                + cos(varphi_1) * cos(varphi_2) * sin((lambda_2 - lambda_1) / 2) ** 2
            )
        )
    )


@formula(
    r"""
\documentclass{article}
\begin{document}
The combined surface and atmospheric reflectance of the Earth is computed with the following formula:
\[
\rho_{\lambda} = \frac{\pi \cdot L_{\lambda} \cdot d^2}{\mathrm{ESUN}_{\lambda} \cdot \cos \theta_s}
\]
where $\lambda$ runs over the bands, $d$ is the Earth--Sun distance in astronomical units and $\theta_s$ the solar zenith angle.
\end{document}
""",
    source="NASA, Landsat 7 science data users handbook, equation 11.2",
    shapes=("size B", "input L[B], d[], ESUN[B], theta_s[]"),
    output="rho",
    L=lambda r: uniform(r, 4),
    d=lambda r: 1.01,
    ESUN=lambda r: uniform(r, 4) + 1,
    theta_s=lambda r: 0.6,
)
def landsat_reflectance(L, d, ESUN, theta_s):
    return np.array([np.pi * L[i] * d * d / (ESUN[i] * np.cos(theta_s)) for i in range(len(L))])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The clustering coefficient of vertex $i$ is the fraction of pairs of its neighbours that are connected,
\begin{equation}
C_i = \frac{1}{k_i (k_i - 1)} \sum_{j,h=1}^{N} a_{ij}\, a_{jh}\, a_{hi}, \qquad k_i = \sum_{j=1}^{N} a_{ij},
\end{equation}
$a_{ij}$ being the adjacency matrix.
\end{document}
""",
    source="Watts, Strogatz, 1998; as in Rubinov, Sporns, Complex network measures of brain connectivity, 2010",
    shapes=("base 1", "size N", "input a[N, N]"),
    sizes={"N": 5},
    output="C",
    a=lambda r: 1 + uniform(r, 5, 5),
)
def local_clustering(a):
    N = len(a)
    C = np.zeros(N)
    for i in range(N):
        k = sum(a[i, j] for j in range(N))
        for j in range(N):
            for h in range(N):
                C[i] += a[i, j] * a[j, h] * a[h, i] / (k * (k - 1))
    return C


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\reals}{\mathbf{R}}
\begin{document}
We choose $u_0, u_1, \ldots, u_{N-1} \in \reals^m$ to minimize the quadratic cost
\[
J(U) = \sum_{\tau=0}^{N-1} \left( x_\tau^T Q x_\tau + u_\tau^T R u_\tau \right) + x_N^T Q_f x_N
\]
where $U = (u_0, \ldots, u_{N-1})$, and $Q = Q^T \geq 0$, $Q_f = Q_f^T \geq 0$, $R = R^T > 0$ are given \emph{state cost}, \emph{final state cost}, and \emph{input cost} matrices.
\end{document}
""",
    source="Boyd, Lecture notes for EE363, Linear quadratic regulator, 2009",
    shapes=("base 0", "size N, d, m", "input x[N + 1, d], Q[d, d], u[N, m], R[m, m], Q_f[d, d]"),
    sizes={"N": 3},
    output="J",
    x=lambda r: normal(r, 4, 2),
    Q=lambda r: normal(r, 2, 2),
    u=lambda r: normal(r, 3, 2),
    R=lambda r: normal(r, 2, 2),
    Q_f=lambda r: normal(r, 2, 2),
)
def lqr_cost(x, Q, u, R, Q_f):
    J = 0.0
    N = len(u)
    for t in range(N):
        for a in range(2):
            for b in range(2):
                J += x[t, a] * Q[a, b] * x[t, b] + u[t, a] * R[a, b] * u[t, b]
    for a in range(2):
        for b in range(2):
            J += x[N, a] * Q_f[a, b] * x[N, b]
    return J


@formula(
    r"""
\documentclass[pnas]{article}
\begin{document}
The modularity is
\begin{equation}
Q = \frac{1}{2m} \sum_{i,j} \left[ A_{ij} - \frac{k_i k_j}{2m} \right] \delta(c_i, c_j),
\end{equation}
where $A_{ij}$ represents the weight of the edge between $i$ and $j$, $k_i = \sum_j A_{ij}$ is the sum of the weights of the edges attached to vertex $i$, $c_i$ is the community to which vertex $i$ is assigned, the $\delta$-function $\delta(u,v)$ is 1 if $u = v$ and 0 otherwise and $m = \frac{1}{2} \sum_{ij} A_{ij}$.
\end{document}
""",
    source="Newman, Girvan, 2004; Blondel et al., Fast unfolding of communities in large networks, 2008, equation 1",
    shapes=("size N", "input A[N, N], c[N]"),
    output="Q",
    A=lambda r: uniform(r, 5, 5),
    c=lambda r: np.array([0.0, 1, 0, 2, 1]),
)
def modularity_again(A, c):
    N = len(c)
    m = A.sum() / 2
    Q = 0.0
    k = [sum(A[i, j] for j in range(N)) for i in range(N)]
    for i in range(N):
        for j in range(N):
            if c[i] == c[j]:
                Q += (A[i, j] - k[i] * k[j] / (2 * m)) / (2 * m)
    return Q


@formula(
    r"""
Moran's $I$ is defined as
\begin{equation}
I = \frac{n}{S_0} \cdot \frac{\displaystyle\sum_{i=1}^n \sum_{j=1}^n w_{ij} (y_i - \bar{y})(y_j - \bar{y})}{\displaystyle\sum_{i=1}^n (y_i - \bar{y})^2} ,
\qquad S_0 = \sum_{i=1}^n \sum_{j=1}^n w_{ij},
\end{equation}
with $\bar y = \sum_{i=1}^n y_i / n$.
""",
    source="Moran, Notes on continuous stochastic phenomena, 1950; Cliff, Ord, 1981",
    shapes=("base 1", "size n", "input w[n, n], y[n]"),
    sizes={"n": 4},
    output="I",
    w=lambda r: uniform(r, 4, 4),
    y=lambda r: normal(r, 4),
)
def moran_index(w, y):
    n = len(y)
    m = sum(y) / n
    a = b = S = 0.0
    for i in range(n):
        b += (y[i] - m) ** 2
        for j in range(n):
            a += w[i, j] * (y[i] - m) * (y[j] - m)
            S += w[i, j]
    return n / S * a / b


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The nonlinear forcing term is chosen as
\begin{equation}
f(x) = \frac{\sum_{i=1}^{N} \Psi_i(x) w_i}{\sum_{i=1}^{N} \Psi_i(x)}\, x (g - y_0)
\label{eqn:fx}
\end{equation}
with $N$ exponential basis functions $\Psi_i(x)$,
\begin{equation}
\Psi_i(x) = \exp\left( -\frac{1}{2\sigma_i^2} (x - c_i)^2 \right),
\end{equation}
where $\sigma_i$ and $c_i$ are constants that determine, respectively, the width and centers of the basis functions and $y_0$ is the initial state $y_0 = y(t=0)$.
\end{document}
""",
    source="Ijspeert et al., Dynamical movement primitives, 2013, equations 2.3 and 2.4",
    shapes=("base 1", "size N", "input w[N], x[], g[], y_0[], sigma[N], c[N]"),
    sizes={"N": 4},
    output="f",
    w=lambda r: normal(r, 4),
    x=lambda r: 0.6,
    g=lambda r: 1.4,
    y_0=lambda r: 0.2,
    sigma=lambda r: uniform(r, 4),
    c=lambda r: normal(r, 4),
)
def movement_primitive(w, x, g, y_0, sigma, c):
    a = b = 0.0
    for i in range(len(w)):
        p = np.exp(-((x - c[i]) ** 2) / (2 * sigma[i] ** 2))
        a += p * w[i]
        b += p
    return a / b * x * (g - y_0)


@formula(
    r"""
\documentclass{agujournal}
\usepackage{amsmath}
\begin{document}
The efficiency is calculated as one minus the ratio of the error variance of the modeled time-series divided by the variance of the observed time-series,
\begin{equation}
\mathrm{NSE} = 1 - \frac{\sum_{t=1}^{T} \left( Q_o^t - Q_m^t \right)^2}{\sum_{t=1}^{T} \left( Q_o^t - \overline{Q}_o \right)^2}
\end{equation}
where $\overline{Q}_o = \frac{1}{T} \sum_{t=1}^{T} Q_o^t$ is the mean of observed discharges, $Q_m^t$ is modeled discharge at time $t$, and $Q_o^t$ is observed discharge at time $t$.
\end{document}
""",
    source="Nash, Sutcliffe, River flow forecasting through conceptual models, 1970; as an encyclopedia prints it",
    shapes=("upper", "base 1", "size T", "input Q_o[T], Q_m[T]"),
    sizes={"T": 6},
    output="NSE",
    Q_o=lambda r: normal(r, 6),
    Q_m=lambda r: normal(r, 6),
)
def nash_sutcliffe_again(Q_o, Q_m):
    m = sum(Q_o) / len(Q_o)
    a = b = 0.0
    for t in range(len(Q_o)):
        a += (Q_o[t] - Q_m[t]) ** 2
        b += (Q_o[t] - m) ** 2
    return 1 - a / b


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For a solution of $N$ components the activity coefficient of any component $i$ is given by
\begin{equation}
\ln \gamma_i = \frac{\sum_{j=1}^N \tau_{ji} G_{ji} x_j}{\sum_{l=1}^N G_{li} x_l} + \sum_{j=1}^N \frac{x_j G_{ij}}{\sum_{l=1}^N G_{lj} x_l} \left( \tau_{ij} - \frac{\sum_{r=1}^N x_r \tau_{rj} G_{rj}}{\sum_{l=1}^N G_{lj} x_l} \right)
\end{equation}
where
\begin{equation}
G_{ji} = \exp(-\alpha_{ji} \tau_{ji}).
\end{equation}
\end{document}
""",
    source="Renon, Prausnitz, Local compositions in thermodynamic excess functions for liquid mixtures, 1968, equations 24 and 25",
    shapes=("base 1", "size N", "input tau[N, N], x[N], alpha[N, N]"),
    sizes={"N": 3},
    output="log_gamma",
    tau=lambda r: normal(r, 3, 3),
    x=lambda r: uniform(r, 3),
    alpha=lambda r: 0.3 * uniform(r, 3, 3),
)
def nrtl_activity(tau, x, alpha):
    N = len(x)
    out = np.zeros(N)
    G = np.exp(-alpha * tau)
    den = [sum(G[l, j] * x[l] for l in range(N)) for j in range(N)]
    for i in range(N):
        for j in range(N):
            out[i] += tau[j, i] * G[j, i] * x[j] / den[i]
            out[i] += (
                x[j]
                * G[i, j]
                / den[j]
                * (tau[i, j] - sum(x[r] * tau[r, j] * G[r, j] for r in range(N)) / den[j])
            )
    return out


@formula(
    r"""
The mixture parameters used are defined by the mixing rules
\begin{eqnarray}
a & = & \sum_i \sum_j x_i x_j a_{ij} \\
a_{ij} & = & (1 - \delta_{ij})\, a_i^{1/2} a_j^{1/2}
\end{eqnarray}
In the last equation, $\delta_{ij}$ is an empirically determined binary interaction coefficient characterizing the binary formed by component $i$ and component $j$.
""",
    source="Peng, Robinson, A new two-constant equation of state, 1976, equations 20 and 22",
    shapes=("size N", "input delta[N, N], x[N]"),
    output="a",
    x=lambda r: uniform(r, 3),
    delta=lambda r: 0.1 * normal(r, 3, 3),
    a_i=lambda r: uniform(r, 3),
)
def peng_robinson_mixing(x, delta, a_i):
    a = 0.0
    for i in range(3):
        for j in range(3):
            a += x[i] * x[j] * (1 - delta[i, j]) * np.sqrt(a_i[i]) * np.sqrt(a_i[j])
    return a


@formula(
    r"""
\documentclass[conference]{IEEEtran}
\usepackage{amsmath,amssymb,bm}
\newcommand{\vecb}[1]{\bm{#1}}
\newcommand{\tr}{^{\mathsf{T}}}
\begin{document}
Given $N$ correspondences $(\vecb{p}_i, \vecb{q}_i)$ with normals $\vecb{n}_i$ at $\vecb{q}_i$, all in $\mathbb{R}^3$, the point-to-plane error is
\begin{equation}
E(\vecb{R}, \vecb{t}) = \sum_{i=1}^{N} \left( \left( \vecb{R} \vecb{p}_i + \vecb{t} - \vecb{q}_i \right)\tr \vecb{n}_i \right)^2
\end{equation}
with $\vecb{R} \in SO(3)$.
\end{document}
""",
    source="Chen, Medioni, Object modelling by registration of multiple range images, 1992; as in reviews of ICP",
    shapes=("base 1", "size N", "input R[3, 3], p[N, 3], t[3], q[N, 3], n[N, 3]"),
    sizes={"N": 4},
    output="E",
    R=lambda r: normal(r, 3, 3),
    p=lambda r: normal(r, 4, 3),
    t=lambda r: normal(r, 3),
    q=lambda r: normal(r, 4, 3),
    n=lambda r: normal(r, 4, 3),
)
def point_to_plane_icp(R, p, t, q, n):
    E = 0.0
    for i in range(len(p)):
        s = 0.0
        for a in range(3):
            s += (sum(R[a, b] * p[i, b] for b in range(3)) + t[a] - q[i, a]) * n[i, a]
        E += s * s
    return E


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
Letting $\mathbf{K}$ denote the $3 \times 3$ ``cross-product matrix'' of the unit vector $\mathbf{k}$, the rotation matrix through an angle $\theta$ counterclockwise about the axis $\mathbf{k}$ is
\begin{equation}
\mathbf{R} = \mathbf{I} + (\sin\theta) \mathbf{K} + (1-\cos\theta) \mathbf{K}^2
\end{equation}
\end{document}
""",
    source="Rodrigues, 1840; as in Murray, Li, Sastry, A mathematical introduction to robotic manipulation, and an encyclopedia",
    shapes=("input K[3, 3], theta[]",),
    output="R",
    K=lambda r: normal(r, 3, 3),
    theta=lambda r: 0.7,
)
def rodrigues_rotation(K, theta):
    R = np.eye(3)
    for i in range(3):
        for j in range(3):
            R[i, j] += np.sin(theta) * K[i, j]
            for k in range(3):
                R[i, j] += (1 - np.cos(theta)) * K[i, k] * K[k, j]
    return R


@formula(
    r"""
The scalar moment is defined in terms of the moment tensor $\mathbf{M}$ as
\begin{displaymath}
M_0 = \frac{1}{\sqrt{2}} \left( \sum_{ij} M_{ij}^2 \right)^{1/2}
\end{displaymath}
""",
    source="Silver, Jordan, Optimal estimation of scalar seismic moment, 1982",
    shapes=("input M[3, 3]",),
    output="M_0",
    M=lambda r: normal(r, 3, 3),
)
def scalar_moment(M):
    s = 0.0
    for i in range(3):
        for j in range(3):
            s += M[i, j] ** 2
    return np.sqrt(s / 2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
After moveout correction the semblance of $M$ channels $f_{i,j}$ in a gate of $2L+1$ samples centred at $k$ is
\begin{equation}
S_k = \frac{\displaystyle\sum_{j=k-L}^{k+L} \left( \sum_{i=1}^{M} f_{i,j} \right)^2}{M \displaystyle\sum_{j=k-L}^{k+L} \sum_{i=1}^{M} f_{i,j}^2}, \qquad k = L+1, \ldots, T-L .
\end{equation}
\end{document}
""",
    source="Neidell, Taner, Semblance and other coherency measures for multichannel data, 1971, equation 8",
    shapes=("base 1", "size M, T", "size L = 1", "input f[M, T]"),
    sizes={"M": 3, "L": 1},
    output="S",
    f=lambda r: normal(r, 3, 7),
)
def semblance(f):
    M, T = f.shape
    L = 1
    out = []
    for k in range(L, T - L):
        a = b = 0.0
        for j in range(k - L, k + L + 1):
            a += sum(f[i, j] for i in range(M)) ** 2
            b += sum(f[i, j] ** 2 for i in range(M))
        out.append(a / (M * b))
    return np.array(out)


@formula(
    r"""
\documentclass{elsart}
\begin{document}
SAM determines the similarity of an unknown spectrum $t$ to a reference spectrum $r$, by applying the following equation,
\[
\alpha = \cos^{-1} \left( \frac{\displaystyle \sum_{i=1}^{nb} t_i r_i}{\left( \displaystyle \sum_{i=1}^{nb} t_i^2 \right)^{1/2} \left( \displaystyle \sum_{i=1}^{nb} r_i^2 \right)^{1/2}} \right)
\]
where $nb$ equals the number of bands in the image.
\end{document}
""",
    source="Kruse et al., The spectral image processing system, 1993, equation 2",
    shapes=("base 1", "size nb", "input t[nb], r[nb]"),
    sizes={"nb": 5},
    output="alpha",
    t=lambda r: uniform(r, 5),
    r=lambda r: uniform(r, 5),
)
def spectral_angle_mapper(t, r):
    a = b = c = 0.0
    for i in range(len(t)):
        a += t[i] * r[i]
        b += t[i] ** 2
        c += r[i] ** 2
    return np.arccos(a / (np.sqrt(b) * np.sqrt(c)))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The spherical model with nugget $c_0$, sill $c_0 + c_1$ and range $a$ is
\begin{equation}
\gamma(h) = \begin{cases}
0 & h = 0, \\
c_0 + c_1 \left[ \dfrac{3}{2} \dfrac{h}{a} - \dfrac{1}{2} \left( \dfrac{h}{a} \right)^3 \right] & 0 < h \le a, \\
c_0 + c_1 & h > a.
\end{cases}
\label{eq:sph}
\end{equation}
With \eqref{eq:sph} the entries of the kriging matrix are
\begin{equation}
\Gamma_{ij} = \gamma\bigl( \lVert \mathbf{s}_i - \mathbf{s}_j \rVert \bigr), \qquad i, j = 1, \ldots, n,
\end{equation}
for the locations $\mathbf{s}_1, \ldots, \mathbf{s}_n \in \mathbb{R}^2$.
\end{document}
""",
    source="Cressie, Statistics for spatial data, 1993, section 2.3",
    shapes=("base 1", "size n", "input s[n, 2], c_0[], c_1[], a[]"),
    sizes={"n": 5},
    output="Gamma",
    s=lambda r: normal(r, 5, 2),
    c_0=lambda r: 0.1,
    c_1=lambda r: 0.9,
    a=lambda r: 1.5,
)
def spherical_variogram(s, c_0, c_1, a):
    n = len(s)
    G = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            h = np.sqrt((s[i, 0] - s[j, 0]) ** 2 + (s[i, 1] - s[j, 1]) ** 2)
            if 0 < h <= a:
                G[i, j] = c_0 + c_1 * (1.5 * h / a - 0.5 * (h / a) ** 3)
            elif h > a:
                G[i, j] = c_0 + c_1
    return G


@formula(
    r"""
\documentclass[aps,prl,twocolumn]{revtex4}
\begin{document}
The energetically relevant local environment is determined by a cutoff function $f_c$ of the interatomic distance $R_{ij}$,
\begin{equation}
f_c(R_{ij}) = \left\{ \begin{array}{ll}
0.5 \times \left[ \cos\left( \frac{\pi R_{ij}}{R_c} \right) + 1 \right] & \mbox{for} \ R_{ij} \leq R_c, \\
0 & \mbox{for} \ R_{ij} > R_c.
\end{array} \right.
\end{equation}
Radial symmetry functions are constructed as a sum of Gaussians with the parameters $\eta$ and $R_s$,
\begin{equation}
G_i^1 = \sum_{j \neq i}^{\rm all} e^{-\eta (R_{ij} - R_s)^2} f_c(R_{ij}) .
\end{equation}
\end{document}
""",
    source="Behler, Parrinello, Generalized neural-network representation of high-dimensional potential-energy surfaces, 2007, equations 3 and 4",
    shapes=("size N", "input R[N, N], R_c[], eta[], R_s[]"),
    output="G_1",
    R=lambda r: uniform(r, 4, 4),
    R_c=lambda r: 1.2,
    eta=lambda r: 2.0,
    R_s=lambda r: 0.4,
)
def symmetry_function_again(R, R_c, eta, R_s):
    G = np.zeros(4)
    for i in range(4):
        for j in range(4):
            if j != i and R[i, j] <= R_c:
                G[i] += (
                    np.exp(-eta * (R[i, j] - R_s) ** 2) * 0.5 * (np.cos(np.pi * R[i, j] / R_c) + 1)
                )
    return G


@formula(
    r"""
\documentclass[man]{apa6}
\usepackage{amsmath}
\begin{document}
In the three-parameter logistic model the probability of a correct response of person $i$ to item $j$ is
\begin{equation}
P_{ij} = c_j + (1 - c_j) \frac{e^{1.7 a_j (\theta_i - b_j)}}{1 + e^{1.7 a_j (\theta_i - b_j)}} ,
\end{equation}
where $a_j$, $b_j$ and $c_j$ are the discrimination, the difficulty and the pseudo-guessing parameter of the item.
\end{document}
""",
    source="Birnbaum, 1968; as in Lord, Applications of item response theory to practical testing problems, 1980, equation 2-1",
    shapes=("size n, J", "input c[J], a[J], theta[n], b[J]"),
    output="P",
    c=lambda r: 0.2 * uniform(r, 3),
    a=lambda r: uniform(r, 3),
    theta=lambda r: normal(r, 4),
    b=lambda r: normal(r, 3),
)
def three_parameter_irt(c, a, theta, b):
    P = np.zeros((4, 3))
    for i in range(4):
        for j in range(3):
            P[i, j] = c[j] + (1 - c[j]) / (1 + np.exp(-1.7 * a[j] * (theta[i] - b[j])))
    return P


@formula(
    r"""
\documentclass[prb]{revtex4-2}
\begin{document}
In the Voigt approximation the shear modulus of the polycrystal follows from the $6\times 6$ matrix of the elastic constants $C_{ij}$ as
\begin{equation}
G_V = \frac{1}{15} \left[ C_{11} + C_{22} + C_{33} - (C_{12} + C_{13} + C_{23}) + 3 (C_{44} + C_{55} + C_{66}) \right] .
\end{equation}
\end{document}
""",
    source="Hill, The elastic behaviour of a crystalline aggregate, 1952",
    shapes=("base 1", "input C[6, 6]"),
    output="G_V",
    C=lambda r: uniform(r, 6, 6),
)
def voigt_bulk_modulus(C):
    s = 0.0
    for i in range(3):
        s += C[i, i] + 3 * C[i + 3, i + 3]
    return (s - C[0, 1] - C[0, 2] - C[1, 2]) / 15


@formula(
    r"""
\documentclass{gji}
\begin{document}
For a plane wave with slowness direction $\mathbf{n}$ the Christoffel matrix of an anisotropic medium is
\begin{equation}
\Gamma_{ik} = \frac{1}{\rho}\, c_{ijkl}\, n_j n_l ,
\end{equation}
where $c_{ijkl}$ are the elastic moduli and $\rho$ is the density. Einstein's summation convention applies.
\end{document}
""",
    source="Cerveny, Seismic ray theory, 2001, equation 2.2.19",
    shapes=("einstein", "input c[3, 3, 3, 3], n[3], rho[]"),
    output="Gamma",
    c=lambda r: normal(r, 3, 3, 3, 3),
    n=lambda r: normal(r, 3),
    rho=lambda r: 1.7,
)
def wave_christoffel(c, n, rho):
    G = np.zeros((3, 3))
    for i, j, k, l in np.ndindex(3, 3, 3, 3):
        G[i, k] += c[i, j, k, l] * n[j] * n[l] / rho
    return G
