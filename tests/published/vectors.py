"""Formulas in vectors and sums as papers reprint them: bold letters, masks around 0, moments in the prose, lists of numbers."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
\mathrm{SSIM}(x,y) = \frac{(2\mu_x\mu_y + c_1)(2\sigma_{xy} + c_2)}{(\mu_x^2 + \mu_y^2 + c_1)(\sigma_x^2 + \sigma_y^2 + c_2)}
\end{equation}
where $\mu_x = \frac{1}{N}\sum_{i=1}^N x_i$, $\mu_y = \frac{1}{N}\sum_{i=1}^N y_i$, $\sigma_x^2 = \frac{1}{N-1} \sum_{i=1}^N (x_i - \mu_x)^2$, $\sigma_y^2 = \frac{1}{N-1} \sum_{i=1}^N (y_i - \mu_y)^2$ and $\sigma_{xy} = \frac{1}{N-1} \sum_{i=1}^N (x_i - \mu_x)(y_i-\mu_y)$.
""",
    source="Wang, Bovik, Sheikh and Simoncelli, Image quality assessment, 2004, with the moments in the prose",
    x="6",
    y="6",
    c_1="",
    c_2="",
    output="SSIM",
)
def ssim_of_windows(x, y, c_1, c_2):
    mx, my = x.mean(), y.mean()
    sx = x.var(ddof=1)
    sy = y.var(ddof=1)
    sxy = ((x - mx) * (y - my)).sum() / 5
    return (2 * mx * my + c_1) * (2 * sxy + c_2) / ((mx**2 + my**2 + c_1) * (sx + sy + c_2))


@formula(
    r"""
The log-likelihood of the Poisson model is
\begin{equation}
\ell(\beta) = \sum_{i=1}^n \left\{ y_i \mathbf{x}_i^{\top}\boldsymbol{\beta} - \exp(\mathbf{x}_i^{\top}\boldsymbol{\beta}) - \log(y_i!) \right\},
\end{equation}
where $\mathbf{x}_i \in \mathbb{R}^p$ are the covariates.
""",
    source="McCullagh and Nelder, Generalized Linear Models, 1989, with bold covariates",
    y=lambda r: r.integers(0, 5, 4).astype(float),
    x="4 3",
    beta="3",
)
def poisson_likelihood(y, x, beta):
    return sum(y[i] * (x[i] @ beta) - np.exp(x[i] @ beta) - math.lgamma(y[i] + 1) for i in range(4))


@formula(
    r"""
We use the second-order central difference
\begin{equation}
\left. \frac{\partial^2 u}{\partial x^2} \right|_{i} \approx \frac{u_{i+1} - 2 u_i + u_{i-1}}{\Delta x^2}, \qquad i = 2, \ldots, N-1.
\end{equation}
""",
    source="LeVeque, Finite Difference Methods, 2007, the second derivative",
    u="6",
    Delta_x="",
)
def second_difference(u, Delta_x):
    return (u[2:] - 2 * u[1:-1] + u[:-2]) / Delta_x**2


@formula(
    r"""
The total energy of the embedded atom method is
\begin{equation}
E_{\mathrm{tot}} = \sum_i F(\rho_i) + \frac{1}{2}\sum_{i}\sum_{j\neq i} \phi(r_{ij}), \qquad \rho_i = \sum_{j \neq i} f(r_{ij}),
\end{equation}
with $F(\rho) = -A\sqrt{\rho}$, $\phi(r) = D e^{-2\alpha(r-r_0)}$ and $f(r) = f_e e^{-\beta (r - r_0)}$.
""",
    source="Daw and Baskes, Embedded-atom method, 1984, exponential forms",
    r="4 4",
    A="",
    D="",
    alpha="",
    r_0="",
    f_e="",
    beta="",
    output="E_tot",
)
def embedded_atoms(r, A, D, alpha, r_0, f_e, beta):
    n = 4
    rho = [sum(f_e * np.exp(-beta * (r[i, j] - r_0)) for j in range(n) if j != i) for i in range(n)]
    return sum(-A * np.sqrt(x) for x in rho) + 0.5 * sum(
        D * np.exp(-2 * alpha * (r[i, j] - r_0)) for i in range(n) for j in range(n) if i != j
    )


