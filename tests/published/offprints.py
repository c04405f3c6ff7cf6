"""Formulas of offprints: attention and its approximations, losses, graphs, lattices, flows, orbitals, prices, images and circuits of neurons."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
We define $\phi(x) = \mathrm{elu}(x) + 1$, and
\begin{equation}
V'_i = \frac{\sum_{j=1}^N \mathrm{sim}\left(Q_i, K_j\right) V_j}{\sum_{j=1}^N \mathrm{sim}\left(Q_i, K_j\right)}, \qquad \mathrm{sim}(q, k) = \exp\left(\frac{q^T k}{\sqrt{D}}\right).
\end{equation}
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equation 3",
    shapes=("input Q[N, D], K[N, D], V[N, M]",),
    output="V_prime",
    Q=lambda r: normal(r, 4, 3),
    K=lambda r: normal(r, 4, 3),
    V=lambda r: normal(r, 4, 2),
)
def similarity_of_queries(Q, K, V):
    s = np.exp(Q @ K.T / np.sqrt(3))
    return s @ V / s.sum(1, keepdims=True)


@formula(
    r"""
\begin{equation}
e_{ij} = \frac{x_i W^Q (x_j W^K + a_{ij}^K)^T}{\sqrt{d_z}}
\end{equation}
""",
    source="Shaw, Uszkoreit, Vaswani, Self-attention with relative position representations, 2018, equation 4",
    shapes=("input x[n, d_x], W_Q[d_x, d_z], W_K[d_x, d_z], a_K[n, n, d_z]",),
    x=lambda r: normal(r, 4, 3),
    W_Q=lambda r: normal(r, 3, 2),
    W_K=lambda r: normal(r, 3, 2),
    a_K=lambda r: normal(r, 4, 4, 2),
)
def relative_positions(x, W_Q, W_K, a_K):
    q, k = x @ W_Q, x @ W_K
    return np.einsum("id,ijd->ij", q, k[None] + a_K) / np.sqrt(2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Let $\mathbf{z}_i$ denote the normalised projection of sample $i$, $\tau \in \mathbb{R}^+$ a temperature. The loss of a batch is
\begin{equation}
\mathcal{L}_{\text{align}} = \frac{1}{N} \sum_{i=1}^{N} \left\| \mathbf{z}_i - \mathbf{z}_i^+ \right\|_2^{\alpha}, \qquad
\mathcal{L}_{\text{uniform}} = \log \frac{1}{N^2} \sum_{i=1}^{N}\sum_{j=1}^{N} e^{-t \|\mathbf{z}_i - \mathbf{z}_j\|_2^2}.
\end{equation}
\end{document}
""",
    source="Wang, Isola, Understanding contrastive representation learning through alignment and uniformity, 2020",
    shapes=("input z[N, d], z_plus[N, d]",),
    output="L_uniform",
    z=lambda r: normal(r, 4, 3),
    z_plus=lambda r: normal(r, 4, 3),
    alpha=lambda r: 2.0,
    t=lambda r: 2.0,
)
def uniform_on_sphere(z, z_plus, alpha, t):
    d = np.sum((z[:, None] - z[None]) ** 2, 2)
    return np.log(np.exp(-t * d).mean())


@formula(
    r"""
\[
L_{\text{PolyLoss}} = -\log(P_t) + \sum_{j=1}^{N} \epsilon_j (1-P_t)^j
\]
""",
    source="Leng et al., PolyLoss, 2022, equation 4",
    P_t=lambda r: 0.6,
    epsilon="4",
)
def poly_loss(P_t, epsilon):
    return -np.log(P_t) + sum(epsilon[j - 1] * (1 - P_t) ** j for j in range(1, 5))


@formula(
    r"""
\begin{align}
h_v^{(k)} = \mathrm{MLP}^{(k)}\left(\left(1+\epsilon^{(k)}\right)\cdot h_v^{(k-1)} + \sum_{u \in \mathcal{N}(v)} h_u^{(k-1)}\right)
\end{align}
""",
    source="Xu et al., How powerful are graph neural networks, 2019, equation 4.1",
    leaves_open="neighbourhoods and the network",
    h="4",
)
def isomorphism_layer(h):
    return h


