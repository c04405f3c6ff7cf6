"""Formulas as fragments of papers: macros of their authors, sets of neighbours, exponents with slashes, conditionals as subscripts."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The similarity of datapoint $x_j$ to datapoint $x_i$ is the conditional probability
\begin{equation}
p_{j|i} = \frac{\exp\left( -\|x_i - x_j\|^2 / 2\sigma_i^2 \right)}{\sum_{k \neq i} \exp\left( -\|x_i - x_k\|^2 / 2\sigma_i^2 \right)}
\end{equation}
\end{document}
""",
    source="van der Maaten, Hinton, Visualizing data using t-SNE, 2008, equation 1",
    shapes=("size n, d", "input x[n, d], sigma[n]"),
    leaves_open="the order of the dimensions of a conditional, and what a slash divides",
    x="4 2",
)
def conditional_similarity(x):
    return np.zeros((4, 4))


@formula(
    r"""
\begin{equation}
p_{ij} = \frac{p_{j|i} + p_{i|j}}{2n}
\end{equation}
""",
    source="van der Maaten, Hinton, Visualizing data using t-SNE, 2008, section 3.1",
    shapes=("size n",),
    sizes={"n": 4},
    p="4 4",
)
def symmetrised(p):
    return (p + p.T) / 8


@formula(
    r"""
The Boltzmann weights of states with energies $E_i$ are
\begin{equation}
p_i = \frac{e^{-E_i / k_B T}}{\sum_{j=1}^{M} e^{-E_j / k_B T}}
\end{equation}
""",
    source="McQuarrie, Statistical mechanics, 2000; as in an encyclopedia",
    leaves_open="whether a slash takes one factor or all",
    E="3",
)
def boltzmann_weights(E):
    return np.zeros(3)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\neigh}{\mathcal{N}}
\begin{document}
GraphSAGE with the mean aggregator computes, for adjacency $A$ and degrees $d_i = \sum_{j} A_{ij}$,
\begin{equation}
h'_{ik} = \mathrm{ReLU}\left( \sum_{f} W_{kf} \left( x_{if} + \frac{1}{d_i} \sum_{j} A_{ij} x_{jf} \right) \right)
\end{equation}
\end{document}
""",
    source="Hamilton, Ying, Leskovec, Inductive representation learning on large graphs, 2017, by elements",
    W=lambda r: normal(r, 2, 3),
    x=lambda r: normal(r, 4, 3),
    A="4 4",
)
def mean_aggregator(W, x, A):
    return np.maximum(0, (x + A @ x / A.sum(1, keepdims=True)) @ W.T)


@formula(
    r"""
The susceptible fraction is updated as
\begin{equation}
S_{t+1} = S_t - \beta S_t I_t + \mu (1 - S_t)
\end{equation}
""",
    source="Keeling, Rohani, Modeling infectious diseases, 2008, in discrete time",
    leaves_open="a step in time",
    S="3",
)
def susceptible_step(S):
    return S


@formula(
    r"""
\begin{equation}
\mathbf{m}_i = \sum_{j \in \mathcal{N}(i)} \mathbf{W} \mathbf{h}_j
\end{equation}
""",
    source="Gilmer et al., Neural message passing for quantum chemistry, 2017, shortened",
    leaves_open="neighbours",
    h="3",
)
def neighbour_messages(h):
    return np.zeros(3)


@formula(
    r"""
