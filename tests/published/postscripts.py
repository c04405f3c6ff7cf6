"""Formulas as papers on normalisation, graphs, magnets, soils, teachers, colours, voices, cells and maps print them."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
In the Cosine annealed mixture, each node aggregates
\begin{equation}
\mathbf{h}_i' = \tanh\left( \sum_{j \in \mathcal{N}_i} \frac{1}{|\mathcal{N}_i|} \mathbf{W} \mathbf{h}_j \right), \qquad \mathcal{N}_i = \{ j : A_{ij} = 1 \}
\end{equation}
where $\mathbf{h}_j \in \mathbb{R}^F$ and $\mathbf{W} \in \mathbb{R}^{F' \times F}$.
""",
    source="Kipf, Welling, 2017; mean aggregation as papers on graph networks print it",
    W=lambda r: normal(r, 3, 2),
    h=lambda r: normal(r, 4, 2),
    A=lambda r: np.array([[0.0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 1, 1], [0, 1, 1, 0]]),
)
def mean_of_neighbours(W, h, A):
    out = np.zeros((4, 3))
    for i in range(4):
        near = [j for j in range(4) if A[i, j] == 1]
        out[i] = np.tanh(sum(W @ h[j] for j in near) / len(near))
    return out


@formula(
    r"""
\begin{equation}
\operatorname{PN}(x_{i}) = s \cdot \frac{x_i - \bar{x}}{\sqrt{\frac{1}{n}\sum_{k=1}^{n}\|x_k - \bar{x}\|_2^2}}, \qquad \bar{x} = \frac1n \sum_{k=1}^n x_k, \qquad x_i \in \mathbb{R}^d
\end{equation}
""",
    source="Zhao, Akoglu, PairNorm: tackling oversmoothing in GNNs, 2020, equations 10 and 11",
    s="",
    x=lambda r: normal(r, 4, 3),
)
def pair_norm(s, x):
    c = x - x.mean(0)
    return s * c / np.sqrt((c**2).sum() / 4)


@formula(
    r"""
The magnetocrystalline energy with direction cosines $\alpha_1,\alpha_2,\alpha_3$ of grain $g$ is
\begin{equation}
E_g = K_1 \left( \alpha_{1g}^2 \alpha_{2g}^2 + \alpha_{2g}^2\alpha_{3g}^2 + \alpha_{3g}^2\alpha_{1g}^2 \right) + K_2\, \alpha_{1g}^2 \alpha_{2g}^2 \alpha_{3g}^2
\end{equation}
""",
    source="Cullity, Graham, Introduction to magnetic materials, 2009, equation 7.1",
    shapes=("base 1", "input K_1[], alpha[3, G], K_2[]"),
    K_1="",
    alpha=lambda r: normal(r, 3, 4),
    K_2="",
)
def cubic_anisotropy(K_1, alpha, K_2):
    a = alpha**2
    return K_1 * (a[0] * a[1] + a[1] * a[2] + a[2] * a[0]) + K_2 * a[0] * a[1] * a[2]


@formula(
    r"""
The retention curve of van Genuchten gives the saturation
\begin{equation}
\Theta_i = \left[ 1 + (\alpha |\psi_i|)^n \right]^{-(1 - 1/n)}, \qquad K_i = K_s \Theta_i^{1/2} \left[ 1 - \left( 1 - \Theta_i^{n/(n-1)} \right)^{1 - 1/n} \right]^2
\end{equation}
""",
    source="van Genuchten, A closed-form equation for predicting the hydraulic conductivity of unsaturated soils, 1980",
    output="K",
    alpha="",
    psi=lambda r: -r.uniform(0.5, 1.5, 4),
    n=lambda r: 1.7,
    K_s="",
)
def conductivity_curve(alpha, psi, n, K_s):
    m = 1 - 1 / n
    t = (1 + (alpha * abs(psi)) ** n) ** -m
    return K_s * t**0.5 * (1 - (1 - t ** (n / (n - 1))) ** m) ** 2


