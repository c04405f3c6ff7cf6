"""Formulas of vision, language, chemistry and statistics."""

from __future__ import annotations

import numpy as np

from published.formula import formula, normal, uniform


@formula(
    r"""
For bounding-box regression, we use the loss
\begin{equation}
\label{eq:locloss}
L_\textrm{loc}(t, v) = \sum_{i \in \{\textrm{x},\textrm{y},\textrm{w},\textrm{h}\}} \textrm{smooth}_{L_1}(t_i - v_i),
\end{equation}
in which
\begin{equation}
\label{eq:smoothL1}
  \textrm{smooth}_{L_1}(x) =
  \begin{cases}
    0.5x^2& \text{if } |x| < 1\\
    |x| - 0.5& \text{otherwise},
  \end{cases}
\end{equation}
is a robust $L_1$ loss that is less sensitive to outliers than the $L_2$ loss used in R-CNN and SPPnet.
""",
    source="Girshick, Fast R-CNN, 2015, equations 2 and 3 (without the class as a superscript)",
    shapes=("input t[4], v[4]",),
    t=lambda r: 1.5 * normal(r, 4),
    v=lambda r: normal(r, 4),
)
def box_regression_loss(t, v):
    s = 0.0
    for i in range(4):
        e = abs(t[i] - v[i])
        s += 0.5 * e * e if e < 1 else e - 0.5
    return s


@formula(
    r"""
\documentclass[letterpaper]{article}
\usepackage{aaai}
\usepackage{amsmath,amssymb}
\newcommand{\vek}[1]{\mathbf{#1}}
\begin{document}
In particular, HolE uses circular correlation, i.e., the operator $\star : \mathbb{R}^d \times \mathbb{R}^d \to \mathbb{R}^d$, defined as
\begin{equation}
\left[ \vek{a} \star \vek{b} \right]_k = \sum_{i=0}^{d-1} a_i b_{(k+i) \bmod d} ,
\label{eq:corr}
\end{equation}
so that the probability of a triple is modeled as $\Pr(\phi_p(s,o) = 1 | \Theta) = \sigma(\vek{r}_p^\top (\vek{e}_s \star \vek{e}_o))$.
\end{document}
""",
    source="Nickel, Rosasco, Poggio, Holographic embeddings of knowledge graphs, 2016, equation 5",
    shapes=("base 0", "size d", "input a[d], b[d]", "$c \\in \\mathbb{R}^{d}$"),
    sizes={"d": 4},
    a=lambda r: normal(r, 4),
    b=lambda r: normal(r, 4),
)
def circular_correlation(a, b):
    d = len(a)
    c = np.zeros(d)
    for k in range(d):
        for i in range(d):
            c[k] += a[i] * b[(k + i) % d]
    return c


@formula(
    r"""
\documentclass[prb,aps]{revtex4-2}
\usepackage{amsmath,physics}
\begin{document}
On the square lattice with hopping $t$ and $t'$ between nearest and next-nearest neighbours the bare dispersion is
\begin{equation}
\epsilon_{\vb{k}} = -2t \qty( \cos k_x a + \cos k_y a ) - 4t' \cos k_x a \cos k_y a - \mu .
\end{equation}
\end{document}
""",
    source="Damascelli, Hussain, Shen, Angle-resolved photoemission studies of the cuprate superconductors, 2003; as printed in most papers on them",
    shapes=("input t[], k_x[], a[], k_y[], t_prime[], mu[]",),
    output="epsilon_k",
    t=lambda r: 1.0,
    k_x=lambda r: 0.7,
    a=lambda r: 1.1,
    k_y=lambda r: -1.3,
    t_prime=lambda r: -0.3,
    mu=lambda r: 0.4,
)
def cuprate_band(t, k_x, a, k_y, t_prime, mu):
    x, y = (np.cos(k_x * a), np.cos(k_y * a))
    return -2 * t * (x + y) - 4 * t_prime * x * y - mu


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
With a weighted adjacency matrix $A$ the messages are
\begin{equation}
\mathbf{m}_v = \sum_{u=1}^{n} A_{vu}\, \frac{\mathbf{h}_u}{\sqrt{d_u d_v}}, \qquad d_v = \sum_{u=1}^{n} A_{vu},
\end{equation}
and the node update reads
\begin{equation}
\mathbf{h}'_v = \operatorname{ReLU}\left( \mathbf{W}_0 \mathbf{h}_v + \mathbf{W}_1 \mathbf{m}_v \right), \quad v = 1, \ldots, n.
\end{equation}
\end{document}
""",
    source="After Gilmer et al., Neural message passing for quantum chemistry, 2017, section 2, and Morris et al., Weisfeiler and Leman go neural, 2019, equation 5, with a dense adjacency",
    shapes=("base 1", "size n, k, m", "input A[n, n], h[n, k], W_0[m, k], W_1[m, k]"),
    sizes={"n": 4},
    A=lambda r: uniform(r, 4, 4),
    h=lambda r: normal(r, 4, 3),
    W_0=lambda r: normal(r, 2, 3),
    W_1=lambda r: normal(r, 2, 3),
)
def dense_message_passing(A, h, W_0, W_1):
    n = len(A)
    d = [sum(A[v, u] for u in range(n)) for v in range(n)]
    out = np.zeros((n, len(W_0)))
    for v in range(n):
        m = sum(A[v, u] * h[u] / np.sqrt(d[u] * d[v]) for u in range(n))
        for b in range(len(W_0)):
            out[v, b] = max(
                0, sum(W_0[b, a] * h[v, a] + W_1[b, a] * m[a] for a in range(h.shape[1]))
            )
    return out


@formula(
    r"""
