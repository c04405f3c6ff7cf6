"""Transformers, diffusion models, graph networks, recommenders and reinforcement learning."""

from __future__ import annotations

import numpy as np

from published.formula import formula


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


@formula(
    r"""
\begin{equation}
  \mathbf{o}_i = \frac{\sum_{j=1}^{N} \operatorname{sim}(\mathbf{q}_i, \mathbf{k}_j)\, \mathbf{v}_j}{\sum_{j=1}^{N} \operatorname{sim}(\mathbf{q}_i, \mathbf{k}_j)},
  \qquad \operatorname{sim}(\mathbf{q}, \mathbf{k}) = \exp\!\left(\frac{\mathbf{q}^\top \mathbf{k}}{\sqrt{D}}\right),
\end{equation}
where $\mathbf{q}_i, \mathbf{k}_i \in \mathbb{R}^{D}$ and $\mathbf{v}_i \in \mathbb{R}^{M}$.
""",
    source="Katharopoulos et al., Transformers are RNNs, 2020, equation (3)",
    output="o",
    q="4 3",
    k="4 3",
    v="4 2",
)
def similarity_attention(q, k, v):
    return _softmax(q @ k.T / np.sqrt(3)) @ v


@formula(
    r"""
\begin{equation}
A_{ij} = \frac{\exp\left( \frac{1}{\sqrt{d_k}} \sum_{l=1}^{d_k} Q_{il} K_{jl} - m_h\, |i - j| \right)}{\sum_{j' \le i} \exp\left( \frac{1}{\sqrt{d_k}} \sum_{l=1}^{d_k} Q_{il} K_{j'l} - m_h\, |i - j'| \right)}
\end{equation}
""",
    source="Press, Smith and Lewis, Train short, test long (ALiBi), 2022, written out",
    Q="4 3",
    K="4 3",
    m_h="",
)
def linear_biases(Q, K, m_h):
    i, j = np.mgrid[:4, :4]
    e = np.exp(Q @ K.T / np.sqrt(3) - m_h * abs(i - j))
    return e / np.tril(e).sum(1, keepdims=True)


@formula(
    r"""
The gated variant is
\begin{equation}\label{eq:swiglu}
  h_{tj} = \Bigl(\sum_{k=1}^{d} x_{tk} W_{kj}\Bigr)\,\sigma\Bigl(\beta \sum_{k=1}^{d} x_{tk} W_{kj}\Bigr)\Bigl(\sum_{k=1}^{d} x_{tk} V_{kj}\Bigr),
\end{equation}
where $\sigma$ is the logistic sigmoid\footnote{We use $\beta = 1$ in all experiments.}.
""",
    source="Shazeer, GLU variants improve transformer, 2020, in components",
    x="2 3",
    W="3 4",
    beta="",
    V="3 4",
)
def swish_gated(x, W, beta, V):
    z = x @ W
    return z * _sigmoid(beta * z) * (x @ V)


@formula(
    r"""
\begin{align}
\mathbf{x}_t = \sqrt{\bar\alpha_t}\,\mathbf{x}_0 + \sqrt{1-\bar\alpha_t}\,\boldsymbol\epsilon, \qquad \bar\alpha_t = \prod_{s=1}^{t} \alpha_s
\end{align}
""",
    source="Ho, Jain and Abbeel, Denoising diffusion probabilistic models, 2020, equation (4)",
    shapes=("input alpha[T], x_0[D], epsilon[D]",),
    output="x",
    alpha=lambda r: np.array([0.9, 0.8, 0.7]),
    x_0="4",
    epsilon="4",
)
def forward_diffusion(alpha, x_0, epsilon):
    bar = np.cumprod(alpha)[:, None]
    return np.sqrt(bar) * x_0 + np.sqrt(1 - bar) * epsilon


@formula(
    r"""
\begin{equation}
  \tilde{\mu}_{t,i} = \frac{\sqrt{\bar\alpha_{t-1}}\,\beta_t}{1 - \bar\alpha_t}\, \hat{x}_i + \frac{\sqrt{\alpha_t}\,(1-\bar\alpha_{t-1})}{1-\bar\alpha_t}\, x_{t,i}, \qquad t = 1, \dots, T,
\end{equation}
with $\alpha_t = 1 - \beta_t$.
""",
    source="Ho, Jain and Abbeel, Denoising diffusion probabilistic models, 2020, equation (7)",
    shapes=("input alpha_bar[T+1], beta[T], x_hat[D], x[T, D]",),
    output="mu_tilde",
    alpha_bar=lambda r: np.array([0.95, 0.8, 0.7, 0.5]),
    beta=lambda r: np.array([0.1, 0.2, 0.3]),
    x_hat="2",
    x="3 2",
)
def posterior_mean(alpha_bar, beta, x_hat, x):
    a, b = alpha_bar[1:], alpha_bar[:-1]
    first = np.sqrt(b) * beta / (1 - a)
    second = np.sqrt(1 - beta) * (1 - b) / (1 - a)
    return first[:, None] * x_hat + second[:, None] * x


