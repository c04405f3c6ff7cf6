"""Formulas of articles on wavefronts, markets, arms, light, genes, earthquakes, recommendations, fluids and clusters, with the words around them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Zernike-free Seidel wavefront sampled at pupil points $(x_p, y_p)$ with $\rho_p^2 = x_p^2 + y_p^2$ is
\begin{equation}
W_p = W_{040}\, \rho_p^4 + W_{131}\, \rho_p^2 x_p + W_{222}\, x_p^2 + W_{220}\, \rho_p^2 + W_{311}\, x_p ,
\end{equation}
and its RMS is $\sigma_W = \sqrt{\frac{1}{P} \sum_{p=1}^P (W_p - \overline{W})^2}$.
\end{document}
""",
    source="Welford, Aberrations of Optical Systems, 1986",
    output="W",
    W_040="",
    W_131="",
    W_222="",
    W_220="",
    W_311="",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def seidel(W_040, W_131, W_222, W_220, W_311, x, y):
    r = x * x + y * y
    return W_040 * r * r + W_131 * r * x + W_222 * x * x + W_220 * r + W_311 * x


@formula(
    r"""
We write $\beta_{ij}$ for transmission from species $j$ to species $i$. The entries of the next-generation matrix are
\begin{equation}
K_{ij} = \frac{\beta_{ij} N_i}{\mu_j + \gamma_j} \cdot \frac{\sigma_j}{\sigma_j + \mu_j}.
\end{equation}
""",
    source="Diekmann, Heesterbeek and Roberts, The construction of next-generation matrices, 2010",
    beta="3 3",
    N="3",
    mu="3",
    gamma="3",
    sigma="3",
)
def next_generation_entries(beta, N, mu, gamma, sigma):
    return beta * N[:, None] / (mu + gamma) * (sigma / (sigma + mu))


@formula(
    r"""
The logit share of product $j$ in market $t$ with random coefficients simulated by $R$ draws $\nu_{rk}$ is
\begin{equation}
s_{jt} = \frac{1}{R} \sum_{r=1}^{R} \frac{\exp\left( \delta_{jt} + \sum_{k=1}^{K} x_{jtk} \sigma_k \nu_{rk} \right)}{1 + \sum_{m=1}^{J} \exp\left( \delta_{mt} + \sum_{k=1}^{K} x_{mtk} \sigma_k \nu_{rk} \right)}.
\end{equation}
""",
    source="Berry, Levinsohn and Pakes, Automobile prices in market equilibrium, 1995",
    shapes=("input delta[J, T]",),
    delta="3 2",
    x=lambda r: normal(r, 3, 2, 2),
    sigma="2",
    nu=lambda r: normal(r, 4, 2),
)
def blp_shares(delta, x, sigma, nu):
    u = np.exp(delta[None] + np.einsum("jtk,k,rk->rjt", x, sigma, nu))
    return (u / (1 + u.sum(1, keepdims=True))).mean(0)


@formula(
    r"""
\begin{align}
\dot{V} &= - \sum_{i=1}^{n} k_i e_i^2 - \sum_{i=1}^{n} \eta_i |e_i| + \sum_{i=1}^{n} d_i e_i
\end{align}
is the derivative of the Lyapunov function under the switching control $u_i = -k_i e_i - \eta_i \operatorname{sgn}(e_i)$.
""",
    source="Slotine and Li, Applied Nonlinear Control, 1991",
    output="V_dot",
    k="4",
    e=lambda r: normal(r, 4),
    eta="4",
    d="4",
)
def lyapunov_rate(k, e, eta, d):
    return -np.sum(k * e * e) - np.sum(eta * abs(e)) + np.sum(d * e)


@formula(
    r"""
The polyphase output of a rational resampler by $L/M$ is
\[
y[m] = \sum_{k=0}^{K-1} h[kL + (mM \bmod L)] \, x\left[ \left\lfloor \tfrac{mM}{L} \right\rfloor - k \right].
\]
""",
    source="Crochiere and Rabiner, Multirate Digital Signal Processing, 1983",
    leaves_open="lengths",
    h="4",
)
def resampler(h):
    return np.zeros(3)


@formula(
    r"""
\newcommand{\n}{\mathbf{n}}
\newcommand{\l}{\boldsymbol{\omega}}
The irradiance from $L$ area lights with clamped cosines and albedo $\rho$ gives the reflected radiance
\begin{equation}
L_o(p) = \frac{\rho_p}{\pi} \sum_{i=1}^{L} V_{pi} \, E_i \max(0, \n_p \cdot \l_i) \frac{A_i}{r_{pi}^2}
\end{equation}
where $\n_p, \l_i \in \mathbb{R}^3$.
""",
    source="Dutre, Bala and Bekaert, Advanced Global Illumination, 2006",
    rho="4",
    V="4 3",
    E="3",
    n=lambda r: normal(r, 4, 3),
    omega=lambda r: normal(r, 3, 3),
    A="3",
    r="4 3",
)
def area_lights(rho, V, E, n, omega, A, r):
    return rho / np.pi * np.sum(V * E * np.maximum(0, n @ omega.T) * A / r**2, 1)


