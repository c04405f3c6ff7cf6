"""Formulas that are read as they stand, from sketches about orbits, reservoirs, meshes, tones, arms, genomes, queues, spins, oceans and ties."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The luminosity-weighted mean velocity dispersion of $N$ stars with velocities $v_i$ and weights $w_i$ is
\begin{equation}
\sigma_{\mathrm{los}} = \left[ \frac{\sum_{i=1}^{N} w_i (v_i - \langle v \rangle)^2}{\sum_{i=1}^{N} w_i} \right]^{1/2}, \qquad \langle v \rangle = \frac{\sum_{i=1}^{N} w_i v_i}{\sum_{i=1}^{N} w_i} .
\end{equation}
""",
    source="Binney, Tremaine, Galactic dynamics, 2008, section 4.1",
    output="sigma_los",
    w="5",
    v=lambda r: normal(r, 5),
)
def velocity_dispersion(w, v):
    mean = sum(w[i] * v[i] for i in range(5)) / sum(w)
    return np.sqrt(sum(w[i] * (v[i] - mean) ** 2 for i in range(5)) / sum(w))


@formula(
    r"""
In units with $G = 1$, the softened gravitational acceleration of particle $i$ is
\begin{equation}
\mathbf{a}_i = \sum_{j \neq i} m_j \frac{\mathbf{r}_j - \mathbf{r}_i}{\left( |\mathbf{r}_j - \mathbf{r}_i|^2 + \epsilon^2 \right)^{3/2}}
\end{equation}
""",
    source="Aarseth, Gravitational N-body simulations, 2003, equation 1.1",
    output="a",
    shapes=("input m[N], r[N, 3], epsilon[]",),
    m="4",
    r=lambda r: normal(r, 4, 3),
    epsilon="",
)
def softened_gravity(m, r, epsilon):
    out = np.zeros((4, 3))
    for i in range(4):
        for j in range(4):
            if j != i:
                d = r[j] - r[i]
                out[i] += m[j] * d / (d @ d + epsilon**2) ** 1.5
    return out


@formula(
    r"""
Absolute photometry is fitted by minimising over colour terms
\begin{equation}
\chi^2 = \sum_{i=1}^{N} \sum_{b=1}^{B} \frac{\left[ m_{ib} - M_i - Z_b - c_b (g_i - r_i) - k_b X_{ib} \right]^2}{\sigma_{ib}^2}
\end{equation}
where $X_{ib}$ is the airmass and $Z_b$ the zero point.
""",
    source="Padmanabhan et al., An improved photometric calibration of the SDSS imaging data, 2008",
    m="4 3",
    M="4",
    Z="3",
    c="3",
    g="4",
    r="4",
    k="3",
    X="4 3",
    sigma="4 3",
)
def photometric_calibration(m, M, Z, c, g, r, k, X, sigma):
    out = 0.0
    for i in range(4):
        for b in range(3):
            out += (m[i, b] - M[i] - Z[b] - c[b] * (g[i] - r[i]) - k[b] * X[i, b]) ** 2 / sigma[
                i, b
            ] ** 2
    return out


@formula(
    r"""
Inverse distance weighting estimates the grade at block $j$ from samples $i$,
\begin{equation}
\hat{z}_j = \frac{\sum_{i=1}^{n} z_i\, d_{ij}^{-p}}{\sum_{i=1}^{n} d_{ij}^{-p}}, \qquad d_{ij} = \sqrt{ (x_i - u_j)^2 + (y_i - v_j)^2 } .
\end{equation}
""",
    source="Isaaks, Srivastava, An introduction to applied geostatistics, 1989, chapter 11",
    output="z_hat",
    z="4",
    p=lambda r: 2.0,
    x=lambda r: normal(r, 4),
    u=lambda r: normal(r, 3),
    y=lambda r: normal(r, 4),
    v=lambda r: normal(r, 3),
)
def inverse_distance_weights(z, p, x, u, y, v):
    out = np.zeros(3)
    for j in range(3):
        w = [np.sqrt((x[i] - u[j]) ** 2 + (y[i] - v[j]) ** 2) ** -p for i in range(4)]
        out[j] = sum(w[i] * z[i] for i in range(4)) / sum(w)
    return out


