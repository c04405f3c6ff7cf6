"""Formulas of articles on kernels, attention, recommenders, exchange and correlation, quantum chemistry, ecology, tails, controllers, glass and dwarfs."""

from __future__ import annotations

from math import erfc

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\newcommand{\tp}{^{\top}}
The spectral mixture kernel over $\mathbb{R}^P$ with $Q$ components, $\boldsymbol{\mu}_q = (\mu_q^{(1)}, \dots, \mu_q^{(P)})$ and
$\mathbf{M}_q = \mathrm{diag}(v_q^{(1)}, \dots, v_q^{(P)})$, is
\begin{equation}
k(\tau) = \sum_{q=1}^{Q} w_q \prod_{p=1}^{P} \exp\{-2 \pi^2 \tau_p^2 v_q^{(p)}\} \cos(2 \pi \tau_p \mu_q^{(p)}).
\end{equation}
""",
    source="Wilson, Adams, Gaussian process kernels for pattern discovery and extrapolation, 2013, equation 12",
    w="3",
    tau="2",
    v="3 2",
    mu="3 2",
    shapes=("size Q, P", "input w[Q], tau[P], v[Q, P], mu[Q, P]"),
)
def spectral_mixture(w, tau, v, mu):
    total = 0.0
    for q in range(3):
        factor = 1.0
        for p in range(2):
            factor *= np.exp(-2 * np.pi**2 * tau[p] ** 2 * v[q, p]) * np.cos(
                2 * np.pi * tau[p] * mu[q, p]
            )
        total += w[q] * factor
    return total


@formula(
    r"""
\begin{equation}
k_{\mathrm{RQ}}(\mathbf{x}_i, \mathbf{x}_j) = \sigma_f^2 \left( 1 + \frac{\|\mathbf{x}_i - \mathbf{x}_j\|^2}{2 \alpha \ell^2} \right)^{-\alpha}, \qquad i, j = 1, \dots, n
\end{equation}
with $\alpha, \ell > 0$.
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, equation 4.19",
    sigma_f="",
    x="4 2",
    alpha="",
    ell="",
    shapes=("size n, D", "input x[n, D], sigma_f[], alpha[], ell[]"),
)
def scale_mixture_of_kernels(sigma_f, x, alpha, ell):
    k = np.zeros((4, 4))
    for i, j in np.ndindex(4, 4):
        k[i, j] = sigma_f**2 * (1 + np.sum((x[i] - x[j]) ** 2) / (2 * alpha * ell**2)) ** -alpha
    return k


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\newcommand{\diag}{\mathrm{diag}}
\begin{document}
Bidirectional dot-product attention, with $\mathbf{Q}, \mathbf{K} \in \mathbb{R}^{L \times d}$ and $\mathbf{V} \in \mathbb{R}^{L \times e}$, has the form
\begin{equation}
\mathrm{Att}_{\leftrightarrow}(\mathbf{Q}, \mathbf{K}, \mathbf{V}) = \mathbf{D}^{-1} \mathbf{A} \mathbf{V}, \qquad \mathbf{A} = \exp(\mathbf{Q} \mathbf{K}^\top / \sqrt{d}), \quad \mathbf{D} = \diag(\mathbf{A} \mathbf{1}_L).
\end{equation}
Here $\exp(\cdot)$ is applied elementwise and $\mathbf{1}_L$ is the all-ones vector of length $L$.
\end{document}
""",
    source="Choromanski et al., Rethinking attention with Performers, 2021, equation 1",
    Q="4 3",
    K="4 3",
    V="4 2",
)
def bidirectional_attention(Q, K, V):
    out = np.zeros((4, 2))
    for i in range(4):
        row = np.exp([Q[i] @ K[j] / np.sqrt(3) for j in range(4)])
        out[i] = row @ V / row.sum()
    return out


@formula(
    r"""