@formula(
    r"""
For codon usage, let $f_{ac}$ be the count of codon $c$ of amino acid $a$. The relative synonymous codon usage and the effective number of codons use
\begin{equation}
\mathrm{RSCU}_{ac} = \frac{f_{ac}}{\frac{1}{n_a} \sum_{c'=1}^{C} f_{ac'}}, \qquad F_a = \frac{m_a \sum_{c=1}^{C} p_{ac}^2 - 1}{m_a - 1}, \qquad m_a = \sum_{c=1}^{C} f_{ac},\quad p_{ac} = \frac{f_{ac}}{m_a}.
\end{equation}
""",
    source="Wright, The effective number of codons used in a gene, 1990",
    output="F",
    f=lambda r: uniform(r, 4, 3) * 5,
    n="4",
)
def codon_homozygosity(f, n):
    m = f.sum(1)
    p = f / m[:, None]
    return (m * np.sum(p * p, 1) - 1) / (m - 1)


@formula(
    r"""
The Hirshfeld charge of atom $A$ obtained by quadrature over grid points $g$ reads
\begin{equation}
q_A = Z_A - \sum_{g} w_g \, \frac{\rho_A^0(\mathbf{r}_g)}{\sum_B \rho_B^0(\mathbf{r}_g)} \, \rho(\mathbf{r}_g).
\end{equation}
""",
    source="Hirshfeld, Bonded-atom fragments for describing molecular charge densities, 1977",
    leaves_open="rho and rho^0",
    Z="2",
)
def hirshfeld(Z):
    return np.zeros(2)


@formula(
    r"""
Ground-motion prediction with a magnitude-dependent attenuation:
\begin{equation}
\ln Y_{es} = c_1 + c_2 M_e + (c_3 + c_4 M_e) \ln \sqrt{R_{es}^2 + h^2} + c_5 F_e + c_6 S_s
\end{equation}
for event $e$ and station $s$.
""",
    source="Boore and Atkinson, Ground-motion prediction equations, 2008, simplified",
    output="log_Y",
    c_1="",
    c_2="",
    M="3",
    c_3="",
    c_4="",
    R="3 4",
    h="",
    c_5="",
    F="3",
    c_6="",
    S="4",
)
def ground_motion(c_1, c_2, M, c_3, c_4, R, h, c_5, F, c_6, S):
    return (
        c_1
        + (c_2 * M)[:, None]
        + (c_3 + c_4 * M)[:, None] * np.log(np.sqrt(R * R + h * h))
        + (c_5 * F)[:, None]
        + c_6 * S
    )


@formula(
    r"""
The language-model score with Jelinek--Mercer smoothing of a query of $n$ terms in document $d$ is
\begin{equation}
\log P(Q \mid d) = \sum_{i=1}^{n} \log\left[ (1 - \lambda) \frac{f_{id}}{L_d} + \lambda \frac{c_i}{C} \right].
\end{equation}
""",
    source="Zhai and Lafferty, A study of smoothing methods for language models, 2001, Jelinek-Mercer",
    **{"lambda": lambda r: 0.3},
    f="3 4",
    L="4",
    c="3",
    C="",
)
def jelinek_mercer(f, L, c, C, **k):
    l = k["lambda"]
    return np.sum(np.log((1 - l) * f / L + l * c[:, None] / C), 0)


@formula(
    r"""
Slope One predicts the rating of user $u$ for item $j$ from the deviations:
\begin{equation}
P_{uj} = \frac{\sum_{i \neq j} \left( \mathrm{dev}_{ji} + r_{ui} \right) c_{ji}}{\sum_{i \neq j} c_{ji}}, \qquad \mathrm{dev}_{ji} = \frac{1}{c_{ji}} \sum_{u} m_{uj} m_{ui} (r_{uj} - r_{ui}), \qquad c_{ji} = \sum_u m_{uj} m_{ui}.
\end{equation}
""",
    source="Lemire and Maclachlan, Slope one predictors for online rating-based collaborative filtering, 2005, weighted",
    output="P",
    r="4 3",
    m="4 3",
)
def slope_one(r, m):
    c = m.T @ m
    dev = np.einsum("uj,ui,uji->ji", m, m, r[:, :, None] - r[:, None]) / c
    return np.array(
        [
            [
                sum((dev[j, i] + r[u, i]) * c[j, i] for i in range(3) if i != j)
                / sum(c[j, i] for i in range(3) if i != j)
                for j in range(3)
            ]
            for u in range(4)
        ]
    )


@formula(
    r"""
Consistency distillation uses the boundary parameterisation
\begin{equation}
f_n = c_{\text{skip},n} \, \mathbf{x}_n + c_{\text{out},n} \, \mathbf{F}_n, \quad c_{\text{skip},n} = \frac{\sigma_d^2}{(t_n - \epsilon)^2 + \sigma_d^2}, \quad c_{\text{out},n} = \frac{\sigma_d (t_n - \epsilon)}{\sqrt{\sigma_d^2 + t_n^2}},
\end{equation}
with $\mathbf{x}_n, \mathbf{F}_n \in \mathbb{R}^D$.
""",
    source="Song et al., Consistency models, 2023, appendix C",
    output="f",
    sigma_d="",
    t="4",
    epsilon=lambda r: 0.002,
    x=lambda r: normal(r, 4, 3),
    F=lambda r: normal(r, 4, 3),
)
def consistency_output(sigma_d, t, epsilon, x, F):
    s = sigma_d**2 / ((t - epsilon) ** 2 + sigma_d**2)
    o = sigma_d * (t - epsilon) / np.sqrt(sigma_d**2 + t**2)
    return s[:, None] * x + o[:, None] * F