@formula(
    r"""
The layer-wise propagation rule is
\begin{equation}
H^{(l+1)} = \sigma\!\left(\tilde{D}^{-\frac{1}{2}} \tilde{A} \tilde{D}^{-\frac{1}{2}} H^{(l)} W^{(l)} \right),
\end{equation}
where $\tilde{A} = A + I_N$, $\tilde{D}_{ii} = \sum_j \tilde{A}_{ij}$, and $\sigma(\cdot)$ is the $\mathrm{ReLU}(\cdot) = \max(0, \cdot)$.
""",
    source="Kipf, Welling, Semi-supervised classification with graph convolutional networks, 2017, equation 2",
    shapes=("input A[N, N], H_l[N, C], W_l[C, F]",),
    A=lambda r: np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0.0]]),
    H=lambda r: normal(r, 3, 2),
    W=lambda r: normal(r, 2, 4),
)
def propagation_rule(A, H, W):
    At = A + np.eye(3)
    d = At.sum(1) ** -0.5
    return np.maximum(0, (d[:, None] * At * d[None]) @ H @ W)


@formula(
    r"""
The free energy of the $\phi^4$ theory on a lattice is
\begin{equation}
S[\phi] = \sum_{x} \left[ -2\kappa \sum_{\mu=1}^{d} \phi_x \phi_{x+\hat\mu} + \phi_x^2 + \lambda (\phi_x^2 - 1)^2 \right].
\end{equation}
""",
    source="Luescher, Weisz, Scaling laws and triviality bounds in the lattice phi4 theory, 1987",
    leaves_open="directions on the lattice",
    kappa="",
    phi="4",
    lambda_="",
)
def lattice_action(kappa, phi, lambda_):
    return phi


@formula(
    r"""
The Metropolis energy of the $q$-state clock model with $\theta_{i} = 2\pi n_{i}/q$ on an $L \times L$ lattice reads
\begin{equation}
E = -J\sum_{i=1}^{L}\sum_{j=1}^{L-1}\cos(\theta_{i,j}-\theta_{i,j+1}) - J\sum_{i=1}^{L-1}\sum_{j=1}^{L}\cos(\theta_{i,j}-\theta_{i+1,j}).
\end{equation}
""",
    source="Jose, Kadanoff, Kirkpatrick, Nelson, Renormalization of the two-dimensional planar model, 1977; open boundaries",
    J="",
    theta=lambda r: normal(r, 4, 4),
)
def clock_model(J, theta):
    return -J * (np.cos(theta[:, :-1] - theta[:, 1:]).sum() + np.cos(theta[:-1] - theta[1:]).sum())


@formula(
    r"""
\begin{equation}
\frac{u_j^{n+1} - u_j^n}{\Delta t} + a \frac{u_j^n - u_{j-1}^n}{\Delta x} = 0
\end{equation}
""",
    source="LeVeque, Finite volume methods for hyperbolic problems, 2002: the upwind method",
    leaves_open="implicit form",
    u="5",
)
def upwind_method(u):
    return u


@formula(
    r"""
The MacCormack predictor is
\[
\bar{u}_i = u_i - \frac{\Delta t}{\Delta x}\left( f_{i+1} - f_i \right), \qquad i = 1,\dots,N-1,
\]
with the fluxes $f_i = \frac{1}{2}u_i^2$ of Burgers' equation.
""",
    source="MacCormack, The effect of viscosity in hypervelocity impact cratering, 1969",
    u="6",
    Delta_t=lambda r: 0.1,
    Delta_x=lambda r: 0.5,
)
def maccormack_predictor(u, Delta_t, Delta_x):
    f = u**2 / 2
    return u[:-1] - Delta_t / Delta_x * (f[1:] - f[:-1])


@formula(
    r"""
\begin{equation}
\label{eq:edm}
E_x^{n+1}\!\left(i+\tfrac12, j\right) = E_x^{n}\!\left(i+\tfrac12, j\right) + \frac{\Delta t}{\varepsilon \Delta y}\left[ H_z^{n+1/2}\!\left(i+\tfrac12, j+\tfrac12\right) - H_z^{n+1/2}\!\left(i+\tfrac12, j-\tfrac12\right) \right]
\end{equation}
""",
    source="Yee, Numerical solution of initial boundary value problems involving Maxwell's equations, 1966",
    leaves_open="half places without ranges",
    E="5 5",
    H="5 5",
)
def yee_step(E, H):
    return E


