"""Formulas of articles on languages, images, decisions, posteriors, trade, diseases, molecules, grids, light, markets, nerves and climate."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
Each target context word attends to the query words with weights
\begin{equation}
\mathbf{a}_t = \mathrm{softmax}(\mathbf{S}_{t:}) \in \mathbb{R}^{J},
\end{equation}
and the attended query vectors are
\begin{equation}
\tilde{\mathbf{U}}_{t:} = \sum_j a_{tj} \mathbf{U}_{j:} .
\end{equation}
""",
    source="Seo et al., Bidirectional attention flow for machine comprehension, 2017, section 2.4",
    output="U_tilde",
    S="4 3",
    U=lambda r: normal(r, 3, 2),
    shapes=("size T, J, d", "input S[T, J], U[J, d]"),
)
def attended_queries(S, U):
    a = np.exp(S) / np.exp(S).sum(1, keepdims=True)
    return a @ U


@formula(
    r"""
\begin{equation}
\mathbf{ELMo}_k^{task} = E(R_k; \Theta^{task}) = \gamma^{task} \sum_{j=0}^{L} s_j^{task} \mathbf{h}_{k,j}^{LM}.
\end{equation}
Here $\mathbf{s}^{task}$ are softmax-normalized weights and the scalar parameter $\gamma^{task}$ scales the entire vector.
""",
    source="Peters et al., Deep contextualized word representations, 2018, equation 1",
    gamma="",
    s="3",
    h=lambda r: normal(r, 4, 3, 2),
    shapes=("size N, L, D", "input gamma_task[], s_task[L+1], h_LM[N, L+1, D]"),
)
def layers_of_a_model(gamma, s, h):
    return gamma * np.einsum("j,kjd->kd", s, h)


@formula(
    r"""
The $F$-score of character $n$-grams is
\begin{equation}
\mathrm{chrF}\beta = (1 + \beta^2) \frac{\mathrm{chrP} \cdot \mathrm{chrR}}{\beta^2 \cdot \mathrm{chrP} + \mathrm{chrR}}
\end{equation}
where $\mathrm{chrP}$ and $\mathrm{chrR}$ are arithmetically averaged over all $n$-grams.
""",
    source="Popovic, chrF: character n-gram F-score for automatic MT evaluation, 2015, equation 1",
    leaves_open="the left side may be a product",
    beta="",
    chrP="",
    chrR="",
)
def character_score(beta, chrP, chrR):
    return (1 + beta**2) * chrP * chrR / (beta**2 * chrP + chrR)


@formula(
    r"""
Hu's first two invariants follow from the normalized central moments
\[
\eta_{pq} = \frac{\mu_{pq}}{\mu_{00}^{1 + \frac{p+q}{2}}},
\qquad
\phi_1 = \eta_{20} + \eta_{02}, \qquad
\phi_2 = (\eta_{20} - \eta_{02})^2 + 4 \eta_{11}^2 .
\]
""",
    source="Hu, Visual pattern recognition by moment invariants, 1962",
    output="phi_2",
    mu="3 3",
    shapes=("input mu[3, 3]", "base 0"),
)
def moment_invariants(mu):
    p, q = np.indices((3, 3))
    eta = mu / mu[0, 0] ** (1 + (p + q) / 2)
    return (eta[2, 0] - eta[0, 2]) ** 2 + 4 * eta[1, 1] ** 2


@formula(
    r"""
The multi-step return-based operator corrects with truncated products of traces,
\begin{equation}
\mathcal{R}Q(x, a) = Q(x, a) + \Delta, \qquad \Delta = \sum_{t=0}^{T-1} \gamma^t \left( \prod_{s=1}^{t} c_s \right) \delta_t ,
\end{equation}
where $\delta_t$ is the temporal difference error and $c_s = \lambda \min(1, \rho_s)$.
""",
    source="Munos et al., Safe and efficient off-policy reinforcement learning, 2016, equation 3",
    output="Delta",
    gamma=lambda r: 0.9,
    lambda_=lambda r: 0.8,
    rho="5",
    delta=lambda r: normal(r, 5),
    shapes=("size T", "input gamma[], delta[T], rho[T]", "base 0"),
)
def retrace(gamma, lambda_, rho, delta):
    c = lambda_ * np.minimum(1, rho)
    return sum(gamma**t * np.prod(c[1 : t + 1]) * delta[t] for t in range(5))


