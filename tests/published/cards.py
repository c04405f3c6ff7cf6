"""Formulas of articles on groups of weights, contours, guided filters, truncated distances, infinite networks, contagion, steps and clips."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
Given a positive definite kernel the group lasso estimate minimises, for $\beta_j \in \mathbb{R}^{p_j}$,
\begin{equation}
\frac{1}{2} \left\| Y - \sum_{j=1}^{J} X_j \beta_j \right\|^2 + \lambda \sum_{j=1}^{J} \sqrt{p_j} \left\| \beta_j \right\|
\end{equation}
""",
    source="Yuan, Lin, Model selection and estimation in regression with grouped variables, 2006, equation 2.1",
    leaves_open="groups of different sizes",
    Y="3",
)
def grouped_lasso(Y):
    return 0.0


@formula(
    r"""
\newcommand{\R}{\mathbb{R}}
With $W \in \R^{d \times m}$ the penalty on the rows is
\begin{equation}
\Omega(W) = \alpha \sum_{i=1}^{d} \left( \sum_{j=1}^{m} W_{ij}^2 \right)^{1/2} + (1 - \alpha) \sum_{i=1}^{d} \sum_{j=1}^{m} |W_{ij}| .
\end{equation}
""",
    source="Simon et al., A sparse-group lasso, 2013, for tasks",
    alpha=lambda r: np.float64(0.3),
    W=lambda r: normal(r, 4, 3),
)
def sparse_groups(alpha, W):
    return alpha * sum(np.sqrt(np.sum(W[i] ** 2)) for i in range(4)) + (1 - alpha) * np.sum(
        np.abs(W)
    )


@formula(
    r"""
The guided filter computes in the windows $\omega_k$, of $|\omega|$ pixels each, from the guidance $I$ and the input $p$
\begin{equation}
a_k = \frac{\frac{1}{|\omega|} \sum_{i \in \omega_k} I_i p_i - \mu_k \bar{p}_k}{\sigma_k^2 + \epsilon}, \qquad b_k = \bar{p}_k - a_k \mu_k .
\end{equation}
""",
    source="He, Sun, Tang, Guided image filtering, 2013, equations 5 and 6",
    leaves_open="the windows",
    I="4",
)
def windows_of_guidance(I):
    return I


@formula(
    r"""
The fitting energy with smooth Heaviside values $H_{ij} = \frac{1}{2} \left( 1 + \frac{2}{\pi} \arctan \frac{\phi_{ij}}{\varepsilon} \right)$ of the level set function is
\begin{equation}
F = \sum_{i=1}^{m} \sum_{j=1}^{n} \left[ \lambda_1 (u_{ij} - c_1)^2 H_{ij} + \lambda_2 (u_{ij} - c_2)^2 (1 - H_{ij}) \right], \qquad
c_1 = \frac{\sum_{i,j} u_{ij} H_{ij}}{\sum_{i,j} H_{ij}}, \quad c_2 = \frac{\sum_{i,j} u_{ij} (1 - H_{ij})}{\sum_{i,j} (1 - H_{ij})} .
\end{equation}
""",
    source="Chan, Vese, Active contours without edges, 2001, discretised",
    output="F",
    phi=lambda r: normal(r, 3, 4),
    varepsilon="",
    lambda_1="",
    u="3 4",
    lambda_2="",
    shapes=("size m, n", "input phi[m, n], u[m, n], varepsilon[], lambda_1[], lambda_2[]"),
)
def contour_energy(phi, varepsilon, lambda_1, u, lambda_2):
    H = 0.5 * (1 + 2 / np.pi * np.arctan(phi / varepsilon))
    c1, c2 = np.sum(u * H) / np.sum(H), np.sum(u * (1 - H)) / np.sum(1 - H)
    return np.sum(lambda_1 * (u - c1) ** 2 * H + lambda_2 * (u - c2) ** 2 * (1 - H))


@formula(
    r"""
The weighted running average over $n$ depth frames gives for a voxel $v$
\begin{equation}
D_v = \frac{\sum_{k=1}^{n} w_{kv} \min\left( 1, \max\left( -1, d_{kv} / \tau \right) \right)}{\sum_{k=1}^{n} w_{kv}} .
\end{equation}
""",
    source="Curless, Levoy, A volumetric method for building complex models from range images, 1996, with truncation",
    w="3 5",
    d=lambda r: normal(r, 3, 5),
    tau="",
)
def truncated_distance(w, d, tau):
    return np.array(
        [np.sum(w[:, v] * np.clip(d[:, v] / tau, -1, 1)) / w[:, v].sum() for v in range(5)]
    )


