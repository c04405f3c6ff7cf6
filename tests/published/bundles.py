"""Formulas as papers on graphs, fluids, orbitals, ranking, routing, spins, survival and pictures print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\begin{equation}
    \tilde{e}_{\text{RBF},n}(d) = \sqrt{\frac{2}{c}} \frac{\sin(\frac{n\pi}{c}d)}{d},
    \label{eq:rbf}
\end{equation}
where $n \in [1..N_\text{RBF}]$.
""",
    source="Gasteiger, Gross, Guennemann, Directional message passing for molecular graphs, 2020, equation 7",
    shapes=("size N_RBF", "input c[], d[]", "base 1"),
    sizes={"N_RBF": 4},
    c="",
    d="",
)
def bessel_basis(c, d):
    return np.array([np.sqrt(2 / c) * np.sin(n * np.pi / c * d) / d for n in range(1, 5)])


@formula(
    r"""
\newcommand{\bx}{\mathbf{x}}
\newcommand{\bw}{\mathbf{w}}
\newcommand{\bb}{\mathbf{b}}
Each layer in the cross network has the following formula:
\begin{equation}
\bx_{l+1} = \bx_0 \bx_l^T \bw_l + \bb_l + \bx_l = f(\bx_l, \bw_l, \bb_l) + \bx_l,
\end{equation}
where $\bx_l, \bx_{l+1} \in \mathbb{R}^d$ are column vectors denoting the outputs from the $l$-th and $(l+1)$-th cross layers, respectively; $\bw_l, \bb_l \in \mathbb{R}^d$ are the weight and bias parameters of the $l$-th layer.
""",
    source="Wang et al., Deep and cross network for ad click predictions, 2017, equation 3",
    leaves_open="a recurrence over layers",
    x="3",
)
def cross_layer(x):
    return x


@formula(
    r"""
\begin{equation}
\mathbf{m}_{u\leftarrow i} = \frac{1}{\sqrt{|\mathcal{N}_{u}||\mathcal{N}_{i}|}}\Big(\mathbf{W}_{1}\mathbf{e}_{i}+\mathbf{W}_{2}(\mathbf{e}_{i}\odot\mathbf{e}_{u})\Big),
\end{equation}
where $\mathbf{W}_{1},\mathbf{W}_{2}\in\mathbb{R}^{d'\times d}$ are the trainable weight matrices to distill useful information for propagation.
""",
    source="Wang et al., Neural graph collaborative filtering, 2019, equation 3",
    leaves_open="sizes of sets of neighbours that no formula gives",
    e="3",
)
def embedding_message(e):
    return e


@formula(
    r"""
\begin{equation}
y_{FM} = \langle w, x \rangle + \sum_{j_1=1}^{d} \sum_{j_2=j_1+1}^{d} \langle V_{j_1}, V_{j_2} \rangle x_{j_1} \cdot x_{j_2},
\end{equation}
where $w \in R^d$ and $V_i \in R^k$ ($k$ is given).
""",
    source="Guo et al., DeepFM, 2017, equation 2",
    shapes=("base 1", "size d, k", "input w[d], x[d], V[d, k]"),
    w=lambda r: normal(r, 4),
    x=lambda r: normal(r, 4),
    V=lambda r: normal(r, 4, 2),
)
def factorisation_component(w, x, V):
    out = w @ x
    for i in range(4):
        for j in range(i + 1, 4):
            out += V[i] @ V[j] * x[i] * x[j]
    return out


