"""Formulas of papers on machine learning, and of their textbooks."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Given the input $X$, AFT first linearly transforms them into $Q = X W^Q$, $K = X W^K$, $V = X W^V$, then performs the following operation:
\begin{equation}
\label{eq:aft}
Y_t = \sigma(Q_t) \odot \frac{\sum_{t'=1}^{T} \exp(K_{t'} + w_{t,t'}) \odot V_{t'}}{\sum_{t'=1}^{T} \exp(K_{t'} + w_{t,t'})}
\end{equation}
where $\odot$ is the element-wise product, with $Q, K, V \in \mathbb{R}^{T \times d}$; $\sigma$ is the sigmoid; $w \in \mathbb{R}^{T\times T}$ is the learned pair-wise position biases.
\end{document}
""",
    source="Zhai et al., An attention free transformer, 2021, equation 2 (with X W in prose, the shapes as in the text)",
    shapes=("base 1", "size T, d", "input Q[T, d], K[T, d], w[T, T], V[T, d]"),
    sizes={"T": 4},
    output="Y",
    Q=lambda r: normal(r, 4, 2),
    K=lambda r: normal(r, 4, 2),
    w=lambda r: normal(r, 4, 4),
    V=lambda r: normal(r, 4, 2),
)
def aft_full(Q, K, w, V):
    T, d = Q.shape
    Y = np.zeros((T, d))
    for t in range(T):
        for c in range(d):
            a = b = 0.0
            for s in range(T):
                a += np.exp(K[s, c] + w[t, s]) * V[s, c]
                b += np.exp(K[s, c] + w[t, s])
            Y[t, c] = a / b / (1 + np.exp(-Q[t, c]))
    return Y


@formula(
    r"""
\documentclass{article}
\usepackage{INTERSPEECH2018}
\usepackage{amsmath,amssymb,bm}
\begin{document}
It is normalized over all frames by a softmax function so as to add up to the following unity:
\begin{equation}
  \alpha_t = \frac{\exp(e_t)}{\sum_\tau^T \exp(e_\tau)}.
  \label{eq:softmax}
\end{equation}
The normalized score $\alpha_t$ is then used as the weight in the pooling layer to calculate the weighted mean vector
\begin{equation}
  \tilde{\bm\mu} = \sum_t^T \alpha_t {\bm h}_t,
\end{equation}
and the weighted standard deviation is defined as follows:
\begin{equation}
  \tilde{\bm\sigma} = \sqrt{\sum_t^T \alpha_t {\bm h}_t \odot {\bm h}_t - \tilde{\bm\mu} \odot \tilde{\bm\mu}},
  \label{eq:wstd}
\end{equation}
where $\odot$ represents the Hadamard product.
\end{document}
""",
    source="Okabe, Koshinaka, Shinoda, Attentive statistics pooling for deep speaker embedding, 2018, equations 4 to 6",
    shapes=("base 1", "size T, D", "input e[T], h[T, D]"),
    sizes={"T": 5},
    output="sigma_tilde",
    e=lambda r: normal(r, 5),
    h=lambda r: normal(r, 5, 3),
)
def attentive_statistics_pooling(e, h):
    T, D = h.shape
    z = sum(np.exp(t) for t in e)
    m = np.zeros(D)
    s = np.zeros(D)
    for t in range(T):
        for d in range(D):
            m[d] += np.exp(e[t]) / z * h[t, d]
            s[d] += np.exp(e[t]) / z * h[t, d] ** 2
    return np.array([np.sqrt(s[d] - m[d] ** 2) for d in range(D)])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,bm}
\begin{document}
The triple-dipole energy of $N$ atoms at distances $R_{ij}$ is
\begin{equation}
V = \sum_{i<j<k}^{N} \nu \left[ \frac{1}{R_{ij}^3 R_{jk}^3 R_{ki}^3} + \frac{3 \left(-R_{ij}^2 + R_{jk}^2 + R_{ki}^2\right) \left(R_{ij}^2 - R_{jk}^2 + R_{ki}^2\right) \left(R_{ij}^2 + R_{jk}^2 - R_{ki}^2\right)}{8 R_{ij}^5 R_{jk}^5 R_{ki}^5} \right] ,
\end{equation}
where $\nu$ is a constant that depends on the atomic species.
\end{document}
""",
    source="Axilrod, Teller, Interaction of the van der Waals type between three atoms, 1943; as in reviews of many-body potentials",
    shapes=("base 1", "size N", "input nu[], R[N, N]"),
    sizes={"N": 5},
    output="V",
    nu=lambda r: 0.7,
    R=lambda r: uniform(r, 5, 5),
)
def axilrod_teller(nu, R):
    N = len(R)
    V = 0.0
    for i in range(N):
        for j in range(i + 1, N):
            for k in range(j + 1, N):
                a, b, c = (R[i, j], R[j, k], R[k, i])
                V += nu * (
                    1 / (a * b * c) ** 3
                    + 3
                    * (-a * a + b * b + c * c)
                    * (a * a - b * b + c * c)
                    * (a * a + b * b - c * c)
                    / (8 * (a * b * c) ** 5)
                )
    return V


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb,mathtools}
\DeclarePairedDelimiter{\norm}{\lVert}{\rVert}
\begin{document}
We then output a prediction $q_\theta(z_\theta)$ of $z'_\xi$ and $\ell_2$-normalize both. Writing $q$ for the prediction and $z'$ for the target projection, with $q, z' \in \mathbb{R}^d$, we define the following mean squared error between the normalized predictions and target projections,
\begin{equation}
\mathcal{L}_{\theta,\xi} \triangleq 2 - 2 \cdot \frac{\langle q, z' \rangle}{\norm*{q}_2 \cdot \norm*{z'}_2}
\end{equation}
\end{document}
""",
    source="Grill et al., Bootstrap your own latent, 2020, equation 2",
    shapes=("size d", "input q[d], z_prime[d]"),
    output="L_thetaxi",
    q=lambda r: normal(r, 4),
    z_prime=lambda r: normal(r, 4),
)
def byol_loss(q, z_prime):
    a = b = c = 0.0
    for i in range(len(q)):
        a += q[i] * z_prime[i]
        b += q[i] ** 2
        c += z_prime[i] ** 2
    return 2 - 2 * a / np.sqrt(b * c)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\relu}{\mathrm{ReLU}}
