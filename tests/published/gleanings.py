"""Formulas as older and odder habits of typesetting print them, from many fields."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass[prl]{revtex4-1}
\newcommand{\be}{\begin{equation}}
\newcommand{\ee}{\end{equation}}
\begin{document}
The Hamiltonian is
\be
H = -\sum_{i<j} J_{ij} \sigma_i \sigma_j - h \sum_{i} \sigma_i ,
\ee
with $N$ spins $\sigma_i = \pm 1$.
\end{document}
""",
    source="Sherrington, Kirkpatrick, Solvable model of a spin-glass, 1975",
    shapes=("size N", "input J[N, N], sigma[N], h[]"),
    J=lambda r: normal(r, 5, 5),
    sigma=lambda r: np.sign(normal(r, 5)),
    h="",
)
def spin_hamiltonian(J, sigma, h):
    return (
        -sum(J[i, j] * sigma[i] * sigma[j] for i in range(5) for j in range(i + 1, 5))
        - h * sigma.sum()
    )


@formula(
    r"""
$$
\rho_{xy} = {\sum_{i=1}^n (x_i - \bar x)(y_i - \bar y) \over \left[ \sum_{i=1}^n (x_i - \bar x)^2 \sum_{i=1}^n (y_i - \bar y)^2 \right]^{1/2}}
$$
where the overbar denotes the average.
""",
    source="Pearson, 1895; in old TeX",
    x="5",
    y="5",
)
def correlation_with_over(x, y):
    return np.corrcoef(x, y)[0, 1]


@formula(
    r"""
\begin{equation}
\mathrm{score}(Q,D) = \sum\limits_{i=1}^{n} \mathrm{idf}_i \cdot \frac{f_i \cdot (k_1+1)}{f_i + k_1\cdot\left(1-b+b\cdot\frac{L}{L_{\text{avg}}}\right)}\tag{3}
\end{equation}
""",
    source="Robertson, Zaragoza, The probabilistic relevance framework, 2009; with short names",
    idf="3",
    f="3",
    k_1=lambda r: 1.2,
    b=lambda r: 0.75,
    L="",
    L_avg="",
)
def okapi_of_terms(idf, f, k_1, b, L, L_avg):
    return (idf * f * (k_1 + 1) / (f + k_1 * (1 - b + b * L / L_avg))).sum()


@formula(
    r"""
The Bhattacharyya coefficient of two discrete distributions is $BC \stackrel{\mathrm{def}}{=} \sum_{i=1}^n \sqrt{p_i q_i}$ and
\[ D_B \stackrel{\mathrm{def}}{=} -\ln \sum_{i=1}^n \sqrt{p_i q_i}. \]
""",
    source="Bhattacharyya, On a measure of divergence, 1943",
    output="D_B",
    p="4",
    q="4",
)
def bhattacharyya(p, q):
    return -np.log(np.sqrt(p * q).sum())


@formula(
    r"""
\begin{equation}
\begin{split}
E_{\rm tot} & = \sum_{\rm bonds} K_r (r - r_{eq})^2 + \sum_{\rm angles} K_\theta (\theta - \theta_{eq})^2
\end{split}
\end{equation}
""",
    source="Cornell et al., A second generation force field, 1995, equation 1, two terms",
    leaves_open="sums over words",
    K="3",
)
def amber_terms(K):
    return K


@formula(
    r"""
For each source $s$ we write the $\beta$-divergence of NMF with $\beta = 0$, the Itakura--Saito divergence,
\begin{equation}
D_{IS}(V \,|\, \hat{V}) = \sum_{f=1}^{F} \sum_{n=1}^{N} \left( \frac{v_{fn}}{\hat{v}_{fn}} - \log \frac{v_{fn}}{\hat{v}_{fn}} - 1 \right), \quad \hat{v}_{fn} = \sum_{k=1}^{K} w_{fk} h_{kn}.
\end{equation}
""",
    source="Fevotte, Bertin, Durrieu, Nonnegative matrix factorization with the Itakura-Saito divergence, 2009",
    output="D_IS",
    v="3 4",
    w="3 2",
    h="2 4",
)
def itakura_saito(v, w, h):
    r = v / (w @ h)
    return (r - np.log(r) - 1).sum()