@formula(
    r"""
The spin-component-scaled correlation energy reads
\begin{equation}
E_{\mathrm{SCS}} = p_S \sum_{ij}\sum_{ab} T_{ij}^{ab} (ia|jb) + p_T \sum_{ij}\sum_{ab} \left( T_{ij}^{ab} - T_{ij}^{ba} \right) (ia|jb).
\end{equation}
""",
    source="Grimme, Improved second-order Moller-Plesset perturbation theory, 2003",
    leaves_open="order of the dimensions of T",
    T="2 2 3 3",
)
def scaled_components(T):
    return T


@formula(
    r"""
The Coulomb and exchange matrices are constructed as
\begin{align}
J_{\mu\nu} &= \sum_{\lambda\sigma} P_{\lambda\sigma} (\mu\nu|\lambda\sigma), \\
K_{\mu\nu} &= \sum_{\lambda\sigma} P_{\lambda\sigma} (\mu\lambda|\nu\sigma),
\end{align}
and the energy is $E = \sum_{\mu\nu} P_{\mu\nu} \left( h_{\mu\nu} + J_{\mu\nu} - \tfrac12 K_{\mu\nu} \right)$.
""",
    source="Helgaker, Jorgensen, Olsen, Molecular electronic-structure theory, 2000, section 10.6",
    output="K",
    P=lambda r: normal(r, 3, 3),
    eri=lambda r: normal(r, 3, 3, 3, 3),
    h=lambda r: normal(r, 3, 3),
)
def coulomb_and_exchange(P, eri, h):
    return np.einsum("ls,mlns->mn", P, eri)


@formula(
    r"""
Mayer's bond order between atoms $A$ and $B$ is
\begin{equation}
B_{AB} = \sum_{\mu \in A} \sum_{\nu \in B} (\mathbf{PS})_{\mu\nu} (\mathbf{PS})_{\nu\mu}.
\end{equation}
""",
    source="Mayer, Charge, bond order and valence in the ab initio SCF theory, 1983",
    leaves_open="which orbitals belong to which atom",
    P="4 4",
    S="4 4",
)
def mayer_bond(P, S):
    return P


@formula(
    r"""
The total energy of the embedded-atom type is
\[
E_{tot} = \frac{1}{2} \sum_{i=1}^{N} \sum_{\substack{j=1 \\ j \neq i}}^{N} A e^{-p \left(\frac{r_{ij}}{r_0} - 1\right)} - \sum_{i=1}^{N} \sqrt{ \sum_{\substack{j=1 \\ j \ne i}}^{N} \xi^2 e^{-2q\left(\frac{r_{ij}}{r_0}-1\right)} }
\]
""",
    source="Cleri, Rosato, Tight-binding potentials for transition metals and alloys, 1993, equations 2 and 3",
    A="",
    p="",
    r="4 4",
    r_0="",
    xi="",
    q="",
)
def gupta_energy(A, p, r, r_0, xi, q):
    off = 1 - np.eye(4)
    rep = A * np.exp(-p * (r / r_0 - 1)) * off
    band = xi**2 * np.exp(-2 * q * (r / r_0 - 1)) * off
    return rep.sum() / 2 - np.sqrt(band.sum(1)).sum()


@formula(
    r"""
The structural similarity at scale one with constants $C_1$ and $C_2$, and the quality index of mean values $\mu_x = \frac1N\sum_{i=1}^N x_i$, reads
\begin{equation}
l(x,y) = \frac{2\mu_x\mu_y + C_1}{\mu_x^2+\mu_y^2+C_1}, \quad \text{with} \quad \mu_y = \frac1N\sum_{i=1}^N y_i .
\end{equation}
""",
    source="Wang et al., Image quality assessment, 2004, equation 6",
    output="l",
    x="5",
    y="5",
    C_1="",
)
def luminance_comparison(x, y, C_1):
    a, b = x.mean(), y.mean()
    return (2 * a * b + C_1) / (a * a + b * b + C_1)


@formula(
    r"""
Perona and Malik discretise anisotropic diffusion as
\begin{equation}
I_{i,j}^{t+1} = I_{i,j}^{t} + \lambda \left[ c_N \cdot \nabla_N I + c_S \cdot \nabla_S I + c_E \cdot \nabla_E I + c_W \cdot \nabla_W I \right]_{i,j}^{t}
\end{equation}
""",
    source="Perona, Malik, Scale-space and edge detection using anisotropic diffusion, 1990, equation 7",
    leaves_open="gradients by direction",
    I="4 4",
)
def perona_malik(I):
    return I


