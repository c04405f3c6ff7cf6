"""Machine learning."""

from __future__ import annotations

import numpy as np

from published.formula import formula


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@formula(
    r"""
\begin{equation}
\mathcal{L}_i = -\log \frac{\exp(q_i \cdot k_i / \tau)}{\sum_{j=1}^{N}\exp(q_i\cdot k_j/\tau)}
\end{equation}
where $q_i, k_i \in \mathbb{R}^{d}$.
""",
    source="van den Oord, Li and Vinyals, Representation learning with contrastive predictive coding, 2018",
    q="4 3",
    k="4 3",
    tau="",
)
def info_nce(q, k, tau):
    s = q @ k.T / tau
    return -np.log(np.diag(_softmax(s)))


@formula(
    r"""
\begin{equation}
e_{ij} = \mathrm{LeakyReLU}\left(\vec{\mathbf{a}}^T[\mathbf{W}\vec{h}_i \| \mathbf{W}\vec{h}_j]\right)
\end{equation}
\begin{equation}
\alpha_{ij} = \mathrm{softmax}_j(e_{ij}) = \frac{\exp(e_{ij})}{\sum_{k\in\mathcal{N}_i}\exp(e_{ik})}.
\end{equation}
""",
    source="Velickovic et al., Graph attention networks, 2018",
    output="",
    e="3 3",
)
def graph_attention(e):
    return None


@formula(
    r"""
\begin{equation}
\mathrm{head}_i = \mathrm{Attention}(QW_i^Q, KW_i^K, VW_i^V)
\end{equation}
""",
    source="Vaswani et al., Attention is all you need, 2017",
    output="",
    Q="3 3",
)
def multi_head(Q):
    return None


@formula(
    r"""
\begin{equation}
PE_{(pos,i)} = \sin\left(\frac{pos}{10000^{2i/d}}\right)
\end{equation}
""",
    source="Vaswani et al., Attention is all you need, 2017",
    output="",
    d="",
)
def positional_encoding(d):
    return None


@formula(
    r"""
\newcommand{\ind}[1]{\mathbb{1}\{#1\}}
\begin{equation}
\mathcal{L} = \sum_{i=0}^{S^2-1}\sum_{j=0}^{B-1} m_{ij}\left[(x_i-\hat{x}_i)^2 + (y_i-\hat{y}_i)^2\right] + \lambda_{\text{noobj}}\sum_{i=0}^{S^2-1} (C_i-\hat{C}_i)^2
\end{equation}
""",
    source="Redmon et al., You only look once, 2016, shortened",
    shapes=(
        "size S = 2",
        "input m[4, B], x[4], x_hat[4], y[4], y_hat[4], lambda_noobj[], C[4], C_hat[4]",
    ),
    m="4 2",
    x="4",
    x_hat="4",
    y="4",
    y_hat="4",
    lambda_noobj="",
    C="4",
    C_hat="4",
)
def yolo(m, x, x_hat, y, y_hat, lambda_noobj, C, C_hat):
    d = (x - x_hat) ** 2 + (y - y_hat) ** 2
    return (m * d[:, None]).sum() + lambda_noobj * ((C - C_hat) ** 2).sum()


@formula(
    r"""
\begin{align}
\mathrm{Dice} = \frac{2\sum_{i}^{N} p_i g_i}{\sum_{i}^{N} p_i^2 + \sum_{i}^{N} g_i^2}
\end{align}
""",
    source="Milletari, Navab and Ahmadi, V-Net, 2016",
    p="5",
    g="5",
)
def dice(p, g):
    return 2 * p @ g / (p @ p + g @ g)


