"""Formulas as papers on speech, radar, optics, ecology, robots, channels, queues, games, proteins and language print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass[conference]{IEEEtran}
\usepackage{amsmath}
\begin{document}
The scale-invariant SDR is defined as
\begin{equation}
\text{SI-SDR} = 10 \log_{10}\left(\frac{\|\alpha s\|^2}{\|\alpha s - \hat{s}\|^2}\right), \quad \text{for } \alpha = \frac{\hat{s}^T s}{\|s\|^2},
\end{equation}
where $s, \hat{s} \in \mathbb{R}^{T}$.
\end{document}
""",
    source="Le Roux et al., SDR - half-baked or well done?, 2019, equation 5",
    s=lambda r: normal(r, 5),
    s_hat=lambda r: normal(r, 5),
)
def scale_invariant_ratio_here(s, s_hat):
    a = s_hat @ s / (s @ s)
    e = a * s - s_hat
    return 10 * np.log10(a**2 * (s @ s) / (e @ e))


@formula(
    r"""
The sum rate of the downlink with maximum-ratio gains $g_{kj}=|\mathbf{h}_k^{H}\mathbf{w}_j|^2$ is
\begin{equation}
R_{\Sigma} = \sum_{k=1}^{K} \log_2\left(1 + \frac{p_k g_{kk}}{\sigma^2 + \sum_{j=1,\, j\neq k}^{K} p_j g_{kj}}\right) \quad [\text{bit/s/Hz}].
\end{equation}
""",
    source="Bjoernson, Bengtsson, Ottersten, Optimal multiuser transmit beamforming, 2014; rates by gains",
    shapes=("input p[K], g[K, K], sigma[]",),
    p="3",
    g="3 3",
    sigma="",
)
def sum_rate_here(p, g, sigma):
    out = 0.0
    for k in range(3):
        noise = sigma**2 + sum(p[j] * g[k, j] for j in range(3) if j != k)
        out += np.log2(1 + p[k] * g[k, k] / noise)
    return out


@formula(
    r"""
\begin{equation}
\mathrm{NDVI}_{xy} = \frac{\rho^{\mathrm{NIR}}_{xy} - \rho^{\mathrm{red}}_{xy}}{\rho^{\mathrm{NIR}}_{xy} + \rho^{\mathrm{red}}_{xy}}, \qquad
f_{xy} = \left( \frac{\mathrm{NDVI}_{xy} - \mathrm{NDVI}_{s}}{\mathrm{NDVI}_{v} - \mathrm{NDVI}_{s}} \right)^2
\end{equation}
where $\mathrm{NDVI}_s = 0.05$ and $\mathrm{NDVI}_v = 0.95$ are values of bare soil and of full cover.
""",
    source="Carlson, Ripley, On the relation between NDVI and fractional vegetation cover, 1997",
    output="f",
    rho_NIR="2 3",
    rho_red="2 3",
    leaves_open="a word that is a tensor and two numbers",
)
def vegetation_cover(rho_NIR, rho_red):
    n = (rho_NIR - rho_red) / (rho_NIR + rho_red)
    return ((n - 0.05) / 0.9) ** 2


@formula(
    r"""
Rao's quadratic entropy and the mean pairwise distance of a community with relative abundances $p_i$ are
\begin{equation}
Q = \sum_{i=1}^{S}\sum_{j=1}^{S} d_{ij}\, p_i\, p_j, \qquad \mathrm{MPD} = \frac{\sum_{i=1}^{S-1}\sum_{j=i+1}^{S} d_{ij}}{S(S-1)/2}.
\end{equation}
""",
    source="Rao, Diversity and dissimilarity coefficients, 1982; Webb et al., Phylogenies and community ecology, 2002",
    output="MPD",
    d="4 4",
    p="4",
)
def pairwise_distance(d, p):
    return sum(d[i, j] for i in range(4) for j in range(i + 1, 4)) / 6


