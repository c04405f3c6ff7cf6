"""Formulas of articles on light, demography, contracts, sounds, chains, retrieval, policies, hazards and grids, with the words around them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\dd}{\mathrm{d}}
\newcommand{\vect}[1]{\boldsymbol{#1}}
\begin{document}
The Jones--Mueller intensity behind a rotating retarder with Stokes parameters $S_0,\dots,S_3$ at angle $\theta_k$ is
\begin{equation}
I_k = \frac{1}{2}\left[ A + B \sin 2\theta_k + C \cos 4\theta_k + D \sin 4\theta_k \right], \quad k = 1,\dots,K.
\end{equation}
\end{document}
""",
    source="Goldstein, Polarized Light, 2003, section 5.4",
    A="",
    B="",
    C="",
    D="",
    theta="5",
)
def retarder_intensity(A, B, C, D, theta):
    return (A + B * np.sin(2 * theta) + C * np.cos(4 * theta) + D * np.sin(4 * theta)) / 2


@formula(
    r"""
The gross reproduction rate and the net reproduction rate are computed from the maternity function $m_x$ and the survivorship $l_x$ as
\[
R_0 = \sum_{x=0}^{\omega} l_x m_x, \qquad T = \frac{\sum_{x=0}^{\omega} x\, l_x m_x}{\sum_{x=0}^{\omega} l_x m_x}, \qquad r \approx \frac{\ln R_0}{T}.
\]
""",
    source="Keyfitz, Applied Mathematical Demography, 1977",
    output="r",
    l="5",
    m="5",
)
def growth_rate(l, m):
    R = np.sum(l * m)
    T = np.sum(np.arange(5) * l * m) / R
    return np.log(R) / T


@formula(
    r"""
With Calvo pricing the optimal reset price aggregates expected marginal costs:
\begin{equation}
p^*_i = \frac{\epsilon}{\epsilon - 1} \frac{\sum_{k=0}^{K} (\beta\theta)^k \, y_{i,k} \, mc_{i,k} \, P_k^{\epsilon}}{\sum_{k=0}^{K} (\beta\theta)^k \, y_{i,k} \, P_k^{\epsilon - 1}}.
\end{equation}
""",
    shapes=("input mc[I, K+1]",),
    source="Calvo, Staggered prices in a utility-maximizing framework, 1983, as lectures print it",
    epsilon=lambda r: 4.0,
    beta=lambda r: 0.9,
    theta=lambda r: 0.7,
    y="3 4",
    mc="3 4",
    P="4",
)
def reset_price(epsilon, beta, theta, y, mc, P):
    d = (beta * theta) ** np.arange(4)
    return epsilon / (epsilon - 1) * (y * mc) @ (d * P**epsilon) / (y @ (d * P ** (epsilon - 1)))


@formula(
    r"""
We minimise the trajectory cost of CHOMP, whose smoothness term is the sum of squared accelerations
\begin{equation}
F_{\mathrm{smooth}} = \frac{1}{2} \sum_{t=2}^{n-1} \left\| \frac{q_{t+1} - 2 q_t + q_{t-1}}{\Delta t^2} \right\|^2
\end{equation}
with configurations $q_t \in \mathbb{R}^d$.
""",
    source="Ratliff et al., CHOMP, 2009",
    leaves_open="a power of a step",
    q="5 2",
)
def chomp(q):
    return 0.0


@formula(
    r"""
The output of a cascaded integrator is compensated by a symmetric FIR filter of odd length $2L+1$:
\[
y[n] = h_0 x[n] + \sum_{l=1}^{L} h_l \left( x[n-l] + x[n+l] \right)
\]
""",
    source="Oppenheim and Schafer, Discrete-Time Signal Processing, 1989, linear phase",
    leaves_open="ends of the signal",
    h="3",
)
def symmetric_fir(h):
    return np.zeros(3)


@formula(
    r"""
\newcommand{\norm}[1]{\left\lVert #1 \right\rVert}
Mean curvature flow of a mesh uses the cotangent weights; the Dirichlet energy of positions $\mathbf{p}_i \in \mathbb{R}^3$ is
\begin{equation}
E_D = \frac{1}{4} \sum_{i=1}^{n} \sum_{j=1}^{n} w_{ij} \norm{\mathbf{p}_i - \mathbf{p}_j}^2, \qquad w_{ij} = \cot\alpha_{ij} + \cot\beta_{ij}.
\end{equation}
""",
    source="Pinkall and Polthier, Computing discrete minimal surfaces, 1993",
    output="E_D",
    p=lambda r: normal(r, 4, 3),
    alpha="4 4",
    beta="4 4",
)
def dirichlet_energy(p, alpha, beta):
    w = 1 / np.tan(alpha) + 1 / np.tan(beta)
    return 0.25 * np.sum(w * np.sum((p[:, None] - p[None]) ** 2, 2))


@formula(
    r"""
For a read of length $L$ with base qualities $Q_i$, the expected number of errors and the alignment log-likelihood are
\begin{align}
\epsilon_i &= 10^{-Q_i/10}, \\
\ell &= \sum_{i=1}^{L} \left[ m_i \log(1 - \epsilon_i) + (1 - m_i) \log \frac{\epsilon_i}{3} \right],
\end{align}
where $m_i = 1$ if base $i$ matches the reference and $m_i = 0$ otherwise.
""",
    source="Ewing and Green, Base-calling of automated sequencer traces, 1998",
    output="ell",
    Q=lambda r: uniform(r, 6) * 20,
    m=lambda r: (r.random(6) < 0.7).astype(float),
)
def read_likelihood(Q, m):
    e = 10 ** (-Q / 10)
    return np.sum(m * np.log(1 - e) + (1 - m) * np.log(e / 3))


