"""Formulas that many documents repeat, each with the sentence around it."""

from __future__ import annotations

from math import cos, erfc, exp, log, pi, sqrt

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


@formula(
    r"""
The Huber loss is
\begin{equation}
L_\delta(a) = \begin{cases} \frac{1}{2} a^2 & \text{for } |a| \le \delta, \\ \delta \cdot \left(|a| - \frac{1}{2}\delta\right), & \text{otherwise.} \end{cases}
\end{equation}
and the objective $E = \sum_{i=1}^n L_\delta(y_i - f_i)$.
""",
    source="Huber, Robust estimation of a location parameter, 1964",
    y="4",
    f="4",
    delta=lambda r: 0.3,
    output="E",
)
def huber(y, f, delta):
    return sum(0.5 * a * a if abs(a) <= delta else delta * (abs(a) - 0.5 * delta) for a in y - f)


@formula(
    r"""
\begin{equation}
\mathrm{Dice} = \frac{2 \sum_{i}^{N} p_i g_i}{\sum_{i}^{N} p_i^2 + \sum_{i}^{N} g_i^2}
\end{equation}
where the sums run over the $N$ voxels, of the predicted binary segmentation volume $p_i \in P$ and the ground truth binary volume $g_i \in G$.
""",
    source="Milletari, Navab and Ahmadi, V-Net, 2016",
    p="4",
    g="4",
)
def vnet(p, g):
    return 2 * (p * g).sum() / ((p**2).sum() + (g**2).sum())


@formula(
    r"""
The Tversky index is
\[
S(P, G; \alpha, \beta) = \frac{\sum_{i=1}^N p_{0i} g_{0i}}{\sum_{i=1}^N p_{0i} g_{0i} + \alpha \sum_{i=1}^N p_{0i} g_{1i} + \beta \sum_{i=1}^N p_{1i} g_{0i}}
\]
""",
    source="Salehi, Erdogmus and Gholipour, Tversky loss, 2017, equation (3)",
    p="2 4",
    g="2 4",
    alpha="",
    beta="",
)
def tversky(p, g, alpha, beta):
    a = (p[0] * g[0]).sum()
    return a / (a + alpha * (p[0] * g[1]).sum() + beta * (p[1] * g[0]).sum())


@formula(
    r"""
The gravitational acceleration of body $i$ with softening length $\epsilon$ is
\begin{equation}
\mathbf{a}_i = G \sum_{\substack{j=1 \\ j \neq i}}^{N} m_j \frac{\mathbf{r}_j - \mathbf{r}_i}{\left( |\mathbf{r}_j - \mathbf{r}_i|^2 + \epsilon^2 \right)^{3/2}}
\end{equation}
with $\mathbf{r}_i \in \mathbb{R}^3$.
""",
    source="Aarseth, Gravitational N-body simulations, 2003",
    G="",
    m="4",
    r="4 3",
    epsilon="",
)
def softened(G, m, r, epsilon):
    return np.array(
        [
            G
            * sum(
                m[j] * (r[j] - r[i]) / (((r[j] - r[i]) ** 2).sum() + epsilon**2) ** 1.5
                for j in range(4)
                if j != i
            )
            for i in range(4)
        ]
    )


@formula(
    r"""
\begin{equation}
\rho(\mathbf{r}_i) = \sum_{j=1}^{N} m_j W(|\mathbf{r}_i - \mathbf{r}_j|, h), \qquad W(r, h) = \frac{1}{\pi^{3/2} h^3} e^{-r^2/h^2}
\end{equation}
with $\mathbf{r}_i \in \mathbb{R}^3$.
""",
    source="Gingold and Monaghan, Smoothed particle hydrodynamics, 1977",
    m="4",
    r="4 3",
    h="",
)
def sph_gauss(m, r, h):
    return np.array(
        [
            sum(m[j] * exp(-((r[i] - r[j]) ** 2).sum() / h**2) / (pi**1.5 * h**3) for j in range(4))
            for i in range(4)
        ]
    )


