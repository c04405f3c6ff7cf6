"""Formulas with what their authors say around them: finance, ecology, speech, climate, games, networks and others."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal


@formula(
    r"""
We follow by including a relative position bias $B \in \mathbb{R}^{M^2 \times M^2}$ to each head in computing similarity:
\begin{equation}
    \text{Attention}(Q, K, V) = \text{SoftMax}(QK^T/\sqrt{d}+B)V,
\end{equation}
where $Q, K, V \in \mathbb{R}^{M^2\times d}$ are the \emph{query}, \emph{key} and \emph{value} matrices; $d$ is the \emph{query}/\emph{key}
dimension, and $M^2$ is the number of patches in a window.
""",
    source="Liu et al., Swin transformer, 2021, equation 4",
    sizes={"M": 2},
    Q="4 3",
    K="4 3",
    V="4 3",
    B="4 4",
)
def swin_attention(Q, K, V, B):
    s = Q @ K.T / np.sqrt(3) + B
    e = np.exp(s)
    return e / e.sum(1, keepdims=True) @ V


@formula(
    r"""
The heat index is the sum of the 12 monthly values,
\begin{equation}
I = \sum_{i=1}^{12} \left( \frac{T_{m_i}}{5} \right)^{1.514},
\end{equation}
where $T_{m_i}$ is the mean monthly temperature in degrees Celsius.
""",
    source="Thornthwaite, An approach toward a rational classification of climate, 1948; as in an encyclopedia",
    shapes=("input T_m[12]",),
    T_m="12",
)
def heat_index(T_m):
    return ((T_m / 5) ** 1.514).sum()


@formula(
    r"""
The mean absolute scaled error is
$$
\mathrm{MASE} = \frac{\frac{1}{J}\sum_{j}\left| e_j \right|}{\frac{1}{T-1}\sum_{t=2}^T \left| Y_t-Y_{t-1}\right|}
$$
where the numerator $e_j$ is the forecast error for a given period (with $J$, the number of forecasts), defined as the actual value minus the
forecast value for that period.
""",
    source="Hyndman, Koehler, Another look at measures of forecast accuracy, 2006; as in an encyclopedia",
    J=lambda r: 4.0,
    e=lambda r: normal(r, 4),
    Y="6",
)
def scaled_error(J, e, Y):
    return abs(e).sum() / J / abs(np.diff(Y)).mean()


@formula(
    r"""
the corresponding approximation to $F_\beta(\mathbf{x},\alpha)$ is
\begin{equation}
\tilde F_\beta(\mathbf{x},\alpha) = \alpha + \frac{1}{q(1-\beta)} \sum_{k=1}^{q} \left[ -\mathbf{x}^T \mathbf{y}_k - \alpha \right]^+ .
\end{equation}
""",
    source="Rockafellar, Uryasev, Optimization of conditional value-at-risk, 2000, equation 17",
    shapes=("input y[q, n], x[n]",),
    x=lambda r: normal(r, 3),
    alpha="",
    beta=lambda r: 0.9,
    y=lambda r: normal(r, 5, 3),
)
def value_at_risk(x, alpha, beta, y):
    return alpha + sum(max(-x @ y[k] - alpha, 0) for k in range(5)) / (5 * (1 - beta))


@formula(
    r"""
A joint configuration, $({\bf v},{\bf h})$ of the visible and hidden units has an energy (Hopfield, 1982) given by:
\begin{equation}
E({\bf v},{\bf h}) = -\sum_{i\in\textrm{visible}} a_i v_i - \sum_{j\in\textrm{hidden}} b_j h_j - \sum_{i,j} v_i h_j w_{ij}
\end{equation}
where $v_i,h_j$ are the binary states of visible unit $i$ and hidden unit $j$, $a_i,b_j$ are their biases and $w_{ij}$ is the weight between
them.
""",
    source="Hinton, A practical guide to training restricted Boltzmann machines, 2010, equation 1",
    a="3",
    v="3",
    b="4",
    h="4",
    w="3 4",
)
def boltzmann_machine(a, v, b, h, w):
    return -(a @ v) - b @ h - v @ w @ h


@formula(
    r"""