@formula(
    r"""
{\bf Definition.} Let $x_1,\ldots,x_n$ be observations. The Hodges--Lehmann shift and the biweight midvariance use
\begin{displaymath}
\zeta^2_{bi} = \frac{n \sum_{|u_i|<1} (x_i - M)^2 (1-u_i^2)^4}{\left( \sum_{|u_i|<1} (1-u_i^2)(1-5u_i^2) \right)^2}, \qquad u_i = \frac{x_i - M}{9\,\mathrm{MAD}},
\end{displaymath}
where $M$ is the sample median.
""",
    source="Mosteller, Tukey, Data analysis and regression, 1977",
    output="zeta_bi",
    shapes=("size n", "input x[n], M[], MAD[]"),
    x=lambda r: normal(r, 6),
    M=lambda r: 0.1,
    MAD=lambda r: 0.15,
    leaves_open="whether the square is a name",
)
def biweight_midvariance(x, M, MAD):
    u = (x - M) / (9 * MAD)
    k = abs(u) < 1
    a = (k * (x - M) ** 2 * (1 - u**2) ** 4).sum() * 6
    return a / (k * (1 - u**2) * (1 - 5 * u**2)).sum() ** 2


@formula(
    r"""
The light curve is folded and the phase dispersion minimisation statistic $\Theta = s^2/\sigma^2$ computed with
\begin{align}
\sigma^2 &= \frac{\sum_{i=1}^{N} (x_i - \bar{x})^2}{N-1}, \\
s^2 &= \frac{\sum_{j=1}^{M} (n_j - 1)\, s_j^2}{\sum_{j=1}^{M} n_j - M},
\end{align}
""",
    source="Stellingwerf, Period determination using phase dispersion minimization, 1978",
    output="s_squared",
    x="5",
    n=lambda r: np.array([2.0, 3.0, 4.0]),
    s_j="3",
)
def phase_dispersion(x, n, s_j):
    return ((n - 1) * s_j**2).sum() / (n.sum() - 3)


@formula(
    r"""
\begin{equation}
\text{LogSumExp}_{\tau}(\mathbf{x}) \triangleq \tau \log \left( \frac{1}{n} \sum_{i=1}^n e^{x_i/\tau} \right)
\end{equation}
""",
    source="smooth maximum, as papers on multiple instance learning print it",
    tau="",
    x=lambda r: normal(r, 5),
)
def mean_smooth_maximum(tau, x):
    return tau * np.log(np.exp(x / tau).mean())


@formula(
    r"""
The Q matrix of a closed queueing network gives mean waiting times by mean value analysis:
\begin{align*}
W_k(n) &= s_k \left[1 + L_k(n-1)\right], & k &= 1, \dots, K,
\end{align*}
""",
    source="Reiser, Lavenberg, Mean-value analysis of closed multichain queuing networks, 1980",
    leaves_open="recursion in n",
    s="3",
)
def mean_value_analysis(s):
    return s


@formula(
    r"""
The common spatial patterns maximise the ratio of variances $J(\mathbf{w})$, where for trials $X_t \in \mathbb{R}^{C \times T}$ the class covariance is
\begin{equation}
\Sigma = \frac{1}{N} \sum_{t=1}^{N} \frac{X_t X_t^\top}{\mathrm{tr}(X_t X_t^\top)} .
\end{equation}
""",
    source="Blankertz et al., Optimizing spatial filters for robust EEG single-trial analysis, 2008",
    X=lambda r: normal(r, 4, 3, 5),
)
def trial_covariance(X):
    S = np.einsum("tcs,tds->tcd", X, X)
    return (S / np.trace(S, axis1=1, axis2=2)[:, None, None]).mean(0)


@formula(
    r"""
\begin{equation}
P_{ij} = \frac{e^{\theta_i - b_j}}{1 + e^{\theta_i - b_j}}, \qquad
\ln L = \sum_{i=1}^{N}\sum_{j=1}^{J} \left[ u_{ij} \ln P_{ij} + (1-u_{ij}) \ln (1-P_{ij}) \right]
\end{equation}
""",
    source="Rasch, Probabilistic models for some intelligence and attainment tests, 1960",
    output="log_L",
    theta=lambda r: normal(r, 4),
    b=lambda r: normal(r, 3),
    u=lambda r: np.round(r.uniform(0, 1, (4, 3))),
)
def rasch_likelihood(theta, b, u):
    p = 1 / (1 + np.exp(-(theta[:, None] - b)))
    return (u * np.log(p) + (1 - u) * np.log(1 - p)).sum()


