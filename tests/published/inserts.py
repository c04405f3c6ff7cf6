"""Formulas of articles on pooling, hashing, calibration, rankings, forests, waves, alloys, reactors, orbits, roads, harvests and hearing."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\newcommand{\bx}{\mathbf{x}}
The output of the squeeze operation with learnable norms is
\begin{equation}
z_c = \left( \frac{1}{H \times W} \sum_{i=1}^{H} \sum_{j=1}^{W} x_{c,i,j}^{\,p_c} \right)^{1/p_c}
\end{equation}
\end{document}
""",
    source="Radenovic, Tolias, Chum, Fine-tuning CNN image retrieval, 2018, with a power for each channel",
    x="2 3 4",
    p=lambda r: r.uniform(1.5, 2.5, 2),
)
def pooled_powers(x, p):
    return np.mean(x ** p[:, None, None], axis=(1, 2)) ** (1 / p)


@formula(
    r"""
The classwise expected calibration error is defined as
\begin{equation}
\text{classwise-ECE} = \frac{1}{k} \sum_{j=1}^{k} \sum_{i=1}^{m} \frac{|B_{i,j}|}{n} \left| y_j(B_{i,j}) - \hat{p}_j(B_{i,j}) \right|
\end{equation}
where $k, m, n$ are the numbers of classes, bins and instances.
""",
    source="Kull et al., Beyond temperature scaling, 2019, equation 3",
    leaves_open="functions of sets",
    y="3 4",
)
def classwise_error(y):
    return 0.0


@formula(
    r"""
The Plackett--Luce likelihood of a ranking of $n$ items, given by the scores in the order of the ranking, is
\begin{equation}
P = \prod_{i=1}^{n} \frac{e^{s_i}}{\sum_{j=i}^{n} e^{s_j}} .
\end{equation}
""",
    source="Plackett, The analysis of permutations, 1975",
    s=lambda r: normal(r, 5),
)
def plackett_luce(s):
    e = np.exp(s)
    return np.prod([e[i] / e[i:].sum() for i in range(5)])


@formula(
    r"""
The importance of feature $j$ averaged over an ensemble of $T$ trees with $M$ inner nodes is
\begin{equation}
\hat{I}_j^2 = \frac{1}{T} \sum_{t=1}^{T} \sum_{m=1}^{M} \hat{\imath}_{tm}^2 \, \mathbb{1}(v_{tm} = j), \qquad j = 1, \ldots, p .
\end{equation}
""",
    source="Friedman, Greedy function approximation, 2001, equation 45",
    leaves_open="what the feature's number is compared with",
    i="3 4",
)
def squared_importance(i):
    return np.zeros(1)


@formula(
    r"""
Under the dispersion relation $\omega_n^2 = g k_n \tanh(k_n h)$ the surface elevation of a random sea is
\begin{equation}
\eta(t_m) = \sum_{n=1}^{N} a_n \cos(k_n x - \omega_n t_m + \varphi_n) .
\end{equation}
""",
    source="Holthuijsen, Waves in Oceanic and Coastal Waters, 2007, section 3.5",
    output="eta",
    a="4",
    k="4",
    x="",
    omega="4",
    t="3",
    varphi="4",
    shapes=("input omega[N]",),
)
def random_sea(a, k, x, omega, t, varphi):
    return np.cos(k * x - omega * t[:, None] + varphi) @ a


@formula(
    r"""
The configurational entropy and the mismatch of radii of a high-entropy alloy with $n$ elements are
\begin{align}
\Delta S_{\mathrm{mix}} &= -R \sum_{i=1}^{n} c_i \ln c_i, \\
\delta &= \sqrt{\sum_{i=1}^{n} c_i \left( 1 - \frac{r_i}{\bar{r}} \right)^2}, \qquad \bar{r} = \sum_{i=1}^{n} c_i r_i .
\end{align}
""",
    source="Zhang et al., Solid-solution phase formation rules for multi-component alloys, 2008",
    output="delta",
    R="",
    c="4",
    r="4",
)
def radius_mismatch(R, c, r):
    return np.sqrt(np.sum(c * (1 - r / np.sum(c * r)) ** 2))