@formula(
    r"""
With $\mathbf{e}_{ij} = \mathbf{v}_i - \mathbf{v}_j$ and per-vertex rotations $R_i \in \mathbb{R}^{3 \times 3}$, the as-rigid-as-possible energy is
\begin{equation}
E = \sum_{i=1}^{n} \sum_{j=1}^{n} w_{ij} \left\| (\mathbf{v}'_i - \mathbf{v}'_j) - R_i (\mathbf{v}_i - \mathbf{v}_j) \right\|^2,
\end{equation}
where $\mathbf{v}_i, \mathbf{v}'_i \in \mathbb{R}^3$.
""",
    source="Sorkine, Alexa, As-rigid-as-possible surface modeling, 2007, equation 3",
    output="E",
    w="3 3",
    v_prime=lambda r: normal(r, 3, 3),
    R=lambda r: normal(r, 3, 3, 3),
    v=lambda r: normal(r, 3, 3),
)
def rigid_energy(w, v_prime, R, v):
    out = 0.0
    for i in range(3):
        for j in range(3):
            d = (v_prime[i] - v_prime[j]) - R[i] @ (v[i] - v[j])
            out += w[i, j] * (d @ d)
    return out


@formula(
    r"""
The gray value is $Y = 0.299 R + 0.587 G + 0.114 B$. The bilateral filter on a guide $g$ is
\begin{equation}
h_p = \frac{\sum_{q} f_q \exp\!\left( -\frac{(x_p - x_q)^2 + (y_p - y_q)^2}{2 \sigma_s^2} \right) \exp\!\left( -\frac{(g_p - g_q)^2}{2 \sigma_r^2} \right)}{\sum_{q} \exp\!\left( -\frac{(x_p - x_q)^2 + (y_p - y_q)^2}{2 \sigma_s^2} \right) \exp\!\left( -\frac{(g_p - g_q)^2}{2 \sigma_r^2} \right)}
\end{equation}
""",
    source="Petschnigg et al., Digital photography with flash and no-flash image pairs, 2004",
    output="h",
    shapes=("input f[N], x[N], y[N], sigma_s[], g[N], sigma_r[]",),
    f="4",
    x=lambda r: normal(r, 4),
    y=lambda r: normal(r, 4),
    sigma_s="",
    g="4",
    sigma_r="",
)
def joint_bilateral(f, x, y, sigma_s, g, sigma_r):
    out = np.zeros(4)
    for p in range(4):
        n = d = 0.0
        for q in range(4):
            w = np.exp(-((x[p] - x[q]) ** 2 + (y[p] - y[q]) ** 2) / (2 * sigma_s**2))
            w *= np.exp(-((g[p] - g[q]) ** 2) / (2 * sigma_r**2))
            n += w * f[q]
            d += w
        out[p] = n / d
    return out


@formula(
    r"""
Irradiance from the first nine spherical-harmonic coefficients $L_{lm}$ per channel $c \in \{R, G, B\}$ is compared by
\begin{equation}
\mathcal{L} = \frac{1}{3} \sum_{c \in \{R, G, B\}} \sum_{p=1}^{P} \Bigl( \sum_{k=1}^{9} A_k L_{kc} Y_{pk} - I_{pc} \Bigr)^2
\end{equation}
""",
    source="Ramamoorthi, Hanrahan, An efficient representation for irradiance environment maps, 2001; as a loss",
    A="9",
    L="9 3",
    Y="4 9",
    I="4 3",
)
def irradiance_loss(A, L, Y, I):
    out = 0.0
    for c in range(3):
        for p in range(4):
            out += (sum(A[k] * L[k, c] * Y[p, k] for k in range(9)) - I[p, c]) ** 2
    return out / 3