@formula(
    r"""
The transmission of a multilayer neglecting interference, per wavelength $\lambda$ (in nm), is
\[ T(\lambda) = \prod_{m=1}^{M} \exp\bigl(-\alpha_m(\lambda)\, d_m\bigr). \]
""",
    source="Born, Wolf, Principles of optics, 1999; absorbing layers",
    shapes=("input alpha[M, L], d[M]",),
    alpha="3 4",
    d="3",
)
def layers_transmission(alpha, d):
    return np.exp(-(alpha * d[:, None]).sum(0))


@formula(
    r"""
Let $A = (a_{ij})$ be the adjacency matrix of a weighted directed network, $k_i^{\mathrm{in}} = \sum_j a_{ji}$ and $k_i^{\mathrm{out}} = \sum_j a_{ij}$. Its reciprocity is
\begin{equation}
r = \frac{\sum_{i \neq j} (a_{ij} - \bar{a})(a_{ji} - \bar{a})}{\sum_{i\ne j} (a_{ij} - \bar a)^2}, \quad \bar{a} = \frac{\sum_{i \ne j} a_{ij}}{N(N-1)} .
\end{equation}
""",
    source="Garlaschelli, Loffredo, Patterns of link reciprocity in directed networks, 2004",
    shapes=("size N", "input a[N, N]"),
    output="r",
    a="4 4",
)
def reciprocity(a):
    off = ~np.eye(4, dtype=bool)
    m = a[off].mean()
    d = a - m
    return (d * d.T)[off].sum() / (d**2)[off].sum()


@formula(
    r"""
\newcommand{\vect}[1]{\boldsymbol{#1}}
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
The gravitational potential energy of softened particles is
\begin{equation}
\Phi(\vect{x}_i) = -G \sum_{j \neq i} \frac{m_j}{\sqrt{\norm{\vect{x}_i - \vect{x}_j}^2 + \epsilon^2}}
\end{equation}
""",
    source="Aarseth, Gravitational N-body simulations, 2003",
    shapes=("input x[N, 3], m[N]",),
    G="",
    m="4",
    x=lambda r: normal(r, 4, 3),
    epsilon="",
)
def softened_potential(G, m, x, epsilon):
    d = ((x[:, None] - x) ** 2).sum(2)
    return -G * np.sum((1 - np.eye(4)) * m / np.sqrt(d + epsilon**2), 1)


@formula(
    r"""
The discharge through a network pipe follows Hazen--Williams; the residual of continuity at node $j$ reads
\begin{equation}
R_j = \sum_{i=1}^{n} \operatorname{sgn}(H_i - H_j) \left( \frac{|H_i - H_j|}{K_{ij}} \right)^{1/1.852} - q_j
\end{equation}
""",
    source="Williams, Hazen, Hydraulic tables, 1905; as papers on networks print it",
    H="4",
    K="4 4",
    q="4",
)
def node_residual(H, K, q):
    d = H[:, None] - H[None]
    return (np.sign(d) * (abs(d) / K) ** (1 / 1.852)).sum(0) - q


@formula(
    r"""
Weighted UniFrac between communities $A$ and $B$ on a tree with branch lengths $b_i$ is computed as
\begin{equation}
u = \sum_{i}^{n} b_i \times \left| \frac{A_i}{A_T} - \frac{B_i}{B_T} \right|
\end{equation}
""",
    source="Lozupone et al., Quantitative and qualitative beta diversity measures, 2007, equation 1",
    b="4",
    A="4",
    A_T="",
    B="4",
    B_T="",
)
def unifrac(b, A, A_T, B, B_T):
    return (b * abs(A / A_T - B / B_T)).sum()


