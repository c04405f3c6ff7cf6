"""Formulas as papers on robust losses, pooling of graphs, plasticity, fluids of particles, meshes, tests and prices print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The simplest form of our loss function is:
\begin{equation}
\rho\left(x, \alpha, c\right) = \frac{\abs{\alpha - 2}}{\alpha} \left( \left( \frac{ \left( \sfrac{x}{c} \right)^2}{\abs{\alpha - 2}} + 1 \right)^{\sfrac{\alpha}{2}} - 1 \right) \label{eq:simple}
\end{equation}
Here $\alpha \in \mathbb{R}$ is a shape parameter that controls the robustness of the loss and $c > 0$ is a scale parameter.
""",
    source="Barron, A general and adaptive robust loss function, 2019, equation 1",
    x=lambda r: np.array(0.7),
    alpha=lambda r: 1.3,
    c="",
)
def general_robust_loss(x, alpha, c):
    return abs(alpha - 2) / alpha * (((x / c) ** 2 / abs(alpha - 2) + 1) ** (alpha / 2) - 1)


@formula(
    r"""
\begin{align}
    X^{(l+1)} &= {S^{(l)}}^T Z^{(l)} \in \mathbb{R}^{n_{l+1} \times d}, \\
    A^{(l+1)} &= {S^{(l)}}^T A^{(l)} S^{(l)} \in \mathbb{R}^{n_{l+1} \times n_{l+1}}.
\end{align}
""",
    source="Ying et al., Hierarchical graph representation learning with differentiable pooling, 2018, equations 3 and 4",
    shapes=(
        r"$S^{(l)} \in \mathbb{R}^{n_l \times n_{l+1}}, Z^{(l)} \in \mathbb{R}^{n_l \times d}, A^{(l)} \in \mathbb{R}^{n_l \times n_l}$",
    ),
    S=lambda r: normal(r, 4, 2),
    Z=lambda r: normal(r, 4, 3),
    A=lambda r: normal(r, 4, 4),
    output="A_l_plus_1",
)
def pooled_adjacency(S, Z, A):
    out = np.zeros((2, 2))
    for i, j, a, b in np.ndindex(2, 2, 4, 4):
        out[i, j] += S[a, i] * A[a, b] * S[b, j]
    return out


@formula(
    r"""
The estimator based on open, high, low and closing prices is
\begin{equation}
\hat{\sigma}^2_{GK} = \frac{1}{n}\sum_{t=1}^{n} \left[ \frac{1}{2}\left( \ln \frac{H_t}{L_t} \right)^2 - (2\ln 2 - 1) \left( \ln \frac{C_t}{O_t} \right)^2 \right]
\end{equation}
""",
    source="Garman, Klass, On the estimation of security price volatilities, 1980; in its usual simplified form",
    H="4",
    L="4",
    C="4",
    O="4",
)
def range_volatility(H, L, C, O):
    out = 0.0
    for t in range(4):
        out += 0.5 * np.log(H[t] / L[t]) ** 2 - (2 * np.log(2) - 1) * np.log(C[t] / O[t]) ** 2
    return out / 4


@formula(
    r"""
\begin{equation}
V_m = \frac{RT}{F} \ln \left( \frac{\sum_{i}^{n} P_{M^+_i} [M^+_i]_{\mathrm{out}} + \sum_{j}^{m} P_{A^-_j} [A^-_j]_{\mathrm{in}}}{\sum_{i}^{n} P_{M^+_i} [M^+_i]_{\mathrm{in}} + \sum_{j}^{m} P_{A^-_j} [A^-_j]_{\mathrm{out}}} \right)
\end{equation}
""",
    source="Goldman, 1943; Hodgkin, Katz, 1949; as an encyclopedia prints the equation",
    leaves_open="ions as labels and as indices",
    P="3",
)
def membrane_potential(P):
    return P


@formula(
    r"""
For each $N\geq1$, let the rows and columns of the $(N+1)\times(N+1)$ Chebyshev spectral differentiation matrix $D_N$ be indexed from $0$ to $N$. The off-diagonal entries are
\begin{equation}
(D_N)_{ij} = \frac{c_i}{c_j} \frac{(-1)^{i+j}}{x_i - x_j}, \qquad i \neq j, \quad i,j = 0, \ldots, N.
\end{equation}
""",
    source="Trefethen, Spectral methods in Matlab, 2000, theorem 7",
    leaves_open="no value for the diagonal",
    x="4",
)
def differentiation_entries(x):
    return x


