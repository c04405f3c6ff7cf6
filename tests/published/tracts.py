"""Formulas of papers and manuals: embeddings, power grids, tests of means, colour, ageing of neurons, markets and rivers."""

from __future__ import annotations

import math

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
\documentclass{article}
\usepackage{nips_2017}
\usepackage{amsmath,amssymb,bm}
\newcommand{\vu}{\bm{u}}
\newcommand{\vv}{\bm{v}}
\begin{document}
The distance between points $\vu, \vv \in \mathbb{R}^d$ of the ball is given as
\begin{equation}
d(\vu, \vv) = \operatorname{arcosh}\left( 1 + 2 \frac{\|\vu - \vv\|^2}{(1 - \|\vu\|^2)(1 - \|\vv\|^2)} \right) .
\end{equation}
\end{document}
""",
    source="Nickel, Kiela, Poincare embeddings for learning hierarchical representations, 2017, equation 1",
    u=lambda r: normal(r, 3) * 0.2,
    v=lambda r: normal(r, 3) * 0.2,
)
def poincare_distance(u, v):
    return np.arccosh(1 + 2 * ((u - v) ** 2).sum() / ((1 - u @ u) * (1 - v @ v)))


@formula(
    r"""
The unreduced loss can be described as:
\[
\ell(x, y) = L = \{l_1, \dots, l_N\}^\top, \quad
l_n = - w_{y_n} \log \frac{\exp(x_{n,y_n})}{\sum_{c=1}^{C} \exp(x_{n,c})}
\]
where $x$ is the input, $y$ is the target, $w$ is the weight, $C$ is the number of classes, and $N$ spans the minibatch dimension.
""",
    source="PyTorch documentation, CrossEntropyLoss",
    shapes=("size N, C", "input w[C], y[N]: index, x[N, C]"),
    w="4",
    y=lambda r: np.array([1, 4, 2]),
    x=lambda r: normal(r, 3, 4),
    output="l",
)
def weighted_cross_entropy(w, y, x):
    return np.array(
        [-w[y[n] - 1] * np.log(np.exp(x[n, y[n] - 1]) / np.exp(x[n]).sum()) for n in range(3)]
    )


@formula(
    r"""
Within the $i$-th run, we decay the learning rate with a cosine annealing for each batch as follows:
\begin{equation}
\eta_t = \eta^i_{min} + \frac{1}{2} (\eta^i_{max} - \eta^i_{min}) \left( 1 + \cos\left( \frac{T_{cur}}{T_i} \pi \right) \right),
\end{equation}
where $\eta^i_{min}$ and $\eta^i_{max}$ are ranges for the learning rate, and $T_{cur}$ accounts for how many epochs have been performed since the last restart.
""",
    source="Loshchilov, Hutter, SGDR: stochastic gradient descent with warm restarts, 2017, equation 5",
    leaves_open="the left side has a t, and the right side the run i",
    eta="3",
)
def cosine_annealing(eta):
    return np.zeros(3)


@formula(
    r"""
A radial basis function network computes
\begin{equation}
y(\mathbf{x}) = \sum_{k=1}^{K} w_k\, \phi\left( \| \mathbf{x} - \mathbf{c}_k \| \right), \qquad \phi(r) = e^{-(\varepsilon r)^2}
\end{equation}
with $\mathbf{x}, \mathbf{c}_k \in \mathbb{R}^d$.
""",
    source="Broomhead, Lowe, Radial basis functions, multi-variable functional interpolation and adaptive networks, 1988",
    x=lambda r: normal(r, 2),
    w=lambda r: normal(r, 4),
    c=lambda r: normal(r, 4, 2),
    varepsilon="",
)
def radial_network(x, w, c, varepsilon):
    return sum(w[k] * np.exp(-((varepsilon * np.linalg.norm(x - c[k])) ** 2)) for k in range(4))


@formula(
    r"""
