"""Formulas of articles on schedules of noise, exposures, image vectors, free energies, options, dependence, layouts, rocks, glasses, paths, learning and players."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
To achieve this, we construct a different noise schedule in terms of $\bar{\alpha}_t$:
\begin{equation}
\bar{\alpha}_t = \frac{f(t)}{f(0)}, \quad f(t) = \cos\left( \frac{t/T + s}{1 + s} \cdot \frac{\pi}{2} \right)^2, \quad t = 1, \dots, T .
\end{equation}
""",
    source="Nichol, Dhariwal, Improved denoising diffusion probabilistic models, 2021, equation 17",
    sizes={"T": 5},
    s=lambda r: np.float64(0.08),
    output="alpha_bar",
    shapes=("size T", "input s[]"),
)
def cosine_of_noise(s):
    f = lambda t: np.cos((t / 5 + s) / (1 + s) * np.pi / 2) ** 2
    return np.array([f(t) / f(0) for t in range(1, 6)])


@formula(
    r"""
For each pixel we combine the information from the different measures into a scalar weight map using multiplication:
\begin{equation}
W_{ij,k} = \left( C_{ij,k} \right)^{\omega_C} \times \left( S_{ij,k} \right)^{\omega_S} \times \left( E_{ij,k} \right)^{\omega_E}
\end{equation}
with $C$, $S$ and $E$ being contrast, saturation and well-exposedness. We normalize the values of the $N$ weight maps such that they sum to one at each pixel $(i, j)$:
\begin{equation}
\hat{W}_{ij,k} = \left[ \sum_{k'=1}^{N} W_{ij,k'} \right]^{-1} W_{ij,k}
\end{equation}
The resulting image $R$ can then be obtained by a weighted blending of the input images:
\begin{equation}
R_{ij} = \sum_{k=1}^{N} \hat{W}_{ij,k} I_{ij,k}
\end{equation}
""",
    source="Mertens, Kautz, Van Reeth, Exposure fusion, 2007, equations 1 to 3",
    C="3 4 2",
    omega_C="",
    S="3 4 2",
    omega_S="",
    E="3 4 2",
    omega_E="",
    I="3 4 2",
    output="R",
    shapes=(
        "size H, V, N",
        "input C[H, V, N], S[H, V, N], E[H, V, N], I[H, V, N], omega_C[], omega_S[], omega_E[]",
    ),
)
def exposure_fusion(C, omega_C, S, omega_S, E, omega_E, I):
    R = np.zeros((3, 4))
    for i, j in np.ndindex(3, 4):
        w = C[i, j] ** omega_C * S[i, j] ** omega_S * E[i, j] ** omega_E
        R[i, j] = np.sum(w / w.sum() * I[i, j])
    return R


@formula(
    r"""
\newcommand{\gammat}[1]{\gamma_t(#1)}
Let $\gammat{i}$ be the soft assignment of descriptor $x_t$ to Gaussian $i$,
\begin{equation}
\gammat{i} = \frac{w_i u_i(x_t)}{\sum_{j=1}^{N} w_j u_j(x_t)} .
\end{equation}
The gradient with respect to the mean is
\begin{equation}
\mathcal{G}^X_{\mu,i} = \frac{1}{T \sqrt{w_i}} \sum_{t=1}^{T} \gammat{i} \left( \frac{x_t - \mu_i}{\sigma_i} \right) .
\end{equation}
""",
    source="Perronnin, Sanchez, Mensink, Improving the Fisher kernel for large-scale image classification, 2010, equations 5 and 6",
    leaves_open="the densities u, vectors and their divisions",
    x="3",
)
def fisher_vector(x):
    return x


@formula(
    r"""
The history-dependent potential after $K$ depositions, at the centres $s^{(1)}, \dots, s^{(K)} \in \mathbb{R}^d$, is
\begin{equation}
V(s) = \sum_{k=1}^{K} W_k \exp\left( -\sum_{i=1}^{d} \frac{\left( s_i - s_i^{(k)} \right)^2}{2 \sigma_i^2} \right)
\end{equation}
""",
    source="Laio, Gervasio, Metadynamics, 2008, equation 11, with heights",
    leaves_open="the point and the centres are of one letter",
    W="3",
)
def bias_potential(W):
    return W.sum()


