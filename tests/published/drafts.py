"""Formulas that are read as they stand, from drafts on stars, ore, images, sound, robots, genes, plans, qubits, climate and networks."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The Lomb--Scargle periodogram of samples $h_j$ at times $t_j$ with mean $\bar h$ is
\begin{equation}
P_k = \frac{1}{2 \sigma^2} \left\{ \frac{\bigl[ \sum_{j=1}^{N} (h_j - \bar{h}) \cos \omega_k (t_j - \tau) \bigr]^2}{\sum_{j=1}^{N} \cos^2 \omega_k (t_j - \tau)} + \frac{\bigl[ \sum_{j=1}^{N} (h_j - \bar{h}) \sin \omega_k (t_j - \tau) \bigr]^2}{\sum_{j=1}^{N} \sin^2 \omega_k (t_j - \tau)} \right\} .
\end{equation}
""",
    source="Scargle, Studies in astronomical time series analysis II, 1982, equation 10; one offset",
    output="P",
    sigma="",
    h="5",
    omega="3",
    t=lambda r: normal(r, 5),
    tau="",
)
def lomb_scargle_again(sigma, h, omega, t, tau):
    out = np.zeros(3)
    for k in range(3):
        c = s = cc = ss = 0.0
        for j in range(5):
            a = omega[k] * (t[j] - tau)
            c += (h[j] - h.mean()) * np.cos(a)
            s += (h[j] - h.mean()) * np.sin(a)
            cc += np.cos(a) ** 2
            ss += np.sin(a) ** 2
        out[k] = (c**2 / cc + s**2 / ss) / (2 * sigma**2)
    return out


@formula(
    r"""
The experimental cross-variogram of two regionalised variables over the $N$ pairs at lag $h$ is
\begin{equation}
\hat{\gamma}_{uv}(h) = \frac{1}{2N} \sum_{i=1}^{N} \bigl( z_u(x_i) - z_u(x_i + h) \bigr) \bigl( z_v(x_i) - z_v(x_i + h) \bigr)
\end{equation}
""",
    source="Goovaerts, Geostatistics for natural resources evaluation, 1997, equation 4.31",
    leaves_open="values at points and beside them",
    z="5",
)
def cross_variogram_again(z):
    return z


@formula(
    r"""
Ordinary kriging predicts $\hat{z}_0 = \sum_{i=1}^{n} \lambda_i z_i$ with variance
\begin{equation}
\sigma_{\mathrm{OK}}^2 = 2 \sum_{i=1}^{n} \lambda_i \gamma_{i0} - \sum_{i=1}^{n} \sum_{j=1}^{n} \lambda_i \lambda_j \gamma_{ij} .
\end{equation}
""",
    source="Webster, Oliver, Geostatistics for environmental scientists, 2007, equation 8.8",
    lambda_="3",
    z="3",
    gamma="3 4",
)
def kriging_variance(lambda_, z, gamma):
    out = 0.0
    for i in range(3):
        out += 2 * lambda_[i] * gamma[i, 0]
        for j in range(3):
            out -= lambda_[i] * lambda_[j] * gamma[i, j + 1]
    return out


@formula(
    r"""
A point on a tensor-product B\'ezier patch of degree $(n, m)$ is
\begin{equation}
\mathbf{S}(u, v) = \sum_{i=0}^{n} \sum_{j=0}^{m} B_i^n(u)\, B_j^m(v)\, \mathbf{P}_{ij}
\end{equation}
""",
    source="Piegl, Tiller, The NURBS book, 1997, equation 1.24",
    leaves_open="the Bernstein polynomials",
    P="3 3",
)
def patch_point(P):
    return P


@formula(
    r"""
Linear blend skinning deforms a rest vertex $\mathbf{v}_i \in \mathbb{R}^3$ by bone rotations $R_b \in \mathbb{R}^{3 \times 3}$ and translations $\mathbf{t}_b \in \mathbb{R}^3$,
\begin{equation}
\mathbf{v}_i' = \sum_{b=1}^{B} w_{ib} \left( R_b \mathbf{v}_i + \mathbf{t}_b \right).
\end{equation}
""",
    source="Lewis, Cordner, Fong, Pose space deformation, 2000; in the notation of Jacobson, Skinning course notes, 2014",
    w="4 2",
    R=lambda r: normal(r, 2, 3, 3),
    v=lambda r: normal(r, 4, 3),
    t=lambda r: normal(r, 2, 3),
)
def linear_blend_skinning(w, R, v, t):
    out = np.zeros((4, 3))
    for i in range(4):
        for b in range(2):
            out[i] += w[i, b] * (R[b] @ v[i] + t[b])
    return out


