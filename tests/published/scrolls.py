"""Formulas of articles on copulas, integrators, cells, leaves, soils, orbits, correlated electrons, curves, tones, rotations of factors and entropies."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The Clayton copula of dimension $d$ is
\[
C_\theta(u_1, \dots, u_d) = \left( \sum_{i=1}^{d} u_i^{-\theta} - d + 1 \right)^{-1/\theta}, \qquad \theta > 0 .
\]
""",
    source="Clayton, A model for association in bivariate life tables, 1978; as in McNeil, Frey, Embrechts, Quantitative Risk Management",
    u=lambda r: r.uniform(0.2, 0.9, 4),
    theta="",
)
def clayton_copula(u, theta):
    return (sum(u[i] ** -theta for i in range(4)) - 4 + 1) ** (-1 / theta)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\kT}{k_{\mathrm{B}} T}
\begin{document}
The O step of the splitting (with one friction coefficient $\gamma$ for all $N$ degrees of freedom) is
\begin{equation}
v_i' = e^{-\gamma \Delta t} v_i + \sqrt{\frac{\kT}{m_i} \left( 1 - e^{-2 \gamma \Delta t} \right)}\, \xi_i, \qquad i = 1, \dots, N,
\end{equation}
with independent standard normal numbers $\xi_i$.
\end{document}
""",
    source="Leimkuhler, Matthews, Rational construction of stochastic numerical methods for molecular sampling, 2013",
    gamma="",
    Delta_t="",
    v=lambda r: normal(r, 4),
    k_B="",
    T="",
    m="4",
    xi=lambda r: normal(r, 4),
    shapes=("size N", "input v[N], m[N], xi[N], gamma[], k_B[], T[]"),
)
def friction_step(gamma, Delta_t, v, k_B, T, m, xi):
    return np.array(
        [
            np.exp(-gamma * Delta_t) * v[i]
            + np.sqrt(k_B * T / m[i] * (1 - np.exp(-2 * gamma * Delta_t))) * xi[i]
            for i in range(4)
        ]
    )


@formula(
    r"""
The rate of photosynthesis limited by Rubisco and by electron transport is
\begin{align}
A_c &= V_{\mathrm{cmax}} \frac{C_i - \Gamma^*}{C_i + K_c \left( 1 + O / K_o \right)} , \\
A_j &= \frac{J}{4} \frac{C_i - \Gamma^*}{C_i + 2 \Gamma^*} , \\
A &= \min(A_c, A_j) - R_d ,
\end{align}
where $C_i$ is the intercellular concentration of CO$_2$.
""",
    source="Farquhar, von Caemmerer, Berry, A biochemical model of photosynthetic CO2 assimilation, 1980",
    output="A",
    V_cmax="",
    C_i=lambda r: np.float64(3.0),
    Gamma_star="",
    K_c="",
    O="",
    K_o="",
    J="",
    R_d="",
    shapes=("input V_cmax[], C_i[], Gamma_star[], K_c[], O[], K_o[], J[], R_d[]",),
)
def leaf_assimilation(V_cmax, C_i, Gamma_star, K_c, O, K_o, J, R_d):
    c = V_cmax * (C_i - Gamma_star) / (C_i + K_c * (1 + O / K_o))
    j = J / 4 * (C_i - Gamma_star) / (C_i + 2 * Gamma_star)
    return min(c, j) - R_d


@formula(
    r"""
Let $m_{ij}$ be the probability that someone of patch $i$ is in patch $j$. The force of infection is
\begin{equation}
\lambda_i = \sum_{j=1}^{n} m_{ij} \beta_j \frac{\sum_{k=1}^{n} m_{kj} I_k}{\sum_{k=1}^{n} m_{kj} N_k},
\end{equation}
and the susceptibles change by
\begin{equation}
\frac{d S_i}{d t} = \mu (N_i - S_i) - \lambda_i S_i .
\end{equation}
""",
    source="Keeling, Rohani, Modeling Infectious Diseases, 2008, section 7.2; commuters",
    output="dS_dt",
    m="3 3",
    beta="3",
    I="3",
    N="3",
    mu="",
    S="3",
    shapes=("size n", "input m[n, n], beta[n], I[n], N[n], mu[], S[n]"),
)
def commuters(m, beta, I, N, mu, S):
    out = np.zeros(3)
    for i in range(3):
        force = sum(m[i, j] * beta[j] * (m[:, j] @ I) / (m[:, j] @ N) for j in range(3))
        out[i] = mu * (N[i] - S[i]) - force * S[i]
    return out


@formula(
    r"""
