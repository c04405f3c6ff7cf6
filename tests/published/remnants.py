"""Formulas as papers on elements, shocks, solutions, populations, tests, boxes, clouds of points and portfolios print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\begin{align}
\omega_k &= \frac{\alpha_k}{\alpha_0 + \alpha_1 + \alpha_2}, \qquad \alpha_k = \frac{d_k}{(\epsilon + \beta_k)^2}, \qquad k = 0, 1, 2,
\end{align}
with the optimal weights $d_0 = 3/10$, $d_1 = 3/5$ and $d_2 = 1/10$.
""",
    source="Jiang, Shu, Efficient implementation of weighted ENO schemes, 1996; weights",
    epsilon="",
    beta="3",
    leaves_open="numbers of a vector in the prose",
)
def weights_of_stencils(epsilon, beta):
    a = np.array([0.3, 0.6, 0.1]) / (epsilon + beta) ** 2
    return a / a.sum()


@formula(
    r"""
The smoothness indicator of the central substencil is
\begin{equation}
\beta_{1,i} = \tfrac{13}{12} \left( f_{i-1} - 2 f_i + f_{i+1} \right)^2 + \tfrac{1}{4} \left( f_{i-1} - f_{i+1} \right)^2, \qquad i = 2, \dots, N-1 .
\end{equation}
""",
    source="Jiang, Shu, Efficient implementation of weighted ENO schemes, 1996, equation 3.3",
    shapes=("input f[N]",),
    f=lambda r: normal(r, 6),
)
def central_smoothness(f):
    out = np.zeros(4)
    for i in range(1, 5):
        a = f[i - 1] - 2 * f[i] + f[i + 1]
        out[i - 1] = 13 / 12 * a**2 + (f[i - 1] - f[i + 1]) ** 2 / 4
    return out


@formula(
    r"""
For isoparametric elements, the entries of the stiffness matrix are integrated numerically as
\begin{equation}
k_{ab} = \sum_{q=1}^{n_{\rm qp}} w_q \, J_q \sum_{i=1}^{d} \kappa \, \frac{\partial N_a}{\partial x_i}\bigg|_q \frac{\partial N_b}{\partial x_i}\bigg|_q
\end{equation}
""",
    source="Hughes, The finite element method, 2000, section 3.8",
    leaves_open="derivatives at points of quadrature",
    w="3",
)
def quadrature_stiffness(w):
    return w


@formula(
    r"""
The Debye scattering equation reads
\begin{equation}
I(q_m) = \sum_{i=1}^{N}\sum_{j=1}^{N} b_i\, b_j \, \frac{\sin (q_m r_{ij})}{q_m r_{ij}}, \quad r_{ij} = \lVert \mathbf{R}_i - \mathbf{R}_j \rVert + \eta
\end{equation}
where $\mathbf{R}_i \in \mathbb{R}^3$ and $\eta$ avoids the division by zero.
""",
    source="Debye, 1915; as software for powder diffraction documents it",
    output="I",
    b="3",
    q="4",
    R=lambda r: normal(r, 3, 3),
    eta="",
)
def debye_sum(b, q, R, eta):
    out = np.zeros(4)
    for m, i, j in np.ndindex(4, 3, 3):
        x = q[m] * (np.sqrt(((R[i] - R[j]) ** 2).sum()) + eta)
        out[m] += b[i] * b[j] * np.sin(x) / x
    return out


@formula(
    r"""
The pressure of the fluid is obtained from the virial theorem
\begin{equation}
P = \frac{N k_B T}{V} + \frac{1}{3V} \left\langle \sum_{i=1}^{N-1} \sum_{j>i}^{N} \mathbf{r}_{ij} \cdot \mathbf{f}_{ij} \right\rangle
\end{equation}
""",
    source="Allen, Tildesley, Computer simulation of liquids, 1987, equation 2.57",
    leaves_open="an average over an ensemble",
    r="3",
)
def virial_pressure_here(r):
    return r