@formula(
    r"""
The bilateral filter with a box of radius $r$ and weights
\[
w(i,j,k,l) = \exp\left( - \frac{(i-k)^2 + (j-l)^2}{2\sigma_d^2} - \frac{(I(i,j) - I(k,l))^2}{2 \sigma_r^2} \right)
\]
gives
\[
I_D(i,j) = \frac{\sum_{k,l} I(k,l)\, w(i,j,k,l)}{\sum_{k,l} w(i,j,k,l)} .
\]
""",
    source="Tomasi, Manduchi, Bilateral filtering, 1998; as in an encyclopedia",
    shapes=("input I[H, W]",),
    output="I_D",
    sigma_d=lambda r: 1.2,
    I="4 5",
    sigma_r=lambda r: 0.7,
)
def denoised_intensity(sigma_d, I, sigma_r):
    out = np.zeros((4, 5))
    for i, j in np.ndindex(4, 5):
        w = np.zeros((4, 5))
        for k, l in np.ndindex(4, 5):
            w[k, l] = np.exp(
                -((i - k) ** 2 + (j - l) ** 2) / (2 * sigma_d**2)
                - (I[i, j] - I[k, l]) ** 2 / (2 * sigma_r**2)
            )
        out[i, j] = (w * I).sum() / w.sum()
    return out


@formula(
    r"""
The Goertzel power of a block of $N$ samples at bin $k$ is obtained from
\begin{equation}
X[k] = \sum_{n=0}^{N-1} x[n] \cos\!\left(\frac{2\pi k n}{N}\right), \quad k = 0,1,\ldots,N-1.
\end{equation}
""",
    source="Goertzel, An algorithm for the evaluation of finite trigonometric series, 1958; real part",
    x="6",
)
def goertzel(x):
    n = np.arange(6)
    return np.array([(x * np.cos(2 * np.pi * k * n / 6)).sum() for k in range(6)])


@formula(
    r"""
The sample autocorrelation matrix and the Capon spectrum of the array are estimated from $K$ snapshots $\mathbf{x}(k) \in \mathbb{R}^M$:
\begin{equation}
\hat{\mathbf{R}}_{xx} = \frac{1}{K} \sum_{k=1}^{K} \mathbf{x}(k)\, \mathbf{x}^{T}(k)
\end{equation}
""",
    source="Capon, High-resolution frequency-wavenumber spectrum analysis, 1969; real data",
    shapes=("input x[K, M]",),
    x=lambda r: normal(r, 5, 3),
)
def snapshot_covariance(x):
    return x.T @ x / 5


@formula(
    r"""
The Newey--West estimator is
\begin{equation}
\hat\Omega = \hat\Gamma_0 + \sum_{j=1}^{q} \left(1 - \frac{j}{q+1}\right) \left(\hat\Gamma_j + \hat\Gamma_j'\right), \qquad \hat\Gamma_j = \frac1T \sum_{t=j+1}^{T} \hat u_t \hat u_{t-j} x_t x_{t-j}'
\end{equation}
""",
    source="Newey, West, A simple positive semi-definite covariance matrix, 1987",
    leaves_open="primes as transposes of vectors without shapes",
    x="5 2",
    u="5",
)
def kernel_covariance(x, u):
    return x


@formula(
    r"""
Let $p_{it}$ and $q_{it}$ denote the price and quantity of good $i$ in period $t \in \{0, 1\}$. The Paasche and the Fisher indices are
\begin{equation}
P_P = \frac{\sum_{i=1}^{n} p_{i1} q_{i1}}{\sum_{i=1}^{n} p_{i0} q_{i1}}, \qquad
P_F = \sqrt{P_P \cdot \frac{\sum_{i=1}^{n} p_{i1} q_{i0}}{\sum_{i=1}^{n} p_{i0} q_{i0}}}.
\end{equation}
""",
    source="Fisher, The making of index numbers, 1922",
    output="P_F",
    shapes=("input p[n, 2], q[n, 2]",),
    p="4 2",
    q="4 2",
)
def ideal_index(p, q):
    P = (p[:, 1] * q[:, 1]).sum() / (p[:, 0] * q[:, 1]).sum()
    return np.sqrt(P * (p[:, 1] * q[:, 0]).sum() / (p[:, 0] * q[:, 0]).sum())


