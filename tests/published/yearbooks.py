"""Formulas of yearbooks: speech, vision, plasmas, polymers, seismology, markets, ecology, robots, codes and recommender systems."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{CPC}} = -\frac{1}{N}\sum_{i=1}^{N} \log \frac{\exp(z_i^{\top} W c_i)}{\sum_{j=1}^{N} \exp(z_j^{\top} W c_i)}
\end{equation}
where $z_i \in \mathbb{R}^{d}$, $c_i \in \mathbb{R}^{h}$ and $W \in \mathbb{R}^{d\times h}$.
""",
    source="van den Oord, Li, Vinyals, Representation learning with contrastive predictive coding, 2018, with a batch of negatives",
    z=lambda r: normal(r, 4, 3),
    W=lambda r: normal(r, 3, 2),
    c=lambda r: normal(r, 4, 2),
)
def predictive_coding(z, W, c):
    s = z @ W @ c.T
    return -np.mean(np.diag(s) - np.log(np.exp(s).sum(0)))


@formula(
    r"""
We let $\mathbf{K} \in \mathbb{R}^{N\times d}$, $\mathbf{Q}\in \mathbb{R}^{N\times d}$, $\mathbf{V}\in \mathbb{R}^{N \times d_v}$ and compute
\begin{equation}
\mathbf{O} = \left( \left(\mathbf{Q}\mathbf{K}^{\top}\right) \odot \mathbf{D} \right) \mathbf{V}, \qquad D_{nm} = \begin{cases} \gamma^{n-m}, & n \ge m \\ 0, & n < m \end{cases}
\end{equation}
""",
    source="Sun et al., Retentive network, 2023, equation 5 without rotations",
    shapes=("input gamma[]",),
    output="O",
    Q=lambda r: normal(r, 4, 3),
    K=lambda r: normal(r, 4, 3),
    gamma=lambda r: 0.9,
    V=lambda r: normal(r, 4, 2),
)
def retention_printed(Q, K, gamma, V):
    n = np.arange(4)
    D = np.where(n[:, None] >= n, gamma ** (n[:, None] - n + 0.0), 0)
    return (Q @ K.T * D) @ V


@formula(
    r"""
\[
\mathrm{RMSE} = \sqrt{\frac{1}{|\mathcal{T}|} \sum_{(u,i) \in \mathcal{T}} (\hat{r}_{ui} - r_{ui})^2}
\]
""",
    source="Ricci, Rokach, Shapira, Recommender systems handbook, 2011",
    leaves_open="the pairs of the test set",
    r="3 4",
)
def rating_error(r):
    return r


@formula(
    r"""
The generalized cross entropy loss for a batch $(x_i, y_i)_{i=1}^n$, $y_i \in \{1,\dots,c\}$, is
\begin{align}
\mathcal{L}_q = \frac{1}{n} \sum_{i=1}^{n} \frac{1 - f_{y_i}(x_i)^q}{q}.
\end{align}
""",
    source="Zhang, Sabuncu, Generalized cross entropy loss, 2018, equation 6",
    leaves_open="the network",
    q="",
)
def generalised_cross_entropy(q):
    return q


@formula(
    r"""
The Sørensen--Dice loss with squared denominators:
\begin{equation}
\mathcal{L}_{\text{Dice}} = 1 - \frac{2\sum_{c=1}^{C}\sum_{i=1}^{N} p_{ci} g_{ci}}{\sum_{c=1}^{C}\sum_{i=1}^{N} \left( p_{ci}^2 + g_{ci}^2 \right)} \,.
\end{equation}
""",
    source="Milletari, Navab, Ahmadi, V-Net, 2016, for several classes",
    p="2 5",
    g="2 5",
)
def soft_dice(p, g):
    return 1 - 2 * np.sum(p * g) / np.sum(p**2 + g**2)


@formula(
    r"""
The contrast-limited intensity histogram obeys
\begin{equation}
T(k) = \left\lfloor (L-1) \sum_{j=0}^{k} p_j \right\rfloor, \quad k = 0, 1, \ldots, L-1.
\end{equation}
""",
    source="Gonzalez, Woods, Digital image processing, 2008, section 3.3",
    p=lambda r: np.array([0.11, 0.22, 0.31, 0.36]),
)
def transfer_of_levels(p):
    return np.floor(3 * np.cumsum(p))


