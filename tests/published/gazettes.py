"""Formulas of short communications: losses, orbits, tests, reactors, traffic and portfolios."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
The noisy-OR model gives the probability of a disease's finding as
\begin{equation}
P(f = 1 \mid d) = 1 - (1 - q_0) \prod_{i=1}^{n} (1 - q_i)^{d_i} .
\end{equation}
""",
    source="Pearl, Probabilistic reasoning in intelligent systems, 1988; as in Jaakkola, Jordan, 1999",
    shapes=("input q_0[], q[n], d[n]",),
    q_0=lambda r: 0.1,
    q=lambda r: r.uniform(0.1, 0.9, 4),
    d=lambda r: np.array([1.0, 0.0, 1.0, 1.0]),
)
def noisy_or(q_0, q, d):
    return 1 - (1 - q_0) * np.prod((1 - q) ** d)


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\begin{document}
We compute the Sinkhorn iterations with $K_{ij} = e^{-C_{ij}/\varepsilon}$,
\begin{equation}
u_i \leftarrow \frac{a_i}{\sum_{j=1}^{m} K_{ij} v_j}, \qquad i = 1, \dots, n .
\end{equation}
\end{document}
""",
    source="Cuturi, Sinkhorn distances, 2013, as later papers print it",
    a="3",
    C="3 4",
    v="4",
    varepsilon="",
)
def sinkhorn_scaling(a, C, v, varepsilon):
    return a / (np.exp(-C / varepsilon) @ v)


@formula(
    r"""
\begin{equation}
\mathcal{L}_{\mathrm{wBCE}} = -\frac{1}{N} \sum_{n=1}^{N} \left[ w\, y_n \log \hat{y}_n + (1 - y_n) \log (1 - \hat{y}_n) \right]
\end{equation}
""",
    source="Ronneberger-style weighted cross entropy, as papers on segmentation print it",
    w="",
    y="5",
    y_hat=lambda r: r.uniform(0.1, 0.9, 5),
)
def weighted_binary_entropy(w, y, y_hat):
    return -(w * y * np.log(y_hat) + (1 - y) * np.log(1 - y_hat)).mean()


@formula(
    r"""
Kepler's third law in the form of Newton, and the vis-viva equation:
\begin{align}
T^2 &= \frac{4\pi^2 a^3}{G(M + m)} \\
v^2 &= GM \left( \frac{2}{r} - \frac{1}{a} \right)
\end{align}
""",
    source="Murray, Dermott, Solar system dynamics, 1999, equations 2.22 and 2.34",
    output="v_squared",
    a="",
    G="",
    M="",
    m="",
    r="",
)
def vis_viva(a, G, M, m, r):
    return G * M * (2 / r - 1 / a)


@formula(
    r"""
The Friedman test statistic with ranks $r_{ij}$ of $k$ treatments in $n$ blocks is
\begin{equation}
Q = \frac{12}{n k (k+1)} \sum_{j=1}^{k} R_j^2 - 3 n (k+1), \qquad R_j = \sum_{i=1}^{n} r_{ij} .
\end{equation}
""",
    source="Friedman, The use of ranks, 1937; as in handbooks",
    output="Q",
    r=lambda r: np.array([[1.0, 2, 3], [2, 1, 3], [1, 3, 2], [1, 2, 3]]),
)
def friedman_ranks(r):
    return 12 / (4 * 3 * 4) * (r.sum(0) ** 2).sum() - 3 * 4 * 4


@formula(
    r"""
For a series of $N$ reactors the balance of component $j$ in tank $i$ is
\begin{equation}
V_i \frac{dC_{i,j}}{dt} = q \left( C_{i-1,j} - C_{i,j} \right) + V_i r_{i,j}, \qquad i = 1, \dots, N .
\end{equation}
""",
    source="Levenspiel, Chemical reaction engineering, 1999, tanks in series",
    shapes=("size N, M", "input V[N], C[N + 1, M], r[N, M], q[]"),
    q="",
    C="4 2",
    V="3",
    r="3 2",
)
def tanks_in_series(q, C, V, r):
    return (q * (C[:-1] - C[1:]) + V[:, None] * r) / V[:, None]


@formula(
    r"""
The BPR function for the travel time on link $a$ is
\begin{equation}
t_a(x_a) = t_{0,a} \left[ 1 + \alpha \left( \frac{x_a}{C_a} \right)^{\beta} \right]
\end{equation}
and the system cost is $Z = \sum_a x_a t_a(x_a)$.
""",
    source="Bureau of Public Roads, Traffic assignment manual, 1964",
    output="t",
    shapes=("size A", "input t_0[A], x[A], C[A], alpha[], beta[]"),
    t_0="4",
    alpha="",
    x="4",
    C="4",
    beta="",
)
def road_times(t_0, alpha, x, C, beta):
    return t_0 * (1 + alpha * (x / C) ** beta)


@formula(
    r"""