\begin{document}
Let $Q, K \in \mathbb{R}^{N \times d}$ and $V \in \mathbb{R}^{N \times e}$. We apply $\relu$ to enforce the non-negative property, $Q' = \relu(Q)$ and $K' = \relu(K)$. Combining all together, the proposed similarity is
\begin{equation}
    s(Q'_i, K'_j) = Q'_i {K'_j}^T \cos\left(\frac{\pi}{2} \times \frac{i-j}{M}\right),
\end{equation}
and the output of the linear attention with re-weighting is
\begin{equation}
    \mathcal{O}_i = \frac{\sum_{j=1}^{N} s(Q'_i, K'_j) V_j}{\sum_{j=1}^{N} s(Q'_i, K'_j)} .
\end{equation}
\end{document}
""",
    source="Qin et al., cosFormer, 2022, equations 9 and 10",
    shapes=("base 1", "size N, d, e", "input Q[N, d], K[N, d], M[], V[N, e]"),
    sizes={"N": 4},
    Q=lambda r: normal(r, 4, 3),
    K=lambda r: normal(r, 4, 3),
    M=lambda r: 6.0,
    V=lambda r: normal(r, 4, 2),
)
def cosformer(Q, K, M, V):
    N = len(Q)
    O = np.zeros((N, V.shape[1]))
    for i in range(N):
        z = 0.0
        for j in range(N):
            s = sum(max(Q[i, c], 0) * max(K[j, c], 0) for c in range(Q.shape[1])) * np.cos(
                np.pi / 2 * (i - j) / M
            )
            z += s
            O[i] += s * V[j]
        O[i] /= z
    return O


@formula(
    r"""
Cronbach's $\alpha$ is defined as
\[
\alpha = \frac{K}{K-1} \left( 1 - \frac{\sum_{i=1}^{K} \sigma_{Y_i}^2}{\sigma_X^2} \right)
\]
where $\sigma_X^2$ is the variance of the observed total test scores, and $\sigma_{Y_i}^2$ the variance of component $i$ for the current sample of persons.
""",
    source="Cronbach, Coefficient alpha and the internal structure of tests, 1951; as in an encyclopedia",
    shapes=("base 1", "size K", "input sigma_Y[K], sigma_X[]"),
    sizes={"K": 4},
    output="alpha",
    sigma_Y=lambda r: uniform(r, 4),
    sigma_X=lambda r: 3.1,
)
def cronbach_alpha(sigma_Y, sigma_X):
    K = len(sigma_Y)
    s = 0.0
    for t in sigma_Y:
        s += t * t
    return K / (K - 1) * (1 - s / sigma_X**2)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Following van der Maaten \& Hinton (2008) we use the Student's $t$-distribution as a kernel to measure the similarity between embedded point $z_i$ and centroid $\mu_j$:
\begin{equation}
q_{ij} = \frac{(1+\|z_i - \mu_j\|^2/\alpha)^{-\frac{\alpha+1}{2}}}{\sum_{j'}(1+\|z_i - \mu_{j'}\|^2/\alpha)^{-\frac{\alpha+1}{2}}},
\end{equation}
where $\alpha$ are the degrees of freedom. To this end, we define our objective as a KL divergence loss between the soft assignments $q_i$ and the auxiliary distribution $p_i$ as follows:
\begin{equation}
L = \mathrm{KL}(P\|Q) = \sum_i \sum_j p_{ij} \log \frac{p_{ij}}{q_{ij}}.
\end{equation}
In our experiments, we compute $p_i$ by first raising $q_i$ to the second power and then normalizing by frequency per cluster:
\begin{equation}
p_{ij} = \frac{q_{ij}^2 / f_j}{\sum_{j'} q_{ij'}^2/f_{j'}},
\end{equation}
where $f_j = \sum_i q_{ij}$ are soft cluster frequencies.
\end{document}
""",
    source="Xie, Girshick, Farhadi, Unsupervised deep embedding for clustering analysis, 2016, equations 1 to 3",
    shapes=("size n, k, d", "input z[n, d], mu[k, d], alpha[]"),
    output="L",
    z=lambda r: normal(r, 5, 2),
    mu=lambda r: normal(r, 3, 2),
    alpha=lambda r: 1.5,
)
def dec_clustering(z, mu, alpha):
    n, k = (len(z), len(mu))
    q = np.zeros((n, k))
    L = 0.0
    for i in range(n):
        for j in range(k):
            q[i, j] = (1 + sum((z[i, c] - mu[j, c]) ** 2 for c in range(2)) / alpha) ** (
                -(alpha + 1) / 2
            )
        q[i] /= sum(q[i])
    f = [sum(q[i, j] for i in range(n)) for j in range(k)]
    for i in range(n):
        t = sum(q[i, l] ** 2 / f[l] for l in range(k))
        for j in range(k):
            p = q[i, j] ** 2 / f[j] / t
            L += p * np.log(p / q[i, j])
    return L