@formula(
    r"""
\begin{equation}
E_{\rm el} = \sum_{pq}^{M} h_{pq} \gamma_{pq} + \frac{1}{2}\sum_{pqrs}^{M} g_{pqrs} \Gamma_{pqrs}
\end{equation}
""",
    source="Helgaker, Jorgensen, Olsen, Molecular electronic-structure theory, 2000, equation 1.7.7",
    h=lambda r: normal(r, 2, 2),
    gamma=lambda r: normal(r, 2, 2),
    g=lambda r: normal(r, 2, 2, 2, 2),
    Gamma=lambda r: normal(r, 2, 2, 2, 2),
)
def reduced_density_energy(h, gamma, g, Gamma):
    out = 0.0
    for p, q in np.ndindex(2, 2):
        out += h[p, q] * gamma[p, q]
        for r, s in np.ndindex(2, 2):
            out += g[p, q, r, s] * Gamma[p, q, r, s] / 2
    return out


@formula(
    r"""
\begin{equation}
E(V) = E_0 + \frac{9V_0B_0}{16} \left\{ \left[\left(\frac{V_0}{V}\right)^{\frac{2}{3}}-1\right]^3 B_0' + \left[\left(\frac{V_0}{V}\right)^{\frac{2}{3}} - 1\right]^2 \left[6-4\left(\frac{V_0}{V}\right)^{\frac{2}{3}}\right]\right\}
\end{equation}
""",
    source="Birch, Finite elastic strain of cubic crystals, 1947; as an encyclopedia prints the equation",
    E_0="",
    V_0="",
    B_0="",
    V="",
    B_prime_0="",
    shapes=("input E_0[], V_0[], B_0[], V[], B_prime_0[]",),
)
def birch_murnaghan(E_0, V_0, B_0, V, B_prime_0):
    x = (V_0 / V) ** (2 / 3)
    return E_0 + 9 * V_0 * B_0 / 16 * ((x - 1) ** 3 * B_prime_0 + (x - 1) ** 2 * (6 - 4 * x))


@formula(
    r"""
The multi-group model with contact matrix $\beta_{ij}$ has the rates
\begin{align}
\frac{\mathrm{d}S_i}{\mathrm{d}t} &= -S_i \sum_{j=1}^{n} \beta_{ij} \frac{I_j}{N_j}, \nonumber\\
\frac{\mathrm{d}I_i}{\mathrm{d}t} &= S_i \sum_{j=1}^n \beta_{ij} \frac{I_j}{N_j} - \gamma I_i . \nonumber
\end{align}
""",
    source="Brauer, Castillo-Chavez, Feng, Mathematical models in epidemiology, 2019, section 5.3",
    output="dI_dt",
    S="3",
    beta="3 3",
    I="3",
    N="3",
    gamma="",
)
def groups_of_infected(S, beta, I, N, gamma):
    return S * (beta @ (I / N)) - gamma * I


@formula(
    r"""
$$D_P = 2 \sum_{i=1}^n \left[ y_i \log\left(\frac{y_i}{\hat\mu_i}\right) - (y_i - \hat\mu_i) \right]$$
where $\hat\mu_i = \exp\{\hat\beta_0 + \sum_{j=1}^{p} x_{ij}\hat\beta_j\}$.
""",
    source="McCullagh, Nelder, Generalized linear models, 1989, section 6.1; as lectures print it",
    shapes=("base 1", "input y[n], beta_hat_0[], x[n, p], beta_hat[p]"),
    output="D_P",
    y="4",
    beta_hat_0="",
    x=lambda r: normal(r, 4, 2),
    beta_hat=lambda r: normal(r, 2),
)
def deviance_of_counts(y, beta_hat_0, x, beta_hat):
    m = np.exp(beta_hat_0 + x @ beta_hat)
    return 2 * (y * np.log(y / m) - (y - m)).sum()


@formula(
    r"""
\begin{equation}
\widehat{\mathrm{AUC}} = \frac{1}{n_0 n_1}\sum_{i=1}^{n_1}\sum_{j=1}^{n_0} \left( \mathbb{I}\{s_i^{+} > s_j^{-}\} + \tfrac12 \mathbb{I}\{ s_i^{+} = s_j^{-} \} \right)
\end{equation}
""",
    source="Hanley, McNeil, The meaning and use of the area under a receiver operating characteristic curve, 1982",
    s_plus="3",
    s_minus="4",
)
def area_by_pairs(s_plus, s_minus):
    return np.mean([[float(a > b) for b in s_minus] for a in s_plus])


