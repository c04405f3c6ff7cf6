"""Formulas as preprints print them, mostly one display each."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{triplet}} = \frac{1}{N} \sum_{i=1}^{N} \left[ \| f_i^a - f_i^p \|_2^2 - \| f_i^a - f_i^n \|_2^2 + \alpha \right]_+
\end{equation}
where $f_i^a, f_i^p, f_i^n \in \mathbb{R}^d$ are the embeddings of anchor, positive and negative.
""",
    source="Hermans, Beyer, Leibe, In defense of the triplet loss, 2017; Schroff et al., 2015",
    f_a=lambda r: normal(r, 4, 3),
    f_p=lambda r: normal(r, 4, 3),
    f_n=lambda r: normal(r, 4, 3),
    alpha=lambda r: 0.2,
)
def triplet_of_anchors(f_a, f_p, f_n, alpha):
    total = 0.0
    for a, p, n in zip(f_a, f_p, f_n, strict=True):
        total += max(sum((a - p) ** 2) - sum((a - n) ** 2) + alpha, 0)
    return total / len(f_a)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\relu}{\operatorname{ReLU}}
\begin{document}
\begin{equation}
h_v^{(l+1)} = \relu\left( W_{\mathrm{self}}^{(l)} h_v^{(l)} + \sum_{u=1}^{n} \frac{A_{vu}}{\sqrt{d_v d_u}} W^{(l)} h_u^{(l)} \right), \qquad d_v = \sum_{u=1}^{n} A_{vu}
\end{equation}
\end{document}
""",
    source="Hamilton, Graph representation learning, 2020, chapter 5",
    shapes=("size n, k, m", "input W_self[m, k], W[m, k], h[n, k], A[n, n]"),
    output="h_l_plus_1",
    W_self=lambda r: normal(r, 2, 3),
    h=lambda r: normal(r, 4, 3),
    A=lambda r: uniform(r, 4, 4),
    W=lambda r: normal(r, 2, 3),
)
def normalised_propagation(W_self, h, A, W):
    n = len(h)
    d = A.sum(1)
    out = np.zeros((n, len(W)))
    for v in range(n):
        a = W_self @ h[v]
        for u in range(n):
            a = a + A[v, u] / np.sqrt(d[v] * d[u]) * (W @ h[u])
        out[v] = np.maximum(a, 0)
    return out


@formula(
    r"""
\begin{equation}
\mathrm{PE}_{(pos,2i)} = \sin\left(pos/10000^{2i/d_{\mathrm{model}}}\right), \qquad
\mathrm{PE}_{(pos,2i+1)} = \cos\left(pos/10000^{2i/d_{\mathrm{model}}}\right)
\end{equation}
""",
    source="Vaswani et al., Attention is all you need, 2017, section 3.5, in one display",
    shapes=(
        "size L, d_model",
        "$\\mathrm{PE} \\in \\mathbb{R}^{L \\times d_{\\mathrm{model}}}$",
    ),
    sizes={"L": 4, "d_model": 6},
    d_model=lambda r: 6.0,
)
def sinusoids(d_model):
    out = np.zeros((4, 6))
    for p in range(4):
        for i in range(3):
            out[p, 2 * i] = np.sin(p / 10000 ** (2 * i / 6))
            out[p, 2 * i + 1] = np.cos(p / 10000 ** (2 * i / 6))
    return out


@formula(
    r"""
