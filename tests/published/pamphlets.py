"""Formulas of articles on optics, epidemics, markets, robots, signals, graphs, molecules and learning, with the words around them."""

from __future__ import annotations

from math import erf

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
The transmission of a Fabry--P\'erot etalon is given by the Airy function
\begin{equation}
T_i = \frac{1}{1 + F \sin^2(\delta_i / 2)}, \qquad F = \frac{4R}{(1-R)^2},
\end{equation}
where $R$ is the reflectivity of the mirrors and $\delta_i$ the round-trip phase at wavelength $\lambda_i$.
""",
    source="Born and Wolf, Principles of Optics, 1959, section 7.6",
    output="T",
    delta="5",
    R=lambda r: 0.7,
)
def fabry_perot(delta, R):
    F = 4 * R / (1 - R) ** 2
    return 1 / (1 + F * np.sin(delta / 2) ** 2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The force of infection on age group $i$ is
\[
\lambda_i(t) = \beta \sum_{j=1}^{n} C_{ij} \frac{I_j(t) + \kappa A_j(t)}{N_j},
\]
where $C_{ij}$ is the mean number of contacts of an individual in group $i$ with individuals in group $j$.
\end{document}
""",
    source="Davies et al., Age-dependent effects in the transmission and control of COVID-19 epidemics, 2020",
    C="4 4",
    beta="",
    I="4",
    kappa="",
    A="4",
    N="4",
)
def force_on_age_groups(C, beta, I, kappa, A, N):
    return beta * C @ ((I + kappa * A) / N)


@formula(
    r"""
Utility of a representative household is given by
\begin{equation}
U = \sum_{t=0}^{T} \beta^t \left[ \frac{C_t^{1-\sigma}}{1-\sigma} - \chi \frac{N_t^{1+\varphi}}{1+\varphi} \right].
\end{equation}
""",
    source="Gali, Monetary Policy, Inflation, and the Business Cycle, 2008, chapter 3",
    shapes=("input beta[]",),
    C="6",
    N="6",
    beta="",
    sigma=lambda r: 2.0,
    chi="",
    varphi="",
)
def household_utility(C, N, beta, sigma, chi, varphi):
    t = np.arange(6)
    return np.sum(
        beta**t * (C ** (1 - sigma) / (1 - sigma) - chi * N ** (1 + varphi) / (1 + varphi))
    )


@formula(
    r"""
\begin{align}
J &= \mathbf{x}_N^\top \mathbf{Q}_f \mathbf{x}_N + \sum_{k=0}^{N-1} \left( \mathbf{x}_k^\top \mathbf{Q} \mathbf{x}_k + \mathbf{u}_k^\top \mathbf{R} \mathbf{u}_k \right)
\end{align}
with states $\mathbf{x}_k \in \mathbb{R}^n$ and inputs $\mathbf{u}_k \in \mathbb{R}^m$, $\mathbf{Q}, \mathbf{Q}_f \in \mathbb{R}^{n \times n}$ and $\mathbf{R} \in \mathbb{R}^{m \times m}$.
""",
    source="Rawlings and Mayne, Model Predictive Control, 2009, chapter 1",
    x=lambda r: normal(r, 5, 3),
    Q_f=lambda r: normal(r, 3, 3),
    Q=lambda r: normal(r, 3, 3),
    u=lambda r: normal(r, 4, 2),
    R=lambda r: normal(r, 2, 2),
    sizes={"N": 4},
)
def predictive_control(x, Q_f, Q, u, R):
    J = x[4] @ Q_f @ x[4]
    for k in range(4):
        J += x[k] @ Q @ x[k] + u[k] @ R @ u[k]
    return J


@formula(
    r"""
The manipulability ellipsoid aside, the repulsive potential of an obstacle at distance $\rho_i$ is
\begin{equation}
U_{\mathrm{rep}} = \sum_{i=1}^{M} \begin{cases} \frac{1}{2} \eta \left( \frac{1}{\rho_i} - \frac{1}{\rho_0} \right)^2 & \text{if } \rho_i \leq \rho_0 \\ 0 & \text{if } \rho_i > \rho_0 \end{cases}
\end{equation}
where $\rho_0$ is the distance of influence.
""",
    source="Khatib, Real-time obstacle avoidance for manipulators and mobile robots, 1986",
    output="U_rep",
    rho="6",
    rho_0=lambda r: 1.0,
    eta="",
)
def repulsive_potential(rho, rho_0, eta):
    return sum(0.5 * eta * (1 / p - 1 / rho_0) ** 2 for p in rho if p <= rho_0)


@formula(
    r"""
The Goertzel recursion may be unrolled; the Welch estimate averages modified periodograms:
$$
\hat{P}_k = \frac{1}{K} \sum_{m=0}^{K-1} \frac{1}{L U} \left[ \left( \sum_{n=0}^{L-1} w_n x_{n + mD} \cos\frac{2\pi k n}{L} \right)^2 + \left( \sum_{n=0}^{L-1} w_n x_{n+mD} \sin\frac{2\pi k n}{L} \right)^2 \right], \quad k = 0, \ldots, L-1,
$$
where $U = \frac{1}{L} \sum_{n=0}^{L-1} w_n^2$ normalises the window.
""",
    source="Welch, The use of fast Fourier transform for the estimation of power spectra, 1967",
    shapes=("size K, L, D",),
    output="P_hat",
    w="4",
    x="8",
    sizes={"K": 3, "D": 2},
)
def welch_spectrum(w, x):
    K, L, D = 3, 4, 2
    U = np.mean(w**2)
    P = np.zeros(L)
    for k in range(L):
        for m in range(K):
            c = sum(w[n] * x[n + m * D] * np.cos(2 * np.pi * k * n / L) for n in range(L))
            s = sum(w[n] * x[n + m * D] * np.sin(2 * np.pi * k * n / L) for n in range(L))
            P[k] += (c * c + s * s) / (L * U) / K
    return P