@formula(
    r"""
In natural policy gradients for a softmax policy with features $\phi_{sa} \in \mathbb{R}^d$, the Fisher information is
\begin{equation}
F = \sum_{s} \mu_s \sum_{a} \pi_{sa} (\phi_{sa} - \bar{\phi}_s)(\phi_{sa} - \bar{\phi}_s)^\top, \qquad \bar{\phi}_s = \sum_{a} \pi_{sa} \phi_{sa}.
\end{equation}
""",
    source="Kakade, A natural policy gradient, 2001, for softmax policies",
    shapes=("input mu[S], pi[S, A]",),
    output="F",
    mu="3",
    pi="3 4",
    phi=lambda r: normal(r, 3, 4, 2),
)
def natural_gradient(mu, pi, phi):
    b = np.einsum("sa,sad->sd", pi, phi)
    c = phi - b[:, None]
    return np.einsum("s,sa,sai,saj->ij", mu, pi, c, c)


@formula(
    r"""
GraphNorm shifts with a learnable fraction of the mean:
\begin{equation}
\mathrm{GraphNorm}(\hat{h}_{i,j}) = \gamma_j \cdot \frac{\hat{h}_{i,j} - \alpha_j \cdot \mu_j}{\hat{\sigma}_j} + \beta_j, \quad \mu_j = \frac{\sum_{i=1}^n \hat{h}_{i,j}}{n}, \quad \hat\sigma_j^2 = \frac{\sum_{i=1}^{n} (\hat{h}_{i,j} - \alpha_j \cdot \mu_j)^2}{n}.
\end{equation}
""",
    source="Cai et al., GraphNorm, 2021, equation 5",
    gamma="3",
    h_hat="4 3",
    alpha="3",
    beta="3",
    output="GraphNorm",
)
def graph_norm(gamma, h_hat, alpha, beta):
    d = h_hat - alpha * h_hat.mean(0)
    return gamma * d / np.sqrt(np.mean(d * d, 0)) + beta