@formula(
    r"""
\documentclass[runningheads]{llncs}
\usepackage{amsmath,amssymb}
\begin{document}
We define the CORAL loss as the distance between the second-order statistics (covariances) of the source and target features:
\begin{equation}
\ell_{CORAL} = \frac{1}{4d^2} \| C_S - C_T \|^2_F
\end{equation}
where $\|\cdot\|^2_F$ denotes the squared matrix Frobenius norm. The covariance matrices of the source and target data are given by:
\begin{equation}
C_S = \frac{1}{n_S - 1} ( D_S^\top D_S - \frac{1}{n_S} (\mathbf{1}^\top D_S)^\top (\mathbf{1}^\top D_S) )
\end{equation}
\begin{equation}
C_T = \frac{1}{n_T - 1} ( D_T^\top D_T - \frac{1}{n_T} (\mathbf{1}^\top D_T)^\top (\mathbf{1}^\top D_T) )
\end{equation}
where $\mathbf{1}$ is a column vector with all elements equal to 1.
\end{document}
""",
    source="Sun, Saenko, Deep CORAL, 2016, equations 1 to 3",
    shapes=("size n_S, n_T, d", "input D_S[n_S, d], D_T[n_T, d]"),
    D_S=lambda r: normal(r, 4, 2),
    D_T=lambda r: normal(r, 5, 2),
)
def deep_coral(D_S, D_T):

    def cov(D):
        n, d = D.shape
        C = np.zeros((d, d))
        for a in range(d):
            for b in range(d):
                C[a, b] = (
                    sum(D[i, a] * D[i, b] for i in range(n))
                    - sum(D[i, a] for i in range(n)) * sum(D[i, b] for i in range(n)) / n
                ) / (n - 1)
        return C

    A, B = (cov(D_S), cov(D_T))
    d = len(A)
    s = 0.0
    for a in range(d):
        for b in range(d):
            s += (A[a, b] - B[a, b]) ** 2 / (4 * d * d)
    return s


@formula(
    r"""
\documentclass[aps,prb]{revtex4-2}
\usepackage{amsmath,physics,bm}
\newcommand{\mv}[1]{\vb{m}_{#1}}
\begin{document}
The magnetostatic energy of $N$ point dipoles $\mv{i}$ at the positions $\vb{r}_i$ is
\begin{equation}
H = \frac{\mu_0}{4\pi} \sum_{i<j} \qty[ \frac{\mv{i} \vdot \mv{j}}{r_{ij}^3} - \frac{3 (\mv{i} \vdot \vb{r}_{ij}) (\mv{j} \vdot \vb{r}_{ij})}{r_{ij}^5} ] ,
\end{equation}
where $\vb{r}_{ij} = \vb{r}_i - \vb{r}_j$ and $r_{ij} = \abs{\vb{r}_{ij}}$.
\end{document}
""",
    source="Jackson, Classical electrodynamics, 1999; as printed in papers on dipolar lattices",
    shapes=("size N", "input mu_0[], m[N, 3], r[N, 3]"),
    mu_0=lambda r: 1.3,
    m=lambda r: normal(r, 4, 3),
    r=lambda r: normal(r, 4, 3),
)
def dipolar_hamiltonian(mu_0, m, r):
    H = 0.0
    for i in range(len(m)):
        for j in range(i + 1, len(m)):
            d = r[i] - r[j]
            n = np.sqrt(sum(t * t for t in d))
            H += (
                mu_0
                / (4 * np.pi)
                * (np.dot(m[i], m[j]) / n**3 - 3 * np.dot(m[i], d) * np.dot(m[j], d) / n**5)
            )
    return H


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
If $e_t$ is the residual given by $e_t = \rho e_{t-1} + \nu_t$, the Durbin--Watson test statistic is
\begin{equation}
d = \frac{\sum_{t=2}^T (e_t - e_{t-1})^2}{\sum_{t=1}^T e_t^2},
\end{equation}
where $T$ is the number of observations.
\end{document}
""",
    source="Durbin, Watson, Testing for serial correlation in least squares regression, 1950; as in textbooks",
    shapes=("base 1", "size T", "input e[T]"),
    sizes={"T": 6},
    output="d",
    e=lambda r: normal(r, 6),
)
def durbin_watson(e):
    a = sum((e[t] - e[t - 1]) ** 2 for t in range(1, len(e)))
    b = sum(t * t for t in e)
    return a / b


@formula(
    r"""
Let $\boldsymbol{x} = \mathbf{X}_{b,:,:,c} \in \mathbb{R}^N$, where $N = W \times H$, be the vector of filter responses. Let $\nu^2 = \sum_i x_i^2 / N$ be the mean squared norm of $\boldsymbol{x}$. Then we propose Filter Response Normalization (FRN) as following:
\begin{equation}
    \hat{x}_i = \frac{x_i}{\sqrt{\nu^2 + \epsilon}} ,
\end{equation}
where $\epsilon$ is a small positive constant to prevent division by zero. Following normalization we perform an affine transform and the thresholded linear unit
\begin{align}
    y_i &= \gamma \hat{x}_i + \beta, \\
    z_i &= \max(y_i, \tau),