@formula(
    r"""
\begin{equation}
S_0 = \sum_{i=1}^{n} \sum_{j=1}^{n} w_{ij}, \qquad C = \frac{(n-1) \sum_{i} \sum_{j} w_{ij} (x_i - x_j)^2}{2 S_0 \sum_i (x_i - \bar{x})^2}
\end{equation}
""",
    source="Geary, The contiguity ratio, 1954",
    output="C",
    w="4 4",
    x="4",
)
def geary(w, x):
    n = 4
    return (n - 1) * (w * (x[:, None] - x) ** 2).sum() / (2 * w.sum() * ((x - x.mean()) ** 2).sum())


@formula(
    r"""
\begin{equation}
w_{i,j} = \mathrm{tf}_{i,j} \times \log\left( \frac{N}{\mathrm{df}_i} \right)
\end{equation}
where $\mathrm{tf}_{i,j}$ is the number of occurrences of $i$ in $j$, $\mathrm{df}_i$ the number of documents containing $i$, and $N$ the total number of documents.
""",
    source="Salton and Buckley, Term-weighting approaches, 1988",
    tf="3 4",
    df="3",
    N="",
    shapes=("input N[]",),
)
def tfidf(tf, df, N):
    return tf * np.log(N / df)[:, None]


@formula(
    r"""
\begin{equation}
D^2 = \frac{2}{nm} \sum_{i=1}^{n} \sum_{j=1}^{m} \|X_i - Y_j\| - \frac{1}{n^2} \sum_{i=1}^{n} \sum_{j=1}^{n} \|X_i - X_j\| - \frac{1}{m^2} \sum_{i=1}^{m} \sum_{j=1}^{m} \|Y_i - Y_j\|
\end{equation}
""",
    source="Szekely and Rizzo, Energy statistics, 2013",
    shapes=("input X[n, d], Y[m, d]",),
    X="3 2",
    Y="4 2",
)
def energy_distance(X, Y):
    def d(A, B):
        return np.linalg.norm(A[:, None] - B, axis=-1).mean()

    return 2 * d(X, Y) - d(X, X) - d(Y, Y)


@formula(
    r"""
\begin{equation}
\frac{dp_i}{dt} = \beta_i p_i (1 - p_i) - \sum_{j \neq i} \gamma_{ij} p_j - \gamma_i p_i
\end{equation}
""",
    source="Levins, Demographic consequences of heterogeneity, 1969, with migration",
    beta="3",
    p="3",
    gamma_i="3",
    gamma="3 3",
)
def meta(beta, p, gamma_i, gamma):
    return np.array(
        [
            beta[i] * p[i] * (1 - p[i])
            - sum(gamma[i, j] * p[j] for j in range(3) if j != i)
            - gamma_i[i] * p[i]
            for i in range(3)
        ]
    )


@formula(
    r"""
\begin{equation}
\lambda_{i} = \sum_{j=1}^{n} \beta_{ij} \frac{I_j}{N_j}, \qquad \frac{dS_i}{dt} = -\lambda_i S_i, \qquad \frac{dI_i}{dt} = \lambda_i S_i - \gamma I_i
\end{equation}
""",
    source="Keeling and Rohani, Modeling infectious diseases, 2008",
    output="dI_dt",
    beta="3 3",
    I="3",
    N="3",
    S="3",
    gamma="",
)
def force_of_infection(beta, I, N, S, gamma):
    return (beta @ (I / N)) * S - gamma * I


@formula(
    r"""
\begin{equation}
F_{hkl} = \sum_{j=1}^{N} f_j \cos\left[ 2\pi (h x_j + k y_j + l z_j) \right]
\end{equation}
""",
    source="Giacovazzo, Fundamentals of crystallography, 1992, a centrosymmetric structure",
    shapes=(r"$F \in \mathbb{R}^{3 \times 3 \times 3}$",),
    f="4",
    x="4",
    y="4",
    z="4",
)
def structure_factor(f, x, y, z):
    return np.array(
        [
            [
                [(f * np.cos(2 * pi * (h * x + k * y + m * z))).sum() for m in range(1, 4)]
                for k in range(1, 4)
            ]
            for h in range(1, 4)
        ]
    )