@formula(
    r"""
We generate new data with the second (true) form of the barycentric formula evaluated at points $x_i$,
\begin{equation}
p_i = \frac{\displaystyle\sum_{j=0}^n \frac{w_j}{x_i-\xi_j} f_j}{\displaystyle\sum_{j=0}^n \frac{w_j}{x_i-\xi_j}}, \qquad w_j = \frac{1}{\prod_{k\neq j}(\xi_j-\xi_k)},
\end{equation}
""",
    source="Berrut, Trefethen, Barycentric Lagrange interpolation, 2004, equations 3.2 and 4.2, at several points",
    shapes=("size m, n", "input x[m], xi[n+1], f[n+1]"),
    output="p",
    x=lambda r: normal(r, 3),
    xi=lambda r: np.array([0.0, 1.1, 2.3, 2.9]),
    f=lambda r: normal(r, 4),
)
def barycentric_values(x, xi, f):
    w = [1 / np.prod([xi[j] - xi[k] for k in range(4) if k != j]) for j in range(4)]
    out = np.zeros(3)
    for i in range(3):
        d = [w[j] / (x[i] - xi[j]) for j in range(4)]
        out[i] = sum(d[j] * f[j] for j in range(4)) / sum(d)
    return out


@formula(
    r"""
where $\mathbf{C}(\mathbf{P})$ is a discrete entropy-regularised transport cost,
\begin{equation}\label{eq:regot}
\mathrm{L}^{\varepsilon} = \langle \mathbf{P}, \mathbf{C} \rangle - \varepsilon \mathbf{H}, \qquad \mathbf{H} = -\sum_{i,j} \mathbf{P}_{i,j}(\log(\mathbf{P}_{i,j}) - 1),
\end{equation}
with $\mathbf{P}, \mathbf{C} \in \mathbb{R}^{n\times m}$.
""",
    source="Peyre, Cuturi, Computational optimal transport, 2019, equations 4.1 and 4.2, as a value",
    P="2 3",
    C="2 3",
    epsilon="",
    output="L_epsilon",
    leaves_open="H in bold, C(P) in the prose",
)
def regularised_cost(P, C, epsilon):
    return (P * C).sum() + epsilon * (P * (np.log(P) - 1)).sum()


@formula(
    r"""
with
\begin{equation}
    \mathcal{L}_\text{DPO} = -\frac{1}{N} \sum_{i=1}^{N} \log \sigma \left( \beta \log \frac{\pi_\theta(y_i^w \mid x_i)}{\pi_\text{ref}(y_i^w\mid x_i)} - \beta \log \frac{\pi_\theta(y_i^l\mid x_i)}{\pi_\text{ref}(y_i^l\mid x_i)}\right).
\end{equation}
""",
    source="Rafailov et al., Direct preference optimization, 2023, equation 7, over a sample",
    leaves_open="policies at answers to prompts",
    beta="",
)
def preference_loss(beta):
    return beta


@formula(
    r"""
\begin{equation}
\ln \left| \det \frac{\partial f}{\partial z} \right| = \ln \left| 1 + u^{\top} \psi(z) \right|, \qquad \psi(z) = h'(w^{\top} z + b) w
\end{equation}
""",
    source="Rezende, Mohamed, Variational inference with normalizing flows, 2015, equations 11 and 12",
    leaves_open="a determinant of a Jacobian on the left",
    u="3",
)
def planar_determinant(u):
    return u


@formula(
    r"""
The group-relative advantage of output $i$ at token $t$ is its normalised reward and the surrogate is
\begin{equation}
J = \frac{1}{G}\sum_{i=1}^{G}\frac{1}{T}\sum_{t=1}^{T} \left\{ \min\left[ r_{i,t} \hat{A}_{i,t}, \text{clip}\left( r_{i,t}, 1 - \epsilon, 1 + \epsilon \right) \hat{A}_{i,t} \right] - \beta \, d_{i,t} \right\}
\end{equation}
""",
    source="Shao et al., DeepSeekMath, 2024, equation 3, for answers of one length",
    r="2 3",
    A_hat=lambda r: normal(r, 2, 3),
    epsilon=lambda r: 0.2,
    beta="",
    d="2 3",
)
def relative_surrogate(r, A_hat, epsilon, beta, d):
    out = 0.0
    for i, t in np.ndindex(2, 3):
        c = min(max(r[i, t], 1 - epsilon), 1 + epsilon)
        out += min(r[i, t] * A_hat[i, t], c * A_hat[i, t]) - beta * d[i, t]
    return out / 6