\end{align}
where $\tau$ is a learned threshold.
""",
    source="Singh, Krishnan, Filter response normalization layer, 2020, equations 1 to 3",
    shapes=("size N", "input x[N], epsilon[], gamma[], beta[], tau[]"),
    output="z",
    x=lambda r: normal(r, 6),
    epsilon=lambda r: 0.02,
    gamma=lambda r: 1.2,
    beta=lambda r: 0.1,
    tau=lambda r: -0.3,
)
def filter_response_norm(x, epsilon, gamma, beta, tau):
    n = len(x)
    v = 0.0
    for t in x:
        v += t * t / n
    return np.array([max(gamma * t / np.sqrt(v + epsilon) + beta, tau) for t in x])


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2017_conference,times}
\usepackage{amsmath}
\begin{document}
We use the softmax function as a continuous, differentiable approximation to $\argmax$, and generate $k$-dimensional sample vectors $y \in \Delta^{k-1}$ where
\begin{equation}
y_i = \frac{\text{exp}((\log(\pi_i)+g_i)/\tau)}{\sum_{j=1}^k \text{exp}((\log(\pi_j)+g_j)/\tau)} \qquad \text{for } i=1, ..., k.
\label{eqn:gs}
\end{equation}
The density of the Gumbel-Softmax distribution (derived in Appendix~\ref{sec:density}) is:
\begin{equation}
p_{\pi, \tau}(y_1, ..., y_k) = \Gamma(k) \tau^{k-1} \left(\sum_{i=1}^k \pi_i / {y_i}^\tau \right)^{-k} \prod_{i=1}^k \left( \pi_i / {y_i}^{\tau+1} \right)
\label{eqn:gsprob}
\end{equation}
\end{document}
""",
    source="Jang, Gu, Poole, Categorical reparameterization with Gumbel-softmax, 2017, equations 2 and 3",
    shapes=("base 1", "size k", "input pi[k], g[k], tau[]"),
    sizes={"k": 4},
    output="p_pitau",
    pi_=lambda r: uniform(r, 4) / 4,
    g=lambda r: normal(r, 4),
    tau=lambda r: 0.8,
)
def gumbel_softmax(pi_, g, tau):
    from math import gamma

    k = len(g)
    e = [np.exp((np.log(pi_[i]) + g[i]) / tau) for i in range(k)]
    y = [t / sum(e) for t in e]
    r = gamma(k) * tau ** (k - 1) * sum(pi_[i] / y[i] ** tau for i in range(k)) ** (-k)
    for i in range(k):
        r *= pi_[i] / y[i] ** (tau + 1)
    return r


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
We assume an $n \times n$ symmetric weight matrix $W$ on the edges of the graph is given. For example, when $x \in \mathbb{R}^m$, the weight matrix can be
\begin{equation}
w_{ij} = \exp\left( - \sum_{d=1}^{m} \frac{(x_{id} - x_{jd})^2}{\sigma_d^2} \right)
\end{equation}
where $x_{id}$ is the $d$-th component of instance $x_i$ represented as a vector $x_i \in \mathbb{R}^m$, and $\sigma_1, \ldots, \sigma_m$ are length scale hyperparameters for each dimension. Intuitively, we want unlabeled points that are nearby in the graph to have similar labels. This motivates the choice of the quadratic energy function
\begin{equation}
E(f) = \frac{1}{2} \sum_{i,j} w_{ij} \left( f(i) - f(j) \right)^2 .
\end{equation}
\end{document}
""",
    source="Zhu, Ghahramani, Lafferty, Semi-supervised learning using Gaussian fields and harmonic functions, 2003, equations 1 and 2",
    shapes=("base 1", "size n, m", "input x[n, m], sigma[m], f[n]"),
    sizes={"m": 2},
    output="E",
    x=lambda r: normal(r, 4, 2),
    sigma=lambda r: uniform(r, 2),
    f=lambda r: normal(r, 4),
)
def harmonic_label_energy(x, sigma, f):
    E = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            E += (
                0.5
                * np.exp(-sum((x[i, d] - x[j, d]) ** 2 / sigma[d] ** 2 for d in range(x.shape[1])))
                * (f[i] - f[j]) ** 2
            )
    return E


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\core}{\text{core}}
\begin{document}
For a closed-shell molecule the electronic energy is
\begin{equation}
E_0 = \frac{1}{2} \sum_{\mu} \sum_{\nu} P_{\nu\mu} \left( H_{\mu\nu}^{\core} + F_{\mu\nu} \right)
\label{eq:E0}
\end{equation}
If we add to this the nuclear-nuclear repulsion, we obtain the total energy
\begin{equation}
E_{\text{tot}} = E_0 + \sum_{A} \sum_{B>A} \frac{Z_A Z_B}{R_{AB}}
\end{equation}
""",
    source="Szabo, Ostlund, Modern quantum chemistry, 1996, equations 3.184 and 3.185",
    shapes=("size K, M", "input P[K, K], H_core[K, K], F[K, K], Z[M], R[M, M]"),
    output="E_tot",
    P=lambda r: normal(r, 3, 3),
    H_core=lambda r: normal(r, 3, 3),
    F=lambda r: normal(r, 3, 3),
    Z=lambda r: uniform(r, 4),
    R=lambda r: uniform(r, 4, 4),
)
def hartree_fock_total(P, H_core, F, Z, R):
    E = 0.0
    for m in range(len(P)):
        for n in range(len(P)):
            E += 0.5 * P[n, m] * (H_core[m, n] + F[m, n])
    for a in range(len(Z)):
        for b in range(a + 1, len(Z)):
            E += Z[a] * Z[b] / R[a, b]
    return E


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
\paragraph{Word Attention} Not all words contribute equally to the representation of the sentence meaning. Hence, we introduce attention mechanism to extract such words. Specifically,
\begin{align}
    u_{it} & = \tanh(W_w h_{it} + b_w) \\
    \alpha_{it} & = \frac{\exp(u_{it}^\top u_w)}{\sum_t \exp(u_{it}^\top u_w)} \\
    s_i & = \sum_t \alpha_{it} h_{it}.
\end{align}
That is, we first feed the word annotation $h_{it}$ through a one-layer MLP to get $u_{it}$ as a hidden representation of $h_{it}$, then we measure the importance of the word as the similarity of $u_{it}$ with a word level context vector $u_w$ and get a normalized importance weight $\alpha_{it}$ through a softmax function.
\end{document}
""",
    source="Yang et al., Hierarchical attention networks for document classification, 2016, equations 5 to 7",
    shapes=("size L, T, D, E", "input W_w[E, D], h[L, T, D], b_w[E], u_w[E]"),
    output="s",
    W_w=lambda r: normal(r, 2, 3),
    h=lambda r: normal(r, 3, 4, 3),
    b_w=lambda r: normal(r, 2),
    u_w=lambda r: normal(r, 2),
)
def hierarchical_attention(W_w, h, b_w, u_w):
    L, T, D = h.shape
    s = np.zeros((L, D))
    for i in range(L):
        a = []
        for t in range(T):
            u = [
                np.tanh(sum(W_w[e, d] * h[i, t, d] for d in range(D)) + b_w[e])
                for e in range(len(b_w))
            ]
            a.append(np.exp(sum(u[e] * u_w[e] for e in range(len(u)))))
        for t in range(T):
            s[i] += a[t] / sum(a) * h[i, t]
    return s


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $Y_i$, $i = 1, 2, \ldots, n$ be an independent sample from $n$ of $N \geq n$ distinct strata with an overall mean $\mu$. Suppose further that $\pi_i$ is the inclusion probability that a randomly sampled individual in a superpopulation belongs to the $i$th stratum. The Horvitz--Thompson estimate of the mean is given by
\begin{equation}
\hat{\mu}_{HT} = N^{-1} \sum_{i=1}^n \pi_i^{-1} Y_i .
\end{equation}
\end{document}
""",
    source="Horvitz, Thompson, A generalization of sampling without replacement from a finite universe, 1952; as in an encyclopedia",
    shapes=("base 1", "size n", "input N[], pi[n], Y[n]"),
    sizes={"n": 4, "N": 9},
    output="mu_hat_HT",
    N=lambda r: 9.0,
    pi_=lambda r: uniform(r, 4),
    Y=lambda r: normal(r, 4),
)
def horvitz_thompson(N, pi_, Y):
    s = 0.0
    for i in range(len(Y)):
        s += Y[i] / pi_[i] / N
    return s