\begin{subequations}
\begin{align}
\overline{a}_{ij} &= \frac{\displaystyle\sum_{t=1}^{T-1} \xi_t(i,j)}{\displaystyle\sum_{t=1}^{T-1} \gamma_t(i)}
\end{align}
\end{subequations}
with $\gamma_t(i) = \sum_{j=1}^{N} \xi_t(i,j)$.
""",
    source="Rabiner, A tutorial on hidden Markov models, 1989, equations 38 and 40b",
    shapes=("input xi[T-1, N, N]",),
    output="a_bar",
    xi="4 3 3",
)
def reestimated_transitions(xi):
    return xi.sum(0) / xi.sum((0, 2))[:, None]


@formula(
    r"""
\begin{equation}
\boldsymbol{\Sigma}_k = \frac{1}{N_k} \sum_{n=1}^{N} \gamma(z_{nk}) (\mathbf{x}_n - \boldsymbol{\mu}_k)(\mathbf{x}_n - \boldsymbol{\mu}_k)^{\mathrm{T}}
\end{equation}
where we have defined
\begin{equation}
N_k = \sum_{n=1}^{N} \gamma(z_{nk}).
\end{equation}
""",
    source="Bishop, Pattern Recognition and Machine Learning, 2006, equations 9.18 and 9.19",
    shapes=("input x[N, D], mu[K, D]",),
    output="Sigma",
    gamma="5 2",
    x=lambda r: normal(r, 5, 3),
    mu=lambda r: normal(r, 2, 3),
)
def mixture_covariances(gamma, x, mu):
    d = x[:, None] - mu[None]
    return np.einsum("nk,nki,nkj->kij", gamma, d, d) / gamma.sum(0)[:, None, None]


@formula(
    r"""
Let $v$ be the unnormalized descriptor vector, $\|v\|_k$ be its $k$-norm for $k = 1, 2$, and $\epsilon$ be a small constant. The schemes are: (a)
L2-norm,
\[ v \to v / \sqrt{\|v\|_2^2 + \epsilon^2} \]
""",
    source="Dalal, Triggs, Histograms of oriented gradients for human detection, 2005, section 6.4",
    shapes=("input v[N]",),
    v="5",
    epsilon="",
)
def block_normalisation(v, epsilon):
    return v / np.sqrt((v**2).sum() + epsilon**2)


@formula(
    r"""
In the NFW profile, the density of dark matter as a function of radius is given by:
\begin{equation}
\rho(r) = \frac{\rho_0}{\frac{r}{R_s}\left(1~+~\frac{r}{R_s}\right)^2}
\end{equation}
where $\rho_0$ and the "scale radius", $R_s$, are parameters which vary from halo to halo.
""",
    source="Navarro, Frenk, White, The structure of cold dark matter halos, 1996; as in an encyclopedia",
    rho_0="",
    r="",
    R_s="",
)
def halo_profile(rho_0, r, R_s):
    return rho_0 / (r / R_s * (1 + r / R_s) ** 2)


@formula(
    r"""
The spectral radiance of a body for frequency $\nu$ at absolute temperature $T$ is given by
$$ B_\nu(\nu, T) = \frac{2h\nu^3}{c^2} \frac{1}{e^{\frac{h\nu}{k_\mathrm{B} T}} - 1} $$
where $k_\mathrm{B}$ is the Boltzmann constant, $h$ is the Planck constant, and $c$ is the speed of light in the medium.
""",
    source="Planck, Ueber das Gesetz der Energieverteilung im Normalspectrum, 1901; as in an encyclopedia",
    h="",
    nu="",
    c="",
    k_B="",
    T="",
)
def planck_law(h, nu, c, k_B, T):
    return 2 * h * nu**3 / c**2 / (np.exp(h * nu / (k_B * T)) - 1)


@formula(
    r"""