SNE minimizes the sum of Kullback-Leibler divergences over all datapoints using a gradient descent method. The cost function $C$ is given by
\begin{equation}
C = \sum_i KL(P_i \| Q_i) = \sum_i \sum_j p_{j|i} \log \frac{p_{j|i}}{q_{j|i}},
\end{equation}
in which $P_i$ represents the conditional probability distribution over all other datapoints given datapoint $x_i$.
""",
    source="van der Maaten and Hinton, Visualizing data using t-SNE, 2008, equation 2",
    shapes=("size N", "input p[N, N], q[N, N]"),
    p="4 4",
    q="4 4",
)
def sne_cost(p, q):
    return (p * np.log(p / q)).sum()


@formula(
    r"""
We define the joint probability between vertex $v_i$ and $v_j$ as follows:
\begin{equation}
p_1(v_i, v_j) = \frac{1}{1 + \exp(-\vec{u}_i^{\,T} \cdot \vec{u}_j)},
\end{equation}
where $\vec{u}_i \in \mathbb{R}^d$ is the low-dimensional vector representation of vertex $v_i$.
""",
    source="Tang et al., LINE: large-scale information network embedding, 2015, equation 1",
    shapes=("size N, d", "input u[N, d]"),
    u=lambda r: normal(r, 4, 3),
)
def line_first_order(u):
    return 1 / (1 + np.exp(-u @ u.T))


@formula(
    r"""
\begin{align}
p(\mathbf{t} \mid \mathbf{x}) &= \sum_{i=1}^{m} \alpha_i(\mathbf{x})\, \phi_i(\mathbf{t} \mid \mathbf{x}), \\
\phi_i(\mathbf{t} \mid \mathbf{x}) &= \frac{1}{(2\pi)^{c/2} \sigma_i(\mathbf{x})^c} \exp\left\{ - \frac{\|\mathbf{t} - \boldsymbol{\mu}_i(\mathbf{x})\|^2}{2 \sigma_i(\mathbf{x})^2} \right\}
\end{align}
with targets $\mathbf{t} \in \mathbb{R}^c$.
""",
    source="Bishop, Mixture density networks, 1994, equations 22 and 23",
    shapes=("size m, c", "input t[c], alpha[m], sigma[m], mu[m, c]"),
    t=lambda r: normal(r, 2),
    alpha="3",
    sigma="3",
    mu=lambda r: normal(r, 3, 2),
    output="p",
)
def mixture_density(t, alpha, sigma, mu):
    return sum(
        alpha[i]
        / ((2 * np.pi) ** 1 * sigma[i] ** 2)
        * np.exp(-((t - mu[i]) ** 2).sum() / (2 * sigma[i] ** 2))
        for i in range(3)
    )


@formula(
    r"""
Gini's mean difference is
\[ g = \frac{1}{n(n-1)} \sum_{i=1}^{n} \sum_{j=1}^{n} |x_i - x_j| . \]
""",
    source="David, Gini's mean difference rediscovered, 1968",
    x=lambda r: normal(r, 5),
)
def gini_mean_difference(x):
    return sum(abs(a - b) for a in x for b in x) / 20


@formula(
    r"""
The Dirichlet distribution of order $K \ge 2$ with parameters $\alpha_1, \ldots, \alpha_K > 0$ has a probability density function
\[
f(x_1, \ldots, x_K; \alpha_1, \ldots, \alpha_K) = \frac{1}{\mathrm{B}(\boldsymbol{\alpha})} \prod_{i=1}^{K} x_i^{\alpha_i - 1}
\]
where the normalizing constant is the multivariate beta function,
\[
\mathrm{B}(\boldsymbol{\alpha}) = \frac{\prod_{i=1}^{K} \Gamma(\alpha_i)}{\Gamma\left( \sum_{i=1}^{K} \alpha_i \right)} .
\]
""",
    source="Kotz, Balakrishnan, Johnson, Continuous multivariate distributions, 2000; as in an encyclopedia",
    x="3",
    alpha="3",
    output="f",
)
def dirichlet_density(x, alpha):
    B = math.prod(map(math.gamma, alpha)) / math.gamma(alpha.sum())
    return np.prod(x ** (alpha - 1)) / B


@formula(
    r"""