@formula(
    r"""
Consider the multiplication of two square $N \times N$ matrices of real numbers, $r_1$ and $r_2$, with their product represented by $r_3 = r_1 r_2$. We denote the entries of each of these matrices $r_\alpha$ ($\alpha = 1$, $2$ or $3$) as $r_\alpha^{(i,j)}$ for $1 \leqslant i, j \leqslant N$, and the quantization parameters with which they are quantized as $(S_\alpha, Z_\alpha)$. From the definition of matrix multiplication, we have
\begin{equation}
q_3^{(i,k)} = Z_3 + M \sum_{j=1}^{N} (q_1^{(i,j)} - Z_1)(q_2^{(j,k)} - Z_2),
\end{equation}
where the multiplier $M$ is defined as
\begin{equation}
M \coloneqq \frac{S_1 S_2}{S_3}.
\end{equation}
""",
    source="Jacob et al., Quantization and training of neural networks for efficient integer-arithmetic-only inference, 2018, equations 4 and 5",
    shapes=(
        "upper",
        "base 1",
        "size N",
        "input Z_3[], q_1[N, N], Z_1[], q_2[N, N], Z_2[], S_1[], S_2[], S_3[]",
    ),
    sizes={"N": 3},
    output="q_3",
    Z_3=lambda r: 2.0,
    q_1=lambda r: normal(r, 3, 3),
    Z_1=lambda r: 0.5,
    q_2=lambda r: normal(r, 3, 3),
    Z_2=lambda r: -0.25,
    S_1=lambda r: 0.3,
    S_2=lambda r: 0.7,
    S_3=lambda r: 1.1,
)
def integer_matmul(Z_3, q_1, Z_1, q_2, Z_2, S_1, S_2, S_3):
    N = len(q_1)
    out = np.zeros((N, N))
    for i in range(N):
        for k in range(N):
            out[i, k] = Z_3
            for j in range(N):
                out[i, k] += S_1 * S_2 / S_3 * (q_1[i, j] - Z_1) * (q_2[j, k] - Z_2)
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $C$ be the number of samples, $n_i$ the number of observations in the $i$th sample, $N = \sum n_i$ the number of observations in all samples combined, and $R_i$ the sum of the ranks in the $i$th sample. The statistic is
\begin{equation}
H = \frac{12}{N(N+1)} \sum_{i=1}^{C} \frac{R_i^2}{n_i} - 3(N+1) \tag{1.1}
\end{equation}
\end{document}
""",
    source="Kruskal, Wallis, Use of ranks in one-criterion variance analysis, 1952, equation 1.1",
    shapes=("base 1", "size C", "input n[C], R[C]"),
    sizes={"C": 3},
    output="H",
    n=lambda r: np.array([3.0, 4.0, 5.0]),
    R=lambda r: 10 * uniform(r, 3),
)
def kruskal_wallis(n, R):
    N = sum(n)
    s = 0.0
    for i in range(len(n)):
        s += R[i] ** 2 / n[i]
    return 12 / (N * (N + 1)) * s - 3 * (N + 1)


@formula(
    r"""
Each high-dimensional observation $\vec{X}_i$ is mapped to a low-dimensional vector $\vec{Y}_i$ representing global internal coordinates on the manifold. This is done by choosing $d$-dimensional coordinates $\vec{Y}_i$ to minimize the embedding cost function
\begin{equation}
\Phi(Y) = \sum_i \left| \vec{Y}_i - \sum_j W_{ij} \vec{Y}_j \right|^2 .
\end{equation}
This cost function, like the previous one, is based on locally linear reconstruction errors, but here we fix the weights $W_{ij}$ while optimizing the coordinates $\vec{Y}_i$.
""",
    source="Roweis, Saul, Nonlinear dimensionality reduction by locally linear embedding, 2000, equation 2",
    shapes=("size N, d", "input Y[N, d], W[N, N]"),
    output="Phi",
    Y=lambda r: normal(r, 4, 2),
    W=lambda r: normal(r, 4, 4),
)
def lle_embedding(Y, W):
    E = 0.0
    for i in range(len(Y)):
        for a in range(Y.shape[1]):
            E += (Y[i, a] - sum(W[i, j] * Y[j, a] for j in range(len(Y)))) ** 2
    return E


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
The Mat\'ern covariance functions become especially simple when $\nu$ is half-integer. The most interesting cases for machine learning are $\nu = 3/2$ and $\nu = 5/2$, for which
\begin{equation}
k_{\nu=3/2}(r) = \Big(1 + \frac{\sqrt{3}r}{\ell}\Big) \exp\Big( - \frac{\sqrt{3} r}{\ell} \Big).
\end{equation}
The entries of the covariance matrix of the inputs $\mathbf{x}_1, \ldots, \mathbf{x}_n$ are
\begin{equation}
K_{pq} = k_{\nu=3/2}(|\mathbf{x}_p - \mathbf{x}_q|) + \sigma_n^2 \delta_{pq} ,
\end{equation}
where $\delta_{pq}$ is a Kronecker delta which is one iff $p = q$ and zero otherwise.
\end{document}
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, equations 4.17 and 2.20",
    x=lambda r: normal(r, 4, 2),
    ell=lambda r: 0.9,
    sigma_n=lambda r: 0.3,
)
def matern_three_halves(x, ell, sigma_n):
    n = len(x)
    K = np.zeros((n, n))
    for p in range(n):
        for q in range(n):
            r = np.sqrt(sum((x[p, d] - x[q, d]) ** 2 for d in range(x.shape[1]))) * np.sqrt(3) / ell
            K[p, q] = (1 + r) * np.exp(-r) + (sigma_n**2 if p == q else 0)
    return K


@formula(
    r"""
