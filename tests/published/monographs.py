"""Formulas of numerical mathematics, signals, retrieval and economics."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{siamltex}
\usepackage{amsmath}
\newcommand{\dsum}{\displaystyle\sum_{j=0}^n}
\begin{document}
If we define the \emph{barycentric weights} by
\begin{equation}
w_j = \frac{1}{\prod_{k \neq j} (x_j - x_k)}, \qquad j = 0, \dots, n,
\end{equation}
then
\begin{equation}
p(x) = \frac{\dsum \frac{w_j}{x - x_j} f_j}{\dsum \frac{w_j}{x - x_j}} .
\end{equation}
This is the \emph{second} (\emph{true}) \emph{form of the barycentric formula}.
\end{document}
""",
    source="Berrut, Trefethen, Barycentric Lagrange interpolation, 2004, equations 3.2 and 4.2",
    shapes=("size n", "input x[n + 1], f[n + 1]"),
    sizes={"n": 3},
    output="p",
    x_q=lambda r: 0.37,
    x=lambda r: np.arange(4.0) + 0.3 * uniform(r, 4),
    f=lambda r: normal(r, 4),
)
def barycentric_interpolation(x_q, x, f):
    a = b = 0.0
    for j in range(len(x)):
        w = 1.0
        for k in range(len(x)):
            if k != j:
                w /= x[j] - x[k]
        a += w / (x_q - x[j]) * f[j]
        b += w / (x_q - x[j])
    return a / b


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
Given control points $\bm{b}_0, \bm{b}_1, \ldots, \bm{b}_n \in \mathbb{E}^3$, the B\'ezier curve of degree $n$ in terms of Bernstein polynomials is
\begin{equation}
\bm{b}(t) = \sum_{i=0}^{n} \bm{b}_i B_i^n(t), \qquad B_i^n(t) = \binom{n}{i} t^i (1-t)^{n-i} .
\end{equation}
\end{document}
""",
    source="Farin, Curves and surfaces for computer aided geometric design, 1993",
    shapes=("size n", "input b[n + 1, 3], t[]"),
    sizes={"n": 3},
    output="b_total",
    b=lambda r: normal(r, 4, 3),
    t=lambda r: 0.3,
)
def bezier_curve(b, t):
    from math import comb

    n = len(b) - 1
    p = np.zeros(3)
    for i in range(n + 1):
        for d in range(3):
            p[d] += b[i, d] * comb(n, i) * t**i * (1 - t) ** (n - i)
    return p


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The information content of position $i$ of the sites is
\begin{equation}
I_{\rm seq}(i) = \sum_{b} f_{b,i} \log_2 \frac{f_{b,i}}{p_b} ,
\end{equation}
where $i$ is the position within the site, $b$ refers to each of the possible bases, $f_{b,i}$ is the observed frequency of each base at that position and $p_b$ is the frequency of base $b$ in the entire genome.
\end{document}
""",
    source="Stormo, DNA binding sites: representation and discovery, 2000, equation 1",
    shapes=("size W", "input f[4, W], p[4]"),
    output="I_seq",
    f=lambda r: uniform(r, 4, 5),
    p=lambda r: uniform(r, 4),
)
def binding_site_information(f, p):
    I = np.zeros(f.shape[1])
    for i in range(len(I)):
        for b in range(4):
            I[i] += f[b, i] * np.log2(f[b, i] / p[b])
    return I