The likelihood score of GMF is
\begin{equation}
\hat{y}_{ui} = \sigma\left(\mathbf{h}^T (\mathbf{p}_u \odot \mathbf{q}_i)\right),
\end{equation}
where $\sigma(x) = 1/(1+e^{-x})$, $\odot$ denotes the element-wise product of vectors and $\mathbf{h}$ denotes the edge weights of the output layer.
""",
    source="He et al., Neural collaborative filtering, 2017, equation 8",
    h=lambda r: normal(r, 3),
    p=lambda r: normal(r, 4, 3),
    q=lambda r: normal(r, 5, 3),
    shapes=("size M, N, K", "input h[K], p[M, K], q[N, K]"),
)
def generalised_factors(h, p, q):
    y = np.zeros((4, 5))
    for u, i in np.ndindex(4, 5):
        y[u, i] = 1 / (1 + np.exp(-sum(h[k] * p[u, k] * q[i, k] for k in range(3))))
    return y


@formula(
    r"""
FISM computes the estimated value for a user $u$ and an item $i$ as
\begin{equation}
\tilde{r}_{ui} = b_u + b_i + (n_u^+ - 1)^{-\alpha} \sum_{j \in \mathcal{R}_u^+ \setminus \{i\}} \mathbf{p}_j \mathbf{q}_i^{\mathsf{T}} .
\end{equation}
""",
    source="Kabbur, Ning, Karypis, FISM: factored item similarity models, 2013, equation 3",
    leaves_open="the set of the items that a user has rated",
    b="3",
)
def item_similarities(b):
    return np.zeros((3, 3))


@formula(
    r"""
The damped shifted Coulomb energy of Wolf {\it et al.} reads
\begin{equation}
E(R_c) = \frac{1}{2} \sum_{i=1}^{N} \sum_{\substack{j \neq i \\ r_{ij} < R_c}} \left( \frac{q_i q_j \operatorname{erfc}(\alpha r_{ij})}{r_{ij}} - \frac{q_i q_j \operatorname{erfc}(\alpha R_c)}{R_c} \right) - \left( \frac{\operatorname{erfc}(\alpha R_c)}{2 R_c} + \frac{\alpha}{\pi^{1/2}} \right) \sum_{i=1}^{N} q_i^2 .
\end{equation}
""",
    source="Wolf et al., Exact method for the simulation of Coulombic systems, 1999, equation 5.13",
    q=lambda r: normal(r, 4),
    r="4 4",
    R_c=lambda r: np.float64(1.1),
    alpha="",
    shapes=("size N", "input q[N], r[N, N], R_c[], alpha[]"),
)
def wolf_energy(q, r, R_c, alpha):
    total = 0.0
    for i in range(4):
        for j in range(4):
            if j != i and r[i, j] < R_c:
                total += (
                    0.5 * q[i] * q[j] * (erfc(alpha * r[i, j]) / r[i, j] - erfc(alpha * R_c) / R_c)
                )
    return total - (erfc(alpha * R_c) / (2 * R_c) + alpha / np.pi**0.5) * np.sum(q**2)


@formula(
    r"""
On a grid of $N_g$ points with weights $w_g$ the exchange energy in the generalized gradient approximation becomes
\begin{equation}
E_{\rm x} = -\frac{3}{4} \left(\frac{3}{\pi}\right)^{1/3} \sum_{g=1}^{N_g} w_g\, \rho_g^{4/3} F_{\rm x}(s_g), \qquad F_{\rm x}(s) = 1 + \kappa - \frac{\kappa}{1 + \mu s^2/\kappa} .
\end{equation}
""",
    source="Perdew, Burke, Ernzerhof, Generalized gradient approximation made simple, 1996, equations 10 and 14, on a grid",
    w="4",
    rho="4",
    s="4",
    kappa="",
    mu="",
    output="E_x",
    shapes=("input w[N_g], rho[N_g], s[N_g], kappa[], mu[]",),
)
def gradient_exchange(w, rho, s, kappa, mu):
    return (
        -0.75
        * (3 / np.pi) ** (1 / 3)
        * sum(
            w[g] * rho[g] ** (4 / 3) * (1 + kappa - kappa / (1 + mu * s[g] ** 2 / kappa))
            for g in range(4)
        )
    )


@formula(
    r"""