\documentclass{article}
\usepackage{nips14submit_e}
\usepackage{amsmath}
\begin{document}
Setting $d_i = \log y_i - \log y_i^*$ to be the difference between the prediction and ground truth at pixel $i$, we use the per-sample training loss
\begin{equation}
L(y,y^*) = \frac{1}{n} \sum_i d_i^2 - \frac{\lambda}{n^2} \left(\sum_i d_i\right)^2
\label{eqn:loss}
\end{equation}
where $\lambda \in [0,1]$ and $n$ is the number of pixels.
\end{document}
""",
    source="Eigen, Puhrsch, Fergus, Depth map prediction from a single image using a multi-scale deep network, 2014, equation 4",
    shapes=("size n", "input y[n], y_star[n], lambda[]"),
    output="L",
    y=lambda r: uniform(r, 5),
    y_star=lambda r: uniform(r, 5),
    lambda_=lambda r: 0.5,
)
def depth_training_loss(y, y_star, lambda_):
    n = len(y)
    a = b = 0.0
    for i in range(n):
        d = np.log(y[i]) - np.log(y_star[i])
        a += d * d
        b += d
    return a / n - lambda_ / n**2 * b * b


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
With weights $w_i = 1/s_i^2$ and the weighted mean $\bar{y}_w = \sum_i w_i y_i / \sum_i w_i$, Cochran's heterogeneity statistic is
\[
Q_w = \sum_{i=1}^{k} w_i (y_i - \bar{y}_w)^2 ,
\]
and equating it to its expected value gives the estimate
\begin{equation}
\Delta_w^2 = \max\left\{ 0, \; \frac{Q_w - (k - 1)}{\sum_i w_i - \left( \sum_i w_i^2 / \sum_i w_i \right)} \right\}.
\end{equation}
\end{document}
""",
    source="DerSimonian, Laird, Meta-analysis in clinical trials, 1986, equation 9",
    shapes=("base 1", "size k", "input s[k], y[k]"),
    sizes={"k": 4},
    output="Delta_w_squared",
    s=lambda r: 0.3 * uniform(r, 4),
    y=lambda r: normal(r, 4),
)
def dersimonian_laird(s, y):
    w = [1 / t**2 for t in s]
    a = sum(w)
    m = sum(w[i] * y[i] for i in range(len(y))) / a
    Q = sum(w[i] * (y[i] - m) ** 2 for i in range(len(y)))
    return max(0.0, (Q - (len(y) - 1)) / (a - sum(t * t for t in w) / a))


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\bmu}{\boldsymbol{\mu}}
\newcommand{\balpha}{\boldsymbol{\alpha}}
\begin{document}
The Dirichlet is a multivariate distribution over $K$ random variables $0 \leqslant \mu_k \leqslant 1$, where $k = 1, \ldots, K$, with
\begin{align}
{\rm H}[\bmu] &= - \sum_{k=1}^K (\alpha_k - 1) \left\{ \psi(\alpha_k) - \psi(\widehat{\alpha}) \right\} - \ln C(\balpha) \tag{B.21}
\end{align}
where
\begin{equation}
C(\balpha) = \frac{\Gamma(\widehat{\alpha})}{\Gamma(\alpha_1) \cdots \Gamma(\alpha_K)} \tag{B.23}
\end{equation}
and
\begin{equation}
\widehat{\alpha} = \sum_{k=1}^K \alpha_k . \tag{B.24}
\end{equation}
Here
\begin{equation}
\psi(a) \equiv \frac{d}{da} \ln \Gamma(a) \tag{B.25}
\end{equation}
is known as the \textit{digamma} function.
\end{document}
""",
    source="Bishop, Pattern recognition and machine learning, 2006, equations B.21 to B.25",
    shapes=("base 1", "size K", "input alpha[K]"),
    sizes={"K": 4},
    alpha=lambda r: 2 * uniform(r, 4),
)
def dirichlet_entropy(alpha):
    from math import lgamma

    dg = lambda a: (
        lambda h: (
            (lgamma(a - 2 * h) - 8 * lgamma(a - h) + 8 * lgamma(a + h) - lgamma(a + 2 * h))
            / (12 * h)
        )
    )(0.001)
    A = sum(alpha)
    H = -lgamma(A)
    for t in alpha:
        H += lgamma(t) - (t - 1) * (dg(t) - dg(A))
    return H


@formula(
    r"""
\documentclass[letterpaper]{article}
\usepackage{amsmath}
\usepackage{bm}
\begin{document}
$\gamma_{i,c}$ and $\beta_{i,c}$ modulate a neural network's activations $\bm{F}_{i,c}$, whose subscripts refer to the $i^{th}$ input's $c^{th}$ feature or feature map, via a feature-wise affine transformation:
\begin{equation}
FiLM(\bm{F}_{i,c}|\gamma_{i,c},\beta_{i,c}) = \gamma_{i,c}\bm{F}_{i,c} + \beta_{i,c} .
\end{equation}
\end{document}
""",
    source="Perez et al., FiLM: visual reasoning with a general conditioning layer, 2018, equation 2 (features, not feature maps)",
    shapes=("size N, C", "input gamma[N, C], F[N, C], beta[N, C]"),
    output="FiLM",
    gamma=lambda r: normal(r, 3, 2),
    F=lambda r: normal(r, 3, 2),
    beta=lambda r: normal(r, 3, 2),
)
def film_again(gamma, F, beta):
    out = np.zeros((3, 2))
    for i in range(3):
        for c in range(2):
            out[i, c] = gamma[i, c] * F[i, c] + beta[i, c]
    return out


@formula(
    r"""