@formula(
    r"""
Point kinetics with six groups of delayed neutrons:
\begin{equation}
\frac{dn}{dt} = \frac{\rho - \beta}{\Lambda} n + \sum_{i=1}^{6} \lambda_i C_i, \qquad \frac{dC_i}{dt} = \frac{\beta_i}{\Lambda} n - \lambda_i C_i, \quad i = 1, \ldots, 6
\end{equation}
with $\beta = \sum_{i=1}^{6} \beta_i$.
""",
    source="Duderstadt, Hamilton, Nuclear Reactor Analysis, 1976, section 6.1",
    output="dC_dt",
    beta="6",
    n="",
    lambda_="6",
    C="6",
    Lambda="",
    rho="",
)
def point_kinetics(beta, n, lambda_, C, Lambda, rho):
    return beta / Lambda * n - lambda_ * C


@formula(
    r"""
The $J_2$-perturbed potential at the radii $r_k$ and latitudes $\phi_k$ is
\[
U_k = -\frac{\mu}{r_k} \left[ 1 - J_2 \left( \frac{R_e}{r_k} \right)^2 \frac{3 \sin^2\phi_k - 1}{2} \right].
\]
""",
    source="Vallado, Fundamentals of Astrodynamics and Applications, 2013, section 8.6",
    mu="",
    r="4",
    J_2="",
    R_e="",
    phi="4",
)
def oblate_potential(mu, r, J_2, R_e, phi):
    return -mu / r * (1 - J_2 * (R_e / r) ** 2 * (3 * np.sin(phi) ** 2 - 1) / 2)


@formula(
    r"""
The logit of route choice with path size is
\begin{equation}
P_{nk} = \frac{\exp\left( V_{nk} + \beta \ln \mathrm{PS}_{nk} \right)}{\sum_{l=1}^{K} \exp\left( V_{nl} + \beta \ln \mathrm{PS}_{nl} \right)}, \qquad
\mathrm{PS}_{nk} = \sum_{a=1}^{A} \frac{\ell_a \delta_{ak}}{L_k \sum_{j=1}^{K} \delta_{aj}},
\end{equation}
where $\delta_{ak}$ is $1$ if link $a$ belongs to path $k$.
""",
    source="Ben-Akiva, Bierlaire, Discrete choice methods and their applications to short term travel decisions, 1999",
    leaves_open="delta is data, PS has an n that nothing has",
    V="2 3",
)
def path_size(V):
    return np.zeros(1)


@formula(
    r"""
The generalised nested fleet catch of year $y$ is
\begin{equation}
\hat{C}_{y} = \sum_{a=1}^{A} \frac{F_{ya}}{F_{ya} + M_a} \left( 1 - e^{-(F_{ya} + M_a)} \right) N_{ya} w_a, \qquad F_{ya} = s_a f_y,
\end{equation}
and its negative log-likelihood is
\begin{equation}
L = \sum_{y=1}^{Y} \left[ \ln\sigma + \frac{(\ln C_y - \ln \hat{C}_y)^2}{2\sigma^2} \right] .
\end{equation}
""",
    source="Quinn, Deriso, Quantitative Fish Dynamics, 1999, chapter 8",
    output="L",
    s="3",
    f="4",
    M="3",
    N="4 3",
    w="3",
    sigma="",
    C="4",
)
def catch_likelihood(s, f, M, N, w, sigma, C):
    F = f[:, None] * s
    Z = F + M
    c = np.sum(F / Z * (1 - np.exp(-Z)) * N * w, axis=1)
    return np.sum(np.log(sigma) + (np.log(C) - np.log(c)) ** 2 / (2 * sigma**2))