In the presence of a competitive inhibitor the rate is
\begin{equation}
v = \frac{V_{\max} [\mathrm{S}]}{K_\mathrm{m} \left( 1 + \frac{[\mathrm{I}]}{K_\mathrm{i}} \right) + [\mathrm{S}]}
\end{equation}
where $[\mathrm{S}]$ and $[\mathrm{I}]$ are the concentrations of the substrate and of the inhibitor.
""",
    source="Cornish-Bowden, Fundamentals of enzyme kinetics, 2012, equation 6.1",
    V_max="",
    S="",
    K_m="",
    I="",
    K_i="",
)
def competitive_inhibition(V_max, S, K_m, I, K_i):
    return V_max * S / (K_m * (1 + I / K_i) + S)


@formula(
    r"""
$$
T_s(X,Y) = \frac{\sum_i (X_i \land Y_i)}{\sum_i (X_i \lor Y_i)}, \qquad f(A,B) = \frac{A \cdot B}{\vert A\vert^2 + \vert B\vert^2 - A \cdot B}
$$
""",
    source="Rogers, Tanimoto, 1960; as in an encyclopedia",
    leaves_open="the first is about bits, the second about vectors that nothing declares",
    X="4",
    Y="4",
)
def tanimoto(X, Y):
    return np.zeros(3)


@formula(
    r"""
\begin{equation}
\overline{\delta^2}(\tau) = \frac{1}{N - \tau} \sum_{t=1}^{N-\tau} \left| \mathbf{r}(t+\tau) - \mathbf{r}(t) \right|^2, \quad \tau = 1, \dots, N-1
\end{equation}
""",
    source="Metzler et al., Anomalous diffusion models and their properties, 2014, equation 7 in discrete time",
    shapes=("input r[N, 3]",),
    r="6 3",
)
def averaged_displacement(r):
    return np.array(
        [
            sum(((r[t + lag] - r[t]) ** 2).sum() for t in range(6 - lag)) / (6 - lag)
            for lag in range(1, 6)
        ]
    )


@formula(
    r"""
Briefly, the time series to be analyzed (with $N$ samples) is first integrated,
\begin{equation}
y(k) = \sum_{i=1}^{k} \left[ B(i) - B_{ave} \right],
\end{equation}
where $B(i)$ is the $i$th interbeat interval and $B_{ave}$ is the average interbeat interval.
""",
    source="Peng et al., Quantification of scaling exponents and crossover phenomena in nonstationary heartbeat time series, 1995",
    B="6",
    B_ave="",
)
def integrated_intervals(B, B_ave):
    return np.cumsum(B - B_ave)


@formula(
    r"""
Blackman windows are defined as
\begin{align}
w[n] &= a_0 - a_1 \cos \left( \frac{2 \pi n}{N} \right) + a_2 \cos \left( \frac{4 \pi n}{N} \right), \quad 0 \le n \le N, \\
a_0 &= \frac{1-\alpha}{2};\quad a_1 = \frac{1}{2};\quad a_2 = \frac{\alpha}{2}.
\end{align}
""",
    source="Harris, On the use of windows, 1978; as in an encyclopedia",
    output="w",
    sizes={"N": 6},
    alpha="",
)
def blackman_window(alpha):
    n = np.arange(7)
    a = (1 - alpha) / 2 - np.cos(2 * np.pi * n / 6) / 2
    return a + alpha / 2 * np.cos(4 * np.pi * n / 6)


@formula(
    r"""
When the data points are equally spaced, the smoothed data are
\[
Y_j = \sum_{i=\tfrac{1-m}{2}}^{\tfrac{m-1}{2}} C_i \, y_{j+i}, \qquad \frac{m+1}{2} \le j \le n - \frac{m-1}{2},
\]
with $m$ convolution coefficients $C_i$.
""",
    source="Savitzky, Golay, Smoothing and differentiation of data, 1964; as in an encyclopedia",
    leaves_open="coefficients with negative places, and a size that is odd",
    C="5",
    y="9",
)
def savitzky_golay(C, y):
    return np.zeros(5)


@formula(
    r"""
According to Schlick's model, the specular reflection coefficient $R$ can be approximated by:
\begin{align}
 R(\theta) &= R_0 + (1 - R_0)(1 - \cos \theta)^5 \\
 R_0 &= \left(\frac{n_1-n_2}{n_1+n_2}\right)^2