The Haar scaling and wavelet coefficients are
\begin{equation}
a_k = \frac{x_{2k} + x_{2k+1}}{\sqrt{2}}, \qquad d_k = \frac{x_{2k} - x_{2k+1}}{\sqrt{2}}, \qquad k = 0, \ldots, N/2 - 1.
\end{equation}
""",
    source="Daubechies, Ten lectures on wavelets, 1992; as lectures print it",
    output="d",
    sizes={"N": 6},
    x="6",
)
def haar_step(x):
    return (x[::2] - x[1::2]) / np.sqrt(2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\renewcommand{\vec}[1]{\bm{#1}}
\newcommand{\dotp}[2]{\vec{#1} \cdot \vec{#2}}
\begin{document}
The SVM with slack variables has the primal objective
\begin{equation}
J = \frac{1}{2} \|\vec{w}\|^2 + C \sum_{i=1}^{n} \max\left( 0,\, 1 - y_i (\dotp{w}{x}_i + b) \right)
\end{equation}
where $\vec{w} \in \mathbb{R}^d$ and $\vec{x}_i \in \mathbb{R}^d$.
\end{document}
""",
    source="Cortes, Vapnik, Support-vector networks, 1995; in the unconstrained form",
    w="3",
    C="",
    y=lambda r: np.array([1.0, -1.0, 1.0, -1.0]),
    x=lambda r: normal(r, 4, 3),
    b="",
)
def primal_objective(w, C, y, x, b):
    return 0.5 * w @ w + C * np.maximum(0, 1 - y * (x @ w + b)).sum()


@formula(
    r"""
\begin{equation*}
\begin{aligned}
\text{minimize} \quad & \tfrac{1}{2} \sum_{i=1}^{m} \Big( \sum_{j=1}^{n} a_{ij} x_j - b_i \Big)^2
\end{aligned}
\end{equation*}
""",
    source="Boyd, Vandenberghe, Convex optimization, 2004, section 1.2.1",
    leaves_open="the objective has no name",
    a="3",
)
def least_squares_problem(a):
    return 0.0


@formula(
    r"""
We use the logistic map of the linear predictor $\eta_i = \beta_0 + \sum_{j=1}^{p} x_{ij} \beta_j$, and the deviance
\[
D = -2 \sum_{i=1}^{n} \left\{ y_i \eta_i - \log(1 + e^{\eta_i}) \right\}.
\]
""",
    source="McCullagh, Nelder, Generalized linear models, 1989, section 4.4",
    shapes=("size p", "input beta_0[], beta[p]"),
    beta_0="",
    x=lambda r: normal(r, 4, 2),
    beta="2",
    y=lambda r: np.array([1.0, 0.0, 0.0, 1.0]),
)
def logistic_deviance(beta_0, x, beta, y):
    eta = beta_0 + x @ beta
    return -2 * (y * eta - np.log(1 + np.exp(eta))).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The autocorrelation function of the magnetisation at lag $\tau$ is estimated by
\begin{equation}
\chi(\tau) = \frac{1}{T - \tau} \sum_{t=1}^{T - \tau} m_t m_{t+\tau} - \left( \frac{1}{T} \sum_{t=1}^{T} m_t \right)^2, \qquad \tau = 0, \ldots, 3.
\end{equation}
\end{document}
""",
    source="Newman, Barkema, Monte Carlo methods in statistical physics, 1999, equation 3.21, simplified",
    m=lambda r: normal(r, 8),
)
def magnetisation_lags(m):
    return np.array([(m[: 8 - k] * m[k:]).sum() / (8 - k) - m.mean() ** 2 for k in range(4)])


@formula(
    r"""
The magnetization per spin and the energy of the 2D XY model on an $L \times L$ lattice with free boundaries are
\begin{equation}
E = -J \sum_{x=1}^{L-1} \sum_{y=1}^{L} \cos(\theta_{x+1,y} - \theta_{x,y}) - J \sum_{x=1}^{L} \sum_{y=1}^{L-1} \cos(\theta_{x,y+1} - \theta_{x,y})
\end{equation}
""",
    source="Kosterlitz, Thouless, Ordering, metastability and phase transitions, 1973; on a lattice",
    J="",
    theta=lambda r: normal(r, 4, 4),
)
def planar_lattice(J, theta):
    return -J * (np.cos(np.diff(theta, axis=0)).sum() + np.cos(np.diff(theta, axis=1)).sum())


@formula(
    r"""