@formula(
    r"""
The three-point Simpson rule gives
\begin{equation}
I \approx \frac{h}{3} \sum_{k=1}^{n/2} \left[ f_{2k-2} + 4 f_{2k-1} + f_{2k} \right]
\end{equation}
""",
    source="Press et al., Numerical Recipes, 2007, Simpson's rule",
    f="5",
    h="",
    sizes={"n": 4},
    output="I",
)
def simpson_rule(f, h):
    return h / 3 * sum(f[2 * k - 2] + 4 * f[2 * k - 1] + f[2 * k] for k in (1, 2))


@formula(
    r"""
\begin{equation}
\frac{\partial u_i}{\partial t} = D_u \frac{u_{i+1} - 2u_i + u_{i-1}}{(\Delta x)^2} + f(u_i, v_i), \quad i = 2,\dots,N-1
\end{equation}
where $f(u, v) = a - u + u^2 v$.
""",
    source="Schnakenberg, Simple chemical reaction systems with limit cycle behaviour, 1979",
    D_u="",
    u="5",
    Delta_x="",
    v="5",
    a="",
)
def schnakenberg(D_u, u, Delta_x, v, a):
    return D_u * (u[2:] - 2 * u[1:-1] + u[:-2]) / Delta_x**2 + a - u[1:-1] + u[1:-1] ** 2 * v[1:-1]


@formula(
    r"""
For $N$ particles the radius of gyration is
\begin{equation}
R_g^2 = \frac{1}{N} \sum_{i=1}^{N} \left| \mathbf{r}_i - \mathbf{r}_{\mathrm{cm}} \right|^2, \qquad \mathbf{r}_{\mathrm{cm}} = \frac{1}{N} \sum_{i=1}^{N} \mathbf{r}_i
\end{equation}
with $\mathbf{r}_i \in \mathbb{R}^3$.
""",
    source="Rubinstein and Colby, Polymer Physics, 2003",
    r="5 3",
    output="R_g_squared",
)
def radius_of_gyration(r):
    return ((r - r.mean(0)) ** 2).sum() / 5


@formula(
    r"""
The cumulative hazard and the survival function are estimated by
\begin{align}
\hat{H}(t_j) &= \sum_{i=1}^{j} \frac{d_i}{n_i}, & \hat{S}(t_j) &= \prod_{i=1}^{j} \left(1 - \frac{d_i}{n_i}\right), \qquad j = 1, \dots, J.
\end{align}
""",
    source="Aalen, Nonparametric inference for a family of counting processes, 1978",
    d=lambda r: r.uniform(0.1, 0.4, 4),
    n="4",
    output="S_hat",
)
def nelson_aalen(d, n):
    return np.cumprod(1 - d / n)


@formula(
    r"""
\begin{equation}
\hat{y}(\mathbf{x}) = w_0 + \sum_{i=1}^{n} w_i x_i + \sum_{i=1}^{n}\sum_{j=i+1}^{n} \langle \mathbf{v}_i, \mathbf{v}_j\rangle x_i x_j
\end{equation}
where $\mathbf{v}_i \in \mathbb{R}^k$.
""",
    source="Rendle, Factorization machines, 2010, with the bias declared",
    shapes=("input w_0[], w[n], v[n, k], x[n]",),
    w_0="",
    w="4",
    x="4",
    v="4 2",
)
def second_order_interactions(w_0, w, x, v):
    return w_0 + w @ x + sum(v[i] @ v[j] * x[i] * x[j] for i in range(4) for j in range(i + 1, 4))


@formula(
    r"""
\begin{equation}
\mathcal{L}(\mathbf{w}) = \frac{1}{n}\sum_{i=1}^{n} \log\left(1 + \exp(-y_i \mathbf{w}^\top \mathbf{x}_i)\right) + \frac{\lambda}{2}\|\mathbf{w}\|_2^2
\end{equation}
""",
    source="Hastie, Tibshirani and Friedman, Elements of Statistical Learning, 2009, in vectors",
    y="4",
    w="3",
    x="4 3",
    **{"lambda": ""},
)
def regularised_logistic(**k):
    y, w, x, lam = k["y"], k["w"], k["x"], k["lambda"]
    return np.log(1 + np.exp(-y * (x @ w))).mean() + lam / 2 * w @ w