@formula(
    r"""
\begin{equation}
\hat\beta_{2SLS} = \frac{\sum_{i=1}^n (z_i-\bar z)(y_i-\bar y)}{\sum_{i=1}^n (z_i-\bar z)(x_i-\bar x)}
\end{equation}
""",
    source="Angrist, Pischke, Mostly harmless econometrics, 2009, section 4.1",
    z="5",
    y="5",
    x=lambda r: np.arange(5.0) + uniform(r, 5),
)
def two_stage(z, y, x):
    return ((z - z.mean()) * (y - y.mean())).sum() / ((z - z.mean()) * (x - x.mean())).sum()


@formula(
    r"""
In semi-implicit form the tridiagonal system of the column model is $a_k T_{k-1} + b_k T_k + c_k T_{k+1} = d_k$, and the flux is
\begin{equation}
F_k = -\kappa_k \frac{T_{k+1} - T_k}{z_{k+1} - z_k}, \qquad k = 1, 2, \dots, K-1.
\end{equation}
""",
    source="Patankar, Numerical heat transfer and fluid flow, 1980",
    kappa="4",
    T="5",
    z=lambda r: np.arange(5.0) + uniform(r, 5),
)
def column_flux(kappa, T, z):
    return -kappa * (T[1:] - T[:-1]) / (z[1:] - z[:-1])


@formula(
    r"""
The quaternion average cost and the attitude matrix cost (Wahba's problem) is
\begin{equation}
J({\bf A}) = \frac{1}{2} \sum_{k=1}^{N} a_k \left\| {\bf b}_k - {\bf A} {\bf r}_k \right\|^2 ,
\end{equation}
""",
    source="Wahba, A least squares estimate of satellite attitude, 1965",
    shapes=("input A[3, 3], a[N], b[N, 3], r[N, 3]",),
    a="4",
    b=lambda r: normal(r, 4, 3),
    A=lambda r: normal(r, 3, 3),
    r=lambda r: normal(r, 4, 3),
)
def wahba(a, b, A, r):
    return 0.5 * (a * ((b - r @ A.T) ** 2).sum(1)).sum()


@formula(
    r"""
The $k$-th Hu-type moment uses
\begin{equation}
m_{pq} = \sum_{x=1}^{M} \sum_{y=1}^{N} x^p y^q I(x,y),
\end{equation}
$p, q = 0, 1, 2$.
""",
    source="Hu, Visual pattern recognition by moment invariants, 1962",
    I="3 4",
)
def raw_moments(I):
    out = np.zeros((3, 3))
    for p, q, x, y in np.ndindex(3, 3, 3, 4):
        out[p, q] += (x + 1) ** p * (y + 1) ** q * I[x, y]
    return out


@formula(
    r"""
The photometric redshift likelihood marginalises the amplitude,
\begin{equation}
\chi^2(z) = \sum_{b} \left( \frac{f_b - \alpha(z)\, T_b(z)}{\sigma_b} \right)^2, \quad
\alpha(z) = \frac{\sum_b f_b T_b(z)/\sigma_b^2}{\sum_b T_b(z)^2/\sigma_b^2}.
\end{equation}
""",
    source="Benitez, Bayesian photometric redshift estimation, 2000",
    shapes=("input f[B], sigma[B], T[B, Z]",),
    output="chi_squared",
    f="4",
    T="4 3",
    sigma="4",
)
def redshift_fit(f, T, sigma):
    w = 1 / sigma**2
    a = (f * w) @ T / (w @ T**2)
    return (((f[:, None] - a * T) / sigma[:, None]) ** 2).sum(0)


@formula(
    r"""
\begin{equation}
\label{eq:hh}
C_m \frac{dV_i}{dt} = -\bar{g}_{Na} m_i^3 h_i (V_i - E_{Na}) - \bar{g}_K n_i^4 (V_i - E_K) - g_L (V_i - E_L) + \sum_{j=1}^{N} g_{ij} (V_j - V_i)
\end{equation}
""",
    source="Hodgkin, Huxley, 1952, with gap junctions",
    output="dV_dt",
    g_bar_Na="",
    m="3",
    h="3",
    V="3",
    E_Na="",
    g_bar_K="",
    n="3",
    E_K="",
    g_L="",
    E_L="",
    g="3 3",
    C_m="",
    shapes=(
        "input g_bar_Na[], m[N], h[N], V[N], E_Na[], g_bar_K[], n[N], E_K[], g_L[], E_L[], g[N, N], C_m[]",
    ),
)
def coupled_hodgkin_huxley(g_bar_Na, m, h, V, E_Na, g_bar_K, n, E_K, g_L, E_L, g, C_m):
    I = -g_bar_Na * m**3 * h * (V - E_Na) - g_bar_K * n**4 * (V - E_K) - g_L * (V - E_L)
    return (I + (g * (V - V[:, None])).sum(1)) / C_m