@formula(
    r"""
The CCSD correlation energy for a closed shell is
\begin{equation}
E_{\text{corr}} = \sum_{ijab} \left( 2 \langle ij | ab \rangle - \langle ij | ba \rangle \right) \left( t_{ij}^{ab} + t_i^a t_j^b \right).
\end{equation}
""",
    source="Bartlett and Musial, Coupled-cluster theory, 2007",
    leaves_open="upper indices",
    t="2 3",
)
def ccsd_energy(t):
    return 0.0


@formula(
    r"""
\begin{equation}
\label{eq:bouguer}
g_z(x_j) = 2 G \rho \sum_{k=1}^{M} \left[ \frac{z_k \, w}{(x_j - \xi_k)^2 + z_k^2} \right], \quad j = 1, \ldots, N,
\end{equation}
is the anomaly of $M$ horizontal ribbons of width $w$ at depth $z_k$ and position $\xi_k$.
""",
    source="Blakely, Potential Theory in Gravity and Magnetic Applications, 1995",
    G="",
    rho="",
    z="3",
    w="",
    x="5",
    xi="3",
)
def ribbon_anomaly(G, rho, z, w, x, xi):
    return 2 * G * rho * np.sum(z * w / ((x[:, None] - xi) ** 2 + z**2), 1)


@formula(
    r"""
The normalised discounted cumulative gain at cutoff $K$ with exponential gains is
\begin{equation}
\mathrm{nDCG} = \frac{\sum_{i=1}^{K} \frac{2^{r_i} - 1}{\log_2(i+1)}}{\sum_{i=1}^{K} \frac{2^{r^*_i} - 1}{\log_2(i+1)}}
\end{equation}
where $r^*_i$ are the relevances in the ideal order.
""",
    source="Burges et al., Learning to rank using gradient descent, 2005",
    r="4",
    r_star="4",
)
def ndcg_cut(r, r_star):
    d = np.log2(np.arange(4) + 2)
    return np.sum((2**r - 1) / d) / np.sum((2**r_star - 1) / d)


@formula(
    r"""
Neural collaborative filtering fuses a generalised matrix factorisation and a perceptron:
\begin{align}
\phi^{GMF}_{ui} &= \mathbf{p}_u \odot \mathbf{q}_i, \\
\hat{y}_{ui} &= \sigma\left( \mathbf{h}^\top \phi^{GMF}_{ui} \right)
\end{align}
where $\mathbf{p}_u, \mathbf{q}_i, \mathbf{h} \in \mathbb{R}^K$ and $\sigma$ is the sigmoid function.
""",
    source="He et al., Neural collaborative filtering, 2017, equations 8 and 12",
    output="y_hat",
    p=lambda r: normal(r, 3, 4),
    q=lambda r: normal(r, 5, 4),
    h=lambda r: normal(r, 4),
)
def neural_factorization(p, q, h):
    return 1 / (1 + np.exp(-np.einsum("uk,ik,k->ui", p, q, h)))


@formula(
    r"""
The posterior mean and variance of the reverse process given $x_0$ are
\begin{equation}
\tilde\mu_t = \frac{\sqrt{\bar\alpha_{t-1}} \beta_t}{1 - \bar\alpha_t} x_0 + \frac{\sqrt{\alpha_t} (1 - \bar\alpha_{t-1})}{1 - \bar\alpha_t} x_t, \qquad \tilde\beta_t = \frac{1 - \bar\alpha_{t-1}}{1 - \bar\alpha_t} \beta_t
\end{equation}
for $t = 1, \ldots, T$, where $\bar\alpha_t = \prod_{s=1}^{t} \alpha_s$ and $\alpha_t = 1 - \beta_t$.
""",
    source="Ho et al., Denoising diffusion probabilistic models, 2020, equation 7",
    leaves_open="alpha bar 0",
    beta="4",
)
def ddpm_posterior(beta):
    return np.zeros(4)


@formula(
    r"""
The generalised advantage estimator with truncation reads
\begin{equation}
\hat{A}_t = \sum_{l=0}^{T-t} (\gamma\lambda)^l \delta_{t+l}, \qquad \delta_t = r_t + \gamma V_{t+1} - V_t, \qquad t = 1, \dots, T.
\end{equation}
""",
    source="Schulman et al., High-dimensional continuous control using generalized advantage estimation, 2016, truncated",
    output="A_hat",
    gamma="",
    r="5",
    V="6",
    **{"lambda": ""},
)
def truncated_advantage(gamma, r, V, **k):
    lam = k["lambda"]
    d = r + gamma * V[1:] - V[:-1]
    return np.array([sum((gamma * lam) ** l * d[t + l] for l in range(5 - t)) for t in range(5)])


@formula(
    r"""
A relational graph convolution sums messages over relation types,
\begin{equation}
h_i' = \sigma\left( \sum_{r=1}^{R} \sum_{j=1}^{N} \frac{a_{rij}}{c_{ir}} W_r h_j + W_0 h_i \right),
\end{equation}
with $h_i \in \mathbb{R}^d$, $W_r, W_0 \in \mathbb{R}^{d \times d}$ and $\sigma(\cdot) = \max(0, \cdot)$.
""",
    source="Schlichtkrull et al., Modeling relational data with graph convolutional networks, 2018, equation 2",
    a="2 3 3",
    c="3 2",
    W=lambda r: normal(r, 2, 4, 4),
    h=lambda r: normal(r, 3, 4),
    W_0=lambda r: normal(r, 4, 4),
)
def relational_convolution(a, c, W, h, W_0):
    s = np.einsum("rij,ir,rab,jb->ia", a, 1 / c, W, h) + h @ W_0.T
    return np.maximum(s, 0)


