"""Formulas of many fields, the last batch that was written before anything was known of how it is read."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The empirical variogram of Cressie and Hawkins at lag $h$ with $N_h$ pairs and increments $\Delta z_{k}$ is robust:
\begin{equation}
2\bar{\gamma}(h) = \frac{ \left\{ \frac{1}{N_h} \sum_{k=1}^{N_h} |\Delta z_k|^{1/2} \right\}^4 }{ 0.457 + \frac{0.494}{N_h} } .
\end{equation}
""",
    source="Cressie, Hawkins, Robust estimation of the variogram, 1980",
    leaves_open="the left side is twice what is asked for",
    z="5",
)
def robust_variogram(z):
    return np.zeros(3)


@formula(
    r"""
For the residuals $r_i = y_i - f(x_i)$ the Huber-type $M$-estimate of Tukey uses
\begin{equation}
\rho(r) = \begin{cases} \frac{c^2}{6} \left[ 1 - \left( 1 - \left( \frac{r}{c} \right)^2 \right)^3 \right], & |r| \le c \\ \frac{c^2}{6}, & |r| > c \end{cases}
\end{equation}
and minimises $J = \sum_{i=1}^{n} \rho(r_i)$.
""",
    source="Beaton, Tukey, The fitting of power series, 1974; as in Fox, Weisberg, Robust regression, 2013",
    output="J",
    r=lambda r: normal(r, 5),
    c="",
)
def tukey_biweight(r, c):
    return sum(c**2 / 6 * (1 - (1 - (x / c) ** 2) ** 3 if abs(x) <= c else 1) for x in r)


@formula(
    r"""
The FCN model for sea ice gives each floe $i$ the drag
\begin{equation}
\mathbf{F}_i = \rho_a C_a A_i \left| \mathbf{u}_a - \mathbf{v}_i \right| (\mathbf{u}_a - \mathbf{v}_i) + \rho_w C_w A_i \left| \mathbf{u}_w - \mathbf{v}_i \right| (\mathbf{u}_w - \mathbf{v}_i), \quad i = 1, \ldots, N.
\end{equation}
""",
    source="Herman, Discrete-element bonded-particle sea ice model, 2016, the quadratic drag",
    shapes=("input u_a[2], v[N, 2], u_w[2], A[N], rho_a[], C_a[], rho_w[], C_w[]",),
    rho_a="",
    C_a="",
    A="4",
    u_a=lambda r: normal(r, 2),
    v=lambda r: normal(r, 4, 2),
    rho_w="",
    C_w="",
    u_w=lambda r: normal(r, 2),
)
def floe_drag(rho_a, C_a, A, u_a, v, rho_w, C_w, u_w):
    def drag(u):
        d = u - v
        return np.linalg.norm(d, axis=1)[:, None] * d

    return A[:, None] * (rho_a * C_a * drag(u_a) + rho_w * C_w * drag(u_w))


@formula(
    r"""
The trophic position of species $i$ is $1$ plus the mean over its prey; with the diet matrix $p_{ij}$ one step of the iteration is
\begin{equation}
TL_i' = 1 + \sum_{j=1}^{S} p_{ij} \, TL_j .
\end{equation}
""",
    source="Levine, Several measures of trophic structure, 1980",
    p="4 4",
    TL="4",
)
def trophic_levels(p, TL):
    return 1 + p @ TL


@formula(
    r"""
\begin{equation}
    \mathcal{L}_{\text{VLB}}(\mathbf{w}) = -\frac{1}{L} \sum_{l=1}^{L} \sum_{n=1}^{N} \left[ t_n \ln \sigma(a_n^{(l)}) + (1 - t_n) \ln (1 - \sigma(a_n^{(l)})) \right], \quad a_n^{(l)} = \sum_{d=1}^{D} w_d^{(l)} x_{nd}
\end{equation}
with the logistic sigmoid $\sigma(\cdot)$.
""",
    source="Monte Carlo estimates of Bayesian logistic regression, as in Jaakkola, Jordan, 2000",
    shapes=("input w[D, L]",),
    output="L_cal_VLB",
    t=lambda r: r.integers(0, 2, 5).astype(float),
    w=lambda r: normal(r, 3, 4),
    x=lambda r: normal(r, 5, 3),
)
def bayesian_logistic(t, w, x):
    s = 1 / (1 + np.exp(-(x @ w)))
    return -(t[:, None] * np.log(s) + (1 - t[:, None]) * np.log(1 - s)).sum() / 4