@formula(
    r"""
\begin{equation}
D(\mathbf{h}) = \frac{\alpha^2}{\pi \left( (\mathbf{n} \cdot \mathbf{h})^2 (\alpha^2 - 1) + 1 \right)^2}
\end{equation}
""",
    source="Walter et al., Microfacet models for refraction through rough surfaces, 2007; as printed by Karis, Real shading in Unreal Engine 4, 2013",
    output="D",
    alpha="",
    n=lambda r: normal(r, 3),
    h=lambda r: normal(r, 3),
)
def microfacet_distribution(alpha, n, h):
    c = sum(n[i] * h[i] for i in range(3))
    return alpha**2 / (np.pi * (c**2 * (alpha**2 - 1) + 1) ** 2)


@formula(
    r"""
The spectral centroid and the spectral flux of a magnitude spectrogram $X_t[k]$ are
\begin{align}
\mathrm{SC}_t &= \frac{\sum_{k=0}^{K-1} f_k\, X_t[k]}{\sum_{k=0}^{K-1} X_t[k]}, \\
\mathrm{SF}_t &= \sum_{k=0}^{K-1} \max\bigl( 0, X_t[k] - X_{t-1}[k] \bigr), \qquad t = 1, \dots, T-1 .
\end{align}
""",
    source="Lerch, An introduction to audio content analysis, 2012, section 3.3",
    output="SF",
    f="4",
    X="3 4",
)
def spectral_flux_again(f, X):
    out = np.zeros(2)
    for t in range(1, 3):
        out[t - 1] = sum(max(0, X[t, k] - X[t - 1, k]) for k in range(4))
    return out


@formula(
    r"""
The signal is resynthesised by weighted overlap-free summation of $K$ partials,
\begin{equation}
s[n] = \sum_{k=1}^{K} A_k\, e^{-\alpha_k n T_s} \cos\left( 2\pi f_k n T_s + \varphi_k \right), \qquad n = 0, \dots, N-1.
\end{equation}
""",
    source="Serra, Smith, Spectral modeling synthesis, 1990; decaying partials",
    sizes={"N": 6},
    A="3",
    alpha="3",
    T_s="",
    f="3",
    varphi="3",
    shapes=("input A[K], alpha[K], T_s[], f[K], varphi[K]",),
)
def decaying_partials(A, alpha, T_s, f, varphi):
    out = np.zeros(6)
    for n in range(6):
        for k in range(3):
            out[n] += (
                A[k] * np.exp(-alpha[k] * n * T_s) * np.cos(2 * np.pi * f[k] * n * T_s + varphi[k])
            )
    return out


@formula(
    r"""
The attractive potential and the repulsive potential of $M$ obstacles at distances $d_m$ give
\begin{equation}
U = \frac{1}{2} \xi \sum_{a=1}^{3} (q_a - q_a^{\mathrm{goal}})^2 + \frac{1}{2} \eta \sum_{m=1}^{M} \left( \frac{1}{d_m} - \frac{1}{\rho_0} \right)^2 \mathbb{1}[d_m \le \rho_0]
\end{equation}
""",
    source="Khatib, Real-time obstacle avoidance for manipulators and mobile robots, 1986",
    output="U",
    xi="",
    q="3",
    q_goal="3",
    eta="",
    d="5",
    rho_0=lambda r: 1.0,
)
def artificial_potential(xi, q, q_goal, eta, d, rho_0):
    out = 0.0
    for a in range(3):
        out += 0.5 * xi * (q[a] - q_goal[a]) ** 2
    for m in range(5):
        if d[m] <= rho_0:
            out += 0.5 * eta * (1 / d[m] - 1 / rho_0) ** 2
    return out


@formula(
    r"""
The torque at joint $i$ follows from the inertia, Christoffel symbols and gravity,
\begin{equation}
\tau_i = \sum_{j=1}^{n} M_{ij} \ddot{q}_j + \sum_{j=1}^{n} \sum_{k=1}^{n} \Gamma_{ijk} \dot{q}_j \dot{q}_k + g_i, \quad i = 1, \dots, n.
\end{equation}
""",
    source="Murray, Li, Sastry, A mathematical introduction to robotic manipulation, 1994, equation 4.22",
    M="3 3",
    q_ddot="3",
    Gamma="3 3 3",
    q_dot="3",
    g="3",
)
def joint_torques_again(M, q_ddot, Gamma, q_dot, g):
    out = np.zeros(3)
    for i in range(3):
        out[i] = g[i]
        for j in range(3):
            out[i] += M[i, j] * q_ddot[j]
            for k in range(3):
                out[i] += Gamma[i, j, k] * q_dot[j] * q_dot[k]
    return out


