"""Formulas of many fields as their papers and textbooks print them: cells of networks, mixtures, indices, kernels, losses and laws."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{BT-flow}} = -\sum_{i=1}^{N}\sum_{c=1}^{C} w_c \, y_{ic} \log \hat{p}_{ic}, \qquad
\hat{p}_{ic} = \frac{e^{z_{ic}}}{\sum_{c'=1}^{C} e^{z_{ic'}}}, \qquad w_c = \frac{1}{\sqrt{n_c}}
\end{equation}
where $n_c = \sum_{i=1}^{N} y_{ic}$ is the number of samples in class $c$.
""",
    source="Class-balanced cross-entropy with roots of frequencies, as papers on long-tailed recognition print it",
    output="L_BT_flow",
    y=lambda r: np.eye(3)[[0, 1, 2, 0, 1]],
    z=lambda r: normal(r, 5, 3),
)
def balanced_cross_entropy(y, z):
    p = np.exp(z) / np.exp(z).sum(1, keepdims=True)
    return -(y * np.log(p) / np.sqrt(y.sum(0))).sum()


@formula(
    r"""
The Wilson score interval has the bounds
\[
w^{\pm} = \frac{1}{1 + \frac{z^2}{n}} \left( \hat p + \frac{z^2}{2n} \right) \pm \frac{z}{1 + \frac{z^2}{n}} \sqrt{ \frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4n^2} } .
\]
""",
    source="Wilson, Probable inference, 1927; as in an encyclopedia",
    leaves_open="two values in one formula",
    z="",
    n="",
    p_hat="",
)
def wilson_interval(z, n, p_hat):
    return np.zeros(2)


@formula(
    r"""
the cohesive energy of a crystal is
\begin{equation}
E = \frac{1}{2}\sum_{i}\sum_{j\ne i} D_e\left[e^{-2a(r_{ij}-r_e)} - 2e^{-a(r_{ij}-r_e)}\right]
\end{equation}
with the dissociation energy $D_e$, the equilibrium bond distance $r_e$ and the width parameter $a$.
""",
    source="Girifalco, Weizer, Application of the Morse potential function to cubic metals, 1959, equation 2",
    D_e="",
    a="",
    r="4 4",
    r_e="",
)
def morse_crystal(D_e, a, r, r_e):
    v = D_e * (np.exp(-2 * a * (r - r_e)) - 2 * np.exp(-a * (r - r_e)))
    return (v.sum() - np.trace(v)) / 2


@formula(
    r"""
\begin{equation}
\mathrm{SPI}_i = \frac{x_i - \bar{x}}{s}, \quad \bar{x} = \frac{1}{n}\sum_{i=1}^{n} x_i, \quad s = \sqrt{\frac{1}{n-1} \sum_{i=1}^{n} (x_i - \bar{x})^2}
\end{equation}
""",
    source="McKee, Doesken, Kleist, The relationship of drought frequency and duration to time scales, 1993",
    output="SPI",
    x="6",
)
def precipitation_index(x):
    return (x - x.mean()) / x.std(ddof=1)


@formula(
    r"""
The Hill-type functional response to several prey is
\begin{equation}
F_{ij} = \frac{ b_{ij} N_j^{1+q} }{ 1 + c\,P_i + \sum_{k=1}^{n} h_{ik} b_{ik} N_k^{1+q} }
\end{equation}
where $N_j$ is the density of prey $j$ and $P_i$ that of predator $i$.
""",
    source="Williams, Martinez, Stabilization of chaotic and non-permanent food-web dynamics, 2004; as in Berlow et al., 2009",
    b="2 3",
    N="3",
    q="",
    c="",
    P="2",
    h="2 3",
)
def functional_response(b, N, q, c, P, h):
    n = N ** (1 + q)
    return b * n / (1 + c * P + (h * b * n).sum(1))[:, None]


@formula(
    r"""
\begin{equation}
\label{eq:swav}
\ell(\mathbf{z}_t, \mathbf{q}_s) = - \sum_{k} \mathbf{q}_s^{(k)} \log \mathbf{p}_t^{(k)}, \quad \text{where} \quad \mathbf{p}_t^{(k)} = \frac{ \exp\left( \frac{1}{\tau} \mathbf{z}_t^\top \mathbf{c}_k \right) }{ \sum_{k'} \exp \left( \frac{1}{\tau} \mathbf{z}_t^\top \mathbf{c}_{k'} \right) },
\end{equation}
where $\tau$ is a temperature parameter.
""",
    source="Caron et al., Unsupervised learning of visual features by contrasting cluster assignments, 2020, equation 2",
    shapes=("input z_t[D], c[K, D], q_s[K]",),
    output="ell",
    q_s="4",
    tau="",
    z_t=lambda r: normal(r, 3),
    c=lambda r: normal(r, 4, 3),
)
def swapped_prediction(q_s, tau, z_t, c):
    s = c @ z_t / tau
    return -(q_s * (s - np.log(np.exp(s).sum()))).sum()