@formula(
    r"""
\documentclass{book}
\begin{document}
The Black--Scholes--Merton formula for the price of a European call option on a non-dividend-paying stock is
\begin{equation}
c = S_0 N(d_1) - K e^{-rT} N(d_2)
\end{equation}
where
\begin{eqnarray*}
d_1 & = & \frac{\ln (S_0/K) + (r + \sigma^2/2) T}{\sigma \sqrt{T}} \\
d_2 & = & d_1 - \sigma \sqrt{T}
\end{eqnarray*}
The function $N(x) = \frac{1}{2} \left[ 1 + \mathrm{erf} (x / \sqrt{2}) \right]$ is the cumulative probability distribution function for a standardized normal distribution.
\end{document}
""",
    source="Black, Scholes, The pricing of options and corporate liabilities, 1973; as in Hull, Options, futures, and other derivatives",
    shapes=("input S_0[], K[], r[], T[], sigma[]",),
    output="c",
    S_0=lambda r: 1.1,
    K=lambda r: 1.0,
    r=lambda r: 0.05,
    T=lambda r: 0.7,
    sigma=lambda r: 0.3,
)
def black_scholes_again(S_0, K, r, T, sigma):
    from math import erf, exp, log, sqrt

    N = lambda x: 0.5 * (1 + erf(x / sqrt(2)))
    d1 = (log(S_0 / K) + (r + sigma**2 / 2) * T) / (sigma * sqrt(T))
    d2 = d1 - sigma * sqrt(T)
    return S_0 * N(d1) - K * exp(-r * T) * N(d2)


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\docf}{\mbox{df}}
\newcommand{\termf}{\mbox{tf}}
\begin{document}
We can improve on the simplest score by factoring in the frequency of each term and document length:
\begin{equation}
\mbox{RSV}_d = \sum_{t\in q} \log \left[ \frac{N}{\docf_t} \right] \cdot \frac{(k_1 + 1) \termf_{td}}{k_1((1-b) + b \times (L_d/L_{\mathrm{ave}})) + \termf_{td}}
\end{equation}
Here, $\termf_{td}$ is the frequency of term $t$ in document $d$, and $L_d$ and $L_{\mathrm{ave}}$ are the length of document $d$ and the average document length for the whole collection.
\end{document}
""",
    source="Manning, Raghavan, Schuetze, Introduction to information retrieval, 2008, equation 11.32",
    shapes=("size T, N", "input df[T], tf[T, N], L[N], L_ave[], k_1[], b[]"),
    sizes={"N": 4},
    df=lambda r: uniform(r, 3),
    tf=lambda r: uniform(r, 3, 4),
    L=lambda r: uniform(r, 4),
    L_ave=lambda r: 1.1,
    k_1=lambda r: 1.5,
    b=lambda r: 0.75,
)
def bm25_rsv(df, tf, L, L_ave, k_1, b):
    T, N = tf.shape
    out = np.zeros(N)
    for d in range(N):
        for t in range(T):
            out[d] += (
                np.log(N / df[t])
                * (k_1 + 1)
                * tf[t, d]
                / (k_1 * (1 - b + b * (L[d] / L_ave)) + tf[t, d])
            )
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\noindent A bond with annual coupon $C$ and face value $F$ that matures in $T$ years sells at the price
\[ P = \sum_{t=1}^{T} \frac{C}{(1+y)^t} + \frac{F}{(1+y)^T}, \]
$y$ being its yield. Its Macaulay duration is
\[ D = \frac{1}{P} \left[ \sum_{t=1}^{T} \frac{t\,C}{(1+y)^t} + \frac{T\,F}{(1+y)^T} \right]. \]
\end{document}
""",
    source="Macaulay, Some theoretical problems suggested by the movements of interest rates, 1938",
    shapes=("base 1", "size T", "input C[], y[], F[]"),
    sizes={"T": 5},
    output="D",
    C=lambda r: 0.06,
    y=lambda r: 0.04,
    F=lambda r: 1.0,
)
def bond_duration(C, y, F):
    T = 5
    P = F / (1 + y) ** T
    D = T * F / (1 + y) ** T
    for t in range(1, T + 1):
        P += C / (1 + y) ** t
        D += t * C / (1 + y) ** t
    return D / P


@formula(
    r"""
The Bray--Curtis dissimilarity between samples $j$ and $k$ over $p$ species is
$$
BC_{jk} = \frac{\sum_{i=1}^{p} | N_{ij} - N_{ik} |}{\sum_{i=1}^{p} (N_{ij} + N_{ik})}
$$
where $N_{ij}$ is the number of individuals of species $i$ in sample $j$.
""",
    source="Bray, Curtis, An ordination of upland forest communities of southern Wisconsin, 1957",
    shapes=("base 1", "size p, S", "input N[p, S]"),
    sizes={"p": 4},
    output="BC",
    N=lambda r: uniform(r, 4, 3),
)
def bray_curtis(N):
    p, S = N.shape
    out = np.zeros((S, S))
    for j in range(S):
        for k in range(S):
            a = b = 0.0
            for i in range(p):
                a += abs(N[i, j] - N[i, k])
                b += N[i, j] + N[i, k]
            out[j, k] = a / b
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The two-dimensional moments of a digital image $f(x,y)$ are
\begin{equation}
m_{pq} = \sum_x \sum_y x^p y^q f(x,y), \qquad p, q = 0, 1, 2, 3,
\end{equation}
and the central moments
\begin{equation}
\mu_{pq} = \sum_x \sum_y (x - \bar{x})^p (y - \bar{y})^q f(x,y), \qquad p, q = 0, 1, 2, 3,
\end{equation}
where $\bar{x} = m_{10}/m_{00}$ and $\bar{y} = m_{01}/m_{00}$.
\end{document}
""",
    source="Hu, Visual pattern recognition by moment invariants, 1962; as in Gonzalez, Woods, Digital image processing",
    shapes=("size H, W", "input f[H, W]"),
    output="mu",
    f=lambda r: uniform(r, 3, 4),
)
def central_moments(f):
    H, W = f.shape
    a = b = c = 0.0
    mu = np.zeros((4, 4))
    for x in range(H):
        for y in range(W):
            a += f[x, y]
            b += x * f[x, y]
            c += y * f[x, y]
    for p in range(4):
        for q in range(4):
            for x in range(H):
                for y in range(W):
                    mu[p, q] += (x - b / a) ** p * (y - c / a) ** q * f[x, y]
    return mu


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The model can be generalized to any number of species competing against each other. If there are $N$ species, then this becomes
\begin{equation}
\frac{dx_i}{dt} = r_i x_i \left( 1 - \frac{\sum_{j=1}^N \alpha_{ij} x_j}{K_i} \right)
\end{equation}
or, if the carrying capacity is pulled into the interaction matrix (this doesn't actually change the equations, only how the interaction matrix is defined), the $K_i$ are dropped.
\end{document}
""",
    source="Hofbauer, Sigmund, The theory of evolution and dynamical systems, 1988; as an encyclopedia prints it",
    shapes=("base 1", "size N", "input r[N], x[N], alpha[N, N], K[N]"),
    sizes={"N": 3},
    output="dx_dt",
    r=lambda r: uniform(r, 3),
    x=lambda r: uniform(r, 3),
    alpha=lambda r: uniform(r, 3, 3),
    K=lambda r: uniform(r, 3) + 1,
)
def competitive_lotka_volterra(r, x, alpha, K):
    out = np.zeros(3)
    for i in range(3):
        out[i] = r[i] * x[i] * (1 - sum(alpha[i, j] * x[j] for j in range(3)) / K[i])
    return out