The Padé form of Vosko, Wilk and Nusair: with $x = r_s^{1/2}$, $X(x) = x^2 + bx + c$ and $Q = (4c - b^2)^{1/2}$,
\begin{equation}
\varepsilon_c(r_s) = A \left\{ \ln \frac{x^2}{X(x)} + \frac{2b}{Q} \tan^{-1} \frac{Q}{2x + b} - \frac{b x_0}{X(x_0)} \left[ \ln \frac{(x - x_0)^2}{X(x)} + \frac{2(b + 2x_0)}{Q} \tan^{-1} \frac{Q}{2x + b} \right] \right\}
\end{equation}
""",
    source="Vosko, Wilk, Nusair, Accurate spin-dependent electron liquid correlation energies, 1980, equation 4.4",
    A="",
    r_s="",
    b="",
    c=lambda r: np.float64(2.5),
    x_0=lambda r: np.float64(-0.4),
    output="varepsilon_c",
    shapes=("input A[], r_s[], b[], c[], x_0[]",),
)
def electron_correlation(A, r_s, b, c, x_0):
    x = np.sqrt(r_s)
    Q = np.sqrt(4 * c - b * b)
    X = lambda y: y * y + b * y + c
    t = np.arctan(Q / (2 * x + b))
    inner = np.log((x - x_0) ** 2 / X(x)) + 2 * (b + 2 * x_0) / Q * t
    return A * (np.log(x * x / X(x)) + 2 * b / Q * t - b * x_0 / X(x_0) * inner)


@formula(
    r"""
The intensity of a Gaussian beam is
\begin{equation}
I(r, z) = I_0 \left( \frac{w_0}{w(z)} \right)^2 \exp\left( \frac{-2 r^2}{w(z)^2} \right), \quad w(z) = w_0 \sqrt{1 + \left( \frac{z}{z_\mathrm{R}} \right)^2} .
\end{equation}
""",
    source="Siegman, Lasers, 1986; as in an encyclopedia",
    I_0="",
    w_0="",
    r="",
    z="",
    z_R="",
    output="I",
    shapes=("input I_0[], w_0[], r[], z[], z_R[]",),
)
def beam_intensity(I_0, w_0, r, z, z_R):
    w = w_0 * np.sqrt(1 + (z / z_R) ** 2)
    return I_0 * (w_0 / w) ** 2 * np.exp(-2 * r**2 / w**2)


@formula(
    r"""
The coefficient $\alpha$ for $k$ items is
\[
\alpha = \frac{k}{k-1} \left( 1 - \frac{\sum_{i=1}^{k} \sigma_{y_i}^2}{\sigma_y^2} \right)
\]
where $\sigma_{y_i}^2$ is the variance associated with each item $i$ and $\sigma_y^2$ the variance associated with the observed total scores.
""",
    source="Cronbach, Coefficient alpha and the internal structure of tests, 1951; as in an encyclopedia",
    sigma_i="4",
    sigma_y="",
    leaves_open="two tensors of one letter, an index below an index",
)
def coefficient_alpha(sigma_i, sigma_y):
    return 4 / 3 * (1 - np.sum(sigma_i**2) / sigma_y**2)


@formula(
    r"""
For $S$ species with relative abundances $p_1, \ldots, p_S$ the diversity of order $q$ is
\begin{equation}
{}^{q}\!D = \left( \sum_{i=1}^{S} p_i^q \right)^{1/(1-q)} .
\end{equation}
""",
    source="Hill, Diversity and evenness, 1973; Jost, Entropy and diversity, 2006, equation 2",
    p="5",
    q=lambda r: np.float64(1.7),
)
def diversity_of_order(p, q):
    return sum(p[i] ** q for i in range(5)) ** (1 / (1 - q))


@formula(
    r"""