@formula(
    r"""
Linear blend skinning deforms a vertex $\mathbf{v}_i \in \mathbb{R}^3$ by
\begin{equation}
\mathbf{v}'_i = \sum_{j=1}^{B} w_{ij} \left( \mathbf{R}_j \mathbf{v}_i + \mathbf{t}_j \right),
\end{equation}
where $w_{ij}$ are the skinning weights, $\mathbf{R}_j \in \mathbb{R}^{3 \times 3}$ the rotation and $\mathbf{t}_j \in \mathbb{R}^3$ the translation of bone $j$.
""",
    source="Magnenat-Thalmann et al., Joint-dependent local deformations, 1988, as papers on skinning print it",
    w="5 2",
    R=lambda r: normal(r, 2, 3, 3),
    v=lambda r: normal(r, 5, 3),
    t=lambda r: normal(r, 2, 3),
)
def skinned_vertices(w, R, v, t):
    return np.einsum("ij,ijk->ik", w, np.einsum("jkl,il->ijk", R, v) + t[None])


@formula(
    r"""
Let $n_{ab}$ be the count of substitutions between residues $a$ and $b$. The BLOSUM score is
\begin{equation}
s_{ab} = \frac{1}{\lambda} \log_2 \frac{q_{ab}}{p_a p_b}, \qquad q_{ab} = \frac{n_{ab}}{\sum_{c=1}^{20} \sum_{d=1}^{20} n_{cd}}, \qquad p_a = \sum_{b=1}^{20} q_{ab}.
\end{equation}
""",
    source="Henikoff and Henikoff, Amino acid substitution matrices from protein blocks, 1992",
    output="s",
    n="20 20",
    **{"lambda": ""},
)
def blosum_scores(n, **k):
    lam = k["lambda"]
    q = n / n.sum()
    p = q.sum(1)
    return np.log2(q / np.outer(p, p)) / lam


@formula(
    r"""
The closed-shell Fock matrix in an atomic-orbital basis reads
\begin{equation}
F_{\mu\nu} = H^{\mathrm{core}}_{\mu\nu} + \sum_{\lambda\sigma} P_{\lambda\sigma} \left[ (\mu\nu|\sigma\lambda) - \tfrac12 (\mu\lambda|\sigma\nu) \right],
\end{equation}
and the electronic energy is
\begin{equation}
E_0 = \tfrac12 \sum_{\mu\nu} P_{\nu\mu} \left( H^{\mathrm{core}}_{\mu\nu} + F_{\mu\nu} \right).
\end{equation}
""",
    source="Szabo and Ostlund, Modern Quantum Chemistry, 1982, equations 3.154 and 3.184",
    output="E_0",
    P="3 3",
    H_core="3 3",
    eri="3 3 3 3",
)
def electronic_energy(P, H_core, eri):
    F = H_core + np.einsum("ls,mnsl->mn", P, eri) - 0.5 * np.einsum("ls,mlsn->mn", P, eri)
    return 0.5 * np.sum(P.T * (H_core + F))


@formula(
    r"""
The Gutenberg--Richter $b$-value is estimated with the maximum-likelihood formula of Aki,
\[
\hat{b} = \frac{\log_{10} e}{\bar{M} - M_c}, \qquad \bar{M} = \frac{1}{N} \sum_{i=1}^N M_i,
\]
where $M_c$ is the magnitude of completeness.
""",
    source="Aki, Maximum likelihood estimate of b, 1965",
    output="b_hat",
    M="6",
    M_c=lambda r: 0.3,
)
def b_value(M, M_c):
    return np.log10(np.e) / (M.mean() - M_c)


@formula(
    r"""
\documentclass{article}
\begin{document}
The query likelihood with Dirichlet smoothing gives the score of a document $d$ for a query
\begin{equation}
\mathrm{score}(q, d) = \sum_{w \in V} c(w, q) \log \left( \frac{c(w, d) + \mu\, p(w | C)}{|d| + \mu} \right)
\end{equation}
where $c(w, d)$ is the count of word $w$ in $d$.
\end{document}
""",
    source="Zhai and Lafferty, A study of smoothing methods for language models, 2001",
    leaves_open="c of two kinds",
    c="3 3",
)
def query_likelihood(c):
    return np.zeros(3)


@formula(
    r"""
The predicted rating of user $u$ for item $i$ is
\begin{equation}
\hat{r}_{ui} = \mu + b_u + b_i + q_i^T p_u
\end{equation}
with $p_u, q_i \in \mathbb{R}^f$.
""",
    source="Koren, Bell and Volinsky, Matrix factorization techniques for recommender systems, 2009",
    leaves_open="b_u and b_i",
    b="3",
)
def biased_mf(b):
    return np.zeros(3)


@formula(
    r"""
For DDIM sampling with $\eta = 0$ we compute
\begin{align}
\hat{\mathbf{x}}_0 &= \frac{\mathbf{x}_t - \sqrt{1 - \bar\alpha_t}\, \boldsymbol\epsilon_\theta}{\sqrt{\bar\alpha_t}}, \\
\mathbf{x}_{t-1} &= \sqrt{\bar\alpha_{t-1}}\, \hat{\mathbf{x}}_0 + \sqrt{1 - \bar\alpha_{t-1}}\, \boldsymbol\epsilon_\theta .
\end{align}
""",
    source="Song, Meng and Ermon, Denoising diffusion implicit models, 2021",
    leaves_open="a step in time",
    x="4",
)
def ddim(x):
    return np.zeros(4)