@formula(
    r"""
The point-to-plane error of corresponding points $p_i, q_i$ with unit normals $n_i$ in $\mathbb{R}^3$ under the motion $(R, t)$ is
\begin{equation}
E(R, t) = \sum_{i=1}^{N} \left( (R p_i + t - q_i) \cdot n_i \right)^2 .
\end{equation}
""",
    source="Chen, Medioni, Object modelling by registration of multiple range images, 1992; as in Rusinkiewicz, 2019",
    R=lambda r: normal(r, 3, 3),
    p=lambda r: normal(r, 4, 3),
    t=lambda r: normal(r, 3),
    q=lambda r: normal(r, 4, 3),
    n=lambda r: normal(r, 4, 3),
    shapes=("size N", "input R[3, 3], p[N, 3], t[3], q[N, 3], n[N, 3]"),
)
def point_to_plane(R, p, t, q, n):
    return sum(((R @ p[i] + t - q[i]) @ n[i]) ** 2 for i in range(4))


@formula(
    r"""
The individual-based mean-field approximation of the SIS process on a network with the weights $A_{ij}$ is
\begin{equation}
\frac{\mathrm{d} x_i(t)}{\mathrm{d} t} = \beta \left( 1 - x_i(t) \right) \sum_{j=1}^{N} A_{ij} x_j(t) - \gamma x_i(t), \qquad i = 1, \ldots, N .
\end{equation}
""",
    source="Van Mieghem, Omic, Kooij, Virus spread in networks, 2009; as in Pastor-Satorras et al., 2015",
    beta="",
    x=lambda r: r.uniform(0.1, 0.9, 4),
    A="4 4",
    gamma="",
)
def network_contagion(beta, x, A, gamma):
    return beta * (1 - x) * (A @ x) - gamma * x


@formula(
    r"""
We decay the learning rate with a cosine annealing for each batch as follows:
\begin{equation}
\eta_t = \eta_{min}^i + \frac{1}{2} (\eta_{max}^i - \eta_{min}^i) (1 + \cos(\frac{T_{cur}}{T_i} \pi)) ,
\end{equation}
where $\eta_{min}^i$ and $\eta_{max}^i$ are ranges for the learning rate in the $i$-th run.
""",
    source="Loshchilov, Hutter, SGDR, 2017, equation 5",
    leaves_open="words in italics, and an index of the run that is none of the result",
    eta="",
)
def warm_restarts(eta):
    return eta


@formula(
    r"""
To keep the norm of the gradient $g \in \mathbb{R}^n$ bounded by $c$ one uses
\begin{equation}
\hat{g} = \min\left( 1, \frac{c}{\|g\|_2} \right) g .
\end{equation}
""",
    source="Pascanu, Mikolov, Bengio, On the difficulty of training recurrent neural networks, 2013, algorithm 1",
    c="",
    g=lambda r: normal(r, 5),
)
def clipped_gradient(c, g):
    return min(1, c / np.sqrt(g @ g)) * g


@formula(
    r"""
The kernel of a layer with rectifiers is, with the covariances $\Sigma \in \mathbb{R}^{n \times n}$ of the layer below,
\begin{equation}
K_{ij} = \frac{1}{2 \pi} \sqrt{\Sigma_{ii} \Sigma_{jj}} \left( \sin \theta_{ij} + (\pi - \theta_{ij}) \cos \theta_{ij} \right), \quad
\theta_{ij} = \cos^{-1} \left( \frac{\Sigma_{ij}}{\sqrt{\Sigma_{ii} \Sigma_{jj}}} \right) .
\end{equation}
""",
    source="Cho, Saul, Kernel methods for deep learning, 2009; Lee et al., Deep neural networks as Gaussian processes, 2018, equation 11",
    output="K",
    Sigma=lambda r: np.cov(normal(r, 4, 9)),
)
def rectified_kernel(Sigma):
    d = np.sqrt(np.diag(Sigma))
    c = Sigma / (d[:, None] * d)
    t = np.arccos(np.clip(c, -1, 1))
    return d[:, None] * d / (2 * np.pi) * (np.sin(t) + (np.pi - t) * np.cos(t))