@formula(
    r"""
The Gaussian mixture likelihood involves the responsibilities
\begin{equation}
\gamma_{nk} = \frac{\pi_k \exp\left(-\frac{1}{2\sigma_k^2} \|\mathbf{x}_n - \boldsymbol{\mu}_k\|^2\right)}{\sum_{j=1}^{K} \pi_j \exp\left(-\frac{1}{2\sigma_j^2} \|\mathbf{x}_n - \boldsymbol{\mu}_j\|^2\right)}
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, section 9.2, isotropic",
    pi="3",
    sigma="3",
    x="4 2",
    mu="3 2",
)
def responsibilities(pi, sigma, x, mu):
    w = pi * np.exp(-((x[:, None] - mu[None]) ** 2).sum(2) / (2 * sigma**2))
    return w / w.sum(1, keepdims=True)


@formula(
    r"""
With the score $s_{ij} = \mathbf{u}_i^\top \mathbf{M} \mathbf{v}_j$, where $\mathbf{M} \in \mathbb{R}^{d \times d}$, the loss becomes
\begin{equation}
\mathcal{L} = -\sum_{i=1}^{n} \log \frac{\exp(s_{ii})}{\sum_{j=1}^{n}\exp(s_{ij})}
\end{equation}
""",
    source="van den Oord, Li and Vinyals, Representation learning with contrastive predictive coding, 2018, log-bilinear",
    u="4 3",
    M="3 3",
    v="4 3",
)
def bilinear_contrast(u, M, v):
    s = np.exp(u @ M @ v.T)
    return -np.log(np.diag(s) / s.sum(1)).sum()


@formula(
    r"""
\begin{equation}
V(\mathbf{r}_1, \ldots, \mathbf{r}_N) = \sum_{i=1}^{N-1}\sum_{j=i+1}^{N} \frac{q_i q_j}{4 \pi \varepsilon_0 |\mathbf{r}_i - \mathbf{r}_j|}
\end{equation}
""",
    source="Griffiths, Introduction to Electrodynamics, 2013",
    q="4",
    varepsilon_0="",
    r="4 3",
)
def point_charges(q, varepsilon_0, r):
    return sum(
        q[i] * q[j] / (4 * np.pi * varepsilon_0 * np.linalg.norm(r[i] - r[j]))
        for i in range(4)
        for j in range(i + 1, 4)
    )


@formula(
    r"""
The dipole and the traceless quadrupole moments are
\begin{align}
\mu_\alpha &= \sum_{i=1}^{N} q_i r_{i\alpha}, \\
Q_{\alpha\beta} &= \frac{1}{2} \sum_{i=1}^{N} q_i \left( 3 r_{i\alpha} r_{i\beta} - \delta_{\alpha\beta} r_i^2 \right),
\end{align}
where $r_i^2 = \sum_{\gamma} r_{i\gamma}^2$.
""",
    source="Stone, The Theory of Intermolecular Forces, 2013",
    q="4",
    r="4 3",
    output="Q",
)
def quadrupole(q, r):
    return 0.5 * (3 * np.einsum("i,ia,ib->ab", q, r, r) - np.eye(3) * (q * (r**2).sum(1)).sum())


@formula(
    r"""
Price indices: the Laspeyres, Paasche and Fisher index are
\begin{equation}
P_L = \frac{\sum_i p_{i1} q_{i0}}{\sum_i p_{i0} q_{i0}}, \quad
P_P = \frac{\sum_i p_{i1} q_{i1}}{\sum_i p_{i0} q_{i1}}, \quad
P_F = \sqrt{P_L P_P}.
\end{equation}
""",
    source="Fisher, The Making of Index Numbers, 1922",
    shapes=("input p[N, 2], q[N, 2]",),
    p="4 2",
    q="4 2",
    output="P_F",
)
def fisher_index(p, q):
    L = p[:, 1] @ q[:, 0] / (p[:, 0] @ q[:, 0])
    P = p[:, 1] @ q[:, 1] / (p[:, 0] @ q[:, 1])
    return np.sqrt(L * P)


@formula(
    r"""
The spatial filtering of an image $f$ with a mask $w$ of size $(2a+1) \times (2b+1)$ is
\begin{equation}
g(x, y) = \sum_{s=-a}^{a} \sum_{t=-b}^{b} w(s,t)\, f(x+s, y+t),
\end{equation}
for $x = a, \dots, M-1-a$ and $y = b, \dots, N-1-b$.
""",
    source="Gonzalez and Woods, Digital Image Processing, 2008, equation (3.4-1)",
    w="3 3",
    f="5 6",
    sizes={"a": 1, "b": 1, "M": 5, "N": 6},
)
def spatial_filter(w, f):
    return np.array(
        [[(w * f[x - 1 : x + 2, y - 1 : y + 2]).sum() for y in range(1, 5)] for x in range(1, 4)]
    )


@formula(
    r"""
The update of the natural parameters in the sparse coding model is
\begin{equation}
E(\mathbf{a}) = \frac{1}{2}\Big\| \mathbf{x} - \sum_{k=1}^{K} a_k \boldsymbol{\phi}_k \Big\|_2^2 + \lambda \sum_{k=1}^{K} |a_k|
\end{equation}
where $\mathbf{x} \in \mathbb{R}^{D}$.
""",
    source="Olshausen and Field, Emergence of simple-cell receptive field properties, 1996",
    x="3",
    a="4",
    phi="4 3",
    **{"lambda": ""},
)
def sparse_coding(**k):
    return 0.5 * ((k["x"] - k["a"] @ k["phi"]) ** 2).sum() + k["lambda"] * abs(k["a"]).sum()


@formula(
    r"""
For a batch of embeddings $z_i$ the uniformity loss is
\begin{equation}
\ell_{\text{uniform}} = \log \frac{1}{N^2}\sum_{i=1}^{N}\sum_{j=1}^{N} e^{-t \lVert z_i - z_j \rVert_2^2}
\end{equation}
""",
    source="Wang and Isola, Understanding contrastive representation learning, 2020",
    shapes=(r"$z_i \in \mathbb{R}^d$",),
    t="",
    z="4 3",
)
def uniformity(t, z):
    return np.log(np.exp(-t * ((z[:, None] - z) ** 2).sum(2)).mean())


@formula(
    r"""
The spectral angle between pixel spectra $\mathbf{x}, \mathbf{r} \in \mathbb{R}^{B}$ is
\begin{equation}
\alpha = \arccos\left( \frac{\mathbf{x}^{T}\mathbf{r}}{\|\mathbf{x}\|\,\|\mathbf{r}\|} \right)
\end{equation}
""",
    source="Kruse et al., The spectral image processing system, 1993",
    x="4",
    r="4",
)
def spectral_angle(x, r):
    return np.arccos(x @ r / np.linalg.norm(x) / np.linalg.norm(r))


@formula(
    r"""
The group-fixed-effects (within) estimator of the slope is
\begin{equation}
\hat{\beta}_{FE} = \frac{\sum_{i=1}^{N}\sum_{t=1}^{T} (x_{it}-\bar{x}_i)(y_{it}-\bar{y}_i)}{\sum_{i=1}^{N}\sum_{t=1}^{T} (x_{it}-\bar{x}_i)^2},
\end{equation}
where $\bar{x}_i = T^{-1}\sum_{t=1}^{T} x_{it}$ and $\bar{y}_i = T^{-1}\sum_{t=1}^{T} y_{it}$.
""",
    source="Wooldridge, Econometric Analysis of Cross Section and Panel Data, 2010",
    x="3 4",
    y="3 4",
)
def within_estimator(x, y):
    a = x - x.mean(1, keepdims=True)
    b = y - y.mean(1, keepdims=True)
    return (a * b).sum() / (a * a).sum()


@formula(
    r"""
The sample autocorrelation at lag $k$,
\begin{equation}
r_k = \frac{\sum_{t=1}^{T-k} (x_t - \bar{x})(x_{t+k} - \bar{x})}{\sum_{t=1}^{T} (x_t - \bar{x})^2}, \qquad \bar{x} = \frac{1}{T}\sum_{t=1}^{T} x_t, \qquad k = 0, 1, \ldots, K.
\end{equation}
""",
    source="Box and Jenkins, Time Series Analysis, 1976",
    x="6",
    sizes={"K": 2},
    output="r",
)
def autocorrelations(x):
    d = x - x.mean()
    return np.array([(d[: 6 - k] * d[k:]).sum() for k in range(3)]) / (d @ d)