@formula(
    r"""
\begin{equation}
{\bf v}_j = \frac{||{\bf s}_j||^2}{1+||{\bf s}_j||^2} \frac{{\bf s}_j}{||{\bf s}_j||}
\label{squash}
\end{equation}
where ${\bf v}_j$ is the vector output of capsule $j$ and ${\bf s}_j$ is its total input.
For all but the first layer of capsules, the total input to a capsule ${\bf s}_j$ is a weighted sum over all ``prediction vectors'' ${\bf \hat{u}}_{j|i}$ from the capsules in the layer below and is produced by multiplying the output ${\bf u}_i$ of a capsule in the layer below by a weight matrix ${\bf W}_{ij}$
\begin{equation}
{\bf s}_j = \sum_i c_{ij} {\bf \hat{u}}_{j|i} \ , \ \ \ \ \ \ \  {\bf \hat{u}}_{j|i} = {\bf W}_{ij}{\bf u}_i
\end{equation}
""",
    source="Sabour, Frosst, Hinton, Dynamic routing between capsules, 2017, equations 1 and 2",
    shapes=("size I, J, D, E", "input c[I, J], W[I, J, D, E], u[I, E]"),
    output="v",
    c="2 3",
    W=lambda r: normal(r, 2, 3, 4, 2),
    u=lambda r: normal(r, 2, 2),
)
def squashed_capsules(c, W, u):
    out = np.zeros((3, 4))
    for j in range(3):
        s = np.zeros(4)
        for i in range(2):
            s += c[i, j] * W[i, j] @ u[i]
        n = s @ s
        out[j] = n / (1 + n) * s / np.sqrt(n)
    return out


@formula(
    r"""
\begin{equation}\small
    L = -\frac{1}{N}\sum_{i=1}^{N}\log\frac{e^{s\left(\cos\left(\theta_{y_i}+m\right)\right)}}{e^{s\left(\cos\left(\theta_{y_i}+m\right)\right)}+\sum_{j=1, j\neq y_i}^{n}e^{s\cos\theta_j}}.
\end{equation}
""",
    source="Deng et al., ArcFace, 2019, equation 3",
    leaves_open="the angles are of each sample, and its subscript is not printed",
    s="3",
)
def additive_margin(s):
    return s


@formula(
    r"""
In terms of the density matrix, the electronic energy and the Fock matrix are
\begin{eqnarray}
E_0 &=& \frac{1}{2} \sum_{\mu}\sum_{\nu} P_{\nu\mu} \left( H_{\mu\nu}^{\rm core} + F_{\mu\nu} \right) \\
F_{\mu\nu} &=& H_{\mu\nu}^{\rm core} + \sum_{\lambda\sigma} P_{\lambda\sigma} \left[ (\mu\nu|\sigma\lambda) - \frac{1}{2} (\mu\lambda|\sigma\nu) \right]
\end{eqnarray}
""",
    source="Szabo, Ostlund, Modern quantum chemistry, 1996, equations 3.154 and 3.184",
    shapes=("size K", "input P[K, K], H_core[K, K], I[K, K, K, K]"),
    output="E_0",
    P=lambda r: normal(r, 2, 2),
    H_core=lambda r: normal(r, 2, 2),
    I=lambda r: normal(r, 2, 2, 2, 2),
)
def energy_and_fock(P, H_core, I):
    e = 0.0
    for m, n in np.ndindex(2, 2):
        f = H_core[m, n]
        for l, s in np.ndindex(2, 2):
            f += P[l, s] * (I[m, n, s, l] - I[m, l, s, n] / 2)
        e += P[n, m] * (H_core[m, n] + f) / 2
    return e


@formula(
    r"""
The conditional variance of the GARCH($p$,$q$) process is
\begin{equation}
h_t = \alpha_0 + \sum_{i=1}^{q} \alpha_i \varepsilon_{t-i}^2 + \sum_{i=1}^{p} \beta_i h_{t-i}
\end{equation}
""",
    source="Bollerslev, Generalized autoregressive conditional heteroskedasticity, 1986, equation 2",
    leaves_open="a recurrence over time",
    h="3",
)
def conditional_variance(h):
    return h


@formula(
    r"""
\begin{equation}
\Pi_{ab} = \begin{cases} \dfrac{-\alpha \bar c_{ab} \mu_{ab} + \beta \mu_{ab}^2}{\bar\rho_{ab}} & \mathbf v_{ab}\cdot\mathbf r_{ab} < 0; \\ 0 & \mathbf v_{ab}\cdot\mathbf r_{ab} > 0; \end{cases}
\end{equation}
and
\begin{equation}
\mu_{ab} = \frac{h \mathbf v_{ab}\cdot\mathbf r_{ab}}{\mathbf r_{ab}^2 + \eta^2}.
\end{equation}
""",
    source="Monaghan, Smoothed particle hydrodynamics, 1992, equations 4.1 and 4.2",
    leaves_open="the cases leave out zero",
    r="3",
)
def particle_viscosity(r):
    return r