@formula(
    r"""
\begin{equation}
\mathbf{h}_v' = \sum_{u \in V} \frac{A_{vu}}{\sqrt{\tilde d_v \tilde d_u}}\, \mathbf{W} \mathbf{h}_u, \quad \text{where } \tilde d_v = 1 + \sum_{u} A_{vu}
\end{equation}
""",
    source="Kipf and Welling, 2017, as message passing",
    shapes=("input A[N, N], W[F, C], h[N, C]",),
    output="h_prime",
    A="4 4",
    W="2 3",
    h="4 3",
)
def normalised_messages(A, W, h):
    d = 1 + A.sum(1)
    return A / np.sqrt(np.outer(d, d)) @ (h @ W.T)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{BPR}} = -\sum_{u=1}^{U}\sum_{i=1}^{I}\sum_{j=1}^{I} s_{uij} \ln \sigma\left(\hat{x}_{ui} - \hat{x}_{uj}\right) + \lambda \left\| \Theta \right\|_F^2
\end{equation}
where $\Theta \in \mathbb{R}^{P \times Q}$ and $\sigma(x) = 1/(1+e^{-x})$.
""",
    source="Rendle et al., BPR: Bayesian personalized ranking, 2009",
    s="2 3 3",
    x_hat="2 3",
    lambda_="",
    Theta="2 4",
)
def personalised_ranking(s, x_hat, lambda_, Theta):
    d = x_hat[:, :, None] - x_hat[:, None, :]
    return -(s * np.log(_sigmoid(d))).sum() + lambda_ * (Theta**2).sum()


@formula(
    r"""
The prediction of user $u$ for item $i$ is
\[
  \hat{r}_{ui} = \bar{r}_u + \frac{\sum_{v=1}^{U} w_{uv}\,(r_{vi} - \bar{r}_v)}{\sum_{v=1}^{U} |w_{uv}|}\,, \qquad
  \bar{r}_u = \frac{1}{I}\sum_{i=1}^{I} r_{ui}\,.
\]
""",
    source="Resnick et al., GroupLens, 1994",
    output="r_hat",
    w="3 3",
    r="3 4",
)
def collaborative_filter(w, r):
    mean = r.mean(1)
    return mean[:, None] + w @ (r - mean[:, None]) / abs(w).sum(1, keepdims=True)


@formula(
    r"""
\begin{equation}
    q_\pi(s,a) = \sum_{s'} p(s' \mid s, a) \bigl[ r(s, a, s') + \gamma \sum_{a'} \pi(a' \mid s')\, q(s', a') \bigr]
\end{equation}
""",
    source="Sutton and Barto, Reinforcement Learning, 2018, exercise 3.17",
    p="3 3 2",
    r="3 2 3",
    gamma="",
    pi="2 3",
    q="3 2",
)
def action_values(p, r, gamma, pi, q):
    v = (pi.T * q).sum(1)
    return np.einsum("tsa,sat->sa", p, r + gamma * v)


@formula(
    r"""
\begin{equation}
y_j = r_j + \gamma\, (1 - d_j) \max_{a'} \hat Q_{j a'}, \qquad
L = \frac{1}{B} \sum_{j=1}^{B} \left( y_j - Q_{j} \right)^2 .
\end{equation}
""",
    source="Mnih et al., Human-level control through deep reinforcement learning, 2015, with termination flags",
    output="L",
    r="4",
    gamma="",
    d="4",
    Q_hat="4 3",
    Q="4",
)
def temporal_difference_loss(r, gamma, d, Q_hat, Q):
    return ((r + gamma * (1 - d) * Q_hat.max(1) - Q) ** 2).mean()


@formula(
    r"""
\begin{equation}
  \ell(x, t) = \sum_{i=1}^{n} \left[ -t_i \log \hat{y}_i - (1 - t_i) \log (1 - \hat{y}_i) \right], \quad \hat{y}_i = \frac{1}{1 + \exp(-w^\top x_i - b)}
\end{equation}
with $w \in \mathbb{R}^p$ and $x_i \in \mathbb{R}^p$.
""",
    source="Hastie, Tibshirani and Friedman, Elements of Statistical Learning, section 4.4",
    output="ell",
    t=lambda r: np.array([0.0, 1, 1]),
    w="2",
    x="3 2",
    b="",
)
def log_loss(t, w, x, b):
    y = _sigmoid(x @ w + b)
    return -(t * np.log(y) + (1 - t) * np.log(1 - y)).sum()


@formula(
    r"""
\begin{equation}
    \mathcal{L}_{\text{Barlow}} \triangleq \sum_i (1 - \mathcal{C}_{ii})^2 + \lambda \sum_{i} \sum_{j \neq i} {\mathcal{C}_{ij}}^2
\end{equation}
where
\begin{equation}
    \mathcal{C}_{ij} \triangleq \frac{\sum_b z^A_{b,i} z^B_{b,j}}{\sqrt{\sum_b {(z^A_{b,i})}^2} \sqrt{\sum_b {(z^B_{b,j})}^2}}