@formula(
    r"""
where $\delta_{ik}$ is the Kronecker delta. The elastic stiffness of an isotropic solid reads
\begin{equation}
  \mathsf{C}_{ijkl} = \lambda\, \delta_{ij} \delta_{kl} + \mu \left( \delta_{ik} \delta_{jl} + \delta_{il} \delta_{jk} \right), \qquad i, j, k, l = 1, 2, 3,
\end{equation}
with the Lam\'e parameters $\lambda$ and $\mu$.
""",
    source="Gurtin, An introduction to continuum mechanics, 1981, section 22",
    **{"lambda": "", "mu": ""},
)
def isotropic_stiffness(mu, **k):
    e = np.eye(3)
    ij = np.einsum("ij,kl->ijkl", e, e)
    return k["lambda"] * ij + mu * (ij.transpose(0, 2, 1, 3) + ij.transpose(0, 3, 2, 1))


@formula(
    r"""
\[
 d(\mathbf{p}, \mathbf{q}) = \sqrt{1 - BC(\mathbf{p}, \mathbf{q})}, \qquad BC(\mathbf{p}, \mathbf{q}) = \sum_{u=1}^{m} \sqrt{p_u q_u}
\]
where $\mathbf{p}$ and $\mathbf{q}$ are histograms with $m$ bins.
""",
    source="Comaniciu, Ramesh, Meer, Kernel-based object tracking, 2003, equations 17 and 18",
    output="d",
    p=lambda r: r.dirichlet(np.ones(5)),
    q=lambda r: r.dirichlet(np.ones(5)),
)
def bhattacharyya_distance(p, q):
    return np.sqrt(1 - np.sqrt(p * q).sum())


@formula(
    r"""
For a strip of $M$ sections with admittances $Y_m$ and lengths $\ell_m$ the reflection is approximated to first order by
\begin{equation}
|\Gamma|^2 = \Big( \sum_{m=0}^{M-1} \Gamma_m \cos(2 m \theta) \Big)^2 + \Big( \sum_{m=0}^{M-1} \Gamma_m \sin(2 m \theta) \Big)^2
\end{equation}
""",
    source="Pozar, Microwave engineering, 2012, section 5.5, squared magnitude of small reflections",
    Gamma="4",
    theta="",
)
def small_reflections(Gamma, theta):
    m = np.arange(4)
    return (Gamma @ np.cos(2 * m * theta)) ** 2 + (Gamma @ np.sin(2 * m * theta)) ** 2


@formula(
    r"""
Let $f_k$ be the frequency of allele $k$. The polymorphism information content is
\begin{equation}
PIC = 1 - \sum_{k=1}^{n} f_k^2 - \sum_{k=1}^{n-1} \sum_{l=k+1}^{n} 2 f_k^2 f_l^2 .
\end{equation}
""",
    source="Botstein et al., Construction of a genetic linkage map in man, 1980",
    f="4",
)
def information_content(f):
    pairs = sum(2 * f[i] ** 2 * f[j] ** 2 for i in range(4) for j in range(i + 1, 4))
    return 1 - (f**2).sum() - pairs


@formula(
    r"""
The gradient of the log-likelihood of a linear-chain CRF with respect to $\lambda_k$ is the difference of the observed and the expected
feature counts; with marginals $q_t(y)$ the latter is
\begin{equation}
\hat{E}_k = \sum_{t=1}^{T} \sum_{y \in \mathcal{Y}} q_t(y) f_k(y, t).
\end{equation}
""",
    source="Sutton, McCallum, An introduction to conditional random fields, 2012, section 4.1",
    shapes=("input q[T, Y], f[K, Y, T]",),
    q="4 3",
    f="2 3 4",
)
def expected_counts(q, f):
    return np.einsum("ty,kyt->k", q, f)


@formula(
    r"""
\begin{align}
S_n &= \beta S_{n-1} I_{n-1} \notag \\
R_{\text{eff}} &= \frac{\sum_{i} \beta_{i} S_{i} \, n_{i}}{\gamma \, \sum_{i} n_{i}}
\end{align}
""",
    source="Effective reproduction in a population with strata, as in Keeling, Rohani, 2008",
    leaves_open="beta is a number and a vector, and the first line a step in time",
    beta="3",
)
def effective_reproduction(beta):
    return np.zeros(3)