@formula(
    r"""
The phase-locking value between the signals $m$ and $n$ is estimated by
$$
\mathrm{PLV}_{mn} = \frac{1}{T} \sqrt{ \left( \sum_{t=1}^{T} \cos(\varphi_m(t) - \varphi_n(t)) \right)^2 + \left( \sum_{t=1}^{T} \sin(\varphi_m(t) - \varphi_n(t)) \right)^2 } .
$$
""",
    source="Lachaux et al., Measuring phase synchrony in brain signals, 1999, without complex numbers",
    varphi="3 5",
)
def phase_locking(varphi):
    d = varphi[:, None] - varphi[None]
    return np.hypot(np.cos(d).sum(-1), np.sin(d).sum(-1)) / 5


@formula(
    r"""
\begin{align}
N_{i,0}(u) &= \begin{cases} 1 & \text{if } u_i \leq u < u_{i+1} \\ 0 & \text{otherwise} \end{cases} \\
N_{i,p}(u) &= \frac{u - u_i}{u_{i+p} - u_i} N_{i,p-1}(u) + \frac{u_{i+p+1} - u}{u_{i+p+1} - u_{i+1}} N_{i+1,p-1}(u)
\end{align}
""",
    source="Piegl, Tiller, The NURBS book, 1997, equation 2.5",
    leaves_open="a recursion over the degree",
    u="6",
)
def basis_functions(u):
    return np.zeros(5)


@formula(
    r"""
The total dose at the point $\mathbf{p}$ from $N$ sources with air kerma strengths $S_i$ is
\begin{equation}
  \dot{D}(\mathbf{p}) = \sum_{i=1}^{N} S_i \, \Lambda \, \left( \frac{r_0}{r_i} \right)^2 g(r_i), \qquad g(r) = a_0 + a_1 r + a_2 r^2 + a_3 r^3 .
\end{equation}
Here $r_i$ is the distance to source $i$ and $r_0 = 1$ cm.
""",
    source="Rivard et al., Update of AAPM task group 43 report, 2004, point sources without anisotropy",
    shapes=("input r[N], r_0[], a_0[], a_1[], a_2[], a_3[]",),
    output="D_dot",
    S="4",
    Lambda="",
    r_0="",
    r="4",
    a_0="",
    a_1="",
    a_2="",
    a_3="",
)
def source_dose(S, Lambda, r_0, r, a_0, a_1, a_2, a_3):
    g = a_0 + a_1 * r + a_2 * r**2 + a_3 * r**3
    return (S * Lambda * (r_0 / r) ** 2 * g).sum()


@formula(
    r"""
With $x_k^{(t)}$ the value of feature $k$ in bin $t$, the population stability index is given by
\begin{equation}
\mathrm{PSI} = \sum_{b=1}^{B} (A_b - E_b) \ln \frac{A_b}{E_b}.
\end{equation}
""",
    source="Siddiqi, Credit risk scorecards, 2006",
    A="5",
    E="5",
)
def stability_index(A, E):
    return ((A - E) * np.log(A / E)).sum()


@formula(
    r"""
For each $i=1,\dots,N$ the fitted value of LOESS uses the tricube weights
\[
w_{ik} = \left( 1 - \left| \frac{x_i - x_k}{d_i} \right|^3 \right)^3 , \quad k = 1,\dots,N, \qquad d_i = \max_{k} |x_i - x_k| .
\]
""",
    source="Cleveland, Robust locally weighted regression and smoothing scatterplots, 1979, with all points as neighbours",
    output="w",
    x=lambda r: normal(r, 5),
)
def tricube_weights(x):
    d = abs(x[:, None] - x[None])
    return (1 - (d / d.max(1, keepdims=True)) ** 3) ** 3