With a type II functional response for $n$ prey species the intake of predator $j$ per unit of time is
\begin{equation}
f_{ij} = \frac{a_{ij} N_i}{1 + \sum_{k=1}^{n} a_{kj} h_{kj} N_k},
\end{equation}
where $a_{ij}$ is the attack rate and $h_{ij}$ the handling time, and the dynamics are
\begin{equation}
\dot{P}_j = P_j \left( \sum_{i=1}^{n} e_{ij} f_{ij} - m_j \right) .
\end{equation}
""",
    source="Holling, 1959; as in McCann, Hastings, Huxel, Weak trophic interactions, 1998",
    output="P_dot",
    a="3 2",
    N="3",
    h="3 2",
    P="2",
    e="3 2",
    m="2",
    shapes=("size n, p", "input a[n, p], N[n], h[n, p], P[p], e[n, p], m[p]"),
)
def multispecies_response(a, N, h, P, e, m):
    out = np.zeros(2)
    for j in range(2):
        below = 1 + sum(a[k, j] * h[k, j] * N[k] for k in range(3))
        out[j] = P[j] * (sum(e[i, j] * a[i, j] * N[i] / below for i in range(3)) - m[j])
    return out


@formula(
    r"""
\begin{align}
D(\mathbf{h}) &= \frac{\alpha^2}{\pi \left( (\mathbf{n} \cdot \mathbf{h})^2 (\alpha^2 - 1) + 1 \right)^2} \\
G_1(\mathbf{v}) &= \frac{2\, (\mathbf{n} \cdot \mathbf{v})}{(\mathbf{n} \cdot \mathbf{v}) + \sqrt{\alpha^2 + (1 - \alpha^2) (\mathbf{n} \cdot \mathbf{v})^2}} \\
F &= F_0 + (1 - F_0) (1 - \mathbf{v} \cdot \mathbf{h})^5 \\
f_r &= \frac{D(\mathbf{h})\, F\, G_1(\mathbf{l})\, G_1(\mathbf{v})}{4\, (\mathbf{n} \cdot \mathbf{l}) (\mathbf{n} \cdot \mathbf{v})}
\end{align}
where $\mathbf{n}, \mathbf{h}, \mathbf{l}, \mathbf{v} \in \mathbb{R}^3$.
""",
    source="Walter et al., Microfacet models for refraction through rough surfaces, 2007; Karis, Real shading in Unreal Engine 4, 2013",
    output="f_r",
    alpha="",
    n="3",
    h="3",
    F_0="",
    v=lambda r: r.uniform(0.1, 0.4, 3),
    l="3",
)
def rough_metal(alpha, n, h, F_0, v, l):
    D = alpha**2 / (np.pi * ((n @ h) ** 2 * (alpha**2 - 1) + 1) ** 2)
    G = lambda w: 2 * (n @ w) / (n @ w + np.sqrt(alpha**2 + (1 - alpha**2) * (n @ w) ** 2))
    F = F_0 + (1 - F_0) * (1 - v @ h) ** 5
    return D * F * G(l) * G(v) / (4 * (n @ l) * (n @ v))


@formula(
    r"""
In the velocity-free form the sampled PID law is
\begin{equation}
u_k = K_p \left[ e_k + \frac{\Delta t}{T_i} \sum_{j=1}^{k} e_j + \frac{T_d}{\Delta t} \left( e_k - e_{k-1} \right) \right], \qquad k = 2, \ldots, n
\end{equation}
""",
    source="Astrom, Hagglund, PID Controllers, 1995, position form; as in lecture notes",
    K_p="",
    e=lambda r: normal(r, 6),
    Deltat="",
    T_i="",
    T_d="",
    shapes=("size n", "base 1", r"input e[n], K_p[], T_i[], T_d[]"),
)
def sampled_controller(K_p, e, Deltat, T_i, T_d):
    u = np.zeros(5)
    for k in range(1, 6):
        u[k - 1] = K_p * (
            e[k] + Deltat / T_i * np.sum(e[: k + 1]) + T_d / Deltat * (e[k] - e[k - 1])
        )
    return u


@formula(
    r"""
The extended Debye--H\"uckel equation gives the activity coefficients
\begin{equation}
\log_{10} \gamma_i = -\frac{A z_i^2 \sqrt{I}}{1 + B \mathring{a}_i \sqrt{I}} + b I, \qquad I = \frac{1}{2} \sum_j m_j z_j^2 ,
\end{equation}
the sum being over all ions.
""",
    source="Truesdell, Jones, WATEQ, 1974; as in Appelo, Postma, Geochemistry, groundwater and pollution",
    A="",
    z="4",
    B="",
    a="4",
    b="",
    m="4",
    shapes=("size N", "input m[N], z[N], A[], B[], b[]"),
)
def truesdell_jones(A, z, B, a, b, m):
    s = np.sqrt(0.5 * np.sum(m * z**2))
    return -A * z**2 * s / (1 + B * a * s) + b * s**2


@formula(
    r"""