@formula(
    r"""
The simplified objective averaged over a mini-batch is
\begin{equation}
L_{\text{simple}} = \frac{1}{B} \sum_{b=1}^{B} \left\| \boldsymbol{\epsilon}_b - \hat{\boldsymbol{\epsilon}}_b \right\|_2^2,
\end{equation}
and the signal-to-noise weighted version is
\begin{equation}
L_{\mathrm{w}} = \frac{1}{B} \sum_{b=1}^B \frac{\min(\mathrm{SNR}_b, \gamma)}{\mathrm{SNR}_b} \left\| \boldsymbol{\epsilon}_b - \hat{\boldsymbol{\epsilon}}_b \right\|_2^2 .
\end{equation}
Here $\boldsymbol\epsilon_b \in \mathbb{R}^D$.
""",
    source="Hang et al., Efficient diffusion training via min-SNR weighting strategy, 2023",
    output="L_w",
    epsilon=lambda r: normal(r, 3, 4),
    epsilon_hat=lambda r: normal(r, 3, 4),
    SNR=lambda r: uniform(r, 3) * 5,
    gamma=lambda r: 5.0,
)
def min_snr(epsilon, epsilon_hat, SNR, gamma):
    return np.mean(np.minimum(SNR, gamma) / SNR * np.sum((epsilon - epsilon_hat) ** 2, 1))


@formula(
    r"""
The soft actor-critic value target for a discrete policy is
\begin{equation}
V(s) = \sum_{a \in \mathcal{A}} \pi(a|s) \left[ Q(s,a) - \alpha \log \pi(a|s) \right]
\end{equation}
""",
    source="Christodoulou, Soft actor-critic for discrete action settings, 2019, equation 10",
    shapes=("input pi[A, S], Q[S, A]",),
    pi="3 4",
    Q="4 3",
    alpha="",
)
def discrete_sac(pi, Q, alpha):
    return np.sum(pi.T * (Q - alpha * np.log(pi.T)), 1)


@formula(
    r"""
GraphSAGE with mean aggregation over a dense adjacency computes
\begin{equation}
\mathbf{h}'_v = \mathrm{ReLU}\left( \mathbf{W}_{\text{self}} \mathbf{h}_v + \mathbf{W}_{\text{neigh}} \frac{\sum_{u} a_{vu} \mathbf{h}_u}{\sum_{u} a_{vu}} \right),
\end{equation}
where $\mathbf{h}_v \in \mathbb{R}^{d}$ and $\mathbf{W}_{\text{self}}, \mathbf{W}_{\text{neigh}} \in \mathbb{R}^{d' \times d}$.
""",
    source="Hamilton, Ying and Leskovec, Inductive representation learning on large graphs, 2017",
    h=lambda r: normal(r, 4, 3),
    W_self=lambda r: normal(r, 2, 3),
    W_neigh=lambda r: normal(r, 2, 3),
    a="4 4",
)
def sage_mean(h, W_self, W_neigh, a):
    agg = a @ h / a.sum(1, keepdims=True)
    return np.maximum(h @ W_self.T + agg @ W_neigh.T, 0)


@formula(
    r"""
A planar flow has the transformation and log-determinant
\begin{align}
f(\mathbf{z}_n) &= \mathbf{z}_n + \mathbf{u} \, h(\mathbf{w}^\top \mathbf{z}_n + b), \\
\log \left| \det \frac{\partial f}{\partial \mathbf{z}_n} \right| &= \log \left| 1 + \mathbf{u}^\top \psi(\mathbf{z}_n) \right|
\end{align}
with $\psi(\mathbf{z}) = h'(\mathbf{w}^\top \mathbf{z} + b) \mathbf{w}$ and $h = \tanh$.
""",
    source="Rezende and Mohamed, Variational inference with normalizing flows, 2015",
    leaves_open="derivative of h by a prime",
    z="3",
)
def planar_flow(z):
    return np.zeros(3)