@formula(
    r"""
In the worm-like micelle model the bond potential is FENE,
\begin{equation}
U_{\rm FENE} = -\frac{1}{2} k R_0^2 \sum_{i=1}^{N-1} \ln\left[1 - \left(\frac{r_i}{R_0}\right)^2\right],
\qquad r_i = |\mathbf{r}_{i+1} - \mathbf{r}_i|.
\end{equation}
""",
    source="Kremer, Grest, Dynamics of entangled linear polymer melts, 1990",
    shapes=("size N", "input r_bf[N, 3]"),
    output="U_FENE",
    k="",
    R_0=lambda r: 9.0,
    r_bf=lambda r: normal(r, 5, 3),
)
def fene_bonds(k, R_0, r_bf):
    d = np.sqrt(((r_bf[1:] - r_bf[:-1]) ** 2).sum(1))
    return -k * R_0**2 / 2 * np.log(1 - (d / R_0) ** 2).sum()


@formula(
    r"""
The Rouse modes of a chain with $N$ beads at $\mathbf{R}_n$ are defined as
\begin{equation}
\mathbf{X}_p = \frac{1}{N} \sum_{n=1}^{N} \mathbf{R}_n \cos\left[ \frac{p \pi}{N} \left(n - \frac{1}{2}\right) \right], \quad p = 0, 1, \dots, N-1 .
\end{equation}
""",
    source="Doi, Edwards, The theory of polymer dynamics, 1986; discrete modes",
    shapes=("input R[N, 3]",),
    R=lambda r: normal(r, 4, 3),
)
def rouse_modes(R):
    n = np.arange(1, 5)
    return np.array([(R * np.cos(p * np.pi / 4 * (n - 0.5))[:, None]).mean(0) for p in range(4)])


@formula(
    r"""
The potential of the plasma is found by $\nabla^2\phi = -\rho/\varepsilon_0$, which on the grid becomes
\begin{equation}
\frac{\phi_{j+1} - 2\phi_j + \phi_{j-1}}{\Delta x^2} = - \frac{\rho_j}{\varepsilon_0} .
\end{equation}
""",
    source="Birdsall, Langdon, Plasma physics via computer simulation, 1985",
    leaves_open="implicit",
    rho="4",
)
def grid_poisson(rho):
    return rho


@formula(
    r"""
Following Boris, the position update is
$$ x_p^{\mathrm{new}} = x_p + v_p \,\Delta t, $$
and the density at node $g$ with the cloud-in-cell weight is
$$ \rho_g = \frac{q}{\Delta x} \sum_{p=1}^{N_p} \max\left(0, 1 - \left| \frac{x_p - X_g}{\Delta x} \right|\right). $$
""",
    source="Hockney, Eastwood, Computer simulation using particles, 1988",
    output="rho",
    x="5",
    v="5",
    Delta_t="",
    q="",
    Delta_x="",
    X="3",
)
def cloud_in_cell(x, v, Delta_t, q, Delta_x, X):
    w = np.maximum(0, 1 - abs((x[None] - X[:, None]) / Delta_x))
    return q / Delta_x * w.sum(1)


@formula(
    r"""
\begin{eqnarray}
\hat{s}_{k} &=& \sum_{i=1}^{N} w_i^{(k)} s_i, \\
w_i^{(k)} &=& \frac{\exp\left(-|t_i - \tau_k|/h\right)}{\sum_{j=1}^{N} \exp\left(-|t_j - \tau_k|/h\right)} \nonumber
\end{eqnarray}
""",
    source="Hastie, Tibshirani, Friedman, The elements of statistical learning, 2009, section 6.1; with Laplace's kernel",
    output="s_hat",
    s="5",
    t="5",
    tau="3",
    h="",
)
def laplace_smoother(s, t, tau, h):
    e = np.exp(-abs(t[None] - tau[:, None]) / h)
    return e @ s / e.sum(1)