@formula(
    r"""
The weights of the fourth-order Pad\'e filter are applied to $u_j$ at $j=1,\ldots,N$ with $u_{N+j} = u_j$ and $u_{j-N} = u_j$:
\begin{equation}
\bar{u}_j = a_0 u_j + \frac{a_1}{2} (u_{j+1} + u_{j-1}) + \frac{a_2}{2} (u_{j+2} + u_{j-2})
\end{equation}
""",
    source="Lele, Compact finite difference schemes with spectral-like resolution, 1992, equation C.2.1 without the left side's filter",
    shapes=("input a_0[], a_1[], a_2[]", "base 1"),
    a_0="",
    u=lambda r: normal(r, 6),
    a_1="",
    a_2="",
)
def explicit_filter(a_0, u, a_1, a_2):
    one = np.roll(u, -1) + np.roll(u, 1)
    return a_0 * u + a_1 / 2 * one + a_2 / 2 * (np.roll(u, -2) + np.roll(u, 2))


@formula(
    r"""
The soft-margin multi-label loss is given by
$$
\ell(x, y) = - \frac{1}{C} \sum_i y[i] \log\left( (1 + \exp(-x[i]))^{-1} \right) + (1 - y[i]) \log\left( \frac{\exp(-x[i])}{1 + \exp(-x[i])} \right)
$$
where $i \in \{0, \ldots, C - 1\}$ and $y[i] \in \{0, 1\}$.
""",
    source="Documentation of a library of deep learning, MultiLabelSoftMarginLoss",
    x=lambda r: normal(r, 4),
    y=lambda r: r.integers(0, 2, 4).astype(float),
)
def soft_margin(x, y):
    s = 1 / (1 + np.exp(-x))
    return -(y * np.log(s) + (1 - y) * np.log(1 - s)).mean()


@formula(
    r"""
\begin{equation}
\text{PPV} = \frac{\sum_{s} \mathbb{1}[\hat{y}_s = 1]\, \mathbb{1}[y_s = 1]}{\sum_{s} \mathbb{1}[\hat{y}_s = 1]}
\end{equation}
""",
    source="Altman, Bland, Diagnostic tests: predictive values, 1994",
    output="PPV",
    y_hat=lambda r: np.array([1.0, 0, 1, 1, 0]),
    y=lambda r: np.array([1.0, 1, 0, 1, 0]),
)
def predictive_value(y_hat, y):
    return ((y_hat == 1) & (y == 1)).sum() / (y_hat == 1).sum()


@formula(
    r"""
The entropy production rate of a Markov network with rates $w_{ij}$ (from $i$ to $j$) and probabilities $p_i$ is
\begin{equation}
\sigma = \frac{k_B}{2} \sum_{i,j} (w_{ij} p_i - w_{ji} p_j) \ln \frac{w_{ij} p_i}{w_{ji} p_j} .
\end{equation}
""",
    source="Schnakenberg, Network theory of microscopic and macroscopic behavior, 1976, equation 7.6",
    k_B="",
    w="3 3",
    p="3",
)
def entropy_production(k_B, w, p):
    f = w * p[:, None]
    return k_B / 2 * ((f - f.T) * np.log(f / f.T)).sum()


@formula(
    r"""
The anisotropic temperature factor is
\begin{equation}
T(\mathbf{h}) = \exp\left( -2\pi^2 \sum_{i=1}^{3} \sum_{j=1}^{3} h_i a^*_i h_j a^*_j U^{ij} \right)
\end{equation}
with the reciprocal lengths $a^*_i$.
""",
    source="Trueblood et al., Atomic displacement parameter nomenclature, 1996, equation 16",
    shapes=("upper",),
    h="3",
    a_star="3",
    U="3 3",
)
def temperature_factor(h, a_star, U):
    v = h * a_star
    return np.exp(-2 * np.pi**2 * v @ U @ v)


@formula(
    r"""
At the $k$-th harmonic the total harmonic distortion of a voltage with amplitudes $V_1, V_2, \ldots, V_n$ is
\[
\mathrm{THD} = \frac{\sqrt{\sum_{k=2}^{n} V_k^2}}{V_1}.
\]
""",
    source="IEEE standard 519, Harmonic control in electric power systems, 2014",
    V="5",
)
def harmonic_distortion(V):
    return np.sqrt((V[1:] ** 2).sum()) / V[0]


@formula(
    r"""
An item's discrimination is measured by the point-biserial correlation,
\begin{equation}
r_{pb} = \frac{M_1 - M_0}{s_n} \sqrt{\frac{n_1 n_0}{n^2}},
\end{equation}
where $s_n$ is the standard deviation used when data are available for every member of the population:
\begin{equation}
s_n = \sqrt{\frac{1}{n} \sum_{i=1}^{n} (X_i - \overline{X})^2}.
\end{equation}
""",
    source="The point-biserial correlation coefficient, as in an encyclopedia",
    output="r_pb",
    M_1="",
    M_0="",
    n_1="",
    n_0="",
    X="5",
)
def point_biserial(M_1, M_0, n_1, n_0, X):
    return (M_1 - M_0) / np.sqrt(((X - X.mean()) ** 2).mean()) * np.sqrt(n_1 * n_0 / 25)