@formula(
    r"""
\textbf{Algorithm Exp3.} For each $t = 1, 2, \ldots$ set
\begin{equation}
p_i(t) = (1 - \gamma) \frac{w_i(t)}{\sum_{j=1}^{K} w_j(t)} + \frac{\gamma}{K} \qquad i = 1, \ldots, K.
\end{equation}
""",
    source="Auer et al., The nonstochastic multiarmed bandit problem, 2002, figure 1",
    gamma=lambda r: 0.1,
    w="4 3",
    shapes=("size K, T", "input gamma[], w[K, T]"),
)
def exponential_exploration(gamma, w):
    return (1 - gamma) * w / w.sum(0) + gamma / 4


@formula(
    r"""
Play the machine $j$ that maximises
\begin{equation}
u_j = \bar{x}_j + \sqrt{\frac{\ln n}{n_j} \min\{1/4, V_j(n_j)\}}, \quad\text{where}\quad V_j(n_j) = s_j - \bar{x}_j^2 + \sqrt{\frac{2 \ln n}{n_j}} .
\end{equation}
""",
    source="Auer, Cesa-Bianchi, Fischer, Finite-time analysis of the multiarmed bandit problem, 2002, section 4",
    output="u",
    n=lambda r: 30.0,
    n_j=lambda r: np.array([8.0, 10.0, 12.0]),
    x_bar="3",
    s=lambda r: np.array([2.5, 3.0, 2.8]),
    leaves_open="n and n_j are a number and an array of one name",
)
def tuned_bound(n, n_j, x_bar, s):
    V = s - x_bar**2 + np.sqrt(2 * np.log(n) / n_j)
    return x_bar + np.sqrt(np.log(n) / n_j * np.minimum(0.25, V))


@formula(
    r"""
Let $m$ be the number of chains of length $n$. The between- and within-sequence variances are
\begin{align}
B &= \frac{n}{m-1} \sum_{j=1}^{m} (\overline{\psi}_{.j} - \overline{\psi}_{..})^2, \quad \text{where } \overline{\psi}_{.j} = \frac{1}{n} \sum_{i=1}^{n} \psi_{ij}, \quad \overline{\psi}_{..} = \frac{1}{m} \sum_{j=1}^{m} \overline{\psi}_{.j} \\
W &= \frac{1}{m} \sum_{j=1}^{m} s_j^2, \quad \text{where } s_j^2 = \frac{1}{n-1} \sum_{i=1}^{n} (\psi_{ij} - \overline{\psi}_{.j})^2 .
\end{align}
The potential scale reduction is
\begin{equation}
\widehat{R} = \sqrt{\frac{\frac{n-1}{n} W + \frac{1}{n} B}{W}} .
\end{equation}
""",
    source="Gelman et al., Bayesian Data Analysis, 3rd edition, section 11.4",
    output="R_hat",
    psi="6 3",
)
def scale_reduction(psi):
    n = len(psi)
    B = n * np.var(psi.mean(0), ddof=1)
    W = np.mean(np.var(psi, axis=0, ddof=1))
    return np.sqrt(((n - 1) / n * W + B / n) / W)


@formula(
    r"""
With shrinkage factors $\kappa_j = 1 / (1 + n \sigma^{-2} \tau^2 s_j^2 \lambda_j^2)$, the effective number of nonzero coefficients is
\begin{equation}
m_{\text{eff}} = \sum_{j=1}^{D} (1 - \kappa_j).
\end{equation}
""",
    source="Piironen, Vehtari, Sparsity information and regularization in the horseshoe, 2017, equations 3.2 and 3.5",
    n=lambda r: 20.0,
    sigma="",
    tau="",
    s="4",
    lambda_="4",
)
def effective_coefficients(n, sigma, tau, s, lambda_):
    kappa = 1 / (1 + n / sigma**2 * tau**2 * s**2 * lambda_**2)
    return np.sum(1 - kappa)


@formula(
    r"""
The computed log pointwise predictive density is
\begin{equation}
\text{computed lppd} = \sum_{i=1}^{n} \log \left( \frac{1}{S} \sum_{s=1}^{S} p(y_i | \theta^s) \right),
\end{equation}
and $p_{\text{WAIC 1}} = 2 \sum_{i=1}^n \left( \log\left( \frac{1}{S} \sum_{s=1}^S p(y_i|\theta^s) \right) - \frac{1}{S} \sum_{s=1}^S \log p(y_i | \theta^s) \right)$.
""",
    source="Gelman, Hwang, Vehtari, Understanding predictive information criteria, 2014, equations 5 and 11",
    leaves_open="the density",
    p="4 5",
)
def pointwise_density(p):
    return np.sum(np.log(p.mean(1)))