@formula(
    r"""
The WHAM equations for $S$ simulations and $M$ bins read
\begin{equation}
p_j^\circ = \frac{\sum_{i=1}^{S} n_{ij}}{\sum_{i=1}^{S} N_i f_i c_{ij}}, \qquad j = 1, \ldots, M
\end{equation}
where $c_{ij}$ is the biasing factor of simulation $i$ in bin $j$.
""",
    source="Gallicchio et al., Temperature weighted histogram analysis method, 2005, equation 6",
    n="3 5",
    N="3",
    f="3",
    c="3 5",
    shapes=("size S, M", "input n[S, M], N[S], f[S], c[S, M]"),
)
def unbiased_histogram(n, N, f, c):
    return np.array(
        [n[:, j].sum() / sum(N[i] * f[i] * c[i, j] for i in range(3)) for j in range(5)]
    )


@formula(
    r"""
Margrabe's formula: let $\sigma = \sqrt{\sigma_1^2 + \sigma_2^2 - 2 \sigma_1 \sigma_2 \rho}$. The value of the option to exchange is
\begin{equation}
V = e^{-q_1 T} S_1 N(d_1) - e^{-q_2 T} S_2 N(d_2)
\end{equation}
where $N$ denotes the cumulative distribution function of a standard normal,
\begin{align}
d_1 &= \left( \ln(S_1/S_2) + (q_2 - q_1 + \sigma^2/2) T \right) / \sigma \sqrt{T}, \\
d_2 &= d_1 - \sigma \sqrt{T} .
\end{align}
""",
    source="Margrabe, The value of an option to exchange one asset for another, 1978; as in an encyclopedia",
    leaves_open="whether the root stands below the fraction",
    rho="",
)
def exchange_option(rho):
    return rho


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\tr}{\mathbf{tr}}
\begin{document}
Let $K, H, L \in \mathbb{R}^{m \times m}$, $H_{ij} = \delta_{ij} - m^{-1}$. An estimator of HSIC is given by
\begin{equation}
\mathrm{HSIC} := (m-1)^{-2}\, \tr\, K H L H .
\end{equation}
\end{document}
""",
    source="Gretton et al., Measuring statistical dependence with Hilbert-Schmidt norms, 2005, definition 2",
    K="4 4",
    L="4 4",
    output="HSIC",
    shapes=("size m", "input K[m, m], L[m, m]"),
)
def dependence(K, L):
    H = np.eye(4) - 0.25
    return np.trace(K @ H @ L @ H) / 9


@formula(
    r"""
The cost function of UMAP is the cross entropy of two fuzzy sets,
\begin{equation}
C_{\mathrm{UMAP}} = \sum_{i \neq j} v_{ij} \log\left( \frac{v_{ij}}{w_{ij}} \right) + (1 - v_{ij}) \log\left( \frac{1 - v_{ij}}{1 - w_{ij}} \right), \quad w_{ij} = \left( 1 + a \left\| y_i - y_j \right\|_2^{2b} \right)^{-1} .
\end{equation}
""",
    source="McInnes, Healy, Melville, UMAP, 2018, appendix C",
    v=lambda r: r.uniform(0.1, 0.9, (4, 4)),
    a="",
    y=lambda r: normal(r, 4, 2),
    b="",
    output="C_UMAP",
    shapes=("size N, d", "input v[N, N], y[N, d], a[], b[]"),
)
def fuzzy_layout(v, a, y, b):
    total = 0.0
    for i, j in np.ndindex(4, 4):
        if i != j:
            w = 1 / (1 + a * np.sqrt(np.sum((y[i] - y[j]) ** 2)) ** (2 * b))
            total += v[i, j] * np.log(v[i, j] / w) + (1 - v[i, j]) * np.log((1 - v[i, j]) / (1 - w))
    return total


@formula(
    r"""