\documentclass{article}
\usepackage{nips15submit_e,times}
\usepackage{amsmath}
\newcommand{\softmax}{\mathrm{Softmax}}
\begin{document}
The query $q$ is also embedded to obtain an internal state $u$. In the embedding space, we compute the match between $u$ and each memory $m_i$ by taking the inner product followed by a softmax:
\begin{equation}
p_i = \softmax(u^T m_i). \label{eq:match}
\end{equation}
where $\softmax(z_i) = e^{z_i}/\sum_j e^{z_j}$. Defined in this way $p$ is a probability vector over the inputs.

\textbf{Output memory representation}: Each $x_i$ has a corresponding output vector $c_i$. The response vector from the memory $o$ is then a sum over the transformed inputs $c_i$, weighted by the probability vector from the input:
\begin{equation}
o = \sum_i p_i c_i.
\end{equation}
\end{document}
""",
    source="Sukhbaatar, Szlam, Weston, Fergus, End-to-end memory networks, 2015, equations 1 and 2",
    shapes=("size N, d, e", "input u[d], m[N, d], c[N, e]"),
    output="o",
    u=lambda r: normal(r, 3),
    m=lambda r: normal(r, 4, 3),
    c=lambda r: normal(r, 4, 2),
)
def memory_network(u, m, c):
    e = [np.exp(sum(u[a] * m[i, a] for a in range(len(u)))) for i in range(len(m))]
    o = np.zeros(c.shape[1])
    for i in range(len(m)):
        o += e[i] / sum(e) * c[i]
    return o


@formula(
    r"""
Depthwise convolution with one filter per input channel (input depth) can be written as:
\begin{equation}
\hat{\mathbf{G}}_{k,l,m} = \sum_{i,j} \hat{\mathbf{K}}_{i,j,m} \cdot \mathbf{F}_{k+i-1,l+j-1,m}
\end{equation}
where $\hat{\mathbf{K}}$ is the depthwise convolutional kernel of size $D_K \times D_K \times M$ where the $m_{th}$ filter in $\hat{\mathbf{K}}$ is applied to the $m_{th}$ channel in $\mathbf{F}$ to produce the $m_{th}$ channel of the filtered output feature map $\hat{\mathbf{G}}$.
""",
    source="Howard et al., MobileNets, 2017, equation 3",
    shapes=("base 1", "size D_K, M, P, Q", "input K_hat[D_K, D_K, M], F[P, Q, M]"),
    output="G_hat",
    K_hat=lambda r: normal(r, 3, 3, 2),
    F=lambda r: normal(r, 5, 6, 2),
)
def mobilenet_depthwise(K_hat, F):
    D, _, M = K_hat.shape
    P, Q, _ = F.shape
    G = np.zeros((P - D + 1, Q - D + 1, M))
    for k, l, m in np.ndindex(*G.shape):
        for i, j in np.ndindex(D, D):
            G[k, l, m] += K_hat[i, j, m] * F[k + i, l + j, m]
    return G


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\newcommand{\mywk}{\mathbf{w}_k}
\newcommand{\x}{\mathbf{x}}
\newcommand{\cc}{\mathbf{c}}
\begin{document}
Given $N$ $D$-dimensional local image descriptors $\{\x_i\}$ as input, and $K$ cluster centres $\{\cc_k\}$ as VLAD parameters, the output NetVLAD image representation $V$ is $K{\times}D$-dimensional. The final form of the NetVLAD layer is obtained by plugging the soft-assignment into the VLAD descriptor, resulting in:
\begin{equation}
V(j,k) = \sum_{i=1}^N \frac{e^{\mywk^T\x_i + b_k}} {\sum_{k'}{e^{\mathbf{w}_{k'}^T\x_i + b_{k'}}}} \left( x_i(j) - c_k(j) \right),
\label{eq:netvlad}
\end{equation}
where $\{\mathbf{w}_k\}$, $\{b_k\}$ and $\{\cc_k\}$ are sets of trainable parameters for each cluster $k$.
\end{document}
""",
    source="Arandjelovic et al., NetVLAD, 2016, equation 4",
    shapes=("base 1", "size N, K, D", "input w[K, D], x[N, D], b[K], c[K, D]"),
    sizes={"N": 5},
    w=lambda r: normal(r, 2, 3),
    x=lambda r: normal(r, 5, 3),
    b=lambda r: normal(r, 2),
    c=lambda r: normal(r, 2, 3),
)
def netvlad(w, x, b, c):
    N, D = x.shape
    K = len(w)
    V = np.zeros((D, K))
    for i in range(N):
        e = [np.exp(sum(w[k, d] * x[i, d] for d in range(D)) + b[k]) for k in range(K)]
        for k in range(K):
            for j in range(D):
                V[j, k] += e[k] / sum(e) * (x[i, j] - c[k, j])
    return V


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\def\bx{\mathbf{x}}
\def\by{\mathbf{y}}
\begin{document}
Following the non-local mean operation, we define a generic non-local operation in deep neural networks as:
\begin{equation}\label{eq:nonlocal}
\by_i = \frac{1}{\mathcal{C}(\bx)}\sum_{\forall j}f(\bx_i, \bx_j)g(\bx_j).
\end{equation}
Here $i$ is the index of an output position and $j$ is the index that enumerates all possible positions. For simplicity, we only consider $g$ in the form of a linear embedding: $g(\bx_j) = W_g \bx_j$, where $W_g$ is a weight matrix to be learned.
In this paper we consider
\begin{equation}
f(\bx_i, \bx_j) = e^{\bx_i^T \bx_j}.
\end{equation}
Here $\bx_i^T \bx_j$ is dot-product similarity. The normalization factor is set as $\mathcal{C}(\bx) = \sum_{\forall j} f(\bx_i, \bx_j)$.
\end{document}
""",
    source="Wang, Girshick, Gupta, He, Non-local neural networks, 2018, equations 1 and 2",
    shapes=("size N, D, E", "input x[N, D], W_g[E, D]"),
    x=lambda r: 0.5 * normal(r, 4, 3),
    W_g=lambda r: normal(r, 2, 3),
)
def nonlocal_operation(x, W_g):
    N = len(x)
    y = np.zeros((N, len(W_g)))
    for i in range(N):
        z = 0.0
        for j in range(N):
            f = np.exp(sum(x[i, d] * x[j, d] for d in range(x.shape[1])))
            z += f
            for e in range(len(W_g)):
                y[i, e] += f * sum(W_g[e, d] * x[j, d] for d in range(x.shape[1]))
        y[i] /= z
    return y


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $\{(x_1, x_1^+), \cdots, (x_N, x_N^+)\}$ be $N$ pairs of examples from $N$ different classes. The \emph{multi-class $N$-pair loss} is formulated as
\begin{equation}
\mathcal{L}_{N\text{-pair-mc}}\left(\{(x_i, x_i^+)\}_{i=1}^N; f\right) = \frac{1}{N} \sum_{i=1}^{N} \log\Big(1 + \sum_{j \neq i} \exp(f_i^\top f_j^+ - f_i^\top f_i^+)\Big)
\end{equation}
where $f_i, f_i^+ \in \mathbb{R}^D$ are the embedding vectors of $x_i$ and $x_i^+$.
\end{document}
""",
    source="Sohn, Improved deep metric learning with multi-class N-pair loss objective, 2016, equation 7",
    shapes=("base 1", "size N, D", "input f[N, D], f_plus[N, D]"),
    sizes={"N": 4},
    f=lambda r: normal(r, 4, 3),
    f_plus=lambda r: normal(r, 4, 3),
)
def npair_loss(f, f_plus):
    N, D = f.shape
    L = 0.0
    for i in range(N):
        t = 1.0
        for j in range(N):
            if j != i:
                t += np.exp(
                    sum(f[i, d] * f_plus[j, d] for d in range(D))
                    - sum(f[i, d] * f_plus[i, d] for d in range(D))
                )
        L += np.log(t) / N
    return L