\begin{equation}
y_{n,c,h,w} = \gamma_c \frac{x_{n,c,h,w} - \mu_{n,g}}{\sqrt{\sigma_{n,g}^2 + \epsilon}} + \beta_c, \qquad g = \lfloor c / (C/G) \rfloor
\end{equation}
\begin{equation}
\mu_{n,g} = \frac{G}{C H W} \sum_{c=gC/G}^{(g+1)C/G-1} \sum_{h=0}^{H-1} \sum_{w=0}^{W-1} x_{n,c,h,w}
\end{equation}
""",
    source="Wu and He, Group normalization, 2018, with the sums written out",
    shapes=("size N, C, H, W, G", "input x[N, C, H, W], sigma[N, G]"),
    gamma="4",
    x=lambda r: normal(r, 2, 4, 2, 3),
    sigma="2 2",
    epsilon=lambda r: 0.1,
    beta="4",
)
def group_statistics(gamma, x, sigma, epsilon, beta):
    N, C = x.shape[:2]
    G = sigma.shape[1]
    out = np.zeros_like(x)
    for n in range(N):
        for c in range(C):
            g = c // (C // G)
            group = x[n, g * C // G : (g + 1) * C // G]
            s = np.sqrt(sigma[n, g] ** 2 + epsilon)
            out[n, c] = gamma[c] * (x[n, c] - group.mean()) / s + beta[c]
    return out


@formula(
    r"""
\begin{equation}
\mathbf{B}(\mathbf{r}_k) = \frac{\mu_0 I}{4\pi} \sum_{i=1}^{N} \frac{\Delta\mathbf{l}_i \times (\mathbf{r}_k - \mathbf{s}_i)}{|\mathbf{r}_k - \mathbf{s}_i|^3}
\end{equation}
""",
    source="Biot and Savart, over the segments of a wire, as in textbooks of computational physics",
    shapes=("size N, K", "input s[N, 3], r[K, 3]"),
    mu_0=lambda r: 1.0,
    I=lambda r: 2.0,
    dl=lambda r: normal(r, 4, 3),
    r=lambda r: normal(r, 2, 3),
    s=lambda r: normal(r, 4, 3),
)
def field_of_segments(mu_0, I, dl, r, s):
    out = np.zeros((len(r), 3))
    for k in range(len(r)):
        for i in range(len(s)):
            d = r[k] - s[i]
            out[k] += np.cross(dl[i], d) / np.linalg.norm(d) ** 3
    return mu_0 * I / (4 * np.pi) * out


@formula(
    r"""
\begin{equation}
V = \sum_{\text{bonds}} K_r (r - r_{eq})^2 + \sum_{\text{angles}} K_\theta (\theta - \theta_{eq})^2 + \sum_{i<j} \left[ \frac{A_{ij}}{R_{ij}^{12}} - \frac{B_{ij}}{R_{ij}^6} + \frac{q_i q_j}{\epsilon R_{ij}} \right]
\end{equation}
""",
    source="Weiner et al., 1984; Cornell et al., 1995, equation 1, without dihedrals",
    K_r="3",
    r="3",
    r_eq="3",
    K_theta="2",
    theta="2",
    theta_eq="2",
    A="4 4",
    R="4 4",
    B="4 4",
    q="4",
    epsilon="",
)
def molecular_mechanics(K_r, r, r_eq, K_theta, theta, theta_eq, A, R, B, q, epsilon):
    V = sum(K_r * (r - r_eq) ** 2) + sum(K_theta * (theta - theta_eq) ** 2)
    for i in range(4):
        for j in range(i + 1, 4):
            V += A[i, j] / R[i, j] ** 12 - B[i, j] / R[i, j] ** 6
            V += q[i] * q[j] / (epsilon * R[i, j])
    return V


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Hamiltonian of the one-dimensional transverse-field model in mean field reads
\begin{equation}
E = -\sum_{i=1}^{N} \left( J\, m_i m_{i+1} + h\, m_i \right), \qquad m_{N+1} \equiv m_1 ,
\end{equation}
\end{document}
""",
    source="as papers on Ising chains print it, with periodic boundary conditions",
    J="",
    m="5",
    h="",
)
def periodic_chain(J, m, h):
    N = len(m)
    return -sum(J * m[i] * m[(i + 1) % N] + h * m[i] for i in range(N))


