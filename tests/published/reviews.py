"""Formulas of papers on learning and of textbooks of science, as they are printed there."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
We approximate the GELU with
\begin{equation}
\text{GELU}(x_i) = 0.5 x_i \left(1+\tanh\left[\sqrt{2/\pi}\left(x_i+0.044715x_i^3\right)\right]\right)
\end{equation}
\end{document}
""",
    source="Hendrycks, Gimpel, Gaussian error linear units, 2016, section 2, by elements",
    x=lambda r: normal(r, 5),
)
def gelu_of_tanh(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


@formula(
    r"""
\begin{equation}
f(x)=x \cdot \tanh (\operatorname{softplus}(x))=x \cdot \tanh \left(\ln \left(1+e^{x}\right)\right)
\end{equation}
""",
    source="Misra, Mish: a self regularized non-monotonic activation function, 2020, equation 1",
    x="",
)
def mish(x):
    return x * np.tanh(np.log(1 + np.exp(x)))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\gt}{\text{gt}}
\begin{document}
where $\alpha$ is a positive trade-off parameter, and $v$ measures the consistency of aspect ratio,
\begin{equation}
v = \frac{4}{\pi^2} \left( \arctan \frac{w^{gt}}{h^{gt}} - \arctan \frac{w}{h} \right)^2 .
\end{equation}
Then the trade-off parameter $\alpha$ is defined as
\begin{equation}
\alpha = \frac{v}{(1 - IoU) + v} .
\end{equation}
\end{document}
""",
    source="Zheng et al., Distance-IoU loss, 2020, equations 9 and 11",
    output="alpha",
    w_gt="",
    h_gt="",
    w="",
    h="",
    IoU=lambda r: np.array(0.4),
)
def complete_iou(w_gt, h_gt, w, h, IoU):
    v = 4 / np.pi**2 * (np.arctan(w_gt / h_gt) - np.arctan(w / h)) ** 2
    return v / (1 - IoU + v)


@formula(
    r"""
Therefore, the Laplacian regularization term is
\[
\mathcal{L}_{\mathrm{reg}} = \frac{1}{2} \sum_{i,j=1}^{n} A_{ij} \left\| f(x_i) - f(x_j) \right\|^2 = \frac{1}{2} \sum_{i,j=1}^{n} A_{ij} \| F_i - F_j \|^2
\]
with $F \in \mathbb{R}^{n \times c}$.
""",
    source="Kipf, Welling, Semi-supervised classification with graph convolutional networks, 2017, equation 1, after",
    A="4 4",
    F="4 3",
)
def laplacian_regularization(A, F):
    return 0.5 * sum(A[i, j] * ((F[i] - F[j]) ** 2).sum() for i in range(4) for j in range(4))


@formula(
    r"""
FM component is a factorization machine. The output of FM is the summation of an Addition unit and a number of Inner Product units:
\begin{equation}
y_{FM} = \langle w, x \rangle + \sum_{j_1=1}^{d} \sum_{j_2=j_1+1}^{d} \langle V_{j_1}, V_{j_2} \rangle x_{j_1} \cdot x_{j_2},
\end{equation}
where $w \in \mathbb{R}^d$ and $V_i \in \mathbb{R}^k$ ($k$ is given).
""",
    source="Guo et al., DeepFM, 2017, equation 2",
    shapes=("size d, k", "input w[d], x[d], V[d, k]"),
    w="4",
    x="4",
    V="4 3",
)
def deep_fm(w, x, V):
    return w @ x + sum(V[i] @ V[j] * x[i] * x[j] for i in range(4) for j in range(i + 1, 4))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\begin{document}
Bundle adjustment minimizes the total reprojection error
\begin{equation}
E(\{\mathbf{R}_j, \mathbf{t}_j\}, \{\mathbf{X}_i\}) = \sum_{i=1}^{n} \sum_{j=1}^{m} v_{ij} \left\| \mathbf{R}_j \mathbf{X}_i + \mathbf{t}_j - \mathbf{x}_{ij} \right\|^2
\end{equation}
where $v_{ij}$ denotes the binary variable that equals 1 if point $i$ is visible in image $j$ and 0 otherwise.
\end{document}
""",
    source="Triggs et al., Bundle adjustment: a modern synthesis, 2000; affine cameras, as lecture notes print it",
    shapes=("size n, m", "input R[m, 2, 3], t[m, 2], X[n, 3], x[n, m, 2], v[n, m]"),
    v="4 3",
    R="3 2 3",
    X="4 3",
    t="3 2",
    x="4 3 2",
)
def affine_bundle(v, R, X, t, x):
    return sum(
        v[i, j] * ((R[j] @ X[i] + t[j] - x[i, j]) ** 2).sum() for i in range(4) for j in range(3)
    )