@formula(
    r"""
A neural spline flow evaluates in bin $k$ the rational-quadratic
\begin{equation}
y_n = y_k + \frac{(y_{k+1} - y_k) \left[ s \xi_n^2 + \delta_k \xi_n (1 - \xi_n) \right]}{s + (\delta_{k+1} + \delta_k - 2 s) \xi_n (1 - \xi_n)}
\end{equation}
""",
    source="Durkan et al., Neural spline flows, 2019, equation 4",
    leaves_open="k and n below one name",
    s="",
)
def spline_flow(s):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\mathrm{head}_{h,t} = \sum_{s=1}^{T} \frac{\exp(\mathbf{q}_{h,t}^{\top} \mathbf{k}_{h,s} / \sqrt{d} + b_{h,t-s})}{\sum_{s'=1}^{T} \exp(\mathbf{q}_{h,t}^{\top} \mathbf{k}_{h,s'} / \sqrt{d} + b_{h,t-s'})} \mathbf{v}_{h,s}
\end{equation}
with relative biases $b_{h,\cdot}$ and $\mathbf{q}_{h,t}, \mathbf{k}_{h,t}, \mathbf{v}_{h,t} \in \mathbb{R}^d$.
""",
    source="Raffel et al., Exploring the limits of transfer learning, 2020, relative biases",
    leaves_open="negative subscripts",
    q="2 3",
)
def relative_bias_attention(q):
    return np.zeros(3)


@formula(
    r"""
The lifted structured loss on a batch with distances $D_{ij}$ and pair labels $p_{ij} \in \{0, 1\}$ is
\begin{equation}
J = \frac{1}{2 |\mathcal{P}|} \sum_{i \neq j} p_{ij} \max(0, J_{ij})^2, \quad J_{ij} = \log\left( \sum_{k} (1 - p_{ik}) e^{\alpha - D_{ik}} + \sum_{l} (1 - p_{jl}) e^{\alpha - D_{jl}} \right) + D_{ij}
\end{equation}
where $|\mathcal{P}|$ is the number of positive pairs.
""",
    source="Song et al., Deep metric learning via lifted structured feature embedding, 2016",
    leaves_open="the number of pairs",
    p="3 3",
)
def lifted_structure(p):
    return 0.0


@formula(
    r"""
The restricted mean survival time difference between arms $g=1,2$ from step functions $S_{gk}$ on intervals of width $\Delta_k$ is
\begin{equation}
\mathrm{RMST} = \sum_{k=1}^{K} \Delta_k (S_{1k} - S_{2k}), \qquad \hat{V} = \sum_{k=1}^{K} \frac{d_k}{r_k (r_k - d_k)} \left( \sum_{l=k}^{K} \Delta_l S_{1l} \right)^2 .
\end{equation}
""",
    source="Royston and Parmar, Restricted mean survival time, 2013",
    shapes=("input S_1[K], S_2[K]",),
    output="V_hat",
    Delta="4",
    S_1="4",
    S_2="4",
    d=lambda r: uniform(r, 4) * 0.1,
    r="4",
)
def restricted_mean_variance(Delta, S_1, S_2, d, r):
    return sum(d[k] / (r[k] * (r[k] - d[k])) * np.sum((Delta * S_1)[k:]) ** 2 for k in range(4))


@formula(
    r"""
Geographically weighted regression at location $u$ uses bisquare weights
\begin{equation}
w_{ui} = \begin{cases} \left[ 1 - (d_{ui}/b)^2 \right]^2 & d_{ui} < b \\ 0 & \text{otherwise} \end{cases}, \qquad \hat{\beta}_u = \frac{\sum_{i=1}^{n} w_{ui} x_i y_i}{\sum_{i=1}^{n} w_{ui} x_i^2} .
\end{equation}
""",
    source="Fotheringham, Brunsdon and Charlton, Geographically Weighted Regression, 2002",
    output="beta_hat",
    d="3 5",
    b=lambda r: 1.2,
    x="5",
    y="5",
)
def geographic_regression(d, b, x, y):
    w = np.where(d < b, (1 - (d / b) ** 2) ** 2, 0)
    return w @ (x * y) / (w @ (x * x))


@formula(
    r"""
Under the LIBOR market model the swap rate with tenor fractions $\tau_i$ is a weighted sum of forwards,
\begin{equation}
S = \frac{\sum_{i=1}^{n} \tau_i P_i L_i}{\sum_{i=1}^{n} \tau_i P_i}, \qquad P_i = \prod_{j=1}^{i} \frac{1}{1 + \tau_j L_j}.
\end{equation}
""",
    source="Brigo and Mercurio, Interest Rate Models, 2001, section 6.3",
    output="S",
    tau="4",
    L="4",
)
def swap_rate(tau, L):
    P = np.cumprod(1 / (1 + tau * L))
    return np.sum(tau * P * L) / np.sum(tau * P)


@formula(
    r"""
The lattice Boltzmann moments and the BGK relaxation of populations $f_q$ with velocities $\mathbf{c}_q \in \mathbb{R}^2$ are
\begin{align}
\rho &= \sum_{q} f_q, \qquad \rho \mathbf{u} = \sum_{q} f_q \mathbf{c}_q, \\
f_q^{\mathrm{eq}} &= w_q \rho \left[ 1 + 3\, \mathbf{c}_q \cdot \mathbf{u} + \tfrac{9}{2} (\mathbf{c}_q \cdot \mathbf{u})^2 - \tfrac{3}{2} \mathbf{u} \cdot \mathbf{u} \right].
\end{align}
""",
    source="Qian, d'Humieres and Lallemand, Lattice BGK models for Navier-Stokes equation, 1992",
    output="f_eq",
    f="5",
    c=lambda r: normal(r, 5, 2),
    w="5",
)
def relaxed_populations(f, c, w):
    rho = f.sum()
    u = f @ c / rho
    a = c @ u
    return w * rho * (1 + 3 * a + 4.5 * a * a - 1.5 * u @ u)


@formula(
    r"""
Given keypoint heatmaps $H_k(u,v)$ over a $W \times H$ grid and targets $\hat{H}_k(u, v)$, the adaptive loss is
\[
\mathcal{L} = \frac{1}{K W H} \sum_{k=1}^{K} \sum_{u=1}^{W} \sum_{v=1}^{H} (1 + \lambda \hat{H}_k(u,v)) \left( H_k(u,v) - \hat{H}_k(u,v) \right)^2 .
\]
""",
    source="Wang, Bo and Fuxin, Adaptive wing loss, 2019, weighted squares",
    leaves_open="H is a size and a map",
    H="3",
)
def heatmap_loss(H):
    return 0.0


@formula(
    r"""
In coupled matrix--tensor factorisation we minimise
\begin{equation}
f(A, B, C, V) = \frac{1}{2} \sum_{ijk} \Big( x_{ijk} - \sum_{r=1}^{R} a_{ir} b_{jr} c_{kr} \Big)^2 + \frac{1}{2} \sum_{im} \Big( y_{im} - \sum_{r=1}^{R} a_{ir} v_{mr} \Big)^2 .
\end{equation}
""",
    source="Acar, Kolda and Dunlavy, All-at-once optimization for coupled matrix and tensor factorizations, 2011",
    x="3 4 2",
    a="3 2",
    b="4 2",
    c="2 2",
    y="3 5",
    v="5 2",
)
def coupled_factorization(x, a, b, c, y, v):
    return 0.5 * np.sum((x - np.einsum("ir,jr,kr->ijk", a, b, c)) ** 2) + 0.5 * np.sum(
        (y - a @ v.T) ** 2
    )


@formula(
    r"""
The Calinski--Harabasz index with hard assignments $z_{ik}$ and centroids $\mathbf{m}_k = \sum_i z_{ik} \mathbf{x}_i / n_k$, where $n_k = \sum_i z_{ik}$ and $\mathbf{x}_i \in \mathbb{R}^d$, is
\begin{equation}
\mathrm{CH} = \frac{(n - K) \sum_{k=1}^{K} n_k \|\mathbf{m}_k - \mathbf{m}\|^2}{(K - 1) \sum_{k=1}^{K} \sum_{i=1}^{n} z_{ik} \|\mathbf{x}_i - \mathbf{m}_k\|^2}, \qquad \mathbf{m} = \frac{1}{n} \sum_{i=1}^n \mathbf{x}_i .
\end{equation}
""",
    source="Calinski and Harabasz, A dendrite method for cluster analysis, 1974",
    output="CH",
    z="5 2",
    x=lambda r: normal(r, 5, 3),
)
def calinski(z, x):
    n = z.sum(0)
    m = z.T @ x / n[:, None]
    M = x.mean(0)
    b = np.sum(n * np.sum((m - M) ** 2, 1))
    w = np.sum(z * np.sum((x[:, None] - m[None]) ** 2, 2))
    return (5 - 2) * b / ((2 - 1) * w)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Strehl ratio under small aberrations is estimated from the wavefront map $\phi_{uv}$ in radians by
\begin{equation}
S \approx \left( \frac{1}{N} \sum_{u,v} A_{uv} \cos\phi_{uv} \right)^2 + \left( \frac{1}{N} \sum_{u,v} A_{uv} \sin\phi_{uv} \right)^2,
\end{equation}
where $A_{uv}$ is the pupil mask and $N = \sum_{u,v} A_{uv}$.
\end{document}
""",
    source="Mahajan, Strehl ratio for primary aberrations, 1983",
    A="3 4",
    phi=lambda r: normal(r, 3, 4),
    output="S",
)
def strehl(A, phi):
    N = A.sum()
    return (np.sum(A * np.cos(phi)) / N) ** 2 + (np.sum(A * np.sin(phi)) / N) ** 2


@formula(
    r"""
The years of life lost in age group $a$ for cause $c$, and the share of that cause, are
\[
\mathrm{YLL}_{ac} = d_{ac} \, e_a, \qquad \pi_c = \frac{\sum_a \mathrm{YLL}_{ac}}{\sum_{a} \sum_{c'} \mathrm{YLL}_{ac'}},
\]
where $d_{ac}$ are deaths and $e_a$ is the remaining life expectancy at age $a$.
""",
    source="Murray and Lopez, The Global Burden of Disease, 1996",
    output="pi",
    d="3 4",
    e="3",
)
def burden_share(d, e):
    y = d * e[:, None]
    return y.sum(0) / y.sum()


@formula(
    r"""
In a gravity model estimated by PPML, the score of the parameter vector is
\begin{equation}
g_k = \sum_{i=1}^{n} \sum_{j=1}^{n} \left[ X_{ij} - \exp\left( \sum_{m=1}^{K} \beta_m z_{ijm} \right) \right] z_{ijk}, \qquad k = 1, \dots, K.
\end{equation}
""",
    source="Santos Silva and Tenreyro, The log of gravity, 2006",
    X="3 3",
    beta=lambda r: normal(r, 2),
    z=lambda r: normal(r, 3, 3, 2),
)
def ppml_score(X, beta, z):
    return np.einsum("ij,ijk->k", X - np.exp(z @ beta), z)


@formula(
    r"""
The discrete-time PID law with anti-windup gain computes, from the errors $e_0, e_1, \ldots, e_k$,
\begin{equation}
u_k = K_p e_k + K_i T_s \sum_{j=0}^{k} e_j + K_d \frac{e_k - e_{k-1}}{T_s}.
\end{equation}
""",
    source="Astrom and Hagglund, PID Controllers, 1995",
    leaves_open="e_{-1}",
    e="4",
)
def pid_law(e):
    return np.zeros(4)


@formula(
    r"""
A Gabor atom dictionary gives the coefficients
$$
c_{pq} = \sum_{n=0}^{N-1} x(n) \, g(n - pa) \cos\left( \frac{2\pi q b n}{N} \right)
$$
with time step $a$ and frequency step $b$.
""",
    source="Qian and Chen, Discrete Gabor transform, 1993",
    leaves_open="ends of the window",
    x="4",
)
def gabor_coefficients(x):
    return np.zeros((2, 2))


@formula(
    r"""
Subdivision curves aside, a cubic B-spline segment blends four control points $\mathbf{p}_i \in \mathbb{R}^2$:
\begin{align}
b_0(t) &= \tfrac{1}{6} (1 - t)^3, & b_1(t) &= \tfrac{1}{6} (3 t^3 - 6 t^2 + 4), \\
b_2(t) &= \tfrac{1}{6} (-3 t^3 + 3 t^2 + 3 t + 1), & b_3(t) &= \tfrac{1}{6} t^3,
\end{align}
\begin{equation}
\mathbf{s}(t) = \sum_{i=0}^{3} b_i(t) \, \mathbf{p}_i .
\end{equation}
""",
    source="de Boor, A Practical Guide to Splines, 1978",
    leaves_open="functions with numbers",
    p="4 2",
)
def bspline_segment(p):
    return np.zeros(2)


@formula(
    r"""
The E-step of an LDA topic model gives $\phi_{dnk}$; the expected topic--word counts and the smoothed topics are
\begin{equation}
n_{kw} = \sum_{d=1}^{D} \sum_{n=1}^{N} \phi_{dnk} \, \mathbf{1}[w_{dn} = w], \qquad \beta_{kw} = \frac{n_{kw} + \eta}{\sum_{v=1}^{V} n_{kv} + V \eta} .
\end{equation}
""",
    source="Blei, Ng and Jordan, Latent Dirichlet allocation, 2003, smoothed",
    shapes=("size V", "input phi[D, N, K], w[D, N]: 1..V, eta[]"),
    output="beta",
    phi="2 3 2",
    w=lambda r: r.integers(1, 5, (2, 3)),
    eta="",
    sizes={"V": 4},
)
def lda_topics(phi, w, eta):
    n = np.zeros((2, 4))
    for d in range(2):
        for i in range(3):
            n[:, w[d, i] - 1] += phi[d, i]
    return (n + eta) / (n.sum(1, keepdims=True) + 4 * eta)


@formula(
    r"""
\begin{equation}
V_{nn} = \sum_{A=1}^{M-1} \sum_{B=A+1}^{M} \frac{Z_A Z_B}{\| \mathbf{R}_A - \mathbf{R}_B \|}, \qquad \mathbf{R}_A \in \mathbb{R}^3
\end{equation}
is the nuclear repulsion, and the one-electron density at $\mathbf{r}$ is not needed here.
""",
    source="Helgaker, Jorgensen and Olsen, Molecular Electronic-Structure Theory, 2000",
    Z="4",
    R=lambda r: normal(r, 4, 3),
)
def nuclear_repulsion(Z, R):
    return sum(Z[a] * Z[b] / np.linalg.norm(R[a] - R[b]) for a in range(4) for b in range(a + 1, 4))


@formula(
    r"""
The amplitude-variation-with-offset response of interface $k$ at angle $\theta_m$ in Shuey's approximation is
\begin{equation}
R_{km} \approx A_k + B_k \sin^2\theta_m + C_k \left( \tan^2\theta_m - \sin^2\theta_m \right)
\end{equation}
""",
    source="Shuey, A simplification of the Zoeppritz equations, 1985",
    A="3",
    B="3",
    theta=lambda r: r.uniform(0.1, 0.6, 4),
    C="3",
)
def shuey(A, B, theta, C):
    s = np.sin(theta) ** 2
    t = np.tan(theta) ** 2
    return A[:, None] + np.outer(B, s) + np.outer(C, t - s)


@formula(
    r"""
BM25F combines the term frequencies of fields $f$ with boosts $v_f$ before saturation:
\begin{equation}
\tilde{w}_{td} = \sum_{f=1}^{F} v_f \frac{x_{tdf}}{1 - b_f + b_f \, \ell_{df} / \bar{\ell}_f}, \qquad S_d = \sum_{t=1}^{T} q_t \frac{\tilde{w}_{td}}{k_1 + \tilde{w}_{td}} \, \mathrm{idf}_t,
\end{equation}
where $\bar{\ell}_f$ is the average length of field $f$.
""",
    source="Robertson, Zaragoza and Taylor, Simple BM25 extension to multiple weighted fields, 2004",
    output="S",
    v="2",
    x="3 4 2",
    b=lambda r: r.uniform(0.2, 0.8, 2),
    ell="4 2",
    q="3",
    k_1="",
    idf="3",
)
def bm25f(v, x, b, ell, q, k_1, idf):
    w = np.einsum("f,tdf->td", v, x / (1 - b + b * ell / ell.mean(0))[None])
    return (q * idf) @ (w / (k_1 + w))


@formula(
    r"""
Weighted matrix factorisation with implicit confidence $c_{ui} = 1 + \alpha r_{ui}$ and preference $p_{ui}$ has the objective
\begin{equation}
\sum_{u,i} c_{ui} \left( p_{ui} - x_u^T y_i \right)^2 + \lambda \left( \sum_u \|x_u\|^2 + \sum_i \|y_i\|^2 \right)
\end{equation}
where $x_u, y_i \in \mathbb{R}^f$.
""",
    source="Hu, Koren and Volinsky, Collaborative filtering for implicit feedback datasets, 2008, equation 3",
    alpha="",
    r="3 4",
    p="3 4",
    x=lambda r: normal(r, 3, 2),
    y=lambda r: normal(r, 4, 2),
    **{"lambda": ""},
)
def implicit_factorization(alpha, r, p, x, y, **k):
    return np.sum((1 + alpha * r) * (p - x @ y.T) ** 2) + k["lambda"] * (
        np.sum(x * x) + np.sum(y * y)
    )


@formula(
    r"""
In EDM preconditioning the denoiser loss is weighted by
\begin{equation}
\mathcal{L} = \frac{1}{N} \sum_{n=1}^{N} \lambda_n \left\| \mathbf{D}_n - \mathbf{y}_n \right\|_2^2, \quad \lambda_n = \frac{\sigma_n^2 + \sigma_{\text{data}}^2}{(\sigma_n \cdot \sigma_{\text{data}})^2},
\end{equation}
with $\mathbf{D}_n, \mathbf{y}_n \in \mathbb{R}^{d}$.
""",
    source="Karras et al., Elucidating the design space of diffusion-based generative models, 2022",
    output="L",
    D=lambda r: normal(r, 3, 4),
    y=lambda r: normal(r, 3, 4),
    sigma="3",
    sigma_data="",
)
def edm_loss(D, y, sigma, sigma_data):
    l = (sigma**2 + sigma_data**2) / (sigma * sigma_data) ** 2
    return np.mean(l * np.sum((D - y) ** 2, 1))


@formula(
    r"""
The MaxEnt IRL gradient matches feature expectations,
\begin{equation}
\nabla_k = \frac{1}{M} \sum_{m=1}^{M} \sum_{t=1}^{T} f_{mtk} - \sum_{s=1}^{S} D_s \phi_{sk}
\end{equation}
where $D_s$ are state visitation frequencies.
""",
    source="Ziebart et al., Maximum entropy inverse reinforcement learning, 2008",
    leaves_open="nabla as a name",
    f="2 3 2",
)
def irl_gradient(f):
    return np.zeros(2)


@formula(
    r"""
The Chebyshev spectral filter of order two is, with the rescaled Laplacian $\tilde{L} \in \mathbb{R}^{N \times N}$ and signal $X \in \mathbb{R}^{N \times C}$,
\begin{equation}
Y = X \Theta_0 + \tilde{L} X \Theta_1 + (2 \tilde{L}^2 - I_N) X \Theta_2
\end{equation}
where $\Theta_0, \Theta_1, \Theta_2 \in \mathbb{R}^{C \times F}$.
""",
    source="Defferrard, Bresson and Vandergheynst, Convolutional neural networks on graphs, 2016, of order two",
    X=lambda r: normal(r, 4, 3),
    Theta_0=lambda r: normal(r, 3, 2),
    L_tilde=lambda r: normal(r, 4, 4),
    Theta_1=lambda r: normal(r, 3, 2),
    Theta_2=lambda r: normal(r, 3, 2),
)
def chebyshev_filter(X, Theta_0, L_tilde, Theta_1, Theta_2):
    L = L_tilde
    return X @ Theta_0 + L @ X @ Theta_1 + (2 * L @ L - np.eye(4)) @ X @ Theta_2


@formula(
    r"""
Sylvester-type coupling with a scalar gate: $y = x + a \tanh(b x + c)$. The total log-determinant over dimensions is
\begin{equation}
\log|\det J| = \sum_{i=1}^{D} \log \left| 1 + a_i b_i \left( 1 - \tanh^2(b_i x_i + c_i) \right) \right|.
\end{equation}
""",
    source="van den Berg et al., Sylvester normalizing flows, 2018, diagonal",
    a="4",
    b="4",
    x=lambda r: normal(r, 4),
    c="4",
)
def gated_determinant(a, b, x, c):
    return np.sum(np.log(abs(1 + a * b * (1 - np.tanh(b * x + c) ** 2))))


@formula(
    r"""
Linformer projects keys and values with $E, F \in \mathbb{R}^{k \times n}$:
\begin{equation}
\overline{\mathrm{head}} = \mathrm{softmax}\left( \frac{Q (E K)^\top}{\sqrt{d}} \right) F V
\end{equation}
where $Q, K, V \in \mathbb{R}^{n \times d}$.
""",
    source="Wang et al., Linformer, 2020, equation 7",
    Q=lambda r: normal(r, 4, 3),
    E=lambda r: normal(r, 2, 4),
    K=lambda r: normal(r, 4, 3),
    F=lambda r: normal(r, 2, 4),
    V=lambda r: normal(r, 4, 3),
)
def linformer(Q, E, K, F, V):
    s = Q @ (E @ K).T / np.sqrt(3)
    s = np.exp(s)
    s /= s.sum(1, keepdims=True)
    return s @ F @ V


@formula(
    r"""
The ranked list loss with margin $m$ and threshold $\alpha$ pulls the positives and pushes the weighted negatives of anchor $i$:
\begin{equation}
L_i = \sum_{j \neq i} y_{ij} \left[ d_{ij} - (\alpha - m) \right]_+ + \sum_{j \neq i} (1 - y_{ij}) \frac{w_{ij}}{\sum_{k \neq i} (1 - y_{ik}) w_{ik}} \left[ \alpha - d_{ij} \right]_+, \quad w_{ij} = \exp\left( T (\alpha - d_{ij}) \right).
\end{equation}
""",
    source="Wang et al., Ranked list loss for deep metric learning, 2019, equations 4 to 7",
    output="L",
    y=lambda r: r.uniform(0, 1, (4, 4)),
    d="4 4",
    alpha=lambda r: 1.2,
    m=lambda r: 0.4,
    T="",
)
def ranked_list(y, d, alpha, m, T):
    w = np.exp(T * (alpha - d))
    o = 1 - np.eye(4)
    n = (1 - y) * w * o
    return np.sum(o * y * np.maximum(d - (alpha - m), 0), 1) + np.sum(
        n * np.maximum(alpha - d, 0), 1
    ) / n.sum(1)


@formula(
    r"""
The Nelson--Aalen and Breslow estimators coincide without covariates. With them, the cumulative baseline hazard at the ordered event times $t_1 < \dots < t_K$ is
\begin{equation}
\hat{\Lambda}_0(t_k) = \sum_{l=1}^{k} \frac{d_l}{\sum_{j=1}^{n} Y_{lj} \exp(\hat{\beta} x_j)}, \qquad k = 1, \dots, K,
\end{equation}
where $Y_{lj} = 1$ if subject $j$ is at risk at $t_l$.
""",
    source="Breslow, Discussion of Professor Cox's paper, 1972",
    d="3",
    Y=lambda r: (r.random((3, 5)) < 0.7).astype(float) + 0.1,
    beta_hat="",
    x="5",
)
def breslow(d, Y, beta_hat, x):
    return np.cumsum(d / (Y @ np.exp(beta_hat * x)))


@formula(
    r"""
A Gaussian cosine process kernel on the sphere and the spatial-lag model yield the concentrated likelihood
\begin{equation}
\ell(\rho) = \sum_{i=1}^{n} \ln(1 - \rho \omega_i) - \frac{n}{2} \ln \left( \frac{1}{n} \sum_{i=1}^{n} (e_{0i} - \rho e_{Li})^2 \right)
\end{equation}
with the eigenvalues $\omega_i$ of $W$ and the residuals $e_{0i}$ and $e_{Li}$ of two regressions.
""",
    source="Anselin, Spatial Econometrics, 1988, section 12.1",
    shapes=("input e_0[n], e_L[n]",),
    rho=lambda r: 0.3,
    omega=lambda r: r.uniform(-1, 1, 5),
    e_0=lambda r: normal(r, 5),
    e_L=lambda r: normal(r, 5),
)
def concentrated_likelihood(rho, omega, e_0, e_L):
    return np.sum(np.log(1 - rho * omega)) - 2.5 * np.log(np.mean((e_0 - rho * e_L) ** 2))


@formula(
    r"""
The risk-parity objective penalises unequal contributions,
\begin{equation}
f(\mathbf{w}) = \sum_{i=1}^{n} \sum_{j=1}^{n} \left( w_i (\boldsymbol\Sigma \mathbf{w})_i - w_j (\boldsymbol\Sigma \mathbf{w})_j \right)^2, \quad \boldsymbol{\Sigma} \in \mathbb{R}^{n \times n}.
\end{equation}
""",
    source="Maillard, Roncalli and Teiletche, The properties of equally weighted risk contribution portfolios, 2010",
    w="4",
    Sigma="4 4",
)
def risk_parity(w, Sigma):
    c = w * (Sigma @ w)
    return np.sum((c[:, None] - c) ** 2)


@formula(
    r"""
The Rhie--Chow-free divergence of the staggered field on cells $i=1,\dots,N$, $j=1,\dots,M$ is
\begin{equation}
D_{ij} = \frac{u_{i+1/2,j} - u_{i-1/2,j}}{\Delta x} + \frac{v_{i,j+1/2} - v_{i,j-1/2}}{\Delta y}.
\end{equation}
""",
    source="Harlow and Welch, Numerical calculation of time-dependent viscous incompressible flow, 1965",
    u="5 3",
    Delta_x="",
    v="4 4",
    Delta_y="",
)
def staggered_divergence(u, Delta_x, v, Delta_y):
    return (u[1:] - u[:-1]) / Delta_x + (v[:, 1:] - v[:, :-1]) / Delta_y


@formula(
    r"""
Optical flow with a Lorentzian penalty minimises, over pixels $p$ with neighbours given by weights $n_{pq}$,
\begin{equation}
E = \sum_{p} \rho(I^x_p u_p + I^y_p v_p + I^t_p, \sigma_D) + \lambda \sum_{p} \sum_{q} n_{pq} \left[ \rho(u_p - u_q, \sigma_S) + \rho(v_p - v_q, \sigma_S) \right], \quad \rho(x, \sigma) = \log\left( 1 + \frac{1}{2} \left( \frac{x}{\sigma} \right)^2 \right),
\end{equation}
where superscripts $x$, $y$ and $t$ denote derivatives.
""",
    source="Black and Anandan, The robust estimation of multiple motions, 1996",
    output="E",
    I_x="4",
    u="4",
    I_y="4",
    v="4",
    I_t="4",
    sigma_D="",
    n="4 4",
    sigma_S="",
    **{"lambda": ""},
)
def lorentzian_flow(I_x, u, I_y, v, I_t, sigma_D, n, sigma_S, **k):
    f = lambda x, s: np.log(1 + 0.5 * (x / s) ** 2)
    return np.sum(f(I_x * u + I_y * v + I_t, sigma_D)) + k["lambda"] * np.sum(
        n * (f(u[:, None] - u, sigma_S) + f(v[:, None] - v, sigma_S))
    )


@formula(
    r"""
The core consistency diagnostic of a PARAFAC model compares the least-squares core $g_{def}$ with the superdiagonal array $t_{def}$:
\begin{equation}
\mathrm{CC} = 100 \left( 1 - \frac{\sum_{d=1}^{F} \sum_{e=1}^{F} \sum_{f=1}^{F} (g_{def} - t_{def})^2}{F} \right).
\end{equation}
""",
    source="Bro and Kiers, A new efficient method for determining the number of components in PARAFAC models, 2003",
    g="2 2 2",
    t="2 2 2",
)
def core_consistency(g, t):
    return 100 * (1 - np.sum((g - t) ** 2) / 2)


@formula(
    r"""
Student-$t$ memberships sharpened as in DEC, with an entropy regulariser over clusters:
\begin{equation}
q_{ij} = \frac{(1 + \|z_i - \mu_j\|^2 / \nu)^{-\frac{\nu+1}{2}}}{\sum_{j'} (1 + \|z_i - \mu_{j'}\|^2 / \nu)^{-\frac{\nu+1}{2}}}, \qquad H = - \sum_{j} \bar{q}_j \log \bar{q}_j,
\end{equation}
where $\bar{q}_j = \frac{1}{n} \sum_{i=1}^{n} q_{ij}$ and $z_i, \mu_j \in \mathbb{R}^d$.
""",
    source="Xie, Girshick and Farhadi, Unsupervised deep embedding for clustering analysis, 2016, with the entropy of cluster sizes",
    output="H",
    z=lambda r: normal(r, 4, 2),
    mu=lambda r: normal(r, 3, 2),
    nu="",
)
def cluster_entropy(z, mu, nu):
    q = (1 + np.sum((z[:, None] - mu[None]) ** 2, 2) / nu) ** (-(nu + 1) / 2)
    q /= q.sum(1, keepdims=True)
    b = q.mean(0)
    return -np.sum(b * np.log(b))


@formula(
    r"""
Let $c_{ij}$ be the co-occurrence counts. Shifted positive pointwise mutual information is
\begin{equation}
\mathrm{SPPMI}_{ij} = \max\left( \log \frac{c_{ij} \cdot c_{\cdot\cdot}}{c_{i\cdot} \, c_{\cdot j}} - \log k, \, 0 \right)
\end{equation}
where dots denote sums over the index.
""",
    source="Levy and Goldberg, Neural word embedding as implicit matrix factorization, 2014",
    c="3 4",
    k="",
    output="SPPMI",
)
def shifted_information(c, k):
    return np.maximum(np.log(c * c.sum() / np.outer(c.sum(1), c.sum(0))) - np.log(k), 0)
