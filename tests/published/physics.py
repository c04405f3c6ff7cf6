"""Physics and chemistry."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{equation}
V_{ij} = \frac{q_i q_j}{4\pi\varepsilon_0 r_{ij}}, \qquad
E_{\text{Coulomb}} = \sum_{i<j} V_{ij}
\end{equation}
""",
    source="Coulomb energy of point charges; Allen and Tildesley, Computer Simulation of Liquids, 1987",
    q="4",
    varepsilon_0="",
    r="4 4",
)
def coulomb_energy(q, varepsilon_0, r):
    e = 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            e += q[i] * q[j] / (4 * np.pi * varepsilon_0 * r[i, j])
    return e


@formula(
    r"""
The Ising Hamiltonian of $N$ spins $s_i$ with couplings $J_{ij}$ reads
\begin{equation}
\mathcal{H} = -\frac{1}{2}\sum_{i=1}^{N}\sum_{j=1}^{N} J_{ij} s_i s_j - h \sum_{i=1}^{N} s_i .
\end{equation}
""",
    source="Sherrington and Kirkpatrick, Solvable model of a spin-glass, 1975",
    J="4 4",
    s="4",
    h="",
)
def spin_glass(J, s, h):
    return -0.5 * s @ J @ s - h * s.sum()


@formula(
    r"""
\begin{equation}
\label{eq:lj}
U(\mathbf{r}_1,\dots,\mathbf{r}_N) = \sum_{i=1}^{N-1}\sum_{j=i+1}^{N} 4\epsilon\left[\left(\frac{\sigma}{r_{ij}}\right)^{12} - \left(\frac{\sigma}{r_{ij}}\right)^{6}\right],
\qquad r_{ij} = \lVert \mathbf{r}_i - \mathbf{r}_j \rVert
\end{equation}
""",
    source="Frenkel and Smit, Understanding Molecular Simulation, 2002",
    shapes=("input r_bf[N, 3]",),
    r_bf="4 3",
    epsilon="",
    sigma="",
)
def lennard_jones_distances(r_bf, epsilon, sigma):
    u = 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            d = np.linalg.norm(r_bf[i] - r_bf[j])
            u += 4 * epsilon * ((sigma / d) ** 12 - (sigma / d) ** 6)
    return u


@formula(
    r"""
\[
\dot\theta_i = \omega_i + \frac{1}{N}\sum_{j=1}^N K_{ij}\sin\left(\theta_j - \theta_i - \alpha\right),\qquad i=1,\dots,N.
\]
""",
    source="Sakaguchi and Kuramoto, 1986, with couplings",
    omega="4",
    K="4 4",
    theta="4",
    alpha="",
)
def sakaguchi(omega, K, theta, alpha):
    return omega + np.array([np.mean(K[i] * np.sin(theta - theta[i] - alpha)) for i in range(4)])


@formula(
    r"""
The stress tensor of a Newtonian fluid is
\begin{equation}
\tau_{ij} = \mu\left(g_{ij} + g_{ji}\right) - \frac{2}{3}\mu\,\delta_{ij}\sum_{k=1}^{3} g_{kk}
\end{equation}
where $g \in \mathbb{R}^{3\times 3}$ is the velocity gradient.
""",
    source="Landau and Lifshitz, Fluid Mechanics, 1959",
    mu="",
    g="3 3",
)
def viscous_stress(mu, g):
    return mu * (g + g.T) - 2 / 3 * mu * np.eye(3) * np.trace(g)


@formula(
    r"""
\begin{align}
f_i^{\mathrm{eq}} &= w_i \rho \left[ 1 + \frac{\mathbf{c}_i\cdot\mathbf{u}}{c_s^2} + \frac{(\mathbf{c}_i\cdot\mathbf{u})^2}{2c_s^4} - \frac{\mathbf{u}\cdot\mathbf{u}}{2c_s^2}\right], \\
f_i^{\star} &= f_i - \frac{1}{\tau}\left(f_i - f_i^{\mathrm{eq}}\right)
\end{align}
""",
    source="Kruger et al., The Lattice Boltzmann Method, 2017",
    shapes=("size Q, D", "input w[Q], rho[], c[Q, D], u[D], c_s[], f[Q], tau[]"),
    output="f_star",
    w="5",
    rho="",
    c="5 2",
    u="2",
    c_s="",
    f="5",
    tau="",
)
def lattice_boltzmann(w, rho, c, u, c_s, f, tau):
    cu = c @ u
    eq = w * rho * (1 + cu / c_s**2 + cu**2 / (2 * c_s**4) - u @ u / (2 * c_s**2))
    return f - (f - eq) / tau