@formula(
    r"""
The classification margin of AdaBoost after $T$ rounds is
\begin{equation}
\mathrm{margin}_i = \frac{y_i \sum_{t=1}^{T} \alpha_t h_t(x_i)}{\sum_{t=1}^{T} |\alpha_t|}, \qquad \alpha_t = \frac{1}{2} \ln \left( \frac{1-\epsilon_t}{\epsilon_t} \right),
\end{equation}
""",
    source="Schapire et al., Boosting the margin, 1998",
    shapes=("input h[T, n], y[n], epsilon[T]",),
    output="margin",
    y=lambda r: np.sign(normal(r, 4)),
    epsilon=lambda r: r.uniform(0.1, 0.4, 3),
    h=lambda r: np.sign(normal(r, 3, 4)),
)
def margins_of_boosting(y, epsilon, h):
    a = 0.5 * np.log((1 - epsilon) / epsilon)
    return y * (a @ h) / abs(a).sum()


@formula(
    r"""
The Fisher-Rao geodesic distance between two multinomials $p$ and $q$ is
$$d(p,q) = 2 \arccos \Big( \sum_{i=1}^{k} \sqrt{p_i}\,\sqrt{q_i} \Big)\,.$$
""",
    source="Lebanon, Metric learning for text documents, 2006",
    p=lambda r: np.array([0.2, 0.3, 0.5]),
    q=lambda r: np.array([0.4, 0.4, 0.2]),
)
def multinomial_geodesic(p, q):
    return 2 * np.arccos((np.sqrt(p) * np.sqrt(q)).sum())


@formula(
    r"""
The sum-of-squares stress of \emph{Sammon's mapping} is
\begin{equation}
E = \frac{1}{\sum\limits_{i<j} d^{\,*}_{ij}} \sum_{i<j} \frac{(d^{\,*}_{ij} - d_{ij})^2}{d^{\,*}_{ij}}
\end{equation}
where $d_{ij}$ are distances among $N$ points.
""",
    source="Sammon, A nonlinear mapping for data structure analysis, 1969",
    shapes=("size N", "input d_star[N, N], d[N, N]"),
    d_star="4 4",
    d="4 4",
)
def sammon_stress(d_star, d):
    u = np.triu(np.ones((4, 4)), 1)
    return (u * (d_star - d) ** 2 / d_star).sum() / (u * d_star).sum()


@formula(
    r"""
Differential expression is scored by the moderated statistic
\begin{equation}
t_g = \frac{\bar{x}_{g1} - \bar{x}_{g2}}{s_g + s_0}, \quad \bar{x}_{gc} = \frac{1}{n} \sum_{k=1}^{n} x_{gck},
\end{equation}
with fudge factor $s_0$.
""",
    source="Tusher, Tibshirani, Chu, Significance analysis of microarrays, 2001",
    shapes=("size G, n", "input x[G, 2, n], s[G], s_0[]"),
    output="t",
    x="4 2 3",
    s="4",
    s_0="",
)
def moderated_statistic(x, s, s_0):
    m = x.mean(2)
    return (m[:, 0] - m[:, 1]) / (s + s_0)


@formula(
    r"""
We minimise the total variation regularised functional
\begin{equation}
\mathcal{J}(u) = \frac{1}{2} \sum_{i=1}^{n} \sum_{j=1}^{m} (u_{i,j} - f_{i,j})^2 + \lambda \left( \sum_{i=1}^{n-1}\sum_{j=1}^{m} |u_{i+1,j} - u_{i,j}| + \sum_{i=1}^{n}\sum_{j=1}^{m-1} |u_{i,j+1}-u_{i,j}| \right).
\end{equation}
""",
    source="Rudin, Osher, Fatemi, 1992, the anisotropic form",
    u=lambda r: normal(r, 4, 3),
    f=lambda r: normal(r, 4, 3),
    lambda_="",
)
def anisotropic_denoising(u, f, lambda_):
    return ((u - f) ** 2).sum() / 2 + lambda_ * (
        abs(np.diff(u, axis=0)).sum() + abs(np.diff(u, axis=1)).sum()
    )