@formula(
    r"""
\begin{equation}
\ell(\beta) = \sum_{i=1}^{n} \delta_i \left[ x_i^\top \beta - \log \left( \sum_{j: t_j \geq t_i} \exp(x_j^\top \beta) \right) \right]
\end{equation}
""",
    source="Cox, Regression models and life-tables, 1972; as papers on deep survival models print it",
    shapes=("input x[n, p], beta[p], delta[n], t[n]",),
    beta=lambda r: normal(r, 2),
    delta=lambda r: np.array([1.0, 0, 1, 1]),
    x=lambda r: normal(r, 4, 2),
    t="4",
)
def partial_likelihood_of_risk_sets(beta, delta, x, t):
    h = x @ beta
    return sum(
        delta[i] * (h[i] - np.log(sum(np.exp(h[j]) for j in range(4) if t[j] >= t[i])))
        for i in range(4)
    )


@formula(
    r"""
The estimator of the average treatment effect by inverse probability weighting, with normalised weights, is
\begin{equation}
\hat{\tau}_{\mathrm{IPW}} = \frac{\sum_{i=1}^n \frac{T_i Y_i}{\hat{e}(X_i)}}{\sum_{i=1}^n \frac{T_i}{\hat{e}(X_i)}} - \frac{\sum_{i=1}^n \frac{(1-T_i) Y_i}{1-\hat{e}(X_i)}}{\sum_{i=1}^n \frac{1-T_i}{1-\hat{e}(X_i)}},
\end{equation}
where $\hat{e}(x) = \frac{1}{1+\exp(-\hat\beta_0 - \hat\beta_1 x)}$.
""",
    source="Hirano, Imbens, Ridder, Efficient estimation of average treatment effects, 2003",
    T=lambda r: np.array([1.0, 0, 1, 0, 1]),
    Y="5",
    X="5",
    beta_hat_0="",
    beta_hat_1="",
)
def hajek_weights(T, Y, X, beta_hat_0, beta_hat_1):
    e = 1 / (1 + np.exp(-beta_hat_0 - beta_hat_1 * X))
    a, b = T / e, (1 - T) / (1 - e)
    return (a * Y).sum() / a.sum() - (b * Y).sum() / b.sum()


@formula(
    r"""
\begin{equation}
\label{eqn:seir}
\begin{split}
\frac{dS_i}{dt} &= - S_i \sum_{j=1}^{n} \beta_{ij} \frac{I_j}{N_j}, \\
\frac{dE_i}{dt} &= S_i \sum_{j=1}^{n} \beta_{ij} \frac{I_j}{N_j} - \sigma E_i, \\
\frac{dI_i}{dt} &= \sigma E_i - \gamma I_i, \\
\frac{dR_i}{dt} &= \gamma I_i,
\end{split}
\end{equation}
""",
    source="Keeling, Rohani, Modeling infectious diseases, 2008: SEIR with groups",
    output="dE_dt",
    S="3",
    beta="3 3",
    I="3",
    N="3",
    sigma="",
    E="3",
    gamma="",
)
def exposed_groups(S, beta, I, N, sigma, E, gamma):
    return S * (beta @ (I / N)) - sigma * E


@formula(
    r"""
Following \cite{hu2008}, we minimise
\begin{equation}
\min_{x_\star, y_\star} \sum_{u,i} c_{ui} \left( p_{ui} - x_u^T y_i \right)^2 + \lambda \left( \sum_u \| x_u \|^2 + \sum_i \| y_i \|^2 \right)
\end{equation}
with $c_{ui} = 1 + \alpha r_{ui}$.
""",
    source="Hu, Koren, Volinsky, Collaborative filtering for implicit feedback datasets, 2008, equation 3",
    shapes=("input x[m, f], y[n, f]",),
    p=lambda r: np.round(r.uniform(0, 1, (3, 4))),
    x=lambda r: normal(r, 3, 2),
    y=lambda r: normal(r, 4, 2),
    alpha=lambda r: 40.0,
    r="3 4",
    lambda_="",
)
def weighted_regularised_factors(p, x, y, alpha, r, lambda_):
    c = 1 + alpha * r
    return (c * (p - x @ y.T) ** 2).sum() + lambda_ * ((x**2).sum() + (y**2).sum())