@formula(
    r"""
\documentclass{revtex4-2}
\newcommand{\kB}{k_{\mathrm{B}}}
\begin{document}
The partition function of a system with levels $E_n$ and the populations are
\begin{align}
Z &= \sum_n g_n e^{-E_n/\kB T}, & p_n &= \frac{g_n e^{-E_n/\kB T}}{Z}.
\end{align}
\end{document}
""",
    source="Reif, Fundamentals of Statistical and Thermal Physics, 1965",
    output="",
    g="5",
    E="5",
    k_B="",
    T="",
)
def boltzmann_populations(g, E, k_B, T):
    w = g * np.exp(-E / (k_B * T))
    return w / w.sum()


@formula(
    r"""
\begin{equation}
    a_i = -G \sum_{\substack{j=1 \\ j \neq i}}^{N} \frac{m_j \left(\vec{r}_i - \vec{r}_j\right)}{\left(\left|\vec{r}_i - \vec{r}_j\right|^2 + \epsilon^2\right)^{3/2}}
\end{equation}
""",
    source="Aarseth, Gravitational N-Body Simulations, 2003",
    shapes=("input G[], m[N], r_vec[N, 3], epsilon[]",),
    G="",
    m="4",
    r_vec="4 3",
    epsilon="",
)
def plummer_acceleration(G, m, r_vec, epsilon):
    a = np.zeros((4, 3))
    for i in range(4):
        for j in range(4):
            if j != i:
                d = r_vec[i] - r_vec[j]
                a[i] -= G * m[j] * d / (d @ d + epsilon**2) ** 1.5
    return a


@formula(
    r"""
The bond-order parameter and its average are
\begin{equation}
\bar{q}_{lm}(i) = \frac{1}{\tilde{N}_b}\sum_{k=1}^{K} q_{lm}(k)\, W_{ik},
\end{equation}
""",
    source="Lechner and Dellago, Accurate determination of crystal structures, 2008, with weights",
    N_tilde_b="",
    q="2 3 4",
    W="5 4",
)
def averaged_bond_order(N_tilde_b, q, W):
    return np.einsum("lmk,ik->lmi", q, W) / N_tilde_b


@formula(
    r"""
\begin{equation}
J_{i+1/2}= -\tfrac12\bigl(D_i + D_{i+1}\bigr)\frac{\phi_{i+1}-\phi_i}{\Delta x}
\end{equation}
""",
    source="Patankar, Numerical Heat Transfer and Fluid Flow, 1980: a half index",
    output="",
    D="5",
    phi="5",
    Delta_x="",
)
def half_index(D, phi, Delta_x):
    return -0.5 * (D[:-1] + D[1:]) * np.diff(phi) / Delta_x


@formula(
    r"""
\begin{equation}
E_{\mathrm{xc}} = \sum_{g}^{\mathrm{grid}} w_g \rho_g \varepsilon_{\mathrm{xc}}(\rho_g), \qquad
\rho_g = \sum_{\mu\nu} P_{\mu\nu}\chi_{\mu g}\chi_{\nu g}, \qquad
\varepsilon_{\mathrm{xc}}(\rho) = -\frac{3}{4}\left(\frac{3}{\pi}\right)^{1/3}\rho^{1/3}
\end{equation}
""",
    source="Parr and Yang, Density-Functional Theory of Atoms and Molecules, 1989",
    output="E_xc",
    w="4",
    P="3 3",
    chi="3 4",
)
def exchange_energy(w, P, chi):
    rho = np.einsum("mn,mg,ng->g", P, chi, chi)
    return (w * rho * (-0.75 * (3 / np.pi) ** (1 / 3) * rho ** (1 / 3))).sum()


@formula(
    r"""
\begin{align}
F_{\mu\nu} = H_{\mu\nu}^{\text{core}} + \sum_{\lambda\sigma} P_{\lambda\sigma}\left[ (\mu\nu|\sigma\lambda) - \frac{1}{2}(\mu\lambda|\sigma\nu)\right]
\end{align}
""",
    source="Szabo and Ostlund, Modern Quantum Chemistry, 1989, equation (3.154)",
    shapes=("input H_core[M, M], P[M, M], eri[M, M, M, M]",),
    H_core="3 3",
    P="3 3",
    eri="3 3 3 3",
)
def fock_matrix(H_core, P, eri):
    return H_core + np.einsum("ls,mnsl->mn", P, eri) - 0.5 * np.einsum("ls,mlsn->mn", P, eri)