\end{align}
where $\theta$ is the angle between the viewing direction and the half-angle direction, and $n_1,\,n_2$ are the indices of refraction.
""",
    source="Schlick, An inexpensive BRDF model for physically-based rendering, 1994; as in an encyclopedia",
    output="R",
    n_1="",
    n_2="",
    theta="",
)
def schlick_reflectance(n_1, n_2, theta):
    r = ((n_1 - n_2) / (n_1 + n_2)) ** 2
    return r + (1 - r) * (1 - np.cos(theta)) ** 5


@formula(
    r"""
The translog cost function is
\begin{equation}
\ln C = \alpha_0 + \alpha_Y \ln Y + \sum_i \alpha_i \ln P_i + \frac{1}{2} \gamma_{YY} (\ln Y)^2 + \frac{1}{2} \sum_i \sum_j \gamma_{ij} \ln P_i \ln P_j + \sum_i \gamma_{Yi} \ln Y \ln P_i .
\end{equation}
""",
    source="Christensen, Greene, Economies of scale in U.S. electric power generation, 1976, equation 1",
    shapes=("input alpha_0[], alpha_Y[], alpha[N], gamma_YY[], gamma[N, N], gamma_Y[N]",),
    alpha_0="",
    alpha_Y="",
    alpha="3",
    gamma_YY="",
    gamma="3 3",
    gamma_Y="3",
    Y="",
    P="3",
)
def translog_cost(alpha_0, alpha_Y, alpha, gamma_YY, gamma, gamma_Y, Y, P):
    y, p = np.log(Y), np.log(P)
    value = alpha_0 + alpha_Y * y + alpha @ p + gamma_YY * y**2 / 2
    return value + p @ gamma @ p / 2 + (gamma_Y * y * p).sum()


@formula(
    r"""
The T\"ornqvist price index is
\begin{equation}
\frac{P_t}{P_{t-1}} = \prod_{i=1}^{n} \left( \frac{p_{it}}{p_{i,t-1}} \right)^{\frac{1}{2} \left[ \frac{p_{i,t-1} q_{i,t-1}}{\sum_{j=1}^{n} (p_{j,t-1} q_{j,t-1})} + \frac{p_{i,t} q_{i,t}}{\sum_{j=1}^{n} (p_{j,t} q_{j,t})} \right]}
\end{equation}
""",
    source="Toernqvist, The Bank of Finland's consumption price index, 1936; as in an encyclopedia",
    p="3 5",
    q="3 5",
)
def tornqvist_index(p, q):
    s = p * q / (p * q).sum(0)
    out = []
    for t in range(1, 5):
        out.append(
            np.prod([(p[i, t] / p[i, t - 1]) ** ((s[i, t - 1] + s[i, t]) / 2) for i in range(3)])
        )
    return np.array(out)


@formula(
    r"""
The cost function to be minimised is
\begin{equation}
J = \sum_{i=1}^{N} w_{x_i} (r_i - x_i)^2 + \sum_{i=1}^{M} w_{u_i} {\Delta u_i}^2
\end{equation}
with $x_i$: the $i$th controlled variable, $r_i$: the $i$th reference variable, $u_i$: the $i$th manipulated variable, $w_{x_i}$: weighting
coefficient reflecting the relative importance of $x_i$, $w_{u_i}$: weighting coefficient penalizing relative big changes in $u_i$.
""",
    source="Model predictive control, as in an encyclopedia; Garcia, Prett, Morari, 1989",
    shapes=("input w_x[N], w_u[M]",),
    w_x="4",
    r="4",
    x="4",
    w_u="3",
    Delta_u="3",
)
def predictive_cost(w_x, r, x, w_u, Delta_u):
    return (w_x * (r - x) ** 2).sum() + (w_u * Delta_u**2).sum()


@formula(
    r"""