@formula(
    r"""
The Bark-scaled loudness of $B$ bands spreads according to
\begin{equation}
N'_b = \left( \sum_{j=1}^{B} \left( E_j \, 10^{-s |b - j| / 10} \right)^{\alpha} \right)^{1/\alpha}, \quad b = 1, \ldots, B.
\end{equation}
""",
    source="Zwicker, Fastl, Psychoacoustics, 1999, as coders print it",
    E="5",
    s="",
    alpha=lambda r: 0.6,
)
def spread_loudness(E, s, alpha):
    b = np.arange(5)
    t = E * 10 ** (-s * np.abs(b[:, None] - b) / 10)
    return np.sum(t**alpha, 1) ** (1 / alpha)


@formula(
    r"""
The LD score of variant $j$ and the expected statistic are
\begin{equation}
\ell_j = \sum_{k=1}^{M} r_{jk}^2, \qquad \mathrm{E}[\chi_j^2] = \frac{N h^2}{M} \ell_j + N a + 1 .
\end{equation}
""",
    source="Bulik-Sullivan et al., LD score regression, 2015, equation 1",
    leaves_open="an expectation on the left side",
    r="3 4",
)
def ld_score(r):
    return np.zeros(1)


@formula(
    r"""
The best linear unbiased predictor under the animal model with $\mathbf{A}^{-1}$ given as $\mathbf{K} \in \mathbb{R}^{n \times n}$ minimises
\[
Q(\mathbf{u}) = \frac{1}{\sigma_e^2} \sum_{i=1}^{n} (y_i - \mathbf{x}_i^\top \mathbf{b} - u_i)^2 + \frac{1}{\sigma_a^2} \mathbf{u}^\top \mathbf{K} \mathbf{u},
\]
where $\mathbf{x}_i, \mathbf{b} \in \mathbb{R}^p$ and $\mathbf{u} \in \mathbb{R}^n$.
""",
    source="Henderson, Best linear unbiased estimation and prediction under a selection model, 1975",
    sigma_e="",
    y="4",
    x=lambda r: normal(r, 4, 2),
    b=lambda r: normal(r, 2),
    u=lambda r: normal(r, 4),
    sigma_a="",
    K=lambda r: normal(r, 4, 4),
)
def animal_model(sigma_e, y, x, b, u, sigma_a, K):
    return np.sum((y - x @ b - u) ** 2) / sigma_e**2 + u @ K @ u / sigma_a**2


@formula(
    r"""
The margin-adjusted Elo rating after a round against opponents $j = 1, \ldots, m$ is
\begin{equation}
R' = R + K \sum_{j=1}^{m} \left( S_j - \frac{1}{1 + 10^{(R_j - R)/400}} \right).
\end{equation}
""",
    source="Glickman, A comprehensive guide to chess ratings, 1995",
    R="",
    K="",
    S="4",
    R_j="4",
)
def round_rating(R, K, S, R_j):
    return R + K * np.sum(S - 1 / (1 + 10 ** ((R_j - R) / 400)))


@formula(
    r"""
Premium reserves at the times $t = 0, \ldots, n$ are the prospective values
\begin{equation}
V_t = \sum_{k=0}^{n-t-1} v^{k+1} \; {}_k p_{x+t} \; q_{x+t+k} - P \sum_{k=0}^{n-t-1} v^k \; {}_k p_{x+t}
\end{equation}
""",
    source="Gerber, Life Insurance Mathematics, 1997, chapter 6",
    leaves_open="scripts in front of letters",
    v="",
)
def prospective_reserve(v):
    return np.zeros(1)


@formula(
    r"""
The distance modulus of supernovae enters
\begin{equation}
\chi^2 = \sum_{i=1}^{N} \frac{\left[ m_i - M + \alpha s_i - \beta c_i - 5 \log_{10} d_i \right]^2}{\sigma_{m,i}^2 + \sigma_{\mathrm{int}}^2} .
\end{equation}
""",
    source="Astier et al., The supernova legacy survey, 2006, equation 4",
    m="4",
    M="",
    alpha="",
    s="4",
    beta="",
    c="4",
    d="4",
    sigma_m="4",
    sigma_int="",
    shapes=("input sigma_m[N]",),
)
def supernova_fit(m, M, alpha, s, beta, c, d, sigma_m, sigma_int):
    e = m - M + alpha * s - beta * c - 5 * np.log10(d)
    return np.sum(e**2 / (sigma_m**2 + sigma_int**2))