\begin{equation}
\rho_{\text{SPH}}(\vec{r}_i) = \sum_j m_j W_{ij}, \quad W_{ij} = \frac{\sigma}{h^3} \begin{cases} 1 - \frac{3}{2} q_{ij}^2 + \frac{3}{4} q_{ij}^3 & 0 \le q_{ij} \le 1 \\ \frac{1}{4} (2 - q_{ij})^3 & 1 < q_{ij} \le 2 \\ 0 & q_{ij} > 2 \end{cases}
\end{equation}
""",
    source="Monaghan, Smoothed particle hydrodynamics, 1992, equation 2.7",
    output="rho_SPH",
    m="4",
    sigma="",
    h="",
    q=lambda r: r.uniform(0, 3, (4, 4)),
)
def cubic_spline_density(m, sigma, h, q):
    W = np.where(q <= 1, 1 - 1.5 * q**2 + 0.75 * q**3, np.where(q <= 2, 0.25 * (2 - q) ** 3, 0))
    return sigma / h**3 * W @ m


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The rate of the reaction network is
\begin{equation}
\frac{d[X_i]}{dt} = \sum_{r=1}^{R} \nu_{ir} k_r \prod_{s=1}^{S} [X_s]^{\alpha_{sr}}
\end{equation}
\end{document}
""",
    source="Feinberg, Lectures on chemical reaction networks, 1979; as textbooks print it",
    nu=lambda r: normal(r, 3, 2),
    k="2",
    X="3",
    alpha="3 2",
)
def network_rates(nu, k, X, alpha):
    return nu @ (k * np.prod(X[:, None] ** alpha, axis=0))


@formula(
    r"""
\begin{align}
Z_i^{(k)} &= \sum_{j} S_{ij} Z_j^{(k-1)}, & S_{ij} &= \frac{A_{ij}}{\sqrt{D_i D_j}}, & D_i &= \sum_j A_{ij}
\end{align}
""",
    source="Wu et al., Simplifying graph convolutional networks, 2019, equation 8",
    leaves_open="a recursion over layers",
    A="3",
)
def simplified_propagation(A):
    return np.zeros(3)


@formula(
    r"""
The Poisson--Boltzmann residual on a grid of spacing $h$ is
\begin{equation}
R_{i} = \frac{\phi_{i+1} - 2 \phi_i + \phi_{i-1}}{h^2} - \kappa^2 \sinh \phi_i, \qquad i = 1, \ldots, N-1,
\end{equation}
where $\phi_0$ and $\phi_N$ are boundary values.
""",
    source="Baker et al., Electrostatics of nanosystems, 2001; in one dimension",
    shapes=("size N", "base 0", "input phi[N + 1]"),
    phi=lambda r: normal(r, 6),
    h="",
    kappa="",
)
def poisson_boltzmann(phi, h, kappa):
    return (phi[2:] - 2 * phi[1:-1] + phi[:-2]) / h**2 - kappa**2 * np.sinh(phi[1:-1])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Gower distance between records is
\begin{equation}
d_{ij} = \frac{\sum_{k=1}^{p} w_k \, |x_{ik} - x_{jk}| / R_k}{\sum_{k=1}^{p} w_k}, \qquad R_k = \max_i x_{ik} - \min_i x_{ik}.
\end{equation}
\end{document}
""",
    source="Gower, A general coefficient of similarity, 1971",
    output="d",
    w="3",
    x=lambda r: normal(r, 4, 3),
)
def gower_distance(w, x):
    R = x.max(0) - x.min(0)
    return (w * np.abs(x[:, None] - x) / R).sum(2) / w.sum()


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{center}} = \frac{1}{2} \sum_{i=1}^{m} \left\| \boldsymbol{x}_i - \sum_{k=1}^{K} y_{ik} \boldsymbol{c}_k \right\|_2^2
\end{equation}
with one-hot $y_{ik}$ and $\boldsymbol{x}_i, \boldsymbol{c}_k \in \mathbb{R}^d$.
""",
    source="Wen et al., A discriminative feature learning approach, 2016, equation 2, with one-hot labels",
    x=lambda r: normal(r, 4, 2),
    y=lambda r: np.eye(3)[[0, 1, 1, 2]],
    c=lambda r: normal(r, 3, 2),
)
def centre_loss_of_labels(x, y, c):
    return 0.5 * ((x - y @ c) ** 2).sum()