@formula(
    r"""
\begin{equation}
\Delta_{\mathbf{k}} = - \sum_{\mathbf{k}'} V_{\mathbf{k}\mathbf{k}'} \frac{\Delta_{\mathbf{k}'}}{2E_{\mathbf{k}'}} \tanh\left(\frac{E_{\mathbf{k}'}}{2k_BT}\right), \qquad E_{\mathbf{k}} = \sqrt{\xi_{\mathbf{k}}^2 + |\Delta_{\mathbf{k}}|^2}
\end{equation}
""",
    source="Tinkham, Introduction to superconductivity, 1996, equation 3.51",
    leaves_open="an equation for what it reads",
    xi="3",
)
def gap_equation(xi):
    return xi


@formula(
    r"""
\begin{equation}
\sigma_v = \sqrt{\tfrac{1}{2} \left[ (\sigma_{11} - \sigma_{22})^2 + (\sigma_{22} - \sigma_{33})^2 + (\sigma_{33} - \sigma_{11})^2 \right] + 3 \left( \sigma_{12}^2 + \sigma_{23}^2 + \sigma_{31}^2 \right)}
\end{equation}
""",
    source="von Mises, Mechanik der festen Koerper im plastisch-deformablen Zustand, 1913; as an encyclopedia prints it",
    sigma=lambda r: normal(r, 3, 3),
    shapes=("base 1", "input sigma[3, 3]"),
)
def equivalent_stress(sigma):
    s = sigma
    a = (s[0, 0] - s[1, 1]) ** 2 + (s[1, 1] - s[2, 2]) ** 2 + (s[2, 2] - s[0, 0]) ** 2
    return np.sqrt(a / 2 + 3 * (s[0, 1] ** 2 + s[1, 2] ** 2 + s[2, 0] ** 2))


@formula(
    r"""
\newcommand{\vx}{\mathbf{x}}
\newcommand{\vv}{\mathbf{v}}
\textbf{Particle-to-grid.} Mass and velocities are transferred with the weights $w_{ip}$,
\begin{align}
m_i &= \sum_p w_{ip} m_p, \\
\vv_i &= \frac{1}{m_i} \sum_p w_{ip} m_p \left( \vv_p + \mathbf{B}_p (\mathbf{D}_p)^{-1} (\vx_i - \vx_p) \right)
\end{align}
""",
    source="Jiang et al., The affine particle-in-cell method, 2015, equations 1 and 8",
    leaves_open="masses of nodes and of particles have one letter",
    m="3",
)
def particles_to_grid(m):
    return m


@formula(
    r"""
\begin{equation}
 \lambda_i = -\frac{C_i}{\sum_k \left|\nabla_{\mathbf{p}_k} C_i\right|^2 + \varepsilon}, \qquad C_i = \frac{\rho_i}{\rho_0} - 1
\end{equation}
""",
    source="Macklin, Mueller, Position based fluids, 2013, equations 1 and 11",
    leaves_open="gradients",
    rho="3",
)
def constraint_multipliers(rho):
    return rho


@formula(
    r"""
\begin{equation}
I_p = k_a i_a + \sum_{m \in \text{lights}} \left( k_d (\hat{L}_m \cdot \hat{N}) i_{m,d} + k_s (\hat{R}_m \cdot \hat{V})^{\alpha} i_{m,s} \right),
\end{equation}
where $\hat{L}_m, \hat{N}, \hat{R}_m, \hat{V} \in \mathbb{R}^3$.
""",
    source="Phong, Illumination for computer generated pictures, 1975; as an encyclopedia prints it",
    shapes=("input k_a[], i_a[], k_d[], i_d[L], k_s[], alpha[], i_s[L]",),
    k_a="",
    i_a="",
    k_d="",
    L_hat="2 3",
    N_hat="3",
    i_d="2",
    k_s="",
    R_hat="2 3",
    V_hat="3",
    alpha="",
    i_s="2",
)
def reflection_model(k_a, i_a, k_d, L_hat, N_hat, i_d, k_s, R_hat, V_hat, alpha, i_s):
    out = k_a * i_a
    for m in range(2):
        out += k_d * (L_hat[m] @ N_hat) * i_d[m]
        out += k_s * (R_hat[m] @ V_hat) ** alpha * i_s[m]
    return out