@formula(
    r"""
Random feature attention replaces the softmax by
\begin{equation}
\mathbf{o}_i = \frac{\sum_{j=1}^{N} \phi(\mathbf{q}_i)^\top \phi(\mathbf{k}_j) \, \mathbf{v}_j}{\sum_{j=1}^{N} \phi(\mathbf{q}_i)^\top \phi(\mathbf{k}_j)}, \qquad \phi(\mathbf{x}) = \exp(\mathbf{x} - \tfrac{1}{2}),
\end{equation}
where $\mathbf{q}_i, \mathbf{k}_j \in \mathbb{R}^d$ and $\mathbf{v}_j \in \mathbb{R}^{d_v}$.
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equation 5",
    q=lambda r: normal(r, 3, 4),
    k=lambda r: normal(r, 5, 4),
    v=lambda r: normal(r, 5, 2),
    output="o",
)
def feature_attention(q, k, v):
    f = lambda x: np.exp(x - 0.5)
    A = f(q) @ f(k).T
    return A @ v / A.sum(1, keepdims=True)


@formula(
    r"""
The multi-similarity loss is formulated as
\begin{equation}
\mathcal{L}_{MS} = \frac{1}{m} \sum_{i=1}^{m} \left\{ \frac{1}{\alpha} \log\left[ 1 + \sum_{k \in \mathcal{P}_i} e^{-\alpha (S_{ik} - \lambda)} \right] + \frac{1}{\beta} \log\left[ 1 + \sum_{k \in \mathcal{N}_i} e^{\beta (S_{ik} - \lambda)} \right] \right\}
\end{equation}
""",
    source="Wang et al., Multi-similarity loss with general pair weighting, 2019",
    leaves_open="sets of pairs are data",
    S="3 3",
)
def multi_similarity(S):
    return np.zeros(3)


@formula(
    r"""
The log partial likelihood of Cox's model without ties is
\begin{equation}
\ell(\boldsymbol\beta) = \sum_{i=1}^{n} \delta_i \left[ \boldsymbol\beta^\top \mathbf{x}_i - \log \sum_{j=1}^{n} \mathbf{1}(t_j \geq t_i) \exp(\boldsymbol\beta^\top \mathbf{x}_j) \right],
\end{equation}
where $\delta_i$ is the event indicator and $\mathbf{x}_i \in \mathbb{R}^p$.
""",
    source="Cox, Regression models and life-tables, 1972",
    delta="5",
    beta=lambda r: normal(r, 3),
    x=lambda r: normal(r, 5, 3),
    t="5",
)
def log_partial_likelihood(delta, beta, x, t):
    e = x @ beta
    return sum(
        delta[i] * (e[i] - np.log(sum(np.exp(e[j]) for j in range(5) if t[j] >= t[i])))
        for i in range(5)
    )


@formula(
    r"""
Local indicators of spatial association are defined by
\begin{equation}
I_i = \frac{z_i}{m_2} \sum_{j} w_{ij} z_j, \qquad m_2 = \frac{\sum_i z_i^2}{n},
\end{equation}
with deviations $z_i = x_i - \bar{x}$ from the mean.
""",
    source="Anselin, Local indicators of spatial association, 1995",
    output="I",
    shapes=("size n", "input x[n], w[n, n]"),
    x="5",
    w="5 5",
)
def local_moran(x, w):
    z = x - x.mean()
    m = np.mean(z**2)
    return z / m * (w @ z)


@formula(
    r"""
The Black--Scholes price of a European call with strike $K_i$ is
\begin{align}
C_i &= S \, \Phi(d_{1,i}) - K_i e^{-rT} \Phi(d_{2,i}), \\
d_{1,i} &= \frac{\ln(S/K_i) + (r + \sigma^2/2) T}{\sigma \sqrt{T}}, \qquad d_{2,i} = d_{1,i} - \sigma \sqrt{T},
\end{align}
where $\Phi(x) = \frac{1}{2} \left[ 1 + \operatorname{erf}(x/\sqrt{2}) \right]$.
""",
    source="Black and Scholes, The pricing of options and corporate liabilities, 1973",
    output="C",
    S="",
    K="4",
    r="",
    T="",
    sigma="",
)
def european_call(S, K, r, T, sigma):

    Phi = np.vectorize(lambda x: 0.5 * (1 + erf(x / 2**0.5)))
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * T**0.5)
    d2 = d1 - sigma * T**0.5
    return S * Phi(d1) - K * np.exp(-r * T) * Phi(d2)


@formula(
    r"""
The strain-rate tensor and the subgrid viscosity of the Smagorinsky model are
\begin{equation}
S_{ij} = \frac{1}{2} \left( G_{ij} + G_{ji} \right), \qquad \nu_t = (C_s \Delta)^2 \sqrt{2 S_{ij} S_{ij}},
\end{equation}
where $G_{ij}$ is the gradient of the velocity and repeated indices are summed.
""",
    source="Smagorinsky, General circulation experiments with the primitive equations, 1963",
    output="nu_t",
    G=lambda r: normal(r, 3, 3),
    C_s="",
    Delta="",
)
def smagorinsky(G, C_s, Delta):
    S = 0.5 * (G + G.T)
    return (C_s * Delta) ** 2 * np.sqrt(2 * np.sum(S * S))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
For predicted masks $\hat{y}$ and ground truth $y$, we use the generalised Charbonnier loss
\begin{equation}
\mathcal{L}_{\text{char}} = \frac{1}{HW} \sum_{h=1}^{H} \sum_{w=1}^{W} \left( (\hat{y}_{hw} - y_{hw})^2 + \epsilon^2 \right)^{\alpha}
\end{equation}
with $\alpha = 0.45$ and $\epsilon = 10^{-3}$.
\end{document}
""",
    source="Sun, Roth and Black, Secrets of optical flow estimation and their principles, 2010",
    y_hat="3 4",
    y="3 4",
    epsilon=lambda r: 1e-3,
    alpha=lambda r: 0.45,
)
def charbonnier(y_hat, y, epsilon, alpha):
    return np.mean(((y_hat - y) ** 2 + epsilon**2) ** alpha)


@formula(
    r"""
In tensor-ring format the entries of a third-order tensor are
\begin{equation}
\mathcal{T}(i_1, i_2, i_3) = \sum_{\alpha_1, \alpha_2, \alpha_3 = 1}^{r} Z_1(\alpha_1, i_1, \alpha_2) Z_2(\alpha_2, i_2, \alpha_3) Z_3(\alpha_3, i_3, \alpha_1).
\end{equation}
""",
    source="Zhao et al., Tensor ring decomposition, 2016, equation 1",
    shapes=("size r, n, m, p", "input Z_1[r, n, r], Z_2[r, m, r], Z_3[r, p, r]"),
    Z_1="2 3 2",
    Z_2="2 4 2",
    Z_3="2 2 2",
)
def tensor_ring(Z_1, Z_2, Z_3):
    return np.einsum("aib,bjc,cka->ijk", Z_1, Z_2, Z_3)