@formula(
    r"""
In Glow, an invertible $1 \times 1$ convolution and actnorm act on a feature map with channels $c$:
\begin{equation}
y_{hwc} = \sum_{c'} W_{cc'} \left( s_{c'} x_{hwc'} + b_{c'} \right).
\end{equation}
""",
    source="Kingma and Dhariwal, Glow, 2018",
    W="3 3",
    s="3",
    x="2 4 3",
    b="3",
)
def glow_step(W, s, x, b):
    return (s * x + b) @ W.T


@formula(
    r"""
Sparsemax thresholding aside, we use $\alpha$-entmax-free local attention with Gaussian bias:
\begin{equation}
a_{ij} = \frac{\exp\left( \frac{q_i^\top k_j}{\sqrt{d}} - \frac{(j - p_i)^2}{2\sigma_i^2} \right)}{\sum_{l=1}^{N} \exp\left( \frac{q_i^\top k_l}{\sqrt{d}} - \frac{(l - p_i)^2}{2\sigma_i^2} \right)}
\end{equation}
with $q_i, k_j \in \mathbb{R}^d$.
""",
    source="Yang et al., Modeling localness for self-attention networks, 2018",
    q=lambda r: normal(r, 3, 4),
    k=lambda r: normal(r, 5, 4),
    p=lambda r: uniform(r, 3) * 2,
    sigma="3",
)
def local_attention(q, k, p, sigma):
    e = q @ k.T / 2 - (np.arange(1, 6) - p[:, None]) ** 2 / (2 * sigma[:, None] ** 2)
    E = np.exp(e)
    return E / E.sum(1, keepdims=True)


@formula(
    r"""
Circle loss re-weights each similarity,
\begin{equation}
\mathcal{L}_{circle} = \log\left[ 1 + \sum_{j=1}^{L} \exp(\gamma \alpha_n^j (s_n^j - \Delta_n)) \sum_{i=1}^{K} \exp(-\gamma \alpha_p^i (s_p^i - \Delta_p)) \right]
\end{equation}
""",
    source="Sun et al., Circle loss, 2020, equation 5",
    shapes=("upper", "input s_n[L], s_p[K], alpha_n[L], alpha_p[K], Delta_n[], Delta_p[]"),
    gamma="",
    alpha_n="4",
    s_n="4",
    Delta_n="",
    alpha_p="3",
    s_p="3",
    Delta_p="",
)
def circle_of_pairs(gamma, alpha_n, s_n, Delta_n, alpha_p, s_p, Delta_p):
    return np.log(
        1
        + np.sum(np.exp(gamma * alpha_n * (s_n - Delta_n)))
        * np.sum(np.exp(-gamma * alpha_p * (s_p - Delta_p)))
    )


@formula(
    r"""
Harrell's concordance index counts comparable pairs,
\begin{equation}
C = \frac{\sum_{i} \sum_{j} \delta_i \, I(T_i < T_j) \, I(\eta_i > \eta_j)}{\sum_{i} \sum_{j} \delta_i \, I(T_i < T_j)} .
\end{equation}
""",
    source="Harrell et al., Evaluating the yield of medical tests, 1982",
    delta="5",
    T="5",
    eta="5",
)
def harrell_concordance(delta, T, eta):
    n = d = 0
    for i in range(5):
        for j in range(5):
            w = delta[i] * (T[i] < T[j])
            d += w
            n += w * (eta[i] > eta[j])
    return n / d


@formula(
    r"""
The empirical semivariance cloud is binned with weights; the cross-variogram between variables $u$ and $v$ for pairs at lag $h$ is
\[
\hat\gamma_{uv}(h) = \frac{1}{2 N(h)} \sum_{\alpha=1}^{N(h)} \left[ u(x_\alpha) - u(x_\alpha + h) \right] \left[ v(x_\alpha) - v(x_\alpha + h) \right].
\]
""",
    source="Wackernagel, Multivariate Geostatistics, 1995",
    leaves_open="pairs at a lag",
    u="3",
)
def cross_variogram(u):
    return 0.0


@formula(
    r"""
\begin{equation}
\hat\sigma^2_{GK} = \frac{1}{n} \sum_{i=1}^{n} \left[ \frac{1}{2} \left( \ln \frac{H_i}{L_i} \right)^2 - (2 \ln 2 - 1) \left( \ln \frac{C_i}{O_i} \right)^2 \right]
\end{equation}
""",
    source="Garman and Klass, On the estimation of security price volatilities, 1980",
    H="5",
    L="5",
    C="5",
    O="5",
)
def garman_klass(H, L, C, O):
    return np.mean(0.5 * np.log(H / L) ** 2 - (2 * np.log(2) - 1) * np.log(C / O) ** 2)


@formula(
    r"""
Turbulent kinetic energy, its dissipation and the Kolmogorov scale follow from the fluctuations $u'_{ni}$ at samples $n$ as
\begin{equation}
k = \frac{1}{2} \overline{u'_i u'_i} = \frac{1}{2N} \sum_{n=1}^{N} \sum_{i=1}^{3} (u'_{ni})^2, \qquad \eta = \left( \frac{\nu^3}{\varepsilon} \right)^{1/4}.
\end{equation}
""",
    source="Pope, Turbulent Flows, 2000",
    output="k",
    u_prime=lambda r: normal(r, 5, 3),
    nu="",
    varepsilon="",
)
def kinetic_energy(u_prime, nu, varepsilon):
    return 0.5 * np.mean(np.sum(u_prime**2, 1))