@formula(
    r"""
\begin{equation}
\lambda_{ij} \equiv \frac{\partial C(s_i - s_j)}{\partial s_i} = \sigma \left( \frac{1}{2} (1 - S_{ij}) - \frac{1}{1+e^{\sigma (s_i - s_j)}} \right)
\end{equation}
where $\sigma$ determines the shape of the sigmoid and $S_{ij} \in \{0, \pm 1\}$.
""",
    source="Burges, From RankNet to LambdaRank to LambdaMART, 2010, equation 3",
    shapes=("input sigma[]",),
    sigma="",
    S="4 4",
    s="4",
)
def lambda_rank(sigma, S, s):
    return sigma * (0.5 * (1 - S) - 1 / (1 + np.exp(sigma * (s[:, None] - s))))


@formula(
    r"""
Let $\hat{V}_t$ be the factored estimate with $R \in \mathbb{R}^{n}$ the row sums and $C \in \mathbb{R}^{m}$ the column sums. Then
\begin{equation}
\hat{V}_{ij} = \frac{R_i C_j}{\sum_{k=1}^{n} R_k}, \qquad U_{ij} = \frac{G_{ij}}{\sqrt{\hat{V}_{ij}}}
\end{equation}
""",
    source="Shazeer, Stern, Adafactor, 2018, section 3",
    output="U",
    R="4",
    C="3",
    G="4 3",
)
def adafactor(R, C, G):
    return G / np.sqrt(np.outer(R, C) / R.sum())


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\R}{\mathbb{R}}
\begin{document}
For pre-trained weights $W_0 \in \R^{d\times k}$ we write $W_0+\Delta W=W_0+BA$, where $B \in \R^{d\times r}, A \in \R^{r\times k}$, and the rank $r \ll \min(d,k)$.
For $h = W_0x$, our modified forward pass yields:
\begin{equation}
h = W_0 x + \Delta W x = W_0 x + BA x
\end{equation}
\end{document}
""",
    source="Hu et al., LoRA, 2022, equation 3",
    shapes=("size d, k, r", "input W_0[d, k], B[d, r], A[r, k], x[k]"),
    output="h",
    W_0="3 4",
    B="3 2",
    A="2 4",
    x="4",
)
def lora(W_0, B, A, x):
    return W_0 @ x + B @ A @ x


@formula(
    r"""
The scoring function of RotatE without its complex numbers is
$$f_r(h, t) = -\left\| \mathbf{h} \circ \mathbf{r} - \mathbf{t} \right\|$$
where $\mathbf{h}, \mathbf{r}, \mathbf{t} \in \mathbb{R}^k$ and $\circ$ is the Hadamard product.
""",
    source="Sun et al., RotatE, 2019, in its real form",
    h=lambda r: normal(r, 4),
    r=lambda r: normal(r, 4),
    t=lambda r: normal(r, 4),
)
def hadamard_score(h, r, t):
    return -np.sqrt(((h * r - t) ** 2).sum())


@formula(
    r"""
\begin{align}
\phi(r,h,t;\Theta) &= \mathrm{Re}\left(\sum_{k=1}^{K} w_{rk} e_{hk} \bar{e}_{tk}\right) \nonumber \\
&= \sum_{k=1}^{K} \mathrm{Re}(w_{rk}) \mathrm{Re}(e_{hk}) \mathrm{Re}(e_{tk})
\end{align}
""",
    source="Trouillon et al., Complex embeddings for simple link prediction, 2016, equation 11",
    leaves_open="complex numbers",
    w="3",
)
def complex_embeddings(w):
    return np.zeros(3)


@formula(
    r"""