@formula(
    r"""
The partition's modularity is
\[
Q = \sum_{c=1}^{n} \left[ \frac{l_c}{m} - \left( \frac{d_c}{2m} \right)^2 \right]
\]
""",
    source="Fortunato, Community detection in graphs, 2010, equation (15)",
    l="3",
    m="",
    d="3",
)
def community(l, m, d):
    return (l / m - (d / (2 * m)) ** 2).sum()


@formula(
    r"""
\begin{equation}
\hat{C}(r) = \sum_{i=1}^{N} T_i \left( 1 - \exp(-\sigma_i \delta_i) \right) \mathbf{c}_i, \quad \text{where} \quad T_i = \exp\left( -\sum_{j=1}^{i-1} \sigma_j \delta_j \right)
\end{equation}
and $\delta_i = t_{i+1} - t_i$ is the distance between adjacent samples, $\mathbf{c}_i \in \mathbb{R}^3$.
""",
    source="Mildenhall et al., NeRF, 2020, equation (3)",
    output="C_hat",
    sigma="4",
    c="4 3",
    t="5",
)
def nerf(sigma, c, t):
    d = np.diff(t)
    T = np.exp(-np.concatenate([[0], np.cumsum(sigma * d)[:-1]]))
    return ((T * (1 - np.exp(-sigma * d)))[:, None] * c).sum(0)


@formula(
    r"""
The spatial softmax of a feature map gives expected coordinates
\begin{equation}
\bar{x} = \sum_{i=1}^{H} \sum_{j=1}^{W} \frac{e^{a_{ij}}}{\sum_{i'=1}^{H} \sum_{j'=1}^{W} e^{a_{i'j'}}} \, x_{ij}
\end{equation}
""",
    source="Finn et al., Deep spatial autoencoders, 2016",
    a="3 4",
    x="3 4",
)
def spatial_softmax(a, x):
    e = np.exp(a)
    return (e / e.sum() * x).sum()


@formula(
    r"""
The loss of a variational autoencoder for one datapoint is
\begin{equation}
\mathcal{L} = -\frac{1}{2} \sum_{j=1}^{J} \left( 1 + \log \sigma_j^2 - \mu_j^2 - \sigma_j^2 \right) - \frac{1}{L} \sum_{l=1}^{L} \sum_{d=1}^{D} \left[ x_d \log y_d^{(l)} + (1 - x_d) \log (1 - y_d^{(l)}) \right]
\end{equation}
""",
    source="Kingma and Welling, Auto-encoding variational Bayes, 2014",
    shapes=("input y[L, D], x[D]",),
    sigma="3",
    mu="3",
    x=lambda r: r.uniform(0, 1, 4),
    y=lambda r: r.uniform(0.1, 0.9, (2, 4)),
)
def vae(sigma, mu, x, y):
    return (
        -0.5 * (1 + np.log(sigma**2) - mu**2 - sigma**2).sum()
        - (x * np.log(y) + (1 - x) * np.log(1 - y)).sum() / 2
    )


@formula(
    r"""
\begin{equation}
\log p(\mathbf{x}) = -\frac{D}{2} \log(2\pi) - \frac{1}{2} \sum_{i=1}^{D} z_i^2 + \sum_{k=1}^{K} \sum_{i=1}^{D} s_{ki}
\end{equation}
""",
    source="Dinh, Sohl-Dickstein and Bengio, Real NVP, 2017",
    z="3",
    s="2 3",
)
def real_nvp(z, s):
    return -3 / 2 * log(2 * pi) - 0.5 * (z**2).sum() + s.sum()