@formula(
    r"""
The layer computes $h^{(l+1)}_i$ from $h^{(l)}_i$:
\begin{equation}
h_i^{(2)} = \tanh\left(\sum_{j=1}^{n} W^{(1)}_{ij} h_j^{(1)} + b_i^{(1)}\right)
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, chapter 5",
    W_1="3 4",
    h_1="4",
    b_1="3",
)
def layers(W_1, h_1, b_1):
    return np.tanh(W_1 @ h_1 + b_1)


@formula(
    r"""
\begin{equation}
\hat{r}_{ui} = \mu + b_u + b_i + q_i^T\left(p_u + |N_u|^{-\frac12} \sum_{j=1}^{n} m_{uj} y_j\right)
\end{equation}
""",
    source="Koren, Factorization meets the neighborhood, 2008 (biases are one letter in the paper)",
    output="",
    mu="",
)
def svd_plus_plus(mu):
    return None


@formula(
    r"""
\begin{equation}
\tilde{A}_{ij} = \frac{A_{ij}}{\sqrt{d_i d_j}}, \quad d_i = \sum_j A_{ij}, \quad Z = \tilde{A} X \Theta
\end{equation}
""",
    source="Kipf and Welling, Semi-supervised classification with graph convolutional networks, 2017",
    shapes=("input A[N, N], X[N, C], Theta[C, F]",),
    output="Z",
    A="4 4",
    X="4 3",
    Theta="3 2",
)
def graph_convolution(A, X, Theta):
    d = A.sum(1)
    return A / np.sqrt(np.outer(d, d)) @ X @ Theta


@formula(
    r"""
\begin{equation}
L_{\mathrm{style}}^{l} = \frac{1}{4 N_l^2 M_l^2}\sum_{i,j}\left(G_{ij} - A_{ij}\right)^2, \qquad G_{ij} = \sum_{k} F_{ik}F_{jk}
\end{equation}
""",
    source="Gatys, Ecker and Bethge, Image style transfer, 2016",
    shapes=("input N_l[], M_l[], F[N, M], A[N, N]",),
    output="L_style_l",
    N_l="",
    M_l="",
    F="3 4",
    A="3 3",
)
def style_loss(N_l, M_l, F, A):
    G = F @ F.T
    return ((G - A) ** 2).sum() / (4 * N_l**2 * M_l**2)


@formula(
    r"""
\begin{equation}
w^{*}_i = w_i - \eta\, \frac{\hat{m}_i}{\sqrt{\hat{v}_i} + \epsilon}, \qquad
\hat{m}_i = \frac{\beta_1 m_i + (1-\beta_1) g_i}{1-\beta_1^t}, \qquad
\hat{v}_i = \frac{\beta_2 v_i + (1-\beta_2) g_i^2}{1-\beta_2^t}
\end{equation}
""",
    source="Kingma and Ba, Adam, 2015",
    shapes=("input w[N], eta[], beta_1[], m[N], g[N], t[], beta_2[], v[N], epsilon[]",),
    output="w_star",
    w="3",
    eta="",
    beta_1=lambda r: 0.9,
    m="3",
    g="3",
    t="",
    beta_2=lambda r: 0.8,
    v="3",
    epsilon="",
)
def adam(w, eta, beta_1, m, g, t, beta_2, v, epsilon):
    mh = (beta_1 * m + (1 - beta_1) * g) / (1 - beta_1**t)
    vh = (beta_2 * v + (1 - beta_2) * g**2) / (1 - beta_2**t)
    return w - eta * mh / (np.sqrt(vh) + epsilon)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{CE}} = -\frac{1}{N}\sum_{n=1}^N\sum_{c=1}^C y_{n,c}\log\left(\frac{\exp(z_{n,c})}{\sum_{c'=1}^C\exp(z_{n,c'})}\right)
\end{equation}
""",
    source="Goodfellow, Bengio and Courville, Deep Learning, 2016",
    y="4 3",
    z="4 3",
)
def cross_entropy(y, z):
    return -(y * np.log(_softmax(z))).sum() / 4


@formula(
    r"""
\begin{equation}
y_{i,j,k} = \frac{x_{i,j,k}}{\sqrt{\frac{1}{C}\sum_{c=1}^{C} x_{i,j,c}^2 + \epsilon}}\cdot\gamma_k
\end{equation}
""",
    source="Zhang and Sennrich, Root mean square layer normalization, 2019",
    x="2 3 4",
    epsilon="",
    gamma="4",
)
def rms_norm(x, epsilon, gamma):
    return x / np.sqrt((x**2).mean(-1, keepdims=True) + epsilon) * gamma