@formula(
    r"""
With the Jacobian $J \in \mathbb{R}^{6 \times n}$ and the joint weights $W = \operatorname{diag}(w_1, \dots, w_n)$ the kinematic energy and the joint-limit cost are
\begin{align}
E &= \tfrac{1}{2}\, \dot{q}^{\top} J^{\top} J \dot{q} + \tfrac{1}{2}\sum_{i=1}^{n} w_i \dot{q}_i^2, \\
H &= \frac{1}{2n}\sum_{i=1}^{n} \left( \frac{q_i - \bar{q}_i}{q_{iM} - q_{im}} \right)^2 .
\end{align}
""",
    source="Liegeois, Automatic supervisory control of the configuration and behavior of multibody mechanisms, 1977",
    output="H",
    leaves_open="labels M and m beside an index",
    J="6 3",
)
def joint_costs(J):
    return J


@formula(
    r"""
The transfer of thin films is obtained by the sum over layers of the optical path
\begin{equation}
\phi_m = \frac{2\pi}{\lambda_m} \sum_{l=1}^{L} n_{l} d_{l} \cos\theta_l, \qquad R_m = \left|\, r_1 + r_2 \cos(2\phi_m) \,\right|^2 + \left| r_2 \sin (2\phi_m) \right|^2
\end{equation}
""",
    source="Born, Wolf, Principles of optics, 1999, section 1.6; with weak reflections",
    output="R",
    shapes=("input lambda[M], n[L], d[L], theta[L], r_1[], r_2[]",),
    lambda_="3",
    n="2",
    d="2",
    theta="2",
    r_1="",
    r_2="",
)
def weak_reflections(lambda_, n, d, theta, r_1, r_2):
    phi = 2 * np.pi / lambda_ * (n * d * np.cos(theta)).sum()
    return (r_1 + r_2 * np.cos(2 * phi)) ** 2 + (r_2 * np.sin(2 * phi)) ** 2


@formula(
    r"""
\begin{equation}
P_0 = \left[ \sum_{n=0}^{c-1} \frac{(c\rho)^n}{n!} + \frac{(c\rho)^c}{c!} \cdot \frac{1}{1-\rho} \right]^{-1}, \qquad C(c, \lambda/\mu) = \frac{(c\rho)^c}{c!}\frac{1}{1-\rho} P_0
\end{equation}
""",
    source="Erlang, 1917; as an encyclopedia prints the queue with c servers",
    shapes=("size c", "input rho[]"),
    sizes={"c": 3},
    output="C",
    rho=lambda r: 0.6,
)
def idle_servers(rho):
    a, fact, s = 3 * rho, 1, 0.0
    for n in range(3):
        fact = fact * n if n else 1
        s += a**n / fact
    last = a**3 / 6 / (1 - rho)
    return last / (s + last)


@formula(
    r"""
Replicator dynamics with payoff matrix $A \in \mathbb{R}^{n \times n}$ and $x \in \mathbb{R}^n$,
\begin{equation}
\dot{x}_i = x_i \left( (Ax)_i - x^{T} A x \right).
\end{equation}
""",
    source="Taylor, Jonker, Evolutionary stable strategies and game dynamics, 1978",
    A=lambda r: normal(r, 3, 3),
    x="3",
)
def replicator_here(A, x):
    return x * (A @ x - x @ A @ x)


@formula(
    r"""
Logit quantal response equilibria are fixed points of
\begin{equation}
\sigma_{ij} = \frac{\exp(\lambda \bar{u}_{ij})}{\sum_{k=1}^{J_i} \exp(\lambda\bar{u}_{ik})}
\end{equation}
""",
    source="McKelvey, Palfrey, Quantal response equilibria for normal form games, 1995, equation 9",
    leaves_open="numbers of strategies by player",
    u="3",
)
def quantal_response(u):
    return u