\documentclass[twocolumn]{article}
\usepackage{amsmath}
\begin{document}
The Horn--Schunck energy in discrete form,
\begin{equation}
E = \sum_{i,j} \left[ \left( I^x_{ij} u_{ij} + I^y_{ij} v_{ij} + I^t_{ij} \right)^2 + \alpha^2 \left( (u_{i+1,j} - u_{ij})^2 + (u_{i,j+1} - u_{ij})^2 + (v_{i+1,j} - v_{ij})^2 + (v_{i,j+1} - v_{ij})^2 \right) \right]
\end{equation}
\end{document}
""",
    source="Horn, Schunck, Determining optical flow, 1981, in discrete form",
    leaves_open="differences at the last row and column",
    shapes=(
        "size H, W",
        "input I_x[H, W], I_y[H, W], I_t[H, W], u[H + 1, W + 1], v[H + 1, W + 1]",
    ),
    I_x="3 4",
    u="4 5",
    I_y="3 4",
    v="4 5",
    I_t="3 4",
    alpha="",
)
def flow_energy(I_x, u, I_y, v, I_t, alpha):
    total = 0.0
    for i in range(3):
        for j in range(4):
            data = I_x[i, j] * u[i, j] + I_y[i, j] * v[i, j] + I_t[i, j]
            smooth = sum(
                (w[i + 1, j] - w[i, j]) ** 2 + (w[i, j + 1] - w[i, j]) ** 2 for w in (u, v)
            )
            total += data**2 + alpha**2 * smooth
    return total


@formula(
    r"""
Harris detector: the corner response is
\begin{equation}
R = \det M - k (\operatorname{trace} M)^2, \quad M = \sum_{x,y} w(x,y) \begin{bmatrix} I_x^2 & I_x I_y \\ I_x I_y & I_y^2 \end{bmatrix}
\end{equation}
""",
    source="Harris, Stephens, A combined corner and edge detector, 1988; as lecture notes print it",
    leaves_open="images with subscripts for derivatives and arguments left out",
    k="",
)
def harris_response(k):
    return 0.0


@formula(
    r"""
In the D2Q9 model the equilibrium distribution reads
\begin{equation}
f_i^{eq} = w_i \rho \left[ 1 + \frac{\mathbf{e}_i \cdot \mathbf{u}}{c_s^2} + \frac{(\mathbf{e}_i \cdot \mathbf{u})^2}{2 c_s^4} - \frac{\mathbf{u} \cdot \mathbf{u}}{2 c_s^2} \right], \qquad i = 0, 1, \ldots, 8,
\end{equation}
with the lattice velocities $\mathbf{e}_i$ and the speed of sound $c_s$.
""",
    source="Qian, d'Humieres, Lallemand, Lattice BGK models, 1992, equation 4",
    shapes=("size D = 2", "input e[9, D], u[D]"),
    w="9",
    rho="",
    e=lambda r: normal(r, 9, 2),
    u="2",
    c_s="",
)
def bgk_equilibrium(w, rho, e, u, c_s):
    return np.array(
        [
            w[i]
            * rho
            * (1 + e[i] @ u / c_s**2 + (e[i] @ u) ** 2 / (2 * c_s**4) - u @ u / (2 * c_s**2))
            for i in range(9)
        ]
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The momentum equation in symmetric SPH form is
\begin{equation}
\frac{d\mathbf{v}_i}{dt} = -\sum_{j=1}^{N} m_j \left( \frac{P_i}{\rho_i^2} + \frac{P_j}{\rho_j^2} \right) \nabla_i W_{ij} + \mathbf{g}
\end{equation}
\end{document}
""",
    source="Monaghan, Smoothed particle hydrodynamics, 1992, equation 3.3, with gravity",
    leaves_open="the gradient of the kernel is a symbol of its own",
    m="3",
)
def sph_momentum(m):
    return np.zeros(3)