The (positive) pointwise mutual information of a word $i$ and a context $j$ is computed from counts $f_{ij}$ as
\begin{align}
p_{ij} &= \frac{f_{ij}}{\sum_{i=1}^{n_r} \sum_{j=1}^{n_c} f_{ij}}, \\
p_{i*} &= \frac{\sum_{j=1}^{n_c} f_{ij}}{\sum_{i=1}^{n_r} \sum_{j=1}^{n_c} f_{ij}}, \\
p_{*j} &= \frac{\sum_{i=1}^{n_r} f_{ij}}{\sum_{i=1}^{n_r} \sum_{j=1}^{n_c} f_{ij}}, \\
\mathrm{pmi}_{ij} &= \log \left( \frac{p_{ij}}{p_{i*} p_{*j}} \right), \\
x_{ij} &= \begin{cases} \mathrm{pmi}_{ij} & \text{if } \mathrm{pmi}_{ij} > 0 \\ 0 & \text{otherwise} \end{cases}
\end{align}
""",
    source="Turney, Pantel, From frequency to meaning: vector space models of semantics, 2010, equations 1 to 5",
    f="4 5",
    output="x",
)
def positive_pointwise(f):
    x = np.zeros((4, 5))
    s = f.sum()
    for i, j in np.ndindex(4, 5):
        x[i, j] = max(0.0, np.log(f[i, j] * s / (f[i].sum() * f[:, j].sum())))
    return x


@formula(
    r"""
Global response normalization: for an input feature $X \in \mathbb{R}^{H \times W \times C}$, we first aggregate a spatial feature map
\begin{equation}
\mathcal{G}(X)_c = \sqrt{\sum_{h=1}^{H} \sum_{w=1}^{W} X_{hwc}^2}
\end{equation}
then normalise it and calibrate the responses,
\begin{equation}
\mathcal{N}_c = \frac{\mathcal{G}(X)_c}{\frac{1}{C} \sum_{c'=1}^{C} \mathcal{G}(X)_{c'}}, \qquad Y_{hwc} = \gamma_c X_{hwc} \mathcal{N}_c + \beta_c + X_{hwc} .
\end{equation}
""",
    source="Woo et al., ConvNeXt V2, 2023, section 4",
    X=lambda r: normal(r, 2, 3, 4),
    gamma="4",
    beta="4",
    output="Y",
    shapes=("base 1", "input gamma[C], beta[C]"),
)
def response_normalization(X, gamma, beta):
    g = np.sqrt(np.einsum("hwc,hwc->c", X, X))
    return gamma * X * (g / g.mean()) + beta + X


@formula(
    r"""
Using the abbreviations $\mu_{ij} = m_i m_j / (m_i + m_j)$, the collision integral of a mixture of $K$ gases gives the binary diffusion coefficients
\begin{equation}
\mathcal{D}_{jk} = \frac{3}{16} \frac{\sqrt{2 \pi k_B^3 T^3 / m_{jk}}}{P \pi \sigma_{jk}^2 \Omega^{(1,1)\star}}, \qquad m_{jk} = \frac{m_j m_k}{m_j + m_k}, \quad \sigma_{jk} = \frac{1}{2} (\sigma_j + \sigma_k)
\end{equation}
""",
    source="Kee, Coltrin, Glarborg, Chemically Reacting Flow, 2003, equation 12.113",
    leaves_open="a letter with one and with two subscripts, and a starred superscript",
    T="",
)
def binary_diffusion(T):
    return T


@formula(
    r"""