@formula(
    r"""
Let $c_{ij}$ be the number of co-occurrences, $c_i = \sum_j c_{ij}$ and $c = \sum_{i} c_i$. Then
\begin{equation}
\mathrm{PPMI}(i, j) = \max\left(0, \log \frac{c_{ij} \, c}{c_i c_j} \right) .
\end{equation}
""",
    source="Bullinaria, Levy, Extracting semantic representations from word co-occurrence statistics, 2007",
    leaves_open="c is three tensors: of pairs, of words, and a number",
    c="4 4",
)
def positive_information(c):
    return np.zeros(3)


@formula(
    r"""
The estimator of Chao is
\begin{equation}
S_{\text{Chao1}} = S_{obs} + \frac{F_1 (F_1 - 1)}{2 (F_2 + 1)},
\end{equation}
where $F_1$ and $F_2$ are the numbers of singletons and doubletons.
""",
    source="Chao, Nonparametric estimation of the number of classes in a population, 1984, bias-corrected",
    S_obs="",
    F_1="",
    F_2="",
)
def chao_richness(S_obs, F_1, F_2):
    return S_obs + F_1 * (F_1 - 1) / (2 * (F_2 + 1))


@formula(
    r"""
\begin{equation}
f(\mathbf{x}) = -a \exp\left(-b \sqrt{\frac{1}{d} \sum_{i=1}^{d} x_i^2}\right) - \exp\left(\frac{1}{d} \sum_{i=1}^{d} \cos(c x_i)\right) + a + \exp(1)
\end{equation}
Recommended variable values are: $a = 20$, $b = 0.2$ and $c = 2\pi$.
""",
    source="Ackley, A connectionist machine for genetic hillclimbing, 1987; as in libraries of test functions",
    a=lambda r: 20.0,
    b=lambda r: 0.2,
    x=lambda r: normal(r, 4),
    c=lambda r: 2 * np.pi,
)
def ackley(a, b, x, c):
    first = -a * np.exp(-b * np.sqrt((x**2).mean()))
    return first - np.exp(np.cos(c * x).mean()) + a + np.e


@formula(
    r"""
The Rosenbrock function is
\[
f(\mathbf{x}) = \sum_{i=1}^{N-1} \left[ 100 \left( x_{i+1} - x_i^2 \right)^2 + (1 - x_i)^2 \right] \quad \text{where} \quad \mathbf{x} = (x_1, \ldots, x_N) \in \mathbb{R}^N.
\]
""",
    source="Rosenbrock, An automatic method for finding the greatest or least value of a function, 1960; as in an encyclopedia",
    x=lambda r: normal(r, 5),
)
def rosenbrock(x):
    return sum(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(4))


@formula(
    r"""
The Bray--Curtis ordination uses, for sites $j$ and $k$ with abundances $x_{ij}$ of $p$ species, the quantitative symmetric
dissimilarity
\begin{equation*}
d^{BC}_{jk} = \frac{\sum_{i=1}^{p} | x_{ij} - x_{ik} |}{\sum_{i=1}^{p} (x_{ij} + x_{ik})},
\end{equation*}
and the chi-square distance is
\begin{equation*}
d^{\chi}_{jk} = \sqrt{ \sum_{i=1}^{p} \frac{x_{++}}{x_{i+}} \left( \frac{x_{ij}}{x_{+j}} - \frac{x_{ik}}{x_{+k}} \right)^2 }.
\end{equation*}
""",
    source="Legendre, Legendre, Numerical ecology, 2012, chapter 7",
    x="4 3",
    output="d_chi",
)
def chi_square_distance(x):
    p = x / x.sum(0)
    d = p[:, :, None] - p[:, None, :]
    return np.sqrt((x.sum() / x.sum(1)[:, None, None] * d**2).sum(0))


@formula(
    r"""
\begin{equation}
PE_{(pos,2i)} = \sin(pos / 10000^{2i/d_{\text{model}}})
\end{equation}
where $pos$ is the position and $i$ is the dimension, $pos = 0, \dots, P-1$ and $i = 0, \dots, d_{\text{model}}/2-1$.
""",
    source="Vaswani et al., Attention is all you need, 2017, the even places alone",
    leaves_open="the odd places",
    x="3",
)
def even_places(x):
    return np.zeros(3)


@formula(
    r"""
For a Nakagami channel with $L$ branches, the average of the signal-to-noise ratio after maximal-ratio combining is
\begin{equation}
\bar{\gamma}_{\mathrm{MRC}} = \sum_{l=1}^{L} \bar{\gamma}_l = \frac{E_s}{N_0} \sum_{l=1}^{L} \Omega_l .
\end{equation}
""",
    source="Simon, Alouini, Digital communication over fading channels, 2005, section 9.2",
    gamma_bar="4",
)
def combining_gain(gamma_bar):
    return gamma_bar.sum()