The real part of the filter is
\[
g(x,y;\lambda,\theta,\psi,\sigma,\gamma) = \exp\left(-\frac{x'^2+\gamma^2y'^2}{2\sigma^2}\right)\cos\left(2\pi\frac{x'}{\lambda}+\psi\right)
\]
where $x' = x \cos\theta + y \sin\theta$ and $y' = -x \sin\theta + y \cos\theta$. In this equation, $\lambda$ represents the wavelength of the sinusoidal factor, $\theta$ represents the orientation of the normal to the parallel stripes, $\psi$ is the phase offset, $\sigma$ is the standard deviation of the Gaussian envelope and $\gamma$ is the spatial aspect ratio.
""",
    source="Daugman, 1985; as in an encyclopedia and in the documentation of image libraries",
    shapes=("input x[], y[], lambda[], theta[], psi[], sigma[], gamma[]",),
    output="g",
    x=lambda r: 0.7,
    y=lambda r: -0.4,
    lambda_=lambda r: 1.9,
    theta=lambda r: 0.6,
    psi=lambda r: 0.2,
    sigma=lambda r: 1.1,
    gamma=lambda r: 0.5,
)
def gabor_filter(x, y, lambda_, theta, psi, sigma, gamma):
    u = x * np.cos(theta) + y * np.sin(theta)
    v = -x * np.sin(theta) + y * np.cos(theta)
    return np.exp(-(u * u + gamma**2 * v * v) / (2 * sigma**2)) * np.cos(
        2 * np.pi * u / lambda_ + psi
    )


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Given a length $U$ character sequence $\mathbf{c}$ and a length $T$ data sequence $\mathbf{x}$, the soft window $w_t$ into $\mathbf{c}$ at timestep $t$ ($1 \leq t \leq T$) is defined by the following discrete convolution with a mixture of $K$ Gaussian functions
\begin{align}
\phi(t,u) &= \sum_{k=1}^K \alpha^k_t \exp\left( -\beta^k_t \left( \kappa^k_t - u \right)^2 \right)\\
w_t &= \sum_{u=1}^U \phi(t,u) c_u
\end{align}
where $\phi(t,u)$ is the \emph{window weight} of $c_u$ at timestep $t$.
\end{document}
""",
    source="Graves, Generating sequences with recurrent neural networks, 2013, equations 46 and 47",
    shapes=(
        "upper",
        "base 1",
        "size T, K, U, D",
        "input alpha[T, K], beta[T, K], kappa[T, K], c[U, D]",
    ),
    sizes={"T": 3, "K": 2, "U": 4},
    alpha=lambda r: uniform(r, 3, 2),
    beta=lambda r: 0.3 * uniform(r, 3, 2),
    kappa=lambda r: 3 * uniform(r, 3, 2),
    c=lambda r: normal(r, 4, 2),
)
def graves_window(alpha, beta, kappa, c):
    w = np.zeros((len(alpha), c.shape[1]))
    for t in range(len(alpha)):
        for u in range(len(c)):
            for k in range(alpha.shape[1]):
                w[t] += alpha[t, k] * np.exp(-beta[t, k] * (kappa[t, k] - (u + 1)) ** 2) * c[u]
    return w


@formula(
    r"""
The test statistic $\mathit{JB}$ is defined as
\[
\mathit{JB} = \frac{n}{6} \left( S^2 + \frac{1}{4} (K-3)^2 \right)
\]
where $n$ is the number of observations; $S$ is the sample skewness, $K$ is the sample kurtosis:
\begin{align}
S &= \frac{\hat{\mu}_3}{\hat{\sigma}^3} = \frac{\frac1n \sum_{i=1}^n (x_i-\bar{x})^3}{\left( \frac1n \sum_{i=1}^n (x_i-\bar{x})^2 \right)^{3/2}} , \\
K &= \frac{\hat{\mu}_4}{\hat{\sigma}^4} = \frac{\frac1n \sum_{i=1}^n (x_i-\bar{x})^4}{\left( \frac1n \sum_{i=1}^n (x_i-\bar{x})^2 \right)^2} ,
\end{align}
where $\hat{\mu}_3$ and $\hat{\mu}_4$ are the estimates of third and fourth central moments, respectively, $\bar{x}$ is the sample mean, and $\hat{\sigma}^2$ is the estimate of the second central moment, the variance.
""",
    source="Jarque, Bera, Efficient tests for normality, homoscedasticity and serial independence of regression residuals, 1980; as in an encyclopedia",
    shapes=("base 1", "size n", "input x[n]"),
    sizes={"n": 6},
    output="JB",
    x=lambda r: normal(r, 6),
)
def jarque_bera(x):
    n = len(x)
    m = sum(x) / n
    c = [sum((t - m) ** p for t in x) / n for p in range(5)]
    return n / 6 * (c[3] ** 2 / c[2] ** 3 + 0.25 * (c[4] / c[2] ** 2 - 3) ** 2)


@formula(
    r"""
\begin{equation}
W(x) = \begin{cases} (a+2)|x|^3-(a+3)|x|^2+1 & \text{for } |x| \leq 1, \\ a|x|^3-5a|x|^2+8a|x|-4a & \text{for } 1 < |x| < 2, \\ 0 & \text{otherwise}, \end{cases}
\end{equation}
where $a$ is usually set to $-0.5$ or $-0.75$.
""",
    source="Keys, Cubic convolution interpolation for digital image processing, 1981; as in an encyclopedia",
    shapes=("input x[], a[]",),
    output="W",
    x=lambda r: 1.2 * r.standard_normal(),
    a=lambda r: -0.5,
)
def keys_kernel(x, a):
    t = abs(x)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    if t < 2:
        return a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
    return 0.0


@formula(
    r"""
\documentclass{article}
\usepackage{iclr2020_conference,times}
\usepackage{amsmath,amssymb}
\newcommand{\clip}{clip}
\begin{document}
Given data to quantize $v$, quantizer step size $s$, the number of positive and negative quantization levels $Q_P$ and $Q_N$, respectively, we define a quantizer that computes $\bar{v}$, a quantized and integer scaled representation of the data, and $\hat{v}$, a quantized representation of the data at the same scale as $v$:
\begin{equation}
\bar{v} = \lfloor clip(v/s,-Q_N,Q_P) \rceil ,
\label{eq:quantize}
\end{equation}
\begin{equation}
\hat{v} = \bar{v} \times s .
\label{eq:dequantize}
\end{equation}
Here, $clip(z,r_1,r_2)$ returns $z$ with values below $r_1$ set to $r_1$ and values above $r_2$ set to $r_2$, and $\lfloor z \rceil$ rounds $z$ to the nearest integer.
\end{document}
""",
    source="Esser et al., Learned step size quantization, 2020, equations 1 and 2",
    shapes=("size n", "input v[n], s[], Q_N[], Q_P[]"),
    v=lambda r: normal(r, 7),
    s=lambda r: 0.4,
    Q_N=lambda r: 2.0,
    Q_P=lambda r: 1.0,
)
def learned_step_size(v, s, Q_N, Q_P):
    return np.array([float(round(min(max(t / s, -Q_N), Q_P))) * s for t in v])


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The top one probability of object $j$, given the scores $s$ of all the objects, is
\begin{equation}
P_s(j) = \frac{\exp(s_j)}{\sum_{k=1}^{n} \exp(s_k)} ,
\end{equation}
where $s_j$ is the score of object $j$, $j = 1, 2, \dots, n$. With Cross Entropy as metric, the listwise loss function becomes
\begin{equation}
L(y, z) = - \sum_{j=1}^{n} P_y(j) \log(P_z(j)) .
\end{equation}
\end{document}
""",
    source="Cao et al., Learning to rank: from pairwise approach to listwise approach, 2007, theorem 8 and equation 4",
    shapes=("base 1", "size n", "input y[n], z[n]"),
    sizes={"n": 4},
    y=lambda r: normal(r, 4),
    z=lambda r: normal(r, 4),
)
def listnet(y, z):
    a = sum(np.exp(t) for t in y)
    b = sum(np.exp(t) for t in z)
    return -sum(np.exp(y[j]) / a * np.log(np.exp(z[j]) / b) for j in range(len(y)))


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The test statistic is
\begin{equation}
\tilde{Q}(\hat{r}) = n(n+2) \sum_{k=1}^{m} (n-k)^{-1} \hat{r}_k^2 ,
\label{eq:lb}
\end{equation}
where
\begin{equation}
\hat{r}_k = \sum_{t=k+1}^{n} \hat{a}_t \hat{a}_{t-k} \bigg/ \sum_{t=1}^{n} \hat{a}_t^2 , \qquad k = 1, \ldots, m,
\end{equation}
are the sample autocorrelations of the residuals $\hat{a}_1, \ldots, \hat{a}_n$.
\end{document}
""",
    source="Ljung, Box, On a measure of lack of fit in time series models, 1978, equations 1.3 and 1.5",
    shapes=("base 1", "size n, m", "input a_hat[n]"),
    sizes={"n": 7, "m": 3},
    output="Q_tilde",
    a_hat=lambda r: normal(r, 7),
)
def ljung_box(a_hat):
    n, m = (7, 3)
    Q = 0.0
    z = sum(t * t for t in a_hat)
    for k in range(1, m + 1):
        r = sum(a_hat[t - 1] * a_hat[t - k - 1] for t in range(k + 1, n + 1)) / z
        Q += n * (n + 2) * r * r / (n - k)
    return Q