@formula(
    r"""
\documentclass[journal]{IEEEtran}
\usepackage{amsmath}
\begin{document}
Let the pixels of a given picture be represented in $L$ gray levels $[1, 2, \cdots, L]$. The gray-level histogram is normalized and regarded as a probability distribution $p_i$. The between-class variance at level $k$ is
\begin{equation}
\sigma_B^2(k) = \frac{[\mu_T\, \omega(k) - \mu(k)]^2}{\omega(k) [1 - \omega(k)]}, \qquad 1 \leq k < L,
\end{equation}
where
\begin{equation}
\omega(k) = \sum_{i=1}^{k} p_i
\end{equation}
and
\begin{equation}
\mu(k) = \sum_{i=1}^{k} i\, p_i
\end{equation}
are the zeroth- and the first-order cumulative moments of the histogram up to the $k$th level, respectively, and
\begin{equation}
\mu_T = \mu(L) = \sum_{i=1}^{L} i\, p_i
\end{equation}
is the total mean level of the original picture.
\end{document}
""",
    source="Otsu, A threshold selection method from gray-level histograms, 1979, equations 6, 7, 8 and 18",
    shapes=("base 1", "size L", "input p[L]"),
    sizes={"L": 6},
    output="sigma_B_squared",
    p=lambda r: uniform(r, 6) / 10,
)
def otsu_criterion(p):
    L = len(p)
    out = np.zeros(L - 1)
    T = sum((i + 1) * p[i] for i in range(L))
    w = m = 0.0
    for k in range(L - 1):
        w += p[k]
        m += (k + 1) * p[k]
        out[k] = (T * w - m) ** 2 / (w * (1 - w))
    return out