@formula(
    r"""
\begin{equation}
\frac{\partial u_{i,j}}{\partial t} \approx D\, \frac{u_{i+1,j} + u_{i-1,j} + u_{i,j+1} + u_{i,j-1} - 4 u_{i,j}}{h^2} - u_{i,j} v_{i,j}^2 + F (1 - u_{i,j})
\end{equation}
on an $N \times N$ grid with periodic boundary conditions.
""",
    source="Pearson, Complex patterns in a simple system, 1993, discretised",
    shapes=("size N", "input D[], u[N, N], h[], v[N, N], F[]"),
    D="",
    u="4 4",
    h="",
    v="4 4",
    F="",
)
def gray_scott(D, u, h, v, F):
    N = len(u)
    out = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            lap = u[(i + 1) % N, j] + u[i - 1, j] + u[i, (j + 1) % N] + u[i, j - 1] - 4 * u[i, j]
            out[i, j] = D * lap / h**2 - u[i, j] * v[i, j] ** 2 + F * (1 - u[i, j])
    return out


@formula(
    r"""
\begin{equation}
\mathrm{GeM}_k(\mathcal{X}) = \mathrm{f}_k = \Bigl( \frac{1}{|\mathcal{X}_k|} \sum_{x \in \mathcal{X}_k} x^{p_k} \Bigr)^{\frac{1}{p_k}}
\end{equation}
""",
    source="Radenovic, Tolias, Chum, Fine-tuning CNN image retrieval with no human annotation, 2018, equation 3",
    shapes=("size K, n", "input X[K, n], p[K]"),
    X=lambda r: uniform(r, 3, 4),
    p="3",
)
def generalised_means(X, p):
    return np.array([(sum(X[k] ** p[k]) / X.shape[1]) ** (1 / p[k]) for k in range(len(p))])


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{KD}} = (1-\lambda)\, \mathcal{H}(y, \sigma(z_s)) + \lambda T^2\, \mathrm{KL}\bigl( \sigma(z_t/T) \,\|\, \sigma(z_s/T) \bigr)
\end{equation}
with the softmax $\sigma$.
""",
    source="Hinton et al., 2015, as later papers on distillation print it",
    shapes=("size K", "input y[K], z_s[K], z_t[K]"),
    y=lambda r: np.array([0.2, 0.5, 0.3]),
    z_s=lambda r: normal(r, 3),
    T=lambda r: 2.0,
    z_t=lambda r: normal(r, 3),
    **{"lambda": lambda r: 0.3},
)
def knowledge_distillation(y, z_s, T, z_t, **rest):
    s = lambda z: np.exp(z) / sum(np.exp(z))
    lam = rest["lambda"]
    p, q = s(z_t / T), s(z_s / T)
    return -(1 - lam) * sum(y * np.log(s(z_s))) + lam * T**2 * sum(p * np.log(p / q))


@formula(
    r"""
\begin{equation}
D_{\mathrm{KL}}\bigl(\mathcal{N}(\mu_1, \sigma_1^2) \,\|\, \mathcal{N}(\mu_2, \sigma_2^2)\bigr) = \log \frac{\sigma_2}{\sigma_1} + \frac{\sigma_1^2 + (\mu_1 - \mu_2)^2}{2 \sigma_2^2} - \frac{1}{2}
\end{equation}
""",
    source="as textbooks on variational inference print it",
    sigma_2="",
    sigma_1="",
    mu_1="",
    mu_2="",
)
def gaussian_relative_entropy(sigma_2, sigma_1, mu_1, mu_2):
    return math.log(sigma_2 / sigma_1) + (sigma_1**2 + (mu_1 - mu_2) ** 2) / (2 * sigma_2**2) - 0.5


@formula(
    r"""
\begin{align}
\mathrm{Attn}(q_i, K, V) &= \sum_{j \le i} \frac{\exp(q_i^\top k_j / \sqrt{d})}{\sum_{l \le i} \exp(q_i^\top k_l / \sqrt{d})}\, v_j ,
\end{align}
where $q_i, k_j, v_j \in \mathbb{R}^d$.
""",
    source="causal attention, as papers on efficient transformers print it",
    q=lambda r: normal(r, 4, 3),
    k=lambda r: normal(r, 4, 3),
    v=lambda r: normal(r, 4, 3),
)
def causal_softmax(q, k, v):
    n, d = q.shape
    out = np.zeros((n, d))
    for i in range(n):
        e = [np.exp(sum(q[i] * k[j]) / np.sqrt(d)) for j in range(i + 1)]
        out[i] = sum(e[j] * v[j] for j in range(i + 1)) / sum(e)
    return out


@formula(
    r"""