@formula(
    r"""
The Morse potential energy of $N$ atoms,
\begin{equation}
V = \sum_{i<j} D_e \left[ \left(1 - e^{-a (r_{ij} - r_e)}\right)^2 - 1 \right]
\end{equation}
where $r_{ij}$ is the distance, $D_e$ the well depth and $r_e$ the equilibrium bond length.
""",
    source="Morse, Diatomic molecules according to the wave mechanics, 1929; sums over pairs, as papers on clusters print it",
    D_e="",
    a="",
    r="4 4",
    r_e="",
)
def morse_cluster(D_e, a, r, r_e):
    return sum(
        D_e * ((1 - np.exp(-a * (r[i, j] - r_e))) ** 2 - 1)
        for i in range(4)
        for j in range(i + 1, 4)
    )


@formula(
    r"""
The electrostatic energy is $E = E_{dir} + E_{rec} + E_{corr}$, where
\begin{align}
E_{corr} &= -\frac{\beta}{\sqrt{\pi}} \sum_{i=1}^{N} q_i^2, \\
E_{dir} &= \frac{1}{2} \sum_{i=1}^{N} \sum_{\substack{j=1 \\ j \neq i}}^{N} \frac{q_i q_j \,\mathrm{erfc}(\beta |\mathbf{r}_i - \mathbf{r}_j|)}{|\mathbf{r}_i - \mathbf{r}_j|} .
\end{align}
""",
    source="Essmann et al., A smooth particle mesh Ewald method, 1995, equations 2.3 and 2.5",
    shapes=("size N", "input r[N, 3]"),
    output="E_dir",
    beta="",
    q="4",
    r=lambda r: normal(r, 4, 3),
)
def direct_ewald(beta, q, r):
    from math import erfc

    total = 0.0
    for i in range(4):
        for j in range(4):
            if i != j:
                d = np.sqrt(((r[i] - r[j]) ** 2).sum())
                total += 0.5 * q[i] * q[j] * erfc(beta * d) / d
    return total


@formula(
    r"""
The restricted Hartree-Fock energy is
\begin{equation}
E_0 = 2 \sum_{a}^{N/2} h_{aa} + \sum_{a}^{N/2} \sum_{b}^{N/2} 2 J_{ab} - K_{ab}
\end{equation}
""",
    source="Szabo, Ostlund, Modern quantum chemistry, 1989, equation 3.125",
    sizes={"N": 8},
    h="4 4",
    J="4 4",
    K="4 4",
)
def restricted_energy(h, J, K):
    return 2 * np.trace(h) + (2 * J - K).sum()


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The closed-shell energy is given by
\begin{equation}
E = \sum_{\mu\nu} P_{\mu\nu} \left( H^{\text{core}}_{\mu\nu} + \frac{1}{2} G_{\mu\nu} \right), \qquad G_{\mu\nu} = \sum_{\lambda\sigma} P_{\lambda\sigma} \left[ (\mu\nu|\sigma\lambda) - \tfrac{1}{2} (\mu\lambda|\sigma\nu) \right].
\end{equation}
\end{document}
""",
    source="Szabo, Ostlund, Modern quantum chemistry, 1989, equations 3.154 and 3.184",
    shapes=("size n", "input P[n, n], eri[n, n, n, n]"),
    output="E",
    P="3 3",
    H_core="3 3",
    eri="3 3 3 3",
)
def closed_shell_energy(P, H_core, eri):
    G = np.einsum("ls,mnsl->mn", P, eri) - 0.5 * np.einsum("ls,mlsn->mn", P, eri)
    return (P * (H_core + G / 2)).sum()


@formula(
    r"""