@formula(
    r"""
\begin{equation}
\mathrm{YIN:}\qquad d'_\tau = \begin{cases} 1, & \tau = 0, \\ d_\tau \Big/ \Bigl[ \frac{1}{\tau} \sum_{j=1}^{\tau} d_j \Bigr], & \text{otherwise} \end{cases}
\end{equation}
""",
    source="de Cheveigne, Kawahara, YIN, 2002, equation 8",
    output="d_prime",
    shapes=("input d[W]", "base 0"),
    d="5",
)
def cumulative_difference(d):
    out = np.ones(5)
    for t in range(1, 5):
        out[t] = d[t] / (sum(d[1 : t + 1]) / t)
    return out


@formula(
    r"""
The constant-Q transform uses windows $w_{kn}$ of lengths $N_k$,
\begin{align}
X_k^{\mathrm{re}} &= \frac{1}{N_k} \sum_{n=0}^{N-1} w_{kn} x_n \cos\left( \frac{2 \pi q n}{N_k} \right), \\
X_k^{\mathrm{im}} &= -\frac{1}{N_k} \sum_{n=0}^{N-1} w_{kn} x_n \sin\left( \frac{2 \pi q n}{N_k} \right), \\
M_k &= \sqrt{ (X_k^{\mathrm{re}})^2 + (X_k^{\mathrm{im}})^2 } .
\end{align}
""",
    source="Brown, Calculation of a constant Q spectral transform, 1991, equation 5",
    output="M",
    N_k="3",
    w="3 6",
    x=lambda r: normal(r, 6),
    q="",
)
def constant_q(N_k, w, x, q):
    out = np.zeros(3)
    for k in range(3):
        a = sum(w[k, n] * x[n] * np.exp(-2j * np.pi * q * n / N_k[k]) for n in range(6))
        out[k] = abs(a) / N_k[k]
    return out


@formula(
    r"""
The echo density profile is the fraction of taps outside one standard deviation,
\begin{equation}
\eta_t = \frac{1}{\operatorname{erfc}(1/\sqrt{2})} \sum_{\tau=0}^{W-1} w_\tau\, \mathbf{1}\bigl[ |h_{t+\tau}| > \sigma_t \bigr], \qquad \sigma_t = \Bigl( \sum_{\tau=0}^{W-1} w_\tau h_{t+\tau}^2 \Bigr)^{1/2} .
\end{equation}
""",
    source="Abel, Huang, A simple, robust measure of reverberation echo density, 2006",
    output="eta",
    w="3",
    h=lambda r: normal(r, 7),
)
def echo_density(w, h):
    from math import erfc

    out = np.zeros(5)
    for t in range(5):
        s = np.sqrt(sum(w[k] * h[t + k] ** 2 for k in range(3)))
        out[t] = sum(w[k] for k in range(3) if abs(h[t + k]) > s) / erfc(1 / np.sqrt(2))
    return out


@formula(
    r"""
Iterative learning control with learning gains updates the feedforward by
\begin{equation}
u_{t}^{\mathrm{new}} = u_t + \sum_{s=1}^{T} L_{ts} (r_s - y_s), \qquad y_s = \sum_{j=1}^{s} g_{s-j+1} u_j .
\end{equation}
""",
    source="Bristow, Tharayil, Alleyne, A survey of iterative learning control, 2006",
    output="u_new",
    u=lambda r: normal(r, 4),
    L="4 4",
    r="4",
    g="4",
)
def learning_control(u, L, r, g):
    y = [sum(g[s - j] * u[j] for j in range(s + 1)) for s in range(4)]
    return np.array([u[t] + sum(L[t, s] * (r[s] - y[s]) for s in range(4)) for t in range(4)])


@formula(
    r"""
The MPPI weights of rollouts $k$ with costs $S_k$, $\rho = \min_k S_k$, and the updated control are
\begin{align}
w_k &= \frac{1}{\eta} \exp\left( -\frac{1}{\lambda} (S_k - \rho) \right), & \eta &= \sum_{k=1}^{K} \exp\left( -\frac{1}{\lambda} (S_k - \rho) \right), \\
u_t^{+} &= u_t + \sum_{k=1}^{K} w_k\, \epsilon_{t}^{k} .
\end{align}
""",
    source="Williams et al., Information theoretic MPC, 2017",
    leaves_open="a power or an index above",
    S="3",
)
def path_integral_control_again(S):
    return S