\begin{equation}
\phi(\mathbf{x}, \mathbf{w}) := w_0 + \sum_{i=1}^{m} w_i x_i + \sum_{i=1}^{m} \sum_{j=i+1}^{m} w_{ij}\, x_i x_j
\end{equation}
""",
    source="Chang et al., Training and testing low-degree polynomial data mappings via linear SVM, 2010, as in Juan et al., 2016",
    shapes=("size m",),
    w_0="",
    w_i="4",
    x="4",
    w_ij="4 4",
)
def poly_two(w_0, w_i, x, w_ij):
    total = w_0 + sum(w_i * x)
    for i in range(4):
        for j in range(i + 1, 4):
            total += w_ij[i, j] * x[i] * x[j]
    return total


@formula(
    r"""
\begin{equation}
L_{\mathrm{SupCon}} = \sum_{i=1}^{N} \frac{-1}{|P(i)|} \sum_{p \in P(i)} \log \frac{\exp(\mathbf{z}_i \cdot \mathbf{z}_p / \tau)}{\sum_{a \in A(i)} \exp(\mathbf{z}_i \cdot \mathbf{z}_a / \tau)}
\end{equation}
where $A(i) = \{1, \dots, N\} \setminus \{i\}$ and $P(i) = \{p \in A(i) : y_p = y_i\}$.
""",
    source="Khosla et al., Supervised contrastive learning, 2020, equation 2",
    shapes=("size N, d", "input z[N, d], y[N]: index"),
    z=lambda r: normal(r, 5, 3),
    tau=lambda r: 0.5,
    y=lambda r: np.array([0, 1, 0, 1, 1]),
)
def supervised_contrast(z, tau, y):
    N = len(z)
    total = 0.0
    for i in range(N):
        P = [p for p in range(N) if p != i and y[p] == y[i]]
        s = sum(np.exp(z[i] @ z[a] / tau) for a in range(N) if a != i)
        total += -sum(np.log(np.exp(z[i] @ z[p] / tau) / s) for p in P) / len(P)
    return total


@formula(
    r"""
\begin{equation}
T_{ij} = \varepsilon_0 \left( E_i E_j - \frac{1}{2} \delta_{ij} E_k E_k \right) + \frac{1}{\mu_0} \left( B_i B_j - \frac{1}{2} \delta_{ij} B_k B_k \right)
\end{equation}
with summation over repeated indices.
""",
    source="Griffiths, Introduction to electrodynamics, 1999, equation 8.19, with the convention of repeated indices",
    varepsilon_0="",
    E="3",
    mu_0="",
    B="3",
)
def electromagnetic_stress(varepsilon_0, E, mu_0, B):
    one = np.eye(3)
    return (
        varepsilon_0 * (np.outer(E, E) - one * sum(E * E) / 2)
        + (np.outer(B, B) - one * sum(B * B) / 2) / mu_0
    )


@formula(
    r"""
\[
\widehat{\mathrm{CAPE}}_{i} = \sum_{k=1}^{K-1} g \, \max\!\left(0,\; \frac{T_{v,i,k}^{p} - T_{v,i,k}^{e}}{T_{v,i,k}^{e}}\right) \left( z_{i,k+1} - z_{i,k} \right)
\]
""",
    source="convective available potential energy, summed over layers, as papers on soundings print it",
    g="",
    T_v_p="3 4",
    T_v_e="3 4",
    z=lambda r: np.sort(uniform(r, 3, 5)),
)
def convective_energy(g, T_v_p, T_v_e, z):
    out = np.zeros(3)
    for i in range(3):
        for k in range(4):
            b = (T_v_p[i, k] - T_v_e[i, k]) / T_v_e[i, k]
            out[i] += g * max(0, b) * (z[i, k + 1] - z[i, k])
    return out


@formula(
    r"""