The correction to the amplitudes is
\begin{equation}
t_{ij}^{ab} = \frac{\langle ij \| ab \rangle}{\varepsilon_i + \varepsilon_j - \varepsilon_a - \varepsilon_b}
\end{equation}
""",
    source="Helgaker, Jorgensen and Olsen, Molecular electronic-structure theory, 2000, chapter 14",
    leaves_open="superscripts that are indices, and an integral in angles",
    e="4",
)
def first_order_amplitudes(e):
    return np.zeros(3)


@formula(
    r"""
Then the score of a document $D$ for a query with terms $q_1, \ldots, q_n$ is
\begin{equation}
\text{score}(D,Q) = \sum_{i=1}^{n} \text{IDF}(q_i) \cdot \frac{f(q_i, D) \cdot (k_1 + 1)}{f(q_i, D) + k_1 \cdot \left(1 - b + b \cdot \frac{|D|}{\text{avgdl}}\right)},
\end{equation}
""",
    source="Robertson, Zaragoza, The probabilistic relevance framework, 2009; as in an encyclopedia",
    leaves_open="functions of terms and documents",
    k="3",
)
def okapi_score(k):
    return 0.0


@formula(
    r"""
\begin{equation}
\mathrm{NDCG}_p = \frac{\mathrm{DCG}_p}{\mathrm{IDCG}_p}, \quad \mathrm{DCG}_p = \sum_{i=1}^{p} \frac{2^{rel_i} - 1}{\log_2(i + 1)}
\end{equation}
""",
    source="Burges et al., Learning to rank using gradient descent, 2005; as in an encyclopedia",
    shapes=("size p",),
    output="NDCG_p",
    rel="4",
    IDCG_p="",
)
def normalized_gain(rel, IDCG_p):
    return sum((2 ** rel[i] - 1) / np.log2(i + 2) for i in range(4)) / IDCG_p


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
PageRank satisfies
\begin{equation}
PR_i = \frac{1-d}{N} + d \sum_{j=1}^{N} \frac{A_{ji}\, PR_j}{L_j}, \qquad L_j = \sum_{k=1}^{N} A_{jk}
\end{equation}
\end{document}
""",
    source="Brin, Page, The anatomy of a large-scale hypertextual web search engine, 1998; with an adjacency matrix",
    leaves_open="an equation of PR by itself",
    d="",
)
def page_rank(d):
    return np.zeros(3)


@formula(
    r"""
The $\alpha$ values of the HMM can be computed in log space: the emission of frame $t$ in state $j$ is
\begin{equation}
b_{j}(o_t) = \sum_{m=1}^{M} c_{jm} \prod_{d=1}^{D} \frac{1}{\sqrt{2\pi\sigma_{jmd}^2}} \exp\left( -\frac{1}{2} \frac{(o_{td} - \mu_{jmd})^2}{\sigma_{jmd}^2} \right)
\end{equation}
""",
    source="Jurafsky, Martin, Speech and language processing, 2009, section 9.4",
    c="3 2",
    sigma="3 2 4",
    o="5 4",
    mu="3 2 4",
)
def emission_mixture(c, sigma, o, mu):
    out = np.zeros((3, 5))
    for j in range(3):
        for t in range(5):
            for m in range(2):
                p = c[j, m]
                for d in range(4):
                    v = sigma[j, m, d] ** 2
                    p *= np.exp(-0.5 * (o[t, d] - mu[j, m, d]) ** 2 / v) / np.sqrt(2 * np.pi * v)
                out[j, t] += p
    return out