\end{equation}
""",
    source="Zbontar et al., Barlow twins, 2021, equations (1) and (2)",
    shapes=("input z_A[B, D], z_B[B, D], lambda[]",),
    output="L_Barlow",
    z_A="4 3",
    z_B="4 3",
    **{"lambda": ""},
)
def barlow_twins(z_A, z_B, **rest):
    C = (z_A / np.linalg.norm(z_A, axis=0)).T @ (z_B / np.linalg.norm(z_B, axis=0))
    off = C - np.diag(np.diag(C))
    return ((1 - np.diag(C)) ** 2).sum() + rest["lambda"] * (off**2).sum()


@formula(
    r"""
\newcommand{\vh}{\mathbf{h}}
\newcommand{\R}{\mathbb{R}}
Given node features $\vh_i \in \R^F$ we compute
\begin{align*}
  e_{ij} &= \sum_{f=1}^{F} a_f \, \max\bigl(0, h_{if} + h_{jf}\bigr), \\
  \alpha_{ij} &= \frac{\exp e_{ij}}{\sum_{k} \exp e_{ik}}, \\
  h'_{if} &= \sum_{j} \alpha_{ij} h_{jf}.
\end{align*}
""",
    source="Brody, Alon and Yahav, How attentive are graph attention networks?, 2022, with one layer's weights left out",
    output="h_prime",
    a="3",
    h="4 3",
)
def attentive_graph(a, h):
    e = np.maximum(0, h[:, None] + h) @ a
    return _softmax(e) @ h


@formula(
    r"""
\begin{equation}
  y_{o,h,w} = \sum_{g=0}^{G-1}\sum_{k=-1}^{1} \sum_{l=-1}^{1} w_{o,g,k+1,l+1}\; x_{g, h+k, w+l}
\end{equation}
""",
    source="Krizhevsky, Sutskever and Hinton, 2012, a 3 x 3 layer",
    output="",
    w="2 2 3 3",
    x="2 4 5",
)
def three_by_three(w, x):
    return None


@formula(
    r"""
\begin{equation}
\text{GeM}(X)_c = \left( \frac{1}{|\Omega|} \sum_{u \in \Omega} x_{cu}^{p} \right)^{\frac{1}{p}}
\end{equation}
""",
    source="Radenovic, Tolias and Chum, Fine-tuning CNN image retrieval, 2019",
    output="GeM",
    x="2 3",
    p="",
)
def generalised_mean(x, p):
    return ((x**p).mean(1)) ** (1 / p)


@formula(
    r"""
\begin{align}
\mathbf{z} &= \mathbf{W}_2 \tanh(\mathbf{W}_1 \mathbf{x} + \mathbf{b}_1) + \mathbf{b}_2 \\
\mathcal{L} &= \tfrac12 \| \mathbf{z} - \mathbf{y} \|_2^2 + \tfrac{\lambda}{2} \left( \|\mathbf{W}_1\|_F^2 + \|\mathbf{W}_2\|_F^2 \right)
\end{align}
""",
    source="Goodfellow, Bengio and Courville, Deep Learning, chapter 6",
    shapes=("input W_2[o, h], W_1[h, d], x[d], b_1[h], b_2[o], y[o], lambda[]",),
    output="L",
    W_2="2 4",
    W_1="4 3",
    x="3",
    b_1="4",
    b_2="2",
    y="2",
    **{"lambda": ""},
)
def two_layers(W_2, W_1, x, b_1, b_2, y, **rest):
    z = W_2 @ np.tanh(W_1 @ x + b_1) + b_2
    return ((z - y) ** 2).sum() / 2 + rest["lambda"] / 2 * ((W_1**2).sum() + (W_2**2).sum())


@formula(
    r"""
\begin{equation}
  \mathcal{L}_{\mathrm{KD}} = (1-\alpha)\, H + \alpha\, T^2 \sum_{c=1}^{C} p_c \log\frac{p_c}{q_c}, \quad
  p_c = \frac{e^{u_c/T}}{\sum_{k} e^{u_k/T}}, \quad q_c = \frac{e^{v_c/T}}{\sum_{k} e^{v_k/T}}
\end{equation}
""",
    source="Hinton, Vinyals and Dean, Distilling the knowledge in a neural network, 2015",
    output="L_KD",
    alpha="",
    H="",
    T="",
    u="4",
    v="4",
)
def distillation(alpha, H, T, u, v):
    p, q = _softmax(u / T), _softmax(v / T)
    return (1 - alpha) * H + alpha * T**2 * (p * np.log(p / q)).sum()


@formula(
    r"""
\begin{equation}
\operatorname{DCG} = \sum_{i=1}^{k} \frac{2^{\mathrm{rel}_i} - 1}{\log_2(i + 1)}
\end{equation}
""",
    source="Burges et al., Learning to rank using gradient descent, 2005",
    rel="5",
)
def discounted_gain(rel):
    return ((2**rel - 1) / np.log2(np.arange(2, 7))).sum()