@formula(
    r"""
Denoting by $N_{\rm ch}$ the number of channels, the multichannel energy operator output is
\[
\Psi = \sum_{c=1}^{N_{\rm ch}} \sum_{n=2}^{N-1} \left( x_c^2[n] - x_c[n-1]\, x_c[n+1] \right) .
\]
""",
    source="Kaiser, On a simple algorithm to calculate the energy of a signal, 1990",
    x=lambda r: normal(r, 2, 5),
)
def channels_energy(x):
    return (x[:, 1:-1] ** 2 - x[:, :-2] * x[:, 2:]).sum()


@formula(
    r"""
The SU(2)-inspired O(3) model has action
\begin{equation}
S = -\beta \sum_{x=1}^{L} \vec{s}_x \cdot \vec{s}_{x+1}, \qquad \vec{s}_{L+1} = \vec{s}_1 ,
\end{equation}
with $\vec s_x \in \mathbb{R}^3$.
""",
    source="Luescher, Weisz, Wolff, A numerical method to compute the running coupling, 1991; one dimension",
    beta="",
    s=lambda r: normal(r, 4, 3),
)
def sigma_model(beta, s):
    return -beta * (s * np.roll(s, -1, 0)).sum()


@formula(
    r"""
The LSTM cell of each unit $j$ is
\begin{align}
i^j_t &= \sigma\left( W_i \mathbf{x}_t + U_i \mathbf{h}_{t-1} \right)^j
\end{align}
""",
    source="Chung et al., Empirical evaluation of gated recurrent neural networks, 2014",
    leaves_open="time and units",
    x="3",
)
def lstm_gate(x):
    return x


@formula(
    r"""
The knowledge graph score of RotatE in real form with phases is
\begin{equation}
d_r = \sum_{k=1}^{K} \left[ (a_k \cos\theta_k - b_k\sin\theta_k - a'_k)^2 + (a_k\sin\theta_k + b_k\cos\theta_k - b'_k)^2 \right]^{\frac12}
\end{equation}
""",
    source="Sun et al., RotatE, 2019, in real numbers",
    a=lambda r: normal(r, 4),
    theta=lambda r: normal(r, 4),
    b=lambda r: normal(r, 4),
    a_prime=lambda r: normal(r, 4),
    b_prime=lambda r: normal(r, 4),
)
def rotation_score(a, theta, b, a_prime, b_prime):
    x = a * np.cos(theta) - b * np.sin(theta) - a_prime
    y = a * np.sin(theta) + b * np.cos(theta) - b_prime
    return np.sqrt(x**2 + y**2).sum()


@formula(
    r"""
\begin{equation}
\mathrm{VI}(X;Y) = -\sum_{i=1}^{r}\sum_{j=1}^{s} r_{ij} \left[ \log\frac{r_{ij}}{p_i} + \log\frac{r_{ij}}{q_j} \right], \quad p_i = \sum_{j} r_{ij},\ q_j = \sum_i r_{ij}
\end{equation}
""",
    source="Meila, Comparing clusterings by the variation of information, 2003",
    output="VI",
    r="3 4",
)
def variation_of_information(r):
    p, q = r.sum(1, keepdims=True), r.sum(0, keepdims=True)
    return -(r * (np.log(r / p) + np.log(r / q))).sum()


@formula(
    r"""
The ground-state energy per particle in the Hartree approximation with contact interaction $g$ on a grid of spacing $\delta$ is
\begin{equation}
\frac{E}{N} = \delta \sum_{k=1}^{M} \left[ V_k |\psi_k|^2 + \frac{g}{2} |\psi_k|^4 \right]
\end{equation}
""",
    source="Dalfovo et al., Theory of Bose-Einstein condensation in trapped gases, 1999",
    delta="",
    V="4",
    psi=lambda r: normal(r, 4),
    g="",
)
def condensate_energy(delta, V, psi, g):
    return delta * (V * psi**2 + g / 2 * psi**4).sum()