@formula(
    r"""
The Gutenberg--Richter frequency of aftershocks decays according to the modified Omori law, and with $M_c$ the magnitude of completeness
\[
\lambda(t) = \mu + \sum_{i:\, t_i < t} \frac{K e^{\alpha (M_i - M_c)}}{(t - t_i + c)^p}
\]
""",
    source="Ogata, Statistical models for earthquake occurrences, 1988",
    mu="",
    t=lambda r: 2.0,
    t_i=lambda r: np.array([0.5, 1.0, 2.5, 3.0]),
    K="",
    alpha="",
    M="4",
    M_c="",
    c="",
    p="",
    leaves_open="t is a number and a tensor",
)
def omori_intensity(mu, t, t_i, K, alpha, M, M_c, c, p):
    return mu


@formula(
    r"""
For the discrete-time Kelly criterion the growth rate of a bettor with fractions $f_j$ over outcomes $k = 1, \dots, K$ with probabilities $p_k$ and payoffs $r_{kj}$ is
\begin{equation}
G(f) = \sum_{k=1}^{K} p_k \log\Bigl(1 + \sum_{j=1}^{J} f_j r_{kj}\Bigr).
\end{equation}
""",
    source="Kelly, A new interpretation of information rate, 1956",
    p="4",
    f="3",
    r="4 3",
)
def growth_of_bets(p, f, r):
    return (p * np.log(1 + r @ f)).sum()


@formula(
    r"""
\begin{equation}
\sigma_p^2 = \sum_i \sum_j w_i w_j \sigma_i \sigma_j \rho_{ij}, \qquad \mathrm{MRC}_i = \frac{w_i \sum_j w_j \sigma_i \sigma_j \rho_{ij}}{\sigma_p}
\end{equation}
""",
    source="Maillard, Roncalli, Teiletche, The properties of equally weighted risk contribution portfolios, 2010",
    output="MRC",
    w="3",
    sigma="3",
    rho=lambda r: np.eye(3) + 0.1,
)
def marginal_risks(w, sigma, rho):
    S = np.outer(sigma, sigma) * rho
    return w * (S @ w) / np.sqrt(w @ S @ w)


@formula(
    r"""
The HAR model of Corsi forecasts realised variance by
\begin{equation}
\widehat{RV}_{t+1} = \beta_0 + \beta_d RV_t + \beta_w \frac{1}{5} \sum_{i=0}^{4} RV_{t-i} + \beta_m \frac{1}{22}\sum_{i=0}^{21} RV_{t-i}.
\end{equation}
""",
    source="Corsi, A simple approximate long-memory model of realized volatility, 2009",
    leaves_open="where t starts",
    RV="30",
)
def realised_variance(RV):
    return RV


@formula(
    r"""
Consider $S$ species with abundances $N_i$. Their dynamics in the presence of $R$ resources with availabilities $K_\alpha$ follow
\begin{equation}
\frac{1}{N_i}\frac{\mathrm{d}N_i}{\mathrm{d}t} = \sum_{\alpha=1}^{R} \sigma_{i\alpha} \left( K_\alpha - \sum_{j=1}^{S} \sigma_{j\alpha} N_j \right) - m_i .
\end{equation}
""",
    source="Tikhonov, Monasson, Collective phase in resource competition in a highly diverse ecosystem, 2017",
    output="dN_dt",
    N="4",
    sigma="4 3",
    K="3",
    m="4",
)
def resource_competition(N, sigma, K, m):
    return N * (sigma @ (K - sigma.T @ N) - m)


@formula(
    r"""
The beta diversity of two sites is given by the Hellinger distance
\begin{equation*}
D_{\mathrm{Hel}} (x_1, x_2) = \sqrt{\sum_{j=1}^p \left[ \sqrt{\frac{y_{1j}}{y_{1+}}} - \sqrt{\frac{y_{2j}}{y_{2+}}} \right]^2}
\end{equation*}
with $y_{i+} = \sum_{j=1}^{p} y_{ij}$.
""",
    source="Legendre, Gallagher, Ecologically meaningful transformations for ordination, 2001, equation 9",
    y="2 4",
)
def hellinger_sites(y):
    a = np.sqrt(y / y.sum(1, keepdims=True))
    return np.sqrt(((a[0] - a[1]) ** 2).sum())