@formula(
    r"""
The test statistic is given by
\begin{equation}
H = \frac{12}{N(N+1)} \sum_{i=1}^{g} \frac{R_i^2}{n_i} - 3(N+1), \qquad N = \sum_{i=1}^{g} n_i,
\end{equation}
where $n_i$ is the number of observations in group $i$ and $R_i$ the sum of its ranks.
""",
    source="Kruskal, Wallis, Use of ranks in one-criterion variance analysis, 1952, equation 1.1",
    output="H",
    R="4",
    n="4",
)
def rank_statistic(R, n):
    N = n.sum()
    return 12 / (N * (N + 1)) * (R**2 / n).sum() - 3 * (N + 1)


@formula(
    r"""
An (empirical) estimator of HSIC for $K, L, H \in \mathbb{R}^{m\times m}$ with $K_{ij} = k(x_i, x_j)$, $L_{ij} = l(y_i, y_j)$ and $H_{ij} = \delta_{ij} - m^{-1}$ is
\begin{equation}
\mathrm{HSIC} = (m-1)^{-2} \operatorname{tr} KHLH .
\end{equation}
""",
    source="Gretton et al., Measuring statistical dependence with Hilbert-Schmidt norms, 2005, equation 9",
    output="HSIC",
    K=lambda r: normal(r, 4, 4),
    L=lambda r: normal(r, 4, 4),
    shapes=("size m", "input K[m, m], L[m, m]"),
)
def centred_trace(K, L):
    H = np.eye(4) - 0.25
    return np.trace(K @ H @ L @ H) / 9


@formula(
    r"""
The three-parameter logistic model states that the probability of a correct response to item $j$ by person $i$ is
\begin{equation}
P_{ij}(\theta_i) = c_j + \frac{1 - c_j}{1 + e^{-1.7 a_j(\theta_i - b_j)}} .
\end{equation}
""",
    source="Lord, Applications of item response theory, 1980, equation 2-1",
    c="3",
    a="3",
    theta=lambda r: normal(r, 4),
    b=lambda r: normal(r, 3),
)
def guessing_model(c, a, theta, b):
    out = np.zeros((4, 3))
    for i, j in np.ndindex(4, 3):
        out[i, j] = c[j] + (1 - c[j]) / (1 + np.exp(-1.7 * a[j] * (theta[i] - b[j])))
    return out


@formula(
    r"""
\begin{equation}
	\mathbf{M_c}(\mathbf{F}) = \sigma(\mathbf{W_1}(\mathbf{W_0}(\mathbf{F^c_{avg}})) + \mathbf{W_1}(\mathbf{W_0}(\mathbf{F^c_{max}}))),
\end{equation}
where $\sigma$ denotes the sigmoid function, $\mathbf{W_0}\in \mathbb{R}^{C/r \times C}$, and $\mathbf{W_1}\in \mathbb{R}^{C \times C/r}$.
""",
    source="Woo et al., CBAM: convolutional block attention module, 2018, equation 2",
    shapes=(r"$\mathbf{F^c_{avg}}, \mathbf{F^c_{max}} \in \mathbb{R}^{C}$",),
    W_0=lambda r: normal(r, 2, 4),
    W_1=lambda r: normal(r, 4, 2),
    F_avg=lambda r: normal(r, 4),
    F_max=lambda r: normal(r, 4),
    leaves_open="an extent that is a quotient",
)
def channel_attention(W_0, W_1, F_avg, F_max):
    return 1 / (1 + np.exp(-W_1 @ (W_0 @ F_avg) - W_1 @ (W_0 @ F_max)))