@formula(
    r"""
A differentiable rank uses pairwise sigmoids,
\begin{equation}
\tilde{r}_i = 1 + \sum_{j \ne i} \frac{1}{1 + \exp\{-(s_j - s_i)/\tau\}}, \qquad i = 1,\ldots,n .
\end{equation}
""",
    source="Qin, Liu, Li, A general approximation framework for direct optimization of information retrieval measures, 2010",
    s=lambda r: normal(r, 5),
    tau="",
)
def approximate_ranks(s, tau):
    e = 1 / (1 + np.exp(-(s[None] - s[:, None]) / tau))
    return 1 + (e * (1 - np.eye(5))).sum(1)


@formula(
    r"""
\[
a_{ij} = \underset{j}{\operatorname{softmax}} \left( \frac{q_i \cdot k_j}{\sqrt{d}} \right), \quad o_i = \sum_j a_{ij} v_j
\]
where $q_i, k_j, v_j \in \mathbb{R}^d$.
""",
    source="Vaswani et al., 2017; as lecture notes print it",
    output="o",
    q=lambda r: normal(r, 3, 4),
    k=lambda r: normal(r, 5, 4),
    v=lambda r: normal(r, 5, 4),
)
def underset_softmax(q, k, v):
    e = np.exp(q @ k.T / 2)
    return e @ v / e.sum(1, keepdims=True)


@formula(
    r"""
We use the Adamax rule
$$u_t = \max(\beta_2 \cdot u_{t-1}, |g_t|)$$
""",
    source="Kingma, Ba, Adam, 2015, section 7.1",
    beta_2="",
    u_prev="",
    g_t="",
)
def adamax(beta_2, u_prev, g_t):
    return max(beta_2 * u_prev, abs(g_t))


@formula(
    r"""
The Lindhard-like susceptibility on a $k$ mesh is given by
\begin{equation}
\chi_q = -\frac{1}{N} \sum_{k=1}^{N} \frac{f_k - f_{kq}}{\varepsilon_k - \varepsilon_{kq} + \eta}, \quad f_k = \frac{1}{e^{\varepsilon_k/T}+1}, \quad f_{kq} = \frac{1}{e^{\varepsilon_{kq}/T}+1}.
\end{equation}
""",
    source="Ashcroft, Mermin, Solid state physics, 1976, chapter 17",
    output="chi",
    varepsilon_k="4",
    T="",
    varepsilon=lambda r: 3 + uniform(r, 4, 3),
    eta="",
)
def susceptibility(varepsilon_k, T, varepsilon, eta):
    f, g = 1 / (np.exp(varepsilon_k / T) + 1), 1 / (np.exp(varepsilon / T) + 1)
    return -np.mean((f[:, None] - g) / (varepsilon_k[:, None] - varepsilon + eta), 0)


@formula(
    r"""
The generalised Morse potential of a surface with sites $s$ and atoms $i$ is
\begin{equation}
V = \sum_{i,s} D_s \bigl[ e^{-2\alpha_s (R_{is} - R_s^0)} - 2 e^{-\alpha_s (R_{is} - R^0_s)} \bigr].
\end{equation}
""",
    source="Morse, Diatomic molecules according to the wave mechanics, 1929; on surfaces",
    shapes=("input D[S], alpha[S], R[N, S], R_0[S]",),
    D="3",
    alpha="3",
    R="4 3",
    R_0="3",
)
def surface_morse(D, alpha, R, R_0):
    d = R - R_0
    return (D * (np.exp(-2 * alpha * d) - 2 * np.exp(-alpha * d))).sum()


@formula(
    r"""
The expected shortfall of a portfolio over sorted losses $L_{(1)} \ge L_{(2)} \ge \dots$ is
\begin{equation}
ES_\alpha = \frac{1}{k} \sum_{i=1}^{k} L_{(i)}, \quad k = \lfloor n(1-\alpha) \rfloor .
\end{equation}
""",
    source="Acerbi, Tasche, Expected shortfall, 2002",
    leaves_open="sorting",
    L="5",
)
def expected_shortfall(L):
    return L