@formula(
    r"""
For a hypersphere with prototypes $\mathbf{c}_k \in \mathbb{R}^{D}$ and an embedding $\mathbf{z}\in\mathbb{R}^D$,
\begin{equation}
p_{k} = \frac{\exp\left(-\lVert \mathbf{z} - \mathbf{c}_k\rVert_2^2\right)}{\sum_{k'=1}^{K}\exp\left(-\lVert\mathbf{z}-\mathbf{c}_{k'}\rVert_2^2\right)}
\end{equation}
""",
    source="Snell, Swersky and Zemel, Prototypical networks, 2017",
    z="3",
    c="4 3",
)
def prototypes(z, c):
    return _softmax(-((z - c) ** 2).sum(1))


@formula(
    r"""
\begin{equation}
\mathcal{L}(\theta) = \frac{1}{N}\sum_{i=1}^{N}\min\left(r_i A_i,\ \operatorname{clip}(r_i, 1-\epsilon, 1+\epsilon) A_i\right)
\end{equation}
""",
    source="Schulman et al., Proximal policy optimization, 2017",
    r="4",
    A="4",
    epsilon="",
)
def proximal_policy(r, A, epsilon):
    return np.mean(np.minimum(r * A, np.clip(r, 1 - epsilon, 1 + epsilon) * A))


@formula(
    r"""
\begin{equation}
V(s) = \max_{a}\left[ R_{sa} + \gamma\sum_{s'} P_{sas'} U_{s'} \right]
\end{equation}
""",
    source="Sutton and Barto, Reinforcement Learning, 1998: the Bellman optimality equation",
    R="3 2",
    gamma="",
    P="3 2 3",
    U="3",
)
def bellman(R, gamma, P, U):
    return (R + gamma * P @ U).max(1)


@formula(
    r"""
\begin{equation}
\delta_t = r_t + \gamma V_{t+1} - V_t, \qquad
\hat{A}_t = \sum_{l=0}^{L-1}(\gamma\lambda)^l\delta_{t+l}
\end{equation}
""",
    source="Schulman et al., High-dimensional continuous control using generalized advantage estimation, 2016",
    shapes=("size L = 2", "input r[T], gamma[], V[T+1], lambda[]", r"$\delta \in \mathbb{R}^{T}$"),
    output="A_hat",
    r="5",
    gamma="",
    V="6",
    **{"lambda": ""},
)
def advantage(r, gamma, V, **rest):
    d = r + gamma * V[1:] - V[:-1]
    return np.array([d[t] + gamma * rest["lambda"] * d[t + 1] for t in range(4)])


@formula(
    r"""
\begin{equation}
    f(\mathbf{x}) = \sum_{k=1}^{K}\alpha_k\phi\left(\lVert\mathbf{x}-\boldsymbol{\mu}_k\rVert\right), \qquad \phi(r) = e^{-(\varepsilon r)^2}
\end{equation}
with $\mathbf{x}, \boldsymbol{\mu}_k\in\mathbb{R}^{d}$.
""",
    source="Broomhead and Lowe, Multivariable functional interpolation and adaptive networks, 1988",
    alpha="4",
    x="3",
    mu="4 3",
    varepsilon="",
)
def radial_basis(alpha, x, mu, varepsilon):
    r = np.linalg.norm(x - mu, axis=1)
    return alpha @ np.exp(-((varepsilon * r) ** 2))


@formula(
    r"""
\begin{equation}
s_{ij} = \frac{\mathbf{u}_i^{\top}\mathbf{v}_j}{\lVert\mathbf{u}_i\rVert\,\lVert\mathbf{v}_j\rVert}
\end{equation}
""",
    source="Salton, cosine similarity, 1989",
    shapes=("input u[N, D], v[M, D]",),
    u="3 4",
    v="2 4",
)
def cosine_similarity(u, v):
    return (u @ v.T) / np.outer(np.linalg.norm(u, axis=1), np.linalg.norm(v, axis=1))