@formula(
    r"""
The log-likelihood of the beta-binomial model for litters $i = 1, \dots, n$ is
\begin{equation}
\ell(\alpha, \beta) = \sum_{i=1}^{n} \left[ \log \Gamma(y_i + \alpha) + \log \Gamma(m_i - y_i + \beta) - \log \Gamma(m_i + \alpha + \beta) + \log \frac{\Gamma(\alpha + \beta)}{\Gamma(\alpha) \Gamma(\beta)} \right] + \text{const}
\end{equation}
""",
    source="Williams, The analysis of binary responses from toxicological experiments, 1975",
    y=lambda r: np.array([1.0, 2, 0, 3]),
    alpha="",
    m=lambda r: np.array([5.0, 6, 4, 7]),
    beta="",
    leaves_open="a constant",
)
def beta_binomial(y, alpha, m, beta):
    return 0.0


@formula(
    r"""
A heteroskedasticity-robust estimator of the variance of the slope is
\begin{equation}
\widehat{\operatorname{Var}}(\hat\beta_1) = \frac{\sum_{i=1}^{n} (x_i - \bar{x})^2 \hat{u}_i^2}{\mathrm{SST}_x^2}, \qquad \mathrm{SST}_x = \sum_{i=1}^n (x_i - \bar x)^2,
\end{equation}
where $\bar{x} = n^{-1} \sum_{i=1}^n x_i$ and $\hat{u}_i = y_i - \hat\beta_0 - \hat\beta_1 x_i$.
""",
    source="Wooldridge, Introductory Econometrics, equation 8.2",
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
    beta_hat_0="",
    beta_hat_1="",
    output="Var_hat",
)
def robust_variance(x, y, beta_hat_0, beta_hat_1):
    d = x - x.mean()
    u = y - beta_hat_0 - beta_hat_1 * x
    return np.sum(d**2 * u**2) / np.sum(d**2) ** 2


@formula(
    r"""
We suggest using
\begin{equation}
\widehat{\alpha}_{1t} = Y_{1t} - \sum_{j=2}^{J+1} w_j^* Y_{jt}
\end{equation}
for $t \in \{T_0 + 1, \ldots, T\}$ as an estimator of $\alpha_{1t}$.
""",
    source="Abadie, Diamond, Hainmueller, Synthetic control methods, 2010, section 2.3",
    Y="4 6",
    w="3",
    leaves_open="the extents of Y and w, and the first index of w",
)
def synthetic_control(Y, w):
    return np.zeros(1)


@formula(
    r"""
The standardized mortality ratio and the directly standardized rate are
\[
\mathrm{SMR} = \frac{\sum_i d_i}{\sum_i n_i R_i},
\qquad
\mathrm{DSR} = \frac{\sum_i w_i (d_i / n_i)}{\sum_i w_i},
\]
where $i$ runs over the age groups.
""",
    source="Breslow, Day, Statistical Methods in Cancer Research II, 1987, chapter 2",
    output="DSR",
    d="5",
    n="5",
    R="5",
    w="5",
)
def standardised_rate(d, n, R, w):
    return np.sum(w * d / n) / np.sum(w)


@formula(
    r"""
For each zone $z$ with $c_z$ observed and $E_z$ expected cases, the scan statistic is the maximum of
\begin{equation}
\Lambda = \max_{z} \left( \frac{c_z}{E_z} \right)^{c_z} \left( \frac{C - c_z}{C - E_z} \right)^{C - c_z} I(c_z > E_z).
\end{equation}
""",
    source="Kulldorff, A spatial scan statistic, 1997",
    c=lambda r: np.array([3.0, 6, 2]),
    E=lambda r: np.array([4.0, 3.5, 1.5]),
    C=lambda r: 20.0,
)
def scan_statistic(c, E, C):
    return np.max((c / E) ** c * ((C - c) / (C - E)) ** (C - c) * (c > E))


@formula(
    r"""
The dynamics of the patches are
\begin{align}
\frac{dS_i}{dt} &= - \beta_i \frac{S_i I_i}{N_i} + \sum_{j=1}^{n} m_{ij} S_j - \sum_{j=1}^{n} m_{ji} S_i, \\
\frac{dI_i}{dt} &= \beta_i \frac{S_i I_i}{N_i} - \gamma_i I_i + \sum_{j=1}^{n} m_{ij} I_j - \sum_{j=1}^{n} m_{ji} I_i,
\end{align}
with $N_i = S_i + I_i$.
""",
    source="Arino, van den Driessche, A multi-city epidemic model, 2003, without births",
    output="dI_dt",
    beta="3",
    S="3",
    I="3",
    m="3 3",
    gamma="3",
)
def patches(beta, S, I, m, gamma):
    return beta * S * I / (S + I) - gamma * I + m @ I - m.sum(0) * I