The R\'enyi entropy of order $\alpha$, where $0 < \alpha < \infty$ and $\alpha \neq 1$, is defined as
\begin{equation*}
\mathrm{H}_\alpha(X) = \frac{1}{1-\alpha}\log\left(\sum_{i=1}^n p_i^\alpha\right).
\end{equation*}
Here, $X$ is a discrete random variable with possible outcomes in the set $\mathcal{A} = \{x_1, x_2, ..., x_n\}$ and corresponding probabilities $p_i
\doteq \Pr(X=x_i)$ for $i=1,\dots,n$.
""",
    source="Renyi, On measures of entropy and information, 1961; as in an encyclopedia",
    alpha=lambda r: 2.5,
    p="4",
)
def renyi_entropy(alpha, p):
    return np.log((p**alpha).sum()) / (1 - alpha)


@formula(
    r"""
Kriging predicts the value at the unobserved location $x_0$ by the linear combination
\begin{equation}
\hat{Z}(x_0) = \sum_{i=1}^{n} \lambda_i Z(x_i), \qquad \sum_{i=1}^{n} \lambda_i = 1,
\end{equation}
of the observed values $z_i = Z(x_i)$.
""",
    source="Chiles, Delfiner, Geostatistics: modeling spatial uncertainty, 1999, section 3.4",
    **{"lambda": "4"},
    Z="4",
)
def kriging_predictor(Z, **k):
    return k["lambda"] @ Z


@formula(
    r"""
The averages over the short and the long window are
\begin{equation}
STA_i = \frac{1}{ns} \sum_{j=i-ns}^{i} CF_j, \qquad LTA_i = \frac{1}{nl} \sum_{j=i-nl}^{i} CF_j,
\end{equation}
and $R_i = STA_i / LTA_i$, where $CF$ is the characteristic function.
""",
    source="Trnkoczy, Understanding and parameter setting of STA/LTA trigger algorithm, 2009; Allen, 1978",
    leaves_open="what stands before the first sample",
    CF="8",
)
def sta_lta(CF):
    return np.zeros(8)


@formula(
    r"""
Let $X_1,\ldots, X_n$ be an i.i.d. sample from $X$, and $Y_1,\ldots, Y_m$ an i.i.d. sample from $Y$, and both samples independent of each other. The
corresponding Mann-Whitney $U$ statistic is defined as:
$$U=\sum_{i=1}^n\sum_{j=1}^m S(X_i,Y_j),$$
with
$$S(X,Y)= \begin{cases}
   1,           & \text{if }  X > Y, \\
   \tfrac{1}{2},  & \text{if }  Y = X, \\
   0,           & \text{if }  X < Y.
\end{cases}$$
""",
    source="Mann, Whitney, On a test of whether one of two random variables is stochastically larger, 1947; as in an encyclopedia",
    output="U",
    X=lambda r: r.integers(0, 4, 5).astype(float),
    Y=lambda r: r.integers(0, 4, 4).astype(float),
)
def mann_whitney(X, Y):
    return sum((x > y) + 0.5 * (x == y) for x in X for y in Y)


@formula(
    r"""
For each scalar estimand $\psi$, we label the simulations as $\psi_{ij}$ ($i=1,\dots,n$; $j=1,\dots,m$), and we compute $B$ and $W$, the between- and
within-sequence variances:
\begin{align*}
B &= \frac{n}{m-1} \sum_{j=1}^{m} (\overline{\psi}_{.j} - \overline{\psi}_{..})^2, \quad \text{where } \overline{\psi}_{.j} = \frac{1}{n} \sum_{i=1}^{n} \psi_{ij}, \quad \overline{\psi}_{..} = \frac{1}{m} \sum_{j=1}^{m} \overline{\psi}_{.j} \\
W &= \frac{1}{m} \sum_{j=1}^{m} s_j^2, \quad \text{where } s_j^2 = \frac{1}{n-1} \sum_{i=1}^{n} (\psi_{ij} - \overline{\psi}_{.j})^2.
\end{align*}
The potential scale reduction is $\widehat{R} = \sqrt{\frac{\widehat{\mathrm{var}}^+(\psi | y)}{W}}$.
""",
    source="Gelman et al., Bayesian data analysis, 2013, section 11.4",
    output="W",
    psi="5 3",
)
def within_sequence_variance(psi):
    return psi.var(0, ddof=1).mean()


@formula(
    r"""
