"""Biology and geophysics."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
\frac{dx_i}{dt} = r_i x_i\left(1 - \frac{\sum_{j=1}^{N}\alpha_{ij}x_j}{K_i}\right)
\end{equation}
""",
    source="the competitive Lotka-Volterra equations",
    r="3",
    x="3",
    alpha="3 3",
    K="3",
)
def lotka_volterra(r, x, alpha, K):
    return r * x * (1 - alpha @ x / K)


@formula(
    r"""
\begin{align}
    I_{\mathrm{Na}} &= \bar{g}_{\mathrm{Na}} m^3 h (V - E_{\mathrm{Na}}) \\
    I_{\mathrm{K}} &= \bar{g}_{\mathrm{K}} n^4 (V - E_{\mathrm{K}})\\
    I &= I_{\mathrm{Na}} + I_{\mathrm{K}} + \bar{g}_L(V-E_L)
\end{align}
""",
    source="Hodgkin and Huxley, 1952",
    output="I",
    shapes=("input g_bar_Na[], m[], h[], V[], E_Na[], g_bar_K[], n[], E_K[], g_bar_L[], E_L[]",),
    g_bar_Na="",
    m="",
    h="",
    V="",
    E_Na="",
    g_bar_K="",
    n="",
    E_K="",
    g_bar_L="",
    E_L="",
)
def hodgkin_huxley(g_bar_Na, m, h, V, E_Na, g_bar_K, n, E_K, g_bar_L, E_L):
    return g_bar_Na * m**3 * h * (V - E_Na) + g_bar_K * n**4 * (V - E_K) + g_bar_L * (V - E_L)


@formula(
    r"""
\begin{equation}
\lambda_i = \beta \sum_{j=1}^{n} C_{ij}\frac{I_j}{N_j}, \qquad
\dot{S}_i = -\lambda_i S_i, \qquad \dot{I}_i = \lambda_i S_i - \gamma I_i
\end{equation}
""",
    source="Keeling and Rohani, Modeling Infectious Diseases, 2008: classes of age",
    output="I_dot",
    beta="",
    C="3 3",
    I="3",
    N="3",
    S="3",
    gamma="",
)
def sir(beta, C, I, N, S, gamma):
    return beta * C @ (I / N) * S - gamma * I


@formula(
    r"""
Hill kinetics: the promoter activity is
\begin{equation}
f_g = \beta_g\,\frac{\sum_{t=1}^{T} (x_t/K_{gt})^{n_{gt}}}{1 + \sum_{t=1}^{T}(x_t/K_{gt})^{n_{gt}}}.
\end{equation}
""",
    source="Alon, An Introduction to Systems Biology, 2006",
    beta="2",
    x="3",
    K="2 3",
    n="2 3",
)
def hill(beta, x, K, n):
    s = ((x / K) ** n).sum(1)
    return beta * s / (1 + s)


@formula(
    r"""
\begin{equation}
D = \sum_{i<j}\pi_{ij}\, f_i f_j, \qquad H = 1-\sum_{i=1}^{S} f_i^2
\end{equation}
""",
    source="Nei and Li, 1979: nucleotide diversity; Simpson, 1949",
    output="D",
    pi="4 4",
    f="4",
)
def nucleotide_diversity(pi, f):
    return sum(pi[i, j] * f[i] * f[j] for i in range(4) for j in range(i + 1, 4))


@formula(
    r"""
\begin{equation}
\Delta w_{ij} = \eta\left(x_i y_j - \alpha\, w_{ij} y_j^2\right)
\end{equation}
""",
    source="Oja, Simplified neuron model as a principal component analyzer, 1982",
    eta="",
    x="3",
    y="2",
    alpha="",
    w="3 2",
)
def oja(eta, x, y, alpha, w):
    return eta * (np.outer(x, y) - alpha * w * y**2)