@formula(
    r"""
The price of a European call option is
\begin{align}
C &= S_0 e^{-qT} \Phi(d_1) - K e^{-rT} \Phi(d_2), \\
d_1 &= \frac{\ln (S_0/K) + (r - q + \sigma^2/2) T}{\sigma \sqrt{T}}, \qquad d_2 = d_1 - \sigma \sqrt{T},
\end{align}
where $\Phi$ is the standard normal cumulative distribution function.
""",
    source="Merton, Theory of rational option pricing, 1973; as textbooks print it",
    output="C",
    S_0="",
    q="",
    T="",
    K="",
    r="",
    sigma="",
)
def call_with_dividends(S_0, q, T, K, r, sigma):
    from math import erf

    d1 = (np.log(S_0 / K) + (r - q + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)

    def phi(x):
        return 0.5 * (1 + erf(x / np.sqrt(2)))

    return S_0 * np.exp(-q * T) * phi(d1) - K * np.exp(-r * T) * phi(d2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\newcommand{\tr}{^{\top}}
\begin{document}
The negative log partial likelihood for Cox regression is
\begin{equation}
\ell(\bm{\beta}) = \sum_{i=1}^{n} \delta_i \left[ \bm{\beta}\tr \mathbf{x}_i - \log \left( \sum_{j : t_j \geq t_i} \exp(\bm{\beta}\tr \mathbf{x}_j) \right) \right]
\end{equation}
where $\bm\beta \in \mathbb{R}^p$ and $\delta_i$ is the event indicator.
\end{document}
""",
    source="Cox, Regression models and life-tables, 1972; as papers on deep survival models print it",
    shapes=("size n, p", "input x[n, p]"),
    delta="4",
    beta="3",
    x="4 3",
    t="4",
)
def cox_log_likelihood(delta, beta, x, t):
    return sum(
        delta[i]
        * (beta @ x[i] - np.log(sum(np.exp(beta @ x[j]) for j in range(4) if t[j] >= t[i])))
        for i in range(4)
    )


@formula(
    r"""
The energy of the $q$-state Potts model,
\begin{equation}
H = -J \sum_{\langle i,j \rangle} \delta_{\sigma_i, \sigma_j} - h \sum_{i} \delta_{\sigma_i, 1}
\end{equation}
""",
    source="Wu, The Potts model, 1982, equation 1.2",
    leaves_open="the pairs of neighbours",
    J="",
)
def potts_energy(J):
    return 0.0


@formula(
    r"""
\begin{equation}
\alpha_n(V) = \frac{0.01 (V + 10)}{\exp\left(\frac{V+10}{10}\right) - 1}, \qquad \beta_n(V) = 0.125 \exp\left(\frac{V}{80}\right), \qquad n_\infty(V) = \frac{\alpha_n(V)}{\alpha_n(V) + \beta_n(V)}
\end{equation}
""",
    source="Hodgkin, Huxley, A quantitative description of membrane current, 1952, equations 12 and 13",
    output="n_infty",
    V="",
)
def potassium_rates(V):
    a = 0.01 * (V + 10) / (np.exp((V + 10) / 10) - 1)
    return a / (a + 0.125 * np.exp(V / 80))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,bm}
\def\bx{\mathbf{x}}
\def\beps{\boldsymbol{\epsilon}}
\begin{document}
where $\alpha_t := 1 - \beta_t$ and $\bar\alpha_t := \prod_{s=1}^t \alpha_s$. The forward process posteriors have mean and variance
\begin{align}
\tilde{\boldsymbol{\mu}}_t(\bx_t, \bx_0) &:= \frac{\sqrt{\bar\alpha_{t-1}}\beta_t}{1-\bar\alpha_t} \bx_0 + \frac{\sqrt{\alpha_t}(1-\bar\alpha_{t-1})}{1-\bar\alpha_t} \bx_t \quad\text{and}\quad \tilde\beta_t := \frac{1-\bar\alpha_{t-1}}{1-\bar\alpha_t} \beta_t
\end{align}
\end{document}
""",
    source="Ho, Jain, Abbeel, Denoising diffusion probabilistic models, 2020, equation 7",
    leaves_open="the first step reads what is before the product",
    b="3",
)
def diffusion_posterior(b):
    return np.zeros(3)


@formula(
    r"""
The affine coupling layer maps
\begin{align*}
y_{1:d} &= x_{1:d} \\
y_{d+1:D} &= x_{d+1:D} \odot \exp\left(s(x_{1:d})\right) + t(x_{1:d})
\end{align*}
""",
    source="Dinh, Sohl-Dickstein, Bengio, Density estimation using Real NVP, 2017, equations 4 and 5",
    leaves_open="functions s and t",
    s="3",
)
def affine_coupling(s):
    return np.zeros(3)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
GroupNorm computes
\begin{equation}
\mu_i = \frac{1}{m} \sum_{k \in \mathcal{S}_i} x_k, \quad \sigma_i = \sqrt{\frac{1}{m} \sum_{k \in \mathcal{S}_i} (x_k - \mu_i)^2 + \epsilon}
\end{equation}
with $\epsilon$ as a small constant. $\mathcal{S}_i$ is the set of pixels in which the mean and std are computed, and $m$ is the size of this set.
\end{document}
""",
    source="Wu, He, Group normalization, 2018, equation 2",
    leaves_open="the sets of pixels",
    x="3",
)
def group_norm_sets(x):
    return np.zeros(3)


@formula(
    r"""
In linear attention the output becomes
\begin{equation}
V'_i = \frac{\phi(Q_i)^T \sum_{j=1}^{N} \phi(K_j) V_j^T}{\phi(Q_i)^T \sum_{j=1}^{N} \phi(K_j)}
\end{equation}
where $\phi(x) = \text{elu}(x) + 1$.
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equation 5",
    shapes=("size N, D, M", "input Q[N, D], K[N, D], V[N, M]"),
    Q=lambda r: normal(r, 4, 3),
    K=lambda r: normal(r, 4, 3),
    V=lambda r: normal(r, 4, 2),
)
def linear_attention_elu(Q, K, V):
    def phi(x):
        return np.where(x > 0, x, np.exp(x) - 1) + 1

    return np.array(
        [
            phi(Q[i])
            @ sum(np.outer(phi(K[j]), V[j]) for j in range(4))
            / (phi(Q[i]) @ sum(phi(K[j]) for j in range(4)))
            for i in range(4)
        ]
    )