For each $t = 1, 2, \ldots$ set
\[
p_i(t) = (1 - \gamma) \frac{w_i(t)}{\sum_{j=1}^{K} w_j(t)} + \frac{\gamma}{K} \qquad i = 1, \ldots, K.
\]
""",
    source="Auer, Cesa-Bianchi, Freund, Schapire, The nonstochastic multiarmed bandit problem, 2002, figure 1",
    gamma="",
    w="4",
)
def exponential_weights(gamma, w):
    return (1 - gamma) * w / w.sum() + gamma / 4


@formula(
    r"""
We define the $n$-steps V-trace target for $V(x_s)$, our value approximation at state $x_s$, as:
\begin{equation}
v_s \overset{\mathrm{def}}{=} V(x_s) + \sum_{t=s}^{s+n-1} \gamma^{t-s} \Big( \prod_{i=s}^{t-1} c_i \Big) \delta_t V ,
\end{equation}
where $\delta_t V \overset{\mathrm{def}}{=} \rho_t \big( r_t + \gamma V(x_{t+1}) - V(x_t) \big)$ is a temporal difference for $V$.
""",
    source="Espeholt et al., IMPALA, 2018, equation 1",
    leaves_open="where the trajectory ends, and `\\delta_t V` in words",
    V="6",
    c="5",
)
def vtrace(V, c):
    return np.zeros(4)


@formula(
    r"""
The representation of $e(x)$ is the index of the nearest of the embedding vectors $e_j \in \mathbb{R}^{D}$, $j \in 1, 2, \ldots, K$:
\begin{equation}
q_i = \operatorname*{argmin}_j \| z_i - e_j \|_2
\end{equation}
with the outputs $z_i \in \mathbb{R}^{D}$ of the encoder.
""",
    source="van den Oord, Vinyals, Kavukcuoglu, Neural discrete representation learning, 2017, equation 1 at each place",
    z=lambda r: normal(r, 4, 3),
    e=lambda r: normal(r, 5, 3),
)
def nearest_codes(z, e):
    return ((z[:, None] - e[None]) ** 2).sum(-1).argmin(1)


@formula(
    r"""
The GDL takes the form:
\begin{equation}
GDL = 1 - 2 \frac{\sum_{l=1}^{2} w_l \sum_n r_{ln} p_{ln}}{\sum_{l=1}^{2} w_l \sum_n r_{ln} + p_{ln}},
\end{equation}
where $w_l$ is used to provide invariance to different label set properties, $w_l = 1/(\sum_{n=1}^{N} r_{ln})^2$.
""",
    source="Sudre et al., Generalised dice overlap as a deep learning loss function, 2017, equation 3",
    output="GDL",
    r="2 5",
    p="2 5",
)
def generalised_dice(r, p):
    w = 1 / r.sum(1) ** 2
    return 1 - 2 * (w * (r * p).sum(1)).sum() / (w * (r + p).sum(1)).sum()


@formula(
    r"""
The average efficiency of $\mathbf{G}$ can be defined as:
\begin{equation}
E(\mathbf{G}) = \frac{\sum_{i \neq j \in \mathbf{G}} \epsilon_{ij}}{N(N-1)} = \frac{1}{N(N-1)} \sum_{i \neq j \in \mathbf{G}} \frac{1}{d_{ij}}
\end{equation}
""",
    source="Latora, Marchiori, Efficient behavior of small-world networks, 2001, equation 1",
    epsilon="4 4",
    N=lambda r: 4.0,
)
def network_efficiency(epsilon, N):
    return sum(epsilon[i, j] for i in range(4) for j in range(4) if i != j) / (N * (N - 1))


@formula(
    r"""
One notion of miscalibration, the expected calibration error, is
\begin{equation}
\mathrm{ECE} = \sum_{m=1}^{M} \frac{|B_m|}{n} \Big| \mathrm{acc}(B_m) - \mathrm{conf}(B_m) \Big|,
\end{equation}
where $n$ is the number of samples.
""",
    source="Guo et al., On calibration of modern neural networks, 2017, equation 5",
    leaves_open="the bins are sets, and their accuracies functions of sets",
    acc="3",
    conf="3",
)
def calibration_error(acc, conf):
    return np.zeros(3)