@formula(
    r"""
The price of the arithmetic basket call with weights $w_i$ is, on $M$ simulated paths,
\begin{equation}
\hat{V} = e^{-rT} \frac{1}{M} \sum_{m=1}^{M} \max\left( \sum_{i=1}^{d} w_i S_i^{(m)} - K, 0 \right)
\end{equation}
""",
    source="Glasserman, Monte Carlo methods, 2003",
    shapes=("input S[M, d], w[d]",),
    r="",
    T="",
    w="2",
    S="4 2",
    K="",
)
def basket(r, T, w, S, K):
    return exp(-r * T) * np.maximum(S @ w - K, 0).mean()


@formula(
    r"""
\begin{equation}
H' = -\sum_{i=1}^{R} p_i \ln p_i, \qquad J' = \frac{H'}{\ln R}
\end{equation}
""",
    source="Pielou, 1966",
    output="J_prime",
    p="4",
)
def evenness(p):
    return -(p * np.log(p)).sum() / log(4)


@formula(
    r"""
\begin{equation}
D = 1 - \sum_{i=1}^{S} \frac{n_i (n_i - 1)}{N (N - 1)}, \qquad N = \sum_{i=1}^{S} n_i
\end{equation}
""",
    source="Simpson, Measurement of diversity, 1949",
    output="D",
    n="4",
)
def simpson_diversity(n):
    N = n.sum()
    return 1 - (n * (n - 1)).sum() / (N * (N - 1))


@formula(
    r"""
\begin{equation}
E = \frac{1}{2} \sum_{i=1}^{N} \sum_{j \ne i} \frac{q_i q_j \, \mathrm{erfc}(\alpha r_{ij})}{r_{ij}} - \frac{\alpha}{\sqrt{\pi}} \sum_{i=1}^{N} q_i^2
\end{equation}
""",
    source="Frenkel and Smit, Understanding molecular simulation, 2002",
    q="3",
    alpha="",
    r="3 3",
)
def ewald(q, alpha, r):
    return (
        0.5
        * sum(
            q[i] * q[j] * erfc(alpha * r[i, j]) / r[i, j]
            for i in range(3)
            for j in range(3)
            if j != i
        )
        - alpha / sqrt(pi) * (q**2).sum()
    )


@formula(
    r"""
\begin{equation}
p_n(x) = \sum_{j=0}^{n} f_j \prod_{\substack{k=0 \\ k \neq j}}^{n} \frac{x - x_k}{x_j - x_k}
\end{equation}
""",
    source="Berrut and Trefethen, Barycentric Lagrange interpolation, 2004",
    f="4",
    x="",
    x_j="4",
)
def lagrange(f, x, x_j):
    return sum(
        f[j] * np.prod([(x - x_j[k]) / (x_j[j] - x_j[k]) for k in range(4) if k != j])
        for j in range(4)
    )


@formula(
    r"""
The leapfrog scheme for the advection equation is
\begin{equation}
v_j = w_j - \frac{a \Delta t}{\Delta x} (u_{j+1} - u_{j-1}), \qquad j = 2, \dots, J-1 .
\end{equation}
""",
    source="Strikwerda, Finite difference schemes, 2004",
    w="5",
    a="",
    Delta_t="",
    Delta_x="",
    u="5",
)
def leapfrog(w, a, Delta_t, Delta_x, u):
    return w[1:-1] - a * Delta_t / Delta_x * (u[2:] - u[:-2])


@formula(
    r"""
The element stiffness matrix is obtained by Gauss quadrature,
\begin{equation}
K_{ab} = \sum_{q=1}^{n_q} w_q \, J_q \sum_{d=1}^{2} B_{qad} B_{qbd}
\end{equation}
""",
    source="Hughes, The finite element method, 2000",
    w="3",
    J="3",
    B="3 4 2",
)
def gauss_stiffness(w, J, B):
    return np.einsum("q,q,qad,qbd->ab", w, J, B, B)


@formula(
    r"""
The magnitude and orientation of the gradient are
\begin{align}
m(x,y) &= \sqrt{(L(x+1,y) - L(x-1,y))^2 + (L(x,y+1) - L(x,y-1))^2}\\
\end{align}
for $x = 2, \dots, X-1$ and $y = 2, \dots, Y-1$.
""",
    source="Lowe, Distinctive image features, 2004",
    L="4 5",
)
def sift(L):
    return np.sqrt((L[2:, 1:-1] - L[:-2, 1:-1]) ** 2 + (L[1:-1, 2:] - L[1:-1, :-2]) ** 2)