@formula(
    r"""
The Davies--Bouldin index of $k$ clusters with scatter $S_i$ and centroids $A_i \in \mathbb{R}^n$ is
\begin{equation}
\mathrm{DB} \equiv \frac{1}{k} \sum_{i=1}^{k} D_i, \qquad D_i \equiv \max_{j \neq i} R_{i,j}, \qquad R_{i,j} = \frac{S_i + S_j}{M_{i,j}}, \qquad M_{i,j} = \left\|A_i - A_j\right\|_2 .
\end{equation}
""",
    source="Davies, Bouldin, A cluster separation measure, 1979; as an encyclopedia prints it",
    output="DB",
    S="3",
    A=lambda r: normal(r, 3, 2),
)
def separation_index(S, A):
    out = 0.0
    for i in range(3):
        best = -np.inf
        for j in range(3):
            if j != i:
                m = np.sqrt(((A[i] - A[j]) ** 2).sum())
                best = max(best, (S[i] + S[j]) / m)
        out += best / 3
    return out


@formula(
    r"""
Kendall's coefficient is explicitly
\begin{equation}
\tau = \frac{2}{n(n-1)} \sum_{i<j} \operatorname{sgn}(x_i - x_j)\operatorname{sgn}(y_i-y_j).
\end{equation}
""",
    source="Kendall, A new measure of rank correlation, 1938; as an encyclopedia prints it",
    shapes=("input x[n], y[n]",),
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def rank_correlation_of_pairs(x, y):
    out = 0.0
    for i in range(5):
        for j in range(i + 1, 5):
            out += np.sign(x[i] - x[j]) * np.sign(y[i] - y[j])
    return 2 * out / 20


@formula(
    r"""
The minimisation of CVaR over scenarios $y_1, \dots, y_q$ uses the function
\begin{equation}
\tilde F_\beta(\mathbf{x}, \alpha) = \alpha + \frac{1}{q(1-\beta)} \sum_{k=1}^{q} \left[ -\mathbf{x}^T \mathbf{y}_k - \alpha \right]^+ .
\end{equation}
""",
    source="Rockafellar, Uryasev, Optimization of conditional value-at-risk, 2000, equation 17",
    shapes=(r"$\mathbf{x}, \mathbf{y}_k \in \mathbb{R}^n$",),
    x=lambda r: normal(r, 3),
    alpha="",
    beta=lambda r: 0.9,
    y=lambda r: normal(r, 5, 3),
)
def tail_risk(x, alpha, beta, y):
    return alpha + np.maximum(-(y @ x) - alpha, 0).sum() / (5 * (1 - beta))


@formula(
    r"""
\begin{equation}
\kappa_0(u) = \frac{1}{\pi} \left(\pi - \arccos(u)\right), \qquad \kappa_1(u) = \frac{1}{\pi}\left(u\left(\pi - \arccos(u)\right) + \sqrt{1 - u^2} \right)
\end{equation}
and the kernel of two layers is
\begin{equation}
K_{ij} = \|x_i\| \|x_j\| \left( u_{ij} \kappa_0(u_{ij}) + \kappa_1(u_{ij}) \right), \quad u_{ij} = \frac{0.9\, x_i^\top x_j}{\|x_i\|\|x_j\|}, \quad x_i \in \mathbb{R}^d
\end{equation}
""",
    source="Bietti, Mairal, On the inductive bias of neural tangent kernels, 2019, equations 3 to 5, shrunk a little",
    output="K",
    x=lambda r: normal(r, 3, 2),
)
def tangent_kernel(x):
    out = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        m = np.sqrt(x[i] @ x[i]) * np.sqrt(x[j] @ x[j])
        u = 0.9 * x[i] @ x[j] / m
        a = np.pi - np.arccos(u)
        out[i, j] = m * (u * a / np.pi + (u * a + np.sqrt(1 - u**2)) / np.pi)
    return out


@formula(
    r"""
The kernel point convolution of features $f_i$ in a ball is
\begin{equation}
(\mathcal{F} * g)_o = \sum_{i=1}^{N} \sum_{k=1}^{K} \max\left( 0, 1 - \frac{\lVert y_i - \widetilde{x}_k \rVert}{\sigma} \right) \sum_{c=1}^{C} W_{kco} f_{ic}
\end{equation}
with $y_i, \widetilde{x}_k \in \mathbb{R}^3$.
""",
    source="Thomas et al., KPConv: flexible and deformable convolution for point clouds, 2019, equations 1 to 3",
    leaves_open="a convolution of functions on the left",
    y="3",
)
def kernel_points(y):
    return y


@formula(
    r"""
\begin{equation}
s_i=\left\{\begin{array}{ll}
s_i, & \mathrm{iou}_i < N_t \\
s_i \left(1-\mathrm{iou}_i\right), & \mathrm{iou}_i \geq N_t
\end{array}\right.
\end{equation}
""",
    source="Bodla et al., Soft-NMS: improving object detection with one line of code, 2017",
    leaves_open="an assignment that reads what it sets",
    s="3",
)
def rescored(s):
    return s


@formula(
    r"""
The perceptual distance averages spatially and sums channel-wise over layers:
\begin{equation}
d(x, x_0) = \sum_{l=1}^{L} \frac{1}{HW} \sum_{h,w} \| w_l \odot ( \hat{y}^l_{hw} - \hat{y}^l_{0hw} ) \|_2^2
\end{equation}
""",
    source="Zhang et al., The unreasonable effectiveness of deep features as a perceptual metric, 2018, equation 1",
    leaves_open="layers above and a 0 among subscripts",
    w="3",
)
def perceptual_distance_here(w):
    return w


@formula(
    r"""
The loss in both directions over a batch of $N$ pairs of image and text embeddings is
\begin{equation}
\mathcal{L} = -\frac{1}{2N} \sum_{i=1}^{N} \left( \log \frac{e^{u_i \cdot v_i / \tau}}{\sum_{j=1}^{N} e^{u_i \cdot v_j/\tau}} + \log \frac{e^{u_i\cdot v_i/\tau}}{\sum_{j=1}^{N} e^{u_j \cdot v_i/\tau}} \right), \qquad u_i, v_i \in \mathbb{R}^{d}.
\end{equation}
""",
    source="Radford et al., Learning transferable visual models from natural language supervision, 2021, as papers print the loss",
    u=lambda r: normal(r, 3, 2),
    tau="",
    v=lambda r: normal(r, 3, 2),
)
def both_directions(u, tau, v):
    s = np.exp(u @ v.T / tau)
    out = 0.0
    for i in range(3):
        out += np.log(s[i, i] / s[i].sum()) + np.log(s[i, i] / s[:, i].sum())
    return -out / 6


@formula(
    r"""
\begin{equation}
R_{lcs} = \frac{LCS}{m}, \quad P_{lcs} = \frac{LCS}{n}, \quad F_{lcs} = \frac{(1+\beta^2)R_{lcs}P_{lcs}}{R_{lcs}+\beta^2 P_{lcs}}
\end{equation}
""",
    source="Lin, ROUGE: a package for automatic evaluation of summaries, 2004, equations 2 to 4",
    shapes=("input LCS[], m[], n[], beta[]",),
    output="F_lcs",
    LCS="",
    m="",
    n="",
    beta="",
)
def subsequence_measure(LCS, m, n, beta):
    r, p = LCS / m, LCS / n
    return (1 + beta**2) * r * p / (r + beta**2 * p)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{LDAM}} = -\frac{1}{N}\sum_{i=1}^{N} \log \frac{e^{z_{i y_i} - \Delta_{y_i}}}{e^{z_{i y_i} - \Delta_{y_i}} + \sum_{j \neq y_i} e^{z_{ij}}}, \qquad \text{where } \Delta_j = \frac{C}{n_j^{1/4}} \text{ for } j \in \{1, \dots, k\}