The trend test statistic is
\[
T \equiv \sum_{i=1}^{k} t_i (N_{1i} R_2 - N_{2i} R_1),
\]
where the $t_i$ are weights, and the difference $N_{1i} R_2 - N_{2i} R_1$ can be seen as the difference between $N_{1i}$ and $N_{2i}$ after reweighting the rows to have the same total.
""",
    source="Armitage, Tests for linear trends in proportions and frequencies, 1955; as in an encyclopedia",
    shapes=("size k", "input t[k], N_1[k], N_2[k], R_1[], R_2[]"),
    t="4",
    N_1="4",
    N_2="4",
    R_1="",
    R_2="",
)
def trend_test(t, N_1, N_2, R_1, R_2):
    return sum(t[i] * (N_1[i] * R_2 - N_2[i] * R_1) for i in range(4))


@formula(
    r"""
The formula for the one-way ANOVA F-test statistic is $F = \text{explained variance} / \text{unexplained variance}$. The ``explained variance'' is
\[
B = \sum_{i=1}^{K} n_i (\bar{Y}_{i\cdot} - \bar{Y})^2 / (K-1)
\]
where $\bar{Y}_{i\cdot}$ denotes the sample mean in the $i$-th group, and $\bar{Y}$ denotes the overall mean of the data.
""",
    source="Fisher, Statistical methods for research workers, 1925; as in an encyclopedia",
    shapes=("size K", "input n[K], Y_bar_dot2[K], Y_bar[]"),
    n="3",
    Y_bar_dot2="3",
    Y_bar="",
)
def explained_variance(n, Y_bar_dot2, Y_bar):
    return sum(n[i] * (Y_bar_dot2[i] - Y_bar) ** 2 for i in range(3)) / 2


@formula(
    r"""
\begin{equation}
\bar{n}_i = \frac{1}{e^{(\varepsilon_i - \mu)/k_{\mathrm B} T} + 1}
\end{equation}
""",
    source="Dirac, On the theory of quantum mechanics, 1926; as in an encyclopedia",
    leaves_open="k_B T below a slash",
    varepsilon="4",
)
def fermi_dirac(varepsilon):
    return np.zeros(4)


@formula(
    r"""
The form of the potential, in terms of the distance $r$ from the center of nucleus, is:
\[
V(r) = - \frac{V_0}{1 + \exp\left( \frac{r-R}{a} \right)}
\]
where $V_0$ represents the potential well depth, $a$ is a length representing the ``surface thickness'' of the nucleus, and $R = r_0 A^{1/3}$ is the nuclear radius.
""",
    source="Woods, Saxon, Diffuse surface optical model for nucleon-nuclei scattering, 1954; as in an encyclopedia",
    r="",
    r_0="",
    A="",
    V_0="",
    a="",
)
def woods_saxon(r, r_0, A, V_0, a):
    return -V_0 / (1 + np.exp((r - r_0 * A ** (1 / 3)) / a))


@formula(
    r"""
The Sersic profile has the form
\begin{equation}
I(R) = I_e \exp\left\{ -b_n \left[ \left( \frac{R}{R_e} \right)^{1/n} - 1 \right] \right\}
\end{equation}
where $I_e$ is the intensity at the half-light radius $R_e$.
""",
    source="Sersic, Influence of the atmospheric and instrumental dispersion, 1963; as in an encyclopedia",
    R="",
    I_e="",
    b_n="",
    R_e="",
    n="",
)
def sersic_profile(R, I_e, b_n, R_e, n):
    return I_e * np.exp(-b_n * ((R / R_e) ** (1 / n) - 1))


@formula(
    r"""