@formula(
    r"""
TM-score is
\begin{equation}
\text{TM-score} = \frac{1}{L_N}\sum_{i=1}^{L_T} \frac{1}{1+\left(\frac{d_i}{d_0}\right)^2}, \quad d_0 = 1.24 \sqrt[3]{L_N - 15} - 1.8
\end{equation}
""",
    source="Zhang, Skolnick, Scoring function for automated assessment of protein structure template quality, 2004, equation 1",
    shapes=("size L_T", "input L_N[], d[L_T]"),
    output="TM_score",
    L_N=lambda r: 60.0,
    d="5",
)
def template_score(L_N, d):
    d0 = 1.24 * np.cbrt(L_N - 15) - 1.8
    return (1 / (1 + (d / d0) ** 2)).sum() / L_N


@formula(
    r"""
The coupling strength of two residues is the Frobenius norm of zero-sum couplings, corrected by APC:
\begin{align}
F_{ij} &= \sqrt{\sum_{a=1}^{q}\sum_{b=1}^{q} J_{ij}(a,b)^2}, \\
F^{\mathrm{APC}}_{ij} &= F_{ij} - \frac{\bar{F}_{i\cdot}\bar{F}_{\cdot j}}{\bar{F}_{\cdot\cdot}} .
\end{align}
""",
    source="Ekeberg et al., Improved contact prediction in proteins, 2013, equations 25 and 26",
    output="F_APC",
    J="2 2 3 3",
)
def corrected_couplings(J):
    F = np.sqrt((J**2).sum((2, 3)))
    return F - np.outer(F.mean(1), F.mean(0)) / F.mean()


@formula(
    r"""
The smoothed inverse frequency (SIF) embedding of a sentence with word counts $c_{sw}$ is
\begin{equation}
v_s = \frac{1}{\sum_{w} c_{sw}} \sum_{w=1}^{V} \frac{a}{a + p(w)} c_{sw} v_w
\end{equation}
""",
    source="Arora, Liang, Ma, A simple but tough-to-beat baseline for sentence embeddings, 2017",
    leaves_open="one letter for words and sentences",
    c="2 3",
)
def smoothed_sentences(c):
    return c


@formula(
    r"""
We consider sentences of $T$ words with features $\varphi_{tk}$ and weights $\lambda_k$; the conditional log-likelihood of a linear chain without transitions is
\begin{equation}
\ell(\boldsymbol\lambda) = \sum_{t=1}^{T}\sum_{k=1}^{K} \lambda_{k y_t} \varphi_{tk} - \sum_{t=1}^{T} \log \sum_{y'=1}^{Y} \exp\left\{ \sum_{k=1}^{K} \lambda_{k y'} \varphi_{tk} \right\} - \sum_{k=1}^K\sum_{y'=1}^{Y} \frac{\lambda_{ky'}^2}{2\sigma^2}
\end{equation}
""",
    source="Sutton, McCallum, An introduction to conditional random fields, 2012, equation 5.4 for independent labels",
    shapes=("input lambda[K, Y], y[T]: index, varphi[T, K], sigma[]",),
    lambda_=lambda r: normal(r, 3, 4),
    y=lambda r: np.array([1, 4]),
    varphi=lambda r: normal(r, 2, 3),
    sigma="",
)
def independent_labels(lambda_, y, varphi, sigma):
    lam = lambda_
    out = -(lam**2).sum() / (2 * sigma**2)
    for t in range(2):
        s = varphi[t] @ lam
        out += s[y[t] - 1] - np.log(np.exp(s).sum())
    return out


@formula(
    r"""
Stolt-like stacking sums the traces $d_{xt}$ along hyperbolae with linear interpolation left out; semblance is
\begin{equation}
S_t = \frac{ \sum_{\tau=1}^{W} \left( \sum_{x=1}^{N_x} q_{x,t+\tau-1} \right)^2 }{ N_x \sum_{\tau=1}^{W}\sum_{x=1}^{N_x} q_{x,t+\tau-1}^2 }
\end{equation}
""",
    source="Neidell, Taner, Semblance and other coherency measures, 1971; windows in front",
    shapes=("size W, N_x, T", "input q[N_x, T+W-1]"),
    sizes={"W": 2},
    q=lambda r: normal(r, 3, 6),
)
def semblance_here(q):
    out = np.zeros(5)
    for t in range(5):
        a = sum(q[:, t + k].sum() ** 2 for k in range(2))
        b = sum((q[:, t + k] ** 2).sum() for k in range(2))
        out[t] = a / (3 * b)
    return out