@formula(
    r"""
The soft-binned entropy loss over $N$ samples, with bins centred at $b_k$, $k = 1, \ldots, K$, is
\begin{equation}
\begin{split}
q_{ik} &= \frac{\exp\{ -(h_i - b_k)^2 / (2 s^2) \}}{\sum_{l=1}^{K} \exp\{ -(h_i - b_l)^2 / (2 s^2) \}}, \\
p_k &= \frac{1}{N} \sum_{i=1}^{N} q_{ik}, \qquad \mathcal{H} = -\sum_{k=1}^{K} p_k \log(p_k + \epsilon) .
\end{split}
\end{equation}
""",
    source="Ustinova, Lempitsky, Learning deep embeddings with histogram loss, 2016, with entropies",
    output="H",
    h="5",
    b="3",
    s="",
    epsilon=lambda r: 1e-6,
)
def binned_entropy(h, b, s, epsilon):
    e = np.exp(-((h[:, None] - b) ** 2) / (2 * s**2))
    p = np.mean(e / e.sum(1, keepdims=True), 0)
    return -np.sum(p * np.log(p + epsilon))


@formula(
    r"""
The gauge action of the two-dimensional lattice with links $U_x(n,m)$ and $U_y(n,m)$ in $U(1)$, written with angles $\theta$ and $\phi$, is
\begin{equation}
S = \beta \sum_{n=1}^{N-1} \sum_{m=1}^{M-1} \left[ 1 - \cos\left( \theta_{n,m} + \phi_{n+1,m} - \theta_{n,m+1} - \phi_{n,m} \right) \right].
\end{equation}
""",
    source="Wilson, Confinement of quarks, 1974, for U(1) in two dimensions",
    beta="",
    theta="5 5",
    phi="5 5",
    shapes=("input theta[N, M], phi[N, M]",),
)
def gauge_action(beta, theta, phi):
    p = theta[:-1, :-1] + phi[1:, :-1] - theta[:-1, 1:] - phi[:-1, :-1]
    return beta * np.sum(1 - np.cos(p))


@formula(
    r"""
For a batch of $B$ pairs let $z^a_i$ and $z^b_i \in \mathbb{R}^d$ be the two embeddings. The invariance and redundancy terms are
\begin{equation}
\mathcal{L} = \frac{1}{B} \sum_{i=1}^{B} \| z_i^a - z_i^b \|_2^2 + \lambda \sum_{u \ne v} \left( \frac{1}{B-1} \sum_{i=1}^{B} (z_{iu}^a - \bar{z}_u^a)(z_{iv}^a - \bar{z}_v^a) \right)^2
\end{equation}
with $\bar{z}^a_u = \frac{1}{B} \sum_{i} z_{iu}^a$.
""",
    source="Bardes, Ponce, LeCun, VICReg, 2022, for one branch",
    output="L",
    z_a=lambda r: normal(r, 5, 3),
    z_b=lambda r: normal(r, 5, 3),
    lambda_="",
    shapes=("input z_a[B, d], z_b[B, d]",),
)
def redundancy_terms(z_a, z_b, lambda_):
    d = z_a - z_a.mean(0)
    c = d.T @ d / 4
    off = c - np.diag(np.diag(c))
    return np.mean(np.sum((z_a - z_b) ** 2, 1)) + lambda_ * np.sum(off**2)


@formula(
    r"""
The growth of $n$ crops on plots under the Mitscherlich law with nutrients $x_{pk}$ is
\begin{equation}
y_p = A \prod_{k=1}^{K} \left( 1 - 10^{-c_k (x_{pk} + b_k)} \right).
\end{equation}
""",
    source="Harmsen, A modified Mitscherlich equation for rainfed crop production, 2000, equation 1",
    A="",
    c="3",
    x="4 3",
    b="3",
)
def mitscherlich(A, c, x, b):
    return A * np.prod(1 - 10 ** (-c * (x + b)), axis=1)