The real and the reactive power balance at each bus are
\begin{align}
P_i &= \sum_{k=1}^{N} |V_i| |V_k| (G_{ik} \cos\theta_{ik} + B_{ik} \sin\theta_{ik}) \\
Q_i &= \sum_{k=1}^{N} |V_i| |V_k| (G_{ik} \sin\theta_{ik} - B_{ik} \cos\theta_{ik})
\end{align}
where $G_{ik}$ is the real part of the element in the bus admittance matrix, and $\theta_{ik} = \theta_i - \theta_k$ is the difference in voltage angle between the buses.
""",
    source="Grainger, Stevenson, Power system analysis, 1994; as in an encyclopedia",
    output="Q",
    V="4",
    G="4 4",
    B="4 4",
    theta=lambda r: normal(r, 4),
)
def power_flow(V, G, B, theta):
    Q = np.zeros(4)
    for i in range(4):
        for k in range(4):
            t = theta[i] - theta[k]
            Q[i] += abs(V[i]) * abs(V[k]) * (G[i, k] * np.sin(t) - B[i, k] * np.cos(t))
    return Q


@formula(
    r"""
\begin{equation}
V = \frac{k}{n} R_h^{2/3} S^{1/2}
\end{equation}
where $V$ is the cross-sectional average velocity, $n$ is the Gauckler--Manning coefficient, $R_h$ is the hydraulic radius, and $S$ is the stream slope.
""",
    source="Manning, On the flow of water in open channels and pipes, 1891; as in an encyclopedia",
    k="",
    n="",
    R_h="",
    S="",
)
def manning(k, n, R_h, S):
    return k / n * R_h ** (2 / 3) * S**0.5


@formula(
    r"""
\begin{equation}
A(\lambda_j) = \ell \sum_{i=1}^{N} \varepsilon_i(\lambda_j)\, c_i
\end{equation}
is the absorbance of a mixture at the wavelengths $\lambda_j$.
""",
    source="Beer, Bestimmung der Absorption des rothen Lichts, 1852; as in textbooks on spectroscopy",
    shapes=("input varepsilon[N, M], c[N], ell[]",),
    ell="",
    varepsilon="3 5",
    c="3",
)
def absorbance(ell, varepsilon, c):
    return ell * (c @ varepsilon)


@formula(
    r"""
\begin{align*}
X &= k \sum_{\lambda} S(\lambda) R(\lambda)\, \bar{x}(\lambda)\, \Delta\lambda \\
Y &= k \sum_{\lambda} S(\lambda) R(\lambda)\, \bar{y}(\lambda)\, \Delta\lambda \\
Z &= k \sum_{\lambda} S(\lambda) R(\lambda)\, \bar{z}(\lambda)\, \Delta\lambda, \qquad
k = \frac{100}{\sum_{\lambda} S(\lambda)\, \bar{y}(\lambda)\, \Delta\lambda}
\end{align*}
""",
    source="Wyszecki, Stiles, Color science, 2000, equations 1(3.3.8)",
    output="Z",
    S="6",
    R="6",
    x_bar="6",
    y_bar="6",
    z_bar="6",
    Delta_lambda="",
)
def tristimulus(S, R, x_bar, y_bar, z_bar, Delta_lambda):
    return 100 / (S * y_bar * Delta_lambda).sum() * (S * R * z_bar * Delta_lambda).sum()


@formula(
    r"""
\[
C_\mathrm{srgb} = \begin{cases}
12.92\, C_\mathrm{linear}, & C_\mathrm{linear} \le 0.0031308 \\[5mu]
1.055\, C_\mathrm{linear}^{1/2.4} - 0.055, & C_\mathrm{linear} > 0.0031308
\end{cases}
\]
""",
    source="IEC 61966-2-1, 1999; as in an encyclopedia",
    C_linear=lambda r: 0.4,
)
def srgb_transfer(C_linear):
    return 12.92 * C_linear if C_linear <= 0.0031308 else 1.055 * C_linear ** (1 / 2.4) - 0.055


@formula(
    r"""
\begin{align}
\alpha_o &= \alpha_a + \alpha_b (1 - \alpha_a) \\
C_o &= \frac{C_a \alpha_a + C_b \alpha_b (1 - \alpha_a)}{\alpha_o}
\end{align}
Here $C_o$, $C_a$ and $C_b$ stand for the color components of the pixels in the result, image A and image B, respectively.
""",
    source="Porter, Duff, Compositing digital images, 1984; as in an encyclopedia",
    output="C_o",
    alpha_a="",
    alpha_b="",
    C_a="",
    C_b="",
)
def alpha_over(alpha_a, alpha_b, C_a, C_b):
    return (C_a * alpha_a + C_b * alpha_b * (1 - alpha_a)) / (alpha_a + alpha_b * (1 - alpha_a))


@formula(
    r"""