@formula(
    r"""
Felsenstein's pruning computes, at a node with children $l$ and $r$, for each site $s$ and state $x$,
\begin{equation}
L_{sx} = \left( \sum_{y} P^{l}_{xy} L^{l}_{sy} \right) \left( \sum_{y} P^{r}_{xy} L^{r}_{sy} \right)
\end{equation}
""",
    source="Felsenstein, Evolutionary trees from DNA sequences, 1981",
    output="L",
    shapes=("input P^l[X, X], L^l[S, X], P^r[X, X], L^r[S, X]",),
    P_l="4 4",
    L_l="3 4",
    P_r="4 4",
    L_r="3 4",
)
def pruning_step(P_l, L_l, P_r, L_r):
    out = np.zeros((3, 4))
    for s in range(3):
        for x in range(4):
            out[s, x] = sum(P_l[x, y] * L_l[s, y] for y in range(4)) * sum(
                P_r[x, y] * L_r[s, y] for y in range(4)
            )
    return out


@formula(
    r"""
With base frequencies $\pi_i$, the Jukes--Cantor-like TN93 distance matrix uses the neighbour-joining criterion
\begin{equation}
Q_{ij} = (n - 2) d_{ij} - \sum_{k=1}^{n} d_{ik} - \sum_{k=1}^{n} d_{jk} .
\end{equation}
""",
    source="Saitou, Nei, The neighbor-joining method, 1987; Studier, Keppler, 1988",
    d="4 4",
)
def neighbour_joining(d):
    n = 4
    out = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            out[i, j] = (
                (n - 2) * d[i, j] - sum(d[i, k] for k in range(n)) - sum(d[j, k] for k in range(n))
            )
    return out


@formula(
    r"""
The position weight matrix scores a window starting at position $s$ of a one-hot encoded sequence $x$ as
\begin{equation}
S_s = \sum_{j=1}^{w} \sum_{b \in \{A, C, G, T\}} x_{s+j-1,\,b} \log_2 \frac{p_{jb}}{q_b} .
\end{equation}
""",
    source="Stormo, DNA binding sites, 2000",
    output="S",
    shapes=("input x[L, 4], p[w, 4], q[4]",),
    x="7 4",
    p="3 4",
    q="4",
)
def weight_matrix_scores(x, p, q):
    out = np.zeros(5)
    for s in range(5):
        for j in range(3):
            for b in range(4):
                out[s] += x[s + j, b] * np.log2(p[j, b] / q[b])
    return out


@formula(
    r"""
\begin{equation}
\pi_{ij} = \frac{\mathrm{TPM}_{ij}}{\sum_{j'} \mathrm{TPM}_{ij'}}, \qquad \tau_i = \frac{\sum_{j=1}^{T} \left( 1 - \hat{x}_{ij} \right)}{T - 1}, \qquad \hat{x}_{ij} = \frac{\pi_{ij}}{\max_{1 \le k \le T} \pi_{ik}}
\end{equation}
""",
    source="Yanai et al., Genome-wide midrange transcription profiles, 2005",
    output="tau",
    TPM="3 4",
)
def tissue_specificity(TPM):
    out = np.zeros(3)
    for i in range(3):
        p = TPM[i] / TPM[i].sum()
        out[i] = sum(1 - p[j] / p.max() for j in range(4)) / 3
    return out


@formula(
    r"""
The quadratic assignment cost of a (relaxed) permutation matrix $X$ with flows $F$ and distances $D$ is
\begin{equation}
z = \sum_{i=1}^{n} \sum_{j=1}^{n} \sum_{k=1}^{n} \sum_{l=1}^{n} f_{ij}\, d_{kl}\, x_{ik}\, x_{jl} + \sum_{i,k} c_{ik} x_{ik} .
\end{equation}
""",
    source="Koopmans, Beckmann, Assignment problems and the location of economic activities, 1957",
    output="z",
    f="3 3",
    d="3 3",
    x="3 3",
    c="3 3",
)
def quadratic_assignment(f, d, x, c):
    out = 0.0
    for i in range(3):
        for k in range(3):
            out += c[i, k] * x[i, k]
            for j in range(3):
                for m in range(3):
                    out += f[i, j] * d[k, m] * x[i, k] * x[j, m]
    return out