@formula(
    r"""
The task-space inertia yields the acceleration of a spring-damper network with $n$ nodes,
\begin{equation}
m_i \ddot{x}_i = - \sum_{j=1}^{n} k_{ij} (x_i - x_j) - \sum_{j=1}^n b_{ij} (\dot{x}_i - \dot{x}_j) + f_i .
\end{equation}
""",
    source="Murray, Li, Sastry, A mathematical introduction to robotic manipulation, 1994; springs and dampers",
    output="x_ddot",
    k="3 3",
    x="3",
    b="3 3",
    x_dot="3",
    f="3",
    m="3",
)
def spring_network(k, x, b, x_dot, f, m):
    F = -(k * (x[:, None] - x)).sum(1) - (b * (x_dot[:, None] - x_dot)).sum(1) + f
    return F / m


@formula(
    r"""
Dynamic movement primitives use the forcing term
\begin{equation}
f(x) = \frac{\sum_{i=1}^N \psi_i(x) w_i}{\sum_{i=1}^N \psi_i(x)} x (g - y_0), \qquad \psi_i(x) = \exp\left(-h_i (x - c_i)^2\right).
\end{equation}
""",
    source="Ijspeert et al., Dynamical movement primitives, 2013, equations 2.3 to 2.5",
    x="",
    h="4",
    c="4",
    w="4",
    g="",
    y_0="",
    output="f",
)
def forcing_term(x, h, c, w, g, y_0):
    psi = np.exp(-h * (x - c) ** 2)
    return (psi * w).sum() / psi.sum() * x * (g - y_0)


@formula(
    r"""
The log-likelihood ratio of bit $b$ for a code with parity checks is updated by the sum-product rule
\begin{equation}
L_{cv} = 2 \tanh^{-1}\left( \prod_{v' \in \mathcal{N}(c)\setminus v} \tanh\left(\frac{L_{v'c}}{2}\right) \right)
\end{equation}
""",
    source="Richardson, Urbanke, Modern coding theory, 2008",
    leaves_open="neighbours of a check",
    L="3 4",
)
def check_update(L):
    return L


@formula(
    r"""
\begin{equation}
\hat{y}_{\mathrm{AFM}} = w_0 + \sum_{i=1}^{n} w_i x_i + \mathbf{p}^T \sum_{i=1}^{n} \sum_{j=i+1}^{n} a_{ij} (\mathbf{v}_i \odot \mathbf{v}_j) x_i x_j
\end{equation}
""",
    source="Xiao et al., Attentional factorization machines, 2017, equation 6",
    shapes=("input w_0[], w[n], x[n]",),
    w_0="",
    w="4",
    x="4",
    p=lambda r: normal(r, 3),
    a="4 4",
    v=lambda r: normal(r, 4, 3),
)
def attentional_machine(w_0, w, x, p, a, v):
    y = w_0 + w @ x
    for i in range(4):
        for j in range(i + 1, 4):
            y += a[i, j] * (p @ (v[i] * v[j])) * x[i] * x[j]
    return y


@formula(
    r"""
SASRec's pointwise feed-forward network is
\[
\mathbf{F}_i = \mathrm{FFN}(\mathbf{S}_i) = \mathrm{ReLU}(\mathbf{S}_i \mathbf{W}^{(1)} + \mathbf{b}^{(1)})\mathbf{W}^{(2)} + \mathbf{b}^{(2)},
\]
where $\mathbf{W}^{(1)}, \mathbf{W}^{(2)}$ are $d\times d$ matrices and $\mathbf{b}^{(1)}, \mathbf{b}^{(2)}$ are $d$-dimensional vectors.
""",
    source="Kang, McAuley, Self-attentive sequential recommendation, 2018, equation 4",
    shapes=("input S[n, d], W_1[d, d], b_1[d], W_2[d, d], b_2[d]",),
    S=lambda r: normal(r, 4, 3),
    W_1=lambda r: normal(r, 3, 3),
    b_1=lambda r: normal(r, 3),
    W_2=lambda r: normal(r, 3, 3),
    b_2=lambda r: normal(r, 3),
)
def pointwise_network(S, W_1, b_1, W_2, b_2):
    return np.maximum(0, S @ W_1 + b_1) @ W_2 + b_2