@formula(
    r"""
The tight lower bound with $K$ importance samples is computed from the log-weights $\log w_{ik}$ as
\begin{equation}
\mathcal{L}_K = \frac1N\sum_{i=1}^N \log \frac{1}{K} \sum_{k=1}^K \exp(\ell_{ik}), \qquad \ell_{ik} = \log p_{ik} - \log q_{ik}.
\end{equation}
""",
    source="Burda, Grosse, Salakhutdinov, Importance weighted autoencoders, 2016, equation 8, over a sample",
    output="L_K",
    shapes=("size K",),
    sizes={"K": 3},
    p="2 3",
    q="2 3",
)
def importance_weighted_bound(p, q):
    out = 0.0
    for i in range(2):
        out += np.log(sum(p[i, k] / q[i, k] for k in range(3)) / 3)
    return out / 2


@formula(
    r"""
\begin{equation}
\mathcal{H} = -\sum_{i \neq j} J_{ij} \mathbf{S}_i \cdot \mathbf{S}_j - \sum_{i} K_i (\mathbf{S}_i \cdot \mathbf{e}_i)^2 - \sum_{i} \mu_i \mathbf{S}_i \cdot \mathbf{B}
\end{equation}
""",
    source="Mueller et al., Spirit: multifunctional framework for atomistic spin simulations, 2019, equation 1 without exchange of Dzyaloshinskii",
    shapes=("input J[N, N], S[N, 3], K[N], e[N, 3], mu[N], B[3]",),
    J=lambda r: normal(r, 3, 3),
    S=lambda r: normal(r, 3, 3),
    K=lambda r: normal(r, 3),
    e=lambda r: normal(r, 3, 3),
    mu=lambda r: normal(r, 3),
    B=lambda r: normal(r, 3),
)
def spins_in_fields(J, S, K, e, mu, B):
    out = 0.0
    for i in range(3):
        for j in range(3):
            if i != j:
                out -= J[i, j] * S[i] @ S[j]
        out -= K[i] * (S[i] @ e[i]) ** 2 + mu[i] * S[i] @ B
    return out


@formula(
    r"""
where the potential temperature $\theta$ is advected on the C grid with the upwind flux
\begin{equation}
F_{i+1/2} = \max(u_{i+1/2}, 0)\, \theta_i + \min(u_{i+1/2}, 0)\, \theta_{i+1}, \quad i = 1, \dots, N-1 .
\end{equation}
""",
    source="Durran, Numerical methods for fluid dynamics, 2010, section 5.2",
    u=lambda r: normal(r, 4),
    theta=lambda r: normal(r, 5),
    shapes=("input u_half[N-1], theta[N]",),
)
def upwind_flux(u, theta):
    return np.maximum(u, 0) * theta[:-1] + np.minimum(u, 0) * theta[1:]


@formula(
    r"""
Let $p_i$ be the probabilities of answer options and $u_i$ their one-hot truth. The expected calibration error partitions predictions into $M$ bins,
\begin{equation}
    \mathrm{ECE} = \sum_{m=1}^{M} \frac{|B_m|}{n} \left| \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \right|,
\end{equation}
""",
    source="Guo et al., On calibration of modern neural networks, 2017, equation 3",
    leaves_open="bins",
    p="3",
)
def bins_of_confidence(p):
    return p


@formula(
    r"""
\begin{equation}
w_i = \frac{\tan(\alpha_{i-1}/2) + \tan(\alpha_i/2)}{\|v_i - v_0\|}, \qquad \lambda_i = \frac{w_i}{\sum_{j=1}^{k} w_j}, \qquad i = 1, \ldots, k
\end{equation}
""",
    source="Floater, Mean value coordinates, 2003, equation 2.1",
    leaves_open="angles are cyclic",
    alpha="3",
)
def mean_value_weights(alpha):
    return alpha


@formula(
    r"""
The Leslie matrix model with density dependence in the Ricker form reads $n' = $ (next year's abundance)
\begin{align}
n_1' &= \sum_{a=1}^{A} f_a n_a e^{-\beta N}, & N &= \sum_{a=1}^{A} n_a, \\
n_{a+1}' &= s_a n_a, & a &= 1, \dots, A-1.
\end{align}
""",
    source="Caswell, Matrix population models, 2001, section 16.1",
    leaves_open="one vector by two definitions",
    n="3",
)
def age_structure(n):
    return n