@formula(
    r"""
Entropic transport plans have the marginal violation
\begin{equation}
E = \sum_{i=1}^{n} \Bigl| u_i \sum_{j=1}^{m} e^{-C_{ij}/\varepsilon} v_j - a_i \Bigr|
\end{equation}
""",
    source="Cuturi, Sinkhorn distances, 2013",
    output="E",
    u="3",
    C="3 4",
    epsilon="",
    v="4",
    a="3",
    shapes=("input u[n], C[n, m], varepsilon[], v[m], a[n]",),
)
def marginal_violation(u, C, epsilon, v, a):
    out = 0.0
    for i in range(3):
        out += abs(u[i] * sum(np.exp(-C[i, j] / epsilon) * v[j] for j in range(4)) - a[i])
    return out


@formula(
    r"""
The Lagrangian relaxation of the capacitated facility location problem with multipliers $\lambda_j$ is
\begin{equation}
L(\lambda) = \sum_{i \in I} \sum_{j \in J} (c_{ij} - \lambda_j) x_{ij} + \sum_{i \in I} f_i y_i + \sum_{j \in J} \lambda_j
\end{equation}
""",
    source="Fisher, The Lagrangian relaxation method for solving integer programming problems, 1981",
    output="L",
    shapes=("size I, J",),
    c="2 3",
    lambda_="3",
    x="2 3",
    f="2",
    y="2",
)
def facility_lagrangian(c, lambda_, x, f, y):
    out = 0.0
    for i in range(2):
        out += f[i] * y[i]
        for j in range(3):
            out += (c[i, j] - lambda_[j]) * x[i, j]
    return out + sum(lambda_)


@formula(
    r"""
For real amplitudes, the reduced density matrix of the first subsystem and its purity are
\begin{equation}
\rho^{A}_{ij} = \sum_{k=1}^{d_B} \psi_{ik} \psi_{jk}, \qquad \gamma = \sum_{i,j=1}^{d_A} (\rho^{A}_{ij})^2 .
\end{equation}
""",
    source="Nielsen, Chuang, Quantum computation and quantum information, 2010, section 2.4",
    output="gamma",
    psi=lambda r: normal(r, 3, 2),
)
def purity(psi):
    out = 0.0
    for i in range(3):
        for j in range(3):
            out += sum(psi[i, k] * psi[j, k] for k in range(2)) ** 2
    return out


@formula(
    r"""
The depolarising channel with probability $p$ acts on a density matrix $\rho \in \mathbb{R}^{d \times d}$ as
\begin{equation}
\mathcal{E}(\rho)_{ij} = (1 - p)\, \rho_{ij} + \frac{p}{d}\, \delta_{ij} \sum_{k} \rho_{kk} .
\end{equation}
""",
    source="Wilde, Quantum information theory, 2013, section 4.7.4",
    rho="3 3",
    p="",
)
def depolarising(rho, p):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            out[i, j] = (1 - p) * rho[i, j]
            if i == j:
                out[i, j] += p / 3 * sum(rho[k, k] for k in range(3))
    return out


@formula(
    r"""
In the energy balance model of latitude band $i$ with albedo $\alpha_i$,
\begin{equation}
C \frac{d T_i}{d t} = \frac{S_0}{4} s_i (1 - \alpha_i) - (A + B T_i) - k (T_i - \bar{T}), \qquad \bar{T} = \sum_{i} w_i T_i .
\end{equation}
""",
    source="Budyko, The effect of solar radiation variations on the climate of the Earth, 1969",
    output="dT_dt",
    S_0="",
    s="4",
    alpha="4",
    A="",
    B="",
    k="",
    w="4",
    T="4",
    C="",
)
def energy_balance_again(S_0, s, alpha, A, B, k, w, T, C):
    mean = sum(w[i] * T[i] for i in range(4))
    out = np.zeros(4)
    for i in range(4):
        out[i] = (S_0 / 4 * s[i] * (1 - alpha[i]) - (A + B * T[i]) - k * (T[i] - mean)) / C
    return out


