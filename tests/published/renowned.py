"""Formulas that many documents repeat, each with the sentence around it."""

from __future__ import annotations

from math import cos, exp, log, pi

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
\mathrm{FL}(p_{\mathrm{t}}) = -\alpha_{\mathrm{t}} (1 - p_{\mathrm{t}})^\gamma \log (p_{\mathrm{t}}).
\end{equation}
where
\begin{equation}
p_{\mathrm{t}} = \begin{cases} p & \text{if } y = 1\\ 1 - p & \text{otherwise,} \end{cases}
\end{equation}
""",
    source="Lin et al., Focal loss, 2017, equations (2) and (5)",
    p=lambda r: 0.3,
    y=lambda r: 1.0,
    alpha_t="",
    gamma="",
)
def focal1(p, y, alpha_t, gamma):
    return -alpha_t * (1 - p) ** gamma * np.log(p) if True else 0


FOCAL_SKIP = None


@formula(
    r"""
\begin{equation}
\mathrm{FiLM}(\mathbf{F}_{i,c} | \gamma_{i,c}, \beta_{i,c}) = \gamma_{i,c} \mathbf{F}_{i,c} + \beta_{i,c}.
\end{equation}
""",
    source="Perez et al., FiLM, 2018",
    gamma="3 4",
    F="3 4",
    beta="3 4",
)
def film(gamma, F, beta):
    return gamma * F + beta


@formula(
    r"""
\begin{equation}
\mathcal{L}_C = \frac{1}{2} \sum_{i=1}^{m} \| \boldsymbol{x}_i - \boldsymbol{c}_{y_i} \|_2^2
\end{equation}
""",
    source="Wen et al., A discriminative feature learning approach, 2016",
    shapes=("input x[m, d], c[K, d], y[m]: index",),
    x="4 3",
    c="5 3",
    y=lambda r: np.array([1, 2, 5, 1]),
)
def center_loss(x, c, y):
    return 0.5 * sum(((x[i] - c[y[i] - 1]) ** 2).sum() for i in range(4))


@formula(
    r"""
\begin{equation}
L_3 = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{e^{s(\cos(\theta_{y_i} + m))}}{e^{s(\cos(\theta_{y_i}+m))} + \sum_{j=1, j\neq y_i}^{n} e^{s \cos\theta_j}}.
\end{equation}
""",
    source="Deng et al., ArcFace, 2019, equation (3)",
    shapes=("input y[N]: index, theta[n]",),
    y=lambda r: np.array([1, 2, 5, 1]),
    theta="5",
    s="",
    m="",
)
def arcface(y, theta, s, m):
    t = 0
    for i in range(4):
        k = y[i] - 1
        e = exp(s * cos(theta[k] + m))
        t += log(e / (e + sum(exp(s * cos(theta[j])) for j in range(5) if j != k)))
    return -t / 4


@formula(
    r"""
\begin{equation}
G_i^4 = 2^{1-\zeta} \sum_{j,k \neq i}^{\text{all}} (1 + \lambda \cos\theta_{ijk})^\zeta \cdot e^{-\eta (R_{ij}^2 + R_{ik}^2 + R_{jk}^2)} \cdot f_c(R_{ij}) \cdot f_c(R_{ik}) \cdot f_c(R_{jk})
\end{equation}
with
\begin{equation}
f_c(R_{ij}) = \begin{cases} 0.5 \cdot \left[ \cos\left( \frac{\pi R_{ij}}{R_c} \right) + 1 \right] & \text{for } R_{ij} \leq R_c \\ 0 & \text{for } R_{ij} > R_c. \end{cases}
\end{equation}
""",
    source="Behler, Atom-centered symmetry functions, 2011",
    shapes=("input theta[N, N, N], R[N, N]",),
    zeta="",
    theta="3 3 3",
    eta="",
    R="3 3",
    R_c="",
    **{"lambda": ""},
)
def angular(zeta, theta, eta, R, R_c, **o):
    strength = o["lambda"]

    def f(r):
        return 0.5 * (cos(pi * r / R_c) + 1) if r <= R_c else 0

    return np.array(
        [
            2 ** (1 - zeta)
            * sum(
                (1 + strength * cos(theta[i, j, k])) ** zeta
                * exp(-eta * (R[i, j] ** 2 + R[i, k] ** 2 + R[j, k] ** 2))
                * f(R[i, j])
                * f(R[i, k])
                * f(R[j, k])
                for j in range(3)
                for k in range(3)
                if j != i and k != i
            )
            for i in range(3)
        ]
    )


@formula(
    r"""