@formula(
    r"""
The generalized Hough-like soft-argmax of a heat map $H$ is
\begin{equation}
\hat{u} = \sum_{u=1}^{W} \sum_{v=1}^{V} u\, \tilde{H}_{uv}, \qquad \tilde{H}_{uv} = \frac{e^{\beta H_{uv}}}{\sum_{u'=1}^{W} \sum_{v'=1}^{V} e^{\beta H_{u'v'}}}
\end{equation}
""",
    source="Sun et al., Integral human pose regression, 2018, equation 3",
    output="u_hat",
    beta="",
    H=lambda r: normal(r, 4, 3),
)
def soft_argmax(beta, H):
    e = np.exp(beta * H)
    return (np.arange(1, 5) * (e / e.sum()).sum(1)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Using the trapezoidal rule, the area under the precision--recall curve is
\begin{equation}
\mathrm{AUPR} = \sum_{k=1}^{n-1} \frac{P_k + P_{k+1}}{2} \left( R_{k+1} - R_k \right).
\end{equation}
\end{document}
""",
    source="Davis, Goadrich, The relationship between precision-recall and ROC curves, 2006",
    P="5",
    R="5",
)
def area_of_precision(P, R):
    return ((P[:-1] + P[1:]) / 2 * np.diff(R)).sum()


@formula(
    r"""
\begin{equation}
\Psi_{ij}(t) = K_{ij} \sin\left( \theta_j(t) - \theta_i(t) - \alpha_{ij} \right), \qquad \dot\theta_i(t) = \omega_i + \sum_{j=1}^{N} \Psi_{ij}(t)
\end{equation}
""",
    source="Breakspear, Heitmann, Daffertshofer, Generative models of cortical oscillations, 2010, equation 6",
    output="theta_dot",
    K="3 3",
    theta=lambda r: normal(r, 3),
    alpha="3 3",
    omega="3",
)
def coupled_phases(K, theta, alpha, omega):
    return omega + (K * np.sin(theta[None, :] - theta[:, None] - alpha)).sum(1)


@formula(
    r"""
The Fisher information matrix of the softmax layer is $F_{kl} = p_k (\delta_{kl} - p_l)$ with
\begin{equation}
p_k = \frac{e^{z_k}}{\sum_{l=1}^{K} e^{z_l}}, \qquad q = \sum_{k=1}^{K} \sum_{l=1}^{K} v_k F_{kl} v_l .
\end{equation}
""",
    source="Amari, Natural gradient works efficiently in learning, 1998; for a softmax",
    output="q",
    z=lambda r: normal(r, 4),
    v="4",
)
def softmax_information(z, v):
    p = np.exp(z) / np.exp(z).sum()
    return v @ (np.diag(p) - np.outer(p, p)) @ v


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The Gromov--Wasserstein cost of a coupling $T$ is
\begin{equation}
\mathcal{E}(T) = \sum_{i,j,k,l} \left| C_{ik} - \bar{C}_{jl} \right|^2 T_{ij} T_{kl}
\end{equation}
\end{document}
""",
    source="Peyre, Cuturi, Solomon, Gromov-Wasserstein averaging, 2016, equation 5",
    C="3 3",
    C_bar="4 4",
    T="3 4",
)
def gromov_cost(C, C_bar, T):
    d = (C[:, None, :, None] - C_bar[None, :, None, :]) ** 2
    return np.einsum("ijkl,ij,kl->", d, T, T)