@formula(
    r"""
\begin{align}
q^{\mathcal{T}}_{ik} &= \frac{\exp(z^{\mathcal{T}}_{ik}/\tau)}{\sum_{l=1}^{K} \exp(z^{\mathcal{T}}_{il}/\tau)}, &
q^{\mathcal{S}}_{ik} &= \frac{\exp(z^{\mathcal{S}}_{ik}/\tau)}{\sum_{l=1}^{K} \exp(z^{\mathcal{S}}_{il}/\tau)}, \\
\mathcal{L}_{\mathrm{KD}} &= \frac{\tau^2}{N}\sum_{i=1}^{N}\sum_{k=1}^{K} q^{\mathcal{T}}_{ik} \log \frac{q^{\mathcal{T}}_{ik}}{q^{\mathcal{S}}_{ik}}
\end{align}
""",
    source="Hinton, Vinyals, Dean, Distilling the knowledge in a neural network, 2015; as papers that follow print it",
    z_T=lambda r: normal(r, 2, 3),
    tau="",
    z_S=lambda r: normal(r, 2, 3),
)
def distilled(z_T, tau, z_S):
    def soft(z):
        e = np.exp(z / tau)
        return e / e.sum(1, keepdims=True)

    t, s = soft(z_T), soft(z_S)
    return tau**2 / 2 * (t * np.log(t / s)).sum()


@formula(
    r"""
Colour difference is averaged over pixels with $\Delta L_p = L_p - L'_p$,
\begin{equation}
\overline{\Delta E} = \frac{1}{P} \sum_{p=1}^{P} \sqrt{ (\Delta L_p)^2 + (\Delta a_p)^2 + (\Delta b_p)^2 } .
\end{equation}
""",
    source="CIE 1976 colour difference; as papers on colour constancy print its mean",
    Delta_L=lambda r: normal(r, 4),
    Delta_a=lambda r: normal(r, 4),
    Delta_b=lambda r: normal(r, 4),
    leaves_open="one difference is defined, two are given",
)
def colour_difference_here(Delta_L, Delta_a, Delta_b):
    return np.sqrt(Delta_L**2 + Delta_a**2 + Delta_b**2).mean()


@formula(
    r"""
The spectral flatness of frame $t$ with power spectrum $S_{tf}$ is the ratio of means
\begin{equation}
\mathrm{SF}_t = \frac{\left( \prod_{f=1}^{F} S_{tf} \right)^{1/F}}{\frac{1}{F} \sum_{f=1}^{F} S_{tf}} .
\end{equation}
""",
    source="Gray, Markel, A spectral-flatness measure for studying the autocorrelation method, 1974",
    S="3 4",
)
def flatness_of_frames(S):
    return np.prod(S, 1) ** 0.25 / S.mean(1)


@formula(
    r"""
\begin{equation}
u_{ij} = \left[ \sum_{k=1}^{c} \left( \frac{ \| \mathbf{x}_i - \mathbf{v}_j \|^2 + \alpha\, \| \bar{\mathbf{x}}_i - \mathbf{v}_j \|^2 }{ \| \mathbf{x}_i - \mathbf{v}_k \|^2 + \alpha\, \| \bar{\mathbf{x}}_i - \mathbf{v}_k \|^2 } \right)^{\!1/(m-1)} \right]^{-1}
\end{equation}
where $\bar{\mathbf{x}}_i$ is the mean of the neighbours of pixel $i$ and is precomputed.
""",
    source="Chen, Zhang, Robust image segmentation using FCM with spatial constraints, 2004, equation 12",
    shapes=("input x[N, D], v[c, D], alpha[], x_bar[N, D], m[]",),
    x=lambda r: normal(r, 3, 2),
    v=lambda r: normal(r, 2, 2),
    alpha="",
    x_bar=lambda r: normal(r, 3, 2),
    m=lambda r: 2.5,
)
def spatial_memberships(x, v, alpha, x_bar, m):
    out = np.zeros((3, 2))
    for i in range(3):
        d = [((x[i] - w) ** 2).sum() + alpha * ((x_bar[i] - w) ** 2).sum() for w in v]
        for j in range(2):
            out[i, j] = 1 / sum((d[j] / d[k]) ** (1 / (m - 1)) for k in range(2))
    return out


