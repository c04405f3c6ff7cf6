"""Quantum chemistry, plasmas, flows, the earth and its climate, cells and epidemics."""

from __future__ import annotations

from math import lgamma

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
  E_{\mathrm{c}}^{\mathrm{RPA}} = \frac{1}{2\pi} \sum_{k=1}^{K} w_k \sum_{n=1}^{N} \left[ \ln(1 - \chi_{kn}) + \chi_{kn} \right]
\end{equation}
""",
    source="Ren et al., Random-phase approximation and its applications, 2012, with a quadrature, in eigenvalues",
    w="3",
    chi=lambda r: -r.uniform(0.1, 2, (3, 4)),
)
def random_phase(w, chi):
    return (w[:, None] * (np.log(1 - chi) + chi)).sum() / (2 * np.pi)


@formula(
    r"""
\begin{equation}
  E_{\mathrm{disp}} = - s_6 \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} \frac{C_6^{ij}}{R_{ij}^6}\, \frac{1}{1 + e^{-d (R_{ij}/R_r - 1)}}
\end{equation}
""",
    source="Grimme, Semiempirical GGA-type density functional, 2006, equations (11) and (12)",
    shapes=("upper", "input s_6[], C_6[N, N], R[N, N], d[], R_r[]"),
    s_6="",
    C_6="4 4",
    R="4 4",
    d="",
    R_r="",
)
def dispersion_energy(s_6, C_6, R, d, R_r):
    return damped_dispersion(s_6, C_6, R, d, R_r)


@formula(
    r"""
\begin{equation}
  E_{\mathrm{disp}} = - s_6 \sum_{i=1}^{N-1} \sum_{j=i+1}^{N} \frac{C_{ij}}{R_{ij}^6}\, f_{\mathrm{dmp}}(R_{ij}), \qquad f_{\mathrm{dmp}}(R) = \frac{1}{1 + e^{-d (R/R_r - 1)}}
\end{equation}
""",
    source="Grimme, Semiempirical GGA-type density functional, 2006, with C for C_6",
    s_6="",
    C="4 4",
    R="4 4",
    d="",
    R_r="",
)
def damped_dispersion(s_6, C, R, d, R_r):
    terms = C / R**6 / (1 + np.exp(-d * (R / R_r - 1)))
    return -s_6 * np.triu(terms, 1).sum()


@formula(
    r"""
\begin{equation}
J_{\mu\nu} = \sum_{\lambda\sigma} P_{\lambda\sigma}\, (\mu\nu|\lambda\sigma), \qquad
(\mu\nu|\lambda\sigma) \approx \sum_{P} B_{\mu\nu}^{P} B_{\lambda\sigma}^{P}
\end{equation}
""",
    source="Werner, Manby and Knowles, Fast linear scaling MP2 by density fitting, 2003",
    output="",
    P="2 2",
)
def density_fitting(P):
    return None


@formula(
    r"""
\begin{equation}
(ia|jb) = \sum_{P=1}^{N_{\mathrm{aux}}} B_{ia,P}\, B_{jb,P}, \qquad
E^{(2)} = -\sum_{ijab} \frac{(ia|jb)\,\bigl[2(ia|jb) - (ib|ja)\bigr]}{\varepsilon_a + \varepsilon_b - e_i - e_j}
\end{equation}
""",
    source="Weigend et al., RI-MP2, 1998",
    output="E_2",
    B="2 3 4",
    varepsilon=lambda r: r.uniform(1, 2, 3),
    e=lambda r: -r.uniform(1, 2, 2),
)
def fitted_perturbation(B, varepsilon, e):
    g = np.einsum("iap,jbp->iajb", B, B)
    v, o = varepsilon, e
    D = (
        v[None, :, None, None]
        + v[None, None, None, :]
        - o[:, None, None, None]
        - o[None, None, :, None]
    )
    return -(g * (2 * g - g.transpose(0, 3, 2, 1)) / D).sum()


@formula(
    r"""
\begin{equation}
  \rho(\mathbf{r}_g) = \sum_{\mu=1}^{K}\sum_{\nu=1}^{K} D_{\mu\nu}\, \phi_{\mu g}\, \phi_{\nu g}, \qquad
  E_x = -\frac{3}{4}\left(\frac{3}{\pi}\right)^{1/3} \sum_{g} w_g \left[\rho(\mathbf{r}_g)\right]^{4/3}
\end{equation}
""",
    source="Koch and Holthausen, A Chemist's Guide to Density Functional Theory, 2001",
    output="E_x",
    D="3 3",
    phi="3 4",
    w="4",
)
def slater_exchange(D, phi, w):
    rho = np.einsum("mn,mg,ng->g", D, phi, phi)
    return -0.75 * (3 / np.pi) ** (1 / 3) * (w * rho ** (4 / 3)).sum()


@formula(
    r"""