@formula(
    r"""
The soft-DTW discrepancy replaces the minimum by
\begin{equation}
{\min}^{\gamma}\{a_1, \dots, a_n\} := -\gamma \log \sum_{i=1}^{n} e^{-a_i/\gamma}, \quad \gamma > 0.
\end{equation}
""",
    source="Cuturi, Blondel, Soft-DTW, 2017, equation 1",
    gamma="",
    a="4",
)
def soft_minimum(gamma, a):
    return -gamma * np.log(np.exp(-a / gamma).sum())


@formula(
    r"""
The mel filterbank is
\begin{equation}
H_m(k) = \begin{cases} 0 & k < f(m-1) \\ \dfrac{k - f(m-1)}{f(m) - f(m-1)} & f(m-1) \le k \le f(m) \\ \dfrac{f(m+1) - k}{f(m+1) - f(m)} & f(m) \le k \le f(m+1) \\ 0 & k > f(m+1) \end{cases}
\end{equation}
""",
    source="Huang, Acero, Hon, Spoken language processing, 2001, equation 6.140",
    leaves_open="ranges of m and k",
    f="5",
)
def mel_triangles(f):
    return f


@formula(
    r"""
Spectral subtraction gives the clean magnitude estimate
\begin{equation}
|\hat{S}(k)| = \max\left( |Y(k)| - \alpha |\hat{N}(k)|, \; \beta |Y(k)| \right), \quad k = 0, \dots, K-1.
\end{equation}
""",
    source="Berouti, Schwartz, Makhoul, Enhancement of speech corrupted by acoustic noise, 1979",
    Y=lambda r: normal(r, 5),
    alpha="",
    N_hat="5",
    beta=lambda r: 0.1,
)
def spectral_subtraction(Y, alpha, N_hat, beta):
    return np.maximum(abs(Y) - alpha * abs(N_hat), beta * abs(Y))


@formula(
    r"""
\begin{equation}
\mathbf{p}_i' = \sum_{j=1}^{m} \omega_j(\mathbf{p}_i)\, \mathbf{q}_j, \qquad \omega_j(\mathbf{p}) = \frac{\|\mathbf{p} - \mathbf{c}_j\|^{-2}}{\sum_{k=1}^{m} \|\mathbf{p} - \mathbf{c}_k\|^{-2}}
\end{equation}
""",
    source="Sederberg, Parry, Free-form deformation; with Shepard's weights",
    shapes=("input p[n, 3], c[m, 3], q[m, 3]",),
    output="p_prime",
    p=lambda r: normal(r, 4, 3),
    c=lambda r: normal(r, 5, 3),
    q=lambda r: normal(r, 5, 3),
)
def shepard_deformation(p, c, q):
    w = 1 / ((p[:, None] - c[None]) ** 2).sum(2)
    return w @ q / w.sum(1, keepdims=True)


@formula(
    r"""
The first-order probability of fixation under selection uses the mean fitness $\bar{w} = \sum_{i}\sum_{j} p_i p_j w_{ij}$, so that
\begin{equation}
\Delta p_i = \frac{p_i (w_{i\cdot} - \bar{w})}{\bar{w}}, \qquad w_{i \cdot} = \sum_{j} p_j w_{ij}.
\end{equation}
""",
    source="Crow, Kimura, An introduction to population genetics theory, 1970, section 5.2",
    output="Delta_p",
    p=lambda r: np.array([0.2, 0.5, 0.3]),
    w="3 3",
)
def selection_of_alleles(p, w):
    m = w @ p
    wb = p @ m
    return p * (m - wb) / wb


@formula(
    r"""
The log partition function of a linear-chain CRF of length $T$ is computed by the recursion with
\begin{equation}
s(\mathbf{X}, \mathbf{y}) = \sum_{t=1}^{T} E_{t, y_t} + \sum_{t=1}^{T-1} A_{y_t, y_{t+1}} .
\end{equation}
""",
    source="Lafferty, McCallum, Pereira, Conditional random fields, 2001; as papers on taggers print it",
    shapes=("base 1", "size T, K", "input E[T, K], A[K, K], y[T]: 1..K"),
    E=lambda r: normal(r, 4, 3),
    y=lambda r: np.array([1, 3, 2, 2]),
    A=lambda r: normal(r, 3, 3),
)
def chain_potential(E, y, A):
    y = y - 1
    return E[np.arange(4), y].sum() + A[y[:-1], y[1:]].sum()