@formula(
    r"""
Let $\hat{\mathbf{F}}_{ij} = \mathbf{F}_{ij} / \|\mathbf{F}_{ij}\|_2$ be normalised features. The contrastive patch loss over locations is
\begin{equation}
\mathcal{L}_{patch} = - \frac{1}{S} \sum_{s=1}^{S} \log \frac{\exp(\mathbf{v}_s \cdot \mathbf{v}_s^+ / \tau)}{\exp(\mathbf{v}_s \cdot \mathbf{v}_s^+ / \tau) + \sum_{n=1}^{N} \exp(\mathbf{v}_s \cdot \mathbf{v}_{sn}^- / \tau)}
\end{equation}
where $\mathbf{v}_s, \mathbf{v}_s^+, \mathbf{v}_{sn}^- \in \mathbb{R}^C$.
""",
    source="Park et al., Contrastive learning for unpaired image-to-image translation, 2020, equation 3",
    output="L_patch",
    v=lambda r: normal(r, 3, 4),
    v_plus=lambda r: normal(r, 3, 4),
    tau="",
    v_minus=lambda r: normal(r, 3, 5, 4),
)
def patch_contrast(v, v_plus, tau, v_minus):
    a = np.exp(np.sum(v * v_plus, 1) / tau)
    b = np.exp(np.einsum("sc,snc->sn", v, v_minus) / tau).sum(1)
    return -np.mean(np.log(a / (a + b)))


@formula(
    r"""
DEDICOM with diagonal scaling models slice $k$ as
\begin{equation}
\mathbf{X}_k \approx \mathbf{A} \mathbf{D}_k \mathbf{R} \mathbf{D}_k \mathbf{A}^{\mathsf{T}}, \qquad k = 1, \dots, K,
\end{equation}
where $\mathbf{A} \in \mathbb{R}^{n \times p}$, $\mathbf{R} \in \mathbb{R}^{p \times p}$ and $\mathbf{D}_k \in \mathbb{R}^{p \times p}$.
""",
    source="Harshman, Models for analysis of asymmetrical relationships, 1978",
    A=lambda r: normal(r, 4, 2),
    D=lambda r: normal(r, 3, 2, 2),
    R=lambda r: normal(r, 2, 2),
)
def dedicom(A, D, R):
    return np.einsum("ia,kab,bc,kcd,jd->kij", A, D, R, D, A)


@formula(
    r"""
The silhouette aside, we report the normalised cut of a soft assignment $u_{ik}$ with affinity $w_{ij}$ and degrees $d_i = \sum_j w_{ij}$:
\begin{equation}
\mathrm{Ncut} = \sum_{k=1}^{K} \frac{\sum_{i,j} u_{ik} w_{ij} (1 - u_{jk})}{\sum_{i} u_{ik} d_i}.
\end{equation}
""",
    source="Shi and Malik, Normalized cuts and image segmentation, 2000, soft",
    u="5 2",
    w="5 5",
)
def soft_ncut(u, w):
    d = w.sum(1)
    return sum((u[:, k] @ w @ (1 - u[:, k])) / (u[:, k] @ d) for k in range(2))


@formula(
    r"""
\begin{equation}
\rho(t_m) = \frac{1}{N_A N_B} \sum_{a=1}^{N_A} \sum_{b=1}^{N_B} \exp\left( - \frac{|\mathbf{r}_a - \mathbf{s}_b - \mathbf{t}_m|^2}{2 \sigma^2} \right)
\end{equation}
Here $\mathbf{r}_a$, $\mathbf{s}_b$ and $\mathbf{t}_m$ are vectors in $\mathbb{R}^3$.
""",
    source="Carbo, Leyda and Arnau, How similar is a molecule to another?, 1980, of shifted points",
    r=lambda r: normal(r, 3, 3),
    s=lambda r: normal(r, 4, 3),
    t=lambda r: normal(r, 5, 3),
    sigma="",
)
def shifted_overlap(r, s, t, sigma):
    d = r[:, None, None] - s[None, :, None] - t[None, None]
    return np.exp(-np.sum(d**2, 3) / (2 * sigma**2)).mean((0, 1))


@formula(
    r"""
\documentclass[aps,prl,twocolumn]{revtex4-2}
\usepackage{amsmath,bm}
\begin{document}
For a Rydberg chain with van der Waals interactions, the classical energy of a configuration $n_i \in \{0,1\}$ is
\begin{equation}
E = -\Delta \sum_{i} n_i + \sum_{i<j} \frac{C_6}{|x_i - x_j|^6} n_i n_j .
\end{equation}
\end{document}
""",
    source="Bernien et al., Probing many-body dynamics on a 51-atom quantum simulator, 2017, without the drive",
    Delta="",
    n=lambda r: (r.random(5) < 0.5).astype(float),
    C_6="",
    x=lambda r: np.cumsum(r.uniform(0.5, 1.5, 5)),
)
def rydberg_energy(Delta, n, C_6, x):
    return -Delta * n.sum() + sum(
        C_6 / abs(x[i] - x[j]) ** 6 * n[i] * n[j] for i in range(5) for j in range(i + 1, 5)
    )