@formula(
    r"""
\begin{equation}
\eta_{\rm mix} = \sum_{i=1}^{N} \frac{x_i \eta_i}{\sum_{j=1}^{N} x_j \phi_{ij}}, \qquad \phi_{ij} = \frac{ \left[ 1 + \sqrt{\frac{\eta_i}{\eta_j}} \left( \frac{M_j}{M_i} \right)^{1/4} \right]^2 }{ \sqrt{ 8 \left( 1 + \frac{M_i}{M_j} \right) } }
\end{equation}
""",
    source="Wilke, A viscosity equation for gas mixtures, 1950; as Reid, Prausnitz, Poling print it",
    output="eta_mix",
    x="3",
    eta="3",
    M="3",
)
def mixture_of_gases(x, eta, M):
    out = 0.0
    for i in range(3):
        low = 0.0
        for j in range(3):
            p = (1 + np.sqrt(eta[i] / eta[j]) * (M[j] / M[i]) ** 0.25) ** 2
            low += x[j] * p / np.sqrt(8 * (1 + M[i] / M[j]))
        out += x[i] * eta[i] / low
    return out


@formula(
    r"""
Let $\mathbf{H} \in \mathbb{R}^{N\times E}$ be the incidence matrix of the hypergraph, with $D_i = \sum_{\epsilon=1}^E W_{\epsilon} H_{i\epsilon}$ and $B_\epsilon = \sum_{i=1}^N H_{i\epsilon}$. The convolution is
\begin{equation}
x_i' = \frac{1}{D_i} \sum_{j=1}^{N} \sum_{\epsilon=1}^{E} \frac{1}{B_\epsilon} H_{i\epsilon} H_{j\epsilon} W_{\epsilon} \sum_{k=1}^{F} x_{jk} P_{k} .
\end{equation}
""",
    source="Bai, Zhang, Torr, Hypergraph convolution and hypergraph attention, 2021, equation 3; one output feature",
    H="3 2",
    W="2",
    x=lambda r: normal(r, 3, 2),
    P=lambda r: normal(r, 2),
    output="x_prime",
)
def hypergraph_convolution(H, W, x, P):
    D, B = H @ W, H.sum(0)
    return H @ (W / B * (H.T @ (x @ P))) / D


@formula(
    r"""
Edge weights are defined with a heat kernel, so that locality preserving projections minimise
\begin{equation}
\mathcal{J} = \frac{1}{2}\sum_{ij} (y_i - y_j)^2 W_{ij}, \qquad y_i = \mathbf{w}^T\mathbf{x}_i, \qquad W_{ij} = e^{-\frac{\|\mathbf{x}_i - \mathbf{x}_j\|^2}{t}}.
\end{equation}
""",
    source="He, Niyogi, Locality preserving projections, 2003",
    output="J",
    w=lambda r: normal(r, 2),
    x=lambda r: normal(r, 4, 2),
    t="",
    shapes=(r"$\mathbf{x}_i, \mathbf{w} \in \mathbb{R}^{m}$",),
)
def locality_objective(w, x, t):
    y = x @ w
    out = 0.0
    for i, j in np.ndindex(4, 4):
        out += 0.5 * (y[i] - y[j]) ** 2 * np.exp(-((x[i] - x[j]) ** 2).sum() / t)
    return out


@formula(
    r"""
The drift-corrected realised kernel of the return vector $r$ is
\begin{equation}
K(X) = \sum_{h=-H}^{H} k\left(\frac{h}{H+1}\right)\gamma_h, \quad \gamma_h = \sum_{j=|h|+1}^{n} x_j x_{j-|h|},
\end{equation}
""",
    source="Barndorff-Nielsen et al., Realized kernels in practice, 2009, equation 1",
    leaves_open="the kernel is a name",
    x="4",
)
def realised_kernel(x):
    return x