@formula(
    r"""
\begin{equation}
E_{\text{HF}} = \frac12 \sum_{\mu,\nu} D_{\mu\nu}\left(h_{\mu\nu} + F_{\mu\nu}\right) + \sum_{A<B} \frac{Z_A Z_B}{R_{AB}}
\end{equation}
""",
    source="Szabo and Ostlund, Modern Quantum Chemistry, 1989",
    D="3 3",
    h="3 3",
    F="3 3",
    Z="4",
    R="4 4",
)
def hartree_fock_energy(D, h, F, Z, R):
    e = 0.5 * (D * (h + F)).sum()
    for a in range(4):
        for b in range(a + 1, 4):
            e += Z[a] * Z[b] / R[a, b]
    return e


@formula(
    r"""
\begin{equation}
G_i^{2} = \sum_{j \neq i} e^{-\eta (R_{ij} - R_s)^2} \cdot f_c(R_{ij}),
\end{equation}
with the cutoff function
\begin{equation}
f_c(R_{ij}) = \begin{cases} 0.5\cdot\left[\cos\left(\frac{\pi R_{ij}}{R_c}\right)+1\right] & \text{for } R_{ij} \leq R_c \\ 0 & \text{for } R_{ij} > R_c \end{cases}
\end{equation}
""",
    source="Behler and Parrinello, Generalized neural-network representation, 2007",
    output="G_squared",
    shapes=("input eta[], R[N, N], R_s[], R_c[]",),
    eta="",
    R="4 4",
    R_s="",
    R_c="",
)
def symmetry_function(eta, R, R_s, R_c):
    g = np.zeros(4)
    for i in range(4):
        for j in range(4):
            if j != i and R[i, j] <= R_c:
                g[i] += (
                    np.exp(-eta * (R[i, j] - R_s) ** 2) * 0.5 * (np.cos(np.pi * R[i, j] / R_c) + 1)
                )
    return g


@formula(
    r"""
The rate of change of the concentration $c_i$ is
\begin{equation}
\frac{\mathrm{d}c_i}{\mathrm{d}t} = \sum_{r=1}^{R} S_{ir}\, k_r \prod_{j=1}^{N} c_j^{\alpha_{jr}}
\end{equation}
""",
    source="Feinberg, Foundations of Chemical Reaction Network Theory, 2019: mass action",
    S="3 4",
    k="4",
    c="3",
    alpha="3 4",
)
def mass_action(S, k, c, alpha):
    return np.array(
        [sum(S[i, r] * k[r] * np.prod(c ** alpha[:, r]) for r in range(4)) for i in range(3)]
    )


@formula(
    r"""
\begin{equation}
\ln\gamma_i = 1 - \ln\left(\sum_{j=1}^{n} x_j \Lambda_{ij}\right) - \sum_{k=1}^{n}\frac{x_k\Lambda_{ki}}{\sum_{j=1}^{n} x_j\Lambda_{kj}}
\end{equation}
""",
    source="Wilson, Vapor-liquid equilibrium XI, 1964",
    x="3",
    Lambda="3 3",
)
def wilson_activity(x, Lambda):
    s = Lambda @ x
    return 1 - np.log(s) - np.array([sum(x * Lambda[:, i] / s) for i in range(3)])


@formula(
    r"""
\begin{equation}
E_\text{bond} = \sum_{b=1}^{B} \tfrac{1}{2} k_b (\ell_b - \ell_{b,0})^2
\end{equation}
""",
    source="Cornell et al., A second generation force field (AMBER), 1995: bonds with a reference length",
    k="4",
    ell="4",
    ell_0="4",
    shapes=("input k[B], ell[B], ell_0[B]",),
)
def bond_energy(k, ell, ell_0):
    return (0.5 * k * (ell - ell_0) ** 2).sum()


@formula(
    r"""
\begin{equation}
V(\phi) = \sum_{n=1}^{N} \frac{V_n}{2}\left[1 + \cos(n\phi - \gamma_n)\right]
\end{equation}
""",
    source="Cornell et al., A second generation force field (AMBER), 1995: torsions",
    V="3",
    phi="",
    gamma="3",
)
def torsion(V, phi, gamma):
    n = np.arange(1, 4)
    return (V / 2 * (1 + np.cos(n * phi - gamma))).sum()