@formula(
    r"""
The Harris corner measure on smoothed products $A, B, C \in \mathbb{R}^{H \times W}$ suppresses edges by
\[
M_{ij} = \frac{A_{ij} B_{ij} - C_{ij}^2}{A_{ij} + B_{ij} + \varepsilon},
\qquad
\bar{M} = \max_{i,j} M_{ij} .
\]
""",
    source="Noble, Finding corners, 1988",
    output="M_bar",
    A="3 4",
    B="3 4",
    C="3 4",
    varepsilon="",
)
def noble_corners(A, B, C, varepsilon):
    return np.max((A * B - C**2) / (A + B + varepsilon))


@formula(
    r"""
The weighted UPGMA distance between the merged cluster $(ij)$ and $k$ and the cophenetic correlation are
\begin{equation}
c = \frac{\sum_{i<j} (d_{ij} - \bar{d})(t_{ij} - \bar{t})}{\sqrt{\sum_{i<j} (d_{ij} - \bar{d})^2 \sum_{i<j} (t_{ij} - \bar{t})^2}},
\end{equation}
where $\bar{d}$ and $\bar{t}$ are given.
""",
    source="Sokal, Rohlf, The comparison of dendrograms by objective methods, 1962",
    d="4 4",
    t="4 4",
    d_bar="",
    t_bar="",
    shapes=("input d_bar[], t_bar[]",),
)
def cophenetic(d, t, d_bar, t_bar):
    u = np.triu_indices(4, 1)
    a, b = d[u] - d_bar, t[u] - t_bar
    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))


@formula(
    r"""
The reflection of sound at $N$ porous layers is described by the surface impedances of a recursion; for one layer on a rigid wall the absorption at the frequencies $\omega_q$ is
\begin{equation}
\alpha_q = 1 - \left( \frac{z_q - 1}{z_q + 1} \right)^2, \qquad z_q = \frac{\zeta_q}{\tanh(\kappa_q d)} .
\end{equation}
""",
    source="Allard, Atalla, Propagation of Sound in Porous Media, 2009, real impedances",
    output="alpha",
    zeta="4",
    kappa="4",
    d="",
)
def porous_layer(zeta, kappa, d):
    z = zeta / np.tanh(kappa * d)
    return 1 - ((z - 1) / (z + 1)) ** 2


@formula(
    r"""
The mean dwell of visits is estimated with truncated inverse propensities:
\begin{equation}
\hat{V}_{\mathrm{cIPS}} = \frac{1}{n} \sum_{i=1}^{n} \min\left\{ M, \frac{\pi(a_i \mid x_i)}{\pi_0(a_i \mid x_i)} \right\} r_i .
\end{equation}
""",
    source="Ionides, Truncated importance sampling, 2008, as articles on recommenders print it",
    leaves_open="conditional probabilities of data",
    M="",
    r="4",
)
def clipped_propensity(M, r):
    return 0.0


@formula(
    r"""
Stokes drag, buoyancy and lift act on particle $p$, so that its acceleration in the direction $k \in \{1, 2, 3\}$ is
\begin{equation}
a_{pk} = \frac{18 \mu}{\rho_p d_p^2} (u_{pk} - v_{pk}) f_p + \left( 1 - \frac{\rho_f}{\rho_p} \right) g_k, \qquad f_p = 1 + 0.15 \, \mathrm{Re}_p^{0.687},
\end{equation}
with the Reynolds number $\mathrm{Re}_p = \rho_f d_p w_p / \mu$.
""",
    source="Clift, Grace, Weber, Bubbles, Drops, and Particles, 1978",
    output="a",
    mu="",
    rho="4",
    d="4",
    u="4 3",
    v="4 3",
    rho_f="",
    g="3",
    w="4",
    shapes=("input rho[P], rho_f[]",),
)
def particle_acceleration(mu, rho, d, u, v, rho_f, g, w):
    f = 1 + 0.15 * (rho_f * d * w / mu) ** 0.687
    drag = (18 * mu / (rho * d**2) * f)[:, None] * (u - v)
    return drag + (1 - rho_f / rho)[:, None] * g