The four-index transformation is
\begin{equation}
(pq|rs) = \sum_{\mu\nu\lambda\sigma} C_{\mu p} C_{\nu q} C_{\lambda r} C_{\sigma s} (\mu\nu|\lambda\sigma)
\end{equation}
""",
    source="Szabo and Ostlund, Modern quantum chemistry, 1982",
    C="3 2",
    g="3 3 3 3",
)
def four_index(C, g):
    return np.einsum("ap,bq,cr,ds,abcd->pqrs", C, C, C, C, g)


@formula(
    r"""
\begin{equation}
F(u,v) = \frac{1}{4} C(u) C(v) \left[ \sum_{x=0}^{7} \sum_{y=0}^{7} f(x,y) \cos\frac{(2x+1)u\pi}{16} \cos\frac{(2y+1)v\pi}{16} \right]
\end{equation}
where: $C(u), C(v) = 1/\sqrt{2}$ for $u, v = 0$; $C(u), C(v) = 1$ otherwise.
""",
    source="Wallace, The JPEG still picture compression standard, 1992",
    shapes=(r"$F \in \mathbb{R}^{8 \times 8}$", "input f[8, 8], C[8]"),
    f="8 8",
    C="8",
)
def jpeg(f, C):
    def c(u):
        return C[u]

    return np.array(
        [
            [
                0.25
                * c(u)
                * c(v)
                * sum(
                    f[x, y] * cos((2 * x + 1) * u * pi / 16) * cos((2 * y + 1) * v * pi / 16)
                    for x in range(8)
                    for y in range(8)
                )
                for v in range(8)
            ]
            for u in range(8)
        ]
    )


@formula(
    r"""
\begin{equation}
LBP_{P,R} = \sum_{p=0}^{P-1} s(g_p - g_c) 2^p, \qquad s(x) = \begin{cases} 1, & x \geq 0 \\ 0, & x < 0 \end{cases}
\end{equation}
""",
    source="Ojala, Pietikainen and Maenpaa, Local binary patterns, 2002",
    g="8",
    g_c="",
)
def lbp(g, g_c):
    return sum((g[p] >= g_c) * 2**p for p in range(8))


@formula(
    r"""
\begin{equation}
\int_a^b f(x)\,dx \approx \frac{h}{3} \left[ f(x_0) + 4 \sum_{j=1}^{n/2} f(x_{2j-1}) + 2 \sum_{j=1}^{n/2-1} f(x_{2j}) + f(x_n) \right]
\end{equation}
""",
    source="Burden and Faires, Numerical analysis, the composite rule",
    shapes=("size n", "input f[n+1]"),
    h="",
    f="7",
)
def composite_simpson(h, f):
    return (
        h
        / 3
        * (
            f[0]
            + 4 * sum(f[2 * j - 1] for j in range(1, 4))
            + 2 * sum(f[2 * j] for j in range(1, 3))
            + f[6]
        )
    )


@formula(
    r"""
For a sequence $b_1 b_2 \dots b_L$ the score of the position weight matrix is
\begin{equation}
S = \sum_{i=1}^{L} \log_2 \frac{f_{b_i, i}}{p_{b_i}}
\end{equation}
""",
    source="Stormo, DNA binding sites, 2000",
    shapes=("input b[L]: index, f[4, L], p[4]",),
    b=lambda r: np.array([1, 4, 2]),
    f="4 3",
    p="4",
)
def pwm(b, f, p):
    return sum(np.log2(f[b[i] - 1, i] / p[b[i] - 1]) for i in range(3))


@formula(
    r"""
\begin{equation}
\mathrm{MMD}^2(X, Y) = \frac{1}{m^2} \sum_{i,i'=1}^{m} k(x_i, x_{i'}) - \frac{2}{mn} \sum_{i,j=1}^{m,n} k(x_i, y_j) + \frac{1}{n^2} \sum_{j,j'=1}^{n} k(y_j, y_{j'})
\end{equation}
where $k(x, y) = \exp\left(-\frac{\|x - y\|^2}{2\sigma^2}\right)$ is the Gaussian kernel.
""",
    source="Gretton et al., A kernel two-sample test, 2012",
    shapes=("input x[m, d], y[n, d]",),
    x="3 2",
    y="4 2",
    sigma="",
)
def mmd_biased_primes(x, y, sigma):
    def k(a, b):
        return exp(-((a - b) ** 2).sum() / (2 * sigma**2))

    return (
        sum(k(a, b) for a in x for b in x) / 9
        - 2 / 12 * sum(k(a, b) for a in x for b in y)
        + sum(k(a, b) for a in y for b in y) / 16
    )