@formula(
    r"""
The two-layer Lorenz '96 tendency has fast variables $Y_{j,k}$ with
\begin{equation}
\frac{dX_k}{dt} = - X_{k-1} (X_{k-2} - X_{k+1}) - X_k + F - \frac{h c}{b} \sum_{j=1}^{J} Y_{j,k}
\end{equation}
with cyclic boundary conditions $X_{k+K} = X_k$.
""",
    source="Lorenz, Predictability: a problem partly solved, 1996, equation 2",
    output="dX_dt",
    shapes=("input X[K], F[], h[], c[], b[], Y[J, K]",),
    X=lambda r: normal(r, 5),
    F="",
    h="",
    c="",
    b="",
    Y=lambda r: normal(r, 2, 5),
)
def coupled_tendency(X, F, h, c, b, Y):
    out = np.zeros(5)
    for k in range(5):
        out[k] = -X[k - 1] * (X[k - 2] - X[(k + 1) % 5]) - X[k] + F
        out[k] -= h * c / b * sum(Y[j, k] for j in range(2))
    return out


@formula(
    r"""
Anomalies are regressed on forcings $F_{tm}$ with impulse responses, giving the temperature
\begin{equation}
T_t = \sum_{m=1}^{M} \sum_{s=0}^{t} F_{sm} \sum_{i=1}^{2} \frac{q_i}{d_i} \, e^{-(t-s)/d_i} .
\end{equation}
""",
    source="Millar et al., A modified impulse-response representation, 2017",
    leaves_open="times from 0 and terms from 1",
    output="T",
    F="5 2",
    q="2",
    d="2",
    shapes=(r"$t = 0, \dots, N-1$",),
)
def impulse_responses(F, q, d):
    out = np.zeros(5)
    for t in range(5):
        for m in range(2):
            for s in range(t + 1):
                for i in range(2):
                    out[t] += F[s, m] * q[i] / d[i] * np.exp(-(t - s) / d[i])
    return out


@formula(
    r"""
The modularity of a soft partition $S$ of a graph with adjacency matrix $A$, degrees $k_i = \sum_j A_{ij}$ and $2m = \sum_i k_i$ is
\begin{equation}
Q = \frac{1}{2m} \sum_{c=1}^{C} \sum_{i,j} \left[ A_{ij} - \frac{k_i k_j}{2m} \right] S_{ic} S_{jc} .
\end{equation}
""",
    source="Newman, Finding community structure in networks using the eigenvectors of matrices, 2006",
    output="Q",
    A="4 4",
    S="4 2",
)
def soft_modularity(A, S):
    k = A.sum(1)
    two_m = k.sum()
    out = 0.0
    for c in range(2):
        for i in range(4):
            for j in range(4):
                out += (A[i, j] - k[i] * k[j] / two_m) * S[i, c] * S[j, c]
    return out / two_m


@formula(
    r"""
The weighted clustering coefficient of vertex $i$ with strength $s_i$ and degree $k_i$ is
\begin{equation}
c_i^w = \frac{1}{s_i (k_i - 1)} \sum_{j, h} \frac{w_{ij} + w_{ih}}{2}\, a_{ij} a_{ih} a_{jh} ,
\end{equation}
where $s_i = \sum_{j} a_{ij} w_{ij}$ and $k_i = \sum_j a_{ij}$.
""",
    source="Barrat et al., The architecture of complex weighted networks, 2004, equation 5",
    w="4 4",
    a="4 4",
)
def weighted_clustering_again(w, a):
    out = np.zeros(4)
    for i in range(4):
        s = sum(a[i, j] * w[i, j] for j in range(4))
        k = sum(a[i, j] for j in range(4))
        for j in range(4):
            for h in range(4):
                out[i] += (w[i, j] + w[i, h]) / 2 * a[i, j] * a[i, h] * a[j, h]
        out[i] /= s * (k - 1)
    return out


@formula(
    r"""
Random walks with restart at seeds $e$ fulfil $\mathbf{r} = (1 - c) W \mathbf{r} + c\, \mathbf{e}$. The bipartite projection with resource allocation has the weights
\begin{equation}
w_{ij} = \frac{1}{k(j)} \sum_{l=1}^{m} \frac{a_{il} a_{jl}}{k(l)},\qquad k(j) = \sum_{l} a_{jl}, \quad k(l) = \sum_i a_{il} .
\end{equation}
""",
    source="Zhou et al., Bipartite network projection and personal recommendation, 2007, equation 6",
    leaves_open="two functions of one letter",
    a="3 4",
)
def resource_allocation(a):
    return a