@formula(
    r"""
The Allan variance of fractional frequencies $\bar{y}_k$ is
\begin{equation}
\sigma_y^2(\tau) = \frac{1}{2(M-1)} \sum_{k=1}^{M-1} \left( \bar{y}_{k+1} - \bar{y}_k \right)^2 .
\end{equation}
""",
    source="Allan, Statistics of atomic frequency standards, 1966",
    y_bar="5",
)
def allan_variance(y_bar):
    return ((y_bar[1:] - y_bar[:-1]) ** 2).sum() / 8


@formula(
    r"""
The two-point correlation of the field is estimated by Landy and Szalay as
\[
\hat\xi(r_b) = \frac{DD(r_b) - 2 DR(r_b) + RR(r_b)}{RR(r_b)}
\]
for each bin $b$.
""",
    source="Landy, Szalay, Bias and variance of angular correlation functions, 1993",
    shapes=("input DD[B], DR[B], RR[B]",),
    DD="4",
    DR="4",
    RR="4",
)
def landy_szalay(DD, DR, RR):
    return (DD - 2 * DR + RR) / RR


@formula(
    r"""
The Steinmetz total charge in an electrolyte with $n$ ions of charge $z_i$ and concentration $c_i$ gives the ionic strength
\begin{equation}
I = \frac12 \sum_{i=1}^{n} c_i z_i^2,
\end{equation}
and Davies' equation $\log_{10}\gamma_i = -A z_i^2 \left( \frac{\sqrt{I}}{1+\sqrt{I}} - 0.3\, I \right)$.
""",
    source="Davies, Ion association, 1962",
    output="I",
    c="4",
    z=lambda r: np.array([1.0, -1.0, 2.0, -2.0]),
)
def ionic_strength(c, z):
    return (c * z**2).sum() / 2


@formula(
    r"""
In the sample-efficient actor-critic the soft value is
\begin{align}
V(s) = \alpha \log \sum_{a \in \mathcal{A}} \exp\left( \frac{Q(s,a)}{\alpha} \right).
\end{align}
""",
    source="Haarnoja et al., Reinforcement learning with deep energy-based policies, 2017, equation 3",
    shapes=("input Q[S, A]",),
    alpha="",
    Q=lambda r: normal(r, 3, 4),
)
def soft_value(alpha, Q):
    return alpha * np.log(np.exp(Q / alpha).sum(1))


@formula(
    r"""
The temporal-difference error with eligibility traces yields the $n$-step return
\begin{equation}
G_{t}^{(n)} = \sum_{k=0}^{n-1} \gamma^{k} r_{t+k} + \gamma^{n} V_{t+n}, \quad t = 0, \dots, T-n.
\end{equation}
""",
    source="Sutton, Barto, Reinforcement learning, 2018, equation 7.1",
    shapes=("size T, n", "input gamma[], r[T], V[T + 1]"),
    sizes={"n": 2},
    gamma=lambda r: 0.9,
    r="5",
    V="6",
)
def n_step_return(gamma, r, V):
    return np.array([r[t] + gamma * r[t + 1] + gamma**2 * V[t + 2] for t in range(4)])


@formula(
    r"""
The Gini impurity decrease of a split of node $m$ into $L$ and $R$ is
\[
\Delta i = i_m - \frac{n_L}{n_m} i_L - \frac{n_R}{n_m} i_R, \qquad i_s = 1 - \sum_{k=1}^{K} p_{sk}^2 .
\]
""",
    source="Breiman et al., Classification and regression trees, 1984",
    leaves_open="nodes as letters",
    p="3 4",
)
def impurity_decrease(p):
    return p