@formula(
    r"""
The manipulability-free redundancy term is $\dot{q} = J^\dagger \dot{x}$. The pose-graph cost over edges weighted by $\Omega$ is
\begin{equation}
F(x) = \sum_{i,j} A_{ij} \sum_{a,b} e_{ija}\, \Omega_{ab}\, e_{ijb}, \qquad e_{ija} = z_{ija} - (x_{ja} - x_{ia}) .
\end{equation}
""",
    source="Grisetti et al., A tutorial on graph-based SLAM, 2010, equation 4",
    output="F",
    A="3 3",
    Omega="2 2",
    z=lambda r: normal(r, 3, 3, 2),
    x=lambda r: normal(r, 3, 2),
)
def pose_graph_cost(A, Omega, z, x):
    out = 0.0
    for i in range(3):
        for j in range(3):
            e = z[i, j] - (x[j] - x[i])
            out += A[i, j] * (e @ Omega @ e)
    return out


@formula(
    r"""
Given allele frequencies $p_{ls}$ of locus $l$ in population $s$, the fixation index is
\begin{equation}
F_{ST} = \frac{\sum_{l=1}^{L} (H_{T,l} - H_{S,l})}{\sum_{l=1}^{L} H_{T,l}},\quad H_{T,l} = 2 \bar{p}_l (1 - \bar{p}_l), \quad H_{S,l} = \frac{1}{S} \sum_{s=1}^{S} 2 p_{ls} (1 - p_{ls}), \quad \bar{p}_l = \frac{1}{S} \sum_{s=1}^{S} p_{ls} .
\end{equation}
""",
    source="Nei, Analysis of gene diversity in subdivided populations, 1973",
    output="F_ST",
    p=lambda r: r.uniform(0.1, 0.9, (4, 3)),
)
def fixation_index_again(p):
    num = den = 0.0
    for row in p:
        m = row.mean()
        ht = 2 * m * (1 - m)
        hs = sum(2 * q * (1 - q) for q in row) / 3
        num += ht - hs
        den += ht
    return num / den


@formula(
    r"""
The linkage disequilibrium of loci $a$ and $b$ over $n$ haplotypes $h_{ia} \in \{0, 1\}$ is measured by
\begin{equation}
r^2_{ab} = \frac{\left( p_{ab} - p_a p_b \right)^2}{p_a (1 - p_a)\, p_b (1 - p_b)}, \qquad p_{ab} = \frac{1}{n} \sum_{i=1}^{n} h_{ia} h_{ib} .
\end{equation}
""",
    source="Hill, Robertson, Linkage disequilibrium in finite populations, 1968",
    leaves_open="the marginal frequencies",
    h="4 3",
)
def linkage(h):
    return h


@formula(
    r"""
The Gram matrix of the weighted $k$-mer spectrum kernel and its normalised form are
\begin{equation}
K_{xy} = \sum_{k=1}^{d} \sum_{u} w_k\, \phi_{xku}\, \phi_{yku}, \qquad \tilde{K}_{xy} = \frac{K_{xy}}{\sqrt{K_{xx} K_{yy}}}
\end{equation}
""",
    source="Leslie, Eskin, Noble, The spectrum kernel, 2002",
    output="K_tilde",
    w="2",
    phi="3 2 4",
)
def spectrum_kernel(w, phi):
    K = np.zeros((3, 3))
    for x in range(3):
        for y in range(3):
            for k in range(2):
                for u in range(4):
                    K[x, y] += w[k] * phi[x, k, u] * phi[y, k, u]
    return np.array([[K[x, y] / np.sqrt(K[x, x] * K[y, y]) for y in range(3)] for x in range(3)])


@formula(
    r"""
The Ornstein--Uhlenbeck covariance of traits at tips $i$ and $j$ with shared time $t_{ij}$ and depth $T$ is
\begin{equation}
V_{ij} = \frac{\sigma^2}{2 \alpha} e^{-2 \alpha (T - t_{ij})} \left( 1 - e^{-2 \alpha t_{ij}} \right)
\end{equation}
""",
    source="Butler, King, Phylogenetic comparative analysis, 2004, equation A7",
    sigma="",
    alpha="",
    T=lambda r: 2.0,
    t="3 3",
)
def tip_covariance(sigma, alpha, T, t):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = sigma**2 / (2 * alpha) * np.exp(-2 * alpha * (T - t[i, j]))
            out[i, j] *= 1 - np.exp(-2 * alpha * t[i, j])
    return out