@formula(
    r"""
A symmetric Gauss--Seidel-like smoother is not used here; the weighted Jacobi step is
\begin{equation}
x_i^{\text{new}} = (1-\omega) x_i + \frac{\omega}{a_{ii}} \Bigl( b_i - \sum_{j \ne i} a_{ij} x_j \Bigr), \qquad i = 1, \dots, n .
\end{equation}
""",
    source="Saad, Iterative methods for sparse linear systems, 2003, section 4.1",
    omega="",
    x="4",
    a="4 4",
    b="4",
)
def weighted_jacobi(omega, x, a, b):
    d = np.diag(a)
    return (1 - omega) * x + omega / d * (b - (a @ x - d * x))


@formula(
    r"""
The loss of a pair of embeddings is
\begin{equation}
\mathcal{L}(W,Y,\vec{X}_1,\vec{X}_2) = (1-Y) \tfrac{1}{2} (D_W)^2 + Y \tfrac{1}{2} \{ \max(0, m - D_W) \}^2
\end{equation}
where $m > 0$ is a margin.
""",
    source="Hadsell, Chopra, LeCun, Dimensionality reduction by learning an invariant mapping, 2006, equation 4",
    Y="",
    D_W="",
    m=lambda r: 2.0,
)
def contrastive_margin(Y, D_W, m):
    return (1 - Y) / 2 * D_W**2 + Y / 2 * max(0, m - D_W) ** 2


@formula(
    r"""
\begin{equation}
\Omega_{\text{GW}}(f) = \frac{f}{\rho_c} \sum_{i=1}^{N_z} \frac{R_i \, \Delta z_i}{(1 + z_i) H_i} E_i(f)
\end{equation}
with $\rho_c = 3 H_0^2 c^2 / (8 \pi G)$, where $E_i(f)$ is the spectral energy in redshift bin $i$.
""",
    source="Phinney, A practical theorem on gravitational wave backgrounds, 2001, in bins of redshift",
    leaves_open="the first Hubble parameter is one of several, or a number of its own",
    f="",
)
def wave_background(f):
    return np.zeros(3)


@formula(
    r"""
Given $n$ i.i.d. samples, Hill's estimator of the tail index with the order statistics $X_{(1)} \ge X_{(2)} \ge \dots \ge X_{(n)}$ is
\begin{equation}
\hat{\xi} = \frac{1}{k} \sum_{i=1}^{k} \ln \frac{X_{(i)}}{X_{(k+1)}} .
\end{equation}
""",
    source="Hill, A simple general approach to inference about the tail of a distribution, 1975",
    leaves_open="the samples are sorted",
    X="6",
)
def hill_estimator(X):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\mathbf{y} = \mathbf{W}_2\,\mathrm{ReLU}\!\left(\mathbf{W}_1 \mathbf{x} + \mathbf{b}_1\right) + \mathbf{b}_2 + \mathbf{x},
\qquad \mathbf{W}_1 \in \mathbb{R}^{4d\times d},\ \mathbf{W}_2 \in \mathbb{R}^{d\times 4d}
\end{equation}
for an input $\mathbf{x} \in \mathbb{R}^{d}$ and biases $\mathbf{b}_1 \in \mathbb{R}^{4d}$, $\mathbf{b}_2 \in \mathbb{R}^{d}$.
""",
    source="He et al., Deep residual learning, 2016; the block of Vaswani et al., 2017",
    W_2=lambda r: normal(r, 2, 8),
    W_1=lambda r: normal(r, 8, 2),
    x=lambda r: normal(r, 2),
    b_1=lambda r: normal(r, 8),
    b_2=lambda r: normal(r, 2),
)
def residual_block(W_2, W_1, x, b_1, b_2):
    return W_2 @ np.maximum(W_1 @ x + b_1, 0) + b_2 + x


@formula(
    r"""
The luminance-weighted mean is taken over the $H \times W$ pixels,
\begin{equation}
\bar{L}_w = \exp\left( \frac{1}{HW} \sum_{x=1}^{W} \sum_{y=1}^{H} \log\left( \delta + L_w(x, y) \right) \right),
\quad L_d(x,y) = \frac{L(x,y)}{1 + L(x,y)}, \quad L(x,y) = \frac{a}{\bar{L}_w} L_w(x,y).
\end{equation}
""",
    source="Reinhard et al., Photographic tone reproduction for digital images, 2002, equations 1 to 3",
    output="L_d",
    delta="",
    L_w="4 3",
    a="",
)
def tone_reproduction(delta, L_w, a):
    scaled = a / np.exp(np.log(delta + L_w).mean()) * L_w
    return scaled / (1 + scaled)


@formula(
    r"""