The Clausius--Mossotti relation for a mixture of $N$ components reads
\begin{equation}
\frac{\varepsilon_r - 1}{\varepsilon_r + 2} = \sum_{i=1}^{N} \frac{n_i \alpha_i}{3 \varepsilon_0} .
\end{equation}
""",
    source="Jackson, Classical Electrodynamics, 1999, equation 4.70; for mixtures",
    leaves_open="an equation that is not solved for anything",
    n="3",
)
def clausius_mossotti(n):
    return 0.0


@formula(
    r"""
Planck's law gives the spectral radiance; for the sum of $n$ grey bodies with emissivities $\epsilon_i$ and temperatures $T_i$,
\begin{equation}
B_\nu = \sum_{i=1}^{n} \epsilon_i \frac{2 h \nu^3}{c^2} \frac{1}{e^{h \nu / k_{\mathrm{B}} T_i} - 1} .
\end{equation}
""",
    source="Rybicki, Lightman, Radiative processes in astrophysics, 1979, equation 1.51, summed",
    epsilon="4",
    h="",
    nu="",
    c="",
    k_B="",
    T="4",
    shapes=("size n", "input epsilon[n], T[n], h[], nu[], c[], k_B[]"),
)
def grey_bodies(epsilon, h, nu, c, k_B, T):
    return sum(
        epsilon[i] * 2 * h * nu**3 / c**2 / (np.exp(h * nu / (k_B * T[i])) - 1) for i in range(4)
    )


@formula(
    r"""
The cosmic expansion follows from
\begin{equation}
E(z) = \sqrt{\Omega_{\rm r} (1+z)^4 + \Omega_{\rm m} (1+z)^3 + \Omega_k (1+z)^2 + \Omega_\Lambda}, \qquad \Omega_k = 1 - \Omega_{\rm r} - \Omega_{\rm m} - \Omega_\Lambda .
\end{equation}
""",
    source="Hogg, Distance measures in cosmology, 1999, equation 14, with radiation",
    Omega_r="",
    z="",
    Omega_m=lambda r: np.float64(0.3),
    Omega_Lambda="",
    output="E",
    shapes=("input Omega_r[], Omega_m[], Omega_Lambda[], z[]",),
)
def expansion_rate(Omega_r, z, Omega_m, Omega_Lambda):
    k = 1 - Omega_r - Omega_m - Omega_Lambda
    return np.sqrt(
        Omega_r * (1 + z) ** 4 + Omega_m * (1 + z) ** 3 + k * (1 + z) ** 2 + Omega_Lambda
    )


@formula(
    r"""
The temporary and permanent impact of trades $n_1, \dots, n_N$ leads to the expected shortfall
\begin{equation}
E(x) = \sum_{k=1}^{N} \tau x_k\, g\!\left( \frac{n_k}{\tau} \right) + \sum_{k=1}^{N} n_k\, h\!\left( \frac{n_k}{\tau} \right)
\end{equation}
with the linear impact functions $g(v) = \gamma v$ and $h(v) = \epsilon \operatorname{sgn}(v) + \eta v$.
""",
    source="Almgren, Chriss, Optimal execution of portfolio transactions, 2000, equations 4, 6 and 7",
    tau="",
    x="4",
    n=lambda r: normal(r, 4),
    gamma="",
    epsilon="",
    eta="",
    shapes=("size N", "input x[N], n[N], tau[], gamma[], epsilon[], eta[]"),
)
def execution_costs(tau, x, n, gamma, epsilon, eta):
    total = 0.0
    for k in range(4):
        v = n[k] / tau
        total += tau * x[k] * gamma * v + n[k] * (epsilon * np.sign(v) + eta * v)
    return total


@formula(
    r"""
\begin{equation}
\hat{\sigma}_{RS}^2 = \frac{1}{n} \sum_{t=1}^{n} \left[ \ln \frac{H_t}{C_t} \ln \frac{H_t}{O_t} + \ln \frac{L_t}{C_t} \ln \frac{L_t}{O_t} \right]
\end{equation}
""",
    source="Rogers, Satchell, Estimating variance from high, low and closing prices, 1991",
    H="5",
    C="5",
    O="5",
    L="5",
)
def rogers_satchell(H, C, O, L):
    return np.mean(
        [
            np.log(H[t] / C[t]) * np.log(H[t] / O[t]) + np.log(L[t] / C[t]) * np.log(L[t] / O[t])
            for t in range(5)
        ]
    )


@formula(
    r"""