@formula(
    r"""
A particle moving in the periodic box feels the Weeks--Chandler--Andersen force, whose energy is
\begin{equation}
u_{ij} = \begin{cases}
4\epsilon\left[\left(\dfrac{\sigma}{r_{ij}}\right)^{12} - \left(\dfrac{\sigma}{r_{ij}}\right)^{6}\right] + \epsilon & r_{ij} \leqslant 2^{1/6}\sigma \\[6pt]
0 & r_{ij} > 2^{1/6} \sigma
\end{cases}
\end{equation}
""",
    source="Weeks, Chandler, Andersen, Role of repulsive forces, 1971",
    epsilon="",
    sigma="",
    r="3 3",
)
def repulsive_energy(epsilon, sigma, r):
    out = np.zeros((3, 3))
    for i, j in np.ndindex(3, 3):
        if r[i, j] <= 2 ** (1 / 6) * sigma:
            x = sigma / r[i, j]
            out[i, j] = 4 * epsilon * (x**12 - x**6) + epsilon
    return out


@formula(
    r"""
We calculate the Taylor polynomial features of queries and keys. The attention matrix in a Taylor expansion to the second order is
\begin{equation}
o_i = \frac{\sum_{j=1}^{i} \left(1 + s_{ij} + s_{ij}^2/2\right) v_j}{\sum_{j=1}^{i} \left(1 + s_{ij} + s_{ij}^2/2\right)}, \quad s_{ij} = \frac{q_i^\top k_j}{\sqrt{d}}, \quad q_i, k_j, v_j \in \mathbb{R}^d.
\end{equation}
""",
    source="Arora et al., Simple linear attention language models, 2024, section 4",
    output="o",
    q=lambda r: normal(r, 3, 2),
    k=lambda r: normal(r, 3, 2),
    v=lambda r: normal(r, 3, 2),
    shapes=("input q[N, d], k[N, d], v[N, d]",),
)
def taylor_attention(q, k, v):
    out = np.zeros((3, 2))
    for i in range(3):
        s = np.array([q[i] @ k[j] / np.sqrt(2) for j in range(i + 1)])
        w = 1 + s + s**2 / 2
        out[i] = w @ v[: i + 1] / w.sum()
    return out


@formula(
    r"""
The Green's-function estimate of the displacement uses the polynomial fit
\[
g(\omega_n) \simeq \sum_{p=0}^{P} c_p T_p(\tilde\omega_n), \qquad T_p(x) = \cos(p \arccos x)
\]
with the scaled frequencies $\tilde\omega_n$.
""",
    source="Weisse et al., The kernel polynomial method, 2006, equation 3; values at points",
    shapes=("size P", "input c[P+1], omega_tilde[N]"),
    c=lambda r: normal(r, 4),
    omega_tilde=lambda r: r.uniform(-0.9, 0.9, 5),
)
def polynomial_at_frequencies(c, omega_tilde):
    return np.array([sum(c[p] * np.cos(p * np.arccos(w)) for p in range(4)) for w in omega_tilde])


@formula(
    r"""
The total drag is estimated by integrating pressure and shear over $N_f$ faces with unit normals $\hat{n}_f$,
\begin{equation}
C_D = \frac{2}{\rho U_\infty^2 A} \sum_{f=1}^{N_f} \left[ (p_f - p_\infty)\, n_{f,x} + \tau_{f,x} \right] S_f .
\end{equation}
""",
    source="integrals of forces as papers on computational fluid dynamics print them",
    rho="",
    U_infty="",
    A="",
    p="4",
    p_infty="",
    n_x=lambda r: normal(r, 4),
    tau_x="4",
    S="4",
)
def drag_coefficient(rho, U_infty, A, p, p_infty, n_x, tau_x, S):
    return 2 / (rho * U_infty**2 * A) * (((p - p_infty) * n_x + tau_x) * S).sum()