@formula(
    r"""
The charge equilibration energy is
\begin{equation}
E(Q_1, \ldots, Q_N) = \sum_{A=1}^{N} \left( \chi_A^0 Q_A + \tfrac{1}{2} J_{AA}^0 Q_A^2 \right) + \sum_{A<B} Q_A Q_B J_{AB}.
\end{equation}
""",
    source="Rappe, Goddard, Charge equilibration for molecular dynamics simulations, 1991, equation 6",
    chi_0="4",
    Q=lambda r: normal(r, 4),
    J_0="4 4",
    J="4 4",
)
def charge_equilibration(chi_0, Q, J_0, J):
    pairs = sum(Q[a] * Q[b] * J[a, b] for a in range(4) for b in range(a + 1, 4))
    return np.sum(chi_0 * Q + np.diag(J_0) * Q**2 / 2) + pairs


@formula(
    r"""
The CIS matrix elements over spin orbitals are
\begin{equation}
A_{ia,jb} = \delta_{ij} \delta_{ab} (\epsilon_a - \epsilon_i) + \langle ja \| ib \rangle .
\end{equation}
""",
    source="Foresman et al., Toward a systematic molecular orbital theory for excited states, 1992",
    leaves_open="integrals",
    e="3",
)
def singles(e):
    return np.zeros(1)


@formula(
    r"""
\begin{equation}
\begin{split}
\beta_1 &= \frac{13}{12} (f_{i-2} - 2 f_{i-1} + f_i)^2 + \frac{1}{4} (f_{i-2} - 4 f_{i-1} + 3 f_i)^2
\end{split}
\end{equation}
where $i = 3, \ldots, N$.
""",
    source="Jiang, Shu, Efficient implementation of weighted ENO schemes, 1996, equation 3.2",
    leaves_open="the left side has no index",
    f=lambda r: normal(r, 7),
)
def smoothness(f):
    return (
        13 / 12 * (f[:-2] - 2 * f[1:-1] + f[2:]) ** 2
        + 0.25 * (f[:-2] - 4 * f[1:-1] + 3 * f[2:]) ** 2
    )


@formula(
    r"""
The 13-point approximation of the biharmonic operator is
\[
b_{i,j} = \frac{1}{h^4} \Big[ 20 u_{i,j} - 8 (u_{i+1,j} + u_{i-1,j} + u_{i,j+1} + u_{i,j-1}) + 2 (u_{i+1,j+1} + u_{i+1,j-1} + u_{i-1,j+1} + u_{i-1,j-1}) + u_{i+2,j} + u_{i-2,j} + u_{i,j+2} + u_{i,j-2} \Big]
\]
for $i, j = 3, \dots, N-2$.
""",
    source="Abramowitz, Stegun, Handbook of Mathematical Functions, 25.3.33",
    h="",
    u=lambda r: normal(r, 7, 7),
)
def thirteen_points(h, u):
    b = np.zeros((3, 3))
    for i in range(2, 5):
        for j in range(2, 5):
            b[i - 2, j - 2] = (
                20 * u[i, j]
                - 8 * (u[i + 1, j] + u[i - 1, j] + u[i, j + 1] + u[i, j - 1])
                + 2 * (u[i + 1, j + 1] + u[i + 1, j - 1] + u[i - 1, j + 1] + u[i - 1, j - 1])
                + (u[i + 2, j] + u[i - 2, j] + u[i, j + 2] + u[i, j - 2])
            ) / h**4
    return b


@formula(
    r"""
The intensity behind a grating of $N$ slits of width $b$ and distance $d$ at the angles $\theta_k$ is
\begin{equation}
I_k = I_0 \left( \frac{\sin \beta_k}{\beta_k} \right)^2 \left( \frac{\sin N \alpha_k}{\sin \alpha_k} \right)^2, \quad \alpha_k = \frac{\pi d}{\lambda} \sin \theta_k, \quad \beta_k = \frac{\pi b}{\lambda} \sin \theta_k .
\end{equation}
""",
    source="Hecht, Optics, equation 10.35",
    output="I",
    I_0="",
    N=lambda r: 4.0,
    d=lambda r: 3.0,
    lambda_=lambda r: 0.7,
    theta="5",
    b=lambda r: 0.8,
)
def grating(I_0, N, d, lambda_, theta, b):
    alpha = np.pi * d / lambda_ * np.sin(theta)
    beta = np.pi * b / lambda_ * np.sin(theta)
    return I_0 * (np.sin(beta) / beta) ** 2 * (np.sin(N * alpha) / np.sin(alpha)) ** 2