The hyperbolic distance in the Poincar\'e ball is
\begin{equation}
d(\boldsymbol{u}_i, \boldsymbol{u}_j) = \operatorname{arcosh} \left( 1 + 2 \frac{\|\boldsymbol{u}_i - \boldsymbol{u}_j\|^2}{(1 - \|\boldsymbol{u}_i\|^2)(1 - \|\boldsymbol{u}_j\|^2)} \right) .
\end{equation}
""",
    source="Nickel, Kiela, Poincare embeddings for learning hierarchical representations, 2017, equation 1",
    u=lambda r: r.uniform(0.1, 0.5, (4, 3)),
    shapes=("size n, D", "input u[n, D]"),
)
def ball_distances(u):
    d = np.zeros((4, 4))
    for i, j in np.ndindex(4, 4):
        d[i, j] = np.arccosh(
            1 + 2 * np.sum((u[i] - u[j]) ** 2) / ((1 - u[i] @ u[i]) * (1 - u[j] @ u[j]))
        )
    return d


@formula(
    r"""
The LAMB update of layer $i$ with $r_t = m_t / (\sqrt{v_t} + \epsilon)$ is
\begin{equation}
x_{t+1}^{(i)} = x_t^{(i)} - \eta_t \frac{\phi(\|x_t^{(i)}\|)}{\|r_t^{(i)} + \lambda x_t^{(i)}\|} \left( r_t^{(i)} + \lambda x_t^{(i)} \right)
\end{equation}
""",
    source="You et al., Large batch optimization for deep learning, 2020, algorithm 2",
    leaves_open="the function phi, and what a layer has",
    x="3",
)
def layerwise_update(x):
    return x


@formula(
    r"""
The FitzHugh--Nagumo units $i = 1, \dots, N$, coupled diffusively over a network with the adjacency matrix $A$, obey
\begin{align}
\dot{v}_i &= v_i - \frac{v_i^3}{3} - w_i + I + \kappa \sum_{j=1}^{N} A_{ij} (v_j - v_i), \\
\dot{w}_i &= \epsilon (v_i + a - b w_i) .
\end{align}
""",
    source="FitzHugh, Impulses and physiological states, 1961; as papers on networks print it",
    v=lambda r: normal(r, 4),
    w=lambda r: normal(r, 4),
    I="",
    kappa="",
    A="4 4",
    epsilon="",
    a="",
    b="",
    output="v_dot",
    shapes=("size N", "input v[N], w[N], I[], kappa[], A[N, N], epsilon[], a[], b[]"),
)
def coupled_units(v, w, I, kappa, A, epsilon, a, b):
    out = np.zeros(4)
    for i in range(4):
        out[i] = (
            v[i] - v[i] ** 3 / 3 - w[i] + I + kappa * sum(A[i, j] * (v[j] - v[i]) for j in range(4))
        )
    return out


@formula(
    r"""
The Breit--Wigner cross section of a sum over $N$ resonances is
\begin{equation}
\sigma(E) = \frac{\pi}{k^2} \sum_{r=1}^{N} g_r \frac{\Gamma_{n r} \Gamma_{\gamma r}}{(E - E_r)^2 + \Gamma_r^2 / 4} .
\end{equation}
""",
    source="Breit, Wigner, Capture of slow neutrons, 1936; as in Lamarsh, Introduction to nuclear reactor theory",
    leaves_open="a total width and partial widths of one letter, one and two subscripts",
    k="",
)
def resonances(k):
    return k


@formula(
    r"""
The Lov\'asz extension of the Jaccard loss at the errors $m$ sorted in decreasing order, with the gradient $g$ of the losses of the sets, is
\begin{equation}
\overline{\Delta_{J}}\colon m \in \mathbb{R}^p \mapsto \sum_{i=1}^{p} m_i\, g_i(m)
\end{equation}
""",
    source="Berman, Triki, Blaschko, The Lovasz-softmax loss, 2018, equation 8",
    leaves_open="the functions g",
    m="3",
)
def lovasz_extension(m):
    return 0.0