@formula(
    r"""
The fuzzy partition has memberships
\begin{equation}
u_{ij} = \left[ \sum_{k=1}^{c} \left( \frac{\|\mathbf{x}_j - \mathbf{v}_i\|}{\|\mathbf{x}_j - \mathbf{v}_k\|} \right)^{\frac{2}{m-1}} \right]^{-1}
\end{equation}
for data $\mathbf{x}_j \in \mathbb{R}^p$, $j = 1, \dots, n$, and prototypes $\mathbf{v}_i$, $i = 1, \dots, c$.
""",
    source="Bezdek, Pattern Recognition with Fuzzy Objective Function Algorithms, 1981",
    x=lambda r: normal(r, 5, 2),
    v=lambda r: normal(r, 3, 2),
    m=lambda r: 2.5,
)
def memberships(x, v, m):
    d = np.linalg.norm(v[:, None] - x[None], axis=2)
    return 1 / np.sum((d[:, None, :] / d[None]) ** (2 / (m - 1)), axis=1)


@formula(
    r"""
\documentclass[twocolumn]{article}
\usepackage{amsmath}
\begin{document}
Consider a stack of $M$ thin films. The phase thickness of layer $m$ at wavelength $\lambda$ and refraction angle $\theta_m$ is
\begin{equation}
\delta_m = \frac{2\pi}{\lambda} n_m d_m \cos\theta_m, \qquad m = 1, 2, \ldots, M.
\end{equation}
\end{document}
""",
    source="Macleod, Thin-Film Optical Filters, 1969",
    n="4",
    d="4",
    theta="4",
    **{"lambda": ""},
)
def phase_thickness(n, d, theta, **k):
    return 2 * np.pi / k["lambda"] * n * d * np.cos(theta)


@formula(
    r"""
Vaccinating a fraction $v_i$ of group $i$ reduces the number of susceptibles, and the final size $Z_i$ is approximated by one step of
\begin{equation}
Z_i = (1 - \epsilon v_i)\left[ 1 - \exp\left( -\sum_{j=1}^{G} R_{ij} \frac{z_j}{n_i} \right) \right] n_i .
\end{equation}
""",
    source="Keeling and Rohani, Modeling Infectious Diseases, 2008, vaccination of groups",
    v="3",
    epsilon=lambda r: 0.6,
    R="3 3",
    z="3",
    n="3",
)
def final_size(v, epsilon, R, z, n):
    return (1 - epsilon * v) * (1 - np.exp(-(R @ z) / n)) * n


@formula(
    r"""
Household demand under Cobb--Douglas preferences with a CES nest is
\begin{equation}
c_{hi} = \frac{\alpha_i^{\sigma} p_i^{-\sigma}}{\sum_{k=1}^{K} \alpha_k^{\sigma} p_k^{1-\sigma}} \, m_h
\end{equation}
where $m_h$ is the income of household $h = 1, \ldots, H$ and $p_i$ the price of good $i$.
""",
    source="Dixit and Stiglitz, Monopolistic competition and optimum product diversity, 1977, with incomes",
    alpha="4",
    sigma=lambda r: 1.7,
    p="4",
    m="3",
)
def ces_demand(alpha, sigma, p, m):
    return np.outer(m, alpha**sigma * p**-sigma / np.sum(alpha**sigma * p ** (1 - sigma)))


@formula(
    r"""
\begin{equation}
\mathbf{M}(\mathbf{q})_{ij} = \sum_{k=1}^{n} \left( m_k \, \mathbf{J}_{k,i}^\top \mathbf{J}_{k,j} + \boldsymbol{\omega}_{k,i}^\top \mathbf{I}_k \boldsymbol{\omega}_{k,j} \right)
\end{equation}
where $\mathbf{J}_{k,i}, \boldsymbol{\omega}_{k,i} \in \mathbb{R}^3$ are columns of the linear and angular Jacobians and $\mathbf{I}_k \in \mathbb{R}^{3\times 3}$ is the inertia of link $k$.
""",
    source="Siciliano et al., Robotics, 2009, equation 7.32",
    m="2",
    J=lambda r: normal(r, 2, 4, 3),
    omega=lambda r: normal(r, 2, 4, 3),
    I=lambda r: normal(r, 2, 3, 3),
)
def joint_inertia(m, J, omega, I):
    return np.einsum("k,kia,kja->ij", m, J, J) + np.einsum("kia,kab,kjb->ij", omega, I, omega)


@formula(
    r"""
The output of the delay-and-sum beamformer in discrete time is
\[
b[n] = \frac{1}{M} \sum_{m=0}^{M-1} w_m \, x_m[n - \tau_m]
\]
with integer steering delays $\tau_m$.
""",
    source="Van Veen and Buckley, Beamforming, 1988, delay and sum",
    leaves_open="range of n",
    w="3",
)
def delay_and_sum(w):
    return np.zeros(3)


@formula(
    r"""
We colour a ray by the split-sum approximation. The Cook--Torrance specular term for light $l$ is
\begin{equation}
f_l = \frac{D_l \, F_l \, G_l}{4 (\mathbf{n} \cdot \mathbf{v}) (\mathbf{n} \cdot \mathbf{l}_l)}, \quad D_l = \frac{\alpha^2}{\pi \left( (\mathbf{n} \cdot \mathbf{h}_l)^2 (\alpha^2 - 1) + 1 \right)^2},
\end{equation}
where $\mathbf{n}, \mathbf{v}, \mathbf{l}_l, \mathbf{h}_l \in \mathbb{R}^3$.
""",
    source="Walter et al., Microfacet models for refraction through rough surfaces, 2007",
    output="f",
    F="4",
    G="4",
    n=lambda r: uniform(r, 3),
    v=lambda r: uniform(r, 3),
    l=lambda r: uniform(r, 4, 3),
    alpha="",
    h=lambda r: uniform(r, 4, 3),
)
def cook_torrance(F, G, n, v, l, alpha, h):
    D = alpha**2 / (np.pi * ((h @ n) ** 2 * (alpha**2 - 1) + 1) ** 2)
    return D * F * G / (4 * (n @ v) * (l @ n))