@formula(
    r"""
The discounted cumulative reward with entropy is maximised in expectation; for sampled paths $s = 1, \ldots, S$ the estimate is
\begin{equation}
\hat{J} = \frac{1}{S} \sum_{s=1}^{S} \sum_{t=0}^{T} \gamma^{\,t} \left[ r_{st} - \alpha \log p_{st} \right] .
\end{equation}
""",
    source="Haarnoja et al., Soft actor-critic, 2018, equation 1 for samples",
    gamma=lambda r: 0.9,
    r=lambda r: normal(r, 3, 4),
    alpha="",
    p="3 4",
    shapes=("input gamma[]",),
)
def entropy_return(gamma, r, alpha, p):
    return np.mean((r - alpha * np.log(p)) @ gamma ** np.arange(4))


@formula(
    r"""
\begin{equation}
\mathrm{TAPD}_n = 100\,\% \cdot \frac{1}{n} \sum_{i=1}^{n} \left| \frac{A_i - F_i}{A_i} \right|
\end{equation}
""",
    source="Armstrong, Long-Range Forecasting, 1985, the mean absolute percentage error",
    leaves_open="the sign of percent",
    A="4",
    F="4",
)
def percentage_error(A, F):
    return 100 * np.mean(np.abs((A - F) / A))


@formula(
    r"""
The sparse variational bound subtracts the trace term
\[
\mathcal{T} = \frac{1}{2\sigma^2} \sum_{i=1}^{n} \left( k_{ii} - \sum_{m=1}^{M} \sum_{l=1}^{M} q_{im} w_{ml} q_{il} \right),
\]
in which $w_{ml}$ is the inverse of the kernel at the inducing points.
""",
    source="Titsias, Variational learning of inducing variables in sparse Gaussian processes, 2009, equation 9",
    output="T",
    sigma="",
    k="4 4",
    q=lambda r: normal(r, 4, 2),
    w=lambda r: normal(r, 2, 2),
)
def trace_term(sigma, k, q, w):
    return np.sum(np.diag(k) - np.einsum("im,ml,il->i", q, w, q)) / (2 * sigma**2)


@formula(
    r"""
A blur kernel of the lens with radius $\rho$ has the weights
\begin{equation}
w_{uv} = \begin{cases} \dfrac{1}{\pi \rho^2} & \text{if } u^2 + v^2 \le \rho^2, \\ 0 & \text{else,} \end{cases} \qquad u, v = -R, \ldots, R.
\end{equation}
""",
    source="Subbarao, Surya, Depth from defocus: a spatial domain approach, 1994, sampled",
    rho=lambda r: 1.7,
    sizes={"R": 2},
)
def pillbox(rho):
    u = np.arange(-2, 3)
    return np.where(u[:, None] ** 2 + u**2 <= rho**2, 1 / (np.pi * rho**2), 0)


@formula(
    r"""
The kriging weights follow from the variogram; the semivariance of the pairs in class $h$ is
\begin{equation}
\hat\gamma_h = \frac{1}{2 \sum_{i<j} m_{hij}} \sum_{i<j} m_{hij} (z_i - z_j)^2,
\end{equation}
where $m_{hij}$ is one for pairs $i, j$ of the class.
""",
    source="Matheron, Principles of geostatistics, 1963, with indicators of the classes",
    m="2 4 4",
    z=lambda r: normal(r, 4),
)
def classed_variogram(m, z):
    u = np.triu(np.ones((4, 4)), 1) * m
    return np.sum(u * (z[:, None] - z) ** 2, axis=(1, 2)) / (2 * np.sum(u, axis=(1, 2)))