@formula(
    r"""
Map similarity is quantified by the structure of local weights; Lee's $L$ reads
\begin{equation}
L_{X,Y} = \frac{n}{\sum_{i} \left( \sum_j w_{ij} \right)^2} \cdot \frac{ \sum_i \left[ \left( \sum_j w_{ij} (x_j - \bar{x}) \right) \cdot \left( \sum_j w_{ij} (y_j - \bar{y}) \right) \right] }{ \sqrt{\sum_i (x_i - \bar{x})^2} \sqrt{\sum_i (y_i - \bar{y})^2} }
\end{equation}
""",
    source="Lee, Developing a bivariate spatial association measure, 2001, equation 14",
    shapes=("size n", "input w[n, n], x[n], y[n]"),
    w="4 4",
    x=lambda r: normal(r, 4),
    y=lambda r: normal(r, 4),
)
def bivariate_association(w, x, y):
    a, b = x - x.mean(), y - y.mean()
    top = ((w @ a) * (w @ b)).sum()
    return 4 / (w.sum(1) ** 2).sum() * top / np.sqrt((a**2).sum()) / np.sqrt((b**2).sum())


@formula(
    r"""
With Hill-type regulation, mRNA levels of $G$ genes follow
\begin{equation}
\frac{d m_i}{dt} = \alpha_0 + \sum_{j=1}^{G} \alpha_{ij} \frac{p_j^{n}}{K_{ij}^{n} + p_j^{n}} - \delta_i m_i .
\end{equation}
""",
    source="Elowitz, Leibler, A synthetic oscillatory network, 2000; with activation",
    alpha_0="",
    alpha="3 3",
    p="3",
    n=lambda r: 2.0,
    K="3 3",
    delta="3",
    m="3",
    shapes=("input alpha_0[], alpha[G, G], p[G], n[], K[G, G], delta[G], m[G]",),
)
def regulated_genes(alpha_0, alpha, p, n, K, delta, m):
    out = np.zeros(3)
    for i in range(3):
        out[i] = alpha_0 - delta[i] * m[i]
        for j in range(3):
            out[i] += alpha[i, j] * p[j] ** n / (K[i, j] ** n + p[j] ** n)
    return out


@formula(
    r"""
The Nystr\"omformer iterates the pseudo-inverse by
\begin{equation}
Z_{j+1} = \frac{1}{4} Z_j \left( 13 I - A Z_j (15 I - A Z_j (7I - A Z_j)) \right)
\end{equation}
""",
    source="Xiong et al., Nystroemformer, 2021, equation 11",
    leaves_open="an iteration of matrices",
    A="3 3",
)
def inverse_iteration(A):
    return A


@formula(
    r"""
The CRPS of a Gaussian forecast, averaged over $n$ observations, uses standardised errors $z_i = (y_i - \mu_i)/\sigma_i$:
\begin{equation}
\overline{\mathrm{CRPS}} = \frac{1}{n} \sum_{i=1}^{n} \sigma_i \left[ z_i \left( 2\Phi(z_i) - 1 \right) + 2 \varphi(z_i) - \frac{1}{\sqrt{\pi}} \right]
\end{equation}
where $\varphi$ and $\Phi$ denote the density and the distribution function of the standard normal distribution.
""",
    source="Gneiting et al., Calibrated probabilistic forecasting using ensemble model output statistics, 2005, equation 5",
    y=lambda r: normal(r, 4),
    mu=lambda r: normal(r, 4),
    sigma="4",
)
def gaussian_scores(y, mu, sigma):
    from math import erf

    z = (y - mu) / sigma
    cdf = np.array([0.5 * (1 + erf(v / np.sqrt(2))) for v in z])
    pdf = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    return (sigma * (z * (2 * cdf - 1) + 2 * pdf - 1 / np.sqrt(np.pi))).mean()