@formula(
    r"""
The expected number in an $M/M/c$ system follows from the Erlang C probability of $c$ servers with offered load $a$,
\begin{equation}
P_W = \frac{\frac{a^c}{c!} \frac{c}{c - a}}{\sum_{k=0}^{c-1} \frac{a^k}{k!} + \frac{a^c}{c!} \frac{c}{c - a}} .
\end{equation}
""",
    source="Kleinrock, Queueing systems, 1975, equation 3.40",
    output="P_W",
    shapes=("size c", "input a[]"),
    sizes={"c": 4},
    a=lambda r: 2.5,
)
def erlang_c(a):
    from math import factorial

    tail = a**4 / factorial(4) * 4 / (4 - a)
    return tail / (sum(a**k / factorial(k) for k in range(4)) + tail)


@formula(
    r"""
In the newsvendor problem with scenarios $s$ of probability $p_s$ and demand $d_{sj}$ of product $j$, the expected profit is
\begin{equation}
\Pi(q) = \sum_{s=1}^{S} p_s \sum_{j=1}^{J} \left[ r_j \min(q_j, d_{sj}) + v_j (q_j - d_{sj})^+ - c_j q_j \right] .
\end{equation}
""",
    source="Birge, Louveaux, Introduction to stochastic programming, 1997, section 1.1",
    output="Pi",
    p="3",
    r="2",
    q="2",
    d="3 2",
    v="2",
    c="2",
)
def newsvendor_profit(p, r, q, d, v, c):
    out = 0.0
    for s in range(3):
        for j in range(2):
            out += p[s] * (r[j] * min(q[j], d[s, j]) + v[j] * max(q[j] - d[s, j], 0) - c[j] * q[j])
    return out


@formula(
    r"""
For the stabiliser-like Pauli expansion with real coefficients $h_{ij}$, the transverse-field Ising energy of a spin configuration $s$ is
\begin{equation}
E(s) = -\sum_{i<j} J_{ij} s_i s_j - \sum_{i=1}^{N} h_i s_i, \qquad m = \frac{1}{N} \sum_{i=1}^{N} s_i
\end{equation}
""",
    source="Lucas, Ising formulations of many NP problems, 2014, equation 1",
    output="E",
    J="4 4",
    s=lambda r: np.sign(normal(r, 4)),
    h="4",
)
def spin_energy(J, s, h):
    out = 0.0
    for i in range(4):
        out -= h[i] * s[i]
        for j in range(i + 1, 4):
            out -= J[i, j] * s[i] * s[j]
    return out


@formula(
    r"""
A matrix product state of three real tensors has the amplitudes
\begin{equation}
\psi_{s_1 s_2 s_3} = \sum_{a=1}^{\chi} \sum_{b=1}^{\chi} A^{[1]}_{s_1 a} A^{[2]}_{a s_2 b} A^{[3]}_{b s_3}
\end{equation}
""",
    source="Schollwoeck, The density-matrix renormalization group in the age of matrix product states, 2011, equation 37",
    output="psi",
    shapes=("input A^{[1]}[d, chi], A^{[2]}[chi, d, chi], A^{[3]}[chi, d]",),
    A_1="2 3",
    A_2="3 2 3",
    A_3="3 2",
)
def product_state(A_1, A_2, A_3):
    out = np.zeros((2, 2, 2))
    for i in range(2):
        for j in range(2):
            for k in range(2):
                for a in range(3):
                    for b in range(3):
                        out[i, j, k] += A_1[i, a] * A_2[a, j, b] * A_3[b, k]
    return out