@formula(
    r"""
The expected number of secondary cases from travellers is $\Lambda_j = \sum_i M_{ij} I_i / N_i$, where $M_{ij}$ is the daily flow from city $i$ to city $j$. The probability of at least one importation into city $j$ is then
\begin{equation}
P_j = 1 - \prod_{i \neq j} \left( 1 - \frac{I_i}{N_i} \right)^{M_{ij}} .
\end{equation}
""",
    source="Brockmann and Helbing, The hidden geometry of contagion phenomena, 2013, as reports print it",
    I=lambda r: r.uniform(0.1, 0.4, 4),
    N="4",
    M="4 4",
)
def importation(I, N, M):
    return np.array(
        [1 - np.prod([(1 - I[i] / N[i]) ** M[i, j] for i in range(4) if i != j]) for j in range(4)]
    )


@formula(
    r"""
The Theil decomposition with population shares $n_g/n$ gives a between-group component
\begin{equation}
T_B = \sum_{g=1}^{G} \frac{n_g \bar{y}_g}{n \bar{y}} \ln \frac{\bar{y}_g}{\bar{y}}, \qquad \bar{y} = \frac{1}{n} \sum_{g=1}^{G} n_g \bar{y}_g, \quad n = \sum_{g=1}^{G} n_g .
\end{equation}
""",
    source="Theil, Economics and Information Theory, 1967",
    output="T_B",
    n_g="3",
    y_bar_g="3",
)
def theil_between(n_g, y_bar_g):
    n = n_g.sum()
    y = np.sum(n_g * y_bar_g) / n
    return np.sum(n_g * y_bar_g / (n * y) * np.log(y_bar_g / y))


@formula(
    r"""
An extended Kalman filter linearises the measurement; the innovation covariance and the normalised innovation squared are
\begin{align}
S &= H P H^{\top} + R, \\
\varepsilon &= \nu^{\top} S^{-1} \nu .
\end{align}
Here $H \in \mathbb{R}^{m \times n}$.
""",
    source="Bar-Shalom et al., Estimation with Applications to Tracking and Navigation, 2001",
    leaves_open="an inverse",
    H="2 3",
)
def innovation(H):
    return 0.0


@formula(
    r"""
The short-time energy and the zero-crossing rate of frame $m$, with hop $H$ and window $w$ of length $N$, are
\begin{align}
E_m &= \sum_{n=0}^{N-1} \left( w_n \, x_{n+mH} \right)^2, \\
Z_m &= \frac{1}{2N} \sum_{n=1}^{N-1} \left| \operatorname{sgn}(x_{n+mH}) - \operatorname{sgn}(x_{n+mH-1}) \right| .
\end{align}
""",
    source="Rabiner and Schafer, Digital Processing of Speech Signals, 1978",
    shapes=("size H, N, M", "input w[N], x[(M-1)*H+N]"),
    output="Z",
    x=lambda r: normal(r, 10),
    sizes={"H": 2},
    w="4",
)
def zero_crossing(x, w):
    return np.array(
        [
            sum(abs(np.sign(x[n + 2 * m]) - np.sign(x[n + 2 * m - 1])) for n in range(1, 4)) / 8
            for m in range(4)
        ]
    )


@formula(
    r"""
\newcommand{\RR}{\mathbb{R}}
We represent the surface as the zero set of an RBF interpolant. Given centers $\mathbf{c}_j \in \RR^3$, weights $w_j$ and a polynomial $\mathbf{a}^\top \mathbf{x} + b$, we evaluate at query points $\mathbf{x}_i \in \RR^3$:
\[
s(\mathbf{x}_i) = \mathbf{a}^\top \mathbf{x}_i + b + \sum_{j=1}^{M} w_j \| \mathbf{x}_i - \mathbf{c}_j \|^3 .
\]
""",
    source="Carr et al., Reconstruction and representation of 3D objects with radial basis functions, 2001",
    a=lambda r: normal(r, 3),
    x=lambda r: normal(r, 4, 3),
    b="",
    w="5",
    c=lambda r: normal(r, 5, 3),
)
def biharmonic_surface(a, x, b, w, c):
    return x @ a + b + (np.linalg.norm(x[:, None] - c[None], axis=2) ** 3) @ w


@formula(
    r"""
With emission probabilities $e_k(b)$ and transitions $a_{kl}$, one step of the Viterbi recursion in log space is
\begin{equation}
V_l(i+1) = \log e_l(x_{i+1}) + \max_k \left( V_k(i) + \log a_{kl} \right).
\end{equation}
""",
    source="Durbin et al., Biological Sequence Analysis, 1998, equation 3.8",
    leaves_open="a recursion",
    a="3 3",
)
def viterbi_step(a):
    return np.zeros(3)


@formula(
    r"""
The Mayer bond order between atoms $A$ and $B$ is
\begin{equation}
B_{AB} = \sum_{\mu} \sum_{\nu} m_{A\mu} \, m_{B\nu} \, (PS)_{\mu\nu} (PS)_{\nu\mu}
\end{equation}
where $m_{A\mu}$ is 1 if $\mu$ is centred on $A$, and $P, S \in \mathbb{R}^{n \times n}$ are the density and overlap matrices.
""",
    source="Mayer, Charge, bond order and valence in the ab initio SCF theory, 1983, with masks",
    m="2 3",
    P=lambda r: normal(r, 3, 3),
    S=lambda r: normal(r, 3, 3),
)
def mayer_order(m, P, S):
    Q = P @ S
    return np.einsum("am,bn,mn,nm->ab", m, m, Q, Q)