The specific heat at constant volume of the Einstein solid with $3N$ oscillators is
\begin{equation}
C_V = 3 N k_B \left( \frac{\varepsilon}{k_B T} \right)^2 \frac{ e^{\varepsilon / k_B T} }{ \left( e^{\varepsilon / k_B T} - 1 \right)^2 } .
\end{equation}
""",
    source="Einstein, Die Plancksche Theorie der Strahlung und die Theorie der spezifischen Waerme, 1907; as in an encyclopedia",
    leaves_open="`\\varepsilon / k_B T` divides by one factor or by both",
    N="",
)
def einstein_solid(N):
    return np.zeros(3)


@formula(
    r"""
Recall and precision of the clusters are combined in B-cubed scores with $M_{ij} = \mathbf{1}[c_i = c_j]$ and $G_{ij} = \mathbf{1}[g_i = g_j]$:
\begin{equation}
P = \frac{1}{n} \sum_{i=1}^{n} \frac{\sum_{j=1}^{n} M_{ij} G_{ij}}{\sum_{j=1}^{n} M_{ij}} .
\end{equation}
""",
    source="Bagga, Baldwin, Entity-based cross-document coreferencing, 1998",
    c=lambda r: np.array([0.0, 0, 1, 1, 2]),
    g=lambda r: np.array([0.0, 1, 1, 1, 0]),
)
def b_cubed_precision(c, g):
    M = c[:, None] == c[None]
    G = g[:, None] == g[None]
    return ((M & G).sum(1) / M.sum(1)).mean()


@formula(
    r"""
\begin{equation}
S(Q) = 1 + \frac{2}{N} \sum_{i < j} \frac{\sin(Q\, r_{ij})}{Q\, r_{ij}}, \qquad r_{ij} = \| \mathbf{r}_i - \mathbf{r}_j \|
\end{equation}
""",
    source="Debye, Zerstreuung von Roentgenstrahlen, 1915, the structure factor",
    leaves_open="the places and the distances have one letter, and nothing tells how many there are",
    Q="",
)
def debye_structure(Q):
    return np.zeros(3)


@formula(
    r"""
The Gaussian kernel smoother with bandwidth $b$ evaluated at the knots $\kappa_1, \dots, \kappa_K$ gives the design matrix
$$
X_{ik} = \exp\left\{ -\frac{(x_i - \kappa_k)^2}{2 b^2} \right\}, \quad \hat{y}_i = \sum_{k=1}^K X_{ik} \beta_k .
$$
""",
    source="Ruppert, Wand, Carroll, Semiparametric regression, 2003, section 3.6",
    output="y_hat",
    x="5",
    kappa="3",
    b="",
    beta="3",
)
def knot_regression(x, kappa, b, beta):
    return np.exp(-((x[:, None] - kappa) ** 2) / (2 * b**2)) @ beta


@formula(
    r"""
The Shapiro--Wilk-like statistic of D'Agostino uses the ranks $i$ of the sorted sample,
\begin{equation}
D = \frac{ \sum_{i=1}^{n} \left( i - \frac{1}{2}(n+1) \right) x_i }{ n^2 s }, \qquad s^2 = \frac{1}{n} \sum_{i=1}^{n} (x_i - \bar{x})^2 .
\end{equation}
""",
    source="D'Agostino, An omnibus test of normality for moderate and large size samples, 1971, of sorted data",
    output="D",
    x=lambda r: np.sort(normal(r, 6)),
)
def dagostino(x):
    n = 6
    return ((np.arange(1, n + 1) - (n + 1) / 2) * x).sum() / (n**2 * x.std())


@formula(
    r"""
In multi-objective optimisation the augmented Tchebycheff scalarisation of objectives $f_m$ with weights $w_m$ and ideal point $z^*_m$ is
\begin{equation}
g = \max_{m} \left\{ w_m | f_m - z^*_m | \right\} + \rho \sum_{m=1}^{M} | f_m - z_m^* | .
\end{equation}
""",
    source="Miettinen, Nonlinear multiobjective optimization, 1999, section 3.4.4",
    w="4",
    f="4",
    z_star="4",
    rho="",
)
def tchebycheff(w, f, z_star, rho):
    return (w * abs(f - z_star)).max() + rho * abs(f - z_star).sum()