@formula(
    r"""
\documentclass[11pt]{article}
\usepackage{acl2015}
\usepackage{amsmath}
\newcommand{\W}{\mbox{\boldmath $W$}}
\newcommand{\bh}{\mbox{\boldmath $h$}}
\newcommand{\bc}{\mbox{\boldmath $c$}}
\newcommand{\ba}{\mbox{\boldmath $a$}}
\begin{document}
In this model type, a variable-length alignment vector $\ba_t$, whose size equals the number of time steps on the source side, is derived by comparing the current target hidden state $\bh_t$ with each source hidden state $\bar{\bh}_s$:
\begin{equation}
\ba_t(s) = \frac{\exp\left( \bh_t^\top \W_a \bar{\bh}_s \right)}{\sum_{s'} \exp\left( \bh_t^\top \W_a \bar{\bh}_{s'} \right)}
\end{equation}
Given the alignment vector as weights, the context vector $\bc_t$ is computed as the weighted average over all the source hidden states:
\begin{equation}
\bc_t = \sum_s \ba_t(s) \bar{\bh}_s
\end{equation}
\end{document}
""",
    source="Luong, Pham, Manning, Effective approaches to attention-based neural machine translation, 2015, equations 7 and 8 with the general score",
    shapes=("size T, S, D", "input h[T, D], W_a[D, D], h_bar[S, D]"),
    h=lambda r: normal(r, 3, 2),
    W_a=lambda r: normal(r, 2, 2),
    h_bar=lambda r: normal(r, 4, 2),
)
def luong_attention(h, W_a, h_bar):
    T, D = h.shape
    S = len(h_bar)
    c = np.zeros((T, D))
    for t in range(T):
        e = [
            np.exp(sum(h[t, a] * W_a[a, b] * h_bar[s, b] for a in range(D) for b in range(D)))
            for s in range(S)
        ]
        for s in range(S):
            c[t] += e[s] / sum(e) * h_bar[s]
    return c


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
For $K$ strata with cells $a_i, b_i, c_i, d_i$ and totals $n_i = a_i + b_i + c_i + d_i$, the Mantel--Haenszel estimate of the common odds ratio is
\[
\widehat{\mathit{OR}}_{\text{MH}} = \frac{\displaystyle\sum_{i=1}^{K} a_i d_i / n_i}{\displaystyle\sum_{i=1}^{K} b_i c_i / n_i},
\]
and a variance of its logarithm is
\begin{equation}
v = \frac{\sum P_i R_i}{2 \left( \sum R_i \right)^2} + \frac{\sum (P_i S_i + Q_i R_i)}{2 \sum R_i \sum S_i} + \frac{\sum Q_i S_i}{2 \left( \sum S_i \right)^2},
\end{equation}
with $P_i = (a_i + d_i)/n_i$, $Q_i = (b_i + c_i)/n_i$, $R_i = a_i d_i/n_i$ and $S_i = b_i c_i/n_i$.
\end{document}
""",
    source="Robins, Breslow, Greenland, Estimators of the Mantel-Haenszel variance consistent in both sparse data and large-strata limiting models, 1986",
    shapes=("base 1", "size K", "input a[K], b[K], c[K], d[K]"),
    sizes={"K": 3},
    output="v",
    a=lambda r: 5 * uniform(r, 3),
    b=lambda r: 5 * uniform(r, 3),
    c=lambda r: 5 * uniform(r, 3),
    d=lambda r: 5 * uniform(r, 3),
)
def mantel_haenszel(a, b, c, d):
    n = a + b + c + d
    P, Q, R, S = ((a + d) / n, (b + c) / n, a * d / n, b * c / n)
    r, s = (sum(R), sum(S))
    v = 0.0
    for i in range(len(a)):
        v += (
            P[i] * R[i] / (2 * r * r)
            + (P[i] * S[i] + Q[i] * R[i]) / (2 * r * s)
            + Q[i] * S[i] / (2 * s * s)
        )
    return v


@formula(
    r"""