@formula(
    r"""
The seismic moment tensor inversion minimises the variance reduction-based misfit
\begin{equation}
\mathrm{VR} = \left[ 1 - \frac{\sum_{s=1}^{S} \sum_{t=1}^{T} \left( d_{st} - \sum_{k=1}^{6} G_{stk} m_k \right)^2}{\sum_{s=1}^{S} \sum_{t=1}^{T} d_{st}^2} \right] \times 100 .
\end{equation}
""",
    source="Dreger, TDMT_INV, 2003",
    d="2 5",
    G=lambda r: normal(r, 2, 5, 6),
    m="6",
)
def variance_reduction(d, G, m):
    return (1 - np.sum((d - G @ m) ** 2) / np.sum(d**2)) * 100


@formula(
    r"""
In divergence from randomness we use
\[
\mathrm{score}_d = \sum_{t \in Q} \mathrm{qtf}_t \cdot \frac{1}{\mathrm{tfn}_{td} + 1} \left( \mathrm{tfn}_{td} \log_2 \frac{\mathrm{tfn}_{td}}{\lambda_t} + \left( \lambda_t - \mathrm{tfn}_{td} \right) \log_2 e + 0.5 \log_2 (2\pi\, \mathrm{tfn}_{td}) \right)
\]
""",
    source="Amati and van Rijsbergen, Probabilistic models of information retrieval, 2002, PL2",
    shapes=("size Q, D", "input qtf[Q], tfn[Q, D], lambda[Q]"),
    qtf="4",
    tfn="4 3",
    **{"lambda": "4"},
)
def pl2(qtf, tfn, **k):
    l = k["lambda"][:, None]
    return qtf @ (
        1
        / (tfn + 1)
        * (tfn * np.log2(tfn / l) + (l - tfn) * np.log2(np.e) + 0.5 * np.log2(2 * np.pi * tfn))
    )


@formula(
    r"""
The variational lower bound of a matrix-factorisation VAE with multinomial likelihood is, for user $u$ with counts $x_{ui}$,
\begin{equation}
\mathcal{L}_u = \sum_{i=1}^{I} x_{ui} \log \pi_{ui} - \frac{\beta}{2} \sum_{k=1}^{K} \left( \sigma_{uk}^2 + \mu_{uk}^2 - 1 - \log \sigma_{uk}^2 \right), \quad \pi_{ui} = \frac{\exp(f_{ui})}{\sum_{i'=1}^{I} \exp(f_{ui'})} .
\end{equation}
""",
    source="Liang et al., Variational autoencoders for collaborative filtering, 2018, equation 5",
    x="3 4",
    beta="",
    sigma="3 2",
    mu="3 2",
    f=lambda r: normal(r, 3, 4),
    output="L",
)
def multinomial_vae(x, beta, sigma, mu, f):
    lp = f - np.log(np.exp(f).sum(1, keepdims=True))
    return np.sum(x * lp, 1) - beta / 2 * np.sum(sigma**2 + mu**2 - 1 - np.log(sigma**2), 1)


@formula(
    r"""
The probability-flow ODE has drift $f(\mathbf{x}) = -\frac{1}{2} \beta \mathbf{x}$. With guidance scale $w$, conditional scores $\mathbf{s}_i$ and unconditional scores $\mathbf{u}_i$, the update direction is
\begin{equation}
\mathbf{d}_i = -\frac{1}{2} \beta \left[ \mathbf{x}_i + (1 + w) \mathbf{s}_i - w \mathbf{u}_i \right], \qquad \mathbf{x}_i, \mathbf{s}_i, \mathbf{u}_i \in \mathbb{R}^D .
\end{equation}
""",
    source="Ho and Salimans, Classifier-free diffusion guidance, 2022, as a probability flow",
    output="d",
    beta="",
    x=lambda r: normal(r, 3, 4),
    w="",
    s=lambda r: normal(r, 3, 4),
    u=lambda r: normal(r, 3, 4),
)
def guided_flow(beta, x, w, s, u):
    return -0.5 * beta * (x + (1 + w) * s - w * u)


@formula(
    r"""
Quantile regression DQN minimises the quantile Huber loss
\begin{equation}
\mathcal{L} = \frac{1}{N} \sum_{i=1}^{N} \sum_{j=1}^{N} \left| \tau_i - \mathbb{1}_{\{\delta_{ij} < 0\}} \right| \mathcal{L}_\kappa(\delta_{ij}), \qquad \delta_{ij} = y_j - \theta_i
\end{equation}
where
\begin{equation}
\mathcal{L}_\kappa(u) = \begin{cases} \frac{1}{2} u^2, & \text{if } |u| \le \kappa, \\ \kappa \left( |u| - \frac{1}{2} \kappa \right), & \text{otherwise.} \end{cases}
\end{equation}
""",
    source="Dabney et al., Distributional reinforcement learning with quantile regression, 2018, equations 9 and 10",
    output="L",
    tau=lambda r: r.uniform(0, 1, 4),
    y=lambda r: normal(r, 4),
    theta=lambda r: normal(r, 4),
    kappa=lambda r: 0.8,
)
def quantile_huber(tau, y, theta, kappa):
    d = y[None] - theta[:, None]
    h = np.where(abs(d) <= kappa, 0.5 * d * d, kappa * (abs(d) - 0.5 * kappa))
    return np.sum(abs(tau[:, None] - (d < 0)) * h) / 4


@formula(
    r"""
E(n)-equivariant layers update the coordinates by
\begin{align}
\mathbf{m}_{ij} &= \phi_e(\mathbf{h}_i, \mathbf{h}_j, \|\mathbf{x}_i - \mathbf{x}_j\|^2, a_{ij}), \\
\mathbf{x}_i' &= \mathbf{x}_i + C \sum_{j \neq i} (\mathbf{x}_i - \mathbf{x}_j) \phi_x(\mathbf{m}_{ij}).
\end{align}
""",
    source="Satorras et al., E(n) equivariant graph neural networks, 2021",
    leaves_open="functions phi",
    x="3",
)
def equivariant_layer(x):
    return np.zeros(3)