@formula(
    r"""
The critic of WGAN-GP has the penalty
\begin{equation}
P = \frac{\lambda}{m} \sum_{i=1}^{m} \left( \| \mathbf{g}_i \|_2 - 1 \right)^2,
\end{equation}
where $\mathbf{g}_1, \dots, \mathbf{g}_m \in \mathbb{R}^d$ are the gradients at the interpolated samples.
""",
    source="Gulrajani et al., Improved training of Wasserstein GANs, 2017, algorithm 1",
    **{"lambda": ""},
    g=lambda r: normal(r, 4, 3),
    shapes=("size m, d", "input g[m, d], lambda[]"),
)
def gradient_penalty(g, **rest):
    return rest["lambda"] / 4 * sum((np.sqrt(g[i] @ g[i]) - 1) ** 2 for i in range(4))


@formula(
    r"""
\begin{align}
L_D &= \frac{1}{2 m} \sum_{i=1}^{m} (D(x_i) - b)^2 + \frac{1}{2 m} \sum_{i=1}^{m} (D(z_i) - a)^2 \\
D(x) &= \tanh(w x + v)
\end{align}
""",
    source="Mao et al., Least squares generative adversarial networks, 2017, equation 2, with a small discriminator",
    output="L_D",
    x=lambda r: normal(r, 4),
    b="",
    z=lambda r: normal(r, 4),
    a="",
    w="",
    v="",
    shapes=("size m", "input x[m], z[m], a[], b[], w[], v[]"),
)
def least_squares_game(x, b, z, a, w, v):
    D = lambda u: np.tanh(w * u + v)
    return np.mean((D(x) - b) ** 2) / 2 + np.mean((D(z) - a) ** 2) / 2


@formula(
    r"""
Multi-scale retinex with the $N$ surrounds $F_n$ convolved with the image beforehand, $B_{n,xy} = (F_n * I)_{xy}$, is
\begin{equation}
R_{xy} = \sum_{n=1}^{N} \omega_n \left\{ \log I_{xy} - \log B_{n,xy} \right\}, \qquad \sum_{n=1}^{N} \omega_n = 1 .
\end{equation}
""",
    source="Jobson, Rahman, Woodell, A multiscale retinex, 1997, equation 3",
    omega="3",
    I="4 5",
    B="3 4 5",
    shapes=("size N, W, H", "input omega[N], I[W, H], B[N, W, H]"),
)
def multiscale_retinex(omega, I, B):
    return sum(omega[n] * (np.log(I) - np.log(B[n])) for n in range(3))


@formula(
    r"""
For the log-cosh loss and its smooth approximation of the median we use
\begin{equation}
L(y, \hat{y}) = \sum_{i=1}^{n} \log(\cosh(\hat{y}_i - y_i)) .
\end{equation}
""",
    source="Saleh, Saleh, Statistical properties of the log-cosh loss function, 2022",
    y_hat=lambda r: normal(r, 5),
    y=lambda r: normal(r, 5),
)
def log_cosh(y_hat, y):
    return np.sum(np.log(np.cosh(y_hat - y)))


@formula(
    r"""
\documentclass{article}
\begin{document}
Let the teacher weights after $t$ steps be $\theta'$, those before be $\theta'_{old}$. The consistency cost over $n$ examples and $C$ classes is
\[
J = \frac{1}{n C} \sum_{i=1}^{n} \sum_{c=1}^{C} \left( p_{ic} - p'_{ic} \right)^2 .
\]
\end{document}
""",
    source="Tarvainen, Valpola, Mean teachers are better role models, 2017, equation 1, on samples",
    p="4 3",
    p_prime="4 3",
)
def consistency_cost(p, p_prime):
    return np.sum((p - p_prime) ** 2) / 12


@formula(
    r"""
The bilinear interaction is $\mathbf{v}_i \cdot W \odot \mathbf{v}_j$; its squeeze weights for $f$ fields with embeddings of size $k$ come from
\begin{equation}
z_i = \frac{1}{k} \sum_{t=1}^{k} e_i^{(t)}, \qquad a_i = \max\Bigl( 0, \sum_{j=1}^{f} W_{ij} z_j \Bigr), \qquad v_i^{(t)} = a_i\, e_i^{(t)} .
\end{equation}
""",
    source="Huang, Zhang, Zhang, FiBiNET, 2019, equations 2 to 5, one layer",
    output="v",
    e=lambda r: normal(r, 4, 3),
    W=lambda r: normal(r, 4, 4),
    shapes=("size f, k", "input e[f, k], W[f, f]"),
)
def field_squeeze(e, W):
    a = np.maximum(0, W @ e.mean(1))
    return a[:, None] * e