\begin{equation}
  \langle \hat{H} \rangle = \sum_{pq} h_{pq} \gamma_{pq} + \frac{1}{2} \sum_{pqrs} \langle pq | rs \rangle \Gamma_{pqrs}
\end{equation}
""",
    source="Helgaker, Jorgensen and Olsen, Molecular Electronic-Structure Theory, 2000",
    output="H_hat_mean",
    h="3 3",
    gamma="3 3",
    eri_angles="3 3 3 3",
    Gamma="3 3 3 3",
)
def two_body_expectation(h, gamma, eri_angles, Gamma):
    return (h * gamma).sum() + (eri_angles * Gamma).sum() / 2


@formula(
    r"""
\begin{equation}
  f_a^{\mathrm{eq}} = w_a \rho \left[ 1 + 3\, \mathbf{e}_a\cdot\mathbf{u} + \frac{9}{2} (\mathbf{e}_a\cdot\mathbf{u})^2 - \frac{3}{2} \mathbf{u}^2 \right]
\end{equation}
with $\mathbf{e}_a, \mathbf{u} \in \mathbb{R}^{2}$.
""",
    source="Qian, d'Humieres and Lallemand, Lattice BGK models, 1992",
    output="f_eq",
    w="9",
    rho="",
    e="9 2",
    u="2",
)
def lattice_equilibrium(w, rho, e, u):
    c = e @ u
    return w * rho * (1 + 3 * c + 4.5 * c**2 - 1.5 * u @ u)


@formula(
    r"""
\begin{equation}
\Pi_{\alpha\beta} = \sum_{i=0}^{8} c_{i\alpha} c_{i\beta} \left( f_i - f_i^{\mathrm{eq}} \right), \qquad \rho = \sum_{i=0}^{8} f_i
\end{equation}
""",
    source="Kruger et al., The Lattice Boltzmann Method, 2017",
    output="Pi",
    c="9 2",
    f="9",
    f_eq="9",
)
def momentum_flux(c, f, f_eq):
    return np.einsum("ia,ib,i->ab", c, c, f - f_eq)


@formula(
    r"""
\begin{equation}
  \rho_g = \frac{1}{\Delta x}\sum_{p=1}^{N_p} q_p\, S\!\left( X_g - x_p \right), \qquad
    S(x) = \begin{cases} 1 - \dfrac{|x|}{\Delta x}, & |x| < \Delta x \\ 0, & \text{otherwise.} \end{cases}
\end{equation}
""",
    source="Birdsall and Langdon, Plasma Physics via Computer Simulation, 1991, cloud in cell",
    output="",
    Delta_x="",
    q="4",
    X="3",
    x="4",
)
def charge_deposition(Delta_x, q, X, x):
    d = abs(X[:, None] - x)
    return (q * np.where(d < Delta_x, 1 - d / Delta_x, 0)).sum(1) / Delta_x


@formula(
    r"""
\begin{equation}
  \frac{\mathrm{d} \mathbf{v}_p}{\mathrm{d} t} = \frac{q_p}{m_p} \left( \mathbf{E}_p + \mathbf{v}_p \times \mathbf{B}_p \right)
\end{equation}
""",
    source="Boris, Relativistic plasma simulation, 1970",
    output="",
    q="2",
)
def lorentz_force(q):
    return None


@formula(
    r"""
\begin{equation}
  a_i = \sum_{j=1}^{3}\sum_{k=1}^{3} \varepsilon_{ijk}\, v_j B_k
\end{equation}
""",
    source="Jackson, Classical Electrodynamics, 1998, a cross product",
    varepsilon="3 3 3",
    v="3",
    B="3",
)
def cross_product(varepsilon, v, B):
    return np.einsum("ijk,j,k->i", varepsilon, v, B)


@formula(
    r"""
\begin{equation}
  \frac{\mathrm{d} T_i}{\mathrm{d} t} = \frac{1}{C_i} \left[ S_i (1 - \alpha_i) - \left( A + B\, T_i \right) - K \left( T_i - \overline{T} \right) \right], \qquad \overline{T} = \sum_{i=1}^{N} a_i T_i
\end{equation}
""",
    source="Budyko, The effect of solar radiation variations, 1969, in latitude bands",
    output="",
    C="4",
    S="4",
    alpha="4",
    A="",
    B="",
    T="4",
    K="",
    a="4",
)
def energy_balance(C, S, alpha, A, B, T, K, a):
    return (S * (1 - alpha) - (A + B * T) - K * (T - a @ T)) / C


@formula(
    r"""