@formula(
    r"""
Isopycnal thickness diffusion changes layer $k$ at column $i$ by
\begin{equation}
\Delta h_{i,k} = \frac{\Delta t}{\Delta x} \left( F_{i-\frac12,k} - F_{i+\frac12,k} \right),
\end{equation}
with $F_{i+\frac12,k} = -\kappa\, (h_{i+1,k} - h_{i,k}) / \Delta x$, $i = 2, \dots, n-1$.
""",
    source="Gent, McWilliams, Isopycnal mixing in ocean circulation models, 1990; in one direction",
    leaves_open="where the fluxes begin",
    h="5 2",
)
def thickness_diffusion(h):
    return h


@formula(
    r"""
The Taylor skill of model $m$ against observations, with area weights $w_i$, is
\begin{equation}
S_m = \frac{4 (1 + R_m)}{\left( \hat{\sigma}_m + 1/\hat{\sigma}_m \right)^2 (1 + R_0)}, \qquad R_m = \frac{\sum_i w_i f_{mi} o_i}{\sqrt{\sum_i w_i f_{mi}^2} \sqrt{\sum_i w_i o_i^2}}
\end{equation}
""",
    source="Taylor, Summarizing multiple aspects of model performance in a single diagram, 2001, equation 4",
    output="S",
    shapes=("input sigma_hat[M], R_0[], w[N], f[M, N], o[N]",),
    sigma_hat="3",
    R_0="",
    w="4",
    f=lambda r: normal(r, 3, 4),
    o=lambda r: normal(r, 4),
)
def taylor_skill(sigma_hat, R_0, w, f, o):
    out = np.zeros(3)
    for m in range(3):
        a = sum(w[i] * f[m, i] * o[i] for i in range(4))
        b = sum(w[i] * f[m, i] ** 2 for i in range(4))
        c = sum(w[i] * o[i] ** 2 for i in range(4))
        R = a / np.sqrt(b * c)
        out[m] = 4 * (1 + R) / ((sigma_hat[m] + 1 / sigma_hat[m]) ** 2 * (1 + R_0))
    return out


@formula(
    r"""
Katz centrality truncated after $L$ walks, $x_i = \sum_{l=1}^{L} \alpha^l (A^l \mathbf{1})_i$, is compared with the rich-club coefficient
\begin{equation}
\phi_k = \frac{\sum_{i} \sum_{j} A_{ij}\, \mathbb{1}[d_i > k]\, \mathbb{1}[d_j > k]}{N_k (N_k - 1)}, \qquad N_k = \sum_i \mathbb{1}[d_i > k], \quad k = 0, \dots, K - 1 .
\end{equation}
""",
    source="Zhou, Mondragon, The rich-club phenomenon in the internet topology, 2004",
    output="phi",
    sizes={"K": 2},
    A="5 5",
    d=lambda r: np.array([1.0, 2, 3, 2, 4]),
)
def rich_club(A, d):
    out = np.zeros(2)
    for k in range(2):
        n = sum(x > k for x in d)
        out[k] = sum(A[i, j] for i in range(5) for j in range(5) if d[i] > k and d[j] > k) / (
            n * (n - 1)
        )
    return out


@formula(
    r"""
The stochastic block model with affinity $\omega_{rs}$ and memberships $q_{ir}$ has the variational bound
\begin{equation}
\mathcal{F} = \frac{1}{2} \sum_{i \neq j} \sum_{r,s} q_{ir} q_{js} \left( A_{ij} \ln \omega_{rs} - \omega_{rs} \right) - \sum_{i,r} q_{ir} \ln \frac{q_{ir}}{\pi_r}
\end{equation}
""",
    source="Daudin, Picard, Robin, A mixture model for random graphs, 2008; Poisson edges",
    A="4 4",
    omega="2 2",
    q="4 2",
    pi="2",
)
def block_model_bound(A, omega, q, pi):
    out = 0.0
    for i in range(4):
        for r in range(2):
            out -= q[i, r] * np.log(q[i, r] / pi[r])
            for j in range(4):
                for s in range(2):
                    if i != j:
                        out += (
                            0.5 * q[i, r] * q[j, s] * (A[i, j] * np.log(omega[r, s]) - omega[r, s])
                        )
    return out