@formula(
    r"""
Three-body dispersion is given by the Axilrod--Teller--Muto term
\begin{equation}
E_{ABC} = \frac{C_9^{ABC}\left(3\cos\theta_a \cos\theta_b\cos\theta_c + 1\right)}{(r_{AB}r_{BC}r_{CA})^3}
\end{equation}
where $\theta_a$, $\theta_b$ and $\theta_c$ are the internal angles of the triangle formed by $r_{AB}$, $r_{BC}$ and $r_{CA}$.
""",
    source="Grimme et al., A consistent and accurate ab initio parametrization of density functional dispersion correction (DFT-D), 2010, equation 11",
    shapes=("size N", "input C_9[N, N, N], r[N, N], theta_a[], theta_b[], theta_c[]"),
    C_9="2 2 2",
    theta_a="",
    theta_b="",
    theta_c="",
    r="2 2",
    leaves_open="angles of labels",
)
def triple_dispersion(C_9, theta_a, theta_b, theta_c, r):
    return r


@formula(
    r"""
\documentclass{article}
\begin{document}
We consider the Sherrington-Kirkpatrick mean-field equations of Thouless, Anderson and Palmer for the magnetizations $m_i$,
\begin{equation}
m_i = \tanh \beta \left( \sum_j J_{ij} m_j + h_i - \beta \sum_j J_{ij}^2 (1 - m_j^2) m_i \right) .
\end{equation}
\end{document}
""",
    source="Thouless, Anderson, Palmer, Solution of 'Solvable model of a spin glass', 1977",
    leaves_open="an equation for what it reads",
    m="3",
)
def tap_equations(m):
    return m


@formula(
    r"""
The bilateral filter, at a pixel location $\mathbf{x}$, is given by
\begin{equation}
\tilde I(\mathbf{x}) = \frac{1}{C} \sum_{\mathbf{y} \in \mathcal{N}(\mathbf{x})} e^{\frac{-\|\mathbf{y}-\mathbf{x}\|^2}{2\sigma_d^2}} e^{\frac{-|I(\mathbf{y})-I(\mathbf{x})|^2}{2\sigma_r^2}} I(\mathbf{y})
\end{equation}
where $\sigma_d$ and $\sigma_r$ are parameters controlling the fall-off of weights in spatial and intensity domains, respectively, $\mathcal{N}(\mathbf{x})$ is a spatial neighborhood of pixel $I(\mathbf{x})$, and $C$ is the normalization constant.
""",
    source="Zhang, Gunturk, Multiresolution bilateral filtering for image denoising, 2008, equation 1",
    leaves_open="neighbourhoods",
    I="3",
)
def bilateral_of_pixels(I):
    return I


@formula(
    r"""
\begin{equation}
\ell(\beta)=\sum_{i=1}^{n}\delta_i\left[x_i^{\top}\beta-\log\left\{\sum_{j=1}^{n} I(t_j\ge t_i)\exp(x_j^{\top}\beta)\right\}\right],
\end{equation}
where $x_i\in\mathbb{R}^p$ and $\delta_i$ is the event indicator.
""",
    source="Simon et al., Regularization paths for Cox's proportional hazards model via coordinate descent, 2011",
    delta=lambda r: np.array([1.0, 0, 1, 1]),
    x=lambda r: normal(r, 4, 2),
    beta=lambda r: normal(r, 2),
    t="4",
)
def partial_likelihood_at_risk(delta, x, beta, t):
    out = 0.0
    for i in range(4):
        risk = sum(np.exp(x[j] @ beta) for j in range(4) if t[j] >= t[i])
        out += delta[i] * (x[i] @ beta - np.log(risk))
    return out


@formula(
    r"""
\begin{equation}
    I = \frac{n}{S_0} \frac{\sum_{i=1}^{n} \sum_{j=1}^{n} w_{i,j} z_i z_j}{\sum_{i=1}^{n} z_i^2}
\end{equation}
where $z_i$ is the deviation of an attribute for feature $i$ from its mean $(x_i - \bar{X})$, $w_{i,j}$ is the spatial weight between feature $i$ and $j$, $n$ is equal to the total number of features, and $S_0$ is the aggregate of all the spatial weights:
\begin{equation}
S_0=\sum_{i=1}^{n}\sum_{j=1}^{n}w_{i,j}
\end{equation}
""",
    source="Moran's I as geographic information systems document it",
    output="I",
    w="4 4",
    z=lambda r: normal(r, 4),
)
def global_autocorrelation(w, z):
    s = w.sum()
    return 4 / s * (z @ w @ z) / (z @ z)