@formula(
    r"""
The smoothed hinge (Huberised) loss of a support vector machine with labels $y_i\in\{-1,+1\}$ is
\begin{equation}
L = \frac{1}{n}\sum_{i=1}^{n} \ell(y_i f_i), \qquad
\ell(z) = \begin{cases} \frac12 - z & \text{if } z \le 0, \\ \frac12 (1-z)^2 & \text{if } 0 < z < 1, \\ 0 & \text{if } z \ge 1. \end{cases}
\end{equation}
""",
    source="Rennie, Srebro, Loss functions for preference levels, 2005",
    output="L",
    y=lambda r: np.array([1.0, -1, 1, -1, 1]),
    f=lambda r: normal(r, 5),
)
def smoothed_hinge(y, f):
    z = y * f
    return np.mean(np.where(z <= 0, 0.5 - z, np.where(z < 1, (1 - z) ** 2 / 2, 0)))


@formula(
    r"""
The Ginzburg--Landau free energy on a square lattice with periodic boundary conditions reads
\begin{equation}
F = \sum_{i=1}^{L}\sum_{j=1}^{L} \left[ \frac{\kappa}{2} \left( (\psi_{i+1,j}-\psi_{i,j})^2 + (\psi_{i,j+1}-\psi_{i,j})^2 \right) + \frac{r}{2}\psi_{i,j}^2 + \frac{u}{4}\psi_{i,j}^4 \right].
\end{equation}
""",
    source="Chaikin, Lubensky, Principles of condensed matter physics, 1995",
    kappa="",
    psi=lambda r: normal(r, 4, 4),
    r="",
    u="",
)
def landau_energy(kappa, psi, r, u):
    d = (np.roll(psi, -1, 0) - psi) ** 2 + (np.roll(psi, -1, 1) - psi) ** 2
    return (kappa / 2 * d + r / 2 * psi**2 + u / 4 * psi**4).sum()


@formula(
    r"""
\begin{equation}
\label{eq:harmonic}
\text{HM} = \left( \frac{1}{n} \sum_{i=1}^{n} \frac{1}{x_i} \right)^{-1}
\end{equation}
""",
    source="harmonic mean, as in an encyclopedia",
    x="5",
)
def harmonic_mean(x):
    return 1 / np.mean(1 / x)


@formula(
    r"""
With Boltzmann factors, the FRET efficiency is averaged over $N$ frames with distances $R_n$ and F\"orster radius $R_0$,
\begin{equation}
\langle E \rangle = \frac{1}{N} \sum_{n=1}^N \left[ 1 + \left( \frac{R_n}{R_0} \right)^6 \right]^{-1}.
\end{equation}
""",
    source="Foerster, 1948; as papers on simulations print it",
    R="5",
    R_0="",
)
def transfer_efficiency(R, R_0):
    return np.mean(1 / (1 + (R / R_0) ** 6))


@formula(
    r"""
The tunneling matrix element and the joint density enter the Landauer current
\begin{equation}
I = \frac{2e}{h} \sum_{n=1}^{N} T_n \left[ f_L(E_n) - f_R(E_n) \right] \Delta E, \quad f_{\alpha}(E) = \frac{1}{1 + \exp\left[(E - \mu_\alpha)/k_B T\right]}, \; \alpha \in \{L, R\}.
\end{equation}
""",
    source="Datta, Electronic transport in mesoscopic systems, 1995",
    leaves_open="T is a number and a tensor",
    T="4",
)
def landauer_current(T):
    return T


@formula(
    r"""
Stein variational gradient descent moves particles along
\begin{equation}
\hat{\phi}^*(x_i) = \frac{1}{n} \sum_{j=1}^n \left[ k(x_j, x_i)\, s_j - \frac{2}{h} (x_j - x_i)\, k(x_j, x_i) \right],
\end{equation}
with $k(x, x') = \exp(-\frac{1}{h} (x - x')^2)$ and scores $s_j$.
""",
    source="Liu, Wang, Stein variational gradient descent, 2016, in one dimension",
    x=lambda r: normal(r, 4),
    h="",
    s=lambda r: normal(r, 4),
)
def stein_direction(x, h, s):
    d = x[None] - x[:, None]
    k = np.exp(-(d**2) / h)
    return (k * s[None] - 2 / h * d * k).mean(1)