@formula(
    r"""
\begin{equation}
J(u) = \sum_{i=1}^{N-1} \sum_{j=1}^{N-1} \sqrt{(u_{i+1,j} - u_{i,j})^2 + (u_{i,j+1} - u_{i,j})^2 + \varepsilon^2} + \frac{\lambda}{2} \sum_{i,j=1}^{N} (u_{i,j} - f_{i,j})^2
\end{equation}
""",
    source="Rudin, Osher and Fatemi, 1992, smoothed",
    u="4 4",
    epsilon="",
    f="4 4",
    **{"lambda": ""},
)
def rof(u, epsilon, f, **o):
    return (
        np.sqrt(
            (u[1:, :-1] - u[:-1, :-1]) ** 2 + (u[:-1, 1:] - u[:-1, :-1]) ** 2 + epsilon**2
        ).sum()
        + o["lambda"] / 2 * ((u - f) ** 2).sum()
    )


@formula(
    r"""
\begin{equation}
\mathrm{NDCG}_k = \frac{\sum_{i=1}^{k} \frac{r_i}{\log_2(i+1)}}{\sum_{i=1}^{k} \frac{r_i^*}{\log_2(i+1)}}
\end{equation}
where $r_i^*$ are the relevances in ideal order.
""",
    source="Jarvelin and Kekalainen, Cumulated gain, 2002",
    r="4",
    r_star="4",
)
def ndcg(r, r_star):
    weights = np.log2(np.arange(4) + 2)
    return (r / weights).sum() / (r_star / weights).sum()


@formula(
    r"""
\begin{equation}
\mathcal{L}(\beta) = \sum_{i=1}^{n} \delta_i \left[ x_i^\top \beta - \log \sum_{j: t_j \geq t_i} \exp(x_j^\top \beta) \right]
\end{equation}
with $x_i, \beta \in \mathbb{R}^p$.
""",
    source="Cox, 1972",
    delta="4",
    x="4 2",
    beta="2",
    t="4",
)
def cox(delta, x, beta, t):
    e = x @ beta
    return sum(
        delta[i] * (e[i] - log(sum(exp(e[j]) for j in range(4) if t[j] >= t[i]))) for i in range(4)
    )


@formula(
    r"""
The Banzhaf-type score of candidate $a$ under positional voting is
\[
S_a = \sum_{v=1}^{V} w_{r_{va}}
\]
where $r_{va} \in \{1, \dots, m\}$ is the rank that voter $v$ gives candidate $a$.
""",
    source="Young, Social choice scoring functions, 1975",
    shapes=("input r[V, C]: index, w[m]",),
    r=lambda g: np.array([[1, 2, 3], [3, 1, 2]]),
    w="3",
)
def positional(r, w):
    return w[r - 1].sum(0)


@formula(
    r"""
The NDVI of pixel $i$ is
\begin{equation}
\mathrm{NDVI}_i = \frac{\rho_{\mathrm{NIR},i} - \rho_{\mathrm{red},i}}{\rho_{\mathrm{NIR},i} + \rho_{\mathrm{red},i}}
\end{equation}
""",
    source="Rouse et al., 1974",
    rho_NIR="4",
    rho_red="4",
)
def ndvi(rho_NIR, rho_red):
    return (rho_NIR - rho_red) / (rho_NIR + rho_red)


@formula(
    r"""
\begin{equation}
F_{ST} = \frac{\sum_{l=1}^{L} \sigma_l^2}{\sum_{l=1}^{L} \bar{p}_l (1 - \bar{p}_l)}
\end{equation}
""",
    source="Weir and Cockerham, 1984",
    sigma="3",
    p_bar="3",
)
def fst(sigma, p_bar):
    return (sigma**2).sum() / (p_bar * (1 - p_bar)).sum()