@formula(
    r"""
The attention weights with relative positions are
\[
e_{ij} = \frac{\sum_{d=1}^{D} q_{id} (k_{jd} + r_{j-i,d})}{\sqrt{D}}
\]
""",
    source="Shaw, Uszkoreit, Vaswani, Self-attention with relative position representations, 2018, equation 4",
    leaves_open="offsets that are negative",
    q="3",
)
def relative_scores(q):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\text{SNR}_{\text{seg}} = \frac{10}{M} \sum_{m=0}^{M-1} \log_{10} \frac{\sum_{n=Nm}^{Nm+N-1} x^2(n)}{\sum_{n=Nm}^{Nm+N-1} \left[ x(n) - \hat{x}(n) \right]^2}
\end{equation}
""",
    source="Hansen, Pellom, An effective quality evaluation protocol, 1998, equation 4",
    shapes=("size N = 3, M = 2", "input x[6], x_hat[6]"),
    x=lambda r: normal(r, 6),
    x_hat=lambda r: normal(r, 6),
)
def segmental_ratio(x, x_hat):
    a, b = x.reshape(2, 3), x_hat.reshape(2, 3)
    return 5 * np.log10((a**2).sum(1) / ((a - b) ** 2).sum(1)).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $\hat{S}(t_i) = \prod_{j=1}^{i} \left( 1 - \frac{d_j}{n_j} \right)$. Greenwood's formula is
\begin{equation}
v_i = \hat{S}_i^2 \sum_{j=1}^{i} \frac{d_j}{n_j (n_j - d_j)}, \qquad \hat{S}_i = \prod_{j=1}^{i} \left( 1 - \frac{d_j}{n_j} \right), \qquad i = 1, \ldots, k.
\end{equation}
\end{document}
""",
    source="Greenwood, The natural duration of cancer, 1926; as in an encyclopedia",
    output="v",
    d="4",
    n=lambda r: r.uniform(3, 5, 4),
)
def greenwood(d, n):
    S = np.cumprod(1 - d / n)
    return S**2 * np.cumsum(d / (n * (n - d)))


@formula(
    r"""
\begin{equation}
\hat{y}_{ui} = \mu + b_u + b_i + q_i^\top p_u
\end{equation}
where $q_i, p_u \in \mathbb{R}^f$.
""",
    source="Koren, Factorization meets the neighborhood, 2008, equation 5",
    leaves_open="biases of users and items have one letter",
    mu="",
)
def biased_prediction(mu):
    return np.zeros(3)


@formula(
    r"""
The price of a zero-coupon bond portfolio and its duration are
\begin{equation}
P = \sum_{i=1}^{n} \frac{c_i}{(1 + y)^{t_i}}, \qquad D = \frac{1}{P} \sum_{i=1}^{n} \frac{t_i c_i}{(1 + y)^{t_i}}
\end{equation}
""",
    source="Macaulay, Some theoretical problems suggested by the movements of interest rates, 1938",
    output="D",
    c="4",
    y=lambda r: np.array(0.05),
    t="4",
)
def macaulay_duration(c, y, t):
    v = c / (1 + y) ** t
    return (t * v).sum() / v.sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\mat}[1]{\mathbf{#1}}
\begin{document}
The low-rank bilinear pooling of $\mat{x} \in \mathbb{R}^{n}$ and $\mat{y} \in \mathbb{R}^{m}$ is
\begin{equation}
f_k = \sum_{d=1}^{D} P_{dk} \tanh\left( \sum_{i=1}^{n} U_{id} x_i \right) \tanh\left( \sum_{j=1}^{m} V_{jd} y_j \right) + b_k
\end{equation}
\end{document}
""",
    source="Kim et al., Hadamard product for low-rank bilinear pooling, 2017, equation 8",
    P="2 3",
    U=lambda r: normal(r, 4, 2),
    x=lambda r: normal(r, 4),
    V=lambda r: normal(r, 5, 2),
    y=lambda r: normal(r, 5),
    b="3",
)
def bilinear_pooling(P, U, x, V, y, b):
    return (np.tanh(x @ U) * np.tanh(y @ V)) @ P + b


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{TV}} = \sum_{i,j} \left( (x_{i,j+1} - x_{i,j})^2 + (x_{i+1,j} - x_{i,j})^2 \right)^{\beta/2}
\end{equation}
""",
    source="Mahendran, Vedaldi, Understanding deep image representations by inverting them, 2015, section 2.2",
    leaves_open="differences at the last row and column",
    x="3 4",
)
def variation_prior(x):
    return 0.0