\begin{equation}
\zeta_{i,j} = \frac{v_{i+1,j} - v_{i-1,j}}{2\,\Delta x} - \frac{u_{i,j+1} - u_{i,j-1}}{2\,\Delta y}, \qquad 2 \le i \le N_x - 1,\; 2 \le j \le N_y - 1
\end{equation}
""",
    source="Durran, Numerical Methods for Fluid Dynamics, 2010, relative vorticity",
    shapes=("base 1", "input v[N_x, N_y], Delta_x[], u[N_x, N_y], Delta_y[]"),
    v="5 4",
    Delta_x="",
    u="5 4",
    Delta_y="",
)
def vorticity(v, Delta_x, u, Delta_y):
    return (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * Delta_x) - (u[1:-1, 2:] - u[1:-1, :-2]) / (
        2 * Delta_y
    )


@formula(
    r"""
\begin{equation}
  \mathrm{BSS} = 1 - \frac{\sum_{i=1}^{n} (p_i - o_i)^2}{\sum_{i=1}^{n} (\bar{o} - o_i)^2}, \qquad \bar{o} = \frac{1}{n}\sum_{i=1}^{n} o_i
\end{equation}
""",
    source="Wilks, Statistical Methods in the Atmospheric Sciences, 2011, section 8.4",
    output="BSS",
    p="5",
    o="5",
)
def brier_skill(p, o):
    return 1 - ((p - o) ** 2).sum() / ((o.mean() - o) ** 2).sum()


@formula(
    r"""
\begin{equation}
  u_i(\mathbf{x}_r) = \sum_{s=1}^{S}\sum_{j=1}^{3}\sum_{k=1}^{3} M^{s}_{jk}\, G_{ij,k}(\mathbf{x}_r, \mathbf{x}_s)
\end{equation}
""",
    source="Aki and Richards, Quantitative Seismology, 2002, equation (3.23)",
    output="",
    M="2 3 3",
)
def moment_tensor(M):
    return None


@formula(
    r"""
\begin{equation}
u_{ri} = \sum_{s}\sum_{j=1}^{3}\sum_{k=1}^{3} G_{rsijk} M_{sjk}
\end{equation}
""",
    source="Aki and Richards, Quantitative Seismology, 2002, equation (3.23), in components",
    G="2 4 3 3 3",
    M="4 3 3",
)
def displacement(G, M):
    return np.einsum("rsijk,sjk->ri", G, M)


@formula(
    r"""
\begin{equation}
\phi(m) = \frac12 \sum_{i=1}^{N_d} \left( \frac{d_i^{\mathrm{obs}} - d_i^{\mathrm{pre}}}{\sigma_i} \right)^{\!2} + \mu \sum_{k=2}^{N_m} \left( m_k - m_{k-1} \right)^2, \qquad d_i^{\mathrm{pre}} = \sum_{k=1}^{N_m} G_{ik} m_k
\end{equation}
""",
    source="Menke, Geophysical Data Analysis, 2012, with first differences",
    output="phi",
    d_obs="3",
    sigma="3",
    mu="",
    m="4",
    G="3 4",
)
def smooth_inversion(d_obs, sigma, mu, m, G):
    r = (d_obs - G @ m) / sigma
    return (r**2).sum() / 2 + mu * (np.diff(m) ** 2).sum()


@formula(
    r"""
\begin{equation}
  \tau_m \frac{dV_i}{dt} = -(V_i - V_{\mathrm{rest}}) + R_m \sum_{j=1}^{N} w_{ij} s_j + I_i^{\mathrm{ext}}
\end{equation}
""",
    source="Gerstner and Kistler, Spiking Neuron Models, 2002",
    shapes=("input tau_m[], V[N], V_rest[], R_m[], w[N, N], s[N], I_ext[N]",),
    tau_m="",
    V="3",
    V_rest="",
    R_m="",
    w="3 3",
    s="3",
    I_ext="3",
)
def integrate_and_fire(tau_m, V, V_rest, R_m, w, s, I_ext):
    return (-(V - V_rest) + R_m * (w @ s) + I_ext) / tau_m


@formula(
    r"""
\begin{equation}
  \frac{dr_i}{dt} = \frac{1}{\tau}\left( -r_i + \left[ \sum_{j=1}^{N} W_{ij} r_j + I_i - \theta \right]_{+} \right)
\end{equation}
""",
    source="Dayan and Abbott, Theoretical Neuroscience, 2001, equation (7.11)",
    tau="",
    r="3",
    W="3 3",
    I="3",
    theta="",
)
def firing_rates(tau, r, W, I, theta):
    return (-r + np.maximum(W @ r + I - theta, 0)) / tau


@formula(
    r"""
\begin{equation}
  r_i = g_i^n \Big/ \Bigl( \sigma^n + \sum_{j} w_{ij}\, g_j^n \Bigr)