@formula(
    r"""
\begin{align}
    \mathbf{z} &= \operatorname{sigmoid}\left(\mathbf{W}_z\mathbf{x} + \mathbf{U}_z\mathbf{h} + \mathbf{b}_z\right)\\
    \mathbf{h}' &= (1 - \mathbf{z})\odot\mathbf{h} + \mathbf{z}\odot\tanh(\mathbf{W}\mathbf{x})
\end{align}
where $\mathbf{x}\in\mathbb{R}^{d}$, $\mathbf{h}\in\mathbb{R}^{n}$, $\mathbf{W},\mathbf{W}_z\in\mathbb{R}^{n\times d}$, $\mathbf{U}_z\in\mathbb{R}^{n\times n}$ and $\mathbf{b}_z\in\mathbb{R}^n$.
""",
    source="Cho et al., Learning phrase representations using RNN encoder-decoder, 2014, simplified",
    output="h_prime",
    W_z="3 2",
    x="2",
    U_z="3 3",
    h="3",
    b_z="3",
    W="3 2",
)
def update_gate(W_z, x, U_z, h, b_z, W):
    z = 1 / (1 + np.exp(-(W_z @ x + U_z @ h + b_z)))
    return (1 - z) * h + z * np.tanh(W @ x)


@formula(
    r"""
\[
\mathrm{MMD}^2 = \frac{1}{m^2}\sum_{i=1}^m\sum_{j=1}^m k(x_i,x_j) - \frac{2}{mn}\sum_{i=1}^m\sum_{j=1}^n k(x_i,y_j) + \frac{1}{n^2}\sum_{i=1}^n\sum_{j=1}^n k(y_i,y_j),
\]
where $k(x,y) = \exp(-\|x-y\|^2/(2\sigma^2))$ and $x_i, y_j\in\mathbb{R}^d$.
""",
    source="Gretton et al., A kernel two-sample test, 2012",
    x="3 2",
    y="4 2",
    sigma="",
)
def biased_mmd(x, y, sigma):
    def k(a, b):
        return np.exp(-((a[:, None] - b) ** 2).sum(2) / (2 * sigma**2)).mean()

    return k(x, x) - 2 * k(x, y) + k(y, y)


@formula(
    r"""
\begin{equation}
L(\mathbf{w}) = \frac{1}{n}\sum_{i=1}^{n}\max\left(0, 1 - y_i\left(\langle\mathbf{w},\mathbf{x}_i\rangle + b\right)\right) + \frac{\lambda}{2}\|\mathbf{w}\|^2
\end{equation}
""",
    source="Cortes and Vapnik, Support-vector networks, 1995; Shalev-Shwartz et al., Pegasos, 2007",
    shapes=("input y[n], w[d], x[n, d], b[], lambda[]",),
    y="4",
    w="3",
    x="4 3",
    b="",
    **{"lambda": ""},
)
def hinge(y, w, x, b, **rest):
    return np.maximum(0, 1 - y * (x @ w + b)).mean() + rest["lambda"] / 2 * w @ w


@formula(
    r"""
\begin{equation}
I(X;Y) = \sum_{x}\sum_{y} p(x,y)\log\frac{p(x,y)}{p(x)\,p(y)}
\end{equation}
""",
    source="Cover and Thomas, Elements of Information Theory, 1991: one letter for three distributions",
    output="",
    p="3 4",
)
def mutual_information(p):
    return (p * np.log(p / np.outer(p.sum(1), p.sum(0)))).sum()


@formula(
    r"""
\begin{equation}
\mathbf{v}_j = \frac{\|\mathbf{s}_j\|^2}{1+\|\mathbf{s}_j\|^2}\frac{\mathbf{s}_j}{\|\mathbf{s}_j\|}
\end{equation}
""",
    source="Sabour, Frosst and Hinton, Dynamic routing between capsules, 2017",
    shapes=("input s[J, D]",),
    s="3 4",
)
def squash(s):
    n = np.linalg.norm(s, axis=1, keepdims=True)
    return n**2 / (1 + n**2) * s / n


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\text{triplet}} = \sum_{i=1}^N\left[\left\|f_i^a - f_i^p\right\|_2^2 - \left\|f_i^a - f_i^n\right\|_2^2 + \alpha\right]_+
\end{equation}
""",
    source="Schroff, Kalenichenko and Philbin, FaceNet, 2015",
    shapes=("input f_a[N, D], f_p[N, D], f_n[N, D], alpha[]",),
    f_a="4 3",
    f_p="4 3",
    f_n="4 3",
    alpha="",
)
def facenet(f_a, f_p, f_n, alpha):
    return np.maximum(((f_a - f_p) ** 2).sum(1) - ((f_a - f_n) ** 2).sum(1) + alpha, 0).sum()