For $q$ lights with directions $\mathbf{l}_1, \dots, \mathbf{l}_q \in \mathbb{R}^3$ the Lambertian residual over $p$ pixels is
\begin{equation}
E = \sum_{i=1}^{p} \sum_{j=1}^{q} \left( I_{ij} - \rho_i \max\left( \mathbf{n}_i^\top \mathbf{l}_j, 0 \right) \right)^2 + \lambda \sum_{i=1}^{p} \left( \| \mathbf{n}_i \|^2 - 1 \right)^2
\end{equation}
""",
    source="Woodham, Photometric method for determining surface orientation, 1980; as papers print it with attached shadows",
    I="4 3",
    rho="4",
    n=lambda r: normal(r, 4, 3),
    l=lambda r: normal(r, 3, 3),
    lambda_="",
    shapes=("size p, q", "input I[p, q], rho[p], n[p, 3], l[q, 3], lambda[]"),
)
def shaded_residual(I, rho, n, l, lambda_):
    E = 0.0
    for i in range(4):
        for j in range(3):
            E += (I[i, j] - rho[i] * max(n[i] @ l[j], 0)) ** 2
        E += lambda_ * (n[i] @ n[i] - 1) ** 2
    return E


@formula(
    r"""
Kubelka--Munk mixing of $n$ pigments with concentrations $c_i$ gives the reflectance
\begin{equation}
R_\infty = 1 + \frac{K}{S} - \sqrt{\left( \frac{K}{S} \right)^2 + 2 \frac{K}{S}}, \quad \text{where} \quad K = \sum_{i=1}^{n} c_i K_i, \quad S = \sum_{i=1}^{n} c_i S_i .
\end{equation}
""",
    source="Kubelka, Munk, Ein Beitrag zur Optik der Farbanstriche, 1931; Duncan's mixing, as in Nassau, Color for science, art and technology",
    c="3",
    K="3",
    S="3",
    output="R_infty",
)
def pigments(c, K, S):
    q = (c @ K) / (c @ S)
    return 1 + q - np.sqrt(q**2 + 2 * q)


@formula(
    r"""
In the multispecies Beverton--Holt model with competition coefficients $\alpha_{ij}$ the abundances in the next year are
\begin{equation}
N_i' = \frac{\lambda_i N_i}{1 + \sum_{j=1}^{S} \alpha_{ij} N_j}, \qquad i = 1, \ldots, S .
\end{equation}
""",
    source="Levine, HilleRisLambers, The importance of niches for the maintenance of species diversity, 2009, with competition",
    lambda_="4",
    N="4",
    alpha="4 4",
)
def annual_plants(lambda_, N, alpha):
    return np.array(
        [lambda_[i] * N[i] / (1 + sum(alpha[i, j] * N[j] for j in range(4))) for i in range(4)]
    )


@formula(
    r"""
Consider $n$ consumers on $k$ essential resources. Liebig's law of the minimum gives the growth rates
\begin{equation}
\mu_i = \min_{j = 1, \ldots, k} \left( \frac{r_i R_j}{K_{ji} + R_j} \right)
\end{equation}
and the supply is
\begin{equation}
\frac{\mathrm{d} R_j}{\mathrm{d} t} = D (S_j - R_j) - \sum_{i=1}^{n} c_{ji} \mu_i N_i .
\end{equation}
""",
    source="Huisman, Weissing, Biodiversity of plankton by species oscillations and chaos, 1999, equations 1 to 3",
    r="3",
    R="2",
    K="2 3",
    D="",
    S="2",
    c="2 3",
    N="3",
    output="dR_dt",
    shapes=("size n, k", "base 1", "input r[n], R[k], K[k, n], D[], S[k], c[k, n], N[n]"),
)
def plankton(r, R, K, D, S, c, N):
    mu = [min(r[i] * R[j] / (K[j, i] + R[j]) for j in range(2)) for i in range(3)]
    return np.array(
        [D * (S[j] - R[j]) - sum(c[j, i] * mu[i] * N[i] for i in range(3)) for j in range(2)]
    )


@formula(
    r"""
The HKY85 rate matrix with equilibrium frequencies $\pi_j$ of the nucleotides is
\begin{equation}
q_{ij} = \begin{cases} \kappa \pi_j & \text{for a transition} \\ \pi_j & \text{for a transversion} \end{cases}
\end{equation}
""",
    source="Hasegawa, Kishino, Yano, Dating of the human-ape splitting, 1985; as in Yang, Molecular Evolution",
    leaves_open="conditions in words",
    kappa="",
)
def nucleotide_rates(kappa):
    return kappa


@formula(
    r"""