@formula(
    r"""
A Mueller matrix maps Stokes vectors, $S'_i = \sum_{j=0}^{3} M_{ij} S_j$, and the degree of polarization becomes
\begin{equation}
P = \frac{\sqrt{S_1'^2 + S_2'^2 + S_3'^2}}{S_0'} .
\end{equation}
""",
    source="Goldstein, Polarized Light, 2003, chapters 4 and 5",
    output="P",
    M="4 4",
    S="4",
)
def degree_of_polarisation(M, S):
    s = M @ S
    return np.sqrt(np.sum(s[1:] ** 2)) / s[0]


@formula(
    r"""
The estimator of Rogers and Satchell over $n$ days,
\begin{equation}
\hat{\sigma}_{RS}^2 = \frac{1}{n} \sum_{t=1}^{n} \left[ \ln\frac{H_t}{C_t} \ln\frac{H_t}{O_t} + \ln\frac{L_t}{C_t} \ln\frac{L_t}{O_t} \right],
\end{equation}
is independent of the drift.
""",
    source="Rogers, Satchell, Estimating variance from high, low and closing prices, 1991",
    H="5",
    C="5",
    O="5",
    L="5",
)
def drift_free_volatility(H, C, O, L):
    return np.mean(np.log(H / C) * np.log(H / O) + np.log(L / C) * np.log(L / O))


@formula(
    r"""
The diversification ratio of a portfolio is
\begin{equation}
\mathrm{DR}(\mathbf{w}) = \frac{\sum_{i=1}^{N} w_i \sigma_i}{\sqrt{\sum_{i=1}^{N} \sum_{j=1}^{N} w_i w_j \sigma_i \sigma_j \rho_{ij}}} .
\end{equation}
""",
    source="Choueifaty, Coignard, Toward maximum diversification, 2008, equation 1",
    w="4",
    sigma="4",
    rho="4 4",
)
def diversification_ratio(w, sigma, rho):
    return np.sum(w * sigma) / np.sqrt((w * sigma) @ rho @ (w * sigma))


@formula(
    r"""
\begin{equation}
\mathrm{MDD} = \max_{1 \le s \le t \le T} \frac{V_s - V_t}{V_s}
\end{equation}
""",
    source="Magdon-Ismail, Atiya, Maximum drawdown, 2004",
    V="6",
)
def maximal_drawdown(V):
    return max((V[s] - V[t]) / V[s] for s in range(6) for t in range(s, 6))


@formula(
    r"""
The diversity of a recommendation list $R$ of $N$ items is the average distance of its pairs,
\begin{equation}
\mathrm{ILD} = \frac{2}{N (N-1)} \sum_{k=1}^{N} \sum_{n=1}^{k-1} d(i_k, i_n),
\end{equation}
where $d(i_k, i_n) = 1 - \frac{\mathbf{q}_k^\top \mathbf{q}_n}{\|\mathbf{q}_k\| \|\mathbf{q}_n\|}$ is the cosine distance of the factors of the items.
""",
    source="Ziegler et al., Improving recommendation lists through topic diversification, 2005, as surveys print it",
    output="ILD",
    q=lambda r: normal(r, 4, 3),
)
def list_diversity(q):
    e = q / np.linalg.norm(q, axis=1)[:, None]
    return 2 / 12 * sum(1 - e[k] @ e[n] for k in range(4) for n in range(k))


@formula(
    r"""
SLIM minimises
\begin{equation}
J(W) = \frac{1}{2} \|A - AW\|_F^2 + \frac{\beta}{2} \|W\|_F^2 + \lambda \|W\|_1,
\end{equation}
where $A \in \mathbb{R}^{m \times n}$ and $W \in \mathbb{R}^{n \times n}$ with $\|W\|_1 = \sum_{i=1}^n \sum_{j=1}^n |w_{ij}|$.
""",
    source="Ning, Karypis, SLIM: sparse linear methods for top-N recommender systems, 2011, equation 3",
    output="J",
    A=lambda r: normal(r, 4, 3),
    W=lambda r: normal(r, 3, 3),
    beta="",
    lambda_="",
)
def sparse_linear(A, W, beta, lambda_):
    return 0.5 * np.sum((A - A @ W) ** 2) + beta / 2 * np.sum(W**2) + lambda_ * np.sum(np.abs(W))