@formula(
    r"""
Given a noise-free $m \times n$ monochrome image $I$ and its noisy approximation $K$, $\mathit{MSE}$ is defined as
\[
\mathit{MSE} = \frac{1}{m\,n} \sum_{i=0}^{m-1} \sum_{j=0}^{n-1} [I(i,j) - K(i,j)]^2 .
\]
The PSNR (in dB) is defined as
\begin{align}
\mathit{PSNR} &= 10 \cdot \log_{10} \left( \frac{\mathit{MAX}_I^2}{\mathit{MSE}} \right) .
\end{align}
Here, $\mathit{MAX}_I$ is the maximum possible pixel value of the image.
""",
    source="Peak signal-to-noise ratio, as in an encyclopedia and most papers on image restoration",
    shapes=("base 0", "size m, n", "input I[m, n], K[m, n], MAX_I[]"),
    sizes={"m": 3, "n": 4},
    output="PSNR",
    I=lambda r: normal(r, 3, 4),
    K=lambda r: normal(r, 3, 4),
    MAX_I=lambda r: 2.5,
)
def psnr_again(I, K, MAX_I):
    m, n = I.shape
    s = 0.0
    for i in range(m):
        for j in range(n):
            s += (I[i, j] - K[i, j]) ** 2 / (m * n)
    return 10 * np.log10(MAX_I**2 / s)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\tens}[1]{\underline{\mathbf{#1}}}
\begin{document}
We employ the following rank-$r$ factorization, where each slice $\mathbf{X}_k$ of the tensor is factorized as
\begin{equation}
\mathbf{X}_k \approx \mathbf{A} \mathbf{R}_k \mathbf{A}^T, \quad \text{for } k = 1, \dots, m
\label{eq:rescal}
\end{equation}
Here, $\mathbf{A}$ is an $n \times r$ matrix that contains the latent-component representation of the entities in the domain and $\mathbf{R}_k$ is an asymmetric $r \times r$ matrix that models the interactions of the latent components in the $k$-th predicate.
\end{document}
""",
    source="Nickel, Tresp, Kriegel, A three-way model for collective learning on multi-relational data, 2011, equation 2",
    shapes=("base 1", "size n, r, m", "input A[n, r], R[m, r, r]"),
    sizes={"m": 2},
    output="X",
    A=lambda r: normal(r, 4, 3),
    R=lambda r: normal(r, 2, 3, 3),
)
def rescal(A, R):
    n, r = A.shape
    X = np.zeros((len(R), n, n))
    for k, i, j in np.ndindex(*X.shape):
        for a in range(r):
            for b in range(r):
                X[k, i, j] += A[i, a] * R[k, a, b] * A[j, b]
    return X


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
If $p(s)$ is a mixture of $Q$ Gaussians on $\mathbb{R}^P$, where the $q^{\text{th}}$ component has mean vector $\boldsymbol{\mu}_q = (\mu_q^{(1)}, \dots, \mu_q^{(P)})$ and covariance matrix $M_q = \text{diag}(v_q^{(1)}, \dots, v_q^{(P)})$, and $\tau_p$ is the $p^{\text{th}}$ component of the $P$ dimensional vector $\tau = x - x'$, then
\begin{equation}
k(\tau) = \sum_{q=1}^Q w_q \prod_{p=1}^P \exp\{-2\pi^2 \tau_p^2 v_q^{(p)}\} \cos(2\pi \tau_p \mu_q^{(p)}).
\end{equation}
\end{document}
""",
    source="Wilson, Adams, Gaussian process kernels for pattern discovery and extrapolation, 2013, equation 12",
    shapes=("upper", "base 1", "size Q, P", "input w[Q], tau[P], v[Q, P], mu[Q, P]"),
    sizes={"Q": 3, "P": 2},
    output="k",
    w=lambda r: uniform(r, 3),
    tau=lambda r: 0.3 * normal(r, 2),
    v=lambda r: uniform(r, 3, 2),
    mu=lambda r: normal(r, 3, 2),
)
def spectral_mixture_kernel(w, tau, v, mu):
    k = 0.0
    for q in range(len(w)):
        t = w[q]
        for p in range(len(tau)):
            t *= np.exp(-2 * np.pi**2 * tau[p] ** 2 * v[q, p]) * np.cos(
                2 * np.pi * tau[p] * mu[q, p]
            )
        k += t
    return k


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
Another activation function is $\text{Swish}_{\beta}(x) = x \sigma(\beta x)$. In this paper, we propose additional variations on the Transformer FFN layer which use GLU or one of its variants in place of the first linear transformation and the activation function. Again, we omit the bias terms.
\begin{equation}
\text{FFN}_{\text{SwiGLU}}(x, W, V, W_2) = (\text{Swish}_1(xW) \otimes xV)W_2
\end{equation}
Here $\otimes$ is the component-wise product, $x \in \mathbb{R}^{d}$, $W, V \in \mathbb{R}^{d \times h}$ and $W_2 \in \mathbb{R}^{h \times d}$.
\end{document}
""",
    source="Shazeer, GLU variants improve transformer, 2020, equations 5 and 6",
    shapes=("size d, h", "input x[d], W[d, h], V[d, h], W_2[h, d]"),
    x=lambda r: normal(r, 3),
    W=lambda r: normal(r, 3, 4),
    V=lambda r: normal(r, 3, 4),
    W_2=lambda r: normal(r, 4, 3),
)
def swiglu(x, W, V, W_2):
    y = np.zeros(W_2.shape[1])
    for k in range(W.shape[1]):
        a = sum(x[i] * W[i, k] for i in range(len(x)))
        b = sum(x[i] * V[i, k] for i in range(len(x)))
        for j in range(len(y)):
            y[j] += a / (1 + np.exp(-a)) * b * W_2[k, j]
    return y


@formula(
    r"""
The TM-score is a variation of the Levitt--Gerstein (LG) score:
\begin{equation}
\text{TM-score} = \frac{1}{L_{\rm N}} \sum_{i=1}^{L_{\rm T}} \frac{1}{1 + \left( \frac{d_i}{d_0} \right)^2}
\end{equation}
where $L_{\rm N}$ is the length of the native structure, $L_{\rm T}$ is the length of the aligned residues to the template structure, $d_i$ is the distance between the $i$th pair of aligned residues and
\begin{equation}
d_0 = 1.24 \sqrt[3]{L_{\rm N} - 15} - 1.8
\end{equation}
is a scale to normalize the match difference.
""",
    source="Zhang, Skolnick, Scoring function for automated assessment of protein structure template quality, 2004, equations 1 and 5",
    shapes=("base 1", "size L_T", "input L_N[], d[L_T]"),
    sizes={"L_T": 6},
    output="TM_score",
    L_N=lambda r: 30.0,
    d=lambda r: uniform(r, 6),
)
def tm_score(L_N, d):
    d0 = 1.24 * np.cbrt(L_N - 15) - 1.8
    s = 0.0
    for t in d:
        s += 1 / (1 + (t / d0) ** 2)
    return s / L_N


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\bw}{\mathbf{w}}
\newcommand{\bv}{\mathbf{v}}
\begin{document}
We propose to reparameterize each weight vector $\bw$ in terms of a parameter vector $\bv$ and a scalar parameter $g$:
\begin{equation}
\bw=\frac{g}{||\bv||}\bv
\label{eq:w}
\end{equation}
where $\bv$ is a $k$-dimensional vector, $g$ is a scalar, and $||\bv||$ denotes the Euclidean norm of $\bv$.
\end{document}
""",
    source="Salimans, Kingma, Weight normalization, 2016, equation 2",
    shapes=("size k", "input g[], v[k]"),
    output="w",
    g=lambda r: 1.7,
    v=lambda r: normal(r, 4),
)
def weight_normalization(g, v):
    n = 0.0
    for t in v:
        n += t * t
    return np.array([g * t / np.sqrt(n) for t in v])