The weight change of a synapse from neuron $j$ to neuron $i$ is the sum over all pairs of presynaptic spikes $t_j^f$ and postsynaptic spikes $t_i^n$,
\begin{equation}
\Delta w = \sum_{f=1}^{F} \sum_{n=1}^{N} W(t_n - s_f), \qquad W(x) = \begin{cases} A_{+} \exp(-x/\tau_{+}) & \text{for } x > 0 \\ -A_{-} \exp(x/\tau_{-}) & \text{for } x \le 0 . \end{cases}
\end{equation}
""",
    source="Song, Miller, Abbott, Competitive Hebbian learning, 2000; Gerstner's sum over pairs",
    t=lambda r: normal(r, 4),
    s=lambda r: normal(r, 3),
    A_plus="",
    tau_plus="",
    A_minus="",
    tau_minus="",
    shapes=("size F, N", "base 1", "input t[N], s[F]"),
)
def pairs_of_spikes(t, s, A_plus, tau_plus, A_minus, tau_minus):
    total = 0.0
    for a in s:
        for b in t:
            x = b - a
            total += A_plus * np.exp(-x / tau_plus) if x > 0 else -A_minus * np.exp(x / tau_minus)
    return total


@formula(
    r"""
The Rescorla--Wagner update of the associative strength of stimulus $i$ on a trial with the stimuli $x \in \{0, 1\}^n$ is
\begin{equation}
\Delta V_i = \alpha_i \beta \left( \lambda - \sum_{j=1}^{n} x_j V_j \right) x_i .
\end{equation}
""",
    source="Rescorla, Wagner, A theory of Pavlovian conditioning, 1972",
    alpha="4",
    beta="",
    lambda_="",
    x="4",
    V="4",
    shapes=("input alpha[n], beta[], lambda[], x[n], V[n]",),
)
def associative_strengths(alpha, beta, lambda_, x, V):
    return alpha * beta * (lambda_ - x @ V) * x


@formula(
    r"""
In the Glicko system, the variance of the estimate against opponents $j = 1, \dots, m$ is
\begin{align}
g(RD) &= \frac{1}{\sqrt{1 + 3 q^2 (RD^2)/\pi^2}} \\
E(s \mid r, r_j, RD_j) &= \frac{1}{1 + 10^{-g(RD_j)(r - r_j)/400}} \\
d^2 &= \left[ q^2 \sum_{j=1}^{m} (g(RD_j))^2 E(s \mid r, r_j, RD_j) (1 - E(s \mid r, r_j, RD_j)) \right]^{-1}
\end{align}
""",
    source="Glickman, The Glicko system, 1995",
    leaves_open="names of two letters, and a conditional as a function",
    r="",
)
def glicko(r):
    return r


@formula(
    r"""
\begin{equation}
\langle \mathbf{x}_i, \mathbf{y}_j \rangle_{\mathcal{L}} = -x_{i0} y_{j0} + \sum_{k=1}^{n} x_{ik} y_{jk}, \qquad d_{ij} = \operatorname{arcosh}(-\langle \mathbf{x}_i, \mathbf{y}_j \rangle_{\mathcal{L}})
\end{equation}
""",
    source="Nickel, Kiela, Learning continuous hierarchies in the Lorentz model, 2018, equation 2",
    leaves_open="a product of vectors on the left side",
    x="3 3",
)
def hyperboloid(x):
    return x


@formula(
    r"""
The competitive Langmuir isotherm of $n$ components is
\begin{equation}
q_i = q_{\mathrm{s}} \frac{b_i p_i}{1 + \sum_{j=1}^{n} b_j p_j} .
\end{equation}
""",
    source="Markham, Benton, The adsorption of gas mixtures by silica, 1931; as in Ruthven, Principles of adsorption",
    q_s="",
    b="4",
    p="4",
)
def competitive_isotherm(q_s, b, p):
    return q_s * b * p / (1 + b @ p)


@formula(
    r"""
The Drude--Lorentz model of a metal gives the real part of the permittivity as
\begin{equation}
\varepsilon_1(\omega_k) = \varepsilon_\infty - \frac{\omega_p^2}{\omega_k^2 + \Gamma_0^2} + \sum_{j=1}^{J} \frac{f_j \omega_p^2 (\omega_j'^2 - \omega_k^2)}{(\omega_j'^2 - \omega_k^2)^2 + \omega_k^2 \Gamma_j^2} .
\end{equation}
""",
    source="Rakic et al., Optical properties of metallic films for vertical-cavity optoelectronic devices, 1998, equations 1 to 4",
    leaves_open="the damping of the free electrons and of the oscillators are of one letter",
    f="3",
)
def drude_lorentz(f):
    return f


@formula(
    r"""