The marginal contribution of asset $i$ to the risk of the portfolio, and its share, are
\begin{equation}
\mathrm{MCR}_i = \frac{\sum_{j=1}^{N} \sigma_{ij} w_j}{\sigma_p}, \qquad
\mathrm{RC}_i = \frac{w_i \mathrm{MCR}_i}{\sigma_p}, \qquad \sigma_p = \sqrt{\sum_{i=1}^{N} \sum_{j=1}^{N} w_i w_j \sigma_{ij}} .
\end{equation}
""",
    source="Maillard, Roncalli, Teiletche, The properties of equally weighted risk contribution portfolios, 2010",
    output="RC",
    sigma=lambda r: np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 1.5]]),
    w="3",
)
def risk_contributions(sigma, w):
    v = w @ sigma @ w
    return w * (sigma @ w) / v


@formula(
    r"""
\begin{equation}
\hat{\beta}_{\mathrm{TSLS}} = \frac{\sum_{i=1}^{n} (z_i - \bar{z}) (y_i - \bar{y})}{\sum_{i=1}^{n} (z_i - \bar{z}) (x_i - \bar{x})}
\end{equation}
""",
    source="Wooldridge, Introductory econometrics, 2013, equation 15.10",
    z="6",
    y="6",
    x="6",
)
def instrument(z, y, x):
    return ((z - z.mean()) * (y - y.mean())).sum() / ((z - z.mean()) * (x - x.mean())).sum()


@formula(
    r"""
The Gaussian beam has the intensity
\begin{equation}
I(r, z) = I_0 \left( \frac{w_0}{w(z)} \right)^2 \exp\left( \frac{-2 r^2}{w(z)^2} \right), \quad w(z) = w_0 \sqrt{1 + \left( \frac{z}{z_{\mathrm R}} \right)^2}
\end{equation}
""",
    source="Siegman, Lasers, 1986; as in an encyclopedia",
    output="I",
    r="",
    z="",
    I_0="",
    w_0="",
    z_R="",
)
def gaussian_beam(r, z, I_0, w_0, z_R):
    w = w_0 * np.sqrt(1 + (z / z_R) ** 2)
    return I_0 * (w_0 / w) ** 2 * np.exp(-2 * r**2 / w**2)


@formula(
    r"""
The expected heterozygosity over $L$ loci with $k_l$ alleles each, here all with $k$, is
\begin{equation}
H_e = 1 - \frac{1}{L} \sum_{l=1}^{L} \sum_{i=1}^{k} p_{li}^2
\end{equation}
""",
    source="Nei, Analysis of gene diversity in subdivided populations, 1973, over loci",
    p="3 4",
)
def expected_heterozygosity(p):
    return 1 - (p**2).sum() / 3


@formula(
    r"""
\begin{equation}
\log_{10} \gamma_\pm = -\frac{A |z_+ z_-| \sqrt{I}}{1 + B a \sqrt{I}}, \qquad I = \frac{1}{2} \sum_{i=1}^{n} c_i z_i^2
\end{equation}
""",
    source="Debye, Hueckel, 1923, the extended law; as in textbooks",
    output="log10_gamma_pm",
    shapes=("input z_plus[], z_minus[], z[n], c[n], A[], B[], a[]",),
    A="",
    z_plus="",
    z_minus=lambda r: -1.0,
    B="",
    a="",
    c="3",
    z="3",
)
def extended_debye_hueckel(A, z_plus, z_minus, B, a, c, z):
    I = (c * z**2).sum() / 2
    return -A * abs(z_plus * z_minus) * np.sqrt(I) / (1 + B * a * np.sqrt(I))


@formula(
    r"""
The spectral rolloff and the centroid need the magnitudes $M_t[n]$; the bandwidth is
\begin{equation}
B_t = \sqrt{ \frac{\sum_{n=1}^{N} (n - C_t)^2 M_t[n]}{\sum_{n=1}^{N} M_t[n]} }, \qquad
C_t = \frac{\sum_{n=1}^{N} M_t[n] \cdot n}{\sum_{n=1}^{N} M_t[n]} .
\end{equation}
""",
    source="Tzanetakis and Cook, Musical genre classification of audio signals, 2002, equation 1, and the spread",
    output="B",
    shapes=("input M[T, N]",),
    M="3 5",
)
def spectral_bandwidth(M):
    n = np.arange(1, 6)
    C = (M * n).sum(1) / M.sum(1)
    return np.sqrt(((n - C[:, None]) ** 2 * M).sum(1) / M.sum(1))


@formula(
    r"""