@formula(
    r"""
\begin{equation}
\hat{r}_{ui} = \mu + b_i + b_u + q_i^T \left( p_u + |N(u)|^{-\frac{1}{2}} \sum_{j \in N(u)} y_j \right)
\end{equation}
""",
    source="Koren, Factorization meets the neighborhood, 2008, equation 15",
    leaves_open="the sets N(u)",
    q="3 2",
)
def implicit_neighbours(q):
    return q


@formula(
    r"""
The query likelihood with Dirichlet smoothing ranks documents by
\[
\log p(q|d) = \sum_{i=1}^{|q|} \log \frac{c(q_i, d) + \mu\, p(q_i|C)}{|d| + \mu}
\]
""",
    source="Zhai, Lafferty, A study of smoothing methods for language models, 2004",
    leaves_open="counts of words are functions",
    mu="",
)
def dirichlet_smoothing(mu):
    return mu


@formula(
    r"""
The membrane potential of neuron $i$ in an exponential integrate-and-fire network evolves as
\begin{equation}
C \frac{\mathrm{d}V_i}{\mathrm{d}t} = -g_L (V_i - E_L) + g_L \Delta_T \exp\left(\frac{V_i - V_T}{\Delta_T}\right) + \sum_{j=1}^{N} w_{ij} s_j (E_{\mathrm{syn}} - V_i) + I_i^{\mathrm{ext}},
\end{equation}
where $C$ is the capacitance.
""",
    source="Fourcaud-Trocme et al., How spike generation mechanisms determine the neuronal response, 2003",
    output="dV_dt",
    g_L="",
    V="4",
    E_L="",
    Delta_T="",
    V_T="",
    w="4 4",
    s="4",
    E_syn="",
    I_ext="4",
    C="",
)
def exponential_neuron(g_L, V, E_L, Delta_T, V_T, w, s, E_syn, I_ext, C):
    leak = -g_L * (V - E_L) + g_L * Delta_T * np.exp((V - V_T) / Delta_T)
    return (leak + (w @ s) * (E_syn - V) + I_ext) / C


@formula(
    r"""
The end-effector position of a planar manipulator with link lengths $l_1, \dots, l_n$ and joint angles $q_1, \dots, q_n$ is
\begin{equation}
x = \sum_{i=1}^{n} l_i \cos\left( \sum_{j=1}^{i} q_j \right), \qquad y = \sum_{i=1}^{n} l_i \sin\left( \sum_{j=1}^{i} q_j \right).
\end{equation}
""",
    source="Siciliano, Khatib, Springer handbook of robotics, 2008, chapter 1",
    output="y",
    l="3",
    q=lambda r: normal(r, 3),
)
def planar_chain(l, q):
    return (l * np.sin(np.cumsum(q))).sum()


@formula(
    r"""
The repulsive potential of $M$ obstacles at distances $\rho_k$ is
\[
U_{\mathrm{rep}} = \sum_{k=1}^{M} \begin{cases} \dfrac{1}{2} \eta \left( \dfrac{1}{\rho_k} - \dfrac{1}{\rho_0} \right)^{2}, & \rho_k \leq \rho_0, \\[2ex] 0, & \rho_k > \rho_0, \end{cases}
\]
where $\rho_0$ is the distance of influence.
""",
    source="Khatib, Real-time obstacle avoidance for manipulators and mobile robots, 1986",
    eta="",
    rho="5",
    rho_0=lambda r: 1.0,
)
def obstacles(eta, rho, rho_0):
    return sum(eta / 2 * (1 / x - 1 / rho_0) ** 2 for x in rho if x <= rho_0)


@formula(
    r"""
In the augmented Lagrangian method the iterates minimise
\begin{equation}
L_{\rho}(x, \lambda) = f(x) + \sum_{j=1}^{m} \lambda_j h_j(x) + \frac{\rho}{2} \sum_{j=1}^{m} h_j(x)^2
\end{equation}
""",
    source="Hestenes, Multiplier and gradient methods, 1969",
    leaves_open="the functions f and h",
    x="3",
)
def augmented_lagrangian(x):
    return x