\begin{equation}
\mathrm{TE} = \sqrt{ \frac{1}{N-1} \sum_{i=1}^{N} (R_{P,i} - R_{B,i})^2 }
\end{equation}
where $R_P$ are the returns of the portfolio and $R_B$ those of the benchmark.
""",
    source="Grinold, Kahn, Active portfolio management, 1999; as in handbooks",
    R_P="6",
    R_B="6",
)
def tracking_error(R_P, R_B):
    return np.sqrt(((R_P - R_B) ** 2).sum() / 5)


@formula(
    r"""
\documentclass{article}
\begin{document}
The zero-coupon yield of maturity $m$ is
\begin{equation}
\begin{split}
y(m) = \beta_0 &+ \beta_1 \frac{1 - \exp(-m/\tau_1)}{m/\tau_1} + \beta_2 \left[ \frac{1 - \exp(-m/\tau_1)}{m/\tau_1} - \exp\left(-\frac{m}{\tau_1}\right) \right] \\
&+ \beta_3 \left[ \frac{1 - \exp(-m/\tau_2)}{m/\tau_2} - \exp\left(-\frac{m}{\tau_2}\right) \right] .
\end{split}
\end{equation}
\end{document}
""",
    source="Svensson, Estimating and interpreting forward interest rates, 1994, for yields",
    m="",
    beta_0="",
    beta_1="",
    tau_1="",
    beta_2="",
    beta_3="",
    tau_2="",
)
def svensson_yield(m, beta_0, beta_1, tau_1, beta_2, beta_3, tau_2):
    def load(t):
        return (1 - np.exp(-m / t)) / (m / t)

    return (
        beta_0
        + beta_1 * load(tau_1)
        + beta_2 * (load(tau_1) - np.exp(-m / tau_1))
        + beta_3 * (load(tau_2) - np.exp(-m / tau_2))
    )


@formula(
    r"""
The Stone--Geary utility function is
\begin{equation}
U = \prod_{i} (q_i - \gamma_i)^{\beta_i}
\end{equation}
and the demand functions of the linear expenditure system are
\begin{equation}
q_i = \gamma_i + \frac{\beta_i}{p_i} \Big( y - \sum_j \gamma_j p_j \Big) .
\end{equation}
""",
    source="Geary, A note on a constant utility index of the cost of living, 1950; as in an encyclopedia",
    output="U",
    gamma=lambda r: r.uniform(0.1, 0.2, 3),
    beta="3",
    p="3",
    y=lambda r: 5.0,
)
def stone_geary(gamma, beta, p, y):
    q = gamma + beta / p * (y - gamma @ p)
    return np.prod((q - gamma) ** beta)


@formula(
    r"""
\begin{equation}
j = j_0 \cdot \left\{ \exp\left[ \frac{\alpha_{\mathrm a} z F}{R T} \eta \right] - \exp\left[ - \frac{\alpha_{\mathrm c} z F}{R T} \eta \right] \right\}
\end{equation}
where $j$ is the electrode current density, $j_0$ the exchange current density and $\eta$ the activation overpotential.
""",
    source="Bard, Faulkner, Electrochemical methods, 2001; as in an encyclopedia",
    j_0="",
    alpha_a="",
    z="",
    F="",
    R="",
    T="",
    eta="",
    alpha_c="",
)
def butler_volmer(j_0, alpha_a, z, F, R, T, eta, alpha_c):
    return j_0 * (
        np.exp(alpha_a * z * F / (R * T) * eta) - np.exp(-alpha_c * z * F / (R * T) * eta)
    )


@formula(
    r"""