@formula(
    r"""
On the unit interval $[0,1]$, given a starting point $\boldsymbol{p}_0$ at $t=0$ and an ending point $\boldsymbol{p}_1$ at $t=1$ with starting tangent $\boldsymbol{m}_0$ at $t=0$ and ending tangent $\boldsymbol{m}_1$ at $t=1$, the polynomial can be defined by
$$
\boldsymbol{p}(t) = \left(2t^3 - 3t^2 + 1\right) \boldsymbol{p}_0 + \left(t^3 - 2t^2 + t\right) \boldsymbol{m}_0 + \left(-2t^3 + 3t^2\right) \boldsymbol{p}_1 + \left(t^3 - t^2\right) \boldsymbol{m}_1,
$$
where $t \in [0, 1]$.
""",
    source="Hermite interpolation as in Farin, Curves and surfaces, and an encyclopedia",
    shapes=("size d", "input t[], p_0[d], m_0[d], p_1[d], m_1[d]"),
    output="p",
    t=lambda r: 0.3,
    p_0=lambda r: normal(r, 3),
    m_0=lambda r: normal(r, 3),
    p_1=lambda r: normal(r, 3),
    m_1=lambda r: normal(r, 3),
)
def cubic_hermite(t, p_0, m_0, p_1, m_1):
    out = np.zeros(3)
    for i in range(3):
        out[i] = (
            (2 * t**3 - 3 * t**2 + 1) * p_0[i]
            + (t**3 - 2 * t**2 + t) * m_0[i]
            + (-2 * t**3 + 3 * t**2) * p_1[i]
            + (t**3 - t**2) * m_1[i]
        )
    return out


@formula(
    r"""
An alternative formulation of DCG places stronger emphasis on retrieving relevant documents:
$$\mathrm{DCG_{p}} = \sum_{i=1}^{p} \frac{ 2^{rel_{i}} - 1 }{ \log_{2}(i+1)}$$
where $rel_{i}$ is the graded relevance of the result at position $i$.
""",
    source="Burges et al., Learning to rank using gradient descent, 2005; as an encyclopedia prints it",
    shapes=("base 1", "size p", "input rel[p]"),
    sizes={"p": 5},
    output="DCG_p",
    rel=lambda r: np.floor(r.uniform(0, 4, 5)) + 1,
)
def dcg(rel):
    s = 0.0
    for i in range(1, len(rel) + 1):
        s += (2 ** rel[i - 1] - 1) / np.log2(i + 1)
    return s


@formula(
    r"""
We fit the yield curve using the three-factor model,
\begin{equation}
y_t(\tau) = \beta_{1t} + \beta_{2t} \left( \frac{1 - e^{-\lambda_t \tau}}{\lambda_t \tau} \right) + \beta_{3t} \left( \frac{1 - e^{-\lambda_t \tau}}{\lambda_t \tau} - e^{-\lambda_t \tau} \right).
\end{equation}
""",
    source="Diebold, Li, Forecasting the term structure of government bond yields, 2006, equation 2",
    shapes=("base 1", "size T", "input beta[3, T], lambda[T], tau[]"),
    output="y",
    beta=lambda r: normal(r, 3, 4),
    lambda_=lambda r: uniform(r, 4),
    tau=lambda r: 1.7,
)
def diebold_li_again(beta, lambda_, tau):
    y = np.zeros(beta.shape[1])
    for t in range(len(y)):
        z = lambda_[t] * tau
        a = (1 - np.exp(-z)) / z
        y[t] = beta[0, t] + beta[1, t] * a + beta[2, t] * (a - np.exp(-z))
    return y