\def\Ksat{K_{\mathrm{sat}}}
\def\Kdry{K_{\mathrm{dry}}}
\def\Kmin{K_{\mathrm{m}}}
\def\Kfl{K_{\mathrm{fl}}}
Gassmann's relation gives the bulk modulus of the saturated rock as
\begin{equation}
\Ksat = \Kdry + \frac{\left( 1 - \Kdry / \Kmin \right)^2}{\phi / \Kfl + (1 - \phi) / \Kmin - \Kdry / \Kmin^2},
\end{equation}
and a mixture of fluids has (Wood) $1/\Kfl = \sum_{i=1}^{n} S_i / K_i$.
""",
    source="Gassmann, Ueber die Elastizitaet poroeser Medien, 1951; as in Mavko, Mukerji, Dvorkin, The rock physics handbook",
    K_dry=lambda r: np.float64(0.4),
    K_m=lambda r: np.float64(1.4),
    phi=lambda r: np.float64(0.2),
    K_fl=lambda r: np.float64(0.1),
    shapes=("input K_dry[], K_m[], phi[], K_fl[]",),
)
def saturated_rock(K_dry, K_m, phi, K_fl):
    return K_dry + (1 - K_dry / K_m) ** 2 / (phi / K_fl + (1 - phi) / K_m - K_dry / K_m**2)


@formula(
    r"""
The discretised Euclidean action of the harmonic oscillator is, with periodic boundary conditions $x_{N+1} = x_1$,
\begin{equation}
S(x) = a \sum_{i=1}^{N} \left[ \frac{m}{2} \left( \frac{x_{i+1} - x_i}{a} \right)^2 + \frac{1}{2} m \omega^2 x_i^2 \right] .
\end{equation}
""",
    source="Creutz, Freedman, A statistical approach to quantum mechanics, 1981, equation 2.10",
    a="",
    m="",
    x=lambda r: normal(r, 5),
    omega="",
    shapes=("size N", "input x[N], a[], m[], omega[]"),
)
def path_action(a, m, x, omega):
    S = 0.0
    for i in range(5):
        S += a * (m / 2 * ((x[(i + 1) % 5] - x[i]) / a) ** 2 + 0.5 * m * omega**2 * x[i] ** 2)
    return S


@formula(
    r"""