@formula(
    r"""
The Vogel--Fulcher--Tammann viscosity of the mixture follows Grunberg and Nissan,
\begin{equation}
\ln \eta_{\mathrm{mix}} = \sum_{i} x_i \ln \eta_i + \sum_{i} \sum_{j > i} x_i x_j G_{ij}
\end{equation}
""",
    source="Grunberg, Nissan, Mixture law for viscosity, 1949; as in Poling, Prausnitz, O'Connell, equation 9-13.2",
    x="3",
    eta="3",
    G="3 3",
)
def grunberg_nissan(x, eta, G):
    pairs = sum(x[i] * x[j] * G[i, j] for i in range(3) for j in range(i + 1, 3))
    return x @ np.log(eta) + pairs


@formula(
    r"""
The Nose--Hoover force on particle $i$ in one dimension, with $p_i = m_i v_i$, satisfies
\begin{equation}
\dot{p}_i = -\sum_{j \neq i}^{N} \kappa (q_i - q_j) - \zeta p_i, \qquad \dot{\zeta} = \frac{1}{Q} \left( \sum_{i=1}^{N} \frac{p_i^2}{m_i} - N k_B T \right).
\end{equation}
""",
    source="Hoover, Canonical dynamics, 1985, with harmonic couplings",
    output="p_dot",
    m="4",
    v="4",
    kappa="",
    q="4",
    zeta="",
    Q="",
    k_B="",
    T="",
)
def thermostat(m, v, kappa, q, zeta, Q, k_B, T):
    return -kappa * (4 * q - q.sum()) - zeta * m * v


@formula(
    r"""
Given logits $l_i$, label smoothing with $\epsilon$ and $K$ classes minimises
\begin{equation}
H(y, p) = \sum_{k=1}^{K} -y_k^{LS} \log(p_k), \qquad y_k^{LS} = y_k (1 - \alpha) + \alpha / K
\end{equation}
""",
    source="Mueller, Kornblith, Hinton, When does label smoothing help?, 2019, section 1.1",
    output="H",
    y=lambda r: np.eye(4)[2],
    alpha=lambda r: 0.1,
    p="4",
)
def smoothing_of_labels(y, alpha, p):
    return -((y * (1 - alpha) + alpha / 4) * np.log(p)).sum()


@formula(
    r"""
The bootstrap variance over $B$ replicates $\hat\theta^{*b}$ is
\begin{equation}
\widehat{\mathrm{var}}_B = \frac{1}{B-1} \sum_{b=1}^{B} \left( \hat\theta^{*b} - \bar\theta^{*} \right)^2, \qquad \bar\theta^{*} = \frac{1}{B} \sum_{b=1}^{B} \hat\theta^{*b} .
\end{equation}
""",
    source="Efron, Tibshirani, An introduction to the bootstrap, 1993, equation 6.6",
    output="var_hat_B",
    theta="6",
)
def bootstrap_variance(theta):
    return theta.var(ddof=1)


@formula(
    r"""
\begin{equation}
\text{Lift}(q) = \frac{\frac{1}{|S_q|}\sum_{i \in S_q} y_i}{\frac{1}{N}\sum_{i=1}^{N} y_i}
\end{equation}
where $S_q$ holds the $q$ percent of customers with the highest scores.
""",
    source="Berry, Linoff, Data mining techniques, 2004",
    leaves_open="the set is told in words",
    y="5",
)
def lift(y):
    return np.zeros(3)


@formula(
    r"""
In the two-locus model the disequilibrium is $D_{ij} = x_{ij} - p_i q_j$ with $p_i = \sum_j x_{ij}$ and $q_j = \sum_i x_{ij}$, and a measure of
association over all pairs of alleles is
\begin{equation}
Q = \sum_{i=1}^{k} \sum_{j=1}^{l} \frac{D_{ij}^2}{p_i q_j}.
\end{equation}
""",
    source="Hedrick, Gametic disequilibrium measures, 1987, equation 6",
    x="3 4",
)
def gametic_disequilibrium(x):
    p, q = x.sum(1), x.sum(0)
    d = x - np.outer(p, q)
    return (d**2 / np.outer(p, q)).sum()