@formula(
    r"""
An FIR filter of length $M$ with input $x(n)$ and output $y(n)$ is described by the difference equation
\begin{equation}
y(n) = \sum_{k=0}^{M-1} b_k\, x(n-k), \qquad n = M-1, M, \ldots, N-1,
\end{equation}
where $\{b_k\}$ is the set of filter coefficients and $x(0), \ldots, x(N-1)$ are the samples at hand.
""",
    source="Proakis, Manolakis, Digital signal processing, 1996, equation 8.2.1 on finite data",
    shapes=("size M, N", "input b[M], x[N]"),
    sizes={"M": 3, "N": 7},
    output="y",
    b=lambda r: normal(r, 3),
    x=lambda r: normal(r, 7),
)
def fir_filter(b, x):
    M, N = (len(b), len(x))
    y = []
    for n in range(M - 1, N):
        y.append(sum(b[k] * x[n - k] for k in range(M)))
    return np.array(y)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
On the grid with spacing $h$, where $u_{0,j}$, $u_{m+1,j}$, $u_{i,0}$ and $u_{i,m+1}$ hold the boundary data, the five-point Laplacian is
\begin{equation}
\left( \Delta_h u \right)_{i,j} = \frac{1}{h^2} \left( u_{i-1,j} + u_{i+1,j} + u_{i,j-1} + u_{i,j+1} - 4 u_{i,j} \right), \qquad 1 \leq i, j \leq m.
\end{equation}
\end{document}
""",
    source="LeVeque, Finite difference methods for ordinary and partial differential equations, 2007, equation 3.10",
    shapes=("base 0", "size m", "input u[m + 2, m + 2], h[]"),
    sizes={"m": 3},
    output="Delta_h_u",
    u=lambda r: normal(r, 5, 5),
    h=lambda r: 0.5,
)
def five_point_laplacian(u, h):
    m = len(u) - 2
    out = np.zeros((m, m))
    for i in range(1, m + 1):
        for j in range(1, m + 1):
            out[i - 1, j - 1] = (
                u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
            ) / h**2
    return out


@formula(
    r"""
\documentclass[12pt]{article}
\usepackage{setspace}
\begin{document}
The Gini coefficient of the incomes $y_1, y_2, \ldots, y_n$ is exactly one-half of the relative mean difference:
\begin{eqnarray*}
G & = & \frac{1}{2 n^2 \mu} \sum_{i=1}^{n} \sum_{j=1}^{n} |y_i - y_j| ,
\end{eqnarray*}
where $\mu = \frac{1}{n} \sum_{i=1}^{n} y_i$ is the mean income.
\end{document}
""",
    source="Sen, On economic inequality, 1973, equation 2.8.1",
    shapes=("base 1", "size n", "input y[n]"),
    sizes={"n": 5},
    output="G",
    y=lambda r: uniform(r, 5),
)
def gini_coefficient(y):
    n = len(y)
    s = 0.0
    for i in range(n):
        for j in range(n):
            s += abs(y[i] - y[j])
    return s / (2 * n * sum(y))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Define world nominal income by $y^{W} \equiv \sum_j y_j$ and income shares by $\theta_j \equiv y_j / y^{W}$. This yields
\begin{equation}
x_{ij} = \frac{y_i y_j}{y^{W}} \left( \frac{t_{ij}}{\Pi_i P_j} \right)^{1-\sigma},
\end{equation}
where
\begin{equation}
\Pi_i \equiv \left( \sum_j (t_{ij}/P_j)^{1-\sigma} \theta_j \right)^{1/(1-\sigma)} .
\end{equation}
\end{document}
""",
    source="Anderson, van Wincoop, Gravity with gravitas, 2003, equations 9 and 10",
    shapes=("size N", "input y[N], t[N, N], P[N], sigma[]"),
    output="x",
    y=lambda r: uniform(r, 3),
    t=lambda r: uniform(r, 3, 3) + 1,
    P=lambda r: uniform(r, 3),
    sigma=lambda r: 5.0,
)
def gravity_of_trade(y, t, P, sigma):
    N = len(y)
    W = sum(y)
    x = np.zeros((N, N))
    for i in range(N):
        s = 0.0
        for j in range(N):
            s += (t[i, j] / P[j]) ** (1 - sigma) * y[j] / W
        Pi = s ** (1 / (1 - sigma))
        for j in range(N):
            x[i, j] = y[i] * y[j] / W * (t[i, j] / (Pi * P[j])) ** (1 - sigma)
    return x