\begin{equation}
s_{ij} = \mathbf{h}_i^\top \mathbf{U} \mathbf{h}_j + \mathbf{w}^\top (\mathbf{h}_i \oplus \mathbf{h}_j) + b
\end{equation}
where $\oplus$ denotes concatenation.
""",
    source="Dozat and Manning, Deep biaffine attention for neural dependency parsing, 2017",
    shapes=("size n, d", "input h[n, d], U[d, d], w[2*d]"),
    h=lambda r: normal(r, 3, 2),
    U=lambda r: normal(r, 2, 2),
    w=lambda r: normal(r, 4),
    b="",
)
def biaffine(h, U, w, b):
    n = len(h)
    return np.array(
        [
            [h[i] @ U @ h[j] + w @ np.concatenate([h[i], h[j]]) + b for j in range(n)]
            for i in range(n)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The energy of a configuration of charges is
\begin{equation}
U = \frac{1}{2} \sum_{i=1}^{N} \sum_{\substack{j=1 \\ j \neq i}}^{N} \frac{q_i q_j}{4\pi\epsilon_0 r_{ij}}\, \operatorname{erfc}(\alpha r_{ij}) - \frac{\alpha}{4 \pi^{3/2} \epsilon_0} \sum_{i=1}^{N} q_i^2 .
\end{equation}
\end{document}
""",
    source="Ewald's real-space and self terms, as in Frenkel and Smit, 2002, in SI units",
    q="4",
    epsilon_0="",
    r="4 4",
    alpha="",
)
def screened_charges(q, epsilon_0, r, alpha):
    U = 0.0
    for i in range(4):
        for j in range(4):
            if i != j:
                e = math.erfc(alpha * r[i, j])
                U += q[i] * q[j] * e / (4 * np.pi * epsilon_0 * r[i, j]) / 2
    return U - alpha / (4 * np.pi**1.5 * epsilon_0) * sum(q**2)


@formula(
    r"""
\begin{equation}
\kappa(\mathbf{x}, \mathbf{y}) = \frac{\sum_{k=1}^{n} \min(x_k, y_k)}{\sum_{k=1}^{n} \max(x_k, y_k)}
\end{equation}
""",
    source="Ruzicka's similarity, as papers on min-max kernels print it",
    x="5",
    y="5",
)
def min_max_kernel(x, y):
    return sum(np.minimum(x, y)) / sum(np.maximum(x, y))