In the rotationally invariant approach the correction to the energy is
\begin{equation}
E_U = \frac{U_{\mathrm{eff}}}{2} \sum_{\sigma} \left[ \sum_{m} n_{mm}^{\sigma} - \sum_{m, m'} n_{mm'}^{\sigma} n_{m'm}^{\sigma} \right]
\end{equation}
""",
    source="Dudarev et al., Electron-energy-loss spectra and the structural stability of nickel oxide, 1998, equation 5",
    leaves_open="whether the spin is the first or the last dimension",
    n="2 3 3",
)
def hubbard_correction(n):
    return 0.0


@formula(
    r"""
The correction of second order is
\begin{equation}
E_n^{(2)} = \sum_{k \neq n} \frac{\left| V_{kn} \right|^2}{E_n^{(0)} - E_k^{(0)}} .
\end{equation}
""",
    source="Landau, Lifshitz, Quantum Mechanics, 1977, equation 38.10",
    V=lambda r: normal(r, 4, 4),
    E_0=lambda r: np.array([1.0, 2.0, 3.5, 5.0]),
    shapes=("size N", "input V[N, N]", "$E^{(0)} \\in \\mathbb{R}^N$"),
)
def second_order(V, E_0):
    return np.array(
        [sum(V[k, n] ** 2 / (E_0[n] - E_0[k]) for k in range(4) if k != n) for n in range(4)]
    )


@formula(
    r"""
A leading-order measurement determines the chirp mass
\begin{equation}
\mathcal{M} = \frac{(m_1 m_2)^{3/5}}{(m_1 + m_2)^{1/5}} = \frac{c^3}{G} \left[ \frac{5}{96} \pi^{-8/3} f^{-11/3} \dot{f} \right]^{3/5} .
\end{equation}
""",
    source="Abbott et al., Observation of gravitational waves from a binary black hole merger, 2016, equation 1",
    m_1="",
    m_2="",
)
def chirp_mass(m_1, m_2):
    return (m_1 * m_2) ** 0.6 / (m_1 + m_2) ** 0.2


@formula(
    r"""
The distance from the focus at the true anomalies $\nu_k$ and the speed there are
\begin{align}
r_k &= \frac{a (1 - e^2)}{1 + e \cos \nu_k}, \\
v_k &= \sqrt{G M \left( \frac{2}{r_k} - \frac{1}{a} \right)},
\end{align}
where $e$ is the eccentricity.
""",
    source="Bate, Mueller, White, Fundamentals of Astrodynamics, 1971, sections 1.5 and 1.6",
    output="v",
    a="",
    e=lambda r: np.float64(0.3),
    nu="4",
    G="",
    M="",
    shapes=("size n", "input a[], e[], nu[n], G[], M[]"),
)
def orbital_speed(a, e, nu, G, M):
    r = a * (1 - e**2) / (1 + e * np.cos(nu))
    return np.sqrt(G * M * (2 / r - 1 / a))


@formula(
    r"""
Given endpoints $\boldsymbol{p}_0$ and $\boldsymbol{p}_1$ with tangents $\boldsymbol{m}_0$ and $\boldsymbol{m}_1$ in $\mathbb{R}^3$ the curve is
\begin{equation}
\boldsymbol{p}(t) = (2t^3 - 3t^2 + 1) \boldsymbol{p}_0 + (t^3 - 2t^2 + t) \boldsymbol{m}_0 + (-2t^3 + 3t^2) \boldsymbol{p}_1 + (t^3 - t^2) \boldsymbol{m}_1 .
\end{equation}
""",
    source="Cubic Hermite spline, as in an encyclopedia and in Foley, van Dam, Computer graphics",
    t=lambda r: np.float64(0.3),
    p_0=lambda r: normal(r, 3),
    m_0=lambda r: normal(r, 3),
    p_1=lambda r: normal(r, 3),
    m_1=lambda r: normal(r, 3),
    shapes=("input t[], p_0[3], m_0[3], p_1[3], m_1[3]",),
)
def hermite_curve(t, p_0, m_0, p_1, m_1):
    h = [2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t, -2 * t**3 + 3 * t**2, t**3 - t**2]
    return h[0] * p_0 + h[1] * m_0 + h[2] * p_1 + h[3] * m_1


@formula(
    r"""
A fit to the filmic curve is applied to each pixel,
\begin{equation}
y_{ij} = \frac{x_{ij} (a x_{ij} + b)}{x_{ij} (c x_{ij} + d) + e}, \qquad a = 2.51,\ b = 0.03,\ c = 2.43,\ d = 0.59,\ e = 0.14 .
\end{equation}
""",
    source="Narkowicz, ACES filmic tone mapping curve, 2016",
    x="3 4",
    output="y",
)
def filmic_fit(x):
    return x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14)


@formula(
    r"""
\begin{equation}
A = R \times K \times L \times S \times C \times P, \qquad L = \left( \frac{\lambda}{22.13} \right)^m, \quad S = 65.41 \sin^2 \theta + 4.56 \sin \theta + 0.065
\end{equation}
""",
    source="Wischmeier, Smith, Predicting rainfall erosion losses, 1978",
    output="A",
    R="",
    K="",
    C="",
    P="",
    theta="",
    m="",
    shapes=("input R[], K[], C[], P[], lambda[], m[], theta[]",),
    **{"lambda": ""},
)
def soil_loss(R, K, C, P, theta, m, **rest):
    s = math.sin(theta)
    return R * K * C * P * (rest["lambda"] / 22.13) ** m * (65.41 * s * s + 4.56 * s + 0.065)


@formula(
    r"""
For a cell reaction with stoichiometric coefficients $\nu_i$ the potential is
\begin{equation}
E = E^\circ - \frac{R T}{z F} \ln Q, \qquad Q = \prod_{i=1}^{N} a_i^{\nu_i} .
\end{equation}
""",
    source="Nernst, 1889; as in Atkins, Physical chemistry",
    output="E",
    E_circ="",
    R="",
    T="",
    z="",
    F="",
    a="4",
    nu=lambda r: np.array([-1.0, -2.0, 1.0, 3.0]),
)
def cell_potential(E_circ, R, T, z, F, a, nu):
    return E_circ - R * T / (z * F) * np.log(np.prod(a**nu))


@formula(
    r"""
\def\vl{\Lambda}
Let $\vl \in \mathbb{R}^{p \times k}$ be the rotated loadings. The varimax criterion is
\begin{equation}
V = \frac{1}{p} \sum_{j=1}^{k} \left[ \sum_{i=1}^{p} \vl_{ij}^4 - \frac{1}{p} \left( \sum_{i=1}^{p} \vl_{ij}^2 \right)^2 \right] .
\end{equation}
""",
    source="Kaiser, The varimax criterion for analytic rotation in factor analysis, 1958",
    Lambda=lambda r: normal(r, 5, 2),
)
def varimax(Lambda):
    p = 5
    return sum(np.sum(Lambda[:, j] ** 4) - np.sum(Lambda[:, j] ** 2) ** 2 / p for j in range(2)) / p


@formula(
    r"""
The Tsallis entropy of a discrete set of probabilities $\{p_i\}$ and its conjugate distribution, the escort distribution, are
\begin{equation}
S_q(p) = \frac{k}{q - 1} \left( 1 - \sum_{i=1}^{W} p_i^q \right), \qquad P_i = \frac{p_i^q}{\sum_{j=1}^{W} p_j^q} .
\end{equation}
""",
    source="Tsallis, Possible generalization of Boltzmann-Gibbs statistics, 1988; Tsallis, Mendes, Plastino, 1998",
    output="P",
    k="",
    q="",
    p="4",
    shapes=("size W", "input p[W], q[], k[]"),
)
def escort_distribution(k, q, p):
    return p**q / np.sum(p**q)


@formula(
    r"""
With $\alpha_0 = \sum_{k=1}^{K} \alpha_k$ and $n = \sum_{k=1}^{K} n_k$ the log marginal likelihood of the counts is
\begin{equation}
\log p(\mathbf{n} \mid \boldsymbol{\alpha}) = \log \Gamma(\alpha_0) - \log \Gamma(n + \alpha_0) + \sum_{k=1}^{K} \left[ \log \Gamma(n_k + \alpha_k) - \log \Gamma(\alpha_k) \right] .
\end{equation}
""",
    source="Minka, Estimating a Dirichlet distribution, 2000, equation 53",
    alpha="4",
    n="4",
)
def polya_likelihood(alpha, n):
    g = math.lgamma
    return (
        g(alpha.sum())
        - g(n.sum() + alpha.sum())
        + sum(g(n[k] + alpha[k]) - g(alpha[k]) for k in range(4))
    )


@formula(
    r"""
The reconstruction error of PCA with the orthonormal directions $U = [u_1, \ldots, u_k] \in \mathbb{R}^{d \times k}$ is
\begin{equation}
J = \frac{1}{n} \sum_{i=1}^{n} \left\| x_i - \bar{x} - U U^\top (x_i - \bar{x}) \right\|_2^2, \qquad \bar{x} = \frac{1}{n} \sum_{i=1}^{n} x_i,
\end{equation}
for data $x_1, \dots, x_n \in \mathbb{R}^d$.
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, section 12.1.2",
    output="J",
    x=lambda r: normal(r, 5, 3),
    U=lambda r: normal(r, 3, 2),
    shapes=("size n, d, k", "input x[n, d], U[d, k]"),
)
def reconstruction_error(x, U):
    c = x - x.mean(0)
    return np.mean([np.sum((c[i] - U @ (U.T @ c[i])) ** 2) for i in range(5)])


@formula(
    r"""
Scaled cosine attention computes the logit of a pixel pair $i$ and $j$ by
\begin{equation}
\mathrm{Sim}(\mathbf{q}_i, \mathbf{k}_j) = \cos(\mathbf{q}_i, \mathbf{k}_j) / \tau + B_{ij},
\end{equation}
where $B_{ij}$ is the relative position bias and $\tau$ is a learnable scalar.
""",
    source="Liu et al., Swin Transformer V2, 2022, equation 2",
    leaves_open="the cosine of two vectors",
    q="3 2",
)
def scaled_cosine(q):
    return q @ q.T


@formula(
    r"""
For $L$ layers with resistivities $\rho_\ell$ and thicknesses the apparent resistivity follows from the recursion of Koefoed, and the misfit over $M$ spacings is
\begin{equation}
\chi^2 = \frac{1}{M} \sum_{m=1}^{M} \left( \frac{\log_{10} \rho_m^{\mathrm{obs}} - \log_{10} \rho_m^{\mathrm{mod}}}{\sigma_m} \right)^2 .
\end{equation}
""",
    source="Koefoed, Geosounding Principles, 1979; misfit as in Constable, Parker, Constable, 1987",
    rho_obs="4",
    rho_mod="4",
    sigma="4",
    shapes=("size M", "input rho_obs[M], rho_mod[M], sigma[M]"),
)
def sounding_misfit(rho_obs, rho_mod, sigma):
    return np.mean(((np.log10(rho_obs) - np.log10(rho_mod)) / sigma) ** 2)


@formula(
    r"""
The structure factor for a centrosymmetric crystal, with occupancies $g_j$ and isotropic displacement parameters $B_j$, is
\begin{equation}
F_{hkl} = 2 \sum_{j=1}^{n/2} g_j f_j \exp\left( -B_j \frac{\sin^2 \theta}{\lambda^2} \right) \cos 2 \pi (h x_j + k y_j + l z_j) .
\end{equation}
""",
    source="Giacovazzo et al., Fundamentals of Crystallography, 2002, section 3.3",
    leaves_open="which triples of integers",
    g="3",
)
def centric_structure_factor(g):
    return g.sum()


@formula(
    r"""
Let $y_t$ be the log of real output and $\bar{y}_t$ the log of potential output. The target for the nominal rate is
\begin{equation}
i_t = \pi_t + r_t^* + a_\pi (\pi_t - \pi_t^*) + a_y (y_t - \bar{y}_t) .
\end{equation}
""",
    source="Taylor, Discretion versus policy rules in practice, 1993; as in an encyclopedia",
    pi="4",
    r_star="4",
    a_pi="",
    pi_star="4",
    a_y="",
    y="4",
    y_bar="4",
    shapes=("size n", "input pi[n], r_star[n], a_pi[], pi_star[n], a_y[], y[n], y_bar[n]"),
)
def policy_rate(pi, r_star, a_pi, pi_star, a_y, y, y_bar):
    return pi + r_star + a_pi * (pi - pi_star) + a_y * (y - y_bar)


@formula(
    r"""
\begin{equation}
Y = A \left[ \alpha K^{\rho} + (1 - \alpha) L^{\rho} \right]^{\upsilon / \rho}, \qquad \sigma = \frac{1}{1 - \rho}
\end{equation}
""",
    source="Arrow, Chenery, Minhas, Solow, Capital-labor substitution and economic efficiency, 1961; as in an encyclopedia",
    output="Y",
    A="",
    alpha=lambda r: np.float64(0.4),
    K="",
    rho=lambda r: np.float64(0.6),
    L="",
    upsilon="",
)
def elastic_production(A, alpha, K, rho, L, upsilon):
    return A * (alpha * K**rho + (1 - alpha) * L**rho) ** (upsilon / rho)


@formula(
    r"""
The transmission of an etalon at the wavelengths $\lambda_k$, $k = 1, \dots, m$, is
\begin{equation}
T_k = \frac{1}{1 + F \sin^2(\delta_k / 2)}, \qquad \delta_k = \left( \frac{2 \pi}{\lambda_k} \right) 2 n \ell \cos \theta, \qquad F = \frac{4 R}{(1 - R)^2} .
\end{equation}
""",
    source="Hecht, Optics, 2002, section 9.6; as in an encyclopedia",
    output="T",
    R=lambda r: np.float64(0.6),
    n="",
    ell="",
    theta="",
    shapes=("size m", "input lambda[m], n[], ell[], theta[], R[]"),
    **{"lambda": "4"},
)
def etalon(R, n, ell, theta, **rest):
    d = 2 * np.pi / rest["lambda"] * 2 * n * ell * np.cos(theta)
    return 1 / (1 + 4 * R / (1 - R) ** 2 * np.sin(d / 2) ** 2)


@formula(
    r"""
The squared Procrustes distance between configurations $X, Y \in \mathbb{R}^{n \times m}$ under the rotation $Q \in \mathbb{R}^{m \times m}$, the scale $s$ and the shift $t \in \mathbb{R}^m$ is
\begin{equation}
D^2 = \left\| Y - s X Q - \mathbf{1} t^\top \right\|_F^2 .
\end{equation}
""",
    source="Gower, Generalized Procrustes analysis, 1975; as in Borg, Groenen, Modern Multidimensional Scaling, chapter 20",
    Y=lambda r: normal(r, 4, 2),
    s="",
    X=lambda r: normal(r, 4, 2),
    Q=lambda r: normal(r, 2, 2),
    t=lambda r: normal(r, 2),
)
def procrustes_distance(Y, s, X, Q, t):
    return np.sum((Y - s * X @ Q - t) ** 2)


@formula(
    r"""
The posterior that the skill is known, after the response to step $t$, is in Bayesian knowledge tracing
\begin{equation}
P(L_t \mid \mathrm{correct}) = \frac{P(L_t) (1 - P(S))}{P(L_t) (1 - P(S)) + (1 - P(L_t)) P(G)}
\end{equation}
""",
    source="Corbett, Anderson, Knowledge tracing, 1995",
    leaves_open="probabilities of events",
    P="3",
)
def knowledge_tracing(P):
    return P


@formula(
    r"""
The Carnahan--Starling equation of state of hard spheres, extended to mixtures with diameters $\sigma_i$ and number densities $\rho_i$,
\begin{equation}
\frac{\beta P}{\rho} = \frac{1}{1 - \xi_3} + \frac{3 \xi_1 \xi_2}{\xi_0 (1 - \xi_3)^2} + \frac{(3 - \xi_3) \xi_2^3}{\xi_0 (1 - \xi_3)^3}, \qquad \xi_l = \frac{\pi}{6} \sum_{i=1}^{m} \rho_i \sigma_i^l, \quad l = 0, \ldots, 3 .
\end{equation}
""",
    source="Mansoori, Carnahan, Starling, Leland, Equilibrium thermodynamic properties of the mixture of hard spheres, 1971",
    rho=lambda r: r.uniform(0.05, 0.15, 3),
    sigma="3",
    shapes=("size m", "input rho[m], sigma[m]"),
)
def hard_spheres(rho, sigma):
    x = [np.pi / 6 * np.sum(rho * sigma**l) for l in range(4)]
    d = 1 - x[3]
    return 1 / d + 3 * x[1] * x[2] / (x[0] * d**2) + (3 - x[3]) * x[2] ** 3 / (x[0] * d**3)


@formula(
    r"""
The fade function and the gradient noise on a line are
\begin{align}
s(t) &= 6 t^5 - 15 t^4 + 10 t^3, \\
n_k &= (1 - s(u_k))\, g_{0}\, u_k + s(u_k)\, g_{1}\, (u_k - 1), \qquad k = 1, \dots, K,
\end{align}
where $u_k$ is the fractional part of the $k$-th position.
""",
    source="Perlin, Improving noise, 2002, on a line",
    output="n",
    u=lambda r: r.uniform(0, 1, 5),
    g_0=lambda r: np.float64(0.7),
    g_1=lambda r: np.float64(-0.4),
    shapes=("size K", "input u[K], g_0[], g_1[]"),
)
def gradient_noise(u, g_0, g_1):
    s = 6 * u**5 - 15 * u**4 + 10 * u**3
    return (1 - s) * g_0 * u + s * g_1 * (u - 1)


@formula(
    r"""
The local magnetic moments are coupled by exchange, anisotropy and the field, so that the effective field on site $i$ is
\begin{equation}
\mathbf{H}_i = \sum_{j=1}^{N} J_{ij} \mathbf{S}_j + 2 K (\mathbf{S}_i \cdot \mathbf{e}) \mathbf{e} + \mu_s \mathbf{B}
\end{equation}
with $\mathbf{S}_i, \mathbf{e}, \mathbf{B} \in \mathbb{R}^3$.
""",
    source="Evans et al., Atomistic spin model simulations of magnetic nanomaterials, 2014, equation 9, written out",
    J="4 4",
    S=lambda r: normal(r, 4, 3),
    K="",
    e=lambda r: normal(r, 3),
    mu_s="",
    B=lambda r: normal(r, 3),
    shapes=("size N", "input J[N, N], S[N, 3], K[], e[3], mu_s[], B[3]"),
)
def field_of_spins(J, S, K, e, mu_s, B):
    return np.array(
        [
            sum(J[i, j] * S[j] for j in range(4)) + 2 * K * (S[i] @ e) * e + mu_s * B
            for i in range(4)
        ]
    )