@formula(
    r"""
For a profile HMM the log-odds score of an alignment column is $S_k = \sum_a f_{ka} \log (f_{ka} / b_a)$, where $b_a$ is the background. With pseudocounts,
\begin{equation}
f_{ka} = \frac{c_{ka} + A\, b_a}{\sum_{a'} c_{ka'} + A}.
\end{equation}
""",
    source="Durbin et al., Biological Sequence Analysis, 1998, section 5.6",
    shapes=("input c[L, Q], b[Q], A[]",),
    c="5 4",
    b="4",
    A="",
)
def pseudocounts(c, b, A):
    return (c + A * b) / (c.sum(1, keepdims=True) + A)


@formula(
    r"""
In second-order M\o ller--Plesset theory with density fitting we assemble
\begin{align}
(ia|jb) &= \sum_{P} B_{ia}^{P} B_{jb}^{P}, \\
E^{(2)} &= - \sum_{ijab} \frac{(ia|jb) \left[ 2 (ia|jb) - (ib|ja) \right]}{\varepsilon_a + \varepsilon_b - \varepsilon_i - \varepsilon_j} .
\end{align}
""",
    source="Weigend and Haeser, RI-MP2, 1997",
    leaves_open="one symbol for two ranges",
    B="2 3 4",
)
def ri_mp2(B):
    return 0.0


@formula(
    r"""
The apparent resistivity and chargeability are related to a sum of Debye relaxations,
\begin{equation}
\rho'(\omega_k) = \rho_0 \left[ 1 - \sum_{l=1}^{L} m_l \frac{(\omega_k \tau_l)^2}{1 + (\omega_k \tau_l)^2} \right],
\end{equation}
where $\rho_0$ is the direct-current resistivity, $m_l$ are chargeabilities and $\tau_l$ relaxation times.
""",
    source="Nordsiek and Weller, A new approach to fitting induced-polarization spectra, 2008",
    rho_0="",
    m="3",
    omega="5",
    tau="3",
)
def debye_decomposition(rho_0, m, omega, tau):
    wt = np.outer(omega, tau) ** 2
    return rho_0 * (1 - (wt / (1 + wt)) @ m)


@formula(
    r"""
Rocchio's algorithm moves the query vector towards relevant documents:
\begin{equation}
\vec{q}_m = \alpha \vec{q}_0 + \beta \frac{1}{|D_r|} \sum_{\vec{d}_j \in D_r} \vec{d}_j - \gamma \frac{1}{|D_{nr}|} \sum_{\vec{d}_j \in D_{nr}} \vec{d}_j
\end{equation}
""",
    source="Rocchio, Relevance feedback in information retrieval, 1971",
    leaves_open="sets are data",
    d="3",
)
def rocchio(d):
    return np.zeros(3)