\documentclass[journal=jpcbfk]{achemso}
\usepackage{amsmath}
\newcommand{\kB}{k_{\mathrm{B}}}
\begin{document}
In the nonadiabatic limit the rate constant of electron transfer is
\begin{equation}
k_{\mathrm{ET}} = \frac{2\pi}{\hbar} |H_{\mathrm{AB}}|^2 \frac{1}{\sqrt{4\pi\lambda \kB T}} \exp\left( -\frac{(\lambda + \Delta G^\circ)^2}{4\lambda \kB T} \right)
\end{equation}
where $\lambda$ is the reorganization energy, $\Delta G^\circ$ the total Gibbs free energy change, and $|H_{\mathrm{AB}}|$ the electronic coupling.
\end{document}
""",
    source="Marcus, Sutin, Electron transfers in chemistry and biology, 1985",
    output="k_ET",
    hbar=lambda r: 1.1,
    H_AB=lambda r: -0.4,
    lambda_=lambda r: 0.8,
    k_B=lambda r: 0.9,
    T=lambda r: 0.7,
    DeltaG=lambda r: -0.3,
)
def marcus_rate(hbar, H_AB, lambda_, k_B, T, DeltaG):
    kt = k_B * T
    return (
        2
        * np.pi
        / hbar
        * H_AB**2
        / np.sqrt(4 * np.pi * lambda_ * kt)
        * np.exp(-((lambda_ + DeltaG) ** 2) / (4 * lambda_ * kt))
    )


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
We define the \emph{margin based loss} as
\begin{equation*}
\ell^{margin}(i, j) := (\alpha + y_{ij} (D_{ij} - \beta))_+ .
\end{equation*}
Here $\beta$ is a variable that determines the boundary between positive and negative pairs, $\alpha$ controls the margin of separation, $y_{ij} \in \{-1, 1\}$, and $D_{ij} := \|f_i - f_j\|$ is the distance between the embeddings, $(x)_+ = \max(0, x)$.
\end{document}
""",
    source="Wu et al., Sampling matters in deep embedding learning, 2017, equation 11",
    shapes=("size N, d", "input alpha[], y[N, N], f[N, d], beta[]"),
    alpha=lambda r: 0.2,
    y=lambda r: np.sign(normal(r, 4, 4)),
    f=lambda r: normal(r, 4, 2),
    beta=lambda r: 1.2,
)
def margin_based_loss(alpha, y, f, beta):
    N = len(f)
    l = np.zeros((N, N))
    for i in range(N):
        for j in range(N):
            D = np.sqrt(sum((f[i, a] - f[j, a]) ** 2 for a in range(f.shape[1])))
            l[i, j] = max(0.0, alpha + y[i, j] * (D - beta))
    return l


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath,amssymb}
\newcommand{\vx}{\mathbf{x}}
\newcommand{\vy}{\mathbf{y}}
\newcommand{\vb}{\mathbf{b}}
\newcommand{\mU}{\mathbf{U}}
\newcommand{\mV}{\mathbf{V}}
\newcommand{\mP}{\mathbf{P}}
\begin{document}
We apply non-linear activation functions before the Hadamard product, so low-rank bilinear pooling is
\begin{equation}
\mathbf{f} = \mP^T \left( \tanh(\mU^T \vx) \circ \tanh(\mV^T \vy) \right) + \vb ,
\end{equation}
where $\circ$ denotes the Hadamard product (element-wise multiplication), $\mU \in \mathbb{R}^{N \times d}$, $\mV \in \mathbb{R}^{M \times d}$, $\mP \in \mathbb{R}^{d \times c}$, $\vx \in \mathbb{R}^N$, $\vy \in \mathbb{R}^M$ and $\vb \in \mathbb{R}^c$.
\end{document}
""",
    source="Kim et al., Hadamard product for low-rank bilinear pooling, 2017, equation 8",
    shapes=("size N, M, d, c", "input P[d, c], U[N, d], x[N], V[M, d], y[M], b[c]"),
    output="f",
    P=lambda r: normal(r, 2, 3),
    U=lambda r: normal(r, 4, 2),
    x=lambda r: normal(r, 4),
    V=lambda r: normal(r, 5, 2),
    y=lambda r: normal(r, 5),
    b=lambda r: normal(r, 3),
)
def mlb_pooling(P, U, x, V, y, b):
    f = b.copy()
    for a in range(len(b)):
        for k in range(len(P)):
            f[a] += (
                P[k, a]
                * np.tanh(sum(U[i, k] * x[i] for i in range(len(x))))
                * np.tanh(sum(V[j, k] * y[j] for j in range(len(y))))
            )
    return f


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\newcommand{\nrm}[1]{\Vert #1 \Vert}
\begin{document}
Each point $i$ selects another point $j$ as its neighbour with some probability $p_{ij}$, and inherits its class label from the point it selects. We define the $p_{ij}$ using a softmax over Euclidean distances in the transformed space:
\begin{equation}
p_{ij} = \frac{\exp(-\nrm{A x_i - A x_j}^2)}{\sum_{k \ne i} \exp(-\nrm{A x_i - A x_k}^2)} \quad , \quad p_{ii} = 0
\end{equation}
\end{document}
""",
    source="Goldberger et al., Neighbourhood components analysis, 2005, equation 1",
    shapes=("size n, D, d", "input A[d, D], x[n, D]"),
    output="p",
    A=lambda r: 0.6 * normal(r, 2, 3),
    x=lambda r: normal(r, 4, 3),
)
def neighbourhood_components(A, x):
    n = len(x)
    z = np.array([[sum(A[a, b] * x[i, b] for b in range(3)) for a in range(2)] for i in range(n)])
    p = np.zeros((n, n))
    for i in range(n):
        t = sum(np.exp(-sum((z[i] - z[k]) ** 2)) for k in range(n) if k != i)
        for j in range(n):
            if j != i:
                p[i, j] = np.exp(-sum((z[i] - z[j]) ** 2)) / t
    return p


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\newcommand{\bx}{\mathbf{x}}
\newcommand{\aug}[1]{\tilde{\mathbf{#1}}}
\begin{document}
For $h(\bx;\mathbf{u}) = \mathrm{erf}(u_0 + \sum_{j=1}^D u_j x_j)$ and $\mathbf{u} \sim \mathcal{N}(\mathbf{0}, \Sigma)$, we obtain
\begin{equation}
k_{\mathrm{NN}}(\bx, \bx') = \frac{2}{\pi} \sin^{-1} \bigg( \frac{2 \aug{x}^\top \Sigma \aug{x}'}{\sqrt{(1 + 2 \aug{x}^\top \Sigma \aug{x})(1 + 2 \aug{x}'^\top \Sigma \aug{x}')}} \bigg) ,
\tag{4.29}
\end{equation}
where $\aug{x} = (1, x_1, \ldots, x_D)^\top$ is an augmented input vector.
\end{document}
""",
    source="Rasmussen, Williams, Gaussian processes for machine learning, 2006, equation 4.29",
    shapes=("size E", "input x_tilde[E], Sigma[E, E], x_tilde_prime[E]"),
    output="k_NN",
    x_tilde=lambda r: normal(r, 3),
    Sigma=lambda r: (lambda A: A @ A.T)(normal(r, 3, 3)),
    x_tilde_prime=lambda r: normal(r, 3),
)
def neural_network_kernel(x_tilde, Sigma, x_tilde_prime):
    q = lambda u, v: sum(u[i] * Sigma[i, j] * v[j] for i in range(3) for j in range(3))
    return (
        2
        / np.pi
        * np.arcsin(
            2
            * q(x_tilde, x_tilde_prime)
            / np.sqrt((1 + 2 * q(x_tilde, x_tilde)) * (1 + 2 * q(x_tilde_prime, x_tilde_prime)))
        )
    )


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
where $\mathcal{PS}$ is an periodic shuffling operator that rearranges the elements of a $H \times W \times C\cdot r^2$ tensor to a tensor of shape $rH \times rW \times C$. Mathematically, this operation can be described in the following way
\begin{equation}
\mathcal{PS}(T)_{x,y,c} = T_{\lfloor x/r \rfloor, \lfloor y/r \rfloor, C\cdot r\cdot \text{mod}(y,r) + C \cdot \text{mod}(x,r) + c}
\label{eq:ps}
\end{equation}
""",
    source="Shi et al., Real-time single image and video super-resolution using an efficient sub-pixel convolutional neural network, 2016, equation 4",
    shapes=(
        "base 0",
        "size r = 2",
        "size C = 3",
        "size H, W",
        "input T[H, W, C*r*r]",
        "$\\mathcal{PS} \\in \\mathbb{R}^{rH \\times rW \\times C}$",
    ),
    sizes={"r": 2, "C": 3},
    T=lambda r: normal(r, 2, 3, 12),
)
def pixel_shuffle(T):
    H, W, _ = T.shape
    r, C = (2, 3)
    out = np.zeros((r * H, r * W, C))
    for x, y, c in np.ndindex(*out.shape):
        out[x, y, c] = T[x // r, y // r, C * r * (y % r) + C * (x % r) + c]
    return out


@formula(
    r"""
\documentclass{jfm}
\usepackage{amsmath}
\begin{document}
Let $A_{ij}$ be the velocity gradient tensor, with symmetric and antisymmetric parts
\begin{equation}
S_{ij} = \tfrac12 \left( A_{ij} + A_{ji} \right), \qquad \Omega_{ij} = \tfrac12 \left( A_{ij} - A_{ji} \right).
\end{equation}
An eddy is the region with positive second invariant
\begin{equation}
Q = \tfrac12 \left( \Omega_{ij}\Omega_{ij} - S_{ij}S_{ij} \right) > 0,
\end{equation}
where summation over repeated indices is implied.
\end{document}
""",
    source="Hunt, Wray, Moin, Eddies, streams, and convergence zones in turbulent flows, 1988; as in Jeong, Hussain, On the identification of a vortex, 1995",
    shapes=("einstein", "input A[3, 3]"),
    output="Q",
    A=lambda r: normal(r, 3, 3),
)
def q_criterion(A):
    Q = 0.0
    for i in range(3):
        for j in range(3):
            Q += 0.5 * ((A[i, j] - A[j, i]) ** 2 / 4 - (A[i, j] + A[j, i]) ** 2 / 4)
    return Q


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
The energy function $E(v,h)$ of an RBM is defined as $E(v,h) = - b'v - c'h - h'Wv$, where $W$ represents the weights connecting hidden and visible units and $b$, $c$ are the offsets of the visible and hidden layers respectively. In the commonly studied case of using binary units (where $v_j$ and $h_i \in \{0,1\}$), the free energy of an RBM simplifies to
\begin{align}
    \mathcal{F}(v)= - b'v - \sum_i \log(1 + e^{(c_i + W_i v)}).
\end{align}
\end{document}
""",
    source="LISA lab, Deep learning tutorials, Restricted Boltzmann machines, 2010, equation 11",
    shapes=("size m, n", "input b[n], v[n], c[m], W[m, n]"),
    output="F",
    b=lambda r: normal(r, 3),
    v=lambda r: normal(r, 3),
    c=lambda r: normal(r, 4),
    W=lambda r: normal(r, 4, 3),
)
def rbm_free_energy(b, v, c, W):
    F = 0.0
    for j in range(len(v)):
        F -= b[j] * v[j]
    for i in range(len(c)):
        F -= np.log(1 + np.exp(c[i] + sum(W[i, j] * v[j] for j in range(len(v)))))
    return F


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath,amssymb}
\begin{document}
A soft attention across channels is used to adaptively select different spatial scales of information, which is guided by the compact feature descriptor $\mathbf{z}$. Specifically, a softmax operator is applied on the channel-wise digits:
\begin{equation}
	a_c = \frac{e^{\mathbf{A}_c\mathbf{z}}}{e^{\mathbf{A}_c\mathbf{z}}+e^{\mathbf{B}_c\mathbf{z}}}, b_c = \frac{e^{\mathbf{B}_c\mathbf{z}}}{e^{\mathbf{A}_c\mathbf{z}}+e^{\mathbf{B}_c\mathbf{z}}},
\end{equation}
where $\mathbf{A}, \mathbf{B} \in \mathbb{R}^{C \times d}$ and $\mathbf{a}$, $\mathbf{b}$ denote the soft attention vector for $\widetilde{\mathbf{U}}$ and $\widehat{\mathbf{U}}$, respectively. Note that $\mathbf{A}_c \in \mathbb{R}^{1 \times d}$ is the $c$-th row of $\mathbf{A}$ and $a_c$ is the $c$-th element of $\mathbf{a}$, likewise $\mathbf{B}_c$ and $b_c$. The final feature map $\mathbf{V}$ is obtained through the attention weights on various kernels:
\begin{equation}
	\mathbf{V}_c = a_c \cdot \widetilde{\mathbf{U}}_c + b_c \cdot \widehat{\mathbf{U}}_c, ~~a_c + b_c = 1,
\end{equation}
where $\mathbf{V} = [\mathbf{V}_1, \mathbf{V}_2, ..., \mathbf{V}_C]$, $\mathbf{V}_c \in \mathbb{R}^{H \times W}$.
\end{document}
""",
    source="Li, Wang, Hu, Yang, Selective kernel networks, 2019, equations 5 and 6",
    shapes=("size C, d, H, W", "input A[C, d], z[d], B[C, d], U_tilde[C, H, W], U_hat[C, H, W]"),
    output="V",
    A=lambda r: normal(r, 3, 2),
    z=lambda r: normal(r, 2),
    B=lambda r: normal(r, 3, 2),
    U_tilde=lambda r: normal(r, 3, 2, 4),
    U_hat=lambda r: normal(r, 3, 2, 4),
)
def selective_kernel(A, z, B, U_tilde, U_hat):
    V = np.zeros_like(U_hat)
    for c in range(len(A)):
        p = np.exp(sum(A[c, k] * z[k] for k in range(len(z))))
        q = np.exp(sum(B[c, k] * z[k] for k in range(len(z))))
        V[c] = p / (p + q) * U_tilde[c] + q / (p + q) * U_hat[c]
    return V


@formula(
    r"""
\documentclass{article}
\usepackage{amsmath}
\begin{document}
Let $S$ be the number of segregating sites and $\hat{k}$ the average number of nucleotide differences between two of $n$ sequences. We propose the statistic
\begin{equation}
D = \frac{\hat{k} - \dfrac{S}{a_1}}{\sqrt{e_1 S + e_2 S(S-1)}} , \tag{38}
\end{equation}
where
\begin{align*}
a_1 &= \sum_{i=1}^{n-1} \frac{1}{i}, & a_2 &= \sum_{i=1}^{n-1} \frac{1}{i^2}, \\
b_1 &= \frac{n+1}{3(n-1)}, & b_2 &= \frac{2(n^2+n+3)}{9n(n-1)}, \\
c_1 &= b_1 - \frac{1}{a_1}, & c_2 &= b_2 - \frac{n+2}{a_1 n} + \frac{a_2}{a_1^2}, \\
e_1 &= \frac{c_1}{a_1}, & e_2 &= \frac{c_2}{a_1^2 + a_2}.
\end{align*}
\end{document}
""",
    source="Tajima, Statistical method for testing the neutral mutation hypothesis by DNA polymorphism, 1989, equations 3 to 38",
    shapes=("size n", "input k_hat[], S[]"),
    sizes={"n": 10},
    output="D",
    k_hat=lambda r: 3.2,
    S=lambda r: 16.0,
)
def tajima_d(k_hat, S):
    n = 10
    a1 = sum(1 / i for i in range(1, n))
    a2 = sum(1 / i**2 for i in range(1, n))
    b1 = (n + 1) / (3 * (n - 1))
    b2 = 2 * (n * n + n + 3) / (9 * n * (n - 1))
    c1 = b1 - 1 / a1
    c2 = b2 - (n + 2) / (a1 * n) + a2 / a1**2
    return (k_hat - S / a1) / np.sqrt(c1 / a1 * S + c2 / (a1**2 + a2) * S * (S - 1))


@formula(
    r"""
\documentclass[letterpaper]{article}
\usepackage{aaai}
\usepackage{amsmath}
\newcommand{\e}[1]{\mathbf{#1}}
\begin{document}
For a triplet $(h, r, t)$, the embedding $\e{h}$ and $\e{t}$ are first projected to the hyperplane $\e{w}_r$. The projections are denoted as $\e{h}_\perp$ and $\e{t}_\perp$, respectively. By restricting $\|\e{w}_r\|_2 = 1$, it is easy to get
\begin{equation}
\e{h}_\perp = \e{h} - \e{w}_r^\top \e{h} \e{w}_r, \quad \e{t}_\perp = \e{t} - \e{w}_r^\top \e{t} \e{w}_r .
\end{equation}
Then the score function is
\begin{equation}
f_r(\e{h}, \e{t}) = \| (\e{h} - \e{w}_r^\top \e{h} \e{w}_r) + \e{d}_r - (\e{t} - \e{w}_r^\top \e{t} \e{w}_r) \|_2^2 .
\end{equation}
\end{document}
""",
    source="Wang et al., Knowledge graph embedding by translating on hyperplanes, 2014, section 3.2",
    shapes=("size n, k", "input h[k], w[n, k], d[n, k], t[k]"),
    output="f",
    h=lambda r: normal(r, 3),
    w=lambda r: normal(r, 4, 3),
    d=lambda r: normal(r, 4, 3),
    t=lambda r: normal(r, 3),
)
def transh(h, w, d, t):
    f = np.zeros(len(w))
    for r in range(len(w)):
        a = sum(w[r, i] * h[i] for i in range(len(h)))
        b = sum(w[r, i] * t[i] for i in range(len(h)))
        for i in range(len(h)):
            f[r] += (h[i] - a * w[r, i] + d[r, i] - t[i] + b * w[r, i]) ** 2
    return f


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
Consider a standard convolutional layer with its bias term set to 0: $\boldsymbol{y} = \boldsymbol{\hat{W}} * \boldsymbol{x}$. In Weight Standardization, instead of directly optimizing the loss $\mathcal{L}$ on the original weights $\boldsymbol{\hat{W}}$, we reparameterize the weights as a function of $\boldsymbol{W}$:
\begin{align}
\hat{W}_{i,j} &= \frac{W_{i,j} - \mu_{W_{i,\cdot}}}{\sigma_{W_{i,\cdot}}}, \label{eq:ws}
\end{align}
where
\begin{equation}
\mu_{W_{i,\cdot}} = \frac{1}{I} \sum_{j=1}^{I} W_{i,j},\quad \sigma_{W_{i,\cdot}} = \sqrt{\frac{1}{I} \sum_{j=1}^{I} W_{i,j}^2 - \mu_{W_{i,\cdot}}^2 + \epsilon} .
\end{equation}
\end{document}
""",
    source="Qiao et al., Micro-batch training with batch-channel normalization and weight standardization, 2019, equations 11 and 12",
    shapes=("base 1", "size O, I", "input W[O, I], epsilon[]"),
    sizes={"I": 4},
    W=lambda r: normal(r, 3, 4),
    epsilon=lambda r: 0.02,
)
def weight_standardization(W, epsilon):
    O, I = W.shape
    out = np.zeros((O, I))
    for i in range(O):
        m = sum(W[i]) / I
        v = sum(t * t for t in W[i]) / I - m * m + epsilon
        for j in range(I):
            out[i, j] = (W[i, j] - m) / np.sqrt(v)
    return out


@formula(
    r"""
\documentclass{book}
\usepackage{amsmath}
\begin{document}
For multicomponent gas mixtures at low density, the semiempirical formula of Wilke is quite satisfactory:
\begin{equation}
\mu_{\text{mix}} = \sum_{\alpha=1}^{N} \frac{x_\alpha \mu_\alpha}{\sum_\beta x_\beta \Phi_{\alpha\beta}}
\tag{1.4-15}
\end{equation}
in which the dimensionless quantities $\Phi_{\alpha\beta}$ are
\begin{equation}
\Phi_{\alpha\beta} = \frac{1}{\sqrt{8}} \left( 1 + \frac{M_\alpha}{M_\beta} \right)^{-1/2} \left[ 1 + \left( \frac{\mu_\alpha}{\mu_\beta} \right)^{1/2} \left( \frac{M_\beta}{M_\alpha} \right)^{1/4} \right]^2
\tag{1.4-16}
\end{equation}
Here $N$ is the number of chemical species in the mixture, $x_\alpha$ is the mole fraction of species $\alpha$, $\mu_\alpha$ is the viscosity of pure species $\alpha$ at the system temperature and pressure, and $M_\alpha$ is the molecular weight of species $\alpha$.
\end{document}
""",
    source="Bird, Stewart, Lightfoot, Transport phenomena, 2002, equations 1.4-15 and 1.4-16",
    shapes=("base 1", "size N", "input x[N], mu[N], M[N]"),
    sizes={"N": 3},
    output="mu_mix",
    x=lambda r: uniform(r, 3) / 3,
    mu=lambda r: uniform(r, 3),
    M=lambda r: uniform(r, 3),
)
def wilke_viscosity(x, mu, M):
    s = 0.0
    for a in range(3):
        t = 0.0
        for b in range(3):
            t += (
                x[b]
                / np.sqrt(8)
                / np.sqrt(1 + M[a] / M[b])
                * (1 + np.sqrt(mu[a] / mu[b]) * (M[b] / M[a]) ** 0.25) ** 2
            )
        s += x[a] * mu[a] / t
    return s


@formula(
    r"""
\documentclass[10pt,twocolumn]{article}
\usepackage{amsmath}
\begin{document}
Our Wing loss is defined as:
\begin{equation}
    \label{eqn_wing_loss}
wing(x) =
\left\{
  \begin{array}{ll}
    w \ln (1 + |x|/\epsilon) & \text{if } |x| < w\\
    |x|-C & \text{otherwise}
  \end{array}
\right.,
\end{equation}
where the non-negative $w$ sets the range of the nonlinear part to $(-w, w)$, $\epsilon$ limits the curvature of the nonlinear region and $C = w - w \ln (1 + w/\epsilon)$ is a constant that smoothly links the piecewise-defined linear and nonlinear parts.
\end{document}
""",
    source="Feng et al., Wing loss for robust facial landmark localisation, 2018, equation 5",
    shapes=("input x[], w[], epsilon[]",),
    output="wing",
    x=lambda r: 2 * r.standard_normal(),
    w=lambda r: 1.1,
    epsilon=lambda r: 0.4,
)
def wing_loss(x, w, epsilon):
    if abs(x) < w:
        return w * np.log(1 + abs(x) / epsilon)
    return abs(x) - (w - w * np.log(1 + w / epsilon))
