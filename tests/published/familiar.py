"""Formulas of well-known papers, whose names carry labels, marks and numbers that are no indices."""

from __future__ import annotations

import numpy as np

from published.formula import formula


@formula(
    r"""
\begin{align}
\mathbf{y} &= \mathbf{z} - \mathbf{H} \hat{\mathbf{x}}^-, \\
\hat{\mathbf{x}}^+ &= \hat{\mathbf{x}}^- + \mathbf{K} \mathbf{y}, \\
\mathbf{P}^+ &= (\mathbf{I} - \mathbf{K}\mathbf{H}) \mathbf{P}^-
\end{align}
with $\hat{\mathbf{x}}^-, \hat{\mathbf{x}}^+ \in \mathbb{R}^n$, $\mathbf{z} \in \mathbb{R}^m$, $\mathbf{H} \in \mathbb{R}^{m \times n}$,
$\mathbf{K} \in \mathbb{R}^{n \times m}$ and $\mathbf{P}^- \in \mathbb{R}^{n \times n}$.
""",
    source="Simon, Optimal state estimation, 2006, the update by a measurement",
    output="P_plus",
    z="2",
    H="2 3",
    x_hat_minus="3",
    K="3 2",
    P_minus="3 3",
)
def covariance_update(z, H, x_hat_minus, K, P_minus):
    return (np.eye(3) - K @ H) @ P_minus


@formula(
    r"""
\begin{equation}
\hat{x}_k = \hat{x}^{-}_k + K_k (z_k - H_k \hat{x}^{-}_k)
\end{equation}
""",
    source="Welch and Bishop, An introduction to the Kalman filter, 1995, for scalars",
    x_hat_minus="3",
    K="3",
    z="3",
    H="3",
)
def scalar_update(x_hat_minus, K, z, H):
    return x_hat_minus + K * (z - H * x_hat_minus)


@formula(
    r"""
\begin{equation}
R(\beta_0, \beta) = \frac{1}{2N}\sum_{i=1}^N (y_i - \beta_0 - x_i^T \beta)^2 + \lambda \left[ (1-\alpha)\tfrac12 \|\beta\|_{2}^2 + \alpha \|\beta\|_{1}\right],
\end{equation}
with $x_i \in \mathbb{R}^p$ and $\beta \in \mathbb{R}^p$.
""",
    source="Friedman, Hastie and Tibshirani, Regularization paths, 2010, equations (1) and (2)",
    beta="2",
    y="3",
    beta_0="",
    x="3 2",
    alpha="",
    **{"lambda": ""},
)
def penalised_intercept(beta, y, beta_0, x, alpha, **others):
    penalty = (1 - alpha) / 2 * (beta @ beta) + alpha * abs(beta).sum()
    return ((y - beta_0 - x @ beta) ** 2).sum() / 6 + others["lambda"] * penalty


@formula(
    r"""
\begin{equation}
A = X^\top X + \lambda I
\end{equation}
with $X \in \mathbb{R}^{n \times p}$.
""",
    source="Hoerl and Kennard, Ridge regression, 1970, the matrix of its equations",
    X="4 3",
    **{"lambda": ""},
)
def ridge_matrix(X, **others):
    return X.T @ X + others["lambda"] * np.eye(3)


@formula(
    r"""
\begin{equation}
\ell_{i,j} = -\log \frac{\exp(\mathrm{sim}(z_i, z_j)/\tau)}{\sum_{k=1}^{2N} \mathbb{1}_{[k \neq i]} \exp(\mathrm{sim}(z_i, z_k)/\tau)}
\end{equation}
where $\mathrm{sim}(u, v) = u^\top v / (\|u\| \|v\|)$ and $z_i \in \mathbb{R}^d$.
""",
    source="Chen et al., A simple framework for contrastive learning, 2020, equation (1)",
    sizes={"N": 2},
    z="4 3",
    tau="",
)
def normalised_temperature(z, tau):
    unit = z / np.linalg.norm(z, axis=1, keepdims=True)
    e = np.exp(unit @ unit.T / tau)
    return -np.log(e / (e.sum(1) - np.diag(e))[:, None])


@formula(
    r"""
\begin{equation}
 Y(i,j) = \sum_{c=1}^{C} w_c X_c(i,j)
\end{equation}
""",
    source="Zhou et al., Learning deep features for discriminative localization, 2016, one class",
    w="2",
    X="2 3 4",
)
def activation_map(w, X):
    return np.tensordot(w, X, 1)


@formula(
    r"""
\begin{equation}
\nu_t = (C_s \Delta)^2 \sqrt{2 \sum_{i=1}^3\sum_{j=1}^3 S_{ij} S_{ij}}
\end{equation}
""",
    source="Smagorinsky, General circulation experiments, 1963",
    C_s="",
    Delta="",
    S="3 3",
)
def eddy_viscosity(C_s, Delta, S):
    return (C_s * Delta) ** 2 * np.sqrt(2 * (S * S).sum())


@formula(
    r"""
\begin{align}
 F_{d,i} &= -\gamma v_i, & F_{r,i} &= \sigma \xi_i, & F_i &= F_{d,i} + F_{r,i}
\end{align}
""",
    source="Groot and Warren, Dissipative particle dynamics, 1997, drag and noise of a particle",
    output="F",
    gamma="",
    v="3",
    sigma="",
    xi="3",
)
def drag_and_noise(gamma, v, sigma, xi):
    return -gamma * v + sigma * xi


@formula(
    r"""
\begin{equation}
\mathrm{DCG}_p = \sum_{i=1}^{p} \frac{2^{\mathrm{rel}_i} - 1}{\log_2(i+1)}
\end{equation}
""",
    source="Burges et al., Learning to rank using gradient descent, 2005",
    rel="4",
)
def gain_of_length(rel):
    return sum((2 ** rel[i] - 1) / np.log2(i + 2) for i in range(4))


@formula(
    r"""
\begin{equation}
s^2 = \frac{1}{n-1} \sum_{i=1}^n (x_i - \bar{x})^2
\end{equation}
The sample mean is $\bar{x} = \frac1n\sum_{i=1}^n x_i$.
""",
    source="Casella and Berger, Statistical inference, 2002, section 5.2",
    output="s_squared",
    x="5",
)
def variance_with_its_mean(x):
    return x.var(ddof=1)


@formula(
    r"""
\begin{equation}
f_c = \left( \frac{1}{H W} \sum_{h=1}^{H} \sum_{w=1}^{W} x_{chw}^{p_c} \right)^{1/p_c}
\end{equation}
""",
    source="Radenovic, Tolias and Chum, Fine-tuning CNN image retrieval, 2018, equation (3)",
    x="2 3 4",
    p="2",
)
def generalised_mean_pooling(x, p):
    return (x ** p[:, None, None]).mean((1, 2)) ** (1 / p)