@formula(
    r"""
\begin{equation}
\alpha_t(j) = \left[\sum_{i=1}^{N}\beta(i)\,a_{ij}\right] b_j(t), \quad 1\le j\le N
\end{equation}
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989: the forward induction",
    output="alpha",
    beta="3",
    a="3 3",
    b="3 4",
)
def forward_step(beta, a, b):
    return ((beta @ a)[:, None] * b).T


@formula(
    r"""
\begin{equation}
\mathrm{RPKM}_g = \frac{10^9\, c_g}{\ell_g\sum_{j=1}^{G} c_j}
\end{equation}
""",
    source="Mortazavi et al., Mapping and quantifying mammalian transcriptomes, 2008",
    c="4",
    ell="4",
)
def rpkm(c, ell):
    return 1e9 * c / (ell * c.sum())


@formula(
    r"""
\begin{equation}
\gamma^{*}(h) = \frac{1}{2(N-h)}\sum_{i=1}^{N-h}\left[z_{i+h} - z_i\right]^2, \quad h = 1,\dots,H
\end{equation}
""",
    source="Matheron, Principles of geostatistics, 1963: the variogram on a line",
    sizes={"H": 3, "N": 6},
    z="6",
)
def variogram(z):
    return np.array([((z[h:] - z[:-h]) ** 2).sum() / (2 * (6 - h)) for h in (1, 2, 3)])


@formula(
    r"""
\begin{equation}
\hat{Z}(\mathbf{s}_0) = \frac{\sum_{i=1}^{n} Z_i\, d_i^{-p}}{\sum_{i=1}^{n} d_i^{-p}}
\end{equation}
""",
    source="Shepard, A two-dimensional interpolation function for irregularly-spaced data, 1968",
    Z="4",
    d="4",
    p="",
)
def inverse_distance(Z, d, p):
    w = d**-p
    return Z @ w / w.sum()


@formula(
    r"""
\begin{equation}
\phi(\mathbf{m}) = \left\|\mathbf{W}_d\left(\mathbf{G}\mathbf{m}-\mathbf{d}\right)\right\|_2^2 + \beta\left\|\mathbf{W}_m\left(\mathbf{m}-\mathbf{m}_{\text{ref}}\right)\right\|_2^2
\end{equation}
where $\mathbf{d}\in\mathbb{R}^{N}$, $\mathbf{m},\mathbf{m}_{\text{ref}}\in\mathbb{R}^{M}$, $\mathbf{G}\in\mathbb{R}^{N\times M}$, $\mathbf{W}_d\in\mathbb{R}^{N\times N}$, $\mathbf{W}_m\in\mathbb{R}^{M\times M}$.
""",
    source="Tikhonov regularisation; Aster, Borchers and Thurber, Parameter Estimation and Inverse Problems, 2005",
    W_d="4 4",
    G="4 3",
    m="3",
    d="4",
    beta="",
    W_m="3 3",
    m_ref="3",
)
def tikhonov(W_d, G, m, d, beta, W_m, m_ref):
    return ((W_d @ (G @ m - d)) ** 2).sum() + beta * ((W_m @ (m - m_ref)) ** 2).sum()


@formula(
    r"""
\begin{equation}
g_z = G\sum_{k=1}^{K}\frac{m_k (z_k - z_0)}{\left[(x_k-x_0)^2+(y_k-y_0)^2+(z_k-z_0)^2\right]^{3/2}}
\end{equation}
""",
    source="Blakely, Potential Theory in Gravity and Magnetic Applications, 1995",
    shapes=("input G[], m[K], z[K], z_0[], x[K], x_0[], y[K], y_0[]", "base 1"),
    G="",
    m="4",
    z="4",
    z_0="",
    x="4",
    x_0="",
    y="4",
    y_0="",
)
def gravity_of_masses(G, m, z, z_0, x, x_0, y, y_0):
    r2 = (x - x_0) ** 2 + (y - y_0) ** 2 + (z - z_0) ** 2
    return G * (m * (z - z_0) / r2**1.5).sum()


@formula(
    r"""
The travel time of ray $i$ through cells of slowness $s_j$ is
\begin{equation}
t_i = \sum_{j=1}^{M} L_{ij}s_j,\qquad \chi^2 = \sum_{i=1}^{N}\left(\frac{t_i^{\mathrm{obs}}-t_i}{\sigma_i}\right)^2 .
\end{equation}
""",
    source="Nolet, A Breviary of Seismic Tomography, 2008",
    output="chi_squared",
    L="3 4",
    s="4",
    t_obs="3",
    sigma="3",
)
def travel_times(L, s, t_obs, sigma):
    return (((t_obs - L @ s) / sigma) ** 2).sum()


@formula(
    r"""
\begin{equation}
u'_{i,j} = 2u_{i,j} - \check{u}_{i,j} + \left(\frac{v_{i,j}\Delta t}{h}\right)^2\left(u_{i+1,j}+u_{i-1,j}+u_{i,j+1}+u_{i,j-1}-4u_{i,j}\right)
\end{equation}
for $i = 2,\dots,M-1$ and $j = 2,\dots,N-1$.
""",
    source="Alford, Kelly and Boore, Accuracy of finite-difference modeling of the acoustic wave equation, 1974",
    shapes=("input u[M, N], u_check[M, N], v[M, N], Delta_t[], h[]", "base 1"),
    u="5 6",
    u_check="5 6",
    v="5 6",
    Delta_t="",
    h="",
)
def acoustic_step(u, u_check, v, Delta_t, h):
    c = (slice(1, -1), slice(1, -1))
    lap = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[c]
    return 2 * u[c] - u_check[c] + (v[c] * Delta_t / h) ** 2 * lap


@formula(
    r"""
\begin{equation}
\frac{\mathrm{d}X_k}{\mathrm{d}t} = (X_{k+1}-X_{k-2})X_{k-1} - X_k + F, \qquad k = 3,\dots,K-1
\end{equation}
""",
    source="Lorenz, Predictability: a problem partly solved, 1996",
    shapes=("base 1", "input X[K], F[]"),
    X="7",
    F="",
)
def lorenz_96(X, F):
    return (X[3:] - X[:-3]) * X[1:-2] - X[2:-1] + F


@formula(
    r"""
\begin{equation}
\mathrm{NSE} = 1 - \frac{\sum_{t=1}^{T}\left(Q_o^t - Q_m^t\right)^2}{\sum_{t=1}^{T}\left(Q_o^t-\overline{Q}_o\right)^2}
\end{equation}
""",
    source="Nash and Sutcliffe, River flow forecasting, 1970",
    output="",
    Q_o="5",
    Q_m="5",
)
def nash_sutcliffe(Q_o, Q_m):
    return None


@formula(
    r"""
\begin{equation}
E = \rho_w g \sum_{n=1}^{N} \tfrac{1}{2} a_n^2, \quad \eta(x_j) = \sum_{n=1}^{N} a_n\cos(k_n x_j + \varphi_n)
\end{equation}
""",
    source="Holthuijsen, Waves in Oceanic and Coastal Waters, 2007",
    output="eta",
    a="3",
    k="3",
    x="4",
    varphi="3",
    rho_w="",
    g="",
)
def sea_surface(a, k, x, varphi, rho_w, g):
    return np.array([(a * np.cos(k * y + varphi)).sum() for y in x])


@formula(
    r"""
\begin{equation}
K_{ij} = \sum_{e=1}^{E} w_e \sum_{a=1}^{3} B_{eai}\, B_{eaj}
\end{equation}
""",
    source="Zienkiewicz, The Finite Element Method, 1971: a stiffness matrix",
    w="2",
    B="2 3 4",
)
def stiffness(w, B):
    return np.einsum("e,eai,eaj->ij", w, B, B)