\end{equation}
""",
    source="Cao et al., Learning imbalanced datasets with label-distribution-aware margin loss, 2019, equation 13",
    output="L_LDAM",
    z=lambda r: normal(r, 3, 4),
    y=lambda r: np.array([1, 4, 2]),
    C="",
    n="4",
    shapes=("input z[N, k], y[N]: index, C[], n[k]",),
)
def margins_of_rare_classes(z, y, C, n):
    d = C / n**0.25
    out = 0.0
    for i in range(3):
        c = y[i] - 1
        top = np.exp(z[i, c] - d[c])
        rest = sum(np.exp(z[i, j]) for j in range(4) if j != c)
        out -= np.log(top / (top + rest)) / 3
    return out


@formula(
    r"""
The pseudo-spectral derivative at $x_j = 2\pi j/N$ for odd $N$ is $u'_i = \sum_j D_{ij} u_j$ where
\begin{equation}
D_{ij} = \begin{cases} \tfrac{1}{2} (-1)^{i-j} \csc\left( \tfrac{(i-j)h}{2} \right), & i \neq j, \\ 0, & i = j, \end{cases} \qquad i, j = 1, \dots, N
\end{equation}
with the spacing $h$.
""",
    source="Trefethen, Spectral methods in Matlab, 2000, chapter 3, for odd numbers of points",
    output="D",
    shapes=("size N",),
    sizes={"N": 5},
    h="",
)
def fourier_differences(h):
    out = np.zeros((5, 5))
    for i, j in np.ndindex(5, 5):
        if i != j:
            out[i, j] = 0.5 * (-1.0) ** (i - j) / np.sin((i - j) * h / 2)
    return out


@formula(
    r"""