@formula(
    r"""
\begin{equation}
G(x)_i = \frac{\exp\left( (x W_g)_i \right)}{\sum_{j=1}^{n} \exp\left( (x W_g)_j \right)}, \qquad y = \sum_{i=1}^{n} G(x)_i E_i
\end{equation}
where $x \in \mathbb{R}^d$, $W_g \in \mathbb{R}^{d \times n}$ and the outputs of the experts $E \in \mathbb{R}^{n \times m}$.
""",
    source="Shazeer et al., Outrageously large neural networks, 2017, equations 1 and 2",
    output="y",
    x="3",
    W_g="3 4",
    E="4 2",
)
def softmax_gating(x, W_g, E):
    g = np.exp(x @ W_g)
    return g / g.sum() @ E


@formula(
    r"""
The state space model is discretized by the zero-order hold,
\begin{equation}
\overline{A}_{dn} = \exp(\Delta_d A_{dn}), \qquad \overline{B}_{dn} = \frac{\exp(\Delta_d A_{dn}) - 1}{A_{dn}} B_n
\end{equation}
""",
    source="Gu, Dao, Mamba, 2023, equation 4, for a diagonal A",
    output="B_bar",
    Delta="3",
    A="3 4",
    B="4",
)
def zero_order_hold(Delta, A, B):
    return (np.exp(Delta[:, None] * A) - 1) / A * B


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
The normalised cut of a graph with degrees $d_i = \sum_j w_{ij}$ leads to
\begin{equation}
L_{ij} = \delta_{ij} - \frac{w_{ij}}{\sqrt{d_i d_j}} .
\end{equation}
\end{document}
""",
    source="von Luxburg, A tutorial on spectral clustering, 2007, section 3.2",
    output="L",
    w="4 4",
)
def normalised_laplacian(w):
    d = w.sum(1)
    return np.eye(4) - w / np.sqrt(np.outer(d, d))


@formula(
    r"""
Let $K, L \in \mathbb{R}^{n \times n}$ be the Gram matrices and $H = I - \frac{1}{n} \mathbf{1}\mathbf{1}^\top$. Then
\begin{equation}
\mathrm{HSIC}(X, Y) = \frac{1}{(n-1)^2} \operatorname{tr}(K H L H)
\end{equation}
""",
    source="Gretton et al., Measuring statistical dependence with Hilbert-Schmidt norms, 2005, equation 9",
    output="HSIC",
    K="4 4",
    L="4 4",
)
def hilbert_schmidt(K, L):
    H = np.eye(4) - 1 / 4
    return np.trace(K @ H @ L @ H) / 9


@formula(
    r"""