\end{equation}
""",
    source="Heeger, Normalization of cell responses in cat striate cortex, 1992",
    shapes=("input g[N], n[], sigma[], w[N, N]",),
    g="3",
    n="",
    sigma="",
    w="3 3",
)
def divisive_normalisation(g, n, sigma, w):
    return g**n / (sigma**n + w @ g**n)


@formula(
    r"""
\begin{equation}
\Delta w_{ij} = A_{+} \sum_{f=1}^{F}\sum_{n=1}^{N} e^{-(t_{in} - t_{jf})/\tau_{+}}\, \mathbb{1}_{t_{in} > t_{jf}}
\end{equation}
""",
    source="Song, Miller and Abbott, Competitive Hebbian learning, 2000, its first half",
    output="",
    A_plus="",
    t="3 2",
    tau_plus="",
)
def spike_timing(A_plus, t, tau_plus):
    return None


@formula(
    r"""
\begin{align}
  \lambda_i &= \beta \sum_{j=1}^{n} c_{ij} \frac{I_j}{N_j}, \\
  \frac{dS_i}{dt} &= \mu N_i - \lambda_i S_i - \mu S_i, \\
  \frac{dI_i}{dt} &= \lambda_i S_i - (\gamma + \mu) I_i
\end{align}
""",
    source="Keeling and Rohani, Modeling Infectious Diseases, 2008, section 3.1",
    output="dI_dt",
    beta="",
    c="3 3",
    I="3",
    N="3",
    mu="",
    S="3",
    gamma="",
)
def age_structured(beta, c, I, N, mu, S, gamma):
    return beta * (c @ (I / N)) * S - (gamma + mu) * I


@formula(
    r"""
\begin{equation}
R_t = \frac{I_t}{\sum_{s=1}^{t} I_{t-s}\, w_s}
\end{equation}
""",
    source="Cori et al., A new framework to estimate time-varying reproduction numbers, 2013",
    output="",
    I="4",
)
def reproduction_number(I):
    return None


@formula(
    r"""
\begin{equation}
\ell = \sum_{i=1}^{n} \left[ y_i \log \lambda_i - \lambda_i - \log(y_i!) \right], \qquad \lambda_i = \exp\left(\sum_{j=1}^{p} x_{ij} \beta_j\right)
\end{equation}
""",
    source="Cameron and Trivedi, Regression Analysis of Count Data, 2013, section 3.2",
    output="ell",
    y=lambda r: np.array([0.0, 2, 3]),
    x="3 2",
    beta="2",
)
def count_likelihood(y, x, beta):
    rate = np.exp(x @ beta)
    return (y * np.log(rate) - rate - np.array([lgamma(v + 1) for v in y])).sum()


@formula(
    r"""
\begin{equation}
  \log L = \sum_{s=1}^{S} \log \sum_{x=1}^{4} \pi_x \Bigl( \sum_{y=1}^{4} P_{xy} L_{sy} \Bigr) \Bigl( \sum_{z=1}^{4} Q_{xz} M_{sz} \Bigr)
\end{equation}
""",
    source="Felsenstein, Evolutionary trees from DNA sequences, 1981, two tips",
    output="",
    pi="4",
    P="4 4",
    L="3 4",
    Q="4 4",
    M="3 4",
)
def tree_likelihood(pi, P, L, Q, M):
    return np.log(((L @ P.T) * (M @ Q.T)) @ pi).sum()


@formula(
    r"""
\begin{equation}
  d_{ij} = -\frac{3}{4} \ln\left( 1 - \frac{4}{3} p_{ij} \right)
\end{equation}
""",
    source="Jukes and Cantor, Evolution of protein molecules, 1969",
    p=lambda r: r.uniform(0, 0.6, (3, 3)),
)
def jukes_cantor(p):
    return -0.75 * np.log(1 - 4 / 3 * p)


@formula(
    r"""
\begin{equation}
F_{\mathrm{ST}} = \frac{\sum_{\ell=1}^{L} \left(H_{T,\ell} - H_{S,\ell}\right)}{\sum_{\ell=1}^{L} H_{T,\ell}}
\end{equation}
""",
    source="Weir and Cockerham, Estimating F-statistics, 1984, ratio of averages",
    H_T="4",
    H_S="4",
)
def fixation_index(H_T, H_S):
    return (H_T - H_S).sum() / H_T.sum()


@formula(
    r"""
\begin{equation}
 p_n = \sum_{k=0}^{n} \binom{n}{k} q^{k} (1-q)^{n-k} s_k, \qquad n = 0, \dots, N
\end{equation}
""",
    source="Ewens, Mathematical Population Genetics, 2004",
    shapes=("size N = 4",),
    q=lambda r: 0.3,
    s="5",
)
def binomial_mixture(q, s):
    from math import comb

    return np.array(
        [sum(comb(n, k) * q**k * (1 - q) ** (n - k) * s[k] for k in range(n + 1)) for n in range(5)]
    )