A ResNet block with squeeze and excitation adds to the input $x \in \mathbb{R}^{C \times H \times W}$
\begin{equation}
y_{chw} = x_{chw} + u_{chw}\, \mathrm{sigmoid}\Bigl( \sum_{d=1}^{D} W^{(2)}_{cd} \max\Bigl( 0, \sum_{c'=1}^{C} W^{(1)}_{dc'} z_{c'} \Bigr) \Bigr), \quad z_c = \frac{1}{HW} \sum_{h=1}^{H} \sum_{w=1}^{W} u_{chw}
\end{equation}
""",
    source="Hu, Shen, Sun, Squeeze-and-excitation networks, 2018, written out",
    x=lambda r: normal(r, 4, 2, 3),
    u=lambda r: normal(r, 4, 2, 3),
    W2=lambda r: normal(r, 4, 2),
    W1=lambda r: normal(r, 2, 4),
    output="y",
)
def gated_residual(x, u, W2, W1):
    z = u.mean(axis=(1, 2))
    g = 1 / (1 + np.exp(-(W2 @ np.maximum(0, W1 @ z))))
    return x + u * g[:, None, None]


@formula(
    r"""
The hierarchical risk parity literature measures the concentration of $N$ assets by the diversification ratio and the effective number of bets,
\begin{equation}
\mathrm{DR} = \frac{\sum_{i=1}^{N} w_i \sigma_i}{\sqrt{\sum_{i=1}^{N} \sum_{j=1}^{N} w_i w_j \sigma_i \sigma_j \rho_{ij}}}, \qquad
\mathrm{ENB} = \exp\left( -\sum_{i=1}^{N} p_i \ln p_i \right), \quad p_i = \frac{w_i \sum_{j} \Sigma_{ij} w_j}{\sum_{k, l} w_k \Sigma_{kl} w_l} .
\end{equation}
with $\Sigma_{ij} = \sigma_i \sigma_j \rho_{ij}$.
""",
    source="Choueifaty, Coignard, Toward maximum diversification, 2008; Meucci, Managing diversification, 2009",
    w="4",
    sigma="4",
    rho=lambda r: r.uniform(0.1, 0.9, (4, 4)),
    output="ENB",
    shapes=("size N", "input w[N], sigma[N], rho[N, N]"),
)
def number_of_bets(w, sigma, rho):
    S = sigma[:, None] * sigma * rho
    p = w * (S @ w) / (w @ S @ w)
    return np.exp(-np.sum(p * np.log(p)))


@formula(
    r"""
The circle loss with $K$ within-class similarity scores $s_p^i$ and $L$ between-class similarity scores $s_n^j$ is
\begin{equation}
\mathcal{L}_{circle} = \log \left[ 1 + \sum_{j=1}^{L} \exp(\gamma (s_n^j + m)) \sum_{i=1}^{K} \exp(-\gamma s_p^i) \right] .
\end{equation}
""",
    source="Sun et al., Circle loss, 2020, equation 1",
    s_n="3",
    gamma="",
    m="",
    s_p="4",
    shapes=("size K, L", "input s_n[L], s_p[K], gamma[], m[]"),
)
def unified_similarity(s_n, gamma, m, s_p):
    return np.log(
        1 + sum(np.exp(gamma * (a + m)) for a in s_n) * sum(np.exp(-gamma * b) for b in s_p)
    )


@formula(
    r"""
Each user embedding is propagated as
\begin{equation}
\mathbf{e}_u^{(k+1)} = \sum_{i \in \mathcal{N}_u} \frac{1}{\sqrt{|\mathcal{N}_u|} \sqrt{|\mathcal{N}_i|}} \mathbf{e}_i^{(k)} .
\end{equation}
""",
    source="He et al., LightGCN, 2020, equation 3",
    leaves_open="the sets of neighbours",
    e="3 2",
)
def light_propagation(e):
    return e


@formula(
    r"""
With cumulative normal $\Phi$, the Margrabe-type index of the expected improvement at candidates $i = 1, \dots, n$ is
\begin{equation}
\mathrm{EI}_i = (\mu_i - f^* - \xi) \Phi(Z_i) + \sigma_i \phi(Z_i), \qquad Z_i = \frac{\mu_i - f^* - \xi}{\sigma_i},
\end{equation}
where $\phi(z) = \frac{1}{\sqrt{2\pi}} e^{-z^2/2}$ and $\Phi(z) = \frac{1}{2} \left[ 1 + \operatorname{erf}\left( z/\sqrt{2} \right) \right]$.
""",
    source="Jones, Schonlau, Welch, Efficient global optimization, 1998; Lizotte, 2008, with a margin",
    mu=lambda r: normal(r, 4),
    f_star="",
    xi="",
    sigma="4",
    output="EI",
    shapes=("size n", "input mu[n], sigma[n], xi[]"),
)
def improvement_with_margin(mu, f_star, xi, sigma):
    from math import erf

    out = np.zeros(4)
    for i in range(4):
        z = (mu[i] - f_star - xi) / sigma[i]
        out[i] = (mu[i] - f_star - xi) * 0.5 * (1 + erf(z / np.sqrt(2))) + sigma[i] * np.exp(
            -z * z / 2
        ) / np.sqrt(2 * np.pi)
    return out


@formula(
    r"""
The coverage of a genome of length $G$ by $N$ reads of length $L$ is $c = NL/G$, and the expected number of contigs is
\begin{equation}
N_{\mathrm{contigs}} = N e^{-c \sigma}, \qquad \sigma = 1 - \frac{T}{L} .
\end{equation}
""",
    source="Lander, Waterman, Genomic mapping by fingerprinting random clones, 1988",
    N="",
    L="",
    G="",
    T="",
    output="N_contigs",
    shapes=("input N[], L[], G[], T[]",),
)
def number_of_contigs(N, L, G, T):
    return N * np.exp(-N * L / G * (1 - T / L))