The eight-point algorithm minimises the algebraic residual
\[
\epsilon = \sum_{n=1}^{N} \left( \sum_{i=1}^{3} \sum_{j=1}^{3} x'_{ni} F_{ij} x_{nj} \right)^2
\]
""",
    source="Hartley, In defense of the eight-point algorithm, 1997, by elements",
    x_prime="5 3",
    F="3 3",
    x="5 3",
)
def epipolar_residual(x_prime, F, x):
    return sum((x_prime[n] @ F @ x[n]) ** 2 for n in range(5))


@formula(
    r"""
The fourth-order Runge--Kutta update reads
\begin{equation}
y_{n+1} = y_n + \frac{h}{6} \left( k_1 + 2 k_2 + 2 k_3 + k_4 \right)
\end{equation}
""",
    source="Press et al., Numerical recipes, 2007, equation 17.1.3",
    leaves_open="a step in time",
    h="",
)
def runge_kutta(h):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
u^*_j = \frac{u_{j+1} + u_j}{2}, \qquad F_{j+1/2} = \frac{1}{2} \left( f(u_j) + f(u_{j+1}) \right) - \frac{\lambda}{2} (u_{j+1} - u_j), \qquad f(u) = \frac{u^2}{2}
\end{equation}
for $j = 1, \ldots, N-1$.
""",
    source="LeVeque, Finite volume methods for hyperbolic problems, 2002, equation 4.24, for Burgers' equation",
    output="F_half",
    sizes={"N": 5},
    shapes=("size N", "input u[N]"),
    u="5",
    lam="",
)
def lax_friedrichs_flux(u, lam):
    f = u**2 / 2
    return np.array([(f[j] + f[j + 1]) / 2 - lam / 2 * (u[j + 1] - u[j]) for j in range(4)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The Tersoff cutoff function is
\begin{equation}
f_C(r_{ij}) = \begin{cases} 1, & r_{ij} < R \\ \frac{1}{2} + \frac{1}{2} \cos\left( \pi \frac{r_{ij} - R}{S - R} \right), & R \le r_{ij} \le S \\ 0, & r_{ij} > S \end{cases}
\end{equation}
\end{document}
""",
    source="Tersoff, Modeling solid-state chemistry, 1989, equation 2",
    r="4 4",
    R=lambda r: np.array(0.8),
    S=lambda r: np.array(1.2),
)
def tersoff_cutoff(r, R, S):
    return np.where(r < R, 1, np.where(r > S, 0, 0.5 + 0.5 * np.cos(np.pi * (r - R) / (S - R))))


@formula(
    r"""
Given anchors $a_i$, positives $p_i$ and negatives, the decoupled contrastive loss is
\begin{equation}
\mathcal{L}_{DC} = \sum_{i=1}^{N} \left[ -\frac{\langle z_i, z'_i \rangle}{\tau} + \log \sum_{j=1, j \neq i}^{N} \left( \exp(\langle z_i, z_j \rangle / \tau) + \exp(\langle z_i, z'_j \rangle / \tau) \right) \right]
\end{equation}
with $z_i, z'_i \in \mathbb{R}^d$.
""",
    source="Yeh et al., Decoupled contrastive learning, 2022, equation 6, without weights",
    shapes=("size N, d", "input z[N, d], z_prime[N, d]"),
    z=lambda r: normal(r, 4, 3),
    z_prime=lambda r: normal(r, 4, 3),
    tau="",
)
def decoupled_contrast(z, z_prime, tau):
    total = 0.0
    for i in range(4):
        s = sum(
            np.exp(z[i] @ z[j] / tau) + np.exp(z[i] @ z_prime[j] / tau) for j in range(4) if j != i
        )
        total += -z[i] @ z_prime[i] / tau + np.log(s)
    return total