@formula(
    r"""
\begin{equation}\label{eq:vicsek}
\varphi = \frac{1}{N v_0} \left| \sum_{i=1}^{N} \mathbf{v}_i \right|
\end{equation}
with $\mathbf{v}_i \in \mathbb{R}^2$.
""",
    source="Vicsek et al., Novel type of phase transition in a system of self-driven particles, 1995, equation 4",
    v_0="",
    v=lambda r: normal(r, 4, 2),
)
def order_of_motion(v_0, v):
    return np.sqrt((v.sum(0) ** 2).sum()) / (4 * v_0)


@formula(
    r"""
The gradient of the Cucker--Smale interaction gives accelerations
\begin{equation}
\frac{d v_i}{dt} = \frac{K}{N} \sum_{j=1}^N \psi(\| x_j - x_i \|) (v_j - v_i), \qquad \psi(r) = \frac{1}{(1 + r^2)^{\beta}}
\end{equation}
with $x_i, v_i \in \mathbb{R}^d$.
""",
    source="Cucker, Smale, Emergent behavior in flocks, 2007",
    K="",
    x=lambda r: normal(r, 3, 2),
    v=lambda r: normal(r, 3, 2),
    beta="",
    output="dv_dt",
)
def smale_flock(K, x, v, beta):
    out = np.zeros((3, 2))
    for i, j in np.ndindex(3, 3):
        r = np.sqrt(((x[j] - x[i]) ** 2).sum())
        out[i] += K / 3 / (1 + r**2) ** beta * (v[j] - v[i])
    return out


@formula(
    r"""
\begin{equation}
\mathrm{ILLIQ}_{i} = \frac{1}{D} \sum_{d=1}^{D} \frac{|R_{id}|}{\mathrm{VOLD}_{id}}
\end{equation}
""",
    source="Amihud, Illiquidity and stock returns, 2002, equation 1, for one year",
    R=lambda r: normal(r, 3, 4),
    VOLD="3 4",
)
def amihud_ratio(R, VOLD):
    return (abs(R) / VOLD).mean(1)


@formula(
    r"""
Given local descriptors $x_i$, VLAD accumulates the differences
\begin{equation}
v_{i,j} = \sum_{x \text{ such that } \mathrm{NN}(x) = c_i} x_j - c_{i,j}
\end{equation}
""",
    source="Jegou et al., Aggregating local descriptors into a compact image representation, 2010, equation 1",
    leaves_open="descriptors by nearest centre",
    x="3",
)
def accumulated_differences(x):
    return x


@formula(
    r"""
\begin{equation}
\sigma_B^2(t) = \omega_0 \omega_1 \left[\mu_1 - \mu_0\right]^2, \quad \omega_0 = \sum_{i=0}^{t-1} p_i, \quad \omega_1 = \sum_{i=t}^{L-1} p_i, \quad \mu_0 = \frac{1}{\omega_0} \sum_{i=0}^{t-1} i p_i, \quad \mu_1 = \frac{1}{\omega_1}\sum_{i=t}^{L-1} i p_i
\end{equation}
""",
    source="Otsu, A threshold selection method from gray-level histograms, 1979; as an encyclopedia prints it, at one threshold",
    shapes=("size t, L", "input p[L]"),
    sizes={"t": 2},
    output="sigma_B_squared",
    p="5",
)
def variance_between_classes(p):
    w0, w1 = p[:2].sum(), p[2:].sum()
    m0 = sum(i * p[i] for i in range(2)) / w0
    m1 = sum(i * p[i] for i in range(2, 5)) / w1
    return w0 * w1 * (m1 - m0) ** 2


@formula(
    r"""
The Flory--Huggins free energy of mixing of $n$ components is
\begin{equation}
\frac{\Delta F_{\mathrm{mix}}}{k_B T} = \sum_{i=1}^{n} \frac{\phi_i}{N_i} \ln \phi_i + \sum_{i<j} \chi_{ij} \phi_i \phi_j .
\end{equation}
""",
    source="Flory, Principles of polymer chemistry, 1953, chapter XII, for several components",
    phi="3",
    N="3",
    chi="3 3",
)
def mixing_energy(phi, N, chi):
    out = (phi / N * np.log(phi)).sum()
    for i in range(3):
        for j in range(i + 1, 3):
            out += chi[i, j] * phi[i] * phi[j]
    return out