@formula(
    r"""
$$
h_i^{(l)} = \text{ReLU} \left( \sum_{j=1}^{n} w_{ij}^{(l)} \cdot h_j^{(l-1)} + b_{i}^{(l)} \right).
$$
""",
    source="as lectures print it",
    w="3 4",
    h="4",
    b="3",
)
def layer_l(w, h, b):
    return np.maximum(w @ h + b, 0)


@formula(
    r"""
$$
H(y) = -\sum_{i=1}^{n} p(y_i) \log_2 p(y_i)
$$
""",
    source="as lectures print it",
    p="4",
)
def entropy_tree(p):
    return -(p * np.log2(p)).sum()


@formula(
    r"""
\begin{equation}
L_{\text{content}} = \frac{1}{2} \sum_{i,j} (I_{\text{original}}(i, j) - I_{\text{output}}(i, j))^2
\end{equation}
""",
    source="as lectures print it",
    I_original="3 4",
    I_output="3 4",
)
def content_images(I_original, I_output):
    return 0.5 * ((I_original - I_output) ** 2).sum()


@formula(
    r"""
$$ E = \frac{1}{2} \sum_{i,j} I_{ij} \left( R_{ij} - \left[ Y_i + \frac{\sum_k I_{ik} W_k}{\sum_k I_{ik}} \right]^T V_j \right)^2 + \frac{\lambda_Y}{2} \sum_i \|Y_i\|^2 + \frac{\lambda_V}{2} \sum_j \|V_j\|^2 + \frac{\lambda_W}{2} \sum_k \|W_k\|^2 $$
""",
    source="Salakhutdinov and Mnih, Probabilistic matrix factorization, 2008, the constrained model",
    shapes=("input I[N, M], R[N, M], Y[N, D], W[M, D], V[M, D]",),
    I="3 4",
    R="3 4",
    Y="3 2",
    W="4 2",
    V="4 2",
    lambda_Y="",
    lambda_V="",
    lambda_W="",
)
def constrained(I, R, Y, W, V, lambda_Y, lambda_V, lambda_W):
    U = Y + (I @ W) / I.sum(1)[:, None]
    return (
        0.5 * (I * (R - U @ V.T) ** 2).sum()
        + lambda_Y / 2 * (Y**2).sum()
        + lambda_V / 2 * (V**2).sum()
        + lambda_W / 2 * (W**2).sum()
    )


@formula(
    r"""
\begin{equation}
    U_\mathrm{GAY} = \sum_{i<j} 4\epsilon_{ij} \left[ \left(\frac{\sigma_{ij}}{r_{ij}}\right)^{12} - \left(\frac{\sigma_{ij}}{r_{ij}}\right)^6\right] + \sum_{i<j}\frac{q_i q_j}{4\pi\varepsilon_0 r_{ij}}
\end{equation}
""",
    source="Lennard-Jones and Coulomb terms of force fields",
    epsilon="3 3",
    sigma="3 3",
    r="3 3",
    q="3",
    varepsilon_0="",
)
def lj_coulomb(epsilon, sigma, r, q, varepsilon_0):
    return sum(
        4 * epsilon[i, j] * ((sigma[i, j] / r[i, j]) ** 12 - (sigma[i, j] / r[i, j]) ** 6)
        + q[i] * q[j] / (4 * pi * varepsilon_0 * r[i, j])
        for i in range(3)
        for j in range(i + 1, 3)
    )


@formula(
    r"""
$$\text{softmax}(z_i) = \frac{e^{z_i}}{\sum_{j=1}^{K} e^{z_j}}$$
""",
    source="as lectures print it",
    z="4",
)
def softmax_web(z):
    return np.exp(z) / np.exp(z).sum()


@formula(
    r"""
$$ \text{AUC} = \sum_{i=1}^{n-1} \frac{(y_i + y_{i+1})(x_{i+1} - x_i)}{2} $$
""",
    source="as lectures print it",
    y="4",
    x="4",
)
def auc(y, x):
    return ((y[:-1] + y[1:]) * np.diff(x) / 2).sum()