@formula(
    r"""
\documentclass{article}
\begin{document}
The Hamming window of length $M$ is
\[
w(n) = 0.54 - 0.46 \cos \frac{2\pi n}{M-1}, \quad 0 \leq n \leq M-1 .
\]
\end{document}
""",
    source="Proakis, Manolakis, Digital signal processing, 1996, table 8.1",
    shapes=("size M",),
    sizes={"M": 6},
    output="w",
)
def hamming_window():
    return np.array([0.54 - 0.46 * np.cos(2 * np.pi * n / 5) for n in range(6)])


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath,amssymb}
\begin{document}
Let $v \in \mathbb{R}^m$ be nonzero. An $m$-by-$m$ matrix $P$ of the form
\begin{equation}
P = I - \beta v v^T, \qquad \beta = \frac{2}{v^T v} \tag{5.1.1}
\end{equation}
is a \emph{Householder reflection}.
\end{document}
""",
    source="Golub, Van Loan, Matrix computations, 2013, equation 5.1.1",
    shapes=("size m", "input v[m]", "$P \\in \\mathbb{R}^{m \\times m}$"),
    output="P",
    v=lambda r: normal(r, 4),
)
def householder_reflector(v):
    m = len(v)
    b = 0.0
    P = np.zeros((m, m))
    for i in range(m):
        b += v[i] * v[i]
    for i in range(m):
        for j in range(m):
            P[i, j] = (1.0 if i == j else 0.0) - 2 / b * v[i] * v[j]
    return P


@formula(
    r"""
\documentclass{acmsiggraph}
\newcommand{\n}{\mathbf{n}}
\begin{document}
Since we are considering order $l \leq 2$, the irradiance can simply be viewed as a quadratic polynomial of the coordinates of the (normalized) surface normal. Hence, with $\n^t = (x\ y\ z\ 1)$, we can write
\begin{equation}
E(\n) = \n^t M \n .
\end{equation}
$M$ is a symmetric $4 \times 4$ matrix.
\end{document}
""",
    source="Ramamoorthi, Hanrahan, An efficient representation for irradiance environment maps, 2001, equation 11",
    shapes=("input n[4], M[4, 4]",),
    output="E",
    n=lambda r: normal(r, 4),
    M=lambda r: normal(r, 4, 4),
)
def irradiance_quadratic(n, M):
    E = 0.0
    for i in range(4):
        for j in range(4):
            E += n[i] * M[i, j] * n[j]
    return E


@formula(
    r"""
Suppose that there are $N$ data points $h_i \equiv h(t_i)$, $i = 1, \ldots, N$. First find the mean and variance of the data by the usual formulas,
\begin{equation}
\bar{h} \equiv \frac{1}{N} \sum_{1}^{N} h_i \qquad \sigma^2 \equiv \frac{1}{N-1} \sum_{1}^{N} (h_i - \bar{h})^2
\end{equation}
Now, the Lomb normalized periodogram (spectral power as a function of angular frequency $\omega \equiv 2\pi f > 0$) is
\begin{equation}
P_N(\omega) \equiv \frac{1}{2\sigma^2} \left\{ \frac{\left[ \sum_j (h_j - \bar{h}) \cos \omega(t_j - \tau) \right]^2}{\sum_j \cos^2 \omega (t_j - \tau)} + \frac{\left[ \sum_j (h_j - \bar{h}) \sin \omega(t_j - \tau) \right]^2}{\sum_j \sin^2 \omega (t_j - \tau)} \right\}
\end{equation}
Here $\tau$ is an offset that makes $P_N(\omega)$ completely independent of shifting all the $t_i$'s by any constant.
""",
    source="Press et al., Numerical recipes, 1992, equations 13.8.3 and 13.8.4",
    shapes=("base 1", "size N", "input h[N], t[N], omega[], tau[]"),
    sizes={"N": 6},
    output="P_N",
    h=lambda r: normal(r, 6),
    t=lambda r: np.cumsum(uniform(r, 6)),
    omega=lambda r: 0.8,
    tau=lambda r: 0.25,
)
def lomb_scargle(h, t, omega, tau):
    N = len(h)
    m = sum(h) / N
    v = sum((x - m) ** 2 for x in h) / (N - 1)
    a = b = c = s = 0.0
    for j in range(N):
        p = omega * (t[j] - tau)
        a += (h[j] - m) * np.cos(p)
        b += (h[j] - m) * np.sin(p)
        c += np.cos(p) ** 2
        s += np.sin(p) ** 2
    return (a * a / c + b * b / s) / (2 * v)


@formula(
    r"""