@formula(
    r"""
The BPR criterion over observed triples is regularised, and with a logistic sigmoid $\sigma(x) = 1/(1+e^{-x})$ reads
\begin{equation}
\mathcal{L} = - \sum_{u=1}^{U} \sum_{i=1}^{I} \sum_{j=1}^{I} y_{ui} (1 - y_{uj}) \ln \sigma(\hat{x}_{ui} - \hat{x}_{uj}) + \lambda \sum_{u=1}^{U} \|\mathbf{p}_u\|^2,
\end{equation}
where $\hat{x}_{ui} = \mathbf{p}_u^\top \mathbf{q}_i$ and $\mathbf{p}_u, \mathbf{q}_i \in \mathbb{R}^f$.
""",
    source="Rendle et al., BPR, 2009, over all triples",
    output="L",
    y="3 4",
    p=lambda r: normal(r, 3, 2),
    q=lambda r: normal(r, 4, 2),
    **{"lambda": ""},
)
def bpr_all(y, p, q, **k):
    x = p @ q.T
    L = 0
    for u in range(3):
        for i in range(4):
            for j in range(4):
                L -= y[u, i] * (1 - y[u, j]) * np.log(1 / (1 + np.exp(-(x[u, i] - x[u, j]))))
    return L + k["lambda"] * np.sum(p**2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
In v-prediction the network target is $\bm{v}_t = \alpha_t \bm{\epsilon} - \sigma_t \bm{x}$ and the loss over noise levels is
\begin{equation}
\mathcal{L} = \sum_{t=1}^{T} w_t \left\| \bm{v}_t - \hat{\bm{v}}_t \right\|^2
\end{equation}
with $\bm{x}, \bm{\epsilon}, \hat{\bm{v}}_t \in \mathbb{R}^{d}$.
\end{document}
""",
    source="Salimans and Ho, Progressive distillation for fast sampling of diffusion models, 2022",
    output="L",
    alpha="3",
    epsilon=lambda r: normal(r, 4),
    sigma="3",
    x=lambda r: normal(r, 4),
    w="3",
    v_hat=lambda r: normal(r, 3, 4),
)
def v_prediction(alpha, epsilon, sigma, x, w, v_hat):
    v = alpha[:, None] * epsilon - sigma[:, None] * x
    return np.sum(w * np.sum((v - v_hat) ** 2, 1))


@formula(
    r"""
The clipped double Q-learning target is
\begin{equation}
y_n = r_n + \gamma (1 - d_n) \left( \min_{k=1,2} Q^{k}_n - \alpha \log \pi_n \right).
\end{equation}
""",
    source="Haarnoja et al., Soft actor-critic algorithms and applications, 2018",
    leaves_open="Q^k",
    Q="3",
)
def clipped_target(Q):
    return np.zeros(3)


@formula(
    r"""
The graph isomorphism operator with edge weights is given by
\begin{equation}
h_v^{\prime} = \mathrm{MLP}\left( (1 + \epsilon) h_v + \sum_{u} A_{vu} h_u \right),
\end{equation}
with $\mathrm{MLP}(x) = W_2 \max(W_1 x, 0)$, where $h_v \in \mathbb{R}^d$, $W_1 \in \mathbb{R}^{m \times d}$ and $W_2 \in \mathbb{R}^{d \times m}$.
""",
    source="Xu et al., How powerful are graph neural networks?, 2019, equation 4.1",
    epsilon="",
    h=lambda r: normal(r, 4, 3),
    A="4 4",
    W_2=lambda r: normal(r, 3, 5),
    W_1=lambda r: normal(r, 5, 3),
)
def gin(epsilon, h, A, W_2, W_1):
    x = (1 + epsilon) * h + A @ h
    return np.maximum(x @ W_1.T, 0) @ W_2.T


@formula(
    r"""
In a rational-quadratic kernel network the covariance between inputs is
\[
k(\mathbf{x}_i, \mathbf{x}_j) = \sigma_f^2 \left( 1 + \frac{ (\mathbf{x}_i - \mathbf{x}_j)^\top \mathbf{\Lambda} (\mathbf{x}_i - \mathbf{x}_j) }{2 \alpha} \right)^{-\alpha} + \sigma_n^2 \delta_{ij}.
\]
Here $\mathbf{x}_i \in \mathbb{R}^D$ and $\mathbf{\Lambda} \in \mathbb{R}^{D \times D}$.
""",
    source="Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, equation 4.19",
    sigma_f="",
    x=lambda r: normal(r, 4, 2),
    Lambda=lambda r: np.diag(r.uniform(0.5, 1.5, 2)),
    alpha="",
    sigma_n="",
)
def rational_quadratic(sigma_f, x, Lambda, alpha, sigma_n):
    d = x[:, None] - x[None]
    q = np.einsum("ija,ab,ijb->ij", d, Lambda, d)
    return sigma_f**2 * (1 + q / (2 * alpha)) ** -alpha + sigma_n**2 * np.eye(4)


@formula(
    r"""
Gated linear attention with a per-head decay produces
\begin{equation}
\mathbf{o}_t = \sum_{s=1}^{t} \left( \prod_{r=s+1}^{t} g_r \right) (\mathbf{q}_t^\top \mathbf{k}_s) \, \mathbf{v}_s, \qquad t = 1, \dots, T,
\end{equation}
where $\mathbf{q}_t, \mathbf{k}_t \in \mathbb{R}^{d_k}$ and $\mathbf{v}_t \in \mathbb{R}^{d_v}$.
""",
    source="Yang et al., Gated linear attention transformers, 2023, with one gate for each step",
    g="4",
    q=lambda r: normal(r, 4, 3),
    k=lambda r: normal(r, 4, 3),
    v=lambda r: normal(r, 4, 2),
)
def gated_attention(g, q, k, v):
    o = np.zeros((4, 2))
    for t in range(4):
        for s in range(t + 1):
            o[t] += np.prod(g[s + 1 : t + 1]) * (q[t] @ k[s]) * v[s]
    return o


@formula(
    r"""
Proxy anchor loss considers each proxy $p$ and all embeddings $x$ in the batch. In matrix form with similarity $s_{ic}$ and one-hot labels $y_{ic}$,
\begin{equation}
\ell = \frac{1}{C} \sum_{c=1}^{C} \log \left( 1 + \sum_{i=1}^{N} y_{ic} e^{-\alpha (s_{ic} - \delta)} \right) + \frac{1}{C} \sum_{c=1}^{C} \log\left( 1 + \sum_{i=1}^{N} (1 - y_{ic}) e^{\alpha (s_{ic} + \delta)} \right).
\end{equation}
""",
    source="Kim et al., Proxy anchor loss, 2020, equation 4",
    y=lambda r: (r.random((4, 3)) < 0.5).astype(float),
    alpha="",
    s="4 3",
    delta="",
)
def proxy_anchor(y, alpha, s, delta):
    return np.mean(np.log(1 + np.sum(y * np.exp(-alpha * (s - delta)), 0))) + np.mean(
        np.log(1 + np.sum((1 - y) * np.exp(alpha * (s + delta)), 0))
    )


@formula(
    r"""
The Brier score with inverse probability of censoring weights at time $t$ is
\begin{equation}
\mathrm{BS}(t) = \frac{1}{n} \sum_{i=1}^{n} \left[ \frac{\hat{S}_i^2 \, \mathbb{I}(T_i \le t) \, \Delta_i}{\hat{G}_i} + \frac{(1 - \hat{S}_i)^2 \, \mathbb{I}(T_i > t)}{\hat{G}_t} \right]
\end{equation}
where $\hat{G}_t$ is the censoring survival at $t$.
""",
    source="Graf et al., Assessment and comparison of prognostic classification schemes, 1999",
    S_hat="5",
    leaves_open="G_t beside G_i",
)
def censored_brier(S_hat):
    return 0.0


@formula(
    r"""
The conditional autoregressive prior has full conditional means
\begin{equation}
m_i = \mu_i + \rho \sum_{j \ne i} \frac{w_{ij}}{w_{i+}} (\phi_j - \mu_j), \qquad w_{i+} = \sum_{j} w_{ij}.
\end{equation}
""",
    source="Besag, Spatial interaction and the statistical analysis of lattice systems, 1974",
    output="m",
    mu="4",
    rho="",
    w="4 4",
    phi="4",
)
def car(mu, rho, w, phi):
    W = w / w.sum(1, keepdims=True)
    return np.array(
        [
            mu[i] + rho * sum(W[i, j] * (phi[j] - mu[j]) for j in range(4) if j != i)
            for i in range(4)
        ]
    )


@formula(
    r"""
In the Heston scheme the Asian payoff averaged over $M$ paths is
\begin{equation}
\hat{V} = e^{-rT} \frac{1}{M} \sum_{m=1}^{M} \max\left( \frac{1}{N} \sum_{n=1}^{N} S_n^{(m)} - K, 0 \right).
\end{equation}
""",
    source="Glasserman, Monte Carlo Methods in Financial Engineering, 2003, section 1.1",
    shapes=("size M, N", "input r[], T[], S[N, M], K[]"),
    r=lambda r: 0.05,
    T="",
    S="4 5",
    K="",
)
def asian_option(r, T, S, K):
    return np.exp(-r * T) * np.mean(np.maximum(S.mean(0) - K, 0))


@formula(
    r"""
Discretising the vorticity equation, the Arakawa-type advection term on a periodic grid reads
\begin{equation}
J_{i,j} = \frac{1}{4 \Delta x \Delta y} \left[ (\psi_{i,j+1} - \psi_{i,j-1})(\zeta_{i+1,j} - \zeta_{i-1,j}) - (\psi_{i+1,j} - \psi_{i-1,j}) (\zeta_{i,j+1} - \zeta_{i,j-1}) \right].
\end{equation}
""",
    source="Arakawa, Computational design for long-term numerical integration, 1966, the first of its Jacobians",
    Delta_x="",
    Delta_y="",
    psi="4 5",
    zeta="4 5",
)
def jacobian_advection(Delta_x, Delta_y, psi, zeta):
    def d(a, axis):
        return np.roll(a, -1, axis) - np.roll(a, 1, axis)

    return (d(psi, 1) * d(zeta, 0) - d(psi, 0) * d(zeta, 1)) / (4 * Delta_x * Delta_y)


@formula(
    r"""
We train with the robust loss on inverse depths $d_p$ with aligned shift and scale,
\[
\mathcal{L}_{ssi} = \frac{1}{2M} \sum_{p=1}^{M} \left| \hat{d}_p - \hat{d}_p^* \right|, \quad \hat{d}_p = \frac{d_p - t(d)}{s(d)}, \quad t(d) = \frac1M \sum_{p=1}^M d_p, \quad s(d) = \frac1M \sum_{p=1}^M |d_p - t(d)|.
\]
""",
    source="Ranftl et al., Towards robust monocular depth estimation, 2020, equations 2 to 4",
    output="L_ssi",
    d="5",
    d_hat_star="5",
)
def midas(d, d_hat_star):
    t = d.mean()
    s = np.mean(np.abs(d - t))
    return np.mean(np.abs((d - t) / s - d_hat_star)) / 2


@formula(
    r"""
The block-term decomposition in multilinear rank-$(L, L, 1)$ terms is
\begin{equation}
x_{ijk} = \sum_{r=1}^{R} \sum_{l=1}^{L} a_{ilr} b_{jlr} c_{kr}.
\end{equation}
""",
    source="De Lathauwer, Decompositions of a higher-order tensor in block terms, 2008",
    a="3 2 2",
    b="4 2 2",
    c="2 2",
)
def block_terms(a, b, c):
    return np.einsum("ilr,jlr,kr->ijk", a, b, c)


@formula(
    r"""
Let $d_{ij}$ be the dissimilarity of objects $i$ and $j$. The Dunn-type separation of soft clusters is
\begin{equation}
V_{XB} = \frac{\sum_{i=1}^{c} \sum_{j=1}^{n} u_{ij}^m \|x_j - v_i\|^2}{n \min_{i \neq k} \|v_i - v_k\|^2}
\end{equation}
with $x_j, v_i \in \mathbb{R}^p$.
""",
    source="Xie and Beni, A validity measure for fuzzy clustering, 1991",
    shapes=("input m[]",),
    u="3 5",
    m=lambda r: 2.0,
    x=lambda r: normal(r, 5, 2),
    v=lambda r: normal(r, 3, 2),
)
def xie_beni(u, m, x, v):
    d = np.sum((v[:, None] - x[None]) ** 2, 2)
    s = [np.sum((v[i] - v[k]) ** 2) for i in range(3) for k in range(3) if i != k]
    return np.sum(u**m * d) / (5 * min(s))


@formula(
    r"""
The discrete Hartley-like lapped transform of block $b$ uses
$$ X_b(k) = \sqrt{\frac{2}{N}} \sum_{n=0}^{2N-1} h(n)\, x_b(n) \cos\left[ \frac{\pi}{N} \left( n + \frac{1}{2} + \frac{N}{2} \right) \left( k + \frac{1}{2} \right) \right], \quad 0 \le k < N. $$
""",
    source="Princen, Johnson and Bradley, Subband coding using filter bank designs, 1987",
    shapes=("size N, B", "input h[2*N], x[B, 2*N]"),
    h="8",
    x="3 8",
    sizes={"N": 4},
)
def lapped_transform(h, x):
    N = 4
    n = np.arange(8)
    k = np.arange(4)
    C = np.cos(np.pi / N * np.outer(k + 0.5, n + 0.5 + N / 2))
    return np.sqrt(2 / N) * (x * h) @ C.T