@formula(
    r"""
Consider the Matérn class with $\nu = 5/2$ and $r_{ij} = \lVert \mathbf{x}_i - \mathbf{x}_j \rVert$:
\begin{equation}
K_{ij} = \sigma_f^2 \left( 1 + \frac{\sqrt{5}\, r_{ij}}{\ell} + \frac{5 r_{ij}^2}{3\ell^2} \right) \exp\left( - \frac{\sqrt{5}\, r_{ij}}{\ell} \right) + \sigma_n^2 \delta_{ij}.
\end{equation}
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, equation 4.17",
    shapes=("input x[n, d]",),
    output="K",
    sigma_f="",
    ell="",
    sigma_n="",
    x=lambda r: normal(r, 4, 2),
)
def matern_with_noise(sigma_f, ell, sigma_n, x):
    r = np.sqrt(((x[:, None] - x[None]) ** 2).sum(2))
    a = np.sqrt(5) * r / ell
    return sigma_f**2 * (1 + a + a * a / 3) * np.exp(-a) + sigma_n**2 * np.eye(4)


@formula(
    r"""
\begin{equation}
\mathrm{HSIC}(X, Y) = \frac{1}{(n-1)^2}\operatorname{tr}(KHLH), \quad K_{ij} = k(x_i,x_j), \; L_{ij} = l(y_i, y_j), \; H_{ij} = \delta_{ij} - \tfrac{1}{n}.
\end{equation}
""",
    source="Gretton et al., Measuring statistical dependence with Hilbert-Schmidt norms, 2005",
    shapes=("input K[n, n], L[n, n], H[n, n]",),
    leaves_open="the kernels k and l are not told",
    K="3 3",
    L="3 3",
)
def dependence_of_kernels(K, L):
    return K


@formula(
    r"""
The objective of VICReg's invariance and of the soft nearest neighbour loss is
\[
l_{sn}(x, y, T) = -\frac{1}{b} \sum_{i=1}^{b} \log \left( \frac{\sum_{j \neq i,\, y_i = y_j} e^{-\frac{\| x_i - x_j \|^2}{T}}}{\sum_{k \neq i} e^{-\frac{\|x_i - x_k\|^2}{T}}} \right)
\]
""",
    source="Frosst, Papernot, Hinton, Analyzing and improving representations with the soft nearest neighbor loss, 2019, equation 1",
    shapes=("input x[b, d], y[b]",),
    x=lambda r: normal(r, 6, 2),
    y=lambda r: np.array([0.0, 0, 1, 1, 0, 1]),
    T="",
)
def soft_nearest_neighbour(x, y, T):
    e = np.exp(-((x[:, None] - x[None]) ** 2).sum(2) / T) * (1 - np.eye(6))
    same = y[:, None] == y[None]
    return -np.mean(np.log((e * same).sum(1) / e.sum(1)))


@formula(
    r"""
We use the focal frequency loss
\begin{equation}
\mathrm{FFL} = \frac{1}{MN}\sum_{u=0}^{M-1}\sum_{v=0}^{N-1} w(u,v)\,\bigl|F_r(u,v)-F_f(u,v)\bigr|^2, \qquad w(u,v)=\bigl|F_r(u,v)-F_f(u,v)\bigr|^{\alpha}.
\end{equation}
""",
    source="Jiang et al., Focal frequency loss, 2021, equations 8 and 9, of amplitudes",
    output="FFL",
    F_r="3 4",
    F_f=lambda r: normal(r, 3, 4),
    alpha="",
)
def focal_frequency(F_r, F_f, alpha):
    d = abs(F_r - F_f)
    return np.mean(d**alpha * d**2)


@formula(
    r"""
The Lagrangian-averaged drag on sphere $i$ sedimenting with $N$ others in the point-particle approximation is
\begin{equation}
\mathbf{U}_i = \frac{\mathbf{F}_i}{6\pi\mu a} + \sum_{j\neq i}^{N} \frac{1}{8\pi\mu\, r_{ij}} \left( \mathbf{I} + \frac{\mathbf{r}_{ij}\mathbf{r}_{ij}^{T}}{r_{ij}^2} \right) \mathbf{F}_j,
\end{equation}
where $\mathbf{r}_{ij} = \mathbf{x}_i - \mathbf{x}_j$ and $r_{ij} = \|\mathbf{r}_{ij}\|$.
""",
    source="Kim, Karrila, Microhydrodynamics, 1991: Stokeslets",
    shapes=("input F[N, 3], x[N, 3]",),
    output="U",
    F=lambda r: normal(r, 4, 3),
    mu="",
    a="",
    x=lambda r: normal(r, 4, 3),
)
def stokeslets(F, mu, a, x):
    U = F / (6 * np.pi * mu * a)
    for i in range(4):
        for j in range(4):
            if i != j:
                d = x[i] - x[j]
                r = np.sqrt(d @ d)
                U[i] = U[i] + (F[j] + d * (d @ F[j]) / r**2) / (8 * np.pi * mu * r)
    return U


@formula(
    r"""
Roe's averaged velocity on the face between cells $i$ and $i+1$ is
\begin{equation}
\tilde{u}_{i+1/2} = \frac{\sqrt{\rho_i}\, u_i + \sqrt{\rho_{i+1}}\, u_{i+1}}{\sqrt{\rho_i} + \sqrt{\rho_{i+1}}}.
\end{equation}
""",
    source="Roe, Approximate Riemann solvers, parameter vectors, and difference schemes, 1981",
    shapes=(r"$\tilde{u} \in \mathbb{R}^{N-1}$, $\rho \in \mathbb{R}^N$",),
    rho="5",
    u="5",
)
def roe_average(rho, u):
    a = np.sqrt(rho)
    return (a[:-1] * u[:-1] + a[1:] * u[1:]) / (a[:-1] + a[1:])


@formula(
    r"""
The sequence probability under beam search with length normalisation and coverage penalty is scored by
\begin{align}
s(Y,X) &= \log(P(Y|X))/lp(Y) + cp(X;Y) \\
lp(Y) &= \frac{(5+|Y|)^\alpha}{(5+1)^\alpha} \\
cp(X;Y) &= \beta * \sum_{i=1}^{|X|} \log\Bigl(\min\Bigl(\sum_{j=1}^{|Y|} p_{i,j}, 1.0\Bigr)\Bigr),
\end{align}
where $p_{i,j}$ is the attention probability of the $j$-th target word on the $i$-th source word.
""",
    source="Wu et al., Google's neural machine translation system, 2016, equation 14",
    leaves_open="the probability of a sequence",
    p="3 4",
)
def coverage_penalty(p):
    return p


@formula(
    r"""
\begin{equation}
D_{\mathrm{KL}}\!\left(\mathcal{N}_0 \,\|\, \mathcal{N}_1\right) = \frac{1}{2} \sum_{k=1}^{K} \left( \frac{\sigma_{0,k}^2 + (\mu_{0,k} - \mu_{1,k})^2}{\sigma_{1,k}^2} - 1 + \ln \frac{\sigma_{1,k}^2}{\sigma_{0,k}^2} \right)
\end{equation}
""",
    source="Kullback-Leibler divergence of diagonal Gaussians, as papers on variational autoencoders print it",
    sigma="2 4",
    mu=lambda r: normal(r, 2, 4),
)
def divergence_of_diagonals(sigma, mu):
    s, t = sigma**2
    return 0.5 * np.sum((s + (mu[0] - mu[1]) ** 2) / t - 1 + np.log(t / s))


@formula(
    r"""
The RMSProp step with momentum reads, elementwise,
\begin{align*}
n_i &= \rho\, n_i' + (1-\rho)\, g_i^2, \\
m_i &= \rho\, m_i' + (1-\rho)\, g_i, \\
\Delta_i &= \gamma \Delta_i' - \eta \frac{g_i}{\sqrt{n_i - m_i^2 + \epsilon}} .
\end{align*}
""",
    source="Graves, Generating sequences with recurrent neural networks, 2013, equations 38 to 44",
    output="Delta",
    rho=lambda r: 0.95,
    n_prime=lambda r: 2 + uniform(r, 4),
    g=lambda r: normal(r, 4),
    m_prime=lambda r: 0.1 * normal(r, 4),
    gamma=lambda r: 0.9,
    Delta_prime=lambda r: normal(r, 4),
    eta=lambda r: 0.1,
    epsilon=lambda r: 0.01,
)
def centred_rmsprop(rho, n_prime, g, m_prime, gamma, Delta_prime, eta, epsilon):
    n = rho * n_prime + (1 - rho) * g**2
    m = rho * m_prime + (1 - rho) * g
    return gamma * Delta_prime - eta * g / np.sqrt(n - m**2 + epsilon)