\begin{equation}
\frac{1}{T_{pq}} = \sum_{k=1}^{K} \frac{a_k}{(t_p - t_q)^2 + b_k^2}, \qquad R_{pq} = \frac{1}{T_{pq}} \exp\Big[-\Big(\frac{|t_p - t_q|}{\ell}\Big)^{\nu}\,\Big]
\end{equation}
where $\ell$ is a length scale and $\nu\in(0,2]$.
""",
    source="powered exponentials as papers on Gaussian processes print them, beside rates as papers on relaxation do",
    output="R",
    a="2",
    t=lambda r: normal(r, 3),
    b="2",
    ell="",
    nu="",
    shapes=("input a[K], t[P], b[K], ell[], nu[]",),
)
def powered_rates(a, t, b, ell, nu):
    out = np.zeros((3, 3))
    for p, q in np.ndindex(3, 3):
        d = t[p] - t[q]
        s = sum(a[k] / (d**2 + b[k] ** 2) for k in range(2))
        out[p, q] = s * np.exp(-((abs(d) / ell) ** nu))
    return out


@formula(
    r"""
A Tsallis-regularised policy over actions $a$ has the soft value
\begin{equation}
V = \alpha \log \sum_{a \in \mathcal{A}} \exp\left(\frac{Q_a}{\alpha}\right), \qquad \pi_a = \exp\left(\frac{Q_a - V}{\alpha}\right)
\end{equation}
""",
    source="Haarnoja et al., Soft actor-critic, 2018, in one state",
    output="pi",
    shapes=("input Q[A], alpha[]",),
    Q=lambda r: normal(r, 4),
    alpha="",
)
def policy_of_soft_values(Q, alpha):
    e = np.exp(Q / alpha)
    return e / e.sum()


@formula(
    r"""
The isotropic part of the anharmonic force field couples modes through
\begin{equation}
V = \frac12 \sum_r \omega_r q_r^2 + \frac{1}{3!}\sum_{rst} \phi_{rst}\, q_r q_s q_t + \frac{1}{4!} \sum_{rstu} \phi_{rstu}\, q_r q_s q_t q_u
\end{equation}
""",
    source="Nielsen, The vibration-rotation energies of molecules, 1951; as papers on VPT2 print it",
    leaves_open="one letter for two tensors",
    omega="3",
)
def quartic_force_field(omega):
    return omega


@formula(
    r"""
\begin{equation}
a_j(\mathbf{x}) = c_j \prod_{i=1}^{N} \binom{x_i}{\nu_{ij}}
\end{equation}
where $\nu_{ij}$ is the number of molecules of species $i$ that reaction $j$ consumes.
""",
    source="Gillespie, Exact stochastic simulation of coupled chemical reactions, 1977",
    leaves_open="binomials of data",
    c="3",
)
def propensities(c):
    return c


@formula(
    r"""
Let $X=[x_1,\dots,x_n]^\top\in\mathbb{R}^{n\times p}$. The leverage scores and the ridge-smoothed fit for given inverse $G \in \mathbb{R}^{p\times p}$ are
\begin{equation}
h_{i} = x_i^\top G x_i, \qquad \hat{y} = X G X^\top y .
\end{equation}
""",
    source="Drineas et al., Fast approximation of matrix coherence and statistical leverage, 2012",
    output="h",
    shapes=(r"$y \in \mathbb{R}^{n}$",),
    X=lambda r: normal(r, 4, 2),
    G=lambda r: normal(r, 2, 2),
    y=lambda r: normal(r, 4),
    leaves_open="rows of a matrix with a small letter",
)
def leverage(X, G, y):
    return np.einsum("ia,ab,ib->i", X, G, X)