The MDCT transforms the $2N$ real numbers $x_0, \ldots, x_{2N-1}$ into the $N$ real numbers $X_0, \ldots, X_{N-1}$ according to the formula
\begin{equation}
X_k = \sum_{n=0}^{2N-1} x_n \cos \left[\frac{\pi}{N} \left(n+\frac{1}{2}+\frac{N}{2}\right) \left(k+\frac{1}{2}\right) \right]
\end{equation}
""",
    source="Princen, Johnson, Bradley, Subband/transform coding using filter bank designs based on time domain aliasing cancellation, 1987",
    shapes=("size N", "input x[2*N]", "$X \\in \\mathbb{R}^{N}$"),
    sizes={"N": 3},
    output="X",
    x=lambda r: normal(r, 6),
)
def mdct(x):
    N = len(x) // 2
    X = np.zeros(N)
    for k in range(N):
        for n in range(2 * N):
            X[k] += x[n] * np.cos(np.pi / N * (n + 0.5 + N / 2) * (k + 0.5))
    return X


@formula(
    r"""
\documentclass{article}
\begin{document}
Based on a distance matrix relating the $n$ taxa, calculate the $n \times n$ matrix $Q$ as follows:
\begin{equation}
Q(i,j)=(n-2)d(i,j)-\sum_{k=1}^n d(i,k) - \sum_{k=1}^n d(j,k)
\label{eq:Q}
\end{equation}
where $d(i,j)$ is the distance between taxa $i$ and $j$.
\end{document}
""",
    source="Saitou, Nei, The neighbor-joining method, 1987; Studier, Keppler, 1988",
    shapes=("base 1", "size n", "input d[n, n]"),
    sizes={"n": 4},
    output="Q",
    d=lambda r: uniform(r, 4, 4),
)
def neighbor_joining(d):
    n = len(d)
    Q = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            Q[i, j] = (n - 2) * d[i, j]
            for k in range(n):
                Q[i, j] -= d[i, k] + d[j, k]
    return Q


@formula(
    r"""