The off-diagonal Hamiltonian matrix elements are given by an approximation due to Wolfsberg and Helmholz,
\begin{equation}
H_{ij} = K S_{ij} \frac{H_{ii} + H_{jj}}{2}
\end{equation}
where $K$ is the Wolfsberg--Helmholz constant, and is usually given a value of 1.75.
""",
    source="Hoffmann, An extended Hueckel theory, 1963; as in an encyclopedia",
    leaves_open="the diagonal is given, the rest is defined, under one name",
    K="",
    S="3 3",
)
def extended_hueckel(K, S):
    return np.zeros((3, 3))


@formula(
    r"""
\[
\log_{10} p = A - \frac{B}{C + T}
\]
where $p$ is the vapor pressure and $T$ is temperature.
""",
    source="Antoine, Tensions des vapeurs, 1888; as in an encyclopedia",
    output="log10_p",
    A="",
    B="",
    C="",
    T="",
)
def antoine(A, B, C, T):
    return A - B / (C + T)


@formula(
    r"""
\begin{equation}
g(t) = \bar{g} \sum_{f=1}^{F} \frac{t - t_f}{\tau} \exp\left( 1 - \frac{t - t_f}{\tau} \right) \Theta(t - t_f)
\end{equation}
where $\Theta$ is the Heaviside step function.
""",
    source="Gerstner, Kistler, Spiking neuron models, 2002, equation 2.29 as an alpha function",
    shapes=("input t[], t_f[F], g_bar[], tau[]",),
    t=lambda r: 1.3,
    g_bar="",
    t_f=lambda r: np.array([0.2, 0.9, 1.8]),
    tau="",
)
def alpha_synapse(t, g_bar, t_f, tau):
    return g_bar * sum((t - s) / tau * np.exp(1 - (t - s) / tau) for s in t_f if t > s)


@formula(
    r"""
The score of a sequence $x$ of length $L$ is
\begin{equation}
S(x) = \sum_{j=1}^{L} \log_2 \frac{p_{x_j, j}}{b_{x_j}}
\end{equation}
where $p_{a,j}$ is the frequency of the base $a$ at position $j$, and $b_a$ is its background frequency.
""",
    source="Stormo, Schneider, Gold, Quantitative analysis of the relationship between nucleotide sequence and functional activity, 1986",
    shapes=("size L, A", "input p[A, L], b[A], x[L]: index"),
    p="4 5",
    b="4",
    x=lambda r: np.array([1, 3, 4, 2, 3]),
)
def sequence_score(p, b, x):
    return sum(np.log2(p[x[j] - 1, j] / b[x[j] - 1]) for j in range(5))


@formula(
    r"""
\begin{equation}
\mathrm{CAI} = \exp\left( \frac{1}{L} \sum_{k=1}^{L} \ln w_k \right)
\end{equation}
where $w_k$ is the relative adaptiveness of the $k$th codon, and $L$ the number of codons.
""",
    source="Sharp, Li, The codon adaptation index, 1987, equation 7",
    w="6",
)
def codon_adaptation(w):
    return np.exp(np.log(w).mean())


@formula(
    r"""
The LOD score is calculated as follows:
\begin{equation}
\mathrm{LOD} = Z = \log_{10} \frac{(1-\theta)^{NR} \times \theta^R}{0.5^{(NR+R)}}
\end{equation}
NR denotes the number of non-recombinant offspring, and R denotes the number of recombinant offspring.
""",
    source="Morton, Sequential tests for the detection of linkage, 1955; as in an encyclopedia",
    theta=lambda r: 0.2,
    NR=lambda r: 7.0,
    R=lambda r: 2.0,
)
def lod_score(theta, NR, R):
    return np.log10((1 - theta) ** NR * theta**R / 0.5 ** (NR + R))


@formula(
    r"""
The error probability of the users $b$ is
\begin{equation}
P_b = Q\left( \sqrt{\frac{2 E_b}{N_0}} \right), \qquad Q(x) = \frac{1}{2} \operatorname{erfc}\left( \frac{x}{\sqrt{2}} \right)
\end{equation}
""",
    source="Proakis, Salehi, Digital communications, 2008, equations 2.3-15 and 4.3-13",
    output="P",
    E="3",
    N_0="",
)
def bit_errors(E, N_0):
    return [math.erfc(np.sqrt(2 * e / N_0) / np.sqrt(2)) / 2 for e in E]


@formula(
    r"""