@formula(
    r"""
\[
\operatorname{CRPS}(F, y) = \frac{1}{M} \sum_{i=1}^{M} |X_i - y| - \frac{1}{2M^2} \sum_{i=1}^{M}\sum_{j=1}^{M} |X_i - X_j|
\]
where $X_1, \dots, X_M$ is an ensemble of forecasts.
""",
    source="Gneiting, Raftery, Strictly proper scoring rules, 2007, equation 21 for an ensemble",
    X=lambda r: normal(r, 5),
    y="",
)
def ensemble_score(X, y):
    return abs(X - y).mean() - abs(X[:, None] - X[None]).mean() / 2


@formula(
    r"""
The sea-level equivalent is split in $K$ exponentials with rates $\lambda_k$ as
\begin{equation}
s(t_n) = s_0 + \sum_{k=1}^{K} A_k \left( 1 - e^{-\lambda_k t_n} \right), \quad n = 1, \dots, N.
\end{equation}
""",
    source="Sums of exponentials as papers on relaxation print them",
    shapes=("input t[N], s_0[]",),
    s_0="",
    A="3",
    t="5",
    **{"lambda": "3"},
)
def relaxation(s_0, A, t, **k):
    return s_0 + (A * (1 - np.exp(-k["lambda"] * t[:, None]))).sum(1)


@formula(
    r"""
The shoelace formula gives the area of a polygon with the vertices $(x_1, y_1), \dots, (x_n, y_n)$ as
\begin{equation}
A = \frac{1}{2} \left| \sum_{i=1}^{n-1} x_i y_{i+1} + x_n y_1 - \sum_{i=1}^{n-1} x_{i+1} y_i - x_1 y_n \right| .
\end{equation}
""",
    source="Gauss's area formula, as in an encyclopedia; Braden, The surveyor's area formula, 1986",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def shoelace(x, y):
    n = 5
    return abs(sum(x[i] * y[(i + 1) % n] - x[(i + 1) % n] * y[i] for i in range(n))) / 2


@formula(
    r"""
\begin{equation}
\begin{split}
\mathcal{F}(\phi) = \sum_{i=1}^{N_x} \sum_{j=1}^{N_y} \Big[ & \tfrac{1}{4} (\phi_{i,j}^2 - 1)^2 + \tfrac{\kappa}{2} \Big( \frac{\phi_{i+1,j} - \phi_{i,j}}{h} \Big)^2 \\
& + \tfrac{\kappa}{2} \Big( \frac{\phi_{i,j+1} - \phi_{i,j}}{h} \Big)^2 \Big] h^2
\end{split}
\end{equation}
with periodic boundary conditions.
""",
    source="Cahn, Hilliard, Free energy of a nonuniform system, 1958, discretised",
    phi=lambda r: normal(r, 4, 5),
    kappa="",
    h="",
)
def phase_field(phi, kappa, h):
    dx = (np.roll(phi, -1, 0) - phi) / h
    dy = (np.roll(phi, -1, 1) - phi) / h
    return ((phi**2 - 1) ** 2 / 4 + kappa / 2 * (dx**2 + dy**2)).sum() * h**2


@formula(
    r"""
A set of $n$ queueing stations with arrival rates $\lambda_i$, service rates $\mu_i$ and $\rho_i = \lambda_i / \mu_i$ has the mean number of
customers
\begin{equation}
L = \sum_{i=1}^{n} \frac{\rho_i}{1 - \rho_i}
\end{equation}
""",
    source="Jackson, Networks of waiting lines, 1957",
    **{"lambda": lambda r: r.uniform(0.1, 0.5, 3), "mu": "3"},
)
def waiting_lines(mu, **k):
    rho = k["lambda"] / mu
    return (rho / (1 - rho)).sum()


@formula(
    r"""
\begin{equation}
\boldsymbol{\mu}^{(l)} = \frac{1}{H} \sum_{i=1}^{H} a^{(l)}_i, \qquad \hat{a}^{(l)}_i = \frac{g_i}{\sigma^{(l)}} \left( a^{(l)}_i - \mu^{(l)} \right) + b_i, \qquad
\sigma^{(l)} = \sqrt{\frac{1}{H} \sum_{i=1}^{H} \left(a^{(l)}_i - \mu^{(l)}\right)^2}
\end{equation}
""",
    source="Ba, Kiros, Hinton, Layer normalization, 2016, equation 3 with gain and bias",
    leaves_open="the mean is bold once, and not elsewhere",
    a="5",
    g="5",
    b="5",
)
def layer_of_units(a, g, b):
    return np.zeros(5)