@formula(
    r"""
Masked autoregressive flows give the log-likelihood
\begin{equation}
\log p(\mathbf{x}_n) = -\frac{D}{2} \log 2\pi - \frac{1}{2} \sum_{i=1}^{D} u_{ni}^2 - \sum_{i=1}^{D} \alpha_{ni}, \qquad u_{ni} = (x_{ni} - \mu_{ni}) e^{-\alpha_{ni}} .
\end{equation}
""",
    source="Papamakarios et al., Masked autoregressive flow for density estimation, 2017",
    x="3 4",
    mu="3 4",
    alpha="3 4",
)
def autoregressive_flow(x, mu, alpha):
    u = (x - mu) * np.exp(-alpha)
    return -2 * np.log(2 * np.pi) - 0.5 * np.sum(u * u, 1) - alpha.sum(1)


@formula(
    r"""
\begin{equation}
\mathrm{Attn}_i = \sum_{j=1}^{n} \frac{\exp\left( -\frac{\|\mathbf{q}_i - \mathbf{k}_j\|_2^2}{2 \sqrt{d}} \right)}{\sum_{l=1}^{n} \exp\left( -\frac{\|\mathbf{q}_i - \mathbf{k}_l\|_2^2}{2 \sqrt{d}} \right)} \mathbf{v}_j, \qquad \mathbf{q}_i, \mathbf{k}_j \in \mathbb{R}^{d}, \ \mathbf{v}_j \in \mathbb{R}^{p}
\end{equation}
is the attention with a Gaussian kernel.
""",
    source="Chen et al., Skyformer, 2021",
    q=lambda r: normal(r, 3, 4),
    k=lambda r: normal(r, 5, 4),
    v=lambda r: normal(r, 5, 2),
)
def gaussian_attention(q, k, v):
    E = np.exp(-np.sum((q[:, None] - k[None]) ** 2, 2) / 4)
    return E @ v / E.sum(1, keepdims=True)


@formula(
    r"""
Let $s_p = \cos\theta_{y_i}$; CosFace and its adaptive variant with margins $m_i$ give
\begin{equation}
L = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{e^{s (\cos\theta_{i,y_i} - m_i)}}{e^{s(\cos\theta_{i,y_i} - m_i)} + \sum_{j \neq y_i} e^{s \cos\theta_{i,j}}} .
\end{equation}
""",
    source="Wang et al., CosFace, 2018, with margins",
    shapes=("size N, C", "input theta[N, C], m[N], s[], y[N]: 1..C"),
    output="L",
    theta=lambda r: r.uniform(0.2, 1.4, (4, 3)),
    m=lambda r: r.uniform(0, 0.3, 4),
    s=lambda r: 3.0,
    y=lambda r: np.array([1, 3, 2, 2]),
)
def adaptive_cosface(theta, m, s, y):
    L = 0
    for i in range(4):
        c = y[i] - 1
        a = np.exp(s * (np.cos(theta[i, c]) - m[i]))
        L -= np.log(a / (a + sum(np.exp(s * np.cos(theta[i, j])) for j in range(3) if j != c))) / 4
    return L


@formula(
    r"""
The discrete-time hazard model has likelihood contributions
\begin{equation}
\log L = \sum_{i=1}^{n} \sum_{t=1}^{T} r_{it} \left[ d_{it} \log h_{it} + (1 - d_{it}) \log (1 - h_{it}) \right], \qquad \operatorname{logit}(h_{it}) = \alpha_t + \mathbf{x}_i^\top \boldsymbol\beta .
\end{equation}
""",
    source="Singer and Willett, Applied Longitudinal Data Analysis, 2003",
    output="log_L",
    r="3 4",
    d="3 4",
    alpha="4",
    x=lambda r: normal(r, 3, 2),
    beta=lambda r: normal(r, 2),
)
def discrete_hazard(r, d, alpha, x, beta):
    h = 1 / (1 + np.exp(-(alpha + (x @ beta)[:, None])))
    return np.sum(r * (d * np.log(h) + (1 - d) * np.log(1 - h)))


@formula(
    r"""
Ripley's $K$ with Gaussian edge weights can be smoothed; the mark correlation function at distances $r_m$ is
\begin{equation}
\kappa(r_m) = \frac{\sum_{i} \sum_{j \neq i} f_i f_j \, k_h(r_m - d_{ij})}{\bar{f}^2 \sum_{i} \sum_{j \neq i} k_h(r_m - d_{ij})}, \qquad k_h(u) = \frac{1}{\sqrt{2\pi} h} e^{-u^2 / (2h^2)},
\end{equation}
where $\bar{f}$ is the mean of the marks $f_i$.
""",
    source="Illian et al., Statistical Analysis and Modelling of Spatial Point Patterns, 2008",
    output="kappa",
    f="4",
    r="3",
    d="4 4",
    h="",
)
def mark_correlation(f, r, d, h):
    k = lambda u: np.exp(-u * u / (2 * h * h)) / (np.sqrt(2 * np.pi) * h)
    out = []
    for x in r:
        a = b = 0
        for i in range(4):
            for j in range(4):
                if i != j:
                    a += f[i] * f[j] * k(x - d[i, j])
                    b += k(x - d[i, j])
        out.append(a / (f.mean() ** 2 * b))
    return np.array(out)