The simple form is
\begin{equation}
\frac{P_r}{P_t} = D_t D_r \left( \frac{\lambda}{4 \pi d} \right)^2
\end{equation}
""",
    source="Friis, A note on a simple transmission formula, 1946; as in an encyclopedia",
    D_t="",
    D_r="",
    _lambda="",
    d="",
)
def friis(D_t, D_r, _lambda, d):
    return D_t * D_r * (_lambda / (4 * np.pi * d)) ** 2


@formula(
    r"""
The mean square of the filtered signal of each channel in an interval is measured as
\begin{equation}
z_i = \frac{1}{T} \sum_{t=1}^{T} y_i^2(t)
\end{equation}
where $y_i$ is the input signal. The loudness is
\begin{equation}
L_K = -0.691 + 10 \log_{10} \sum_i G_i \cdot z_i
\end{equation}
where the $G_i$ are the weightings of the individual channels.
""",
    source="ITU-R BS.1770-4, 2015, equations 1 and 2, in discrete time",
    shapes=("size C, T", "input y[C, T], G[C]"),
    output="L_K",
    y=lambda r: normal(r, 3, 8),
    G="3",
)
def loudness(y, G):
    return -0.691 + 10 * np.log10(sum(G[i] * (y[i] ** 2).mean() for i in range(3)))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\Kv}{K_{\!\text{v}}}
\begin{document}
For the moving least squares fit at $\mathbf{x}$ the moment matrix is
\begin{equation}
M_{kl} = \sum_{i=1}^{N} \theta(s_i)\, b_{ik}\, b_{il}, \qquad s_i = \|\mathbf{x} - \mathbf{x}_i\| / h,
\end{equation}
with the weight function $\theta(s) = (1-s)^4 (4s + 1)$ and $\mathbf{x}, \mathbf{x}_i \in \mathbb{R}^3$.
\end{document}
""",
    source="Nealen, An as-short-as-possible introduction to the least squares methods, 2004, with Wendland's function",
    shapes=("size N, K", "input b[N, K], h[]"),
    output="M",
    b=lambda r: normal(r, 5, 2),
    x=lambda r: normal(r, 3),
    x_i=lambda r: normal(r, 5, 3),
    h=lambda r: 10.0,
)
def moving_least_squares(b, x, x_i, h):
    M = np.zeros((2, 2))
    for i in range(5):
        s = np.linalg.norm(x - x_i[i]) / h
        M += (1 - s) ** 4 * (4 * s + 1) * np.outer(b[i], b[i])
    return M


@formula(
    r"""
\begin{equation}
a_i = \frac{1}{1 + \exp\left( -\sum_{j=1}^{n} w_{ij} x_j + \vartheta_i \right)}, \qquad E = \frac{1}{2} \sum_{i=1}^{m} (t_i - a_i)^2
\end{equation}
""",
    source="Rumelhart, Hinton, Williams, Learning representations by back-propagating errors, 1986, with thresholds",
    output="E",
    w=lambda r: normal(r, 3, 4),
    x=lambda r: normal(r, 4),
    vartheta="3",
    t="3",
)
def sigmoid_layer(w, x, vartheta, t):
    a = 1 / (1 + np.exp(-(w @ x) + vartheta))
    return ((t - a) ** 2).sum() / 2