@formula(
    r"""
\begin{equation}
A_{ij} = \frac{\exp\left( -\beta\, \mathrm{dist}(i,j)^2 \right)}{\sum_{m=1}^{n} \exp\left( -\beta\, \mathrm{dist}(i,m)^2 \right)}, \quad \mathrm{dist}(i,j) = \sqrt{ (x_i - x_j)^2 + (y_i - y_j)^2 }
\end{equation}
""",
    source="as papers on spatial weights print it",
    beta="",
    x="4",
    y="4",
)
def spatial_weights(beta, x, y):
    n = len(x)
    e = np.array(
        [
            [np.exp(-beta * ((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2)) for j in range(n)]
            for i in range(n)
        ]
    )
    return e / e.sum(1, keepdims=True)


@formula(
    r"""
\begin{equation}
r_{xy}[\ell] = \sum_{n=0}^{N-1-\ell} x[n+\ell]\, y[n], \qquad \ell = 0, 1, \ldots, L-1
\end{equation}
""",
    source="Proakis and Manolakis, Digital signal processing, 2006, section 2.6, for finite sequences",
    shapes=("size N, L", "input x[N], y[N]"),
    sizes={"L": 3},
    x=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def cross_correlations(x, y):
    N = len(x)
    return np.array([sum(x[n + lag] * y[n] for n in range(N - lag)) for lag in range(3)])


@formula(
    r"""
\begin{equation}
\hat{f}(\mathbf{x}_*) = \sum_{i=1}^{n} \alpha_i\, k(\mathbf{x}_i, \mathbf{x}_*) + b, \qquad k(\mathbf{x}, \mathbf{x}') = (\gamma\, \mathbf{x}^\top \mathbf{x}' + r)^{d}
\end{equation}
""",
    source="kernel machines with a polynomial kernel, as textbooks print them",
    shapes=("size n, D", "input x[n, D], x_star[D]"),
    output="f_hat",
    alpha=lambda r: normal(r, 4),
    x=lambda r: uniform(r, 4, 3),
    x_star=lambda r: uniform(r, 3),
    b="",
    gamma="",
    r="",
    d=lambda r: 3.0,
)
def polynomial_machine(alpha, x, x_star, b, gamma, r, d):
    return sum(alpha[i] * (gamma * sum(x[i] * x_star) + r) ** d for i in range(len(x))) + b


@formula(
    r"""
\begin{equation}
\bar{u}_{i}^{(\ell+1)} = \frac{1}{4} \left( u_{2i-1}^{(\ell)} + 2 u_{2i}^{(\ell)} + u_{2i+1}^{(\ell)} \right), \quad i = 1, \dots, n_{\ell+1}
\end{equation}
""",
    source="restriction between the levels of a hierarchy, as papers on multilevel methods print it",
    shapes=("size n", "input u[2*n + 2]"),
    u=lambda r: normal(r, 8),
)
def level_restriction(u):
    n = (len(u) - 2) // 2
    return np.array([(u[2 * i - 1] + 2 * u[2 * i] + u[2 * i + 1]) / 4 for i in range(1, n + 1)])


@formula(
    r"""
\begin{equation}
\mathrm{IoU}_c = \frac{\sum_{i} p_{i,c}\, g_{i,c}}{\sum_{i} \left( p_{i,c} + g_{i,c} - p_{i,c}\, g_{i,c} \right)}, \qquad \mathcal{L}_{\mathrm{IoU}} = 1 - \frac{1}{C} \sum_{c=1}^{C} \mathrm{IoU}_c
\end{equation}
""",
    source="Rahman and Wang, Optimizing intersection-over-union in deep neural networks, 2016, by class",
    output="L_IoU",
    p="5 3",
    g="5 3",
)
def soft_iou(p, g):
    C = p.shape[1]
    ratio = [sum(p[:, c] * g[:, c]) / sum(p[:, c] + g[:, c] - p[:, c] * g[:, c]) for c in range(C)]
    return 1 - sum(ratio) / C


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\dd}{\mathrm{d}}
\begin{document}
\begin{equation}
\frac{\dd V_i}{\dd t} = g_L (E_L - V_i) + \sum_{j=1}^{N} w_{ij}\, s_j (E_{\mathrm{syn}} - V_i) + I_i^{\mathrm{ext}}, \qquad
\frac{\dd s_j}{\dd t} = -\frac{s_j}{\tau_s} + \frac{1}{1 + e^{-(V_j - \theta)/k}}\,(1 - s_j)
\end{equation}
\end{document}
""",
    source="conductance-based networks, as papers of computational neuroscience print them",
    shapes=("input g_L[]",),
    output="dV_dt",
    g_L="",
    E_L="",
    V="4",
    w="4 4",
    s="4",
    E_syn="",
    I_ext="4",
    tau_s="",
    theta="",
    k="",
)
def synaptic_network(g_L, E_L, V, w, s, E_syn, I_ext, **rest):
    N = len(V)
    return np.array(
        [
            g_L * (E_L - V[i]) + sum(w[i, j] * s[j] * (E_syn - V[i]) for j in range(N)) + I_ext[i]
            for i in range(N)
        ]
    )


@formula(
    r"""
\begin{equation}
\psi_{\mathrm{ND}} = \frac{1}{M} \sum_{m=1}^{M} \left| \frac{1}{N} \sum_{n=1}^{N} x_n\, \omega_{mn} \right|^{p} \quad\text{with}\quad \omega_{mn} = \cos\!\left( \frac{2\pi (m-1)(n-1)}{N} \right)
\end{equation}
""",
    source="a spectral moment with the labels of a one-based transform",
    shapes=("size M, N",),
    sizes={"M": 3},
    x=lambda r: normal(r, 5),
    p=lambda r: 2.0,
)
def spectral_moment(x, p):
    N = len(x)
    total = 0.0
    for m in range(3):
        total += abs(sum(x[n] * np.cos(2 * np.pi * m * n / N) for n in range(N)) / N) ** p
    return total / 3


@formula(
    r"""
\begin{equation}
\mathcal{E}(\rho) = -C_x \sum_{g} w_g\, \rho(\mathbf{r}_g)^{4/3}, \qquad \rho(\mathbf{r}_g) = \sum_{\mu\nu} P_{\mu\nu}\, \chi_\mu(\mathbf{r}_g)\, \chi_\nu(\mathbf{r}_g)
\end{equation}
""",
    source="Koch and Holthausen, A chemist's guide to density functional theory, 2001: quadrature of exchange",
    output="E",
    C_x="",
    w="5",
    P="2 2",
    chi="2 5",
)
def exchange_quadrature(C_x, w, P, chi):
    total = 0.0
    for g in range(len(w)):
        rho = sum(P[m, n] * chi[m, g] * chi[n, g] for m in range(2) for n in range(2))
        total += w[g] * rho ** (4 / 3)
    return -C_x * total


@formula(
    r"""
\begin{equation}
\mathrm{PSI} = \sum_{b=1}^{B} (p_b - q_b) \ln \frac{p_b}{q_b}
\end{equation}
\begin{equation}
\mathrm{JS}(p \,\|\, q) = \frac{1}{2} \sum_{b=1}^{B} \left( p_b \log_2 \frac{p_b}{m_b} + q_b \log_2 \frac{q_b}{m_b} \right), \qquad m_b = \tfrac{1}{2}(p_b + q_b)
\end{equation}
""",
    source="population stability and the divergence of Jensen and Shannon, as reports print them",
    output="JS",
    p="4",
    q="4",
)
def jensen_shannon(p, q):
    m = (p + q) / 2
    return sum(p * np.log2(p / m) + q * np.log2(q / m)) / 2


@formula(
    r"""
\begin{equation}
w_{ij}(\mathbf{v}) = \exp\left( -\frac{ \| \mathbf{v}(\mathcal{N}_i) - \mathbf{v}(\mathcal{N}_j) \|_{2,a}^2 }{h^2} \right)
\end{equation}
""",
    source="Buades, Coll, Morel, A non-local algorithm for image denoising, 2005",
    v=lambda r: normal(r, 6),
    h="",
)
def patch_weights(v, h):
    return np.exp(-((v[:, None] - v[None]) ** 2) / h**2)


@formula(
    r"""
\begin{equation}
R_{it} - R_{ft} = \alpha_i + \beta_i (R_{mt} - R_{ft}) + s_i\, SMB_t + h_i\, HML_t + \varepsilon_{it}
\end{equation}
\begin{equation}
\mathrm{RSS}_i = \sum_{t=1}^{T} \left( R_{it} - R_{ft} - \alpha_i - \beta_i (R_{mt} - R_{ft}) - s_i\, SMB_t - h_i\, HML_t \right)^2
\end{equation}
""",
    source="Fama and French, Common risk factors in the returns on stocks and bonds, 1993",
    shapes=(
        "size n, T",
        "input R[n, T], R_f[T], R_m[T], alpha[n], beta[n], s[n], SMB[T], h[n], HML[T]",
    ),
    R=lambda r: normal(r, 2, 4),
    R_f="4",
    alpha="2",
    beta="2",
    R_m="4",
    s="2",
    SMB="4",
    h="2",
    HML="4",
)
def three_factors(R, R_f, alpha, beta, R_m, s, SMB, h, HML):
    out = np.zeros(2)
    for i in range(2):
        for t in range(4):
            e = R[i, t] - R_f[t] - alpha[i] - beta[i] * (R_m[t] - R_f[t])
            out[i] += (e - s[i] * SMB[t] - h[i] * HML[t]) ** 2
    return out