@formula(
    r"""
The price of a defaultable coupon bond with hazard rate $\lambda$, recovery $R$ and discount factors $D_k$ at times $t_k$, $k = 1, \ldots, n$, is
\begin{equation}
B = c \sum_{k=1}^{n} D_k e^{-\lambda t_k} + D_n e^{-\lambda t_n} + R \sum_{k=1}^{n} D_k \left( e^{-\lambda t_{k-1}} - e^{-\lambda t_k} \right), \quad t_0 = 0 .
\end{equation}
""",
    source="O'Kane, Modelling Single-name and Multi-name Credit Derivatives, 2008",
    output="B",
    c="",
    D="4",
    t=lambda r: np.arange(5.0),
    R="",
    **{"lambda": ""},
)
def defaultable_bond(c, D, t, R, **k):
    q = np.exp(-k["lambda"] * t)
    return c * np.sum(D * q[1:]) + D[-1] * q[-1] + R * np.sum(D * (q[:-1] - q[1:]))


@formula(
    r"""
The discrete enstrophy and palinstrophy on an $N \times N$ grid of spacing $h$ follow from $\omega_{ij}$:
\begin{equation}
\mathcal{Z} = \frac{h^2}{2} \sum_{i=1}^{N} \sum_{j=1}^{N} \omega_{ij}^2, \qquad \mathcal{P} = \frac{1}{2} \sum_{i=1}^{N-1} \sum_{j=1}^{N-1} \left[ (\omega_{i+1,j} - \omega_{ij})^2 + (\omega_{i,j+1} - \omega_{ij})^2 \right].
\end{equation}
""",
    source="Clercx and van Heijst, Two-dimensional Navier-Stokes turbulence in bounded domains, 2009",
    output="P",
    h="",
    omega=lambda r: normal(r, 4, 4),
)
def palinstrophy(h, omega):
    w = omega
    return 0.5 * np.sum((w[1:, :-1] - w[:-1, :-1]) ** 2 + (w[:-1, 1:] - w[:-1, :-1]) ** 2)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{DINO}} = -\frac{1}{B} \sum_{b=1}^{B} \sum_{k=1}^{K} p_{bk}^{t} \log p_{bk}^{s}, \quad p_{bk}^{t} = \frac{\exp((g_{bk}^t - c_k)/\tau_t)}{\sum_{l=1}^K \exp((g_{bl}^t - c_l)/\tau_t)}, \quad p_{bk}^{s} = \frac{\exp(g_{bk}^s/\tau_s)}{\sum_{l=1}^K \exp(g_{bl}^s / \tau_s)},
\end{equation}
where superscripts $t$ and $s$ denote the teacher and the student.
""",
    source="Caron et al., Emerging properties in self-supervised vision transformers, 2021",
    output="L_DINO",
    g_t=lambda r: normal(r, 3, 4),
    c="4",
    tau_t="",
    g_s=lambda r: normal(r, 3, 4),
    tau_s="",
)
def dino_loss(g_t, c, tau_t, g_s, tau_s):
    a = np.exp((g_t - c) / tau_t)
    a /= a.sum(1, keepdims=True)
    b = np.exp(g_s / tau_s)
    b /= b.sum(1, keepdims=True)
    return -np.mean(np.sum(a * np.log(b), 1))


@formula(
    r"""
In non-negative CP the multiplicative update of the first factor is
\begin{equation}
a_{ir} \leftarrow a_{ir} \frac{\sum_{j=1}^{J} \sum_{k=1}^{K} x_{ijk} b_{jr} c_{kr}}{\sum_{q=1}^{R} a_{iq} \left( \sum_{j=1}^{J} b_{jq} b_{jr} \right) \left( \sum_{k=1}^{K} c_{kq} c_{kr} \right)} .
\end{equation}
""",
    source="Welling and Weber, Positive tensor factorization, 2001",
    a="3 2",
    x="3 4 2",
    b="4 2",
    c="2 2",
)
def positive_cp(a, x, b, c):
    return a * np.einsum("ijk,jr,kr->ir", x, b, c) / (a @ ((b.T @ b) * (c.T @ c)))


@formula(
    r"""
Affinity propagation exchanges responsibilities; with similarities $s(i,k)$ and availabilities $a(i,k)$ the undamped update is
\begin{equation}
r(i,k) \leftarrow s(i,k) - \max_{k' \neq k} \left\{ a(i,k') + s(i,k') \right\} .
\end{equation}
""",
    source="Frey and Dueck, Clustering by passing messages between data points, 2007",
    s=lambda r: normal(r, 4, 4),
    a=lambda r: normal(r, 4, 4),
)
def responsibilities_of_exemplars(s, a):
    t = a + s
    return np.array(
        [[s[i, k] - max(t[i, q] for q in range(4) if q != k) for k in range(4)] for i in range(4)]
    )


@formula(
    r"""
The Kuramoto order parameter of community $c$ with membership $z_{ic}$ satisfies
\begin{equation}
R_c^2 = \frac{\left( \sum_i z_{ic} \cos\theta_i \right)^2 + \left( \sum_i z_{ic} \sin\theta_i \right)^2}{\left( \sum_i z_{ic} \right)^2} .
\end{equation}
""",
    source="Kuramoto, Chemical Oscillations, Waves, and Turbulence, 1984, in communities",
    z="5 2",
    theta="5",
    output="R_squared",
)
def community_order(z, theta):
    return ((z.T @ np.cos(theta)) ** 2 + (z.T @ np.sin(theta)) ** 2) / z.sum(0) ** 2