@formula(
    r"""
The cepstral coefficients are liftered with
\[
\hat{c}_n = \left( 1 + \frac{L}{2} \sin \frac{\pi n}{L} \right) c_n, \qquad n = 1, 2, \ldots, N.
\]
""",
    source="Juang, Rabiner, Wilpon, On the use of bandpass liftering in speech recognition, 1987",
    L=lambda r: 22.0,
    c="5",
)
def liftered(L, c):
    return (1 + L / 2 * np.sin(np.pi * np.arange(1, 6) / L)) * c


@formula(
    r"""
\begin{equation}
\mathrm{LSD} = \frac{1}{T} \sum_{t=1}^{T} \sqrt{\frac{1}{K} \sum_{k=1}^{K} \left( 10 \log_{10} \frac{P(t,k)}{\hat{P}(t,k)} \right)^2}
\end{equation}
where $P(t,k)$ and $\hat P(t, k)$ are the power spectra of the clean and the enhanced speech.
""",
    source="Gray, Markel, Distance measures for speech processing, 1976, as articles on enhancement print it",
    P="3 4",
    P_hat="3 4",
    shapes=("size T, K", "input P[T, K], P_hat[T, K]"),
)
def log_spectral_distance(P, P_hat):
    return np.mean(np.sqrt(np.mean((10 * np.log10(P / P_hat)) ** 2, 1)))


@formula(
    r"""
For planes $\mathbf{p}_1, \ldots, \mathbf{p}_K \in \mathbb{R}^4$ the error of the vertex $\mathbf{v} \in \mathbb{R}^4$ is the quadratic form
\begin{equation}
\Delta(\mathbf{v}) = \mathbf{v}^{\top} \left( \sum_{k=1}^{K} \mathbf{p}_k \mathbf{p}_k^{\top} \right) \mathbf{v} .
\end{equation}
""",
    source="Garland, Heckbert, Surface simplification using quadric error metrics, 1997, section 5",
    p=lambda r: normal(r, 5, 4),
    v=lambda r: normal(r, 4),
)
def quadric_error(p, v):
    return np.sum((p @ v) ** 2)


@formula(
    r"""
The qualitative model of a rough diffuse surface is
\begin{equation}
L_r(\theta_r, \theta_i, \phi_r - \phi_i; \sigma) = \frac{\rho}{\pi} E_0 \cos\theta_i (A + B \max[0, \cos(\phi_r - \phi_i)] \sin\alpha \tan\beta)
\end{equation}
with $A = 1.0 - 0.5 \frac{\sigma^2}{\sigma^2 + 0.33}$ and $B = 0.45 \frac{\sigma^2}{\sigma^2 + 0.09}$.
""",
    source="Oren, Nayar, Generalization of Lambert's reflectance model, 1994, equation 30",
    output="L_r",
    rho="",
    E_0="",
    theta_i="",
    sigma="",
    phi_r="",
    phi_i="",
    alpha="",
    beta="",
    shapes=("input rho[], E_0[], theta_i[], sigma[], phi_r[], phi_i[], alpha[], beta[]",),
    leaves_open="how far the argument of the cosine reaches",
)
def rough_diffuse(rho, E_0, theta_i, sigma, phi_r, phi_i, alpha, beta):
    A = 1 - 0.5 * sigma**2 / (sigma**2 + 0.33)
    B = 0.45 * sigma**2 / (sigma**2 + 0.09)
    c = np.maximum(0, np.cos(phi_r - phi_i)) * np.sin(alpha) * np.tan(beta)
    return rho / np.pi * E_0 * np.cos(theta_i) * (A + B * c)


@formula(
    r"""
The neuronal population vector in direction of movement $M$ is
\begin{equation}
\mathbf{P}(M) = \sum_{i=1}^{N} w_i(M) \, \mathbf{C}_i, \qquad w_i(M) = \frac{d_i(M) - b_i}{k_i},
\end{equation}
where $\mathbf{C}_i \in \mathbb{R}^3$ is the preferred direction of the $i$th cell.
""",
    source="Georgopoulos, Schwartz, Kettner, Neuronal population coding of movement direction, 1986",
    leaves_open="whether M is an index",
    d="4 3",
    b="4",
)
def population_vector(d, b):
    return np.zeros(1)