\documentclass{llncs}
\usepackage{amsmath,amssymb}
\newcommand{\expo}[1]{\exp\left(#1\right)}
\newcommand{\cola}{\mathbf{c}}
\newcommand{\ray}{\mathbf{r}}
\begin{document}
We use these samples to estimate $C(\ray)$ with the quadrature rule discussed in the volume rendering review by Max:
\begin{equation}
  \hat{C}(\ray)=\sum_{i=1}^{N}T_i (1-\expo{-\sigma_i \delta_i}) \cola_i \, , \textrm{ where } T_i=\expo{- \sum_{j=1}^{i-1} \sigma_j \delta_j} \, ,
  \label{eqn:riemann}
\end{equation}
where $\delta_i = t_{i+1}-t_i$ is the distance between adjacent samples. This function for calculating $\hat{C}(\ray)$ from the set of $(\cola_i, \sigma_i)$ values is trivially differentiable.
\end{document}
""",
    source="Mildenhall et al., NeRF, 2020, equation 3",
    shapes=("base 1", "size N", "input sigma[N], t[N + 1], c[N, 3]"),
    sizes={"N": 4},
    output="C_hat",
    sigma=lambda r: uniform(r, 4),
    t=lambda r: np.cumsum(uniform(r, 5)),
    c=lambda r: uniform(r, 4, 3),
)
def nerf_quadrature(sigma, t, c):
    C = np.zeros(3)
    acc = 0.0
    for i in range(len(sigma)):
        d = t[i + 1] - t[i]
        for a in range(3):
            C[a] += np.exp(-acc) * (1 - np.exp(-sigma[i] * d)) * c[i, a]
        acc += sigma[i] * d
    return C


@formula(
    r"""
The Phong reflection model provides an equation for computing the illumination of each surface point $I_\text{p}$:
\begin{align}
I_\text{p} = k_\text{a} i_\text{a} + \sum_{m\;\in\;\text{lights}} \left(k_\text{d} (\hat{L}_m \cdot \hat{N}) i_{m,\text{d}} + k_\text{s} (\hat{R}_m \cdot \hat{V})^{\alpha} i_{m,\text{s}}\right),
\end{align}
where the direction vector $\hat{R}_m$ is calculated as the reflection of $\hat{L}_m$ on the surface characterized by the surface normal $\hat{N}$ using
\begin{align}
\hat{R}_m = 2(\hat{L}_m \cdot \hat{N})\hat{N} - \hat{L}_m.
\end{align}
""",
    source="Phong, Illumination for computer generated pictures, 1975; as an encyclopedia prints it",
    shapes=(
        "size M",
        "input k_a[], i_a[], k_d[], L_hat[M, 3], N_hat[3], i_d[M], k_s[], V_hat[3], alpha[], i_s[M]",
    ),
    output="I_p",
    k_a=lambda r: 0.3,
    i_a=lambda r: 0.8,
    k_d=lambda r: 0.6,
    L_hat=lambda r: normal(r, 4, 3),
    N_hat=lambda r: normal(r, 3),
    i_d=lambda r: uniform(r, 4),
    k_s=lambda r: 0.5,
    V_hat=lambda r: normal(r, 3),
    alpha=lambda r: 3.0,
    i_s=lambda r: uniform(r, 4),
)
def phong_reflection(k_a, i_a, k_d, L_hat, N_hat, i_d, k_s, V_hat, alpha, i_s):
    I = k_a * i_a
    for m in range(len(i_d)):
        ln = sum(L_hat[m, a] * N_hat[a] for a in range(3))
        rv = sum((2 * ln * N_hat[a] - L_hat[m, a]) * V_hat[a] for a in range(3))
        I += k_d * ln * i_d[m] + k_s * rv**alpha * i_s[m]
    return I


@formula(
    r"""
Under the model, the portfolio return variance is
\begin{equation}
\sigma_p^2 = \sum_i w_i^2 \sigma_i^2 + \sum_i \sum_{j \ne i} w_i w_j \sigma_i \sigma_j \rho_{ij},
\end{equation}
where $\sigma_i$ is the (sample) standard deviation of the periodic returns on asset $i$, and $\rho_{ij}$ is the correlation coefficient between the returns on assets $i$ and $j$.
""",
    source="Markowitz, Portfolio selection, 1952; as an encyclopedia prints it",
    shapes=("size N", "input w[N], sigma[N], rho[N, N]"),
    output="sigma_p_squared",
    w=lambda r: uniform(r, 4),
    sigma=lambda r: uniform(r, 4),
    rho=lambda r: normal(r, 4, 4),
)
def portfolio_variance(w, sigma, rho):
    v = 0.0
    for i in range(4):
        v += w[i] ** 2 * sigma[i] ** 2
        for j in range(4):
            if j != i:
                v += w[i] * w[j] * sigma[i] * sigma[j] * rho[i, j]
    return v


@formula(
    r"""
\documentclass{book}
\begin{document}
Denote by $x_i$ the frequency of strategy $i$. The expected payoff for strategy $i$ is given by
\begin{equation}
f_i(\vec{x}) = \sum_{j=1}^n x_j a_{ij}
\end{equation}
and the average payoff by $\phi(\vec{x}) = \sum_{i=1}^n x_i f_i(\vec{x})$. We obtain
\begin{equation}
\dot{x}_i = x_i \left[ f_i(\vec{x}) - \phi(\vec{x}) \right] \qquad i = 1, \ldots, n
\end{equation}
\end{document}
""",
    source="Nowak, Evolutionary dynamics, 2006, section 4.2",
    shapes=("base 1", "size n", "input x[n], a[n, n]"),
    sizes={"n": 4},
    output="x_dot",
    x=lambda r: uniform(r, 4),
    a=lambda r: normal(r, 4, 4),
)
def replicator_dynamics(x, a):
    n = len(x)
    f = [sum(x[j] * a[i, j] for j in range(n)) for i in range(n)]
    phi = 0.0
    for i in range(n):
        phi += x[i] * f[i]
    return np.array([x[i] * (f[i] - phi) for i in range(n)])


@formula(
    r"""
\documentclass{article}
\usepackage{spconf,amsmath}
\begin{document}
This leads to the following equivalent definitions, in which $s$ is the target and $\hat{s}$ its estimate:
\begin{equation}
\textrm{SI-SDR} = 10 \log_{10} \left( \frac{\| \alpha s \|^2}{\| \alpha s - \hat{s} \|^2} \right) \quad \text{for} \quad \alpha = \frac{\hat{s}^T s}{\|s\|^2}.
\end{equation}
\end{document}
""",
    source="Le Roux, Wisdom, Erdogan, Hershey, SDR: half-baked or well done?, 2019, equation 4",
    shapes=("size T", "input s[T], s_hat[T]"),
    output="SI_SDR",
    s=lambda r: normal(r, 6),
    s_hat=lambda r: normal(r, 6),
)
def si_sdr(s, s_hat):
    a = sum(s_hat[t] * s[t] for t in range(len(s))) / sum(v * v for v in s)
    num = den = 0.0
    for t in range(len(s)):
        num += (a * s[t]) ** 2
        den += (a * s[t] - s_hat[t]) ** 2
    return 10 * np.log10(num / den)


@formula(
    r"""
\documentclass[journal]{IEEEtran}
\usepackage{amsmath}
\begin{document}
The mean intensity and the standard deviation are estimated in discrete form by
\begin{equation}
\mu_x = \frac{1}{N}\sum_{i=1}^{N} x_i, \qquad
\sigma_x = \left( \frac{1}{N-1} \sum_{i=1}^{N} (x_i - \mu_x)^2 \right)^{\frac{1}{2}},
\end{equation}
and likewise
\begin{equation}
\mu_y = \frac{1}{N}\sum_{i=1}^{N} y_i, \qquad
\sigma_y = \left( \frac{1}{N-1} \sum_{i=1}^{N} (y_i - \mu_y)^2 \right)^{\frac{1}{2}},
\end{equation}
and $\sigma_{xy}$ can be estimated as
\begin{equation}
\sigma_{xy} = \frac{1}{N-1} \sum_{i=1}^N (x_i - \mu_x)(y_i - \mu_y).
\end{equation}
This results in a specific form of the SSIM index:
\begin{equation}
\mbox{SSIM}(\mathbf{x}, \mathbf{y}) = \frac{(2\mu_x\mu_y + C_1)(2\sigma_{xy} + C_2)}{(\mu_x^2 + \mu_y^2 + C_1)(\sigma_x^2 + \sigma_y^2 + C_2)}.
\end{equation}
\end{document}
""",
    source="Wang et al., Image quality assessment: from error visibility to structural similarity, 2004, equation 13",
    shapes=("base 1", "size N", "input x[N], y[N], C_1[], C_2[]"),
    sizes={"N": 6},
    output="SSIM",
    x=lambda r: normal(r, 6),
    y=lambda r: normal(r, 6),
    C_1=lambda r: 0.1,
    C_2=lambda r: 0.2,
)
def ssim(x, y, C_1, C_2):
    N = len(x)
    mx = sum(x) / N
    my = sum(y) / N
    vx = vy = c = 0.0
    for i in range(N):
        vx += (x[i] - mx) ** 2 / (N - 1)
        vy += (y[i] - my) ** 2 / (N - 1)
        c += (x[i] - mx) * (y[i] - my) / (N - 1)
    return (2 * mx * my + C_1) * (2 * c + C_2) / ((mx**2 + my**2 + C_1) * (vx + vy + C_2))


@formula(
    r"""
\documentclass{article}
\begin{document}
For discrete signals Kaiser's algorithm is
\begin{equation}
\Psi[x(n)] = x^2(n) - x(n+1)\,x(n-1), \qquad n = 2, \ldots, N-1,
\end{equation}
for the samples $x(1), \ldots, x(N)$; it needs three of them at each instant.
\end{document}
""",
    source="Kaiser, On a simple algorithm to calculate the energy of a signal, 1990",
    shapes=("base 1", "size N", "input x[N]"),
    sizes={"N": 7},
    output="Psi",
    x=lambda r: normal(r, 7),
)
def teager_kaiser(x):
    return np.array([x[n] ** 2 - x[n + 1] * x[n - 1] for n in range(1, len(x) - 1)])


@formula(
    r"""
With $f_k = f(x_k)$ at the equally spaced points $x_0, \dots, x_n$, the composite rule is
\begin{equation}
T_n = h \left[ \tfrac{1}{2} f_0 + f_1 + f_2 + \cdots + f_{n-1} + \tfrac{1}{2} f_n \right] .
\end{equation}
""",
    source="Davis, Rabinowitz, Methods of numerical integration, 1984",
    shapes=("size n", "input f[n + 1], h[]"),
    sizes={"n": 5},
    f=lambda r: normal(r, 6),
    h=lambda r: 0.2,
)
def trapezoidal_rule(f, h):
    s = 0.5 * f[0] + 0.5 * f[-1]
    for k in range(1, len(f) - 1):
        s += f[k]
    return h * s


@formula(
    r"""
\documentclass{book}
\begin{document}
The vector for a document $d_j$ is represented by $\vec{d}_j = (w_{1,j}, w_{2,j}, \ldots, w_{t,j})$, that of the query by $\vec{q} = (w_{1,q}, \ldots, w_{t,q})$. The correlation between the vectors $\vec{d}_j$ and $\vec{q}$ can be quantified, for instance, by the cosine of the angle between these two vectors. That is,
\begin{eqnarray}
sim(d_j, q) & = & \frac{\vec{d}_j \bullet \vec{q}}{|\vec{d}_j| \times |\vec{q}|} \nonumber \\
& = & \frac{\sum_{i=1}^{t} w_{i,j} \times w_{i,q}}{\sqrt{\sum_{i=1}^{t} w_{i,j}^2} \times \sqrt{\sum_{i=1}^{t} w_{i,q}^2}}
\end{eqnarray}
where $|\vec{d}_j|$ and $|\vec{q}|$ are the norms of the document and query vectors.
\end{document}
""",
    source="Baeza-Yates, Ribeiro-Neto, Modern information retrieval, 1999, section 2.5.3",
    shapes=("base 1", "size t, N", "input w[t, N], w_q[t]"),
    sizes={"t": 3},
    output="sim",
    w=lambda r: uniform(r, 3, 4),
    w_q=lambda r: uniform(r, 3),
)
def vector_space_cosine(w, w_q):
    out = np.zeros(w.shape[1])
    for j in range(w.shape[1]):
        a = b = c = 0.0
        for i in range(len(w)):
            a += w[i, j] * w_q[i]
            b += w[i, j] ** 2
            c += w_q[i] ** 2
        out[j] = a / (np.sqrt(b) * np.sqrt(c))
    return out