@formula(
    r"""
In the E step, compute
\begin{equation}
\gamma(z_{nk}) = \frac{\pi_k \, \mathcal{N}(x_n | \mu_k, \sigma_k^2)}{\sum_{j=1}^K \pi_j \, \mathcal{N}(x_n|\mu_j, \sigma_j^2)} ,
\end{equation}
with the density
\begin{equation}
\mathcal{N}(x|\mu,\sigma^2) = \frac{1}{(2\pi\sigma^2)^{1/2}}\exp\left\{-\frac{1}{2\sigma^2}(x-\mu)^2\right\}.
\end{equation}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equations 1.46 and 9.23, in one dimension",
    leaves_open="pi is a weight and the number",
    x="3",
)
def mixture_in_one_dimension(x):
    return x


@formula(
    r"""
The M-step reads
\begin{align*}
N_k &= \sum_{n=1}^N r_{nk}, \\
\boldsymbol{\mu}_k &= \frac{1}{N_k}\sum_{n=1}^N r_{nk}\mathbf{x}_n, \\
\boldsymbol{\Sigma}_k &= \frac{1}{N_k}\sum_{n=1}^N r_{nk}(\mathbf{x}_n-\boldsymbol{\mu}_k)(\mathbf{x}_n-\boldsymbol{\mu}_k)^{\mathrm T},
\end{align*}
with $\mathbf{x}_n \in \mathbb{R}^D$ and $k = 1,\ldots,K$.
""",
    source="Murphy, Machine learning: a probabilistic perspective, 2012, section 11.4.2",
    output="Sigma",
    r="4 2",
    x=lambda r: normal(r, 4, 3),
)
def maximisation_step(r, x):
    out = np.zeros((2, 3, 3))
    for k in range(2):
        n = r[:, k].sum()
        m = (r[:, k, None] * x).sum(0) / n
        for i in range(4):
            out[k] += r[i, k] * np.outer(x[i] - m, x[i] - m) / n
    return out


@formula(
    r"""
\begin{equation}
H_{a\mu} \leftarrow H_{a\mu} \frac{\sum_i W_{ia} V_{i\mu} / (WH)_{i\mu}}{\sum_k W_{ka}}
\end{equation}
""",
    source="Lee, Seung, Algorithms for non-negative matrix factorization, 2001, equation 5",
    H="2 4",
    W="3 2",
    V="3 4",
)
def divergence_update(H, W, V):
    R = V / (W @ H)
    return H * (W.T @ R) / W.sum(0)[:, None]


@formula(
    r"""
with fluxes approximated by the local Lax--Friedrichs formula
\begin{equation}
F_{i+1/2} = \frac{1}{2}\left[f(u_i) + f(u_{i+1})\right] - \frac{a_{i+1/2}}{2}\left(u_{i+1} - u_i\right), \qquad i=0,\dots,N-1,
\end{equation}
where $f(u) = u^2/2$ and $a_{i+1/2} = \max(|u_i|, |u_{i+1}|)$ is the local speed.
""",
    source="LeVeque, Finite volume methods for hyperbolic problems, 2002, section 12.5, for Burgers' equation",
    output="F_half",
    shapes=("input u[N+1]",),
    u=lambda r: normal(r, 5),
)
def local_flux(u):
    return (u[:-1] ** 2 / 2 + u[1:] ** 2 / 2) / 2 - np.maximum(abs(u[:-1]), abs(u[1:])) / 2 * (
        u[1:] - u[:-1]
    )


@formula(
    r"""
\begin{equation}
\label{eq:simam}
e_t^{*} = \frac{4(\hat{\sigma}^2 + \lambda)}{(t - \hat{\mu})^2 + 2\hat{\sigma}^2 + 2\lambda},
\end{equation}
where $\hat{\mu} = \frac{1}{M}\sum_{i=1}^{M} x_{i}$ and $\hat{\sigma}^2 = \frac{1}{M}\sum_{i=1}^{M} (x_i - \hat{\mu})^2$.
""",
    source="Yang et al., SimAM: a simple, parameter-free attention module, 2021, equation 5",
    leaves_open="t labels the energy and is a number",
    x="3",
)
def minimal_energy(x):
    return x


@formula(
    r"""
The scoring function of ComplEx, in real and imaginary parts, is
\begin{equation}
\begin{aligned}
\phi(r,s,o) =\ & \langle w^{re}_r, e^{re}_s, e^{re}_o \rangle + \langle w^{re}_r, e^{im}_s, e^{im}_o\rangle \\
& + \langle w^{im}_r, e^{re}_s, e^{im}_o \rangle - \langle w^{im}_r, e^{im}_s, e^{re}_o\rangle .
\end{aligned}
\end{equation}
where $\langle a, b, c\rangle = \sum_{k=1}^K a_k b_k c_k$.
""",
    source="Trouillon et al., Complex embeddings for simple link prediction, 2016, equation 11",
    leaves_open="angles of three",
    w="3",
)
def three_way_score(w):
    return w


@formula(
    r"""
Let $P_{ij}$ be the joint probability of grey levels $i, j = 0, \dots, G-1$ in the co-occurrence matrix. Then
\begin{align}
\text{Homogeneity} &= \sum_{i=0}^{G-1}\sum_{j=0}^{G-1} \frac{P_{ij}}{1+(i-j)^2}, \\
\text{Correlation} &= \sum_{i=0}^{G-1}\sum_{j=0}^{G-1} P_{ij} \frac{(i-\mu_i)(j-\mu_j)}{\sigma_i\sigma_j}
\end{align}
""",
    source="Haralick, Shanmugam, Dinstein, Textural features, 1973; as documentation prints it",
    output="Homogeneity",
    leaves_open="mu_i is the mean of rows, not an element",
    P="3 3",
)
def texture_features(P):
    return sum(P[i, j] / (1 + (i - j) ** 2) for i in range(3) for j in range(3))


@formula(
    r"""
The stiffness matrix of a linear triangle with nodes $(x_i, y_i)$, $i=1,2,3$, and area $A$ is
\begin{equation}
K_{ij} = \frac{k}{4A} \left( b_i b_j + c_i c_j \right), \qquad i,j = 1,2,3,
\end{equation}
where $b_i$ and $c_i$ are the derivatives of the shape functions multiplied by $2A$.
""",
    source="Zienkiewicz, Taylor, The finite element method, 2000, chapter 4; heat conduction",
    k="",
    A="",
    b=lambda r: normal(r, 3),
    c=lambda r: normal(r, 3),
)
def triangle_stiffness(k, A, b, c):
    return k / (4 * A) * (np.outer(b, b) + np.outer(c, c))


@formula(
    r"""
\[
\widehat{\gamma}(h_k) = \frac{1}{2 N_k} \sum_{i=1}^{n} \sum_{j=1}^{n} \mathbf{1}\{ |s_i - s_j| \in (h_{k-1}, h_k] \} \left( Z(s_i) - Z(s_j) \right)^2
\]
""",
    source="Cressie, Statistics for spatial data, 1993, with bins",
    leaves_open="the sizes of bins",
    s="3",
)
def binned_variogram(s):
    return s


@formula(
    r"""
The weight for each method class pair is normalised with temperature,
\begin{equation}
w_{k}(t)\,{:=}\,\frac{K\exp(r_{k}(t-1)/T)}{\sum_{i}\exp(r_{i}(t-1)/T)},\;r_{k}(t-1)=\frac{\mathcal{L}_{k}(t-1)}{\mathcal{L}_{k}(t-2)}\,,
\end{equation}
where $K$ is the number of tasks.
""",
    source="Liu, Johns, Davison, End-to-end multi-task learning with attention, 2019, equation 7",
    leaves_open="steps of training",
    L="3",
)
def weight_average(L):
    return L


@formula(
    r"""
The attention probability for query position $i$ and key position $j$ with the T5-style bias is
\begin{equation}
a_{ij} = \operatorname{softmax}_j\left( \frac{q_i^\top k_j}{\sqrt{d}} + b_{i-j} \right), \quad o_i = \sum_{j \le i} a_{ij} v_j
\end{equation}
""",
    source="Raffel et al., 2020; biases by distance, in papers that follow",
    leaves_open="the biases of negative distances",
    q="3",
)
def distance_biases(q):
    return q


@formula(
    r"""
The Black--Scholes delta-hedging error aggregated over $n$ rebalancings is
\begin{equation}
\mathrm{PL} = \sum_{i=0}^{n-1} \tfrac{1}{2} \Gamma_i S_i^2 \left[ \left( \frac{S_{i+1} - S_i}{S_i} \right)^2 - \sigma^2 \delta t \right].
\end{equation}
""",
    source="Derman, Miller, The volatility smile, 2016, section 5.6",
    shapes=("input Gamma[n], S[n+1], sigma[], delta_t[]",),
    Gamma="4",
    S="5",
    sigma="",
    delta_t="",
)
def hedging_error(Gamma, S, sigma, delta_t):
    out = 0.0
    for i in range(4):
        out += Gamma[i] * S[i] ** 2 / 2 * (((S[i + 1] - S[i]) / S[i]) ** 2 - sigma**2 * delta_t)
    return out


@formula(
    r"""
where the correlation between the outputs $\mathbf{z}^A$ and $\mathbf{z}^B$ of the two views along the batch is whitened,
\begin{equation}
\mathcal{L}_{\text{W-MSE}} = \frac{2}{N d (d-1)} \sum_{n=1}^{N} \sum_{k=1}^{d} \left( \tilde z_{nk}^{A} - \tilde z_{nk}^{B} \right)^2
\end{equation}
""",
    source="Ermolov et al., Whitening for self-supervised representation learning, 2021; shortened",
    z_tilde_A="3 2",
    z_tilde_B="3 2",
)
def whitened_error(z_tilde_A, z_tilde_B):
    return 2 / (3 * 2 * 1) * ((z_tilde_A - z_tilde_B) ** 2).sum()


@formula(
    r"""
The transition dipole of an exciton state $k$ is the coherent sum
\begin{equation}
D_k = \left| \sum_{n=1}^{N} c_{nk} \boldsymbol{\mu}_n \right|^2, \qquad
L_k = \frac{1}{\sum_{n} |c_{nk}|^4},
\end{equation}
where $\boldsymbol\mu_n\in\mathbb{R}^3$ and $L_k$ is the inverse participation ratio.
""",
    source="van Amerongen, Valkunas, van Grondelle, Photosynthetic excitons, 2000",
    output="D",
    c=lambda r: normal(r, 4, 3),
    mu=lambda r: normal(r, 4, 3),
)
def exciton_dipoles(c, mu):
    return ((c.T @ mu) ** 2).sum(1)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{i}= -\log \frac{\exp(f_i^\top \mu_{y_i} / \phi_{y_i})}{\sum_{c=1}^{C}\exp(f_i^\top\mu_c/\phi_c)}
\end{equation}
where $f_i\in\mathbb{R}^d$ is the feature of sample $i$ with label $y_i$, $\mu_c\in\mathbb{R}^d$ is the prototype of class $c$ and $\phi_c$ its concentration.
""",
    source="Li et al., Prototypical contrastive learning, 2021, after equation 11",
    f=lambda r: normal(r, 3, 2),
    mu=lambda r: normal(r, 4, 2),
    y=lambda r: np.array([1, 3, 4]),
    phi="4",
)
def concentrated_prototypes(f, mu, y, phi):
    out = np.zeros(3)
    for i in range(3):
        e = np.exp(mu @ f[i] / phi)
        out[i] = -np.log(e[y[i] - 1] / e.sum())
    return out


@formula(
    r"""
The Michaelis--Menten flux with competing substrates, $i = 1,\ldots,S$, is
\begin{equation}
v_i = \frac{V_{\max,i}\,[S_i]/K_{M,i}}{1 + \sum_{j=1}^{S} [S_j]/K_{M,j}} .
\end{equation}
""",
    source="Cornish-Bowden, Fundamentals of enzyme kinetics, 2012, section 5.4",
    leaves_open="S is a number and a name of concentrations",
    V="3",
)
def competing_substrates(V):
    return V