@formula(
    r"""
\documentclass{article}
\usepackage{icml2021,amsmath,amssymb}
\DeclareMathOperator{\sg}{sg}
\newcommand{\norm}[1]{\left\lVert#1\right\rVert}
\begin{document}
Given features $\mathbf{h}_i \in \mathbb{R}^{d}$, coefficients between nodes are normalised across all choices of $j$, and heads are averaged:
\begin{equation}
\alpha_{ij}^{k} = \frac{\exp(e_{ij}^{k})}{\sum_{l=1}^{N} \exp(e_{il}^{k})}, \qquad
\mathbf{h}'_i = \tanh\left( \frac{1}{K} \sum_{k=1}^{K} \sum_{j=1}^{N} \alpha_{ij}^{k} \mathbf{W}^{k} \mathbf{h}_j \right)
\end{equation}
\end{document}
""",
    source="Velickovic et al., Graph attention networks, 2018, equation 6 on a complete graph, with another nonlinearity",
    shapes=("upper", "size N, K, d, D", "input e[N, N, K], W[K, D, d], h[N, d]"),
    output="h_prime",
    e=lambda r: normal(r, 3, 3, 2),
    W=lambda r: normal(r, 2, 4, 3),
    h=lambda r: normal(r, 3, 3),
)
def averaged_heads(e, W, h):
    a = np.exp(e) / np.exp(e).sum(1, keepdims=True)
    return np.tanh(np.einsum("ijk,kod,jd->io", a, W, h) / 2)


@formula(
    r"""
\begin{equation}
\hat{y}_{t+h|t} = \sum_{j=0}^{t-1} \alpha (1-\alpha)^j y_{t-j} + (1-\alpha)^t \ell_0
\end{equation}
""",
    source="Hyndman, Athanasopoulos, Forecasting: principles and practice, 2018, section 7.1",
    leaves_open="the forecast has the horizon in its name and not in its value, and starts at 1",
    y="5",
)
def exponential_smoothing(y):
    return np.zeros(5)


@formula(
    r"""
The joint entropy and the normalised mutual information of labels with the contingency table $n_{ij}$, $N = \sum_{ij} n_{ij}$, are
\begin{equation}
H(U, V) = -\sum_{i=1}^{R} \sum_{j=1}^{C} \frac{n_{ij}}{N} \log \frac{n_{ij}}{N}, \qquad
I(U, V) = \sum_{i=1}^{R} \sum_{j=1}^{C} \frac{n_{ij}}{N} \log \frac{n_{ij}/N}{a_i b_j / N^2}
\end{equation}
where $a_i = \sum_{j=1}^{C} n_{ij}$ and $b_j = \sum_{i=1}^{R} n_{ij}$ are the sums of its rows and columns.
""",
    source="Vinh, Epps, Bailey, Information theoretic measures for clusterings comparison, 2010, section 2.2",
    output="I",
    n="3 4",
)
def clustering_information(n):
    N = n.sum()
    a, b = n.sum(1), n.sum(0)
    return sum(
        n[i, j] / N * np.log(n[i, j] / N / (a[i] * b[j] / N**2)) for i in range(3) for j in range(4)
    )


@formula(
    r"""
\begin{equation}
\mathbf{v}_i = \sum_{j \neq i} \frac{\Gamma_j}{2\pi} \frac{\hat{\mathbf{z}} \times (\mathbf{x}_i - \mathbf{x}_j)}{|\mathbf{x}_i - \mathbf{x}_j|^2 + \delta^2}
\end{equation}
""",
    source="Krasny, Desingularization of periodic vortex sheet roll-up, 1986, in vectors",
    leaves_open="a cross product with a unit vector",
    Gamma="4",
)
def vortex_blobs(Gamma):
    return np.zeros((4, 2))


@formula(
    r"""
The average of the stress over the bonds of a particle packing is
\begin{equation}
\sigma_{\alpha\beta} = \frac{1}{V} \sum_{c=1}^{N_c} f_\alpha^c\, l_\beta^c
\end{equation}
where $f_\alpha^c$ is the force at the contact $c$, and $l_\beta^c$ the branch vector.
""",
    source="Christoffersen, Mehrabadi, Nemat-Nasser, A micromechanical description of granular material behavior, 1981",
    shapes=("upper", "size D", "input f[D, N_c], l[D, N_c], V[]"),
    V="",
    f=lambda r: normal(r, 3, 6),
    l=lambda r: normal(r, 3, 6),
)
def granular_stress(V, f, l):
    return f @ l.T / V