For the truncated signed distance the fusion of frame $k$ is the running average
\begin{align}
F_k(\mathbf{p}) &= \frac{W_{k-1}(\mathbf{p}) F_{k-1}(\mathbf{p}) + w_k(\mathbf{p}) f_k(\mathbf{p})}{W_{k-1}(\mathbf{p}) + w_k(\mathbf{p})} \\
W_k(\mathbf{p}) &= W_{k-1}(\mathbf{p}) + w_k(\mathbf{p})
\end{align}
""",
    source="Newcombe et al., KinectFusion, 2011, equations 11 and 12",
    output="F_k",
    W="",
    F="",
    w="",
    f="",
)
def distance_fusion(W, F, w, f):
    return (W * F + w * f) / (W + w)


@formula(
    r"""
The hidden activations of a recurrent network of units $j$ are updated by
\begin{equation}
h_j(t) = \tanh\left( \sum_{i=1}^{n} W_{ji} x_i(t) + \sum_{k=1}^{m} V_{jk} h_k(t-1) \right)
\end{equation}
""",
    source="Elman, Finding structure in time, 1990, in elements",
    leaves_open="a loop over time with the time in brackets",
    W="3 2",
)
def elman_network(W):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
R_a = \frac{1}{n} \sum_{i=1}^{n} |y_i|, \quad R_q = \sqrt{\frac{1}{n} \sum_{i=1}^{n} y_i^2}, \quad R_{sk} = \frac{1}{n R_q^3} \sum_{i=1}^{n} y_i^3
\end{equation}
""",
    source="ISO 4287, 1997; as in an encyclopedia",
    output="R_sk",
    y=lambda r: normal(r, 6),
)
def surface_skewness(y):
    return (y**3).mean() / np.sqrt((y**2).mean()) ** 3


@formula(
    r"""
Contrast limited equalisation maps the grey level $k$ of an $M \times N$ image with $n_j$ pixels of level $j$ to
\begin{equation}
s_k = T(r_k) = (L - 1) \sum_{j=0}^{k} p_r(r_j) = \frac{L-1}{MN} \sum_{j=0}^{k} n_j, \qquad k = 0, 1, \ldots, L-1 .
\end{equation}
""",
    source="Gonzalez, Woods, Digital image processing, 2008, equation 3.3-8",
    output="s",
    shapes=("size L", "input n[L], M[], N[]"),
    n="6",
    M=lambda r: 4.0,
    N=lambda r: 5.0,
)
def equalised_levels(n, M, N):
    return 5 / (M * N) * np.cumsum(n)


@formula(
    r"""
\begin{equation}
\mathrm{wAIC}_i = \frac{\exp\left( -\frac{1}{2} \Delta_i \right)}{\sum_{r=1}^{R} \exp\left( -\frac{1}{2} \Delta_r \right)}, \qquad \Delta_i = \mathrm{AIC}_i - \min_r \mathrm{AIC}_r
\end{equation}
""",
    source="Burnham, Anderson, Model selection and multimodel inference, 2002, section 2.9",
    output="wAIC",
    AIC="4",
)
def akaike_weights(AIC):
    e = np.exp(-0.5 * (AIC - AIC.min()))
    return e / e.sum()


@formula(
    r"""
\begin{equation}
G_{12} = \frac{1}{2} \left( \frac{E_1 - E_2}{E_1 + E_2} \right) + \frac{\nu_{12} E_2}{E_1}
\end{equation}
""",
    source="a stiffness ratio, as papers on laminates print such things",
    E_1="",
    E_2="",
    nu_12="",
)
def laminate_ratio(E_1, E_2, nu_12):
    return (E_1 - E_2) / (E_1 + E_2) / 2 + nu_12 * E_2 / E_1


@formula(
    r"""
The discrete-time SIR model with births is
\begin{align*}
S_{t+1} &= S_t - \beta \frac{S_t I_t}{N} + \mu (N - S_t), \\
I_{t+1} &= I_t + \beta \frac{S_t I_t}{N} - (\gamma + \mu) I_t .
\end{align*}
""",
    source="Allen, Some discrete-time SI, SIR and SIS epidemic models, 1994",
    output="I_t_plus_1",
    S="",
    beta="",
    I="",
    N="",
    mu="",
    gamma="",
)
def discrete_epidemic(S, beta, I, N, mu, gamma):
    return I + beta * S * I / N - (gamma + mu) * I