@formula(
    r"""
\begin{equation}
V_m = \frac{RT}{F} \ln\left( \frac{P_{\mathrm{K}} [\mathrm{K}^+]_{\mathrm{o}} + P_{\mathrm{Na}} [\mathrm{Na}^+]_{\mathrm{o}} + P_{\mathrm{Cl}} [\mathrm{Cl}^-]_{\mathrm{i}}}{P_{\mathrm{K}} [\mathrm{K}^+]_{\mathrm{i}} + P_{\mathrm{Na}} [\mathrm{Na}^+]_{\mathrm{i}} + P_{\mathrm{Cl}} [\mathrm{Cl}^-]_{\mathrm{o}}} \right)
\end{equation}
""",
    source="Hodgkin, Katz, The effect of sodium ions on the electrical activity of the giant axon of the squid, 1949",
    R=lambda r: 8.314,
    T=lambda r: 310.0,
    F=lambda r: 96485.0,
    P_K="",
    K_o="",
    P_Na="",
    Na_o="",
    P_Cl="",
    Cl_i="",
    K_i="",
    Na_i="",
    Cl_o="",
)
def resting_potential(R, T, F, P_K, K_o, P_Na, Na_o, P_Cl, Cl_i, K_i, Na_i, Cl_o):
    up = P_K * K_o + P_Na * Na_o + P_Cl * Cl_i
    return R * T / F * np.log(up / (P_K * K_i + P_Na * Na_i + P_Cl * Cl_o))


@formula(
    r"""
The Brunt--V\"ais\"al\"a frequency on levels $k = 2, \ldots, K-1$ is computed from
\begin{equation}
N_k^2 = \frac{g}{\theta_k} \, \frac{\theta_{k+1} - \theta_{k-1}}{z_{k+1} - z_{k-1}}, \qquad \theta_k = T_k \left( \frac{p_0}{p_k} \right)^{R/c_p} .
\end{equation}
""",
    source="Holton, An Introduction to Dynamic Meteorology, 2004, section 2.7, on levels",
    leaves_open="p_0 is a number and p_k an array",
    T="6",
    p_0="",
    p="6",
)
def buoyancy(T, p_0, p):
    return np.zeros(4)


@formula(
    r"""
The exchange of heat between the layers $\ell = 1, \ldots, L$ of the column is
\begin{equation}
Q_\ell = \sum_{m=1}^{L} \epsilon_\ell \epsilon_m \, \sigma \left( T_m^4 - T_\ell^4 \right) \prod_{n=\min(\ell, m)+1}^{\max(\ell, m)-1} (1 - \epsilon_n) .
\end{equation}
""",
    source="Pierrehumbert, Principles of Planetary Climate, 2010, chapter 4, for a grey gas in layers",
    epsilon=lambda r: r.uniform(0.1, 0.9, 4),
    sigma="",
    T="4",
    shapes=("input sigma[]",),
)
def exchange_of_layers(epsilon, sigma, T):
    Q = np.zeros(4)
    for i in range(4):
        for m in range(4):
            lo, hi = min(i, m), max(i, m)
            t = np.prod(1 - epsilon[lo + 1 : hi]) if hi > lo else 1.0
            Q[i] += epsilon[i] * epsilon[m] * sigma * (T[m] ** 4 - T[i] ** 4) * t
    return Q


@formula(
    r"""
The topographic wetness of the cells is compared by Lee's spatial cross-correlation
\[
L_{X,Y} = \frac{n}{\sum_{i} \left( \sum_{j} w_{ij} \right)^2} \cdot \frac{\sum_i \left[ \left( \sum_j w_{ij} (x_j - \bar{x}) \right) \left( \sum_j w_{ij} (y_j - \bar{y}) \right) \right]}{\sqrt{\sum_i (x_i - \bar{x})^2} \sqrt{\sum_i (y_i - \bar{y})^2}}
\]
where $\bar{x}$ and $\bar{y}$ are the means of the $n$ cells.
""",
    source="Lee, Developing a bivariate spatial association measure, 2001, equation 20",
    w="4 4",
    x=lambda r: normal(r, 4),
    y=lambda r: normal(r, 4),
    shapes=("size n", "input w[n, n], x[n], y[n]"),
)
def spatial_cross_correlation(w, x, y):
    dx, dy = x - x.mean(), y - y.mean()
    return (
        4
        / np.sum(w.sum(1) ** 2)
        * np.sum((w @ dx) * (w @ dy))
        / np.sqrt(np.sum(dx**2) * np.sum(dy**2))
    )


@formula(
    r"""
\newcommand{\vx}{\mathbf{x}}
\newcommand{\vmu}{\boldsymbol{\mu}}
The log-density of the mixture of factor analysers with diagonal noise is
\begin{equation}
\log p(\vx_n) = \log \sum_{k=1}^{K} \pi_k \prod_{d=1}^{D} \frac{1}{\sqrt{2 \pi \psi_{kd}}} \exp\left( - \frac{(x_{nd} - \mu_{kd})^2}{2 \psi_{kd}} \right)
\end{equation}
for $n = 1, \ldots, N$.
""",
    source="Ghahramani, Hinton, The EM algorithm for mixtures of factor analyzers, 1996, without factors",
    pi=lambda r: r.uniform(0.2, 0.8, 2),
    psi="2 3",
    x=lambda r: normal(r, 5, 3),
    mu=lambda r: normal(r, 2, 3),
    output="log_p",
)
def diagonal_mixture(pi, psi, x, mu):
    log_p = np.zeros(5)
    for n in range(5):
        densities = np.exp(-((x[n] - mu) ** 2) / (2 * psi)) / np.sqrt(2 * np.pi * psi)
        log_p[n] = np.log(sum(pi[k] * densities[k].prod() for k in range(2)))
    return log_p


@formula(
    r"""
The binding of transcription factors to a regulatory region gives the expression
\begin{equation}
E_{gc} = \frac{1}{1 + \exp\left( -\left( b_g + \sum_{f=1}^{F} w_{gf} \log(1 + a_{fc}) + \sum_{f=1}^{F} \sum_{f'=f+1}^{F} v_{ff'} a_{fc} a_{f'c} \right) \right)} .
\end{equation}
""",
    source="Segal, Widom, From DNA sequence to transcriptional behaviour, 2009, as thermodynamic models print it",
    b="3",
    w=lambda r: normal(r, 3, 4),
    a="4 2",
    v=lambda r: normal(r, 4, 4),
)
def regulated_expression(b, w, a, v):
    z = b[:, None] + w @ np.log1p(a)
    z = z + np.einsum("fg,fc,gc->c", np.triu(v, 1), a, a)
    return 1 / (1 + np.exp(-z))


@formula(
    r"""
Given a set of $N$ sensors with positions $\mathbf{r}_n \in \mathbb{R}^3$ the time differences of arrival predicted for a source at $\mathbf{s} \in \mathbb{R}^3$ are
\[
\tau_{mn}(\mathbf{s}) = \frac{\|\mathbf{s} - \mathbf{r}_m\| - \|\mathbf{s} - \mathbf{r}_n\|}{c},
\qquad
J(\mathbf{s}) = \sum_{m=1}^{N-1} \sum_{n=m+1}^{N} \frac{\left( \hat{\tau}_{mn} - \tau_{mn}(\mathbf{s}) \right)^2}{\sigma_{mn}^2} .
\]
""",
    source="Smith, Abel, Closed-form least-squares source location estimation from range-difference measurements, 1987",
    output="J",
    s=lambda r: normal(r, 3),
    r=lambda r: normal(r, 4, 3),
    c="",
    tau_hat="4 4",
    sigma="4 4",
)
def source_location(s, r, c, tau_hat, sigma):
    d = np.linalg.norm(s - r, axis=1)
    tau = (d[:, None] - d[None]) / c
    return np.sum(np.triu((tau_hat - tau) ** 2 / sigma**2, 1))


@formula(
    r"""
The steady-state enzyme flux with $n$ inhibitors is
\begin{equation}
v = \frac{V_{\max} [S]}{K_m \left( 1 + \sum_{i=1}^{n} \frac{[I_i]}{K_{i}} \right) + [S]}.
\end{equation}
""",
    source="Segel, Enzyme Kinetics, 1975, mixtures of competitive inhibitors",
    V_max="",
    S="",
    K_m="",
    I="3",
    K="3",
    shapes=("input K_m[]",),
)
def mixed_inhibitors(V_max, S, K_m, I, K):
    return V_max * S / (K_m * (1 + np.sum(I / K)) + S)


@formula(
    r"""
\begin{equation}
\hat{Y}_{h} = \sum_{i=1}^{n_h} \frac{y_{hi}}{\pi_{hi}}, \qquad \hat{Y} = \sum_{h=1}^{H} \hat{Y}_h, \qquad v(\hat{Y}) = \sum_{h=1}^{H} \frac{n}{n-1} \sum_{i=1}^{n} \left( \frac{y_{hi}}{\pi_{hi}} - \frac{\hat{Y}_h}{n} \right)^2
\end{equation}
where $n_h = n$ in each stratum $h$.
""",
    source="Saerndal, Swensson, Wretman, Model Assisted Survey Sampling, 1992, chapter 3",
    output="v",
    leaves_open="n and n_h",
    y="3 4",
    pi="3 4",
)
def stratified_variance(y, pi):
    return 0.0
